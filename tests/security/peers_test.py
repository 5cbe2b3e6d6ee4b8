#!/usr/bin/env python3
"""peers_test.py TILEWRIGHT: workers, clients of workers, build servers and shared caches that say what no honest one says, say it without
end, or say nothing. Each costs its own connection or job, within a stated time; the next honest request is served.
"""
import json
import os
import socket
import socketserver
import subprocess
import sys
import threading
import time

from attack import BINARY, Through, attack, main
from support.jsonrpc import Closed
from support.patience import wait_until
from support.worker import Worker

HUGE = 2147483647
HEAD = "from tvm.script import tirx as T\n\n"
COPY = HEAD + """@T.prim_func
def copy(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([64])
    B[i] = A[i]
"""
LARGE = COPY.replace("(64,)", "(16777216,)")
ENDLESS = HEAD + """@T.prim_func
def endless(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([32])
    while A[0] != 12345:
        B[i] = B[i] + 1
"""
SLOW = COPY.replace("def copy", "def slow").replace("    B[i] = A[i]", "    for k in T.serial(2000):\n        B[i] = A[i]")
# Threads with so much memory of their own that a simulator of them takes gigabytes.
HOARDER = HEAD + """@T.prim_func
def hoarder(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([1024])
    mine = T.alloc_local((400000,), "float32")
    for k in T.serial(400000):
        mine[k] = A[i]
    B[i] = mine[7]
"""

# ---- a worker or a build server that pretends to be one ----

PRELUDE = '''
import json, os, sys, time
inp, out = sys.stdin.buffer, sys.stdout.buffer
def read():
    head = {}
    while True:
        line = inp.readline()
        if not line: sys.exit(0)
        line = line.strip()
        if not line: break
        name, value = line.split(b": ")
        head[name] = int(value)
    return json.loads(inp.read(head[b"Content-Length"])), inp.read(head.get(b"Payload-Length", 0))
def say(message, payload=b""):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    more = b"Payload-Length: %d\\r\\n" % len(payload) if payload else b""
    out.write(b"Content-Length: %d\\r\\n" % len(body) + more + b"\\r\\n" + body + payload)
    out.flush()
def answer(m, result, payload=b""):
    say({"id": m["id"], "result": result}, payload)
def tell(method, params, payload=b""):
    say({"method": method, "params": params}, payload)
def silent():
    while True: time.sleep(100)
'''

WORKER = PRELUDE + '''
LIMITS = {"job_seconds": 600, "host_bytes": 1 << 30, "device_bytes": 1 << 30, "output_bytes": 1 << 30, "message_bytes": 1 << 26,
          "queued_jobs": 1000}
HELLO = {"protocol": 1, "version": "0", "host": "there", "executes": "sim", "compiles": False, "compiler": "none", "slots": 1,
         "devices": [], "limits": LIMITS}
STATUS = {"running": 0, "queued": 0, "done": 0, "failed": 0, "seconds": 1, "held_bytes": 0}
MEASURED = {"cold": [], "hot": [], "rival_cold": [], "rival_hot": [], "copy": [], "checked": 0, "rival_differs": 0, "absent": "",
            "driver": "", "sm": [0, 0, 0], "memory_clock": 0, "celsius": [0, 0], "watts": 0, "reasons": 0, "samples": 0}
OUTCOME = {"status": "done", "buffers": [[0, 0, 0, 0, 0, False, False], [0, 0, 0, 0, 0, True, False]], "measured": MEASURED, "part": "",
           "message": "", "error": "", "printed": ""}
FINDING = {"code": "TW5001", "severity": "error", "message": "m", "hint": "", "places": [], "cta": [0, 0, 0], "thread": 0, "times": 1,
           "from_input": False, "weight": 0, "related": []}
RESULT = {"outcome": OUTCOME, "findings": []}
data = b""
def result(m, piece=None, **more):
    where = {"key": m["params"]["key"], "attempt": m["params"]["attempt"], "what": "contents", "index": 1, "offset": 0, **more}
    tell("job/result", where, data if piece is None else piece)
def on_hello(m): answer(m, HELLO)
def on_ping(m): answer(m, {})
def on_status(m): answer(m, STATUS)
def on_open(m): answer(m, {})
def on_run(m):
    result(m)
    answer(m, RESULT)
def on_compile(m): answer(m, {"failed": "", "message": "", "log": "", "sass_missing": "", "sizes": []})
#ATTACK#
ON = {"initialize": on_hello, "ping": on_ping, "status": on_status, "job/open": on_open, "job/run": on_run, "compile": on_compile}
while True:
    m, payload = read()
    if m.get("method") == "job/data": data += payload
    if m.get("method") in ON: ON[m["method"]](m)
'''

