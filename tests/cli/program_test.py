#!/usr/bin/env python3
"""program_test.py TILEWRIGHT: What the binary itself needs."""
import subprocess

from case import BINARY, Case, main


class Program(Case):
    def test_needs_nothing_but_the_c_library(self):
        table = subprocess.run(["readelf", "--dynamic", BINARY], capture_output=True, text=True, check=True).stdout
        needed = {line.split("[")[1].rstrip("]") for line in table.splitlines() if "(NEEDED)" in line}
        if any("san.so" in name for name in needed):
            self.skipTest("a sanitizer brings libraries of its own")
        self.assertLessEqual(needed, {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"})

    def test_the_help_of_each_command_has_examples_of_its_own(self):
        listed = self.expect(0, "--help").text.split("Subcommands:\n")[1].split("\n\n")[0]
        names = [line.split()[0] for line in listed.splitlines()]
        self.assertGreater(len(names), 20)
        for name in names:
            text = self.expect(0, name, "--help").text
            self.assertIn(f"tilewright {name}", text.rpartition("\nExample")[2])
            self.assertNotIn("{false}", text)


if __name__ == "__main__":
    main()
