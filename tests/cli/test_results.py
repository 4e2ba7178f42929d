#!/usr/bin/env python3
"""Files of results and checkpoints: test_results.py PATH-TO-SALTUS"""
import json
import math
import os
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

from program import SALTUS, InFolder, python_with_h5py, read, saltus


class Results(InFolder):
    def ran(self, name, *args, problem="bouncing-ball"):
        p = saltus("run", *([problem] if problem else []), "--json", "-o", self.path(name), *args)
        self.assertEqual(p.returncode, 0, p.stderr)
        return json.loads(p.stdout)

    def info(self, name):
        p = saltus("info", self.path(name), "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        return json.loads(p.stdout)

    def test_a_run_is_written_described_and_exported(self):
        d = self.ran("ball.h5", "--h", "1e-3")
        self.assertEqual(d["files"], [self.path("ball.h5")])
        i = self.info("ball.h5")
        self.assertEqual((i["status"], i["problem"], i["complete"]), ("finished", "bouncing-ball", True))
        self.assertEqual(i["samples"], d["stats"]["steps"] + 1)
        self.assertEqual(sum(i["events"].values()), len(d["events"]))
        self.assertEqual(i["method"]["scheme"], d["method"]["scheme"])
        self.ran("ball.csv", "--h", "1e-3")
        p = saltus("export", self.path("ball.h5"), "--to", "csv", "-o", self.path("again.csv"))
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(read(self.path("again.csv")), read(self.path("ball.csv")))
        self.assertIn("bouncing-ball", saltus("info", self.path("ball.h5")).stdout)

    # The pendulum at rest against its stop: the weight of 10 N hangs on the pivot, whose moment the stop balances.
    def test_levels_of_generalized_alpha_are_in_every_format(self):
        method = ("--scheme", "generalized-alpha", "--t-end", "3")
        d = self.ran("rest.h5", *method, problem="bouncing-pendulum")
        self.ran("rest.csv", *method, problem="bouncing-pendulum")
        p = saltus("export", self.path("rest.h5"), "--to", "csv", "-o", self.path("again.csv"))
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(read(self.path("again.csv")), read(self.path("rest.csv")))
        lines = read(self.path("rest.csv")).splitlines()
        row = dict(zip(lines[0].split(","), map(float, lines[-1].split(","))))
        h = 3 / (len(lines) - 2)
        for name, force in (("pivot:0", -10), ("pivot:1", 10), ("pendulum/stop", 10)):
            self.assertAlmostEqual(row["lambda:" + name], force, delta=1e-6)
            self.assertAlmostEqual(row["reaction:" + name], force, delta=1e-6)
            self.assertAlmostEqual(row["impulse:" + name], force * h, delta=1e-6 * h)
        for k in range(3):
            self.assertAlmostEqual(row[f"vdot{k}"], 0, delta=1e-6)
            self.assertEqual(row[f"vdot{k}"], d["levels"]["vdot"][k])
            self.assertEqual(row[f"a{k}"], d["levels"]["a"][k])
        first = dict(zip(lines[0].split(","), map(float, lines[1].split(","))))
        self.assertEqual(first["a0"], first["vdot0"])  # the start
        # thinned, impulses are summed up: those of the pivot balance gravity and the change of momentum
        self.ran("thin.csv", *method, "--every", "50", problem="bouncing-pendulum")
        total = [sum(float(line.split(",")[lines[0].split(",").index("impulse:pivot:1")])
                     for line in read(self.path(name)).splitlines()[1:]) for name in ("rest.csv", "thin.csv")]
        self.assertAlmostEqual(total[0], total[1], delta=1e-9)
        self.ran("ball.csv")
        self.assertNotIn("vdot", read(self.path("ball.csv")).splitlines()[0])

    def test_compare_knows_the_same_from_the_similar(self):
        self.ran("a.h5")
        self.ran("b.h5")
        self.ran("c.h5", "--h", "1e-4")
        same = json.loads(saltus("compare", self.path("a.h5"), self.path("b.h5"), "--json").stdout)
        self.assertTrue(same["same_final_bits"])
        self.assertEqual(max(same["distance"].values()), 0)
        p = saltus("compare", self.path("a.h5"), self.path("c.h5"), "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        other = json.loads(p.stdout)
        self.assertFalse(other["same_final_bits"])
        self.assertGreater(other["distance"]["u_sup"], 10 * other["distance"]["u_hausdorff"])  # jumps a little late

    def test_streaming_keeps_no_trajectory_in_memory(self):
        d = self.ran("thin.h5", "--h", "1e-3", "--every", "100", "--no-error")
        self.assertIsNone(d["events"])
        i = self.info("thin.h5")
        self.assertLess(i["samples"], d["stats"]["steps"] / 5)
        self.assertGreater(sum(i["events"].values()), 0)

    def test_plots(self):
        self.ran("ball.h5")
        p = saltus("plot", self.path("ball.h5"), "--what", "history,phase,energy,events,modes", "-o", self.path("f.svg"))
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("phase portrait", read(self.path("f.svg")))
        p = saltus("plot", self.path("ball.h5"), "--what", "histroy")
        self.assertEqual(p.returncode, 2)
        self.assertIn("history, phase", p.stderr)
        p = saltus("plot", self.path("ball.h5"), "--components", "7")
        self.assertEqual(p.returncode, 2)

    def test_mistakes_are_named(self):
        for args, words in ((("info", self.path("none.h5")), "none.h5"), (("export", self.path("x.h5")), "x.h5"),
                            (("run", "bouncing-ball", "-o", self.path("no/folder.h5")), "no such folder")):
            p = saltus(*args)
            self.assertEqual(p.returncode, 2, args)
            self.assertIn(words, p.stderr)
        self.ran("ball.h5")
        p = saltus("export", self.path("ball.h5"), "--to", "xls")
        self.assertEqual(p.returncode, 2)
        self.assertIn("csv", p.stderr)

    def test_every_try_of_switching_is_written(self):
        """Tries that are taken and not dropped are the steps of the run; CSV and HDF5 have the same."""
        table = self.path("tries.csv")
        d = self.ran("fall.csv", "--tries", table, problem="falling-mass")
        self.assertIn(table, d["files"])
        head, *rows = [line.split(",") for line in read(table).splitlines()]
        self.assertEqual(head, ["t", "h", "order", "outcome", "taken", "drops"])
        self.assertEqual(len(rows), d["stats"]["calculated"])
        self.assertEqual(sum(int(r[4]) - int(r[5]) for r in rows), d["stats"]["steps"])
        self.assertEqual(sum(r[3] == "detected" for r in rows), d["stats"]["detections"])
        self.assertEqual({r[3] for r in rows}, {"success", "inaccurate", "detected", "resolved"})
        p = saltus("run", "bouncing-ball", "--tries", table)
        self.assertEqual(p.returncode, 2)
        self.assertIn("stepping fixed", p.stderr)
        python = python_with_h5py()
        if not python:
            self.skipTest("no Python with h5py (package python3-h5py)")
        self.ran("again.csv", "--tries", self.path("tries.h5"), problem="falling-mass")
        script = ("import h5py, sys\n"
                  "f = h5py.File(sys.argv[1])['tries']\n"
                  "text = lambda x: x.decode() if isinstance(x, bytes) else str(x)\n"
                  "names = text(f.attrs['outcomes']).split(',')\n"
                  "print(len(f['t']), sum(map(int, f['taken'][:])) - sum(map(int, f['drops'][:])),\n"
                  "      sum(names[k] == 'detected' for k in f['outcome'][:]), max(f['order'][:]))\n")
        p = subprocess.run([python, "-c", script, self.path("tries.h5")], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual([int(x) for x in p.stdout.split()],
                         [d["stats"]["calculated"], d["stats"]["steps"], d["stats"]["detections"],
                          max(int(r[2]) for r in rows)])

    def test_a_killed_run_leaves_a_file_that_opens(self):
        child = subprocess.Popen([SALTUS, "run", "bouncing-ball", "--h", "1e-8", "--every", "1000", "--no-error", "-o",
                                  self.path("killed.h5")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            time.sleep(0.05)
            if os.path.exists(self.path("killed.h5")) and os.path.getsize(self.path("killed.h5")) > 20000:
                break
        child.kill()
        child.wait()
        i = self.info("killed.h5")
        self.assertFalse(i["complete"])
        self.assertGreaterEqual(i["samples"], 1)

    def test_a_run_that_is_cut_ends_in_the_same_bits(self):
        self.ran("whole.h5", "--h", "1e-3", "--t-end", "3")
        self.ran("first.h5", "--h", "1e-3", "--t-end", "3", "--checkpoint", "every=700,file=" + self.path("ball.ckpt"))
        p = saltus("resume", self.path("ball.ckpt"), "-o", self.path("rest.h5"), "--json")  # from step 2800 of 3000
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(json.loads(p.stdout)["stats"]["steps"], 3000)
        self.assertEqual(self.info("rest.h5")["samples"], 201)
        d = json.loads(saltus("compare", self.path("whole.h5"), self.path("rest.h5"), "--json").stdout)
        self.assertTrue(d["same_final_bits"])
        self.assertEqual(d["distance"]["u_sup"], 0)
        for args, words in ((("run", "bouncing-ball", "--checkpoint", "every=0"), "at least 1"),
                            (("run", "bouncing-ball", "--checkpoint", "often=1"), "every=STEPS"),
                            (("resume", self.path("whole.h5")), "not a checkpoint")):
            p = saltus(*args, cwd=self.folder.name)
            self.assertEqual(p.returncode, 2, args)
            self.assertIn(words, p.stderr)

    def test_a_killed_run_goes_on_with_its_file(self):
        for args in (("bouncing-ball", "--h", "1e-4", "--t-end", "5"), ("falling-mass", "--stepping", "switching:h_min=1e-7")):
            self.ran("whole.h5", *args, problem=None)
            child = subprocess.Popen([SALTUS, "run", *args, "--checkpoint", "every=100,file=" + self.path("run.ckpt"), "-o",
                                      self.path("part.h5")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while child.poll() is None and not os.path.exists(self.path("run.ckpt")):
                time.sleep(0.002)
            child.kill()
            child.wait()
            p = saltus("resume", self.path("run.ckpt"), "--json")
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertEqual(json.loads(p.stdout)["files"], [self.path("part.h5"), self.path("run.ckpt")])
            for name in ("whole", "part"):
                self.assertEqual(saltus("export", self.path(name + ".h5"), "--to", "csv").returncode, 0)
            with open(self.path("whole.csv")) as a, open(self.path("part.csv")) as b:
                self.assertEqual(a.read(), b.read())
            a, b = self.info("whole.h5"), self.info("part.h5")
            for key in ("samples", "events", "status", "state_hash"):
                self.assertEqual(a[key], b[key], key)
            os.remove(self.path("run.ckpt"))

    def test_memory_does_not_grow_with_ten_million_steps(self):
        peak = []
        for h in ("5e-4", "5e-7"):  # 10⁴ and 10⁷ steps; the child of a shell, so that the shell can tell its peak
            script = ("import resource, subprocess, sys; p = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
                      "print(p.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            p = subprocess.run([sys.executable, "-c", script, SALTUS, "run", "bouncing-ball", "--h", h, "--every", "1000",
                                "--no-error", "-o", self.path("long.h5")], capture_output=True, text=True)
            code, kilobytes = map(int, p.stdout.split())
            self.assertEqual(code, 0)
            peak.append(kilobytes)
        self.assertGreater(self.info("long.h5")["samples"], 10000)
        self.assertLess(peak[1], peak[0] + 4000, "kB at the peak")

    def grid(self, file):
        """Points, cells by type, and arrays of a VTU file."""
        piece = xml.etree.ElementTree.parse(file).getroot().find("UnstructuredGrid/Piece")
        arrays = {}
        for a in piece.iter("DataArray"):
            values, n = [float(x) for x in a.text.split()], int(a.get("NumberOfComponents"))
            arrays[a.get("Name")] = values if n == 1 else [values[i:i + n] for i in range(0, len(values), n)]
        self.assertEqual(len(arrays["position"]), int(piece.get("NumberOfPoints")))
        self.assertEqual(len(arrays["types"]), int(piece.get("NumberOfCells")))
        self.assertEqual(len(arrays["connectivity"]), arrays["offsets"][-1] if arrays["offsets"] else 0)
        return arrays

    def exported(self, *args, parts=2):
        p = saltus("run", *args, "--no-error", "-o", self.path("run.h5"))
        self.assertEqual(p.returncode, 0, p.stderr)
        p = saltus("export", self.path("run.h5"), "--to", "vtu", "--every", "1")
        self.assertEqual(p.returncode, 0, p.stderr)
        frames = xml.etree.ElementTree.parse(self.path("run.pvd")).getroot().findall("Collection/DataSet")
        times = [float(f.get("timestep")) for f in frames]
        self.assertEqual(times, sorted(times))
        return [self.grid(self.path(f.get("file"))) for f in frames[-parts:]]

    def test_paraview_gets_bodies_in_space(self):
        scene = self.path("box.yaml")
        with open(scene, "w") as f:
            f.write("saltus: 1\nmaterials: {default: {mu: 0.5}}\nspace:\n  bodies:\n"
                    "    box: {shape: box, size: [2, 1, 1], mass: 3, position: [0.3, 0, 0.5], axis_angle: [0, 0, 1, 0.5]}\n"
                    "    ball: {shape: sphere, radius: 0.2, mass: 1, position: [5, 0, 3], spin: [0, 2, 0]}\n"
                    "  walls: {floor: {normal: [0, 0, 1]}}\nrun: {t_end: 0.1, h: 1e-3}\n")
        bodies, contacts, centres = self.exported(scene, parts=3)
        self.assertAlmostEqual(sum(f[2] for f in contacts["force"]), 3 * 9.81, delta=1e-6)
        corners = sorted((x, y) for x, y, z in contacts["position"])
        expected = sorted((0.3 + a * math.cos(0.5) - b * math.sin(0.5), a * math.sin(0.5) + b * math.cos(0.5))
                          for a in (-1, 1) for b in (-0.5, 0.5))
        for a, b in zip(corners, expected, strict=True):
            self.assertAlmostEqual(math.dist(a, b), 0, delta=1e-8)
        self.assertAlmostEqual(centres["orientation"][0][3], math.sin(0.25), delta=1e-8)
        turn = math.cos(0.1), math.sin(0.1)  # the ball: 2 rad/s about y for 0.1 s
        self.assertAlmostEqual(math.dist(centres["orientation"][1], (turn[0], 0, turn[1], 0)), 0, delta=1e-8)
        self.assertEqual(centres["spin"][1], [0, 2, 0])
        at = centres["position"][1]
        ends = [0, *map(int, bodies["offsets"])]
        for k, body in enumerate(bodies["body"]):  # faces of the ball are on it
            for c in bodies["connectivity"][ends[k]:ends[k + 1]]:
                if body == 1:
                    self.assertAlmostEqual(math.dist(bodies["position"][int(c)], at), 0.2, delta=1e-7)

    def test_paraview_gets_bodies_and_contact_forces(self):
        bodies, contacts = self.exported("disk-mixer", "-p", "n=20", "--t-end", "0.05", "--every", "20")
        self.assertEqual(len(bodies["types"]), 21)  # and the drum
        for p, k in zip(contacts["position"], contacts["body"]):  # a contact is on the rim of its disk
            rim = bodies["position"][int(bodies["offsets"][int(k)]) - 32:int(bodies["offsets"][int(k)])]
            centre = [sum(x[i] for x in rim) / 32 for i in range(2)]
            self.assertAlmostEqual(math.dist(centre, p[:2]), math.dist(centre, rim[0][:2]), delta=1e-6)
        scene = self.path("box.yaml")
        with open(scene, "w") as f:
            f.write("saltus: 1\nmaterials: {default: {mu: 0.5}}\nwalls: {floor: {point: [0, 0], normal: [0, 1]}}\n"
                    "bodies: {box: {shape: box, size: [2, 1], mass: 3, position: [0.3, 0.5]}}\nrun: {t_end: 0.1, h: 1e-3}\n")
        bodies, contacts = self.exported(scene)
        self.assertEqual(sorted(map(tuple, contacts["position"])), [(-0.7, 0, 0), (1.3, 0, 0)])
        self.assertAlmostEqual(sum(f[1] for f in contacts["force"]), 3 * 9.81, delta=1e-6)
        bodies, contacts = self.exported("bouncing-ball", "--h", "0.01")  # no picture: a graph
        self.assertEqual((len(bodies["types"]), len(contacts["types"])), (1, 0))
        self.assertAlmostEqual(bodies["force"][0][1], 2, delta=1e-6)  # it rests

    def test_every_example_scene_can_be_written(self):
        folder = os.path.join(os.path.dirname(__file__), "../../examples/scenes")
        for name in sorted(os.listdir(folder)):
            p = saltus("run", os.path.join(folder, name), "--t-end", "0.01", "--no-error", "-o", self.path("scene.h5"))
            self.assertEqual(p.returncode, 0, name + p.stderr)
            self.assertGreater(self.info("scene.h5")["samples"], 1, name)

    def test_an_old_result_stays_until_a_run_begins(self):
        self.ran("keep.h5")
        before = self.info("keep.h5")
        for args in (("--checkpoint", "evry=10"), ("-p", "q0=-1"), ("--h", "1e-10"), ("--stepping", "event-capturing")):
            p = saltus("run", "bouncing-ball", "-o", self.path("keep.h5"), *args, cwd=self.folder.name)
            self.assertNotEqual(p.returncode, 0, args)
            self.assertEqual(self.info("keep.h5"), before, args)
        for args in (("export", self.path("keep.h5"), "-o", "./keep.h5"), ("plot", self.path("keep.h5"), "-o", "./keep.h5")):
            p = saltus(*args, cwd=self.folder.name)
            self.assertEqual(p.returncode, 2, args)
            self.assertEqual(self.info("keep.h5"), before, args)
        self.assertEqual(os.listdir(self.folder.name), ["keep.h5"])

    def test_resume_leaves_the_file_of_another_run_alone(self):
        self.ran("b.h5", "--every", "10", "--checkpoint", "every=700,file=" + self.path("b.ckpt"))
        self.ran("b.h5", "-p", "e=0.3")
        before = self.info("b.h5")
        p = saltus("resume", self.path("b.ckpt"))
        self.assertEqual(p.returncode, 2)
        self.assertIn("parameters is another", p.stderr)
        self.assertEqual(self.info("b.h5"), before)
        os.remove(self.path("b.h5"))
        self.assertIn("b.h5: no such file", saltus("resume", self.path("b.ckpt")).stderr)
        p = saltus("resume", self.path("b.ckpt"), "-o", self.path("rest.h5"))
        self.assertEqual(p.returncode, 0, p.stderr)

    def test_checkpoints_do_not_blow_up_the_file(self):
        size = []
        for every in ("1000000", "20"):
            self.ran("size.h5", "--h", "1e-3", "--no-error", "--checkpoint", f"every={every},file=" + self.path("s.ckpt"))
            size.append(os.path.getsize(self.path("size.h5")))
        self.assertLess(size[1], 1.5 * size[0])

    def test_without_gnuplot_there_is_a_word_and_the_report(self):
        self.ran("ball.h5")
        p = saltus("plot", self.path("ball.h5"), env={"PATH": "/nonexistent"})
        self.assertEqual(p.returncode, 2)
        self.assertIn("gnuplot", p.stderr)
        p = saltus("run", "bouncing-ball", "--figure", self.path("f.svg"), env={"PATH": "/nonexistent"})
        self.assertIn("gnuplot", p.stderr)
        self.assertIn("status    finished", p.stdout)
        self.assertEqual(os.listdir(self.folder.name), ["ball.h5"])

    def test_a_scene_is_resumed_with_its_text_and_measures(self):
        scene = self.path("ball.yaml")
        with open(scene, "w") as f:
            f.write("saltus: 1\ncoordinates: {z: {start: 1}}\nmass: {z: 1}\nforces: {z: -2}\n"
                    "contacts: {floor: {gap: z, law: {name: unilateral, e: 0.5}}}\nrun: {t_end: 5, h: 1e-3}\n"
                    "measure: {fastest: max.z', hits: events.impact, when: argmax.z'}\n")
        whole = json.loads(saltus("run", scene, "--set", "coordinates.z.start=2", "--json").stdout)
        p = saltus("run", scene, "--set", "coordinates.z.start=2", "--checkpoint", "every=4000,file=" + self.path("s.ckpt"))
        self.assertEqual(p.returncode, 0, p.stderr)
        os.remove(scene)
        rest = json.loads(saltus("resume", self.path("s.ckpt"), "--json").stdout)
        self.assertEqual(rest["measures"], whole["measures"])

    def test_the_layout_is_what_the_manual_says(self):
        python = python_with_h5py()
        if not python:
            self.skipTest("no Python with h5py (package python3-h5py)")
        d = self.ran("ball.h5")
        script = ("import h5py, json, sys\n"
                  "f = h5py.File(sys.argv[1])\n"
                  "e = f['events']; i = int(e['sample'][0]); u = f['samples/u'][:, 0]\n"
                  "names = {}\n"
                  "f.visititems(lambda n, o: names.update({n: [o.shape[0], o.maxshape[0], bool(o.chunks), o.compression]}) "
                  "if isinstance(o, h5py.Dataset) else None)\n"
                  "text = lambda x: x.decode() if isinstance(x, bytes) else str(x)\n"
                  "print(json.dumps({'sides': [u[i - 1], u[i]], 'kind': text(f.attrs['kinds']).split(',')[e['kind'][0]],\n"
                  "  'names': names, 'layout': int(f.attrs['layout']), 'status': text(f.attrs['status']),\n"
                  "  'scheme': text(f.attrs['scheme']), 'impulse': e['impulse'][0][0], 't': e['t'][0],\n"
                  "  'contact': text(f['names/name'][0])}))\n")
        p = subprocess.run([python, "-c", script, self.path("ball.h5")], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        h = json.loads(p.stdout)
        first = d["events"][0]
        self.assertEqual((h["layout"], h["status"], h["kind"]), (1, "finished", first["kind"]))
        self.assertEqual(h["t"], first["t"])
        self.assertLess(h["sides"][0], 0)
        self.assertGreater(h["sides"][1], 0)
        self.assertEqual(h["contact"], first["contact"])
        self.assertEqual(h["scheme"], d["method"]["scheme"])
        for name, (rows, most, chunked, compression) in h["names"].items():
            self.assertIsNone(most, name)
            self.assertTrue(chunked and compression == "gzip", name)
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/reference/results.md")) as manual:
            text = manual.read()
        for name in h["names"]:
            self.assertIn(name.split("/")[-1], text)


if __name__ == "__main__":
    unittest.main(verbosity=1)