SERVER = PRELUDE + '''
SCRIPT = {"uri": "file:///w/a.py", "errors": 0, "warnings": 0, "noOp": False, "kernels": []}
def target(root): return {"id": {"uri": root}, "displayName": "w", "tags": [], "languageIds": [], "dependencies": [],
                          "capabilities": {"canCompile": True, "canTest": True, "canRun": True, "canDebug": False}}
root = ""
def on_hello(m):
    global root
    root = m["params"]["rootUri"]
    answer(m, {"displayName": "t", "version": "0", "bspVersion": "2.2.0", "capabilities": {}})
def on_targets(m): answer(m, {"targets": [target(root)]})
def on_compile(m): answer(m, {"statusCode": 1, "dataKind": "tilewright-compile", "data": {"scripts": [SCRIPT]}})
def diagnostic(**more):
    return {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}, "severity": 1, "message": "m", **more}
def publish(list): tell("build/publishDiagnostics", {"textDocument": {"uri": "file:///w/a.py"}, "buildTarget": {"uri": root},
                                                     "diagnostics": list, "reset": True})
#ATTACK#
ON = {"build/initialize": on_hello, "workspace/buildTargets": on_targets, "buildTarget/compile": on_compile,
      "build/shutdown": lambda m: answer(m, None)}
while True:
    m, payload = read()
    if m.get("method") in ON: ON[m["method"]](m)
'''


def pretend(t, kind, attack_code):
    return f"exec:{sys.executable} " + t.write(f"fake{len(os.listdir(t.work))}.py", kind.replace("#ATTACK#", attack_code))


HONEST = f"exec:{BINARY} worker --stdio --on sim --slots 1"


def honest_run(t):
    done = t.run("run", t.write("honest.py", COPY), "--on", HONEST)
    t.holds(done.returncode == 0, f"an honest worker is not used: {done.stdout + done.stderr}")


def with_worker(t, code, words, *options, script=COPY, within=20, status=None, subcommand="run"):
    """A run on a worker that attacks ends with these words within the time; the next one is served by an honest worker."""
    where = pretend(t, WORKER, code)
    if subcommand == "run":
        done = t.run("run", t.write("script.py", script), "--on", where, *options, seconds=within, memory=4 << 30)
    else:
        done = t.run(subcommand, where, *options, seconds=within, memory=4 << 30)
    t.refuses(done, words, status)
    honest_run(t)
    return done


@attack("the pretended worker is a worker when it behaves")
def _(t):
    done = t.run("run", t.write("script.py", COPY), "--on", pretend(t, WORKER, ""), "--expect", "B=1", "--input", "A=1")
    t.holds(done.returncode == 0, f"{done.stdout + done.stderr}")


for name, member, value, words in (
        ("2,147,483,647 slots", "slots", str(HUGE), "slots is 2147483647"),
        ("a negative number of slots", "slots", "-1", "slots is -1"),
        ("2.5 slots", "slots", "2.5", "no tilewright worker"),
        ("slots in words", "slots", "'many'", "no tilewright worker"),
        ("1e300 slots", "slots", "1e300", "no tilewright worker"),
        ("a negative time limit", "limits", "{**LIMITS, 'job_seconds': -1}", "job_seconds is -1"),
        ("more memory than 2^50 bytes", "limits", "{**LIMITS, 'host_bytes': 1 << 60}", "host_bytes is"),
        ("10,000 devices", "devices", "[{}] * 10_000", "10000 devices")):
    def number(t, member=member, value=value, words=words):
        with_worker(t, f"HELLO[{member!r}] = {value}", words, status=2)
    attack(f"a worker that says {name} ends its connection, not its client")(number)


@attack("a worker whose GPU has 2^31 multiprocessors is not used")
def _(t):
    with_worker(t, f"HELLO.update(executes='gpu', devices=[{{'name': 'g', 'major': 9, 'minor': 0, 'driver_version': 13000, 'multiprocessors':"
                   f" {1 << 31}, 'memory_bytes': 1, 'l2_bytes': 1, 'shared_bytes_per_block': 1, 'bandwidth': 1, 'devices': 1}}])",
                "not a launch", status=2)


