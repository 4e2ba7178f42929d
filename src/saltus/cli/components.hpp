// Which coordinates are shown: 0,5,10 or, of a scene, by their names.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace saltus::cli {

/// Indices below n. Throws Error naming the option.
std::vector<int> parse_components(const std::string& text, std::span<const std::string> names, std::int64_t n,
                                  std::string_view option = "--components");

}  // namespace saltus::cli
