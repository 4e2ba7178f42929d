#!/usr/bin/env python3
"""The ledger of a run: what it says of the energy, and that a run which cannot be trusted says so."""
import json
import math
import os
import re
import unittest

from program import SALTUS, InFolder, saltus  # noqa: F401  (takes the path of the program from the arguments)

SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "scenes")


def run(*args):
    p = saltus("run", *args, "--no-error", "--json")
    return json.loads(p.stdout), p.returncode


def ledger(*args):
    out, code = run(*args)
    assert out["status"] == "finished", out["message"]
    return out["ledger"]


class Balance(InFolder):
    """Closed forms: what is booked is what happened."""

    def test_it_adds_up(self):
        for problem in ("bouncing-ball", "woodpecker", "impact-oscillator", "newtons-cradle"):
            out, _ = run(problem)
            x = out["ledger"]
            booked = x["energy_start"] + x["work"] - x["damping"] - x["friction"] - x["impacts"] + x["remainder"]
            self.assertAlmostEqual(booked, x["energy_end"], delta=1e-12 * max(1, abs(x["energy_end"]), x["scale"]))

    def test_sliding_friction(self):
        """A block of 2 kg slows down from 3 m/s by friction alone."""
        x = ledger(self.scene("bodies: {b: {shape: box, size: [1, 1], mass: 2, position: [0, 0.5], velocity: [3, 0]}}\n"
                              "walls: {floor: {point: [0, 0], normal: [0, 1]}}\nmaterials: {default: {mu: 0.3}}\n"
                              "gravity: [0, -10]\nrun: {t_end: 2, h: 0.001}\n"))
        self.assertAlmostEqual(x["friction"], 9, places=9)
        self.assertAlmostEqual(x["impacts"], 0, places=9)
        self.assertLess(abs(x["remainder"]), 1e-9)

    def test_an_inelastic_impact(self):
        x = ledger("bouncing-ball", "--h", "1e-3")
        self.assertAlmostEqual(x["energy_start"] - x["energy_end"], x["impacts"], delta=1e-9)

    def test_damping(self):
        """x'' + c x' + x = 0: what is lost is damping, and c x'^2 integrated."""
        out, code = run(self.scene("coordinates: {x: {start: 1}}\nmass: {x: 1}\npotential: x^2/2\nforces: {x: -0.4*x'}\n"
                                   "run: {t_end: 3, h: 0.01, scheme: gauss-2}\n"))
        self.assertEqual(code, 0, out["message"])
        x = out["ledger"]
        w = math.sqrt(1 - 0.04)
        def state(t):
            e = math.exp(-0.2 * t)
            q = e * (math.cos(w * t) + 0.2 / w * math.sin(w * t))
            return q, -e / w * math.sin(w * t)
        q, u = state(3)
        self.assertAlmostEqual(x["damping"], 0.5 - (q * q + u * u) / 2, places=7)
        self.assertEqual(x["work"], 0)

    def test_the_work_of_a_load(self):
        """A force cos(t) on a free mass: u = sin(t), the work is sin²/2."""
        x = ledger(self.scene("coordinates: {x: {}}\nmass: {x: 1}\nforces: {x: cos(t)}\nrun: {t_end: 1.5, h: 0.001}\n"))
        self.assertAlmostEqual(x["work"], math.sin(1.5) ** 2 / 2, places=5)
        self.assertEqual(x["damping"], 0)

    def test_a_drive(self):
        """A prescribed motion a t²/2 of a free mass: the drive brings in the kinetic energy."""
        x = ledger(self.scene("coordinates: {x: {}}\nmass: {x: 2}\nmotions: {x: 3*t^2/2}\n"
                              "run: {t_end: 1, h: 0.001, scheme: generalized-alpha}\n"))
        self.assertAlmostEqual(x["work"], 9, delta=0.05)
        self.assertLess(abs(x["remainder"]), 0.05)


    def test_damping_in_steps_with_an_impact(self):
        """Damping acts with the mean velocity of a step: the balance of the midpoint rule is exact, impacts or not."""
        x = ledger("impact-oscillator", "--h", "1e-2")
        self.assertGreater(x["damping"], 0.1)
        self.assertLess(abs(x["remainder"]), 1e-11 * x["scale"])

    def test_a_load_that_jumps_at_the_end_of_a_step(self):
        """Steps by tolerance end at the breakpoint; what is booked does not depend on which side is asked there."""
        x = ledger("sliding-mass")
        self.assertLess(abs(x["remainder"]), 1e-5 * x["scale"])

    def test_compositions_book_all_their_parts(self):
        x = ledger("sliding-block", "--scheme", "symplectic-euler:composition=strang", "--stepping", "event-location:h=1e-3")
        self.assertLess(abs(x["remainder"]), 1e-6 * x["scale"])
        self.assertGreater(x["friction"], 1)


