"""What a run says of itself: how it ended, what it cost, what was measured."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from . import _saltus

T = TypeVar("T")


def _number(x: Any) -> float:
    return np.nan if x is None else float(x)


class Measure(float):
    """A number of a scene's ``measure``, with its error bar in ``error``: NaN where the run has none.

    >>> import saltus
    >>> saltus.Measure(0.25, 1e-9)
    0.25 ± 1e-09
    >>> saltus.Measure(0.25, 1e-9) == 0.25
    True
    """

    error: float

    def __new__(cls, value: float, error: float = np.nan) -> Measure:
        made = super().__new__(cls, value)
        made.error = float(error)
        return made

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        return float(self), self.error

    def __repr__(self) -> str:
        bar = "" if np.isnan(self.error) else f" ± {self.error:.1g}"
        return float.__repr__(self) + bar


class Report:
    """What a run says of itself; the part of a :class:`saltus.Solution` that needs no arrays."""

    _data: _saltus.RunData
    _cache: dict[str, Any]

    @property
    def report(self) -> dict[str, Any]:
        """What ``saltus run --json`` prints, without the events."""
        return self._once("report", lambda: dict(json.loads(self._data.report)))

    @property
    def success(self) -> bool:
        """The run reached its end, and every contact problem met its tolerance."""
        return bool(self._once("success", lambda: self._data.success))

    @property
    def status(self) -> int:
        """0 finished, 1 stopped, 2 failed, 3 interrupted."""
        known = ["finished", "stopped", "failed", "interrupted"]
        return known.index(self.status_text) if self.status_text in known else 2

    @property
    def status_text(self) -> str:
        """"finished", "stopped", "failed", "interrupted"; "running" of a file that was not closed."""
        return str(self.report["status"])

    @property
    def message(self) -> str:
        """Why the run ended."""
        return str(self.report["message"]) or "the run reached its end"

    @property
    def warnings(self) -> list[str]:
        """What a user should know of a run that reached its end; each is a sentence with the remedy."""
        return list(self.report["warnings"])

    @property
    def stats(self) -> dict[str, Any]:
        """Steps, evaluations, iterations, CPU seconds."""
        return dict(self.report["stats"])

    @property
    def nfev(self) -> int:
        """Evaluations of the force, by SciPy's name for them."""
        return int(self.stats.get("force_evaluations", 0))

    @property
    def ledger(self) -> dict[str, Any]:
        """Where the energy of the run came from and went (docs/explanation/ledger.md)."""
        return dict(self.report["ledger"] or {})

    @property
    def measures(self) -> dict[str, Measure]:
        """Measures of the scene: numbers with their error bars where the run is by tolerance.

        >>> import saltus
        >>> m = saltus.Model(t_end=1)
        >>> x = m.coordinate("x", start=1)
        >>> m.mass(x, 1)
        >>> m.force(x, -x)
        >>> m.measure("last", "final.x")
        >>> last = m.run(rtol=1e-8).measures["last"]
        >>> round(last, 6), last.error < 1e-6
        (0.540302, True)
        """
        bars = self.estimate.get("measures") or {}
        return {k: Measure(_number(v), _number(bars.get(k))) for k, v in self.report.get("measures", {}).items()}

    @property
    def error(self) -> dict[str, Any]:
        """Distances from the reference, where the problem knows one."""
        return dict(self.report.get("error", {}))

    @property
    def estimate(self) -> dict[str, Any]:
        """Error bars of a run by tolerance (docs/explanation/tolerance.md): of measures, final state and events."""
        return dict(self.report.get("error_estimate") or {})

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the problem, with the values of this run."""
        return dict(self.report["parameters"])

    @property
    def files(self) -> list[str]:
        """What the run wrote."""
        return list(self.report.get("files", []))

    def _once(self, key: str, make: Callable[[], T]) -> T:
        if key not in self._cache:
            self._cache[key] = make()
        return cast(T, self._cache[key])
