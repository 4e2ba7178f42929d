"""Runs the scripts of the gallery and draws their pictures: ./dev python examples/python/gallery.py [NAME …] [--out FOLDER]

Each script is a program of its own; what it prints goes to the screen, its figure to FOLDER/NAME.svg.
"""
import argparse
import runpy
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
NAMES = ["bouncing_zeno", "woodpecker", "newtons_cradle", "bifurcation", "identification", "clearance", "drop_test", "solver_study"]

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="scripts, all when none is named")
    parser.add_argument("--out", default="out/gallery", help="folder of the pictures")
    parser.add_argument("--format", default="svg", choices=["svg", "png"])
    given = parser.parse_args()
    folder = Path(given.out)
    folder.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"svg.hashsalt": "saltus", "figure.dpi": 100, "savefig.dpi": 200})
    for name in given.names or NAMES:
        print(f"--- {name}", flush=True)
        begin = time.perf_counter()
        runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
        plt.savefig(folder / f"{name.replace('_', '-')}.{given.format}", metadata={"Date": None} if given.format == "svg" else None)
        plt.close("all")
        print(f"    {time.perf_counter() - begin:.1f} s", flush=True)
