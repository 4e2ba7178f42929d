"""Progress of long calls: a bar in a terminal or a notebook, from the second second on."""
from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Union

Progress = Union[bool, Callable[[float], Any], None]


class _Bar:
    width = 40

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.drawn = False

    def line(self, part: float) -> str:
        done = min(max(int(part * self.width), 0), self.width)
        elapsed = time.monotonic() - self.start
        left = elapsed * (1 - part) / part if part > 0 else 0.0
        return f"[{'#' * done}{'.' * (self.width - done)}] {100 * part:3.0f} %  {left:.0f} s left "

    def __call__(self, part: float) -> None:
        if time.monotonic() - self.start >= 1:
            self.drawn = True
            self.show(part)

    def show(self, part: float) -> None:
        sys.stderr.write("\r" + self.line(part))
        sys.stderr.flush()

    def close(self) -> None:
        if self.drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


class _NotebookBar(_Bar):
    def __init__(self) -> None:
        super().__init__()
        self.handle: Any = None

    def show(self, part: float) -> None:
        from IPython.display import display  # type: ignore[import-not-found,import-untyped,unused-ignore]

        text = {"text/plain": self.line(part)}
        if self.handle is None:
            self.handle = display(text, raw=True, display_id=True)
        else:
            self.handle.update(text, raw=True)

    def close(self) -> None:
        if self.handle is not None:
            self.handle.update({"text/plain": ""}, raw=True)


def in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    here = shell.get_ipython()
    return here is not None and hasattr(here, "kernel")


class Shown:
    """`progress=None`: a bar where someone looks; True: always; False: none; a function: it gets the part."""

    def __init__(self, progress: Progress) -> None:
        self.bar: Any = None
        if callable(progress):
            self.tell: Any = progress
            return
        if progress is not None and not isinstance(progress, bool):
            raise TypeError(f"progress = {progress!r}: it is None, True, False or a function")
        if progress is None:
            progress = in_notebook() or (sys.stderr is not None and sys.stderr.isatty())
        self.bar = (_NotebookBar() if in_notebook() else _Bar()) if progress else None
        self.tell = self.bar

    def __enter__(self) -> Any:
        return self.tell

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()
