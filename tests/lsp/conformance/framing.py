#!/usr/bin/env python3
"""framing.py SERVER [PATTERN] [--list]: conformance of the language server: framing."""
import sys

from session import (BROKEN, INVALID_PARAMS, INVALID_REQUEST, KERNEL, METHOD_NOT_FOUND, PARSE_ERROR, PING, URI,
                     framed, main, started, test)
from support.patience import PATIENCE


@test("header names are read in any case, with and without spaces")
def _():
    c = started()
    c.raw(framed(PING, b"content-LENGTH:%d  \r\n\r\n" % len(PING)))
    assert "result" in c.answer(77)
    return c


@test("Content-Type with the charset utf-8, and with the old name utf8")
def _():
    c = started()
    for charset in (b"utf-8", b"utf8"):
        header = b"Content-Type: application/vscode-jsonrpc; charset=%s\r\nContent-Length: %d\r\n\r\n" % (charset, len(PING))
        c.raw(framed(PING, header))
        assert "result" in c.answer(77)
    return c


@test("another charset is refused and its message passed over")
def _():
    c = started()
    c.raw(framed(PING, b"Content-Type: text/plain; charset=latin-1\r\nContent-Length: %d\r\n\r\n" % len(PING)))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.settled()
    return c


@test("a message may arrive byte by byte, and several at once")
def _():
    c = started()
    for b in framed(PING):
        c.raw(bytes([b]))
    assert "result" in c.answer(77)
    c.raw(framed(PING) + framed(PING))
    assert "result" in c.answer(77) and "result" in c.answer(77)
    return c


@test("Content-Length counts bytes, not characters")
def _():
    c = started()
    c.open(URI, KERNEL.replace("lane, 0", "lane, 0") + "# \u00e9\U0001f600\n")
    assert c.diagnostics(URI, 1) == []
    return c


@test("a header without Content-Length is answered, and the next message is read")
def _():
    c = started()
    c.raw(b"X-Other: 1\r\n\r\n" + framed(PING))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    assert "result" in c.answer(77)
    return c


@test("a Content-Length that is no number is answered, and the next message is read")
def _():
    c = started()
    c.raw(b"Content-Length: many\r\n\r\n{}" + framed(PING))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    assert "result" in c.answer(77)
    return c


@test("a header that never ends is dropped, and the next message is read")
def _():
    c = started()
    c.raw(b"x" * 100_000 + framed(PING))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    assert "result" in c.answer(77)
    return c


@test("a message that is longer than its header says is answered, and the next message is read")
def _():
    c = started()
    for missing in (1, 2, 20):
        c.raw(framed(PING, b"Content-Length: %d\r\n\r\n" % (len(PING) - missing)))
        c.raw(framed(PING.replace(b"77", b"78")))
        assert c.answer(None)["error"]["code"] == PARSE_ERROR
        assert "result" in c.answer(78)
    c.raw(b"noise\r\n" + framed(PING))
    assert "result" in c.answer(77)
    return c


@test("an absurd length is refused, and nothing that its body holds is a message")
def _():
    c = started()
    c.raw(b"Content-Length: 99999999999999999999999999\r\n\r\n")
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.settled()
    c.raw(b"Content-Length: 999999999999\r\n\r\n")
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.raw(framed(PING))
    try:
        c.answer(77, 1)
        raise AssertionError("a message in the body of another")
    except TimeoutError:
        pass
    return c


@test("a negative length, a signed one and a fraction are answered, and the next message is read")
def _():
    c = started()
    for length in (b"-5", b"+5", b"5.5", b"", b"0x10"):
        c.raw(b"Content-Length: " + length + b"\r\n\r\n{}" + framed(PING))
        assert c.answer(None)["error"]["code"] == PARSE_ERROR, length
        assert "result" in c.answer(77)
    return c


@test("a message that is too large is passed over to its end")
def _():
    c = started()
    size = (128 << 20) + 1
    c.raw(b"Content-Length: %d\r\n\r\n" % size)
    piece = (b"Content-Length: 9\r\n" * 60_000)[:1 << 20]
    for _ in range(size >> 20):
        c.raw(piece)
    c.raw(b"x")
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.settled()
    assert c.result("$/tilewright/memory")["residentBytes"] < PATIENCE * (100 << 20)
    return c


@test("a body that is not JSON is a ParseError, and the server goes on")
def _():
    c = started()
    c.raw(framed(b"{not json"))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.settled()
    return c


