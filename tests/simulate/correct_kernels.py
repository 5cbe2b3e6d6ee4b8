#!/usr/bin/env python3
"""Writes seeded kernels that are right, in the ways in which people write them: rings between warps with a role each, groups of
cp.async, symbolic extents, scalars, index tensors, clusters, named barriers, reductions, bulk copies.

    correct_kernels.py --seed N --count M -o FOLDER [--per-file 20]

Each kernel has a plain one beside it that says what must come out (`# tilewright: reference`). `correct_kernels_test.py` runs
them on the simulator: the values must be right, and nothing may be found.
"""
import argparse
import os
import random

HEADER = '''# tilewright: dialect 0.25
# tilewright: arch sm_90a
"""Kernels of seed {seed}, made by correct_kernels.py."""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout
'''


def function(name, parameters, body):
    """A kernel of tensors `parameters`: {name: (shape, dtype)}; an extent "n" is symbolic, and a shape None a scalar."""
    listed = (p + (": T." + dtype if shape is None else "_ptr: T.handle") for p, (shape, dtype) in parameters.items())
    lines = ["", "", "@T.prim_func", f"def {name}({', '.join(listed)}):"]
    if any("n" in shape for shape, _ in parameters.values() if shape):
        lines.append("    n = T.int32()")
    for p, (shape, dtype) in parameters.items():
        if shape is None:
            continue
        extents = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
        lines.append(f'    {p} = T.match_buffer({p}_ptr, ({extents}), "{dtype}")')
    return "\n".join(lines + ["    T.device_entry()"] + ["    " + line for line in body if line]) + "\n"


def with_reference(name, parameters, body, plain, extents=""):
    reference = f"plain_{name}"
    text = function(reference, parameters, plain)
    return text + f"\n\n# tilewright: reference {reference}{extents}" + function(name, parameters, body).lstrip("\n").join(["\n", ""])


def ring(rng, name):
    """A producer loads tiles by the tensor unit, warps of consumers use them, with barriers for both directions."""
    stages, steps, rows = rng.randint(1, 5), rng.randint(1, 12), rng.choice([4, 8, 16])
    warps, columns = rng.randint(1, 4), rng.choice([32, 64])
    first = rng.random() < 0.5  # the producer is the first warp, else the last
    producer = 0 if first else warps
    each_thread = rng.random() < 0.5  # each consumer gives the slot back, or one lane of each warp
    elected = rng.random() < 0.5
    threads, used = (warps + 1) * 32, warps * 32
    shape = {"A": ((steps, rows, columns), "int32"), "B": ((steps, used), "int32")}
    consumer = "tid - 32" if first else "tid"
    index = rng.choice([f"(mine + row) % {columns}", f"mine % {columns}", f"({columns} - 1) - (mine + 3 * row) % {columns}"])
    body = [
        "T.cta_id([1])", f"warp = T.warp_id([{warps + 1}])", "lane = T.lane_id([32])", f"tid = T.thread_id([{threads}])",
        f'tiles = T.alloc_shared([{stages}, {rows}, {columns}], "int32", align=128, layout=TileLayout(S[{stages}, {rows}, {columns}]))',
        f'full = T.alloc_shared([{stages}], "uint64")', f'empty = T.alloc_shared([{stages}], "uint64")',
        "if tid == 0:", f"    for s in T.unroll({stages}):", "        T.ptx.mbarrier.init(full.ptr_to([s]), 1)",
        f"        T.ptx.mbarrier.init(empty.ptr_to([s]), {used if each_thread else warps})", "    T.ptx.fence.mbarrier_init()",
        "T.cuda.cta_sync()",
        f"if warp == {producer}:", f"    if {'T.ptx.elect_sync()' if elected else 'lane == 0'}:",
        f"        for step in T.serial({steps}):",
        f"            T.ptx.mbarrier.try_wait(empty.ptr_to([step % {stages}]), (step // {stages} + 1) % 2)",
        f"            T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([step % {stages}]), {rows * columns * 4})",
        f"            Tx.copy_async(tiles[step % {stages}, :, :], A[step, :, :], dispatch=\"tma\", mbar=full.ptr_to([step % {stages}]))",
        "else:", f"    mine: T.let = {consumer}", f"    for step in T.serial({steps}):",
        f"        T.ptx.mbarrier.try_wait(full.ptr_to([step % {stages}]), step // {stages} % 2)",
        "        total: T.int32 = 0", f"        for row in T.serial({rows}):",
        f"            total = total + tiles[step % {stages}, row, {index}]",
    ]
    give = f"T.ptx.mbarrier.arrive(empty.ptr_to([step % {stages}]))"
    early = rng.random() < 0.5  # the slot goes back before or behind the store
    store = ["        B[step, mine] = total"]
    free = [f"        {give}"] if each_thread else ["        T.cuda.warp_sync()", "        if lane == 0:", f"            {give}"]
    body += free + store if early else store + free
    plain = [f"step = T.cta_id([{steps}])", f"mine = T.thread_id([{used}])", "total: T.int32 = 0", f"for row in T.serial({rows}):",
             f"    total = total + A[step, row, {index}]", "B[step, mine] = total"]
    return with_reference(name, shape, body, plain)


