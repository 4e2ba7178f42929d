#!/usr/bin/env python3
"""Checks that a private member of a stepper is seen by few sources: every header of src/saltus/scheme that defines a stepper is
reached by fewer than ten sources, those of tests, benchmarks, examples and the Python module counted. Options of schemes have
headers of their own, and whoever needs no stepper of a certain kind asks make_stepper() for one."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST = 9
PARTS = ("src", "tests", "bench", "examples", "python", "web/wasm")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
STEPPER = re.compile(r"^class (\w+)(?: final)? : public (?:\w*Stepper)\b", re.M)


def including():
    """For every file those that include it directly."""
    texts = {f: f.read_text(encoding="utf-8") for part in PARTS for f in (ROOT / part).rglob("*.[ch]pp")}
    users = {f: set() for f in texts}
    for file, text in texts.items():
        for name in INCLUDE.findall(text):
            for folder in (ROOT / "src", ROOT / "tests", ROOT / "bench", file.parent):
                if folder / name in users:
                    users[folder / name].add(file)
                    break
    return texts, users


def reached(header, users):
    seen, todo = {header}, [header]
    while todo:
        new = users[todo.pop()] - seen
        seen |= new
        todo += new
    return sorted(f.relative_to(ROOT).as_posix() for f in seen if f.suffix == ".cpp")


def main():
    texts, users = including()
    steppers = {f: STEPPER.findall(text) for f, text in texts.items()
                if f.suffix == ".hpp" and f.is_relative_to(ROOT / "src/saltus/scheme")}
    steppers = {f: names for f, names in steppers.items() if names}
    if len(steppers) < 8:
        print(f"{len(steppers)} headers with steppers were found: the pattern of this check is out of date")
        return 1
    bad, most = 0, 0
    for header, names in sorted(steppers.items()):
        sources = reached(header, users)
        most = max(most, len(sources))
        if len(sources) > MOST:
            bad += 1
            print(f"{header.relative_to(ROOT)}:1: a member of {', '.join(names)} rebuilds {len(sources)} sources "
                  f"(at most {MOST}): {', '.join(sources)}")
    print(f"{len(steppers)} headers with steppers, at most {most} sources each")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
