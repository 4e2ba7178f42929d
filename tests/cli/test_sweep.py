#!/usr/bin/env python3
"""Where the points of sweeps come from (grids, tables, samples), and that they can be many."""
import csv
import json
import os
import statistics
import subprocess
import time
import unittest

from program import BALL, InFolder, SALTUS, journal_rows, read, saltus

FALL = """saltus: 1
parameters: {m: 1 kg, g: 2 m/s^2, v: 0 m/s}
coordinates: {z: {start: 1 m, velocity: v}}
mass: {z: m}
potential: m*g*z
run: {t_end: 1 s, h: 0.5 s}
measure: {height: final.z}
"""  # no contact: z = 1 + v - g/2, which Moreau's midpoint has to rounding


class Sweeps(InFolder):
    def json(self, *args, code=0, **kwargs):
        p = saltus("sweep", *args, "--json", **kwargs)
        self.assertEqual(p.returncode, code, p.stderr)
        return json.loads(p.stdout)

    def refused(self, *args, words):
        p = saltus("sweep", *args, "--json")
        self.assertEqual(p.returncode, 2, (args, p.stdout, p.stderr))
        self.assertIn(words, p.stderr, args)
        self.assertEqual(json.loads(p.stdout)["status"], "failed")

    def table(self, path):
        with open(path, newline="") as file:
            return list(csv.DictReader(file))


