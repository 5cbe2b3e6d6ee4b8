#!/usr/bin/env python3
"""documents_test.py TILEWRIGHT: README.md and docs/: every command is run, every block is what it claims to be."""
import ast
import concurrent.futures
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import textwrap
import tomllib
import unittest

from case import BINARY, ROOT, main


class Documents(unittest.TestCase):
    """README.md and docs/: every command that they show is run and says what stands there, every block is what it claims to be."""

    @classmethod
    def setUpClass(cls):
        paths = [os.path.join(ROOT, "README.md")]
        for folder, _, names in sorted(os.walk(os.path.join(ROOT, "docs"))):
            paths += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".md")]
        cls.texts = {}
        for path in paths:
            with open(path, encoding="utf-8") as f:
                cls.texts[os.path.relpath(path, ROOT)] = f.read()

    def blocks(self, language):
        """(document, the last line above it that is not empty, the block) of each in this language."""
        for name, text in self.texts.items():
            above, inside, block = "", None, []
            for line in text.splitlines(keepends=True):
                if inside is None and line.startswith("```"):
                    inside, block = line.strip("`\n"), []
                elif line == "```\n":
                    if inside == language:
                        yield name, above, "".join(block)
                    inside, above = None, ""
                elif inside is not None:
                    block.append(line)
                elif line.strip():
                    above = line.strip()

    def test_console(self):
        found, waiting = set(), []
        for name, _, block in self.blocks("console"):
            if block.startswith("$ ./bootstrap"):
                continue
            self.assertTrue(block.startswith("$ tilewright "), f"{name}: a block that is not run is no console: {block[:60]}")
            command, _, shown = block.removeprefix("$ tilewright ").partition("\n")
            words = shlex.split(command)
            for word in words:
                path = word.split(":")[0]
                if path.endswith((".py", ".toml")):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, path)), f"{name}: {path}")
            if "gpu" not in words and block not in found:
                found.add(block)
                waiting.append((name, command, words, shown))
        self.assertGreater(len(waiting), 15)

        # The key of these tests is their own, and so is the cache that it seals.
        cache = tempfile.mkdtemp(prefix="tilewright-cache-")
        self.addCleanup(shutil.rmtree, cache, True)
        environment = dict(os.environ, XDG_CACHE_HOME=cache)

        def said(words):
            return subprocess.run([BINARY, *words], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True).stdout

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (name, command, _, shown), out in zip(waiting, pool.map(lambda w: said(w[2]), waiting)):
                with self.subTest(document=name, command=command):
                    self.assertEqual(out, shown)

    def test_shell(self):
        """Lines of a shell name commands and options that there are, and files of this project that exist."""
        helps = {}
        with open(os.path.join(ROOT, "bootstrap"), encoding="utf-8") as f:
            doors = set(re.findall(r"^\./bootstrap (\w+)", f.read(), re.M))  # of its usage
        with open(os.path.join(ROOT, "CMakePresets.json"), encoding="utf-8") as f:
            presets = {p["name"] for p in json.load(f)["configurePresets"]}
        for name, _, block in [*self.blocks("sh"), *self.blocks("console")]:
            for line in block.replace("\\\n", " ").splitlines():
                for door in re.findall(r"^(?:\$ )?\./bootstrap (\w+)", line):
                    self.assertIn(door, doors, f"{name}: {line}")
                for preset in re.findall(r"cmake --preset (\w+)", line):
                    self.assertIn(preset, presets, f"{name}: {line}")
                m = re.match(r"(?:\w+=\S+ )*tilewright (\w+)(.*)", line)
                if not m:
                    continue
                command, rest = m.group(1), shlex.split(m.group(2), comments=True)
                if command not in helps:
                    helps[command] = subprocess.run([BINARY, command, "--help"], stdout=subprocess.PIPE, text=True)
                self.assertEqual(helps[command].returncode, 0, f"{name}: {line}")
                for word in rest:
                    if word.startswith("--"):
                        self.assertIn(word.split("=")[0], re.findall(r"--[\w-]+", helps[command].stdout), f"{name}: {line}")
                    elif word.startswith(("examples", "docs/")):
                        self.assertTrue(os.path.exists(os.path.join(ROOT, word.split(":")[0])), f"{name}: {word}")

    def test_python(self):
        """Python parses; a whole script has no errors; what a line above calls a file's is that file, or stands in it."""
        whole = 0
        for name, above, block in self.blocks("python"):
            with self.subTest(document=name, block=block[:60]):
                ast.parse(textwrap.dedent(block))
                excerpt = re.fullmatch(r"From `(\S+\.py)`:", above)
                if excerpt:
                    with open(os.path.join(ROOT, excerpt.group(1)), encoding="utf-8") as f:
                        self.assertIn(block, f.read())
                named = re.fullmatch(r"`(\S+\.py)`:", above)
                if named:
                    with open(os.path.join(ROOT, named.group(1)), encoding="utf-8") as f:
                        self.assertEqual(f.read(), block)
                if "from tvm.script import tirx" in block:
                    whole += 1
                    done = subprocess.run([BINARY, "check", "-"], input=block, stdout=subprocess.PIPE, text=True)
                    self.assertEqual(done.returncode, 0, done.stdout)
        self.assertGreater(whole, 0)

    def test_settings(self):
        """Of TOML, what is no editor's is taken by tilewright."""
        for name, _, block in self.blocks("toml"):
            tomllib.loads(block)
            if "language-server" in block:
                continue
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "tilewright.toml"), "w", encoding="utf-8") as f:
                    f.write(block)
                shutil.copy(os.path.join(ROOT, "examples", "vector_add.py"), folder)
                done = subprocess.run([BINARY, "check", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual(done.returncode, 0, f"{name}: {done.stdout}")

    def test_names(self):
        """Names of T and Tx are those that a script has, but for placeholders."""
        names = {}
        for name, text in self.texts.items():
            # Other releases; names with escaped underscores;
            if name not in ("docs/language/dialects.md", "docs/language/ptx.md", "docs/manual/migrating.md", "docs/diagnostics.md",
                            "docs/manual/from_elsewhere.md"):  # of other languages; tests/mcp asks for ours
                names.update((n, name) for n in re.findall(r"(?<![\w.])(Tx?(?:\.[A-Za-z_]\w*)+)", text) if not n.endswith((".op", ".X")))
        uses = [f"x{i} = {n}" for i, n in enumerate(sorted(names))]
        self.assertGreater(len(names), 200)
        missing = set(names)
        names_of = {release: ["from tvm.script import tirx as T", "from tvm.script.tirx import tile as Tx"] for release in ("0.25", "0.26", "0.27")}
        names_of["the package"] = ["from tvm_tirx.script import tirx as T", "Tx = None"]
        for release, imports in names_of.items():
            lines = imports + uses
            options = [] if release == "the package" else ["--dialect", release]
            done = subprocess.run([BINARY, "check", "-", "--json", *options], input="\n".join(lines), stdout=subprocess.PIPE, text=True)
            found = json.loads(done.stdout)["diagnostics"]
            missing &= {lines[f["range"]["start"]["line"] - 1].split(" = ")[1] for f in found}
        self.assertEqual({f"{names[n]}: {n}" for n in missing}, set())

    def test_paths(self):
        """Paths of this project that stand between backticks exist."""
        folders = tuple(f"{d}/" for d in ("compiler", "server", "tests", "docs", "examples", "editors", "protocol", "grammar", "cmake", "packaging"))
        for name, text in self.texts.items():
            for path in re.findall(r"`([\w./*-]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)):  # not within blocks
                if path.startswith(folders):
                    self.assertTrue(glob.glob(os.path.join(ROOT, path)), f"{name}: there is no {path}")


if __name__ == "__main__":
    main()
