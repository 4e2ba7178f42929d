#!/usr/bin/env python3
"""The program as a user and as another program calls it: test_program.py PATH-TO-SALTUS"""
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SALTUS = sys.argv.pop(1)


def saltus(*args, **kwargs):
    return subprocess.run([SALTUS, *args], capture_output=True, text=True, timeout=120, **kwargs)


def read(path):
    with open(path) as file:
        return file.read()


FIRST_ORDER = ("rk", "crank-nicolson", "gauss-2", "additive-theta", "kk-theta", "kk-irk")

BALL = """saltus: 1
parameters: {m: 1 kg, g: 2 m/s^2, e: 0.5}
coordinates: {z: {start: 1 m}}
mass: {z: m}
potential: m*g*z
contacts: {floor: {gap: z, law: {name: unilateral, e: e}}}
run: {t_end: 5 s, h: 1 ms}
record: {csv: ball.csv, every: 10}
measure: {height: final.z, lost: energy.initial - energy.final}
"""


class Scenes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "ball.yaml")
        with open(self.file, "w") as file:
            file.write(BALL)

    def tearDown(self):
        self.folder.cleanup()

    def test_a_scene_runs_records_and_measures(self):
        p = saltus("run", "./ball.yaml", "--json", cwd=self.folder.name)
        self.assertEqual(p.returncode, 0, p.stderr)
        d = json.loads(p.stdout)
        self.assertAlmostEqual(d["measures"]["height"], 0, delta=1e-5)
        self.assertAlmostEqual(d["measures"]["lost"], 2, delta=1e-5)
        self.assertEqual(len(read(os.path.join(self.folder.name, "ball.csv")).splitlines()), 502)
        same = json.loads(saltus("run", "bouncing-ball", "--json").stdout)
        self.assertEqual(len(d["events"]), len(same["events"]))

    def test_fields_and_parameters_can_be_set(self):
        p = saltus("run", self.file, "--json", "-p", "m=2", "--set", "run.t_end=0.5", "--set", "record.csv=b.csv",
                   cwd=self.folder.name)
        self.assertEqual(p.returncode, 0, p.stderr)
        d = json.loads(p.stdout)
        self.assertEqual((d["t"], d["parameters"]["m"]), (0.5, 2))
        for words, *args in (("has no parameter 'mm'", "-p", "mm=1"), ("command line: run.tend", "--set", "run.tend=1"),
                             ("written path.to.field=value", "--set", "x")):
            p = saltus("run", self.file, *args)
            self.assertEqual(p.returncode, 2)
            self.assertIn(words, p.stderr)

    def test_a_sweep_tabulates_the_measures_of_the_scene(self):
        p = saltus("sweep", self.file, "--over", "e=0:0.8:3", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        rows = json.loads(p.stdout)["rows"]
        self.assertEqual(len(rows), 3)
        self.assertEqual(set(rows[0]["measures"]), {"height", "lost"})

    def test_check_tells_all_errors_with_their_places(self):
        p = saltus("check", self.file)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertIn("good; 1 coordinates", p.stdout)
        with open(self.file, "w") as file:
            file.write(BALL.replace("mass: {z: m}", "masss: {z: m}").replace("m*g*z", "m*g*z + z"))
        p = saltus("check", self.file)
        self.assertEqual(p.returncode, 2)
        self.assertIn("ball.yaml:4:1: masss: unknown field (did you mean 'mass'?)", p.stderr)
        self.assertIn("do not fit\n  m*g*z + z\n        ^", p.stderr)
        self.assertEqual(json.loads(saltus("check", self.file, "--json").stdout)["status"], "failed")

    def test_scenes_of_other_kinds_run_sweep_and_draw(self):
        folder = os.path.join(os.path.dirname(__file__), "../../examples/scenes")
        slide, hammer, drum = (os.path.join(folder, f"{name}.yaml") for name in ("cubic-slide", "bar-hammer", "drum"))
        d = json.loads(saltus("run", slide, "--json").stdout)
        self.assertEqual(d["measures"]["opened"], 1)
        p = saltus("sweep", slide, "--over", "c=0:0.1:2", "--measure", "final.v", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(len(json.loads(p.stdout)["rows"]), 2)
        # parameters of the scene, then those of its ready system
        d = json.loads(saltus("run", hammer, "-p", "m=0.5", "-p", "E=400", "--json").stdout)
        self.assertEqual((d["parameters"]["m"], d["parameters"]["E"]), (0.5, 400))
        p = saltus("check", drum)
        self.assertIn("good; 132 coordinates", p.stdout)
        picture = os.path.join(self.folder.name, "drum.svg")
        p = saltus("run", drum, "--t-end", "0.01", "--snapshot", picture)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(read(picture).count("<circle"), 45)

    def test_schema_and_reference_come_from_the_fields(self):
        d = json.loads(saltus("schema").stdout)
        self.assertEqual(d["required"], ["saltus"])
        self.assertIn("gap", d["properties"]["contacts"]["additionalProperties"]["properties"])
        page = saltus("schema", "--reference").stdout
        kept = read(os.path.join(os.path.dirname(__file__), "../../docs/scene-reference.md"))
        self.assertEqual(page, kept, "saltus schema --reference > docs/scene-reference.md makes it anew")


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
            self.assertTrue(lines[3].startswith("1.5,nan,failed,"))
            self.assertIn("[0, 1]", lines[3])

    def test_interrupt_and_resume(self):
        with tempfile.TemporaryDirectory() as folder:
            csv = os.path.join(folder, "s.csv")
            command = ("sweep", "bouncing-ball", "--over", "e=0.9:1:400", "--h", "1e-3", "--t-end", "20", "--measure", "final.u[0]", "--measure", "events", "-o")
            p = subprocess.Popen([SALTUS, *command, csv, "--threads", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            deadline = time.time() + 30
            while time.time() < deadline and (not os.path.exists(csv + ".journal") or read(csv + ".journal").count("\n") < 10):
                time.sleep(0.005)
            p.send_signal(signal.SIGINT)
            _, err = p.communicate(timeout=60)
            self.assertEqual(p.returncode, 1)
            self.assertIn("--resume", err)
            partial = read(csv).splitlines()
            self.assertTrue(9 < len(partial) < 401, len(partial))
            self.assertEqual(read(csv + ".journal").count("\n"), len(partial))
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


class Reproduce(unittest.TestCase):
    def test_list(self):
        p = saltus("reproduce", "--list")
        self.assertEqual(p.returncode, 0, p.stderr)
        ids = [s["id"] for s in json.loads(saltus("reproduce", "--list", "--json").stdout)["studies"]]
        for item in ("fig-2", "fig-3", "fig-4", "fig-5", "local-errors", "lemma-1", "propositions", "theorem-1"):
            self.assertIn(f"acary-2012/{item}", ids)
            self.assertIn(f"acary-2012/{item}", p.stdout)
        for item in ("tableau", "fig-2", "fig-3", "fig-4", "fig-5", "fig-8", "fig-9", "fig-10", "fig-11", "fig-12", "fig-13", "table-7",
                     "fig-14"):
            self.assertIn(f"studer-2008/{item}", ids)
        for item in [f"fig-{k}" for k in range(2, 12)] + ["table-1", "a-stability"]:
            self.assertIn(f"james-2020/{item}", ids)

    def test_items_give_verdicts_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            acary = (("lemma-1", 0), ("local-errors", 4), ("propositions", 1), ("fig-4", 1), ("theorem-1", 0))
            studer = (("fig-3", 0), ("fig-4", 0), ("fig-5", 1), ("fig-8", 0), ("fig-9", 0), ("fig-10", 0), ("fig-11", 1),
                      ("fig-12", 0), ("fig-13", 0), ("fig-14", 0))
            james = (("fig-3", 0), ("fig-4", 0), ("fig-5", 0), ("fig-6", 0), ("fig-7", 0), ("fig-8", 0), ("fig-9", 1),
                     ("a-stability", 0))
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
                self.assertGreater(len(read(os.path.join(folder, paper, item + ".csv")).splitlines()), 10)
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
                (("contact", "solve", "none.fcp"), ("none.fcp", "opened")),
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
