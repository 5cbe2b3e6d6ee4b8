#!/usr/bin/env python3
"""serve_test.py TILEWRIGHT: a workspace, its build server, and clients: good ones, wrong ones, and those that go away."""
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from scripts import ADD, BARE, BROKEN, ENDLESS, HEAD, IMPORTING  # noqa: E402
from support import release  # noqa: E402,F401
from support.build_server import SCHEMA, Client, seen  # noqa: E402
from support.jsonrpc import Refused, frame  # noqa: E402
from support.trust import trust  # noqa: E402

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""

OK, ERROR, CANCELLED = 1, 2, 3
PASSED, FAILED, IGNORED = 1, 2, 3


class Workspace(unittest.TestCase):
    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="tilewright-build-"))
        self.addCleanup(shutil.rmtree, self.root)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        # The time of change is what shows a change: two within its resolution must not look like one.
        self.clock = getattr(self, "clock", time.time() - 1000) + 1
        os.utime(path, (self.clock, self.clock))
        return path

    def uri(self, name):
        return {"uri": "file://" + os.path.join(self.root, name)}

    def client(self, *options):
        # What other processes built counts as built: each test has a store of its own.
        store = os.path.join(self.root, ".store")
        client = Client.start([BINARY, "serve", "--on", "sim", *options], cwd=self.root, env={**os.environ, "XDG_CACHE_HOME": store})
        self.addCleanup(lambda: self.assertEqual(client.violations, []))
        self.addCleanup(lambda: (client.process.kill(), client.process.wait(), client.close(), client.process.stdout.close()))
        return client

    def open(self, *options):
        client = self.client(*options)
        client.initialize(self.root)
        return client

    def compile(self, client, *names, **more):
        client.forget()
        return client.result("buildTarget/compile", {"targets": [self.uri(n) for n in names], **more})

    def try_out(self, client, *names, **more):
        client.forget()
        return client.result("buildTarget/test", {"targets": [self.uri(n) for n in names], **more})

    def refused(self, client, method, params=None):
        with self.assertRaises(Refused) as raised:
            client.result(method, params)
        return raised.exception


class Sessions(Workspace):
    def test_from_initialize_to_exit(self):
        client = self.client()
        early = self.refused(client, "workspace/buildTargets")
        self.assertEqual(early.code, -32002)
        result = client.initialize(self.root)
        self.assertEqual(result["bspVersion"], "2.2.0")
        self.assertEqual(result["capabilities"]["compileProvider"], {"languageIds": ["tilescript", "python"]})
        self.assertTrue(result["capabilities"]["canReload"])
        self.assertEqual(self.refused(client, "build/initialize", {"rootUri": "file:///"}).code, -32600)
        self.assertEqual(self.refused(client, "buildTarget/dance").code, -32601)
        client.result("build/shutdown")
        self.assertEqual(self.refused(client, "workspace/buildTargets").code, -32600)
        client.notify("build/exit")
        self.assertEqual(client.process.wait(30), 0)

    def test_exit_without_shutdown_and_a_client_that_goes_away(self):
        client = self.open()
        client.notify("build/exit")
        self.assertEqual(client.process.wait(30), 1)
        client = self.open()
        client.close()
        self.assertEqual(client.process.wait(30), 1)

    def test_messages_that_are_none(self):
        client = self.open()
        for body in (b"{", b"[]", b'{"jsonrpc":"2.0","id":7}', b'{"jsonrpc":"2.0","method":1}'):
            client.raw(frame(body))
        client.raw(b"Nonsense\r\n\r\n")
        self.assertEqual(self.refused(client, "buildTarget/sources", {"targets": 3}).code, -32602)
        self.assertEqual(self.refused(client, "buildTarget/compile", {}).code, -32602)
        self.assertEqual(client.result("workspace/buildTargets"), {"targets": []})

    def test_the_file_that_clients_look_for_starts_it(self):
        self.write("a.py", ADD.format(by=1))
        done = subprocess.run([BINARY, "serve", "--install"], cwd=self.root, capture_output=True, text=True, check=True)
        path = done.stdout.strip()
        self.assertEqual(os.path.join(self.root, ".bsp", "tilewright.json"), os.path.realpath(os.path.join(self.root, path)))
        with open(os.path.join(self.root, ".bsp", "tilewright.json"), encoding="utf-8") as f:
            said = json.load(f)
        self.assertEqual(set(said), {"name", "version", "bspVersion", "languages", "argv"})
        client = Client.start(said["argv"], cwd=self.root)
        client.initialize(self.root)
        self.assertEqual(len(client.result("workspace/buildTargets")["targets"]), 1)
        self.assertEqual(client.end(), 0)
        client.close(), client.process.stdout.close()

    def test_several_clients_at_a_socket_and_a_token(self):
        self.write("a.py", ADD.format(by=1))
        token = os.path.join(self.root, "token")
        with open(token, "w", encoding="utf-8") as f:
            f.write("open-sesame-0123456789\n")
        os.chmod(token, stat.S_IRUSR | stat.S_IWUSR)
        address = os.path.join(self.root, "socket")
        server = subprocess.Popen([BINARY, "serve", "--on", "sim", "--listen", "unix:" + address, "--token-file", token],
                                  stderr=subprocess.PIPE)
        self.addCleanup(server.stderr.close)
        self.addCleanup(lambda: (server.kill(), server.wait()))
        self.assertIn(b"listening", server.stderr.readline())

        def connect():
            s = socket.socket(socket.AF_UNIX)
            s.connect(address)
            client = Client.of_socket(s)
            self.addCleanup(client.close)
            return client

        stranger = connect()
        refusal = self.refused(stranger, "build/initialize", {"rootUri": "file://" + self.root, "data": {"token": "?"}})
        self.assertIn("not the server's token", str(refusal))
        clients = [connect() for _ in range(4)]
        for client in clients:
            client.initialize(self.root, data={"token": "open-sesame-0123456789"})
        asked = [(c, c.ask("buildTarget/test", {"targets": [self.uri("a.py")], "originId": str(i)}))
                 for i, c in enumerate(clients)]
        for i, (client, one) in enumerate(asked):
            result = client.answer(one)["result"]
            self.assertEqual((result["statusCode"], result["originId"]), (OK, str(i)))
            self.assertEqual({t["originId"] for t in client.told("build/taskFinish")}, {str(i)})
        server.terminate()
        self.assertEqual(server.wait(30), 0)


