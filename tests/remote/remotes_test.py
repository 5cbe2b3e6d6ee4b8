#!/usr/bin/env python3
"""`tilewright remotes`, with workers of this machine, and places that are none.

    remotes_test.py TILEWRIGHT
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)
from support import schema
from support.trust import trust

PATIENCE = 120


class Remotes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tilewright-remotes-")
        self.addCleanup(shutil.rmtree, self.folder)

    def settings(self, text, trusted=True):
        file = os.path.join(self.folder, "tilewright.toml")
        with open(file, "w") as f:
            f.write(text.replace("WORKER", f"{TILEWRIGHT} worker --stdio"))
        if trusted:
            trust(TILEWRIGHT, file)

    def run_it(self, *words):
        return subprocess.run([TILEWRIGHT, "remotes", *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE)

    def report(self, *words):
        done = self.run_it("--json", *words)
        value = json.loads(done.stdout)
        self.assertEqual(schema.check(value, "remotes"), [])
        return done.returncode, value

    def test_a_worker_says_who_it_is(self):
        self.settings('[remotes.here]\nat = "exec:WORKER"\n')
        status, value = self.report()
        self.assertEqual(status, 0)
        here, = value["remotes"]
        version = subprocess.run([TILEWRIGHT, "--version"], capture_output=True, text=True).stdout.split()[0]
        self.assertEqual((here["name"], here["kind"], here["version"], here["healthy"]), ("here", "exec", version, True))
        self.assertEqual(here["host"], socket.gethostname())
        self.assertGreaterEqual(here["slots"], 1)
        self.assertGreater(here["latency_ms"], 0)
        self.assertGreaterEqual(here["connect_ms"], here["latency_ms"])
        self.assertTrue(value["settings"].endswith("tilewright.toml"))
        text = self.run_it("here").stdout
        self.assertRegex(text, rf"✓ here .*slot")
        self.assertIn(f"tilewright {version}", text)

    def test_one_that_is_not_well_is_told_and_does_not_hold_up_the_others(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            closed = s.getsockname()[1]
        self.settings(f'''[remotes.here]
at = "exec:WORKER"
[remotes.gone]
at = "exec:/no/such/program worker"
[remotes.silent]
at = "exec:sleep 600"
[remotes.chatty]
at = "exec:yes"
[remotes.ends]
at = "exec:sh -c 'echo no room here >&2; exit 3'"
[remotes.lab]
at = "tls://127.0.0.1:{closed}"
[pools]
good = ["here"]
mixed = ["here", "gone"]
''')
        status, value = self.report("--wait", "6")
        self.assertEqual(status, 1)
        by_name = {r["name"]: r for r in value["remotes"]}
        self.assertEqual({n for n, r in by_name.items() if r["healthy"]}, {"here"})
        self.assertIn("No such file", by_name["gone"]["problem"])
        self.assertIn("no answer within 6 s", by_name["silent"]["problem"])
        self.assertIn("no room here", by_name["ends"]["problem"])
        self.assertIn("Connection refused", by_name["lab"]["problem"])
        self.assertEqual({p["name"]: p["healthy"] for p in value["pools"]}, {"good": True, "mixed": False})
        self.assertEqual(self.run_it("good").returncode, 0)
        self.assertEqual(self.run_it("mixed").returncode, 1)

    def test_what_a_command_says_last_is_told_also_if_it_comes_after_its_end(self):
        self.settings('''[remotes.late]
at = "exec:sh -c '(exec 0<&- 1>&-; sleep 0.1; echo no room here >&2) & exit 3'"
''')
        status, value = self.report()
        self.assertEqual(status, 1)
        self.assertEqual(value["remotes"][0]["problem"], "sh ended with status 3: no room here")

    def test_an_address_needs_no_settings(self):
        status, value = self.report(f"exec:{TILEWRIGHT} worker --stdio")
        self.assertEqual((status, value["settings"]), (0, ""))
        done = self.run_it()
        self.assertEqual(done.returncode, 0)
        self.assertIn("no tilewright.toml", done.stdout)

    def test_wrong_names_and_settings_say_what_is_meant(self):
        self.settings('[remotes.lab]\nat = "exec:WORKER"\n')
        done = self.run_it("labb")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean lab?", done.stderr)
        done = self.run_it("--install", "lab")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not reached by ssh", done.stderr)
        self.settings('[remotes.lab]\nat = "exec:WORKER"\ntoken = "S3CRET"\n', trusted=False)
        done = self.run_it()
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"tilewright.toml:3: unknown setting 'token'")
        self.assertNotIn("S3CRET", done.stderr + done.stdout)

    def test_a_token_that_others_can_read_is_not_used(self):
        token = os.path.join(self.folder, "token")
        with open(token, "w") as f:
            f.write("S3CRET-S3CRET-S3CRET\n")
        os.chmod(token, 0o644)
        self.settings('[remotes.lab]\nat = "tls://127.0.0.1:9"\ntoken_file = "token"\n')
        status, value = self.report()
        self.assertEqual(status, 1)
        lab, = value["remotes"]
        self.assertIn("other users", lab["problem"])
        self.assertIn("chmod 600", lab["remedy"])
        self.assertNotIn("S3CRET", json.dumps(value))

    def test_nothing_of_a_settings_file_runs_by_itself(self):
        mark = os.path.join(self.folder, "ran")
        self.settings(f'[remotes.bad]\nat = "exec:touch {mark}"\n[pools]\nall = ["bad"]\n')
        script = os.path.join(self.folder, "copy.py")
        with open(script, "w") as f:
            f.write("from tvm.script import tirx as T\n")
        for words in (["check", script], ["run", script], ["run", script, "--entry", "all"], ["entries", script]):
            subprocess.run([TILEWRIGHT, *words], cwd=self.folder, capture_output=True, timeout=PATIENCE)
            self.assertFalse(os.path.exists(mark), words)
        self.run_it("bad")
        self.assertTrue(os.path.exists(mark))


if __name__ == "__main__":
    TILEWRIGHT = os.path.abspath(sys.argv.pop(1))
    unittest.main()
