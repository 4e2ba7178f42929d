"""Calls the program as a user and as another program does. The first argument of a test is its path."""
import subprocess
import sys

SALTUS = sys.argv.pop(1)


def saltus(*args, **kwargs):
    return subprocess.run([SALTUS, *args], capture_output=True, text=True, timeout=120, **kwargs)


def read(path):
    with open(path) as file:
        return file.read()
