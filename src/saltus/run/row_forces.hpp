// Forces in the rows of joints and closed contacts at a state of a run. Within a smooth step of a Runge–Kutta
// method they are the multipliers at that state; other methods know the impulses of steps, and their forces
// are means over the step that holds the state. Of redundant joints and contacts, whose forces no rigid body
// determines, those of least norm.
#pragma once
#include <vector>

#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"
#include "saltus/system/state.hpp"

namespace saltus {

class RowForces {
 public:
  /// `smooth`: the method is of Runge–Kutta.
  RowForces(const System& system, bool smooth);
  /// At a state of a step that left this memory. False: they are not known.
  bool find(double t, const Vec& q, const Vec& u, const ContactMemory& memory);
  // Of the last state that was found.
  const ContactSet& contacts() const { return set_; }
  double lambda(int row) const { return lambda_[static_cast<std::size_t>(row)]; }

 private:
  const System& system_;
  bool smooth_;
  Faults faults_;
  CheckedSystem checked_;
  ClosedDynamics dynamics_;
  ContactSet set_;
  std::vector<double> lambda_;
};

}  // namespace saltus
