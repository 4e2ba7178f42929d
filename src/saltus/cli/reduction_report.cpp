#include "saltus/cli/reduction_report.hpp"

#include <cmath>

namespace saltus::cli {
namespace {

double standard_error(const Summary& s) {
  return s.sd / std::sqrt(static_cast<double>(s.count));
}

// The values of the parameters that a group is by.
std::vector<std::pair<std::string, std::string>> place_of(const SweepGroups& groups, std::size_t group) {
  const auto axes = groups.axes();
  std::vector<std::pair<std::string, std::string>> out(axes.size());
  for (std::size_t i = axes.size(); i-- > 0; group /= axes[i].size())
    out[i] = {axes[i].name, axes[i].label(group % axes[i].size())};
  return out;
}

Json edges_json(const Bins& bins) {
  Json out = Json::array();
  for (std::size_t i = 0; i <= bins.count; ++i) out.push_back(number(bins.edge(i)));
  return out;
}

}  // namespace

Json SweepSummary::by_json() const {
  Json out = Json::array();
  for (const auto& axis : result.groups.axes()) {
    Json one = {{"name", axis.name}};
    if (axis.bins)
      one["edges"] = edges_json(*axis.bins);
    else
      one["values"] = axis.values;
    out.push_back(std::move(one));
  }
  return out;
}

Json SweepSummary::measure_json(std::size_t measure, const std::string& name) const {
  const ReducedMeasure& m = result.measures[measure];
  Json groups = Json::array();
  for (std::size_t g = 0; g < m.groups.size(); ++g) {
    const Summary& s = m.groups[g];
    Json at = Json::object(), one = Json::object();
    for (const auto& [key, value] : place_of(result.groups, g)) at[key] = value;
    if (!at.empty()) one["at"] = std::move(at);
    one["points"] = result.points[g];
    one["count"] = s.count;
    if (asked.mean) {
      one["mean"] = number(s.mean);
      if (random) one["standard_error"] = number(standard_error(s));
      if (!std::isnan(m.bars[g])) one["mean_error"] = number(m.bars[g]);
    }
    if (asked.sd) one["sd"] = number(s.sd);
    if (asked.min) one["min"] = number(s.min);
    if (asked.max) one["max"] = number(s.max);
    for (std::size_t k = 0; k < s.quantiles.size(); ++k)
      one["quantiles"].push_back({{"p", asked.quantiles[k]}, {"value", number(s.quantiles[k])}});
    if (asked.histogram)
      one["histogram"] = {{"edges", s.bins ? edges_json(*s.bins) : Json::array()},
                          {"counts", s.histogram},
                          {"below", s.below},
                          {"above", s.above}};
    groups.push_back(std::move(one));
  }
  return {{"measure", name}, {"without_digits", m.without_digits}, {"groups", std::move(groups)}};
}

std::string SweepSummary::text(std::span<const Measure> measures) const {
  constexpr std::size_t shown = 25;
  std::string out;
  const std::size_t count = result.groups.count();
  for (std::size_t m = 0; m < measures.size(); ++m) {
    out += measures[m].name + "\n";
    for (const auto& axis : result.groups.axes()) out += fmt::format(" {:>16}", axis.name);
    out += fmt::format(" {:>10}", "count");
    const auto title = [&](bool wanted, const std::string& name) {
      if (wanted) out += fmt::format(" {:>16}", name);
    };
    title(asked.mean, "mean"), title(asked.mean && random, "standard error"), title(asked.sd, "sd");
    title(asked.min, "min"), title(asked.max, "max");
    for (const double p : asked.quantiles) title(true, fmt::format("q{}", p));
    out += "\n";
    for (std::size_t g = 0; g < std::min(count, shown); ++g) {
      const Summary& s = result.measures[m].groups[g];
      for (const auto& [key, value] : place_of(result.groups, g)) out += fmt::format(" {:>16}", value);
      out += fmt::format(" {:>10}", s.count);
      const auto value = [&](bool wanted, double x) {
        if (wanted) out += fmt::format(" {:>16.9g}", x);
      };
      value(asked.mean, s.mean), value(asked.mean && random, standard_error(s)), value(asked.sd, s.sd);
      value(asked.min, s.min), value(asked.max, s.max);
      for (const double q : s.quantiles) value(true, q);
      out += "\n";
    }
    if (count > shown) out += fmt::format("… and {} more (--reduced FILE.csv writes all)\n", count - shown);
    if (count == 1 && asked.histogram && result.measures[m].groups[0].bins) {
      const Summary& s = result.measures[m].groups[0];
      for (std::size_t i = 0; i < std::min(s.histogram.size(), shown); ++i)
        out += fmt::format(" {:>16.9g} {:>16.9g} {:>10}\n", s.bins->edge(i), s.bins->edge(i + 1),
                           s.histogram[i]);
      if (s.histogram.size() > shown)
        out +=
            fmt::format("… and {} more bins (--reduced FILE.csv writes all)\n", s.histogram.size() - shown);
      if (s.below + s.above > 0) out += fmt::format("below: {}, above: {}\n", s.below, s.above);
    }
    if (const std::size_t n = result.measures[m].without_digits; n > 0)
      out += fmt::format("{} values have not one digit that is known (error bars); they are counted\n", n);
  }
  return out;
}

}  // namespace saltus::cli
