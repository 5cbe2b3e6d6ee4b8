#!/usr/bin/env python3
"""Runs of the language server on remotes that tilewright.toml names, with the real binary as their worker.

    remotes.py SERVER [PATTERN]
"""
import os
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401
from support import schema  # noqa: E402
from support.language_server import Client  # noqa: E402
from support.patience import TIMEOUT  # noqa: E402
from support.trust import trust  # noqa: E402

SERVER = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "tilewright"
SCRIPT = '''from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def plain(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([128])
    for i in range(32):
        B[tx // 2, tx % 2 * 32 + i] = A[tx // 2, tx % 2 * 32 + i]

# tilewright: reference plain
@T.prim_func
def staged(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([128])
    smem = T.alloc_shared((64, 64), "float16")
    Tx.cta.copy_async(smem[:, :], A[:, :], dispatch="ldgsts")
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
    T.cuda.cta_sync()
    Tx.cta.copy(B[:, :], smem[:, :])
'''
UNAWAITED = SCRIPT.replace("    T.ptx.cp_async.wait_group(0)\n", "")
# Says nothing for ever, under a name of its own.
MUTE = "sleep 86{:03d}.125"
SETTINGS = '''[remotes.here]
at = "exec:{server} worker --stdio --on sim"
[remotes.dead]
at = "exec:sh -c 'exit 3'"
[remotes.mute]
at = "exec:{mute}"
[remotes.rude]
at = "exec:sh -c 'echo Welcome; cat /dev/zero'"
[remotes.dies]
at = "exec:sh -c '{server} worker --stdio --on sim & sleep 0.4; kill -9 $!'"
[remotes.trap]
at = "exec:touch {mark}"
[pools]
all = ["dead", "here"]
'''


def processes(command):
    """How many run with exactly this command line."""
    found = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                found += f.read().decode("utf-8", "replace").split("\0")[:-1] == command.split()
        except OSError:
            pass  # it has ended
    return found