class Targets(Workspace):
    def test_folders_with_settings_and_single_scripts(self):
        self.write("a.py", ADD.format(by=1))
        self.write("k/tilewright.toml", "arch = \"sm_90a\"\n")
        self.write("k/b.py", ADD.format(by=1))
        self.write("k/inner/c.py", ADD.format(by=1))
        self.write("k/own/tilewright.toml", "")
        self.write("k/own/d.py", ADD.format(by=1))
        self.write("no_script.py", "print(1)\n")
        client = self.open()
        targets = client.result("workspace/buildTargets")["targets"]
        self.assertEqual([t["displayName"] for t in targets], ["a.py", "k", "k/own"])
        self.assertTrue(all(t["capabilities"]["canTest"] for t in targets))
        everything = {"targets": [t["id"] for t in targets]}

        def items(what, member):
            return [i[member] for i in client.result("buildTarget/" + what, everything)["items"]]

        self.assertEqual([[s["uri"] for s in i] for i in items("sources", "sources")],
                         [[self.uri("a.py")["uri"]], [self.uri("k/b.py")["uri"], self.uri("k/inner/c.py")["uri"]],
                          [self.uri("k/own/d.py")["uri"]]])
        self.assertEqual(items("resources", "resources"),
                         [[], [self.uri("k/tilewright.toml")["uri"]], [self.uri("k/own/tilewright.toml")["uri"]]])
        self.assertEqual(items("outputPaths", "outputPaths"), [[], [], []])
        self.assertEqual(items("dependencyModules", "modules"), [[], [], []])
        inverse = client.result("buildTarget/inverseSources", {"textDocument": self.uri("k/inner/c.py")})
        self.assertEqual(inverse, {"targets": [self.uri("k")]})
        self.assertEqual(client.result("buildTarget/inverseSources", {"textDocument": self.uri("no_script.py")}),
                         {"targets": []})

    def test_imports_are_dependencies(self):
        self.write("sizes.py", "N = 64\n")
        self.write("a.py", IMPORTING.format(module="sizes"))
        client = self.open()
        items = client.result("buildTarget/dependencySources", {"targets": [self.uri("a.py")]})["items"]
        self.assertEqual(items, [{"target": self.uri("a.py"), "sources": [self.uri("sizes.py")["uri"]]}])

    def test_what_comes_and_goes_is_told(self):
        self.write("a.py", ADD.format(by=1))
        client = self.open()
        client.result("workspace/buildTargets")
        self.write("b.py", ADD.format(by=1))
        os.remove(os.path.join(self.root, "a.py"))
        client.result("workspace/reload")
        changes = client.told("buildTarget/didChange")
        self.assertEqual([(c["target"], c["kind"]) for c in changes[0]["changes"]],
                         [(self.uri("b.py"), 1), (self.uri("a.py"), 3)])

    def test_a_target_that_is_none(self):
        client = self.open()
        for method in ("sources", "compile", "test", "cleanCache"):
            self.assertIn("no target", str(self.refused(client, "buildTarget/" + method, {"targets": [self.uri("x.py")]})))

    def test_clients_of_other_languages_get_no_targets(self):
        self.write("a.py", ADD.format(by=1))
        client = self.client()
        client.initialize(self.root, capabilities={"languageIds": ["scala"]})
        self.assertEqual(client.result("workspace/buildTargets"), {"targets": []})
        self.assertIn("python", client.told("build/logMessage")[0]["message"])


