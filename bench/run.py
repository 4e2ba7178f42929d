#!/usr/bin/env python3
"""Speed next to the peers: Saltus, a hand-written loop (the floor), Siconos and SUNDIALS, interleaved in one run.

Every program runs in its own process, one thread, and reports its own CPU time per step in a line "@@{...}".
A round runs each program once per case; medians over the rounds are compared. Then what accuracy costs: a driven
oscillator with 57 impacts, solved to an error of 1e-8 by event capturing, by SUNDIALS CVODE and, extrapolated, by
Moreau's scheme. Then nine hyperstatic problems with friction, next to Siconos' solvers. Afterwards the
micro-benchmarks run. Options that begin with --benchmark_ are handed to them.

Exit code 1: a required ratio was measured and missed, or a program failed. A missing peer is no failure.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
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


def ask(folder, command):
    """The object a program reports; RuntimeError when it does not."""
    env = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    done = subprocess.run([str(folder / command[0]), *command[1:]], capture_output=True, text=True, errors="replace",
                          env=env, timeout=600)
    lines = [line for line in done.stdout.splitlines() if line.startswith("@@")]
    if done.returncode or not lines:
        last = (done.stderr.strip().splitlines() or ["no report"])[-1]
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {last}")
    return json.loads(lines[-1][2:])


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


# --- what accuracy costs ------------------------------------------------------------------------------------

TARGET = 1e-8           # largest error of q over the run
NEED_OVER_MOREAU = 100  # Moreau's scheme, extrapolated to the target, takes at least so many times longer
TABLEAUS = ("herk-5", "radau-iia-5", "lobatto-iiia-6", "gauss-6")
STEPS = (0.1, 0.08, 0.07, 0.065, 0.06, 0.055, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015)
TOLERANCES = (1e-9, 5e-10, 3e-10, 2e-10, 1e-10, 5e-11, 2e-11, 1e-11, 1e-12)
MOREAU_STEPS = (1.1e-3, 5.3e-4, 2.7e-4, 1.3e-4, 7.1e-5, 3.3e-5)


def accuracy_scan(folder):
    """One run of every setting: {(who, method, command): []} of the three cheapest that meet the target of every
    method, and Moreau's reports."""
    settings = [("saltus", t, ["saltus_accuracy", f"tableau={t}", f"h={h}"]) for t in TABLEAUS for h in STEPS]
    if (folder / "peer_cvode_impacts").exists():
        settings += [("cvode", lmm, ["peer_cvode_impacts", f"lmm={lmm}", f"rtol={tol}", f"atol={atol}"])
                     for lmm in ("adams", "bdf") for tol in TOLERANCES for atol in (tol, tol / 10)]
    good = {}
    for who, method, command in settings:
        report = ask(folder, [*command, "reps=2"])
        if report["status"] == "finished" and report["error"] <= TARGET:
            good.setdefault((who, method), []).append((report["us_per_run"], command))
    moreau = [ask(folder, ["saltus_accuracy", "tableau=moreau-jean", f"h={h}", "reps=1"]) for h in MOREAU_STEPS]
    return {(*key, *command): [] for key, found in good.items() for _, command in sorted(found)[:3]}, moreau


def extrapolate(reports):
    """(order, step, CPU in us) of a method at the target, from the line through log error over log h."""
    x, y = [math.log(r["h"]) for r in reports], [math.log(r["error"]) for r in reports]
    mx, my = statistics.mean(x), statistics.mean(y)
    order = sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)
    step = math.exp(mx + (math.log(TARGET) - my) / order)
    per_step = min(r["us_per_run"] / r["steps"] for r in reports)
    return order, step, per_step * reports[0]["T"] / step


