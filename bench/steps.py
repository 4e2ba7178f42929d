"""The time per step on small systems, next to a hand-written loop (the floor) and Siconos."""
import statistics
import subprocess
import sys

from common import ask, number, print_table, ratio, verdict

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
                   {"lemke": f"peer_siconos_ball sys={name} scheme=mj h=1e-3 T={T} reps={reps // 20}"}, most_floor=5)
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
    """The report of a program that tells its time per step."""
    report = ask(folder, command)
    if "failed" in report or not isinstance(report.get("us_per_step"), (int, float)) or report["us_per_step"] <= 0:
        raise RuntimeError(f"{' '.join(command)} reported {report}")
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


def study(folder, rounds, quick, chosen):
    """Measures and compares; returns (data for JSON, complaints)."""
    for program, what in (("saltus_speed", "Saltus speed program not built"), ("peer_floor", "floor not built"),
                          ("peer_siconos_ball", "Siconos not installed: peer skipped")):
        if not (folder / program).exists():
            print(what, file=sys.stderr)
    cases = [case for case in all_cases() if not chosen or case.name in chosen]
    complaints = measure(cases, folder, rounds, quick) + check_answers(cases)
    data, missed = compare(cases)
    return data, complaints + missed
