// Two jobs of which the second follows the first and uses what that has got so far. Threads are in
// core/threads/thread_tandem.hpp.
#pragma once
#include <functional>

namespace saltus {

/// A lock on what both jobs use, too.
class Tandem {
 public:
  virtual ~Tandem() = default;
  /// first() in the calling thread, second() beside it; returns when both are done. What first throws comes
  /// out then; second does not throw, and ends soon when first has.
  virtual void run(const std::function<void()>& first, const std::function<void()>& second) = 0;
  virtual void lock() = 0;
  virtual void unlock() = 0;
  /// By the second, which has the lock: gives it away until wake() by the first.
  virtual void wait() = 0;
  virtual void wake() = 0;
};

}  // namespace saltus
