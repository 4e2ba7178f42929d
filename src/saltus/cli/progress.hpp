// A progress bar with the remaining time, on stderr, only in a terminal and only for runs longer than a
// second.
#pragma once
#include <chrono>

namespace saltus::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  void show(double fraction);

 private:
  std::chrono::steady_clock::time_point start_;
  bool terminal_, drawn_ = false;
};

}  // namespace saltus::cli
