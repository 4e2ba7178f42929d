// The tree of a scene: scalars, lists and maps that know where they stand in the text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/scene/complaints.hpp"

namespace saltus {

struct SceneNode {
  enum class Kind : std::uint8_t { null, scalar, list, map };
  Kind kind = Kind::null;
  Place place;
  std::string text;               ///< of a scalar
  std::vector<SceneNode> items;   ///< of a list or a map
  std::vector<std::string> keys;  ///< of a map, one per item
  std::vector<Place> key_places;

  const SceneNode* find(std::string_view key) const;
  SceneNode* find(std::string_view key);
  SceneNode& entry(std::string_view key);  ///< of a map; made when it is missing
};
std::string describe(const SceneNode& node);  ///< "a list", "'abc'", for messages

inline constexpr std::size_t largest_scene = 1'000'000;  ///< bytes
inline constexpr int deepest_scene = 24;                 ///< lists and maps in each other
inline constexpr int most_scene_values = 50'000;         ///< scalars, lists and maps
inline constexpr std::size_t longest_name = 200;         ///< characters

}  // namespace saltus
