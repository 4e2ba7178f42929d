"""The cases of tests/data/space/cases.json as scenes, and what a run of each must give."""
import json
import math
import os

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "space", "cases.json")


def cases():
    with open(DATA, encoding="utf-8") as file:
        return {c["id"]: c for c in json.load(file)["cases"]}


# ---- vectors
def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def add(a, b, s=1.0):
    return [x + s * y for x, y in zip(a, b)]


def norm(a):
    return math.sqrt(sum(x * x for x in a))


def times(R, v):
    return [sum(R[i][j] * v[j] for j in range(3)) for i in range(3)]


def matrix(q):
    w, x, y, z = q
    return [[w*w + x*x - y*y - z*z, 2*(x*y - w*z), 2*(x*z + w*y)],
            [2*(x*y + w*z), w*w - x*x + y*y - z*z, 2*(y*z - w*x)],
            [2*(x*z - w*y), 2*(y*z + w*x), w*w - x*x - y*y + z*z]]


def columns(a, b, c):
    return [[a[i], b[i], c[i]] for i in range(3)]


def turned(n, angle, v):
    """v turned about the unit vector n."""
    c, s, k = math.cos(angle), math.sin(angle), cross(n, v)
    along = sum(x * y for x, y in zip(n, v))
    return [c * v[i] + s * k[i] + (1 - c) * along * n[i] for i in range(3)]


class State:
    """Of body number k, from the lists q and u of a run."""

    def __init__(self, q, u, k=0):
        self.com, self.quaternion = q[7*k:7*k + 3], q[7*k + 3:7*k + 7]
        size = norm(self.quaternion)
        self.R = matrix([x / size for x in self.quaternion])
        self.velocity, self.omega_body = u[6*k:6*k + 3], u[6*k + 3:6*k + 6]
        self.omega_inertial = times(self.R, self.omega_body)


# ---- scenes: (space, materials, times or end, options)
def scene(bodies, walls=None, joints=None, gravity=None, material=None, materials=None):
    space = {"bodies": bodies}
    if walls:
        space["walls"] = walls
    if joints:
        space["joints"] = joints
    if gravity is not None:
        space["gravity"] = gravity
    out = {"saltus": 1, "space": space}
    if material:
        materials = {"default": material}
    if materials:
        out["materials"] = materials
    return out


FLOOR = {"floor": {"normal": [0, 0, 1]}}


def free_top(p):
    return scene({"top": {"mass": 1, "inertia": p["inertia"], "quaternion": p["quaternion_wxyz_0"],
                          "spin_body": p["omega_body_0"]}}, gravity=[0, 0, 0])


def heavy_top(p, omega_3=None, theta=None):
    theta = p["theta_0"]
    q = [math.cos(theta / 2), math.sin(theta / 2), 0, 0]
    omega = p.get("omega_body_0", [0, 0, omega_3])
    R = matrix(q)
    return scene({"top": {"mass": p["m"], "inertia": p["inertia_com"], "position": times(R, [0, 0, p["l"]]),
                          "quaternion": q, "spin_body": omega,
                          "velocity": times(R, cross(omega, [0, 0, p["l"]]))}},
                 joints={"pivot": {"type": "ball", "a": "top", "at": [0, 0, 0]}}, gravity=[0, 0, -p["g"]])


def hinge(p):
    b = p["axis_tilt_b"]
    n = [math.cos(b), 0, math.sin(b)]
    down = turned(n, p["theta_0"], [math.sin(b), 0, -math.cos(b)])
    arm, spin = [p["c"] * x for x in down], [p["rate_0"] * x for x in n]
    return scene({"body": {"mass": p["m"], "inertia": p["inertia_com"], "position": arm,
                           "matrix": columns(n, cross(down, n), down), "spin": spin, "velocity": cross(spin, arm)}},
                 joints={"pin": {"type": "hinge", "a": "body", "at": [0, 0, 0], "axis": n}}, gravity=[0, 0, -p["g"]])


def ball(p, **more):
    m, r = p["m"], p["r"]
    return {"shape": "sphere", "radius": r, "mass": m, "inertia": p.get("kappa", 0.4) * m * r * r,
            "position": p["com_0"], "velocity": p.get("velocity_0", [0, 0, 0]),
            "spin": p.get("omega_inertial_0", [0, 0, 0]), **more}


def slide_roll(p):
    return scene({"ball": ball(p)}, FLOOR, gravity=[0, 0, -p["g"]], material={"mu": p["mu"]})


