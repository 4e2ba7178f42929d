"""Examples of docstrings, the tutorial and the gallery are run."""
import doctest
import importlib
import importlib.util
import inspect
import os
import pkgutil
import re
import runpy
import warnings

import matplotlib.pyplot as plt
import pytest
import saltus
from conftest import ROOT

MODULES = ["saltus", *(f"saltus.{m.name}" for m in pkgutil.iter_modules(saltus.__path__) if m.name != "_saltus")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one in doctest.DocTestFinder().find(module):
            other = [package for package in ("pandas", "xarray") if package in one.name]
            if all(importlib.util.find_spec(package) for package in other):
                runner.run(one)
    assert runner.summarize().failed == 0
    plt.close("all")


def public(thing):
    """A class or function with its public methods."""
    yield thing.__qualname__, thing
    if inspect.isclass(thing):
        for name, member in vars(thing).items():
            member = getattr(member, "__func__", member)  # of classmethods
            if not name.startswith("_") and inspect.isfunction(member):
                yield f"{thing.__qualname__}.{name}", member


def test_what_users_see_has_examples():
    """Every function, every method, and every class that users make."""
    from saltus._formulas import Formulas

    made_by_others = {"BodyMotion", "Comparison", "Error", "Reproduction", "RunError", "RunWarning", "SceneError", "Study",
                      "StudyError", "Sweep", "Verification", "Body", "Part", "SpaceBody", "Symbol", "Result", "Problem"}
    things = [getattr(saltus, n) for n in saltus.__all__] + [Formulas] + [getattr(saltus.contact, n) for n in saltus.contact.__all__]
    seen = [pair for thing in things if callable(thing) for pair in public(thing)]
    assert len(seen) > 100
    without = [name for name, thing in seen if ">>>" not in (thing.__doc__ or "") and name not in {*made_by_others, "Formulas"}]
    assert not without, without


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
