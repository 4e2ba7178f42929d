#!/usr/bin/env python3
"""Bodies in space: the cases of tests/data/space as scenes, run by the program; mistakes in such scenes."""
import json
import math
import unittest

from program import Scenes, saltus
from space_cases import State, cases, heavy_top, largest, pairs, scene_of
from space_expected import closed_orbits, event_times, force, force_pairs

TOLERANCE = "1e-12"
RTOL = {"slide-roll-oblique": "1e-13", "spin-bounce": "1e-13", "spin-bounce-et": "1e-13",  # to 1e-11 of velocities of 45 rad/s
        "shaken-plate": "1e-9"}  # limit 1e-8
CASES = cases()


class Runs(Scenes):
    def run_scene(self, scene, *more, end=None):
        scene = dict(scene, run={"t_end": end if end is not None else 1})
        text = "".join(f"{section}: {json.dumps(value)}\n" for section, value in scene.items())
        return self.run_json(text, "--no-estimate", *more)

    def states(self, out, bodies):
        return [[State(x["q"], x["u"], k) for k in range(bodies)] for x in out["at"]]

    def check_states(self, name, rtol=None):
        case, rtol = CASES[name], rtol or RTOL.get(name, TOLERANCE)
        scene, times = scene_of(case), case["expected"]["t"]
        out = self.run_scene(scene, "--rtol", rtol, "--at", ",".join(repr(t) for t in times), end=times[-1])
        worst, where = 0.0, ""
        for k, states in enumerate(self.states(out, len(scene["space"]["bodies"]))):
            for what, found, expected in pairs(case, k, states) + force_pairs(case, k, out["at"][k].get("forces", []), states):
                off = largest(found, expected)
                if off > worst or not off == off:
                    worst, where = off, f"{what} at t = {times[k]}"
        self.assertLessEqual(worst, case["tolerance"]["value"], f"{name}: {where}")
        self.check_events(case, out)
        return out

    def check_events(self, case, out):
        """Distinct times of events of a kind; those of several contacts at once are one."""
        limit = max(case["tolerance"]["value"], 1e-12 * out["t"])
        for kind, expected in event_times(case):
            found = []
            for e in out["events"]:
                if e["kind"] == kind and (not found or e["t"] > found[-1] + limit):
                    found.append(e["t"])
            expected = [t for t in expected if t <= out["t"]]
            self.assertLessEqual(len(expected), len(found), f"{case['id']}: {kind}")
            self.assertLessEqual(max((abs(a - b) for a, b in zip(found, expected)), default=0), limit, f"{case['id']}: {kind}")


class Cases(Runs):
    pass


def add_case(name):
    def test(self):
        self.check_states(name)
    setattr(Cases, "test_" + name.replace("-", "_"), test)


SPECIAL = ("sleeping", "box-corner", "box-edge", "row", "slot", "six-walls")
for case in CASES:
    if not case.startswith(SPECIAL):
        add_case(case)


