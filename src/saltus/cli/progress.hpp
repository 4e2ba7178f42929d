// A progress bar with the remaining time, on stderr, only in a terminal and only for runs longer than a
// second.
#pragma once
#include <chrono>

namespace saltus::cli {

class ProgressBar {
 public:
  /// `from`: what was done before it began.
  explicit ProgressBar(double from = 0);
  ~ProgressBar();
  void show(double fraction);

 private:
  std::chrono::steady_clock::time_point start_;
  double from_, shown_ = 0;  // shown_: seconds after the start
  bool terminal_, drawn_ = false;
};

}  // namespace saltus::cli
