"""The contact solver for others: frictional contact problems on arrays, and FCLIB's files.

A problem has contacts with ``dim`` rows each, the normal first, and a friction coefficient ``mu`` each::

    local     u = W r + q
    global    A (v - v_free) = H.T @ r,   u = H v + q

with impulses ``r`` and velocities ``u`` under Coulomb's law: ``0 <= r_N ⊥ u_N >= 0``, ``|r_T| <= mu r_N`` against the
sliding ``u_T``.
"""
from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _saltus

__all__ = ["Problem", "Result", "read", "solve", "write"]

Floats = NDArray[np.float64]


class Result:
    """Impulses with a certificate.

    ``impulse``, ``velocity``: one row for each row of the problem. ``residual`` is the distance from Coulomb's law as
    the FCP format and Siconos measure it, computed from the impulses; ``solved`` says that it is within the tolerance,
    and that what is left is little beside the free velocities. ``message`` says what is wrong otherwise; where contacts
    contradict each other ``contradictory`` is True: no impulse solves the problem.
    """

    def __init__(self, found: _saltus.ContactSolution, shape: tuple[int, ...]) -> None:
        self.impulse: Floats = np.asarray(found.impulse)
        self.velocity: Floats = np.asarray(found.velocity)
        self.residual: float = found.residual
        self.natural_residual: float = found.natural_residual
        self.solved: bool = found.solved
        self.message: str = found.message
        self.iterations: int = found.iterations
        self.contradictory: bool = found.contradictory
        self.immovable: bool = found.immovable
        self.worst_contact: int = found.worst_contact
        self._shape = shape

    @property
    def by_contact(self) -> Floats:
        """The impulses with one row for each contact."""
        return self.impulse.reshape(self._shape)

    def __repr__(self) -> str:
        return f"<saltus.contact.Result: {self.message}, {len(self.impulse)} rows, {self.iterations} iterations>"


