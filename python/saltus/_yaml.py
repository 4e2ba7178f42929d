"""Dicts, lists and values as the text of a scene file."""
from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._parts import Part
from ._symbols import formula

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


def yaml_of(value: Any, depth: int) -> str:
    """The value after a key, in blocks."""
    space = "  " * depth
    if _is_map(value):
        if not value:
            return " {}\n"
        return "\n" + "".join(f"{space}{_scalar(str(k))}:{yaml_of(v, depth + 1)}" for k, v in value.items())
    if _is_list(value):
        if len(value) == 0:
            return " []\n"
        if not any(_is_map(v) or _is_list(v) for v in value):
            return " [" + ", ".join(_scalar(v, True) for v in value) + "]\n"
        return "\n" + "".join(f"{space}-{yaml_of(v, depth + 1)}" for v in value)
    return f" {_scalar(value)}\n"