def prefetch(rng, name):
    """Groups of cp.async some steps ahead of their use, by a CTA or by each warp on its own."""
    stages, steps, blocks = rng.randint(1, 6), rng.randint(1, 12), rng.randint(1, 3)
    warps = rng.randint(1, 4)
    threads, own = warps * 32, rng.random() < 0.5
    mask = rng.randrange(1, 32 if own else threads) if own or threads & (threads - 1) == 0 else rng.randrange(1, 32)
    sync = "T.cuda.warp_sync()" if own or mask < 32 else "T.cuda.cta_sync()"
    shape = {"A": ((steps, blocks, threads), "int32"), "B": ((steps, blocks, threads), "int32")}
    factor = rng.randint(2, 9)
    ahead = rng.randint(0, stages - 1)  # groups that may still be on their way while a step is used
    body = [f"block = T.cta_id([{blocks}])", f"tid = T.thread_id([{threads}])", f'ring = T.alloc_shared([{stages}, {threads}], "int32")',
            f"for step in T.unroll({ahead}):" if ahead else "", f"    if step < {steps}:" if ahead else "",
            f"        T.ptx.cp_async(ring.ptr_to([step % {stages}, tid]), A.ptr_to([step, block, tid]), 4)" if ahead else "",
            "    T.ptx.cp_async.commit_group()" if ahead else "",
            f"for step in T.serial({steps}):", f"    if step + {ahead} < {steps}:",
            f"        T.ptx.cp_async(ring.ptr_to([(step + {ahead}) % {stages}, tid]), A.ptr_to([step + {ahead}, block, tid]), 4)",
            "    T.ptx.cp_async.commit_group()", f"    T.ptx.cp_async.wait_group({ahead})", f"    {sync}",
            f"    B[step, block, tid] = {factor} * ring[step % {stages}, tid ^ {mask}] - step", f"    {sync}"]
    plain = [f"step = T.cta_id([{steps * blocks}])", f"tid = T.thread_id([{threads}])",
             f"B[step // {blocks}, step % {blocks}, tid] = {factor} * A[step // {blocks}, step % {blocks}, tid ^ {mask}] - step // {blocks}"]
    return with_reference(name, shape, body, plain)


