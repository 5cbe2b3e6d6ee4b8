"""Tensor memory in the ways that 0.26 adds: tcgen05.cp of all shapes, windows and halves for loads and stores."""

from newer.kernel import BITS, Kernel

# Name, multicast, rows, bytes of a row, layout of tensor memory, and which row of A lane `row` holds.
SHAPES = [
    ("128x256b", "", 128, 32, "S[(128, {c}) : (1 @ TLane, 1 @ TCol)]", "same"),
    ("128x128b", "", 128, 16, "S[(128, {c}) : (1 @ TLane, 1 @ TCol)]", "same"),
    ("64x128b", "warpx2::02_13", 64, 16, "S[(64, {c}) : (1 @ TLane, 1 @ TCol)] + R[2 : 64 @ TLane]", "halves"),
    ("64x128b", "warpx2::01_23", 64, 16, "S[(2, 32, {c}) : (64 @ TLane, 1 @ TLane, 1 @ TCol)] + R[2 : 32 @ TLane]", "pairs"),
    ("32x128b", "warpx4", 32, 16, "S[(32, {c}) : (1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane]", "quarters"),
    ("4x256b", "", 4, 32, "S[(4, {c}) : (32 @ TLane, 1 @ TCol)]", "lanes"),
    ("4x256b", "", 64, 32, "S[(4, 16, {c}) : (32 @ TLane, 1 @ TLane, 1 @ TCol)]", "scattered"),
]
TYPES = ["uint8", "int8", "float16", "bfloat16", "float32", "int32"]


class TensorKernel(Kernel):
    """One warpgroup with columns of tensor memory."""

    def __init__(self, name, family, dtype, shape, a_shape, how="same", first=0, columns=32):
        super().__init__(name, family, 128, dtype, shape, a_shape)
        self.how, self.first, self.columns = how, first, columns

    def reference(self):
        return f'rows({self.shape}, "{self.dtype}", {self.a_shape}, "{self.how}", {self.first})'

    def setup(self):
        return [
            'bar = T.alloc_buffer((1,), "uint64", scope="shared")',
            "if tid == 0:",
            "    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)",
            "    T.ptx.fence.mbarrier_init()",
            'T.ptx.fence.proxy_async("shared::cta")',
            "T.cuda.cta_sync()",
            'address = T.alloc_shared([1], "uint32")',
            "if w == 0:",
            f"    T.ptx.tcgen05.alloc(T.address_of(address), n_cols={self.columns}, cta_group=1)",
            "T.cuda.cta_sync()",
        ]

    def teardown(self):
        return [
            "T.cuda.cta_sync()",
            "if w == 0:",
            "    T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)",
            f"    T.ptx.tcgen05.dealloc(address[0], n_cols={self.columns}, cta_group=1)",
        ]

    def tensor(self, name, shape, layout):
        return f'{name} = T.decl_buffer({shape}, "{self.dtype}", scope="tmem", allocated_addr=address[0], layout=TileLayout({layout}))'


def shared_layout(rng, dtype, rows, columns, row_bytes, scattered):
    """The layout of (rows, columns) of shared memory that a descriptor reads, and its text."""
    e = 128 // BITS[dtype]
    units = columns // e
    modes = [0] if scattered or rows == 4 else [0] + [m for m in (1, 2, 3) if (16 << m) <= units * 16 and units * 16 % (16 << m) == 0]
    mode = rng.choice(modes)
    if mode:
        return f'mma_shared_layout("{dtype}", {mode}, ({rows}, {columns}))'
    if scattered:
        return f"TileLayout(S[(4, 16, {units}, {e}) : ({e}, {4 * e}, {64 * e}, 1)])"
    return f"TileLayout(S[({rows}, {units}, {e}) : ({e}, {rows * e}, 1)])"


