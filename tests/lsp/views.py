#!/usr/bin/env python3
"""Views, their mapping, code lenses and code actions of the language server, with the real binary.

    views.py SERVER [PATTERN]

Where there is no NVRTC, what needs it shows why in the view, and that is what the test expects then.
"""
import glob
import os
import re
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401
from support import schema  # noqa: E402
from support.language_server import Client  # noqa: E402

SERVER = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "tilewright"
URI = "file:///nowhere/script.py"
SCRIPT = '''# tilewright: arch sm_90a sm_80
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 64), "float16")
    B = T.match_buffer(B_ptr, (32, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    T.lane_id([32])
    smem = T.alloc_buffer((32, 64), "float16", scope="shared")
    Tx.warp.copy(smem[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(B[:, :], smem[:, :])
'''
COPY = SCRIPT.split("\n").index("    Tx.warp.copy(smem[:, :], A[:, :])")
KINDS = ["report", "tirx", "lowered", "cuda", "ptx", "sass", "plan"]


def span(line, begin, end):
    return {"start": {"line": line, "character": begin}, "end": {"line": line, "character": end}}


def line_of(text, needle):
    return next(i for i, line in enumerate(text.split("\n")) if needle in line)


def applied(text, edits):
    lines = text.split("\n")
    for e in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
        s, t = e["range"]["start"], e["range"]["end"]
        before = "\n".join(lines[:s["line"]] + [lines[s["line"]][:s["character"]]])
        after = "\n".join([lines[t["line"]][t["character"]:]] + lines[t["line"] + 1:])
        lines = (before + e["newText"] + after).split("\n")
    return "\n".join(lines)


class Session(unittest.TestCase):
    def setUp(self):
        self.maxDiff = None
        self.clients = []
        self.cache = tempfile.TemporaryDirectory()

    def tearDown(self):
        for c in self.clients:
            c.close()
        self.cache.cleanup()

    def client(self, capabilities=None, text=SCRIPT, settings=None):
        c = Client(SERVER, environment={**os.environ, "XDG_CACHE_HOME": self.cache.name})
        self.clients.append(c)
        c.initialize(capabilities, initializationOptions={"tilewright": {"dialect": "0.25", "toolchain": {"check": "off"}, **(settings or {})}})
        c.open(URI, text)
        return c

    def ask(self, c, name, params):
        """As a request and as a command: both answers are the same and fit the schemas."""
        self.assertEqual(schema.check(params, f"lsp_{name}_params"), [])
        result = c.result("tilewright/" + name, params)
        self.assertEqual(schema.check(result, f"lsp_{name}_result"), [])
        return result

    def views(self, c, architecture="sm_90a"):
        found = self.ask(c, "entries", {"textDocument": {"uri": URI}})
        return next(e for e in found if e["architecture"] == architecture)["views"]

    def ready(self, c, uri):
        view = self.ask(c, "view", {"uri": uri})
        while view["state"] == "pending":
            c.notification("tilewright/viewChanged", lambda p: p["uri"] == uri)
            view = self.ask(c, "view", {"uri": uri})
        return view


