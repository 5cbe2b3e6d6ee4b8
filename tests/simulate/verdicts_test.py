#!/usr/bin/env python3
"""What `check --simulate` says of small kernels that are right, and of their twins that are wrong.

    verdicts_test.py TILEWRIGHT [-k PART] [--every N] [--jobs N]

Each script of verdicts/ is one kind of fault and says what is right of each of its entries:

    # verdict make(True): clean
    # verdict make(False): TW5020 at `B[rank] = x[0]`
    # verdict kernel: warning TW5014 at `T.ptx.mbarrier.init(full`
    # verdict make(3): only TW5020 at `B[rank] = x[0]`
    # verdict run kernel: verified
    # verdict unchecked kernel: a branch depends on it

`only`: no error and no warning stands beside it. The last but one is the verdict of `run --on sim`; the last is a part of what TW5025 says is not wholly checked, or `nothing`. An entry that is a call is tried alone. `clean` means: no error and no warning. Otherwise the finding has to be there, as an error
where nothing else is said, on a line of the script that contains the text; others of the same cause may stand beside it.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

VERDICT = re.compile(r"# verdict (?P<entry>.+?): (?:(?P<clean>clean)|(?P<only>only )?(?P<severity>warning |error )?(?P<code>TW\d{4})(?: at `(?P<line>.*)`)?)$")


def cases(script):
    """(entry, severity, code, part of the line) of each verdict; code None: clean. Of a run: (entry, "run", verdict, None)."""
    for line in script.read_text(encoding="utf-8").splitlines():
        if not line.startswith("# verdict"):
            continue
        if run := re.match(r"# verdict run (.+): (\w+)$", line):
            yield run[1], "run", run[2], None
            continue
        if left := re.match(r"# verdict unchecked (.+?): (.+)$", line):
            yield left[1], "unchecked", left[2], None
            continue
        m = VERDICT.match(line)
        if not m:
            raise SystemExit(f"{script}: not a verdict: {line}")
        yield m["entry"], ("only " if m["only"] else "") + (m["severity"] or "error").strip(), m["code"], m["line"]


def told(binary, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kernel.py")
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([binary, "check", "--simulate", "--json", str(path)], capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)["diagnostics"]
    except (json.JSONDecodeError, KeyError):
        return [{"severity": "error", "code": "no answer", "message": done.stdout + done.stderr, "range": {"start": {"line": 1}}}]


def unchecked(binary, text, part):
    said = [d["message"] for d in told(binary, text) if d["code"] == "TW5025" and "not wholly checked" in d["message"]]
    if part == "nothing":
        return "" if not said else f"is wholly checked, and is told {said}"
    return "" if any(part in message for message in said) else f"`{part}` is missing; told: {said}"


def found(binary, text):
    lines = text.split("\n")
    diagnostics = told(binary, text)
    return [(d["severity"], d["code"], lines[d["range"]["start"]["line"] - 1].strip()) for d in diagnostics if d["severity"] in ("error", "warning")]


def run(binary, text, entry, verdict):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kernel.py")
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([binary, "run", str(path), "--entry", entry, "--on", "sim"], capture_output=True, text=True, check=False)
    last = (done.stdout.strip() or done.stderr.strip()).split("\n")[-1]
    return "" if last.split(" ")[0].rstrip(":") == verdict else f"the run is not {verdict}: {last}"


def judge(binary, script, entry, severity, code, part):
    """What is wrong with the answer; empty: nothing."""
    body = [line for line in script.read_text(encoding="utf-8").split("\n") if not line.startswith("# verdict")]
    if "(" in entry:
        body.append(f"# tilewright: entry {entry}\n")
    if severity == "unchecked":
        return unchecked(binary, "\n".join(body), code)
    if severity == "run":
        return run(binary, "\n".join(body), entry, code)
    said = found(binary, "\n".join(body))
    if code is None:
        return "" if not said else f"is right, and is told {said}"
    if severity.startswith("only "):
        severity = severity.removeprefix("only ")
        if len(said) != 1:
            return f"{len(said)} findings instead of one: {said}"
    if any(s == severity and c == code and (part is None or part in line) for s, c, line in said):
        return ""
    return f"{severity} {code} at `{part}` is missing; told: {said}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("-k", default="", help="only scripts whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="only each Nth verdict")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    folder = pathlib.Path(__file__).parent / "verdicts"
    todo = [(s, *case) for s in sorted(folder.glob("*.py")) if args.k in s.name for case in cases(s)][:: args.every]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        answers = list(pool.map(lambda c: judge(args.binary, *c), todo))
    wrong = [(case, answer) for case, answer in zip(todo, answers) if answer]
    for (script, entry, *_), answer in wrong:
        print(f"{script.name}, {entry}: {answer}")
    print(f"{len(todo)} entries of {len({c[0] for c in todo})} scripts, {len(wrong)} told wrongly")
    return 1 if wrong or not todo else 0


if __name__ == "__main__":
    sys.exit(main())
