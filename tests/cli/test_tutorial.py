#!/usr/bin/env python3
"""Runs the commands of a tutorial and of how-to pages as a reader would: test_tutorial.py PROGRAM [--figures FOLDER]

A block of YAML that starts with "# NAME" is that file. In a block `console`, a line "$ COMMAND" is run (a remark
"# exit code N" says what it ends with), and the lines below it must be printed in that order: "…" alone stands for any
lines, inside a line for any text; two and more spaces for any number of them. With --figures the pictures are kept there: that is how those of the page are made.
"""
import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = (DOCS / "tutorials" / "first-scene.md", DOCS / "how-to" / "accuracy.md", DOCS / "how-to" / "laboratory-chain.md")


def commands(block):
    """(command, expected lines) of a block."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        first, *lines = part.rstrip("\n").split("\n")
        yield first, lines


def literal(text):
    """The text; the room between columns is as wide as the digits leave it."""
    return re.sub(r"(?:\\ ){2,}", "[ ]+", re.escape(text))


def pattern(lines):
    """What the output must match, as a regular expression."""
    text = "".join(r"(?:.*\n)*?" if line == "…" else
                   ".*".join(literal(piece) for piece in line.split("…")) + r"[ ]*\n" for line in lines)
    return re.compile(r"(?:.*\n)*?" + text + r"(?:.*\n)*")


def run(program, command, folder):
    words = shlex.split(command, comments=True)
    assert words[0] == "saltus", f"not a command of the program: {command}"
    wanted = re.search(r"# exit code (\d)", command)
    done = subprocess.run([program, *words[1:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=120)
    assert done.returncode == (int(wanted[1]) if wanted else 0), f"{command}\nended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def check(file, options):
    """How many commands of a page do what it says; throws where one does not."""
    page = file.read_text(encoding="utf-8")
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, block in re.findall(r"^```(yaml|console)\n(.*?)^```$", page, flags=re.M | re.S):
            if kind == "yaml":
                named = re.match(r"# (\S+)\n", block)
                assert named, f"this block has no name:\n{block}"
                (folder / named[1]).write_text(block, encoding="utf-8")
                continue
            for command, lines in commands(block):
                said = run(options.program, command, folder)
                assert pattern(lines).fullmatch(said), \
                    f"{command}\n--- the page says\n" + "\n".join(lines) + f"\n--- the program says\n{said}"
                count += 1
        for figure in re.findall(r"\(\.\./figures/([\w.-]+)\)", page):
            made = folder / figure
            assert made.exists() and made.stat().st_size > 2000, f"no command of the page makes {figure}"
            if options.figures:
                shutil.copy(made, options.figures / figure)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda p: str(Path(p).resolve()))
    parser.add_argument("--figures", type=Path, help="keep the pictures in this folder")
    options = parser.parse_args()
    for file in PAGES:
        try:
            print(f"{check(file, options)} commands of {file.name} do what it says")
        except AssertionError as e:
            print(f"FAIL {file.name}: {e}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
