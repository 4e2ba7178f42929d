#!/usr/bin/env python3
"""Runs the commands of docs/tutorials/first-scene.md as a reader would: test_tutorial.py PROGRAM [--figures FOLDER]

A block of YAML that starts with "# NAME" is that file. In a block `console`, a line "$ COMMAND" is run (a remark
"# exit code N" says what it ends with), and the lines below it must be printed in that order: "…" alone stands for any
lines, inside a line for any text. With --figures the pictures are kept there: that is how those of the page are made.
"""
import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorials" / "first-scene.md"


def commands(block):
    """(command, expected lines) of a block."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        first, *lines = part.rstrip("\n").split("\n")
        yield first, lines


def pattern(lines):
    """What the output must match, as a regular expression."""
    text = "".join(r"(?:.*\n)*?" if line == "…" else
                   ".*".join(re.escape(piece) for piece in line.split("…")) + r"[ ]*\n" for line in lines)
    return re.compile(r"(?:.*\n)*?" + text + r"(?:.*\n)*")


def run(program, command, folder):
    words = shlex.split(command, comments=True)
    assert words[0] == "saltus", f"not a command of the program: {command}"
    wanted = re.search(r"# exit code (\d)", command)
    done = subprocess.run([program, *words[1:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=120)
    assert done.returncode == (int(wanted[1]) if wanted else 0), f"{command}\nended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda p: str(Path(p).resolve()))
    parser.add_argument("--figures", type=Path, help="keep the pictures in this folder")
    options = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, block in re.findall(r"^```(yaml|console)\n(.*?)^```$", page, flags=re.M | re.S):
            if kind == "yaml":
                file = re.match(r"# (\S+)\n", block)
                assert file, f"this block has no name:\n{block}"
                (folder / file[1]).write_text(block, encoding="utf-8")
                continue
            for command, lines in commands(block):
                said = run(options.program, command, folder)
                if not pattern(lines).fullmatch(said):
                    print(f"FAIL {command}\n--- the page says\n" + "\n".join(lines) + f"\n--- the program says\n{said}")
                    return 1
                count += 1
        for figure in re.findall(r"\(\.\./figures/([\w.-]+)\)", page):
            made = folder / figure
            assert made.exists() and made.stat().st_size > 2000, f"no command of the page makes {figure}"
            if options.figures:
                shutil.copy(made, options.figures / figure)
    print(f"{count} commands of the page do what it says")
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())
