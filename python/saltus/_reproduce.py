"""Published claims, computed again by the program saltus-reproduce."""
from __future__ import annotations

import json
import os
import re
import subprocess
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _saltus


class Reproduction(dict[str, Any]):
    """What :func:`saltus.reproduce` computed: the JSON object of ``saltus reproduce``."""

    @property
    def claims(self) -> list[dict[str, Any]]:
        """All claims with their verdicts."""
        return [c for s in self["studies"] for c in s["claims"]]

    @property
    def as_expected(self) -> bool:
        """Whether every claim holds that should, and none that should not."""
        return bool(self["status"] == "as expected")

    @property
    def data(self) -> dict[str, NDArray[Any]]:
        """The tables that the studies wrote (CSV), as structured arrays by the name of their file."""
        files = [f for s in self["studies"] for f in s["files"] if f.endswith(".csv")]
        return {os.path.basename(f): np.genfromtxt(f, delimiter=",", names=True, dtype=None, encoding="utf-8")
                for f in files}

    @property
    def figures(self) -> list[str]:
        """The figures that the studies drew (SVG)."""
        return [f for s in self["studies"] for f in s["files"] if f.endswith(".svg")]

    def _repr_html_(self) -> str:
        return "".join(open(f, encoding="utf-8").read() for f in self.figures)


def reproduce(what: str | None = None, *, out: str | os.PathLike[str] = "out/reproduce") -> Reproduction:
    """Computes published claims again, with verdicts, data and figures: ``saltus reproduce``.

    ``what``: a paper or PAPER/ITEM, as "bruls-2018/fig-7"; ``reproduce(list)`` of the program is
    :func:`saltus.studies`. Data and figures go to the folder ``out``. The studies are a program of their own, beside
    this package.

    >>> import saltus, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = saltus.reproduce("bruls-2018/inactive-rows", out=folder)
    >>> found.as_expected
    True
    """
    words = ["reproduce", *([what] if what else []), "--out", os.fspath(out), "--json"]
    answer = json.loads(_reproduce(words))
    return Reproduction(answer)


def studies() -> dict[str, str]:
    """Names and titles of what :func:`saltus.reproduce` knows.

    >>> import saltus
    >>> "bruls-2018/fig-7" in saltus.studies()
    True
    """
    return {s["id"]: s["title"] for s in json.loads(_reproduce(["reproduce", "--list", "--json"]))["studies"]}


def _reproduce(words: list[str]) -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in (here, os.path.join(here, os.pardir, os.pardir)):  # installed; in a build folder
        program = os.path.join(folder, "saltus-reproduce")
        if os.path.exists(program):
            break
    else:
        raise _saltus.Error("the program saltus-reproduce is not beside this package; ./dev build makes it")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if not done.stdout.strip() or done.returncode == 2:
        raise _saltus.Error(re.sub(r"^saltus: ", "", done.stderr.strip()) or "saltus-reproduce failed")
    return done.stdout
