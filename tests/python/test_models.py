"""Models in Python: symbols, scenes in objects, functions."""
import json

import numpy as np
import pytest
import saltus
from conftest import SCENES, program


def ball(**run):
    m = saltus.Model(**{"t_end": 5, **run})
    g, e = m.parameter("g", 2), m.parameter("e", 0.5)
    z = m.coordinate("z", start=1)
    m.mass(z, 1)
    m.potential(g * z)
    m.contact("floor", gap=z, e=e)
    return m


def test_a_symbolic_model_has_the_bits_of_its_scene():
    theirs = saltus.run(SCENES / "bouncing-ball.yaml", rtol=1e-9)
    mine = ball().run(rtol=1e-9)
    assert np.array_equal(mine.q, theirs.q) and np.array_equal(mine.events["t"], theirs.events["t"])
    assert mine.names == ["z"]
    assert ball().run(rtol=1e-9, parameters={"e": 0.7}).events["t"][1] > mine.events["t"][1]


def test_a_pendulum_by_its_lagrangian():
    m = saltus.Model(t_end=2)
    a = m.coordinate("a", start=-np.pi / 3)
    x, y = m.let("x", saltus.sin(a)), m.let("y", -np.cos(a))
    m.kinetic((x.rate**2 + y.rate**2) / 2)
    m.potential(9.81 * y)
    m.contact("wall", gap=0.4 - x, e=0.7)
    sol = m.run(rtol=1e-9)
    assert sol.success and np.sin(sol.q).max() < 0.4 + 1e-9
    assert sol.energy[0] - sol.energy[-1] == pytest.approx(sol.ledger["impacts"], rel=1e-6)


def test_formulas_keep_their_meaning():
    m = saltus.Model()
    x, y = m.coordinate("x"), m.coordinate("y")
    t = m.t
    cases = [((x - y) - 1, "x - y - 1"), (x - (y - 1), "x - (y - 1)"), (x / (y * 2), "x/(y*2)"), (-x**2, "-x^2"),
             ((-x)**2, "(-x)^2"), (2**x, "2^x"), (x**-1, "x^(-1)"), (x * -1, "x*(-1)"), (1 / x, "1/x"),
             ((x**2)**3, "(x^2)^3"), (abs(x), "abs(x)"), ((x > 0) & (y < 1) | ~(x == y), "x > 0 and y < 1 or not x == y"),
             (np.hypot(x, y) + np.minimum(x, 2), "hypot(x, y) + min(x, 2)"), (np.float64(2) * x, "2.0*x"),
             (saltus.where(t > 1, x, -x), "if(t > 1, x, -x)"), (1 - x, "1 - x"), (+x, "x")]
    for value, text in cases:
        assert str(value) == text
    assert [str(v) for v in np.array([1, 2]) * x] == ["1*x", "2*x"]
    for bad in (lambda: bool(x > 0), lambda: float(x), lambda: x + "y", lambda: x + [1], lambda: np.arcsinh(x),
                lambda: x + np.nan, lambda: __import__("math").sin(x)):
        with pytest.raises((TypeError, ValueError)):
            bad()


def test_texts_of_formulas_evaluate_as_python_does():
    """The value of a formula is seen as the start of a coordinate that stands still."""
    rng = np.random.default_rng(1)
    values = rng.uniform(0.5, 2, 3)
    makers = [lambda a, b, c: a - (b - c) * 2 / a, lambda a, b, c: -a**2 + (a - b)**2 / c, lambda a, b, c: (a / b) / c * (a + b),
              lambda a, b, c: np.sqrt(a * a + b * b) - np.hypot(a, b) + c, lambda a, b, c: a - b - c - (a + (b - c)),
              lambda a, b, c: 2.0**a * b**c / (1 / (a * b)), lambda a, b, c: np.maximum(a, b) - np.minimum(b, c) + abs(-c)]
    for make in makers:
        m = saltus.Model(t_end=0)
        names = [m.parameter(n, v) for n, v in zip("abc", values)]
        x = m.coordinate("x", start=make(*names))
        m.mass(x, 1)
        assert m.run().q[0, 0] == pytest.approx(make(*values), rel=1e-14)


