#include "saltus/scene/compiler.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/scene/bodies.hpp"

namespace saltus {
namespace {

constexpr std::string_view reserved[] = {"t",     "pi",    "and",  "or",    "not",  "if",   "piecewise",
                                         "sqrt",  "exp",   "log",  "log10", "sin",  "cos",  "tan",
                                         "asin",  "acos",  "atan", "sinh",  "cosh", "tanh", "abs",
                                         "atan2", "hypot", "pow",  "min",   "max",  "sign"};

bool has_unit(const Value& v) {
  try {
    const auto n = parse_unit_number(v.text);
    return n && n->has_unit;
  } catch (const Error&) {
    return true;  // meant to have one; told where it is read
  }
}

std::string_view what_is(SceneCompiler::Use use) {
  using Use = SceneCompiler::Use;
  return use == Use::positions ? "a coordinate" : use == Use::velocities ? "a velocity" : "a multiplier";
}

}  // namespace

SceneCompiler::SceneCompiler(const Scene& scene, Complaints& complaints, std::optional<double> t_end)
    : scene_(scene), complaints_(complaints) {
  for (const auto& p : scene.parameters.list) units_ = units_ || has_unit(p.value);
  for (const auto& c : scene.coordinates.list)
    units_ = units_ || has_unit(c.value.start) || has_unit(c.value.velocity);
  for (const auto& c : scene.velocities.list) units_ = units_ || has_unit(c.value.start);
  symbols_["t"] = {graph_.input(0), time_dimension, Use::positions};
  add_parameters();
  add_coordinates(t_end);
  add_let();
}

bool SceneCompiler::new_name(const std::string& name, Place place, const std::string& path) {
  if (std::find(std::begin(reserved), std::end(reserved), name) != std::end(reserved)) {
    complaints_.add(place, path,
                    fmt::format("'{}' has a meaning of its own in formulas: choose another name", name));
    return false;
  }
  if (name.find('.') != std::string::npos) {
    complaints_.add(place, path, fmt::format("'{}': names with a dot belong to bodies", name));
    return false;
  }
  if (symbols_.contains(name)) {
    complaints_.add(place, path, fmt::format("the name '{}' is taken already", name));
    return false;
  }
  return true;
}

void SceneCompiler::add_parameters() {
  for (const auto& [name, place, value] : scene_.parameters.list) {
    if (!new_name(name, place, "parameters." + name) || !value.given()) continue;
    const Term x = constant(value);
    symbols_[name] = {x.node, x.dimension, Use::parameters};
    std::string unit;
    if (const auto n = x.ok ? parse_unit_number(value.text) : std::nullopt; n && n->has_unit)
      unit = n->dimension.is_number() ? "" : to_string(n->dimension);
    parameters_.push_back(
        {name, unit, "parameter of the scene", number_text(graph_.node(x.node).value), "any number"});
  }
}

void SceneCompiler::add_coordinates(std::optional<double> t_end) {
  for (const auto& [name, place, c] : scene_.coordinates.list) {
    const std::string path = "coordinates." + name;
    if (!new_name(name, place, path)) continue;
    Coordinate x{name, {}, 0, 0, c.start.given(), c.velocity.given()};
    const Term start = c.start.given() ? constant(c.start) : Term{graph_.number(0), {}, true};
    const Term velocity = c.velocity.given() ? constant(c.velocity) : Term{graph_.number(0), {}, true};
    x.start = graph_.node(start.node).value, x.velocity = graph_.node(velocity.node).value;
    if (units_) {
      x.dimension = start.dimension                            ? *start.dimension
                    : velocity.dimension && c.velocity.given() ? *velocity.dimension * time_dimension
                                                               : Dimension{};
      if (c.velocity.given())
        expect(velocity, *x.dimension / time_dimension, c.velocity, "the rate of " + name);
    }
    coordinates_.push_back(x);
  }
  add_ready(t_end);
  add_body_coordinates(*this);
  if (is_odae()) return add_odae_variables();
  const FormulaInputs inputs = in();
  for (int i = 0; i < inputs.n; ++i) {
    const auto& [name, dimension, start, velocity, has_start, has_velocity] = coordinates_[i];
    symbols_[name] = {graph_.input(inputs.q(i)), dimension, Use::positions};
    std::optional<Dimension> rate;
    if (dimension) rate = *dimension / time_dimension;
    symbols_[name + "'"] = {graph_.input(inputs.u(i)), rate, Use::velocities};
  }
}

OdaeInputs SceneCompiler::odae_inputs() const {
  return {static_cast<int>(coordinates_.size()), static_cast<int>(scene_.velocities.list.size()),
          static_cast<int>(scene_.constraints.list.size())};
}

void SceneCompiler::add_odae_variables() {
  const OdaeInputs inputs = odae_inputs();
  for (int i = 0; i < inputs.ny; ++i)
    symbols_[coordinates_[i].name] = {graph_.input(inputs.y(i)), coordinates_[i].dimension, Use::positions};
  for (const auto& [name, place, c] : scene_.velocities.list) {
    if (!new_name(name, place, "velocities." + name)) continue;
    const Term start = c.start.given() ? constant(c.start) : Term{graph_.number(0), {}, true};
    Coordinate z{name, {}, graph_.node(start.node).value, 0};
    if (units_) z.dimension = start.dimension.value_or(Dimension{});
    symbols_[name] = {graph_.input(inputs.z(static_cast<int>(velocities_.size()))), z.dimension,
                      Use::velocities};
    velocities_.push_back(std::move(z));
  }
  for (int i = 0; i < inputs.m; ++i) {
    const Word& w = scene_.constraints.list[i].value.multiplier;
    if (w.given() && new_name(w.text, w.place, w.path))
      symbols_[w.text] = {graph_.input(inputs.psi(i)), {}, Use::multipliers};  // of any dimension
  }
}

int SceneCompiler::find(std::span<const Coordinate> among, std::string_view what, const std::string& name,
                        Place place, const std::string& path) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < among.size(); ++i) {
    if (among[i].name == name) return static_cast<int>(i);
    known.push_back(among[i].name);
  }
  complaints_.add(place, path,
                  fmt::format("no {} '{}'{}; known: {}", what, name, suggestion(name, known), listed(known)));
  return -1;
}

