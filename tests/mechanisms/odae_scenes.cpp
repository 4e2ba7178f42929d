// Overdetermined DAEs by formulas: a bead on or above a curve, a pendulum, friction that is a power of the
// normal force.
#include "mechanisms/mechanism.hpp"
#include "mechanisms/scene_text.hpp"

namespace saltus::mechanisms {

Mechanism make_odae(Dice& dice) {
  Mechanism m;
  m.t_end = 1, m.h = 0.005, m.passive = true, m.uniform = true, m.speed = 3;
  m.features = {"odae"};
  const double mass = rounded(dice.log_uniform(0.2, 5));
  std::vector<std::string> parameters = {fmt::format("m: {}", value(mass)),
                                         fmt::format("g: {}", value(dice.uniform(1, 10))),
                                         fmt::format("b: {}", value(dice.uniform(0.1, 1.2))),
                                         fmt::format("x0: {}", value(dice.uniform(-0.8, 0.8))),
                                         fmt::format("v0: {}", value(dice.uniform(-2, 2)))};
  std::vector<std::string> coordinates, velocities, let, reactions;
  std::string constraint;
  const int kind = dice.integer(0, 3);
  if (kind == 0) {  // pendulum of length 1
    coordinates = {"x: {start: sin(x0)}", "y: {start: -cos(x0)}"};
    velocities = {"v: {start: v0*cos(x0)}", "w: {start: v0*sin(x0)}"};
    reactions = {"v: 2*x*psi/m", "w: 2*y*psi/m"};
    constraint = "rod: {gap: x^2 + y^2 - 1, multiplier: psi}";
    m.smooth = true;
  } else {
    const bool cubic = dice.chance(0.3), flies = kind == 3, unilateral = kind >= 2;
    const std::string curve = cubic ? "b*x^3" : "b*x^2", slope = cubic ? "3*b*x^2" : "2*b*x";
    const std::string start = cubic ? "b*x0^3" : "b*x0^2", tangent = cubic ? "3*b*x0^2*v0" : "2*b*x0*v0";
    coordinates = {"x: {start: x0}", fmt::format("y: {{start: \"{}{}\"}}", start,
                                                 flies ? " + " + value(dice.uniform(0.1, 0.5)) : "")};
    velocities = {"v: {start: v0}", fmt::format("w: {{start: \"{}\"}}", tangent)};
    reactions = {fmt::format("v: -({})*psi/m", slope), "w: psi/m"};
    constraint = fmt::format("wire: {{gap: y - {}, multiplier: psi{}}}", curve,
                             unilateral ? fmt::format(", unilateral: true, e: {}",
                                                      value(dice.chance(0.5) ? 0 : dice.uniform(0.1, 0.9)))
                                        : "");
    m.smooth = !unilateral;
    if (unilateral) m.features.emplace_back("unilateral");
  }
  std::vector<std::string> rates = {"x: v", "y: w", "w: -g"};
  if (dice.chance(0.3)) {  // air
    const double c = dice.uniform(0.1, 1);
    rates = {"x: v", "y: w", fmt::format("v: -{}*v", value(c)), fmt::format("w: -g - {}*w", value(c))};
  }
  m.yaml = section("parameters", parameters) + section("coordinates", coordinates) +
           section("velocities", velocities) + section("rates", rates) + section("reactions", reactions) +
           section("constraints", {constraint}) + "kinetic: m/2*(v^2 + w^2)\npotential: m*g*y\n";
  return m;
}

}  // namespace saltus::mechanisms
