// The fields of a chain of beads. Beads are numbered 0 … N − 1; contact n lies before bead n, so that 0 is
// that of the left end and N that of the right one.
#pragma once
#include "saltus/scene/entry.hpp"

namespace saltus {

/// How a quantity varies along a chain: one of the first seven.
struct SceneSpread {
  std::vector<Value> uniform, normal, log_normal, two_valued, repeat, tapered, decorated, limits;
  Value share, seed;
  template <class V>
  void fields(V&& v) {
    v(Note{"uniform", "[a, b]: random, anything between a and b"}, uniform);
    v(Note{"normal", "[mean, deviation]: random"}, normal);
    v(Note{"log-normal", "[median, s]: random, the logarithm has the deviation s"}, log_normal);
    v(Note{"two-valued", "[a, b]: random, b in `share` of the places, a in the others"}, two_valued);
    v(Note{"repeat", "[a, b, …]: these in turn, as in a dimer"}, repeat);
    v(Note{"tapered", "[a, p]: a, a (1 - p), a (1 - p)^2, …"}, tapered);
    v(Note{"decorated", "[a, p, b]: tapered, with b between each two: a, b, a (1 - p), b, …"}, decorated);
    v(Note{"limits", "[least, most] of uniform, normal and log-normal: what falls outside is drawn again"},
      limits);
    v(Note{"share", "of the second value of two-valued (0.5)"}, share);
    v(Note{"seed", "of what is random: the same numbers for the same seed, quantity and index"}, seed);
  }
};

/// A quantity along a chain: one number for all, a list, a formula of the index i and the number of beads N,
/// or a spread. Where it names materials the numbers are words.
struct SceneAlong {
  Value value;
  std::vector<Value> list;
  std::optional<SceneSpread> spread;
  std::string path;
  Place place;
  std::string_view unit = {};
  bool given() const { return place.line > 0 || !path.empty(); }
};

/// "0.9 at 1 m/s", or {e: 0.9, at: 1 m/s}.
struct SceneRestitution {
  Value e, at;
  template <class V>
  void fields(V&& v) {
    v(Note{"e", "coefficient of restitution", true}, e);
    v(Note{"at", "speed at which two beads met", true, "m/s"}, at);
  }
  bool given() const { return e.given(); }
};

/// An end of a chain; "free" or "wall", or these fields.
struct SceneChainEnd {
  Place place;
  bool wall = false;
  Word material;
  Value stiffness, damping, beta, gap, precompression;
  Formula motion, force;
  template <class V>
  void fields(V&& v) {
    v(Note{"wall", "a flat wall (false); the next seven make it one"}, wall);
    v(Note{"material", "of the wall; that of the end bead when left out"}, material);
    v(Note{"stiffness", "of the contact with the wall, instead of a material", false, "N/m^1.5"}, stiffness);
    v(Note{"damping", "of that contact; the chain's when left out"}, damping);
    v(Note{"beta", "of that contact; the chain's when left out"}, beta);
    v(Note{"gap", "between the wall and the end bead", false, "m"}, gap);
    v(Note{"precompression", "overlap with the wall", false, "m"}, precompression);
    v(Note{"motion", "displacement of the wall, a formula of t and parameters, in m"}, motion);
    v(Note{"force", "on the end bead, positive towards the right, a formula of t and parameters, in N"},
      force);
  }
  bool has_wall() const {
    return wall || material.given() || stiffness.given() || damping.given() || beta.given() || gap.given() ||
           precompression.given() || motion.given();
  }
};

/// Beads, or a contact, that differ from the rest.
struct SceneDefect {
  Place place;
  OneOrMany<Value> at;
  Value contact;
  Word material;
  Value radius, mass, position, velocity, spring, drag, force;
  Value stiffness, damping, beta, gap, precompression;
  template <class V>
  void fields(V&& v) {
    v(Note{"at", "number of the bead, from 0; -1 is the last; or a list"}, at);
    v(Note{"contact", "number of the contact instead: that before the bead of this number"}, contact);
    v(Note{"radius", "of the bead", false, "m"}, radius);
    v(Note{"material", "of the bead"}, material);
    v(Note{"mass", "of the bead", false, "kg"}, mass);
    v(Note{"position", "of the bead", false, "m"}, position);
    v(Note{"velocity", "of the bead", false, "m/s"}, velocity);
    v(Note{"spring", "of the bead", false, "N/m"}, spring);
    v(Note{"drag", "of the bead", false, "N s/m"}, drag);
    v(Note{"force", "on the bead", false, "N"}, force);
    v(Note{"stiffness", "of the contact", false, "N/m^1.5"}, stiffness);
    v(Note{"damping", "of the contact"}, damping);
    v(Note{"beta", "of the contact"}, beta);
    v(Note{"gap", "of the contact", false, "m"}, gap);
    v(Note{"precompression", "of the contact", false, "m"}, precompression);
  }
};

struct SceneChain {
  Value beads, preload, gravity;
  SceneAlong radius, material, mass, stiffness, damping, beta, gap, precompression, position, velocity;
  SceneAlong spring, drag, force;
  SceneRestitution restitution;
  SceneChainEnd left, right;
  std::vector<SceneDefect> defects;
  bool hold = false;
  Word formulation;
  template <class V>
  void fields(V&& v) {
    v(Note{"beads", "how many there are, N", true}, beads);
    v(Note{"radius", "of the beads", false, "m"}, radius);
    v(Note{"material", "of the beads: a name of `materials` or of `saltus list materials`"}, material);
    v(Note{"mass", "of the beads, instead of radius and material, or beside them", false, "kg"}, mass);
    v(Note{"stiffness", "k of the contacts, f = k d^1.5; Hertz' of radius and material when left out", false,
           "N/m^1.5"},
      stiffness);
    v(Note{"damping", "gamma of the contacts, f = gamma k d/dt d^beta (0), in s m^(1.5 - beta)"}, damping);
    v(Note{"restitution",
           "instead of damping: e at a speed, as 0.9 at 1 m/s, of two beads with the mean of the reduced "
           "masses and of the stiffness"},
      restitution);
    v(Note{"beta",
           "damping law of the contacts: 1 dashpot, 1.5 Kuwabara-Kono (when left out), 2.5 "
           "Simon-Hunt-Crossley, any >= 1"},
      beta);
    v(Note{"gap", "between neighbours at the start", false, "m"}, gap);
    v(Note{"precompression", "overlap of neighbours at the start", false, "m"}, precompression);
    v(Note{"preload", "static force in all contacts: precompression in equilibrium, held at free ends", false,
           "N"},
      preload);
    v(Note{"hold", "constant forces on free ends keep the precompression (false)"}, hold);
    v(Note{"position", "displacement at the start, from where gaps and precompression are as given", false,
           "m"},
      position);
    v(Note{"velocity", "at the start", false, "m/s"}, velocity);
    v(Note{"spring", "local stiffness, as of pendulums: force -K x of the displacement x", false, "N/m"},
      spring);
    v(Note{"drag", "local dashpot: force -C x'", false, "N s/m"}, drag);
    v(Note{"force", "constant, on the beads", false, "N"}, force);
    v(Note{"gravity", "acceleration along the chain, towards the last bead", false, "m/s^2"}, gravity);
    v(Note{"left", "the end before bead 0: free (when left out), wall, or fields"}, left);
    v(Note{"right", "the end behind the last bead"}, right);
    v(Note{"defects", "beads and contacts that differ from the rest: strikers, impurities"}, defects);
    v(Note{"formulation", "y (when left out) or x, of the equations (docs/explanation/chains.md)"},
      formulation);
  }
};

}  // namespace saltus
