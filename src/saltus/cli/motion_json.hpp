// The picture of a run for players: shapes as JSON, numbers as arrays.
#pragma once
#include <span>
#include <string>

#include "saltus/cli/json.hpp"
#include "saltus/picture/motion.hpp"

namespace saltus::cli {

/// Shapes, box and note, without the arrays.
Json to_json(const MovingPicture& motion);

/// Numbers as base64 of their bytes, little-endian.
std::string base64(std::span<const unsigned char> bytes);
template <class T>
std::string base64_of(const std::vector<T>& numbers) {
  return base64({reinterpret_cast<const unsigned char*>(numbers.data()), numbers.size() * sizeof(T)});
}

}  // namespace saltus::cli
