#!/usr/bin/env python3
"""Prints one line per catalog problem and example scene: a hash of what a run with its own method with steps computed.

Two lists made by two builds tell whether a change kept every bit: `./dev fingerprints > before.txt`, change, again,
`diff`. The hash covers every number of the result (times, positions, velocities, impulses), written with all digits, and
the exit code; not the CPU time."""
import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from own_steps import own_steps

ROOT = Path(__file__).resolve().parent.parent


def fingerprint(program, target, limit):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run.csv"
        command = [program, "run", str(target), *own_steps(target), "--no-error", "--json", "-o", str(out)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return f"took more than {limit} s"
        digest = hashlib.sha256()
        for path in sorted(Path(folder).iterdir()):
            digest.update(path.read_bytes())
        steps = json.loads(done.stdout or "{}").get("stats", {}).get("steps", "?")
        return f"exit {done.returncode} {steps} steps {digest.hexdigest()[:16]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the saltus to ask")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=300, help="seconds for one run")
    arguments = parser.parse_args()
    program = str(Path(arguments.program).resolve())
    listed = json.loads(subprocess.run([program, "list", "--json"], capture_output=True, text=True, check=True).stdout)
    targets = [p["name"] for p in listed["problems"]] + sorted((ROOT / "examples/scenes").glob("*.yaml"))
    with ThreadPoolExecutor(arguments.jobs) as pool:
        lines = pool.map(lambda t: fingerprint(program, t, arguments.limit), targets)
        for target, line in zip(targets, lines):
            print(f"{target.name if isinstance(target, Path) else target:30} {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
