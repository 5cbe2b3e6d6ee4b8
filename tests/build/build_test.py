#!/usr/bin/env python3
"""build_test.py TILEWRIGHT: `tilewright build`, the client for CI: what it finds, how it ends, what it writes, and servers that fail."""
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from xml.etree import ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from scripts import ADD, BARE, BROKEN, ENDLESS, IMPORTING, WARNING  # noqa: E402
from support import release  # noqa: E402,F401
from support import schema  # noqa: E402
from support.certificates import make_certificates  # noqa: E402

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""


def parent(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return int(f.read().rpartition(")")[2].split()[1])
    except OSError:
        return None


class Run:
    def __init__(self, done):
        self.status, self.out, self.errors = done.returncode, done.stdout, done.stderr

    @property
    def json(self):
        return json.loads(self.out)


class Workspace(unittest.TestCase):
    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="tilewright-ci-"))
        self.addCleanup(shutil.rmtree, self.root)
        self.env = {**os.environ, "XDG_CACHE_HOME": os.path.join(self.root, ".store"), "NO_COLOR": "1"}

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def load(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return json.load(f)

    def build(self, *words, **more):
        return Run(subprocess.run([BINARY, "build", *words], cwd=more.pop("cwd", self.root), env={**self.env, **more},
                                  capture_output=True, text=True, timeout=300))

    def expect(self, status, *words, **more):
        r = self.build(*words, **more)
        self.assertEqual(r.status, status, (words, r.out[-2000:], r.errors[-2000:]))
        return r

    def fits(self, value):
        self.assertEqual(schema.check(value, "build"), [])
        return value

    def server(self, *options, **env):
        path = self.path("s.sock")
        process = subprocess.Popen([BINARY, "serve", "--listen", "unix:" + path, "--on", "sim", *options], cwd=self.root,
                                   env={**self.env, **env}, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stderr.close()))
        self.assertIn(b"listening", process.stderr.readline())
        return process, "unix:" + path

    def program(self, name, text):
        path = self.write(name, text)
        os.chmod(path, stat.S_IRWXU)
        return path


