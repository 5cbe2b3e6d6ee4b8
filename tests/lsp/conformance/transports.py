#!/usr/bin/env python3
"""transports.py SERVER [PATTERN] [--list]: conformance of the language server: transports."""
import os
import signal
import subprocess
import sys
import tempfile

from session import BROKEN, KERNEL, PING, SERVER, SLOW, URI, framed, main, names, started, test
from support.language_server import Client


@test("--listen on a port of the loopback interface")
def _():
    c = Client(SERVER, ["--listen", "127.0.0.1:0"], connect=True)
    c.initialize()
    c.open(URI, BROKEN)
    assert names(c.diagnostics(URI, 1)) == ["TW2002"]
    assert c.shutdown() == 0
    return c


@test("--listen on a Unix socket, which only its user may open and which is gone afterwards")
def _():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/socket"
        c = Client(SERVER, ["--listen", "unix:" + path], connect=True)
        c.initialize()
        assert c.shutdown() == 0
        assert not os.path.exists(path)
        return c


@test("--listen serves several clients at once, each with documents of its own, until the last has gone")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for address in ("127.0.0.1:0", "unix:" + folder + "/socket"):
            first = Client(SERVER, ["--listen", address], connect=True)
            others = [first.another() for _ in range(3)]
            for c in (first, *others):
                c.initialize()
                c.open(URI, BROKEN if c is first else KERNEL)
            for c in others:
                assert c.diagnostics(URI, 1) == []
            assert names(first.diagnostics(URI, 1)) == ["TW2002"]
            for c in others:
                c.result("shutdown")
                c.notify("exit")
                c.wait_until_gone()
            first.settled()
            assert first.shutdown() == 0
            first.close()
    return None


@test("--listen: a client that went away, with or without a word, can come back at once")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for address in ("127.0.0.1:0", "unix:" + folder + "/socket"):
            first = Client(SERVER, ["--listen", address], connect=True)
            first.socket.shutdown(2)
            second = first.another()
            second.initialize()
            second.result("shutdown")
            second.notify("exit")
            second.wait_until_gone()
            third = first.another()
            third.initialize()
            third.open(URI, BROKEN)
            said = names(third.diagnostics(URI, 1))
            assert said == ["TW2002"], said
            status = third.shutdown()
            assert status == 0, status
            first.close()
    return None


@test("--listen: who only tries whether the port is open, and goes last, decides nothing about the exit status")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for address in ("127.0.0.1:0", "unix:" + folder + "/socket"):
            first = Client(SERVER, ["--listen", address], connect=True)
            silent = first.another()
            first.initialize()
            first.result("shutdown")
            first.notify("exit")
            first.wait_until_gone()
            silent.socket.shutdown(2)
            status = first.exit_status()
            assert status == 0, status
            first.close()
    return None


@test("--listen on other interfaces is refused")
def _():
    r = subprocess.run([SERVER, "lsp", "--listen", "0.0.0.0:0"], capture_output=True, text=True, timeout=30)
    assert r.returncode == 2 and "loopback" in r.stderr
    r = subprocess.run([SERVER, "lsp", "--listen", "somewhere"], capture_output=True, text=True, timeout=30)
    assert r.returncode == 2
    return None


@test("a client that goes away without a word ends the server")
def _():
    c = Client(SERVER, ["--listen", "127.0.0.1:0"], connect=True)
    c.initialize()
    c.socket.shutdown(2)
    assert c.exit_status() == 1
    return c


@test("a session may be read from a file")
def _():
    with tempfile.NamedTemporaryFile() as f:
        for body in (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}',
                     b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}', b'{"jsonrpc":"2.0","method":"exit"}'):
            f.write(framed(body))
        f.flush()
        f.seek(0)
        r = subprocess.run([SERVER, "lsp"], stdin=f, capture_output=True, timeout=30)
        assert r.returncode == 0 and r.stdout.count(b"Content-Length") == 2
    return None


@test("a session may be written to a file, and all of it is there")
def _():
    with tempfile.TemporaryFile() as out:
        bodies = [b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}']
        bodies += [PING] * 200 + [b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}', b'{"jsonrpc":"2.0","method":"exit"}']
        r = subprocess.run([SERVER, "lsp"], input=b"".join(map(framed, bodies)), stdout=out, timeout=30)
        out.seek(0)
        assert r.returncode == 0 and out.read().count(b"Content-Length") == 202
    return None


@test("messages behind exit do no harm")
def _():
    for _ in range(5):
        c = started()
        c.open(URI, SLOW)
        c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})
        c.ask("shutdown")
        exit_body = b'{"jsonrpc":"2.0","method":"exit"}'
        c.raw(framed(exit_body) + framed(PING) * 50)
        assert c.exit_status() == 0
        c.close()
    return c


@test("a client that reads nothing for a while gets everything later")
def _():
    c = started()
    c.open(URI, BROKEN)
    for i in range(3000):
        c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}}, id=100_000 + i)
    assert len({c.wait_for(lambda m: m.get("id", 0) >= 100_000)["id"] for _ in range(3000)}) == 3000
    return c


@test("SIGTERM ends the server")
def _():
    c = started()
    c.process.send_signal(signal.SIGTERM)
    c.exit_status()
    return c


if __name__ == "__main__":
    sys.exit(main())
