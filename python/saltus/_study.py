"""Studies: families of runs, orders, work and precision, re-checks, published claims."""
from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _saltus
from ._progress import Progress, Shown
from ._solution import Solution
from ._target import Held, Target
from ._words import documented, pairs, text_of, words_of


class StudyError(RuntimeError):
    """A study in which a run did not finish, raised with ``check=True``. ``study`` has what was computed."""

    def __init__(self, message: str, study: Any = None) -> None:
        super().__init__(message)
        self.study = study


def call(*words: str, progress: Progress = None) -> tuple[int, str, str]:
    """Any command of the program in this process: exit code, standard output, messages.

    >>> import saltus
    >>> code, out, messages = saltus.call("list", "solvers")
    >>> code, "lemke" in out
    (0, True)
    """
    with Shown(progress) as bar:
        return _saltus.call([str(w) for w in words], bar)


def _answer(words: list[str], progress: Progress) -> tuple[bool, dict[str, Any], str]:
    """The JSON object of a command, whether all went well, and its messages."""
    code, out, said = call(*words, "--json", progress=progress)
    if not out.strip():
        raise _saltus.Error(re.sub(r"^saltus: ", "", said) or "the command printed nothing")
    return code == 0, json.loads(out), re.sub(r"^saltus: ", "", said)


def _lists(given: str | Sequence[str] | None) -> list[str]:
    return [] if given is None else [given] if isinstance(given, str) else [str(x) for x in given]


def _number(x: Any) -> Any:
    return np.nan if x is None else x


class Sweep:
    """What :func:`saltus.sweep` computed.

    ``axes`` has the values of what varies, by name; ``sweep["name"]`` is a measure, as an array with one axis for
    each of ``axes`` in their order (or one row for each point, where points are samples or come from a table), and
    ``errors["name"]`` its error bar where runs are by tolerance. ``status`` and ``messages`` tell about single runs.
    """

    def __init__(self, answer: dict[str, Any], success: bool, message: str, shape: tuple[int, ...],
                 axes: dict[str, NDArray[Any]], points: dict[str, NDArray[Any]], measures: dict[str, NDArray[Any]],
                 errors: dict[str, NDArray[Any]]) -> None:
        self.report, self.success, self.message, self.shape = answer, success, message, shape
        self.axes, self.points, self.measures, self.errors = axes, points, measures, errors

    @property
    def names(self) -> list[str]:
        """Of the measures."""
        return list(self.measures)

    @property
    def status(self) -> str:
        """"finished", "failed" (some runs), "interrupted"."""
        return str(self.report["status"])

    def __getitem__(self, name: str) -> NDArray[Any]:
        for found in (self.measures, self.axes, self.points):
            if name in found:
                return found[name]
        raise KeyError(f"{name}: known are {', '.join([*self.measures, *self.points])}")

    def to_xarray(self) -> Any:
        """All measures as an xarray.Dataset over the axes (needs xarray)."""
        import xarray as xr  # type: ignore[import-not-found,import-untyped,unused-ignore]

        dims = list(self.axes) if self.axes else ["point"]
        data = {name: (dims, values) for name, values in self.measures.items()}
        coords: dict[str, Any] = dict(self.axes) if self.axes else {n: ("point", v) for n, v in self.points.items()}
        return xr.Dataset(data, coords=coords)

    def to_pandas(self) -> Any:
        """One row for each point (needs pandas)."""
        import pandas as pd  # type: ignore[import-not-found,import-untyped,unused-ignore]

        return pd.DataFrame({**self.points, **{n: v.ravel() for n, v in self.measures.items()}})

    def plot(self, name: str | None = None, *, ax: Any = None) -> Any:
        """Draws a measure over one axis as a curve, over two as a map; returns the axes."""
        from . import _figure

        return _figure.plot_sweep(self, name, ax=ax)

    def __repr__(self) -> str:
        over = " × ".join(f"{n} ({len(v)})" for n, v in self.axes.items()) or f"{self.shape[0]} points"
        return f"<saltus.Sweep over {over}: {', '.join(self.names)}; {self.status}>"