class Builds(Workspace):
    def test_how_it_ends(self):
        self.write("a.py", ADD.format(by=1))
        r = self.expect(0)
        self.assertEqual(r.out, "")
        self.assertEqual(r.errors, "1 script, 2 kernels: 0 errors, 0 warnings; synchronisation not checked\n")
        self.assertIn("1 script (1 unchanged), 2 kernels", self.expect(0).errors)
        broken = self.write("b.py", BROKEN.format(by=1))
        r = self.expect(1)
        self.assertRegex(r.out, r"^b\.py:10:14: error\[TW\d{4}\]: ")
        self.assertIn("2 scripts (1 unchanged), ", r.errors)
        self.expect(0, "a.py")
        self.expect(1, broken)
        self.assertIn("no such file: gone.py", self.expect(2, "gone.py").errors)
        self.assertIn("there is no tile script", self.expect(2, "--workspace", self.path(".store")).errors)

    def test_what_cannot_be_read_is_no_success(self):
        os.mkfifo(self.path("pipe.py"))
        os.symlink("nowhere.py", self.path("loose.py"))
        self.write("a.py", ADD.format(by=1))
        os.makedirs(self.path("folder.py"))
        self.write("bytes.py", "")
        with open(self.path("bytes.py"), "wb") as f:
            f.write(b"# tilewright: entry x\n\xff\xfe\n")
        self.expect(1)

    def test_without_nvidias_compiler_nothing_counts_as_built(self):
        self.write("a.py", ADD.format(by=1))
        binary = self.path("alone/tilewright")
        os.makedirs(os.path.dirname(binary))
        shutil.copy(BINARY, binary)
        r = subprocess.run([binary, "build"], cwd=self.root, env={**self.env, "CUDA_HOME": self.path("nothing")},
                           capture_output=True, text=True)
        if os.path.exists("/usr/local/cuda"):
            self.skipTest("/usr/local/cuda is found everywhere")
        self.assertEqual(r.returncode, 2, r.stderr)
        self.assertIn("2 kernels were not compiled: no CUDA compiler (NVRTC) found", r.stderr)

    def test_targets(self):
        for folder in ("one", "one/deep", "two"):
            self.write(folder + "/k.py", ADD.format(by=1))
        self.write("one/tilewright.toml", 'arch = "sm_80"\n')
        files = lambda *words, **more: sorted(s["file"] for s in self.fits(self.expect(0, *words, "--json", **more).json)["scripts"])  # noqa: E731
        self.assertEqual(files(), ["one/deep/k.py", "one/k.py", "two/k.py"])
        self.assertEqual(files("one"), ["one/deep/k.py", "one/k.py"])
        self.assertEqual(files("one/deep"), ["one/deep/k.py"])  # a part of a target
        self.assertEqual(files("one/deep/k.py", "two"), ["one/deep/k.py", "two/k.py"])
        self.assertEqual(files("."), ["one/deep/k.py", "one/k.py", "two/k.py"])
        # From elsewhere only what is named is looked through.
        self.assertEqual(files(self.path("one/deep"), cwd="/"), [self.path("one/deep/k.py")[1:]])
        self.assertIn("outside of the workspace", self.expect(2, "--workspace", "two", "one").errors)

    def test_files_without_kernels_are_passed_over(self):
        self.write("plain.py", "print(open('x').read())\n")
        self.write("a.py", ADD.format(by=1))
        r = self.expect(0, "plain.py", "a.py")
        self.assertIn("plain.py holds no kernels", r.errors)
        self.assertIn("1 script,", r.errors)
        self.expect(0, "plain.py")

    def test_arguments(self):
        self.write("a.py", BARE.format(by=1))
        kernels = lambda *words: [(k["entry"], k["arch"]) for k in self.expect(0, "--json", *words).json["scripts"][0]["kernels"]]  # noqa: E731
        self.assertEqual(kernels("--arch", "sm_80", "--entry", "add"), [("add", "sm_80")])
        self.assertEqual(len(kernels("--arch", "sm_80", "--arch", "sm_90a")), 2 * len(kernels("--arch", "sm_80")))
        self.write("w.py", WARNING)
        self.expect(0, "w.py")
        self.expect(1, "w.py", "--deny", "fallback")
        for words in (["--arch", "sm_1"], ["--report", "pdf"], ["--json", "--report", "sarif"], ["--noise", "speed=1"],
                      ["--noise", "time=x"], ["--server", "nonsense://x"], ["--baseline", "gone.json"]):
            self.assertEqual(self.expect(2, *words).out, "")

    def test_only_what_changed(self):
        self.write("tool.py", "N = 64\n")
        self.write("a.py", IMPORTING.format(module="tool"))
        self.write("b.py", ADD.format(by=1))
        unchanged = lambda: {s["file"]: s["unchanged"] for s in self.expect(0, "--json").json["scripts"]}  # noqa: E731
        self.assertEqual(unchanged(), {"a.py": False, "b.py": False})
        self.assertEqual(unchanged(), {"a.py": True, "b.py": True})
        # Times of files say nothing, contents do.
        os.utime(self.path("b.py"))
        self.assertEqual(unchanged(), {"a.py": True, "b.py": True})
        before = os.stat(self.path("tool.py"))
        self.write("tool.py", "N = 32\n")
        os.utime(self.path("tool.py"), ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual(unchanged(), {"a.py": False, "b.py": True})
        self.write("tool.py", "N = 64\n")  # as it was
        self.assertEqual(unchanged(), {"a.py": True, "b.py": True})
        os.remove(self.path("tool.py"))  # the same text in another place
        self.write("tool/__init__.py", "N = 64\n")
        self.assertFalse(unchanged()["a.py"])
        self.write("tilewright.toml", 'arch = "sm_80"\n')
        self.assertEqual(unchanged(), {"a.py": False, "b.py": False})


class Reports(Workspace):
    def setUp(self):
        super().setUp()
        self.write("good.py", ADD.format(by=1))
        self.write("wrong.py", ADD.format(by=2))
        self.write("bad,ü.py", BROKEN.format(by=1))

    def test_all_of_them(self):
        r = self.expect(1, "--test", "--on", "sim", "--report", "sarif=out.sarif", "--report", "junit=out.xml",
                        "--report", "github", "--report", "json=out.json")
        lines = r.out.splitlines()
        self.assertTrue(any(re.match(r"::error file=bad%2Cü\.py,line=10,endLine=10,col=14,title=TW\d{4}::", x) for x in lines), lines)
        self.assertTrue(any(x.startswith("::error file=wrong.py,title=test-failed::add: ") for x in lines), lines)
        self.assertFalse(any("good.py" in x for x in lines))

        (run,) = self.load("out.sarif")["runs"]
        found = {(x["ruleId"][:2], x["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) for x in run["results"]}
        self.assertEqual(found, {("TW", "bad%2C%C3%BC.py"), ("te", "wrong.py")})
        self.assertIn("test-failed", [rule["id"] for rule in run["tool"]["driver"]["rules"]])

        root = ElementTree.parse(self.path("out.xml")).getroot()
        suites = {s.get("name"): s for s in root}
        self.assertEqual(suites["test wrong.py"].find("testcase/failure").get("type"), "test")
        self.assertIsNone(suites["test good.py"].find("testcase/failure"))
        self.assertIsNotNone(suites["compile bad,ü.py"].find("testcase/failure"))
        self.assertEqual(int(root.get("tests")), len(list(root.iter("testcase"))))
        self.assertEqual(int(root.get("failures")), len(list(root.iter("failure"))))

        found = self.fits(self.load("out.json"))
        self.assertEqual(found["status"], 1)
        self.assertEqual({t["file"]: t["status"] for t in found["tests"]},
                         {"good.py": "passed", "wrong.py": "failed", "bad,ü.py": "failed"})
        for test in found["tests"]:
            self.assertEqual(schema.check(test["run"], "run"), [])

    def test_a_report_that_cannot_be_written(self):
        r = self.expect(2, "good.py", "--report", "sarif=/nowhere/x.sarif")
        self.assertIn("/nowhere/x.sarif", r.errors)

    def test_a_server_that_fails_is_in_the_reports(self):
        self.expect(2, "--server", "unix:" + self.path("none.sock"), "--retries", "0", "--report", "sarif=out.sarif",
                    "--report", "json=out.json")
        (run,) = self.load("out.sarif")["runs"]
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        self.assertIn("cannot connect", self.fits(self.load("out.json"))["failures"][0]["message"])


class Tests(Workspace):
    def test_entries_with_references_are_tests(self):
        self.write("right.py", ADD.format(by=1))
        self.write("bare.py", BARE.format(by=1))
        r = self.expect(0, "--on", "sim", "--json")
        statuses = {(t["file"], t["entry"]): t["status"] for t in self.fits(r.json)["tests"]}
        self.assertEqual(statuses[("right.py", "add")], "passed")
        self.assertEqual(statuses[("bare.py", "add")], "ignored")
        self.assertIn("1 passed, 0 failed, 2 without expected values", r.errors)

    def test_on_a_worker(self):
        self.write("right.py", ADD.format(by=1))
        self.write("wrong.py", ADD.format(by=2))
        r = self.expect(1, "--on", f"exec:{BINARY} worker --stdio --on sim", "--json", "--report", "junit=out.xml")
        tests = {t["file"]: t for t in self.fits(r.json)["tests"]}
        self.assertEqual((tests["right.py"]["status"], tests["wrong.py"]["status"]), ("passed", "failed"))
        for test in tests.values():
            self.assertTrue(test["where"])
        root = ElementTree.parse(self.path("out.xml")).getroot()
        self.assertEqual([s.get("failures") for s in root if s.get("name").startswith("test ")], ["0", "1"])

    def test_nothing_to_run_on(self):
        self.write("a.py", ADD.format(by=1))
        r = self.expect(2, "--on", "exec:/nowhere/worker", "--retries", "0")
        self.assertIn("/nowhere/worker", r.errors)


class Servers(Workspace):
    def test_one_that_runs(self):
        self.write("a.py", ADD.format(by=1))
        token = self.write("token", "0123456789abcdef\n")
        os.chmod(token, 0o600)
        process, address = self.server("--token-file", token)
        self.expect(0, "--server", address, "--token-file", token)
        self.assertIn("unchanged", self.expect(0, "--server", address, "--token-file", token).errors)
        r = self.expect(2, "--server", address)
        self.assertIn("this server asks for a token", r.errors)
        self.assertNotIn("trying again", r.errors)  # an answer, no fault of the way

    def listening(self, *options, **env):
        """What a server that listens at a port or a socket says: its address, and the token that it made."""
        process = subprocess.Popen([BINARY, "serve", "--on", "sim", "--listen", *options], cwd=self.root, env={**self.env, **env},
                                   stderr=subprocess.PIPE)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stderr.close()))
        token = None
        while b"listening" not in (line := process.stderr.readline()):
            self.assertIn(b"show: ", line)
            token = line.decode().split("show: ")[1].split()[0]
        return line.decode().split()[-1], token

    def test_on_loopback(self):
        self.write("a.py", ADD.format(by=1))
        address, made = self.listening("127.0.0.1:0")
        token = self.write("token", made + "\n")
        os.chmod(token, 0o600)
        for server in (address, "tcp://" + address, f"tcp://{address}?token-file={token}"):
            self.expect(0, "--server", server, *(() if "?" in server else ("--token-file", token)))
        r = self.expect(2, "--server", address, "--retries", "0")
        self.assertIn("asks for a token", r.errors)
        os.chmod(self.write("wrong", "x" * 64 + "\n"), 0o600)
        r = self.expect(2, "--server", address, "--token-file", self.path("wrong"))
        self.assertIn("not the server's token", r.errors)
        self.assertNotIn("trying again", r.errors)

    def test_a_socket_of_this_users_own(self):
        self.write("a.py", ADD.format(by=1))
        run = self.path("run")
        os.mkdir(run, 0o700)
        address, made = self.listening("unix:", XDG_RUNTIME_DIR=run)
        self.assertEqual((address, made), (f"unix:{run}/tilewright-serve.sock", None))
        self.expect(0, "--server", "unix:", XDG_RUNTIME_DIR=run)
        self.assertIn("XDG_RUNTIME_DIR", self.expect(2, "--server", "unix:", XDG_RUNTIME_DIR="").errors)

    def test_where_tests_run(self):
        self.write("a.py", ADD.format(by=1))
        _, address = self.server()
        self.expect(0, "--server", address, "--on", "sim")
        r = self.expect(2, "--server", address, "--on", f"exec:{BINARY} worker --stdio", "--retries", "0")
        self.assertIn("clients say names alone", r.errors)

    def test_over_tls(self):
        make_certificates(self.root)
        self.write("a.py", ADD.format(by=1))
        at = self.path
        process = subprocess.Popen([BINARY, "serve", "--listen", "127.0.0.1:0", "--tls-cert", at("server.pem"), "--tls-key", at("server.key"),
                                    "--tls-ca", at("ca.pem"), "--on", "sim"], cwd=self.root, env=self.env, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stderr.close()))
        while b"listening" not in (line := process.stderr.readline()):
            pass
        address = line.decode().split()[-1]
        good = f"tls://{address}?ca={at('ca.pem')}&cert={at('client.pem')}&key={at('client.key')}"
        self.expect(0, "--server", good)
        for wrong in (good.replace("client.", "other."), f"tls://{address}", address):
            self.expect(2, "--server", wrong, "--retries", "0")

    def counting(self, faults, then):
        """A server that ends `faults` times before it serves; who counts the starts."""
        return self.program("flaky.sh", f"""#!/bin/sh
echo x >>{self.root}/starts
if [ $(wc -l <{self.root}/starts) -le {faults} ]; then {then}; fi
exec {BINARY} serve
""")

    def starts(self):
        with open(self.path("starts")) as f:
            return len(f.readlines())

    def test_faults_of_the_way_are_tried_again(self):
        self.write("a.py", ADD.format(by=1))
        flaky = self.counting(2, "echo gone >&2; exit 3")
        r = self.expect(0, "--server", "exec:" + flaky)
        self.assertEqual((self.starts(), r.errors.count("trying again")), (3, 2))
        os.remove(self.path("starts"))
        r = self.expect(2, "--server", "exec:" + self.counting(9, "exit 3"), "--retries", "1")
        self.assertEqual(self.starts(), 2)
        self.assertIn("3", r.errors)

    def test_answers_are_not_asked_for_again(self):
        self.write("a.py", BROKEN.format(by=1))
        self.expect(1, "--server", "exec:" + self.counting(0, "true"))
        self.assertEqual(self.starts(), 1)

    def test_a_server_that_dies_midway(self):
        self.write("a.py", ADD.format(by=1))
        # It answers the greeting and dies with the first request after it.
        self.program("dying.py", f"""#!/usr/bin/env python3
import json, os, sys
open({self.path('starts')!r}, "a").write("x\\n")
if len(open({self.path('starts')!r}).readlines()) > 1:
    os.execv({BINARY!r}, [{BINARY!r}, "serve"])
def read():
    length = 0
    while (line := sys.stdin.buffer.readline().strip()):
        length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length))
m = read()
body = json.dumps({{"jsonrpc": "2.0", "id": m["id"], "result": {{"displayName": "x", "version": "1", "bspVersion": "2.2.0", "capabilities": {{}}}}}}).encode()
sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
sys.stdout.buffer.flush()
read(); read()
""")
        r = self.expect(0, "--server", "exec:" + self.path("dying.py"))
        self.assertEqual((self.starts(), r.errors.count("trying again")), (2, 1))

    def test_a_server_that_talks_nonsense(self):
        self.write("a.py", ADD.format(by=1))
        for text in ("echo hello; cat >/dev/null", "printf 'Content-Length: 2\\r\\n\\r\\n[]'; cat >/dev/null",
                     r"""printf 'Content-Length: 58\r\n\r\n{"jsonrpc":"2.0","method":"build/taskStart","params":"odd"}'; cat >/dev/null"""):
            self.program("odd.sh", "#!/bin/sh\n" + text + " &\nsleep 1\n")
            self.expect(2, "--server", "exec:" + self.path("odd.sh"), "--retries", "0")

    def test_interrupted(self):
        self.write("endless.py", ENDLESS)
        process = subprocess.Popen([BINARY, "build", "--on", "sim"], cwd=self.root, env=self.env, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        children = lambda: [p for p in os.listdir("/proc") if p.isdigit() and parent(p) == process.pid]  # noqa: E731
        deadline = time.time() + 60
        while not (started := children()) and time.time() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted", errors)
        for pid in started:
            self.assertFalse(os.path.exists(f"/proc/{pid}"), "its server outlives it")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
