"""Structured arrays of events and impulses, and tables of pandas."""
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


def states_frame(t: NDArray[Any], columns: dict[str, NDArray[Any]]) -> Any:
    """A DataFrame with the index t."""
    import pandas as pd  # type: ignore[import-not-found,import-untyped,unused-ignore]

    return pd.DataFrame(columns, index=pd.Index(t, name="t"))


def frame_of(table: NDArray[Any]) -> Any:
    """A structured array as a DataFrame; fields of several numbers get a column each."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for name in table.dtype.names or ():
        column = table[name]
        if column.ndim == 1:
            columns[name] = column
        else:
            columns.update({f"{name}{k}": column[:, k] for k in range(column.shape[1])})
    return pd.DataFrame(columns)
