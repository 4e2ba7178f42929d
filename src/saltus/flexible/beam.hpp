// A planar geometrically exact beam (Simo, Reissner): every node has x, y and the rotation θ of its section,
// displacements and rotations may be as large as they like. With one Gauss point an element stores
//
//     V = ℓ/2 (EA (a − 1)² + GA_s b² + EI κ²),   a = c x' + s y',  b = −s x' + c y',  κ = θ',
//
// c, s of the mean rotation, ' the difference of the end nodes over ℓ. Shear does not lock with one point.
// The forces are the gradient of V, the tangent stiffness its Hessian (banded, three coordinates a node).
// Damping adds to every stress its modulus times `damping` times the rate of its strain, which no rigid
// motion has; `drag` is a force −drag M u. Coordinates that an end's support holds are left out: a hinged
// beam of n elements has 3n + 1.
#pragma once
#include <array>
#include <vector>

#include "saltus/flexible/bar.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

enum class Support : std::uint8_t { free, hinged, clamped };
inline constexpr std::string_view support_names[] = {"free", "hinged", "clamped"};

/// gap = n·(x, y) of a node − offset. The law may be unilateral, or coulomb with one tangent (n turned by
/// −90°: for a floor with normal (0, 1) it is (1, 0)).
struct BeamStop {
  std::string name;
  int node = 0;
  std::array<double, 2> normal = {0, 1};
  double offset = 0;
  Law law = Unilateral{};
};

struct BeamData {
  int elements = 4;
  double length = 1, area = 1e-4, inertia = 8.33e-10, shear_area = 5e-4 / 6;  ///< of the cross section
  double young = 2.1e11, poisson = 0.3, density = 7800;
  std::array<double, 2> origin = {0, 0};  ///< of node 0, undeformed
  double angle = 0;                       ///< of the undeformed axis
  std::array<double, 2> gravity = {0, -10};
  Support first = Support::hinged, last = Support::free;
  MassKind mass = MassKind::consistent;
  double damping = 0, drag = 0;  ///< seconds; 1/seconds
  std::vector<BeamStop> stops;
};

class BeamSystem final : public System {
 public:
  /// Throws Error naming the bad quantity.
  explicit BeamSystem(BeamData data);

  Shape shape() const override { return shape_; }
  std::span<const Law> laws() const override { return laws_; }
  std::span<const Contact> contacts() const override { return contacts_; }
  void mass(double t, In q, Matrix& M, Workspace& w) const override;
  void force(double t, In q, In u, Out h, Workspace& w) const override;
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const override;
  void gaps(double t, In q, ContactSet& out, Workspace& w) const override;
  void directions(double t, In q, ContactSet& out, Workspace& w) const override;
  void bias(double t, In q, In u, ContactSet& out, Workspace& w) const override;
  double potential(double t, In q, Workspace& w) const override;
  Powers powers() const override {
    return data_.damping > 0 || data_.drag > 0 ? Powers::known : Powers::none;
  }
  Power power(double t, In q, In u, Workspace& w) const override;
  std::string contact_name(std::uint64_t id) const override { return data_.stops.at(id).name; }
  bool sketch(double t, In q, Sketch& out) const override;

  const BeamData& data() const { return data_; }
  /// The undeformed beam, turned about node 0 by `turn`.
  Vec straight(double turn = 0) const;
  /// Velocities of a rigid rotation about node 0 in configuration q.
  Vec spin(In q, double omega) const;
  /// x, y, θ of a node, supported coordinates included.
  std::array<double, 3> node(In q, int k) const;
  /// The place of coordinate k (0 x, 1 y, 2 θ) of a node in q; −1 when a support holds it.
  int place(int node, int k) const { return place_[3 * node + k]; }

 private:
  struct Element {
    double le, EA, GA, EI;
  };
  double rate(In u, int node, int k) const {
    const int i = place_[3 * node + k];
    return i >= 0 ? u[i] : 0;
  }
  template <class Add>
  void add_mass(Add&& add) const;  // add(i, j, value)
  double spot(In q, int node, int k) const {
    const int i = place_[3 * node + k];
    return i >= 0 ? q[i] : held_[3 * node + k];
  }

  BeamData data_;
  Shape shape_;
  Element element_;
  std::vector<int> place_;
  std::vector<double> held_, weight_;  // constrained values; gravity forces
  std::vector<Law> laws_;
  std::vector<Contact> contacts_;
  SparseRows Wt_;
  std::vector<double> offset_;  // gap = Wᵀq + offset; 0 on tangential rows
  std::vector<char> has_gap_;
};

}  // namespace saltus