class Momentum(InFolder):
    """In x, in y, and angular about the origin: closed forms."""

    def close(self, found, expected, delta=1e-9):
        for a, b in zip(found, expected, strict=True):
            self.assertAlmostEqual(a, b, delta=delta, msg=(found, expected))

    def test_bodies_alone_keep_theirs(self):
        p = ledger(self.scene("bodies:\n"
                              "  a: {shape: disk, radius: 0.5, mass: 2, position: [0, 0], velocity: [3, 0], spin: 1}\n"
                              "  b: {shape: box, size: [1, 1], mass: 1, position: [2, 0.3]}\n"
                              "materials: {default: {mu: 0.4, e_n: 0.5}}\ngravity: [0, 0]\nrun: {t_end: 2, h: 0.001}\n"))["momentum"]
        inertia = 2 * 0.5 ** 2 / 2
        self.close(p["start"], [6, 0, inertia])
        self.close(p["end"], p["start"], 1e-9)
        self.close(p["loads"], [0, 0, 0])
        self.close(p["contacts"], [0, 0, 0], 1e-9)
        self.close(p["remainder"], [0, 0, 0], 1e-9)

    def test_friction_and_the_floor(self):
        """A block of 2 kg slows down from 3 m/s by friction, 1 s long; its centre is 0.5 above the floor."""
        p = ledger(self.scene("bodies: {b: {shape: box, size: [1, 1], mass: 2, position: [0, 0.5], velocity: [3, 0]}}\n"
                              "walls: {floor: {point: [0, 0], normal: [0, 1]}}\nmaterials: {default: {mu: 0.3}}\n"
                              "gravity: [0, -10]\nrun: {t_end: 2, h: 0.001}\n"))["momentum"]
        self.close(p["start"], [6, 0, -3])
        self.close(p["end"], [0, 0, 0], 1e-8)
        self.close(p["contacts"][:2], [-6, 40], 1e-8)
        self.close(p["loads"][:2], [0, -40], 1e-9)
        self.close([p["loads"][2]], [-20 * (1.0 + 1.5)], 1e-3)  # -m g ∫ (3t - 3t²/2) dt to t = 1, then 1.5 m for 1 s
        self.close(p["remainder"], [0, 0, 0], 1e-6)

    def test_by_other_schemes(self):
        """Two boxes fall, touch and slide: the remainder is small by every scheme."""
        scene = self.scene("bodies:\n  a: {shape: box, size: [1, 0.5], mass: 2, position: [0, 0.25], velocity: [1, 0]}\n"
                           "  b: {shape: disk, radius: 0.2, mass: 1, position: [0.1, 0.9]}\n"
                           "walls: {floor: {point: [0, 0], normal: [0, 1]}}\nmaterials: {default: {mu: 0.3, e_n: 0.2}}\n"
                           "gravity: [0, -10]\nrun: {t_end: 1, h: 0.001}\n")
        for scheme, stepping in (("moreau-midpoint", "fixed"), ("moreau-projected", "fixed"), ("generalized-alpha", "fixed"),
                                 ("symplectic-euler", "fixed"), ("symplectic-euler:composition=strang", "event-location"),
                                 ("runge-kutta", "event-capturing"), ("moreau-jean", "adaptive")):
            with self.subTest(scheme):
                p = ledger(scene, "--scheme", scheme, "--stepping", stepping, "--h", "1e-3")["momentum"]
                size = abs(p["loads"][1])
                self.close(p["remainder"], [0, 0, 0], 2e-3 * size)

    def test_joints_and_contacts_that_stay_closed(self):
        """Methods of high order tell forces in the middle of steps: a rod on a hinge at the origin, about which it has no moment; a
        box whose contacts with a wall and a floor are redundant."""
        rod = self.scene("gravity: [0, -10]\nbodies: {rod: {shape: box, size: [1, 0.1], mass: 1, position: [0.5, 0]}}\n"
                         "links: {h: {type: revolute, a: rod, at: [0, 0]}}\nrun: {t_end: 1, h: 1e-3}\n")
        box = self.scene("gravity: [0, -10]\nmaterials: {default: {mu: 0.5}}\n"
                         "walls: {floor: {point: [0, 0], normal: [0, 1]}, wall: {point: [0.5, 0], normal: [-1, 0]}}\n"
                         "bodies: {b: {shape: box, size: [1, 0.4], mass: 1, position: [0, 0.2]}}\n"
                         "forces: {b.x: 20, b.y: 12*t}\nrun: {t_end: 2}\n", "box.yaml")
        for method in (("--rtol", "1e-8", "--no-estimate"), *(("--scheme", f"runge-kutta:tableau={t}", "--stepping",
                       "event-capturing:h=1e-2") for t in ("herk-5", "radau-iia-5"))):
            for scene in (rod, box):
                p = ledger(scene, *method)["momentum"]
                self.close(p["remainder"], [0, 0, 0], 5e-7)
                self.assertGreater(p["contacts"][1] if scene == rod else -p["contacts"][0], 9)
            self.close([ledger(rod, *method)["momentum"]["contacts"][2]], [0], 1e-7)

    def test_other_systems_have_none(self):
        self.assertIsNone(ledger("bouncing-ball")["momentum"])


