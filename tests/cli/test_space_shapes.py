#!/usr/bin/env python3
"""Shapes of bodies in space: cones, ellipsoids, bodies of several parts, meshes and fields of heights."""
import json
import math
import unittest

from program import Scenes, saltus


class Shapes(Scenes):
    def text(self, space, materials=None, end=1):
        scene = {"saltus": 1, "materials": {"default": materials or {}}, "space": space, "run": {"t_end": end}}
        return "".join(f"{k}: {json.dumps(v)}\n" for k, v in scene.items())

    def final(self, space, *options, materials=None, end=1):
        return self.run_json(self.text(space, materials, end)[len("saltus: 1\n"):], *options)


def flat_mesh(n, size):
    points = [[size * (i / n - 0.5), size * (j / n - 0.5), 0] for j in range(n + 1) for i in range(n + 1)]
    triangles = []
    for j in range(n):
        for i in range(n):
            a = j * (n + 1) + i
            triangles += [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]
    return {"shape": "mesh", "points": points, "triangles": triangles, "open": True, "fixed": True}


FLOOR = {"floor": {"normal": [0, 0, 1]}}
CUBE = {"points": [[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)],
        "triangles": [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
                      [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]}


class Surfaces(Shapes):
    BALL = {"shape": "sphere", "radius": 0.1, "mass": 1, "position": [-1.3, -0.7, 0.1], "velocity": [2, 0.9, 0],
            "spin": [0, 0, 3]}

    def test_a_ball_crosses_triangles_as_a_plane(self):
        # slides, then rolls, over a dozen edges
        plane = self.final({"bodies": {"ball": self.BALL}, "walls": FLOOR}, "--rtol", "1e-10", "--no-estimate", materials={"mu": 0.3})
        mesh = self.final({"bodies": {"ball": self.BALL, "table": flat_mesh(6, 4)}}, "--rtol", "1e-10", "--no-estimate",
                          materials={"mu": 0.3})
        for x, y in zip(plane["q"] + plane["u"], mesh["q"] + mesh["u"]):
            self.assertAlmostEqual(x, y, delta=2e-9)
        # with fixed steps it may fall for a step where it changes triangles, g h² = 1e-5
        coarse = self.final({"bodies": {"ball": self.BALL, "table": flat_mesh(6, 4)}}, "--scheme", "moreau-jean", "--h", "1e-3",
                            materials={"mu": 0.3})
        for x, y in zip(plane["q"], coarse["q"]):
            self.assertAlmostEqual(x, y, delta=1e-4)

    def test_a_ball_rests_in_a_valley(self):
        # slopes of 45°: the centre is r √2 above the bottom line
        heights = [[1, 0, 1]] * 3
        space = {"bodies": {"ball": {"shape": "sphere", "radius": 0.2, "mass": 1, "position": [0.3, 0, 0.7]},
                            "land": {"shape": "heights", "heights": heights, "spacing": [1, 1], "fixed": True}}}
        out = self.final(space, "--scheme", "moreau-jean", "--h", "1e-3", end=3, materials={"mu": 0.2})
        self.assertAlmostEqual(out["q"][0], 0, delta=1e-2)
        self.assertAlmostEqual(out["q"][2], 0.2 * math.sqrt(2), delta=2e-3)
        self.assertLess(max(map(abs, out["u"])), 1e-9)

    def test_a_box_rests_on_triangles(self):
        box = {"shape": "box", "size": [0.3, 0.3, 0.2], "mass": 1, "position": [0.1, 0.05, 0.3]}
        out = self.final({"bodies": {"box": box, "table": flat_mesh(5, 2)}}, "--scheme", "moreau-jean", "--h", "2e-3",
                         materials={"mu": 0.5})
        self.assertAlmostEqual(out["q"][2], 0.1, delta=1e-2)
        self.assertLess(max(map(abs, out["u"])), 1e-9)

    def test_a_closed_mesh_is_its_body(self):
        # a ball falls on a cube of triangles: after one bounce with e = 1 it is back where it was
        cube = dict(CUBE, shape="mesh", fixed=True, position=[-0.3, -0.4, -1])
        ball = {"shape": "sphere", "radius": 0.1, "mass": 1, "position": [0, 0, 0.6]}
        t = 2 * math.sqrt(2 * 0.5 / 9.81)
        out = self.final({"bodies": {"ball": ball, "cube": cube}}, "--rtol", "1e-10", "--no-estimate", materials={"e_n": 1}, end=t)
        self.assertAlmostEqual(out["q"][2], 0.6, delta=1e-9)
        self.assertEqual(len(out["events"]), 1)


class RoundBodies(Shapes):
    def test_an_egg_rocks(self):
        # an ellipsoid that rolls: m g (R - c) is the stiffness about its lowest point, R = a²/c the radius there
        a, c, m, g = 0.1, 0.06, 1, 9.81
        inertia = m / 5 * (a * a + c * c)
        omega = math.sqrt(m * g * (a * a / c - c) / (inertia + m * c * c))
        small, t = 1e-4, 0.7
        egg = {"shape": "ellipsoid", "radii": [a, a, c], "mass": m, "axis_angle": [0, 1, 0, small], "position": [0, 0, 0]}
        egg["position"][2] = math.sqrt((a * math.sin(small)) ** 2 + (c * math.cos(small)) ** 2)
        out = self.final({"bodies": {"egg": egg}, "walls": FLOOR}, "--rtol", "1e-9", "--no-estimate", materials={"mu": 1}, end=t)
        angle = 2 * math.asin(out["q"][5])
        self.assertAlmostEqual(angle / small, math.cos(omega * t), delta=1e-5)

    def test_an_ellipsoid_with_equal_radii_is_a_sphere(self):
        bodies = {"ball": {"shape": "sphere", "radius": 0.1, "mass": 1, "position": [0, 0, 0.3], "velocity": [1, 0.3, 0],
                           "spin": [3, 4, 5]},
                  "other": {"shape": "sphere", "radius": 0.15, "mass": 2, "position": [0.5, 0.12, 0.15]}}
        first = self.final({"bodies": bodies, "walls": FLOOR}, "--rtol", "1e-10", "--no-estimate", materials={"mu": 0.3, "e_n": 0.5})
        bodies["ball"] = dict(bodies["ball"], shape="ellipsoid", radii=[0.1] * 3)
        del bodies["ball"]["radius"]
        second = self.final({"bodies": bodies, "walls": FLOOR}, "--rtol", "1e-10", "--no-estimate", materials={"mu": 0.3, "e_n": 0.5})
        self.assertEqual(len(first["events"]), len(second["events"]))
        for x, y in zip(first["q"] + first["u"], second["q"] + second["u"]):
            self.assertAlmostEqual(x, y, delta=1e-8)

    def test_a_cone_stands_on_its_base(self):
        cone = {"shape": "cone", "radius": 0.2, "height": 0.4, "density": 1000, "position": [0, 0, 0.15]}
        out = self.final({"bodies": {"cone": cone}, "walls": FLOOR}, "--scheme", "moreau-jean", "--h", "1e-3", materials={"mu": 0.5})
        self.assertAlmostEqual(out["q"][2], 0.1, delta=2e-3)  # its centre of mass is a quarter of its height up
        self.assertLess(max(map(abs, out["u"])), 1e-9)
        self.assertAlmostEqual(out["energy"]["initial"] if "initial" in out["energy"] else 0, 1000 * math.pi * 0.04 * 0.4 / 3 * 9.81 * 0.15,
                               delta=1e-9)


class Parts(Shapes):
    def test_mass_and_inertia_of_a_dumbbell(self):
        # two balls on a rod, about their common centre: a torque turns it by ½ τ t² / J
        r, m, half, rod = 0.1, 3, 0.5, 0.8
        ball = m / (4 / 3 * math.pi * r ** 3)
        parts = {"left": {"shape": "sphere", "radius": r, "position": [0, 0, 0], "density": ball},
                 "right": {"shape": "sphere", "radius": r, "position": [2 * half, 0, 0], "density": ball},
                 "rod": {"shape": "cylinder", "radius": 0.01, "height": rod, "axis_angle": [0, 1, 0, math.pi / 2],
                         "position": [half, 0, 0], "density": 2 / (math.pi * 1e-4 * rod)}}
        J = 2 * (0.4 * m * r * r + m * half * half) + 2 * (3 * 1e-4 + rod * rod) / 12
        out = self.final({"bodies": {"a": {"parts": parts, "torque": [0, 0, 2]}}, "gravity": [0, 0, 0]}, "--rtol", "1e-11",
                         "--no-estimate", end=0.5)
        self.assertAlmostEqual(out["u"][5], 2 * 0.5 / J, delta=1e-12)
        self.assertLess(max(map(abs, out["q"][:3])), 1e-15)

    def test_two_feet_touch_where_they_are(self):
        # a bar on two balls of 5 cm: it stands at their radius below its centre of mass
        parts = {"bar": {"shape": "box", "size": [1, 0.1, 0.1]},
                 "left": {"shape": "sphere", "radius": 0.05, "position": [-0.4, 0, -0.05]},
                 "right": {"shape": "sphere", "radius": 0.05, "position": [0.4, 0, -0.05]}}
        bar, ball = 0.01, 4 / 3 * math.pi * 0.05 ** 3
        low = -0.05 * 2 * ball / (bar + 2 * ball)  # of the centre of mass
        out = self.final({"bodies": {"a": {"parts": parts, "mass": 1, "position": [0, 0, 0.2]}}, "walls": FLOOR},
                         "--scheme", "moreau-jean", "--h", "1e-4", end=0.5)
        self.assertAlmostEqual(out["q"][2], 0.1 + low, delta=3e-4)


class Moments(Shapes):
    """A ball with rolling and spinning friction: moments of a length times the normal force."""

    def test_a_ball_rolls_to_rest(self):
        r, v, length, g = 0.1, 1.0, 2e-3, 9.81
        slow = 5 / 7 * g * length / r  # (m + J/r²) a = −ℓ m g / r
        ball = {"shape": "sphere", "radius": r, "mass": 2, "position": [0, 0, r], "velocity": [v * 0.6, v * 0.8, 0],
                "spin": [-v * 0.8 / r, v * 0.6 / r, 0]}
        space = {"bodies": {"ball": ball}, "walls": FLOOR}
        materials = {"mu": 0.5, "rolling": length}
        out = self.final(space, "--rtol", "1e-9", "--no-estimate", materials=materials, end=2)
        way = v * 2 - slow * 2
        self.assertAlmostEqual(out["q"][0], 0.6 * way, delta=1e-8)
        self.assertAlmostEqual(out["q"][1], 0.8 * way, delta=1e-8)
        out = self.final(space, "--scheme", "moreau-jean", "--h", "1e-3", materials=materials, end=1.1 * v / slow)
        self.assertAlmostEqual(math.hypot(*out["q"][:2]), v * v / (2 * slow), delta=2e-3)
        self.assertLess(max(map(abs, out["u"])), 1e-9)

    def test_a_ball_spins_to_rest(self):
        r, w, length, m, g = 0.1, 20.0, 1e-3, 2, 9.81
        slow = length * m * g / (0.4 * m * r * r)
        ball = {"shape": "sphere", "radius": r, "mass": m, "position": [0, 0, r], "spin": [0, 0, w]}
        space = {"bodies": {"ball": ball}, "walls": FLOOR}
        for options, limit in ((("--rtol", "1e-9", "--no-estimate"), 1e-8), (("--scheme", "moreau-jean", "--h", "1e-3"), 1e-9)):
            out = self.final(space, *options, materials={"mu": 0.5, "spinning": length}, end=3)
            self.assertAlmostEqual(out["u"][5], w - slow * 3, delta=limit)
        out = self.final(space, "--scheme", "moreau-jean", "--h", "1e-3", materials={"mu": 0.5, "spinning": length}, end=1.1 * w / slow)
        self.assertLess(max(map(abs, out["u"])), 1e-9)

    def test_a_box_and_a_cylinder_are_floors_like_a_half_space(self):
        """Contacts of round shapes with faces and flat ends: the same motion as on a plane, by other code."""
        turn = {"position": [0, 0, 0.4], "axis_angle": [0.8, 0.3, 0.5, 0.4], "spin": [0.5, 1, 0.2], "velocity": [0.2, 0.1, 0]}
        falling = {"log": {"shape": "cylinder", "radius": 0.1, "height": 0.5, "axis": [0, 1, 0]},
                   "cone": {"shape": "cone", "radius": 0.15, "height": 0.3},
                   "egg": {"shape": "ellipsoid", "radii": [0.1, 0.15, 0.2]}}
        floors = {"box": {"shape": "box", "size": [4, 4, 0.2]}, "drum": {"shape": "cylinder", "radius": 2, "height": 0.2}}
        for name, shape in falling.items():
            body = dict(shape, density=500, **turn)
            for options, limit in ((("--rtol", "1e-8", "--no-estimate"), 1e-6), (("--scheme", "moreau-jean", "--h", "2e-3"), 1e-9)):
                on_plane = self.final({"bodies": {"it": body}, "walls": FLOOR}, *options, materials={"mu": 0.4, "e_n": 0.2}, end=0.6)
                for floor, at in floors.items():
                    bodies = {"floor": dict(at, fixed=True, position=[0, 0, -0.1]), "it": body}
                    out = self.final({"bodies": bodies}, *options, materials={"mu": 0.4, "e_n": 0.2}, end=0.6)
                    for a, b in zip(on_plane["q"], out["q"]):
                        self.assertAlmostEqual(a, b, delta=limit, msg=f"{name} on {floor}, {options}")

    def test_logs_and_cans_rest(self):
        """Two logs side by side, one on top, in a trough; a can on a can on a box: they stay."""
        log = {"shape": "cylinder", "radius": 0.1, "height": 1, "axis": [0, 1, 0], "density": 500}
        side = {"shape": "box", "size": [0.1, 2, 0.4], "fixed": True}
        up = 0.1 + 0.1 * 3 ** 0.5
        pile = {"floor": {"shape": "box", "size": [2, 2, 0.2], "fixed": True, "position": [0, 0, -0.1]},
                "left": dict(side, position=[-0.25, 0, 0.2]), "right": dict(side, position=[0.25, 0, 0.2]),
                "a": dict(log, position=[-0.1, 0, 0.1]), "b": dict(log, position=[0.1, 0, 0.1]), "c": dict(log, position=[0, 0, up])}
        can = {"shape": "cylinder", "radius": 0.1, "height": 0.2, "density": 500}
        cans = {"table": {"shape": "box", "size": [1, 1, 0.2], "fixed": True, "position": [0, 0, -0.1]},
                "low": dict(can, position=[0, 0, 0.1]), "high": dict(can, position=[0.05, 0.02, 0.3])}
        for bodies in (pile, cans):
            out = self.final({"bodies": bodies}, "--scheme", "moreau-jean", "--h", "2e-3", materials={"mu": 0.4}, end=1)
            self.assertLess(max(map(abs, out["u"])), 1e-9)
            moving = [b["position"] for b in bodies.values() if "fixed" not in b]
            for k, place in enumerate(moving):
                for i in range(3):
                    self.assertAlmostEqual(out["q"][7 * k + i], place[i], delta=2e-4)

    def test_laws_of_different_kinds_are_refused(self):
        ball = {"shape": "sphere", "radius": 1, "mass": 1}
        bodies = {"a": dict(ball, material="steel"), "b": dict(ball, material="rubber", position=[3, 0, 0])}
        scene = {"saltus": 1, "title": "t", "space": {"bodies": bodies}, "run": {"t_end": 1}, "materials": {
            "steel": {"law": "hertz:k=1000"}, "rubber": {"law": "dashpot:k=10,c=1"}}}
        p = saltus("check", self.scene("".join(f"{k}: {json.dumps(v)}\n" for k, v in scene.items())))
        self.assertEqual(p.returncode, 2)
        self.assertIn("compliant in different ways", p.stdout + p.stderr)


class Boxes(Shapes):
    """Boxes whose edges cross come and go as contacts: one that was hit may have no place an instant later."""

    def tower(self, *spins):
        box = {"shape": "box", "size": [0.2, 0.2, 0.1], "density": 2000}
        return {"bodies": {f"b{i}": dict(box, position=[0.02 * i, 0.01 * i, 0.06 + 0.12 * i], spin=s) for i, s in enumerate(spins)},
                "walls": FLOOR}

    def test_three_boxes_that_turn_fall_on_each_other(self):
        space = self.tower([0, 0.3, 0], [0.1, 0.3, 0], [0.2, 0.3, 0])
        material = {"mu": 0.6, "e_n": 0.2}
        runs = [self.final(space, *options, "--no-estimate", materials=material)
                for options in (("--rtol", "1e-6"), ("--rtol", "1e-7"), ("--scheme", "moreau-jean", "--h", "1e-4"))]
        for out in runs:
            self.assertEqual(out["status"], "finished")
            for k, height in enumerate((0.05, 0.15, 0.25)):  # they end flat on each other
                self.assertAlmostEqual(out["q"][7 * k + 2], height, delta=1e-4)
                self.assertAlmostEqual(abs(out["q"][7 * k + 3]), 1, delta=1e-3)
                for a, b in zip(out["q"][7 * k:7 * k + 2], runs[2]["q"][7 * k:7 * k + 2]):
                    self.assertAlmostEqual(a, b, delta=2e-3)  # of 2 to 5 cm; the last digits depend on every impact
            self.assertLess(out["ledger"]["remainder"], 1e-3 * out["ledger"]["energy_start"])

    def test_a_chain_that_slides_off_a_beam(self):
        """The axis of a link leaves the edge that it slides on while its round end goes on: the contact of the edge ends there."""
        link = {"shape": "capsule", "radius": 0.02, "length": 0.2, "density": 2000, "axis": [1, 0, 0]}
        space = {"bodies": {f"l{k}": dict(link, position=[0.1 + 0.2 * k, 0, 1]) for k in range(4)},
                 "joints": {f"j{k}": {"type": "ball", "a": f"l{k}", "at": [0.2 * k, 0, 1], **({"b": f"l{k - 1}"} if k else {})}
                            for k in range(4)}}
        space["bodies"]["beam"] = {"shape": "box", "size": [0.1, 1, 0.1], "fixed": True, "position": [0.45, 0, 0.6]}
        runs = {rtol: self.final(space, "--rtol", rtol, "--no-estimate", materials={"mu": 0.4}) for rtol in ("1e-6", "1e-7", "1e-9")}
        for rtol, out in runs.items():
            self.assertLess(abs(out["ledger"]["remainder"]), 10 * float(rtol) * out["ledger"]["energy_start"])
            for a, b in zip(out["q"], runs["1e-9"]["q"]):
                self.assertAlmostEqual(a, b, delta=100 * float(rtol))  # it falls over the edge, where errors grow
        kinds = [(e["kind"], e["contact"]) for e in runs["1e-9"]["events"]]
        self.assertIn(("open", "l3/beam:20"), kinds)

    def test_a_start_with_overlap_is_refused_also_beside_edges_that_do_not_cross(self):
        capsule = {"shape": "capsule", "radius": 0.06, "length": 0.27, "mass": 1}
        space = {"bodies": {"a": dict(capsule, position=[0, 0, 0.6]),
                            "b": dict(capsule, position=[0.01, 0.02, 0.985]), "c": dict(capsule, position=[0, 3, 1])}, "walls": FLOOR}
        p = saltus("check", self.scene(self.text(space)))
        self.assertEqual(p.returncode, 2)
        self.assertIn("the start penetrates at contact a/b", p.stdout + p.stderr)


class Mistakes(Shapes):
    def test_messages_name_field_and_remedy(self):
        open_cube = dict(CUBE, triangles=CUBE["triangles"][:-1])
        for body, words in [
                (dict(open_cube, shape="mesh", fixed=True), "it is open: 3 edges have one triangle only"),
                (dict(CUBE, shape="mesh", mass=1), "set fixed: true"),
                (dict(CUBE, shape="mesh", fixed=True, triangles=[[0, 1, 99]]), "corner 99"),
                (dict(CUBE, shape="mesh", fixed=True, triangles=[t[::-1] for t in CUBE["triangles"]]), "inside out"),
                ({"shape": "heights", "heights": [[0, 1], [0]], "spacing": [1, 1], "fixed": True}, "row 2 has 1 heights"),
                ({"shape": "heights", "heights": [[0, 1], [0, 1]], "fixed": True}, "two lengths"),
                ({"shape": "ellipsoid", "radii": [1, 2], "mass": 1}, "three lengths"),
                ({"shape": "cone", "radius": 1, "mass": 1}, "a cone needs a height > 0"),
                ({"shape": "sphere", "radius": 1, "radii": [1, 1, 1], "mass": 1}, "only an ellipsoid has this"),
                ({"parts": {"x": {"radius": 1}}, "mass": 1}, "a part has a shape"),
                ({"parts": [{"shape": "sphere", "radius": 1}], "density": 1}, "found a list, expected a map {name: …}"),
                ({"parts": {"x": {"shape": "sphere", "radius": 1, "density": 2}, "y": {"shape": "sphere", "radius": 1}}},
                 "of all parts, or of none")]:
            with self.subTest(words):
                more = {"other": {"shape": "sphere", "radius": 0.1, "mass": 1, "position": [9, 9, 9]}}
                p = saltus("check", self.scene(self.text({"bodies": {"a": body, **more}})))
                text = p.stdout + p.stderr
                self.assertEqual(p.returncode, 2, text)
                self.assertIn(words, text)
                self.assertRegex(text, r"scene.yaml:\d+:\d+")


if __name__ == "__main__":
    unittest.main()
