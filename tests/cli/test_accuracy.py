#!/usr/bin/env python3
"""Error bars as a user sees them: true errors are inside, at accumulations too; what has no digit is null, with a sentence."""
import csv
import json
import math
import os
import re
import unittest

from program import Scenes, saltus

HERE = os.path.dirname(os.path.abspath(__file__))
SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "scenes")
TOLERANCE = os.path.join(HERE, "..", "data", "tolerance")

DATA = os.path.join(HERE, "..", "data", "accuracy")

with open(os.path.join(TOLERANCE, "values.json"), encoding="utf-8") as f:
    CASES = json.load(f)["cases"]

BALL = """saltus: 1
parameters: {m: 0.2 kg, g: 9.81 m/s^2, e: 0.8}
coordinates: {z: {start: 1 m}}
mass: {z: m}
potential: m*g*z
contacts: {floor: {gap: z, law: {name: unilateral, e: e}}}
run: {t_end: 2 s, rtol: 1e-8}
measure:
  height: final.z
  kept: energy.final/energy.initial
  impacts: events.impact
"""
# Chaotic: two links that turn over.
LINKS = """saltus: 1
coordinates: {a: {start: 2.5}, b: {start: 2.0}}
let: {X1: sin(a), Y1: -cos(a), X2: X1 + sin(b), Y2: Y1 - cos(b)}
kinetic: (X1'^2 + Y1'^2)/2 + (X2'^2 + Y2'^2)/2
potential: 9.81*Y1 + 9.81*Y2
run: {t_end: 40, rtol: 1e-8}
measure: {angle: final.a}
"""
# A ball falls into a valley, beside its bottom by a hair: which side is first, or whether both are hit at once, decides.
VALLEY = """saltus: 1
coordinates: {x: {start: OFFSET}, z: {start: 1}}
mass: {x: 1, z: 1}
forces: {z: -2}
contacts:
  left: {gap: z + 2*x, law: {name: unilateral, e: 0.8}}
  right: {gap: z - 2*x, law: {name: unilateral, e: 0.8}}
run: {t_end: 1.5, rtol: 1e-6}
"""


