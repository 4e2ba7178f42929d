#include "saltus/run/refine.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/run/run.hpp"

namespace saltus {
namespace {

// The final state of a run, and the largest value of each of its components.
struct FullRun {
  RunResult result;
  Vec q, u;
};

void enlarge(Vec& size, const Vec& x) {
  if (size.size() == 0) size = Vec::Zero(x.size());
  size = size.cwiseMax(x.cwiseAbs());
}

FullRun full_run(const Problem& problem, const Method& method, const RunControl& control) {
  RunControl quiet;
  quiet.interrupt = control.interrupt;
  FullRun out;
  enlarge(out.q, problem.q0), enlarge(out.u, problem.u0);
  out.result = run(
      problem, method, [&](const Segment& s) { enlarge(out.q, s.end.q), enlarge(out.u, s.end.u); }, quiet);
  return out;
}

// The largest difference over what is allowed. A component that hardly moves counts with a thousandth of the
// largest.
double difference(const Vec& a, const Vec& b, const Vec& size, const Refinement& wanted) {
  double most = 0;
  const double least = size.size() > 0 ? 1e-3 * size.maxCoeff() : 0;
  for (Eigen::Index k = 0; k < a.size(); ++k) {
    const double allowed = wanted.rtol * std::max(size[k], least) + wanted.atol;
    if (a[k] != b[k]) most = std::max(most, std::abs(a[k] - b[k]) / allowed);
  }
  return std::isnan(most) ? infinity : most;
}

}  // namespace

Refined refine(const Problem& problem, const Method& method, const Refinement& wanted,
               const RunContext& context) {
  constexpr double orderly = 1.5;  // differences that fall by less have no order
  Refined out{wanted.first, infinity};
  FullRun last;
  bool known = false;
  double before = infinity, work = 0;
  for (double h = wanted.first;; h /= 2) {
    const FullRun now =
        full_run(problem, {method.scheme, with_step(method.stepping, h), method.solver}, context.control);
    context.result.stats.force_evaluations += now.result.stats.force_evaluations;
    context.result.stats.newton_iterations += now.result.stats.newton_iterations;
    out.h = h;
    if (now.result.status == RunStatus::interrupted) return out;
    const bool finished = now.result.status == RunStatus::finished;
    if (finished && known) {
      const double d = std::max(difference(now.result.final.q, last.result.final.q, now.q, wanted),
                                difference(now.result.final.u, last.result.final.u, now.u, wanted));
      const double ratio = before / d;
      out.error = ratio > orderly && before < infinity ? d / (ratio - 1) : d;
      before = d;
      if (out.error <= 0.5 || (d == 0)) return out;
    }
    known = finished;
    last = now;
    const double cost =
        static_cast<double>(std::max(now.result.stats.force_evaluations, now.result.stats.steps)) *
        static_cast<double>(problem.q0.size());
    work += cost;
    if (work + 2 * cost > wanted.most_work) return out;
  }
}

std::string digits_text(const Refined& refined, double rtol) {
  const double digits = -std::log10(refined.error * rtol);
  if (!(digits >= 0.5)) return "no digit of the final state is known";
  return fmt::format("about {:.0f} digit{} of the final state {} good", std::floor(digits + 0.5),
                     digits < 1.5 ? "" : "s", digits < 1.5 ? "is" : "are");
}

}  // namespace saltus
