#!/usr/bin/env python3
"""Runs every catalog problem and example scene by every method and reports each cell.

A cell is `finished` (reached the end within the time limit, close enough to an accurate run), `refused` (exit code 2, for
a reason of the list below), `unlisted` (refused for another reason), `failed` (exit code 1), `slow` (over the limit) or
`off` (finished, but far from the accurate run, also with a tenth of the step and, where there is one, of the tolerance).
`./dev matrix` prints the table; `--page FILE` writes it as a page of the documentation.

The accurate run. Catalog problems with a reference have their own error. Others are compared with their default method at
an eighth and a thirty-second of the step: the finer run is the accurate one, and the distance between the two is its
uncertainty. Where that uncertainty exceeds a tenth of the motion the scene is sensitive (a drum of disks): no method can be
judged by distance, and a cell then needs only an energy that does not grow and a penetration below a hundredth of the motion.

The distance is the mean over time of |q - q_accurate|, largest coordinate, relative to the largest displacement of the
accurate run, but to 1e-9 (in the units of the system) at least: what stays at rest has no other length.

Times are seconds of CPU: a busy machine makes no cell slow. Systems of many bodies run for a part of their own time in all
cells of their row; the first column says so."""
import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from own_steps import own_steps  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
CLOSE = 0.05  # of the motion: what a method of first order may be off at the scene's own step

# Tableaus that stand for the others: explicit, stiff, symplectic.
TABLEAUS = ["herk-4", "radau-iia-5", "gauss-4"]

# Heavy targets: the end of their runs, in their units of time.
ENDS = {"disk-mixer": 0.05, "drum": 0.05, "chain-drum": 0.05, "soft-bed": 0.4, "poured-spheres": 0.05,
        "brick-wall": 0.02, "string-cradle": 0.4}

# Mathematical reasons to refuse: part of the message | why. tests/matrix/reasons.txt
REASONS = [tuple(part.strip() for part in line.split("|"))
           for line in (Path(__file__).with_name("reasons.txt")).read_text().splitlines()
           if line.strip() and not line.startswith("#")]


def name_of(target):
    return Path(target).stem if "/" in str(target) else str(target)


class Program:
    def __init__(self, path):
        self.path = str(Path(path).resolve())

    def ask(self, *words):
        done = subprocess.run([self.path, *words, "--json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def default(self, stepping, option):
        if not hasattr(self, "listed"):
            self.listed = self.ask("list")
        parameters = next(s["parameters"] for s in self.listed["steppings"] if s["name"] == stepping)
        return next(p["default"] for p in parameters if p["name"] == option)

    def run(self, target, options, out, limit):
        """(exit code or None when over the limit, JSON, seconds of CPU)"""
        command = [self.path, "run", str(target), "--no-error", "--json", *(["-o", str(out)] if out else []), *options]
        most = max(1, round(limit))
        done = subprocess.run(command, capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1)))
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return None, {}, limit
        try:
            answer = json.loads(done.stdout)
        except json.JSONDecodeError:
            answer = {"message": (done.stderr or done.stdout).strip()}
        return done.returncode, answer, (answer.get("stats") or {}).get("cpu_seconds") or 0.0


class PartOfTime(Program):
    """Runs heavy targets to the ENDS of the matrix."""

    def run(self, target, options, out, limit):
        end = ENDS.get(name_of(target))
        more = ["--t-end", str(end)] if end and "--t-end" not in options else []
        return super().run(target, [*options, *more], out, limit)


