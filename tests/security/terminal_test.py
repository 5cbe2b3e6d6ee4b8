#!/usr/bin/env python3
"""Text of others is harmless on a terminal and in CI logs: scripts, names of files, settings, the environment, arguments,
workers and servers, in the output of every command."""
import json
import os
import pty
import re
import select
import shlex
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

from attack import BINARY, attack, main

# What a terminal obeys, what turns or hides text, and what CI services obey at the begin of a line.
PAYLOAD = ("\x1b]0;title\x07\x1b[2J\x1b[31mRED\x9b1m\x7f\u202eturned\u2066\u200bhidden\u00ad\ufeff\U000e0041"
           "\n::error::pwned\n \u00a0::set-output name=a::b\r\n\t##[error]pwned\n  ##vso[task.setvariable variable=a]b\n##teamcity[x]\b")
NAME = PAYLOAD.replace("/", "")
ODD = NAME.encode() + b"\xff\xc0\xaf\x9b"  # and bytes that are no UTF-8

HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
                    "\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U000e0000-\U000e0fff]")
COMMAND = re.compile(r"(?m)^\s*(::|##)|##\w*\[")
OURS = re.compile(r"\x1b\[(?:[0-2]|3[1-4])m|\r\x1b\[K")

KERNEL = '''from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
{before}
@T.prim_func
def k(a: T.handle):
    """{docstring}"""
    A = T.match_buffer(a, (64,), "float32")
    T.device_entry()
    bx = T.cta_id([1])
    tx = T.thread_id([64])
    {body}
'''


def script(body="A[tx] = T.float32(1)", before="", docstring="doc"):
    return KERNEL.format(body=body, before=before, docstring=docstring)


def harmless(t, text, what, ours=False):
    try:
        text = text.decode() if isinstance(text, bytes) else text
    except UnicodeDecodeError as e:
        t.holds(False, f"{what}: no UTF-8: {e}")
    if ours:
        text = OURS.sub("", text).replace("\r\n", "\n")
    for pattern, name in ((HIDDEN, "steers or hides"), (COMMAND, "is a command of CI")):
        if m := pattern.search(text):
            t.holds(False, f"{what}: {name}: {text[max(0, m.start() - 80):m.end() + 40]!r}")
    return text


def said(t, *arguments, needs="", **options):
    """Runs a command and looks at all that it said; `needs`: a part that must stand there, so that something was said."""
    done = t.run(*arguments, **options)
    text = harmless(t, done.stdout + b"\n" + done.stderr, " ".join(map(ascii, arguments))[:120])
    t.holds(needs in text, f"{needs!r} does not stand in {text[:600]!r}")
    return done


def evil_file(t, text=None):
    path = os.path.join(t.work.encode(), b"a" + ODD + b".py")
    with open(path, "wb") as f:
        f.write((text or script()).encode())
    return path


SHOWN = r"\x1b]0;title\x07"  # how the payload begins where it is shown


# ---- names of files, through every command ----

for command in (["check"], ["check", "-j", "1"], ["explain"], ["entries"], ["compile"], ["compile", "--emit", "cuda,tirx,lowered,plan,host"],
                ["run", "--on", "sim"], ["run", "--on", "sim", "--entry", "all"], ["view", "--html", "page.html"], ["build"]):
    def one(t, command=command):
        bad = script("A[tx] = T.float32(1) + missing")
        for text in (None, bad):
            said(t, *command, evil_file(t, text))
        said(t, *command, b"none" + ODD + b".py", needs=SHOWN if command != ["build"] else "")
    attack(f"{' '.join(command)}: a script's file name")(one)


@attack("check, compile and demo of a folder with such names")
def _(t):
    os.mkdir(os.path.join(t.work.encode(), b"d" + ODD))
    for name in (b"d" + ODD + b"/one.py", b"two" + ODD + b".py"):
        with open(os.path.join(t.work.encode(), name), "wb") as f:
            f.write(script("A[tx] = missing").encode())
    said(t, "check", ".", needs=SHOWN)
    said(t, "check", ".", "--format", "json")
    said(t, "compile", ".", "-o", "out")
    said(t, "demo", ".", "-o", "demo", needs=SHOWN)
    said(t, "run", ".", "--entry", "all", "--on", "sim", needs=SHOWN)


