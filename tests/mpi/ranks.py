"""Starts the program on several ranks. The first argument is the path of a program that is built with SALTUS_MPI; without such a
one, or without mpirun, the caller ends with code 77, which ctest counts as skipped."""
import os
import shutil
import subprocess
import sys

SALTUS = os.path.abspath(sys.argv.pop(1))


def skip_unless_possible():
    if shutil.which("mpirun") is None:
        print("skipped: mpirun is not installed (./dev mpi installs it)")
        sys.exit(77)
    linked = subprocess.run(["ldd", SALTUS], capture_output=True, text=True).stdout
    if "libmpi" not in linked:
        print("skipped: this program is built without MPI (./dev mpi builds one that has it)")
        sys.exit(77)


def mpirun(count, *options):
    """The beginning of a command. In a container one is root, and machines may have fewer cores than there are ranks."""
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *root, "--oversubscribe", "-n", str(count), *options, SALTUS]


def run(count, *args, options=(), **kwargs):
    return subprocess.run([*mpirun(count, *options), *args], capture_output=True, text=True, timeout=240, **kwargs)


def children_of(process):
    """The ranks of an mpirun on this machine: their process ids by rank."""
    out = {}
    for pid in subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split():
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                for word in file.read().split(b"\0"):
                    if word.startswith(b"OMPI_COMM_WORLD_RANK="):
                        out[int(word.split(b"=")[1])] = int(pid)
        except OSError:
            pass
    return out
