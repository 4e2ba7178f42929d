#!/usr/bin/env python3
"""Finds types and templates that two headers define in one namespace, a violated one-definition rule that a linker
accepts; hidden state or casts that bypass declared interfaces: thread_local, dynamic_cast; and test sources without
a namespace of their own, whose names would clash with those they are compiled with."""
import re
import sys
from collections import defaultdict
from pathlib import Path

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TOKEN = re.compile(
    r"(?P<namespace>\bnamespace\s+(?P<ns>[\w:]*)\s*\{)"
    r"|(?P<type>\b(?:class|struct|union|enum(?:\s+class)?)\s+(?:alignas\([^)]*\)\s+)?(?P<name>\w+)(?:\s+final)?\s*(?::[^:;{][^;{]*)?\{)"
    r"|(?P<open>\{)|(?P<close>\})"
)
BANNED = re.compile(r"\b(thread_local|dynamic_cast)\b")
# Which team works for a run depends on the thread that runs it: several may, from Python, each with a team of its own.
ALLOWED = {("src/saltus/core/team.cpp", "thread_local")}
BANNED_REMEDY = {"thread_local": "scratch memory belongs into a Workspace (system/workspace.hpp)",
                 "dynamic_cast": "declare the capability as a virtual function of the interface"}


def definitions(text):
    """Names of types defined at namespace level, each with its namespace."""
    stack = []
    for match in TOKEN.finditer(COMMENT.sub("", text)):
        if match["namespace"]:
            stack.append(match["ns"] or "(anonymous)")
        elif match["type"]:
            if all(scope is not None for scope in stack):
                yield "::".join(stack + [match["name"]])
            stack.append(None)
        elif match["open"]:
            stack.append(None)
        elif stack:
            stack.pop()


def main():
    root = Path(__file__).resolve().parent.parent
    places = defaultdict(set)
    headers = sorted((root / "src").rglob("*.hpp"))
    for path in headers:
        for name in definitions(path.read_text(encoding="utf-8")):
            places[name].add(str(path.relative_to(root)))
    banned = 0
    for path in sorted((root / "src").rglob("*.?pp")):
        for number, line in enumerate(COMMENT.sub(lambda m: "\n" * m[0].count("\n"), path.read_text(encoding="utf-8")).split("\n"), 1):
            for word in BANNED.findall(line):
                if (path.relative_to(root).as_posix(), word) in ALLOWED:
                    continue
                print(f"{path.relative_to(root)}:{number}: {word}; {BANNED_REMEDY[word]}")
                banned += 1
    for path in sorted((root / "tests").glob("*/test_*.cpp")):
        if not re.search(rf"^namespace saltus::(\w+::)?{path.stem} {{$", path.read_text(encoding="utf-8"), re.M):
            print(f"{path.relative_to(root)}: open namespace saltus::{path.stem}; sources of a folder are one unit")
            banned += 1
    bad = {name: files for name, files in places.items() if len(files) > 1}
    for name, files in sorted(bad.items()):
        print(f"{name} is defined in {' and '.join(sorted(files))}: rename one")
    print(f"{len(places)} types in {len(headers)} headers, {len(bad)} defined twice")
    return 1 if bad or banned or not places else 0


if __name__ == "__main__":
    sys.exit(main())
