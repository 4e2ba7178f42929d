#!/usr/bin/env python3
"""Changes a file of results in one of many ways: tampering.py FILE OTHER FOLDER writes a changed copy for each way.

OTHER is a file of the same problem with another parameter. Needs h5py, which the interpreter of the tests may lack.
"""
import os
import shutil
import sys


class Missing(Exception):
    """There is nothing of that kind in the file."""


def edit(f, path, change):
    data = f[path][...]
    change(data)
    f[path][...] = data


def cut(f, group, rows):
    for name in f[group]:
        f[f"{group}/{name}"].resize(len(f[f"{group}/{name}"]) - rows, axis=0)


def shift(row, by):
    def change(data):
        data[row] += by
    return change


def scale(row, by):
    def change(data):
        data[row] *= by
    return change


def put(row, value):
    def change(data):
        data[row] = value
    return change


def exchange(a, b):
    def change(data):
        data[[a, b]] = data[[b, a]]
    return change


def needs(condition):
    if not condition:
        raise Missing


NAMES = ("impact", "close", "open", "stick", "slip", "reverse", "accumulation")


def event(f, name, which=-1):
    """The row of an event of that kind."""
    rows = [i for i, kind in enumerate(f["events/kind"][...]) if kind == NAMES.index(name)]
    needs(rows)
    return rows[which]


def impact(f):
    """A row: the second impact, or the only one."""
    return event(f, "impact", min(1, sum(f["events/kind"][...] == 0) - 1))


def event_shifted(f, _):
    edit(f, "events/t", shift(impact(f), 1e-7))


def event_and_bracket_shifted(f, _):
    edit(f, "events/t", shift(impact(f), 1e-7))
    edit(f, "events/t_before", shift(impact(f), 1e-7))


def impulse_scaled(f, _):
    edit(f, "events/impulse", scale(impact(f), 1.0001))


def impulse_scaled_in_both_records(f, _):
    row = impact(f)
    P = f["events/impulse"][row]
    same = [i for i, x in enumerate(f["contacts/impulse"][...]) if x[0] == P[0]]
    needs(same)
    edit(f, "events/impulse", scale(row, 1.0001))
    edit(f, "contacts/impulse", scale(same[0], 1.0001))


def impulse_and_loss_scaled(f, _):
    edit(f, "events/impulse", scale(impact(f), 1.0001))
    edit(f, "events/energy_loss", scale(impact(f), 1.0001))


def rebound_changed(f, _):
    k = impact(f)
    needs(abs(f["events/u_plus"][k, 0]) > 1e-3 * abs(f["events/u_minus"][k, 0]))
    edit(f, "events/u_plus", scale((impact(f), 0), 1.0001))


def loss_changed(f, _):
    edit(f, "events/energy_loss", scale(impact(f), 1.001))


def drop(f, group, row):
    import numpy
    for name in f[group]:
        data = numpy.delete(f[f"{group}/{name}"][...], row, axis=0)
        f[f"{group}/{name}"].resize(len(data), axis=0)
        f[f"{group}/{name}"][...] = data


def each_event(name):
    """Three ways to falsify an event, for each kind of event."""
    def another_contact(f, _):
        row, last = event(f, name), int(f["events/contact"][...].max())
        edit(f, "events/contact", put(row, (f["events/contact"][row] + 1) % max(2, last + 1)))

    def another_kind(f, _):
        row = event(f, name)
        edit(f, "events/kind", put(row, (NAMES.index(name) + 1) % len(NAMES)))

    return {f"{name}_dropped": lambda f, _: drop(f, "events", event(f, name)), f"{name}_of_another_contact": another_contact,
            f"{name}_of_another_kind": another_kind}


def all_events_dropped(f, _):
    needs(len(f["events/t"]))
    cut(f, "events", len(f["events/t"]))


def all_records_dropped(f, _):
    needs(len(f["contacts/sample"]))
    cut(f, "contacts", len(f["contacts/sample"]))


def one_of_several_impacts_dropped(f, _):
    t, kind = f["events/t"][...], f["events/kind"][...]
    rows = [i for i in range(1, len(t)) if t[i] == t[i - 1] and kind[i] == kind[i - 1] == 0]
    needs(rows)
    drop(f, "events", rows[-1])


