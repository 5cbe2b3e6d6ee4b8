#!/usr/bin/env python3
"""Annotated scripts: what the language server's features answer, written beside the code that they are about.

    features.py SERVER [--update] FILE...

A marker is a comment under the line it is about. Its carets (or one `^`) say where; carets of the first columns, which
the comment sign covers, are written `@COLUMN`:

    x = WIDTH + 1
    #   ^^^^^ definition: 1:1 WIDTH

A marker without a place asks for the whole document: `# documentSymbol:`. The answer follows the colon; more lines of it
are comments with a bar, `#| ...`, which do not count as lines of the script. With --update the answers are written again:
read the difference.

A file may bring others along, at its end: `#--- file NAME` and the lines below it. They stand in the same folder, which is the
workspace, while the test runs.
"""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401
from support.language_server import Client  # noqa: E402

MARKER = re.compile(r"^(\s*)#(?!\s*tilewright:)(\s*)(\^+|@\d+)?\s*([a-zA-Z/]+)(?:\(([^)]*)\))?:(.*)$")
CAPABILITIES = {"general": {"positionEncodings": ["utf-32"]},
                "textDocument": {"documentLink": {"tooltipSupport": True},
                                 "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                                 "completion": {"completionItem": {"snippetSupport": False,
                                                                    "resolveSupport": {"properties": ["documentation"]}}},
                                 "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
                                                "isPreferredSupport": True},
                                 "publishDiagnostics": {"relatedInformation": True}}}


# ---- how answers are written ----------------------------------------------------------------------------------------

class Writer:
    """Positions as line:column from 1, with the text that stands there."""

    def __init__(self, uri, text, folder):
        self.uri, self.lines, self.folder = uri, text.split("\n"), folder

    def place(self, r):
        s, e = r["start"], r["end"]
        if s["line"] == e["line"]:
            return f"{s['line'] + 1}:{s['character'] + 1} {self.lines[s['line']][s['character']:e['character']]}".rstrip()
        return f"{s['line'] + 1}:{s['character'] + 1}-{e['line'] + 1}:{e['character'] + 1}"

    def location(self, location):
        if location["uri"] == self.uri:
            return self.place(location["range"])
        s = location["range"]["start"]
        return f"{os.path.basename(location['uri'])} {s['line'] + 1}:{s['character'] + 1}"

    def item(self, i):
        return f"{i['name']} kind {i['kind']}" + (f" ({i['detail']})" if "detail" in i else "") + " at " + self.location(
            {"uri": i["uri"], "range": i["selectionRange"]})

    def changed(self, edits):
        """The lines that one edit makes."""
        (edit,) = edits
        s, e = edit["range"]["start"], edit["range"]["end"]
        now = self.lines[s["line"]][:s["character"]] + edit["newText"] + self.lines[e["line"]][e["character"]:]
        return [line.rstrip() for line in now.split("\n") if line.strip()][:6]

    @staticmethod
    def target(uri):
        return uri.split("?")[0] if uri.startswith("tilewright:") else os.path.basename(uri)


def symbols(w, items, indent=""):
    out = []
    for s in items:
        detail = " " + s["detail"] if "detail" in s else ""
        out.append(f"{indent}{s['name']} kind {s['kind']}{detail} {w.place(s['range'])} at {w.place(s['selectionRange'])}")
        out += symbols(w, s.get("children", []), indent + "  ")
    return out


def tokens(w, legend, data):
    out, line, column = [], 0, 0
    for i in range(0, len(data), 5):
        line, column = line + data[i], data[i + 1] + (0 if data[i] else column)
        modifiers = [m for b, m in enumerate(legend["tokenModifiers"]) if data[i + 4] >> b & 1]
        out.append(f"{line + 1}:{column + 1} {w.lines[line][column:column + data[i + 2]]} "
                   + ".".join([legend["tokenTypes"][data[i + 3]]] + modifiers))
    return out


