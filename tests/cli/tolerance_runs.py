"""Runs by tolerance, shared by tests."""
import json

from program import saltus


def by_tolerance(target, rtol, *more):
    p = saltus("run", target, "--rtol", repr(rtol), "--no-error", "--json", *more)
    out = json.loads(p.stdout)
    assert p.returncode == 0 and out["status"] == "finished", (target, rtol, out["message"])
    return out