def accuracy(folder, rounds):
    """Prints the tables; returns (data for JSON, complaints)."""
    if not (folder / "saltus_accuracy").exists():
        return None, ["saltus_accuracy is not built"]
    if not (folder / "peer_cvode_impacts").exists():
        print("SUNDIALS not installed: CVODE left out of the accuracy study", file=sys.stderr)
    print("accuracy: looking for the cheapest settings", file=sys.stderr, flush=True)
    reports, moreau = accuracy_scan(folder)
    for k in range(rounds):
        print(f"accuracy: round {k + 1} of {rounds}", file=sys.stderr, flush=True)
        for (_, _, *command), runs in reports.items():
            runs.append(ask(folder, [*command, "reps=3"]))
        moreau[-1]["us_per_run"] = min(moreau[-1]["us_per_run"], ask(
            folder, ["saltus_accuracy", "tableau=moreau-jean", f"h={MOREAU_STEPS[-1]}", "reps=1"])["us_per_run"])
    cost, chosen = {}, {}
    for (who, method, *_), runs in reports.items():
        us = min(r["us_per_run"] for r in runs)
        if us < cost.get((who, method), math.inf):
            cost[who, method], chosen[who, method] = us, runs
    if not any(who == "saltus" for who, _ in cost):
        return None, [f"accuracy: event capturing did not reach {TARGET:g}"]
    ours = min(us for (who, _), us in cost.items() if who == "saltus")

    impacts = chosen[min(cost, key=cost.get)][0]["impacts"]
    print(f"\ndriven oscillator, {moreau[0]['T']:g} s, {impacts} impacts: CPU time for an error of "
          f"{TARGET:g} in q, least of {rounds} interleaved rounds")
    rows = [("method", "setting", "error", "steps", "evaluations", "CPU ms", "over the best of Saltus")]
    for (who, method), us in sorted(cost.items(), key=lambda item: item[1]):
        r = chosen[who, method][0]
        setting = f"h = {r['h']:g}" if who == "saltus" else f"rtol = {r['rtol']:g}, atol = {r['atol']:g}"
        rows.append((f"{'Saltus' if who == 'saltus' else 'CVODE'} {method}", setting, f"{r['error']:.1e}",
                     str(r["steps"]), str(r["evaluations"]), f"{us / 1000:.2f}", number(us / ours)))
    order, step, us = extrapolate(moreau)
    for r in moreau[:1] + moreau[-1:]:
        rows.append(("Saltus moreau-jean", f"h = {r['h']:g}", f"{r['error']:.1e}", str(r["steps"]),
                     str(r["evaluations"]), f"{r['us_per_run'] / 1000:.2f}", ""))
    rows.append((f"extrapolated, order {order:.2f}", f"h = {step:.1e}", f"{TARGET:.1e}", f"{moreau[0]['T'] / step:.1e}",
                 "", f"{us / 1000:.2e}", f"{us / ours:.2e}"))
    print_table(rows)

    complaints = []
    rival = min((us for (who, _), us in cost.items() if who == "cvode"), default=None)
    rows = [("ratio of CPU times", "measured", "required"),
            ("Moreau-Jean (extrapolated) / event capturing", f"{us / ours:.3g}",
             verdict(us, us / ours >= NEED_OVER_MOREAU, f">= {NEED_OVER_MOREAU}")),
            ("CVODE / event capturing", number(ratio(rival, ours)), verdict(rival, rival and rival > ours, "> 1"))]
    print()
    print_table(rows)
    if us / ours < NEED_OVER_MOREAU:
        complaints.append(f"accuracy: {us / ours:.3g} times less than Moreau-Jean, required {NEED_OVER_MOREAU}")
    if rival is not None and rival <= ours:
        complaints.append(f"accuracy: event capturing takes {ours / rival:.3g} times the CPU of CVODE")

    ball = [("Saltus radau-iia-5, h = 0.05", ask(folder, ["saltus_accuracy", "case=ball", "tableau=radau-iia-5"]))]
    if (folder / "peer_cvode_impacts").exists():
        for outward, law in ((0, "u+ = -e u-"), (1, "u+ = e |u-|")):
            ball.append((f"CVODE adams, rtol = 1e-10, {law}",
                         ask(folder, ["peer_cvode_impacts", "case=ball", f"outward={outward}"])))
    rows = [("bouncing ball, e = 1/2, at rest from t = 3 on", "impacts", "ends", "at t", "largest error of q")]
    for name, r in ball:
        fell = r.get("q_end", 0) < -1e-3
        rows.append((name, str(r["impacts"]), "through the floor" if fell else r["status"], f"{r['t_end']:.6g}",
                     f"{r['error']:.1e}"))
    print()
    print_table(rows)
    if ball[0][1]["status"] != "finished" or ball[0][1]["error"] > TARGET:
        complaints.append("accuracy: the ball did not come to rest as it should")
    data = {"target": TARGET, "best": {" ".join(key): {"us": us, "runs": chosen[key]} for key, us in cost.items()},
            "moreau": {"reports": moreau, "order": order, "h": step, "us": us}, "ball": [r for _, r in ball],
            "moreau_over_saltus": us / ours, "cvode_over_saltus": ratio(rival, ours)}
    return data, complaints


