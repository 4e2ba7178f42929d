#include "support/allocations.hpp"

#include <atomic>
#include <cstdlib>

namespace {
std::atomic<std::size_t> count{0};
}

namespace saltus::testing {
std::size_t allocations() {
  return count.load();
}
}  // namespace saltus::testing

#if SALTUS_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t n, std::size_t size);
void* __libc_realloc(void* p, std::size_t size);

void* malloc(std::size_t size) {
  ++count;
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  ++count;
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t size) {
  ++count;
  return __libc_realloc(p, size);
}
}
#endif
