#!/usr/bin/env python3
"""Scenes as their own reference, runs that go on beyond their end, several runs in one figure, sweeps over fields, times with
units: test_own_reference.py PATH-TO-SALTUS"""
import json
import math
import os
import re
import subprocess
import time
import unittest

from program import BALL, SALTUS, InFolder, read, saltus, journal_rows

PLAIN = BALL.replace("record: {csv: ball.csv, every: 10}\n", "")
# no contact touches: x = cos t, and the pair of tableau and reference are smooth
OSCILLATOR = """saltus: 1
coordinates: {x: {start: 1}}
mass: {x: 1}
potential: x^2/2
contacts: {far: {gap: x + 5, law: {name: unilateral, e: 1}}}
run: {t_end: 3}
measure: {end: final.x}
"""


class Scenes(InFolder):
    def test_a_scheme_that_needs_its_stepping(self):
        """--scheme and --stepping go together, where the scene's own scheme does not take that stepping."""
        ball = self.path("ball.yaml", PLAIN)
        method = ("--scheme", "runge-kutta", "--stepping", "event-capturing")
        out = self.json("converge", ball, *method, "--h", "0.1,0.05")
        self.assertEqual([r["h"] for r in out["rows"]], [0.1, 0.05])
        self.json("work-precision", ball, *method, "--h", "0.1,0.05")
        # one that does not go with the scheme is refused still
        self.refused("converge", ball, "--scheme", "moreau-jean", "--stepping", "event-capturing", "--h", "0.1,0.05",
                     word="does not go with scheme moreau-jean")

    def path(self, name, text=None):
        out = os.path.join(self.folder.name, name)
        if text is not None:
            with open(out, "w", encoding="utf-8") as f:
                f.write(text)
        return out

    def json(self, *args, code=0):
        p = saltus(*args, "--json")
        self.assertEqual(p.returncode, code, p.stdout + p.stderr)
        return json.loads(p.stdout)

    def refused(self, *args, word):
        p = saltus(*args)
        self.assertEqual(p.returncode, 2, p.stdout + p.stderr)
        self.assertIn(word, p.stderr)


