"""Many disks with friction: the mixer over its size, and a bed of disks beside Siconos."""
import itertools
import statistics
import sys

from common import ask, draw, number, print_table, quoted, verdict

SIZES = (100, 300, 1000, 3000, 10000)
TOLERANCE = "tolerance=5e-5"  # the mixer's default
EVEN_SWEEPS = 0.3  # how far a sweep over one contact may be from the mean over all sizes

# The race with Siconos, 200 steps of falling and settling: (disks, rounds), and pairs of tolerances that lead to
# the same largest residual, by Siconos' measure; ours is another one, five to ten times smaller.
BEDS = ((25, 5), (100, 3), (400, 1))
TOLERANCES = ((1e-4, 1e-3), (2e-5, 2e-4), (1e-5, 1e-4))
NEED_OVER_SICONOS = 20  # met by the looser pairs


def figure(file, reports):
    """Sweeps or iterations a step over the number of disks, with gnuplot."""
    curves = {}
    for r in reports:
        label = r["label"]
        curves.setdefault(label, []).append((r["n"], r["iterations"]))
    lines = ["set terminal svg size 640,420 font 'sans,13' background 'white'",
             "set logscale xy", 'set xlabel "disks"', 'set ylabel "sweeps per step"', "set key left top",
             "set grid lc rgb '#dddddd'"]
    for k, points in enumerate(curves.values()):
        lines.append(f"$c{k} << E\n" + "\n".join(f"{n} {i}" for n, i in points) + "\nE")
    lines.append("plot " + ", ".join(f"$c{k} with linespoints pt 7 lw 2 title {quoted(label)}" for k, label in enumerate(curves)))
    draw(file, lines)


def mixer(folder, quick, picture=None):
    """The disk mixer over its size; returns (reports, complaints)."""
    if not (folder / "saltus_mixer").exists():
        return None, ["saltus_mixer is not built"]
    solvers = (("plain sweeps, cold", f"psor:{TOLERANCE},max_iterations=100000", 0),
               ("plain sweeps, warm", f"psor:{TOLERANCE},max_iterations=100000", 1),
               ("default", f"automatic:{TOLERANCE}", 1))
    reports = []
    for n in SIZES[:3] if quick else SIZES:
        for label, solver, warm in solvers:
            print(f"mixer: {n} disks, {label}", file=sys.stderr, flush=True)
            report = ask(folder, ["saltus_mixer", f"n={n}", f"solver={solver}", f"warm={warm}",
                                  f"steps={200 if n < 2000 else 20}"])
            reports.append({**report, "label": label})
    rows = [("disks", "solver", "contacts", "iterations", "most", "ns/sweep/contact", "ms/step", "unsolved",
             "natural residual", "impulse residual", "overlap/r")]
    for r in reports:
        rows.append((str(r["n"]), r["label"], f"{r['contacts']:.0f}", f"{r['iterations']:.0f}",
                     str(r["most_iterations"]), f"{r['ns_per_sweep_contact']:.1f}", f"{r['ms_per_step']:.3g}",
                     str(r["unsolved"]), f"{r['natural_residual']:.1e}", f"{r['impulse_residual']:.1e}",
                     f"{r['penetration_in_r']:.3f}"))
    print("disk mixer, 200 steps of the turning bed (20 from 3000 disks on), CPU time")
    print_table(rows)
    complaints = [f"mixer: {r['n']} disks, {r['label']}: {r['unsolved']} steps unsolved" for r in reports if r["unsolved"]]
    complaints += [f"mixer: {r['n']} disks, {r['label']}: impulse residual {r['impulse_residual']:g}, allowed 1e-3"
                   for r in reports if r["impulse_residual"] > 1e-3]
    costs = [r["ns_per_sweep_contact"] for r in reports if r["label"] == "default"]
    mean = statistics.mean(costs)
    if max(abs(c - mean) for c in costs) > EVEN_SWEEPS * mean:
        complaints.append(f"mixer: a sweep over a contact costs {min(costs):.3g} to {max(costs):.3g} ns, "
                          f"not within {EVEN_SWEEPS:.0%} of {mean:.3g}")
    if picture:
        figure(picture, reports)
    return reports, complaints


def beds(folder, quick):
    """A bed of disks falls and comes to rest, next to Siconos at the same residual; returns (data, complaints)."""
    if not (folder / "saltus_bed").exists():
        return None, ["saltus_bed is not built"]
    siconos = (folder / "peer_siconos_disks").exists()
    if not siconos:
        print("Siconos' mechanics not installed: left out of the race of disks", file=sys.stderr)
    data = []
    for (n, rounds), (ours, theirs) in itertools.product(BEDS[:2] if quick else BEDS, TOLERANCES):
        print(f"bed: {n} disks, tolerances {ours:g} and {theirs:g}", file=sys.stderr, flush=True)
        runs = {"saltus": [], "siconos": []}
        for _ in range(rounds):
            common = [f"n={n}", "steps=200", "window=200"]
            runs["saltus"].append(ask(folder, ["saltus_bed", *common, f"tol={ours:g}"]))
            if siconos:
                runs["siconos"].append(ask(folder, ["peer_siconos_disks", *common, f"tol={theirs:g}"]))
        data.append({"n": n, "asked": theirs >= 2e-4,
                     **{who: {**r[0], "ms_per_step": statistics.median(x["ms_per_step"] for x in r)}
                        for who, r in runs.items() if r}})
    rows = [("disks", "contacts", "ms/step", "sweeps", "residual", "overlap", "Siconos: contacts", "ms/step", "sweeps",
             "residual", "overlap", "ratio", "required")]
    complaints = []
    for d in data:
        ours, peer = d["saltus"], d.get("siconos")
        cells = [f"{x['contacts']:.0f} {x['ms_per_step']:.3g} {x['iterations']:.0f} {x['residual']:.1e} {x['overlap']:.3f}".split()
                 for x in (ours, peer) if x]
        d["ratio"] = peer["ms_per_step"] / ours["ms_per_step"] if peer else None
        enough = peer and d["ratio"] >= NEED_OVER_SICONOS
        rows.append((str(d["n"]), *cells[0], *(cells[1] if peer else [""] * 5), number(d["ratio"]),
                     verdict(d["ratio"], enough, f">= {NEED_OVER_SICONOS}") if d["asked"] else ""))
        if peer and d["asked"] and not enough:
            complaints.append(f"bed: {d['n']} disks: Siconos takes {d['ratio']:.3g} times as long, required {NEED_OVER_SICONOS}")
        if peer and ours["residual"] > peer["residual"]:
            complaints.append(f"bed: {d['n']} disks: residual {ours['residual']:.1e}, Siconos has {peer['residual']:.1e}")
    print("\ndisks falling into a box, 200 steps with one contact problem each, friction 0.5, CPU time per step")
    print_table(rows)
    return data, complaints
