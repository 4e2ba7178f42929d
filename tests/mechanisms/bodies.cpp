// Rigid bodies of the plane between walls, free in space, or stacked; of rigid and of compliant materials.
#include "mechanisms/body_text.hpp"
#include "mechanisms/mechanism.hpp"

namespace saltus::mechanisms {
namespace {

// Bodies on the places of a grid so wide that their circles do not overlap.
void scatter(Dice& dice, int count, double speed, double spin, std::vector<std::string>& bodies, Mechanism& m,
             const std::vector<std::string>& shapes) {
  Mechanism::Momentum px, py;
  for (int i = 0; i < count; ++i) {
    const double r = rounded(dice.uniform(0.1, 0.24)), mass = rounded(dice.log_uniform(0.1, 10));
    const double x = 0.5 * (i % 3) + 0.3, y = 0.5 * (i / 3) + 0.3;
    const std::string name = fmt::format("b{}", i + 1);
    const std::string& shape = shapes[dice.next() % shapes.size()];
    if (shape != "disk") m.features.emplace_back("corners");
    bodies.push_back(
        fmt::format("{}: {{{}, mass: {}, position: [{}, {}], angle: {}, velocity: [{}, {}], spin: {}}}", name,
                    shape_text(dice, shape, r), value(mass), value(x), value(y), value(dice.uniform(0, 3)),
                    value(dice.uniform(-speed, speed)), value(dice.uniform(-speed, speed)),
                    value(dice.uniform(-spin, spin))));
    px.weights.emplace_back(name + ".x", mass);
    py.weights.emplace_back(name + ".y", mass);
  }
  m.momenta = {px, py};
}

std::vector<std::string> room() {
  return {"floor: {point: [0, 0], normal: [0, 1]}", "left: {point: [0, 0], normal: [1, 0]}",
          "right: {point: [1.6, 0], normal: [-1, 0]}"};
}

}  // namespace

std::string shape_text(Dice& dice, const std::string& shape, double r) {
  if (shape == "disk") return fmt::format("shape: disk, radius: {}", value(r));
  if (shape == "box") {
    const double a = dice.uniform(0.4, 1.1);  // half the angle between the diagonals
    return fmt::format("shape: box, size: [{}, {}]", value(2 * r * std::cos(a)), value(2 * r * std::sin(a)));
  }
  const int corners = dice.integer(3, 6);
  std::vector<std::string> points;
  for (int k = 0; k < corners; ++k) {
    const double a = 6.283185307 * (k + dice.uniform(-0.2, 0.2)) / corners;
    points.push_back(fmt::format("[{:.4f}, {:.4f}]", 0.9 * r * std::cos(a), 0.9 * r * std::sin(a)));
  }
  return fmt::format("shape: polygon, points: [{}]", fmt::join(points, ", "));
}

Mechanism make_bodies(Dice& dice) {
  Mechanism m;
  m.t_end = 0.8, m.h = 0.004, m.passive = true, m.speed = 2;
  const double e = rounded(dice.restitution()), mu = dice.chance(0.3) ? 0 : rounded(dice.uniform(0, 1));
  const double e_t = dice.chance(0.3) ? e : 0;
  m.uniform = e_t == e || mu == 0;
  if (e > 0) m.features.emplace_back("e>0");
  if (mu > 0) m.features.emplace_back("friction");
  std::vector<std::string> bodies;
  std::string gravity, walls;
  const int kind = dice.integer(0, 3);
  if (kind == 3) {  // a stack of boxes, or of disks in a groove, at rest
    m.features.emplace_back("stack");
    const int n = dice.integer(1, 4);
    double y = 0;
    for (int i = 0; i < n; ++i) {
      const double height = 0.01 * dice.integer(10, 30);  // exact in the text, halves and sums too
      bodies.push_back(fmt::format("b{}: {{shape: box, size: [{}, {}], mass: {}, position: [{}, {}]}}", i + 1,
                                   value(dice.uniform(0.4, 0.6)), value(height),
                                   value(dice.log_uniform(0.1, 10)), value(0.8 + dice.uniform(-0.05, 0.05)),
                                   value(y + height / 2)));
      y = rounded(y + height);
    }
    gravity = "gravity: [0, -9.81]\n";
    walls = section("walls", room());
    m.momenta.clear();
  } else {
    const std::vector<std::string> shapes = dice.chance(0.4)
                                                ? std::vector<std::string>{"disk"}
                                                : std::vector<std::string>{"disk", "box", "polygon"};
    scatter(dice, dice.integer(1, kind == 0 ? 3 : 6), 1.5, 5, bodies, m, shapes);
    if (kind == 2) {  // free flight
      gravity = "gravity: [0, 0]\n";
    } else {
      gravity = fmt::format("gravity: [0, {}]\n", value(-dice.uniform(1, 10)));
      walls = section("walls", room());
      m.momenta.clear();
    }
  }
  m.yaml = gravity +
           section("materials",
                   {fmt::format("default: {{mu: {}, e_n: {}, e_t: {}}}", value(mu), value(e), value(e_t))}) +
           walls + section("bodies", bodies);
  return m;
}

Mechanism make_soft_bodies(Dice& dice) {
  Mechanism m;
  // k d^1.5 = 10 m g-like at d = 5 % of a radius; the step resolves √(m/k') many times over
  m.t_end = 0.5, m.h = 0.001, m.passive = true, m.uniform = true, m.compliant = true, m.smooth = true,
  m.speed = 2;
  const int kind = dice.integer(0, 2);
  const double k = dice.log_uniform(2e3, 2e4);
  const std::string law = kind == 0 ? fmt::format("{{name: hertz, k: {}}}", value(k))
                          : kind == 1
                              ? fmt::format("{{name: kuwabara-kono, k: {}, gamma: {}}}", value(k),
                                            value(dice.log_uniform(1e-4, 5e-3)))
                              : fmt::format("{{name: dashpot, k: {}, c: {}, p: {}}}", value(k),
                                            value(dice.uniform(0, 5)), value(dice.chance(0.5) ? 1 : 1.5));
  m.features = {"compliant"};
  if (kind == 2) m.features.emplace_back("dashpot");
  std::vector<std::string> bodies;
  const std::vector<std::string> shapes = dice.chance(0.5)
                                              ? std::vector<std::string>{"disk"}
                                              : std::vector<std::string>{"disk", "box", "polygon"};
  scatter(dice, dice.integer(1, 4), 1, 3, bodies, m, shapes);
  std::string walls, gravity = "gravity: [0, 0]\n";
  if (dice.chance(0.6)) {
    walls = section("walls", room());
    gravity = fmt::format("gravity: [0, {}]\n", value(-dice.uniform(1, 10)));
    m.momenta.clear();
  }
  m.yaml =
      gravity + section("materials", {"default: {law: " + law + "}"}) + walls + section("bodies", bodies);
  return m;
}

}  // namespace saltus::mechanisms
