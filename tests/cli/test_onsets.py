#!/usr/bin/env python3
"""Runs by tolerance where slip begins, contacts part under growing loads, and surfaces change their velocity at once."""
import os
import tempfile
import unittest

from program import saltus
from tolerance_runs import by_tolerance


class Onsets(unittest.TestCase):
    """Slip that begins, and contacts that part, under loads that grow from balance: velocities there are rounding."""

    TABLE = """saltus: 1
parameters: {m: 4, g: 10, mu: 0.3, L: 0.5, J: 0.5}
coordinates: {x: {}, y: {}, z: {}, a: {}, b: {}, c: {}}
mass: {x: m, y: m, z: m, a: J, b: J, c: J}
forces: {x: 8*t}
potential: m*g*z
contacts:
  f1: {gap: z + L*a + L*b, slip: ["x' - L*c'", "y' + L*c'"], law: {name: coulomb, mu: mu, tangents: 2}}
  f2: {gap: z + L*a - L*b, slip: ["x' + L*c'", "y' + L*c'"], law: {name: coulomb, mu: mu, tangents: 2}}
  f3: {gap: z - L*a + L*b, slip: ["x' - L*c'", "y' - L*c'"], law: {name: coulomb, mu: mu, tangents: 2}}
  f4: {gap: z - L*a - L*b, slip: ["x' + L*c'", "y' - L*c'"], law: {name: coulomb, mu: mu, tangents: 2}}
run: {t_end: 2, h: 1e-3}
"""
    CORNER = """saltus: 1
materials: {default: {mu: 0.5, e_n: 0}}
gravity: [0, -10]
walls: {floor: {point: [0, 0], normal: [0, 1]}, wall: {point: [0.5, 0], normal: [-1, 0]}}
bodies:
  box: {shape: box, size: [1, 0.4], mass: 1, position: [0, 0.2]}
forces: {box.x: 20, box.y: 12*t}
run: {t_end: 2}
"""

    def runs(self, scene, tolerances):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "onset.yaml")
            with open(path, "w", encoding="utf-8") as f:
                f.write(scene)
            return {rtol: by_tolerance(path, rtol, "--no-estimate") for rtol in tolerances}

    def test_four_feet_slip_at_once(self):
        """From t = 3/2 on m x'' = 8 (t - 3/2), along x alone."""
        for rtol, out in self.runs(self.TABLE, (1e-3, 1e-6, 1e-8, 1e-12)).items():
            self.assertLess(abs(out["q"][0] - 8 / 6 * 0.5**3 / 4), 1e-7, rtol)
            self.assertLess(max(map(abs, out["q"][1:])), 1e-12, rtol)
            self.assertLess(out["stats"]["steps"], 200, rtol)  # not thousands

    def test_a_box_parts_from_the_floor_beside_a_wall(self):
        runs = self.runs(self.CORNER, (1e-3, 1e-6, 1e-9, 1e-12))
        for rtol, out in runs.items():
            self.assertLess(out["stats"]["steps"], 300, rtol)
            for x, y in zip(out["q"], runs[1e-12]["q"]):
                self.assertLess(abs(x - y), 10 * rtol + 1e-8, rtol)


class Surfaces(unittest.TestCase):
    """Surfaces whose velocity jumps: friction does not follow at once, and a wall that starts hits what lies on it."""

    BELT = """saltus: 1
coordinates: {x: {start: 0, velocity: %s}, y: {start: 0}}
mass: {x: 1, y: 1}
potential: 10*y
contacts: {belt: {gap: y, slip: "x' - if(t < 1, %s, %s)", law: {name: coulomb, mu: 0.2}}}
run: {t_end: 1.5}
"""
    RELAY = """saltus: 1
coordinates: {x: {start: 0, velocity: 0.5}}
mass: {x: 1}
contacts: {belt: {slip: "x' - if(t < 1, 0.5, 2)", law: {name: relay, lower: -2, upper: 2}}}
run: {t_end: 1.5}
"""
    WALL = """saltus: 1
coordinates: {y: {start: 0}}
mass: {y: 1}
potential: 10*y
contacts: {wall: {gap: "y - if(t < 1, 0, 0.3*(t - 1))", law: {name: unilateral, e: 0.5}}}
run: {t_end: 1.02}
"""

    def ends_at(self, scene, x, u, rtols=(1e-6, 1e-10)):
        with tempfile.TemporaryDirectory() as folder:
            path, file = os.path.join(folder, "surface.yaml"), os.path.join(folder, "x.h5")
            with open(path, "w", encoding="utf-8") as f:
                f.write(scene)
            for rtol in rtols:
                out = by_tolerance(path, rtol)
                self.assertEqual(out["warnings"], [], scene)
                self.assertLess(abs(out["q"][0] - x), 3 * out["error_estimate"]["q_final"][0] + 1e-13, (scene, rtol))
                self.assertLess(abs(out["u"][0] - u), 3 * out["error_estimate"]["u_final"][0] + 1e-13, (scene, rtol))
                self.assertLess(abs(out["u"][0] - u), 10 * rtol, (scene, rtol))
                by_tolerance(path, rtol, "--no-estimate", "-o", file)
                p = saltus("verify", file)
                self.assertEqual(p.returncode, 0, p.stdout)

    def test_a_belt_that_starts_stops_or_turns(self):
        """Friction of 2 m/s² from t = 1 on, along the slip."""
        for u0, before, behind, x, u in (("0", "0", "2", 0.25, 1), ("0.5", "0.5", "2", 1, 1.5), ("2", "2", "0", 2.75, 1),
                                         ("0.5", "0.5", "-2", 0.5, -0.5)):
            self.ends_at(self.BELT % (u0, before, behind), x, u)
        self.ends_at(self.RELAY, 1, 1.5)

    def test_slip_that_jumps_over_zero_does_not_stick(self):
        """It slides on the belt with 0.4 m/s to go, when the belt overtakes it: from -2 to +2 m/s², no jump of the velocity."""
        self.ends_at(self.BELT % ("1.9", "-0.5", "3"), 1.9 - 1 + 0.5 * (-0.1) + 0.25, 0.9)

    def test_a_wall_that_starts_hits_what_lies_on_it(self):
        """Newton's law: from 0 to (1 + e) 0.3, and a flight."""
        self.ends_at(self.WALL, 0.45 * 0.02 - 5 * 0.02**2, 0.45 - 10 * 0.02)


if __name__ == "__main__":
    unittest.main()
