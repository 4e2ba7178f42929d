#include "saltus/scheme/runge_kutta/acceleration_problem.hpp"

#include <cmath>

#include "saltus/linalg/loops.hpp"

namespace saltus {

AccelerationProblem::AccelerationProblem(const System& system, const SolverSpec& solver, Faults& faults)
    : system_(system, faults),
      shape_(system.shape()),
      solver_(make_contact_solver(solver)),
      M_(shape_.nu, shape_.mass) {
  u_.setZero(shape_.nu);
  free_.setZero(shape_.nu);
}

bool AccelerationProblem::evaluate(double t, const Vec& q, const Vec& u) {
  system_.list(t, q, set_);
  system_.directions(t, q, set_);
  system_.bias(t, q, u, set_);
  system_.mass(t, q, M_);
  if (!factor_.factorize(M_)) return false;
  assign(u, u_);
  system_.force(t, q, u, free_);
  factor_.solve(free_.data());
  gamma_.resize(set_.rows());
  for (int r = 0; r < set_.rows(); ++r) gamma_[r] = set_.Wt.dot(r, u.data()) + set_.drift[r];
  return finite(free_);
}

double AccelerationProblem::scale(int row) const {
  double sum = std::abs(set_.bias[row]);
  for (const auto& e : set_.Wt.row(row)) sum += std::abs(e.value * free_[e.column]);
  return sum;
}

double AccelerationProblem::free_acceleration(int row) const {
  return set_.Wt.dot(row, free_.data()) + set_.bias[row];
}

// d = w_N − μ Σ s_k w_Tk for a sliding contact, else the row itself.
void AccelerationProblem::friction_column(const Row& r, double* d) const {
  set_.Wt.add_to(r.row, 1, d);
  if (r.sign == 0) return;
  const auto& law = std::get<Coulomb>(system_.laws()[set_.contacts[r.contact].law]);
  if (law.tangents == 1) {
    set_.Wt.add_to(r.row + 1, -law.mu * r.sign, d);
    return;
  }
  const double a = gamma_[r.row + 1], b = gamma_[r.row + 2], n = std::hypot(a, b);
  set_.Wt.add_to(r.row + 1, -law.mu * a / n, d);
  set_.Wt.add_to(r.row + 2, -law.mu * b / n, d);
}

bool AccelerationProblem::solve(std::span<const Candidate> candidates, std::vector<FrozenContact>& closed) {
  closed.clear();
  rows_.clear();
  sizes_.clear();
  problem_.laws.clear();
  const auto laws = system_.laws();
  auto next = candidates.begin();
  Vec force = free_;  // plus what sliding relays push
  for (int i = 0; i < static_cast<int>(set_.contacts.size()); ++i) {
    const Contact& c = set_.contacts[i];
    const Law& law = laws[c.law];
    while (next != candidates.end() && next->contact < i) ++next;
    const bool candidate = next != candidates.end() && next->contact == i;
    const int block = static_cast<int>(sizes_.size());
    if (needs_closed_gap(law)) {
      if (!candidate) continue;
      const bool slides = next->slides && std::holds_alternative<Coulomb>(law);
      if (slides) {
        rows_.push_back({c.row, i, block, gamma_[c.row + 1] < 0 ? -1.0 : 1.0});
        sizes_.push_back(1);
        problem_.laws.push_back(&frictionless_);
        continue;
      }
    } else if (candidate && next->slides) {  // a relay at its limit: a known force
      const auto& relay = std::get<Relay>(law);
      Vec push = Vec::Zero(shape_.nu);
      set_.Wt.add_to(c.row, gamma_[c.row] > 0 ? relay.lower : relay.upper, push.data());
      factor_.solve(push.data());
      force += push;
      closed.push_back({c.id, gamma_[c.row] > 0 ? Mode::slip : Mode::slip_back});
      continue;
    }
    for (int r = 0; r < rows(law); ++r) rows_.push_back({c.row + r, i, block, 0});
    sizes_.push_back(rows(law));
    problem_.laws.push_back(&law);
  }
  const int m = static_cast<int>(rows_.size()), n = shape_.nu;
  problem_.dt = 1;
  problem_.c.resize(m);
  G_.resize(static_cast<std::size_t>(m) * m);
  for (int k = 0; k < m; ++k) {
    problem_.c[k] = set_.Wt.dot(rows_[k].row, force.data()) + set_.bias[rows_[k].row];
    Z_.assign(n, 0.0);
    friction_column(rows_[k], Z_.data());
    factor_.solve(Z_.data());
    for (int j = 0; j < m; ++j)
      G_[static_cast<std::size_t>(j) * m + k] = set_.Wt.dot(rows_[j].row, Z_.data());
  }
  if (m > 0) {
    problem_.G.build_dense(G_, sizes_);
    P_.assign(m, 0.0);
    if (!solver_->solve(problem_, Eigen::Map<Vec>(P_.data(), m)).solved) return false;
  }
  std::vector<double> y(m);
  if (m > 0) problem_.G.apply(P_.data(), y.data());
  for (int k = 0; k < m; k += sizes_[rows_[k].block]) {
    const Row& r = rows_[k];
    const Contact& c = set_.contacts[r.contact];
    const Law& law = laws[c.law];
    if (std::holds_alternative<Equality>(law)) continue;
    for (int j = 0; j < sizes_[r.block]; ++j) y[k + j] += problem_.c[k + j];
    Mode now = mode(*problem_.laws[r.block], 1, prox_step(problem_, r.block), P_.data() + k, y.data() + k);
    if (now == Mode::open) continue;
    if (r.sign != 0) now = r.sign < 0 ? Mode::slip_back : Mode::slip;
    closed.push_back({c.id, now});
  }
  std::sort(closed.begin(), closed.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return true;
}

}  // namespace saltus
