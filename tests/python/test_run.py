"""Runs, and what a Solution has of them."""
import json
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import saltus
from conftest import SCENES, program, same_numbers

def test_options_are_those_of_the_program():
    sol = saltus.run("bouncing-ball", scheme="moreau-jean:theta=0.5", h=0.01, t_end="2 s", parameters={"e": 0.8})
    said = json.loads(program("run", "bouncing-ball", "--scheme", "moreau-jean:theta=0.5", "--h", 0.01, "--t-end", "2 s",
                              "-p", "e=0.8", "--json"))
    assert same_numbers(sol.q[-1], said["q"]) and len(sol.t) == 201
    with_dict = saltus.run("bouncing-ball", scheme={"name": "moreau-jean", "theta": 0.5}, h=0.01, t_end=2,
                           parameters={"e": 0.8})
    assert np.array_equal(sol.q, with_dict.q)
    assert sol.parameters["e"] == 0.8


def test_fields_of_a_scene_are_set():
    sol = saltus.run(SCENES / "bouncing-ball.yaml", set={"coordinates.z.start": "2 m"}, rtol=1e-8)
    assert sol.q[0, 0] == 2 and sol["z"][0] == 2 and sol.names == ["z"]
    assert sol.events["t"][0] == pytest.approx(np.sqrt(2), rel=1e-9)


def test_states_between_samples_and_limits_at_jumps():
    sol = saltus.run("bouncing-ball", rtol=1e-10)  # f = -2, m = 1, q0 = 1, e = 1/2: closed form
    t = np.linspace(0, 0.99, 7)
    q, u = sol(t)
    assert np.allclose(q[:, 0], 1 - t**2, atol=1e-12) and np.allclose(u[:, 0], -2 * t, atol=1e-12)
    hit = sol.events["t"][0]
    (_, before), (_, after) = sol(hit, side="-"), sol(hit, side="+")
    assert before[0] == pytest.approx(-2) and after[0] == pytest.approx(1)
    many = sol(t.reshape(7, 1))[0]
    assert many.shape == (7, 1, 1)
    both = sol(np.array([0.3, 0.1, 2.9, 1.5, 1.2]))[0][:, 0]  # in any order
    assert [float(sol(x)[0][0]) for x in (0.3, 0.1, 2.9, 1.5, 1.2)] == both.tolist()


def test_arrays_are_views_that_cannot_be_written_to_and_outlive_the_run():
    q = saltus.run("bouncing-ball", h=0.001).q
    assert q.base is not None and not q.flags.writeable and not q.flags.owndata
    assert q[0, 0] == 1.0
    with pytest.raises(ValueError):
        q[0, 0] = 2


def test_events_impulses_energy_and_ledger():
    sol = saltus.run(SCENES / "bouncing-ball.yaml", rtol=1e-8)
    hits = sol.events[sol.events["kind"] == "impact"]
    assert hits["impulse"][0, 0] == pytest.approx(3) and hits["u_minus"][0, 0] == pytest.approx(-2)
    assert hits["energy_loss"][0] == pytest.approx(1.5)
    assert set(sol.impulses["contact"]) == {"floor"}
    assert sol.impulses["impulse"][0, 0] == hits["impulse"][0, 0]
    assert sol.energy[0] == pytest.approx(2) and sol.energy[-1] == pytest.approx(0, abs=1e-9)
    assert sol.ledger["impacts"] == pytest.approx(2)
    assert sol.measures["lost"] == pytest.approx(2)
    assert sol.estimate["measures"]["lost"] < 1e-7
    assert sol.stats["steps"] > 0 and sol.nfev > 0


def test_saved_files_are_those_of_the_program(tmp_path):
    for name, options in (("bouncing-ball", {"rtol": 1e-8}), ("woodpecker", {}), ("box-stack", {}), ("stick-slip", {"h": 0.01, "scheme": "moreau-jean"})):
        target = "bouncing-ball" if name == "bouncing-ball" else str(SCENES / f"{name}.yaml")
        a, b = str(tmp_path / "a.h5"), str(tmp_path / "b.h5")
        sol = saltus.run(target, output=a, **options)
        sol.save(b)
        one, two = saltus.load(a), saltus.load(b)
        for field in ("t", "q", "u", "energy"):
            assert np.array_equal(getattr(one, field), getattr(two, field), equal_nan=True), (name, field)
        for field in ("events", "impulses"):
            x, y = getattr(one, field), getattr(two, field)
            for column in x.dtype.names:
                numeric = x[column].dtype.kind == "f"
                assert np.array_equal(x[column], y[column], equal_nan=numeric), (name, field, column)
        assert one._data.pieces == two._data.pieces
        t = np.linspace(one.t[0], one.t[-1], 50)
        assert np.array_equal(one(t)[0], two(t)[0])
        same = json.loads(program("compare", a, b, "--json"))
        assert same["same_final_bits"] and same["distance"]["q_sup"] == 0
        assert json.loads(program("verify", b, "--json", code=None))["accepted"] == json.loads(
            program("verify", a, "--json", code=None))["accepted"]


