// Systems of first order and ODAEs as ẋ = f(t, x) with their reactions solved for, as a verification needs
// them.
#pragma once
#include <memory>

#include "saltus/verify/verification.hpp"

namespace saltus {

class StateFlow {
 public:
  virtual ~StateFlow() = default;
  virtual const DynamicSystem& system() const = 0;
  virtual int size() const = 0;
  virtual void pack(double t, In q, In u, Vec& x) const = 0;
  virtual void unpack(double t, const Vec& x, Vec& q, Vec& u) const = 0;
  /// Whether component i is a velocity: sizes are compared with those of its kind.
  virtual bool is_velocity(int i) const = 0;
  /// False where there is no finite value, or no reaction.
  virtual bool rates(double t, const Vec& x, Vec& f) = 0;
  /// What must hold at every sample.
  virtual void at_sample(const Trajectory&, int /*i*/, Verification&) {}
  /// From sample i − 1 to i at the same time, where velocities jump.
  virtual void jump(const Trajectory& x, int i, Verification& out) = 0;
};

/// `part` of its scale counts as zero.
std::unique_ptr<StateFlow> make_first_order_flow(const DynamicSystem& system);
std::unique_ptr<StateFlow> make_odae_flow(const DynamicSystem& system, const Trajectory& x, double part);

/// Every step, energies and the ledger.
void verify_flow(StateFlow& flow, const Trajectory& x, const Problem& problem, const Claims& claims,
                 double part, Verification& out);

}  // namespace saltus
