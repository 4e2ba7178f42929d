#!/usr/bin/env python3
"""Event capturing as a user calls it: published and closed-form values, orders, units, refusals."""
import json
import math
import os
import tempfile
import unittest

from program import SALTUS, InFolder, saltus  # noqa: F401  (takes the path of the program from the arguments)

HERE = os.path.dirname(os.path.abspath(__file__))
SCENES = os.path.join(HERE, "..", "..", "examples", "scenes")
TOLERANCE = os.path.join(HERE, "..", "data", "tolerance")


def capture(target, tableau, h, *more):
    p = saltus("run", target, "--scheme", f"runge-kutta:tableau={tableau}", "--stepping", f"event-capturing:h={h!r}",
               "--no-error", "--json", *more)
    return json.loads(p.stdout), p.returncode


def finished(*args):
    out, code = capture(*args)
    assert code == 0 and out["status"] == "finished", (args, out["message"])
    return out


def distance(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


class Values(unittest.TestCase):
    """Scenes with values of two independent means (tests/data/tolerance/values.json)."""

    def test_every_scene_converges_to_its_values(self):
        with open(os.path.join(TOLERANCE, "values.json"), encoding="utf-8") as f:
            cases = json.load(f)["cases"]
        # relative errors at h = 5 ms: between 1e-14 and 1e-9 for order 5, 1e-7 for order 4
        for tableau, bound in (("radau-iia-5", 2e-9), ("herk-5", 2e-9), ("gauss-6", 1e-10), ("herk-4", 2e-7)):
            for case in cases:
                k = len(case["t"]) - 1
                out = finished(os.path.join(TOLERANCE, case["scene"]), tableau, 5e-3, "--t-end", repr(case["t"][k]))
                for key in ("q", "u"):
                    scale = [s if s > 0 else 1 for s in case["scale"][key]]
                    off = max(abs(x - y) / s for x, y, s in zip(out[key], case[key][k], scale))
                    self.assertLess(off, bound, (case["scene"], tableau, key))


class Modes(unittest.TestCase):
    """Events name the mode of a contact before and after them, and the modes of a contact follow on each other."""

    def follow(self, scene, *method):
        out = json.loads(saltus("run", os.path.join(SCENES, scene), *method, "--no-error", "--no-estimate", "--json").stdout)
        kinds, now = set(), {}
        for e in out["events"]:
            at = (scene, e["t"], e["contact"], e["kind"])
            kinds.add(e["kind"])
            if e["kind"] != "impact":
                self.assertEqual(e["from"], now.get(e["contact"], e["from"]), at)
                self.assertNotEqual(e["from"], e["to"], at)
                self.assertEqual(e["kind"] == "open", e["to"] == "open", at)
                self.assertEqual(e["kind"] in ("close", "accumulation"), e["from"] == "open", at)
                self.assertEqual(e["kind"] == "stick", e["to"] == "stick" and e["from"] != "open", at)
            else:
                self.assertNotEqual(e["to"], "open", at)
            now[e["contact"]] = "open" if e["kind"] == "impact" else e["to"]
        return kinds

    def test_by_tolerance_and_by_steps(self):
        kinds = set()
        for scene in ("stick-slip.yaml", "stairs.yaml", "three-legged-stool.yaml", "leaning-stack.yaml", "geneva.yaml"):
            kinds |= self.follow(scene, "--rtol", "1e-6")
        self.assertEqual(kinds, {"impact", "close", "open", "stick", "slip", "reverse", "accumulation"})
        kinds = self.follow("stairs.yaml", "--scheme", "runge-kutta:tableau=herk-5", "--stepping", "event-capturing:h=4e-3")
        self.assertLess({"impact", "close", "stick"}, kinds)


class Bodies(unittest.TestCase):
    """Order 5 on bodies with friction, through impacts, accumulations, stick and slip: runs agree with half the step."""

    def orders(self, scene, tableau, steps, end):
        runs = [finished(os.path.join(SCENES, scene), tableau, h, "--t-end", repr(end)) for h in steps]
        self.assertEqual(len({len(r["events"]) for r in runs}), 1, "other events at another step")
        return [distance(a["q"], b["q"]) for a, b in zip(runs, runs[1:])]

    def test_stairs(self):
        for tableau in ("radau-iia-5", "herk-5"):
            a, b = self.orders("stairs.yaml", tableau, (8e-3, 4e-3, 2e-3), 2.0)
            self.assertLess(b, 1e-8)
            self.assertGreater(math.log2(a / b), 4.5)

    def test_dominoes(self):
        for tableau in ("radau-iia-5", "herk-5"):
            a, b = self.orders("dominoes.yaml", tableau, (4e-3, 2e-3, 1e-3), 0.25)
            self.assertLess(a, 1e-8)
            self.assertGreater(math.log2(a / b), 4.3)

    def test_box_stack_rests(self):
        a, = self.orders("box-stack.yaml", "radau-iia-5", (2e-2, 1e-2), 0.2)
        self.assertLess(a, 1e-14)


class Compliant(unittest.TestCase):
    """Touching and parting of a compliant contact are events: a stiff pad does not cost the order."""

    def test_a_mass_on_a_stiff_pad(self):
        g, k, z0, end = 9.81, 1e6, 0.1, 0.2
        fall, v, w = math.sqrt(2 * z0 / g), math.sqrt(2 * g * z0), math.sqrt(k)
        pressed = (2 * math.pi - 2 * math.atan2(v / w, g / k)) / w
        exact = v * (end - fall - pressed) - g * (end - fall - pressed) ** 2 / 2
        scene = f"""saltus: 1
coordinates: {{z: {{start: {z0}}}}}
mass: {{z: 1}}
forces: {{z: -{g}}}
contacts: {{pad: {{gap: z, law: {{name: dashpot, k: {k}, c: 0, p: 1}}}}}}
run: {{t_end: {end}, h: 1e-4}}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pad.yaml")
            with open(path, "w", encoding="utf-8") as f:
                f.write(scene)
            for tableau, order in (("herk-4", 4), ("radau-iia-5", 5)):
                off = [abs(finished(path, tableau, h)["q"][0] - exact) for h in (1e-4, 5e-5)]
                self.assertGreater(math.log2(off[0] / off[1]), order - 0.3, (tableau, off))
                self.assertLess(off[1], 1e-9, tableau)

    def test_a_force_that_jumps_where_it_touches(self):
        """z'' + c z' + k z = -g from the touch on, whose force c v is there at once, until z = 0 again."""
        g, k, c, z0, end = 10, 1e6, 100, 0.1, 0.3
        fall, v = math.sqrt(2 * z0 / g), math.sqrt(2 * g * z0)
        d, w = c / 2, math.sqrt(k - c * c / 4)
        a, b = g / k, (-v + d * g / k) / w  # z = exp(-d t) (a cos + b sin) - g/k
        z = lambda t: math.exp(-d * t) * (a * math.cos(w * t) + b * math.sin(w * t)) - g / k  # noqa: E731
        lo, hi = 0.5 * math.pi / w, 1.5 * math.pi / w
        for _ in range(100):
            lo, hi = ((lo + hi) / 2, hi) if z((lo + hi) / 2) < 0 else (lo, (lo + hi) / 2)
        up = math.exp(-d * lo) * ((b * w - a * d) * math.cos(w * lo) - (a * w + b * d) * math.sin(w * lo))
        left = end - fall - lo
        exact = up * left - g * left**2 / 2
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pad.yaml")
            with open(path, "w", encoding="utf-8") as f:
                f.write(f"saltus: 1\ncoordinates: {{z: {{start: {z0}}}}}\nmass: {{z: 1}}\nforces: {{z: -{g}}}\n"
                        f"contacts: {{pad: {{gap: z, law: {{name: dashpot, k: {k}, c: {c}, p: 1}}}}}}\nrun: {{t_end: {end}}}\n")
            for tableau, order in (("herk-3", 3), ("herk-5", 5), ("radau-iia-5", 5), ("gauss-4", 4)):
                off = [abs(finished(path, tableau, h)["q"][0] - exact) for h in (2e-4, 1e-4)]
                self.assertGreater(math.log2(off[0] / off[1]), order - 0.3, (tableau, off))


class Scenes(InFolder):
    TABLEAUS = ("herk-4", "radau-iia-5", "gauss-4")


class ManyContacts(unittest.TestCase):
    """Problems whose own solver is loose, or whose contacts chatter at the rounding of their gaps."""

    CAPTURING = ("--scheme", "runge-kutta:tableau=gauss-4", "--stepping", "event-capturing:h=2e-3", "--no-error", "--json")

    def test_accelerations_are_solved_to_rounding(self):
        """A drum of disks comes with automatic:tolerance=5e-5, for time stepping: energy was lost at impacts, forces beyond the cone
        of friction were ties, and past t = 0.052 the run crept by critical steps."""
        ledgers = []
        for solver in ((), ("--solver", "automatic")):
            out = json.loads(saltus("run", "disk-mixer", "--t-end", "0.055", *self.CAPTURING, *solver).stdout)
            self.assertEqual((out["status"], out["warnings"]), ("finished", []), out["message"])
            self.assertLess(abs(out["ledger"]["remainder"]), 1e-7 * out["ledger"]["scale"])
            ledgers.append(out["ledger"])
        self.assertEqual(*ledgers)

    def test_contacts_that_chatter_come_to_rest(self):
        """Slip that an impact at the rounding of a gap starts, and that stops at once, brings the next one: 46 693 steps, all but a
        few of them so."""
        scene = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "space", "poured-spheres.yaml")
        out = json.loads(saltus("run", scene, "--t-end", "0.15", *self.CAPTURING).stdout)
        self.assertEqual(out["status"], "finished", out["message"])
        self.assertLess(out["stats"]["steps"], 15000)
        self.assertLess(abs(out["ledger"]["remainder"]), 1e-7 * out["ledger"]["scale"])

    def test_a_run_whose_events_are_too_dense_goes_on(self):
        """It crept at t = 0.0585 for ever."""
        out = json.loads(saltus("run", "disk-mixer", "--t-end", "0.1", *self.CAPTURING).stdout)
        self.assertEqual(out["status"], "finished", out["message"])
        self.assertIn("Moreau's scheme took over from t = 0.05", out["message"])
        self.assertIn("too dense to be located one by one", " ".join(out["warnings"]))
        self.assertTrue(0.055 < out["stepped_from"] < 0.06)
        self.assertEqual(out["t"], 0.1)
        self.assertLess(abs(out["ledger"]["remainder"]), 1e-6 * out["ledger"]["scale"])