def test_what_a_file_keeps_is_read():
    """Names of velocities in space, warnings, counts."""
    sol = saltus.run(SCENES.parent / "space" / "spin-bounce.yaml", no_estimate=True)
    sol.save("a.h5")
    same = saltus.load("a.h5")
    assert same.velocity_names == sol.velocity_names and "ball.wx" in same.velocity_names
    assert np.array_equal(same.body("ball").spin, sol.body("ball").spin)
    assert same.nfev == sol.nfev and same.stats["steps"] == sol.stats["steps"]
    told = saltus.run(SCENES / "bouncing-ball.yaml", rtol=1e-8)
    told.save("b.h5")
    assert told.warnings and saltus.load("b.h5").warnings == told.warnings


def test_names_are_looked_up():
    sol = saltus.run("bouncing-ball", t_end=1)
    assert "q0" in sol and "q0'" in sol and "t" in sol and "x" not in sol and 3 not in sol
    with pytest.raises(KeyError, match="no bodies"):
        sol.body("ball")


def test_times_at_the_ends_may_be_rounded():
    sol = saltus.run("bouncing-ball", t_end=0.3)
    assert 3 * 0.1 > 0.3 and np.array_equal(sol(3 * 0.1)[0], sol.q[-1])
    for t in (0.3 * (1 + 1e-12), -1e-12, "x", 1j, 10**400, [[1], [2, 3]]):
        with pytest.raises(saltus.Error):
            sol(t)


def test_pickles():
    sol = saltus.run(SCENES / "bouncing-ball.yaml", rtol=1e-8)
    again = pickle.loads(pickle.dumps(sol))
    assert np.array_equal(sol.q, again.q) and again.names == ["z"] and again.success
    assert again.measures == sol.measures and again.events.tobytes() == sol.events.tobytes()
    t = np.linspace(0, 5, 100)
    assert np.array_equal(sol(t)[1], again(t)[1])
    assert np.array_equal(pickle.loads(pickle.dumps(again)).q, sol.q)


def test_a_run_that_fails_is_returned_and_raised_on_demand():
    text = ("saltus: 1\ncoordinates: {z: {start: 1}}\nmass: {z: 1}\nforces: {z: log(z - 0.5) - 2}\n"  # not a number below 0.5
            "run: {t_end: 5}\n")
    sol = saltus.run(text, scheme="moreau-jean", h=0.001)
    assert not sol.success and sol.status == 2 and sol.status_text == "failed" and "force" in sol.message
    assert 0 < sol.t[-1] < 1
    with pytest.raises(saltus.RunError) as caught:
        saltus.run(text, scheme="moreau-jean", h=0.001, check=True)
    assert str(caught.value).startswith("failed: ") and len(caught.value.solution.t) == len(sol.t)


def test_errors_have_the_messages_of_the_program():
    with pytest.raises(saltus.Error) as caught:
        saltus.run("bouncing-bal")
    assert "bouncing-ball" in str(caught.value)
    with pytest.raises(saltus.Error, match="e = 3"):
        saltus.run("bouncing-ball", parameters={"e": 3})
    with pytest.raises(saltus.SceneError) as caught:
        saltus.run("saltus: 1\ncoordinates: {x: {start: 1, speed: 2}}\nmass: {x: 1}\nrun: {t_end: 1}\n")
    [found] = caught.value.complaints
    assert found["line"] == 2 and found["path"] == "coordinates.x.speed" and "scene.yaml:2" in str(caught.value)
    with pytest.raises(TypeError, match="did you mean rtol"):
        saltus.run("bouncing-ball", rtoll=1)
    with pytest.raises(saltus.Error):
        saltus.run("no/such/file.yaml")
    with pytest.raises(saltus.Error, match="null character"):
        saltus.run("a\0b")
    with pytest.raises(saltus.Error, match="not UTF-8"):
        saltus.run("\udc80\n")
    with pytest.raises(TypeError):
        saltus.run(42)
    with pytest.raises(TypeError):
        saltus.run("bouncing-ball", no_error="yes")
    with pytest.raises(saltus.Error):
        saltus.run("bouncing-ball", rtol=-1)
    with pytest.raises(saltus.Error):
        saltus.load("nothing.h5")
    sol = saltus.run("bouncing-ball")
    with pytest.raises(saltus.Error, match="within the run"):
        sol(-1)
    with pytest.raises(saltus.Error, match="within the run"):
        sol([0, np.nan])
    with pytest.raises(saltus.Error, match="side"):
        sol(0.5, side="?")
    with pytest.raises(TypeError, match="side"):
        sol(0.5, side=None)
    with pytest.raises(KeyError):
        sol["y"]


