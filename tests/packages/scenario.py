"""What must work wherever a package was installed: a check of a good and of a wrong script, and a session of the language server."""
import json
import os
import re
import subprocess
import tempfile
import threading

GOOD = '''\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float32")
    B = T.match_buffer(B_ptr, (32, 32), "float32")
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    A_smem = T.alloc_buffer((32, 32), "float32", scope="shared", layout=TileLayout(S[32, 32]))
    Tx.warp.copy(A_smem[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(B[:, :], A_smem[:, :])
'''
WRONG = GOOD.replace("B[:, :], A_smem", "B[:, :], A_smen")
WAIT = 60  # seconds until a hang is called one


class Client:
    """The least of a client: frames over a process's standard streams."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen([*command, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.watchdog = threading.Timer(WAIT, self.process.kill)
        self.watchdog.start()
        self.ids = 0

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            assert line, "the server ended, or said nothing for a minute"
            if line == b"\r\n":
                break
            found = re.match(rb"Content-Length: (\d+)", line)
            length = int(found.group(1)) if found else length
        return json.loads(self.process.stdout.read(length))

    def until(self, wanted):
        while True:
            message = self.receive()
            if "id" in message and "method" in message:
                self.send({"id": message["id"], "result": None})
            if wanted(message):
                return message

    def request(self, method, params=None):
        self.ids += 1
        self.send({"id": self.ids, "method": method, "params": params})
        answer = self.until(lambda m: m.get("id") == self.ids and "method" not in m)
        assert "error" not in answer, answer
        return answer["result"]

    def end(self):
        self.request("shutdown")
        self.send({"method": "exit"})
        status = self.process.wait(WAIT)
        self.watchdog.cancel()
        self.process.stdin.close()
        self.process.stdout.close()
        return status


def language_server(command, environment):
    client = Client(command, environment)
    name = client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["serverInfo"]["name"]
    assert name == "tilewright", name
    client.send({"method": "initialized", "params": {}})
    uri = "file:///nowhere/kernel.py"
    client.send({"method": "textDocument/didOpen",
                 "params": {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": WRONG}}})
    said = client.until(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["diagnostics"])
    assert [d["code"] for d in said["params"]["diagnostics"]] == ["TW2002"], said
    line = WRONG.splitlines().index("    Tx.warp.copy(A_smem[:, :], A[:, :])")
    hover = client.request("textDocument/hover",
                           {"textDocument": {"uri": uri}, "position": {"line": line, "character": 12}})
    assert "gmem_smem" in json.dumps(hover), hover
    status = client.end()
    assert status == 0, f"the language server ended with {status}"




def run(command, *arguments, environment, stdin=None):
    return subprocess.run([*command, *arguments], env=environment, input=stdin, capture_output=True, text=True, timeout=WAIT)


def try_out(command, environment=None):
    """`command` starts tilewright; without `environment` in one that holds nothing: no PATH to find anything on, an empty home."""
    with tempfile.TemporaryDirectory() as home:
        lone = environment is None
        environment = {"PATH": os.path.join(home, "nothing"), "HOME": home} if lone else environment
        said = run(command, "--version", environment=environment)
        assert said.returncode == 0 and re.fullmatch(r"\d+\.\d+\.\d+ \(commit \S+, dialects? [0-9., ]+\)\n", said.stdout), said
        good = run(command, "check", "-", environment=environment, stdin=GOOD)
        assert good.returncode == 0, good
        wrong = run(command, "check", "-", "--stdin-filename", "kernel.py", environment=environment, stdin=WRONG)
        assert wrong.returncode == 1 and "kernel.py:16:27: error[TW2002]" in wrong.stdout, wrong
        language_server(command, environment)
        if lone:  # nothing of this is kept
            left = os.listdir(home)
            assert left == [], f"it left {left} in the home folder"
