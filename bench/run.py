#!/usr/bin/env python3
"""Speed next to the peers: Saltus, a hand-written loop (the floor) and Siconos, interleaved in one run.

Every program runs in its own process, one thread, and reports its own CPU time per step in a line "@@{...}".
A round runs each program once per case; medians over the rounds are compared. Afterwards the
micro-benchmarks run. Options that begin with --benchmark_ are handed to them.

Exit code 1: a required ratio was measured and missed, or a program failed. A missing peer is no failure.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

# Siconos 4.4.0 as packaged keeps its asserts. The same kernel compiled with -O2 -DNDEBUG, in us per step:
RECORDED_NDEBUG = {("ball", 1): 3.11, ("oscillator", 1): 2.57,
                   ("cradle", 10): 13.8, ("cradle", 100): 167, ("cradle", 1000): 4566,
                   ("column", 10): 96, ("column", 100): 814, ("column", 1000): 15700}


class Case:
    """One line of the table: the same problem, with as many repetitions as each program needs for a clean time."""

    def __init__(self, name, n, need_siconos, ours, floor, siconos, most_floor=None):
        self.name, self.n = name, n
        self.need_siconos = need_siconos  # Siconos takes at least so many times longer than Saltus
        self.most_floor = most_floor      # Saltus takes at most so many times longer than the floor
        self.commands = {"saltus": ["saltus_speed", *ours.split()], "floor": ["peer_floor", *floor.split()]}
        for solver, command in siconos.items():
            self.commands["siconos " + solver] = command.split()
        self.runs = {who: [] for who in self.commands}  # what each program reported, one object per run

    def times(self, who):
        return [run["us_per_step"] for run in self.runs[who]]

    def median(self, who):
        return statistics.median(self.times(who)) if self.runs[who] else None

    def siconos(self):
        """(time, solver) of the fastest Siconos solver, or (None, '')."""
        found = [(self.median(who), who.split()[1]) for who, runs in self.runs.items()
                 if who.startswith("siconos") and runs]
        return min(found) if found else (None, "")


def all_cases():
    for name, T, reps in (("ball", 4, 400), ("oscillator", 10, 200)):
        yield Case(name, 1, 20, f"case={name} h=1e-3 T={T} reps={reps}", f"case={name} h=1e-3 T={T} reps={10 * reps}",
                   {"lemke": f"peer_siconos_ball sys={name} scheme=mj h=1e-3 T={T} reps={reps // 20}"}, most_floor=10)
    for n, steps, need in ((10, 10000, 20), (100, 2000, 50), (1000, 300, 100)):
        reps = 4_000_000 // (n * steps)
        yield Case("cradle", n, need, f"case=cradle N={n} steps={steps} reps={reps}",
                   f"case=cradle N={n} steps={steps} reps={reps}",
                   {"lemke": f"peer_siconos_chain mode=cradle N={n} steps={steps} solver=lemke"})
    for n, steps, need in ((10, (3000, 3000), 20), (100, (200, 200), 50), (1000, (3, 10), 100)):
        ours = f"case=column N={n} steps=500 reps={2000 // n}"
        yield Case("column", n, need, ours, ours,
                   {solver: f"peer_siconos_chain mode=column N={n} steps={k} solver={solver}"
                    for solver, k in zip(("lemke", "newtonfb"), steps)})


def run_once(folder, command):
    """The object a program reports; RuntimeError when it does not."""
    env = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    done = subprocess.run([str(folder / command[0]), *command[1:]], capture_output=True, text=True, errors="replace",
                          env=env, timeout=600)
    lines = [line for line in done.stdout.splitlines() if line.startswith("@@")]
    if done.returncode or not lines:
        last = (done.stderr.strip().splitlines() or ["no report"])[-1]
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {last}")
    report = json.loads(lines[-1][2:])
    if "failed" in report or not isinstance(report.get("us_per_step"), (int, float)) or report["us_per_step"] <= 0:
        raise RuntimeError(f"{' '.join(command)} reported {lines[-1]}")
    return report


def slow(case, who):
    """Seconds per step: Lemke's method restarts on a dense tableau of N rows."""
    return who == "siconos lemke" and case.name == "column" and case.n >= 1000


def measure(cases, folder, rounds, quick):
    """Fills case.runs; returns complaints."""
    complaints = []
    broken = set()
    for k in range(rounds):
        print(f"round {k + 1} of {rounds}", file=sys.stderr, flush=True)
        for case in cases:
            for who, command in case.commands.items():
                if not (folder / command[0]).exists() or (case, who) in broken:
                    continue
                if slow(case, who) and k >= (1 if quick else 3):
                    continue
                try:
                    case.runs[who].append(run_once(folder, command))
                except (RuntimeError, ValueError, OSError, subprocess.TimeoutExpired) as error:
                    complaints.append(str(error))
                    broken.add((case, who))
    return complaints


def check_answers(cases):
    """The programs must have solved the same problem, where they tell."""
    complaints = []
    for case in cases:
        last = {who: runs[-1] for who, runs in case.runs.items() if runs}
        speeds = {who: run["v_last"] for who, run in last.items() if case.name == "cradle" and "v_last" in run}
        if speeds and max(speeds.values()) - min(speeds.values()) > 1e-6:
            complaints.append(f"cradle N={case.n}: speeds of the last bead differ: {speeds}")
        for who, run in last.items():
            if case.name == "column" and run.get("impulse_relerr", 0) > 1e-6:
                complaints.append(f"column N={case.n}: {who} has contact impulses wrong by {run['impulse_relerr']}")
    return complaints


