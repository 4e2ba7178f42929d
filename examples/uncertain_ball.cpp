// How much of its energy does a ball keep whose restitution is only known to be 0.8 ± 0.05? Samples of
// Sobol's sequence, all cores, and the answer as mean, deviation and quantiles. Before impacts accumulate the
// k-th bounce leaves e^2k of the energy; after three bounces the mean is that of e^6, which has a closed
// form.
#include <fmt/core.h>

#include <cmath>

#include "saltus/catalog/problems.hpp"
#include "saltus/core/threads/thread_executor.hpp"
#include "saltus/study/sweep.hpp"
#include "saltus/study/sweep_reduction.hpp"

int main() {
  using namespace saltus;
  SweepPoints points;
  points.samples.emplace(std::vector{parse_sample("e=normal(0.8, 0.05)")}, 1024, Samples::Kind::sobol, 1);

  std::vector<Measure> list;
  list.push_back(parse_measure("kept = energy.final/energy.initial"));
  const CatalogEntry& ball = find_problem("bouncing-ball");
  const Measures measures(std::move(list), ball.parameters);
  const auto make = [&](const Settings& point) {  // q0 = 1, g = 2: the third bounce is at 1 + 2e + 2e²
    const double e = parse_number(point[0].second, "e"), end = 1 + 2 * e + 2 * e * e + e * e * e;
    MeasuredCase c{ball.make(point, end), {}, {}};
    c.method = by_tolerance(1e-9, 0);
    return c;
  };

  MemoryRows rows(points.count(), measures.list().size());
  const ThreadExecutor threads;
  SweepControl control;
  control.executor = &threads;
  sweep(points, measures, make, rows, control);

  const Reduction asked = parse_reduction(std::vector<std::string>{"mean,sd,quantile=0.05:0.95"});
  const ReducedSweep reduced = reduce(points, rows, asked, {});
  const Summary& s = reduced.measures[0].groups[0];
  // E e^6 of a normal distribution: m⁶ + 15 m⁴s² + 45 m²s⁴ + 15 s⁶
  const double m = 0.8, v = 0.05 * 0.05;
  const double exact = std::pow(m, 6) + 15 * std::pow(m, 4) * v + 45 * m * m * v * v + 15 * v * v * v;
  fmt::print("{} of {} runs; energy kept {:.5f} ± {:.5f}, between {:.4f} and {:.4f} in nine of ten\n",
             s.count, rows.points(), s.mean, s.sd, s.quantiles[0], s.quantiles[1]);
  const double random = s.sd / std::sqrt(static_cast<double>(s.count));  // error of independent samples
  fmt::print("mean {:.5f}, in closed form {:.5f}; independent samples would give ± {:.5f}\n", s.mean, exact,
             random);
  return s.count == rows.points() && std::abs(s.mean - exact) < random / 10 ? 0 : 1;
}
