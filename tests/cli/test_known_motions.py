#!/usr/bin/env python3
"""Runs by tolerance beside motions that are known by other means: closed forms, and SciPy at 2e-14. Digits and error bars."""
import json
import os
import unittest

from program import Scenes

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "tolerance", "other_values.json")
GOOD = 1e-12  # of the size: what the values are known to

with open(DATA, encoding="utf-8") as f:
    CASES = json.load(f)["cases"]


class KnownMotions(Scenes):
    """A table that shakes, stops, a belt, pendulums, a billiard, drag, a plastic ride, ties, a joint, an accumulation, micrometres."""

    def test_digits_and_bars(self):
        for case in CASES:
            for rtol in (1e-6, 1e-8, 1e-10):
                out = self.run_json(case["scene"], "--rtol", repr(rtol))
                what, estimate = (case["name"], rtol), out["error_estimate"]
                self.assertEqual(out["warnings"], [], what)
                for key in ("q", "u"):
                    for x, y, size, bar in zip(out[key], case[key], estimate["sizes"][key], estimate[key + "_final"]):
                        off = max(0, abs(x - y) - GOOD * size)
                        self.assertLess(off, 10 * rtol * size, what)
                        self.assertLessEqual(off, 3 * bar, what)
                kinds = {kind for _, kind in case["events"]}
                times = [e["t"] for e in out["events"] if e["kind"] in kinds]
                if not case["accumulation"]:
                    self.assertEqual(len(times), len(case["events"]), what)
                for t, (exact, _) in zip(times, case["events"]):
                    self.assertLess(abs(t - exact), 10 * rtol * case["t"], what)
                    self.assertLessEqual(abs(t - exact), 3 * estimate["event_times"] + GOOD * case["t"], what)
                if case["accumulation"]:
                    self.assertEqual(len(out["accumulations"]), 1, what)
                    for a in out["accumulations"]:
                        self.assertLess(abs(a["t"] - case["accumulation"]), a["bound"], what)


class OwnScales(Scenes):
    """Errors of a coordinate count relative to its own size, whatever else is in the scene."""

    @staticmethod
    def text(length, mass, ball):
        z = ("z: {start: 1}, ", "z: 1, ", "z: -9.81, ", "floor: {gap: z, law: {name: unilateral, e: 0.8}}, ") if ball else ("",) * 4
        return f"""saltus: 1
coordinates: {{{z[0]}x: {{start: {length!r}}}, w: {{start: {0.3 * length!r}}}}}
mass: {{{z[1]}x: {mass!r}, w: {mass!r}}}
forces: {{{z[2]}x: {mass!r}*(-100*x - 0.5*x' + {30 * length!r}*sin(7*t)), w: {-mass * 9.81 * length!r}}}
contacts: {{{z[3]}stop: {{gap: x + {0.5 * length!r}, law: {{name: unilateral, e: 0.7}}}}, wall: {{gap: w, law: {{name: unilateral, e: 0.8}}}}}}
run: {{t_end: 3}}
"""

    def test_micrometres_beside_metres(self):
        for length, mass in ((1e-3, 1e-9), (1e-6, 1.0), (1e-6, 1e-9), (1e-6, 1e9), (1e6, 1e-9)):
            alone = self.run_json(self.text(length, mass, False), "--rtol", "1e-13", "--no-estimate")
            for rtol in (1e-4, 1e-6, 1e-10):
                out = self.run_json(self.text(length, mass, True), "--rtol", repr(rtol))
                self.assertEqual(out["warnings"], [], (length, mass, rtol))
                for key in ("q", "u"):
                    sizes, bars = out["error_estimate"]["sizes"][key][1:], out["error_estimate"][key + "_final"][1:]
                    for x, y, size, bar in zip(out[key][1:], alone[key], sizes, bars):
                        self.assertLess(abs(x - y), 5 * rtol * size, (length, mass, rtol))
                        self.assertLess(abs(x - y), 3 * bar, (length, mass, rtol))


if __name__ == "__main__":
    unittest.main()
