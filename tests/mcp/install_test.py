#!/usr/bin/env python3
"""install_test.py TILEWRIGHT: the configurations of agents and the skills that are written for them."""
import glob
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import tempfile
import tomllib
import unittest

from case import BINARY, ROOT, main


class Installed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def run_it(self, *words, status=0, **more):
        environment = dict(os.environ, HOME=self.folder, CODEX_HOME=os.path.join(self.folder, "codex"))
        done = subprocess.run([BINARY, *words], capture_output=True, text=True, cwd=self.folder, env=environment, timeout=120,
                              stdin=subprocess.DEVNULL, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def text(self, *parts):
        with open(self.path(*parts), encoding="utf-8") as f:
            return f.read()

    def put(self, text, *parts):
        os.makedirs(os.path.dirname(self.path(*parts)), exist_ok=True)
        with open(self.path(*parts), "w", encoding="utf-8") as f:
            f.write(text)


class Configurations(Installed):
    JSON = {"claude": (".mcp.json", "mcpServers"), "cursor": (".cursor/mcp.json", "mcpServers"), "vscode": (".vscode/mcp.json", "servers")}

    def test_it_is_shown_and_not_written_without_consent(self):
        said = self.run_it("mcp", "--install", "claude", status=2)
        self.assertIn('"tilewright"', said)
        self.assertIn("--yes", said)
        self.assertEqual(os.listdir(self.folder), [])

    def test_new_files(self):
        for client, (name, member) in self.JSON.items():
            self.run_it("mcp", "--install", client, "--yes")
            server = json.loads(self.text(name))[member]["tilewright"]
            self.assertEqual((server["command"], server["args"][0]), (os.path.realpath(BINARY), "mcp"))
            self.assertIn("already", self.run_it("mcp", "--install", client))

    def test_what_else_a_file_holds_stays(self):
        before = {"inputs": [1, {"b": 2, "a": 1}], "mcpServers": {"other": {"command": "x", "env": {"K": "é"}}, "tilewright": {"command": "old"}}, "z": None}
        self.put(json.dumps(before, indent=4), ".mcp.json")
        os.chmod(self.path(".mcp.json"), 0o600)
        self.run_it("mcp", "--install", "claude", "--yes")
        text = self.text(".mcp.json")
        after = json.loads(text)
        self.assertEqual(list(after), list(before))
        self.assertEqual(after["mcpServers"]["other"], before["mcpServers"]["other"])
        self.assertEqual(after["mcpServers"]["tilewright"]["command"], os.path.realpath(BINARY))
        self.assertIn('\n    "inputs"', text)
        self.assertEqual(stat.S_IMODE(os.stat(self.path(".mcp.json")).st_mode), 0o600)

    def test_what_cannot_be_kept_is_not_written(self):
        for text in ('{\n  // a comment\n  "servers": {}\n}\n', "[]", "{", '{"servers": []}'):
            self.put(text, ".vscode", "mcp.json")
            self.assertIn("add by hand", self.run_it("mcp", "--install", "vscode", "--yes", status=2))
            self.assertEqual(self.text(".vscode", "mcp.json"), text)

    def test_codex(self):
        before = '# mine\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "x" # stays\n\n[mcp_servers.tilewright]\ncommand = "old"\n\n' \
                 '[mcp_servers.tilewright.env]\nA = "1"\n\n[profiles.a]\nk = 1\n'
        self.put(before, "codex", "config.toml")
        self.run_it("mcp", "--install", "codex", "--yes")
        text = self.text("codex", "config.toml")
        after = tomllib.loads(text)
        self.assertEqual(after["mcp_servers"]["tilewright"], {"command": os.path.realpath(BINARY), "args": ["mcp"]})
        self.assertEqual((after["mcp_servers"]["other"], after["profiles"]), ({"command": "x"}, {"a": {"k": 1}}))
        self.assertIn('command = "x" # stays\n', text)
        self.assertIn("# mine\n", text)
        self.run_it("mcp", "--install", "codex", "--yes")
        self.assertEqual(self.text("codex", "config.toml"), text)
        for bad in ("[[[", 'mcp_servers = "x"\n', 'mcp_servers.tilewright = 1\n'):
            self.put(bad, "codex", "config.toml")
            self.assertIn("add by hand", self.run_it("mcp", "--install", "codex", "--yes", status=2))
            self.assertEqual(self.text("codex", "config.toml"), bad)

    def test_words(self):
        self.assertIn("claude", self.run_it("mcp", "--install", "emacs", status=2))
        self.assertIn("belongs to --install", self.run_it("mcp", "--yes", status=2))


class Skills(Installed):
    def test_every_command_of_every_skill(self):
        self.run_it("skills", "install", "skills")
        pages = sorted(glob.glob(self.path("skills", "*", "SKILL.md")))
        self.assertEqual(len(pages), len(glob.glob(os.path.join(ROOT, "docs", "skills", "*.md"))))
        ran = 0
        for page in pages:
            text = self.text(page)
            name = os.path.basename(os.path.dirname(page))
            self.assertRegex(text, rf"^---\nname: {name}\ndescription: >-\n(  .{{1,116}}\n)+---\n")
            for block in re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S):
                for line in block.splitlines():
                    shutil.copy(os.path.join(ROOT, "examples", "vector_add.py"), self.path("kernel.py"))
                    with self.subTest(skill=name, command=line):
                        program, *words = shlex.split(line)
                        self.assertEqual(program, "tilewright")
                        self.run_it(*words)
                        self.assertIn(f"\n## tilewright {words[0]}\n", text)
                    ran += 1
        self.assertGreater(ran, 20)


