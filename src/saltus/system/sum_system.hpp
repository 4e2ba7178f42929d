// Several systems on slices of one list of coordinates, added up: M = Σ MᵢPᵢ, h = Σ hᵢ, and the contacts of
// all. So a beam, some rigid bodies and formulas that speak about both become one system. The id of a contact
// has the number of its part in its highest byte; within a part ids are below 2^56.
//
// Configurations: the first part on a slice says how it is retracted. Parts on the same coordinates must mean
// the same by a displacement, so where one of them is not flat, both have the same slice; or one is an
// overlay (formulas over bodies in space), which knows the displacements of the others. First coordinates
// that only overlays have are flat.
#pragma once
#include <memory>

#include "saltus/system/curvature.hpp"
#include "saltus/system/viscoelastic.hpp"

namespace saltus {

struct SystemPart {
  std::shared_ptr<const System> system;
  int first = 0;                             ///< its first velocity
  int first_q = -1;                          ///< its first coordinate; −1: the same number
  const ViscoelasticSystem* soft = nullptr;  ///< the system as such
  bool overlay = false;                      ///< speaks about coordinates that other parts move
};

class SumSystem final : public System, public CurvedSystem, public ViscoelasticSystem {
 public:
  /// n coordinates and velocities, all of them flat.
  SumSystem(int n, const std::vector<SystemPart>& parts) : SumSystem(n, n, parts) {}
  /// Throws Error: a part that reaches beyond the nq coordinates and nu velocities; coordinates of parts that
  /// are not flat and overlap; coordinates of no part where nq ≠ nu.
  SumSystem(int nq, int nu, const std::vector<SystemPart>& parts);

  std::unique_ptr<Workspace> make_workspace() const override;

  const CurvedSystem* curved() const override { return this; }
  /// Where all parts are; else null.
  const ViscoelasticSystem* viscoelastic() const;
  const System& mechanical() const override { return *this; }
  Viscosity viscosity() const override;
  void contact_force(double t, In q, Out f, Workspace& w) const override;
  void contact_jacobian(double t, In q, Matrix& K, Workspace& w) const override;
  void momentum(double t, In q, Out S, Workspace& w) const override;
  double turning(double t, In q, In u, Workspace& w) const override;
  Shape shape() const override { return shape_; }
  /// Those of the first part that has any: parts of one scene share them.
  std::span<const Parameter> parameters() const override;
  std::span<const Law> laws() const override { return laws_; }
  void mass(double t, In q, Matrix& M, Workspace& w) const override;
  void force(double t, In q, In u, Out h, Workspace& w) const override;
  void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const override;
  std::span<const Contact> contacts() const override { return contacts_; }
  void list(double t, In q, ContactSet& out, Workspace& w) const override;
  void gaps(double t, In q, ContactSet& out, Workspace& w) const override;
  void retract(In q, In v, Out out) const override;
  void difference(In q, In p, Out v) const override;
  void lift(In v, In u, Out out) const override;
  void push(In v, In x, Out out) const override;
  void sizes(In q, Out out) const override;
  std::vector<std::string> remarks() const override;
  void spin_impulse(double h, double theta, In u0, In u1, Out out) const override;
  double closing_speed(In u) const override;
  bool passes(double t0, In q0, double t1, In q1, double share, Passage& out) const override;
  void directions(double t, In q, ContactSet& out, Workspace& w) const override;
  void bias(double t, In q, In u, ContactSet& out, Workspace& w) const override;
  void kinks(double t, In q, In u, std::vector<Kink>& out, Workspace& w) const override;
  void curvature(double t, In q, In u, In a, const double* lambda, Matrix& K, Curvature& out,
                 Workspace& w) const override;
  double potential(double t, In q, Workspace& w) const override;
  double energy(double t, In q, In u, Workspace& w) const override;
  Powers powers() const override;
  Power power(double t, In q, In u, Workspace& w) const override;
  double thickness(std::uint64_t contact) const override;
  std::string contact_name(std::uint64_t id) const override;
  bool sketch(double t, In q, Sketch& out) const override;

 private:
  struct Part {
    std::shared_ptr<const System> system;
    int first, n;    // velocities
    int first_q, m;  // coordinates
    int law, rows;   // its first law; rows of a list that never changes
    Shape shape;
    const ViscoelasticSystem* soft;
    bool overlay;

    auto q(In x) const { return x.segment(first_q, m); }
    auto u(In x) const { return x.segment(first, n); }
  };
  struct Room : Workspace {
    struct OfPart {
      std::unique_ptr<Workspace> work;
      Matrix mass, dq, du;
      ContactSet set;
    };
    std::vector<OfPart> parts;
    Curvature curvature;
    Vec h;
  };
  void find_charts();
  /// The contacts of part k as that part listed them.
  void take_part(const ContactSet& all, std::size_t k, ContactSet& part) const;

  std::vector<Part> parts_;
  std::vector<int> charts_;  // the parts that retract; empty: plain addition
  int flat_ = 0;             // beside them: so many first coordinates
  std::vector<Law> laws_;
  std::vector<Contact> contacts_;  // where no part's list changes
  Shape shape_;
};

}  // namespace saltus
