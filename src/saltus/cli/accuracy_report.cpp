#include "saltus/cli/accuracy_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus::cli {
namespace {

// Rounded up to one digit: 3.2e-10 is 4e-10.
double rounded_up(double bar, int& exponent) {
  exponent = static_cast<int>(std::floor(std::log10(bar)));
  double digit = std::ceil(bar / std::pow(10.0, exponent) * (1 - 1e-12));
  if (digit >= 10) digit = 1, ++exponent;
  return digit;
}

Json bars(const Vec& x) {
  Json out = Json::array();
  for (const double v : x) out.push_back(number(v));
  return out;
}

std::string bar_text(double bar) {
  return std::isfinite(bar) ? fmt::format("{:.1e}", bar) : "unknown";
}

}  // namespace

std::string with_bar(double value, double bar) {
  if (std::isnan(bar)) return fmt::format("{:.2g} (no digit is known)", value);
  if (!(bar > 0) || !std::isfinite(value)) return fmt::format("{:.10g}", value);
  int exponent = 0;
  const double digit = rounded_up(bar, exponent);
  const std::string right = fmt::format("{:.0f}e{:+03d}", digit, exponent);
  if (value == 0) return "0 ± " + right;
  const double size = std::max(std::abs(value), bar);
  const int first = static_cast<int>(std::floor(std::log10(size)));
  if (exponent > 0 || first < -5)  // digits of the mantissa
    return fmt::format("{:.{}e} ± {}", value, std::max(0, first - exponent), right);
  return fmt::format("{:.{}f} ± {}", value, -exponent, right);
}

std::string accuracy_text(const ErrorEstimate& e, const State& final,
                          std::span<const std::string> coordinates, std::span<const std::string> velocities) {
  constexpr Eigen::Index shown = 12;
  std::string out = fmt::format(
      "accuracy  q {} (sup), u {} (graph), event times {}; by a run at rtol {:.1g}, {:.2g} s CPU\n",
      bar_text(e.q_sup), bar_text(e.u_hausdorff), bar_text(e.event_times), e.rtol, e.cpu_seconds);
  if (e.runs > 1)
    out += fmt::format(
        "          rtol {:.1g} was asked for; the motion multiplies errors, so it ran {} times, {}\n",
        e.asked_rtol, e.runs, e.settled ? "but smaller ones did not help" : "at smaller ones");
  const auto line = [&](Eigen::Index i, const char* letter, std::span<const std::string> names,
                        const char* mark, double value, double bar) {
    const auto k = static_cast<std::size_t>(i);
    out += fmt::format("          {} = {}\n",
                       k < names.size() ? names[k] + mark : fmt::format("{}[{}]", letter, i),
                       with_bar(value, bar));
  };
  const Eigen::Index nq = final.q.size(), nu = final.u.size();
  for (Eigen::Index i = 0; i < std::min(nq, shown); ++i)
    line(i, "q", coordinates, "", final.q[i], e.q_final[i]);
  for (Eigen::Index i = 0; i < std::min(nu, shown); ++i) {
    if (velocities.empty())
      line(i, "u", coordinates, "'", final.u[i], e.u_final[i]);
    else
      line(i, "u", velocities, "", final.u[i], e.u_final[i]);
  }
  if (std::max(nq, nu) > shown) out += "          … (--json lists all)\n";
  return out;
}

Json to_json(const ErrorEstimate& e, std::span<const std::string> measures) {
  Json out = {{"q_final", bars(e.q_final)},
              {"u_final", bars(e.u_final)},
              {"q_sup", number(e.q_sup)},
              {"u_hausdorff", number(e.u_hausdorff)},
              {"event_times", number(e.event_times)},
              {"measures", Json::object()}};
  for (std::size_t k = 0; k < measures.size(); ++k) out["measures"][measures[k]] = number(e.measures[k]);
  out["sizes"] = {{"q", bars(e.q_size)}, {"u", bars(e.u_size)}};
  out["digits_lost_per_second"] = number(e.digits_lost);
  out["known_until"] = number(e.known_until);
  out["companion"] = {{"rtol", e.rtol}, {"cpu_seconds", number(e.cpu_seconds)}};
  if (e.runs > 1) out["tightened"] = {{"asked_rtol", e.asked_rtol}, {"runs", e.runs}, {"helped", !e.settled}};
  return out;
}

}  // namespace saltus::cli
