#include "saltus/scene/ready.hpp"

#include <cctype>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

std::string plain_text(SceneCompiler& c, const Value& v, const FieldDescription* field) {
  if (field && !field->is_number) return v.text;
  if (field && field->unit.empty() && has_unit(v.text))
    if (const auto n = parse_unit_number(v.text); n && !n->dimension.is_number())
      fail("found {}, expected a pure number", described(n->dimension));
  Value with_unit = v;
  try {
    if (field && !field->unit.empty()) parse_unit(field->unit), with_unit.unit = field->unit;
  } catch (const Error&) {  // a unit of the catalog that is no product of powers: no check
  }
  const Term x = c.constant(with_unit);
  return x.ok ? number_text(c.graph().node(x.node).value) : std::string();
}

}  // namespace

bool mixes_ready(const Scene& s) {
  return s.ready && (!s.coordinates.empty() || !s.bodies.empty() || !s.groups.empty() || !s.beams.empty() ||
                     !s.contacts.empty() || !s.joints.empty() || !s.forces.empty() || !s.motions.empty() ||
                     s.potential.given() || s.mass.given() || s.kinetic.given() || !s.rates.empty() ||
                     !s.velocities.empty());
}

std::optional<SceneCompiler::Ready> make_ready(const SceneReady& ready, SceneCompiler& c,
                                               std::optional<double> t_end) {
  if (!ready.problem.given()) return {};  // reported already
  try {
    const CatalogEntry& entry = find_problem(ready.problem.text);
    Settings settings;
    const std::size_t reported = c.complaints().list().size();
    if (ready.preset.given()) settings.emplace_back("preset", ready.preset.text);
    std::vector<std::string> known;
    for (const auto& d : entry.parameters) known.push_back(d.name);
    for (const auto& [name, place, value] : ready.parameters.list) {
      const auto d = std::find(known.begin(), known.end(), name);
      if (d == known.end()) {
        c.complaints().add(place, "ready.parameters." + name,
                           fmt::format("{} has no such parameter{}; its parameters: {}", entry.name,
                                       suggestion(name, known), listed(known)));
        continue;
      }
      try {
        const auto text = plain_text(c, value, &entry.parameters[d - known.begin()]);
        if (text.empty()) continue;
        entry.resolve({{name, text}});
        settings.emplace_back(name, text);
      } catch (const Error& e) {
        c.complain(value, e.what());
      }
    }
    if (c.complaints().list().size() > reported) return {};
    return SceneCompiler::Ready{entry.make(settings, t_end), entry.resolve(settings), 0};
  } catch (const Error& e) {
    const bool preset =
        ready.preset.given() && std::string_view(e.what()).find("preset") != std::string_view::npos;
    c.complain(preset ? ready.preset : ready.problem, e.what());
  }
  return {};
}

void SceneCompiler::add_ready(std::optional<double> t_end) {
  if (!mixes_ready(scene_)) return;
  const std::string prefix = scene_.ready->prefix.given() ? scene_.ready->prefix.text : "ready";
  ready_ = make_ready(*scene_.ready, *this, t_end);
  if (!ready_) return give_up(prefix);
  const Problem& p = ready_->problem.problem;
  const Word& name = scene_.ready->problem;
  if (const System* system = as_mechanical(p.system.get()); !system || !system->shape().flat) {
    complain(name,
             fmt::format("{} is {}: it stands alone, without coordinates, contacts or bodies", name.text,
                         system ? "a system with rotations"
                                : "no mechanical system but of the family " +
                                      std::string(to_string(p.system->family()))));
    ready_.reset();
    return give_up(prefix);
  }
  ready_->first = static_cast<int>(coordinates_.size());
  if (!std::all_of(prefix.begin(), prefix.end(),
                   [](unsigned char x) { return std::isalnum(x) || x == '_'; }) ||
      std::isdigit(static_cast<unsigned char>(prefix[0])))
    complain(scene_.ready->prefix,
             fmt::format("'{}' is not a name: letters, digits and _, no digit first", prefix));
  for (int i = 0; i < p.q0.size(); ++i)  // of unknown dimension: they fit everything
    coordinates_.push_back({fmt::format("{}.q{}", prefix, i), {}, p.q0[i], p.u0[i], true, p.u0[i] != 0});
}

}  // namespace saltus
