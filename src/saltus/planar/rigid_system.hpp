// Rigid bodies of the plane under gravity: points, disks, convex polygons, in contact with each other and
// with fixed or turning obstacles (disks, polygons, half-planes, drums). A point has the coordinates x, y,
// others x, y, θ, one body after the other. The geometry is in rigid_touch.hpp.
//
// With few bodies the list of contacts holds all pairs and never changes. With more, those within `margin`
// are listed, found by a uniform grid in linear time; bodies much larger than the others, and half-planes and
// drums, are compared with all. A contact has a persistent id (pair, feature).
//
// Pairs of compliant materials are in no list: while they overlap they push, h += ∇g λ(−g, −ġ), one force per
// feature, two polygons with one more for the area of their overlap (rigid_forces.cpp).
#pragma once
#include "saltus/core/error.hpp"
#include "saltus/planar/few_bodies.hpp"
#include "saltus/planar/material.hpp"
#include "saltus/planar/overlap.hpp"
#include "saltus/planar/passage.hpp"
#include "saltus/planar/reaches.hpp"
#include "saltus/planar/rigid_touch.hpp"
#include "saltus/system/viscoelastic.hpp"

namespace saltus {

struct RigidBody {
  enum class Shape : std::uint8_t { round, polygon, plane, drum };  ///< plane: y > 0 of its frame is free
  std::string name;
  Shape shape = Shape::round;
  double radius = 0;             ///< of a disk or a drum; 0: a point
  std::vector<Vec2> corners;     ///< about the centre of mass, against the clock
  double mass = 0, inertia = 0;  ///< mass 0: fixed, or moved as `motion` says
  Vec2 start{0, 0};              ///< fixed: its centre
  double angle = 0;              ///< fixed: its turn
  Motion motion = {};
  int material = 0;
  int group = -1;  ///< bodies of one group ≥ 0 do not touch each other
  bool touches = true;
  int colour = 0;  ///< of pictures

  bool fixed() const { return !(mass > 0); }
  bool turns() const { return radius > 0 || !corners.empty(); }
  int coordinates() const { return fixed() ? 0 : turns() ? 3 : 2; }
};

class RigidSystem final : public System, public ViscoelasticSystem {
 public:
  struct Data {
    std::vector<RigidBody> bodies;
    MaterialTable materials;
    Vec2 gravity{0, -9.81};
    std::vector<std::pair<int, int>> apart;  ///< pairs that do not touch (linked bodies)
    /// Pairs farther apart, and farther than ContactSet::look_ahead, are not listed; 0: a tenth of the
    /// smallest body that moves.
    double margin = 0;
    std::vector<Parameter> parameters;  ///< that these numbers were made with
    int few = few_bodies;               ///< so many bodies, and all pairs are listed
  };
  /// Throws Error naming the body; MaterialClash.
  explicit RigidSystem(Data data);

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Room>(); }
  saltus::Shape shape() const override;
  std::span<const Parameter> parameters() const override { return data_.parameters; }
  std::span<const Law> laws() const override {
    return rigid_ ? data_.materials.laws() : std::span<const Law>();
  }
  void mass(double t, In q, Matrix& M, Workspace& w) const override;
  void force(double t, In q, In u, Out h, Workspace& w) const override;
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const override;
  std::span<const Contact> contacts() const override { return contacts_; }
  void list(double t, In q, ContactSet& out, Workspace& w) const override;
  void gaps(double t, In q, ContactSet& out, Workspace& w) const override;
  double closing_speed(In u) const override;
  bool passes(double t0, In q0, double t1, In q1, double share, Passage& out) const override;
  void directions(double t, In q, ContactSet& out, Workspace& w) const override;
  void bias(double t, In q, In u, ContactSet& out, Workspace& w) const override;
  void kinks(double t, In q, In u, std::vector<Kink>& out, Workspace& w) const override;
  /// Of bodies beside walls that stand still; else null.
  const ViscoelasticSystem* viscoelastic() const { return still_ ? this : nullptr; }
  const System& mechanical() const override { return *this; }
  Viscosity viscosity() const override { return viscosity_; }
  void contact_force(double t, In q, Out f, Workspace& w) const override;
  void contact_jacobian(double t, In q, Matrix& K, Workspace& w) const override;
  void momentum(double t, In q, Out S, Workspace& w) const override;
  double turning(double t, In q, In u, Workspace& w) const override;
  double potential(double t, In q, Workspace& w) const override;
  double energy(double t, In q, In u, Workspace& w) const override;
  Powers powers() const override { return compliant_ ? Powers::known : Powers::none; }
  Power power(double t, In q, In u, Workspace& w) const override;
  double thickness(std::uint64_t contact) const override;
  std::string contact_name(std::uint64_t id) const override;
  bool sketch(double t, In q, Sketch& out) const override;

  const Data& data() const { return data_; }
  int coordinates() const { return n_; }
  int first(int body) const { return first_[body]; }
  bool lists_all_pairs() const { return all_pairs_; }

