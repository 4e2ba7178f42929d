"""Pictures with matplotlib, which is imported when the first one is drawn."""
from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _figure_space as _space
from . import _saltus

if TYPE_CHECKING:
    from ._solution import Solution
    from ._study import Comparison, Study, Verification
    from ._sweep import Sweep

_MOST = 4000  # points of a curve: more are thinned, with the extremes kept


def _thinned(t: Any, y: Any) -> tuple[Any, Any]:
    if len(t) <= _MOST:
        return t, y
    edges = np.linspace(0, len(t), _MOST // 2, dtype=int)
    keep = {0, len(t) - 1}
    for a, b in zip(edges[:-1], edges[1:]):
        if b > a:
            keep.update((a + int(np.argmin(y[a:b])), a + int(np.argmax(y[a:b]))))
    index = np.array(sorted(keep))
    return t[index], y[index]


def _chosen(sol: Solution, names: str | list[str] | None) -> list[int]:
    if names is None:
        return list(range(min(6, len(sol.names))))
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in sol.names:
            raise KeyError(f"{name}: known are {', '.join(sol.names[:24])}")
    return [sol.names.index(n) for n in wanted]


def _curve(sol: Solution, k: int, velocity: bool) -> tuple[Any, Any]:
    """Samples, and points between them where the method has polynomials and samples are few."""
    values = sol.u if velocity else sol.q
    if sol._data.pieces == 0 or len(sol.t) > _MOST or len(sol.t) < 2:
        return _thinned(sol.t, values[:, k])
    jumps = sol.t[1:][np.diff(sol.t) <= 0]
    times = np.unique(np.concatenate([np.linspace(sol.t[0], sol.t[-1], 800), sol.t]))
    q, u = sol(times, side="+")
    t, y = times, (u if velocity else q)[:, k]
    if len(jumps) or len(sol.events):  # both limits
        at = np.unique(np.concatenate([jumps, sol.events["t"]]))
        at = at[(at >= sol.t[0]) & (at <= sol.t[-1])]
        before = sol(at, side="-")[1 if velocity else 0][:, k]
        order = np.argsort(np.concatenate([t, np.nextafter(at, -np.inf)]), kind="stable")
        t, y = np.concatenate([t, at])[order], np.concatenate([y, before])[order]
    return t, y


def plot(sol: Solution, names: str | list[str] | None, *, velocities: bool, ax: Any) -> Any:
    import matplotlib.pyplot as plt

    chosen = _chosen(sol, names)
    if ax is None:
        rows = 2 if velocities else 1
        _, axes = plt.subplots(rows, 1, sharex=True, squeeze=False, figsize=(7, 2.6 * rows), layout="constrained")
        axes = axes[:, 0]
    else:
        axes, velocities = np.atleast_1d(ax), velocities and np.size(ax) > 1
    for k in chosen:
        axes[0].plot(*_curve(sol, k, False), label=sol.names[k])
    axes[0].set_ylabel("position")
    if velocities:
        for k in chosen:
            if k < sol.u.shape[1]:
                axes[1].plot(*_curve(sol, k, True), label=sol.velocity_names[k])
        axes[1].set_ylabel("velocity")
    axes[-1].set_xlabel("t [s]")
    axes[0].set_title(str(sol.report["problem"]))
    for one in axes:
        if len(chosen) > 1:
            one.legend(loc="best", fontsize="small")
        one.grid(alpha=0.3)
    return axes


def plot_energy(sol: Solution, *, ax: Any) -> Any:
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(7, 2.8), layout="constrained")
    ax.plot(*_thinned(sol.t, sol.energy))
    ax.set_xlabel("t [s]")
    ax.set_ylabel("energy [J]")
    ax.grid(alpha=0.3)
    return ax


