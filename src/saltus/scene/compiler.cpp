#include "saltus/scene/compiler.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/scene/beams.hpp"
#include "saltus/scene/bodies.hpp"
#include "saltus/scene/space.hpp"

namespace saltus {
namespace {

constexpr std::string_view reserved[] = {"t",     "pi",    "and",  "or",    "not",  "if",   "piecewise",
                                         "sqrt",  "exp",   "log",  "log10", "sin",  "cos",  "tan",
                                         "asin",  "acos",  "atan", "sinh",  "cosh", "tanh", "abs",
                                         "atan2", "hypot", "pow",  "min",   "max",  "sign"};

std::string_view what_is(std::string_view name, SceneCompiler::Use use) {
  if (name == "t") return "the time";
  return use == SceneCompiler::Use::positions    ? "a coordinate"
         : use == SceneCompiler::Use::velocities ? "a velocity"
                                                 : "a multiplier";
}

}  // namespace

SceneCompiler::SceneCompiler(const Scene& scene, Complaints& complaints, std::optional<double> t_end)
    : scene_(scene), complaints_(complaints) {
  bool named = false;
  for (const auto& p : scene.parameters.list) named = named || has_unit(p.value.text);
  for (const auto& c : scene.coordinates.list)
    named = named || has_unit(c.value.start.text) || has_unit(c.value.velocity.text);
  for (const auto& c : scene.velocities.list) named = named || has_unit(c.value.start.text);
  units_ = named ? Units::all : scene.units ? Units::bodies : Units::none;
  symbols_["t"] = {graph_.input(0), {}, Use::positions};
  if (units_ == Units::all) symbols_["t"].dimension = time_dimension;
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
    if (!x.ok) {
      give_up(name);
      continue;
    }
    symbols_[name] = {x.node, x.dimension, Use::parameters};
    std::string unit;
    if (const auto n = parse_unit_number(value.text); n && n->has_unit)
      unit = n->dimension.is_number() ? "" : to_string(n->dimension);
    parameters_.push_back(
        {name, unit, "parameter of the scene", number_text(graph_.node(x.node).value), "any number"});
    parameter_values_.push_back({name, graph_.node(x.node).value});
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
    if (units_ == Units::all && start.ok && velocity.ok && !complaints_.about(path)) {
      x.dimension = start.dimension                            ? *start.dimension
                    : velocity.dimension && c.velocity.given() ? *velocity.dimension * time_dimension
                                                               : Dimension{};
      if (c.velocity.given())
        expect(velocity, *x.dimension / time_dimension, c.velocity, "the rate of " + name);
      if (complaints_.about(path)) x.dimension.reset();
    }
    coordinates_.push_back(x);
  }
  own_ = static_cast<int>(coordinates_.size());
  add_ready(t_end);
  add_beam_coordinates(*this);
  add_body_coordinates(*this);
  if (scene_.space) add_space();
  if (is_odae()) return add_odae_variables();
  if (scene_.space && own_ == 0) return;
  const FormulaInputs inputs = in();
  for (int i = 0; i < (scene_.space ? own_ : inputs.n); ++i) {
    const auto& [name, dimension, start, velocity, has_start, has_velocity] = coordinates_[i];
    symbols_[name] = {graph_.input(inputs.q(i)), dimension, Use::positions};
    std::optional<Dimension> rate;
    if (dimension) rate = *dimension / time_dimension;
    symbols_[name + "'"] = {graph_.input(inputs.u(i)), rate, Use::velocities};
  }
}

void SceneCompiler::add_space() {
  SpaceOfScene found = read_space(*this);
  if (found.system) space_ = std::make_shared<SpaceOfScene>(std::move(found));
  if (!space_)
    for (const auto& e : scene_.space->bodies.list) give_up(e.name);
}

FormulaInputs SceneCompiler::in() {
  if (space_) return space_->names->inputs(graph_);
  return {static_cast<int>(coordinates_.size())};
}

// What bodies in space have is made when it is asked for.
const SceneCompiler::Symbol* SceneCompiler::look_up(std::string_view name) {
  auto it = symbols_.find(name);
  if (it == symbols_.end() && space_)
    if (const auto x = space_->names->find(graph_, name)) {
      std::optional<Dimension> dimension;
      if (units_ != Units::none) dimension = x->dimension;
      it = symbols_.emplace(name, Symbol{x->node, dimension, x->velocity ? Use::velocities : Use::positions})
               .first;
    }
  return it == symbols_.end() ? nullptr : &it->second;
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
    if (units_ == Units::all && start.ok) z.dimension = start.dimension.value_or(Dimension{});
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
  if (is_given_up(name)) return -1;
  complaints_.add(place, path,
                  fmt::format("no {} '{}'{}; known: {}", what, name, suggestion(name, known), listed(known)));
  return -1;
}