@attack("outputs with such names")
def _(t):
    path = t.write("a.py", script())
    said(t, "compile", path, "--emit", "cuda", "-o", b"out" + ODD, needs=SHOWN)
    said(t, "view", path, "--html", b"page" + ODD, needs=SHOWN)
    said(t, "layout", "TileLayout(S[8, 8])", "--svg", b"none/" + ODD, needs=SHOWN)
    said(t, "run", path, "--on", "sim", "--save", b"saved" + ODD)
    said(t, "run", path, "--on", "sim", "--trace", b"none/" + ODD)


# ---- strings of scripts ----

STRINGS = {
    "an exception": script(before=f"raise ValueError({PAYLOAD!r})"),
    "an exception in a kernel": script(body=f"raise ValueError({PAYLOAD!r})"),
    "an exception of a helper": script(before=f"def boom():\n    raise ValueError({PAYLOAD!r})", body="boom()"),
    "an assertion": script(before=f"assert False, {PAYLOAD!r}"),
    "a static assertion": script(body=f"T.static_assert(False, {PAYLOAD!r})"),
    "a variant that there is not": script(body=f'Tx.copy(A[0:64], A[0:64], dispatch={PAYLOAD!r})'),
    "a data type": script(body=f"A[tx] = T.Cast({PAYLOAD!r}, A[tx])"),
    "a symbol": script(body=f'T.func_attr({{"global_symbol": {PAYLOAD!r}}})'),
    "a key": script(body=f"x = {{}}[{PAYLOAD!r}]"),
    "an attribute": script(body=f"x = getattr(A, {PAYLOAD!r})"),
    "a function's name": script(body=f'A[tx] = T.call_extern("float32", {PAYLOAD!r}, A[tx])'),
    "a storage scope": script(body=f'B = T.alloc_buffer((4,), "float32", scope={PAYLOAD!r})'),
    "a raw character in an erroneous line": script(body="A[tx] = missing  # \x1b[31m\u202e\u200b\x07 ::error::x"),
    "a comment that begins a line": script(body='A[tx] = missing\n\x1b[2J::error::x\n##[error]y'),
    "a docstring": script(docstring=PAYLOAD.replace("\x07", "").replace("\r", ""), body="A[tx] = missing"),
    "an entry": script() + f"\n# tilewright: entry k if {PAYLOAD!r} else k\n",
    "a directive": script() + "\n# tilewright: \x1b[31m\u202e nonsense\n",
    "an import": script(before="from missing\u202e import x"),
    "a print": script(before=f"print({PAYLOAD!r})"),
    "source of its own": script(body='A[tx] = T.cuda.func_call("f", A[tx], return_type="float32", source_code=%r)'
                                % ("__device__ float f(float x) {\n::sqrtf(x);\n  ##[error]pwned\n return x; } // f " + PAYLOAD)),
    "a format": script(body=f"T.cuda.printf({PAYLOAD!r})\n    A[tx] = T.float32(0)"),
}
for what, text in STRINGS.items():
    def one(t, text=text):
        path = t.write("a.py", text)
        said(t, "check", path)
        said(t, "check", path, "--simulate")
        said(t, "explain", path)
        said(t, "entries", path)
        said(t, "compile", path, "--emit", "report,tirx,lowered,cuda,plan,host")
        said(t, "run", path, "--on", "sim", "--seed", "1")
        said(t, "run", path, "--on", "sim", "--entry", "all", "--seed", "1")
        said(t, "view", path, "--html", "page.html")
    attack(f"strings of scripts: {what}")(one)


@attack("strings of scripts through a build and its server")
def _(t):
    for i, text in enumerate(STRINGS.values()):
        t.write(f"b{i}.py", text)
    said(t, "build", ".", "--test", "--on", "sim")


