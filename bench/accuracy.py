"""What accuracy costs through impacts: event capturing, Moreau's scheme and SUNDIALS CVODE."""
import math
import statistics
import sys

from common import ask, number, print_table, ratio, verdict

TARGET = 1e-8           # largest error of q over the run
NEED_OVER_MOREAU = 100  # Moreau's scheme, extrapolated to the target, takes at least so many times longer
TABLEAUS = ("herk-5", "radau-iia-5", "lobatto-iiia-6", "gauss-6")
STEPS = (0.1, 0.08, 0.07, 0.065, 0.06, 0.055, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015)
TOLERANCES = (1e-9, 5e-10, 3e-10, 2e-10, 1e-10, 5e-11, 2e-11, 1e-11, 1e-12)
MOREAU_STEPS = (1.1e-3, 5.3e-4, 2.7e-4, 1.3e-4, 7.1e-5, 3.3e-5)


def accuracy_scan(folder):
    """One run of every setting: {(who, method, command): []} of the three cheapest that meet the target of every
    method, and Moreau's reports."""
    settings = [("saltus", t, ["saltus_accuracy", f"tableau={t}", f"h={h}"]) for t in TABLEAUS for h in STEPS]
    if (folder / "peer_cvode_impacts").exists():
        settings += [("cvode", lmm, ["peer_cvode_impacts", f"lmm={lmm}", f"rtol={tol}", f"atol={atol}"])
                     for lmm in ("adams", "bdf") for tol in TOLERANCES for atol in (tol, tol / 10)]
    good = {}
    for who, method, command in settings:
        report = ask(folder, [*command, "reps=2"])
        if report["status"] == "finished" and report["error"] <= TARGET:
            good.setdefault((who, method), []).append((report["us_per_run"], command))
    moreau = [ask(folder, ["saltus_accuracy", "tableau=moreau-jean", f"h={h}", "reps=1"]) for h in MOREAU_STEPS]
    return {(*key, *command): [] for key, found in good.items() for _, command in sorted(found)[:3]}, moreau


def extrapolate(reports):
    """(order, step, CPU in us) of a method at the target, from the line through log error over log h."""
    x, y = [math.log(r["h"]) for r in reports], [math.log(r["error"]) for r in reports]
    mx, my = statistics.mean(x), statistics.mean(y)
    order = sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)
    step = math.exp(mx + (math.log(TARGET) - my) / order)
    per_step = min(r["us_per_run"] / r["steps"] for r in reports)
    return order, step, per_step * reports[0]["T"] / step


