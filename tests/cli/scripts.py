"""Scripts that several tests of the command line use."""

GOOD = '''\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float32")
    B = T.match_buffer(B_ptr, (32, 32), "float32")
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    A_smem = T.alloc_buffer((32, 32), "float32", scope="shared", layout=TileLayout(S[32, 32]))
    Tx.warp.copy(A_smem[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(B[:, :], A_smem[:, :])
'''
CONFIGS = """\
from tvm.script import tirx as T
def get_kernel(n):
    @T.prim_func
    def kernel(A: T.Buffer((n,), "float32")):
        T.device_entry()
        t = T.thread_id([n])
        A[t] = 1.0
    return kernel
CONFIGS = [{"label": "small", "n": 32}, {"label": "large", "n": 64}]
"""
FALLBACK = GOOD.replace("32, 32", "10, 10")
BAD = GOOD.replace("Tx.warp.copy(B[:, :], A_smem[:, :])", "Tx.warp.copy(B[:, :], nothing[:, :])")
SYNTAX = GOOD.replace("Tx.warp.copy(B[:, :], A_smem[:, :])", "Tx.warp.copy(B[:, :], A_smem[:, ")
FACTORY = '''\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

def make(rows, columns, dtype="float16"):
    @T.prim_func
    def tile(A_ptr: T.handle):
        A = T.match_buffer(A_ptr, (rows, columns), dtype)
        T.device_entry()
        T.cta_id([1])
        T.thread_id([128])
        A_smem = T.alloc_buffer((rows, columns), dtype, scope="shared", layout=TileLayout(S[rows, columns]))
        Tx.cta.copy(A_smem[:, :], A[:, :])
    return tile
'''
COPY = """\
from tvm.script import tirx as T

@T.prim_func
def plain(A_ptr: T.handle, B_ptr: T.handle):
    n = T.int32()
    A = T.match_buffer(A_ptr, (n,), "float32")
    B = T.match_buffer(B_ptr, (n,), "float32")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial(n):
        B[i] = A[i]

# tilewright: reference plain
@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    n = T.int32()
    A = T.match_buffer(A_ptr, (n,), "float32")
    B = T.match_buffer(B_ptr, (n,), "float32")
    T.device_entry()
    block = T.cta_id([(n + 63) // 64])
    thread = T.thread_id([64])
    i: T.let = block * 64 + thread
    if i < n:
        B[i] = A[i]
"""
TURNS = """\
from tvm.script import tirx as T


# tilewright: sequence first then second
@T.prim_func
def first(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([4])
    B[i] = A[i]


# tilewright: reference expected
@T.prim_func
def second(B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    T.device_entry()
    half = T.cta_id([2])
    i = T.thread_id([2])
    C[half * 2 + i] = B[half * 2 + i]


@T.prim_func
def expected(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([4])
    B[i] = A[i]
    C[i] = A[i]
"""
STAGED = """\
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def plain(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([128])
    for i in range(32):
        B[tx // 2, tx % 2 * 32 + i] = A[tx // 2, tx % 2 * 32 + i]

# tilewright: reference plain
@T.prim_func
def staged(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([128])
    smem = T.alloc_shared((64, 64), "float16")
    Tx.cta.copy_async(smem[:, :], A[:, :], dispatch="ldgsts")
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
    T.cuda.cta_sync()
    Tx.cta.copy(B[:, :], smem[:, :])
"""
# Each thread reads what others have copied.
TURNED = STAGED.replace("    Tx.cta.copy(B[:, :], smem[:, :])\n",
                        "    for i in range(32):\n        B[tx % 64, tx // 64 * 32 + i] = smem[tx % 64, tx // 64 * 32 + i]\n")
RACY = TURNED.replace("    T.cuda.cta_sync()\n", "")
WISHES = """from tvm.script import tirx as T


# tilewright: run scale reference=plain A=random(seed=7) B=poison n=100
# tilewright: run scale A=arange expected.B=doubled.npy n=4
@T.prim_func
def scale(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    T.device_entry()
    bx = T.cta_id([(n + 127) // 128])
    t = T.thread_id([128])
    if bx * 128 + t < n:
        B[bx * 128 + t] = A[bx * 128 + t] * T.float32(2.0)


@T.prim_func
def plain(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in range(n):
        B[i] = A[i] + A[i]
"""
