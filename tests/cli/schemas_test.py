#!/usr/bin/env python3
"""schemas_test.py TILEWRIGHT: The schemas of protocol/schema/ are schemas, and our validator reads them."""
import os
import re
import unittest

from case import ROOT, main
from support import schema


class Schemas(unittest.TestCase):
    def test_are_schemas(self):
        names = [n[:-5] for n in sorted(os.listdir(schema.FOLDER)) if n.endswith(".json")]
        for name in ("check", "compile", "doctor", "entries", "explain", "layout", "plan", "run"):
            self.assertIn(name, names)
        try:
            import jsonschema
        except ImportError:
            self.skipTest("jsonschema is not installed: only our own validator reads the schemas")
        for name in names:
            jsonschema.Draft202012Validator.check_schema(schema.load(name))

    def test_each_answer_is_held_by_a_test(self):
        texts = []
        for folder, _, files in os.walk(os.path.join(ROOT, "tests")):
            for name in files:
                if name.endswith(".py"):
                    with open(os.path.join(folder, name), encoding="utf-8") as f:
                        texts.append(f.read())
        held = set(re.findall(r'(?:fits|schema\.check|schema\.load)\([^\n]*?"(\w+)"\)', "\n".join(texts)))
        # tests/lsp/views.py holds those of the server's requests.
        names = {n[:-5] for n in os.listdir(schema.FOLDER) if n.endswith(".json") and not n.startswith("lsp_")}
        self.assertEqual(sorted(names - held), [])

    def test_the_validator_sees_violations(self):
        self.assertEqual(schema.check({"files": [], "diagnostics": []}, "check"), [])
        self.assertTrue(schema.check({"files": []}, "check"))
        self.assertTrue(schema.check({"files": [1], "diagnostics": []}, "check"))
        self.assertTrue(schema.check({"files": [], "diagnostics": [], "more": 1}, "check"))


if __name__ == "__main__":
    main()
