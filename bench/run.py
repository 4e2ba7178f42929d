#!/usr/bin/env python3
"""Speed next to the peers: Saltus, a hand-written loop (the floor), Siconos and SUNDIALS, interleaved in one run.

Every program runs in its own process, one thread, and reports its own CPU time in a line "@@{...}". The studies:

  speed      time per step on small systems; medians over rounds that run each program once per case
  accuracy   a driven oscillator with 57 impacts, solved to an error of 1e-8
  impacts    ten problems with impacts by tolerance, to errors of 1e-4, 1e-6 and 1e-9, next to SUNDIALS, SciPy and Siconos
  mixer      many disks with friction, over their number
  beds       disks falling into a box, next to Siconos
  space      spheres, bricks and boxes in space, next to ODE, Bullet and Siconos
  friction   ten hyperstatic problems with friction, next to Siconos' solvers
  three-levels  generalized-alpha on bars and pendulums, next to Siconos
  chain      chains of beads next to SUNDIALS' integrators and to a Scilab program
  lammps     three chains of beads next to LAMMPS
  links      chains of links by three schemes and a bar by Runge-Kutta, over their size
  threads    one run on several threads, by the clock; needs a quiet machine
  formulas   problems written as scenes next to the same ones in C++
  micro      micro-benchmarks; options that begin with --benchmark_ are handed to them

Exit code 1: a required ratio was measured and missed, or a program failed. A missing peer is no failure.
"""
import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import accuracy
import chains
import disks
import formulas
import friction
import impacts
import lammps
import links
import space
import steps
import threads
import three_levels


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


# Each study takes (folder of the programs, options) and returns (data for JSON, complaints).
STUDIES = {
    "speed": lambda folder, o: steps.study(folder, o.rounds, o.quick, o.case),
    "accuracy": lambda folder, o: accuracy.accuracy(folder, o.rounds),
    "impacts": lambda folder, o: impacts.impacts(folder, o.build / "saltus", o.quick),
    "mixer": lambda folder, o: disks.mixer(folder, o.quick, o.figure),
    "beds": lambda folder, o: disks.beds(folder, o.quick),
    "space": lambda folder, o: space.space(folder, o.quick),
    "friction": lambda folder, o: friction.friction(folder, min(o.rounds, 3)),
    "three-levels": lambda folder, o: three_levels.three_levels(folder, min(o.rounds, 5)),
    "links": lambda folder, o: links.links(o.build / "saltus", min(o.rounds, 3), o.quick),
    "formulas": lambda folder, o: formulas.formulas(folder, o.rounds),
    "chain": lambda folder, o: chains.chain(folder, o.rounds, o.quick, o.work_precision),
    "threads": lambda folder, o: threads.study(o.build / "saltus", min(o.rounds, 3), o.quick),
    "lammps": lambda folder, o: lammps.study(o.build / "saltus", min(o.rounds, 3)),
}


def micro(folder, options, rest):
    if not (folder / "saltus_bench").exists():
        return []
    print(flush=True)
    command = [str(folder / "saltus_bench"), *rest]
    if options.filter:
        command.append("--benchmark_filter=" + options.filter)
    return ["saltus_bench failed"] if subprocess.run(command).returncode else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage="./dev bench [--peers] [options]")
    parser.add_argument("--quick", action="store_true", help="3 rounds instead of 7, and the smaller sizes only")
    parser.add_argument("--rounds", type=int, help="number of rounds")
    parser.add_argument("--case", action="append", choices=("ball", "oscillator", "cradle", "column"),
                        help="of the time per step only this case (may be repeated)")
    parser.add_argument("--only", choices=(*STUDIES, "micro"), help="only this study")
    parser.add_argument("--filter", help="regular expression choosing micro-benchmarks")
    parser.add_argument("--json", metavar="FILE", help="write the comparison with every run to FILE")
    parser.add_argument("--figure", metavar="FILE", help="the mixer's sweeps over its size as a picture (SVG)")
    parser.add_argument("--work-precision", metavar="FILE", help="what accuracy of chains costs, as a picture (SVG)")
    parser.add_argument("--build", default=Path(__file__).resolve().parent.parent / "build", type=Path,
                        help=argparse.SUPPRESS)
    options, rest = parser.parse_known_args()
    for argument in rest:
        if not argument.startswith("--benchmark_"):
            parser.error(f"unknown option {argument}")
    if options.rounds is None:
        options.rounds = 3 if options.quick else 7
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: at least 1")
    only = options.only or ("speed" if options.case else None)

    folder = options.build / "bin"
    complaints, record = [], {"date": time.strftime("%Y-%m-%d"), "processor": processor(), "rounds": options.rounds}
    for name, study in STUDIES.items():
        if only not in (None, name):
            continue
        print(flush=True)
        try:
            record[name], missed = study(folder, options)
            complaints += missed
        except (RuntimeError, ValueError, OSError, subprocess.SubprocessError) as error:
            complaints.append(f"{name}: {error}")
    if options.json:
        record["complaints"] = complaints
        Path(options.json).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if only in (None, "micro"):
        complaints += micro(folder, options, rest)
    for complaint in complaints:
        print("FAIL " + complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
