#!/usr/bin/env python3
"""What every user meets: runs, mistakes, lists: test_program.py PATH-TO-SALTUS"""
import json
import math
import os
import signal
import subprocess
import tempfile
import time
import unittest

from program import SALTUS, read, saltus

FIRST_ORDER = ("rk", "crank-nicolson", "gauss-2", "additive-theta", "kk-theta", "kk-irk")


class Run(unittest.TestCase):
    def test_json_is_one_object_with_the_promised_keys(self):
        p = saltus("run", "bouncing-ball", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        d = json.loads(p.stdout)
        for key in ("problem", "parameters", "method", "status", "message", "t", "q", "u", "energy", "events", "stats", "residuals", "error"):
            self.assertIn(key, d)
        self.assertEqual(d["status"], "finished")
        self.assertEqual(d["parameters"], {"m": 1, "f": -2, "e": 0.5, "q0": 1, "v0": 0})
        self.assertEqual(set(d["energy"]), {"initial", "final"})
        self.assertLessEqual({"steps", "rejected", "force_evaluations", "newton_iterations", "contact_iterations", "cpu_seconds"}, set(d["stats"]))
        self.assertEqual(set(d["residuals"]), {"contact", "gap", "position", "velocity", "acceleration"})
        self.assertEqual(set(d["error"]), {"q_sup", "q_l1", "q_l2", "q_final", "u_l1", "u_l2", "u_sup", "u_hausdorff"})
        e = d["events"][0]
        self.assertLessEqual({"t", "contact", "kind", "impulse", "u_minus", "u_plus", "energy_loss"}, set(e))
        self.assertEqual((e["contact"], e["kind"]), ("ball/floor", "impact"))
        self.assertAlmostEqual(e["u_plus"][0], -0.5 * e["u_minus"][0], delta=1e-12)
        self.assertEqual(d["stats"]["steps"], 5000)

    def test_step_is_rounded_so_that_it_divides_the_time(self):
        d = json.loads(saltus("run", "bouncing-ball", "--h", "0.3", "--t-end", "1", "--json").stdout)
        self.assertEqual((d["stats"]["steps"], d["t"]), (4, 1))

    def test_summary_speaks_of_events_energy_error_and_cost(self):
        p = saltus("run", "bouncing-ball")
        self.assertEqual(p.returncode, 0)
        for word in ("impact", "energy", "closed form", "Hausdorff", "steps", "CPU"):
            self.assertIn(word, p.stdout)

    def test_csv_and_figure(self):
        with tempfile.TemporaryDirectory() as folder:
            csv, svg = os.path.join(folder, "x.csv"), os.path.join(folder, "x.svg")
            p = saltus("run", "rocking-bar", "--h", "0.01", "-o", csv, "--figure", svg)
            self.assertEqual(p.returncode, 0, p.stderr)
            lines = read(csv).splitlines()
            self.assertEqual(lines[0], "t,q0,q1,u0,u1")
            self.assertEqual(len(lines), 1 + 151)
            self.assertEqual(float(lines[-1].split(",")[0]), 1.5)
            self.assertIn("<svg", read(svg))

    def test_twice_gives_the_same_bits(self):
        args = ("run", "impact-oscillator", "-p", "preset=acary-c", "--json")
        a, b = json.loads(saltus(*args).stdout), json.loads(saltus(*args).stdout)
        a["stats"].pop("cpu_seconds"), b["stats"].pop("cpu_seconds")
        self.assertEqual(a, b)

    def test_snapshot(self):
        with tempfile.TemporaryDirectory() as folder:
            svg = os.path.join(folder, "bed.svg")
            p = saltus("run", "disk-mixer", "-p", "n=20", "--t-end", "0.05", "--snapshot", svg)
            self.assertEqual(p.returncode, 0, p.stderr)
            with open(svg, encoding="utf-8") as file:
                self.assertEqual(file.read().count("<circle"), 21)  # the drum too

    def test_unsolved_steps_are_counted_when_accepted(self):
        command = ("run", "disk-mixer", "-p", "n=20", "--t-end", "0.2", "--solver", "psor:max_iterations=3,tolerance=1e-9", "--json")
        stopped, going = saltus(*command), saltus(*command, "--stepping", "fixed:accept_unsolved=true")
        self.assertEqual((stopped.returncode, going.returncode), (1, 1))
        self.assertLess(json.loads(stopped.stdout)["t"], 0.2)
        result = json.loads(going.stdout)
        self.assertEqual(result["t"], 0.2)
        self.assertGreater(result["stats"]["unsolved_steps"], 10)
        self.assertIn("missed the tolerance", result["message"])

    def test_generalized_alpha_reports_three_levels(self):
        p = saltus("run", "bouncing-pendulum", "--t-end", "1", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        d = json.loads(p.stdout)
        for key in ("position", "velocity", "acceleration", "contact_position", "contact_velocity", "contact_acceleration"):
            self.assertLess(d["residuals"][key], 1e-6, key)
        self.assertGreater(d["stats"]["newton_mean"], 0)
        self.assertGreaterEqual(d["stats"]["newton_max"], 1)
        self.assertTrue(any(e["kind"] == "impact" for e in d["events"]))

    def test_every_scheme_and_solver_runs(self):
        d = json.loads(saltus("list", "--json").stdout)
        for scheme in d["schemes"]:
            if scheme["name"] in FIRST_ORDER:
                p = saltus("run", "trimer", "--h", "0.05", "--scheme", scheme["name"], "--json")
                self.assertEqual(p.returncode, 0, (scheme["name"], p.stderr))
                self.assertLess(json.loads(p.stdout)["energy"]["final"], 0.5)
                p = saltus("run", "rocking-bar", "--scheme", scheme["name"])
                self.assertEqual(p.returncode, 2)
                self.assertIn("schemes that fit: moreau-jean", p.stderr)
                continue
            for solver in d["solvers"]:
                p = saltus("run", "rocking-bar", "--h", "2e-3", "--scheme", scheme["name"], "--solver", solver["name"], "--json")
                self.assertEqual(p.returncode, 0, (scheme["name"], solver["name"], p.stderr))

    def test_interrupt_keeps_what_was_computed(self):
        with tempfile.TemporaryDirectory() as folder:
            csv = os.path.join(folder, "x.csv")
            p = subprocess.Popen([SALTUS, "run", "bouncing-ball", "-p", "e=1", "--t-end", "1e6", "--h", "1e-2", "--every", "1000",
                                  "--no-error", "-o", csv, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(1.0)
            p.send_signal(signal.SIGINT)
            out, _ = p.communicate(timeout=60)
            self.assertEqual(p.returncode, 1)
            d = json.loads(out)
            self.assertEqual(d["status"], "interrupted")
            self.assertGreater(d["t"], 0)
            self.assertGreater(len(read(csv).splitlines()), 2)


class Mistakes(unittest.TestCase):
    """Every mistake gets a message that names the quantity and what is allowed, and exit code 2."""

    def refused(self, *args, words):
        p = saltus(*args)
        self.assertEqual(p.returncode, 2, (args, p.stdout, p.stderr))
        for word in words:
            self.assertIn(word, p.stderr, args)
        j = saltus(*args, "--json")
        self.assertEqual(j.returncode, 2)
        self.assertEqual(json.loads(j.stdout)["status"], "failed")

    def test_disks(self):
        self.refused("run", "bouncing-ball", "--snapshot", "never.svg", words=["bouncing-ball", "--figure"])
        self.refused("run", "disk-mixer", "-p", "n=20", "-p", "fill=0.9", words=["start place", "fill"])
        self.refused("run", "disk-mixer", "--scheme", "runge-kutta", words=["list of contacts"])

    def test_parameters(self):
        for value in ("-1", "0", "nan", "inf", "abc", ""):
            self.refused("run", "bouncing-ball", "-p", f"m={value}", words=["bouncing-ball.m"])
        for value in ("1.5", "-0.5", "nan"):
            self.refused("run", "bouncing-ball", "-p", f"e={value}", words=["bouncing-ball.e", "[0, 1]"])
        for name in ("q0", "v0", "f"):
            self.refused("run", "bouncing-ball", "-p", f"{name}=nan", words=[f"bouncing-ball.{name}", "nan"])
        self.refused("run", "bouncing-ball", "-p", "mass=1", words=["mass", "its fields are"])
        self.refused("run", "bouncing-ball", "-p", "m", words=["name=value"])
        self.refused("run", "bouncing-ball", "-p", "m=1", "-p", "m=2", words=["twice"])
        self.refused("run", "ball-column", "-p", "n=0", words=["ball-column.n"])
        self.refused("run", "ball-column", "-p", "n=2.5", words=["whole number"])

    def test_method(self):
        for h in ("0", "-1e-3", "nan", "inf", "x"):
            self.refused("run", "bouncing-ball", "--h", h, words=["h"])
        self.refused("run", "bouncing-ball", "--scheme", "moreau-jean:theta=2", words=["theta", "[0, 1]"])
        self.refused("run", "bouncing-ball", "--scheme", "moreau-gin", words=["did you mean 'moreau-jean'"])
        self.refused("run", "bouncing-pendulum", "--scheme", "generalized-alpha:levels=pv", words=["pva or pvv"])
        self.refused("run", "bouncing-pendulum", "--scheme", "generalized-alpha:rho_inf=2", words=["rho_inf", "[0, 1]"])
        self.refused("run", "disk-mixer", "--scheme", "generalized-alpha", words=["list of contacts"])
        self.refused("run", "bouncing-ball", "--solver", "lemke:max_pivots=0", words=["max_pivots"])
        self.refused("run", "bouncing-ball", "--stepping", "fixed:h=0.1", "--h", "0.1", words=["twice"])
        self.refused("run", "bouncing-ball", "--h", "0.1", "--h", "0.2", words=["h"])
        self.refused("run", "bouncing-ball", "--stepping", "variable", words=["fixed"])
        self.refused("run", "bouncing-ball", "--t-end", "-1", words=["t_end = -1"])
        self.refused("run", "bouncing-ball", "--t-end", "nan", words=["t_end"])
        self.refused("run", "bouncing-ball", "--h", "1e-12", words=["--every"])

    def test_targets_and_files(self):
        self.refused("run", "bouncing-bal", words=["did you mean 'bouncing-ball'"])
        self.refused("run", "no/such/scene.yaml", words=["no such file"])
        self.refused("run", words=["TARGET"])
        self.refused("run", "bouncing-ball", "-o", "no/such/folder/x.csv", words=["cannot write"])
        self.refused("run", "bouncing-ball", "--nonsense", words=["nonsense"])
        self.refused("list", "problem", words=["problems"])

    def test_penetrating_start_is_refused_or_accepted_on_request(self):
        self.refused("run", "bouncing-ball", "-p", "q0=-0.5", words=["ball/floor", "penetrates", "-0.5"])
        p = saltus("run", "bouncing-ball", "-p", "q0=-0.5", "--accept-penetration", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertAlmostEqual(json.loads(p.stdout)["q"][0], -0.5, delta=1e-9)

    def test_an_unsolved_contact_problem_exits_1_with_time_and_contact(self):
        p = saltus("run", "ball-column", "-p", "n=200", "--solver", "psor:max_iterations=3", "--json")
        self.assertEqual(p.returncode, 1)
        d = json.loads(p.stdout)
        self.assertEqual(d["status"], "failed")
        self.assertIn("psor", d["message"])
        self.assertIn("t = ", d["message"])


class Other(unittest.TestCase):
    def test_list(self):
        p = saltus("list")
        for word in ("bouncing-ball", "moreau-jean", "psor", "coulomb", "fixed"):
            self.assertIn(word, p.stdout)
        d = json.loads(saltus("list", "problems", "--json").stdout)
        ball = next(x for x in d["problems"] if x["name"] == "bouncing-ball")
        self.assertEqual({q["name"]: q["default"] for q in ball["parameters"]}["f"], -2)

    def test_doctor(self):
        start = time.time()
        p = saltus("doctor")
        self.assertEqual(p.returncode, 0, p.stdout)
        self.assertIn("Eigen", p.stdout)
        self.assertLess(time.time() - start, 10)

    def test_help_and_version(self):
        for args in (("--help",), ("run", "--help"), ("--version",)):
            p = saltus(*args)
            self.assertEqual(p.returncode, 0)
            self.assertTrue(p.stdout)
        self.assertEqual(saltus().returncode, 2)


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
        p = saltus("run", "spherical-pendulum", "--t-end", "100", "--h", "10", "--json")
        self.assertEqual(p.returncode, 1)
        d = json.loads(p.stdout)
        self.assertEqual(d["status"], "failed")
        self.assertIn("t = 0", d["message"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