Values = Union[str, ArrayLike]


def _axis(name: str, values: Values) -> str:
    """NAME=list:… or what the user wrote in the syntax of --over."""
    if isinstance(values, str):
        return f"{name}={values}"
    if isinstance(values, np.ndarray) and values.ndim > 1:
        raise TypeError(f"over {name}: an array of {values.ndim} dimensions; an axis is a list of values")
    listed = [values] if np.ndim(values) == 0 else list(values)  # type: ignore[arg-type]
    if not listed:
        raise _saltus.Error(f"over {name}: there are no values")
    return f"{name}=list:" + ",".join(text_of(v) for v in listed)


@documented("sweep")
def sweep(target: Target, over: Mapping[str, Values] | None = None, measure: str | Sequence[str] | None = None, *,
          parameters: Mapping[str, Any] | None = None, set: Mapping[str, Any] | None = None,
          sample: Mapping[str, str] | None = None, check: bool = False, progress: Progress = None,
          **options: Any) -> Sweep:
    """Runs a family of problems in parallel and tabulates measures: ``saltus sweep``.

    Parameters
    ----------
    over
        What varies: ``{"e": np.linspace(0.5, 1, 101), "coordinates.z.start": [1, 2]}``. Several are a product.
        Text has the syntax of the program: ``{"h": "log:1e-4:1e-2:9"}``.
    measure
        Formulas of a run: ``["final.q[0]", "lost = energy.initial - energy.final"]``; those of the scene when left
        out (docs/reference/commands/sweep.md).
    sample
        Distributions instead of axes: ``{"e": "uniform(0.5, 1)"}``, with ``points=1000, seed=1``.
    check
        Raise :class:`saltus.StudyError` where a run did not finish.
    options
        All options of ``saltus sweep``; ``threads=2``; ``output="table.csv", resume=True`` goes on with a sweep that
        was interrupted.

    Examples
    --------
    >>> import numpy as np, saltus
    >>> table = saltus.sweep("bouncing-ball", over={"e": np.linspace(0.5, 0.9, 5)}, measure=["n = events.impact"])
    >>> table["n"].shape
    (5,)
    """
    held = Held(target)
    words = ["sweep", held.word, *pairs("-p", parameters, "parameters"), *pairs("--set", set, "set")]
    over = over or {}
    for name, values in over.items():
        words += ["--over", _axis(name, values)]
    for name, distribution in (sample or {}).items():
        words += ["--sample", f"{name}={distribution}"]
    for text in _lists(measure):
        words += ["--measure", text]
    ok, answer, said = _answer([*words, *words_of("sweep", options)], progress)
    found = _table(answer, ok, said, over)
    if check and not ok:
        raise StudyError(said or found.status, found)
    return found


def _values(texts: Sequence[Any]) -> NDArray[Any]:
    """Numbers where all of them are; the program writes values as the user gave them."""
    try:
        return np.array([float(x) for x in texts])
    except ValueError:
        return np.array([str(x) for x in texts])


def _table(answer: dict[str, Any], ok: bool, said: str, over: Mapping[str, Values]) -> Sweep:
    rows = answer.get("rows") or []
    measured = [m["name"] for m in answer["measures"]]
    names = list(rows[0]["point"]) if rows else []
    points = {n: _values([r["point"][n] for r in rows]) for n in names}
    shape: tuple[int, ...] = (len(rows),)
    axes = {a["name"]: _values(a["values"]) for a in answer["over"]}
    if list(axes) == names and int(np.prod([len(v) for v in axes.values()])) == len(rows):
        shape = tuple(len(v) for v in axes.values())  # a product, complete: the last one varies fastest
    else:
        axes = {}

    def column(key: str, name: str) -> NDArray[Any]:
        return np.array([_number((r.get(key) or {}).get(name)) for r in rows], dtype=float).reshape(shape)

    return Sweep(answer, ok, said, shape, axes, points, {n: column("measures", n) for n in measured},
                 {n: column("error_estimate", n) for n in measured})


