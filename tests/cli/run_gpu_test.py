#!/usr/bin/env python3
"""run_gpu_test.py TILEWRIGHT: `tilewright run` on a GPU: a stand-in, tests/gpu/fake_driver.cpp."""
import os
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree

from case import BINARY, Case, main, npy
from scripts import COPY, STAGED, TURNS

BLACKWELL = """\
from tvm.script import tirx as T

@T.prim_func
def one(A: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    address = T.alloc_shared((1,), "uint32")
    T.ptx.tcgen05.alloc(T.address_of(address), n_cols=32, cta_group=1)
    A[tid] = 1.0
    T.ptx.tcgen05.dealloc(address[0], n_cols=32, cta_group=1)

@T.prim_func
def two(A: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    address = T.alloc_shared((1,), "uint32")
    T.ptx.tcgen05.alloc(T.address_of(address), n_cols=32, cta_group=1)
    A[tid] = 2.0
    T.ptx.tcgen05.dealloc(address[0], n_cols=32, cta_group=1)
"""
MADE = """\
from tvm.script import tirx as T

def plain(n):
    @T.prim_func
    def scalar(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (n,), "float32")
        B = T.match_buffer(B_ptr, (n,), "float32")
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for i in T.serial(n):
            B[i] = A[i]

    return scalar

# tilewright: entry make(4)
# tilewright: entry make(8)
# tilewright: reference plain(...)
def make(n):
    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (n,), "float32")
        B = T.match_buffer(B_ptr, (n,), "float32")
        T.device_entry()
        T.cta_id([1])
        i = T.thread_id([n])
        B[i] = A[i]

    return kernel
"""


