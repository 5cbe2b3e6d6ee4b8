#!/usr/bin/env python3
"""tune_planted_test.py TILEWRIGHT: among 64 candidates 50 are wrong, race, hang or cheat (tests/gpu/cheats.py): none wins."""
import os
import sys

from case import Case, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
from cheats import BYTES, CHEATS  # noqa: E402

# The pretended driver tells the candidates by their number of CTAs.
SCRIPT = f"""\
from tvm.script import tirx as T

@T.prim_func
def plain(A: T.Buffer(({BYTES // 4},), "float32"), B: T.Buffer(({BYTES // 4},), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial({BYTES // 4}):
        B[i] = A[i]

# tilewright: reference plain
# tilewright: tune WHICH=1..64
def make(WHICH=1):
    @T.prim_func
    def kernel(A: T.Buffer(({BYTES // 4},), "float32"), B: T.Buffer(({BYTES // 4},), "float32")):
        T.device_entry()
        cta = T.cta_id([WHICH])
        T.thread_id([1])
        if cta == 0:
            for i in T.serial({BYTES // 4}):
                B[i] = A[i]

    return kernel
"""


class Planted(Case):
    def test_none_of_them_wins(self):
        fake = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
        if not os.path.exists(fake):
            self.skipTest("TILEWRIGHT_FAKE_CUDA names no driver")
        cheats = [c for c in CHEATS if c.pretended]
        planted = [cheats[k % len(cheats)] for k in range(50)]
        lines = [f"grid {k + 1} {line}" for k in range(14) for line in (f"takes {90 + 4 * k} 0", f"copy 1 0 {BYTES}")]
        lines += [f"grid {15 + k} {line}" for k, cheat in enumerate(planted) for line in cheat.pretended]
        program = self.file("program", "\n".join(lines) + "\n")
        out = self.path("r.json")
        record = self.fits(self.expect(
            0, "tune", self.file("k.py", SCRIPT), "--entry", "make(*)", "--on", "gpu", "--driver", fake, "--nvml", fake, "--no-races",
            "--deadline", "1", "--json", "-o", out, env={"FAKE_CUDA_PROGRAM": program}).json, "tune")
        self.assertEqual(record["best"], "make(WHICH=1)")
        fates = {int(c["settings"]["WHICH"]): c for c in record["candidates"]}
        self.assertEqual(len(fates), 64)
        for which, c in fates.items():
            if which > 14:
                # One that keeps results by all of its input is right, and works as long as an honest one: rotations that come
                # again by chance may hide that it is slower than the best.
                is_as_slow = c["fate"] == "level" and c["median_us"] >= 99
                self.assertTrue(c["fate"] in ("wrong", "broke", "slower") or is_as_slow, (planted[which - 15].name, c["fate"], c["median_us"]))
            else:
                self.assertIn(c["fate"], ("best", "level", "slower"), c)
        # An exhaustive search measures each 40 times, and the last four in pairs.
        self.assertLessEqual(record["timed_launches"], 0.25 * (64 * 40 + 3 * 2 * 24))


if __name__ == "__main__":
    main()
