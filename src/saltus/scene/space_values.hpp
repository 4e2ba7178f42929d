// Vectors and orientations of bodies in space, from the lists of numbers of a scene.
#pragma once
#include "saltus/scene/compiler.hpp"
#include "saltus/spatial/rotation.hpp"

namespace saltus {

class SpaceValues {
 public:
  using Values = std::vector<Value>;
  explicit SpaceValues(SceneCompiler& compiler) : c_(compiler) {}

  /// Whether a list has n numbers; complains at its place, or at that of `here` where it is empty.
  bool has(const Values& v, std::size_t n, const Word& here, std::string_view what);
  Vec3 vector_of(const Word& here, const Values& v, const Vec3& missing = Vec3::Zero());
  /// Of the field `name` of what is at `here`.
  Vec3 vector_of(const Word& here, std::string_view name, const Values& v,
                 const Vec3& missing = Vec3::Zero());
  /// Of length 1; z after a complaint.
  Vec3 direction_of(const Word& here, std::string_view name, const Values& v, const Vec3& missing);
  Rotation turn_of(const SceneTurn& s, const Word& here);
  static Word field(const Word& here, std::string_view name);

 protected:
  SceneCompiler& c_;

 private:
  Rotation turn_of_matrix(const SceneTurn& s, const Word& here);
};

}  // namespace saltus
