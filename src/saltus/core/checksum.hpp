// A checksum of bytes against damage, not against malice: 64-bit FNV-1a, one byte after the other. A change
// within one byte always changes it.
#pragma once
#include <cstdint>
#include <string_view>

namespace saltus {

inline constexpr std::uint64_t checksum_of_nothing = 0xcbf29ce484222325;

/// Of `bytes` after what `before` already covers.
constexpr std::uint64_t checksum(std::string_view bytes, std::uint64_t before = checksum_of_nothing) {
  for (const char c : bytes) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return before;
}

}  // namespace saltus
