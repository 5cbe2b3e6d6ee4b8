#!/usr/bin/env python3
"""The types of the package's answers, made of the schemas of the binary's JSON.

    python_types.py [--update]

Writes python/tilewright/_types.py, or says that it is not what the schemas have (exit status 1).
"""
import json
import keyword
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUTPUT = os.path.join(ROOT, "python", "tilewright", "_types.py")
# The schema's own name of what a command says: (schema, definition or None for the whole, class).
ANSWERS = [("check", None, "CheckReport"), ("compile", None, "Compilation"), ("explain", 0, "Explanation"), ("explain", 1, "Meaning"),
           ("run", "report", "RunReport"), ("entries", None, "Entries")]
# One class for what several schemas share; the places of the others give their names.
SHARED = {"position": "Position", "range": "Range", "diagnostic": "Diagnostic", "launch": "Launch", "call": "Call", "trial": "Trial",
          "tensor_map": "TensorMap", "plan": "Plan", "spread": "Spread", "contest": "Contest", "silenced": "Silenced", "tensor": "Tensor",
          "kernelTime": "KernelTime", "figure": "Figure", "scriptLine": "ScriptLine"}
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "object": "Dict[str, Any]",
         "array": "List[Any]"}
HEAD = '''"""What the binary answers, as dataclasses. Made by packaging/python_types.py of protocol/schema; do not edit."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union

from tilewright._answer import Answer

'''


def camel(name):
    return "".join(part.capitalize() for part in re.split(r"[^A-Za-z0-9]+", name))


def singular(name):
    return name[:-3] + "y" if name.endswith("ies") else name[:-2] if name.endswith("ches") else name[:-1] if name.endswith("s") else name


class Types:
    def __init__(self):
        self.classes = {}  # by name: (lines, what they say)
        self.definitions = {}

    def schema(self, name):
        with open(os.path.join(ROOT, "protocol", "schema", name + ".json"), encoding="utf-8") as f:
            whole = json.load(f)
        # Members that an earlier schema gave a shared class name its definitions.
        self.definitions = {**self.definitions, **whole.get("$defs", {})}
        return whole

    def hint(self, node, wanted):
        """(type in words, the class that its objects become or None)."""
        if "$ref" in node:
            name = node["$ref"].rsplit("/", 1)[-1]
            return self.hint(self.definitions[name], SHARED.get(name, camel(name)))
        if "anyOf" in node:
            parts = [self.hint(n, wanted) for n in node["anyOf"]]
            words = [w for w, _ in parts if w != "None"]
            made = next((c for _, c in parts if c), None)
            joined = words[0] if len(set(words)) == 1 else "Union[" + ", ".join(dict.fromkeys(words)) + "]"
            return (f"Optional[{joined}]" if len(words) < len(parts) else joined), made
        kinds = node.get("type", "string" if "enum" in node else None)
        if isinstance(kinds, list):
            own = [k for k in kinds if k != "null"]
            if len(own) == 1:
                words, made = self.hint({**node, "type": own[0]}, wanted)
            else:
                words, made = "Union[" + ", ".join(PLAIN[k] for k in own) + "]", None
            return (f"Optional[{words}]" if "null" in kinds else words), made
        if kinds == "object" and "properties" in node:
            self.add(wanted, node)
            return wanted, wanted
        if kinds == "object" and isinstance(node.get("additionalProperties"), dict):
            words, made = self.hint(node["additionalProperties"], wanted)
            return f"Dict[str, {words}]", made
        if kinds == "array" and "items" in node:
            words, made = self.hint(node["items"], wanted)
            return f"List[{words}]", made
        return PLAIN.get(kinds, "Any"), None

    def add(self, name, node):
        required, optional, made_of = [], [], {}
        if name in self.classes and self.classes[name][1] != node["properties"].keys():
            node = {**node, "properties": {**self.classes[name][2]["properties"], **node["properties"]},
                    "required": [k for k in node.get("required", []) if k in self.classes[name][2].get("required", [])]}
        self.classes[name] = (None, node["properties"].keys(), node)
        for key, value in node["properties"].items():
            words, made = self.hint(value, name_of(name, key))
            own = key + "_" if keyword.iskeyword(key) else key
            if made:
                made_of[own] = made
            if key in node.get("required", []):
                required.append(f"    {own}: {words}")
            else:
                words = words if words.startswith("Optional") else f"Optional[{words}]"
                optional.append(f"    {own}: {words} = None")
        lines = ["@dataclass(frozen=True)", f"class {name}(Answer):"]
        if node.get("description"):
            lines += [f'    """{node["description"]}"""', ""]
        lines += [*required, *optional] or ["    pass"]
        self.classes[name] = (lines, node["properties"].keys(), node, made_of)

    def text(self):
        out = HEAD
        for name, definition, own in [(*a,) for a in ANSWERS]:
            whole = self.schema(name)
            node = whole if definition is None else whole["anyOf"][definition] if isinstance(definition, int) else self.definitions[definition]
            self.add(own, node)
        for name, (lines, *_) in sorted(self.classes.items()):
            out += "\n" + "\n".join(lines) + "\n\n"
        out += "\n# The classes of the objects in each field.\n"
        for name, parts in sorted(self.classes.items()):
            if parts[3]:
                out += f"{name}._made_of = {{" + ", ".join(f'"{k}": {v}' for k, v in parts[3].items()) + "}\n"
        return out.replace("from dataclasses import dataclass, field", "from dataclasses import dataclass")


def name_of(owner, key):
    named = {"diagnostics": "Diagnostic", "findings": "Diagnostic", "related": "Related", "calls": "Call", "kernels": "Kernel", "range": "Range",
             "failures": "Failure", "dialect": "Dialect"}
    base = named.get(key, camel(singular(key)))
    if base == "Kernel":
        return "ExplainedKernel" if owner == "Explanation" else "CompiledKernel"
    if key == "call":
        return "HostCall"
    return base if key in named else camel(owner + "_" + singular(key)) if owner[0].islower() else owner + base


def main():
    text = Types().text()
    known = ""
    if os.path.exists(OUTPUT):
        with open(OUTPUT, encoding="utf-8") as f:
            known = f.read()
    if "--update" in sys.argv:
        with open(OUTPUT, "w", encoding="utf-8") as f:
            f.write(text)
    elif known != text:
        sys.exit("python/tilewright/_types.py is not what the schemas have: packaging/python_types.py --update")


if __name__ == "__main__":
    main()
