"""Mistakes as people make them, planted into scripts that are right: one a script, with what a good finding would say.

`plants(text, path, random)` lists every place of a script where a kind of mistake can stand; `Plant.make(random)` makes one there,
or None where it would be none (another name that exists, say). Python's own parser finds the places.
"""
import ast
import builtins
import dataclasses
import re
import string


@dataclasses.dataclass
class Mistake:
    kind: str
    text: str  # the script with the mistake in it
    spans: list  # (line, begin, end) where a finding may begin: lines from 1, columns from 0, end inclusive
    cause: str  # a regular expression: what the finding or its hint has to say
    certain: bool = True  # False: Python and the reference may well accept it, and then there is nothing to find
    what: str = ""


@dataclasses.dataclass
class Plant:
    kind: str
    make: object


def typo(word, random, known):
    """One slip of the fingers. None: each one tried is a word that exists."""
    for _ in range(20):
        w = list(word)
        at = random.randrange(len(w))
        how = random.randrange(4)
        if how == 0 and at + 1 < len(w):
            w[at], w[at + 1] = w[at + 1], w[at]
        elif how == 1 and len(w) > 3:
            del w[at]
        elif how == 2:
            w.insert(at, w[at])
        elif how == 3:
            w[at] = random.choice(string.ascii_lowercase)
        made = "".join(w)
        if made != word and made.isidentifier() and made not in known:
            return made
    return None


def identifiers(tree):
    names = set(dir(builtins)) | {"__name__", "__file__"}
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                names.update(value.split("."))
    return names


class Script:
    def __init__(self, text):
        self.text = text
        self.lines = text.splitlines(keepends=True)
        self.tree = ast.parse(text)
        self.known = identifiers(self.tree)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def offset(self, line, column):
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def at(self, offset):
        line = max(i for i, start in enumerate(self.starts) if start <= offset)
        return line + 1, offset - self.starts[line]

    def begin(self, node):
        return self.offset(node.lineno, node.col_offset)

    def end(self, node):
        return self.offset(node.end_lineno, node.end_col_offset)

    def replaced(self, begin, end, by):
        return self.text[:begin] + by + self.text[end:]

    def span(self, begin, end):
        line, column = self.at(begin)
        return line, column, column + end - begin

    def spans_of(self, node):
        """Every line of a node."""
        out = []
        for line in range(node.lineno, node.end_lineno + 1):
            first = node.col_offset if line == node.lineno else 0
            last = node.end_col_offset if line == node.end_lineno else len(self.lines[line - 1])
            out.append((line, first, last))
        return out


def dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def is_tile_call(node):
    return isinstance(node, ast.Call) and dotted(node.func).startswith("Tx.")


