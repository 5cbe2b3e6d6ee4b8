#!/usr/bin/env python3
"""shared_cache_test.py TILEWRIGHT: what machines share over HTTP: entries that come and go, and servers of every kind,
most of them bad. Whatever the server does, the same cubin comes out."""
import http.server
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
SCRIPT = """from tvm.script import tirx as T


def make(k):
    @T.prim_func
    def add(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        i = T.thread_id([64])
        B[i] = A[i] + T.float32(k)

    return add


CONFIGS = [{"k": 1}, {"k": 2}, {"k": 3}]


def get_kernel(k):
    return make(k)
"""


class Server(http.server.ThreadingHTTPServer):
    """Keeps what is put; `answer` may do something else with a request, and says whether it did."""
    daemon_threads = True

    def __init__(self, answer=lambda request: False, token=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.token = answer, token
        self.entries, self.asked, self.lock, self.over = {}, [], threading.Lock(), threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/cache"

    def end(self):
        self.over.set()
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def say(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with self.server.lock:
            self.server.asked.append(("GET", self.path))
        if self.server.answer(self):
            return
        if self.server.token and self.headers.get("Authorization") != "Bearer " + self.server.token:
            return self.say(401)
        entry = self.server.entries.get(self.path)
        self.say(200, entry) if entry is not None else self.say(404)

    def do_PUT(self):
        with self.server.lock:
            self.server.asked.append(("PUT", self.path))
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.server.answer(self):
            return
        if self.server.token and self.headers.get("Authorization") != "Bearer " + self.server.token:
            return self.say(403)
        with self.server.lock:
            self.server.entries[self.path] = body
        self.say(201)


class SharedCache(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tilewright-shared-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.script = os.path.join(self.folder, "many.py")
        with open(self.script, "w", encoding="utf-8") as f:
            f.write(SCRIPT)
        self.machines = 0

    def server(self, *arguments, **more):
        server = Server(*arguments, **more)
        self.addCleanup(server.end)
        return server

    def compile(self, url, write=False, token=None, machine=None):
        """On a machine of its own, with nothing in its cache: the cubins, and what was said beside them."""
        self.machines += 1
        machine = machine or os.path.join(self.folder, f"machine{self.machines}")
        out = os.path.join(self.folder, f"out{self.machines}")
        env = dict(os.environ, XDG_CACHE_HOME=machine, TILEWRIGHT_SHARED_CACHE=url,
                   TILEWRIGHT_SHARED_CACHE_WRITE="1" if write else "", TILEWRIGHT_SHARED_CACHE_TOKEN=token or "")
        done = subprocess.run([BINARY, "compile", self.script, "--emit", "cubin", "--arch", "sm_90a", "-o", out], env=env,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        cubins = {}
        for name in sorted(os.listdir(out)):
            with open(os.path.join(out, name), "rb") as f:
                cubins[name] = f.read()
        self.assertEqual(len(cubins), 3)
        return cubins, done.stderr

    def test_one_machine_makes_what_another_one_finds(self):
        server = self.server()
        alone, _ = self.compile("")
        made, said = self.compile(server.url, write=True)
        self.assertEqual((made, said), (alone, ""))
        self.assertEqual(len(server.entries), 3)
        server.asked.clear()
        found, _ = self.compile(server.url)
        self.assertEqual(found, alone)
        self.assertEqual([m for m, _ in server.asked], ["GET"] * 3)
        # What was found is kept: the server is not asked again.
        machine = os.path.join(self.folder, f"machine{self.machines}")
        server.asked.clear()
        self.assertEqual(self.compile(server.url, machine=machine)[0], alone)
        self.assertEqual(server.asked, [])

    def test_who_may_not_write_offers_nothing(self):
        server = self.server()
        self.compile(server.url)
        self.assertEqual({m for m, _ in server.asked}, {"GET"})
        self.assertEqual(server.entries, {})

    def test_a_token_opens_it_and_no_other_does(self):
        server = self.server(token="the-shared-token-0123456789")
        tokens = {}
        for name, text in (("right", server.token), ("wrong", "another-token-0123456789")):
            tokens[name] = os.path.join(self.folder, name)
            with open(tokens[name], "w", encoding="utf-8") as f:
                f.write(text + "\n")
            os.chmod(tokens[name], 0o600)
        _, said = self.compile(server.url, write=True, token=tokens["wrong"])
        self.assertIn("401", said)
        self.assertEqual(server.entries, {})
        self.assertLess(len(server.asked), 6)  # not for each entry, and nothing is offered
        self.compile(server.url, write=True, token=tokens["right"])
        self.assertEqual(len(server.entries), 3)

    def test_bad_entries_are_never_used(self):
        server = self.server()
        right, _ = self.compile(server.url, write=True)
        names = sorted(server.entries)
        whole = dict(server.entries)

        def flipped(entry, at):
            return entry[:at] + bytes([entry[at] ^ 1]) + entry[at + 1:]

        kinds = {
            "bit flips": {n: flipped(whole[n], len(whole[n]) * (i + 1) // 4) for i, n in enumerate(names)},
            "cut short": {n: whole[n][:len(whole[n]) // 2] for n in names},
            "swapped": {n: whole[names[i - 1]] for i, n in enumerate(names)},
            "empty": {n: b"" for n in names},
            "something else": {n: b"<html>hello</html>" for n in names},
        }
        for kind, entries in kinds.items():
            with self.subTest(kind):
                server.entries = dict(entries)
                self.assertEqual(self.compile(server.url)[0], right)

    def test_servers_that_are_dead_slow_or_broken(self):
        right, _ = self.compile("")
        with socket.socket() as s:  # there is no listener
            s.bind(("127.0.0.1", 0))
            dead = f"http://127.0.0.1:{s.getsockname()[1]}"
        self.assertEqual(self.compile(dead, write=True)[0], right)

        def hangs(request):
            request.server.over.wait()
            return True

        def breaks_off(request):
            request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhalf")
            request.close_connection = True
            return True

        def trickles(request):
            request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            while not request.server.over.wait(0.1):
                try:
                    request.wfile.write(b"x")
                except OSError:
                    break
            return True

        def floods(request):
            request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
            return True

        def nonsense(request):
            request.wfile.write(b"\x00\x01\x02 what is this\r\n\r\n")
            request.close_connection = True
            return True

        def fails(request):
            request.say(500)
            return True

        for kind in (hangs, breaks_off, trickles, floods, nonsense, fails):
            with self.subTest(kind.__name__):
                server = self.server(kind)
                self.assertEqual(self.compile(server.url, write=True)[0], right)

    def test_settings_that_make_no_sense_are_said(self):
        right, _ = self.compile("")
        for url in ("ftp://host", "http://", "host:80", "http://user@host/", "http://host:port/"):
            cubins, said = self.compile(url)
            self.assertEqual(cubins, right)
            self.assertIn("TILEWRIGHT_SHARED_CACHE", said)
        token = os.path.join(self.folder, "token")
        with open(token, "w", encoding="utf-8") as f:
            f.write("some-token-0123456789\n")
        os.chmod(token, 0o600)
        self.assertIn("https", self.compile("http://example.invalid/", token=token)[1])
        os.chmod(token, 0o644)
        self.assertIn("token", self.compile("http://127.0.0.1:1/", token=token)[1])


if __name__ == "__main__":
    sys.argv.pop(1)
    probe = subprocess.run([BINARY, "doctor"], capture_output=True, text=True)
    if probe.returncode != 0 and "NVRTC" in probe.stdout and "missing" in probe.stdout:
        print("SKIPPED: there is no compiler of CUDA here", file=sys.stderr)
        sys.exit(77)
    unittest.main()