def ask(c, w, method, argument, position, legend):
    """The answer as lines."""
    document = {"textDocument": {"uri": w.uri}}
    at = {**document, "position": position}
    if method in ("definition", "declaration", "typeDefinition"):
        r = c.result("textDocument/" + method, at)
        return [w.location(r)] if r else ["nothing"]
    if method == "references":
        r = c.result("textDocument/references", {**at, "context": {"includeDeclaration": True}})
        return [w.location(x) for x in r] if r else ["nothing"]
    if method == "highlight":
        r = c.result("textDocument/documentHighlight", at)
        return [w.place(x["range"]) + (" write" if x["kind"] == 3 else "") for x in r] if r else ["nothing"]
    if method == "rename":
        m = c.request("textDocument/rename", {**at, "newName": argument})
        if "error" in m:
            return ["refused: " + m["error"]["message"]]
        changes = sorted(m["result"]["changes"].items(), key=lambda item: (item[0] != w.uri, item[0]))
        return [w.location({"uri": uri, "range": e["range"]}) for uri, edits in changes for e in edits]
    if method == "prepareRename":
        r = c.result("textDocument/prepareRename", at)
        return [w.place(r["range"])] if r else ["nothing"]
    if method == "linkedEditingRange":
        r = c.result("textDocument/linkedEditingRange", at)
        return [w.place(x) for x in r["ranges"]] if r else ["nothing"]
    if method == "documentLink":
        return [f"{w.place(x['range'])} -> {w.target(x['target'])} ({x['tooltip']})"
                for x in c.result("textDocument/documentLink", document)] or ["nothing"]
    if method in ("incomingCalls", "outgoingCalls"):
        items = c.result("textDocument/prepareCallHierarchy", at)
        if not items:
            return ["nothing"]
        out, key = [w.item(items[0])], "from" if method == "incomingCalls" else "to"
        for call in c.result("callHierarchy/" + method, {"item": items[0]}):
            # Ranges are the caller's: of the other item, or of this one.
            uri = call["from"]["uri"] if key == "from" else items[0]["uri"]
            out.append("  " + w.item(call[key]) + ": " + ", ".join(w.location({"uri": uri, "range": x}) for x in call["fromRanges"]))
        return out
    if method == "workspaceSymbol":
        found = c.result("workspace/symbol", {"query": argument or ""})
        return [f"{s['name']} kind {s['kind']} {w.location(s['location'])}" for s in found] or ["nothing"]
    if method == "selectionRange":
        r, out = c.result("textDocument/selectionRange", {**document, "positions": [position]})[0], []
        while r:
            out.append(w.place(r["range"]))
            r = r.get("parent")
        return out
    if method == "documentSymbol":
        return symbols(w, c.result("textDocument/documentSymbol", document))
    if method == "foldingRange":
        return [f"{f['startLine'] + 1}-{f['endLine'] + 1}" + (" " + f["kind"] if "kind" in f else "")
                for f in c.result("textDocument/foldingRange", document)]
    if method == "semanticTokens":
        return tokens(w, legend, c.result("textDocument/semanticTokens/full", document)["data"])
    if method == "hover":
        r = c.result("textDocument/hover", at)
        return (w.place(r["range"]) + "\n" + r["contents"]["value"]).split("\n") if r else ["nothing"]
    if method == "completion":
        r = c.result("textDocument/completion", at)
        items = sorted(r["items"], key=lambda i: i.get("sortText", i["label"])) if r else []
        wanted = [i for i in items if not argument or re.search(argument, i["label"])]
        return [f"{i['label']} kind {i.get('kind')}" + (" " + i["detail"] if "detail" in i else "") for i in wanted[:20]] or ["nothing"]
    if method == "documentation":  # of the completion with this label
        items = [i for i in c.result("textDocument/completion", at)["items"] if i["label"] == argument]
        if not items:
            return ["nothing"]
        return c.result("completionItem/resolve", items[0]).get("documentation", "nothing").split("\n")
    if method == "fixes":  # what fixes the findings at the place, and what their lines would be then
        def place(p):
            return p["line"], p["character"]
        found = [d for d in c.result("textDocument/diagnostic", document)["items"]
                 if place(d["range"]["start"]) <= place(position) <= place(d["range"]["end"])]
        out = []
        for d in found:
            out.append(f"{d['code']} at {w.place(d['range'])}")
            for a in c.result("textDocument/codeAction", {**document, "range": d["range"],
                                                          "context": {"diagnostics": [d], "only": ["quickfix"]}}):
                assert a["diagnostics"] == [d], "a quick fix says what it fixes"
                out.append(("* " if a.get("isPreferred") else "  ") + a["title"])
                out += ["    " + line for line in w.changed(a["edit"]["changes"][w.uri])]
        return out or ["nothing"]
    if method == "signatureHelp":
        r = c.result("textDocument/signatureHelp", at)
        if not r or not r["signatures"]:
            return ["nothing"]
        s = r["signatures"][r.get("activeSignature", 0)]
        active = r.get("activeParameter")
        label = s["parameters"][active]["label"] if active is not None and active < len(s["parameters"]) else None
        return [s["label"], f"active: {s['label'][label[0]:label[1]] if isinstance(label, list) else label}"]
    if method == "inlayHint":
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(w.lines), "character": 0}}
        out = []
        for h in c.result("textDocument/inlayHint", {**document, "range": whole}):
            label = h["label"] if isinstance(h["label"], str) else "".join(p["value"] for p in h["label"])
            out.append(f"{h['position']['line'] + 1}:{h['position']['character'] + 1} {label}")
        return out
    raise SystemExit(f"there is no marker '{method}'")