class Bars(Scenes):
    def test_true_errors_are_inside(self):
        """Values of two independent means, to 1e-12."""
        outside, entries = [], 0
        for case in CASES:
            for k, t in enumerate(case["t"]):
                for rtol in (1e-6, 1e-9):
                    out = self.run_json(os.path.join(TOLERANCE, case["scene"]), "--rtol", repr(rtol), "--t-end", repr(t))
                    for key in ("q", "u"):
                        bars = out["error_estimate"][key + "_final"]
                        for x, y, s, bar in zip(out[key], case[key][k], case["scale"][key], bars):
                            self.assertIsNotNone(bar, (case["scene"], t))
                            entries += 1
                            if abs(x - y) > bar + 2e-12 * (s or 1):
                                outside.append((case["scene"], t, rtol, abs(x - y) / bar))
                            self.assertLess(bar, 100 * rtol * (s or 1), (case["scene"], t, rtol))  # and not useless
        self.assertFalse([o for o in outside if o[3] > 3], outside)
        self.assertLess(len(outside), 0.03 * entries, outside)

    def test_the_report_shows_the_digits_that_are_good(self):
        p = saltus("run", self.scene(BALL))
        exact = 0.2607417283270573  # closed form
        for name in ("measure   height", "          z"):
            line = next(x for x in p.stdout.splitlines() if x.startswith(name + " = "))
            value, bar = re.fullmatch(r".* = ([-0-9.]+) ± (\de-\d\d)", line).groups()
            self.assertLess(abs(float(value) - exact), float(bar), line)
            self.assertEqual(len(value.split(".")[1]), -int(bar.split("e")[1]), line)  # as many digits as the bar allows
        self.assertIn("measure   impacts = 3\n", p.stdout)  # a count has no bar
        self.assertIn("accuracy  q ", p.stdout)

    def test_json(self):
        out = self.run_json(BALL)
        e = out["error_estimate"]
        self.assertEqual([len(e["q_final"]), len(e["u_final"])], [1, 1])
        self.assertEqual(set(e["measures"]), {"height", "kept", "impacts"})
        self.assertEqual(e["measures"]["impacts"], 0)
        self.assertLess(abs(out["measures"]["kept"] - 0.8**6), e["measures"]["kept"])
        for key in ("q_sup", "u_hausdorff", "event_times"):
            self.assertGreater(e[key], 0)
        for k, event in enumerate(out["events"]):  # 2^k-th bounces by hand
            fall = math.sqrt(2 / 9.81)
            exact = fall * (1 + 2 * sum(0.8**i for i in range(1, k + 1)))
            self.assertLess(abs(event["t"] - exact), e["event_times"])
        self.assertEqual(out["warnings"], [])
        self.assertEqual(e["known_until"], 2)

    def test_a_bar_is_never_below_rounding(self):
        # exact but for rounding: uniform motion
        out = self.run_json("saltus: 1\ncoordinates: {x: {start: 1, velocity: 3}}\nmass: {x: 1}\nrun: {t_end: 7, rtol: 1e-6}\n")
        bar = out["error_estimate"]["q_final"][0]
        self.assertGreater(bar, 22 * 2.2e-16)
        self.assertLess(bar, 1e-12)

    def test_a_body_at_rest_has_digits(self):
        """Its velocities are rounding, in both runs: that is no lack of digits."""
        out = self.run_json("""saltus: 1
gravity: [1, -9.81]
materials: {default: {mu: 0.3, e_n: 0}}
walls: {floor: {point: [0, 0], normal: [0, 1]}}
bodies:
  lower: {shape: box, size: [0.3, 0.2], mass: 1, position: [0.7, 0.1]}
  upper: {shape: box, size: [0.2, 0.1], mass: 3, position: [0.71, 0.25]}
run: {t_end: 0.5, rtol: 1e-6}
""")
        self.assertNotIn(None, out["error_estimate"]["u_final"])
        self.assertFalse([w for w in out["warnings"] if "nothing is known" in w], out["warnings"])

    def test_it_can_be_left_out(self):
        self.assertNotIn("error_estimate", self.run_json(BALL, "--no-estimate"))
        self.assertNotIn("error_estimate", self.run_json(BALL, "--scheme", "moreau-jean", "--h", "0.01"))
        self.assertEqual(self.run_json(BALL)["q"], self.run_json(BALL, "--no-estimate")["q"])


    def test_many_impacts_are_located_without_bias(self):
        """Elastic impacts: each flight is as long as the one before, and errors of their ends must not add up."""
        walls = """saltus: 1
coordinates: {x: {start: 0.5, velocity: 1}}
mass: {x: 1}
forces: {x: 0}
contacts: {a: {gap: x, law: {name: unilateral, e: 1}}, b: {gap: 1 - x, law: {name: unilateral, e: 1}}}
run: {t_end: 2000.25}
"""
        out = self.run_json(walls, "--rtol", "1e-6")
        self.assertLess(abs(out["q"][0] - 0.75), 1e-9)
        self.assertLess(abs(out["q"][0] - 0.75), 3 * out["error_estimate"]["q_final"][0])
        ball = """saltus: 1
coordinates: {z: {start: 1.0}}
mass: {z: 1}
forces: {z: -9.81}
contacts: {floor: {gap: z, law: {name: unilateral, e: 1}}}
run: {t_end: 900}
"""
        half = math.sqrt(2 / 9.81)  # some thousand flights of 2 half
        rest = math.fmod(900 + half, 2 * half) - half
        exact = 1 - 9.81 / 2 * rest**2
        for rtol in (1e-8, 1e-11):
            out = self.run_json(ball, "--rtol", repr(rtol))
            off = abs(out["q"][0] - exact)
            # rounding of the dense output, some 30 eps of the velocity at each impact, adds up twice
            self.assertLess(off, max(10 * rtol, 3e-8), rtol)
            self.assertLess(off, 3 * out["error_estimate"]["q_final"][0] + 1e-11, rtol)  # of fmod: 1e3 roundings of half

    def test_the_whole_run_is_compared_wherever_it_moves(self):
        short = self.run_json(BALL)["error_estimate"]["q_sup"]
        self.assertGreater(self.run_json(BALL, "--t-end", "12000")["error_estimate"]["q_sup"], 0.5 * short)
        # the period of this motion is that of evenly spaced times
        wave = "saltus: 1\ncoordinates: {x: {start: 1}}\nmass: {x: 1}\nforces: {x: -4*pi^2*x}\nrun: {t_end: 256}\n"
        out = self.run_json(wave, "--rtol", "1e-8", "--at", "255.75")
        late = abs(out["at"][0]["q"][0])  # cos(2 pi t) = 0 there
        self.assertGreater(3 * out["error_estimate"]["q_sup"], late)
        self.assertGreater(late, 0)


