#!/usr/bin/env python3
"""CPU time of a clean build without ccache, by target: ./dev times [TARGET ...].

The build folder is new and is removed afterwards. Every compilation is started through this script (--unit), which
records the user and system time of the compiler. CPU time hardly depends on what else the machine does; wall time does."""
import argparse
import re
import resource
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compile_unit(log, command):
    code = subprocess.run(command).returncode
    made = command[command.index("-o") + 1] if "-o" in command else "?"
    with open(log, "a", encoding="utf-8") as out:
        out.write(f"{children():.3f} {made}\n")
    return code


def report(log, total, wall):
    targets, units = defaultdict(list), []
    for line in log.read_text(encoding="utf-8").splitlines():
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
    print(f"{len(units)} units; CPU {total:.0f} s with linking and listing tests, wall {wall:.0f} s")


def main():
    parser = argparse.ArgumentParser(prog="./dev times", description=__doc__.split("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all when none is named; the program is saltus_cli")
    parser.add_argument("--source", type=Path, default=ROOT, help="another tree of this project, to compare with")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    folder = given.source.resolve() / "build-time"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    log = folder / "units.log"
    log.touch()
    launcher = ";".join([sys.executable, str(Path(__file__).resolve()), "--unit", str(log)])
    try:
        subprocess.run(["cmake", "-G", "Ninja", "-S", given.source, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
                        f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"], check=True, stdout=subprocess.DEVNULL)
        before, start = children(), time.monotonic()
        subprocess.run(["cmake", "--build", folder, "--parallel", str(given.jobs), "--target", *(given.targets or ["all"])],
                       check=True, stdout=sys.stderr)
        report(log, children() - before, time.monotonic() - start)
    except subprocess.CalledProcessError as error:
        return error.returncode or 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--unit"]:
        sys.exit(compile_unit(sys.argv[2], sys.argv[3:]))
    sys.exit(main())
