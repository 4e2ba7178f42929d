#!/usr/bin/env python3
"""saltus import: robots (URDF, MJCF) and meshes (STL, OBJ) as scenes."""
import json
import math
import struct
import unittest
from pathlib import Path

from program import Scenes, saltus

INERTIA = '<inertia ixx="{0}" iyy="{1}" izz="{2}" ixy="0" ixz="0" iyz="0"/>'


def link(name, mass=None, at="0 0 0", moments=(0.01, 0.01, 0.01), more=""):
    inertial = f'<inertial><origin xyz="{at}"/><mass value="{mass}"/>{INERTIA.format(*moments)}</inertial>' if mass else ""
    return f'<link name="{name}">{inertial}{more}</link>\n'


def joint(name, kind, parent, child, more="", xyz="0 0 0", rpy="0 0 0"):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/>{more}</joint>\n')


def pendulum(ratio, angle, t, n=4000):
    """theta'' = -ratio sin(theta) from rest at `angle`, by Runge and Kutta's method in small steps."""
    h, x, v = t / n, angle, 0.0
    f = lambda y: -ratio * math.sin(y)
    for _ in range(n):
        k1, l1 = v, f(x)
        k2, l2 = v + h / 2 * l1, f(x + h / 2 * k1)
        k3, l3 = v + h / 2 * l2, f(x + h / 2 * k2)
        k4, l4 = v + h * l3, f(x + h * k3)
        x, v = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    return x


def cube(size):
    p = [[size * (k & 1), size * (k >> 1 & 1), size * (k >> 2)] for k in range(8)]
    faces = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
             [1, 3, 5], [3, 7, 5]]
    return p, faces


class Import(Scenes):
    def put(self, name, content):
        path = Path(self.scene("saltus: 1\n")).parent / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def imported(self, name, content, *options, code=0):
        path = self.put(name, content)
        target = str(Path(path).parent / "imported.yaml")
        p = saltus("import", path, "-o", target, "--json", *options)
        self.assertEqual(p.returncode, code, p.stdout + p.stderr)
        out = json.JSONDecoder().raw_decode(p.stdout)[0] if p.stdout else {}
        return out, target, p.stdout + p.stderr

    def run_file(self, path, *options):
        p = saltus("run", path, "--json", "--no-estimate", *options)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        return json.loads(p.stdout)


