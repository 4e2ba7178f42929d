"""What the package costs beside the program, measured in one run: ./dev python bench/python/overhead.py

Ratios of CPU times of the same work; each is the best of several, because other work of the machine only adds.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import saltus

ROOT = Path(__file__).parents[2]
PROGRAM = os.environ.get("SALTUS_PROGRAM", str(ROOT / "build" / "saltus"))


def best(work, times=5, clock=time.process_time):
    found = []
    for _ in range(times):
        begin = clock()
        work()
        found.append(clock() - begin)
    return min(found)


def cpu(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def of_children(words):
    """CPU seconds of a program, and what it printed."""
    before = cpu(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, check=True, text=True)
    return cpu(resource.RUSAGE_CHILDREN) - before, done.stdout


# One run in a new process, as that of the program: its memory is new to both. Imports are not part of it.
FRESH = """
import resource, saltus, numpy
before = resource.getrusage(resource.RUSAGE_SELF)
sol = saltus.run("bouncing-ball", scheme="moreau-jean", h=5e-6, no_error={no_error}, progress=False)
after = resource.getrusage(resource.RUSAGE_SELF)
assert len(sol.t) == 10**6 + 1
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
"""


def million_steps(rounds, no_error):
    """The program starts as a process, reads its options and prints a report; the package hands over all states."""
    words = [PROGRAM, "run", "bouncing-ball", "--scheme", "moreau-jean", "--h", "5e-6", *(["--no-error"] if no_error else [])]
    script = [sys.executable, "-c", FRESH.format(no_error=no_error)]
    program, package = [], []
    for _ in range(2 * rounds):  # in turn
        program.append(of_children(words)[0])
        package.append(float(of_children(script)[1]))
    return statistics.median(b / a for a, b in zip(program, package)), min(program), min(package)


def symbolic(rounds):
    file = ROOT / "examples" / "scenes" / "double-pendulum-wall.yaml"
    m = saltus.Model(t_end=2)
    m1, m2, l1, l2, g, wall, e = (m.parameter(n, v) for n, v in (("m1", 1), ("m2", 1), ("l1", 1), ("l2", 0.8), ("g", 9.81),
                                                                  ("wall", 0.6), ("e", 0.7)))
    a, b = m.coordinate("a", start=-np.pi / 3), m.coordinate("b", start=-np.pi / 9)
    x1, y1 = m.let("x1", l1 * np.sin(a)), m.let("y1", -l1 * np.cos(a))
    x2, y2 = m.let("x2", x1 + l2 * np.sin(b)), m.let("y2", y1 - l2 * np.cos(b))
    m.kinetic(m1 / 2 * (x1.rate**2 + y1.rate**2) + m2 / 2 * (x2.rate**2 + y2.rate**2))
    m.potential(m1 * g * y1 + m2 * g * y2)
    m.contact("tip", gap=wall - x2, e=e)
    options = {"rtol": 1e-11, "no_estimate": True, "t_end": 20}
    scene, model = [], []
    for _ in range(rounds):
        scene.append(best(lambda: saltus.run(file, **options), 1))
        model.append(best(lambda: m.run(**options), 1))
    return min(model) / min(scene), min(scene), min(model)


def dense():
    sol = saltus.run("bouncing-ball", rtol=1e-9)
    t = np.linspace(0, 5, 10**6)
    return best(lambda: sol(t))


def call():
    return best(lambda: [saltus.run("bouncing-ball", no_estimate=True, t_end=0.5) for _ in range(50)]) / 50


def sweep():
    """Wall times of 1000 short runs on one thread and on two, and the CPU time that both took."""
    over = {"e": np.linspace(0.3, 0.9, 1000)}
    options = {"measure": "n = events.impact", "scheme": "moreau-jean", "h": 2e-4, "progress": False}
    one = best(lambda: saltus.sweep("bouncing-ball", over, threads=1, **options), 3, time.perf_counter)
    two = best(lambda: saltus.sweep("bouncing-ball", over, threads=2, **options), 3, time.perf_counter)
    return one / two, one, two


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = {}
    for name, no_error in (("million_steps", False), ("million_steps_not_compared", True)):
        ratio, a, b = million_steps(given.rounds, no_error)
        found[name] = {"ratio": ratio, "program": a, "package": b}
    ratio, a, b = symbolic(given.rounds)
    found["symbolic"] = {"ratio": ratio, "scene": a, "model": b}
    found["dense_million_times"] = dense()
    found["call"] = call()
    ratio, a, b = sweep()
    found["sweep_two_threads"] = {"speedup": ratio, "one": a, "two": b}
    if given.json:
        print(json.dumps(found, indent=2))
    else:
        for name, what in (("million_steps", "10⁶ steps of the ball"), ("million_steps_not_compared", "without comparison (no_error)")):
            print(f"{what}: package/program = {found[name]['ratio']:.3f} "
                  f"({found[name]['program']:.3f} s, {found[name]['package']:.3f} s)")
        print(f"symbolic model/scene file = {found['symbolic']['ratio']:.3f}")
        print(f"sol(t) at 10⁶ times: {found['dense_million_times']:.4f} s")
        print(f"a short run: {1e3 * found['call']:.3f} ms")
        print(f"1000 runs, two threads beside one: {found['sweep_two_threads']['speedup']:.2f} times faster")
