#!/usr/bin/env python3
"""run_batch_test.py TILEWRIGHT: `tilewright run` over folders: reports, devices, remotes, interrupts."""
import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree

from case import BINARY, Case, main
from scripts import CONFIGS, STAGED

# The elements of jenkins-junit.xsd, with their attributes and what stands in them, in order.
JUNIT = {
    "testsuites": ({"name", "time", "tests", "failures", "disabled", "errors"}, ["testsuite"]),
    "testsuite": ({"name", "tests", "failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id", "package"},
                  ["properties", "testcase", "system-out", "system-err"]),
    "testcase": ({"name", "assertions", "time", "classname", "status"}, ["skipped", "error", "failure", "system-out", "system-err"]),
    "failure": ({"type", "message"}, []), "error": ({"type", "message"}, []),
    "skipped": (set(), []), "system-out": (set(), []), "system-err": (set(), []),
}
SEVERAL = {"testsuite", "testcase", "error", "failure"}


class Batch(Case):
    """`run --entry all` of files and folders."""

    def setUp(self):
        super().setUp()
        unordered = STAGED.replace("    T.ptx.cp_async.wait_group(0)\n", "")
        self.file("kernels/a.py", STAGED)
        self.file("kernels/b.py", STAGED.split("# tilewright")[0])
        self.file("kernels/sub/b.py", unordered)
        self.file("kernels/sub/c.py", STAGED.replace("B[:, :], smem", "B[:, :], smen"))
        self.file("kernels/d.py", "from tvm.script import tirx as T\ndef f(:\n")
        self.file("kernels/e.py", "import tvm\nX = 1\n")
        self.file("kernels/f.py", STAGED.replace("    Tx.cta.copy(B", '    T.cuda.printf("%d\\n", tx)\n    Tx.cta.copy(B'))
        self.verdicts = [("kernels/a.py", "staged", "verified"), ("kernels/b.py", "plain", "unverified"),
                         ("kernels/d.py", "", "errors"), ("kernels/f.py", "staged", "verified"),
                         ("kernels/sub/b.py", "staged", "failed"), ("kernels/sub/c.py", "staged", "errors")]

    def batch(self, status, *options, paths=("kernels",)):
        return self.expect(status, "run", *paths, "--entry", "all", "--on", "sim", *options)

    def junit(self, status, *options, **more):
        root = ElementTree.fromstring(self.batch(status, "--format", "junit", *options, **more).out)
        self.assertEqual(root.tag, "testsuites")
        for element in root.iter():
            attributes, children = JUNIT[element.tag]
            self.assertLessEqual(set(element.keys()), attributes, element.tag)
            tags = [child.tag for child in element]
            self.assertEqual(tags, sorted(tags, key=children.index), element.tag)
            for tag in set(tags) - SEVERAL:
                self.assertEqual(tags.count(tag), 1, tag)
        for element in [root, *root.iter("testsuite")]:
            for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                if element.tag == "testsuites" and name == "skipped":
                    continue
                self.assertEqual(element.get(name), str(len(list(element.iter(tag)))), name)
        return root

    def test_json(self):
        for jobs in ("1", "2", "7"):
            with self.subTest(jobs):
                answer = self.fits(self.batch(1, "--json", "--jobs", jobs).json, "run")
                self.assertEqual([(x["file"], x["entry"], x.get("verdict", x["status"])) for x in answer["runs"]], self.verdicts)
                self.assertEqual(answer["summary"], {"verified": 2, "unverified": 1, "errors": 2, "failed": 1})
                self.assertEqual([x["where"] for x in answer["runs"]], ["sim", "sim", "", "sim", "sim", ""])
                self.assertEqual([x["attempt"] for x in answer["runs"]], [1, 1, 0, 1, 1, 0])
                self.assertNotIn("stopped", answer)

    def test_text(self):
        r = self.batch(1)
        for line in ("kernels/a.py\n", "kernels/sub/b.py  staged: failed\n", "1 script has nothing to run\n"):
            self.assertIn(line, r.text)
        self.assertTrue(r.text.endswith("6 entries: 2 errors, 1 failed, 1 unverified, 2 verified\n"), r)
        self.assertNotIn("  as expected", r.text)  # of those that went well only a line of the table
        self.assertEqual(r.text.count("on simulator"), 1)
        self.assertEqual(self.batch(1, "--verbose").text.count("on simulator"), 4)
        self.assertIn("c.py:21:26: error[TW2002]", r.errors)
        self.assertNotIn("\x1b", r.text + r.errors)
        self.assertEqual([self.batch(1, "--jobs", jobs).out for jobs in ("1", "5")], [r.out, r.out])
        rows = [line.split() for line in r.text.splitlines() if line.startswith("  plain") or line.startswith("  staged")]
        self.assertIn(["staged", "sim", "verified", "0"], rows)
        self.assertIn(["plain", "sim", "unverified"], rows)

    def test_the_table_is_narrow(self):
        long = "make(%s)" % ", ".join(["1"] * 60)
        text = "from tvm.script import tirx as T\n# tilewright: entry " + long + """
# tilewright: entry make(7)
def make(*sizes):
    @T.prim_func
    def kernel(A: T.Buffer((32,), "float32")):
        T.device_entry()
        t = T.thread_id([32])
        A[t] = 1.0
    return kernel
"""
        r = self.batch(0, paths=[self.file("long.py", text)])
        table = r.text[r.text.index("  where"):].splitlines()
        rows = [line for line in r.text.splitlines() if line.startswith("make(")]
        self.assertEqual(len(rows), 2, r)
        self.assertLessEqual(max(map(len, table + rows)), 100)
        self.assertIn("…", r.text)
        self.assertIn(long + " ", self.batch(0, "--verbose", paths=[self.path("long.py")]).text)

    def test_junit(self):
        root = self.junit(1)
        cases = {(c.get("classname"), c.get("name")): c for c in root.iter("testcase")}
        self.assertEqual(list(cases), [(f, e or f) for f, e, _ in self.verdicts])
        self.assertEqual([s.get("name") for s in root.iter("testsuite")],
                         ["kernels/a.py", "kernels/b.py", "kernels/d.py", "kernels/f.py", "kernels/sub/b.py", "kernels/sub/c.py"])
        failure = cases["kernels/sub/b.py", "staged"].find("failure")
        self.assertIn("kernels/sub/b.py:20: thread 0 reads `smem[0, 0:8]`", failure.get("message"))
        self.assertIn("TW5021", failure.text)
        self.assertIn("nothing says", cases["kernels/b.py", "plain"].find("skipped").text)
        self.assertIn("kernels/d.py:2: the script has errors", cases["kernels/d.py", "kernels/d.py"].find("error").get("message"))
        self.assertIn("TW2002", cases["kernels/sub/c.py", "staged"].find("error").text)
        self.assertEqual(cases["kernels/f.py", "staged"].find("system-out").text.split(), [str(i) for i in range(128)])
        self.assertEqual(len(cases["kernels/a.py", "staged"]), 0)

    def test_what_cannot_be_judged_is_an_error(self):
        root = self.junit(1, "--steps", "1000", paths=[self.file("slow.py", STAGED)])
        self.assertEqual(root.find(".//error").get("type"), "incomplete")

    def test_what_cannot_be_read_costs_itself(self):
        paths = ["kernels/a.py", "kernels/b.py", "gone.py", self.file("bytes.py", b"\xff\xfe\x00")]
        answer = self.fits(self.batch(2, "--json", paths=paths).json, "run")
        self.assertEqual([(x["file"], x.get("verdict", x["status"])) for x in answer["runs"]],
                         [("kernels/a.py", "verified"), ("kernels/b.py", "unverified"), (paths[3], "errors"), ("gone.py", "refused")])
        self.assertEqual(len(list(self.junit(2, paths=paths).iter("error"))), 2)
        self.assertIn("cannot read gone.py", self.batch(2, paths=paths).errors)

    def test_fail_fast(self):
        answer = self.fits(self.batch(1, "--json", "--fail-fast", "--jobs", "1").json, "run")
        self.assertEqual([x["file"] for x in answer["runs"]], ["kernels/a.py", "kernels/b.py", "kernels/d.py"])
        self.assertEqual(answer["stopped"], "fail_fast")
        self.assertEqual([x["file"] for x in answer["not_run"]],
                         ["kernels/e.py", "kernels/f.py", "kernels/sub/b.py", "kernels/sub/c.py"])
        self.assertIn("not run:\n  kernels/e.py\n", self.batch(1, "--fail-fast", "--jobs", "1").text)
        skipped = self.junit(1, "--fail-fast", "--jobs", "1").findall(".//skipped")
        self.assertEqual([s.text for s in skipped][1:], ["not run: fail_fast"] * 4)

    def test_outputs(self):
        twice = STAGED.replace("# tilewright: reference plain\n",
                               "# tilewright: run staged reference=plain A=arange\n# tilewright: run staged reference=plain A=ones\n")
        self.file("twice.py", twice)
        self.batch(0, "-o", "out", paths=["twice.py", "kernels/f.py"])
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["kernels", "twice.staged", "twice.staged-2"])
        self.assertEqual(os.listdir(self.path("out/kernels/f.staged")), ["B.npy"])
        with open(self.path("out/twice.staged/B.npy"), "rb") as one, open(self.path("out/twice.staged-2/B.npy"), "rb") as two:
            self.assertNotEqual(one.read(), two.read())
        self.batch(0, "-o", "alone", paths=["kernels/f.py"])
        self.assertEqual(os.listdir(self.path("alone")), ["f.staged"])

    def test_what_makes_no_sense(self):
        for words, *arguments in (
            ("--cubin, --trace and --profile are for one entry", "kernels", "--entry", "all", "--trace", "t.json"),
            ("speak of one script", "kernels", "--entry", "all", "--watch", "A[0]@3"),
            ("is a folder", "kernels"),
            ("several scripts", "kernels/a.py", "kernels/f.py", "--entry", "staged"),
            ("for many entries", "kernels/f.py", "--format", "junit"),
            ("one entry runs on one device", "kernels/f.py", "--device", "0,1"),
            ("standard input is one script", "kernels/f.py", "-", "--entry", "all"),
            ("has no kernel to run", "kernels/e.py", "--entry", "all"),
        ):
            with self.subTest(words):
                self.assertIn(words, self.expect(2, "run", *arguments, "--on", "sim").errors)
        os.mkdir(self.path("empty"))
        r = self.expect(2, "run", "empty", "--entry", "all", "--on", "sim", "--json")
        self.assertEqual(self.fits(r.json, "run")["status"], "refused")

    def test_kernels_without_a_name(self):
        """What a factory makes beside its answer is no entry; a script that has nothing else says what is missing."""
        text = CONFIGS.replace("    return kernel", "    @T.prim_func\n    def beside(A: T.Buffer((n,), \"float32\")):\n"
                               "        T.device_entry()\n        t = T.thread_id([n])\n        A[t] = 2.0\n    return kernel")
        answer = self.fits(self.batch(0, "--json", paths=[self.file("beside.py", text)]).json, "run")
        self.assertEqual([x["entry"] for x in answer["runs"]], ["get_kernel(**CONFIGS[0])", "get_kernel(**CONFIGS[1])"])
        r = self.batch(2, paths=[self.file("unnamed.py", text.split("CONFIGS")[0] + "get_kernel(32)\n")])
        self.assertIn("keeps its kernels under no name", r.errors)

    def test_standard_input(self):
        r = self.expect(0, "run", "-", "--entry", "all", "--on", "sim", "--json", stdin=STAGED)
        self.assertEqual([x["verdict"] for x in self.fits(r.json, "run")["runs"]], ["verified"])

    def test_interrupted(self):
        """What is there is told, and what was not run; the status is that of an interrupt."""
        endless = STAGED.replace("    T.device_entry()\n    tx = T.thread_id([128])\n    smem",
                                 "    T.device_entry()\n    cta = T.cta_id([100000])\n    tx = T.thread_id([128])\n    smem")
        self.file("long/a.py", STAGED)
        self.file("long/b.py", endless)
        self.file("long/c.py", STAGED)
        for form in ("text", "json", "junit"):
            with self.subTest(form), subprocess.Popen(
                    [BINARY, "run", "long", "--entry", "all", "--on", "sim", "--jobs", "1", "--format", form, "-o", self.path(form)],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder) as p:
                while not os.path.exists(self.path(form + "/long/a.staged/B.npy")):
                    time.sleep(0.02)
                p.send_signal(signal.SIGINT)
                out, errors = p.communicate(timeout=60)
                self.assertEqual(p.returncode, 130)
                self.assertIn(b"interrupted", errors)
                if form == "text":
                    self.assertIn(b"not run:\n  long/b.py", out)
                    self.assertTrue(out.endswith(b"1 verified\n"), out)
                elif form == "json":
                    answer = self.fits(json.loads(out), "run")
                    self.assertEqual((answer["stopped"], [x["file"] for x in answer["not_run"]]), ("interrupted", ["long/b.py", "long/c.py"]))
                else:
                    self.assertEqual(len(ElementTree.fromstring(out).findall(".//skipped")), 2)

    def elsewhere(self, options=""):
        """Settings with a remote of two slots that is this binary, and its command line."""
        command = f"{BINARY} worker --stdio --on sim {options}".split()
        self.file("tilewright.toml", f'[remotes.two]\nat = "exec:{" ".join(command)}"\nslots = 2\n'
                                     '[remotes.gone]\nat = "exec:false"\n[pools]\nall = ["gone", "two"]\n')
        self.expect(0, "trust", "--yes")
        return command

    def test_on_a_remote(self):
        self.elsewhere()
        here = self.fits(self.batch(1, "--json").json, "run")
        there = self.fits(self.expect(1, "run", "kernels", "--entry", "all", "--on", "two", "--json").json, "run")
        self.assertEqual(there["summary"], here["summary"])
        for one, other in zip(here["runs"], there["runs"]):
            self.assertEqual([t.get("sha256") for t in one.get("tensors", [])], [t.get("sha256") for t in other.get("tensors", [])])
            self.assertEqual(one.get("findings"), other.get("findings"))
            self.assertIn(other["where"], ("two 0", "two 1", ""))
        r = self.expect(1, "run", "kernels", "--entry", "all", "--on", "all")
        self.assertIn("left out: gone", r.errors)
        self.assertTrue(r.text.endswith("6 entries: 2 errors, 1 failed, 1 unverified, 2 verified\n"), r)
        r = self.expect(2, "run", "kernels", "--entry", "all", "--on", "gone", "--json")
        self.assertEqual(self.fits(r.json, "run")["status"], "no_device")

    def test_a_killed_worker_costs_no_run(self):
        command = self.elsewhere("--queue 4321")
        for i in range(60):
            self.file(f"many/{i:02d}.py", STAGED)

        def workers():
            found = []
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/cmdline", "rb") as f:
                        if f.read().decode("utf-8", "replace").split("\0")[:-1] == command:
                            found.append(int(pid))
                except OSError:
                    pass
            return found

        def has_answered(pid):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/io", encoding="ascii") as f:
                return "wchar: 0\n" not in f.read()
            return False
        arguments = [BINARY, "run", "many", "--entry", "all", "--on", "two", "--json", "--schedules", "100"]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder) as p:
            killed = set()
            while len(killed) < 2 and p.poll() is None:
                for pid in filter(has_answered, set(workers()) - killed):
                    time.sleep(0.8)  # so that it has begun its work
                    try:
                        os.kill(pid, signal.SIGKILL)
                        killed.add(pid)
                    except ProcessLookupError:
                        pass
                time.sleep(0.05)
            out, errors = p.communicate(timeout=100)
        self.assertEqual(p.returncode, 0, errors)
        self.assertGreaterEqual(len(killed), 2)  # of workers, and of the processes that they keep for jobs
        answer = self.fits(json.loads(out), "run")
        self.assertEqual([x["file"] for x in answer["runs"]], [f"many/{i:02d}.py" for i in range(60)])
        self.assertEqual(answer["summary"], {"verified": 60})

    def test_progress_is_for_terminals(self):
        """One line that is gone in the end, and nothing of it elsewhere."""
        master, terminal = pty.openpty()
        with subprocess.Popen([BINARY, "run", "kernels", "--entry", "all", "--on", "sim", "--schedules", "200"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=terminal, env=dict(os.environ, NO_COLOR="1")) as p:
            os.close(terminal)
            seen = b""
            try:
                while piece := os.read(master, 65536):
                    seen += piece
            except OSError:
                pass
            out = p.stdout.read()
        os.close(master)
        self.assertRegex(seen.decode(), r"\r\x1b\[K\d+ of \d+ runs( \(\d of 7 scripts\))?")
        self.assertNotIn(b"runs", out)
        for line in re.findall(r"\r\x1b\[K(\d+ of [^\r\n]*)", seen.decode()):
            self.assertLess(len(line), 80)


if __name__ == "__main__":
    main()