def test_bodies_links_springs_and_motors():
    m = saltus.Scene("Crank", t_end=0.1)
    omega = m.parameter("omega", 6.28)
    m.gravity(0, 0)
    crank = m.body("crank", "disk", radius=0.05, mass=1, position=(0, 0), spin=omega)
    rod = m.body("rod", "box", size=(0.3, 0.01), mass=0.1, position=(0.2, 0), velocity=(0, omega * 0.05 / 2), spin=-omega / 6)
    weight = m.body("weight", "box", size=(0.04, 0.02), mass=0.5, position=(0.35, 0))
    axle = m.link("axle", "revolute", crank, at=(0, 0))
    m.link("pin", "revolute", crank, rod, at=(0.05, 0))
    m.link("eye", "revolute", rod, weight, at=(0.35, 0))
    m.link("rail", "prismatic", weight, at=(0.35, 0), axis=(1, 0))
    m.spring("back", weight, at_b=(0.6, 0), stiffness=20, damping=0.1)
    m.motor("drive", link=axle, speed=omega)
    m.measure("angle", "final.crank.angle")
    sol = m.run()
    assert sol.success and sol.measures["angle"] == pytest.approx(0.628, rel=1e-6)
    assert sol[crank.angle.name][-1] == pytest.approx(0.628, rel=1e-6)
    same = saltus.Scene.from_yaml(m.to_yaml())
    assert np.array_equal(same.run().q, sol.q) and same.to_yaml() == m.to_yaml()


@pytest.mark.parametrize("name", sorted(p.stem for p in SCENES.glob("*.yaml")))
def test_every_example_is_read_and_written_without_loss(name, tmp_path):
    scene = saltus.Scene.read(SCENES / f"{name}.yaml")
    scene.write(tmp_path / "copy.yaml")
    assert saltus.Scene.read(tmp_path / "copy.yaml").document == scene.document
    a, b = (json.loads(program("check", f, "--json")) for f in (SCENES / f"{name}.yaml", tmp_path / "copy.yaml"))
    a.pop("file"), b.pop("file")
    assert a == b


def test_mistakes_in_models_are_told_with_their_field():
    m = ball()
    m.force("y", 1)
    with pytest.raises(saltus.SceneError, match="forces"):
        m.run()
    with pytest.raises(saltus.Error, match="there is one already"):
        ball().coordinate("z")
    with pytest.raises(saltus.SceneError, match="unknown"):
        s = saltus.Scene(t_end=1)
        s.body("b", "sphere", mass=1)
        s.check()
    with pytest.raises(saltus.SceneError):
        saltus.Scene.from_yaml("a: [1")
    for value, path in ((float("nan"), "parameters.n"), ({"a": [1, [2, float("inf")]]}, r"parameters.n.a.1.1")):
        m = ball()
        m.parameter("n", value)
        with pytest.raises(saltus.Error, match=path):
            m.run()
    for value in (None, [1, 2], 1j):
        with pytest.raises(TypeError):
            ball().force("z", value)
    with pytest.raises(TypeError, match="bodies.b.mass"):
        s.document["bodies"]["b"]["mass"] = {1, 2}
        s.run()


# ---- functions


def test_functions_against_a_closed_form():
    sol = saltus.solve(lambda t, q, u: [-2.0], (0, 5), [1.0], gap=lambda t, q: q[0], e=0.5, rtol=1e-9,
                       potential=lambda t, q: 2 * q[0])
    same = saltus.run("bouncing-ball", rtol=1e-9, no_estimate=True)
    assert np.allclose(sol.events["t"][:5], same.events["t"][:5], rtol=1e-9)
    assert sol.q[-1, 0] == pytest.approx(0, abs=1e-9) and sol.success
    assert sol.energy[0] == pytest.approx(2)


def test_friction_mass_matrix_and_joints_by_functions():
    # a block slides on a plane and stops after v/(mu g)
    sol = saltus.solve(lambda t, q, u: [0, -9.81], (0, 1), [0, 0], [1, 0], gap=lambda t, q: q[1], slip=lambda t, q, u: u[:1], mu=0.3,
                       names=["x", "y"])
    assert sol["x"][-1] == pytest.approx(1 / (2 * 0.3 * 9.81), rel=1e-5) and sol.u[-1] == pytest.approx([0, 0], abs=1e-9)
    # a pendulum of two coordinates and a joint against one of one coordinate
    g = 9.81
    pendulum = saltus.solve(lambda t, q, u: [0, -g], (0, 1), [1, 0], joint=lambda t, q: q[0]**2 + q[1]**2 - 1, rtol=1e-8)
    angle = saltus.solve(lambda t, q, u: -g * np.cos(q), (0, 1), [0.0], rtol=1e-10)
    assert pendulum.q[-1] == pytest.approx([np.cos(angle.q[-1, 0]), np.sin(angle.q[-1, 0])], abs=1e-5)
    # the mass as a matrix of the configuration: a bead on a rotating frame by polar coordinates
    polar = saltus.solve(lambda t, q, u: [q[0] * u[1]**2, -2 * q[0] * u[0] * u[1]], (0, 2), [1, 0], [0.3, 0.5],
                         mass=lambda t, q: np.diag([1, q[0]**2]), rtol=1e-10)
    r, phi = polar.q[-1]
    assert [r * np.cos(phi), r * np.sin(phi)] == pytest.approx([1 + 0.6, 1.0], rel=1e-8)  # free flight