class Orders(unittest.TestCase):
    """The remainder is the error of a scheme: it falls with its order."""

    # At the problem's own step and half of it. Impacts at the ends of steps move it by O(h) either way.
    def test_the_catalog(self):
        names = [p["name"] for p in json.loads(saltus("list", "--json").stdout)["problems"]]
        for name in names:
            with self.subTest(name):
                out, _ = run(name, "--scheme", "usual")
                self.assertEqual(out["status"], "finished", out["message"])
                # one step of the shaker does miss its tolerance
                self.assertEqual([w for w in out["warnings"] if "missed the tolerance" not in w and "tailored damping" not in w], [])
                x = out["ledger"]
                if x["energy_start"] is None:
                    continue
                self.assertIsNotNone(x["remainder"], "its system tells no power")
                self.assertLessEqual(abs(x["remainder"]), 0.02 * x["scale"])

    def order(self, *args, steps):
        rest = []
        for h in steps:
            x = ledger(*args, "--h", str(h))
            rest.append(abs(x["remainder"]) / x["scale"])
        return math.log(rest[0] / rest[-1]) / math.log(steps[0] / steps[-1]), rest

    def test_high_order(self):
        for tableau, expected in (("radau-iia-3", 3), ("radau-iia-5", 4)):  # 4: that of the quadrature of damping
            order, rest = self.order("impact-oscillator", "--scheme", "runge-kutta:tableau=" + tableau, "--stepping",
                                     "event-capturing", steps=(0.04, 0.02, 0.01))
            self.assertAlmostEqual(order, expected, delta=0.5, msg=rest)

    def test_order_one(self):
        order, rest = self.order("impact-oscillator", "--scheme", "moreau-jean:theta=1", steps=(4e-3, 2e-3, 1e-3))
        self.assertAlmostEqual(order, 1, delta=0.1, msg=rest)


