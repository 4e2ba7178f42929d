#!/usr/bin/env python3
"""Bodies in space and formulas: forces, feedback, coordinates beside bodies, measures, groups and packings; mistakes."""
import math
import unittest

from program import Scenes, saltus


def integrate(f, y, t_end, steps=4000):
    """Runge and Kutta's classical method."""
    h = t_end / steps
    for k in range(steps):
        t = k * h
        a = f(t, y)
        b = f(t + h / 2, [u + h / 2 * v for u, v in zip(y, a)])
        c = f(t + h / 2, [u + h / 2 * v for u, v in zip(y, b)])
        d = f(t + h, [u + h * v for u, v in zip(y, c)])
        y = [u + h / 6 * (p + 2 * q + 2 * r + s) for u, p, q, r, s in zip(y, a, b, c, d)]
    return y


class Formulas(Scenes):
    def measures(self, text, *more):
        return self.run_json(text, "--rtol", "1e-11", "--no-estimate", *more)["measures"]

    def test_a_force_on_a_body_is_a_formula_of_its_place(self):
        m = self.measures("""
space:
  gravity: [0, 0, 0]
  bodies:
    ball: {mass: 2, inertia: 1, position: [1, 0, 0], velocity: [0, 3, 0], force: [-8*ball.x, -18*ball.y, sin(t)]}
run: {t_end: 2}
measure: {x: final.ball.x, y: final.ball.y, z: final.ball.z}
""")
        self.assertAlmostEqual(m["x"], math.cos(4), delta=1e-9)
        self.assertAlmostEqual(m["y"], math.sin(6), delta=1e-9)
        self.assertAlmostEqual(m["z"], (2 - math.sin(2)) / 2, delta=1e-9)

    def test_a_torque_is_a_formula_of_the_axes(self):
        m = self.measures("""
space:
  gravity: [0, 0, 0]
  bodies:
    plate: {mass: 1, inertia: [1, 2, 0.5], axis_angle: [0, 0, 1, 1.2], torque: [0, 0, -2*plate.axis1.y - 0.1*plate.spin.z]}
run: {t_end: 3}
measure: {angle: "atan2(final.plate.axis1.y, final.plate.axis1.x)", rate: final.plate.spin.z}
""")
        angle, rate = integrate(lambda t, y: [y[1], (-2 * math.sin(y[0]) - 0.1 * y[1]) / 0.5], [1.2, 0], 3)
        self.assertAlmostEqual(m["angle"], angle, delta=1e-9)
        self.assertAlmostEqual(m["rate"], rate, delta=1e-9)

    def test_feedback_along_coordinates_of_joints(self):
        # a pole on a cart, upright by the force on the cart
        m = self.measures("""
parameters: {l: 0.5}
space:
  bodies:
    cart: {mass: 1, inertia: 1}
    pole: {mass: 0.2, inertia: [0.01, 0.01, 0.01], position: [l*sin(0.3), 0, l*cos(0.3)], axis_angle: [0, 1, 0, 0.3]}
  joints:
    rail:
      type: slider
      a: cart
      axis: [1, 0, 0]
      shift: {force: 30*pin.angle + 8*pin.angle' + 2*rail.shift + 4*rail.shift'}
    pin: {type: hinge, a: pole, b: cart, at: [0, 0, 0], axis: [0, 1, 0], angle: {start: 0.3}}
run: {t_end: 2}
measure: {x: final.cart.x, angle: final.pin.angle}
""")
        M, m1, l, J, g = 1, 0.2, 0.5, 0.01, 9.81

        def motion(t, y):
            x, a, v, w = y
            force = 30 * a + 8 * w + 2 * x + 4 * v
            # (M + m) x'' + m l cos a a'' = F + m l sin a w²;   m l cos a x'' + (J + m l²) a'' = m g l sin a
            p, q, r = M + m1, m1 * l * math.cos(a), J + m1 * l * l
            b, c = force + m1 * l * math.sin(a) * w * w, m1 * g * l * math.sin(a)
            det = p * r - q * q
            return [v, w, (b * r - q * c) / det, (p * c - q * b) / det]
        x, a, _, _ = integrate(motion, [0, 0.3, 0, 0], 2)
        self.assertAlmostEqual(m["x"], x, delta=1e-8)
        self.assertAlmostEqual(m["angle"], a, delta=1e-8)

    def test_coordinates_of_formulas_stand_beside_bodies(self):
        # s and the ball are two masses on springs: normal modes
        m = self.measures("""
coordinates: {s: {start: 1}}
mass: {s: 1}
potential: 0.5*s^2*4 + 0.5*3*(s - ball.x)^2
space:
  gravity: [0, 0, 0]
  bodies: {ball: {mass: 1, inertia: 1, spin: [1, 0, 0]}}
run: {t_end: 5}
measure: {s: final.s, rate: final.s', x: final.ball.x, most: max.s}
""")
        y = integrate(lambda t, y: [y[2], y[3], -4 * y[0] - 3 * (y[0] - y[1]), 3 * (y[0] - y[1])], [1, 0, 0, 0], 5)
        self.assertAlmostEqual(m["s"], y[0], delta=1e-9)
        self.assertAlmostEqual(m["rate"], y[2], delta=1e-9)
        self.assertAlmostEqual(m["x"], y[1], delta=1e-9)

    def test_every_family_of_methods(self):
        text = """
coordinates: {s: {start: 1}}
mass: {s: 1}
potential: 2*s^2 + 1.5*(s - ball.x)^2 + distance(ball, top)^2 + 0.4*top.axis3.x
contacts: {stop: {gap: s + 0.5, law: {name: unilateral, e: 0.8}}}
space:
  bodies:
    ball: {shape: sphere, radius: 0.1, mass: 1, position: [0, 0, 0.1], spin: [1, 0, 0]}
    top: {mass: 1, inertia: [1, 2, 2.5], position: [0.3, 0, 1], spin: [0, 3, 1]}
  walls: {floor: {normal: [0, 0, 1]}}
run: {t_end: 1}
"""
        exact = self.run_json(text, "--rtol", "1e-11", "--no-estimate")
        for method, limit in [(["--scheme", "moreau-jean", "--h", "1e-3"], 2e-2),
                              (["--scheme", "generalized-alpha", "--h", "1e-3"], 2e-2),
                              (["--scheme", "runge-kutta:tableau=gauss-4", "--stepping", "event-capturing", "--h", "1e-2"], 1e-5)]:
            with self.subTest(method=method):
                out = self.run_json(text, *method, "--no-estimate")
                self.assertLess(max(abs(a - b) for a, b in zip(out["q"], exact["q"], strict=True)), limit)

    def test_measures_name_axes_spins_and_distances(self):
        out = self.run_json("""
space:
  gravity: [0, 0, 0]
  bodies:
    a: {mass: 1, inertia: [1, 2, 2.5], axis_angle: [1, 2, 0.5, 0.8], spin: [0.3, -0.2, 0.9]}
    b: {mass: 1, inertia: 1, position: [1, 2, 2]}
run: {t_end: 0}
measure:
  distance: final.distance(a, b)
  twice: 2e0*final.distance( a , b ) + 0*final.a.x
  spin: hypot(final.a.spin.x - 0.3, hypot(final.a.spin.y + 0.2, final.a.spin.z - 0.9))
  unit: final.a.axis2.x^2 + final.a.axis2.y^2 + final.a.axis2.z^2
  square: final.a.axis1.x*final.a.axis3.x + final.a.axis1.y*final.a.axis3.y + final.a.axis1.z*final.a.axis3.z
  third: final.a.axis1.x*final.a.axis2.y - final.a.axis1.y*final.a.axis2.x - final.a.axis3.z
""")
        for name, value in {"distance": 3, "twice": 6, "spin": 0, "unit": 1, "square": 0, "third": 0}.items():
            self.assertAlmostEqual(out["measures"][name], value, delta=1e-14, msg=name)

    def test_mistakes_are_named(self):
        body = "space: {bodies: {a: {mass: 1, inertia: 1}}}\nrun: {t_end: 1}\n"
        for text, words in [
                ("forces: {a.qx: 1}\n" + body, "torque"),
                ("mass: {a.x: 1}\ncoordinates: {s: }\n" + body, "a body has its mass"),
                ("potential: a.axis4.x\n" + body, "unknown name 'a.axis4.x'"),
                ("potential: distance(a, c)\n" + body, "unknown name 'distance(a,c)'"),
                ("potential: distance(a)\n" + body, "distance(a, b)"),
                ("kinetic: s'^2 + a.vx^2\ncoordinates: {s: }\n" + body, "bodies in space have their kinetic energy"),
                ("bodies: {}\n" + body, "does not go together"),
                ("space: {bodies: {a: {mass: 1, inertia: 1, force: [0, b.x, 0]}}}\nrun: {t_end: 1}\n", "b.x"),
                ("space: {gravity: [0, 0, 0]}\nrun: {t_end: 1}\n", "give bodies or groups"),
                ("space: {groups: {g: {shape: sphere, radius: 1, mass: 1}}}\nrun: {t_end: 1}\n", "`grid` and `packing`"),
                ("space: {groups: {g: {shape: sphere, radius: 1, mass: 1, grid: {count: [2, 2], step: [2, 2, 2]}}}}\n"
                 "run: {t_end: 1}\n", "three numbers"),
                ("space: {groups: {g: {shape: sphere, radius: 1, mass: 1, packing: {count: 99, lower: [0, 0, 0], "
                 "upper: [5, 5, 5]}}}}\nrun: {t_end: 1}\n", "bodies find a place"),
                ("space: {groups: {g: {shape: sphere, radius: 1, mass: 1, packing: {count: 2, lower: [0, 0, 0], "
                 "upper: [1, 5, 5]}}}}\nrun: {t_end: 1}\n", "does not hold one body"),
                ("space: {bodies: {a: {mass: 1, inertia: 1}}, boxes: {b: {lower: [0, 0, 0], upper: [1, 1, 1], open: lid}}}\n"
                 "run: {t_end: 1}\n", "unknown side 'lid'")]:
            with self.subTest(text):
                p = saltus("check", self.scene("saltus: 1\n" + text))
                self.assertEqual(p.returncode, 2, p.stdout + p.stderr)
                self.assertIn(words, p.stdout + p.stderr)
                self.assertRegex(p.stdout + p.stderr, r"scene.yaml:\d+:\d+")


