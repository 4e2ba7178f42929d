"""Dicts, lists and values as the text of a scene file."""
from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _saltus
from ._parts import Part
from ._symbols import Expression, formula

_PLAIN = re.compile(r"[A-Za-z0-9(+./\-](?:[^#:\n\t\"\\]|:(?! |\Z)|(?<! )#)*\Z")
_IN_LIST = re.compile(r"[^,\[\]{}:]*\Z")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "~", ""}


def _scalar(value: Any, in_list: bool = False) -> str:
    """A value as YAML: plain where YAML takes it for one text, else in quotes."""
    if isinstance(value, str):
        return _plain_or_quoted(value, in_list)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, Part):
        value = value.name
    return _plain_or_quoted(value if isinstance(value, str) else formula(value).text, in_list)  # a Part has a name


@functools.lru_cache(maxsize=4096)  # a model is written anew for each of its runs
def _plain_or_quoted(text: str, in_list: bool) -> str:
    plain = bool(_PLAIN.match(text)) and text == text.strip() and not text.startswith(("- ", "---"))
    if in_list:
        plain = plain and bool(_IN_LIST.match(text))
    return text if plain and text != "-" else json.dumps(text, ensure_ascii=False)


_SCALARS = (str, int, float, Expression)  # most values; what these are not is looked at more closely


def _is_map(value: Any) -> bool:
    return not isinstance(value, _SCALARS) and isinstance(value, Mapping)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def yaml_of(value: Any, depth: int, path: str) -> str:
    """The value after a key, in blocks; ``path`` names it where it is no value of scenes."""
    space = "  " * depth
    if _is_map(value):
        if not value:
            return " {}\n"
        return "\n" + "".join(f"{space}{_scalar(str(k))}:{yaml_of(v, depth + 1, f'{path}.{k}')}" for k, v in value.items())
    if _is_list(value):
        if len(value) == 0:
            return " []\n"
        if not any(_is_map(v) or _is_list(v) for v in value):
            return " [" + ", ".join(_told(v, f"{path}.{i}", True) for i, v in enumerate(value)) + "]\n"
        return "\n" + "".join(f"{space}-{yaml_of(v, depth + 1, f'{path}.{i}')}" for i, v in enumerate(value))
    return f" {_told(value, path)}\n"


def _told(value: Any, path: str, in_list: bool = False) -> str:
    try:
        return _scalar(value, in_list)
    except TypeError as error:
        raise TypeError(f"{path}: {error}") from None
    except ValueError as error:
        raise _saltus.Error(f"{path}: {error}") from None
