#!/usr/bin/env python3
"""What every user meets: runs, mistakes, lists: test_program.py PATH-TO-SALTUS"""
import json
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
        p = saltus("run", "bouncing-ball", "--h", "1e-3", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        d = json.loads(p.stdout)
        for key in ("problem", "parameters", "method", "status", "message", "t", "q", "u", "energy", "events", "stats", "residuals", "error"):
            self.assertIn(key, d)
        self.assertEqual(d["status"], "finished")
        self.assertEqual(d["parameters"], {"m": 1, "f": -2, "e": 0.5, "q0": 1, "v0": 0})
        self.assertEqual(set(d["energy"]), {"initial", "final", "contact_loss", "wall_work"})
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
        for d in (a, b):
            del d["stats"]["cpu_seconds"], d["error_estimate"]["companion"]["cpu_seconds"]
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
        p = saltus("run", "bouncing-pendulum", "--scheme", "generalized-alpha", "--t-end", "1", "--json")
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

    def test_an_interrupted_run_reports_numbers(self):
        for target in ("bouncing-ball", "newtons-cradle", "spherical-pendulum"):
            p = subprocess.Popen([SALTUS, "run", target, "--t-end", "1e6", "--h", "1e-2", "--every", "1000", "--no-error"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(0.5)
            p.send_signal(signal.SIGINT)
            out, _ = p.communicate(timeout=60)
            self.assertIn("interrupted", out)
            self.assertNotIn("nan", out)


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
        self.refused("run", words=["TARGET", "saltus run --help"])
        self.refused("rnu", "bouncing-ball", words=["unknown command 'rnu'", "did you mean 'run'", "sweep"])
        self.refused("run", "bouncing-ball", "-o", "no/such/folder/x.csv", words=["cannot write"])
        self.refused("run", "bouncing-ball", "--nonsense", words=["nonsense"])
        self.refused("list", "problem", words=["problems"])

    def test_penetrating_start_is_refused_or_accepted_on_request(self):
        self.refused("run", "bouncing-ball", "-p", "q0=-0.5", words=["ball/floor", "penetrates", "-0.5"])
        p = saltus("run", "bouncing-ball", "-p", "q0=-0.5", "--accept-penetration", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertAlmostEqual(json.loads(p.stdout)["q"][0], -0.5, delta=1e-9)

    def test_an_unsolved_contact_problem_exits_1_with_time_and_contact(self):
        p = saltus("run", "ball-column", "-p", "n=200", "--solver", "psor:max_iterations=3", "--h", "1e-3", "--json")
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


if __name__ == "__main__":
    unittest.main(verbosity=1)
