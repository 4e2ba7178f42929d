"""Models as scenes: symbols and formulas, bodies, links, springs, motors, materials in plain objects."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _saltus
from ._formulas import Formulas
from ._parts import Body, Part, Space
from ._solution import Solution
from ._target import is_unicode
from ._yaml import yaml_of


class Scene(Formulas):
    """A model: a scene file in plain objects. ``saltus.Model`` is the same class.

    Formulas: :meth:`coordinate`, :meth:`parameter`, :meth:`let`, :meth:`mass`, :meth:`kinetic`, :meth:`potential`,
    :meth:`force`, :meth:`contact`, :meth:`joint`. Bodies of the plane: :meth:`body`, :meth:`wall`, :meth:`link`,
    :meth:`spring`, :meth:`motor`, :meth:`material`, :meth:`group`, :meth:`beam`; in space: :attr:`space`. Every section of
    a scene file is in ``document``; fields are those of docs/reference/scene-reference.md, and mistakes are told when the scene is used.

    Values are numbers, texts with units ("2 mm"), or expressions of symbols. As in scene files, dimensions are checked
    once a unit is used, and plain numbers are then pure numbers: use units everywhere or nowhere (then SI units).

    Examples
    --------
    A ball on a floor:

    >>> import saltus
    >>> m = saltus.Model(t_end=5)
    >>> e = m.parameter("e", 0.5)
    >>> z = m.coordinate("z", start=1)
    >>> m.mass(z, 1)
    >>> m.potential(2 * z)
    >>> m.contact("floor", gap=z, e=e)
    >>> sol = m.run(rtol=1e-8)
    >>> [round(float(t), 6) for t in sol.events["t"][:3]]
    [1.0, 2.0, 2.5]
    """

    def __init__(self, title: str | None = None, **run: Any) -> None:
        self.document: dict[str, Any] = {"saltus": 1}
        self.name = "model.yaml"
        if title is not None:
            self.document["title"] = title
        if run:
            self.options(**run)

    # ---- bodies

    def body(self, name: str, shape: str, **fields: Any) -> Body:
        """A rigid body: ``body("ball", "disk", radius=0.1, mass=1, position=(0, 2))``.

        >>> import saltus
        >>> s = saltus.Scene()
        >>> ball = s.body("ball", "disk", radius=0.1, mass=1, position=(0, 2))
        >>> print(ball.y)
        ball.y
        """
        self._put("bodies", name, {"shape": shape, **fields})
        return Body(self.document, "bodies", name)

    @property
    def space(self) -> Space:
        """Bodies in space: ``scene.space.body("die", "box", size=(1, 1, 1), mass=1)``."""
        return Space(self)

    def material(self, name: str = "default", **fields: Any) -> Part:
        """Friction and restitution of bodies: ``material(mu=0.3, e_n=0.5)``.

        >>> import saltus
        >>> s = saltus.Scene()
        >>> ice = s.material("ice", mu=0.02)
        >>> puck = s.body("puck", "disk", radius=0.04, mass=0.2, position=(0, 0.04), material=ice)
        """
        return self._part("materials", name, fields)

    def wall(self, name: str, **fields: Any) -> Part:
        """A half-plane, circle, drum or box: ``wall("floor", point=(0, 0), normal=(0, 1))``.

        >>> import saltus
        >>> s = saltus.Scene()
        >>> floor = s.wall("floor", point=(0, 0), normal=(0, 1))
        """
        return self._part("walls", name, fields)

    def link(self, name: str, type: str, a: Body | str, b: Body | str | None = None, **fields: Any) -> Part:
        """A joint between bodies, or of a body with the ground: ``link("axle", "revolute", crank, at=(0, 0))``.

        >>> import saltus
        >>> s = saltus.Scene(t_end=0.1)
        >>> rod = s.body("rod", "box", size=(1, 0.02), mass=1, position=(0.5, 0))
        >>> pin = s.link("pin", "revolute", rod, at=(0, 0))
        >>> s.run().success
        True
        """
        return self._part("links", name, {"type": type, "a": a, **({} if b is None else {"b": b}), **fields})

    def spring(self, name: str, a: Body | str, b: Body | str | None = None, **fields: Any) -> Part:
        """A spring and damper: ``spring("s", ball, stiffness=100, at_b=(0, 1))``.

        >>> import saltus
        >>> s = saltus.Scene(t_end=0.1)
        >>> ball = s.body("ball", "disk", radius=0.1, mass=1, position=(0, 0))
        >>> rope = s.spring("rope", ball, at_b=(0, 1), stiffness=100)
        >>> s.run().success
        True
        """
        return self._part("springs", name, {"a": a, **({} if b is None else {"b": b}), **fields})

    def motor(self, name: str, **fields: Any) -> Part:
        """A torque, force or speed on a link or body: ``motor("drive", link=axle, speed=3)``.

        >>> import saltus
        >>> s = saltus.Scene(t_end=0.1)
        >>> wheel = s.body("wheel", "disk", radius=0.1, mass=1, position=(0, 0), spin=3)
        >>> axle = s.link("axle", "revolute", wheel, at=(0, 0))
        >>> drive = s.motor("drive", link=axle, speed=3)
        >>> round(float(s.run()["wheel.angle"][-1]), 6)
        0.3
        """
        return self._part("motors", name, fields)

    def group(self, name: str, shape: str, layout: Mapping[str, Any], **fields: Any) -> Part:
        """Equal bodies NAME.1, NAME.2, … on a grid, at random places, or in a chain.

        >>> import saltus
        >>> s = saltus.Scene(t_end=1)
        >>> balls = s.group("ball", "disk", {"name": "grid", "columns": 3, "rows": 2}, radius=0.1, mass=1)
        >>> len(s.check()["coordinates"])
        18
        """
        return self._part("groups", name, {"shape": shape, "layout": layout, **fields})

    def beam(self, name: str, **fields: Any) -> Part:
        """An elastic beam of the plane; its field ``from`` is a word of Python, so it is written ``from_``.

        >>> import saltus
        >>> s = saltus.Scene(t_end=1)
        >>> ruler = s.beam("ruler", from_=(0, 0), to=(0.3, 0), elements=4, section=(0.02, 0.005), young=2.1e11,
        ...                density=7800, first="clamped")
        >>> len(s.check()["coordinates"])
        12
        """
        return self._part("beams", name, fields)

    def chain(self, **fields: Any) -> None:
        """Beads on a line, on an engine of their own.

        >>> import saltus
        >>> s = saltus.Scene(t_end=0.001)
        >>> s.chain(beads=5, mass=0.01, stiffness=1e7, defects=[{"at": 0, "velocity": 0.1}])
        >>> s.run().success
        True
        """
        self.document["chain"] = fields

    def gravity(self, x: Any, y: Any) -> None:
        """Acceleration of bodies; (0, -9.81) when not called.

        >>> import saltus
        >>> s = saltus.Scene()
        >>> s.gravity(0, -1.62)
        """
        self.document["gravity"] = [x, y]

    # ---- the run

    def options(self, **fields: Any) -> None:
        """Method and end time: the section ``run`` of a scene (``t_end``, ``rtol``, ``scheme``, …).

        >>> import saltus
        >>> m = saltus.Model()
        >>> m.options(t_end=2, rtol=1e-9)
        """
        self._section("run").update(fields)

    def measure(self, name: str, value: Any) -> None:
        """A named formula of the result: ``measure("height", "max.z")``.

        >>> import saltus
        >>> m = saltus.Model()
        >>> m.measure("height", "max.z")
        """
        self._put("measure", name, value)

    def run(self, **options: Any) -> Solution:
        """:func:`saltus.run` of this model.

        >>> import saltus
        >>> m = saltus.Model(t_end=1)
        >>> x = m.coordinate("x", velocity=1)
        >>> m.mass(x, 1)
        >>> round(float(m.run().q[-1, 0]), 12)
        1.0
        """
        from ._run import run

        return run(self, **options)

    # ---- as a file

    def to_yaml(self) -> str:
        """The text of the scene file.

        >>> import saltus
        >>> m = saltus.Model(t_end=1)
        >>> x = m.coordinate("x", start="2 mm")
        >>> m.force(x, -4 * x.rate)
        >>> print(m.to_yaml())
        saltus: 1
        run:
          t_end: 1
        coordinates:
          x:
            start: 2 mm
        forces:
          x: -4*x'
        <BLANKLINE>
        """
        return "".join(f"{key}:{yaml_of(value, 1, key)}" for key, value in self.document.items())

    def write(self, file: str | os.PathLike[str]) -> None:
        """Writes the scene file, for the program and for others.

        >>> import saltus
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = os.path.join(folder, "a.yaml")
        ...     saltus.Scene("A title", t_end=1).write(file)
        ...     saltus.Scene.read(file).document["title"]
        'A title'
        """
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.to_yaml())

    @classmethod
    def read(cls, file: str | os.PathLike[str]) -> Scene:
        """A scene file as an object. All values are texts, as in the file.

        >>> import os, saltus, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = os.path.join(folder, "a.yaml")
        ...     saltus.Scene("A title", t_end=1).write(file)
        ...     saltus.Scene.read(file).document["run"]
        {'t_end': '1'}
        """
        with open(file, "rb") as opened:
            scene = cls.from_yaml(opened.read(), os.fspath(file))
        return scene

    @classmethod
    def from_yaml(cls, text: str | bytes, file: str = "scene.yaml") -> Scene:
        """The text of a scene file as an object.

        >>> import saltus
        >>> saltus.Scene.from_yaml("saltus: 1\\nrun: {t_end: 2}").document["run"]
        {'t_end': '2'}
        """
        if not isinstance(text, (str, bytes)):
            raise TypeError(f"{text!r} is no text of a scene")
        scene = cls()
        content = _saltus.parse_yaml(text if isinstance(text, bytes) else text.encode(), file)
        if not isinstance(content, dict):
            raise _saltus.Error(f"{file}: a scene is a list of sections, 'saltus: 1' and others")
        scene.document, scene.name = content, file
        return scene

    def check(self) -> dict[str, Any]:
        """Reads the scene as a run does; raises :class:`saltus.SceneError` with all that is wrong.

        >>> import saltus
        >>> m = saltus.Model(t_end=1)
        >>> x = m.coordinate("x")
        >>> m.mass(x, 1)
        >>> m.check()["coordinates"]
        ['x']
        """
        from ._study import check

        return check(self)

    def __repr__(self) -> str:
        sections = ", ".join(f"{len(v)} {k}" if isinstance(v, (dict, list)) else k for k, v in self.document.items()
                             if k not in ("saltus", "title"))
        return f"<saltus.Scene {self.document.get('title', self.name)}: {sections}>"

    def _given(self) -> _saltus.GivenScene:
        text = self.to_yaml()
        if not is_unicode(text):
            raise _saltus.Error(f"{self.name}: a text in it is not UTF-8")
        return _saltus.GivenScene(self.name, text)

    def _part(self, section: str, name: str, fields: Mapping[str, Any]) -> Part:
        self._put(section, name, {k.removesuffix("_"): v for k, v in fields.items()})
        return Part(self.document, section, name)


Model = Scene
