#!/usr/bin/env python3
"""Infinitely many impacts in a finite time: of one contact, and of several that hit each other in turn."""
import math
import os
import unittest
from decimal import Decimal, localcontext

from program import Scenes

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "accuracy")
SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "scenes")


def geometric(first, speed, pull, e):
    """First impact at `first` with `speed`, constant acceleration back."""
    return first + 2 * e * speed / (pull * (1 - e))


def series(first, speed, e, flight):
    """The sum of flights after each impact."""
    total = first
    while speed > 1e-18:
        speed *= e
        total += flight(speed)
    return total


def point(pull, height, velocity, e):
    first = (velocity + math.sqrt(velocity**2 + 2 * pull * height)) / pull
    return geometric(first, pull * first - velocity, pull, e)


def pendulum_time(k, low, speed, from_rest=None):
    """φ'' = −k sin φ above the stop at `low`: from the stop and back, or from rest at an angle to the stop."""
    width = 0.0 if from_rest is None else from_rest - low
    if from_rest is None:  # where it turns: cos low − cos(low + width) = speed²/2k, without cancellation
        for _ in range(60):
            width = 2 * math.asin(speed**2 / (4 * k * math.sin(low + width / 2)))
    panels, half = 40, 0.0
    for i in range(panels):  # φ = top − width·s²: smooth in s; Gauss' rule with three points
        for x, weight in ((-math.sqrt(0.6), 5 / 18), (0.0, 8 / 18), (math.sqrt(0.6), 5 / 18)):
            s = (i + 0.5 + x / 2) / panels
            rest = width * s * s  # top − φ
            below = 2 * math.sin(low + width - rest / 2) * math.sin(rest / 2)  # cos φ − cos top
            half += weight / panels * 2 * width * s / math.sqrt(2 * k * below)
    return half if from_rest is not None else 2 * half


def mass_point(gap, force, start, velocity, e, end):
    return f"""saltus: 1
coordinates: {{z: {{start: {start!r}, velocity: {velocity!r}}}}}
mass: {{z: 1}}
forces: {{z: {force}}}
contacts: {{c: {{gap: {gap}, law: {{name: unilateral, e: {e!r}}}}}}}
run: {{t_end: {end!r}}}
"""


def accumulations():
    """Name, scene, the accumulation times in the order of contacts."""
    yield "ball, e = 0.5", mass_point("z", "-9.81", 1.0, 0.0, 0.5, 3.0), [point(9.81, 1, 0, 0.5)]
    yield "ball, e = 0.9", mass_point("z", "-9.81", 0.3, 0.0, 0.9, 9.0), [point(9.81, 0.3, 0, 0.9)]
    yield "ball thrown up, e = 0.3", mass_point("z", "-9.81", 1.0, 5.0, 0.3, 4.0), [point(9.81, 1, 5, 0.3)]
    yield ("ball on a lift that accelerates", mass_point("z - t^2", "-9.81", 1.0, 0.0, 0.7, 6.0),
           [point(11.81, 1, 0, 0.7)])
    slope = 0.4
    yield ("ball on a slope", f"""saltus: 1
coordinates: {{x: {{start: 0}}, y: {{start: 1}}}}
mass: {{x: 2, y: 2}}
forces: {{y: -19.62}}
contacts: {{slope: {{gap: y*{math.cos(slope)!r} + x*{math.sin(slope)!r}, law: {{name: unilateral, e: 0.6}}}}}}
run: {{t_end: 3}}
""", [point(9.81 * math.cos(slope), math.cos(slope), 0, 0.6)])
    yield ("two balls that attract each other", """saltus: 1
coordinates: {a: {start: 0, velocity: 0.3}, b: {start: 1}}
mass: {a: 1, b: 3}
forces: {a: 2, b: -2}
contacts: {touch: {gap: b - a, law: {name: unilateral, e: 0.7}}}
run: {t_end: 8}
""", [point(2 + 2 / 3, 1, -0.3, 0.7)])
    yield ("two balls on a floor", """saltus: 1
coordinates: {a: {start: 1}, b: {start: 2}}
mass: {a: 1, b: 3}
forces: {a: -9.81, b: -29.43}
contacts:
  first: {gap: a, law: {name: unilateral, e: 0.5}}
  second: {gap: b, law: {name: unilateral, e: 0.6}}
run: {t_end: 4}
""", [point(9.81, 1, 0, 0.5), point(9.81, 2, 0, 0.6)])
    w, away, e = 3.0, 0.2, 0.75  # pressed to the stop by a spring: x'' = −w² (x + away)
    yield ("oscillator pressed to a stop", mass_point("z", f"-{w * w!r}*(z + {away!r})", 0.0, 1.0, e, 8.0),
           [series((2 / w) * math.atan(1 / (w * away)), 1.0, e, lambda v: (2 / w) * math.atan(v / (w * away)))])
    p, alpha, tilt, r = 2.0, 0.3, 0.2, 0.8  # a rocking block, |θ|'' = p² (|θ| − α), Housner's ratio r
    first = math.acosh(alpha / (alpha - tilt)) / p
    speed = (alpha - tilt) * p * math.sinh(p * first)
    yield ("rocking block", mass_point("z", f"{p * p!r}*(z - {alpha!r})", tilt, 0.0, r, 9.0),
           [series(first, speed, r, lambda v: (2 / p) * math.atanh(v / (p * alpha)))])
    k, low, high, e = 9.81, 0.3, 1.2, 0.6  # a pendulum that leans against a wall
    speed = math.sqrt(2 * k * (math.cos(low) - math.cos(high)))
    yield ("pendulum against a wall", f"""saltus: 1
coordinates: {{a: {{start: {high!r}}}}}
mass: {{a: 1}}
forces: {{a: -{k!r}*sin(a)}}
contacts: {{wall: {{gap: sin(a) - {math.sin(low)!r}, law: {{name: unilateral, e: {e!r}}}}}}}
run: {{t_end: 6}}
""", [series(pendulum_time(k, low, 0, high), speed, e, lambda v: pendulum_time(k, low, v))])


