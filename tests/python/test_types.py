"""Type hints: mypy accepts the package, and stubtest finds them true to what is there."""
import os
import subprocess
import sys
from pathlib import Path

import saltus
from conftest import ROOT

PACKAGE = Path(saltus.__file__).parent


def checked(*words, tmp_path):
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nstrict = True\nignore_missing_imports = True\nwarn_unused_ignores = False\n"
                      f"cache_dir = {PACKAGE.parent / 'mypy-cache'}\n"
                      # 119 modules of a cluster scheduler stand behind xarray: a minute for types that nobody asks for.
                      "[mypy-pandas.*,xarray.*,dask.*,distributed.*]\nfollow_imports = skip\n")
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-m", *words, "--mypy-config-file" if "stubtest" in words[0] else "--config-file",
                           str(config)], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    return done.returncode, done.stdout + done.stderr


def test_the_package_is_typed(tmp_path):
    code, said = checked("mypy", "-p", "saltus", tmp_path=tmp_path)
    assert code == 0, said


def test_stubs_are_true(tmp_path):
    allowed = tmp_path / "allow.txt"
    classes = ("GivenScene", "RunData", "FrictionProblem", "ContactSolution")
    allowed.write_text("".join(f"saltus._saltus.{c}\nsaltus._saltus.{c}.__init__\n" for c in classes)  # pybind11's metaclass
                       + "saltus._saltus.SceneError.complaints\nsaltus._saltus.SceneError.file\n")  # of instances
    code, said = checked("mypy.stubtest", "saltus._saltus", "--allowlist", str(allowed), "--ignore-unused-allowlist", tmp_path=tmp_path)
    assert code == 0, said


def test_py_typed_is_there():
    assert (PACKAGE / "py.typed").exists() and (ROOT / "python" / "saltus" / "_saltus.pyi").exists()
