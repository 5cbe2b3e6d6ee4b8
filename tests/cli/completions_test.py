#!/usr/bin/env python3
"""completions_test.py TILEWRIGHT: `tilewright completions` in bash, fish and zsh."""
import os
import shutil
import subprocess
import unittest

from case import Case, main


class Completions(Case):
    def test_bash(self):
        script = self.expect(0, "completions", "bash").text
        path = self.file("completions.sh", script)
        self.assertEqual(subprocess.run(["bash", "-n", path]).returncode, 0)
        answer = subprocess.run(["bash", "-c", f'source {path}; COMP_WORDS=(tilewright ch); COMP_CWORD=1; _tilewright; echo "${{COMPREPLY[@]}}"'],
                                capture_output=True, text=True).stdout
        self.assertEqual(answer.strip(), "check")

    def test_bash_completes_values(self):
        path = self.file("completions.sh", self.expect(0, "completions", "bash").text)
        self.file("file one.py", "")
        for words, expected in (("check --format j", "json junit"), ("compile --emit p", "ptx plan"), ("completions f", "fish"),
                                ("view --stdin", "--stdin-filename"), ("check file", "file one.py")):
            ask = f"source {path}; COMP_WORDS=(tilewright {words}); COMP_CWORD={len(words.split())}; _tilewright; echo \"${{COMPREPLY[@]}}\""
            answer = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(answer.stdout.strip(), expected, answer.stderr)

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish(self):
        path = self.file("tilewright.fish", self.expect(0, "completions", "fish").text)
        for words, expected in (("tilewright expl", ["explain"]), ("tilewright check --format j", ["json", "junit"]),
                                ("tilewright completions z", ["zsh"]), ("tilewright view --ht", ["--html"])):
            said = subprocess.run(["fish", "--no-config", "-c", f"source {path}; complete -C'{words}'"], capture_output=True, text=True,
                                  env=dict(os.environ, HOME=self.folder))
            self.assertEqual(sorted(line.split("\t")[0] for line in said.stdout.splitlines()), expected, said.stderr)

    def test_zsh(self):
        script = self.expect(0, "completions", "zsh").text
        self.assertTrue(script.startswith("#compdef tilewright\n"))
        self.assertRegex(script, r"'\*--format\[How to report\]:value:\(text json sarif github junit\)'")
        if shutil.which("zsh"):
            path = self.file("_tilewright", script)
            self.assertEqual(subprocess.run(["zsh", "-f", "-n", path]).returncode, 0)


if __name__ == "__main__":
    main()