def turntable(p):
    tilt = p.get("tilt", 0.0)
    return scene({"ball": ball(p)}, {"table": {"normal": [0, 0, 1], "spin": [0, 0, p["Omega"]]}},
                 gravity=[p["g"] * math.sin(tilt), 0, -p["g"] * math.cos(tilt)], material={"mu": p["mu"]})


def spin_bounce(p):
    return scene({"ball": ball(p)}, FLOOR, gravity=[0, 0, -p["g"]],
                 material={"mu": p["mu"], "e_n": p["e_N"], "e_t": p["e_T"]})


def six_walls(p):
    walls, materials = {}, {"default": {}}
    for k, name in enumerate(["x_low", "x_high", "y_low", "y_high", "z_low", "z_high"]):
        i, high = k // 2, k % 2
        normal, point = [0, 0, 0], [0, 0, 0]
        normal[i], point[i] = (-1 if high else 1), (p["box"][i] if high else 0)
        materials[name] = {"e_n": p["e"][k]}
        walls[name] = {"normal": normal, "point": point, "material": name}
    return scene({"ball": ball(p)}, walls, gravity=p["gravity"], materials=materials)


def incline(p):
    g, alpha, phi = p["g"], p["alpha"], p["phi_0"]
    body = {"mass": p["m"], "velocity": [p["V0"] * math.cos(phi), p["V0"] * math.sin(phi), 0]}
    if "size" in p:
        body.update(shape="box", size=p["size"], position=[0, 0, p["size"][2] / 2])
    else:
        body.update(shape="point", inertia=p["m"])
    return scene({"body": body}, FLOOR, gravity=[g * math.sin(alpha), 0, -g * math.cos(alpha)], material={"mu": p["mu"]})


def sphere_incline(p):
    g, alpha = p["g"], p["alpha"]
    return scene({"body": ball(p)}, FLOOR, gravity=[g * math.sin(alpha), 0, -g * math.cos(alpha)], material={"mu": p["mu"]})


def shaken(p):
    def terms(list_):
        text = " + ".join(f"{a!r}*sin({w!r}*t + {f!r})" for a, w, f in list_)
        return text, sum(a * math.sin(f) for a, w, f in list_), sum(a * w * math.cos(f) for a, w, f in list_)
    (x, x0, vx), (y, y0, vy) = terms(p["plate_x"]), terms(p["plate_y"])
    return scene({"brick": {"shape": "point", "mass": 1, "inertia": 1, "position": [x0, y0, 0], "velocity": [vx, vy, 0]}},
                 {"plate": {"normal": [0, 0, 1], "moves": [x, y, "0"]}}, gravity=[0, 0, -p["g"]], material={"mu": p["mu"]})


def box_impact(p):
    return scene({"box": {"shape": "box", "size": p["size"], "mass": p["m"], "position": p["com"],
                          "quaternion": p["quaternion_wxyz"], "velocity": p["velocity"], "spin_body": p["omega_body"]}},
                 FLOOR, gravity=[0, 0, 0], material={"mu": p["mu"], "e_n": p["e_N"], "e_t": p["e_T"]})


def box_flat(p):
    return scene({"box": {"shape": "box", "size": p["size"], "mass": p["m"], "position": p["com_0"],
                          "velocity": p["velocity_0"], "quaternion": p.get("quaternion_wxyz_0", [1, 0, 0, 0]),
                          "spin_body": p.get("omega_body_0", [0, 0, 0])}},
                 FLOOR, gravity=[0, 0, -p["g"]], material={"mu": p["mu"], "e_n": p["e_N"], "e_t": p["e_T"]})


def disk(p):
    m, r = p["m"], p["r"]
    return scene({"disk": {"shape": "disk", "radius": r, "mass": m,
                           "inertia": [p["kA"] * m * r * r, p["kA"] * m * r * r, p["kC"] * m * r * r],
                           "position": p["com_0"], "quaternion": p["quaternion_wxyz_0"], "velocity": p["velocity_0"],
                           "spin_body": p["omega_body_0"]}}, FLOOR, gravity=[0, 0, -p["g"]], material={"mu": p["mu"]})


def double_pendulum(p):
    bodies, R = {}, [matrix(q) for q in p["quaternion_wxyz_0"]]
    for k in range(2):
        bodies[f"b{k + 1}"] = {"mass": p["m"][k], "inertia": p["inertia"][k], "quaternion": p["quaternion_wxyz_0"][k],
                               "position": p["com_0"][k], "velocity": p["velocity_0"][k], "spin_body": p["omega_body_0"][k]}
    return scene(bodies, joints={"pivot": {"type": "ball", "a": "b1", "at": [0, 0, 0]},
                                 "joint": {"type": "ball", "a": "b2", "b": "b1",
                                           "at": add(p["com_0"][0], times(R[0], p["b1"]))}}, gravity=[0, 0, -p["g"]])


