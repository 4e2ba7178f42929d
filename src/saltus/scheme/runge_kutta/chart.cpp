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

}  // namespace saltus
