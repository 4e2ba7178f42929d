#!/usr/bin/env python3
"""Redundant contacts that slide: where the motion depends on how they share the load, every method says so, and only there."""
import json
import re
import unittest

from program import SALTUS, InFolder, saltus  # noqa: F401  (takes the path of the program from the arguments)

METHODS = (("--rtol", "1e-6", "--no-estimate"),
           ("--scheme", "runge-kutta:tableau=radau-iia-5", "--stepping", "event-capturing:h=2e-3"),
           ("--scheme", "runge-kutta:tableau=herk-4", "--stepping", "event-capturing:h=2e-3"),
           ("--scheme", "moreau-jean", "--h", "2e-3"),
           ("--scheme", "moreau-midpoint", "--h", "2e-3"),
           ("--scheme", "moreau-projected", "--h", "2e-3"),
           ("--scheme", "generalized-alpha", "--h", "2e-3"),
           ("--scheme", "symplectic-euler", "--h", "2e-3"),
           ("--scheme", "moreau-midpoint", "--stepping", "switching:h_max=2e-3"))


def table(feet, velocities):
    """Feet at the given places under a table of small rotations, on the ground from the start."""
    x, y, rz = velocities
    lines = ["coordinates:", f"  x: {{start: 0, velocity: {x}}}", f"  y: {{start: 0, velocity: {y}}}", "  z: {start: 0.3}",
             "  rx: {start: 0}", "  ry: {start: 0}", f"  rz: {{start: 0, velocity: {rz}}}",
             "mass: {x: 4, y: 4, z: 4, rx: 0.12, ry: 0.15, rz: 0.09}", "potential: 4*9.81*z", "contacts:"]
    for k, (a, b) in enumerate(feet):
        lines.append(f"  foot{k + 1}: {{gap: 'z - 0.3 + rx*{b} - ry*{a}', slip: [\"x' - rz'*{b} - 0.3*ry'\", \"y' + rz'*{a} + 0.3*rx'\"], "
                     "law: {name: coulomb, mu: 0.4, tangents: 2}}")
    return "\n".join(lines) + "\nrun: {t_end: 0.1}\n"


FOUR = ((0.2, 0.15), (-0.2, 0.15), (-0.2, -0.15), (0.2, -0.15))
THREE = FOUR[:3]
BOX = """materials: {default: {mu: 0.4}}
space:
  bodies:
    box: {shape: box, size: [0.4, 0.3, 0.2], mass: 2, position: [0, 0, 0.1], velocity: [%s, 0.2, 0], spin: [0, 0, %s]}
  walls: {floor: {normal: [0, 0, 1]}}
run: {t_end: 0.05}
"""


class Shares(InFolder):
    def warned(self, text, *method):
        p = saltus("run", self.scene(text), *method, "--no-error", "--json")
        out = json.loads(p.stdout)
        self.assertEqual(out["status"], "finished", (method, out["message"]))
        return [w for w in out["warnings"] if "does not determine the motion" in w]

    def test_four_feet_that_slide_and_turn(self):
        for method in METHODS:
            with self.subTest(method=method):
                found = self.warned(table(FOUR, (0.8, 0.3, 2)), *method)
                self.assertEqual(len(found), 1)
                self.assertRegex(found[0], "foot1, foot2, foot3, foot4 are redundant and slide")
                self.assertGreater(float(re.search("up to ([^ ]*) of", found[0])[1]), 1e-3)

    def test_no_alarm_where_the_motion_is_determined(self):
        """Three feet; four that all slide alike, whose friction is that of any share; four that stand still."""
        for feet, velocities in ((THREE, (0.8, 0.3, 2)), (FOUR, (0.8, 0.3, 0)), (FOUR, (0, 0, 0))):
            for method in METHODS:
                with self.subTest(feet=len(feet), velocities=velocities, method=method):
                    self.assertEqual(self.warned(table(feet, velocities), *method), [])

    def test_boxes_in_space(self):
        for method in (("--rtol", "1e-6", "--no-estimate"), ("--scheme", "moreau-jean", "--h", "1e-3")):
            with self.subTest(method=method):
                self.assertEqual(len(self.warned(BOX % ("0.8", "4"), *method)), 1)
                self.assertEqual(self.warned(BOX % ("0.8", "0"), *method), [])

    def test_bars_reach_the_motion_of_another_method(self):
        """Bars of a run by tolerance beside Moreau–Jean, which shares the load otherwise; narrow ones where nothing depends on it."""
        def run(text, *method):
            return json.loads(saltus("run", self.scene(text), *method, "--no-error", "--json").stdout)

        for text, coordinates in ((table(FOUR, (0.8, 0.3, 2)), range(6)), (BOX % ("0.8", "4"), range(3))):
            by_tolerance, other = run(text), run(text, "--scheme", "moreau-jean", "--h", "1e-4")
            bars = by_tolerance["error_estimate"]["q_final"]
            self.assertTrue(any("share their load otherwise" in w for w in by_tolerance["warnings"]))
            apart = [abs(by_tolerance["q"][i] - other["q"][i]) for i in coordinates]
            self.assertGreater(max(apart), 1e-5)
            for i in coordinates:  # 1e-5: errors of the other method
                self.assertTrue(bars[i] is None or apart[i] < 3 * bars[i] + 1e-5, (i, apart[i], bars[i]))
        bars = run(table(FOUR, (0.8, 0.3, 0)))["error_estimate"]["q_final"]
        self.assertLess(max(bars), 1e-5)

    def test_it_is_kept_through_a_checkpoint(self):
        path = self.scene(table(FOUR, (0.8, 0.3, 2)))
        whole = json.loads(saltus("run", path, "--scheme", "moreau-jean", "--h", "2e-3", "--no-error", "--json",
                                  "--checkpoint", "every=30,file=" + self.path("x.ckpt")).stdout)
        rest = json.loads(saltus("resume", self.path("x.ckpt"), "--no-error", "--json").stdout)
        self.assertTrue(whole["warnings"])
        self.assertEqual(whole["warnings"], rest["warnings"])


if __name__ == "__main__":
    unittest.main()