def number(x):
    return "-" if x is None else f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def ratio(a, b):
    return a / b if a is not None and b is not None else None


def verdict(value, passed, text):
    return "-" if value is None else f"{text} {'pass' if passed else 'FAIL'}"


def print_table(rows):
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths))))


def compare(cases):
    """Prints the tables; returns (rows for JSON, complaints)."""
    table = [("case", "N", "Saltus us/step", "floor us/step", "Siconos us/step", "solver", "Siconos/Saltus", "required",
              "Saltus/floor", "required")]
    data, complaints = [], []
    for case in cases:
        ours, floor = case.median("saltus"), case.median("floor")
        siconos, solver = case.siconos()
        gain, price = ratio(siconos, ours), ratio(ours, floor)
        fast = gain is None or gain >= case.need_siconos
        lean = price is None or case.most_floor is None or price <= case.most_floor
        table.append((case.name, str(case.n), number(ours), number(floor), number(siconos), solver or "-", number(gain),
                      verdict(gain, fast, f">= {case.need_siconos}"), number(price),
                      verdict(price, lean, f"<= {case.most_floor}") if case.most_floor else ""))
        if not fast:
            complaints.append(f"{case.name} N={case.n}: {gain:.3g} times faster than Siconos, "
                              f"required {case.need_siconos}")
        if not lean:
            complaints.append(f"{case.name}: {price:.3g} times the floor, allowed {case.most_floor}")
        data.append({"case": case.name, "N": case.n, "saltus_us": ours, "floor_us": floor, "siconos_us": siconos,
                     "siconos_solver": solver, "siconos_over_saltus": gain, "required": case.need_siconos,
                     "saltus_over_floor": price, "allowed_over_floor": case.most_floor, "pass": fast and lean,
                     "recorded_ndebug_us": RECORDED_NDEBUG[case.name, case.n], "runs": case.runs})
    print("CPU time, median of the interleaved runs; of the Siconos solvers the faster one")
    print_table(table)

    by_key = {(case.name, case.n): case for case in cases}
    rows = [("growth from N=100 to N=1000 (linear cost: 10)", "Saltus", "floor", "Siconos")]
    for name in ("cradle", "column"):
        small, large = by_key.get((name, 100)), by_key.get((name, 1000))
        if small and large:
            rows.append((name, number(ratio(large.median("saltus"), small.median("saltus"))),
                         number(ratio(large.median("floor"), small.median("floor"))),
                         number(ratio(large.siconos()[0], small.siconos()[0]))))
    if len(rows) > 1:
        print()
        print_table(rows)

    print()
    rows = [("Siconos with an NDEBUG kernel, recorded elsewhere, not in this run", "N", "us/step", "over Saltus")]
    for case in cases:
        recorded = RECORDED_NDEBUG[case.name, case.n]
        rows.append((case.name, str(case.n), number(recorded), number(ratio(recorded, case.median("saltus")))))
    print_table(rows)
    return data, complaints


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage="./dev bench [--peers] [options]")
    parser.add_argument("--quick", action="store_true", help="3 rounds instead of 7, Lemke on 1000 beads only once")
    parser.add_argument("--rounds", type=int, help="number of rounds")
    parser.add_argument("--case", action="append", choices=("ball", "oscillator", "cradle", "column"),
                        help="only this case (may be repeated)")
    parser.add_argument("--only", choices=("speed", "micro"), help="only the comparison or only the micro-benchmarks")
    parser.add_argument("--filter", help="regular expression choosing micro-benchmarks")
    parser.add_argument("--json", metavar="FILE", help="write the comparison with every run to FILE")
    parser.add_argument("--build", default=Path(__file__).resolve().parent.parent / "build", type=Path,
                        help=argparse.SUPPRESS)
    options, rest = parser.parse_known_args()
    for argument in rest:
        if not argument.startswith("--benchmark_"):
            parser.error(f"unknown option {argument}")
    rounds = options.rounds if options.rounds is not None else 3 if options.quick else 7
    if rounds < 1:
        parser.error(f"--rounds {rounds}: at least 1")

    folder = options.build / "bin"
    complaints = []
    if options.only != "micro":
        for program, what in (("saltus_speed", "Saltus speed program not built"), ("peer_floor", "floor not built"),
                              ("peer_siconos_ball", "Siconos not installed: peer skipped")):
            if not (folder / program).exists():
                print(what, file=sys.stderr)
        cases = [case for case in all_cases() if not options.case or case.name in options.case]
        complaints += measure(cases, folder, rounds, options.quick)
        complaints += check_answers(cases)
        data, missed = compare(cases)
        complaints += missed
        if options.json:
            record = {"date": time.strftime("%Y-%m-%d"), "processor": processor(), "rounds": rounds, "cases": data,
                      "complaints": complaints}
            Path(options.json).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if options.only != "speed" and (folder / "saltus_bench").exists():
        print(flush=True)
        command = [str(folder / "saltus_bench"), *rest]
        if options.filter:
            command.append("--benchmark_filter=" + options.filter)
        if subprocess.run(command).returncode:
            complaints.append("saltus_bench failed")
    for complaint in complaints:
        print("FAIL " + complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
