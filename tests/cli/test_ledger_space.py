#!/usr/bin/env python3
"""The momentum in the ledger of bodies in space: in x, y, z, and angular about the three axes through the origin."""
import json
import math
import os
import subprocess
import unittest

from program import InFolder, python_with_h5py, saltus

SPACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "space")
METHODS = {
    "moreau-jean": "fixed", "moreau-midpoint": "fixed", "moreau-projected": "fixed", "generalized-alpha": "fixed",
    "symplectic-euler": "fixed", "runge-kutta:tableau=gauss-4": "event-capturing",
}
PARTS = ("start", "end", "loads", "contacts")


def momentum(scene, scheme, stepping, h, *args):
    p = saltus("run", scene, "--scheme", scheme, "--stepping", f"{stepping}:h={h}", "--no-error", "--json",
               "--trust", "energy=10,penetration=10,drift=10,motion=10", *args)
    out = json.loads(p.stdout)
    assert out["status"] == "finished", out["message"]
    return out["ledger"]["momentum"]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def size_of(p, arm=1.0):
    """Of all terms: the linear ones, at an arm, are a part of the angular ones."""
    linear = max(abs(x) for k in PARTS for x in p[k][:3])
    return max(arm * linear, *(abs(x) for k in PARTS for x in p[k][3:]))