class Study:
    """Data of a study: ``report`` is what the program prints with ``--json``, ``tables`` its tables of numbers.

    A table is a dict of arrays by name, with ``label`` and, of convergence, ``orders``.
    """

    def __init__(self, kind: str, report: dict[str, Any], success: bool, message: str,
                 tables: list[dict[str, Any]]) -> None:
        self.kind, self.report, self.success, self.message, self.tables = kind, report, success, message, tables

    def plot(self, norm: str | None = None, *, ax: Any = None) -> Any:
        """Draws the errors in a norm ("q_sup", "u_l1", …) in a log-log figure; returns the axes."""
        from . import _figure

        return _figure.plot_study(self, norm, ax=ax)

    def __repr__(self) -> str:
        return f"<saltus.Study: {self.kind} of {self.report['problem']}, {len(self.tables)} tables>"


def _study(command: str, target: Target, parameters: Mapping[str, Any] | None, fields: Mapping[str, Any] | None,
           check: bool, progress: Progress, options: Mapping[str, Any]) -> Study:
    held = Held(target)
    given = dict(options)
    for key in ("h", "rtol", "tol"):  # lists of numbers are one word
        if given.get(key) is not None and not isinstance(given[key], str):
            given[key] = text_of(np.atleast_1d(given[key]))
    words = [command, held.word, *pairs("-p", parameters, "parameters"), *pairs("--set", fields, "set")]
    ok, answer, said = _answer([*words, *words_of(command, given)], progress)
    tables = [_columns(t) for t in answer.get("tables") or [answer]]
    study = Study(command, answer, ok, said, tables)
    if check and not ok:
        raise StudyError(said or "a run did not finish", study)
    return study


def _columns(table: dict[str, Any]) -> dict[str, Any]:
    rows = table["rows"]
    method = table.get("method", table)
    out: dict[str, Any] = {"label": f"{method.get('scheme', '')}; {method.get('stepping', '')}".strip("; "),
                           "orders": table.get("orders", {}), "knob": table.get("knob", "h")}
    flat = [{**{k: v for k, v in r.items() if not isinstance(v, (dict, list))}, **r.get("stats", {}), **r.get("error", {})}
            for r in rows]
    for key in dict.fromkeys(k for r in flat for k in r):
        values = [r.get(key) for r in flat]
        text = any(isinstance(v, str) for v in values)
        out[key] = values if text else np.array([_number(v) for v in values], dtype=float)
    return out


@documented("converge")
def converge(target: Target, *, parameters: Mapping[str, Any] | None = None, set: Mapping[str, Any] | None = None,
             check: bool = False, progress: Progress = None, **options: Any) -> Study:
    """Errors in all norms over steps or tolerances, with fitted orders: ``saltus converge``.

    ``scheme`` may be a list of methods, ``h`` and ``rtol`` lists of numbers.

    >>> import saltus
    >>> study = saltus.converge("bouncing-ball", h=[0.02, 0.01, 0.005])
    >>> len(study.tables[0]["q_sup"])
    3
    """
    return _study("converge", target, parameters, set, check, progress, options)


@documented("work-precision")
def work_precision(target: Target, *, parameters: Mapping[str, Any] | None = None,
                   set: Mapping[str, Any] | None = None, check: bool = False, progress: Progress = None,
                   **options: Any) -> Study:
    """Errors over force evaluations and CPU time, one curve per method: ``saltus work-precision``.

    >>> import saltus
    >>> study = saltus.work_precision("bouncing-ball", rtol=[1e-4, 1e-6])
    >>> len(study.tables[0]["cpu_seconds"])
    2
    """
    return _study("work-precision", target, parameters, set, check, progress, options)


class Verification(dict[str, Any]):
    """What :func:`saltus.verify` found: the JSON object of ``saltus verify``."""

    @property
    def accepted(self) -> bool:
        """Whether the results satisfy the equations of their problem."""
        return bool(self["accepted"])

    def plot(self, *, ax: Any = None) -> Any:
        """Draws what is missing beside its limits; returns the axes."""
        from . import _figure

        return _figure.plot_verification(self, ax=ax)


