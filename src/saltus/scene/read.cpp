// From the tree to the structs, by their lists of fields.
#include <charconv>
#include <concepts>

#include "saltus/core/error.hpp"
#include "saltus/scene/scene.hpp"
#include "saltus/scene/units.hpp"

namespace saltus {
namespace {

using Kind = SceneNode::Kind;

bool is_name(std::string_view s) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (s.empty() || !letter(s[0])) return false;
  for (const char c : s)
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '.') return false;  // ball.x is a name too
  return true;
}

class Reader {
 public:
  explicit Reader(Complaints& complaints) : complaints_(complaints) {}
  bool units = false;  // seen outside `run`

  // ---- leaves
  void read(const SceneNode& n, const std::string& path, Formula& out) {
    if (!scalar(n, path, "a formula or a number")) return;
    out.text = n.text, out.path = path, out.place = n.place;
    units = units || (has_unit(n.text) && !path.starts_with("run."));
  }
  void read(const SceneNode& n, const std::string& path, Word& out) {
    if (scalar(n, path, "a word")) out.text = n.text, out.path = path, out.place = n.place;
  }
  void read(const SceneNode& n, const std::string& path, bool& out) {
    if (!scalar(n, path, "true or false")) return;
    guard(
        n, path, [&] { out = parse_flag(n.text, ""); }, "true or false");
  }
  void read(const SceneNode& n, const std::string& path, int& out) {
    if (!scalar(n, path, "a whole number")) return;
    guard(
        n, path, [&] { out = static_cast<int>(parse_integer(n.text, "")); }, "a whole number");
  }
  template <int least>
  void read(const SceneNode& n, const std::string& path, AtLeast<least>& out) {
    read(n, path, out.value);
    if (out.value < least) wrong(n, path, fmt::format(">= {}", least));
  }
  void read(const SceneNode& n, const std::string& path, Pair& out) {
    if (n.kind != Kind::list || n.items.size() != 2) return wrong(n, path, "two numbers: [x, y]");
    read(n.items[0], path + ".0", out.x);
    read(n.items[1], path + ".1", out.y);
  }
  void read(const SceneNode& n, const std::string& path, MassFormulas& out) {
    out.place = n.place;
    if (n.kind == Kind::map) return read(n, path, out.diagonal);
    if (n.kind == Kind::list && !n.items.empty() && n.items[0].kind == Kind::list)
      return read(n, path, out.rows);
    wrong(n, path, "{coordinate: formula, …} or a list of rows [[…], […]]");
  }

  // ---- containers
  template <class T>
  void read(const SceneNode& n, const std::string& path, std::optional<T>& out) {
    read(n, path, out.emplace());
  }
  template <class T>
  void read(const SceneNode& n, const std::string& path, std::vector<T>& out) {
    if (n.kind != Kind::list) return wrong(n, path, "a list");
    for (std::size_t i = 0; i < n.items.size(); ++i)
      read(n.items[i], fmt::format("{}.{}", path, i), out.emplace_back());
  }
  template <class T>
  void read(const SceneNode& n, const std::string& path, OneOrMany<T>& out) {
    if (n.kind == Kind::list) return read(n, path, out.list);
    read(n, path, out.list.emplace_back());
  }
  template <class T>
  void read(const SceneNode& n, const std::string& path, Named<T>& out) {
    if (n.kind == Kind::null) return;  // an empty section
    if (n.kind != Kind::map) return wrong(n, path, "a map {name: …}");
    for (std::size_t i = 0; i < n.items.size(); ++i) {
      const std::string inner = path + "." + n.keys[i];
      if (!is_name(n.keys[i])) {
        complaints_.add(n.key_places[i], inner,
                        fmt::format("'{}' is not a name: letters, digits and _, no digit first{}", n.keys[i],
                                    quote_hint(n.keys[i])));
        continue;
      }
      auto& entry = out.list.emplace_back();
      entry.name = n.keys[i], entry.place = n.key_places[i];
      read(n.items[i], inner, entry.value);
    }
  }
  template <class Variant>
  void read(const SceneNode& n, const std::string& path, Choice<Variant>& out) {
    std::vector<std::string> known;
    for_each_alternative<Variant>([&]<class S>(const S&) { known.emplace_back(S::name); });
    read_choice(n, path, known, out);
    if (!out.given()) return;
    for_each_alternative<Variant>([&]<class S>(const S& s) {
      if (S::name == out.name.text) check_settings(path, describe(Variant(s)), out);
    });
  }

