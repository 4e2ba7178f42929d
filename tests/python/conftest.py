"""Tests of the package in build/python: ctest sets PYTHONPATH, SALTUS_PROGRAM and SALTUS_ROOT."""
import os
import subprocess
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
ROOT = Path(os.environ.get("SALTUS_ROOT", Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("SALTUS_PROGRAM", str(ROOT / "build" / "saltus"))
SCENES = ROOT / "examples" / "scenes"


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    """Scenes may record files: nothing is written beside the tests."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def quiet():
    import saltus

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", saltus.RunWarning)
        yield


def program(*words, code=0):
    """What the program prints."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
    assert code is None or done.returncode == code, done.stderr
    return done.stdout


def same_numbers(a, b):
    """Bits; None of JSON stands for what is not a number."""
    return np.array_equal(np.asarray(a, float), np.asarray([np.nan if x is None else x for x in b], float), equal_nan=True)
