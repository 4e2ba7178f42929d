// Builds the tree of a scene from what a parser of YAML meets, one call each, in the order of the text.
// Limits and refusals are here, so that they hold while the text is read, whichever parser reads it.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/scene/node.hpp"

namespace saltus {

class TreeBuilder {
 public:
  /// Thrown where nothing is read on.
  struct Refusal {
    Place place;
    std::string message, path = {};
  };
  /// What stands before a value. Tags as YAML has them: "?" of a plain scalar or none, "!" of a quoted one.
  struct Mark {
    Place place;
    std::string_view tag;
    bool anchored = false;
  };

  void begin_document();  ///< the parser goes on until wants_document() says no
  void end_document() { ++complete_; }
  void null(const Mark& m) { leaf(m, SceneNode::Kind::null, {}); }
  void scalar(const Mark& m, const std::string& text);
  [[noreturn]] void alias(Place place);
  void begin_list(const Mark& m) { open(m, SceneNode::Kind::list); }
  void begin_map(const Mark& m) { open(m, SceneNode::Kind::map); }
  void end();  ///< of the last list or map that is open

  bool wants_document() const { return complete_ < 2; }  ///< the second is read to be refused
  int complete() const { return complete_; }             ///< documents that were read to their end
  SceneNode root;                                        ///< of the first
  Place second;                                          ///< where the second begins
  std::vector<Refusal> repeated;                         ///< keys of the first that were given twice

 private:
  struct Level {
    SceneNode node;
    bool has_key = false, skip = false;  // skip: the value of a key that is given twice
    std::set<std::string> seen = {};     // keys
  };
  std::string path() const;  // of the value that comes next
  bool wants_key() const {
    return !levels_.empty() && levels_.back().node.kind == SceneNode::Kind::map && !levels_.back().has_key;
  }
  void check(const Mark& m);
  void leaf(const Mark& m, SceneNode::Kind kind, const std::string& text);
  void open(const Mark& m, SceneNode::Kind kind);
  void put(SceneNode n);

  std::vector<Level> levels_;
  int values_ = 0, complete_ = 0;
};

}  // namespace saltus
