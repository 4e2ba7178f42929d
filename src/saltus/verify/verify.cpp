#include "saltus/verify/verify.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/verify/flow.hpp"
#include "saltus/verify/verifier.hpp"

namespace saltus {
namespace {

// What counts as zero in a run by tolerance, over its tolerance: gaps of closed contacts, slips of those that
// stick.
constexpr double zero_share = 1e2;
// Of other methods: what counts as zero.
constexpr double coarse = 1e-2;

// Cubics between the samples of a method without dense output; steps with events are left out.
Trajectory joined(const Trajectory& x, const System& system) {
  const Places places(system);
  double rounding = 0;
  Trajectory out = x;
  out.dense_limit = ~std::size_t{0};
  std::vector<double> times;
  for (const Event& e : x.events()) times.push_back(e.t);
  std::sort(times.begin(), times.end());
  DensePiece piece;
  for (int i = 1; i < x.size(); ++i) {
    const double h = x.t(i) - x.t(i - 1);
    if (!(h > 0) || std::binary_search(times.begin(), times.end(), x.t(i))) continue;
    const Vec q0 = x.q(i - 1), u0 = x.u(i - 1), q1 = x.q(i), u1 = x.u(i);
    piece.join(x.t(i - 1), h, q0, places.rates(q0, u0, rounding), q1, places.rates(q1, u1, rounding), u0, u1);
    out.add_dense(piece, x.t(i));
  }
  return out;
}

// Of other families: their states alone, joined by curves.
void verify_states(const Trajectory& trajectory, const Problem& problem, const Claims& claims, double part,
                   Verification& out) {
  if (claims.every > 1)
    fail("only every {}-th state was kept (--every), and between them nothing is known; run again without it",
         claims.every);
  const DynamicSystem& system = *problem.system;
  out.defect = "rates", out.unit = "";
  const auto flow = system.family() == Family::odae ? make_odae_flow(system, trajectory, part)
                                                    : make_first_order_flow(system);
  verify_flow(*flow, trajectory, problem, claims, part, out);
}

void verify_mechanical(const Trajectory& trajectory, const Problem& problem, const System& system,
                       const Claims& claims, double part, Verification& out) {
  const bool stepped = claims.moreau && claims.every == 1;
  out.step_limit = std::clamp(100 * claims.residual, 1e-6, 1e-3);
  if (stepped)
    out.stepped_from = out.dense ? std::max(trajectory.pieces().back().end, claims.stepped_from) : problem.t0;
  const Trajectory path = out.dense || stepped ? trajectory : joined(trajectory, system);
  out.start = Verifier(path, problem, system, claims, out, part).start_misfit();
  constexpr double follows = 10;  // what comes of it in velocities and energies
  if (claims.rtol > 0) out.limit_at_least(follows * out.start);
  out.limit = out.load.limit;
  Verifier v(path, problem, system, claims, out, std::max(part, out.start));
  v.records();
  v.pieces();
  v.junctions();
  const bool whole = out.missing.empty();
  if (out.dense && whole) v.history(), v.modes();
  if (stepped) v.steps(out.stepped_from);
  if (whole) v.energy();
}

}  // namespace

Verification verify(const Trajectory& trajectory, const Problem& problem, const Claims& claims,
                    const VerifyOptions& options) {
  const System* system = as_mechanical(problem.system.get());
  if (trajectory.size() < 2) fail("a trajectory with fewer than two samples cannot be verified");
  if (problem.q0.size() != trajectory.nq() || problem.u0.size() != trajectory.nu())
    fail("the trajectory has {} coordinates and {} velocities, its problem {} and {}: it is of another run",
         trajectory.nq(), trajectory.nu(), problem.q0.size(), problem.u0.size());
  Verification out;
  out.dense = !trajectory.pieces().empty();
  const bool by_tolerance = claims.rtol > 0 && (out.dense || !system);
  if (options.limit > 0)
    out.limit_all(options.limit);
  else if (by_tolerance && system)
    out.limit_by_tolerance(claims.rtol);
  else if (by_tolerance)
    out.limit_states(claims.rtol);
  out.limit = out.load.limit;
  const double part = std::min(by_tolerance ? zero_share * claims.rtol : coarse, coarse);
  if (system && claims.rtol > 0 && !out.dense && !claims.moreau)
    out.findings.emplace_back("it is of a run by tolerance, and its dense output is missing");
  if (system)
    verify_mechanical(trajectory, problem, *system, claims, part, out);
  else
    verify_states(trajectory, problem, claims, part, out);
  return out;
}

}  // namespace saltus
