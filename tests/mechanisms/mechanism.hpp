// One random scene: its text, as a user could run it, and what its maker knows about the motion. The judges
// need no more; contacts, laws and energies they ask of the system.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/dice.hpp"

namespace saltus::mechanisms {

struct Mechanism {
  std::uint64_t seed = 0;
  std::string kind;                   ///< which maker: line, slide, joints, bodies, …
  std::string yaml;                   ///< the scene file
  std::vector<std::string> features;  ///< words that the list of known classes may ask for
  double h = 1e-3, t_end = 1;         ///< as the scene says them
  double length = 1;                  ///< what positions are compared with
  double speed = 1;                   ///< the same for velocities

  bool passive = false;    ///< nothing drives: the energy does not grow
  bool uniform = false;    ///< one restitution in all contacts: Newton's law itself makes no energy
  bool compliant = false;  ///< all contacts are forces: schemes of first order take it
  bool smooth = false;     ///< no jumps of the velocity: methods of order 2 keep their order

  /// Σ weight·u of these coordinates is that of the start plus rate·t.
  struct Momentum {
    std::vector<std::pair<std::string, double>> weights;
    double rate = 0;
  };
  std::vector<Momentum> momenta;

  /// The end of a motion that is known in closed form.
  struct Known {
    std::string coordinate;
    double q = 0, u = 0;
  };
  std::vector<Known> known;
  bool known_exactly = false;  ///< velocities of `known` come out to rounding, whatever the step

  bool has(const std::string& feature) const {
    for (const auto& f : features)
      if (f == feature) return true;
    return false;
  }
};

Mechanism make_mechanism(std::uint64_t seed);
/// Its maker's name, without making it.
std::string kind_of(std::uint64_t seed);
/// Names of all makers.
std::vector<std::string> mechanism_kinds();

// The makers, each in a file of its own.
using Maker = Mechanism (*)(Dice&);
Mechanism make_line(Dice&);          // masses on a line: contacts, springs, dampers, walls, drives
Mechanism make_slide(Dice&);         // points of the plane on a floor with friction
Mechanism make_dry_friction(Dice&);  // oscillators with relays and Tresca's friction
Mechanism make_pendulum(Dice&);      // joints by equations, and angles with a kinetic energy
Mechanism make_bodies(Dice&);        // disks, boxes and polygons between walls
Mechanism make_linkage(Dice&);       // bodies with links, springs and motors
Mechanism make_soft_bodies(Dice&);   // bodies of compliant materials
Mechanism make_soft_line(Dice&);     // formulas of Hertz, Kuwabara–Kono, dashpots
Mechanism make_chain(Dice&);         // chains of the catalog
Mechanism make_odae(Dice&);          // overdetermined DAEs
Mechanism make_known(Dice&);         // collisions with a closed form
Mechanism make_fast(Dice&);          // bodies that pass their own size in a step

}  // namespace saltus::mechanisms
