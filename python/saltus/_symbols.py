"""Symbols: Python expressions over them become formulas of a scene. No Python runs in the step loop."""
from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any, Union

import numpy as np

# How strongly operators bind, as in the grammar of formulas.
_OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _NEGATE, _POWER, _ATOM = range(9)

Number = Union[float, int, "Expression"]

_UFUNCS: dict[Any, str] = {
    np.sin: "sin", np.cos: "cos", np.tan: "tan", np.arcsin: "asin", np.arccos: "acos", np.arctan: "atan",
    np.arctan2: "atan2", np.sinh: "sinh", np.cosh: "cosh", np.tanh: "tanh", np.exp: "exp", np.log: "log",
    np.log10: "log10", np.sqrt: "sqrt", np.absolute: "abs", np.fabs: "abs", np.sign: "sign", np.hypot: "hypot",
    np.minimum: "min", np.maximum: "max",
}
_OPERATORS: dict[Any, str] = {
    np.add: "__add__", np.subtract: "__sub__", np.multiply: "__mul__", np.true_divide: "__truediv__",
    np.power: "__pow__", np.less: "__lt__", np.less_equal: "__le__", np.greater: "__gt__",
    np.greater_equal: "__ge__", np.equal: "__eq__", np.not_equal: "__ne__",
}


def formula(value: Any) -> Expression:
    """A number, a text or an expression as an expression."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, str):
        return Expression(value, _OR)
    if isinstance(value, (bool, np.bool_)):
        return Expression("1" if value else "0", _ATOM)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return formula(value.item())
    if isinstance(value, (float, int, numbers.Real)):
        try:
            number = float(value)
        except OverflowError:
            number = np.inf
        if not math.isfinite(number):
            raise ValueError(f"{value!r} is not finite; formulas hold finite numbers")
        text = str(int(value)) if isinstance(value, numbers.Integral) else repr(number)
        return Expression(text, _NEGATE if text.startswith("-") else _ATOM)
    raise TypeError(f"{value!r} is no number and no expression of symbols")


class Expression:
    """A formula over symbols. Arithmetic, comparisons, ``&``, ``|``, ``~`` and NumPy's functions make new ones.

    >>> import numpy as np, saltus
    >>> m = saltus.Model()
    >>> x = m.coordinate("x", start=1)
    >>> str(0.5 * np.sin(x)**2 - x / (1 + x.rate))
    "0.5*sin(x)^2 - x/(1 + x')"
    """

    __slots__ = ("_bond", "text")
    __array_priority__ = 1000

    def __init__(self, text: str, bond: int = _ATOM) -> None:
        self.text = text
        self._bond = bond

    def _in(self, bond: int) -> str:
        return self.text if self._bond >= bond else f"({self.text})"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<formula {self.text}>"

    def __hash__(self) -> int:
        return hash(self.text)

    def __bool__(self) -> bool:
        raise TypeError(f"whether {self.text} holds is known in a run only; use saltus.where(condition, a, b)")

    def __float__(self) -> float:
        raise TypeError(f"the value of {self.text} is known in a run only; use saltus.sin and the like, or NumPy's")

    def _binary(self, other: Any, sign: str, bond: int, left: int, right: int, swap: bool = False) -> Expression:
        if isinstance(other, str) or not isinstance(other, (Expression, numbers.Real, np.bool_)):
            return NotImplemented
        a, b = (formula(other), self) if swap else (self, formula(other))
        return Expression(f"{a._in(left)}{sign}{b._in(right)}", bond)

    def __add__(self, other: Any) -> Expression:
        return self._binary(other, " + ", _SUM, _SUM, _PRODUCT)

    def __radd__(self, other: Any) -> Expression:
        return self._binary(other, " + ", _SUM, _SUM, _PRODUCT, True)

    def __sub__(self, other: Any) -> Expression:
        return self._binary(other, " - ", _SUM, _SUM, _PRODUCT)

    def __rsub__(self, other: Any) -> Expression:
        return self._binary(other, " - ", _SUM, _SUM, _PRODUCT, True)

    def __mul__(self, other: Any) -> Expression:
        return self._binary(other, "*", _PRODUCT, _PRODUCT, _POWER)

    def __rmul__(self, other: Any) -> Expression:
        return self._binary(other, "*", _PRODUCT, _PRODUCT, _POWER, True)

    def __truediv__(self, other: Any) -> Expression:
        return self._binary(other, "/", _PRODUCT, _PRODUCT, _POWER)

    def __rtruediv__(self, other: Any) -> Expression:
        return self._binary(other, "/", _PRODUCT, _PRODUCT, _POWER, True)

    def __pow__(self, other: Any) -> Expression:
        return self._binary(other, "^", _POWER, _ATOM, _ATOM)

    def __rpow__(self, other: Any) -> Expression:
        return self._binary(other, "^", _POWER, _ATOM, _ATOM, True)

    def __neg__(self) -> Expression:
        return Expression(f"-{self._in(_POWER)}", _NEGATE)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return _call("abs", self)

    def __lt__(self, other: Any) -> Expression:
        return self._binary(other, " < ", _COMPARE, _SUM, _SUM)

    def __le__(self, other: Any) -> Expression:
        return self._binary(other, " <= ", _COMPARE, _SUM, _SUM)

    def __gt__(self, other: Any) -> Expression:
        return self._binary(other, " > ", _COMPARE, _SUM, _SUM)

    def __ge__(self, other: Any) -> Expression:
        return self._binary(other, " >= ", _COMPARE, _SUM, _SUM)

    def __eq__(self, other: Any) -> Expression:  # type: ignore[override]
        return self._binary(other, " == ", _COMPARE, _SUM, _SUM)

    def __ne__(self, other: Any) -> Expression:  # type: ignore[override]
        return self._binary(other, " != ", _COMPARE, _SUM, _SUM)

    def __and__(self, other: Any) -> Expression:
        return self._binary(other, " and ", _AND, _AND, _NOT)

    def __or__(self, other: Any) -> Expression:
        return self._binary(other, " or ", _OR, _OR, _AND)

    def __invert__(self) -> Expression:
        return Expression(f"not {self._in(_COMPARE)}", _NOT)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs:
            return NotImplemented
        if any(isinstance(x, np.ndarray) and x.ndim > 0 for x in inputs):  # element by element
            return np.frompyfunc(lambda *each: ufunc(*each), len(inputs), 1)(
                *(x if isinstance(x, np.ndarray) else _boxed(x) for x in inputs))
        if ufunc in _OPERATORS:
            a, b = inputs
            return getattr(formula(a), _OPERATORS[ufunc])(b)
        if ufunc is np.square:
            return inputs[0]**2
        if ufunc is np.negative:
            return -inputs[0]
        if ufunc in _UFUNCS:
            return _call(_UFUNCS[ufunc], *inputs)
        raise TypeError(f"formulas do not have numpy.{ufunc.__name__}; known are {', '.join(sorted(_UFUNCS.values()))}")


def _boxed(x: Any) -> Any:
    box = np.empty((), dtype=object)
    box[()] = x
    return box


class Symbol(Expression):
    """A coordinate, a named part (``let``) or a velocity; ``rate`` is its derivative by time."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """As formulas, solutions and measures have it."""
        return self.text

    @property
    def rate(self) -> Expression:
        """NAME': the velocity of a coordinate, or the rate of a named part."""
        return Expression(self.text + "'")


