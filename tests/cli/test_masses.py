#!/usr/bin/env python3
"""A mass that becomes negative on the way ends every run with a message: with it the equations still have solutions, which
are no motion: test_masses.py PATH-TO-SALTUS"""
import json
import re
import unittest

from program import InFolder, saltus

METHODS = {
    "the default": [],
    "no companion": ["--no-estimate"],
    "fine": ["--rtol", "1e-10"],
    "moreau-jean": ["--scheme", "moreau-jean", "--h", "0.01"],
    "implicit moreau-jean": ["--scheme", "moreau-jean:theta=1", "--h", "0.01"],
    "moreau-midpoint": ["--scheme", "moreau-midpoint", "--h", "0.01"],
    "schatzman-paoli": ["--scheme", "schatzman-paoli", "--h", "0.01"],
    "adaptive": ["--scheme", "moreau-jean", "--stepping", "adaptive"],
    "generalized-alpha": ["--scheme", "generalized-alpha", "--h", "0.01"],
    "explicit": ["--scheme", "runge-kutta:tableau=herk-4", "--h", "0.01"],
    "implicit": ["--scheme", "runge-kutta:tableau=radau-iia-5", "--h", "0.01"],
    "switching": ["--stepping", "switching:h_min=1e-4,h_max=0.01"],
    "symplectic": ["--scheme", "symplectic-euler", "--h", "0.01"],
}

# What it is, and from when on it is negative in some direction; forces depend on time alone, so that t is the only thing.
FALLING = """coordinates: {{x: {{start: 1, velocity: 1}}}}
mass: {{x: {mass}}}
forces: {{x: 1}}
run: {{t_end: 2}}
"""
COUPLED = """coordinates: {{x: {{start: 0, velocity: 1}}, y: {{start: 1}}}}
mass: [[1, {mass}], [{mass}, 1]]
forces: {{x: 1}}
run: {{t_end: 2}}
"""
ON_A_FLOOR = """coordinates: {{x: {{start: 0, velocity: 1}}, y: {{start: 1}}}}
mass: {{x: {mass}, y: 1}}
forces: {{y: -9.81}}
contacts: {{floor: {{gap: y, law: {{name: unilateral, e: 0.5}}}}}}
run: {{t_end: 2}}
"""


class Masses(InFolder):
    def ended(self, text, method):
        p = saltus("run", self.scene(text), "--json", *method)
        return p.returncode, json.loads(p.stdout)

    def test_a_mass_below_zero_ends_every_method_there(self):
        for scene in (FALLING.format(mass="1.25 - t"), COUPLED.format(mass="0.8*t"), ON_A_FLOOR.format(mass="1.25 - t")):
            for name, method in METHODS.items():
                with self.subTest(method=name, scene=scene):
                    code, d = self.ended(scene, method)
                    self.assertEqual(code, 1, d)
                    self.assertEqual(d["status"], "failed")
                    if name != "symplectic":  # the velocity of a momentum has no bound there: Newton's method meets that first
                        self.assertIn("mass", d["message"])
                    t = d["final"]["t"]
                    self.assertLess(t, 1.26)
                    self.assertGreater(t, 1.2)

    def test_the_message_names_entry_value_and_time(self):
        _, d = self.ended(FALLING.format(mass="1.25 - t"), METHODS["moreau-midpoint"])
        self.assertRegex(d["message"], r"the mass is not positive definite: mass\[0\]: pivot -\d\S* at t = 1\.2\d+")

    def test_a_mass_that_stays_positive_is_left_alone(self):
        for scene in (FALLING.format(mass="2.001 - t"), COUPLED.format(mass="0.4999*t"), ON_A_FLOOR.format(mass="2.001 - t")):
            for name, method in METHODS.items():
                with self.subTest(method=name, scene=scene):
                    code, d = self.ended(scene, method)
                    self.assertEqual(code, 0, d)
                    self.assertNotRegex(" ".join(d["warnings"]), re.compile("mass", re.I))


if __name__ == "__main__":
    unittest.main()
