#!/usr/bin/env python3
"""The remainder of the ledger on every catalog problem, by several schemes, over the step.

The remainder is the error of the scheme in the energy, so it tends to zero with the step. Each cell runs at h, h/2 and h/4, h
being the step of the problem (times 4 for methods of order 3 and more). It prints |remainder| / scale at the three steps and
the observed order, the slope of a straight line through them in logarithmic axes. Where impacts move by a step, the
remainder has a part of order h that changes its sign from step to step: where three steps do not show an order of 1/2 at
least, four more steps are taken, down to h/64, and the slope is that of all seven.

A cell is `rounding` (below 1e-10 of the scale, or 1e-14, at the last step), has an order, or is `refused` or `failed` with a
message. The exit code is 1 if a remainder does not tend to zero, apart from the cells of EXCEPTIONS.

The tailored schemes of chains keep an error of the damping for fixed gamma (docs/explanation/chains.md); they run with
gamma = h, where they have an order."""
import argparse
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "matrix"))
from matrix import Program, own_steps, step_of  # noqa: E402

# Column, family of systems, scheme, stepping, factor of the step.
SCHEMES = [
    ("moreau-jean", "mechanical", "moreau-jean", "fixed", 1),
    ("θ = 1", "mechanical", "moreau-jean:theta=1", "fixed", 1),
    ("moreau-midpoint", "mechanical", "moreau-midpoint", "fixed", 1),
    ("moreau-projected", "mechanical", "moreau-projected", "fixed", 1),
    ("schatzman-paoli", "mechanical", "schatzman-paoli", "fixed", 1),
    ("generalized-α", "mechanical", "generalized-alpha", "fixed", 1),
    ("radau-iia-3", "mechanical", "runge-kutta:tableau=radau-iia-3", "event-capturing", 4),
    ("gauss-4", "mechanical", "runge-kutta:tableau=gauss-4", "event-capturing", 4),
    ("crank-nicolson", "first-order", "crank-nicolson", "fixed", 1),
    ("rk radau-iia-3", "first-order", "rk:tableau=radau-iia-3", "fixed", 1),
    ("gauss-2", "first-order", "gauss-2", "fixed", 1),
    ("kk-theta", "first-order", "kk-theta", "fixed", 1),
    ("kk-irk", "first-order", "kk-irk", "fixed", 1),
    ("symplectic-euler", "overdetermined DAE", "symplectic-euler", "fixed", 1),
    ("strang", "overdetermined DAE", "symplectic-euler:composition=strang", "event-location", 1),
]
TINY = 1e-10  # of the scale: rounding and the tolerances of solvers
OWN = {
    "disk-mixer": ["--t-end", "0.05"],  # later it jams: see docs/explanation/ledger.md
    # The paper's start is 0.9 um inside the pole. Schemes that hold positions push it out once, which makes 1.6e-7 J at any step;
    # this one is on the pole, phi_M0 = -(r_M - r_0)/h_M.
    "woodpecker": ["-p", "phi_M0=-0.10344827586206896"],
}
# Remainders that stay at these steps, with the reason.
EXCEPTIONS = {
    **{("disk-mixer", x): "comes with 650 impacts of up to 50 contacts, not with the steps" for x in ("radau-iia-3", "gauss-4")},
    ("disk-mixer", "strang"): "some steps are finished by time stepping, which the run says",
    ("flexible-pendulum", "θ = 1"): "damps the vibrations of the beam, which these steps do not resolve",
}
LEAST = 0.5   # an order that shows


def slope(steps, values):
    """Of a straight line through the logarithms."""
    x = [math.log(h) for h in steps]
    y = [math.log(max(v, 1e-17)) for v in values]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