class Gpu(Case):
    """`run` on a driver of our own making: a machine without a GPU sees everything but the GPU."""

    def setUp(self):
        super().setUp()
        self.fake = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
        if not os.path.exists(self.fake):
            self.skipTest("TILEWRIGHT_FAKE_CUDA names no driver")
        self.script = self.file("copy.py", COPY)

    def run_gpu(self, program, *options, script=None):
        cubin = self.file("kernel.cubin", "kernel kernel_kernel\n" + program)
        nvml = [] if "--nvml" in options else ["--nvml", self.fake]
        return self.run_it("run", script or self.script, "--on", "gpu", "--driver", self.fake, *nvml, "--cubin", cubin,
                           *options)

    def report(self, status, program, *options):
        r = self.run_gpu(program, "--set", "n=100", "--json", *options)
        self.assertEqual(r.status, status, r)
        self.fits(r.json, "run")
        return r.json

    def test_without_a_gpu(self):
        r = self.expect(2, "run", self.script, "--on", "gpu", "--driver", self.path("libnone.so"))
        self.assertIn("there is no GPU to run on", r.errors)
        self.assertIn("run this on a machine with an NVIDIA GPU", r.errors)

    def test_why_nothing_ran_is_json_too(self):
        r = self.expect(2, "run", self.script, "--on", "gpu", "--driver", self.path("libnone.so"), "--json")
        self.fits(r.json, "run")
        self.assertEqual(r.json["status"], "no_device")
        self.assertIn("there is no GPU to run on", r.json["error"])
        self.assertIn("there is no GPU to run on", r.errors)
        for status, word, options in (
            (2, "refused", ["--set", "n"]),
            (2, "refused", ["--set", "n=4", "--input", "A=" + self.path("gone.npy")]),
            (2, "refused", ["--set", "n=1000000", "--memory-limit", "0.001"]),
            (1, "errors", ["--set", "n=4", "--entry", "nothing"]),
        ):
            with self.subTest(options[-1]):
                r = self.run_gpu("copy 1 0 16\n", "--json", *options)
                self.assertEqual(r.status, status, r)
                self.fits(r.json, "run")
                self.assertEqual(r.json["status"], word)

    def test_a_build_may_require_all_tests(self):
        """What the device cannot run is skipped by `build --test`, and fails with --require-all."""
        self.file("all/tilewright.toml", "")
        self.file("all/needs.py", BLACKWELL)
        os.makedirs(self.path("driver"))
        os.symlink(self.fake, self.path("driver/libcuda.so.1"))
        driver = {"LD_LIBRARY_PATH": self.path("driver")}
        r = self.run_it("build", self.path("all"), "--test", "--on", "gpu", env=driver)
        self.assertIn("2 tests: 0 passed, 0 failed, 2 skipped", r.text + r.errors)
        r = self.run_it("build", self.path("all"), "--test", "--on", "gpu", "--require-all", env=driver)
        self.assertIn("two: needs sm_100a", r.text + r.errors)
        self.assertIn("2 tests: 0 passed, 2 failed", r.text + r.errors)
        self.assertNotEqual(r.status, 0)

    def test_entries_of_another_architecture_are_skipped(self):
        """The stand-in for the driver is a Hopper: what needs Blackwell is one line and no failure."""
        self.file("all/needs.py", BLACKWELL)
        self.file("all/says.py", "# tilewright: arch sm_100a\n" + BLACKWELL)
        gpu = ["run", self.path("all"), "--entry", "all", "--on", "gpu", "--driver", self.fake, "--nvml", self.fake]
        r = self.expect(0, *gpu)
        self.assertEqual(len([line for line in r.text.split("\n") if ": skipped: needs sm_100a" in line]), 4, r.text)
        self.assertIn("says.py  one: skipped: needs sm_100a, as its comment says; the device has sm_90a", r.text)
        self.assertRegex(r.text, r"needs.py  one: skipped: needs sm_100a, from tcgen05.alloc in line \d+; the device has sm_90a")
        self.assertIn("4 entries: 4 skipped", r.text)
        self.assertNotIn("TW", r.text + r.errors)
        done = self.fits(self.expect(0, *gpu, "--format", "json").json, "run")
        self.assertEqual([x["status"] for x in done["runs"]], ["skipped"] * 4)
        self.assertEqual(done["summary"], {"skipped": 4})
        root = ElementTree.fromstring(self.expect(0, *gpu, "--format", "junit").out)
        self.assertEqual([s.text[:13] for s in root.iter("skipped")], ["needs sm_100a"] * 4)
        self.assertIn("4 skipped", self.expect(1, *gpu, "--require-all").text)
        self.assertEqual(len(ElementTree.fromstring(self.expect(1, *gpu, "--require-all", "--format", "junit").out).findall(".//error")), 4)
        r = self.expect(2, "run", self.path("all/says.py"), "--entry", "one", "--on", "gpu", "--driver", self.fake, "--nvml", self.fake)
        self.assertIn("needs sm_100a", r.errors)
        # One that is wrong everywhere stays wrong, and its errors are shown once for all of its entries.
        wrong = self.file("wrong.py", BLACKWELL.replace("n_cols=32", "n_cols=nothing"))
        r = self.expect(1, "run", wrong, "--entry", "all", "--on", "gpu", "--driver", self.fake, "--nvml", self.fake)
        self.assertNotIn("skipped", r.text)
        self.assertEqual(r.errors.count("TW2002"), 2, r.errors)  # one a kernel

    def test_kernels_in_turn(self):
        script = self.file("turns.py", TURNS)
        first = self.file("first.cubin", "kernel first_kernel\ncopy 1 0 16\n")
        second = self.file("second.cubin", "kernel second_kernel\ncopy 1 0 16\n")
        cubins = ["--cubin", first, "--cubin", second]
        # As the comment says, as one entry, and as two.
        for entries in ([], ["--entry", "first then second"], ["--entry", "first", "--entry", "second"]):
            with self.subTest(entries):
                r = self.run_it("run", script, "--on", "gpu", "--driver", self.fake, *cubins, "--json", *entries)
                self.assertEqual(r.status, 0, r)
                self.fits(r.json, "run")
                self.assertEqual(r.json["kernel"], "first then second")
                self.assertEqual([t["role"] for t in r.json["tensors"]], ["input", "output", "output"])
                self.assertEqual([x["grid"][0] for x in r.json["launches"]], [1, 2])
                self.assertEqual(r.json["tensors"][2]["comparison"]["mismatches"], 0)
                self.assertEqual(r.json["tensors"][0]["sha256"], r.json["tensors"][2]["sha256"])
        r = self.run_it("run", script, "--on", "gpu", "--driver", self.fake, *cubins)
        self.assertEqual(r.text.count("launch   grid"), 2)
        r = self.run_it("run", script, "--on", "gpu", "--driver", self.fake, "--cubin", first)
        self.assertEqual(r.status, 2)
        self.assertIn("1 compiled kernels are given for 2", r.errors)
        r = self.run_it("run", script, "--on", "gpu", "--driver", self.fake, "--entry", "first then third")
        self.assertNotEqual(r.status, 0)

    def test_usage(self):
        self.expect(2, "run", self.script)
        self.expect(2, "run", self.script, "--on", "moon")
        for options, words in (
            ([], "symbolic extent `n` has no value: give it with --set n=128"),
            (["--set", "n"], "write NAME=VALUE"),
            (["--set", "n=many"], "many is no number"),
            (["--set", "n=4", "--input", "Z=" + self.file("z.npy", npy("<f4", (4,), bytes(16)))], "has no tensor Z"),
            (["--input", "A=" + self.path("gone.npy")], "cannot read"),
            (["--input", "A=" + self.file("bad.npy", "no array")], "not a .npy file"),
            (["--input", "A=" + self.file("f2.npy", npy("<f2", (4,), bytes(8)))], "it holds float16, float32 is wanted"),
            (["--set", "n=8", "--input", "A=" + self.file("a.npy", npy("<f4", (4,), bytes(16)))], "`n` is 8, but tensor A has 4"),
            (["--set", "n=4", "--entry", "nothing"], "nothing"),
            (["--set", "n=4", "--device", "3"], "there is no device 3"),
        ):
            with self.subTest(words):
                r = self.run_gpu("copy 1 0 16\n", *options)
                self.assertNotEqual(r.status, 0, r)
                self.assertIn(words, r.errors)

    def test_verified_by_the_reference_kernel(self):
        report = self.report(0, "copy 1 0 400\n")
        self.assertEqual(report["verdict"], "verified")
        self.assertEqual(report["launch"]["grid"], [2, 1, 1])
        self.assertEqual(report["arch"], "sm_90a")
        b = report["tensors"][1]
        self.assertEqual(b["comparison"]["expected_from"], "reference plain on the host")
        self.assertEqual((b["role"], b["comparison"]["elements"], b["bytes_unwritten"]), ("output", 100, 0))
        self.assertEqual(len(report["timing"]["launches"]), 10)
        self.assertEqual(report["timing"]["median_us"], 250)
        again = self.report(0, "copy 1 0 400\n")
        self.assertEqual(again["tensors"][1]["sha256"], b["sha256"])
        other = self.report(0, "copy 1 0 400\n", "--seed", "2")
        self.assertNotEqual(other["tensors"][1]["sha256"], b["sha256"])

    def test_times(self):
        timing = self.report(0, "copy 1 0 400\ntakes 100 2\n")["timing"]
        self.assertEqual((len(timing["hot"]["launches"]), timing["stable"], timing["checked_rounds"]), (10, True, 21))
        self.assertEqual(timing["changed_inputs"], 1)
        self.assertLessEqual(100, timing["p20_us"])
        self.assertLessEqual(timing["p20_us"], timing["p80_us"])
        # 800 bytes in about 101 us; the pretended copy moves a byte in a nanosecond, and each of 400 twice.
        self.assertEqual((timing["bytes"], timing["copy"]["bytes"]), (800, 400))
        self.assertAlmostEqual(timing["copy"]["fraction"], 0.4 / timing["median_us"], places=6)
        self.assertIsNone(timing["against"])
        conditions = timing["conditions"]
        self.assertEqual((conditions["driver"], conditions["sm_limit_mhz"], conditions["memory_mhz"]), ("580.99", 1980, 3201))
        self.assertEqual((conditions["celsius"], conditions["watts"], conditions["throttled"]), ([35, 41], 321.5, False))
        text = self.run_gpu("copy 1 0 400\ntakes 100 2\n", "--set", "n=100").text
        self.assertRegex(text, r"time     10\d\.\d\d us, median of 10 \(10\d\.\d\d to 10\d\.\d\d\), L2 emptied")
        self.assertIn("not throttled, driver 580.99", text)

    def test_times_that_are_worth_little(self):
        report = self.report(0, "copy 1 0 400\ntakes 100 90\n")
        self.assertFalse(report["timing"]["stable"])
        self.assertIn("the times scatter or drift", " ".join(report["notes"]))
        os.environ["FAKE_NVML"] = "0x24"
        self.addCleanup(os.environ.pop, "FAKE_NVML")
        report = self.report(0, "copy 1 0 400\n")
        self.assertEqual(report["timing"]["conditions"]["reasons"], ["power limit", "temperature"])
        self.assertIn("slowed down while it was measured: power limit, temperature", " ".join(report["notes"]))
        os.environ["FAKE_NVML"] = "none"
        self.assertIn("does not start: Driver Not Loaded", self.report(0, "copy 1 0 400\n")["timing"]["conditions"]["absent"])
        self.assertIn("there is no libnone.so", self.report(0, "copy 1 0 400\n", "--nvml", "libnone.so")["timing"]["conditions"]["absent"])

    def test_results_are_looked_at_again_after_timing(self):
        report = self.report(1, "copy 1 0 400\nfrom_launch 20 poke 1 3 77\n")
        self.assertIn("after timed launches 1 of 100 elements of B are not as expected", " ".join(report["problems"]))

    def test_a_kernel_that_keeps_something_is_no_fast_kernel(self):
        for program in ("copy 1 0 400\nfrom_load 4 poke 1 3 77\n", "from_load 3 unless_same 1 8 1\ncopy 1 0 400\n",
                        "from_load 3 same_pointer 1 1\ncopy 1 0 400\n"):
            with self.subTest(program):
                report = self.report(1, program)
                self.assertRegex(" ".join(report["problems"]), r"a timed launch left \d+ of 100 elements of B otherwise than the same "
                                 r"kernel loaded again; the first, \[\d+\], is .*whatever ran before")
        report = self.report(1, "copy 1 0 400\nbeyond 3000\n")
        self.assertRegex(" ".join(report["problems"]), r"the device worked for \d+ us after the end of a launch")
        self.assertGreater(report["timing"]["beyond_us"], 2500)

    def test_inputs_that_were_given_stay_and_that_is_said(self):
        text = self.run_gpu("copy 1 0 400\n", "--set", "n=100").text
        self.assertIn("checked  21 of these launches, with other contents of 1 tensor in each", text)
        text = self.run_gpu("copy 1 0 400\n", "--set", "n=100", "--input", "A=arange").text
        self.assertIn("checked  21 of these launches, with the same inputs in each", text)

    def test_lines_that_persist_are_said(self):
        os.environ["FAKE_CUDA_PERSISTING"] = "1048576"
        self.addCleanup(os.environ.pop, "FAKE_CUDA_PERSISTING")
        self.assertIn("1048576 bytes of L2 are set aside for accesses that persist", " ".join(self.report(0, "copy 1 0 400\n")["notes"]))

    def test_two_compiled_forms(self):
        def against(program, other, *options):
            cubin = self.file("other.cubin", "kernel kernel_kernel\n" + other)
            return self.run_gpu(program, "--set", "n=100", "--against", cubin, *options)
        r = against("copy 1 0 400\ntakes 100 3\n", "copy 1 0 400\ntakes 110 3\n", "--json")
        self.fits(r.json, "run")
        found = r.json["timing"]["against"]
        self.assertEqual(len(found["cold"]["launches"]), 30)
        self.assertTrue(found["compared_cold"]["significant"])
        self.assertLess(1.07, found["compared_cold"]["interval"][0])
        self.assertLess(found["compared_cold"]["interval"][1], 1.13)
        r = against("copy 1 0 400\ntakes 110 3\n", "copy 1 0 400\ntakes 100 3\n")
        self.assertRegex(r.text, r"L2 emptied: \S*other.cubin is faster: kernel takes (9|10)\.\d % longer")
        r = against("copy 1 0 400\ntakes 100 9\n", "copy 1 0 400\ntakes 100 9\n")
        self.assertIn("no difference seen", r.text)
        r = against("copy 1 0 400\n", "copy 1 0 400\n", "--repeat", "3")
        self.assertIn("too few rounds to compare", r.text)
        # One that is fast and wrong is not compared in silence.
        r = against("copy 1 0 400\n", "copy 1 0 200\ntakes 10 0\n")
        self.assertEqual(r.status, 1)
        self.assertIn("other.cubin: 50 of 100 elements of B are not as expected", r.text)
        self.assertIn("does not measure times", self.run_it("run", self.script, "--on", "sim", "--set", "n=4", "--against", "plain").errors)

    def test_wrong_values(self):
        report = self.report(1, "copy 1 0 396\n")
        self.assertEqual(report["verdict"], "failed")
        self.assertEqual(report["tensors"][1]["bytes_unwritten"], 4)
        self.assertEqual(report["tensors"][1]["comparison"]["first"]["element"], 99)
        self.assertIsNone(report["tensors"][1]["comparison"]["first"]["got"])  # poison is NaN
        r = self.run_gpu("copy 1 0 396\n", "--set", "n=100")
        self.assertEqual(r.status, 1)
        self.assertIn("1 of 100 elements of B are not as expected", r.text)
        self.assertIn("[99]", r.text)

    def test_tolerances(self):
        x = self.file("x.npy", npy("<f4", (1,), bytes.fromhex("0000803f")))
        near = self.file("near.npy", npy("<f4", (1,), bytes.fromhex("0001803f")))
        options = ["--input", "A=" + x, "--expect", "B=" + near]
        self.assertEqual(self.run_gpu("copy 1 0 4\n", *options).status, 1)
        self.assertEqual(self.run_gpu("copy 1 0 4\n", *options, "--rtol", "1e-3").status, 0)
        self.assertEqual(self.run_gpu("copy 1 0 4\n", *options, "--rtol", "-1").status, 2)

    def test_stray_writes_and_changed_inputs(self):
        report = self.report(1, "copy 1 0 400\npoke 1 404 7\npoke 0 3 1\n")
        words = " ".join(report["problems"])
        self.assertIn("1 bytes were written outside of B, the first 4 bytes after its end", words)
        self.assertIn("1 bytes of A changed, which is only read", words)

    def test_faults_and_deadlines(self):
        report = self.report(1, "fault 700\n")
        self.assertEqual((report["status"], report["error"]), ("fault", "CUDA_ERROR_ILLEGAL_ADDRESS"))
        report = self.report(1, "hang\n", "--deadline", "1")
        self.assertEqual(report["status"], "timeout")
        report = self.report(1, "crash\n")
        self.assertEqual(report["status"], "lost")
        report = self.report(1, "refuse 1\n")
        self.assertEqual(report["status"], "not_launched")

    def test_a_fault_is_led_back_to_its_line(self):
        stray = COPY.replace("if i < n:\n        B[i]", "if i < n:\n        B[i + n]")
        r = self.run_gpu("fault 700\n", "--set", "n=100", "--json", script=self.file("stray.py", stray))
        self.assertEqual(r.status, 1)
        self.fits(r.json, "run")
        line = stray[:stray.index("B[i + n]")].count("\n") + 1
        self.assertEqual(r.json["fault"]["range"]["start"]["line"], line)

    def test_arrays_in_and_out(self):
        data = bytes(range(16))
        a = self.file("a.npy", npy("<f4", (4,), data))
        r = self.run_gpu("copy 1 0 16\n", "--input", "A=" + a, "-o", self.path("out"), "--repeat", "0")
        self.assertEqual(r.status, 0, r)
        with open(self.path("out/B.npy"), "rb") as f:
            self.assertEqual(f.read()[-16:], data)
        expected = self.file("b.npy", npy("<f4", (4,), data))
        r = self.run_gpu("copy 1 0 16\n", "--input", "A=" + a, "--expect", "B=" + expected, "--json")
        self.assertEqual(r.json["tensors"][1]["comparison"]["expected_from"], expected)
        self.assertEqual(r.json["verdict"], "verified")

    def test_a_reference_of_the_entrys_arguments(self):
        script = self.file("made.py", MADE)
        for n in (4, 8):
            r = self.run_gpu(f"copy 1 0 {4 * n}\n", "--entry", f"make({n})", "--json", script=script)
            self.assertEqual((r.status, r.json["verdict"]), (0, "verified"), r)
            self.assertEqual(r.json["tensors"][1]["comparison"]["expected_from"], f"reference plain({n}) on the host")
        # The factory of what is expected needs no entry, and none is asked for.
        r = self.expect(0, "check", script)
        self.assertNotIn("needs arguments", r.text + r.errors)
        self.assertNotIn("plain", self.expect(0, "entries", script).text)

    def test_nothing_to_compare_with(self):
        script = self.file("alone.py", COPY.replace("# tilewright: reference plain\n", ""))
        r = self.run_gpu("copy 1 0 400\n", "--set", "n=100", "--entry", "kernel", "--json", script=script)
        self.assertEqual(r.status, 0, r)
        self.assertEqual(r.json["verdict"], "unverified")
        self.assertIn("# tilewright: reference EXPR", r.json["notes"][0])

    def test_what_the_kernel_prints(self):
        self.assertIn("seven\n", self.report(0, "copy 1 0 400\nprint seven\n")["printed"])

    def batch(self, status, program, *options, devices="2", scripts=6):
        """Compiled kernels of several scripts, of which each does on the device what the program says."""
        if self.run_it("doctor").status != 0:
            self.skipTest("no NVRTC on this machine")
        for i in range(scripts):
            self.file(f"kernels/{i}.py", STAGED.replace("def staged", f"def staged{i}"))
        environment = {"FAKE_CUDA_DEVICES": devices, "FAKE_CUDA_PROGRAM": self.file("program", program)}
        r = self.run_it("run", "kernels", "--entry", "all", "--on", "gpu", "--driver", self.fake, "--nvml", self.fake, *options,
                        env=environment)
        self.assertEqual(r.status, status, r)
        return r

    def test_batches_take_every_device(self):
        answer = self.fits(self.batch(0, "copy 1 0 8192\n", "--json").json, "run")
        self.assertEqual(answer["summary"], {"verified": 6})
        self.assertLessEqual({x["where"] for x in answer["runs"]}, {"gpu 0", "gpu 1"})
        answer = self.fits(self.batch(0, "copy 1 0 8192\n", "--json", "--device", "1").json, "run")
        self.assertEqual({x["where"] for x in answer["runs"]}, {"gpu 1"})
        r = self.batch(0, "copy 1 0 8192\ntakes 100 0\n")
        row = next(line.split() for line in r.text.splitlines() if line.startswith("  staged5"))
        self.assertEqual((row[1], row[3:6], row[-1]), ("gpu", ["verified", "100.00", "us"], "0"))
        self.assertIn("of copy", r.text)
        self.assertIn("there is no device 7", self.batch(2, "", "--device", "7").errors)

    def test_batches_go_on_without_a_device(self):
        r = self.batch(0, "copy 1 0 8192\n", "--json", "--device", "0,7", "--jobs", "4", scripts=12)
        self.assertEqual({x["where"] for x in r.json["runs"]}, {"gpu 0"})

    def test_what_a_kernel_breaks_costs_its_run(self):
        for program, status, words, attempt in (("fault 700\n", "fault", "CUDA_ERROR_ILLEGAL_ADDRESS", 1),
                                                ("crash\n", "lost", "tried 3 times", 3),
                                                ("hang\n", "timeout", "", 1)):
            with self.subTest(program):
                deadline = "0.5" if status == "timeout" else "60"
                answer = self.fits(self.batch(1, program, "--json", "--deadline", deadline, scripts=3).json, "run")
                self.assertEqual([x["status"] for x in answer["runs"]], [status] * 3)
                self.assertEqual([x["attempt"] for x in answer["runs"]], [attempt] * 3)
                for x in answer["runs"]:
                    self.assertIn(words, x["error"] + " ".join(x["problems"]))
                self.assertNotIn("stopped", answer)

    def test_interrupted(self):
        cubin = self.file("kernel.cubin", "kernel kernel_kernel\nhang\n")
        log = self.path("log")
        command = [BINARY, "run", self.script, "--on", "gpu", "--driver", self.fake, "--cubin", cubin, "--set", "n=100"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=dict(os.environ, FAKE_CUDA_LOG=log)) as p:
            for _ in range(600):  # until the kernel runs
                if os.path.exists(log):
                    with open(log, encoding="utf-8") as f:
                        if "launch" in f.read():
                            break
                time.sleep(0.05)
            p.send_signal(signal.SIGINT)
            _, errors = p.communicate(timeout=60)
        self.assertEqual(p.returncode, 130)
        self.assertIn(b"interrupted", errors)


if __name__ == "__main__":
    main()