def small_svg(sol: Solution) -> str:
    """A curve of every coordinate, for notebooks; without matplotlib none."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    if len(sol.t) < 2:
        return ""
    figure = Figure(figsize=(4.5, 1.8), layout="constrained")
    ax = figure.add_subplot()
    for k in _chosen(sol, None):
        ax.plot(*_curve(sol, k, False), label=sol.names[k], linewidth=1)
    ax.legend(fontsize="x-small")
    ax.set_xlabel("t [s]", fontsize="small")
    ax.tick_params(labelsize="x-small")
    out = io.StringIO()
    figure.savefig(out, format="svg")
    text = out.getvalue()
    return text[text.index("<svg"):]


# ---- bodies


def _draw(ax: Any, sketch: dict[str, Any], box: tuple[float, float, float, float]) -> list[Any]:
    from matplotlib.patches import Circle, Polygon

    drawn: list[Any] = []
    for x, y, radius, angle, colour in sketch["rounds"]:
        face = "none" if colour < 0 else f"C{colour % 10}"
        drawn.append(ax.add_patch(Circle((x, y), radius, facecolor=face, edgecolor="black", alpha=0.8, linewidth=0.8)))
        drawn += ax.plot([x, x + radius * np.cos(angle)], [y, y + radius * np.sin(angle)], color="black", linewidth=0.6)
    for points, colour in sketch["polygons"]:
        face = "none" if colour < 0 else f"C{colour % 10}"
        drawn.append(ax.add_patch(Polygon(points, closed=True, facecolor=face, edgecolor="black", alpha=0.8,
                                          linewidth=0.8)))
    reach = 2 * max(box[1] - box[0], box[3] - box[2])
    middle = np.array([(box[0] + box[1]) / 2, (box[2] + box[3]) / 2])
    for x, y, dx, dy in sketch["lines"]:
        along = np.array([dx, dy]) / np.hypot(dx, dy)
        foot = np.array([x, y]) + along * ((middle - [x, y]) @ along)
        ends = np.array([foot - reach * along, foot + reach * along])
        drawn += ax.plot(ends[:, 0], ends[:, 1], color="black", linewidth=1)
    return drawn


def _box(sketches: list[dict[str, Any]]) -> tuple[float, float, float, float]:
    points = [np.array([[x - r, y - r], [x + r, y + r]]) for s in sketches for x, y, r, _, c in s["rounds"]]
    points += [p for s in sketches for p, _ in s["polygons"]]
    if not points:
        return -1.0, 1.0, -1.0, 1.0
    every = np.concatenate(points)
    low, high = every.min(axis=0), every.max(axis=0)
    margin = 0.06 * max(high - low)
    return low[0] - margin, high[0] + margin, low[1] - margin, high[1] + margin


def _sketch(sol: Solution, t: float) -> dict[str, Any]:
    found = sol._data.sketch(float(t), "+")
    if found is None:
        raise _saltus.Error(f"{sol.report['problem']} has no picture of its bodies; plot() draws positions over time")
    return found


def _axes_for(box: tuple[float, float, float, float], size: float) -> Any:
    import matplotlib.pyplot as plt

    width, height = box[1] - box[0], box[3] - box[2]
    scale = size / max(width, height)
    figure, ax = plt.subplots(figsize=(max(2.0, width * scale) + 0.6, max(1.6, height * scale) + 0.6),
                              layout="constrained")
    return figure, ax


def snapshot(sol: Solution, t: float | None, *, ax: Any) -> Any:
    time = float(sol.t[-1]) if t is None else float(t)
    found = _sketch(sol, time)
    if _space.in_space(found):
        cube = _space.box_of([found])
        if ax is None:
            _, ax = _space.new_axes(6.0, cube)
        _space.draw(ax, found, cube)
        ax.set_title(f"t = {time:.4g} s")
        return ax
    box = _box([found])
    if ax is None:
        _, ax = _axes_for(box, 6.0)
    _draw(ax, found, box)
    ax.set(xlim=box[:2], ylim=box[2:], aspect="equal", xlabel="x [m]", ylabel="y [m]", title=f"t = {time:.4g} s")
    return ax


def animate(sol: Solution, file: str | os.PathLike[str] | None, *, fps: float, speed: float, size: float) -> Any:
    from matplotlib.animation import FuncAnimation

    if not (fps > 0 and speed > 0):
        raise ValueError(f"fps = {fps} and speed = {speed} must be above 0")
    span = float(sol.t[-1] - sol.t[0])
    frames = max(2, int(span / speed * fps) + 1)
    if frames > 5000:
        raise ValueError(f"{frames} frames; choose a larger speed or a smaller fps")
    times = np.linspace(sol.t[0], sol.t[-1], frames)
    sketches = [_sketch(sol, t) for t in times]
    box: Any
    draw: Any
    if _space.in_space(sketches[0]):
        draw, box = _space.draw, _space.box_of(sketches)
        figure, ax = _space.new_axes(size, box)
    else:
        draw, box = _draw, _box(sketches)
        figure, ax = _axes_for(box, size)
        ax.set(xlim=box[:2], ylim=box[2:], aspect="equal", xlabel="x [m]", ylabel="y [m]")
    drawn: list[Any] = []

    def show(k: int) -> list[Any]:
        while drawn:
            drawn.pop().remove()
        drawn.extend(draw(ax, sketches[k], box))
        ax.set_title(f"t = {times[k]:.3f} s")
        return drawn

    film = FuncAnimation(figure, show, frames=frames, interval=1000 / fps, blit=False)
    if file is not None:
        name = os.fspath(file)
        if name.endswith(".gif"):
            film.save(name, writer="pillow", fps=fps)
        elif name.endswith((".html", ".htm")):
            with open(name, "w", encoding="utf-8") as out:
                out.write(film.to_jshtml(fps=fps))
        else:
            film.save(name, fps=fps)
    return film


# ---- studies


def plot_sweep(table: Sweep, name: str | None, *, ax: Any) -> Any:
    import matplotlib.pyplot as plt

    which = name or table.names[0]
    values = table.measures[which] if which in table.measures else table[which]
    if ax is None:
        _, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    axes = list(table.axes.items())
    if len(axes) == 1:
        (over, x), bars = axes[0], table.errors[which]
        ax.errorbar(x, values, yerr=np.where(np.isfinite(bars), bars, 0) if np.isfinite(bars).any() else None, fmt=".-")
        ax.set(xlabel=over, ylabel=which)
    elif len(axes) == 2:
        (slow, y), (fast, x) = axes
        picture = ax.pcolormesh(x, y, values, shading="nearest")
        ax.figure.colorbar(picture, ax=ax, label=which)
        ax.set(xlabel=fast, ylabel=slow)
    elif table.points and not axes:
        over, x = next(iter(table.points.items()))
        ax.plot(x, values, ".")
        ax.set(xlabel=over, ylabel=which)
    else:
        raise ValueError(f"a picture of {len(axes)} axes; choose one or two of them")
    ax.grid(alpha=0.3)
    return ax


def plot_study(study: Study, norm: str | None, *, ax: Any) -> Any:
    import matplotlib.pyplot as plt

    norm = norm or "q_sup"
    if ax is None:
        _, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    for table in study.tables:
        if norm not in table:
            raise KeyError(f"{norm}: known are {', '.join(k for k in table if '_' in k)}")
        work = study.kind == "work-precision"
        x = table["force_evaluations"] if work else table[table["knob"]]
        ax.loglog(x, table[norm], "o-", label=table["label"].split(";")[0])
    ax.set(xlabel="force evaluations" if study.kind == "work-precision" else study.tables[0]["knob"],
           ylabel=f"error {norm}", title=str(study.report["problem"]))
    ax.legend(fontsize="small")
    ax.grid(alpha=0.3, which="both")
    return ax


def plot_comparison(found: Comparison, *, ax: Any) -> Any:
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
    norms = {k: v for k, v in found["distance"].items() if isinstance(v, (int, float))}
    ax.barh(list(norms), np.maximum(list(norms.values()), 1e-18), color="C0")
    ax.set(xscale="log", xlabel="distance")
    ax.grid(alpha=0.3, axis="x")
    return ax


def plot_verification(found: Verification, *, ax: Any) -> Any:
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    names = list(found["misfits"])
    parts = [found["misfits"][n]["part"] or 0 for n in names]
    limits = [found["misfits"][n]["limit"] for n in names]
    ax.barh(names, np.maximum(parts, 1e-18), color="C0", label="found")
    ax.plot([np.nan if v is None else v for v in limits], names, "|", color="C3", markersize=14, label="limit")
    ax.set(xscale="log", xlabel="part of its scale")
    ax.legend(fontsize="small")
    return ax