  // ---- of chains
  void read(const SceneNode& n, const std::string& path, SceneAlong& out) {
    out.path = path, out.place = n.place;
    if (n.kind == Kind::list) return read(n, path, out.list);
    if (n.kind == Kind::map) return read(n, path, out.spread);
    read(n, path, out.value);
  }
  void read(const SceneNode& n, const std::string& path, SceneRestitution& out) {
    if (n.kind == Kind::map) return read_fields(n, path, out);
    constexpr std::string_view at = " at ";
    const auto split = n.kind == Kind::scalar ? n.text.find(at) : std::string::npos;
    if (split == std::string::npos) return wrong(n, path, "a coefficient at a speed, as 0.9 at 1 m/s");
    SceneNode part = n;
    part.text = n.text.substr(0, split), read(part, path, out.e);
    part.text = n.text.substr(split + at.size()), read(part, path, out.at);
    out.at.unit = "m/s";
  }
  void read(const SceneNode& n, const std::string& path, SceneDefect& out) {
    out.place = n.place;
    read_fields(n, path, out);
  }
  void read(const SceneNode& n, const std::string& path, SceneChainEnd& out) {
    out.place = n.place;
    if (n.kind == Kind::map) return read_fields(n, path, out);
    if (n.kind != Kind::scalar || (n.text != "free" && n.text != "wall"))
      return wrong(n, path, "free, wall, or a map of fields");
    out.wall = n.text == "wall";
  }

  // ---- a struct with a list of fields
  template <class T>
  requires requires(T t) {
    t.fields([](const Note&, auto&) {});
  }
  void read(const SceneNode& n, const std::string& path, T& out) { read_fields(n, path, out); }
  template <class T>
  void read_fields(const SceneNode& n, const std::string& path, T& out) {
    Notes notes;
    out.fields([&](const Note& note, auto&) { notes.push_back(note); });
    if (!fits(n, path, notes)) return;
    out.fields([&](const Note& note, auto& field) { read_field(n, path, note, field); });
    required(n, path, notes);
  }

 private:
  // What follows is compiled once, or once for a type of fields; what stands above for every struct.
  using Notes = std::vector<Note>;

