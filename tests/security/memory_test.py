"""A language server that the machine gives no more memory: the request that needs it ends, the server does not."""
import resource

from attack import BINARY, Through, attack, main

from support.jsonrpc import Closed
from support.language_server import Client

HONEST = """from tvm.script import tirx as T
@T.prim_func
def k(A: T.Buffer((64,), 'int32')):
    T.device_entry()
    tx = T.thread_id([64])
    A[tx] = 1
"""
LARGE = {
    "a list of a million numbers": "x = [" + "1, " * 1_000_000 + "]\n",
    "a sum of half a million numbers": "x = 1" + " + 1" * 500_000 + "\n",
    "a dict of names": "x = {" + ", ".join(f"a{i}: b{i}" for i in range(200_000)) + "}\n",
    "a text that is no Python": "x = " + "$ ( ! " * 500_000 + "\n",
}


def size(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith("VmSize"))


def ended(c, error):
    if isinstance(error, TimeoutError):
        raise Through(str(error)[:300]) from None
    raise Through(f"the server ended with {c.process.wait(10)}") from None


def is_dropped(m):
    """A message for which there was no memory, in the log."""
    return m.get("method") == "window/logMessage" and "bad_alloc" in m["params"]["message"]


def add(name, text, more):
    @attack(f"{more} MB for {name}")
    def _(t):
        c = Client(BINARY, environment=t.env)
        try:
            c.initialize({"textDocument": {"publishDiagnostics": {}}})
            c.open("file:///honest.py", HONEST)
            c.diagnostics("file:///honest.py", 1)
            pid = c.process.pid
            resource.prlimit(pid, resource.RLIMIT_AS, (size(pid) + (more << 20),) * 2)
            c.open("file:///large.py", text)
            asked = [c.ask(f"textDocument/{what}", {"textDocument": {"uri": "file:///large.py"}})
                     for what in ("documentSymbol", "semanticTokens/full", "foldingRange")]
            for request in asked:
                c.answer(request)
            c.change("file:///honest.py", 2, HONEST + "\n")
            c.diagnostics("file:///honest.py", 2)
        except TimeoutError as error:
            # A message for which there was no memory is told in the log; who says it again is served.
            if not any(is_dropped(m) for m in c.seen):
                ended(c, error)
            c.change("file:///honest.py", 3, HONEST + "\n\n")
            c.diagnostics("file:///honest.py", 3)
        except (Closed, OSError) as error:
            ended(c, error)
        finally:
            c.process.kill()


for name, text in LARGE.items():
    for more in (8, 24, 64):
        add(name, text, more)

def says_so(m, uri):
    """At the document; or in the log, where the memory did not even suffice to open it."""
    if is_dropped(m):
        return True
    return (m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
            and any("not analysed" in d["message"] and "memory" in d["message"] for d in m["params"]["diagnostics"]))


@attack("an evaluation that has no memory left is said")
def _(t):
    c = Client(BINARY, environment=t.env)
    try:
        c.initialize({"textDocument": {"publishDiagnostics": {}}})
        c.open("file:///honest.py", HONEST)
        c.diagnostics("file:///honest.py", 1)
        pid = c.process.pid
        before = size(pid)
        resource.prlimit(pid, resource.RLIMIT_AS, (before + (64 << 20), resource.RLIM_INFINITY))  # to be lifted again
        c.open("file:///large.py", "x = [0]\nwhile len(x) < 8000000:\n    x = x + x\n")
        c.wait_for(lambda m: says_so(m, "file:///large.py"))
        resource.prlimit(pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        c.change("file:///honest.py", 2, HONEST + "\n")
        t.holds(not any("not analysed" in d["message"] for d in c.diagnostics("file:///honest.py", 2)), "it is analysed again")
    except (Closed, OSError) as error:
        ended(c, error)
    finally:
        c.process.kill()


if __name__ == "__main__":
    main()
