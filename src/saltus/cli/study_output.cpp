#include "saltus/cli/study_output.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <ostream>

#include "saltus/cli/commands.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/reference/own_reference.hpp"

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

void StudyOptions::take_methods() {
  stepping = std::exchange(target.stepping, "");
  rtol = std::exchange(target.rtol, ""), atol = std::exchange(target.atol, "");
  if (rtol.empty() && !atol.empty()) fail("--atol is of runs by tolerance: give their --rtol too");
}

StudyReference::StudyReference(const StudyOptions& o, const Console& io) : problem_(o.target.problem()) {
  const Problem& p = problem_.problem;
  if (problem_.reference && p.t_end <= problem_.reference->valid_until()) return;
  RunControl control;
  control.interrupt = &io.interrupted;
  OwnReference own = own_reference(p, control);
  if (p.t_end > own.reference->valid_until())
    fail("the reference of {} is good up to t = {:.6g} only; choose a smaller --t-end", o.target.entry().name,
         own.reference->valid_until());
  problem_.reference = std::move(own.reference), problem_.reference_kind = std::move(own.kind);
  error_ = own.error;
  const System* system = as_mechanical(p.system.get());
  if (!system || p.penetration != Penetration::accept) return;
  for (const StartTrouble& t : start_troubles(*system, p.t0, p.t_end, p.q0, p.u0, Penetration::refuse))
    if (t.about == StartTrouble::About::penetration)
      note_ =
          "the start penetrates: the reference closes that gap at once, schemes on velocities keep it, and "
          "errors tend to the difference";
}

StudyJob StudyReference::job(const StudyOptions& o, const std::string& scheme, Knob knob,
                             std::vector<double> values) const {
  const TargetOptions one = o.target.with_method(scheme, o.stepping);
  StudyJob out{one.problem(), {}, knob, std::move(values)};
  out.problem.reference = problem_.reference, out.problem.reference_kind = problem_.reference_kind;
  out.method = one.method(out.problem, "");
  with_knob(out.method, knob, out.values.front());  // throws before anything runs
  return out;
}

std::vector<StudyJob> StudyReference::tolerance_jobs(const StudyOptions& o) const {
  if (o.rtol.empty()) return {};
  const auto values = parse_tolerances(o.rtol, "--rtol");
  const Method method =
      choose_method(problem_.method, {{}, {}, o.target.solver, {}, number_text(values.front()), o.atol});
  return {{problem_, method, Knob::rtol, values}};
}

void StudyReference::describe(Json& out) const {
  out["reference"] = problem_.reference_kind;
  if (error_ > 0) out["reference_error"] = number(error_);
  if (!note_.empty()) out["reference_note"] = note_;
}

std::string StudyReference::text(double smallest) const {
  constexpr double far_below = 1000;
  std::string out = fmt::format("reference  {}", problem_.reference_kind);
  if (error_ > 0) out += fmt::format(", itself good to about {:.0e} in q", error_);
  if (smallest < far_below * error_)
    out += fmt::format(
        ": the smallest error, {:.1e}, is not {:.0f} times that, and its last digits are the "
        "reference's",
        smallest, far_below);
  if (!note_.empty()) out += "; " + note_;
  return out + "\n";
}

void Written::figure(const std::string& file, std::span<const Panel> panels, Console& io) {
  const std::string bad = draw(file, panels);
  if (bad.empty()) {
    files.push_back(file);
    return;
  }
  io.err << "saltus: " << bad << "\n";
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

Written write_files(const StudyOptions& o, const std::string& csv, std::span<const Panel> panels,
                    Console& io) {
  Written written;
  if (!o.output.empty()) write_file(o.output, csv), written.files.push_back(o.output);
  if (!o.figure.empty()) written.figure(o.figure, panels, io);
  return written;
}

int finish(const StudyOptions& o, Json json, const std::string& text, const Written& written,
           bool all_finished, Console& io) {
  const char* const late =
      "interrupted after the last run had finished";  // no run has a message that says so
  if (io.interrupted && all_finished) {
    io.err << "saltus: " << late << "\n";
    json["message"] = late;
  }
  if (o.json) {
    if (!written.files.empty()) json["files"] = written.files;
    if (!written.trouble.empty()) json["trouble"] = written.trouble;
    io.out << json_text(json) << "\n";
  } else {
    io.out << text;
    for (const auto& f : written.files) io.out << "wrote " << f << "\n";
  }
  return all_finished && written.trouble.empty() && !io.interrupted ? success : unfinished;
}

}  // namespace saltus::cli
