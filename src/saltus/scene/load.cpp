#include "saltus/scene/load.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/odae/mechanical_odae.hpp"
#include "saltus/run/compatibility.hpp"
#include "saltus/run/family_rules.hpp"
#include "saltus/run/step_grid.hpp"
#include "saltus/scene/chain_beside.hpp"
#include "saltus/scene/chains.hpp"
#include "saltus/scene/document.hpp"
#include "saltus/scene/draw.hpp"
#include "saltus/scene/formulas.hpp"
#include "saltus/scene/outputs.hpp"
#include "saltus/scene/ready.hpp"
#include "saltus/scene/space.hpp"
#include "saltus/scene/start.hpp"
#include "saltus/study/convergence.hpp"
#include "saltus/system/mechanical_ode.hpp"

namespace saltus {
namespace {

/// What a scene comes to with one set of values.
struct Built {
  Scene scene;
  CatalogProblem problem;
  std::vector<FieldDescription> parameters;
  std::vector<std::string> coordinates, units, rate_units, velocities, measure_units;
  std::shared_ptr<const Drawing> drawing;
};

// Friction by a power of the normal force makes a mechanical system an ODAE; a smooth one with a scheme of
// first order is run as such a system.
std::shared_ptr<const DynamicSystem> fitted(const SceneSystem& compiled, const SceneRun& run,
                                            const MethodTexts& chosen, SceneCompiler& c) {
  const auto& system = compiled.system;
  if (compiled.friction_power)
    return std::make_shared<MechanicalOdae>(std::static_pointer_cast<const System>(system),
                                            PowerFriction{*compiled.friction_power});
  if (!as_mechanical(system.get()) || (chosen.scheme.empty() && !run.scheme.given())) return system;
  const SchemeSpec scheme =
      chosen.scheme.empty() ? c.choose(run.scheme) : parse_spec<SchemeSpec>(chosen.scheme, "scheme");
  const auto mechanical = std::static_pointer_cast<const System>(system);
  if (family_of(scheme) != Family::first_order || !mechanical->laws().empty()) return system;
  return std::make_shared<MechanicalOde>(mechanical, compiled.soft);
}

Method usual_method(const DynamicSystem& system) {
  Method out;
  if (system.family() == Family::first_order) out.scheme = Rk{};
  if (system.family() != Family::odae) return out;
  SymplecticEuler scheme;
  scheme.composition = SymplecticEuler::Composition::strang;
  out.scheme = scheme;
  if (static_cast<const OdaeSystem&>(system).has_unilateral()) out.stepping = EventLocation{};
  return out;
}

void build_method(const SceneRun& run, const MethodTexts& chosen, SceneCompiler& c, Built& out) {
  MethodTexts given{c.choice_text(run.scheme), c.choice_text(run.stepping), c.choice_text(run.solver), {}};
  if (run.h.given()) given.h = number_text(c.number_in(Range::positive(), run.h, 1));
  if (run.rtol.given()) given.rtol = number_text(c.number_in(Range::positive(), run.rtol, 1));
  if (run.atol.given()) given.atol = number_text(c.number_in(Range::non_negative(), run.atol, 1));
  if (const int digits = run.digits.value; digits > 13) {
    c.complaints().add(c.scene().place_of("run"), "run.digits", "a number of digits is 1 to 13");
  } else if (digits > 0) {
    if (!run.estimate)
      c.complaints().add(c.scene().place_of("run"), "run.digits",
                         "digits need the estimate of errors: leave estimate out");
    if (given.rtol.empty()) given.rtol = fmt::format("1e-{}", digits);
  }
  if (run.h.given() && sets_usual_step(given.stepping))
    c.complain(run.h, "the step is given twice: here and in run.stepping");
  const Problem& p = out.problem.problem;
  if (!p.system || c.complaints().about("run")) return;
  const bool scheme = run.scheme.given(), stepping = run.stepping.given();
  const auto problem = [&](std::string text) {
    c.complaints().add(scheme     ? run.scheme.place
                       : stepping ? run.stepping.place
                                  : c.scene().place_of("run"),
                       scheme     ? "run.scheme"
                       : stepping ? "run.stepping"
                                  : "run",
                       std::move(text));
  };
  try {
    Method& method = out.problem.method;
    if (!chosen.scheme.empty()) given.scheme.clear();
    if (!chosen.stepping.empty()) given.stepping.clear();
    if (!chosen.rtol.empty() || !chosen.atol.empty())
      given.scheme.clear(), given.stepping.clear(), given.h.clear();
    if (!chosen.scheme.empty() || !chosen.stepping.empty()) given.rtol.clear(), given.atol.clear();
    method = choose_method(method, given);
    if (!chosen.scheme.empty() || !chosen.stepping.empty() || !chosen.solver.empty() ||
        !chosen.rtol.empty() || !chosen.atol.empty())
      method = choose_method(method,
                             {chosen.scheme, chosen.stepping, chosen.solver, {}, chosen.rtol, chosen.atol});
    out.problem.method_named = !(given.scheme + given.stepping + given.h + given.rtol + given.atol).empty();
    check_pair(method.scheme, method.stepping);
    check_family(method.scheme, *p.system);
    if (const double h = step_of(method.stepping); h > 0) step_count(p.t0, p.t_end, h);  // none: any
    if (std::holds_alternative<Lemke>(method.solver))
      if (const System* m = as_mechanical(p.system.get()))
        for (const Law& law : m->laws())
          if (!is_polyhedral(law))
            return c.complain(run.solver.name, "lemke treats polyhedral laws only: take another solver");
    if (!c.complaints().empty()) return;
    constexpr Eigen::Index many = 100'000;
    if (out.scene.chain && p.q0.size() > many)  // a stepper would take as much memory as the run itself
      return rules_for(p, method)->check_start(p, method);
    Problem still = p;  // a run without steps shows what does not fit together
    still.t_end = still.t0;
    if (const RunResult r = saltus::run(still, method); r.status != RunStatus::finished) problem(r.message);
  } catch (const Error& e) {
    problem(e.what());
  }
}

std::optional<double> end_time(const Scene& scene, SceneCompiler& c, std::optional<double> t_end) {
  if (t_end) return t_end;
  if (scene.run.t_end.given()) return c.number_in(Range::non_negative(), scene.run.t_end, 1);
  if (!scene.ready && !c.complaints().about_field("run", "t_end") && !c.complaints().about("run"))
    c.complaints().add(scene.place_of("run"), "run.t_end", "this field is missing: end time");
  return {};
}

// Those of the ready system behind the scene's own, whose names come first.
void add_parameters(const std::vector<FieldDescription>& more, std::vector<FieldDescription>& out) {
  for (const auto& d : more)
    if (std::none_of(out.begin(), out.end(), [&](const auto& known) { return known.name == d.name; }))
      out.push_back(d);
}

// Bodies in space have velocities that are not the rates of their coordinates.
void name_velocities(SceneCompiler& c, Built& out) {
  const auto own = static_cast<std::size_t>(c.own());
  out.rate_units.resize(std::min(own, out.rate_units.size()));
  for (std::size_t i = 0; i < own; ++i) out.velocities.push_back(out.coordinates[i] + "'");
  if (!c.space()) return;
  for (const std::string& x : c.space()->velocities) {
    const bool turns = x.ends_with(".wx") || x.ends_with(".wy") || x.ends_with(".wz");
    out.velocities.push_back(x);
    out.rate_units.push_back(c.units() == SceneCompiler::Units::none ? "" : turns ? "1/s" : "m/s");
  }
}

void build(const SceneNode& tree, const std::string& file, const MethodTexts& chosen,
           std::optional<double> t_end, Complaints& complaints, Built& out) {
  out.scene = read_scene(tree, complaints);
  if (tree.kind != SceneNode::Kind::map) return;  // reported already
  SceneCompiler c(out.scene, complaints);
  if (out.scene.chain && has_parts_beside(out.scene)) {
    const auto beads = beads_as_coordinates(tree, c);
    if (beads) build(*beads, file, chosen, t_end, complaints, out);
    return;
  }
  out.parameters = c.parameters();
  const auto end = end_time(out.scene, c, t_end);
  out.drawing = compile_drawing(c);
  if (out.scene.ready && !mixes_ready(out.scene)) {
    if (auto ready = make_ready(*out.scene.ready, c, end)) {
      out.problem = std::move(ready->problem);
      add_parameters(ready->parameters, out.parameters);
    }
  } else if (out.scene.chain) {
    ChainOfScene s = compile_chain(c);
    out.problem.method = {Gauss2{}, FixedSteps{s.h}, {}};
    out.problem.problem = {std::move(s.chain), 0, end.value_or(1), std::move(s.q0), std::move(s.u0)};
  } else {
    for (const auto& x : c.coordinates()) {
      const bool known = x.dimension && !x.dimension->is_number();
      out.coordinates.push_back(x.name);
      out.units.push_back(known ? to_string(*x.dimension) : "");
      out.rate_units.push_back(known ? to_string(*x.dimension / time_dimension) : "");
    }
    if (out.scene.space) name_velocities(c, out);
    SceneSystem s = compile_system(c);
    for (const auto& x : c.velocities()) out.velocities.push_back(x.name);
    if (s.system && !out.scene.space) s.system = fitted(s, out.scene.run, chosen, c);
    if (s.system) out.problem.method = c.ready() ? c.ready()->problem.method : usual_method(*s.system);
    out.problem.problem = {s.system, 0, end.value_or(1), s.q0, s.u0};
    out.problem.problem.coordinates = out.coordinates, out.problem.problem.velocities = out.velocities;
    if (out.velocities.empty())
      for (const std::string& x : out.coordinates) out.problem.problem.velocities.push_back(x + "'");
    if (c.ready()) {
      const Problem& ready = c.ready()->problem.problem;
      if (!end) out.problem.problem.t_end = ready.t_end;
      out.problem.problem.breakpoints = ready.breakpoints;
      out.problem.problem.penetration = ready.penetration;
      add_parameters(c.ready()->parameters, out.parameters);
    }
  }
  for (const Value& t : out.scene.run.breakpoints)
    out.problem.problem.breakpoints.push_back(c.number_in(Range::non_negative(), t, 0));
  if (out.scene.run.accept_penetration) out.problem.problem.penetration = Penetration::accept;
  if (out.problem.problem.system)
    check_start(out.scene, out.scene.space ? out.velocities : out.coordinates, out.problem.problem,
                complaints);
  check_record(c, out.coordinates, out.problem.problem, file);
  out.measure_units = check_measures(c, out.parameters, out.coordinates, out.velocities, out.problem);
  build_method(out.scene.run, chosen, c, out);
}

Built build(const SceneNode& tree, const std::string& file, const MethodTexts& chosen,
            std::optional<double> t_end, Complaints complaints = {}) {
  Built out;
  try {
    build(tree, file, chosen, t_end, complaints, out);
  } catch (const Complaints::Enough&) {
  } catch (const Error& e) {  // of the scene as a whole
    complaints.add({1, 1}, "", e.what());
  }
  complaints.raise(file);
  return out;
}

SceneNode parse(std::string_view text, const std::string& file, std::span<const std::string> sets,
                Complaints& complaints) {
  std::optional<SceneNode> tree;
  try {
    tree = parse_scene_text(text, complaints);
    if (tree)
      for (const auto& s : sets) set_in_scene(*tree, s, complaints);
  } catch (const Complaints::Enough&) {
    tree.reset();
  }
  if (!tree) complaints.raise(file);
  return std::move(*tree);
}

// A parameter as a user sets it with -p or sweeps over it: a plain number keeps the unit of the file.
void set_parameter(SceneNode& tree, const std::string& name, const std::string& value,
                   const std::string& file) {
  SceneNode* section = tree.find("parameters");
  SceneNode* ready = tree.find("ready");
  if (ready && (!section || !section->find(name))) {  // the scene's own come first
    if (name == "preset") {
      SceneNode& n = ready->entry("preset");
      n.kind = SceneNode::Kind::scalar, n.text = value;
      return;
    }
    section = &ready->entry("parameters");
  } else {
    ready = nullptr;
  }
  if (section && section->kind == SceneNode::Kind::null) section->kind = SceneNode::Kind::map;
  SceneNode* node = section ? section->find(name) : nullptr;
  if (!node && !ready) {
    const std::vector<std::string> known = section ? section->keys : std::vector<std::string>{};
    fail("{} has no parameter '{}'{}; its parameters: {}", file, name, suggestion(name, known),
         listed(known));
  }
  std::string unit;
  if (node && node->kind == SceneNode::Kind::scalar)
    if (const auto old = parse_unit_number(node->text); old && old->has_unit)
      if (const auto now = parse_unit_number(value); now && !now->has_unit) unit = " " + old->unit;
  SceneNode scalar;
  scalar.kind = SceneNode::Kind::scalar, scalar.text = value + unit;
  (node ? *node : section->entry(name)) = std::move(scalar);
}

}  // namespace

std::shared_ptr<const LoadedScene> load_scene_text(std::string_view text, const std::string& file,
                                                   std::span<const std::string> sets,
                                                   const MethodTexts& chosen) {
  Complaints complaints;
  const SceneNode tree = parse(text, file, sets, complaints);
  const auto first = std::make_shared<const Built>(build(tree, file, chosen, {}, std::move(complaints)));
  const Built& built = *first;
  auto out = std::make_shared<LoadedScene>();
  out->file = file, out->text = text;
  out->scene = built.scene;
  for (const auto& m : built.scene.measure.list) out->measures.push_back(m.name + " = " + m.value.text);
  CatalogEntry& e = out->entry;
  e.name = file;
  e.summary = built.scene.title.text;
  e.parameters = built.parameters;
  out->coordinates = built.coordinates, out->velocities = built.velocities;
  out->measure_units = built.measure_units;
  out->units = built.units, out->rate_units = built.rate_units;
  e.t_end = built.problem.problem.t_end;
  const auto with = [tree, file, chosen](const Settings& settings, std::optional<double> t_end) {
    SceneNode changed = tree;
    for (const auto& [name, value] : settings) set_parameter(changed, name, value, file);
    return build(changed, file, chosen, t_end);
  };
  e.make = [with, first](const Settings& settings, std::optional<double> t_end) {
    if (t_end && !(std::isfinite(*t_end) && *t_end >= 0))
      fail("end time t_end = {} must be a finite number >= 0", *t_end);
    if (!settings.empty() || (t_end && first->scene.ready)) return with(settings, t_end).problem;
    CatalogProblem p = first->problem;  // compiled already
    if (t_end) p.problem.t_end = *t_end;
    return p;
  };
  out->drawing = [with, first](const Settings& settings) {
    return settings.empty() ? first->drawing : with(settings, {}).drawing;
  };
  e.resolve = [with, first](const Settings& settings) {
    return settings.empty() ? first->parameters : with(settings, {}).parameters;
  };
  return out;
}

std::vector<Complaint> scene_complaints(std::string_view text, const std::string& file,
                                        std::span<const std::string> sets) {
  try {
    load_scene_text(text, file, sets);
  } catch (const SceneError& e) {
    return e.complaints();
  }
  return {};
}

}  // namespace saltus