class Problem:
    """A frictional contact problem: made by arrays, or read from a file.

    >>> import numpy as np, saltus
    >>> p = saltus.contact.Problem(np.eye(2), [-1.0, 0.5], mu=[0.3])
    >>> p.contacts, p.dim
    (1, 2)
    """

    def __init__(self, matrix: Any, q: ArrayLike, mu: ArrayLike, *, free: ArrayLike | None = None,
                 rolling: ArrayLike | None = None, name: str = "problem") -> None:
        offsets, coefficients = _vector(q, "q"), _vector(mu, "mu")
        if coefficients.size == 0:
            raise _saltus.Error("mu is empty: a problem has at least one contact")
        dim, rest = divmod(offsets.size, coefficients.size)
        if rest or dim < 1:
            raise _saltus.Error(f"q has {offsets.size} entries for {coefficients.size} contacts (len(mu)); "
                                "len(q) is a multiple of it")
        turning = [] if rolling is None else _vector(rolling, "rolling").tolist()
        allowed = (3, 5) if turning else (1, 2, 3)
        if dim not in allowed:
            raise _saltus.Error(f"{dim} rows per contact, from len(q)/len(mu); allowed are {allowed}")
        if turning and len(turning) != coefficients.size:
            raise _saltus.Error(f"rolling has {len(turning)} entries for {coefficients.size} contacts")
        if dim == 1 and np.any(coefficients > 0):
            raise _saltus.Error("mu > 0 with one row per contact; friction needs tangential rows")
        if isinstance(matrix, tuple):
            if len(matrix) != 2:
                raise _saltus.Error(f"a tuple of {len(matrix)} matrices; give W, or the pair (A, H)")
            A, H = _sparse(matrix[0], "A"), _sparse(matrix[1], "H")
            A_shape, H_shape = A[3], H[3]
            n = A_shape[0]
            if A_shape != (n, n):
                raise _saltus.Error(f"A has the shape {A_shape}; it is square")
            if H_shape != (offsets.size, n):
                raise _saltus.Error(f"H has the shape {H_shape}; expected {(offsets.size, n)}: len(q) rows, a column for "
                                    "each velocity")
            start = np.zeros(n) if free is None else _vector(free, "free")
            if start.size != n:
                raise _saltus.Error(f"free has {start.size} entries, A {n} rows")
            self._problem = _saltus.FrictionProblem.global_(A, H, start, offsets, coefficients.tolist(), turning, dim,
                                                            name)
        else:
            if free is not None:
                raise _saltus.Error("free is for the pair (A, H); with W the free velocities are in q")
            W = _sparse(matrix, "W")
            W_shape = W[3]
            if W_shape != (offsets.size, offsets.size):
                raise _saltus.Error(f"W has the shape {W_shape}; expected {(offsets.size, offsets.size)}, as q has "
                                    f"{offsets.size} entries")
            self._problem = _saltus.FrictionProblem.local(W, offsets, coefficients.tolist(), turning, dim, name)

    @property
    def dim(self) -> int:
        """Rows per contact."""
        return int(self._problem.dim)

    @property
    def contacts(self) -> int:
        """How many."""
        return len(self._problem.mu)

    @property
    def mu(self) -> Floats:
        """Friction coefficients."""
        return np.array(self._problem.mu)

    @property
    def q(self) -> Floats:
        """Of u = W r + q, or of u = H v + q."""
        return np.asarray(self._problem.q)

    @property
    def W(self) -> Any:
        """scipy.sparse, dense without SciPy; None where the problem has the global form only."""
        return _matrix(self._problem.W)

    @property
    def A(self) -> Any:
        """scipy.sparse, dense without SciPy; None where the problem has the local form only."""
        return _matrix(self._problem.A)

    @property
    def H(self) -> Any:
        """scipy.sparse, dense without SciPy; None where the problem has the local form only."""
        return _matrix(self._problem.H)

    @property
    def free(self) -> Any:
        """Free velocities of the global form, or None."""
        return self._problem.free

    @property
    def solution(self) -> Floats | None:
        """Impulses that a file holds, or None."""
        known = self._problem.solution
        return None if known is None else np.asarray(known)

    def solve(self, *, solver: str = "automatic", tolerance: float = 1e-8, guess: ArrayLike | None = None) -> Result:
        """As :func:`saltus.contact.solve`.

        >>> import saltus
        >>> saltus.contact.Problem([[1, 0], [0, 1]], q=[-1, 0.5], mu=[0.3]).solve().solved
        True
        """
        start = None
        if guess is not None:
            start = _vector(guess, "guess")
            if start.size != self.dim * self.contacts:
                raise _saltus.Error(f"guess has {start.size} entries, the problem {self.dim * self.contacts} rows")
            if not np.isfinite(start).all():
                raise _saltus.Error("guess is not finite")
        if not isinstance(solver, str):
            raise TypeError(f"solver = {solver!r}: it is the name of one of saltus.solvers()")
        found = _saltus.contact_solve(self._problem, solver, float(tolerance), start)
        return Result(found, (self.contacts, self.dim))

    def write(self, file: str | os.PathLike[str], solution: ArrayLike | None = None) -> None:
        """Writes the problem: .hdf5 or .h5 (FCLIB), .fcp (text); with impulses where they are given.

        >>> import os, saltus, tempfile
        >>> p = saltus.contact.Problem([[1, 0], [0, 1]], q=[-1, 0.5], mu=[0.3])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     p.write(os.path.join(folder, "one.hdf5"), solution=p.solve().impulse)
        """
        if solution is not None:
            impulses = _vector(solution, "solution")
            if impulses.size != self.dim * self.contacts:
                raise _saltus.Error(f"solution has {impulses.size} entries, the problem {self.dim * self.contacts} rows")
            self._problem.solution = impulses
        self._problem.write(os.fspath(file))

    def __repr__(self) -> str:
        return f"<saltus.contact.Problem {self._problem.name}: {self.contacts} contacts of {self.dim} rows>"


def solve(matrix: Any, q: ArrayLike, mu: ArrayLike, *, free: ArrayLike | None = None, rolling: ArrayLike | None = None,
          solver: str = "automatic", tolerance: float = 1e-8, guess: ArrayLike | None = None) -> Result:
    """Solves a frictional contact problem.

    Parameters
    ----------
    matrix
        ``W`` of ``u = W r + q``, or the pair ``(A, H)``; dense arrays or scipy.sparse.
    q
        Velocities without impulses. Rows per contact are ``len(q)/len(mu)``, normal first: 2 in the plane, 3 in space,
        1 without friction.
    mu
        One friction coefficient for each contact.
    free
        With ``(A, H)``: free velocities, so that ``u = H v + q`` and ``A (v - free) = H.T @ r``.
    rolling
        Coefficients of rolling friction, lengths; then contacts have 3 rows (plane) or 5.
    solver
        ``NAME`` or ``NAME:key=value,…`` of :func:`saltus.solvers`.
    tolerance
        Largest residual that counts as solved.
    guess
        Impulses to begin with.

    Examples
    --------
    A block is pushed onto the ground with velocity 1 and slides with 0.5: friction takes 0.3 of it.

    >>> import numpy as np, saltus
    >>> r = saltus.contact.solve(np.eye(2), q=[-1.0, 0.5], mu=[0.3])
    >>> r.solved, [round(float(x), 9) for x in r.impulse]
    (True, [1.0, -0.3])
    """
    problem = Problem(matrix, q, mu, free=free, rolling=rolling)
    return problem.solve(solver=solver, tolerance=tolerance, guess=guess)


