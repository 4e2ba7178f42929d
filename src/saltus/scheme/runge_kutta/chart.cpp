#include "saltus/scheme/runge_kutta/chart.hpp"

#include <cmath>

namespace saltus {

void Chart::solve(const Eigen::MatrixXd& A, double h, const std::vector<Vec>& V, std::vector<Vec>& phi,
                  std::vector<Vec>& rate) const {
  constexpr int most = 50;
  const int s = static_cast<int>(V.size());
  double last = infinity;
  for (int k = 0; k < most; ++k) {
    for (int i = 0; i < s; ++i) this->rate(phi[i], V[i], rate[i]);
    double change = 0, size = 0;
    for (int i = 0; i < s; ++i)
      for (Eigen::Index c = 0; c < phi[i].size(); ++c) {
        double x = 0;
        for (int j = 0; j < s; ++j) x += A(i, j) * rate[j][c];
        x *= h;
        change = std::max(change, std::abs(x - phi[i][c]));
        size = std::max(size, std::abs(x));
        phi[i][c] = x;
      }
    if (!(change > 1e-16 * size) || (change >= 0.5 * last && change < 1e-14 * size) || !std::isfinite(change))
      return;
    last = change;
  }
}

void Chart::spread(DensePiece& piece) const {
  if (flat_) return;
  constexpr int terms = DensePiece::max_terms;
  const int nq = static_cast<int>(base_.size()), nu = system_->shape().nu;
  // values at Chebyshev's points, both ends among them
  double x[terms];
  for (int k = 0; k < terms; ++k) x[k] = 0.5 * (1 - std::cos(std::acos(-1.0) * k / (terms - 1)));
  Vec values(nq * terms), v(nu), q(nq);
  for (int k = 0; k < terms; ++k) {
    dense_value(piece.q.data(), nu, piece.terms, x[k], v.data());
    system_->retract(base_, v, q);
    values.segment(nq * k, nq) = q;
  }
  // divided differences, then powers of x
  for (int d = 1; d < terms; ++d)
    for (int k = terms - 1; k >= d; --k)
      values.segment(nq * k, nq) =
          (values.segment(nq * k, nq) - values.segment(nq * (k - 1), nq)).eval() / (x[k] - x[k - d]);
  Vec powers = Vec::Zero(nq * terms);
  powers.head(nq) = values.segment(nq * (terms - 1), nq);
  for (int k = terms - 2; k >= 0; --k) {
    for (int d = terms - 1; d > 0; --d)
      powers.segment(nq * d, nq) = powers.segment(nq * (d - 1), nq) - x[k] * powers.segment(nq * d, nq);
    powers.head(nq) = values.segment(nq * k, nq) - x[k] * powers.head(nq);
  }
  dense_from_powers(powers.data(), nq, terms);
  Vec u = Vec::Zero(nu * terms);
  u.head(piece.u.size()) = piece.u;
  piece.terms = terms;
  piece.q.swap(powers), piece.u.swap(u);
}

// Coordinates that turn, as unit quaternions, are q cos(w t) + …: w follows from a second difference over a
// time in which they turn by little. An interpolation at 8 points of Chebyshev is off by (w h/2)⁸ / (8! 2⁶)
// then. No step turns a body by more than half a turn (2 w h = π), beyond which differences of rotations are
// another angle.
double Chart::longest(const Vec& q, const Vec& u, double h, double part) {
  if (flat_) return h;
  constexpr double bound = 40320 * 64, small = 0.01;
  static_assert(DensePiece::max_terms == 8);
  forth_.resize(q.size()), back_.resize(q.size());
  double w = 0;
  for (double s = h / 4; s > 0; s /= 8) {
    moved_ = s * u;
    system_->retract(q, moved_, forth_);
    moved_ = -moved_;
    system_->retract(q, moved_, back_);
    double second = 0;
    for (Eigen::Index k = 0; k < q.size(); ++k)
      second = std::max(second, std::abs((forth_[k] - q[k]) + (back_[k] - q[k])));
    w = std::sqrt(2 * second) / s;  // the largest of a quaternion's entries is a half at least
    if (!(second > small)) break;
  }
  const double turn =
      std::min(0.5 * std::acos(-1.0), 2 * std::pow(bound * part, 1.0 / DensePiece::max_terms));
  return w * h > turn ? turn / w : h;
}

}  // namespace saltus
