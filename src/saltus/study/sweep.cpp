#include "saltus/study/sweep.hpp"

#include <mutex>

#include "saltus/core/error.hpp"

namespace saltus {

SweepRow run_point(const Settings& point, const Measures& measures, const MakeCase& make,
                   const RunControl& control, bool estimated) {
  SweepRow row;
  row.status = SweepRow::Status::failed;
  try {
    RunResult result;
    std::optional<ErrorEstimate> estimate;
    if (estimated)
      row.values = run_within_tolerance(measures, make(point), control, result, estimate);
    else
      row.values = measures.run(make(point), control, result);
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

void sweep(const SweepPoints& points, const Measures& measures, const MakeCase& make, RowStore& rows,
           const SweepControl& control) {
  std::mutex door;
  std::size_t next = 0;  // no point before it is open
  bool refused = false;  // a row could not be kept, or a callback threw
  const auto job = [&](std::size_t) {
    if (control.interrupt && *control.interrupt) return;
    std::size_t index = 0;
    {
      const std::lock_guard lock(door);
      while (rows.has(next)) ++next;
      index = next++;
    }
    RunControl run_control;
    run_control.interrupt = control.interrupt;
    const SweepRow row = run_point(points.point(index), measures, make, run_control, control.estimate);
    if (row.status == SweepRow::Status::missing) return;
    const std::lock_guard lock(door);
    if (refused) return;
    try {
      rows.add(index, row);
      if (control.finished) control.finished();
    } catch (...) {
      refused = true;
      throw;
    }
  };
  const SerialExecutor serial;
  const Executor& executor = control.executor ? *control.executor : serial;
  executor.run(rows.points() - rows.count(), job);
}

}  // namespace saltus