@test("a body that is not UTF-8 is a ParseError")
def _():
    c = started()
    c.raw(framed(b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}'))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.settled()
    return c


@test("an empty body is a ParseError")
def _():
    c = started()
    c.raw(framed(b""))
    assert c.answer(None)["error"]["code"] == PARSE_ERROR
    c.settled()
    return c


@test("JSON nested a hundred thousand deep does no harm")
def _():
    c = started()
    c.raw(framed(b'{"jsonrpc":"2.0","id":5,"method":"shutdown","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}"))
    assert c.answer(None)["error"]["code"] == INVALID_REQUEST
    c.settled()
    return c


@test("JSON nested as deep as is accepted can be traced and copied")
def _():
    c = started(trace="verbose")
    deep = "[" * 500 + "]" * 500
    c.raw(framed(('{"jsonrpc":"2.0","id":5,"method":"textDocument/nothing","params":' + deep + "}").encode()))
    assert c.answer(5)["error"]["code"] == METHOD_NOT_FOUND
    # Brackets in texts do not count.
    c.open(URI, "x = '" + "[" * 2000 + "\\\"'\n")
    c.diagnostics(URI, 1)
    return c


@test("a batch is an invalid request")
def _():
    c = started()
    c.raw(framed(b"[" + PING + b"]"))
    assert c.answer(None)["error"]["code"] == INVALID_REQUEST
    return c


@test("messages without jsonrpc, with a bad method, id or params are invalid requests")
def _():
    c = started()
    for message in ({"id": 5, "method": "x"}, {"jsonrpc": "2.0", "id": 5, "method": 7},
                    {"jsonrpc": "2.0", "id": 5, "method": "x", "params": 3}, {"jsonrpc": "2.0", "id": 5}):
        c.send(message)
        assert c.answer(5)["error"]["code"] == INVALID_REQUEST, message
    c.send({"jsonrpc": "2.0", "id": {}, "method": "x"})
    assert c.answer(None)["error"]["code"] == INVALID_REQUEST
    return c


@test("ids may be strings, and 1 is another id than \"1\"")
def _():
    c = started()
    c.ask("$/tilewright/memory", id="1")
    c.ask("$/tilewright/memory", id=1)
    assert {type(c.wait_for(lambda m: m.get("id") in (1, "1"))["id"]) for _ in range(2)} == {int, str}
    return c


@test("an id beyond 64 bits, a fraction and null are invalid requests")
def _():
    c = started()
    for id in (b"18446744073709551615", b"1e300", b"1.5", b"null", b"true", b"[1]"):
        c.raw(framed(b'{"jsonrpc":"2.0","id":' + id + b',"method":"$/tilewright/memory"}'))
        m = c.answer(None)
        assert m["id"] is None and m["error"]["code"] == INVALID_REQUEST, id
    return c


@test("an unknown request is MethodNotFound, also with $/")
def _():
    c = started()
    assert c.error("textDocument/nothing", {}) == METHOD_NOT_FOUND
    assert c.error("$/nothing", {}) == METHOD_NOT_FOUND
    return c


@test("an unknown notification is ignored")
def _():
    c = started()
    c.notify("$/nothing", {})
    c.notify("textDocument/nothing", {"a": 1})
    c.settled()
    assert c.seen == []
    return c


@test("a response that no request waits for is ignored")
def _():
    c = started()
    c.send({"jsonrpc": "2.0", "id": 12345, "result": {}})
    c.send({"jsonrpc": "2.0", "id": "tilewright-99", "error": {"code": 1, "message": "no"}})
    c.settled()
    return c


@test("params of the wrong shape are InvalidParams, and name what is missing")
def _():
    c = started()
    c.open(URI, KERNEL)
    m = c.request("textDocument/diagnostic", {"textDocument": {}})
    assert m["error"]["code"] == INVALID_PARAMS and "uri" in m["error"]["message"]
    assert c.error("textDocument/diagnostic", []) == INVALID_PARAMS
    assert c.error("textDocument/diagnostic") == INVALID_PARAMS
    return c


@test("notifications of the wrong shape are logged and change nothing")
def _():
    c = started()
    c.open(URI, BROKEN)
    c.diagnostics(URI, 1)
    c.notify("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": 5}]})
    assert "didChange" in c.notification("window/logMessage")["message"]
    assert len(c.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})["items"]) == 1
    return c


if __name__ == "__main__":
    sys.exit(main())
