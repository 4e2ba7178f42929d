#!/usr/bin/env python3
"""The problems of bench/impacts/*.yaml by SciPy's DOP853 with events, as its manual shows: terminal events at the gaps, Newton's
law, a new call. Arguments key=value as of the other peers: problem=ball rtol=1e-8 samples=5 reps=3. Nothing here comes from Saltus."""
import json
import sys
import time
from math import cos, sin, sqrt

from scipy.integrate import solve_ivp

G = 9.81


def ball(t, q, v):
    return [-G]


def driven(t, q, v):
    return [5 * sin(6 * t) - 0.2 * v[0] - 10 * q[0]]


def duffing(t, q, v):
    return [q[0] - q[0]**3 - 0.12 * v[0] + 0.9 * cos(1.2 * t)]


def room(t, q, v):
    return [-G - 0.05 / 0.7 * v[0] * sqrt(1 + v[0]**2), -G - 0.05 / 0.4 * v[1] * sqrt(1 + v[1]**2)]


def column(t, q, v):
    return [-G, -G, -G]


def pendulum(t, q, v):
    return [-G / 1.3 * sin(q[0]) - 0.01 * v[0]]


def double_pendulum_mass(q):
    c = 0.6 * 0.9 * 0.7 * cos(q[0] - q[1])
    return 1.6 * 0.9**2, c, 0.6 * 0.7**2


def double_pendulum(t, q, v):
    m11, m12, m22 = double_pendulum_mass(q)
    s = 0.6 * 0.9 * 0.7 * sin(q[0] - q[1])
    h0 = -s * v[1]**2 - 1.6 * G * 0.9 * sin(q[0]) - 0.02 * v[0] - 0.02 * (v[0] - v[1])
    h1 = s * v[0]**2 - 0.6 * G * 0.7 * sin(q[1]) - 0.02 * (v[1] - v[0])
    det = m11 * m22 - m12**2
    return [(m22 * h0 - m12 * h1) / det, (m11 * h1 - m12 * h0) / det]


def damper(t, q, v):
    return [2 * cos(5.2 * t) - 25 * q[0] - 0.1 * v[0], 0.0]


def box(t, q, v):
    s = 0.03 * sqrt(v[0]**2 + v[1]**2)
    return [-s * v[0] - 0.4 * v[1], -G - s * v[1] + 0.4 * v[0]]


def three_stops(t, q, v):
    k, s, c = 4, 3, 0.15
    return [-k * q[0] - s * (q[0] - q[1]) - c * v[0] + 3 * cos(2.3 * t),
            (-k * q[1] - s * (q[1] - q[0]) - s * (q[1] - q[2]) - c * v[1]) / 0.8,
            (-k * q[2] - s * (q[2] - q[1]) - c * v[2]) / 1.2]


# acceleration, end, q0, v0, mass (diagonal, or a function of q for two coordinates), gaps (a, b, e)
PROBLEMS = {
    "ball": (ball, 4.2, [1.0], [0.0], [1.0], [([1], 0, 0.85)]),
    "driven": (driven, 60, [1.0], [0.0], [1.0], [([1], 0, 0.8)]),
    "duffing": (duffing, 20, [0.3], [0.2], [1.0], [([1], 1.35, 0.75), ([-1], 1.25, 0.75)]),
    "room": (room, 1.5, [0.3, 0.7], [6.0, -1.0], [0.7, 0.4], [([1, 0], -0.1, 0.9), ([-1, 1], -0.18, 0.8), ([0, -1], 1.12, 0.95)]),
    "column": (column, 1.2, [0.25, 0.31, 0.42], [0.0, 0.0, 0.0], [1, 0.6, 0.25],
               [([1, 0, 0], 0, 0.9), ([-1, 1, 0], 0, 0.85), ([0, -1, 1], 0, 0.95)]),
    "pendulum": (pendulum, 20, [1.0], [0.0], [1.0], [([1], 0.2, 0.9)]),
    "double-pendulum": (double_pendulum, 5, [0.1, -0.4], [2.0, 3.0], double_pendulum_mass, [([1, 0], 0.2, 0.7), ([1, -1], 0.5, 0.7)]),
    "damper": (damper, 3.5, [0.1, 0.1], [0.0, 0.3], [1, 0.15], [([-1, 1], 0.12, 0.75), ([1, -1], 0.12, 0.75)]),
    "box": (box, 5, [0.3, 0.5], [3.0, 1.0], [1, 1], [([1, 0], 0, 0.95), ([-1, 0], 1.5, 0.95), ([0, 1], 0, 0.95), ([0, -1], 1, 0.95)]),
    "three-stops": (three_stops, 20, [0.1, -0.1, 0.2], [0.0, 0.0, 0.0], [1, 0.8, 1.2],
                    [([-1, 0, 0], 0.5, 0.8), ([0, -1, 0], 0.5, 0.8), ([0, 0, -1], 0.5, 0.8)]),
    "zeno": (ball, 3, [1.0], [0.0], [1.0], [([1], 0, 0.5)]),
}


def impact(gap, mass, q, v):
    a, _, e = gap
    if callable(mass):
        m11, m12, m22 = mass(q)
        det = m11 * m22 - m12**2
        d = [(m22 * a[0] - m12 * a[1]) / det, (m11 * a[1] - m12 * a[0]) / det]
    else:
        d = [x / m for x, m in zip(a, mass)]
    speed = sum(x * y for x, y in zip(a, v))
    weight = sum(x * y for x, y in zip(a, d))
    return [x - (1 + e) * speed / weight * y for x, y in zip(v, d)]


def run(name, rtol, parts, most_impacts):
    acceleration, end, q, v, mass, gaps = PROBLEMS[name]
    n = len(q)

    def slope(t, y):
        return [*y[n:], *acceleration(t, y[:n], y[n:])]

    events = []
    for a, b, _ in gaps:
        def event(t, y, a=a, b=b):
            return b + sum(x * z for x, z in zip(a, y))
        event.terminal, event.direction = True, -1
        events.append(event)
    t, y, impacts, evaluations, samples = 0.0, [*q, *v], 0, 0, []
    for k in range(1, parts + 1):
        stop = end * k / parts
        while t < stop:
            s = solve_ivp(slope, (t, stop), y, method="DOP853", rtol=rtol, atol=rtol, events=events)
            evaluations += s.nfev
            t, y = s.t[-1], list(s.y[:, -1])
            if s.status == 1:
                for gap, times in zip(gaps, s.t_events):
                    if len(times):
                        y[n:] = impact(gap, mass, y[:n], y[n:])
                impacts += 1
            if s.status < 0 or impacts > most_impacts:
                return "failed" if s.status < 0 else "no end", t, impacts, evaluations, samples
        samples += [float(x) for x in y]
    return "finished", t, impacts, evaluations, samples


def main():
    o = dict(x.split("=", 1) for x in sys.argv[1:])
    name, rtol, most = o.get("problem", "ball"), float(o.get("rtol", 1e-8)), int(o.get("roots", 20000))
    rtol = max(rtol, 1e-13)
    status, t, impacts, evaluations, samples = run(name, rtol, int(o.get("samples", 5)), most)
    out = {"problem": name, "peer": "scipy", "method": "dop853", "rtol": rtol, "status": status, "t": t, "impacts": impacts,
           "evaluations": evaluations, "samples": samples}
    if status == "finished":
        best = float("inf")
        for _ in range(int(o.get("reps", 3))):
            begin = time.process_time()
            run(name, rtol, 1, most)
            best = min(best, time.process_time() - begin)
        out["seconds"] = best
    print("@@" + json.dumps(out))


if __name__ == "__main__":
    main()
