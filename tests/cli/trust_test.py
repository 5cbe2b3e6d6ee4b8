#!/usr/bin/env python3
"""trust_test.py TILEWRIGHT: what `tilewright trust --json` says of settings that execute something."""
from case import Case, main


class Trust(Case):
    def answer(self, status, *arguments):
        return self.fits(self.expect(status, "trust", *arguments, "--json").json, "trust")

    def test_each_answer(self):
        settings = self.file("tilewright.toml", '[remotes.lab]\nat = "exec:true"\n')
        asked = self.answer(1)
        self.assertEqual((asked["settings"], asked["trusted"]), (settings, False))
        self.assertEqual([act["remote"] for act in asked["acts"]], ["lab"])
        self.assertEqual(self.answer(0, "--yes")["trusted"], True)
        self.assertEqual(self.answer(0, self.folder)["trusted"], True)
        self.assertEqual([one["settings"] for one in self.answer(0, "--list")["trusted"]], [settings])
        self.assertEqual(self.answer(0, "--revoke")["revoked"], True)
        self.assertEqual(self.answer(0, "--revoke")["revoked"], False)
        self.assertEqual(self.answer(0, "--list")["trusted"], [])
        self.file("tilewright.toml", "")
        self.assertEqual(self.answer(0)["acts"], [])


if __name__ == "__main__":
    main()
