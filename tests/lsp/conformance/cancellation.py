#!/usr/bin/env python3
"""cancellation.py SERVER [PATTERN] [--list]: conformance of the language server: cancellation."""
import sys

from session import (BROKEN, CONTENT_MODIFIED, INVALID_REQUEST, KERNEL, REQUEST_CANCELLED, SLOW, URI, main, names,
                     started, test)


@test("a cancelled request is answered with RequestCancelled, at once")
def _():
    c = started()
    c.open(URI, SLOW)
    id = c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    c.notify("$/cancelRequest", {"id": id})
    assert c.answer(id)["error"]["code"] == REQUEST_CANCELLED
    return c


@test("cancelling what is answered, or was never asked, does nothing")
def _():
    c = started()
    c.notify("$/cancelRequest", {"id": 4711})
    c.notify("$/cancelRequest", {"id": "x"})
    c.notify("$/cancelRequest", {})
    c.settled()
    return c


@test("a request on a document that changes is answered with ContentModified")
def _():
    c = started()
    c.open(URI, SLOW)
    id = c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    c.change(URI, 2, KERNEL)
    assert c.answer(id)["error"]["code"] == CONTENT_MODIFIED
    return c


@test("a request whose id is still open is an invalid request")
def _():
    c = started()
    c.open(URI, SLOW)
    c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}}, id=9)
    c.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}}, id=9)
    assert c.answer(9)["error"]["code"] == INVALID_REQUEST
    return c


@test("an analysis that an edit made useless is dropped, and the next one comes")
def _():
    c = started()
    c.open(URI, SLOW)
    c.change(URI, 2, BROKEN)
    assert names(c.diagnostics(URI, 2)) == ["TW2002"]
    assert not any(m.get("params", {}).get("version") == 1 for m in c.seen)
    return c


if __name__ == "__main__":
    sys.exit(main())
