"""The woodpecker toy pecks its way down a pole: three contacts with friction and a limit cycle.

The scene of the examples, run by tolerance; the phase portrait of the bird closes, and pecks are the impacts of the beak.
"""
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import saltus

scene = Path(__file__).parents[1] / "scenes" / "woodpecker.yaml"
sol = saltus.run(scene, rtol=1e-6, t_end="1 s", no_estimate=True)
assert sol.success

pecks = sol.events["t"][(sol.events["contact"] == "beak") & (sol.events["kind"] == "impact")]
first = pecks[np.insert(np.diff(pecks) > 0.05, 0, True)]  # the beak bounces: the first impact of each peck
period = np.diff(first)[2:].mean()
print(f"{len(first)} pecks; period {period * 1e3:.2f} ms; {1e3 * (sol['y'][0] - sol['y'][-1]):.1f} mm down in one second")
assert np.ptp(np.diff(first)[2:]) < 0.01 * period  # a limit cycle

t = np.linspace(0, 1, 6000)
q, u = sol(t)
bird = sol.names.index("bird")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
left.plot(t, 1e3 * q[:, sol.names.index("y")])
left.plot(first, 1e3 * sol(first)[0][:, sol.names.index("y")], "C3.", label="pecks")
left.set(xlabel="t [s]", ylabel="height of the sleeve [mm]", title="Down the pole")
left.legend()
right.plot(q[:, bird], u[:, bird], linewidth=0.8)
right.set(xlabel="angle of the bird [rad]", ylabel="its rate [rad/s]", title="The limit cycle")
