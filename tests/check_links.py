#!/usr/bin/env python3
"""Checks that every relative link of the documentation resolves, headings included: check_links.py [ROOT]

Looked at: *.md at the top, in docs and in src; and every docs/….md named in a source, test, example or script.
"""
import os
import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
MENTION = re.compile(r"(?<![\w./-])(?:\.\./)*(docs/[\w./-]+\.md)\b")
CODE = re.compile(r"`[^`]*`")
SOURCES = {".cpp", ".hpp", ".py", ".txt", ".cmake", ".yaml", ".yml", ""}


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found, fenced = set(), False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        heading = re.match(r"#+ +(.*)", line)
        if fenced or not heading:
            continue
        name = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
        name = re.sub(r"[^\w\- ]", "", name).replace(" ", "-")
        count = 1
        unique = name
        while unique in found:
            unique, count = f"{name}-{count}", count + 1
        found.add(unique)
    return found


def walk(folder):
    for place, folders, names in os.walk(folder):
        folders[:] = [f for f in folders if f != "__pycache__" and not f.startswith(".")]
        yield from (Path(place) / name for name in names)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    pages = sorted(root.glob("*.md")) + [f for d in ("docs", "src") for f in walk(root / d) if f.suffix == ".md"]
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    known = {page: anchors(text) for page, text in texts.items()}
    links, broken = 0, []

    def report(file, number, message):
        broken.append(f"{file.relative_to(root).as_posix()}:{number}: {message}")

    for page, text in texts.items():
        fenced = False
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("```"):
                fenced = not fenced
            if fenced or line.startswith("    "):  # code
                continue
            for target in LINK.findall(CODE.sub(lambda m: "`" * len(m[0]), line)):
                if re.match(r"[a-z]+:", target):
                    continue
                links += 1
                path, _, anchor = target.partition("#")
                file = Path(os.path.normpath(page.parent / path)) if path else page
                if root not in file.parents or not file.exists():
                    report(page, number, f"{target} does not exist")
                elif anchor and file in known and anchor not in known[file]:
                    report(page, number, f"{target}: no such heading")
            for name in MENTION.findall(line):
                if not (root / name).exists():
                    report(page, number, f"{name} does not exist")

    for name in ("src", "tests", "examples", "bench", "cmake", "CMakeLists.txt", "dev", "CITATION.cff"):
        place = root / name
        for file in [place] if place.is_file() else walk(place):
            if file.suffix not in SOURCES or file.stat().st_size > 500_000 or "data" in file.parts or "corpus" in file.parts:
                continue
            for number, line in enumerate(file.read_bytes().decode("utf-8", "replace").splitlines(), 1):
                if "docs/" not in line:
                    continue
                for mentioned in MENTION.findall(line):
                    links += 1
                    if not (root / mentioned).exists():
                        report(file, number, f"{mentioned} does not exist")

    print(*broken, sep="\n", end="\n" if broken else "")
    print(f"{len(pages)} pages, {links} relative links, {len(broken)} broken")
    return 1 if broken or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
