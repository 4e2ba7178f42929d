#include "saltus/scene/tree_builder.hpp"

#include "saltus/core/error.hpp"

namespace saltus {

void TreeBuilder::begin_document() {
  levels_.clear();
  values_ = 0;
}

void TreeBuilder::scalar(const Mark& m, const std::string& text) {
  const bool null = m.tag == "?" && (text.empty() || text == "~" || text == "null");
  leaf(m, null ? SceneNode::Kind::null : SceneNode::Kind::scalar, text);
}

void TreeBuilder::alias(Place place) {
  throw Refusal{place, "aliases (*name) are not read: write the value out, or use a parameter"};
}

std::string TreeBuilder::path() const {
  std::string out;
  for (const Level& l : levels_)
    out += fmt::format(
        "{}{}", out.empty() ? "" : ".",
        l.node.kind == SceneNode::Kind::map ? l.node.keys.back() : std::to_string(l.node.items.size()));
  return out;
}

void TreeBuilder::check(const Mark& m) {
  if (++values_ > most_scene_values)
    throw Refusal{m.place, fmt::format("more than {} values are too many", most_scene_values)};
  if (m.anchored) throw Refusal{m.place, "anchors (&name) are not read: use a parameter"};
  if (!m.tag.empty() && m.tag != "?" && m.tag != "!")
    throw Refusal{m.place, fmt::format("the tag {} is not read: write the plain value", m.tag)};
}

void TreeBuilder::leaf(const Mark& m, SceneNode::Kind kind, const std::string& text) {
  check(m);
  if (wants_key()) {
    auto& [node, has_key, skip, seen] = levels_.back();
    if (text.size() > longest_name)
      throw Refusal{
          m.place, fmt::format("a name of {} characters is too long: at most {}", text.size(), longest_name)};
    node.keys.push_back(text);
    node.key_places.push_back(m.place);
    has_key = true;
    skip = !seen.insert(text).second;
    if (skip && complete_ == 0) repeated.push_back({m.place, "this is given twice", path()});
    return;
  }
  SceneNode n;
  n.kind = kind, n.place = m.place, n.text = text;
  put(std::move(n));
}

void TreeBuilder::open(const Mark& m, SceneNode::Kind kind) {
  check(m);
  if (wants_key()) throw Refusal{m.place, "a name is expected here, not a list or a map"};
  if (static_cast<int>(levels_.size()) >= deepest_scene)
    throw Refusal{m.place, fmt::format("nested more than {} deep", deepest_scene)};
  Level level;
  level.node.kind = kind, level.node.place = m.place;
  levels_.push_back(std::move(level));
}

void TreeBuilder::end() {
  SceneNode n = std::move(levels_.back().node);
  levels_.pop_back();
  put(std::move(n));
}

void TreeBuilder::put(SceneNode n) {
  if (levels_.empty()) {
    if (complete_ == 0)
      root = std::move(n);
    else
      second = n.place;
    return;
  }
  auto& [node, has_key, skip, seen] = levels_.back();
  if (skip)
    node.keys.pop_back(), node.key_places.pop_back();
  else
    node.items.push_back(std::move(n));
  has_key = skip = false;
}

}  // namespace saltus
