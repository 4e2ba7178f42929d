// What every system is, whatever its equations: of a family, with names for its contacts and parameters.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "saltus/core/types.hpp"
#include "saltus/system/workspace.hpp"

namespace saltus {

/// The three kinds of equations a scheme can be written for.
enum class Family : std::uint8_t { mechanical, first_order, odae };
std::string_view to_string(Family family);

/// A number that the equations depend on and a user may want to vary.
struct Parameter {
  std::string name;
  double value = 0;
};

/// Rates at which the forces of a system change its energy, beside what its potential accounts for.
struct Power {
  double work = 0;      ///< of loads and drives: forces at rest without a potential, potentials that move
  double damping = 0;   ///< taken by the part of the forces that comes with velocities
  double friction = 0;  ///< taken by reactions that are not ideal (ODAEs)
};
/// What a system can tell about them.
enum class Powers : std::uint8_t {
  unknown,  ///< nothing: a ledger has no way to tell loads from errors of a scheme
  none,     ///< there are none: energy is the system's own, contacts apart
  known     ///< power() gives them
};

class DynamicSystem {
 public:
  virtual ~DynamicSystem() = default;
  virtual Family family() const = 0;
  /// The scratch memory of an evaluation; systems that need some override it.
  virtual std::unique_ptr<Workspace> make_workspace() const { return std::make_unique<Workspace>(); }
  /// What the equations depend on beside t and the state, in a fixed order.
  virtual std::span<const Parameter> parameters() const { return {}; }
  virtual double energy(double t, In q, In u, Workspace& w) const = 0;  ///< NaN where the system has none
  virtual Powers powers() const { return Powers::unknown; }
  virtual Power power(double /*t*/, In /*q*/, In /*u*/, Workspace& /*w*/) const { return {}; }
  virtual std::string contact_name(std::uint64_t id) const;  ///< of a contact, joint or constraint
};

/// The energy with a workspace of its own: for a few values, not for loops.
inline double energy_of(const DynamicSystem& system, double t, In q, In u) {
  return system.energy(t, q, u, *system.make_workspace());
}

}  // namespace saltus
