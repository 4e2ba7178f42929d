#!/usr/bin/env python3
"""Are error bars honest? Random mechanisms and all catalog problems with exact references, by tolerance.

Mechanisms are those of the trial (tests/mechanisms; `./dev trial --show SEED` prints one): masses on lines, friction, pendulums,
bodies, linkages, springs of compliant contacts, drives, with up to six coordinates and five contacts. Each runs at --rtol with its error bars;
its reference is the same system at a tolerance of 1e-12 with bars of its own, which count in favour of the run; where they are
larger than what is judged nothing can be said, and the case is listed as such. With --other every tenth mechanism is compared with
event capturing by radau-iia-5, too, a method that shares no tableau, no step control and no dense output.

Judged are all final coordinates and velocities, and the times of events when both runs have the same ones:
  tolerance   the largest |error| over size is at most 10 × rtol (size: the largest value of that coordinate during the run)
  bar         |error| is at most 3 × the bar of each entry, or there is no bar (null) and a warning says why
Catalog problems are judged by the norms q_sup, u_hausdorff and q_final against their references, all of them whose reference solves
the problem's own equations; the others are listed as OTHER_EQUATIONS.

Every case that misses one of the two is listed with what is known about the reason. Exit code 1: fewer than 99 % within the
tolerance or 97 % within the bars, where cases whose digits are lost by the motion itself (bars say so) count as misses of the
tolerance only; or a run that hangs, fails or crashes."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

KINDS = ("line", "slide", "dry-friction", "pendulum", "bodies", "linkage", "soft-bodies", "soft-line", "known", "fast")
MOST_COORDINATES, MOST_CONTACTS = 6, 5
TINY = 1e-300
# Catalog problems that are compared with a solution of another model: the difference is no error of the run.
OTHER_EQUATIONS = {"elastic-bar": "those of a continuous bar"}


class Program:
    def __init__(self, path, limit):
        self.path, self.limit = path, limit

    def run(self, target, *options):
        """The answer of `saltus run`, or a text that says what went wrong."""
        try:
            p = subprocess.run([self.path, "run", target, "--json", *options], capture_output=True, text=True,
                               timeout=self.limit, check=False)
        except subprocess.TimeoutExpired:
            return f"no answer within {self.limit} s"
        try:
            answer = json.loads(p.stdout)
        except json.JSONDecodeError:
            return (p.stderr or p.stdout).strip()[:200]
        return answer if p.returncode == 0 else f"{answer['status']}: {answer['message'][:200]}"


class Case:
    """What came out of one system."""

    def __init__(self, name):
        self.name, self.reason = name, ""
        self.trouble = ""       # no result
        self.skipped = ""       # not a case of this study
        self.unknown = False    # no reference that is good enough
        self.within_tolerance = self.within_bar = True
        self.ratio_tolerance = self.ratio_bar = 0.0
        self.cost = 0.0

    def judge(self, error, size, bar, rtol, uncertainty):
        """One number: |error|, its size, its bar (None: no digit), how far the reference may be off."""
        error = max(error - uncertainty, 0.0)
        limit = 10 * rtol * size if bar is None else min(10 * rtol * size, 3 * bar)
        self.unknown = self.unknown or uncertainty > limit
        self.ratio_tolerance = max(self.ratio_tolerance, error / max(rtol * size, TINY))
        if bar is not None:
            self.ratio_bar = max(self.ratio_bar, error / max(bar, TINY))

    def close(self):
        self.within_tolerance = self.ratio_tolerance <= 10
        self.within_bar = self.ratio_bar <= 3
        self.unknown = self.unknown and self.within_tolerance and self.within_bar
        return self


def reason_of(answer, reference):
    """What the runs themselves tell about an error that is larger than asked."""
    words = []
    if answer["warnings"]:
        words.append(answer["warnings"][0])
    estimate = answer.get("error_estimate") or {}
    rate = estimate.get("digits_lost_per_second")
    if rate and not words:
        words.append(f"errors grow by {rate:.2g} digits per second")
    a, b = len(answer["events"] or []), len(reference["events"] or [])
    if a != b:
        words.append(f"{a} events, reference {b}")
    return "; ".join(words) or "not known"


def mechanism(seed, o, program):
    case = Case(f"mechanism {seed}")
    text = subprocess.run([o.trial, "--show", str(seed)], capture_output=True, text=True, check=True).stdout
    kind = text.split("\n", 1)[0].split(":")[1].strip()
    case.name += f" ({kind})"
    if kind not in KINDS:
        case.skipped = "family"
        return case
    if text.count("law: {") > MOST_CONTACTS:  # of formulas; those of bodies are found during the run
        case.skipped = "size"
        return case
    with tempfile.TemporaryDirectory() as folder:
        scene = os.path.join(folder, "scene.yaml")
        Path(scene).write_text(text, encoding="utf-8")
        answer = program.run(scene, "--rtol", repr(o.rtol), "--no-error")
        if isinstance(answer, str):
            case.trouble = answer
            return case
        if len(answer["q"]) > MOST_COORDINATES:
            case.skipped = "size"
            return case
        reference = program.run(scene, "--rtol", repr(o.reference), "--no-error")
        if isinstance(reference, str):
            case.unknown, case.reason = True, "reference: " + reference
            return case
        if o.other and seed % 10 == 0:
            beside(case, answer, [program.run(scene, "--scheme", "runge-kutta:tableau=radau-iia-5", "--stepping",
                                              f"event-capturing:h={h}", "--no-error") for h in (2e-3, 1e-3)])
    compare(case, answer, reference, o.rtol)
    case.cost = 1 + answer["error_estimate"]["companion"]["cpu_seconds"] / max(answer["stats"]["cpu_seconds"], TINY)
    case.close()
    if not (case.within_tolerance and case.within_bar) or case.unknown:
        case.reason = reason_of(answer, reference)
    return case


def compare(case, answer, reference, rtol):
    """Final states and event times, the reference with bars of its own."""
    estimate, sizes = answer["error_estimate"], answer["error_estimate"]["sizes"]
    for key in ("q", "u"):
        bars = estimate[key + "_final"]
        for i, (x, y, size) in enumerate(zip(answer[key], reference[key], sizes[key])):
            off = reference["error_estimate"][key + "_final"][i]
            case.judge(abs(x - y), size, bars[i], rtol, abs(size) if off is None else off)
    a, b = answer["events"], reference["events"]
    if estimate["event_times"] is not None and len(a) == len(b):
        order = lambda e: (e["contact"], e["t"])  # noqa: E731
        span = answer["t"]
        for x, y in zip(sorted(a, key=order), sorted(b, key=order)):
            if x["kind"] == y["kind"] and x["contact"] == y["contact"] and x["kind"] != "accumulation":
                off = (reference["error_estimate"]["event_times"] or 0)
                case.judge(abs(x["t"] - y["t"]), span, estimate["event_times"], rtol, off)


def beside(case, answer, others):
    """Another method at two steps, whose difference is taken for its error; judged where that is small enough."""
    if any(isinstance(x, str) for x in others) or len({len(x["events"]) for x in others}) > 1:
        return
    estimate = answer["error_estimate"]
    for key in ("q", "u"):
        for x, y, z, bar in zip(answer[key], others[0][key], others[1][key], estimate[key + "_final"]):
            if bar is not None and 8 * abs(y - z) < bar:
                case.ratio_bar = max(case.ratio_bar, (abs(x - z) - 8 * abs(y - z)) / bar)


def problem(name, o, program):
    case = Case(name)
    answer = program.run(name, "--rtol", repr(o.rtol))
    if isinstance(answer, str):
        case.trouble = "" if "by tolerance are for" in answer else answer
        case.skipped = "family" if not case.trouble else ""
        return case
    estimate, error = answer.get("error_estimate"), answer.get("error")
    if not error or not estimate:
        case.skipped = "no reference"
        return case
    if name in OTHER_EQUATIONS:
        case.skipped = "its reference solves other equations: " + OTHER_EQUATIONS[name]
        return case
    for norm, bar, key in (("q_sup", "q_sup", "q"), ("u_hausdorff", "u_hausdorff", "u"), ("q_final", "q_final", "q")):
        if error[norm] is None:
            continue
        b = estimate[bar]
        if isinstance(b, list):
            b = None if None in b else max(b)
        case.judge(error[norm], max(estimate["sizes"][key]), b, o.rtol, 2e-16 * max(estimate["sizes"][key]))
    case.close()
    if not (case.within_tolerance and case.within_bar):
        case.reason = reason_of(answer, answer)
    return case


def summary(cases, o):
    judged = [c for c in cases if not c.skipped and not c.trouble and not c.unknown]
    troubled = [c for c in cases if c.trouble]
    for c in cases:
        if c.trouble:
            print(f"{c.name}: {c.trouble}")
    for c in judged:
        if not c.within_bar or not c.within_tolerance:
            print(f"{c.name}: error {c.ratio_tolerance:.1f} × rtol, {c.ratio_bar:.2g} × bar"
                  f"{'' if c.within_bar else '  BAR'}: {c.reason}")
    for c in cases:
        if c.unknown:
            print(f"{c.name}: no reference that is good enough: {c.reason}")
    n = max(len(judged), 1)
    tolerance = 100 * sum(c.within_tolerance for c in judged) / n
    bar = 100 * sum(c.within_bar for c in judged) / n
    seen = sorted(c.ratio_bar for c in judged if c.ratio_bar > 0)
    costs = sorted(c.cost for c in judged if c.cost > 0)
    print(f"{len(judged)} judged at rtol {o.rtol:g}, {sum(c.unknown for c in cases)} without a reference, "
          f"{sum(bool(c.skipped) for c in cases)} not of this study, {len(troubled)} without a result")
    print(f"error at most 10 × rtol in {tolerance:.1f} %, at most 3 × its bar in {bar:.1f} %")
    if seen:
        print(f"error over bar: median {seen[len(seen) // 2]:.2g}, 97 % below {seen[int(0.97 * (len(seen) - 1))]:.2g}")
    if costs:
        print(f"CPU time with the bar over that of the run alone: median {costs[len(costs) // 2]:.2f}, "
              f"90 % below {costs[int(0.9 * (len(costs) - 1))]:.2f}")
    return tolerance, bar, troubled


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program")
    p.add_argument("trial", help="the program mechanism_trial, which makes the mechanisms")
    p.add_argument("count", nargs="?", type=int, default=100, help="mechanisms to judge (100)")
    p.add_argument("--seed", type=int, default=1, help="the first")
    p.add_argument("--rtol", type=float, default=1e-6)
    p.add_argument("--reference", type=float, default=1e-12, help="its tolerance")
    p.add_argument("--other", action="store_true", help="every tenth beside radau-iia-5 with event capturing")
    p.add_argument("--no-catalog", action="store_true")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--limit", type=float, default=60, help="seconds of a run, beyond which it counts as hanging")
    o = p.parse_args()
    program = Program(o.program, o.limit)
    cases = []
    with ThreadPoolExecutor(o.jobs) as pool:
        seed, judged = o.seed, 0
        while judged < o.count:
            batch = list(pool.map(lambda s: mechanism(s, o, program), range(seed, seed + o.count - judged)))
            seed += len(batch)
            cases += batch
            judged += sum(not c.skipped for c in batch)
        if not o.no_catalog:
            listed = subprocess.run([o.program, "list", "problems", "--json"], capture_output=True, text=True, check=True)
            names = [x["name"] for x in json.loads(listed.stdout)["problems"]]
            cases += pool.map(lambda name: problem(name, o, program), names)
    tolerance, bar, troubled = summary(cases, o)
    return 0 if tolerance >= 99 and bar >= 97 and not troubled else 1


if __name__ == "__main__":
    sys.exit(main())
