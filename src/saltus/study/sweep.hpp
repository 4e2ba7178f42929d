// A sweep runs a family: the product of lists of values, one row of measures per point.
//
// Rows depend on their point alone, so they are the same with any executor (cpu_seconds aside). A point that
// cannot be run keeps its message and the others go on. With a journal (file/sweep_journal.hpp) an
// interrupted sweep can go on where it was.
#pragma once
#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "saltus/core/executor.hpp"
#include "saltus/study/error_estimate.hpp"

namespace saltus {

struct SweepAxis {
  enum class Spacing : std::uint8_t { list, linear, logarithmic };
  std::string name;                 ///< a parameter, h, t_end, scheme.FIELD, …
  std::vector<std::string> values;  ///< as text: numbers, names
  Spacing spacing = Spacing::list;
};
/// "name=a:b:n" (equal distances), "name=log:a:b:n" (equal ratios), "name=list:v1,v2,…" or "name=value";
/// texts that hold commas are separated by semicolons. Throws Error.
SweepAxis parse_axis(std::string_view text);

/// How many points; throws Error for an axis without values, one given twice, or too many points.
std::size_t point_count(std::span<const SweepAxis> axes);
/// The values of a point; the last axis varies fastest.
Settings sweep_point(std::span<const SweepAxis> axes, std::size_t index);

struct SweepRow {
  enum class Status : std::uint8_t { missing, finished, failed };
  Status status = Status::missing;
  std::vector<double> values;  ///< one per measure; empty where the run could not start
  std::vector<double> errors;  ///< their bars, NaN without a digit; empty without an estimate
  std::string message;         ///< what went wrong, or what to know about a finished run
};
std::string_view to_string(SweepRow::Status status);

struct SweepControl {
  const Executor* executor = nullptr;  ///< null: one point after the other
  const std::atomic<bool>* interrupt = nullptr;
  bool estimate = true;  ///< of errors, where runs are by tolerance
  std::function<void(std::size_t index, const SweepRow& row)> finished;  ///< one call at a time, any thread
};

/// Fills the rows that are missing; `make` builds a point and may throw Error. After an interrupt the points
/// not reached stay missing. Throws what `control.finished` throws.
using MakeCase = std::function<MeasuredCase(const Settings& point)>;
void sweep(std::span<const SweepAxis> axes, const Measures& measures, const MakeCase& make,
           std::vector<SweepRow>& rows, const SweepControl& control = {});

/// Whether the name is a field of a part of the method ("scheme.theta", "stepping.atol", "solver.tolerance");
/// sets it.
bool set_method_field(Method& method, std::string_view name, std::string_view value);

/// One line per row that is not missing: the point, the measures, their bars (NAME_error) if any row has
/// some, status, message.
std::string sweep_csv(std::span<const SweepAxis> axes, std::span<const Measure> measures,
                      std::span<const SweepRow> rows);

}  // namespace saltus
