"""Sweeps and studies."""
import json
import os
import signal
import threading

import numpy as np
import pytest
import saltus
from conftest import SCENES, program


def test_sweep_is_that_of_the_program():
    over = {"e": np.linspace(0.5, 0.9, 3), "h": [0.01, 0.02]}
    table = saltus.sweep("bouncing-ball", over=over, measure=["n = events.impact", "max.u"], scheme="moreau-jean", threads=2)
    assert table.success and table.shape == (3, 2) and list(table.axes) == ["e", "h"]
    assert np.array_equal(table.axes["e"], over["e"])
    said = json.loads(program("sweep", "bouncing-ball", "--over", "e=list:0.5,0.7,0.9", "--over", "h=list:0.01,0.02", "--measure",
                              "n = events.impact", "--measure", "max.u", "--scheme", "moreau-jean", "--json"))
    assert table["n"].ravel().tolist() == [r["measures"]["n"] for r in said["rows"]]
    one = saltus.run("bouncing-ball", scheme="moreau-jean", h=0.02, parameters={"e": 0.7})
    assert table["n"][1, 1] == np.sum(one.events["kind"] == "impact")


def test_sweep_of_a_model_over_its_fields_with_error_bars():
    m = saltus.Model(t_end=1.2)
    e, z = m.parameter("e", 0.5), m.coordinate("z", start="1 m")
    m.mass(z, "1 kg")
    m.force(z, "-9.81 N")
    m.contact("floor", gap=z, e=e)
    table = saltus.sweep(m, over={"coordinates.z.start": [1.0, 2.0]}, measure="top = final.z", rtol=1e-8)
    assert table.success and np.isfinite(table.errors["top"]).all() and table.errors["top"].max() < 1e-5


def test_samples_and_resumed_sweeps(tmp_path):
    drawn = saltus.sweep("bouncing-ball", sample={"e": "uniform(0.2, 0.8)"}, points=4, seed=3, measure="n = events", no_estimate=True)
    assert drawn.shape == (4,) and not drawn.axes and ((drawn["e"] > 0.2) & (drawn["e"] < 0.8)).all()
    file = tmp_path / "t.csv"
    first = saltus.sweep("bouncing-ball", over={"e": [0.5, 0.6]}, measure="n = events", output=file)
    again = saltus.sweep("bouncing-ball", over={"e": [0.5, 0.6]}, measure="n = events", output=file, resume=True)
    assert np.array_equal(first["n"], again["n"]) and file.exists()


def test_converge_and_work_precision():
    study = saltus.converge("bouncing-ball", h=[0.02, 0.01, 0.005], scheme=["moreau-jean", "schatzman-paoli"])
    assert study.success and len(study.tables) == 2
    said = json.loads(program("converge", "bouncing-ball", "--h", "0.02,0.01,0.005", "--scheme", "moreau-jean", "--json"))
    assert study.tables[0]["q_sup"].tolist() == [r["error"]["q_sup"] for r in said["rows"]]
    assert np.array_equal(study.tables[0]["h"], [0.02, 0.01, 0.005])
    assert study.tables[0]["orders"] == said["order"] and study.tables[1]["orders"]["q_l1"] != said["order"]["q_l1"]
    assert study.plot() is not None
    work = saltus.work_precision("bouncing-ball", rtol=[1e-4, 1e-6])
    assert (np.diff(work.tables[0]["force_evaluations"]) >= 0).all() and work.plot() is not None


def test_a_study_that_was_interrupted_says_so():
    for check in (False, True):
        stop = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        stop.start()
        try:
            study = saltus.converge("bouncing-ball", h=[1e-6, 5e-7], check=check)
        except saltus.StudyError as error:
            assert check and "interrupted" in str(error)
            study = error.study
        stop.join()
        assert not study.success and study.message.startswith("interrupted")