class Accumulations(Scenes):
    def test_times_are_inside_the_printed_bound(self):
        for name, scene, exact in accumulations():
            for rtol in (1e-6, 1e-10):
                out = self.run_json(scene, "--rtol", repr(rtol))
                found = sorted(out["accumulations"], key=lambda a: a["contact"])
                self.assertEqual(len(found), len(exact), (name, rtol))
                for a, t in zip(found, exact):
                    self.assertLessEqual(abs(a["t"] - t), a["bound"], (name, rtol, a["t"], t))
                    # flights lower than the rounding of the gap are none
                    self.assertLess(a["bound"], 300 * rtol * t + 50 * math.sqrt(2.2e-16) * t, (name, rtol))
                    self.assertLessEqual(a["bound"], out["error_estimate"]["event_times"])
                self.assertEqual(out["warnings"], [], name)


CLUSTER = """saltus: 1
coordinates: {a: {start: 1}, b: {start: 1.2}}
mass: {a: 1, b: 6}
forces: {a: -9.81, b: -30}
contacts:
  floor: {gap: a, law: {name: unilateral, e: 0.5}}
  pair: {gap: b - a, law: {name: unilateral, e: 0}}
run: {t_end: 0.8}
"""


def end_of_cluster():
    """When both rest. Each time the upper ball comes down the flights are as short as the square of those before."""
    with localcontext() as c:
        c.prec = 200
        g, h = Decimal("9.81"), Decimal(5)

        def flight(gap, rate, pull):  # of gap + rate s - pull s²/2
            root = (rate * rate + 2 * pull * gap).sqrt()
            return 2 * gap / (root - rate) if rate < 0 else (rate + root) / pull

        t = s = flight(Decimal(1), Decimal(0), g)
        a, b, va, vb = Decimal(0), Decimal("1.2") - h * s * s / 2, g * s / 2, -h * s
        for _ in range(5):
            s = 2 * (b - a) / ((va - vb) + ((va - vb) ** 2 - 2 * (g - h) * (b - a)).sqrt())  # the pair meets
            a, va, vb, t = a + va * s - g * s * s / 2, va - g * s, vb - h * s, t + s
            va = vb = (va + 6 * vb) / 7
            s = flight(a, va, g)  # the floor
            b, va, vb, t = a + vb * s - h * s * s / 2, (g * s - va) / 2, vb - h * s, t + s
            a = Decimal(0)
        return float(t)


AT_REST = """saltus: 1
coordinates: {x1: {start: 0.146584, velocity: -0.379429}, x2: {start: 0.375406, velocity: -0.824917}, x3: {start: 0.612796, velocity: -0.45366}}
mass: {x1: 18.4222, x2: 23.8067, x3: 0.00120956}
contacts:
  left: {gap: x1, law: {name: unilateral, e: 0}}
  c1: {gap: x2 - x1, law: {name: unilateral, e: 0}}
  c2: {gap: x3 - x2, law: {name: unilateral, e: 1}}
run: {t_end: 2}
"""


class WithoutForces(Scenes):
    def test_contacts_that_come_to_rest_stay_closed_where_nothing_presses(self):
        """Two masses stop at a wall; the third is reflected by them as by the wall itself."""
        for method in (("--rtol", "1e-6"), ("--rtol", "1e-8"), ("--rtol", "1e-10"), ("--rtol", "1e-12"),
                       ("--scheme", "runge-kutta:tableau=radau-iia-5", "--stepping", "event-capturing:h=1e-2")):
            out = self.run_json(AT_REST, *method)
            for x, exact in zip(out["q"] + out["u"], (0, 0, 2 * 0.45366 - 0.612796, 0, 0, 0.45366)):
                self.assertAlmostEqual(x, exact, delta=1e-13, msg=str(method))
            self.assertEqual(out["warnings"], [], method)
            self.assertEqual([e["kind"] for e in out["events"]], ["impact", "close", "impact", "close", "impact"], method)