class Views(Session):
    def test_entries_name_each_kernel_and_architecture(self):
        c = self.client()
        found = self.ask(c, "entries", {"textDocument": {"uri": URI}})
        self.assertEqual([(e["entry"], e["kind"], e["architecture"]) for e in found],
                         [("kernel", "module", "sm_90a"), ("kernel", "module", "sm_80")])
        self.assertEqual(found[0]["range"], span(5, 4, 10))

    def test_each_kind_that_needs_no_tools(self):
        c = self.client()
        wanted = {"report": "copy → gmem_smem", "tirx": "copy(", "lowered": "T.launch_thread",
                  "cuda": "__global__", "plan": '"launch"'}
        for kind, words in wanted.items():
            view = self.ask(c, "view", {"textDocument": {"uri": URI}, "kind": kind})
            self.assertEqual(view["state"], "ready", kind)
            self.assertIn(words, view["text"])
            self.assertEqual(view["uri"], self.views(c)[kind])

    def test_architecture_and_entry_can_be_chosen(self):
        c = self.client()
        view = self.ask(c, "view", {"textDocument": {"uri": URI}, "kind": "tirx", "architecture": "sm_80", "entry": "kernel"})
        self.assertIn("/sm_80/", view["uri"])
        self.assertEqual(c.error("tilewright/view", {"textDocument": {"uri": URI}, "kind": "cuda", "entry": "other()"}), -32803)
        self.assertEqual(c.error("tilewright/view", {"textDocument": {"uri": URI}, "kind": "poem"}), -32602)
        self.assertEqual(c.error("tilewright/view", {"uri": "tilewright://cuda"}), -32602)

    def test_commands_are_the_same_requests(self):
        c = self.client()
        params = {"textDocument": {"uri": URI}, "kind": "cuda"}
        self.assertEqual(c.result("workspace/executeCommand", {"command": "tilewright.view", "arguments": [params]}),
                         c.result("tilewright/view", params))

    def test_every_request_is_a_command(self):
        c = Client(SERVER)
        self.clients.append(c)
        offered = c.initialize()["capabilities"]["executeCommandProvider"]["commands"]
        documented = [n[4:-12] for n in os.listdir(schema.FOLDER) if re.fullmatch(r"lsp_\w+_params\.json", n)]
        self.assertEqual(sorted(offered), sorted(["tilewright.memory"] + ["tilewright." + n for n in documented]))

    def test_content_is_offered_to_those_who_know_it(self):
        c = self.client({"workspace": {"textDocumentContent": {"dynamicRegistration": False}}})
        uri = self.views(c)["cuda"]
        before = c.result("workspace/textDocumentContent", {"uri": uri})["text"]
        c.change(URI, 2, SCRIPT.replace("(32, 64)", "(16, 64)"))
        request = c.server_request("workspace/textDocumentContent/refresh")
        self.assertEqual(request["params"], {"uri": uri})
        after = c.result("workspace/textDocumentContent", {"uri": uri})["text"]
        self.assertNotEqual(before, after)
        self.assertIn("class MBarrier", c.result("workspace/textDocumentContent", {"uri": "tilewright:/prelude/barriers.py"})["text"])
        plain = Client(SERVER)
        self.clients.append(plain)
        self.assertNotIn("textDocumentContent", plain.initialize()["capabilities"].get("workspace", {}))

    def test_others_are_notified_and_only_when_the_text_changes(self):
        c = self.client()
        uri = self.views(c)["cuda"]
        self.ask(c, "view", {"uri": uri})
        c.change(URI, 2, SCRIPT + "# a comment\n")
        c.diagnostics(URI, 2)
        c.change(URI, 3, SCRIPT.replace("(32, 64)", "(16, 64)"))
        changed = c.notification("tilewright/viewChanged")
        self.assertEqual(schema.check(changed, "lsp_viewChanged"), [])
        self.assertEqual(changed, {"uri": uri})
        self.assertFalse([m for m in c.seen if m.get("method") == "tilewright/viewChanged"])

    def test_the_prelude_can_be_read(self):
        c = self.client()
        self.assertIn("class MBarrier", self.ask(c, "view", {"uri": "tilewright:/prelude/barriers.py"})["text"])
        self.assertEqual(c.error("tilewright/view", {"uri": "tilewright:/prelude/nothing.py"}), -32602)

    def test_errors_are_shown_in_the_view(self):
        c = self.client(text=SCRIPT.replace("A[:, :]", "A[:, 0:3]"))
        view = self.ask(c, "view", {"textDocument": {"uri": URI}, "kind": "cuda"})
        self.assertEqual(view["state"], "failed")
        self.assertIn("errors", view["text"])

    def test_opening_a_view_makes_no_script_of_it(self):
        c = self.client()
        uri = self.views(c)["cuda"]
        c.open(uri, "int x;")
        c.settled()
        self.assertFalse([m for m in c.seen if m.get("params", {}).get("uri") == uri])

    def test_ptx_and_sass_follow(self):
        c = self.client()
        views = self.views(c)
        ptx = self.ready(c, views["ptx"])
        if ptx["state"] == "failed":
            self.assertIn("NVRTC", ptx["text"])
            self.skipTest("no NVRTC on this machine")
        self.assertIn(".visible .entry kernel_kernel", ptx["text"])
        sass = self.ready(c, views["sass"])
        found = self.ask(c, "mapping", {"uri": views["ptx"], "range": span(COPY, 4, 10)})
        lines = ptx["text"].split("\n")
        became = [lines[i] for r in found["lines"] for i in range(r["start"], r["end"])]
        self.assertTrue(any("ld.global" in line for line in became), became)
        hover = c.result("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": COPY, "character": 13}})
        self.assertIn("ld.global", hover["contents"]["value"])
        if sass["state"] == "ready":
            self.assertIn("LDG", hover["contents"]["value"])
            at = line_of(sass["text"], "LDG.E")
            back = self.ask(c, "mapping", {"uri": views["sass"], "line": at})
            self.assertEqual(back["locations"][0]["range"]["start"]["line"], COPY)


