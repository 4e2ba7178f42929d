#include "saltus/reproduce/bruls_2018.hpp"

#include "saltus/run/step_grid.hpp"
#include "saltus/scheme/generalized_alpha/stepper.hpp"

namespace saltus::bruls_2018 {

std::vector<Study> studies() {
  const std::string paper = "bruls-2018";
  return {{paper, "fig-2", "the pendulum: constraints on three levels from a consistent start", figure_2},
          {paper, "fig-3", "the pendulum from a start as after an impact", figure_3},
          {paper, "fig-5", "the bouncing pendulum: gap and its velocity", figure_5},
          {paper, "fig-6", "its joint at acceleration level, and the multipliers", figure_6},
          {paper, "fig-7", "when it comes to rest, and the reaction then", figure_7},
          {paper, "fig-8", "the multipliers without numerical damping", figure_8},
          {paper, "inactive-rows", "(65f), (65i) and (59) as printed: r matters, impacts create energy",
           inactive_rows},
          {paper, "fig-10", "the flexible pendulum: the gap on three levels", figure_10},
          {paper, "fig-11", "its reaction force", figure_11},
          {paper, "fig-12", "its energy", figure_12},
          {paper, "bar", "the elastic bar against a wall (figs 14-16) and the count of iterations", bar}};
}

GeneralizedAlpha method(GeneralizedAlpha::Levels levels, double rho_inf) {
  GeneralizedAlpha o;
  o.levels = levels, o.rho_inf = rho_inf;
  return o;
}

void walk(const Problem& problem, const GeneralizedAlpha& options, double h, double t_end,
          const std::function<void(const Moment&)>& look) {
  const auto& system = static_cast<const System&>(*problem.system);
  GeneralizedAlphaStepper stepper(system, options);
  State x = stepper.start(problem.t0, problem.q0, problem.u0), next = x;
  const std::int64_t n = step_count(problem.t0, t_end, h);
  for (std::int64_t k = 1; k <= n; ++k) {
    const StepReport report = stepper.step(x, h, next);
    if (report.status != StepStatus::ok)
      fail("generalized-alpha at t = {:.6g}: {}", x.t, to_string(report.status));
    next.t = problem.t0 + h * static_cast<double>(k);
    look(Moment{stepper, x, next, report, system});
    std::swap(x, next);
  }
}

}  // namespace saltus::bruls_2018
