#!/usr/bin/env python3
"""sessions_test.py TILEWRIGHT [--update]: recorded sessions, sent again line by line, and what is answered to each line.

A session is a file of sessions/: lines after "> " are sent, those after "< " came back, in their order. Scripts are examples, so that
nothing depends on a folder. --update records the answers again.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def sent(path):
    with open(path, encoding="utf-8") as f:
        return [line[2:].rstrip("\n") for line in f if line.startswith("> ")]


def played(binary, lines):
    """The session's text. A request waits for its answer before the next line is sent."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([binary, "mcp", "--root", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for line in lines:
            out.append("> " + line)
            server.stdin.write(line + "\n")
            server.stdin.flush()
            try:
                waits = "id" in json.loads(line)
            except (ValueError, TypeError):
                waits = True
            while waits:
                answer = json.loads(server.stdout.readline())
                if "result" in answer and "serverInfo" in answer["result"]:
                    answer["result"]["serverInfo"]["version"] = "VERSION"
                out.append("< " + json.dumps(answer, ensure_ascii=False))
                waits = "method" in answer  # what is told on the way
        server.stdin.close()
        assert server.wait(60) == 0
        server.stdout.close()
    return "\n".join(out) + "\n"


def main():
    binary, update = os.path.abspath(sys.argv[1]), "--update" in sys.argv[2:]
    files, wrong = sorted(glob.glob(os.path.join(HERE, "sessions", "*.txt"))), 0
    for path in files:
        now = played(binary, sent(path))
        with open(path, encoding="utf-8") as f:
            before = f.read()
        if update:
            with open(path, "w", encoding="utf-8") as f:
                f.write(now)
        elif now != before:
            wrong += 1
            for a, b in zip(before.splitlines(), now.splitlines()):
                if a != b:
                    print(f"{os.path.basename(path)}:\n  recorded {a[:600]}\n  now      {b[:600]}")
                    break
    print(f"{len(files) - wrong} passed, {wrong} failed")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
