#include "saltus/run/body_forces.hpp"

#include <Eigen/Geometry>

#include "saltus/run/row_forces.hpp"
#include "saltus/system/sketch.hpp"

namespace saltus {

// Of two steps that share a time the later one says what acts behind it.
void ForceTimes::operator()(const Segment& s) {
  if (!(s.end.t > s.begin.t)) return;
  while (next_ < times_.size() && times_[next_] < s.begin.t) ++next_;
  for (std::size_t k = next_; k < times_.size() && times_[k] <= s.end.t; ++k)
    seen_[times_[k]] = {s.end.contacts};
}

std::vector<BodyForce> ForceTimes::at(double t, const Vec& q, const Vec& u) const {
  using Vec3 = Eigen::Vector3d;
  std::vector<BodyForce> out;
  const auto found = seen_.find(t);
  Sketch sketch;
  if (found == seen_.end() || !system_.sketch(t, q, sketch) || sketch.solids.empty()) return out;
  RowForces forces(system_, smooth_);
  if (!forces.find(t, q, u, found->second.contacts)) return out;
  const ContactSet& set = forces.contacts();
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
        (k < 3 ? force[k] : torque[k - 3]) += forces.lambda(c.row + r) * e.value;
        any = any || forces.lambda(c.row + r) != 0;
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
