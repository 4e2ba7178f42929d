"""Newton's cradle with the contact law of Kuwabara and Kono: how rigid are steel balls?

With rigid contacts and restitution one ball leaves. With Hertz' contacts the pulse takes time, and the others move a
little; the damping of Kuwabara and Kono loses some energy. Momentum is conserved in all cases.
"""
import matplotlib.pyplot as plt
import numpy as np
import saltus

mass, stiffness, speed, balls = 0.028, 9.8e9, 0.5, 5


def cradle(damping):
    m = saltus.Model("Newton's cradle", t_end=4e-4)
    x = [m.coordinate(f"x{k}", velocity=speed if k == 0 else 0) for k in range(balls)]
    for one in x:
        m.mass(one, mass)
    for k in range(balls - 1):
        m.contact(f"c{k}", gap=x[k + 1] - x[k], law="kuwabara-kono", k=stiffness, gamma=damping)
    return m.run(rtol=1e-9)


runs = {gamma: cradle(gamma) for gamma in (0.0, 1e-6, 4e-6)}
figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True, layout="constrained")
for ax, (gamma, sol) in zip(axes, runs.items()):
    t = np.linspace(0, sol.t[-1], 2000)
    u = sol(t)[1] / speed
    for k in range(balls):
        ax.plot(1e3 * t, u[:, k], label=f"ball {k + 1}")
    lost = 1 - (u[-1]**2).sum()
    ax.set(xlabel="t [ms]", title=f"gamma = {gamma:g} s: {100 * lost:.1f} % lost")
    print(f"gamma = {gamma:g} s: velocities {np.round(u[-1], 4)}, momentum {u[-1].sum():.9f}, energy lost {100 * lost:.2f} %")
    assert abs(u[-1].sum() - 1) < 1e-7 and (lost > 0.005) == (gamma > 0)
axes[0].set_ylabel("velocity / that of the first")
axes[-1].legend(fontsize="small")
