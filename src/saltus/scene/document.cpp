#include "saltus/scene/document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"

namespace saltus {
namespace {

struct Refusal {
  Place place;
  std::string message, path = {};
};

Place place_of(const YAML::Mark& m) {
  return {m.line + 1, m.column + 1};
}

// Builds the tree from the parser's events, so that every limit holds while the text is read.
class TreeBuilder final : public YAML::EventHandler {
 public:
  SceneNode root;
  std::vector<Refusal> repeated;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& m, YAML::anchor_t anchor) override {
    leaf(m, "?", anchor, SceneNode::Kind::null, {});
  }
  void OnAlias(const YAML::Mark& m, YAML::anchor_t) override {
    throw Refusal{place_of(m), "aliases (*name) are not read: write the value out, or use a parameter"};
  }
  void OnScalar(const YAML::Mark& m, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool null = tag == "?" && (value.empty() || value == "~" || value == "null");
    leaf(m, tag, anchor, null ? SceneNode::Kind::null : SceneNode::Kind::scalar, value);
  }
  void OnSequenceStart(const YAML::Mark& m, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(m, tag, anchor, SceneNode::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& m, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(m, tag, anchor, SceneNode::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    SceneNode node;
    bool has_key = false, skip = false;  // skip: the value of a key that is given twice
    std::set<std::string> seen = {};     // keys
  };

  std::string path() const {  // of the value that comes next
    std::string out;
    for (const auto& [node, has_key, skip, seen] : levels_)
      out += fmt::format(
          "{}{}", out.empty() ? "" : ".",
          node.kind == SceneNode::Kind::map ? node.keys.back() : std::to_string(node.items.size()));
    return out;
  }

  void check(const YAML::Mark& m, const std::string& tag, YAML::anchor_t anchor) {
    if (++values_ > most_scene_values)
      throw Refusal{place_of(m), fmt::format("more than {} values are too many", most_scene_values)};
    if (anchor != 0) throw Refusal{place_of(m), "anchors (&name) are not read: use a parameter"};
    if (!tag.empty() && tag != "?" && tag != "!")
      throw Refusal{place_of(m), fmt::format("the tag {} is not read: write the plain value", tag)};
  }
  void leaf(const YAML::Mark& m, const std::string& tag, YAML::anchor_t anchor, SceneNode::Kind kind,
            const std::string& text) {
    check(m, tag, anchor);
    if (!levels_.empty() && levels_.back().node.kind == SceneNode::Kind::map && !levels_.back().has_key) {
      auto& [node, has_key, skip, seen] = levels_.back();
      if (text.size() > longest_name)
        throw Refusal{place_of(m), fmt::format("a name of {} characters is too long: at most {}", text.size(),
                                               longest_name)};
      node.keys.push_back(text);
      node.key_places.push_back(place_of(m));
      has_key = true;
      skip = !seen.insert(text).second;
      if (skip) repeated.push_back({place_of(m), "this is given twice", path()});
      return;
    }
    SceneNode n;
    n.kind = kind, n.place = place_of(m), n.text = text;
    put(std::move(n));
  }
  void open(const YAML::Mark& m, const std::string& tag, YAML::anchor_t anchor, SceneNode::Kind kind) {
    check(m, tag, anchor);
    if (!levels_.empty() && levels_.back().node.kind == SceneNode::Kind::map && !levels_.back().has_key)
      throw Refusal{place_of(m), "a name is expected here, not a list or a map"};
    if (static_cast<int>(levels_.size()) >= deepest_scene)
      throw Refusal{place_of(m), fmt::format("nested more than {} deep", deepest_scene)};
    Level level;
    level.node.kind = kind, level.node.place = place_of(m);
    levels_.push_back(std::move(level));
  }
  void close() {
    SceneNode n = std::move(levels_.back().node);
    levels_.pop_back();
    put(std::move(n));
  }
  void put(SceneNode n) {
    if (levels_.empty()) {
      root = std::move(n);
      return;
    }
    auto& [node, has_key, skip, seen] = levels_.back();
    if (skip)
      node.keys.pop_back(), node.key_places.pop_back();
    else
      node.items.push_back(std::move(n));
    has_key = skip = false;
  }

  std::vector<Level> levels_;
  int values_ = 0;
};

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
    return n;  // told when it is read
  }
  return out;
}

}  // namespace

