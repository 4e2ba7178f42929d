#!/usr/bin/env python3
"""Every system call that can fail, failing in turn: fault_injection.py PATH-TO-SALTUS [--all] [--only SCENARIO]

strace makes the n-th write, sync, rename, opening, closing or request for memory of a run fail, once or from then on,
for every n (without --all: for a sample of them). Whatever fails,

- the program ends by itself, not by a signal,
- with exit code 0 only if its files are those of an undisturbed run,
- otherwise with a message, and so that nothing acknowledged is lost: the same work can be done again or resumed from
  what is on the disk, with the same outcome.
"""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from program import SALTUS

# What each call answers when it fails. The kernel's brk answers with an address, so none at all stands for failure.
ERRORS = {"write": "error=ENOSPC", "pwrite64": "error=ENOSPC", "fsync": "error=EIO", "fdatasync": "error=EIO",
          "rename": "error=EIO", "ftruncate": "error=EIO", "openat": "error=EMFILE", "close": "error=EIO",
          "mmap": "error=ENOMEM", "brk": "retval=0"}
SAMPLE = 6  # failures tried of each kind where not all are
SECONDS = 120


def saltus(*args, cwd, wrapper=()):
    return subprocess.run([*wrapper, SALTUS, *args], capture_output=True, cwd=cwd, timeout=SECONDS)


class Scenario:
    """A command with the files it leaves; `fresh` makes the folder it starts in."""

    before = []  # commands that prepare the folder
    files = []  # must be the same whenever the exit code is 0

    def fresh(self, folder):
        for args in self.before:
            saltus(*args, cwd=folder)

    def outcome(self, folder):
        return {name: self.content(folder, name) for name in self.files}

    def same(self, folder, clean):
        return self.outcome(folder) == clean

    def content(self, folder, name):
        path = os.path.join(folder, name)
        if name.endswith(".h5"):  # the same data may lie in a file in other places
            p = saltus("export", name, "--to", "csv", "-o", "exported.csv", cwd=folder)
            if p.returncode != 0:
                return "unreadable: " + p.stderr.decode(errors="replace")
            path = os.path.join(folder, "exported.csv")
        with open(path, "rb") as f:
            return f.read()

    def last_row(self, folder, name):
        lines = self.content(folder, name).splitlines()
        return lines[-1] if lines else b""

    def again(self, folder):
        """The same work after a failure; must end with the files of an undisturbed run."""
        return saltus(*self.command, cwd=folder)


def resume(folder):
    """As the messages say: from the checkpoint, into a new file where the old one cannot be continued."""
    p = saltus("resume", "ball.ckpt", cwd=folder)
    if p.returncode != 0 and b"give -o another name" in p.stderr:
        p = saltus("resume", "ball.ckpt", "-o", "rest.h5", cwd=folder)
    return p


BALL = ["run", "bouncing-ball", "--t-end", "0.4", "--h", "1e-3", "--no-error"]


class Run(Scenario):
    command = [*BALL, "-o", "ball.h5", "--json"]
    files = ["ball.h5"]


class Csv(Scenario):
    before = [["run", "bouncing-ball", "--t-end", "0.2", "-o", "ball.csv"]]
    command = [*BALL, "-o", "ball.csv"]
    files = ["ball.csv"]


class Checkpointed(Scenario):
    command = [*BALL, "-o", "ball.h5", "--checkpoint", "every=100,file=ball.ckpt"]
    files = ["ball.h5"]

    def again(self, folder):
        if not os.path.exists(os.path.join(folder, "ball.ckpt")):
            return saltus(*self.command, cwd=folder)
        return resume(folder)

    def same(self, folder, clean):  # where its file was damaged, the rest is in another one: the end must be the same
        if os.path.exists(os.path.join(folder, "rest.h5")):
            return self.last_row(folder, "rest.h5") == clean["ball.h5"].splitlines()[-1]
        return super().same(folder, clean)


class Resumed(Checkpointed):
    command = ["resume", "ball.ckpt"]

    def fresh(self, folder):  # killed after a checkpoint
        slow = ["run", "bouncing-ball", "--t-end", "0.4", "--h", "1e-6", "--no-error", "--every", "1000", "-o", "ball.h5",
                "--checkpoint", "every=100000,file=ball.ckpt"]
        p = subprocess.Popen([SALTUS, *slow], cwd=folder, stdout=subprocess.DEVNULL)
        while p.poll() is None and not os.path.exists(os.path.join(folder, "ball.ckpt")):
            pass
        p.kill()
        p.wait()


class Swept(Scenario):
    command = ["sweep", "bouncing-ball", "--over", "e=0.1:0.9:5", "--measure", "energy.final", "--t-end", "1", "--threads",
               "1", "-o", "sweep.csv"]
    files = ["sweep.csv"]

    def again(self, folder):
        resumed = saltus(*self.command, "--resume", cwd=folder)
        return resumed if resumed.returncode == 0 else saltus(*self.command, cwd=folder)


