// Figure 3: the error of q in L1 over the evaluations of the right-hand side, adaptive (58)–(61) against
// constant steps.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reproduce/acary_2012.hpp"
#include "saltus/study/work_precision.hpp"

namespace saltus::acary_2012 {
namespace {

struct Duel {
  std::string name;
  WorkTable constant, adaptive;
  double gain = 0;        // evaluations of constant steps for the same error, over those of adaptive ones
  double tight_gain = 0;  // the same where the tolerance is at most 1e-4
  double slope = 0, constant_slope = 0;  // of log error over log evaluations
  double rejected = 0;                   // share of the attempts
  double worst_rise = 1;                 // largest growth of the error when the tolerance is tightened
};

double slope_of(const WorkTable& table) {
  std::vector<double> work, error;
  for (const auto& row : table.rows)
    work.push_back(static_cast<double>(row.stats.force_evaluations)), error.push_back(row.error.q_l1);
  return fitted_order(work, error);
}

Duel fight(const Example& example, double theta) {
  static constexpr int counts[] = {101, 200, 396, 783, 1549, 3066, 6067, 12007, 31627};
  std::vector<double> tolerances;
  for (int i = 0; i <= 20; ++i) tolerances.push_back(std::pow(10.0, -2 - 0.25 * i));
  AdaptiveSteps adaptive;
  adaptive.h = 5;
  const MoreauJean scheme{theta, 1};
  const WorkOptions options{false, 0, {false, 1e-9}};
  Duel d{fmt::format("{} theta {}", example.name, theta),
         work_precision(example.problem, {scheme, FixedSteps{}, AutomaticSolver{}}, Knob::step, steps(counts),
                        {}, options),
         work_precision(example.problem, {scheme, adaptive, AutomaticSolver{}}, Knob::tolerance, tolerances,
                        {}, options)};
  d.gain = work_ratio(d.adaptive, d.constant, &TrajectoryError::q_l1);
  WorkTable tight = d.adaptive;
  std::erase_if(tight.rows, [](const WorkRow& row) { return row.value > 1.0001e-4; });
  d.tight_gain = work_ratio(tight, d.constant, &TrajectoryError::q_l1);
  d.slope = slope_of(d.adaptive), d.constant_slope = slope_of(d.constant);
  double rejected = 0, attempts = 0;
  for (std::size_t i = 0; i < d.adaptive.rows.size(); ++i) {
    const auto& s = d.adaptive.rows[i].stats;
    const auto tried = s.rejected + s.steps / 2;  // an accepted step is two halves
    rejected += static_cast<double>(s.rejected), attempts += static_cast<double>(tried);
    if (i > 0)
      d.worst_rise =
          std::max(d.worst_rise, d.adaptive.rows[i].error.q_l1 / d.adaptive.rows[i - 1].error.q_l1);
  }
  d.rejected = rejected / attempts;
  return d;
}

Curve curve(const WorkTable& table, const std::string& title, int colour) {
  std::vector<double> x, y;
  for (const auto& row : table.rows)
    x.push_back(static_cast<double>(row.stats.force_evaluations)), y.push_back(row.error.q_l1);
  Curve c = points(title, x, y, colour);
  if (table.knob == Knob::tolerance) c.style = fmt::format("points pt 6 ps 0.8 lc rgb '{}'", colours[colour]);
  return c;
}

Panel panel_of(std::span<const Duel* const> duels, const std::string& title) {
  Panel panel{"evaluations of the right-hand side", "error q_l1 [m s]", title, true, {}};
  int colour = 0;
  for (const Duel* d : duels) {
    panel.curves.push_back(curve(d->constant, d->name + ", constant", colour));
    panel.curves.push_back(curve(d->adaptive, d->name + ", adaptive", colour++));
  }
  return panel;
}

std::string times(double gain) {
  return gain >= 1 ? fmt::format("{:.1f} times fewer", gain) : fmt::format("{:.1f} times more", 1 / gain);
}

std::string gains(std::span<const Duel* const> duels) {
  std::string out;
  for (const Duel* d : duels)
    out += fmt::format(
        "{}{} on average, {} for tol <= 1e-4, error ~ work^{:.1f} against ^{:.1f}, {:.0f} % of attempts "
        "rejected ({})",
        out.empty() ? "" : "; ", times(d->gain), times(d->tight_gain), d->slope, d->constant_slope,
        100 * d->rejected, d->name);
  return out;
}

}  // namespace

void figure_3(Findings& out) {
  const Duel a_half = fight(oscillator('a'), 0.5), a_one = fight(oscillator('a'), 1),
             b_half = fight(oscillator('b'), 0.5);
  const Duel ball_half = fight(ball(), 0.5), ball_one = fight(ball(), 1);
  std::vector<std::string> rows;
  for (const Duel* d : {&a_half, &a_one, &b_half, &ball_half, &ball_one})
    for (const WorkTable* t : {&d->constant, &d->adaptive})
      for (const auto& row : t->rows)
        rows.push_back(fmt::format("{},{},{},{},{},{},{}", d->name, to_string(t->knob), row.value,
                                   row.stats.force_evaluations, row.stats.rejected, row.error.q_l1,
                                   row.error.q_sup));
  out.csv("fig-3", "example,knob,value,force_evaluations,rejected,q_l1,q_sup", rows);
  const Duel* good[] = {&a_half, &b_half};
  const Duel* one[] = {&a_one, &ball_one};
  const Duel* balls[] = {&ball_half};
  out.figure("fig-3",
             std::array{panel_of(good, "Moreau's scheme, theta = 1/2, gamma = 1"),
                        panel_of(one, "theta = 1, gamma = 1"),
                        panel_of(balls, "ball, theta = 1/2: free flight is exact, the estimator is blind")});

  out.claim(
      "adaptive steps reach the same error with at least 2 times fewer evaluations: oscillators, theta = 1/2",
      std::all_of(std::begin(good), std::end(good), [](const Duel* d) { return d->gain > 2; }), gains(good));
  out.refuted("the same with theta = 1",
              std::any_of(std::begin(one), std::end(one), [](const Duel* d) { return d->gain > 2; }),
              gains(one));
  out.refuted(
      "the error falls with the tolerance on the ball with theta = 1/2 (never more than doubles when it is "
      "tightened)",
      ball_half.worst_rise <= 2, fmt::format("grows by up to {:.2g} times", ball_half.worst_rise));
}

}  // namespace saltus::acary_2012
