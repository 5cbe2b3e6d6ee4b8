#!/usr/bin/env python3
"""mutations.py TILEWRIGHT SECONDS [SEED]: sessions of changed messages against the server, as it is installed.

Messages of the fuzzer's seeds are cut, doubled, mixed, and given other bytes, numbers and texts. The server answers each line of its
own with a message, a tool's result has at most a page, and it ends with status 0 when its client goes. Prints the seed.
"""
import glob
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY, SECONDS = os.path.abspath(sys.argv[1]), float(sys.argv[2])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 32)
WORDS = [b"null", b"-1", b"1e308", b"[]", b"{}", b'""', b"true", b'"\\u0000"', b'"../../etc/passwd"', b'"example:fallback"', b"18446744073709551616",
         b'"cursor"', b'"1.0"', b'"S[(8, 8) : (8, 1)]"', b'"lane -> lane"', b'"\\ud800"', b"\xff\xfe", b'"sm_100a"', b'"T.ptx"', b'"#"']
BEGIN = (b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}\n')


def lines():
    out = []
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "fuzz", "seeds", "mcp", "*"))):
        with open(path, "rb") as f:
            out += f.read()[1:].splitlines()
    return out


def mutated(r, all_lines):
    line = bytearray(r.choice(all_lines))
    for _ in range(r.choice((0, 1, 1, 2, 4, 8))):
        at = r.randrange(len(line) + 1)
        kind = r.randrange(6)
        if kind == 0:
            del line[at:at + r.randrange(20)]
        elif kind == 1:
            line[at:at] = r.choice(WORDS)
        elif kind == 2:
            line[at:at + 1] = bytes([r.randrange(256)])
        elif kind == 3:
            other = r.choice(all_lines)
            begin = r.randrange(len(other))
            line[at:at] = other[begin:begin + r.randrange(40)]
        elif kind == 4 and b":" in line:
            # Another value for a member.
            colon = line.find(b":", at)
            end = min([e for e in (line.find(b",", colon), line.find(b"}", colon)) if e > 0], default=len(line))
            if 0 < colon < end:
                line[colon + 1:end] = r.choice(WORDS)
        else:
            line[at:at] = line[at:at + r.randrange(60)] * r.choice((1, 2, 50))
    return bytes(line).replace(b"\n", b" ") + b"\n"


def session(r, all_lines, folder):
    sent = (BEGIN if r.random() < 0.9 else b"") + b"".join(mutated(r, all_lines) for _ in range(r.randrange(1, 120)))
    if r.random() < 0.2:
        sent = sent[:-r.randrange(1, 30)]
    server = subprocess.Popen([BINARY, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder)
    said = []
    reader = threading.Thread(target=lambda: said.append(server.stdout.read()))
    reader.start()
    try:
        server.stdin.write(sent)
        server.stdin.close()
    except BrokenPipeError:
        pass
    status = server.wait(120)
    reader.join()
    server.stdout.close()
    problem = f"status {status}" if status else None
    for line in said[0].splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            problem = f"no message: {line[:200]!r}"
            continue
        result = message.get("result")
        if isinstance(result, dict) and "content" in result:
            size = len(json.dumps(result, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass"))
            if size > 4096:
                problem = f"an answer of {size} bytes"
    return problem, sent, len(said[0].splitlines())


def main():
    r, all_lines = random.Random(SEED), lines()
    end, sessions, answers = time.monotonic() + SECONDS, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            problem, sent, count = session(r, all_lines, folder)
            sessions, answers = sessions + 1, answers + count
            if problem:
                path = os.path.join(tempfile.gettempdir(), f"mcp_mutations_{SEED}_{sessions}")
                with open(path, "wb") as f:
                    f.write(sent)
                print(f"seed {SEED}, session {sessions}: {problem}; what was sent is in {path}")
                return 1
    print(f"seed {SEED}: {sessions} sessions, {answers} answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
