#!/usr/bin/env python3
"""check_test.py TILEWRIGHT: `tilewright check`: its formats, folders, settings and entries."""
import json
import os
import xml.etree.ElementTree as ElementTree

from case import Case, main
from scripts import BAD, CONFIGS, FACTORY, FALLBACK, GOOD

TENSOR_MEMORY = """\
from tvm.script import tirx as T
@T.prim_func
def kernel(A: T.Buffer((128,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    address = T.alloc_shared((1,), "uint32")
    T.ptx.tcgen05.alloc(T.address_of(address[0]), n_cols=512, cta_group=1)
    T.ptx.tcgen05.dealloc(address[0], n_cols=512, cta_group=1)
"""


class Check(Case):
    def test_text_names_place_and_rule(self):
        r = self.expect(1, "check", self.file("bad.py", BAD))
        self.assertRegex(r.text, r"bad\.py:16:\d+: error\[TW2\d\d\d\]: .*nothing")
        self.assertIn("1 error", r.errors)

    def test_no_colours_when_not_a_terminal(self):
        bad = self.file("bad.py", BAD)
        for command in (["check", bad], ["compile", bad], ["explain", bad], ["doctor"]):
            r = self.run_it(*command, env={"TERM": "xterm-256color"})
            self.assertNotIn(b"\x1b", r.out + r.err)

    def test_standard_input(self):
        r = self.expect(1, "check", "-", "--stdin-filename", "shown.py", stdin=BAD)
        self.assertIn("shown.py:16:", r.text)
        self.assertIn("<stdin>:16:", self.expect(1, "check", "-", stdin=BAD).text)
        self.assertEqual(self.expect(0, "check", "-", stdin=GOOD).text, "")

    def test_standard_input_imports_beside_its_name(self):
        self.file("pkg/sizes.py", "ROWS = 32\n")
        text = GOOD.replace("(32, 32)", "(ROWS, 32)").replace("@T.prim_func", "from sizes import ROWS\n\n@T.prim_func", 1)
        self.expect(0, "check", "-", "--stdin-filename", self.path("pkg/kernel.py"), stdin=text)

    def test_what_is_imported_and_cannot_be_read(self):
        self.file("half/sizes.py", "ROWS = 64\ndef half(:\n    pass\n")
        importing = GOOD.replace("(32, 32)", "(ROWS, 32)").replace("@T.prim_func", "from sizes import ROWS\n\n@T.prim_func", 1)
        script = self.file("half/kernel.py", importing)
        r = self.expect(1, "check", script)
        self.assertRegex(r.text, r"kernel.py:\d+:1: error\[TW1001\]: .*sizes.py cannot be read: unclosed")
        self.assertIn("sizes.py:2:9: here", r.text)
        # Where the script is ready for that, nothing of the file counts, as in Python.
        ready = "try:\n    from sizes import ROWS\nexcept SyntaxError:\n    ROWS = 32\n"
        self.expect(0, "check", self.file("half/ready.py", importing.replace("from sizes import ROWS\n", ready)))
        plan = self.fits(self.expect(0, "compile", self.path("half/ready.py"), "--emit", "plan", "--json").json, "compile")
        self.assertIn('"shape": [32, 32]', json.dumps(plan["kernels"][0]["plan"]))
        self.assertEqual([os.path.basename(f) for f in plan["files"]], ["ready.py"])
        # What was read is told: for those who watch files.
        self.file("half/sizes.py", "ROWS = 32\n")
        self.file("half/tilewright.toml", "")
        read = self.fits(self.expect(0, "compile", script, "--json").json, "compile")["files"]
        self.assertEqual([os.path.basename(f) for f in read], ["kernel.py", "sizes.py", "tilewright.toml"])

    def test_folder(self):
        self.file("tree/a.py", GOOD)
        self.file("tree/deep/b.py", BAD)
        self.file("tree/notes.txt", "no script")
        self.file("tree/.hidden/c.py", BAD)
        r = self.expect(1, "check", self.path("tree"))
        self.assertIn("in 2 files with 2 kernels", r.errors)
        report = self.fits(self.expect(1, "check", self.path("tree"), "--json").json, "check")
        self.assertEqual([os.path.relpath(f, self.folder) for f in report["files"]], ["tree/a.py", "tree/deep/b.py"])
        self.expect(0, "check", self.path("tree/.hidden/..") + "/a.py")

    def test_folder_of_other_python(self):
        """Only tile scripts count: what speaks of tvm, and what imports it from its own root."""
        self.file("tree/pkg/__init__.py", "")
        self.file("tree/pkg/factory.py", GOOD)
        self.file("tree/pkg/uses.py", "import os\nif os:\n    from .factory import (\n        kernel)\n")
        self.file("tree/pkg/indirect.py", "from pkg import uses\n")
        self.file("tree/pkg/loop_a.py", "import pkg.loop_b\n")
        self.file("tree/pkg/loop_b.py", "import pkg.loop_a\n")
        self.file("tree/tool.py", "while True:\n    print 'another Python'\n")
        report = self.fits(self.expect(0, "check", self.path("tree"), "--json").json, "check")
        self.assertEqual([os.path.basename(f) for f in report["files"]], ["factory.py", "indirect.py", "uses.py"])
        self.assertIn("4 other Python files without tile scripts", self.expect(0, "check", self.path("tree")).errors)
        self.expect(1, "check", self.path("tree/tool.py"))  # what is named is looked at

    def test_errors_cannot_be_silenced(self):
        """Neither a comment nor a setting makes a failed kernel fine, whatever the command and its format."""
        undefined = self.file("silent/undefined.py", BAD.replace("nothing[:, :])", "nothing[:, :])  # tilewright: ignore[TW2002]"))
        refused = self.file("silent/refused.py", GOOD.replace("Tx.warp.copy(B[:, :], A_smem[:, :])",
                                                              "Tx.warp.copy_async(B[:, :], A_smem[0:1, :])  # tilewright: ignore"))
        self.file("silent/tilewright.toml", '[severity]\nTW2002 = "off"\nTW3104 = "hint"\n')
        for script in (undefined, refused):
            for command in (["check"], ["check", "--json"], ["check", "--format", "sarif"], ["check", "--format", "github"],
                            ["check", "--format", "junit"], ["compile"], ["compile", "--json"], ["compile", "--emit", "cuda"]):
                self.expect(1, command[0], script, *command[1:])
            found = self.fits(self.expect(1, "check", script, "--json").json, "check")["diagnostics"]
            self.assertEqual([d["severity"] for d in found if d["code"] != "TW2302"], ["error"])
            self.assertEqual([d["severity"] for d in found if d["code"] == "TW2302"], ["warning"])
        # The setting that does not hold is told.
        self.assertIn("[severity] of tilewright.toml does not hold", self.expect(1, "check", undefined).text)

    def test_called_from(self):
        """An error in a function that host code calls names the calls on the way, innermost first."""
        script = self.file("called.py", FACTORY.replace("def make(", "def checked(rows):\n    return rows * tile_rows\n\ndef make(")
                           .replace("    @T.prim_func", "    rows = checked(rows)\n    @T.prim_func", 1) + "\nk = make(4, 4)\n")
        report = self.fits(self.expect(1, "check", script, "--json").json, "check")
        (found,) = [d for d in report["diagnostics"] if d["severity"] == "error"]
        lines = open(script).read().split("\n")
        at = lambda r: lines[r["start"]["line"] - 1][r["start"]["column"] - 1:r["end"]["column"] - 1]
        self.assertEqual((found["code"], at(found["range"])), ("TW2002", "tile_rows"))
        self.assertEqual([(r["message"], at(r["range"])) for r in found["related"]],
                         [("called from here", "checked(rows)"), ("called from here", "make(4, 4)")])
        # What an entry in a comment raises is told there, with the place that raises it.
        text = "# tilewright: entry make(4, 4)\n" + open(script).read().replace("rows * tile_rows", "{8: 2}[rows]").replace("\nk = make(4, 4)\n", "")
        script = self.file("raised.py", text)
        (found,) = [d for d in self.expect(1, "check", script, "--json").json["diagnostics"] if d["severity"] == "error"]
        lines = text.split("\n")
        self.assertEqual((found["code"], found["range"]["start"]["line"]), ("TW2201", 1))
        self.assertEqual([(r["message"], at(r["range"])) for r in found["related"]],
                         [("raised here", "{8: 2}[rows]"), ("called from here", "checked(rows)")])

    def test_neighbours(self):
        """A misspelt neighbour is found in the folder; what is not here and near to nothing is a package of others."""
        self.file("near/helpers.py", "ROWS = 32\n")
        self.file("near/pkg/__init__.py", "")
        for line, token in (("from helprs import ROWS", "helprs"), ("from helpers import ROSW as ROWS", "ROSW"),
                            ("from .helper import ROWS", "helper"), ("from numpyy import ROWS", "numpyy")):
            script = self.file("near/kernel.py", GOOD.replace("(32, 32)", "(ROWS, 32)").replace("@T.prim_func", line + "\n\n@T.prim_func", 1))
            found = self.fits(self.expect(1, "check", script, "--json").json, "check")["diagnostics"]
            self.assertEqual(len(found), 1, found)
            at = found[0]["range"]
            text = open(script).read().split("\n")[at["start"]["line"] - 1]
            self.assertEqual(text[at["start"]["column"] - 1:at["end"]["column"] - 1], token)
        for line in ("import somebodys_package", "from pkg_of_mine.sub import x", "import torch, triton.language as tl"):
            script = self.file("near/kernel.py", GOOD.replace("@T.prim_func", line + "\n\n@T.prim_func", 1))
            self.expect(0, "check", script)

    def test_host_packages_are_not_read_from_their_files(self):
        """An installed library lies beside torch itself, which is no script."""
        self.file("site/torch/__init__.py", "class float16:\n    pass\nraise RuntimeError('a package of C')\n")
        self.file("site/numpy/__init__.py", "float32 = undefined_name\n")
        self.file("site/lib/__init__.py", "")
        path = self.file("site/lib/kernel.py", "import numpy as np\nimport torch\n" + GOOD + (
            "\nBYTES = {torch.float16: 2, np.float32: 4}\nassert BYTES[torch.float16] + torch.float16.itemsize == 4\n"))
        self.expect(0, "check", path)

    def test_entry_of_configs_that_are_searched_for(self):
        """Where a list ends at a limit, an entry of it says so."""
        path = self.file("searched.py", "from tvm.script import tirx as T\n" + (
            "CONFIGS = [{'n': n} for n in range(3000) if all(n % m for m in range(2, n))]\n\n"
            "def get_kernel(n):\n    return n\n"))
        done = self.expect(1, "check", path, "--limit", "steps=20000", "--entry", "get_kernel(**CONFIGS[7])")
        self.assertIn("yields no kernel that is known here: it comes from a statement that failed: the script takes more "
                      "than 20000 steps", done.text)

    def test_lines_of_configs_beyond_a_limit(self):
        """What all lines together would take too much for is said, and is no error."""
        path = self.file("many.py", """# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

CONFIGS = [{"n": n} for n in range(1, 41)]


def get_kernel(n):
    @txl.kernel(warps=1, arch="sm_90a", grid=n)
    def kernel(a: txl.gptr[txl.f32, (32,)]):
        for i in range(60):
            txl.ptx.st.global_.f32(a.ptr_to([txl.lane_id()]), txl.float32(i))

    return kernel
""")
        done = self.expect(0, "check", path, "--limit", "steps=12000")
        self.assertRegex(done.text, r"information\[TW2119\]: get_kernel\(\*\*CONFIGS\[\d+\]\) and the lines of CONFIGS after it")
        self.assertNotIn("TW2009", done.text)
        self.assertRegex(done.errors, r"; \d+ functions not checked")
        self.expect(1, "check", path, "--limit", "steps=12000", "--deny", "unchecked")
        alone = self.expect(0, "check", path, "--limit", "steps=12000", "--entry", "get_kernel(**CONFIGS[39])", "--deny", "unchecked")
        self.assertNotIn("function", alone.errors)

    def test_empty_folder(self):
        os.mkdir(self.path("empty"))
        self.expect(0, "check", self.path("empty"))

    def test_deny(self):
        path = self.file("fallback.py", FALLBACK)
        self.assertIn("warning[TW3106]", self.expect(0, "check", path).text)
        self.assertIn("error[TW3106]", self.expect(1, "check", path, "--deny", "fallback").text)
        self.assertIn("error[TW3106]", self.expect(1, "check", path, "--deny", "TW3106").text)
        self.expect(2, "check", path, "--deny", "TW0000")
        ignored = self.file("ignored.py", FALLBACK.replace("[:, :])\n", "[:, :])  # tilewright: ignore[TW3106]\n"))
        self.assertEqual(self.expect(0, "check", ignored, "--deny", "fallback").text, "")

    def test_settings(self):
        path = self.file("project/deep/fallback.py", FALLBACK)
        settings = lambda text: self.file("project/tilewright.toml", text)  # noqa: E731
        settings('[severity]\nTW3106 = "error"\n')
        self.assertIn("error[TW3106]", self.expect(1, "check", path).text)
        settings('[severity]\nTW3106 = "off"\n')
        self.assertEqual(self.expect(0, "check", path).text, "")
        settings("[limits]\nsteps = 50\n")
        self.expect(1, "check", path)
        for wrong in ("[severity]\nTW3106 = 'loud'\n", "[severity]\nTW0000 = 'off'\n", "[limits]\nsteps = -1\n", "[limit]\n",
                      "[limits]\nsteps = 'many'\n", "[limits]\nwidth = 3\n", "not toml", "[limits]\ndepth = 1000000\n"):
            settings(wrong)
            r = self.expect(2, "check", path)
            self.assertRegex(r.errors, r"tilewright\.toml:\d+: ", wrong)

    def test_dialect(self):
        path = self.file("project/release.py", GOOD)
        for command in (["check"], ["compile"], ["explain"], ["entries"]):
            for release in ("0.25", "0.26", "0.27"):
                self.expect(0, *command, path, "--dialect", release)
            self.assertIn("there is no release '9'", self.expect(2, *command, path, "--dialect", "9").errors)
        r = self.expect(2, "run", path, "--on", "gpu", "--dialect", "9")
        self.assertIn("there is no release '9' of the dialect; this version reads 0.25, 0.26, 0.27", r.errors)
        later = self.file("project/later.py", "# tilewright: dialect 9\n" + GOOD)
        r = self.expect(1, "check", later)
        self.assertIn("later.py:1:1: error[TW2204]: there is no release '9' of the dialect", r.text)
        self.assertIn("TW2204", self.expect(1, "entries", later).errors)
        self.expect(0, "check", later, "--dialect", "0.25")  # said outright
        self.expect(0, "check", self.file("project/same.py", "# tilewright: tvm=0.25\n" + GOOD))
        self.file("project/tilewright.toml", 'dialect = "9"\n')
        r = self.expect(2, "check", path)
        self.assertRegex(r.errors, r"tilewright\.toml:1: there is no release '9' of the dialect")
        self.file("project/tilewright.toml", 'dialect = "0.25"\n')
        self.expect(0, "check", path)

    def test_entry(self):
        path = self.file("factory.py", FACTORY)
        self.expect(0, "check", path, "--entry", "make(64, 64)")
        self.assertIn("with 2 kernels", self.expect(0, "check", path, "--entry", "make(64, 64)", "--entry", "make(8, 16)").errors)
        r = self.expect(1, "check", path, "--entry", "make(1")
        self.assertIn("error[", r.text)
        self.expect(1, "check", path, "--entry", "no_such(1)")

    def test_a_factory_without_arguments_is_mentioned(self):
        r = self.expect(0, "check", self.file("factory.py", FACTORY))
        self.assertIn("make(rows, columns", r.text)

    def test_an_entry_that_names_what_failed(self):
        """What a failed statement would have made is missing in the kernel, which says so with --entry, too."""
        kernel = ("@T.prim_func\ndef {0}(y: T.Buffer((64,), 'int32')):\n    T.device_entry()\n    T.cta_id([1])\n"
                  "    t = T.thread_id([32])\n    y[t] = {1}\n")
        path = self.file("lacks.py", "# tilewright: dialect 0.27\nfrom tvm.script import tirx as T\n\nWIDTH = T.widthh(3)\n" +
                         kernel.format("reads", "WIDTH") + kernel.format("plain", "3"))
        self.assertIn("has no attribute 'widthh'", self.expect(1, "check", path, "--entry", "reads").text)
        self.expect(1, "compile", path, "--entry", "reads", "--emit", "cuda")
        self.expect(0, "check", path, "--entry", "plain")
        path = self.file("through.py", "# tilewright: dialect 0.27\nimport lacks\nfrom tvm.script import tirx as T\n" +
                         kernel.format("through", "lacks.WIDTH"))
        self.assertIn("has no attribute 'widthh'", self.expect(1, "check", path, "--entry", "through").text)

    def test_an_entry_in_brackets(self):
        r = self.expect(0, "check", self.file("make.py", FACTORY), "--entry", "[make(n, 64) for n in (64, 128)][1]")
        self.assertIn("1 kernel", r.errors)
        r = self.expect(0, "check", self.path("make.py"), "--entry", "[make(n, 64) for n in (64, 128)]")
        self.assertIn("2 kernels", r.errors)

    def test_architectures_of_the_file(self):
        text = "# tilewright: arch sm_80 sm_90a\n" + GOOD
        path = self.file("good.py", text)
        self.expect(0, "check", path)
        cases = ElementTree.fromstring(self.expect(0, "check", path, "--format", "junit").out).iter("testcase")
        self.assertEqual(sorted(c.get("name") for c in cases), sorted([path, "kernel [sm_80]", "kernel [sm_90a]"]))
        # The same finding for both is said once.
        bad = self.file("bad.py", "# tilewright: arch sm_80 sm_90a\n" + BAD)
        self.assertEqual(len(self.expect(1, "check", bad, "--json").json["diagnostics"]), 1)
        # One that does not exist is a finding where it stands, and the others are looked at.
        odd = self.expect(1, "check", self.file("odd.py", "# tilewright: arch sm_80 sm_zz\n" + GOOD), "--json").json
        self.assertEqual([(d["code"], d["range"]["start"]) for d in odd["diagnostics"]],
                         [("TW2313", {"line": 1, "column": 26})])

    def test_an_entry_of_configs(self):
        path = self.file("configs.py", CONFIGS)
        listed = self.fits(self.expect(0, "entries", path, "--json").json, "entries")["entries"]
        self.assertEqual([(e["entry"], e["kind"]) for e in listed],
                         [(f"get_kernel(**CONFIGS[{i}])", "configs") for i in range(2)])
        # As it is listed it can be asked for, although Python would not take the label.
        for e in listed:
            self.assertIn("1 kernel", self.expect(0, "check", path, "--entry", e["entry"]).errors)
        self.assertIn("2 kernels", self.expect(0, "check", path).errors)

    def test_who_says_the_architecture(self):
        def made(text, *options):
            answer = self.expect(0, "compile", self.file("project/k.py", text), "--json", *options).json
            (kernel,) = self.fits(answer, "compile")["kernels"]
            return kernel["arch"], kernel["arch_from"]

        meta = GOOD + 'KERNEL_META = {"name": "kernel", "compute_capability": 10}\n'
        comment = "# tilewright: arch sm_80\n" + meta
        self.assertEqual(made(GOOD), ("sm_90a", {"source": "default"}))
        for capability, arch in (("10", "sm_100a"), ("9", "sm_90a"), ("8.9", "sm_89"), ('"10.3"', "sm_103a"), ("(12, 0)", "sm_120a"),
                                 ("[10]", "sm_100a"), ('"sm_80"', "sm_80")):
            text = meta.replace('"compute_capability": 10', f'"compute_capability": {capability}')
            self.assertEqual(made(text), (arch, {"source": "kernel_meta"}), capability)
        self.assertEqual(made(GOOD + "KERNEL_META: dict = dict(compute_capability=10)\n")[0], "sm_100a")
        self.assertEqual(made(GOOD + 'import torch\nKERNEL_META = {"compute_capability": torch.x}\n')[0], "sm_90a")
        settings = self.file("project/tilewright.toml", 'arch = ["sm_120a", "sm_80"]\n')
        self.assertEqual(made(meta), ("sm_120a", {"source": "settings"}))
        self.assertEqual(made(comment), ("sm_80", {"source": "comment"}))
        self.assertEqual(made(comment, "--arch", "sm_89"), ("sm_89", {"source": "option"}))
        for wrong in ('arch = "sm_1"', "arch = 90", "arch = [[]]"):
            self.file("project/tilewright.toml", wrong + "\n")
            self.assertIn("arch", self.expect(2, "check", self.path("project/k.py")).errors)
        os.remove(settings)

    def test_the_architecture_is_found_out(self):
        path = self.file("memory.py", TENSOR_MEMORY)
        r = self.expect(0, "check", path)
        self.assertIn("memory.py:8:5: information[TW2311]: compiled for sm_100a, from tcgen05.alloc in line 8", r.text)
        self.assertEqual(r.text.count("TW2311"), 1)
        answer = self.fits(self.expect(0, "compile", path, "--json").json, "compile")
        (kernel,) = answer["kernels"]
        self.assertEqual(kernel["arch"], "sm_100a")
        self.assertEqual({k: kernel["arch_from"][k] for k in ("source", "call")}, {"source": "calls", "call": "tcgen05.alloc"})
        self.assertEqual(kernel["arch_from"]["range"]["start"], {"line": 8, "column": 5})
        # Said once and for all by the comment that the finding offers, and against an option that does not fit.
        self.assertEqual(self.expect(0, "check", self.file("said.py", "# tilewright: arch sm_100a\n" + TENSOR_MEMORY)).text, "")
        self.assertIn("TW2111", self.expect(1, "check", path, "--arch", "sm_90a").text)

    def test_json(self):
        report = self.fits(self.expect(1, "check", self.file("bad.py", BAD), "--format", "json").json, "check")
        (d,) = report["diagnostics"]
        self.assertEqual(d["range"]["start"]["line"], 16)
        self.assertEqual(d["range"]["start"]["column"], BAD.split("\n")[15].index("nothing") + 1)
        self.assertEqual(d["range"]["end"]["column"], d["range"]["start"]["column"] + len("nothing"))

    def test_columns_count_code_points(self):
        line = "Tx.warp.copy(B[:, :], nothing[:, :])"
        report = self.expect(1, "check", self.file("wide.py", BAD.replace(line, 'x = "é𝄞"; ' + line)), "--json").json
        starts = [d["range"]["start"]["column"] for d in report["diagnostics"] if "nothing" in d["message"]]
        self.assertEqual(starts, [5 + len('x = "é𝄞"; ') + line.index("nothing")])

    def test_sarif(self):
        for text, status, count in ((BAD, 1, 1), (GOOD, 0, 0), (FALLBACK, 0, 2)):
            log = self.expect(status, "check", self.file("kernel.py", text), "--format", "sarif").json
            self.assertEqual(log["version"], "2.1.0")
            (run,) = log["runs"]
            driver = run["tool"]["driver"]
            self.assertEqual(driver["name"], "tilewright")
            rules = [rule["id"] for rule in driver["rules"]]
            self.assertEqual(len(rules), len(set(rules)))
            self.assertEqual(len(run["results"]), count)
            for result in run["results"]:
                self.assertIn(result["ruleId"], rules)
                self.assertIn(result["level"], ("error", "warning", "note"))
                self.assertTrue(result["message"]["text"])
                (location,) = result["locations"]
                physical = location["physicalLocation"]
                self.assertTrue(physical["artifactLocation"]["uri"])
                region = physical["region"]
                self.assertGreaterEqual(region["startLine"], 1)
                self.assertGreaterEqual((region["endLine"], region["endColumn"]), (region["startLine"], region["startColumn"]))

    def test_sarif_uris_are_escaped(self):
        log = self.expect(1, "check", self.file("a b#ü%.py", BAD), "--format", "sarif").json
        uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertTrue(uri.endswith("a%20b%23%C3%BC%25.py"), uri)

    def test_github(self):
        r = self.expect(1, "check", self.file("bad,name.py", BAD), "--format", "github")
        (line,) = r.text.splitlines()
        self.assertRegex(line, r"^::error file=.*bad%2Cname\.py,line=16,endLine=16,col=\d+,.*title=TW\d{4}::.+")
        self.assertEqual(self.expect(0, "check", self.file("good.py", GOOD), "--format", "github").text, "")

    def test_junit(self):
        root = ElementTree.fromstring(self.expect(1, "check", self.file("<&>.py", BAD), "--format", "junit").out)
        self.assertEqual(root.tag, "testsuites")
        self.assertEqual(root.get("tests"), str(len(list(root.iter("testcase")))))
        self.assertEqual(root.get("failures"), str(len(list(root.iter("failure")))))
        self.assertNotEqual(root.get("failures"), "0")
        root = ElementTree.fromstring(self.expect(0, "check", self.file("good.py", GOOD), "--format", "junit").out)
        self.assertEqual((root.get("tests"), root.get("failures")), ("2", "0"))


if __name__ == "__main__":
    main()
