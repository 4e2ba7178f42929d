#!/usr/bin/env python3
"""saltus verify: results are accepted as they are; states at chosen times."""
import csv
import json
import math
import os
import unittest

from program import saltus  # takes the path of the program from the arguments
from verified import SCENES, TOLERANCE, Folder, verify



class Accepted(Folder):
    def test_results_by_tolerance_and_their_misfits_follow_it(self):
        for target in ("bouncing-ball", "impact-oscillator", "pendulum", "sliding-block"):
            for rtol in (1e-6, 1e-9):
                self.run_to("x.h5", target, "--rtol", repr(rtol))
                code, out, _ = verify(self.path("x.h5"))
                self.assertEqual((code, out["accepted"], out["findings"]), (0, True, []), (target, rtol, out))
                self.assertTrue(out["dense"])
                self.assertRegex(out["sentence"], "^solves exactly a problem whose loads differ by at most .* N and whose "
                                                  "restitution differs by ")
                for name, m in out["misfits"].items():
                    self.assertLessEqual(m["part"], 300 * rtol, (target, name))

    def test_example_scenes(self):
        """Every result as it is delivered is accepted: by tolerance, of all families, and with steps."""
        stepped = []
        for scene in sorted(os.listdir(SCENES)):
            self.run_to("x.h5", os.path.join(SCENES, scene), "--no-estimate")
            code, out, err = verify(self.path("x.h5"))
            self.assertEqual(code, 0, (scene, out.get("sentence"), err))
            if "stepped_from" in out:
                stepped.append(scene)
                self.assertIn("solves the equations of Moreau's steps", out["sentence"])
        self.assertEqual(stepped, ["ball-on-land.yaml", "chain-drum.yaml", "drum.yaml", "soft-bed.yaml", "three-legged-stool.yaml"])

    def test_rtol_of_scenes_that_have_another_method(self):
        for scene in ("slider-crank", "three-legged-stool", "geneva", "woodpecker"):
            self.run_to("x.h5", os.path.join(SCENES, scene + ".yaml"), "--rtol", "1e-6", "--no-estimate")
            code, out, err = verify(self.path("x.h5"))
            self.assertEqual(code, 0, (scene, out.get("sentence"), err))

    def test_small_tolerances_of_corners_clusters_stiffness_and_rest(self):
        """Corners that pass corners, impacts that part what is closed by less than rounding, dense output of Radau, what never moves."""
        stiff = os.path.join(TOLERANCE, "stiff-spring.yaml")
        scene = lambda name: os.path.join(SCENES, name + ".yaml")  # noqa: E731
        for target, tolerances in ((scene("stairs"), ("1e-7", "1e-8", "1e-10", "2e-12")), (scene("dominoes"), ("1e-10",)),
                                   (scene("three-legged-stool"), ("1e-7", "1e-10", "1e-12")), (stiff, ("1e-8", "1e-10")),
                                   ("ball-column", ("1e-8", "1e-10"))):
            for rtol in tolerances:
                self.run_to("x.h5", target, "--rtol", rtol, "--no-estimate")
                code, out, err = verify(self.path("x.h5"))
                self.assertEqual(code, 0, (target, rtol, out.get("sentence"), err))

    def test_impacts_at_the_very_end(self):
        """Also where a run ends 1e-13 before an impact, or behind it."""
        for end in ("1", "0.9999999999999", "1.0000000000001", "2", "2.5"):
            for rtol in ("1e-6", "1e-9", "1e-11"):
                self.run_to("x.h5", "bouncing-ball", "--t-end", end, "--rtol", rtol, "--no-estimate")
                code, out, err = verify(self.path("x.h5"))
                self.assertEqual((code, out["findings"]), (0, []), (end, rtol, err))

    def test_impacts_of_rounding_height_and_of_directions_that_turn(self):
        """Slow impacts of a slider in its clearance, down to where positions are rounded: restitution is met within each short step."""
        for rtol in ("1e-10", "1e-12"):
            self.run_to("x.h5", os.path.join(SCENES, "slider-crank.yaml"), "--rtol", rtol, "--no-estimate")
            code, out, err = verify(self.path("x.h5"))
            self.assertEqual(code, 0, (rtol, out.get("sentence"), err))
            self.assertLess(out["misfits"]["restitution"]["value"], 1e-8, rtol)

    def test_where_moreaus_scheme_took_over(self):
        self.run_to("x.h5", os.path.join(SCENES, "drum.yaml"), "--rtol", "1e-6", "--no-estimate")
        code, out, err = verify(self.path("x.h5"))
        self.assertEqual(code, 0, (out.get("sentence"), err))
        self.assertGreater(out["stepped_from"], 0)
        for name in ("load", "restitution", "closing"):  # far below the limit of 1e-3
            self.assertLess(out["steps"][name]["part"], 1e-4, name)

    def test_steps_of_moreau_solve_their_own_equations(self):
        """To rounding, whatever theta: with forces, masses and directions that change."""
        for target, *method in (("bouncing-ball", "--h", "1e-3"),
                                ("rocking-bar", "--scheme", "moreau-jean:theta=0.8", "--h", "1e-3"),
                                (os.path.join(SCENES, "dominoes.yaml"), "--scheme", "moreau-midpoint", "--h", "1e-3"),
                                (os.path.join(SCENES, "slider-crank.yaml"), "--scheme", "moreau-jean:gamma=0.5", "--h", "2e-5")):
            self.run_to("x.h5", target, *method, "--no-error")
            code, out, err = verify(self.path("x.h5"))
            self.assertEqual((code, out.get("stepped_from")), (0, 0), (target, out.get("sentence"), err))
            for name in ("load", "jump", "restitution", "closing"):
                self.assertLess(out["misfits"][name]["part"], 1e-11, (target, name))

    def test_directions_follow_the_velocities_of_a_crowd(self):
        """Contacts of a drum of disks are solved to 1e-5, and their directions are those of the velocities that come out: the balance
        of momentum is missed by far less than the laws."""
        run = self.run_to("x.h5", os.path.join(SCENES, "drum.yaml"), "--scheme", "moreau-jean", "--h", "0.44ms", "--t-end", "0.6")
        code, out, err = verify(self.path("x.h5"))
        self.assertEqual(code, 0, (out.get("sentence"), err))
        residual = run["residuals"]["contact"]
        self.assertGreater(residual, 1e-8)  # else nothing is shown
        self.assertLess(out["misfits"]["load"]["part"], 0.1 * residual)

    def test_states_that_were_left_out(self):
        self.run_to("x.h5", "trimer", "--every", "10")
        p = saltus("verify", self.path("x.h5"))
        self.assertEqual(p.returncode, 2)
        self.assertIn("run again without it", p.stderr)

    def test_scenes_of_the_tolerance_tests_and_their_ledgers(self):
        """Ledgers take powers from the dense output: a damper that works within a part of a step is not missed."""
        for name in sorted(os.listdir(TOLERANCE)):
            if not name.endswith(".yaml"):
                continue
            out = self.run_to("x.h5", os.path.join(TOLERANCE, name), "--rtol", "1e-6", "--no-estimate")
            self.assertLess(abs(out["ledger"]["remainder"]), 1e-4 * out["ledger"]["scale"], name)
            code, out, err = verify(self.path("x.h5"))
            self.assertEqual(code, 0, (name, out.get("sentence"), err))

    def test_other_methods_get_numbers_and_no_limit_unless_one_is_given(self):
        self.run_to("x.h5", "impact-oscillator", "--scheme", "generalized-alpha", "--h", "1e-3")
        code, out, _ = verify(self.path("x.h5"))
        self.assertEqual((code, out["dense"], out["limit"]), (0, False, None), out)
        self.assertGreater(out["misfits"]["load"]["value"], 1e-3)
        text = saltus("verify", self.path("x.h5")).stdout
        self.assertIn("no dense output", text)
        code, out, _ = verify(self.path("x.h5"), "--limit", "1e-6")
        self.assertEqual((code, out["accepted"]), (1, False))
        self.assertIn("misses the limit", out["sentence"])

    def test_a_smaller_limit_is_passed(self):
        self.run_to("x.h5", "impact-oscillator", "--rtol", "1e-6")
        self.assertEqual(verify(self.path("x.h5"))[0], 0)
        self.assertEqual(verify(self.path("x.h5"), "--limit", "1e-10")[0], 1)

    def test_what_cannot_be_verified_is_said(self):
        self.run_to("y.h5", "impact-oscillator", "--rtol", "1e-8", "--dense", "0.003")
        code, out, _ = verify(self.path("y.h5"))
        self.assertEqual(code, 1)
        self.assertRegex(out["sentence"], "^cannot be checked throughout: there is no dense output from .* elsewhere it solves exactly")
        self.assertTrue(any("there is no dense output from" in f for f in out["findings"]))

    def test_a_stiff_system_of_first_order(self):
        """Robertson's reaction: rates at its states are 1e4 times less accurate than they are."""
        scene = self.scene("coordinates: {a: {start: 1}, b: {start: 0}, c: {start: 0}}\n"
                           "rates: {a: -0.04*a + 1e4*b*c, b: 0.04*a - 1e4*b*c - 3e7*b^2, c: 3e7*b^2}\nrun: {t_end: 40}\n")
        for rtol in ("1e-6", "1e-10"):
            self.run_to("x.h5", scene, "--rtol", rtol, "--no-estimate")
            code, out, err = verify(self.path("x.h5"))
            self.assertEqual(code, 0, (rtol, out.get("sentence"), err))