class Groups(Scenes):
    def test_packings_repeat_by_seed_and_do_not_overlap(self):
        def places(seed):
            out = self.run_json(f"""
space:
  groups:
    ball:
      shape: sphere
      radius: 0.1
      density: 1000
      packing: {{count: 80, lower: [0, 0, 0], upper: [1, 1, 2], spread: 0.3, seed: {seed}}}
  boxes: {{bin: {{lower: [0, 0, 0], upper: [1, 1, 3], open: top}}}}
run: {{t_end: 0}}
measure: {{first: final.ball.1.x, last: final.ball.80.z}}
""")
            q = out["q"]
            return [q[7 * k:7 * k + 3] for k in range(80)], out
        first, out = places(3)
        self.assertEqual(first, places(3)[0])
        self.assertNotEqual(first, places(4)[0])
        self.assertEqual(out["measures"], {"first": first[0][0], "last": first[79][2]})
        for i, a in enumerate(first):
            self.assertTrue(all(0.07 <= x <= top - 0.07 for x, top in zip(a, (1, 1, 2))))
            for b in first[:i]:
                self.assertGreater(math.dist(a, b), 2 * 0.07)

    def test_a_grid_has_rows_columns_and_shifted_layers(self):
        out = self.run_json("""
space:
  groups:
    brick: {shape: box, size: [0.2, 0.1, 0.05], mass: 1, position: [1, 2, 3], grid: {count: [3, 2, 2], step: [0.2, 0.1, 0.05], shift: 0.1}}
run: {t_end: 0}
""")
        found = [tuple(round(x, 12) for x in out["q"][7 * k:7 * k + 3]) for k in range(12)]
        expected = [(round(1 + 0.2 * i + 0.1 * k, 12), round(2 + 0.1 * j, 12), round(3 + 0.05 * k, 12))
                    for k in range(2) for j in range(2) for i in range(3)]
        self.assertEqual(found, expected)


if __name__ == "__main__":
    unittest.main()
