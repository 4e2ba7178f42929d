// Problems of the catalog as scenes: tests compare their motion, the benchmark their speed.
#pragma once

namespace saltus::testing {

struct CatalogScene {
  const char *problem, *scene;
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

}  // namespace saltus::testing