def _call(name: str, *arguments: Any) -> Expression:
    return Expression(f"{name}({', '.join(formula(a).text for a in arguments)})")


def _function(name: str, numeric: Callable[..., Any]) -> Callable[..., Any]:
    def f(*arguments: Any) -> Any:
        if any(isinstance(a, Expression) for a in arguments):
            return _call(name, *arguments)
        return numeric(*arguments)

    f.__name__ = f.__qualname__ = name
    word = {"min": "minimum", "max": "maximum"}.get(name, name)
    two = ", 2" if name in ("atan2", "hypot", "min", "max") else ""
    f.__doc__ = (f"{name} of numbers or symbols.\n\n>>> import saltus\n"
                 f">>> print(saltus.{word}(saltus.Model().coordinate('x'){two}))\n{name}(x{two})\n")
    return f


sin = _function("sin", np.sin)
cos = _function("cos", np.cos)
tan = _function("tan", np.tan)
asin = _function("asin", np.arcsin)
acos = _function("acos", np.arccos)
atan = _function("atan", np.arctan)
atan2 = _function("atan2", np.arctan2)
sinh = _function("sinh", np.sinh)
cosh = _function("cosh", np.cosh)
tanh = _function("tanh", np.tanh)
exp = _function("exp", np.exp)
log = _function("log", np.log)
log10 = _function("log10", np.log10)
sqrt = _function("sqrt", np.sqrt)
hypot = _function("hypot", np.hypot)
sign = _function("sign", np.sign)
minimum = _function("min", lambda *a: min(a))
maximum = _function("max", lambda *a: max(a))


def where(condition: Any, a: Any, b: Any) -> Expression:
    """``a`` where the condition holds, else ``b``.

    >>> import saltus
    >>> x = saltus.Model().coordinate("x")
    >>> str(saltus.where(x > 0, x, 0))
    'if(x > 0, x, 0)'
    """
    return _call("if", condition, a, b)
