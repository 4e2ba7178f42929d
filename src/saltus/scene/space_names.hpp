// What formulas may say about bodies in space, as nodes of the graph: BODY.x, BODY.vx (inertial axes),
// BODY.wx (frame of the body), BODY.axis1.x … BODY.axis3.z (its axes, inertial), BODY.spin.x (angular
// velocity, inertial), JOINT.angle, JOINT.shift, …, distance(a, b) of centres. Nodes are made where a name is
// used: scenes may have thousands of bodies.
#pragma once
#include <map>

#include "saltus/formula/formula_system.hpp"
#include "saltus/scene/units.hpp"
#include "saltus/spatial/spatial_system.hpp"

namespace saltus {

class SpaceNames {
 public:
  /// Of all bodies, coordinates and velocities from `own` on: those of other formulas come first.
  SpaceNames(const SpatialSystem& system, int own);

  struct Quantity {
    Graph::Id node = 0;
    Dimension dimension;
    bool velocity = false;
  };
  /// A name of a position or velocity; nothing: unknown. Rates NAME' too.
  std::optional<Quantity> find(Graph& g, std::string_view name);
  /// q, u and how q moves; made once.
  const FormulaInputs& inputs(Graph& g);

  /// The coordinate of a joint as a node; an angle that is counted is a coordinate of the scene.
  std::optional<Quantity> joint_coordinate(Graph& g, int joint, JointCoordinate what);
  /// τ of a moment in inertial axes, in the frame of the body.
  std::array<Graph::Id, 3> in_body(Graph& g, int body, const std::array<Graph::Id, 3>& moment);
  /// Number of the first velocity of a body; −1: it does not move.
  int velocity_of(int body) const { return frame_of_[body].u; }
  /// Names for a message: what the first bodies have.
  void add_known(std::vector<std::string>& out) const;

 private:
  using Id = Graph::Id;
  using Vector = std::array<Id, 3>;
  struct Frame {
    int q = -1, u = -1;  // among all; −1: fixed
  };
  Vector constant(Graph& g, const Vec3& x);
  Vector centre(Graph& g, int body);
  Vector axis(Graph& g, int body, int k);
  Vector direction(Graph& g, int body, const Vec3& in_frame);
  Vector point(Graph& g, int body, const Vec3& in_frame);
  Id angle(Graph& g, const SpaceJoint& j, JointCoordinate what);
  std::optional<Quantity> of_body(Graph& g, int body, std::string_view what);
  std::optional<Quantity> distance(Graph& g, std::string_view arguments);
  int body(std::string_view name) const;

  const SpatialSystem& system_;
  int own_;
  std::vector<Frame> frame_of_;
  std::map<std::string, int, std::less<>> bodies_, joints_;
  std::optional<FormulaInputs> inputs_;
};

}  // namespace saltus
