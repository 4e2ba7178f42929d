"""The same bits as the program, for every example scene."""
import json

import numpy as np
import pytest
import saltus
from conftest import ROOT, program, same_numbers


EXAMPLES = ROOT / "examples"


@pytest.mark.parametrize("name", sorted(str(p.relative_to(EXAMPLES)) for p in EXAMPLES.rglob("*.yaml")))
def test_same_bits_as_the_program(name):
    file = EXAMPLES / name
    without = name.startswith("space/")  # error bars in space take most of the time, and have no code of their own here
    said = json.loads(program("run", file, "--json", *(["--no-estimate"] if without else []), code=None))
    sol = saltus.run(file, no_estimate=without)
    assert same_numbers(sol.q[-1], said["q"]) and same_numbers(sol.u[-1], said["u"])
    assert sol.status_text == said["status"] and sol.message == said["message"] and sol.warnings == said["warnings"]
    assert same_numbers(sol.events["t"], [e["t"] for e in said["events"]])
    assert list(sol.events["contact"]) == [e["contact"] for e in said["events"]]
    assert list(sol.events["kind"]) == [e["kind"] for e in said["events"]]
    for mine, theirs in zip(sol.events["impulse"], said["events"]):
        assert same_numbers(mine[np.isfinite(mine)], theirs["impulse"])
    for key in ("measures", "ledger", "energy", "error_estimate"):
        a, b = sol.report.get(key), said.get(key)
        if key == "error_estimate" and b:
            a["companion"].pop("cpu_seconds"), b["companion"].pop("cpu_seconds")
        assert a == b, key
    for key in ("steps", "force_evaluations", "contact_iterations"):
        assert sol.stats.get(key) == said["stats"].get(key), key
