#!/usr/bin/env python3
"""baseline_test.py TILEWRIGHT [COUNT]: `tilewright build --baseline`. Kernels that really became worse, each in one way, are found and
nothing else is; kernels that did not change raise no alarm in COUNT builds (default 5), whose times scatter as on a GPU. Up to five of
them, each second planted kernel is built.

Counts come from NVIDIA's compiler and disassembler, times from a pretended GPU (TILEWRIGHT_FAKE_CUDA) whose launches take
as long as a file says.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from support import release  # noqa: E402,F401
from support import schema  # noqa: E402

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 5
FAKE = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")

SCRIPT = """from tvm.script import tirx as T


@T.prim_func
def work(A: T.Buffer(({n},), "float32"), B: T.Buffer(({n},), "float32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([64])
    part = T.alloc_buffer(({shared},), "float32", scope="shared")
    kept = T.alloc_buffer(({live},), "float32", scope="local")
    for j in T.unroll({live}):
        kept[j] = A[j * 64 + i]
    part[i] = kept[0]
    T.cuda.cta_sync()
    for r in T.serial(3):
        for j in T.unroll({live}):
            kept[j] = kept[j] * part[(i + j) % 64] + kept[(j + 1) % {live}]
    for j in T.unroll({live}):
        B[j * 64 + i] = kept[j]
    for j in T.unroll({more}):
        B[i] = B[i] * T.float32(j + 2) + part[(i * 7 + j) % 64]
"""
COPY = """from tvm.script import tirx as T


# tilewright: reference plain()
# tilewright: run copy repeat=21
@T.prim_func
def copy(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([64])
    B[i] = A[i]


def plain():
    @T.prim_func
    def scalar(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for i in T.serial(64):
            B[i] = A[i]

    return scalar
"""
LIVE, SHARED, MORE = 16, 64, 4


class Case(unittest.TestCase):
    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="tilewright-baseline-"))
        self.addCleanup(shutil.rmtree, self.root)

    def write(self, name, text):
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as f:
            f.write(text)

    def kernel(self, name, live=LIVE, shared=SHARED, more=MORE):
        self.write(name, SCRIPT.format(n=64 * max(live, LIVE), live=live, shared=shared, more=more))

    def build(self, *words, **env):
        done = subprocess.run([BINARY, "build", *words], cwd=self.root, capture_output=True, text=True, timeout=600,
                              env={**os.environ, "XDG_CACHE_HOME": os.path.join(self.root, ".store"), **env})
        return done

    def expect(self, status, *words, **env):
        done = self.build(*words, **env)
        self.assertEqual(done.returncode, status, (words, done.stdout[-3000:], done.stderr[-3000:]))
        return done

    def changes(self, done, kind="worse"):
        found = json.loads(done.stdout)
        self.assertEqual(schema.check(found, "build"), [])
        return {(c["script"], c["cost"]) for c in found["baseline"] if c["kind"] == kind}


class Counts(Case):
    # What is planted, and the cost that shows it. One more of each is enough.
    PLANTED = ([("registers", {"live": LIVE + n}) for n in (4, 8, 16, 32, 64)]
               + [("spills", {"live": n}) for n in (260, 280, 300, 320)]
               + [("shared", {"shared": SHARED + n}) for n in (1, 4, 64, 4096)]
               + [("instructions", {"more": MORE + n}) for n in (1, 2, 4, 8)])[::1 if COUNT > 5 else 2]

    def test_planted_regressions_are_found(self):
        for i in range(len(self.PLANTED)):
            self.kernel(f"k{i}.py")
        self.kernel("same.py")
        self.expect(0, "--write-baseline", "baseline.json")
        self.assertEqual(self.changes(self.expect(0, "--baseline", "baseline.json", "--json")), set())
        for i, (_, how) in enumerate(self.PLANTED):
            self.kernel(f"k{i}.py", **how)
        done = self.expect(1, "--baseline", "baseline.json", "--json", "--report", "junit=out.xml", "--report", "sarif=out.sarif")
        found = self.changes(done)
        for i, (cost, _) in enumerate(self.PLANTED):
            self.assertIn((f"k{i}.py", cost), found)
        self.assertNotIn("same.py", {script for script, _ in found})
        with open(os.path.join(self.root, "out.sarif"), encoding="utf-8") as f:
            results = json.load(f)["runs"][0]["results"]
        self.assertEqual(len([r for r in results if r.get("ruleId") == "regression"]), len(found))
        # So much was let pass.
        every = [w for cost in ("registers", "spills", "shared", "instructions") for w in ("--noise", f"{cost}=1000000")]
        found = self.changes(self.expect(1, "--baseline", "baseline.json", "--json", *every))
        self.assertEqual({cost for _, cost in found}, {"spills"})  # from none to some is no percentage

    def test_one_more_is_enough_and_less_is_said(self):
        self.kernel("k.py", shared=128)
        self.expect(0, "--write-baseline", "baseline.json")
        self.kernel("k.py", shared=64)
        self.assertEqual(self.changes(self.expect(0, "--baseline", "baseline.json", "--json"), "better"), {("k.py", "shared")})
        self.kernel("new.py")
        os.remove(os.path.join(self.root, "k.py"))
        kinds = {(c["script"], c["kind"]) for c in json.loads(self.expect(0, "--baseline", "baseline.json", "--json").stdout)["baseline"]}
        self.assertEqual(kinds, {("new.py", "new"), ("k.py", "gone")})

    def test_files_that_are_no_baseline(self):
        self.kernel("k.py")
        for text in ("", "{}", "[1]", '{"format": "tilewright-baseline", "version": 2}', '{"format": "tilewright-baseline", "version": 1}',
                     '{"format": "tilewright-baseline", "version": 1, "made_by": "x", "runs": [], "kernels": [{"script": 1}]}'):
            self.write("odd.json", text)
            self.assertIn("odd.json: it is", self.expect(2, "--baseline", "odd.json").stderr)

    def test_a_script_with_errors_is_left_out_of_a_baseline(self):
        self.write("bad.py", COPY.replace("A[i]", "Q[i]", 1))
        self.assertIn("was not written", self.expect(1, "--write-baseline", "baseline.json").stderr)
        self.assertFalse(os.path.exists(os.path.join(self.root, "baseline.json")))
        self.kernel("good.py")
        self.assertIn("bad.py has errors and is not in baseline.json", self.expect(1, "--write-baseline", "baseline.json").stderr)
        with open(os.path.join(self.root, "baseline.json"), encoding="utf-8") as f:
            self.assertEqual([k["script"] for k in json.load(f)["kernels"]], ["good.py"])
        # Nor are its kernels gone where the baseline has them.
        with open(os.path.join(self.root, "good.py"), encoding="utf-8") as f:
            wrong = f.read().replace("T.device_entry", "T.device_enty", 1)
        self.write("good.py", wrong)
        changes = json.loads(self.expect(1, "--baseline", "baseline.json", "--json").stdout)["baseline"]
        self.assertEqual([(c["kind"], c["message"]) for c in changes if c["script"] == "good.py"], [("not_compared", "its script has errors")])

    def test_only_what_was_asked_for_is_compared(self):
        self.kernel("one.py")
        self.kernel("two.py")
        self.expect(0, "--write-baseline", "baseline.json")
        done = self.expect(0, "one.py", "--baseline", "baseline.json", "--json")
        self.assertEqual(json.loads(done.stdout)["baseline"], [])
        self.assertEqual(json.loads(self.expect(0, "one.py", "--arch", "sm_80", "--baseline", "baseline.json", "--json").stdout)["baseline"][0]["kind"], "new")

    def test_a_regression_stands_at_the_definition(self):
        self.kernel("k.py")
        self.expect(0, "--write-baseline", "baseline.json")
        self.kernel("k.py", shared=SHARED + 64)
        done = self.expect(1, "--baseline", "baseline.json", "--report", "sarif")
        region = json.loads(done.stdout)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
        line = SCRIPT.splitlines().index('def work(A: T.Buffer(({n},), "float32"), B: T.Buffer(({n},), "float32")):') + 1
        self.assertEqual((region["startLine"], region["startColumn"], region["endColumn"]), (line, 5, 9))


@unittest.skipUnless(os.path.exists(FAKE), "TILEWRIGHT_FAKE_CUDA names no driver")
class Times(Case):
    def setUp(self):
        super().setUp()
        self.write("copy.py", COPY)

    def measured(self, status, takes, *words):
        self.write("program", f"copy 1 0 256\ntakes {takes}\n")
        worker = f"exec:{BINARY} worker --stdio --on gpu --driver {FAKE} --nvml {FAKE}"
        return self.expect(status, "copy.py", "--on", worker, *words, FAKE_CUDA_PROGRAM=os.path.join(self.root, "program"))

    def test_slower_kernels_are_found(self):
        self.measured(0, "200 10", "--write-baseline", "baseline.json")
        for takes in ("230 10", "260 20", "400 40"):
            done = self.measured(1, takes, "--baseline", "baseline.json", "--json")
            self.assertEqual(self.changes(done), {("copy.py", "time")})
        self.assertEqual(self.changes(self.measured(0, "100 5", "--baseline", "baseline.json", "--json"), "better"), {("copy.py", "time")})
        self.assertEqual(self.changes(self.measured(0, "230 10", "--baseline", "baseline.json", "--json", "--noise", "time=40%")), set())

    def test_times_that_scatter_raise_no_alarm(self):
        self.measured(0, "200 40", "--write-baseline", "baseline.json")
        for _ in range(COUNT):
            self.assertEqual(self.changes(self.measured(0, "200 40", "--baseline", "baseline.json", "--json")), set())

    def test_a_record_of_tune_is_a_baseline(self):
        self.write("program", "copy 1 0 256\ntakes 200 10\n")
        done = subprocess.run([BINARY, "tune", "copy.py", "--entry", "copy", "--on", "gpu", "--driver", FAKE, "--nvml", FAKE, "-o", "tuned.json"],
                              cwd=self.root, capture_output=True, text=True, timeout=600,
                              env={**os.environ, "FAKE_CUDA_PROGRAM": os.path.join(self.root, "program")})
        self.assertEqual(done.returncode, 0, done.stderr)
        entry = ("--entry", "copy")
        self.assertEqual(self.changes(self.measured(0, "200 10", *entry, "--baseline", "tuned.json", "--json")), set())
        self.assertEqual(self.changes(self.measured(1, "400 40", *entry, "--baseline", "tuned.json", "--json")), {("copy.py", "time")})
        with open(os.path.join(self.root, "copy.py"), "a", encoding="utf-8") as f:
            f.write("# changed\n")
        self.assertIn("copy.py has another text than the one that was tuned", self.measured(2, "200 10", "--baseline", "tuned.json").stderr)

    def test_other_devices_are_not_compared(self):
        self.measured(0, "200 10", "--write-baseline", "baseline.json")
        path = os.path.join(self.root, "baseline.json")
        with open(path, encoding="utf-8") as f:
            baseline = json.load(f)
        self.assertEqual(len(baseline["runs"]), 1, baseline["runs"])
        for run in baseline["runs"]:
            run["device"] = "another"
        with open(path, "w", encoding="utf-8") as f:
            json.dump(baseline, f)
        done = self.measured(0, "400 10", "--baseline", "baseline.json")
        self.assertIn("the baseline is of another", done.stdout)
        # Nor where nothing runs, or where it runs on the simulator; both are said.
        self.assertNotIn("times", self.expect(0, "copy.py", "--baseline", "baseline.json").stdout)
        self.assertIn("nothing measured it", self.expect(0, "copy.py", "--on", "sim", "--baseline", "baseline.json").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
