// Scenes with a mistake, and words that the message about it must hold.
#pragma once

namespace saltus {

struct Bad {
  const char *scene, *words;
};

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
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\ncontacts: {c: {gap: z, law: \"\"}}\nrun: {t_end: 1}\n",
     "s.yaml:4:29: contacts.c.law: found '', expected one of unilateral, coulomb"},
    {"saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nrun: {t_end: 1, scheme: \":theta=1\"}\n",
     "run.scheme: found ':theta=1', expected one of moreau-jean"},
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
    {"saltus: 1\nparameters: {k: 2 N*sin(t)}\ncoordinates: {z: {}}\nmass: {z: 1}\nrun: {t_end: 1}\n",
     "units stand behind single numbers only: in a formula use a parameter"},
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
    {"saltus: 1\nready: {problem: bouncing-ball, prefix: 2b}\ncoordinates: {x: {}}\nmass: {x: 1}\nrun: "
     "{t_end: "
     "1}\n",
     "'2b' is not a name"},
};

}  // namespace saltus
