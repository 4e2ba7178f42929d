// Bodies with links: chains that hang from a pivot, a slider in its guide, a four-bar linkage, gears; with
// springs, dampers, motors and a wall.
#include "mechanisms/body_text.hpp"
#include "mechanisms/mechanism.hpp"

namespace saltus::mechanisms {
namespace {

struct Linkage {
  Dice& dice;
  Mechanism m;
  std::vector<std::string> bodies, links, springs, motors, walls;
  double e, mu;

  explicit Linkage(Dice& d)
      : dice(d), e(rounded(d.restitution())), mu(d.chance(0.5) ? 0 : rounded(d.uniform(0, 0.6))) {
    m.t_end = 0.6, m.h = 0.003, m.passive = true, m.uniform = e == 0 || mu == 0, m.speed = 2;
    m.features = {"links"};
  }
  void body(const std::string& name, const std::string& shape, double x, double y,
            const std::string& more = "") {
    bodies.push_back(fmt::format("{}: {{{}, mass: {}, position: [{}, {}]{}}}", name, shape,
                                 value(dice.log_uniform(0.2, 5)), value(x), value(y), more));
  }
  void wall(double y) {
    if (!dice.chance(0.5)) return;
    walls.push_back(fmt::format("floor: {{point: [0, {}], normal: [0, 1]}}", value(y)));
    m.features.emplace_back("wall");
    if (e > 0) m.features.emplace_back("e>0");
    if (mu > 0) m.features.emplace_back("friction");
  }

