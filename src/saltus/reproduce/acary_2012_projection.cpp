// Remark 4: the projected scheme (19) "can exhibit some unstable behavior on large-scale examples with quite
// large time-steps". Columns of n balls fall on the floor and come to rest. Their energy cannot grow; where a
// scheme raises it above the start, by more than a tenth, it counts as unstable.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reproduce/acary_2012.hpp"

namespace saltus::acary_2012 {
namespace {

struct Fall {
  int n = 0;
  double h = 0, growth = 0;  // largest energy over that of the start
  double made = 0;           // energy put in by projections, over that of the start
  double depth = 0;          // largest penetration on the grid
  double kinetic = 0;        // mean kinetic energy of the last quarter over the energy of the start
};

// Balls of 1 kg, 1 cm apart, e = 1/2, for one second: all fall, collide and settle.
Fall fall(const SchemeSpec& scheme, int n, double h) {
  const CatalogProblem p =
      make_problem("ball-column", {{"n", fmt::format("{}", n)}, {"e", "0.5"}, {"gap", "0.01"}}, 1.0);
  const auto& system = static_cast<const System&>(*p.problem.system);
  const double start = energy_of(system, 0, p.problem.q0, p.problem.u0);
  Fall out{n, h};
  double late = 0;
  int count = 0;
  const RunResult r = run(p.problem, {scheme, FixedSteps{h}, AutomaticSolver{}}, [&](const Segment& s) {
    out.growth = std::max(out.growth, energy_of(system, s.end.t, s.end.q, s.end.u) / start);
    out.depth = std::max(out.depth, -s.report.min_gap);
    if (s.end.t > 0.75) late += 0.5 * s.end.u.squaredNorm(), ++count;
  });
  if (r.status != RunStatus::finished) fail("ball-column, n = {}, h = {}: {}", n, h, r.message);
  // what impacts took, and what is left, was there at the start or was made
  out.made = (energy_of(system, r.final.t, r.final.q, r.final.u) + r.stats.contact_loss) / start - 1;
  out.kinetic = late / std::max(count, 1) / start;
  return out;
}

constexpr int sizes[] = {2, 5, 10, 20, 40};
constexpr double lengths[] = {1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2};

}  // namespace

void projection(Findings& out) {
  const MoreauJean plain{0.5, 1};
  MoreauProjected projected;
  std::vector<std::string> rows;
  Panel growth{
      "h [s]", "largest energy / start [1]", "columns of n balls, positions projected by (19)", false, {}},
      made{"h [s]", "energy made / start [1]", "by the scheme itself, (19)", true, {}};
  growth.log_x = true;
  Fall worst_plain, worst, deepest;
  double most_rest = 0, large_small_step = 0, small_large_step = 0;
  int colour = 0;
  for (const int n : sizes) {
    std::vector<double> x, g, e;
    for (const double h : lengths) {
      const Fall a = fall(plain, n, h), b = fall(projected, n, h);
      for (const auto& [name, f] : {std::pair{"(16)", &a}, std::pair{"(19)", &b}})
        rows.push_back(
            fmt::format("{},{},{},{},{},{},{}", name, f->n, f->h, f->growth, f->made, f->depth, f->kinetic));
      x.push_back(h), g.push_back(b.growth), e.push_back(b.made);
      if (a.growth > worst_plain.growth) worst_plain = a;
      if (b.growth > worst.growth) worst = b;
      if (b.depth > deepest.depth) deepest = b;
      most_rest = std::max(most_rest, b.kinetic);
      if (n == 40 && h <= 2e-3) large_small_step = std::max(large_small_step, b.growth);
      if (n == 2 && h >= 2e-2) small_large_step = std::max(small_large_step, b.growth);
    }
    growth.curves.push_back(points(fmt::format("n = {}", n), x, g, colour));
    made.curves.push_back(points(fmt::format("n = {}", n), x, e, colour++));
  }
  out.csv("projection", "scheme,n,h,growth,made,depth,kinetic_late", rows);
  out.figure("projection", std::array{growth, made});
  out.claim("(19) keeps the gaps: none is negative on the grid", deepest.depth < 1e-12,
            fmt::format("at most {:.1e} m", deepest.depth));
  out.claim(
      "(16) is stable on all of them: the energy never exceeds that of the start", worst_plain.growth < 1.001,
      fmt::format("at most {:.3f} of it (n = {}, h = {})", worst_plain.growth, worst_plain.n, worst_plain.h));
  out.claim("Remark 4: (19) is unstable on some: the energy exceeds that of the start by a tenth or more",
            worst.growth > 1.1,
            fmt::format("{:.2f} times the start (n = {}, h = {})", worst.growth, worst.n, worst.h));
  out.refuted("on large systems: more than on small ones, and not on two balls",
              small_large_step < 1.1 && worst.n == sizes[std::size(sizes) - 1],
              fmt::format("two balls with h >= 0.02: {:.2f} times the start; worst with n = {}",
                          small_large_step, worst.n));
  out.claim("with large steps only: not for h <= 0.002 s, a twentieth of the time of fall, on forty balls",
            large_small_step < 1.01, fmt::format("{:.3f} times the start", large_small_step));
  out.claim("it does not blow up: the column settles, with little motion in the last quarter of a second",
            most_rest < 0.2, fmt::format("at most {:.3f} of the start's energy moves", most_rest));
}

}  // namespace saltus::acary_2012
