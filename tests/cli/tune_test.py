#!/usr/bin/env python3
"""tune_test.py TILEWRIGHT: `tilewright tune` on a GPU: a stand-in, tests/gpu/fake_driver.cpp, on which all kernels copy and take as long."""
import json
import os
import signal
import subprocess
import time

from case import BINARY, Case, main

from support.trust import trust

# FAULT: 1 does not compile, 2 races, 3 asks for more shared memory than there is.
SCRIPT = """\
from tvm.script import tirx as T

def plain(n, THREADS=1, FAULT=0):
    @T.prim_func
    def scalar(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for i in T.serial(n):
            B[i] = A[i]

    return scalar

{comment}
# tilewright: reference plain(...)
def make(n, THREADS=32, FAULT=0):
    @T.prim_func
    def kernel(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([THREADS])
        tile = T.alloc_shared((100000 if FAULT == 3 else 128,), "float32")
        for i in T.serial(n // THREADS):
            tile[t] = A[i * THREADS + t]
            if FAULT == 1:
                nothing(t)
            B[i * THREADS + t] = tile[(t + 1) % THREADS] if FAULT == 2 else tile[t]

    return kernel
"""
SPACE = "# tilewright: tune THREADS=32..128..32 FAULT=0..3 if 256 % THREADS == 0 and (FAULT == 0 or THREADS == 64)"


ORDER = """\
from tvm.script import tirx as T

@T.prim_func
def plain(A: T.Buffer((65536,), "float32"), B: T.Buffer((65536,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial(65536):
        B[i] = A[i]

# tilewright: reference plain
# tilewright: tune STEP=27,9,3,1
def make(STEP=1):
    @T.prim_func
    def kernel(A: T.Buffer((65536,), "float32"), B: T.Buffer((65536,), "float32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([256])
        for i in T.serial(256):
            B[(i * 256 + t) * STEP % 65536] = A[(i * 256 + t) * STEP % 65536]

    return kernel
"""