@attack("source of the author's own means the same on standard output")
def _(t):
    source = "__device__ float f(float x) {\n  ::printf(\"a\x1b[0mb\\n\"); return\n::sqrtf(x); }"
    path = t.write("a.py", script(body=f'A[tx] = T.cuda.func_call("f", A[tx], return_type="float32", source_code={source!r})'))
    done = said(t, "compile", path, "--emit", "cuda")
    t.holds(b"/**/::sqrtf(x)" in done.stdout and rb"a\033[0mb" in done.stdout, f"{done.stdout!r}")
    t.run("compile", path, "--emit", "cuda", "-o", t.work)
    t.holds(source in open(os.path.join(t.work, "k.cu")).read(), "in a file it stands as it was given")


@attack("what a kernel prints in the simulator")
def _(t):
    path = t.write("a.py", script(body=f"if tx == 0:\n        T.cuda.printf({PAYLOAD!r})\n    A[tx] = T.float32(0)"))
    done = said(t, "run", path, "--on", "sim", "--seed", "1", needs=r"\x3a:error::pwned")
    t.holds(done.returncode in (0, 1), "it ran")
    said(t, "run", path, "--on", "sim", "--seed", "1", "--json")


# ---- formats for programs keep the true text ----

@attack("JSON, SARIF and JUnit hold the text, and none of it raw")
def _(t):
    evil_file(t, STRINGS["a static assertion"])
    found = json.loads(said(t, "check", ".", "--format", "json").stdout)
    t.holds(any(PAYLOAD in d["message"] for d in found["diagnostics"]), f"the text is another: {found['diagnostics']}")
    sarif = json.loads(said(t, "check", ".", "--format", "sarif").stdout)
    t.holds(any(PAYLOAD in r["message"]["text"] for r in sarif["runs"][0]["results"]), "SARIF")
    junit = xml.fromstring(said(t, "check", ".", "--format", "junit").stdout)
    t.holds("turned\u2066\u200bhidden" in "".join(junit.itertext()), "JUnit")
    for command in (["entries"], ["explain"], ["compile"], ["run", "--on", "sim"]):
        said(t, *command, "--json", evil_file(t))


@attack("the format of GitHub has one line for each finding and no other commands")
def _(t):
    evil_file(t, STRINGS["a static assertion"])
    done = t.run("check", ".", "--format", "github")
    lines = done.stdout.decode().splitlines()
    t.holds(lines and all(re.match(r"::(error|warning|notice) file=[^:]*,line=\d+", line) for line in lines), f"{lines}")
    harmless(t, re.sub(r"(?m)^::\w+ ", "", done.stdout.decode()).replace("##", ""), "github")
    harmless(t, done.stderr, "its summary")


# ---- arguments, environment, settings ----

@attack("arguments are repeated harmlessly")
def _(t):
    path = t.write("a.py", script())
    for arguments in ([PAYLOAD], ["--" + NAME], ["check", "--" + NAME], ["check", "--format", PAYLOAD, path], ["check", "--deny", PAYLOAD, path],
                      ["check", "--arch", PAYLOAD, path], ["compile", "--emit", PAYLOAD, path], ["compile", "--entry", PAYLOAD, path],
                      ["check", "--dialect", PAYLOAD, path], ["explain", path + ":" + PAYLOAD], ["layout", PAYLOAD],
                      ["layout", "TileLayout(S[8, 8])", "--shape", PAYLOAD], ["layout", "TileLayout(S[8, 8])", "--access", PAYLOAD],
                      ["layout", "TileLayout(S[8, 8])", "--dtype", PAYLOAD], ["run", path, "--on", PAYLOAD], ["run", path, "--on", "sim", "--watch", PAYLOAD],
                      ["run", path, "--on", "sim", "--clusters", PAYLOAD], ["run", path, "--on", "sim", "--input", PAYLOAD],
                      ["remotes", PAYLOAD], ["remotes", "--install", PAYLOAD], ["demo", PAYLOAD], ["cache", PAYLOAD], ["completions", PAYLOAD],
                      ["worker", "--listen", PAYLOAD], ["serve", "--listen", PAYLOAD], ["lsp", "--listen", PAYLOAD], ["build", "--server", PAYLOAD, path],
                      ["build", "--format", PAYLOAD, path], ["worker", "--token-file", PAYLOAD], ["explain", "TW" + PAYLOAD]):
        done = said(t, *arguments)
        t.holds(done.returncode != 0, f"{arguments} is fine")


