"""A validator for the part of JSON Schema that protocol/schema/ uses; standard library only.

It also knows what the published schema of SARIF uses beyond that. It refuses a schema with a keyword that it does not know, so
that no rule is silently skipped.
"""
import json
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "protocol", "schema")
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description", "id", "definitions", "default"}
FORMATS = {
    "uri": re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:[!-~]*$"),
    "uri-reference": re.compile(r"^(?!//)(?:[!$-;=?-Z_a-z~]|%[0-9A-Fa-f]{2}|#)*$"),
    "date-time": re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"),
}


def is_type(value, name):
    if name in ("integer", "number") and isinstance(value, bool):
        return False
    return isinstance(value, TYPES[name])


def violations(value, schema, root, path="$"):
    known = set()

    def take(key):
        known.add(key)
        return schema.get(key)

    if (ref := take("$ref")) is not None:
        place = re.fullmatch(r"#/(\$defs|definitions)/(\w+)", ref)
        assert place, ref
        yield from violations(value, root[place[1]][place[2]], root, path)
    if (types := take("type")) is not None:
        types = types if isinstance(types, list) else [types]
        if not any(is_type(value, t) for t in types):
            yield f"{path}: {json.dumps(value)[:80]} is no {' or '.join(types)}"
            return
    if (options := take("enum")) is not None and value not in options:
        yield f"{path}: {value!r} is none of {options}"
    if (options := take("anyOf")) is not None:
        tried = [list(violations(value, o, root, path)) for o in options]
        if all(tried):
            yield f"{path}: fits none of {len(options)} forms: {tried[0][0]}; {tried[-1][0]}"
    if (options := take("oneOf")) is not None:
        fitting = sum(not list(violations(value, o, root, path)) for o in options)
        if fitting != 1:
            yield f"{path}: fits {fitting} of {len(options)} forms, not one"
    if (name := take("format")) is not None and isinstance(value, str) and not FORMATS[name].search(value):
        yield f"{path}: {value!r} is no {name}"
    if take("uniqueItems") and isinstance(value, list) and len({json.dumps(v, sort_keys=True) for v in value}) < len(value):
        yield f"{path}: an item is there twice"
    if (pattern := take("pattern")) is not None and isinstance(value, str) and not re.search(pattern, value):
        yield f"{path}: {value!r} does not match {pattern}"
    for key, wrong in (("minimum", lambda v, n: v < n), ("maximum", lambda v, n: v > n)):
        if (n := take(key)) is not None and isinstance(value, (int, float)) and wrong(value, n):
            yield f"{path}: {value} breaks {key} {n}"
    for key, wrong in (("minItems", lambda v, n: len(v) < n), ("maxItems", lambda v, n: len(v) > n)):
        if (n := take(key)) is not None and isinstance(value, list) and wrong(value, n):
            yield f"{path}: {len(value)} items break {key} {n}"
    if (items := take("items")) is not None and isinstance(value, list):
        for i, item in enumerate(value):
            yield from violations(item, items, root, f"{path}[{i}]")
    properties, rest, needed = take("properties") or {}, take("additionalProperties"), take("required") or []
    if isinstance(value, dict):
        for name in needed:
            if name not in value:
                yield f"{path}: no {name}"
        for name, item in value.items():
            if name in properties:
                yield from violations(item, properties[name], root, f"{path}.{name}")
            elif rest is False:
                yield f"{path}: unexpected {name}"
            elif isinstance(rest, dict):
                yield from violations(item, rest, root, f"{path}.{name}")
    unknown = set(schema) - known - ANNOTATIONS
    assert not unknown, f"{path}: this validator does not know {unknown}"


def load(name):
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as f:
        return json.load(f)


def check(value, name):
    """The violations of schema NAME in `value`, as texts."""
    schema = load(name)
    return list(violations(value, schema, schema))
