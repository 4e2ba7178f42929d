// `saltus check` reports what is wrong with a scene without running it; `saltus schema` prints the list of
// all fields, as JSON Schema for editors or as the reference page of the manual.
#include <CLI/CLI.hpp>
#include <ostream>

#include "saltus/chain/chain.hpp"
#include "saltus/cli/commands.hpp"
#include "saltus/cli/recorded_files.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/cli/scene_schema.hpp"
#include "saltus/core/error.hpp"
#include "saltus/odae/odae_system.hpp"
#include "saltus/scene/file/load_file.hpp"
#include "saltus/system/checked.hpp"

namespace saltus::cli {
namespace {

/// A table per struct, depth first, by the same lists.
class Reference {
 public:
  template <HasFields T>
  void section(const std::string& path, T t) {
    std::string later = fmt::format("\n## {}\n\n| field | kind | what it is |\n|---|---|---|\n",
                                    path.empty() ? "The file" : "`" + path + "`");
    t.fields([&](const Note& n, const auto& field) {
      later += fmt::format("| `{}`{} | {}{} | {} |\n", n.name, n.required ? " (needed)" : "", kind(field),
                           n.unit.empty() ? "" : fmt::format(", {}", n.unit), n.help);
    });
    out_ += later;
    t.fields([&](const Note& n, const auto& field) {
      deeper(path.empty() ? std::string(n.name) : fmt::format("{}.{}", path, n.name), field);
    });
  }
  const std::string& text() const { return out_; }

 private:
  static std::string kind(const Formula&) { return "formula"; }
  static std::string kind(const Value&) { return "number"; }
  static std::string kind(const Word&) { return "word"; }
  static std::string kind(bool) { return "true or false"; }
  static std::string kind(int) { return "whole number"; }
  template <int least>
  static std::string kind(const AtLeast<least>&) {
    return fmt::format("whole number ≥ {}", least);
  }
  static std::string kind(const Pair&) { return "[x, y]"; }
  static std::string kind(const MassFormulas&) { return "formulas"; }
  static std::string kind(const SceneAlong&) { return "along"; }
  static std::string kind(const SceneRestitution&) { return "e at a speed, or fields"; }
  static std::string kind(const SceneChainEnd&) { return "free, wall, or fields"; }
  template <class T>
  static std::string kind(const std::optional<T>&) {
    return "fields";
  }
  template <class T>
  static std::string kind(const std::vector<T>&) {
    return "list of " + kind(T{});
  }
  template <class T>
  static std::string kind(const OneOrMany<T>&) {
    return kind(T{}) + ", or a list";
  }
  template <class T>
  static std::string kind(const Named<T>&) {
    return "NAME: " + kind(T{});
  }
  template <class V>
  static std::string kind(const Choice<V>&) {
    return "choice";
  }
  template <HasFields T>
  static std::string kind(const T&) {
    return "fields";
  }

  template <class T>
  void deeper(const std::string&, const T&) {}
  template <HasFields T>
  void deeper(const std::string& path, const T& t) {
    section(path, t);
  }
  // the same for all of them
  void deeper(const std::string& path, const SceneAlong&) {
    if (!std::exchange(spread_, true)) section(path.substr(0, path.rfind('.')) + ".ALONG", SceneSpread{});
  }
  template <HasFields T>
  void deeper(const std::string& path, const std::vector<T>&) {
    section(path + ".K", T{});
  }
  template <class T>
  void deeper(const std::string& path, const std::optional<T>&) {
    deeper(path, T{});
  }
  template <class T>
  void deeper(const std::string& path, const Named<T>&) {
    deeper(path + ".NAME", T{});
  }
  template <class Variant>
  void deeper(const std::string& path, const Choice<Variant>&) {
    out_ += fmt::format("\n## `{}`\n\n| name | what it is | fields (default) |\n|---|---|---|\n", path);
    for_each_alternative<Variant>([&]<class S>(const S& s) {
      std::string fields;
      for (const auto& d : describe(Variant(s)))
        fields += fmt::format("{}`{}` ({}{}{}): {}", fields.empty() ? "" : "; ", d.name, d.value,
                              d.unit.empty() ? "" : " ", d.unit, d.help);
      for (std::size_t at = 0; (at = fields.find('|', at)) != std::string::npos; at += 2)
        fields.insert(at, "\\");
      out_ += fmt::format("| `{}` | {} | {} |\n", S::name, S::summary, fields);
    });
  }

