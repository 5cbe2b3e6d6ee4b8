"""Kernels that are slow for one reason, each beside a twin that does the same work without it: what a profile says of the first at the
marked line (a code and words), and that it says nothing of the second there."""
from dataclasses import dataclass

HEAD = """# tilewright: arch sm_90a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout
from tvm.tirx.layout import S, ComposeLayout, SwizzleLayout, TileLayout, laneid


"""


@dataclass(frozen=True)
class Twins:
    name: str
    template: str  # the line in question ends with "# here"
    slow: dict
    fast: dict
    code: str
    words: str  # a regular expression for message and hint

    def texts(self):
        return tuple(HEAD + self.template.replace("<", "{").replace(">", "}").format(**one) for one in (self.slow, self.fast))


# ---- bank conflicts ----

# Each lane reads `bytes` bytes of a row of its own.
WIDE_ROWS = """@T.prim_func
def kernel(A: T.Buffer((32, 64), "<dtype>"), B: T.Buffer((32, 64), "<dtype>")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    tile = T.alloc_shared((32, <row>), "<dtype>", align=16)
    mine = T.alloc_local((<each>,), "<dtype>")
    for i in T.serial(32):
        for j in T.serial(2):
            tile[i, j * 32 + t] = A[i, j * 32 + t]
    T.cuda.cta_sync()
    for j in T.serial(64 // <each>):
        T.cuda.copy_<bits>b(mine.ptr_to([0]), tile.ptr_to([t, j * <each>]))  # here
        T.cuda.copy_<bits>b(B.ptr_to([t, j * <each>]), mine.ptr_to([0]))
"""
# The same, written.
WIDE_WRITES = """@T.prim_func
def kernel(A: T.Buffer((32, 64), "<dtype>"), B: T.Buffer((32, 64), "<dtype>")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    tile = T.alloc_shared((32, <row>), "<dtype>", align=16)
    mine = T.alloc_local((<each>,), "<dtype>")
    for j in T.serial(64 // <each>):
        T.cuda.copy_<bits>b(mine.ptr_to([0]), A.ptr_to([t, j * <each>]))
        T.cuda.copy_<bits>b(tile.ptr_to([t, j * <each>]), mine.ptr_to([0]))  # here
    T.cuda.cta_sync()
    for i in T.serial(32):
        for j in T.serial(2):
            B[i, j * 32 + t] = tile[i, j * 32 + t]
"""
MATRICES = """@T.prim_func
def kernel(A: T.Buffer((32, 64), "float16"), B: T.Buffer((32, 4), "uint32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    tile = T.alloc_shared((32, <row>), "float16", align=16)
    regs = T.alloc_local((4,), "uint32")
    for i in T.serial(32):
        for j in T.serial(2):
            tile[i, j * 32 + t] = A[i, j * 32 + t]
    T.cuda.cta_sync()
    for k in T.serial(4):
        T.ptx.ldmatrix(False, 4, ".b16", tile.ptr_to([t % 16, k * 16 + t // 16 * 8]), regs.ptr_to([0]), regs.ptr_to([1]), regs.ptr_to([2]), regs.ptr_to([3]))  # here
    for k in T.unroll(4):
        B[t, k] = regs[k]
"""
FRAGMENTS = """FRAGMENT = TileLayout(S[(2, 8, 4, 2, 4, 2) : (2, 4 @ laneid, 8, 4, 1 @ laneid, 1)])
PLAIN = TileLayout(S[16, 64])
SWIZZLED = ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[16, 64]))


@T.prim_func
def kernel(A: T.Buffer((16, 64), "float16"), B: T.Buffer((16, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    source = T.alloc_buffer((16, 64), "float16", scope="shared", layout=<source>)
    target = T.alloc_buffer((16, 64), "float16", scope="shared", layout=<target>)
    fragment = T.alloc_buffer((16, 64), "float16", scope="local", layout=FRAGMENT)
    Tx.warp.copy(source[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(fragment[:, :], source[:, :])<load>
    Tx.warp.copy(target[:, :], fragment[:, :])<store>
    T.cuda.cta_sync()
    Tx.warp.copy(B[:, :], target[:, :])
"""
# A sum over a tree in shared memory, whose active lanes lie `step` apart.
TREE = """@T.prim_func
def kernel(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([1024])
    tile = T.alloc_shared((1024 * <step>,), "float32")
    tile[t * <step>] = A[t]
    T.cuda.cta_sync()
    B[t] = tile[t * <step>] + tile[(t ^ 1) * <step>]  # here
"""
# A tile of 4 by 4 for each thread of 8 by 4 in a product of registers: columns of one matrix, rows of the other.
OUTER = """@T.prim_func
def kernel(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    tile = T.alloc_shared((32, <row>), "float32")
    for i in T.serial(32):
        tile[i, t] = A[i, t]
    T.cuda.cta_sync()
    total: T.float32 = T.float32(0)
    for k in T.serial(32):
        total = total + tile[<at>]  # here
    for i in T.serial(32):
        B[i, t] = total
"""
# Neighbouring words of a lane, 16 bytes at once, from an array without rows.
STRETCHES = """@T.prim_func
def kernel(A: T.Buffer((2048,), "float32"), B: T.Buffer((2048,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    tile = T.alloc_shared((4096,), "float32", align=16)
    mine = T.alloc_local((4,), "float32")
    for i in T.serial(32):
        tile[i * 64 + t + (i * 64 + t) // 32 * <free>] = A[i * 64 + t]
    T.cuda.cta_sync()
    for i in T.serial(8):
        T.cuda.copy_128b(mine.ptr_to([0]), tile.ptr_to([t * 32 + i * 4 + t * <free>]))  # here
        T.cuda.copy_128b(B.ptr_to([t * 32 + i * 4]), mine.ptr_to([0]))
"""
# Complex numbers as two floats of one array: the real parts are read, then the others.
PAIRS = """@T.prim_func
def kernel(A: T.Buffer((2048,), "float32"), B: T.Buffer((1024,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([256])
    tile = T.alloc_shared((2048,), "float32")
    for i in T.serial(8):
        tile[i * 256 + t] = A[i * 256 + t]
    T.cuda.cta_sync()
    for i in T.serial(4):
        B[i * 256 + t] = tile[<real>] + tile[<other>]  # here
"""
BYTES = """@T.prim_func
def kernel(A: T.Buffer((64, 128), "uint8"), B: T.Buffer((64, 128), "uint8")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    tile = T.alloc_shared((64, <row>), "uint8")
    for i in T.serial(64):
        for j in T.serial(2):
            tile[i, j * 64 + t] = A[i, j * 64 + t]
    T.cuda.cta_sync()
    for j in T.serial(128):
        B[j // 2, j % 2 * 64 + t] = tile[t, j]  # here
"""
DIAGONAL = """@T.prim_func
def kernel(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([1024])
    tile = T.alloc_shared((32, 32), "float32")
    x: T.let = t % 32
    y: T.let = t // 32
    tile[y, <to>] = A[y, x]
    T.cuda.cta_sync()
    B[y, x] = tile[x, <from_>]  # here
"""

