// Every field of a scene file, once: the reader, the JSON Schema, the reference page and --set come from
// these lists.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "saltus/core/fields.hpp"
#include "saltus/law/law.hpp"
#include "saltus/run/run.hpp"
#include "saltus/scene/document.hpp"

namespace saltus {

/// What is said about a field. `unit`: what a value with a unit must be convertible to.
struct Note {
  std::string_view name, help;
  bool required = false;
  std::string_view unit = {};
};

/// A formula; what may occur in it depends on the field.
struct Formula {
  std::string text, path;
  Place place;
  bool given() const { return !text.empty(); }
};
/// A number, with a unit where wanted, or a formula of parameters: 9.81, "9.81 m/s^2", "m*g/k".
struct Value : Formula {
  std::string_view unit = {};  ///< of a plain number
};
/// A word.
struct Word {
  std::string text, path;
  Place place;
  bool given() const { return !text.empty(); }
};

/// A map from names that the user chooses, in the order of the file.
template <class T>
struct Named {
  struct Entry {
    std::string name;
    Place place;
    T value;
  };
  std::vector<Entry> list;
  bool empty() const { return list.empty(); }
};

/// One or a list: `slip: x'` or `slip: [x', y']`.
template <class T>
struct OneOrMany {
  std::vector<T> list;
};

/// One of the structs of a variant: "name", "name:key=value,…", or a map {name: …, key: value}.
template <class Variant>
struct Choice {
  Word name;
  struct Setting {
    std::string key;
    Value value;
  };
  std::vector<Setting> settings;
  Place place;
  bool given() const { return name.given(); }
};

/// A point or vector of the plane.
struct Pair {
  Value x, y;
  bool given() const { return x.given(); }
};

// ---- laws
// ---------------------------------------------------------------------------------------------------
/// λ = k d₊^{3/2}, d = −gap.
struct HertzContact {
  static constexpr std::string_view name = "hertz", summary = "compliant contact, k d^1.5 of the overlap d";
  double k = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"k", "N/m^1.5", "stiffness", Range::positive()}, k);
  }
};
/// λ = k d₊^{3/2} + γ k d/dt d₊^{3/2}
struct KuwabaraKono {
  static constexpr std::string_view name = "kuwabara-kono",
                                    summary = "Hertz contact with the damping of Kuwabara and Kono";
  double k = 1, gamma = 0.1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"k", "N/m^1.5", "stiffness", Range::positive()}, k);
    v(FieldInfo{"gamma", "s", "damping", Range::non_negative()}, gamma);
  }
};
/// λ = k d₊^p + c d/dt d₊
struct DashpotContact {
  static constexpr std::string_view name = "dashpot",
                                    summary = "spring k d^p and dashpot c d' of the overlap d";
  double k = 1, c = 0, p = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"k", "N/m^p", "stiffness", Range::positive()}, k);
    v(FieldInfo{"c", "N s/m", "damping", Range::non_negative()}, c);
    v(FieldInfo{"p", "", "power of the overlap", Range::at_least(1)}, p);
  }
};
using SceneLaw = std::variant<Unilateral, Coulomb, Relay, Tresca, PrestressedSpring, HertzContact,
                              KuwabaraKono, DashpotContact>;

