#!/usr/bin/env python3
"""Measures sweeps: the cost of a point beside its run, the speed on ranks, and what the leader can handle. Prints a table.

Times are those of the wall; on a machine that does other things too, processor time (of all ranks) says what the ranks took."""
import argparse
import os
import resource
import statistics
import subprocess
import tempfile
import time

import ranks

FALL = """saltus: 1
parameters: {m: 1 kg, g: 2 m/s^2, v: 0 m/s}
coordinates: {z: {start: 1 m, velocity: v}}
mass: {z: m}
potential: m*g*z
run: {t_end: 1 s, h: 1 s}
measure: {height: final.z}
"""


def timed(command, folder):
    """Seconds of the wall and of processors."""
    for name in ("t.csv", "t.csv.journal"):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    p = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if p.returncode != 0:
        raise SystemExit(p.stderr)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best(command, folder, repeat):
    runs = [timed(command, folder) for _ in range(repeat)]
    return min(r[0] for r in runs), statistics.median(r[1] for r in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=20000, help="of the trivial scene")
    parser.add_argument("--runs", type=int, default=1000, help="of the sweep on ranks")
    parser.add_argument("--ranks", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    ranks.skip_unless_possible()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "fall.yaml"), "w") as f:
            f.write(FALL)
        n = options.points
        print(f"trivial points: {n} of a scene that takes one step, and of a catalog problem; µs of processor time a point")
        for name, problem in (("scene", ["fall.yaml", "--over", f"g=1:3:{n}"]),
                              ("catalog", ["bouncing-ball", "--h", "0.1", "--t-end", "0.1", "--over", f"e=0.1:0.9:{n}", "--measure", "steps"])):
            one = [ranks.SALTUS, "sweep", *problem[:-1], problem[-1], "-o", "t.csv"]
            small = [x.replace(f":{n}", ":2") for x in one]
            base = best([*small, "--threads", "1"], folder, options.repeat)[1]
            threads = best([*one, "--threads", "1"], folder, options.repeat)
            print(f"  {name:8} one thread          {1e6 * (threads[1] - base) / n:8.1f}  ({1e6 * threads[0] / n:.1f} of the wall)")
            for count in options.ranks:
                wall, cpu = best([*ranks.mpirun(count), *one[1:]], folder, options.repeat)
                start = best([*ranks.mpirun(count), *small[1:]], folder, options.repeat)
                print(f"  {name:8} {count} ranks             {1e6 * (cpu - start[1]) / n:8.1f}  ({1e6 * (wall - start[0]) / n:.1f} of the wall)")
        print(f"{options.runs} runs of bouncing-ball, 20 000 steps each; the wall, without the start of mpirun")
        args = ["sweep", "bouncing-ball", "--over", f"e=0.5:0.9:{options.runs}", "--h", "5e-4", "--t-end", "10", "--measure", "final.q[0]",
                "--no-estimate", "-o", "t.csv"]
        start = {c: best([*ranks.mpirun(c), *[a.replace(f":{options.runs}", ":2") for a in args]], folder, options.repeat)[0] for c in options.ranks}
        first = None
        for count in options.ranks:
            wall, cpu = best([*ranks.mpirun(count), *args], folder, options.repeat)
            net = wall - start[count]
            first = first or net
            print(f"  {count} ranks  {net:8.3f} s (mpirun itself {start[count]:.2f} s)  {first / net:5.2f} times the first  {cpu:8.3f} s of processors")


if __name__ == "__main__":
    main()