# ---- global memory ----

TRANSPOSED_STORE = """@T.prim_func
def kernel(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32")):
    T.device_entry()
    row = T.cta_id([128])
    t = T.thread_id([128])
    B[<at>] = A[row, t]  # here
"""
STRUCTURES = """@T.prim_func
def kernel(A: T.Buffer((<shape>), "float32"), B: T.Buffer((1024,), "float32")):
    T.device_entry()
    cta = T.cta_id([8])
    t = T.thread_id([128])
    i: T.let = cta * 128 + t
    B[i] = A[<at>]  # here
"""
BLOCKED = """@T.prim_func
def kernel(A: T.Buffer((4096,), "float32"), B: T.Buffer((4096,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    for i in T.serial(32):
        B[<at>] = A[<at>] * T.float32(2)  # here
"""
GATHER = """@T.prim_func
def kernel(A: T.Buffer((65536,), "float32"), B: T.Buffer((1024,), "float32")):
    T.device_entry()
    cta = T.cta_id([8])
    t = T.thread_id([128])
    i: T.let = cta * 128 + t
    B[i] = A[i * <factor> % 65536]  # here
"""
MISALIGNED = """@T.prim_func
def kernel(A: T.Buffer((64, <row>), "<dtype>"), B: T.Buffer((64, 128), "<dtype>")):
    T.device_entry()
    cta = T.cta_id([64])
    t = T.thread_id([128])
    B[cta, t] = A[cta, t + <first>]  # here
"""
ROW_EACH = """@T.prim_func
def kernel(A: T.Buffer((128, 64), "float32"), B: T.Buffer((128,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    lane: T.let = t % 32
    total: T.float32 = T.float32(0)
    for i in T.serial(64):
        total = total + A[<at>]  # here
    B[t] = total
"""
HALO = """@T.prim_func
def kernel(A: T.Buffer((66, 128), "float32"), B: T.Buffer((64, 128), "float32")):
    T.device_entry()
    cta = T.cta_id([8])
    t = T.thread_id([128])
    for i in T.serial(8):
        B[cta * 8 + i, t] = A[<above>] + A[<below>]  # here
"""
NARROW = """@T.prim_func
def kernel(A: T.Buffer((16384,), "<dtype>"), B: T.Buffer((16384,), "<dtype>")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    <body>
"""
ONE_BY_ONE = """for i in T.serial(128):
        B[i * 128 + t] = A[i * 128 + t]  # here"""
