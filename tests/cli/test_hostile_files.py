#!/usr/bin/env python3
"""HDF5 files that somebody made to do harm or that were damaged: test_hostile_files.py PATH-TO-SALTUS"""
import hashlib
import json
import os
import random
import resource
import shutil
import subprocess
import time
import unittest

from program import SALTUS, SANITIZED, InFolder, python_with_h5py, read, saltus

FAULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/faults")
MEMORY = 1 << 30  # of the address space: enough for all that is small

# What is done to a good file of results, by h5py: name, the command that reads it, words of the answer, what is done.
# Unless said otherwise `new(path, …)` puts a dataset in the place of the one that is there.
CRAFTED = [
    ("many values in a text", "info", "attribute problem has 8000 values",
     "del f.attrs['problem']; f.attrs['problem'] = np.full(8000, b'A' * 8, dtype='S8')"),
    ("no value in a text", "info", "attribute problem", "f.attrs['problem'] = h5py.Empty('S8')"),
    ("a text of variable length", "info", "attribute problem is no text of fixed length", "f.attrs['problem'] = 'ball'"),
    ("a number that is a list", "info", "attribute t0 has 9 values", "f.attrs['t0'] = np.zeros(9)"),
    ("a number that is a text", "info", "attribute every is not an integer", "f.attrs['every'] = np.bytes_(b'12345678')"),
    ("a changed setting", "info", "attributes are damaged", "f.attrs['t_end'] = 7.0"),
    ("names in two dimensions", "export", "/names/name has 2 dimensions",
     "new('names/name', data=np.full((1, 90000), b'x' * 96, dtype='S96'))"),
    ("names of another count", "export", "/names/name has 7 rows", "new('names/name', data=np.full(7, b'x', dtype='S96'))"),
    ("rows × columns beyond 2^64", "export", "more than there can be",
     "new('samples/q', shape=(1 << 62, 4), dtype='f8', chunks=(1024, 4))"),
    ("rows × columns beyond 2^63", "info", "more than there can be",
     "new('samples/q', shape=(1 << 40, 1 << 20), dtype='f8', chunks=(1024, 4))"),
    ("no columns", "export", "has 0 columns", "new('samples/q', shape=(N, 0), maxshape=(None, 4), dtype='f8', chunks=(8, 4))"),
    ("no columns of events", "export", "has 0 columns",
     "new('events/impulse', shape=(K, 0), maxshape=(None, 6), dtype='f8', chunks=(8, 6))"),
    ("two columns of time", "export", "/samples/t has 2 columns", "new('samples/t', data=np.zeros((N, 2)))"),
    ("three dimensions", "info", "has 3 dimensions", "new('samples/q', data=np.zeros((N, 1, 1)))"),
    ("texts for numbers", "export", "numbers are needed", "new('samples/t', data=np.full(N, b'x', dtype='S8'))"),
    ("real numbers for ids", "export", "integers are needed", "new('events/contact', data=np.full(K, 1e300))"),
    ("signed numbers for ids", "export", "unsigned", "new('events/sample', data=np.full(K, -1))"),
    ("compound numbers", "export", "neither numbers nor texts", "new('samples/t', data=np.zeros(N, dtype=[('a', 'f8')]))"),
    ("time that is not a number", "export", "/samples/t is nan", "f['samples/t'][3] = np.nan"),
    ("time that goes back", "export", "/samples/t decreases at row 3", "f['samples/t'][2] = 4"),
    ("contacts out of order", "export", "/contacts/sample decreases", "f['contacts/sample'][5] = 1 << 60"),
    ("an unknown mode", "export", "unknown mode", "f['contacts/mode'][5] = 77"),
    ("more rows than a block has", "export", "too many rows", "f['contacts/rows'][:] = 200"),
    ("more rows than the contact has", "vtu", "has 6 rows in the result and 1 in its problem", "f['contacts/rows'][:] = 6"),
    ("more coordinates than the problem", "vtu", "has 9 coordinates", "new('samples/q', data=np.zeros((N, 9)))"),
    ("more velocities than the problem", "vtu", "9 velocities", "new('samples/u', data=np.zeros((N, 9)))"),
    ("rows that nobody wrote", "export", "lost those from row 0 on",
     "new('samples/q', shape=(N, 100000), dtype='f8', chunks=(64, 100000), compression='gzip')"),
    ("13 GB that nobody wrote", "export", "lost those from row 0 on",
     "[new('samples/' + k, shape=(1 << 27,) + f['samples/' + k].shape[1:], dtype=f['samples/' + k].dtype,"
     " chunks=(1 << 16,) + f['samples/' + k].shape[1:], compression='gzip') for k in list(f['samples'])]"),
    ("two deflations", "info", "the same filter twice",
     "p = h5py.h5p.create(h5py.h5p.DATASET_CREATE); p.set_chunk((N, 1)); p.set_deflate(9); p.set_deflate(9);"
     "raw('samples/q', h5py.h5t.IEEE_F64LE, (N, 1), p)"),
    ("a filter of others", "info", "a filter that is not read here", "new('samples/q', data=np.zeros((N, 1)), compression='lzf')"),
    ("a chunk that is short", "export", "does not inflate to its size",
     "d = new('samples/q', shape=(N, 1), dtype='f8', chunks=(N, 1), compression='gzip');"
     "d.id.write_direct_chunk((0, 0), zlib.compress(b'x' * 80))"),
    ("a chunk that is long", "export", "does not inflate to its size",
     "d = new('samples/q', shape=(N, 1), dtype='f8', chunks=(N, 1), compression='gzip');"
     "d.id.write_direct_chunk((0, 0), zlib.compress(b'x' * 3000000))"),
    ("a chunk that is stored too long", "export", "stores a chunk of",
     "d = new('samples/q', shape=(N, 1), dtype='f8', chunks=(N, 1), compression='gzip');"
     "d.id.write_direct_chunk((0, 0), zlib.compress(b'x' * 50000000))"),
    ("a short chunk without filters", "export", "has another size than declared",
     "d = new('samples/q', shape=(N, 1), dtype='f8', chunks=(N, 1), compression='gzip');"
     "d.id.write_direct_chunk((0, 0), b'x' * 80, 1)"),
    ("a chunk of 2 GB", "export", "no compression does that",
     "d = new('samples/t', shape=(N,), maxshape=(None,), dtype='f8', chunks=(1 << 28,), compression='gzip');"
     "d.id.write_direct_chunk((0,), zlib.compress(b'x' * 80))"),
    ("data in another file", "export", "stored in another file",
     "new('samples/q', shape=(N, 1), dtype='f8', external=[('/etc/passwd', 0, 8 * N)])"),
    ("data of another dataset", "export", "stored in another file",
     "v = h5py.VirtualLayout((N, 1), 'f8'); v[:] = h5py.VirtualSource('other.h5', 'x', (N, 1)); del f['samples/q'];"
     "f.create_virtual_dataset('samples/q', v)"),
    ("a link to another file", "export", "is a link to somewhere else",
     "del f['samples/q']; f['samples/q'] = h5py.ExternalLink('other.h5', '/samples/q')"),
    ("a group in another file", "export", "is a link to somewhere else",
     "del f['samples']; f['samples'] = h5py.ExternalLink('other.h5', '/samples')"),
    ("a link within the file", "export", "is a link to somewhere else",
     "del f['samples/q']; f['samples/q'] = h5py.SoftLink('/samples/u')"),
    ("a group for a dataset", "export", "is not a dataset", "del f['samples/q']; f.create_group('samples/q')"),
    ("a missing column", "export", "/samples/q is missing", "del f['samples/q']"),
]

