"""Flexible bodies and joints on three levels: generalized-alpha next to Siconos' Moreau-Jean."""
import statistics

from common import ask, number, print_table, ratio, verdict

# (name, required ratio, ours, Siconos' variants); of the variants the fastest counts
THREE_LEVELS = [
    ("bar, 200 elements", 50, "case=bar ne=200 reps=20",
     {s: f"peer_siconos_bar scheme=mj storage={s} ne=200" for s in ("dense", "sparse")}),
    ("bar, 50 elements", None, "case=bar ne=50 reps=50",
     {s: f"peer_siconos_bar scheme=mj storage={s} ne=50" for s in ("dense", "sparse")}),
    ("bar, 400 elements", None, "case=bar ne=400 reps=10",
     {s: f"peer_siconos_bar scheme=mj storage={s} ne=400" for s in ("dense", "sparse")}),
    ("pendulum x, y, theta", 10, "case=pendulum reps=40",
     {s: f"peer_siconos_pendulum model=redundant scheme={s} h=1e-3 T=1.5 e=0.8 reps=3" for s in ("mj", "mjp")})]
LINEAR_BARS = (100, 1000, 10000, 100000)  # elements, with the step in proportion
MOST_GROWTH = 2.0                         # of the time per step and element over that range


def three_levels(folder, rounds):
    """Generalized-alpha beside Siconos' Moreau-Jean, and its cost over the number of elements."""
    if not (folder / "saltus_alpha").exists():
        return None, ["saltus_alpha is not built"]
    data, complaints = [], []
    rows = [("three levels against Siconos' velocity level", "Saltus us/step", "Siconos us/step", "variant", "ratio",
             "required")]
    for name, need, ours, peers in THREE_LEVELS:
        commands = {"saltus": ["saltus_alpha", *ours.split()], **{k: v.split() for k, v in peers.items()}}
        runs = {who: [] for who in commands}
        for _ in range(rounds):
            for who, command in commands.items():
                if (folder / command[0]).exists():
                    runs[who].append(ask(folder, command)["us_per_step"])
        us = statistics.median(runs["saltus"])
        rival = min(((statistics.median(r), who) for who, r in runs.items() if who != "saltus" and r),
                    default=(None, "-"))
        gain = ratio(rival[0], us)
        good = gain is None or need is None or gain >= need
        rows.append((name, number(us), number(rival[0]), rival[1], number(gain),
                     verdict(gain, good, f">= {need}") if need else ""))
        if not good:
            complaints.append(f"{name}: {gain:.3g} times faster than Siconos, required {need}")
        data.append({"case": name, "saltus_us": us, "siconos_us": rival[0], "variant": rival[1], "required": need})
    print()
    print_table(rows)
    rows = [("bar of n elements", "us/step", "ns/step/element")]
    costs = []
    for n in LINEAR_BARS:
        h = 0.4 / n
        r = min((ask(folder, ["saltus_alpha", "case=bar", f"ne={n}", f"h={h}", f"T={100 * h:.6g}",
                              f"d0={200 * h:.6g}", f"reps={max(1, 20000 // n)}"]) for _ in range(rounds)), key=lambda x: x["us_per_step"])
        costs.append(1e3 * r["us_per_step"] / n)
        rows.append((str(n), number(r["us_per_step"]), f"{costs[-1]:.1f}"))
        data.append({"case": f"bar {n}", "saltus_us": r["us_per_step"]})
    print()
    print_table(rows)
    if costs[-1] > MOST_GROWTH * min(costs):
        complaints.append(f"bar: {costs[-1]:.3g} ns per step and element with {LINEAR_BARS[-1]} elements, "
                          f"{min(costs):.3g} at best: not linear")
    return data, complaints
