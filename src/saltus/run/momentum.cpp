#include "saltus/run/momentum.hpp"

#include <Eigen/Geometry>

namespace saltus {

// Where the bodies stand in q and u; empty where they are not all there is.
std::vector<MomentumBooks::Body> MomentumBooks::bodies_of(const System& system, const Problem& p) {
  const Shape shape = system.shape();
  Sketch sketch;
  if (!system.sketch(p.t0, p.q0, sketch)) return {};
  const bool in_plane = !sketch.rounds.empty() || !sketch.polygons.empty();
  if (shape.flat != in_plane || sketch.solids.empty() != in_plane) return {};
  std::vector<Body> out;
  std::vector<char> known(shape.nu, 0);
  const auto add = [&](Body::Kind kind, int q, int u, int size) {
    if (u < 0 || known[u]) return;
    out.push_back({kind, q, u});
    for (int k = 0; k < size; ++k) known[u + k] = 1;
  };
  const auto add_figure = [&](const Sketch::Coordinates& at) {
    add(at.turns ? Body::Kind::figure : Body::Kind::point, at.x, at.x, at.turns ? 3 : 2);
  };
  for (const auto& s : sketch.rounds) add_figure(s.at);
  for (const auto& s : sketch.polygons) add_figure(s.at);
  for (const auto& s : sketch.solids) add(Body::Kind::solid, s.position, s.velocity, 6);
  for (const char k : known)
    if (!k) return {};
  return out;
}

std::optional<MomentumBooks> MomentumBooks::of(const Problem& problem, bool fine) {
  constexpr std::size_t most_bodies = 20;  // of more, listing contacts once more in every step is felt
  const System* system = as_mechanical(problem.system.get());
  if (!system) return {};
  auto bodies = bodies_of(*system, problem);
  if (bodies.empty() || bodies.size() > most_bodies) return {};
  return MomentumBooks(*system, std::move(bodies), fine);
}

MomentumBooks::MomentumBooks(const System& system, std::vector<Body> bodies, bool fine)
    : system_(system),
      bodies_(std::move(bodies)),
      size_(bodies_.front().kind == Body::Kind::solid ? 6 : 3),
      constant_mass_(system.shape().constant_mass),
      fine_(fine),
      mass_(system.shape().nu, system.shape().mass),
      between_(&system),
      f_(system.shape().nu),
      p_(system.shape().nu) {}

MomentumBooks::Wrench MomentumBooks::wrench(const Vec& q, const Vec& f) const {
  Wrench out = {};
  for (const Body& b : bodies_) {
    if (b.kind == Body::Kind::solid) {
      const double* at = q.data() + b.q;
      const Vec3 x(at[0], at[1], at[2]), F = f.segment<3>(b.u), torque = f.segment<3>(b.u + 3);
      const Vec3 moment = x.cross(F) + Eigen::Quaterniond(at[3], at[4], at[5], at[6]) * torque;
      for (int k = 0; k < 3; ++k) out[k] += F[k], out[3 + k] += moment[k];
    } else {
      const double fx = f[b.u], fy = f[b.u + 1];
      out[0] += fx, out[1] += fy;
      out[2] += q[b.q] * fy - q[b.q + 1] * fx + (b.kind == Body::Kind::figure ? f[b.u + 2] : 0);
    }
  }
  return out;
}

// M u
const Vec& MomentumBooks::impulses(double t, const Vec& q, const Vec& u) {
  if (!mass_known_) system_.mass(t, q, mass_);
  mass_known_ = constant_mass_;
  p_.setZero();
  mass_.multiply_add(1, u, p_);
  return p_;
}

// Of the momentum, by loads and weights.
MomentumBooks::Wrench MomentumBooks::rate(double t, const Vec& q, const Vec& u) {
  system_.force(t, q, u, f_);
  if (size_ == 6) {
    impulses(t, q, u);
    for (const Body& b : bodies_) {
      const Vec3 spin = u.segment<3>(b.u + 3), momentum = p_.segment<3>(b.u + 3);
      f_.segment<3>(b.u + 3) += spin.cross(momentum);
    }
  }
  return wrench(q, f_);
}

void MomentumBooks::add(Wrench& sum, double part, const Wrench& x) const {
  for (int k = 0; k < size_; ++k) sum[k] += part * x[k];
}

void MomentumBooks::book(const Segment& s) {
  const double h = s.end.t - s.begin.t;
  if (h > 0) {
    if (last_t_ != s.begin.t) rate_ = rate(s.begin.t, s.begin.q, s.begin.u);
    const bool fine = fine_ && (s.dense || s.reactions || s.end.contacts.impulse.empty());  // no impact
    const double part = fine ? h / 6 : h / 2;
    add(loads_, part, rate_);
    if (fine) book_middle(s, h);
    rate_ = rate(s.end.t, s.end.q, s.end.u), last_t_ = s.end.t;
    add(loads_, part, rate_);
  } else {
    last_t_ = without_last;  // an event changed the velocities
  }
  if (s.reactions) {
    const Reactions& r = *s.reactions;
    add(contacts_, h / 6, wrench(s.begin.q, r.begin));
    add(contacts_, 4 * h / 6, wrench(r.q, r.middle));
    add(contacts_, h / 6, wrench(s.end.q, r.end));
  } else if (!s.end.contacts.impulse.empty()) {
    book_contacts(s);
  }
}

// Of the loads.
void MomentumBooks::book_middle(const Segment& s, double h) {
  between_.on_cubic(s.begin, s.end, 0.5, middle_);
  add(loads_, 4 * h / 6, rate(middle_.t, middle_.q, middle_.u));
}

// Whether every contact with an impulse is in the list that was made last.
bool MomentumBooks::lists(const ContactMemory& memory) const {
  auto c = set_.contacts.begin();
  for (const auto& r : memory.closed) {
    while (c != set_.contacts.end() && c->id < r.id) ++c;
    if (c == set_.contacts.end() || c->id != r.id) return false;
  }
  return true;
}

void MomentumBooks::book_contacts(const Segment& s) {
  const double t = 0.5 * (s.begin.t + s.end.t);
  between_.half_way(s.begin.q, s.end.q, middle_.q);
  if (!lists(s.end.contacts)) {
    // what closes at a speed in its step was listed from its start
    const double h = std::max(s.end.contacts.step, s.end.t - s.begin.t);
    set_.look_ahead = 2 * h * std::max(system_.closing_speed(s.begin.u), system_.closing_speed(s.end.u));
    system_.list(t, middle_.q, set_);
  }
  system_.directions(t, middle_.q, set_);
  f_.setZero();
  for (const Contact& c : set_.contacts)
    if (const auto* r = s.end.contacts.find(c.id))
      for (int k = 0; k < r->rows; ++k)
        for (const auto& e : set_.Wt.row(c.row + k))
          f_[e.column] += e.value * s.end.contacts.impulse[r->offset + k];
  add(contacts_, 1, wrench(middle_.q, f_));
}

Momentum MomentumBooks::close(const State& start, const State& end) {
  Momentum out;
  out.known = true, out.size = size_;
  out.start = wrench(start.q, impulses(start.t, start.q, start.u));
  out.end = wrench(end.q, impulses(end.t, end.q, end.u));
  out.loads = loads_, out.contacts = contacts_;
  for (int k = 0; k < size_; ++k)
    out.remainder[k] = out.end[k] - out.start[k] - out.loads[k] - out.contacts[k];
  return out;
}

}  // namespace saltus