VECTORS = """for i in T.serial(16384 // 128 // <each>):
        T.cuda.copy_128b(B.ptr_to([(i * 128 + t) * <each>]), A.ptr_to([(i * 128 + t) * <each>]))  # here"""
TILE_WIDTH = """@T.prim_func
def kernel(A: T.Buffer((64, 128), "float16"), B: T.Buffer((64, 128), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    tile = T.alloc_shared((64, <row>), "float16", align=16)
    Tx.cta.copy(tile[:, 0:128], A[:, :])  # here
    T.cuda.cta_sync()
    Tx.cta.copy(B[:, :], tile[:, 0:128])
"""
TILE_OFFSET = """@T.prim_func
def kernel(A: T.Buffer((64, 160), "float16"), B: T.Buffer((64, 128), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    tile = T.alloc_shared((64, 128), "float16", align=16)
    Tx.cta.copy(tile[:, :], A[:, <first>:<last>])  # here
    T.cuda.cta_sync()
    Tx.cta.copy(B[:, :], tile[:, :])
"""

# ---- copies beside the threads ----

BULK = """@T.prim_func
def kernel(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    tile = T.alloc_shared((64, 64), "float32", align=128)
    arrived = T.alloc_shared([1], "uint64")
    if t == 0:
        T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
        T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), 64 * 64 * 4)
        for r in T.serial(64 // <rows>):
            T.ptx.cp_async_bulk_g2s_cta(tile.ptr_to([r * <rows>, 0]), A.ptr_to([r * <rows>, 0]), <rows> * 256, arrived.ptr_to([0]))  # here
    T.cuda.cta_sync()
    T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
    for i in T.serial(64):
        B[i, t] = tile[i, t]
"""
BOXES = """@T.prim_func
def kernel(A: T.Buffer((64, 64), "<dtype>"), B: T.Buffer((64, 64), "<dtype>")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    tile = T.alloc_shared((64, 64), "<dtype>", align=1024)
    arrived = T.alloc_shared([1], "uint64")
    if t == 0:
        T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
        T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), 64 * 64 * <bytes>)
        for r in T.serial(64 // <rows>):
            Tx.copy_async(tile[r * <rows> : r * <rows> + <rows>, :], A[r * <rows> : r * <rows> + <rows>, :], dispatch="tma", mbar=arrived.ptr_to([0]))  # here
    T.cuda.cta_sync()
    T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
    for i in T.serial(64):
        B[i, t] = tile[i, t]
"""
BOXES_OUT = """@T.prim_func
def kernel(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    tile = T.alloc_shared((64, 64), "float32", align=1024)
    for i in T.serial(64):
        tile[i, t] = A[i, t]
    T.ptx.fence.proxy_async("shared::cta")
    T.cuda.cta_sync()
    if t == 0:
        for r in T.serial(64 // <rows>):
            Tx.copy_async(B[r * <rows> : r * <rows> + <rows>, :], tile[r * <rows> : r * <rows> + <rows>, :], dispatch="tma")  # here
        T.ptx.cp_async.bulk.commit_group()
        T.ptx.cp_async.bulk.wait_group(0)
"""

