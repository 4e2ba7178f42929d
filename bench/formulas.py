"""Problems of the catalog in C++ next to the same ones as scenes of formulas, in one process."""
from common import ask, number, print_table, verdict

LEAST = 1 / 3  # of the speed in C++


def formulas(folder, rounds):
    if not (folder / "saltus_formulas").exists():
        return None, ["saltus_formulas is not built"]
    data = ask(folder, ["saltus_formulas", str(rounds)])["cases"]
    rows, complaints = [("formulas against C++", "C++ ns/step", "scene ns/step", "speed", "required")], []
    for case in data:
        speed = case["cpp_ns"] / case["scene_ns"]
        good = speed >= LEAST
        rows.append((case["problem"], number(case["cpp_ns"]), number(case["scene_ns"]), f"{speed:.2f}",
                     verdict(speed, good, ">= 1/3")))
        if not good:
            complaints.append(f"{case['problem']}: as a scene {speed:.2f} of the speed in C++, required 1/3")
    print_table(rows)
    return data, complaints
