// Equations of first order: the section `rates`.
#include "saltus/formula/formula_ode.hpp"
#include "saltus/scene/formulas.hpp"

namespace saltus {

SceneSystem compile_ode(SceneCompiler& c, SceneSystem out) {
  const Scene& scene = c.scene();
  const int n = static_cast<int>(out.q0.size()), own = c.own();
  std::vector<Graph::Id> rhs(n, -1);
  std::vector<std::string> names;
  for (const auto& [name, place, f] : scene.rates.list) {
    const int i = c.find(c.coordinates(), "coordinate", name, place, "rates." + name);
    const Term x = c.compile(f, SceneCompiler::Use::positions);
    if (i < 0) continue;
    if (const auto& d = c.coordinates()[i].dimension)
      c.expect(x, *d / time_dimension, f, "the rate of " + name);
    rhs[i] = x.node;
  }
  const bool reported = c.complaints().about("rates");
  for (int i = 0; i < n; ++i) {
    names.push_back(c.coordinates()[i].name);
    if (rhs[i] < 0 && i < own && !reported)
      c.complaints().add(scene.rates.list[0].place, "rates",
                         fmt::format("the rate of {} is missing", names[i]));
  }
  if (scene.mass.given() || scene.kinetic.given() || !scene.forces.empty() || !scene.contacts.empty() ||
      !scene.joints.empty() || !scene.bodies.empty() || !scene.groups.empty() || !scene.beams.empty() ||
      !scene.motions.empty() || scene.ready)
    c.complaints().add(scene.rates.list[0].place, "rates",
                       "equations of first order stand alone: no mass, forces, contacts, joints or bodies");
  for (const auto& x : scene.coordinates.list)
    if (x.value.velocity.given())
      c.complain(x.value.velocity, "an equation of first order has no start velocities");
  if (!c.complaints().only_in(about_the_run)) return out;
  out.system = std::make_shared<FormulaOde>(c.graph(), rhs, names, c.parameter_values());
  out.u0.resize(0);
  return out;
}

}  // namespace saltus