def test_warnings_name_the_line_of_the_user():
    """Whichever function of the package was called there: a gap with a wrong derivative cannot be brought to zero."""
    given = (lambda t, q, u: [-9.81], (0, 1), [1.0])
    wrong = dict(gap=lambda t, q: q[0], gap_jacobian=lambda t, q: [[-7.0]])
    for call in (lambda: saltus.solve(*given, **wrong, no_estimate=False), lambda: saltus.Functions(*given, **wrong).run(),
                 lambda: saltus.run(saltus.Functions(*given, **wrong))):
        with pytest.warns(saltus.RunWarning) as caught:
            call()
        assert {w.filename for w in caught} == {__file__}


def test_a_loaded_solution_is_saved_under_the_names_of_others(tmp_path):
    sol = saltus.run("bouncing-ball", t_end=1)
    sol.save(tmp_path / "a.h5")
    for one in (sol, saltus.load(tmp_path / "a.h5")):
        with pytest.raises(saltus.Error, match="end in .h5"):
            one.save(tmp_path / "a.txt")
    assert not (tmp_path / "a.txt").exists()


def test_help_comes_from_the_options_of_the_program():
    listed = program("run", "--help")
    for option in ("rtol", "space-time", "digits", "no-estimate"):
        assert f"--{option}" in listed
        assert f"    {option.replace('-', '_')}" in saltus.run.__doc__
    import inspect

    assert "rtol" in inspect.signature(saltus.run).parameters


def test_threads_are_safe():
    expected = saltus.run("bouncing-ball", rtol=1e-9)
    results = [None] * 8

    def work(k):
        results[k] = saltus.run("bouncing-ball", rtol=1e-9, parameters={"e": 0.5 if k % 2 else 0.6})

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.array_equal(results[k].q, expected.q) for k in range(1, 8, 2))
    assert all(np.array_equal(results[k].q, results[0].q) for k in range(0, 8, 2))
    assert not np.array_equal(results[0].q, expected.q)


def _falling(e=0.5):
    m = saltus.Model(t_end=3)
    z, drop = m.coordinate("z", start=1), m.parameter("g", 9.81)
    m.mass(z, 1), m.potential(drop * z), m.contact("floor", gap=z, e=e)
    m.measure("height", "final.z")
    return m


def test_a_run_leaves_nothing_behind_for_the_next(tmp_path):
    """Commands and scenes that were read are used again."""
    model = _falling()
    plain = model.run()
    for options in ({"rtol": 1e-9}, {"h": 0.01}, {"t_end": 1}, {"every": 10}, {"parameters": {"g": 3.0}}, {"at": "0.5,1"},
                    {"set": {"contacts.floor.law.e": 0.9}}, {"scheme": "moreau-jean", "h": 0.01}, {"digits": 7},
                    {"output": str(tmp_path / "a.h5")}, {"no_estimate": True}, {"trust": "energy=1e-15"}):
        other = model.run(**options)
        assert other.success
        again = model.run()
        for x in ("t", "q", "u"):
            assert np.array_equal(getattr(again, x), getattr(plain, x)), options
        assert again.report["method"] == plain.report["method"] and again.measures["height"].error == plain.measures["height"].error
    for wrong in ({"rtol": -1}, {"h": "much"}, {"solver": "none"}, {"set": {"nothing": 1}}, {"parameters": {"no": 1}}):
        with pytest.raises(saltus.Error):
            model.run(**wrong)
        assert np.array_equal(model.run().q, plain.q), wrong
    assert "usage" in saltus.call("run", "--help")[1].lower()
    assert np.array_equal(model.run().q, plain.q)