def test_derivatives_of_functions():
    def curved(sol):
        return sol.q[-1]

    options = dict(e=0.6, rtol=1e-8)
    start = ((0, 1.2), [0.3, 1.0], [0.1, 0.0])
    force = lambda t, q, u: [0, -9.81]
    by_complex = saltus.solve(force, *start, gap=lambda t, q: q[1] - 0.1 * q[0]**2 + 0.01 * t, **options)
    real = lambda t, q: float(np.real(q[1])) - 0.1 * float(np.real(q[0]))**2 + 0.01 * float(np.real(t))
    by_differences = saltus.solve(force, *start, gap=real, **options)
    given = saltus.solve(force, *start, gap=real, gap_jacobian=lambda t, q: [-0.2 * q[0], 1], **options)
    assert curved(by_differences) == pytest.approx(curved(by_complex), rel=1e-6)
    assert curved(given) == pytest.approx(curved(by_complex), rel=1e-6)
    stiff = dict(scheme="moreau-jean", h=1e-3)
    spring = lambda t, q, u: -100 * q**3 - u
    a = saltus.solve(spring, (0, 1), [1.0], **stiff)
    b = saltus.solve(spring, (0, 1), [1.0], force_jacobian=lambda t, q, u: (np.diag(-300 * q**2), -np.eye(1)), **stiff)
    assert np.allclose(a.q, b.q, rtol=1e-9)


def test_a_force_that_raises_ends_the_run_with_its_exception():
    class Own(Exception):
        pass

    def force(t, q, u):
        if t > 0.5:
            raise Own("in the middle")
        return [-9.81]

    with pytest.raises(Own, match="in the middle"):
        saltus.solve(force, (0, 1), [10.0])
    with pytest.raises(Own):
        saltus.solve(force, (0, 1), [10.0], scheme="moreau-jean", h=0.01)


