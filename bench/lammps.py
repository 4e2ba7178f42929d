"""Chains beside LAMMPS (Debian's package lammps), which has the same law: Hertz' force with a viscous part proportional to the
contact's radius (gran/hertz/history), velocity Verlet. Both programs run the same chains; what is compared is the CPU time of
the cheapest run of each whose velocities and positions at the end are within an error."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common import number, print_table, verdict

TARGETS = (1e-2, 1e-3, 1e-5)
NEED = 20  # times less CPU
N, RADIUS = 100, 100.0  # beads so large that overlaps of one are small
MOST_STEPS = 1_000_000
OURS = [("--scheme", scheme, "--h", h) for scheme, steps in
        (("kk-irk", ("0.4", "0.2", "0.1")), ("gauss-2", ("0.4", "0.2", "0.1", "0.05", "0.025", "0.0125")),
         ("rk:tableau=herk-3", ("0.2", "0.1", "0.05")), ("rk:tableau=herk-4", ("0.4", "0.2", "0.1", "0.05")),
         ("rk:tableau=herk-5", ("0.4", "0.2", "0.1", "0.05", "0.025"))) for h in steps]
OURS += [("--rtol", f"1e-{k}", "--no-estimate") for k in range(3, 9)]


def chains():
    """Name: masses, radii, damping, start velocities, end. LAMMPS multiplies damping by the reduced mass, so that a chain with
    damping needs the same one in all contacts: disorder is in the radii, and so in the stiffness."""
    rnd = random.Random(1)
    impact, same = [1.0] + [0.0] * (N - 1), [RADIUS] * N
    some = lambda a, b: [rnd.uniform(a, b) for _ in range(N)]  # noqa: E731
    gas = {"gas": ([1.0] * N, some(0.5 * RADIUS, 1.5 * RADIUS), 0.05, some(-0.5, 0.5), 10.0),
           "gas, no damping": (some(0.5, 1.5), same, 0.0, some(-0.5, 0.5), 10.0)}
    return {"homogeneous": ([1.0] * N, same, 0.05, impact, 50.0),
            "dimer": ([(1.0, 0.59)[i % 2] for i in range(N)], same, 0.06, impact, 50.0),
            "disordered": ([1.0] * N, some(0.5 * RADIUS, 1.5 * RADIUS), 0.05, impact, 50.0),
            "disordered, no damping": (some(0.5, 1.5), same, 0.0, impact, 50.0), **gas}


REQUIRED = ("homogeneous", "dimer", "disordered")  # an impact on a chain with Kuwabara and Kono's law; the others are reported


def stiffness(radii):
    """K sqrt(R_i R_j/(R_i + R_j)) with the K of LAMMPS that makes it 1 for equal radii."""
    return [(2 * a * b / (a + b) / RADIUS) ** 0.5 for a, b in zip(radii, radii[1:])]


def scene(masses, radii, gamma, velocities, end):
    return (f"saltus: 1\nchain:\n  beads: {N}\n  mass: {masses}\n  stiffness: {stiffness(radii)}\n  damping: {gamma}\n  velocity: {velocities}\n"
            f"run: {{t_end: {end}}}\n")


def saltus(program, file, *method):
    done = subprocess.run([program, "run", file, *method, "--json"], capture_output=True, text=True, check=True, timeout=600)
    out = json.loads(done.stdout)
    return out["q"], out["u"], out["stats"]["cpu_seconds"]


def lammps(program, folder, chain, steps):
    masses, radii, gamma, velocities, end = chain
    place = [0.0]
    for a, b in zip(radii, radii[1:]):
        place.append(place[-1] + a + b)
    volume = [4 / 3 * 3.141592653589793 * r**3 for r in radii]
    k = (RADIUS / 2) ** -0.5  # K of LAMMPS: its stiffness is K sqrt(R/2) = 1
    reduced = masses[0] * masses[1] / (masses[0] + masses[1])  # the same in all contacts where there is damping
    (folder / "chain.data").write_text(
        f"chain\n\n{N} atoms\n1 atom types\n{-3 * RADIUS} {place[-1] + 3 * RADIUS} xlo xhi\n{-2 * RADIUS} {2 * RADIUS} ylo yhi\n"
        f"{-2 * RADIUS} {2 * RADIUS} zlo zhi\n\nAtoms # sphere\n\n"
        + "".join(f"{i + 1} 1 {2 * radii[i]:.17g} {m / volume[i]:.17g} {place[i]:.17g} 0 0\n" for i, m in enumerate(masses)) + "\nVelocities\n\n"
        + "".join(f"{i + 1} {v:.17g} 0 0 0 0 0\n" for i, v in enumerate(velocities)))
    (folder / "in.chain").write_text(
        "units lj\natom_style sphere\natom_modify sort 0 0\nboundary f f f\nnewton off\ncomm_modify vel yes\nread_data chain.data\n"
        f"pair_style gran/hertz/history {k:.17g} 0 {1.5 * gamma * k / reduced:.17g} 0 0 0\npair_coeff * *\n"
        "neighbor 50 bin\nneigh_modify every 100000 delay 100000 check no\nfix 1 all nve\n"
        f"timestep {end / steps:.17g}\nthermo {steps}\nrun {steps}\n"
        'dump 1 all custom 1 end.txt id x vx\ndump_modify 1 sort id format float %.17g\nrun 0\n')
    env = dict(os.environ, OMP_NUM_THREADS="1")
    out = subprocess.run([program, "-in", "in.chain", "-log", "none"], cwd=folder, env=env, capture_output=True, text=True, timeout=600)
    loop = re.search(r"Loop time of (\S+) on 1 procs for %d steps" % steps, out.stdout)
    if out.returncode or not loop:
        raise RuntimeError(f"lmp ended with {out.returncode}: {(out.stdout + out.stderr)[-400:]}")
    cpu = re.search(r"([\d.]+)% CPU use", out.stdout)
    rows = [line.split() for line in (folder / "end.txt").read_text().splitlines()[-N:]]
    return ([float(r[1]) - x for r, x in zip(rows, place)], [float(r[2]) for r in rows],
            float(loop[1]) * (float(cpu[1]) / 100 if cpu else 1))


def error(run, exact):
    return max(abs(a - b) for x, y in zip(run, exact) for a, b in zip(x, y))


def compare(program, peer, rounds):
    """(runs, complaints)."""
    runs, complaints = [], []
    rows = [("chain", "error", "Saltus", "CPU ms", "LAMMPS", "CPU ms", "ratio")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, chain in chains().items():
            file = folder / "chain.yaml"
            file.write_text(scene(*chain))
            exact = saltus(program, file, "--rtol", "1e-12", "--no-estimate")[:2]
            found = {"saltus": [], "lammps": []}
            for method in OURS:
                best = min((saltus(program, file, *method) for _ in range(rounds)), key=lambda r: r[2])
                found["saltus"].append((error(best[:2], exact), best[2], f"{method[1].split('=')[-1]} {method[3] if len(method) > 3 else ''}"))
            steps = int(chain[-1] / 0.2)
            while not found["lammps"] or (found["lammps"][-1][0] > TARGETS[-1] and steps < MOST_STEPS):
                best = min((lammps(peer, folder, chain, steps) for _ in range(rounds if steps < 100000 else 1)), key=lambda r: r[2])
                found["lammps"].append((error(best[:2], exact), best[2], f"h = {chain[-1] / steps:.3g}"))
                steps *= 2
            runs += [{"chain": title, "who": who, "method": m, "error": e, "cpu_s": c} for who, list_ in found.items() for e, c, m in list_]
            for target in TARGETS:
                ours, theirs = (min((r for r in found[w] if r[0] <= target), key=lambda r: r[1], default=None) for w in ("saltus", "lammps"))
                if not ours:
                    complaints.append(f"{title} at {target:g}: no method of Saltus reached it")
                    continue
                if not theirs:  # not within its most steps: what those cost
                    last = found["lammps"][-1]
                    theirs = (last[0], last[1], f"{last[2]}: only {last[0]:.1g}")
                times = theirs[1] / ours[1]
                required = title in REQUIRED
                rows.append((title, f"{target:g}", ours[2], number(1e3 * ours[1]), theirs[2], number(1e3 * theirs[1]),
                             verdict(times, times >= NEED, f"{times:.3g} >= {NEED}") if required else f"{times:.3g}"))
                if required and times < NEED:
                    complaints.append(f"{title} at {target:g}: {times:.3g} times less CPU than LAMMPS, required {NEED}")
    print(f"\nchains of {N} beads beside LAMMPS")
    print_table(rows)
    return runs, complaints


def study(program, rounds):
    peer = shutil.which("lmp")
    if not peer:
        print("LAMMPS not installed (package lammps): left out", file=sys.stderr)
        return None, []
    return compare(program, peer, rounds)


if __name__ == "__main__":
    sys.exit(1 if study(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)[1] else 0)
