#!/usr/bin/env python3
"""doctor_test.py TILEWRIGHT: `tilewright doctor`."""
import json

from case import Case, main


class Doctor(Case):
    def test_json(self):
        r = self.run_it("doctor", "--json")
        report = self.fits(r.json, "doctor")
        states = {f["what"]: f["state"] for f in report["findings"]}
        self.assertEqual(states["tilewright"], "ok")
        self.assertEqual(r.status, 0 if states["NVRTC"] == "ok" else 2)

    def test_a_relative_cache_is_ignored(self):
        r = self.run_it("doctor", "--json", env={"XDG_CACHE_HOME": "here", "HOME": self.path("home")})
        said = json.dumps(r.json)
        self.assertIn(self.path("home"), said)
        self.assertNotIn("here/tilewright", said)

    def test_a_cache_that_cannot_be_made(self):
        self.file("taken", "a file")
        r = self.run_it("doctor", env={"XDG_CACHE_HOME": self.path("taken")})
        self.assertIn("XDG_CACHE_HOME", r.text)


if __name__ == "__main__":
    main()
