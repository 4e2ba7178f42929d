// Progress with the remaining time, on stderr: a bar, only in a terminal and only for runs longer than a
// second, or lines for the log of a batch job.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace saltus::cli {

class ProgressBar {
 public:
  /// `from`: what was done before it began.
  /// `shown`: is told the fraction instead of a terminal.
  explicit ProgressBar(double from = 0, std::function<void(double)> shown = {});
  ~ProgressBar();
  void show(double fraction);

 private:
  std::chrono::steady_clock::time_point start_;
  std::function<void(double)> told_;
  double from_, shown_ = 0;  // shown_: seconds after the start
  bool terminal_, drawn_ = false;
};

/// Lines, one every so many seconds: "saltus: 1200 of 5000 points (24 %), 85 points/s, 45 s left".
class ProgressLines {
 public:
  /// `who`: put after the counts, as ", 4 ranks".
  ProgressLines(std::size_t already, std::size_t total, double every, std::string who);
  void show(std::size_t done);

 private:
  std::chrono::steady_clock::time_point start_;
  std::size_t already_, total_;
  double every_, next_;
  std::string who_;
};
/// "45 s", "12 min", "3 h 20 min", "5 d 2 h"
std::string duration_text(double seconds);

}  // namespace saltus::cli
