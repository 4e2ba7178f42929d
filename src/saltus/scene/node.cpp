#include "saltus/scene/node.hpp"

#include <utility>

namespace saltus {

const SceneNode* SceneNode::find(std::string_view key) const {
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (keys[k] == key) return &items[k];
  return nullptr;
}
SceneNode* SceneNode::find(std::string_view key) {
  return const_cast<SceneNode*>(std::as_const(*this).find(key));
}
SceneNode& SceneNode::entry(std::string_view key) {
  if (SceneNode* known = find(key)) return *known;
  keys.emplace_back(key);
  key_places.push_back({});
  return items.emplace_back();
}

std::string describe(const SceneNode& n) {
  switch (n.kind) {
    case SceneNode::Kind::null:
      return "nothing";
    case SceneNode::Kind::scalar:
      return fmt::format("'{}{}'", std::string_view(n.text).substr(0, 60), n.text.size() > 60 ? "…" : "");
    case SceneNode::Kind::list:
      return "a list";
    case SceneNode::Kind::map:
      return "a map";
  }
  return "?";
}

}  // namespace saltus
