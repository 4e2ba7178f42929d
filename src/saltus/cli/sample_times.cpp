#include "saltus/cli/sample_times.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"
#include "saltus/scene/units.hpp"

namespace saltus::cli {
namespace {

constexpr std::string_view events_word = "events";

double parse_time(std::string_view text, std::string_view option) {
  const auto x = parse_unit_number(text);
  if (!x || !std::isfinite(x->value)) fail("{} {}: '{}' is not a time", option, text, text);
  if (x->has_unit && !(x->dimension == time_dimension))
    fail("{} {}: '{}' is not a unit of time", option, text, x->unit);
  return x->value;
}

double parse_period(const std::string& text) {
  const double period = parse_time(text, "--every");
  if (!(period > 0)) fail("--every {}: a time between samples is positive", text);
  return period;
}

/// The times of "a,b,c", and whether the word events is one of them.
std::vector<double> parse_times(const std::string& list, bool& events) {
  std::vector<double> out;
  std::size_t begin = 0;
  while (begin <= list.size() && !list.empty()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string item = list.substr(begin, end - begin);
    if (item == events_word)
      events = true;
    else
      out.push_back(parse_time(item, "--at"));
    begin = end + 1;
  }
  return out;
}

}  // namespace

void SampleTimes::check() const {
  bool events = false;
  parse_times(at, events);
  if (!every.empty()) parse_period(every);
}

Trajectory SampleTimes::of(const Trajectory& x) const {
  constexpr double most = 1e8;
  bool events = false;
  std::vector<double> times = parse_times(at, events);
  const double first = x.t(0), last = x.t(x.size() - 1);
  for (const double t : times)
    if (t < first || t > last)
      fail("--at {}: the trajectory goes from t = {:.12g} to {:.12g}", t, first, last);
  if (events)
    for (const Event& e : x.events()) times.push_back(e.t);
  if (!every.empty()) {
    const double period = parse_period(every);
    if ((last - first) / period > most) fail("--every {}: more than {:.0e} samples", every, most);
    // the last one may miss the end by rounding
    const auto n = static_cast<std::int64_t>(std::floor((last - first) / period * (1 + 1e-13)));
    for (std::int64_t k = 0; k <= n; ++k)
      times.push_back(std::min(first + static_cast<double>(k) * period, last));
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return x.sampled(times);
}

std::vector<double> SampleTimes::listed() const {
  bool events = false;
  std::vector<double> out = parse_times(at, events);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

RecordTimes SampleTimes::record(int every_steps) const {
  return {every_steps, listed(), every.empty() ? 0 : parse_period(every)};
}

int steps_a_sample(const std::string& every, SampleTimes& times) {
  if (every.empty()) return 1;
  if (has_unit(every)) {
    times.every = every;
    return 1;
  }
  const std::int64_t steps = parse_integer(every, "--every");
  if (steps < 1 || steps > 2'000'000'000)
    fail("--every {}: a number of steps is positive; a time has a unit, as 0.1s", every);
  return static_cast<int>(steps);
}

std::string samples_note(const Trajectory& trajectory) {
  if (trajectory.pieces().empty())
    return "states at chosen times lie on straight lines between steps: the method has no dense output, or "
           "it was not kept (--rtol runs have it)";
  if (trajectory.dense_until() < infinity)
    return fmt::format(
        "dense output was kept up to t = {:.9g}, later states lie on straight lines between samples; allow "
        "more with --dense MB",
        trajectory.dense_until());
  return {};
}

}  // namespace saltus::cli
