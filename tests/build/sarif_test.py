#!/usr/bin/env python3
"""sarif_test.py TILEWRIGHT: every SARIF log that the command line writes is valid against the published schema of SARIF 2.1.0.

The schema is read by our own validator, and by jsonschema where that is installed.
"""
import copy
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from scripts import ADD, BROKEN, IMPORTING, WARNING  # noqa: E402
from support import release  # noqa: E402,F401
from support import schema  # noqa: E402

try:
    import jsonschema
except ImportError:
    jsonschema = None

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
with open(os.path.join(HERE, "sarif", "sarif-2.1.0-rtm.5.json"), encoding="utf-8") as f:
    SARIF = json.load(f)


def violations(log):
    out = list(schema.violations(log, SARIF, SARIF))
    if jsonschema:
        out += [str(e.message) for e in jsonschema.Draft4Validator(SARIF).iter_errors(log)]
    return out


class Logs(unittest.TestCase):
    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="tilewright-sarif-"))
        self.addCleanup(shutil.rmtree, self.root)

    def write(self, name, text):
        os.makedirs(os.path.dirname(os.path.join(self.root, name)), exist_ok=True)
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as f:
            f.write(text)

    def log(self, status, *words):
        done = subprocess.run([BINARY, *words], cwd=self.root, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "XDG_CACHE_HOME": os.path.join(self.root, ".store")})
        self.assertEqual(done.returncode, status, done.stderr)
        log = json.loads(done.stdout)
        self.assertEqual(violations(log), [])
        return log

    def test_all_kinds_of_logs(self):
        self.write("good.py", ADD.format(by=1))
        self.write("wrong.py", ADD.format(by=2))
        self.write("a b#ü%,.py", BROKEN.format(by=1))
        self.write("warning.py", WARNING)
        self.write("tool.py", "def size():\n    return rows\n\n\nN = size()\n")
        self.write("imports.py", IMPORTING.format(module="tool"))
        self.write("deep/er/k.py", BROKEN.format(by=1))
        found = self.log(1, "check", ".", "--format", "sarif")
        self.assertGreater(len(found["runs"][0]["results"]), 3)
        self.log(0, "check", "good.py", "--format", "sarif")
        self.log(2, "check", "good.py", "gone.py", "--format", "sarif")
        self.log(1, "check", os.path.join(self.root, "deep"), "--format", "sarif")
        found = self.log(1, "build", "--test", "--on", "sim", "--report", "sarif")
        codes = {r["ruleId"] for r in found["runs"][0]["results"]}
        self.assertIn("test-failed", codes)
        self.log(0, "build", "good.py", "--report", "sarif")
        self.log(2, "build", "--server", "unix:" + os.path.join(self.root, "none"), "--retries", "0", "--report", "sarif")
        baseline = os.path.join(self.root, "baseline.json")
        subprocess.run([BINARY, "build", "good.py", "--write-baseline", baseline], cwd=self.root, check=True, capture_output=True)
        with open(baseline, encoding="utf-8") as f:
            text = f.read()
        with open(baseline, "w", encoding="utf-8") as f:
            f.write(text.replace('"registers": ', '"registers": -'))
        found = self.log(1, "build", "good.py", "--baseline", baseline, "--report", "sarif")
        self.assertEqual({r["ruleId"] for r in found["runs"][0]["results"]}, {"regression"})

    def test_the_validator_sees_what_is_wrong(self):
        self.write("bad.py", BROKEN.format(by=1))
        log = self.log(1, "check", "bad.py", "--format", "sarif")
        broken = []
        for spoil in (lambda r: r["results"][0].pop("message"), lambda r: r["results"][0].update(level="bad"),
                      lambda r: r["results"][0].update(unknown=1), lambda r: r["tool"].pop("driver"),
                      lambda r: r["results"][0]["locations"][0]["physicalLocation"]["region"].update(startLine=0),
                      lambda r: r["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"].update(uri="a b"),
                      lambda r: r["tool"]["driver"]["rules"].append(r["tool"]["driver"]["rules"][0])):
            other = copy.deepcopy(log)
            spoil(other["runs"][0])
            broken.append(bool(list(schema.violations(other, SARIF, SARIF))))
        self.assertEqual(broken, [True] * 7)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
