#!/usr/bin/env python3
"""Refuses plain `long` in src/saltus: it has 32 bits on some machines (browsers, Windows), too few for a count of steps.

Counts are std::int64_t, indices of vectors and matrices Eigen::Index, differences of iterators std::ptrdiff_t.
"""
import re
import sys
from pathlib import Path

# Comments, characters and text may use the word.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])\'', re.S)
LONG = re.compile(r"\blong\b(?!\s+double)|(?<![\w.])\d[\d']*[uU]?[lL][uU]?\b|\blround\b")
ALLOWED = re.compile(r"::sysconf\(")  # what the operating system returns


def code(text):
    """The text with everything blank that is not code; lines keep their numbers."""
    return NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def main():
    root = Path(__file__).resolve().parent.parent
    files = sorted(p for p in (root / "src" / "saltus").rglob("*") if p.suffix in (".hpp", ".cpp"))
    bad = 0
    for path in files:
        for number, line in enumerate(code(path.read_text(encoding="utf-8")).splitlines(), 1):
            found = LONG.search(line)
            if found and not ALLOWED.search(line):
                print(f"{path.relative_to(root)}:{number}: {found[0]}: write std::int64_t for a count, "
                      "Eigen::Index or std::ptrdiff_t for an index")
                bad += 1
    print(f"{len(files)} files, {bad} integers of unknown size")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
