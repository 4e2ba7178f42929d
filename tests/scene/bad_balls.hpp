// A good scene, and changes of it that are mistakes.
#pragma once
#include <string>

namespace saltus {

inline const std::string ball =
    "saltus: 1\nparameters: {m: 1 kg, g: 9.81 m/s^2}\ncoordinates: {z: {start: 1 m}}\n";
inline const std::string rest = "mass: {z: m}\nforces: {z: -m*g}\nrun: {t_end: 1 s}\n";

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
    {"mass:", "measure: {x: z}\nmass:", "write final.z for the value of z at the end"},
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
