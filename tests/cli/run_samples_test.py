#!/usr/bin/env python3
"""run_samples_test.py TILEWRIGHT: `tilewright run --on gpu --profile`, on stand-ins for the driver and for CUPTI.

The kernels are compiled by NVRTC; what the stand-in for CUPTI finds at their instructions is given here."""
import os
import re
import sys

from case import BINARY, Case, main

from support import schema
from support.language_server import Client

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

    def ncu(self, written, first=""):
        """A stand-in for Nsight Compute's program: runs what it is given to its end, then writes that."""
        program = self.file("ncu", f"""#!{sys.executable}
import subprocess, sys
with open({self.path("ncu.words")!r}, "w") as f:
    print(*sys.argv[1:], file=f)
at = next(i for i, w in enumerate(sys.argv) if w.startswith("/proc/"))
{first or "pass"}
subprocess.run(sys.argv[at:], pass_fds=[3], check=True)
sys.stdout.write(open({self.file("ncu.csv", written)!r}).read())
""")
        os.chmod(program, 0o755)
        return program

    def by_ncu(self, script, written, first="", on=None):
        gpu = f"--driver {self.fake} --nvml {self.fake} --cupti {self.ncu(written, first)}"
        where = ["--on", f"exec:{BINARY} worker --stdio --on gpu {gpu}"] if on == "worker" else ["--on", "gpu", *gpu.split()]
        r = self.run_it("run", script, *where, "--repeat", "1", "--profile", "--json", env={"FAKE_CUDA_PROGRAM": self.program})
        self.assertIn("samples", r.json or {}, r)
        return self.fits(r.json, "run")["samples"]

    def test_ncu_samples_where_there_is_no_cupti(self):
        script = self.file("k.py", COPY)
        all_ = self.instructions(script)
        load, barrier = (next(i[0] for i in all_ if word in i[2]) for word in ("LDG", "BAR"))
        # As ncu 2025.3 writes it, of a kernel of another name and of ours.
        head = '"Address","Source","Warp Stall Sampling (All Samples)","# Samples","stall_barrier","stall_long_sb","stall_wait","stall_long_sb (Not Issued)"\n'
        rows = "".join(f'"0x{0x7fc6177ac200 + at:x}","      {name}  ""x"", c[0x0][0x28]","{a + b + c}","{a + b + c}","{a}","{b}","{c}","{b}"\n'
                       for at, name, a, b, c in ((load, "LDG", 0, 700, 20), (barrier, "BAR", 200, 0, 0), (0, "LDC", 0, 0, 0)))
        first = f'"0x{0x7fc6177ac200:x}","      S2R","0","0","0","0","0","0"\n'
        table = "==PROF== Connected to process 7\n" + '"Kernel Name","another",\n' + head + first + '"Kernel Name","kernel_kernel",\n' + head + first + rows
        for on in (None, "worker"):
            with self.subTest(on):
                answer = self.by_ncu(script, table, on=on)
                self.assertEqual((answer["counted_by"], answer["rounds"], answer["samples"], answer["attributed"]), ("gpu", 1, 920, 920))
                self.assertEqual([(l["line"], l["samples"], [(w["reason"], w["samples"]) for w in l["waits"]]) for l in answer["lines"]],
                                 [(16, 720, [("long_scoreboard", 700), ("wait", 20)]), (17, 200, [("barrier", 200)])])
        with open(self.path("ncu.words"), encoding="utf-8") as f:
            self.assertIn("--launch-skip 1 --launch-count 1 /proc/", f.read())

    def test_why_ncu_has_none(self):
        script = self.file("k.py", COPY)
        self.instructions(script)
        for written, first, said in (("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n", "", "ncu says: ERR_NVGPUCTRPERM"),
                                     ("==WARNING== No kernels were profiled.\n", "", "ncu wrote no table of samples"),
                                     ("", "sys.exit(3)", "ncu wrote no table of samples")):
            with self.subTest(said):
                answer = self.by_ncu(script, written, first)
                self.assertIsNone(answer["counted_by"])
                self.assertIn("there is no CUPTI", answer["absent"])
                self.assertIn(said, answer["absent"])

    def test_a_program_that_is_not_there(self):
        script = self.file("k.py", COPY)
        self.instructions(script)
        r = self.run_it("run", script, "--on", "gpu", "--driver", self.fake, "--nvml", self.fake, "--cupti", self.path("none/ncu"), "--repeat", "1",
                        "--profile", env={"FAKE_CUDA_PROGRAM": self.program})
        self.assertIn("none/ncu cannot be started", r.text)

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
        self.assertIn("its worker simulates", simulator.errors)

    def test_editors_profile_and_hovers_tell_a_line(self):
        script = self.file("k.py", COPY)
        load = next(i for i in self.instructions(script) if "LDG" in i[2])
        # A CUPTI beside NVIDIA's compiler comes before those of LD_LIBRARY_PATH: it stands where it is looked for first.
        toolkit = self.path("toolkit")
        os.makedirs(self.path("driver"))
        os.makedirs(os.path.join(toolkit, "extras", "CUPTI", "lib64"))
        folder = next(filter(os.path.isdir, (os.environ.get("CUDA_HOME", ""), "/usr/local/cuda")), None)
        for name in os.listdir(folder) if folder else []:
            if name != "extras":
                os.symlink(os.path.join(folder, name), os.path.join(toolkit, name))
        for name, library in (("driver/libcuda.so.1", self.fake), ("toolkit/extras/CUPTI/lib64/libcupti.so.13", self.cupti)):
            os.symlink(library, self.path(name))
        where = self.file("found", f"kernel_kernel {load[0]:x} long_scoreboard 700\nkernel_kernel {load[0]:x} wait 50\nkernel_kernel ffff0 wait 250\n")
        client = Client(BINARY, environment=dict(os.environ, CUDA_HOME=toolkit, LD_LIBRARY_PATH=self.path("driver"), FAKE_CUPTI=where, FAKE_CUDA_PROGRAM=self.program))
        uri = "file://" + script
        hover = {"textDocument": {"uri": uri}, "position": {"line": 15, "character": 11}}  # `A` of s[t] = A[t]
        try:
            client.initialize(initializationOptions={"tilewright": {"toolchain": {"check": "off"}}},
                              capabilities={"textDocument": {"hover": {"contentFormat": ["markdown"]}}})
            client.open(uri, COPY)
            before = client.result("textDocument/hover", hover)
            result = client.result("tilewright/run", {"textDocument": {"uri": uri}, "entry": "kernel", "on": "gpu", "profile": True})
            self.assertEqual(schema.check(result, "lsp_run_result"), [])
            after = client.result("textDocument/hover", hover)
            elsewhere = client.result("textDocument/hover", {**hover, "position": {"line": 16, "character": 12}})
            client.change(uri, 2, COPY + "# changed\n")
            edited = client.result("textDocument/hover", hover)
        finally:
            client.close()
        self.assertEqual([l["line"] for l in result["report"]["samples"]["lines"]], [16])
        self.assertIn("samples  counted by the GPU", result["text"])
        told = "kernel on gpu: 75.0 % of the warps' time, by 750 samples of the GPU, of that waiting for data from global or local memory, or an mbarrier 93.3 %"
        self.assertNotIn("samples", before["contents"]["value"])
        self.assertIn(told, after["contents"]["value"])
        self.assertNotIn("samples", (elsewhere or {"contents": {"value": ""}})["contents"]["value"])
        self.assertNotIn("samples", edited["contents"]["value"])

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
