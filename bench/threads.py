"""One run on several threads: time by the clock next to one thread, and whether the results have the same bits."""
import hashlib
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

from common import print_table, verdict

NEED = 1.7  # two threads, on a machine that does nothing else
# (name, arguments, required); without error bars unless a run has a tolerance
CASES = (
    ("10^6 beads, herk-4", ["dimer-chain", "-p", "n=1000000", "-p", "disorder=0.1", "-p", "reference=none", "--scheme",
                            "rk:tableau=herk-4", "--h", "0.05", "--t-end", "2"], True),
    ("10^6 beads, gauss-2", ["dimer-chain", "-p", "n=1000000", "-p", "disorder=0.1", "-p", "reference=none", "--scheme",
                             "gauss-2", "--h", "0.1", "--t-end", "2"], True),
    ("10^6 beads, crank-nicolson", ["dimer-chain", "-p", "n=1000000", "-p", "disorder=0.1", "-p", "reference=none",
                                    "--scheme", "crank-nicolson", "--h", "0.1", "--t-end", "2"], False),
    ("5000 disks", ["disk-mixer", "-p", "n=5000", "--scheme", "usual", "--t-end", "0.16"], True),
    ("60 soft disks, by tolerance, with error bars", ["examples/scenes/soft-bed.yaml", "--rtol", "1e-7"], True),
)


def once(saltus, arguments, threads):
    quiet = ["--no-error"] if "--rtol" in arguments else ["--no-error", "--no-estimate"]
    command = [str(Path(saltus).resolve()), "run", *arguments, *quiet, "--threads", str(threads), "--json"]
    answer = subprocess.run(command, capture_output=True, cwd=Path(__file__).resolve().parents[1])
    if answer.returncode:
        raise RuntimeError(answer.stderr.decode())
    seconds = float(re.search(rb'"wall_seconds": ?([0-9.e+-]+)', answer.stdout).group(1))
    # all that was computed: 10^6 coordinates are too many to be parsed for a comparison
    result = re.sub(rb'"(cpu_seconds|wall_seconds|threads)": ?[0-9.e+-]+', b"", answer.stdout)
    return seconds, hashlib.sha256(result).hexdigest()


def study(saltus, rounds, quick):
    """Returns (data for JSON, complaints)."""
    others = os.getloadavg()[0]
    counts = [1, 2] + ([] if quick else [3, 8])
    rows = [("run", *(f"{n} threads [s]" for n in counts), "2 over 1", "required", "bits")]
    data, complaints = [], []
    for name, arguments, asked in CASES:
        print(f"threads: {name}", file=sys.stderr, flush=True)
        seconds, finals = {n: [] for n in counts}, set()
        for k in range(rounds):
            for n in counts if k == 0 else (1, 2):  # interleaved; more threads once, for their bits
                time, final = once(saltus, arguments, n)
                seconds[n].append(time)
                finals.add(final)
        median = {n: statistics.median(t) for n, t in seconds.items()}
        ratio, same = median[1] / median[2], len(finals) == 1
        data.append({"case": name, "seconds": median, "ratio": ratio, "same_bits": same, "load": others})
        rows.append((name, *(f"{median[n]:.3g}" for n in counts), f"{ratio:.2f}",
                     verdict(ratio, ratio >= NEED, f">= {NEED}") if asked else "", "same" if same else "DIFFERENT"))
        if not same:
            complaints.append(f"threads: {name}: results depend on the number of threads")
        if asked and ratio < NEED:
            complaints.append(f"threads: {name}: {ratio:.2f} times as fast with 2 threads, required {NEED}")
    print(f"one run on several threads, time by the clock; load of the machine before: {others:.1f} on {os.cpu_count()} cores")
    print_table(rows)
    if others > 0.5:
        print("other programs were running: the ratios mean little")
    return data, complaints
