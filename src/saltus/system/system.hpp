// A mechanical system with set-valued laws:
//
//     M(t,q) du = h(t,q,u) dt + W(t,q) dP,   dq = B(q) u dt,   −y ∈ N_C(P) per contact or joint,
//     y = γ⁺ + E γ⁻,   γ = Wᵀu + χ,   W = (∂g/∂q)ᵀ,  χ = ∂g/∂t.
//
// A System is const and has no hidden state: every evaluation is a function of its arguments.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/core/types.hpp"
#include "saltus/law/law.hpp"
#include "saltus/linalg/matrix.hpp"
#include "saltus/linalg/sparse_rows.hpp"
#include "saltus/system/dynamic_system.hpp"
#include "saltus/system/sketch.hpp"

namespace saltus {

class CurvedSystem;

struct Contact {
  std::uint64_t id = 0;
  int law = 0;  ///< index into System::laws()
  int row = 0;  ///< first of its rows
};

/// The contacts and joints near a configuration, in increasing id, filled level by level: gaps, then
/// directions, then bias. One entry per row in gap, drift and bias; a tangential row has gap 0.
struct ContactSet {
  std::vector<Contact> contacts;
  std::vector<double> gap;    ///< g (normal rows and holonomic joints)
  SparseRows Wt;              ///< Wᵀ, one row per contact row
  std::vector<double> drift;  ///< χ
  std::vector<double> bias;   ///< d(Wᵀ)/dt u + dχ/dt, so that γ̇ = Wᵀu̇ + bias
  std::vector<int> work;      ///< room for the system's search; keeps its memory, means nothing to others
  /// Set by the scheme: how far gaps may close within its step. What is nearer is listed (changing_contacts).
  double look_ahead = 0;

  int rows() const { return static_cast<int>(gap.size()); }
};

/// Two bodies that went through each other between two configurations.
struct Passage {
  std::string bodies;  ///< "a and b"
  double travel = 0;   ///< how far they moved with respect to each other
  double width = 0;    ///< how thick both are together, at least
};

/// Sizes, patterns, and what never changes (so that schemes evaluate and factorise it once).
struct Shape {
  int nq = 0, nu = 0;
  Pattern mass, jacobian;            ///< of M, and of ∂h/∂q and ∂h/∂u
  bool constant_mass = false;        ///< M does not depend on t and q
  bool linear_force = false;         ///< ∂h/∂q and ∂h/∂u are constant
  bool constant_directions = false;  ///< Wᵀ, χ and the list of contacts never change
  bool flat = false;                 ///< retract is plain addition
  bool changing_contacts = false;    ///< the list of contacts depends on t and q
};

class System : public DynamicSystem {
 public:
  Family family() const final { return Family::mechanical; }
  virtual Shape shape() const = 0;
  virtual std::span<const Law> laws() const = 0;

  virtual void mass(double t, In q, Matrix& M) const = 0;
  virtual void force(double t, In q, In u, Out h) const = 0;
  virtual void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du) const = 0;

  virtual void gaps(double t, In q, ContactSet& out) const = 0;
  virtual void directions(double t, In q, ContactSet& out) const = 0;
  virtual void bias(double t, In q, In u, ContactSet& out) const = 0;

  /// out = q ⊕ v, the configuration reached by the displacement v; rotations override it. out may be q.
  virtual void retract(In q, In v, Out out) const { out = q + v; }
  /// At most, of gaps that may not be listed.
  virtual double closing_speed(In /*u*/) const { return 0; }
  /// Whether bodies went through each other on the straight way from (t0, q0) to (t1, q1), by more than an
  /// overlap of either end shows. Ways shorter than this share of what a pair is thick are not looked at, so
  /// that it costs next to nothing where nobody is fast. Systems that know gaps only cannot tell.
  virtual bool passes(double /*t0*/, In /*q0*/, double /*t1*/, In /*q1*/, double /*share*/,
                      Passage& /*out*/) const {
    return false;
  }
  /// Second derivatives, where the system has them (system/curvature.hpp).
  virtual const CurvedSystem* curved() const { return nullptr; }
  virtual double potential(double /*t*/, In /*q*/) const { return 0; }
  /// ½ uᵀMu + potential
  double energy(double t, In q, In u) const override;
  /// Draws the configuration; false: this system has no picture.
  virtual bool sketch(double /*t*/, In /*q*/, Sketch& /*out*/) const { return false; }
};

/// Null for the other families.
inline const System* as_mechanical(const DynamicSystem* system) {
  return system && system->family() == Family::mechanical ? static_cast<const System*>(system) : nullptr;
}

}  // namespace saltus