def children(pid):
    """Processes that `pid` started and that still run."""
    out = []
    for listed in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(listed) as f:
                found = f.read().split()
            for child in found:
                with open(f"/proc/{child}/stat") as f:
                    if f.read().rsplit(")", 1)[1].split()[0] != "Z":
                        out.append(int(child))
        except OSError:  # a thread or a child has ended meanwhile
            continue
    return out


class Recovery(Session):
    def started(self, **settings):
        """A client that hears of the server's health; skips where there is no NVRTC."""
        c = self.client({"experimental": {"tilewright": {"status": True}}}, settings=settings)
        self.assertEqual(c.notification("$/tilewright/status")["health"], "ok")
        return c

    def kill_at_work(self, c, times):
        """Ends the helper each time when it is at work; how often that came about."""
        killed, end = [], time.monotonic() + 30
        while len(killed) < times and time.monotonic() < end:
            for pid in children(c.process.pid):
                if pid not in killed:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
            if any(m.get("method") == "tilewright/viewChanged" for m in c.seen):
                break
            time.sleep(0.001)
        return len(killed)

    def test_a_helper_that_is_killed_is_started_again(self):
        c = self.started()
        # One that is ended before it was given the work breaks nothing: then another text, and again.
        for attempt in range(1, 20):
            c.change(URI, 1 + attempt, SCRIPT.replace("(32, 64)", f"(32, {64 * attempt})"))
            uri = self.views(c)["sass"]
            self.assertEqual(self.ask(c, "view", {"uri": uri})["state"], "pending")
            killed = self.kill_at_work(c, 1)
            view = self.ready(c, uri)
            if view["state"] == "failed" and "NVRTC" in view["text"] and "ended by" not in view["text"]:
                self.skipTest("no NVRTC on this machine")
            self.assertEqual(view["state"], "ready", view["text"])
            if killed and any(m.get("method") == "$/tilewright/status" for m in c.seen):
                break
        health = c.notification("$/tilewright/status")
        self.assertEqual(health["health"], "warning")
        self.assertIn("Killed", health["message"])
        self.assertEqual(c.notification("$/tilewright/status")["health"], "ok")
        # The next one as if nothing had been.
        c.change(URI, 100, SCRIPT.replace("(32, 64)", "(16, 64)"))
        self.assertEqual(self.ready(c, self.views(c)["ptx"])["state"], "ready")
        self.assertEqual(c.shutdown(), 0)

    def test_what_breaks_the_tools_twice_is_told(self):
        c = self.started()
        uri = self.views(c)["sass"]
        self.ask(c, "view", {"uri": uri})
        # One that is ended before it was given the work does not count, so that two may not be enough.
        if self.kill_at_work(c, 10) < 2:
            self.skipTest("no NVRTC on this machine")
        view = self.ready(c, uri)
        self.assertEqual(view["state"], "failed")
        self.assertIn("Killed", view["text"])
        self.assertEqual(c.diagnostics(URI, 1), [])
        self.assertEqual(self.ask(c, "view", {"uri": self.views(c)["cuda"]})["state"], "ready")
        c.change(URI, 2, SCRIPT.replace("(32, 64)", "(16, 64)"))
        self.assertIn(self.ready(c, self.views(c)["ptx"])["state"], ("ready", "failed"))
        c.notification("$/tilewright/status", lambda p: p["health"] == "warning")
        c.notification("$/tilewright/status", lambda p: p["health"] == "ok")

    def test_the_tools_look_when_a_script_is_saved(self):
        c = self.started(toolchain={"check": "save"})
        c.diagnostics(URI, 1)
        ptx = self.views(c)["ptx"]
        time.sleep(1.2)  # longer than they would wait after the last edit
        self.assertEqual(children(c.process.pid), [])
        c.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
        end = time.monotonic() + 120
        while not children(c.process.pid) and time.monotonic() < end:
            time.sleep(0.01)
        if not children(c.process.pid):
            self.skipTest("no NVRTC on this machine")
        # The view was not asked for, and it is made.
        while c.result("$/tilewright/memory")["artifactBytes"] == 0 and time.monotonic() < end:
            time.sleep(0.05)
        self.assertGreater(c.result("$/tilewright/memory")["artifactBytes"], 0)
        self.assertIn(self.ready(c, ptx)["state"], ("ready", "failed"))


