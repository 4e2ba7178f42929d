#include "saltus/cli/run_pages.hpp"

#include "saltus/cli/film.hpp"
#include "saltus/cli/html_page.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"

namespace saltus::cli {
namespace {

bool is_page(const std::string& file) {
  return file.ends_with(".html") || file.ends_with(".htm");
}

}  // namespace

void check_pages(const RunOptions& o) {
  if (!o.animate.empty() && !is_page(o.animate)) {
    if (!is_film(o.animate))
      fail("--animate {}: the name ends in .html (a page), .gif or .mp4 (a film)", o.animate);
    check_film_maker();
  }
  if (!o.page.empty() && !is_page(o.page)) fail("--report {}: a page's name ends in .html", o.page);
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
    if (is_film(o.animate))
      write_film(o.animate, run);
    else
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