def symbolic(rng, name):
    """An extent that only the launch knows, blocks that turn their part around in shared memory, guards at the end."""
    threads, per = rng.choice([32, 64, 96, 128]), rng.randint(1, 4)
    length = threads * per
    shape = {"A": (("n",), "int32"), "B": (("n",), "int32")}
    persistent = rng.random() < 0.4
    grid = f"[{rng.randint(1, 3)}]" if persistent else f"[T.ceildiv(n, {length})]"
    pad = rng.randint(-5, 5)
    inner = [f"for k in T.serial({per}):", f"    at: T.let = base + k * {threads} + tid",
             f"    part[k * {threads} + tid] = T.if_then_else(at < n, A[T.min(at, n - 1)], {pad})", "T.cuda.cta_sync()",
             f"for k in T.serial({per}):", f"    at: T.let = base + k * {threads} + tid", "    if at < n:",
             f"        B[at] = part[{length} - 1 - (k * {threads} + tid)] + {pad}"]
    body = [f"block = T.cta_id({grid})", f"tid = T.thread_id([{threads}])", f'part = T.alloc_shared([{length}], "int32")']
    if persistent:
        ctas = grid.strip("[]")
        body += [f"for turn in T.serial(T.ceildiv(T.ceildiv(n, {length}), {ctas})):",
                 f"    base: T.let = (turn * {ctas} + block) * {length}"] + ["    " + line for line in inner] + ["    T.cuda.cta_sync()"]
    else:
        body += [f"base: T.let = block * {length}"] + inner
    plain = [f"block = T.cta_id([T.ceildiv(n, {length})])", f"tid = T.thread_id([{length}])", f"at: T.let = block * {length} + tid",
             f"other: T.let = block * {length} + {length} - 1 - tid", "if at < n:",
             f"    B[at] = T.if_then_else(other < n, A[T.min(other, n - 1)], {pad}) + {pad}"]
    # No whole number of blocks.
    return with_reference(name, shape, body, plain).replace("# tilewright: reference", f"# tilewright: run {name} n={rng.randint(1, 5 * length)}\n# tilewright: reference")


def scalars(rng, name):
    """How many rounds, how far to look and how many rows there are is said at the launch."""
    threads, rows, stages = rng.choice([32, 64, 96]), rng.randint(1, 3), rng.randint(1, 3)
    ctas = rng.randint(1, rows)
    shape = {"A": ((rows, threads), "int32"), "B": ((rows, threads), "int32"), "rounds": (None, "int32"), "shift": (None, "int32"),
             "used": (None, "int32")}
    sync = "T.cuda.cta_sync()" if threads > 32 or rng.random() < 0.5 else "T.cuda.warp_sync()"
    body = [f"block = T.cta_id([{ctas}])", f"tid = T.thread_id([{threads}])", f'ring = T.alloc_shared([{stages}, {threads}], "int32")',
            f"for step in T.serial(T.ceildiv(used, {ctas})):", f"    row: T.let = step * {ctas} + block", "    if row < used:",
            "        value: T.int32 = A[row, tid]", "        for turn in T.serial(rounds):", f"            ring[turn % {stages}, tid] = value",
            f"            {sync}", f"            value = value + ring[turn % {stages}, (tid + shift) % {threads}]",
            f"            {sync}" if stages == 1 or rng.random() < 0.3 else "", "        B[row, tid] = value", f"        {sync}"]
    plain = [f"row = T.cta_id([{rows}])", "T.thread_id([1])", f'now = T.alloc_local([{threads}], "int32")', f'then = T.alloc_local([{threads}], "int32")',
             "if row < used:", f"    for c in T.serial({threads}):", "        now[c] = A[row, c]", "    for turn in T.serial(rounds):",
             f"        for c in T.serial({threads}):", "            then[c] = now[c]", f"        for c in T.serial({threads}):",
             f"            now[c] = now[c] + then[(c + shift) % {threads}]", f"    for c in T.serial({threads}):", "        B[row, c] = now[c]"]
    values = f"rounds={rng.randint(0, 5)} shift={rng.randint(0, 100)} used={rng.randint(1, rows)}"
    return with_reference(name, shape, body, plain).replace("# tilewright: reference", f"# tilewright: run {name} {values}\n# tilewright: reference")


