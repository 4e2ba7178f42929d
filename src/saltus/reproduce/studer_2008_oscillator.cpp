// Figure 12: the impact oscillator with fixed order; error over the largest step, and over work.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reproduce/studer_2008.hpp"
#include "saltus/study/convergence.hpp"

namespace saltus::studer_2008 {
namespace {

struct Series {
  std::vector<double> h, error, work;
  double slope = 0;
};

CatalogProblem oscillator(double v0) {
  return make_problem("impact-oscillator", {{"preset", "studer"}, {"v0", fmt::format("{}", v0)}}, 2.0);
}
constexpr double velocities[] = {0.2, 0.1, 0.3, 0.0, 0.4, 0.5};

double largest_error(const CatalogProblem& p, const Trajectory& path) {
  return compare(path, *p.reference, {false, 1e-9}).q_sup;
}

// Geometric mean over initial velocities of the largest error, for order p and h_min(h_max); the slope above
// the floor that h_min or rounding sets.
template <class Smallest>
Series measure(int order, std::span<const double> steps, Smallest&& smallest, double floor) {
  Series out;
  for (double h : steps) {
    const double h_min = smallest(h);
    if (h_min < 3e-13) continue;
    double logs = 0, solves = 0;
    for (double v0 : velocities) {
      const CatalogProblem p = oscillator(v0);
      const SwitchingRun r = run_switching(p.problem, switching(h_min, h, 1, order));
      logs += std::log(std::max(largest_error(p, r.path), 1e-16));
      solves += static_cast<double>(r.result.stats.base_steps);
    }
    out.h.push_back(h), out.error.push_back(std::exp(logs / std::size(velocities))),
        out.work.push_back(solves / std::size(velocities));
  }
  std::vector<double> x, y;
  for (std::size_t i = 0; i < out.h.size(); ++i)
    if (out.error[i] > floor) x.push_back(out.h[i]), y.push_back(out.error[i]);
  out.slope = fitted_order(x, y);
  return out;
}

std::string slopes(const std::vector<Series>& all) {
  std::string s;
  for (const Series& x : all) s += fmt::format("{}{:.2f}", s.empty() ? "" : ", ", x.slope);
  return s;
}

}  // namespace

void figure_12(Findings& out) {
  std::vector<double> ladder;
  for (int j = 0; j < 10; ++j) ladder.push_back(0.03 * std::pow(2.0, -j / 2.5));
  std::vector<Series> tied, free;
  std::vector<std::string> rows;
  for (int p = 1; p <= 6; ++p) {
    tied.push_back(measure(
        p, ladder, [&](double h) { return std::pow(h, p); }, 2e-12));
    free.push_back(measure(
        p, std::span(ladder).first(6), [](double) { return 1e-12; }, 1e-10));
    for (const auto* s : {&tied.back(), &free.back()})
      for (std::size_t i = 0; i < s->h.size(); ++i)
        rows.push_back(fmt::format("{},{},{},{},{}", s == &tied.back() ? "h_max^p" : "1e-12", p, s->h[i],
                                   s->error[i], s->work[i]));
  }
  out.csv("fig-12", "h_min,order,h_max,error,contact_problems", rows);

  const CatalogProblem p = oscillator(0.2);
  const SwitchingRun r = run_switching(p.problem, switching(1e-8, 0.01, 1, 4));
  Curve impulses{"", "impulses lw 2", {0}, {0}};  // from 0: the axis shows where
  for (const Event& e : r.path.events())
    if (e.impulse.size() > 0) impulses.x.push_back(e.t), impulses.y.push_back(e.impulse[0]);
  Panel errors{
      "h_max [s]", "largest |x - x_exact| [m]", "(e) error, h_min = h_max^p (fitted slope)", true, {}},
      work{"contact problems solved", "largest |x - x_exact| [m]", "(f) error over work", true, {}};
  for (int k = 0; k < 6; ++k) {
    errors.curves.push_back(
        points(fmt::format("order {} ({:.2f})", k + 1, tied[k].slope), tied[k].h, tied[k].error, k));
    work.curves.push_back(points(fmt::format("order {}", k + 1), tied[k].work, tied[k].error, k));
  }
  Panel kicks{time_label, "impulse [N s]", "(b) impulses of the contact", false, {impulses}};
  kicks.x_range = {0, 2};
  out.figure("fig-12", std::array{kicks,
                                  Panel{time_label,
                                        "x [m]",
                                        "(c)",
                                        false,
                                        {over_time(r.path, "", 0, [&](int i) { return r.path.q(i)[0]; })}},
                                  Panel{time_label,
                                        "u [m/s]",
                                        "(d)",
                                        false,
                                        {over_time(r.path, "", 1, [&](int i) { return r.path.u(i)[0]; })}},
                                  errors, work});
  bool enough = true, even = true;
  for (int k = 1; k <= 6; ++k) {
    enough = enough && tied[k - 1].slope >= k - 0.5;
    const int true_order = 2 * ((k + 1) / 2);
    even = even && tied.size() == 6 && free[k - 1].slope >= true_order - 0.5;
  }
  out.claim(
      "(e): slope p over h_max, with h_min = h_max^p (at least p - 0.5, mean over six start velocities)",
      enough, slopes(tied));
  out.claim(
      "but the base step is symmetric here (force without velocity): orders 2, 2, 4, 4, 6, 6 once h_min = "
      "1e-12 does not limit",
      even, slopes(free));

  // (f) at 1e-8: the switching driver against fixed steps, whose work is extrapolated from their measured
  // order
  std::vector<double> h, e;
  for (int n : {2003, 3989, 8011, 16007, 31991}) {
    double logs = 0;
    for (double v0 : velocities) {
      const CatalogProblem q = oscillator(v0);
      Trajectory path;
      run(q.problem, {MoreauMidpoint{}, FixedSteps{2.0 / n}, AutomaticSolver{}}, path.sink());
      logs += std::log(largest_error(q, path));
    }
    h.push_back(2.0 / n), e.push_back(std::exp(logs / std::size(velocities)));
  }
  const double fixed_order = fitted_order(h, e),
               fixed_work = 2.0 / (h.back() * std::pow(1e-8 / e.back(), 1 / fixed_order));
  double best = infinity;
  for (const auto& s : tied)
    for (std::size_t i = 0; i < s.h.size(); ++i)
      if (s.error[i] <= 1e-8) best = std::min(best, s.work[i]);
  out.claim(
      "(f): high order reduces the error with little more work; at 1e-8 at least 100 times fewer contact "
      "problems than fixed steps",
      fixed_work / best >= 100,
      fmt::format("{:.0f} against {:.2g} (order {:.2f}), {:.2g} times fewer", best, fixed_work, fixed_order,
                  fixed_work / best));
}

}  // namespace saltus::studer_2008
