"""What every study of this folder uses: asking a program for its report, and tables."""
import json
import os
import subprocess


def ask(folder, command):
    """The object a program reports; RuntimeError when it does not."""
    env = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    done = subprocess.run([str(folder / command[0]), *command[1:]], capture_output=True, text=True, errors="replace",
                          env=env, timeout=600)
    lines = [line for line in done.stdout.splitlines() if line.startswith("@@")]
    if done.returncode or not lines:
        last = (done.stderr.strip().splitlines() or ["no report"])[-1]
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {last}")
    return json.loads(lines[-1][2:])


def number(x):
    return "-" if x is None else f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def ratio(a, b):
    return a / b if a is not None and b is not None else None


def verdict(value, passed, text):
    return "-" if value is None else f"{text} {'pass' if passed else 'FAIL'}"


def print_table(rows):
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths))))


def quoted(text):
    """A literal of gnuplot in which nothing is substituted: all but letters and spaces as octal escapes."""
    return '"' + "".join(c if c == " " or c.isalpha() else "".join(f"\\{b:03o}" for b in c.encode()) for c in str(text)) + '"'


def draw(file, script):
    """Runs the lines by gnuplot, without a shell and without start-up files, and keeps what it writes to stdout."""
    done = subprocess.run(["gnuplot", "-d"], input="\n".join(script) + "\n", text=True, check=True, stdout=subprocess.PIPE)
    with open(file, "w", encoding="utf-8") as out:
        out.write(done.stdout)
