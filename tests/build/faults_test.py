#!/usr/bin/env python3
"""faults_test.py TILEWRIGHT [ROUNDS]: builds that are kept, when the store they are kept in is damaged: bits flipped, entries cut short,
put in each other's places or made of other times, a disk that is full, a shared store that lies, dies or is slow, two versions
of the program at once. Whatever happens, a build says what it says without any store.
"""
import http.server
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

HERE = os.path.dirname(os.path.abspath(__file__))
from scripts import ADD, BROKEN, IMPORTING, WARNING  # noqa: E402

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
# A copy of the program elsewhere finds NVIDIA's compiler, too.
if "CUDA_HOME" not in os.environ:
    checkout = os.path.realpath(os.path.join(os.path.dirname(BINARY), "..", ".."))
    if os.path.isdir(os.path.join(checkout, ".cuda", "nvidia", "cu13")):
        os.environ["CUDA_HOME"] = os.path.join(checkout, ".cuda", "nvidia", "cu13")
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 4


class Store(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        body = self.server.entries.get(self.path)
        if body is None:
            return self.answer(404)
        body = self.server.answering(self.path, body)
        if body is None:
            return None
        return self.answer(200, body)

    def do_PUT(self):
        self.server.entries[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(201)

    def log_message(self, *_):
        pass


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="tilewright-faults-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.root = os.path.join(self.folder, "work")
        self.store = os.path.join(self.folder, "store")
        os.mkdir(self.root)
        for i in range(6):
            self.write(f"k{i}.py", ADD.format(by=i + 1).replace("64", str(32 * (i + 1))))
        self.write("w.py", WARNING)
        self.write("bad.py", BROKEN.format(by=1))
        self.write("size.py", "N = 64\n")
        self.write("imports.py", IMPORTING.format(module="size"))
        self.rng = random.Random(15)

    def write(self, name, text):
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as f:
            f.write(text)

    def build(self, store=None, binary=BINARY, env=None, root=None, status=1):
        """What is found, and which scripts were unchanged."""
        done = subprocess.run([binary, "build", "--json"], cwd=root or self.root, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "XDG_CACHE_HOME": store or self.store, **(env or {})})
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr)  # bad.py
        found = json.loads(done.stdout)
        unchanged = {s["file"]: s.pop("unchanged") for s in found["scripts"]}
        return found, unchanged

    def truth(self, **more):
        return self.build(os.path.join(self.folder, "fresh" + str(self.rng.random())), **more)[0]

    def entries(self):
        out = []
        for folder, _, files in os.walk(os.path.join(self.store, "tilewright", "artifacts", "entries")):
            out += [os.path.join(folder, f) for f in files]
        return sorted(out)

    def test_damaged_entries(self):
        truth = self.truth()
        self.assertEqual(self.build()[0], truth)
        self.assertEqual(set(self.build()[1].values()), {True})
        older = {path: open(path, "rb").read() for path in self.entries()}
        for n in range(ROUNDS):
            paths = self.entries()
            self.assertGreater(len(paths), 12)
            for path in paths:
                with open(path, "rb") as f:
                    data = bytearray(f.read())
                what = self.rng.choice(("flip", "cut", "swap", "empty", "longer", "keep"))
                at = self.rng.randrange(max(1, len(data)))
                if what == "flip" and data:
                    data[at] ^= 1 << self.rng.randrange(8)
                elif what == "cut":
                    data = data[:at]
                elif what == "swap":
                    data = older[self.rng.choice(sorted(older))]
                elif what == "empty":
                    data = b""
                elif what == "longer":
                    data += b"\0" * self.rng.randrange(1, 9)
                with open(path, "wb") as f:
                    f.write(data)
            self.assertEqual(self.build()[0], truth, f"round {n}")
            self.assertEqual(self.build()[0], truth, f"round {n}, once more")

    def test_entries_of_other_contents(self):
        """The store of one text is not taken for that of another, whatever is put where."""
        first = self.truth()
        self.build()
        names = {path: open(path, "rb").read() for path in self.entries()}
        self.write("k0.py", ADD.format(by=500))
        self.write("size.py", "N = 96\n")
        second = self.truth()
        self.assertNotEqual(first, second)
        self.assertEqual(self.build()[0], second)
        fresh = [path for path in self.entries() if path not in names]
        self.assertTrue(fresh)
        for path in fresh:  # the older text's entries in the places of the newer ones
            shutil.copy(self.rng.choice(sorted(names)), path)
        self.assertEqual(self.build()[0], second)

    def test_edits_at_random(self):
        """Whatever is edited, and whatever times files have: a build says what a build from nothing says."""
        for name in [f"k{i}.py" for i in range(1, 6)] + ["w.py"]:
            os.remove(os.path.join(self.root, name))
        stamp = os.stat(os.path.join(self.root, "k0.py")).st_mtime
        sizes = ("N = 64\n", "N = 32\n", "from other import N\n", "N = missing\n", "import os\nN = 64\n", "N = len(__file__)\n")
        settings = ("", 'arch = "sm_80"\n', 'arch = ["sm_80", "sm_90a"]\n', '[severity]\nTW2002 = "warning"\n', "[limits]\nsteps = 40\n", "nonsense")

        def edit():
            what = self.rng.choice(("size", "other", "script", "settings", "package", "gone"))
            if what == "size":
                self.write("size.py", self.rng.choice(sizes))
            elif what == "other":
                self.write("other.py", self.rng.choice(sizes[:2]))
            elif what == "script":
                self.write("k0.py", self.rng.choice((ADD, BROKEN)).format(by=self.rng.randrange(3)))
            elif what == "settings":
                self.write("tilewright.toml", self.rng.choice(settings))
            elif what == "package":
                os.makedirs(os.path.join(self.root, "size"), exist_ok=True)
                self.write("size/__init__.py", self.rng.choice(sizes[:2]))
            else:
                for path in (self.rng.choice(("size", "size.py", "other.py", "tilewright.toml")),):
                    path = os.path.join(self.root, path)
                    shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
            for folder, _, files in os.walk(self.root):
                for name in files:
                    os.utime(os.path.join(folder, name), (stamp, stamp))

        for n in range(ROUNDS * 3):
            for _ in range(self.rng.randrange(1, 3)):
                edit()
            self.assertEqual(self.build(status=None)[0], self.truth(status=None), f"edit {n}")

    def test_a_store_that_cannot_be_written(self):
        truth = self.truth()
        with open(self.store, "w") as f:
            f.write("a file where the folder should be")
        self.assertEqual(self.build()[0], truth)
        self.assertEqual(self.build()[0], truth)

    def test_a_full_disk(self):
        truth = self.truth()
        os.mkdir(self.store)
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96k", "none", self.store],
                                               capture_output=True).returncode != 0:
            self.skipTest("a small file system cannot be mounted here")
        try:
            for _ in range(3):
                self.assertEqual(self.build()[0], truth)
            for path in self.entries():  # what is there is whole
                self.assertGreater(os.path.getsize(path), 40)
        finally:
            subprocess.run(["umount", "-l", self.store], check=True)

    def test_two_versions_at_once(self):
        """Another build of the program: its build id differs."""
        with open(BINARY, "rb") as f:
            data = bytearray(f.read())
        at = data.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0")
        self.assertGreater(at, 0, "the program has no build id")
        data[at + 16] ^= 0xFF
        other = os.path.join(self.folder, "tilewright-other")
        with open(other, "wb") as f:
            f.write(data)
        os.chmod(other, 0o755)
        truth = self.truth()
        for binary in (BINARY, other):
            found, unchanged = self.build(binary=binary)
            self.assertEqual(found, truth)
            self.assertEqual(set(unchanged.values()), {False}, "one version believed the other")
        results = []
        threads = [threading.Thread(target=lambda b=b: results.append(self.build(binary=b))) for b in (BINARY, other) * 3]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual([r[0] for r in results], [truth] * 6)
        self.assertEqual({u for r in results for u in r[1].values()}, {True})

    def shared(self, answering):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
        server.entries, server.answering = {}, answering
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(lambda: (server.shutdown(), server.server_close()))
        # Whole builds are shared by those who have the same key.
        return server, {"TILEWRIGHT_SHARED_CACHE": f"http://127.0.0.1:{server.server_port}", "TILEWRIGHT_CACHE_KEY": "of all who share it"}

    def test_a_shared_store(self):
        mode = {"is": "good"}
        stop = threading.Event()
        self.addCleanup(stop.set)

        def answering(path, body):
            entries = server.entries
            if mode["is"] == "flips":
                body = bytearray(body)
                body[self.rng.randrange(len(body))] ^= 1 << self.rng.randrange(8)
                return bytes(body)
            if mode["is"] == "swaps":
                return entries[self.rng.choice(sorted(entries))]
            if mode["is"] == "cuts":
                return body[: len(body) // 2]
            if mode["is"] == "slow":
                stop.wait(30)
                return None
            return body

        server, env = self.shared(answering)
        truth = self.truth()
        self.build(env={**env, "TILEWRIGHT_SHARED_CACHE_WRITE": "1"})
        self.assertTrue(server.entries)
        # Another checkout at another place, on a machine without a store of its own, builds nothing.
        moved = os.path.join(self.folder, "elsewhere")
        shutil.copytree(self.root, moved)
        for n in range(10):  # on a busy machine the store may be too slow to be waited for: then it is not asked any more
            found, unchanged = self.build(os.path.join(self.folder, f"s1{n}"), env=env, root=moved)
            self.assertEqual(found, truth)
            if set(unchanged.values()) == {True}:
                break
        self.assertEqual(set(unchanged.values()), {True})
        for n, wrong in enumerate(("flips", "swaps", "cuts", "slow")):
            mode["is"] = wrong
            found, unchanged = self.build(os.path.join(self.folder, f"s2{n}"), env=env)
            self.assertEqual(found, truth, wrong)
            self.assertEqual(set(unchanged.values()) & {False}, {False}, wrong)
        env["TILEWRIGHT_SHARED_CACHE"] = "http://127.0.0.1:9"
        done = subprocess.run([BINARY, "build"], cwd=self.root, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "XDG_CACHE_HOME": os.path.join(self.folder, "s4"), **env})
        self.assertIn("the shared cache is not asked any more", done.stderr)  # a warning of the server that it starts
        self.assertEqual(self.build(os.path.join(self.folder, "s3"), env=env)[0], truth)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
