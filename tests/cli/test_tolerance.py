#!/usr/bin/env python3
"""Runs by tolerance as a user calls them: the error follows the tolerance, whatever the units; wrong uses are refused."""
import cmath
import json
import math
import os
import tempfile
import unittest

from program import SALTUS, saltus  # noqa: F401  (takes the path of the program from the arguments)
from tolerance_runs import by_tolerance

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = os.path.join(HERE, "..", "data", "tolerance")

with open(os.path.join(TOLERANCE, "values.json"), encoding="utf-8") as f:
    CASES = json.load(f)["cases"]


def error(out, case, k):
    """The largest error of a coordinate or velocity over its scale."""
    worst = 0
    for key in ("q", "u"):
        for x, y, s in zip(out[key], case[key][k], case["scale"][key]):
            worst = max(worst, abs(x - y) / (s if s > 0 else 1))
    return worst


SCENES = os.path.join(HERE, "..", "..", "examples", "scenes")


class Corners(unittest.TestCase):
    """Corners that pass corners are no impacts: runs with other tolerances end alike."""

    def agree(self, scene, tolerances, factor):
        runs = {rtol: by_tolerance(os.path.join(SCENES, scene), rtol, "--no-estimate") for rtol in tolerances}
        best = runs[min(runs)]
        size = max(abs(x) for x in best["q"])
        for rtol, out in runs.items():
            off = max(abs(x - y) for x, y in zip(out["q"], best["q"]))
            self.assertLess(off, factor * rtol * size, (scene, rtol))
            # below 1e-9 rounding may decide which of two corners carries: it says so, and the end is the same
            warnings = [w for w in out["warnings"] if rtol >= 1e-9 or "lie flat on each other" not in w]
            self.assertEqual(warnings, [], (scene, rtol))

    def test_a_box_tumbles_down_stairs(self):
        # impacts multiply errors: 1e-5 m at 1e-4
        self.agree("stairs.yaml", (1e-4, 1e-6, 1e-8, 1e-9, 3e-10, 1e-10, 1e-12), 20)

    def test_dominoes(self):
        self.agree("dominoes.yaml", (1e-6, 1e-8, 1e-9, 1e-10), 20)

    def test_a_box_slides_flat_over_a_joint(self):
        """Two tables of one height: x = v t - mu g t^2/2, whatever corners it passes."""
        scene = """saltus: 1
materials: {default: {mu: 0.1, e_n: 0.3}}
bodies:
  table: {shape: box, size: [1 m, 0.2 m], position: [0 m, -0.1 m], fixed: true}
  next: {shape: box, size: [0.4 m, 0.2 m], position: [0.7 m, -0.1 m], fixed: true}
  box: {shape: box, size: [0.2 m, 0.1 m], mass: 1 kg, position: [0 m, 0.05 m], velocity: [2 m/s, 0]}
run: {t_end: 0.25 s, rtol: 1e-6}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "joint.yaml")
            with open(path, "w", encoding="utf-8") as f:
                f.write(scene)
            for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
                out = by_tolerance(path, rtol)
                exact = (2 * 0.25 - 0.1 * 9.81 * 0.25**2 / 2, 0.05, 0)
                off = max(abs(x - y) for x, y in zip(out["q"], exact))
                # brackets below 1e-12 s are those of rounding, which decides: then there is a warning
                self.assertTrue(off < 10 * rtol or (rtol < 1e-8 and out["warnings"]), (rtol, off))


class Values(unittest.TestCase):
    """Scenes with impacts, accumulations, friction and release; values of two independent means."""

    def test_the_error_follows_the_tolerance(self):
        for case in CASES:
            for k, t in enumerate(case["t"]):
                for rtol, factor in ((1e-4, 50), (1e-6, 10), (1e-9, 10), (1e-11, 10)):
                    # 1e-4: the Duffing oscillator passes close to its saddle and multiplies what errors there are
                    out = by_tolerance(os.path.join(TOLERANCE, case["scene"]), rtol, "--t-end", repr(t))
                    self.assertLess(error(out, case, k), factor * rtol, (case["scene"], t, rtol))

    def test_a_gap_that_dips_within_a_step_is_seen(self):
        """x = cos(t + phase) passes a stop for a short time, within a step: its ends have to show it."""
        for depth, rtol in ((0.3, 1e-2), (0.3, 1e-6), (1e-2, 1e-4), (1e-3, 1e-6), (1e-4, 1e-6), (1e-4, 1e-9),
                            (1e-7, 1e-8), (1e-9, 1e-10), (1e-10, 1e-12)):
            for phase in (0.0, 0.7, 1.9) if depth > 1e-5 else (k / 4 for k in range(12)):
                scene = f"""saltus: 1
