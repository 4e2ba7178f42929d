// Rigid bodies in space under gravity, in contact with each other and with obstacles, joined and held by
// springs. A body that moves has the coordinates (x, p): its centre of mass and a unit quaternion (w, x, y,
// z) from its frame to inertial axes; and the velocities (v, ω): of the centre in inertial axes, angular in
// its own frame. With J about the centre, in the frame of the body,
//
//     m v̇ = F,   J ω̇ = (Jω)×ω + M,   ẋ = v,   ṗ = ½ p∘(0, ω)
//
// so the mass is constant. Angles of joints that are followed over whole turns are coordinates behind those
// of the bodies, without velocities of their own. Joints and what acts on their coordinates are listed always
// and come first; contacts are listed all where they are few, and else those that are near, found by a grid.
// Contacts have ids (pair, feature) that last. Pairs
// of compliant materials are in no list: while they overlap they push (spatial_soft.cpp).
#pragma once
#include <array>

#include "saltus/planar/material.hpp"
#include "saltus/spatial/space_grid.hpp"
#include "saltus/spatial/space_link.hpp"
#include "saltus/spatial/space_pair.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

struct SpaceBody {
  std::string name;
  std::vector<SpaceShape> shapes;  ///< none: nothing touches it
  double mass = 0;                 ///< 0: fixed, or moved as `motion` says
  Mat3 inertia = Mat3::Zero();
  Vec3 start{0, 0, 0};  ///< fixed: its place and turn before it moves
  Mat3 turn = Mat3::Identity();
  SpaceMotion motion = {};
  int material = 0;
  int group = -1;  ///< bodies of one group ≥ 0 do not touch each other
  bool touches = true;
  Vec3 force{0, 0, 0};   ///< that acts on it always, in inertial axes at its centre
  Vec3 torque{0, 0, 0};  ///< the same, in inertial axes

  bool fixed() const { return !(mass > 0); }
};

/// A spring and damper between points of two bodies: (k (|d| − l) + c d|d|/dt) along d.
struct SpaceSpring {
  std::string name;
  int a = 0, b = 0;
  Vec3 point_a{0, 0, 0}, point_b{0, 0, 0};  ///< in the frames of the bodies
  double stiffness = 0, damping = 0, length = 0;
};

