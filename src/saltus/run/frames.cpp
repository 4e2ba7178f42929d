#include "saltus/run/frames.hpp"

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
    if (frame_.dt > 0) find_acts();
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

}  // namespace saltus
