#!/usr/bin/env python3
"""run_trace_test.py TILEWRIGHT: `tilewright run --trace`."""
import base64
import hashlib
import html
import json
import os
import re

from case import Case, main
from scripts import STAGED, TURNS, WISHES


class Traces(Case):
    """Timelines of simulated runs, as viewers of Chrome's trace format read them."""

    def trace(self, script, *options):
        path = self.path("trace.json")
        self.expect(0, "run", script, "--on", "sim", "--trace", path, *options)
        with open(path) as f:
            trace = json.load(f)
        self.check(trace["traceEvents"])
        return trace

    def check(self, events):
        """Every stretch that begins ends, time goes forward, arrows begin and end within stretches."""
        named = {(e["pid"], e.get("tid")) for e in events if e["ph"] == "M"}
        open_stretches, arrows, now = {}, {}, 0
        for e in events:
            if e["ph"] == "M":
                continue
            self.assertGreaterEqual(e["ts"], now, e)
            now, track = e["ts"], (e["pid"], e["tid"])
            self.assertIn(track, named)
            if e["ph"] == "B":
                self.assertNotIn(track, open_stretches, e)
                open_stretches[track] = e
            elif e["ph"] == "E":
                self.assertIn(track, open_stretches, e)
                del open_stretches[track]
            elif e["ph"] == "s":
                self.assertIn(track, open_stretches, e)
                self.assertNotIn(e["id"], arrows)
                arrows[e["id"]] = open_stretches[track]
            elif e["ph"] == "f":
                self.assertEqual((e["id"] in arrows, e["bp"]), (True, "e"), e)
                self.assertIn(track, open_stretches, e)
                arrows[e["id"]] = (arrows[e["id"]], open_stretches[track])
            else:
                self.fail(e)
        self.assertEqual(open_stretches, {})
        self.assertTrue(all(isinstance(a, tuple) for a in arrows.values()))
        return list(arrows.values())

    def test_warps_wait_and_copies_release_them(self):
        script = os.path.join(os.path.dirname(__file__), "../../examples/tma_pipeline.py")
        events = self.trace(script)["traceEvents"]
        names = {e["args"]["name"] for e in events if e["ph"] == "M"}
        self.assertLessEqual({"CTA (0, 0, 0)", "warp 0", "warp 4", "operations 1"}, names)
        waits = [e for e in events if e["ph"] == "B" and e["name"].startswith("waits on mbarrier")]
        self.assertTrue(waits)
        self.assertRegex(waits[0]["args"]["detail"], r"phase \d+, byte \d+ of ")
        self.assertRegex(waits[0]["args"]["line"], r"tma_pipeline.py:\d+$")
        arrows = self.check(events)
        self.assertTrue(arrows)
        for operation, wait in arrows:
            self.assertEqual(operation["name"], "copy that a barrier counts")
            self.assertTrue(wait["name"].startswith("waits on mbarrier"), wait)

    def test_groups_and_barriers_of_the_cta(self):
        events = self.trace(self.file("kernel.py", STAGED))["traceEvents"]
        copies = [e for e in events if e["ph"] == "B" and e["name"] == "cp.async"]
        self.assertTrue(copies)
        line = 1 + [i for i, l in enumerate(STAGED.split("\n")) if "copy_async" in l][0]
        self.assertTrue(copies[0]["args"]["line"].endswith(f"kernel.py:{line}"))
        self.assertTrue(any(e["ph"] == "B" and e["name"] == "waits at cta_sync" for e in events))
        arrows = self.check(events)
        self.assertTrue(arrows)
        self.assertTrue(all(to["name"] == "runs" for _, to in arrows))  # each waits for its own

    def test_every_cluster_has_its_own_tracks(self):
        script = self.file("many.py", WISHES)
        events = self.trace(script)["traceEvents"]
        self.assertEqual({e["pid"] for e in events}, {0})
        events = self.trace(script, "--set", "n=400")["traceEvents"]
        self.assertEqual({e["pid"] for e in events}, {0, 1, 2, 3})

    def test_clusters_that_wait_for_one_another(self):
        script = os.path.join(os.path.dirname(__file__), "../gpu/waiting.py")
        events = self.trace(script, "--entry", "together")["traceEvents"]
        ctas = {e["pid"] for e in events}
        self.assertGreater(len(ctas), 1)
        self.assertEqual({e["pid"] for e in events if e["ph"] == "B"}, ctas)
        # And what any of them wrote has its line.
        r = self.expect(1, "run", script, "--on", "sim", "--entry", "together", "--expect", "B=7", "--json")
        self.assertIn("producer", r.json["tensors"][-1]["comparison"])

    def test_kernels_in_turn_follow_each_other(self):
        self.trace(self.file("turns.py", TURNS))

    def page(self, script, *options):
        """The data of a page, whose policy admits its own script and style alone."""
        path = self.path("run.html")
        self.expect(0, "run", script, "--on", "sim", "--trace", path, *options)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
        style, (data, code) = re.search(r"<style>(.*?)</style>", text, re.S)[1], re.findall(r"<script[^>]*>(.*?)</script>", text, re.S)
        for what, words in (("script-src", code), ("style-src", style)):
            self.assertIn(f"{what} 'sha256-{base64.b64encode(hashlib.sha256(words.encode()).digest()).decode()}'", policy)
            self.assertNotRegex(words, r"https?://(?!www.w3.org/2000/svg)|@import|url\(|fetch\(|innerHTML|eval\(")
        self.assertIn("default-src 'none'", policy)
        return json.loads(data)

    def test_as_a_page(self):
        evil = "# </script><script>alert(1)</script><!-- @DATA@\n"
        data = self.page(self.file("kernel.py", STAGED + evil), "--profile")
        self.assertEqual(data["source"], STAGED + evil)
        self.assertIn("on simulator", data["facts"])
        self.assertIn("profile  counted by the simulator", data["report"])
        timeline = data["timeline"]
        self.assertEqual(timeline["unit"], "step")
        self.assertTrue(any(s["name"] == "waits at cta_sync" for s in timeline["spans"]))
        self.assertEqual({s["process"] for s in timeline["spans"]}, {p["id"] for p in timeline["processes"]})
        costs = data["costs"]
        self.assertIn("modelled", costs["source"])
        self.assertAlmostEqual(sum(l["share"] for l in costs["lines"]), 1)
        self.assertEqual([l["text"].strip() for l in costs["lines"]], [STAGED.split("\n")[l["line"]].strip() for l in costs["lines"]])
        self.assertIsNone(self.page(self.file("kernel.py", STAGED))["costs"])

    def test_usage(self):
        script = self.file("kernel.py", STAGED)
        self.assertIn("for one entry", self.expect(2, "run", script, "--on", "sim", "--entry", "all", "--trace", "t.json").errors)
        self.assertIn("cannot", self.expect(2, "run", script, "--on", "sim", "--trace", self.path("no/such/t.json")).errors)


if __name__ == "__main__":
    main()
