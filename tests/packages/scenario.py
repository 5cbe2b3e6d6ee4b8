"""What must work wherever a package was installed: a check of a good and of a wrong script, and a session of the language server."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401
from support.language_server import Client  # noqa: E402

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
# tilewright: dialect 0.25
'''
WRONG = GOOD.replace("B[:, :], A_smem", "B[:, :], A_smen")
WAIT = 60  # seconds until a hang is called one


def language_server(command, environment):
    client = Client(command, environment=environment)
    client.patience = WAIT
    try:
        assert client.initialize()["serverInfo"]["name"] == "tilewright"
        uri = "file:///nowhere/kernel.py"
        client.open(uri, WRONG)
        said = client.diagnostics(uri, 1)
        assert [d["code"] for d in said] == ["TW2002"], said
        line = WRONG.splitlines().index("    Tx.warp.copy(A_smem[:, :], A[:, :])")
        hover = client.result("textDocument/hover",
                              {"textDocument": {"uri": uri}, "position": {"line": line, "character": 12}})
        assert "gmem_smem" in json.dumps(hover), hover
        status = client.shutdown()
        assert status == 0, f"the language server ended with {status}"
    finally:
        client.close()


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
