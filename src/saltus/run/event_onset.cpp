// Event capturing, slip in two directions that begins. The friction follows the velocity, and turns it
// towards its own direction at the rate (friction/mass)/speed, which is infinite at the start: no step of any
// length follows that with an explicit method, and errors of the velocity would decide. Until forces need
// about a step to turn the slip round, its direction is therefore the one in which the accelerations begin
// it, found anew where each step begins. It differs from that of the motion by what the direction turns while
// the slip is so slow: O(h^1.5) in the velocity (event-capturing.md).
#include <algorithm>
#include <cmath>

#include "saltus/run/contact_ids.hpp"
#include "saltus/run/event_capturing.hpp"

namespace saltus {
namespace {

// The rows in which a law slips in two directions: the first, and how many; none for other laws. Rolling
// friction decides by discs, and keeps what they began with.
int plane_rows(const Law& law, int& first) {
  first = needs_closed_gap(law) ? 1 : 0;
  if (!std::holds_alternative<Coulomb>(law) && !std::holds_alternative<Tresca>(law)) return 0;
  return rows(law) - first > 1 ? rows(law) - first : 0;
}

}  // namespace

// Speeds below have the direction of their accelerations while they grow.
double EventCapture::onset_speed() const {
  return std::max(slip_rounding(), acceleration_scale_ * onset_time());
}

// The speed of a slip in two directions, where the dynamics were evaluated last.
double EventCapture::onset_slip(const Contact& c, const Vec& u) const {
  int first = 0;
  double speed = 0;
  for (int r = 0, n = plane_rows(system_.laws()[c.law], first); r < n; ++r)
    speed = std::hypot(speed, flow_->dynamics().gamma(c.row + first + r, u));
  return speed;
}

double EventCapture::fastest_onset(const Vec& u) const {
  double speed = 0;
  for (const Contact& c : flow_->dynamics().contacts().contacts)
    if (contains(beginning_, c.id)) speed = std::max(speed, onset_slip(c, u));
  return speed;
}

// Contacts that were at rest and slip from this instant on. What an impact made slide has that slip, and no
// force says its direction.
void EventCapture::note_onsets(std::span<const AccelerationProblem::Candidate> candidates,
                               bool after_impact) {
  for (const auto& k : candidates) {
    if (after_impact && k.slides) std::erase(beginning_, k.how.id);
    const FrozenContact* f = frozen(k.how.id);
    int first = 0;
    if (f && !is_constraint(f->mode) && !k.slides && plane_rows(law_of(f->id), first) > 0)
      insert(beginning_, f->id);
  }
}

// Those that have slip by now, or no longer slip, leave the list; the others slip as accelerations are.
// True: directions changed.
bool EventCapture::steer_onsets() {
  if (beginning_.empty()) return false;
  const ClosedDynamics& d = flow_->dynamics();
  const double enough = onset_speed();
  std::vector<std::uint64_t> still;
  for (const Contact& c : d.contacts().contacts) {
    const FrozenContact* f = contains(beginning_, c.id) ? frozen(c.id) : nullptr;
    if (!f || is_constraint(f->mode)) continue;
    if (onset_slip(c, x_.u) <= enough) insert(still, c.id);
  }
  beginning_.swap(still);
  if (beginning_.empty() || accelerate(x_.t, x_.q, x_.u) != StepStatus::ok ||
      !accelerations_.evaluate(x_.t, x_.q, x_.u))
    return false;
  std::vector<AccelerationProblem::Candidate> candidates;
  const auto& contacts = accelerations_.contacts().contacts;
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i)
    if (const FrozenContact* f = frozen(contacts[i].id)) {
      const bool begins = contains(beginning_, f->id);
      candidates.push_back({i, !begins && !is_constraint(f->mode), *f});
      if (!begins) continue;
      candidates.back().how = {f->id, Mode::stick, {}};
      candidates.back().normal = std::max(0.0, normal_force(f->id));
    }
  std::vector<FrozenContact> now;
  if (!accelerations_.solve(candidates, tied_, now)) return false;
  bool turned = false;
  for (const auto& k : candidates)
    for (FrozenContact& f : closed_)
      if (f.id == k.how.id && contains(beginning_, f.id)) turned = oppose_force(k, f) || turned;
  return turned;
}

// A contact whose force is as good as at its limit slips against it: that of redundant contacts is on either
// side of the limit by what the solver leaves.
bool EventCapture::oppose_force(const AccelerationProblem::Candidate& k, FrozenContact& f) const {
  constexpr double enough = 0.99;
  const Contact& c = accelerations_.contacts().contacts[k.contact];
  const Law& law = system_.laws()[c.law];
  int first = 0;
  const int n = plane_rows(law, first);
  double force[2] = {}, size = 0, limit = 0;
  for (int r = 0; r < n; ++r) size = std::hypot(size, force[r] = accelerations_.force(c.row + first + r));
  if (const auto* rough = std::get_if<Coulomb>(&law)) limit = rough->mu * k.normal;
  if (const auto* tresca = std::get_if<Tresca>(&law)) limit = tresca->limit;
  if (!(size > enough * limit) || !(size > 0)) return false;
  for (int r = 0; r < n; ++r) f.slip[r] = -force[r] / size;
  return true;
}

// At the last evaluation of the dynamics.
double EventCapture::normal_force(std::uint64_t id) const {
  for (const Contact& c : flow_->dynamics().contacts().contacts)
    if (c.id == id) return flow_->dynamics().lambda(c.row);
  return 0;
}

}  // namespace saltus
