// What acts on the coordinates of joints (space_joint.hpp): limits, dry friction, springs, dampers, forces,
// motors and gears. Each is a row with a law of its own, or a force along the row:
//
//     limits    0 ≤ P ⊥ γ⁺ + e γ⁻ ≥ 0 on x − lower and upper − x        friction   |f| ≤ friction, against ẋ
//     motor     ẋ = speed(t), with at most so much force                follow     x = place(t)
//     gear      x₂ − ratio x₁ = const                                   force      −k (x − rest) − c ẋ + f(t)
//
// Rows of angles are multiplied by the length of their joint, so that all are lengths and forces.
#pragma once
#include "saltus/spatial/space_joint.hpp"

namespace saltus {

struct SpaceAction {
  int joint = 0;
  JointCoordinate what = JointCoordinate::angle;
  double start = 0;  ///< what the coordinate is where points and axes of both bodies coincide
  double lower = -infinity, upper = infinity, e = 0;
  double friction = 0;
  double stiffness = 0, rest = 0, damping = 0;
  std::shared_ptr<const TimeFunction> force, speed;
  double most = infinity;  ///< force of the motor that keeps `speed`
  SpaceMotion::Along follow = {};

  bool pushes() const { return stiffness != 0 || damping != 0 || force != nullptr; }
};

struct SpaceGear {
  std::string name;
  int driver = 0, driven = 0;  ///< actions
  double ratio = 1, offset = 0;
};

/// A row of velocities of up to four bodies: ∂g by displacements and (inertial) turns.
struct LinkRow {
  struct Part {
    int body = 0;
    Vec3 move{0, 0, 0}, turn{0, 0, 0};
  };
  double gap = 0, drift = 0, bias = 0;  ///< drift: of what time alone does
  int parts = 0;
  Part part[4];

  /// s times a row of a joint between two bodies; a body that is there already is not repeated.
  void add(int a, int b, const JointRow& row, double s) {
    gap += s * row.gap, bias += s * row.bias;
    add(a, s * row.move_a, s * row.turn_a), add(b, s * row.move_b, s * row.turn_b);
  }

 private:
  void add(int body, const Vec3& move, const Vec3& turn) {
    int k = 0;
    while (k < parts && part[k].body != body) ++k;
    if (k == parts) part[parts++] = {body};
    part[k].move += move, part[k].turn += turn;
  }
};

}  // namespace saltus
