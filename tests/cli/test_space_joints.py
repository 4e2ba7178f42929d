#!/usr/bin/env python3
"""What acts on joints in space: limits, motors, drives, friction, springs, screws, gears and ropes beside closed forms, with
every family of methods; starts that do not fit, named joint by joint, and assembled."""
import json
import math
import unittest

from program import Scenes, saltus

TOL = ("--rtol", "1e-11")
# (arguments, what equal steps of a first-order scheme may be off at impacts and jumps, and in smooth motion)
METHODS = [(TOL, 1e-9, 1e-9),
           (("--scheme", "runge-kutta:tableau=gauss-6", "--stepping", "event-capturing", "--h", "0.01"), 1e-9, 1e-9),
           (("--scheme", "moreau-jean", "--h", "0.001"), 2e-2, 5e-6),
           (("--scheme", "generalized-alpha", "--h", "0.001"), 2e-2, 5e-6)]
# generalized-α does not find the rank of redundant joints beside other rows: it stops with a message
FINDS_RANK = METHODS[:3]
WHEEL = {"mass": 1, "inertia": [1, 2, 3]}
J = 3.0


def wheel(action, spin=0.0, **space):
    return {"gravity": [0, 0, 0], "bodies": {"wheel": dict(WHEEL, spin=[0, 0, spin])},
            "joints": {"hub": {"type": "hinge", "a": "wheel", "axis": [0, 0, 1], "angle": action}}, **space}


class Joints(Scenes):
    def run_space(self, space, end, *more, **sections):
        scene = {"saltus": 1, "space": space, **sections, "run": {"t_end": end}}
        text = "".join(f"{section}: {json.dumps(value)}\n" for section, value in scene.items())
        return self.run_json(text, "--no-estimate", *more)

    def every_method(self, space, end, expected, jumps=False, driven=False, methods=METHODS):
        """expected: of (q, u), pairs (found, value). Moreau–Jean is of order 1 where rows are driven: a velocity that a formula
        prescribes holds at the end of a step."""
        for method, at_jumps, smooth in methods:
            if driven and "moreau-jean" in method:
                smooth = 1e-3
            with self.subTest(method=method[1]):
                out = self.run_space(space, end, *method)
                self.assertEqual(out["status"], "finished", out.get("message"))
                self.assertEqual(out["warnings"], [])
                for found, value in expected(out["q"], out["u"]):
                    self.assertAlmostEqual(found, value, delta=(at_jumps if jumps else smooth) * max(1, abs(value)))

    def angle(self, space, end, angle, rate, **how):
        self.every_method(space, end, lambda q, u: [(q[7], angle), (u[5], rate)], **how)


