#!/usr/bin/env python3
"""Redundant contacts by tolerance, event capturing and Moreau-Jean: loads within the cones, flat landings, release."""
import json
import os
import tempfile
import unittest

from program import saltus  # takes the path of the program from the arguments


class SharedLoads(unittest.TestCase):
    """Redundant contacts: how they share the load obeys their laws, and rounding is no contradiction."""

    METHODS = (("--rtol", "1e-6"), ("--rtol", "1e-10"),
               *(("--scheme", f"runge-kutta:tableau={t}", "--stepping", "event-capturing:h=1e-3")
                 for t in ("herk-5", "radau-iia-5")))

    def ends(self, text, methods=METHODS):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.yaml")
            with open(path, "w", encoding="utf-8") as f:
                f.write("saltus: 1\n" + text)
            for method in methods:
                p = saltus("run", path, "--json", *method)
                out = json.loads(p.stdout)
                self.assertEqual((p.returncode, out["status"]), (0, "finished"), (method, out["message"]))
                yield method, out["q"]

    def test_friction_follows_loads_within_the_cones(self):
        # A plate pushes a block over a rough floor and sticks to it: 3 a = 9 - 0.3 (10 - T), |T| <= 0.3 (9 - 2 a).
        # Equal shares, T = 5, are outside: a = 2.5.
        scene = ("coordinates: {p: {}, x: {}, y: {}}\nmass: {p: 2, x: 1, y: 1}\nforces: {p: 9, y: -10}\n"
                 "contacts:\n  face: {gap: x - p, slip: \"y'\", law: {name: coulomb, mu: 0.3}}\n"
                 "  floor: {gap: y, slip: \"x'\", law: {name: coulomb, mu: 0.3}}\nrun: {t_end: 0.5}\n")
        # T = -0.3 N and T = 0.3 N with N = 9 - 2 a: a = (6 -+ 0.81)/(3 -+ 0.18)
        least, most = (6 - 0.81) / (3 - 0.18) / 8, (6 + 0.81) / (3 + 0.18) / 8
        for method, q in self.ends(scene):
            self.assertGreater(q[0], least - 1e-9, method)
            self.assertLess(q[0], most + 1e-9, method)

    def test_a_rod_that_fell_flat_rests(self):
        for v, mu in ((0, 0.3), (0, 0.8), (0.5, 0.3), (1, 0.8)):
            scene = (f"parameters: {{th: 0.5, v: {v}, mu: {mu}}}\n"
                     "coordinates: {x: {velocity: v}, y: {start: sin(th)/2}, a: {start: th}}\nmass: {x: 1, y: 1, a: 1/12}\n"
                     "potential: 10*y\ncontacts:\n"
                     "  tip: {gap: y - sin(a)/2, slip: \"x' + sin(a)/2*a'\", law: {name: coulomb, mu: mu}}\n"
                     "  top: {gap: y + sin(a)/2, slip: \"x' - sin(a)/2*a'\", law: {name: coulomb, mu: mu}}\nrun: {t_end: 1}\n")
            for method, q in self.ends(scene):
                self.assertLess(max(abs(q[1]), abs(q[2])), 1e-9, (method, v, mu))

    def test_a_box_that_just_fits_between_walls_falls(self):
        scene = ("materials: {default: {mu: 0, e_n: 0}}\ngravity: [0, -10]\nwalls:\n"
                 "  l: {point: [0, 0], normal: [1, 0]}\n  r: {point: [0.2, 0], normal: [-1, 0]}\n"
                 "bodies:\n  box: {shape: box, size: [0.2, 0.3], mass: 1, position: [0.1, 1.15]}\nrun: {t_end: 0.3}\n")
        for method, q in self.ends(scene, (*self.METHODS, ("--scheme", "moreau-jean", "--h", "1e-3"))):
            self.assertLess(abs(q[1] - 0.7), 1e-9, method)

    def test_a_box_that_falls_flat_lands_flat(self):
        """Both corners are hit at once, though rounding of many implicit stages has turned the box by 1e-15."""
        scene = ("materials: {default: {mu: 0.5, e_n: 0.4}}\ngravity: [0, -10]\nwalls: {floor: {point: [0, 0], normal: [0, 1]}}\n"
                 "bodies: {box: {shape: box, size: [1, 0.4], mass: 1, position: [0, 0.7]}}\nrun: {t_end: 1}\n")
        methods = [("--scheme", f"runge-kutta:tableau={t}", "--stepping", f"event-capturing:h={h}")
                   for t, h in (("radau-iia-5", 1e-3), ("gauss-4", 1e-3), ("gauss-6", 3e-3), ("gauss-6", 1e-3))]
        for method, q in self.ends(scene, methods):
            self.assertLess(max(abs(q[0]), abs(q[2])), 1e-12, method)

    def test_redundant_contacts_release_together(self):
        # lifted by 12 t from t = 5/6 on, along a wall: y = 0.2 + 2 (t - 5/6)^3
        scene = ("materials: {default: {mu: 0, e_n: 0}}\ngravity: [0, -10]\nwalls:\n"
                 "  floor: {point: [0, 0], normal: [0, 1]}\n  wall: {point: [0.5, 0], normal: [-1, 0]}\n"
                 "bodies:\n  box: {shape: box, size: [1, 0.4], mass: 1, position: [0, 0.2]}\n"
                 "forces: {box.x: 20, box.y: 12*t}\nrun: {t_end: 2}\n")
        for method, q in self.ends(scene):
            self.assertLess(abs(q[1] - 0.2 - 2 * (7 / 6) ** 3), 1e-6, method)


if __name__ == "__main__":
    unittest.main()
