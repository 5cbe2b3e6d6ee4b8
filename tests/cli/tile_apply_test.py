#!/usr/bin/env python3
"""tile_apply_test.py TILEWRIGHT: what T.cuda.tile.apply refuses of tensor memory, gathers and copies to another CTA."""
import os
import re

from case import ROOT, Case, main

KERNELS = os.path.join(ROOT, "tests/simulate/package/tensor_memory.py")
STORE = "tcgen05.st.sync.aligned.32x32b.x32.b32"
# Name: a part of the script, what takes its place, words of the finding.
MISTAKES = {
    "registers of another lane": ("layout=TileLayout(S[(4, 32, 32) : (1 @ wid, 1 @ laneid, 1)]))\n    q",
                                  "layout=TileLayout(S[(4, 32, 32) : (1 @ wid, 1, 1 @ laneid)]))\n    q",
                                  r"element \(\d+, \d+\) belongs to laneid \d+"),
    "lanes of another warp": ("(32 @ TLane, 1 @ TLane, 1 @ TCol)]),\n            )\n        ],\n    )\n    r = T.alloc_local((4, 32, 32)",
                              "(0 @ TLane, 1 @ TLane, 1 @ TCol)]),\n            )\n        ],\n    )\n    r = T.alloc_local((4, 32, 32)",
                              "warp 1 of its warpgroup reaches lanes 32 to 63 of tensor memory, the view begins at lane 0"),
    "columns that do not follow each other": ("S[(4, 32, 8) : (32 @ TLane, 1 @ TLane, 1 @ TCol)]", "S[(4, 32, 8) : (32 @ TLane, 1 @ TLane, 2 @ TCol)]",
                                              "row 0, column 1 of cells lies in lane 0, column 2; the instruction takes lane 0, column 1"),
    "another shape": (STORE, "tcgen05.st.sync.aligned.32x32b.x16.b32", r"ends with what one instruction takes \(32, 16\)"),
    "one thread": (f'"{STORE}", cells, r, scope="warpgroup"', f'"{STORE}", cells[0, :, :], r[0, :, :], scope="thread"',
                   "one of a whole warp"),
    "an offset without halves": (f'"{STORE}", cells, r, ', f'"{STORE}", cells, r, imm_half_splitoff=4, ', "takes no imm_half_splitoff="),
    "a product": (f'"{STORE}"', '"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64"',
                  "of tensor memory tcgen05.ld and tcgen05.st have"),
    "three rows": ("gather4=(3, 9, 1, 40)", "gather4=(3, 9, 1)", "takes gather4=, the numbers of its four rows"),
    "a box of two rows": ("box=(1, 64)", "box=(2, 64)", r"box= is \(1, columns\)"),
    "rows of a plain copy": ("global.tile::gather4.", "global.tile.", "takes no gather4="),
    "8 bytes to another CTA": ("chunk_bytes=256", "chunk_bytes=8", "chunk_bytes= is a multiple of 16"),
    "no CTA": ("            remote_cta_id=1 - rank,\n", "", "remote_cta_id=, whose memory"),
    "half of a chunk": ("chunk_bytes=256", "chunk_bytes=512", r"ends with what one instruction takes \(128,\)"),
}


class Refused(Case):
    def test_mistakes(self):
        with open(KERNELS, encoding="utf-8") as f:
            text = f.read()
        for name, (part, instead, words) in MISTAKES.items():
            with self.subTest(name):
                self.assertIn(part, text)
                r = self.expect(1, "check", self.file("kernel.py", text.replace(part, instead, 1)), "--json")
                errors = [d for d in r.json["diagnostics"] if d["severity"] == "error"]
                said = " ".join(d["message"] + " " + d.get("hint", "") for d in errors)
                self.assertTrue(re.search(words, said), said)

    def test_explained(self):
        r = self.expect(0, "explain", KERNELS, "--arch", "sm_100a")
        self.assertIn("32 lanes from lane 0 of each warp's, 16 columns from column 16, to 16 registers of halves", r.text)
        # Of many repetitions the first few are told, and that there are more.
        with open(KERNELS, encoding="utf-8") as f:
            text = f.read().replace("ld.sync.aligned.32x32b.x16.b32", "ld.sync.aligned.32x32b.x2.b32").replace("4, 32, 2, 16", "4, 32, 16, 2")
        told = self.expect(0, "explain", self.file("kernel.py", text), "--arch", "sm_100a").text
        self.assertRegex(told, r"repetition 7: 32 lanes from lane 0 of each warp's, 2 columns from column 14.*\n *\.\.\.\n")
        self.assertNotIn("2 columns from column 16", told)


if __name__ == "__main__":
    main()
