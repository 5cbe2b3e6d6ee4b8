#!/usr/bin/env python3
"""entries_test.py TILEWRIGHT: `tilewright entries`."""

from case import Case, main
from scripts import FACTORY


class Entries(Case):
    def test_text_and_json(self):
        path = self.file("factory.py", FACTORY + "\nsmall = make(8, 16)\n# tilewright: entry make(64, 64)\n")
        r = self.expect(0, "entries", path)
        self.assertIn("small", r.text)
        self.assertIn("make(64, 64)", r.text)
        listed = self.fits(self.expect(0, "entries", path, "--json").json, "entries")
        self.assertEqual({e["entry"] for e in listed["entries"]}, {"small", "make(64, 64)"})
        self.assertEqual([e["kernels"] for e in listed["entries"]], [["tile"], ["tile"]])

    def test_keys_of_a_dict_are_expressions(self):
        keys = "\nimport enum\n\n\nclass Size(enum.Enum):\n    SMALL = 8\n    LARGE = 16\n\n\n"
        made = "ALL = {(s, 64): make(s.value, 64) for s in Size}\n"
        path = self.file("factory.py", FACTORY + keys + made)
        listed = [e["entry"] for e in self.expect(0, "entries", path, "--json").json["entries"]]
        self.assertEqual(listed, ["ALL[(Size.SMALL, 64)]", "ALL[(Size.LARGE, 64)]"])
        self.assertIn("T.Buffer((16, 64)", self.expect(0, "compile", path, "--entry", listed[1], "--emit", "tirx").text)

    def test_a_run_comment_may_say_another_name(self):
        made = "\nALL = {8: make(8, 64), 16: make(16, 64)}\nlarge = largest = ALL[16]\n"
        path = self.file("factory.py", FACTORY + made)
        listed = [e["entry"] for e in self.expect(0, "entries", path, "--json").json["entries"]]
        self.assertEqual(listed, ["ALL[8]", "ALL[16]"])
        path = self.file("factory.py", FACTORY + made + "# tilewright: run largest A=ones\n")
        listed = [e["entry"] for e in self.expect(0, "entries", path, "--json").json["entries"]]
        self.assertEqual(listed, ["ALL[8]", "largest"])
        self.expect(0, "check", path)

    def test_needs_arguments(self):
        listed = self.fits(self.expect(0, "entries", self.file("factory.py", FACTORY), "--json").json, "entries")
        self.assertEqual(listed["entries"], [])
        self.assertTrue(listed["needs_arguments"][0]["factory"].startswith("make(rows, columns"))

    def test_an_entry_that_a_failed_statement_would_make(self):
        path = self.file("factory.py", FACTORY + "\nsmall = make(8, 16)\nlarge = make(missing, 16)\n")
        # Asked for by name, the statement says why there is none; another one is not concerned.
        self.assertIn("name 'missing' is not defined", self.expect(1, "check", path, "--entry", "large").text)
        self.assertIn("name 'missing' is not defined", self.expect(1, "run", path, "--on", "sim", "--entry", "large").errors)
        self.expect(0, "check", path, "--entry", "small")
        # Where every entry is to run, none is left out in silence.
        self.assertIn("name 'missing' is not defined", self.expect(1, "run", path, "--on", "sim", "--entry", "all").errors)

    def test_lists_that_no_entry_names_are_not_computed(self):
        search = "\nSIZES = [32]\n\n\ndef search():\n    SIZES[0] = 64\n    return SIZES\n\n\nBENCH_CONFIGS = search()\n"
        made = FACTORY + search + "__all__ = [\"BENCH_CONFIGS\", \"make\"]\n  # BENCH_CONFIGS are slow\n"
        for more, rows in (("", 32), ("\nFIRST = BENCH_CONFIGS[0]\n", 64)):
            entry = ("--entry", "make(SIZES[0], 64)", "--emit", "tirx")
            r = self.expect(0, "compile", self.file("factory.py", made + more), *entry)
            self.assertIn(f"T.Buffer(({rows}, 64)", r.text)


if __name__ == "__main__":
    main()
