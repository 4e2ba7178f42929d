// Motions with a closed form. Collisions on a line are followed from one to the next by hand: between them
// all velocities are constant, and each is u⁺ = u⁻ ± (1+e)(u₁−u₂)·m̄/m with the reduced mass m̄.
#include <cmath>
#include <limits>

#include "mechanisms/mechanism.hpp"
#include "mechanisms/scene_text.hpp"

namespace saltus::mechanisms {
namespace {

struct Row {  // points on a line between two walls that may be missing (at ±infinity)
  std::vector<double> x, v, mass;
  double left = -std::numeric_limits<double>::infinity(), right = std::numeric_limits<double>::infinity(),
         e = 1;

  /// Follows the motion for `t_end`; false where two collisions are closer than `apart`, or there are too
  /// many.
  bool follow(double t_end, double apart) {
    double t = 0, last = -1;
    for (int count = 0; count <= 12; ++count) {
      int pair = -2;
      double dt = collision(pair);
      if (t + dt > t_end - apart && t + dt < t_end + apart) return false;
      if (t + dt > t_end) {
        move(t_end - t);
        return true;
      }
      move(dt), t += dt;
      if (t - last < apart) return false;
      last = t;
      collide(pair);
    }
    return false;
  }

 private:
  double collision(
      int& pair) const {  // pair i: of i and i+1; −1: with the left wall; n−1: with the right one
    const int n = static_cast<int>(x.size());
    double best = std::numeric_limits<double>::infinity();
    const auto candidate = [&](int i, double gap, double closing) {
      if (closing > 0 && gap / closing < best) best = gap / closing, pair = i;
    };
    candidate(-1, x[0] - left, -v[0]);
    for (int i = 0; i + 1 < n; ++i) candidate(i, x[i + 1] - x[i], v[i] - v[i + 1]);
    candidate(n - 1, right - x[n - 1], v[n - 1]);
    return best;
  }
  void move(double dt) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += dt * v[i];
  }
  void collide(int i) {
    const int n = static_cast<int>(x.size());
    if (i < 0)
      v[0] = -e * v[0];
    else if (i == n - 1)
      v[i] = -e * v[i];
    else {
      const double P = (1 + e) * (v[i] - v[i + 1]) * mass[i] * mass[i + 1] / (mass[i] + mass[i + 1]);
      v[i] -= P / mass[i], v[i + 1] += P / mass[i + 1];
    }
  }
};

Mechanism row(Dice& dice) {
  Mechanism m;
  m.t_end = 2, m.h = 0.01, m.passive = true, m.uniform = true, m.known_exactly = true;
  m.features = {"collisions"};
  for (;;) {
    const int n = dice.integer(1, 5);
    Row r;
    const bool cradle = dice.chance(0.3);
    r.e = rounded(cradle ? 1 : dice.restitution());
    if (n == 1 || dice.chance(0.3)) r.left = 0;
    if (n == 1 || dice.chance(0.3)) r.right = rounded(0.4 * n + 0.3);
    for (int i = 0; i < n; ++i) {
      r.x.push_back(rounded(0.3 + 0.4 * i + dice.uniform(-0.1, 0.1)));
      r.v.push_back(rounded(cradle ? (i == 0 ? 1.0 : 0.0) : dice.uniform(-1.5, 1.5)));
      r.mass.push_back(rounded(cradle ? 1 : dice.log_uniform(0.05, 20)));
    }
    const Row start = r;
    if (!r.follow(m.t_end, 5 * m.h)) continue;
    std::vector<std::string> coordinates, masses, contacts;
    const std::string law = fmt::format("law: {{name: unilateral, e: {}}}", value(r.e));
    for (int i = 0; i < n; ++i) {
      coordinates.push_back(
          fmt::format("x{}: {{start: {}, velocity: {}}}", i + 1, value(start.x[i]), value(start.v[i])));
      masses.push_back(fmt::format("x{}: {}", i + 1, value(start.mass[i])));
      m.known.push_back({fmt::format("x{}", i + 1), r.x[i], r.v[i]});
      if (i > 0) contacts.push_back(fmt::format("c{0}: {{gap: x{1} - x{0}, {2}}}", i, i + 1, law));
    }
    if (std::isfinite(r.left))
      contacts.push_back(fmt::format("left: {{gap: x1 - {}, {}}}", value(r.left), law));
    if (std::isfinite(r.right))
      contacts.push_back(fmt::format("right: {{gap: {} - x{}, {}}}", value(r.right), n, law));
    if (r.e > 0) m.features.emplace_back("e>0");
    m.yaml = section("coordinates", coordinates) + section("mass", masses) + section("contacts", contacts);
    return m;
  }
}

// A ball that bounces, with the end between two impacts.
Mechanism ball(Dice& dice) {
  Mechanism m;
  m.passive = m.uniform = true, m.speed = 4;
  const double g = rounded(dice.uniform(2, 10)), e = rounded(dice.uniform(0.5, 1)),
               z = rounded(dice.uniform(0.3, 1));
  const int bounces = dice.integer(1, 6);
  double t = std::sqrt(2 * z / g), v = g * t;
  for (int i = 1; i < bounces; ++i) v *= e, t += 2 * v / g;
  v *= e;
  const double dt = rounded(2 * v / g * dice.uniform(0.2, 0.8));
  m.t_end = rounded(t + dt), m.h = rounded(m.t_end / 300);
  const double s = m.t_end - t;
  m.known = {{"z", v * s - g * s * s / 2, v - g * s}};
  m.features = {"gravity", "e>0"};
  m.yaml = fmt::format(
      "coordinates: {{z: {{start: {}}}}}\nmass: {{z: 2}}\npotential: 2*{}*z\n"
      "contacts: {{floor: {{gap: z, law: {{name: unilateral, e: {}}}}}}}\n",
      value(z), value(g), value(e));
  return m;
}

// A point or a disk flies against a floor without gravity: Coulomb's impulse in closed form.
Mechanism oblique(Dice& dice) {
  Mechanism m;
  m.t_end = 1, m.h = 0.005, m.passive = true, m.known_exactly = true, m.speed = 2;
  const double e = rounded(dice.restitution()), mu = rounded(dice.uniform(0, 1));
  m.uniform = true;  // one contact whose normal and tangent do not influence each other
  m.features = {"friction"};
  if (e > 0) m.features.emplace_back("e>0");
  const bool disk = dice.chance(0.5);
  const double r = disk ? 0.1 : 0, mass = rounded(dice.log_uniform(0.1, 10)), x = 0,
               y = rounded(r + dice.uniform(0.2, 0.6));
  const double vx = rounded(dice.uniform(-2, 2)), vy = rounded(-dice.uniform(0.9, 2)),
               spin = disk ? rounded(dice.uniform(-10, 10)) : 0;
  const double inertia = disk ? mass * r * r / 2 : 1;
  const double t = (y - r) / -vy, slip = vx + r * spin;  // the lowest point moves with vx + r·spin
  const double P = -(1 + e) * vy * mass, stick = -slip / (1 / mass + r * r / inertia);
  const double T = std::abs(stick) <= mu * P ? stick : std::copysign(mu * P, stick);
  const double vx1 = vx + T / mass, vy1 = -e * vy, spin1 = spin + r * T / inertia, rest = m.t_end - t;
  if (disk) {
    m.known = {{"b.x", x + vx * t + vx1 * rest, vx1},
               {"b.y", r + vy1 * rest, vy1},
               {"b.angle", spin * t + spin1 * rest, spin1}};
    m.yaml = fmt::format(
        "gravity: [0, 0]\nmaterials: {{default: {{mu: {}, e_n: {}}}}}\nwalls: {{floor: {{point: [0, 0], "
        "normal: [0, 1]}}}}\n"
        "bodies:\n  b: {{shape: disk, radius: {}, mass: {}, position: [{}, {}], velocity: [{}, {}], spin: "
        "{}}}\n",
        value(mu), value(e), value(r), value(mass), value(x), value(y), value(vx), value(vy), value(spin));
  } else {
    m.known = {{"x", x + vx * t + vx1 * rest, vx1}, {"y", vy1 * rest, vy1}};
    m.yaml = fmt::format(
        "coordinates:\n  x: {{start: {}, velocity: {}}}\n  y: {{start: {}, velocity: {}}}\nmass: {{x: {}, y: "
        "{}}}\n"
        "contacts: {{floor: {{gap: y, slip: x', law: {{name: coulomb, mu: {}, e_n: {}}}}}}}\n",
        value(x), value(vx), value(y), value(vy), value(mass), value(mass), value(mu), value(e));
  }
  return m;
}

// A block on an incline, in coordinates along it: it slides up, stops, and stays or slides down.
Mechanism incline(Dice& dice) {
  Mechanism m;
  m.t_end = 1, m.h = 0.005, m.passive = true, m.uniform = true, m.speed = 3;
  m.features = {"friction", "gravity"};
  const double g = 9.81, a = rounded(dice.uniform(0.05, 1)), mu = rounded(dice.uniform(0.05, 1.2)),
               v = rounded(dice.uniform(0, 3));
  const double gt = rounded(g * std::sin(a)), gn = rounded(g * std::cos(a));
  const double up = gt + mu * gn, down = gt - mu * gn, stop = v / up;
  double x = 0, u = 0;
  if (m.t_end < stop)
    x = v * m.t_end - up * m.t_end * m.t_end / 2, u = v - up * m.t_end;
  else {
    x = v * stop / 2;
    const double t = m.t_end - stop;
    if (down > 0) x -= down * t * t / 2, u = -down * t;
  }
  m.known = {{"x", x, u}, {"y", 0, 0}};
  m.yaml = fmt::format(
      "coordinates:\n  x: {{start: 0, velocity: {}}}\n  y: {{start: 0}}\nmass: {{x: 1, y: 1}}\npotential: "
      "{}*x + {}*y\n"
      "contacts: {{slope: {{gap: y, slip: x', law: {{name: coulomb, mu: {}, e_n: {}}}}}}}\n",
      value(v), value(gt), value(gn), value(mu), value(dice.chance(0.5) ? 0 : dice.uniform(0, 1)));
  return m;
}

}  // namespace

