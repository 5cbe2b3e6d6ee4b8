#!/usr/bin/env python3
"""doors_test.py TILEWRIGHT [WORDS]: who comes to the ports and sockets of `serve`, `lsp` and `worker` without a right to: web pages,
neighbours on the machine, clients that hold places, and clients that are let in and name addresses. One server of each kind serves
through all of it; an honest client that came before is still there, and the next one is served, after each attack."""
import atexit
import json
import os
import socket
import stat
import subprocess
import tempfile
import threading
import time

from attack import BINARY, Through, attack, main
from listening import KINDS, SCRIPT, Client, Server, frame, request, send, served, until_closed

HOME = tempfile.TemporaryDirectory(prefix="tilewright-doors-")
WORK = os.path.join(HOME.name, "work")
MARK = os.path.join(HOME.name, "mark")
os.mkdir(WORK)
os.mkdir(os.path.join(HOME.name, "run"), 0o700)
ENV = {**os.environ, "HOME": HOME.name, "XDG_CONFIG_HOME": HOME.name + "/.config", "XDG_CACHE_HOME": HOME.name + "/.cache",
       "XDG_RUNTIME_DIR": HOME.name + "/run"}
with open(os.path.join(WORK, "a.py"), "w", encoding="utf-8") as out:
    out.write(SCRIPT)
SERVERS, RESIDENTS = {}, {}
ANOTHER_USER = 65534


def server(kind):
    if kind not in SERVERS:
        SERVERS[kind] = Server(kind, ENV, WORK)
        RESIDENTS[kind] = SERVERS[kind].client()
    return SERVERS[kind]


@atexit.register
def end_all():
    for one in SERVERS.values():
        one.end()


def unharmed(kind):
    """Nothing ran; an honest client that is there, and one that comes, are served at once."""
    if os.path.exists(MARK):
        os.remove(MARK)
        raise Through("the command of the attack has run")
    if SERVERS[kind].process.poll() is not None:
        raise Through(f"{kind} has ended: {SERVERS[kind].said[-3:]}")
    RESIDENTS[kind].ping()
    served(SERVERS[kind])


def on_each(name):
    """The attack on each of the servers: body(t, server)."""
    def add(body):
        for kind in KINDS:
            def one(t, kind=kind):
                body(t, server(kind))
                unharmed(kind)
            attack(f"{kind}: {name}")(one)
        return body
    return add


def closes(one, data, *words):
    """The connection ends when this was sent, and what was said before holds these words."""
    connection = one.connect()
    send(connection, data)
    said = until_closed(connection)
    connection.close()
    for word in words:
        if word not in said.decode(errors="replace"):
            raise Through(f"said {said[:300]!r}, not {word!r}")
    if b'"result"' in said:
        raise Through(f"answered {said[:300]!r}")
    return said


# ---- web pages ------------------------------------------------------------------------------------------------------

