#!/usr/bin/env python3
"""The scenes of examples/space against closed forms, invariants and integrations of reduced equations."""
import json
import math
import os
import tempfile
import unittest

from program import saltus

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "space")
# By tolerance; the others say their method.
EXACT = {"sliding-ball", "turntable-ball", "spin-bounce", "coin-circle", "shaken-brick", "crank-in-space", "billiards",
         "string-cradle", "rolling-log", "soft-collision"}


def run(name, *more):
    if not {"--rtol", "--t-end", "--scheme"} & set(more) and name in EXACT:
        more = ("--rtol", "1e-10", *more)
    folder = FOLDER if os.path.exists(os.path.join(FOLDER, name + ".yaml")) else os.path.join(FOLDER, "..", "scenes")
    p = saltus("run", os.path.join(folder, name + ".yaml"), "--json", "--no-estimate", *more)
    if p.returncode != 0:
        raise AssertionError(f"{name}: {p.stderr}")
    return json.loads(p.stdout)


def solve(A, b):
    """Of three equations, by Cramer's rule."""
    def det(m):
        return (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
                + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]))
    whole = det(A)
    return [det([[b[i] if j == k else A[i][j] for j in range(3)] for i in range(3)]) / whole for k in range(3)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def runge_kutta(f, y, h):
    def shifted(d, s):
        return [a + s * b for a, b in zip(y, d)]
    a = f(y)
    b = f(shifted(a, h / 2))
    c = f(shifted(b, h / 2))
    d = f(shifted(c, h))
    return [v + h / 6 * (p + 2 * q + 2 * r + s) for v, p, q, r, s in zip(y, a, b, c, d)]


class ClosedForms(unittest.TestCase):
    def check(self, name, measure, delta, *more):
        m = run(name, *more)["measures"]
        self.assertAlmostEqual(m[measure], m["must_be"], delta=delta, msg=name)
        return m

    def test_a_ball_slides_until_it_rolls(self):
        m = self.check("sliding-ball", "speed", 1e-11)
        self.assertAlmostEqual(m["slip"], 0, delta=1e-11)

    def test_a_log_rolls_down_a_plank(self):
        m = self.check("rolling-log", "speed", 1e-9)
        self.assertAlmostEqual(m["slip"], 0, delta=1e-9)
        self.check("rolling-log", "speed", 1e-9, "--scheme", "moreau-jean", "--h", "2e-4")

    def test_soft_balls_collide(self):
        m = self.check("soft-collision", "speed", 1e-8)
        self.assertAlmostEqual(m["lost"], 9 - m["speed"] ** 2 / 2 * 1 - 4.5, delta=1e-8)  # half of it stays with the centre
        for scheme in ("moreau-jean", "moreau-midpoint", "moreau-projected", "generalized-alpha"):
            self.check("soft-collision", "speed", 2e-3, "--scheme", scheme, "--h", "2e-5")

    def test_a_ball_on_a_turntable(self):
        self.check("turntable-ball", "across", 1e-8)

    def test_a_spinning_ball_bounces(self):
        m = self.check("spin-bounce", "speed", 1e-9)
        self.assertGreaterEqual(m["impacts"], 3)

    def test_a_coin_rolls_in_a_circle(self):
        m = self.check("coin-circle", "across", 1e-7)
        self.assertAlmostEqual(m["inclination"], 1.2, delta=1e-7)

    def test_a_brick_slips_on_a_shaken_plate(self):
        m = self.check("shaken-brick", "way", 1e-10)
        self.assertAlmostEqual(m["height"], 0.01, delta=1e-12)

    def test_a_tippe_top_turns_over(self):
        m = self.check("tippe-top", "jellett", 1e-5 * 8e-6)
        self.assertLess(m["up"], -0.9)

    def test_a_slider_crank_in_space(self):
        m = self.check("crank-in-space", "slider", 1e-8)
        self.assertAlmostEqual(m["rod"], 0.4, delta=1e-10)

    def test_a_gripper_by_tolerance(self):
        """Edges that are parallel are no contact, and had derivatives that are no numbers."""
        self.check("gripper", "lifted", 1e-6, "--rtol", "1e-6")

    def test_a_gripper_by_generalized_alpha(self):
        """Edges that meet at their ends have no place in some iterates. Their gap was the scale of the positions, and 9 cm were lost."""
        for h in (2e-3, 1e-3, 2e-4):
            m = self.check("gripper", "lifted", 0.1 * h * h, "--scheme", "generalized-alpha", "--h", str(h))
            self.assertAlmostEqual(m["open"], 0.05, delta=1e-12)

    def test_billiards_in_a_box(self):
        m = run("billiards")["measures"]
        for k in "xyz":
            self.assertAlmostEqual(m[k], m[k + "_must_be"], delta=1e-9)
        self.assertEqual(m["impacts"], sum(int((start - 0.05 + v * 10) // (size - 0.1)) if v > 0 else
                                           int((size - 0.05 - start - v * 10) // (size - 0.1))
                                           for start, v, size in ((0.3, 1.3, 1), (0.2, -0.9, 0.7), (0.15, 0.77, 0.4))))

    def test_a_cradle_on_strings(self):
        m = self.check("string-cradle", "out", 1e-4)  # the gaps shift it a little
        self.assertAlmostEqual(m["lost"], 0, delta=1e-8)

    def test_a_parallelogram_swings_like_a_pendulum(self):
        # E = ½ (2 (J + m l²/4) + M l²) θ'² − (m l + M l) g cos(tilt) cos θ
        l, start = 0.4, 1.0
        inertia, weight = 2 * (0.0134 + l * l / 4) + 2 * l * l, (l + 2 * l) * 9.81 * math.cos(0.5)
        a, b = 1.0, math.cos(start / 2)  # Gauss: the complete integral by means
        while abs(a - b) > 1e-15:
            a, b = (a + b) / 2, math.sqrt(a * b)
        period = 2 * math.pi / a * math.sqrt(inertia / weight)
        m = run("parallel-linkage", "--rtol", "1e-11", "--t-end", repr(period))["measures"]
        self.assertAlmostEqual(m["x"], l / 2 * math.sin(start), delta=1e-8)
        m = run("parallel-linkage", "--rtol", "1e-11", "--t-end", repr(period / 2))["measures"]
        self.assertAlmostEqual(m["x"], -l / 2 * math.sin(start), delta=1e-8)

    def test_a_heavy_top_falls_to_its_cusp(self):
        # from rest of its axis: (1 − u²) β = a² (u₀ − u), u = cos θ
        m = json.loads(saltus("run", os.path.join(FOLDER, "..", "scenes", "heavy-top.yaml"), "--json", "--no-estimate",
                              "--rtol", "1e-10").stdout)["measures"]
        inertia = 0.02 + 0.3 ** 2
        a, beta, start = 0.03 * 40 / inertia, 2 * 9.81 * 0.3 / inertia, math.cos(0.6)
        u = (a * a - math.sqrt(a ** 4 - 4 * beta * (a * a * start - beta))) / (2 * beta)
        self.assertAlmostEqual(m["lowest"], 0.3 * u, delta=1e-9)

    def test_eulers_disk_inclines_and_ends(self):
        def time(low, high, delta):  # from one lean to the other
            n, s0, s1 = 2000, math.sqrt(low), math.sqrt(high)
            middles = [s0 + (i + 0.5) * (s1 - s0) / n for i in range(n)]
            rate = 4 / 3 * delta / 0.0375 * math.sqrt(9.81 / 0.0375)
            return sum(2 * s / math.sqrt(math.sin(s * s)) for s in middles) * (s1 - s0) / n / rate
        m = run("eulers-disk")["measures"]
        self.assertAlmostEqual(time(m["mean"], 0.3, 1e-4), 1, delta=0.003)
        self.assertAlmostEqual(m["lean"], m["mean"], delta=0.003)
        self.assertAlmostEqual(m["rate"], math.sqrt(4 * 9.81 / (0.0375 * math.sin(m["lean"]))), delta=1)
        m = run("eulers-disk", "-p", "delta=4e-3", "--t-end", "0.6", "--scheme", "moreau-jean", "--h", "2e-4")["measures"]
        self.assertLess(time(0, 0.3, 4e-3), 0.6)
        self.assertLess(m["lean"], 1e-5)  # it lies flat

    def test_a_gripper_lifts_by_friction(self):
        self.check("gripper", "lifted", 1e-6)
        m = run("gripper", "-p", "F=1.5")["measures"]  # 2 mu F is less than the weight
        self.assertLess(m["lifted"], 0.09)

    def test_a_wall_of_bricks_stands(self):
        m = self.check("brick-wall", "top", 1e-10)
        self.assertLess(abs(m["sideways"]), 1e-10)
        self.assertLess(m["fastest"], 1e-9)

    def test_a_wall_of_bricks_stands_by_tolerance(self):
        """Its contacts are redundant, and some shares of the load lie at the edge of what friction allows. Accelerations of 1e-7, and
        decisions by rounding, let it creep and slip for ever."""
        out = run("brick-wall", "--rtol", "1e-6")
        self.assertEqual({(e["kind"], e["t"]) for e in out["events"]}, {("close", 0.0)})
        self.assertLess(abs(out["measures"]["top"] - 0.125), 1e-12)
        self.assertLess(out["measures"]["fastest"], 1e-12)
        self.assertLess(out["stats"]["steps"], 20)
        self.assertEqual(out["warnings"], [])

    def test_poured_spheres_stay_in_their_box(self):
        out = run("poured-spheres")
        for k in range(20):
            x, y, z = out["q"][7 * k:7 * k + 3]
            self.assertTrue(0.0065 < x < 0.0635 and 0.0065 < y < 0.0635 and z > 0.0065, f"grain {k + 1}")
        self.assertGreater(out["measures"]["lost"], 0)


class Reduced(unittest.TestCase):
    def test_a_rattleback_turns_back(self):
        # rolling in the frame of the stone: ρ from the centre of mass to the contact, n up, v = −ω×ρ
        radii, h, m, g = (0.2, 0.03, 0.02), 0.01, 1.0, 9.81
        J = [[2e-4, -2e-5, 0], [-2e-5, 16e-4, 0], [0, 0, 17e-4]]

        def times(M, x):
            return [sum(a * b for a, b in zip(row, x)) for row in M]

        def contact(n, rate):
            # the point of the ellipsoid whose outer normal is −n, and its rate when n moves at `rate`
            s = math.sqrt(sum((r * x) ** 2 for r, x in zip(radii, n)))
            d = sum(r * r * x * y for r, x, y in zip(radii, n, rate)) / s
            rho = [-r * r * x / s for r, x in zip(radii, n)]
            rho_rate = [-r * r * (y / s - x * d / (s * s)) for r, x, y in zip(radii, n, rate)]
            rho[2] += h
            return rho, rho_rate

        def motion(y):
            w, n = y[:3], y[3:]
            rate = cross(n, w)
            rho, rho_rate = contact(n, rate)
            # J ẇ = −w×Jw + ρ×F,  F = m (−ẇ×ρ − w×ρ̇ − w×(w×ρ) + g n)
            known = [m * (g * n[i] - a - b) for i, (a, b) in enumerate(zip(cross(w, rho_rate), cross(w, cross(w, rho))))]
            right = [b - a for a, b in zip(cross(w, times(J, w)), cross(rho, known))]
            square = sum(x * x for x in rho)
            A = [[J[i][j] + m * ((square if i == j else 0) - rho[i] * rho[j]) for j in range(3)] for i in range(3)]
            return solve(A, right) + rate
        y, t_end, steps = [0.5, 0, -5, 0, 0, 1.0], 3.0, 8000
        for _ in range(steps):
            y = runge_kutta(motion, y, t_end / steps)
        for a, b in zip(run("rattleback", "--t-end", "3")["u"][3:6], y[:3]):
            self.assertAlmostEqual(a, b, delta=1e-5)
        found = run("rattleback")["measures"]
        self.assertGreater(found["spin"], 2)  # it turned back
        self.assertAlmostEqual(found["lost"], 0, delta=1e-8)


class All(unittest.TestCase):
    def test_every_scene_has_a_test(self):
        with open(os.path.abspath(__file__), encoding="utf-8") as file:
            tested = file.read()
        for name in os.listdir(FOLDER):
            self.assertIn(f'"{name.removesuffix(".yaml")}"', tested)


class AnyMethod(unittest.TestCase):
    """Methods that are not the scene's own."""

    def test_extrapolation_on_rotations(self):
        fine = run("heavy-top", "--rtol", "1e-11")
        for scheme in ("moreau-midpoint", "moreau-jean"):
            done = run("heavy-top", "--scheme", scheme, "--stepping", "switching:atol=1e-7,h_min=1e-5,h_max=0.05")
            self.assertLess(done["stats"]["steps"], 800, scheme)
            for a, b in zip(done["q"], fine["q"]):
                self.assertLess(abs(a - b), 1e-7, scheme)

    def test_switching_points_in_space(self):
        done = run("spin-bounce", "--scheme", "moreau-midpoint", "--stepping", "switching")
        fine = run("spin-bounce", "--rtol", "1e-10")
        self.assertEqual(len([e for e in done["events"] if e["kind"] == "impact"]),
                         len([e for e in fine["events"] if e["kind"] == "impact"]))
        for a, b in zip(done["q"], fine["q"]):
            self.assertLess(abs(a - b), 1e-3)

    def test_a_coin_that_rolls_sinks_with_order_one_by_velocities_alone(self):
        deep = [run("coin-circle", "--scheme", "moreau-jean", "--h", h)["residuals"]["gap"] for h in ("1e-4", "3e-5")]
        self.assertAlmostEqual(deep[0] / deep[1], 10 / 3, delta=0.1)
        self.assertLess(deep[1], 1e-4)

    def test_bricks_side_by_side_have_parallel_edges(self):
        for more in (("runge-kutta:tableau=herk-4", "event-capturing:h=5e-3"), ("generalized-alpha", "fixed:h=5e-3"),
                     ("symplectic-euler", "event-location:h=5e-3")):
            m = run("brick-wall", "--scheme", more[0], "--stepping", more[1], "--t-end", "0.005")["measures"]
            self.assertAlmostEqual(m["top"], m["must_be"], delta=1e-9, msg=more[0])

    def test_slip_that_an_impact_made_is_followed(self):
        """Grains begin to slip at all times, and are hit: friction then opposes their velocity, not the forces. It crept."""
        out = run("poured-spheres", "--scheme", "runge-kutta", "--stepping", "event-capturing:h=2e-3", "--t-end", "0.12")
        self.assertLess(out["stats"]["steps"], 5000)
        self.assertGreater(out["ledger"]["friction"], 1e-3)
        self.assertLess(abs(out["ledger"]["remainder"]), 1e-9)

    def test_edges_that_do_not_cross_are_no_measure_of_what_is_solved(self):
        """Their gaps are millions of metres, and all contacts that are listed count at position level."""
        out = run("brick-wall", "--scheme", "schatzman-paoli", "--t-end", "0.02")
        self.assertLess(out["residuals"]["gap"], 5e-9)  # 10 (tolerance 1e-5 of many contacts) × h² g would be 2e-8

    def test_a_ball_leaves_the_side_of_a_hill_that_held_it(self):
        """It comes to rest in the hollow, on two triangles: at r √(1 + 2·0.4²)."""
        for scheme, stepping in (("symplectic-euler", "fixed:h=1e-3"), ("moreau-projected", "fixed:h=1e-3"),
                                 ("moreau-projected", "switching:h_max=1e-2,h_min=1e-6")):
            m = run("ball-on-land", "--scheme", scheme, "--stepping", stepping)["measures"]
            self.assertAlmostEqual(m["height"], 0.1 * math.sqrt(1.32), delta=1e-6, msg=scheme + stepping)

    def test_a_stone_that_sinks_by_velocities_is_judged_by_its_thickness(self):
        out = run("rattleback", "--scheme", "moreau-midpoint", "--h", "1e-4")
        self.assertAlmostEqual(out["ledger"]["penetration"], out["residuals"]["gap"] / 0.04, places=6)
        self.assertLess(out["ledger"]["penetration"], 0.05)
        self.assertEqual(out["warnings"], [])
        out = run("rattleback", "--scheme", "moreau-midpoint", "--h", "3e-3")
        self.assertGreater(out["ledger"]["penetration"], 0.1)
        self.assertIn("contact stone/table ends", " ".join(out["warnings"]))


class Figures(unittest.TestCase):
    def test_velocities_have_their_own_names_and_units(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "soft.svg")
            run("soft-collision", "--figure", file)
            with open(file, encoding="utf-8") as f:
                drawn = f.read()
        for label in ("left.x [m]", "left.vx [m/s]", "left.wx [1/s]"):
            self.assertIn(label, drawn)
        self.assertNotIn("qw'", drawn)


class BoxesOfOneSize(unittest.TestCase):
    """Corners above corners: rounding, and what a step ends deep, put them beside the faces below."""
    SCENE = ("saltus: 1\nmaterials: {default: {mu: 0.4, e_n: %s}}\nspace:\n  groups:\n"
             "    box: {shape: box, size: [0.2, 0.2, 0.1], density: 1000, position: [0, 0, 0.06],\n"
             "          grid: {count: [1, 1, %d], step: [0.2, 0.2, 0.11]}}\n"
             "  walls: {floor: {normal: [0, 0, 1]}}\nrun: {t_end: 0.5, h: 1e-3}\n")
    METHODS = ([["--rtol", "1e-6"], ["--scheme", "moreau-midpoint", "--stepping", "switching"]]
               + [["--scheme", f"runge-kutta:tableau={t}", "--stepping", "event-capturing:h=1e-3"] for t in ("herk-4", "radau-iia-5")]
               + [["--scheme", s, "--stepping", "fixed:h=1e-3"]
                  for s in ("generalized-alpha", "symplectic-euler", "moreau-jean", "moreau-projected")])

    def test_they_fall_on_each_other_and_stand(self):
        with tempfile.TemporaryDirectory() as folder:
            for e, count in ((0, 2), (0.2, 3)):
                file = os.path.join(folder, "boxes.yaml")
                with open(file, "w") as f:
                    f.write(self.SCENE % (e, count))
                for method in self.METHODS:
                    p = saltus("run", file, "--json", "--no-estimate", *method)
                    self.assertEqual(p.returncode, 0, (method, p.stderr))
                    q = json.loads(p.stdout)["q"]
                    for k in range(count):  # Moreau-Jean sinks by h times its speed
                        x, y, z = q[7 * k:7 * k + 3]
                        self.assertAlmostEqual(z, 0.05 + 0.1 * k, delta=1e-3, msg=method)
                        self.assertLess(math.hypot(x, y), 1e-3, msg=method)


if __name__ == "__main__":
    unittest.main()