class Stops(Scenes):
    """Slip in two directions that friction hardly stops."""

    SCENE = """
materials: {default: {mu: 0.35, e_n: 0.2}}
space:
  bodies:
    top: {shape: box, size: [1, 0.6, 0.05], mass: 10, position: [0, 0, 0.5], velocity: [0.8, 0.2, 0], spin: [0.3, 0.4, 0.5]}
  walls: {floor: {normal: [0, 0, 1]}}
run: {t_end: 0.6, h: 1e-3}
"""

    def test_a_plate_tips_and_stops(self):
        """Explicit steps near the stop of a corner were thrown from one side of its course to the other: 200 000 of them in a
        ten-millionth of a second."""
        path = self.scene(self.SCENE)
        right = finished(path, "radau-iia-5", 1e-3)
        for tableau in ("herk-4", "herk-5"):
            out = finished(path, tableau, 1e-3)
            self.assertLess(out["stats"]["steps"], 10000)
            self.assertLess(distance(out["q"], right["q"]), 1e-7)


class Cases(Scenes):
    """Small systems with closed forms."""

    def test_a_rod_that_jams_at_the_start(self):
        """Painleve's paradox: no accelerations obey the laws, and the velocity of the foot jumps to zero. Was refused."""
        mu, angle, speed, mass = 1.6, 1.0, 2.0, 1.0
        path = self.scene(f"""
materials: {{default: {{mu: {mu}}}}}
bodies:
  rod: {{shape: box, size: [1, 0.02], mass: {mass}, angle: {angle}, velocity: [{-speed}, 0],
        position: [0, 0.5*sin({angle}) + 0.01*cos({angle})]}}
walls: {{floor: {{normal: [0, 1]}}}}
run: {{t_end: 0.3, h: 1e-3}}
""")
        up, back = 0.5 * math.sin(angle) + 0.01 * math.cos(angle), 0.5 * math.cos(angle) - 0.01 * math.sin(angle)
        inertia = mass * ((1 + 0.02**2) / 12 + up**2 + back**2)  # about the foot
        lost = mass * speed**2 / 2 - (mass * up * speed)**2 / (2 * inertia)
        runs = [finished(path, tableau, 1e-3) for tableau in self.TABLEAUS]
        runs.append(json.loads(saltus("run", path, "--rtol", "1e-9", "--no-estimate", "--json").stdout))
        for out in runs:
            self.assertLess(abs(out["ledger"]["friction"] - lost), 1e-9)
            self.assertLess(distance(out["q"], runs[-1]["q"]), 1e-9)

    def test_a_mass_stays_on_a_table_that_rises(self):
        path = self.scene("""
coordinates: {z: {start: 0}}
mass: {z: 1}
forces: {z: 8}
contacts: {table: {gap: z - 5*t^2, law: {name: unilateral, e: 0}}}
run: {t_end: 0.2}
""")
        for tableau in self.TABLEAUS:
            out = finished(path, tableau, 1e-2)
            self.assertLess(abs(out["q"][0] - 0.2), 1e-14)
            self.assertEqual(len(out["events"]), 1, "it closes once and stays")
            # the table works from the first step on, where its velocity is zero: Simpson's rule is exact here
            self.assertLess(abs(out["ledger"]["remainder"]), 1e-13)

    def test_a_bead_stays_in_its_loop(self):
        path = self.scene("""
parameters: {g: 9.81}
coordinates: {x: {start: 0, velocity: sqrt(5.5*g)}, y: {start: -1}}
mass: {x: 1, y: 1}
forces: {y: -g}
contacts: {loop: {gap: "1 - hypot(x,y)", law: {name: unilateral, e: 0}}}
run: {t_end: 1.2}
""")
        for tableau in self.TABLEAUS:
            out = finished(path, tableau, 1e-3)
            (x, y), (u, v) = out["q"], out["u"]
            self.assertLess(abs(math.hypot(x, y) - 1), 1e-14)
            self.assertLess(abs((u * u + v * v) / 2 + 9.81 * (y + 1) - 5.5 * 9.81 / 2), 1e-9)

    def test_a_prescribed_motion_is_followed(self):
        path = self.scene("""
parameters: {w: pi/2}
coordinates: {z: {start: 1}, plane: {}}
mass: {z: 1, plane: 1}
potential: 9.81*(z + plane)
motions: {plane: 2*t + sin(w*t)/w}
contacts: {floor: {gap: z - plane, law: {name: unilateral, e: 0.9}}}
run: {t_end: 9.7}
""")
        for tableau in self.TABLEAUS:
            w = math.pi / 2
            self.assertLess(abs(finished(path, tableau, 5e-3)["q"][1] - (2 * 9.7 + math.sin(w * 9.7) / w)), 1e-12)

    def test_a_redundant_rod_changes_nothing(self):
        rods = "{r1: (x - cos(a) + 1)^2 + (y - sin(a))^2 - 1, r2: (x + cos(a) - 1)^2 + (y + sin(a))^2 - 1"
        text = """
coordinates: {x: {start: 0}, y: {start: -1}, a: {start: 0}}
mass: {x: 1, y: 1, a: 0.1}
forces: {x: 1}
potential: 10*y
joints: JOINTS
run: {t_end: 2}
"""
        for tableau in self.TABLEAUS:
            two = finished(self.scene(text.replace("JOINTS", rods + "}")), tableau, 1e-3)
            three = finished(self.scene(text.replace("JOINTS", rods + ", r3: x^2 + y^2 - 1}")), tableau, 1e-3)
            self.assertLess(distance(two["q"], three["q"]), 1e-11)

    def test_a_pull_that_friction_can_just_hold(self):
        path = self.scene("""
coordinates: {x: {}, y: {}}
mass: {x: 2, y: 2}
forces: {x: 5, y: -10}
contacts: {ground: {gap: y, slip: x', law: {name: coulomb, mu: 0.5}}}
run: {t_end: 2}
""")
        for tableau in self.TABLEAUS:
            self.assertLess(abs(finished(path, tableau, 1e-2)["q"][0]), 1e-13)

    def test_a_contact_that_leaves_with_a_gap_of_rounding(self):
        text = """
coordinates: {z: {start: START, velocity: 1}}
mass: {z: 1}
forces: {z: -10}
contacts: {floor: {gap: z - FLOOR, law: {name: unilateral, e: 0.5}}}
run: {t_end: 0.15}
"""
        for start, floor in (("5.6e-17", "0"), ("0.3", "0.1 - (-0.2)"), ("0", "0")):
            path = self.scene(text.replace("START", start).replace("FLOOR", floor))
            for tableau in self.TABLEAUS:
                out = finished(path, tableau, 1e-2)
                self.assertLess(abs(out["q"][0] - float(start) - (0.15 - 5 * 0.15**2)), 1e-15)
                self.assertFalse([e for e in out["events"] if e["t"] > 0])

    def test_impacts_of_the_pendulum_accumulate_with_every_tableau(self):
        # the stop's normal is orthogonal to gravity; t of gauss-6 at h = 1 ms
        for tableau in ("herk-2", "herk-4", "herk-5", "radau-iia-3", "radau-iia-5", "gauss-4", "gauss-6",
                        "lobatto-iiia-4", "lobatto-iiia-6"):
            for h in (2e-2, 5e-3):
                there, = finished("bouncing-pendulum", tableau, h, "--t-end", "4")["accumulations"]
                # the bound is an estimate: at order two the error changes its sign between h and 2 h
                bound = 10 * there["bound"] if tableau == "herk-2" else there["bound"]
                self.assertLess(abs(there["t"] - 2.24060084506), bound, (tableau, h))

    def test_small_scenes_have_the_digits_of_large_ones(self):
        """A ball in micrometres and milliseconds: the same relative error as in metres and seconds."""
        text = """
coordinates: {z: {start: START}}
mass: {z: 1}
forces: {z: FORCE - DRAG*z'}
contacts: {floor: {gap: z, law: {name: unilateral, e: 0.8}}}
run: {t_end: END}
"""
        def motion(length, time, h):
            scene = text.replace("START", repr(length)).replace("FORCE", repr(-2 * length / time**2))
            path = self.scene(scene.replace("DRAG", repr(0.3 / time)).replace("END", repr(4.1 * time)))
            return finished(path, "radau-iia-3", h * time)["q"][0] / length

        def error(length, time):
            return motion(length, time, 0.02) - motion(length, time, 0.001)

        one = error(1.0, 1.0)
        self.assertGreater(abs(one), 1e-8)
        self.assertLess(abs(error(1e-6, 1e-3) / one - 1), 1e-3)
        self.assertLess(abs(error(1e3, 1e3) / one - 1), 1e-3)


