// Whom a command talks to. The program has one, on the standard streams; the Python package has one for every
// call, so that calls of several threads do not meet.
#pragma once
#include <atomic>
#include <functional>
#include <iosfwd>

namespace saltus::cli {

struct FinishedRun;

struct Console {
  std::ostream& out;
  std::ostream& err;
  std::atomic<bool>& interrupted;  ///< runs look at it after every step
  bool json = false;               ///< set by commands: errors appear as a JSON object on `out` too
  /// The part of the work that is done, instead of a bar in a terminal.
  std::function<void(double)> progress = {};
  /// Gets what a run computed, instead of a report on `out`. States and impulses are kept for it.
  std::function<void(FinishedRun&&)> take_run = {};
};

}  // namespace saltus::cli
