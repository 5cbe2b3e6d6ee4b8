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

    def test_needs_arguments(self):
        listed = self.fits(self.expect(0, "entries", self.file("factory.py", FACTORY), "--json").json, "entries")
        self.assertEqual(listed["entries"], [])
        self.assertTrue(listed["needs_arguments"][0]["factory"].startswith("make(rows, columns"))


if __name__ == "__main__":
    main()
