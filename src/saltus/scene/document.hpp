// The text of a scene as a tree of scalars, lists and maps that know where they stand. A scene is data:
// anchors, tags and anything too large or too deep are refused.
#pragma once
#include <optional>
#include <string_view>

#include "saltus/scene/complaints.hpp"
#include "saltus/scene/node.hpp"

namespace saltus {

/// The one document in the text; nothing, and a complaint, when it cannot be read.
std::optional<SceneNode> parse_scene_text(std::string_view text, Complaints& complaints);

/// Sets one field: "path.to.field=value", the value as in a file; a number in a path is an index of a list.
void set_in_scene(SceneNode& root, std::string_view assignment, Complaints& complaints);

/// The unit of the number at a path of the text, as written ("cm"); empty where there is none.
std::string unit_in_scene(std::string_view text, const std::string& path);

}  // namespace saltus