@attack("a worker that says its status in negative numbers is not well")
def _(t):
    done = with_worker(t, "STATUS['running'] = -1", "", subcommand="remotes")
    t.holds(b"running is -1" in done.stdout, f"{done.stdout}")


@attack("an endless greeting is given up in the stated time, and fills no memory")
def _(t):
    with_worker(t, "def on_hello(m):\n out.write(b'Content-Length: 100000000\\r\\n\\r\\n')\n while True: out.write(b'[' * 65536); time.sleep(0.01)",
                "within 2 s", "--patience", "2")


@attack("half a frame, then silence: given up in the stated time")
def _(t):
    with_worker(t, "def on_hello(m):\n out.write(b'Content-Length: 100\\r\\n\\r\\n{'); out.flush(); silent()", "within 2 s", "--patience", "2")


@attack("a worker that accepts and says nothing is given up, with the words, by remotes, too")
def _(t):
    done = with_worker(t, "def on_hello(m): silent()", "", "--wait", "2", subcommand="remotes")
    t.holds(b"2 s" in done.stdout, f"{done.stdout}")


for step in ("open", "run"):
    def falls_silent(t, step=step):
        with_worker(t, f"def on_{step}(m): silent()", "has said nothing for 1 s", "--patience", "1", within=30)
    attack(f"a worker that falls silent at job/{step} is given up in the stated time")(falls_silent)


@attack("a job that never ends is given up although its worker answers pings")
def _(t):
    done = with_worker(t, "def on_run(m): pass", "no answer within 2 s", "--give-up", "2", within=10)
    t.holds(done.seconds < 8, f"after {done.seconds} s")


@attack("an endless stream of words of a worker prolongs nothing")
def _(t):
    with_worker(t, "def on_run(m):\n while True: tell('log', {'text': 'x' * 1000}); time.sleep(0.001)", "no answer within 2 s", "--give-up", "2",
                within=15)


@attack("a worker that does not take what is sent is given up")
def _(t):
    with_worker(t, "def on_open(m):\n answer(m, {})\n silent()", "", "--patience", "1", script=LARGE, within=30)


@attack("a remote's own patience holds for a batch, and the honest member of its pool does the work")
def _(t):
    fake = pretend(t, WORKER, "def on_hello(m): silent()")
    t.write("batch/a.py", COPY)
    t.write("batch/tilewright.toml", f'[remotes.mute]\nat = "{fake}"\npatience = 1\n[remotes.good]\nat = "{HONEST}"\n[pools]\nall = ["mute", "good"]\n')
    t.run("trust", os.path.join(t.work, "batch"), "--yes")
    done = t.run("run", "a.py", "--entry", "all", "--on", "all", cwd=os.path.join(t.work, "batch"), seconds=40)
    t.holds(done.returncode == 0 and b"within 1 s" in done.stderr, f"{done.stdout + done.stderr}")


for name, code, words in (
        ("larger than it is", "def on_run(m):\n result(m, b'x' * 512)\n answer(m, RESULT)", "a result has 512 bytes at 0"),
        ("at a place beyond its end", "def on_run(m):\n result(m, offset=1 << 40)\n answer(m, RESULT)", "at 1099511627776"),
        ("with a gap", "def on_run(m):\n result(m, b'x' * 64)\n result(m, b'x' * 64, offset=128)\n answer(m, RESULT)", "at 128, where 64"),
        ("at a negative place", "def on_run(m):\n result(m, offset=-8)\n answer(m, RESULT)", "offset is -8"),
        ("of buffer 999", "def on_run(m):\n result(m, index=999)\n answer(m, RESULT)", "buffer 999"),
        ("of which half is missing", "def on_run(m):\n result(m, data[:128])\n answer(m, RESULT)", "128 of the 256 bytes"),
        ("that changed -1 bytes", "OUTCOME['buffers'][0][3] = -1", "changed is -1"),
        ("with more changed bytes than it has", "OUTCOME['buffers'][1][4] = 257", "unstable is 257"),
        ("of 1,000 buffers", "OUTCOME['buffers'] *= 500", "more outcomes than buffers"),
        ("measured 100,000 times", "MEASURED['cold'] = [1.0] * 100_000", "100000 times"),
        ("in negative time", "MEASURED['hot'] = [-1]", "a time is -1"),
        ("with 100,000 findings", "RESULT['findings'] = [FINDING] * 100_000", "100000 findings"),
        ("with a finding at 100,000 places", "RESULT['findings'] = [{**FINDING, 'places': [{'path': 'a', 'begin': 0, 'end': 0}] * 100_000}]",
         "100000 places"),
        ("with a place that ends before it begins", "RESULT['findings'] = [{**FINDING, 'places': [{'path': 'a', 'begin': 9, 'end': 1}]}]",
         "begin is 9"),
        ("with thread -2147483648", "RESULT['findings'] = [{**FINDING, 'thread': -2147483648}]", "thread is"),
        ("with an unknown status", "OUTCOME['status'] = 'splendid'", "splendid"),
        ("after 5 of 3 clusters", "def on_run(m):\n tell('job/progress', {'key': m['params']['key'], 'state': 'running', 'done': 5, 'all': 3})\n"
                                  " answer(m, RESULT)", "done is 5"),
        ("with a negative place in the queue", "def on_run(m):\n tell('job/progress', {'key': m['params']['key'], 'state': 'queued', 'ahead': -3})\n"
                                               " answer(m, RESULT)", "ahead is -3")):
    def wrong_result(t, code=code, words=words):
        with_worker(t, code, words)
    attack(f"a result {name} is an error of its run")(wrong_result)