def http(one, method, body=b"", *more):
    lines = [f"{method} / HTTP/1.1", f"Host: 127.0.0.1:{one.port}", "Origin: https://evil.example", "Content-Type: text/plain",
             *more, f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@on_each("a POST whose body holds frames is closed, and none of them runs")
def _(_, one):
    closes(one, http(one, "POST", one.harm(MARK)))


@on_each("a POST of more than a frame may have, with frames in the middle of it")
def _(_, one):
    connection = one.connect()
    size = 129 << 20
    head = http(one, "POST").replace(b"Content-Length: 0", b"Content-Length: %d" % size)
    send(connection, head + b" " * (1 << 20) + one.harm(MARK) + b" " * (4 << 20))
    until_closed(connection)


@on_each("a GET")
def _(_, one):
    closes(one, http(one, "GET"))


@on_each("an upgrade to a WebSocket, and frames behind it")
def _(_, one):
    closes(one, http(one, "GET", b"", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==") + b"\x82\x7e" + one.harm(MARK))


@on_each("a preflight, and a method that looks like a header")
def _(_, one):
    closes(one, http(one, "OPTIONS", b"", "Access-Control-Request-Method: POST", "Access-Control-Request-Private-Network: true"))
    closes(one, b"Content-Length / HTTP/1.1\r\n\r\n" + one.harm(MARK))


@on_each("a name that was bound again to this machine: Host is another's")
def _(_, one):
    closes(one, http(one, "POST", one.harm(MARK)).replace(b"Host: 127.0.0.1", b"Host: evil.example"))


@on_each("a path that holds a header and a frame")
def _(_, one):
    closes(one, b"GET /\r\n" + one.harm(MARK) + b" HTTP/1.1\r\nHost: x\r\n\r\n")


@on_each("a form whose field holds frames")
def _(_, one):
    body = b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n' + one.harm(MARK) + b"\r\n--b--\r\n"
    closes(one, http(one, "POST", body).replace(b"text/plain", b"multipart/form-data; boundary=b"))


@on_each("TLS where none is spoken")
def _(_, one):
    closes(one, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(64) + one.harm(MARK))


@on_each("a POST is closed as soon as its first letters are there")
def _(_, one):
    closes(one, b"POST ")


# ---- headers --------------------------------------------------------------------------------------------------------

@on_each("a line without a colon, and the frames behind it")
def _(_, one):
    closes(one, b"nonsense\r\n\r\n" + one.harm(MARK), "without a colon")


@on_each("a length beyond every bound, with frames behind it")
def _(_, one):
    for length in (b"99999999999999", b"18446744073709551615", b"134217729", b"65537"):
        closes(one, b"Content-Length: " + length + b"\r\n\r\n" + one.harm(MARK), "accepted")


@on_each("lengths that are none")
def _(_, one):
    for length in (b"-5", b"+5", b"0x10", b"1e3", b"", b"5 5", b"99999999999999999999999999"):
        closes(one, b"Content-Length: " + length + b"\r\n\r\n{}" + one.harm(MARK), "Content-Length")


@on_each("two lengths: what one reader takes for a body is a message for another")
def _(_, one):
    inner = one.harm(MARK)
    closes(one, b"Content-Length: 2\r\nContent-Length: %d\r\n\r\n{}" % (len(inner) + 2) + inner, "twice")


@on_each("a header without an end")
def _(_, one):
    closes(one, b"Content-Length: " + b"1" * 3_000_000)
    closes(one, b"X: " + b"y" * 3_000_000)
    closes(one, b"x" * 3_000_000)
    closes(one, b"A: b\r\n" * 100_000)


@on_each("a header without a length, a charset, a name with blanks")
def _(_, one):
    closes(one, b"X-Other: 1\r\n\r\n" + one.harm(MARK), "no Content-Length")
    closes(one, b"Content-Type: a; charset=utf-16\r\nContent-Length: 2\r\n\r\n{}" + one.harm(MARK), "utf-8")
    closes(one, b"Content Length: 2\r\n\r\n{}" + one.harm(MARK), "header")


@on_each("raw bytes after a message, before they were agreed on")
def _(_, one):
    closes(one, b"Content-Length: 2\r\nPayload-Length: 5\r\n\r\n{}12345" + one.harm(MARK), "payload")


@on_each("noise")
def _(_, one):
    for _ in range(20):
        closes(one, b"\x00" + os.urandom(5000))


# ---- before a client has shown who it is -----------------------------------------------------------------------------

@on_each("no token")
def _(_, one):
    closes(one, one.hello(None) + one.harm(MARK), "asks for a token")


@on_each("an empty token, a wrong one, one that is nearly right, one that is too long")
def _(_, one):
    for token in ("", "x", one.token[:-1], one.token + "x", one.token.upper() + " ", "0" * 64, one.token * 200, "x" * 60_000):
        closes(one, one.hello(token) + one.harm(MARK), "token")


@on_each("a token that is no text")
def _(_, one):
    for token in (None, 0, True, [], [one.token], {"token": one.token}, {}):
        body = json.loads(one.hello("?").split(b"\r\n\r\n", 1)[1])
        text = json.dumps(body).replace('"?"', json.dumps(token))
        closes(one, frame(text.encode()), "asks for a token")


@on_each("the token in other places")
def _(_, one):
    for place in ("Token", "auth", "data", "token ", "initializationOptions", "authorization"):
        closes(one, one.hello(None, **{place: one.token}), "asks for a token")
    closes(one, b"Authorization: Bearer " + one.token.encode() + b"\r\n" + one.hello(None), "asks for a token")


@on_each("a wrong token ends the connection: no second guess")
def _(_, one):
    said = closes(one, one.hello("x" * 64) + one.hello(one.token, 2), "not the")
    if said.count(b"Content-Length") != 1:
        raise Through(f"a second answer: {said!r}")


@on_each("requests before the first one are refused, and nothing of them is done")
def _(_, one):
    connection = one.connect()
    send(connection, one.deed(MARK) + request(3, "shutdown", None) + frame({"jsonrpc": "2.0", "method": "exit"}) + request(4, "workspace/buildTargets", {}))
    said = b""
    while said.count(b'"error"') < 3:
        more = connection.recv(4096)
        if not more:
            raise Through(f"said {said!r}")
        said += more
    connection.close()
    if b'"result"' in said:
        raise Through(f"answered {said!r}")


@on_each("a message that is nested deep, before the token")
def _(_, one):
    for deep in (b"[" * 60_000, b'{"a":' * 10_000, b"[" * 30_000 + b"]" * 30_000):
        closes(one, frame(deep))


@on_each("a message of many values, before the token")
def _(_, one):
    before = one.resident()
    for wide in (b"[" + b"[]," * 20_000 + b"[]]", b"[" + b"{}," * 20_000 + b"{}]", b"[" + b"1," * 30_000 + b"1]"):
        for _ in range(5):
            closes(one, frame(wide), "values")
    if one.resident() > before + (64 << 20):
        raise Through(f"{(one.resident() - before) >> 20} MB more")


@on_each("more than 64 KB before the token, in small messages and in one")
def _(_, one):
    for data in (request(1, "nothing", {}) * 2000, frame({"jsonrpc": "2.0", "method": "$/x"}) * 2000, b"Content-Length: 65000\r\n\r\n" + b" " * 99_000):
        connection = one.connect()
        send(connection, data)
        until_closed(connection)


@on_each("batches, texts and numbers instead of a message")
def _(_, one):
    for body in (b"[" + one.hello(one.token).split(b"\r\n\r\n", 1)[1] + b"]", b'"text"', b"1", b"null", b"", b"{}", b"\xff\xfe", b"{"):
        closes(one, frame(body))


@on_each("the first request a second time, with another token, changes nothing")
def _(_, one):
    client = one.client()
    method = "build/initialize" if one.kind == "serve" else "initialize"
    params = json.loads(one.hello("x" * 64).split(b"\r\n\r\n", 1)[1])["params"]
    answer = client.request(method, params)
    if one.kind != "worker" and "error" not in answer:
        raise Through(f"answered {answer}")
    client.ping()
    client.close()


@attack("all: a login that comes letter by letter is ended after 10 s, and one that says nothing")
def _(t):
    began = time.monotonic()
    waiting = []
    for kind in KINDS:
        silent, slow = server(kind).connect(), server(kind).connect()
        waiting += [(kind, silent), (kind, slow)]
        data = server(kind).hello(server(kind).token)

        def drip(slow=slow, data=data):
            for letter in data[:-1]:
                try:
                    slow.send(bytes([letter]))
                except OSError:
                    return
                time.sleep(0.2)
        threading.Thread(target=drip, daemon=True).start()
    for kind, connection in waiting:
        said = until_closed(connection, 14)
        t.holds(b"result" not in said, f"{kind} said {said!r}")
    t.holds(8 < time.monotonic() - began < 14, f"ended after {time.monotonic() - began:.1f} s")
    for kind in KINDS:
        unharmed(kind)


@on_each("200 connections that say nothing: the next honest client is served within a second")
def _(_, one):
    idle = [one.connect() for _ in range(200)]
    descriptors = len(os.listdir(f"/proc/{one.process.pid}/fd"))
    took = min(served(one), served(one))
    for connection in idle:
        connection.close()
    if took > 1:
        raise Through(f"an honest client waited {took:.1f} s")
    if descriptors > 60:
        raise Through(f"{descriptors} descriptors for clients that said nothing")


@on_each("200 connections with half a header, and with half a body")
def _(_, one):
    idle = [one.connect() for _ in range(200)]
    for i, connection in enumerate(idle):
        send(connection, b"Content-Len" if i % 2 else b"Content-Length: 60000\r\n\r\n" + b" " * 50_000)
    took = min(served(one), served(one))
    for connection in idle:
        connection.close()
    if took > 1:
        raise Through(f"an honest client waited {took:.1f} s")


# ---- after the token ------------------------------------------------------------------------------------------------

@on_each("a client that was let in and breaks its frames is ended, and what follows is not heard")
def _(_, one):
    for broken in (b"GET / HTTP/1.1\r\n", b"Content-Length: 99999999999\r\n\r\n", b"Content-Length: x\r\n\r\n", b"x\r\n\r\n"):
        client = one.client()
        send(client, broken + one.harm(MARK) + frame({"jsonrpc": "2.0", "id": 77, "method": "shutdown"}))
        end = time.monotonic() + 5
        while (message := client.incoming.get(timeout=max(0.01, end - time.monotonic()))) is not None:
            if message.get("id") is not None and message.get("id") != 1:
                raise Through(f"{broken!r} was followed by {message}")
        client.close()


@on_each("a client that was let in sends millions of values in one message")
def _(_, one):
    client = one.client()
    before = one.resident()
    send(client, frame(b'{"jsonrpc":"2.0","id":5,"method":"x","params":[' + b"[]," * 5_000_000 + b"[]]}"))
    end = time.monotonic() + 20
    while "more than 4000000 values" not in str(message := client.incoming.get(timeout=max(0.01, end - time.monotonic()))):
        if message is None:
            raise Through("the connection was ended without a word")
    if one.resident() > before + (150 << 20):
        raise Through(f"{(one.resident() - before) >> 20} MB more")
    client.ping()
    client.close()


ADDRESSES = ("exec:touch " + MARK, "ssh://127.0.0.1?command=touch%20" + MARK, "slurm:partition=x", "tls://127.0.0.1:1", "tcp://127.0.0.1:1",
             "unix:", "unix:/run/docker.sock",
             "exec:", "ssh://x", "EXEC://touch " + MARK, "file:///etc/passwd://")


def refused(answer, word):
    if word not in answer.get("error", {}).get("message", ""):
        raise Through(f"answered {answer}")


for method in ("compile", "test", "run"):
    @attack(f"serve: an address as the place of buildTarget/{method}")
    def _(t, method=method):
        one = server("serve")
        client = one.client()
        target = {"uri": "file://" + os.path.join(WORK, "a.py")}
        for address in ADDRESSES:
            for words in (["--on", address], ["--on=" + address], ["--arch", "sm_90a", "--on", address, "--on", "sim"]):
                params = {"target": target} if method == "run" else {"targets": [target]}
                refused(client.request("buildTarget/" + method, {**params, "arguments": words}), "address")
        client.close()
        unharmed("serve")


@attack("lsp: an address as the place of tilewright/run, as a request and as a command")
def _(t):
    one = server("lsp")
    client = one.client()
    uri = "file://" + os.path.join(WORK, "a.py")
    client.raw(frame({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {
        "textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": SCRIPT}}}))
    for address in ADDRESSES:
        params = {"textDocument": {"uri": uri}, "entry": "k", "on": address}
        refused(client.request("tilewright/run", params), "address")
        refused(client.request("workspace/executeCommand", {"command": "tilewright.run", "arguments": [params]}), "address")
    client.close()
    unharmed("lsp")


@attack("lsp: remotes in the client's settings are no remotes")
def _(t):
    one = server("lsp")
    client = Client(one, one.token)
    uri = "file://" + os.path.join(WORK, "a.py")
    settings = {"tilewright": {"remotes": {"lab": {"at": "exec:touch " + MARK}}, "pools": {"all": ["exec:touch " + MARK]}}}
    client.raw(frame({"jsonrpc": "2.0", "method": "workspace/didChangeConfiguration", "params": {"settings": settings}}))
    for name in ("lab", "all"):
        refused(client.request("tilewright/run", {"textDocument": {"uri": uri}, "entry": "k", "on": name}), "no target")
    client.close()
    unharmed("lsp")


for kind in ("serve", "lsp"):
    @attack(f"{kind}: a program that is started for a remote has none of the server's sockets")
    def _(t, kind=kind):
        seen = os.path.join(t.folder, "seen")
        probe = t.write("probe", f'#!/bin/sh\nfor f in /proc/$$/fd/*; do readlink $f; done > {seen}\nexec {BINARY} worker --stdio --on sim\n', 0o755)
        os.makedirs(os.path.join(t.home, ".config/tilewright"))
        with open(os.path.join(t.home, ".config/tilewright/config.toml"), "w") as f:
            f.write(f'[remotes.probe]\nat = "exec:{probe}"\n')
        uri = "file://" + t.write("a.py", SCRIPT)
        one = Server(kind, t.env, t.work)
        try:
            client = one.client()
            if kind == "serve":
                client.request("buildTarget/test", {"targets": [{"uri": uri}], "arguments": ["--on", "probe"]}, 60)
            else:
                client.raw(frame({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {
                    "textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": SCRIPT}}}))
                client.request("tilewright/run", {"textDocument": {"uri": uri}, "entry": "k", "on": "probe"}, 60)
            with open(seen) as f:
                sockets = {line for line in f if line.startswith("socket:")}
            t.holds(len(sockets) == 1, f"beside its own stream it had {sockets}")
            client.ping()
        finally:
            one.end()


@attack("worker: places in the parameters of jobs and compilations are passed over")
def _(t):
    client = server("worker").client()
    for method in ("job/open", "job/run", "compile"):
        for more in ({"on": "exec:touch " + MARK}, {"remote": "exec:touch " + MARK, "command": ["touch", MARK]}):
            answer = client.request(method, {"key": "k", "attempt": 1, **more})
            t.holds("error" in answer, f"answered {answer}")
    client.close()
    unharmed("worker")


@attack("build: a server of others gets no address from us without saying that it takes none")
def _(t):
    one = Server("serve", ENV, WORK, address="unix:" + t.folder + "/s.sock")
    done = t.run("build", t.write("a.py", SCRIPT), "--server", one.address, "--on", "exec:touch " + MARK, "--retries", "0")
    one.end()
    t.refuses(done, "address", 2)
    t.absent(MARK)


# ---- sockets --------------------------------------------------------------------------------------------------------

def as_nobody():
    os.setgroups([])
    os.setgid(ANOTHER_USER)
    os.setuid(ANOTHER_USER)


for kind in KINDS:
    @attack(f"{kind}: another user at the Unix socket, whose mode was loosened")
    def _(t, kind=kind):
        os.chmod(t.folder, 0o755)
        one = Server(kind, ENV, WORK, address=f"unix:{t.folder}/s.sock")
        try:
            path = one.address[5:]
            t.holds(stat.S_IMODE(os.stat(path).st_mode) == 0o600, f"mode {os.stat(path).st_mode:o}")
            os.chmod(path, 0o666)
            code = "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.settimeout(5)\ns.connect(sys.argv[1])\n" \
                   "s.sendall(sys.stdin.buffer.read())\nprint(s.recv(9999))"
            done = subprocess.run(["python3", "-c", code, path], input=one.hello(None) + one.harm(MARK), capture_output=True,
                                  preexec_fn=as_nobody, timeout=30)
            t.holds(b"result" not in done.stdout and b"error" not in done.stdout, f"said {done.stdout[:300]!r}")
            one.client().ping()
        finally:
            one.end()
        t.absent(MARK)


# What goes to a socket: a build server's and a worker's client.
def reach(t, kind, path, token, **more):
    script = t.write("a.py", SCRIPT)
    words = ("build", script, "--server", f"unix:{path}", "--token-file", token, "--retries", "0") if kind == "serve" else \
        ("run", script, "--on", f"unix:{path}?token-file={token}&patience=5")
    return t.run(*words, **more)


def squatted(t, kind):
    os.chmod(t.folder, 0o755)
    squat = os.path.join(t.folder, "squat")
    os.mkdir(squat)
    os.chown(squat, ANOTHER_USER, ANOTHER_USER)
    path = os.path.join(squat, "s.sock")
    code = "import os,socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\nos.chmod(sys.argv[1],0o777)\ns.listen()\n" \
           "print('ready',flush=True)\nc,_=s.accept()\nc.settimeout(10)\nprint(c.recv(9999),flush=True)"
    squatter = subprocess.Popen(["python3", "-c", code, path], stdout=subprocess.PIPE, preexec_fn=as_nobody)
    squatter.stdout.readline()
    token = t.write("token", "0123456789abcdef0123456789abcdef\n", 0o600)
    done = reach(t, kind, path, token)
    heard = squatter.communicate(timeout=20)[0]
    t.holds(heard.strip() == b"b''", f"the squatter heard {heard!r}")
    t.refuses(done, f"user {ANOTHER_USER}", 2)


for kind in ("serve", "worker"):
    @attack(f"a client of {kind}: a squatted socket gets neither the token nor a request")
    def _(t, kind=kind):
        squatted(t, kind)

    @attack(f"a client of {kind}: a socket whose owner accepts no client is given up")
    def _(t, kind=kind):
        path = os.path.join(t.folder, "s.sock")
        full = socket.socket(socket.AF_UNIX)
        full.bind(path)
        full.listen(0)
        before = []
        for _ in range(3):
            s = socket.socket(socket.AF_UNIX)
            s.setblocking(False)
            try:
                s.connect(path)
            except BlockingIOError:
                pass
            before.append(s)
        token = t.write("token", "0123456789abcdef0123456789abcdef\n", 0o600)
        t.refuses(reach(t, kind, path, token, seconds=50), "does not answer", 2)
        t.refuses(t.run(kind, "--listen", "unix:" + path, seconds=20), "another process listens", 2)
        full.close()

    @attack(f"a client of {kind}: what is no socket, and a path that fits into no address")
    def _(t, kind=kind):
        token = t.write("token", "0123456789abcdef0123456789abcdef\n", 0o600)
        for path, word in ((t.write("plain", ""), "refused"), ("/" + "x" * 200, "107"), (t.folder + "/none", "No such file")):
            t.refuses(reach(t, kind, path, token, seconds=30), word, 2)


@attack("a checkout whose remote is a socket needs consent, which says the path")
def _(t):
    path = os.path.join(t.folder, "s.sock")
    heard = socket.socket(socket.AF_UNIX)
    heard.bind(path)
    heard.listen()
    heard.settimeout(1)
    script = t.write("repo/a.py", SCRIPT)
    os.makedirs(os.path.join(t.work, "repo/.git"))
    t.write("repo/tilewright.toml", f'[remotes.lab]\nat = "unix:{path}"\n')
    t.refuses(t.run("run", script, "--on", "lab", seconds=30), "trust", 2)
    done = t.run("trust", os.path.join(t.work, "repo"), seconds=30)
    t.holds(f"connects to the socket {path}".encode() in done.stdout + done.stderr, f"{done.stdout}{done.stderr}")
    try:
        heard.accept()
        t.holds(False, "it was connected to")
    except TimeoutError:
        pass


@attack("a worker at a Unix socket serves its own user by name and by address, and asks for a token where a file has one")
def _(t):
    token = t.write("token", "0123456789abcdef0123456789abcdef\n", 0o600)
    script = t.write("a.py", SCRIPT)
    one = Server("worker", t.env, WORK, address="unix:")
    try:
        for words in (("run", script, "--on", "unix:"), ("run", script, "--on", one.address), ("remotes", "unix:")):
            done = t.run(*words, seconds=50)
            t.holds(done.returncode == 0, f"{words}: {done.stdout}{done.stderr}")
    finally:
        one.end()
    two = Server("worker", t.env, WORK, "--token-file", token, address=f"unix:{t.folder}/two.sock", token="0123456789abcdef0123456789abcdef")
    try:
        t.refuses(t.run("run", script, "--on", two.address, seconds=50), "asks for a token", 2)
        done = t.run("run", script, "--on", f"{two.address}?token-file={token}", seconds=50)
        t.holds(done.returncode == 0, f"{done.stdout}{done.stderr}")
    finally:
        two.end()


@attack("serve: a token asked for at a Unix socket as well")
def _(t):
    token = t.write("token", "0123456789abcdef0123456789abcdef\n", 0o600)
    one = Server("serve", ENV, WORK, "--token-file", token, address=f"unix:{t.folder}/s.sock", token="0123456789abcdef0123456789abcdef")
    try:
        closes(one, one.hello(None), "asks for a token")
        one.client().ping()
        t.holds("0123456789" not in "".join(one.said), "the token of the file was printed")
    finally:
        one.end()


for kind in KINDS:
    @attack(f"{kind}: the token lies on no command line, in no variable and in no later line")
    def _(t, kind=kind):
        one = server(kind)
        for what in ("cmdline", "environ"):
            with open(f"/proc/{one.process.pid}/{what}", "rb") as f:
                t.holds(one.token.encode() not in f.read(), f"it is in {what}")
        t.holds("".join(one.said).count(one.token) == 1, "it was printed more than once")

    @attack(f"{kind}: a token file that others can read, a short one, one that is none")
    def _(t, kind=kind):
        for path, word in ((t.write("open", "0123456789abcdef0123456789\n", 0o644), "chmod 600"), (t.write("short", "123\n", 0o600), "no token"),
                           (t.write("two", "0123456789abcdef\n0123456789abcdef\n", 0o600), "no token"), (t.folder, "plain file")):
            t.refuses(t.run(kind, "--listen", "127.0.0.1:0", "--token-file", path, seconds=20), word, 2)

    @attack(f"{kind}: another interface without TLS")
    def _(t, kind=kind):
        for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:0"):
            t.refuses(t.run(kind, "--listen", address, seconds=20), "loopback", 2)


@attack("serve, worker: TLS clients that never end their handshake, and some that never say a word behind it")
def _(t):
    import ssl
    from support.certificates import make_certificates
    make_certificates(t.folder)
    at = lambda name: os.path.join(t.folder, name)  # noqa: E731
    for kind in ("serve", "worker"):
        one = Server(kind, ENV, WORK, "--tls-cert", at("server.pem"), "--tls-key", at("server.key"))
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.load_verify_locations(at("ca.pem"))
            idle = [one.connect() for _ in range(30)] + [context.wrap_socket(one.connect(), server_hostname="localhost") for _ in range(3)]
            good = context.wrap_socket(one.connect(), server_hostname="localhost")
            good.sendall(one.hello(one.token))
            t.holds(b'"result"' in good.recv(9999), f"{kind} does not serve an honest client")
            bad = context.wrap_socket(one.connect(), server_hostname="localhost")
            bad.sendall(one.hello("x" * 64) + one.hello(one.token))
            said = until_closed(bad)
            t.holds(b"not the" in said and b"result" not in said, f"{kind} said {said!r}")
            t.holds(len(os.listdir(f"/proc/{one.process.pid}/fd")) < 90, "descriptors for clients that said nothing")
            for connection in (*idle, good, bad):
                connection.close()
        finally:
            one.end()


# ---- standard streams: the parent sends, but what it passes on may come from any program ----------------------------------------

for kind, size in (("lsp", 128 << 20), ("serve", 16 << 20)):
    @attack(f"{kind}: a frame beyond its bound on standard input is skipped by its length, whatever its body holds")
    def _(t, kind=kind, size=size):
        class Place:
            folder = t.work
        place = Place()
        place.kind = kind
        t.write("a.py", SCRIPT)
        harm = Server.hello(place, None, 5) + request(6, "shutdown", None)
        body = harm + b" " * (9 * size - len(harm) if kind == "serve" else size + 1 - len(harm))
        stream = Server.hello(place, None) + b"Content-Length: %d\r\n\r\n" % len(body) + body + \
            request(2, "workspace/buildTargets" if kind == "serve" else "$/tilewright/memory", {})
        done = t.run(kind, stdin=stream, seconds=60)
        t.holds(b'"id":2' in done.stdout, f"the next message was not heard: {done.stdout[-300:]!r}")
        t.holds(b'"id":5' not in done.stdout and b'"id":6' not in done.stdout, "a frame in a body was heard")
        t.holds(b"accepted" in done.stdout, "what was wrong was not said")


if __name__ == "__main__":
    main()
