"""Bifurcation diagram of a ball on a table that shakes: from one bounce per period to chaos.

The table moves as a·sin(2π t). For every amplitude the ball is followed for many periods, on all cores; the phases of
the last impacts are drawn.
"""
import concurrent.futures
import os

import matplotlib.pyplot as plt
import numpy as np
import saltus

g, e, periods, kept = 9.81, 0.5, 160, 60

m = saltus.Model("A ball on a shaking table", t_end=periods)
a = m.parameter("a", 0.1)
z = m.coordinate("z", start=a * 0 + 0.3)
m.mass(z, 1)
m.potential(g * z)
m.contact("table", gap=z - a * np.sin(2 * np.pi * m.t), e=e)


def phases(amplitude):
    sol = m.run(rtol=1e-7, parameters={"a": amplitude}, no_estimate=True, progress=False)
    hits = sol.events["t"][sol.events["kind"] == "impact"]
    return hits[hits > periods - kept] % 1


amplitudes = np.linspace(0.085, 0.2, int(os.environ.get("SALTUS_GALLERY_POINTS", 231)))
with concurrent.futures.ThreadPoolExecutor() as threads:  # the interpreter's lock is free while runs go on
    found = list(threads.map(phases, amplitudes))

# The ball that bounces once a period: with velocity v at launch, v = g/(2)·T, T = 1, and the table's speed at launch
# is g/2·(1 - e)/(1 + e) = 2π a cos(2π phase).
exact = np.arccos(np.clip(g / 2 * (1 - e) / (1 + e) / (2 * np.pi * amplitudes), -1, 1)) / (2 * np.pi)
single = [k for k, p in enumerate(found) if len(p) and np.ptp(p) < 1e-4]
error = max(abs(np.mean(found[k]) - exact[k]) for k in single)
print(f"{len(amplitudes)} amplitudes; one impact a period at {len(single)} of them, phases right to {error:.1e}")
assert len(single) > 3 and error < 1e-4

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for amplitude, phase in zip(amplitudes, found):
    ax.plot(np.full(len(phase), amplitude), phase, ",", color="black", alpha=0.8)
ax.plot(amplitudes, exact, color="C3", linewidth=0.8, label="once a period, exactly")
ax.set(xlabel="amplitude a [m]", ylabel="phase of impacts", title="A ball on a table that shakes, e = 0.5")
ax.legend()
