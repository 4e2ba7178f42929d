#!/usr/bin/env python3
"""Checks that the folders of src/saltus include downwards only, as the table allows, that no modules form a ring, and that
only the shell asks the operating system."""
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
    "spatial": ["core", "linalg", "law", "system", "planar"],
    "contact": ["core", "linalg", "law", "system"],
    "chain": ["core", "linalg", "system"],
    "odae": ["core", "linalg", "autodiff", "law", "system"],
    "scheme": ["core", "linalg", "law", "system", "contact", "chain", "odae"],
    "run": ["core", "linalg", "law", "system", "contact", "chain", "odae", "scheme"],
    "reference": ["core", "linalg", "autodiff", "law", "system", "contact", "chain", "odae", "scheme", "run"],
    "result": ["core", "law", "system", "odae", "scheme", "run", "reference"],
    "catalog": ["core", "linalg", "autodiff", "law", "system", "planar", "spatial", "flexible", "contact", "chain", "odae", "scheme", "run", "reference"],
    "study": ["core", "linalg", "autodiff", "expression", "law", "system", "planar", "spatial", "flexible", "contact", "chain", "odae", "scheme", "run", "reference", "catalog"],
    "verify": ["core", "linalg", "law", "system", "odae", "scheme", "run"],
    "picture": ["core", "linalg", "expression", "law", "system", "formula", "chain", "odae", "scheme", "run"],
    "figure": ["core", "law", "system", "chain", "run", "reference", "result", "study"],
    "scene": ["core", "linalg", "autodiff", "expression", "formula", "law", "system", "planar", "spatial", "flexible", "contact", "chain", "odae", "scheme", "run", "reference", "catalog", "study", "picture"],
    "import": ["core", "spatial"],
    "cli": ["import", "core", "linalg", "autodiff", "expression", "law", "system", "planar", "spatial", "flexible", "contact", "chain", "odae", "scheme", "run", "reference", "result", "figure", "catalog", "study", "formula", "scene", "verify", "picture"],
    "reproduce": ["core", "linalg", "autodiff", "expression", "law", "system", "planar", "spatial", "flexible", "contact", "chain", "odae", "scheme", "run", "reference", "result", "figure", "catalog", "study", "cli"],
}

# Folders whose sources include a registry that includes them (a list of problems, of solvers, options and steppers).
MAY_HAVE_RINGS = ("linalg", "contact", "scheme", "catalog", "scene", "reproduce")

# The shell: folders, and sub-folders of any folder, that need files, threads or other programs. All else is the library that
# also compiles without them (CMakeLists.txt, SALTUS_SHELL=OFF), so it may include nothing of the shell.
SHELL_FOLDERS = ("result", "figure", "import", "cli", "reproduce")
SHELL_SUBFOLDERS = ("file", "threads", "mpi")
SHELL_HEADER = re.compile(r"^\s*#\s*include\s*<(thread|stop_token|future|condition_variable|semaphore|latch|barrier|fstream|"
                          r"filesystem|iostream|csignal|signal\.h|unistd\.h|fcntl\.h|spawn\.h|poll\.h|dlfcn\.h|pthread\.h|"
                          r"sys/.*|hdf5.*|H5.*|zlib\.h|mpi\.h)>")
SHELL_WORD = re.compile(r"\bstd::(?:j?thread|async|[io]?fstream|filesystem|getenv|system)\b|\b(?:popen|fork|vfork|execv\w*|"
                        r"posix_spawn\w*|fopen|freopen|tmpfile)\s*\(|\bCLOCK_(?:THREAD|PROCESS)_CPUTIME_ID\b")
MAY_USE_WORD = ("core/port.cpp",)  # a clock, with another one where there is none
# Libraries that one source only knows, so that another can take its place.
ONLY_IN = {"yaml-cpp": "scene/yaml.cpp"}  # tinyxml2 is of import, in the shell

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(saltus/[^>]+)>)')


def is_shell(path):
    """Whether a file belongs to the shell, by its path below src/saltus."""
    parts = path.split("/")
    return parts[0] in SHELL_FOLDERS or any(p in SHELL_SUBFOLDERS for p in parts[1:-1])


def shell_complaint(name, line, target):
    """What of the shell this line of a file of the library uses, or None."""
    for library, place in ONLY_IN.items():
        if re.match(rf"\s*#\s*include\s*<{library}/", line) and name != place:
            return f"{library} is included in {place} only"
    if re.match(r"\s*#\s*include\s*<mpi\.h>", line) and "mpi" not in name.split("/"):
        return "mpi.h is included in folders called mpi only"
    if is_shell(name):
        return None
    if target and is_shell(target.removeprefix("saltus/")):
        return f'includes "{target}" of the shell'
    code = line.split("//")[0]
    found = SHELL_HEADER.match(code) or (name not in MAY_USE_WORD and SHELL_WORD.search(code))
    return f"{found[0].strip()} is for the shell: {', '.join(SHELL_FOLDERS + SHELL_SUBFOLDERS)}" if found else None


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


def lab_complaint(root):
    """What is wrong with the sources of the command line that the module of the web lab is compiled with, or None."""
    listed = re.search(r"foreach\(name ([^)]*)\)", (root / "web/wasm/reports.cmake").read_text(encoding="utf-8"))[1].split()
    todo = [*(root / "web/wasm").glob("*.[ch]pp"), *(root / f"src/saltus/cli/{name}.cpp" for name in listed)]
    seen, needed = set(todo), set()
    while todo:
        for line in todo.pop().read_text(encoding="utf-8").splitlines():
            match = INCLUDE.match(line)
            path = root / "src" / match[1] if match and match[1] and match[1].startswith("saltus/cli/") else None
            if path and path not in seen:
                seen.add(path)
                todo.append(path)
                needed |= {path.stem} if path.with_suffix(".cpp").exists() else set()
    return None if needed == set(listed) else f"web/wasm/reports.cmake:4: the module's files include those of {sorted(needed)}"


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
            target = (match[1] or match[2]) if match else None
            problem = (complaint(folder, target) if match else None) or shell_complaint(
                path.relative_to(source).as_posix(), line, target)
            if match:
                module = str(path.relative_to(source).with_suffix(""))
                target = target.removeprefix("saltus/").rsplit(".", 1)[0]
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
    if lab := lab_complaint(root):
        print(lab)
        bad += 1
    print(f"{count} files, {bad} bad includes or rings")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main())