@attack("the environment is repeated harmlessly")
def _(t):
    path = t.write("a.py", script())
    for name in ("CUDA_HOME", "XDG_CACHE_HOME", "HOME", "XDG_CONFIG_HOME", "TILEWRIGHT_SHARED_CACHE", "TILEWRIGHT_SHARED_CACHE_TOKEN",
                 "TILEWRIGHT_REMOTES", "TERM", "LANG", "PATH"):
        for value in (PAYLOAD, "/" + PAYLOAD, "http://" + PAYLOAD):
            for command in (["doctor"], ["cache"], ["compile", "--emit", "cuda", path], ["remotes"]):
                said(t, *command, env={name: value})


@attack("settings are repeated harmlessly")
def _(t):
    quoted = json.dumps(PAYLOAD).replace("\\u007f", "\\u007F")
    path = t.write("a.py", script())
    for text in (f"{json.dumps(PAYLOAD)} = 1", f"arch = {quoted}", f"dialect = {quoted}", f"[severity]\n{quoted} = {quoted}",
                 f"[remotes.{quoted}]\nat = {quoted}", f"[limits]\n{quoted} = 1", f"[pools]\n{quoted} = [{quoted}]", "x = \x1b[31m\u202e::error",
                 f"[entries]\n{quoted} = [{quoted}]", f"[run]\n{quoted} = {quoted}", "# \x1b\n[[["):
        t.write("tilewright.toml", text)
        for command in (["check", path], ["compile", path], ["run", path, "--on", "sim"], ["remotes"], ["entries", path], ["explain", path],
                        ["run", path, "--on", "x"], ["build", path]):
            said(t, *command)


# ---- workers ----

PROXY = f'''import json, subprocess, sys, threading
payload = {PAYLOAD!r}
mode = sys.argv[2]
if mode == "words":
    sys.stderr.write(payload)
    sys.exit(3)
def frames(stream):
    while True:
        head = {{}}
        while (line := stream.readline()) not in (b"\\r\\n", b""):
            key, _, value = line.decode().partition(":")
            head[key.lower()] = int(value) if "length" in key.lower() else value
        if "content-length" not in head: return
        yield json.loads(stream.read(head["content-length"])), stream.read(head.get("payload-length", 0))
def send(message, rest=b""):
    text = json.dumps(message).encode()
    more = b"Payload-Length: %d\\r\\n" % len(rest) if rest else b""
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n" % len(text) + more + b"\\r\\n" + text + rest)
    sys.stdout.buffer.flush()
if mode in ("error", "version"):
    for message, _ in frames(sys.stdin.buffer):
        if "id" not in message: continue
        if mode == "error": send({{"jsonrpc": "2.0", "id": message["id"], "error": {{"code": -32603, "message": payload}}}})
        else: send({{"jsonrpc": "2.0", "id": message["id"], "result": {{"protocol": 999, "version": payload, "host": payload, "devices": []}}}})
    sys.exit()
if mode == "garbage":
    sys.stdout.write(payload)
    sys.exit()
worker = subprocess.Popen([sys.argv[1], "worker", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
def forward():
    while data := sys.stdin.buffer.raw.read(65536):
        worker.stdin.write(data)
        worker.stdin.flush()
    worker.stdin.close()
threading.Thread(target=forward, daemon=True).start()
def evil(value, key=""):
    if isinstance(value, dict): return {{k: evil(v, k) for k, v in value.items()}}
    if isinstance(value, list): return [evil(v, key) for v in value]
    free = key in ("host", "version", "compiler", "message", "name", "driver", "printed", "log", "error", "absent", "what", "hint")
    return payload if isinstance(value, str) and free else value
for message, rest in frames(worker.stdout):
    send(evil(message), rest)
'''