class Ties(Scenes):
    def test_an_order_of_impacts_that_is_not_known_is_told(self):
        """Two feet of a stool that rocks on the third fall exactly together, but for the errors of the run.

        Taken in turn, in either order, they rebound differently. Two runs may do so alike by chance.
        """
        path = os.path.join(SCENES, "three-legged-stool.yaml")
        exact = self.run_json(path, "--rtol", "1e-12")
        last = [e["t"] for e in exact["events"] if e["kind"] == "impact"][-20:]
        self.assertEqual(last[0::2], last[1::2])  # that run took them together
        apart = 0
        for k in range(18, 45):
            rtol = repr(10 ** (-k / 4))
            out = self.run_json(path, "--rtol", rtol)
            for x, y, bar in zip(out["q"], exact["q"], out["error_estimate"]["q_final"]):
                self.assertLessEqual(abs(x - y), 3 * bar, rtol)
            told = any("order of impacts is not known" in w for w in out["warnings"])
            if told:
                apart += 1
                self.assertIn("foot", out["warnings"][0])
                self.assertNotIn("tightened", out["error_estimate"])
            self.assertNotIn("nothing is known", " ".join(out["warnings"]), rtol)
        self.assertGreaterEqual(apart, 2)


class Clusters(Scenes):
    def test_impacts_in_turn_end_at_rest(self):
        """Solved at once where they are too close to be told apart, both contacts would rebound instead."""
        exact = end_of_cluster()
        for rtol in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
            out = self.run_json(CLUSTER, "--rtol", repr(rtol))
            for x, bar in zip(out["q"] + out["u"], out["error_estimate"]["q_final"] + out["error_estimate"]["u_final"]):
                self.assertLessEqual(abs(x), 3 * bar, (rtol, x, bar))
                self.assertLess(bar, 1e-10)
            self.assertEqual([a["contact"] for a in out["accumulations"]], ["floor"])
            self.assertLess(abs(out["accumulations"][0]["t"] - exact), out["accumulations"][0]["bound"], rtol)
            self.assertEqual(out["warnings"], [])

    def test_a_light_mass_between_a_heavy_one_and_a_wall_stops_it_without_a_force(self):
        """Velocities fall by a thousandth in every turn, gaps by a half: no flight is long enough to be located."""
        scene = """saltus: 1
coordinates: {x: {start: 0.285985, velocity: -0.260812}, y: {start: 0.836258, velocity: -0.97788}}
mass: {x: 0.00152025, y: 1.70974}
contacts:
  wall: {gap: x, law: {name: unilateral, e: 0.127157}}
  pair: {gap: y - x, law: {name: unilateral, e: 0.127157}}
run: {t_end: 2}
"""
        for rtol in (1e-4, 1e-6, 1e-10):
            out = self.run_json(scene, "--rtol", repr(rtol))
            for x in out["q"] + out["u"]:
                self.assertLess(abs(x), rtol, rtol)
            for bar in out["error_estimate"]["q_final"] + out["error_estimate"]["u_final"]:
                self.assertLess(bar, 10 * rtol, rtol)
            self.assertLess(out["stats"]["steps"], 50000)

    def test_masses_that_fall_together_after_a_collapse(self):
        """No force presses them, and what rounding leaves of their velocities is handed on for ever."""
        scene = """saltus: 1
coordinates:
  x: {start: 0.9, velocity: 0.9}
  y: {start: 1.4, velocity: 0.8}
  z: {start: 1.8, velocity: -0.2}
mass: {x: 547, y: 0.00136, z: 2.92}
potential: 547*8.343*x + 0.00136*8.343*y + 2.92*8.343*z
contacts:
  c1: {gap: y - x, law: {name: unilateral, e: 0.41}}
  c2: {gap: z - y, law: {name: unilateral, e: 0.41}}
run: {t_end: 2}
"""
        fine = self.run_json(scene, "--rtol", "1e-12", "--no-estimate")
        for rtol in (1e-6, 1e-8):
            out = self.run_json(scene, "--rtol", repr(rtol))
            for key in ("q", "u"):
                for x, y, bar in zip(out[key], fine[key], out["error_estimate"][key + "_final"]):
                    self.assertLess(abs(x - y), 3 * bar + 1e-13, (rtol, key))
                    self.assertLess(bar, 100 * rtol, (rtol, key))

    def test_three_masses_that_end_at_rest_on_each_other(self):
        """Thousands of impacts in nineteen clusters: the same motion at every tolerance."""
        scene = os.path.join(DATA, "impacts-of-three.yaml")
        fine = self.run_json(scene, "--rtol", "1e-13", "--no-estimate")
        for rtol in (1e-8, 1e-10):
            out = self.run_json(scene, "--rtol", repr(rtol))
            for key in ("q", "u"):
                for x, y, bar in zip(out[key], fine[key], out["error_estimate"][key + "_final"]):
                    self.assertLess(abs(x - y), 3 * bar, (rtol, key))
                    self.assertLess(bar, 3e3 * rtol, (rtol, key))


if __name__ == "__main__":
    unittest.main()