Mechanism make_known(Dice& dice) {
  const int kind = dice.integer(0, 9);
  return kind < 5 ? row(dice) : kind < 7 ? ball(dice) : kind < 9 ? oblique(dice) : incline(dice);
}

Mechanism make_fast(Dice& dice) {
  Mechanism m;
  m.t_end = 1, m.h = 0.01, m.passive = true, m.uniform = true, m.known_exactly = true;
  m.features = {"fast"};
  const double r = 0.02, e = rounded(dice.restitution()),
               v = rounded(2 * r / m.h * dice.log_uniform(1.1, 15));
  const double way = rounded(v * dice.uniform(0.2, 0.7));  // to the obstacle's face
  const double mass = rounded(dice.log_uniform(0.1, 10));
  m.speed = v, m.length = way;
  if (e > 0) m.features.emplace_back("e>0");
  std::string obstacle;
  const double t = way / v, rest = m.t_end - t;
  const int kind = dice.integer(0, 3);
  if (kind == 0) {
    obstacle = fmt::format("walls: {{plate: {{shape: box, point: [{}, 0], size: [0.02, 2]}}}}\n",
                           value(way + r + 0.01));
    m.known = {{"b.x", way - e * v * rest, -e * v}};
  } else if (kind == 1) {
    obstacle =
        fmt::format("walls: {{post: {{shape: circle, point: [{}, 0], radius: 0.02}}}}\n", value(way + 2 * r));
    m.known = {{"b.x", way - e * v * rest, -e * v}};
  } else {
    const double other = rounded(dice.log_uniform(0.1, 10)), P = (1 + e) * v * mass * other / (mass + other);
    m.known = {{"b.x", way + (v - P / mass) * rest, v - P / mass}};
    const double face = kind == 2 ? 2 * r : r + 0.01;
    const double x = rounded(way + face);
    m.known.push_back({"c.x", x + P / other * rest, P / other});
    obstacle = fmt::format("  c: {{{}, mass: {}, position: [{}, 0]}}\n",
                           kind == 2 ? fmt::format("shape: disk, radius: {}", value(r))
                                     : std::string("shape: box, size: [0.02, 0.5]"),
                           value(other), value(x));
  }
  const std::string bodies = fmt::format(
      "bodies:\n  b: {{shape: disk, radius: {}, mass: {}, position: [0, 0], velocity: [{}, 0]}}\n", value(r),
      value(mass), value(v));
  m.yaml = fmt::format("gravity: [0, 0]\nmaterials: {{default: {{e_n: {}}}}}\n", value(e)) +
           (kind < 2 ? obstacle + bodies : bodies + obstacle);
  return m;
}

}  // namespace saltus::mechanisms
