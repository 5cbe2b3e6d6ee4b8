#!/usr/bin/env python3
"""run_comments_test.py TILEWRIGHT: Comments in scripts that say how a kernel is run."""
import struct

from case import Case, main, npy
from scripts import WISHES


class RunComments(Case):
    """What a script says of its runs, and what the command line says instead."""

    def setUp(self):
        super().setUp()
        self.script = self.file("wishes.py", WISHES)
        self.file("doubled.npy", npy("<f4", (4,), struct.pack("<4f", 0, 2, 4, 6)))

    def report(self, status, *options, script=None):
        return self.fits(self.expect(status, "run", script or self.script, "--on", "sim", "--json", *options).json, "run")

    def test_are_followed(self):
        report = self.report(0)
        self.assertEqual((report["entry"], report["extents"], report["verdict"]), ("scale", {"n": 100}, "verified"))
        self.assertEqual([t["source"] for t in report["tensors"]], ["random(seed=7)", "poison"])
        self.assertIn("2 comments speak of this entry", report["notes"][0])

    def test_all_of_them(self):
        runs = self.report(0, "--entry", "all")["runs"]
        self.assertEqual([(x["entry"], x["extents"]["n"], x["verdict"]) for x in runs],
                         [("scale", 100, "verified"), ("scale", 4, "verified")])
        self.assertEqual(runs[1]["tensors"][0]["source"], "arange")
        self.assertTrue(runs[1]["tensors"][1]["comparison"]["expected_from"].endswith("doubled.npy"))

    def test_the_command_line_wins(self):
        report = self.report(1, "--set", "n=3", "--input", "A=ones", "--expect", "B=zeros", "--rtol", "0.5")
        self.assertEqual((report["extents"], report["tensors"][0]["source"]), ({"n": 3}, "ones"))
        comparison = report["tensors"][1]["comparison"]
        self.assertEqual((comparison["mismatches"], comparison["expected_from"], comparison["rtol"]), (3, "zeros", 0.5))
        self.assertIn("did you mean zeros?", self.expect(2, "run", self.script, "--input", "A=zeroes").errors)

    def test_a_secret_seed_is_told_at_the_end(self):
        secret = WISHES.replace("A=random(seed=7) B=poison", "seed=secret")
        first = self.report(0, script=self.file("secret.py", secret))
        self.assertTrue(first["secret_seed"])
        self.assertNotEqual(first["seed"], self.report(0, "--seed", "secret")["seed"])
        again = self.report(0, "--seed", str(first["seed"]), script=self.file("secret.py", secret))
        self.assertNotIn("secret_seed", again)
        self.assertEqual(first["tensors"][0]["sha256"], again["tensors"][0]["sha256"])
        self.assertIn("repeats it", self.expect(0, "run", self.script, "--on", "sim", "--seed", "secret").text)

    def test_words_that_mean_nothing_are_not_passed_over(self):
        script = self.file("wrong.py", WISHES.replace("B=poison", "B=poisn"))
        r = self.expect(1, "check", script)
        self.assertRegex(r.text, r"wrong.py:4:60: error\[TW2313\]: 'poisn' is nothing")
        r = self.expect(2, "run", script, "--on", "sim")
        self.assertIn("did you mean poison?", r.errors)

    def test_results_that_prove_nothing_are_told(self):
        """The kernel is its own reference; nothing but zeros goes in and comes out."""
        own = self.file("own.py", OWN)
        for options in ((), ("--entry", "all")):
            r = self.expect(2, "run", own, "--on", "sim", *options)
            self.assertIn("own.py has no kernel to run: a comment names doubled as a reference", r.errors)
            self.assertIn("--entry 'doubled' runs it nevertheless", r.errors)
        notes = self.report(0, "--entry", "doubled", script=own)["notes"]
        self.assertIn("the reference doubled is the kernel itself: it leaves the same again, which does not say that it is right", notes)
        other = self.file("other.py", OWN.replace("reference doubled", "reference plain") + PLAIN)
        notes = [self.report(0, "--entry", "doubled", "--input", "A=" + fill, script=other)["notes"] for fill in ("zeros", "ones")]
        self.assertIn("a kernel that writes zeros passes as well", " ".join(notes[0]))
        self.assertNotIn("a kernel that writes zeros", " ".join(notes[1]))


OWN = """\
# tilewright: dialect 0.25
from tvm.script import tirx as T

# tilewright: reference doubled
@T.prim_func
def doubled(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    B[t] = A[t] + A[t]

"""
# Of other code.
PLAIN = """\
@T.prim_func
def plain(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    B[t] = 2.0 * A[t]
"""


if __name__ == "__main__":
    main()