class Digits(Scenes):
    def test_as_many_as_asked(self):
        exact = 0.2607417283270573
        for digits in (5, 9, 11):
            out = self.run_json(BALL, "--digits", str(digits))
            self.assertLessEqual(out["error_estimate"]["measures"]["height"], 10.0**-digits * exact)
            self.assertLess(abs(out["measures"]["height"] - exact), 10.0**-digits * exact)
            self.assertEqual(out["warnings"], [])

    def test_in_a_scene(self):
        """digits and estimate of a scene; the command line counts more."""
        with_digits = BALL.replace("rtol: 1e-8", "digits: 10")
        self.assertNotEqual(with_digits, BALL)
        out = self.run_json(with_digits)
        self.assertLess(out["error_estimate"]["measures"]["height"], 1e-10 * out["measures"]["height"])
        self.assertNotIn("error_estimate", self.run_json(BALL.replace("rtol: 1e-8", "rtol: 1e-8, estimate: false")))
        self.assertIn("rtol=0.0001", self.run_json(with_digits, "--rtol", "1e-4")["method"]["stepping"])
        for wrong, words in (("digits: 10, h: 1e-3", "leave out either h"), ("digits: 20", "1 to 13"),
                             ("digits: 3, estimate: false", "leave estimate out")):
            p = saltus("run", self.scene(BALL.replace("rtol: 1e-8", wrong)))
            self.assertEqual(p.returncode, 2, wrong)
            self.assertIn(words, p.stderr)

    def test_what_cannot_be_reached_is_said(self):
        out = self.run_json(LINKS, "--digits", "8", "--t-end", "25")
        self.assertEqual(out["status"], "finished")
        self.assertTrue(any(w.startswith("angle: ") and "of 8 digits" in w for w in out["warnings"]), out["warnings"])

    def test_wrong_uses_are_refused(self):
        path = self.scene(BALL)
        for options in (["--no-estimate"], ["--h", "0.01"], ["--scheme", "moreau-jean"]):
            p = saltus("run", path, "--digits", "8", *options)
            self.assertEqual(p.returncode, 2, (options, p.stdout))
        self.assertEqual(saltus("run", path, "--digits", "0").returncode, 2)


class Tightened(Scenes):
    def test_a_motion_that_multiplies_errors_runs_again(self):
        """The result is to be within ten times the tolerance, not the steps alone; how it was done is said."""
        scene = os.path.join(SCENES, "cradle-hanging.yaml")
        out, fine = self.run_json(scene, "--rtol", "1e-6"), self.run_json(scene, "--rtol", "1e-11", "--no-estimate")
        loose = self.run_json(scene, "--rtol", "1e-6", "--no-estimate")
        self.assertEqual(out["error_estimate"]["tightened"]["asked_rtol"], 1e-6)
        self.assertGreater(out["error_estimate"]["tightened"]["runs"], 1)
        self.assertEqual(out["warnings"], [])
        worst = [max(abs(a - b) / s for key in ("q", "u") for a, b, s in
                     zip(x[key], fine[key], out["error_estimate"]["sizes"][key])) for x in (out, loose)]
        self.assertLess(worst[0], 5e-6)
        self.assertGreater(worst[1], 5e-6)
        self.assertIn("rtol 1e-06 was asked for", saltus("run", scene).stdout)
        rows = json.loads(saltus("sweep", scene, "--over", "rtol=list:1e-6", "--json").stdout)["rows"]
        self.assertEqual(rows[0]["measures"]["first"], out["measures"]["first"])

    def test_files_are_those_of_the_last_run(self):
        scene, h5 = os.path.join(SCENES, "cradle-hanging.yaml"), self.path("c.h5")
        out = self.run_json(scene, "--rtol", "1e-6", "-o", h5)
        info = json.loads(saltus("info", h5, "--json").stdout)
        self.assertEqual(info["method"]["stepping"], out["method"]["stepping"])
        self.assertEqual(info["status"], "finished")

    def test_what_is_good_enough_runs_once(self):
        for target in ("bouncing-ball", os.path.join(SCENES, "leaning-stack.yaml"), os.path.join(SCENES, "stairs.yaml")):
            self.assertNotIn("tightened", self.run_json(target, "--rtol", "1e-6")["error_estimate"], target)


