#!/usr/bin/env python3
"""Stepping switching: contacts that last on surfaces which move or are curved cost no more than a table at rest, and nothing
switches that does not switch in the motion."""
import json
import os
import unittest

from program import InFolder, saltus

SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "scenes")
SWITCHING = ("--scheme", "moreau-midpoint", "--stepping", "switching")
RUN = "run: {t_end: 1, scheme: moreau-midpoint, stepping: {name: switching, h_min: 1e-6, h_max: 1e-2, atol: 1e-6}}\n"


def run(scene, *args):
    out = json.loads(saltus("run", scene, "--no-error", "--json", *args).stdout)
    assert out["status"] == "finished", out["message"]
    return out


def switches(out):
    """Changes of mode: contact, from, to, at which time."""
    return [(e["contact"], e["from"], e["to"], e["t"]) for e in out["events"] if e["from"] != e["to"]]


class Tries(InFolder):
    def table(self, count, t_end):
        """A ball that bounces on a table at rest and is open again after each impact: so many switching points, evenly."""
        scene = self.scene("parameters: {n: 1, T: 1, g: 9.81}\ncoordinates: {z: {start: g*(T/n)^2/2}}\nmass: {z: 1}\npotential: g*z\n"
                           "contacts: {table: {gap: z, law: {name: unilateral, e: 1}}}\n" + RUN, "table.yaml")
        # it falls for T/n and touches every 2 T/n
        out = run(scene, "-p", f"n={count}", "-p", f"T={t_end}", "--t-end", str(t_end))
        self.assertEqual(out["stats"]["switches"], count)
        return out["stats"]["calculated"]

    def test_geneva(self):
        """Twelve changes of mode a turn. Each is one of an accurate run, which tells an impact that is over at once as one event, and
        none of that run is left out."""
        scene = os.path.join(SCENES, "geneva.yaml")
        out = run(scene, *SWITCHING)
        found, exact = switches(out), switches(run(scene))
        self.assertEqual(len(found), 60)
        for some, others in ((found, exact), (exact, found)):
            for contact, was, now, t in some:
                off = min(abs(t - x[3]) for x in others if x[0] == contact)
                self.assertLess(off, 1e-5, (contact, was, now, t))
        self.assertLess(out["stats"]["calculated"], 2 * self.table(60, 5))

    def test_slider_crank(self):
        scene = os.path.join(SCENES, "slider-crank.yaml")
        out = run(scene, *SWITCHING)
        found, exact = switches(out), switches(run(scene))
        self.assertLess(out["stats"]["calculated"], 2 * self.table(out["stats"]["switches"], 0.05))
        # up to the first impacts that accumulate, between their end and the lower guide, and up to the next accumulation
        for begin, end, most in ((0, 2.7e-3, 2e-6), (7.5e-3, 30.1e-3, 5e-6)):
            mine = sorted((c, t) for c, was, now, t in found if begin <= t < end and was == "open")
            true = sorted((c, t) for c, was, now, t in exact if begin <= t < end and was == "open")
            self.assertGreaterEqual(len(true), 4)
            self.assertEqual([c for c, _ in mine], [c for c, _ in true])
            for (_, a), (_, b) in zip(mine, true):
                self.assertAlmostEqual(a, b, delta=most)
        # where it lies on the guide between them nothing switches but the lift-off
        quiet = [(c, was, now) for c, was, now, t in found if 7.2e-3 < t < 25.8e-3]
        self.assertEqual(sorted(quiet), [("upper_left", "slip_back", "open"), ("upper_right", "slip_back", "open")])

    def test_a_table_that_rises_and_a_loop(self):
        table = "coordinates: {z: {start: 0}}\nmass: {z: 1}\nforces: {z: %s}\ncontacts: {table: {gap: z - %s, law: {name: unilateral, e: 0}}}\n"
        rest = run(self.scene(table % (-2, 0) + RUN, "rest.yaml"), "--t-end", "0.2")["stats"]
        for pull in (4.9, 5.1, 8, 9.9):
            rising = run(self.scene(table % (pull, "5*t^2") + RUN), "--t-end", "0.2")["stats"]
            self.assertLessEqual(rising["calculated"], 2 * rest["calculated"])
            self.assertEqual(rising["switches"], 0)
        loop = run(self.scene("parameters: {g: 9.81}\ncoordinates: {x: {start: 0, velocity: sqrt(5.5*g)}, y: {start: -1}}\nmass: {x: 1, y: 1}\n"
                              "forces: {y: -g}\ncontacts: {loop: {gap: \"1 - hypot(x,y)\", law: {name: unilateral, e: 0}}}\n" + RUN, "loop.yaml"),
                   "--t-end", "1.2")["stats"]
        rest = run(self.scene(table % (-2, 0) + RUN, "rest.yaml"), "--t-end", "1.2")["stats"]
        self.assertLessEqual(loop["calculated"], 2 * rest["calculated"])
        self.assertEqual(loop["switches"], 0)


if __name__ == "__main__":
    unittest.main()
