// A mechanical system with set-valued laws:
//
//     M(t,q) du = h(t,q,u) dt + W(t,q) dP,   dq = B(q) u dt,   −y ∈ N_C(P) per contact or joint,
//     y = γ⁺ + E γ⁻,   γ = Wᵀu + χ,   W = (∂g/∂q)ᵀ,  χ = ∂g/∂t.
//
// A System is const and has no hidden state: every evaluation is a function of its arguments. Scratch memory
// comes with the call (system/workspace.hpp). Derivatives by q are by the displacement v of q ⊕ v: matrices
// have nu columns, also where q has more entries (unit quaternions).
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

/// The gap of a contact that is listed but has no place at a configuration, as of two edges that do not
/// cross: nothing moves as far. It takes no part in anything, and cannot stay closed.
inline constexpr double absent_gap = 1e100;
inline bool is_absent(double gap) {
  return gap == absent_gap;
}

/// The contacts and joints near a configuration, in increasing id. System::list fills contacts and gaps;
/// then, for the same contacts at any configuration, gaps, directions and bias fill their level. One entry
/// per row in gap, drift and bias; a tangential row has gap 0.
struct ContactSet {
  std::vector<Contact> contacts;
  std::vector<double> gap;    ///< g (normal rows and holonomic joints)
  SparseRows Wt;              ///< Wᵀ, one row per contact row
  std::vector<double> drift;  ///< χ
  std::vector<double> bias;   ///< d(Wᵀ)/dt u + dχ/dt, so that γ̇ = Wᵀu̇ + bias
  /// Set by the scheme: how far gaps may close within its step. What is nearer is listed (changing_contacts).
  double look_ahead = 0;
  /// Set by the scheme for the time of a call, where it knows them: velocities, and how long they last.
  /// Systems of many bodies then look for each as far as it moves; look_ahead is for the two fastest. Null:
  /// not known.
  const double* velocities = nullptr;
  double lead = 0;
  /// Set by schemes that locate events: bodies end exactly where they end. Otherwise a system may let sides
  /// of bodies reach a little beyond their corners, so that steps of any length pass corners without a jolt.
  bool sharp = false;

  int rows() const { return static_cast<int>(gap.size()); }
};

/// Where a force is not smooth: a compliant contact touches or parts where its gap is zero.
struct Kink {
  std::uint64_t id = 0;  ///< not one of a Contact
  double gap = 0, rate = 0;
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
  bool flat = false;                 ///< nq = nu, and retract is plain addition
  bool changing_contacts = false;    ///< the list of contacts depends on t and q
  bool tells_passages = false;       ///< System::passes is overridden; without this it is not called
  bool kinked_gaps = false;          ///< gaps have kinks within a step: bodies with corners
  bool spins = false;                ///< System::spin_impulse is overridden; without this it is not called
};

class System : public DynamicSystem {
 public:
  Family family() const final { return Family::mechanical; }
  virtual Shape shape() const = 0;
  virtual std::span<const Law> laws() const = 0;

  virtual void mass(double t, In q, Matrix& M, Workspace& w) const = 0;
  virtual void force(double t, In q, In u, Out h, Workspace& w) const = 0;
  virtual void force_jacobians(double t, In q, In u, Matrix& dq, Matrix& du, Workspace& w) const = 0;

  /// All contacts and joints of a list that never changes; systems with changing_contacts have none here.
  virtual std::span<const Contact> contacts() const { return {}; }
  /// Which contacts there are near (t, q), and their gaps: once a step. Systems with changing_contacts
  /// override it; they list what is nearer than out.look_ahead.
  virtual void list(double t, In q, ContactSet& out, Workspace& w) const;
  /// The gaps of the contacts that are listed.
  virtual void gaps(double t, In q, ContactSet& out, Workspace& w) const = 0;
  virtual void directions(double t, In q, ContactSet& out, Workspace& w) const = 0;
  virtual void bias(double t, In q, In u, ContactSet& out, Workspace& w) const = 0;

  /// Appends those near (t, q), by increasing id; one that is not there is apart.
  virtual void kinks(double /*t*/, In /*q*/, In /*u*/, std::vector<Kink>& /*out*/, Workspace& /*w*/) const {}

  // Configurations that are no vectors (rotations) override these four, and sizes; Shape::flat says that the
  // defaults apply.
  /// out = q ⊕ v, the configuration reached by the displacement v. out may be q.
  virtual void retract(In q, In v, Out out) const { out = q + v; }
  /// v = p ⊖ q, the displacement from q to p: the inverse of retract.
  virtual void difference(In q, In p, Out v) const { v = p - q; }
  /// out = the rate of v when q ⊕ v moves with velocity u. out may be u.
  virtual void lift(In /*v*/, In u, Out out) const { out = u; }
  /// out = the displacement of q ⊕ v that a change x of v makes: the inverse of lift. out may be x.
  virtual void push(In /*v*/, In x, Out out) const { out = x; }
  /// At most, of gaps that may not be listed.
  virtual double closing_speed(In /*u*/) const { return 0; }
  /// Whether bodies went through each other on the straight way from (t0, q0) to (t1, q1), by more than an
  /// overlap at either end shows. Displacements shorter than this share of a pair's thickness are skipped, so
  /// that the check costs next to nothing where no body is fast. Asked only where
  /// Shape::tells_passages.
  virtual bool passes(double /*t0*/, In /*q0*/, double /*t1*/, In /*q1*/, double /*share*/,
                      Passage& /*out*/) const {
    return false;
  }
  /// Second derivatives, where the system has them (system/curvature.hpp).
  virtual const CurvedSystem* curved() const { return nullptr; }
  virtual double potential(double /*t*/, In /*q*/, Workspace& /*w*/) const { return 0; }
  /// How thick the thinner one of the bodies of a contact is; 0: they have no size.
  virtual double thickness(std::uint64_t /*contact*/) const { return 0; }
  /// ½ uᵀMu + potential
  double energy(double t, In q, In u, Workspace& w) const override;
  /// Draws the configuration; false: this system has no picture.
  virtual bool sketch(double /*t*/, In /*q*/, Sketch& /*out*/) const { return false; }
  /// How large a configuration is along each displacement: what its rounding and relative errors are measured
  /// by, |q| where it is flat. An angle is of size one.
  virtual void sizes(In q, Out out) const {
    if (q.size() == out.size())
      out = q.cwiseAbs();
    else
      out.setOnes();
  }
  /// What a run should say about the system: numbers that make sense as equations only.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// What to add to the impulses of a θ-step from u0 to u1, M (u1 − u0) = h F(q_θ, u_θ) + W P + out, so that
  /// momenta that turn with the bodies are balanced in the frame of q_θ, exactly. Asked only where
  /// Shape::spins.
  virtual void spin_impulse(double /*h*/, double /*theta*/, In /*u0*/, In /*u1*/, Out /*out*/) const {}
};

/// Null for the other families.
inline const System* as_mechanical(const DynamicSystem* system) {
  return system && system->family() == Family::mechanical ? static_cast<const System*>(system) : nullptr;
}

}  // namespace saltus
