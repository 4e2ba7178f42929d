"""A slider-crank mechanism whose slider has 1 mm of play in its guide (Flores, Leine, Glocker 2010).

The slider rattles: its corners hit the guide. The play is varied, and with it the number of impacts and the energy that
is lost in one turn.
"""
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import saltus

scene = Path(__file__).parents[1] / "scenes" / "slider-crank.yaml"
sol = saltus.run(scene, rtol=1e-7, no_estimate=True)
hits = sol.events[sol.events["kind"] == "impact"]
t = np.linspace(0, sol.t[-1], 4000)
q = dict(zip(sol.names, sol(t)[0].T))
height = 0.153 * np.sin(q["crank"]) + 0.306 * np.sin(q["rod"])  # of the slider in its guide
print(f"{len(hits)} impacts in {sol.t[-1]:g} s; the slider leaves the middle of its guide by {1e3 * np.abs(height).max():.4f} mm")
assert np.abs(height).max() < 1.000001e-3

plays = np.linspace(0.2e-3, 2e-3, 10)
table = saltus.sweep(scene, over={"clearance": [f"{p} m" for p in plays]}, measure=["lost = 1 - energy.final/energy.initial",
                                                                                     "hits = events.impact"],
                     rtol=1e-7, t_end=0.042, no_estimate=True, set={"coordinates.slider.start": "0.001 rad"})
assert table.success and sol.success

figure, axes = plt.subplots(3, 1, figsize=(7, 7), layout="constrained")
axes[0].plot(1e3 * t, 1e3 * height)
axes[0].set(xlabel="t [ms]", ylabel="slider above the middle [mm]", title="A slider with 1 mm of play")
for name in np.unique(hits["contact"]):
    of = hits[hits["contact"] == name]
    axes[1].plot(1e3 * of["t"], of["impulse"][:, 0], ".", label=name)
axes[1].set(xlabel="t [ms]", ylabel="normal impulse [N s]", yscale="log")
axes[1].legend(fontsize="small")
axes[2].plot(1e3 * plays, 100 * table["lost"], "o-")
axes[2].set(xlabel="play [mm]", ylabel="energy lost in a turn [%]")
