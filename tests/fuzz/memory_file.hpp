// Bytes under a name that readers of files can open, without a disk; and what an answer must be.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "saltus/core/error.hpp"

namespace saltus::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : id_(memfd_create("input", MFD_CLOEXEC)) {
    if (id_ < 0 || ::write(id_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      std::abort();
  }
  ~MemoryFile() { ::close(id_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string name() const { return "/proc/self/fd/" + std::to_string(id_); }

 private:
  int id_;
};

/// Calls f; an Error is an answer when it says something, and not a book. Anything else goes on up, to
/// libFuzzer or the test.
template <class F>
void answered(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    const std::string_view said = e.what();
    if (said.empty() || said.size() > 1'000'000) throw std::logic_error("a message that helps nobody");
  }
}

}  // namespace saltus::fuzz