class Compiles(Workspace):
    def published(self, client):
        return {p["textDocument"]["uri"].rsplit("/", 1)[1]: ([d["code"] for d in p["diagnostics"]], p["reset"])
                for p in client.told("build/publishDiagnostics")}

    def test_errors_come_and_go(self):
        self.write("a.py", BROKEN.format(by=1))
        client = self.open()
        result = self.compile(client, "a.py", originId="one")
        self.assertEqual((result["statusCode"], result["originId"]), (ERROR, "one"))
        published = client.told("build/publishDiagnostics")
        self.assertEqual(len(published), 1)
        found = published[0]["diagnostics"][0]
        lines = BROKEN.splitlines()
        self.assertEqual(found["range"]["start"]["line"], next(i for i, l in enumerate(lines) if "A[j]" in l))
        self.assertEqual(found["range"]["start"]["character"], 13)
        self.assertEqual((found["severity"], published[0]["buildTarget"], published[0]["originId"]),
                         (1, self.uri("a.py"), "one"))
        report = client.told("build/taskFinish")[0]
        self.assertEqual((report["status"], report["data"]["errors"], report["dataKind"]), (ERROR, 1, "compile-report"))
        self.write("a.py", ADD.format(by=1))
        self.assertEqual(self.compile(client, "a.py")["statusCode"], OK)
        self.assertEqual(self.published(client), {"a.py": ([], True)})

    def test_only_what_changed_is_compiled(self):
        self.write("tilewright.toml", "")
        self.write("sizes.py", "N = 64\n")
        self.write("a.py", ADD.format(by=1))
        self.write("b.py", IMPORTING.format(module="sizes"))
        client = self.open()

        def anew():
            result = self.compile(client, "")
            self.assertEqual(result["statusCode"], OK)
            return [s["uri"].rsplit("/", 1)[1] for s in result["data"]["scripts"] if not s["noOp"]]

        self.assertEqual(anew(), ["a.py", "b.py"])
        self.assertEqual(anew(), [])
        self.assertEqual(client.told("build/taskFinish")[0]["data"]["noOp"], True)
        self.write("sizes.py", "N = 32\n")
        self.assertEqual(anew(), ["b.py"])
        self.write("a.py", ADD.format(by=2))
        self.assertEqual(anew(), ["a.py"])
        self.write("tilewright.toml", "arch = \"sm_90a\"\n")
        self.assertEqual(anew(), ["a.py", "b.py"])
        client.result("buildTarget/cleanCache", {"targets": [self.uri("")]})
        self.assertEqual(anew(), ["a.py", "b.py"])

    def test_a_cleaned_target_is_compiled_as_if_nothing_had_been_kept(self):
        self.write("a.py", ADD.format(by=1))
        store = os.path.join(self.root, ".store", "tilewright", "artifacts", "entries")
        entries = lambda: {os.path.join(d, f): os.stat(os.path.join(d, f)).st_ino for d, _, fs in os.walk(store) for f in fs}  # noqa: E731
        client = self.open()
        self.compile(client, "a.py")
        kept = entries()
        self.assertTrue(kept)
        self.compile(client, "a.py")
        self.assertEqual(entries(), kept)
        self.assertTrue(client.result("buildTarget/cleanCache", {"targets": [self.uri("a.py")]})["cleaned"])
        self.assertFalse(self.compile(client, "a.py")["data"]["scripts"][0]["noOp"])
        again = entries()
        self.assertEqual(set(again), set(kept))
        for path, inode in again.items():  # NVIDIA's tools worked again, and so did we
            self.assertNotEqual(inode, kept[path])
        self.assertTrue(self.compile(client, "a.py")["data"]["scripts"][0]["noOp"])

    def test_a_question_that_takes_its_time_holds_up_no_other(self):
        self.write("slow.py", HEAD + "n = 0\nwhile True:\n    n = n + 1\n\n\n@T.prim_func\ndef f(A: T.Buffer((n,), 'int32')):\n    pass\n")
        client = self.open()
        slow = client.ask("buildTarget/dependencySources", {"targets": [self.uri("slow.py")]})
        client.result("workspace/buildTargets")
        self.assertNotIn(slow, client.answered)
        second = client.ask("buildTarget/dependencySources", {"targets": [self.uri("slow.py")]})
        for asked in (second, slow):  # one that waits, one that is under way
            client.notify("$/cancelRequest", {"id": asked})
            self.assertEqual(client.answer(asked)["error"]["code"], -32800)

    def test_resources_of_each_kernel(self):
        self.write("a.py", ADD.format(by=1))
        client = self.open()
        result = self.compile(client, "a.py", arguments=["--arch", "sm_90a", "--arch=sm_100a"])
        kernels = result["data"]["scripts"][0]["kernels"]
        self.assertEqual([(k["entry"], k["arch"]) for k in kernels],
                         [("add", "sm_90a"), ("plain()", "sm_90a"), ("add", "sm_100a"), ("plain()", "sm_100a")])
        for kernel in kernels:
            if "resources_unknown" in kernel:  # a machine without CUDA's compiler
                self.assertNotIn("resources", kernel)
            else:
                self.assertGreater(kernel["resources"]["registers"], 0)

    def test_a_script_alone_and_one_that_cannot_be_read(self):
        self.write("tilewright.toml", "")
        self.write("a.py", ADD.format(by=1))
        broken = self.write("b.py", "")
        with open(broken, "wb") as f:
            f.write(HEAD.encode() + b"\xff\xfe\x00")
        client = self.open()
        self.assertEqual(self.compile(client, "a.py")["statusCode"], OK)
        self.assertEqual(self.compile(client, "")["statusCode"], ERROR)
        self.assertEqual({name: bool(codes) for name, (codes, _) in self.published(client).items()},
                         {"a.py": False, "b.py": True})

    def test_findings_in_an_import_of_several_are_kept_apart(self):
        self.write("tilewright.toml", "")
        self.write("sizes.py", "N = undefined\n")
        for name in ("a.py", "b.py"):
            self.write(name, IMPORTING.format(module="sizes"))
        client = self.open()
        self.assertEqual(self.compile(client, "")["statusCode"], ERROR)
        resets = [p["reset"] for p in client.told("build/publishDiagnostics") if p["textDocument"] == self.uri("sizes.py")]
        self.assertEqual(resets[:1], [True] if resets else [])
        self.assertNotIn(True, resets[1:])
        self.write("sizes.py", "N = 64\n")
        self.assertEqual(self.compile(client, "")["statusCode"], OK)
        after = self.published(client)
        self.assertEqual(after.get("sizes.py", ([], True)), ([], True))
        if resets:
            self.assertIn("sizes.py", after)

    def test_arguments_that_mean_nothing(self):
        self.write("a.py", ADD.format(by=1))
        client = self.open()
        for words, why in ((["--fast"], "unknown argument"), (["--arch"], "lacks its value"),
                           (["--arch", "sm_1"], "unknown architecture"), (["--deny", "x"], "takes 'fallback'")):
            refusal = self.refused(client, "buildTarget/compile", {"targets": [self.uri("a.py")], "arguments": words})
            self.assertIn(why, str(refusal))


