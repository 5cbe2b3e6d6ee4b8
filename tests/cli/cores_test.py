#!/usr/bin/env python3
"""cores_test.py TILEWRIGHT: Many cores change no answer, and an interrupted command leaves whole files."""
import html.parser
import os
import pty
import select
import signal
import subprocess
import time

from case import BINARY, Case, main, minds_interrupts
from scripts import BAD, FACTORY, FALLBACK, GOOD, SYNTAX


class Cores(Case):
    """Files and programs on all cores: the same answers as on one, and a stop that leaves nothing half done."""
    ENDLESS = GOOD + "\nn = 0\nwhile True:\n    n += 1\n"

    def tree(self):
        for n in range(24):
            text = (GOOD, BAD, FALLBACK, SYNTAX, GOOD + f"\n# tilewright: arch sm_80 sm_1{n}\n")[n % 5]
            # Some take long, so that others overtake them.
            self.file(f"tree/{n:02}.py", text.replace("def kernel", f"def kernel{n}") + "x = 0\nfor i in range(30000):\n    x += i\n" * (n % 3 == 0))
        return self.path("tree")

    def files_below(self, folder):
        found = {}
        for place, _, names in os.walk(folder):
            for name in names:
                try:
                    with open(os.path.join(place, name), "rb") as f:
                        found[os.path.relpath(os.path.join(place, name), folder)] = f.read()
                except FileNotFoundError:  # got its last name meanwhile
                    pass
        return found

    def test_check_says_the_same(self):
        tree = self.tree()
        for form in ("text", "json", "sarif", "github", "junit"):
            one = self.run_it("check", tree, self.path("gone.py"), "--format", form, "--jobs", "1")
            for jobs in (["--jobs", "4"], ["--jobs", "100"], []):
                many = self.run_it("check", tree, self.path("gone.py"), "--format", form, *jobs)
                self.assertEqual((many.status, many.out, many.errors), (one.status, one.out, one.errors), f"{form} {jobs}")
            self.assertEqual(one.status, 2)
            self.assertIn("there is no architecture 'sm_1" if form != "junit" else "TW2313", html.unescape(one.text))
        self.assertIn("in 24 files", self.run_it("check", tree).errors)

    def test_compile_of_folders_says_the_same(self):
        tree = self.tree()
        for options in (["--json"], ["--emit", "cuda,report"], ["--arch", "sm_80", "--arch", "sm_100a", "--emit", "tirx,plan"]):
            one = self.run_it("compile", tree, *options, "--jobs", "1")
            many = self.run_it("compile", tree, *options, "--jobs", "4")
            self.assertEqual((many.status, many.out, many.errors), (one.status, one.out, one.errors), options)
            self.assertEqual(one.status, 1)
        made = self.fits(self.run_it("compile", tree, "--json").json, "compile")
        names = [k["name"] for k in made["kernels"]]
        self.assertEqual(names, sorted(names, key=lambda name: int(name[6:])))
        self.assertIn(self.path("tree/00.py") + ": kernel0  sm_90a  report", self.run_it("compile", tree).text)

    def test_compile_of_folders_writes_the_same(self):
        tree = self.tree()
        self.run_it("compile", tree, "--emit", "cuda,plan", "-o", self.path("one"), "--jobs", "1")
        self.run_it("compile", "tree", self.file("alone.py", GOOD), "--emit", "cuda,plan", "-o", self.path("many"), "--jobs", "4")
        one, many = self.files_below(self.path("one")), self.files_below(self.path("many"))
        self.assertGreater(len(one), 30)
        # Each script has a folder of its own name, so that kernels of one name do not meet.
        self.assertIn("tree/02/kernel2.cu", many)
        self.assertEqual({name.split("tree/")[1]: text for name, text in one.items()},
                         {name.split("tree/")[1]: text for name, text in many.items() if "tree/" in name})
        self.assertEqual(sum(name.endswith("alone/kernel.cu") for name in many), 1)

    def test_programs_of_one_file_are_compiled_side_by_side(self):
        if self.run_it("doctor").status != 0:
            self.skipTest("no CUDA compiler here")
        path = self.file("factory.py", FACTORY)
        entries = [word for n in (32, 48, 64, 96) for word in ("--entry", f"make({n}, 64)")]
        texts = []
        for jobs in ("1", "4"):
            self.expect(0, "compile", path, *entries, "--emit", "ptx,cubin", "-o", self.path("out" + jobs), "--jobs", jobs,
                        env={"XDG_CACHE_HOME": self.path("cache" + jobs)})
            texts.append(self.files_below(self.path("out" + jobs)))
        self.assertEqual(len(texts[0]), 8)
        self.assertEqual(texts[0], texts[1])

    def test_usage(self):
        good = self.file("good.py", GOOD)
        for jobs in ("0", "-1", "many", "1.5", "100000"):
            self.expect(2, "check", good, "--jobs", jobs)
        self.expect(0, "check", good, "-j", "3")
        self.expect(2, "compile", good, self.path("gone.py"))

    def interrupt(self, *command, ready, terminal=False):
        """Runs until `ready` is seen on standard error (a terminal or a pipe) or says so itself, then Ctrl-C."""
        read, write = pty.openpty() if terminal else os.pipe()
        try:
            with subprocess.Popen([BINARY, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=write) as p:
                os.close(write)
                write = -1
                seen = b""
                while not (ready(seen) and minds_interrupts(p.pid)):
                    if select.select([read], [], [], 0.02)[0]:
                        more = os.read(read, 4096)
                        self.assertTrue(more, f"it ended by itself: {seen!r}")
                        seen += more
                p.send_signal(signal.SIGINT)
                while True:
                    try:
                        more = os.read(read, 4096)
                    except OSError:  # a terminal whose other side is closed
                        break
                    if not more:
                        break
                    seen += more
                p.wait(timeout=60)
        finally:
            os.close(read)
            if write >= 0:
                os.close(write)
        return p.returncode, seen.decode()

    def test_interrupted_check_shows_progress_and_stops(self):
        for n in range(200):  # minutes of work
            self.file(f"tree/{n:03}.py", self.ENDLESS)
        status, seen = self.interrupt("check", self.path("tree"), "--jobs", "2", terminal=True, ready=lambda s: b"of 200 files" in s)
        self.assertEqual(status, 130, seen)
        self.assertRegex(seen, r"checked \d+ of 200 files")
        self.assertTrue(seen.rstrip().endswith("tilewright: interrupted"), seen)
        # Without a terminal there is no progress.
        began = time.monotonic()
        status, seen = self.interrupt("check", self.path("tree"), ready=lambda s: time.monotonic() - began > 1.5)
        self.assertEqual((status, seen), (130, "tilewright: interrupted\n"))

    def test_interrupted_on_one_thread(self):
        # With the usual limit a fast machine is done before the interruption comes.
        more = ["--limit", "steps=1000000000000"]
        endless = self.file("endless.py", self.ENDLESS)
        for command in (["check", endless, *more], ["check", self.path("."), "--jobs", "1", *more], ["compile", endless, *more]):
            for terminal in (False, True):
                began = time.monotonic()
                status, seen = self.interrupt(*command, terminal=terminal, ready=lambda s: time.monotonic() - began > 0.3)
                self.assertEqual(status, 130, command)
                self.assertEqual(seen.replace("\r\x1b[K", "").strip(), "tilewright: interrupted", command)

    def test_interrupted_compile_leaves_whole_files(self):
        for n in range(40):
            self.file(f"tree/{n:03}.py", GOOD if n < 4 else self.ENDLESS)
        out = self.path("out")
        status, seen = self.interrupt("compile", self.path("tree"), "--emit", "cuda,plan", "-o", out, "--jobs", "2",
                                      ready=lambda s: len(self.files_below(out)) >= 8)
        self.assertEqual(status, 130, seen)
        self.expect(0, "compile", self.path("tree/000.py"), "--emit", "cuda,plan", "-o", self.path("whole"))
        whole = set(self.files_below(self.path("whole")).values())
        written = self.files_below(out)
        self.assertEqual({os.path.basename(name) for name in written}, {"kernel.cu", "kernel.json"})
        for name, text in written.items():
            if any(f"/{n:03}/" in name for n in range(4)):
                self.assertIn(text, whole, name)


if __name__ == "__main__":
    main()