class Points(Sweeps):
    def test_a_table_of_points(self):
        points = self.path("points.csv")
        with open(points, "w") as f:
            f.write("# chosen by hand\ng,coordinates.z.start\n2, 1\n 4,\"50 cm\"\n\n9.81,2\n")
        scene = self.scene(FALL)
        out = self.json(scene, "--over-file", points)
        self.assertEqual(out["over"], [])
        self.assertEqual(out["over_file"], {"file": points, "names": ["g", "coordinates.z.start"], "points": 3})
        self.assertEqual([r["point"] for r in out["rows"]],
                         [{"g": "2", "coordinates.z.start": "1"}, {"g": "4", "coordinates.z.start": "50 cm"},
                          {"g": "9.81", "coordinates.z.start": "2"}])
        for row, height in zip(out["rows"], (0, -1.5, 2 - 9.81 / 2)):
            self.assertAlmostEqual(row["measures"]["height"], height, delta=1e-12)
        out = self.json(scene, "--over-file", points, "--over", "v=0:1:2")  # the product; lines of the file vary faster
        self.assertEqual([(r["point"]["v"], r["point"]["g"]) for r in out["rows"]],
                         [(v, g) for v in "01" for g in ("2", "4", "9.81")])

    def test_bad_tables_name_file_and_line(self):
        scene, points = self.scene(FALL), self.path("p.csv")
        for text, words in (("g,v\n1,2\n3\n", f"{points}:3: 1 cells"), ("g,g\n1,2\n", "two columns"), ("", "empty"), ("g\n", "only the names"),
                            ("gg\n1\n", "no such parameter (did you mean 'g'"), ("g\n1,\n", f"{points}:2: cell 2 is empty"),
                            ("coordinates.z.strat\n1\n", "did you mean 'start'")):
            with open(points, "w") as f:
                f.write(text)
            self.refused(scene, "--over-file", points, words=words)
        with open(points, "w") as f:
            f.write("g\n1\n")
        self.refused(scene, "--over-file", points, "--over", "g=1:2:2", words="given twice")
        self.refused(scene, "--over-file", points, "-p", "g=1", words="given twice")
        self.refused(scene, "--over-file", self.path("none.csv"), words="no such file")
        self.refused(scene, words="nothing varies")

    def test_samples(self):
        scene = self.scene(FALL)
        args = (scene, "--sample", "g=uniform(1, 3)", "--sample", "v=normal(0, 0.5)", "--points", "400", "--seed", "7")
        out = self.json(*args)
        self.assertEqual(out["samples"], {"points": 400, "sampling": "random", "seed": 7, "parameters": [
            {"name": "g", "distribution": "uniform(1, 3)"}, {"name": "v", "distribution": "normal(0, 0.5)"}]})
        g = [float(r["point"]["g"]) for r in out["rows"]]
        v = [float(r["point"]["v"]) for r in out["rows"]]
        self.assertTrue(all(1 < x < 3 for x in g))
        self.assertLess(abs(sum(g) / 400 - 2), 5 * (1 / 3) ** 0.5 / 20)  # five standard errors
        self.assertLess(abs(sum(x * x for x in v) / 400 - 0.25), 5 * 0.25 * 2 ** 0.5 / 20)
        for row, a, b in zip(out["rows"], g, v):
            self.assertAlmostEqual(row["measures"]["height"], 1 + b - a / 2, delta=1e-12)
        more = self.json(*args[:-3], "500", *args[-2:], "--threads", "2")  # more points: the first ones stay
        self.assertEqual(more["rows"][:400], out["rows"])
        self.assertNotEqual(self.json(*args[:-1], "8")["rows"][0]["point"], out["rows"][0]["point"])

    def test_sobol(self):
        scene = self.scene(FALL)
        out = self.json(scene, "--sample", "g=uniform(0, 1)", "--sample", "v=uniform(0, 1)", "--points", "8", "--sampling", "sobol")
        self.assertEqual([(float(r["point"]["g"]), float(r["point"]["v"])) for r in out["rows"]],  # Joe and Kuo's
                         [(0, 0), (.5, .5), (.75, .25), (.25, .75), (.375, .375), (.875, .875), (.625, .125), (.125, .625)])
        self.assertIsNone(out["samples"]["seed"])
        out = self.json(scene, "--sample", "g=uniform(0, 1)", "--sample", "v=normal(0, 1)", "--points", "64", "--sampling", "sobol",
                        "--seed", "3")
        self.assertEqual(sorted(int(64 * float(r["point"]["g"])) for r in out["rows"]), list(range(64)))
        many = [x for k in range(32) for x in ("--sample", f"p{k}=uniform(0, 1)")]
        names = ", ".join(f"p{k}: 0" for k in range(32))
        wide = self.scene(FALL.replace("parameters: {", "parameters: {" + names + ", "), "wide.yaml")
        self.assertEqual(len(self.json(wide, *many, "--points", "4", "--sampling", "sobol")["rows"][0]["point"]), 32)

    def test_bad_samples(self):
        scene, one = self.scene(FALL), ("--sample", "g=uniform(1, 2)")
        for args, words in (((*one, "--points", "10"), "--seed"), ((*one, "--seed", "1"), "--points"),
                            ((*one, "--points", "0", "--seed", "1"), "allowed are 1 to"), ((*one, "--points", "x", "--seed", "1"), "--points"),
                            ((*one, "--points", "10", "--seed", "-1"), "--seed -1"), ((*one, "--points", "10", "--seed", "1.5"), "--seed"),
                            ((*one, "--points", "10", "--seed", "1", "--sampling", "halton"), "random, sobol"),
                            (("--sample", "g=unifrom(1, 2)", "--points", "10", "--seed", "1"), "did you mean 'uniform'"),
                            (("--sample", "g=uniform(2, 1)", "--points", "10", "--seed", "1"), "a < b"),
                            (("--sample", "q=uniform(1, 2)", "--points", "10", "--seed", "1"), "no such parameter"),
                            (("--sample", "g=normal(1, 2)", "--points", "10", "--sampling", "sobol"), "--seed"),
                            (("--over", "g=1:2:2", "--points", "10"), "no samples"), (("--over", "g=1:2:2", "--seed", "1"), "no samples"),
                            ((*one, *one, "--points", "10", "--seed", "1"), "given twice"),
                            ((*one, "--over", "g=1:2:2", "--points", "10", "--seed", "1"), "given twice"),
                            ((*one, "--points", "10000001", "--seed", "1"), "allowed are"),
                            ((*one, "--points", "3000000", "--seed", "1"), "need -o"),
                            ((*one, "--sample", "v=uniform(0, 1)", "--points", "9", "--seed", "1", "--figure", "f.svg"), "one parameter")):
            self.refused(scene, *args, words=words)
        self.assertFalse(os.path.exists("f.svg"))

    def test_figures_of_samples_are_dots(self):
        figure = self.path("f.svg")
        p = saltus("sweep", self.scene(FALL), "--sample", "g=uniform(1, 3)", "--points", "50", "--seed", "1", "--figure", figure)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("<svg", read(figure))


