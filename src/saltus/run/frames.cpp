#include "saltus/run/frames.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <map>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

// What a contact's force can act on: a body of the sketch.
struct SketchBody {
  double x, y;
  Sketch::Coordinates at;
  const std::vector<std::array<double, 2>>* outline;  // null: a round
  double radius;

  /// How far it reaches from its centre against n.
  double reach(double nx, double ny) const {
    if (!outline) return radius;
    double least = 0;
    for (const auto& [px, py] : *outline) least = std::min(least, (px - x) * nx + (py - y) * ny);
    return -least;
  }
};

std::vector<SketchBody> bodies_of(const Sketch& s) {
  std::vector<SketchBody> out;
  for (const auto& r : s.rounds) out.push_back({r.x, r.y, r.at, nullptr, r.radius});
  for (const auto& p : s.polygons) out.push_back({p.x, p.y, p.at, &p.points, 0});
  return out;
}

// How far a solid of space reaches from the centre of its body against n.
double reach(const Sketch::Solid& s, const Eigen::Vector3d& n) {
  const Eigen::Quaterniond turn(s.turn[3], s.turn[0], s.turn[1], s.turn[2]);
  const Eigen::Vector3d own = turn.conjugate() * n;
  double out = s.radius;
  if (s.kind == Sketch::Solid::Kind::capsule) out += s.half * std::abs(own[2]);
  if (s.kind == Sketch::Solid::Kind::cylinder)
    out = s.radius * std::hypot(own[0], own[1]) + s.half * std::abs(own[2]);
  for (const auto& c : s.corners) out = std::max(out, -(c[0] * own[0] + c[1] * own[1] + c[2] * own[2]));
  for (int k = 0; k < 3; ++k) out -= (s.place[k] - s.centre[k]) * n[k];
  return out;
}

}  // namespace

const RunFrame& RunFrames::at(int i, double since) {
  frame_.t = tr_.t(i), frame_.dt = frame_.t - since;
  frame_.q = tr_.q(i), frame_.u = tr_.u(i);
  frame_.sketch.clear(), frame_.contacts.clear();
  if (system_) {
    system_->list(frame_.t, frame_.q, set_, *work_);
    system_->directions(frame_.t, frame_.q, set_, *work_);
  }
  frame_.has_sketch = system_ && system_->sketch(frame_.t, frame_.q, frame_.sketch);
  if (frame_.has_sketch) {
    if (frame_.dt > 0) frame_.sketch.in_space() ? find_acts_in_space() : find_acts();
    return frame_;
  }
  frame_.impulse = Vec::Zero(frame_.u.size());
  each_atom(frame_.t, [&](const Trajectory::Atom& a, int row) {
    for (int r = 0; r < a.rows; ++r)
      for (const auto& e : set_.Wt.row(row + r)) frame_.impulse[e.column] += tr_.impulse(a, r) * e.value;
  });
  return frame_;
}

// Atoms of this sample: those up to it that no sample before took.
template <class F>
void RunFrames::each_atom(double t, F&& f) {
  const auto& atoms = tr_.atoms();
  rows_.clear();
  for (const Contact& c : set_.contacts)
    rows_[c.id] = {c.row, rows(system_->laws()[static_cast<std::size_t>(c.law)])};
  for (; next_ < atoms.size() && atoms[next_].t <= t; ++next_) {
    const auto& a = atoms[next_];
    const auto row = rows_.find(a.contact);
    if (row == rows_.end()) {
      ++lost_;
      continue;
    }
    if (a.rows > row->second.count)
      fail(
          "contact {} has {} rows in the result and {} in its problem: the file is damaged, or of another "
          "run",
          a.contact, a.rows, row->second.count);
    f(a, row->second.first);
  }
}