def start_of(s, mass, inertia):
    out = {"mass": mass, "inertia": inertia, "position": s["com"], "velocity": s["velocity"], "spin": s["omega_inertial"]}
    if "R" in s:
        out["matrix"] = s["R"]
    return out


def four_bar(p):
    s = p["initial_states"]
    inertia = [[a, b, b] for a, b in zip(p["inertia_about_bar"], p["inertia_across"])]
    bodies = {n: start_of(s[k], p["m"][k], inertia[k]) for k, n in enumerate(["crank", "coupler", "rocker"])}
    def end(k, length):
        return add(s[k]["com"], times(s[k]["R"], [length, 0, 0]))
    z = [row[2] for row in s[0]["R"]]
    return scene(bodies, joints={
        "j1": {"type": "hinge", "a": "crank", "at": [0, 0, 0], "axis": z},
        "j2": {"type": "hinge", "a": "coupler", "b": "crank", "at": end(0, p["a"] / 2), "axis": z},
        "j3": {"type": "hinge", "a": "rocker", "b": "coupler", "at": end(1, p["b"] / 2), "axis": z},
        "j4": {"type": "hinge", "a": "rocker", "at": [p["d"], 0, 0], "axis": z}}, gravity=[0, 0, -p["g"]])


def bennett(p, expected):
    s = p["initial_states"]
    bodies = {f"link{k + 1}": start_of(s[k], p["m"][k], p["inertia"][k]) for k in range(3)}
    length = expected["lengths"]
    def axis(k):
        return [row[2] for row in s[k]["R"]]
    def begin(k):
        return add(s[k]["com"], times(s[k]["R"], [-length[k] / 2, 0, 0]))
    return scene(bodies, joints={
        "j1": {"type": "hinge", "a": "link1", "at": [0, 0, 0], "axis": [0, 0, 1]},
        "j2": {"type": "hinge", "a": "link2", "b": "link1", "at": begin(1), "axis": axis(1)},
        "j3": {"type": "hinge", "a": "link3", "b": "link2", "at": begin(2), "axis": axis(2)},
        "j4": {"type": "hinge", "a": "link3", "at": expected["joint4_point"], "axis": expected["joint4_axis"]}},
        gravity=[0, 0, -p["g"]])


def slider_crank(p):
    s = p["initial_states"]
    across, along = p["inertia_rod_across_along"]
    axis = s[1]["axis"]
    size = norm(axis)
    axis = [x / size for x in axis]
    first = cross(axis, [0, 0, 1])
    first = [x / norm(first) for x in first]
    rod = start_of(s[1], p["m_rod"], [across, across, along])
    rod["matrix"] = columns(first, cross(axis, first), axis)
    bodies = {"crank": start_of(s[0], p["m_crank"], p["inertia_crank"]), "rod": rod,
              "slider": {"mass": p["m_slider"], "inertia": 1e-3, "position": s[2]["com"], "velocity": s[2]["velocity"]}}
    pin = [2 * x for x in s[0]["com"]]
    return scene(bodies, joints={
        "crank_pin": {"type": "hinge", "a": "crank", "at": [0, 0, 0], "axis": [0, 1, 0]},
        "big_end": {"type": "ball", "a": "rod", "b": "crank", "at": pin},
        "small_end": {"type": "ball", "a": "slider", "b": "rod", "at": s[2]["com"]},
        "guide": {"type": "slider", "a": "slider", "at": s[2]["com"], "axis": p["d"]}}, gravity=[0, 0, -p["g"]])


def cradle(p):
    bodies, joints = {}, {}
    for i in range(p["n"]):
        x, a, w = i * (2 * p["r"] + p["delta"]), p["angle_0"][i], p["rate_0"][i]
        at = [x + p["L"] * math.sin(a), 0, -p["L"] * math.cos(a)]
        bodies[f"ball{i}"] = {"shape": "sphere", "radius": p["r"], "mass": p["m"], "position": at,
                              "velocity": [p["L"] * math.cos(a) * w, 0, p["L"] * math.sin(a) * w]}
        joints[f"string{i}"] = {"type": "distance", "a": f"ball{i}", "at_b": [x, 0, 0], "length": p["L"]}
    return scene(bodies, joints=joints, gravity=[0, 0, -p["g"]], material={"e_n": p["e"]})