class Tuned(Case):
    def setUp(self):
        super().setUp()
        self.fake = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
        if not os.path.exists(self.fake):
            self.skipTest("TILEWRIGHT_FAKE_CUDA names no driver")
        self.script = self.file("k.py", SCRIPT.format(comment=SPACE))
        self.program = {"FAKE_CUDA_PROGRAM": self.file("program", "copy 1 0 1024\n")}
        self.whole = {"FAKE_CUDA_PROGRAM": self.file("whole", "copy 1 0 262144\n")}

    def tune(self, status, *options, script=None, program=None):
        return self.expect(status, "tune", script or self.script, "--on", "gpu", "--driver", self.fake, "--nvml", self.fake,
                           *options, env=program or self.program)

    def test_candidates_are_refused_for_what_they_are_and_the_rest_verified(self):
        record = self.fits(self.tune(0, "--entry", "make(256, *)", "--json").json, "tune")
        fates = {c["entry"]: (c["fate"], c["reason"]) for c in record["candidates"]}
        self.assertEqual(len(fates), 6)
        self.assertEqual(fates["make(256, THREADS=64, FAULT=1)"][0], "refused")
        self.assertRegex(fates["make(256, THREADS=64, FAULT=1)"][1], r"k.py:\d+: TW2\d+ .*nothing")
        self.assertEqual(fates["make(256, THREADS=64, FAULT=2)"][0], "hazard")
        self.assertRegex(fates["make(256, THREADS=64, FAULT=2)"][1], r"k.py:\d+: TW50\d\d ")
        self.assertEqual(fates["make(256, THREADS=64, FAULT=3)"][0], "refused")
        self.assertIn("TW4008", fates["make(256, THREADS=64, FAULT=3)"][1])
        right = [c for c in record["candidates"] if c["settings"]["FAULT"] == "0"]
        # All take as long on the stand-in: one is the best, and no difference is seen from the others.
        self.assertEqual(sorted(c["fate"] for c in right), ["best", "level", "level"])
        self.assertTrue(all(c["median_us"] > 0 and len(c["samples_us"]) >= 3 for c in right))
        self.assertEqual(record["best"], record["candidates"][0]["entry"])
        self.assertTrue(record["searched_for_races"])
        self.assertEqual(len(record["script_sha256"]), 64)
        self.assertTrue(all(len(c["cubin_sha256"]) == 64 and c["conditions"]["driver"] == "580.99" for c in right))
        self.assertFalse(record["script_changed"])

    def test_what_leaves_something_else_is_never_the_best(self):
        wrong = {"FAKE_CUDA_PROGRAM": self.file("program", "copy 1 0 512\n")}
        record = self.tune(1, "--entry", "make(256, *)", "--space", "THREADS=32,64", "--json", program=wrong).json
        self.assertEqual([c["fate"] for c in record["candidates"]], ["wrong", "wrong"])
        self.assertIsNone(record["best"])

    def test_text_and_record(self):
        out = self.path("record.json")
        done = self.tune(0, "--entry", "make(256, *)", "-o", out)
        self.assertIn("6 candidates on ", done.text)
        self.assertRegex(done.text, r"make\(256, THREADS=\d+, FAULT=0\) +[0-9.]+ us  best")
        self.assertIn("no difference seen from the best", done.text)
        with open(out) as f:
            self.fits(json.load(f), "tune")

    def test_the_model_says_the_order(self):
        """Candidates that read and write one element of a sector take longer by the model, and are measured later."""
        script = self.file("o.py", ORDER)
        record = self.fits(self.tune(0, "--entry", "make(*)", "--no-races", "--jobs", "1", "--json", script=script, program=self.whole).json, "tune")
        found = sorted(record["candidates"], key=lambda c: c["turn"])
        self.assertEqual([c["turn"] for c in found], [1, 2, 3, 4])
        modelled = [c["modelled_us"] for c in found]
        self.assertEqual(modelled, sorted(modelled))
        self.assertGreater(modelled[3], 1.2 * modelled[0])
        # The space has the slow ones first.
        self.assertEqual([c["settings"]["STEP"] for c in found][:2], ["1", "3"])

    def test_listed_settings(self):
        script = self.file("c.py", SCRIPT.format(comment="# tilewright: entry make(256, THREADS=64)\n"
                                                 "# tilewright: entry make(256, THREADS=32)"))
        record = self.tune(0, "--entry", "make", "--json", script=script).json
        self.assertEqual(sorted(c["entry"] for c in record["candidates"]), ["make(256, THREADS=32)", "make(256, THREADS=64)"])

    def test_a_small_size_for_the_search(self):
        record = self.tune(0, "--entry", "make(256, *)", "--small", "make(128, *)", "--space", "THREADS=32,64", "--json").json
        self.assertEqual([c["notes"] for c in record["candidates"]], [[], []])
        record = self.tune(0, "--entry", "make(256, *)", "--no-races", "--space", "THREADS=32", "--json").json
        self.assertFalse(record["searched_for_races"])

    def test_what_cannot_be_tuned_says_why(self):
        for options, why in (
            (["--entry", "nothing"], "has no `*` for the settings, and no entries"),
            (["--entry", "make(256, *)", "--space", "THREADS"], "'THREADS' is no NAME=VALUES"),
            (["--entry", "make(256, *)", "--space", "THREADS=1 if X"], "'X' is none of the space's names"),
            (["--entry", "make(256, *)", "--space", "THREADS=32 if THREADS > 64"], "no point of the space fulfils"),
            (["--entry", "make(256, *)", "--small", "make(64)"], "'make(64)' has no `*`"),
            (["--entry", "make", "--space", "THREADS=32"], "'make' has no `*` for the settings of --space"),
            (["--entry", "make(*, *)"], "'make(*, *)' has more than one `*`"),
        ):
            with self.subTest(options):
                self.assertIn(why, self.tune(2, *options).errors)
        unsaid = self.file("u.py", SCRIPT.format(comment=""))
        self.assertIn("nothing says which settings to try", self.tune(2, "--entry", "make(256, *)", script=unsaid).errors)
        silent = self.file("s.py", SCRIPT.format(comment="").replace("# tilewright: reference plain(...)", ""))
        self.assertIn("no candidate can be called right",
                      self.tune(2, "--entry", "make(256, *)", "--space", "THREADS=32", script=silent).errors)
        # A space is read before a device is asked for.
        r = self.expect(2, "tune", self.script, "--entry", "make(256, *)", "--space", "THREADS", "--driver", "libnone.so")
        self.assertIn("'THREADS' is no NAME=VALUES", r.errors)
        r = self.expect(2, "tune", self.script, "--entry", "make(256, *)", "--on", "sim")
        self.assertIn("the simulator does not tell how long a kernel takes", r.errors)
        self.assertEqual(r.text, "")

    def test_a_stopped_run_goes_on_from_its_record(self):
        out = self.path("r.json")
        options = ("--entry", "make(256, *)", "--space", "THREADS=32,64,128 FAULT=0,1 if FAULT == 0 or THREADS == 64", "--no-races",
                   "-o", out, "--jobs", "1")
        stuck = {"FAKE_CUDA_PROGRAM": self.file("stuck", "copy 1 0 1024\nfrom_launch 40 hang\n")}
        command = [BINARY, "tune", self.script, "--on", "gpu", "--driver", self.fake, "--nvml", self.fake, *options]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **stuck})
        for _ in range(600):
            if os.path.exists(out):
                break
            time.sleep(0.1)
        self.assertTrue(os.path.exists(out + ".lock"))
        # Meanwhile no other run writes it.
        self.assertIn("another run of tune writes", self.tune(2, *options).errors)
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertIn("--resume goes on from", errors.decode())
        self.assertFalse(os.path.exists(out + ".lock"))
        with open(out) as f:
            before = self.fits(json.load(f), "tune")
        self.assertTrue(before["stopped"])
        after = self.tune(0, *options, "--resume", "--json").json
        self.assertEqual(after["seeds"][:len(before["seeds"])], before["seeds"])
        self.assertEqual(sorted(c["fate"] for c in after["candidates"]), ["best", "level", "level", "refused"])
        # Whole, it is shown again, and nothing is measured.
        with open(out) as f:
            whole = f.read()
        log = self.path("log")
        again = self.expect(0, "tune", self.script, "--on", "gpu", "--driver", self.fake, "--nvml", self.fake, *options, "--resume",
                            env={**self.program, "FAKE_CUDA_LOG": log})
        self.assertIn("r.json was tuned to its end: nothing was measured", again.errors)
        self.assertRegex(again.text, r"make\(256, THREADS=\d+, FAULT=0\) +[0-9.]+ us  best\n")
        self.assertEqual(self.tune(0, *options, "--resume", "--json").json, json.loads(whole))
        with open(log) as f:
            self.assertNotIn("launch", f.read())
        with open(out) as f:
            self.assertEqual(f.read(), whole)
        # Of another script it is not taken.
        other = self.file("other.py", SCRIPT.format(comment=SPACE) + "\n# changed\n")
        self.assertIn("the record is of another text of the script", self.tune(2, *options, "--resume", script=other).errors)
        self.assertIn("the record is of other candidates",
                      self.tune(2, "--entry", "make(256, *)", "--space", "THREADS=32", "-o", out, "--resume").errors)
        with open(out) as f:
            whole = f.read()
        for text, why in (("{}", "no record of tune: 'entry' is missing"), ("[1", "no record of tune: from line 1 on it is no JSON"),
                          (whole[:len(whole) // 2], "it was cut off, or changed by hand"),
                          (whole.replace('"cuts":', '"cuts": "none", "more":', 1), "its type must be number, but is string")):
            with open(out, "w") as f:
                f.write(text)
            errors = self.tune(2, *options, "--resume").errors
            self.assertIn(why, errors)
            self.assertNotIn("json.exception", errors)
        self.assertIn("--resume goes on from a record, and none is named", self.tune(2, "--entry", "make(256, *)", "--resume").errors)

    def test_a_record_that_cannot_be_written_ends_it_at_once(self):
        r = self.tune(2, "--entry", "make(256, *)", "-o", self.path("no/such/folder.json"))
        self.assertIn("cannot write", r.errors)
        r = self.tune(2, "--entry", "make(256, *)", "-o", self.path(""))
        self.assertIn("it is a folder", r.errors)
        self.assertEqual(r.text, "")
        r = self.tune(2, "--entry", "make(256, *)", "--space", "THREADS=32", "-o", "/dev/full")
        self.assertIn("No space left", r.errors)

    def test_inputs_that_prove_nothing(self):
        """All zeros: a candidate that writes zeros would be right; candidates that are their own references, too."""
        zeros = self.tune(2, "--entry", "make(256, *)", "--space", "THREADS=32,64", "--no-races", "--input", "A=zeros")
        self.assertIn("all inputs are zeros, and so is all that make(256, THREADS=", zeros.errors)
        own = self.file("own.py", SCRIPT.format(comment="").replace("reference plain(...)", "reference make(...)"))
        self.assertIn("the reference of a candidate is the candidate itself",
                      self.tune(2, "--entry", "make(256, *)", "--space", "THREADS=32,64,128", "--no-races", script=own).errors)
        fixed = SCRIPT.format(comment="").replace("reference plain(...)", "reference make(256, 64)")
        record = self.tune(0, "--entry", "make(256, *)", "--space", "THREADS=32,64,128", "--no-races", "--json", script=self.file("fixed.py", fixed)).json
        self.assertEqual(sorted(c["fate"] for c in record["candidates"]), ["best", "level", "level"])

    def test_how_often_is_measured(self):
        record = self.tune(0, "--entry", "make(256, *)", "--space", "THREADS=32,64,128", "--no-races", "--json").json
        self.assertEqual(len(record["candidates"]), 3)
        self.assertEqual(len(record["seeds"]), 2)  # of the only round, and of the finals
        self.assertEqual(record["timed_launches"], 3 * 3 + 2 * 2 * 24)

    def test_a_pool_shares_the_rounds(self):
        worker = f"exec:{BINARY} worker --stdio --on gpu --driver {self.fake} --nvml {self.fake}"
        trust(BINARY, self.file("tilewright.toml", f'[remotes.one]\nat = "{worker}"\n[remotes.two]\nat = "{worker}"\n[pools]\nlab = ["one", "two"]\n'))
        log, out = self.path("log"), self.path("r.json")
        options = ("tune", self.script, "--on", "lab", "--entry", "make(256, *)", "--space", "THREADS=16,32,64,128", "--no-races", "-o", out, "--json")
        r = self.expect(0, *options, env={**self.program, "FAKE_CUDA_LOG": log})
        record = self.fits(r.json, "tune")
        self.assertEqual(sorted(c["fate"] for c in record["candidates"]), ["best", "level", "level", "level"])
        self.assertEqual(len(record["seeds"]), 2)
        self.assertEqual(record["timed_launches"], 4 * 3 + 3 * 2 * 24)
        # A record goes on on it, and elsewhere.
        self.assertEqual(self.expect(0, *options, "--resume", env=self.program).json["seeds"][:1], record["seeds"][:1])
        self.assertEqual(self.tune(0, *options[4:-1], "--resume", "--json").json["seeds"][:1], record["seeds"][:1])

    def test_exhaustive(self):
        record = self.tune(0, "--entry", "make(256, *)", "--space", "THREADS=32,64,128", "--no-races", "--exhaustive", "--json").json
        self.assertEqual(record["timed_launches"], 3 * 40 + 2 * 2 * 24)


if __name__ == "__main__":
    main()
