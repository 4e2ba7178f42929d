"""Drop test: a box with a sensitive part on a spring falls on its corner. What does the part feel?

Bodies in plain objects: a housing, a part held in it by springs and dampers, a floor with friction. The acceleration of the
part is read from the velocities; the angle of the fall is varied.
"""
import matplotlib.pyplot as plt
import numpy as np
import saltus


def device(angle_deg):
    m = saltus.Scene("Drop test", t_end=0.6)
    m.material(mu=0.4, e_n=0.3)
    m.wall("floor", point=(0, 0), normal=(0, 1))
    m.body("housing", "box", size=(0.16, 0.08), mass=0.4, position=(0, 0.6), angle=np.radians(angle_deg))
    m.body("part", "disk", radius=0.01, mass=0.05, position=(0, 0.6), contact=False)
    for k, (dx, dy) in enumerate(((0.06, 0), (-0.06, 0), (0, 0.03), (0, -0.03))):
        c, s = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
        m.spring(f"s{k}", "part", "housing", at_a=(0, 0.6), at_b=(c * dx - s * dy, 0.6 + s * dx + c * dy),
                 stiffness=800, damping=0.8)
    return m


sol = device(25).run(rtol=1e-7, no_estimate=True)
assert sol.success
t = np.linspace(0, sol.t[-1], 6001)
u = sol(t)[1]
part = [sol.names.index("part.x"), sol.names.index("part.y")]
felt = np.linalg.norm(np.gradient(u[:, part], t, axis=0) + [0, 9.81], axis=1) / 9.81
impact = sol.events["t"][sol.events["kind"] == "impact"][0]
print(f"first impact at {impact:.4f} s; the part feels {felt.max():.0f} g")

angles = np.arange(0, 91, 15)
peaks = []
for angle in angles:
    run = device(float(angle)).run(rtol=1e-6, no_estimate=True, progress=False)
    v = run(t)[1][:, part]
    peaks.append((np.linalg.norm(np.gradient(v, t, axis=0) + [0, 9.81], axis=1) / 9.81).max())

figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
for when in (0.0, impact, 0.45):
    sol.snapshot(when, ax=axes[0])
axes[0].set(xlim=(-0.25, 0.25), ylim=(-0.02, 0.72), title="before, at and after the impact")
axes[1].plot(t, felt)
axes[1].set(xlabel="t [s]", ylabel="felt acceleration [g]")
axes[2].plot(angles, peaks, "o-")
axes[2].set(xlabel="angle of the fall [deg]", ylabel="peak [g]")
