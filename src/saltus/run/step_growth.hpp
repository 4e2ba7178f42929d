// When a step that was accurate may become longer.
#pragma once
#include <algorithm>

#include "saltus/run/memory.hpp"

namespace saltus {

/// Where accuracy or stability limits the step for long, every second try with twice the length is lost.
/// Lengths that were too long `patience` times in a row are therefore tried again after 1, 2, 4, … accepted
/// steps only, `longest` at most.
class StepGrowth {
 public:
  /// After an accepted step: whether the next one is longer.
  bool grow() {
    if (grown_) failures_ = 0;
    grown_ = wait_ == 0;
    if (wait_ > 0) --wait_;
    return grown_;
  }
  /// A step missed the tolerance.
  void missed() {
    if (!grown_) return;
    grown_ = false;
    failures_ = std::min(failures_ + 1, patience + 10);
    if (failures_ > patience) wait_ = std::min(longest, 1 << (failures_ - patience - 1));
  }
  /// Steps are as short as they are for another reason.
  void forget() { *this = {}; }
  void memory(Memory& m) {
    m(grown_, failures_, wait_);
    m.require(failures_ >= 0 && failures_ <= patience + 10 && wait_ >= 0 && wait_ <= longest);
  }

 private:
  static constexpr int patience = 30, longest = 16;
  bool grown_ = false;  // the next step is longer than the accepted one
  int failures_ = 0, wait_ = 0;
};

}  // namespace saltus