class ClosedForms(InFolder):
    def close(self, found, expected, delta):
        for a, b in zip(found, expected, strict=True):
            self.assertAlmostEqual(a, b, delta=delta, msg=(found, expected))

    def test_a_body_alone(self):
        """Of unlike moments of inertia, turned by a right angle about z: R J ω = (−J₂ ω₂, J₁ ω₁, J₃ ω₃). What turns it in its
        own frame is no load."""
        scene = self.scene("space:\n  gravity: [0, 0, 0]\n  bodies:\n"
                           "    b: {mass: 2, inertia: [0.1, 0.3, 0.25], position: [1, -2, 0.5], velocity: [0.3, 1, -2],\n"
                           "        axis_angle: [0, 0, 1, pi/2], spin_body: [3, -1, 2]}\nrun: {t_end: 3}\n")
        linear = [0.6, 2, -4]
        start = linear + [a + b for a, b in zip(cross([1, -2, 0.5], linear), [0.3, 0.3, 0.5])]
        for scheme, stepping in METHODS.items():
            with self.subTest(scheme):
                p = momentum(scene, scheme, stepping, 1e-2)
                self.close(p["start"], start, 1e-14)
                self.close(p["loads"] + p["contacts"], [0] * 12, 1e-12)
                self.close(p["remainder"], [a - b for a, b in zip(p["end"], p["start"])], 1e-12)
                self.close(p["end"][:3], start[:3], 1e-12)
        self.close(momentum(scene, "moreau-jean", "fixed", 0.1)["remainder"], [0] * 6, 1e-12)  # it keeps it exactly
        ends = [momentum(scene, "runge-kutta:tableau=gauss-4", "event-capturing", h) for h in (4e-2, 2e-2)]
        self.assertGreater(max(map(abs, ends[0]["remainder"])), 12 * max(map(abs, ends[1]["remainder"])))  # order 4

    def test_weight_and_loads(self):
        """m a = (0.5, 0, −20) from (1, −2, 0.5) and a torque of 0.3 about z, for 2 s. The moment about the origin is
        (40, z/2 + 20 x, 1.3), with z/2 + 20 x = 20.25 always. A formula that has this value is a load as well."""
        expected = [1, 0, -40, 80, 40.5, 2.6]
        for force in ("0.5", "0.5*(b.qw^2 + b.qx^2 + b.qy^2 + b.qz^2)"):
            scene = self.scene("space:\n  gravity: [0, 0, -10]\n  bodies:\n    b: {mass: 2, inertia: 0.1, position: [1, -2, 0.5],"
                               f" torque: [0, 0, 0.3], force: [{force}, 0, 0]}}\nrun: {{t_end: 2}}\n")
            for scheme, stepping in METHODS.items():
                with self.subTest(scheme, force=force):
                    p = momentum(scene, scheme, stepping, 1e-2)
                    self.close(p["loads"], expected, 1e-10)
                    self.close(p["end"], expected, 1e-10)
                    self.close(p["remainder"], [0] * 6, 1e-10)

    def test_spheres_that_collide_off_centre_with_friction(self):
        """What acts between bodies is none of the ground, at any step. Moreau-Jean's steps that are iterated keep the momentum to
        rounding, of bodies with unlike moments of inertia; others to the second order of the step."""
        scene = self.scene("parameters: {J: 0.2}\nmaterials: {default: {mu: 0.3, e_n: 0.7}}\nspace:\n  gravity: [0, 0, 0]\n  bodies:\n"
                           "    a: {shape: sphere, radius: 0.5, mass: 2, inertia: [0.2, 0.2, J], position: [0, 0, 0], velocity: [3, 0, 0],"
                           " spin: [1, 2, 3]}\n    b: {shape: sphere, radius: 0.4, mass: 1, position: [2, 0.3, 0.2]}\nrun: {t_end: 2}\n")
        for scheme, stepping in METHODS.items():
            with self.subTest(scheme):
                p = momentum(scene, scheme, stepping, 1e-2)
                self.close(p["start"], [6, 0, 0, 0.2, 0.4, 0.6], 1e-14)
                self.close(p["contacts"], [0] * 6, 1e-12)
                self.close(p["end"][:3], [6, 0, 0], 1e-12)
        self.close(momentum(scene, "moreau-jean", "fixed", 1e-2, "-p", "J=0.22")["remainder"], [0] * 6, 1e-12)
        equal = [max(map(abs, momentum(scene, "moreau-jean", "fixed", h)["remainder"])) for h in (2e-2, 1e-2, 5e-3)]
        self.assertGreater(equal[0] / equal[-1], 12, equal)
        self.assertLess(equal[0], 1e-4)

    def test_a_chain_that_hangs(self):
        """From the origin: the ground gives no moment about it. What is left falls with the order of the scheme."""
        links = "".join(f"    l{k}: {{mass: 1, inertia: [0.01, 0.01, 0.002], position: [{k + 0.5}, 0, 0], axis_angle: [0, 1, 0, pi/2]}}\n"
                        for k in range(4))
        joints = "".join(f"    j{k}: {{type: ball, a: l{k}{f', b: l{k - 1}' if k else ''}, at: [{k}, 0, 0]}}\n" for k in range(4))
        scene = self.scene(f"space:\n  gravity: [0, 3, -9]\n  bodies:\n{links}  joints:\n{joints}run: {{t_end: 0.5}}\n")
        for scheme, order in (("moreau-jean", 2), ("moreau-projected", 1), ("generalized-alpha", 2), ("runge-kutta:tableau=gauss-4", 4)):
            with self.subTest(scheme):
                found, moments = [], []
                for h in (8e-3, 4e-3, 2e-3):
                    p = momentum(scene, scheme, METHODS[scheme], h)
                    found.append(max(map(abs, p["remainder"])) / size_of(p))
                    moments.append(max(map(abs, p["contacts"][3:])))  # of joints that drift: an arm as long as the drift
                self.assertTrue(moments[-1] < 1e-8 or moments[-1] < 0.6 * moments[0], moments)
                self.assertLess(moments[-1], 0.01)
                if found[-1] > 1e-11:
                    self.assertGreater(math.log2(found[0] / found[-1]) / 2, order - 0.3, found)
                self.assertLess(found[-1], {1: 1e-3, 2: 1e-5, 4: 1e-8}[order])

    def test_a_top(self):
        """On a ball joint at the origin: weight and ground leave the angular momentum about the vertical as it is."""
        top = os.path.join(SPACE, "..", "scenes", "heavy-top.yaml")
        tilt, rate = 0.6, 40
        for scheme, order, bound in (("generalized-alpha", 2, 1e-4), ("runge-kutta:tableau=gauss-4", 4, 1e-7)):
            with self.subTest(scheme):
                p, finer = (momentum(top, scheme, METHODS[scheme], h, "--t-end", "1") for h in (2e-3, 1e-3))
                self.close(p["start"], [0, 0, 0, 0, -0.03 * rate * math.sin(tilt), 0.03 * rate * math.cos(tilt)], 1e-14)
                self.close([p["loads"][5], p["end"][5] - p["start"][5]], [0, 0], bound)
                self.close(p["contacts"][3:], [0] * 3, bound)
                left = [max(map(abs, x["remainder"])) for x in (p, finer)]
                self.assertGreater(math.log2(left[0] / left[1]), order - 0.3, left)
                self.assertLess(left[1], 10 * bound)