class Cell:
    def __init__(self, program, target, scheme, stepping, h, limit, known):
        self.steps, self.values, self.message = [], [], ""
        for part in (1, 2, 4, 8, 16, 32, 64):
            if part == 8 and (self.values[-1] < TINY or slope(self.steps, self.values) >= LEAST):
                break
            options = ["--scheme", scheme, "--stepping", f"{stepping}:h={h / part:.17g}", *OWN.get(target, []),
                       "--trust", "energy=10,penetration=10,drift=10,motion=10"]
            if scheme.startswith("kk-"):
                options += ["-p", f"gamma={h / part:.17g}"]
            code, answer, _ = program.run(target, options, None, limit)
            if code != 0:  # far from zero a run fails; more steps than three may take too long
                if part > 4:
                    break
                self.verdict = {2: "refused", None: "slow"}.get(code, "failed")
                self.message = answer.get("message", "")
                return
            ledger = answer["ledger"]
            if ledger["remainder"] is None:
                self.verdict, self.message = "refused", "no energy"
                return
            self.steps.append(h / part)
            tiny = abs(ledger["remainder"]) < 1e-14
            self.values.append(0.0 if tiny else abs(ledger["remainder"]) / ledger["scale"])
        self.order = slope(self.steps, self.values)
        self.verdict = "rounding" if self.values[-1] < TINY else "tends" if self.order >= LEAST else "stays"
        if self.verdict == "stays" and known:
            self.verdict, self.message = "known", known

    def text(self):
        if self.verdict == "rounding":
            return "rounding"
        if self.verdict in ("tends", "stays", "known"):
            shown = self.values if len(self.values) <= 3 else [self.values[0], self.values[-1]]
            mark = "" if len(self.values) <= 3 else f" (h/{2 ** (len(self.values) - 1)})"
            return f"{', '.join(f'{v:.0e}' for v in shown)}{mark}: {self.order:.1f}" + (" STAYS" if self.verdict == "stays" else "")
        return self.verdict

    def cell(self):
        """For the page: remainder at the smallest step, and the order."""
        if self.verdict in ("tends", "stays", "known"):
            return f"{self.values[-1]:.0e} ({self.order:.1f})"
        return {"rounding": "0", "refused": "–"}.get(self.verdict, self.verdict)


def row(program, target, wanted, limit):
    code, usual, _ = program.run(target, own_steps(target) + OWN.get(target, []), None, limit)
    if code != 0:
        return None, usual.get("message", "slow")
    scheme = usual["method"]["scheme"].partition(":")[0]
    family = next(s["family"] for s in program.ask("list")["schemes"] if s["name"] == scheme)
    h = step_of(usual)
    if not usual["method"]["stepping"].startswith("fixed"):  # its largest step is too long for others
        h = min(h, usual["t"] / 2000)
    cells = {}
    for label, kind, scheme, stepping, factor in SCHEMES:
        if (kind == family or (kind == "overdetermined DAE" and family == "mechanical")) and wanted in label:
            cells[label] = Cell(program, target, scheme, stepping, factor * h, limit, EXCEPTIONS.get((target, label), ""))
    return h, cells


def table(rows):
    """Markdown: one table for each group of problems that share their columns."""
    groups = {}
    for name, (h, cells) in rows.items():
        if h is not None:
            groups.setdefault(tuple(cells), []).append((name, h, cells))
    text = []
    for labels, group in groups.items():
        text += ["| problem | h/4 | " + " | ".join(labels) + " |", "|---" * (len(labels) + 2) + "|"]
        text += [f"| {name} | {h / 4:.2g} | " + " | ".join(cells[x].cell() for x in labels) + " |" for name, h, cells in group]
        text.append("")
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the saltus to ask")
    parser.add_argument("targets", nargs="*", help="problems or scene files; the catalog when none is named")
    parser.add_argument("--scheme", default="", help="only columns whose name contains this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60, help="seconds for one run")
    parser.add_argument("--table", metavar="FILE", help="write the table as Markdown")
    a = parser.parse_intermixed_args()
    program = Program(a.program)
    targets = a.targets or [p["name"] for p in program.ask("list")["problems"]]
    rows, bad = {}, 0
    with ThreadPoolExecutor(a.jobs) as pool:
        for target, (h, cells) in zip(targets, pool.map(lambda t: row(program, t, a.scheme, a.limit), targets)):
            name = Path(target).stem if "/" in target else target
            rows[name] = (h, cells)
            if h is None:
                print(f"{name}: {cells}", flush=True)
                bad += 1
                continue
            print(f"{name}, h = {h:g}", flush=True)
            for label, cell in cells.items():
                print(f"  {label:18} {cell.text()}" + (f": {cell.message[:140]}" if cell.message else ""), flush=True)
                bad += cell.verdict == "stays"
    if a.table:
        Path(a.table).write_text(table(rows))
    every = [c for h, cells in rows.values() if h is not None for c in cells.values()]
    counts = {v: sum(c.verdict == v for c in every) for v in ("rounding", "tends", "known", "stays", "refused", "failed", "slow")}
    print(f"{len(every)} cells: " + ", ".join(f"{n} {v}" for v, n in counts.items()))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
