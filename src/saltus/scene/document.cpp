#include "saltus/scene/document.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"
#include "saltus/scene/units.hpp"
#include "saltus/scene/yaml.hpp"

namespace saltus {
namespace {

bool is_index(std::string_view s) {
  return !s.empty() && s.size() < 7 && s.find_first_not_of("0123456789") == std::string_view::npos;
}

void to_command_line(SceneNode& n) {
  n.place = {};
  for (auto& p : n.key_places) p = {};
  for (auto& i : n.items) to_command_line(i);
}

// "name:key=value,…" as the map {name: name, key: value, …}.
SceneNode spelt_out(const SceneNode& n) {
  SceneNode out;
  out.kind = SceneNode::Kind::map, out.place = n.place;
  const auto set = [&](std::string_view key, const std::string& text) {
    SceneNode& value = out.entry(key);
    value.kind = SceneNode::Kind::scalar, value.place = n.place, value.text = text;
  };
  try {
    const SpecText spec = split_spec(n.text);
    set("name", spec.name);
    for (const auto& [key, value] : spec.settings) set(key, value);
  } catch (const Error&) {
    return n;  // reported when it is read
  }
  return out;
}

}  // namespace

std::optional<SceneNode> parse_scene_text(std::string_view text, Complaints& complaints) {
  if (text.size() > largest_scene) {
    complaints.add({1, 1}, "", fmt::format("{} bytes are too many: at most {}", text.size(), largest_scene));
    return {};
  }
  TreeBuilder builder;
  const auto tell_repeated = [&] {
    for (const auto& r : builder.repeated) complaints.add(r.place, r.path, r.message);
  };
  const auto stop = [&](Place place, std::string message) -> std::optional<SceneNode> {
    if (builder.complete() > 0) tell_repeated();
    complaints.add(place, "", std::move(message));
    return {};
  };
  try {
    parse_yaml(text, builder);
  } catch (const TreeBuilder::Refusal& r) {
    return stop(r.place, r.message);
  } catch (const YamlTrouble& e) {
    return stop(e.place,
                fmt::format("not YAML: {} (indent with blanks, close all brackets, put texts that hold , : "
                            "[ ] {{ }} in quotes)",
                            e.message));
  }
  if (builder.complete() == 0) return stop({1, 1}, "the file is empty; a scene starts with 'saltus: 1'");
  tell_repeated();
  if (builder.complete() > 1) complaints.add(builder.second, "", "one document per file");
  return std::move(builder.root);
}

void set_in_scene(SceneNode& root, std::string_view assignment, Complaints& complaints) {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    complaints.add({}, "", fmt::format("--set {}: written path.to.field=value", assignment));
    return;
  }
  const std::string path(assignment.substr(0, equals));
  if (std::count(path.begin(), path.end(), '.') >= deepest_scene) {
    complaints.add({}, "", fmt::format("--set: nested more than {} deep", deepest_scene));
    return;
  }
  if (assignment.find_first_not_of(' ', equals + 1) == std::string_view::npos) {
    complaints.add({}, path, "--set: the value is missing behind =");
    return;
  }
  Complaints inside;
  std::optional<SceneNode> value;
  try {
    value = parse_scene_text(assignment.substr(equals + 1), inside);
  } catch (const Complaints::Enough&) {  // the first is reported
  }
  if (!value || !inside.empty()) {
    complaints.add({}, path, "--set: " + inside.list()[0].message);
    return;
  }
  to_command_line(*value);
  constexpr std::string_view choices[] = {"scheme", "stepping", "solver", "law", "layout"};
  bool is_choice = false;
  SceneNode* at = &root;
  std::string rest = path + ".";
  for (std::size_t dot; (dot = rest.find('.')) != std::string::npos; rest.erase(0, dot + 1)) {
    // names of coordinates have dots themselves: forces.ball.x
    if (at != &root && (path.starts_with("forces.") || path.starts_with("motions."))) dot = rest.size() - 1;
    const std::string key = rest.substr(0, dot);
    if (at->kind == SceneNode::Kind::list && is_index(key) && std::stoul(key) < at->items.size()) {
      at = &at->items[std::stoul(key)];
      continue;
    }
    if (at->kind == SceneNode::Kind::list) {
      complaints.add({}, path,
                     fmt::format("--set: '{}' is no entry of this list, which has {}, 0 to {}", key,
                                 at->items.size(), static_cast<int>(at->items.size()) - 1));
      return;
    }
    if (at->kind == SceneNode::Kind::scalar && is_choice) *at = spelt_out(*at);
    is_choice = std::find(std::begin(choices), std::end(choices), key) != std::end(choices);
    if (at->kind == SceneNode::Kind::null) at->kind = SceneNode::Kind::map;
    if (at->kind != SceneNode::Kind::map || key.empty()) {
      complaints.add({}, path, fmt::format("--set: there is no '{}' here but {}", key, describe(*at)));
      return;
    }
    at = &at->entry(key);
  }
  *at = std::move(*value);
}

std::string unit_in_scene(std::string_view text, const std::string& path) {
  Complaints ignored;
  const auto tree = parse_scene_text(text, ignored);
  const SceneNode* at = tree ? &*tree : nullptr;
  std::string rest = path + ".";
  for (std::size_t dot; at && (dot = rest.find('.')) != std::string::npos; rest.erase(0, dot + 1)) {
    const std::string key = rest.substr(0, dot);
    const bool entry =
        at->kind == SceneNode::Kind::list && is_index(key) && std::stoul(key) < at->items.size();
    at = entry ? &at->items[std::stoul(key)] : at->find(key);
  }
  if (!at || at->kind != SceneNode::Kind::scalar) return {};
  try {
    const auto number = parse_unit_number(at->text);
    return number ? number->unit : std::string();
  } catch (const Error&) {  // no unit
    return {};
  }
}

}  // namespace saltus
