// Joints by equations: pendulums of one to three masses in redundant coordinates, the same in angles by their
// kinetic energy, and a bead on a wire; with a wall, friction at the wall, dampers, and drives of the pivot.
#include "mechanisms/mechanism.hpp"
#include "mechanisms/scene_text.hpp"

namespace saltus::mechanisms {
namespace {

struct Pendulum {
  Dice& dice;
  Mechanism m;
  std::vector<std::string> parameters, coordinates, let, masses, kinetic, potential, forces, contacts, joints;
  double e;
  explicit Pendulum(Dice& d) : dice(d), e(rounded(d.restitution())) {
    m.t_end = 1, m.h = 0.004, m.passive = true, m.uniform = true, m.speed = 3;
  }

  /// A vertical wall at the left of point (x, y), `room` away from it, with friction now and then.
  void wall(const std::string& x, const std::string& y, const std::string& room) {
    if (!dice.chance(0.7)) return;
    if (e > 0) m.features.emplace_back("e>0");
    if (dice.chance(0.3)) {
      m.features.emplace_back("friction");
      m.uniform = e == 0;
      contacts.push_back(
          fmt::format("wall: {{gap: {} + {}, slip: {}', law: {{name: coulomb, mu: {}, e_n: {}}}}}", x, room,
                      y, value(dice.uniform(0.05, 0.8)), value(e)));
    } else {
      contacts.push_back(
          fmt::format("wall: {{gap: {} + {}, law: {{name: unilateral, e: {}}}}}", x, room, value(e)));
    }
  }

  Mechanism scene() {
    m.yaml = section("parameters", parameters) + section("coordinates", coordinates) + section("let", let) +
             section("mass", masses) + sum("kinetic", kinetic) + sum("potential", potential) +
             section("forces", forces) + section("contacts", contacts) + section("joints", joints);
    return std::move(m);
  }

  /// Rods l_i at angles a_i from below, turning at w_i; n masses.
  void rods(int n) {
    for (int i = 1; i <= n; ++i) {
      parameters.push_back(fmt::format("m{}: {}", i, value(dice.log_uniform(0.2, 5))));
      parameters.push_back(fmt::format("l{}: {}", i, value(dice.uniform(0.3, 1))));
      parameters.push_back(fmt::format("a{}: {}", i, value(dice.uniform(0.2, 1.6))));
      parameters.push_back(fmt::format("w{}: {}", i, value(dice.chance(0.5) ? dice.uniform(-3, 3) : 0)));
    }
    parameters.push_back(fmt::format("g: {}", value(dice.uniform(2, 10))));
  }
  Mechanism redundant() {
    const int n = dice.integer(1, 3);
    rods(n);
    m.features.emplace_back("joints");
    std::string x = "0", y = "0", vx = "0", vy = "0";  // of the start
    for (int i = 1; i <= n; ++i) {
      x += fmt::format(" + l{0}*sin(a{0})", i), y += fmt::format(" - l{0}*cos(a{0})", i);
      vx += fmt::format(" + l{0}*w{0}*cos(a{0})", i), vy += fmt::format(" + l{0}*w{0}*sin(a{0})", i);
      coordinates.push_back(fmt::format("x{}: {{start: \"{}\", velocity: \"{}\"}}", i, x, vx));
      coordinates.push_back(fmt::format("y{}: {{start: \"{}\", velocity: \"{}\"}}", i, y, vy));
      masses.push_back(fmt::format("x{0}: m{0}", i));
      masses.push_back(fmt::format("y{0}: m{0}", i));
      potential.push_back(fmt::format("m{0}*g*y{0}", i));
      joints.push_back(i == 1 ? std::string("rod1: x1^2 + y1^2 - l1^2")
                              : fmt::format("rod{0}: (x{0} - x{1})^2 + (y{0} - y{1})^2 - l{0}^2", i, i - 1));
    }
    wall(fmt::format("x{}", n), fmt::format("y{}", n), value(dice.uniform(0, 0.4)));
    return scene();
  }

  Mechanism angles() {
    const int n = dice.integer(1, 2);
    rods(n);
    m.features.emplace_back("kinetic");
    const bool shaken = dice.chance(0.2);
    if (shaken) m.passive = false, m.features.emplace_back("driven");
    std::string x =
        shaken ? fmt::format("{}*sin({}*t)", value(dice.uniform(0.02, 0.1)), value(dice.uniform(2, 10)))
               : "0";
    std::string y = "0";
    for (int i = 1; i <= n; ++i) {
      coordinates.push_back(fmt::format("p{0}: {{start: a{0}, velocity: w{0}}}", i));
      x += fmt::format(" + l{0}*sin(p{0})", i), y += fmt::format(" - l{0}*cos(p{0})", i);
      let.push_back(fmt::format("x{}: {}", i, x));
      let.push_back(fmt::format("y{}: {}", i, y));
      kinetic.push_back(fmt::format("m{0}/2*(x{0}'^2 + y{0}'^2)", i));
      potential.push_back(fmt::format("m{0}*g*y{0}", i));
      if (dice.chance(0.3))
        forces.push_back(fmt::format("p{0}: -{1}*p{0}'", i, value(dice.uniform(0.01, 0.3))));
    }
    wall(fmt::format("x{}", n), fmt::format("y{}", n), value(dice.uniform(0, 0.4)));
    return scene();
  }

  /// A bead on the wire y = b x² (joint), or above it (contact), pulled by a spring.
  Mechanism wire() {
    m.features.emplace_back("curved");
    parameters = {fmt::format("b: {}", value(dice.uniform(-0.8, 1.5))),
                  fmt::format("x0: {}", value(dice.uniform(-0.8, 0.8))),
                  fmt::format("v0: {}", value(dice.uniform(-2, 2))),
                  fmt::format("m: {}", value(dice.log_uniform(0.1, 10))),
                  fmt::format("g: {}", value(dice.uniform(1, 10)))};
    const bool above = dice.chance(0.5);
    coordinates = {"x: {start: x0, velocity: v0}",
                   fmt::format("y: {{start: \"b*x0^2 + {}\", velocity: \"2*b*x0*v0\"}}",
                               value(above ? dice.uniform(0, 0.5) : 0))};
    masses = {"x: m", "y: m"};
    potential = {"m*g*y", fmt::format("m*{}*x^2", value(dice.uniform(0, 20)))};
    if (!above) {
      joints = {"wire: y - b*x^2"};
      m.features.emplace_back("joints");
      wall("x", "y", value(dice.uniform(0.8, 1)));
    } else if (dice.chance(0.5)) {
      contacts.push_back(
          fmt::format("ground: {{gap: y - b*x^2, law: {{name: unilateral, e: {}}}}}", value(e)));
      if (e > 0) m.features.emplace_back("e>0");
    } else {
      m.uniform = e == 0;
      m.features.emplace_back("friction");
      if (e > 0) m.features.emplace_back("e>0");
      contacts.push_back(fmt::format(
          "ground: {{gap: y - b*x^2, slip: x' + 2*b*x*y', law: {{name: coulomb, mu: {}, e_n: {}}}}}",
          value(dice.uniform(0.05, 0.8)), value(e)));
    }
    return scene();
  }
};

}  // namespace

Mechanism make_pendulum(Dice& dice) {
  Pendulum p(dice);
  const int kind = dice.integer(0, 2);
  return kind == 0 ? p.redundant() : kind == 1 ? p.angles() : p.wire();
}

}  // namespace saltus::mechanisms
