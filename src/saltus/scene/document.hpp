// The text of a scene as a tree of scalars, lists and maps that know where they stand. A scene is data:
// anchors, tags and anything too large or too deep are refused.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// From 1; line 0: given on the command line.
struct Place {
  int line = 0, column = 0;
};

/// All that is wrong with a scene, in the order of the file.
class Complaints {
 public:
  struct Complaint {
    Place place;
    std::string path, message;
  };
  static constexpr std::size_t most = 100;
  static constexpr std::string_view unknown_field = "unknown field";  ///< begins such a message
  struct Enough {};  ///< thrown where there are more: nobody reads on
  void add(Place place, std::string path, std::string message);  ///< nothing is told twice
  bool empty() const { return list_.empty(); }
  bool about(std::string_view path) const;  ///< whether something is wrong with this, or below it
  /// Whether something may be missing from `path` because it is misspelt or of the wrong kind there.
  bool about_field(std::string_view path, std::string_view field) const;
  /// Whether all there is lies in these sections of the file.
  bool only_in(std::span<const std::string_view> sections) const;
  const std::vector<Complaint>& list() const { return list_; }
  /// Throws Error with "file:line:column: path: message" for each, if there are any.
  void raise(std::string_view file) const;

 private:
  std::vector<Complaint> list_;
};

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

/// The one document in the text; nothing, and a complaint, when it cannot be read.
std::optional<SceneNode> parse_scene_text(std::string_view text, Complaints& complaints);

/// Sets one field: "path.to.field=value", the value as in a file; a number in a path is an index of a list.
void set_in_scene(SceneNode& root, std::string_view assignment, Complaints& complaints);

}  // namespace saltus