for mode in ("words", "error", "version", "garbage", "names"):
    def one(t, mode=mode):
        address = "exec:" + shlex.join([sys.executable, t.write("proxy.py", PROXY), BINARY, mode])
        said(t, "remotes", address, "--wait", "20", needs="turned" if mode != "garbage" else "")
        said(t, "remotes", address, "--wait", "20", "--json")
        path = t.write("a.py", script())
        said(t, "run", path, "--on", address, "--seed", "1")
        said(t, "run", path, "--on", address, "--entry", "all", "--seed", "1")
    attack(f"a pretended worker: {mode}")(one)


@attack("what a client says does not reach a worker's log raw")
def _(t):
    for text in (PAYLOAD.encode(), b"Content-Length: 20\r\n\r\n" + PAYLOAD.encode(), json.dumps({"method": PAYLOAD}).encode()):
        frame = text if text.startswith(b"Content") else b"Content-Length: %d\r\n\r\n" % len(text) + text
        for command in (["worker", "--stdio"], ["serve"], ["lsp"]):
            done = t.run(*command, stdin=frame)
            harmless(t, done.stderr, " ".join(command))


@attack("messages of the language server are one line without steering characters")
def _(t):
    t.write("tilewright.toml", f"[limits]\n{json.dumps(PAYLOAD)} = 1\n")
    uri = "file://" + t.write("a.py", script(before=f"raise ValueError({PAYLOAD!r})"))
    sent = b""
    for message in ({"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
                    {"method": "initialized", "params": {}},
                    {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": script()}}},
                    {"method": PAYLOAD, "params": {}}, {"id": 2, "method": "shutdown"}, {"method": "exit"}):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        sent += b"Content-Length: %d\r\n\r\n" % len(body) + body
    done = t.run("lsp", stdin=sent)
    for text in re.findall(rb'\{"jsonrpc".*?(?=Content-Length|$)', done.stdout, re.S):
        message = json.loads(text)
        if message.get("method") in ("window/showMessage", "window/logMessage"):
            harmless(t, message["params"]["message"], message["method"])
    harmless(t, done.stderr, "lsp")


# ---- a terminal, with colours ----

def on_terminal(t, *arguments, seconds=60):
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(t.work)
        os.execve(BINARY, [BINARY, *arguments], {**t.env, "TERM": "xterm-256color"})
    out, end = b"", time.monotonic() + seconds
    while time.monotonic() < end and select.select([fd], [], [], 1) is not None:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    os.close(fd)
    os.waitpid(pid, 0)
    return out


for command in (["check"], ["run", "--on", "sim", "--seed", "1"], ["explain"], ["compile", "--emit", "cuda,report"], ["build"]):
    def one(t, command=command):
        path = evil_file(t, STRINGS["a static assertion"])
        other = t.write("b.py", script(body=f"if tx == 0:\n        T.cuda.printf({PAYLOAD!r})\n    A[tx] = T.float32(0)"))
        for script_path in (path, other):
            out = on_terminal(t, *command, script_path)
            t.holds(b"\x1b[31mRED" not in out, "a colour of the script's own")
            harmless(t, out, " ".join(command), ours=True)
    attack(f"{' '.join(command)} on a terminal: our colours and nothing else")(one)


@attack("colours are there on a terminal and not elsewhere")
def _(t):
    path = t.write("a.py", script(body="A[tx] = missing"))
    t.holds(b"\x1b[31m" in on_terminal(t, "check", path), "no colour on a terminal")
    t.holds(b"\x1b" not in t.run("check", path).stdout, "a colour in a pipe")


@attack("marks below a line with escaped characters stand below what they mean")
def _(t):
    path = t.write("a.py", script(body='x = "\x1b\u202e" + missing'))
    lines = said(t, "check", path).stdout.decode().splitlines()
    at = next(i for i, line in enumerate(lines) if "missing" in line and "|" in line)
    t.holds(lines[at + 1].index("^") == lines[at].index("missing"), "\n".join(lines))


if __name__ == "__main__":
    main()
