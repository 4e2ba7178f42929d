// Remark 5 compares event capturing with Studer, Leine and Glocker's scheme in words; here both solve the
// oscillators, and the error of q in the sup norm is drawn over evaluations of the force and CPU time.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reproduce/acary_2012.hpp"
#include "saltus/study/work_precision.hpp"

namespace saltus::acary_2012 {
namespace {

struct Contender {
  std::string name;
  WorkTable table;
};

Contender capturing_of(const Example& example, const std::string& tableau) {
  static constexpr int counts[] = {23, 33, 47, 67, 97, 137, 193, 271, 383};
  EventCapturing stepping;
  stepping.C = 0.01;
  return {"event capturing, " + tableau,
          work_precision(example.problem, {runge_kutta(tableau), stepping, AutomaticSolver{}}, Knob::step,
                         steps(counts), {}, {true, 0.01, {false, 1e-9}})};
}

// The tolerance varies. `h_min` 0: in proportion to the tolerance, as the error of a switching point is
// O(h_min); else set a priori, as the paper does.
Contender switching_of(const Example& example, double h_min) {
  Contender out{h_min > 0 ? fmt::format("switching, h_min = {:g}", h_min) : "switching, h_min = atol / 10",
                {}};
  out.table.knob = Knob::tolerance;
  for (int i = 0; i <= 8; ++i) {
    WorkRow row;
    row.value = std::pow(10.0, -2.5 - i);
    SwitchingSteps s;
    s.h = 0.5, s.atol = row.value, s.rtol = 0, s.h_min = h_min > 0 ? h_min : std::max(row.value / 10, 1e-13);
    Trajectory path;
    const RunResult r = run(example.problem.problem, {MoreauMidpoint{}, s, AutomaticSolver{}}, path.sink());
    row.stats = r.stats, row.status = r.status, row.message = r.message;
    for (int k = 0; k < 3; ++k)  // without output, the least of three, as work_precision measures
      row.stats.cpu_seconds =
          std::min(k == 0 ? infinity : row.stats.cpu_seconds,
                   run(example.problem.problem, {MoreauMidpoint{}, s, AutomaticSolver{}}).stats.cpu_seconds);
    if (r.status == RunStatus::finished)
      row.error = compare(path, *example.problem.reference, {false, 1e-9});
    else
      row.error.q_sup = infinity;
    out.table.method = {MoreauMidpoint{}, s, AutomaticSolver{}};
    out.table.rows.push_back(row);
  }
  return out;
}

double work_of(const WorkRow& row) {
  return static_cast<double>(row.stats.force_evaluations);
}

// The least evaluations with which an error of at most `error` was reached; infinity when never.
double work_for(const Contender& c, double error) {
  double least = infinity;
  for (const auto& row : c.table.rows)
    if (row.error.q_sup <= error) least = std::min(least, work_of(row));
  return least;
}

double smallest_error(const Contender& c) {
  double least = infinity;
  for (const auto& row : c.table.rows) least = std::min(least, row.error.q_sup);
  return least;
}

Panel work_panel(std::span<const Contender> all, const std::string& title, bool cpu) {
  Panel panel{cpu ? "CPU time [s]" : "evaluations of the force", "error q_sup [m]", title, true, {}};
  int colour = 0;
  for (const Contender& c : all) {
    std::vector<double> x, y;
    for (const auto& row : c.table.rows)
      if (std::isfinite(row.error.q_sup))
        x.push_back(cpu ? row.stats.cpu_seconds : work_of(row)), y.push_back(row.error.q_sup);
    panel.curves.push_back(points(c.name, x, y, colour++));
  }
  return panel;
}

std::vector<Contender> contenders(const Example& example) {
  std::vector<Contender> out;
  for (const char* t : {"herk-4", "radau-iia-5", "lobatto-iiia-6"}) out.push_back(capturing_of(example, t));
  out.push_back(switching_of(example, 0));
  out.push_back(switching_of(example, 1e-5));
  return out;
}

}  // namespace

void comparison(Findings& out) {
  const Example examples[] = {oscillator('a'), oscillator('c')};
  std::vector<std::string> rows, at_1e6, at_1e9, floors;
  std::vector<Panel> panels;
  bool fewer = true, floor = true;
  for (const Example& example : examples) {
    const auto all = contenders(example);
    for (const Contender& c : all)
      for (const auto& row : c.table.rows)
        rows.push_back(fmt::format("{},\"{}\",{},{},{},{},{}", example.name, c.name, row.value,
                                   row.stats.force_evaluations, row.stats.cpu_seconds, row.error.q_sup,
                                   to_string(row.status)));
    panels.push_back(work_panel(all, example.name + ": error over evaluations", false));
    panels.push_back(work_panel(all, example.name + ": error over CPU time", true));
    const double capturing = work_for(all[1], 1e-6), switching = work_for(all[3], 1e-6);
    fewer = fewer && capturing < switching && std::isfinite(switching);
    at_1e6.push_back(fmt::format("{:.0f} against {:.0f} ({})", capturing, switching, example.name));
    at_1e9.push_back(fmt::format("{:.1e} ({})", smallest_error(all[3]), example.name));
    const double set = smallest_error(all[4]), free = smallest_error(all[3]), theirs = smallest_error(all[2]);
    floor = floor && set > 1e-7 && free < 1e-2 * set && theirs < 1e-2 * set;
    floors.push_back(fmt::format("{:.1e}, {:.1e} with h_min = atol/10, {:.1e} by lobatto-iiia-6 ({})", set,
                                 free, theirs, example.name));
  }
  out.csv("comparison", "example,method,value,force_evaluations,cpu_seconds,q_sup,status", rows);
  out.figure("comparison", panels);
  out.claim(
      "Remark 5: with a critical step set a priori (h_min = 1e-5) the error stops falling with the "
      "tolerance, at "
      "least 100 times above what the others reach",
      floor, fmt::format("{}", fmt::join(floors, "; ")));
  out.claim("event capturing (radau-iia-5) needs fewer evaluations for an error of 1e-6 than switching",
            fewer, fmt::format("{}", fmt::join(at_1e6, "; ")));
}

}  // namespace saltus::acary_2012