def record_dropped(f, _):
    needs(len(f["contacts/sample"]))
    drop(f, "contacts", len(f["contacts/sample"]) // 2)


def records_doubled(f, _):
    import numpy
    needs(len(f["contacts/sample"]))
    for name in f["contacts"]:
        data = numpy.repeat(f[f"contacts/{name}"][...], 2, axis=0)
        f[f"contacts/{name}"].resize(len(data), axis=0)
        f[f"contacts/{name}"][...] = data


def forces_of_closed_contacts_doubled(f, _):
    needs(len(f["contacts/sample"]))
    edit(f, "contacts/impulse", scale(slice(None), 2))


def energy_at_the_end_changed(f, _):
    f.attrs["energy_final"] = f.attrs["energy_final"] + 1e-3 * max(f["samples/energy"][...])


def work_changed(f, _):
    needs(abs(f.attrs["ledger_work"]) > 0)
    change = 0.5 * f.attrs["ledger_work"]
    f.attrs["ledger_work"] = f.attrs["ledger_work"] + change
    f.attrs["ledger_remainder"] = f.attrs["ledger_remainder"] - change


def contact_missed(f, _):
    """After the first impact it flies on as if nothing were there."""
    row = event(f, "impact", 0)
    needs(f["samples/q"].shape[1] == 1 and row == 0)
    first = int((f["dense/t"][...] < f["events/t"][0]).sum())
    n = f["samples/q"].shape[1]
    speed = f["events/u_minus"][0, 0]
    edit(f, "dense/u", put((first, slice(0, n)), speed))
    edit(f, "dense/q", put((first, slice(n, 2 * n)), speed * f["dense/length"][first]))


def mode_changed(f, _):
    needs((f["contacts/mode"][...] != 0).any())
    edit(f, "contacts/mode", put(slice(None), 0))


def dense_of_another_run(f, other):
    for name in f["dense"]:
        data = other[f"dense/{name}"][...]
        f[f"dense/{name}"].resize(len(data), axis=0)
        f[f"dense/{name}"][...] = data


def header_of_another_run(f, other):
    for name in other.attrs:
        f.attrs[name] = other.attrs[name]


def parameter_edited(f, other):
    needs(f.attrs["given"] != other.attrs["given"])
    f.attrs["given"] = other.attrs["given"]


def trajectory_cut(f, _):
    import numpy
    end = f["dense/end"][-4]
    cut(f, "dense", 3)
    cut(f, "samples", len(f["samples/t"]) - int((f["samples/t"][...] <= end).sum()))
    samples = len(f["samples/t"])
    for group in ("events", "contacts"):
        keep = int(numpy.searchsorted(f[f"{group}/sample"][...], samples))
        cut(f, group, len(f[f"{group}/sample"]) - keep)


def dense_cut(f, _):
    cut(f, "dense", 1)


def dense_dropped(f, _):
    del f["dense"]


def terms_exchanged(f, _):
    n = f["samples/q"].shape[1]
    row = f["dense/q"][1].copy()
    row[:n], row[n:2 * n] = row[n:2 * n].copy(), row[:n].copy()
    f["dense/q"][1] = row


def positions_and_velocities_exchanged(f, _):
    q, u = f["dense/q"][...], f["dense/u"][...]
    needs(q.shape == u.shape)  # rotations have more coordinates than velocities
    f["dense/q"][...], f["dense/u"][...] = u, q


def ledger_changed(f, _):
    needs(f.attrs["ledger_impacts"] != 0)
    f.attrs["ledger_impacts"] = f.attrs["ledger_impacts"] * 1.01


def ledger_changed_so_that_it_adds_up(f, _):
    needs(f.attrs["ledger_impacts"] != 0)
    change = 0.01 * f.attrs["ledger_impacts"]
    f.attrs["ledger_impacts"] = f.attrs["ledger_impacts"] + change
    f.attrs["ledger_remainder"] = f.attrs["ledger_remainder"] + change


def pieces_reordered(f, _):
    for name in f["dense"]:
        edit(f, f"dense/{name}", exchange(1, 2))


def coefficients_reordered(f, _):
    for name in ("q", "u"):
        edit(f, f"dense/{name}", exchange(1, 2))


def nan_in_dense(f, _):
    edit(f, "dense/u", put((2, 0), float("nan")))


def nan_in_samples(f, _):
    edit(f, "samples/q", put((5, 0), float("nan")))


def sample_changed(f, _):
    edit(f, "samples/q", shift((5, 0), 1e-5))


def energy_changed(f, _):
    edit(f, "samples/energy", scale(5, 1.0001))


def start_moved(f, _):
    n = f["samples/q"].shape[1]
    edit(f, "samples/q", shift((slice(None), 0), 1e-5))
    edit(f, "dense/q", shift((slice(None), 0), 1e-5))
    assert n >= 1


def all_later(f, _):
    for path in ("samples/t", "dense/t", "dense/end", "events/t", "events/t_before"):
        edit(f, path, shift(slice(None), 1e-3))


def piece_stretched(f, _):
    edit(f, "dense/length", scale(2, 1.0001))


def velocities_scaled(f, _):
    edit(f, "dense/u", scale(slice(None), 1.0001))
    edit(f, "samples/u", scale(slice(None), 1.0001))


def motion_scaled(f, _):
    for path in ("dense/q", "samples/q", "dense/u", "samples/u"):
        edit(f, path, scale(slice(None), 1.0001))


def status_changed(f, _):
    f.attrs["status"] = "failed"


TOOLS = ("Missing", "edit", "cut", "shift", "scale", "put", "exchange", "needs", "event", "impact", "drop", "each_event")
KINDS = {name: kind for name, kind in list(globals().items()) if callable(kind) and name not in TOOLS}
for each in NAMES:
    KINDS.update(each_event(each))

def tamper_with_all(good, other, folder):
    """A file for each kind that changes something; prints their names. One process: most of its time is the import of h5py."""
    import h5py
    for name, kind in KINDS.items():
        file = os.path.join(folder, name + ".h5")
        shutil.copy(good, file)
        try:
            with h5py.File(file, "r+") as mine, h5py.File(other) as another:
                kind(mine, another)
        except Missing:
            os.remove(file)
        else:
            print(name)


if __name__ == "__main__":
    tamper_with_all(*sys.argv[1:4])
