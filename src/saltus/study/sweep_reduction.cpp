#include "saltus/study/sweep_reduction.hpp"

#include <cmath>

#include "saltus/study/csv_cell.hpp"

namespace saltus {
namespace {

// The values of each group side by side, in the order of the points within.
std::vector<double> by_group(const std::vector<double>& column, const std::vector<std::uint32_t>& group,
                             const std::vector<std::size_t>& begin) {
  std::vector<double> out(column.size());
  std::vector<std::size_t> at(begin.begin(), begin.end() - 1);
  for (std::size_t k = 0; k < column.size(); ++k) out[at[group[k]]++] = column[k];
  return out;
}

double mean_of(std::span<const double> values) {
  CompensatedSum sum;
  std::size_t n = 0;
  for (const double x : values)
    if (std::isfinite(x)) sum.add(x), ++n;
  return n == 0 ? std::nan("") : sum.value() / static_cast<double>(n);
}

}  // namespace

ReducedSweep reduce(const SweepPoints& points, const RowStore& rows, const Reduction& asked,
                    std::span<const std::string> by) {
  ReducedSweep out{SweepGroups(points, by), {}, {}, {}};
  const std::size_t count = out.groups.count();
  std::vector<std::uint32_t> group(rows.points());
  std::vector<std::size_t> begin(count + 1);
  out.points.assign(count, 0), out.finished.assign(count, 0);
  for (std::size_t k = 0; k < rows.points(); ++k) {
    group[k] = static_cast<std::uint32_t>(out.groups.of(k));
    ++begin[group[k] + 1];
    if (!rows.has(k)) continue;
    ++out.points[group[k]];
    out.finished[group[k]] += rows.row(k).status == SweepRow::Status::finished;
  }
  for (std::size_t g = 0; g < count; ++g) begin[g + 1] += begin[g];
  for (std::size_t m = 0; m < rows.measures(); ++m) {
    ReducedMeasure measure;
    std::vector<double> values = by_group(measure_column(rows, m), group, begin);
    const auto range = range_of(values);
    for (std::size_t g = 0; g < count; ++g)
      measure.groups.push_back(
          summarize(std::span(values).subspan(begin[g], begin[g + 1] - begin[g]), asked, range));
    measure.bars.assign(count, std::nan(""));
    if (rows.has_errors()) {
      const std::vector<double> bars = by_group(error_column(rows, m), group, begin);
      for (std::size_t g = 0; g < count; ++g)
        measure.bars[g] = mean_of(std::span(bars).subspan(begin[g], begin[g + 1] - begin[g]));
      for (std::size_t k = 0; k < rows.points(); ++k)
        if (rows.has(k)) {
          const SweepRow row = rows.row(k);
          measure.without_digits += !row.errors.empty() && std::isnan(row.errors[m]);
        }
    }
    out.measures.push_back(std::move(measure));
  }
  return out;
}

std::string reduced_csv(const ReducedSweep& reduced, std::span<const Measure> measures,
                        const Reduction& asked) {
  const auto axes = reduced.groups.axes();
  std::string out;
  for (const auto& a : axes) out += csv_cell(a.name) + ",";
  out += "measure,statistic,at,value\n";
  const auto text = [](double x) { return std::isnan(x) ? std::string("nan") : number_text(x); };
  for (std::size_t m = 0; m < measures.size(); ++m)
    for (std::size_t g = 0; g < reduced.groups.count(); ++g) {
      const Summary& s = reduced.measures[m].groups[g];
      std::string place;
      std::size_t rest = g;
      for (std::size_t i = axes.size(); i-- > 0; rest /= axes[i].size())
        place = csv_cell(axes[i].label(rest % axes[i].size())) + "," + place;
      place += csv_cell(measures[m].name) + ",";
      const auto line = [&](std::string_view statistic, const std::string& at, const std::string& value) {
        out += place + fmt::format("{},{},{}\n", statistic, at, value);
      };
      line("points", "", fmt::format("{}", reduced.points[g]));
      line("count", "", fmt::format("{}", s.count));
      if (asked.mean) line("mean", "", text(s.mean));
      if (asked.mean && !std::isnan(reduced.measures[m].bars[g]))
        line("mean_error", "", text(reduced.measures[m].bars[g]));
      if (asked.sd) line("sd", "", text(s.sd));
      if (asked.min) line("min", "", text(s.min));
      if (asked.max) line("max", "", text(s.max));
      for (std::size_t k = 0; k < s.quantiles.size(); ++k)
        line("quantile", number_text(asked.quantiles[k]), text(s.quantiles[k]));
      for (std::size_t k = 0; k < s.histogram.size() && s.bins; ++k)
        line("histogram", number_text(s.bins->edge(k)), fmt::format("{}", s.histogram[k]));
    }
  return out;
}

}  // namespace saltus
