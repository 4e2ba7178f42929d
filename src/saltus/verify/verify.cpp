#include "saltus/verify/verify.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/verify/verifier.hpp"

namespace saltus {
namespace {

// What a run by tolerance may miss, over its tolerance: errors of a step over its length, derivatives of dense
// output, which have an order less than the step, and forces with kinks.
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

Scales::Scales(const Trajectory& x, const System& system) {
  constexpr double quiet = 1e-3, still = 1e-3;
  const int n = x.nu();
  const CheckedSystem checked(system);
  Matrix M(n, system.shape().mass);
  Vec f(n), weight(n);
  checked.mass(x.t(0), x.q(0), M);
  checked.force(x.t(0), x.q(0), x.u(0), f);
  size = Vec::Zero(n), speed = Vec::Zero(n);
  double push = 0;  // √(fᵀM⁻¹f)
  for (int i = 0; i < n; ++i) {
    weight[i] = std::sqrt(std::max(M(i, i), std::numeric_limits<double>::min()));
    push = std::hypot(push, f[i] / weight[i]);
  }
  for (int i = 0; i < x.size(); ++i) {
    const Vec q = x.q(i), u = x.u(i);
    if (!q.allFinite() || !u.allFinite()) continue;
    size = size.cwiseMax(q.cwiseAbs()), speed = speed.cwiseMax(u.cwiseAbs());
    position = std::max(position, q.cwiseProduct(weight).norm());
    velocity = std::max(velocity, u.cwiseProduct(weight).norm());
  }
  // where all is at rest: what the forces would make of it
  const double rest = still * std::sqrt(push * position);
  velocity = std::max(velocity, rest);
  size = size.cwiseMax(quiet * position * weight.cwiseInverse());
  speed = speed.cwiseMax(std::max(quiet * velocity, rest) * weight.cwiseInverse());
}

Verifier::Verifier(const Trajectory& trajectory, const Problem& problem, const System& system,
                   const Claims& claims, Verification& out, double part)
    : x_(trajectory),
      problem_(problem),
      system_(system),
      claims_(claims),
      out_(out),
      part_(part),
      scales_(trajectory, system),
      now_(system, scales_.size, scales_.speed, part),
      work_(system.make_workspace()) {}

std::vector<Verification::Named> Verification::all() const {
  return {{"load", "force that is missing between events", &load},
          {"rate", "rates of positions against velocities", &rate},
          {"jump", "jumps of positions", &jump},
          {"impulse", "impulse that is missing", &impulse},
          {"restitution", "restitution at impacts", &restitution},
          {"closing", "velocities left at closing contacts", &closing},
          {"penetration", "gaps below zero", &penetration},
          {"joint", "gaps of joints", &joint},
          {"energy", "balance of energy", &energy}};
}

bool Verification::accepted() const {
  const auto list = all();
  return findings.empty() &&
         std::all_of(list.begin(), list.end(), [&](const Named& n) { return n.misfit->part <= limit; });
}

std::string Verification::sentence() const {
  if (!findings.empty()) return "is not a solution: " + findings.front();
  const std::string what =
      fmt::format("a problem whose loads differ by at most {:.1e} N and whose restitution differs by {:.1e}",
                  load.value, restitution.value);
  if (accepted()) return "solves exactly " + what;
  std::string worst;
  for (const Named& n : all())
    if (n.misfit->part > limit)
      worst += fmt::format("{}{} ({:.1e} of its scale at t = {:.6g}, limit {:.1e})", worst.empty() ? "" : ", ",
                           n.what, n.misfit->part, n.misfit->t, limit);
  return "misses the limit in " + worst + "; it solves " + what;
}

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