class NoDigit(Scenes):
    def test_chaos(self):
        out = self.run_json(LINKS)
        e = out["error_estimate"]
        self.assertEqual(out["status"], "finished")
        self.assertEqual(e["q_final"], [None, None])
        self.assertEqual(e["u_final"], [None, None])
        self.assertEqual([e["q_sup"], e["u_hausdorff"], e["measures"]["angle"]], [None, None, None])
        said = " ".join(out["warnings"])
        self.assertRegex(said, r"digits are lost at 0\.\d+ per second; nothing is known after t = \d+(\.\d+)? of a, b, a', b': a")
        # a hundredth of the tolerance: the time moves by two digits over the rate, roughly
        later = self.run_json(LINKS, "--rtol", "1e-11")["error_estimate"]
        self.assertGreater(later["known_until"], e["known_until"] + 1)
        # before that time digits are there, and right
        t = repr(0.6 * e["known_until"])
        short, exact = self.run_json(LINKS, "--t-end", t), self.run_json(LINKS, "--t-end", t, "--rtol", "1e-12")
        for x, y, bar in zip(short["q"], exact["q"], short["error_estimate"]["q_final"]):
            self.assertLess(abs(x - y), 3 * bar)

    def test_other_events(self):
        for offset in ("2e-9", "1e-12"):  # the second far below what either tolerance resolves
            out = self.run_json(VALLEY.replace("OFFSET", offset))
            self.assertEqual(out["status"], "finished")
            said = " ".join(out["warnings"])
            self.assertRegex(said, r"events depend on the tolerance: .* (left|right) at t = 1[ .;,]")
            self.assertIn(None, out["error_estimate"]["u_final"])
            self.assertIsNone(out["error_estimate"]["event_times"])

    def test_a_symmetric_impact_is_no_difference(self):
        out = self.run_json(VALLEY.replace("OFFSET", "0"))
        self.assertEqual(out["warnings"], [])
        self.assertLess(out["error_estimate"]["q_sup"], 1e-5)

    def test_bounces_before_a_rest_are_no_difference(self):
        out = self.run_json(BALL, "--set", "parameters.e=0.5", "--rtol", "1e-6")
        self.assertLess(out["error_estimate"]["event_times"], 1e-5)
        # but how many there are depends on the tolerance
        self.assertIsNone(out["error_estimate"]["measures"]["impacts"])
        self.assertEqual(len(out["warnings"]), 1)
        self.assertRegex(out["warnings"][0], "^no digit of measure impacts is known: .*impacts accumulate")

    def test_in_chaos_nothing_that_is_coupled_keeps_a_bar_by_chance(self):
        scene = os.path.join(DATA, "chaos-of-three.yaml")
        fine = self.run_json(scene, "--rtol", "1e-13", "--no-estimate")
        for rtol in ("1e-6", "1e-7", "1e-8", "1e-9"):
            out = self.run_json(scene, "--rtol", rtol)
            self.assertRegex(" ".join(out["warnings"]), "nothing is known after")
            for key in ("q", "u"):
                for x, y, bar in zip(out[key], fine[key], out["error_estimate"][key + "_final"]):
                    self.assertTrue(bar is None or abs(x - y) < 3 * bar, (rtol, key, x, y, bar))

    def test_a_gap_that_turns_within_its_error_is_told(self):
        """x = sin(t + 1) turns a hair before a stop: whether it touches no run can say, and this one says so."""
        scene = """saltus: 1
coordinates: {x: {start: 0.8414709848078965, velocity: 0.5403023058681398}}
mass: {x: 1}
forces: {x: -x}
contacts: {stop: {gap: STOP - x, law: {name: unilateral, e: 0.5}}}
run: {t_end: 5}
"""
        out = self.run_json(scene.replace("STOP", "1.0000000001"), "--rtol", "1e-6")
        self.assertTrue(any("stop may be grazed: at t = 0.5707" in w for w in out["warnings"]), out["warnings"])
        self.assertIsNone(out["error_estimate"]["event_times"])  # at a tenth of the tolerance it touches
        self.assertTrue(any("no error of event times is given" in w for w in out["warnings"]), out["warnings"])
        out = self.run_json(scene.replace("STOP", "1.0001"), "--rtol", "1e-8")
        self.assertEqual(out["warnings"], [])


