"""Models as scenes: symbols and formulas, bodies, links, springs, motors, materials in plain objects."""
from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _saltus
from ._parts import Body, Part, Space, put
from ._solution import Solution
from ._symbols import Expression, Symbol, formula

_PLAIN = re.compile(r"[A-Za-z0-9(+./\-](?:[^#:\n\t\"\\]|:(?! |\Z)|(?<! )#)*\Z")
_IN_LIST = re.compile(r"[^,\[\]{}:]*\Z")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "~", ""}


def _scalar(value: Any, in_list: bool = False) -> str:
    """A value as YAML: plain where YAML takes it for one text, else in quotes."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, Part):
        value = value.name
    text = value if isinstance(value, str) else formula(value).text
    plain = bool(_PLAIN.match(text)) and text == text.strip() and not text.startswith(("- ", "---"))
    if in_list:
        plain = plain and bool(_IN_LIST.match(text))
    return text if plain and text != "-" else json.dumps(text, ensure_ascii=False)


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _yaml(value: Any, depth: int) -> str:
    """The value after a key, in blocks."""
    space = "  " * depth
    if _is_map(value):
        if not value:
            return " {}\n"
        return "\n" + "".join(f"{space}{_scalar(str(k))}:{_yaml(v, depth + 1)}" for k, v in value.items())
    if _is_list(value):
        if len(value) == 0:
            return " []\n"
        if not any(_is_map(v) or _is_list(v) for v in value):
            return " [" + ", ".join(_scalar(v, True) for v in value) + "]\n"
        return "\n" + "".join(f"{space}-{_yaml(v, depth + 1)}" for v in value)
    return f" {_scalar(value)}\n"


class Scene:
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

    # ---- formulas

    @property
    def t(self) -> Symbol:
        """Time."""
        return Symbol("t")

    def parameter(self, name: str, value: Any) -> Symbol:
        """A named number, which runs and sweeps may change: ``run(parameters={"e": 0.8})``."""
        return self._symbol("parameters", name, value)

    def coordinate(self, name: str, start: Any = 0, velocity: Any = 0) -> Symbol:
        """A coordinate with its start; ``.rate`` is its velocity."""
        fields = {"start": start}
        if not (isinstance(velocity, (int, float)) and velocity == 0):
            fields["velocity"] = velocity
        return self._symbol("coordinates", name, fields)

    def let(self, name: str, value: Any) -> Symbol:
        """A named part of formulas: computed once, and ``.rate`` is its rate."""
        return self._symbol("let", name, value)

    def mass(self, of: Any, value: Any = None) -> None:
        """``mass(x, 2)``: of one coordinate. ``mass([[…], […]])``: the matrix, row by row."""
        if value is None:
            self.document["mass"] = [[formula(v).text for v in row] for row in of]
        else:
            self._section("mass")[str(of)] = value

    def kinetic(self, value: Any) -> None:
        """Kinetic energy, quadratic in the velocities, instead of masses; calls add up."""
        self._add("kinetic", value)

    def potential(self, value: Any) -> None:
        """Potential energy; calls add up."""
        self._add("potential", value)

    def force(self, on: Any, value: Any) -> None:
        """A generalised force on a coordinate; calls add up."""
        forces = self._section("forces")
        key = str(on)
        forces[key] = formula(forces[key]) + formula(value) if key in forces else value

    def rate(self, of: Any, value: Any) -> None:
        """Instead of mechanics: the rate of a coordinate (an ordinary differential equation)."""
        self._section("rates")[str(of)] = value

    def contact(self, name: str, gap: Any = None, *, slip: Any = None, law: Any = None, e: Any = None, mu: Any = None,
                **constants: Any) -> None:
        """A contact that is closed where ``gap`` is 0.

        ``e`` alone is the law ``unilateral``, ``mu`` with a ``slip`` velocity ``coulomb``; ``law`` names any other of
        ``saltus list laws``, with its constants as keyword arguments.
        """
        if law is None:
            if mu is not None:
                law = {"name": "coulomb", "mu": mu, **({} if e is None else {"e_n": e}), **constants}
            else:
                law = {"name": "unilateral", **({} if e is None else {"e": e}), **constants}
        elif isinstance(law, str):
            more = {**({} if e is None else {"e": e}), **({} if mu is None else {"mu": mu}), **constants}
            law = {"name": law, **more} if more else law
        fields = {"gap": gap, "slip": slip, "law": law}
        self._put("contacts", name, {k: v for k, v in fields.items() if v is not None})

    def joint(self, name: str, *held: Any) -> None:
        """Formulas that are held at zero."""
        self._put("joints", name, held[0] if len(held) == 1 else list(held))

    def motion(self, of: Any, value: Any) -> None:
        """A coordinate that moves as prescribed: a formula of t."""
        self._section("motions")[str(of)] = value

    # ---- bodies

    def body(self, name: str, shape: str, **fields: Any) -> Body:
        """A rigid body: ``body("ball", "disk", radius=0.1, mass=1, position=(0, 2))``."""
        self._put("bodies", name, {"shape": shape, **fields})
        return Body(self.document, "bodies", name)

    @property
    def space(self) -> Space:
        """Bodies in space: ``scene.space.body("die", "box", size=(1, 1, 1), mass=1)``."""
        return Space(self)

    def material(self, name: str = "default", **fields: Any) -> Part:
        """Friction and restitution of bodies: ``material(mu=0.3, e_n=0.5)``."""
        return self._part("materials", name, fields)

    def wall(self, name: str, **fields: Any) -> Part:
        """A half-plane, circle, drum or box: ``wall("floor", point=(0, 0), normal=(0, 1))``."""
        return self._part("walls", name, fields)

    def link(self, name: str, type: str, a: Body | str, b: Body | str | None = None, **fields: Any) -> Part:
        """A joint between bodies, or of a body with the ground: ``link("axle", "revolute", crank, at=(0, 0))``."""
        return self._part("links", name, {"type": type, "a": a, **({} if b is None else {"b": b}), **fields})

    def spring(self, name: str, a: Body | str, b: Body | str | None = None, **fields: Any) -> Part:
        """A spring and damper: ``spring("s", ball, stiffness=100, at_b=(0, 1))``."""
        return self._part("springs", name, {"a": a, **({} if b is None else {"b": b}), **fields})

    def motor(self, name: str, **fields: Any) -> Part:
        """A torque, force or speed on a link or body: ``motor("drive", link=axle, speed=3)``."""
        return self._part("motors", name, fields)

    def group(self, name: str, shape: str, layout: Mapping[str, Any], **fields: Any) -> Part:
        """Equal bodies NAME.1, NAME.2, … on a grid, at random places, or in a chain."""
        return self._part("groups", name, {"shape": shape, "layout": layout, **fields})

    def beam(self, name: str, **fields: Any) -> Part:
        """An elastic beam of the plane."""
        return self._part("beams", name, fields)

    def chain(self, **fields: Any) -> None:
        """Beads on a line, on an engine of their own."""
        self.document["chain"] = fields

    def gravity(self, x: Any, y: Any) -> None:
        """Acceleration of bodies; (0, -9.81) when not called."""
        self.document["gravity"] = [x, y]

    # ---- the run

    def options(self, **fields: Any) -> None:
        """Method and end time: the section ``run`` of a scene (``t_end``, ``rtol``, ``scheme``, …)."""
        self._section("run").update(fields)

    def measure(self, name: str, value: Any) -> None:
        """A named formula of the result: ``measure("height", "max.z")``."""
        self._put("measure", name, value)

    def run(self, **options: Any) -> Solution:
        """:func:`saltus.run` of this model."""
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
        return "".join(f"{key}:{_yaml(value, 1)}" for key, value in self.document.items())

    def write(self, file: str | os.PathLike[str]) -> None:
        """Writes the scene file, for the program and for others."""
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.to_yaml())

    @classmethod
    def read(cls, file: str | os.PathLike[str]) -> Scene:
        """A scene file as an object. All values are texts, as in the file."""
        with open(file, "rb") as opened:
            scene = cls.from_yaml(opened.read(), os.fspath(file))
        return scene

    @classmethod
    def from_yaml(cls, text: str | bytes, file: str = "scene.yaml") -> Scene:
        """The text of a scene file as an object."""
        scene = cls()
        content = _saltus.parse_yaml(text if isinstance(text, bytes) else text.encode(), file)
        if not isinstance(content, dict):
            raise _saltus.Error(f"{file}: a scene is a list of sections, 'saltus: 1' and others")
        scene.document, scene.name = content, file
        return scene

    def check(self) -> dict[str, Any]:
        """Reads the scene as a run does; raises :class:`saltus.SceneError` with all that is wrong."""
        from ._study import check

        return check(self)

    def __repr__(self) -> str:
        sections = ", ".join(f"{len(v)} {k}" if isinstance(v, (dict, list)) else k for k, v in self.document.items()
                             if k not in ("saltus", "title"))
        return f"<saltus.Scene {self.document.get('title', self.name)}: {sections}>"

    def _given(self) -> _saltus.GivenScene:
        return _saltus.GivenScene(self.name, self.to_yaml())

    def _section(self, name: str) -> dict[str, Any]:
        section = self.document.setdefault(name, {})
        if not isinstance(section, dict):
            raise TypeError(f"{name} is {section!r} already; it cannot get fields")
        return section

    def _put(self, section: str, name: str, value: Any) -> None:
        put(self.document, section, name, value)

    def _part(self, section: str, name: str, fields: Mapping[str, Any]) -> Part:
        self._put(section, name, dict(fields))
        return Part(self.document, section, name)

    def _symbol(self, section: str, name: str, value: Any) -> Symbol:
        self._put(section, name, value)
        return Symbol(name)

    def _add(self, section: str, value: Any) -> None:
        known = self.document.get(section)
        self.document[section] = value if known is None else _sum(known, value)


def _sum(a: Any, b: Any) -> Expression:
    return formula(a) + formula(b)


Model = Scene
