#!/usr/bin/env python3
"""cheats_test.py TILEWRIGHT: none of the corpus in tests/gpu/cheats.py passes, or gains time; on the pretended driver."""
import os
import sys

from case import Case, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
from cheats import BYTES, CHEATS, HONEST  # noqa: E402
from support.patience import PATIENCE  # noqa: E402

KERNEL = """\
# tilewright: reference plain
@T.prim_func
def {name}(A: T.Buffer(({n},), "float32"), B: T.Buffer(({n},), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial({n}):
        B[i] = A[i]

"""
# As honest as can be, in many ways: none of these is to be flagged.
HONEST_ONES = {f"honest_{k}": lines for k, lines in enumerate([
    HONEST,
    ("takes 100 9", HONEST[1]),                                            # times that scatter
    (HONEST[1], "takes 3 0"),                                              # short
    (HONEST[1], f"copy 1 0 {BYTES // 2}", "takes 2000 0"),                 # twice the work
    (*HONEST, f"keep 1 {BYTES}"),                                          # with memory of the module that is not used
    (f"copy 1 0 {BYTES // 2}", *HONEST),
])}


class Cheats(Case):
    def test_none_passes_or_gains_time(self):
        fake = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
        if not os.path.exists(fake):
            self.skipTest("TILEWRIGHT_FAKE_CUDA names no driver")
        self.assertGreaterEqual(len(CHEATS), 55)
        programs = {c.name: c.pretended for c in CHEATS if c.pretended} | HONEST_ONES
        ends = {c.name for c in CHEATS if c.ends}
        script = self.file("k.py", "from tvm.script import tirx as T\n\n" + KERNEL.format(name="plain", n=BYTES // 4).split("\n", 1)[1] +
                           "".join(KERNEL.format(name=name, n=BYTES // 4) for name in programs))
        program = self.file("program", "".join(f"of {name}_kernel {line}\n" for name, lines in programs.items() for line in lines))
        answer = self.expect(1, "run", script, "--entry", "all", "--on", "gpu", "--driver", fake, "--nvml", fake, "--seed", "secret",
                             "--repeat", "12", "--deadline", str(PATIENCE), "--json", env={"FAKE_CUDA_PROGRAM": program}).json
        runs = {r["kernel"]: r for r in answer["runs"]}
        self.assertEqual(set(runs), set(programs))
        for name in programs:
            with self.subTest(name):
                r = runs[name]
                if name in HONEST_ONES:
                    self.assertEqual((r["verdict"], r["problems"]), ("verified", []))
                elif r["verdict"] == "verified":
                    # It was right, and so it worked: as long as the honest one.
                    self.assertGreaterEqual(r["timing"]["median_us"], 99)
                    self.assertGreaterEqual(r["timing"]["hot"]["median_us"], 99)
                else:
                    self.assertEqual(r["verdict"], "failed")
                    self.assertEqual(r["status"] in ("fault", "timeout"), name in ends)

    def test_results_that_do_not_depend_on_the_order_of_the_input(self):
        """The largest element is the same wherever it is: a result that was kept is right for rotated inputs."""
        fake = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
        if not os.path.exists(fake):
            self.skipTest("TILEWRIGHT_FAKE_CUDA names no driver")
        work = f"largest 1 0 {BYTES}"
        programs = {"honest": ("takes 100 0", work), "kept": ("takes 100 0", work, "from_load 3 give 1 4", "from_load 3 takes 1 0", "keep 1 4")}
        script = self.file("k.py", "from tvm.script import tirx as T\n\n" + LARGEST.format(name="plain").split("\n", 1)[1] +
                           "".join(LARGEST.format(name=name) for name in ("honest", "kept")))
        program = self.file("program", "".join(f"of {name}_kernel {line}\n" for name in ("honest", "kept") for line in programs[name]))
        told = 0
        for seed in ("1", "2", "3"):
            answer = self.expect(1, "run", script, "--entry", "all", "--on", "gpu", "--driver", fake, "--nvml", fake, "--seed", seed,
                                 "--repeat", "12", "--deadline", str(PATIENCE), "--json", env={"FAKE_CUDA_PROGRAM": program}).json
            runs = {r["kernel"]: r for r in answer["runs"]}
            self.assertEqual((runs["honest"]["verdict"], runs["honest"]["problems"]), ("verified", []))
            self.assertAlmostEqual(runs["honest"]["timing"]["median_us"], 100, places=3)
            self.assertEqual(runs["kept"]["verdict"], "failed")
            self.assertIn("from its own inputs", " ".join(runs["kept"]["problems"]))
            # All of them are within a tolerance of each other, as the largest of a million numbers are: bytes tell.
            r = self.run_it("run", script, "--entry", "kept", "--input", "A=random(low=0.000001, high=0.00001)", "--on", "gpu", "--driver", fake,
                            "--nvml", fake, "--seed", seed, "--repeat", "12", "--deadline", str(PATIENCE), "--json", env={"FAKE_CUDA_PROGRAM": program})
            told += "in the place of others left other bytes than the same kernel loaded again" in " ".join(r.json["problems"])
        # Three of eight launches have to miss the largest of the first inputs; by chance one run in a thousand has fewer.
        self.assertGreaterEqual(told, 2)

    def test_one_of_equal_elements_now_and_then_another(self):
        """Honest: where elements are equal, the place of the largest is another one in each fifth or third launch."""
        fake = os.environ.get("TILEWRIGHT_FAKE_CUDA", "")
        if not os.path.exists(fake):
            self.skipTest("TILEWRIGHT_FAKE_CUDA names no driver")
        work = f"place 1 0 {BYTES}"
        names = {"first": 1000000, "third": 3, "fifth": 5, "eleventh": 11}
        script = self.file("k.py", "from tvm.script import tirx as T\n\n" + PLACE.format(name="plain").split("\n", 1)[1] +
                           "".join(PLACE.format(name=name) for name in (*names, "kept")))
        program = self.file("program", "of plain_kernel place 1 0 4096 1000000\n" + "".join(
            f"of {name}_kernel {line}\n" for name, every in names.items() for line in ("takes 100 0", f"{work} {every}")) + "".join(
                f"of kept_kernel {line}\n" for line in ("takes 100 0", f"{work} 1000000", "from_load 3 give 1 4", "from_load 3 takes 1 0", "keep 1 4")))
        for seed in ("1", "2", "3"):
            answer = self.expect(1, "run", script, "--entry", "all", "--on", "gpu", "--driver", fake, "--nvml", fake, "--seed", seed,
                                 "--repeat", "12", "--deadline", str(PATIENCE), "--json", env={"FAKE_CUDA_PROGRAM": program}).json
            runs = {r["kernel"]: r for r in answer["runs"]}
            self.assertEqual({n: (runs[n]["verdict"], runs[n]["problems"]) for n in names}, {n: ("verified", []) for n in names})
            self.assertEqual(runs["kept"]["verdict"], "failed")


PLACE = """\
# tilewright: reference plain
@T.prim_func
def {name}(A: T.Buffer((1024,), "float32"), B: T.Buffer((1,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    at: T.int32 = 0
    for i in T.serial(1024):
        if A[i] > A[at]:
            at = i
    B[0] = at

"""

LARGEST = """\
# tilewright: reference plain
@T.prim_func
def {name}(A: T.Buffer((1024,), "float32"), B: T.Buffer((1,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    most: T.float32 = A[0]
    for i in T.serial(1024):
        most = T.max(most, A[i])
    B[0] = most

"""


if __name__ == "__main__":
    main()