class Exported(Scenario):
    before = [[*BALL, "-o", "ball.h5"]]
    command = ["export", "ball.h5", "--to", "csv", "-o", "out.csv"]
    files = ["out.csv"]


class Dumped(Scenario):
    command = [*BALL[:2], "--t-end", "2", "--no-error", "--dump-contact-problem-at", "1.0", "--dump-file", "p.fcp"]
    files = ["p.fcp"]


SCENARIOS = {c.__name__.lower(): c() for c in (Run, Csv, Checkpointed, Resumed, Swept, Exported, Dumped)}


def in_a_copy(template, work):
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "copy")
        shutil.copytree(template, place)
        return work(place)


def traced(args, folder):
    """How often each kind of call happens in an undisturbed run."""
    log = os.path.join(folder, "..", "log")
    p = saltus(*args, cwd=folder, wrapper=["strace", "-f", "-qq", "-o", log, "-e", "trace=" + ",".join(ERRORS)])
    if p.returncode != 0:
        raise RuntimeError(f"the undisturbed run failed: {p.stderr.decode()}")
    with open(log) as f:
        names = re.findall(r"^\d+ +(\w+)\(", f.read(), re.M)
    return {kind: names.count(kind) for kind in ERRORS}


def count_calls(scenario, template):
    """The calls of each kind that may fail, as (first, last), and the files that an undisturbed run leaves."""
    def work(folder):
        loading = traced(["--version"], folder)  # memory for the loader of the program is not ours
        last = traced(scenario.command, folder)
        ours = {k: (loading[k] + 1 if k in ("mmap", "brk") else 1, last[k]) for k in ERRORS}
        return ours, scenario.outcome(folder)
    return in_a_copy(template, work)


def judge(scenario, folder, p, clean, silent_allowed):
    if p.returncode < 0 or p.returncode >= 128:
        return f"ended by signal {-p.returncode if p.returncode < 0 else p.returncode - 128}"
    if p.returncode == 0:
        return "" if scenario.same(folder, clean) else "exit 0 with other files than an undisturbed run"
    if not p.stderr.strip() and not silent_allowed:
        return f"exit {p.returncode} without a message"
    again = scenario.again(folder)
    if again.returncode != 0:
        return f"exit {p.returncode}, and the work cannot be done again: {again.stderr.decode(errors='replace').strip()}"
    return "" if scenario.same(folder, clean) else f"exit {p.returncode}, and the work done again gives other files"


def disturb(scenario, template, clean, kind, when):
    def work(folder):
        wrapper = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + kind, "-e",
                   f"inject={kind}:{ERRORS[kind]}:when={when}"]
        try:
            p = saltus(*scenario.command, cwd=folder, wrapper=wrapper)
        except subprocess.TimeoutExpired:
            return f"does not end within {SECONDS} s"
        return judge(scenario, folder, p, clean, kind == "write")  # the message itself may be what failed
    return in_a_copy(template, work)


def limit_memory(scenario, template, clean, megabytes):
    def work(folder):
        limit = megabytes << 20
        p = subprocess.run([SALTUS, *scenario.command], capture_output=True, cwd=folder, timeout=SECONDS,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        return judge(scenario, folder, p, clean, False)
    return in_a_copy(template, work)


def sample(first, last, all_of_them):
    n = last - first + 1
    if all_of_them or n <= SAMPLE:
        return list(range(first, last + 1))
    return sorted({first + round(k * (n - 1) / (SAMPLE - 1)) for k in range(SAMPLE)})


def tries(name, scenario, template, all_of_them):
    counts, clean = count_calls(scenario, template)
    for kind, (first, n) in counts.items():
        for k in sample(first, n, all_of_them):
            for when in (f"{k}", f"{k}+"):
                yield f"{name}: {kind} {when} of {n}", lambda kind=kind, when=when: disturb(
                    scenario, template, clean, kind, when)
    for megabytes in (10, 20, 30, 40, 60, 80, 120, 200) if all_of_them else (20, 40, 80):
        yield f"{name}: memory of {megabytes} MB", lambda m=megabytes: limit_memory(scenario, template, clean, m)


def main():
    all_of_them = "--all" in sys.argv
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    if shutil.which("strace") is None or subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"],
                                                        capture_output=True).returncode != 0:
        print("skipped: strace is not installed (package strace), or may not trace here")
        return 77
    failed = count = 0
    for name, scenario in SCENARIOS.items():
        if only and name != only:
            continue
        with tempfile.TemporaryDirectory() as template:
            scenario.fresh(template)
            titles, works = zip(*tries(name, scenario, template, all_of_them))
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                for title, complaint in zip(titles, pool.map(lambda w: w(), works)):
                    count += 1
                    if complaint:
                        failed += 1
                        print(f"FAILED {title}: {complaint}", flush=True)
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