class Mapping(Session):
    def test_script_to_each_view_and_back(self):
        c = self.client()
        views = self.views(c)
        for kind in ["report", "tirx", "lowered", "cuda"]:
            text = self.ask(c, "view", {"uri": views[kind]})["text"]
            found = self.ask(c, "mapping", {"uri": views[kind], "range": span(COPY, 4, 20)})
            self.assertEqual(len(found["lines"]), 1, (kind, found))
            first = found["lines"][0]["start"]
            self.assertIn("copy", text.split("\n")[first])
            back = self.ask(c, "mapping", {"uri": views[kind], "line": first})
            self.assertEqual(back["locations"], [{"uri": URI, "range": span(COPY, 4, 37)}], kind)
            self.assertEqual(c.result("textDocument/definition", {"textDocument": {"uri": views[kind]},
                                                                  "position": {"line": first, "character": 0}}),
                             back["locations"])

    def test_lines_of_nobody(self):
        c = self.client()
        uri = self.views(c)["cuda"]
        self.assertEqual(self.ask(c, "mapping", {"uri": uri, "line": 0})["locations"], [])
        self.assertEqual(self.ask(c, "mapping", {"uri": uri, "line": 99999})["locations"], [])
        self.assertEqual(c.error("tilewright/mapping", {"uri": uri}), -32602)


class Diff(Session):
    def test_two_architectures(self):
        c = self.client()
        left, right = self.views(c)["plan"], self.views(c, "sm_80")["tirx"]
        same = self.ask(c, "diff", {"left": left, "right": self.views(c, "sm_80")["plan"]})
        self.assertEqual(same["text"], "")
        other = self.ask(c, "diff", {"left": self.views(c)["lowered"], "right": self.views(c, "sm_80")["lowered"]})
        self.assertIn('-        T.func_attr({"global_symbol": "kernel", "tirx.target": "sm_90a"})', other["text"])
        self.assertIn('+        T.func_attr({"global_symbol": "kernel", "tirx.target": "sm_80"})', other["text"])
        self.assertTrue(other["text"].startswith("--- lowered kernel sm_90a\n+++ lowered kernel sm_80\n@@ -"))
        self.assertIn("@@", self.ask(c, "diff", {"left": left, "right": right})["text"])


