"""What the package tvm_tirx makes of the kernels of a file, as JSON: run by its own Python.

    answer.py FILE [--arch sm_90a]
"""
import importlib.util
import json
import re
import sys

import tvm_tirx
from tvm_tirx.target import Target

ENTRY = re.compile(r"T\.device_entry\((.*?), attrs=(\{.*\})\)")


def launch(script):
    """The constants of the launch by field: grid.x, block.y, cluster.x; None: computed."""
    m = ENTRY.search(script)
    fields = json.loads(re.search(r'"cuda.launch_fields": (\[.*?\])', m.group(2)).group(1))
    values, depth, word = [], 0, ""
    for c in m.group(1) + ",":
        if c == "," and depth == 0:
            values.append(word.strip())
            word = ""
            continue
        depth += c in "([{"
        depth -= c in ")]}"
        word += c
    return {f: int(v) if re.fullmatch(r"\d+", v) else None for f, v in zip(fields, values)}


def cuda(function, arch):
    made = tvm_tirx.tirx.compile(function, target=Target({"kind": "cuda", "arch": arch}))
    return "\n".join(m.inspect_source() for m in made.mod.imports)


def main():
    path, arch = sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else "sm_90a"
    spec = importlib.util.spec_from_file_location("kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out = {}
    for name, value in vars(module).items():
        if not isinstance(value, tvm_tirx.tirx.Function) or "device_entry" not in value.script():
            continue
        name = str(value.attrs["global_symbol"])
        try:
            out[name] = {"launch": launch(value.script()), "cuda": cuda(value, arch)}
        except Exception as error:  # what it refuses is compared, too
            out[name] = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
    json.dump(out, sys.stdout)


if __name__ == "__main__":
    main()
