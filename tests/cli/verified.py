"""Runs that leave a file, and what saltus verify says of it."""
import json
import os

from program import InFolder, saltus

HERE = os.path.dirname(os.path.abspath(__file__))
SCENES = os.path.join(HERE, "..", "..", "examples", "scenes")
TOLERANCE = os.path.join(HERE, "..", "data", "tolerance")


def verify(file, *more):
    p = saltus("verify", file, "--json", *more)
    return p.returncode, json.loads(p.stdout) if p.stdout else {}, p.stderr


class Folder(InFolder):
    def run_to(self, name, target, *more):
        p = saltus("run", target, *more, "-o", self.path(name), "--no-error", "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        return json.loads(p.stdout)