# --- many disks with friction -------------------------------------------------------------------------------

# Siconos 4.4.0 with an NDEBUG kernel, spheres settling in a box to 1e-4: (contacts, ms per step). Another scene, in
# space: an order of magnitude, not a race.
RECORDED_SPHERES = ((54, 8.6), (203, 54.7), (469, 188))
MIXER_SIZES = (100, 300, 1000, 3000, 10000)
MIXER_TOLERANCE = "tolerance=1e-4"
EVEN_SWEEPS = 0.3  # how far a sweep over one contact may be from the mean over all sizes


def mixer(folder, quick):
    """The disk mixer over its size; returns (reports, complaints)."""
    if not (folder / "saltus_mixer").exists():
        return None, ["saltus_mixer is not built"]
    reports = []
    for n in MIXER_SIZES[:3] if quick else MIXER_SIZES:
        for solver in (f"psor:{MIXER_TOLERANCE},max_iterations=100000", f"automatic:{MIXER_TOLERANCE}"):
            print(f"mixer: {n} disks, {solver}", file=sys.stderr, flush=True)
            reports.append(ask(folder, ["saltus_mixer", f"n={n}", f"solver={solver}", f"steps={200 if n < 5000 else 20}"]))
    rows = [("disks", "solver", "contacts", "iterations", "most", "ns/sweep/contact", "ms/step", "unsolved",
             "natural residual", "impulse residual", "overlap/r")]
    for r in reports:
        rows.append((str(r["n"]), r["solver"].split(":")[0], f"{r['contacts']:.0f}", f"{r['iterations']:.0f}",
                     str(r["most_iterations"]), f"{r['ns_per_sweep_contact']:.1f}", f"{r['ms_per_step']:.3g}",
                     str(r["unsolved"]), f"{r['natural_residual']:.1e}", f"{r['impulse_residual']:.1e}",
                     f"{r['penetration_in_r']:.3f}"))
    print("disk mixer, 200 steps of the turning bed (20 with 10000 disks), CPU time")
    print_table(rows)
    print("for scale, recorded: Siconos NDEBUG, spheres in a box, ms/step at contacts: "
          + ", ".join(f"{ms:g} at {c}" for c, ms in RECORDED_SPHERES))
    complaints = [f"mixer: {r['n']} disks, {r['solver']}: {r['unsolved']} steps unsolved" for r in reports if r["unsolved"]]
    complaints += [f"mixer: {r['n']} disks: impulse residual {r['impulse_residual']:g}, allowed 1e-3"
                   for r in reports if r["impulse_residual"] > 1e-3]
    costs = [r["ns_per_sweep_contact"] for r in reports if r["solver"].startswith("psor")]
    mean = statistics.mean(costs)
    if max(abs(c - mean) for c in costs) > EVEN_SWEEPS * mean:
        complaints.append(f"mixer: a sweep over a contact costs {min(costs):.3g} to {max(costs):.3g} ns, "
                          f"not within {EVEN_SWEEPS:.0%} of {mean:.3g}")
    return reports, complaints


# --- hard contact problems ------------------------------------------------------------------------------------

FRICTION_TOLERANCE = 1e-8
FRICTION_FEWEST = 8  # of the nine problems must be solved
# (problem, Siconos' solvers tried on it); those left out were seen to take minutes, or memory, and to fail
FRICTION = [("pile2d-8", "nsgs"), ("pile2d-12", "nsgs"), ("pile2d-25", "nsgs"),
            ("pile3d-4", "nsgs admm nsn prox"), ("pile3d-6", "nsgs admm nsn prox"), ("pile3d-8", "nsgs admm"),
            ("wall3d-4", "nsgs admm nsn prox"), ("wall3d-6", "nsgs admm prox"), ("wall3d-10", "nsgs admm prox")]
FRICTION_LIMITS = {"nsgs": 20000, "admm": 10000, "nsn": 200, "prox": 0}


