#!/usr/bin/env python3
"""Families of runs and problems from files: test_studies.py PATH-TO-SALTUS"""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

from program import BALL, SALTUS, journal_rows, read, saltus


class Converge(unittest.TestCase):
    def test_table_orders_and_figure(self):
        with tempfile.TemporaryDirectory() as folder:
            svg, csv = os.path.join(folder, "c.svg"), os.path.join(folder, "c.csv")
            p = saltus("converge", "impact-oscillator", "--scheme", "moreau-jean:theta=1", "--h", "0.04:0.001:12", "--figure", svg, "-o", csv, "--json")
            self.assertEqual(p.returncode, 0, p.stderr)
            d = json.loads(p.stdout)
            self.assertEqual(len(d["rows"]), 12)
            self.assertAlmostEqual(d["order"]["q_sup"], 1, delta=0.25)
            self.assertAlmostEqual(d["order"]["u_hausdorff"], 1, delta=0.3)
            self.assertIn("<svg", read(svg))
            self.assertEqual(len(read(csv).splitlines()), 13)

    def test_the_graph_distance_tells_of_the_samples_not_of_their_spacing(self):
        capturing = ("--stepping", "event-capturing", "--scheme")
        p = saltus("run", "pendulum", *capturing, "runge-kutta:tableau=radau-iia-5", "--h", "0.005", "--json")
        e = json.loads(p.stdout)["error"]
        self.assertLessEqual(e["u_hausdorff"], e["u_sup"] * (1 + 1e-12))
        self.assertLess(e["u_sup"], 1e-8)
        # through impacts, which are located with the error of the method
        p = saltus("converge", "impact-oscillator", *capturing, "runge-kutta:tableau=herk-4", "--h", "0.04,0.02,0.01", "--json")
        d = json.loads(p.stdout)
        self.assertGreater(d["order"]["u_hausdorff"], 3.5)
        self.assertLess(d["rows"][-1]["error"]["u_hausdorff"], 1e-6)

    def test_several_schemes(self):
        p = saltus("converge", "bouncing-ball", "--scheme", "moreau-jean", "--scheme", "moreau-midpoint", "--h", "0.01,0.005")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("moreau-midpoint", p.stdout)

    def test_mistakes(self):
        for h in ("0", "0.1,-1", "1:2", "a,b", ""):
            self.assertEqual(saltus("converge", "bouncing-ball", "--h", h).returncode, 2, h)
        self.assertEqual(saltus("converge", "bouncing-ball").returncode, 2)


class WorkPrecision(unittest.TestCase):
    def test_steps_and_tolerances_side_by_side(self):
        with tempfile.TemporaryDirectory() as folder:
            svg, csv = os.path.join(folder, "w.svg"), os.path.join(folder, "w.csv")
            p = saltus("work-precision", "impact-oscillator", "--scheme", "moreau-jean", "--scheme", "runge-kutta:tableau=herk-4",
                       "--h", "0.05,0.02", "--tol", "1e-3,1e-5", "-o", csv, "--figure", svg, "--json")
            self.assertEqual(p.returncode, 0, p.stderr)
            tables = json.loads(p.stdout)["tables"]
            self.assertEqual([t["knob"] for t in tables], ["h", "tol", "h"])  # Runge-Kutta takes steps only
            for t in tables:
                for row in t["rows"]:
                    self.assertEqual(set(row["error"]), {"q_sup", "q_l1", "u_l1", "u_hausdorff"})
                    self.assertGreater(row["force_evaluations"], 0)
                    self.assertGreater(row["cpu_seconds"], 0)
            self.assertLess(tables[1]["rows"][1]["error"]["q_sup"], tables[1]["rows"][0]["error"]["q_sup"])
            self.assertLess(tables[2]["rows"][1]["error"]["q_sup"], 1e-4)
            self.assertEqual(len(read(csv).splitlines()), 7)
            self.assertIn("<svg", read(svg))

    def test_mistakes(self):
        for args, word in ((("--tol", "1e-4", "--stepping", "fixed"), "adaptive"), ((), "--tol"), (("--h", "0"), "--h"),
                           (("--tol", "-1"), "--tol"), (("--tol", "1e-3", "--scheme", "runge-kutta"), "runge-kutta"),
                           (("--h", "0.1", "--stepping", "fixed:h=0.1"), "twice")):
            p = saltus("work-precision", "bouncing-ball", *args)
            self.assertEqual(p.returncode, 2, (args, p.stderr))
            self.assertIn(word, p.stderr)


