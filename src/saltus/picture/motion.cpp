#include "saltus/picture/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/picture/frame_contacts.hpp"
#include "saltus/run/frames.hpp"

namespace saltus {
namespace {

void grow(MovingPicture& m, double x, double y, double z, double margin, bool& first) {
  if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) return;
  if (std::exchange(first, false)) {
    m.box[0] = x - margin, m.box[1] = y - margin, m.box[2] = x + margin, m.box[3] = y + margin;
    m.depth[0] = z - margin, m.depth[1] = z + margin;
    return;
  }
  m.box[0] = std::min(m.box[0], x - margin), m.box[1] = std::min(m.box[1], y - margin);
  m.box[2] = std::max(m.box[2], x + margin), m.box[3] = std::max(m.box[3], y + margin);
  m.depth[0] = std::min(m.depth[0], z - margin), m.depth[1] = std::max(m.depth[1], z + margin);
}

double reach_of(const MovingPicture::Shape& s) {
  double out = s.radius + s.half;
  for (const auto& p : s.points) out = std::max(out, std::hypot(p[0], p[1]));
  for (const auto& p : s.corners) out = std::max(out, std::hypot(p[0], p[1], p[2]));
  return out;
}

// The box of all frames: what is finite.
void fit_box(MovingPicture& m) {
  bool first = true;
  std::vector<double> reaches;
  for (const auto& s : m.shapes) reaches.push_back(reach_of(s));
  for (int i = 0; i < m.frames(); ++i)
    for (const MovingPicture::Shape& s : m.shapes) {
      const float* v = m.frame(i) + s.first;
      if (s.kind == MovingPicture::Kind::wall || s.kind == MovingPicture::Kind::plane) continue;
      if (s.kind == MovingPicture::Kind::polygon && !s.moves) {
        for (const auto& p : s.points) grow(m, v[0] + p[0], v[1] + p[1], 0, 0, first);
      } else if (s.count == MovingPicture::rigid_numbers) {
        grow(m, v[0], v[1], v[2], reaches[static_cast<std::size_t>(&s - m.shapes.data())], first);
      } else {
        const int places = (s.count - (s.valued ? 1 : 0)) / 3;
        for (int k = 0; k < places; ++k) grow(m, v[3 * k], v[3 * k + 1], v[3 * k + 2], s.radius, first);
      }
    }
  const double size = std::max(m.box[2] - m.box[0], m.box[3] - m.box[1]);
  if (size > 0) return;
  for (int k = 0; k < 2; ++k) m.box[k] -= 0.5, m.box[k + 2] += 0.5;
}

std::string body_name(const Problem& p, const Sketch::Coordinates& at) {
  if (at.x < 0 || at.x >= std::ssize(p.coordinates)) return {};
  std::string name = p.coordinates[static_cast<std::size_t>(at.x)];
  if (name.ends_with(".x")) name.resize(name.size() - 2);
  return name;
}

MovingPicture::Kind kind_of(Sketch::Solid::Kind kind) {
  return static_cast<MovingPicture::Kind>(static_cast<int>(MovingPicture::Kind::sphere) +
                                          static_cast<int>(kind));
}

// Bodies as shapes with poses: those of the plane, then those of space.
class Bodies {
 public:
  Bodies(const Problem& p, MovingPicture& out) : p_(p), out_(out) {}

  void begin(const Sketch& s) {
    for (const auto& r : s.rounds) add(MovingPicture::Kind::round, r.at, r.colour).radius = r.radius;
    for (const auto& g : s.polygons) {
      auto& shape = add(MovingPicture::Kind::polygon, g.at, g.colour);
      for (const auto& c : g.points) shape.points.push_back({c[0] - g.x, c[1] - g.y});
    }
    for (const auto& l : s.lines) add(MovingPicture::Kind::wall, {}, -1), static_cast<void>(l);
    bool models = false;
    for (const auto& b : s.solids) {
      auto& shape = add(kind_of(b.kind), {}, b.colour);
      shape.name = b.name, shape.moves = b.velocity >= 0, shape.radius = b.radius, shape.half = b.half;
      shape.corners = b.corners, shape.faces = b.faces;
      models = models || b.model;
    }
    for (const auto& b : s.strands) {
      auto& shape = add(b.spring ? MovingPicture::Kind::spring : MovingPicture::Kind::path, {}, b.colour);
      out_.width += 3 * static_cast<int>(b.points.size()) - shape.count;
      shape.name = b.name, shape.count = 3 * static_cast<int>(b.points.size());
    }
    out_.in_space = s.in_space();
    if (models) out_.note = "bodies without a shape are drawn as solids of the same inertia";
    start_ = s;
  }
  /// Numbers of one frame; a sketch with other bodies than the first is left out (NaN).
  void put(const RunFrame& f, float* v) {
    const Sketch& s = f.sketch;
    if (s.rounds.size() != start_.rounds.size() || s.polygons.size() != start_.polygons.size() ||
        s.lines.size() != start_.lines.size() || s.solids.size() != start_.solids.size() ||
        s.strands.size() != start_.strands.size()) {
      std::fill(v, v + out_.width, std::numeric_limits<float>::quiet_NaN());
      return;
    }
    for (const auto& r : s.rounds) v = pose(v, r.x, r.y, r.angle, f.u, r.at);
    for (std::size_t k = 0; k < s.polygons.size(); ++k) {
      const auto& g = s.polygons[k];
      v = pose(v, g.x, g.y, turn(start_.polygons[k], g), f.u, g.at);
    }
    for (const auto& l : s.lines) v = pose(v, l.x, l.y, std::atan2(l.dy, l.dx), f.u, {});
    for (const auto& b : s.solids) {
      v = std::copy(b.place.begin(), b.place.end(), v), v = std::copy(b.turn.begin(), b.turn.end(), v);
      for (int k = 0; k < 3; ++k) *v++ = static_cast<float>(b.velocity >= 0 ? f.u[b.velocity + k] : 0);
    }
    for (const auto& b : s.strands)
      for (const auto& p : b.points) v = std::copy(p.begin(), p.end(), v);
  }

