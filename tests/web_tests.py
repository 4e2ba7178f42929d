#!/usr/bin/env python3
"""Runs the tests of the web lab where it is set up: unit tests in node, and tests in a browser when the page is built.

Exit code 77: skipped, with the reason."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent.parent / "web"
SKIPPED = 77


def skip(reason):
    print(f"skipped: {reason} (./dev web test sets it up)")
    return SKIPPED


def main():
    part = sys.argv[1]
    if shutil.which("node") is None:
        return skip("node is not installed")
    if not (WEB / "node_modules" / "vitest").is_dir():
        return skip("the npm packages of web/package-lock.json are not installed")
    if part == "unit":
        return subprocess.run(["node", str(WEB / "node_modules/vitest/vitest.mjs"), "run"], cwd=WEB, check=False).returncode
    if not (WEB / "dist/module/saltus.wasm.xz").is_file():
        return skip("the page is not built")
    if os.environ.get("SALTUS_CHROMIUM") is None and shutil.which("chromium") is None:
        return skip("chromium is not installed")
    return subprocess.run(["node", str(WEB / "tests/browser/run.mjs")], cwd=WEB, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
