#!/usr/bin/env python3
"""run_samples_test.py TILEWRIGHT: `tilewright run --on gpu --profile`, on stand-ins for the driver and for CUPTI.

The kernels are compiled by NVRTC; what the stand-in for CUPTI finds at their instructions is given here."""
import os
import re

from case import BINARY, Case, main

COPY = """\
from tvm.script import tirx as T


@T.inline
def put(B, t, v):
    B[t] = v * T.float32(2)


# tilewright: reference none
@T.prim_func
def kernel(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([256])
    s = T.alloc_shared((256,), "float32")
    s[t] = A[t]
    T.cuda.cta_sync()
    put(B, t, s[255 - t])
"""
TILE = """\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def kernel(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    s = T.alloc_shared((64, 64), "float32")
    Tx.cta.copy(s[0:64, 0:64], A[0:64, 0:64])
    T.cuda.cta_sync()
    Tx.cta.copy(B[0:64, 0:64], s[0:64, 0:64])
"""


class Samples(Case):
    def setUp(self):
        super().setUp()
        self.fake = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
        self.cupti = self.fake.replace("libfake_cuda", "libfake_cupti")
        if not os.path.exists(self.cupti):
            self.skipTest("TILEWRIGHT_FAKE_CUDA names no driver with a CUPTI beside it")
        self.program = self.file("program", "poke 1 0 0\n")

    def instructions(self, script):
        """Offset, line of the script (or None) and text of each instruction, as `--emit sass` has them."""
        r = self.run_it("compile", script, "--emit", "sass", "--arch", "sm_90a")
        if r.status != 0 or "/*0000*/" not in r.text:
            self.skipTest("no NVRTC or no nvdisasm here: " + r.errors[:200])
        out, line = [], None
        for text in r.text.splitlines():
            found = re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+([^;]*);(?:.*?// \S+?:(\d+))?", text)
            if found:
                line = int(found[3]) if found[3] else line
                out.append((int(found[1], 16), line, found[2].strip()))
        return out

    def sample(self, script, found, *options, status=0):
        where = self.file("found", "".join(f"{line}\n" for line in found))
        return self.run_it("run", script, "--on", "gpu", "--driver", self.fake, "--nvml", self.fake, "--cupti", self.cupti, "--repeat", "1",
                           "--profile", *options, env={"FAKE_CUPTI": where, "FAKE_CUDA_PROGRAM": self.program})

    def answer(self, script, found, *options):
        r = self.sample(script, found, "--json", *options)
        self.assertIn("samples", r.json, r)
        self.fits(r.json, "run")
        return r.json["samples"]

    def test_samples_are_at_lines_of_the_script(self):
        script = self.file("k.py", COPY)
        all_ = self.instructions(script)
        load = next(i for i in all_ if "LDG" in i[2])
        store = next(i for i in all_ if "STG" in i[2])
        barrier = next(i for i in all_ if "BAR" in i[2])
        answer = self.answer(script, [
            f"kernel_kernel {load[0]:x} long_scoreboard 700", f"kernel_kernel {load[0]:x} wait 20", f"kernel_kernel {barrier[0]:x} barrier 200",
            f"kernel_kernel {store[0]:x} selected 60", "kernel_kernel ffff0 wait 20", "another 10 wait 5", "elsewhere 40", "dropped 3"])
        self.assertEqual((answer["samples"], answer["attributed"]), (1000, 980))
        self.assertEqual((answer["taken"], answer["dropped"], answer["elsewhere"], answer["period"]), (1048, 3, 45, 4096))
        self.assertEqual([(l["line"], l["samples"]) for l in answer["lines"]], [(16, 720), (17, 200), (6, 60)])
        first = answer["lines"][0]
        self.assertEqual(first["text"].strip(), "s[t] = A[t]")
        self.assertEqual([(w["reason"], w["samples"]) for w in first["waits"]], [("long_scoreboard", 700), ("wait", 20)])
        self.assertIn("data from global or local memory", first["waits"][0]["words"])
        self.assertEqual([(i["offset"], i["samples"]) for i in first["instructions"]], [(load[0], 720)])
        self.assertEqual(first["instructions"][0]["sass"], load[2])
        self.assertEqual([[r["start"]["line"] for r in l["callers"]] for l in answer["lines"]], [[], [], [18]])

    def test_tile_calls_are_named_with_their_variant(self):
        script = self.file("k.py", TILE)
        called = {c["range"]["start"]["line"]: c for k in self.expect(0, "explain", script, "--arch", "sm_90a", "--json").json["kernels"]
                  for c in k["calls"]}
        at = next(i for i in self.instructions(script) if "LDG" in i[2] or "LDGSTS" in i[2])
        (line,) = self.answer(script, [f"kernel_kernel {at[0]:x} long_scoreboard 9"])["lines"]
        self.assertEqual((line["primitive"], line["variant"]), ("copy", called[line["line"]]["variant"]))

    def test_text_says_what_the_waits_mean(self):
        script = self.file("k.py", COPY)
        load = next(i for i in self.instructions(script) if "LDG" in i[2])
        out = self.sample(script, [f"kernel_kernel {load[0]:x} long_scoreboard 700", f"kernel_kernel {load[0]:x} of_a_later_gpu 300"]).text
        self.assertIn("samples  counted by the GPU: 1,000 of its warps", out)
        self.assertRegex(out, r"16 +100\.0 % +- +long_scoreboard 70 %, of_a_later_gpu 30 %")
        self.assertIn("100.0 % of the samples are at a line of the script", out)
        self.assertIn("start the loads earlier", out)

    def test_why_there_are_none(self):
        script = self.file("k.py", COPY)
        self.instructions(script)
        for found, said in (("refuse enable 35", "NVreg_RestrictProfilingToAdminUsers=1"), ("refuse start 26", "another profiler"),
                            ("refuse set 7", "cuptiPCSamplingSetConfigurationAttribute failed: CUPTI_ERROR_INVALID_OPERATION"),
                            ("refuse data 9", "cuptiPCSamplingGetData failed")):
            with self.subTest(found):
                answer = self.answer(script, [found])
                self.assertIsNone(answer["counted_by"])
                self.assertIn(said, answer["absent"])
        gone = self.run_it("run", script, "--on", "gpu", "--driver", self.fake, "--nvml", self.fake, "--cupti", self.path("none.so"), "--profile",
                           "--repeat", "1", env={"FAKE_CUDA_PROGRAM": self.program})
        self.assertIn("there is no CUPTI", gone.text)
        self.assertIn("none.so", gone.text)
        self.assertIn("samples  not available: the driver keeps profiling for administrators", self.sample(script, ["refuse enable 35"]).text)
        none = self.sample(script, []).text
        self.assertIn("the kernel ended before any was taken", none)

    def test_a_worker_samples_its_gpu(self):
        script = self.file("k.py", COPY)
        load = next(i for i in self.instructions(script) if "LDG" in i[2])
        found = [f"kernel_kernel {load[0]:x} long_scoreboard 700", f"kernel_kernel {load[0]:x} wait 20", "elsewhere 3"]
        here = self.answer(script, found)
        worker = f"exec:{BINARY} worker --stdio --on gpu --driver {self.fake} --nvml {self.fake} --cupti {self.cupti}"
        r = self.run_it("run", script, "--on", worker, "--repeat", "1", "--profile", "--json",
                        env={"FAKE_CUPTI": self.path("found"), "FAKE_CUDA_PROGRAM": self.program})
        there = self.fits(r.json, "run")["samples"]
        for run in (here, there):
            for clock in ("seconds", "rounds"):
                del run[clock]
        self.assertEqual(here, there)
        simulator = self.run_it("run", script, "--on", f"exec:{BINARY} worker --stdio --on sim", "--profile")
        self.assertIn("or samples a GPU", simulator.errors)

    def test_only_of_the_scripts_own_compilation(self):
        script = self.file("k.py", COPY)
        cubin = self.file("k.cubin", "kernel kernel_kernel\n")
        self.assertIn("leave out --cubin", self.sample(script, [], "--cubin", cubin).errors)

    def test_a_run_without_it_takes_none(self):
        script = self.file("k.py", COPY)
        r = self.run_it("run", script, "--on", "gpu", "--driver", self.fake, "--nvml", self.fake, "--repeat", "1", "--json",
                        env={"FAKE_CUDA_PROGRAM": self.program})
        if "samples" in (r.json or {}):
            self.fail(r.json["samples"])


if __name__ == "__main__":
    main()