 private:
  MovingPicture::Shape& add(MovingPicture::Kind kind, Sketch::Coordinates at, int colour) {
    MovingPicture::Shape s;
    s.kind = kind, s.first = out_.width, s.count = MovingPicture::rigid_numbers, s.colour = colour;
    s.moves = at.x >= 0, s.name = body_name(p_, at);
    out_.width += s.count;
    out_.shapes.push_back(std::move(s));
    return out_.shapes.back();
  }
  // The angle from its first outline to this one.
  static double turn(const Sketch::Polygon& a, const Sketch::Polygon& b) {
    if (a.points.empty() || a.points.size() != b.points.size()) return 0;
    double sine = 0, cosine = 0;
    for (std::size_t k = 0; k < a.points.size(); ++k) {
      const double ax = a.points[k][0] - a.x, ay = a.points[k][1] - a.y;
      const double bx = b.points[k][0] - b.x, by = b.points[k][1] - b.y;
      cosine += ax * bx + ay * by, sine += ax * by - ay * bx;
    }
    return std::atan2(sine, cosine);
  }
  static float* pose(float* v, double x, double y, double angle, const Vec& u, Sketch::Coordinates at) {
    const bool moves = at.x >= 0 && at.x + 1 < u.size();
    const double numbers[MovingPicture::rigid_numbers] = {
        x, y, 0, 0, 0, std::sin(angle / 2), std::cos(angle / 2), moves ? u[at.x] : 0, moves ? u[at.x + 1] : 0,
        0};
    return std::transform(numbers, numbers + MovingPicture::rigid_numbers, v,
                          [](double n) { return static_cast<float>(n); });
  }

  const Problem& p_;
  MovingPicture& out_;
  Sketch start_;
};

void put_acts(const RunFrame& f, MovingPicture& out) {
  for (const ContactAct& a : f.contacts)
    for (const double n : {a.x, a.y, a.z, a.Px, a.Py, a.Pz, static_cast<double>(a.mode), f.dt})
      out.acts.push_back(static_cast<float>(n));
}

void add_shapes(const Drawing& d, MovingPicture& out) {
  for (const auto& item : d.items) {
    MovingPicture::Shape s;
    s.kind = item.kind == Drawing::Kind::point    ? MovingPicture::Kind::dot
             : item.kind == Drawing::Kind::line   ? MovingPicture::Kind::path
             : item.kind == Drawing::Kind::spring ? MovingPicture::Kind::spring
                                                  : MovingPicture::Kind::text;
    s.name = item.name, s.text = item.text, s.radius = item.radius, s.colour = item.colour;
    s.moves = true, s.trail = item.trail, s.valued = item.valued;
    s.first = out.width, s.count = 3 * item.places + (item.valued ? 1 : 0);
    out.width += s.count;
    out.shapes.push_back(std::move(s));
  }
}

void put_drawing(const Drawing& d, double t, In q, In u, TapeRoom& room, float* v) {
  const auto input = [&](int k) -> double {
    if (k == 0) return t;
    if (k <= q.size()) return q[k - 1];
    return k - 1 - q.size() < u.size() ? u[k - 1 - q.size()] : 0;
  };
  d.tape.evaluate(
      input, [&](int k, double x) { v[k] = static_cast<float>(x); }, room);
}

}  // namespace

