#!/usr/bin/env python3
"""How long after a keystroke in a traced module its diagnostics arrive, and how much memory a server takes for a library.

    traced_keystrokes.py TILEWRIGHT MODULE.py [--edits 300] [--seed 1]
    traced_keystrokes.py TILEWRIGHT --open FOLDER

Half of the edits change a number inside a traced kernel and change it back, a quarter type a letter in a comment there, a
quarter add and remove an empty line above it; each waits for the diagnostics of its own version. Printed are p50, p99 and
the largest time, and the processor time of the server by edit. With --open each module of the library below FOLDER is
opened and kept open; printed is the server's resident memory.
"""
import argparse
import glob
import json
import os
import random
import re
import statistics
import subprocess
import time


class Server:
    def __init__(self, binary, root):
        self.process = subprocess.Popen([binary, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.next_id = 0
        self.ask("initialize", {"processId": None, "rootUri": "file://" + root, "capabilities": {
            "textDocument": {"publishDiagnostics": {"versionSupport": True}}}})
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        size = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        if not size:
            raise SystemExit("the server ended")
        message = json.loads(self.process.stdout.read(size))
        if "id" in message and "method" in message:
            items = message.get("params", {}).get("items", [])
            self.send({"id": message["id"], "result": [None] * len(items) if "items" in message.get("params", {}) else None})
        return message

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        while True:
            answer = self.receive()
            if answer.get("id") == self.next_id and "method" not in answer:
                return answer.get("result")

    def wait_for(self, uri, version):
        while True:
            message = self.receive()
            if message.get("method") != "textDocument/publishDiagnostics":
                continue
            params = message["params"]
            if params["uri"] == uri and params.get("version", version) >= version:
                return params["diagnostics"]

    def open(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        uri = "file://" + path
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": text}})
        return uri, text

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self, what="VmRSS"):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as f:
            return int(re.search(what + r":\s+(\d+)", f.read()).group(1)) / 1024


def places(lines):
    """Numbers, comments and ends of lines inside the functions below @txl.kernel."""
    inside, indent, numbers, ends = False, 0, [], []
    for i, line in enumerate(lines):
        here = len(line) - len(line.lstrip())
        if re.match(r" *@txl\.kernel", line):
            inside, indent = True, here
        elif inside and line.strip() and here <= indent and not line.strip().startswith(("def ", ")", "@")):
            inside = False
        if not inside or here <= indent:
            continue
        ends.append(i)
        numbers += [(i, m.start()) for m in re.finditer(r"(?<![\w.\"'])[1-9](?=[,)\]])", line) if "txl." in line]
    return numbers, ends


def percentile(times, p):
    return sorted(times)[min(len(times) - 1, int(len(times) * p))]


def keystrokes(options):
    path = os.path.abspath(options.module)
    server = Server(options.binary, os.path.dirname(path))
    start = time.perf_counter()
    uri, text = server.open(path)
    server.wait_for(uri, 1)
    print(f"{len(text.splitlines())} lines, {time.perf_counter() - start:.2f} s to the first diagnostics")
    lines = text.split("\n")
    numbers, ends = places(lines)
    draw = random.Random(options.seed)
    version, times, before = 1, [], server.processor_seconds()

    def edit(start, end, new):
        nonlocal version
        version += 1
        change = {"range": {"start": {"line": start[0], "character": start[1]},
                            "end": {"line": end[0], "character": end[1]}}, "text": new}
        began = time.perf_counter()
        server.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version},
                                               "contentChanges": [change]})
        server.wait_for(uri, version)
        times.append(time.perf_counter() - began)

    while len(times) < options.edits:
        kind = draw.randrange(4)
        if kind < 2 and numbers:
            line, column = draw.choice(numbers)
            old = lines[line][column]
            edit((line, column), (line, column + 1), draw.choice([d for d in "123456789" if d != old]))
            edit((line, column), (line, column + 1), old)
        elif kind == 2:
            line = draw.choice(ends)
            at = (line, len(lines[line]))
            edit(at, at, "  # a")
            edit(at, (line, at[1] + 5), "")
        else:
            line = ends[0]
            edit((line, 0), (line, 0), "\n")
            edit((line, 0), (line + 1, 0), "")
    took = (server.processor_seconds() - before) / len(times)
    print(f"{len(times)} edits: p50 {1000 * statistics.median(times):.1f} ms, p99 {1000 * percentile(times, 0.99):.1f} ms, "
          f"largest {1000 * max(times):.1f} ms; {1000 * took:.1f} ms of processor time each; "
          f"{server.resident():.0f} MB resident")
    server.process.kill()


def whole_library(options):
    root = os.path.abspath(options.open)
    server = Server(options.binary, root)
    paths = [p for p in sorted(glob.glob(os.path.join(root, "**", "*.py"), recursive=True))
             if "\nKERNEL_META = " in open(p, encoding="utf-8").read()]
    start = time.perf_counter()
    for path in paths:
        uri, _ = server.open(path)
        server.wait_for(uri, 1)
    print(f"{len(paths)} modules open after {time.perf_counter() - start:.1f} s: {server.resident():.0f} MB resident, "
          f"{server.resident('VmHWM'):.0f} MB at most")
    server.process.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("module", nargs="?")
    parser.add_argument("--open", metavar="FOLDER")
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    whole_library(options) if options.open else keystrokes(options)


if __name__ == "__main__":
    main()
