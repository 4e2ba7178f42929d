#include <chrono>
#include <iostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/core/error.hpp"
#include "saltus/reproduce/reproduce.hpp"

namespace saltus::cli {
namespace {

struct ReproduceOptions {
  std::string what, out = "out/reproduce";
  bool list = false, json = false;
};

int list(const std::vector<Study>& chosen, bool json) {
  Json out = Json::array();
  for (const auto& s : chosen) {
    out.push_back({{"id", s.id()}, {"title", s.title}});
    if (!json) fmt::print("{:<26} {}\n", s.id(), s.title);
  }
  if (json) std::cout << json_text(Json{{"studies", out}}) << "\n";
  return success;
}

Json to_json(const Study& study, const Findings& found, double seconds) {
  Json claims = Json::array(), files = Json::array();
  for (const auto& c : found.claims)
    claims.push_back({{"text", c.text},
                      {"should_hold", c.should_hold},
                      {"holds", c.holds},
                      {"verdict", verdict(c)},
                      {"measured", c.measured}});
  for (const auto& f : found.files) files.push_back(f.file);
  Json out = {{"id", study.id()},
              {"title", study.title},
              {"claims", claims},
              {"files", files},
              {"seconds", number(seconds)}};
  if (!found.trouble.empty()) out["trouble"] = found.trouble;
  return out;
}

int execute(const ReproduceOptions& o) {
  json_wanted = o.json;
  const auto chosen = find_studies(o.what);
  if (o.list) return list(chosen, o.json);
  Json all = Json::array();
  int claims = 0, surprises = 0;
  bool drawn = true;
  for (const auto& study : chosen) {
    if (interrupted) break;
    const auto start = std::chrono::steady_clock::now();
    const Findings found = run_study(study, o.out);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    claims += static_cast<int>(found.claims.size());
    for (const auto& c : found.claims) {
      surprises += !c.as_expected();
      if (!o.json)
        std::cout << fmt::format("{:<18} {}: {}: {}\n", verdict(c), study.item, c.text, c.measured);
    }
    if (!found.trouble.empty()) std::cerr << "saltus: " << found.trouble << "\n", drawn = false;
    if (o.json)
      all.push_back(to_json(study, found, seconds));
    else {
      std::cout << fmt::format("{:<18}", fmt::format("  {:.1f} s", seconds));
      for (const auto& f : found.files) std::cout << " " << f.file;
      std::cout << std::endl;
    }
  }
  const bool ok = surprises == 0 && !interrupted;  // a missing figure is no surprise, but not done either
  if (o.json) {
    std::cout << json_text(Json{{"status", interrupted ? "interrupted"
                                           : ok        ? "as expected"
                                                       : "not as expected"},
                                {"claims", claims},
                                {"surprises", surprises},
                                {"studies", all}})
              << "\n";
  } else if (interrupted) {
    std::cout << "interrupted\n";
  } else {
    std::cout << fmt::format("{} claims, {} not as expected\n", claims, surprises);
  }
  return ok && drawn ? success : unfinished;
}

}  // namespace

void add_reproduce(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReproduceOptions>();
  CLI::App* c =
      app.add_subcommand("reproduce", "compute published claims again, with verdicts, data and figures");
  c->add_option("WHAT", options->what, "a paper or PAPER/ITEM; everything when left out");
  c->add_flag("--list", options->list, "list what there is");
  c->add_option("--out", options->out, "folder for CSV and SVG files")->capture_default_str();
  c->add_flag("--json", options->json, "print one JSON object");
  c->callback([options, &action] { action = [options] { return execute(*options); }; });
}

}  // namespace saltus::cli
