// A number that nothing else in the process has: what was made of one matrix or tape is told from what was
// made of another, where an address would be used again.
#pragma once
#include <atomic>
#include <cstdint>

namespace saltus {

inline std::uint64_t next_stamp() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace saltus