# ---- atomics ----

ATOMICS = """@T.prim_func
def kernel(A: T.Buffer((4096,), "int32"), B: T.Buffer((<bins>,), "int32")):
    T.device_entry()
    cta = T.cta_id([8])
    t = T.thread_id([128])
    for i in T.serial(4):
        T.cuda.atomic_add(B.ptr_to([<at>]), A[(cta * 4 + i) * 128 + t])  # here
"""
SHARED_ATOMICS = """@T.prim_func
def kernel(A: T.Buffer((4096,), "int32"), B: T.Buffer((128,), "int32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    bins = T.alloc_shared((128,), "int32")
    bins[t] = 0
    T.cuda.cta_sync()
    for i in T.serial(32):
        T.cuda.atomic_add(bins.ptr_to([<at>]), A[i * 128 + t])  # here
    T.cuda.cta_sync()
    B[t] = bins[t]
"""

CONFLICTS = "wavefronts here, without bank conflicts"
SECTORS = "sectors of 32 bytes here"

KERNELS = (
    [Twins(f"{dtype} rows, {bits // 8} bytes a lane", WIDE_ROWS, dict(dtype=dtype, row=64, each=each, bits=bits), dict(dtype=dtype, row=row, each=each, bits=bits),
           "TW7001", CONFLICTS)
     for dtype, each, bits, row in (("float32", 2, 64, 66), ("float16", 8, 128, 72), ("float32", 4, 128, 68), ("uint8", 16, 128, 80), ("float16", 4, 64, 68))]
    + [Twins(f"{dtype} rows written, {bits // 8} bytes a lane", WIDE_WRITES, dict(dtype=dtype, row=64, each=each, bits=bits),
             dict(dtype=dtype, row=row, each=each, bits=bits), "TW7001", CONFLICTS)
       for dtype, each, bits, row in (("float32", 2, 64, 66), ("float16", 8, 128, 72))]
    + [
        Twins("ldmatrix of rows of 128 bytes", MATRICES, dict(row=64), dict(row=72), "TW7001", CONFLICTS),
        Twins("a fragment from a tile without swizzle", FRAGMENTS, dict(source="PLAIN", target="SWIZZLED", load="  # here", store=""),
              dict(source="SWIZZLED", target="SWIZZLED", load="  # here", store=""), "TW7001", CONFLICTS),
        Twins("stmatrix into a tile without swizzle", FRAGMENTS, dict(source="SWIZZLED", target="PLAIN", load="", store="  # here"),
              dict(source="SWIZZLED", target="SWIZZLED", load="", store="  # here"), "TW7001", CONFLICTS),
        Twins("elements 2 words apart", TREE, dict(step=2), dict(step=1), "TW7001", f"(?s){CONFLICTS}.*leave a word free after every 32"),
        Twins("elements 8 words apart", TREE, dict(step=8), dict(step=1), "TW7001", CONFLICTS),
        Twins("stretches of 128 bytes", STRETCHES, dict(free=0), dict(free=4), "TW7001", f"(?s){CONFLICTS}.*leave 16 bytes free after every 128"),
        Twins("a column each", OUTER, dict(row=32, at="t, k"), dict(row=32, at="k, t"), "TW7001", CONFLICTS),
        Twins("every fourth row", OUTER, dict(row=36, at="t // 4 * 4 + k % 4, t % 4 * 8"), dict(row=33, at="t, k"), "TW7001", CONFLICTS),
        Twins("interleaved pairs", PAIRS, dict(real="(i * 256 + t) * 2", other="(i * 256 + t) * 2 + 1"), dict(real="i * 256 + t", other="1024 + i * 256 + t"),
              "TW7001", CONFLICTS),
        Twins("columns of bytes", BYTES, dict(row=128), dict(row=132), "TW7001", CONFLICTS),
        Twins("a transposition without a rotation", DIAGONAL, dict(to="x", from_="y"), dict(to="(x + y) % 32", from_="(x + y) % 32"), "TW7001", CONFLICTS),
        Twins("a transposed store", TRANSPOSED_STORE, dict(at="t, row"), dict(at="row, t"), "TW7002", SECTORS),
        Twins("an array of structures", STRUCTURES, dict(shape="1024, 8", at="i, 3"), dict(shape="8, 1024", at="3, i"), "TW7002", SECTORS),
        Twins("a block of elements each", BLOCKED, dict(at="t * 32 + i"), dict(at="i * 128 + t"), "TW7002", SECTORS),
        Twins("a gather far apart", GATHER, dict(factor=2663), dict(factor=1), "TW7002", SECTORS),
        Twins("every second element", GATHER, dict(factor=2), dict(factor=1), "TW7002",
              "where the bytes in between are wanted, too, let each lane access 8 bytes at once"),
        Twins("rows of 129 halves", MISALIGNED, dict(dtype="float16", row=129, first=0), dict(dtype="float16", row=144, first=0), "TW7002",
              "begin at multiples of 2 bytes where a sector begins at multiples of 32"),
        Twins("rows of 132 halves", MISALIGNED, dict(dtype="float16", row=132, first=0), dict(dtype="float16", row=144, first=0), "TW7002",
              "begin at multiples of 8 bytes where"),
        Twins("a first element beside a sector", MISALIGNED, dict(dtype="float16", row=144, first=2), dict(dtype="float16", row=144, first=16), "TW7002",
              "begin at multiples of 4 bytes where"),
        Twins("a row each", ROW_EACH, dict(at="t, i"), dict(at="t // 32 * 32 + i // 2, i % 2 * 32 + lane"), "TW7002", SECTORS),
        Twins("columns of a stencil", HALO, dict(above="t % 64, cta * 8 + i", below="t % 64 + 2, cta * 8 + i"),
              dict(above="cta * 8 + i, t", below="cta * 8 + i + 2, t"), "TW7002", SECTORS),
    ]
    + [Twins(f"{dtype} one by one", NARROW, dict(dtype=dtype, body=ONE_BY_ONE), dict(dtype=dtype, body=VECTORS.replace("<each>", str(each))), "TW7003",
             "each lane accesses one element at a time: let it access 16 bytes")
       for dtype, each in (("float16", 8), ("uint8", 16), ("bfloat16", 8), ("int16", 8))]
    + [
        Twins("a tile copy with odd rows", TILE_WIDTH, dict(row=129), dict(row=136), "TW7003",
              "the copy moves 2 bytes: the rows of tile are 129 elements apart, and 16 bytes need a multiple of 8; 136 gives 16 bytes"),
        Twins("a tile copy from an odd column", TILE_OFFSET, dict(first=1, last=129), dict(first=16, last=144), "TW7003",
              "the copy moves 2 bytes: the region of A starts at 1, and 16 bytes need a multiple of 8"),
        Twins("bulk copies of one row", BULK, dict(rows=1), dict(rows=16), "TW7005", "copies of 256 bytes each start here"),
        Twins("bulk copies of two rows", BULK, dict(rows=2), dict(rows=64), "TW7005", "copies of 512 bytes each start here"),
        Twins("boxes of one row", BOXES, dict(dtype="float16", bytes=2, rows=1), dict(dtype="float16", bytes=2, rows=64), "TW7005", "copies of 128 bytes each"),
        Twins("boxes of two rows", BOXES, dict(dtype="float32", bytes=4, rows=2), dict(dtype="float32", bytes=4, rows=64), "TW7005", "copies of 512 bytes each"),
        Twins("boxes of one row, stored", BOXES_OUT, dict(rows=1), dict(rows=64), "TW7005", "copies of 256 bytes each"),
        Twins("a sum by atomics", ATOMICS, dict(bins=32, at="0"), dict(bins=4096, at="(cta * 4 + i) * 128 + t"), "TW7006", "of one warp reach one address"),
        Twins("four counters", ATOMICS, dict(bins=32, at="t % 4"), dict(bins=4096, at="(cta * 4 + i) * 128 + t"), "TW7006", "of one warp reach one address"),
        Twins("a shared counter", SHARED_ATOMICS, dict(at="0"), dict(at="t"), "TW7006", "of one warp reach one address"),
    ]
)
