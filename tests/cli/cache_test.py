#!/usr/bin/env python3
"""cache_test.py TILEWRIGHT: `tilewright cache`."""
import os

from case import Case, main


class Cache(Case):
    """Entries are files whose time of change is their last use; what is in them does not matter here."""

    def setUp(self):
        super().setUp()
        self.env = {"XDG_CACHE_HOME": self.path("own")}
        for i in range(4):
            path = self.file(f"own/tilewright/artifacts/entries/a{i}/{i:060}", bytes(1 << 20))
            os.utime(path, (1_700_000_000 + i, 1_700_000_000 + i))
        self.file("own/tilewright/artifacts/corrupt/x", "what was wrong")

    def show(self, *arguments):
        return self.fits(self.expect(0, "cache", *arguments, "--json", env=self.env).json, "cache")

    def test_show_trim_and_clear(self):
        shown = self.show()
        self.assertEqual((shown["entries"], shown["bytes"], shown["corrupt"]), (4, 4 << 20, 1))
        text = self.expect(0, "cache", env=self.env).text
        self.assertIn("4 entries, 4.0 MB of at most 2048.0 MB", text)
        trimmed = self.show("trim", "--to", "2MB")
        self.assertEqual((trimmed["removed_entries"], trimmed["entries"], trimmed["bytes"]), (2, 2, 2 << 20))
        # Those that were used last are left.
        self.assertEqual(sorted(f for _, _, files in os.walk(self.path("own/tilewright/artifacts/entries")) for f in files),
                         [f"{i:060}" for i in (2, 3)])
        self.assertIn("removed 2 entries, 2.0 MB; 0 entries left", self.expect(0, "cache", "clear", env=self.env).text)
        self.assertEqual((self.show()["entries"], self.show()["corrupt"]), (0, 0))

    def test_what_is_not_there_or_makes_no_sense(self):
        empty = {"XDG_CACHE_HOME": self.path("nothing")}
        self.assertIn("0 entries", self.expect(0, "cache", env=empty).text)
        self.expect(0, "cache", "clear", env=empty)
        self.assertFalse(os.path.exists(self.path("nothing")))
        self.expect(2, "cache", "trim")
        self.expect(2, "cache", "trim", "--to", "much")
        self.expect(2, "cache", "burn")
        self.assertIn("XDG_CACHE_HOME", self.expect(2, "cache", env={"XDG_CACHE_HOME": "", "HOME": ""}).errors)


if __name__ == "__main__":
    main()