// The point of a contact lies on its line of action, where the body ends: the direction of its first row on
// the body is the normal and, by the lever in the turning column, says where that line runs.
void RunFrames::find_acts() {
  std::map<std::uint64_t, ContactAct> acts;
  const auto bodies = bodies_of(frame_.sketch);
  std::map<int, int> owner;  // of the columns x and y
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (bodies[k].at.x >= 0) owner[bodies[k].at.x] = owner[bodies[k].at.x + 1] = static_cast<int>(k);
  each_atom(frame_.t, [&](const Trajectory::Atom& a, int row) {
    const auto entry = [&](int r, int column) {
      for (const auto& e : set_.Wt.row(r))
        if (e.column == column) return e.value;
      return 0.0;
    };
    for (const auto& e : set_.Wt.row(row)) {
      const auto found = owner.find(e.column);
      if (found == owner.end()) continue;
      const SketchBody& b = bodies[found->second];
      const double nx = entry(row, b.at.x), ny = entry(row, b.at.x + 1), length = std::hypot(nx, ny);
      if (!(length > 0)) continue;
      const double lever = b.at.turns ? entry(row, b.at.x + 2) / length : 0;  // r × n
      const double back = b.reach(nx / length, ny / length);
      ContactAct& act = acts[a.contact];
      act.contact = a.contact;
      act.x = b.x - back * nx / length + lever * ny / length;
      act.y = b.y - back * ny / length - lever * nx / length;
      for (int r = 0; r < a.rows; ++r) {
        const double P = tr_.impulse(a, r);
        act.Px += P * entry(row + r, b.at.x), act.Py += P * entry(row + r, b.at.x + 1);
      }
      act.mode = static_cast<int>(a.mode), act.body = found->second;
      break;
    }
  });
  for (const auto& [id, act] : acts) frame_.contacts.push_back(act);
}

// Rows of a contact in space hold d and, in the frame of the body, r×d for the force at the arm r along d:
// ½ Σ d×(r×d) over an orthonormal basis of d is r. With fewer rows it is what of r is at right angles to
// them.
void RunFrames::find_acts_in_space() {
  using Vec3 = Eigen::Vector3d;
  std::map<std::uint64_t, ContactAct> acts;
  const auto& solids = frame_.sketch.solids;
  std::map<int, int> owner;  // of the columns of velocities
  for (int k = std::ssize(solids) - 1; k >= 0; --k)
    for (int c = 0; c < 3 && solids[k].velocity >= 0; ++c) owner[solids[k].velocity + c] = k;
  each_atom(frame_.t, [&](const Trajectory::Atom& a, int row) {
    const auto vector = [&](int r, int column) {
      Vec3 out = Vec3::Zero();
      for (const auto& e : set_.Wt.row(r))
        if (e.column >= column && e.column < column + 3) out[e.column - column] = e.value;
      return out;
    };
    for (const auto& e : set_.Wt.row(row)) {
      const auto found = owner.find(e.column);
      if (found == owner.end()) continue;
      const Sketch::Solid& b = solids[static_cast<std::size_t>(found->second)];
      const Eigen::Quaterniond turn(b.frame_turn[3], b.frame_turn[0], b.frame_turn[1], b.frame_turn[2]);
      Vec3 P = Vec3::Zero(), arm = Vec3::Zero();
      int straight = 0;
      for (int r = 0; r < a.rows; ++r) {
        const Vec3 d = vector(row + r, b.velocity), moment = turn * vector(row + r, b.velocity + 3);
        P += tr_.impulse(a, r) * d;
        if (std::abs(d.norm() - 1) > 1e-6) continue;
        arm += d.cross(moment), ++straight;
      }
      if (straight >= 3)
        arm /= 2;
      else if (straight == 1 && a.rows == 1)  // a contact without friction: where the body ends
        arm -= reach(b, vector(row, b.velocity)) * vector(row, b.velocity);
      ContactAct& act = acts[a.contact];
      act.contact = a.contact;
      act.x = b.centre[0] + arm[0], act.y = b.centre[1] + arm[1], act.z = b.centre[2] + arm[2];
      act.Px += P[0], act.Py += P[1], act.Pz += P[2];
      act.mode = static_cast<int>(a.mode), act.body = found->second;
      break;
    }
  });
  for (const auto& [id, act] : acts) frame_.contacts.push_back(act);
}

}  // namespace saltus