@attack("names of a worker with path parts lead nowhere")
def _(t):
    code = "HELLO.update(host='../../../escaped', version='/../escaped'); OUTCOME.update(part='../escaped', message='../escaped', printed='../escaped')"
    out = os.path.join(t.work, "out")
    t.run("run", t.write("script.py", COPY), "--on", pretend(t, WORKER, code), "-o", out)
    made = [os.path.join(d, f) for d, _, files in os.walk(t.folder) for f in files if "escaped" in f or ("B" in f and f.endswith(".npy"))]
    t.holds(made == [os.path.join(out, "B.npy")], f"{made}")
    honest_run(t)


@attack("compiled bytes that are not there are an error")
def _(t):
    device = {"name": "g", "major": 9, "minor": 0, "driver_version": 13000, "multiprocessors": 1, "memory_bytes": 1 << 30, "l2_bytes": 1,
              "shared_bytes_per_block": 1, "bandwidth": 1, "devices": 1}
    with_worker(t, f"HELLO.update(executes='gpu', compiles=True, devices=[{device!r}])\ndef on_compile(m): answer(m, {{'failed': '', 'message': '',"
                   " 'log': '', 'sass_missing': '', 'sizes': [0, 1 << 49, 0]})", "answer is broken")


# ---- clients of a worker ----

