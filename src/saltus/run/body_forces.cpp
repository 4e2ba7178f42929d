#include "saltus/run/body_forces.hpp"

#include <Eigen/Geometry>

#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"
#include "saltus/system/sketch.hpp"

namespace saltus {
namespace {

// The contact as it is held at the state: the direction of slip is that of its velocity.
FrozenContact frozen(const ContactMemory::Record& record, const Law& law, const ContactSet& set,
                     const Vec& u) {
  FrozenContact out{record.id, record.mode, {}};
  if (is_constraint(record.mode)) return out;
  for (const Contact& c : set.contacts) {
    if (c.id != record.id) continue;
    const int first = needs_closed_gap(law) ? 1 : 0;
    double length = 0;
    for (int r = first; r < rows(law); ++r) {
      out.slip[r - first] = set.Wt.dot(c.row + r, u.data()) + set.drift[c.row + r];
      length = std::hypot(length, out.slip[r - first]);
    }
    for (double& s : out.slip)
      if (length > 0) s /= length;
  }
  return out;
}

}  // namespace

// Of two steps that share a time the later one says what acts behind it.
void ForceTimes::operator()(const Segment& s) {
  if (!(s.end.t > s.begin.t)) return;
  while (next_ < times_.size() && times_[next_] < s.begin.t) ++next_;
  for (std::size_t k = next_; k < times_.size() && times_[k] <= s.end.t; ++k)
    seen_[times_[k]] = {s.end.contacts};
}

// λ of all rows of the set; false where they are not known.
bool ForceTimes::rows_at(double t, const Vec& q, const Vec& u, const ContactMemory& memory, ContactSet& set,
                         std::vector<double>& lambda) const {
  Faults faults;
  const CheckedSystem system(system_, faults);
  set.sharp = smooth_;
  system.list(t, q, set);
  system.directions(t, q, set);
  lambda.assign(static_cast<std::size_t>(set.rows()), 0.0);
  const auto laws = system_.laws();
  if (!smooth_) {
    if (!(memory.step > 0)) return false;
    for (const Contact& c : set.contacts)
      if (const auto* record = memory.find(c.id))
        for (int r = 0; r < record->rows; ++r)
          lambda[c.row + r] = memory.impulse[record->offset + r] / memory.step;
    return true;
  }
  std::vector<FrozenContact> closed;
  for (const auto& record : memory.closed)
    for (const Contact& c : set.contacts)
      if (c.id == record.id && !std::holds_alternative<Equality>(laws[c.law]))
        closed.push_back(frozen(record, laws[c.law], set, u));
  ClosedDynamics dynamics(system_, faults);
  dynamics.freeze(closed);
  dynamics.list(t, q, 0);
  dynamics.begin_step();
  Vec a(u.size());
  if (dynamics.acceleration(t, q, u, a) != ClosedDynamics::Status::ok) return false;
  set = dynamics.contacts();
  lambda.assign(static_cast<std::size_t>(set.rows()), 0.0);
  for (const Contact& c : set.contacts)
    if (std::holds_alternative<Equality>(laws[c.law]) || memory.find(c.id))
      for (int r = 0; r < rows(laws[c.law]); ++r) lambda[c.row + r] = dynamics.lambda(c.row + r);
  return true;
}

std::vector<BodyForce> ForceTimes::at(double t, const Vec& q, const Vec& u) const {
  using Vec3 = Eigen::Vector3d;
  std::vector<BodyForce> out;
  const auto found = seen_.find(t);
  Sketch sketch;
  if (found == seen_.end() || !system_.sketch(t, q, sketch) || sketch.solids.empty()) return out;
  ContactSet set;
  std::vector<double> lambda;
  if (!rows_at(t, q, u, found->second.contacts, set, lambda)) return out;
  std::map<int, const Sketch::Solid*> bodies;  // by the first column of their velocities
  for (const auto& s : sketch.solids)
    if (s.velocity >= 0) bodies.emplace(s.velocity, &s);
  for (const Contact& c : set.contacts) {
    std::map<int, std::pair<Vec3, Vec3>> acts;  // force, and torque in the frame of the body
    bool any = false;
    for (int r = 0; r < rows(system_.laws()[c.law]); ++r)
      for (const auto& e : set.Wt.row(c.row + r)) {
        const auto body = bodies.upper_bound(e.column);
        if (body == bodies.begin() || e.column >= std::prev(body)->first + 6) continue;
        const int first = std::prev(body)->first, k = e.column - first;
        auto& [force, torque] = acts.try_emplace(first, Vec3::Zero(), Vec3::Zero()).first->second;
        (k < 3 ? force[k] : torque[k - 3]) += lambda[c.row + r] * e.value;
        any = any || lambda[c.row + r] != 0;
      }
    if (!any) continue;
    const auto* record = found->second.contacts.find(c.id);
    for (const auto& [first, act] : acts) {
      const Sketch::Solid& s = *bodies.at(first);
      const Eigen::Quaterniond turn(s.frame_turn[3], s.frame_turn[0], s.frame_turn[1], s.frame_turn[2]);
      const Vec3 torque = turn * act.second;
      BodyForce f{c.id, record ? record->mode : Mode::closed, s.name, {}, {}};
      for (int k = 0; k < 3; ++k) f.force[k] = act.first[k], f.torque[k] = torque[k];
      out.push_back(std::move(f));
    }
  }
  return out;
}

}  // namespace saltus
