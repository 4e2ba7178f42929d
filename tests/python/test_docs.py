"""Examples of docstrings, the tutorial and the gallery are run."""
import doctest
import importlib
import os
import re
import runpy
import warnings

import matplotlib.pyplot as plt
import pytest
import saltus
from conftest import ROOT

MODULES = ["saltus", "saltus.contact", "saltus._solution", "saltus._run", "saltus._study", "saltus._scene", "saltus._symbols",
           "saltus._functions"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = doctest.testmod(module)
    assert found.failed == 0
    plt.close("all")


def test_what_users_see_has_examples():
    """Every function, and every class that users make."""
    for name in ("run", "load", "sweep", "converge", "work_precision", "verify", "compare", "check", "problems", "call", "solve",
                 "where", "Model", "Functions", "Solution", "Expression"):
        assert ">>>" in getattr(saltus, name).__doc__, name
    assert ">>>" in saltus.contact.solve.__doc__


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.S)


@pytest.mark.parametrize("page", ["tutorials/python.md", "how-to/coming-from.md"])
def test_code_of_the_pages(page, monkeypatch):
    """Blocks of a page are one program. Files it names are in the folder of the repository."""
    monkeypatch.chdir(ROOT)
    names: dict = {"__name__": "page"}
    ran = 0
    for block in blocks(page):
        if "# not run" in block:
            continue
        exec(compile(block, page, "exec"), names)
        ran += 1
    assert ran >= 3
    plt.close("all")


GALLERY = ["bouncing_zeno", "woodpecker", "newtons_cradle", "identification", "solver_study", "drop_test", "clearance", "bifurcation"]


@pytest.mark.parametrize("name", GALLERY)
def test_gallery(name, monkeypatch):
    """The scripts check their own results; long ones with fewer points."""
    monkeypatch.setenv("SALTUS_GALLERY_POINTS", "12")
    monkeypatch.setenv("SALTUS_GALLERY_LAYERS", "1,2")
    runpy.run_path(os.fspath(ROOT / "examples" / "python" / f"{name}.py"), run_name="__main__")
    plt.close("all")