  std::string out_;
  bool spread_ = false;
};

struct CheckOptions {
  std::string file;
  std::vector<std::string> sets;
  bool json = false;
};

/// What a chain came to: the range of each quantity, and how many contacts there are.
struct ChainSummary {
  int contacts = 0;
  Json json;
  std::string text;

  explicit ChainSummary(const Chain& chain) {
    const ChainData& d = chain.data();
    for (int n = 0; n <= chain.beads(); ++n) contacts += d.k[n] > 0;
    json = {{"beads", chain.beads()}, {"contacts", contacts}};
    add("mass", "kg", d.m, [](int) { return true; });
    add("stiffness", "N/m^1.5", d.k, [&](int n) { return d.k[n] > 0; });
    add("damping", "", d.gamma, [&](int n) { return d.k[n] > 0; });
    if (chain.has_offsets()) add("overlap", "m", d.a, [&](int n) { return d.k[n] > 0; });
    if (d.radius.size() > 0) add("radius", "m", d.radius, [](int) { return true; });
  }

 private:
  template <class There>
  void add(const char* name, std::string_view unit, const Vec& values, There&& there) {
    double low = infinity, high = -infinity;
    for (int n = 0; n < values.size(); ++n)
      if (there(n)) low = std::min(low, values[n]), high = std::max(high, values[n]);
    if (low > high) return;
    json[name] = {low, high};
    text += fmt::format("{}{} {:.6g}{}{}{}", text.empty() ? "" : ", ", name, low,
                        high > low ? fmt::format(" to {:.6g}", high) : "", unit.empty() ? "" : " ", unit);
  }
};

int execute_check(const CheckOptions& o, Console& io) {
  io.json = o.json;
  const auto scene = load_scene(o.file, o.sets);
  check_recorded_files(*scene);
  const CatalogProblem p = scene->entry.make({}, {});
  const System* system = as_mechanical(p.problem.system.get());
  const auto* odae = p.problem.system->family() == Family::odae
                         ? static_cast<const OdaeSystem*>(p.problem.system.get())
                         : nullptr;
  std::size_t contacts = odae ? odae->constraints().size() : 0;
  if (system) {
    ContactSet set;
    CheckedSystem(*system).list(p.problem.t0, p.problem.q0, set);
    contacts = set.contacts.size();
  }
  std::optional<ChainSummary> chain;
  if (const Chain* beads = as_chain(p.problem.system.get()))
    chain.emplace(*beads), contacts = chain->contacts;
  if (o.json) {
    Json out = {{"status", "good"},
                {"file", o.file},
                {"coordinates", scene->coordinates},
                {"parameters", parameters_json(scene->entry.parameters)},
                {"contacts", contacts},
                {"measures", scene->measures}};
    if (chain) out["chain"] = chain->json;
    io.out << json_text(out) << "\n";
  } else {
    io.out << fmt::format("{}: good; {} coordinates, {} contacts and joints, {} parameters, {} measures\n",
                          o.file, p.problem.q0.size(), contacts, scene->entry.parameters.size(),
                          scene->measures.size());
    if (chain) io.out << fmt::format("chain: {}\n", chain->text);
  }
  return success;
}

int execute_schema(bool reference, Console& io) {
  if (reference) {
    Reference page;
    page.section("", Scene{});
    io.out
        << "# Scene files: all fields\n\nGenerated by `saltus schema --reference`; do not edit. The guide is "
           "[scenes.md](../how-to/scenes.md).\n\nNumbers may have a unit (`9.81 m/s^2`) and may be formulas "
           "of "
           "parameters. `along` is a quantity along a chain: a number for all, a list, a formula of the "
           "index "
           "`i` and the number of beads `N`, or the fields of `chain.ALONG`.\n"
        << page.text();
    return success;
  }
  io.out << json_text(scene_schema()) << "\n";
  return success;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* c =
      app.add_subcommand("check", "read a scene file and tell all that is wrong with it, without running");
  c->add_option("FILE", options->file, "a scene file (.yaml)")->required();
  c->add_option("--set", options->sets, "a field of the scene, path.to.field=value")->allow_extra_args(false);
  c->add_flag("--json", options->json, "print one JSON object");
  c->callback(
      [options, &action] { action = [options](Console& io) { return execute_check(*options, io); }; });
}

void add_schema(CLI::App& app, Action& action) {
  auto reference = std::make_shared<bool>(false);
  CLI::App* c = app.add_subcommand("schema", "print the JSON Schema of scene files, for editors");
  c->add_flag("--reference", *reference, "print the reference page of the manual instead");
  c->callback(
      [reference, &action] { action = [reference](Console& io) { return execute_schema(*reference, io); }; });
}

}  // namespace saltus::cli