def matrix_copy(rng, name):
    """global -> shared -> tensor memory by tcgen05.cp -> registers -> global."""
    shape, multicast, rows, row_bytes, layout, how = rng.choice(SHAPES)
    dtype = rng.choice(TYPES)
    units = rng.choice([1, 2, 4]) * (row_bytes // 16)
    c = units * 128 // BITS[dtype]
    cells = units * 4
    first = rng.choice([0, 0, 4, 8])  # columns of 32 bits
    k = TensorKernel(name, "matrix_copy", dtype, (128, c), (rows, c), how, columns=32 if first + cells <= 32 else 64)
    text = layout.format(c=c + first * 32 // BITS[dtype])
    per = 32 // BITS[dtype]
    wide = c + first * per
    k.buffers = [
        f'X = T.alloc_buffer(({rows}, {c}), "{dtype}", scope="shared", layout={shared_layout(rng, dtype, rows, c, row_bytes, how == "scattered")}, align=1024)',
        f'R0 = T.alloc_buffer((128, {c}), "{dtype}", scope="local", layout=TileLayout(S[(128, {c}) : (1 @ tid_in_wg, 1)]))',
    ]
    options = []
    kind = rng.choice(["inferred", "inferred", "shape", "multicast", "both"])
    if kind in ("shape", "both"):
        options.append(f'shape="{shape}"')
    if multicast and (kind in ("multicast", "both") or (kind == "shape" and shape == "64x128b")):
        options.append(f'multicast="{multicast}"')
    wrong = rng.random() < 0.15
    if wrong:
        options = rng.choice([['shape="64x128b"'], ['shape="16x64b"'], [f'shape="{shape}"', 'multicast="warpx8"']])
        k.checked = False
    if rng.random() < 0.2:
        options.append("cta_group=1")
    begin = first * per
    k.body = k.setup() + [
        k.tensor("M0", (rows, wide), text),
        k.tensor("M1", (128, wide), f"S[(128, {wide}) : (1 @ TLane, 1 @ TCol)]"),
        "Tx.cta.copy(X, A)",
        'T.ptx.fence.proxy_async("shared::cta")',
        "T.cuda.cta_sync()",
        "if tid == 0:",
        f"    Tx.copy_async(M0[0:{rows}, {begin}:{begin + c}], X" + "".join(f", {o}" for o in options) + ")",
        "    T.ptx.tcgen05.commit(bar.ptr_to([0]), cta_group=1)",
        "T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)",
        "T.ptx.tcgen05.fence.after_thread_sync()",
    ]
    if wrong:
        return k
    written = {"lanes": "l == 0", "scattered": "l < 16"}.get(how)
    k.body += [f"Tx.wg.copy_async(R0, M1[0:128, {begin}:{begin + c}])", "T.ptx.tcgen05.wait.ld()"]
    if written:
        k.body += ["r = R0.local()", f"if {written}:", f"    for j in T.serial({c}):", "        B[tid, j] = r[j]"]
    else:
        k.body.append("Tx.wg.copy(B, R0)")
    k.body += k.teardown()
    return k


ATOMS = {"16x64b": (2, 128), "16x128b": (4, 64), "16x256b": (8, 32)}


def windows(rng, name):
    """Registers -> a stage of tensor memory -> registers."""
    dtype = rng.choice(["float32", "float16", "bfloat16", "uint32" if rng.random() < 0.5 else "float32"])
    per = 32 // BITS.get(dtype, 32)
    kind = rng.choice(["rows", "rows", "stage", "stage", "upper", "lower", "atom", "folded"])
    if kind == "folded":
        dtype, n = "float32", rng.choice([4, 8, 16, 32])
        k = TensorKernel(name, "windows", dtype, (64, n), (64, n))
        cells = f"S[(64, 2, {n // 2}) : (1 @ TLane, 64 @ TLane, 1 @ TCol)]"
        registers = f"TileLayout(S[(64, 2, {n // 2}) : (1 @ tid_in_wg, 64 @ tid_in_wg, 1)])"
        rows, wide, stages, at = 64, n, None, f"[0:64, 0:{n}]"
        here = at
    else:
        stages = rng.choice([2, 3]) if kind in ("stage", "atom") and rng.random() < 0.7 or kind == "stage" else None
        atom = rng.choice(list(ATOMS)) if kind in ("upper", "lower", "atom") else None
        rows = 64 if kind in ("upper", "lower") else 128
        if atom:
            n = ATOMS[atom][0] * per * rng.choice([1, 2] if per > 1 or rows == 128 or atom != "16x64b" else [2])
            registers = f'tcgen05_atom_layout("{atom}", ({rows}, {n}), "{dtype}")'
        else:
            n = per * rng.choice([2, 4, 8] if per == 1 else [1, 2, 4, 8])
            registers = f"TileLayout(S[(128, {n}) : (1 @ tid_in_wg, 1)])"
        begin = per * rng.choice([0, 0, 1, 4])
        wide = begin + n + per * rng.choice([0, 2])
        k = TensorKernel(name, "windows", dtype, (rows, n), (rows, n), columns=64)
        if rows == 64:
            cells = f"S[(4, 16, {wide}) : (32 @ TLane, 1 @ TLane, 1 @ TCol)]" + (" + 16 @ TLane" if kind == "upper" else "")
        elif stages:
            cells = f"S[({stages}, 128, {wide}) : ({wide} @ TCol, 1 @ TLane, 1 @ TCol)]"
            if stages * wide // per > 64:
                k.columns = 128 if stages * wide // per <= 128 else 256
        else:
            cells = f"S[(128, {wide}) : (1 @ TLane, 1 @ TCol)]"
        at = f"[0:{rows}, {begin}:{begin + n}]"
        if stages:
            s = rng.randrange(stages)
            at = rng.choice([f"[{s}, 0:{rows}, {begin}:{begin + n}]", f"[{s}:{s + 1}, 0:{rows}, {begin}:{begin + n}]"])
        here = rng.choice(["", f"[0:{rows}, 0:{n}]"])
    shape = (stages, rows, wide) if stages else (rows, wide)
    k.buffers = [f'R{i} = T.alloc_buffer(({rows}, {n}), "{dtype}", scope="local", layout={registers})' for i in (0, 1)]
    k.body = k.setup() + [
        k.tensor("M", shape, cells),
        "Tx.wg.copy(R0, A)",
        f"Tx.wg.copy_async(M{at}, R0{here})",
        "T.ptx.tcgen05.wait.st()",
        f"Tx.wg.copy_async(R1{here}, M{at})",
        "T.ptx.tcgen05.wait.ld()",
        "Tx.wg.copy(B, R1)",
    ] + k.teardown()
    return k


def windows_refused(rng, name):
    """Windows that no instruction reads."""
    k = TensorKernel(name, "windows_refused", "float32", (64, 8), (64, 8))
    k.checked = False
    folded = "S[(64, 2, 4) : (1 @ TLane, 64 @ TLane, 1 @ TCol)]"
    rows = "TileLayout(S[(64, 2, 4) : (1 @ tid_in_wg, 64 @ tid_in_wg, 1)])"
    kind = rng.choice(["part", "registers", "scattered", "half", "stages"])
    r_shape, shape, at, there = (64, 8), (64, 8), "", ""
    cells, registers = folded, rows
    if kind == "part":
        at = there = "[0:64, 0:4]"
    elif kind == "registers":
        registers = 'tcgen05_atom_layout("16x64b", (64, 8), "float32")'
    elif kind == "scattered":
        cells, r_shape, shape = "S[(4, 16, 8) : (32 @ TLane, 1 @ TLane, 1 @ TCol)]", (64, 8), (64, 8)
        registers = "TileLayout(S[(64, 8) : (1 @ tid_in_wg, 1)])"
    elif kind == "half":
        cells, registers = "S[(64, 8) : (1 @ TLane, 1 @ TCol)]", 'tcgen05_atom_layout("16x64b", (64, 8), "float32")'
    else:
        cells, shape, at = "S[(2, 128, 8) : (8 @ TCol, 1 @ TLane, 1 @ TCol)]", (2, 128, 8), "[0:2, 0:128, 0:8]"
        r_shape, registers = (2, 128, 8), "TileLayout(S[(2, 128, 8) : (8, 1 @ tid_in_wg, 1)])"
    k.buffers = [f'R0 = T.alloc_buffer({r_shape}, "float32", scope="local", layout={registers})']
    k.body = k.setup() + [k.tensor("M", shape, cells), f"Tx.wg.copy_async(R0{there}, M{at})"]
    return k


FAMILIES = [(matrix_copy, 50), (windows, 40), (windows_refused, 8)]


def make(rng, name, release):
    return rng.choice([f for f, weight in FAMILIES for _ in range(weight)])(rng, name)


HEADER = '''from tvm.backend.cuda.tile_primitive.tma_utils import mma_shared_layout
from tvm.tirx.layout import tcgen05_atom_layout


# Which row of A each lane holds; rows of lanes that nothing was written to keep what they have.
def rows(shape, dtype, a_shape, how, first):
    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, a_shape, dtype)
        B = T.match_buffer(B_ptr, shape, dtype)
        T.device_entry()
        row = T.cta_id([shape[0]])
        lane = T.thread_id([32])
        for i in T.serial((shape[1] + 31) // 32):
            if i * 32 + lane < shape[1]:
                if how == "same":
                    B[row, i * 32 + lane] = A[row, i * 32 + lane]
                if how == "halves":
                    B[row, i * 32 + lane] = A[row % 64, i * 32 + lane]
                if how == "pairs":
                    B[row, i * 32 + lane] = A[row // 64 * 32 + row % 32, i * 32 + lane]
                if how == "quarters":
                    B[row, i * 32 + lane] = A[row % 32, i * 32 + lane]
                if how == "lanes":
                    if row % 32 == 0:
                        B[row, i * 32 + lane] = A[row // 32, i * 32 + lane]
                if how == "scattered":
                    if row % 32 < 16:
                        B[row, i * 32 + lane] = A[row // 32 * 16 + row % 32, i * 32 + lane]

    return kernel
'''
