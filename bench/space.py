"""Bodies in space: spheres that fall into a box, a wall of bricks, a heap of boxes, next to ODE, Bullet and Siconos."""
import statistics
import sys

from common import ask, number, print_table, verdict

# kind, bodies, steps (the window of the timing is their last fifth), rounds
RACES = (("spheres", 343, 120, 3), ("spheres", 8000, 60, 1), ("wall", 100, 60, 3), ("heap", 500, 200, 1))
LOOSE = "automatic:tolerance=1e-3"  # about what the engines' few sweeps leave
STRICT = "automatic:tolerance=1e-4"  # that of Siconos
NEED_OVER_SICONOS, NEED_BESIDE_ENGINES, EVEN = 20, 2, 2
SIZES = (1000, 10000, 100000)


def race(folder, kind, n, steps, rounds):
    common = [f"kind={kind}", f"n={n}", f"steps={steps}", f"window={steps // 5}"]
    programs = {"saltus, default": ["saltus_space", *common], "saltus, 1e-4": ["saltus_space", *common, f"solver={STRICT}"],
                "saltus, 1e-3": ["saltus_space", *common, f"solver={LOOSE}"], "ODE": ["peer_ode_space", *common],
                "Bullet": ["peer_bullet_space", *common]}
    if kind == "spheres" and n < 1000:
        programs["Siconos, 1e-4"] = ["peer_siconos_space", *common]
    out = {}
    for who, command in programs.items():
        if not (folder / command[0]).exists():
            print(f"{command[0]} is not built: left out", file=sys.stderr)
            continue
        print(f"space: {kind}, {n} bodies, {who}", file=sys.stderr, flush=True)
        runs = [ask(folder, command) for _ in range(rounds if "default" not in who else 1)]
        out[who] = {**runs[0], "ms_per_step": statistics.median(r["ms_per_step"] for r in runs)}
    return out


def flat(folder, quick):
    """Time per step and body of spheres in flight and contact, over their number."""
    rows, data = [("spheres", "ms/step", "us/step/body", "contacts")], []
    for n in SIZES[:2] if quick else SIZES:
        r = ask(folder, ["saltus_space", "kind=spheres", f"n={n}", "steps=40", "window=10", "h=1e-2", f"solver={LOOSE}"])
        data.append(r)
        rows.append((str(n), number(r["ms_per_step"]), number(1e3 * r["ms_per_step"] / n), f"{r['contacts']:.0f}"))
    print("\nspheres on their way into the box, time per step over their number")
    print_table(rows)
    cost = [r["ms_per_step"] / r["n"] for r in data]
    return data, [f"space: time per step and body grows {max(cost) / cost[0]:.3g} times, allowed {EVEN}"] if max(cost) > EVEN * cost[0] else []


def space(folder, quick):
    if not (folder / "saltus_space").exists():
        return None, ["saltus_space is not built"]
    data, complaints = [], []
    rows = [("scene", "bodies", "program", "contacts", "iterations", "ms/step", "deepest overlap", "mean", "ratio", "required")]
    for kind, n, steps, rounds in RACES:
        if quick and n > 1000:
            continue
        found = race(folder, kind, n, steps, rounds)
        data.append({"kind": kind, "n": n, **found})
        engines = [found[e]["ms_per_step"] for e in ("ODE", "Bullet") if e in found]
        for who, r in found.items():
            value, word = None, "-"
            if who == "Siconos, 1e-4":
                value = r["ms_per_step"] / found["saltus, 1e-4"]["ms_per_step"]
                word = verdict(value, value >= NEED_OVER_SICONOS, f">= {NEED_OVER_SICONOS}")
                if value < NEED_OVER_SICONOS:
                    complaints.append(f"space: {kind}: Siconos takes {value:.3g} times as long, required {NEED_OVER_SICONOS}")
            if who == "saltus, 1e-3" and engines:
                value = r["ms_per_step"] / max(engines)
                word = verdict(value, value <= NEED_BESIDE_ENGINES, f"<= {NEED_BESIDE_ENGINES}")
                if value > NEED_BESIDE_ENGINES:
                    complaints.append(f"space: {kind} {n}: {value:.3g} times the slower engine, allowed {NEED_BESIDE_ENGINES}")
            rows.append((kind, str(n), who, f"{r['contacts']:.0f}", number(r["iterations"]), number(r["ms_per_step"]),
                         f"{r['overlap']:.1e}", f"{r['mean_overlap']:.1e}", number(value), word))
    print("\nbodies in space, CPU time of one step, one thread; overlaps from positions alone")
    print_table(rows)
    more, wrong = flat(folder, quick)
    return {"races": data, "flat": more}, complaints + wrong
