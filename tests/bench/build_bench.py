#!/usr/bin/env python3
"""build_bench.py TILEWRIGHT [KERNELS]: how long `tilewright build` takes over a workspace of so many scripts with a kernel each (default: 1,000):
everything again, nothing changed, one kernel changed, and on a machine without a cache of its own whose shared cache has everything.

The first build compiles each kernel with NVRTC and takes minutes. Prints a line a case: the median and the best of five.
"""
import http.server
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

BINARY = os.path.abspath(sys.argv[1])
KERNELS = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
ROUNDS = 5

SCRIPT = """from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


@T.prim_func
def copy_{i}(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    T.lane_id([32])
    T.thread_id([32])
    A_smem = T.alloc_buffer((64, 64), "float16", scope="shared", layout=TileLayout(S[64, 64]))
    Tx.warp.copy(A_smem[:, :], A[:, :])
    T.cuda.cta_sync()
    B[0, 0] = T.float16({value})
    Tx.warp.copy(B[:, :], A_smem[:, :])
"""


class Store(http.server.BaseHTTPRequestHandler):
    """A cache over HTTP, in memory, as machines share it."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    entries = {}

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def do_GET(self):
        body = self.entries.get(self.path)
        self.answer(404) if body is None else self.answer(200, body)

    def do_PUT(self):
        self.entries[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(201)

    def log_message(self, *_):
        pass


def write(root, i, value):
    with open(os.path.join(root, f"k{i:04}.py"), "w") as f:
        f.write(SCRIPT.format(i=i, value=value))


def build(root, cache, **env):
    begun = time.monotonic()
    done = subprocess.run([BINARY, "build"], cwd=root, capture_output=True, text=True,
                          env={**os.environ, "XDG_CACHE_HOME": cache, **env})
    assert done.returncode == 0, done.stderr
    return time.monotonic() - begun, done.stderr.splitlines()[0]


def say(what, times, words):
    print(f"{what:42} median {statistics.median(times):7.3f} s, best {min(times):7.3f} s   {words}", flush=True)


def main():
    folder = tempfile.mkdtemp(prefix="tilewright-bench-")
    root, cache = os.path.join(folder, "work"), os.path.join(folder, "cache")
    os.mkdir(root)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    shared = {"TILEWRIGHT_SHARED_CACHE": f"http://127.0.0.1:{server.server_port}"}
    try:
        for i in range(KERNELS):
            write(root, i, i)
        took, words = build(root, cache, **shared, TILEWRIGHT_SHARED_CACHE_WRITE="1")
        say("everything again", [took], words)
        # What the first build offered while it ended may be cut short: once more, so that all of it is there.
        for _ in range(3):
            shutil.rmtree(os.path.join(folder, "again"), ignore_errors=True)
            build(root, os.path.join(folder, "again"), **shared, TILEWRIGHT_SHARED_CACHE_WRITE="1")
        times = []
        for _ in range(ROUNDS):
            took, words = build(root, cache)
            times.append(took)
        say("nothing changed", times, words)
        times = []
        for n in range(ROUNDS):
            write(root, KERNELS // 2, KERNELS + n + time.time_ns() % 1000 / 1000)
            took, words = build(root, cache)
            times.append(took)
        say("one kernel changed", times, words)
        write(root, KERNELS // 2, KERNELS // 2)
        times = []
        for n in range(ROUNDS):
            elsewhere = os.path.join(folder, f"elsewhere{n}")
            took, words = build(root, elsewhere, **shared)
            times.append(took)
        say("clean, the shared cache has everything", times, words)
    finally:
        server.shutdown()
        shutil.rmtree(folder)


main()
