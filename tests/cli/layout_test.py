#!/usr/bin/env python3
"""layout_test.py TILEWRIGHT: `tilewright layout`: words, tables, pictures, accesses, JSON."""
import xml.etree.ElementTree as ElementTree

from case import Case, main


class Layout(Case):
    FRAGMENT = "TileLayout(S[(8, 4, 2) : (4 @ laneid, 1 @ laneid, 1)])"

    def test_words_and_table(self):
        r = self.expect(0, "layout", self.FRAGMENT, "--shape", "8,8")
        self.assertIn("S[(8,4,2):(4@laneid,1@laneid,1)]", r.text)
        self.assertIn("T31:r1", r.text)
        self.assertIn("size       64 elements, span 2, axes laneid, m", r.text)
        self.assertIn("shape      (2, 4)", self.expect(0, "layout", "S[2, 4]").text)
        self.assertIn("65:b0", self.expect(0, "layout", "SwizzleLayout(3, 3, 3)", "--shape", "8,64", "--by", "bank").text)

    def test_picture(self):
        for by in (["--by", "thread"], ["--by", "bank"], []):
            r = self.expect(0, "layout", self.FRAGMENT, "--shape", "8,8", "--svg", *by)
            root = ElementTree.fromstring(r.out)
            self.assertTrue(root.tag.endswith("svg"))
        self.expect(0, "layout", "S[8, 8]", "--svg", self.path("tile.svg"))
        ElementTree.parse(self.path("tile.svg"))
        self.expect(2, "layout", "S[8, 8]", "--svg", self.path("no/such/folder/tile.svg"))
        self.assertIn("no thread", self.expect(2, "layout", "S[8, 8]", "--by", "thread").errors)
        self.assertIn("no address", self.expect(2, "layout", "S[8 : 1 @ TCol]", "--by", "bank").errors)

    def test_access(self):
        r = self.expect(0, "layout", "S[32, 64]", "--access", "lane -> (lane, 0)", "--bits", "32")
        self.assertIn("32-way conflict", r.text)
        r = self.expect(0, "layout", "S[8, 8]", "--access", "lane -> (lane//4, lane%4*2)", "--bits", "32")
        self.assertIn("no bank conflict", r.text)
        # ldmatrix of the 128-byte swizzle: eight lanes read one column of 16-byte chunks, and never meet.
        swizzled = ["layout", 'mma_shared_layout("float16", 3, (64, 64))', "--shape", "64,64", "--bits", "128"]
        self.assertIn("no bank conflict", self.expect(0, *swizzled, "--access", "lane -> (lane % 8, lane // 8 * 8)").text)
        plain = self.expect(0, "layout", "S[64, 64]", "--bits", "128", "--access", "lane -> (lane % 8, lane // 8 * 8)")
        self.assertIn("8-way conflict", plain.text)
        self.assertIn("no bank conflict", self.expect(0, "layout", "S[32, 32]", "--access", "i -> i").text)
        self.expect(2, "layout", "S[8, 8]", "--access", "lane")
        self.expect(1, "layout", "S[8, 8]", "--access", "lane -> (lane, oops)")
        self.expect(2, "layout", "S[8, 8]", "--access", "lane -> (lane, lane)")  # outside of the shape
        self.expect(2, "layout", "S[8, 8]", "--access", "lane -> 'x'")
        self.expect(2, "layout", self.FRAGMENT, "--access", "lane -> (0, 0, 0)")  # registers have no banks
        self.expect(2, "layout", "S[8, 8]", "--access", "lane -> (0, lane % 8)", "--bits", "24")
        self.expect(2, "layout", "S[8, 8]", "--access", "lane -> (0, lane % 8)", "--bits", "32")  # not aligned

    def test_json(self):
        for arguments in (["S[2, 4]"], ["1 + 2"], ["1 +"], [self.FRAGMENT, "--shape", "8,8"], ["SwizzleLayout(3, 3, 3)"],
                          ["S[32, 64]", "--access", "lane -> (lane, 0)", "--bits", "32"]):
            r = self.run_it("layout", *arguments, "--json")
            self.assertEqual(r.status, 1 if arguments == ["1 +"] else 0, r)
            self.fits(r.json, "layout")
        element = self.expect(0, "layout", self.FRAGMENT, "--shape", "8,8", "--json").json["elements"][9]
        self.assertEqual(element, {"coordinate": [1, 1], "laneid": 4, "m": 1})

    def test_values_that_are_no_layout(self):
        self.assertEqual(self.expect(0, "layout", "1 + 2").text, "3\n")
        self.assertEqual(self.expect(0, "layout", "S[2, 4].size if False else (1, 'a')").text, "(1, 'a')\n")

    def test_errors(self):
        self.expect(1, "layout", "1 +")
        self.expect(1, "layout", "nothing(3)")
        self.expect(1, "layout", "")
        self.expect(2, "layout", "S[2, 4]", "--shape", "3,3")
        self.expect(2, "layout", "S[2, 4]", "--shape", "zwei")
        self.expect(2, "layout", "S[2, 4]", "--dtype", "float17")
        self.expect(1, "layout", "(" * 5000 + ")" * 5000)
        self.expect(0, "layout", "S[1 << 40, 1 << 20]", "--rows", "2", "--columns", "2")


if __name__ == "__main__":
    main()
