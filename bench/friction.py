"""Hard contact problems: ten hyperstatic piles, next to Siconos' solvers."""
import statistics
import subprocess
import sys
import tempfile

from common import ask, number, print_table

FRICTION_TOLERANCE = 1e-8
FRICTION_FEWEST = 10  # all must be solved
# (problem, Siconos' solvers tried on it); those left out were seen to take minutes, or memory, and to fail
FRICTION = [("pile2d-8", "nsgs"), ("pile2d-12", "nsgs"), ("pile2d-25", "nsgs"),
            ("pile3d-4", "nsgs admm nsn prox"), ("pile3d-6", "nsgs admm nsn prox"), ("pile3d-8", "nsgs admm"), ("pile3d-10", "nsgs"),
            ("wall3d-4", "nsgs admm nsn prox"), ("wall3d-6", "nsgs admm prox"), ("wall3d-10", "nsgs admm prox")]
FRICTION_LIMITS = {"nsgs": 20000, "admm": 10000, "nsn": 200, "prox": 0}


def friction(folder, rounds):
    """Solves the piles with our default solver and the peers; returns (data for JSON, complaints)."""
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
