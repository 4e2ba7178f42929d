// How exactly the gaps of a contact are known, whatever the units of its coordinates: lengths and angles are
// compared in the metric of the mass matrix, |q_j|√M_jj, where all have the same unit.
#pragma once
#include <algorithm>
#include <cmath>

#include "saltus/linalg/loops.hpp"
#include "saltus/linalg/matrix.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

class GapRounding {
 public:
  explicit GapRounding(const Shape& shape) : flat_(shape.flat) {
    root_.setZero(shape.nu), reach_.setZero(shape.nu);
  }
  void weigh(const Matrix& M) {
    for (Eigen::Index i = 0; i < root_.size(); ++i)
      root_[i] = std::sqrt(std::abs(M(static_cast<int>(i), static_cast<int>(i))));
    compare();
  }
  const Vec& root_mass() const { return root_; }  ///< √M_jj
  /// The largest of coordinates, in that metric.
  double size(const Vec& q) const { return flat_ ? size_of_rates(q) : largest(q) * largest(root_); }
  /// The same of velocities.
  double size_of_rates(const Vec& u) const {
    double most = 0;
    for (Eigen::Index i = 0; i < root_.size(); ++i) most = std::max(most, root_[i] * std::abs(u[i]));
    return most;
  }
  /// What a change of so much in that metric makes of a row.
  double mobility(const ContactSet& set, int row) const {
    double square = 0;
    for (const auto& e : set.Wt.row(row))
      if (const double root = root_[e.column]; root > 0) square += e.value * e.value / (root * root);
    return std::sqrt(square);
  }

  /// A configuration of the motion. A gap of zero has the rounding of where its coordinates came from.
  void note(const Vec& q) {
    if (!flat_) reach_.setConstant(std::max(reach_.size() > 0 ? reach_[0] : 0.0, largest(q)));
    for (Eigen::Index i = 0; flat_ && i < reach_.size(); ++i) reach_[i] = std::max(reach_[i], std::abs(q[i]));
    compare();
  }
  /// The largest |q_j| noted: what a checkpoint keeps.
  Vec& reach() { return reach_; }

  /// What rounding makes of the gap in a row of a contact whose rows are first … first + count − 1: 4e-15 of
  /// the coordinates of that contact, as far as they were noted, or the last digit of all: what is solved
  /// together has rounding in common, also where a body is held at the origin.
  double operator()(const ContactSet& set, int first, int count, int row) const {
    double most = farthest_ / 16;
    for (int r = first; r < first + count; ++r)
      for (const auto& e : set.Wt.row(r)) most = std::max(most, root_[e.column] * reach_[e.column]);
    return 4e-15 * most * mobility(set, row);
  }

 private:
  void compare() {
    farthest_ = 0;
    for (Eigen::Index i = 0; i < reach_.size(); ++i) farthest_ = std::max(farthest_, root_[i] * reach_[i]);
  }

  bool flat_;
  double farthest_ = 0;  // the largest √M_jj |q_j| noted
  Vec root_, reach_;     // √M_jj, the largest |q_j| noted
};

/// Gaps up to so many roundings touch.
constexpr double touching_roundings = 1e3;

}  // namespace saltus
