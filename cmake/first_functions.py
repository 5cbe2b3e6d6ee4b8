#!/usr/bin/env python3
"""first_functions.py BINARY: writes first_functions.txt, the functions that everyday work runs.

They are linked beside each other (server/CMakeLists.txt): the system maps a program around each page that runs, and of
fifteen megabytes spread over all of it a check ran two and had nine of them in memory. BINARY is a build with its
symbols; valgrind tells which functions ran in checks, compilations, a simulation and a session of an editor. A name that
the program no longer has does no harm, a new one lies where it lay before: again once in a while is enough.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(os.path.dirname(HERE), "examples")
ALL = sorted(name for name in os.listdir(EXAMPLES) if name.endswith(".py"))
COMMANDS = [
    ["check", "-j", "1", "vector_add.py"],
    ["check", "-j", "1", "gemm_hopper.py"],
    ["check", "-j", "1", "attention_hopper.py"],
    ["check", "-j", "1", "traced_ring.py"],
    ["check", "-j", "1", *ALL],
    ["check", "-j", "2", "--format", "sarif", *ALL],
    ["check", "-j", "1", "--simulate", "vector_add.py"],
    ["compile", "gemm_hopper.py", "--emit", "cuda"],
    ["compile", "gmem_smem_dtypes.py", "--json", "--emit", "report,tirx,lowered,cuda,plan,host"],
    ["explain", "gemm_hopper.py"],
]


def session():
    """What an editor sends: a script is opened, asked about, edited and asked about again."""
    with open(os.path.join(EXAMPLES, "attention_hopper.py"), encoding="utf-8") as f:
        text = f.read()
    document = {"uri": f"file://{EXAMPLES}/attention_hopper.py"}
    messages = [("initialize", {"processId": None, "rootUri": None, "capabilities": {}}), ("initialized", {}),
                ("textDocument/didOpen", {"textDocument": {**document, "languageId": "tilescript", "version": 0, "text": text}})]
    for version in range(1, 4):
        for line in range(20, 60, 10):
            position = {"textDocument": document, "position": {"line": line, "character": 8}}
            messages += [("textDocument/hover", position), ("textDocument/completion", position)]
        messages.append(("textDocument/semanticTokens/full", {"textDocument": document}))
        change = {"contentChanges": [{"text": text + f"\nN_{version} = {version}\n"}]}
        messages.append(("textDocument/didChange", {"textDocument": {**document, "version": version}, **change}))
    messages += [("textDocument/codeLens", {"textDocument": document}), ("shutdown", None), ("exit", None)]
    out = b""
    for number, (method, params) in enumerate(messages):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if method not in ("initialized", "exit") and "/did" not in method:
            message["id"] = number
        body = json.dumps(message).encode()
        out += b"Content-Length: %d\r\n\r\n" % len(body) + body
    return out


def ran(command, given=b""):
    """The functions that a command runs, by their symbols."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "functions")
        subprocess.run(["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={out}", *command], cwd=EXAMPLES,
                       input=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        with open(out, encoding="utf-8", errors="replace") as f:
            return {name.split("'")[0] for name in re.findall(r"fn=\(\d+\) (\S+)", f.read())}


def section(name, own):
    """Of the names of one constructor or destructor the one that the compiler names its section by."""
    other = re.sub(r"([CD])1(E|I)", r"\g<1>2\2", name)
    return other if other in own else name


def main():
    binary = os.path.abspath(sys.argv[1])
    commands = [([binary, *words], b"") for words in COMMANDS] + [([binary, "lsp"], session())]
    listed = subprocess.run(["nm", "--defined-only", binary], capture_output=True, text=True, check=True).stdout
    # C of libraries is not compiled function by function.
    own = {line.split()[2] for line in listed.splitlines() if line.split()[1] in "tTwW" and line.split()[2].startswith("_Z")}
    used = collections.Counter(name for command in commands for name in {section(name, own) for name in ran(*command) & own})
    # What all of them run comes first.
    names = sorted(used, key=lambda name: (-used[name], name))
    with open(os.path.join(HERE, "first_functions.txt"), "w", encoding="utf-8") as f:
        f.writelines(name + "\n" for name in names)
    print(f"{len(names)} functions")


if __name__ == "__main__":
    sys.exit(main())
