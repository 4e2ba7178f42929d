"""Pictures of bodies in space: faces of their shapes in matplotlib's axes of three dimensions."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_AROUND = 16  # faces around an axis


def in_space(sketch: dict[str, Any]) -> bool:
    return bool(sketch["solids"] or sketch["strands"])


def _matrix(turn: tuple[float, float, float, float]) -> Floats:
    x, y, z, w = turn
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def _turned(radii: Floats, heights: Floats) -> list[Floats]:
    """A surface of revolution around the third axis, from its profile."""
    angle = np.linspace(0, 2 * np.pi, _AROUND + 1)
    rings = [np.stack([r * np.cos(angle), r * np.sin(angle), np.full_like(angle, h)], 1) for r, h in zip(radii, heights)]
    return [np.array([a[k], a[k + 1], b[k + 1], b[k]]) for a, b in zip(rings[:-1], rings[1:]) for k in range(_AROUND)]


def _faces(solid: dict[str, Any]) -> list[Floats]:
    """In space. A plane has none: it is as large as the picture."""
    radius, half = solid["radius"], solid["half"]
    if solid["kind"] == "polytope":
        corners = np.array(solid["corners"])
        own = [corners[list(face)] for face in solid["faces"]]
    elif solid["kind"] == "cylinder":
        own = _turned(np.array([0, radius, radius, 0]), np.array([-half, -half, half, half]))
    elif solid["kind"] in ("sphere", "capsule"):
        polar = np.linspace(-np.pi / 2, np.pi / 2, 10)  # an even number: half of them belong to each end
        own = _turned(radius * np.cos(polar), radius * np.sin(polar) + half * np.sign(polar))
    else:
        return []
    turn = _matrix(solid["turn"])
    return [face @ turn.T + np.array(solid["place"]) for face in own]


def box_of(sketches: list[dict[str, Any]]) -> Floats:
    """Two corners of a cube that holds all that moves."""
    points = [np.array(s["place"]) + side * reach for sketch in sketches for s in sketch["solids"] if s["kind"] != "plane"
              for reach in [s["radius"] + s["half"] + max([float(np.linalg.norm(c)) for c in s["corners"]], default=0.0)]
              for side in (-1, 1)]
    points += [np.array(p) for sketch in sketches for points_of, _, _ in sketch["strands"] for p in points_of]
    every = np.array(points or [[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    middle, half = (every.min(axis=0) + every.max(axis=0)) / 2, max(np.ptp(every, axis=0)) / 2
    return np.array([middle - half, middle + half])


def new_axes(size: float, box: Floats) -> Any:
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(size, size))
    ax: Any = figure.add_subplot(projection="3d")
    set_axes(ax, box)
    return figure, ax


def set_axes(ax: Any, box: Floats) -> None:
    ax.set(xlim=box[:, 0], ylim=box[:, 1], zlim=box[:, 2], xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    ax.set_box_aspect((1, 1, 1))


def draw(ax: Any, sketch: dict[str, Any], box: Floats) -> list[Any]:
    """What was drawn, so that an animation can remove it."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped,unused-ignore]

    drawn: list[Any] = []
    for solid in sketch["solids"]:
        obstacle = solid["colour"] < 0
        faces = _plane(solid, box) if solid["kind"] == "plane" else _faces(solid)
        flat = solid["kind"] in ("polytope", "plane")
        colours = [(0.85, 0.85, 0.85, 0.35)] if obstacle else _lit(faces, f"C{solid['colour'] % 10}")
        drawn.append(ax.add_collection3d(Poly3DCollection(faces, facecolors=colours, linewidths=0.5,
                                                          edgecolors="black" if flat else "none")))
    for points, _, spring in sketch["strands"]:
        drawn += ax.plot(*np.array(points).T, color="black", linewidth=1, linestyle=":" if spring else "-")
    return drawn


def _lit(faces: list[Floats], colour: str) -> list[tuple[float, ...]]:
    """The colour of each face, darker where it looks away from a light above."""
    from matplotlib.colors import to_rgb

    light = np.array([0.3, -0.5, 0.8])
    out = []
    for face in faces:
        normal = np.cross(face[2] - face[0], face[-1] - face[1])
        length = np.linalg.norm(normal)
        part = 0.5 + 0.5 * (normal @ light) / (length * np.linalg.norm(light)) if length > 0 else 0.5
        out.append((*(np.array(to_rgb(colour)) * (0.55 + 0.45 * part)), 1.0))
    return out


def _plane(solid: dict[str, Any], box: Floats) -> list[Floats]:
    """The part of a half-space's edge below and above the picture."""
    turn, place = _matrix(solid["turn"]), np.array(solid["place"])
    normal, middle = turn[:, 2], box.mean(axis=0)
    foot = middle - normal * ((middle - place) @ normal)
    reach = np.ptp(box[:, 0]) / 2
    return [np.array([foot + reach * (a * turn[:, 0] + b * turn[:, 1]) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])]
