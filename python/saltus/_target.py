"""What is run: a file, a name of the catalog, a model or a scene in memory."""
from __future__ import annotations

import os
from typing import Any, Protocol, Union, runtime_checkable

from . import _saltus


@runtime_checkable
class Model(Protocol):
    """A model of this package: it makes a target for the commands of the program."""

    def _given(self) -> _saltus.GivenScene: ...


Target = Union[str, "os.PathLike[str]", Model]


def is_unicode(text: str) -> bool:
    """Whether a text can be given to C++; surrogates of undecoded bytes cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class Held:
    """The word that names a target on the command line, and what must live as long as the command runs."""

    def __init__(self, target: Target) -> None:
        self.given: Any = None
        if isinstance(target, (str, os.PathLike)):
            text = os.fspath(target)
            if "\0" in text:
                raise _saltus.Error(f"{text!r}: no file and no problem has a null character in its name")
            if not is_unicode(text):
                raise _saltus.Error(f"{text!r}: not UTF-8")
            if "\n" in text:  # the text of a scene
                self.given = _saltus.GivenScene("scene.yaml", text)
                self.word = self.given.name
            else:
                # a file of this folder is not a problem of the catalog
                is_file = not isinstance(target, str) and os.sep not in text
                self.word = os.path.join(os.curdir, text) if is_file else text
        elif (given := getattr(target, "_given", None)) is not None:  # a Model; asking for a protocol takes longer
            self.given = given()
            self.word = self.given.name
        else:
            raise TypeError(f"{target!r} is no scene file, no name of a problem, and no model of saltus")
        if self.word.startswith("-"):
            raise _saltus.Error(f"'{self.word}' is no scene file and no problem; saltus.problems() lists them")
