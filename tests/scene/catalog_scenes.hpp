// Problems of the catalog as scenes: tests compare their motion, the benchmark their speed.
#pragma once

namespace saltus::testing {

struct CatalogScene {
  const char *problem, *scene;
};
/// With settings of the problem that are not its usual ones, "name=value …", and the method of both; empty:
/// the problem's own.
struct SpecialScene {
  const char *problem, *scene, *settings = "", *scheme = "";
};

inline constexpr CatalogScene catalog_scenes[] = {
    {"bouncing-ball", R"yaml(
parameters: {m: 1 kg, f: -2 N, e: 0.5}
coordinates: {z: {start: 1 m}}
mass: {z: m}
forces: {z: f}
contacts: {floor: {gap: z, law: {name: unilateral, e: e}}}
)yaml"},
    {"falling-mass", R"yaml(
parameters: {m: 1, g: 9.81}
coordinates: {z: {start: 0.07}}
kinetic: m/2*z'^2
potential: m*g*z
contacts: {table: {gap: z, law: "unilateral:e=0.7"}}
)yaml"},
    {"impact-oscillator", R"yaml(
parameters: {m: 1 kg, c: 0.5 N s/m, k: 10 N/m, e: 0.8}
coordinates: {q: {start: 1 m}}
mass: {q: m}
potential: k/2*q^2
forces: {q: -c*q'}
contacts: {wall: {gap: q, law: {name: unilateral, e: e}}}
)yaml"},
    {"rocking-bar", R"yaml(
parameters: {m: 1, l: 0.5, J: 0.1, g: 9.81}
coordinates: {y: {start: 0.3}, phi: {start: 0.2}}
kinetic: m/2*y'^2 + J/2*phi'^2
potential: m*g*y
contacts:
  left: {gap: y - l*phi, law: "unilateral:e=0.4"}
  right: {gap: y + l*phi, law: "unilateral:e=0.4"}
)yaml"},
    {"sliding-block", R"yaml(
parameters: {m: 1 kg, g: 9.81 m/s^2, slope: 0.3 rad, mu: 0.5}
coordinates: {x: {start: 0 m, velocity: 2 m/s}, z: {start: 0 m, velocity: 0 m/s}}
mass: {x: m, z: m}
forces: {x: m*g*sin(slope), z: -m*g*cos(slope)}
contacts: {plane: {gap: z, slip: x', law: {name: coulomb, mu: mu}}}
)yaml"},
    {"pendulum", R"yaml(
parameters: {L: 1, m: 1, J: 0.1, g: 10, theta0: pi/6, omega0: 10}
coordinates:
  x: {start: L*cos(theta0), velocity: -L*sin(theta0)*omega0}
  y: {start: L*sin(theta0), velocity: L*cos(theta0)*omega0}
  theta: {start: theta0, velocity: omega0}
mass: {x: m, y: m, theta: J}
potential: m*g*y
joints: {pivot: [x - L*cos(theta), y - L*sin(theta)]}
)yaml"},
    {"bouncing-pendulum", R"yaml(
parameters: {L: 1, m: 1, J: 0.1, g: 10, theta0: 0.2617993877991494}
coordinates: {x: {start: L*cos(theta0)}, y: {start: L*sin(theta0)}, theta: {start: theta0}}
mass: {x: m, y: m, theta: J}
potential: m*g*y
joints: {pivot: [x - L*cos(theta), y - L*sin(theta)]}
contacts: {stop: {gap: x - 0.7071067811865476, law: {name: unilateral, e: 0.6}}}
)yaml"},
    {"sliding-mass", R"yaml(
coordinates: {x: {velocity: 2}, y: {velocity: -0.2}}
mass: {x: 1, y: 1}
forces: {x: "if(t < 3, -2.5, 0)", y: "if(t < 3, -0.25, 0)"}
contacts: {table: {slip: [x', y'], law: {name: tresca, limit: 2, tangents: 2}}}
run: {breakpoints: [3]}
)yaml"},
    {"belt-block", R"yaml(
parameters: {m: 1 kg, k: 25 N/m, a: 5 N, v: 0.5 m/s}
coordinates: {x: {start: 0 m, velocity: 2 m/s}}
mass: {x: m}
potential: k/2*x^2
contacts: {belt: {slip: x' - v, law: {name: tresca, limit: a}}}
)yaml"},
    {"shaker", R"yaml(
parameters: {m: 1, g: 9.81, A: 1e-3, omega: 40}
coordinates: {z: {start: 0, velocity: A*omega}}
mass: {z: m}
potential: m*g*z
contacts: {table: {gap: z - A*sin(omega*t), law: "unilateral:e=0.5"}}
)yaml"},
    {"woodpecker", R"yaml(
parameters: {m_M: 3e-4, J_M: 5e-9, m_S: 4.5e-3, J_S: 7e-7, c: 0.0056, g: 9.81, r_0: 0.0025, r_M: 0.0031,
  h_M: 0.0058, l_M: 0.010, l_G: 0.015, h_S: 0.020, l_S: 0.0201, mu: 0.3}
coordinates:
  y: {start: 0, velocity: -0.3411}
  sleeve: {start: -0.1036}
  bird: {start: -0.2788, velocity: -7.4583}
let: {y_bird: y + l_M*sleeve + l_G*bird}
kinetic: m_M/2*y'^2 + J_M/2*sleeve'^2 + J_S/2*bird'^2 + m_S/2*y_bird'^2
potential: c/2*(bird - sleeve)^2 + m_M*g*y + m_S*g*y_bird
contacts:
  beak: {gap: l_M + l_G - l_S - r_0 - h_S*bird, slip: y' + l_M*sleeve' + (l_G - l_S)*bird', law: {name: coulomb, mu: mu, e_n: 0.5}}
  lower: {gap: r_M - r_0 + h_M*sleeve, slip: y' + r_M*sleeve', law: {name: coulomb, mu: mu}}
  upper: {gap: r_M - r_0 - h_M*sleeve, slip: y' + r_M*sleeve', law: {name: coulomb, mu: mu}}
run: {accept_penetration: true}
)yaml"},
};

inline constexpr SpecialScene special_scenes[] = {
    {"odae-exponential", R"yaml(
coordinates: {x: {start: 1}, y: {start: 1}}
velocities: {v: {start: 1}, w: {start: 1}}
rates: {x: 2*v, y: -w, v: 2*x*y*v*w - x*v*w, w: v - x*w^3}
reactions: {v: y*v*psi^2, w: -sqrt(x)*v*w^2*psi}
constraints: {curve: {gap: x*y^2 - 1, multiplier: psi}}
)yaml"},
    {"cubic-slide", R"yaml(
parameters: {m: 1, b: 0.01, g: 9.81, c: 0.1, r: 0.85, x0: 10, v0: -3.6}
coordinates: {x: {start: x0}, y: {start: b*x0^3}}
velocities: {v: {start: v0}, w: {start: 3*b*x0^2*v0}}
let: {slope: -3*b*x^2, friction: "c*((1 + slope^2)*psi^2)^(r/2)/hypot(v, w)"}
rates: {x: v, y: w, w: -g}
reactions: {v: (slope*psi - friction*v)/m, w: (psi - friction*w)/m}
constraints: {surface: {gap: y - b*x^3, multiplier: psi}}
kinetic: m/2*(v^2 + w^2)
potential: m*g*y
)yaml"},
    {"cubic-slide", R"yaml(
parameters: {m: 1 kg, b: 0.01 1/m^2, g: 9.81 m/s^2, x0: 10 m, v0: -3.6 m/s}
coordinates: {x: {start: x0}, y: {start: b*x0^3}}
velocities: {v: {start: v0}, w: {start: 3*b*x0^2*v0}}
let: {slope: -3*b*x^2}
rates: {x: v, y: w, w: -g}
reactions: {v: slope*psi/m, w: psi/m}
constraints: {surface: {gap: y - b*x^3, multiplier: psi, unilateral: true}}
kinetic: m/2*(v^2 + w^2)
potential: m*g*y
)yaml",
     "preset=frictionless"},
    {"cubic-slide", R"yaml(
parameters: {m: 1, b: 0.01, g: 9.81, c: 0.1, r: 0.85}
coordinates: {x: {start: 6}, y: {start: 8}}
velocities: {v: {start: -1}, w: {start: 0}}
let: {slope: -3*b*x^2, friction: "c*((1 + slope^2)*psi^2)^(r/2)/hypot(v, w)"}
rates: {x: v, y: w, w: -g}
reactions: {v: (slope*psi - friction*v)/m, w: (psi - friction*w)/m}
constraints:
  surface: {gap: y - b*x^3, multiplier: psi, unilateral: true, impact: {v: slope/m, w: 1/m}}
kinetic: m/2*(v^2 + w^2)
potential: m*g*y
)yaml",
     "preset=land"},
    {"spherical-pendulum", R"yaml(
parameters: {m: 1, l: 1, g: 1}
coordinates: {x: {start: l}, y: {}, z: {}}
velocities: {px: {}, py: {start: 1}, pz: {start: 0.5}}
rates: {x: px/m, y: py/m, z: pz/m, pz: -m*g}
reactions: {px: -x*psi, py: -y*psi, pz: -z*psi}
constraints: {rod: {gap: (x^2 + y^2 + z^2 - l^2)/2, multiplier: psi}}
kinetic: (px^2 + py^2 + pz^2)/(2*m)
potential: m*g*z
)yaml"},
    {"polar-bead", R"yaml(
parameters: {g: 1, eps: 0.3, theta0: 0.2, omega0: 1.1, rho0: 1 + eps*cos(theta0)}
coordinates: {rho: {start: rho0}, theta: {start: theta0}}
velocities: {p: {start: -eps*sin(theta0)*omega0}, L: {start: rho0^2*omega0}}
rates: {rho: p, theta: L/rho^2, p: L^2/rho^3 - g*sin(theta), L: -g*rho*cos(theta)}
reactions: {p: -psi, L: -eps*sin(theta)*psi}
constraints: {curve: {gap: rho - 1 - eps*cos(theta), multiplier: psi}}
kinetic: (p^2 + L^2/rho^2)/2
potential: g*rho*sin(theta)
)yaml"},
    // balls and beads, n small: their contacts are formulas one by one
    {"ball-column", R"yaml(
parameters: {m: 1 kg, g: 9.81 m/s^2, e: 0.3, gap: 0.01 m}
coordinates: {z1: {start: gap}, z2: {start: 2*gap}, z3: {start: 3*gap}, z4: {start: 4*gap}}
mass: {z1: m, z2: m, z3: m, z4: m}
potential: m*g*(z1 + z2 + z3 + z4)
contacts:
  floor: {gap: z1, law: {name: unilateral, e: e}}
  a: {gap: z2 - z1, law: {name: unilateral, e: e}}
  b: {gap: z3 - z2, law: {name: unilateral, e: e}}
  c: {gap: z4 - z3, law: {name: unilateral, e: e}}
)yaml",
     "n=4 e=0.3 gap=0.01"},
    {"collinear-chain", R"yaml(
parameters: {m: 1, v0: 1, gap: 0.01}
coordinates: {x1: {velocity: v0}, x2: {start: gap}, x3: {start: 2*gap}, x4: {start: 3*gap}}
mass: {x1: m, x2: m, x3: m, x4: m}
contacts:
  a: {gap: x2 - x1, law: "unilateral:e=1"}
  b: {gap: x3 - x2, law: "unilateral:e=1"}
  c: {gap: x4 - x3, law: "unilateral:e=1"}
)yaml",
     "n=4"},
    // compliant contacts become forces; a smooth mechanical scene may name a scheme of first order
    {"trimer", R"yaml(
parameters: {r1: 1, r2: 0.8, r3: 0.9, gamma: 0.1, k: "sqrt(r2*r3/(r2 + r3)/(r1*r2/(r1 + r2)))"}
coordinates: {x1: {velocity: 1}, x2: {}, x3: {}}
mass: {x1: r1^3, x2: r2^3, x3: r3^3}
contacts:
  first: {gap: x2 - x1, law: {name: kuwabara-kono, k: 1, gamma: gamma}}
  second: {gap: x3 - x2, law: {name: kuwabara-kono, k: k, gamma: gamma}}
run: {scheme: gauss-2}
)yaml",
     "formulation=y reference=none", "gauss-2"},
    {"bead-collision", R"yaml(
parameters: {m1: 1 kg, m2: 1 kg, k: 1 N/m^1.5, gamma: 0.1 s, v0: 1 m/s}
coordinates: {x1: {start: 0 m, velocity: v0}, x2: {start: 0 m}}
mass: {x1: m1, x2: m2}
contacts: {contact: {gap: x2 - x1, law: {name: kuwabara-kono, k: k, gamma: gamma}}}
run: {scheme: gauss-2}
)yaml",
     "formulation=y reference=none", "gauss-2"},
    {"newtons-cradle", R"yaml(
parameters: {k: 1, K: 0.01, gamma: 0.3}
coordinates: {x1: {velocity: 1}, x2: {}, x3: {}, x4: {}}
mass: {x1: 1, x2: 1, x3: 1, x4: 1}
potential: K/2*(x1^2 + x2^2 + x3^2 + x4^2)
contacts:
  a: {gap: x2 - x1, law: {name: kuwabara-kono, k: k, gamma: gamma}}
  b: {gap: x3 - x2, law: {name: kuwabara-kono, k: k, gamma: gamma}}
  c: {gap: x4 - x3, law: {name: kuwabara-kono, k: k, gamma: gamma}}
run: {scheme: gauss-2}
)yaml",
     "n=4 formulation=y reference=none", "gauss-2"},
    {"dimer-chain", R"yaml(
parameters: {eps: 0.59, k: 1, gamma: 0.06}
coordinates: {x1: {velocity: 1}, x2: {}, x3: {}, x4: {}, x5: {}}
mass: {x1: 1, x2: eps, x3: 1, x4: eps, x5: 1}
contacts:
  a: {gap: x2 - x1, law: {name: kuwabara-kono, k: k, gamma: gamma}}
  b: {gap: x3 - x2, law: {name: kuwabara-kono, k: k, gamma: gamma}}
  c: {gap: x4 - x3, law: {name: kuwabara-kono, k: k, gamma: gamma}}
  d: {gap: x5 - x4, law: {name: kuwabara-kono, k: k, gamma: gamma}}
run: {scheme: gauss-2}
)yaml",
     "n=5 formulation=y reference=none", "gauss-2"},
    {"homogeneous-chain", R"yaml(
parameters: {m: 1, k: 1}
coordinates: {x1: {velocity: 1}, x2: {}, x3: {}, x4: {}, x5: {}}
mass: {x1: m, x2: m, x3: m, x4: m, x5: m}
contacts:
  a: {gap: x2 - x1, law: {name: hertz, k: k}}
  b: {gap: x3 - x2, law: {name: hertz, k: k}}
  c: {gap: x4 - x3, law: {name: hertz, k: k}}
  d: {gap: x5 - x4, law: {name: hertz, k: k}}
run: {scheme: gauss-2}
)yaml",
     "n=5 gamma=0 formulation=x reference=none", "gauss-2"},
    {"homogeneous-chain", R"yaml(
parameters: {m: 1, k: 1, gamma: 0.1}
coordinates: {x1: {velocity: 1}, x2: {}, x3: {}}
mass: {x1: m, x2: m, x3: m}
contacts:
  a: {gap: x2 - x1, law: {name: kuwabara-kono, k: k, gamma: gamma}}
  b: {gap: x3 - x2, law: {name: kuwabara-kono, k: k, gamma: gamma}}
run: {scheme: gauss-2}
)yaml",
     "n=3 formulation=y reference=none", "gauss-2"},
    {"elastic-bar", R"yaml(
parameters: {E: 900 N/m^2, rho: 1 kg/m^3, L: 10 m, A: 1 m^2, d0: 5 m, v0: 10 m/s, k: E*A/(L/4), m: rho*A*(L/4)}
coordinates:
  q0: {start: 0 m, velocity: -v0}
  q1: {start: 0 m, velocity: -v0}
  q2: {start: 0 m, velocity: -v0}
  q3: {start: 0 m, velocity: -v0}
  q4: {start: 0 m, velocity: -v0}
mass: {q0: m/2, q1: m, q2: m, q3: m, q4: m/2}
potential: k/2*((q1 - q0)^2 + (q2 - q1)^2 + (q3 - q2)^2 + (q4 - q3)^2)
contacts: {wall: {gap: q0 + d0, law: unilateral}}
)yaml",
     "n=4"},
    {"flexible-pendulum", R"yaml(
ready: {problem: flexible-pendulum, parameters: {n: 2}}
)yaml",
     "n=2"},
};

}  // namespace saltus::testing
