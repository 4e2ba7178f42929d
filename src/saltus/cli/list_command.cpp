#include <CLI/CLI.hpp>
#include <ostream>

#include "saltus/chain/sphere_materials.hpp"
#include "saltus/cli/commands.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/core/error.hpp"
#include "saltus/run/compatibility.hpp"

namespace saltus::cli {
namespace {

struct Item {
  std::string name, summary;
  std::vector<FieldDescription> fields;
  std::vector<std::string> presets;
  std::string family = {};                       // of schemes: the systems they are for
  std::vector<std::string_view> steppings = {};  // of schemes: what drives them
};

template <class Variant>
std::vector<Item> items_of() {
  std::vector<Item> out;
  for_each_alternative<Variant>([&]<class S>(const S& s) {
    out.push_back({std::string(S::name), std::string(S::summary), describe(Variant(s)), {}});
  });
  return out;
}

std::vector<Item> schemes() {
  std::vector<Item> out = items_of<SchemeSpec>();
  auto item = out.begin();
  for_each_alternative<SchemeSpec>([&]<class S>(const S& s) {
    item->family = to_string(S::family);
    (item++)->steppings = steppings_for(s);
  });
  return out;
}

std::vector<Item> problems() {
  std::vector<Item> out;
  for (const auto& e : catalog()) out.push_back({e.name, e.summary, e.parameters, e.presets});
  return out;
}

std::vector<Item> materials() {
  std::vector<Item> out;
  for (const NamedMaterial& m : sphere_materials())
    out.push_back({std::string(m.name), fmt::format("{}; {}", m.what, m.source), describe(m.material), {}});
  return out;
}

struct Section {
  std::string_view name;
  std::vector<Item> (*items)();
};
constexpr Section sections[] = {{"problems", problems},
                                {"schemes", schemes},
                                {"steppings", items_of<Stepping>},
                                {"solvers", items_of<SolverSpec>},
                                {"laws", items_of<Law>},
                                {"materials", materials}};

Json section_json(const std::vector<Item>& items) {
  Json out = Json::array();
  for (const auto& i : items) {
    Json j = {{"name", i.name}, {"summary", i.summary}, {"parameters", describe_json(i.fields)}};
    if (!i.presets.empty()) j["presets"] = i.presets;
    if (!i.family.empty()) j["family"] = i.family, j["steppings"] = i.steppings;
    out.push_back(std::move(j));
  }
  return out;
}

void print(const std::vector<Item>& items, Console& io) {
  for (const auto& i : items) {
    io.out << fmt::format("  {:<20} {}\n", i.name, i.summary);
    if (!i.family.empty())
      io.out << fmt::format("      for {} systems, stepping {}\n", i.family, fmt::join(i.steppings, ", "));
    for (const auto& f : i.fields)
      io.out << fmt::format("      {:<14} {:<10} {:<7} {} ({})\n", f.name, f.value, f.unit, f.help,
                            f.allowed);
    if (!i.presets.empty()) io.out << fmt::format("      presets: {}\n", fmt::join(i.presets, ", "));
  }
}

int execute(const std::string& what, bool json, Console& io) {
  io.json = json;
  Json all = Json::object();
  bool found = false;
  for (const auto& s : sections) {
    if (!what.empty() && what != s.name) continue;
    found = true;
    if (json) {
      all[std::string(s.name)] = section_json(s.items());
    } else {
      io.out << s.name << "\n";
      print(s.items(), io);
    }
  }
  if (!found)
    fail("unknown list '{}': choose problems, schemes, steppings, solvers, laws or materials", what);
  if (json) io.out << json_text(all) << "\n";
  return success;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto what = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* c = app.add_subcommand("list", "names, parameters, defaults and units of everything there is");
  c->add_option("WHAT", *what, "problems, schemes, steppings, solvers, laws or materials; all when left out");
  c->add_flag("--json", *json, "print one JSON object");
  c->callback(
      [what, json, &action] { action = [what, json](Console& io) { return execute(*what, *json, io); }; });
}

}  // namespace saltus::cli