class Robots(Import):
    def test_a_pendulum_of_two_links_with_turned_frames(self):
        # a rod of 2 kg and a fixed weight of 1 kg, about an axis along y: one body, J about the axis by hand
        text = ('<robot name="swing">' + link("base") +
                joint("pin", "continuous", "base", "rod", '<axis xyz="0 0 1"/>', rpy=f"{-math.pi / 2} 0 0", xyz="1 2 3") +
                link("rod", 2, "0.3 0 0", (0.001, 0.03, 0.05)) +
                joint("weld", "fixed", "rod", "weight", xyz="0.6 0 0", rpy="0.3 0.2 0.1") +
                link("weight", 1, "0 0 0", (0.004, 0.004, 0.004)) + "</robot>")
        out, scene, _ = self.imported("swing.urdf", text)
        self.assertEqual((out["bodies"], out["joints"]), (2, 1))
        first = self.run_file(scene, "--rtol", "1e-10", "--t-end", "0")
        centre = (2 * 0.3 + 1 * 0.6) / 3
        for x, y in zip(first["q"][:3], (1 + centre, 2, 3)):
            self.assertAlmostEqual(x, y, delta=1e-14)
        end = self.run_file(scene, "--rtol", "1e-10")
        J = 0.05 + 2 * 0.3 ** 2 + 0.004 + 0.6 ** 2
        angle = pendulum(3 * 9.81 * centre / J, math.pi / 2, 1)  # from the vertical
        self.assertAlmostEqual(end["q"][0], 1 + centre * math.sin(angle), delta=1e-8)
        self.assertAlmostEqual(end["q"][2], 3 - centre * math.cos(angle), delta=1e-8)

    def test_limits_damping_mimic_and_a_start_within_limits(self):
        text = ('<robot name="pair">' + link("base") +
                joint("one", "revolute", "base", "a", '<axis xyz="0 0 1"/><limit lower="0.2" upper="1"/>'
                      '<dynamics damping="0.5" friction="0.1"/>') + link("a", 1) +
                joint("two", "continuous", "base", "b", '<axis xyz="0 0 1"/><mimic joint="one" multiplier="-2"/>', xyz="1 0 0") +
                link("b", 1) + "</robot>")
        _, scene, _ = self.imported("pair.urdf", text)
        content = Path(scene).read_text()
        self.assertIn("angle: {start: 0.2, limits: [0.2, 1], damping: 0.5, friction: 0.1}", content)
        self.assertIn("driver: one.angle, driven: two.angle, ratio: -2", content)
        out = self.run_file(scene, "--rtol", "1e-8")
        self.assertAlmostEqual(out["q"][6], math.sin(0.1), delta=1e-12)  # a is turned by 0.2 and stays

    def test_a_robot_without_a_base_falls(self):
        box = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
        text = '<robot name="drone">' + link("body", 2, more=box) + "</robot>"
        _, scene, _ = self.imported("drone.urdf", text)
        self.assertAlmostEqual(self.run_file(scene, "--rtol", "1e-9")["q"][2], -9.81 / 2, delta=1e-9)
        _, scene, _ = self.imported("drone.urdf", text, "--fixed-base")
        self.assertIn("fixed: true", Path(scene).read_text())

    def test_what_is_left_out_is_listed_with_its_line(self):
        text = ('<robot name="x">\n' + link("body", 2, more='<collision><geometry><mesh filename="package://no/where.stl"/>'
                                            '</geometry></collision>') + '<gazebo/>\n<gazebo/>\n</robot>')
        out, _, _ = self.imported("x.urdf", text)
        self.assertEqual(sum("<gazebo>" in n for n in out["notes"]), 1)
        self.assertTrue(any("x.urdf:3: <gazebo>" in n for n in out["notes"]), out["notes"])
        self.assertTrue(any("where.stl" in n and "--packages" in n for n in out["notes"]), out["notes"])

    def test_what_changes_the_motion_is_refused_unless_accepted(self):
        text = ('<robot name="x">' + link("base") + joint("j", "continuous", "base", "ghost") + link("ghost") + "</robot>")
        out, scene, text_out = self.imported("x.urdf", text, code=2)
        self.assertIn("moves and has no mass", out["troubles"][0])
        self.assertFalse(Path(scene).exists())
        self.imported("x.urdf", text, "--accept")
        self.assertTrue(Path(scene).exists())

    def test_mistakes(self):
        for text, words in [("<robot name='x'>\n<link>\n", "x.urdf:"), ("<model/>", "no <robot>"),
                            ("<robot><link name='a'/><link name='a'/></robot>", "twice"),
                            ("<robot>" + link("a") + joint("j", "hinge", "a", "a") + "</robot>", "unknown type 'hinge'"),
                            ("<robot>" + link("a") + joint("j", "fixed", "a", "b") + "</robot>", "no link 'b'"),
                            ("<robot>" + link("a") + link("b") + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a")
                             + "</robot>", "ring"),
                            ("<robot>" + link("a", 1, at="0 0") + "</robot>", "has 2 numbers, expected 3")]:
            with self.subTest(words):
                self.assertIn(words, self.imported("x.urdf", text, code=2)[2])


