"""What accuracy through impacts costs: ten problems with 7 to 57 impacts, by tolerance and by the peers.

A program runs a problem at a ladder of tolerances (Moreau-Jean: of steps) and reports states at five times and its CPU time,
measured inside the program, the least of repeated runs without output. The error is the largest one of a coordinate or velocity at these times over the largest magnitude
of that component. Of each program the cheapest run counts whose error is below the one asked for."""
import json
import statistics
import subprocess
import sys
from pathlib import Path

from common import ask, number, print_table

HERE = Path(__file__).resolve().parent
SCENES = HERE / "impacts"
ERRORS = (1e-4, 1e-6, 1e-9)
PARTS = 5
LADDER = [10 ** (-k / 2) for k in range(4, 27)]  # 1e-2 to 1e-13
STEPS = (1000, 3000, 10000, 30000, 100000, 300000)


def error_of(samples, case):
    """Of states one after the other, q then u; infinite when some are missing."""
    if len(samples) != len(case["samples"]) or None in samples:
        return float("inf")
    n = len(case["scale"])
    return max(abs(x - y) / case["scale"][k % n] for k, (x, y) in enumerate(zip(samples, case["samples"])))


def saltus_json(program, *arguments):
    done = subprocess.run([str(program), *arguments, "--json"], capture_output=True, text=True, timeout=600)
    out = json.loads(done.stdout)
    if done.returncode:
        raise RuntimeError(f"saltus {' '.join(arguments)}: {out.get('message', done.stderr)}")
    return out


def by_peer(folder, command, case, rungs):
    for rung in rungs:
        try:
            out = ask(folder, [*command, f"problem={case['problem']}", rung, f"samples={PARTS}"])
        except RuntimeError:  # a peer may crash
            continue
        if out["status"] == "finished":
            yield {"error": error_of(out["samples"], case), "seconds": out["seconds"], "evaluations": out.get("evaluations")}


def scipy_python():
    """An interpreter with SciPy, or None."""
    for python in (sys.executable, "/usr/bin/python3"):
        if Path(python).exists() and subprocess.run([python, "-c", "import scipy.integrate"], capture_output=True).returncode == 0:
            return python
    return None


def contenders(folder, program, quick):
    """Name: a function from a case to its runs; None where the peer is not installed."""
    ladder = LADDER[::4] if quick else LADDER
    tolerances = [f"rtol={r!r}" for r in ladder]
    there = lambda name: (folder / name).exists()  # noqa: E731
    python = scipy_python()
    peer = lambda command, rungs: lambda case: by_peer(folder, command, case, rungs)  # noqa: E731
    return {
        "saltus": lambda case: by_peer(folder, ["saltus_impacts", f"scene={SCENES / (case['problem'] + '.yaml')}"], case,
                                       [f"rtol={r!r}" for r in LADDER]),
        "CVODE Adams": peer(["peer_cvode_problems", "lmm=adams"], tolerances) if there("peer_cvode_problems") else None,
        "CVODE BDF": peer(["peer_cvode_problems", "lmm=bdf"], tolerances) if there("peer_cvode_problems") else None,
        "SciPy DOP853": peer([python, str(HERE / "peers" / "scipy_impacts.py")], tolerances[::2]) if python else None,
        "Siconos ED": peer(["peer_siconos_problems", "scheme=ed"], tolerances[::2]) if there("peer_siconos_problems") else None,
        "Siconos MJ": peer(["peer_siconos_problems", "scheme=mj", "reps=1"], [f"steps={n}" for n in STEPS[:4 if quick else 6]])
        if there("peer_siconos_problems") else None,
    }


def zeno(folder, program):
    """Who ends a ball with e = 1/2, at rest from t = 3 sqrt(2/g) on: rows of a table."""
    rows = [["ball with e = 1/2, to t = 3, tolerance 1e-10", "ends", "at t", "height"]]
    out = saltus_json(program, "run", str(SCENES / "zeno.yaml"), "--rtol", "1e-10", "--no-error")
    rows.append(["saltus", out["status"], f"{out['t']:g}", f"{out['q'][0]:.1e}"])
    peers = [("CVODE Adams", "peer_cvode_problems", ["lmm=adams"]), ("CVODE BDF", "peer_cvode_problems", ["lmm=bdf"]),
             ("SciPy DOP853", scipy_python(), [str(HERE / "peers" / "scipy_impacts.py")]),
             ("Siconos ED", "peer_siconos_problems", ["scheme=ed"])]
    for name, command, options in peers:
        if not command or not (folder / command).exists():
            continue
        try:
            out = ask(folder, [command, *options, "problem=zeno", "rtol=1e-10", "samples=1", "roots=20000"])
        except RuntimeError as error:
            rows.append([name, str(error)[-40:], "", ""])
            continue
        height = out["samples"][0] if out["samples"] else None
        fell = height is not None and height < -1e-3
        rows.append([name, "through the floor" if fell else out["status"], f"{out['t']:g}", "-" if height is None else f"{height:.1e}"])
    return rows


def cheapest(runs, error):
    good = [r["seconds"] for r in runs if r["error"] <= error]
    return min(good) if good else None


def impacts(folder, program, quick, chosen=None):
    cases = json.loads((SCENES / "values.json").read_text(encoding="utf-8"))["cases"]
    names = contenders(folder, program, quick)
    print("CPU time in ms for an error of 1e-4, 1e-6, 1e-9 through impacts (bench/impacts/*.yaml)")
    for name, found in names.items():
        if not found:
            print(f"  {name}: not installed, skipped")
    active = [name for name, found in names.items() if found]
    rows, record = [["problem", "impacts", "error", *active]], {}
    ratios = {name: [] for name in active}
    for case in cases:
        if chosen and case["problem"] not in chosen:
            continue
        runs = record[case["problem"]] = {name: list(names[name](case)) for name in active}
        for error in ERRORS:
            times = {name: cheapest(runs[name], error) for name in active}
            rows.append([case["problem"], str(case["impacts"]), f"{error:.0e}",
                         *("-" if times[name] is None else number(1e3 * times[name]) for name in active)])
            for name in active:
                if times[name] is not None and times["saltus"] is not None:
                    ratios[name].append(times[name] / times["saltus"])
            cvode = [times[name] for name in active if name.startswith("CVODE") and times[name] is not None]
            if cvode and times["saltus"] is not None:
                ratios.setdefault("CVODE, the better", []).append(min(cvode) / times["saltus"])
    print_table(rows)
    for name, list_ in ratios.items():
        if name != "saltus" and list_:
            print(f"  {name} takes {statistics.median(list_):.3g} times as long as saltus in the median, "
                  f"{min(list_):.3g} to {max(list_):.3g}, of {len(list_)} pairs")
    record["ratios"] = ratios
    print()
    print_table(zeno(folder, program))
    missed = [f"impacts: saltus did not reach {row[2]} on {row[0]}" for row in rows[1:] if row[3] == "-"]
    return record, missed