class Remotes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.mark = os.path.join(self.folder, "mark")
        self.mute = MUTE.format(os.getpid() % 1000)
        self.write("tilewright.toml", SETTINGS.format(server=SERVER, mark=self.mark, mute=self.mute))
        trust(SERVER, self.folder)
        self.path = self.write("script.py", SCRIPT)
        self.uri = "file://" + self.path
        self.clients = []

    def tearDown(self):
        for c in self.clients:
            c.close()
        self.until(lambda: processes(self.mute) == 0)  # what was started is gone with its server
        self.assertFalse(os.path.exists(self.mark), "a remote that was not chosen was started")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def until(self, holds):
        end = time.monotonic() + TIMEOUT
        while not holds():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def client(self, capabilities=None, text=SCRIPT):
        c = Client(SERVER, environment={**os.environ, "XDG_CACHE_HOME": self.folder})
        self.clients.append(c)
        c.initialize(capabilities, initializationOptions={"tilewright": {"toolchain": {"check": "off"}, "simulate": False}})
        c.open(self.uri, text)
        c.diagnostics(self.uri, 1)
        return c

    def params(self, on, **more):
        params = {"textDocument": {"uri": self.uri}, "entry": "staged", "on": on}
        self.assertEqual(schema.check(params, "lsp_run_params"), [])
        return {**params, **more}

    def run_on(self, c, on, **more):
        result = c.result("tilewright/run", self.params(on, **more))
        self.assertEqual(schema.check(result, "lsp_run_result"), [])
        return result

    def hovers(self, c):
        at = {"textDocument": {"uri": self.uri}, "position": {"line": 17, "character": 12}}
        return c.result("textDocument/hover", at)

    def titles(self, c):
        return [x["command"]["title"] for x in c.result("textDocument/codeLens", {"textDocument": {"uri": self.uri}})]

    def test_lenses_offer_what_is_configured(self):
        c = self.client()
        offered = [t for t in self.titles(c) if t.startswith("run on ")]
        self.assertEqual(offered[:9], ["run on " + t for t in ("sim", "gpu", "dead", "dies", "here", "mute", "rude", "trap", "all")])
        error = c.request("tilewright/run", self.params("moon"))["error"]
        self.assertEqual(error["code"], -32602)
        self.assertIn("there are sim, gpu, dead", error["message"])
        # An address is nothing that a client may choose.
        self.assertEqual(c.error("tilewright/run", self.params("exec:touch " + self.mark)), -32602)
        # The settings are another thing now, and so is what is offered.
        self.write("tilewright.toml", "")
        c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file://" + self.folder + "/tilewright.toml", "type": 2}]})
        self.assertEqual([t for t in self.titles(c) if t.startswith("run on ")][:2], ["run on sim", "run on gpu"])
        self.assertNotIn("run on here", self.titles(c))

    def test_targets_are_named_and_none_is_reached(self):
        params = {"textDocument": {"uri": self.uri}}
        self.assertEqual(schema.check(params, "lsp_targets_params"), [])
        result = self.client().result("tilewright/targets", params)
        self.assertEqual(schema.check(result, "lsp_targets_result"), [])
        kinds = {t["name"]: t["kind"] for t in result["targets"]}
        self.assertEqual([kinds["sim"], kinds["gpu"]], ["local", "local"])
        self.assertIn("remote", kinds.values())
        self.assertIn("pool", kinds.values())
        self.assertTrue(result["settings"].endswith("/tilewright.toml"))

    def test_run(self):
        c = self.client()
        result = self.run_on(c, "here", workDoneToken="t")
        self.assertEqual((result["status"], result["report"]["verdict"], result["messages"]), (0, "verified", ""))
        self.assertEqual(result["report"]["tensors"][1]["sha256"], self.run_on(c, "sim")["report"]["tensors"][1]["sha256"])
        said = [m["params"]["value"] for m in c.seen if m.get("method") == "$/progress" and m["params"]["token"] == "t"]
        self.assertEqual((said[0]["kind"], said[-1]["kind"], said[0]["cancellable"]), ("begin", "end", True))
        words = [v.get("message", "") for v in said]
        self.assertEqual(words[0], "connecting to here")
        self.assertIn("running staged on here", words)
        self.assertIn("here: verified", self.titles(c))

    def test_a_pool_goes_on_without_a_member(self):
        result = self.run_on(self.client(), "all")
        self.assertEqual((result["status"], result["report"]["verdict"]), (0, "verified"))
        self.assertIn("left out: dead", result["messages"])

    def test_a_remote_that_ends(self):
        c = self.client()
        for on in ("dead", "rude"):
            with self.subTest(on):
                result = self.run_on(c, on)
                self.assertEqual((result["status"], result["report"]), (2, None))
                self.assertIn(on, result["messages"])
                self.assertTrue(self.hovers(c))
        self.assertIn("dead: not run", self.titles(c))

    def test_a_worker_that_dies(self):
        """Whether it came that far or not, there is one answer, and the next run is as good as ever."""
        c = self.client()
        for _ in range(3):
            self.assertIn(self.run_on(c, "dies")["status"], (0, 1, 2))
        self.assertEqual(self.run_on(c, "here")["status"], 0)

    def test_a_remote_that_hangs(self):
        """Only the caller waits for it: more of them than there are threads, hovers, a cancel, and the end."""
        c = self.client()
        ids = [c.ask("tilewright/run", self.params("mute", workDoneToken=f"t{i}")) for i in range(12)]
        self.until(lambda: processes(self.mute) >= 8)
        self.assertTrue(self.hovers(c))
        self.assertIn("run on sim", self.titles(c))
        c.change(self.uri, 2, SCRIPT + "\n")
        c.diagnostics(self.uri, 2)
        for i in ids:
            c.notify("$/cancelRequest", {"id": i})
        for i in ids:
            self.assertEqual(c.answer(i)["error"]["code"], -32800)
        self.until(lambda: processes(self.mute) == 0)
        c.change(self.uri, 3, SCRIPT)
        self.assertEqual(self.run_on(c, "here")["status"], 0)

    def test_the_server_ends_while_a_remote_hangs(self):
        c = self.client()
        c.ask("tilewright/run", self.params("mute"))
        self.until(lambda: processes(self.mute) == 1)
        self.assertEqual(c.shutdown(), 0)  # and what it started is gone, as after each test

    def test_findings_stand_in_the_script(self):
        self.write("script.py", UNAWAITED)
        c = self.client({"workspace": {"codeLens": {"refreshSupport": True}}}, text=UNAWAITED)
        result = self.run_on(c, "here")
        self.assertEqual((result["status"], result["report"]["verdict"]), (1, "failed"))

        def codes(p):
            return {d["code"]: d for d in p["diagnostics"]}
        found = codes(c.notification("textDocument/publishDiagnostics", lambda p: "TW5021" in codes(p)))
        self.assertEqual(found["TW5021"]["range"]["start"]["line"], 19)
        self.assertIn("(run of staged on here)", found["TW5021"]["message"])
        self.assertEqual(found["TW6002"]["range"]["start"]["line"], 19)
        self.assertIn("the first element that is not as expected", found["TW6002"]["message"])
        c.wait_for(lambda m: m.get("method") == "workspace/codeLens/refresh")
        self.assertIn("here: failed", self.titles(c))
        # What was found of another text says nothing of this one.
        c.change(self.uri, 2, SCRIPT)
        self.assertEqual(c.diagnostics(self.uri, 2), [])
        self.assertNotIn("here: failed", self.titles(c))


if __name__ == "__main__":
    unittest.main(verbosity=1)
