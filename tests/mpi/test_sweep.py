#!/usr/bin/env python3
"""Sweeps on several ranks of MPI: the bytes of one machine, nothing lost when ranks are killed."""
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import unittest

import ranks

PROGRAM = ranks.SALTUS
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
sys.argv.insert(1, PROGRAM)
from program import BALL, InFolder, journal_rows, read, saltus  # noqa: E402

PLAIN = BALL.replace("record: {csv: ball.csv, every: 10}\n", "")
RECOVERY = ("--enable-recovery",)


def mine(text):
    """Without what mpirun adds where a rank ends with another code than 0."""
    return re.sub(r"-{70,}\n.*?-{70,}\n", "", text, flags=re.S)


class Ranks(InFolder):
    def wait_for_rows(self, process, table, count, measures=2):
        while process.poll() is None and (not os.path.exists(table + ".journal") or len(journal_rows(table + ".journal", measures)) < count):
            time.sleep(0.005)

    def start(self, count, *args, options=()):
        return subprocess.Popen([*ranks.mpirun(count, *options), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class SameBytes(Ranks):
    def test_table_figure_and_json_are_those_of_one_machine(self):
        scene = self.scene(PLAIN)
        args = ("sweep", scene, "--over", "e=0.2:1.1:10", "--sample", "g=normal(2, 0.2)", "--points", "30", "--seed", "4", "-o", "t.csv",
                "--figure", "f.svg", "--reduced", "r.csv", "--reduce", "summary", "--by", "e", "--json")
        made = {}
        for how in ("threads 1", "threads 3", "ranks 1", "ranks 2", "ranks 4", "ranks 2 of 2 threads"):
            folder = self.path(how)
            os.mkdir(folder)
            word, number = how.split()[:2]
            if word == "threads":
                p = saltus(*args, "--threads", number, cwd=folder)
            else:
                p = ranks.run(number, *args, *(("--threads", "2") if "of" in how else ()), cwd=folder)
            self.assertEqual(p.returncode, 1, p.stderr)  # e = 1.1 fails
            self.assertIn("30 of 300 points failed; the first, e=1.1", p.stderr)
            made[how] = (p.stdout, *(read(os.path.join(folder, f)) for f in ("t.csv", "r.csv", "f.svg")))
            self.assertEqual(sorted(os.listdir(folder)), ["f.svg", "r.csv", "t.csv"])
        for how, files in made.items():
            for a, b in zip(files, made["threads 1"]):
                self.assertEqual(a, b, how)
        self.assertEqual(made["ranks 2"][1].count("\n"), 301)

    def test_rows_and_points_of_a_file(self):
        with open(self.path("p.csv"), "w") as f:
            f.write("e,mass.z\n" + "".join(f"0.{k},{1 + k}\n" for k in range(1, 10)))
        args = ("sweep", self.scene(PLAIN), "--over-file", self.path("p.csv"), "--json")
        self.assertEqual(ranks.run(3, *args).stdout, saltus(*args).stdout)


class Words(Ranks):
    def test_bad_input_is_told_once(self):
        for args, words in ((("sweep", "bouncing-ball", "--over", "e=0:1", "--measure", "steps"), "first:last:count"),
                            (("sweep", "bouncing-ball", "--over", "e=0:1:3", "--measure", "setps"), "did you mean"),
                            (("sweep", "bouncing-ball", "--over", "e=0:1:3", "--measur", "steps"), "--help"),
                            (("sweep", "none.yaml", "--over", "e=0:1:3"), "none.yaml"),
                            (("run", "bouncing-ball"), "only saltus sweep"),
                            (("sweep", "bouncing-ball", "--sample", "e=uniform(0, 1)", "--points", "4", "--measure", "steps"), "--seed")):
            p = ranks.run(3, *args)
            self.assertEqual(p.returncode, 2, p.stderr)
            self.assertEqual(mine(p.stderr).count("saltus: "), 1, p.stderr)
            self.assertIn(words, p.stderr)
            self.assertEqual(p.stdout, "")

    def test_more_ranks_than_points(self):
        p = ranks.run(5, "sweep", "bouncing-ball", "--over", "e=0:1:2", "--measure", "steps", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("5 ranks for 2 points: 3 have nothing to do", p.stderr)
        self.assertEqual(len(json.loads(p.stdout)["rows"]), 2)

    def test_progress_over_all_ranks(self):
        p = ranks.run(2, "sweep", "bouncing-ball", "--over", "e=0.9:0.99:400", "--h", "1e-5", "--measure", "steps", "--progress", "0.5")
        self.assertEqual(p.returncode, 0, p.stderr)
        lines = [x for x in p.stderr.splitlines() if " left" in x]
        self.assertGreater(len(lines), 0)
        for line in lines:
            self.assertRegex(line, r"^saltus: \d+ of 400 points \([\d.]+ %\), 2 ranks, [\d.]+ points/s, \d+ (s|min) left$")

    def test_a_rank_with_other_files_is_named(self):
        scene = self.scene(PLAIN)
        os.mkdir(self.path("there"))
        other = self.path("there", "scene.yaml")
        with open(other, "w") as f:
            f.write(PLAIN + "# another one\n")
        program = self.path("program.sh")  # as on a machine with other files: rank 1 sees another scene
        with open(program, "w") as f:
            f.write(f'#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 1 ] && cd "{self.path("there")}"\nexec {PROGRAM} "$@"\n')
        os.chmod(program, 0o755)
        command = [*ranks.mpirun(2)[:-1], program, "sweep", "scene.yaml", "--over", "e=0:0.9:4000"]
        p = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=os.path.dirname(scene))
        self.assertEqual(p.returncode, 2, p.stderr)
        self.assertIn("rank 1 on ", p.stderr)
        self.assertIn("would run another sweep", p.stderr)
        os.remove(other)
        p = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=os.path.dirname(scene))
        self.assertEqual(p.returncode, 2, p.stderr)
        self.assertRegex(p.stderr, r"rank 1 on \S+: .*no such file")


class Deaths(Ranks):
    def sweep(self):
        return ("sweep", self.scene(PLAIN), "--over", "e=0.5:0.95:2000", "--t-end", "10", "-o")

    def whole(self):
        args = self.sweep()
        self.assertEqual(saltus(*args, self.path("whole.csv")).returncode, 0)
        return read(self.path("whole.csv"))

    def test_a_killed_rank_ends_the_job_and_resuming_completes_it(self):
        """What mpirun does by default. What was acknowledged is in the journal."""
        whole, table = self.whole(), self.path("cut.csv")
        for victim in (1, 0):
            if os.path.exists(table + ".journal"):
                os.remove(table + ".journal")
            p = self.start(3, *self.sweep(), table)
            self.wait_for_rows(p, table, 100)
            os.kill(ranks.children_of(p)[victim], signal.SIGKILL)
            p.communicate(timeout=60)
            self.assertNotEqual(p.returncode, 0)
            self.assertFalse(os.path.exists(table))
            rows = journal_rows(table + ".journal", 2)
            self.assertTrue(100 <= len(rows) < 2000, len(rows))
            before = dict(rows)
            p = ranks.run(2, *self.sweep(), table, "--resume")
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertEqual(read(table), whole)
            os.remove(table)
            self.assertGreaterEqual(len(before), 100)

    def test_with_recovery_the_others_run_what_a_killed_rank_had(self):
        whole, table = self.whole(), self.path("cut.csv")
        p = self.start(3, *self.sweep(), table, options=RECOVERY)
        self.wait_for_rows(p, table, 100)
        os.kill(ranks.children_of(p)[1], signal.SIGKILL)
        _, err = p.communicate(timeout=120)
        self.assertIn("rank 1 has not been heard of for 10 s; others run its points", err)
        self.assertEqual(read(table), whole)
        self.assertFalse(os.path.exists(table + ".journal"))

    def test_a_rank_that_is_asked_to_stop_leaves_its_points_to_the_others(self):
        whole, table = self.whole(), self.path("cut.csv")
        p = self.start(3, *self.sweep(), table)
        self.wait_for_rows(p, table, 100)
        os.kill(ranks.children_of(p)[2], signal.SIGTERM)
        _, err = p.communicate(timeout=120)
        self.assertEqual(p.returncode, 0, err)
        self.assertIn("rank 2 was stopped; others run its points", err)
        self.assertEqual(read(table), whole)

    def test_an_interrupted_job_goes_on_on_one_machine(self):
        whole, table = self.whole(), self.path("cut.csv")
        p = self.start(2, *self.sweep(), table)
        self.wait_for_rows(p, table, 100)
        os.kill(ranks.children_of(p)[0], signal.SIGTERM)  # as a batch system does
        _, err = p.communicate(timeout=60)
        self.assertEqual(p.returncode, 1, err)
        self.assertIn("--resume", err)
        self.assertEqual(read(table).count("\n") - 1, len(journal_rows(table + ".journal", 2)))
        self.assertEqual(saltus(*self.sweep(), table, "--resume").returncode, 0)
        self.assertEqual(read(table), whole)

    def test_a_full_disk(self):
        table = self.path("full.csv")
        p = self.start(3, *self.sweep(), table)
        self.wait_for_rows(p, table, 100)
        room = os.path.getsize(table + ".journal") + 1000
        resource.prlimit(ranks.children_of(p)[0], resource.RLIMIT_FSIZE, (room, room))
        _, err = p.communicate(timeout=60)
        self.assertEqual(p.returncode, 2, err)
        self.assertIn("writing the journal", err)
        self.assertIn("--resume goes on", err)
        self.assertEqual(mine(err).count("saltus: "), 1)
        self.assertTrue(100 < len(journal_rows(table + ".journal", 2)) < 2000)
        p = ranks.run(2, *self.sweep(), table, "--resume")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(read(table), self.whole())


if __name__ == "__main__":
    ranks.skip_unless_possible()
    sys.argv[1:] = [a for a in sys.argv[1:] if a != PROGRAM]
    unittest.main()
