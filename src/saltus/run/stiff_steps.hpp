// Where accuracy keeps steps so short for so long that equal steps of the base scheme would be longer: what
// vibrates that fast has to be resolved, or left to a scheme that is stable without.
#pragma once
#include <algorithm>

#include "saltus/run/memory.hpp"

namespace saltus {

/// Steps are stiff when `count` accepted ones in a row, with no switching point among them, were shorter than
/// `length` on average. Equal steps then last for `shortest` steps, and twice as long each time they follow
/// again at once.
class StiffSteps {
 public:
  StiffSteps(int count, double length) : count_(count), length_(length) {}
  /// After an accepted step of the search that ended at t.
  bool stiff(double t) {
    if (count_ == 0) return false;
    if (steps_++ == 0) since_ = t;
    if (steps_ <= count_) return false;
    steps_ = 0;
    const bool now = t - since_ < length_ * count_;
    if (!now) block_ = shortest;
    return now;
  }
  void switched() { steps_ = 0; }
  void begin_equal() { left_ = block_, block_ = std::min(2 * block_, longest); }
  bool equal() const { return left_ > 0; }
  /// After an equal step: whether another one is to follow.
  bool go_on() { return --left_ > 0; }
  void memory(Memory& m) {
    m(steps_, left_, block_, since_);
    m.require(steps_ >= 0 && steps_ <= count_ && left_ >= 0 && block_ >= shortest && block_ <= longest);
  }

 private:
  static constexpr int shortest = 1000, longest = 64000;
  int count_;
  double length_, since_ = 0;  // since: the end of the first step that counts
  int steps_ = 0, left_ = 0, block_ = shortest;
};

}  // namespace saltus