  template <class Field>
  void read_field(const SceneNode& n, const std::string& path, const Note& note, Field& field) {
    if (const SceneNode* child = n.find(note.name)) read(*child, join(path, note.name), field);
    if constexpr (std::same_as<Field, Value> || std::same_as<Field, SceneAlong>) field.unit = note.unit;
    if constexpr (std::same_as<Field, std::vector<Value>>)
      for (Value& value : field) value.unit = note.unit;
  }
  // A map, whose fields are to be read; complains about those it does not know.
  bool fits(const SceneNode& n, const std::string& path, const Notes& notes) {
    if (n.kind == Kind::null && !path.empty()) return required(n, path, notes), false;
    if (n.kind != Kind::map) return wrong(n, path, "a map of fields"), false;
    std::vector<std::string> known;
    for (const Note& note : notes) known.emplace_back(note.name);
    for (std::size_t i = 0; i < n.keys.size(); ++i)
      if (std::find(known.begin(), known.end(), n.keys[i]) == known.end())
        complaints_.add(n.key_places[i], join(path, n.keys[i]),
                        fmt::format("unknown field{}; known here: {}{}", suggestion(n.keys[i], known),
                                    fmt::join(known, ", "), quote_hint(n.keys[i])),
                        Complaint::Kind::unknown_field);
    return true;
  }
  void required(const SceneNode& n, const std::string& path, const Notes& notes) {
    for (const Note& note : notes)
      if (note.required && (n.kind != Kind::map || !n.find(note.name)))
        complaints_.add(n.place, join(path, note.name), fmt::format("this field is missing: {}", note.help));
  }
  // The rest of a text that YAML cut at its comma: {law: coulomb:mu=0.3,e_n=0.5}, {gap: atan2(y, x)}.
  static std::string_view quote_hint(std::string_view key) {
    return key.find_first_of("=()") == std::string_view::npos
               ? ""
               : " (inside { } or [ ] a comma ends a text: put the whole text in quotes)";
  }
  static std::string join(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
  }
  void wrong(const SceneNode& n, const std::string& path, std::string_view allowed) {
    complaints_.add(n.place, path, fmt::format("found {}, expected {}", describe(n), allowed));
  }
  bool scalar(const SceneNode& n, const std::string& path, std::string_view allowed) {
    if (n.kind == Kind::scalar && !n.text.empty()) return true;
    wrong(n, path, allowed);
    return false;
  }
  template <class F>
  void guard(const SceneNode& n, const std::string& path, F&& f, std::string_view allowed = {}) {
    try {
      f();
    } catch (const Error& e) {
      if (allowed.empty())
        complaints_.add(n.place, path, e.what());
      else
        wrong(n, path, allowed);
    }
  }
  void read_choice(const SceneNode& n, const std::string& path, const std::vector<std::string>& known,
                   ChoiceText& out) {
    const auto names = [&] { return fmt::format("one of {}", fmt::join(known, ", ")); };
    out.place = n.place;
    if (n.kind == Kind::scalar) {
      if (n.text.size() > 1000) return wrong(n, path, "a name with some settings");
      guard(n, path, [&] {
        const SpecText spec = split_spec(n.text);
        out.name = {spec.name, path, n.place};
        for (const auto& [key, value] : spec.settings)
          out.settings.push_back({key, Value{{value, path + "." + key, n.place}}});
        if (spec.name.empty()) wrong(n, path, names());
      });
    } else if (n.kind == Kind::map) {
      for (std::size_t i = 0; i < n.items.size(); ++i) {
        const std::string inner = path + "." + n.keys[i];
        if (n.keys[i] == "name") {
          read(n.items[i], inner, out.name);
        } else {
          out.settings.push_back({n.keys[i], {}});
          read(n.items[i], inner, out.settings.back().value);
          if (!out.settings.back().value.given()) out.settings.pop_back();
        }
      }
      if (!out.name.given()) complaints_.add(n.place, path, "'name' is missing: " + names());
    } else {
      wrong(n, path, "a name or {name: …, field: value}");
    }
    if (!out.given() || std::find(known.begin(), known.end(), out.name.text) != known.end()) return;
    complaints_.add(out.name.place, path,
                    fmt::format("unknown name '{}'{}; known: {}", out.name.text,
                                suggestion(out.name.text, known), fmt::join(known, ", ")));
    out.name = {}, out.settings.clear();
  }
  void check_settings(const std::string& path, const std::vector<FieldDescription>& described,
                      ChoiceText& choice) {
    std::vector<std::string> fields;
    for (const auto& d : described) fields.push_back(d.name);
    std::erase_if(choice.settings, [&](const auto& s) {
      if (std::find(fields.begin(), fields.end(), s.key) != fields.end()) return false;
      complaints_.add(
          s.value.place, path + "." + s.key,
          fmt::format("{} has no such field{}; its fields: {}", choice.name.text, suggestion(s.key, fields),
                      fields.empty() ? "(none)" : fmt::format("{}", fmt::join(fields, ", "))));
      return true;
    });
  }

  Complaints& complaints_;
};

}  // namespace

Scene read_scene(const SceneNode& root, Complaints& complaints) {
  Scene scene;
  Reader reader(complaints);
  reader.read(root, "", scene);
  scene.units = reader.units;
  for (std::size_t i = 0; i < root.keys.size(); ++i) scene.sections[root.keys[i]] = root.key_places[i];
  const SceneNode* version = root.find("saltus");
  if (version && version->kind == Kind::scalar && scene.saltus != 1 && !complaints.about("saltus"))
    complaints.add(version->place, "saltus",
                   fmt::format("found version {}, this program reads version 1", describe(*version)));
  return scene;
}

}  // namespace saltus
