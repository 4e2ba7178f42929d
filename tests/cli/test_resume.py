#!/usr/bin/env python3
"""Checkpoints and journals as a user meets them: where they write, and what is refused: test_resume.py PATH-TO-SALTUS"""
import json
import os
import resource
import time
import unittest

from program import InFolder, journal_rows, read, saltus


def checksum(text):
    sum = 0xcbf29ce484222325
    for byte in text.encode():
        sum = (sum ^ byte) * 0x100000001b3 % 2**64
    return sum


class Resume(InFolder):
    def bytes(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def left(self, name="run.ckpt", *args):
        """A checkpoint before the end of a run that wrote results."""
        p = saltus("run", "bouncing-ball", "--h", "1e-3", "--t-end", "3", "--checkpoint", "every=700,file=" + self.path(name), *args)
        self.assertEqual(p.returncode, 0, p.stderr)

    def craft(self, name, key, value):
        """A line of a checkpoint changed by somebody who knows the checksum."""
        lines = read(self.path(name)).splitlines(keepends=True)[:-1]
        self.assertTrue(any(l.startswith(key + " ") for l in lines), key)
        text = "".join(f"{key} {value}\n" if l.startswith(key + " ") else l for l in lines)
        with open(self.path(name), "w") as f:
            f.write(f"{text}checksum {checksum(text):016x}\n")

    def refused(self, *args, words=()):
        p = saltus(*args, cwd=self.folder.name)
        self.assertEqual(p.returncode, 2, p.stdout + p.stderr)
        for word in words:
            self.assertIn(word, p.stderr)
        return p

    def test_a_damaged_file_is_not_continued_and_the_rest_goes_elsewhere(self):
        self.left("run.ckpt", "-o", self.path("run.h5"))
        whole = self.bytes("run.h5")
        for damaged in (whole[:3000], b"not HDF5", b""):
            with open(self.path("run.h5"), "wb") as f:
                f.write(damaged)
            p = saltus("resume", "run.ckpt", cwd=self.folder.name)
            self.assertNotEqual(p.returncode, 0)
            self.assertIn("give -o another name", p.stderr)
            self.assertEqual(self.bytes("run.h5"), damaged)
        self.assertEqual(saltus("resume", "run.ckpt", "-o", "rest.h5", cwd=self.folder.name).returncode, 0)

    def test_a_checkpoint_writes_beside_itself_only(self):
        os.mkdir(self.path("home"))
        self.left("run.ckpt", "-o", self.path("run.h5"))
        self.assertIn("\noutput run.h5\n", read(self.path("run.ckpt")))
        for victim in ("home/notes.txt", "home/other.h5", "notes.txt"):
            with open(self.path(victim), "w") as f:
                f.write("precious")
        os.symlink(self.path("home", "other.h5"), self.path("link.h5"))
        for output in (self.path("home", "notes.txt"), self.path("home", "other.h5"), "home/other.h5", "../other.h5", "..",
                       "notes.txt", "link.h5", "home", "/dev/null", self.path("none.h5")):
            self.craft("run.ckpt", "output", output)
            self.refused("resume", self.path("run.ckpt"), words=("the run wrote '" + output, "saltus resume", "-o"))
        self.craft("run.ckpt", "csv", self.path("home", "notes.txt"))
        self.craft("run.ckpt", "output", "")
        self.assertEqual(saltus("resume", self.path("run.ckpt")).returncode, 0)
        for victim in ("home/notes.txt", "home/other.h5", "notes.txt"):
            self.assertEqual(read(self.path(victim)), "precious")
        self.assertEqual(sorted(os.listdir(self.path("home"))), ["notes.txt", "other.h5"])

    def test_a_checkpoint_names_problems_and_no_other_files(self):
        self.left("run.ckpt")
        with open(self.path("scene.yaml"), "w") as f:
            f.write("saltus: 1\n")
        for problem in ("scene.yaml", self.path("scene.yaml"), "/dev/zero", "../x.yaml"):
            self.craft("run.ckpt", "problem", problem)
            self.refused("resume", self.path("run.ckpt"), words=("unknown problem",))

    def test_a_run_goes_on_in_its_file_elsewhere_when_that_is_named(self):
        os.mkdir(self.path("data"))
        self.left("run.ckpt", "-o", self.path("data", "run.h5"))
        whole = json.loads(saltus("info", self.path("data", "run.h5"), "--json").stdout)
        self.refused("resume", self.path("run.ckpt"), words=("does not lie in the folder", self.path("data", "run.h5")))
        p = saltus("resume", self.path("run.ckpt"), "-o", "data/run.h5", cwd=self.folder.name)
        self.assertEqual(p.returncode, 0, p.stderr)
        again = json.loads(saltus("info", self.path("data", "run.h5"), "--json").stdout)
        for key in ("samples", "events", "state_hash"):
            self.assertEqual(again[key], whole[key])

    def test_a_folder_with_both_can_be_moved(self):
        os.mkdir(self.path("here"))
        self.left("here/run.ckpt", "-o", self.path("here", "run.h5"))
        os.rename(self.path("here"), self.path("there"))
        p = saltus("resume", "run.ckpt", "--json", cwd=self.path("there"))
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual([os.path.basename(f) for f in json.loads(p.stdout)["files"]], ["run.h5"])

    def test_a_file_that_the_run_had_not_begun_is_not_replaced(self):
        self.left("run.ckpt", "-o", self.path("run.h5"))
        # begun, multipliers, samples, names, steps, step of the last sample, residual, gap, contacts, grid
        self.craft("run.ckpt", "words", "10 0 0 0 0 0 0 0 0 0 1")
        before = self.bytes("run.h5")
        self.refused("resume", self.path("run.ckpt"), words=("had not written it yet", "move it away"))
        self.assertEqual(self.bytes("run.h5"), before)

    def test_damage_and_endless_files_end_with_code_2_at_once(self):
        self.left("run.ckpt")
        text = read(self.path("run.ckpt"))
        with open(self.path("bad.ckpt"), "w") as f:
            f.write(text.replace("\nt 0x1", "\nt 0x2"))
        self.refused("resume", self.path("bad.ckpt"), words=("damaged", "run anew"))
        with open(self.path("big.ckpt"), "wb") as f:
            f.truncate(5 << 30)  # a hole: takes no room
        start = time.time()
        for file in (self.path("big.ckpt"), "/dev/zero"):
            self.refused("resume", file, words=("not a checkpoint",))
            os.path.exists(self.path("x.fcp")) and os.remove(self.path("x.fcp"))
            os.symlink(file, self.path("x.fcp"))
            self.refused("contact", "solve", self.path("x.fcp"), words=("x.fcp",))
            os.path.exists(self.path("x.yaml")) and os.remove(self.path("x.yaml"))
            os.symlink(file, self.path("x.yaml"))
            self.refused("check", self.path("x.yaml"), words=("x.yaml",))
        self.assertLess(time.time() - start, 10)

    def test_a_full_disk_ends_the_run_and_leaves_the_old_checkpoint(self):
        self.left("run.ckpt")
        before = read(self.path("run.ckpt"))

        def small_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

        p = saltus("resume", self.path("run.ckpt"), "--checkpoint", "every=10,file=" + self.path("run.ckpt"),
                   preexec_fn=small_disk, restore_signals=False)  # Python ignores SIGXFSZ
        self.assertIn(p.returncode, (1, 2))
        self.assertIn("run.ckpt", p.stderr)
        self.assertEqual(read(self.path("run.ckpt")), before)
        self.assertEqual(os.listdir(self.folder.name), ["run.ckpt"])

        command = ("sweep", "bouncing-ball", "--over", "e=0:0.9:30", "--measure", "final.q[0]", "-o", self.path("t.csv"))
        small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        p = saltus(*command, preexec_fn=small, restore_signals=False)
        self.assertIn(p.returncode, (1, 2))
        self.assertIn("journal", p.stderr)
        self.assertGreater(len(journal_rows(self.path("t.csv.journal"), 1)), 3)
        p = saltus(*command, "--resume", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(len(json.loads(p.stdout)["rows"]), 30)

    def test_a_damaged_journal_is_refused(self):
        command = ("sweep", "bouncing-ball", "--over", "e=0:0.9:30", "--measure", "final.q[0]", "-o", self.path("t.csv"))
        small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        saltus(*command, preexec_fn=small, restore_signals=False)
        with open(self.path("t.csv.journal"), "rb") as f:
            data = f.read()
        rows = [row for _, row in journal_rows(self.path("t.csv.journal"), 1)]
        head = data[:data.index(b"\n") + 1]
        self.assertEqual(head + b"".join(rows), data)
        changed = rows[2][:9] + bytes([rows[2][9] ^ 1]) + rows[2][10:]
        for bad in (head + b"".join(rows[:2] + [changed] + rows[3:]), head + b"".join(rows[:2] + rows[3:]), data + rows[-1]):
            with open(self.path("t.csv.journal"), "wb") as f:
                f.write(bad)
            self.refused(*command, "--resume", words=("damaged", "truncate", "remove"))
        with open(self.path("t.csv.journal"), "w") as f:
            f.write("saltus journal 2 saltus 0.1.0 sweep bouncing-ball\t0123456789abcdef\n")
        self.refused(*command, "--resume", words=("another version", "remove"))


if __name__ == "__main__":
    unittest.main()