class Rolling(Scenes):
    """Rolling friction: discs of forces and moments stick and slide each by itself."""

    def test_a_disk_rolls_to_rest(self):
        # it sticks and rolls, 3/2 m a = -N l/r: rest after 3 r v^2/(4 l g) = 3 m
        for tableau in self.TABLEAUS:
            out = finished(os.path.join(SCENES, "rolling-disk.yaml"), tableau, 1e-2)
            self.assertLess(abs(out["q"][0] - 3), 1e-9)
            self.assertLess(abs(out["q"][2] + 30), 1e-8)
            self.assertEqual(max(map(abs, out["u"])), 0)
            self.assertLess(abs(out["ledger"]["remainder"]), 1e-9)

    def test_a_disk_slides_then_rolls_then_rests(self):
        # thrown without spin: the slip v + r w ends at t1, where it begins to roll
        m, r, g, mu, l, v = 2.0, 0.1, 10.0, 0.2, 0.01, 3.0
        path = self.scene(f"""
gravity: [0 m/s^2, -{g} m/s^2]
materials: {{default: {{mu: {mu}, rolling: {l} m}}}}
walls: {{floor: {{point: [0 m, 0 m], normal: [0, 1]}}}}
bodies:
  disk: {{shape: disk, radius: {r} m, mass: {m} kg, position: [0 m, {r} m], velocity: [{v} m/s, 0 m/s]}}
run: {{t_end: 6 s, h: 10 ms}}
""")
        spin_up = 2 * g * (mu * r - l) / r**2  # J w' = mu N r - l N
        t1 = v / (mu * g + r * spin_up)
        v1, x1 = v - mu * g * t1, v * t1 - mu * g * t1**2 / 2
        brake = 2 * l * g / (3 * r)
        self.assertLess(t1 + v1 / brake, 6)
        for tableau in self.TABLEAUS:
            out = finished(path, tableau, 1e-2)
            self.assertLess(abs(out["q"][0] - (x1 + v1**2 / (2 * brake))), 1e-9)
            kinds = [(e["kind"], e["t"]) for e in out["events"] if e["t"] > 0]
            self.assertEqual([k for k, _ in kinds], ["stick", "stick"])
            self.assertLess(abs(kinds[0][1] - t1), 1e-9)
            self.assertLess(abs(kinds[1][1] - t1 - v1 / brake), 1e-9)

    def test_rolling_in_space(self):
        # a point contact in formulas: each of three discs has its own closed form of a sliding mass
        path = self.scene("""
coordinates:
  z: {}
  x: {velocity: 1}
  y: {velocity: 0}
  a: {velocity: 0.5}
  b: {velocity: 0}
  s: {velocity: -2}
mass: {z: 1, x: 1, y: 1, a: 1, b: 1, s: 1}
forces: {z: -10}
contacts:
  p: {gap: z, slip: ["x'", "y'", "a'", "b'", "s'"], law: {name: rolling-friction, mu: 0.1, rolling: 0.02, spinning: 0.1, length: 1, tangents: 2}}
run: {t_end: 3}
""")
        for tableau in self.TABLEAUS:
            q = finished(path, tableau, 1e-2)["q"]
            for value, exact in zip(q, (0, 1 / 2, 0, 0.5**2 / (2 * 0.2), 0, -4 / 2)):
                self.assertLess(abs(value - exact), 1e-9)