coordinates: {{x: {{start: {math.cos(phase)!r}, velocity: {-math.sin(phase)!r}}}}}
mass: {{x: 1}}
forces: {{x: -x}}
contacts: {{stop: {{gap: x + {1 - depth!r}, law: {{name: unilateral, e: 0.5}}}}}}
run: {{t_end: 6}}
"""
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "stop.yaml")
                    with open(path, "w", encoding="utf-8") as f:
                        f.write(scene)
                    impacts = [e["t"] for e in by_tolerance(path, rtol, "--no-estimate")["events"] if e["kind"] == "impact"]
                exact, speed = math.acos(depth - 1) - phase, math.sqrt(2 * depth - depth**2)
                self.assertTrue(impacts and abs(impacts[0] - exact) < 10 * rtol / speed, (depth, rtol, phase, impacts[:1]))

    def test_a_force_that_jumps_while_a_mass_is_at_rest(self):
        """Nothing has a size yet but what the step makes of it: a = 1 from t0 on, x = (1 - t0)^2/2, v = 1 - t0."""
        jumps = {"if(sin(t) > 0, 1, -1)": 0, "if(t > 0, 1, -1)": 0, "if(t > 0, 1, 0)": 0, "if(t > 0.3, 1, 0)": 0.3}
        with tempfile.TemporaryDirectory() as folder:
            scene = os.path.join(folder, "jump.yaml")
            for force, since in jumps.items():
                with open(scene, "w", encoding="utf-8") as f:
                    f.write("saltus: 1\ncoordinates: {x: {start: 0}}\nmass: {x: 1}\n"
                            f"forces:\n  x: {force}\nrun: {{t_end: 1}}\n")
                for rtol in (1e-4, 1e-6, 1e-7, 1e-9, 1e-10, 1e-12):
                    out = by_tolerance(scene, rtol)
                    self.assertLess(out["stats"]["steps"], 1000, (force, rtol))
                    self.assertLess(abs(out["q"][0] - (1 - since) ** 2 / 2), rtol, (force, rtol))
                    self.assertLess(abs(out["u"][0] - (1 - since)), rtol, (force, rtol))

    def test_units_of_time_do_not_matter(self):
        scene = """saltus: 1
