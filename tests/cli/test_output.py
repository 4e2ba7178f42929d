#!/usr/bin/env python3
"""What the program leaves behind: no output is lost with exit code 0, no text of a user is run, any bytes are printed."""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

from program import BALL, SALTUS, SANITIZED, read, saltus

SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "scenes")
FULL = "/dev/full"


def bytes_run(*args, **kwargs):
    return subprocess.run([SALTUS, *args], capture_output=True, timeout=120, **kwargs)


class InAFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.before = os.getcwd()
        os.chdir(self.folder.name)

    def tearDown(self):
        os.chdir(self.before)
        self.folder.cleanup()

    def scene(self, text, name="scene.yaml"):
        with open(name, "w", encoding="utf-8") as f:
            f.write(text)
        return name


class NothingIsRun(InAFolder):
    """Backquotes, $(…) and quotes in names of files, coordinates, contacts and measures are names."""

    NAMES = ("`touch RUN`.svg", "$(touch RUN).svg", "a'; system 'touch RUN'; 'b.svg", 'a"; system "touch RUN"; "b.svg', "a\n!touch RUN\n.svg", "EOD.svg")

    def test_a_figure_named_by_a_scene(self):
        scene = self.scene("saltus: 1\ncoordinates: {z: {start: 1}}\nmass: {z: 1}\nrun: {t_end: 1, h: 0.1}\n"
                           'record: {figure: "`touch RUN`.svg"}\n')
        p = saltus("run", scene)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(sorted(os.listdir()), ["`touch RUN`.svg", "scene.yaml"])

    def test_a_figure_named_on_the_command_line(self):
        for name in self.NAMES:
            p = saltus("run", "bouncing-ball", "--h", "0.1", "--no-error", "--figure", name)
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertEqual(os.listdir(), [name])
            xml.dom.minidom.parse(name)
            os.remove(name)

    def test_a_scene_file_whose_name_is_a_command(self):
        for name in self.NAMES:
            scene = self.scene(BALL.replace("record: {csv: ball.csv, every: 10}\n", ""), name.replace(".svg", ".yaml"))
            for more in (("run", scene, "--figure", "f.svg"), ("run", scene, "-o", "r.h5"), ("plot", "r.h5", "-o", "p.svg"),
                         ("sweep", scene, "--over", "e=0:1:2", "--figure", "s.svg")):
                p = saltus(*more)
                self.assertEqual(p.returncode, 0, p.stderr)
            self.assertEqual(sorted(os.listdir()), sorted(["f.svg", "r.h5", "p.svg", "s.svg", scene]))
            for figure in ("f.svg", "p.svg", "s.svg"):
                xml.dom.minidom.parse(figure)
            os.remove(scene)

    def test_names_of_measures_and_of_results(self):
        p = saltus("sweep", "bouncing-ball", "--over", "e=0:0.5:3", "--measure", "`touch RUN`' = steps", "--figure", "m.svg")
        self.assertIn(p.returncode, (0, 2), p.stderr)  # a name that is refused is fine, too
        self.assertNotIn("RUN", os.listdir())
        saltus("run", "bouncing-ball", "-o", "x.h5", "--h", "0.1")
        os.rename("x.h5", "`touch RUN`.h5")
        p = saltus("plot", "`touch RUN`.h5")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertNotIn("RUN", os.listdir())

    def test_names_inside_a_file_of_results(self):
        python = next((p for p in (sys.executable, "/usr/bin/python3")
                       if os.path.exists(p) and subprocess.run([p, "-c", "import h5py"], capture_output=True).returncode == 0), None)
        if not python:
            self.skipTest("no Python with h5py (package python3-h5py)")
        saltus("run", "bouncing-ball", "-o", "x.h5", "--h", "0.01")
        evil = "`touch RUN`' \"`touch RUN`\" $(touch RUN)"
        script = ("import h5py, sys, numpy\nwith h5py.File('x.h5', 'r+') as f:\n    evil = sys.argv[1].encode()\n"
                  "    del f.attrs['attributes_checksum']  # as files of old have none\n"
                  "    for key in ('problem', 'scheme', 'coordinates'):\n        f.attrs[key] = numpy.bytes_(evil)\n"
                  "    f['names/name'][0] = evil\n")
        subprocess.run([python, "-c", script, evil], check=True)
        p = saltus("plot", "x.h5", "--what", "history,phase,energy,events,modes", "-o", "p.svg")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(sorted(os.listdir()), ["p.svg", "x.h5"])
        self.assertGreater(read("p.svg").count("`touch RUN`"), 4)


