// Points of rigid bodies as nodes of the graph: links, springs and motors are written with them.
#pragma once
#include "saltus/formula/formula_system.hpp"
#include "saltus/planar/rigid_system.hpp"

namespace saltus {

/// A body of a scene: the rigid body, its start velocity, and its first coordinate among all (−1: fixed).
struct SceneRigid {
  RigidBody body;
  Vec2 velocity{0, 0};
  double spin = 0;
  bool velocity_given = false, spin_given = false;
  int first = -1;
};

struct PlanePoint {
  Graph::Id x, y;
};

struct PlaneFormulas {
  Graph& g;
  FormulaInputs in;
  using Id = Graph::Id;

  PlanePoint constant(const Vec2& p) { return {g.number(p[0]), g.number(p[1])}; }
  PlanePoint minus(PlanePoint a, PlanePoint b) { return {g.subtract(a.x, b.x), g.subtract(a.y, b.y)}; }
  PlanePoint plus(PlanePoint a, PlanePoint b) { return {g.add(a.x, b.x), g.add(a.y, b.y)}; }
  PlanePoint scaled(Id s, PlanePoint a) { return {g.multiply(s, a.x), g.multiply(s, a.y)}; }
  Id dot(PlanePoint a, PlanePoint b) { return g.add(g.multiply(a.x, b.x), g.multiply(a.y, b.y)); }
  Id length(PlanePoint a) { return g.make(Graph::Op::hypot, a.x, a.y); }
  PlanePoint turned(Id angle, PlanePoint p) {
    const Id c = g.make(Graph::Op::cos, angle, angle), s = g.make(Graph::Op::sin, angle, angle);
    return {g.subtract(g.multiply(c, p.x), g.multiply(s, p.y)),
            g.add(g.multiply(s, p.x), g.multiply(c, p.y))};
  }

  PlanePoint centre(const SceneRigid& b) {
    if (b.first >= 0) return {g.input(in.q(b.first)), g.input(in.q(b.first + 1))};
    const Motion& m = b.body.motion;
    const PlanePoint arm = turned(g.multiply(g.number(m.omega), since(m)), constant(b.body.start - m.pivot));
    return plus(plus(constant(m.pivot), arm), scaled(since(m), constant(m.velocity)));
  }
  Id angle(const SceneRigid& b) {
    if (b.first >= 0) return b.body.turns() ? g.input(in.q(b.first + 2)) : g.number(b.body.angle);
    return g.add(g.number(b.body.angle), g.multiply(g.number(b.body.motion.omega), since(b.body.motion)));
  }
  /// Directions and points that are fixed to the body, given in its frame.
  PlanePoint direction(const SceneRigid& b, const Vec2& p) { return turned(angle(b), constant(p)); }
  PlanePoint point(const SceneRigid& b, const Vec2& p) { return plus(centre(b), direction(b, p)); }

 private:
  Id since(const Motion& m) {  // the time since the motion began
    if (m.omega == 0 && m.velocity == Vec2{0, 0}) return g.number(0);
    return g.make(Graph::Op::max, g.subtract(g.input(in.t()), g.number(m.start)), g.number(0));
  }
};

}  // namespace saltus