class Special(Runs):
    def test_a_ball_between_six_walls(self):
        # of six-walls a time that is asked for is that of an impact, up to rounding: the state just behind it
        for name in [n for n in CASES if n.startswith("six-walls")]:
            case = CASES[name]
            times, expected = case["expected"]["t"], case["expected"]
            behind = 1e-9
            out = self.run_scene(scene_of(case), "--rtol", TOLERANCE, "--at", ",".join(repr(t + behind) for t in times),
                                 end=times[-1] + behind)
            for k, x in enumerate(out["at"]):
                state = State(x["q"], x["u"])
                gravity = case["parameters"]["gravity"]
                velocity = [v - behind * g for v, g in zip(state.velocity, gravity)]
                com = [p - behind * v for p, v in zip(state.com, velocity)]
                self.assertLess(largest(velocity, expected["velocity"][k]), 1e-10, name)
                self.assertLess(largest(com, expected["com"][k]), 1e-10, name)

    def test_a_linkage_of_redundant_joints_at_every_tolerance(self):
        # 20 rows of rank 17; which of them say most changes three times on the way
        for rtol in ("1e-9", "1e-10", "1e-11", "1e-13"):
            with self.subTest(rtol):
                self.check_states("bennett", rtol=rtol)

    def test_the_impact_law_on_one_and_two_corners_of_a_box(self):
        for name in [n for n in CASES if n.startswith(("box-corner", "box-edge"))]:
            case = CASES[name]
            for method in (["--scheme", "moreau-jean", "--h", "1e-13"], ["--rtol", "1e-12"]):
                with self.subTest(name, method=method):
                    out = self.run_scene(scene_of(case), *method, "--accept-penetration", end=1e-13)
                    state = State(out["q"], out["u"])
                    for key in ("velocity", "omega_body", "omega_inertial"):
                        self.assertLess(largest(getattr(state, key), case["expected"][key + "_after"]),
                                        case["tolerance"]["value"], key)
                    lost = out["energy"]["initial"] - out["energy"]["final"]
                    self.assertAlmostEqual(lost, case["expected"]["energy_lost"], delta=10 * case["tolerance"]["value"])

    def test_a_row_of_balls_that_touch(self):
        for name in [n for n in CASES if n.startswith("row")]:
            out = self.run_scene(scene_of(CASES[name]), "--scheme", "moreau-jean", "--h", "1e-3", end=1e-3)
            found = [out["u"][6 * k] for k in range(len(CASES[name]["parameters"]["m"]))]
            self.assertLess(largest(found, CASES[name]["expected"]["velocity_after"]), CASES[name]["tolerance"]["value"])

    def test_periods_of_tops_and_pendulums(self):
        checked = 0
        for name, case in CASES.items():
            for period, what in closed_orbits(case):
                with self.subTest(name):
                    out = self.run_scene(scene_of(case), "--rtol", "1e-13", "--at", f"0,{period!r}", end=period)
                    first, last = (State(x["q"], x["u"]) for x in out["at"])
                    if what == "height":  # of an axis that turns about the vertical meanwhile
                        turned = math.atan2(last.com[1], last.com[0]) - math.atan2(first.com[1], first.com[0])
                        turned -= case["expected"]["precession_per_nutation"]
                        self.assertAlmostEqual(math.remainder(turned, 2 * math.pi), 0, delta=1e-9)
                        self.assertAlmostEqual(last.com[2], first.com[2], delta=1e-9)
                        self.assertAlmostEqual(last.velocity[2], 0, delta=1e-9)
                    else:
                        self.assertLess(largest(getattr(last, what), getattr(first, what)), case["tolerance"]["value"])
                    checked += 1
        self.assertEqual(checked, 7)
        flip = CASES["free-top-flip"]
        zeros = flip["expected"]["times_of_zero_intermediate_spin"]
        out = self.run_scene(scene_of(flip), "--rtol", "1e-13", "--at", ",".join(map(repr, zeros)), end=zeros[-1])
        for x in out["at"]:
            # the last lies behind the times of the case: errors grow by 580 from flip to flip
            self.assertAlmostEqual(State(x["q"], x["u"]).omega_body[1], 0, delta=1e-9 if x["t"] < 17 else 5e-9)

    def test_forces_of_two_spheres_in_a_slot(self):
        case = CASES["slot-two-spheres"]
        for method in (["--rtol", "1e-10"], ["--scheme", "moreau-jean", "--h", "1e-2"]):
            out = self.run_scene(scene_of(case), *method, "--at", "0.5", end=1)
            forces = out["at"][0]["forces"]
            for contact, body, key in (("ball0/floor", "ball0", "floor"), ("ball0/left", "ball0", "wall_left"),
                                       ("ball1/right", "ball1", "wall_right"), ("ball0/ball1", "ball1", "between")):
                size = math.sqrt(sum(f * f for f in force(forces, body, contact)))
                self.assertAlmostEqual(size, case["expected"][key], delta=case["tolerance"]["value"])

    def test_a_stack_of_ten_boxes_does_not_move_by_a_bit(self):
        grid = {"shape": "box", "size": [1, 1, 1], "density": 1, "position": [0, 0, 0.5], "grid": {"count": [1, 1, 10], "step": [1, 1, 1]}}
        scene = {"saltus": 1, "materials": {"default": {"mu": 0.5}},
                 "space": {"groups": {"box": grid}, "walls": {"floor": {"normal": [0, 0, 1]}}}}
        out = self.run_scene(scene, "--scheme", "moreau-jean", "--h", "0.01", end=4)
        self.assertEqual(max(abs(x) for x in out["u"]), 0)
        for k in range(10):
            self.assertEqual(out["q"][7 * k:7 * k + 7], [0, 0, 0.5 + k, 1, 0, 0, 0])

    def test_two_spheres_rest_in_a_slot(self):
        case = CASES["slot-two-spheres"]
        for method in (["--rtol", "1e-10"], ["--scheme", "moreau-jean", "--h", "1e-2"]):
            out = self.run_scene(scene_of(case), *method, end=10)
            for k in range(2):
                self.assertLess(largest(State(out["q"], out["u"], k).com, case["parameters"]["com"][k]), 1e-10)
                self.assertLess(max(abs(x) for x in out["u"]), 1e-10)

    def test_a_top_sleeps_above_its_critical_spin_only(self):
        case = CASES["sleeping-top"]
        p = case["parameters"]
        for _, omega, theta in case["expected"]["rows"]:
            scene = heavy_top(p, omega_3=omega)
            scene["measure"] = {"low": "min.top.z"}
            out = self.run_scene(scene, "--rtol", "1e-12", end=3)
            self.assertAlmostEqual(math.acos(out["measures"]["low"] / p["l"]), theta, delta=case["tolerance"]["value"])


