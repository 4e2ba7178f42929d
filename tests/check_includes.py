#!/usr/bin/env python3
"""Checks that the folders of src/saltus include downwards only, as the table allows, and that no modules form a ring."""
import re
import sys
from pathlib import Path

# folder: the other folders it may include
ALLOWED = {
    "core": [],
    "linalg": ["core"],
    "autodiff": ["core"],
    "expression": ["core"],
    "formula": ["core", "linalg", "expression", "law", "system", "odae"],
    "law": ["core", "linalg"],
    "system": ["core", "linalg", "autodiff", "law"],
    "planar": ["core", "linalg", "law", "system"],
    "flexible": ["core", "linalg", "law", "system"],
    "contact": ["core", "linalg", "law", "system"],
    "chain": ["core", "linalg", "system"],
    "odae": ["core", "linalg", "autodiff", "law", "system"],
    "scheme": ["core", "linalg", "law", "system", "contact", "chain", "odae"],
    "run": ["core", "linalg", "law", "system", "contact", "chain", "odae", "scheme"],
    "reference": ["core", "linalg", "autodiff", "law", "system", "contact", "chain", "odae", "scheme", "run"],
    "result": ["core", "law", "system", "odae", "scheme", "run", "reference"],
    "catalog": ["core", "linalg", "autodiff", "law", "system", "planar", "flexible", "contact", "chain", "odae", "scheme", "run", "reference"],
    "study": ["core", "linalg", "autodiff", "expression", "law", "system", "planar", "flexible", "contact", "chain", "odae", "scheme", "run", "reference", "catalog"],
    "figure": ["core", "law", "system", "chain", "run", "reference", "result", "study"],
    "scene": ["core", "linalg", "autodiff", "expression", "formula", "law", "system", "planar", "flexible", "contact", "chain", "odae", "scheme", "run", "reference", "catalog", "study"],
    "cli": ["core", "linalg", "autodiff", "expression", "law", "system", "planar", "flexible", "contact", "chain", "odae", "scheme", "run", "reference", "result", "figure", "catalog", "study", "formula", "scene"],
    "reproduce": ["core", "linalg", "autodiff", "expression", "law", "system", "planar", "flexible", "contact", "chain", "odae", "scheme", "run", "reference", "result", "figure", "catalog", "study", "cli"],
}

# Folders whose sources include a registry that includes them (a list of problems, of solvers, options and steppers).
MAY_HAVE_RINGS = ("linalg", "contact", "scheme", "catalog", "scene", "reproduce")

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(saltus/[^>]+)>)')


def complaint(folder, target):
    """What is wrong with a file of `folder` including `target`, or None."""
    parts = target.split("/")
    if parts[0] != "saltus" or len(parts) < 3:
        return f'write it as "saltus/<folder>/...": "{target}"'
    if parts[1] not in ALLOWED:
        return f"includes the unknown folder {parts[1]}"
    if parts[1] != folder and parts[1] not in ALLOWED[folder]:
        allowed = ", ".join(ALLOWED[folder]) or "no other folder"
        return f"{folder} may not include {parts[1]} (allowed: {allowed})"
    return None


def rings(edges):
    """Groups of modules that include each other, directly or by way of others (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in edges.get(v, ()):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            group = []
            while not group or group[-1] != v:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for v in sorted(edges):
        if v not in index:
            visit(v)
    return found


def main():
    root = Path(__file__).resolve().parent.parent
    source = root / "src" / "saltus"
    bad = count = 0
    edges = {}  # a module is a header with the source of the same name
    for path in sorted(p for p in source.rglob("*") if p.suffix in (".hpp", ".cpp")):
        count += 1
        folder = path.relative_to(source).parts[0]
        if folder == "saltus.hpp":  # the public surface names what it likes
            continue
        name = path.relative_to(root)
        if folder not in ALLOWED:
            print(f"{name}:1: {folder} is no folder of the table in tests/check_includes.py")
            bad += 1
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            problem = complaint(folder, match[1] or match[2]) if match else None
            if match:
                module = str(path.relative_to(source).with_suffix(""))
                target = (match[1] or match[2]).removeprefix("saltus/").rsplit(".", 1)[0]
                if target != module:
                    edges.setdefault(module, set()).add(target)
            if problem:
                print(f"{name}:{number}: {problem}")
                bad += 1
    for ring in rings(edges):
        if all(module.split("/")[0] in MAY_HAVE_RINGS for module in ring):
            continue
        print(f"these modules include each other in a ring: {', '.join(ring)}")
        bad += 1
    print(f"{count} files, {bad} bad includes or rings")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main())
