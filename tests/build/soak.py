#!/usr/bin/env python3
"""soak.py TILEWRIGHT [SECONDS] [CLIENTS]: one build server under clients that compile, test, run, cancel, reload, edit
their scripts and go away midway, while its helpers are killed at random (default: 1800 s, 64).

Each client has a workspace of its own, in which a constant tells its results from those of others. At the end the server's
memory has to be what it was after the first tenth of the time, and nothing may be left of it.
"""
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from support import release  # noqa: E402,F401
from support.build_server import Client  # noqa: E402
from support.jsonrpc import Closed, Refused  # noqa: E402
from support.soaking import Soaking  # noqa: E402

BINARY = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 1800
CLIENTS = int(sys.argv[3]) if len(sys.argv) > 3 else 64
SLACK = 64 << 20  # bytes that the allocator may keep
OK, ERROR, CANCELLED = 1, 2, 3
Client.patience = 900  # a busy machine is no fault

SCRIPT = """from tvm.script import tirx as T


# tilewright: reference plain()
@T.prim_func
def kernel_{name}(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([64])
    B[i] = A[i] + T.float32({by})


def plain():
    @T.prim_func
    def scalar(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for i in T.serial(64):
            B[i] = A[i] + T.float32({expected})

    return scalar
"""


class Soak(Soaking):
    def __init__(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="tilewright-soak-"))
        self.address = os.path.join(self.folder, "socket")
        env = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder, "cache"))
        self.server = subprocess.Popen([BINARY, "serve", "--on", "sim", "--listen", "unix:" + self.address, "--clients", "1000"],
                                       stderr=subprocess.PIPE, env=env)
        self.server.stderr.readline()
        super().__init__(SECONDS)

    def children(self):
        with open(f"/proc/{self.server.pid}/task/{self.server.pid}/children", encoding="utf-8") as f:
            return [int(pid) for pid in f.read().split()]

    def resident(self):
        with open(f"/proc/{self.server.pid}/statm", encoding="utf-8") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def connect(self, root):
        s = socket.socket(socket.AF_UNIX)
        s.connect(self.address)
        client = Client.of_socket(s)
        client.initialize(root)
        return client

    @staticmethod
    def write(root, name, rng):
        """A script of this client; does it verify?"""
        by = rng.randrange(1000)
        right = rng.random() < 0.7
        with open(os.path.join(root, "a.py"), "w", encoding="utf-8") as f:
            f.write(SCRIPT.format(name=name, by=by, expected=by if right else by + 1))
        # Two edits within the clock's resolution are two edits.
        stamp = time.time_ns()
        os.utime(os.path.join(root, "a.py"), ns=(stamp, stamp))
        return right

    def one(self, client, root, name, right, rng):
        what = rng.choices(("compile", "test", "run", "cancel", "reload", "targets", "gone"), (30, 30, 8, 15, 5, 10, 2))[0]
        target = {"uri": "file://" + os.path.join(root, "a.py")}
        origin = f"{name}-{rng.randrange(1 << 40)}"
        client.forget()
        if what in ("reload", "targets"):
            client.result("workspace/reload" if what == "reload" else "workspace/buildTargets")
            return self.count(what)
        if what in ("cancel", "gone"):
            asked = client.ask("buildTarget/test", {"targets": [target], "originId": origin})
            time.sleep(rng.random() * 0.02)
            if what == "gone":
                self.count(what)
                raise EOFError
            client.notify("$/cancelRequest", {"id": asked})
            status = client.answer(asked)["result"]["statusCode"]
            return self.count(f"cancel: {'cancelled' if status == CANCELLED else 'too late'}")
        params = {"target": target} if what == "run" else {"targets": [target]}
        result = client.result("buildTarget/" + what, {**params, "originId": origin})
        if result["originId"] != origin:
            self.wrong.append("another one's answer")
        expected = OK if what == "compile" or right else ERROR
        if result["statusCode"] != expected:
            self.wrong.append(f"{what} gave {result['statusCode']} where {expected} was right")
        origins = {n["params"]["originId"] for n in client.notes if "originId" in (n["params"] or {})}
        if origins - {origin}:
            self.wrong.append(f"told of another one's work: {origins}")
        names = [k["name"] for s in result.get("data", {}).get("scripts", []) for k in s["kernels"]]
        names += [r["entry"] for r in result.get("data", {}).get("runs", [])]
        if what != "run" and f"kernel_{name}" not in names:
            self.wrong.append(f"{what} of kernel_{name} told of {names}")
        self.count(what)

    def client(self, seed):
        rng, name = random.Random(seed), f"c{seed}"
        root = os.path.join(self.folder, name)
        os.mkdir(root)
        right = self.write(root, name, rng)
        while self.goes_on():
            try:
                client = self.connect(root)
                for _ in range(rng.randrange(1, 40)):
                    if time.monotonic() > self.end or self.wrong:
                        break
                    if rng.random() < 0.2:
                        right = self.write(root, name, rng)
                    self.one(client, root, name, right, rng)
                client.close()
                self.wrong += client.violations
            except EOFError:
                client.close()
            except (Refused, Closed, TimeoutError, AssertionError, OSError, KeyError) as e:
                self.wrong.append(f"{name}: {e!r}")

    def run(self):
        self.soak(CLIENTS, self.client, self.children, "helper killed", self.resident)
        self.server.terminate()
        status = self.server.wait(60)
        if status != 0:
            self.wrong.append(f"the server ended with {status}: {self.server.stderr.read()[-2000:]}")
        shutil.rmtree(self.folder)
        return self.report(f"{sum(self.counts.values())} requests", SLACK)


if __name__ == "__main__":
    sys.exit(Soak().run())
