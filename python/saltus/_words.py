"""Keyword arguments as words of the command line.

Every command of the program has a list of options; functions of the package take the same ones, with underscores for
hyphens. Signatures and docstrings are made from that list, so a new option of the program appears here by itself.
"""
from __future__ import annotations

import difflib
import functools
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from . import _saltus

# What the package does itself, or has another name for.
_OWN = {"json", "param", "set"}

# Options of scipy.integrate.solve_ivp that are something else here.
_OF_SCIPY = {
    "method": "methods are named by scheme and stepping; runs by tolerance need none",
    "t_eval": "call the solution for states at any times, sol(t)",
    "dense_output": "a solution is always a function of time, sol(t)",
    "events": "contacts are events: gap(t, q) with e and mu; sol.events has them",
    "max_step": "stepping='tolerance:h_max=…' limits steps",
    "args": "wrap the function: lambda t, q, u: force(t, q, u, *args)",
    "jac": "its name is force_jacobian",
    "y0": "the start is q0 and u0",
}

F = TypeVar("F", bound=Callable[..., Any])


@functools.lru_cache(maxsize=None)
def options_of(command: str) -> dict[str, dict[str, Any]]:
    """The options of a command by the names that keyword arguments have."""
    found = {}
    for option in _saltus.options(command):
        if not option["positional"] and option["name"] not in _OWN:
            found[option["name"].replace("-", "_")] = option
    return found


def text_of(value: Any) -> str:
    """A value as the command line has it; numbers with all their digits."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):  # method={"name": "moreau-jean", "theta": 0.5}
        fields = dict(value)
        name = fields.pop("name", None)
        if name is None:
            raise TypeError(f"{value!r}: a method has a name, as {{'name': 'moreau-jean', 'theta': 0.5}}")
        return str(name) + (":" + ",".join(f"{k}={text_of(v)}" for k, v in fields.items()) if fields else "")
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return text_of(value.item())
    if isinstance(value, Iterable):
        return ",".join(text_of(v) for v in value)
    raise TypeError(f"{value!r} is no number, text or list of them")


def pairs(option: str, given: Mapping[str, Any] | None, what: str) -> list[str]:
    """-p name=value, --set path=value"""
    return [word for name, value in mapping(given, what).items()
            for word in (option, f"{name}={_text_for(value, f'{what}: {name}', False)}")]


def _text_for(value: Any, name: str, method: bool = True) -> str:
    """The text of a value; what cannot be one is told with its name."""
    try:
        if not method and isinstance(value, Mapping):
            raise TypeError(f"{value!r} is no number, text or list of them")
        return text_of(value)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def mapping(given: Mapping[str, Any] | None, what: str) -> Mapping[str, Any]:
    """A dict of the user; an empty one for None."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} is a dict of names and values, not {given!r}")
    return given


def words_of(command: str, given: Mapping[str, Any]) -> list[str]:
    """The words for keyword arguments; None and False stand for an option that is left out."""
    known = options_of(command)
    out: list[str] = []
    for name, value in given.items():
        option = known.get(name)
        if option is None:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; {_OF_SCIPY[name]}" if name in _OF_SCIPY else ""
            raise TypeError(f"saltus {command} has no option '{name}'{hint} (help() lists them)")
        if value is None or value is False:
            continue
        dashes = ("-" if len(option["name"]) == 1 and not option["name"].islower() else "--") + option["name"]
        if option["flag"]:
            if value is not True:
                raise TypeError(f"{name} is True or False, not {value!r}")
            out.append(dashes)
            continue
        if value is True:
            raise TypeError(f"{name} wants a value, not True")
        if option["many"] and not isinstance(value, (str, os.PathLike, Mapping)) and isinstance(value, Iterable):
            for one in value:
                out += [f"{dashes}={_text_for(one, name)}"]
        else:
            out += [f"{dashes}={_text_for(value, name)}"]
    return out


def documented(command: str) -> Callable[[F], F]:
    """Adds the options of a command to the signature and to the docstring of a function."""

    def decorate(function: F) -> F:
        known = options_of(command)
        own = inspect.signature(function, eval_str=False)
        mine = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        rest = [p for p in own.parameters.values() if p.kind is p.VAR_KEYWORD]
        names = {p.name for p in mine}
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
            for name in known
            if name not in names and name.isidentifier()
        ]
        function.__signature__ = own.replace(parameters=mine + more + rest)  # type: ignore[attr-defined]
        lines = [f"\n\nOptions of ``saltus {command}``:\n"]
        for name, option in known.items():
            if name not in names:
                lines.append(f"    {name}{' (True)' if option['flag'] else ''}: {option['help']}")
        function.__doc__ = inspect.cleandoc(function.__doc__ or "") + "\n".join(lines) + "\n"
        return function

    return decorate