class Actions(Session):
    def actions(self, c, line, begin, end, diagnostics=(), **context):
        return c.result("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": span(line, begin, end),
                                                    "context": {"diagnostics": list(diagnostics), **context}})

    def take(self, c, text, title, *where, **context):
        action = next(a for a in self.actions(c, *where, **context) if a["title"] == title)
        return applied(text, action["edit"]["changes"][URI])

    def test_force_a_variant_and_let_go(self):
        c = self.client()
        titles = [a["title"] for a in self.actions(c, COPY, 10, 10) if a["title"].startswith("Force")]
        self.assertEqual(titles, ["Force the variant gmem_smem", "Force the variant fallback"])
        forced = self.take(c, SCRIPT, "Force the variant fallback", COPY, 10, 10)
        self.assertIn('Tx.warp.copy(smem[:, :], A[:, :], dispatch="fallback")\n', forced)
        c.change(URI, 2, forced)
        self.assertEqual(self.take(c, forced, "Let the dispatcher choose", COPY, 10, 10), SCRIPT)

    def test_silence_and_silence_more(self):
        text = SCRIPT.replace("A[:, :])", 'A[:, :], dispatch="fallback")')
        c = self.client(text=text)
        found = [d for d in c.diagnostics(URI, 1) if d["range"]["start"]["line"] == COPY]
        self.assertTrue(found)
        code = found[0]["code"]
        silent = self.take(c, text, f"Silence {code} here", COPY, 10, 10, diagnostics=found)
        self.assertIn(f"  # tilewright: ignore[{code}]\n", silent)
        c.change(URI, 2, silent)
        self.assertFalse([d for d in c.diagnostics(URI, 2) if d["code"] == code])
        more = silent.replace(f"ignore[{code}]", "ignore[TW0000]")
        c.change(URI, 3, more)
        found = [d for d in c.diagnostics(URI, 3) if d["code"] == code]
        self.assertIn(f"ignore[TW0000, {code}]", self.take(c, more, f"Silence {code} here", COPY, 10, 10, diagnostics=found))

    def test_misspelt_names(self):
        text = SCRIPT.replace("copy(smem[:, :], A", "copy(smme[:, :], A")
        c = self.client(text=text)
        found = [d for d in c.diagnostics(URI, 1) if d["code"] == "TW2002"]
        self.assertEqual(self.take(c, text, "Replace by smem", COPY, 17, 17, diagnostics=found, only=["quickfix"]), SCRIPT)

    def test_kernels_that_need_arguments(self):
        text = "from tvm.script import tirx as T\n\n\ndef make(n):\n" + "".join(
            "    " + line + "\n" for line in SCRIPT.split("\n")[4:] if line) + "    return kernel\n"
        c = self.client(text=text)
        found = c.diagnostics(URI, 1)
        comment = next(a for a in self.actions(c, 3, 4, 8, diagnostics=found) if a["title"] == "Add an entry comment")
        self.assertIn("\n# tilewright: entry make(n)\ndef make(n):", applied(text, comment["edit"]["changes"][URI]))

    def test_pin_an_entry(self):
        c = self.client()
        pinned = self.take(c, SCRIPT, "Pin the entry kernel", 5, 6, 6)
        self.assertIn("\n# tilewright: entry kernel\n@T.prim_func\n", pinned)
        c.change(URI, 2, pinned)
        self.assertFalse([a for a in self.actions(c, 6, 6, 6) if a["title"].startswith("Pin")])

    def test_guard_with_one_lane(self):
        text = SCRIPT.replace("Tx.warp.copy(smem[:, :], A[:, :])", "Tx.warp.copy_async(smem[:, :], A[:, :], dispatch=\"tma\")")
        c = self.client(text=text)
        self.assertFalse([d for d in c.diagnostics(URI, 1) if d["code"] == "TW3107"])  # a warp elects for itself
        text = (SCRIPT.replace("32, 64), \"float16\", scope", "8, 64), \"float16\", scope")
                .replace("Tx.warp.copy(smem[:, :], A[:, :])", "Tx.copy_async(smem[:, :], A[0:8, :], dispatch=\"tma\",\n        mbar=arrived.ptr_to([0]))")
                .replace("    smem =", "    arrived = T.alloc_shared([1], \"uint64\")\n    smem =").replace(" sm_80", ""))
        line = line_of(text, "Tx.copy_async")
        c.change(URI, 2, text)
        found = [d for d in c.diagnostics(URI, 2) if d["code"] == "TW3107"]
        self.assertEqual(len(found), 1)
        self.assertIn("elect_sync", found[0]["message"])
        guarded = self.take(c, text, "Guard with one elected lane", line, 10, 10, diagnostics=found)
        self.assertIn("    if T.ptx.elect_sync():\n        Tx.copy_async(smem[:, :], A[0:8, :], dispatch=\"tma\",\n", guarded)
        c.change(URI, 3, guarded)
        self.assertFalse([d for d in c.diagnostics(URI, 3) if d["code"] == "TW3107"])

    def test_fixes_travel_with_the_diagnostic(self):
        text = SCRIPT.replace("    T.warp_id", "    spare = T.alloc_local((4,), \"float32\")\n    T.warp_id")
        for capabilities in (None, {"textDocument": {"publishDiagnostics": {"dataSupport": True}}}):
            c = self.client(capabilities, text=text)
            found = c.diagnostics(URI, 1)
            self.assertEqual([d["code"] for d in found], ["TW2301"])
            self.assertEqual(found[0].get("data"), {"fix": {"kind": "replace", "title": "Rename to _spare", "text": "_spare"}}
                             if capabilities else None)
            line = found[0]["range"]["start"]["line"]
            mended = self.take(c, text, "Rename to _spare", line, 4, 9, diagnostics=found)
            self.assertEqual(mended, text.replace("spare", "_spare"))
        # Data is the client's to keep: what came with the diagnostic counts, and nonsense is none.
        found[0]["data"] = {"fix": {"kind": "replace", "title": "Rename to other", "text": "other"}}
        self.assertIn("    other = T.alloc", self.take(c, text, "Rename to other", line, 4, 9, diagnostics=found))
        for data in ({}, {"fix": 3}, {"fix": {"kind": "explode", "title": "x", "text": "y"}}, {"fix": {"kind": "replace"}}):
            found[0]["data"] = data
            titles = [a["title"] for a in self.actions(c, line, 4, 9, diagnostics=found)]
            self.assertEqual(titles, ["Silence TW2301 here"], data)

    def test_words_of_other_tools(self):
        text = SCRIPT.replace("    T.cuda.cta_sync()\n", "    if T.elected():\n        T.cuda.cta_sync()\n")
        c = self.client(text=text)
        found = [d for d in c.diagnostics(URI, 1) if d["code"] == "TW2003"]
        mended = self.take(c, text, "Write T.ptx.elect_sync()", line_of(text, "elected"), 8, 8, diagnostics=found)
        self.assertIn("    if T.ptx.elect_sync():\n", mended)