CRAFT = """
import json, sys, zlib
import h5py
import numpy as np
def new(path, **how):
    if path in f: del f[path]
    return f.create_dataset(path, **how)
def raw(path, kind, shape, plist):
    del f[path]
    h5py.h5d.create(f.id, path.encode(), kind, h5py.h5s.create_simple(shape), plist)
for name, what in json.load(sys.stdin):
    with h5py.File(name, 'r+') as f:
        N, K = (len(f['samples/t']), len(f['events/t'])) if 'samples' in f else (0, 0)
        exec(what)
"""


def limited(*args, **kwargs):
    """The program with little memory, so that a bomb is a failure and not a slow machine."""
    if SANITIZED:
        return saltus(*args, **kwargs)
    return saltus(*args, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)), **kwargs)


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


class Folder(InFolder):
    def ran(self, name, *args):
        p = saltus("run", "bouncing-ball", "--h", "1e-2", "-o", self.path(name), *args)
        self.assertEqual(p.returncode, 0, p.stderr)


class Crafted(Folder):
    def setUp(self):
        super().setUp()
        self.python = python_with_h5py()
        if not self.python:
            self.skipTest("no Python with h5py (package python3-h5py)")

    def craft(self, good, changes):
        """A changed copy of a good file for each change; their names."""
        files = [self.path(f"bad{k}.h5") for k in range(len(changes))]
        for file in files:
            shutil.copyfile(good, file)
        p = subprocess.run([self.python, "-c", CRAFT], input=json.dumps(list(zip(files, changes))), capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        return files

    def test_files_made_to_do_harm_are_refused_with_a_reason(self):
        self.ran("good.h5")
        files = self.craft(self.path("good.h5"), [what for *_, what in CRAFTED])
        for file, (name, command, words, _) in zip(files, CRAFTED):
            with self.subTest(name):
                before = digest(file)
                arguments = {"info": ("info", file), "export": ("export", file, "-o", self.path("out.csv")),
                             "vtu": ("export", file, "--to", "vtu", "-o", self.path("out"))}[command]
                start = time.monotonic()
                p = limited(*arguments)
                self.assertEqual(p.returncode, 2, p.stderr)
                self.assertIn(words, p.stderr)
                self.assertIn("saltus: ", p.stderr)
                self.assertLess(time.monotonic() - start, 10)
                self.assertEqual(digest(file), before)
                self.assertFalse(os.path.exists(self.path("out.csv")))

    def test_zeros_that_deflate_well_are_data(self):
        """The ratio of a bomb is refused; what deflate can do is not."""
        self.ran("good.h5")
        file, = self.craft(self.path("good.h5"), [
            "[f['samples/' + k].resize(400000, axis=0) for k in f['samples']];"
            "f['samples/t'][N:] = 5 + np.arange(400000 - N) * 1e-9;"
            "[f['samples/' + k].__setitem__(slice(N, None), 0) for k in f['samples'] if k != 't']"])
        p = limited("info", file, "--json")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(json.loads(p.stdout)["samples"], 400000)
        p = limited("export", file)
        self.assertEqual(p.returncode, 0, p.stderr)

    def test_fclib_files_are_checked_in_the_same_way(self):
        title = os.path.join(FAULTS, "fclib-title-overflow.h5")  # a title of 1000 × 1000 bytes
        p = limited("contact", "solve", title)
        self.assertEqual(p.returncode, 0, p.stderr)
        bad = (("stored in another file", "new('fclib_global/vectors/f', shape=(60,), dtype='f8',"
                "external=[('/etc/passwd', 0, 480)])"),
               ("is a link", "del f['fclib_global/M']; f['fclib_global/M'] = h5py.ExternalLink('x.h5', '/M')"),
               ("more than there can be", "new('fclib_global/vectors/f', shape=(1 << 62, 8), dtype='f8', chunks=(8, 8))"),
               ("was not written", "new('fclib_global/vectors/f', shape=(1 << 40,), dtype='f8', chunks=(1 << 16,))"),
               ("was not written", "new('fclib_global/M/x', shape=(1 << 40,), dtype='f8')"),
               ("no int of 32 bits", "new('fclib_global/M/m', data=np.array([1 << 32]))"),
               ("integers are needed", "new('fclib_global/M/i', data=np.zeros(60))"),
               ("rows and", "f['fclib_global/M/m'][0] = f['fclib_global/M/n'][0] = 2147483647"),
               ("are needed", "f['fclib_global/H/n'][0] = 70"),
               ("has the index", "f['fclib_global/H/i'][0] = -7"),
               ("goes from", "f['fclib_global/H/p'][1] = 2147483647"))
        for file, (words, what) in zip(self.craft(title, [what for _, what in bad]), bad):
            with self.subTest(what):
                p = limited("contact", "solve", file)
                self.assertEqual(p.returncode, 2, p.stderr)
                self.assertIn(words, p.stderr)


class Damaged(Folder):
    def test_a_file_on_which_hdf5_retries_without_end_is_refused_at_once(self):
        file = self.path("hang.h5")
        shutil.copyfile(os.path.join(FAULTS, "hang.h5"), file)
        before = digest(file)
        for command in ("info", "export", "plot"):
            start = time.monotonic()
            p = limited(command, file)
            self.assertEqual(p.returncode, 2, p.stderr)
            self.assertIn("hang.h5", p.stderr)
            self.assertLess(time.monotonic() - start, 10)
        self.assertEqual(digest(file), before)

    def test_changed_bytes_are_found_or_change_nothing(self):
        self.ran("good.h5")
        self.assertEqual(saltus("export", self.path("good.h5"), "-o", self.path("good.csv")).returncode, 0)
        good = read(self.path("good.csv"))
        with open(self.path("good.h5"), "rb") as f:
            image = f.read()
        chance, refused = random.Random(5), 0
        for k in range(150):
            bad = bytearray(image)
            at = chance.randrange(len(bad))
            bad[at] ^= chance.randrange(1, 256)
            with open(self.path("bad.h5"), "wb") as f:
                f.write(bad)
            p = limited("export", self.path("bad.h5"), "-o", self.path("bad.csv"))
            if p.returncode == 0:
                self.assertEqual(read(self.path("bad.csv")), good, f"byte {at} was changed and believed")
            else:
                self.assertEqual(p.returncode, 2, f"byte {at}: {p.stderr}")
                self.assertIn("bad.h5", p.stderr)
                refused += 1
        self.assertGreater(refused, 50)

    def test_a_cut_file_is_refused(self):
        self.ran("good.h5")
        size = os.path.getsize(self.path("good.h5"))
        for part in (0, 1, 100, size // 2, size - 1):
            shutil.copy(self.path("good.h5"), self.path("cut.h5"))
            os.truncate(self.path("cut.h5"), part)
            p = limited("export", self.path("cut.h5"))
            self.assertEqual(p.returncode, 2, p.stderr)
            self.assertEqual(os.path.getsize(self.path("cut.h5")), part)

    def test_reading_leaves_the_file_of_a_killed_run_alone(self):
        child = subprocess.Popen([SALTUS, "run", "bouncing-ball", "--h", "1e-8", "--every", "1000", "--no-error", "-o",
                                  self.path("killed.h5")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while child.poll() is None and not os.path.exists(self.path("killed.h5")):
            time.sleep(0.01)
        time.sleep(0.1)
        child.kill()
        child.wait()
        before = digest(self.path("killed.h5"))
        for command in ("info", "export"):
            p = saltus(command, self.path("killed.h5"))
            self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(digest(self.path("killed.h5")), before)

    def test_what_is_no_file_is_refused(self):
        os.mkfifo(self.path("pipe.h5"))
        for name in ("pipe.h5", "."):
            p = saltus("info", self.path(name))
            self.assertEqual(p.returncode, 2)
            self.assertIn("no ordinary file", p.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