def _as_file(solution: Solution | str | os.PathLike[str], folder: str, name: str) -> str:
    if isinstance(solution, Solution):
        file = os.path.join(folder, name)
        solution.save(file)
        return file
    return os.fspath(solution)


@documented("verify")
def verify(solution: Solution | str | os.PathLike[str], **options: Any) -> Verification:
    """Re-checks a solution, or a file of results, against the equations of its problem: ``saltus verify``.

    >>> import saltus
    >>> saltus.verify(saltus.run("bouncing-ball", t_end=1)).accepted
    True
    """
    with tempfile.TemporaryDirectory() as folder:
        _, answer, _ = _answer(["verify", _as_file(solution, folder, "a.h5"), *words_of("verify", options)], False)
    return Verification(answer)


@documented("compare")
def compare(solution: Solution | str | os.PathLike[str], other: Solution | str | os.PathLike[str] | None = None,
            **options: Any) -> dict[str, Any]:
    """Distances between two runs, or between a run and the solution of its own problem: ``saltus compare``.

    Returns the JSON object of the program; ``["distance"]`` has the norms.

    >>> import saltus
    >>> a = saltus.run("bouncing-ball", rtol=1e-4)
    >>> b = saltus.run("bouncing-ball", rtol=1e-8)
    >>> saltus.compare(a, b)["distance"]["q_sup"] < 1e-2
    True
    """
    with tempfile.TemporaryDirectory() as folder:
        words = ["compare", _as_file(solution, folder, "a.h5")]
        if other is not None:
            words.append(_as_file(other, folder, "b.h5"))
        _, answer, _ = _answer([*words, *words_of("compare", options)], False)
    return answer


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
    """
    words = ["reproduce", *([what] if what else []), "--out", os.fspath(out), "--json"]
    answer = json.loads(_reproduce(words))
    return Reproduction(answer)


def studies() -> dict[str, str]:
    """Names and titles of what :func:`saltus.reproduce` knows."""
    return {s["id"]: s["title"] for s in json.loads(_reproduce(["reproduce", "--list", "--json"]))["studies"]}


def _reproduce(words: list[str]) -> str:
    import subprocess

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


def problems() -> dict[str, dict[str, Any]]:
    """The problems of the catalog with their parameters.

    >>> import saltus
    >>> "e" in saltus.problems()["bouncing-ball"]["parameters"]
    True
    """
    return _listed("problems")


def schemes() -> dict[str, dict[str, Any]]:
    """Time-stepping schemes with their fields."""
    return _listed("schemes")


def steppings() -> dict[str, dict[str, Any]]:
    """How steps are chosen, with their fields."""
    return _listed("steppings")


def solvers() -> dict[str, dict[str, Any]]:
    """Solvers of contact problems with their fields."""
    return _listed("solvers")


def _listed(what: str) -> dict[str, dict[str, Any]]:
    _, answer, _ = _answer(["list", what], False)
    out: dict[str, dict[str, Any]] = {}
    for item in answer[what]:
        fields = item.pop("parameters", None) or item.pop("fields", None) or []
        out[item["name"]] = {**item, "parameters": {f["name"]: f for f in fields}}
    return out


def check(target: Target, *, set: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Reads a scene and says what is in it; raises :class:`saltus.SceneError` with all that is wrong.

    >>> import saltus
    >>> saltus.check("saltus: 1\\ncoordinates: {x: {start: 1}}\\nmass: {x: 1}\\nrun: {t_end: 1}\\n")["coordinates"]
    ['x']
    """
    held = Held(target)
    changes = [f"{name}={text_of(value)}" for name, value in (set or {}).items()]
    if held.given is not None:
        return _saltus.check_scene(held.given.file, held.given.text, changes)
    with open(held.word, "rb") as file:
        return _saltus.check_scene(held.word, file.read(), changes)
