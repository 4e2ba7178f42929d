"""Parts of a scene with names: other parts take them for their names, formulas for their symbols."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _saltus
from ._symbols import Symbol

if TYPE_CHECKING:
    from ._scene import Scene


class Part:
    """Something of a scene with a name: a body, a wall, a link, a material. Other parts take it for its name."""

    def __init__(self, sections: dict[str, Any], section: str, name: str) -> None:
        self._sections, self._section, self.name = sections, section, name

    @property
    def fields(self) -> dict[str, Any]:
        """As they were given; changes of this dict change the scene."""
        found: dict[str, Any] = self._sections[self._section][self.name]
        return found

    def __setitem__(self, field: str, value: Any) -> None:
        self.fields[field] = value

    def __getitem__(self, field: str) -> Any:
        return self.fields[field]

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{self._section} {self.name}: {self.fields}>"


class Body(Part):
    """A rigid body of the plane; its coordinates are symbols for formulas."""

    @property
    def x(self) -> Symbol:
        """Of the centre of mass."""
        return Symbol(f"{self.name}.x")

    @property
    def y(self) -> Symbol:
        """Of the centre of mass."""
        return Symbol(f"{self.name}.y")

    @property
    def angle(self) -> Symbol:
        """Against the clock, in rad."""
        return Symbol(f"{self.name}.angle")


class SpaceBody(Part):
    """A rigid body in space. Its coordinates have the names NAME.x, .y, .z and NAME.qw, .qx, .qy, .qz, its velocities
    NAME.vx, .vy, .vz (inertial axes) and NAME.wx, .wy, .wz (axes of the body)."""


def put(sections: dict[str, Any], section: str, name: str, value: Any, path: str = "") -> None:
    """A new named entry of a section."""
    entries = sections.setdefault(section, {})
    if not isinstance(entries, dict):
        raise TypeError(f"{path}{section} is {entries!r} already; it cannot get fields")
    if not isinstance(name, str):
        raise TypeError(f"{path}{section}: a name is text, not {name!r}")
    if name in entries:
        raise _saltus.Error(f"{path}{section}.{name}: there is one already")
    entries[name] = value


class Space:
    """Bodies in space: the section ``space`` of a scene, made by :attr:`saltus.Scene.space`.

    A die on a table:

    >>> import saltus
    >>> s = saltus.Scene(t_end=0.3)
    >>> material = s.material(mu=0.3, e_n=0.5)
    >>> die = s.space.body("die", "box", size=(0.02, 0.02, 0.02), density=1200, position=(0, 0, 0.2),
    ...                    axis_angle=(1, 2, 0.5, 0.8), velocity=(1.2, 0.3, 0), spin=(20, -25, 10))
    >>> table = s.space.wall("table", normal=(0, 0, 1))
    >>> motion = s.run(no_estimate=True).body(die)
    >>> motion.position.shape[1], motion.quaternion.shape[1]
    (3, 4)
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    @property
    def sections(self) -> dict[str, Any]:
        """bodies, walls, joints, springs, gears, gravity: changes of this dict change the scene."""
        found = self._scene.document.setdefault("space", {})
        if not isinstance(found, dict):
            raise TypeError(f"space is {found!r} already; it cannot get fields")
        return found

    def body(self, name: str, shape: str | None = None, **fields: Any) -> SpaceBody:
        """A rigid body: ``body("ball", "sphere", radius=0.1, mass=1, position=(0, 0, 2))``; nothing touches it without a
        shape.

        >>> import saltus
        >>> s = saltus.Scene()
        >>> die = s.space.body("die", "box", size=(0.1, 0.1, 0.1), mass=1, position=(0, 0, 1))
        """
        return SpaceBody(*self._put("bodies", name, {**({} if shape is None else {"shape": shape}), **fields}))

    def wall(self, name: str, **fields: Any) -> Part:
        """A half-space: ``wall("floor", normal=(0, 0, 1))``.

        >>> import saltus
        >>> floor = saltus.Scene().space.wall("floor", normal=(0, 0, 1))
        """
        return Part(*self._put("walls", name, fields))

    def joint(self, name: str, type: str, a: Part | str, b: Part | str | None = None, **fields: Any) -> Part:
        """Between bodies, or of a body with the ground: ``joint("pivot", "ball", top, at=(0, 0, 0))``.

        >>> import saltus
        >>> s = saltus.Scene()
        >>> top = s.space.body("top", "sphere", radius=0.1, mass=1, position=(0, 0, 0.3))
        >>> pivot = s.space.joint("pivot", "ball", top, at=(0, 0, 0))
        """
        return Part(*self._put("joints", name, {"type": type, "a": a, **({} if b is None else {"b": b}), **fields}))

    def spring(self, name: str, a: Part | str, b: Part | str | None = None, **fields: Any) -> Part:
        """A spring and damper: ``spring("s", ball, stiffness=100, at_b=(0, 0, 1))``.

        >>> import saltus
        >>> s = saltus.Scene()
        >>> ball = s.space.body("ball", "sphere", radius=0.1, mass=1)
        >>> rope = s.space.spring("rope", ball, at_b=(0, 0, 1), stiffness=100)
        """
        return Part(*self._put("springs", name, {"a": a, **({} if b is None else {"b": b}), **fields}))

    def gear(self, name: str, driver: str, driven: str, ratio: Any) -> Part:
        """Between coordinates of joints: ``gear("pair", "a.angle", "b.angle", ratio=-2)``.

        >>> import saltus
        >>> s = saltus.Scene(t_end=0.1)
        >>> small = s.space.body("small", inertia=(1, 1, 1), mass=1, spin=(0, 0, 2))
        >>> large = s.space.body("large", inertia=(2, 2, 2), mass=1, position=(1, 0, 0), spin=(0, 0, -1))
        >>> axle = s.space.joint("axle", "hinge", small, axis=(0, 0, 1))
        >>> shaft = s.space.joint("shaft", "hinge", large, axis=(0, 0, 1))
        >>> pair = s.space.gear("pair", "axle.angle", "shaft.angle", ratio=-0.5)
        >>> s.run().success
        True
        """
        return Part(*self._put("gears", name, {"driver": driver, "driven": driven, "ratio": ratio}))

    def gravity(self, x: Any, y: Any, z: Any) -> None:
        """Acceleration of the bodies; (0, 0, -9.81) when not called.

        >>> import saltus
        >>> saltus.Scene().space.gravity(0, 0, -1.62)
        """
        self.sections["gravity"] = [x, y, z]

    def _put(self, section: str, name: str, fields: Mapping[str, Any]) -> tuple[dict[str, Any], str, str]:
        put(self.sections, section, name, dict(fields), "space.")
        return self.sections, section, name