namespace {

// Four of five are below: few that are far larger do not make the others small.
double large_one(std::vector<double>& x) {
  if (x.empty()) return 0;
  const auto at = x.begin() + std::ssize(x) * 4 / 5;
  std::nth_element(x.begin(), at, x.end());
  return *at;
}

void fit_arrows(MovingPicture& m) {
  std::vector<double> forces, impulses;
  for (int i = 0; i < m.frames(); ++i) {
    const bool impact = i > 0 && m.t[static_cast<std::size_t>(i)] == m.t[static_cast<std::size_t>(i) - 1];
    for (auto k = m.act_start[static_cast<std::size_t>(i)]; k < m.act_start[static_cast<std::size_t>(i) + 1];
         ++k) {
      const float* a = m.acts.data() + static_cast<std::size_t>(k) * MovingPicture::act_numbers;
      const double P = std::hypot(a[3], a[4], a[5]), size = impact || !(a[7] > 0) ? P : P / a[7];
      if (size > 0 && std::isfinite(size)) (impact ? impulses : forces).push_back(size);
    }
  }
  m.force = large_one(forces), m.impulse = large_one(impulses);
}

}  // namespace

std::string coordinate_name(const Problem& p, int k) {
  return k < std::ssize(p.coordinates) ? p.coordinates[static_cast<std::size_t>(k)] : fmt::format("q[{}]", k);
}

std::vector<double> frame_times(const Trajectory& tr, int equal, int impacts, std::int64_t& left_out) {
  std::vector<double> out;
  if (tr.size() == 0) return out;
  const double a = tr.t(0), b = tr.t(tr.size() - 1);
  for (int k = 0; k < equal; ++k) out.push_back(k + 1 < equal ? a + (b - a) * k / (equal - 1) : b);
  std::vector<std::pair<double, double>> hits;  // strength, time
  for (const Event& e : tr.events())
    if (e.kind == EventKind::impact && e.t >= a && e.t <= b)
      hits.emplace_back(e.impulse.size() > 0 ? std::abs(e.impulse[0]) : 0, e.t);
  left_out = 0;
  if (std::ssize(hits) > impacts) {
    left_out = std::ssize(hits) - impacts;
    std::nth_element(hits.begin(), hits.begin() + impacts, hits.end(), std::greater<>());
    hits.resize(static_cast<std::size_t>(impacts));
  }
  for (const auto& h : hits) out.push_back(h.second);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

MovingPicture motion_of(const Problem& problem, const Trajectory& trajectory, const Drawing* drawing,
                        const PictureOptions& options) {
  MovingPicture out;
  if (trajectory.size() == 0) return out;
  const System* system = as_mechanical(problem.system.get());
  Sketch sketch;
  const bool bodies = system && system->sketch(trajectory.t(0), trajectory.q(0), sketch);
  const bool drawn = drawing && !drawing->items.empty();
  const std::size_t things = bodies ? sketch.rounds.size() + sketch.polygons.size() + sketch.lines.size() +
                                          sketch.solids.size() + sketch.strands.size()
                                    : 0;
  const std::size_t numbers = MovingPicture::rigid_numbers * things +
                              (drawn ? static_cast<std::size_t>(drawing->tape.outputs()) : 0) +
                              (bodies || drawn ? 0 : 4 * static_cast<std::size_t>(trajectory.nq())) + 1;
  const int most = static_cast<int>(std::clamp<std::size_t>(options.numbers / numbers, 2, 1'000'000));
  const int equal = std::min(options.frames, most);
  const auto times =
      frame_times(trajectory, std::max(equal, 2), std::min(options.impacts, most / 2), out.events_left_out);
  const Trajectory frames = trajectory.sampled(times);
  for (int i = 0; i < frames.size(); ++i) out.t.push_back(frames.t(i));

  Bodies placed(problem, out);
  if (bodies) placed.begin(sketch);
  const int first_drawn = out.width;
  if (drawn) add_shapes(*drawing, out);
  out.act_start.assign(1, 0);
  if (bodies || drawn) {
    out.values.assign(static_cast<std::size_t>(out.width) * out.t.size(), 0);
    const Trajectory acting = bodies ? with_spread_contacts(trajectory, frames) : Trajectory();
    RunFrames made(system, acting);
    TapeRoom room;
    for (int i = 0; i < frames.size(); ++i) {
      float* v = out.values.data() + static_cast<std::size_t>(i) * out.width;
      if (bodies) {
        const RunFrame& f = made.at(i, acting.t(std::max(i - 1, 0)));
        placed.put(f, v), put_acts(f, out);
      }
      if (drawn) put_drawing(*drawing, frames.t(i), frames.q(i), frames.u(i), room, v + first_drawn);
      out.act_start.push_back(static_cast<std::int32_t>(out.acts.size() / MovingPicture::act_numbers));
    }
  } else {
    add_automatic(problem, frames, out);
    out.act_start.assign(out.t.size() + 1, 0);
  }
  fit_box(out), fit_arrows(out);
  return out;
}

}  // namespace saltus
