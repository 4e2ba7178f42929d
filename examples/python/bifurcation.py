"""Bifurcation diagram of a ball on a table that shakes: from one bounce per period to chaos.

The table moves as a·sin(2π t). For every amplitude the ball is followed for many periods, on all cores; the phases of
the last impacts are drawn.
"""
import concurrent.futures
import os

import matplotlib.pyplot as plt
import numpy as np
import saltus

g, e, periods, kept = 9.81, 0.5, 200, 60
w = g / 2 * (1 - e) / (1 + e)  # see below

m = saltus.Model("A ball on a shaking table", t_end=periods)
a = m.parameter("a", 0.3)
launch = m.parameter("launch", saltus.acos(w / (2 * np.pi * a)))
z = m.coordinate("z", start=a * np.sin(launch), velocity=1.01 * g / 2)  # near the motion with one impact a period
m.mass(z, 1)
m.potential(g * z)
m.contact("table", gap=z - a * np.sin(2 * np.pi * m.t + launch), e=e)


def phases(amplitude):
    sol = m.run(rtol=1e-7, parameters={"a": amplitude}, no_estimate=True, progress=False)
    hits = sol.events["t"][sol.events["kind"] == "impact"]
    return (hits[hits > periods - kept] + np.arccos(w / (2 * np.pi * amplitude)) / (2 * np.pi)) % 1


amplitudes = np.linspace(0.265, 0.46, int(os.environ.get("SALTUS_GALLERY_POINTS", 231)))
with concurrent.futures.ThreadPoolExecutor() as threads:  # the interpreter's lock is free while runs go on
    found = list(threads.map(phases, amplitudes))

# Once a period the ball leaves with v = g/2 (T = 1) and comes back with -v: g/2 - w = e (g/2 + w) gives the velocity w of
# the table, 2π a cos(2π phase). This motion is stable until (2π)² a sin(2π phase) = 2 g (1 + e²)/(1 + e)².
exact = np.arccos(np.minimum(w / (2 * np.pi * amplitudes), 1)) / (2 * np.pi)
doubling = np.hypot(w / (2 * np.pi), 2 * g * (1 + e**2) / (1 + e)**2 / (2 * np.pi)**2)
single = [k for k, p in enumerate(found) if len(p) and np.ptp(p) < 1e-4]
error = max(abs(np.mean(found[k]) - exact[k]) for k in single)
print(f"{len(amplitudes)} amplitudes; one impact a period at {len(single)} of them, phases right to {error:.1e}; the period doubles at a = {doubling:.4f}")
assert len(single) > 3 and error < 1e-4

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
ax.plot(np.repeat(amplitudes, [len(p) for p in found]), np.concatenate(found), ",", color="black", rasterized=True)
ax.plot(amplitudes, exact, color="C3", linewidth=0.8, label="once a period, exactly")
ax.axvline(doubling, color="C0", linewidth=0.8, label="the period doubles, exactly")
ax.set(xlabel="amplitude a [m]", ylabel="phase of impacts", title="A ball on a table that shakes, e = 0.5")
ax.legend()
