#include "saltus/reproduce/reproduce.hpp"

#include <algorithm>
#include <filesystem>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/reproduce/acary_2012.hpp"
#include "saltus/reproduce/bruls_2018.hpp"
#include "saltus/reproduce/james_2020.hpp"
#include "saltus/reproduce/studer_2008.hpp"
#include "saltus/reproduce/symplectic_odae.hpp"

namespace saltus {

std::string_view verdict(const Claim& c) {
  if (c.holds) return c.should_hold ? "holds" : "HOLDS unexpectedly";
  return c.should_hold ? "FAILS" : "fails as expected";
}

void Findings::claim(std::string text, bool holds, std::string measured) {
  claims.push_back({std::move(text), true, holds, std::move(measured)});
}

void Findings::refuted(std::string text, bool holds, std::string measured) {
  claims.push_back({std::move(text), false, holds, std::move(measured)});
}

void Findings::csv(const std::string& name, const std::string& header, const std::vector<std::string>& rows) {
  const std::string file = folder_ + "/" + name + ".csv";
  std::string text = header + "\n";
  for (const auto& row : rows) text += row + "\n";
  write_file(file, text);
  files.push_back({file, "data"});
}

void Findings::picture(const std::string& name, const std::string& svg) {
  const std::string file = folder_ + "/" + name + ".svg";
  write_file(file, svg);
  files.push_back({file, "figure"});
}

void Findings::figure(const std::string& name, std::span<const Panel> panels) {
  const std::string file = folder_ + "/" + name + ".svg";
  const std::string problem = draw(file, panels);
  if (problem.empty())
    files.push_back({file, "figure"});
  else
    trouble = problem;
}

bool Findings::as_expected() const {
  return std::all_of(claims.begin(), claims.end(), [](const Claim& c) { return c.as_expected(); });
}

const std::vector<Study>& studies() {
  static const std::vector<Study> all = [] {
    std::vector<Study> list;
    for (const auto& paper : {acary_2012::studies(), bruls_2018::studies(), james_2020::studies(),
                              studer_2008::studies(), symplectic_odae::studies()})
      list.insert(list.end(), paper.begin(), paper.end());
    return list;
  }();
  return all;
}

std::vector<Study> find_studies(std::string_view name) {
  std::vector<Study> out;
  std::vector<std::string> known;
  for (const auto& s : studies()) {
    if (name.empty() || name == s.paper || name == s.id()) out.push_back(s);
    if (known.empty() || std::find(known.begin(), known.end(), s.paper) == known.end())
      known.push_back(s.paper);
    known.push_back(s.id());
  }
  if (out.empty())
    fail("there is nothing to reproduce under '{}'{}; known: {}", name, suggestion(name, known),
         fmt::join(known, ", "));
  return out;
}

Findings run_study(const Study& study, const std::string& out) {
  const std::string folder = out + "/" + study.paper;
  std::error_code bad;
  std::filesystem::create_directories(folder, bad);
  if (bad) fail("cannot make the folder '{}': {}", folder, bad.message());
  Findings findings(folder);
  study.run(findings);
  return findings;
}

}  // namespace saltus
