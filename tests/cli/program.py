"""Calls the program as a user and as another program does. The first argument of a test is its path."""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

SALTUS = sys.argv.pop(1)
SANITIZED = os.environ.get("SALTUS_SANITIZED") == "1"  # some ten times slower, and memory cannot be limited
SECONDS = 1200 if SANITIZED else 120

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


def saltus(*args, **kwargs):
    return subprocess.run([SALTUS, *args], capture_output=True, text=True, timeout=SECONDS, **kwargs)


def read(path):
    with open(path) as file:
        return file.read()


def journal_rows(path, measures):
    """Index and bytes of each whole row of a sweep's journal, in its order."""
    with open(path, "rb") as file:
        data = file.read()
    at, rows = data.index(b"\n") + 1, []
    while at + 8 <= len(data):
        index, _, parts, message = struct.unpack_from("<IBBH", data, at)
        size = 8 + 8 * measures * bin(parts).count("1") + message + 8
        if at + size > len(data):
            break
        rows.append((index, data[at:at + size]))
        at += size
    return rows


class InFolder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, *names):
        return os.path.join(self.folder.name, *names)

    def scene(self, text, name="scene.yaml"):
        """Writes a scene file and returns its path."""
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text if text.startswith("saltus:") else "saltus: 1\n" + text)
        return path


def python_with_h5py():
    """An interpreter that has h5py: this one, or the system's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import h5py"], capture_output=True).returncode == 0:
            return python
    return None


class Scenes(InFolder):
    def run_json(self, text, *more):
        path = text if os.path.exists(text) or "\n" not in text else self.scene(text)
        p = saltus("run", path, "--json", "--no-error", *more)
        out = json.loads(p.stdout)
        self.assertEqual(p.returncode, 0, out)
        return out