  /// Bars end to end from the pivot (0, 0) to the right.
  void chain() {
    const int n = dice.integer(1, 4);
    const double l = 0.4;
    for (int i = 0; i < n; ++i) {
      body(fmt::format("b{}", i + 1), fmt::format("shape: box, size: [{}, 0.08]", value(l)), l * (i + 0.5),
           0);
      links.push_back(i == 0 ? std::string("pin1: {type: revolute, a: b1, at: [0, 0]}")
                             : fmt::format("pin{1}: {{type: revolute, a: b{0}, b: b{1}, at: [{2}, 0]}}", i,
                                           i + 1, value(l * i)));
    }
    if (dice.chance(0.3))
      springs.push_back(fmt::format("s: {{a: b{}, stiffness: {}, damping: {}, at_b: [{}, 0.5]}}", n,
                                    value(dice.uniform(1, 40)), value(dice.uniform(0, 1)), value(l * n)));
    if (dice.chance(0.3)) motor("pin1");
    wall(-dice.uniform(0.3, 0.5) * l * n - 0.1);
  }
  void motor(const std::string& link) {
    m.features.emplace_back("motor");
    const int kind = dice.integer(0, 2);
    if (kind == 0) {  // a brake
      motors.push_back(
          fmt::format("drive: {{link: {}, speed: 0, limit: {}}}", link, value(dice.uniform(0.1, 3))));
      return;
    }
    m.passive = false;
    motors.push_back(kind == 1 ? fmt::format("drive: {{link: {}, torque: {}*cos({}*t)}}", link,
                                             value(dice.uniform(0.2, 4)), value(dice.uniform(1, 10)))
                               : fmt::format("drive: {{link: {}, speed: {}, limit: {}}}", link,
                                             num(dice.uniform(-5, 5)), value(dice.uniform(0.5, 5))));
  }
  /// A slider in a guide, with a pendulum on it.
  void slider() {
    const double a = dice.uniform(-0.5, 0.5);
    body("b1", "shape: box, size: [0.3, 0.2]", 0, 0);
    links.push_back(fmt::format("guide: {{type: prismatic, a: b1, at: [0, 0], axis: [{}, {}]}}",
                                value(std::cos(a)), value(std::sin(a))));
    body("b2", "shape: disk, radius: 0.1", 0.4, -0.1);
    links.push_back(dice.chance(0.5) ? std::string("rod: {type: distance, a: b1, b: b2}")
                                     : std::string("pin: {type: revolute, a: b1, b: b2, at: [0, 0]}"));
    if (dice.chance(0.5))
      springs.push_back(fmt::format("s: {{a: b1, at_b: [0.5, 0.1], stiffness: {}, damping: {}}}",
                                    value(dice.uniform(5, 50)), value(dice.uniform(0, 2))));
    wall(-0.5);
  }
  /// Free bodies joined by welds, distances or springs, without gravity: both momenta stay.
  void cluster() {
    const int n = dice.integer(2, 4);
    Mechanism::Momentum px, py;
    for (int i = 0; i < n; ++i) {
      const std::string name = fmt::format("b{}", i + 1);
      const double mass = rounded(dice.log_uniform(0.2, 5));
      bodies.push_back(fmt::format("{}: {{{}, mass: {}, position: [{}, {}]}}", name,
                                   shape_text(dice, dice.pick({"disk", "box"}), 0.15), value(mass),
                                   value(0.45 * i), value(dice.uniform(-0.2, 0.2))));
      px.weights.emplace_back(name + ".x", mass);
      py.weights.emplace_back(name + ".y", mass);
      if (i == 0) continue;
      const std::string pair = fmt::format("a: b{}, b: b{}", i, i + 1);
      const int kind = dice.integer(0, 3);
      if (kind == 0) links.push_back(fmt::format("l{}: {{type: weld, {}}}", i, pair));
      if (kind == 1) links.push_back(fmt::format("l{}: {{type: distance, {}}}", i, pair));
      if (kind == 2)
        links.push_back(
            fmt::format("l{}: {{type: revolute, {}, at: [{}, 0]}}", i, pair, value(0.45 * i - 0.2)));
      if (kind == 3)
        springs.push_back(fmt::format("s{}: {{{}, stiffness: {}, damping: {}, length: {}}}", i, pair,
                                      value(dice.uniform(5, 60)), value(dice.uniform(0, 1)),
                                      value(dice.uniform(0.3, 0.6))));
    }
    // a projectile hits the first one
    const double mass = rounded(dice.log_uniform(0.2, 5));
    bodies.push_back(
        fmt::format("shot: {{shape: disk, radius: 0.1, mass: {}, position: [-0.6, {}], velocity: [{}, 0]}}",
                    value(mass), value(dice.uniform(-0.1, 0.1)), value(dice.uniform(1, 3))));
    px.weights.emplace_back("shot.x", mass);
    py.weights.emplace_back("shot.y", mass);
    m.momenta = {px, py};
    if (e > 0) m.features.emplace_back("e>0");
    if (mu > 0) m.features.emplace_back("friction");
  }
  void gears() {
    body("b1", "shape: disk, radius: 0.3", 0, 0,
         fmt::format(", spin: {}", value(rounded(dice.uniform(-5, 5)))));
    body("b2", "shape: disk, radius: 0.2", 0.6, 0);
    links = {"p1: {type: revolute, a: b1, at: [0, 0]}", "p2: {type: revolute, a: b2, at: [0.6, 0]}"};
    bodies[0] = bodies[0].substr(0, bodies[0].find(", spin")) + "}";
    links.push_back(
        fmt::format("gear: {{type: gear, a: b1, b: b2, ratio: {}}}", value(-dice.uniform(0.5, 2))));
    motor("p1");
  }
  Mechanism scene(const std::string& gravity) {
    m.yaml = gravity +
             section("materials", {fmt::format("default: {{mu: {}, e_n: {}}}", value(mu), value(e))}) +
             section("walls", walls) + section("bodies", bodies) + section("links", links) +
             section("springs", springs) + section("motors", motors);
    return std::move(m);
  }
};

}  // namespace

Mechanism make_linkage(Dice& dice) {
  Linkage l(dice);
  const int kind = dice.integer(0, 9);
  if (kind < 4)
    l.chain();
  else if (kind < 6)
    l.slider();
  else if (kind < 9)
    l.cluster();
  else
    l.gears();
  return l.scene(kind >= 6 && kind < 9 ? "gravity: [0, 0]\n" : "");
}

}  // namespace saltus::mechanisms
