// What must hold before a run starts. Each function throws Error naming the quantity, its value and the
// remedy.
#pragma once
#include "saltus/system/system.hpp"

namespace saltus {

/// Finite and positive definite.
void check_mass(const Matrix& M);

/// Finite, and the end not before the start.
void check_times(double t0, double t_end);
/// As many entries as the system has, all finite.
void check_sizes(int nq, int nu, In q0, In u0);

/// What to do with a start that violates a gap: refuse it, or take the contact as closed. Laws act on
/// velocities, so an accepted penetration stays until the contact opens (or a projecting scheme removes it).
/// The state of a run under way is as it is: velocities that violate joints are accepted, too, which Moreau's
/// first step mends.
enum class Penetration : std::uint8_t { refuse, accept, under_way };

/// One thing that is wrong with a start.
struct StartTrouble {
  enum class About : std::uint8_t { mass, force, contact, penetration, joint };
  About about;
  int coordinate = -1;  ///< of mass and force; −1: of the matrix as a whole
  double value = 0;     ///< of mass, force, gap or joint
  std::string contact;  ///< its name
  std::string message;
};
/// Laws, mass and force at the start, penetrating contacts, violated joints. Sizes and times are checked
/// first: those throw.
std::vector<StartTrouble> start_troubles(const System& system, double t0, double t_end, In q0, In u0,
                                         Penetration penetration);
/// Throws the first of them.
void check_start(const System& system, double t0, double t_end, In q0, In u0, Penetration penetration);

}  // namespace saltus
