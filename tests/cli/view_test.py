#!/usr/bin/env python3
"""view_test.py TILEWRIGHT: `tilewright view`: a page that needs nothing else."""
import base64
import hashlib
import html.parser
import json
import os
import shutil
import subprocess
import sys
import unittest

from case import BINARY, ROOT, Case, Result, main
from scripts import BAD, CONFIGS, GOOD, RACY, TURNED


class View(Case):
    """The page is read as a browser reads it: the frame as HTML, the texts and links as the JSON that it holds."""

    def page(self, *arguments, status=0, **more):
        out = self.path("page.html")
        result = self.expect(status, "view", *arguments, "--html", out, **more)
        with open(out, encoding="utf-8") as f:
            return result, f.read()

    def parts(self, html_text):
        """What stands in the page's elements: {tag: [content]}, and the data."""
        found = {"style": [], "script": []}

        class Reader(html.parser.HTMLParser):
            inside = None

            def handle_starttag(self, tag, attributes):
                attributes = dict(attributes)
                if tag in found:
                    self.inside = found[tag]
                    self.inside.append("")
                if attributes.get("http-equiv") == "Content-Security-Policy":
                    found["policy"] = attributes["content"]
                for name in attributes:
                    assert not name.startswith("on"), (tag, name)
                assert not attributes.get("src") and attributes.get("href", "data:,") == "data:,", (tag, attributes)

            def handle_data(self, data):
                if self.inside is not None:
                    self.inside[-1] += data

            def handle_endtag(self, tag):
                if tag in found:
                    self.inside = None

        Reader().feed(html_text)
        self.assertEqual((len(found["style"]), len(found["script"])), (1, 2))
        return found, json.loads(found["script"][0])

    def lines_of(self, data, kernel, kind, line):
        """The lines of a view, as texts, that came from a line of the script (from 1)."""
        shown = kernel["views"][kind]
        texts, links = data["texts"][shown["text"]].split("\n"), data["texts"][shown["links"]]
        out = []
        for begin, end, first, last in zip(*[iter(links)] * 4):
            if first <= line - 1 < last:
                out += texts[begin:end]
        return "\n".join(out)

    def test_speed_of_each_kernel(self):
        _, text = self.page(self.file("kernel.py", GOOD), "--arch", "sm_90a", "--arch", "sm_80", "--emit", "tirx")
        hopper, ampere = (k["time"] for k in self.parts(text)[1]["kernels"])
        self.assertTrue(hopper["head"][0].startswith("time     modelled"), hopper["head"])
        self.assertTrue(any("of the path" in w for line in hopper["lines"] for w in line["words"]), hopper["lines"])
        self.assertTrue(any("sectors" in w for line in hopper["lines"] for w in line["words"]), hopper["lines"])
        # Lines count from 0, as everywhere in the page.
        asks = [line["line"] for line in hopper["lines"] if any("sectors" in w for w in line["words"])]
        self.assertTrue(all("copy" in GOOD.split("\n")[line] for line in asks), asks)
        self.assertIn("not measured", ampere["head"][0])
        self.assertTrue(ampere["head"][1].startswith("occupancy  "), ampere["head"])
        self.assertEqual((ampere["lines"], ampere["waits"], ampere["advice"]), ([], [], []))

    def test_the_page_shows_what_check_finds_on_the_simulator(self):
        _, text = self.page(self.file("racy.py", RACY), "--emit", "cuda")
        _, data = self.parts(text)
        self.assertIn(("TW5020", 20), [(f["code"], f["line"]) for f in data["findings"]])
        self.assertIn("1 error", data["checked"])
        self.assertTrue(data["checked"].endswith("synchronisation checked"), data["checked"])
        lines = TURNED.split("\n")
        entry = max(i for i, line in enumerate(lines) if "device_entry" in line)
        _, text = self.page(self.file("many.py", "\n".join([*lines[: entry + 1], "    T.cta_id([8000000])", *lines[entry + 1 :]])), "--emit", "cuda")
        _, data = self.parts(text)
        self.assertIn("synchronisation not wholly checked in 1 of 2 kernels", data["checked"])
        self.assertIn("TW5025", [f["code"] for f in data["findings"]])

    def test_lines_of_both_sides_are_linked(self):
        result, text = self.page(self.file("kernel.py", GOOD))
        _, data = self.parts(text)
        self.assertEqual((data["source"], data["dialect"]), (GOOD, "0.25"))
        kernel, = data["kernels"]
        self.assertEqual((kernel["entry"], kernel["arch"]), ("kernel", "sm_90a"))
        copy = 1 + GOOD.splitlines().index("    Tx.warp.copy(A_smem[:, :], A[:, :])")
        self.assertIn("// copy -> gmem_smem: A[0:32, 0:32] -> A_smem", self.lines_of(data, kernel, "cuda", copy))
        self.assertIn("copy → gmem_smem", self.lines_of(data, kernel, "report", copy))
        self.assertIn("T.warp.copy(A_smem", self.lines_of(data, kernel, "tirx", copy))
        self.assertEqual(self.lines_of(data, kernel, "cuda", copy + 1).strip(), "__syncthreads();")
        self.assertEqual(self.lines_of(data, kernel, "cuda", 1), "")  # an import becomes nothing
        (buffer,) = [data["layouts"][i] for i in kernel["layouts"]]
        self.assertEqual((buffer["name"], buffer["scope"], buffer["grid"]["by"]), ("A_smem", "shared", "bank"))
        self.assertEqual(buffer["grid"]["labels"][32:34], ["32", "33"])
        self.assertEqual([a["line"] + 1 for a in buffer["accesses"]], [copy, copy + 2])
        self.assertRegex(result.text, r"page.html  1 kernels, \d+ KB\n$")

    @unittest.skipUnless(os.environ.get("CUDA_HOME"), "no CUDA")
    def test_instructions_are_linked(self):
        _, text = self.page(self.file("kernel.py", GOOD), "--emit", "ptx,sass", "--arch", "sm_80", "--arch", "sm_90a")
        _, data = self.parts(text)
        self.assertEqual([k["arch"] for k in data["kernels"]], ["sm_80", "sm_90a"])
        store = len(GOOD.splitlines())
        for kernel in data["kernels"]:
            self.assertEqual(set(kernel["views"]), {"ptx", "sass"})
            self.assertIn("st.global", self.lines_of(data, kernel, "ptx", store))
            self.assertIn("STG.E", self.lines_of(data, kernel, "sass", store))
            self.assertIn("registers", kernel["resources"])

    def test_a_hostile_script_stays_text(self):
        evil = '</script><script>alert(1)</script><!--<script>\u2028"&\'@DATA@@SCRIPT@'
        script = GOOD + f"# {evil}\nname = {evil!r}\nunknown_{'x' * 10}(name)\n"
        _, text = self.page("-", "--stdin-filename", "a<b>&\"c@STYLE@.py", stdin=script, status=1)
        found, data = self.parts(text)
        self.assertEqual(data["source"], script)
        self.assertEqual(data["file"], 'a<b>&"c@STYLE@.py')
        self.assertNotIn("alert", found["script"][1])
        self.assertEqual(text.count("<script"), 2)
        self.assertIn("<title>a&lt;b&gt;&amp;&quot;c@STYLE@.py", text)

    def test_bytes_that_are_no_text(self):
        _, text = self.page(self.file("kernel.py", GOOD.encode() + b"# \xff\n"), status=1)
        _, data = self.parts(text)
        self.assertEqual([f["code"] for f in data["findings"]], ["TW1001"])

    def test_the_policy_admits_its_own_script_and_style_alone(self):
        _, text = self.page(self.file("kernel.py", GOOD))
        found, _ = self.parts(text)
        policy = dict(part.strip().split(" ", 1) for part in found["policy"].split(";"))
        digest = lambda words: f"'sha256-{base64.b64encode(hashlib.sha256(words.encode()).digest()).decode()}'"  # noqa: E731
        self.assertEqual(policy["default-src"], "'none'")
        self.assertEqual(policy["script-src"], digest(found["script"][1]))
        self.assertEqual(policy["style-src"], digest(found["style"][0]))

    def test_nothing_is_fetched(self):
        _, text = self.page(self.file("kernel.py", GOOD))
        found, _ = self.parts(text)
        for words in (found["style"][0], found["script"][1]):
            self.assertNotRegex(words, r"https?://|@import|url\(|fetch\(|XMLHttpRequest|import\(|innerHTML|eval\(")

    def test_errors_are_shown_with_what_there_is(self):
        result, text = self.page(self.file("kernel.py", BAD), status=1)
        _, data = self.parts(text)
        finding, = data["findings"]
        self.assertEqual((finding["code"], finding["severity"]), ("TW2002", "error"))
        self.assertIn("error[TW2002]", result.errors)
        kernel, = data["kernels"]
        self.assertIn("text", kernel["views"]["tirx"])
        self.assertIn("errors", kernel["views"]["cuda"]["problem"])
        self.assertNotIn("not in the page", result.errors)

    def test_without_nvidias_tools(self):
        # A copy in an empty folder finds none beside itself.
        alone = os.path.join(self.folder, "alone", "tilewright")
        os.mkdir(os.path.dirname(alone))
        shutil.copy(BINARY, alone)
        if os.path.exists("/usr/local/cuda"):
            self.skipTest("/usr/local/cuda is found from everywhere")
        environment = {"PATH": "/nowhere", "HOME": self.folder}
        out = self.path("page.html")
        done = Result(subprocess.run([alone, "view", self.file("kernel.py", GOOD), "--html", out], capture_output=True, env=environment))
        self.assertEqual(done.status, 0, done)
        self.assertIn("not in the page: ptx: no CUDA compiler (NVRTC) found", done.errors)
        self.assertIn("tilewright doctor", done.errors)
        with open(out, encoding="utf-8") as f:
            _, data = self.parts(f.read())
        views = data["kernels"][0]["views"]
        self.assertIn("no CUDA compiler", views["sass"]["problem"])
        self.assertIn("text", views["cuda"])

    def test_entries_and_their_texts_once(self):
        _, text = self.page(self.file("kernel.py", CONFIGS), "--emit", "cuda,plan")
        _, data = self.parts(text)
        self.assertEqual([k["entry"] for k in data["kernels"]], ["get_kernel(**CONFIGS[0])", "get_kernel(**CONFIGS[1])"])
        _, one = self.page(self.file("kernel.py", CONFIGS), "--emit", "cuda", "--entry", "get_kernel(n=7)")
        self.assertEqual([k["entry"] for k in self.parts(one)[1]["kernels"]], ["get_kernel(n=7)"])
        # Two architectures of the same text hold it once.
        _, two = self.page(self.file("kernel.py", GOOD), "--emit", "cuda", "--arch", "sm_80", "--arch", "sm_86")
        _, data = self.parts(two)
        first, second = (k["views"]["cuda"] for k in data["kernels"])
        self.assertEqual(first, second)

    def test_says_what_is_in_it(self):
        path, out = self.file("kernel.py", GOOD), self.path("page.html")
        value = self.fits(self.expect(0, "view", path, "--emit", "cuda,report", "-o", out, "--json").json, "view")
        self.assertEqual((value["file"], value["html"], value["bytes"]), (path, out, os.path.getsize(out)))
        kernel, = value["kernels"]
        self.assertEqual((kernel["views"], kernel["missing"], kernel["layouts"]), (["report", "cuda"], {}, 1))
        broken = self.fits(self.expect(1, "view", self.file("bad.py", BAD), "-o", out, "--json").json, "view")
        self.assertIn("cuda", broken["kernels"][0]["missing"])
        self.assertEqual(broken["diagnostics"][0]["code"], "TW2002")

    def test_standard_streams(self):
        r = self.expect(0, "view", "-", "--stdin-filename", "copy.py", "--emit", "cuda", "--html", "-", stdin=GOOD)
        _, data = self.parts(r.text)
        self.assertEqual(data["file"], "copy.py")

    def test_usage(self):
        good = self.file("good.py", GOOD)
        self.assertIn("--html", self.expect(2, "view", good).errors)
        self.expect(2, "view", good, "--html", "-", "--json")
        self.expect(2, "view", good, "--html", self.path("no/such/folder.html"))
        self.expect(2, "view", self.path("nowhere.py"), "--html", self.path("page.html"))
        self.expect(2, "view", good, "--html", self.path("page.html"), "--emit", "jpeg")
        self.assertIn("unknown architecture", self.expect(2, "view", good, "--html", "x.html", "--arch", "sm_1").errors)
        self.assertIn("no kernel", self.expect(2, "view", self.file("none.py", "x = 1\n"), "--html", self.path("page.html")).errors)
        self.assertFalse(os.path.exists(self.path("page.html")))

    def test_a_large_script_makes_a_page_that_opens(self):
        made = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "bench", "large_script.py"), "--lines", "2000",
                               "--kernels", "40"], capture_output=True, check=True).stdout
        _, text = self.page(self.file("large.py", made), "--emit", "report,tirx,lowered,cuda,plan")
        self.assertEqual(len(self.parts(text)[1]["kernels"]), 40)
        self.assertLess(len(text), 3_000_000)


if __name__ == "__main__":
    main()
