#include "saltus/study/sweep_axis.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"

namespace saltus {
namespace {

using Spacing = SweepAxis::Spacing;

std::vector<std::string> split(std::string_view text, char mark) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == mark)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// a:b:n
void set_series(SweepAxis& axis, const std::string& text) {
  const std::string& name = axis.name;
  const auto parts = split(text, ':');
  if (parts.size() != 3)
    fail("--over {}={}: a series is written first:last:count or log:first:last:count, a list list:v1,v2,…",
         name, text);
  const std::string field = "--over " + name;
  axis.first = parse_number(parts[0], field), axis.last = parse_number(parts[1], field);
  const std::int64_t n = parse_integer(parts[2], field);
  if (n < 1 || static_cast<std::size_t>(n) > largest_sweep)
    fail("--over {}: {} values; allowed are 1 to {}", name, n, largest_sweep);
  axis.count = static_cast<std::size_t>(n);
  if (n == 1 && axis.first != axis.last)
    fail("--over {}={}: one value, but first and last differ", name, text);
  if (!std::isfinite(axis.first) || !std::isfinite(axis.last))
    fail("--over {}={}: first and last must be finite", name, text);
  if (axis.spacing == Spacing::logarithmic && !(axis.first > 0 && axis.last > 0))
    fail("--over {}=log:{}: equal ratios need first and last > 0", name, text);
}

}  // namespace

std::string SweepAxis::value(std::size_t i) const {
  if (spacing == Spacing::list) return list[i];
  if (i == 0) return number_text(first);
  if (i + 1 == count) return number_text(last);
  const double k = static_cast<double>(i), steps = static_cast<double>(count - 1);
  const double x = spacing == Spacing::logarithmic ? first * std::pow(last / first, k / steps)
                                                   : (first * (steps - k) + last * k) / steps;
  // decimal series come out as they are written: 0.3, not 0.30000000000000004
  return number_text(parse_number(fmt::format("{:.15g}", x), name));
}

SweepAxis parse_axis(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    fail("--over {}: a range is written name=first:last:count", text);
  SweepAxis axis;
  axis.name = text.substr(0, equals);
  const std::string rest(text.substr(equals + 1));
  if (rest.starts_with("list:")) {
    const std::string list = rest.substr(5);
    axis.list = split(list, list.find(';') == std::string::npos ? ',' : ';');
    for (const auto& v : axis.list)
      if (v.empty()) fail("--over {}: the list has an empty value", text);
  } else if (rest.starts_with("log:")) {
    axis.spacing = Spacing::logarithmic;
    set_series(axis, rest.substr(4));
  } else if (rest.find(':') != std::string::npos) {
    axis.spacing = Spacing::linear;
    set_series(axis, rest);
  } else {
    if (rest.empty()) fail("--over {}: a range is written name=first:last:count", text);
    axis.list = {rest};
  }
  return axis;
}

}  // namespace saltus