def friction(folder, rounds):
    """Solves the nine piles with our default solver and the peers; returns (data for JSON, complaints)."""
    if not (folder / "saltus_friction").exists():
        return None, ["saltus_friction is not built"]
    siconos, floor = folder / "peer_siconos_friction", folder / "peer_floor_friction"
    for program, what in ((siconos, "Siconos not installed"), (floor, "floor not built")):
        if not program.exists():
            print(f"{what}: left out of the friction problems", file=sys.stderr)
    data, complaints = [], []
    with tempfile.TemporaryDirectory() as files:
        subprocess.run([str(folder / "saltus_friction"), "write", files], check=True)
        for problem, solvers in FRICTION:
            print(f"friction: {problem}", file=sys.stderr, flush=True)
            common = [f"file={files}/{problem}.fcp", f"tol={FRICTION_TOLERANCE:g}"]
            commands = {"saltus": ["saltus_friction", "solve", problem, f"{FRICTION_TOLERANCE:g}"]}
            if siconos.exists():
                for s in solvers.split():
                    commands["siconos " + s] = [siconos.name, *common, f"solver={s}", f"maxit={FRICTION_LIMITS[s]}"]
            if floor.exists():
                commands["floor"] = [floor.name, *common, "maxit=50000"]
            runs = {who: [] for who in commands}
            for k in range(rounds):
                for who, command in commands.items():
                    if k == 0 or runs[who][0]["solve_s"] < 1:  # long ones once
                        runs[who].append(ask(folder, command))
            data.append({"problem": problem, **{who: {**r[0], "solve_s": statistics.median(x["solve_s"] for x in r)}
                                                for who, r in runs.items()}})
    rows = [("problem", "rows", "iterations", "CPU s", "residual", "best peer", "CPU s", "residual", "ratio", "")]
    solved = 0
    for d in data:
        ours = d["saltus"]
        done = ours["residual"] <= FRICTION_TOLERANCE
        solved += done
        peers = {who: r for who, r in d.items() if who not in ("problem", "saltus")}
        good = [(r["solve_s"], who) for who, r in peers.items() if r["residual"] <= FRICTION_TOLERANCE]
        # where no peer solves it, the smallest residual is shown
        best = min(good)[1] if good else min(peers, key=lambda who: peers[who]["residual"], default=None)
        cells = ("none", "", "", "")
        note = "" if done else "not solved"
        if best:
            r = peers[best]
            cells = (best, f"{r['solve_s']:.3g}", f"{r['residual']:.1e}",
                     number(r["solve_s"] / max(ours["solve_s"], 1e-6)) if good and done else "")
            note += "" if good else " no peer solves it" if done else ", nor does a peer"
            if good and not (done and ours["solve_s"] <= r["solve_s"]):
                complaints.append(f"friction {d['problem']}: {best} is faster, {r['solve_s']:.3g} s")
        rows.append((d["problem"], str(ours["rows"]), str(ours["iterations"]), f"{ours['solve_s']:.3g}",
                     f"{ours['residual']:.1e}", *cells, note.strip()))
    print(f"\nfriction: residual {FRICTION_TOLERANCE:g} from a cold start, Saltus' automatic solver and the fastest peer; "
          f"CPU time of the solver, median of {rounds} rounds (those above 1 s: once)")
    print_table(rows)
    print(f"solved {solved} of {len(data)}, required {FRICTION_FEWEST}")
    if solved < FRICTION_FEWEST:
        complaints.append(f"friction: solved {solved} of {len(data)}, required {FRICTION_FEWEST}")
    return data, complaints


# --- flexible bodies and joints on three levels ---------------------------------------------------------------

# (name, required ratio, ours, Siconos' variants); of the variants the fastest counts
THREE_LEVELS = [
    ("bar, 200 elements", 50, "case=bar ne=200 reps=20",
     {s: f"peer_siconos_bar scheme=mj storage={s} ne=200" for s in ("dense", "sparse")}),
    ("bar, 50 elements", None, "case=bar ne=50 reps=50",
     {s: f"peer_siconos_bar scheme=mj storage={s} ne=50" for s in ("dense", "sparse")}),
    ("bar, 400 elements", None, "case=bar ne=400 reps=10",
     {s: f"peer_siconos_bar scheme=mj storage={s} ne=400" for s in ("dense", "sparse")}),
    ("pendulum x, y, theta", 10, "case=pendulum reps=40",
     {s: f"peer_siconos_pendulum model=redundant scheme={s} h=1e-3 T=1.5 e=0.8 reps=3" for s in ("mj", "mjp")})]
LINEAR_BARS = (100, 1000, 10000, 100000)  # elements, with the step in proportion
MOST_GROWTH = 2.0                         # of the time per step and element over that range


