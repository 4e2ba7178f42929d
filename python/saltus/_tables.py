"""Structured arrays of events and impulses."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def column_of(names: dict[int, str], ids: NDArray[Any]) -> NDArray[np.str_]:
    """Names of contacts by their numbers."""
    kinds, which = np.unique(ids, return_inverse=True)
    words = np.array([names[int(k)] for k in kinds], dtype=str)
    return words[which] if len(kinds) else np.empty(0, dtype="U1")


def table_of(columns: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """Columns as one structured array."""
    fields = [(name, column.dtype, column.shape[1:]) for name, column in columns.items()]
    out = np.empty(len(next(iter(columns.values()))), dtype=fields)
    for name, column in columns.items():
        out[name] = column
    return out