BAD = {
    "force too long": dict(force=lambda t, q, u: [1, 2]),
    "force a matrix": dict(force=lambda t, q, u: np.ones((1, 1))),
    "force None": dict(force=lambda t, q, u: None),
    "force text": dict(force=lambda t, q, u: "abc"),
    "force complex": dict(force=lambda t, q, u: [1j]),
    "force ragged": dict(force=lambda t, q, u: [[1], [1, 2]]),
    "force with two arguments": dict(force=lambda t, q: [1]),
    "force no function": dict(force=3),
    "gap a matrix": dict(gap=lambda t, q: np.ones((2, 2))),
    "gap empty": dict(gap=lambda t, q: []),
    "gap text": dict(gap=lambda t, q: "x"),
    "gap that changes its size": dict(gap=lambda t, q: q if t < 0.2 else np.array([1.0, 2.0])),
    "e out of range": dict(gap=lambda t, q: q, e=2),
    "e too many": dict(gap=lambda t, q: q, e=[0.1, 0.2]),
    "mu negative": dict(gap=lambda t, q: q, slip=lambda t, q, u: u, mu=-1),
    "slip without gap": dict(slip=lambda t, q, u: u, mu=1),
    "q0 nan": dict(q0=[np.nan]),
    "q0 complex": dict(q0=np.array([1j])),
    "q0 matrix": dict(q0=[[1.0, 2.0]]),
    "q0 text": dict(q0="abc"),
    "q0 empty": dict(q0=[]),
    "u0 too long": dict(u0=[1, 2]),
    "mass zero": dict(mass=0.0),
    "mass negative": dict(mass=[-1.0]),
    "mass nan": dict(mass=np.nan),
    "mass wrong shape": dict(mass=np.eye(3)),
    "mass text": dict(mass="heavy"),
    "mass not symmetric": dict(q0=[1, 2], force=lambda t, q, u: [0, 0], mass=[[1, 0.5], [0, 1]]),
    "end before start": dict(t_span=(1, 0)),
    "end nan": dict(t_span=(0, np.nan)),
    "three times": dict(t_span=(0, 1, 2)),
    "jacobian wrong shape": dict(gap=lambda t, q: q, gap_jacobian=lambda t, q: np.ones((3, 3))),
    "names too many": dict(names=["a", "b"]),
    "names twice": dict(q0=[1, 2], force=lambda t, q, u: [0, 0], names=["a", "a"]),
    "names of numbers": dict(names=[1]),
    "contacts too many": dict(gap=lambda t, q: q, contacts=["a", "b"]),
    "mu without slip": dict(gap=lambda t, q: q, mu=0.3),
    "e without gap": dict(e=0.5),
    "gap returns nothing": dict(gap=lambda t, q: None),
    "q0 None": dict(q0=None),
    "q0 a date": dict(q0=np.array(["2020-01-01"], dtype="datetime64[D]")),
    "q0 too large": dict(q0=[10**400]),
    "e None": dict(gap=lambda t, q: q, e=None),
    "mass None": dict(mass=None),
    "times too large": dict(t_span=(0, 10**400)),
    "times text": dict(t_span=(0, "x")),
    "times complex": dict(t_span=(0, 1j)),
    "names None": dict(names=None),
    "jacobian is no pair": dict(force_jacobian=lambda t, q, u: [[0.0]]),
    "an option of SciPy": dict(t_eval=[0.1]),
    "tolerance is a dict": dict(rtol={}),
    "progress text": dict(progress="yes"),
    "slip not linear": dict(gap=lambda t, q: q, slip=lambda t, q, u: u**2, mu=0.3),
    "option": dict(rtol="small"),
    "a start that penetrates": dict(gap=lambda t, q: q - 2),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_functions_are_exceptions(case):
    given = {"force": lambda t, q, u: [-9.81], "t_span": (0, 1), "q0": [1.0], **BAD[case]}
    with pytest.raises((saltus.Error, TypeError)) as caught:
        saltus.solve(**given)
    assert len(str(caught.value)) > 8 and "incompatible" not in str(caught.value)


def test_one_name_may_be_a_text():
    sol = saltus.solve(lambda t, q, u: [-9.81], (0, 1), [1.0], gap=lambda t, q: q, names="height", contacts="floor")
    assert sol.names == ["height"] and set(sol.events["contact"]) == {"floor"}


def test_what_is_not_a_number_on_the_way_fails_the_run():
    for bad in (dict(force=lambda t, q, u: [np.nan if t > 0.5 else 0.0]), dict(gap=lambda t, q: [np.nan if t > 0.5 else 1.0])):
        sol = saltus.solve(**{"force": lambda t, q, u: [-9.81], "t_span": (0, 1), "q0": [9.0], **bad})
        assert not sol.success and sol.message
        with pytest.raises(saltus.RunError):
            saltus.solve(**{"force": lambda t, q, u: [-9.81], "t_span": (0, 1), "q0": [9.0], "check": True, **bad})


def test_a_mass_that_vanishes_on_the_way_fails_the_run():
    for mass in (lambda t, q: [1 - 2 * t], lambda t, q: [[1 - 2 * t]]):
        sol = saltus.solve(lambda t, q, u: [-9.81], (0, 1), [1.0], mass=mass)
        assert not sol.success and sol.t[-1] <= 0.5 and sol.message


def test_messages_say_what_to_do():
    for given, words in ((dict(gap=lambda t, q: None), "is its return missing"), (dict(t_eval=[1]), "sol(t)"),
                         (dict(method="RK45"), "scheme"), (dict(q0=[10**400]), "q0 has a number that is too large")):
        with pytest.raises((saltus.Error, TypeError)) as caught:
            saltus.solve(**{"force": lambda t, q, u: [-9.81], "t_span": (0, 1), "q0": [1.0], **given})
        assert words in str(caught.value)
    m = saltus.Model(t_end=1)
    x = m.coordinate("x", start=np.array(2.0))
    with pytest.raises(ValueError, match="not finite"):
        x * 10**400
    with pytest.raises(saltus.Error, match="not UTF-8"):
        saltus.Scene("\udc80", t_end=1).run()
    with pytest.raises(TypeError):
        saltus.Scene.from_yaml(None)


def test_sweeps_over_functions():
    model = saltus.Functions(lambda t, q, u: [-9.81], (0, 1), [1.0], gap=lambda t, q: q[0], e=0.5)
    table = saltus.sweep(model, over={"e": [0.2, 0.8]}, measure="n = events.impact", threads=2, no_estimate=True)
    assert table.success and table["n"].shape == (2,) and table["n"][0] > table["n"][1]
