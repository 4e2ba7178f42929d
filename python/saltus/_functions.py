"""Models from plain functions, for quick tries: every evaluation calls Python."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _saltus
from ._solution import Solution

Function = Callable[..., Any]


class Functions:
    """A mechanical system ``mass(t, q) · u' = force(t, q, u) + impulses of contacts`` from functions.

    Parameters
    ----------
    force
        ``force(t, q, u)``: the generalised forces, one for each coordinate.
    t_span
        ``(t0, t_end)``.
    q0, u0
        The start.
    mass
        ``mass(t, q)`` or a constant: a number, the diagonal, or a matrix.
    gap
        ``gap(t, q)``: a number or one for each contact, ≥ 0 where contacts are open.
    e, mu
        Restitution and friction: one number, or one for each contact. ``mu`` needs ``slip``.
    slip
        ``slip(t, q, u)``: sliding velocities of the contacts, linear in u; shape (contacts,) or, in space,
        (contacts, 2).
    joint
        ``joint(t, q)``: values that are held at zero.
    potential
        ``potential(t, q)``, for energies only: the forces are those of ``force``.
    gap_jacobian, force_jacobian
        ``gap_jacobian(t, q)``: shape (contacts, coordinates). ``force_jacobian(t, q, u)``: the pair of matrices by q
        and by u. Derivatives that are not given come from complex numbers where the functions take them (exact to
        rounding), else from central differences (about ten digits).
    names, contacts
        Names of the coordinates and of the contacts.

    Examples
    --------
    >>> import saltus
    >>> ball = saltus.Functions(lambda t, q, u: [-9.81], (0, 2), [1.0], [0.0], gap=lambda t, q: q[0], e=0.5)
    >>> sol = saltus.run(ball, rtol=1e-8)
    >>> round(float(sol.events["t"][0]), 8)
    0.45152364
    """

    def __init__(self, force: Function, t_span: tuple[float, float], q0: ArrayLike, u0: ArrayLike | None = None, *,
                 mass: ArrayLike | Function = 1.0, gap: Function | None = None, e: ArrayLike = 0.0,
                 mu: ArrayLike = 0.0, slip: Function | None = None, joint: Function | None = None,
                 potential: Function | None = None, gap_jacobian: Function | None = None,
                 force_jacobian: Function | None = None, names: Sequence[str] = (),
                 contacts: Sequence[str] = ()) -> None:
        for name, f in (("force", force), ("gap", gap), ("slip", slip), ("joint", joint), ("potential", potential),
                        ("gap_jacobian", gap_jacobian), ("force_jacobian", force_jacobian)):
            if not callable(f) and not (f is None and name != "force"):
                raise TypeError(f"{name} is {f!r}, which is no function")
        if np.size(t_span) != 2 or isinstance(t_span, (str, bytes)):
            raise _saltus.Error(f"t_span = {t_span!r}: give (t0, t_end)")
        t0, t_end = _row(t_span, "t_span").tolist()
        start = _row(q0, "q0")
        self.names = _names(names, "names")
        n = start.size
        restitution, friction = _row(e, "e"), _row(mu, "mu")
        if not callable(mass):
            mass = _numbers(mass, "mass")
        labels = _names(contacts, "contacts")
        if gap is None:
            for name, value in (("e", restitution), ("mu", friction)):
                if np.any(value != 0):
                    raise _saltus.Error(f"{name} = {value} is given without gap(t, q): there is no contact")
        elif labels and len(labels) != np.size(gap(t0, start.copy())):
            raise _saltus.Error(f"{len(labels)} names in contacts; gap(t, q) returned {np.size(gap(t0, start.copy()))} gaps")
        elif slip is None and np.any(friction != 0):
            raise _saltus.Error(f"mu = {mu!r} is given without slip(t, q, u): friction needs the sliding velocities")
        tangents = 1
        flat, both = slip, None
        if slip is not None:
            shape = np.shape(slip(t0, start.copy(), np.zeros(n)))
            _check_linear(slip, t0, start)
            if len(shape) == 2:
                tangents, flat = shape[1], _flat(slip)
                if tangents not in (1, 2):
                    raise _saltus.Error(f"slip returned an array of shape {shape}; a contact has one or two tangents")
        if force_jacobian is not None:
            both = _side_by_side(force_jacobian, n)
            both(t0, np.concatenate([start, np.zeros(n)]))
        others = {"mass": mass, "gap": gap, "slip": flat, "joint": joint, "potential": potential,
                  "gap_jacobian": gap_jacobian, "force_jacobian": both, "e": restitution, "mu": friction, "tangents": tangents}
        self._target = _saltus.functions("functions", t0, t_end, start, np.zeros(n) if u0 is None else _row(u0, "u0"),
                                         force, others, self.names, labels)

    def run(self, **options: Any) -> Solution:
        """:func:`saltus.run` of this model.

        >>> import saltus
        >>> model = saltus.Functions(lambda t, q, u: -q, (0, 1), [1.0])
        >>> model.run(rtol=1e-6).success
        True
        """
        from ._run import run

        return run(self, **options)

    def _given(self) -> _saltus.GivenScene:
        return self._target


def _names(given: Sequence[str], what: str) -> list[str]:
    if not isinstance(given, Iterable):
        raise TypeError(f"{what} = {given!r} is no list of names")
    found = [given] if isinstance(given, str) else list(given)
    for k, name in enumerate(found):
        if not isinstance(name, str) or not name:
            raise TypeError(f"{what}[{k}] is {name!r}; a name is text")
        if name in found[:k]:
            raise _saltus.Error(f"{what}: '{name}' is there twice")
    return found


def _check_linear(slip: Function, t: float, q: Any) -> None:
    """The run takes the derivative by u for the whole of slip, so a slip that bends would be another one."""
    a = 1 + np.arange(q.size) % 3 / 4
    zero, one, two = (np.asarray(slip(t, q.copy(), x), dtype=float) for x in (0 * a, a, -2 * a))
    if not zero.shape == one.shape == two.shape:
        raise _saltus.Error(f"slip(t, q, u) returned arrays of shapes {zero.shape}, {one.shape} and {two.shape}")
    if np.any(np.abs(two - zero + 2 * (one - zero)) > 1e-6 * (np.abs(one) + np.abs(two) + np.abs(zero))):
        raise _saltus.Error("slip(t, q, u) is not linear in u: sliding velocities are those of points, u times a matrix")


def _flat(slip: Function) -> Function:
    return lambda t, q, u: np.ravel(slip(t, q, u))


def _side_by_side(jacobian: Function, n: int) -> Function:
    """[∂h/∂q, ∂h/∂u] as a function of t and (q, u)."""

    def both(t: float, x: Any) -> Any:
        pair = jacobian(t, x[:n], x[n:])
        shapes = [np.shape(np.atleast_2d(m)) for m in pair] if isinstance(pair, (tuple, list)) else []
        if shapes != [(n, n), (n, n)]:
            raise _saltus.Error(f"force_jacobian(t, q, u) returned {pair!r}; give the pair of matrices ({n}, {n}) by q and by u")
        return np.hstack([np.atleast_2d(m) for m in pair])

    return both


def _numbers(x: Any, name: str) -> Any:
    """An array of numbers; NumPy would make NaN of None, numbers of dates, and drop imaginary parts."""
    try:
        given = np.asarray(x)
        numbers = given.dtype.kind in "fiub" or (given.dtype.kind == "O" and all(isinstance(v, Real) for v in given.flat))
        if not numbers:
            raise TypeError
        return np.asarray(given, dtype=float)
    except OverflowError as error:
        raise _saltus.Error(f"{name} has a number that is too large") from error
    except (TypeError, ValueError) as error:
        raise _saltus.Error(f"{name} = {x!r} is no array of numbers") from error


def _row(x: Any, name: str) -> Any:
    out = _numbers(x, name)
    if out.ndim > 1:
        raise _saltus.Error(f"{name} has the shape {out.shape}; it is a list of numbers")
    return np.atleast_1d(out)


def solve(force: Function, t_span: tuple[float, float], q0: ArrayLike, u0: ArrayLike | None = None, *,
          rtol: float = 1e-6, atol: float | None = None, mass: ArrayLike | Function = 1.0, gap: Function | None = None,
          e: ArrayLike = 0.0, mu: ArrayLike = 0.0, slip: Function | None = None, joint: Function | None = None,
          potential: Function | None = None, gap_jacobian: Function | None = None,
          force_jacobian: Function | None = None, names: Sequence[str] = (), contacts: Sequence[str] = (),
          **options: Any) -> Solution:
    """Functions in, arrays out, as ``scipy.integrate.solve_ivp``: a :class:`Functions` model and its run.

    Further options are those of :func:`saltus.run`. Error bars, which cost a second run, are left out unless
    ``no_estimate=False``.

    >>> import saltus
    >>> sol = saltus.solve(lambda t, q, u: -q, (0, 10), [1.0])
    >>> abs(sol.q[-1, 0] - -0.8390715) < 1e-5
    True
    """
    from ._run import run

    model = Functions(force, t_span, q0, u0, mass=mass, gap=gap, e=e, mu=mu, slip=slip, joint=joint,
                      potential=potential, gap_jacobian=gap_jacobian, force_jacobian=force_jacobian, names=names,
                      contacts=contacts)
    given: dict[str, Any] = {"no_estimate": True, **options}
    if not {"scheme", "stepping", "h"} & options.keys():
        given.update(rtol=rtol, atol=atol)
    return run(model, **given)
