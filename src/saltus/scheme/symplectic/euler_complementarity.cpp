// Complementarity time stepping with the true symplectic Euler method, of order 1, events are not located:
//
//   1. positions: closed contacts stay closed, others join where y₁ would penetrate;
//   2. velocities: 0 ≤ Ψ₁ ⊥ γ(y₁,z₁) − γ* ≥ 0 on the contacts of 1., γ* = −e γ⁻ for those that land, else 0.
//
// A contact is closed after the step iff Ψ₁ > 0 and γ = 0. Ψ₁ of true is the whole multiplier, the only one
// whose sign says something: Ψ₀, and Ψ₁ of natural, are parts of it that change sign somewhere else. Landing
// contacts act without friction in the step that closes them: a power law of friction has no impulse.
#include <algorithm>

#include "saltus/linalg/loops.hpp"
#include "saltus/scheme/symplectic/symplectic_euler_stepper.hpp"

namespace saltus {
namespace {

void insert(std::vector<int>& list, int i) {
  list.insert(std::lower_bound(list.begin(), list.end(), i), i);
}
void erase(std::vector<int>& list, int i) {
  list.erase(std::find(list.begin(), list.end(), i));
}
bool holds(const std::vector<int>& list, int i) {
  return std::binary_search(list.begin(), list.end(), i);
}

}  // namespace

StepStatus SymplecticEulerStepper::settle_position(const EulerStart& start) {
  const int m = system_->m(), rounds = 4 * m + 4;
  for (int k = 0; k < rounds; ++k) {
    const StepStatus status = map_.first_stage(start, first_, Psi0_);
    if (status != StepStatus::ok) return status;
    checked_.gap(start.t + start.h, map_.y(), g_);
    int worst = -1, pulls = -1;
    for (int i = 0; i < m; ++i) {
      if (!holds(first_, i) && g_[i] < 0 && (worst < 0 || g_[i] < g_[worst])) worst = i;
      if (holds(first_, i) && !forced_[i] && Psi0_[i] < 0) pulls = i;
    }
    if (pulls < 0 && worst < 0) return StepStatus::ok;
    disputed_ = worst >= 0 ? worst : pulls;
    if (worst >= 0) {
      insert(first_, worst);
      map_.landing()[worst] = 1;
      Psi0_[worst] = 0;
    } else {
      erase(first_, pulls);
      map_.landing()[pulls] = 0;
    }
  }
  return StepStatus::contact_unsolved;
}

StepStatus SymplecticEulerStepper::settle_velocity(const EulerStart& start) {
  const int m = system_->m(), rounds = 4 * m + 4;
  second_ = first_;
  for (int k = 0; k < rounds; ++k) {
    const StepStatus status = map_.second_stage(start, second_, target_, Psi0_, Psi1_);
    if (status != StepStatus::ok) return status;
    checked_.rate(start.t + start.h, map_.y(), map_.z(), rate_);
    const double rounding = 1e-13 * largest(map_.z());
    int pulls = -1, sinks = -1;
    for (int i : first_) {
      if (!system_->constraints()[i].unilateral) continue;
      if (holds(second_, i) && Psi1_[i] < 0 && (pulls < 0 || Psi1_[i] < Psi1_[pulls])) pulls = i;
      if (!holds(second_, i) && rate_[i] - target_[i] < -rounding) sinks = i;
    }
    if (pulls < 0 && sinks < 0) return StepStatus::ok;
    disputed_ = pulls >= 0 ? pulls : sinks;
    if (pulls >= 0)
      erase(second_, pulls);
    else
      insert(second_, sinks), Psi1_[sinks] = 0;
  }
  return StepStatus::contact_unsolved;
}

// γ* of the contacts that land; a flight shorter than the step is none.
void SymplecticEulerStepper::choose_rebounds(const State& x0, double h) {
  const auto& landing = map_.landing();
  std::fill(target_.begin(), target_.end(), 0.0);
  if (std::find(landing.begin(), landing.end(), 1) == landing.end()) return;
  psi_ = x0.aux.head(system_->m());
  const Vec& pull = hidden_.accelerations(x0.t, x0.q, x0.u, psi_);
  for (int i = 0; i < system_->m(); ++i) {
    const double back = -system_->constraints()[i].e * rate0_[i];
    if (landing[i] && (pull[i] >= 0 || 2 * back > -h * pull[i])) target_[i] = back;
  }
}

StepReport SymplecticEulerStepper::complementarity_step(const State& x0, double h, State& x1) {
  const int m = system_->m();
  const EulerStart start{x0.t, h, parts_[0].alpha, x0.q, x0.u};
  map_.iterations = map_.evaluations = 0;
  std::fill(map_.landing().begin(), map_.landing().end(), 0);
  checked_.rate(x0.t, x0.q, x0.u, rate0_);
  const auto closed = active(x0);
  first_.assign(closed.begin(), closed.end());
  std::fill(forced_.begin(), forced_.end(), 0);
  for (int i : first_) forced_[i] = 1;
  Psi0_ = x0.aux.segment(m, m), Psi1_ = x0.aux.segment(2 * m, m);

  StepReport report;
  report.status = settle_position(start);
  if (report.status == StepStatus::ok) {
    choose_rebounds(x0, h);
    report.status = settle_velocity(start);
  }
  assign(x0.aux, x1.aux);
  x1.contacts.clear();
  u_minus_.clear(), u_plus_.clear();
  if (report.status == StepStatus::ok) {
    assign(map_.y(), x1.q), assign(map_.z(), x1.u);
    x1.aux.segment(m, m) = Psi0_, x1.aux.segment(2 * m, m) = Psi1_;
    for (int i : second_) {
      if (!system_->constraints()[i].unilateral || !(Psi1_[i] > 0)) continue;
      note_contact(x1, i, h * Psi1_[i], target_[i] == 0);
      u_minus_.push_back(rate0_[i]), u_plus_.push_back(rate_[i]);
      report.contact_loss -= 0.5 * h * Psi1_[i] * (rate0_[i] + rate_[i]);
    }
    x1.contacts.step = h;
  } else if (report.status == StepStatus::contact_unsolved) {
    report.bad_contact = system_->contact_id(disputed_);
  }
  report.newton_iterations = map_.iterations, report.force_evaluations = map_.evaluations;
  report.stage_residual = map_.change();
  finish(x0, h, x1, report);
  for (int i = 0; i < m; ++i)  // an impact is no guess for a force
    if (map_.landing()[i]) x1.aux[m + i] = x1.aux[2 * m + i] = x1.aux[i];
  report.u_minus = u_minus_, report.u_plus = u_plus_;
  return report;
}

}  // namespace saltus