class OwnReference(Scenes):
    def test_the_errors_of_a_scene_are_those_of_the_closed_form(self):
        # the catalog's ball has the same parameters and a closed form
        scene = self.path("ball.yaml", PLAIN)
        options = ("--scheme", "moreau-jean", "--h", "0.0731,0.0373,0.0183", "--t-end", "2.7")
        known = self.json("converge", "bouncing-ball", *options)
        own = self.json("converge", scene, *options)
        self.assertIn("by tolerance", own["reference"])
        self.assertLess(own["reference_error"], 1e-9)
        for a, b in zip(known["rows"], own["rows"]):
            for norm in ("q_sup", "q_l1", "q_final", "u_hausdorff"):
                self.assertAlmostEqual(a["error"][norm] / b["error"][norm], 1, delta=1e-6, msg=norm)

    def test_orders_of_methods_on_a_scene(self):
        scene = self.path("oscillator.yaml", OSCILLATOR)
        for scheme, order in (("moreau-jean", 2), ("runge-kutta:tableau=radau-iia-5", 5), ("runge-kutta:tableau=herk-4", 4)):
            out = self.json("converge", scene, "--scheme", scheme, "--h", "0.3,0.15,0.075")
            self.assertAlmostEqual(out["order"]["q_sup"], order, delta=0.25, msg=scheme)
        # another family: the scene is built for the scheme
        free = self.path("free.yaml", re.sub("contacts.*\n", "", OSCILLATOR))
        out = self.json("converge", free, "--scheme", "rk:tableau=herk-4", "--scheme", "moreau-jean", "--h", "0.1,0.05")
        self.assertAlmostEqual(out["tables"][0]["order"]["q_sup"], 4, delta=0.3)
        self.assertAlmostEqual(out["tables"][1]["order"]["q_sup"], 2, delta=0.2)

    def test_why_errors_do_not_tend_to_zero_is_said(self):
        # a start within the floor is closed by the reference and kept by schemes on velocities
        inside = self.path("inside.yaml", OSCILLATOR.replace("x + 5", "x - 1.001").replace("x^2/2", "x")
                           .replace("t_end: 3", "t_end: 3, accept_penetration: true"))
        out = self.json("converge", inside, "--scheme", "moreau-jean", "--h", "0.1,0.05")
        self.assertIn("penetrates", out["reference_note"])
        self.assertGreater(out["rows"][-1]["error"]["q_final"], 0.9e-3)
        self.assertNotIn("reference_note", self.json("converge", self.path("o.yaml", OSCILLATOR), "--scheme", "moreau-jean", "--h", "0.1,0.05"))
        # the tailored damping is right to its square only
        chain = ("homogeneous-chain", "-p", "n=6", "-p", "gamma=0.05", "--t-end", "5", "--scheme", "kk-theta", "--h", "0.05,0.025")
        self.assertIn("gamma^2", self.json("converge", *chain)["rows"][-1]["warnings"][0])
        self.assertIn("warning at h = 0.025: ", saltus("converge", *chain).stdout)

    def test_tolerances_are_listed_beside_steps(self):
        scene = self.path("oscillator.yaml", OSCILLATOR)
        figure = self.path("f.svg")
        out = self.json("converge", scene, "--rtol", "1e-4:1e-8:3", "--figure", figure)
        for row, rtol in zip(out["rows"], (1e-4, 1e-6, 1e-8)):
            self.assertAlmostEqual(row["rtol"] / rtol, 1, delta=1e-12)
            self.assertLess(row["error"]["q_sup"], 10 * row["rtol"])
        self.assertIn("rtol", read(figure))
        out = self.json("work-precision", scene, "--scheme", "moreau-jean", "--h", "0.1,0.05", "--rtol", "1e-5,1e-9")
        self.assertEqual([t["knob"] for t in out["tables"]], ["h", "rtol"])
        self.assertGreater(out["tables"][1]["rows"][0]["cpu_seconds"], 0)
        self.refused("converge", scene, "--rtol", "1e-5", "--scheme", "moreau-jean", word="--h")
        self.refused("converge", scene, "--h", "0.1", "--atol", "1e-5", word="--rtol")
        self.refused("converge", scene, "--rtol", "1e-5 s", word="--rtol")

    def test_a_step_that_ends_at_an_impact_is_one_side_of_it(self):
        # steps end at t = 1 and 2 to the bit: their samples are before the jump
        out = self.json("converge", "bouncing-ball", "--rtol", "1e-6,1e-8")
        for row in out["rows"]:
            self.assertLess(row["error"]["u_l1"], 10 * row["rtol"])
            self.assertLess(row["error"]["u_hausdorff"], 10 * row["rtol"])

    def test_a_scene_by_tolerance_has_no_step(self):
        scene = self.path("o.yaml", OSCILLATOR.replace("t_end: 3", "t_end: 3, rtol: 1e-6"))
        self.refused("converge", scene, "--h", "0.1,0.05", word="has no step")

    def test_a_file_is_compared_with_its_own_problem(self):
        scene, h5 = self.path("oscillator.yaml", OSCILLATOR), self.path("o.h5")
        self.json("run", scene, "--scheme", "moreau-jean", "--h", "0.01", "-o", h5)
        known = self.json("converge", scene, "--scheme", "moreau-jean", "--h", "0.01")["rows"][0]["error"]
        out = self.json("compare", h5)
        self.assertAlmostEqual(out["distance"]["q_sup"] / known["q_sup"], 1, delta=1e-6)


