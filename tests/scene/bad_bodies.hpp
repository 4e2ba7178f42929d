// Scenes of bodies with a mistake, and words that the message about it must hold.
#pragma once
#include "scene/bad_scenes.hpp"

namespace saltus {

inline constexpr Bad texts_of_bodies[] = {
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
    {"saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nkinetic: b.x'^2\nrun: {t_end: 1}\n",
     "s.yaml:3:10: kinetic: bodies have their masses"},
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
    {"saltus: 1\nbodies: {a: {shape: disk, radius: 1, mass: 1}}\nmotors: {m: {body: a, speed: 2}, n: {body: "
     "a, "
     "speed: 1}}\nrun: {t_end: 1}\n",
     "s.yaml:3:1: motors: the joints 'm', 'n' cannot all hold at the start"},
    {"saltus: 1\nbodies: {s: {shape: polygon, mass: 1, points: "
     "[[1,0],[-0.809,0.588],[0.309,-0.951],[0.309,0.951],"
     "[-0.809,-0.588]]}}\nrun: {t_end: 1}\n",
     "a polygon must be convex"},
    // units that stand in bodies only: what has a dimension must fit, plain numbers and t fit everything
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1 m, mass: 1 kg}}\nforces: {b.x: b.y}\nrun: {t_end: 1}\n",
     "'b.y' is m, but the force on b.x must be kg m/s^2 (N)"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1 m, mass: 1 kg}}\nforces: {b.x: 2*t + b.x'*(b.x + "
     "b.angle)}\nrun: {t_end: 1}\n",
     "the two terms of m and a pure number do not fit"},
    {"saltus: 1\nbodies: {b: {shape: disk, radius: 1, mass: 1}}\nmotors: {m: {body: b, torque: 1 N}}\nrun: "
     "{t_end: 1}\n",
     "motors.m.torque: '1 N' is kg m/s^2 (N), but a torque must be kg m^2/s^2 (J, N m)"},
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
};

}  // namespace saltus
