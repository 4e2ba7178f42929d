#include "saltus/verify/verify.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/verify/verifier.hpp"

namespace saltus {
namespace {

// What a run by tolerance may miss, over its tolerance: errors of a step over its length, derivatives of
// dense output, which have an order less than the step, and forces with kinks.
constexpr double share = 1e4;
// And what counts as zero: gaps of closed contacts, slips of those that stick.
constexpr double zero_share = 1e2;
// Of other methods: what counts as zero.
constexpr double coarse = 1e-2;

// Cubics between the samples of a method without dense output; steps with events are left out.
Trajectory joined(const Trajectory& x) {
  Trajectory out = x;
  out.dense_limit = ~std::size_t{0};
  std::vector<double> times;
  for (const Event& e : x.events()) times.push_back(e.t);
  std::sort(times.begin(), times.end());
  DensePiece piece;
  for (int i = 1; i < x.size(); ++i) {
    const double h = x.t(i) - x.t(i - 1);
    if (!(h > 0) || std::binary_search(times.begin(), times.end(), x.t(i))) continue;
    piece.join(x.t(i - 1), h, x.q(i - 1), x.u(i - 1), x.q(i), x.u(i));
    out.add_dense(piece, x.t(i));
  }
  return out;
}

}  // namespace

Verification verify(const Trajectory& trajectory, const Problem& problem, const Claims& claims,
                    const VerifyOptions& options) {
  const System* system = as_mechanical(problem.system.get());
  if (!system || !system->shape().flat)
    fail("verify is for mechanical systems with plain coordinates; this one is {}",
         system ? "on a manifold" : "of the family " + std::string(to_string(problem.system->family())));
  const Shape shape = system->shape();
  if (trajectory.size() < 2) fail("a trajectory with fewer than two samples cannot be verified");
  if (shape.nq != trajectory.nq() || shape.nu != trajectory.nu())
    fail("the trajectory has {} coordinates and {} velocities, its problem {} and {}: it is of another run",
         trajectory.nq(), trajectory.nu(), shape.nq, shape.nu);
  Verification out;
  out.dense = !trajectory.pieces().empty();
  const bool by_tolerance = out.dense && claims.rtol > 0;
  out.limit = options.limit > 0 ? options.limit : by_tolerance ? share * claims.rtol : infinity;
  const double part = std::min(by_tolerance ? zero_share * claims.rtol : coarse, coarse);
  if (claims.rtol > 0 && !out.dense)
    out.findings.emplace_back("it is of a run by tolerance, and its dense output is missing");
  const Trajectory path = out.dense ? trajectory : joined(trajectory);
  out.start = Verifier(path, problem, *system, claims, out, part).start_misfit();
  constexpr double follows = 10;  // what comes of it in velocities and energies
  if (by_tolerance) out.limit = std::max(out.limit, follows * out.start);
  Verifier v(path, problem, *system, claims, out, std::max(part, out.start));
  v.records();
  v.pieces();
  v.junctions();
  if (out.dense) v.modes();
  v.energy();
  return out;
}

}  // namespace saltus
