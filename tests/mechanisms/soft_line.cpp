// Masses on a line with compliant contacts, by formulas and by the chains of the catalog.
#include "mechanisms/mechanism.hpp"
#include "mechanisms/scene_text.hpp"

namespace saltus::mechanisms {

Mechanism make_soft_line(Dice& dice) {
  Mechanism m;
  // a collision lasts about 3 (m²/(k² v))^(1/5), at least 30 steps here
  m.t_end = 1, m.h = 0.002, m.passive = true, m.uniform = true, m.compliant = true, m.smooth = true;
  m.features = {"compliant"};
  const int n = dice.integer(1, 5);
  const bool wall = n == 1 || dice.chance(0.3);
  std::vector<std::string> coordinates, masses, contacts;
  Mechanism::Momentum p;
  double at = 0.1;
  const auto law = [&] {
    const double k = dice.log_uniform(30, 3000);
    const int kind = dice.integer(0, 2);
    if (kind == 0) return fmt::format("{{name: hertz, k: {}}}", value(k));
    if (kind == 1)
      return fmt::format("{{name: kuwabara-kono, k: {}, gamma: {}}}", value(k),
                         value(dice.log_uniform(1e-3, 3e-2)));
    m.features.emplace_back("dashpot");
    return fmt::format("{{name: dashpot, k: {}, c: {}, p: {}}}", value(k), value(dice.uniform(0, 3)),
                       value(dice.pick({1.0, 1.5, 2.0})));
  };
  for (int i = 1; i <= n; ++i) {
    const double mass = rounded(dice.log_uniform(0.5, 3));
    coordinates.push_back(
        fmt::format("x{}: {{start: {}, velocity: {}}}", i, value(at), value(dice.uniform(-1, 1))));
    masses.push_back(fmt::format("x{}: {}", i, value(mass)));
    p.weights.emplace_back(fmt::format("x{}", i), mass);
    if (i > 1) contacts.push_back(fmt::format("c{0}: {{gap: x{1} - x{0}, law: {2}}}", i - 1, i, law()));
    at += dice.chance(0.5) ? 0 : dice.uniform(0.02, 0.2);
  }
  if (wall)
    contacts.push_back(fmt::format("wall: {{gap: x1, law: {}}}", law()));
  else
    m.momenta.push_back(p);
  m.yaml = section("coordinates", coordinates) + section("mass", masses) + section("contacts", contacts);
  return m;
}

Mechanism make_chain(Dice& dice) {
  Mechanism m;
  m.t_end = 6, m.h = 0.02, m.passive = true, m.uniform = true, m.smooth = true;
  m.features = {"chain"};
  const int kind = dice.integer(0, 3), n = dice.integer(3, 12);
  const double gamma = dice.chance(0.4) ? 0 : dice.uniform(0.02, 0.3);
  std::string problem, more;
  Mechanism::Momentum p;
  if (kind == 0) {
    problem = "homogeneous-chain",
    more = fmt::format("n: {}, disorder: {}", n, value(dice.chance(0.5) ? dice.uniform(0, 0.5) : 0));
    for (int i = 0; i < n; ++i) p.weights.emplace_back(fmt::format("q{}", i), 1);
  } else if (kind == 1) {
    const double eps = rounded(dice.uniform(0.2, 2));
    problem = "dimer-chain", more = fmt::format("n: {}, eps: {}", n, value(eps));
    for (int i = 0; i < n; ++i) p.weights.emplace_back(fmt::format("q{}", i), i % 2 == 0 ? 1 : eps);
  } else if (kind == 2) {
    problem = "newtons-cradle", more = fmt::format("n: {}, K: {}", n, value(dice.uniform(0.005, 0.5)));
  } else {
    problem = "homogeneous-chain";
    more = fmt::format("n: {}, left_wall: true, right_wall: {}, gravity: {}", n, dice.chance(0.5),
                       value(dice.chance(0.5) ? dice.uniform(0, 0.2) : 0));
    m.passive = more.find("gravity: 0}") != std::string::npos;
  }
  if (!p.weights.empty()) m.momenta.push_back(p);
  m.yaml = fmt::format(
      "ready:\n  problem: {}\n  parameters: {{{}, gamma: {}, formulation: {}, reference: none}}\n", problem,
      more, value(gamma), dice.chance(0.7) ? "y" : "x");
  return m;
}

}  // namespace saltus::mechanisms