class Stiff(unittest.TestCase):
    """Explicit tableaus are refused where their steps are unstable, with the largest stable step."""

    def test_refused_with_the_stable_step(self):
        for target in ("flexible-pendulum", os.path.join(SCENES, "beam-stop.yaml"), os.path.join(SCENES, "beam-gap.yaml")):
            for tableau in ("herk-2", "herk-4", "herk-5"):
                out, code = capture(target, tableau, 1e-4)
                self.assertEqual(code, 2)
                self.assertIn(f"the explicit tableau {tableau} is unstable", out["message"])
                self.assertIn("stable steps are below", out["message"])

    def test_the_limit_is_that_of_the_oscillator(self):
        # w = 100: the imaginary axis of the classical method ends at 2 sqrt 2
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.yaml")
            with open(path, "w", encoding="utf-8") as f:
                f.write("saltus: 1\ncoordinates: {x: {start: 1}, y: {start: 1}}\nmass: {x: 1, y: 1}\n"
                        "potential: 5000*x^2 + y^2/2\nrun: {t_end: 40}\n")
            self.assertEqual(capture(path, "herk-4", 0.0282)[1], 0)
            out, code = capture(path, "herk-4", 0.03)
            self.assertEqual(code, 2)
            limit = float(out["message"].split("stable steps are below ")[1].split(":")[0])
            self.assertLess(abs(limit - 0.0283), 0.001)

    def test_implicit_tableaus_run(self):
        for h in (2e-2, 2e-3, 1e-4):
            for target in ("flexible-pendulum", os.path.join(SCENES, "beam-stop.yaml")):
                finished(target, "radau-iia-5", h)


if __name__ == "__main__":
    unittest.main()
