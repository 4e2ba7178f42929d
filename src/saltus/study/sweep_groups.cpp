#include "saltus/study/sweep_groups.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

constexpr std::size_t usual_bins = 20, most_groups = 250'000, most_words = 10'000;

// Intervals of numbers: between the bounds that are known, or the smallest and the largest.
void into_bins(const std::vector<double>& numbers, std::pair<double, double> bounds, std::size_t count,
               GroupAxis& axis, std::vector<std::uint32_t>& groups) {
  const auto seen = range_of(numbers);
  axis.bins = Bins{std::isfinite(bounds.first) ? bounds.first : seen.first,
                   std::isfinite(bounds.second) ? bounds.second : seen.second, count};
  for (const double x : numbers) groups.push_back(static_cast<std::uint32_t>(axis.bins->find(x).value_or(0)));
}

// A group for each text, in the order in which they first come.
void into_words(std::size_t count, const std::function<std::string(std::size_t)>& text, GroupAxis& axis,
                std::vector<std::uint32_t>& groups) {
  std::vector<std::pair<std::string, std::uint32_t>> known;  // sorted
  for (std::size_t i = 0; i < count; ++i) {
    std::string value = text(i);
    auto at = std::lower_bound(known.begin(), known.end(), value,
                               [](const auto& entry, const std::string& x) { return entry.first < x; });
    if (at == known.end() || at->first != value) {
      if (known.size() == most_words)
        fail("--by {}: more than {} values; give a number of intervals, as --by {}=20", axis.name, most_words,
             axis.name);
      at = known.insert(at, {value, static_cast<std::uint32_t>(axis.values.size())});
      axis.values.push_back(std::move(value));
    }
    groups.push_back(at->second);
  }
}

}  // namespace

std::string GroupAxis::label(std::size_t i) const {
  return bins ? number_text(bins->centre(i)) : values[i];
}

SweepGroups::SweepGroups(const SweepPoints& points, std::span<const std::string> by) {
  if (by.size() > 2) fail("--by is given {} times; groups are by one or two parameters", by.size());
  for (const auto& text : by) add(points, text);
  if (axes_.size() == 2 && axes_[0].name == axes_[1].name) fail("--by {} is given twice", axes_[0].name);
  if (count() > most_groups)
    fail("{} groups by {} and {}; at most {}", count(), axes_.front().name, axes_.back().name, most_groups);
}

void SweepGroups::add(const SweepPoints& points, const std::string& text) {
  const auto equals = text.find('=');
  GroupAxis axis{text.substr(0, equals)};
  std::size_t bins = 0;  // 0: not given
  if (equals != std::string::npos) {
    const std::int64_t n = parse_integer(std::string_view(text).substr(equals + 1), "--by " + axis.name);
    if (n < 1 || static_cast<std::size_t>(n) > most_groups)
      fail("--by {}: 1 to {} intervals are allowed", text, most_groups);
    bins = static_cast<std::size_t>(n);
  }
  const auto names = points.names();
  const auto found =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), axis.name) - names.begin());
  if (found == names.size())
    fail("--by {}: it does not vary{}; what varies: {}", axis.name, suggestion(axis.name, names),
         fmt::join(names, ", "));

  Part part;
  const std::size_t samples = points.samples ? points.samples->points() : 1,
                    rows = points.table ? points.table->size() : 1;
  std::vector<double> numbers;
  if (found < points.axes.size()) {
    const SweepAxis& series = points.axes[found];
    part.size = series.size(), part.divisor = samples * rows;
    for (std::size_t i = found + 1; i < points.axes.size(); ++i) part.divisor *= points.axes[i].size();
    axis.spacing = series.spacing;
    if (bins == 0) {
      for (std::size_t i = 0; i < series.size(); ++i) axis.values.push_back(series.value(i));
    } else {
      for (std::size_t i = 0; i < series.size(); ++i)
        numbers.push_back(parse_number(series.value(i), "--by " + axis.name));
      into_bins(numbers, {-infinity, infinity}, bins, axis, part.groups);
    }
  } else if (const std::size_t column = found - points.axes.size();
             points.table && column < points.table->names().size()) {
    part.size = rows, part.divisor = samples;
    if (bins == 0) {
      into_words(
          rows, [&](std::size_t i) { return points.table->value(i, column); }, axis, part.groups);
    } else {
      for (std::size_t i = 0; i < rows; ++i)
        numbers.push_back(parse_number(points.table->value(i, column), "--by " + axis.name));
      into_bins(numbers, {-infinity, infinity}, bins, axis, part.groups);
    }
  } else {
    const std::size_t j = column - (points.table ? points.table->names().size() : 0);
    const Distribution& d = points.samples->parameters()[j].distribution;
    part.size = samples;
    for (std::size_t k = 0; k < samples; ++k) numbers.push_back(points.samples->number(k, j));
    if (d.is_choice()) {
      if (bins > 0) fail("--by {}: a choice has no intervals", text);
      axis.values = d.choices();
      for (const double x : numbers) part.groups.push_back(static_cast<std::uint32_t>(x));
    } else {
      into_bins(numbers, d.bounds(), bins == 0 ? usual_bins : bins, axis, part.groups);
    }
  }
  axes_.push_back(std::move(axis));
  parts_.push_back(std::move(part));
}

std::size_t SweepGroups::count() const {
  std::size_t out = 1;
  for (const auto& a : axes_) out *= a.size();
  return out;
}

std::size_t SweepGroups::of(std::size_t k) const {
  std::size_t out = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const std::size_t n = k / parts_[i].divisor % parts_[i].size;
    out = out * axes_[i].size() + (parts_[i].groups.empty() ? n : parts_[i].groups[n]);
  }
  return out;
}

}  // namespace saltus