class Nonsense(InFolder):
    """Runs that cannot be trusted end with a message."""

    def test_an_unstable_chain(self):
        unstable = ("newtons-cradle", "-p", "K=1", "-p", "gamma=2.05", "--h", "0.5", "--t-end", "8", "--scheme")
        p = saltus("run", *unstable, "kk-theta")
        self.assertEqual(p.returncode, 2, p.stdout)
        self.assertIn("m > 4, whatever the step; the largest is 4.2", p.stderr)
        out, code = run(*unstable, "kk-theta:lambda=0.2")  # 1 * 2.05 * (2.05 - 0.2) / 1 = 3.8
        self.assertEqual((out["status"], code), ("finished", 0), out["message"])

    def test_springs_that_stiffen(self):
        """Stable at the start, where the bound is checked: the ledger sees what comes later."""
        out, code = run(self.scene("coordinates: {x: {start: 0, velocity: 1}, y: {start: 3}}\nmass: {x: 1, y: 1}\npotential: 20*x^4\n"
                                   "contacts: {c: {gap: y - x, law: {name: kuwabara-kono, k: 1, gamma: 2}}}\n"
                                   "run: {t_end: 60, h: 0.5, scheme: kk-theta}\n"))
        self.assertEqual((out["status"], code), ("failed", 1), out["message"])
        self.assertIn("energy", out["message"])

    def test_a_ball_below_the_floor(self):
        out, code = run(self.scene("parameters: {m: 0.2 kg, g: 9.81 m/s^2, e: 0.8}\ncoordinates: {z: {start: 1 m}}\n"
                                   "mass: {z: m}\npotential: m*g*z\n"
                                   "contacts: {floor: {gap: z, law: {name: unilateral, e: e}}}\nrun: {t_end: 2 s, h: 1 ms}\n"), "--h", "2")
        self.assertEqual((out["status"], code), ("failed", 1))
        self.assertIn("deep", out["message"])

    FAST = ("bodies:\n  ball: {shape: disk, radius: 5 cm, mass: 1 kg, position: [0 m, 30 cm], velocity: [0 m/s, -15 m/s]}\n"
            "  plate: {shape: box, size: [1 m, 3 cm], fixed: true, position: [0 m, 0 m]}\n"
            "run: {t_end: 0.1 s, h: 1 ms, scheme: {name: moreau-jean, gamma: 0}}\n")

    def test_a_ball_inside_a_plate(self):
        out, code = run(self.scene(self.FAST))
        self.assertTrue(out["warnings"] or code == 1, out)
        text = " ".join(out["warnings"]) + out["message"]
        self.assertIn("thickness", text)

    BALL = ("parameters: {m: 0.2 kg, g: 9.81 m/s^2, e: 0.8}\ncoordinates: {z: {start: 1 m}}\nmass: {z: m}\npotential: m*g*z\n"
            "contacts: {floor: {gap: z, law: {name: unilateral, e: e}}}\n"
            "run: {t_end: 2 s, h: 1 ms, scheme: moreau-jean, stepping: fixed}\n")

    def test_a_depth_in_the_middle_of_a_run(self):
        """It is out again at the end, and the steps were too long all the same."""
        out, code = run(self.scene(self.BALL), "--h", "0.5")
        self.assertGreater(out["q"][0], 0)
        self.assertEqual(code, 0)
        self.assertAlmostEqual(out["ledger"]["penetration"], 0.4715, delta=1e-3)
        self.assertIn("is 0.471 deep", " ".join(out["warnings"]))
        bounces = self.FAST.replace("run: {t_end: 0.1 s", "materials: {default: {e_n: 0.9}}\nrun: {t_end: 0.2 s")
        out, code = run(self.scene(bounces))
        self.assertGreater(out["q"][1], 1)
        self.assertIn("of the thickness of its bodies", " ".join(out["warnings"]))

    def test_a_column_at_zero_has_a_length(self):
        """Coordinates are gaps, and stay at zero but for rounding: what weights could have done measures that."""
        out, code = run("ball-column", "--scheme", "generalized-alpha", "--stepping", "fixed:h=1e-3")
        self.assertEqual((out["status"], code), ("finished", 0), out["message"])
        self.assertLess(out["residuals"]["gap"], 1e-13)

    def test_the_depth_is_no_part_of_the_extent(self):
        """Falling 4.9 m below the floor from 1 m is no motion of 4.9 m in which it ends 100 % deep."""
        out, code = run(self.scene(self.BALL), "--h", "1")
        self.assertEqual((out["status"], code), ("failed", 1), out["message"])
        self.assertGreater(out["ledger"]["penetration"], 4)

    def test_a_tolerance_that_is_larger_than_the_motion(self):
        """The default of adaptive steps is 1e-5 m: a box of 10 um is followed nevertheless, and it is said."""
        scene = self.scene("materials: {default: {mu: 0.4, e_n: 0.5}}\ngravity: [0, -10 m/s^2]\n"
                           "walls: {floor: {point: [0 m, 0 m], normal: [0, 1]}}\nbodies:\n"
                           "  box: {shape: box, size: [20 um, 10 um], mass: 5e-13 kg, position: [0 m, 15 um], velocity: [0.01 m/s, 0 m/s],"
                           " angle: 0.1}\nrun: {t_end: 10 ms, h: 5 us}\n")
        q = run(scene, "--rtol", "1e-9", "--no-estimate")[0]["q"]
        out, code = run(scene, "--scheme", "moreau-jean", "--stepping", "adaptive")
        self.assertEqual((out["status"], code), ("finished", 0))
        self.assertIn("of the motion", " ".join(out["warnings"]))
        for x, y, size in zip(out["q"], q, (2e-5, 2e-5, 0.1)):
            self.assertLess(abs(x - y), 2e-3 * size)
        out, code = run(scene, "--scheme", "moreau-jean", "--stepping", "adaptive:atol=1e-8")
        self.assertEqual((out["warnings"], code), ([], 0))

    def test_two_joints_that_say_the_same_in_short_steps(self):
        """Gaps of redundant joints differ by their rounding: over h² that was a contradiction, and generalized-alpha failed."""
        scene = self.scene("materials: {default: {mu: 0.3, e_n: 0.4}}\nbodies:\n"
                           "  cart: {shape: box, size: [0.4, 0.2], mass: 5, position: [0, 0.5], velocity: [2, 0]}\n"
                           "  load: {shape: disk, radius: 0.05, mass: 2, position: [0, 0.1], velocity: [2, 0]}\n"
                           "  post: {shape: box, size: [0.1, 0.4], fixed: true, position: [1, 0.5]}\n"
                           "links:\n  rail1: {type: prismatic, a: cart, axis: [1, 0], at: [-0.2, 0.5]}\n"
                           "  rail2: {type: prismatic, a: cart, axis: [1, 0], at: [0.2, 0.5]}\n"
                           "  rope: {type: distance, a: cart, b: load}\nrun: {t_end: 0.54}\n")
        for stepping in ("fixed:h=1e-3", "fixed:h=1e-5", "adaptive:h=1e-3"):
            out, code = run(scene, "--scheme", "generalized-alpha", "--stepping", stepping)
            self.assertEqual((out["status"], code), ("finished", 0), out["message"])
            self.assertAlmostEqual(out["events"][-1]["u_plus"][0], 0.54, delta=2e-3)  # 0.4 of 1.35: a pendulum on the cart

    def test_velocities_that_are_right_drift_off_a_curved_surface(self):
        """Each step leaves h²/2 of the acceleration v²/R: no reason to fail, as a run of Moreau's schemes did."""
        scene = self.scene("parameters: {g: 9.81}\ncoordinates: {x: {velocity: sqrt(5.5*g)}, y: {start: -1}}\nmass: {x: 1, y: 1}\n"
                           "forces: {y: -g}\ncontacts: {loop: {gap: \"1 - hypot(x,y)\", law: {name: unilateral, e: 0}}}\n"
                           "run: {t_end: 1.2}\n")
        for scheme in ("moreau-jean", "moreau-midpoint"):
            deep = []
            for h in ("1.2e-3", "6e-4", "3e-4"):
                out, code = run(scene, "--scheme", scheme, "--h", h)
                self.assertEqual((out["status"], code), ("finished", 0), out["message"])
                deep.append(out["residuals"]["gap"])
            self.assertAlmostEqual(deep[0] / deep[1], 2, delta=0.1)
            self.assertAlmostEqual(deep[1] / deep[2], 2, delta=0.1)

    def test_an_event_at_once(self):
        """Steps of 1e-17 to the next event had impulses of the rounding of gaps over their length. These cancelled in the velocities, not
        in their work: friction made a million joules and impacts took them."""
        for h in ("4e-3", "2e-3", "2.5e-4"):
            out, _ = run("disk-mixer", "--t-end", "0.05", "--scheme", "symplectic-euler:composition=strang",
                         "--stepping", f"event-location:h={h}", "--solver", "automatic")
            x = out["ledger"]
            self.assertLess(abs(x["remainder"]), 2e-2 * (x["friction"] + x["impacts"]), (h, x))
            self.assertGreater(min(x["friction"], x["impacts"]), 0)
            self.assertEqual(out["warnings"], [])

    def test_contacts_that_contradict_each_other_end_a_run_soon(self):
        """An arm whose tip jams below a stop: no impulse fits Newton's law and Coulomb's, however short the step."""
        scene = self.scene("materials: {default: {mu: 0.2, e_n: 0.5}}\ngravity: [0, 0]\nbodies:\n"
                           "  arm: {shape: box, size: [0.4, 0.04], mass: 0.5, position: [0.5, 0], velocity: [0, 0.6], spin: 3}\n"
                           "  stop: {shape: box, size: [0.1, 0.1], fixed: true, position: [0.3, 0.45]}\n"
                           "links:\n  r: {type: revolute, a: arm, at: [0.3, 0]}\nrun: {t_end: 2, h: 1e-3}\n")
        out, code = run(scene, "--scheme", "moreau-jean", "--stepping", "adaptive")
        self.assertEqual((out["status"], code), ("failed", 1), out["message"])
        self.assertIn("contradict each other", out["message"])
        self.assertGreater(float(re.search(r"with h = ([^:]+):", out["message"])[1]), 1e-12)  # 1e-14 is the end of all halvings
        self.assertIn("may stick with e_n = 0", out["message"])
        out, code = run(scene, "--scheme", "moreau-jean", "--stepping", "adaptive", "--set", "materials.default.e_n=0")
        self.assertEqual((out["status"], code), ("finished", 0), out["message"])

    def test_thresholds_can_be_set(self):
        out, code = run(self.scene(self.FAST), "--trust", "penetration=10,energy=10")
        self.assertEqual((out["status"], out["warnings"], code), ("finished", [], 0))
        self.assertEqual(saltus("run", "bouncing-ball", "--trust", "energi=1").returncode, 2)

    def test_a_prescribed_motion_that_is_off(self):
        scene = self.scene("parameters: {m: 1, g: 9.81, e: 0.9, C: 2, A: 1, w: pi/2}\ncoordinates: {z: {start: 1}, plane: {}}\n"
                           "mass: {z: m, plane: m}\npotential: m*g*z + m*g*plane\nmotions: {plane: C*t + A/w*sin(w*t)}\n"
                           "contacts: {floor: {gap: z - plane, law: {name: unilateral, e: e}}}\nrun: {t_end: 10, h: 0.005}\n")
        out, _ = run(scene)
        self.assertTrue(any("motion of plane" in w for w in out["warnings"]), out["warnings"])
        self.assertGreater(out["ledger"]["motion"], 2e-4)
        out, _ = run(scene, "--trust", "motion=1e-3")
        self.assertEqual(out["warnings"], [])
        out, _ = run(scene, "--scheme", "moreau-projected")
        self.assertFalse(any("joint" in w for w in out["warnings"]), out["warnings"])

    def test_impacts_take_no_more_than_there_is(self):
        out, code = run(self.scene("parameters: {m: 1, J: 0.1, g: 10, e: 0.3}\ncoordinates: {y: {start: 0.5}, a: {start: 0.1}}\n"
                                   "mass: {y: m, a: J}\npotential: m*g*y\ncontacts:\n"
                                   "  l: {gap: y - sin(a), law: {name: unilateral, e: e}}\n  c: {gap: y, law: {name: unilateral, e: e}}\n"
                                   "  r: {gap: y + sin(a), law: {name: unilateral, e: e}}\n"
                                   "run: {t_end: 3, h: 1e-3, scheme: symplectic-euler, stepping: fixed}\n"))
        x = out["ledger"]
        self.assertEqual(code, 0, out["message"])
        self.assertLess(x["impacts"], 5)
        self.assertLess(abs(x["remainder"]), 0.02 * x["scale"])


