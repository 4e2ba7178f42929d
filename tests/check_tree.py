#!/usr/bin/env python3
"""Checks that no text file of the tree names an absolute path of somebody's machine, and that no source starts a shell."""
import re
import subprocess
import sys
from pathlib import Path

TOP_FOLDERS = ("work", "root", "home")
# Not preceded by what would make it the tail of a longer path, a variable or an address.
ABSOLUTE = re.compile(r"(?<![\w.~})\]-])/(?:" + "|".join(TOP_FOLDERS) + ")/")
NOT_OURS = re.compile(r"(^|/)(\.git|build(-[^/]*)?|out|\.cache|__pycache__|compile_commands\.json)(/|$)")
# A shell would interpret text of a user as commands. Two places start a program without one: figure/gnuplot.cpp, and the
# command that hands over to saltus-reproduce.
MAY_EXEC = ("src/saltus/cli/reproduce_command.cpp",)
SHELL = re.compile(r'\bpopen\b|\bstd::system\b|(?<!\w)::system\s*\(|(?<!\w)system\s*\(\s*"|(?<!\w)system\s*\([^)]*c_str'
                   r'|\bexec[lv]p?e?\s*\(|\bwordexp\b')


def starts_a_shell(name, line):
    if not name.startswith("src/") or not name.endswith((".cpp", ".hpp")):
        return False
    found = SHELL.search(line.split("//")[0])
    return found is not None and not (name in MAY_EXEC and found[0].startswith("execv"))


def files(root):
    """Files git knows or would add; without git, all that lies there except what is built."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                cwd=root, capture_output=True, check=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = []
    names = [n for n in listed if n] or [p.relative_to(root).as_posix() for p in root.rglob("*")]
    return sorted({n for n in names if not NOT_OURS.search(n) and (root / n).is_file()})


def main():
    root = Path(__file__).resolve().parent.parent
    names = files(root)
    bad = 0
    for name in names:
        data = (root / name).read_bytes()
        if b"\0" in data:
            continue  # not text
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if ABSOLUTE.search(line) or starts_a_shell(name, line):
                print(f"{name}:{number}: {line.strip()[:120]}")
                bad += 1
    print(f"{len(names)} files, {bad} lines with an absolute path or a shell")
    return 1 if bad or not names else 0


if __name__ == "__main__":
    sys.exit(main())