class Tests(Workspace):
    def test_passed_failed_and_without_expected_values(self):
        self.write("tilewright.toml", "")
        self.write("good.py", ADD.format(by=1))
        self.write("wrong.py", ADD.format(by=2))
        self.write("bare.py", BARE.format(by=1))
        self.write("broken.py", BROKEN.format(by=1))
        client = self.open()
        result = self.try_out(client, "", originId="t")
        self.assertEqual(result["statusCode"], ERROR)
        finished = client.told("build/taskFinish")
        tests = {os.path.basename(f["data"]["location"]["uri"]): f["data"]["status"]
                 for f in finished if f.get("dataKind") == "test-finish"}
        self.assertEqual(tests, {"good.py": PASSED, "wrong.py": FAILED, "bare.py": IGNORED, "broken.py": FAILED})
        report = next(f["data"] for f in finished if f.get("dataKind") == "test-report")
        self.assertEqual([report[k] for k in ("passed", "failed", "ignored", "cancelled", "skipped")], [1, 2, 2, 0, 0])  # of the bare one both kernels
        runs = {os.path.basename(r["uri"]): r for r in result["data"]["runs"]}
        self.assertEqual(runs["good.py"]["run"]["verdict"], "verified")
        self.assertEqual(runs["wrong.py"]["run"]["verdict"], "failed")
        started = {t["taskId"]["id"] for t in client.told("build/taskStart")}
        self.assertEqual({f["taskId"]["id"] for f in finished}, started)
        parents = {tuple(f["taskId"].get("parents", [])) for f in finished if f.get("dataKind") == "test-finish"}
        self.assertEqual(len(parents), 1)

    def test_one_entry(self):
        self.write("a.py", ADD.format(by=1) + ADD.format(by=1).replace("def add", "def other").replace(HEAD, ""))
        client = self.open()
        runs = self.try_out(client, "a.py", arguments=["--entry", "other"])["data"]["runs"]
        self.assertEqual([r["entry"] for r in runs], ["other"])

    def test_run_prints_what_the_command_line_does(self):
        self.write("a.py", ADD.format(by=1))
        client = self.open()
        result = client.result("buildTarget/run", {"target": self.uri("a.py"), "originId": "r"})
        self.assertEqual((result["statusCode"], result["originId"]), (OK, "r"))
        printed = client.told("run/printStdout")
        self.assertIn("verified", "".join(p["message"] for p in printed))
        self.assertEqual({p["originId"] for p in printed}, {"r"})
        refusal = self.refused(client, "buildTarget/run",
                               {"target": self.uri("a.py"), "environmentVariables": {"A": "1"}})
        self.assertIn("environment", str(refusal))

    def test_a_place_that_is_none(self):
        self.write("a.py", ADD.format(by=1))
        client = self.open()
        result = self.try_out(client, "a.py", arguments=["--on", "nowhere"])
        self.assertEqual(result["statusCode"], ERROR)
        self.assertIn("nowhere", client.told("build/logMessage")[0]["message"])

    def test_on_a_worker(self):
        self.write("tilewright.toml", f"[remotes.lab]\nat = \"exec:{BINARY} worker --stdio --on sim --slots 1\"\n")
        trust(BINARY, self.root)
        self.write("a.py", ADD.format(by=1))
        client = self.open()
        result = self.try_out(client, "", arguments=["--on", "lab"])
        self.assertEqual(result["statusCode"], OK, client.told("build/logMessage"))
        self.assertEqual([r["where"].split()[0] for r in result["data"]["runs"]], ["lab"])

    def test_cancelled_work_ends_and_what_waits_behind_it_goes_on(self):
        self.write("endless.py", ENDLESS)
        self.write("a.py", ADD.format(by=1))
        client = self.open()
        endless = client.ask("buildTarget/test", {"targets": [self.uri("endless.py")]})
        waiting = client.ask("buildTarget/test", {"targets": [self.uri("a.py")]})
        last = client.ask("buildTarget/test", {"targets": [self.uri("a.py")]})
        client.until(lambda n: n["method"] == "build/taskStart" and n["params"]["dataKind"] == "test-start")
        client.notify("$/cancelRequest", {"id": waiting})
        self.assertEqual(client.answer(waiting)["result"]["statusCode"], CANCELLED)
        client.notify("$/cancelRequest", {"id": endless})
        self.assertEqual(client.answer(endless)["result"]["statusCode"], CANCELLED)
        reports = [t["data"] for t in client.told("build/taskFinish") if t.get("dataKind") == "test-report"]
        self.assertEqual([(r["passed"], r["cancelled"]) for r in reports][:1], [(0, 1)])
        self.assertEqual(client.answer(last)["result"]["statusCode"], OK)
        client.notify("$/cancelRequest", {"id": 12345})
        self.assertEqual(client.end(), 0)

    def test_a_client_that_goes_away_ends_its_work(self):
        self.write("endless.py", ENDLESS)
        client = self.open()
        client.ask("buildTarget/test", {"targets": [self.uri("endless.py")]})
        client.until(lambda n: n["method"] == "build/taskStart")
        client.close()
        self.assertEqual(client.process.wait(30), 1)


class Prints(Workspace):
    def test_why_nothing_ran_goes_to_standard_error(self):
        self.write("bad.py", BROKEN.format(by=1))
        client = self.open()
        result = client.result("buildTarget/run", {"target": self.uri("bad.py"), "originId": "r", "arguments": ["--on", "sim"]})
        self.assertEqual(result["statusCode"], ERROR)
        (told,) = client.told("run/printStderr")
        self.assertIn("name 'j' is not defined", told["message"])
        self.assertEqual(told["originId"], "r")


if __name__ == "__main__":
    if unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful():
        methods = {name for name in SCHEMA["$defs"] if "_" in name and name.split("_")[0] in ("build", "buildTarget", "workspace", "run")}
        unseen = methods - {"build_params"} - seen
        if unseen:
            print("in the schema, and in no message of these tests:", *sorted(unseen))
        sys.exit(1 if unseen else 0)
    sys.exit(1)