def gather(rng, name):
    """Rows that an index tensor names, read through shared memory; or rows that one writes, each once."""
    rows, columns = rng.choice([16, 32, 64]), rng.choice([32, 64])
    warps = rng.randint(1, 4)
    threads = warps * 32
    scatter = rng.random() < 0.5
    odd, shift = rng.randrange(1, rows, 2), rng.randrange(rows)
    shape = {"A": ((rows, columns), "int32"), "I": ((rows,), "int32"), "B": ((rows, columns), "int32")}
    source = f"I[row] & {rows - 1}" if not scatter else "row"
    target = f"(row * {odd} + {shift}) & {rows - 1}" if scatter else "row"
    body = ["T.cta_id([1])", f"warp = T.warp_id([{warps}])", "lane = T.lane_id([32])", f"tid = T.thread_id([{threads}])",
            f'index = T.alloc_shared([{rows}], "int32")', f"for k in T.serial(T.ceildiv({rows}, {threads})):",
            f"    if k * {threads} + tid < {rows}:", f"        index[k * {threads} + tid] = I[k * {threads} + tid] & {rows - 1}", "T.cuda.cta_sync()",
            f"for k in T.serial(T.ceildiv({rows}, {warps})):", f"    row: T.let = k * {warps} + warp", f"    if row < {rows}:",
            f"        for c in T.serial({columns // 32}):",
            f"            B[{target}, c * 32 + lane] = A[{'index[row]' if not scatter else 'row'}, c * 32 + lane] + index[row]"]
    plain = [f"row = T.cta_id([{rows}])", f"c = T.thread_id([{columns}])", f"B[{target}, c] = A[{source}, c] + (I[row] & {rows - 1})"]
    return with_reference(name, shape, body, plain)


def cluster(rng, name):
    """CTAs of a cluster read each other's shared memory."""
    ctas, threads, rounds = rng.choice([2, 4, 8]), rng.choice([32, 64, 128]), rng.randint(1, 3)
    clusters = rng.randint(1, 2)
    shift = rng.randrange(1, ctas)
    shape = {"A": ((clusters * ctas, threads), "int32"), "B": ((clusters * ctas, threads), "int32")}
    body = [f"rank = T.cta_id_in_cluster([{ctas}])", f"block = T.cta_id([{clusters * ctas}])", f"tid = T.thread_id([{threads}])",
            f'mine = T.alloc_shared([{threads}], "int32")', "value: T.int32 = A[block, tid]", f"for turn in T.serial({rounds}):",
            "    mine[tid] = value", "    T.cuda.cluster_sync()",
            f"    there: T.let = T.ptx.map_shared_rank(mine.ptr_to([{threads} - 1 - tid]), (rank + {shift}) % {ctas})",
            '    value = value + T.ptx.ld(T.reinterpret("handle", there), "int32", "s32", space="shared::cluster")',
            "    T.cuda.cluster_sync()", "B[block, tid] = value"]
    # A value after the rounds is a sum of those of other CTAs and threads, by Pascal's triangle.
    weights = [1]
    for _ in range(rounds):
        weights = [a + b for a, b in zip(weights + [0], [0] + weights)]
    parts = []
    for k, w in enumerate(weights):
        column = "tid" if k % 2 == 0 else f"{threads} - 1 - tid"
        parts.append(f"{w} * A[block // {ctas} * {ctas} + (block + {k * shift}) % {ctas}, {column}]")
    plain = [f"block = T.cta_id([{clusters * ctas}])", f"tid = T.thread_id([{threads}])", f"B[block, tid] = {' + '.join(parts)}"]
    return with_reference(name, shape, body, plain)