def test_verify_and_compare():
    sol = saltus.run("impact-oscillator", rtol=1e-6)
    found = saltus.verify(sol)
    assert found.accepted and "misfits" in found and found.plot() is not None
    close = saltus.compare(sol, saltus.run("impact-oscillator", rtol=1e-9))
    assert 0 < close["distance"]["q_sup"] < 1e-3
    own = saltus.compare(sol)
    assert own["distance"]["q_sup"] < 1e-3


def test_lists():
    assert "bouncing-ball" in saltus.problems() and "moreau-jean" in saltus.schemes()
    assert "lemke" in saltus.solvers() and "tolerance" in saltus.steppings()
    assert "bruls-2018/fig-12" in saltus.studies()


def test_reproduce(tmp_path):
    found = saltus.reproduce("bruls-2018/inactive-rows", out=tmp_path)
    assert found.as_expected and found.claims and all("verdict" in c for c in found.claims)


def test_pictures(tmp_path):
    sol = saltus.run(SCENES / "box-stack.yaml", t_end=0.1, no_estimate=True)
    assert sol.plot() is not None and sol.snapshot() is not None and sol.plot_energy() is not None
    sol.animate(tmp_path / "stack.gif", fps=4, speed=0.1, size=2)
    assert (tmp_path / "stack.gif").stat().st_size > 1000
    with pytest.raises(saltus.Error, match="no picture"):
        saltus.run("bouncing-ball").animate()
    assert saltus.sweep("bouncing-ball", over={"e": [0.5, 0.6], "h": [0.01, 0.02]}, measure="n = events",
                        scheme="moreau-jean").plot() is not None
    import matplotlib.pyplot as plt

    plt.close("all")


def test_bodies_in_space_have_pictures(tmp_path):
    """What is drawn lies where the body is."""
    s = saltus.Scene(t_end=0.2)
    ball = s.space.body("ball", "sphere", radius=0.2, mass=1, position=(1, 2, 3))
    s.space.body("die", "box", size=(0.1, 0.1, 0.1), mass=1, position=(1, 2, 4))
    s.space.wall("floor", normal=(0, 0, 1))
    sol = s.run(no_estimate=True)
    ax = sol.snapshot(0.1)
    faces = [c for c in ax.collections]
    assert len(faces) == 3
    place = sol.body(ball).position[0] - [0, 0, 9.81 * 0.1**2 / 2]
    low, high = (np.array(side) for side in zip(ax.get_xlim(), ax.get_ylim(), ax.get_zlim()))
    assert (low < place - 0.19).all() and (place + 0.19 < high).all()
    sol.animate(tmp_path / "space.gif", fps=10, size=2)
    assert (tmp_path / "space.gif").stat().st_size > 1000
    import matplotlib.pyplot as plt

    plt.close("all")


def test_bad_studies_are_exceptions():
    for bad in (lambda: saltus.sweep("bouncing-ball", over={"e": []}, measure="events"),
                lambda: saltus.sweep("bouncing-ball", over={"x": [1]}, measure="events"),
                lambda: saltus.sweep("bouncing-ball", over={"e": [0.5]}, measure="nothing"),
                lambda: saltus.sweep("bouncing-ball", over={"e": np.ones((2, 2))}, measure="events"),
                lambda: saltus.sweep("bouncing-ball", over={"e": [0.5]}), lambda: saltus.sweep("bouncing-ball", over=[1, 2]),
                lambda: saltus.sweep("bouncing-ball", sample="e"), lambda: saltus.check("bouncing-ball", set=3),
                lambda: saltus.sweep("bouncing-ball", over={"e": [0.5]}, measure=3), lambda: saltus.check("bouncing-ball"),
                lambda: saltus.check(saltus.Functions(lambda t, q, u: -q, (0, 1), [1.0])), lambda: saltus.verify(3),
                lambda: saltus.converge("bouncing-ball"), lambda: saltus.converge("bouncing-ball", h="x"),
                lambda: saltus.verify("nothing.h5"), lambda: saltus.compare("nothing.h5"), lambda: saltus.reproduce("nobody-1900")):
        with pytest.raises((saltus.Error, TypeError)):
            bad()
