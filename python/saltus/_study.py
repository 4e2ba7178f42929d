"""Studies: orders, work and precision, re-checks; lists of what there is."""
from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _saltus
from ._functions import Functions
from ._call import StudyError, answer_of, number
from ._progress import Progress
from ._solution import Solution
from ._target import Held, Target
from ._words import documented, mapping, pairs, text_of, words_of


class Study:
    """Data of a study: ``report`` is what the program prints with ``--json``, ``tables`` its tables of numbers.

    A table is a dict of arrays by name, with ``label`` and, of convergence, ``orders``: the fitted
    order in each norm.
    """

    def __init__(self, kind: str, report: dict[str, Any], success: bool, message: str,
                 tables: list[dict[str, Any]]) -> None:
        self.kind, self.report, self.success, self.message, self.tables = kind, report, success, message, tables

    def plot(self, norm: str | None = None, *, ax: Any = None) -> Any:
        """Draws the errors in a norm ("q_sup", "u_l1", …) in a log-log figure; returns the axes.

        >>> import matplotlib; matplotlib.use("Agg")
        >>> import saltus
        >>> axes = saltus.converge("bouncing-ball", h=[0.02, 0.01, 0.005]).plot("q_l1")
        """
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
    ok, answer, said = answer_of([*words, *words_of(command, given)], progress)
    tables = [_columns(t) for t in answer.get("tables") or [answer]]
    study = Study(command, answer, ok, said or _first_trouble(answer), tables)
    if check and not ok:
        raise StudyError(study.message or "a run did not finish", study)
    return study


def _first_trouble(answer: dict[str, Any]) -> str:
    """What the first run said that did not finish."""
    rows = [r for t in answer.get("tables") or [answer] for r in t["rows"]]
    return next((str(r["message"]) for r in rows if r.get("status", "finished") != "finished"), "")


def _columns(table: dict[str, Any]) -> dict[str, Any]:
    rows = table["rows"]
    method = table.get("method", table)
    out: dict[str, Any] = {"label": f"{method.get('scheme', '')}; {method.get('stepping', '')}".strip("; "),
                           "orders": {k: number(v) for k, v in (table.get("order") or {}).items()}, "knob": table.get("knob", "h")}
    flat = [{**{k: v for k, v in r.items() if not isinstance(v, (dict, list))}, **r.get("stats", {}), **r.get("error", {})}
            for r in rows]
    for key in dict.fromkeys(k for r in flat for k in r):
        values = [r.get(key) for r in flat]
        text = any(isinstance(v, str) for v in values)
        out[key] = values if text else np.array([number(v) for v in values], dtype=float)
    return out


@documented("converge")
def converge(target: Target, *, parameters: Mapping[str, Any] | None = None, set: Mapping[str, Any] | None = None,
             check: bool = False, progress: Progress = None, **options: Any) -> Study:
    """Errors in all norms over steps or tolerances, with fitted orders: ``saltus converge``.

    ``scheme`` may be a list of methods, ``h`` and ``rtol`` lists of numbers.

    >>> import saltus
    >>> study = saltus.converge("bouncing-ball", h=[0.02, 0.01, 0.005])
    >>> len(study.tables[0]["q_sup"]), round(study.tables[0]["orders"]["q_l1"], 1)
    (3, 1.0)
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
        """Draws what is missing beside its limits; returns the axes.

        >>> import matplotlib; matplotlib.use("Agg")
        >>> import saltus
        >>> axes = saltus.verify(saltus.run("bouncing-ball", t_end=1)).plot()
        """
        from . import _figure

        return _figure.plot_verification(self, ax=ax)


class Comparison(dict[str, Any]):
    """What :func:`saltus.compare` found: the JSON object of ``saltus compare``."""

    def plot(self, *, ax: Any = None) -> Any:
        """Draws the distances in all norms; returns the axes.

        >>> import matplotlib; matplotlib.use("Agg")
        >>> import saltus
        >>> axes = saltus.compare(saltus.run("bouncing-ball", h=0.01)).plot()
        """
        from . import _figure

        return _figure.plot_comparison(self, ax=ax)


def _as_file(solution: Solution | str | os.PathLike[str], folder: str, name: str) -> str:
    if isinstance(solution, Solution):
        file = os.path.join(folder, name)
        solution.save(file)
        return file
    if not isinstance(solution, (str, os.PathLike)):
        raise TypeError(f"{solution!r} is no Solution and no file of results")
    return os.fspath(solution)


@documented("verify")
def verify(solution: Solution | str | os.PathLike[str], **options: Any) -> Verification:
    """Re-checks a solution, or a file of results, against the equations of its problem: ``saltus verify``.

    >>> import saltus
    >>> saltus.verify(saltus.run("bouncing-ball", t_end=1)).accepted
    True
    """
    with tempfile.TemporaryDirectory() as folder:
        _, answer, _ = answer_of(["verify", _as_file(solution, folder, "a.h5"), *words_of("verify", options)], False)
    return Verification(answer)


@documented("compare")
def compare(solution: Solution | str | os.PathLike[str], other: Solution | str | os.PathLike[str] | None = None,
            **options: Any) -> Comparison:
    """Distances between two runs, or between a run and the solution of its own problem: ``saltus compare``.

    Returns the JSON object of the program; ``["distance"]`` has the norms, and ``plot()`` draws them.

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
        _, answer, _ = answer_of([*words, *words_of("compare", options)], False)
    return Comparison(answer)


def problems() -> dict[str, dict[str, Any]]:
    """The problems of the catalog with their parameters.

    >>> import saltus
    >>> "e" in saltus.problems()["bouncing-ball"]["parameters"]
    True
    """
    return _listed("problems")


def schemes() -> dict[str, dict[str, Any]]:
    """Time-stepping schemes with their fields.

    >>> import saltus
    >>> "theta" in saltus.schemes()["moreau-jean"]["parameters"]
    True
    """
    return _listed("schemes")


def steppings() -> dict[str, dict[str, Any]]:
    """How steps are chosen, with their fields.

    >>> import saltus
    >>> "rtol" in saltus.steppings()["tolerance"]["parameters"]
    True
    """
    return _listed("steppings")


def solvers() -> dict[str, dict[str, Any]]:
    """Solvers of contact problems with their fields.

    >>> import saltus
    >>> "tolerance" in saltus.solvers()["psor"]["parameters"]
    True
    """
    return _listed("solvers")


def _listed(what: str) -> dict[str, dict[str, Any]]:
    _, answer, _ = answer_of(["list", what], False)
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
    changes = [f"{name}={text_of(value)}" for name, value in mapping(set, "set").items()]
    if isinstance(target, Functions):
        raise _saltus.Error("a model by functions has no scene to check; its functions are checked when it is made")
    if held.given is not None:
        return _saltus.check_scene(held.given.file, held.given.text, changes)
    if not os.path.exists(held.word):
        raise _saltus.Error(f"'{held.word}': no such file; check() reads scene files, texts of scenes and models")
    with open(held.word, "rb") as file:
        return _saltus.check_scene(held.word, file.read(), changes)