class Lenses(Session):
    def test_lenses(self):
        c = self.client()
        lenses = c.result("textDocument/codeLens", {"textDocument": {"uri": URI}})
        titles = [x["command"]["title"] for x in lenses]
        self.assertEqual(titles[0], "entry kernel for sm_90a (and 1 more)")
        self.assertEqual(titles[1], "4,096 B shared")
        self.assertIn("run on sim", titles)
        self.assertIn("run on gpu", titles)
        self.assertNotIn("run on lab", titles)  # only what is configured
        for lens in lenses:
            name = lens["command"]["command"].split(".")[1]
            self.assertEqual(schema.check(lens["command"]["arguments"][0], f"lsp_{name}_params"), [])

    def test_resources_follow(self):
        c = self.client()
        if self.ready(c, self.views(c)["ptx"])["state"] == "failed":
            self.skipTest("no NVRTC on this machine")
        titles = [x["command"]["title"] for x in c.result("textDocument/codeLens", {"textDocument": {"uri": URI}})]
        self.assertRegex(titles[1], r"^\d+ registers · no spills · 4,096 B shared · \d+ CTAs a multiprocessor \(bound by .*\), \d+ % of its warps$")

    def test_switched_off(self):
        c = self.client(settings={"codeLens": False, "inlayHints": {"variants": False}})
        self.assertEqual(c.result("textDocument/codeLens", {"textDocument": {"uri": URI}}), [])
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        hints = c.result("textDocument/inlayHint", {"textDocument": {"uri": URI}, "range": everything})
        self.assertFalse([h for h in hints if "→" in h["label"]])

    def test_hints_of_a_range(self):
        c = self.client()
        hints = c.result("textDocument/inlayHint", {"textDocument": {"uri": URI}, "range": span(COPY, 0, 60)})
        self.assertEqual([h["label"] for h in hints], ["→ gmem_smem · 128-bit · ×8 · 4,096 B"])
        self.assertEqual(hints[0]["position"], {"line": COPY, "character": 37})

    def test_only_saved_scripts_run(self):
        c = self.client()
        params = {"textDocument": {"uri": URI}, "entry": "kernel", "on": "gpu"}
        self.assertEqual(c.error("tilewright/run", params), -32803)
        self.assertEqual(c.error("tilewright/run", {**params, "on": "the moon"}), -32602)

    def test_run(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(os.path.realpath(folder), "script.py")
            with open(path, "w", encoding="utf-8") as f:
                f.write(SCRIPT)
            c = self.client()
            result = self.ask(c, "run", {"textDocument": {"uri": "file://" + path}, "entry": "kernel", "on": "gpu"})
            simulated = self.ask(c, "run", {"textDocument": {"uri": "file://" + path}, "entry": "kernel", "on": "sim"})
        self.assertEqual((simulated["status"], simulated["report"]["verdict"]), (0, "unverified"))
        # What the script's comment says is heard, and what it says wrongly.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(os.path.realpath(folder), "script.py")
            runs = []
            for comment in ("A=arange schedules=1", "A=arnge"):
                with open(path, "w", encoding="utf-8") as f:
                    f.write(SCRIPT + "\n# tilewright: run kernel " + comment + "\n")
                runs.append(self.ask(c, "run", {"textDocument": {"uri": "file://" + path}, "entry": "kernel", "on": "sim"}))
        self.assertEqual(runs[0]["report"]["tensors"][0]["source"], "arange")
        self.assertEqual(runs[1]["status"], 2)
        self.assertIn("did you mean arange?", runs[1]["messages"])
        # Without a GPU it says what is missing; with one it runs.
        self.assertIn(result["status"], (0, 2))
        self.assertTrue(result["report"] or result["messages"])


class Log(Session):
    # NVRTC warns of a variable that is not used.
    TEXT = SCRIPT.replace("    T.cuda.cta_sync()", '    T.cuda.func_call("f", source_code="__device__ void f() { int unused; }")')

    def test_nvrtc_is_heard_after_the_fact(self):
        c = self.client(text=self.TEXT, settings={"toolchain": {"check": "idle"}})
        self.assertFalse([d for d in c.diagnostics(URI, 1) if d["code"] == "TW6001"])
        if self.ready(c, self.views(c)["ptx"])["state"] == "failed":
            self.skipTest("no NVRTC on this machine")
        later = c.notification("textDocument/publishDiagnostics", lambda p: any(d["code"] == "TW6001" for d in p["diagnostics"]))
        self.assertEqual(later["version"], 1)
        # Typed over: what was said of the other text is gone at once.
        c.change(URI, 2, SCRIPT)
        self.assertFalse([d for d in c.diagnostics(URI, 2) if d["code"] == "TW6001"])
        c.change(URI, 3, self.TEXT)
        self.assertTrue([d for d in c.diagnostics(URI, 3) if d["code"] == "TW6001"])

    def test_pulled_diagnostics_have_it_too(self):
        c = self.client({"textDocument": {"diagnostic": {}}}, text=self.TEXT)
        if self.ready(c, self.views(c)["ptx"])["state"] == "failed":
            self.skipTest("no NVRTC on this machine")
        report = c.result("textDocument/diagnostic", {"textDocument": {"uri": URI}})
        self.assertIn("TW6001", [d["code"] for d in report["items"]])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + (["-k", sys.argv[1]] if len(sys.argv) > 1 else []))
