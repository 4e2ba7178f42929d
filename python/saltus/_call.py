"""Commands of the program in this process."""
from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _saltus
from ._progress import Progress, Shown


class StudyError(RuntimeError):
    """A study in which a run did not finish, raised with ``check=True``. ``study`` has what was computed."""

    def __init__(self, message: str, study: Any = None) -> None:
        super().__init__(message)
        self.study = study


def call(*words: str, progress: Progress = None) -> tuple[int, str, str]:
    """Any command of the program in this process: exit code, standard output, messages.

    >>> import saltus
    >>> code, out, messages = saltus.call("list", "solvers")
    >>> code, "lemke" in out
    (0, True)
    """
    with Shown(progress) as bar:
        return _saltus.call([str(w) for w in words], bar)


def answer_of(words: list[str], progress: Progress) -> tuple[bool, dict[str, Any], str]:
    """The JSON object of a command, whether all went well, and its messages."""
    code, out, said = call(*words, "--json", progress=progress)
    if not out.strip():
        raise _saltus.Error(re.sub(r"^saltus: ", "", said) or "the command printed nothing")
    return code == 0, json.loads(out), re.sub(r"^saltus: ", "", said)


def listed(given: str | Sequence[str] | None) -> list[str]:
    if given is None or isinstance(given, str):
        return [] if given is None else [given]
    if not isinstance(given, Sequence) or not all(isinstance(x, str) for x in given):
        raise TypeError(f"{given!r} is no text and no list of texts")
    return list(given)


def number(x: Any) -> Any:
    return np.nan if x is None else x
