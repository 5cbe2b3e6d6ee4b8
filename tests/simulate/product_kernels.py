#!/usr/bin/env python3
"""Writes seeded kernels that multiply by gemm_async on Hopper, each with what must come out, computed a thread an element.

    product_kernels.py --seed N --count M -o FOLDER

Drawn at random are the type, the shapes, where A is, how the tiles lie in shared memory and which part of them is used,
which register has which element, and whether the sums go on from what is there. The factors are small whole numbers,
whose sums are exact in any order. Each file holds ten kernels, which `tilewright run` executes and compares.
"""
import argparse
import os
import random

HEADER = '''# tilewright: dialect 0.25
# tilewright: arch sm_90a
"""Kernels of seed {seed}, made by product_kernels.py."""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, laneid, mma_shared_layout, wid_in_wg
'''

BITS = {"float16": 16, "bfloat16": 16, "float32": 32, "float8_e4m3fn": 8, "float8_e5m2": 8, "int8": 8, "uint8": 8}
SHARED_BYTES = 200 * 1024


class Tile:
    """An operand in shared memory: a buffer [stage, rows, columns], and the part of it that is multiplied."""

    def __init__(self, rng, name, dtype, mn, k):
        self.name, self.dtype = name, dtype
        unit, bits = 128 // BITS[dtype], BITS[dtype]
        self.transposed = bits == 16 and rng.random() < 0.4
        rows, columns = (k, mn) if self.transposed else (mn, k)
        mode = rng.choice([0, 1, 2, 3])  # 0: no swizzle
        atom = (128 << mode) // bits
        # Behind the start and the end there may be more of the tile.
        self.row0 = 8 * rng.choice([0, 0, 1, 3])
        column0 = atom * rng.choice([0, 0, 1])
        self.rows_first = rng.random() < 0.5  # atoms without a swizzle follow each other along the rows, or the columns
        if not self.transposed and columns < atom and rng.random() < 0.5:
            column0 += unit * rng.randrange((atom - columns) // unit + 1)
        self.column0 = column0
        self.rows = self.row0 + rows + 8 * rng.choice([0, 0, 2])
        self.rows += -self.rows % 8
        self.columns = column0 + columns
        self.columns += -self.columns % atom
        self.stages, self.stage = (2, rng.randrange(2)) if rng.random() < 0.3 else (1, 0)
        self.extents = rows, columns
        self.mode = mode
        self.bytes = self.stages * self.rows * self.columns * bits // 8

    def declare(self):
        shape = (self.stages, self.rows, self.columns)
        layout = f'mma_shared_layout("{self.dtype}", {self.mode}, {shape})'
        if self.mode == 0:
            unit = 128 // BITS[self.dtype]
            down, across = (8 * unit, self.rows * unit) if self.rows_first else (8 * self.columns, 8 * unit)
            layout = (f"TileLayout(S[({self.stages}, {self.rows // 8}, 8, {self.columns // unit}, {unit}) : "
                      f"({self.rows * self.columns}, {down}, {unit}, {across}, 1)])")
        return f'{self.name} = pool.alloc({shape}, "{self.dtype}", align=1024, layout={layout})'

    def region(self):
        (rows, columns), r, c = self.extents, self.row0, self.column0
        return f"{self.name}[{self.stage}, {r}:{r + rows}, {c}:{c + columns}]"

    def fill(self, source):
        """Statements that all threads execute; `source` has M or N rows and K columns."""
        rows, columns = self.extents
        i, j = (f"x % {columns}", f"x // {columns}") if self.transposed else (f"x // {columns}", f"x % {columns}")
        return [f"for s in T.serial({-(-rows * columns // 128)}):",
                "    x: T.let = s * 128 + tid",
                f"    if x < {rows * columns}:",
                f"        {self.name}[{self.stage}, {self.row0} + x // {columns}, {self.column0} + x % {columns}] = "
                f"{factor(self.dtype, f'{source}[{i}, {j}]')}"]


class Registers:
    """A matrix in the registers of the warpgroup, `neighbours` of a row in one lane before the next lane's."""

    def __init__(self, rng, name, dtype, rows, columns, neighbours, words):
        self.name, self.dtype, self.rows, self.columns = name, dtype, rows, columns
        self.neighbours = neighbours
        self.digits = {"tile": rows // 64, "half": 2, "group": columns // (4 * neighbours), "e": neighbours}
        order = list(self.digits)
        if rng.random() < 0.5:
            rng.shuffle(order)
        if words:  # a register holds neighbours
            order.remove("e")
            order.append("e")
        self.strides, stride = {}, 1
        for digit in reversed(order):
            self.strides[digit] = stride
            stride *= self.digits[digit]
        self.count = stride

    def declare(self):
        d, s, n = self.digits, self.strides, self.neighbours
        return [f'{self.name}_regs = T.alloc_local(({self.count},), "{self.dtype}")',
                f"{self.name} = {self.name}_regs.view({self.rows}, {self.columns}, layout=TileLayout("
                f"S[({d['tile']}, 4, 2, 8, {d['group']}, 4, {n}) : ({s['tile']}, 1 @ wid_in_wg, {s['half']}, 4 @ laneid, "
                f"{s['group']}, 1 @ laneid, {s['e']})]))"]

    def each(self, statement):
        """A loop over the registers: row, column and register in `statement`."""
        d, s, n = self.digits, self.strides, self.neighbours
        return [f"for tile, half, group, e in T.grid({d['tile']}, 2, {d['group']}, {n}):",
                "    row: T.let = tile * 64 + tid // 32 * 16 + half * 8 + tid % 32 // 4",
                f"    column: T.let = group * {4 * n} + tid % 4 * {n} + e",
                f"    reg: T.let = tile * {s['tile']} + half * {s['half']} + group * {s['group']} + e * {s['e']}",
                f"    {statement}"]


def factor(dtype, word):
    low = "0" if dtype == "uint8" else "3"
    return f'T.cast((T.cast({word}, "int32") & 7) - {low}, "{dtype}")'


def kernel(rng, name):
    dtype = rng.choice(list(BITS))
    sums = "int32" if dtype in ("int8", "uint8") else "float32"
    depth = 256 // BITS[dtype]
    while True:
        m = 64 * rng.choice([1, 1, 2])
        n = 8 * rng.randrange(1, 33) if rng.random() < 0.8 else rng.choice([288, 320, 384, 512])
        if sums == "int32" and n > 24:
            n += n % 16
        k = depth * rng.choice([1, 2, 3, 4])
        if m * n > 64 * 320:
            continue
        a = Tile(rng, "a", dtype, m, k) if rng.random() < 0.6 else None
        b = Tile(rng, "b", dtype, n, k)
        # Of a transposed B each instruction takes whole rows of the swizzle, or less than one.
        if sum(t.bytes for t in (a, b) if t) <= SHARED_BYTES:
            break
    word = 32 // BITS[dtype]
    fragment = None if a else Registers(rng, "a", dtype, m, k, word, True)
    c = Registers(rng, "c", sums, m, n, 2, False)
    accumulate = rng.choice(["False", "True", "tid >= 0"])
    body = ["A = T.match_buffer(A_ptr, (%d, %d), \"uint8\")" % (m, k),
            "B = T.match_buffer(B_ptr, (%d, %d), \"uint8\")" % (n, k),
            'C = T.match_buffer(C_ptr, (%d, %d), "%s")' % (m, n, sums), "T.device_entry()", "T.cta_id([1])",
            "tid = T.thread_id([128])", "pool = T.SMEMPool()"]
    body += [t.declare() for t in (a, b) if t]
    body += ["pool.commit()"]
    if a:
        body += a.fill("A")
    else:
        body += fragment.declare() + fragment.each(f"a_regs[reg] = {factor(dtype, 'A[row, column]')}")
    body += b.fill("B") + c.declare() + c.each(f'c_regs[reg] = T.cast(row - column, "{sums}")')
    body += ['T.ptx.fence.proxy_async("shared::cta")', "T.cuda.cta_sync()"]
    flags = "".join(f", trans{x}=True" for x, t in (("A", a), ("B", b)) if t and t.transposed)
    body += [f"Tx.wg.gemm_async(c, {a.region() if a else 'a'}, {b.region()}{flags}, accum={accumulate})",
             "T.ptx.wgmma.commit_group()", "T.ptx.wgmma.wait_group(0)"] + c.each("C[row, column] = c_regs[reg]")
    start = f'T.cast(row - column, "{sums}")' if accumulate != "False" else f'T.cast(0, "{sums}")'
    expected = ["A = T.match_buffer(A_ptr, (%d, %d), \"uint8\")" % (m, k),
                "B = T.match_buffer(B_ptr, (%d, %d), \"uint8\")" % (n, k),
                'C = T.match_buffer(C_ptr, (%d, %d), "%s")' % (m, n, sums), "T.device_entry()", "row = T.cta_id([%d])" % m,
                "column = T.thread_id([%d])" % n, f"total: T.{sums} = {start}", f"for k in T.serial({k}):",
                f'    total = total + T.cast({factor(dtype, "A[row, k]")}, "{sums}") * T.cast({factor(dtype, "B[column, k]")}, "{sums}")',
                "C[row, column] = total"]

    def function(title, lines):
        return ["", "", "@T.prim_func", f"def {title}(A_ptr: T.handle, B_ptr: T.handle, C_ptr: T.handle):"] + [
            "    " + line for line in lines]

    text = function(name, body) + function(f"{name}_expected", expected)
    text[2] = f"# tilewright: reference {name}_expected\n{text[2]}"
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("-o", dest="folder", required=True)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    os.makedirs(options.folder, exist_ok=True)
    for first in range(0, options.count, 10):
        with open(os.path.join(options.folder, f"product_{first // 10:03}.py"), "w", encoding="utf-8") as out:
            out.write(HEADER.format(seed=options.seed))
            for i in range(first, min(first + 10, options.count)):
                out.write(kernel(rng, f"product_{i}"))


main()
