#!/usr/bin/env python3
"""Runs as pages (--animate, --report) and `saltus view`: complete in themselves, no text of a user becomes code, and nobody but
the browser with the token gets a file."""
import http.client
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urlsplit

SALTUS = sys.argv.pop(1)
SCENES = Path(__file__).resolve().parent.parent.parent / "examples" / "scenes"
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def saltus(*args, code=0, cwd=None, env=None):
    done = subprocess.run([SALTUS, *args], capture_output=True, text=True, timeout=120, cwd=cwd, env=env, check=False)
    assert done.returncode == code, (args, done.returncode, done.stdout, done.stderr)
    return done


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def page(self, *args, option="--animate"):
        file = self.folder / "page.html"
        saltus("run", *args, option, str(file))
        return file.read_text(encoding="utf-8")

    def test_an_animation_is_complete_in_itself(self):
        page = self.page(str(SCENES / "rolling-disk.yaml"))
        self.assertNotRegex(page, r'(src|href)\s*=|https?:(?!//www.w3.org/2000/svg)|@import|url\(')
        self.assertIn("default-src 'none'", page)
        self.assertNotIn("unsafe-inline", page)
        data = data_of(page)
        self.assertGreater(data["motion"]["frames"], 100)
        self.assertNotIn("report", data)

    def test_a_report_has_method_accuracy_ledger_events_and_curves(self):
        scene = self.folder / "pendulum.yaml"  # without its section `draw`: the picture is the automatic one
        scene.write_text((SCENES / "double-pendulum-wall.yaml").read_text(encoding="utf-8").split("\ndraw:")[0] + "\n", encoding="utf-8")
        data = data_of(self.page(str(scene), option="--report"))
        report = data["report"]
        self.assertIn("stepping", report["method"])
        self.assertGreater(report["error_estimate"]["q_sup"], 0)
        self.assertLess(abs(report["ledger"]["remainder"]), 1e-3)
        self.assertEqual([e["kind"] for e in data["events"]], ["impact"])
        self.assertEqual(len(data["curves"]["list"]), 5)  # two angles, two rates, energy
        names = [s["name"] for s in data["motion"]["shapes"] if s["kind"] == "dot"]
        self.assertEqual(names, ["1", "2"])  # the points (x1, y1) and (x2, y2) of its formulas

    def test_parameters_of_the_command_line_reach_the_picture(self):
        scene = self.folder / "s.yaml"
        scene.write_text("saltus: 1\nparameters: {l: 1}\ncoordinates: {a: {start: 0}}\nmass: {a: 1}\n"
                         "draw: {p: {point: [l, 0]}, q: {point: [0, 0]}}\nrun: {t_end: 1, rtol: 1e-6}\n", encoding="utf-8")
        self.assertAlmostEqual(data_of(self.page(str(scene)))["motion"]["box"][2], 1)
        self.assertAlmostEqual(data_of(self.page(str(scene), "-p", "l=5"))["motion"]["box"][2], 5)

    def test_text_of_a_scene_is_never_code(self):
        scene = self.folder / "evil.yaml"
        scene.write_text(f'saltus: 1\ntitle: "{EVIL}"\ncoordinates: {{a: {{start: 1}}}}\nmass: {{a: 1}}\n'
                         f'draw: {{p: {{text: "{EVIL}", at: [a, 0]}}}}\nrun: {{t_end: 1, rtol: 1e-6}}\n', encoding="utf-8")
        page = self.page(str(scene), option="--report")
        self.assertEqual(page.count("<script"), 2)  # the data, and the player
        self.assertNotIn("<img", page)
        self.assertEqual(data_of(page)["title"], EVIL)

    def test_names_of_pages_are_checked_before_the_run(self):
        for option in ("--animate", "--report"):
            done = saltus("run", "bouncing-ball", option, str(self.folder / "x.txt"), code=2)
            self.assertIn(".html", done.stderr)
        file = str(self.folder / "same.html")
        self.assertIn("same file", saltus("run", "bouncing-ball", "--animate", file, "--report", file, code=2).stderr)

    def test_films_are_made_by_ffmpeg_or_refused_before_the_run(self):
        file = self.folder / "ball.gif"
        self.assertIn("ffmpeg", saltus("run", "bouncing-ball", "--animate", str(file), code=2, env={"PATH": "/nonexistent"}).stderr)
        self.assertFalse(file.exists())
        if shutil.which("ffmpeg") is None:
            self.skipTest("ffmpeg is not installed")
        saltus("run", "bouncing-ball", "--animate", str(file))
        self.assertEqual(file.read_bytes()[:6], b"GIF89a")

    def test_every_kind_of_system_has_a_page(self):
        for problem in ("homogeneous-chain", "spherical-pendulum", "disk-mixer", "elastic-bar"):
            extra = ["--t-end", "0.01"] if problem in ("disk-mixer", "elastic-bar") else []
            data = data_of(self.page(problem, *extra))
            self.assertTrue(data["motion"]["shapes"], problem)


