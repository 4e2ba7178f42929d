#include "saltus/reference/own_reference.hpp"

#include <algorithm>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/reference/extrapolated_reference.hpp"
#include "saltus/reference/odae_reference.hpp"

namespace saltus {
namespace {

constexpr double finest = 1e-12, coarser = 10 * finest;
constexpr std::size_t most_memory = std::size_t{2} << 30;  // bytes of dense output

Trajectory solved(const Problem& problem, double rtol, const RunControl& control) {
  Trajectory out;
  out.keep_impulses = false;
  out.dense_limit = most_memory;
  RunControl quiet;
  quiet.interrupt = control.interrupt, quiet.books = false;
  const RunResult r = run(problem, by_tolerance(rtol), out.sink(), quiet);
  if (r.status != RunStatus::finished)
    fail("the reference, a run by tolerance {:.0e}, did not reach the end: {}", rtol, r.message);
  if (out.dense_until() < r.final.t)
    fail(
        "the reference, a run by tolerance {:.0e}, would take more than {} GB of memory; choose a smaller "
        "end time",
        rtol, most_memory >> 30);
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
  for (const Event& e : trajectory_.events()) breaks_.push_back(e.t);
  std::sort(breaks_.begin(), breaks_.end());
  breaks_.erase(std::unique(breaks_.begin(), breaks_.end()), breaks_.end());
}

void TrajectoryReference::state(double t, Side side, Vec& q, Vec& u) const {
  q = trajectory_.q(t, side), u = trajectory_.u(t, side);
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
