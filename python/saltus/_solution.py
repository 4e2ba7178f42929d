"""What a run came to."""
from __future__ import annotations

import html
import json
import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _saltus
from ._motion import BodyMotion, bodies_of, motion_of
from ._report import Report
from ._tables import column_of, frame_of, states_frame, table_of

Floats = NDArray[np.float64]


class RunError(RuntimeError):
    """A run that did not finish, raised with ``check=True``. ``solution`` has what was computed."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(f"{solution.status_text}: {solution.message}")
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        return RunError, (self.solution,)


class Solution(Report):
    """What a run computed: states, events, impulses, energy, measures.

    Made by :func:`saltus.run` and :func:`saltus.load`.

    Attributes
    ----------
    t : array of shape (times,)
        Times of the samples. Where the velocity jumps there are two at one time.
    q, u : arrays of shape (times, coordinates)
        Positions and velocities. They look into the memory of the run and cannot be written to.
    success, status, message
        As in SciPy: ``status`` is 0 for a run that reached its end, 1 when stopped, 2 when failed, 3 when
        interrupted.

    Examples
    --------
    >>> import saltus
    >>> sol = saltus.run("bouncing-ball", t_end=1)
    >>> sol.success, sol.status, sol.names
    (True, 0, ['q0'])
    >>> q, u = sol(0.5)
    >>> q.shape, u.shape
    ((1,), (1,))
    """

    def __init__(self, data: _saltus.RunData, names: list[str] | None = None) -> None:
        self._data = data
        self._kept: bytes | str | None = None  # the file or its name, where it came from one
        self._extra_names = names
        self._cache: dict[str, Any] = {}

    # ---- states

    @property
    def t(self) -> Floats:
        """Times of the samples."""
        return self._once("t", lambda: self._data.t)

    @property
    def q(self) -> Floats:
        """Positions, one row for each time."""
        return self._once("q", lambda: self._data.q)

    @property
    def u(self) -> Floats:
        """Velocities, one row for each time."""
        return self._once("u", lambda: self._data.u)

    @property
    def psi(self) -> Floats:
        """Multipliers of an overdetermined DAE, one row for each time; no columns for other systems."""
        return self._once("psi", lambda: self._data.psi)

    @property
    def names(self) -> list[str]:
        """Of the coordinates: those of a scene, else q0, q1, …"""
        known = self._extra_names or self.report["final"].get("names") or []
        return [known[k] if k < len(known) else f"q{k}" for k in range(self.q.shape[1])]

    @property
    def velocity_names(self) -> list[str]:
        """Of the velocities: NAME' of each coordinate, unless they have names of their own."""
        own = self.report["final"].get("velocities")
        if own:
            return list(own)
        if self.u.shape[1] == self.q.shape[1]:
            return [name + "'" for name in self.names]
        return [f"u{k}" for k in range(self.u.shape[1])]

    def __call__(self, t: ArrayLike, side: str = "+") -> tuple[Floats, Floats]:
        """The state (q, u) at any time of the run, from the polynomials of the method where it has some.

        ``side`` is the limit that is taken at a jump: "-" from the left, "+" from the right. Arrays of times give
        arrays with one more axis.

        >>> import saltus
        >>> sol = saltus.run("bouncing-ball")
        >>> hit = sol.events["t"][0]
        >>> before, after = sol(hit, side="-")[1], sol(hit, side="+")[1]
        >>> bool(before[0] < 0 < after[0])
        True
        """
        if not isinstance(side, str):
            raise TypeError(f"side = {side!r}: it is the text '-' or '+'")
        return self._data.states(_times(t), side)

    def __getitem__(self, name: str) -> Floats:
        """A coordinate, or a velocity, by its name: ``sol["ball.x"]``, ``sol["ball.x'"]``, ``sol["t"]``.

        >>> import saltus
        >>> sol = saltus.run("bouncing-ball", t_end=1)
        >>> sol["q0"].shape == sol.t.shape
        True
        """
        if not isinstance(name, str):
            raise TypeError(f"{name!r}: names are text; sol.q[i, k] has single numbers")
        if name in self.names:
            return self.q[:, self.names.index(name)]
        if name in self.velocity_names:
            return self.u[:, self.velocity_names.index(name)]
        if name == "t":
            return self.t
        raise KeyError(f"{name}: known are {', '.join([*self.names, *self.velocity_names][:24])}")

    def __contains__(self, name: object) -> bool:
        return name == "t" or name in self.names or name in self.velocity_names

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, of the plane or in space."""
        return bodies_of(self.names)

    def body(self, name: Any) -> BodyMotion:
        """The motion of a body by its name, or as the scene has it: position, velocity, angle or quaternion, spin.

        >>> import saltus
        >>> s = saltus.Scene(t_end=0.1)
        >>> ball = s.body("ball", "disk", radius=0.1, mass=1, position=(0, 1), spin=3)
        >>> motion = s.run().body(ball)
        >>> motion.position[0].tolist(), round(float(motion.angle[-1]), 9)
        ([0.0, 1.0], 0.3)
        """
        return motion_of(self.t, self.q, self.u, self.names, self.velocity_names, str(name))

    def __len__(self) -> int:
        return len(self.t)

    # ---- events and impulses

    @property
    def events(self) -> NDArray[Any]:
        """What contacts did: a structured array with the fields t, contact, kind, from, to, impulse, u_minus, u_plus,
        energy_loss, t_before and id.

        >>> import saltus
        >>> sol = saltus.run("bouncing-ball")
        >>> str(sol.events["kind"][0])
        'impact'
        """

        def make() -> NDArray[Any]:
            e = self._data.events()
            names = {int(k): self._data.contact_name(int(k)) for k in np.unique(e["id"])}
            text = {key: np.array(e[key], dtype=str) if e[key] else np.empty(0, "U1") for key in ("kind", "from", "to")}
            return table_of({"t": e["t"], "contact": column_of(names, e["id"]), **text, "impulse": e["impulse"],
                           "u_minus": e["u_minus"], "u_plus": e["u_plus"], "energy_loss": e["energy_loss"],
                           "t_before": e["t_before"], "id": e["id"]})

        return self._once("events", make)

    @property
    def impulses(self) -> NDArray[Any]:
        """Impulses of all steps in which contacts or joints acted: t, contact, mode, impulse, id."""

        def make() -> NDArray[Any]:
            a = self._data.impulses()
            names = {int(k): self._data.contact_name(int(k)) for k in np.unique(a["id"])}
            return table_of({"t": a["t"], "contact": column_of(names, a["id"]), "mode": np.array(a["modes"])[a["mode"]],
                           "impulse": a["impulse"], "id": a["id"]})

        return self._once("impulses", make)

    def to_pandas(self) -> Any:
        """States as a pandas DataFrame with the index t (needs pandas).

        >>> import saltus
        >>> sol = saltus.run("bouncing-ball", t_end=1)
        >>> list(sol.to_pandas().columns)
        ['q0', "q0'"]
        """
        return states_frame(self.t, {**dict(zip(self.names, self.q.T)), **dict(zip(self.velocity_names, self.u.T))})

    def events_to_pandas(self) -> Any:
        """Events as a pandas DataFrame (needs pandas); impulse and velocities by row: impulse0, impulse1, …

        >>> import saltus
        >>> saltus.run("bouncing-ball").events_to_pandas()["kind"].iloc[0]
        'impact'
        """
        return frame_of(self.events)

    @property
    def energy(self) -> Floats:
        """Kinetic and potential energy of every sample; NaN where the system has none."""
        return self._once("energy", self._data.energy)

    # ---- files, pictures

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes a file of results (.h5), as ``saltus run -o`` does: ``saltus.load`` and all commands read it.

        >>> import os, saltus, tempfile
        >>> sol = saltus.run("bouncing-ball", t_end=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     name = os.path.join(folder, "ball.h5")
        ...     sol.save(name)
        ...     same = saltus.load(name)
        >>> bool((same.q == sol.q).all())
        True
        """
        name = os.fspath(file)
        if self._kept is None:
            self._data.save(name)
            return
        if not name.endswith((".h5", ".hdf5")):  # as the program says of a run that is not from a file
            raise _saltus.Error(f"'{name}': files of results end in .h5 or .hdf5")
        content = self._content()
        with open(name, "wb") as out:
            out.write(content)

    def plot(self, names: str | list[str] | None = None, *, velocities: bool = True, ax: Any = None) -> Any:
        """Draws positions and velocities over time with matplotlib; returns the axes.

        ``names`` chooses coordinates, the first six when left out. ``ax``: an axes to draw the positions in.

        >>> import matplotlib; matplotlib.use("Agg")
        >>> import saltus
        >>> axes = saltus.run("bouncing-ball").plot()
        >>> len(axes)
        2
        """
        from . import _figure

        return _figure.plot(self, names, velocities=velocities, ax=ax)

    def plot_energy(self, *, ax: Any = None) -> Any:
        """Draws the energy over time; returns the axes.

        >>> import saltus
        >>> import matplotlib; matplotlib.use("Agg")
        >>> axes = saltus.run("bouncing-ball").plot_energy()
        """
        from . import _figure

        return _figure.plot_energy(self, ax=ax)

    def animate(self, file: str | os.PathLike[str] | None = None, *, fps: float = 25, speed: float = 1.0,
                size: float = 6.0) -> Any:
        """The bodies in motion, as a matplotlib animation; written to a file (.gif, .html) when one is named.

        ``speed``: seconds of the run in a second of the film.

        >>> import saltus
        >>> import matplotlib; matplotlib.use("Agg")
        >>> s = saltus.Scene(t_end=0.2)
        >>> ball = s.body("ball", "disk", radius=0.1, mass=1, position=(0, 1))
        >>> film = s.run().animate(fps=10)
        >>> film.pause()
        """
        from . import _figure

        return _figure.animate(self, file, fps=fps, speed=speed, size=size)

    def snapshot(self, t: float | None = None, *, ax: Any = None) -> Any:
        """Draws the bodies at a time, at the end when none is given; returns the axes.

        >>> import saltus
        >>> import matplotlib; matplotlib.use("Agg")
        >>> s = saltus.Scene(t_end=0.2)
        >>> ball = s.body("ball", "disk", radius=0.1, mass=1, position=(0, 1))
        >>> axes = s.run().snapshot(0.1)
        """
        from . import _figure

        return _figure.snapshot(self, t, ax=ax)

    def __repr__(self) -> str:
        shape = f"{len(self.t)} samples of {self.q.shape[1]} coordinates"
        end = f", t = {self.t[0]:.6g} … {self.t[-1]:.6g}" if len(self.t) else ""
        return f"<saltus.Solution of {self.report['problem']}: {self.status_text}, {shape}{end}, {len(self.events)} events>"

    def _repr_html_(self) -> str:
        from . import _figure

        rows = {"status": f"{self.status_text}: {self.message}", "method": self.report["method"]["scheme"],
                "events": str(len(self.events)), "steps": str(self.stats.get("steps", "")),
                **{k: f"{v:.6g}" + ("" if np.isnan(v.error) else f" ± {v.error:.1g}")
                   for k, v in list(self.measures.items())[:6]}}
        table = "".join(f"<tr><th style='text-align:left'>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>"
                        for k, v in rows.items())
        return (f"<div><b>{html.escape(str(self.report['problem']))}</b><table>{table}</table>"
                f"{_figure.small_svg(self)}</div>")

    # ---- pickling: as a file of results

    def __getstate__(self) -> dict[str, Any]:
        return {"file": self._content(), "report": json.dumps(self.report), "names": self._extra_names,
                "success": self.success}

    def __setstate__(self, state: dict[str, Any]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "solution.h5")
            with open(name, "wb") as file:
                file.write(state["file"])
            self._data = _saltus.RunData(name)
        self._kept, self._extra_names = state["file"], state["names"]
        self._cache = {"report": json.loads(state["report"]), "success": state["success"]}

    def _content(self) -> bytes:
        """A file of results with this run in it."""
        if isinstance(self._kept, bytes):
            return self._kept
        with tempfile.TemporaryDirectory() as folder:
            name = self._kept
            if name is None:
                name = os.path.join(folder, "solution.h5")
                self._data.save(name)
            with open(name, "rb") as file:
                return file.read()


def _times(t: ArrayLike) -> Floats:
    try:
        times = np.asarray(t)
        if times.dtype.kind == "c":  # NumPy would drop the imaginary parts
            raise TypeError
        return np.asarray(times, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise _saltus.Error(f"t = {t!r} is no time and no array of times") from error


def load(file: str | os.PathLike[str]) -> Solution:
    """Reads a file of results (.h5) of ``saltus run -o``, ``run(…, output=…)`` or ``Solution.save``.

    A file has states, events, impulses, energies, warnings and counts; measures and error bars are in pickles only.

    >>> import os, saltus, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     name = os.path.join(folder, "ball.h5")
    ...     made = saltus.run("bouncing-ball", t_end=1, output=name)
    ...     sol = saltus.load(name)
    >>> sol.success
    True
    """
    name = os.fspath(file)
    sol = Solution(_saltus.RunData(name))
    sol._kept = os.path.abspath(name)
    return sol