void Complaints::add(Place place, std::string path, std::string message) {
  for (const Complaint& c : list_)
    if (c.path == path && c.message == message && c.place.line == place.line &&
        c.place.column == place.column)
      return;
  list_.push_back({place, std::move(path), std::move(message)});
  if (list_.size() >= most) throw Enough{};
}

bool Complaints::about(std::string_view path) const {
  return std::any_of(list_.begin(), list_.end(), [&](const Complaint& c) {
    return c.path.starts_with(path) && (c.path.size() == path.size() || c.path[path.size()] == '.');
  });
}

bool Complaints::about_field(std::string_view path, std::string_view field) const {
  const std::string below = fmt::format("{}.", path);
  return about(below + std::string(field)) ||
         std::any_of(list_.begin(), list_.end(), [&](const Complaint& c) {
           return c.path.starts_with(below) && c.path.find('.', below.size()) == std::string::npos &&
                  c.message.starts_with(unknown_field);
         });
}

bool Complaints::only_in(std::span<const std::string_view> sections) const {
  return std::all_of(list_.begin(), list_.end(), [&](const Complaint& c) {
    const std::string_view section = std::string_view(c.path).substr(0, c.path.find('.'));
    return std::find(sections.begin(), sections.end(), section) != sections.end();
  });
}

void Complaints::raise(std::string_view file) const {
  if (list_.empty()) return;
  auto sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Complaint& a, const Complaint& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  std::string out;
  for (const auto& c : sorted) {
    if (!out.empty()) out += '\n';
    out += c.place.line > 0 ? fmt::format("{}:{}:{}: ", file, c.place.line, c.place.column)
                            : std::string("command line: ");
    if (!c.path.empty()) out += c.path + ": ";
    out += c.message;
  }
  if (sorted.size() > 1)
    out += fmt::format("\n{} errors{}", sorted.size(), sorted.size() < most ? "" : "; the rest was not read");
  throw Error(out);
}

const SceneNode* SceneNode::find(std::string_view key) const {
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (keys[k] == key) return &items[k];
  return nullptr;
}
SceneNode* SceneNode::find(std::string_view key) {
  return const_cast<SceneNode*>(std::as_const(*this).find(key));
}
SceneNode& SceneNode::entry(std::string_view key) {
  if (SceneNode* known = find(key)) return *known;
  keys.emplace_back(key);
  key_places.push_back({});
  return items.emplace_back();
}

std::string describe(const SceneNode& n) {
  switch (n.kind) {
    case SceneNode::Kind::null:
      return "nothing";
    case SceneNode::Kind::scalar:
      return fmt::format("'{}{}'", std::string_view(n.text).substr(0, 60), n.text.size() > 60 ? "…" : "");
    case SceneNode::Kind::list:
      return "a list";
    case SceneNode::Kind::map:
      return "a map";
  }
  return "?";
}

std::optional<SceneNode> parse_scene_text(std::string_view text, Complaints& complaints) {
  if (text.size() > largest_scene) {
    complaints.add({1, 1}, "", fmt::format("{} bytes are too many: at most {}", text.size(), largest_scene));
    return {};
  }
  TreeBuilder builder;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      complaints.add({1, 1}, "", "the file is empty; a scene starts with 'saltus: 1'");
      return {};
    }
    for (const auto& r : builder.repeated) complaints.add(r.place, r.path, r.message);
    TreeBuilder second;
    if (parser.HandleNextDocument(second)) complaints.add(second.root.place, "", "one document per file");
  } catch (const Refusal& r) {
    complaints.add(r.place, "", r.message);
    return {};
  } catch (const YAML::Exception& e) {
    complaints.add(
        place_of(e.mark), "",
        fmt::format("not YAML: {} (indent with blanks, close all brackets, put texts that hold , : "
                    "[ ] {{ }} in quotes)",
                    e.msg));
    return {};
  }
  return builder.root;
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
  } catch (const Complaints::Enough&) {  // the first is told
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

}  // namespace saltus