class ClosedForms(Joints):
    def test_a_limit_is_hit_with_its_restitution(self):
        self.angle(wheel({"limits": [-1, 1], "e": 0.5}, spin=2), 1, 0.5, -1, jumps=True)

    def test_restitution_at_a_limit_is_exact_at_any_step(self):
        for h in ("0.3", "0.07", "0.001"):
            out = self.run_space(wheel({"limits": [-1, 1], "e": 0.37}, spin=2), 1.2, "--scheme", "moreau-jean", "--h", h)
            self.assertAlmostEqual(out["u"][5], -0.74, delta=1e-12)

    def test_a_spring_over_several_turns(self):
        self.angle(wheel({"stiffness": J, "rest": 1, "start": 1}, spin=20), 2, 1 + 20 * math.sin(2), 20 * math.cos(2))

    def test_a_damper(self):
        self.angle(wheel({"damping": J}, spin=20), 2, 20 * (1 - math.exp(-2)), 20 * math.exp(-2))

    def test_dry_friction_stops_a_wheel(self):
        self.angle(wheel({"friction": 2 * J}, spin=2), 2, 1, 0, jumps=True)

    def test_a_motor_of_limited_torque_reaches_its_speed(self):
        self.angle(wheel({"speed": "5", "most": 5 * J}), 2, 2.5 + 5, 5, jumps=True)

    def test_a_motor_follows_a_speed_that_changes(self):
        self.angle(wheel({"speed": "cos(t)"}, spin=1), 2, math.sin(2), math.cos(2), driven=True)

    def test_a_drive_over_turns(self):
        self.every_method(wheel({"follow": "3*sin(t) + 6*(1 - cos(t))"}, spin=3), 3, lambda q, u: [
            (q[7], 3 * math.sin(3) + 6 * (1 - math.cos(3)))], driven=True)

    def test_a_torque_that_is_a_formula(self):
        self.angle(wheel({"force": f"{J} * cos(t)"}), 2, 1 - math.cos(2), math.sin(2))

    def test_a_nut_falls_along_a_screw(self):
        way = 0.5 / (2 * math.pi)
        a = -10 / (1 + J / way ** 2)
        space = {"gravity": [0, 0, -10], "bodies": {"nut": WHEEL},
                 "joints": {"thread": {"type": "screw", "a": "nut", "axis": [0, 0, 1], "pitch": 0.5}}}
        self.every_method(space, 8, lambda q, u: [(q[2], 32 * a), (q[7], 32 * a / way), (u[2], 8 * a)])

    def test_wheels_with_teeth(self):
        space = {"gravity": [0, 0, 0], "bodies": {"a": WHEEL, "b": dict(WHEEL, position=[1, 0, 0])},
                 "joints": {"A": {"type": "hinge", "a": "a", "axis": [0, 0, 1], "angle": {"force": "30"}},
                            "B": {"type": "hinge", "a": "b", "axis": [0, 0, 1], "angle": {"start": 0.5}}},
                 "gears": {"teeth": {"driver": "A.angle", "driven": "B.angle", "ratio": -2}}}
        alpha = 30 / (J + 4 * J)
        self.every_method(space, 4, lambda q, u: [(q[14], 8 * alpha), (q[15], 0.5 - 16 * alpha), (u[11], -8 * alpha)])

    def test_a_rack_and_its_pinion(self):
        space = {"gravity": [0, 0, -10], "bodies": {"rack": WHEEL, "pinion": dict(WHEEL, position=[1, 0, 0])},
                 "joints": {"guide": {"type": "slider", "a": "rack", "axis": [0, 0, 1]},
                            "hub": {"type": "hinge", "a": "pinion", "axis": [0, 1, 0]}},
                 "gears": {"teeth": {"driver": "hub.angle", "driven": "guide.shift", "ratio": 0.5}}}
        a = -10 / (1 + 2 / 0.25)
        self.every_method(space, 4, lambda q, u: [(q[2], 8 * a), (q[14], 16 * a)])

    def test_a_rope_becomes_taut(self):
        space = {"gravity": [0, 0, -10], "bodies": {"m": WHEEL},
                 "joints": {"rope": {"type": "rope", "a": "m", "at_b": [0, 0, 0.2], "length": 1.45, "e": 0.5}}}
        self.every_method(space, 0.7, lambda q, u: [(q[2], -1.25 + 0.3), (u[2], 0.5)], jumps=True)

    def test_a_universal_joint_turns_unevenly(self):
        # tan(output) = cos β tan(input) where the driving axis of the cross begins across the bend
        bend, end = 0.6, 2.3
        axis = [0, math.sin(bend), math.cos(bend)]
        space = {"gravity": [0, 0, 0],
                 "bodies": {"in": dict(WHEEL, spin=[0, 0, 2]),
                            "out": {"mass": 1, "inertia": 3, "position": axis,
                                    "spin": [2 * math.cos(bend) * x for x in axis]}},
                 "joints": {"motor": {"type": "hinge", "a": "in", "axis": [0, 0, 1], "angle": {"speed": "2"}},
                            "bearing": {"type": "hinge", "a": "out", "axis": axis, "angle": {}},
                            "cross": {"type": "universal", "a": "out", "b": "in", "at": [0, 0, 0], "axis": [1, 0, 0],
                                      "axis_b": [0, math.cos(bend), -math.sin(bend)], "angle": {}, "angle_2": {}}}}
        turned = 2 * math.pi + math.atan2(math.sin(2 * end) * math.cos(bend), math.cos(2 * end))
        self.every_method(space, end, lambda q, u: [(q[14], 2 * end), (q[15], turned)], driven=True,
                          methods=FINDS_RANK)

    def test_a_ball_joint_hits_its_cone(self):
        # a rod without gravity swings at ω from the middle of the cone, comes back at −eω
        space = {"gravity": [0, 0, 0], "bodies": {"rod": {"mass": 1, "inertia": [2, 2, 1], "position": [0, 0, 1],
                                                          "spin": [0, 1, 0], "velocity": [1, 0, 0]}},
                 "joints": {"ball": {"type": "ball", "a": "rod", "at": [0, 0, 0], "axis": [0, 0, 1],
                                     "swing": {"limits": [0, 0.5], "e": 0.4}}}}
        self.every_method(space, 1, lambda q, u: [(math.atan2(q[0], q[2]), 0.5 - 0.4 * 0.5), (u[4], -0.4)], jumps=True)

    def test_what_acts_in_a_planar_joint(self):
        space = {"gravity": [0, 0, 0], "bodies": {"m": dict(WHEEL, velocity=[1, 2, 0], spin=[0, 0, 3])},
                 "joints": {"table": {"type": "planar", "a": "m", "axis": [0, 0, 1], "across": [1, 0, 0],
                                      "shift": {"stiffness": 4}, "shift_2": {"damping": 1}, "angle": {"friction": J}}}}
        self.every_method(space, 4, lambda q, u: [
            (q[0], math.sin(8) / 2), (u[0], math.cos(8)), (q[1], 2 * (1 - math.exp(-4))), (q[7], 4.5), (u[5], 0)], jumps=True)

    def test_two_hinges_on_one_axis_and_their_motor(self):
        # ten rows of rank five: redundant joints are the normal case
        space = wheel({"speed": "5", "most": 5 * J})
        space["joints"]["second"] = {"type": "hinge", "a": "wheel", "at": [0, 0, 1], "axis": [0, 0, 1]}
        self.angle(space, 2, 2.5 + 5, 5, jumps=True, methods=FINDS_RANK)


