"""Sweeps: families of runs in parallel."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _saltus
from ._call import StudyError, answer_of, listed, number
from ._progress import Progress
from ._target import Held, Target
from ._words import documented, mapping, pairs, text_of, words_of


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
        """All measures as an xarray.Dataset over the axes, with error bars as NAME_error (needs xarray).

        >>> import saltus
        >>> table = saltus.sweep("bouncing-ball", over={"e": [0.5, 0.7]}, measure="n = events.impact")
        >>> dict(table.to_xarray().sizes)
        {'e': 2}
        """
        import xarray as xr  # type: ignore[import-not-found,import-untyped,unused-ignore]

        dims = list(self.axes) if self.axes else ["point"]
        data = {name: (dims, values) for name, values in self.measures.items()}
        data |= {f"{name}_error": (dims, bars) for name, bars in self.errors.items() if np.isfinite(bars).any()}
        coords: dict[str, Any] = dict(self.axes) if self.axes else {n: ("point", v) for n, v in self.points.items()}
        return xr.Dataset(data, coords=coords)

    def to_pandas(self) -> Any:
        """One row for each point (needs pandas).

        >>> import saltus
        >>> table = saltus.sweep("bouncing-ball", over={"e": [0.5, 0.7]}, measure="n = events.impact")
        >>> table.to_pandas().shape
        (2, 2)
        """
        import pandas as pd  # type: ignore[import-not-found,import-untyped,unused-ignore]

        return pd.DataFrame({**self.points, **{n: v.ravel() for n, v in self.measures.items()}})

    def plot(self, name: str | None = None, *, ax: Any = None) -> Any:
        """Draws a measure over one axis as a curve, over two as a map; returns the axes.

        >>> import matplotlib; matplotlib.use("Agg")
        >>> import saltus
        >>> axes = saltus.sweep("bouncing-ball", over={"e": [0.5, 0.7, 0.9]}, measure="n = events.impact").plot()
        """
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
    over = mapping(over, "over")
    for name, values in over.items():
        words += ["--over", _axis(name, values)]
    for name, distribution in mapping(sample, "sample").items():
        words += ["--sample", f"{name}={distribution}"]
    for text in listed(measure):
        words += ["--measure", text]
    ok, answer, said = answer_of([*words, *words_of("sweep", options)], progress)
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
        return np.array([number((r.get(key) or {}).get(name)) for r in rows], dtype=float).reshape(shape)

    return Sweep(answer, ok, said, shape, axes, points, {n: column("measures", n) for n in measured},
                 {n: column("error_estimate", n) for n in measured})
