// Scenes with a mistake, and words that the message about it must hold.
#pragma once
#include <string>

namespace saltus {

struct Bad {
  const char *scene, *words;
};

inline const std::string ball =
    "saltus: 1\nparameters: {m: 1 kg, g: 9.81 m/s^2}\ncoordinates: {z: {start: 1 m}}\n";
inline const std::string rest = "mass: {z: m}\nforces: {z: -m*g}\nrun: {t_end: 1 s}\n";

inline constexpr Bad texts[] = {
    {"", "a scene starts with 'saltus: 1'"},
    {"saltus: [1, 2", "not YAML"},
    {"saltus: 1\nrun: {t_end: 1}}\n", "not YAML"},
    {"saltus: 2\n", "s.yaml:1:9: saltus: found version '2', this program reads version 1"},
    {"title: x\n", "saltus: this field is missing"},
    {"- 1\n", "found a list, expected a map of fields"},
    {"just words\n", "found 'just words', expected a map of fields"},
    {"saltus: 1\nsaltus: 1\n", "s.yaml:2:1: saltus: this is given twice"},
    {"saltus: &a 1\n", "anchors (&name) are not read"},
    {"saltus: 1\ntitle: *a\n", "not YAML"},
    {"saltus: 1\ntitle: !!python/object x\n", "the tag"},
    {"saltus: 1\n---\nsaltus: 1\n", "one document per file"},
    {"saltus: one\n", "saltus: found 'one', expected a whole number"},
    {"saltus: 1\nparamters: {m: 1}\n", "s.yaml:2:1: paramters: unknown field (did you mean 'parameters'?)"},
    {"saltus: 1\nparameters: [1]\n", "parameters: found a list, expected a map {name: …}"},
    {"saltus: 1\nrun: 3\n", "run: found '3', expected a map of fields"},
    {"saltus: 1\n", "the scene has no system"},
    {"saltus: 1\nparameters: {2m: 1}\n", "'2m' is not a name"},
    {"saltus: 1\nparameters: {sin: 1}\n", "'sin' has a meaning of its own"},
    {"saltus: 1\nparameters: {a.b: 1}\n", "names with a dot belong to bodies"},
    {"saltus: 1\nparameters: {m: {a: 1}}\n", "parameters.m: found a map, expected a formula or a number"},
    {"saltus: 1\nparameters: {m: 1 kgg}\n", "s.yaml:2:17: parameters.m: unknown unit 'kgg'"},
    {"saltus: 1\nparameters: {m: 1 kg^x}\n", "a power is a number"},
    {"saltus: 1\nparameters: {m: 1e999}\n", "cannot be represented"},
    {"saltus: 1\nparameters: {m: 1/0}\n", "not a finite number"},
    {"saltus: 1\nparameters: {m: n, k: 1}\n", "unknown name 'n'"},
    {"saltus: 1\nparameters: {m: 2*}\n", "the expression ends too early\n  2*\n    ^"},
    {"saltus: 1\nparameters: {m: nan}\n", "not a finite number"},
    {"saltus: 1\nready: {}\n", "ready.problem: this field is missing"},
    {"saltus: 1\nready: {problem: bouncing-bal}\n", "did you mean 'bouncing-ball'?"},
    {"saltus: 1\nready: {problem: bouncing-ball, parameters: {ee: 1}}\n",
     "has no such parameter (did you mean 'e'?)"},
    {"saltus: 1\nready: {problem: bouncing-ball, parameters: {e: 2}}\n", "e must be in [0, 1]"},
    {"saltus: 1\nready: {problem: bouncing-ball, parameters: {m: 2 s}}\n", "found s, expected a value in kg"},
    {"saltus: 1\nready: {problem: bouncing-ball, preset: x}\n", "has no presets"},
    {"saltus: 1\nready: {problem: bouncing-ball}\ncoordinates: {x: {}}\n", "the inertia is missing"},
    {"saltus: 1\nready: {problem: trimer}\ncoordinates: {x: {}}\nmass: {x: 1}\n",
     "trimer is no mechanical system but of the family first-order: it stands alone"},
    {"saltus: 1\ncoordinates: {x: {}}\nrates: {x: -x, y: 1}\nrun: {t_end: 1}\n", "no coordinate 'y'"},
    {"saltus: 1\ncoordinates: {x: {}, y: {}}\nrates: {x: -x}\nrun: {t_end: 1}\n", "the rate of y is missing"},
    {"saltus: 1\ncoordinates: {x: {}}\nrates: {x: x'}\nrun: {t_end: 1}\n",
     "'x'' is a velocity, which must not occur here"},
    {"saltus: 1\ncoordinates: {x: {}}\nrates: {x: x}\nmass: {x: 1}\nrun: {t_end: 1}\n", "stand alone"},
    {"saltus: 1\nwalls: {floor: {normal: [0, 1]}}\n",
     "s.yaml:2:1: walls: this is for bodies, and the scene has none"},
    {"saltus: 1\nbodies: {b: {shape: dsk, mass: 1}}\nrun: {t_end: 1}\n",
     "unknown shape 'dsk' (did you mean 'disk'?)"},
    {"saltus: 1\nbodies: {b: {shape: disk, mass: 1}}\nrun: {t_end: 1}\n", "a disk needs a radius > 0"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1 kg, mass: 1}}\nrun: {t_end: 1}\n",
     "found kg, expected a value in m"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1}}\nrun: {t_end: 1}\n",
     "needs either a mass or a density"},
    {"saltus: 1\nbodies: {b: {shape: box, size: [1], mass: 1}}\nrun: {t_end: 1}\n",
     "expected two numbers: [x, y]"},
    {"saltus: 1\nbodies: {b: {shape: polygon, points: [[0,0],[0,1],[1,0]], mass: 1}}\nrun: {t_end: 1}\n",
     "against the clock"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1, radius: 1}}\nrun: {t_end: 1}\n", "only a disk has this"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1, material: ice}}\nrun: {t_end: 1}\n",
     "no material 'ice'"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nlinks: {l: {type: revolut, a: b}}\nrun: {t_end: 1}\n",
     "unknown type 'revolut' (did you mean 'revolute'?)"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nlinks: {l: {type: distance, a: c}}\nrun: {t_end: 1}\n",
     "no body 'c'"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nwalls: {w: {normal: [0, 0]}}\nrun: {t_end: 1}\n",
     "walls.w.normal.0: a direction must not be zero"},
    // told at the field itself, and nothing that only follows from it
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1 s}}\nrun: {t_end: 1}\n",
     "s.yaml:2:44: bodies.b.mass: found s, expected a value in kg"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 0, mass: 1}}\nrun: {t_end: 1}\n",
     "s.yaml:2:35: bodies.b.radius: found 0, expected > 0"},
    {"saltus: 1\nbodies: {b: {shape: box, size: [1, -1], mass: 1}}\nrun: {t_end: 1}\n",
     "s.yaml:2:36: bodies.b.size.1: found -1, expected > 0"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1, density: 1}}\nrun: {t_end: 1}\n",
     "bodies.b.density: give either a mass or a density, not both"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}, f: {shape: disk, radius: 1, mass: 1, fixed: true, "
     "position: [5, 5]}}\nrun: {t_end: 1}\n",
     "bodies.f.mass: a fixed body has none: leave it out"},
    {"saltus: 1\nbodies: {b: {shape: polygon, points: [[0,0],[1,0],[0,1],[1,1]], mass: 1}}\nrun: {t_end: "
     "1}\n",
     "s.yaml:2:40: bodies.b.points.0.0: the points must go round against the clock; these do not"},
    {"saltus: 1\nbodies: {b: {shape: polygon, points: [[0,0],[3,0],[1,1],[0,3]], mass: 1}}\nrun: {t_end: "
     "1}\n",
     "s.yaml:2:52: bodies.b.points.2.0: a polygon must be convex: the corner at (1, 1)"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}, c: {shape: disk, radius: 1, mass: 1, "
     "position: [1, 0]}}\nrun: {t_end: 1}\n",
     "s.yaml:2:10: bodies.b: the start penetrates at contact b/c, gap = -1; move it apart, or set "
     "run.accept_penetration: true"},
    {"saltus: 1\ncoordinates: {z: {start: -1}}\nmass: {z: 1}\ncontacts: {c: {gap: z, law: unilateral}}\nrun: "
     "{t_end: 1}\n",
     "s.yaml:4:12: contacts.c: the start penetrates at contact c, gap = -1"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\njoints: {j: z - 2}\nrun: {t_end: 1}\n",
     "s.yaml:4:10: joints.j: the start violates it by -2"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: z}\nrun: {t_end: 1}\n",
     "s.yaml:3:8: mass.z: the mass of z is 0 at the start: it must be a finite number > 0"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nforces: {z: 1/z}\nrun: {t_end: 1}\n",
     "s.yaml:4:10: forces.z: the force on z is inf at the start: it must be finite"},
    {"saltus: 1\ncoordinates: {x: {}, y: {}}\nmass: [[1, 2], [2, 1]]\nrun: {t_end: 1}\n",
     "s.yaml:3:7: mass: the mass matrix is not positive definite"},
    {"saltus: 1\ncoordinates: {x: {}, y: {}}\nkinetic: x'^2/2\nrun: {t_end: 1}\n",
     "s.yaml:3:10: kinetic: y' does not occur: y would have no mass"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nkinetic: b.x'^2\nrun: {t_end: 1}\n",
     "s.yaml:3:10: kinetic: bodies have their masses"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\ncontacts: {r: {slip: z', law: {name: relay, lower: 1, "
     "upper: -1}}}\nrun: {t_end: 1}\n",
     "contacts.r.law.name: lower = 1 exceeds upper = -1"},
    {"saltus: 1\nparameters: {m: 1 kg}\ncoordinates: {z: {start: 1}}\nmass: {z: m}\nrun: {t_end: 1}\n",
     "'m' is kg, but the mass of z (a pure number, as its start has no unit) must be kg m^2"},
    {"saltus: 1\ncoordinates: {z: {start: 1e400}}\nmass: {z: 1}\nrun: {t_end: 1}\n",
     "coordinates.z.start: '1e400': this number cannot be represented"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nrun: {t_end: 1, seed: -1}\n",
     "s.yaml:4:23: run.seed: found '-1', expected >= 0"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nrun: {t_end: 1e300, h: 1e-5}\n",
     "s.yaml:4:1: run: step h = 1e-05 needs 1e+305 steps"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nmeasure: {a: 1/0}\nrun: {t_end: 1}\n",
     "measure.a: this is not a finite number: '1/0'"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nmeasure: {a: events.bang}\nrun: {t_end: 1}\n",
     "unknown quantity 'events.bang'; known: events.impact, events.close, "},
    {"saltus: 1\nparameters: {a: b, b: 1}\ncoordinates: {z: {}}\nmass: {z: 1}\nrun: {t_end: 1}\n",
     "parameters.a: 'b' is defined later, as parameters.b in line 2"},
    {"saltus: 1\ncoordinates: {z: {}}\nlet: {a: a + 1}\nmass: {z: 1}\nrun: {t_end: 1}\n",
     "let.a: 'a' is defined by itself"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\ncontacts: {c: {gap: z, slip: z', law: "
     "coulomb:mu=0.3,e_n=0.5}}\nrun: {t_end: 1}\n",
     "contacts.c.e_n=0.5: unknown field; known here: gap, slip, law (inside { } or [ ] a comma ends a text: "
     "put "
     "the whole text in quotes)"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nlinks: {l: {type: revolute, a: b, at: [0, "
     "0], "
     "ratio: 2}}\nrun: {t_end: 1}\n",
     "links.l.ratio: a revolute joint has no such field; it belongs to gear"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nlinks: {l: {type: prismatic, a: b, at: [0, "
     "0], "
     "axis: [1 m, 1 s]}}\nrun: {t_end: 1}\n",
     "links.l.axis.1: x is m and y is s: a direction has two alike"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nlinks: {l: {type: gear, a: b}}\nrun: "
     "{t_end: "
     "1}\n",
     "links.l.type: a gear needs two bodies, a and b"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nwalls: {w: {normal: [0, 1], point: [0, -5], "
     "angle: 1}}\nrun: {t_end: 1}\n",
     "walls.w.angle: only a box has this"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nsprings: {s: {a: b, stiffness: 1, length: 1}}\nrun: "
     "{t_end: 1}\n",
     "springs.s.a: the ends of the spring lie on each other at the start"},
    {"saltus: 1\nbodies: {a: {shape: disk, radius: 1, fixed: true}}\nrun: {t_end: 1}\n",
     "s.yaml:2:1: bodies: none of the bodies can move"},
    {"saltus: 1\nbodies: {a: {shape: point, mass: 1}}\nlinks: {r: {type: revolute, a: a, at: [1, 0]}}\nrun: "
     "{t_end: 1}\n",
     "links.r.a: a is a point, which does not turn"},
    {"saltus: 1\ngroups: {g: {shape: point, mass: 1, layout: {name: chain, count: 3, dx: 1}}}\nrun: {t_end: "
     "1}\n",
     "groups.g.layout: points do not turn: take link: distance or spring"},
    {"saltus: 1\nbodies: {a: {shape: point, mass: 1, spin: 1}}\nrun: {t_end: 1}\n",
     "bodies.a.spin: a point does not turn"},
    {"saltus: 1\nbodies: {a: {shape: point, mass: 1}}\nsprings: {s: {a: a, at_a: [1, 0], at_b: [2, 0], "
     "stiffness: "
     "1}}\nrun: {t_end: 1}\n",
     "springs.s.at_a.0: a point does not turn"},
    {"saltus: 1\nbodies: {a: {shape: disk, radius: 1, mass: 1, spin: 1 Hz}}\nrun: {t_end: 1}\n",
     "bodies.a.spin: found Hz, which says neither turns nor radians"},
    {"saltus: 1\nbodies: {a: {shape: disk, radius: 1, fixed: true, position: [9, 9]}, b: {shape: point, "
     "mass: "
     "1}}\nlinks: {r: {type: revolute, a: a, at: [9, 9]}}\nrun: {t_end: 1}\n",
     "links.r.a: neither end of the link can move"},
    {"saltus: 1\nbodies: {a: {shape: disk, radius: 1, mass: 1}}\nlinks: {d: {type: distance, a: a, distance: "
     "2}}\nmotors: {m: {link: d, torque: 1}}\nrun: {t_end: 1}\n",
     "motors.m.link: a distance joint cannot be driven"},
    {"saltus: 1\ngroups: {g: {shape: point, mass: 1, layout: {name: grid, columns: 2}}}\nrun: {t_end: 1}\n",
     "points have no size to stand side by side: give dx and dy"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\ngravity: [0, -1]\nrun: {t_end: 1}\n",
     "s.yaml:4:1: gravity: this is for bodies, and the scene has none"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1, a.x: 2}\nbodies: {a: {shape: point, mass: 1}}\nrun: "
     "{t_end: "
     "1}\n",
     "mass.a.x: a body has its mass: give it there"},
    {"saltus: 1\ncoordinates: {x: {}, y: {}}\nmass: {x: 1, y: 1}\njoints: {j: x^2 + y^2}\nrun: {t_end: 1}\n",
     "joints.j: its gradient is zero at the start"},
    {"saltus: 1\ncoordinates: {x: {}}\nmass: {x: 1}\nmotions: {x: sqrt(t)}\nrun: {t_end: 1}\n",
     "s.yaml:4:1: motions: motion of x starts at a rate that is not finite"},
    {"saltus: 1\nbodies: {a: {shape: disk, radius: 1, mass: 1}}\nmotors: {m: {body: a, speed: 2}, n: {body: "
     "a, "
     "speed: 1}}\nrun: {t_end: 1}\n",
     "s.yaml:3:1: motors: the joints 'm', 'n' cannot all hold at the start"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\ncontacts: {c: {gap: z, law: \"\"}}\nrun: {t_end: 1}\n",
     "s.yaml:4:29: contacts.c.law: found '', expected one of unilateral, coulomb"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nrun: {t_end: 1, scheme: \":theta=1\"}\n",
     "run.scheme: found ':theta=1', expected one of moreau-jean"},
    {"saltus: 1\nbodies: {s: {shape: polygon, mass: 1, points: "
     "[[1,0],[-0.809,0.588],[0.309,-0.951],[0.309,0.951],"
     "[-0.809,-0.588]]}}\nrun: {t_end: 1}\n",
     "a polygon must be convex"},
    // a run without steps is tried, so what does not fit together is told by check
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nrun: {t_end: 1, scheme: moreau-jean, stepping: "
     "event-capturing}\n",
     "s.yaml:4:25: run.scheme: stepping event-capturing does not go with scheme moreau-jean; use "
     "stepping fixed or adaptive or switching, or scheme runge-kutta"},
    {"saltus: 1\ncoordinates: {z: {}}\nrates: {z: 1}\nrun: {t_end: 1, stepping: switching}\n",
     "run.stepping: "},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nrun: {t_end: 1, h: 0.1, stepping: {name: fixed, h: "
     "0.2}}\n",
     "run.h: the step is given twice: here and in run.stepping"},
    {"saltus: 1\ncoordinates: {x: {}, y: {start: 1}}\nvelocities: {v: {}, w: {}}\nrates: {x: v, y: w}\n"
     "reactions: {v: y*lam, w: -x*lam}\nconstraints: {c: {gap: x^2 + y^2 - 1, multiplier: lam}}\nrun: "
     "{t_end: "
     "1}\n",
     "singular at the start"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nrun: {t_end: 1, breakpoints: [1 m, -3 s]}\n",
     "run.breakpoints.0: found m, expected a value in s"},
    {"saltus: 1\nready: {problem: bouncing-ball, parameters: {e: 0.5 m}}\n",
     "ready.parameters.e: found m, expected a pure number"},
    {"saltus: 1\nready: bouncing-ball\n",
     "s.yaml:2:8: ready: found 'bouncing-ball', expected a map of fields"},
    {"saltus: 1\nready: {problem: bouncing-ball}\nrecord: {what: [q0], csv: a.csv}\n",
     "record.what.0: found 'q0', expected a number of a component, 0 to 0"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nrecord: {csv: s.yaml}\nrun: {t_end: 1}\n",
     "record.csv: this is the scene itself, which would be overwritten"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nrecord: {csv: a.csv, results: a.csv}\nrun: {t_end: 1}\n",
     "record.results has the same name"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nrecord: {results: a.txt}\nrun: {t_end: 1}\n",
     "record.results: a name of results ends in .h5 or .hdf5"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nmeasure: {a: \"final.q[9]\"}\nrun: {t_end: 1}\n",
     "measure.a: final.q[9]: the problem has 1 components, 0 to 0"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nmeasure: {a: error.q_sup}\nrun: {t_end: 1}\n",
     "measure.a: no reference solution is known"},
    {"saltus: 1\ncoordinates: {z: {}}\nrates: {z: 1}\nmeasure: {a: final.z'}\nrun: {t_end: 1}\n",
     "measure.a: the problem has no velocities"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nmeasure: {a: [1]}\nrun: {t_end: 1}\n",
     "s.yaml:4:14: measure.a: found a list, expected a formula or a number"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\ncontacts: {c: {gap: 3, law: unilateral}}\nrun: {t_end: "
     "1}\n",
     "contacts.c.gap: a gap is a formula of coordinates: none occurs here"},
    // units that stand in bodies only: what has a dimension must fit, plain numbers and t fit everything
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1 m, mass: 1 kg}}\nforces: {b.x: b.y}\nrun: {t_end: 1}\n",
     "'b.y' is m, but the force on b.x must be kg m/s^2 (N)"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1 m, mass: 1 kg}}\nforces: {b.x: 2*t + b.x'*(b.x + "
     "b.angle)}\nrun: {t_end: 1}\n",
     "the two terms of m and a pure number do not fit"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nmotors: {m: {body: b, torque: 1 N}}\nrun: "
     "{t_end: 1}\n",
     "motors.m.torque: '1 N' is kg m/s^2 (N), but a torque must be kg m^2/s^2 (J, N m)"},
    {"saltus: 1\nparameters: {k: 2 N*sin(t)}\ncoordinates: {z: {}}\nmass: {z: 1}\nrun: {t_end: 1}\n",
     "units stand behind single numbers only: in a formula use a parameter"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nmaterials: {ice: {mu: -1}}\nrun: {t_end: 1}\n",
     "s.yaml:3:23: materials.ice.mu: found -1, but mu must be >= 0"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nmaterials: {ice: {mu: -1, e_n: 2}, mud: {e_t: "
     "3}}\nrun: "
     "{t_end: 1}\n",
     "s.yaml:3:32: materials.ice.e_n: found 2, but e_n must be in [0, 1]\ns.yaml:3:47: materials.mud.e_t: "
     "found "
     "3"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nmaterials: {ice: {mu: 1 kg}}\nrun: {t_end: 1}\n",
     "s.yaml:3:23: materials.ice.mu: '1 kg' is kg, but mu is a pure number"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nmaterials: {ice: {mu: 0.1, law: hertz}}\nrun: {t_end: "
     "1}\n",
     "s.yaml:3:23: materials.ice.mu: a compliant material is smooth, and its law says how it bounces: leave "
     "out mu, or the law"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nmaterials: {ice: {law: herz}}\nrun: {t_end: 1}\n",
     "s.yaml:3:24: materials.ice.law: unknown name 'herz' (did you mean 'hertz'?); known: hertz, "
     "kuwabara-kono, dashpot"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nmaterials: {ice: {law: {name: hertz, k: 0}}}\nrun: "
     "{t_end: 1}\n",
     "s.yaml:3:41: materials.ice.law.k: hertz.k = 0 is not allowed"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nmaterials: {ice: {law: {name: dashpot, c: 1 "
     "kg}}}\nrun: "
     "{t_end: 1}\n",
     "materials.ice.law.c: '1 kg' is kg, but c must be kg/s"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1, material: ice}}\nwalls: {w: {normal: [0, 1], "
     "material: mud}}\nmaterials: {ice: {law: hertz}, mud: {law: dashpot}}\nrun: {t_end: 1}\n",
     "s.yaml:4:43: materials.mud.law: materials ice and mud: bodies b and w are compliant in different ways: "
     "give their materials the same law"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1, material: ice}}\nwalls: {w: {normal: [0, 1], "
     "material: mud}}\nmaterials: {ice: {law: 'dashpot:p=1'}, mud: {law: {p: 2, name: dashpot}}}\nrun: "
     "{t_end: "
     "1}\n",
     "materials ice and mud: bodies b and w are compliant in different ways"},
    // overdetermined DAEs
    {"saltus: 1\ncoordinates: {x: {}}\nvelocities: {v: {}}\nrates: {x: v}\nrun: {t_end: 1}\n",
     "velocities of their own belong to a system with constraints"},
    {"saltus: 1\ncoordinates: {x: {}}\nconstraints: {c: {gap: x, multiplier: p}}\nrates: {x: 1}\n",
     "constraints act on velocities, and there are none"},
    {"saltus: 1\ncoordinates: {x: {}}\nvelocities: {v: {}}\nrates: {x: v}\nreactions: {v: p}\n"
     "constraints: {c: {gap: x}}\n",
     "constraints.c.multiplier: this field is missing"},
    {"saltus: 1\ncoordinates: {x: {}}\nvelocities: {v: {}}\nrates: {x: v}\nconstraints: {c: {gap: x, "
     "multiplier: p}}\n",
     "no reaction uses 'p'"},
    {"saltus: 1\ncoordinates: {x: {}}\nvelocities: {v: {}}\nrates: {x: p}\nreactions: {v: p}\n"
     "constraints: {c: {gap: x, multiplier: p}}\n",
     "'p' is a multiplier, which must not occur here"},
    {"saltus: 1\ncoordinates: {x: {}}\nvelocities: {v: {}}\nreactions: {v: p}\nconstraints: {c: {gap: x, "
     "multiplier: p}}\n",
     "the rate of x is missing"},
    {"saltus: 1\ncoordinates: {x: {}}\nvelocities: {v: {}}\nrates: {x: v}\nreactions: {w: p}\nconstraints: "
     "{c: {gap: x, multiplier: p}}\n",
     "reactions.w: no velocity 'w'; known: v"},
    {"saltus: 1\ncoordinates: {x: {}}\nvelocities: {v: {}}\nrates: {x: v}\nreactions: {v: p^3}\nconstraints: "
     "{c: {gap: x, multiplier: p, unilateral: true}}\nrun: {t_end: 1}\n",
     "not affine in the multiplier: give its impact"},
    {"saltus: 1\ncoordinates: {x: {}}\nvelocities: {v: {}}\nrates: {x: v}\nreactions: {v: p}\nconstraints: "
     "{c: {gap: x, multiplier: p, e: 0.5}}\nrun: {t_end: 1}\n",
     "only a unilateral constraint has restitution"},
    {"saltus: 1\ncoordinates: {x: {start: 1}}\nvelocities: {v: {}}\nrates: {x: v}\nreactions: {v: p}\n"
     "constraints: {c: {gap: x, multiplier: p}}\nrun: {t_end: 1}\n",
     "start"},
    {"saltus: 1\ncoordinates: {x: {}}\nmass: {x: 1}\nreactions: {x: 1}\nrun: {t_end: 1}\n",
     "reactions belong to an overdetermined DAE"},
    // groups, walls, motors, motions, ready systems with others
    {"saltus: 1\ngroups: {g: {shape: disk, radius: 1, mass: 1}}\nrun: {t_end: 1}\n",
     "groups.g.layout: this field is missing"},
    {"saltus: 1\ngroups: {g: {shape: disk, radius: 1, mass: 1, layout: gird}}\nrun: {t_end: 1}\n",
     "unknown name 'gird' (did you mean 'grid'?)"},
    {"saltus: 1\ngroups: {g: {shape: disk, radius: 1, mass: 1, layout: {name: grid, colums: 2}}}\n",
     "grid has no such field (did you mean 'columns'?)"},
    {"saltus: 1\ngroups: {g: {shape: disk, radius: 1, mass: 1, layout: {name: grid, dx: 2 kg}}}\n",
     "'2 kg' is kg, but dx must be m"},
    {"saltus: 1\ngroups: {g: {shape: disk, radius: 1, mass: 1, layout: {name: grid, columns: 0}}}\n",
     "columns must be in [1, 10000]"},
    {"saltus: 1\ngroups: {g: {shape: disk, radius: 1, mass: 1, layout: {name: grid, columns: 1000, rows: "
     "1000}}}\nrun: {t_end: 1}\n",
     "1000 columns and 1000 rows are more than 10000 bodies"},
    {"saltus: 1\ngroups: {g: {shape: disk, radius: 0.1, mass: 1, layout: {name: random, count: 500}}}\nrun: "
     "{t_end: 1}\n",
     "of 500 bodies find a place: give them more room"},
    {"saltus: 1\ngroups: {a: {shape: point, mass: 1, layout: {name: random, count: 10000}}, b: {shape: "
     "point, mass: "
     "1, layout: {name: chain, count: 10000, dx: 1}}, c: {shape: point, mass: 1, layout: grid}}\nrun: "
     "{t_end: 1}\n",
     "a scene has at most 20000 bodies"},
    {"saltus: 1\ngroups: {g: {shape: disk, radius: 1e-300, mass: 1, layout: {name: random, left: -1e308, "
     "right: "
     "1e308}}}\nrun: {t_end: 1}\n",
     "not finite"},
    {"saltus: 1\ngroups: {g: {shape: disk, radius: 2, mass: 1, layout: random}}\nrun: {t_end: 1}\n",
     "does not hold one body of diameter 4"},
    {"saltus: 1\ngroups: {g: {shape: disk, radius: 1, mass: 1, layout: {name: chain, link: rope}}}\n",
     "not one of none, revolute, weld, distance, spring"},
    {"saltus: 1\nbodies: {g: {shape: point, mass: 1}}\nwalls: {g: {normal: [0, 1]}}\nrun: {t_end: 1}\n",
     "the name 'g' is taken already"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nconstraints: {c: {gap: b.x}}\nrun: {t_end: 1}\n",
     "constraints act on velocities, and there are none"},
    {"saltus: 1\nbodies: {g.1: {shape: point, mass: 1}}\nrun: {t_end: 1}\n", "the name of a body has no dot"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nwalls: {w: {}}\nrun: {t_end: 1}\n",
     "a plane needs a normal"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nwalls: {w: {shape: dram, radius: 1}}\nrun: {t_end: "
     "1}\n",
     "unknown shape 'dram' (did you mean 'drum'?)"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nwalls: {w: {shape: drum}}\nrun: {t_end: 1}\n",
     "a drum needs a radius > 0"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nwalls: {w: {normal: [0, 1], radius: 2}}\nrun: {t_end: "
     "1}\n",
     "only a circle or a drum has this"},
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nwalls: {w: {shape: box}}\nrun: {t_end: 1}\n",
     "a box needs a size"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nmotors: {m: {torque: 1}}\nrun: {t_end: 1}\n",
     "motors.m: give either a body or a link"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nmotors: {m: {body: b}}\nrun: {t_end: 1}\n",
     "give one of torque, force and speed"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nmotors: {m: {body: b, force: 1}}\nrun: "
     "{t_end: "
     "1}\n",
     "a body or link that turns needs a torque, not a force"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nmotors: {m: {link: pin, speed: 1}}\nrun: "
     "{t_end: "
     "1}\n",
     "no link 'pin' that can be driven"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nmotors: {m: {body: b, speed: sin(t)}}\nrun: "
     "{t_end: 1}\n",
     "a speed that changes needs a limit"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nmotors: {m: {body: b, torque: 1, limit: "
     "2}}\nrun: {t_end: 1}\n",
     "only a speed has a limit"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nmotors: {m: {body: c, torque: 1}}\nrun: "
     "{t_end: "
     "1}\n",
     "no body 'c'"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nmotions: {b.z: t}\nrun: {t_end: 1}\n",
     "no coordinate 'b.z' (did you mean 'b.x'?)"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nmotions: {b.x: b.y}\nrun: {t_end: 1}\n",
     "a prescribed motion is a formula of t and parameters"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nmotions: {b.x: 1 + t}\nrun: {t_end: 1}\n",
     "joint motion of b.x: the start violates it"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\ncontact_margin: 0\nrun: {t_end: 1}\n",
     "contact_margin: found 0, expected > 0"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nrun: {t_end: 1, seed: x}\n",
     "expected a whole number"},
    {"saltus: 1\nready: {problem: bouncing-ball, prefix: 2b}\ncoordinates: {x: {}}\nmass: {x: 1}\nrun: "
     "{t_end: "
     "1}\n",
     "'2b' is not a name"},
};

// A good ball with one thing changed or added; the words the message must hold.
struct Change {
  const char *from, *to, *words;
};
inline constexpr Change changes[] = {
    {"mass: {z: m}\n", "", "the inertia is missing"},
    {"mass: {z: m}", "mass: {y: m}", "no coordinate 'y'"},
    {"mass: {z: m}", "mass: m", "expected {coordinate: formula, …} or a list of rows"},
    {"mass: {z: m}", "mass: [[m, 0]]", "2 entries for 1 coordinates"},
    {"mass: {z: m}", "mass: {z: g}", "'g' is m/s^2, but the mass of z must be kg"},
    {"mass: {z: m}", "kinetic: m/2*z'^2\nmass: {z: m}", "either a mass matrix or a kinetic energy"},
    {"mass: {z: m}", "kinetic: m/2*abs(z')^3/(g*t)", "not quadratic in z'"},
    {"mass: {z: m}", "kinetic: m*z'", "but an energy must be kg m^2/s^2"},
    {"mass: {z: m}", "mass: {z: -m}", "mass"},
    {"-m*g", "-m*gg",
     "s.yaml:5:13: forces.z: unknown name 'gg' (did you mean 'g'?); known here: g, m, t, z, z'\n  -m*gg\n    "
     " ^"},
    {"-m*g", "-m*g + z", "the two terms of kg m/s^2 (N) and m do not fit\n  -m*g + z\n       ^"},
    {"-m*g", "-m", "'-m' is kg, but the force on z must be kg m/s^2"},
    {"-m*g", "-9.81", "numbers without a unit are pure numbers"},
    {"-m*g", "-m*g*sin(z)", "the argument of a function is a pure number, not m"},
    {"-m*g", "-m*g*(1", "expected )"},
    {"-m*g", "-m*g*sine(1)", "unknown function 'sine' (did you mean 'sin'?)"},
    {"-m*g", "\"-m*g*if(1, 2)\"", "if takes 3 arguments"},
    {"-m*g", "-m*z''", "only first rates"},
    {"-m*g", "\"-m*g*z[0]\"", "z has no components"},
    {"t_end: 1 s", "t_end: 1 m", "found m, expected a value in s"},
    {"t_end: 1 s", "t_end: -1", "run.t_end: found -1, expected >= 0"},
    {"run: {t_end: 1 s}", "", "run.t_end: this field is missing"},
    {"t_end: 1 s", "t_end: 1, h: 0", "run.h: found 0, expected > 0"},
    {"t_end: 1 s", "t_end: 1, scheme: moreau-jea", "unknown name 'moreau-jea' (did you mean 'moreau-jean'?)"},
    {"t_end: 1 s", "t_end: 1, scheme: {theta: 1}", "'name' is missing"},
    {"t_end: 1 s", "t_end: 1, scheme: {name: moreau-jean, thet: 1}", "no such field (did you mean 'theta'?)"},
    {"t_end: 1 s", "t_end: 1, scheme: {name: moreau-jean, theta: 2}", "theta must be in [0, 1]"},
    {"t_end: 1 s", "t_end: 1, scheme: {name: kk-irk, tolerance: -1}", "tolerance must be"},
    {"t_end: 1 s", "t_end: 1, accept_penetration: perhaps", "expected true or false"},
    {"start: 1 m", "start: 1, velocity: 2 m/s", "but the rate of z must be 1/s"},
    {"start: 1 m", "start: z", "unknown name 'z'"},
    {"start: 1 m", "start: 1 m, velocity: 1 m", "but the rate of z must be m/s"},
    {"start: 1 m", "start: 1 m, speed: 1", "coordinates.z.speed: unknown field"},
    {"mass:", "contacts: {floor: {gap: z}}\nmass:", "contacts.floor.law: this field is missing"},
    {"mass:", "contacts: {floor: {gap: z, law: newton}}\nmass:", "unknown name 'newton'"},
    {"mass:", "contacts: {floor: {law: unilateral}}\nmass:", "the law unilateral needs a gap"},
    {"mass:", "contacts: {floor: {gap: z', law: unilateral}}\nmass:",
     "'z'' is a velocity, which must not occur here"},
    {"mass:", "contacts: {floor: {gap: z, law: coulomb}}\nmass:", "the law coulomb needs 1 slip, found 0"},
    {"mass:", "contacts: {floor: {gap: z, slip: z'^2, law: coulomb}}\nmass:",
     "a slip is linear in the velocities"},
    {"mass:", "contacts: {floor: {gap: z, law: {name: unilateral, e: 1.5}}}\nmass:", "e must be in [0, 1]"},
    {"mass:", "contacts: {floor: {gap: z, law: {name: unilateral, e: 0.5 m}}}\nmass:",
     "'0.5 m' is m, but e must be a pure number"},
    {"mass:", "contacts: {floor: {gap: z, law: {name: hertz, k: 5 N/m}}}\nmass:",
     "'5 N/m' is kg/s^2 (N/m), but k must be"},
    {"mass:", "contacts: {floor: {gap: z, law: {name: dashpot, k: 5 N/m^2, p: 1}}}\nmass:", "but k must be"},
    {"mass:", "contacts: {floor: {gap: z, law: {name: dashpot, k: 5 N/m^2, p: 2, c: m}}}\nmass:",
     "'m' is kg, but c must be kg/s"},
    {"mass:", "contacts: {floor: {slip: z', law: {name: tresca, limit: m}}}\nmass:",
     "'m' is kg, but limit must be kg m/s^2"},
    {"t_end: 1 s", "t_end: 1, stepping: {name: fixed, h: 1 m}", "'1 m' is m, but h must be s"},
    {"t_end: 1 s", "t_end: 1, scheme: {name: moreau-jean, theta: 1 s}", "theta must be a pure number"},
    {"mass:", "contacts: {floor: {slip: z', gap: z, law: tresca}}\nmass:", "has no gap: leave it out"},
    {"mass:", "contacts: {floor: {gap: z - 2*z, law: unilateral}}\nmass:", "penetrat"},
    {"mass:", "joints: {j: []}\nmass:", "a joint has 1 to 6"},
    {"mass:", "joints: {j: z}\nmass:", "joint"},
    {"mass:", "let: {m: 1}\nmass:", "the name 'm' is taken already"},
    {"mass:", "measure: {x: final.zz}\nmass:", "unknown quantity 'final.zz' (did you mean 'final.z'?)"},
    {"mass:", "measure: {x: final.z +}\nmass:", "measure.x: the expression ends too early"},
    {"mass:", "contacts: {floor: {gap: z*z, slip: z', law: coulomb}}\nmass:",
     "'z'' is m/s, but a slip beside this gap must be m^2/s"},
    {"-m*g", "-m*g - 0.5 N", "units stand behind single numbers only: in a formula use a parameter"},
    {"-m*g", "2z", "or is 'number*z' meant?"},
    {"m: 1 kg", "m: t", "parameters.m: 't' is the time, which must not occur here"},
    {"mass:", "measure: {x: final.z + energy.final}\nmass:",
     "measure.x: the two terms of m and kg m^2/s^2 (J, N m) do not fit"},
    {"mass:", "record: {csv: /etc/passwd}\nmass:", "leaves the folder of the run"},
    {"mass:", "record: {csv: a/../../b.csv}\nmass:", "leaves the folder of the run"},
    {"mass:", "record: {every: 0}\nmass:", "expected >= 1"},
    {"mass:", "record: {what: zz}\nmass:", "no coordinate 'zz'"},
    {"mass:", "record: {figure: a.txt}\nmass:", "ends in .svg or .png"},
    {"mass:", "record: {results: ../a.h5}\nmass:", "leaves the folder of the run"},
};

}  // namespace saltus
