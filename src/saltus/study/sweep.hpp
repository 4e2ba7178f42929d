// A sweep runs a family of problems, one row of measures per point.
//
// Rows depend on their point alone, so they are the same with any executor (cpu_seconds aside). A point that
// cannot be run keeps its message and the others go on. Rows go to a store as they come; with a journal
// (file/sweep_journal.hpp) an interrupted sweep can go on where it was.
#pragma once
#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "saltus/core/executor.hpp"
#include "saltus/study/row_store.hpp"
#include "saltus/study/sweep_points.hpp"
#include "saltus/study/tightening.hpp"

namespace saltus {

struct SweepControl {
  const Executor* executor = nullptr;  ///< null: one point after the other
  const std::atomic<bool>* interrupt = nullptr;
  bool estimate = true;            ///< of errors, where runs are by tolerance
  std::function<void()> finished;  ///< after each row, one call at a time, any thread
};

/// Fills the rows that are missing, in the order of their points; `make` builds a point and may throw Error.
/// After an interrupt the points not reached stay missing. Throws what the store and `control.finished`
/// throw.
using MakeCase = std::function<MeasuredCase(const Settings& point)>;
void sweep(const SweepPoints& points, const Measures& measures, const MakeCase& make, RowStore& rows,
           const SweepControl& control = {});

/// One point; status missing when it was interrupted.
SweepRow run_point(const Settings& point, const Measures& measures, const MakeCase& make,
                   const RunControl& control, bool estimate);

/// Whether the name is a field of a part of the method ("scheme.theta", "stepping.atol", "solver.tolerance");
/// sets it.
bool set_method_field(Method& method, std::string_view name, std::string_view value);

/// The table, in the order of the points: one line per row that is not missing, with the point, the measures,
/// their bars (NAME_error) if any row has some, status, message. Written in pieces.
using WriteText = std::function<void(std::string_view text)>;
void write_sweep_csv(const SweepPoints& points, std::span<const Measure> measures, const RowStore& rows,
                     const WriteText& write);
std::string sweep_csv(const SweepPoints& points, std::span<const Measure> measures, const RowStore& rows);

}  // namespace saltus
