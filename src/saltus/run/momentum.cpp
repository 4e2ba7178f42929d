#include "saltus/run/momentum.hpp"

namespace saltus {
namespace {

// Where the bodies stand in u; empty where they are not all there is.
std::vector<Sketch::Coordinates> bodies_of(const System& system, const Problem& p) {
  const Shape shape = system.shape();
  Sketch sketch;
  if (!shape.flat || !system.sketch(p.t0, p.q0, sketch)) return {};
  std::vector<Sketch::Coordinates> out;
  std::vector<char> known(shape.nu, 0);
  const auto add = [&](const Sketch::Coordinates& at) {
    if (at.x < 0 || known[at.x]) return;
    out.push_back(at);
    for (int k = 0; k < (at.turns ? 3 : 2); ++k) known[at.x + k] = 1;
  };
  for (const auto& s : sketch.rounds) add(s.at);
  for (const auto& s : sketch.polygons) add(s.at);
  for (const char k : known)
    if (!k) return {};
  return out;
}

}  // namespace

std::optional<MomentumBooks> MomentumBooks::of(const Problem& problem, bool fine) {
  constexpr std::size_t most_bodies = 20;  // of more, listing contacts once more in every step is felt
  const System* system = as_mechanical(problem.system.get());
  if (!system) return {};
  auto bodies = bodies_of(*system, problem);
  if (bodies.empty() || bodies.size() > most_bodies) return {};
  return MomentumBooks(*system, std::move(bodies), fine);
}

MomentumBooks::MomentumBooks(const System& system, std::vector<Sketch::Coordinates> bodies, bool fine)
    : system_(system),
      bodies_(std::move(bodies)),
      mass_(system.shape().nu, system.shape().mass),
      fine_(fine),
      f_(system.shape().nu) {}

MomentumBooks::Wrench MomentumBooks::wrench(const Vec& q, const Vec& f) const {
  Wrench out = {};
  for (const auto& b : bodies_) {
    const double fx = f[b.x], fy = f[b.x + 1];
    out[0] += fx, out[1] += fy;
    out[2] += q[b.x] * fy - q[b.x + 1] * fx + (b.turns ? f[b.x + 2] : 0);
  }
  return out;
}

MomentumBooks::Wrench MomentumBooks::momentum(const State& x) {
  system_.mass(x.t, x.q, mass_);
  f_.setZero();
  mass_.multiply_add(1, x.u, f_);
  return wrench(x.q, f_);
}

void MomentumBooks::book(const Segment& s) {
  const double h = s.end.t - s.begin.t;
  if (h > 0) {
    if (last_t_ != s.begin.t)
      system_.force(s.begin.t, s.begin.q, s.begin.u, f_), rate_ = wrench(s.begin.q, f_);
    const bool fine = fine_ && (s.dense || s.reactions || s.end.contacts.impulse.empty());  // no impact
    const double part = fine ? h / 6 : h / 2;
    for (int k = 0; k < 3; ++k) loads_[k] += part * rate_[k];
    if (fine) book_middle(s, h);
    system_.force(s.end.t, s.end.q, s.end.u, f_);
    rate_ = wrench(s.end.q, f_), last_t_ = s.end.t;
    for (int k = 0; k < 3; ++k) loads_[k] += part * rate_[k];
  } else {
    last_t_ = without_last;  // an event changed the velocities
  }
  if (s.reactions) {
    const Reactions& r = *s.reactions;
    const Wrench a = wrench(s.begin.q, r.begin), b = wrench(r.q, r.middle), c = wrench(s.end.q, r.end);
    for (int k = 0; k < 3; ++k) contacts_[k] += h / 6 * (a[k] + 4 * b[k] + c[k]);
  } else if (!s.end.contacts.impulse.empty()) {
    book_contacts(s);
  }
}

// Of the loads, by the cubic through both ends.
void MomentumBooks::book_middle(const Segment& s, double h) {
  q_ = 0.5 * (s.begin.q + s.end.q) + h / 8 * (s.begin.u - s.end.u);
  u_ = 1.5 / h * (s.end.q - s.begin.q) - 0.25 * (s.begin.u + s.end.u);
  system_.force(s.begin.t + h / 2, q_, u_, f_);
  const Wrench middle = wrench(q_, f_);
  for (int k = 0; k < 3; ++k) loads_[k] += 4 * h / 6 * middle[k];
}

void MomentumBooks::book_contacts(const Segment& s) {
  const double t = 0.5 * (s.begin.t + s.end.t);
  q_ = 0.5 * (s.begin.q + s.end.q);
  // what closes at a speed in its step was listed from its start
  const double h = std::max(s.end.contacts.step, s.end.t - s.begin.t);
  set_.look_ahead = 2 * h * std::max(system_.closing_speed(s.begin.u), system_.closing_speed(s.end.u));
  system_.list(t, q_, set_);
  system_.directions(t, q_, set_);
  f_.setZero();
  for (const Contact& c : set_.contacts)
    if (const auto* r = s.end.contacts.find(c.id))
      for (int k = 0; k < r->rows; ++k)
        for (const auto& e : set_.Wt.row(c.row + k))
          f_[e.column] += e.value * s.end.contacts.impulse[r->offset + k];
  const Wrench sum = wrench(q_, f_);
  for (int k = 0; k < 3; ++k) contacts_[k] += sum[k];
}

Momentum MomentumBooks::close(const State& start, const State& end) {
  Momentum out;
  out.known = true;
  out.start = momentum(start), out.end = momentum(end);
  out.loads = loads_, out.contacts = contacts_;
  for (int k = 0; k < 3; ++k) out.remainder[k] = out.end[k] - out.start[k] - out.loads[k] - out.contacts[k];
  return out;
}

}  // namespace saltus
