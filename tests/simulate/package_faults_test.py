#!/usr/bin/env python3
"""Faults in kernels of tvm_tirx: each is found at its line, by one finding; the kernels themselves are verified.

    package_faults_test.py TILEWRIGHT [--kernels FILE] [--only KERNEL] [--jobs N] [--show]

In `package/faults.py`, or FILE, a comment below a line says what takes the line's place, and what is told of it:

    #! TW5001: TEXT                     one error, at this line
    #! TW5004 at `full.wait`: TEXT      one error, at a line of the kernel with this part
    #! TW5020 at `full.wait` and others: TEXT
    #! differs: TEXT                    nothing but another result than the reference's
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FAULT = re.compile(r"^ *#! (?P<code>TW\d{4}|differs)(?: at `(?P<part>[^`]*)`)?(?P<others> and others)?: (?P<text>.+)$")


def parts(text):
    """The lines without faults, and (line, match) of each fault."""
    lines, faults = [], []
    for line in text.split("\n"):
        if m := FAULT.match(line):
            faults.append((len(lines) - 1, m))
        else:
            lines.append(line)
    return lines, faults


def kernel_of(lines, i):
    """The kernel around a line: its name, and the lines from its decorator to its end."""
    start = max(k for k in range(i + 1) if lines[k] == "@T.function")
    name = re.match(r"def (\w+)", lines[start + 1])[1]
    end = next((k for k in range(start + 2, len(lines)) if lines[k] and not lines[k].startswith((" ", ")"))), len(lines))
    return name, start, end


def answer(binary, path, entry):
    done = subprocess.run([binary, "run", path, "--on", "sim", "--entry", entry, "--json"], capture_output=True, text=True,
                          check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"verdict": f"no answer, status {done.returncode}", "findings": [], "problems": [done.stderr]}


def told(binary, path, entry):
    """The verdict, and (code, line, message) of each error; of one in the library the line that calls it."""
    a = answer(binary, path, entry)
    a = a.get("runs", [a])[0] if a.get("runs") else a
    out = []
    for f in a.get("findings", []) + a.get("diagnostics", []):
        if f.get("severity", "error") != "error" or not f.get("range"):
            continue
        chain = [r["start"]["line"] for r in f.get("chain", []) if os.path.basename(r["file"]) == os.path.basename(path)]
        line = f["range"]["start"]["line"] if os.path.basename(f["range"]["file"]) == os.path.basename(path) else None
        out.append((f["code"], line or (chain[-1] if chain else 0), f["message"]))
    return a.get("verdict", "refused"), out


def judge(binary, folder, number, lines, fault):
    i, wanted = fault
    name, start, end = kernel_of(lines, i)
    changed = list(lines)
    changed[i] = re.match(" *", lines[i]).group() + wanted["text"]
    path = os.path.join(folder, f"fault{number}.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(changed))
    verdict, found = told(binary, path, name)

    def is_there(code, line):
        there = start < line <= end and wanted["part"] in changed[line - 1] if wanted["part"] else line == i + 1
        return code == wanted["code"] and there

    if wanted["code"] == "differs":
        right = verdict == "failed" and not found
    else:
        right = any(is_there(code, line) for code, line, _ in found) and (len(found) == 1 or bool(wanted["others"]))
    words = "; ".join(f"{code} {line} `{changed[line - 1].strip()}` {message}" for code, line, message in found)
    return right, f"{name}: {wanted[0].strip()}\n    {verdict}: {words or 'nothing'}", (verdict, found, changed, i)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--kernels", default=os.path.join(HERE, "package", "faults.py"))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    with open(options.kernels, encoding="utf-8") as f:
        lines, faults = parts(f.read())
    faults = [f for f in faults if options.only in kernel_of(lines, f[0])[0]]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernels.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(lines))
        right = answer(options.binary, path, "all").get("runs", [])
        for r in right:
            if r["verdict"] != "verified" or r["findings"]:
                wrong += 1
                print(f"{r['entry']}: {r['verdict']}: {[f['message'] for f in r.get('findings', [])] + r.get('problems', [])}")
        print(f"{len(right)} kernels, {wrong} not verified")
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            jobs = [pool.submit(judge, options.binary, folder, k, lines, fault) for k, fault in enumerate(faults)]
            for job in jobs:
                good, words, _ = job.result()
                wrong += not good
                if options.show or not good:
                    print(("ok   " if good else "FAIL ") + words)
    print(f"{len(faults)} faults, {wrong} not as said")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
