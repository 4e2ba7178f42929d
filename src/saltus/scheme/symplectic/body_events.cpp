#include "saltus/scheme/symplectic/body_events.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/linalg/loops.hpp"

namespace saltus {
namespace {
constexpr double rounding_of_rest = 2e-11;  // of an acceleration, relative to those without contacts
}

BodyEvents::BodyEvents(const System& system, const SolverSpec& solver, Faults& faults)
    : system_(system, faults),
      shape_(system.shape()),
      stage_(system, solver),
      solver_(make_contact_solver(solver)),
      rounding_(shape_),
      M_(shape_.nu, shape_.mass) {
  free_.setZero(shape_.nu), force_.setZero(shape_.nu);
}

bool BodyEvents::look(double t, const Vec& q, const Vec& u, double h) {
  h_ = h;
  if (shape_.changing_contacts)
    system_.list_moving(t, q, u, h, set_);
  else
    system_.list(t, q, set_);
  system_.directions(t, q, set_);
  system_.bias(t, q, u, set_);
  M_.set_zero();
  system_.mass(t, q, M_);
  rounding_.weigh(M_);
  rounding_.note(q);
  if (!factor_.factorize(M_)) return false;
  assign(u, u_);
  system_.force(t, q, u, free_);
  factor_.solve(free_.data());
  gamma_.resize(set_.rows());
  for (int r = 0; r < set_.rows(); ++r) gamma_[r] = set_.Wt.dot(r, u.data()) + set_.drift[r];
  assign(free_, swing_);
  joint_rows_.clear(), joint_lambda_.clear();
  for (const Contact& c : set_.contacts)
    if (const auto* joint = std::get_if<Equality>(&system_.laws()[c.law]))
      for (int r = c.row; r < c.row + joint->size; ++r) {
        joint_rows_.append_row(std::as_const(set_.Wt).row(r));
        joint_lambda_.push_back(-set_.Wt.dot(r, free_.data()) - set_.bias[r]);
      }
  if (!joint_lambda_.empty() && joints_.factorize(factor_, joint_rows_)) {
    joints_.solve(joint_lambda_.data());
    joints_.add(joint_lambda_.data(), swing_.data());
  }
  return finite(free_);
}

double BodyEvents::scale(int row) const {
  double sum = std::abs(set_.bias[row]);
  for (const auto& e : set_.Wt.row(row)) sum += std::abs(e.value * swing_[e.column]);
  return sum;
}

// An impact takes no time: laws with limits have no impulse in it.
SolveReport BodyEvents::impact(std::span<const std::uint64_t> hitting, State& x, StepReport& report) {
  constexpr double no_time = 0;
  const ContactMemory nothing;
  stage_.force(hitting);
  stage_.set_touch(&rounding_);
  stage_.survey(set_, u_, {.lead = 0, .end = {0, 1}}, no_time, nothing, report);
  assign(u_, x.u);
  const SolveReport solved = stage_.solve(set_, factor_, true, no_time, nothing, x.u);
  if (!solved.solved) stage_.blame(set_, solved, report);
  report.contact_iterations += solved.iterations;
  report.contact_residual = solved.residual, report.contact_violation = stage_.violation();
  stage_.finish(set_, u_, x.u, no_time, nothing, x.contacts, report);
  return solved;
}

SolveReport BodyEvents::settle(std::span<const Candidate> candidates, std::vector<HeldContact>& held) {
  held.clear();
  blocks_.clear(), sizes_.clear(), rows_.clear(), slides_.clear();
  problem_.laws.clear();
  const auto laws = system_.laws();
  auto next = candidates.begin();
  force_.setZero();
  for (int i = 0; i < static_cast<int>(set_.contacts.size()); ++i) {
    const Contact& c = set_.contacts[i];
    const Law& law = laws[c.law];
    while (next != candidates.end() && next->contact < i) ++next;
    const bool candidate = next != candidates.end() && next->contact == i;
    if (!candidate && !std::holds_alternative<Equality>(law)) continue;
    const bool slides = candidate && next->slides;
    if (slides && !needs_closed_gap(law)) {  // at its limit
      double P[max_block_rows];
      for (int r = 0; r < rows(law); ++r) P[r] = -1e100 * course(law, c.row + r);
      prox(law, 1, P);
      for (int r = 0; r < rows(law); ++r) set_.Wt.add_to(c.row + r, P[r], force_.data());
      held.push_back({c.id, course(law, c.row) < 0 && rows(law) == 1 ? Mode::slip_back : Mode::slip});
      continue;
    }
    const int n = slides ? 1 : rows(law);
    blocks_.push_back(i), sizes_.push_back(n), slides_.push_back(slides);
    problem_.laws.push_back(slides ? &frictionless_ : &law);
    for (int r = 0; r < n; ++r) rows_.push_back(c.row + r);
  }
  const int m = static_cast<int>(rows_.size());
  factor_.solve(force_.data());
  force_ += free_;
  problem_.dt = 1;
  problem_.c.resize(m);
  G_.resize(static_cast<std::size_t>(m) * m);
  for (int k = 0, b = 0, left = m > 0 ? sizes_[0] : 0; k < m; ++k, --left) {
    if (left == 0) left = sizes_[++b];
    problem_.c[k] = set_.Wt.dot(rows_[k], force_.data()) + set_.bias[rows_[k]];
    column_.assign(shape_.nu, 0.0);
    set_.Wt.add_to(rows_[k], 1, column_.data());
    if (const auto* law = std::get_if<Coulomb>(&laws[set_.contacts[blocks_[b]].law]); law && slides_[b]) {
      double size = 0;
      for (int j = 1; j <= law->tangents; ++j) size = std::hypot(size, gamma_[rows_[k] + j]);
      for (int j = 1; j <= law->tangents && size > 0; ++j)
        set_.Wt.add_to(rows_[k] + j, -law->mu * gamma_[rows_[k] + j] / size, column_.data());
    }
    factor_.solve(column_.data());
    for (int j = 0; j < m; ++j)
      G_[static_cast<std::size_t>(j) * m + k] = set_.Wt.dot(rows_[j], column_.data());
  }
  SolveReport report{.solved = true};
  if (m == 0) return report;
  problem_.G.build_dense(G_, sizes_);
  P_.assign(m, 0.0), y_.resize(m);
  report = solver_->solve(problem_, Eigen::Map<Vec>(P_.data(), m));
  if (!report.solved) return report;
  problem_.G.apply(P_.data(), y_.data());
  double still = 0;
  for (const double c : problem_.c) still = std::max(still, rounding_of_rest * std::abs(c));
  for (int b = 0, k = 0; b < static_cast<int>(blocks_.size()); k += sizes_[b], ++b) {
    const Contact& c = set_.contacts[blocks_[b]];
    if (std::holds_alternative<Equality>(laws[c.law])) continue;
    for (int r = 0; r < sizes_[b]; ++r) y_[k + r] += problem_.c[k + r];
    Mode now = mode(*problem_.laws[b], 1, prox_step(problem_, b), P_.data() + k, y_.data() + k);
    // Where contacts are redundant a force may be at its limit though nothing moves.
    const bool gap = needs_closed_gap(laws[c.law]);
    if (now == Mode::open && gap && y_[k] > still) continue;
    bool moves = false;
    for (int r = gap ? 1 : 0; r < sizes_[b]; ++r) moves = moves || std::abs(y_[k + r]) > still;
    if (now == Mode::open || (!is_constraint(now) && !moves))
      now = sizes_[b] > (gap ? 1 : 0) ? Mode::stick : Mode::closed;
    if (slides_[b] && rows(laws[c.law]) > 1)
      now = rows(laws[c.law]) == 2 && gamma_[c.row + 1] < 0 ? Mode::slip_back : Mode::slip;
    held.push_back({c.id, now});
  }
  std::sort(held.begin(), held.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return report;
}

bool BodyEvents::forces(std::uint64_t id, std::span<double> out) const {
  const auto laws = system_.laws();
  for (int b = 0, k = 0; b < static_cast<int>(blocks_.size()); k += sizes_[b], ++b) {
    const Contact& c = set_.contacts[blocks_[b]];
    if (c.id != id) continue;
    std::copy_n(P_.begin() + k, std::min<std::size_t>(sizes_[b], out.size()), out.begin());
    const auto* law = std::get_if<Coulomb>(&laws[c.law]);
    if (!slides_[b] || !law) return true;
    double size = 0;
    for (int j = 1; j <= law->tangents; ++j) size = std::hypot(size, gamma_[c.row + j]);
    for (int j = 1; j <= law->tangents && size > 0; ++j) out[j] = -law->mu * P_[k] * gamma_[c.row + j] / size;
    return true;
  }
  return false;
}

}  // namespace saltus