class Reductions(Sweeps):
    SAMPLES = ("--sample", "g=uniform(1, 3)", "--sample", "v=normal(0, 0.5)", "--points", "1000", "--seed", "7")

    def test_statistics_of_the_rows(self):
        scene = self.scene(FALL)
        heights = sorted(r["measures"]["height"] for r in self.json(scene, *self.SAMPLES)["rows"])
        out = self.json(scene, *self.SAMPLES, "--reduce", "mean,sd,min,max", "--reduce", "quantile=0.05:0.5", "--reduce", "histogram=10:-1:1")
        self.assertNotIn("rows", out)
        self.assertEqual(out["by"], [])
        (group,) = out["reductions"][0]["groups"]
        self.assertEqual((out["reductions"][0]["measure"], group["points"], group["count"]), ("height", 1000, 1000))
        self.assertAlmostEqual(group["mean"], statistics.fmean(heights), delta=1e-15)
        self.assertAlmostEqual(group["sd"], statistics.stdev(heights), delta=1e-14)
        self.assertAlmostEqual(group["standard_error"], statistics.stdev(heights) / 1000 ** 0.5, delta=1e-15)
        self.assertEqual((group["min"], group["max"]), (heights[0], heights[-1]))
        self.assertEqual([q["p"] for q in group["quantiles"]], [0.05, 0.5])
        self.assertAlmostEqual(group["quantiles"][0]["value"], heights[49] + 0.95 * (heights[50] - heights[49]), delta=1e-14)
        self.assertAlmostEqual(group["quantiles"][1]["value"], statistics.median(heights), delta=1e-14)
        counts = group["histogram"]["counts"]
        self.assertEqual(sum(counts) + group["histogram"]["below"] + group["histogram"]["above"], 1000)
        self.assertEqual(counts[5], sum(0 <= x < 0.2 for x in heights))

    def test_groups_and_maps(self):
        scene, table, figure = self.scene(FALL), self.path("r.csv"), self.path("f.svg")
        out = self.json(scene, "--over", "g=1:3:3", "--sample", "v=uniform(0, 1)", "--points", "200", "--seed", "1", "--reduce", "mean,sd",
                        "--by", "g", "--figure", figure, "--reduced", table)
        self.assertEqual(out["by"], [{"name": "g", "values": ["1", "2", "3"]}])
        groups = out["reductions"][0]["groups"]
        self.assertEqual([g["at"] for g in groups], [{"g": "1"}, {"g": "2"}, {"g": "3"}])
        for g, value in zip(groups, (1, 2, 3)):  # height = 1 + v - g/2
            self.assertAlmostEqual(g["mean"], 1.5 - value / 2, delta=5 * g["standard_error"])
        self.assertEqual(groups[0]["mean"] - groups[1]["mean"], groups[1]["mean"] - groups[2]["mean"])  # the same samples
        self.assertIn("<svg", read(figure))
        self.assertEqual(out["files"], [table, figure])
        rows = self.table(table)
        self.assertEqual([(r["g"], float(r["value"])) for r in rows if r["statistic"] == "mean"], [(g["at"]["g"], g["mean"]) for g in groups])
        # without --by g the same samples are there three times: no standard error
        out = self.json(scene, "--over", "g=1:3:3", "--sample", "v=uniform(0, 1)", "--points", "200", "--seed", "1", "--reduce", "mean")
        self.assertNotIn("standard_error", out["reductions"][0]["groups"][0])
        out = self.json(scene, *self.SAMPLES, "--reduce", "mean", "--by", "g=4", "--by", "v=5", "--figure", figure)
        self.assertEqual(out["by"][0]["edges"], [1, 1.5, 2, 2.5, 3])
        self.assertEqual(len(out["by"][1]["edges"]), 6)
        self.assertEqual(sum(g["count"] for g in out["reductions"][0]["groups"]), 1000)

    def test_the_same_bytes_on_any_number_of_threads_and_after_a_resume(self):
        scene = self.scene(BALL)
        args = ("sweep", scene, "--sample", "e=uniform(0.3, 1.1)", "--points", "600", "--seed", "2", "--reduce", "summary,histogram=7",
                "--by", "e=3")
        texts = [saltus(*args, "--json", "--threads", n).stdout for n in ("1", "2", "5")]
        self.assertEqual(len(set(texts)), 1)
        out = json.loads(texts[0])
        self.assertGreater(out["failed"], 0)  # e > 1
        last = out["reductions"][0]["groups"][2]
        self.assertLess(last["count"], last["points"])
        self.assertNotIn("mean_error", last)  # the scene has a step: no error bars
        out = json.loads(saltus(*args, "--rtol", "1e-8", "--json").stdout)
        self.assertLess(out["reductions"][0]["groups"][0]["mean_error"], 1e-6)

    def test_mistakes(self):
        scene = self.scene(FALL)
        for args, words in ((("--reduce", "men"), "did you mean 'mean'"), (("--by", "g"), "--reduce"), (("--reduced", "x.csv"), "--reduce"),
                            (("--reduce", "mean", "--by", "q"), "does not vary"), (("--reduce", "mean", "--by", "g=0"), "intervals"),
                            (("--reduce", "mean", "--figure", "f.svg"), "nothing to draw"),
                            (("--reduce", "mean", "--by", "g", "--by", "g"), "twice"), (("--reduce", "quantile=2"), "0 to 1")):
            self.refused(scene, *self.SAMPLES, *args, words=words)