class FalseAlarms(unittest.TestCase):
    """What is delivered runs without a warning by its own method, but for sentences on entries without a digit."""

    def test_examples(self):
        for name in sorted(os.listdir(SCENES)):
            if name.endswith(".yaml"):
                with self.subTest(name):
                    out, code = run(os.path.join(SCENES, name))
                    bars = out.get("error_estimate") or {}
                    reasons = [(f"no digit of measure {m} is known",) for m, bar in bars.get("measures", {}).items() if bar is None]
                    if bars.get("event_times", 0) is None:
                        reasons.append(("no error of event times is given", "events depend on the tolerance"))
                    if None in bars.get("q_final", []):  # a thrown die: the warnings say where digits end, and why
                        reasons.append(("events depend on the tolerance", "digits are lost at"))
                    if name == "thrown-die.yaml":  # it turns on a face whose four corners share its load
                        reasons.append(("the model does not determine the motion", "bars are as wide as the difference to a run in which"))
                    allowed = tuple(word for words in reasons for word in words)
                    self.assertEqual(([w for w in out["warnings"] if not w.startswith(allowed)], code), ([], 0))
                    for words in reasons:
                        self.assertTrue(any(w.startswith(words) for w in out["warnings"]), (words, out["warnings"]))


class Messages(InFolder):
    def test_a_healthy_run_has_no_warnings(self):
        for target in ("bouncing-ball", "newtons-cradle", os.path.join(SCENES, "box-stack.yaml")):
            out, code = run(target)
            self.assertEqual((out["warnings"], code), ([], 0), target)

    def test_the_text_names_the_parts(self):
        text = saltus("run", "bouncing-ball", "--no-error").stdout
        self.assertIn("dissipated by impacts:", text)
        self.assertIn("remainder:", text)


if __name__ == "__main__":
    unittest.main()
