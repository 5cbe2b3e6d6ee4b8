#!/usr/bin/env python3
"""Compares our verdict on snippets from Python's own tests with that Python's.

    snippets.py ACCEPTANCE

The snippets are the string literals and the doctest examples of the test files named below: sentences that were
written to be valid or invalid Python. ACCEPTANCE (tests/grammar/acceptance.cpp) should accept each exactly when
`ast.parse` does. Differences are printed; the exit status is 1 if there are more than KNOWN of them (which are all
sentences that one would hardly type; see grammar/NODES.md).
"""

import ast
import doctest
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import warnings

FILES = ["test_syntax", "test_grammar", "test_fstring", "test_patma", "test_named_expressions", "test_exceptions",
         "test_unpack_ex", "test_type_params", "test_type_aliases", "test_eof", "test_compile", "test_ast", "test_unparse",
         "test_positional_only_arg", "test_keywordonlyarg", "test_genexps", "test_string_literals", "test_tokenize",
         "test_coroutines", "test_with", "test_decorators", "test_lambda", "test_except_star", "test_int_literal"]
KNOWN = {(3, 11): 5, (3, 12): 3}


def snippets(folder):
    found = {}
    for name in FILES:
        path = folder / "test" / f"{name}.py"
        if not path.exists():
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
                found.setdefault(text, name)
                if ">>> " in text:
                    try:
                        for example in doctest.DocTestParser().get_examples(text):
                            found.setdefault(example.source, name)
                    except ValueError:
                        pass
    return found


def accepts(data):
    try:
        ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return False, str(error)
    return True, ""


def main():
    warnings.simplefilter("ignore")
    texts = snippets(pathlib.Path(sysconfig.get_path("stdlib")))
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for text, name in texts.items():
            try:
                data = text.encode()
            except UnicodeEncodeError:
                continue
            path = pathlib.Path(folder, f"{len(paths)}.py")
            path.write_bytes(data)
            paths.append((path, data, name))
        listing = "\n".join(str(path) for path, _, _ in paths)
        ours = subprocess.run([sys.argv[1], "-"], input=listing, capture_output=True, text=True, check=True).stdout
    differences = rejected = 0
    for (path, data, name), verdict in zip(paths, ours.splitlines(), strict=True):
        good, objection = accepts(data)
        rejected += not good
        if good != verdict.startswith("accept "):
            differences += 1
            print(f"{name}: {data[:200]!r}\n  ours: {verdict.split(':', 1)[-1] if good else 'accepts'}\n"
                  f"  Python: {objection or 'accepts'}")
    print(f"Python {sys.version.split()[0]}: {len(paths)} snippets, of which ast.parse rejects {rejected}; "
          f"{differences} differences")
    return differences > KNOWN.get(sys.version_info[:2], 0)


if __name__ == "__main__":
    sys.exit(main())
