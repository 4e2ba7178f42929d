#!/usr/bin/env python3
"""Results do not depend on units. A scene in lengths, times or masses 2^20 (a million) times larger or smaller has the
same digits: powers of two round nothing, so that any constant with a unit in the program shows. With 1e6 the digits of
the input differ, and results agree to what the motion makes of that."""
import unittest

from program import Scenes, saltus

BIG = 2.0**20


class Units:
    """Factors of length, time and mass."""

    def __init__(self, length=1.0, time=1.0, mass=1.0):
        self.L, self.T, self.M = length, time, mass

    def text(self, scene):
        """Numbers written as <value;length,time,mass> in these units."""
        parts = scene.split("<")
        out = parts[0]
        for part in parts[1:]:
            inside, rest = part.split(">", 1)
            value, powers = inside.split(";")
            l, t, m = (int(p) for p in powers.split(","))
            out += repr(float(value) * self.L**l * self.T**t * self.M**m) + rest
        return out


BOX = """saltus: 1
materials: {default: {mu: 0.4, e_n: 0.3}}
gravity: [0, <-9.81;1,-2,0>]
walls: {floor: {point: [0, 0], normal: [0, 1]}}
bodies:
  box: {shape: box, size: [<0.2;1,0,0>, <0.1;1,0,0>], mass: <1;0,0,1>, position: [0, <0.09;1,0,0>], angle: 0.2,
        velocity: [<1;1,-1,0>, 0]}
run: {t_end: <0.6;0,1,0>}
"""
BOX_AND_DISK = """saltus: 1
materials: {default: {mu: 0.4, e_n: 0}}
gravity: [0, <-9.81;1,-2,0>]
walls: {floor: {point: [0, 0], normal: [0, 1]}}
bodies:
  box: {shape: box, size: [<0.2;1,0,0>, <0.1;1,0,0>], mass: <1;0,0,1>, position: [0, <0.07;1,0,0>],
        velocity: [<1;1,-1,0>, 0]}
  top: {shape: disk, radius: <0.05;1,0,0>, mass: <0.3;0,0,1>, position: [<0.02;1,0,0>, <0.3;1,0,0>]}
run: {t_end: <0.5;0,1,0>}
"""
CHAIN = """saltus: 1
materials: {default: {mu: 0.3, e_n: 0.4}}
gravity: [0, <-9.81;1,-2,0>]
walls: {side: {point: [<0.15;1,0,0>, 0], normal: [-1, 0]}}
groups:
  link: {shape: box, size: [<0.1;1,0,0>, <0.02;1,0,0>], mass: <0.1;0,0,1>, position: [<-0.05;1,0,0>, 0],
         layout: {name: chain, count: 4, dx: <-0.1;1,0,0>, link: revolute}, self_contact: false}
links: {pin: {type: revolute, a: link.1, at: [0, 0]}}
run: {t_end: <0.5;0,1,0>}
"""
LOOP = """saltus: 1
parameters: {R: <1;1,0,0>, g: <9.81;1,-2,0>, m: <1;0,0,1>}
coordinates: {x: {start: 0, velocity: <7;1,-1,0>}, y: {start: -R}}
mass: {x: m, y: m}
forces: {y: -m*g}
contacts:
  loop: {gap: "R - hypot(x,y)", slip: "(x*y' - y*x')/hypot(x,y)", law: {name: coulomb, mu: 0.1}}
run: {t_end: <0.6;0,1,0>}
"""
PLANE = """saltus: 1
parameters: {m: <1;0,0,1>, k: <20;0,-2,1>, F: <5;1,-2,1>, w: <3;0,-1,0>}
coordinates: {x: {start: 0}, y: {start: 0, velocity: <1;1,-1,0>}}
mass: {x: m, y: m}
forces: {x: F*sin(w*t), y: -k*y}
contacts: {floor: {slip: ["x'", "y'"], law: {name: tresca, limit: <2;1,-2,1>, tangents: 2}}}
run: {t_end: <2;0,1,0>}
"""
PAD = """saltus: 1
parameters: {m: <1;0,0,1>, g: <9.81;1,-2,0>}
coordinates: {z: {start: <0.1;1,0,0>}}
mass: {z: m}
forces: {z: -m*g}
contacts: {pad: {gap: z, law: {name: dashpot, k: <1000;0,-2,1>, c: <3;0,-1,1>}}}
run: {t_end: <0.4;0,1,0>}
"""
OSCILLATOR = """saltus: 1
parameters: {m: <1;0,0,1>, k: <10;0,-2,1>, c: <0.5;0,-1,1>, B: <3;1,-2,1>, w: <2;0,-1,0>}
coordinates: {x: {start: <1;1,0,0>}}
mass: {x: m}
forces: {x: -k*x - c*x' + B*sin(w*t)}
contacts: {wall: {gap: x, law: {name: unilateral, e: 0.8}}}
run: {t_end: <3;0,1,0>}
"""
SCENES = {"box": BOX, "box and disk": BOX_AND_DISK, "chain": CHAIN, "loop": LOOP, "plane": PLANE, "pad": PAD,
          "oscillator": OSCILLATOR}