class Mistakes(Scenes):
    def complaint(self, body, more=""):
        p = saltus("check", self.scene("saltus: 1\nspace:\n  bodies:\n    a: " + body + "\n" + more + "run: {t_end: 1}\n"))
        self.assertEqual(p.returncode, 2, p.stdout + p.stderr)
        return p.stdout + p.stderr

    def test_messages_name_field_and_remedy(self):
        for body, words in [
                ("{mass: 1, inertia: [1, 2, -4]}", "no body can have this inertia"),
                ("{shape: sphere, mass: 1}", "radius"),
                ("{shape: sphere, radius: 1}", "either a mass or a density"),
                ("{shape: sphere, radius: 1, mass: 1, quaternion: [0, 0, 0, 0]}", "length zero"),
                ("{shape: sphere, radius: 1, mass: 1, quaternion: [1, 0, 0]}", "four numbers"),
                ("{shape: cube, size: [1, 1, 1], mass: 1}", "unknown shape"),
                ("{mass: 1}", "inertia"),
                ("{shape: hull, points: [[0,0,0],[1,0,0],[0,1,0],[1,1,0]], mass: 1}", "lie in a plane"),
                ("{shape: sphere, radius: 1, mass: 1, matrix: [[1,0,0],[0,1,0],[0,0,-1]]}", "no rotation"),
                ("{shape: sphere, radius: 1, mass: 1, position: [0, 1]}", "three numbers"),
                ("{shape: sphere, radius: 1, mass: 1, spin: [0,0,1], spin_body: [0,0,1]}", "twice")]:
            with self.subTest(body):
                text = self.complaint(body)
                self.assertIn(words, text)
                self.assertRegex(text, r"scene.yaml:\d+:\d+")
        out = self.run_json("space: {bodies: {a: {mass: 1, inertia: [1, 2, 4]}}}\nrun: {t_end: 0.1}\n")
        self.assertIn("more than the sum of the others", out["warnings"][0])
        self.assertIn("penetrates", self.complaint("{shape: sphere, radius: 1, mass: 1}", "  walls: {floor: {normal: [0, 0, 1]}}\n"))
        self.assertIn("does not go together", self.complaint("{shape: sphere, radius: 1, mass: 1}", "bodies: {}\n"))


if __name__ == "__main__":
    unittest.main()