class Sweep(unittest.TestCase):
    BALL = ("sweep", "bouncing-ball", "--over", "e=0:1:5", "--over", "h=list:0.01,0.1", "--measure", "energy.final", "--measure", "n = events.impact")

    def test_table_json_and_figure(self):
        with tempfile.TemporaryDirectory() as folder:
            csv, svg = os.path.join(folder, "s.csv"), os.path.join(folder, "s.svg")
            p = saltus(*self.BALL, "-o", csv, "--figure", svg, "--json", "--threads", "2")
            self.assertEqual(p.returncode, 0, p.stderr)
            d = json.loads(p.stdout)
            self.assertEqual((len(d["rows"]), d["failed"], d["missing"], d["status"]), (10, 0, 0, "finished"))
            self.assertEqual(d["rows"][3]["point"], {"e": "0.25", "h": "0.1"})
            one = json.loads(saltus("run", "bouncing-ball", "-p", "e=0.25", "--h", "0.1", "--json").stdout)
            self.assertEqual(d["rows"][3]["measures"]["energy.final"], one["energy"]["final"])
            self.assertEqual(d["rows"][3]["measures"]["n"], sum(e["kind"] == "impact" for e in one["events"]))
            lines = read(csv).splitlines()
            self.assertEqual((lines[0], len(lines)), ("e,h,energy.final,n,status,message", 11))
            self.assertIn("<svg", read(svg))
            self.assertFalse(os.path.exists(csv + ".journal"))
            again = os.path.join(folder, "t.csv")
            self.assertEqual(saltus(*self.BALL, "-o", again, "--threads", "1").returncode, 0)
            self.assertEqual(read(again), read(csv))

    def test_fields_of_the_method_and_names(self):
        p = saltus("sweep", "bouncing-ball", "--over", "scheme.theta=0.5:1:2", "--over", "scheme=list:moreau-jean:gamma=1;moreau-midpoint",
                   "--measure", "steps", "--json")
        self.assertEqual(p.returncode, 1)  # moreau-midpoint has no theta
        statuses = [r["status"] for r in json.loads(p.stdout)["rows"]]
        self.assertEqual(statuses, ["finished", "failed"] * 2)
        p = saltus("sweep", "bouncing-ball", "--over", "stepping.atol=log:1e-6:1e-3:2", "--stepping", "adaptive:h=1", "--measure", "steps", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        steps = [r["measures"]["steps"] for r in json.loads(p.stdout)["rows"]]
        self.assertGreater(steps[0], 2 * steps[1])

    def test_a_bad_point_does_not_lose_the_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            csv = os.path.join(folder, "s.csv")
            p = saltus("sweep", "bouncing-ball", "--over", "e=0.5:1.5:3", "--measure", "final.q[0]", "-o", csv)
            self.assertEqual(p.returncode, 1)
            self.assertIn("1 of 3 points failed; the first, e=1.5", p.stderr)
            lines = read(csv).splitlines()
            self.assertEqual(len(lines), 4)
            self.assertIn("finished", lines[2])
            self.assertTrue(lines[3].startswith("1.5,nan,nan,failed,"))
            self.assertIn("[0, 1]", lines[3])

    def test_interrupt_and_resume(self):
        with tempfile.TemporaryDirectory() as folder:
            csv = os.path.join(folder, "s.csv")
            command = ("sweep", "bouncing-ball", "--over", "e=0.9:1:400", "--h", "1e-3", "--t-end", "20", "--measure", "final.u[0]", "--measure", "events", "-o")
            p = subprocess.Popen([SALTUS, *command, csv, "--threads", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            deadline = time.time() + 30
            while time.time() < deadline and (not os.path.exists(csv + ".journal") or len(journal_rows(csv + ".journal", 2)) < 10):
                time.sleep(0.005)
            p.send_signal(signal.SIGINT)
            _, err = p.communicate(timeout=60)
            self.assertEqual(p.returncode, 1)
            self.assertIn("--resume", err)
            partial = read(csv).splitlines()
            self.assertTrue(9 < len(partial) < 401, len(partial))
            self.assertEqual(len(journal_rows(csv + ".journal", 2)), len(partial) - 1)
            refused = saltus(*command, csv)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("--resume", refused.stderr)
            other = saltus(*command, csv, "--resume", "--accept-penetration")
            self.assertEqual(other.returncode, 2)
            self.assertIn("another sweep", other.stderr)
            p = saltus(*command, csv, "--resume")
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertFalse(os.path.exists(csv + ".journal"))
            whole = os.path.join(folder, "whole.csv")
            self.assertEqual(saltus(*command, whole).returncode, 0)
            self.assertEqual(read(whole), read(csv))
            self.assertLessEqual(set(partial), set(read(csv).splitlines()))

    def test_mistakes(self):
        good = {"--over": "e=0:1:3", "--measure": "final.q[0]"}
        for change, words in (({"--over": "ee=0:1:3"}, "no such parameter"), ({"--over": "e=0:1"}, "first:last:count"), ({"--over": "e"}, "name="),
                              ({"--measure": "final.q"}, "which component"), ({"--measure": "1 +"}, "^"), ({"--measure": "sin(q"}, "^"),
                              ({"-p": "e=0.5"}, "twice"), ({"-p": "mass=1"}, "its fields are"), ({"--threads": "0"}, "threads"),
                              ({"-o": "no/such/folder/x.csv"}, "cannot write"), ({"--over": "h=0.1:0.2:3", "--h": "0.1"}, "twice")):
            args = [x for pair in {**good, **change}.items() for x in pair]
            p = saltus("sweep", "bouncing-ball", *args, "--json")
            self.assertEqual(p.returncode, 2, (change, p.stdout, p.stderr))
            self.assertIn(words, p.stderr, change)
            self.assertEqual(json.loads(p.stdout)["status"], "failed")
        self.assertEqual(saltus("sweep", "bouncing-ball", "--over", "e=0:1:3").returncode, 2)
        self.assertEqual(saltus("sweep", "bouncing-ball", "--measure", "steps").returncode, 2)
        p = saltus("sweep", "bouncing-ball", "--over", "e=0:1:3", "--measure", "steps", "--resume")
        self.assertIn("-o", p.stderr)
        three = ("--over", "e=0:1:2", "--over", "m=1:2:2", "--over", "q0=1:2:2", "--measure", "steps", "--figure", "never.svg")
        p = saltus("sweep", "bouncing-ball", *three)
        self.assertEqual(p.returncode, 2)
        self.assertFalse(os.path.exists("never.svg"))


class Reproduce(unittest.TestCase):
    def test_list(self):
        p = saltus("reproduce", "--list")
        self.assertEqual(p.returncode, 0, p.stderr)
        ids = [s["id"] for s in json.loads(saltus("reproduce", "--list", "--json").stdout)["studies"]]
        for item in ("fig-2", "fig-3", "fig-4", "fig-5", "local-errors", "lemma-1", "propositions", "theorem-1",
                     "comparison", "projection", "index-2"):
            self.assertIn(f"acary-2012/{item}", ids)
            self.assertIn(f"acary-2012/{item}", p.stdout)
        for item in ("tableau", "fig-2", "fig-3", "fig-4", "fig-5", "fig-8", "fig-9", "fig-10", "fig-11", "fig-12", "fig-13", "table-7",
                     "fig-14"):
            self.assertIn(f"studer-2008/{item}", ids)
        for item in [f"fig-{k}" for k in range(2, 12)] + ["table-1", "a-stability", "eq-9", "times", "transmitted", "theorem-1", "modified-equation", "tuning"]:
            self.assertIn(f"james-2020/{item}", ids)

    def test_items_give_verdicts_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            acary = (("lemma-1", 0), ("local-errors", 4), ("propositions", 1), ("fig-4", 1), ("theorem-1", 0),
                     ("comparison", 0), ("projection", 1), ("index-2", 0))
            studer = (("fig-3", 0), ("fig-4", 0), ("fig-5", 1), ("fig-8", 0), ("fig-9", 0), ("fig-10", 0), ("fig-11", 1),
                      ("fig-12", 0), ("fig-13", 0), ("fig-14", 0))
            james = (("fig-3", 0), ("fig-4", 0), ("fig-5", 0), ("fig-6", 0), ("fig-7", 0), ("fig-8", 0), ("fig-9", 1),
                     ("a-stability", 0), ("eq-9", 1), ("times", 1), ("transmitted", 0), ("theorem-1", 0),
                     ("modified-equation", 0), ("tuning", 0))
            odae = (("fig-4.1", 0), ("fig-4.2", 0), ("fig-4.3", 0), ("fig-4.4", 0), ("composition", 1), ("inequalities", 2))
            bruls = (("fig-2", 1), ("fig-3", 1), ("fig-5", 0), ("fig-6", 0), ("fig-7", 1), ("fig-8", 0), ("fig-10", 0), ("fig-11", 0),
                     ("fig-12", 2), ("bar", 1), ("inactive-rows", 3))
            for paper, item, refuted in ([("acary-2012", *x) for x in acary] + [("studer-2008", *x) for x in studer]
                                         + [("bruls-2018", *x) for x in bruls] + [("james-2020", *x) for x in james]
                                         + [("symplectic-odae", *x) for x in odae]):
                p = saltus("reproduce", f"{paper}/{item}", "--out", folder, "--json")
                self.assertEqual(p.returncode, 0, (item, p.stdout, p.stderr))
                d = json.loads(p.stdout)
                self.assertEqual(d["surprises"], 0)
                (study,) = d["studies"]
                self.assertEqual(sum(not c["should_hold"] for c in study["claims"]), refuted, item)
                for c in study["claims"]:
                    self.assertEqual(c["holds"], c["should_hold"], c)
                    self.assertTrue(c["measured"])
                if item == "times":  # three numbers: verdicts only
                    self.assertEqual(study["files"], [])
                    continue
                self.assertGreater(len(read(os.path.join(folder, paper, item + ".csv")).splitlines()), 3)  # eq-9: three materials
                self.assertIn("<svg", read(os.path.join(folder, paper, item + ".svg")))

    def test_verdict_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            p = saltus("reproduce", "acary-2012/local-errors", "--out", folder)
            self.assertEqual(p.returncode, 0, p.stderr)
            starts = [line.split("local-errors:")[0].strip() for line in p.stdout.splitlines() if "local-errors:" in line]
            self.assertEqual(set(starts), {"holds", "fails as expected"})

    def test_unknown_names(self):
        for name in ("acary-2012/fig-9", "nobody-1999"):
            p = saltus("reproduce", name)
            self.assertEqual(p.returncode, 2)
            self.assertIn("acary-2012/fig-2", p.stderr)
        p = saltus("reproduce", "acary-2012/lemma-1", "--out", "/proc/no/such")
        self.assertEqual(p.returncode, 2)
        self.assertIn("folder", p.stderr)


DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


class Contact(unittest.TestCase):
    def test_a_file_is_solved_and_says_how_well(self):
        p = saltus("contact", "solve", os.path.join(DATA, "pile3d-2.fcp"))
        self.assertEqual(p.returncode, 0, p.stderr)
        for word in ("contacts", "rows", "solver", "iterations", "CPU", "natural", "FCP"):
            self.assertIn(word, p.stdout)
        for solver in ("automatic", "interior-point", "psor", "semismooth-newton"):
            d = json.loads(saltus("contact", "solve", os.path.join(DATA, "pile2d-3.fcp"), "--solver", solver, "--json").stdout)
            self.assertEqual(d["status"], "solved", solver)
            self.assertLessEqual(d["residuals"]["fcp"], 1e-8)

    def test_what_is_not_solved_is_no_success(self):
        p = saltus("contact", "solve", os.path.join(DATA, "pile2d-3.fcp"), "--solver", "psor:max_iterations=3", "--json")
        self.assertEqual(p.returncode, 1)
        d = json.loads(p.stdout)
        self.assertEqual(d["status"], "failed")
        self.assertGreater(d["residuals"]["fcp"], 1e-8)
        self.assertIn("residual", p.stderr)
        self.assertIn("3 iterations", p.stderr)
        # a solver's own tolerance may be met and still be too large
        p = saltus("contact", "solve", os.path.join(DATA, "pile2d-3.fcp"), "--solver", "psor:tolerance=1e-3")
        self.assertEqual(p.returncode, 1)

    def test_impulses_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "r.txt")
            p = saltus("contact", "solve", os.path.join(DATA, "pile2d-3.fcp"), "-o", out)
            self.assertEqual(p.returncode, 0, p.stderr)
            rows = [[float(x) for x in line.split()] for line in read(out).splitlines()]
            d = json.loads(saltus("contact", "info", os.path.join(DATA, "pile2d-3.fcp"), "--json").stdout)
            self.assertEqual((len(rows), {len(r) for r in rows}), (d["contacts"], {d["dim"]}))
            self.assertTrue(all(abs(t) <= 0.3 * n * (1 + 1e-12) for n, t in rows))

    def test_the_problem_of_a_step_is_dumped_and_solved_again(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("x.fcp", "x.hdf5"):
                file = os.path.join(folder, name)
                p = saltus("run", "ball-column", "-p", "n=6", "--t-end", "0.05", "--dump-contact-problem-at", "0.02", "--dump-file", file)
                if "without HDF5" in p.stderr:
                    continue
                self.assertEqual(p.returncode, 0, p.stderr)
                self.assertIn(file, p.stdout)
                d = json.loads(saltus("contact", "solve", file, "--json").stdout)
                self.assertEqual((d["contacts"], d["mu"]["max"], d["status"]), (6, 0, "solved"))
            # the problem a solver could not solve is the one a user wants
            file = os.path.join(folder, "failed.fcp")
            p = saltus("run", "ball-column", "-p", "n=200", "--solver", "psor:max_iterations=3", "--dump-contact-problem-at", "0", "--dump-file", file)
            self.assertEqual(p.returncode, 1)
            self.assertEqual(saltus("contact", "solve", file).returncode, 0)

    def test_mistakes_are_named(self):
        sample = os.path.join(DATA, "pile2d-3.fcp")
        for arguments, words in (
                (("contact", "solve", "none.fcp"), ("none.fcp", "no such file")),
                (("contact", "solve", "x.json"), (".fcp", ".hdf5")),
                (("contact", "solve", sample, "--tolerance", "-1"), ("--tolerance", "above 0")),
                (("contact", "solve", sample, "--solver", "nsgs"), ("unknown solver", "automatic")),
                (("run", "bouncing-ball", "--dump-file", "x.fcp"), ("--dump-contact-problem-at",)),
                (("run", "bouncing-ball", "--dump-contact-problem-at", "99"), ("goes from 0",)),
                (("run", "bouncing-ball", "--dump-contact-problem-at", "0.2"), ("no contact is active",)),
                (("run", "pendulum", "--dump-contact-problem-at", "0.2"), ("equality",))):
            p = saltus(*arguments)
            self.assertEqual(p.returncode, 2, (arguments, p.stderr))
            for word in words:
                self.assertIn(word, p.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
