#include "saltus/scheme/contact_stage.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {

ContactStage::ContactStage(const System& system, const SolverSpec& solver)
    : system_(system), solver_(make_contact_solver(solver)) {}

void ContactStage::activate(const ContactSet& set, double lead, const double* gamma) {
  active_.clear();
  const auto laws = system_.laws();
  const int n = static_cast<int>(set.contacts.size());
  for (int i = 0; i < n; ++i) {
    const Contact& c = set.contacts[i];
    const double ahead = lead != 0 ? lead * gamma[c.row] : 0.0;
    if (set.gap[c.row] + ahead <= 0 || !needs_closed_gap(laws[c.law])) active_.push_back(i);
  }
}

void ContactStage::velocities(const ContactSet& set, const Vec& u, std::vector<double>& gamma) {
  const int n = set.rows();
  gamma.resize(n);
  for (int r = 0; r < n; ++r) gamma[r] = set.Wt.dot(r, u.data()) + set.drift[r];
}

SolveReport ContactStage::solve(const ContactSet& set, const Factor& A, bool fresh, double dt,
                                const std::vector<double>& gamma_minus, const ContactMemory& memory, Vec& v) {
  if (active_.empty()) return {true, 0, 0, -1};
  const auto laws = system_.laws();
  if (fresh || !built_ || active_ != built_for_) {
    Wt_.clear();
    sizes_.clear();
    problem_.laws.clear();
    for (int i : active_) {
      const Contact& c = set.contacts[i];
      const int n = rows(laws[c.law]);
      sizes_.push_back(n);
      problem_.laws.push_back(&laws[c.law]);
      for (int r = 0; r < n; ++r) Wt_.append_row(std::as_const(set.Wt).row(c.row + r));
    }
    problem_.G.build(A, Wt_, sizes_);
    built_for_ = active_;
    built_ = true;
  }
  const int m = Wt_.rows();
  problem_.c.resize(m);
  problem_.dt = dt;
  P_.resize(m);
  auto remembered = memory.closed.begin();  // both lists have increasing ids
  for (std::size_t k = 0, row = 0; k < active_.size(); row += sizes_[k], ++k) {
    const Contact& c = set.contacts[active_[k]];
    restitution(laws[c.law], gamma_minus.data() + c.row, problem_.c.data() + row);
    for (int r = 0; r < sizes_[k]; ++r) {
      problem_.c[row + r] += Wt_.dot(static_cast<int>(row) + r, v.data()) + set.drift[c.row + r];
      P_[row + r] = 0;
    }
    while (remembered != memory.closed.end() && remembered->id < c.id) ++remembered;
    if (remembered != memory.closed.end() && remembered->id == c.id)
      std::copy_n(memory.impulse.begin() + remembered->offset, sizes_[k], P_.begin() + static_cast<long>(row));
  }
  const SolveReport report = solver_->solve(problem_, Eigen::Map<Vec>(P_.data(), m));
  impulse_.assign(static_cast<std::size_t>(A.size()), 0.0);
  bool any = false;
  for (int r = 0; r < m; ++r)
    if (P_[r] != 0) Wt_.add_to(r, P_[r], impulse_.data()), any = true;
  if (any) {
    A.solve(impulse_.data());
    v += Eigen::Map<const Vec>(impulse_.data(), v.size());
  }
  return report;
}

void ContactStage::finish(const ContactSet& set, const std::vector<double>& gamma_minus, const Vec& v, double dt,
                          ContactMemory& memory, StepReport& report) {
  memory.clear();
  u_minus_.clear();
  u_plus_.clear();
  if (active_.empty()) return;
  const auto laws = system_.laws();
  double y[max_block_rows], e[max_block_rows];
  for (std::size_t k = 0, row = 0; k < active_.size(); row += sizes_[k], ++k) {
    const Contact& c = set.contacts[active_[k]];
    const Law& law = laws[c.law];
    const double* P = P_.data() + row;
    restitution(law, gamma_minus.data() + c.row, e);
    for (int r = 0; r < sizes_[k]; ++r)
      y[r] = Wt_.dot(static_cast<int>(row) + r, v.data()) + set.drift[c.row + r] + e[r];
    const Mode m = mode(law, dt, prox_step(problem_, static_cast<int>(k)), P, y);
    if (m == Mode::open) continue;
    const int n = sizes_[k];
    memory.closed.push_back({c.id, static_cast<int>(memory.impulse.size()), static_cast<std::uint8_t>(n),
                             needs_closed_gap(law), m});
    for (int r = 0; r < n; ++r) {
      memory.impulse.push_back(P[r]);
      u_minus_.push_back(gamma_minus[c.row + r]);
      u_plus_.push_back(y[r] - e[r]);
      if (std::holds_alternative<Equality>(law)) report.joint_velocity = std::max(report.joint_velocity, std::abs(y[r]));
    }
  }
  report.u_minus = u_minus_;
  report.u_plus = u_plus_;
}

void ContactStage::add_impulse(const ContactSet&, Vec& y) const {
  for (int r = 0; r < Wt_.rows(); ++r)
    if (P_[r] != 0) Wt_.add_to(r, P_[r], y.data());
}

}  // namespace saltus
