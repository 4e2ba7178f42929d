// Counts heap allocations between two points, through glibc's malloc. Off under sanitizers, which own malloc.
#pragma once
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define SALTUS_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SALTUS_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef SALTUS_COUNTS_ALLOCATIONS
#define SALTUS_COUNTS_ALLOCATIONS 1
#endif

namespace saltus::testing {
std::size_t allocations();
}