class Ends(Scenes):
    def test_elastic_contacts_that_are_pressed_do_not_tremble_for_ever(self):
        """Masses that fall on a table that shakes: e = 1 between two of them keeps what is left of each impact."""
        out = self.run_json("""saltus: 1
coordinates:
  x1: {start: 0.431248, velocity: -0.6237}
  x2: {start: 0.780313, velocity: -0.928707}
  x3: {start: 0.91993, velocity: -0.303816}
  x4: {start: 0.91993, velocity: 0.93588}
  x5: {start: 1.02398, velocity: 0.63465}
mass: {x1: 0.314048, x2: 0.254163, x3: 1.08404, x4: 2.31118, x5: 1.47768}
potential: 2.15162*x1 + 1.74134*x2 + 7.42704*x3 + 15.8345*x4 + 10.124*x5
contacts:
  left: {gap: x1 - 0.0825336*sin(5.55613*t), law: {name: unilateral, e: 0.817494}}
  c1: {gap: x2 - x1, law: {name: unilateral, e: 1}}
  c2: {gap: x3 - x2, law: {name: unilateral, e: 0.539343}}
  c3: {gap: x4 - x3, law: {name: unilateral, e: 0}}
  c4: {gap: x5 - x4, law: {name: unilateral, e: 0}}
run: {t_end: 2, rtol: 1e-6}
""")
        self.assertLess(out["stats"]["steps"], 20000)  # of more than ten million

    def test_a_body_at_rest_makes_no_energy(self):
        """Energies of 1e-63 are rounding, though they are all that moves."""
        out = self.run_json("""saltus: 1
coordinates: {x: {start: 0.7}, y: {start: 0}}
mass: {x: 0.857514, y: 0.857514}
potential: 7.78185*y
contacts: {floor: {gap: y, slip: x', law: {name: coulomb, mu: 1.06, e_n: 0.87, e_t: 0}}}
run: {t_end: 1.5, rtol: 1e-6}
""")
        self.assertEqual(out["warnings"], [])


class Sweeps(Scenes):
    def test_columns(self):
        path, table = self.scene(BALL), os.path.join(self.folder.name, "x.csv")
        p = saltus("sweep", path, "--over", "e=0.6:0.9:4", "-o", table, "--json", "--threads", "1")
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(table, encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        for row, listed in zip(rows, json.loads(p.stdout)["rows"]):
            out = self.run_json(BALL, "--set", f"parameters.e={row['e']}")
            self.assertEqual(float(row["height"]), out["measures"]["height"])
            self.assertEqual(float(row["height_error"]), out["error_estimate"]["measures"]["height"])
            self.assertEqual(listed["error_estimate"]["height"], out["error_estimate"]["measures"]["height"])
        saltus("sweep", path, "--over", "e=0.6:0.9:4", "-o", table, "--no-estimate")
        with open(table, encoding="utf-8") as f:
            self.assertNotIn("height_error", f.readline())

    def test_a_figure_has_bars(self):
        path, figure = self.scene(BALL), os.path.join(self.folder.name, "x.svg")
        p = saltus("sweep", path, "--rtol", "1e-2", "--over", "e=0.7:0.9:5", "--figure", figure)
        self.assertTrue(p.returncode == 0 or "gnuplot" in p.stderr, p.stderr)


# --- accumulations of impacts -------------------------------------------------------------------------------------------


if __name__ == "__main__":
    unittest.main()