class Examples(unittest.TestCase):
    """The remainder tends to zero with the step."""

    # Shorter than the scenes are, and with steps that resolve their fastest motion.
    STEPS = {"eulers-disk.yaml": 2e-4, "rattleback.yaml": 1e-3}

    def remainders(self, name, scheme, steps):
        scene, out = os.path.join(SPACE, name), []
        for h in steps:
            p = momentum(scene, scheme, METHODS[scheme], h, "--t-end", "0.3")
            out.append(max(map(abs, p["remainder"])) / size_of(p, 0.1))
        return out

    def test_of_second_order(self):
        """Moreau-Jean's balance is exact in the middle of a step; what is left is the rule for loads and for walls that move."""
        for name in sorted(os.listdir(SPACE)):
            with self.subTest(name):
                h = self.STEPS.get(name, 2e-3)
                found = self.remainders(name, "moreau-jean", (h, h / 2, h / 4))
                self.assertTrue(found[-1] < 1e-11 or math.log2(found[0] / found[-1]) / 2 > 1.5, found)
                self.assertLess(found[-1], 1e-4)

    def test_of_fourth_order(self):
        for name in ("coin-circle.yaml", "crank-in-space.yaml", "parallel-linkage.yaml", "tippe-top.yaml", "turntable-ball.yaml",
                     "sliding-ball.yaml", "shaken-brick.yaml", "spin-bounce.yaml"):
            with self.subTest(name):
                found = self.remainders(name, "runge-kutta:tableau=gauss-4", (4e-3, 2e-3, 1e-3))
                self.assertTrue(found[-1] < 1e-11 or math.log2(found[0] / found[-1]) / 2 > 3.3, found)
                self.assertLess(found[-1], 1e-5)

    def test_of_other_schemes(self):
        for scheme in ("moreau-midpoint", "moreau-projected", "generalized-alpha", "symplectic-euler"):
            for name in ("coin-circle.yaml", "crank-in-space.yaml", "parallel-linkage.yaml", "tippe-top.yaml", "string-cradle.yaml"):
                with self.subTest(scheme=scheme, name=name):
                    found = self.remainders(name, scheme, (2e-3, 1e-3, 5e-4))
                    self.assertTrue(found[-1] < 1e-11 or math.log2(found[0] / found[-1]) / 2 > 0.8, found)
                    self.assertLess(found[-1], 1e-2)


class Output(InFolder):
    def test_report_and_file(self):
        scene = os.path.join(SPACE, "sliding-ball.yaml")
        text = saltus("run", scene, "--t-end", "0.1", "--no-error", "-o", self.path("ball.h5")).stdout
        self.assertRegex(text, r"momentum  \([^,;]+, [^,;]+, [^,;]+; [^,;]+, [^,;]+, [^,;]+\) -> ")
        p = momentum(scene, "moreau-jean", "fixed", 1e-3, "--t-end", "0.1", "-o", self.path("again.h5"))
        code = ("import h5py, json, sys; a = h5py.File(sys.argv[1]).attrs; print(json.dumps({k: [a[f'ledger_momentum_{k}_{c}'] for c in "
                "('x', 'y', 'z', 'ax', 'ay', 'az')] for k in ('start', 'end', 'loads', 'contacts', 'remainder')}))")
        stored = subprocess.run([python_with_h5py(), "-c", code, self.path("again.h5")], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(stored.stdout), p)


if __name__ == "__main__":
    unittest.main()
