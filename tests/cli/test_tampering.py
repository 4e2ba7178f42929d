#!/usr/bin/env python3
"""saltus verify: results that were changed are found out."""
import os
import shutil
import subprocess
import unittest

from program import python_with_h5py  # takes the path of the program from the arguments
from verified import HERE, SCENES, TOLERANCE, Folder, verify

TAMPERING = os.path.join(HERE, "tampering.py")


class Tampered(Folder):
    def test_each_kind_is_found_out(self):
        python = python_with_h5py()
        if not python:
            self.skipTest("no Python with h5py (package python3-h5py)")
        data = lambda name: os.path.join(TOLERANCE, name + ".yaml")  # noqa: E731
        cases = (("bouncing-ball", "1e-6", ("-p", "f=-2.001")), ("bouncing-ball", "1e-9", ("-p", "f=-2.001")),
                 ("impact-oscillator", "1e-9", ("--t-end", "4.9")), (data("ladder"), "1e-9", ("-p", "muf=0.21")),
                 (data("belt-stribeck"), "1e-9", ("--t-end", "5.9")), (data("rocking-block"), "1e-9", ("--t-end", "1.1")),
                 (data("oscillator-rests"), "1e-9", ("--t-end", "9.9")), ("bouncing-pendulum", "1e-9", ("--t-end", "2.9")),
                 (os.path.join(SCENES, "thrown-die.yaml"), "1e-9", ("--t-end", "0.9")))
        used = set()
        for target, rtol, other in cases:
            self.run_to("good.h5", target, "--rtol", rtol, "--no-estimate")
            self.run_to("other.h5", target, "--rtol", rtol, "--no-estimate", *other)
            p = subprocess.run([python, TAMPERING, self.path("good.h5"), self.path("other.h5"), self.path()], capture_output=True, text=True)
            self.assertEqual(p.returncode, 0, (target, p.stderr))
            for kind in p.stdout.split():
                used.add(kind)
                code, out, err = verify(self.path(kind + ".h5"))
                self.assertIn(code, (1, 2), (target, rtol, kind, out.get("sentence")))
                self.assertTrue(out.get("findings") or "misses the limit" in out.get("sentence", "") or err, (target, kind))
                os.remove(self.path(kind + ".h5"))
            self.assertEqual(verify(self.path("good.h5"))[0], 0)
        self.assertGreaterEqual(len(used), 55)

    def test_states_of_other_families_and_steps(self):
        python = python_with_h5py()
        if not python:
            self.skipTest("no Python with h5py (package python3-h5py)")
        edits = {"state": "f['samples/q'][n // 2, 0] += 1e-4 * abs(f['samples/q'][...]).max()",
                 "start": "f['samples/q'][0, 0] += 1e-2",
                 "times": "f['samples/t'][n // 2:-1] += 0.4 * (f['samples/t'][n // 2] - f['samples/t'][n // 2 - 1])",
                 "not a number": "f['samples/q'][n // 3, 0] = float('nan')",
                 "status": "f.attrs['status'] = 'failed'"}
        contacts = {"impulse": "i = abs(f['contacts/impulse'][:, 0]).argmax(); f['contacts/impulse'][i, 0] *= 1.001",
                    "impulse that pulls": "i = abs(f['contacts/impulse'][:, 0]).argmax(); f['contacts/impulse'][i, 0] *= -1",
                    "another contact": "f['contacts/contact'][0] += 1",
                    "energy": "f['samples/energy'][n // 2] *= 1.001",
                    "ledger": "f.attrs['ledger_impacts'] *= 1.01"}
        mechanical = ("bouncing-ball", "--h", "1e-3")
        for given in ((os.path.join(SCENES, "van-der-pol.yaml"),), (os.path.join(SCENES, "cubic-slide.yaml"),), mechanical):
            self.run_to("good.h5", *given)
            for kind, change in (edits | contacts if given == mechanical else edits).items():
                shutil.copy(self.path("good.h5"), self.path("bad.h5"))
                script = f"import h5py, sys\nwith h5py.File(sys.argv[1], 'r+') as f:\n    n = len(f['samples/t'])\n    {change}\n"
                subprocess.run([python, "-c", script, self.path("bad.h5")], check=True)
                self.assertIn(verify(self.path("bad.h5"))[0], (1, 2), (given, kind))
            self.assertEqual(verify(self.path("good.h5"))[0], 0)

    def test_a_large_residual_does_not_open_the_balance_of_energy(self):
        """What impacts leave open grows with their number and with the recorded residual of contact problems, up to a part of the limit."""
        python = python_with_h5py()
        if not python:
            self.skipTest("no Python with h5py (package python3-h5py)")
        self.run_to("x.h5", "bouncing-ball", "--rtol", "1e-9", "-p", "e=1", "--t-end", "200")
        self.assertEqual(verify(self.path("x.h5"))[0], 0)
        script = ("import h5py, sys\nwith h5py.File(sys.argv[1], 'r+') as f:\n    f['samples/contact_residual'][...] = 1e-7\n"
                  "    f['dense/u'][len(f['dense/t']) // 2:] *= 1 + 2e-6\n    f['samples/u'][len(f['samples/t']) // 2:] *= 1 + 2e-6\n")
        subprocess.run([python, "-c", script, self.path("x.h5")], check=True)
        self.assertEqual(verify(self.path("x.h5"))[0], 1)

    def test_modes_of_friction(self):
        python = python_with_h5py()
        if not python:
            self.skipTest("no Python with h5py (package python3-h5py)")
        self.run_to("x.h5", os.path.join(SCENES, "three-legged-stool.yaml"), "--rtol", "1e-8")
        self.assertEqual(verify(self.path("x.h5"))[0], 0)
        script = ("import h5py, sys\nwith h5py.File(sys.argv[1], 'r+') as f:\n    m = f['contacts/mode'][...]\n"
                  "    m[m == 2], m[m == 3] = 3, 2\n    f['contacts/mode'][...] = m\n")
        subprocess.run([python, "-c", script, self.path("x.h5")], check=True)
        code, out, _ = verify(self.path("x.h5"))
        self.assertEqual(code, 1)
        self.assertRegex(out["sentence"], "is recorded in mode|is none: it goes from mode")


if __name__ == "__main__":
    unittest.main()
