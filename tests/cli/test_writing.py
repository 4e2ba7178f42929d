#!/usr/bin/env python3
"""Results where the disk is full, the file may not grow, or another process writes too: test_writing.py PATH-TO-SALTUS"""
import json
import os
import resource
import signal
import subprocess
import time
import unittest

from program import SALTUS, InFolder, read, saltus


class FullDisk(InFolder):
    RUN = ("run", "bouncing-ball", "--h", "2e-5", "--json", "--no-error")

    def check(self, file, p):
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertIn("writing", p.stderr)
        d = json.loads(p.stdout)
        self.assertEqual(d["status"], "failed")
        p = saltus("info", file, "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        i = json.loads(p.stdout)
        self.assertEqual((i["status"], i["complete"]), ("failed", True))
        self.assertIn("writing", i["message"])
        self.assertGreater(i["samples"], 1000)
        p = saltus("export", file, "-o", self.path("part.csv"))
        self.assertEqual(p.returncode, 0, p.stderr)
        part = read(self.path("part.csv")).splitlines()
        self.assertEqual(len(part), i["samples"] + 1)
        p = saltus("run", "bouncing-ball", "--h", "2e-5", "--no-error", "--json", "-o", self.path("whole.csv"))
        self.assertEqual(p.returncode, 0, p.stderr)
        with open(self.path("whole.csv")) as whole:
            for k, line in enumerate(part):
                self.assertEqual(next(whole).rstrip("\n"), line, f"row {k}")

    def test_a_file_that_may_not_grow_keeps_its_good_rows(self):
        limit = 2_000_000
        p = saltus(*self.RUN, "-o", self.path("run.h5"),
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertIn("ulimit", p.stderr)
        self.check(self.path("run.h5"), p)
        self.assertEqual([n for n in os.listdir(self.folder.name) if ".h5" in n], ["run.h5"])

    def test_a_full_disk_keeps_the_good_rows(self):
        disk = self.path("disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True).returncode != 0:
            self.skipTest("a small disk cannot be mounted here (root only)")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        file = os.path.join(disk, "run.h5")
        p = saltus(*self.RUN, "-o", file)
        self.assertIn("the disk is full", p.stderr)
        self.check(file, p)
        self.assertEqual(os.listdir(disk), ["run.h5"])

    def test_a_dump_on_a_full_disk_is_refused_and_leaves_nothing(self):
        for name in ("dump.hdf5", "dump.fcp"):
            p = saltus("run", "disk-mixer", "-p", "n=20", "--t-end", "0.05", "--dump-contact-problem-at", "0.04", "--dump-file",
                       self.path(name), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
            self.assertIn(p.returncode, (1, 2), p.stderr)
            self.assertIn(name, p.stderr)
            if name.endswith(".hdf5"):
                self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_run_that_met_a_full_disk_is_resumed_to_its_end(self):
        checkpoint = self.path("run.ckpt")
        args = ("run", "bouncing-ball", "--h", "5e-5", "--no-error", "--checkpoint", "every=20000,file=" + checkpoint)
        p = saltus(*args, "-o", self.path("run.h5"),
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000)))
        self.assertEqual(p.returncode, 1, p.stderr)
        p = saltus("resume", checkpoint)
        self.assertEqual(p.returncode, 0, p.stderr)
        p = saltus(*args, "-o", self.path("whole.h5"))
        self.assertEqual(p.returncode, 0, p.stderr)
        for name in ("run", "whole"):
            self.assertEqual(saltus("export", self.path(name + ".h5")).returncode, 0)
        self.assertEqual(read(self.path("run.csv")), read(self.path("whole.csv")))


class Races(InFolder):
    ENDLESS = ("run", "bouncing-ball", "--h", "1e-9", "--every", "1000", "--no-error", "-o")

    def start(self, file):
        p = subprocess.Popen([SALTUS, *self.ENDLESS, file], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (p.kill(), p.wait(), p.stderr.close()))
        return p

    def test_of_two_runs_into_one_file_one_writes_and_the_other_says_so(self):
        for k in range(25):
            file = self.path("new.h5")
            both = [self.start(file), self.start(file)]
            end = time.monotonic() + 30
            while all(p.poll() is None for p in both) and time.monotonic() < end:
                time.sleep(0.002)
            winner, loser = [p for p in both if p.poll() is None], [p for p in both if p.poll() is not None]
            self.assertEqual(len(winner), 1, f"race {k}")
            while winner[0].poll() is None and not os.path.exists(file):
                time.sleep(0.002)
            winner[0].send_signal(signal.SIGTERM)
            said = loser[0].communicate()[1]
            self.assertEqual(loser[0].returncode, 2, said)
            self.assertIn("another process is writing", said)
            self.assertEqual((winner[0].communicate()[1].startswith("saltus: interrupted"), winner[0].returncode), (True, 1))
            p = saltus("info", file, "--json")
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertEqual(json.loads(p.stdout)["status"], "interrupted")
            self.assertEqual(os.listdir(self.folder.name), ["new.h5"])
            os.remove(file)

    def test_a_second_run_into_a_file_that_is_written_is_refused(self):
        file = self.path("new.h5")
        first = self.start(file)
        while first.poll() is None and not os.path.exists(file):
            time.sleep(0.002)
        for _ in range(3):
            p = saltus(*self.ENDLESS, file)
            self.assertEqual(p.returncode, 2)
            self.assertIn("another process is writing", p.stderr)
            self.assertEqual(saltus("info", file).returncode, 0)
        first.send_signal(signal.SIGTERM)
        first.communicate()

    def test_readers_beside_a_run_that_ends_are_answered(self):
        for _ in range(5):
            file = self.path("new.h5")
            child = subprocess.Popen([SALTUS, "run", "bouncing-ball", "--h", "5e-6", "--no-error", "-o", file],
                                     stdout=subprocess.DEVNULL)
            while child.poll() is None:
                if os.path.exists(file):
                    p = saltus("info", file)
                    self.assertEqual(p.returncode, 0, p.stderr)
            self.assertEqual(child.returncode, 0)
            os.remove(file)

    def test_links_of_others_are_not_followed(self):
        with open(self.path("precious"), "w") as f:
            f.write("precious")
        os.symlink(self.path("precious"), self.path("run.h5.part"))
        p = saltus("run", "bouncing-ball", "-o", self.path("run.h5"))
        self.assertEqual(p.returncode, 0, p.stderr)
        os.symlink(self.path("precious"), self.path("other.h5.lock"))
        p = saltus("run", "bouncing-ball", "-o", self.path("other.h5"))
        self.assertEqual(p.returncode, 2)
        self.assertIn("symbolic link", p.stderr)
        self.assertEqual(read(self.path("precious")), "precious")

    def test_the_lock_of_a_killed_run_is_taken_over(self):
        with open(self.path("run.h5.lock"), "w"):
            pass
        p = saltus("run", "bouncing-ball", "-o", self.path("run.h5"))
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(os.listdir(self.folder.name), ["run.h5"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
