#!/usr/bin/env python3
"""Each family of problems on the command line: switching points, waves, restitution, chains, overdetermined DAEs:
test_families.py PATH-TO-SALTUS"""
import json
import math
import os
import tempfile
import unittest

from program import read, saltus


class Switching(unittest.TestCase):
    def test_woodpecker_lists_its_switching_points_with_modes_and_brackets(self):
        p = saltus("run", "woodpecker", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        d = json.loads(p.stdout)
        self.assertEqual(len(d["events"]), 13)
        first = d["events"][0]
        self.assertEqual((first["contact"], first["from"], first["to"]), ("sleeve-lower/pole", "slip_back", "stick"))
        self.assertLessEqual(first["bracket"][1] - first["bracket"][0], 2.01e-7)
        self.assertEqual(d["stats"]["switches"], 13)
        for key in ("calculated", "base_steps", "detections", "above_tolerance"):
            self.assertIn(key, d["stats"])

    def test_any_problem_takes_the_stepping_with_the_midpoint_rule(self):
        p = saltus("run", "bouncing-ball", "--json", "--stepping", "switching:h_min=1e-6,h_max=0.05,order=auto,substeps=odd")
        self.assertEqual(p.returncode, 0, p.stderr)
        d = json.loads(p.stdout)
        self.assertEqual(d["method"]["scheme"], "moreau-midpoint")
        self.assertIn("h_max=0.05", d["method"]["stepping"])
        self.assertLess(d["error"]["q_sup"], 1e-5)
        p = saltus("run", "falling-mass", "--stepping", "switching:order=4")  # the problem's own h_max stays
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("h_max=0.05", p.stdout)
        self.assertIn("order=4", p.stdout)
        self.assertIn("search", p.stdout)

    def test_mistakes_are_named(self):
        for text, words in (("h_min=1,h_max=0.1", "h_min = 1 exceeds h_max = 0.1"), ("order=13", "auto"), ("h_min=0", "h_min"),
                            ("substeps=even", "odd, all"), ("power=3", "power"), ("hmin=1", "did you mean 'h_min'")):
            p = saltus("run", "falling-mass", "--stepping", "switching:" + text)
            self.assertEqual(p.returncode, 2, text)
            self.assertIn(words, p.stderr, text)
        p = saltus("run", "falling-mass", "--stepping", "switching:h_max=0.1", "--h", "0.1")
        self.assertEqual(p.returncode, 2)
        self.assertIn("twice", p.stderr)
        p = saltus("run", "elastic-bar", "--scheme", "moreau-midpoint", "--stepping", "switching:h_max=0.1,h_min=0.01")
        self.assertEqual(p.returncode, 2)
        self.assertIn("step h_min = 0.01 is too long for moreau-midpoint", p.stderr)

    def test_list_shows_the_new_items(self):
        d = json.loads(saltus("list", "--json").stdout)
        names = {section: {i["name"] for i in items} for section, items in d.items()}
        self.assertLessEqual({"falling-mass", "sliding-mass", "woodpecker", "belt-block", "shaker"}, names["problems"])
        self.assertIn("switching", names["steppings"])
        self.assertLessEqual({"tresca", "prestressed-spring"}, names["laws"])


class Waves(unittest.TestCase):
    def test_space_time_and_components(self):
        with tempfile.TemporaryDirectory() as folder:
            names = [os.path.join(folder, n) for n in ("u.svg", "f.png", "q.svg", "h.svg")]
            for problem, quantity, name in (("collinear-chain", "u", names[0]), ("ball-column", "force", names[1]), ("ball-column", "q", names[2]),
                                           ("dimer-chain", "force", names[0])):
                p = saltus("run", problem, "-p", "n=12", "--space-time", name, "--quantity", quantity, "--json")
                self.assertEqual(p.returncode, 0, p.stderr)
                self.assertEqual(json.loads(p.stdout)["files"], [name])
            self.assertIn("<svg", read(names[0]))
            with open(names[1], "rb") as file:
                self.assertEqual(file.read(4), b"\x89PNG")
            p = saltus("run", "collinear-chain", "-p", "n=12", "--figure", names[3], "--components", "0,5,11")
            self.assertEqual(p.returncode, 0, p.stderr)
            for label in ("q0", "q5", "q11", "u11"):
                self.assertIn(label, read(names[3]))
            self.assertNotIn("q1<", read(names[3]))

    def test_mistakes(self):
        for args, words in ((("--figure", "never.svg", "--components", "0,1"), "0 to 0"), (("--figure", "never.svg", "--components", "x"), "whole"),
                            (("--components", "0"), "--figure"), (("--space-time", "never.svg", "--quantity", "v"), "force"),
                            (("--space-time", "never.svg", "--quantity", "force", "--every", "2"), "--every")):
            p = saltus("run", "bouncing-ball", *args)
            self.assertEqual(p.returncode, 2, (args, p.stderr))
            self.assertIn(words, p.stderr)
            self.assertFalse(os.path.exists("never.svg"))


class Restitution(unittest.TestCase):
    def test_there_and_back(self):
        there = saltus("restitution", "--e", "0.9,0.5", "--json")
        self.assertEqual(there.returncode, 0, there.stderr)
        rows = json.loads(there.stdout)["rows"]
        self.assertEqual([r["e"] for r in rows], [0.9, 0.5])
        self.assertLess(rows[0]["gamma_tilde"], rows[1]["gamma_tilde"])
        back = json.loads(saltus("restitution", "--gamma", ",".join(repr(r["gamma_tilde"]) for r in rows), "--json").stdout)["rows"]
        for a, b in zip(rows, back):
            self.assertAlmostEqual(a["e"], b["e"], delta=1e-11)
            self.assertAlmostEqual(a["duration"], b["duration"], delta=1e-10)
        # Hertz without damping: tau_c = 3.218 (m/k)^(2/5) V^(-1/5), Landau and Lifshitz 2.94 (5/4)^(2/5)
        hertz = json.loads(saltus("restitution", "--gamma", "0", "--json").stdout)["rows"][0]
        self.assertEqual(hertz["e"], 1)
        self.assertAlmostEqual(hertz["duration"], 2 * (5 / 4) ** 0.4 * math.sqrt(math.pi) * math.gamma(1.4) / math.gamma(0.9), delta=1e-9)

    def test_with_units(self):
        p = saltus("restitution", "--e", "0.9", "--k", "1e9", "--m1", "0.03", "--m2", "0.06", "--velocity", "0.5", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        row = json.loads(p.stdout)["rows"][0]
        unit = (0.02 / 1e9) ** 0.4 * 0.5 ** -0.2
        self.assertAlmostEqual(row["gamma_s"] / (row["gamma_tilde"] * unit), 1, delta=1e-12)
        self.assertAlmostEqual(row["duration_s"] / (row["duration"] * unit), 1, delta=1e-12)

    def test_mistakes(self):
        for args, words in (((), "--e"), (("--e", "0.9", "--gamma", "1"), "--e"), (("--e", "0"), "e = 0"), (("--e", "1.5"), "e = 1.5"),
                            (("--gamma", "-1"), "gamma"), (("--e", "x"), "not a number"), (("--e", "0.9", "--beta", "0.5"), "beta"),
                            (("--e", "0.9", "--k", "1"), "--velocity"), (("--e", "0.9", "--k", "-1", "--m1", "1", "--m2", "1", "--velocity", "1"), "stiffness")):
            p = saltus("restitution", *args)
            self.assertEqual(p.returncode, 2, (args, p.stdout, p.stderr))
            self.assertIn(words, p.stderr, args)


class Chains(unittest.TestCase):
    def test_adaptive_steps(self):
        p = saltus("run", "dimer-chain", "--scheme", "rk:tableau=herk-5", "--stepping", "adaptive:atol=1e-6,h=1", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        d = json.loads(p.stdout)
        self.assertLess(d["stats"]["steps"], 300)
        self.assertLess(d["error"]["q_sup"], 1e-3)

    def test_mistakes(self):
        for args, words in ((("-p", "beta=0.9"), "beta"), (("-p", "gamma=-1"), "gamma"), (("-p", "k=-1"), "k = -1"),
                            (("--scheme", "gauss-2", "--stepping", "switching"), "fixed or adaptive"), (("--scheme", "moreau-jean"), "gauss-2"),
                            (("--stepping", "adaptive:atol=0"), "atol and rtol")):
            p = saltus("run", "dimer-chain", *args)
            self.assertEqual(p.returncode, 2, (args, p.stderr))
            self.assertIn(words, p.stderr)

    def test_tailored_schemes_say_what_they_ignore_and_how_their_damping_differs(self):
        p = saltus("run", "newtons-cradle", "-p", "formulation=x", "-p", "reference=none", "--scheme", "kk-irk", "--h", "0.1", "--t-end", "3", "--json")
        warnings = json.loads(p.stdout)["warnings"]
        self.assertTrue(any("formulation=x has no effect" in w for w in warnings), warnings)
        self.assertTrue(any("the tailored damping of kk-irk took" in w for w in warnings), warnings)

    def test_unsolvable_stages_end_a_run_with_time_and_bead(self):
        p = saltus("run", "dimer-chain", "-p", "eps=1e-4", "-p", "n=51", "-p", "reference=none", "--scheme", "kk-irk", "--h", "0.02",
                   "--t-end", "10")
        self.assertEqual(p.returncode, 1, p.stdout)
        for words in ("from t = ", "of bead", "C11", "gauss-2"):
            self.assertIn(words, p.stdout + p.stderr)

    def test_a_sweep_is_the_same_on_any_number_of_threads(self):
        with tempfile.TemporaryDirectory() as folder:
            tables = []
            for threads in ("1", "2"):
                name = os.path.join(folder, threads + ".csv")
                p = saltus("sweep", "dimer-chain", "-p", "reference=none", "--over", "gamma=0:0.1:8", "--over", "eps=0.3:1:8", "--scheme",
                           "kk-irk", "--h", "0.1", "--measure", "final.u[-1]", "--measure", "max.q", "--threads", threads, "-o", name)
                self.assertEqual(p.returncode, 0, p.stderr)
                tables.append(read(name))
            self.assertEqual(tables[0], tables[1])
            self.assertEqual(len(tables[0].splitlines()), 65)


class Odae(unittest.TestCase):
    def test_run_shows_multipliers_and_residuals(self):
        with tempfile.TemporaryDirectory() as folder:
            csv = os.path.join(folder, "x.csv")
            p = saltus("run", "odae-exponential", "--h", "0.01", "-o", csv, "--json")
            self.assertEqual(p.returncode, 0, p.stderr)
            d = json.loads(p.stdout)
            self.assertAlmostEqual(d["psi"][0], math.e, places=3)
            self.assertLess(max(d["residuals"]["position"], d["residuals"]["velocity"]), 1e-12)
            self.assertEqual(d["reference"], "closed form")
            self.assertEqual(read(csv).splitlines()[0], "t,q0,q1,u0,u1,psi0")
            self.assertEqual(len(read(csv).splitlines()), 102)
            p = saltus("run", "odae-exponential", "--h", "0.01", "-o", csv, "--every", "7")
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertIn("psi = 2.71", p.stdout)
            self.assertEqual(len(read(csv).splitlines()[-1].split(",")), 6)

    def test_orders_from_the_command_line(self):
        schemes = {"symplectic-euler": 1, "symplectic-euler:composition=strang": 2, "symplectic-euler:composition=suzuki4": 4,
                   "symplectic-euler:variant=natural": None}
        args = [x for s in schemes for x in ("--scheme", s)]
        p = saltus("converge", "odae-exponential", *args, "--h", "0.02,0.01,0.005", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        for table, order in zip(json.loads(p.stdout)["tables"], schemes.values()):
            if order is None:
                self.assertLess(table["order"]["q_sup"], 0.6)
            else:
                self.assertAlmostEqual(table["order"]["q_sup"], order, delta=0.1)

    def test_detachment_both_ways(self):
        for stepping, scheme, off in (("event-location", "symplectic-euler:composition=strang", 2e-5), ("fixed", "symplectic-euler", 0.015)):
            p = saltus("run", "cubic-slide", "-p", "preset=detach", "--t-end", "2", "--h", "0.01", "--stepping", stepping,
                       "--scheme", scheme, "--json")
            self.assertEqual(p.returncode, 0, p.stderr)
            last = json.loads(p.stdout)["events"][-1]
            self.assertEqual((last["contact"], last["kind"]), ("surface", "open"))
            self.assertAlmostEqual(last["t"], 1.0645358709676678, delta=off)

    def test_mechanical_systems(self):
        p = saltus("run", "pendulum", "--scheme", "symplectic-euler:composition=yoshida4", "--h", "0.002", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        d = json.loads(p.stdout)
        self.assertEqual(len(d["psi"]), 2)
        self.assertLess(d["error"]["q_sup"], 1e-5)

    def test_mistakes(self):
        for args, words in ((("odae-exponential", "--scheme", "symplectic-euler:alpha=0"), "alpha = 0"),
                            (("odae-exponential", "--scheme", "symplectic-euler:variant=natural,alpha=1"), "alpha = 1"),
                            (("odae-exponential", "--scheme", "symplectic-euler:variant=tru"), "true-adjoint"),
                            (("odae-exponential", "--scheme", "moreau-jean"), "schemes that fit: symplectic-euler"),
                            (("odae-exponential", "--stepping", "adaptive"), "event-location"),
                            (("cubic-slide", "-p", "preset=detach", "--stepping", "fixed"), "event-location"),
                            (("bouncing-ball", "--stepping", "event-location"), "symplectic-euler"),
                            (("cubic-slide", "-p", "gap0=1"), "contact=unilateral")):
            p = saltus("run", *args)
            self.assertEqual(p.returncode, 2, (args, p.stdout, p.stderr))
            self.assertIn(words, p.stderr, args)
        p = saltus("run", "spherical-pendulum", "--t-end", "1e5", "--h", "1e4", "--json")
        self.assertEqual(p.returncode, 1)
        d = json.loads(p.stdout)
        self.assertEqual(d["status"], "failed")
        self.assertIn("t = 0", d["message"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
