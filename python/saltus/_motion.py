"""The motion of one body, taken from the columns of a solution."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class BodyMotion(NamedTuple):
    """A body over the times of a solution; made by :meth:`saltus.Solution.body`."""

    t: Floats
    """Times."""
    position: Floats
    """Of the centre of mass: (times, 2) in the plane, (times, 3) in space."""
    velocity: Floats
    """The same shape, inertial axes."""
    angle: Floats | None
    """In the plane, against the clock."""
    quaternion: Floats | None
    """In space: (times, 4), [w, x, y, z], from the body to space."""
    spin: Floats
    """Angular velocity: (times,) in the plane, (times, 3) in space, in the axes of the body."""

    @property
    def rotation(self) -> Floats:
        """Matrices (times, 2, 2) or (times, 3, 3) that turn vectors of the body into those of space."""
        if self.angle is not None:
            c, s = np.cos(self.angle), np.sin(self.angle)
            return np.moveaxis(np.array([[c, -s], [s, c]]), -1, 0)
        assert self.quaternion is not None
        w, x, y, z = (self.quaternion / np.linalg.norm(self.quaternion, axis=1, keepdims=True)).T
        rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
        return np.moveaxis(np.array(rows), -1, 0)


_PLANE, _SPACE = ("x", "y", "angle"), ("x", "y", "z", "qw", "qx", "qy", "qz")


def bodies_of(names: list[str]) -> list[str]:
    """Names of bodies, by the names of coordinates."""
    known = set(names)
    found = dict.fromkeys(n.rpartition(".")[0] for n in names if n.endswith(".x"))
    return [b for b in found if any(all(f"{b}.{c}" in known for c in kind) for kind in (_PLANE, _SPACE))]


def motion_of(t: Floats, q: Floats, u: Floats, names: list[str], velocities: list[str], body: str) -> BodyMotion:
    """Columns of one body; views where they stand side by side, as they do."""
    if body not in bodies_of(names):
        known = ", ".join(bodies_of(names)[:24])
        raise KeyError(f"{body}: " + (f"bodies are {known}" if known else "this solution has no bodies"))
    at = names.index(f"{body}.x")
    if f"{body}.qw" not in names:
        v = velocities.index(f"{body}.x'")
        return BodyMotion(t, q[:, at:at + 2], u[:, v:v + 2], q[:, at + 2], None, u[:, v + 2])
    v = velocities.index(f"{body}.vx")
    return BodyMotion(t, q[:, at:at + 3], u[:, v:v + 3], None, q[:, at + 3:at + 7], u[:, v + 3:v + 6])