 private:
  struct Room : Workspace {
    std::vector<Frame> frames;
    std::vector<double> centres;    // of the small bodies, for the grid
    std::vector<int> cells;         // of the grid
    Reaches reaches;                // of the small bodies, by their place in small_
    std::vector<double> large_way;  // the same of the large ones
    OverlapRoom overlap;
    /// Where the contacts of a list touch, at the place that was asked last: gaps, directions and bias are
    /// asked in turn at one place.
    struct Known {
      Touch touch;
      int a, b;
    };
    std::vector<Known> touches;
    std::vector<std::uint64_t> ids;
    std::vector<double> place;  // q, then t
    bool sharp = false;         // see ContactSet
  };
  struct Geometry {  // of a body, made once
    std::vector<PolygonSide> sides;
    double reach = 0, favour = 0;  // radius of the circle around it
    double side = 0;               // of a polygon: a quarter of its perimeter
    bool large = false;            // compared with all others
    double width = 0;              // how thick it is where it is thinnest
  };
  struct Partners {
    int i, j, feature;
  };
  struct BestSide {  // of b against the corners of a, found once for a pair
    int pair = -1, side = 0;
    double depth = 0;  // of bodies that overlap
    Vec2 apart{0, 0};  // the way of a on which they come apart soonest
  };
  Partners partners(std::uint64_t id) const;
  std::uint64_t id_of(int i, int j, int feature) const;
  int features(int i, int j) const;  // contacts of a pair; 0: it does not touch
  int law_of(int i, int j) const {
    return data_.materials.law(data_.bodies[i].material, data_.bodies[j].material);
  }
  void frames(double t, In q, const double* u, std::vector<Frame>& out) const;
  int number_rows(std::vector<Contact>& contacts) const;
  std::vector<Contact> all_contacts() const;
  void find_gaps(double t, In q, Room& room, ContactSet& out) const;
  /// The touch of a feature with the bodies it is between: a, b.
  Touch touch(const std::vector<Frame>& frames, const Partners& p, int& a, int& b, bool sharp,
              BestSide& known) const;
  void find_best_side(const Frame& fa, const Frame& fb, int a, int b, BestSide& known) const;
  Touch corner_touch_of(const std::vector<Frame>& frames, int a, int corner, int b, bool sharp,
                        BestSide& known) const;
  const std::vector<Room::Known>& touches(double t, In q, const ContactSet& set, Room& room) const;
  template <class Visit>
  void for_each_touch(double t, In q, const ContactSet& set, Room& room, Visit&& visit) const;
  static Frame fixed_frame(const RigidBody& body, double t);
  Way way(int body, double t0, In q0, double t1, In q1) const;
  bool is_fast(int body, const Way& way, double share) const;
  bool pair_passes(int i, int j, const Way& a, const Way& b, double share, Passage& out) const;
  bool corner_passes(int i, int j, const Way& a, const Way& b, double travel, double share) const;
  bool near(const std::vector<Frame>& frames, int i, int j, double margin) const;
  /// visit(i, j, margin) for all pairs of bodies that can be within the margin, in no special order: that of
  /// room.reaches, and `far` where one of them is large and velocities are not known.
  template <class Visit>
  void for_each_near_pair(const std::vector<Frame>& frames, double far, Room& room, Visit&& visit) const;
  double speed_of(int body, const double* u) const;
  void find_reaches(const ContactSet& set, Room& room) const;
  void list_pair(const std::vector<Frame>& frames, int i, int j, double margin, ContactSet& out) const;
  void list_near(Room& room, ContactSet& out) const;
  /// Bodies a and b that press: gradient and Hessian of their gap −overlap, their velocities.
  struct Pressing {
    int a, b;
    double overlap;
    TouchVector w, velocity;
    TouchMatrix H;
  };
  Touch soft_touch(const std::vector<Frame>& frames, const Partners& p, int& a, int& b) const;
  /// visit(i, j, margin) for all pairs that can press.
  template <class Visit>
  void for_each_soft_pair(Room& room, Visit&& visit) const;
  /// visit(pressing, compliance) for every compliant pair of polygons that overlaps, and every feature of
  /// other pairs that does (u null: no velocities; H only where second derivatives are wanted)
  template <class Visit>
  void for_each_push(double t, In q, const double* u, bool second, Room& room, Visit&& visit) const;
  void find_kinds();
  template <class Value>
  void add_along(double t, In q, Out f, Room& room, Value&& value) const;
  Pattern pattern_of_pushes() const;
  void places_of(int a, int b, int (&at)[6]) const;

  Data data_;
  std::vector<Geometry> geometry_;
  std::vector<int> first_, large_, small_;
  std::vector<Contact> contacts_;  // where all pairs are listed
  int n_ = 0, most_features_ = 1;
  bool all_pairs_ = true, rigid_ = false, compliant_ = false;  // the kinds of pairs there can be
  bool still_ = true;                                          // nothing that is fixed moves
  Viscosity viscosity_;
  Pattern jacobian_{Pattern::diagonal, 0, nullptr};
  double cell_ = 1, size_ = 0;  // of the grid, without a margin; the diameter of a typical body
  double thinnest_ = infinity;  // the smallest width of a body that has one
};

}  // namespace saltus
