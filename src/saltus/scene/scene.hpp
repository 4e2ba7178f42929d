// Every field of a scene file, once: the reader, the JSON Schema, the reference page and --set come from
// these lists.
#pragma once
#include <map>
#include <optional>

#include "saltus/planar/few_bodies.hpp"
#include "saltus/run/run.hpp"
#include "saltus/scene/beam_fields.hpp"
#include "saltus/scene/body_fields.hpp"
#include "saltus/scene/chain_fields.hpp"
#include "saltus/scene/draw_fields.hpp"
#include "saltus/scene/scene_laws.hpp"
#include "saltus/scene/space_fields.hpp"

namespace saltus {

// ---- formulas
// ---------------------------------------------------------------------------------------------------
struct SceneCoordinate {
  Value start, velocity;
  template <class V>
  void fields(V&& v) {
    v(Note{"start", "value at the start, 0 when left out; its unit is the coordinate's"}, start);
    v(Note{"velocity", "rate at the start, 0 when left out"}, velocity);
  }
};

struct SceneContact {
  Formula gap;
  OneOrMany<Formula> slip;
  Choice<SceneLaw> law;
  template <class V>
  void fields(V&& v) {
    v(Note{"gap", "distance, closed at 0; a formula of coordinates, t and parameters"}, gap);
    v(Note{"slip", "relative velocity along the surface, linear in the velocities; one per tangent"}, slip);
    v(Note{"law", "what happens when the contact is closed (laws without a gap act always)", true}, law);
  }
};

/// A variable of an overdetermined DAE that reactions act on.
struct SceneVelocity {
  Value start;
  template <class V>
  void fields(V&& v) {
    v(Note{"start", "value at the start; its unit is the variable's"}, start);
  }
};

struct SceneConstraint {
  Formula gap;
  Word multiplier;
  Value first, e;
  bool unilateral = false;
  Named<Formula> impact;
  template <class V>
  void fields(V&& v) {
    v(Note{"gap", "held at 0, or >= 0 when unilateral; a formula of coordinates, t and parameters", true},
      gap);
    v(Note{"multiplier", "its name in `reactions`", true}, multiplier);
    v(Note{"first", "where the search for the multiplier begins; 1 when left out"}, first);
    v(Note{"unilateral", "may open; then its multiplier is >= 0"}, unilateral);
    v(Note{"e", "restitution of a unilateral one"}, e);
    v(Note{"impact",
           "jump of each velocity by a unit impulse, by names; when left out the reaction's derivative by "
           "the "
           "multiplier, which must then be affine in it"},
      impact);
  }
};

/// A diagonal by names of coordinates, or rows.
struct MassFormulas {
  Place place;
  Named<Formula> diagonal;
  std::vector<std::vector<Formula>> rows;
  bool given() const { return place.line > 0 || !rows.empty() || !diagonal.empty(); }
};

// ---- ready systems
// ---------------------------------------------------------------------------------------------------
struct SceneReady {
  Word problem, preset, prefix;
  Named<Value> parameters;
  template <class V>
  void fields(V&& v) {
    v(Note{"problem", "a name of `saltus list problems`", true}, problem);
    v(Note{"preset", "one of its presets"}, preset);
    v(Note{"parameters", "its parameters; those left out keep their default"}, parameters);
    v(Note{"prefix", "together with formulas or bodies its coordinates are PREFIX.q0, PREFIX.q1, … (ready)"},
      prefix);
  }
};

// ---- the run
// ---------------------------------------------------------------------------------------------------
struct SceneRun {
  Value t_end, h, rtol, atol;
  AtLeast<0> digits, seed{1};
  bool estimate = true;
  Choice<SchemeSpec> scheme;
  Choice<Stepping> stepping;
  Choice<SolverSpec> solver;
  bool accept_penetration = false;
  std::vector<Value> breakpoints;
  template <class V>
  void fields(V&& v) {
    v(Note{"t_end", "end time", false, "s"}, t_end);
    v(Note{"h", "step, or the largest one", false, "s"}, h);
    v(Note{"rtol",
           "run by tolerance: relative to the size of each coordinate and velocity; instead of scheme, "
           "stepping and h"},
      rtol);
    v(Note{"atol", "absolute tolerance, added to it (0)"}, atol);
    v(Note{"digits",
           "run by tolerance, tightened until every measure, or final coordinate, has so many digits (1 to "
           "13); in "
           "sweeps the tolerance is 10^-digits"},
      digits);
    v(Note{"estimate", "error bars of a run by tolerance (true)"}, estimate);
    v(Note{"scheme", "time-stepping scheme (saltus list schemes)"}, scheme);
    v(Note{"stepping", "how steps are chosen (saltus list steppings)"}, stepping);
    v(Note{"solver", "of the contact problems (saltus list solvers)"}, solver);
    v(Note{"seed", "of what is random: places of groups (1)"}, seed);
    v(Note{"accept_penetration", "take a penetrating start as closed contacts"}, accept_penetration);
    v(Note{"breakpoints", "times at which loads jump: no step goes across", false, "s"}, breakpoints);
  }
};

struct SceneRecord {
  OneOrMany<Word> what;
  Word results, csv, figure, forces;
  OneOrMany<Word> contacts;
  AtLeast<1> every;
  template <class V>
  void fields(V&& v) {
    v(Note{"what", "coordinates that csv and figure show; all, and the first few, when left out"}, what);
    v(Note{"results", "write all of the run into this file (.h5), in or below the folder of the run"},
      results);
    v(Note{"csv", "write the trajectory into this file, in or below the folder of the run"}, csv);
    v(Note{"figure", "draw it into this file (.svg or .png)"}, figure);
    v(Note{"forces",
           "of a chain: write overlap, force and energy of contacts into this file (.csv, or .h5 for HDF5)"},
      forces);
    v(Note{"contacts", "which: numbers, ranges from:to:by, -1 for the last; all when left out"}, contacts);
    v(Note{"every", "keep every K-th sample"}, every);
  }
};

struct Scene {
  int saltus = 0;
  bool units = false;                                  ///< a value outside `run` has a unit
  std::map<std::string, Place, std::less<>> sections;  ///< where each begins
  Place place_of(std::string_view section) const {
    const auto it = sections.find(section);
    return it == sections.end() ? Place{1, 1} : it->second;
  }
  Word title;
  Named<Value> parameters;
  Named<SceneCoordinate> coordinates;
  Named<Formula> let;
  MassFormulas mass;
  Formula kinetic, potential;
  Named<Formula> forces, rates;
  Named<SceneVelocity> velocities;
  Named<Formula> reactions;
  Named<SceneConstraint> constraints;
  Named<SceneContact> contacts;
  Named<OneOrMany<Formula>> joints;
  std::optional<SceneReady> ready;
  std::optional<SceneChain> chain;
  std::optional<SceneSpace> space;
  Named<SceneBody> bodies;
  Named<SceneGroup> groups;
  Named<SceneBeam> beams;
  Named<SceneWall> walls;
  Named<SceneMaterial> materials;
  Named<SceneJoint> links;
  Named<SceneSpring> springs;
  Named<SceneMotor> motors;
  Named<Formula> motions;
  Pair gravity;
  Value contact_margin;
  SceneRun run;
  SceneRecord record;
  Named<Formula> measure;
  Named<SceneDraw> draw;
  template <class V>
  void fields(V&& v) {
    v(Note{"saltus", "version of the format: 1", true}, saltus);
    v(Note{"title", "one line about the scene"}, title);
    v(Note{"parameters", "named numbers, with units where wanted, or formulas of earlier ones"}, parameters);
    v(Note{"coordinates", "names of the coordinates, with their start"}, coordinates);
    v(Note{"let", "named parts of formulas; NAME' is the rate of one"}, let);
    v(Note{"mass", "mass matrix: by coordinates (diagonal), or a list of rows"}, mass);
    v(Note{"kinetic", "kinetic energy, quadratic in the velocities, instead of a mass matrix"}, kinetic);
    v(Note{"potential", "potential energy, a formula of coordinates, t and parameters"}, potential);
    v(Note{"forces",
           "generalised forces by coordinates; formulas of coordinates, velocities NAME', t, parameters"},
      forces);
    v(Note{"rates", "instead of mechanics: NAME' of each coordinate (an ordinary differential equation)"},
      rates);
    v(Note{"velocities",
           "overdetermined DAE: velocities or momenta, with their start; `rates` are then those of "
           "coordinates "
           "and velocities without reactions"},
      velocities);
    v(Note{"reactions", "overdetermined DAE: what the multipliers add to the rates of the velocities"},
      reactions);
    v(Note{"constraints", "overdetermined DAE: what holds the coordinates, each with a multiplier"},
      constraints);
    v(Note{"contacts", "unilateral contacts, friction, compliant contacts"}, contacts);
    v(Note{"joints", "formulas that are held at zero: one or a list"}, joints);
    v(Note{"ready", "a problem of the catalog, alone or together with formulas and bodies"}, ready);
    v(Note{"chain", "beads on a line, up to ten million, on an engine of their own"}, chain);
    v(Note{"space", "rigid bodies in space, with walls, joints and springs"}, space);
    v(Note{"bodies", "rigid bodies of the plane: coordinates NAME.x, NAME.y, NAME.angle"}, bodies);
    v(Note{"groups", "equal bodies NAME.1, NAME.2, … on a grid, at random places, or in a chain"}, groups);
    v(Note{"beams", "elastic beams of the plane: coordinates NAME.K.x, NAME.K.y, NAME.K.angle of node K"},
      beams);
    v(Note{"walls", "half-planes, circles, drums and boxes that the bodies touch, fixed or turning"}, walls);
    v(Note{"materials",
           "of bodies: friction and restitution, or a compliant law, by name; 'default' where a body names "
           "none; of beads: young, poisson, density"},
      materials);
    v(Note{"links", "joints between bodies"}, links);
    v(Note{"springs", "springs and dampers between bodies"}, springs);
    v(Note{"motors", "torques, forces and speeds on links and bodies"}, motors);
    v(Note{"motions", "coordinates that move as prescribed: NAME: formula of t"}, motions);
    static const std::string margin_help = fmt::format(
        "with more than {} bodies: pairs farther apart, which no step closes, are not listed; a tenth of the "
        "smallest body when left out",
        few_bodies);
    v(Note{"contact_margin", margin_help, false, "m"}, contact_margin);
    v(Note{"gravity", "acceleration of bodies; [0, -9.81 m/s^2] when left out"}, gravity);
    v(Note{"run", "method and end time"}, run);
    v(Note{"record", "what is kept"}, record);
    v(Note{"measure", "named formulas of the result: final.NAME, max.NAME, energy.final, events.impact, …"},
      measure);
    v(Note{"draw", "a picture of formulas: points, lines, springs, texts; bodies are drawn without it"},
      draw);
  }
};

/// All fields of the file, with complaints for what is unknown, missing or of the wrong kind.
Scene read_scene(const SceneNode& root, Complaints& complaints);

}  // namespace saltus
