#!/usr/bin/env python3
"""The types that the VS Code extension has for the server's answers, held against the schemas of these answers.

    protocol_types.py [ROOT]

Whatever a schema allows, the interface of the same answer in editors/vscode/src/protocol.ts must take: each member that
an interface names is one of the schema, it is optional where the answer may lack it, and its type holds all kinds of
values that the schema has there. Members that an interface leaves out do not count. protocol_types_test()
breaks each of these rules once.
"""
import json
import os
import re
import sys

# The interface of an answer, and where its schema lies.
ANSWERS = {
    "Entry": ("lsp_entries_result", "/items"),
    "View": ("lsp_view_result", ""),
    "RunResult": ("lsp_run_result", ""),
    "RunReport": ("run", "/$defs/report"),
    "Targets": ("lsp_targets_result", ""),
    "Trust": ("lsp_trust_result", ""),
    "Layout": ("lsp_layout_result", "/$defs/layout"),
    "Pipeline": ("lsp_pipeline_result", ""),
}
TOKEN = re.compile(r"//[^\n]*|\s+|(=>|'[^']*'|[\w$.]+|.)")


class Types:
    """What protocol.ts declares: aliases and interfaces, each as a set of alternatives.

    An alternative is ("null",), ("string",), ("literal", text), ("array", type), ("object", members, open), ("any",) or
    ("map", type); members are {name: (type, optional)}.
    """

    def __init__(self, text):
        self.tokens = [t for t in (m.group(1) for m in TOKEN.finditer(text)) if t]
        self.at = 0
        self.named = {}
        for m in re.finditer(r"export const (\w+) = \[([^\]]*)\] as const", text):
            self.named["typeof " + m.group(1)] = [("literal", w) for w in re.findall(r"'([^']*)'", m.group(2))]
        while self.at < len(self.tokens):
            word = self.take()
            if word == "interface":
                name = self.take()
                self.named[name] = [self.object()]
            elif word == "type" and self.peek(1) == "=":
                name = self.take()
                self.take("=")
                self.named[name] = self.union()

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.peek()
        if wanted is not None and token != wanted:
            raise SystemExit(f"protocol.ts: '{token}' stands where '{wanted}' is expected")
        self.at += 1
        return token

    def object(self):
        self.take("{")
        members, is_open = {}, False
        while self.peek() != "}":
            if self.peek() == "[":  # [other: string]: unknown
                while self.take() != "]":
                    pass
                self.take(":")
                self.union()
                is_open = True
            else:
                name = self.take()
                optional = self.peek() == "?"
                if optional:
                    self.take()
                self.take(":")
                members[name] = (self.union(), optional)
            if self.peek() in (";", ","):
                self.take()
        self.take("}")
        return ("object", members, is_open)

    def union(self):
        out = self.one()
        while self.peek() == "|":
            self.take()
            out = out + self.one()
        return out

    def one(self):
        token = self.peek()
        if token == "{":
            out = [self.object()]
        elif token == "(":
            self.take()
            out = self.union()
            self.take(")")
            if self.peek() == "[" and self.peek(1) == "number":
                self.at += 3
        else:
            self.take()
            if token.startswith("'"):
                out = [("literal", token[1:-1])]
            elif token == "typeof":  # inside of (typeof list)[number]
                out = self.named.get("typeof " + self.take(), [("any",)])
            elif token == "Record":
                self.take("<")
                self.union()
                self.take(",")
                out = [("map", self.union())]
                self.take(">")
            elif token in ("string", "number", "boolean", "null"):
                out = [(token,)]
            elif token == "unknown" or token.startswith("lsp."):
                out = [("any",)]
            else:
                out = [("name", token)]
        while self.peek() == "[" and self.peek(1) == "]":
            self.at += 2
            out = [("array", out)]
        return out

    def alternatives(self, types):
        out = []
        for t in types:
            out += self.alternatives(self.named[t[1]]) if t[0] == "name" and t[1] in self.named else [t]
        return out


class Schema:
    def __init__(self, document):
        self.document = document

    def at(self, pointer):
        node = self.document
        for part in pointer.split("/")[1:]:
            node = node[part]
        return node

    def cases(self, node):
        """The alternatives of a schema, references resolved."""
        if "$ref" in node and node["$ref"].startswith("#"):
            return self.cases(self.at(node["$ref"][1:]))
        for key in ("anyOf", "oneOf"):
            if key in node:
                return [case for one in node[key] for case in self.cases(one)]
        if isinstance(node.get("type"), list):
            return [{**node, "type": kind} for kind in node["type"]]
        return [node]


