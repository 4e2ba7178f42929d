// When a file was last flushed. The clock is read often enough when steps are slow, and not in each of
// millions.
#pragma once
#include <algorithm>
#include <chrono>
#include <utility>

namespace saltus {

class FlushClock {
 public:
  void flushed() { flushed_ = Clock::now(); }
  /// Once a step: whether so many seconds have passed since the last flush.
  bool due(double seconds) {
    if (++since_look_ < stride_) return false;
    since_look_ = 0;
    const auto now = Clock::now();
    const std::chrono::duration<double> last = now - std::exchange(looked_, now), all = now - flushed_;
    stride_ = last.count() < 0.01 * seconds ? std::min(2 * stride_, 4096) : std::max(1, stride_ / 4);
    return all.count() > seconds;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point flushed_, looked_ = Clock::now();
  int since_look_ = 0, stride_ = 1;
};

}  // namespace saltus