class NothingIsLost(InAFolder):
    COMMANDS = (("list",), ("list", "--json"), ("--help",), ("--version",), ("run", "--help"), ("run", "bouncing-ball", "--h", "0.1"),
                ("run", "bouncing-ball", "--h", "0.1", "--json"), ("schema",), ("reproduce", "--list"), ("reproduce", "--list", "--json"),
                ("restitution", "--e", "0.5"), ("converge", "bouncing-ball", "--h", "0.1,0.05", "--json"),
                ("sweep", "bouncing-ball", "--over", "e=0:1:2", "--measure", "steps"), ("doctor", "--json"))

    def test_a_full_standard_output_is_no_success(self):
        for args in self.COMMANDS:
            with open(FULL, "w") as full:
                p = subprocess.run([SALTUS, *args], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
            self.assertEqual(p.returncode, 1, args)
            self.assertIn("standard output failed", p.stderr, args)

    def test_a_closed_standard_output_is_no_success_and_no_file_gets_the_text(self):
        p = subprocess.run(["sh", "-c", 'exec "$0" run bouncing-ball --h 0.1 -o x.csv >&-', SALTUS], stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(p.returncode, 1)
        self.assertIn("standard output failed", p.stderr)
        self.assertTrue(read("x.csv").startswith("t,q0,u0\n"))

    def test_bad_input_stays_bad_input(self):
        with open(FULL, "w") as full:
            p = subprocess.run([SALTUS, "run", "no-such-problem", "--json"], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(p.returncode, 2)

    def test_a_reader_that_leaves_is_no_crash(self):
        for ignored in (False, True):
            p = subprocess.Popen([SALTUS, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 restore_signals=not ignored)
            p.stdout.close()
            words = p.stderr.read()
            p.stderr.close()
            p.wait(60)
            self.assertIn(p.returncode, (-signal.SIGPIPE, 1))
            self.assertLessEqual(len(words.splitlines()), 1)

    def test_files_that_do_not_fit_are_an_error_and_leave_nothing(self):
        def little_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        commands = (("run", "bouncing-ball", "--figure", "x.svg"), ("run", "bouncing-ball", "--space-time", "x.png"), ("run", "bouncing-ball", "-o", "x.csv"),
                    ("run", "disk-mixer", "-p", "n=40", "--t-end", "0.01", "--snapshot", "x.svg"),
                    ("sweep", "bouncing-ball", "--over", "e=0:0.5:60", "--measure", "steps", "--figure", "x.svg"),
                    ("converge", "bouncing-ball", "--h", "0.1,0.05", "--figure", "x.svg"),
                    ("converge", "bouncing-ball", "--h", "0.1:0.05:30", "-o", "x.csv"))
        for args in commands:
            p = saltus(*args, preexec_fn=little_room)
            self.assertIn(p.returncode, (1, 2), args)
            self.assertIn("x.", p.stderr, args)
            self.assertNotIn("wrote x.", p.stdout, args)
            self.assertEqual(os.listdir(), [], args)

    def test_devices_are_written_as_they_are(self):
        p = saltus("run", "bouncing-ball", "--h", "0.5", "--no-error", "-o", "/dev/stdout")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("t,q0,u0\n", p.stdout)
        p = saltus("run", "bouncing-ball", "-o", FULL)
        self.assertIn(p.returncode, (1, 2))
        self.assertIn("the disk is full", p.stderr)

    def test_wrong_names_of_figures_are_refused_before_the_run(self):
        saltus("run", "bouncing-ball", "--h", "0.1", "-o", "r.h5")
        long = ("run", "bouncing-ball", "--t-end", "1e6", "--h", "1e-9", "--every", "1000000000", "--no-error")
        for args, words in (((*long, "--figure", "a.pdf"), "--figure a.pdf"), ((*long, "--space-time", "a.jpg"), "--space-time a.jpg"),
                            (("run", "disk-mixer", "-p", "n=20", "--t-end", "1e6", "--snapshot", "a.png"), "--snapshot a.png"),
                            ((*long, "--figure", "nowhere/a.svg"), "no such folder"), ((*long, "-o", "nowhere/a.csv"), "no such folder"),
                            ((*long, "-o", "a.svg", "--figure", "./a.svg"), "same file"),
                            (("plot", "r.h5", "-o", "a.pdf"), "-o a.pdf"), (("plot", "r.h5", "-o", "nowhere/a.svg"), "no such folder"),
                            (("converge", "bouncing-ball", "--h", "1e-7", "--figure", "a.eps"), "--figure a.eps"),
                            (("work-precision", "bouncing-ball", "--h", "1e-7", "--figure", "a.eps"), "--figure a.eps"),
                            (("sweep", "bouncing-ball", "--over", "e=0:1:100", "--h", "1e-7", "--measure", "steps", "--figure", "a"), "--figure a")):
            p = saltus(*args)
            self.assertEqual(p.returncode, 2, args)
            self.assertIn(words, p.stderr, args)
            if "same" not in words and "folder" not in words:
                self.assertIn(".svg", p.stderr)
            self.assertEqual(os.listdir(), ["r.h5"], args)

    def test_a_figure_that_was_asked_for_and_is_missing_is_no_success(self):
        bare = {"PATH": "/nonexistent"}
        for args in (("run", "bouncing-ball", "--h", "0.1", "-o", "x.csv", "--figure", "f.svg"),
                     ("converge", "bouncing-ball", "--h", "0.1,0.05", "-o", "x.csv", "--figure", "f.svg"),
                     ("sweep", "bouncing-ball", "--over", "e=0:1:2", "--measure", "steps", "-o", "x.csv", "--figure", "f.svg")):
            p = saltus(*args, "--json", env=bare)
            self.assertEqual(p.returncode, 1, args)
            self.assertIn("gnuplot-nox", p.stderr)
            report = json.loads(p.stdout)
            self.assertEqual(report["files"], ["x.csv"])
            self.assertIn("gnuplot", report["trouble"])
            self.assertEqual(os.listdir(), ["x.csv"])
            os.remove("x.csv")

    def test_links_in_the_way_are_not_followed(self):
        with open("victim", "w") as f:
            f.write("mine")
        for name in ("x.svg.part", "x.csv.part"):
            os.symlink("victim", name)
        p = saltus("run", "bouncing-ball", "--h", "0.1", "-o", "x.csv", "--figure", "x.svg")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(read("victim"), "mine")


class AnyBytes(InAFolder):
    """With --json stdout is one object, whatever bytes the arguments and scenes have."""

    BAD = b"\xff\xfe\xc3("

    def one_object(self, *args):
        p = bytes_run(*args)
        self.assertIn(p.returncode, (0, 1, 2), (args, p.stderr))
        return json.loads(p.stdout.decode("utf-8")), p

    def test_in_arguments(self):
        bad = self.BAD
        for args in ((b"run", bad), (b"run", b"bouncing-ball", b"-p", bad + b"=1"), (b"run", b"bouncing-ball", b"--scheme", bad),
                     (b"run", b"bouncing-ball", b"--h", bad), (b"run", b"./" + bad + b".yaml"), (b"run", b"bouncing-ball", b"--" + bad),
                     (b"converge", bad), (b"work-precision", bad), (b"sweep", bad, b"--over", b"e=0:1:2"), (b"check", bad),
                     (b"sweep", b"bouncing-ball", b"--over", b"e=0:1:2", b"--measure", bad), (b"info", bad), (b"compare", bad, bad),
                     (b"list", bad), (b"contact", b"info", bad), (b"contact", b"solve", bad), (b"reproduce", bad), (b"restitution", b"--e", bad),
                     (b"resume", bad)):
            report, p = self.one_object(*args, b"--json")
            self.assertEqual(p.returncode, 2, args)
            self.assertEqual(report["status"], "failed")

    def test_in_the_names_of_files(self):
        name = self.BAD + b".csv"
        report, p = self.one_object(b"run", b"bouncing-ball", b"--h", b"0.1", b"-o", name, b"--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn(name, os.listdir(b"."))
        self.assertIn("\ufffd", report["files"][0])

    def test_in_a_scene(self):
        for place in (b"title: %s\n", b"coordinates: {%s: {start: 1}}\n", b"measure: {%s: t_end}\n", b"# %s\n"):
            with open("s.yaml", "wb") as f:
                f.write(b"saltus: 1\ncoordinates: {z: {start: 1}}\nmass: {z: 1}\nrun: {t_end: 1, h: 0.1}\n" + place % self.BAD)
            for command in (b"run", b"check"):
                self.one_object(command, b"s.yaml", b"--json")


class Figures(InAFolder):
    def test_every_family_has_one(self):
        for name in ("van-der-pol", "bouncing-ball", "newtons-cradle", "pendulum", "dominoes"):
            file = os.path.join(SCENES, name + ".yaml")
            if not os.path.exists(file):
                continue
            for figure in ("f.svg", "f.png"):
                p = saltus("run", file, "--t-end", "0.5", "--no-error", "--figure", figure)
                self.assertEqual(p.returncode, 0, (name, p.stderr))
                self.assertIn("wrote", p.stdout)
                self.assertGreater(os.path.getsize(figure), 2000)
            xml.dom.minidom.parse("f.svg")

    def test_an_ordinary_differential_equation_shows_its_coordinates(self):
        p = saltus("run", os.path.join(SCENES, "van-der-pol.yaml"), "--figure", "v.svg")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("van-der-pol", read("v.svg"))

    def test_a_run_of_no_time_has_a_figure(self):
        p = saltus("run", "bouncing-ball", "--t-end", "0", "--figure", "f.svg")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("<svg", read("f.svg"))


@unittest.skipIf(SANITIZED, "sanitizers need memory of their own")
class Memory(unittest.TestCase):
    def test_a_run_that_is_not_compared_builds_no_reference(self):
        def peak(*args):
            code = ("import resource, subprocess, sys\nsubprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
                    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            p = subprocess.run(["python3", "-c", code, SALTUS, *args], capture_output=True, text=True, timeout=120)
            self.assertEqual(p.returncode, 0, p.stderr)
            return int(p.stdout) / 1024  # MB
        args = ("run", "impact-oscillator", "--t-end", "1e5", "--h", "1", "--every", "1000")
        self.assertLess(peak(*args, "--no-error"), 60)
        self.assertLess(peak(*args, "--no-error", "--json"), 60)


if __name__ == "__main__":
    unittest.main()