class SpatialSystem final : public System {
 public:
  struct Data {
    std::vector<SpaceBody> bodies;
    std::vector<SpaceJoint> joints;
    std::vector<SpaceSpring> springs;
    std::vector<SpaceAction> actions;
    std::vector<SpaceGear> gears;
    MaterialTable materials;
    Vec3 gravity{0, 0, -9.81};
    std::vector<std::pair<int, int>> apart;  ///< pairs that do not touch
    double margin = 0;                       ///< see RigidSystem
    std::vector<Parameter> parameters;
    int few = 64;  ///< so many contacts, and all are listed
  };
  /// Throws Error naming the body or joint.
  explicit SpatialSystem(Data data);

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Room>(); }
  saltus::Shape shape() const override;
  std::span<const Parameter> parameters() const override { return data_.parameters; }
  std::span<const Law> laws() const override { return laws_; }
  void mass(double t, In q, Matrix& M, Workspace& w) const override;
  void force(double t, In q, In u, Out h, Workspace& w) const override;
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const override;
  std::span<const Contact> contacts() const override { return contacts_; }
  void list(double t, In q, ContactSet& out, Workspace& w) const override;
  void gaps(double t, In q, ContactSet& out, Workspace& w) const override;
  void directions(double t, In q, ContactSet& out, Workspace& w) const override;
  void bias(double t, In q, In u, ContactSet& out, Workspace& w) const override;
  void retract(In q, In v, Out out) const override;
  void difference(In q, In p, Out v) const override;
  void lift(In v, In u, Out out) const override;
  void push(In v, In x, Out out) const override;
  void sizes(In q, Out out) const override;
  std::vector<std::string> remarks() const override;
  void spin_impulse(double h, double theta, In u0, In u1, Out out) const override;
  double closing_speed(In u) const override;
  double potential(double t, In q, Workspace& w) const override;
  double energy(double t, In q, In u, Workspace& w) const override;
  void kinks(double t, In q, In u, std::vector<Kink>& out, Workspace& w) const override;
  Powers powers() const override { return damped_ || driven_ ? Powers::known : Powers::none; }
  Power power(double t, In q, In u, Workspace& w) const override;
  double thickness(std::uint64_t contact) const override;
  bool passes(double t0, In q0, double t1, In q1, double share, Passage& out) const override;
  std::string contact_name(std::uint64_t id) const override;
  bool sketch(double t, In q, Sketch& out) const override;

  const Data& data() const { return data_; }
  int bodies_moving() const { return moving_; }
  /// Number of a body among those that move; −1: it does not.
  int place_of(int body) const { return place_[body]; }
  SpaceFrame frame(int body, double t, In q, const double* u) const;
  /// An angle that is followed over whole turns, number k behind the coordinates of the bodies.
  struct Angle {
    int joint = 0;
    JointCoordinate what = JointCoordinate::angle;
    double start = 0;
  };
  std::span<const Angle> angles() const { return angles_; }
  /// The joint of a row that is held by or acts on one; −1: of a gear.
  int joint_of(std::uint64_t id) const;
  /// A gap or rate of what acts on a joint as text, in the unit of its coordinate.
  std::string in_own_unit(std::uint64_t id, double length, std::string_view per) const;
  /// Linear momentum, and angular momentum about the origin of space.
  struct Momentum {
    Vec3 linear{0, 0, 0}, angular{0, 0, 0};
  };
  Momentum momentum(In q, In u) const;
  /// A body on its way: it goes and turns straight from one frame to another.
  struct Way {
    SpaceFrame from, to;
    Vec3 dx, turn;

    Way(const SpaceFrame& a, const SpaceFrame& b);
    SpaceFrame at(double s) const;
  };

 private:
  struct Known {
    SpaceTouch touch;
    int a, b;
    bool there;
  };
  struct Room : Workspace {
    std::vector<SpaceFrame> frames;
    std::vector<Vec3> centres;
    std::vector<int> cells;
    std::vector<Known> touches;  // of the contacts at the place that was asked last
    std::vector<std::uint64_t> ids;
    std::vector<double> at;  // q, then t
    bool sharp = false;
    PairSearch search;
    struct Vertex {
      Vec3 point, n;
    };
    std::vector<Vertex> vertices;  // of the first shape of a pair that touch the second
  };
  struct Geometry {
    double reach = 0, width = 0;
    double turning = 0;  // how far a point gets where it turns by a radian: 0 of spheres at their centre
    bool large = false;
    struct Ball {
      Vec3 centre;
      double radius;
    };
    std::vector<Ball> balls = {};  // around each shape
  };
  struct Partners {
    int i, j, feature;
  };
  Partners partners(std::uint64_t id) const;
  struct Link {
    enum Kind : std::uint8_t { lower, upper, friction, motor, follow, gear };
    Kind kind;
    int index, law;  // index: of an action, or a gear
  };
  bool is_joint(std::uint64_t id) const { return id < data_.joints.size(); }
  bool is_link(std::uint64_t id) const { return !is_joint(id) && id < first_contact(); }
  std::uint64_t first_contact() const { return data_.joints.size() + links_.size(); }
  const Link& link(std::uint64_t id) const { return links_[id - data_.joints.size()]; }
  void find_angles();
  void find_links();
  int angle_at(int joint, JointCoordinate what) const;
  double angle_near(int joint, JointCoordinate what, In q) const;
  void predict_angles(In q, In v, Out out) const;
  void settle_angles(Out q) const;
  std::string link_name(const Link& link) const;
  double row_scale(const SpaceAction& a) const;
  JointRow action_row(const SpaceAction& a, In q, const std::vector<SpaceFrame>& frames) const;
  LinkRow link_row(const Link& link, double t, In q, const std::vector<SpaceFrame>& frames) const;
  void joint_rows_at(int joint, In q, const std::vector<SpaceFrame>& frames, JointRow* out) const;
  void add_actions(double t, In q, const std::vector<SpaceFrame>& frames, Out h) const;
  void add_action_jacobians(In q, const std::vector<SpaceFrame>& frames, Matrix& dq, Matrix& du) const;
  double action_potential(In q, const std::vector<SpaceFrame>& frames) const;
  void add_action_power(double t, In q, const std::vector<SpaceFrame>& frames, Power& out) const;
  bool has_springs() const { return !data_.springs.empty() || pushed_; }
  std::uint64_t id_of(int i, int j, int feature) const;
  bool may_touch(int i, int j) const;
  int features(int i, int j) const;        // contacts of a pair; 0: it does not touch
  int shape_features(int i, int j) const;  // the same if it may touch
  bool turned_loads() const;
  static constexpr int few_pairs = 16;
  Known touch(const std::vector<SpaceFrame>& frames, const Partners& p, bool sharp,
              PolytopePair& known) const;
  void check() const;
  void find_geometry();
  void find_laws();
  void find_pattern();
  void frames(double t, In q, const double* u, std::vector<SpaceFrame>& out) const;
  int number_rows(std::vector<Contact>& contacts) const;
  void add_joints(std::vector<Contact>& out) const;
  std::vector<Contact> all_contacts() const;
  bool near(const std::vector<SpaceFrame>& frames, int i, int j, double margin) const;
  bool shapes_near(const std::vector<SpaceFrame>& frames, int i, std::size_t s, int j, std::size_t x,
                   double margin) const;
  void list_pair(Room& room, int i, int j, double margin, ContactSet& out) const;
  void list_shapes(Room& room, int i, std::size_t s, int j, std::size_t x, int first, double margin, int law,
                   ContactSet& out) const;
  void list_near(Room& room, ContactSet& out) const;
  template <class Visit>  // visit(i, j, margin) for all pairs of bodies that are this near; `far`: of large
                          // ones
  void for_each_near(Room& room, double margin, double far, Visit&& visit) const {
    const auto& now = room.frames;
    const int n = static_cast<int>(small_.size());
    room.centres.resize(small_.size());
    for (int k = 0; k < n; ++k) room.centres[k] = now[small_[k]].x;
    const SpaceGrid grid(room.centres, cell_ + margin, room.cells);
    for (int k = 0; k < n; ++k)
      grid.near(k, [&](int l) {
        if (l > k && near(now, small_[k], small_[l], margin)) visit(small_[k], small_[l], margin);
      });
    for (std::size_t k = 0; k < large_.size(); ++k) {
      for (const int i : small_)
        if (near(now, large_[k], i, far)) visit(large_[k], i, far);
      for (std::size_t l = k + 1; l < large_.size(); ++l)
        if (near(now, large_[k], large_[l], far)) visit(large_[k], large_[l], far);
    }
  }
  // compliant pairs: they push, and are in no list
  const Compliance* compliance(int i, int j) const;
  void find_kinds();
  template <class Visit>
  void for_each_soft(Room& room, Visit&& visit) const;
  template <class Visit>
  void for_each_push(Room& room, Visit&& visit) const;
  void soft_kinks(Room& room, std::vector<Kink>& out) const;
  void add_soft(Room& room, Out h) const;
  void add_soft_jacobians(Room& room, Matrix& dq, Matrix& du) const;
  double soft_potential(Room& room) const;
  void add_soft_power(Room& room, Power& out) const;
  const std::vector<Known>& touches(double t, In q, const ContactSet& set, Room& room) const;
  void find_gaps(double t, In q, Room& room, ContactSet& out) const;
  void add_row(int a, int b, const std::vector<SpaceFrame>& frames, const Vec3& move_a, const Vec3& turn_a,
               const Vec3& move_b, const Vec3& turn_b, int row, ContactSet& out) const;
  void add_row(LinkRow& link, const std::vector<SpaceFrame>& frames, int row, ContactSet& out) const;
  void add_part(int body, const std::vector<SpaceFrame>& frames, const Vec3& move, const Vec3& turn, int row,
                ContactSet& out) const;
  double width_or_thinnest(int body) const;
  double travel(int body, double t0, In q0, double t1, In q1) const;
  bool falls_behind(int body, int wall, const Way& way, const Way& its, double share, Passage& out) const;
  bool pair_passes(int i, int j, const Way& a, const Way& b, double share, Passage& out) const;
  struct Stretched {  // a spring at one state
    Vec3 arm_a, arm_b, e, rate;
    double length, speed, force;
  };
  Stretched stretch(const SpaceSpring& s, const std::vector<SpaceFrame>& frames) const;
  void add_spring_jacobians(const SpaceSpring& s, const std::vector<SpaceFrame>& frames, Matrix& dq,
                            Matrix& du) const;

  Data data_;
  std::vector<Law> laws_;                            // of materials, then of joints
  std::array<int, max_block_rows + 1> joint_law_{};  // by rows
  std::vector<int> place_;                           // of each body among those that move, or −1
  std::vector<int> body_of_;                         // the other way round
  std::vector<Geometry> geometry_;
  std::vector<int> large_, small_;
  std::vector<Contact> contacts_;
  std::vector<Link> links_;
  std::vector<Angle> angles_;
  int moving_ = 0;
  std::uint64_t most_features_ = 1;
  bool soft_ = false, rigid_ = true;  // the kinds of pairs there can be
  bool all_pairs_ = true, touching_ = false, damped_ = false, driven_ = false, isotropic_ = true,
       diagonal_ = true, pushed_ = false;  // pushed: by forces along coordinates of joints
  Pattern jacobian_{Pattern::diagonal, 0, nullptr};
  double cell_ = 1, size_ = 0, thinnest_ = infinity;  // thinnest: of all that have a width
};

}  // namespace saltus
