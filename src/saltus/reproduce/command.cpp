// The program saltus-reproduce, which `saltus reproduce` starts: all of saltus, and the studies. Apart,
// because they are most of what there is to compile and few runs need them.
#include <chrono>
#include <ostream>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/main.hpp"
#include "saltus/cli/report.hpp"
#include "saltus/cli/reproduce_command.hpp"
#include "saltus/core/error.hpp"
#include "saltus/reproduce/reproduce.hpp"

namespace saltus::cli {
namespace {

int list(const std::vector<Study>& chosen, bool json, Console& io) {
  Json out = Json::array();
  for (const auto& s : chosen) {
    out.push_back({{"id", s.id()}, {"title", s.title}});
    if (!json) io.out << fmt::format("{:<26} {}\n", s.id(), s.title);
  }
  if (json) io.out << json_text(Json{{"studies", out}}) << "\n";
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

int execute(const ReproduceOptions& o, Console& io) {
  io.json = o.json;
  const auto chosen = find_studies(o.what);
  if (o.list) return list(chosen, o.json, io);
  Json all = Json::array();
  int claims = 0, surprises = 0;
  bool drawn = true;
  for (const auto& study : chosen) {
    if (io.interrupted) break;
    const auto start = std::chrono::steady_clock::now();
    const Findings found = run_study(study, o.out);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    claims += static_cast<int>(found.claims.size());
    for (const auto& c : found.claims) {
      surprises += !c.as_expected();
      if (!o.json) io.out << fmt::format("{:<18} {}: {}: {}\n", verdict(c), study.item, c.text, c.measured);
    }
    if (!found.trouble.empty()) io.err << "saltus: " << found.trouble << "\n", drawn = false;
    if (o.json)
      all.push_back(to_json(study, found, seconds));
    else {
      io.out << fmt::format("{:<18}", fmt::format("  {:.1f} s", seconds));
      for (const auto& f : found.files) io.out << " " << f.file;
      io.out << std::endl;
    }
  }
  const bool ok = surprises == 0 && !io.interrupted;  // a missing figure is no surprise, but not done either
  if (o.json) {
    io.out << json_text(Json{{"status", io.interrupted ? "interrupted"
                                        : ok           ? "as expected"
                                                       : "not as expected"},
                             {"claims", claims},
                             {"surprises", surprises},
                             {"studies", all}})
           << "\n";
  } else if (io.interrupted) {
    io.out << "interrupted\n";
  } else {
    io.out << fmt::format("{} claims, {} not as expected\n", claims, surprises);
  }
  return ok && drawn ? success : unfinished;
}

}  // namespace
}  // namespace saltus::cli

int main(int argc, char** argv) {
  saltus::cli::reproduce_here = saltus::cli::execute;
  return saltus::cli::main(argc, argv);
}
