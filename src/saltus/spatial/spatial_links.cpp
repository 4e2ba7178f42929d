// What acts on the coordinates of joints of SpatialSystem: rows with laws, and forces along rows.
#include <algorithm>

#include "saltus/core/error.hpp"
#include "saltus/spatial/spatial_system.hpp"

namespace saltus {

// Angles that are followed over whole turns, as coordinates behind those of the bodies: of actions, of
// screws.
void SpatialSystem::find_angles() {
  const auto follow = [&](int joint, JointCoordinate what, double start) {
    if (angle_at(joint, what) >= 0) return;
    const SpaceJoint& j = data_.joints[joint];
    for (const int body : {j.a, j.b})
      if (!data_.bodies[body].motion.omega.isZero())
        fail(
            "joint {}: its turns cannot be counted against body {}, which turns as prescribed; make that a "
            "body "
            "with a mass, on a hinge with a drive",
            j.name, data_.bodies[body].name);
    angles_.push_back({joint, what, start});
  };
  for (const SpaceAction& a : data_.actions) {
    if (a.joint < 0 || a.joint >= static_cast<int>(data_.joints.size()))
      fail("an action on a joint that is not there");
    const SpaceJoint& j = data_.joints[a.joint];
    if (!has_coordinate(j.kind, a.what))
      fail("joint {}: a {} joint has no {}", j.name, to_string(j.kind), to_string(a.what));
    if (!(a.lower <= a.upper)) fail("joint {}: its limits {} and {} leave nothing", j.name, a.lower, a.upper);
    if (is_angle(a.what)) follow(a.joint, a.what, a.start);
  }
  for (int k = 0; k < static_cast<int>(data_.joints.size()); ++k)
    if (data_.joints[k].kind == SpaceJoint::Kind::screw) follow(k, JointCoordinate::angle, 0);
}

int SpatialSystem::angle_at(int joint, JointCoordinate what) const {
  for (std::size_t k = 0; k < angles_.size(); ++k)
    if (angles_[k].joint == joint && angles_[k].what == what) return static_cast<int>(k);
  return -1;
}

double SpatialSystem::angle_near(int joint, JointCoordinate what, In q) const {
  const int k = angle_at(joint, what);
  return k < 0 ? 0 : q[7 * moving_ + k] - angles_[k].start;
}

// What a displacement v adds to the angles; the place of `out` may be that of q, so this comes before bodies
// are moved.
void SpatialSystem::predict_angles(In q, In v, Out out) const {
  for (int k = 0; k < static_cast<int>(angles_.size()); ++k) {
    const SpaceJoint& j = data_.joints[angles_[k].joint];
    const JointRow row =
        coordinate_row(j, angles_[k].what, frame(j.a, 0, q, nullptr), frame(j.b, 0, q, nullptr), 0);
    double turned = 0;
    for (const auto& [body, turn] : {std::pair(j.a, row.turn_a), std::pair(j.b, row.turn_b)})
      if (const int p = place_[body]; p >= 0)
        turned += turn.dot(Rotation::of(q.data() + 7 * p + 3)(Vec3(v.segment<3>(6 * p + 3))));
    out[7 * moving_ + k] = q[7 * moving_ + k] + turned;
  }
}

// The angles of these orientations that are nearest to those predicted.
void SpatialSystem::settle_angles(Out q) const {
  for (int k = 0; k < static_cast<int>(angles_.size()); ++k) {
    const SpaceJoint& j = data_.joints[angles_[k].joint];
    double& angle = q[7 * moving_ + k];
    angle = angles_[k].start + coordinate_row(j, angles_[k].what, frame(j.a, 0, q, nullptr),
                                              frame(j.b, 0, q, nullptr), angle - angles_[k].start)
                                   .gap;
  }
}

void SpatialSystem::find_links() {
  const auto add = [&](Link::Kind kind, int index, const Law& law) {
    links_.push_back({kind, index, static_cast<int>(laws_.size())});
    laws_.push_back(law);
  };
  for (int k = 0; k < static_cast<int>(data_.actions.size()); ++k) {
    const SpaceAction& a = data_.actions[k];
    const double scale = row_scale(a);
    if (a.lower > -infinity && a.what != JointCoordinate::swing) add(Link::lower, k, Unilateral{a.e});
    if (a.upper < infinity) add(Link::upper, k, Unilateral{a.e});
    if (a.friction > 0) add(Link::friction, k, Tresca{a.friction / scale});
    if (a.speed)
      add(Link::motor, k, a.most < infinity ? Law(Relay{-a.most / scale, a.most / scale}) : Law(Equality{1}));
    if (a.follow.place) add(Link::follow, k, Equality{1});
    damped_ = damped_ || a.damping != 0;
    driven_ = driven_ || a.force;
  }
  for (int k = 0; k < static_cast<int>(data_.gears.size()); ++k) add(Link::gear, k, Equality{1});
}

std::string SpatialSystem::link_name(const Link& link) const {
  if (link.kind == Link::gear) return data_.gears[link.index].name;
  constexpr std::string_view words[] = {"lower limit", "upper limit", "friction", "motor", "drive"};
  const SpaceAction& a = data_.actions[link.index];
  return fmt::format("{}.{} {}", data_.joints[a.joint].name, to_string(a.what), words[link.kind]);
}

// What rows of this coordinate are multiplied by, to be lengths.
double SpatialSystem::row_scale(const SpaceAction& a) const {
  return is_angle(a.what) || a.what == JointCoordinate::swing ? data_.joints[a.joint].scale : 1;
}

std::string SpatialSystem::in_own_unit(std::uint64_t id, double length, std::string_view per) const {
  const Link& l = link(id);
  const SpaceAction& a = data_.actions[l.kind == Link::gear ? data_.gears[l.index].driven : l.index];
  return fmt::format("{:.4g} {}{}", length / row_scale(a), is_angle(a.what) ? "rad" : "m", per);
}

int SpatialSystem::joint_of(std::uint64_t id) const {
  if (is_joint(id)) return static_cast<int>(id);
  return link(id).kind == Link::gear ? -1 : data_.actions[link(id).index].joint;
}

JointRow SpatialSystem::action_row(const SpaceAction& a, In q, const std::vector<SpaceFrame>& frames) const {
  const SpaceJoint& j = data_.joints[a.joint];
  JointRow row = coordinate_row(j, a.what, frames[j.a], frames[j.b], angle_near(a.joint, a.what, q));
  row.gap += a.start;
  return row;
}

LinkRow SpatialSystem::link_row(const Link& link, double t, In q,
                                const std::vector<SpaceFrame>& frames) const {
  LinkRow out;
  const auto add = [&](const SpaceAction& a, double s) {
    const SpaceJoint& j = data_.joints[a.joint];
    out.add(j.a, j.b, action_row(a, q, frames), s);
  };
  if (link.kind == Link::gear) {
    const SpaceGear& g = data_.gears[link.index];
    const SpaceAction& driven = data_.actions[g.driven];
    const double scale = row_scale(driven);
    add(driven, scale), add(data_.actions[g.driver], -g.ratio * scale);
    out.gap -= g.offset * scale;
    return out;
  }
  const SpaceAction& a = data_.actions[link.index];
  const double scale = row_scale(a);
  switch (link.kind) {
    case Link::lower:
      add(a, scale), out.gap -= scale * a.lower;
      break;
    case Link::upper:
      if (a.what == JointCoordinate::swing)
        add(a, scale), out.gap -= scale * std::cos(a.upper);
      else
        add(a, -scale), out.gap += scale * a.upper;
      break;
    case Link::friction:
      add(a, scale), out.gap = 0;
      break;
    case Link::motor: {
      add(a, scale), out.gap = 0;
      const auto [speed, rate] = a.speed->at(t);
      out.drift = -scale * speed, out.bias -= scale * rate;
      break;
    }
    case Link::follow: {
      add(a, scale), out.gap -= scale * a.follow.place->at(t).value;
      const auto [speed, rate] = a.follow.rate->at(t);
      out.drift = -scale * speed, out.bias -= scale * rate;
      break;
    }
    case Link::gear:
      break;
  }
  return out;
}

// ---- forces along coordinates

void SpatialSystem::add_actions(double t, In q, const std::vector<SpaceFrame>& frames, Out h) const {
  for (const SpaceAction& a : data_.actions) {
    if (!a.pushes()) continue;
    const JointRow row = action_row(a, q, frames);
    const double force =
        (a.force ? a.force->at(t).value : 0) - a.stiffness * (row.gap - a.rest) - a.damping * row.rate;
    const auto add = [&](int body, const Vec3& move, const Vec3& turn) {
      const int k = place_[body];
      if (k < 0) return;
      const Vec3 M = frames[body].R.transpose() * turn;
      for (int i = 0; i < 3; ++i) h[6 * k + i] += force * move[i], h[6 * k + 3 + i] += force * M[i];
    };
    const SpaceJoint& j = data_.joints[a.joint];
    add(j.a, row.move_a, row.turn_a), add(j.b, row.move_b, row.turn_b);
  }
}

// −k ∇x∇xᵀ and −c ∇x∇xᵀ: how ∇x itself turns is left out; the joint holds the bodies in the way along which
// it hardly does.
void SpatialSystem::add_action_jacobians(In q, const std::vector<SpaceFrame>& frames, Matrix& dq,
                                         Matrix& du) const {
  for (const SpaceAction& a : data_.actions) {
    if (a.stiffness == 0 && a.damping == 0) continue;
    const JointRow row = action_row(a, q, frames);
    const SpaceJoint& j = data_.joints[a.joint];
    using Column = Eigen::Matrix<double, 6, 1>;
    const auto column = [&](int body, const Vec3& move, const Vec3& turn) {
      Column c;
      c << move, frames[body].R.transpose() * turn;
      return c;
    };
    const std::pair<int, Column> ends[] = {{place_[j.a], column(j.a, row.move_a, row.turn_a)},
                                           {place_[j.b], column(j.b, row.move_b, row.turn_b)}};
    for (const auto& [to, x] : ends)
      for (const auto& [from, y] : ends)
        for (int i = 0; i < 6 && to >= 0 && from >= 0; ++i)
          for (int k = 0; k < 6; ++k) {
            dq.add(6 * to + i, 6 * from + k, -a.stiffness * x[i] * y[k]);
            du.add(6 * to + i, 6 * from + k, -a.damping * x[i] * y[k]);
          }
  }
}

double SpatialSystem::action_potential(In q, const std::vector<SpaceFrame>& frames) const {
  double sum = 0;
  for (const SpaceAction& a : data_.actions) {
    if (a.stiffness == 0) continue;
    const double x = action_row(a, q, frames).gap - a.rest;
    sum += 0.5 * a.stiffness * x * x;
  }
  return sum;
}

// Of forces that depend on time, and of springs whose other end is moved.
void SpatialSystem::add_action_power(double t, In q, const std::vector<SpaceFrame>& frames,
                                     Power& out) const {
  for (const SpaceAction& a : data_.actions) {
    if (!a.pushes()) continue;
    const JointRow row = action_row(a, q, frames);
    const SpaceJoint& j = data_.joints[a.joint];
    const double applied = a.force ? a.force->at(t).value : 0;
    out.damping += a.damping * row.rate * row.rate;
    out.work += applied * row.rate;
    const double force = applied - a.stiffness * (row.gap - a.rest) - a.damping * row.rate;
    if (place_[j.a] < 0)
      out.work -= force * (row.move_a.dot(frames[j.a].v) + row.turn_a.dot(frames[j.a].omega));
    if (place_[j.b] < 0)
      out.work -= force * (row.move_b.dot(frames[j.b].v) + row.turn_b.dot(frames[j.b].omega));
  }
}

}  // namespace saltus
