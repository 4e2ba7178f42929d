// States at times that the user chose (--at), with the forces on bodies in space.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "saltus/cli/json.hpp"
#include "saltus/run/body_forces.hpp"
#include "saltus/run/trajectory.hpp"

namespace saltus::cli {

/// One entry for each state: t, q, u.
Json samples_json(const Trajectory& samples);
std::string samples_text(const Trajectory& samples);
/// `forces` of each entry of `samples`; those of some may be missing.
void add_forces(std::span<const std::vector<BodyForce>> forces, const DynamicSystem& system, Json& samples);

}  // namespace saltus::cli
