#include "saltus/cli/study_output.hpp"

#include <iostream>

#include "saltus/cli/commands.hpp"
#include "saltus/core/error.hpp"

namespace saltus::cli {

void StudyOptions::add_to(CLI::App& app) {
  target.add_to(app, false);
  app.add_option("--scheme", schemes, "NAME[:key=value,…]; repeat to compare several")
      ->allow_extra_args(false);
  app.add_option("--h", h, "steps: h1,h2,… or first:last:count (equal ratios)");
  app.add_option("-o,--output", output, "write the table as CSV");
  app.add_option("--figure", figure, "log-log figure (.svg or .png)");
  app.add_flag("--json", json, "print one JSON object");
}

CatalogProblem problem_with_reference(const StudyOptions& o) {
  CatalogProblem p = o.target.problem();
  const std::string& name = o.target.entry().name;
  if (!p.reference)
    fail("{} has no reference solution with these parameters: nothing to measure errors against", name);
  if (p.problem.t_end > p.reference->valid_until())
    fail("the reference of {} is good up to t = {:.6g} only; choose a smaller --t-end", name,
         p.reference->valid_until());
  return p;
}

void draw_into(const std::string& file, std::span<const Panel> panels, std::vector<std::string>& files) {
  const auto trouble = draw(file, panels);
  if (trouble.empty())
    files.push_back(file);
  else
    std::cerr << "saltus: " << trouble << "\n";
}

std::vector<std::string> write_files(const StudyOptions& o, const std::string& csv,
                                     std::span<const Panel> panels) {
  std::vector<std::string> files;
  if (!o.output.empty()) write_text(o.output, csv), files.push_back(o.output);
  if (!o.figure.empty()) draw_into(o.figure, panels, files);
  return files;
}

int finish(const StudyOptions& o, Json json, const std::string& text, const std::vector<std::string>& files,
           bool all_finished) {
  if (o.json) {
    if (!files.empty()) json["files"] = files;
    std::cout << json.dump(2) << "\n";
  } else {
    std::cout << text;
    for (const auto& f : files) std::cout << "wrote " << f << "\n";
  }
  return all_finished && !interrupted ? success : unfinished;
}

}  // namespace saltus::cli