void SceneCompiler::add_let() {
  const FormulaInputs inputs = in();
  const OdaeInputs odae = odae_inputs();
  for (const auto& [name, place, f] : scene_.let.list) {
    if (!new_name(name, place, "let." + name) || !f.given()) continue;
    const Term x = compile(f, is_odae() ? Use::multipliers : Use::velocities);
    const bool moves = is_odae() ? graph_.depends(x.node, odae.z(0), odae.psi(odae.m))
                                 : graph_.depends(x.node, inputs.u(0), inputs.u(inputs.n));
    const bool placed = graph_.depends(x.node, 0, inputs.u(0));
    const bool reacts = is_odae() && graph_.depends(x.node, odae.psi(0), odae.psi(odae.m));
    symbols_[name] = {x.node, x.dimension,
                      reacts   ? Use::multipliers
                      : moves  ? Use::velocities
                      : placed ? Use::positions
                               : Use::parameters};
    if (moves || is_odae()) continue;
    const Graph::Id rate = rate_of(graph_, inputs, x.node);
    std::optional<Dimension> dimension;
    if (x.dimension) dimension = *x.dimension / time_dimension;
    symbols_[name + "'"] = {rate, dimension, Use::velocities};
  }
}

Term SceneCompiler::compile(const Formula& f, Use use) {
  Term out;
  try {
    if (const auto n = parse_unit_number(f.text); n && n->has_unit)
      return {graph_.number(n->value), n->dimension, true};
    const Expression e = Expression::parse(f.text);
    std::vector<Graph::Id> nodes;
    std::vector<std::optional<Dimension>> dimensions;
    out.ok = true;
    for (const auto& v : e.variables()) {
      const auto it = symbols_.find(v.name);
      nodes.push_back(it == symbols_.end() ? 0 : it->second.node);
      dimensions.push_back(it == symbols_.end() ? std::optional<Dimension>() : it->second.dimension);
      if (it != symbols_.end() && it->second.use <= use && !v.index) continue;
      out.ok = false;
      try {
        std::vector<std::string> known;
        for (const auto& [name, symbol] : symbols_)
          if (symbol.use <= use) known.push_back(name);
        if (it == symbols_.end())
          e.fail_at(v.position, fmt::format("unknown name '{}'{}; known here: {}", v.name,
                                            suggestion(v.name, known), listed(known)));
        if (v.index) e.fail_at(v.position, fmt::format("{} has no components", v.name));
        e.fail_at(v.position,
                  fmt::format("'{}' is {}, which must not occur here", v.name, what_is(it->second.use)));
      } catch (const Error& trouble) {
        complain(f, trouble.what());
      }
    }
    if (!out.ok) return out;
    if (units_) out.dimension = dimension_of(e, dimensions);
    out.node = graph_.expression(e, nodes);
    if (graph_.is_number(out.node) && !std::isfinite(graph_.node(out.node).value)) {
      complain(f, fmt::format("this is not a finite number: '{}'", f.text));
      out = {};
    }
  } catch (const Error& trouble) {
    complain(f, trouble.what());
    out = {};
  }
  return out;
}

