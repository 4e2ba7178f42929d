#include "saltus/reference/own_reference.hpp"

#include <algorithm>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/reference/extrapolated_reference.hpp"
#include "saltus/reference/odae_reference.hpp"

namespace saltus {
namespace {

constexpr double finest = 1e-12, coarser = 10 * finest;

Trajectory solved(const Problem& problem, double rtol, const RunControl& control) {
  Trajectory out;
  out.keep_impulses = false;
  const RunResult r = run(problem, by_tolerance(rtol), out.sink(), control);
  if (r.status != RunStatus::finished)
    fail("the reference, a run by tolerance {:.0e}, did not reach the end: {}", rtol, r.message);
  if (out.size() == 0) out.add(r.final.t, r.final.q, r.final.u);
  return out;
}

// At the samples of the coarser run, which are not those of the finer one.
double largest_difference(const Trajectory& coarse, const Reference& fine) {
  double out = 0;
  Vec q, u;
  for (int i = 0; i < coarse.size(); ++i) {
    fine.state(coarse.t(i), Side::right, q, u);
    out = std::max(out, (coarse.q(i) - q).lpNorm<Eigen::Infinity>());
  }
  return out;
}

OwnReference by_two_tolerances(const Problem& problem, const RunControl& control) {
  const bool jumps = !static_cast<const System&>(*problem.system).laws().empty();
  auto fine = std::make_shared<const TrajectoryReference>(solved(problem, finest, control),
                                                          problem.breakpoints, jumps);
  const double error = largest_difference(solved(problem, coarser, control), *fine);
  return {std::move(fine), fmt::format("run by tolerance {:.0e}", finest), error};
}

}  // namespace

TrajectoryReference::TrajectoryReference(Trajectory trajectory, std::vector<double> breakpoints, bool jumps)
    : trajectory_(std::move(trajectory)), breaks_(std::move(breakpoints)), jumps_(jumps) {
  for (const Event& e : trajectory_.events()) {
    breaks_.push_back(e.t);
    if (e.kind == EventKind::impact && e.t_before < e.t) jumps_at_.emplace_back(e.t, e.t_before);
  }
  std::sort(breaks_.begin(), breaks_.end());
  breaks_.erase(std::unique(breaks_.begin(), breaks_.end()), breaks_.end());
}

// Within a short step over an impact the state is that of its beginning.
double TrajectoryReference::known_before(double t, Side side) const {
  const auto at = std::lower_bound(jumps_at_.begin(), jumps_at_.end(), std::pair{t, -infinity});
  const bool inside = at != jumps_at_.end() && (t < at->first || side == Side::left) && t > at->second;
  return inside ? at->second : t;
}

void TrajectoryReference::state(double t, Side side, Vec& q, Vec& u) const {
  const double when = known_before(t, side);
  q = trajectory_.q(when), u = trajectory_.u(when, when < t ? Side::left : side);
}

std::vector<double> TrajectoryReference::breaks(double t0, double t1) const {
  return {std::upper_bound(breaks_.begin(), breaks_.end(), t0),
          std::lower_bound(breaks_.begin(), breaks_.end(), t1)};
}

OwnReference own_reference(const Problem& p, const RunControl& control) {
  if (!p.system) fail("the problem has no system");
  switch (p.system->family()) {
    case Family::first_order:
      return {std::make_shared<ExtrapolatedReference>(
                  std::static_pointer_cast<const FirstOrderSystem>(p.system), p.t0, p.q0, p.u0, p.t_end),
              "extrapolation to rounding", 0};
    case Family::odae:
      return {std::make_shared<OdaeReference>(std::static_pointer_cast<const OdaeSystem>(p.system), p.t0,
                                              p.q0, p.u0, p.t_end),
              "extrapolation to rounding", 0};
    case Family::mechanical:
      break;
  }
  return by_two_tolerances(p, control);
}

}  // namespace saltus
