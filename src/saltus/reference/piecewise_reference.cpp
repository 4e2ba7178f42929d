#include "saltus/reference/piecewise_reference.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"

namespace saltus {

void PiecewiseReference::add(double t, Eigen::MatrixXd coefficients, bool new_motion) {
  if (!pieces_.empty() && t < pieces_.back().t) fail("pieces of a reference must come in increasing time");
  if (new_motion && !pieces_.empty()) breaks_.push_back(t);
  pieces_.push_back({t, std::move(coefficients)});
}

void PiecewiseReference::state(double t, Side side, Vec& q, Vec& u) const {
  const auto by_time = [](double x, const Piece& p) { return x < p.t; };
  const auto by_time_left = [](const Piece& p, double x) { return p.t < x; };
  auto it = side == Side::right ? std::upper_bound(pieces_.begin(), pieces_.end(), t, by_time)
                                : std::lower_bound(pieces_.begin(), pieces_.end(), t, by_time_left);
  const Piece& p = it == pieces_.begin() ? pieces_.front() : *std::prev(it);
  const double s = t - p.t;
  const int n = static_cast<int>(p.c.cols()), degree = static_cast<int>(p.c.rows()) - 1;
  q.resize(n);
  u.resize(n);
  for (int i = 0; i < n; ++i) {
    double x = 0, v = 0;
    for (int k = degree; k >= 0; --k) v = v * s + x, x = x * s + p.c(k, i);
    q[i] = x, u[i] = v;
  }
}

std::vector<double> PiecewiseReference::breaks(double t0, double t1) const {
  std::vector<double> out;
  for (double t : breaks_)
    if (t > t0 && t < t1 && (out.empty() || t > out.back())) out.push_back(t);
  return out;
}

}  // namespace saltus