parameters: {{e: 0.6}}
coordinates: {{z: {{start: 1, velocity: 0}}}}
mass: {{z: 1}}
forces: {{z: -{a!r}}}
contacts: {{floor: {{gap: z, law: {{name: unilateral, e: e}}}}}}
run: {{t_end: {end!r}, rtol: 1e-9}}
"""
        steps, heights = set(), []
        for unit in (2.0**-20, 1.0, 2.0**10):  # powers of two: not even the rounding differs
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "ball.yaml")
                with open(path, "w", encoding="utf-8") as f:
                    f.write(scene.format(a=9.81 / unit**2, end=1.2 * unit))
                p = saltus("run", path, "--no-error", "--json")
                out = json.loads(p.stdout)
                self.assertEqual(p.returncode, 0, out["message"])
                steps.add(out["stats"]["steps"])
                heights.append(out["q"][0])
        self.assertEqual(len(steps), 1, steps)
        for z in heights:
            self.assertLess(abs(z - heights[0]), 1e-9)


class Uses(unittest.TestCase):
    def test_it_overrides_the_method_of_a_scene(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.yaml")
            with open(os.path.join(TOLERANCE, "ball-accumulation.yaml"), encoding="utf-8") as f:
                text = f.read()
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace("t_end: 3", "t_end: 3, h: 0.01, scheme: moreau-midpoint"))
            out = by_tolerance(path, 1e-8)
            self.assertIn("tolerance:rtol=1e-08", out["method"]["stepping"])
            # and the other way round
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace("t_end: 3", "t_end: 3, rtol: 1e-8"))
            p = saltus("run", path, "--scheme", "moreau-jean", "--h", "0.01", "--no-error", "--json")
            self.assertEqual(p.returncode, 0, p.stdout)
            self.assertIn("fixed", json.loads(p.stdout)["method"]["stepping"])

    def test_what_contradicts_it_is_refused(self):
        for option in (("--scheme", "moreau-jean"), ("--h", "0.01"), ("--stepping", "fixed:h=0.01")):
            p = saltus("run", "bouncing-ball", "--rtol", "1e-8", *option)
            self.assertEqual(p.returncode, 2, option)
            self.assertIn("a run by tolerance chooses its scheme and its steps", p.stderr)
        for rtol in ("0", "-1e-8", "1e-20", "nan", "x"):
            self.assertEqual(saltus("run", "bouncing-ball", "--rtol", rtol).returncode, 2, rtol)
        p = saltus("run", "bouncing-ball", "--stepping", "tolerance:rtol=1e-8", "--scheme", "runge-kutta:tableau=gauss-4")
        self.assertEqual(p.returncode, 2)
        self.assertIn("herk-5 or dop-8", p.stderr)

    def test_the_usual_method_has_no_tolerance(self):
        p = saltus("run", "bouncing-ball", "--scheme", "usual", "--rtol", "1e-6")
        self.assertEqual(p.returncode, 2)
        self.assertIn("leave out either it or the tolerance", p.stderr)

    def test_catalog_problems_meet_their_references(self):
        for name in ("bouncing-ball", "impact-oscillator", "rocking-bar", "ball-column"):
            p = saltus("run", name, "--rtol", "1e-9", "--json")
            out = json.loads(p.stdout)
            self.assertEqual(p.returncode, 0, (name, out["message"]))
            if out["error"]:
                self.assertLess(out["error"]["q_final"], 1e-8, name)


class Stiff(unittest.TestCase):
    """Steps follow the motion that is seen, not the fastest one that is possible."""

    def test_a_mass_at_rest_on_a_stiff_spring_beside_a_hard_stop(self):
        # once the ball rests on the stop, the mass is a damped oscillator driven by 20 rad/s, without transients
        k, c, t = 1e8 + 100, 2e3, 2
        response = -4.905 * cmath.exp(20j * t) / (k - 400 + 20j * c)
        y, v = (100 * 0.12 - 9.81) / k + response.imag, (20j * response).imag
        # by steps within the stability of an explicit pair: 86 000 and 154 000 evaluations; the BDF of CVODE at errors
        # like these: 6901
        for rtol, evaluations in ((1e-6, 20000), (1e-8, 40000)):
            out = by_tolerance(os.path.join(TOLERANCE, "stiff-spring.yaml"), rtol)
            self.assertLess(abs(out["q"][0] - y), 1e-2 * rtol * 1e-4, rtol)
            self.assertLess(abs(out["u"][0] - v), rtol * 1e-3, rtol)
            self.assertAlmostEqual(out["q"][1], 0.12, delta=1e-9)
            self.assertGreater(out["stats"]["stiff_steps"], 20)
            self.assertLess(out["stats"]["force_evaluations"], evaluations)

    def test_a_bumper_of_the_same_spring_that_is_hit(self):
        # values: rtol = 1e-13 with the bumper as a formula and, to 1e-8, CVODE's BDF with a root where it is touched;
        # every hit multiplies the errors made before. CVODE needs 3912 evaluations for the error at 1e-8.
        for rtol in (1e-6, 1e-8):
            out = by_tolerance(os.path.join(TOLERANCE, "stiff-bumper.yaml"), rtol)
            for key, exact in (("q", 0.20271999576), ("u", 0.59634972730)):
                i = "qu".index(key)
                self.assertLess(abs(out[key][i] - exact), 3 * rtol * out["error_estimate"]["sizes"][key][i], (key, rtol))
            self.assertLess(out["stats"]["force_evaluations"], 3 * 3912)

    def test_strong_damping(self):
        scene = """saltus: 1
