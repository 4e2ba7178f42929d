// Sets of contacts as increasing lists of their ids.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace saltus {

inline bool contains(const std::vector<std::uint64_t>& ids, std::uint64_t id) {
  return std::binary_search(ids.begin(), ids.end(), id);
}
inline void insert(std::vector<std::uint64_t>& ids, std::uint64_t id) {
  const auto at = std::lower_bound(ids.begin(), ids.end(), id);
  if (at == ids.end() || *at != id) ids.insert(at, id);
}

}  // namespace saltus