class Served:
    """A worker of this attack, and what an honest client of it gets."""

    def __init__(self, t, *options, files=None, memory=None):
        self.t = t
        limits = (f"ulimit -n {files}\n" if files else "") + (f"ulimit -v {memory >> 10}\n" if memory else "")
        path = t.write("worker.sh", f"#!/bin/sh\n{limits}exec {BINARY} \"$@\"\n", 0o755)
        self.worker = Worker(path, "--on", "sim", *options, env=t.env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.worker.leave()
        self.worker.end()

    def client(self):
        client = self.worker.connect()
        said = client.hello()
        self.t.holds("result" in said, f"{said}")
        return client

    def honest(self, seconds=20):
        self.t.holds(self.worker.process.poll() is None, "the worker has died: " + "".join(self.worker.log[-5:]))
        end = time.monotonic() + seconds
        while True:
            try:
                client = self.client()
                answer = run_job(client, job(), timeout=max(1, end - time.monotonic()))
                client.close()
                if answer.get("result", {}).get("outcome", {}).get("status") == "done":
                    return
                said = answer
            except (Closed, OSError, Through) as error:
                said = repr(error)
            self.t.holds(time.monotonic() < end, f"an honest client is not served: {said}")
            time.sleep(0.2)


def order(count=64, names=("A", "B"), **more):
    buffers = [{"name": n, "bytes": 4 * count, "role": "input" if n == "A" else "output"} for n in names]
    return {"symbol": "k", "grid": [1, 1, 1], "block": [64, 1, 1], "cluster": [1, 1, 1], "dynamic_shared_bytes": 0,
            "params": [{"kind": "pointer", "index": 0}, {"kind": "pointer", "index": 1}], "tensor_maps": [], "buffers": buffers, "warmups": 0,
            "repeats": 0, "rivals": [], "schedules": 1, **more}


serial = iter(range(1, 1 << 30))


def job(text=COPY, entry="copy", count=64, **more):
    key = f"job{next(serial)}"
    script = {"files": [{"path": "/w/a.py", "text": text}], "imports": [], "entries": [entry], "target": "sm_90a", "dialect": "0.26",
              "steps": 10 ** 7, "memory_bytes": 1 << 28, "depth": 200, "values": {}, "simulator_steps": 0, "jobs": 1}
    return {"key": key, "attempt": 1, "order": order(count), "cubins": [], "script": script, **more}, {"buffer": bytes(4 * count)}


def send_data(client, made):
    params, data = made
    for what, piece in data.items():
        for at in range(0, len(piece), 1 << 20):
            client.notify("job/data", {"key": params["key"], "attempt": 1, "what": what, "index": 0, "offset": at}, piece[at:at + (1 << 20)])


def start_job(client, made):
    opened = client.request("job/open", made[0])
    if "error" in opened:
        return None, opened
    send_data(client, made)
    return client.ask("job/run", {"key": made[0]["key"], "attempt": 1}), opened


def run_job(client, made, timeout=60):
    number, opened = start_job(client, made)
    return client.answer(number, timeout) if number else opened


@attack("numbers of a client out of their range are errors of its message or job")
def _(t):
    with Served(t) as served:
        client = served.client()
        for more, words in (({"attempt": HUGE}, "attempt"), ({"attempt": 0}, "attempt"), ({"deadline_seconds": -1}, "deadline"),
                            ({"deadline_seconds": 1e300}, "deadline"), ({"cubins": [1] * 1000}, "cubins"),
                            ({"order": order(names=["A", "B"] + [f"C{i}" for i in range(10_000)])}, "buffers")):
            said = client.request("job/open", {**job()[0], **more})
            t.holds(words in said.get("error", {}).get("message", ""), f"{more.keys()}: {said}")
        for where in ({"index": -1}, {"index": HUGE}, {"offset": -1}, {"offset": 1 << 62}, {"attempt": 1, "index": 0.5}):
            made = job()
            client.request("job/open", made[0])
            client.notify("job/data", {"key": made[0]["key"], "attempt": 1, "what": "buffer", "index": 0, "offset": 0, **where}, b"x")
            send_data(client, made)
            said = client.request("job/run", {"key": made[0]["key"], "attempt": 1})
            t.holds("error" in said, f"{where}: {said}")
        served.honest()


@attack("one client with 1,000 queued jobs keeps another waiting for one job at most")
def _(t):
    with Served(t, "--slots", "1") as served:
        greedy, other = served.client(), served.client()
        for _ in range(1000):
            made = job(text=SLOW, entry="slow")
            greedy.ask("job/open", made[0])
            send_data(greedy, made)
            greedy.ask("job/run", {"key": made[0]["key"], "attempt": 1})
        wait_until("they wait", lambda: other.request("status", {})["result"]["queued"] > 900)
        began = time.monotonic()
        said = run_job(other, job(), 30)
        took = time.monotonic() - began
        t.holds("result" in said and said["result"]["outcome"]["status"] == "done", f"{said}")
        t.holds(other.request("status", {})["result"]["queued"] > 500, "the greedy client's jobs have ended already")
        t.holds(took < 10, f"it waited for {took:.1f} s")


@attack("jobs that only wait hold no more than half of what others leave")
def _(t):
    with Served(t, "--memory-limit", "0.1", "--slots", "1") as served:
        greedy, other = served.client(), served.client()
        opened = 0
        while "result" in greedy.request("job/open", job(count=1 << 20)[0]):
            opened += 1
            t.holds(opened < 100, "without end")
        said = other.request("job/open", job(count=1 << 20)[0])
        t.holds("result" in said, f"{opened} jobs leave nothing for another client: {said}")
        greedy.close()
        served.honest()


@attack("a script's text counts as memory of its job")
def _(t):
    with Served(t, "--memory-limit", "0.05", "--slots", "1") as served:
        client = served.client()
        text = COPY + "# " + "x" * (20 << 20) + "\n"
        said = [client.request("job/open", job(text=text)[0]) for _ in range(6)]
        t.holds(any("error" in s for s in said), "120 MB of scripts where 100 MB are allowed")
        served.honest()


@attack("open files of clients are counted: with 128 of them a thousand jobs end no worker")
def _(t):
    with Served(t, files=128) as served:
        client = served.client()
        said = [client.request("job/open", job()[0]) for _ in range(200)]
        refused = [s["error"] for s in said if "error" in s]
        t.holds(refused and all(e["code"] == -32010 and "open files" in e["message"] for e in refused), f"{refused[:1]}")
        served.honest()


@attack("150 connections to a worker with 96 files: refused ones come again, honest ones are served")
def _(t):
    with Served(t, files=96) as served:
        many = [socket.create_connection(("127.0.0.1", served.worker.port)) for _ in range(150)]
        time.sleep(0.5)
        for s in many:
            s.close()
        served.honest()


@attack("the soft limit of open files is raised to the hard one")
def _(t):
    path = t.write("soft.sh", f"#!/bin/sh\nulimit -S -n 64\nexec {BINARY} \"$@\"\n", 0o755)
    worker = Worker(path, "--on", "sim", env=t.env)
    try:
        with open(f"/proc/{worker.process.pid}/limits", encoding="ascii") as f:
            soft, hard = next(line for line in f if line.startswith("Max open files")).split()[3:5]
        t.holds(int(soft) == min(int(hard), 65536), f"{soft} of {hard}")
    finally:
        worker.end()


@attack("with little address space a client that takes all of it ends its own connection at most")
def _(t):
    with Served(t, "--slots", "1", "--clients", "16", "--memory-limit", "4", memory=1500 << 20) as served:
        clients = [served.client() for _ in range(4)]
        for client in clients:
            for _ in range(8):
                try:
                    client.request("job/open", job(count=64 << 20)[0], 20)
                except (Closed, OSError):
                    break
        many = []
        for _ in range(40):
            many.append(socket.create_connection(("127.0.0.1", served.worker.port)))
        time.sleep(0.5)
        for s in many:
            s.close()
        for client in clients:
            client.close()
        served.worker.leave()
        served.honest()


@attack("a message that no memory is there for ends its connection, not the worker")
def _(t):
    with Served(t, "--slots", "1", "--message-limit", "4096", memory=1000 << 20) as served:
        client = served.client()
        try:
            client.raw(b"Content-Length: 3000000000\r\n\r\n")
            for _ in range(1500):
                client.raw(b"[" * (1 << 20))
        except OSError:
            pass
        client.close()
        served.honest()


@attack("an endless kernel on a worker's simulator is ended by the client's deadline")
def _(t):
    with Served(t, "--slots", "1") as served:
        client, began = served.client(), time.monotonic()
        made = job(text=ENDLESS, entry="endless", count=32, deadline_seconds=1)
        said = run_job(client, made)
        t.holds(said["result"]["outcome"]["status"] == "timeout" and time.monotonic() - began < 15, f"{said}")
        served.honest()


@attack("a simulator that hoards memory is ended at its limit, with the numbers")
def _(t):
    with Served(t, "--slots", "1", "--simulator-memory-limit", "0.2") as served:
        said = run_job(served.client(), job(text=HOARDER, entry="hoarder", count=1024))
        outcome = said["result"]["outcome"]
        t.holds(outcome["status"] != "done" and "204 MB are allowed" in outcome["message"], f"{outcome}")
        served.honest()


# ---- deadlines on this machine's simulator ----

@attack("an endless kernel on the simulator ends at --deadline")
def _(t):
    done = t.run("run", t.write("script.py", ENDLESS), "--on", "sim", "--deadline", "1", seconds=20)
    t.refuses(done, "after the 1 s")
    t.holds(done.seconds < 10, f"after {done.seconds} s")
    honest_run(t)


@attack("an endless kernel of a batch ends at --deadline, and the others run")
def _(t):
    t.write("batch/a.py", ENDLESS)
    t.write("batch/b.py", COPY)
    done = t.run("run", "batch", "--entry", "all", "--on", "sim", "--deadline", "1", "--json", seconds=20)
    status = {r["entry"]: r["status"] for r in json.loads(done.stdout)["runs"]}
    t.holds(sorted(status.values()) == ["done", "timeout"], f"{status}")


@attack("run --on a worker --deadline reaches the worker's simulator")
def _(t):
    done = t.run("run", t.write("script.py", ENDLESS), "--on", HONEST, "--deadline", "1", seconds=20)
    t.refuses(done, "after the 1 s")
    honest_run(t)


@attack("build --test --on sim --deadline ends an endless test")
def _(t):
    t.write("w/a.py", ENDLESS)
    t.write("w/b.py", COPY)
    done = t.run("build", "w", "--test", "--on", "sim", "--deadline", "1", "--json", seconds=50)
    t.holds(b"after the 1 s" in done.stdout, f"{done.stdout[:2000]} {done.stderr}")


# ---- build servers ----

def with_server(t, code, words, *options, within=20):
    t.write("w/a.py", COPY)
    done = t.run("build", "w", "--server", pretend(t, SERVER, code), "--retries", "0", *options, seconds=within, memory=4 << 30)
    t.refuses(done, words)
    honest_build(t)


def honest_build(t):
    t.write("honest/a.py", COPY)
    done = t.run("build", "honest", "--retries", "0", seconds=60)
    t.holds(looked_at(done), f"an honest build fails: {done.stdout + done.stderr}")


def looked_at(done):
    """Without NVRTC a build says that it could not compile, and nothing else is wrong with it."""
    said = done.stdout + done.stderr
    return b"1 kernel: 0 errors" in said and (done.returncode == 0 or b"no CUDA compiler" in said)


@attack("the pretended build server is one when it behaves")
def _(t):
    t.write("w/a.py", COPY)
    done = t.run("build", "w", "--server", pretend(t, SERVER, ""))
    t.holds(done.returncode == 0, f"{done.stdout + done.stderr}")


@attack("a build server that says nothing at all is given up in the stated time")
def _(t):
    with_server(t, "def on_hello(m): silent()", "within 2 s", "--patience", "2")


for step in ("targets", "compile"):
    def server_falls_silent(t, step=step):
        with_server(t, f"def on_{step}(m): silent()", "has said nothing for 2 s", "--give-up", "2")
    attack(f"a build server that falls silent when it is asked to say {step} is given up in the stated time")(server_falls_silent)


for name, code, words in (
        ("with status 99", "def on_compile(m): answer(m, {'statusCode': 99, 'dataKind': 'tilewright-compile', 'data': {'scripts': []}})",
         "statusCode is 99"),
        ("with severity 0", "def on_compile(m): publish([diagnostic(severity=0)])", "severity is 0"),
        ("with severity 2147483647", f"def on_compile(m): publish([diagnostic(severity={HUGE})])", "severity is 2147483647"),
        ("with -1 errors", "SCRIPT['errors'] = -1", "errors is -1"),
        ("with 200,000 findings in one file", "def on_compile(m): publish([diagnostic()] * 200_000)", "200000 diagnostics"),
        ("with 200,000 targets", "def on_targets(m): answer(m, {'targets': [target(root)] * 200_000})", "200000 targets"),
        ("with kernels of negative registers", "RES = {n: 0 for n in ('registers', 'spill_stores', 'spill_loads', 'static_shared_bytes',"
         " 'dynamic_shared_bytes', 'stack_bytes', 'barriers', 'code_bytes')}\n"
         "SCRIPT['kernels'] = [{'name': 'k', 'entry': 'k', 'arch': 'sm_90a', 'resources': {**RES, 'registers': -5}}]", "registers is -5"),
        ("with errors without end", "def on_compile(m):\n while True: tell('build/logMessage', {'type': 1, 'message': 'x'})", "more than a build"),
        ("with progress -7 of 3", "def on_compile(m): tell('build/taskProgress', {'taskId': {'id': '1'}, 'eventTime': 0, 'progress': -7, 'total': 3})",
         "progress is -7")):
    def wrong_answer(t, code=code, words=words):
        with_server(t, code, words, "--give-up", "10", within=40)
    attack(f"a build server's answer {name} is refused")(wrong_answer)


@attack("a client of a build server with a deadline of -1, or in words, is told so")
def _(t):
    t.write("w/a.py", COPY)
    for value in ("-1", "soon", "1e9", "nan"):
        done = t.run("build", "w", "--test", "--on", "sim", "--deadline", value)
        t.refuses(done, "deadline", 2)
    honest_build(t)


@attack("200 connections to a build server with 64 files: honest clients are served")
def _(t):
    socket_path = os.path.join(t.home, "s")
    path = t.write("limited.sh", f"#!/bin/sh\nulimit -n 64\nexec {BINARY} \"$@\"\n", 0o755)
    server = subprocess.Popen([path, "serve", "--listen", f"unix:{socket_path}"], env=t.env, stderr=subprocess.DEVNULL)
    try:
        wait_until("it listens", lambda: os.path.exists(socket_path))
        many = []
        for _ in range(200):
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(0.2)
            try:
                s.connect(socket_path)
            except OSError:
                pass
            many.append(s)
        for s in many:
            s.close()
        t.write("w/a.py", COPY)
        done = t.run("build", "w", "--server", f"unix:{socket_path}", "--retries", "5", seconds=50)
        t.holds(looked_at(done) and server.poll() is None, f"{done.stdout + done.stderr}")
    finally:
        server.terminate()
        server.wait(20)


# ---- shared caches, and files that others may write ----

@attack("a shared cache with absurd answers costs a process a few seconds, and nothing of its result")
def _(t):
    answers = iter([b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nx", b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
                    b"HTTP/1.1 2147483648 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\ngarbage", b"\0" * 1000,
                    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"] * 50)

    class Hostile(socketserver.StreamRequestHandler):
        def handle(self):
            try:
                self.request.recv(65536)
                self.wfile.write(next(answers))
            except OSError:
                pass

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Hostile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        t.write("w/a.py", COPY)
        done = t.run("build", "w", seconds=60, env={"TILEWRIGHT_SHARED_CACHE": f"http://127.0.0.1:{server.server_address[1]}/c",
                                                    "TILEWRIGHT_SHARED_CACHE_WRITE": "1"})
        t.holds(looked_at(done) and done.seconds < 40, f"{done.seconds} s: {done.stdout + done.stderr}")
    finally:
        server.shutdown()


def damaged(bytes, how):
    if how == "cut":
        return bytes[:len(bytes) // 2]
    if how == "numbers":
        return bytes.replace(b"0", b"9").replace(b"1", b"-")
    return b"\xff" * len(bytes)


@attack("kept builds that are cut, overwritten or have other numbers are built again")
def _(t):
    t.write("w/a.py", COPY.replace("B[i] = A[i]", "B[i] = C[i]"))
    first = t.run("build", "w", seconds=60)
    for how in ("cut", "numbers", "noise"):
        for folder, _, files in os.walk(t.env["XDG_CACHE_HOME"]):
            for name in files:
                path = os.path.join(folder, name)
                with open(path, "rb") as f:
                    held = f.read()
                os.chmod(path, 0o600)
                with open(path, "wb") as f:
                    f.write(damaged(held, how))
        again = t.run("build", "w", seconds=60)
        t.holds((again.returncode, again.stdout) == (first.returncode, first.stdout), f"{how}: {again.stdout} {again.stderr}")


def cluster(t, salloc):
    """Commands of a cluster that behave as `salloc` says; the others say nothing."""
    for name, text in (("salloc", salloc), ("srun", "exit 1"), ("squeue", "exit 1"), ("scancel", "exit 0"), ("sinfo", "exit 1")):
        t.write(f"bin/{name}", f"#!/bin/sh\n{text}\n", 0o755)
    return {"PATH": os.path.join(t.work, "bin") + ":" + os.environ["PATH"]}


@attack("a job's number that Slurm cannot have is no job's")
def _(t):
    env = cluster(t, "echo 'salloc: Granted job allocation 99999999999999999999999999' >&2; exec cat")
    done = t.run("run", t.write("script.py", COPY), "--on", "slurm:wait=2", env=env, seconds=40)
    t.refuses(done, "")
    t.holds(b"9999999999999999" not in done.stderr, f"{done.stderr}")
    honest_run(t)


@attack("a record of a kept allocation that another program damaged is not used")
def _(t):
    folder = os.path.join(t.env["XDG_RUNTIME_DIR"], "tilewright")
    os.makedirs(folder, 0o700)
    for name, text in (("1-1.slurm", b"99999999999999999999\nslots=1"), ("1-2.slurm", b"-5\n"), ("1-3.slurm", b"\xff" * 10_000), ("1-4.slurm", b"")):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(text)
    os.mkfifo(os.path.join(folder, "1-5.slurm"))
    env = cluster(t, "echo 'salloc: error: no nodes for you' >&2; exit 1")
    done = t.run("run", t.write("script.py", COPY), "--on", "slurm:keep=5", env=env, seconds=40)
    t.refuses(done, "no nodes for you")
    honest_run(t)


if __name__ == "__main__":
    main(at_once=6)