class Distances(Folder):
    def test_norms_and_graphs_follow_the_tolerance(self):
        """From the exact motion, and from another file, whatever the samples: integrals over time, and Hausdorff's distance."""
        p = saltus("run", "bouncing-ball", "--rtol", "1e-4", "--json")
        self.assertLess(json.loads(p.stdout)["error"]["q_sup"], 1e-12)  # parabolas, and impacts where they are: rounding
        for target in ("impact-oscillator",):
            self.run_to("fine.h5", target, "--rtol", "1e-12")
            for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
                p = saltus("run", target, "--rtol", repr(rtol), "-o", self.path("x.h5"), "--json")
                exact = json.loads(p.stdout)["error"]
                p = saltus("compare", self.path("x.h5"), self.path("fine.h5"), "--json")
                files = json.loads(p.stdout)["distance"]
                for name in ("q_sup", "q_l1", "q_l2", "u_l1", "u_hausdorff"):
                    self.assertLess(exact[name], 5 * rtol, (target, rtol, name))
                    if target == "bouncing-ball":  # parabolas, and impacts where their gap is zero: positions are exact
                        self.assertLess(exact[name], 1e-11 if name == "q_sup" else 5 * rtol, (rtol, name))
                        continue
                    self.assertGreater(exact[name], 1e-4 * rtol, (target, rtol, name))
                    self.assertAlmostEqual(files[name] / exact[name], 1, delta=0.35, msg=(target, rtol, name))
                # a jump of size 3 that is shifted by the tolerance
                self.assertLess(exact["u_l2"], 3 * math.sqrt(5 * rtol), (target, rtol))


