"""Saltus: nonsmooth mechanics with trajectories of known accuracy.

    import saltus

    sol = saltus.run("bouncing-ball", rtol=1e-8)
    sol.plot()

:func:`run` simulates a scene file, a problem of the catalog or a model; :class:`Solution` has what it computed.
:class:`Model` (or :class:`Scene`) makes models of symbols and bodies, :class:`Functions` and :func:`solve` take plain
functions. :func:`sweep`, :func:`converge`, :func:`work_precision`, :func:`verify`, :func:`compare` and
:func:`reproduce` are studies; :mod:`saltus.contact` is the contact solver alone.
"""
from . import contact
from ._functions import Functions, solve
from ._run import RunWarning, resume, run
from ._saltus import Error, SceneError
from ._saltus import version as __version__
from ._motion import BodyMotion
from ._report import Measure
from ._parts import Body, Part, Space, SpaceBody
from ._scene import Model, Scene
from ._solution import RunError, Solution, load
from ._call import StudyError, call
from ._reproduce import Reproduction, reproduce, studies
from ._study import (Comparison, Study, Verification, check, compare, converge, problems, schemes, solvers, steppings, verify,
                     work_precision)
from ._sweep import Sweep, sweep
from ._symbols import (Expression, Symbol, acos, asin, atan, atan2, cos, cosh, exp, hypot, log, log10, maximum, minimum,
                       sign, sin, sinh, sqrt, tan, tanh, where)

__all__ = [
    "Body", "BodyMotion", "Comparison", "Error", "Expression", "Functions", "Measure", "Model", "Part", "Reproduction", "RunError", "RunWarning", "Scene",
    "SceneError", "Solution", "Space", "SpaceBody", "Study", "StudyError", "Sweep", "Symbol", "Verification", "__version__", "acos", "asin",
    "atan", "atan2", "call", "check", "compare", "contact", "converge", "cos", "cosh", "exp", "hypot", "load", "log",
    "log10", "maximum", "minimum", "problems", "reproduce", "resume", "run", "schemes", "sign", "sin", "sinh", "solve",
    "solvers", "sqrt", "steppings", "studies", "sweep", "tan", "tanh", "verify", "where", "work_precision",
]
