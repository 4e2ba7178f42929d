#include "saltus/cli/run_pages.hpp"

#include "saltus/cli/html_page.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"

namespace saltus::cli {
namespace {

void check_name(const std::string& file, const char* option) {
  if (file.empty() || file.ends_with(".html") || file.ends_with(".htm")) return;
  fail("{} {}: a page's name ends in .html", option, file);
}

}  // namespace

void check_pages(const RunOptions& o) {
  check_name(o.animate, "--animate");
  check_name(o.page, "--report");
}

void write_pages(const RunOptions& o, const CatalogProblem& p, const Trajectory& trajectory,
                 RunReport& report) {
  if (o.animate.empty() && o.page.empty()) return;
  const LoadedScene* scene = o.target.scene();
  const auto drawing = scene ? scene->drawing(o.target.settings()) : nullptr;
  const std::string title = scene && scene->scene.title.given() ? scene->scene.title.text : report.problem;
  PlayedRun run{
      title,
      fmt::format("{}; {}", saltus::to_text(report.method.scheme), saltus::to_text(report.method.stepping)),
      p.problem,
      trajectory,
      drawing.get(),
      to_json(report)["events"]};
  if (!o.animate.empty()) {
    write_file(o.animate, html_page(run));
    report.files.push_back(o.animate);
  }
  if (!o.page.empty()) {
    run.report = &report;
    write_file(o.page, html_page(run));
    report.files.push_back(o.page);
  }
}

}  // namespace saltus::cli