class Handbook(Installed):
    def test_docs(self):
        topics = self.run_it("docs")
        self.assertIn("checking", topics)
        with open(os.path.join(ROOT, "docs", "manual", "checking.md"), encoding="utf-8") as f:
            self.assertEqual(self.run_it("docs", "checking"), f.read())
        self.assertTrue(self.run_it("docs", "patterns", "in registers").startswith("## In registers\n"))
        self.assertIn("layouts, ", self.run_it("docs", "--search", "bank conflict"))
        for wrong in (["none"], ["checking", "none"], ["--search", "zzyzx"]):
            self.run_it("docs", *wrong, status=2)

    def test_every_document_is_there(self):
        topics = self.run_it("docs")
        for folder in ("manual", "language"):
            for path in glob.glob(os.path.join(ROOT, "docs", folder, "*.md")):
                stem = os.path.splitext(os.path.basename(path))[0]
                self.assertIn(f"  {folder if stem == 'README' else stem} ", topics)

    def test_examples(self):
        listed = self.run_it("examples").splitlines()
        self.assertEqual(len(listed), len(glob.glob(os.path.join(ROOT, "examples", "*.py"))))
        for line in listed:
            name, summary = line.split(None, 1)
            self.assertTrue(summary.strip(), name)
        with open(os.path.join(ROOT, "examples", "gemm_hopper.py"), encoding="utf-8") as f:
            self.assertEqual(self.run_it("examples", "gemm_hopper"), f.read() + "# tilewright: dialect 0.25\n")  # its settings do not travel with it
        self.run_it("examples", "none", status=2)

    def test_new(self):
        said = self.run_it("new", "my-gemm", "--from", "gemm_hopper")
        self.assertIn("my_gemm.py", said)
        self.run_it("check", "my-gemm/my_gemm.py")
        self.assertIn("exists already", self.run_it("new", "my-gemm", status=2))
        self.run_it("new", "deep/er/kernel/")
        self.run_it("check", "deep/er/kernel/kernel.py")
        for wrong in ("", ".", "..", "/", "---"):
            self.run_it("new", "--", wrong, status=2)
        self.run_it("new", "x", "--from", "none", status=2)
        self.assertFalse(os.path.exists(self.path("x")))

    def test_recipes_are_verified(self):
        for path in glob.glob(os.path.join(ROOT, "examples", "recipe_*.py")):
            with self.subTest(os.path.basename(path)):
                said = self.run_it("run", path, "--on", "sim", "--entry", "all", "--json")
                self.assertEqual({r["verdict"] for r in json.loads(said)["runs"]}, {"verified"})
                self.run_it("check", path, "--simulate", "--deny", "fallback")


class Elsewhere(Installed):
    def test_names_of_the_tables_are_names(self):
        with open(os.path.join(ROOT, "docs", "manual", "from_elsewhere.md"), encoding="utf-8") as f:
            rows = [line.split(" | ", 1)[1] for line in f if line.startswith("| ") and " | " in line]
        names = sorted({n for row in rows for n in re.findall(r"(?<![\w.])(Tx?(?:\.[A-Za-z_]\w*)+)", row)})
        self.assertGreater(len(names), 60)
        self.put("from tvm.script import tirx as T\nfrom tvm.script.tirx import tile as Tx\n" + "".join(f"x{i} = {n}\n" for i, n in enumerate(names)), "names.py")
        self.run_it("check", "names.py")


if __name__ == "__main__":
    main()
