#include "saltus/verify/curve_defect.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include "saltus/linalg/decompositions.hpp"

namespace saltus {
namespace {

constexpr int gauss = CurveDefect::points;
constexpr int curve_rounds = 8;
// Gauss–Legendre on [0, 1]
constexpr double nodes[gauss] = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052841,
                                 0.953089922969332};
constexpr double gauss_weights[gauss] = {0.118463442528095, 0.239314335249683, 0.284444444444444,
                                         0.239314335249683, 0.118463442528095};

}  // namespace

double CurveDefect::node(int i) {
  return nodes[i];
}
double CurveDefect::weight(int i) {
  return gauss_weights[i];
}

CurveDefect::CurveDefect(Rates rates, Vec size) : rates_(std::move(rates)), size_(std::move(size)) {
  Eigen::Matrix<double, gauss, gauss> powers, integrals;
  for (int i = 0; i < gauss; ++i)
    for (int k = 0; k < gauss; ++k)
      powers(i, k) = std::pow(nodes[i], k), integrals(i, k) = std::pow(nodes[i], k + 1) / (k + 1);
  integral_ = integrals * inverse(powers);
}

// Of x_, whose rates are slope_; next_ are those that the equation has there.
bool CurveDefect::judge(double t, double h, bool& better) {
  double part = 0, value = 0;
  for (int i = 0; i < gauss; ++i) {
    if (!rates_(t + nodes[i] * h, x_[i], next_[i])) return false;
    now_ = (slope_[i] - next_[i]).cwiseAbs();
    value = std::max(value, now_.maxCoeff());
    part = std::max(part, h * now_.cwiseQuotient(size_).maxCoeff());
  }
  better = part < part_;
  if (better) part_ = part, value_ = value, best_ = x_;
  return std::isfinite(part);
}

bool CurveDefect::measure(double t, double h, const Vec& x0, const Vec& x1, double enough) {
  part_ = infinity;
  if (!rates_(t, x0, f0_) || !rates_(t + h, x1, f1_)) return false;
  const Vec chord = (x1 - x0) / h;
  for (int i = 0; i < gauss; ++i) {  // the cubic
    const double s = nodes[i], r = 1 - s;
    x_[i] = x0 + h * s * (s * (3 - 2 * s) * chord + r * r * f0_ - s * r * f1_);
    slope_[i] = 6 * s * r * chord + r * (1 - 3 * s) * f0_ + s * (3 * s - 2) * f1_;
  }
  bool better = true;
  if (!judge(t, h, better)) return false;
  for (int k = 0; k < curve_rounds && better; ++k) {
    Vec missing = chord;
    for (int i = 0; i < gauss; ++i) missing -= gauss_weights[i] * next_[i];
    for (int i = 0; i < gauss; ++i) {
      x_[i] = x0 + h * nodes[i] * missing;
      for (int j = 0; j < gauss; ++j) x_[i] += h * integral_(i, j) * next_[j];
      slope_[i] = next_[i] + missing;
    }
    if (!judge(t, h, better)) break;
  }
  if (part_ > enough) try_stiff(t, h, x0, x1);
  return true;
}

// By differences.
bool CurveDefect::jacobian(double t, const Vec& x) {
  const auto n = x.size();
  jacobian_.resize(n, n);
  Vec at = x, f(n), moved(n);
  if (!rates_(t, x, f)) return false;
  for (Eigen::Index k = 0; k < n; ++k) {
    const double step = std::sqrt(std::numeric_limits<double>::epsilon()) * size_[k];
    at[k] = x[k] + step;
    if (!rates_(t, at, moved)) return false;
    jacobian_.col(k) = (moved - f) / (at[k] - x[k]);
    at[k] = x[k];
  }
  return jacobian_.allFinite();
}

void CurveDefect::try_stiff(double t, double h, const Vec& x0, const Vec& x1) {
  constexpr int most_iterations = 20;
  constexpr Eigen::Index most_unknowns = 500;
  const auto n = x0.size();
  if (gauss * n > most_unknowns || !jacobian(t + 0.5 * h, 0.5 * (x0 + x1))) return;
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(gauss * n, gauss * n);
  for (int i = 0; i < gauss; ++i)
    for (int j = 0; j < gauss; ++j) A.block(i * n, j * n, n, n) -= h * integral_(i, j) * jacobian_;
  DenseLu factor;
  factor.compute(A);
  for (int i = 0; i < gauss; ++i) x_[i] = x0 + nodes[i] * (x1 - x0);
  Vec step(gauss * n);
  double last = infinity;
  for (int k = 0; k < most_iterations; ++k) {
    for (int j = 0; j < gauss; ++j)
      if (!rates_(t + nodes[j] * h, x_[j], next_[j])) return;
    for (int i = 0; i < gauss; ++i) {
      auto missing = step.segment(i * n, n);
      missing = x0 - x_[i];
      for (int j = 0; j < gauss; ++j) missing += h * integral_(i, j) * next_[j];
    }
    factor.solve(step);
    if (!step.allFinite()) return;
    double change = 0;
    for (int i = 0; i < gauss; ++i) {
      x_[i] += step.segment(i * n, n);
      change = std::max(change, step.segment(i * n, n).cwiseAbs().cwiseQuotient(size_).maxCoeff());
    }
    if (k > 0 && change > 0.5 * last) {  // rounding, or no solution
      if (change > 0.1 * part_) return;
      break;
    }
    last = change;
  }
  now_ = x1 - x0;
  for (int j = 0; j < gauss; ++j) now_ -= h * gauss_weights[j] * next_[j];
  const double part = now_.cwiseAbs().cwiseQuotient(size_).maxCoeff();
  if (!(part < part_)) return;
  part_ = part, best_ = x_;
  value_ = (now_ / h - jacobian_ * now_).lpNorm<Eigen::Infinity>();
}

}  // namespace saltus