def read(file: str | os.PathLike[str]) -> Problem:
    """Reads a problem: .hdf5 or .h5 (FCLIB), .fcp (text).

    >>> import os, saltus, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "one.hdf5")
    ...     saltus.contact.write(file, [[1, 0], [0, 1]], q=[-1, 0.5], mu=[0.3])
    ...     saltus.contact.read(file).solve().solved
    True
    """
    out = Problem.__new__(Problem)
    out._problem = _saltus.FrictionProblem.read(os.fspath(file))
    return out


def write(file: str | os.PathLike[str], matrix: Any, q: ArrayLike, mu: ArrayLike, *, free: ArrayLike | None = None,
          rolling: ArrayLike | None = None, solution: ArrayLike | None = None, name: str = "problem") -> None:
    """Writes a problem given as for :func:`solve`.

    >>> import os, saltus, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saltus.contact.write(os.path.join(folder, "one.fcp"), [[1, 0], [0, 1]], q=[-1, 0.5], mu=[0.3])
    """
    Problem(matrix, q, mu, free=free, rolling=rolling, name=name).write(file, solution)


def _numbers(x: Any, complaint: str, name: str) -> Floats:
    try:
        found = np.asarray(x)
        out = found if np.iscomplexobj(found) else np.asarray(found, dtype=float)
    except (TypeError, ValueError) as error:
        raise _saltus.Error(complaint) from error
    if np.iscomplexobj(out):  # NumPy would drop the imaginary parts
        raise _saltus.Error(f"{name} has complex entries")
    return out


def _vector(x: ArrayLike, name: str) -> Floats:
    out = _numbers(x, f"{name} is no array of numbers", name)
    if out.ndim > 2 or (out.ndim == 2 and 1 not in out.shape and name not in ("q", "guess", "solution")):
        raise _saltus.Error(f"{name} has the shape {out.shape}; it is a list of numbers")
    return np.ascontiguousarray(out.ravel())


def _sparse(matrix: Any, name: str) -> tuple[Floats, list[int], list[int], tuple[int, int]]:
    """Compressed columns of a dense array or of a matrix of scipy.sparse."""
    if hasattr(matrix, "tocsc"):
        found = matrix.tocsc()
        if not found.has_canonical_format:
            found = found.copy()
            found.sum_duplicates()
        if np.iscomplexobj(found.data):
            raise _saltus.Error(f"{name} has complex entries")
        return (np.asarray(found.data, dtype=float), found.indices.tolist(), found.indptr.tolist(),
                (int(found.shape[0]), int(found.shape[1])))
    if isinstance(matrix, list) and len(matrix) == 2 and all(hasattr(m, "shape") and len(m.shape) == 2 for m in matrix):
        raise _saltus.Error(f"{name} is a list of two matrices; give the pair (A, H) as a tuple")
    dense = _numbers(matrix, f"{name} is no matrix of numbers", name)
    if dense.ndim != 2:
        raise _saltus.Error(f"{name} has the shape {dense.shape}; it is a matrix")
    columns, rows = np.nonzero(dense.T)
    starts = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=dense.shape[1]))])
    return dense[rows, columns], rows.tolist(), starts.tolist(), (dense.shape[0], dense.shape[1])


def _matrix(columns: Any) -> Any:
    if columns is None:
        return None
    data, rows, starts, shape = columns
    try:
        from scipy import sparse
    except ImportError:
        dense = np.zeros(shape)
        for j in range(shape[1]):
            part = slice(starts[j], starts[j + 1])
            dense[rows[part], j] = data[part]
        return dense
    return sparse.csc_matrix((data, rows, starts), shape=shape)