parameters: {d: 1e6}
coordinates: {x: {start: 0, velocity: 1}, y: {start: 1}}
mass: {x: 1, y: 1}
forces: {x: -d*(x' - cos(t)), y: -9.81}
contacts: {floor: {gap: y, law: {name: unilateral, e: 0.5}}}
run: {t_end: 5, rtol: 1e-8}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.yaml")
            with open(path, "w", encoding="utf-8") as f:
                f.write(scene)
            p = saltus("run", path, "--no-error", "--json")
        out = json.loads(p.stdout)
        self.assertEqual(p.returncode, 0, out["message"])
        d = 1e6
        self.assertAlmostEqual(out["u"][0], (d * d * math.cos(5) + d * math.sin(5)) / (1 + d * d), delta=1e-8)
        self.assertAlmostEqual(out["q"][0], (d * d * math.sin(5) - d * math.cos(5) + d) / (1 + d * d), delta=1e-8)
        self.assertLess(out["stats"]["steps"], 500)  # 800 000 steps of an explicit pair are stable

    def test_a_vibration_that_is_excited_is_followed_with_a_warning(self):
        out = by_tolerance("flexible-pendulum", 1e-5)
        self.assertTrue(any("a vibration much faster" in w for w in out["warnings"]), out["warnings"])


class Families(unittest.TestCase):
    """Systems of first order, chains and ODAEs run by tolerance, too, by their own methods."""

    def test_errors_follow_the_tolerance(self):
        for name in ("trimer", "newtons-cradle", "dimer-chain", "homogeneous-chain", "bead-collision", "odae-exponential",
                     "cubic-slide", "spherical-pendulum", "polar-bead"):
            for rtol in (1e-4, 1e-6, 1e-8):
                p = saltus("run", name, "--rtol", repr(rtol), "--json")
                out = json.loads(p.stdout)
                self.assertEqual(p.returncode, 0, (name, out["message"]))
                self.assertLess(out["error"]["q_final"], 10 * rtol, (name, rtol))

    def test_a_stiff_motion_beside_impacts_ever_closer(self):
        """Steps of Radau end at events: what is fast would be off where one is cut, and have to be followed. From the accumulation on
        steps took 1e5 evaluations, and the companion gave up."""
        scene = """saltus: 1
parameters: {k: 1e9, c: 100}
coordinates: {x: {start: 0.1, velocity: -1}, w: {start: 0}, z: {start: 0.05}}
mass: {x: 1, w: 0.01, z: 5}
forces: {x: -3, w: "-k*w - c*w' + 50*sin(20*t)", z: -200*z}
contacts:
  stop: {gap: x, law: {name: unilateral, e: 0.5}}
  other: {gap: 0.4 + z - x, law: {name: unilateral, e: 0.9}}
run: {t_end: 2}
"""
        z = 50 / (1e9 + 20j * 100 - 4) * cmath.exp(40j)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stiff.yaml")
            with open(path, "w", encoding="utf-8") as f:
                f.write(scene)
            for rtol in (1e-6, 1e-8):
                out = by_tolerance(path, rtol)
                self.assertLess(out["stats"]["force_evaluations"], 30_000, rtol)
                self.assertNotIn(None, out["error_estimate"]["q_final"])
                self.assertLess(abs(out["q"][1] - z.imag), 10 * rtol * abs(z))
                self.assertLess(abs(out["u"][1] - (20j * z).imag), 10 * rtol * abs(20 * z))

    def test_a_stiff_system_of_first_order(self):
        scene = """saltus: 1
parameters: {mu: 1000}
coordinates: {x: {start: 2}, v: {start: 0}}
rates: {x: v, v: mu*(1 - x^2)*v - x}
run: {t_end: 3000}
"""
        # radau-iia-5 at 1e-12 and herk-5 at 1e-8, which takes 1.7 million steps
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.yaml")
            with open(path, "w", encoding="utf-8") as f:
                f.write(scene)
            for rtol in (1e-4, 1e-6, 1e-8):
                out = by_tolerance(path, rtol)
                self.assertLess(abs(out["q"][0] + 1.51060694), 10 * rtol, rtol)
                self.assertLess(out["stats"]["steps"], 2000)

    def test_bounces_at_the_height_of_rounding_end(self):
        # what rounding leaves of the gap after each impact, seven units, gave back what restitution dissipated
        scene = """
saltus: 1
coordinates: {x: {start: 1.4}, y: {start: 1.19552}}
mass: {x: 5.21664, y: 5.21664}
potential: 30.5284*y
contacts:
  floor: {gap: 0.760485*y - 0.649356*x, slip: 0.760485*x' + 0.649356*y' + 0.0877259, law: {name: coulomb, mu: 0.475802, e_n: 0.86729}}
run: {t_end: 1.5}
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.yaml")
            with open(path, "w", encoding="utf-8") as f:
                f.write(scene)
            out = by_tolerance(path, 1e-6)
            self.assertLess(out["stats"]["steps"], 1000)
            self.assertTrue(any(e["kind"] == "accumulation" for e in out["events"]))

    def test_dense_contacts_are_left_to_moreau_with_a_warning(self):
        out = by_tolerance("disk-mixer", 1e-6, "--t-end", "0.2")
        self.assertGreaterEqual(out["stepped_from"], 0)
        self.assertTrue(any("Moreau's scheme took over" in w and "digit" in w for w in out["warnings"]), out["warnings"])


class Checkpoints(unittest.TestCase):
    def test_a_run_goes_on_bit_by_bit(self):
        scenes = [(name, rtol) for name in ("stiff-spring", "rocking-block", "belt-stribeck", "column-three") for rtol in (1e-4, 1e-8)]
        for name, rtol in scenes:
            for every in (11, 64):
                with tempfile.TemporaryDirectory() as folder:
                    kept = os.path.join(folder, "run.ckpt")
                    whole = by_tolerance(os.path.join(TOLERANCE, name + ".yaml"), rtol, "--checkpoint", f"every={every},file={kept}")
                    if not os.path.exists(kept):
                        continue
                    p = saltus("resume", kept, "--json")
                    self.assertEqual(p.returncode, 0, p.stderr)
                    again = json.loads(p.stdout)
                    for key in ("q", "u"):
                        self.assertEqual(again[key], whole[key], (name, rtol, every))
                    for key in ("q_final", "u_final", "q_sup", "u_hausdorff", "event_times", "sizes", "digits_lost_per_second", "known_until"):
                        self.assertEqual(again["error_estimate"][key], whole["error_estimate"][key], (name, rtol, every, key))
                    for key in ("steps", "rejected", "newton_iterations", "stiff_steps"):
                        self.assertEqual(again["stats"][key], whole["stats"][key], (name, rtol, every, key))
                    # the state of the checkpoint is evaluated once more
                    self.assertAlmostEqual(again["stats"]["force_evaluations"], whole["stats"]["force_evaluations"], delta=2)

    def test_a_run_that_is_extended_has_bars_of_the_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            scene, kept = os.path.join(TOLERANCE, "rocking-block.yaml"), os.path.join(folder, "run.ckpt")
            whole = by_tolerance(scene, 1e-6)
            end = whole["t"]
            by_tolerance(scene, 1e-6, "--t-end", repr(0.7 * end), "--checkpoint", f"every=16,file={kept}")
            p = saltus("resume", kept, "--t-end", repr(end), "--json")
            self.assertEqual(p.returncode, 0, p.stderr)
            again = json.loads(p.stdout)
            exact = by_tolerance(scene, 1e-11)
            for key in ("q", "u"):
                for x, y, bar in zip(again[key], exact[key], again["error_estimate"][key + "_final"]):
                    self.assertLessEqual(abs(x - y), 3 * bar, key)
                    self.assertLess(bar, 1e-4)

    def test_a_checkpoint_without_estimates_is_resumed_without(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = os.path.join(folder, "run.ckpt")
            by_tolerance(os.path.join(TOLERANCE, "rocking-block.yaml"), 1e-6, "--no-estimate", "--checkpoint", f"every=16,file={kept}")
            self.assertNotIn("error_estimate", json.loads(saltus("resume", kept, "--json").stdout))


if __name__ == "__main__":
    unittest.main()
