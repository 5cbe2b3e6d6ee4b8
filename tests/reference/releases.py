"""Writes generated scripts of 0.25 as a later release spells them.

What 0.26 and 0.27 share: imports, layouts with a swizzle, names of variants, datapaths of tensor memory. The few instructions that
the kernels call by name are written as 0.27's table has them.
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


# What 0.27 writes for a call of 0.25: operands by place, keywords by name, in what is formatted.
RESPELLED = {
    "T.ptx.elect_sync": "T.cuda.elect_sync()",
    "T.ptx.mbarrier.init": "T.ptx.mbarrier.init.shared.b64({0}, T.uint32({1}))",
    "T.ptx.mbarrier.arrive.expect_tx": "T.ptx.mbarrier.arrive.expect_tx.shared.b64({0}, T.uint32({1}))",
    "T.ptx.mbarrier.try_wait": "T.cuda.mbarrier_wait({0}, {1})",
    "T.ptx.fence.mbarrier_init": "T.ptx.fence.mbarrier_init.release.cluster()",
    "T.ptx.fence.proxy_async": "T.ptx.fence.proxy.async_.shared__cta()",
    "T.ptx.cp_async.commit_group": "T.ptx.cp.async_.commit_group()",
    "T.ptx.cp_async.wait_group": "T.ptx.cp.async_.wait_group({0})",
    "T.ptx.cp_async.bulk.commit_group": "T.ptx.cp.async_.bulk.commit_group()",
    "T.ptx.cp_async.bulk.wait_group": "T.ptx.cp.async_.bulk.wait_group.read({0})",
    "T.ptx.tcgen05.alloc": 'T.ptx["tcgen05.alloc.cta_group::{cta_group}.sync.aligned.shared::cta.b32"]({0}, T.uint32({n_cols}))',
    "T.ptx.tcgen05.dealloc": 'T.ptx["tcgen05.dealloc.cta_group::{cta_group}.sync.aligned.b32"]({0}, T.uint32({n_cols}))',
    "T.ptx.tcgen05.relinquish_alloc_permit": 'T.ptx["tcgen05.relinquish_alloc_permit.cta_group::{cta_group}.sync.aligned"]()',
    "T.ptx.tcgen05.wait.ld": "T.ptx.tcgen05.wait__ld.sync.aligned()",
    "T.ptx.tcgen05.wait.st": "T.ptx.tcgen05.wait__st.sync.aligned()",
    "T.ptx.tcgen05.fence.after_thread_sync": "T.ptx.tcgen05.fence__after_thread_sync()",
    "T.ptx.tcgen05.fence.before_thread_sync": "T.ptx.tcgen05.fence__before_thread_sync()",
}
COMMIT = 'T.ptx["tcgen05.commit.cta_group::{cta_group}.mbarrier::arrive::one.shared::cluster{many}.b64"]({0}{mask})'
MOVE = {"T.ptx.tcgen05.ld": 'T.ptx["tcgen05.ld.sync.aligned.{shape}.x{num}.b32"]({registers}, {0})',
        "T.ptx.tcgen05.st": 'T.ptx["tcgen05.st.sync.aligned.{shape}.x{num}.b32"]({0}, {registers})'}
WRAPPER = re.compile(r"T\.ptx(?:\.[a-z]\w*)+(?=\()")


def respelled(line):
    """The line with its instructions as 0.27 spells them."""
    at = 0
    while m := WRAPPER.search(line, at):
        name = m.group(0)
        given, end = arguments(line, m.end())
        keyword = dict(re.fullmatch(r"(\w+)=(.*)", a).groups() for a in given if re.match(r"\w+=[^=]", a))
        keyword = {k: v.strip('"') for k, v in keyword.items()}
        place = [a for a in given if not re.match(r"\w+=[^=]", a)]
        if name in MOVE:
            new = MOVE[name].format(place[0], registers=", ".join(place[1:]), **keyword)
        elif name == "T.ptx.tcgen05.commit":
            mask = keyword.get("cta_mask")
            new = COMMIT.format(place[0], cta_group=keyword.get("cta_group", 1), many=".multicast::cluster" if mask else "",
                                mask=f", T.uint16({mask})" if mask else "")
        elif name in RESPELLED:
            new = RESPELLED[name].format(*place, **keyword)
        else:
            raise ValueError(f"0.27's spelling of {name} is not known")
        line = line[: m.start()] + new + line[end:]
        at = m.start() + len(new)
    return line


DATAPATH = re.compile(r', datapath="(\w)"')


def in_release(text, release):
    """The script as `release` writes it."""
    if release == "0.25":
        return f"# tilewright: dialect {release}\n{text}"
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
            line = respelled(line)
        out.append(line)
    text = "\n".join(out) + "\n"
    if "tmem_datapath_layout(" in text:
        text = text.replace("from tvm.script import tirx as T\n", "from tvm.script import tirx as T\nfrom tvm.tirx.layout import tmem_datapath_layout\n", 1)
    return text
