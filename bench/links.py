"""Cost over size with constraints: a chain of revolute links by three families of schemes, and an elastic bar against
its wall by Runge-Kutta."""
import json
import subprocess
import tempfile
from pathlib import Path

from common import number, print_table, verdict

MOST_GROWTH = 10  # from 20 links to 160, and from 25 elements to 200
# (scheme, arguments, most microseconds for a step of 160 links on a machine that does nothing else)
CHAINS = (("generalized-alpha", ("--scheme", "generalized-alpha"), 1000),
          ("radau-iia-3", ("--scheme", "runge-kutta:tableau=radau-iia-3", "--stepping", "event-capturing:h=1e-3"), 1000),
          ("symplectic-euler", ("--scheme", "symplectic-euler"), 2000))


def chain_of(links):
    """A scene: links of 10 cm on a hinge, let go level."""
    return f"""saltus: 1
groups:
  link:
    shape: box
    size: [0.1, 0.02]
    mass: 0.1
    contact: false
    layout: {{name: chain, count: {links}, x: 0.05, dx: 0.1, anchor: first}}
run: {{t_end: 0.1, h: 1e-3}}
"""


def microseconds(program, arguments, rounds):
    """CPU time per step, the best of some runs."""
    best = None
    for _ in range(rounds):
        done = subprocess.run([str(program), "run", *arguments, "--json"], capture_output=True, text=True, timeout=600)
        if done.returncode:
            raise RuntimeError(f"saltus run {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()[-200:]}")
        stats = json.loads(done.stdout)["stats"]
        time = 1e6 * stats["cpu_seconds"] / stats["steps"]
        best = time if best is None else min(best, time)
    return best


def links(program, rounds, quick):
    data, complaints = [], []
    rows = [("growth with the size", "size", "us/step", "times the smallest", "required", "us/step required")]

    def measure(name, sizes, arguments, most=None):
        first = None
        for size in sizes:
            time = microseconds(program, arguments(size), rounds)
            first = first or time
            last = size == sizes[-1]
            good = time <= MOST_GROWTH * first
            rows.append((name, str(size), number(time), f"{time / first:.2f}",
                         verdict(time, good, f"<= {MOST_GROWTH}") if last else "",
                         verdict(time, time <= most, f"<= {most}") if last and most else ""))
            data.append({"case": name, "size": size, "us_per_step": time})
            if last and not good:
                complaints.append(f"{name}: {size} take {time / first:.1f} times as long as {sizes[0]}")
            if last and most and time > most:
                complaints.append(f"{name}: {size} take {time:.0f} us a step, allowed {most}")

    with tempfile.TemporaryDirectory() as folder:
        scene = Path(folder) / "links.yaml"

        def chain(count, scheme):
            scene.write_text(chain_of(count), encoding="utf-8")
            return [str(scene), *scheme]
        for name, scheme, most in CHAINS:
            measure(f"chain, {name}", (20, 160) if quick else (20, 40, 80, 160),
                    lambda count, scheme=scheme: chain(count, scheme), most)
    measure("bar on its wall, radau-iia-5", (25, 200) if quick else (25, 50, 100, 200), lambda n: [
        "elastic-bar", "-p", f"n={n}", "-p", "d0=0", "--t-end", "0.2",
        "--scheme", "runge-kutta:tableau=radau-iia-5", "--stepping", "event-capturing:h=2e-3"])
    print_table(rows)
    return data, complaints