class Motion:
    """Positions over time of a result file, one value at each time (the last where a time repeats)."""

    def __init__(self, file):
        with h5py.File(file, "r") as f:
            t, q = f["samples/t"][:], f["samples/q"][:]
        keep = np.append(t[1:] > t[:-1], True)
        self.t, self.q = t[keep], q[keep]

    def motion(self):
        """The largest displacement; of a system at rest a millionth of its size, 1e-9 at least, so that rounding is
        small."""
        if not self.q.size:
            return 1.0
        return max(float(np.max(np.abs(self.q - self.q[0]))), 1e-6 * float(np.max(np.abs(self.q))), 1e-9)

    def distance(self, other):
        """Mean over time of the largest difference of a coordinate."""
        end = min(self.t[-1], other.t[-1])
        t = np.unique(np.concatenate([self.t[self.t <= end], other.t[other.t <= end]]))
        if len(t) > 20000:
            t = t[:: len(t) // 20000 + 1]
        worst = np.zeros(len(t))
        for i in range(self.q.shape[1]):
            difference = np.interp(t, self.t, self.q[:, i]) - np.interp(t, other.t, other.q[:, i])
            worst = np.maximum(worst, np.abs(difference))
        return float(np.trapz(worst, t) / (t[-1] - t[0])) if len(t) > 1 else 0.0


def step_of(answer):
    """The step of a method as the program prints it: fixed:h=0.001,…"""
    for part in answer["method"]["stepping"].partition(":")[2].split(","):
        key, _, value = part.partition("=")
        if key in ("h", "h_max"):
            return float(value)
    return None


def methods(program, family):
    """(label, scheme, stepping name) of the methods that go with a family of systems."""
    out = []
    for scheme in program.ask("list")["schemes"]:
        fits = scheme["family"] == family or (scheme["family"] == "overdetermined DAE" and family == "mechanical")
        if not fits:
            continue
        for stepping in scheme["steppings"]:
            if stepping == "tolerance":  # which chooses the scheme
                if ("by tolerance", None, stepping) not in out:
                    out.append(("by tolerance", None, stepping))
            elif scheme["name"] == "runge-kutta":
                out += [(t, f"runge-kutta:tableau={t}", stepping) for t in TABLEAUS]
            else:
                usual = stepping == scheme["steppings"][0]
                out.append((scheme["name"] + ("" if usual else f", {stepping}"), scheme["name"], stepping))
    return out


def runs_as_first_order(program, target, folder):
    """Whether schemes of first order take a mechanical target: all of its contacts are compliant."""
    code, _, _ = program.run(target, ["--scheme", "gauss-2", "--t-end", "0"], folder / "probe.h5", 40)
    return code == 0


def options_of(program, scheme, stepping, h, part):
    """Steps of a part of the size that the target's own method has; what controls its steps gets a range around it, and
    that part of its tolerance."""
    h /= part
    if stepping == "tolerance":
        return ["--rtol", f"{1e-6 / part:g}"]
    controlled = {"adaptive": f"adaptive:h={10 * h:.17g},h0={h:.17g}",
                  "switching": f"switching:h_max={10 * h:.17g},h_min={1e-3 * h:.17g}"}
    if stepping in controlled:
        atol = f",atol={program.default(stepping, 'atol') / part:g}"
        return ["--scheme", scheme, "--stepping", controlled[stepping] + atol]
    return ["--scheme", scheme, "--stepping", f"{stepping}:h={h:.17g}"]


def with_step(options, h):
    """The same method with another step."""
    if "--h" in options:
        options = options[:options.index("--h")]
    return [*options, "--h", f"{h:.17g}"]


def accurate(program, target, folder, limit):
    """The usual run of a target and what the others are measured by."""
    code, usual, _ = program.run(target, own_steps(target), folder / "usual.h5", limit)
    if code != 0:
        return None, f"its own method: {usual.get('message', 'too slow')}"
    facts = {"h": step_of(usual), "usual": usual}
    if not usual["method"]["stepping"].startswith("fixed"):  # its largest step is far too long for others
        facts["h"] = min(facts["h"], usual["t"] / 2000)
    runs = [Motion(folder / "usual.h5")]
    for part in (8, 32):
        code, _, _ = program.run(target, with_step(own_steps(target), step_of(usual) / part), folder / f"fine{part}.h5", 4 * limit)
        if code == 0:
            runs.append(Motion(folder / f"fine{part}.h5"))
    facts["path"] = runs[-1]
    facts["motion"] = runs[-1].motion()
    facts["uncertainty"] = runs[-1].distance(runs[-2]) / facts["motion"] if len(runs) > 1 else 1.0
    facts["sensitive"] = facts["uncertainty"] > 0.1
    return facts, ""


def judge(code, answer, file, facts):
    if code is None:
        return "slow", "", None
    message = answer.get("message", "").replace(f"{ROOT}/", "")
    listed = any(part in message for part, _ in REASONS)
    if code == 2:
        return ("refused" if listed else "unlisted"), message, None
    if code != 0 and listed:  # what a method needs of a system ceased to hold on the way
        return "refused", message, None
    if code != 0:
        return "failed", message, None
    path = Motion(file)
    distance = path.distance(facts["path"]) / facts["motion"]
    energy = answer.get("energy") or {}
    if facts["sensitive"]:
        own = facts["usual"].get("energy") or {}
        grown = (energy.get("final") or 0) - max(own.get("initial") or 0, own.get("final") or 0)
        deep = (answer["residuals"].get("gap") or 0) / facts["motion"]
        sound = grown <= 0.01 * abs((own.get("initial") or 0) - (own.get("final") or 0)) + 1e-9 and deep <= 0.01
        return ("finished" if sound else "off"), f"grown {grown:.2g}, penetration {deep:.2g}", distance
    limit = CLOSE + 2 * facts["uncertainty"]
    return ("finished" if distance <= limit else "off"), "", distance


def row(program, target, wanted, limit):
    """All cells of a target: {label: (verdict, message, distance, seconds, part of the step)}, and its facts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        facts, trouble = accurate(program, target, folder, limit)
        if facts is None:
            return None, trouble
        family = facts["usual"].get("family") or family_of(program, facts["usual"])
        facts["family"] = family
        cells = {}
        tried = methods(program, family)
        if family == "mechanical" and runs_as_first_order(program, target, folder):
            tried += methods(program, "first-order")
        for label, scheme, stepping in tried:
            if wanted and not any(part in label for part in wanted):
                continue
            out = folder / "cell.h5"
            for part in (1, 10):  # what is off gets a second chance, see options_of
                out.unlink(missing_ok=True)
                options = options_of(program, scheme, stepping, facts["h"], part)
                code, answer, seconds = program.run(target, options, out, limit)
                verdict, message, distance = judge(code, answer, out, facts)
                if verdict != "off":
                    break
            cells[label] = (verdict, message, distance, seconds, part)
        del facts["path"]
        return facts, cells


def family_of(program, answer):
    scheme = answer["method"]["scheme"].partition(":")[0]
    return next(s["family"] for s in program.ask("list")["schemes"] if s["name"] == scheme)


def shown(cell):
    verdict, _, distance, _, part = cell
    return f"{distance:.0e}" + ("" if part == 1 else f" (h/{part})") if verdict == "finished" else verdict


def page(rows):
    """The table as Markdown, one per family, and the reasons of what is refused."""
    text = ["# Methods on systems", ""]
    text += [__doc__.split("\n\n", 1)[1].replace("\n", " ").replace("  ", "\n\n"), ""]
    for family in ("mechanical", "first-order", "overdetermined DAE"):
        chosen = {name: r for name, r in rows.items() if r[0] and r[0]["family"] == family}
        if not chosen:
            continue
        labels = list(dict.fromkeys(label for _, cells in chosen.values() for label in cells))
        cells = [c for _, r in chosen.values() for c in r.values()]
        done = sum(c[0] == "finished" for c in cells)
        text += [f"## {family.capitalize()} systems", "", f"{done} of {len(cells)} cells finish.", ""]
        text += ["| system | step | " + " | ".join(labels) + " |", "|---" * (len(labels) + 2) + "|"]
        for name, (facts, r) in chosen.items():
            mark = (f" (to t = {ENDS[name]:g})" if name in ENDS else "") + (" (sensitive)" if facts["sensitive"] else "")
            text.append(f"| {name}{mark} | {facts['h']:g} | " + " | ".join(shown(r[x]) if x in r else "" for x in labels) + " |")
        text.append("")
        reasons = {}
        for name, (_, r) in chosen.items():
            for label, c in r.items():
                if c[0] != "finished":
                    reasons.setdefault((c[0], c[1].split("\n")[0][:160]), []).append(f"{name} ({label})")
        if reasons:
            text += ["| outcome | message | cells |", "|---|---|---|"]
            for (verdict, message), places in sorted(reasons.items()):
                text.append(f"| {verdict} | {message.replace('|', '/')} | {', '.join(places)} |")
            text.append("")
    text += ["## Reasons to refuse", "", "| message | why |", "|---|---|"]
    text += [f"| {part} | {why} |" for part, why in REASONS]
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the saltus to ask")
    parser.add_argument("targets", nargs="*", help="problems or scene files; all when none is named")
    parser.add_argument("--method", action="append", help="only methods whose label contains this; may be repeated")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=40, help="seconds for one cell")
    parser.add_argument("--page", metavar="FILE", help="write the table as Markdown")
    parser.add_argument("--json", metavar="FILE", help="write every cell as JSON")
    parser.add_argument("--rows", metavar="FILE", action="append", default=[],
                        help="rows that --json wrote before; only targets that are named are run then")
    a = parser.parse_intermixed_args()
    program = PartOfTime(a.program)
    rows, bad = {}, 0
    for file in a.rows:
        rows.update(json.loads(Path(file).read_text()))
    catalog = [p["name"] for p in program.ask("list")["problems"]]
    targets = a.targets
    if not targets and not a.rows:
        targets = catalog + sorted(str(p) for folder in ("scenes", "space") for p in (ROOT / "examples" / folder).glob("*.yaml"))
    with ThreadPoolExecutor(a.jobs) as pool:
        for target, result in zip(targets, pool.map(lambda t: row(program, t, a.method, a.limit), targets)):
            name = name_of(target)
            if "/" in target and name in catalog:
                name += ".yaml"
            rows[name] = result
            facts, cells = result
            if facts is None:
                print(f"{name:24} {cells}", flush=True)
                bad += 1
                continue
            line = "  ".join(f"{label}: {shown(c)}" for label, c in cells.items())
            print(f"{name:24} h = {facts['h']:g}, uncertainty {facts['uncertainty']:.0e}"
                  f"{' (sensitive)' if facts['sensitive'] else ''}: {line}", flush=True)
            bad += sum(c[0] not in ("finished", "refused") for c in cells.values())
    if a.json:
        Path(a.json).write_text(json.dumps(rows, default=str, indent=1))
    if a.page:
        Path(a.page).write_text(page(rows))
    cells = [c for facts, r in rows.values() if facts for c in r.values()]
    counts = {v: sum(c[0] == v for c in cells) for v in ("finished", "refused", "unlisted", "failed", "slow", "off")}
    print(f"{len(cells)} cells: " + ", ".join(f"{n} {v}" for v, n in counts.items()))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
