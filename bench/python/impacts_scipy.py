"""Six impact problems beside scipy.integrate.solve_ivp with events, at the same error, in one run:

    ./dev python bench/python/impacts_scipy.py

Both programs are called from Python with their default way to pose a problem: functions for SciPy (DOP853), symbols for Saltus.
Each gets the largest tolerance with which its last state is right to 1e-6 of its size; the reference is Saltus at rtol 1e-12,
checked against SciPy at 1e-11. Times are CPU times, the best of several in turn; error bars of Saltus are off, as SciPy has none.
"""
import argparse
import functools
import json
import time

import numpy as np
import saltus
from scipy.integrate import solve_ivp

GOAL = 1e-6


def scipy_run(acceleration, gaps, rates, e, y0, t_end, rtol):
    """Restarts after every impact; returns (q, u) at the end and the number of impacts."""
    n = len(y0) // 2

    def rhs(t, y):
        return np.concatenate([y[n:], acceleration(t, y[:n], y[n:])])

    events = []
    for gap in gaps:
        def event(t, y, gap=gap):
            return gap(t, y[:n])
        event.terminal, event.direction = True, -1
        events.append(event)
    t, y, hits = 0.0, np.array(y0, float), 0
    while t < t_end:
        part = solve_ivp(rhs, (t, t_end), y, method="DOP853", events=events, rtol=rtol, atol=rtol * 1e-2)
        t, y = part.t[-1], part.y[:, -1].copy()
        if part.status != 1:
            break
        [k] = [k for k, found in enumerate(part.t_events) if len(found)][:1]
        y[n:] = rates[k](t, y[:n], y[n:], e)
        y[:n] += 1e-14 * y[n:]
        hits += 1
        if hits > 500:  # impacts accumulate
            break
    return y, hits


def newton(row, speed=lambda t: 0.0, inverse_mass=None):
    """The velocity after an impact with restitution e: the gap's rate is row(q) · u - speed(t)."""
    def after(t, q, u, e):
        w = np.asarray(row(q), float)
        m = np.eye(len(u)) if inverse_mass is None else inverse_mass(q)
        rate = w @ u - speed(t)
        return u - m @ w * (1 + e) * rate / (w @ m @ w)
    return after


def ball():
    m = saltus.Model(t_end=60)
    z = m.coordinate("z", start=1)
    m.mass(z, 1), m.potential(9.81 * z), m.contact("floor", gap=z, e=0.99)
    return m, dict(acceleration=lambda t, q, u: np.array([-9.81]), gaps=[lambda t, q: q[0]], rates=[newton(lambda q: [1])], e=0.99,
                   y0=[1, 0], t_end=60)


def oscillator():
    m = saltus.Model(t_end=400)
    x = m.coordinate("x", start=0.5)
    m.mass(x, 1), m.force(x, -4 * x - 0.1 * x.rate + 2 * np.cos(1.7 * m.t)), m.contact("stop", gap=1 - x, e=0.8)
    return m, dict(acceleration=lambda t, q, u: -4 * q - 0.1 * u + 2 * np.cos(1.7 * t), gaps=[lambda t, q: 1 - q[0]],
                   rates=[newton(lambda q: [-1])], e=0.8, y0=[0.5, 0], t_end=400)


def table():
    a, g, e = 0.3, 9.81, 0.5
    p = np.arccos(g / 2 * (1 - e) / (1 + e) / (2 * np.pi * a))  # near one impact a period
    m = saltus.Model(t_end=150)
    z = m.coordinate("z", start=a * np.sin(p), velocity=1.02 * g / 2)
    m.mass(z, 1), m.potential(g * z), m.contact("table", gap=z - a * np.sin(2 * np.pi * m.t + p), e=e)
    return m, dict(acceleration=lambda t, q, u: np.array([-g]), gaps=[lambda t, q: q[0] - a * np.sin(2 * np.pi * t + p)],
                   rates=[newton(lambda q: [1], lambda t: 2 * np.pi * a * np.cos(2 * np.pi * t + p))], e=e,
                   y0=[a * np.sin(p), 1.02 * g / 2], t_end=150)


def pendulum():
    m = saltus.Model(t_end=60)
    a = m.coordinate("a", start=-1)
    m.mass(a, 1), m.potential(-9.81 * np.cos(a)), m.contact("wall", gap=0.2 - np.sin(a), e=0.99)
    return m, dict(acceleration=lambda t, q, u: -9.81 * np.sin(q), gaps=[lambda t, q: 0.2 - np.sin(q[0])],
                   rates=[newton(lambda q: [-np.cos(q[0])])], e=0.99, y0=[-1, 0], t_end=60)


