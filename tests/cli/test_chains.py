#!/usr/bin/env python3
"""Chains on the command line: scenes, forces in files, pictures, sweeps, checkpoints: test_chains.py PATH-TO-SALTUS"""
import csv
import json
import os
import re
import subprocess
import time
import unittest

from program import InFolder, python_with_h5py, read, saltus

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
STEEL = """saltus: 1
parameters: {speed: 0.44 m/s}
chain:
  beads: 21
  radius: 4.76 mm
  material: steel
  restitution: 0.97 at 0.5 m/s
  defects: [{at: 0, velocity: speed}]
  right: {material: steel}
run: {t_end: 0.3 ms, scheme: gauss-2, h: 0.5 us}
measure: {inside: "max.force[10]", when: "argmax.force[10]", wall: "max.force[-1]", front: front.speed, last: arrival(-1)}
"""
RANDOM = """saltus: 1
parameters: {seed: 1}
chain:
  beads: 60
  radius: {normal: [5 mm, 0.3 mm], seed: seed}
  material: brass
  damping: 0.05 us
  preload: 1 N
  defects: [{at: 0, velocity: 0.2 m/s}]
run: {t_end: 0.2 ms, h: 0.5 us}
measure: {t: transmitted}
"""


class Chains(InFolder):
    def ran(self, *args):
        p = saltus("run", *args, "--json", cwd=self.folder.name)
        self.assertEqual(p.returncode, 0, p.stderr)
        return json.loads(p.stdout)

    def rows(self, name):
        with open(self.path(name)) as f:
            return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]

    def test_forces_of_contacts_are_those_of_the_states_and_of_the_measures(self):
        scene = self.scene(STEEL)
        d = self.ran(scene, "--forces", "f.csv", "--contacts", "5,10,-1", "-o", "states.csv")
        forces, states = self.rows("f.csv"), self.rows("states.csv")
        self.assertEqual([r["t"] for r in forces], [r["t"] for r in states])
        self.assertEqual(list(forces[0]), ["t"] + [f"{q}[{n}]" for n in (5, 10, 21) for q in ("overlap", "force", "energy")])
        # Hertz: R* = R/2 between beads, R at the wall
        E, nu, R = 193e9, 0.3, 4.76e-3
        for n, k in ((5, 4 / 3 * E / (2 * (1 - nu**2)) * (R / 2)**0.5), (21, 4 / 3 * E / (2 * (1 - nu**2)) * R**0.5)):
            for f, s in zip(forces, states):
                overlap = s[f"q{n - 1}"] - (s[f"q{n}"] if n < 21 else 0)
                self.assertAlmostEqual(f[f"overlap[{n}]"], overlap, delta=1e-18)
                elastic = 0.4 * k * max(overlap, 0)**2.5
                self.assertAlmostEqual(f[f"energy[{n}]"], elastic, delta=1e-12 * elastic)
        peak = max(forces, key=lambda r: r["force[10]"])
        self.assertAlmostEqual(d["measures"]["inside"], peak["force[10]"], delta=2e-3 * peak["force[10]"])
        self.assertGreaterEqual(d["measures"]["inside"], peak["force[10]"])
        self.assertAlmostEqual(d["measures"]["when"], peak["t"], delta=0.5e-6)
        self.assertIn("f.csv", d["files"])

    def test_times_and_contacts_can_be_chosen_and_agree_in_hdf5(self):
        scene = self.scene(STEEL)
        self.ran(scene, "--forces", "a.csv", "--contacts", "1:20:5", "--every", "10us")
        a = self.rows("a.csv")
        self.assertEqual(len(a), 31)
        self.assertEqual(list(a[0])[1::3], [f"overlap[{n}]" for n in (1, 6, 11, 16)])
        self.ran(scene, "--forces", "b.csv", "--contacts", "6", "--at", "50us,1e-4")
        b = self.rows("b.csv")
        for r, t in zip(b, (5e-5, 1e-4), strict=True):  # 50us is rounded
            self.assertAlmostEqual(r["t"], t, delta=1e-18)
        for r in b:
            same = min(a, key=lambda x: abs(x["t"] - r["t"]))
            self.assertAlmostEqual(r["force[6]"], same["force[6]"], delta=1e-9)
        # between steps the cubic is nearly as good as smaller steps
        coarse, fine = (self.ran(scene, "--h", h, "--forces", name, "--contacts", "6", "--at", "60.3us")
                        and self.rows(name)[0]["force[6]"] for h, name in (("1us", "c.csv"), ("0.1us", "d.csv")))
        self.assertAlmostEqual(coarse, fine, delta=2e-3 * abs(fine))
        python = python_with_h5py()
        if not python:
            self.skipTest("h5py is not installed")
        self.ran(scene, "--forces", "a.h5", "--contacts", "1:20:5", "--every", "10us")
        code = ("import h5py, json; f = h5py.File('a.h5')['contacts']; "
                "print(json.dumps([f['t'][:].tolist(), f['number'][:].tolist(), f['force'][:].tolist(), "
                "[str(f[x].attrs['unit']) for x in ('t', 'overlap', 'force', 'energy')]]))")
        p = subprocess.run([python, "-c", code], cwd=self.folder.name, capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        t, numbers, force, units = json.loads(p.stdout)
        self.assertEqual(numbers, [1, 6, 11, 16])
        self.assertEqual(t, [r["t"] for r in a])
        self.assertEqual(force, [[r[f"force[{n}]"] for n in numbers] for r in a])
        self.assertEqual([u.strip("b'") for u in units], ["s", "m", "N", "J"])

    def test_a_scene_records_forces_and_figures_have_units(self):
        scene = self.scene(STEEL + "record: {forces: forces.csv, contacts: [1, '10:12'], every: 20}\n")
        d = self.ran(scene, "--space-time", "w.svg", "--profiles", "p.svg", "--quantity", "force", "--at", "50us,0.1ms", "--set",
                     "record.every=1", "--figure", "q.svg", "--force-figure", "f.svg")
        self.assertEqual(sorted(d["files"]), ["f.svg", "forces.csv", "p.svg", "q.svg", "w.svg"])
        self.assertEqual(len(self.rows("forces.csv")[0]), 1 + 3 * 4)
        for name, words in (("w.svg", ["normal force [N]", "contact (number)", "t [s]"]),
                            ("p.svg", ["force [N]", "contact (number)", "t = 5e-05 s", "t = 0.0001 s"]),
                            ("f.svg", ["force [N]", "t [s]", "contact 1", "contact 12"]),
                            ("q.svg", ["[m]", "[m/s]"])):
            for word in words:
                self.assertIn(word, read(self.path(name)), name)

    def test_the_page_on_disorder_has_the_means_of_other_seeds(self):
        """Its scene, with thirty seeds that it did not use, comes to the means of its table within four standard errors."""
        page = read(os.path.join(DOCS, "how-to", "disorder.md"))
        scene = self.scene(re.search(r"```yaml\n# disorder.yaml\n(.*?)```", page, re.S)[1])
        table = [[x.split() for x in line.strip("| ").split("|")] for line in page.splitlines() if re.match(r"\| 0\.\d+ \|", line)]
        known = {float(spread[0]): [(float(near[0]), float(near_sd[0])), (float(far[0]), float(far_sd[0]))]
                 for spread, near, near_sd, far, far_sd in table}
        self.assertEqual(len(known), 7)
        p = saltus("sweep", scene, "--over", "spread=list:0.05,0.2", "--over", "seed=5001:5030:30", "--reduce", "mean", "--by", "spread", "--reduced",
                   self.path("d.csv"))
        self.assertEqual(p.returncode, 0, p.stderr)
        means = [(float(r["spread"]), r["measure"], float(r["value"]))
                 for r in csv.DictReader(read(self.path("d.csv")).splitlines()) if r["statistic"] == "mean"]
        self.assertEqual(len(means), 4)
        for spread, measure, mean in means:
            expected, sd = known[spread][measure == "far"]
            self.assertAlmostEqual(mean, expected, delta=4 * sd / 30**0.5, msg=(spread, measure))

    def test_a_sweep_over_seeds_is_the_same_on_any_number_of_threads(self):
        scene = self.scene(RANDOM)
        for threads in ("1", "2"):
            p = saltus("sweep", scene, "--over", "seed=1:6:6", "--threads", threads, "-o", self.path(f"{threads}.csv"))
            self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(read(self.path("1.csv")), read(self.path("2.csv")))
        values = [r["t"] for r in csv.DictReader(read(self.path("1.csv")).splitlines())]
        self.assertEqual(len(set(values)), 6)
        p = saltus("sweep", scene, "--over", "chain.preload=1:3:3", "--over", "chain.damping=0:0.1:2", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(len(json.loads(p.stdout)["rows"]), 6)

    def test_a_run_that_was_cut_goes_on_bit_by_bit(self):
        scene = self.scene(RANDOM + "record: {forces: f.csv, contacts: [3]}\n")
        whole = self.ran(scene, "-o", "whole.h5", "--scheme", "kk-irk", "--no-error")
        p = saltus("run", scene, "--scheme", "kk-irk", "--checkpoint", "every=150,file=run.ckpt", "-o", "part.h5", "--t-end", "1e-4", "--no-error",
                   cwd=self.folder.name)
        self.assertEqual(p.returncode, 0, p.stderr)
        p = saltus("resume", "run.ckpt", "--t-end", "2e-4", "--json", cwd=self.folder.name)
        self.assertEqual(p.returncode, 0, p.stderr)
        rest = json.loads(p.stdout)
        self.assertEqual((rest["q"], rest["u"]), (whole["q"], whole["u"]))

    def test_every_scheme_of_chains_runs_the_examples(self):
        folder = os.path.join(os.path.dirname(__file__), "../../examples/scenes")
        for name in ("steel-chain", "disordered-chain"):
            scene = os.path.join(folder, name + ".yaml")
            exact = self.ran(scene, "--rtol", "1e-8")["measures"]
            for scheme in ("gauss-2", "crank-nicolson", "kk-theta", "kk-irk", "additive-theta", "rk:tableau=herk-5", "rk:tableau=radau-iia-5"):
                found = self.ran(scene, "--scheme", scheme)["measures"]
                for measure, value in exact.items():
                    self.assertAlmostEqual(found[measure] / value, 1, delta=0.01, msg=(name, scheme, measure))
            p = saltus("run", scene, "-o", self.path("r.h5"), "--no-error", cwd=self.folder.name)
            self.assertEqual(p.returncode, 0, p.stderr)
            p = saltus("verify", self.path("r.h5"))
            self.assertEqual(p.returncode, 0, p.stdout + p.stderr)

    def test_what_is_not_there_is_refused(self):
        scene = self.scene(STEEL)
        for args, words in ((("--contacts", "1"), "give a file with one of them"),
                            (("--force-figure", "f.svg"), "room for the forces of 8 contacts, not 21"),
                            (("--force-figure", "f.txt", "--contacts", "1"), "--force-figure"),
                            (("--forces", "f.csv", "--contacts", "0"), "these ends are free; there are contacts 1 to 21"),
                            (("--forces", "f.csv", "--contacts", "22"), "there are contacts 0 to 21"),
                            (("--forces", "f.csv", "--contacts", "x"), "--contacts"),
                            (("--forces", "f.csv", "--contacts", "1:9:0"), "FROM:TO:BY"),
                            (("--profiles", "p.txt"), "--profiles"),
                            (("--forces", "no/such/folder/f.csv"), "no/such/folder")):
            p = saltus("run", scene, *args, cwd=self.folder.name)
            self.assertEqual(p.returncode, 2, (args, p.stdout, p.stderr))
            self.assertIn(words, p.stderr)
        p = saltus("run", "bouncing-ball", "--forces", "f.csv", cwd=self.folder.name)
        self.assertEqual(p.returncode, 2)
        self.assertIn("chains of beads", p.stderr)
        p = saltus("check", self.scene(STEEL + "record: {contacts: [1]}\n", "r.yaml"))
        self.assertIn("record.forces", p.stderr)
        p = saltus("check", self.scene("coordinates: {x: {}}\nmass: {x: 1}\nrun: {t_end: 1}\nrecord: {forces: f.csv}\n", "x.yaml"))
        self.assertIn("the scene has none", p.stderr)

    def test_restitution_has_depth_and_force_and_knows_materials(self):
        p = saltus("restitution", "--gamma", "0", "--json")
        row = json.loads(p.stdout)["rows"][0]
        self.assertAlmostEqual(row["depth"], 1.25**0.4, delta=1e-12)  # (5/4)^{2/5}
        self.assertAlmostEqual(row["force"], 1.25**0.6, delta=1e-12)
        p = saltus("restitution", "--e", "0.9", "--material", "steel", "--radius", "5mm", "--velocity", "1 m/s", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        row = json.loads(p.stdout)["rows"][0]
        E, nu, R, rho = 193e9, 0.3, 5e-3, 8000
        k, m = 4 / 3 * E / (2 * (1 - nu**2)) * (R / 2)**0.5, 4 / 3 * 3.141592653589793 * R**3 * rho / 2
        T = (m / k)**0.4
        self.assertAlmostEqual(row["depth_m"] / (row["depth"] * T), 1, delta=1e-12)
        self.assertAlmostEqual(row["force_N"] / (row["force"] * m / T), 1, delta=1e-12)
        for args in (("--material", "steel"), ("--material", "gold", "--radius", "1mm", "--velocity", "1"),
                     ("--material", "steel", "--radius", "1 kg", "--velocity", "1")):
            self.assertEqual(saltus("restitution", "--e", "0.9", *args).returncode, 2)
        listed = json.loads(saltus("list", "materials", "--json").stdout)["materials"]
        self.assertTrue({"steel", "glass", "brass", "aluminium", "PTFE", "cork", "nylon"} <= {m["name"] for m in listed})


class Dashpots(InFolder):
    """beta = 1: the force is largest when the beads touch, gamma k times their speed."""

    def test_the_largest_force_is_that_of_the_touch(self):
        for scheme, h in (("gauss-2", 0.13), ("crank-nicolson", 0.07), ("rk:tableau=herk-4", 0.09)):
            with open("touch.yaml", "w", encoding="utf-8") as f:
                f.write(f"""saltus: 1
chain: {{beads: 2, mass: 1, stiffness: 1, damping: 2, beta: 1, gap: 0.21, defects: [{{at: 0, velocity: 1}}]}}
run: {{t_end: 2, scheme: "{scheme}", h: {h}}}
measure: {{most: "max.force[1]", anywhere: max.force, when: "argmax.force[1]"}}
""")
            p = saltus("run", "touch.yaml", "--json")
            self.assertEqual(p.returncode, 0, p.stderr)
            m = json.loads(p.stdout)["measures"]
            self.assertAlmostEqual(m["when"], 0.21, delta=1e-12, msg=scheme)
            self.assertAlmostEqual(m["most"], 2, delta=1e-11, msg=scheme)
            self.assertEqual(m["most"], m["anywhere"])

    def test_it_converges_with_the_step(self):
        # the first bead is on a spring: it touches the second one at sin(t) = 0.5, with the speed cos(t)
        errors = []
        for h in (0.08, 0.04, 0.02, 0.01):
            with open("touch.yaml", "w", encoding="utf-8") as f:
                f.write(f"""saltus: 1
chain: {{beads: 2, mass: 1, stiffness: 1, damping: 2, beta: 1, gap: 0.5, defects: [{{at: 0, velocity: 1, spring: 1}}]}}
run: {{t_end: 1, scheme: gauss-2, h: {h}}}
measure: {{most: "max.force[1]"}}
""")
            errors.append(abs(json.loads(saltus("run", "touch.yaml", "--json").stdout)["measures"]["most"] - 2 * 0.75 ** 0.5))
        self.assertLess(errors[-1], 1e-4)
        self.assertLess(errors[-1], errors[0] / 20)


class Long(InFolder):
    """100 000 beads."""

    def test_the_report_costs_no_more_than_the_run(self):
        """Entries of JSON objects were searched for one by one: 68 s for two steps, where 0.5 s is enough."""
        began = time.monotonic()
        p = saltus("run", "dimer-chain", "-p", "n=100000", "-p", "reference=none", "--scheme", "rk:tableau=herk-4", "--h", "0.05",
                   "--t-end", "0.1", "--no-error", "--no-estimate", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertLess(time.monotonic() - began, 15)
        self.assertEqual(len(json.loads(p.stdout)["final"]["coordinates"]), 100000)


class Threads(InFolder):
    """One run on several threads."""

    def test_any_number_gives_the_same_bits(self):
        common = ("run", "dimer-chain", "-p", "n=20000", "-p", "disorder=0.1", "-p", "reference=none", "--t-end", "0.3", "--no-error",
                  "--no-estimate", "--scheme", "gauss-2", "--h", "0.1", "--json")
        plain = json.loads(saltus(*common).stdout)
        self.assertNotIn("threads", plain["stats"])
        for n in (1, 2, 3, 8):
            p = saltus(*common, "--threads", str(n))
            self.assertEqual(p.returncode, 0, p.stderr)
            d = json.loads(p.stdout)
            self.assertEqual(d["stats"]["threads"], n)
            self.assertGreater(d["stats"]["wall_seconds"], 0)
            for key in ("q", "u", "energy", "ledger"):
                self.assertEqual(d[key], plain[key], (n, key))

    def test_bad_numbers_are_refused(self):
        for n in ("-1", "2.5", "many", "5000"):
            p = saltus("run", "bouncing-ball", "--threads", n)
            self.assertEqual(p.returncode, 2, n)
            self.assertIn("threads", p.stderr)


class Beside(InFolder):
    """A chain in one scene with other parts, next to the same as a chain alone."""
    COMMON = "beads: %d, mass: 2 g, stiffness: 1e9 N/m^1.5, damping: 0.2 us"

    def run_scene(self, text):
        with open("scene.yaml", "w", encoding="utf-8") as f:
            f.write(text)
        p = saltus("run", "scene.yaml", "--rtol", "1e-9", "--no-estimate", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        return json.loads(p.stdout)["measures"]

    def test_a_striker_on_a_spring_and_a_layer(self):
        alone = self.run_scene("""saltus: 1
chain:
  %s
  defects:
    - {at: 0, mass: 50 g, velocity: 0.3 m/s, spring: 1 N/m}
    - {at: -1, mass: 20 g, spring: 2e6 N/m, drag: 40 N s/m}
run: {t_end: 0.6 ms}
measure: {back: "final.u[0]", inside: "final.u[4]", layer: "final.q[-1]"}
""" % (self.COMMON % 8).replace(", ", "\n  "))
        beside = self.run_scene("""saltus: 1
chain: {%s}
coordinates: {s: {start: 0 m, velocity: 0.3 m/s}, layer: {start: 0 m}}
mass: {s: 50 g, layer: 20 g}
parameters: {K: 1 N/m, k_layer: 2e6 N/m, c_layer: 40 N s/m}
forces: {s: -K*s, layer: -k_layer*layer - c_layer*layer'}
contacts:
  hit: {gap: bead0 - s, law: {name: kuwabara-kono, k: 1e9 N/m^1.5, gamma: 0.2 us}}
  seat: {gap: layer - bead5, law: {name: kuwabara-kono, k: 1e9 N/m^1.5, gamma: 0.2 us}}
run: {t_end: 0.6 ms}
measure: {back: final.s', inside: final.bead3', layer: final.layer}
""" % (self.COMMON % 6))
        for key, value in alone.items():
            self.assertAlmostEqual(beside[key], value, delta=2e-6 * abs(value), msg=key)

    def test_a_body(self):
        free = self.run_scene("""saltus: 1
chain: {%s, left: free}
bodies:
  ball: {shape: disk, radius: 1 cm, mass: 50 g, position: [-1 cm, 0 m], velocity: [0.3 m/s, 0 m/s]}
parameters: {r: 1 cm}
contacts: {hit: {gap: bead0 - ball.x - r, law: {name: hertz, k: 1e9 N/m^1.5}}}
run: {t_end: 0.4 ms}
measure: {momentum: 50e-3*final.ball.x' + 2e-3*(final.bead0' + final.bead1' + final.bead2'), last: final.bead2'}
""" % (self.COMMON % 3))
        self.assertAlmostEqual(free["momentum"], 50e-3 * 0.3, delta=1e-9)
        self.assertGreater(free["last"], 0.3)


if __name__ == "__main__":
    unittest.main()
