// Event capturing: how redundant contacts share the load. Where they slide, the motion depends on it, and
// nothing in the model says how they do: least norms where those obey the laws, otherwise the forces of the
// acceleration problem. A companion run may take other shares, to show what depends on the choice.
#include <algorithm>
#include <cmath>

#include "saltus/run/event_capturing.hpp"

namespace saltus {

// False: no accelerations, or they do not depend on the shares.
bool EventCapture::try_shares(std::span<const Load> loads) {
  ClosedDynamics& d = flow_->dynamics();
  d.share_load(loads);
  flow_->freeze(closed_);
  d.begin_step();
  return accelerate(x_.t, x_.q, x_.u) == StepStatus::ok && d.load_matters();
}

void EventCapture::share_loads() {
  const auto slips = [](const FrozenContact& f) { return !is_constraint(f.mode); };
  if (std::any_of(closed_.begin(), closed_.end(), slips) && try_shares({})) {
    if (obeys_laws()) loads_.clear();
    if (other_shares() > 0 && take_other_shares()) return;
  }
  flow_->dynamics().share_load(loads_);
}

// Those of now, changed from contact to contact: one way or the other, as far as no contact pulls.
bool EventCapture::take_other_shares() {
  constexpr double least = 0.05;  // what is tilted may pull: the shares next to it count
  std::vector<Load> base = loads_, tilted;
  const ClosedDynamics& d = flow_->dynamics();
  for (const Contact& c : d.contacts().contacts) {
    if (!loads_.empty() || !frozen(c.id)) continue;
    Load load{c.id, {}};
    for (int r = 0; r < rows(system_.laws()[c.law]); ++r) load.force[r] = d.lambda(c.row + r);
    base.push_back(load);
  }
  for (double tilt = other_shares(); std::abs(tilt) > least; tilt *= tilt > 0 ? -1 : -0.5) {
    tilted = base;
    tilt_loads(tilted, tilt);
    if (!try_shares(tilted) || !obeys_laws()) continue;
    loads_ = tilted;
    return true;
  }
  return false;
}

}  // namespace saltus