class Extension(Scenes):
    """resume --t-end."""

    def extended(self, scene, first, last, *method):
        h5, ckpt = self.path("a.h5"), self.path("a.ckpt")
        for name in ("a.h5", "a.ckpt"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        self.json("run", scene, "--t-end", first, "--checkpoint", "every=7,file=" + ckpt, "-o", h5, *method)
        return h5, self.json("resume", ckpt, "--t-end", last)

    def test_equal_steps_are_those_of_the_longer_run(self):
        scene = self.path("ball.yaml", PLAIN)
        for method in (("--h", "0.0078125"), ("--h", "0.0078125", "--scheme", "runge-kutta:tableau=radau-iia-5")):
            h5, out = self.extended(scene, "1.5", "3s", *method)
            whole = self.json("run", scene, "--t-end", "3", "-o", self.path("b.h5"), *method)
            self.assertEqual(out["extended"], {"from": 1.5, "to": 3.0, "same_bits": True})
            self.assertEqual(out["q"] + out["u"], whole["q"] + whole["u"])
            self.assertEqual(out["measures"], whole["measures"])
            both = self.json("compare", h5, self.path("b.h5"))
            self.assertTrue(both["same_final_bits"])
            self.assertEqual(both["distance"]["q_sup"], 0)
            self.assertEqual(self.json("info", h5)["t_end"], 3)

    def test_else_a_step_ends_at_the_old_end(self):
        # the same bits as a run with a breakpoint there
        broken = self.path("broken.yaml", PLAIN.replace("t_end: 5 s, h: 1 ms", "t_end: 5 s, h: 1 ms, breakpoints: [1.7 s]"))
        scene = self.path("ball.yaml", PLAIN)
        for method in (("--h", "0.013"), ("--rtol", "1e-8"), ("--scheme", "moreau-jean", "--stepping", "adaptive:atol=1e-4")):
            h5, out = self.extended(scene, "1.7", "3.1", *method)
            self.assertFalse(out["extended"]["same_bits"])
            whole = self.json("run", broken, "--t-end", "3.1", *method)
            self.assertEqual(out["q"] + out["u"], whole["q"] + whole["u"], method)
            # and once more, through the checkpoint that the extension left
            again = self.json("resume", self.path("a.ckpt"), "--t-end", "3.3")
            self.assertEqual(again["t"], 3.3)

    def test_an_end_that_is_not_later_is_refused(self):
        scene = self.path("ball.yaml", PLAIN)
        self.extended(scene, "1.5", "2")
        for end in ("1", "2", "nan", "inf"):
            self.refused("resume", self.path("a.ckpt"), "--t-end", end, word="extend")
        self.refused("resume", self.path("a.ckpt"), "--t-end", "3 m", word="not a time")


class Plots(Scenes):
    def test_several_runs_in_one_figure(self):
        scene, files = self.path("ball.yaml", PLAIN), []
        for name, h in (("coarse.h5", "0.1"), ("fine.h5", "0.01")):
            files.append(self.path(name))
            self.json("run", scene, "--h", h, "-o", files[-1])
        figure = self.path("both.svg")
        p = saltus("plot", *files, "--what", "history,energy,events", "-o", figure)
        self.assertEqual(p.returncode, 0, p.stderr)
        text = read(figure)
        for word in ("coarse z", "fine z", "fine z&apos;", "q [m]", "u [m/s]", "t [s]", "coarse: events", "fine: events"):
            self.assertTrue(word in text or word.replace("&apos;", "'") in text, word)
        # curves differ in colour
        self.assertGreater(len(set(re.findall(r"rgb\( *\d+, *\d+, *\d+\)", text))), 2)
        self.refused("plot", *files, "-o", files[1], word="the file that is read")

    def test_runs_that_do_not_fit_are_refused(self):
        a, b = self.path("a.h5"), self.path("b.h5")
        self.json("run", self.path("ball.yaml", PLAIN), "--h", "0.1", "-o", a)
        self.json("run", "odae-exponential", "-o", b)
        self.refused("plot", a, b, "-o", self.path("c.svg"), word="alone")


class Fields(Scenes):
    def test_a_sweep_sets_any_field(self):
        scene = self.path("ball.yaml", PLAIN)
        out = self.json("sweep", scene, "--over", "coordinates.z.start=0.5:2:4", "--rtol", "1e-9", "--t-end", "0.5")
        for row in out["rows"]:  # free fall, in the unit of the file
            self.assertAlmostEqual(row["measures"]["height"], float(row["point"]["coordinates.z.start"]) - 0.25, delta=1e-12)
        out = self.json("sweep", scene, "--over", "coordinates.z.start=list:50 cm,1 m", "--over", "contacts.floor.law.e=list:0,0.5",
                        "--rtol", "1e-9", "--t-end", "1.1 s")
        fall = math.sqrt(0.5)
        self.assertAlmostEqual(out["rows"][1]["measures"]["height"], fall * (1.1 - fall) - (1.1 - fall)**2, delta=1e-9)
        out = self.json("sweep", scene, "--over", "rtol=list:1e-4,1e-8", "--measure", "steps")
        self.assertLess(out["rows"][0]["measures"]["steps"], out["rows"][1]["measures"]["steps"])

    def test_wrong_fields_are_refused_before_the_runs(self):
        scene = self.path("ball.yaml", PLAIN)
        self.refused("sweep", scene, "--over", "coordinates.z.strat=1:2:2", word="did you mean 'start'")
        self.refused("sweep", scene, "--over", "coordinates.z.start=1:2:2", "--set", "coordinates.z.start=3 m", word="given twice")
        self.refused("sweep", "bouncing-ball", "--over", "coordinates.z.start=1:2:2", "--measure", "steps", word="only scene files")
        out = self.json("sweep", scene, "--over", "coordinates.z.start=-1:1:3", code=1)
        self.assertEqual([r["status"] for r in out["rows"]], ["failed", "finished", "finished"])

    def test_a_journal_knows_the_tolerance(self):
        scene, csv = self.path("ball.yaml", PLAIN), self.path("s.csv")
        command = ("sweep", scene, "--over", "e=0.9:0.95:4000", "--t-end", "20", "-o", csv)
        p = subprocess.Popen([SALTUS, *command, "--rtol", "1e-9"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.time() + 30
        while time.time() < deadline and (not os.path.exists(csv + ".journal") or len(journal_rows(csv + ".journal", 2)) < 3):
            time.sleep(0.005)
        p.kill()
        p.wait()
        p = saltus(*command, "--rtol", "1e-5", "--resume")
        self.assertEqual(p.returncode, 2, p.stderr)


class Words(Scenes):
    def test_times_have_units(self):
        scene = self.path("ball.yaml", PLAIN)
        for text, end in (("0.5", 0.5), ("500ms", 0.5), ("500 ms", 0.5), ("500000us", 0.5), ("0.01min", 0.6), ("1e-4 h", 0.36)):
            self.assertAlmostEqual(self.json("run", scene, "--t-end", text, "--h", "20 ms")["t"], end, delta=1e-15)
        for text, word in (("3 m", "not a time"), ("3 furlong", "unknown unit"), ("soon", "not a number"), ("-1 s", "must be")):
            self.refused("run", scene, "--t-end", text, word=word)

    def test_the_final_state_has_names(self):
        out = self.json("run", self.path("ball.yaml", PLAIN), "--t-end", "0.3")
        self.assertEqual(out["final"], {"t": out["t"], "names": ["z"], "coordinates": {"z": {"q": out["q"][0], "u": out["u"][0]}}})
        out = self.json("run", "rocking-bar", "--t-end", "0.1")
        self.assertEqual(out["final"]["names"], [f"q{k}" for k in range(len(out["q"]))])
        out = self.json("run", "odae-exponential", "--t-end", "0.1")
        self.assertEqual([x["u"] for x in out["final"]["coordinates"].values()], out["u"])

    def test_the_step_of_a_scene_does_not_limit_adaptive_steps(self):
        scene = self.path("oscillator.yaml", OSCILLATOR.replace("t_end: 3", "t_end: 30, h: 1e-4"))
        free = self.json("run", scene, "--scheme", "moreau-jean", "--stepping", "adaptive:atol=1e-3", "--h", "1e-4")
        self.assertIn("adaptive:h=0,h0=0.0001", free["method"]["stepping"])
        self.assertLess(free["stats"]["steps"], 3000)  # 300 000 of 1e-4
        limited = self.json("run", scene, "--scheme", "moreau-jean", "--stepping", "adaptive:h=1e-3,atol=1e-3")
        self.assertGreaterEqual(limited["stats"]["steps"], 30000)
        self.refused("run", scene, "--stepping", "adaptive:h0=0.1", "--h", "0.01", word="given twice")


if __name__ == "__main__":
    unittest.main()
