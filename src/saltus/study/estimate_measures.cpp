#include "saltus/study/estimate_measures.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

using Kind = Quantity::Kind;

struct Bar {
  double bar = 0, size = 0;
};

// An extreme is a state at some time: a small difference of the two may be chance.
Bar extreme_bar(const Quantity& q, const Problem& problem, const RunDifference& d, double difference) {
  constexpr double share = 0.1;
  if (q.time) return {d.safety() * difference, std::abs(problem.t_end - problem.t0)};
  Bar out;
  const auto [first, last] = Measures::components(q, problem);
  for (int i = first; i < last; ++i) {
    out.size = std::max(out.size, q.positions ? d.q_size(i) : d.u_size(i));
    out.bar = std::max(out.bar, share * (q.positions ? d.q_sup(i) : d.u_sup(i)));
  }
  out.bar = std::max({out.bar, d.safety() * difference, d.rounding() * out.size});
  return out;
}

Bar bar_of(const Quantity& q, const Problem& problem, const RunDifference& d, double value, double other) {
  const double difference = std::abs(value - other);
  switch (q.kind) {
    case Kind::state: {
      const int i = Measures::components(q, problem).first;
      return q.positions ? Bar{d.q_bar(i), d.q_size(i)} : Bar{d.u_bar(i), d.u_size(i)};
    }
    case Kind::extreme:
      return extreme_bar(q, problem, d, difference);
    case Kind::event:
      return {difference, std::abs(value)};
    case Kind::chain:
      return {std::max(d.safety() * difference, d.rounding() * std::abs(value)), std::abs(value)};
    case Kind::scalar:
      if (Measures::scalar_name(q) == "energy.final") {
        const RunResult& r = d.run().result;
        const double size = std::max({std::abs(r.energy_initial), std::abs(r.energy_final),
                                      std::isfinite(r.ledger.scale) ? r.ledger.scale : 0});
        return {d.energy_bar(difference, size), size};
      }
      break;
    case Kind::parameter:
    case Kind::error:
      break;
  }
  return {0, std::abs(value)};
}

}  // namespace

MeasureBars measure_bars(const Measures& measures, const Problem& problem, const RunDifference& d,
                         std::span<const double> observed, std::span<const double> other) {
  constexpr double small = 1e-3, no_digit = 0.1;
  const auto values = measures.evaluate(observed), others = measures.evaluate(other);
  std::vector<Bar> bars(values.size());
  std::vector<double> moved(observed.begin(), observed.end());
  // what a change of one quantity does, by the larger of both directions
  const auto effect = [&](std::size_t variable, std::size_t measure, double change) {
    double out = 0;
    for (const double sign : {-1.0, 1.0}) {
      moved[variable] = observed[variable] + sign * change;
      out = std::max(out, std::abs(measures.evaluate(moved)[measure] - values[measure]));
    }
    moved[variable] = observed[variable];
    return out;
  };
  std::size_t variable = 0;
  for (std::size_t m = 0; m < values.size(); ++m)
    for (std::size_t k = 0; k < measures.list()[m].formula.variables().size(); ++k, ++variable) {
      const Bar b = bar_of(measures.quantities()[variable], problem, d, observed[variable], other[variable]);
      if (b.bar > 0) bars[m].bar += effect(variable, m, b.bar);
      if (b.size > 0) bars[m].size += effect(variable, m, small * b.size) / small;
    }
  MeasureBars out;
  for (std::size_t m = 0; m < values.size(); ++m) {
    Bar& b = bars[m];
    if (b.bar > 0)
      b.bar =
          std::max({b.bar, d.safety() * std::abs(values[m] - others[m]), d.rounding() * std::abs(values[m])});
    const bool tiny = std::abs(values[m]) < 1e-6 * b.size;
    const double size = tiny ? b.size : std::abs(values[m]);
    out.bars.push_back(b.bar <= no_digit * std::max(size, small * b.size) || b.bar == 0 ? b.bar
                                                                                        : std::nan(""));
    out.sizes.push_back(size);
  }
  return out;
}

}  // namespace saltus
