"""An own study of contact solvers: iterations and time over the size of a pile, on problems of one's own.

Random piles of balls in space are posed as A, H, q, mu, solved by every solver of Saltus to the same residual, and the
result is certified by Coulomb's law itself.
"""
import os
import time

import matplotlib.pyplot as plt
import numpy as np
import saltus
from scipy import sparse


def pile(layers, rng):
    """Balls of one mass on a grid, falling with different velocities: contacts with the neighbours below."""
    side = 3
    at = {(i, j, k): n for n, (i, j, k) in enumerate(np.ndindex(side, side, layers))}
    contacts = [(at[i, j, k], at[i, j, k - 1] if k else -1, (0.0, 0.0, 1.0)) for i, j, k in at]
    contacts += [(at[i, j, k], at[i - 1, j, k], (1.0, 0.0, 0.0)) for i, j, k in at if i]
    rows, columns, values = [], [], []
    for c, (a, b, n) in enumerate(contacts):
        n = np.array(n)
        t1 = np.array([n[1], n[2], n[0]])
        frame = np.array([n, t1, np.cross(n, t1)])
        for body, sign in ((a, 1), (b, -1)):
            if body >= 0:
                for r in range(3):
                    for d in range(3):
                        rows.append(3 * c + r), columns.append(3 * body + d), values.append(sign * frame[r, d])
    size = 3 * len(at)
    H = sparse.csr_matrix((values, (rows, columns)), shape=(3 * len(contacts), size))
    A = sparse.eye(size, format="csr")
    free = rng.normal(scale=0.2, size=size) - np.tile([0, 0, 1.0], len(at))
    return A, H, free, np.full(len(contacts), 0.4)


solvers = ["psor", "semismooth-newton", "interior-point", "automatic"]
layers = [int(n) for n in os.environ.get("SALTUS_GALLERY_LAYERS", "1,2,4,8,12").split(",")]
rng = np.random.default_rng(0)
sizes, seconds, residuals = [], {s: [] for s in solvers}, {s: [] for s in solvers}
for n in layers:
    A, H, free, mu = pile(n, rng)
    sizes.append(len(mu))
    for solver in solvers:
        begin = time.process_time()
        r = saltus.contact.solve((A, H), np.zeros(H.shape[0]), mu, free=free, solver=solver, tolerance=1e-8)
        seconds[solver].append(time.process_time() - begin)
        residuals[solver].append(r.residual)
        assert not r.solved or np.all(np.linalg.norm(r.by_contact[:, 1:], axis=1) <= 0.4 * r.by_contact[:, 0] + 1e-6)
    print(f"{len(mu)} contacts: " + ", ".join(f"{s} {1e3 * seconds[s][-1]:.1f} ms" for s in solvers))
assert max(residuals["automatic"]) <= 1e-8

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for solver in solvers:
    left.loglog(sizes, seconds[solver], "o-", label=solver)
    right.loglog(sizes, residuals[solver], "o-", label=solver)
left.set(xlabel="contacts", ylabel="CPU time [s]")
right.set(xlabel="contacts", ylabel="residual reached")
right.axhline(1e-8, color="black", linewidth=0.6)
right.legend(fontsize="small")