def multicast(rng, name):
    """A ring of tiles for two CTAs: each loads half of a tile for both, and a slot is free when both have used it."""
    stages, steps, rows = rng.randint(1, 4), rng.randint(1, 8), rng.choice([8, 16])
    columns, used = 32, rng.choice([32, 64])
    shape = {"A": ((steps, rows, columns), "int32"), "B": ((2, steps, used), "int32")}
    half = rows // 2
    body = [
        "rank = T.cta_id_in_cluster([2])", "T.cta_id([2])", f"warp = T.warp_id([{used // 32 + 1}])", "lane = T.lane_id([32])",
        f"tid = T.thread_id([{used + 32}])",
        f'tiles = T.alloc_shared([{stages}, {rows}, {columns}], "int32", align=128, layout=TileLayout(S[{stages}, {rows}, {columns}]))',
        f'full = T.alloc_shared([{stages}], "uint64")', f'empty = T.alloc_shared([{stages}], "uint64")',
        "if tid == 0:", f"    for s in T.unroll({stages}):", "        T.ptx.mbarrier.init(full.ptr_to([s]), 1)",
        f"        T.ptx.mbarrier.init(empty.ptr_to([s]), {2 * (used // 32)})", "    T.ptx.fence.mbarrier_init()", "T.cuda.cluster_sync()",
        f"if warp == {used // 32}:", "    if T.ptx.elect_sync():", f"        for step in T.serial({steps}):",
        f"            T.ptx.mbarrier.wait(empty.ptr_to([step % {stages}]), (step // {stages} + 1) % 2, sem=\"acquire\", scope=\"cluster\")",
        f"            T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([step % {stages}]), {rows * columns * 4})",
        f"            Tx.copy_async(tiles[step % {stages}, rank * {half} : rank * {half} + {half}, :], "
        f"A[step, rank * {half} : rank * {half} + {half}, :], dispatch=\"tma\", mbar=full.ptr_to([step % {stages}]), cta_mask=3)",
        "else:", f"    for step in T.serial({steps}):",
        f"        T.ptx.mbarrier.try_wait(full.ptr_to([step % {stages}]), step // {stages} % 2)",
        "        total: T.int32 = rank", f"        for row in T.serial({rows}):", f"            total = total + tiles[step % {stages}, row, tid % {columns}]",
        "        B[rank, step, tid] = total", "        T.cuda.warp_sync()", "        if lane < 2:",
        f"            T.ptx.mbarrier.arrive(empty.ptr_to([step % {stages}]), cta_id=lane, pred=True)",
        "T.cuda.cluster_sync()",
    ]
    plain = [f"block = T.cta_id([{2 * steps}])", f"tid = T.thread_id([{used}])", f"total: T.int32 = block // {steps}",
             f"for row in T.serial({rows}):", f"    total = total + A[block % {steps}, row, tid % {columns}]",
             f"B[block // {steps}, block % {steps}, tid] = total"]
    return with_reference(name, shape, body, plain)


def turns(rng, name):
    """Two groups of warps hand a buffer to and fro over named barriers: one side waits, the other goes on."""
    warps, steps = rng.randint(1, 3), rng.randint(1, 6)
    side, buffers = warps * 32, rng.choice([1, 2])
    shape = {"A": ((steps, side), "int32"), "B": ((steps, side), "int32")}
    offset = rng.randint(1, 12)
    filled, free = offset, offset + buffers
    turn = f"step % {buffers}" if buffers > 1 else "0"
    body = ["T.cta_id([1])", f"tid = T.thread_id([{2 * side}])", f'buffer = T.alloc_shared([{buffers}, {side}], "int32")',
            f"if tid < {side}:", f"    for step in T.serial({steps}):", f"        if step >= {buffers}:",
            f"            T.ptx.bar.sync({free} + {turn}, {2 * side})", f"        buffer[{turn}, tid] = A[step, tid]",
            f"        T.ptx.bar.arrive({filled} + {turn}, {2 * side})", "else:", f"    for step in T.serial({steps}):",
            f"        T.ptx.bar.sync({filled} + {turn}, {2 * side})", f"        B[step, tid - {side}] = buffer[{turn}, {2 * side} - 1 - tid]",
            f"        if step + {buffers} < {steps}:", f"            T.ptx.bar.arrive({free} + {turn}, {2 * side})"]
    plain = [f"step = T.cta_id([{steps}])", f"tid = T.thread_id([{side}])", f"B[step, tid] = A[step, {side} - 1 - tid]"]
    return with_reference(name, shape, body, plain)


