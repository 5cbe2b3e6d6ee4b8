"""What tests of the command line share: the binary, a folder of its own for each case, exit statuses, schemas."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.dirname(HERE))
from support import release  # noqa: E402,F401
from support import schema  # noqa: E402
from support import trust  # noqa: E402,F401: settings of the user of this test's own

BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""


def minds_interrupts(pid):
    """Has the process begun to look after SIGINT, by a handler or by a thread that waits for it?"""
    with open(f"/proc/{pid}/status") as f:
        masks = dict(line.split(":\t") for line in f if line.startswith(("SigBlk", "SigCgt")))
    return any(int(mask, 16) >> (signal.SIGINT - 1) & 1 for mask in masks.values())


class Result:
    def __init__(self, done):
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.text, self.errors = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    @property
    def json(self):
        return json.loads(self.out.decode("utf-8"))

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.text[:2000]}\n--- stderr\n{self.errors[:2000]}"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tilewright-cli-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def cache(self):
        return os.environ.get("TILEWRIGHT_TEST_CACHE", self.path("cache"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, content):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def run_it(self, *arguments, stdin=b"", cwd=None, env=None):
        stdin = stdin if isinstance(stdin, bytes) else stdin.encode("utf-8")
        environment = dict(os.environ, XDG_CACHE_HOME=self.cache()) | (env or {})
        done = subprocess.run([BINARY, *arguments], input=stdin, capture_output=True, cwd=cwd or self.folder,
                              env=environment, timeout=120)
        result = Result(done)
        self.assertIn(done.returncode, (0, 1, 2), f"{arguments}: {result}")  # never a signal
        return result

    def expect(self, status, *arguments, **more):
        result = self.run_it(*arguments, **more)
        self.assertEqual(result.status, status, f"{arguments}: {result}")
        return result

    def fits(self, value, name):
        self.assertEqual(schema.check(value, name), [])
        return value


def npy(descr, shape, data):
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(11 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


def main():
    if not os.path.isfile(BINARY):
        sys.exit(f"usage: {sys.argv[0]} TILEWRIGHT [unittest arguments]")
    unittest.main()
