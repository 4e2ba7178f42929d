// Reads the section `space` of a scene: bodies and walls (space.cpp), their shapes (space_shapes.cpp),
// joints, springs and gears (space_joints.cpp), groups and containers (space_groups.cpp).
#pragma once
#include <set>

#include "saltus/scene/materials.hpp"
#include "saltus/scene/space.hpp"
#include "saltus/scene/space_values.hpp"

namespace saltus {

class SpaceReader : SpaceValues {
 public:
  explicit SpaceReader(SceneCompiler& c)
      : SpaceValues(c), scene_(*c.scene().space), materials_(materials_of(c)) {}
  SpaceOfScene read();

 private:
  void refuse_others();
  void name(const std::string& name, Place place, std::string_view section);
  void body(const SceneSpaceBody& s, const Word& here);
  double positive(const Value& v, const Word& here, std::string_view name, std::string_view owner);
  struct Solid {
    std::vector<SpaceShape> shapes;
    MassProperties mass;  // of density 1; none: it has no volume
    bool has_volume() const { return mass.mass > 0; }
  };
  Solid shape(const SceneSpaceBody& s, const Word& here);
  Solid parts(const SceneSpaceBody& s, const Word& here);
  Solid solid(const SceneSolid& s, const Word& here, bool fixed);
  SpaceShape simple(const SceneSolid& s, const Word& here);
  std::vector<SpaceShape> surface(const SceneSolid& s, const Word& here, bool fixed);
  void check_fields(const SceneSolid& s);
  std::vector<Vec3> points(const SceneSolid& s, const Word& here);
  Vec3 lengths(const Values& v, const Word& here, std::string_view name, std::string_view owner);
  void inertia(const SceneSpaceBody& s, const Word& here, const Solid& solid, SpaceBody& b);
  bool is_plain(const Formula& f, bool time) const;
  Vec3 load(const Word& here, std::string_view name, const Values& v, SpacePush::On on, bool fixed);
  int material(const Word& w);
  void group(const SceneSpaceGroup& s, const Word& here);
  std::vector<Vec3> grid(const SceneSpaceGrid& s, const Vec3& first, const Word& here);
  void pack(const SceneSpacePacking& s, const Word& here);
  void box(const SceneSpaceBox& s, const Word& here);
  bool corners(const Values& lower, const Values& upper, const Word& here, Vec3& low, Vec3& high);
  void wall(const SceneSpaceWall& w, const Word& here);
  int find_body(const Word& w);
  Vec3 in_frame(int body, const Vec3& point) const;
  void links();
  void joint(const SceneSpaceJoint& s, const Word& here);
  void joint_axes(const SceneSpaceJoint& s, const Word& here, SpaceJoint& j);
  void action(const SceneJointAction& s, const Word& here, JointCoordinate what);
  SpaceMotion::Along time_formula(const Formula& f);
  double scale_of(const SpaceJoint& j) const;
  void spring(const SceneSpaceSpring& s, const Word& here);
  void gear(const SceneSpaceGear& s, const Word& here);
  int find_action(const Word& w);
  void make(SpaceOfScene& out);
  void check_assembly(SpaceOfScene& out);

  struct Start {
    Rotation turn;
    Vec3 velocity{0, 0, 0}, spin{0, 0, 0};  // spin in the frame of the body
  };
  const SceneSpace& scene_;
  Materials materials_;
  SpatialSystem::Data data_;
  std::vector<Start> starts_;
  std::set<std::string> names_;
  std::vector<std::string> groups_;
  std::vector<SpacePush> pushes_;
  int ground_ = -1;
};

}  // namespace saltus
