// Time per bead and step of the chain schemes from 25 to 10⁶ beads, all of them moving; and an impact on a
// long chain at rest, where only the beads behind the front cost anything.
//
//     saltus_chain [largest N]
#include <fmt/core.h>

#include <cstdlib>
#include <ctime>

#include "saltus/catalog/catalog.hpp"

namespace {
using namespace saltus;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Nanoseconds per step, the least of five; enough steps to fill 50 ms
double time_per_step(const CatalogProblem& p, const SchemeSpec& scheme, double h) {
  const auto stepper = make_stepper(scheme, *p.problem.system, AutomaticSolver{});
  State a = stepper->start(0, p.problem.q0, p.problem.u0), b = a;
  double best = infinity;
  for (int i = 0; i < 5; ++i) {
    const double begin = cpu_seconds();
    double spent = 0;
    long steps = 0;
    while (spent < 0.05) {
      if (stepper->step(a, h, b).status != StepStatus::ok) return std::nan("");
      std::swap(a, b);
      if (++steps % 200 == 0)
        a = stepper->start(0, p.problem.q0, p.problem.u0);  // before the chain flies apart
      spent = cpu_seconds() - begin;
    }
    best = std::min(best, spent / static_cast<double>(steps) * 1e9);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const long largest = argc > 1 ? std::atol(argv[1]) : 1000000;
  const SchemeSpec schemes[] = {CrankNicolson{}, KkTheta{}, Gauss2{}, KkIrk{}, rk("gauss-6"), rk("herk-5")};
  fmt::print("precompressed dimer, h = 0.05: ns per bead and step\n{:>9}", "beads");
  for (const auto& s : schemes)
    fmt::print("{:>16}", to_text(s).substr(0, to_text(s).find(",newton")).substr(0, 15));
  fmt::print("\n");
  for (long n = 25; n <= largest; n *= n < 100 ? 4 : 10) {
    fmt::print("{:>9}", n);
    const auto p = make_problem(
        "dimer-chain", {{"preset", "precompressed"}, {"n", std::to_string(n)}, {"reference", "none"}});
    for (const auto& s : schemes) fmt::print("{:>16.1f}", time_per_step(p, s, 0.05) / static_cast<double>(n));
    fmt::print("\n");
  }
  fmt::print("impact on a chain at rest, kk-irk, h = 0.1, t = 30: CPU ms\n");
  for (long n : {100L, 1000L, 10000L, 100000L}) {
    if (n > largest) break;
    const auto p = make_problem("homogeneous-chain", {{"n", std::to_string(n)}, {"reference", "none"}}, 30);
    Method m;
    m.scheme = KkIrk{}, m.stepping = FixedSteps{0.1};
    double best = infinity;
    for (int i = 0; i < 5; ++i) best = std::min(best, run(p.problem, m).stats.cpu_seconds);
    fmt::print("{:>9}{:>16.3f}\n", n, best * 1e3);
  }
}
