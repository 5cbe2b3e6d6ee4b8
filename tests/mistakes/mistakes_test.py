#!/usr/bin/env python3
"""mistakes_test.py SERVER [--count N] [--seed S] [--show KIND] [--least]: mistakes planted into every example, and what is said of them.

Each mistaken script is opened in the language server, as an editor does. Asked is whether the finding begins at the token that is wrong, names
the cause, is the only one, and whether its first fix makes a script without findings. A summary by kind; with --least the exit status is 1
where less than the project promises is met. With --seed 0 (the default) the clock makes one, and it is printed.
"""
import argparse
import collections
import glob
import os
import random
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import plant  # noqa: E402
from support.language_server import Client  # noqa: E402

PROMISED = {"token": 0.99, "cause": 0.95, "one": 0.95, "fix": 0.70}
SEVERE = 2  # errors and warnings
MEANT = {"TW3106"}  # an example shows what the fallback is and says


class Editor:
    def __init__(self, server):
        self.client = Client(server)
        self.client.result("initialize", {"processId": None, "rootUri": None, "capabilities": {
            "textDocument": {"publishDiagnostics": {"versionSupport": True, "codeDescriptionSupport": True, "dataSupport": True},
                             "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
                                            "isPreferredSupport": True, "dataSupport": True,
                                            "resolveSupport": {"properties": ["edit"]}}}}})
        self.client.notify("initialized", {})
        self.number = 0

    def open(self, path, text):
        """Beside the script that it was made of, so that what it imports is found."""
        self.number += 1
        uri = "file://" + os.path.join(os.path.dirname(path), f"mistake_{self.number}.py")
        self.client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": text}})
        got = self.client.notification("textDocument/publishDiagnostics", lambda p: p["uri"] == uri)
        return uri, [d for d in got["diagnostics"] if d.get("severity", 1) <= SEVERE]

    def close(self, uri):
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        self.client.notification("textDocument/publishDiagnostics", lambda p: p["uri"] == uri and not p["diagnostics"])

    def fixes(self, uri, diagnostic):
        actions = self.client.result("textDocument/codeAction", {
            "textDocument": {"uri": uri}, "range": diagnostic["range"], "context": {"diagnostics": [diagnostic], "only": ["quickfix"]}}) or []
        out = []
        for action in actions:
            if not action.get("kind", "").startswith("quickfix") or "ilence" in action["title"]:
                continue
            if "edit" not in action and "data" in action:
                action = self.client.result("codeAction/resolve", action)
            if "edit" in action:
                out.append(action)
        return sorted(out, key=lambda a: not a.get("isPreferred", False))


def applied(text, uri, edit):
    edits = []
    for change in edit.get("documentChanges", []):
        if change.get("textDocument", {}).get("uri") == uri:
            edits += change["edits"]
    edits += edit.get("changes", {}).get(uri, [])
    lines = text.splitlines(keepends=True) + [""]

    def offset(position):
        return sum(len(line) for line in lines[:position["line"]]) + position["character"]

    for e in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
        text = text[:offset(e["range"]["start"])] + e["newText"] + text[offset(e["range"]["end"]):]
    return text


def words_of(diagnostic):
    return diagnostic["message"] + " " + " ".join(r["message"] for r in diagnostic.get("relatedInformation", []))


def judge(editor, path, original, before, mistake):
    """What came of it: a set of words, and the findings. Empty: accepted. `before`: what the example itself wants to be told."""
    uri, findings = editor.open(path, mistake.text)
    findings = [d for d in findings if d["message"] not in before]
    verdict = set()
    if findings:
        first = findings[0]
        start = first["range"]["start"]
        if any(line == start["line"] + 1 and a <= start["character"] <= b for line, a, b in mistake.spans):
            verdict.add("token")
        if re.search(mistake.cause, words_of(first)):
            verdict.add("cause")
        if len(findings) == 1:
            verdict.add("one")
        fixes = editor.fixes(uri, first)
        if fixes:
            text = applied(mistake.text, uri, fixes[0]["edit"])
            good = text == original
            if not good:
                again, rest = editor.open(path, text)
                editor.close(again)
                good = all(d["message"] in before for d in rest)
            verdict.add("fix" if good else "bad fix")
        verdict.add("found")
    editor.close(uri)
    return verdict, findings


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", default="", help="a kind, or 'all': print each that is not as it should be")
    parser.add_argument("--least", action="store_true", help="exit status 1 where less than promised is met")
    parser.add_argument("--only", default="", help="mistakes of one kind alone")
    arguments = parser.parse_args()
    seed = arguments.seed or time.time_ns() % 1_000_000
    choose = random.Random(seed)
    editor = Editor(os.path.abspath(arguments.server))
    scripts, before, by_kind, wrong = {}, {}, collections.defaultdict(list), 0
    for path in sorted(glob.glob(os.path.join(ROOT, "examples", "*.py"))):
        with open(path) as file:
            scripts[path] = file.read()
        uri, findings = editor.open(path, scripts[path])
        editor.close(uri)
        before[path] = {d["message"] for d in findings}
        for d in findings:
            if d.get("code") in MEANT:
                continue
            wrong += 1
            print(f"{os.path.basename(path)}:{d['range']['start']['line'] + 1}: an example has a finding: {d['message']}")
        for p in plant.plants(scripts[path]):
            by_kind[p.kind].append((path, p))
    kinds = sorted(k for k in by_kind if not arguments.only or k == arguments.only)
    count, said = collections.defaultdict(collections.Counter), 0
    for n in range(arguments.count):
        kind = kinds[n % len(kinds)]
        mistake = None
        while mistake is None:
            path, chosen = choose.choice(by_kind[kind])
            mistake = chosen.make(choose)
        verdict, findings = judge(editor, path, scripts[path], before[path], mistake)
        c = count[kind]
        if not findings and not mistake.certain:
            c["accepted"] += 1
            continue
        c["planted"] += 1
        c.update(verdict)
        good = {"token", "cause", "one", "fix"} <= verdict
        if not good and (arguments.show == "all" or arguments.show == kind):
            said += 1
            missing = ", ".join(w for w in ("found", "token", "cause", "one", "fix") if w not in verdict)
            print(f"-- {os.path.basename(path)}: {mistake.kind}, {mistake.what}: lacks {missing}; wanted at {mistake.spans[:3]}")
            for d in findings[:4]:
                print(f"     {d['range']['start']['line'] + 1}:{d['range']['start']['character']} {d.get('code')} {d['message']}")
    total = collections.Counter()
    print(f"seed {seed}\n{'':16}{'planted':>9}{'accepted':>9}" + "".join(f"{w:>8}" for w in ("found", "token", "cause", "one", "fix", "bad fix")))
    for kind in kinds:
        c = count[kind]
        total.update(c)
        planted = max(1, c["planted"])
        print(f"{kind:16}{c['planted']:9}{c['accepted']:9}" + "".join(f"{c[w] / planted:8.1%}" for w in ("found", "token", "cause", "one", "fix", "bad fix")))
    planted = max(1, total["planted"])
    print(f"{'all':16}{total['planted']:9}{total['accepted']:9}" +
          "".join(f"{total[w] / planted:8.1%}" for w in ("found", "token", "cause", "one", "fix", "bad fix")))
    low = [w for w, least in PROMISED.items() if total[w] / planted < least]
    for w in low:
        print(f"less than promised: {w}: {total[w] / planted:.1%} of {PROMISED[w]:.0%}")
    return 1 if wrong or (arguments.least and low) else 0


if __name__ == "__main__":
    sys.exit(main())
