// Gaps and slips of rigid bodies of the plane as formulas.
#pragma once
#include "saltus/formula/formula_system.hpp"
#include "saltus/planar/boundary.hpp"
#include "saltus/planar/material.hpp"
#include "saltus/scene/scene.hpp"

namespace saltus {

struct PlanarBody {
  std::string name = "ground";
  int first = -1;  ///< its first coordinate; −1: fixed
  bool turns = false;
  double radius = 0, mass = 0, inertia = 0, area = 0, second = 0, angle = 0;  ///< angle, start: at the start
  Vec2 start{0, 0};
  std::vector<Vec2> corners;  ///< about the centre of mass, against the clock; none: disk or point
  Word material;
  int surface = 0;
  bool fixed() const { return first < 0; }
};

struct PlanePoint {
  Graph::Id x, y;
};

/// Points and velocities of bodies as nodes.
struct PlaneFormulas {
  Graph& g;
  FormulaInputs in;
  using Id = Graph::Id;

  PlanePoint constant(const Vec2& p) { return {g.number(p[0]), g.number(p[1])}; }
  PlanePoint minus(PlanePoint a, PlanePoint b) { return {g.subtract(a.x, b.x), g.subtract(a.y, b.y)}; }
  PlanePoint plus(PlanePoint a, PlanePoint b) { return {g.add(a.x, b.x), g.add(a.y, b.y)}; }
  PlanePoint scaled(Id s, PlanePoint a) { return {g.multiply(s, a.x), g.multiply(s, a.y)}; }
  PlanePoint left(PlanePoint a) { return {g.make(Graph::Op::negate, a.y, a.y), a.x}; }
  PlanePoint choose(Id condition, PlanePoint a, PlanePoint b) {
    return {g.make(Graph::Op::select, a.x, b.x, condition), g.make(Graph::Op::select, a.y, b.y, condition)};
  }
  Id dot(PlanePoint a, PlanePoint b) { return g.add(g.multiply(a.x, b.x), g.multiply(a.y, b.y)); }

  PlanePoint centre(const PlanarBody& b) {
    return b.fixed() ? constant(b.start) : PlanePoint{g.input(in.q(b.first)), g.input(in.q(b.first + 1))};
  }
  Id angle(const PlanarBody& b) { return b.turns ? g.input(in.q(b.first + 2)) : g.number(b.angle); }
  Id cosine(const PlanarBody& b) { return g.make(Graph::Op::cos, angle(b), angle(b)); }
  Id sine(const PlanarBody& b) { return g.make(Graph::Op::sin, angle(b), angle(b)); }
  PlanePoint turned(const PlanarBody& b, PlanePoint p) {
    const Id c = cosine(b), s = sine(b);
    return {g.subtract(g.multiply(c, p.x), g.multiply(s, p.y)),
            g.add(g.multiply(s, p.x), g.multiply(c, p.y))};
  }
  PlanePoint turned(const PlanarBody& b, const Vec2& p) { return turned(b, constant(p)); }
  PlanePoint point(const PlanarBody& b, const Vec2& p) { return plus(centre(b), turned(b, p)); }
  /// In the frame of b.
  PlanePoint seen_from(const PlanarBody& b, PlanePoint p) {
    const PlanePoint r = minus(p, centre(b));
    const Id c = cosine(b), s = sine(b);
    return {g.add(g.multiply(c, r.x), g.multiply(s, r.y)),
            g.subtract(g.multiply(c, r.y), g.multiply(s, r.x))};
  }
  /// Of the material point of b that is at p.
  PlanePoint velocity(const PlanarBody& b, PlanePoint p) {
    if (b.fixed()) return constant({0, 0});
    const PlanePoint v{g.input(in.u(b.first)), g.input(in.u(b.first + 1))};
    return b.turns ? plus(v, scaled(g.input(in.u(b.first + 2)), left(minus(p, centre(b))))) : v;
  }
};

class BodyContacts {
 public:
  BodyContacts(Graph& g, FormulaData& d, const MaterialTable& table)
      : d_(d), g_(g), f_{g, d.in}, table_(table) {}

  /// All of b against the half-plane through `point` with the unit normal away from it.
  void wall(const PlanarBody& b, const std::string& name, const Vec2& point, const Vec2& normal, int surface);
  void pair(const PlanarBody& a, const PlanarBody& b);

 private:
  using Id = Graph::Id;
  void disks(const PlanarBody& a, const PlanarBody& b);
  void disk_polygon(const PlanarBody& disk, const PlanarBody& polygon);
  void corners(const PlanarBody& a, const PlanarBody& b);  // corners of a against the sides of b
  /// Where a touches b (or a wall, null) at the point, with this tangent.
  void add(std::string name, Id gap, PlanePoint tangent, PlanePoint at, const PlanarBody& a,
           const PlanarBody* b, int surface_b);

  FormulaData& d_;
  Graph& g_;
  PlaneFormulas f_;
  const MaterialTable& table_;
};

}  // namespace saltus
