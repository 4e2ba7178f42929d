// Where switching points follow each other so closely that a search for each of them costs more than equal
// steps would.
#pragma once
#include <algorithm>
#include <vector>

#include "saltus/run/memory.hpp"

namespace saltus {

/// The times of the last `count` switching points. They are dense when they are closer than `spacing` on
/// average; equal steps then last until fewer than `most` of `block` of them switch.
class DenseSwitches {
 public:
  DenseSwitches(int count, double spacing) : spacing_(spacing) {
    times_.assign(static_cast<std::size_t>(count), -infinity);
  }
  void note(double t) {
    if (times_.empty()) return;
    times_[next_] = t;
    next_ = (next_ + 1) % times_.size();
  }
  bool dense(double t) const {
    return !times_.empty() && t - times_[next_] < spacing_ * static_cast<double>(times_.size());
  }
  /// After an equal step that ended at t: whether another one is to follow.
  bool go_on(bool switched, double t) {
    switching_ += switched;
    if (++steps_ < block) return true;
    const bool still = switching_ >= most;
    steps_ = switching_ = 0;
    if (!still) forget(t);
    return still;
  }
  void memory(Memory& m) {
    const std::size_t size = times_.size();
    m(times_, next_, steps_, switching_);
    m.require(times_.size() == size && (size == 0 || next_ < size) && steps_ >= 0 && steps_ < block);
  }

 private:
  static constexpr int block = 100, most = 10;
  // a tenth of the points is enough to come back
  void forget(double t) {
    std::fill(times_.begin(), times_.end(), t);
    for (std::size_t k = 0; k < times_.size() / 10 + 1; ++k) times_[(next_ + k) % times_.size()] = -infinity;
  }

  std::vector<double> times_;  // a ring
  std::size_t next_ = 0;       // the oldest
  double spacing_;
  int steps_ = 0, switching_ = 0;  // of the present block
};

}  // namespace saltus