// ---- formulas
// ---------------------------------------------------------------------------------------------------
struct SceneCoordinate {
  Value start, velocity;
  template <class V>
  void fields(V&& v) {
    v(Note{"start", "value at the start; its unit is the coordinate's"}, start);
    v(Note{"velocity", "rate at the start"}, velocity);
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
  Word problem, preset;
  Named<Value> parameters;
  template <class V>
  void fields(V&& v) {
    v(Note{"problem", "a name of `saltus list problems`", true}, problem);
    v(Note{"preset", "one of its presets"}, preset);
    v(Note{"parameters", "its parameters; those left out keep their default"}, parameters);
  }
};

// ---- bodies
// ---------------------------------------------------------------------------------------------------
struct SceneMaterial {
  Value mu, e_n, e_t;
  template <class V>
  void fields(V&& v) {
    v(Note{"mu", "coefficient of friction; of a pair √(μ₁ μ₂)"}, mu);
    v(Note{"e_n", "normal restitution; of a pair the larger"}, e_n);
    v(Note{"e_t", "tangential restitution; of a pair the larger"}, e_t);
  }
};

struct SceneBody {
  Word shape, material;
  Value radius, mass, inertia, density, angle, spin;
  Pair position, velocity, size;
  std::vector<Pair> points;
  bool fixed = false;
  template <class V>
  void fields(V&& v) {
    v(Note{"shape", "point, disk, box or polygon", true}, shape);
    v(Note{"radius", "of a disk", false, "m"}, radius);
    v(Note{"size", "width and height of a box"}, size);
    v(Note{"points", "corners of a convex polygon, against the clock; shifted to its centre of mass"},
      points);
    v(Note{"mass", "mass; or give the density", false, "kg"}, mass);
    v(Note{"density", "mass per area", false, "kg/m^2"}, density);
    v(Note{"inertia", "about the centre of mass; that of a homogeneous body when left out", false, "kg m^2"},
      inertia);
    v(Note{"position", "of the centre of mass at the start"}, position);
    v(Note{"angle", "at the start", false, "rad"}, angle);
    v(Note{"velocity", "at the start"}, velocity);
    v(Note{"spin", "angular velocity at the start", false, "rad/s"}, spin);
    v(Note{"material", "a name of `materials`"}, material);
    v(Note{"fixed", "stands still: an obstacle without mass"}, fixed);
  }
};

struct SceneWall {
  Pair point, normal;
  Word material;
  template <class V>
  void fields(V&& v) {
    v(Note{"point", "a point of the plane"}, point);
    v(Note{"normal", "away from the wall", true}, normal);
    v(Note{"material", "a name of `materials`"}, material);
  }
};

struct SceneJoint {
  Word type, a, b;
  Pair at, axis;
  Value distance, ratio;
  template <class V>
  void fields(V&& v) {
    v(Note{"type", "revolute, prismatic, weld, distance or gear", true}, type);
    v(Note{"a", "a body", true}, a);
    v(Note{"b", "another body; the ground when left out"}, b);
    v(Note{"at", "where, in the plane at the start (revolute, prismatic)"}, at);
    v(Note{"axis", "direction of a prismatic joint at the start"}, axis);
    v(Note{"distance", "of the centres (distance); that of the start when left out", false, "m"}, distance);
    v(Note{"ratio", "turns of b for one of a (gear)"}, ratio);
  }
};

struct SceneSpring {
  Word a, b;
  Pair at_a, at_b;
  Value stiffness, damping, length;
  template <class V>
  void fields(V&& v) {
    v(Note{"a", "a body", true}, a);
    v(Note{"b", "another body; the ground when left out"}, b);
    v(Note{"at_a", "where it holds a, in the plane at the start; its centre when left out"}, at_a);
    v(Note{"at_b", "where it holds b, in the plane at the start; its centre when left out"}, at_b);
    v(Note{"stiffness", "force per length", false, "N/m"}, stiffness);
    v(Note{"damping", "force per rate of the length", false, "N s/m"}, damping);
    v(Note{"length", "without force; that of the start when left out", false, "m"}, length);
  }
};

// ---- the run
// ---------------------------------------------------------------------------------------------------
struct SceneRun {
  Value t_end, h;
  Choice<SchemeSpec> scheme;
  Choice<Stepping> stepping;
  Choice<SolverSpec> solver;
  bool accept_penetration = false;
  std::vector<Value> breakpoints;
  template <class V>
  void fields(V&& v) {
    v(Note{"t_end", "end time", false, "s"}, t_end);
    v(Note{"h", "step, or the largest one", false, "s"}, h);
    v(Note{"scheme", "time-stepping scheme (saltus list schemes)"}, scheme);
    v(Note{"stepping", "how steps are chosen (saltus list steppings)"}, stepping);
    v(Note{"solver", "of the contact problems (saltus list solvers)"}, solver);
    v(Note{"accept_penetration", "take a penetrating start as closed contacts"}, accept_penetration);
    v(Note{"breakpoints", "times at which loads jump: no step goes across"}, breakpoints);
  }
};

struct SceneRecord {
  Word results, csv, figure;
  int every = 1;
  template <class V>
  void fields(V&& v) {
    v(Note{"results", "write all of the run into this file (.h5), in or below the folder of the run"},
      results);
    v(Note{"csv", "write the trajectory into this file, in or below the folder of the run"}, csv);
    v(Note{"figure", "draw it into this file (.svg or .png)"}, figure);
    v(Note{"every", "keep every K-th sample"}, every);
  }
};

struct Scene {
  int saltus = 0;
  Word title;
  Named<Value> parameters;
  Named<SceneCoordinate> coordinates;
  Named<Formula> let;
  MassFormulas mass;
  Formula kinetic, potential;
  Named<Formula> forces, rates;
  Named<SceneContact> contacts;
  Named<OneOrMany<Formula>> joints;
  std::optional<SceneReady> ready;
  Named<SceneBody> bodies;
  Named<SceneWall> walls;
  Named<SceneMaterial> materials;
  Named<SceneJoint> links;
  Named<SceneSpring> springs;
  Pair gravity;
  SceneRun run;
  SceneRecord record;
  Named<Formula> measure;
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
    v(Note{"contacts", "unilateral contacts, friction, compliant contacts"}, contacts);
    v(Note{"joints", "formulas that are held at zero: one or a list"}, joints);
    v(Note{"ready", "a problem of the catalog instead of formulas"}, ready);
    v(Note{"bodies", "rigid bodies of the plane: coordinates NAME.x, NAME.y, NAME.angle"}, bodies);
    v(Note{"walls", "fixed half-planes that the bodies touch"}, walls);
    v(Note{"materials", "friction and restitution by name; 'default' where a body names none"}, materials);
    v(Note{"links", "joints between bodies"}, links);
    v(Note{"springs", "springs and dampers between bodies"}, springs);
    v(Note{"gravity", "acceleration of bodies; [0, -9.81 m/s^2] when left out"}, gravity);
    v(Note{"run", "method and end time"}, run);
    v(Note{"record", "what is kept"}, record);
    v(Note{"measure", "named formulas of the result: final.NAME, max.NAME, energy.final, events.impact, …"},
      measure);
  }
};

/// All fields of the file, with complaints for what is unknown, missing or of the wrong kind.
Scene read_scene(const SceneNode& root, Complaints& complaints);

}  // namespace saltus
