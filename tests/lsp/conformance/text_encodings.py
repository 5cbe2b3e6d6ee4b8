#!/usr/bin/env python3
"""text_encodings.py SERVER [PATTERN] [--list]: conformance of the language server: encodings."""
import sys

from session import KERNEL, SERVER, URI, main, started, test
from support.language_server import Client


def encoding_session(offered, expected, column):
    c = Client(SERVER)
    general = {"general": {"positionEncodings": offered}} if offered is not None else {}
    assert c.initialize(general)["capabilities"]["positionEncoding"] == expected
    # The name after two characters of two and four bytes in UTF-8, of one and two units in UTF-16.
    c.open(URI, KERNEL + '    T.evaluate("\u00e9\U0001f600" + missing)\n')
    d = c.diagnostics(URI, 1)
    assert [x["range"]["start"]["character"] for x in d] == [column], d
    return c


@test("positions are UTF-16 when the client says nothing")
def _():
    return encoding_session(None, "utf-16", 23)


@test("positions are UTF-8 when the client prefers it")
def _():
    return encoding_session(["utf-8", "utf-16"], "utf-8", 26)


@test("positions are UTF-32 when the client prefers it")
def _():
    return encoding_session(["utf-32", "utf-8"], "utf-32", 22)


@test("unknown encodings are passed over")
def _():
    return encoding_session(["utf-7", "utf-16"], "utf-16", 23)


@test("an edit behind an astral character meets its place in UTF-16")
def _():
    c = started()
    c.open(URI, KERNEL + '    T.evaluate("\U0001f600" + missing)\n')
    c.diagnostics(URI, 1)
    c.change(URI, 2, (11, 22, 11, 29, "absent_"))
    assert "'absent_'" in c.diagnostics(URI, 2)[0]["message"]
    return c


@test("an edit in the middle of a surrogate pair goes to its start")
def _():
    c = started()
    c.open(URI, "# \U0001f600\nmissing\n")
    c.change(URI, 2, (0, 3, 0, 3, "x"))
    c.diagnostics(URI, 2)
    c.change(URI, 3, KERNEL)
    assert c.diagnostics(URI, 3) == []
    return c


if __name__ == "__main__":
    sys.exit(main())