def row(p):
    bodies, x = {}, 0.0
    materials = {"default": {}}
    for i, m in enumerate(p["m"]):
        materials[f"m{i}"] = {"e_n": p["e"][min(i, len(p["e"]) - 1)]}
        bodies[f"ball{i}"] = {"shape": "sphere", "radius": 0.5, "mass": m, "position": [float(i), 0, 0],
                              "velocity": [p["velocity_before"][i], 0, 0], "material": f"m{i}"}
    return scene(bodies, gravity=[0, 0, 0], materials=materials)


def slot(p):
    bodies = {f"ball{k}": {"shape": "sphere", "radius": p["r"][k], "mass": p["m"][k], "position": p["com"][k]} for k in range(2)}
    return scene(bodies, {"left": {"normal": [1, 0, 0]}, "right": {"normal": [-1, 0, 0], "point": [p["w"], 0, 0]},
                          "floor": {"normal": [0, 0, 1]}}, gravity=[0, 0, -p["g"]])


def corner(p):
    bodies = {"A": {"shape": "sphere", "radius": p["R"], "mass": p["m_A"], "position": p["centre_A_0"]},
              "B": {"shape": "sphere", "radius": p["rho"], "mass": p["m_B"], "position": p["centre_B_0"]}}
    return scene(bodies, {"x_wall": {"normal": [1, 0, 0]}, "y_wall": {"normal": [0, 1, 0]},
                          "floor": {"normal": [0, 0, 1], "material": "floor"}}, gravity=[0, 0, -p["g"]],
                 materials={"default": {}, "floor": {"e_n": p["e_floor"]}})


def scene_of(case):
    p, name = case["parameters"], case["id"]
    kinds = [("free-top", free_top), ("heavy-top", heavy_top), ("spherical", heavy_top), ("hinge", hinge),
             ("slide-roll", slide_roll), ("turntable", turntable), ("spin-bounce", spin_bounce), ("six-walls", six_walls),
             ("incline", incline), ("sphere-incline", sphere_incline), ("shaken", shaken), ("box-corner", box_impact),
             ("box-edge", box_impact), ("box-flat", box_flat), ("tumbling", box_flat), ("disk", disk), ("euler-disk", disk),
             ("double-pendulum", double_pendulum), ("four-bar", four_bar), ("slider-crank", slider_crank),
             ("cradle", cradle), ("row", row), ("slot", slot), ("corner", corner)]
    if name.startswith("bennett"):
        return bennett(p, case["expected"])
    for start, make in kinds:
        if name.startswith(start):
            return make(p)
    raise KeyError(name)


# ---- what a state must be
def pairs(case, k, states):
    """(what, found, expected) of the states of all bodies at time number k."""
    e, name, out = case["expected"], case["id"], []
    one = states[0]
    if name.startswith(("four-bar", "bennett", "slider-crank")):
        for b, (state, want) in enumerate(zip(states, e["states"][k])):
            keys = ["com", "velocity", "omega_inertial"] + (["R"] if "R" in want and not name.startswith("slider") else [])
            out += [(f"{key} {b}", getattr(state, key), want[key]) for key in keys]
        return out
    if name.startswith("double"):
        for b, state in enumerate(states):
            out += [(f"{key} {b}", getattr(state, key), e[key][k][b]) for key in ("com", "velocity", "R", "omega_body")]
        return out
    if name.startswith("cradle"):
        for b, state in enumerate(states):
            out += [(f"{key} {b}", getattr(state, key), e[key][k][b]) for key in ("com", "velocity")]
        return out
    if name.startswith("corner"):
        for b, letter in enumerate("AB"):
            out += [("centre " + letter, states[b].com, e["centre_" + letter][k]),
                    ("velocity " + letter, states[b].velocity, e["velocity_" + letter][k])]
        return out
    if name.startswith("hinge"):
        want = e["states"][k]
        return [("com", one.com, want["com"]), ("velocity", one.velocity, want["com_velocity"]),
                ("omega", one.omega_inertial, want["omega_inertial"])]
    for key in ("com", "velocity", "omega_body", "omega_inertial", "R"):
        if key in e:
            want = e[key][k]
            out.append((key, getattr(one, key)[:len(want)], want))
    if "position" in e:
        out.append(("position", one.com[:2], e["position"][k]))
    return out


def largest(found, expected):
    if isinstance(expected, list):
        return max(largest(f, w) for f, w in zip(found, expected, strict=True))
    return abs(found - expected)
