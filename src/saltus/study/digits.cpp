#include "saltus/study/digits.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

struct Entry {
  std::string name;
  double bar = 0, size = 0;
};

std::vector<Entry> entries_of(const ErrorEstimate& e, const Measures& measures,
                              std::span<const std::string> names) {
  std::vector<Entry> out;
  for (std::size_t k = 0; k < e.measures.size(); ++k)
    out.push_back({measures.list()[k].name, e.measures[k], e.measure_sizes[k]});
  if (!out.empty()) return out;
  for (int i = 0; i < e.q_final.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    out.push_back({k < names.size() ? names[k] : fmt::format("q[{}]", i), e.q_final[i], e.q_size[i]});
  }
  return out;
}

// The error over what is allowed; infinite where there is no digit.
double excess(const Entry& e, double allowed) {
  if (std::isnan(e.bar)) return infinity;
  return e.bar > 0 ? e.bar / (allowed * e.size) : 0;
}

std::string reason(const ErrorEstimate& e, double rtol) {
  if (!e.warnings.empty()) return e.warnings.back();
  return rtol <= tightest_rtol ? "no tolerance is smaller" : "a smaller tolerance does not help: rounding";
}

}  // namespace

DigitsFound find_digits(const Measures& measures, MeasuredCase c, int digits, const RunControl& control,
                        std::span<const std::string> names) {
  constexpr int most_runs = 12;
  constexpr double least_gain = 0.7;  // of a tolerance that is a third or less
  const double allowed = std::pow(10.0, -digits);
  DigitsFound out{c.method, {}, 0};
  auto& steps = std::get<ToleranceSteps>(c.method.stepping);
  double best = infinity;
  int in_vain = 0;
  for (;;) {
    RunResult result;
    std::optional<ErrorEstimate> estimate;
    run_with_estimate(measures, c, control, result, estimate);
    ++out.runs;
    if (!estimate) return out;  // the run itself will say what happened
    double worst = 0;
    const auto entries = entries_of(*estimate, measures, names);
    for (const Entry& e : entries) worst = std::max(worst, excess(e, allowed));
    in_vain = worst > least_gain * best ? in_vain + 1 : 0;
    if (worst < best || out.runs == 1) best = worst, out.method = c.method;
    if (worst <= 1) return out;
    if (steps.rtol <= tightest_rtol || in_vain >= 2 || out.runs >= most_runs) {
      for (const Entry& e : entries)
        if (const double x = excess(e, allowed); x > 1)
          out.missing.push_back(fmt::format(
              "{}: {} of {} digits; {}", e.name,
              std::isfinite(x) ? fmt::format("{:.1f}", std::max(0.0, digits - std::log10(x))) : "none",
              digits, reason(*estimate, steps.rtol)));
      return out;
    }
    const double factor = std::clamp(0.5 / worst, 1e-4, 0.3);
    steps.rtol = std::max(tightest_rtol, steps.rtol * factor), steps.atol *= factor;
    c.method.scheme = by_tolerance(steps.rtol).scheme;
  }
}

}  // namespace saltus