def three_levels(folder, rounds):
    """Generalized-alpha beside Siconos' Moreau-Jean, and its cost over the number of elements."""
    if not (folder / "saltus_alpha").exists():
        return None, ["saltus_alpha is not built"]
    data, complaints = [], []
    rows = [("three levels against Siconos' velocity level", "Saltus us/step", "Siconos us/step", "variant", "ratio",
             "required")]
    for name, need, ours, peers in THREE_LEVELS:
        commands = {"saltus": ["saltus_alpha", *ours.split()], **{k: v.split() for k, v in peers.items()}}
        runs = {who: [] for who in commands}
        for _ in range(rounds):
            for who, command in commands.items():
                if (folder / command[0]).exists():
                    runs[who].append(ask(folder, command)["us_per_step"])
        us = statistics.median(runs["saltus"])
        rival = min(((statistics.median(r), who) for who, r in runs.items() if who != "saltus" and r),
                    default=(None, "-"))
        gain = ratio(rival[0], us)
        good = gain is None or need is None or gain >= need
        rows.append((name, number(us), number(rival[0]), rival[1], number(gain),
                     verdict(gain, good, f">= {need}") if need else ""))
        if not good:
            complaints.append(f"{name}: {gain:.3g} times faster than Siconos, required {need}")
        data.append({"case": name, "saltus_us": us, "siconos_us": rival[0], "variant": rival[1], "required": need})
    print()
    print_table(rows)
    rows = [("bar of n elements", "us/step", "ns/step/element")]
    costs = []
    for n in LINEAR_BARS:
        h = 0.4 / n
        r = min((ask(folder, ["saltus_alpha", "case=bar", f"ne={n}", f"h={h}", f"T={100 * h:.6g}",
                              f"d0={200 * h:.6g}", f"reps={max(1, 20000 // n)}"]) for _ in range(rounds)), key=lambda x: x["us_per_step"])
        costs.append(1e3 * r["us_per_step"] / n)
        rows.append((str(n), number(r["us_per_step"]), f"{costs[-1]:.1f}"))
        data.append({"case": f"bar {n}", "saltus_us": r["us_per_step"]})
    print()
    print_table(rows)
    if costs[-1] > MOST_GROWTH * min(costs):
        complaints.append(f"bar: {costs[-1]:.3g} ns per step and element with {LINEAR_BARS[-1]} elements, "
                          f"{min(costs):.3g} at best: not linear")
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
    parser.add_argument("--only", choices=("speed", "accuracy", "mixer", "friction", "three-levels", "micro"),
                        help="only the time per step, the cost of accuracy, the disk mixer, the friction problems, "
                             "generalized-alpha on bars and pendulums, or the micro-benchmarks")
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
    complaints, record = [], {"date": time.strftime("%Y-%m-%d"), "processor": processor(), "rounds": rounds}
    if options.only in (None, "speed"):
        for program, what in (("saltus_speed", "Saltus speed program not built"), ("peer_floor", "floor not built"),
                              ("peer_siconos_ball", "Siconos not installed: peer skipped")):
            if not (folder / program).exists():
                print(what, file=sys.stderr)
        cases = [case for case in all_cases() if not options.case or case.name in options.case]
        complaints += measure(cases, folder, rounds, options.quick)
        complaints += check_answers(cases)
        record["cases"], missed = compare(cases)
        complaints += missed
    if options.only == "accuracy" or (options.only is None and not options.case):
        print(flush=True)
        try:
            record["accuracy"], missed = accuracy(folder, rounds)
            complaints += missed
        except (RuntimeError, ValueError, OSError, subprocess.TimeoutExpired) as error:
            complaints.append(str(error))
    if options.only == "mixer" or (options.only is None and not options.case):
        print(flush=True)
        try:
            record["mixer"], missed = mixer(folder, options.quick)
            complaints += missed
        except (RuntimeError, ValueError, OSError, subprocess.TimeoutExpired) as error:
            complaints.append(str(error))
    if options.only == "friction" or (options.only is None and not options.case):
        try:
            record["friction"], missed = friction(folder, min(rounds, 3))
            complaints += missed
        except (RuntimeError, ValueError, OSError, subprocess.SubprocessError) as error:
            complaints.append(str(error))
    if options.only == "three-levels" or (options.only is None and not options.case):
        try:
            record["three_levels"], missed = three_levels(folder, min(rounds, 5))
            complaints += missed
        except (RuntimeError, ValueError, OSError, subprocess.SubprocessError) as error:
            complaints.append(str(error))
    if options.json:
        record["complaints"] = complaints
        Path(options.json).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if options.only in (None, "micro") and (folder / "saltus_bench").exists():
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