def reduction(rng, name):
    """Sums of rows: shuffles within a warp, shared memory or atomics across warps, atomics across CTAs."""
    warps, rows, per = rng.choice([1, 2, 4]), rng.randint(1, 4), rng.randint(1, 3)
    threads = warps * 32
    columns = threads * per
    shape = {"A": ((rows, columns), "int32"), "B": ((rows,), "int32")}
    atomic = rng.random() < 0.5
    body = [f"row = T.cta_id([{rows}])", f"warp = T.warp_id([{warps}])", "lane = T.lane_id([32])", f"tid = T.thread_id([{threads}])",
            f'sums = T.alloc_shared([{warps}], "int32")', "total: T.int32 = 0", f"for k in T.serial({per}):",
            f"    total = total + A[row, k * {threads} + tid]"]
    if atomic:
        body += ["if tid == 0:", "    sums[0] = 0", "T.cuda.cta_sync()", "T.cuda.atomic_add(sums.ptr_to([0]), total)", "T.cuda.cta_sync()",
                 "if tid == 0:", "    B[row] = sums[0]"]
    else:
        for distance in (16, 8, 4, 2, 1):
            body.append(f"total = total + T.tvm_warp_shuffle_xor(0xFFFFFFFF, total, {distance}, 32, 32)")
        body += ["if lane == 0:", "    sums[warp] = total", "T.cuda.cta_sync()", "if tid == 0:", "    all: T.int32 = 0",
                 f"    for w in T.serial({warps}):", "        all = all + sums[w]", "    B[row] = all"]
    plain = [f"row = T.cta_id([{rows}])", "T.thread_id([1])", "total: T.int32 = 0", f"for c in T.serial({columns}):", "    total = total + A[row, c]",
             "B[row] = total"]
    return with_reference(name, shape, body, plain)


def bulk(rng, name):
    """The bulk engine fetches, threads change, the engine brings back, some rounds over one buffer."""
    rounds, warps = rng.randint(1, 5), rng.randint(1, 4)
    threads = warps * 32
    length = threads * rng.choice([1, 2, 4])
    factor = rng.randint(2, 7)
    read = rng.random() < 0.7
    shape = {"A": ((rounds, length), "int32"), "B": ((rounds, length), "int32")}
    body = ["T.cta_id([1])", f"tid = T.thread_id([{threads}])", f'data = T.alloc_shared([{length}], "int32", align=128)',
            'arrived = T.alloc_shared([1], "uint64")', "if tid == 0:", "    T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)",
            "    T.ptx.fence.mbarrier_init()", "T.cuda.cta_sync()", f"for turn in T.serial({rounds}):", "    if tid == 0:",
            f"        T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), {length * 4})",
            f"        T.ptx.cp_async_bulk_g2s_cluster(data.ptr_to([0]), A.ptr_to([turn, 0]), {length * 4}, arrived.ptr_to([0]))",
            "    T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), turn % 2)", f"    for k in T.serial({length // threads}):",
            f"        data[k * {threads} + tid] = data[k * {threads} + tid] * {factor}", '    T.ptx.fence.proxy_async("shared::cta")',
            "    T.cuda.cta_sync()", "    if tid == 0:", f"        T.ptx.cp_async_bulk_s2g(B.ptr_to([turn, 0]), data.ptr_to([0]), {length * 4})",
            "        T.ptx.cp_async.bulk.commit_group()", f"        T.ptx.cp_async.bulk.wait_group(0, read={read})"]
    plain = [f"turn = T.cta_id([{rounds}])", f"c = T.thread_id([{threads}])", f"for k in T.serial({length // threads}):",
             f"    B[turn, k * {threads} + c] = A[turn, k * {threads} + c] * {factor}"]
    return with_reference(name, shape, body, plain)


FAMILIES = [ring, prefetch, symbolic, gather, cluster, multicast, turns, reduction, bulk, scalars]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=90)
    parser.add_argument("--per-file", type=int, default=20)
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    for old in os.listdir(options.output):
        if old.startswith("correct_"):
            os.remove(os.path.join(options.output, old))
    rng = random.Random(options.seed)
    kernels = []
    for i in range(options.count):
        family = FAMILIES[i % len(FAMILIES)]
        kernels.append(family(rng, f"{family.__name__}_{i}"))
    for first in range(0, len(kernels), options.per_file):
        path = os.path.join(options.output, f"correct_{first // options.per_file:03}.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(HEADER.format(seed=options.seed) + "".join(kernels[first : first + options.per_file]))


if __name__ == "__main__":
    main()
