#!/usr/bin/env python3
"""demo_test.py TILEWRIGHT: The examples are clean, and `tilewright demo` compiles them."""
import os
import shutil
import subprocess

from case import BINARY, ROOT, Case, main


class Examples(Case):
    def test_examples_are_clean(self):
        folder = os.path.join(ROOT, "examples")
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".py"):
                continue
            with self.subTest(name):
                path = os.path.join(folder, name)
                self.expect(0, "check", path)

    # All of them, for every architecture, are compiled by tests/examples.
    def test_demo_compiles_a_folder_and_says_where_the_results_are(self):
        if self.run_it("doctor").status != 0:
            self.skipTest("no CUDA compiler here")
        folder = self.path("scripts")
        os.makedirs(folder)
        for name in ("vector_add.py", "async_dsmem.py"):
            shutil.copy(os.path.join(ROOT, "examples", name), folder)
        done = subprocess.run([BINARY, "demo", folder, "-o", self.path("demo")], capture_output=True, timeout=500,
                              env=dict(os.environ, XDG_CACHE_HOME=self.cache()))
        self.assertEqual(done.returncode, 0, done.stdout.decode()[-3000:] + done.stderr.decode()[-3000:])
        cuda = [os.path.join(f, n) for f, _, names in os.walk(self.path("demo")) for n in names if n.endswith(".cu")]
        self.assertGreater(len(cuda), 8)
        for path in cuda:
            self.assertTrue(os.path.exists(path[:-3] + ".cubin"), path)


if __name__ == "__main__":
    main()