def accuracy(folder, rounds):
    """Prints the tables; returns (data for JSON, complaints)."""
    if not (folder / "saltus_accuracy").exists():
        return None, ["saltus_accuracy is not built"]
    if not (folder / "peer_cvode_impacts").exists():
        print("SUNDIALS not installed: CVODE left out of the accuracy study", file=sys.stderr)
    print("accuracy: looking for the cheapest settings", file=sys.stderr, flush=True)
    reports, moreau = accuracy_scan(folder)
    for k in range(rounds):
        print(f"accuracy: round {k + 1} of {rounds}", file=sys.stderr, flush=True)
        for (_, _, *command), runs in reports.items():
            runs.append(ask(folder, [*command, "reps=3"]))
        moreau[-1]["us_per_run"] = min(moreau[-1]["us_per_run"], ask(
            folder, ["saltus_accuracy", "tableau=moreau-jean", f"h={MOREAU_STEPS[-1]}", "reps=1"])["us_per_run"])
    cost, chosen = {}, {}
    for (who, method, *_), runs in reports.items():
        us = min(r["us_per_run"] for r in runs)
        if us < cost.get((who, method), math.inf):
            cost[who, method], chosen[who, method] = us, runs
    if not any(who == "saltus" for who, _ in cost):
        return None, [f"accuracy: event capturing did not reach {TARGET:g}"]
    ours = min(us for (who, _), us in cost.items() if who == "saltus")

    impacts = chosen[min(cost, key=cost.get)][0]["impacts"]
    print(f"\ndriven oscillator, {moreau[0]['T']:g} s, {impacts} impacts: CPU time for an error of "
          f"{TARGET:g} in q, least of {rounds} interleaved rounds")
    rows = [("method", "setting", "error", "steps", "evaluations", "CPU ms", "over the best of Saltus")]
    for (who, method), us in sorted(cost.items(), key=lambda item: item[1]):
        r = chosen[who, method][0]
        setting = f"h = {r['h']:g}" if who == "saltus" else f"rtol = {r['rtol']:g}, atol = {r['atol']:g}"
        rows.append((f"{'Saltus' if who == 'saltus' else 'CVODE'} {method}", setting, f"{r['error']:.1e}",
                     str(r["steps"]), str(r["evaluations"]), f"{us / 1000:.2f}", number(us / ours)))
    order, step, us = extrapolate(moreau)
    for r in moreau[:1] + moreau[-1:]:
        rows.append(("Saltus moreau-jean", f"h = {r['h']:g}", f"{r['error']:.1e}", str(r["steps"]),
                     str(r["evaluations"]), f"{r['us_per_run'] / 1000:.2f}", ""))
    rows.append((f"extrapolated, order {order:.2f}", f"h = {step:.1e}", f"{TARGET:.1e}", f"{moreau[0]['T'] / step:.1e}",
                 "", f"{us / 1000:.2e}", f"{us / ours:.2e}"))
    print_table(rows)

    complaints = []
    rival = min((us for (who, _), us in cost.items() if who == "cvode"), default=None)
    rows = [("ratio of CPU times", "measured", "required"),
            ("Moreau-Jean (extrapolated) / event capturing", f"{us / ours:.3g}",
             verdict(us, us / ours >= NEED_OVER_MOREAU, f">= {NEED_OVER_MOREAU}")),
            ("CVODE / event capturing", number(ratio(rival, ours)), verdict(rival, rival and rival > ours, "> 1"))]
    print()
    print_table(rows)
    if us / ours < NEED_OVER_MOREAU:
        complaints.append(f"accuracy: {us / ours:.3g} times less than Moreau-Jean, required {NEED_OVER_MOREAU}")
    if rival is not None and rival <= ours:
        complaints.append(f"accuracy: event capturing takes {ours / rival:.3g} times the CPU of CVODE")

    ball = [("Saltus radau-iia-5, h = 0.05", ask(folder, ["saltus_accuracy", "case=ball", "tableau=radau-iia-5"]))]
    if (folder / "peer_cvode_impacts").exists():
        for outward, law in ((0, "u+ = -e u-"), (1, "u+ = e |u-|")):
            ball.append((f"CVODE adams, rtol = 1e-10, {law}",
                         ask(folder, ["peer_cvode_impacts", "case=ball", f"outward={outward}"])))
    rows = [("bouncing ball, e = 1/2, at rest from t = 3 on", "impacts", "ends", "at t", "largest error of q")]
    for name, r in ball:
        fell = r.get("q_end", 0) < -1e-3
        rows.append((name, str(r["impacts"]), "through the floor" if fell else r["status"], f"{r['t_end']:.6g}",
                     f"{r['error']:.1e}"))
    print()
    print_table(rows)
    if ball[0][1]["status"] != "finished" or ball[0][1]["error"] > TARGET:
        complaints.append("accuracy: the ball did not come to rest as it should")
    data = {"target": TARGET, "best": {" ".join(key): {"us": us, "runs": chosen[key]} for key, us in cost.items()},
            "moreau": {"reports": moreau, "order": order, "h": step, "us": us}, "ball": [r for _, r in ball],
            "moreau_over_saltus": us / ours, "cvode_over_saltus": ratio(rival, ours)}
    return data, complaints
