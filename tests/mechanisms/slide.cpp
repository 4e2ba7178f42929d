// Points of the plane with Coulomb's friction: they fly, hit a floor that may be inclined or move, stick and
// slip; springs join them. And oscillators with dry friction of a fixed limit.
#include "mechanisms/mechanism.hpp"
#include "mechanisms/scene_text.hpp"

namespace saltus::mechanisms {

Mechanism make_slide(Dice& dice) {
  Mechanism m;
  m.t_end = 1.5, m.h = 0.0075, m.passive = true, m.speed = 3;
  const int n = dice.integer(1, 3);
  const double slope = dice.chance(0.4) ? rounded(dice.uniform(-0.8, 0.8)) : 0;
  const double g = rounded(dice.uniform(2, 10)), e = rounded(dice.restitution()),
               mu = rounded(dice.uniform(0, 1.2));
  // with friction Newton's law is sure to take energy only where normal and tangent have one restitution
  const double e_t = dice.chance(0.3) ? e : 0;
  m.uniform = e_t == e || mu == 0;
  m.features = {"friction"};
  if (e > 0) m.features.emplace_back("e>0");
  const bool table = dice.chance(0.2), belt = dice.chance(0.2);
  if (table || belt) m.passive = false, m.features.emplace_back("driven");
  const std::string lift =
      table ? fmt::format(" - {}*sin({}*t)", value(dice.uniform(0.01, 0.08)), value(dice.uniform(2, 15)))
            : "";
  const std::string belt_speed = belt ? fmt::format(" - {}", num(dice.uniform(-2, 2))) : "";
  const std::string c = value(std::cos(slope)), s = num(std::sin(slope));
  std::vector<std::string> coordinates, masses, potential, contacts;
  std::vector<double> mass;
  for (int i = 1; i <= n; ++i) {
    const double x = rounded(0.7 * i), above = dice.chance(0.35) ? 0 : dice.uniform(0.02, 0.8);
    // the floor passes through the origin: gap = cos·y − sin·x
    const bool touching = above == 0 && slope == 0;
    const double y = touching ? 0 : rounded(std::tan(slope) * x + above + 1e-4);
    const double v = dice.chance(0.5) ? dice.uniform(-3, 3) : 0;
    mass.push_back(rounded(dice.log_uniform(0.1, 10)));
    coordinates.push_back(fmt::format("x{}: {{start: {}, velocity: {}}}", i, value(x), value(v)));
    coordinates.push_back(fmt::format("y{}: {{start: {}, velocity: {}}}", i, value(y),
                                      value(above > 0 ? dice.uniform(-2, 1) : 0)));
    masses.push_back(fmt::format("x{}: {}", i, value(mass.back())));
    masses.push_back(fmt::format("y{}: {}", i, value(mass.back())));
    potential.push_back(fmt::format("{}*y{}", value(mass.back() * g), i));
    contacts.push_back(
        fmt::format("floor{0}: {{gap: {1}*y{0} - {2}*x{0}{3}, slip: {1}*x{0}' + {2}*y{0}'{4}, "
                    "law: {{name: coulomb, mu: {5}, e_n: {6}, e_t: {7}}}}}",
                    i, c, s, lift, belt_speed, value(mu), value(e), value(e_t)));
  }
  for (int i = 1; i < n; ++i)
    if (dice.chance(0.5)) {
      const double omega = dice.uniform(2, 12);
      const double k = std::min(mass[i - 1], mass[i]) * omega * omega / 2;
      potential.push_back(fmt::format("{}*(hypot(x{} - x{}, y{} - y{}) - {})^2", value(k), i + 1, i, i + 1, i,
                                      value(dice.uniform(0.4, 0.9))));
      m.features.emplace_back("spring");
    }
  m.yaml = section("coordinates", coordinates) + section("mass", masses) + sum("potential", potential) +
           section("contacts", contacts);
  return m;
}

Mechanism make_dry_friction(Dice& dice) {
  Mechanism m;
  m.t_end = 3, m.h = 0.01, m.passive = true, m.uniform = true, m.smooth = true;
  m.features = {"dry-friction"};
  const int n = dice.integer(1, 3);
  const bool belt = dice.chance(0.3);
  if (belt) m.passive = false, m.features.emplace_back("driven");
  const std::string v = belt ? fmt::format(" - {}", num(dice.uniform(-1, 1))) : "";
  std::vector<std::string> coordinates, masses, potential, contacts;
  std::vector<double> mass;
  for (int i = 1; i <= n; ++i) {
    mass.push_back(rounded(dice.log_uniform(0.1, 10)));
    coordinates.push_back(fmt::format("x{}: {{start: {}, velocity: {}}}", i, value(dice.uniform(-1, 1)),
                                      value(dice.uniform(-1, 1))));
    masses.push_back(fmt::format("x{}: {}", i, value(mass.back())));
    const double omega = dice.uniform(1, 8);
    potential.push_back(i == 1 || dice.chance(0.5)
                            ? fmt::format("{}*x{}^2", value(mass.back() * omega * omega / 2), i)
                            : fmt::format("{}*(x{} - x{})^2",
                                          value(std::min(mass[i - 1], mass[i - 2]) * omega * omega / 2), i,
                                          i - 1));
    const double limit = mass.back() * omega * dice.uniform(0.05, 0.6);
    const int law = dice.integer(0, 5);
    if (law <= 2)
      contacts.push_back(
          fmt::format("f{0}: {{slip: x{0}'{1}, law: {{name: tresca, limit: {2}}}}}", i, v, value(limit)));
    else if (law <= 4)
      contacts.push_back(fmt::format("f{0}: {{slip: x{0}'{1}, law: {{name: relay, lower: {2}, upper: {3}}}}}",
                                     i, v, value(-limit),
                                     value(limit * (dice.chance(0.5) ? 1 : dice.uniform(0.2, 1)))));
    else {
      contacts.push_back(
          fmt::format("f{0}: {{gap: x{0} - {1}, law: {{name: prestressed-spring, limit: {2}}}}}", i,
                      num(dice.uniform(-0.5, 0.5)), value(limit)));
      m.features.emplace_back("prestressed");
      m.passive = false;  // its spring is no part of the reported energy
    }
  }
  m.yaml = section("coordinates", coordinates) + section("mass", masses) + sum("potential", potential) +
           section("contacts", contacts);
  return m;
}

}  // namespace saltus::mechanisms