class Mjcf(Import):
    def model(self, world, more="", options='angle="radian"'):
        return f'<mujoco model="m">\n<compiler {options}/>\n{more}<worldbody>\n{world}</worldbody>\n</mujoco>\n'

    def test_a_pendulum_with_classes_degrees_and_a_weight_by_density(self):
        # a capsule from the hinge to 0.6 m below and a ball of 2 kg at its end, swung out by 40 degrees about y
        text = self.model(
            '<body name="arm" pos="0 0 1" axisangle="0 1 0 -40" childclass="light">\n<joint name="pin" class="dry"/>\n'
            '<geom name="rod" fromto="0 0 0 0 0 -0.6" type="capsule"/>\n'
            '<body name="bob" pos="0 0 -0.6"><geom size="0.1" mass="2"/></body></body>\n'
            '<geom type="plane" size="1 1 1"/>\n',
            '<default><geom density="500"/><default class="light"><geom size="0.02"/>'
            '<default class="dry"><joint axis="0 2 0"/></default></default></default>\n', "")
        out, scene, _ = self.imported("swing.xml", text)
        self.assertEqual((out["bodies"], out["joints"]), (1, 1))
        end = self.run_file(scene, "--rtol", "1e-10")
        r, length = 0.02, 0.6
        rod, ends = 500 * math.pi * r * r * length, 500 * 4 / 3 * math.pi * r ** 3
        # of the capsule across its axis: the cylinder, and two half balls at its ends
        across = rod * (r * r / 4 + length ** 2 / 12) + ends * (0.4 * r * r + length ** 2 / 4 + 3 / 8 * length * r)
        pole = rod + ends
        J = across + pole * 0.3 ** 2 + 2 * (0.4 * 0.1 ** 2 + 0.6 ** 2)
        mass, centre = pole + 2, (pole * 0.3 + 2 * 0.6) / (pole + 2)
        angle = pendulum(mass * 9.81 * centre / J, math.radians(40), 1)
        self.assertAlmostEqual(end["q"][0], centre * math.sin(angle), delta=1e-7)
        self.assertAlmostEqual(end["q"][2], 1 - centre * math.cos(angle), delta=1e-7)

    def test_joints_limits_springs_and_equalities(self):
        text = self.model(
            '<body name="a"><joint name="one" axis="0 0 1" range="0.2 1" damping="0.5" frictionloss="0.1" stiffness="3" springref="0.4"/>'
            '<geom size="0.1" contype="0" conaffinity="0"/></body>\n'
            '<body name="b" pos="1 0 0"><joint name="two" axis="0 0 1"/><geom size="0.1" contype="0" conaffinity="0"/></body>\n'
            '<body name="c" pos="2 0 0"><joint name="way" type="slide" axis="0 0 1" range="-1 1" ref="0.25"/>'
            '<joint name="turn" axis="0 0 1"/><geom size="0.1" contype="0" conaffinity="0"/></body>\n',
            '<equality><joint joint1="two" joint2="one" polycoef="0 -2 0 0 0"/></equality>\n')
        out, scene, _ = self.imported("pair.xml", text)
        content = Path(scene).read_text()
        self.assertIn("angle: {start: 0.2, limits: [0.2, 1], stiffness: 3, rest: 0.4, damping: 0.5, friction: 0.1}", content)
        self.assertIn("driver: one.angle, driven: two.angle, ratio: -2", content)
        self.assertIn("shift: {limits: [-1.25, 0.75]}", content)
        self.assertEqual(out["joints"], 4)  # c has two, with a body between them
        self.assertTrue(any("a thousandth" in n for n in out["notes"]))
        self.run_file(scene, "--rtol", "1e-6", "--t-end", "0.1")

    def test_free_bodies_touch_each_other_and_the_plane(self):
        text = self.model('<geom type="plane" size="1 1 1" friction="0.3"/>\n'
                          '<geom name="rail" type="box" size="1 1 1" contype="0" conaffinity="2"/>\n'
                          '<body name="low" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>\n'
                          '<body name="high" pos="0 0 0.35"><joint type="free"/><geom type="sphere" size="0.1"/></body>\n')
        _, scene, _ = self.imported("pile.xml", text)
        content = Path(scene).read_text()  # types that no affinity names touch nothing
        self.assertNotIn("rail", content)
        end = self.run_file(scene, "--rtol", "1e-8")
        self.assertAlmostEqual(end["q"][2], 0.1, delta=1e-7)
        self.assertAlmostEqual(end["q"][9], 0.3, delta=1e-7)

    def test_included_files_connections_and_what_is_left_out(self):
        self.put("part.xml", '<mujocoinclude><body name="b" pos="0.5 0 0"><freejoint/><geom size="0.1" mass="1"/></body></mujocoinclude>')
        text = self.model('<camera/>\n<body name="a"><joint axis="0 1 0"/><geom size="0.1" mass="1" pos="0.2 0 0"/></body>\n<include file="part.xml"/>\n',
                          '<equality><connect body1="b" body2="a" anchor="-0.1 0 0"/></equality>\n<sensor/>\n')
        out, scene, _ = self.imported("whole.xml", text)
        self.assertEqual((out["bodies"], out["joints"]), (2, 2))
        self.assertTrue(any("whole.xml:6: <camera>" in n for n in out["notes"]), out["notes"])
        self.run_file(scene, "--rtol", "1e-6", "--t-end", "0.1")

    def test_what_changes_the_motion_is_refused_unless_accepted(self):
        body = '<body name="a"><joint name="j" axis="0 0 1" armature="0.1"/><geom size="0.1"/></body>\n'
        text = self.model(body, '<tendon><spatial/></tendon>\n<actuator><position joint="j"/></actuator>\n')
        out, scene, _ = self.imported("x.xml", text, code=2)
        self.assertEqual(len(out["troubles"]), 3, out["troubles"])
        self.imported("x.xml", text, "--accept")
        self.assertTrue(Path(scene).exists())

    def test_mistakes(self):
        for world, words in [("", "no body"), ('<body><joint type="screw"/><geom size="1"/></body>', "unknown type 'screw'"),
                             ('<body><freejoint/><geom type="box" size="1 1"/></body>', "needs 3 positive sizes"),
                             ('<body quat="0 0 0 0"><freejoint/><geom size="1"/></body>', "length zero"),
                             ('<body><freejoint/><geom class="none" size="1"/></body>', "no class 'none'"),
                             ('<body><freejoint/><geom type="mesh" mesh="none"/></body>', "no mesh 'none'"),
                             ('<include file="none.xml"/>', "none.xml"),
                             ('<body><joint axis="0 0 0"/><geom size="1"/></body>', "axis is zero"),
                             ('<body name="a"><freejoint/></body>', "has no mass")]:
            with self.subTest(words):
                self.assertIn(words, self.imported("x.xml", self.model(world), code=2)[2])
        self.assertIn("no <mujoco>", self.imported("x.xml", "<robot/>", code=2)[2])