NUMBERS = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}


def misfits(types, schema, node, ts, where):
    """What the schema allows at `node` and the type `ts` does not take, a line each."""
    kinds = types.alternatives(ts)
    if ("any",) in kinds:
        return
    for case in schema.cases(node):
        words = case.get("enum", [case["const"]] if "const" in case else None)
        if words is not None:
            for word in words:
                takes = ("null",) if word is None else ("literal", word)
                if takes not in kinds and (not isinstance(word, str) or ("string",) not in kinds):
                    yield f"{where}: the schema has {word!r}, the type does not"
            continue
        kind = case.get("type", "object" if "properties" in case else None)
        if kind in NUMBERS:
            if (NUMBERS[kind],) not in kinds:
                yield f"{where}: the schema has {kind}, the type does not"
        elif kind == "array":
            arrays = [k for k in kinds if k[0] == "array"]
            if not arrays:
                yield f"{where}: the schema has an array, the type does not"
            elif "items" in case and isinstance(case["items"], dict):
                yield from misfits(types, schema, case["items"], arrays[0][1], where + "[]")
        elif kind == "object":
            objects = [k for k in kinds if k[0] in ("object", "map")]
            if not objects:
                yield f"{where}: the schema has an object, the type does not"
            elif objects[0][0] == "map":
                for name, member in case.get("properties", {}).items():
                    yield from misfits(types, schema, member, objects[0][1], f"{where}.{name}")
            else:
                yield from misfit_members(types, schema, case, objects[0][1], where)


def misfit_members(types, schema, case, members, where):
    known = case.get("properties", {})
    for name, (ts, optional) in members.items():
        if name not in known:
            if "properties" in case:
                yield f"{where}.{name}: the schema does not have it"
            continue
        if not optional and name not in case.get("required", ()):
            yield f"{where}.{name}: an answer may lack it, the type says that it is there"
        yield from misfits(types, schema, known[name], ts, f"{where}.{name}")


def check(types, documents):
    out = []
    for name, (file, pointer) in ANSWERS.items():
        if name not in types.named:
            out.append(f"{name}: protocol.ts has no such interface")
            continue
        schema = Schema(documents[file])
        out += misfits(types, schema, schema.at(pointer), [("name", name)], name)
    return out


def protocol_types_test():
    document = {"properties": {"a": {"type": ["integer", "null"]}, "b": {"enum": ["x", "y"]}, "c": {"$ref": "#/$defs/c"}},
                "required": ["a", "b"], "type": "object",
                "$defs": {"c": {"type": "array", "items": {"type": "object", "properties": {"d": {"type": "string"}}}}}}
    cases = [
        ("a: number | null; b: 'x' | 'y'; c?: { d?: string }[]", []),
        ("a: number | null; b: string", []),
        ("a: number", ["T.a: the schema has null"]),
        ("a?: string | null", ["T.a: the schema has integer"]),
        ("b: 'x'", ["T.b: the schema has 'y'"]),
        ("c: { d?: string }[]", ["T.c: an answer may lack it"]),
        ("c?: { d: string }[]", ["T.c[].d: an answer may lack it"]),
        ("c?: { d?: string }", ["T.c: the schema has an array"]),
        ("e?: string", ["T.e: the schema does not have it"]),
        ("c?: D[] } interface D { d?: number", ["T.c[].d: the schema has string"]),
    ]
    for text, expected in cases:
        types, schema = Types("export interface T { " + text + " }"), Schema(document)
        found = list(misfits(types, schema, document, [("name", "T")], "T"))
        if len(found) != len(expected) or not all(f.startswith(e) for f, e in zip(found, expected)):
            yield f"{text}: {found}, expected {expected}"


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
    problems = list(protocol_types_test())
    with open(os.path.join(root, "editors/vscode/src/protocol.ts"), encoding="utf-8") as f:
        types = Types(f.read())
    documents = {}
    for file, _ in ANSWERS.values():
        with open(os.path.join(root, "protocol/schema", file + ".json"), encoding="utf-8") as f:
            documents[file] = json.load(f)
    problems += check(types, documents)
    for problem in problems:
        print(problem)
    print(f"{len(ANSWERS)} answers, {len(problems)} problems", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
