#!/usr/bin/env python3
"""Writes seeded kernels that copy asynchronously in every way, with the waits that they need.

    async_kernels.py --seed N --count M [--drop-wait] -o FILE

Each module-level kernel moves data from some of its tensors to others and waits as copy_async's completion rules say,
so that `moves` can hold what arrives, with copies at any moment, against the meaning of the statements. A family is a
function that draws its details at random and does not ask whether a variant will serve; what is refused is counted.
With --drop-wait each kernel lacks one of its waits.
"""

import argparse
import random

HEADER = '''# tilewright: dialect 0.25
"""Asynchronous copies of seed {seed}, made by async_kernels.py."""
from tvm.backend.cuda.operator.tile_primitive.tma_utils import mma_shared_layout
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TCol, TileLayout, TLane
from tvm.tirx.layout import tid_in_wg as axis_tid_in_wg
'''
BITS = {"uint8": 8, "int8": 8, "float16": 16, "bfloat16": 16, "uint16": 16, "float32": 32, "int32": 32, "float64": 64}
DTYPES = ["float16", "float16", "float16", "bfloat16", "float32", "uint8", "int32", "float64"]


class Kernel:
    """One kernel as text; statements come in their order."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.tensors, self.lines = [], []

    def tensor(self, name, shape, dtype):
        self.tensors.append((name, tuple(shape), dtype))

    def add(self, *lines):
        self.lines += lines

    def text(self):
        params = ", ".join(f"{n}_ptr: T.handle" for n, _, _ in self.tensors)
        out = ["", "", "@T.prim_func", f"def {self.name}({params}):"]
        for name, shape, dtype in self.tensors:
            out.append(f'    {name} = T.match_buffer({name}_ptr, {shape}, "{dtype}")')
        out += ["    T.device_entry()"] + ["    " + line for line in self.lines]
        return "\n".join(out) + "\n"


def region(name, starts, extents, prefix=()):
    parts = list(prefix) + [f"{s}:{s} + {e}" if s else f"0:{e}" for s, e in zip(starts, extents)]
    return f"{name}[{', '.join(map(str, parts))}]"


def barrier(k, name, count, guard="tid == 0"):
    k.add(f'{name} = T.alloc_shared([1], "uint64")', f"if {guard}:",
          f"    T.ptx.mbarrier.init({name}.ptr_to([0]), {count})", "    T.ptx.fence.mbarrier_init()")


def tile(rng):
    """dtype, rows, columns, layout text, swizzle mode."""
    dtype = rng.choice(DTYPES)
    size = BITS[dtype] // 8
    mode = rng.choice([0, 0, 1, 2, 3, 3])
    if mode:
        columns = (16 << mode) // size * rng.choice([1, 1, 2, 3])
        rows = 8 * rng.choice([1, 2, 4, 8])
        return dtype, rows, columns, f'mma_shared_layout("{dtype}", {mode}, ({rows}, {columns}))', mode
    columns = 16 // size * rng.choice([1, 2, 3, 4, 8])
    rows = rng.choice([1, 2, 5, 8, 16, 32])
    return dtype, rows, columns, f"TileLayout(S[{rows}, {columns}])", 0


def family_tma(k, rng):
    """Box by box through shared memory: loads that a barrier counts, stores in a bulk group."""
    dtype, rows, columns, layout, mode = tile(rng)
    size = BITS[dtype] // 8
    ctas, rounds = rng.choice([1, 1, 2]), rng.choice([1, 2, 3])
    step = max(1, 16 // size)
    # Tensors larger than the tiles, which start anywhere that is aligned; the last may stand over the edge.
    top, left = rng.choice([0, 3, 8]), step * rng.choice([0, 0, 1, 4])
    over = rng.choice([0, 0, 0, 1])
    height = top + rows * rounds * ctas - (rows // 2 if over else 0)
    width = left + columns + step * rng.choice([0, 2])
    k.tensor("A", (height, width), dtype)
    k.tensor("B", (rows * rounds * ctas + top, columns + left), dtype)
    k.add(f"bx = T.cta_id([{ctas}])", "tid = T.thread_id([64])")
    k.add(f'tile = T.alloc_shared([{rows}, {columns}], "{dtype}", layout={layout}, align=1024)')
    barrier(k, "full", 1)
    k.add("T.cuda.cta_sync()", f"for r in T.serial({rounds}):", f"    y: T.let = {top} + (bx * {rounds} + r) * {rows}")
    k.add("    if tid == 0:",
          f"        T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([0]), {rows * columns * size})",
          f'        Tx.copy_async(tile[:, :], A[y:y + {rows}, {left}:{left + columns}], dispatch="tma", '
          "mbar=full.ptr_to([0]))",
          "    T.ptx.mbarrier.try_wait(full.ptr_to([0]), r % 2)")
    if rng.random() < 0.5:
        k.add("    if tid == 0:",
              f"        Tx.copy_async(B[y:y + {rows}, {left}:{left + columns}], tile[:, :])",
              "        T.ptx.cp_async.bulk.commit_group()",
              f"        T.ptx.cp_async.bulk.wait_group(0, {rng.choice([True, False])})")
    else:
        k.add(f"    Tx.cta.copy(B[y:y + {rows}, {left}:{left + columns}], tile[:, :])")
    k.add("    T.cuda.cta_sync()")


def family_tma_stages(k, rng):
    """Several stages of one buffer in flight at once, each with its barrier."""
    dtype, rows, columns, _, mode = tile(rng)
    size, stages = BITS[dtype] // 8, rng.choice([2, 3])
    rounds = stages + rng.choice([1, 1, 2])  # every slot's second load has to wait for it
    rows = min(rows, 16) if mode == 0 else 8
    while mode == 0 and rows * columns * size % 128:  # a stage starts where a box may start
        rows += 1
    rows = min(rows, 64)
    layout = (f'mma_shared_layout("{dtype}", {mode}, ({stages}, {rows}, {columns}))' if mode
              else f"TileLayout(S[{stages}, {rows}, {columns}])")
    k.tensor("A", (rounds, rows, columns), dtype)
    k.tensor("B", (rounds, rows, columns), dtype)
    bytes_ = rows * columns * size
    k.add("T.cta_id([1])", "tid = T.thread_id([96])")
    k.add(f'tiles = T.alloc_shared([{stages}, {rows}, {columns}], "{dtype}", layout={layout}, align=1024)',
          f'full = T.alloc_shared([{stages}], "uint64")', f'empty = T.alloc_shared([{stages}], "uint64")',
          "if tid == 0:", f"    for s in T.serial({stages}):", "        T.ptx.mbarrier.init(full.ptr_to([s]), 1)",
          "        T.ptx.mbarrier.init(empty.ptr_to([s]), 64)", "    T.ptx.fence.mbarrier_init()", "T.cuda.cta_sync()")
    # Warp 0 loads; the other two take the tiles away and say when a slot is free again.
    k.add(f"for i in T.serial({rounds}):", "    if tid == 0:",
          f"        T.ptx.mbarrier.try_wait(empty.ptr_to([i % {stages}]), (i // {stages} + 1) % 2)",
          f"        T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([i % {stages}]), {bytes_})",
          f'        Tx.copy_async(tiles[i % {stages}, :, :], A[i, :, :], dispatch="tma", '
          f"mbar=full.ptr_to([i % {stages}]))",
          "    if tid >= 32:",
          f"        T.ptx.mbarrier.try_wait(full.ptr_to([i % {stages}]), i // {stages} % 2)",
          f"        for c in T.serial({columns}):",
          f"            if (tid - 32) % {rows} == tid - 32:",
          f"                B[i, (tid - 32) % {rows}, c] = tiles[i % {stages}, (tid - 32) % {rows}, c]",
          f"        T.ptx.mbarrier.arrive(empty.ptr_to([i % {stages}]))")


def family_tma_multicast(k, rng):
    """Each CTA of a cluster loads its part of a tile for all of them."""
    dtype = rng.choice(["float16", "float32", "uint8"])
    size, ctas = BITS[dtype] // 8, rng.choice([2, 4])
    mode = rng.choice([0, 3])
    columns, rows = 128 // size, 8 * ctas
    layout = (f'mma_shared_layout("{dtype}", 3, ({rows}, {columns}))' if mode else f"TileLayout(S[{rows}, {columns}])")
    k.tensor("A", (rows, columns), dtype)
    k.tensor("B", (ctas, rows, columns), dtype)
    k.add(f"rank = T.cta_id_in_cluster([{ctas}])", f"T.cta_id([{ctas}])", "tid = T.thread_id([64])",
          f'tile = T.alloc_shared([{rows}, {columns}], "{dtype}", layout={layout}, align=1024)')
    barrier(k, "full", 1)
    k.add("if tid == 0:",
          f"    T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([0]), {rows * columns * size})", "T.cuda.cluster_sync()",
          "if tid == 0:",
          f"    Tx.copy_async(tile[rank * 8:rank * 8 + 8, :], A[rank * 8:rank * 8 + 8, :], "
          f'dispatch="tma", mbar=full.ptr_to([0]), cta_mask={(1 << ctas) - 1})',
          "T.ptx.mbarrier.try_wait(full.ptr_to([0]), 0)", "Tx.cta.copy(B[rank, :, :], tile[:, :])",
          "T.cuda.cluster_sync()")


def family_ldgsts(k, rng):
    """cp.async at every scope, finished by groups, by wait_all or by a barrier."""
    dtype = rng.choice(DTYPES)
    size = BITS[dtype] // 8
    scope = rng.choice(["cta", "cta", "warp", "wg", "thread"])
    threads = rng.choice([32, 64, 128, 256]) if scope != "wg" else rng.choice([128, 256])
    parts = {"cta": 1, "warp": threads // 32, "wg": threads // 128, "thread": 1}[scope]
    columns = 64 // size * rng.choice([1, 2, 4])
    rows = {"cta": threads // 4, "warp": 16, "wg": 64, "thread": 4}[scope] * rng.choice([1, 2])
    swizzled = rng.random() < 0.5 and columns * size == 128
    layout = f', layout=mma_shared_layout("{dtype}", 3, ({rows * parts}, {columns}))' if swizzled else ""
    left = rng.choice([0, 0, 4 // size or 1, 16 // size])
    k.tensor("A", (rows * parts, columns + left), dtype)
    k.tensor("B", (rows * parts, columns), dtype)
    k.add("T.cta_id([1])", f"tid = T.thread_id([{threads}])")
    if threads >= 32:
        k.add(f"warp = T.warp_id([{threads // 32}])", "T.lane_id([32])")
    if scope == "wg":
        k.add(f"wg = T.warpgroup_id([{threads // 128}])")
    k.add(f'tile = T.alloc_shared([{rows * parts}, {columns}], "{dtype}"{layout}, align=1024)')
    way = rng.choice(["group", "group", "all", "noinc", "arrive"])
    if way in ("noinc", "arrive"):
        barrier(k, "landed", threads)
        k.add("T.cuda.cta_sync()")
    part = {"cta": "0", "warp": "warp", "wg": "wg", "thread": "0"}[scope]
    rows_text = f"{part} * {rows}:{part} * {rows} + {rows}" if part != "0" else f"0:{rows}"
    prefix = "Tx" if scope == "thread" else f"Tx.{scope}"
    call = f"{prefix}.copy_async(tile[{rows_text}, :], A[{rows_text}, {left}:{left + columns}])"
    k.add(*(["if tid == 0:", "    " + call] if scope == "thread" else [call]))
    if way == "group":
        k.add("T.ptx.cp_async.commit_group()", "T.ptx.cp_async.wait_group(0)")
    elif way == "all":
        k.add("T.ptx.cp_async.wait_all()")
    else:
        k.add(f"T.ptx.cp_async.mbarrier.arrive(landed.ptr_to([0]), noinc={way == 'noinc'})")
        if way == "arrive":
            k.add("T.ptx.mbarrier.arrive(landed.ptr_to([0]))")
        k.add("T.ptx.mbarrier.wait(landed.ptr_to([0]), 0)")
    k.add("T.cuda.cta_sync()", "Tx.cta.copy(B[:, :], tile[:, :])")


def family_ldgsts_pipeline(k, rng):
    """A ring of stages, a commit in every round, the newest groups still under way."""
    dtype, stages = rng.choice(["float16", "float32", "uint8"]), rng.choice([2, 3, 4])
    rounds, threads = stages + rng.choice([0, 1, 3]), rng.choice([64, 128])
    columns = 128 // (BITS[dtype] // 8)
    rows = threads // 8
    k.tensor("A", (rounds, rows, columns), dtype)
    k.tensor("B", (rounds, rows, columns), dtype)
    k.add("T.cta_id([1])", f"tid = T.thread_id([{threads}])",
          f'tiles = T.alloc_shared([{stages}, {rows}, {columns}], "{dtype}")')
    for s in range(stages - 1):
        k.add(f"Tx.cta.copy_async(tiles[{s}, :, :], A[{s}, :, :])", "T.ptx.cp_async.commit_group()")
    k.add(f"for i in T.unroll({rounds}):", f"    if i + {stages - 1} < {rounds}:",
          f"        Tx.cta.copy_async(tiles[(i + {stages - 1}) % {stages}, :, :], A[i + {stages - 1}, :, :])",
          "    T.ptx.cp_async.commit_group()", f"    T.ptx.cp_async.wait_group({stages - 1})", "    T.cuda.cta_sync()",
          f"    Tx.cta.copy(B[i, :, :], tiles[i % {stages}, :, :])", "    T.cuda.cta_sync()")


def family_dsmem(k, rng):
    """A ring over the cluster: every CTA sends its tile to the next one."""
    dtype, ctas = rng.choice(DTYPES), rng.choice([2, 4, 8])
    size = BITS[dtype] // 8
    kind = rng.choice(["rows", "pitch", "swizzle"])
    columns, rows = 128 // size, rng.choice([8, 16, 32])
    layout = {"rows": f"TileLayout(S[{rows}, {columns}])",
              "pitch": f"TileLayout(S[({rows}, {columns}) : ({columns + 16 // size}, 1)])",
              "swizzle": f'mma_shared_layout("{dtype}", 3, ({rows}, {columns}))'}[kind]
    part = rng.choice([rows, rows, rows // 2]) if kind != "swizzle" else rng.choice([rows, 8])
    distance = rng.choice([1, ctas - 1])
    k.tensor("A", (ctas, rows, columns), dtype)
    k.tensor("B", (ctas, part, columns), dtype)
    k.add(f"rank = T.cta_id_in_cluster([{ctas}])", f"T.cta_id([{ctas}])", "tid = T.thread_id([64])")
    for name in ("mine", "theirs"):
        k.add(f'{name} = T.alloc_shared([{rows}, {columns}], "{dtype}", layout={layout}, align=1024)')
    barrier(k, "arrived", 1)
    k.add("if tid == 0:", f"    T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), {part * columns * size})",
          "Tx.cta.copy(mine[:, :], A[rank, :, :])", 'T.ptx.fence.proxy_async("shared::cta")', "T.cuda.cluster_sync()",
          "if tid == 0:",
          f"    Tx.copy_async(theirs[0:{part}, :], mine[0:{part}, :], "
          f'dispatch="dsmem", mbar=arrived.ptr_to([0]), remote_cta_id=(rank + {distance}) % {ctas})',
          "T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)", f"Tx.cta.copy(B[rank, :, :], theirs[0:{part}, :])",
          "T.cuda.cluster_sync()")


def tensor_memory(k, columns):
    k.add("T.cta_id([1])", "warp = T.warp_id([4])", "T.warpgroup_id([1])", "tid = T.thread_id([128])",
          'address = T.alloc_shared([1], "uint32")', "if warp == 0:",
          f"    T.ptx.tcgen05.alloc(T.address_of(address), n_cols={columns}, cta_group=1)")


def give_back(k, columns):
    k.add("T.cuda.cta_sync()", "if warp == 0:", "    T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)",
          f"    T.ptx.tcgen05.dealloc(address[0], n_cols={columns}, cta_group=1)")


def family_tmem_rows(k, rng):
    """Registers to tensor memory and back, a row a thread, columns by the slice."""
    dtype = rng.choice(["float32", "float16", "bfloat16", "uint8", "int32"])
    cells = rng.choice([1, 2, 4, 8, 16, 32, 64])
    width = cells * 32 // BITS[dtype]
    total, start = width * rng.choice([1, 2]), 0
    if total > width:
        start = rng.choice([0, width])
    columns = 128 if total * BITS[dtype] // 32 > 64 else 64
    k.tensor("A", (128, width), dtype)
    k.tensor("B", (128, width), dtype)
    tensor_memory(k, columns)
    k.add("T.cuda.cta_sync()",
          f'tmem = T.decl_buffer((128, {total}), "{dtype}", scope="tmem", allocated_addr=address[0], '
          f"layout=TileLayout(S[(128, {total}) : (1 @ TLane, 1 @ TCol)]))")
    for name, view in (("row", "out"), ("back", "into")):
        k.add(f'{name} = T.alloc_local(({width},), "{dtype}")',
              f"{view} = {name}.view(128, {width}, layout=TileLayout(S[(128, {width}) : (1 @ axis_tid_in_wg, 1)]))")
    k.add(f"for c in T.serial({width}):", "    row[c] = A[tid, c]",
          f"Tx.wg.copy_async({region('tmem', (0, start), (128, width))}, out[:, :])", "T.ptx.tcgen05.wait.st()",
          f"Tx.wg.copy_async(into[:, :], {region('tmem', (0, start), (128, width))})", "T.ptx.tcgen05.wait.ld()",
          f"for c in T.serial({width}):", "    B[tid, c] = back[c]")
    give_back(k, columns)


def family_tmem_fragments(k, rng):
    """Fragments of tensor-core instructions to tensor memory, and its rows back: two instructions must agree on cells."""
    shape = rng.choice(["16x64b", "16x128b", "16x256b"])
    dtype = rng.choice(["float32", "float16"])
    unit = {"16x64b": 2, "16x128b": 4, "16x256b": 8}[shape] * 32 // BITS[dtype]
    width = unit * rng.choice([1, 2, 4])
    k.tensor("A", (128, width), dtype)
    k.tensor("B", (128, width), dtype)
    tensor_memory(k, 64)
    k.add("T.cuda.cta_sync()",
          f'tmem = T.decl_buffer((128, {width}), "{dtype}", scope="tmem", allocated_addr=address[0], '
          f"layout=TileLayout(S[(128, {width}) : (1 @ TLane, 1 @ TCol)]))",
          f'frag = T.alloc_tcgen05_ldst_frag("{shape}", (128, {width}), "{dtype}")',
          f"mine = frag.local({width})",
          f'back = T.alloc_local(({width},), "{dtype}")',
          f"into = back.view(128, {width}, layout=TileLayout(S[(128, {width}) : (1 @ axis_tid_in_wg, 1)]))")
    if rng.random() < 0.5:
        k.add(f"for c in T.serial({width}):", "    mine[c] = A[tid, c]", "Tx.wg.copy_async(tmem[:, :], frag[:, :])", "T.ptx.tcgen05.wait.st()",
              "Tx.wg.copy_async(into[:, :], tmem[:, :])", "T.ptx.tcgen05.wait.ld()",
              f"for c in T.serial({width}):", "    B[tid, c] = back[c]")
    else:
        k.add(f"for c in T.serial({width}):", "    back[c] = A[tid, c]", "Tx.wg.copy_async(tmem[:, :], into[:, :])",
              "T.ptx.tcgen05.wait.st()", "Tx.wg.copy_async(frag[:, :], tmem[:, :])", "T.ptx.tcgen05.wait.ld()",
              f"for c in T.serial({width}):", "    B[tid, c] = mine[c]")
    give_back(k, 64)


def family_smem_tmem(k, rng):
    """Scale factors from shared memory to all quarters of tensor memory, then back by rows."""
    mode = rng.choice([0, 1, 2, 3])
    tiles = rng.choice([1, 2, 4]) if mode == 0 else 1
    columns = 16 << mode
    if mode:
        layout, shape = f'mma_shared_layout("uint8", {mode}, (32, {columns}))', f"[32, {columns}]"
        source, taken = "staged[:, 0:16]", "A[:, :]"
        k.tensor("A", (32, columns), "uint8")
        tmem_shape, cells, lanes = "(32, 16)", "S[(32, 16) : (1 @ TLane, 1 @ TCol)]", "tmem[:, :]"
    else:
        layout, shape = f"TileLayout(S[{tiles}, 32, 16])", f"[{tiles}, 32, 16]"
        source, taken = "staged[:, :, :]", "A[:, :, :]"
        k.tensor("A", (tiles, 32, 16), "uint8")
        tmem_shape = f"({tiles}, 32, 16)"
        cells, lanes = f"S[({tiles}, 32, 16) : (16 @ TCol, 1 @ TLane, 1 @ TCol)]", "tmem[:, :, :]"
    k.tensor("B", (128, 16 * tiles), "uint8")
    tensor_memory(k, 32)
    barrier(k, "done", 1)
    k.add(f'staged = T.alloc_shared({shape}, "uint8", layout={layout}, align=1024)',
          f"Tx.cta.copy({'staged[:, :]' if mode else 'staged[:, :, :]'}, {taken})",
          'T.ptx.fence.proxy_async("shared::cta")', "T.cuda.cta_sync()",
          f'tmem = T.decl_buffer({tmem_shape}, "uint8", scope="tmem", allocated_addr=address[0], '
          f"layout=TileLayout({cells} + R[4 : 32 @ TLane]))",
          f'rows = T.decl_buffer((128, {16 * tiles}), "uint8", scope="tmem", allocated_addr=address[0], '
          f"layout=TileLayout(S[(128, {16 * tiles}) : (1 @ TLane, 1 @ TCol)]))",
          f'back = T.alloc_local(({16 * tiles},), "uint8")',
          f"into = back.view(128, {16 * tiles}, layout=TileLayout(S[(128, {16 * tiles}) : (1 @ axis_tid_in_wg, 1)]))",
          "if tid == 0:", f"    Tx.copy_async({lanes}, {source})",
          "    T.ptx.tcgen05.commit(done.ptr_to([0]), cta_group=1)", "T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)",
          "Tx.wg.copy_async(into[:, :], rows[:, :])", "T.ptx.tcgen05.wait.ld()", f"for c in T.serial({16 * tiles}):",
          "    B[tid, c] = back[c]")
    give_back(k, 32)


FAMILIES = [
    (family_tma, 8),
    (family_tma_stages, 4),
    (family_tma_multicast, 2),
    (family_ldgsts, 6),
    (family_ldgsts_pipeline, 2),
    (family_dsmem, 4),
    (family_tmem_rows, 3),
    (family_tmem_fragments, 3),
    (family_smem_tmem, 2),
]


WAITS = ("mbarrier.try_wait(", "mbarrier.wait(", "wait_group(", "wait_all(", "wait.ld(", "wait.st(")


def without_a_wait(k, rng):
    waits = [i for i, line in enumerate(k.lines) if any(w in line for w in WAITS)]
    i = rng.choice(waits)
    indent = len(k.lines[i]) - len(k.lines[i].lstrip())
    k.lines[i] = " " * indent + "T.cuda.thread_fence()  # here was " + k.lines[i].strip()


def make(seed, index, drop_wait=False):
    rng = random.Random(f"{seed}/{index}")
    family = rng.choice([f for f, weight in FAMILIES for _ in range(weight)])
    k = Kernel(rng, f"{family.__name__.removeprefix('family_')}_{index:04d}")
    family(k, rng)
    if drop_wait:
        without_a_wait(k, rng)
    return k.text()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int, default=100)
    ap.add_argument("--drop-wait", action="store_true")
    ap.add_argument("-o", "--output", required=True)
    args = ap.parse_args()
    with open(args.output, "w", encoding="utf-8") as f:
        f.write(HEADER.format(seed=args.seed) + "".join(make(args.seed, i, args.drop_wait) for i in range(args.count)))


if __name__ == "__main__":
    main()