class Energy(Joints):
    def test_motors_drives_and_friction_are_in_the_ledger(self):
        # 5 J² t²/2 … of the closed forms: what a motor gives is what the wheel has, and friction takes it
        for action, spin, given in [({"speed": "5", "most": 5 * J}, 0, J * 12.5), ({"friction": 2 * J}, 2, -J * 2),
                                    ({"follow": "t^2"}, 0, J * 8), ({"force": str(J)}, 0, J * 2)]:
            for method in ("--rtol", "1e-10"), ("--scheme", "moreau-jean", "--h", "0.001"):
                out = self.run_space(wheel(action, spin=spin), 2, *method)
                energy = out["energy"]
                self.assertAlmostEqual(energy["final"] - energy["initial"], given, delta=2e-2 * abs(given))
                self.assertEqual(out["warnings"], [])


class Starts(Joints):
    BARS = {"crank": {"mass": 1, "inertia": 1, "position": [0, 0, 0.5]},
            "rod": {"mass": 1, "inertia": 1, "position": [1, 0, 1]},
            "rocker": {"mass": 1, "inertia": 1, "position": [2, 0, 0.5]}}

    def four_bar(self, **more):
        def pin(a, b, at, **other):
            return {"type": "hinge", "a": a, "b": b, "at": at, "axis": [0, 1, 0], **other}
        return {"bodies": self.BARS, "gravity": [0, 0, -10],
                "joints": {"j1": pin("crank", "ground", [0, 0, 0]), "j2": pin("rod", "crank", [0, 0, 1]),
                           "j3": pin("rocker", "rod", [2, 0, 1]),
                           "j4": pin("rocker", "ground", [2, 0, 0], at_b=[1.95, 0.0, 0.1])}, **more}

    def check(self, space):
        scene = {"saltus": 1, "space": space, "run": {"t_end": 1}}
        p = saltus("check", self.scene("".join(f"{k}: {json.dumps(v)}\n" for k, v in scene.items())))
        return p.returncode, p.stdout + p.stderr

    def test_a_joint_that_does_not_fit_is_named(self):
        code, text = self.check(self.four_bar())
        self.assertEqual(code, 2, text)
        self.assertRegex(text, r"scene.yaml:2:\d+: space.joints.j4: .*0.112 m apart.*space.assemble")
        self.assertNotIn("joints.j1", text)

    def test_it_is_assembled_on_request(self):
        for method, _, _ in METHODS[:3]:
            out = self.run_space(self.four_bar(assemble=True), 1, *method)
            self.assertEqual(out["status"], "finished", out.get("message"))
            self.assertLess(out["residuals"]["position"], 1e-9 if method[0] == "--rtol" else 1e-2)

    def test_what_cannot_be_assembled_is_named(self):
        space = self.four_bar(assemble=True)
        space["joints"]["j4"]["at_b"] = [9, 0, 0]
        code, text = self.check(space)
        self.assertEqual(code, 2, text)
        self.assertIn("cannot be assembled", text)

    def test_axes_and_velocities_and_drives_that_do_not_fit(self):
        for space, words in [
                (wheel({"speed": "5"}), "hub.angle motor does not fit: the velocities at the start are off by 5 rad/s"),
                (wheel({"follow": "0.3 + t"}), "hub.angle drive does not fit: the start is off by 0.3 rad"),
                (wheel({"limits": [0.1, 1]}), "hub.angle lower limit"),
                ({"bodies": {"w": WHEEL}, "joints": {"hub": {"type": "hinge", "a": "w", "axis": [0, 0, 1],
                                                             "axis_b": [0, 0.1, 1]}}}, "axes differ by 0.0997 rad"),
                ({"bodies": {"w": dict(WHEEL, velocity=[1, 0, 0])}, "joints": {"hub": {"type": "ball", "a": "w"}}},
                 "violate this joint by 1 m/s")]:
            code, text = self.check(space)
            self.assertEqual(code, 2, text)
            self.assertIn(words, text)

    def test_mistakes_in_joints(self):
        hub = {"type": "hinge", "a": "wheel", "axis": [0, 0, 1]}
        for change, words in [
                ({"type": "hing"}, "unknown joint 'hing' (did you mean 'hinge'?)"),
                ({"shift": {"stiffness": 1}}, "a hinge joint has no shift; it has angle"),
                ({"angle": {"limits": [1, -1]}}, "is not below"),
                ({"angle": {"limits": [1]}}, "two numbers"),
                ({"angle": {"most": 1}}, "give its speed"),
                ({"angle": {"speed": "1", "follow": "t"}}, "not both"),
                ({"angle": {"e": 2, "limits": [-1, 1]}}, "e"),
                ({"angle": {"friction": -1}}, "friction"),
                ({"pitch": 1}, "screw"), ({"length": 1}, "only a distance or rope"), ({"e": 0.5}, "only a rope"),
                ({"type": "ball"}, "no axis"), ({"a": "wheell"}, "did you mean"), ({"b": "wheel"}, "two bodies"),
                ({"across": [0, 0, 1], "type": "planar"}, "right angles")]:
            with self.subTest(change):
                code, text = self.check({"bodies": {"wheel": WHEEL}, "joints": {"hub": dict(hub, **change)}})
                self.assertEqual(code, 2, text)
                self.assertIn(words, text)
                self.assertRegex(text, r"scene.yaml:2:\d+: space")
        for gear, words in [({"driver": "hub.angle", "driven": "hub.angle", "ratio": 1}, "two coordinates"),
                            ({"driver": "hub.turn", "driven": "hub.angle", "ratio": 1}, "there are: hub.angle")]:
            code, text = self.check({"bodies": {"wheel": WHEEL}, "joints": {"hub": hub}, "gears": {"g": gear}})
            self.assertEqual(code, 2, text)
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
