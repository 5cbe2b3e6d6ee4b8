"""Writes generated scripts of 0.25 as a later release spells them.

What 0.26 and 0.27 share: imports, layouts with a swizzle, names of variants, datapaths of tensor memory. What a kernel calls by
instruction names is 0.25's and 0.26's; families whose kernels call none are written in 0.27, too.
"""
import re

RELEASES = ["0.25", "0.26", "0.27"]
VARIANTS = {"gmem_smem": "vec_auto", "reg": "vec_auto", "tma": "tma_auto"}

def arguments(text, at):
    """The arguments of the call whose bracket opens at `at`, and where it ends."""
    depth, parts, begin = 0, [], at + 1
    for i in range(at, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                parts.append(text[begin:i].strip())
                return [p for p in parts if p], i + 1
        elif text[i] == "," and depth == 1:
            parts.append(text[begin:i].strip())
            begin = i + 1
    raise ValueError(f"no end of the call at {text[at - 20:at + 20]!r}")


def swizzles(line):
    """A swizzle is one class of 0.26: ComposeLayout(per_element, swizzle_len, atom_len, tile[, swizzle_inner])."""
    while True:
        at = line.find("ComposeLayout(SwizzleLayout(")
        if at < 0:
            break
        (swizzle, tile), end = arguments(line, at + len("ComposeLayout"))
        own, _ = arguments(swizzle, len("SwizzleLayout"))
        line = line[:at] + f"ComposeLayout({', '.join([*own[:3], tile, *own[3:]])})" + line[end:]
    while (at := line.find("SwizzleLayout(")) >= 0:
        own, end = arguments(line, at + len("SwizzleLayout"))
        shape, _ = arguments(line, line.index("(") if line.lstrip().startswith("def") else line.index("(("))
        line = line[:at] + f"ComposeLayout({', '.join([*own[:3], f'TileLayout(S[{shape[0]}])', *own[3:]])})" + line[end:]
    return line


DATAPATH = re.compile(r', datapath="(\w)"')


def in_release(text, release):
    """The script as `release` writes it."""
    if release == "0.25":
        return text
    out = [f"# tilewright: dialect {release}"]
    for line in text.splitlines():
        if "import" in line and "tma_utils" in line:
            line = line.replace("tvm.backend.cuda.operator.tile_primitive", "tvm.backend.cuda.tile_primitive")
        if line.startswith("from tvm.tirx.layout import"):
            line = re.sub(r"\bSwizzleLayout, ", "", line)
        elif "SwizzleLayout(" in line:
            line = swizzles(line)
        line = re.sub(r'dispatch="(\w+)"', lambda m: f'dispatch="{VARIANTS.get(m.group(1), m.group(1))}"', line)
        if m := DATAPATH.search(line):
            shape, _ = arguments(line, line.index("(("))
            line = line.replace(m.group(0), f', layout=tmem_datapath_layout("{m.group(1)}", *{shape[0]})')
        # Registers as their layout counts them, not as they lie.
        line = line if line.lstrip().startswith("ra = ") else re.sub(r"(\w+)\.local\((\d[\d, ]*)\)", r"\1.local(\2, layout=\1.layout.storage())", line)
        if release == "0.27":
            line = line.replace("T.ptx.elect_sync()", "T.cuda.elect_sync()")
        out.append(line)
    text = "\n".join(out) + "\n"
    if "tmem_datapath_layout(" in text:
        text = text.replace("from tvm.script import tirx as T\n", "from tvm.script import tirx as T\nfrom tvm.tirx.layout import tmem_datapath_layout\n", 1)
    return text