class Many(Sweeps):
    def test_a_killed_sweep_of_samples_goes_on(self):
        scene, whole, cut = self.scene(BALL), self.path("whole.csv"), self.path("cut.csv")
        args = ("sweep", scene, "--sample", "e=uniform(0.3, 0.9)", "--sample", "g=normal(2, 0.1)", "--points", "2000", "--seed", "5")
        p = subprocess.Popen([SALTUS, *args, "-o", cut], stdout=subprocess.DEVNULL)
        while p.poll() is None and (not os.path.exists(cut + ".journal") or len(journal_rows(cut + ".journal", 2)) < 20):
            time.sleep(0.002)
        p.kill()
        p.wait()
        kept = len(journal_rows(cut + ".journal", 2))
        self.assertTrue(20 <= kept < 2000, kept)
        for change in (("--seed", "6"), ("--points", "2001"), ("--sampling", "sobol")):
            other = saltus(*args, *change, "-o", cut, "--resume") if change[0] == "--sampling" else saltus(
                *[change[1] if a == change[0] else x for a, x in zip(("",) + args, args)], "-o", cut, "--resume")
            self.assertEqual(other.returncode, 2, change)
            self.assertIn("another sweep", other.stderr)
        with open(scene, "a") as f:
            f.write("# another scene\n")
        self.assertIn("another sweep", saltus(*args, "-o", cut, "--resume").stderr)
        self.scene(BALL)
        self.assertEqual(saltus(*args, "-o", cut, "--resume").returncode, 0)
        self.assertEqual(saltus(*args, "-o", whole, "--threads", "1").returncode, 0)
        self.assertEqual(read(cut), read(whole))
        self.assertEqual(len(self.table(whole)), 2000)
        self.assertFalse(os.path.exists(cut + ".journal"))

    def test_two_sweeps_do_not_share_a_journal(self):
        args = ("sweep", "bouncing-ball", "--over", "e=0.9:0.95:4000", "--t-end", "20", "--measure", "steps", "-o", self.path("x.csv"))
        p = subprocess.Popen([SALTUS, *args], stdout=subprocess.DEVNULL)
        while p.poll() is None and not os.path.exists(self.path("x.csv.journal")):
            time.sleep(0.002)
        for more in ((), ("--resume",)):
            other = saltus(*args, *more)
            self.assertEqual(other.returncode, 2, other.stderr)
            self.assertIn("writing the journal" if more else "--resume", other.stderr)
        p.kill()
        p.wait()

    def test_twenty_thousand_points_in_bounded_memory(self):
        """A row costs 32 bytes on the disk and 8 in memory, and a point below 100 µs over its run (here mostly the run itself)."""
        scene, table = self.scene(FALL), self.path("t.csv")
        args = ("--over", "g=1:3:200", "--over", "v=0:1:100", "-o", table, "--threads", "2", "--no-estimate")
        p = saltus("sweep", scene, *args)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("… and 19975 more", p.stdout)
        rows = self.table(table)
        self.assertEqual(len(rows), 20000)
        for row in rows[::997]:
            self.assertAlmostEqual(float(row["height"]), 1 + float(row["v"]) - float(row["g"]) / 2, delta=1e-12)


if __name__ == "__main__":
    unittest.main()