Term SceneCompiler::constant(const Value& v) {
  try {
    if (const auto n = parse_unit_number(v.text)) {
      if (!std::isfinite(n->value)) fail("this is not a finite number: '{}'", v.text);
      Term out{graph_.number(n->value), {}, true};
      if (n->has_unit && !v.unit.empty() && !(n->dimension == parse_unit(v.unit).dimension))
        fail("found {}, expected a value in {}", to_string(n->dimension), v.unit);
      if (!v.unit.empty())
        out.dimension = parse_unit(v.unit).dimension;
      else if (n->has_unit || (units_ && n->value != 0))
        out.dimension = n->dimension;
      return out;
    }
  } catch (const Error& e) {
    complain(v, e.what());
    return {};
  }
  const Term out = compile(v, Use::parameters);
  if (out.ok && !v.unit.empty()) expect(out, parse_unit(v.unit).dimension, v, "this field");
  return out;
}

double SceneCompiler::number(const Value& v, double missing) {
  return v.given() ? graph_.node(constant(v).node).value : missing;
}

void SceneCompiler::expect(const Term& term, const Dimension& wanted, const Formula& f,
                           std::string_view what) {
  if (!units_ || !term.ok || !term.dimension || *term.dimension == wanted) return;
  complain(f, fmt::format("'{}' is {}, but {} must be {}{}", f.text, to_string(*term.dimension), what,
                          to_string(wanted),
                          term.dimension->is_number()
                              ? " (numbers without a unit are pure numbers in a scene that "
                                "uses units)"
                              : ""));
}

std::string SceneCompiler::setting_text(const Value& v, const FieldDescription& field, std::string unit,
                                        const std::optional<Dimension>& length) {
  if (!field.is_number) return v.text;
  const Term x = constant(v);
  if (!x.ok) return {};
  const bool plain = parse_unit_number(v.text) && !has_unit(v);  // in SI units
  if (x.dimension && !plain && length) {
    if (unit.ends_with("^p")) unit.back() = '1';
    const Dimension d = unit.empty() ? Dimension{} : parse_unit(unit).dimension;
    // kg^a m^b s^c is energy^a m^(b − 2a) s^(c + 2a)
    const double a = d.exponent[0], b = d.exponent[1] - 2 * a, c = d.exponent[2] + 2 * a;
    const Dimension wanted = energy_dimension.power(a) * length->power(b) * time_dimension.power(c);
    if (!(*x.dimension == wanted)) {
      complain(v, fmt::format("'{}' is {}, but {} must be {}", v.text, to_string(*x.dimension), field.name,
                              to_string(wanted)));
      return {};
    }
  }
  return number_text(graph_.node(x.node).value);
}

}  // namespace saltus
