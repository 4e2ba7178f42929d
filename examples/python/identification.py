"""Restitution and friction from noisy data, with scipy.optimize.

A small puck is thrown onto the ground: it bounces, and friction slows it down at every impact. From noisy positions,
as a camera sees them, e and mu are found by least squares, with intervals of 95 % from the Jacobian.
"""
import matplotlib.pyplot as plt
import numpy as np
import saltus
from scipy.optimize import least_squares

true = {"e": 0.72, "mu": 0.18}
noise = 2e-3  # m

m = saltus.Model("A puck that bounces and slides", t_end=1.6)
e, mu = m.parameter("e", 0.5), m.parameter("mu", 0.3)
x, z = m.coordinate("x", velocity=2.0), m.coordinate("z", start=0.5)
for one in (x, z):
    m.mass(one, 0.1)
m.potential(0.1 * 9.81 * z)
m.contact("ground", gap=z, slip=x.rate, mu=mu, e=e)

times = np.linspace(0, 1.6, 81)


def positions(p):
    sol = m.run(rtol=1e-9, parameters={"e": p[0], "mu": p[1]}, no_estimate=True, check=True)
    return sol(times)[0]


rng = np.random.default_rng(2024)
exact = positions(list(true.values()))
data = exact + rng.normal(scale=noise, size=exact.shape)

# Positions are continuous in e and mu, but have corners: differences need a step above the rounding, and the search
# begins with few, early data, before the impacts of wrong parameters are far off.
guess = np.array([0.5, 0.3])
for last in (0.7, 1.1, 1.6):
    use = times <= last
    fit = least_squares(lambda p: (positions(p)[use] - data[use]).ravel() / noise, guess, bounds=([0.05, 0], [0.99, 1]),
                        diff_step=1e-6)
    guess = fit.x
error = 1.96 * np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac)))
for name, value, bar in zip(true, fit.x, error):
    print(f"{name} = {value:.5f} ± {bar:.5f} (true {true[name]})")
    assert abs(value - true[name]) < bar
assert 0.6 < np.sqrt(2 * fit.cost / (data.size - 2)) < 1.4  # what is left is the noise

figure, (above, below) = plt.subplots(2, 1, figsize=(7, 5), layout="constrained")
fine = np.linspace(0, 1.6, 2000)
sol = m.run(rtol=1e-9, parameters=dict(zip(true, fit.x)), no_estimate=True)
above.plot(data[:, 0], data[:, 1], ".", color="0.5", label="data")
above.plot(*sol(fine)[0].T, label="fit")
above.set(xlabel="x [m]", ylabel="z [m]", title="e = {:.4f} ± {:.4f}, mu = {:.4f} ± {:.4f}".format(
    fit.x[0], error[0], fit.x[1], error[1]))
above.legend()
below.plot(times, 1e3 * (positions(fit.x) - data), ".")
below.set(xlabel="t [s]", ylabel="residuals [mm]")
below.legend(["x", "z"])
