// One process at a time writes a file.
#pragma once
#include <string>

namespace saltus {

/// Whether another opening of the file holds the lock of lock_descriptor().
bool is_locked(const std::string& file);

/// Locks an open file until its descriptor is closed; false when another opening of it has the lock.
bool lock_descriptor(int descriptor);

/// The right to make a file of that name: `NAME.lock` beside it, which is there only as long as this object.
/// A killed process leaves it behind without a lock on it; the next one reuses it. Throws Error when it
/// cannot be made, or another process has it.
class NameLock {
 public:
  explicit NameLock(const std::string& file);
  ~NameLock();
  NameLock(const NameLock&) = delete;
  NameLock& operator=(const NameLock&) = delete;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace saltus
