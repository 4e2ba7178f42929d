#include "saltus/study/sweep.hpp"

#include <cmath>
#include <mutex>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

constexpr std::size_t largest_sweep = 10'000'000;

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
std::vector<std::string> series(const std::string& name, const std::string& text, bool ratios) {
  const auto parts = split(text, ':');
  if (parts.size() != 3)
    fail("--over {}={}: a series is written first:last:count or log:first:last:count, a list list:v1,v2,…",
         name, text);
  const double a = parse_number(parts[0], name), b = parse_number(parts[1], name);
  const std::int64_t n = parse_integer(parts[2], name);
  if (n < 1 || static_cast<std::size_t>(n) > largest_sweep)
    fail("--over {}: {} values; allowed are 1 to {}", name, n, largest_sweep);
  if (n == 1 && a != b) fail("--over {}={}: one value, but first and last differ", name, text);
  if (!std::isfinite(a) || !std::isfinite(b)) fail("--over {}={}: first and last must be finite", name, text);
  if (ratios && !(a > 0 && b > 0)) fail("--over {}=log:{}: equal ratios need first and last > 0", name, text);
  std::vector<std::string> out;
  const double steps = static_cast<double>(std::max<std::int64_t>(n - 1, 1));
  for (std::int64_t i = 0; i < n; ++i) {
    const double k = static_cast<double>(i);
    const double x = ratios ? a * std::pow(b / a, k / steps) : (a * (steps - k) + b * k) / steps;
    // decimal series come out as they are written: 0.3, not 0.30000000000000004; ends are exact
    const double exact = i == 0 ? a : i == n - 1 ? b : parse_number(fmt::format("{:.15g}", x), name);
    out.push_back(number_text(exact));
  }
  return out;
}

SweepRow run_point(const Settings& values, const Measures& measures, const MakeCase& make,
                   const RunControl& control, bool estimated) {
  SweepRow row;
  row.status = SweepRow::Status::failed;
  try {
    RunResult result;
    std::optional<ErrorEstimate> estimate;
    if (estimated)
      row.values = run_within_tolerance(measures, make(values), control, result, estimate);
    else
      row.values = measures.run(make(values), control, result);
    if (estimate) row.errors = std::move(estimate->measures);
    const bool good = result.status == RunStatus::finished && result.stats.unsolved == 0;
    if (result.status == RunStatus::interrupted)
      row.status = SweepRow::Status::missing;
    else if (good)
      row.status = SweepRow::Status::finished;
    if (!good || result.stats.above_tolerance > 0)
      row.message = result.message;
    else if (estimate)
      row.message = fmt::format("{}", fmt::join(estimate->warnings, "; "));
  } catch (const std::bad_alloc&) {
    row.message = "out of memory";
  } catch (const std::exception& e) {
    row.message = e.what();
  }
  return row;
}

}  // namespace

SweepAxis parse_axis(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    fail("--over {}: a range is written name=first:last:count", text);
  SweepAxis axis;
  axis.name = text.substr(0, equals);
  const std::string rest(text.substr(equals + 1));
  if (rest.starts_with("list:")) {
    const std::string list = rest.substr(5);
    axis.values = split(list, list.find(';') == std::string::npos ? ',' : ';');
    for (const auto& v : axis.values)
      if (v.empty()) fail("--over {}: the list has an empty value", text);
  } else if (rest.starts_with("log:")) {
    axis.values = series(axis.name, rest.substr(4), true);
    axis.spacing = SweepAxis::Spacing::logarithmic;
  } else if (rest.find(':') != std::string::npos) {
    axis.values = series(axis.name, rest, false);
    axis.spacing = SweepAxis::Spacing::linear;
  } else {
    if (rest.empty()) fail("--over {}: a range is written name=first:last:count", text);
    axis.values = {rest};
  }
  return axis;
}

std::size_t point_count(std::span<const SweepAxis> axes) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k)
      if (axes[k].name == axes[i].name) fail("--over {} is given twice", axes[i].name);
    if (axes[i].values.empty()) fail("--over {}: no values", axes[i].name);
    if (count > largest_sweep / axes[i].values.size())
      fail("the sweep has more than {} points", largest_sweep);
    count *= axes[i].values.size();
  }
  return count;
}

Settings sweep_point(std::span<const SweepAxis> axes, std::size_t index) {
  Settings out(axes.size());
  for (std::size_t k = axes.size(); k-- > 0;) {
    out[k] = {axes[k].name, axes[k].values[index % axes[k].values.size()]};
    index /= axes[k].values.size();
  }
  return out;
}

std::string_view to_string(SweepRow::Status status) {
  constexpr std::string_view names[] = {"missing", "finished", "failed"};
  return names[static_cast<std::size_t>(status)];
}

bool set_method_field(Method& method, std::string_view name, std::string_view value) {
  const auto dot = name.find('.');
  const std::string_view part = name.substr(0, dot),
                         key = dot == std::string_view::npos ? "" : name.substr(dot + 1);
  if (key.empty()) return false;
  if (part == "scheme")
    set_field(method.scheme, key, value);
  else if (part == "stepping")
    set_field(method.stepping, key, value);
  else if (part == "solver")
    set_field(method.solver, key, value);
  else
    return false;
  return true;
}

void sweep(std::span<const SweepAxis> axes, const Measures& measures, const MakeCase& make,
           std::vector<SweepRow>& rows, const SweepControl& control) {
  const std::size_t count = point_count(axes);
  rows.resize(count);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < count; ++i)
    if (rows[i].status == SweepRow::Status::missing) open.push_back(i);

  std::mutex door;
  bool refused = false;  // a callback threw
  const auto job = [&](std::size_t k) {
    if (control.interrupt && *control.interrupt) return;
    RunControl run_control;
    run_control.interrupt = control.interrupt;
    SweepRow row = run_point(sweep_point(axes, open[k]), measures, make, run_control, control.estimate);
    if (row.status == SweepRow::Status::missing) return;
    const std::lock_guard lock(door);
    rows[open[k]] = std::move(row);
    if (!control.finished || refused) return;
    try {
      control.finished(open[k], rows[open[k]]);
    } catch (...) {
      refused = true;
      throw;
    }
  };
  const SerialExecutor serial;
  const Executor& executor = control.executor ? *control.executor : serial;
  executor.run(open.size(), job);
}

}  // namespace saltus
