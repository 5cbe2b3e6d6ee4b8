#!/usr/bin/env python3
"""run_sim_test.py TILEWRIGHT: `tilewright run --on sim` and the trials of `check`."""
import os
import signal
import subprocess
import time

from case import BINARY, Case, main, minds_interrupts
from scripts import RACY, STAGED, TURNED


BULK = """\
# tilewright: arch sm_90a
from tvm_tirx.script import tirx as T


@T.function
def last_row(A: T.Tensor((8, 128), "int32"), C: T.Tensor((128,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    row = T.alloc_shared((128,), "int32", align=128)
    full = T.alloc_shared((1,), "uint64")
    t = T.cuda.thread_idx("x")
    if t == 0:
        T.ptx.mbarrier.init.shared.b64(full.ptr_to([0]), T.uint32(1))
        T.ptx.fence.proxy.async_.shared__cta()
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([0]), T.uint32(512))
        T.ptx["cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"](
            row.ptr_to([0]), A.ptr_to([7, 4]), T.uint32(512), full.ptr_to([0]))
    T.cuda.cta_sync()
    T.cuda.mbarrier_wait(full.ptr_to([0]), 0)
    C[t] = row[t]
"""


class Simulator(Case):
    def simulated(self, status, text, *options, name="kernel.py"):
        return self.expect(status, "run", self.file(name, text), "--on", "sim", *options)

    def test_verified(self):
        r = self.simulated(0, STAGED, "--json")
        report = self.fits(r.json, "run")
        self.assertEqual((report["verdict"], report["status"], report["device"]["name"]), ("verified", "done", "simulator"))
        self.assertEqual((report["arch"], report["timing"], report["findings"]), ("sm_90a", None, []))
        self.assertEqual(self.simulated(0, STAGED, "--arch", "sm_80", "--json").json["arch"], "sm_80")
        self.assertIn("staged on simulator (sm_90a)", self.simulated(0, STAGED).text)

    def test_errors_elsewhere(self):
        """What nothing is compared with is no success where an error may be why."""
        alone = STAGED.replace("# tilewright: reference plain\n", "")
        self.assertNotEqual(alone, STAGED)
        entry = ("--entry", "staged")
        self.assertTrue(self.simulated(0, alone, *entry).text.endswith("unverified\n"))
        r = self.simulated(1, alone + "\ndef broken(:\n    pass\n", *entry)
        self.assertTrue(r.text.endswith("unverified\n"), r)
        self.assertIn("error[TW1001]", r.errors)
        self.simulated(0, STAGED + "\nx = missing\n")

    def test_all_entries(self):
        script = self.file("two.py", STAGED.replace("def staged", "def broken").replace("    T.ptx.cp_async.wait_group(0)\n", "")
                           + "\n" + STAGED.split("\n\n")[1].replace("plain", "other") + "\n")
        r = self.expect(1, "run", script, "--on", "sim", "--entry", "all", "--json")
        runs = self.fits(r.json, "run")["runs"]
        self.assertEqual([(x["entry"], x["verdict"]) for x in runs], [("broken", "failed"), ("other", "verified")])
        r = self.expect(1, "run", script, "--on", "sim", "--entry", "all")
        self.assertTrue(r.text.endswith("2 entries: 1 failed, 1 verified\n"), r)

    def test_without_a_gpu(self):
        """Where there is none, no option has to say so."""
        r = self.expect(0, "run", self.file("kernel.py", STAGED), "--driver", "libdoes-not-exist.so.1")
        self.assertTrue(r.text.endswith("verified\n"), r)

    def test_a_missing_wait(self):
        broken = STAGED.replace("    T.ptx.cp_async.wait_group(0)\n", "")
        report = self.fits(self.simulated(1, broken, "--json").json, "run")
        self.assertEqual(report["verdict"], "failed")
        self.assertEqual(report["tensors"][1]["comparison"]["mismatches"], 4096)
        # Copies that come early hide it; that the orders differ is said.
        self.assertIn("B is not the same after each launch", report["notes"][0])

    def test_races(self):
        self.simulated(0, TURNED)
        report = self.fits(self.simulated(1, RACY, "--json").json, "run")
        self.assertEqual((report["verdict"], report["status"]), ("failed", "done"))
        (found,) = report["findings"]
        self.assertEqual((found["code"], found["range"]["start"]["line"]), ("TW5020", 21))
        self.assertEqual(found["related"][0]["range"]["start"]["line"], 17)

    def test_check_tries_kernels_out(self):
        racy = self.file("racy.py", RACY)
        good = self.file("good.py", TURNED)
        self.expect(0, "check", racy)
        r = self.expect(1, "check", racy, "--simulate")
        self.assertRegex(r.text, r"racy.py:21:9: error\[TW5020\]")
        self.assertIn("synchronisation checked", self.expect(0, "check", good, "--simulate").errors)
        told = self.fits(self.expect(1, "check", racy, "--simulate", "--json").json, "check")
        self.assertNotIn("not_checked", told)
        self.assertEqual([d["code"] for d in told["diagnostics"]], ["TW5020"])
        for format in ("sarif", "github", "junit"):
            self.assertIn("TW5020", self.expect(1, "check", racy, "--simulate", "--format", format).text)
        # A part only, and said.
        lines = TURNED.split("\n")
        entry = max(i for i, line in enumerate(lines) if "device_entry" in line)
        many = self.file("many.py", "\n".join([*lines[: entry + 1], "    T.cta_id([1 << 20])", *lines[entry + 1 :]]))
        r = self.expect(0, "check", many, "--simulate")
        self.assertIn("only CTA 0, 1, 2, 3, 524288, 1048574 and 1048575 of 1048576 were tried", r.text)
        self.assertIn("synchronisation not wholly checked in 1 of 2 kernels", r.errors)
        told = self.fits(self.expect(0, "check", many, "--simulate", "--json").json, "check")
        self.assertEqual(told["not_checked"][0]["what"], "synchronisation")

    def test_findings_are_silenced_with_a_reason(self):
        at = RACY.split("\n")[20]
        silenced = self.file("silenced.py", RACY.replace(at, at + "  # tilewright: ignore[TW5020: each row, [0], is its lane's, TW3106]"))
        r = self.expect(0, "check", silenced, "--simulate")
        self.assertEqual(r.text, "")
        self.assertIn("; 1 finding silenced\n", r.errors)
        self.assertNotIn("synchronisation checked", r.errors)
        told = self.fits(self.expect(0, "check", silenced, "--simulate", "--json").json, "check")
        self.assertEqual([(s["code"], s["reason"], s["range"]["start"]["line"]) for s in told["silenced"]],
                         [("TW5020", "each row, [0], is its lane's", 21)])
        self.assertEqual(told["diagnostics"], [])
        (run,) = self.expect(0, "check", silenced, "--simulate", "--format", "sarif").json["runs"]
        self.assertEqual([x["suppressions"] for x in run["results"]],
                         [[{"kind": "inSource", "justification": "each row, [0], is its lane's"}]])
        self.assertIn("1 finding silenced", self.expect(0, "check", silenced, "--simulate", "--format", "junit").text)
        r = self.expect(1, "check", silenced, "--simulate", "--deny", "silenced")
        self.assertRegex(r.text, r"silenced.py:21:9: error\[TW5020\]")
        self.assertIn("--deny silenced does not accept", r.text)
        # Without a reason, and without a code, it stays.
        for comment, said in (("ignore[TW5020]", True), ("ignore[TW5020: ]", True), ("ignore", False), ("ignore[TW5021: other]", False)):
            with self.subTest(comment):
                path = self.file("stays.py", RACY.replace(at, at + "  # tilewright: " + comment))
                r = self.expect(1, "check", path, "--simulate")
                self.assertIn("error[TW5020]", r.text)
                self.assertEqual("TW5020 is a finding of the simulator and is silenced with a reason only" in r.text, said, r.text)
                self.assertNotIn("silenced\n", r.errors)

    def test_a_run_whose_findings_are_silenced(self):
        at = RACY.split("\n")[20]
        path = self.file("silenced.py", RACY.replace(at, at + "  # tilewright: ignore[TW5020: meant]"))
        entry = ["--entry", "kernel"] if "def kernel" in RACY else []
        r = self.run_it("run", path, "--on", "sim", "--json", *entry)
        report = self.fits(r.json, "run")
        self.assertEqual((report["findings"], [s["reason"] for s in report["silenced"]]), ([], ["meant"]))
        self.assertIn(report["verdict"], ("silenced", "failed"))  # its outputs may be wrong, too
        self.assertNotIn("TW5020", "".join(report["problems"]))

    def test_severity_of_findings(self):
        path = self.file("project/racy.py", RACY)
        self.file("project/tilewright.toml", '[severity]\nTW5020 = "warning"\n')
        self.assertIn("warning[TW5020]", self.expect(0, "check", path, "--simulate").text)
        self.file("project/tilewright.toml", '[severity]\nTW5020 = "off"\n')
        r = self.expect(0, "check", path, "--simulate", "--json")
        told = self.fits(r.json, "check")
        self.assertEqual(([s["reason"] for s in told["silenced"]], told["diagnostics"]), (["[severity] of tilewright.toml"], []))
        self.assertIn("; 1 finding silenced\n", self.expect(0, "check", path, "--simulate").errors)
        (run,) = self.expect(0, "check", path, "--simulate", "--format", "sarif").json["runs"]
        self.assertEqual(run["results"][0]["suppressions"][0]["kind"], "external")
        self.expect(1, "check", path, "--simulate", "--deny", "silenced")

    def test_tensors_of_any_size_are_tried(self):
        """A gigabyte each: only what the trial touches takes memory."""
        large = RACY.replace('T.Buffer((64, 64)', 'T.Buffer((65536, 8192)').replace("A[:, :]", "A[:64, :64]").replace("B[:, :]", "B[:64, :64]")
        self.assertNotEqual(large, RACY)
        with open(self.path("told"), "w+", encoding="utf-8") as told:
            command = [BINARY, "check", self.file("large.py", large), "--simulate"]
            process = subprocess.Popen(command, stdout=told, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            told.seek(0)
            self.assertIn("TW5020", told.read())
        self.assertEqual(process.returncode, 1)
        self.assertLess(usage.ru_maxrss, 512 << 10)  # kilobytes

    def test_bytes_that_nobody_writes(self):
        half = STAGED.replace("range(32)", "range(16)")
        report = self.simulated(0, half, "--entry", "plain", "--json").json
        self.assertEqual(report["tensors"][1]["bytes_unwritten"], 4096)

    def test_findings_stand_in_the_script(self):
        outside = STAGED.replace("Tx.cta.copy(B[:, :], smem[:, :])", "B[tx, 0] = smem[tx, 0]")
        r = self.simulated(1, outside)
        self.assertRegex(r.errors, r"kernel.py:21:5: error\[TW5001\]")
        self.assertIn("thread 64 of CTA (0, 0, 0)", r.errors)
        report = self.fits(self.simulated(1, outside, "--json").json, "run")
        self.assertEqual((report["verdict"], report["status"]), ("failed", "fault"))
        self.assertEqual(report["findings"][0]["range"]["start"]["line"], 21)

    def test_a_copy_beyond_the_end_names_the_last_row(self):
        """Its first element is inside: the index that is told is the one that is not."""
        said = self.simulated(1, BULK).errors
        self.assertIn("index 8 of dimension 0 is outside of 0 to 7", said)
        self.assertNotIn("index 8", self.simulated(0, BULK.replace("A.ptr_to([7, 4])", "A.ptr_to([7, 0])")).errors)

    def test_a_limit_is_no_pass(self):
        report = self.fits(self.simulated(1, STAGED, "--steps", "1000", "--json").json, "run")
        self.assertEqual((report["verdict"], report["status"]), ("incomplete", "incomplete"))
        self.assertIn("stopped after 1000 steps", report["notes"][0])
        self.assertIn("--steps", report["findings"][0]["hint"])

    def test_usage(self):
        self.simulated(2, STAGED, "--schedules", "0")
        r = self.simulated(2, STAGED, "--cubin", self.file("a.cubin", "x"))
        self.assertIn("leave out --cubin", r.errors)

    def test_a_part_of_the_grid(self):
        tiles = STAGED.replace("(64, 64)", "(256, 64)").replace("range(32):\n        B", "range(128):\n        B")
        tiles = tiles.replace("tx // 2, tx % 2 * 32 + i", "tx * 2 + i // 64, i % 64")
        tiles = tiles.replace("    smem = ", "    bx = T.cta_id([4])\n    smem = ").replace("alloc_shared((256", "alloc_shared((64")
        tiles = tiles.replace("A[:, :]", "A[bx * 64 : bx * 64 + 64, :]").replace("B[:, :]", "B[bx * 64 : bx * 64 + 64, :]")
        self.assertTrue(self.simulated(0, tiles).text.endswith("\nverified\n"))
        for part, words in {"0:2": "CTAs 0 to 1 of 4", "3": "CTA 3 of 4", "0:9:2": "CTAs 0 to 2 of 4 in steps of 2"}.items():
            r = self.simulated(0, tiles, "--clusters", part)
            self.assertIn("only " + words + " ran; what others would write is not checked", r.text)
            self.assertTrue(r.text.endswith("\nverified for " + words + " only\n"), r)
            report = self.fits(self.simulated(0, tiles, "--clusters", part, "--json").json, "run")
            self.assertEqual((report["verdict"], report["part"]), ("partial", words))
        # What those write has to be right.
        wrong = tiles.replace("Tx.cta.copy(B[bx * 64 : bx * 64 + 64, :]", "Tx.cta.copy(B[(bx + bx % 2) % 4 * 64 : "
                              "(bx + bx % 2) % 4 * 64 + 64, :]")
        self.simulated(0, wrong, "--clusters", "0:4:2")
        self.assertIn("are not as expected", self.simulated(1, wrong, "--clusters", "1").text)
        self.assertIn("there is no CTA 7 of 4", self.simulated(1, tiles, "--clusters", "7").text)
        for part in ("2:1", "x", "0:4:0", "1:2:3:4", ":3"):
            self.assertIn("write 5 for one cluster", self.simulated(2, tiles, "--clusters", part).errors)

    def test_cores_change_no_answer(self):
        text = STAGED.replace("tx = T.thread_id([128])\n    smem", "T.cta_id([6])\n    tx = T.thread_id([128])\n    smem")
        for script in (text, text.replace("wait_group(0)", "wait_group(1)")):
            status = 0 if script is text else 1
            one = self.simulated(status, script, "--jobs", "1", "--json").json
            for jobs in ("2", "5"):
                self.assertEqual(self.simulated(status, script, "--jobs", jobs, "--json").json, one)

    def test_interrupted(self):
        with subprocess.Popen([BINARY, "run", self.file("kernel.py", STAGED), "--on", "sim", "--schedules", "10000"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            while p.poll() is None and not minds_interrupts(p.pid):
                time.sleep(0.01)
            p.send_signal(signal.SIGINT)
            _, errors = p.communicate(timeout=60)
        self.assertEqual((p.returncode, errors), (130, b"tilewright: interrupted\n"))


if __name__ == "__main__":
    main()
