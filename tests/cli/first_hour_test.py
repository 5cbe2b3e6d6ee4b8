#!/usr/bin/env python3
"""first_hour_test.py TILEWRIGHT: the first hour of a newcomer: files that cannot be read, wrong settings, full disks."""
import json
import os
import subprocess

from case import BINARY, Case, main
from scripts import FACTORY, GOOD


class FirstHour(Case):
    """What newcomers try, and what went wrong before."""

    def test_what_cannot_be_read_is_in_json(self):
        for command in ("check", "compile", "explain", "entries"):
            r = self.expect(2, command, self.path("gone.py"), "--json")
            (failure,) = self.fits(r.json, command)["failures"]
            self.assertEqual(failure["file"], self.path("gone.py"))
            self.assertIn("o such file", failure["message"])
            self.assertIn("o such file", r.errors)
        r = self.expect(2, "check", self.file("good.py", GOOD), self.path("gone.py"), "--format", "sarif")
        (invocation,) = r.json["runs"][0]["invocations"]
        self.assertFalse(invocation["executionSuccessful"])
        made = self.fits(self.expect(2, "compile", self.file("empty.py", "x = 1\n"), "--json").json, "compile")
        self.assertIn("no kernel", made["failures"][0]["message"])

    def test_a_named_pipe_is_refused(self):
        os.mkfifo(self.path("pipe.py"))
        os.symlink("pipe.py", self.path("link.py"))
        for name in ("pipe.py", "link.py"):
            for command in ("check", "compile", "explain"):
                self.assertIn("it is a pipe", self.expect(2, command, self.path(name)).errors)
        # One that the shell made is as good as standard input.
        done = subprocess.run(["bash", "-c", f"{BINARY} check <(cat {self.file('good.py', GOOD)})"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done)

    def test_places_that_are_none(self):
        good = self.file("good.py", GOOD)
        self.assertIn("lines count from 1", self.expect(2, "explain", good + ":-1").errors)
        self.assertIn("'x' is no line", self.expect(2, "explain", good + ":x").errors)
        self.assertIn("lines count from 1", self.expect(2, "explain", good + ":-1", "--json").json["failures"][0]["message"])

    def test_host_is_one_file(self):
        path = self.file("factory.py", FACTORY)
        text = self.expect(0, "compile", path, "--entry", "make(64, 64)", "--emit", "host").text
        self.assertNotIn("──", text)
        self.assertIn("__global__", text)
        self.assertIn("<<<", text.replace("cudaLaunchKernelExC", "<<<"))
        self.expect(0, "compile", path, "--entry", "make(64, 64)", "--emit", "host", "-o", self.path("out"))
        self.assertEqual(os.listdir(self.path("out")), ["tile.make_64_64.host.cu"])
        sources = self.expect(0, "compile", path, "--entry", "make(64, 64)", "--emit", "host", "--json").json["kernels"][0]["sources"]
        self.assertEqual(sources["host_runtime"].strip(), text.strip())

    def test_what_the_tools_make_names_the_script(self):
        if self.run_it("doctor").status != 0:
            self.skipTest("no CUDA compiler here")
        good = self.file("good.py", GOOD)
        made = self.fits(self.expect(0, "compile", good, "--emit", "ptx,sass", "--source-map").json, "compile")["kernels"][0]
        self.assertNotIn("cuda", made["sources"])
        copy = GOOD.split("\n").index("    Tx.warp.copy(A_smem[:, :], A[:, :])") + 1
        lines = [m for m in made["source_map"] if m["range"]["start"]["line"] == copy]
        for kind in ("ptx", "sass"):
            text = made["sources"][kind].split("\n")
            here = {n for m in lines for n in m[kind]}
            named = {n + 1 for n, line in enumerate(text) if f"// good.py:{copy}" in line}
            self.assertTrue(named)
            self.assertLessEqual(named, here)
        for kind in ("ptx", "sass"):
            first = self.expect(0, "compile", good, "--emit", kind).text.split("\n")[0]
            self.assertRegex(first, r"^// kernel: \d+ registers · no spills · 4,096 B shared · \d+ CTAs a multiprocessor \(bound by .*\), \d+ %")
        said = self.expect(0, "compile", good, "--emit", "ptx", "-o", self.path("out")).text.split("\n")
        self.assertEqual(said[0], self.path("out/kernel.ptx"))
        self.assertRegex(said[1], r"^kernel  \d+ registers · ")

    def test_a_wrong_cuda_home_is_said(self):
        nowhere = {"CUDA_HOME": self.path("nowhere")}
        r = self.run_it("doctor", "--json", env=nowhere)
        found = {f["what"]: f for f in self.fits(r.json, "doctor")["findings"]}
        self.assertIn("no such folder", found["CUDA_HOME"]["detail"])
        self.assertIn("CUDA_HOME is set", self.run_it("compile", self.file("good.py", GOOD), "--emit", "ptx", env=nowhere).errors)
        self.assertNotIn("CUDA_HOME is set", self.run_it("compile", self.file("good.py", GOOD), "--emit", "cuda", env=nowhere).errors)

    def test_no_cache_without_a_home(self):
        r = self.run_it("doctor", "--json", env={"HOME": "", "XDG_CACHE_HOME": ""})
        (cache,) = [f for f in r.json["findings"] if f["what"] == "cache"]
        self.assertEqual(cache["state"], "missing")
        self.assertIn("nothing is kept", cache["detail"])
        self.assertNotIn("/tmp", cache["detail"])

    def test_a_full_disk(self):
        os.mkdir(self.path("disk"))
        script = f"mount -t tmpfs -o size=256k none {self.path('disk')} && XDG_CACHE_HOME={self.path('disk')} {BINARY} doctor --json"
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True)
        if not done.stdout:
            self.skipTest("no file system of our own can be mounted here: " + done.stderr)
        (cache,) = [f for f in json.loads(done.stdout)["findings"] if f["what"] == "cache"]
        self.assertEqual(cache["state"], "missing")
        self.assertIn("No space left", cache["detail"])

    def test_a_layout_made_for_a_shape_is_shown_in_it(self):
        told = self.expect(0, "layout", 'mma_shared_layout("float16", 3, (64, 64))', "--json").json
        self.assertEqual(told["shape"], [64, 64])
        self.assertEqual(self.expect(0, "layout", 'mma_shared_layout("float16", 3, (64, 64))', "--shape", "8,64", "--json").json["shape"], [8, 64])

    def test_deep_nests_take_time_as_their_size(self):
        lines = [GOOD, "def deep(n):\n"]
        lines += [" " * (n + 1) + f"if n > {n}:\n" for n in range(1500)]
        path = self.file("deep.py", "".join(lines) + " " * 1501 + "pass\n")
        r = self.expect(1, "check", path)  # quadratic work would meet the patience for one command
        self.assertIn("nested too deeply", r.text)


if __name__ == "__main__":
    main()
