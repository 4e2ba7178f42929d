#include "saltus/reference/gbs.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/linalg/loops.hpp"

namespace saltus {

Gbs::Gbs(int n) : f0_(n), f_(n), a_(n), b_(n), y1_(n), at_(n), row_(columns, Vec::Zero(n)) {}

// Increments from y, so that rounding shrinks with the step.
void Gbs::midpoint(const Rhs& f, double t, const Vec& y, double h, int n, Vec& out) {
  const double s = h / n;
  a_.setZero();
  combine(0, y, s, f0_, b_);
  for (int i = 1; i < n; ++i) {
    combine(1, y, 1, b_, at_);
    f(t + i * s, at_, f_);
    ++evaluations_;
    combine(1, a_, 2 * s, f_, a_);
    a_.swap(b_);
  }
  // Gragg's smoothing: it looks at the end of the step, or a kink in the last substep would stay unseen
  combine(1, y, 1, b_, at_);
  f(t + h, at_, f_);
  ++evaluations_;
  combine(0.5, a_, 0.5, b_, out);
  combine(1, out, 0.5 * s, f_, out);
}

double Gbs::step(const Rhs& f, double t, const Vec& y, double h, Vec& y1) {
  f(t, y, f0_);
  ++evaluations_;
  double error = infinity;
  for (int k = 0; k < columns; ++k) {
    midpoint(f, t, y, h, 2 * (k + 1), y1_);
    // row_[j] holds T_{k−1,j}; walk through the new row with y1_ = T_{k,j}
    for (int j = 0; j < k; ++j) {
      const double ratio = static_cast<double>(k + 1) / (k - j), w = 1 / (ratio * ratio - 1);
      double change = 0;
      for (Eigen::Index i = 0; i < y.size(); ++i) {
        const double d = w * (y1_[i] - row_[j][i]);
        row_[j][i] = y1_[i];
        y1_[i] += d;
        change = std::max(change, std::abs(d));
      }
      error = change * (1 + 1 / w);  // |T_kk − T_{k−1,k−1}|: rows of different steps, which no kink can fool
    }
    assign(y1_, row_[k]);
  }
  combine(1, y, 1, row_[columns - 1], y1);
  return finite(y1) ? error : infinity;
}

double Gbs::adaptive_step(const Rhs& f, double t, const Vec& y, double& h, double tolerance, Vec& y1) {
  const double allowed = std::max(tolerance, 1e-15) * std::max(largest(y), 1e-300);
  const double smallest = 1e-13 * std::max(std::abs(t), 1e-3);
  for (;;) {
    const double error = step(f, t, y, h, y1) / allowed;
    const double factor = 0.9 * std::pow(std::max(error, 1e-12), -1.0 / (2 * columns - 1));
    if (error <= 1 || h <= smallest) {
      const double taken = std::isfinite(error) ? h : 0;
      h *= std::clamp(factor, 0.5, 4.0);
      return taken;
    }
    h *= std::clamp(factor, 0.1, 0.8);
  }
}

}  // namespace saltus
