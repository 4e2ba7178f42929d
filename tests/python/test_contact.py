"""The contact solver on arrays, and FCLIB's files."""
import json

import numpy as np
import pytest
import saltus
from conftest import ROOT, program
from scipy import sparse


def violation(r, u, mu):
    """Of Coulomb's law, independent of the solver: cones, complementarity, maximal dissipation."""
    worst = 0.0
    for rc, uc, m in zip(r, u, mu):
        n, t, un, ut = rc[0], np.linalg.norm(rc[1:]), uc[0], np.linalg.norm(uc[1:])
        worst = max(worst, -n, -un, abs(n * un), t - m * n, ut * (m * n - t), abs(rc[1:] @ uc[1:] + t * ut))
    return worst


def random_problem(rng, contacts, dim, dofs):
    H = rng.normal(size=(contacts * dim, dofs))
    A = np.diag(rng.uniform(0.5, 2, dofs))
    free = rng.normal(size=dofs)
    H[::dim] = np.abs(H[::dim])  # normals that can all open together
    return A, H, free, rng.uniform(0.1, 0.8, contacts)


@pytest.mark.parametrize("dim", [2, 3])
def test_forms_agree_and_the_law_holds(dim):
    rng = np.random.default_rng(dim)
    for contacts, dofs in ((1, 4), (3, 9), (8, 30)):
        A, H, free, mu = random_problem(rng, contacts, dim, dofs)
        W, q = H @ np.linalg.inv(A) @ H.T, H @ free
        results = [saltus.contact.solve(W, q, mu, tolerance=1e-10), saltus.contact.solve(sparse.csr_matrix(W), q, mu, tolerance=1e-10),
                   saltus.contact.solve((A, H), np.zeros_like(q), mu, free=free, tolerance=1e-10),
                   saltus.contact.solve((sparse.eye(dofs, format="coo").multiply(A).tocoo(), sparse.coo_matrix(H)), q, mu, tolerance=1e-10)]
        for r in results:
            assert r.solved and r.residual <= 1e-10
            assert np.allclose(r.velocity, W @ r.impulse + q, atol=1e-8)
            assert violation(r.by_contact, r.velocity.reshape(-1, dim), mu) < 1e-7
            assert np.allclose(r.velocity, results[0].velocity, atol=1e-6)


def test_solvers_and_guesses():
    rng = np.random.default_rng(5)
    A, H, free, mu = random_problem(rng, 4, 2, 12)
    W, q = H @ np.linalg.inv(A) @ H.T, H @ free
    first = saltus.contact.solve(W, q, mu)
    for solver in ("psor", "semismooth-newton", "lemke", "interior-point", "psor:relaxation=0.8"):
        r = saltus.contact.solve(W, q, mu, solver=solver)
        assert r.solved and np.allclose(r.impulse, first.impulse, atol=1e-6), solver
    again = saltus.contact.solve(W, q, mu, guess=first.impulse)
    assert again.solved and again.iterations <= first.iterations
    assert saltus.contact.solve(np.eye(3), [-1.0, 2.0, -3.0], [0, 0, 0]).impulse == pytest.approx([1, 0, 3])


def test_a_problem_without_a_solution_says_so():
    W = np.array([[1.0, -1.0], [-1.0, 1.0]])  # what opens one closes the other
    r = saltus.contact.solve(W, [-1.0, -1.0], [0, 0])
    assert not r.solved and "no solution" in r.message and r.contradictory
    r = saltus.contact.solve(np.zeros((1, 1)), [-1.0], [0])
    assert not r.solved and r.immovable and "no impulse moves it" in r.message


def test_files_of_fclib_and_fcp(tmp_path):
    rng = np.random.default_rng(7)
    A, H, free, mu = random_problem(rng, 3, 3, 9)
    W, q = H @ np.linalg.inv(A) @ H.T, H @ free
    r = saltus.contact.solve(W, q, mu)
    for name in ("p.hdf5", "p.fcp"):
        saltus.contact.write(tmp_path / name, W, q, mu, solution=r.impulse if name.endswith("5") else None)
        p = saltus.contact.read(tmp_path / name)
        assert np.array_equal(p.W.toarray(), W) and np.array_equal(p.q, q) and np.array_equal(p.mu, mu)
        assert np.array_equal(p.solve().impulse, r.impulse)
        said = json.loads(program("contact", "solve", tmp_path / name, "--json"))
        assert said["solved"] and said["residuals"]["fcp"] == r.residual
    assert np.array_equal(saltus.contact.read(tmp_path / "p.hdf5").solution, r.impulse)
    saltus.contact.write(tmp_path / "g.hdf5", (sparse.csc_matrix(A), H), np.zeros(9), mu, free=free)
    g = saltus.contact.read(tmp_path / "g.hdf5")
    assert np.allclose(g.solve().velocity, r.velocity, atol=1e-7) and g.A.shape == (9, 9)
    pile = saltus.contact.read(ROOT / "tests" / "data" / "pile3d-2.fcp")
    assert pile.solve(solver="interior-point").solved


BAD = [
    (dict(matrix=np.eye(3)), "W has the shape"),
    (dict(matrix=np.ones(4)), "it is a matrix"),
    (dict(matrix=[[1, 0], [0, np.nan]]), "W"),
    (dict(matrix=[[1, 0], [0, 1j]]), "complex"),
    (dict(matrix="abc"), "no matrix"),
    (dict(q=[np.nan, 0]), "q"),
    (dict(q=[1, 2, 3]), "W has the shape"),
    (dict(q=np.array([-1, 1j])), "q has complex"),
    (dict(matrix=[np.eye(2), np.ones((3, 2))]), "as a tuple"),
    (dict(solver=3), "solver = 3"),
    (dict(q=[]), "q has 0 entries"),
    (dict(q="x"), "q is no array"),
    (dict(mu=[]), "mu is empty"),
    (dict(mu=[-1]), "mu[0]"),
    (dict(mu=[np.inf]), "mu[0]"),
    (dict(mu=[0.1, 0.2]), "friction needs"),
    (dict(solver="magic"), "magic"),
    (dict(tolerance=0), "tolerance"),
    (dict(tolerance=np.nan), "tolerance"),
    (dict(guess=[1]), "guess"),
    (dict(guess=[np.nan, 1]), "guess"),
    (dict(matrix=(np.eye(2),)), "tuple"),
    (dict(matrix=(np.eye(2), np.eye(3))), "H has the shape"),
    (dict(matrix=(np.ones((2, 3)), np.eye(2))), "square"),
    (dict(matrix=(np.zeros((2, 2)), np.eye(2))), "singular"),
    (dict(free=[1, 2]), "free"),
    (dict(rolling=[0.1]), "rows per contact"),
]


@pytest.mark.parametrize("given, words", BAD)
def test_bad_problems_are_exceptions(given, words):
    with pytest.raises((saltus.Error, TypeError)) as caught:
        saltus.contact.solve(**{"matrix": np.eye(2), "q": [-1.0, 0.5], "mu": [0.3], **given})
    assert words in str(caught.value)