class Meshes(Import):
    def stl(self, size):
        points, faces = cube(size)
        return "solid cube\n" + "".join("facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {' '.join(map(repr, points[k]))}\n" for k in f)
                                        + "endloop\nendfacet\n" for f in faces) + "endsolid\n"

    def test_the_hull_of_a_mesh_has_its_mass(self):
        _, scene, _ = self.imported("cube.stl", self.stl(2000), "--scale", "0.001", "--density", "500")
        out = self.run_file(scene, "--rtol", "1e-9")
        self.assertAlmostEqual(out["energy"]["initial"], 0, delta=1e-9)  # its centre is the origin
        self.assertAlmostEqual(out["q"][2], -9.81 / 2, delta=1e-9)
        points, faces = cube(2)
        binary = b"\0" * 80 + struct.pack("<I", 12) + b"".join(
            struct.pack("<12fH", 0, 0, 0, *(x for k in f for x in points[k]), 0) for f in faces)
        _, other, _ = self.imported("cube.stl", binary, "--density", "500")
        self.assertEqual(Path(scene).read_text(), Path(other).read_text())

    def test_an_obstacle_keeps_its_triangles(self):
        points, faces = cube(1)
        obj = "".join(f"v {' '.join(map(repr, p))}\n" for p in points) + "".join(f"f {' '.join(str(k + 1) for k in f)}\n" for f in faces)
        _, scene, _ = self.imported("cube.obj", obj, "--obstacle")
        text = Path(scene).read_text().replace("position: [0, 0, 0]", "position: [0.5, 0.4, 1.1]")
        self.assertNotIn("open", text)
        Path(scene).write_text(text)
        self.assertAlmostEqual(self.run_file(scene, "--rtol", "1e-9")["q"][2], 1.1, delta=1e-9)  # it lies on top
        lines = obj.splitlines()
        self.assertIn("turned against", self.imported("cube.obj", "\n".join(lines[:-1] + ["f 2 8 4"]), "--obstacle", code=2)[2])
        self.assertIn("line 9", self.imported("cube.obj", obj.replace("f 1 3 2", "f 1 3 99"), code=2)[2])


if __name__ == "__main__":
    unittest.main()
