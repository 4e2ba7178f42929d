#!/usr/bin/env python3
"""Cheap rows of the matrix of methods and systems, in parts: test_matrix.py PROGRAM PART. Every cell finishes close to an
accurate run, apart from those named here, which are refused for a listed reason. `./dev matrix` has all rows."""
import os
import subprocess
import sys
from pathlib import Path

PARTS = {
    "impacts": ["bouncing-ball", "falling-mass"],
    "friction": ["sliding-block", "stick-slip.yaml", "rolling-disk.yaml"],
    "bodies": ["stairs.yaml", "crank-motor.yaml"],
    "others": ["trimer", "odae-exponential", "van-der-pol.yaml"],
}
TAILORED = {f"{name}{steps}" for name in ("additive-theta", "kk-theta", "kk-irk") for steps in ("", ", adaptive")}
REFUSED = {
    "rolling-disk.yaml": {"symplectic-euler, event-location", "schatzman-paoli"},
    "stairs.yaml": {"schatzman-paoli"},
    "van-der-pol.yaml": TAILORED,
}


def with_h5py(arguments):
    """Goes on in an interpreter that has h5py and numpy: this one, or the system's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import h5py, numpy"], capture_output=True).returncode == 0:
            if python != sys.executable:
                os.execv(python, [python, *arguments])
            return
    print("no interpreter has h5py and numpy")
    sys.exit(77)


def main():
    with_h5py([os.path.abspath(__file__), *sys.argv[1:]])
    from matrix import ROOT, Program, row
    program, bad = Program(sys.argv[1]), 0
    for name in PARTS[sys.argv[2]]:
        target = str(ROOT / "examples" / "scenes" / name) if name.endswith(".yaml") else name
        facts, cells = row(program, target, None, 40)
        assert facts is not None, (name, cells)
        assert len(cells) >= 2, (name, cells)
        for label, (verdict, message, distance, seconds, part) in cells.items():
            wanted = "refused" if label in REFUSED.get(name, ()) else "finished"
            if verdict != wanted:
                print(f"{name}, {label}: {verdict} (wanted {wanted}), distance {distance}, {seconds:.1f} s: {message}")
                bad += 1
        missing = REFUSED.get(name, set()) - set(cells)
        assert not missing, (name, missing)
        print(f"{name}: {len(cells)} cells")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(main())
