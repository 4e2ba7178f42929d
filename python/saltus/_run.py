"""Runs."""
from __future__ import annotations

import os
import sys
import warnings as _warnings
from collections.abc import Mapping
from typing import Any

from . import _saltus
from ._progress import Progress, Shown
from ._solution import RunError, Solution
from ._target import Held, Target
from ._words import documented, pairs, words_of


class RunWarning(UserWarning):
    """What a user should know of a run that reached its end; also in ``Solution.warnings``."""


@documented("run")
def run(target: Target, *, parameters: Mapping[str, Any] | None = None, set: Mapping[str, Any] | None = None,
        check: bool = False, progress: Progress = None, **options: Any) -> Solution:
    """Simulates a problem: ``saltus run`` with the same options, the same bits and the same messages.

    Parameters
    ----------
    target
        A scene file ("ball.yaml"), the text of one (with line breaks), a problem of the catalog ("bouncing-ball",
        :func:`saltus.problems`), or a model: :class:`saltus.Model`, :class:`saltus.Scene`,
        :class:`saltus.Functions`.
    parameters
        Of the problem: ``{"e": 0.8}``; ``-p`` of the program.
    set
        Fields of a scene: ``{"coordinates.z.start": "2 m"}``; ``--set`` of the program.
    check
        Raise :class:`saltus.RunError` where the run does not finish, instead of ``success=False``.
    progress
        None: a bar where someone looks, True, False, or a function that gets the part that is done.
    options
        All options of ``saltus run``, with underscores for hyphens; listed below.

    Ctrl-C ends the run and returns what was computed, with ``status`` 3. Bad input raises :class:`saltus.Error`.

    Examples
    --------
    >>> import saltus
    >>> sol = saltus.run("bouncing-ball", rtol=1e-8, parameters={"e": 0.5, "f": -9.81})
    >>> sol.success
    True
    >>> round(float(sol.events["t"][0]), 9)  # sqrt(2 h / g)
    0.451523641
    """
    held = Held(target)
    words = ["run", held.word, *pairs("-p", parameters, "parameters"), *pairs("--set", set, "set"),
             *words_of("run", options)]
    return _solved(words, held, check, progress, getattr(target, "names", None))


@documented("resume")
def resume(file: str | os.PathLike[str], *, check: bool = False, progress: Progress = None, **options: Any) -> Solution:
    """Goes on with a run from its checkpoint (``run(…, checkpoint="every=1000,file=run.ckpt")``), bit by bit.

    >>> import os, saltus, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     name = os.path.join(folder, "ball.ckpt")
    ...     first = saltus.run("bouncing-ball", h=0.001, t_end=2, checkpoint=f"every=1000,file={name}")
    ...     rest = saltus.resume(name, t_end=3)
    >>> float(rest.t[-1])
    3.0
    """
    return _solved(["resume", os.fspath(file), *words_of("resume", options)], None, check, progress, None)


def _solved(words: list[str], held: Held | None, check: bool, progress: Progress, names: Any) -> Solution:
    if not isinstance(check, bool):
        raise TypeError(f"check = {check!r}: it is True or False")
    with Shown(progress) as bar:
        data = _saltus.run(words, bar)
    sol = Solution(data, list(names) if names else None)
    if check and not sol.success:
        if data.interrupted:
            raise KeyboardInterrupt
        raise RunError(sol)
    for text in data.warnings:
        _warnings.warn(text, RunWarning, stacklevel=_level_of_caller())
    return sol


def _level_of_caller() -> int:
    """Of a warning that names the line of the user, whichever function of the package was called there."""
    here = os.path.dirname(__file__)
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        level, frame = level + 1, frame.f_back
    return level
