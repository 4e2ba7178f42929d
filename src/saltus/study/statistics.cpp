#include "saltus/study/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_bins = 100'000;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double quantile(std::span<const double> sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto i = static_cast<std::size_t>(place);
  if (i + 1 >= sorted.size()) return sorted.back();
  return std::lerp(sorted[i], sorted[i + 1], place - static_cast<double>(i));
}

void parse_one(std::string_view text, Reduction& out) {
  const auto equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  std::vector<std::string_view> parts;
  if (equals != std::string_view::npos) parts = list_parts(text.substr(equals + 1));
  for (const auto& [known, wanted] : {std::pair{"mean", &Reduction::mean},
                                      {"sd", &Reduction::sd},
                                      {"min", &Reduction::min},
                                      {"max", &Reduction::max}})
    if (name == known) {
      if (!parts.empty()) fail("--reduce {}: {} takes no value", text, known);
      out.*wanted = true;
      return;
    }
  if (name == "summary" && parts.empty()) {
    out.mean = out.sd = out.min = out.max = true;
    out.quantiles.insert(out.quantiles.end(), {0.05, 0.25, 0.5, 0.75, 0.95});
  } else if (name == "quantile") {
    if (parts.empty()) fail("--reduce {}: which? Write quantile=0.05:0.5:0.95", text);
    for (const auto part : parts) {
      const double p = parse_number(part, "--reduce quantile");
      if (!(p >= 0 && p <= 1)) fail("--reduce {}: quantiles are from 0 to 1", text);
      out.quantiles.push_back(p);
    }
  } else if (name == "histogram") {
    if (parts.size() != 1 && parts.size() != 3)
      fail("--reduce {}: write histogram=BINS or histogram=BINS:LOW:HIGH", text);
    const std::int64_t n = parse_integer(parts[0], "--reduce histogram");
    if (n < 1 || static_cast<std::size_t>(n) > most_bins)
      fail("--reduce {}: a histogram has 1 to {} bins", text, most_bins);
    out.histogram = Reduction::Histogram{.bins = static_cast<std::size_t>(n)};
    if (parts.size() == 3) {
      out.histogram->low = parse_number(parts[1], "--reduce histogram");
      out.histogram->high = parse_number(parts[2], "--reduce histogram");
      if (!std::isfinite(*out.histogram->low) || !(*out.histogram->low < *out.histogram->high) ||
          !std::isfinite(*out.histogram->high))
        fail("--reduce {}: a histogram needs finite LOW < HIGH", text);
    }
  } else {
    const std::vector<std::string> known = {"mean", "sd", "min", "max", "quantile", "histogram", "summary"};
    fail(
        "--reduce {}: unknown{}; known: mean, sd, min, max, quantile=P:…, histogram=BINS[:LOW:HIGH], summary",
        text, suggestion(name, known));
  }
}

}  // namespace

void CompensatedSum::add(double x) {
  const double sum = sum_ + x;
  lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
  sum_ = sum;
}

double Bins::edge(std::size_t i) const {
  if (i == 0) return low;
  if (i == count) return high;
  const double share = static_cast<double>(i) / static_cast<double>(count);
  return std::lerp(low, high, share);
}

std::optional<std::size_t> Bins::find(double x) const {
  if (!(x >= low && x <= high)) return {};
  if (low == high) return 0;
  auto i = static_cast<std::size_t>((x / 2 - low / 2) / (high / 2 - low / 2) * static_cast<double>(count));
  i = std::min(i, count - 1);
  while (i > 0 && x < edge(i)) --i;  // the quotient is rounded, edges are what is printed
  while (i + 1 < count && x >= edge(i + 1)) ++i;
  return i;
}

Reduction parse_reduction(std::span<const std::string> texts) {
  Reduction out;
  for (const std::string_view text : texts)
    for (std::size_t a = 0; a <= text.size();) {
      const std::size_t b = std::min(text.find(',', a), text.size());
      parse_one(text.substr(a, b - a), out);
      a = b + 1;
    }
  std::sort(out.quantiles.begin(), out.quantiles.end());
  out.quantiles.erase(std::unique(out.quantiles.begin(), out.quantiles.end()), out.quantiles.end());
  return out;
}

std::pair<double, double> range_of(std::span<const double> values) {
  std::pair<double, double> out = {nan, nan};
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    if (!(out.first <= x)) out.first = x;
    if (!(out.second >= x)) out.second = x;
  }
  return out;
}

Summary summarize(std::span<double> values, const Reduction& asked, std::pair<double, double> range) {
  values = values.first(static_cast<std::size_t>(
      std::stable_partition(values.begin(), values.end(), [](double x) { return std::isfinite(x); }) -
      values.begin()));
  Summary out;
  out.count = values.size();
  std::tie(out.min, out.max) = range_of(values);
  out.mean = out.sd = nan;
  if (asked.histogram) {
    const Bins bins{asked.histogram->low.value_or(range.first), asked.histogram->high.value_or(range.second),
                    asked.histogram->bins};
    if (bins.low <= bins.high) out.bins = bins;
    out.histogram.assign(bins.count, 0);
    for (const double x : values) {
      if (const auto i = bins.find(x))
        ++out.histogram[*i];
      else
        ++(x < bins.low ? out.below : out.above);
    }
  }
  out.quantiles.assign(asked.quantiles.size(), nan);
  if (values.empty()) return out;

  // by a power of two, so that neither sums nor squares leave the range of numbers
  int size = 0;
  static_cast<void>(std::frexp(std::max(std::abs(out.min), std::abs(out.max)), &size));
  const auto n = static_cast<double>(values.size());
  CompensatedSum sum, squares, rest;
  for (const double x : values) sum.add(std::ldexp(x, -size));
  const double mean = sum.value() / n;
  for (const double x : values) {
    const double d = std::ldexp(x, -size) - mean;
    rest.add(d), squares.add(d * d);
  }
  out.mean = std::ldexp(mean, size);
  if (values.size() > 1) {
    const double variance = (squares.value() - rest.value() * rest.value() / n) / (n - 1);
    out.sd = std::ldexp(std::sqrt(std::max(variance, 0.0)), size);
  }
  if (!asked.quantiles.empty()) {
    std::sort(values.begin(), values.end());
    for (std::size_t k = 0; k < out.quantiles.size(); ++k)
      out.quantiles[k] = quantile(values, asked.quantiles[k]);
  }
  return out;
}

}  // namespace saltus