def billiard():
    m = saltus.Model(t_end=120)
    x, y = m.coordinate("x", start=0.2, velocity=1.3), m.coordinate("y", start=-0.3, velocity=0.7)
    for one in (x, y):
        m.mass(one, 1)
    m.potential(0.5 * (x**2 + y**2))
    m.contact("ring", gap=0.8 - np.hypot(x, y), e=1)
    return m, dict(acceleration=lambda t, q, u: -q, gaps=[lambda t, q: 0.8 - np.hypot(*q)],
                   rates=[newton(lambda q: -q / np.hypot(*q))], e=1, y0=[0.2, -0.3, 1.3, 0.7], t_end=120)


def carts():
    k = 30.0
    m = saltus.Model(t_end=60)
    x = [m.coordinate(f"x{i}", start=s, velocity=v) for i, (s, v) in enumerate(((0.1, 0), (0.5, -1), (1.1, 0.4)))]
    for one in x:
        m.mass(one, 1)
    rest = (0.2, 0.7, 1.2)
    m.potential(sum(0.5 * k * (one - r)**2 for one, r in zip(x, rest)))
    for i, one in enumerate(x):
        m.force(one, -0.3 * one.rate + (6 * np.cos(4 * m.t) if i == 1 else 0))
    for i in range(2):
        m.contact(f"c{i}", gap=x[i + 1] - x[i] - 0.3, e=0.85)
    rows = [lambda q: [-1, 1, 0], lambda q: [0, -1, 1]]
    return m, dict(acceleration=lambda t, q, u: -k * (q - rest) - 0.3 * u + 6 * np.cos(4 * t) * np.array([0, 1, 0]), gaps=[lambda t, q: q[1] - q[0] - 0.3, lambda t, q: q[2] - q[1] - 0.3],
                   rates=[newton(r) for r in rows], e=0.85, y0=[0.1, 0.5, 1.1, 0, -1, 0.4], t_end=60)


def timed(works, rounds=5, least=0.08):
    """CPU seconds of each, the best of several; in turn, so that other work of the machine meets both."""
    found = [np.inf] * len(works)
    for _ in range(rounds):
        for k, work in enumerate(works):
            begin = time.perf_counter()
            while True:
                start = time.process_time()
                work()
                found[k] = min(found[k], time.process_time() - start)
                if time.perf_counter() - begin > least:
                    break
    return found


def study(make):
    model, theirs = make()

    def mine(rtol):
        sol = model.run(rtol=rtol, no_estimate=True, progress=False, check=True)
        return np.concatenate([sol.q[-1], sol.u[-1]])

    exact = mine(1e-12)
    size = np.abs(exact).max()
    again, hits = scipy_run(**theirs, rtol=1e-11)
    agree = np.abs(again - exact).max() / size
    row = {"problem": make.__name__, "impacts": hits, "programs_agree_to": agree}
    chosen = []
    for name, run in (("saltus", mine), ("scipy", lambda rtol: scipy_run(**theirs, rtol=rtol)[0])):
        for rtol in 10.0 ** -np.arange(3, 12.5, 0.25):
            error = np.abs(run(rtol) - exact).max() / size
            if error <= GOAL:
                row[name] = {"rtol": rtol, "error": error}
                chosen.append(functools.partial(run, rtol))
                break
        else:
            raise SystemExit(f"{make.__name__}: {name} does not reach {GOAL}")
    for name, seconds in zip(("saltus", "scipy"), timed(chosen)):
        row[name]["seconds"] = seconds
    row["ratio"] = row["scipy"]["seconds"] / row["saltus"]["seconds"]
    return row


PROBLEMS = [ball, oscillator, table, pendulum, billiard, carts]

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows = [study(p) for p in PROBLEMS]
    if given.json:
        print(json.dumps(rows, indent=2))
    else:
        print(f"{'problem':12} {'impacts':>7} {'agree to':>9} {'saltus':>10} {'error':>8} {'scipy':>10} {'error':>8} {'ratio':>7}")
        for r in rows:
            print(f"{r['problem']:12} {r['impacts']:7d} {r['programs_agree_to']:9.1e} {1e3 * r['saltus']['seconds']:7.3f} ms "
                  f"{r['saltus']['error']:8.1e} {1e3 * r['scipy']['seconds']:7.1f} ms {r['scipy']['error']:8.1e} {r['ratio']:7.0f}")