SCALES = [Units(length=BIG), Units(length=1 / BIG), Units(time=BIG), Units(time=1 / BIG), Units(mass=BIG),
          Units(mass=1 / BIG)]


def steps(units, bodies):
    """Methods with equal steps; those whose tolerance is a length where coordinates are lengths alone."""
    h = 2e-3 * units.T
    fixed, captured = f"fixed:h={h!r}", f"event-capturing:h={h!r}"
    yield "moreau-jean", fixed
    yield "moreau-projected", fixed
    yield "generalized-alpha", fixed
    yield "symplectic-euler", fixed
    yield "symplectic-euler", f"event-location:h={h!r}"
    yield "runge-kutta:tableau=herk-5", captured
    yield "runge-kutta:tableau=radau-iia-3", captured
    if not bodies:
        speed = 1e-6 * units.L / units.T
        yield "moreau-midpoint", (f"switching:h_max={10 * h!r},h_min={1e-3 * h!r},atol_q={1e-6 * units.L!r},"
                                  f"atol_u={speed!r},gap_tol={1e-6 * units.L!r}")


class AnyUnits(Scenes):
    def run_in(self, units, scene, method):
        scheme, stepping = method
        return self.run_json(units.text(scene), "--scheme", scheme, "--stepping", stepping)

    def distance(self, units, one, other):
        """Of the final states in the first units, relative to the largest coordinate of a kind."""
        worst = 0.0
        for key, unit in (("q", units.L), ("u", units.L / units.T)):
            for turns in (True, False):
                names = [n for n in one["final"]["coordinates"] if n.endswith("angle") == turns]
                factor = (1 if key == "q" else 1 / units.T) if turns else unit
                a = [one["final"]["coordinates"][n][key] for n in names]
                b = [other["final"]["coordinates"][n][key] / factor for n in names]
                size = max(map(abs, a), default=0)
                if size > 1e-9:
                    worst = max(worst, max(abs(x - y) for x, y in zip(a, b)) / size)
        return worst

    def test_all_methods_have_the_same_digits_in_all_units(self):
        for name, scene in SCENES.items():
            own = [(m, self.run_in(Units(), scene, m)) for m in steps(Units(), "bodies" in scene or "groups" in scene)]
            for units in SCALES:
                for (method, one), scaled in zip(own, steps(units, "bodies" in scene or "groups" in scene)):
                    with self.subTest(scene=name, method=method, units=vars(units)):
                        other = self.run_in(units, scene, scaled)
                        self.assertLess(self.distance(units, one, other), 1e-12)
                        self.assertEqual(len(one["events"]), len(other["events"]))

    def test_lengths_a_million_times_longer_and_shorter_make_no_difference(self):
        captured = "runge-kutta:tableau=radau-iia-5"
        for name in ("box", "chain", "loop"):
            one = self.run_in(Units(), SCENES[name], (captured, "event-capturing:h=2e-3"))
            for factor in (1e6, 1e-6):
                units = Units(length=factor)
                other = self.run_in(units, SCENES[name], (captured, "event-capturing:h=2e-3"))
                self.assertLess(self.distance(units, one, other), 1e-9, (name, factor))

    def test_a_start_that_violates_a_joint_is_refused_in_any_unit(self):
        pendulum = """saltus: 1
parameters: {L: <1;1,0,0>, m: <1;0,0,1>, g: <10;1,-2,0>}
coordinates: {x: {start: <0.1;1,0,0>}, y: {start: <-1;1,0,0>}}
mass: {x: m, y: m}
potential: m*g*y
joints: {rod: "hypot(x, y) - L"}
run: {t_end: <1;0,1,0>, h: <0.001;0,1,0>}
"""
        for units in (Units(), Units(length=1e-6), Units(length=1e-9), Units(length=1e6)):
            done = saltus("run", self.scene(units.text(pendulum)))
            self.assertEqual(done.returncode, 2, units.L)
            self.assertIn("rod", done.stderr)