class View(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        site = Path(cls.folder.name) / "site"
        (site / "module").mkdir(parents=True)
        (site / "index.html").write_text("the page", encoding="utf-8")
        (site / "module" / "saltus.wasm.xz").write_bytes(b"\xfd7zXZ")
        cls.file = Path(cls.folder.name) / "ball.h5"
        saltus("run", "bouncing-ball", "-o", str(cls.file))
        cls.server = subprocess.Popen([SALTUS, "view", str(cls.file), "--no-open", "--site", str(site)], stdout=subprocess.PIPE, text=True)
        cls.address = urlsplit(cls.server.stdout.readline().split()[-1])

    @classmethod
    def tearDownClass(cls):
        cls.server.send_signal(signal.SIGINT)
        assert cls.server.wait(timeout=10) == 0
        cls.server.stdout.close()
        cls.folder.cleanup()

    def get(self, path, method="GET", **headers):
        c = http.client.HTTPConnection("127.0.0.1", self.address.port, timeout=10)
        self.addCleanup(c.close)
        c.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        r = c.getresponse()
        return r.status, r.read(), dict(r.getheaders())

    def test_the_page_and_the_file_are_there_with_the_token(self):
        self.assertEqual(self.address.hostname, "127.0.0.1")
        self.assertEqual(self.address.fragment, "file=result.h5")
        status, body, headers = self.get(self.address.path)
        self.assertEqual((status, body), (200, b"the page"))
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertEqual(self.get(self.address.path + "data/result.h5")[1], self.file.read_bytes())
        self.assertEqual(self.get(self.address.path + "module/saltus.wasm.xz")[2]["Content-Type"], "application/octet-stream")
        self.assertEqual(self.get(self.address.path, method="HEAD")[1], b"")

    def test_nothing_is_there_without_it(self):
        token = self.address.path.strip("/")
        wrong = token[:-1] + ("A" if token[-1] != "A" else "B")
        for path in ("/", "/index.html", "/data/result.h5", f"/{wrong}/index.html", f"/{token}", "//", "/" + token[:8] + "/"):
            self.assertEqual(self.get(path)[0], 403, path)

    def test_no_other_file_is_reachable(self):
        for name in ("../ball.h5", "data/../../ball.h5", "data/ball.h5", "%2e%2e/ball.h5", "/etc/passwd", "data/", "module"):
            self.assertEqual(self.get(self.address.path + name)[0], 404, name)

    def test_other_hosts_origins_and_methods_are_refused(self):
        path = self.address.path
        self.assertEqual(self.get(path, Host="evil.example")[0], 403)
        self.assertEqual(self.get(path, Origin="http://evil.example")[0], 403)
        self.assertEqual(self.get(path, Sec_Fetch_Site="cross-site")[0], 403)
        self.assertEqual(self.get(path, Origin=f"http://127.0.0.1:{self.address.port}")[0], 200)
        self.assertEqual(self.get(path, method="POST")[0], 405)

    def test_requests_without_end_are_refused(self):
        c = http.client.HTTPConnection("127.0.0.1", self.address.port, timeout=10)
        self.addCleanup(c.close)
        c.putrequest("GET", self.address.path)
        c.putheader("X", "y" * 40000)
        try:
            c.endheaders()
            self.assertEqual(c.getresponse().status, 431)
        except (ConnectionError, http.client.HTTPException):
            pass  # closed while it was still talking

    def test_bad_files_are_refused_before_a_browser_opens(self):
        bad = Path(self.folder.name) / "bad.h5"
        bad.write_bytes(b"no result")
        for args in ((str(bad),), ("/nonexistent.h5",), (str(bad), "--plain")):
            self.assertTrue(saltus("view", *args, "--no-open", code=2).stderr.startswith("saltus: "))

    def test_the_program_has_a_page_of_its_own(self):
        with subprocess.Popen([SALTUS, "view", str(self.file), "--no-open", "--plain"], stdout=subprocess.PIPE, text=True) as own:
            address = urlsplit(own.stdout.readline().split()[-1])
            c = http.client.HTTPConnection("127.0.0.1", address.port, timeout=10)
            c.request("GET", address.path)
            page = c.getresponse().read().decode()
            c.close()
            own.send_signal(signal.SIGINT)
            self.assertEqual(own.wait(timeout=10), 0)
        data = data_of(page)
        self.assertGreater(len(data["events"]), 10)
        self.assertGreater(data["motion"]["frames"], 100)


if __name__ == "__main__":
    unittest.main()
