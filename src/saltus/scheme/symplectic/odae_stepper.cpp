#include "saltus/scheme/symplectic/odae_stepper.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"

namespace saltus {

OdaeStepper::OdaeStepper(std::shared_ptr<const OdaeSystem> system, int guesses, bool project)
    : system_(std::move(system)),
      checked_(*system_, faults()),
      hidden_(*system_, faults()),
      guesses_(guesses),
      project_(project) {
  g_ = rate_ = psi_ = Vec::Zero(system_->m());
}

std::span<const int> OdaeStepper::active(const State& x) {
  active_.clear();
  for (int i = 0; i < system_->m(); ++i) {
    const auto* record = x.contacts.find(system_->contact_id(i));
    if (!system_->constraints()[i].unilateral || (record && record->resting)) active_.push_back(i);
  }
  return active_;
}

void OdaeStepper::note_contact(State& x, int i, double impulse, bool resting) {
  const auto offset = static_cast<int>(x.contacts.impulse.size());
  x.contacts.closed.push_back({system_->contact_id(i), offset, 1, true, resting, Mode::closed});
  x.contacts.impulse.push_back(impulse);
}

void OdaeStepper::restart(State& x, std::span<const int> closed) {
  const int m = system_->m();
  x.contacts.clear();
  for (int i : closed)
    if (system_->constraints()[i].unilateral) note_contact(x, i, 0, true);
  for (int k = 1; k <= guesses_; ++k) x.aux.segment(k * m, m) = x.aux.head(m);
}

State OdaeStepper::start(double t, In q, In u) {
  const OdaeSystem& s = *system_;
  const int m = s.m();
  State x;
  x.t = t, x.q = q, x.u = u;
  if (project_) {
    std::vector<int> list;
    checked_.gap(t, q, g_);
    for (int i = 0; i < m; ++i)
      if (!s.constraints()[i].unilateral || g_[i] < 0) list.push_back(i);
    if (!hidden_.project(t, x.q, x.u, list))
      fail("the start could not be projected on the constraints at t = {}: start closer to them", t);
  }
  check_consistent(s, t, x.q, x.u);
  Vec psi(m);
  for (int i = 0; i < m; ++i) psi[i] = s.first_multiplier(i);
  const std::vector<int> closed = touching_constraints(s, t, x.q, x.u, false);
  const bool solved = hidden_.complementary_multipliers(t, x.q, x.u, closed, psi);
  if (const double regular = hidden_.regularity(closed); !(regular > 1e-13))
    fail(
        "g_y v_z r_psi is singular at the start, t = {}: its smallest singular value is {:.1e} of its size, "
        "so the "
        "multipliers are not determined; drop constraints that say the same, and see that psi acts on each",
        t, regular);
  if (!solved)
    fail(
        "the multipliers at the start, t = {}, were not found: Newton's last change is {:.2g}; give the "
        "system a "
        "first_multiplier near them",
        t, hidden_.change());
  x.aux = Vec::Zero(m * (1 + guesses_));
  x.aux.head(m) = psi;
  std::vector<int> pushing;
  for (int i : closed)
    if (!s.constraints()[i].unilateral || psi[i] > 0) pushing.push_back(i);
  restart(x, pushing);
  return x;
}

// ψ from the hidden constraint at the end, and what is left of g and γ there.
void OdaeStepper::finish(const State& x0, double h, State& x1, StepReport& report) {
  const int m = system_->m();
  x1.t = x0.t + h;
  if (report.status == StepStatus::ok && !(finite(x1.q) && finite(x1.u)))
    report.status = StepStatus::not_finite;
  if (report.status != StepStatus::ok) return;
  const auto now = active(x1);
  psi_ = x0.aux.head(m);
  for (int i : now)
    if (psi_[i] == 0) psi_[i] = system_->first_multiplier(i);
  if (!hidden_.multipliers(x1.t, x1.q, x1.u, now, psi_)) {
    report.status = StepStatus::singular;
    report.stage_residual = hidden_.change();
    return;
  }
  x1.aux.head(m) = psi_;
  checked_.gap(x1.t, x1.q, g_);
  checked_.rate(x1.t, x1.q, x1.u, rate_);
  for (int i = 0; i < m; ++i)
    if (system_->constraints()[i].unilateral) report.min_gap = std::min(report.min_gap, g_[i]);
  for (int i : now) {
    report.joint_position = std::max(report.joint_position, std::abs(g_[i]));
    report.joint_velocity = std::max(report.joint_velocity, std::abs(rate_[i]));
  }
}

// With the contacts of x0.
void OdaeStepper::finish_locked(const State& x0, double h, State& x1, StepReport& report) {
  x1.contacts = x0.contacts;
  finish(x0, h, x1, report);
  x1.contacts.clear();
  for (int i : active_)
    // where ψ jumps below zero (a corner begins) the step ends with the value after the jump: it did not act
    if (system_->constraints()[i].unilateral) note_contact(x1, i, h * std::max(0.0, x1.aux[i]), true);
  u_minus_.assign(x1.contacts.impulse.size(), 0.0);
  u_plus_.assign(x1.contacts.impulse.size(), 0.0);
  x1.contacts.step = h;
  report.u_minus = u_minus_, report.u_plus = u_plus_;
}

}  // namespace saltus