def test_a_model_that_changes_is_read_again():
    model = _falling()
    first = model.run()
    model.document["contacts"]["floor"]["law"] = {"name": "unilateral", "e": 0.25}
    changed = model.run()
    assert np.array_equal(changed.q, _falling(e=0.25).run().q) and len(changed.events) != len(first.events)
    models = [_falling(e=0.1 + 0.05 * k) for k in range(12)]  # more than are kept
    ends = [m.run().q[-1] for m in models]
    assert all(np.array_equal(m.run().q[-1], end) for m, end in zip(models, ends))


def test_one_model_runs_in_many_threads_at_once():
    model = _falling()
    gravities = [2.0 + k for k in range(8)]
    alone = [model.run(parameters={"g": g}).q for g in gravities]
    found = {}

    def work(k):
        for _ in range(20):
            found.setdefault(k, []).append(model.run(parameters={"g": gravities[k]}).q)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(gravities))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(q, alone[k]) for k in found for q in found[k]) and len(found) == len(gravities)


def test_teams_of_threads_are_apart():
    """Runs with threads of their own in several threads of Python."""
    ends = [None] * 4

    def work(k):
        for _ in range(3):
            ends[k] = saltus.run("homogeneous-chain", parameters={"n": 3000}, h=1e-6, t_end=1e-5, no_error=True,
                                 threads=2 if k % 2 else None).q[-1].copy()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.array_equal(ends[0], e) for e in ends)


def test_the_lock_is_released_while_a_run_goes_on():
    done = []
    thread = threading.Thread(target=lambda: done.append(saltus.run("bouncing-ball", h=5e-6, no_error=True)))
    thread.start()
    ticks = 0
    while thread.is_alive():
        time.sleep(0.001)
        ticks += 1
    assert len(done) == 1 and ticks > 5


def test_ctrl_c_returns_what_was_computed():
    code = """
import saltus, sys, threading, os, signal, time
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
sol = saltus.run("bouncing-ball", h=1e-7, t_end=5, every=100000, no_error=True, parameters={"e": 1})
print(sol.status_text, sol.success, 0 < sol.t[-1] < 5)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["interrupted", "False", "True"], done.stderr


def test_ctrl_c_in_a_function_returns_what_was_computed():
    """Python hears it while a function of the model is at work; so does a function that is told the progress."""
    code = """
import saltus, threading, os, signal, time
for progress in (None, lambda part: time.sleep(0.3)):
    threading.Timer(0.6, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    sol = saltus.solve(lambda t, q, u: -q, (0, 1e6), [1.0], rtol=1e-9, progress=progress)
    print(sol.status, 0 < sol.t[-1] < 1e6)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["3", "True", "3", "True"], done.stderr
    with pytest.raises(KeyboardInterrupt):  # of a function that raises it whenever it is called
        saltus.solve(lambda t, q, u: [1.0] if t < 0.5 else (_ for _ in ()).throw(KeyboardInterrupt), (0, 1), [1.0])


def test_an_interrupted_run_is_not_compared():
    """The reference of a million periods would take minutes."""
    code = """
import saltus, threading, os, signal
threading.Timer(0.6, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
sol = saltus.run("impact-oscillator", t_end=1e6, rtol=1e-10)
print(sol.status, sol.error, sol.report["reference"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "3 {} not compared: the run was interrupted", done.stderr


def test_any_command_is_called():
    code, out, said = saltus.call("run", "--help")
    assert code == 0 and "--rtol" in out and not said
    assert saltus.call("--version")[1].strip() == saltus.__version__
    with pytest.raises(saltus.Error, match="no command 'nonsense'"):
        saltus.call("nonsense")


def test_progress_is_told():
    parts = []
    saltus.run("bouncing-ball", h=2e-6, every=10000, no_error=True, progress=parts.append)
    assert all(0 <= p <= 1 for p in parts) and parts == sorted(parts)


def test_html_and_repr():
    sol = saltus.run(SCENES / "bouncing-ball.yaml")
    assert "<svg" in sol._repr_html_() and "finished" in sol._repr_html_()
    assert "bouncing-ball" in repr(sol)


def test_resume_from_a_checkpoint():
    first = saltus.run("bouncing-ball", h=0.001, checkpoint="every=1000,file=a.ckpt", t_end=2)
    rest = saltus.resume("a.ckpt", t_end=3)
    whole = saltus.run("bouncing-ball", h=0.001, t_end=3)
    assert np.array_equal(rest.q[-1], whole.q[-1]) and first.success
