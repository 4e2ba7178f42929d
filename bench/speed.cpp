// Saltus on the peers' problems, with the peers' arguments and output: Moreau–Jean, θ = 1/2, prediction γ =
// 1/2.
//   saltus_speed case=ball|oscillator h=1e-3 T=4 reps=100
//   saltus_speed case=cradle|column N=100 steps=500 reps=10
// The whole driver is timed: checks, stepper, contact solver, events, and a trajectory that keeps every
// sample of the one-degree-of-freedom cases (as the peers do).
#include <cmath>
#include <vector>

#include "peers/bench.hpp"
#include "saltus/catalog/problems.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/system/linear_system.hpp"

using namespace saltus;

namespace {

Problem chain(bool cradle, int n) {
  const double R = 0.1, m = 1, g = cradle ? 0 : 10, gap = cradle ? 0.01 : -1e-8, e = cradle ? 1 : 0;
  LinearSystem::Data d;
  d.M = Matrix(n, {Pattern::diagonal, 0, nullptr});
  for (int i = 0; i < n; ++i) d.M.set(i, i, m);
  d.f = Vec::Constant(n, -m * g);
  if (!cradle) d.contacts.push_back({"0/floor", Unilateral{e}, {{{0, 1.0}}}, -R, 0});
  for (int i = 0; i + 1 < n; ++i)
    d.contacts.push_back({"pair", Unilateral{e}, {{{i, -1.0}, {i + 1, 1.0}}}, -2 * R, 0});
  Problem p;
  p.system = std::make_shared<LinearSystem>(std::move(d));
  p.q0.resize(n);
  for (int i = 0; i < n; ++i) p.q0[i] = R + (cradle ? 0 : gap) + i * (2 * R + gap);
  p.u0 = Vec::Zero(n);
  if (cradle) p.u0[0] = 1;
  p.penetration = Penetration::accept;  // the column starts with an overlap of 1e-8, as in the peer
  return p;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Args A(argc, argv);
  const std::string name = A.str("case", "ball");
  const long reps = A.integer("reps", 1);
  const MoreauJean scheme{0.5, 0.5};
  bench::Line L;
  long steps = 0;
  RunResult r;
  const bench::Snap s0 = bench::snap();
  if (name == "ball" || name == "oscillator") {
    const double h = A.num("h", 1e-3), T = A.num("T", name == "ball" ? 4 : 10);
    CatalogProblem p;
    if (name == "ball") {
      p.problem = make_problem("bouncing-ball", {}, T).problem;
    } else {
      p.problem =
          make_problem("impact-oscillator", {{"m", "1"}, {"c", "0.1"}, {"k", "4"}, {"e", "0.5"}}, T).problem;
    }
    const bench::Snap s1 = bench::snap();
    for (long k = 0; k < reps; ++k) {
      Trajectory trajectory;
      trajectory.keep_impulses = false;
      r = run(p.problem, {scheme, FixedSteps{h}, AutomaticSolver{}}, trajectory.sink());
      steps += r.stats.steps;
    }
    const bench::Snap s2 = bench::snap();
    L.str("case", name).str("peer", "saltus").num("h", h).num("T", T).timing(s0, s1, s2, steps);
    L.num("q_end", r.final.q[0]);
  } else {
    const bool cradle = name == "cradle";
    const int n = static_cast<int>(A.integer("N", 100));
    const double h = A.num("h", 1e-3);
    Problem p = chain(cradle, n);
    p.t_end = h * static_cast<double>(A.integer("steps", 500));
    const bench::Snap s1 = bench::snap();
    double impulse_error = 0;
    for (long k = 0; k < reps; ++k) {
      r = run(p, {scheme, FixedSteps{h}, AutomaticSolver{1e-10}});
      steps += r.stats.steps;
    }
    const bench::Snap s2 = bench::snap();
    if (!cradle)
      for (int i = 0; i < n; ++i) {
        const auto* record = r.final.contacts.find(i);
        const double P = record ? r.final.contacts.impulse[record->offset] : 0;
        impulse_error = std::max(impulse_error, std::abs(P / ((n - i) * 10 * h) - 1));
      }
    L.str("case", "chain-" + name)
        .str("peer", "saltus")
        .integer("N", n)
        .num("h", h)
        .timing(s0, s1, s2, steps);
    if (cradle)
      L.num("v_last", r.final.u[n - 1]);
    else
      L.num("impulse_relerr", impulse_error).num("max_abs_v", r.final.u.lpNorm<Eigen::Infinity>());
    L.num("contact_residual", r.residuals.contact);
  }
  if (r.status != RunStatus::finished) {
    std::fprintf(stderr, "%s\n", r.message.c_str());
    return 1;
  }
  L.print();
}
