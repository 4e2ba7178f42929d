#!/usr/bin/env python3
"""Scene files on the command line: test_scenes.py PATH-TO-SALTUS"""
import json
import os
import tempfile
import unittest

from program import BALL, read, saltus


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
        same = json.loads(saltus("run", "bouncing-ball", "--h", "1e-3", "--json").stdout)
        self.assertEqual(len(d["events"]), len(same["events"]))

    def test_fields_and_parameters_can_be_set(self):
        p = saltus("run", self.file, "--json", "-p", "m=2", "--set", "run.t_end=0.5", "--set", "record.csv=b.csv",
                   cwd=self.folder.name)
        self.assertEqual(p.returncode, 0, p.stderr)
        d = json.loads(p.stdout)
        self.assertEqual((d["t"], d["parameters"]["m"]), (0.5, 2))
        p = saltus("run", self.file, "--json", "--set", "run.scheme=moreau-jean:gamma=0.5", "--set",
                   "run.scheme.theta=0.75", cwd=self.folder.name)
        self.assertEqual(json.loads(p.stdout)["method"]["scheme"], "moreau-jean:theta=0.75,gamma=0.5")
        for words, *args in (("has no parameter 'mm'", "-p", "mm=1"), ("command line: run.tend", "--set", "run.tend=1"),
                             ("written path.to.field=value", "--set", "x"),
                             ("command line: run.h: --set: the value is missing", "--set", "run.h="),
                             ("run.scheme.theta: moreau-jean.theta = 3 is not allowed", "--set",
                              "run.scheme=moreau-jean:gamma=0.5", "--set", "run.scheme.theta=3"),
                             ("which has 2, 0 to 1", "--set", "record.what=[z, z]", "--set", "record.what.7=z")):
            p = saltus("run", self.file, *args)
            self.assertEqual(p.returncode, 2)
            self.assertIn(words, p.stderr)

    def test_a_scheme_that_is_replaced_need_not_fit(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "scenes", "van-der-pol.yaml")
        wrong = ("run", path, "--set", "run.scheme=moreau-jean")  # for mechanical systems
        self.assertEqual(saltus(*wrong).returncode, 2)
        p = saltus(*wrong, "--scheme", "rk")
        self.assertEqual(p.returncode, 0, p.stderr)

    def test_a_record_stays_in_the_folder_of_the_run(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            os.symlink(elsewhere, os.path.join(self.folder.name, "link"))
            os.symlink(os.path.join(elsewhere, "none.csv"), os.path.join(self.folder.name, "dangling.csv"))
            for name in ("dangling.csv", "link/ball.csv", "../ball.csv", "/ball.csv"):
                p = saltus("check", "ball.yaml", "--set", "record.csv=" + name, cwd=self.folder.name)
                self.assertEqual(p.returncode, 2, name)
                self.assertIn("leaves the folder of the run", p.stderr)
        p = saltus("run", "ball.yaml", "--set", "record.csv=ball.yaml", cwd=self.folder.name)
        self.assertEqual(p.returncode, 2)
        self.assertIn("this is the scene itself", p.stderr)
        self.assertEqual(read(self.file), BALL)

    def test_a_sweep_tabulates_the_measures_of_the_scene(self):
        p = saltus("sweep", self.file, "--over", "e=0:0.8:3", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        rows = json.loads(p.stdout)["rows"]
        self.assertEqual(len(rows), 3)
        self.assertEqual(set(rows[0]["measures"]), {"height", "lost"})

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
        for command in (["check"], ["run"], ["sweep", "--over", "h=list:1,2"]):
            d = json.loads(saltus(command[0], self.file, "--json", *command[1:]).stdout)
            self.assertEqual(d["status"], "failed")
            places = {c["path"]: (c["file"], c["line"], c["column"]) for c in d["complaints"]}
            self.assertEqual(places["masss"], (self.file, 4, 1))
            self.assertEqual(sorted(places), ["mass", "masss", "potential"])
            self.assertEqual(d["message"].count("\n"), p.stderr.count("\n") - 1)

    def test_schema_and_reference_come_from_the_fields(self):
        d = json.loads(saltus("schema").stdout)
        self.assertEqual(d["required"], ["saltus"])
        self.assertIn("gap", d["properties"]["contacts"]["additionalProperties"]["properties"])
        page = saltus("schema", "--reference").stdout
        kept = read(os.path.join(os.path.dirname(__file__), "../../docs/reference/scene-reference.md"))
        self.assertEqual(page, kept, "saltus schema --reference > docs/reference/scene-reference.md makes it anew")


if __name__ == "__main__":
    unittest.main(verbosity=1)
