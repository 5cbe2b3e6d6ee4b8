"""What the conformance tests of the language server share.

    NAME.py SERVER [PATTERN] [--list]

prints one line a test, each a session with the real server, and exits 1 when one fails.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.dont_write_bytecode = True
from support import release  # noqa: E402,F401
from support.language_server import Client  # noqa: E402

SERVER = os.path.abspath(sys.argv[1])
TESTS = []
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CONTENT_MODIFIED, REQUEST_CANCELLED, SERVER_CANCELLED = -32002, -32801, -32800, -32802
URI = "file:///nowhere/script.py"
KERNEL = '''from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def kernel(a: T.handle):
    A = T.match_buffer(a, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    lane = T.lane_id([32])
    A[lane, 0] = A[lane, 1]
'''
BROKEN = KERNEL.replace("A[lane, 1]", "missing")
# Busy for a while: cancelled, superseded, or ended by its limit of steps.
SLOW = "x = 0\nwhile True:\n    x = x + 1\n"


def test(title):
    def add(f):
        TESTS.append((title, f))
        return f
    return add


def names(diagnostics):
    return sorted(d["code"] for d in diagnostics)


def started(capabilities=None, **more):
    c = Client(SERVER)
    c.initialize(capabilities, **more)
    return c
PING = b'{"jsonrpc":"2.0","id":77,"method":"$/tilewright/memory"}'


def framed(body, header=None):
    return (header or b"Content-Length: %d\r\n\r\n" % len(body)) + body
PULL = {"textDocument": {"diagnostic": {"dynamicRegistration": False}}}


def place(base, name, line, character):
    return {"textDocument": {"uri": base + name}, "position": {"line": line, "character": character}}


def main():
    if "--list" in sys.argv:
        for title, _ in TESTS:
            print(title)
        return 0
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    failed = 0
    chosen = [(t, f) for t, f in TESTS if pattern in t]
    for title, f in chosen:
        client, began = None, time.monotonic()
        try:
            client = f()
            print(f"ok    {title}", flush=True)
        except Exception as e:  # whatever goes wrong is this test's
            failed += 1
            print(f"FAIL  {title}: {type(e).__name__}: {e} (after {time.monotonic() - began:.1f} s)", flush=True)
        finally:
            if client:
                client.close()
                getattr(client, "at_end", lambda: None)()
    print(f"{len(chosen) - failed} of {len(chosen)} pass")
    return 1 if failed or not chosen else 0
