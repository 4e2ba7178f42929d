#include "saltus/scheme/runge_kutta/controlled_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saltus {
namespace {

constexpr int patience = 4;          // steps of Radau that do not pay, before it gives back
constexpr int proven = 20;           // steps of Radau after which its trial counts as a success
constexpr double much_faster = 200;  // radians of the fastest motion in a period of what is seen
constexpr double matters = 0.8;      // h|λ| from which on that motion may be what keeps steps short

// The errors of Radau's dense output and of its estimate go with h^{s+1}.
int stages_for(double rtol) {
  return rtol > 1e-4 ? 3 : rtol > 1e-9 ? 5 : 7;
}

}  // namespace

ControlledFlow::ControlledFlow(const System& system, const DensePair& pair, double rtol, Faults& faults)
    : Flow(system, faults),
      pair_(dynamics_, pair, system.shape().nu),
      rtol_(rtol),
      rate_(system.shape().nu),
      a_(Vec::Zero(system.shape().nu)) {}

RadauStep& ControlledFlow::radau() {
  if (!radau_) {
    radau_.emplace(dynamics_, stages_for(rtol_), static_cast<int>(a_.size()));
    radau_->stay_before(stop_);
  }
  return *radau_;
}

StepStatus ControlledFlow::attempt(double t, const Vec& q, const Vec& u, double h,
                                   const ErrorScales& scales) {
  if (!next_ && since_ >= wait_ && is_stiff(t, q, u, scales))
    next_ = true, stay_ = doubts_ = 0, radau().forget();
  stiff_ = next_, h_ = h;
  if (stiff_) radau();
  return active().attempt(t, q, u, h, scales);
}

// Where a step begins, with the length of the one before.
bool ControlledFlow::is_stiff(double t, const Vec& q, const Vec& u, const ErrorScales& scales) {
  const int steps = std::exchange(since_, 0);
  if (evaluate(t, q, u, a_) != StepStatus::ok) return false;
  const ClosedDynamics::Linearisation& at = dynamics_.linearise(t, q, u, a_);
  note_pull(at, q);
  const double rate = rate_.estimate(dynamics_, at, scales);
  const bool apart = rate * scales.period > much_faster;
  const bool stiff = h_ * rate > (apart ? matters : pair_.pair().stiff_limit);
  if (stiff && apart) short_steps_ += steps, fastest_ = std::max(fastest_, rate);
  return stiff;
}

// Rotations have other coordinates than displacements; what is stiff there is not looked at.
void ControlledFlow::note_pull(const ClosedDynamics::Linearisation& at, const Vec& q) {
  if (q.size() != a_.size()) return;
  pull_.setZero(q.size()), slope_.setZero(q.size());
  at.by_q->for_each([&](int i, int j, double k) {
    pull_[i] += std::abs(k * q[j]);
    if (i == j) slope_[i] = std::abs(k);
  });
}

double ControlledFlow::rounding(int i, double m, double h) const {
  constexpr double several = 4 * std::numeric_limits<double>::epsilon();
  if (pull_.size() == 0 || !(m > 0)) return 0;
  const double fast = std::sqrt(slope_[i] / m);
  return several * pull_[i] / m * (fast * h > 1 ? 1 / fast : h);
}

StepStatus ControlledFlow::end_at(double t, const Vec& q, const Vec& u, double h, const ErrorScales& scales) {
  radau_->sharpen(true);  // what Newton's method leaves of what is fast would be followed by the next step
  const StepStatus status = radau_->attempt(t, q, u, h, scales);
  radau_->sharpen(false);
  if (status == StepStatus::ok) radau_->accept(), h_ = h;
  return status;
}

StepStatus ControlledFlow::step(double /*t*/, const Vec& /*q*/, const Vec& /*u*/, double s, Vec& q1,
                                Vec& u1) {
  return active().inside(s, q1, u1);
}

double ControlledFlow::accept(const ErrorScales& scales) {
  if (stiff_) return after_radau(scales);
  ++since_;
  return infinity;
}

// Costs are compared in evaluations of a(t, q, u).
double ControlledFlow::after_radau(const ErrorScales& scales) {
  radau_->accept();
  ++stiff_steps_, ++stay_;
  const double stable = pair_.pair().stiff_limit / rate_.estimate(dynamics_, radau_->linearisation(), scales);
  const double cost = 1 + radau_->stages() * (1 + radau_->iterations());  // factors count as one iteration
  doubts_ = h_ * pair_.pair().stages < stable * cost ? doubts_ + 1 : 0;
  if (doubts_ < patience) return infinity;
  next_ = false, since_ = 0;
  wait_ = stay_ > proven ? least_wait : std::min(2 * wait_, longest_wait);
  return stable;
}

}  // namespace saltus