class ChosenTimes(Folder):
    def test_states_at_any_time_follow_the_closed_form(self):
        """A ball that falls from 1 with acceleration −2: q = 1 − t², after the first impact q = s − s²."""
        p = saltus("run", "bouncing-ball", "--rtol", "1e-10", "--at", "0.3,1.25s,events", "--json", "-o", self.path("b.h5"))
        at = json.loads(p.stdout)["at"]
        state = {round(x["t"], 9): x for x in at}
        self.assertAlmostEqual(state[0.3]["q"][0], 1 - 0.09, delta=1e-12)
        self.assertAlmostEqual(state[0.3]["u"][0], -0.6, delta=1e-12)
        self.assertAlmostEqual(state[1.25]["q"][0], 0.25 - 0.0625, delta=1e-9)
        hit = [x for x in at if abs(x["t"] - 1) < 1e-8]
        self.assertEqual(len(hit), 2)  # both limits
        self.assertAlmostEqual(hit[0]["u"][0], -2, delta=1e-9)
        self.assertAlmostEqual(hit[1]["u"][0], 1, delta=1e-9)
        info = json.loads(saltus("info", self.path("b.h5"), "--at", "0.3,1.25", "--json").stdout)
        self.assertEqual(info["at"], [state[0.3], state[1.25]])
        self.assertGreater(info["dense"]["pieces"], 10)

    def test_equal_times_are_the_same_from_a_run_and_from_its_file(self):
        run = self.path("run.csv")
        saltus("run", "impact-oscillator", "--rtol", "1e-8", "--every", "125ms", "-o", run)
        self.run_to("x.h5", "impact-oscillator", "--rtol", "1e-8")
        self.assertEqual(saltus("export", self.path("x.h5"), "--every", "0.125s", "-o", self.path("file.csv")).returncode, 0)
        with open(run) as a, open(self.path("file.csv")) as b:
            mine, theirs = list(csv.reader(a)), list(csv.reader(b))
        self.assertEqual(mine, theirs)
        self.assertEqual([float(row[0]) for row in mine[1:]], [0.125 * k for k in range(len(mine) - 1)])

    def test_a_resumed_run_has_the_same_pieces(self):
        at = ",".join(repr(0.37 * k) for k in range(1, 13))
        self.run_to("x.h5", "impact-oscillator", "--rtol", "1e-8")
        whole = json.loads(saltus("info", self.path("x.h5"), "--at", at, "--json").stdout)
        self.run_to("y.h5", "impact-oscillator", "--rtol", "1e-8", "--checkpoint", "every=17,file=" + self.path("y.ckpt"))
        p = saltus("resume", self.path("y.ckpt"))
        self.assertEqual(p.returncode, 0, p.stderr)
        resumed = json.loads(saltus("info", self.path("y.h5"), "--at", at, "--json").stdout)
        self.assertEqual(resumed["dense"], whole["dense"])
        self.assertEqual(resumed["at"], whole["at"])
        self.assertEqual(verify(self.path("y.h5"))[0], 0)

    def test_methods_without_dense_output_say_so(self):
        out = json.loads(saltus("run", "bouncing-ball", "--h", "1e-2", "--at", "0.5", "--json").stdout)
        self.assertTrue(any("straight lines" in w for w in out["warnings"]))
        self.assertTrue(math.isfinite(out["at"][0]["q"][0]))

    def test_bad_times_are_refused(self):
        for more, word in ((("--at", "99"), "99"), (("--at", "abc"), "abc"), (("--every", "3m"), "'m'"), (("--every", "0s"), "--every"),
                           (("--every", "0"), "--every"), (("--every", "1e-30s"), "--every"), (("--at", "1,,2"), "--at")):
            p = saltus("run", "bouncing-ball", "--rtol", "1e-6", *more)
            self.assertEqual(p.returncode, 2, more)
            self.assertIn(word, p.stderr)


if __name__ == "__main__":
    unittest.main()
