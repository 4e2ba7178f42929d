#include "saltus/cli/study_output.hpp"

#include <filesystem>
#include <iostream>

#include "saltus/cli/commands.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"

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

void Written::figure(const std::string& file, std::span<const Panel> panels) {
  const std::string bad = draw(file, panels);
  if (bad.empty()) {
    files.push_back(file);
    return;
  }
  std::cerr << "saltus: " << bad << "\n";
  trouble += (trouble.empty() ? "" : "; ") + bad;
}

void check_outputs(std::initializer_list<OutputName> names) {
  for (const auto& n : names) {
    if (n.file.empty()) continue;
    if (n.kind != OutputName::Kind::data)
      check_figure_file(n.file, n.option, n.kind == OutputName::Kind::svg);
    else
      check_writable(n.file);
    for (const auto* other = names.begin(); other != &n; ++other)
      if (!other->file.empty() && std::filesystem::path(other->file).lexically_normal() ==
                                      std::filesystem::path(n.file).lexically_normal())
        fail("{} and {} name the same file '{}'; give each its own", other->option, n.option, n.file);
  }
}

Written write_files(const StudyOptions& o, const std::string& csv, std::span<const Panel> panels) {
  Written written;
  if (!o.output.empty()) write_file(o.output, csv), written.files.push_back(o.output);
  if (!o.figure.empty()) written.figure(o.figure, panels);
  return written;
}

int finish(const StudyOptions& o, Json json, const std::string& text, const Written& written,
           bool all_finished) {
  if (o.json) {
    if (!written.files.empty()) json["files"] = written.files;
    if (!written.trouble.empty()) json["trouble"] = written.trouble;
    std::cout << json_text(json) << "\n";
  } else {
    std::cout << text;
    for (const auto& f : written.files) std::cout << "wrote " << f << "\n";
  }
  return all_finished && written.trouble.empty() && !interrupted ? success : unfinished;
}

}  // namespace saltus::cli
