// Damping that is the rate of a function of positions:
//
//     h(t, q, u) = h(t, q, 0) + d/dt S(q),   ∂h/∂u = ∂S/∂q,   S = Σ ∇g σ(d) over the compliant contacts.
//
// So it is where contacts act in fixed directions, their gaps linear in q, and no other force depends on
// velocities. In u = w + M⁻¹S the equations are q̇ = w + M⁻¹S(q), M ẇ = h(t, q, 0): one power of the overlap
// smoother ((10), (11) of James, Vorotnikov, Brogliato). Where S is γ times the elastic forces of the
// contacts, schemes for the system without damping can be tailored to make it.
#pragma once
#include <algorithm>

#include "saltus/law/compliance.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

struct Viscosity {
  std::optional<double> gamma;  ///< of all compliant contacts; nothing: there are none
  bool proportional = true;     ///< the damping of each is this γ times the rate of its elastic force
  bool damped = false;          ///< S is not zero
  bool autonomous = true;       ///< h(t, q, 0) does not depend on t
  /// The contacts may turn: the above holds only as long as they do not (turning()).
  bool turns = false;

  void add(const Compliance& law) {
    const auto of_law = law.gamma();
    proportional = proportional && of_law && (!gamma || *gamma == *of_law);
    gamma = std::max(gamma.value_or(0), of_law.value_or(0));
    damped = damped || law.b > 0;
  }
  void add(const Viscosity& part) {
    proportional = proportional && part.proportional && (!gamma || !part.gamma || *gamma == *part.gamma);
    if (part.gamma) gamma = std::max(gamma.value_or(0), *part.gamma);
    damped = damped || part.damped, turns = turns || part.turns;
    autonomous = autonomous && part.autonomous;
  }
};

class ViscoelasticSystem {
 public:
  virtual ~ViscoelasticSystem() = default;
  /// Itself. Workspaces below are its.
  virtual const System& mechanical() const = 0;
  virtual Viscosity viscosity() const = 0;
  /// The elastic forces of the compliant contacts alone: a part of h(t, q, 0).
  virtual void contact_force(double t, In q, Out f, Workspace& w) const = 0;
  virtual void contact_jacobian(double t, In q, Matrix& K, Workspace& w) const = 0;
  /// S(q)
  virtual void momentum(double t, In q, Out S, Workspace& w) const = 0;
  /// The largest angle by which a contact that pushes turns within its γ.
  virtual double turning(double /*t*/, In /*q*/, In /*u*/, Workspace& /*w*/) const { return 0; }
};

}  // namespace saltus
