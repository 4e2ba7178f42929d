"""A bouncing ball comes to rest in finite time, after infinitely many impacts.

The times of the impacts are known in closed form; the run resolves impacts until flights are shorter than its tolerance
can see, closes the contact, and says when. An integrator with events falls through the floor there.
"""
import matplotlib.pyplot as plt
import numpy as np
import saltus

g, e, height = 9.81, 0.7, 1.0

m = saltus.Model("A ball comes to rest", t_end=3)
z = m.coordinate("z", start=height)
m.mass(z, 1)
m.potential(g * z)
m.contact("floor", gap=z, e=m.parameter("e", e))
sol = m.run(rtol=1e-9)

first = np.sqrt(2 * height / g)
rest = first * (1 + e) / (1 - e)  # the sum of all flights
hits = sol.events["t"][sol.events["kind"] == "impact"]
k = np.arange(len(hits))
exact = first * (1 + 2 * e * (1 - e**k) / (1 - e))
[found] = sol.report["accumulations"]
print(f"{len(hits)} impacts, the largest error of their times is {np.abs(hits - exact).max():.1e} s")
print(f"at rest from t = {found['t']:.9f} s ± {found['bound']:.1e} s; exactly {rest:.9f} s")
assert np.abs(hits - exact).max() < 1e-7 and abs(found["t"] - rest) <= found["bound"]
assert sol.q.min() > -1e-12

figure, (above, below) = plt.subplots(2, 1, figsize=(7, 5), layout="constrained")
t = np.linspace(0, 3, 3000)
above.plot(t, sol(t)[0][:, 0])
above.axvline(rest, color="C3", linestyle="--", label="at rest, exactly")
above.set(xlabel="t [s]", ylabel="z [m]", title="A ball comes to rest in finite time")
above.legend()
below.semilogy(k[:-1], rest - exact[:-1], label="exact")
below.semilogy(k[:-1], rest - hits[:-1], ".", label="computed")
below.set(xlabel="impact", ylabel="time left until rest [s]")
below.legend()