class CurvedContacts(Scenes):
    def loop(self, mu, k):
        return f"""saltus: 1
parameters: {{R: 1 m, m: 1 kg, g: 9.81 m/s^2, mu: {mu}, k: {k}}}
coordinates: {{x: {{start: 0 m, velocity: sqrt(k*g*R)}}, y: {{start: -R}}}}
mass: {{x: m, y: m}}
forces: {{y: -m*g}}
contacts:
  loop: {{gap: "R - hypot(x,y)", slip: "(x*y' - y*x')/hypot(x,y)", law: {{name: coulomb, mu: mu}}}}
run: {{t_end: 1.2 s}}
"""

    def test_a_bead_that_leaves_a_rough_loop_keeps_its_velocity(self):
        """Symplectic steps with located events: nothing sticks where the normal force vanishes."""
        for mu in (0.05, 0.1, 0.2):
            for k in (4, 4.5, 5.5, 7):
                scene = self.loop(mu, k)
                good = self.run_json(scene, "--rtol", "1e-9", "--no-estimate")
                runs = [self.run_json(scene, "--scheme", "symplectic-euler", "--stepping", f"event-location:h={h}")
                        for h in (2e-3, 5e-4)]
                errors = [max(abs(a - b) for a, b in zip(r["q"], good["q"])) for r in runs]
                self.assertLess(errors[1], 2e-3, (mu, k))
                self.assertLess(errors[1], 0.4 * errors[0] + 1e-5, (mu, k))
                self.assertNotIn("stick", [e["kind"] for r in runs for e in r["events"]], (mu, k))

    def test_a_bead_that_stays_on_a_loop_has_no_impacts(self):
        """Where the normal is along an axis, or a step turns it by much, there is no edge."""
        for method in (["--rtol", "1e-8", "--no-estimate"], ["--rtol", "1e-4", "--no-estimate"],
                       ["--scheme", "runge-kutta:tableau=herk-4", "--h", "1e-3"],
                       ["--scheme", "runge-kutta:tableau=radau-iia-5", "--h", "1e-2"]):
            for mu in (0, 0.05):
                done = self.run_json(self.loop(mu, 7), *method)
                self.assertEqual([e["kind"] for e in done["events"]], ["close"], (method, mu))

    def test_the_ledger_of_a_composition_has_its_order(self):
        rest = []
        for h in (4e-3, 2e-3, 1e-3):
            done = self.run_json(self.loop(0.05, 7), "--scheme", "symplectic-euler:composition=strang", "--stepping",
                                 f"event-location:h={h}")
            rest.append(abs(done["ledger"]["remainder"]))
        self.assertLess(rest[0], 1e-4 * done["ledger"]["scale"])
        self.assertGreater(rest[0] / rest[1], 3.5)
        self.assertGreater(rest[1] / rest[2], 3.5)


class SlipThatBegins(Scenes):
    """A table on four feet, pulled and turned: slip begins on all of them at once, each in its own direction."""
    TABLE = """saltus: 1
parameters: {m: 2 kg, J: 0.3 kg m^2, a: 0.4 m, b: 0.3 m, mu: 0.3, g: 9.81 m/s^2, F: 9 N, w: 3 rad/s}
coordinates: {x: {start: 0 m}, y: {start: 0 m}, z: {start: 0 m}, r: {start: 0 rad}}
mass: {x: m, y: m, z: m, r: J}
forces: {x: F*sin(w*t), y: 0.5*F*(1-cos(w*t)), z: -m*g, r: 0.2*a*F*sin(w*t)}
contacts:
  f1: {gap: z, slip: ["x' - b*r'", "y' + a*r'"], law: {name: coulomb, mu: mu, tangents: 2}}
  f2: {gap: z, slip: ["x' - b*r'", "y' - a*r'"], law: {name: coulomb, mu: mu, tangents: 2}}
  f3: {gap: z, slip: ["x' + b*r'", "y' + a*r'"], law: {name: coulomb, mu: mu, tangents: 2}}
  f4: {gap: z, slip: ["x' + b*r'", "y' - a*r'"], law: {name: coulomb, mu: mu, tangents: 2}}
run: {t_end: 1 s}
"""

    def test_all_tableaus_come_through_and_agree(self):
        fine = self.run_json(self.TABLE, "--scheme", "moreau-jean", "--stepping", "fixed:h=2e-5")
        for tableau in ("herk-4", "herk-5", "radau-iia-5", "radau-iia-3", "gauss-4"):
            error = []
            for h in (4e-3, 1e-3):
                done = self.run_json(self.TABLE, "--scheme", f"runge-kutta:tableau={tableau}", "--h", str(h))
                self.assertLess(done["stats"]["steps"], 4 / h, tableau)
                error.append(max(abs(a - b) for a, b in zip(done["q"], fine["q"])))
            self.assertLess(error[1], 1e-4, tableau)

    def test_runs_by_tolerance_come_through_and_follow_it(self):
        fine = self.run_json(self.TABLE, "--rtol", "1e-12", "--no-estimate")
        for rtol in (1e-4, 1e-7, 1e-8, 1e-10):
            done = self.run_json(self.TABLE, "--rtol", str(rtol), "--no-estimate")
            self.assertEqual(sum(e["kind"] == "slip" for e in done["events"]), 4, rtol)
            for a, b in zip(done["q"] + done["u"], fine["q"] + fine["u"]):
                self.assertLess(abs(a - b), 5 * rtol, rtol)


if __name__ == "__main__":
    unittest.main()
