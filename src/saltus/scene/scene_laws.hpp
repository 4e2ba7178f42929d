// The laws a contact of a scene can have: set-valued ones, and compliant ones that become forces.
#pragma once
#include "saltus/law/compliance.hpp"
#include "saltus/law/law.hpp"

namespace saltus {

using SceneLaw = std::variant<Unilateral, Coulomb, RollingFriction, Relay, Tresca, PrestressedSpring,
                              HertzContact, KuwabaraKono, DashpotContact>;

}  // namespace saltus