void SceneCompiler::add_let() {
  if (scene_.let.empty()) return;
  const FormulaInputs inputs = in();
  const OdaeInputs odae = odae_inputs();
  for (const auto& [name, place, f] : scene_.let.list) {
    if (!new_name(name, place, "let." + name) || !f.given()) continue;
    const Term x = compile(f, is_odae() ? Use::multipliers : Use::velocities);
    if (!x.ok) {
      give_up(name);
      continue;
    }
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

Term SceneCompiler::compile(const Formula& f, Use use, std::span<const Local> locals) {
  Term out;
  try {
    if (const auto n = parse_unit_number(f.text); n && n->has_unit)
      return {graph_.number(n->value), n->dimension, true};
    const Expression e = Expression::parse(f.text);
    std::vector<Graph::Id> nodes;
    std::vector<std::optional<Dimension>> dimensions;
    out.ok = true;
    for (const auto& v : e.variables()) {
      const auto local = std::find_if(locals.begin(), locals.end(),
                                      [&](const Local& l) { return l.name == v.name && !v.index; });
      if (local != locals.end()) {
        nodes.push_back(local->node), dimensions.push_back(local->dimension);
        continue;
      }
      const Symbol* const found = look_up(v.name);
      nodes.push_back(found ? found->node : 0);
      dimensions.push_back(found ? found->dimension : std::optional<Dimension>());
      if (found && found->use <= use && !v.index) continue;
      out.ok = false;
      if (!found && is_given_up(v.name)) continue;
      try {
        if (!found) e.fail_at(v.position, unknown(v.name, f, use, locals));
        if (v.index) e.fail_at(v.position, fmt::format("{} has no components", v.name));
        e.fail_at(v.position,
                  fmt::format("'{}' is {}, which must not occur here", v.name, what_is(v.name, found->use)));
      } catch (const Error& trouble) {
        complain(f, trouble.what());
      }
    }
    if (!out.ok) return out;
    if (units_ != Units::none) out.dimension = dimension_of(e, dimensions, units_ == Units::bodies);
    out.node = graph_.expression(e, nodes);
    if (graph_.is_number(out.node) && !std::isfinite(graph_.node(out.node).value)) {
      complain(f, fmt::format("this is not a finite number: '{}'", f.text));
      out = {};
    }
  } catch (const Error& trouble) {
    complain(f, trouble.what() + unit_hint(f.text, trouble.what()));
    out = {};
  }
  return out;
}

// 2z for 2*z, and units inside of formulas.
std::string SceneCompiler::unit_hint(std::string_view text, std::string_view trouble) const {
  constexpr std::string_view unit = "unknown unit '", inside =
                                                          "; units stand behind single numbers only: in a "
                                                          "formula use a parameter";
  if (trouble.starts_with(unit)) {
    const std::string_view word = trouble.substr(unit.size(), trouble.find('\'', unit.size()) - unit.size());
    if (symbols_.contains(word)) return fmt::format("; or is 'number*{}' meant?", word);
    return text.find_first_of("()+-<>=*") == std::string_view::npos ? std::string() : std::string(inside);
  }
  return trouble.find("expected an operator") == std::string_view::npos ? std::string() : std::string(inside);
}

std::string SceneCompiler::unknown(const std::string& name, const Formula& in, Use use,
                                   std::span<const Local> locals) const {
  const auto defined = [&](const auto& section, std::string_view what) -> std::string {
    for (const auto& e : section.list)
      if (e.name == name || e.name + "'" == name)
        return in.path == fmt::format("{}.{}", what, e.name)
                   ? fmt::format("'{}' is defined by itself", name)
                   : fmt::format(
                         "'{}' is defined later, as {}.{} in line {}: parameters use those above "
                         "them, let what stands above it and all coordinates",
                         name, what, e.name, e.place.line);
    return {};
  };
  if (std::string text = defined(scene_.parameters, "parameters"); !text.empty()) return text;
  if (std::string text = defined(scene_.let, "let"); !text.empty()) return text;
  std::vector<std::string> known;
  for (const Local& l : locals) known.emplace_back(l.name);
  for (const auto& [other, symbol] : symbols_)
    if (symbol.use <= use) known.push_back(other);
  if (space_ && use >= Use::positions) space_->names->add_known(known);
  return fmt::format("unknown name '{}'{}; known here: {}", name, suggestion(name, known), listed(known));
}

Term SceneCompiler::constant(const Value& v, std::span<const Local> locals) {
  try {
    if (const auto n = parse_unit_number(v.text)) {
      if (!std::isfinite(n->value)) fail("this is not a finite number: '{}'", v.text);
      Term out{graph_.number(n->value), {}, true};
      if (v.unit == "rad/s" && n->unit.find("Hz") != std::string::npos)
        fail("found Hz, which says neither turns nor radians: write rad/s, rev/s or rpm");
      if (n->has_unit && !v.unit.empty() && !(n->dimension == parse_unit(v.unit).dimension))
        fail("found {}, expected a value in {}", described(n->dimension), v.unit);
      if (!v.unit.empty())
        out.dimension = parse_unit(v.unit).dimension;
      else if (n->has_unit || (units_ == Units::all && n->value != 0))
        out.dimension = n->dimension;
      return out;
    }
  } catch (const Error& e) {
    complain(v, e.what() + unit_hint(v.text, e.what()));
    return {};
  }
  const Term out = compile(v, Use::parameters, locals);
  if (out.ok && !v.unit.empty()) expect(out, parse_unit(v.unit).dimension, v, "this field");
  return out;
}

double SceneCompiler::number(const Value& v, double missing) {
  return v.given() ? graph_.node(constant(v).node).value : missing;
}

double SceneCompiler::number_in(const Range& range, const Value& v, double instead, std::string_view hint) {
  if (!v.given()) return instead;
  const Term x = constant(v);
  if (!x.ok) return instead;
  const double value = graph_.node(x.node).value;
  if (range.contains(value)) return value;
  complain(
      v, fmt::format("found {}, expected {}{}{}", v.text, to_string(range), hint.empty() ? "" : "; ", hint));
  return instead;
}

void SceneCompiler::expect(const Term& term, const std::optional<Dimension>& wanted, const Formula& f,
                           std::string_view what) {
  if (!term.ok || !term.dimension || !wanted || *term.dimension == *wanted) return;
  complain(f, fmt::format("'{}' is {}, but {} must be {}{}", f.text, described(*term.dimension), what,
                          described(*wanted),
                          term.dimension->is_number() && units_ == Units::all
                              ? " (numbers without a unit are pure numbers in a scene that "
                                "uses units)"
                              : ""));
}

void SceneCompiler::set_fields(std::string_view owner, const Fields& fields,
                               std::span<const RenamedField> renamed, const ChoiceText& choice,
                               const std::optional<Dimension>& length) {
  const auto power = [&](std::string_view key) -> std::optional<double> {
    for (const auto& other : choice.settings)
      if (other.key == key) return number(other.value);
    return {};
  };
  const auto described = describe_fields(fields);
  for (const auto& s : choice.settings) try {
      for (const auto& d : described) {
        if (d.name != s.key) continue;
        const std::string text = setting_text(s.value, d, with_powers(d.unit, power), length);
        if (!text.empty()) set_field_of(owner, fields, renamed, s.key, text);
      }
    } catch (const Error& e) {
      complain(s.value, e.what());
    }
}

std::string SceneCompiler::given_text(const ChoiceText& choice, std::span<const FieldDescription> described) {
  std::string out = choice.name.text;
  char mark = ':';
  for (const auto& d : described)
    for (const auto& s : choice.settings)
      if (s.key == d.name) out += fmt::format("{}{}={}", mark, d.name, d.value), mark = ',';
  return out;
}

std::string SceneCompiler::setting_text(const Value& v, const FieldDescription& field,
                                        const std::string& unit, const std::optional<Dimension>& length) {
  if (field.is_list && v.text.find(':') != std::string::npos) {  // each part as a number of its own
    FieldDescription one = field;
    one.is_list = false;
    std::string out;
    for (const std::string_view each : list_parts(v.text)) {
      Value part = v;
      part.text = each;
      const std::string text = setting_text(part, one, unit, length);
      if (text.empty()) return {};
      out += (out.empty() ? "" : ":") + text;
    }
    return out;
  }
  if (!field.is_number) return v.text;
  const Term x = constant(v);
  if (!x.ok) return {};
  const bool plain = parse_unit_number(v.text) && !has_unit(v.text);  // in SI units
  if (x.dimension && !plain && length) {
    const Dimension d = unit.empty() ? Dimension{} : parse_unit(unit).dimension;
    // kg^a m^b s^c is energy^a m^(b − 2a) s^(c + 2a)
    const double a = d.exponent[0], b = d.exponent[1] - 2 * a, c = d.exponent[2] + 2 * a;
    const Dimension wanted = energy_dimension.power(a) * length->power(b) * time_dimension.power(c);
    if (!(*x.dimension == wanted)) {
      complain(v, fmt::format("'{}' is {}, but {} must be {}", v.text, described(*x.dimension), field.name,
                              described(wanted)));
      return {};
    }
  }
  return number_text(graph_.node(x.node).value);
}

}  // namespace saltus
