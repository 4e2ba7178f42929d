// Steps grow after every success. Where a stiff vibration bounds them, every second try would fail: a length
// that failed often is tried now and then only.
#pragma once
#include <algorithm>

#include "saltus/run/memory.hpp"

namespace saltus {

class LongestStep {
 public:
  /// Whether a step of length h is worth a try.
  bool allows(double h) const { return h < bound() || waited_ >= failures_ - patience; }
  void note_failure(double h) {
    if (failures_ == 0) failed_ = h;
    if (h < bound()) return;
    failures_ = std::min(failures_ + 1, patience + most_wait);
    waited_ = 0;
  }
  void note_success(double h) {
    if (h >= bound()) failures_ = 0;
    waited_ = std::min(waited_ + 1, most_wait);
  }
  void memory(Memory& m) {
    m(failed_, failures_, waited_);
    m.require(failures_ >= 0 && failures_ <= patience + most_wait && waited_ >= 0 && waited_ <= most_wait);
  }

 private:
  static constexpr int patience = 8, most_wait = 16;
  double bound() const { return failures_ > 0 ? failed_ * (1 - 1e-9) : infinity; }

  double failed_ = 0;  // the length
  int failures_ = 0, waited_ = 0;
};

}  // namespace saltus
