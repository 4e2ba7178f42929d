// The equations of a system at a state, and the forces that its laws admit there: found without the solvers
// of the schemes, by least squares on the rows that can act, and by projections where that is not admissible.
#pragma once
#include <map>
#include <vector>

#include "saltus/linalg/decompositions.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

class Equations {
 public:
  /// `size` and `speed`: the largest values of coordinates and velocities; `part` of what they make of a gap
  /// and of its rate counts as zero.
  Equations(const System& system, Vec size, Vec speed, double part);

  /// Everything at a state; false when a value is not finite or the mass is singular.
  bool evaluate(double t, const Vec& q, const Vec& u);
  /// Directions and velocities of the same contacts elsewhere; gaps stay.
  bool turn(double t, const Vec& q, const Vec& u);
  /// Whether bodies end exactly where they end, as in methods that locate events (ContactSet::sharp).
  void sharpen(bool sharp) { set_.sharp = sharp; }
  const ContactSet& contacts() const { return set_; }
  const Law& law(const Contact& c) const { return laws_[c.law]; }
  const Matrix& mass() const { return mass_; }
  const Vec& force() const { return force_; }
  double gamma(int row) const { return gamma_[row]; }
  double gap_scale(int row) const { return gap_scale_[row]; }
  double rate_scale(int row) const { return rate_scale_[row]; }
  bool closed(const Contact& c) const {
    return !needs_closed_gap(law(c)) || set_.gap[c.row] <= part_ * gap_scale_[c.row];
  }
  /// √(vᵀMv) and √(fᵀM⁻¹f)
  double velocity_norm(const Vec& v) const;
  double force_norm(const Vec& f) const;
  /// √(w M⁻¹ wᵀ) of a row: what a force of norm one accelerates it by at most.
  double row_norm(int row) const;

  enum class Level : std::uint8_t { force, impulse };
  /// r ← r − W λ with the admissible λ that make it small; contacts in `done` have no part in it. Impulses
  /// are those of a step of length dt, whose friction may point anywhere.
  void subtract_reactions(Level level, double dt, const std::vector<std::uint64_t>& done, Vec& r);
  /// Of the last call, row by row; zero where a contact does not act.
  const std::vector<double>& lambda() const { return lambda_; }
  /// The trace of W M⁻¹ Wᵀ of a contact.
  double compliance(const Contact& c) const;

 private:
  struct Active {
    int contact, first;  // in the set, and its first row among the active ones
    int rows;
    Block slip;  // unit vectors of what moves, disc by disc; zero where it may rest
  };
  void measure_rows(const Vec& u);
  void find_active(Level level, const std::vector<std::uint64_t>& done);
  Block motion(const Contact& c, bool& leaves) const;
  void project(const Active& a, double dt, double* x) const;
  bool admissible(double dt, const Vec& x) const;
  /// Least squares over what the contacts can vary in, given how they act in `guess`; false: not admissible.
  bool fit(double dt, const Vec& guess, const Vec& b, Vec& x) const;
  void sweep(double dt, const Vec& b, Vec& x) const;
  Vec reactions(double dt, const Vec& b) const;

  CheckedSystem system_;
  std::span<const Law> laws_;
  Shape shape_;
  Vec size_, speed_;
  double part_;
  Faults faults_;
  Matrix mass_;
  bool mass_known_ = false;
  CholeskyFactor root_;  // M = L Lᵀ
  ContactSet set_;
  Vec force_;
  std::vector<double> gamma_, gap_scale_, rate_scale_, lambda_;
  std::vector<Active> active_;
  Eigen::MatrixXd scaled_;  // L⁻¹ W of the active rows
  double huge_ = 0;         // beside every force here
};

}  // namespace saltus
