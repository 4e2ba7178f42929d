#!/usr/bin/env python3
"""CPU time of a clean build without ccache, by target: ./dev times [TARGET ...], or beside another tree: --beside DIR.

The build folder is new and is removed afterwards. Every compilation is started through this script (--unit), which
records the user and system time of the compiler. CPU time hardly depends on what else the machine does; wall time does."""
import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "saltus_cli"


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compile_unit(log, command):
    code = subprocess.run(command).returncode
    made = command[command.index("-o") + 1] if "-o" in command else "?"
    with open(log, "a", encoding="utf-8") as out:
        out.write(f"{children():.3f} {made}\n")
    return code


class Tree:
    """A tree and its build folder, which is new."""

    def __init__(self, source, jobs):
        self.source, self.jobs = source.resolve(), jobs
        self.folder = self.source / "build-time"
        self.log = self.folder / "units.log"
        self.cpu = self.wall = 0.0
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.log.touch()
        launcher = ";".join([sys.executable, str(Path(__file__).resolve()), "--unit", str(self.log)])
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.source, "-B", self.folder, "-DCMAKE_BUILD_TYPE=Release",
                        f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"], check=True, stdout=subprocess.DEVNULL)

    def build(self, targets):
        """What is not built yet; the times are those of all calls."""
        before, start = children(), time.monotonic()
        subprocess.run(["cmake", "--build", self.folder, "--parallel", str(self.jobs), "--target", *targets],
                       check=True, stdout=sys.stderr)
        self.cpu += children() - before
        self.wall += time.monotonic() - start

    def lines(self):
        """Of the C++ sources and headers that are compiled."""
        files = [f for part in ("src", "tests", "examples", "python") for f in (self.source / part).rglob("*.[ch]pp")]
        return sum(f.read_bytes().count(b"\n") for f in files)

    def report(self):
        targets, units = defaultdict(list), []
        for line in self.log.read_text(encoding="utf-8").splitlines():
            seconds, made = line.split(" ", 1)
            target = re.search(r"(?:^|/)CMakeFiles/([^/]+)\.dir/", made)
            targets[target[1] if target else "?"].append(float(seconds))
            units.append((float(seconds), made))
        print(f"{'target':24} units  CPU [s]  largest")
        for name, times in sorted(targets.items(), key=lambda item: -sum(item[1])):
            print(f"{name:24} {len(times):5} {sum(times):8.1f} {max(times):8.1f}")
        print("the ten largest units:")
        for seconds, made in sorted(units, reverse=True)[:10]:
            print(f"{seconds:8.1f}  {made}")
        print(f"{len(units)} units; CPU {self.cpu:.0f} s with linking and listing tests, wall {self.wall:.0f} s")

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def compare(trees):
    """The program, then everything else, each in both trees by turns: what else the machine does meets both."""
    rows = []
    for what, targets in [("program", [PROGRAM]), ("everything", ["all"])]:
        for tree in trees:
            tree.build(targets)
        rows.append((what, [(tree.cpu, tree.wall) for tree in trees]))
    for tree in trees:
        print(f"\n{tree.source}: {tree.lines()} lines of C++")
        tree.report()
    print(f"\n{'':12} {'CPU [s]':>8} {'beside':>8} {'ratio':>6}   {'wall [s]':>8} {'beside':>8}")
    for what, ((cpu, wall), (other, other_wall)) in rows:
        print(f"{what:12} {cpu:8.0f} {other:8.0f} {cpu / other:6.2f}   {wall:8.0f} {other_wall:8.0f}")
    print(f"{trees[0].jobs} jobs; load at the end {os.getloadavg()[0]:.1f}")


def main():
    parser = argparse.ArgumentParser(prog="./dev times", description=__doc__.split("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"all when none is named; the program is {PROGRAM}")
    parser.add_argument("--source", type=Path, default=ROOT, help="another tree of this project, instead of this one")
    parser.add_argument("--beside", type=Path, metavar="DIR",
                        help="another tree of this project: program and everything of both, by turns, with their ratios")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if given.beside and given.targets:
        parser.error("--beside measures the program and everything: name no TARGET")
    trees = []
    try:
        for source in filter(None, [given.source, given.beside]):
            trees.append(Tree(source, given.jobs))
        if given.beside:
            compare(trees)
        else:
            trees[0].build(given.targets or ["all"])
            trees[0].report()
    except subprocess.CalledProcessError as error:
        return error.returncode or 1
    finally:
        for tree in trees:
            tree.remove()
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--unit"]:
        sys.exit(compile_unit(sys.argv[2], sys.argv[3:]))
    sys.exit(main())
