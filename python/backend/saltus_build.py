"""The build backend of the package (PEP 517): runs CMake and packs what it made into a wheel.

It needs nothing but Python, CMake, a compiler and the Debian packages of ./dev, so `pip install .` works without the
network. Settings: pip install . --config-settings=cmake=-DSALTUS_HDF5=OFF, and SALTUS_JOBS in the environment.
"""
from __future__ import annotations

import base64
import hashlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIME = (2020, 1, 1, 0, 0, 0)  # of the files in a wheel, so that equal contents make equal wheels


def version() -> str:
    found = re.search(r"project\(saltus VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert found
    return found.group(1)


def metadata() -> str:
    return (f"Metadata-Version: 2.1\nName: saltus\nVersion: {version()}\n"
            "Summary: Nonsmooth mechanics with trajectories of known accuracy\n"
            "Requires-Python: >=3.10\nRequires-Dist: numpy\n"
            "Provides-Extra: plot\nRequires-Dist: matplotlib; extra == \"plot\"\n")


def tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def compile_package(config_settings: dict[str, str] | None) -> Path:
    """Builds the module and saltus-reproduce; returns the build folder."""
    build = Path(os.environ.get("SALTUS_PYTHON_BUILD", ROOT / "build-python"))
    options = config_settings or {}
    more = options.get("cmake", "")
    words = more if isinstance(more, list) else shlex.split(more)
    generator = ["-G", "Ninja"] if not (build / "CMakeCache.txt").exists() and _has("ninja") else []
    run("cmake", "-S", str(ROOT), "-B", str(build), *generator, "-DCMAKE_BUILD_TYPE=Release", "-DSALTUS_PYTHON=ON",
        "-DSALTUS_BUILD_TESTS=OFF", "-DSALTUS_BUILD_BENCHMARKS=OFF", "-DSALTUS_BUILD_EXAMPLES=OFF",
        f"-DPython3_EXECUTABLE={sys.executable}", *words)
    jobs = os.environ.get("SALTUS_JOBS", str(os.cpu_count() or 1))
    try:
        run("cmake", "--build", str(build), "--parallel", jobs, "--target", "saltus_python")
    except subprocess.CalledProcessError:
        if not list((build / "python").glob("saltus")):
            sys.exit("saltus: the Python module is not built; install pybind11-dev and python3-dev")
        raise
    return build


def _has(program: str) -> bool:
    return any(os.access(os.path.join(p, program), os.X_OK) for p in os.get_exec_path())


def run(*words: str) -> None:
    print(" ".join(words), flush=True)
    subprocess.run(words, check=True)


class Wheel:
    def __init__(self, file: Path) -> None:
        self.zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self.record: list[str] = []

    def add(self, name: str, content: bytes, executable: bool = False) -> None:
        info = zipfile.ZipInfo(name, TIME)
        info.external_attr = (0o100755 if executable else 0o100644) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def close(self, folder: str) -> None:
        name = f"{folder}/RECORD"
        self.record.append(f"{name},,")
        self.zip.writestr(zipfile.ZipInfo(name, TIME), "\n".join(self.record) + "\n")
        self.zip.close()


def build_wheel(wheel_directory: str, config_settings: dict[str, str] | None = None,
                metadata_directory: str | None = None) -> str:
    build = compile_package(config_settings)
    name = f"saltus-{version()}-{tag()}.whl"
    info = f"saltus-{version()}.dist-info"
    wheel = Wheel(Path(wheel_directory) / name)
    for file in sorted((build / "python" / "saltus").iterdir()):
        if file.suffix in (".py", ".pyi", ".so") or file.name == "py.typed":
            wheel.add(f"saltus/{file.name}", file.read_bytes(), file.suffix == ".so")
    program = build / "saltus-reproduce"
    if program.exists():
        wheel.add("saltus/saltus-reproduce", program.read_bytes(), True)
    wheel.add(f"{info}/METADATA", metadata().encode())
    wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: saltus_build\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode())
    wheel.close(info)
    return name


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: dict[str, str] | None = None) -> str:
    """Without it pip builds the whole wheel to read its metadata."""
    info = Path(metadata_directory) / f"saltus-{version()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(metadata())
    return info.name


def build_sdist(sdist_directory: str, config_settings: dict[str, str] | None = None) -> str:
    base = f"saltus-{version()}"
    name = f"{base}.tar.gz"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True).stdout
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for file in sorted(f for f in listed.decode().split("\0") if f):
            if (ROOT / file).is_file():
                tar.add(ROOT / file, f"{base}/{file}", recursive=False)
        text = metadata().encode()
        import io

        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))
    return name


def get_requires_for_build_wheel(config_settings: dict[str, str] | None = None) -> list[str]:
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel
