#include "saltus/run/tolerance_families.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "saltus/run/adaptive.hpp"
#include "saltus/run/odae_events.hpp"
#include "saltus/run/refine.hpp"
#include "saltus/run/run.hpp"

namespace saltus {
namespace {

// Local errors of that part of the tolerance: they add up over a run, and beads that touch make the forces
// less smooth than the estimate assumes.
constexpr double share_of_a_step = 0.003;

// A run of no length only shows that all fits together.
double length_of(const Problem& problem) {
  return problem.t_end > problem.t0 ? problem.t_end - problem.t0 : 1;
}

// The largest values so far.
struct Sizes {
  Vec q, u;
  void see(const Vec& x, const Vec& v) {
    if (q.size() == 0) q = Vec::Zero(x.size()), u = Vec::Zero(v.size());
    q = q.cwiseMax(x.cwiseAbs()), u = u.cwiseMax(v.cwiseAbs());
  }
  /// Errors are allowed in parts of this: of positions or velocities, whichever are smaller. Where a system
  /// does not tell them apart, each component may have its own unit, and the smallest counts.
  double least() const {
    const double most_q = q.size() > 0 ? q.maxCoeff() : 0, most_u = u.size() > 0 ? u.maxCoeff() : 0;
    if (most_q > 0 && most_u > 0) return std::min(most_q, most_u);
    constexpr double negligible = 1e-6;
    double out = std::max(most_q, most_u);
    for (Eigen::Index k = 0; u.size() == 0 && k < q.size(); ++k)
      if (q[k] > negligible * most_q) out = std::min(out, q[k]);
    return out;
  }
};

AdaptiveSteps adaptive_steps(double rtol, double atol, const Sizes& sizes, const Problem& problem,
                             double longest) {
  AdaptiveSteps out;
  const double duration = length_of(problem);
  out.h = longest > 0 ? longest : duration;
  out.h0 = std::min(out.h, 1e-4 * duration);
  out.rtol = rtol, out.atol = atol + rtol * sizes.least();
  if (!(out.atol > 0)) out.atol = rtol;
  out.alpha_min = 0.2;
  return out;
}

// A run that shows nothing, of `most` evaluations at most; returns how many it took.
std::int64_t try_sizes(std::string_view tableau, const AdaptiveSteps& stepping, std::int64_t most,
                       Sizes& sizes, const RunContext& context) {
  std::atomic<bool> enough = false;
  RunControl control;
  control.interrupt = &enough;
  const std::int64_t per_step = find_tableau(tableau).stages();
  std::int64_t steps = 0;
  const Method method{rk(tableau), stepping, context.method.solver};
  const RunResult r = run(
      context.problem, method,
      [&](const Segment& s) {
        sizes.see(s.end.q, s.end.u);
        const bool stop = context.control.interrupt && context.control.interrupt->load();
        if (++steps * per_step > most || stop) enough = true;
      },
      control);
  context.result.stats.force_evaluations += r.stats.force_evaluations;
  return r.stats.force_evaluations;
}

}  // namespace

void run_first_order_by_tolerance(const ToleranceSteps& stepping, const RunContext& context) {
  constexpr double loose = 1e-2, tighter = 1e-3;
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max(), many = 5000;
  const Problem& problem = context.problem;
  Sizes sizes;
  sizes.see(problem.q0, problem.u0);
  const auto at = [&](double rtol) { return adaptive_steps(rtol, 0, sizes, problem, 0); };
  const std::int64_t implicit = try_sizes("radau-iia-5", at(loose), any, sizes, context);
  const std::int64_t allowed = std::max(many, 3 * implicit);
  const auto& given = std::get<Rk>(context.method.scheme);
  const std::string usual = given.table().name;  // another tableau is the user's choice, and stays
  const bool stiff = try_sizes("herk-4", at(tighter), allowed, sizes, context) > allowed && usual == "herk-4";
  if (stiff) try_sizes("radau-iia-5", at(tighter), any, sizes, context);
  const Method method{stiff ? rk("radau-iia-5") : given,
                      adaptive_steps(share_of_a_step * stepping.rtol, share_of_a_step * stepping.atol, sizes,
                                     problem, stepping.h),
                      context.method.solver};
  const RunContext inner{context.problem, method,         context.rules, context.sink,
                         context.control, context.points, context.result};
  run_adaptive(std::get<AdaptiveSteps>(method.stepping), inner);
  if (stiff) context.result.stats.stiff_steps = context.result.stats.steps;
}

void run_odae_by_tolerance(const ToleranceSteps& stepping, const RunContext& context) {
  const Problem& problem = context.problem;
  const double duration = length_of(problem);
  EventLocation location;
  location.h = stepping.h > 0 ? std::min(stepping.h, duration) : duration / 32;
  Method method{context.method.scheme, location, context.method.solver};
  // a companion is told its steps, which those of its run tell: trials would cost twice as much as the rest
  const bool told = stepping.pace < 1 && stepping.h > 0;
  const Refined refined = told ? Refined{location.h, 0}
                               : refine(problem, method, {stepping.rtol, stepping.atol, location.h}, context);
  location.h = refined.h;
  method.stepping = location;
  const RunContext inner{context.problem, method,         context.rules, context.sink,
                         context.control, context.points, context.result};
  run_event_location(location, inner);
  if (refined.error > 1 && context.result.status == RunStatus::finished)
    context.result.warnings.push_back(
        fmt::format("the tolerance was not met with steps of {:.2g}: {}; give a larger rtol", refined.h,
                    digits_text(refined, stepping.rtol)));
}

}  // namespace saltus
