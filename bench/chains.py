"""Chains of beads: what accuracy costs next to SUNDIALS, Table 1 next to Scilab, the time per bead."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common import ask, draw, number, print_table, quoted, verdict

CHAIN_TARGETS = (1e-3, 1e-4, 1e-5)
CHAIN_PROBLEMS = {"A": "impact on 25 beads (Table 1)", "B": "impact on 1000 beads at rest",
                  "C": "1000 beads, precompressed, disordered", "D": "the same, 10 000 beads",
                  "E": "1001 beads, every second one 10 000 times lighter"}
CHAIN_TOLERANCES = [f"1e-{k}" for k in range(2, 11)]
CHAIN_NEED = {"cvode": {"A": 3, "B": 10, "C": 3, "D": 3, "E": 5}, "arkode": {"A": 1.3, "B": 10, "C": 1.3, "D": 1.3, "E": 5}}
CHAIN_PEERS = {"cvode": ("adams", "adams-newton", "bdf"), "arkode": ("dopri",)}
# scheme and stepping, @ stands for what is varied
CHAIN_OURS = {"rk:tableau=herk-5": ("adaptive:h=1,atol=@", CHAIN_TOLERANCES),
              "rk:tableau=bogacki-shampine-3": ("adaptive:h=1,atol=@", CHAIN_TOLERANCES[:7]),
              "gauss-2": ("fixed:h=@", ("0.4", "0.2", "0.1", "0.05", "0.025", "0.0125")),
              "kk-irk": ("fixed:h=@", ("0.4", "0.2", "0.1", "0.05", "0.025"))}
TABLE_1 = {("kk-irk", 1): (0.0832, 0.0447, 1000), ("kk-irk", 0.1): (0.0033, 6.1127e-4, 1000),
           ("kk-theta", 0.1): (0.0217, 0.0121, 400)}
COST_SCHEMES = ("crank-nicolson", "kk-theta", "gauss-2", "kk-irk", "rk:tableau=herk-5")
EVEN_BEADS = 0.3  # how far the time per bead may be from the middle of its range over all sizes


def chain_work_precision(folder, rounds, quick):
    """(runs, complaints): every method over its tolerances or steps, on every problem."""
    runs, peer = [], folder / "peer_sundials_chain"
    if not peer.exists():
        print("SUNDIALS not installed: left out of the chains", file=sys.stderr)
    with tempfile.TemporaryDirectory() as files:
        for problem in "ABC" if quick else "ABCDE":
            print(f"chain: problem {problem}", file=sys.stderr, flush=True)
            exact = f"{files}/{problem}.bin"
            ask(folder, ["saltus_chain", "what=reference", f"problem={problem}", f"file={exact}"])
            common = [f"problem={problem}", f"file={exact}", f"rounds={rounds}"]
            commands = []
            for scheme, (stepping, values) in CHAIN_OURS.items():
                commands += [("saltus", scheme, v, ["saltus_chain", "what=work", f"scheme={scheme}",
                                                    "stepping=" + stepping.replace("@", v), *common]) for v in values]
            for who, methods in CHAIN_PEERS.items() if peer.exists() else ():
                commands += [(who, m, v, [peer.name, f"method={m}", f"tol={v}", *common])
                             for m in methods for v in CHAIN_TOLERANCES]
            done = set()  # methods whose error is already below the smallest target
            for who, method, value, command in commands:
                if (who, method) in done:
                    continue
                try:
                    report = ask(folder, command)
                except RuntimeError:  # stages without a solution, which is reported and no failure here
                    continue
                runs.append({**report, "problem": problem, "who": who, "method": method, "value": value})
                if report["error"] < 0.3 * CHAIN_TARGETS[-1]:
                    done.add((who, method))
    return runs


def chain_verdicts(runs):
    def cheapest(problem, who, target):
        found = [r for r in runs if r["problem"] == problem and r["who"] == who and r["error"] <= target]
        return min(found, key=lambda r: r["cpu_s"]) if found else None

    complaints = []
    rows = [("problem", "error", "Saltus", "CPU ms", "CVODE", "CPU ms", "ratio", "ARKODE", "CPU ms", "ratio")]
    for problem in sorted({r["problem"] for r in runs}):
        for target in CHAIN_TARGETS:
            ours = cheapest(problem, "saltus", target)
            if not ours:
                complaints.append(f"chain {problem}: no scheme of ours reached {target:g}")
                continue
            row = [problem, f"{target:g}", f"{ours['method'].split('=')[-1]} {ours['value']}", f"{1e3 * ours['cpu_s']:.3g}"]
            for who, needs in CHAIN_NEED.items():
                peer = cheapest(problem, who, target)
                times = peer["cpu_s"] / ours["cpu_s"] if peer else None
                row += [f"{peer['method']} {peer['value']}", f"{1e3 * peer['cpu_s']:.3g}",
                        verdict(times, times >= needs[problem], f"{times:.3g} >= {needs[problem]}")] if peer else ["-"] * 3
                if peer and times < needs[problem]:
                    complaints.append(f"chain {problem} at {target:g}: {times:.3g} times less CPU than {who}, "
                                      f"required {needs[problem]}")
            rows.append(tuple(row))
    print("\nchains, work for an error of x and v at ten times; the cheapest run of each program that reaches it")
    print_table(rows)
    return complaints


def chain_table_1(folder, rounds):
    """Table 1 next to the Scilab program; (data, complaints)."""
    complaints, scilab = [], {}
    if shutil.which("scilab-cli"):
        script = Path(__file__).resolve().parent / "peers" / "table1.sce"
        env = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
        out = subprocess.run(["scilab-cli", "-nb", "-f", str(script)], capture_output=True, text=True, env=env, timeout=600)
        for line in out.stdout.splitlines():
            if line.startswith("@@"):
                r = json.loads(line[2:])
                scilab[r["scheme"], r["h"], r["jacobian"]] = r
    else:
        print("Scilab not installed: left out of Table 1", file=sys.stderr)
    rows = [("Table 1", "error x", "error v", "Saltus ms", "Scilab ms", "ratio", "with Jacobian ms", "ratio")]
    ours = {}
    for (scheme, h), (ex, ev, need) in TABLE_1.items():
        r = ours[f"{scheme} {h}"] = ask(folder, ["saltus_chain", "what=table-1", f"scheme={scheme}", f"h={h}",
                                                 f"rounds={4 * rounds}"])
        if abs(r["error_x"] - ex) > 5e-5 or abs(r["error_v"] / ev - 1) > 5e-3:
            complaints.append(f"Table 1, {scheme} h = {h}: errors {r['error_x']}, {r['error_v']}, printed {ex}, {ev}")
        plain, jac = (scilab.get((scheme, h, j)) for j in (0, 1))
        times = plain["ms"] / r["ms"] if plain else None
        rows.append((f"{scheme}, h = {h}", f"{r['error_x']:.4g}", f"{r['error_v']:.5g}", f"{r['ms']:.3g}",
                     f"{plain['ms']:.3g}" if plain else "-", verdict(times, times and times >= need, f"{number(times)} >= {need}"),
                     f"{jac['ms']:.3g}" if jac else "-", number(jac["ms"] / r["ms"]) if jac else "-"))
        if times is not None and times < need:
            complaints.append(f"Table 1, {scheme} h = {h}: {times:.0f} times less CPU than Scilab, required {need}")
    print()
    print_table(rows)
    return {"saltus": ours, "scilab": list(scilab.values())}, complaints


def chain_cost(folder, rounds, quick):
    """Time per bead over the length of the chain, an impact on a long one, memory; (data, complaints)."""
    complaints, sizes = [], (25, 100, 1000, 10000, 100000) + (() if quick else (1000000,))
    cost = {n: {s: ask(folder, ["saltus_chain", "what=cost", f"n={n}", f"scheme={s}", f"rounds={rounds}"]) for s in COST_SCHEMES}
            for n in sizes}
    print("\nchains, ns per bead and step, all beads moving, h = 0.05")
    print_table([("beads", *COST_SCHEMES)] + [(str(n), *(f"{cost[n][s]['ns']:.1f}" for s in COST_SCHEMES)) for n in sizes])
    for s in COST_SCHEMES[:-1]:  # the explicit one is bound by memory: shown, not required
        ns = [cost[n][s]["ns"] for n in sizes]
        middle = (min(ns) + max(ns)) / 2
        if max(ns) - middle > EVEN_BEADS * middle:
            complaints.append(f"chain, {s}: {min(ns):.3g} to {max(ns):.3g} ns per bead, not within {EVEN_BEADS:.0%}")
    n = 100000
    scene = {s: ask(folder, ["saltus_chain", "what=scene", f"n={n}", f"scheme={s}", f"rounds={rounds}"]) for s in COST_SCHEMES}
    print_table([(f"{n} beads, ns per bead and step", "catalog", "its iterations", "disordered, by scene", "its iterations")]
                + [(s, *(f"{r[x]:.3g}" for r in (cost[n][s], scene[s]) for x in ("ns", "newton"))) for s in COST_SCHEMES])
    for s in COST_SCHEMES[:-1]:  # another motion may need more iterations: their number is not the fault of the scene
        of_catalog, of_scene = (r["ns"] / (1 + r["newton"]) for r in (cost[n][s], scene[s]))
        if of_scene > 1.1 * of_catalog:
            complaints.append(f"chain, {s}: a disordered chain by scene costs {of_scene:.3g} ns per bead and iteration, the catalog's {of_catalog:.3g}")
    front = [ask(folder, ["saltus_chain", "what=front", f"n={n}", f"rounds={rounds}"]) for n in (100, 1000, 10000, 100000)]
    print_table([("impact on a chain at rest, beads", "ms for t = 30 in 300 steps of kk-irk")]
                + [(str(r["n"]), f"{r['ms']:.3g}") for r in front])
    memory = ask(folder, ["saltus_chain", "what=memory", f"n={100000 if quick else 1000000}"])
    print(f"a run of {memory['n']} beads takes {memory['MB']:.0f} MB")
    if memory["MB"] > 2048:
        complaints.append(f"chain: {memory['n']} beads take {memory['MB']:.0f} MB, allowed 2048")
    return {"cost": [r for by in cost.values() for r in by.values()], "scene": list(scene.values()), "front": front, "memory": memory}, complaints


def chain_figure(runs, file):
    """Work-precision of every method on every problem, by gnuplot."""
    problems = sorted({r["problem"] for r in runs})
    script = ["set terminal svg size 900,1100 enhanced background 'white'",
              "set multiplot layout 3,2", "set logscale xy", "set grid", "set format '10^{%T}'", "unset key",
              "set xlabel 'largest error of x and v'", "set ylabel 'CPU time [s]'"]
    methods = sorted({(r["who"] != "saltus", r["who"], r["method"]) for r in runs})
    styles = {(who, method): f"with linespoints lw {2 if who == 'saltus' else 1} dt {1 if who == 'saltus' else 2} "
                             f"pt {4 + k} ps 0.7 lc {k + 1}" for k, (_, who, method) in enumerate(methods)}
    for p in problems:
        script.append("set title " + quoted(f"{p}: {CHAIN_PROBLEMS[p]}"))
        plots, data = [], []
        for _, who, method in methods:
            points = sorted((r["error"], r["cpu_s"]) for r in runs
                            if (r["problem"], r["who"], r["method"]) == (p, who, method) and r["error"] < 0.3)
            if points:
                plots.append(f"'-' {styles[who, method]}")
                data += [f"{e} {c}" for e, c in points] + ["e"]
        script += ["plot " + ", ".join(plots), *data]
    # the sixth place holds the key
    script += ["unset title", "unset border", "unset tics", "unset xlabel", "unset ylabel", "set key center font ',12'",
               "set xrange [1:2]", "set yrange [1:2]",
               "plot " + ", ".join(f"NaN {styles[who, m]} title " + quoted(f"{who} {m.split('=')[-1]}") for _, who, m in methods)]
    draw(file, script)


def chain(folder, rounds, quick, figure):
    if not (folder / "saltus_chain").exists():
        return None, ["saltus_chain is not built"]
    runs = chain_work_precision(folder, min(rounds, 3), quick)
    complaints = chain_verdicts(runs)
    table, missed = chain_table_1(folder, min(rounds, 3))
    cost, uneven = chain_cost(folder, min(rounds, 5), quick)
    if figure:
        chain_figure(runs, figure)
    return {"work": runs, "table_1": table, **cost}, complaints + missed + uneven
