#!/usr/bin/env python3
"""mcp_bench.py TILEWRIGHT [FILE...]: how fast and how long the answers of the Model Context Protocol server are.

Of each script (default: examples/) check and explain after an edit, which changes a number or a comment in a kernel; then the first
answer of each tool that takes a script. Prints the median and the 95th percentile in milliseconds, and which part of the answers has
fewer than 1,000 tokens, counted as a tokenizer does that cuts words, numbers and signs (an upper bound for those in use).
"""
import glob
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from support.mcp import Client  # noqa: E402

EDITS = 10
# Words of up to five letters, numbers of up to three digits, signs by themselves, and blanks with what follows them.
TOKEN = re.compile(r" ?[A-Za-z]{1,5}|\d{1,3}| ?[^\w\s]|_|\s+|.")


def tokens(text):
    return len(TOKEN.findall(text))


def percentiles(times):
    return f"median {statistics.median(times) * 1e3:.1f} ms, 95 % below {sorted(times)[int(len(times) * 0.95)] * 1e3:.1f} ms, {len(times)} answers"


def main():
    binary = os.path.abspath(sys.argv[1])
    files = sys.argv[2:] or sorted(glob.glob(os.path.join(ROOT, "examples", "*.py")))
    checks, explains, lengths = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        client = Client(binary, folder=folder)
        settings = os.path.join(ROOT, "examples", "tilewright.toml")
        shutil.copy(settings, folder)
        for path in files:
            name = os.path.basename(path)
            with open(path, encoding="utf-8") as f:
                text = f.read()
            first = text.find("T.device_entry()")
            if first < 0:
                continue
            for edit in range(EDITS):
                # A statement of the first kernel: it is evaluated again, with all its stages.
                with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                    f.write(text[:first] + f"T.device_entry()  # {edit}" + text[first + len("T.device_entry()"):])
                begun = time.monotonic()
                checked = client.result("tools/call", {"name": "check", "arguments": {"path": name}})
                between = time.monotonic()
                explained = client.result("tools/call", {"name": "explain", "arguments": {"path": name}})
                if edit:  # the first one opens the script
                    checks.append(between - begun)
                    explains.append(time.monotonic() - between)
            arguments = {"explain": {}, "check": {}, "entries": {}, "pipeline": {}, "simulate": {}, "run": {}, "fix": {},
                         "lower": {"to": "cuda"}}
            for tool, more in arguments.items():
                result = client.result("tools/call", {"name": tool, "arguments": {"path": name, **more}}, timeout=300)
                shown = json.dumps(result.get("structuredContent", result), separators=(",", ":"))
                lengths.append((tokens(shown), tokens(result["content"][0]["text"]), tool, name))
        client.stop()
    print(f"check after an edit:   {percentiles(checks)}")
    print(f"explain after an edit: {percentiles(explains)}")
    for which, at in (("structuredContent", 0), ("text", 1)):
        below = sum(length[at] < 1000 for length in lengths)
        print(f"{which}: {below} of {len(lengths)} answers ({below / len(lengths):.1%}) have fewer than 1,000 tokens, the longest {max(l[at] for l in lengths)}")


if __name__ == "__main__":
    main()