# ---- files ----------------------------------------------------------------------------------------------------------

def parts(text):
    """The main script, what follows it, and the files that it brings along by name."""
    at = re.search(r"^#--- file ", text, re.M)
    main, tail = (text[:at.start()], text[at.start():]) if at else (text, "")
    files = {}
    for section in re.split(r"^#--- file ", tail, flags=re.M)[1:]:
        name, content = section.split("\n", 1)
        files[name.strip()] = content
    return main, tail, files


def run(server, path, update):
    with open(path, encoding="utf-8") as f:
        written = f.read()
    text, tail, files = parts(written)
    lines = text.split("\n")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(content)
        uri = f"file://{os.path.realpath(folder)}/{os.path.basename(path)}"
        c = Client(server)
        folders = [{"uri": f"file://{os.path.realpath(folder)}", "name": "test"}]
        # What the simulator says in pauses of typing would stand in some answers and not in others.
        settings = {"tilewright": {"simulate": False}}
        legend = c.initialize(CAPABILITIES, workspaceFolders=folders, initializationOptions=settings)["capabilities"].get("semanticTokensProvider", {}).get("legend")
        # Answers are no part of the script, or each would move what stands below it.
        lines = [line for line in lines if not line.startswith("#|")]
        script = [line[:m.end(4)] if (m := MARKER.match(line)) else line for line in lines]
        with open(os.path.join(folder, os.path.basename(path)), "w", encoding="utf-8") as f:
            f.write("\n".join(script))
        c.open(uri, "\n".join(script))
        w = Writer(uri, "\n".join(script), folder)
        out, about = [], 0
        for number, line in enumerate(lines):
            m = MARKER.match(line)
            out.append(line)
            if not m:
                about = number
                continue
            column = 0
            if m.group(3):
                column = int(m.group(3)[1:]) - 1 if m.group(3)[0] == "@" else m.start(3)
            answer = ask(c, w, m.group(4), m.group(5), {"line": about, "character": column}, legend)
            head = line[:m.end(4)] + (f"({m.group(5)})" if m.group(5) is not None else "") + ":"
            if len(answer) == 1 and len(answer[0]) < 90:
                out[-1] = f"{head} {answer[0]}"
            else:
                out[-1] = head
                out += ["#| " + a if a else "#|" for a in answer]
        c.close()
    now = "\n".join(out) + tail
    if now == written:
        print(f"ok    {path}")
        return True
    if update:
        with open(path, "w", encoding="utf-8") as f:
            f.write(now)
        print(f"wrote {path}")
        return True
    print(f"FAIL  {path}: the answers differ (--update writes them again)")
    before = written.split("\n")
    for i in range(max(len(out), len(before))):
        a, b = (before[i] if i < len(before) else "<end>"), (out[i] if i < len(out) else "<end>")
        if a != b:
            print(f"  line {i + 1}\n  expected: {a}\n  answered: {b}")
            break
    return False


def main():
    arguments = [a for a in sys.argv[2:] if a != "--update"]
    server = os.path.abspath(sys.argv[1])
    ok = [run(server, path, "--update" in sys.argv) for path in arguments]
    return 0 if ok and all(ok) else 1


if __name__ == "__main__":
    sys.exit(main())
