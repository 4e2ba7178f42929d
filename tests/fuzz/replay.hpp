// The entry points of the fuzz targets, for the program that repeats what they found.
#pragma once
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

namespace saltus::fuzz {

struct Target {
  const char* name;
  int (*read)(const std::uint8_t* data, std::size_t size);
};
inline void PrintTo(const Target& target, std::ostream* out) {  // by gtest
  *out << target.name;
}
std::vector<Target> targets();

}  // namespace saltus::fuzz
