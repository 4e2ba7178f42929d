#include "saltus/planar/disk_system.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"
#include "saltus/core/team.hpp"
#include "saltus/planar/grid.hpp"

namespace saltus {

// Where disk a and its partner come closest.
struct DiskSystem::Touch {
  int a, b;                      // b: a disk, or −1
  double gap, lever_a, lever_b;  // γ_T = t·(v_b − v_a) − lever_a ω_a − lever_b ω_b
  Vec2 n, t;                     // from a to the partner; to the left
  double curvature;              // 1/D, 0 at a plane
  bool flat;                     // a plane, which turns n itself
  Vec2 velocity, acceleration;   // of the boundary's point
  double omega, along;           // turn of the boundary; at a plane, t·(x_a − p)
};

namespace {

void check_disks(std::vector<Disk>& disks, int materials) {
  need(!disks.empty(), "a disk system needs at least one disk");
  for (std::size_t i = 0; i < disks.size(); ++i) {
    Disk& d = disks[i];
    need(d.radius > 0 && std::isfinite(d.radius), "disk {}: radius = {} must be a finite number > 0", i,
         d.radius);
    need(d.mass > 0 && std::isfinite(d.mass), "disk {}: mass = {} must be a finite number > 0", i, d.mass);
    if (d.inertia == 0) d.inertia = d.mass * d.radius * d.radius / 2;
    need(d.inertia > 0 && std::isfinite(d.inertia), "disk {}: inertia = {} must be a finite number > 0", i,
         d.inertia);
    need(d.material >= 0 && d.material < materials, "disk {}: material {} does not exist, there are {}", i,
         d.material, materials);
  }
}

void check_boundary(Boundary& b, double largest_radius, int materials) {
  const Motion& m = b.motion;
  need(m.pivot.allFinite() && m.velocity.allFinite() && std::isfinite(m.omega) && std::isfinite(m.start),
       "boundary {}: its motion has a value that is not finite", b.name);
  need(b.material >= 0 && b.material < materials, "boundary {}: material {} does not exist, there are {}",
       b.name, b.material, materials);
  if (auto* plane = std::get_if<Plane>(&b.shape)) {
    const double length = plane->normal.norm();
    need(plane->point.allFinite() && std::isfinite(length) && length > 0,
         "boundary {}: a plane needs a finite point and a normal that is not zero", b.name);
    plane->normal /= length;
    return;
  }
  const Circle& c = std::get<Circle>(b.shape);
  need(c.centre.allFinite() && c.radius > 0 && std::isfinite(c.radius),
       "boundary {}: a circle needs a finite centre and a finite radius > 0, not {}", b.name, c.radius);
  need(!c.inside || c.radius > largest_radius,
       "boundary {}: radius = {} is too small for a disk of radius {}", b.name, c.radius, largest_radius);
}

}  // namespace

DiskSystem::DiskSystem(Data data) : data_(std::move(data)) {
  check_disks(data_.disks, data_.materials.materials());
  const auto [small, large] =
      std::minmax_element(data_.disks.begin(), data_.disks.end(),
                          [](const Disk& a, const Disk& b) { return a.radius < b.radius; });
  for (Boundary& b : data_.boundaries) check_boundary(b, large->radius, data_.materials.materials());
  need(data_.materials.all_rigid(),
       "a disk system has rigid contacts only: use RigidSystem for compliant materials");
  need(!data_.materials.rolls(), "a disk system has no rolling friction: use RigidSystem for it");
  need(data_.gravity.allFinite(), "gravity has a component that is not finite");
  need(data_.margin >= 0 && std::isfinite(data_.margin), "margin = {} must be a finite number ≥ 0",
       data_.margin);
  if (data_.margin == 0) data_.margin = small->radius / 10;
  cell_ = 2 * large->radius;
  for (const Disk& d : data_.disks) size_ += 2 * d.radius / disks();
}

Shape DiskSystem::shape() const {
  Shape s;
  s.nq = s.nu = 3 * disks();
  s.mass.kind = s.jacobian.kind = Pattern::diagonal;
  s.constant_mass = s.linear_force = s.flat = s.changing_contacts = s.tells_passages = s.kinked_gaps = true;
  return s;
}

void DiskSystem::mass(double, In, Matrix& M, Workspace&) const {
  for (int i = 0; i < disks(); ++i) {
    const Disk& d = data_.disks[i];
    M.set(3 * i, 3 * i, d.mass);
    M.set(3 * i + 1, 3 * i + 1, d.mass);
    M.set(3 * i + 2, 3 * i + 2, d.inertia);
  }
}

void DiskSystem::force(double, In, In, Out h, Workspace&) const {
  for (int i = 0; i < disks(); ++i) {
    h[3 * i] = data_.disks[i].mass * data_.gravity[0];
    h[3 * i + 1] = data_.disks[i].mass * data_.gravity[1];
    h[3 * i + 2] = 0;
  }
}

void DiskSystem::force_jacobians(double, In, In, Matrix& dq, Matrix& du, Workspace&) const {
  dq.set_zero();
  du.set_zero();
}

double DiskSystem::potential(double, In q, Workspace&) const {
  double sum = 0;
  for (int i = 0; i < disks(); ++i)
    sum -= data_.disks[i].mass * (data_.gravity[0] * q[3 * i] + data_.gravity[1] * q[3 * i + 1]);
  return sum;
}

DiskSystem::Partners DiskSystem::partners(std::uint64_t id) const {
  const int high = static_cast<int>(id >> 32), low = static_cast<int>(id & 0xffffffffu);
  return high < boundaries() ? Partners{high, low, -1} : Partners{-1, high - boundaries(), low};
}

double DiskSystem::thickness(std::uint64_t contact) const {
  const Partners p = partners(contact);
  const double first = 2 * data_.disks[p.a].radius;
  return p.b >= 0 ? std::min(first, 2 * data_.disks[p.b].radius) : first;
}

std::string DiskSystem::contact_name(std::uint64_t id) const {
  const Partners p = partners(id);
  return p.boundary >= 0 ? fmt::format("disk {}/{}", p.a, data_.boundaries.at(p.boundary).name)
                         : fmt::format("disk {}/disk {}", p.a, p.b);
}

// --- where bodies touch
// ---------------------------------------------------------------------------------------

namespace {

// n, D for centres d apart; any direction will do when they coincide
Vec2 direction(const Vec2& d, double D) {
  return D != 0 ? Vec2(d / D) : Vec2(1, 0);
}

}  // namespace

DiskSystem::Touch DiskSystem::touch(In q, int a, int b) const {
  const Disk &da = data_.disks[a], &db = data_.disks[b];
  const Vec2 d(q[3 * b] - q[3 * a], q[3 * b + 1] - q[3 * a + 1]);
  const double D = d.norm();
  const Vec2 n = direction(d, D);
  return {a,
          b,
          D - da.radius - db.radius,
          da.radius,
          db.radius,
          n,
          left_of(n),
          1 / D,
          false,
          Vec2::Zero(),
          Vec2::Zero(),
          0,
          0};
}

DiskSystem::Touch DiskSystem::touch(const Boundary& boundary, const Pose& pose, In q, int a) const {
  const double radius = data_.disks[a].radius;
  const Vec2 d(pose.point[0] - q[3 * a], pose.point[1] - q[3 * a + 1]);
  if (const auto* circle = std::get_if<Circle>(&boundary.shape)) {
    const double sign = circle->inside ? -1 : 1, D = sign * d.norm(), R = sign * circle->radius;
    const Vec2 n = direction(d, D);
    return {a,
            -1,
            D - radius - R,
            radius,
            R,
            n,
            left_of(n),
            1 / D,
            false,
            pose.velocity,
            pose.acceleration,
            pose.omega,
            0};
  }
  const Vec2 n = -pose.turned(std::get<Plane>(boundary.shape).normal), t = left_of(n);
  return {a,          -1,       n.dot(d) - radius, radius, 0, n, t, 0, true, pose.velocity, pose.acceleration,
          pose.omega, -t.dot(d)};
}

template <class Visit>
void DiskSystem::for_each_touch(double t, In q, std::span<const Contact> contacts, Visit&& visit) const {
  Pose pose;
  int known = -1;  // whose pose it is: contacts of one boundary follow each other
  for (const Contact& c : contacts) {
    const Partners p = partners(c.id);
    if (p.boundary < 0) {
      visit(c, touch(q, p.a, p.b));
      continue;
    }
    const Boundary& boundary = data_.boundaries[p.boundary];
    if (known != p.boundary) pose = pose_at(boundary, t), known = p.boundary;
    visit(c, touch(boundary, pose, q, p.a));
  }
}

// --- the list
// -------------------------------------------------------------------------------------------------

void DiskSystem::find_reaches(const ContactSet& set, Reaches& out) const {
  const double asked = search_margin(data_.margin, set.look_ahead, size_);
  if (!set.velocities || !(asked > data_.margin)) return out.set(asked);
  out.way.resize(data_.disks.size());
  const double* u = set.velocities;
  for (int a = 0; a < disks(); ++a) out.way[a] = set.lead * std::hypot(u[3 * a], u[3 * a + 1]);
  out.sort_out(data_.margin, asked);
}

void DiskSystem::list_boundary(int k, double t, In q, const Reaches& reaches, ContactSet& out) const {
  const Boundary& boundary = data_.boundaries[k];
  const Pose pose = pose_at(boundary, t);
  const bool known = !reaches.way.empty();
  const double far = std::max(data_.margin, out.look_ahead), own = known ? out.lead * speed_of(boundary) : 0;
  for (int a = 0; a < disks(); ++a) {
    const double margin = known ? std::max(data_.margin, own + reaches.way[a]) : far;
    if (touch(boundary, pose, q, a).gap <= margin)
      out.contacts.push_back(
          {id_of(k, a), data_.materials.law(data_.disks[a].material, boundary.material), 0});
  }
}

// Disk by disk its neighbours with higher numbers: sorted, the list is in the order of the ids. Fast ones
// after that, each as far as it moves.
void DiskSystem::list_pairs(In q, Room& room, ContactSet& out) const {
  constexpr int disks_a_piece = 512;
  const Reaches& reaches = room.reaches;
  const Grid grid(disks(), q.data(), 3, cell_ + reaches.margin, room.cells);
  const auto test = [&](int a, int b, double margin, std::vector<Contact>& found) {
    const Disk &da = data_.disks[a], &db = data_.disks[b];
    const double dx = q[3 * b] - q[3 * a], dy = q[3 * b + 1] - q[3 * a + 1],
                 r = da.radius + margin + db.radius;
    if (dx * dx + dy * dy <= r * r)
      found.push_back({disk_contact(a, b), data_.materials.law(da.material, db.material), 0});
  };
  const auto by_id = [](const Contact& x, const Contact& y) { return x.id < y.id; };
  const auto search = [&](int from, int to, std::vector<Contact>& found) {
    for (int a = from; a < to; ++a) {
      if (reaches.apart(a)) continue;
      const auto first = static_cast<std::ptrdiff_t>(found.size());
      grid.near(a, [&](int b) {
        if (b > a && !reaches.apart(b)) test(a, b, reaches.margin, found);
      });
      std::sort(found.begin() + first, found.end(), by_id);
    }
  };
  const auto begin = static_cast<std::ptrdiff_t>(out.contacts.size());
  const Pieces pieces(0, disks(), disks_a_piece);
  if (pieces.count == 1) {
    search(0, disks(), out.contacts);
  } else {
    if (static_cast<int>(room.found.size()) < pieces.count) room.found.resize(pieces.count);
    for_parts(pieces.count, [&](int k) {
      room.found[k].clear();
      search(pieces.first(k), pieces.last(k), room.found[k]);
    });
    for (int k = 0; k < pieces.count; ++k)
      out.contacts.insert(out.contacts.end(), room.found[k].begin(), room.found[k].end());
  }
  if (!reaches.any_fast()) return;
  for (const int a : reaches.fast) {
    const double farthest = std::max(data_.margin, std::min(reaches.most, reaches.way[a] + reaches.longest));
    grid.within(a, cell_ + farthest, [&](int b) {
      if (b == a || (b < a && reaches.apart(b))) return;
      test(std::min(a, b), std::max(a, b), reaches.of_pair(a, b, data_.margin), out.contacts);
    });
  }
  std::sort(out.contacts.begin() + begin, out.contacts.end(), by_id);
}

double DiskSystem::speed_of(const Boundary& b) const {
  const Vec2 point = pose_at(b, b.motion.start).point;
  return b.motion.velocity.norm() + std::abs(b.motion.omega) * (point - b.motion.pivot).norm();
}

double DiskSystem::closing_speed(In u) const {
  FastestPair pair;
  for (int a = 0; a < disks(); ++a) pair.take(std::hypot(u[3 * a], u[3 * a + 1]));
  for (const Boundary& b : data_.boundaries) pair.take(speed_of(b));
  return pair.speed();
}

void DiskSystem::list(double t, In q, ContactSet& out, Workspace& w) const {
  auto& room = static_cast<Room&>(w);
  out.contacts.clear();
  out.gap.clear();
  find_reaches(out, room.reaches);
  for (int k = 0; k < boundaries(); ++k) list_boundary(k, t, q, room.reaches, out);
  list_pairs(q, room, out);
  for (Contact& c : out.contacts) {
    c.row = static_cast<int>(out.gap.size());
    out.gap.resize(out.gap.size() + (std::holds_alternative<Coulomb>(laws()[c.law]) ? 2 : 1), 0.0);
  }
  gaps(t, q, out, w);
}

void DiskSystem::gaps(double t, In q, ContactSet& out, Workspace&) const {
  constexpr int contacts_a_piece = 1024;
  for_pieces(0, static_cast<int>(out.contacts.size()), contacts_a_piece, [&](int from, int to) {
    const std::span some(out.contacts.data() + from, static_cast<std::size_t>(to - from));
    for_each_touch(t, q, some, [&](const Contact& c, const Touch& at) { out.gap[c.row] = at.gap; });
  });
}

void DiskSystem::directions(double t, In q, ContactSet& out, Workspace&) const {
  out.Wt.clear();
  out.drift.assign(out.gap.size(), 0.0);
  for_each_touch(t, q, out.contacts, [&](const Contact& c, const Touch& at) {
    const bool friction = std::holds_alternative<Coulomb>(laws()[c.law]);
    const auto row = [&](const Vec2& d, bool tangent) {
      out.Wt.add(3 * at.a, -d[0]);
      out.Wt.add(3 * at.a + 1, -d[1]);
      if (tangent) out.Wt.add(3 * at.a + 2, -at.lever_a);
      if (at.b >= 0) {
        out.Wt.add(3 * at.b, d[0]);
        out.Wt.add(3 * at.b + 1, d[1]);
        if (tangent) out.Wt.add(3 * at.b + 2, -at.lever_b);
      }
      out.Wt.end_row();
    };
    row(at.n, false);
    if (friction) row(at.t, true);
    if (at.b >= 0) return;
    out.drift[c.row] = at.n.dot(at.velocity) - (at.flat ? at.omega * at.along : 0);
    if (friction) out.drift[c.row + 1] = at.t.dot(at.velocity) - at.lever_b * at.omega;
  });
}

// At a plane n turns at its rate Ω: γ_N = n·w − Ω t·(x_a − p) with w = v_p − v_a, and ṫ·(x_a − p) = Ω (g +
// r_a).
void DiskSystem::bias(double t, In q, In u, ContactSet& out, Workspace&) const {
  out.bias.assign(out.gap.size(), 0.0);
  for_each_touch(t, q, out.contacts, [&](const Contact& c, const Touch& at) {
    Vec2 w = at.velocity - Vec2(u[3 * at.a], u[3 * at.a + 1]);
    if (at.b >= 0) w += Vec2(u[3 * at.b], u[3 * at.b + 1]);
    const double along = at.t.dot(w), turn = at.flat ? at.omega : at.curvature * along;  // of n
    out.bias[c.row] = turn * along + at.n.dot(at.acceleration);
    if (at.flat) out.bias[c.row] += turn * along - at.omega * at.omega * (at.gap + at.lever_a);
    if (std::holds_alternative<Coulomb>(laws()[c.law]))
      out.bias[c.row + 1] = -turn * at.n.dot(w) + at.t.dot(at.acceleration);
  });
}

bool DiskSystem::sketch(double t, In q, Sketch& out) const {
  for (const Boundary& b : data_.boundaries) {
    const Pose pose = pose_at(b, t);
    const double angle = std::atan2(pose.sine, pose.cosine);
    if (const auto* circle = std::get_if<Circle>(&b.shape)) {
      out.rounds.push_back({pose.point[0], pose.point[1], circle->radius, angle, -1});
    } else {
      const Vec2 along = left_of(pose.turned(std::get<Plane>(b.shape).normal));
      out.lines.push_back({pose.point[0], pose.point[1], along[0], along[1]});
    }
  }
  for (int i = 0; i < disks(); ++i)
    out.rounds.push_back(
        {q[3 * i], q[3 * i + 1], data_.disks[i].radius, q[3 * i + 2], data_.disks[i].colour, {3 * i, true}});
  return true;
}

}  // namespace saltus
