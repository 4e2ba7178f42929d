// JSON as commands print it: keys in the order in which they are written.
#pragma once
#include <cmath>
#include <nlohmann/json.hpp>

namespace saltus::cli {

using Json = nlohmann::ordered_json;

/// Null when it is not finite.
inline Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}
/// The same of each entry.
template <class Block>
Json numbers(const Block& x) {
  Json out = Json::array();
  for (const double v : x) out.push_back(number(v));
  return out;
}

}  // namespace saltus::cli
