"""The part of a scene that is made of symbols and formulas."""
from __future__ import annotations

from typing import Any

from ._parts import put
from ._symbols import Symbol, formula


class Formulas:
    """Coordinates, energies, forces, contacts and joints by formulas; a part of :class:`saltus.Scene`."""

    document: dict[str, Any]

    @property
    def t(self) -> Symbol:
        """Time."""
        return Symbol("t")

    def parameter(self, name: str, value: Any) -> Symbol:
        """A named number, which runs and sweeps may change: ``run(parameters={"e": 0.8})``.

        >>> import saltus
        >>> m = saltus.Model()
        >>> e = m.parameter("e", 0.8)
        >>> print(e**2)
        e^2
        """
        return self._symbol("parameters", name, value)

    def coordinate(self, name: str, start: Any = 0, velocity: Any = 0) -> Symbol:
        """A coordinate with its start; ``.rate`` is its velocity.

        >>> import saltus
        >>> m = saltus.Model()
        >>> x = m.coordinate("x", start="2 mm", velocity="1 m/s")
        >>> print(x.rate)
        x'
        """
        fields = {"start": start}
        if not (isinstance(velocity, (int, float)) and velocity == 0):
            fields["velocity"] = velocity
        return self._symbol("coordinates", name, fields)

    def let(self, name: str, value: Any) -> Symbol:
        """A named part of formulas: computed once, and ``.rate`` is its rate.

        >>> import saltus
        >>> m = saltus.Model()
        >>> a = m.coordinate("a")
        >>> height = m.let("height", 1 - saltus.cos(a))
        >>> print(height.rate)
        height'
        """
        return self._symbol("let", name, value)

    def mass(self, of: Any, value: Any = None) -> None:
        """``mass(x, 2)``: of one coordinate. ``mass([[…], […]])``: the matrix, row by row.

        >>> import saltus
        >>> m = saltus.Model()
        >>> x, y = m.coordinate("x"), m.coordinate("y")
        >>> m.mass(x, 2), m.mass(y, 3)
        (None, None)
        """
        if value is None:
            self.document["mass"] = [[formula(v).text for v in row] for row in of]
        else:
            self._section("mass")[str(of)] = value

    def kinetic(self, value: Any) -> None:
        """Kinetic energy, quadratic in the velocities, instead of masses; calls add up.

        >>> import saltus
        >>> m = saltus.Model()
        >>> x = m.coordinate("x")
        >>> m.kinetic(2 * x.rate**2 / 2)
        """
        self._add("kinetic", value)

    def potential(self, value: Any) -> None:
        """Potential energy; calls add up.

        >>> import saltus
        >>> m = saltus.Model()
        >>> x = m.coordinate("x")
        >>> m.potential(9.81 * x)
        >>> m.potential(x**2 / 2)
        >>> print(m.document["potential"])
        9.81*x + x^2/2
        """
        self._add("potential", value)

    def force(self, on: Any, value: Any) -> None:
        """A generalised force on a coordinate; calls add up.

        >>> import saltus
        >>> m = saltus.Model()
        >>> x = m.coordinate("x")
        >>> m.force(x, -0.1 * x.rate)
        """
        forces = self._section("forces")
        key = str(on)
        more = formula(value)
        forces[key] = formula(forces[key]) + more if key in forces else value

    def rate(self, of: Any, value: Any) -> None:
        """Instead of mechanics: the rate of a coordinate (an ordinary differential equation).

        >>> import saltus
        >>> m = saltus.Model(t_end=1)
        >>> y = m.coordinate("y", start=1)
        >>> m.rate(y, -y)
        >>> abs(m.run(rtol=1e-8).q[-1, 0] - 0.36787944) < 1e-6
        True
        """
        self._section("rates")[str(of)] = value

    def contact(self, name: str, gap: Any = None, *, slip: Any = None, law: Any = None, e: Any = None, mu: Any = None,
                **constants: Any) -> None:
        """A contact that is closed where ``gap`` is 0.

        ``e`` alone is the law ``unilateral``, ``mu`` with a ``slip`` velocity ``coulomb``; ``law`` names any other of
        ``saltus list laws``, with its constants as keyword arguments.

        >>> import saltus
        >>> m = saltus.Model()
        >>> x, y = m.coordinate("x"), m.coordinate("y", start=1)
        >>> m.contact("floor", gap=y, slip=x.rate, e=0.5, mu=0.3)
        >>> m.document["contacts"]["floor"]["law"]["name"]
        'coulomb'
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
        """Formulas that are held at zero.

        >>> import saltus
        >>> m = saltus.Model()
        >>> x, y = m.coordinate("x", start=1), m.coordinate("y")
        >>> m.joint("rod", x**2 + y**2 - 1)
        """
        self._put("joints", name, held[0] if len(held) == 1 else list(held))

    def motion(self, of: Any, value: Any) -> None:
        """A coordinate that moves as prescribed: a formula of t.

        >>> import saltus
        >>> s = saltus.Scene()
        >>> table = s.body("table", "box", size=(1, 0.1), mass=1, position=(0, 0))
        >>> s.motion(table.y, 0.01 * saltus.sin(10 * s.t))
        """
        self._section("motions")[str(of)] = value

    def _section(self, name: str) -> dict[str, Any]:
        section = self.document.setdefault(name, {})
        if not isinstance(section, dict):
            raise TypeError(f"{name} is {section!r} already; it cannot get fields")
        return section

    def _put(self, section: str, name: str, value: Any) -> None:
        put(self.document, section, name, value)

    def _symbol(self, section: str, name: str, value: Any) -> Symbol:
        self._put(section, name, value)
        return Symbol(name)

    def _add(self, section: str, value: Any) -> None:
        known, more = self.document.get(section), formula(value)
        self.document[section] = value if known is None else formula(known) + more
