#include "saltus/scheme/runge_kutta/stage_solver.hpp"

#include <algorithm>
#include "saltus/linalg/decompositions.hpp"

namespace saltus {

StageSolver::StageSolver(const Tableau& tableau) {
  const int s = tableau.stages();
  const Eigenvectors A = eigenvectors(tableau.A);
  for (int k = 0; k < s; ++k) {
    const Complex mu = A.values[k];
    if (mu.imag() < 0) continue;  // its conjugate is there
    if (mu.imag() == 0) {
      auto& shift = real_.emplace_back();
      shift.eigenvalue = std::abs(mu.real()) < 1e-14 ? 0.0 : mu.real();
      for (int i = 0; i < s; ++i)
        shift.left.push_back(A.left(k, i).real()), shift.right.push_back(A.right(i, k).real());
    } else {
      auto& shift = pairs_.emplace_back();
      shift.eigenvalue = mu;
      for (int i = 0; i < s; ++i)
        shift.left.push_back(A.left(k, i)), shift.right.push_back(2.0 * A.right(i, k));
    }
  }
}

template <class Scalar>
bool StageSolver::factorize(Shift<Scalar>& shift, double h) {
  if (shift.eigenvalue == Scalar{0}) return true;
  using Saddle = SaddleFactor<Scalar>;
  const Scalar by_u = h * shift.eigenvalue, by_q = by_u * by_u;
  const typename Saddle::Block blocks[] = {
      {1, at_->mass}, {-by_u, at_->by_u}, {-by_q, at_->by_q}, {-by_u, at_->friction}};
  const typename Saddle::Rows rows[] = {{1, at_->Wt}, {2.0 * by_u, at_->rate}, {by_q, at_->acceleration}};
  typename Saddle::Terms terms{std::span(blocks).first(at_->friction ? 4 : 3), {}, nullptr};
  if (at_->Wt->rows() > 0) terms.Wt = std::span(rows).first(at_->rate ? 3 : 1), terms.Dt = at_->Dt;
  return shift.factor.factorize(terms) && shift.factor.perturbed() == 0;
}

bool StageSolver::factorize(const ClosedDynamics::Linearisation& at, double h) {
  at_ = &at, h_ = h;
  for (auto& shift : real_)
    if (!factorize(shift, h)) return false;
  for (auto& shift : pairs_)
    if (!factorize(shift, h)) return false;
  return true;
}

// x = shifted solve of a row of T⁻¹R
template <class Scalar>
void StageSolver::gather(Shift<Scalar>& shift, const std::vector<Vec>& R) {
  const int n = static_cast<int>(R.front().size()), m = at_->Wt->rows();
  shift.x.assign(static_cast<std::size_t>(2 * n) + m, Scalar{0});
  Scalar *x = shift.x.data(), *r = x + n + m;  // r behind x
  for (std::size_t i = 0; i < R.size(); ++i)
    if (const Scalar w = shift.left[i]; w != Scalar{0})
      for (int k = 0; k < n; ++k) r[k] += w * R[i][k];
  if (shift.eigenvalue == Scalar{0}) {
    std::copy_n(r, n, x);
    return;
  }
  at_->mass->for_each([=](int i, int j, double value) { x[i] += value * r[j]; });
  for (int k = 0; k < m; ++k)
    for (const auto& e : at_->Wt->row(k)) x[n + k] += e.value * r[e.column];
  shift.factor.solve(x);
}

namespace {

double real_product(double a, double b) {
  return a * b;
}
double real_product(const std::complex<double>& a, const std::complex<double>& b) {
  return a.real() * b.real() - a.imag() * b.imag();
}

}  // namespace

template <class Scalar>
void StageSolver::scatter(Shift<Scalar>& shift, std::vector<Vec>& out) const {
  const int n = static_cast<int>(out.front().size());
  for (std::size_t i = 0; i < out.size(); ++i)
    for (int k = 0; k < n; ++k) out[i][k] += real_product(shift.right[i], shift.x[k]);
}

void StageSolver::solve(std::vector<Vec>& R) {
  for (auto& shift : real_) gather(shift, R);
  for (auto& shift : pairs_) gather(shift, R);
  for (Vec& r : R) r.setZero();
  for (auto& shift : real_) scatter(shift, R);
  for (auto& shift : pairs_) scatter(shift, R);
}

double StageSolver::real_eigenvalue() const {
  double most = 0;
  for (const auto& shift : real_) most = std::max(most, shift.eigenvalue);
  return most;
}

// u' = (1 − hμ ∂a/∂u − h²μ² ∂a/∂q)⁻¹ (u + hμ ∂a/∂q q),  q' = q + hμ u'
void StageSolver::filter(Vec& q, Vec& u) {
  const double mu = real_eigenvalue();
  if (mu == 0) return;
  auto& shift = *std::find_if(real_.begin(), real_.end(), [&](const auto& s) { return s.eigenvalue == mu; });
  const int n = static_cast<int>(q.size()), m = at_->Wt->rows();
  shift.x.assign(static_cast<std::size_t>(n) + m, 0.0);
  double* x = shift.x.data();
  at_->mass->for_each([&](int i, int j, double value) { x[i] += value * u[j]; });
  at_->by_q->for_each([&](int i, int j, double value) { x[i] += h_ * mu * value * q[j]; });
  for (int k = 0; k < m; ++k) {
    for (const auto& e : at_->Wt->row(k)) x[n + k] += e.value * u[e.column];
    if (!at_->acceleration) continue;
    for (const auto& e : at_->acceleration->row(k)) x[n + k] -= h_ * mu * e.value * q[e.column];
  }
  shift.factor.solve(x);
  std::copy_n(x, n, u.data());
  q += h_ * mu * u;
}

}  // namespace saltus