# ---- kinds ----------------------------------------------------------------------------------------------------------
def reached(script):
    """Nodes of code that runs: module level, kernels and what they call; not what only a comment names."""
    used = {n.id for n in ast.walk(script.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    out = []

    def visit(node):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.decorator_list and node.name not in used:
            return
        out.append(node)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(script.tree)
    return out


def names(script):
    for node in reached(script):
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or len(node.id) < 3:
            continue

        def make(random, node=node):
            wrong = typo(node.id, random, script.known)
            if not wrong:
                return None
            begin = script.begin(node)
            text = script.replaced(begin, script.end(node), wrong)
            return Mistake("name", text, [script.span(begin, begin + len(wrong))], re.escape(wrong), what=f"{node.id} -> {wrong}")

        yield Plant("name", make)


def attributes(script):
    for node in reached(script):
        if not isinstance(node, ast.Attribute) or len(node.attr) < 3:
            continue
        decorator = any(node is d or node is getattr(d, "func", None) for p in [script.parents.get(node)] for d in
                        [*getattr(p, "decorator_list", []),
                         *getattr(script.parents.get(p), "decorator_list", [])])

        def make(random, node=node, kind="decorator" if decorator else "attribute"):
            wrong = typo(node.attr, random, script.known)
            if not wrong:
                return None
            end = script.end(node)
            begin = end - len(node.attr)
            text = script.replaced(begin, end, wrong)
            return Mistake(kind, text, [script.span(begin, begin + len(wrong))], re.escape(wrong), what=f"{node.attr} -> {wrong}")

        yield Plant("decorator" if decorator else "attribute", make)


def keywords(script):
    for node in reached(script):
        if not isinstance(node, ast.Call) or not dotted(node.func).startswith(("T.", "Tx.")):
            continue
        for keyword in node.keywords:
            if not keyword.arg or len(keyword.arg) < 3:
                continue

            def make(random, keyword=keyword):
                wrong = typo(keyword.arg, random, script.known)
                if not wrong:
                    return None
                begin = script.begin(keyword)
                text = script.replaced(begin, begin + len(keyword.arg), wrong)
                return Mistake("keyword", text, [script.span(begin, begin + len(wrong))], re.escape(wrong),
                               what=f"{keyword.arg}= -> {wrong}=")

            yield Plant("keyword", make)


def modules(script):
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("tvm"):
            continue
        line = script.starts[node.lineno - 1] + node.col_offset
        begin = line + len("from ")
        parts = node.module.split(".")
        for i, part in enumerate(parts):
            def make(random, node=node, begin=begin, parts=parts, i=i, part=part):
                wrong = typo(part, random, script.known)
                if not wrong:
                    return None
                at = begin + len(".".join(parts[:i])) + (1 if i else 0)
                text = script.replaced(at, at + len(part), wrong)
                return Mistake("module", text, [script.span(begin, begin + len(node.module) + 2)], re.escape(wrong), what=f"{part} -> {wrong}")

            yield Plant("module", make)
        for alias in node.names:
            if len(alias.name) < 3:
                continue

            def make_name(random, node=node, alias=alias):
                wrong = typo(alias.name, random, script.known)
                if not wrong:
                    return None
                at = script.begin(alias)
                by = wrong if alias.asname else f"{wrong} as {alias.name}"  # its uses stay as they are
                text = script.replaced(at, at + len(alias.name), by)
                return Mistake("imported name", text, [script.span(at, at + len(wrong))], re.escape(wrong),
                               what=f"{alias.name} -> {wrong}")

            yield Plant("imported name", make_name)


def imports(script):
    for node in script.tree.body:
        if not isinstance(node, (ast.ImportFrom, ast.Import)) or getattr(node, "module", "") == "__future__":
            continue
        for alias in node.names:
            bound = (alias.asname or alias.name).split(".")[0]
            uses = [n for n in reached(script) if isinstance(n, ast.Name) and n.id == bound]
            if not uses or len(bound) < 1:
                continue

            def make(random, node=node, alias=alias, bound=bound, uses=uses):
                if len(node.names) == 1:
                    begin, end, by = script.starts[node.lineno - 1], script.starts[node.end_lineno], ""
                else:
                    rest = [a.name + (f" as {a.asname}" if a.asname else "") for a in node.names if a is not alias]
                    module = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else ""
                    by = (f"from {module} import " if module else "import ") + ", ".join(rest)
                    begin, end = script.begin(node), script.end(node)
                text = script.replaced(begin, end, by)
                removed = text.count("\n") - script.text.count("\n")
                spans = [(n.lineno + (removed if n.lineno > node.lineno else 0), n.col_offset, n.end_col_offset) for n in uses]
                return Mistake("missing import", text, spans, rf"\b{re.escape(bound)}\b", what=f"without {bound}")

            yield Plant("missing import", make)


def buffer_calls(script):
    for node in reached(script):
        if isinstance(node, ast.Call) and dotted(node.func) in ("T.match_buffer", "T.alloc_buffer", "T.decl_buffer", "T.alloc_shared",
                                                                "T.alloc_local", "T.Buffer"):
            yield node


def lines_of_name(script, name):
    """Where a buffer's name stands, and the statements around: what is wrong with it shows in one of them. So it does
    where a view of the buffer stands, `into = lanes.view(...)`."""
    meant = {name}
    for node in reached(script):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call):
            if dotted(node.value.func).split(".")[0] in meant:
                meant.add(node.targets[0].id)
    out = []
    for node in reached(script):
        if isinstance(node, ast.Name) and node.id in meant:
            statement = node
            while statement in script.parents and not isinstance(statement, ast.stmt):
                statement = script.parents[statement]
            if not isinstance(statement, (ast.FunctionDef, ast.If, ast.For, ast.With, ast.While)):
                out += script.spans_of(statement)
            else:
                out.append((node.lineno, node.col_offset, node.end_col_offset))
    return out


DTYPES = ["float16", "float32", "bfloat16", "int8", "uint8", "int32", "float64", "uint16"]


def dtypes(script):
    for call in buffer_calls(script):
        for value in [*call.args, *[k.value for k in call.keywords if k.arg == "dtype"]]:
            if not isinstance(value, ast.Constant) or value.value not in DTYPES:
                continue

            def slip(random, value=value):
                wrong = typo(value.value, random, set(DTYPES) | {"int16", "uint32", "int64", "uint64", "bool"})
                if not wrong or re.fullmatch(r"(u?int|float)\d+", wrong):
                    return None
                begin = script.begin(value)
                text = script.replaced(begin + 1, script.end(value) - 1, wrong)
                return Mistake("dtype", text, [script.span(begin, begin + len(wrong) + 2)], re.escape(wrong), what=f"{value.value} -> {wrong}")

            yield Plant("dtype", slip)
            target = script.parents.get(call)
            if not isinstance(target, ast.Assign) or not isinstance(target.targets[0], ast.Name):
                continue

            def other(random, value=value, target=target):
                wrong = random.choice([d for d in DTYPES if d != value.value])
                begin = script.begin(value)
                text = script.replaced(begin + 1, script.end(value) - 1, wrong)
                grown = len(wrong) - len(value.value)
                spans = [(line, a, b + max(grown, 0)) for line, a, b in lines_of_name(script, target.targets[0].id)]
                return Mistake("another dtype", text, spans + script.spans_of(target), ".", certain=False, what=f"{value.value} -> {wrong}")

            yield Plant("another dtype", other)


SCOPES = ["shared", "local", "global", "shared.dyn"]


def storage_scopes(script):
    for call in buffer_calls(script):
        for k in call.keywords:
            if k.arg != "scope" or not isinstance(k.value, ast.Constant) or k.value.value not in SCOPES:
                continue

            def slip(random, k=k):
                wrong = typo(k.value.value.replace(".", "_"), random, set())
                if not wrong or "_" in k.value.value:
                    return None
                wrong = wrong.replace("_", ".")
                begin = script.begin(k.value)
                text = script.replaced(begin + 1, script.end(k.value) - 1, wrong)
                return Mistake("storage scope", text, [script.span(begin, begin + len(wrong) + 2)], re.escape(wrong),
                               what=f"{k.value.value} -> {wrong}")

            yield Plant("storage scope", slip)


def tile_scopes(script):
    for node in reached(script):
        if not is_tile_call(node):
            continue
        path = dotted(node.func).split(".")
        if len(path) != 3:
            continue

        def make(random, node=node, path=path):
            wrong = random.choice([s for s in ("warp", "cta", "wg", "cluster") if s != path[1]])
            begin = script.begin(node.func) + len("Tx.")
            text = script.replaced(begin, begin + len(path[1]), wrong)
            return Mistake("scope", text, [(a, b, c + 8) for a, b, c in script.spans_of(node)], ".", certain=False, what=f"{path[1]} -> {wrong}")

        yield Plant("scope", make)


def shapes(script):
    for call in reached(script):
        if not is_tile_call(call):
            continue
        for node in ast.walk(call):
            if not isinstance(node, ast.Slice) or node.upper is None:
                continue

            def make(random, node=node, call=call):
                more = random.choice([" + 1", " - 1", " * 2"])
                at = script.end(node.upper)
                upper = ast.get_source_segment(script.text, node.upper)
                begin = script.begin(node.upper)
                text = script.replaced(begin, at, f"({upper}){more}")
                return Mistake("shape", text, [(a, b, c + 8) for a, b, c in script.spans_of(call)], ".", certain=False, what=f"{upper}{more}")

            yield Plant("shape", make)


def architectures(script):
    for found in re.finditer(r"^# tilewright: (arch)((?: sm_\d+[af]?)+)$", script.text, re.M):
        def word(random, found=found):
            wrong = typo("arch", random, {"arch"})
            if not wrong:
                return None
            text = script.replaced(*found.span(1), wrong)
            return Mistake("comment", text, [script.span(found.start(1), found.start(1) + len(wrong))], re.escape(wrong),
                           what=f"arch -> {wrong}")

        yield Plant("comment", word)

        def name(random, found=found):
            first = re.search(r"sm_\d+[af]?", found.group(2))
            begin = found.start(2) + first.start()
            wrong = random.choice(["sm_90b", "sm90", "sm_1000", "sm-90a", "sm_9Oa", "hopper", "sm_91"])
            text = script.replaced(begin, begin + len(first.group()), wrong)
            return Mistake("arch", text, [script.span(begin, begin + len(wrong))], re.escape(wrong), what=f"{first.group()} -> {wrong}")

        yield Plant("arch", name)


def guards(script):
    """`if tid == 0:` around a tensor copy: without it every thread issues it."""
    for node in reached(script):
        if not isinstance(node, ast.If) or node.orelse:
            continue
        test = ast.get_source_segment(script.text, node.test) or ""
        copies = [n for n in ast.walk(node) if is_tile_call(n) and dotted(n.func) == "Tx.copy_async" and
                  any(k.arg == "dispatch" and getattr(k.value, "value", "") in ("tma", "dsmem", "bulk") for k in n.keywords)]
        if not copies or not ("elect" in test or re.search(r"== 0$", test)) or node.body[0].lineno == node.lineno:
            continue

        def make(random, node=node, copies=copies):
            lines = list(script.lines)
            body = range(node.body[0].lineno, node.end_lineno + 1)
            first = min(node.body[0].lineno, node.lineno + 1)
            for line in range(first, node.end_lineno + 1):
                lines[line - 1] = lines[line - 1][4:] if lines[line - 1].startswith(" " * 4) else lines[line - 1]
            del lines[node.lineno - 1:node.body[0].lineno - 1]
            shift = node.body[0].lineno - node.lineno
            spans = [(line - shift, max(0, a - 4), b) for c in copies for line, a, b in script.spans_of(c)]
            del body
            return Mistake("missing guard", "".join(lines), spans, "thread|guard|elect", certain=False, what="without `if`")

        yield Plant("missing guard", make)


KINDS = [names, attributes, keywords, modules, imports, dtypes, storage_scopes, tile_scopes, shapes, architectures, guards]


def plants(text):
    script = Script(text)
    return [plant for kind in KINDS for plant in kind(script)]
