# What published kernels and the reference's own tests lean on, beyond single rules.
#--- events that are profiled  [print] [cuda]
from enum import Enum, IntEnum
from tvm.script import tirx as T
from tvm.tirx.bench import CudaProfiler

class Event(Enum):
    Load = 0
    Math = 3

class Step(IntEnum):
    First = 1

@T.prim_func
def always(A: T.Buffer((128,), "float32"), marks: T.Buffer((1024,), "uint64")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    profiler = CudaProfiler(marks, write_stride=128, num_groups=2, default_leader=t == 32)
    profiler.init(t // 64)
    profiler.start(Event.Math, t == 0)
    A[t] = T.float32(1)
    profiler.end(Event.Math)
    profiler.start(Step.First, False)
    profiler.finalize()

@T.prim_func
def never(A: T.Buffer((128,), "float32"), marks: T.Buffer((1024,), "uint64")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    profiler = CudaProfiler(marks, 128, 1, profiler_enabled=False)
    profiler.init(0)
    profiler.start(Event.Load, t == 0)
    A[t] = T.float32(1)
    profiler.end(Event.Load, t == 0)
    profiler.finalize(t == 0)

@T.prim_func
def perhaps(A: T.Buffer((128,), "float32"), marks: T.Buffer((1024,), "uint64"), on: T.int32):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    profiler = CudaProfiler(marks, 128, 1, profiler_enabled=on != 0)
    profiler.init(0)
    A[t] = T.float32(1)
#| @T.prim_func
#| def always(A: T.Buffer((128,), "float32"), marks: T.Buffer((1024,), "uint64")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     t = T.thread_id([128])
#|     profiler_profiler_tag = T.alloc_local((1,), "uint64", align=8)
#|     profiler_profiler_write_offset = T.alloc_local((1,), "uint32", align=8)
#|     T.cuda.timer_init(marks.data, profiler_profiler_tag.data, profiler_profiler_write_offset.data, T.uint32(2), T.Cast("uint32", t // 64))
#|     T.cuda.timer_start(3, marks.data, profiler_profiler_tag.data, profiler_profiler_write_offset.data, T.uint32(128), t == 0)
#|     A[t] = T.float32(1.0)
#|     T.cuda.timer_end(3, marks.data, profiler_profiler_tag.data, profiler_profiler_write_offset.data, T.uint32(128), t == 32)
#|     T.cuda.timer_start(1, marks.data, profiler_profiler_tag.data, profiler_profiler_write_offset.data, T.uint32(128), T.bool(False))
#|     T.cuda.timer_finalize(marks.data, profiler_profiler_tag.data, profiler_profiler_write_offset.data, T.uint32(128), t == 32)
#| @T.prim_func
#| def never(A: T.Buffer((128,), "float32"), marks: T.Buffer((1024,), "uint64")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     t = T.thread_id([128])
#|     profiler_profiler_tag = T.alloc_local((1,), "uint64", align=8)
#|     profiler_profiler_write_offset = T.alloc_local((1,), "uint32", align=8)
#|     A[t] = T.float32(1.0)
#| @T.prim_func
#| def perhaps(A: T.Buffer((128,), "float32"), marks: T.Buffer((1024,), "uint64"), on: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     t = T.thread_id([128])
#|     profiler_profiler_tag = T.alloc_local((1,), "uint64", align=8)
#|     profiler_profiler_write_offset = T.alloc_local((1,), "uint32", align=8)
#|     if on != 0:
#|         T.cuda.timer_init(marks.data, profiler_profiler_tag.data, profiler_profiler_write_offset.data, T.uint32(1), T.uint32(0))
#|     A[t] = T.float32(1.0)

#--- scale factors as plain bytes in shared memory  [cuda] [arch sm_100a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.cuda.operator.tile_primitive.gemm_async.tcgen05 import sf_smem_layout, sf_tmem_layout

@T.prim_func
def k(A: T.Buffer((128, 16), "uint8", layout=sf_smem_layout(128, 16, sf_per_mma=4))):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    address = T.alloc_shared([1], "uint32")
    staged = T.alloc_shared((128, 16), "uint8", layout=sf_smem_layout(128, SF_K=16, sf_per_mma=4))
    cells = T.decl_buffer((128, 16), "float8_e4m3fn", scope="tmem", allocated_addr=address[0],
                          layout=sf_tmem_layout(128, 16, 4))
    if t == 0:
        Tx.copy_async(cells[:, :], staged[:, :], cta_group=2)
    Tx.cta.copy(staged[:, :], A[:, :])

@T.prim_func
def refused(A: T.Buffer((128, 16), "uint8", layout=sf_smem_layout(100, 16, sf_per_mma=4))):
#                                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: scale factors: rows 100 are no multiple of 128
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    address = T.alloc_shared([1], "uint32")
    staged = T.alloc_shared((128, 16), "uint8", layout=sf_smem_layout(128, 16, 4))
    cells = T.decl_buffer((128, 16), "float16", scope="tmem", allocated_addr=address[0], layout=sf_tmem_layout(128, 16, 4))
    if t == 0:
        Tx.copy_async(cells[:, :], staged[:, :])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope: element types differ: uint8 to float16
#   hint: both sides have one type: declare cells as uint8, or convert with Tx.cast

#--- a scalar keeps its type where its value failed
import torch
from tvm.script import tirx as T

n = torch.zeros(1)

@T.prim_func
def k(A: T.Buffer((n, 64), "float32"), B: T.Buffer((128,), "float32")):
#                 ^^^^^^^ error[TW2007]: the shape is not known here: it comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    x: T.float32
    x = A[0, 0]
    x = n
#       ^ error[TW2007]: a value is not known here: it comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    B[t] = x
    x = B[t]
    y: T.float32 = A[0, 0]
    y = B[0]
    B[t] = y

#--- what other conditions say does not matter where a role decides  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((128, 32), "float16"), n: T.int32, flags: T.Buffer((256,), "int32")):
    T.device_entry()
    rank = T.cta_id_in_cluster([2])
    T.cta_id([2])
    tid = T.thread_id([256])
    T.lane_id([32])
    T.thread_id_in_wg([128])
    T.warpgroup_id([2])
    warp = T.warp_id([8])
    s = T.alloc_buffer((128, 32), "float16", scope="shared")
    if (warp == 0) & (rank == 0):
        T.evaluate(0)
    elif warp >= 4:
        Tx.wg.copy(s[:, :], A[:, :])
    if (warp == 1) & (rank == 1) & (T.ptx.elect_sync() != 0):
        T.evaluate(0)
    elif warp >= 4:
        Tx.wg.copy(s[:, :], A[:, :])
    if (tid < 32) & (flags[tid] == n):
        T.evaluate(0)
    elif warp >= 4:
        Tx.wg.copy(s[:, :], A[:, :])
    if (warp >= 4) | (flags[tid] == n):
        if warp >= 4:
            Tx.wg.copy(s[:, :], A[:, :])
    if (warp == 5) & (rank == 0):
        T.evaluate(0)
    elif warp >= 4:
        Tx.wg.copy(s[:, :], A[:, :])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy serves this call at warpgroup scope
#|    gmem_smem, fallback  rejected: only some threads of the warpgroup pass `not ((warp == 5) & (rank == 0))`
#|    ldstmatrix, reg      rejected: source is global and destination shared
#   hint: let all threads of the warpgroup reach the call: move it out of `if not ((warp == 5) & (rank == 0))`
    if (tid < 160) & (flags[tid] == n):
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[TW3012]: `not ((tid < 160) & (flags[tid] == n))` is taken to be the same in all threads of a warpgroup, which copy inside relies on
        T.evaluate(0)
    elif warp >= 4:
        Tx.wg.copy(s[:, :], A[:, :])

#--- what a factory failed of is said once
from tvm.script import tirx as T

def checked(n):
    if n > 4:
        raise ValueError("n too large")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: n too large
    return n

def make(n):
    checked(n)
    @T.prim_func
    def k(A: T.Buffer((n,), "float32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([n])
        A[t] = T.float32(0)
    return k

kernels = {"a": make(8)}

@T.jit
def sized(A: T.Buffer((8,), "float32"), *, n: T.constexpr):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([n])
    A[t] = T.float32(0)

s = sized.specialize(m=3)
#   ^^^^^^^^^^^^^^^^^^^^^ error[TW2114]: specialize() needs a value for 'n'

def other(n):
#   ^^^^^ information[TW2202]: the kernel in other(n) needs arguments to be compiled
#   hint: name some in a comment: # tilewright: entry other(n)
    @T.prim_func
    def k(A: T.Buffer((n,), "float32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([n])
        A[t] = T.float32(0)
    return k

#--- launches that miss what failed  [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((8,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([sise])
#                    ^^^^ error[TW2002]: name 'sise' is not defined
    w = T.warp_id()
    A[t] = 0.0

@T.prim_func
def l(A: T.Buffer((8,), "float32")):
    T.device_entry()
    T.cta_id([1])
#   ^^^^^^^^^^^^^ error[TW3004]: the kernel has no thread launch parameters
#   hint: declare thread_id([n]), or warp_id([n])
    A[0] = 0.0

#--- kernels that another package makes
import tile.lang as TL
import triton
import triton.language as tl
from elsewhere import tirx as T
from elsewhere.dsl import prim_func

@T.prim_func
# @1:2-1:13 information[TW2119]: first and 2 more are not checked: T.prim_func is not known here, it comes from the module 'elsewhere'
def first(A: T.Buffer((8,), "float32")):
    T.device_entry()

def make(n):
    @T.prim_func
    def second(A: T.Buffer((8,), "float32")):
        T.device_entry()
    return second

K = make(3)
L = make(4)

@T.prim_func(private=True)
def third(A):
    pass

@prim_func
# @1:2-1:11 information[TW2119]: fourth is not checked: prim_func is not known here, it comes from the module 'elsewhere'
def fourth(A):
    pass

@TL.jit
# @1:2-1:8 information[TW2119]: fifth is not checked: TL.jit is not known here, it comes from the module 'tile'
def fifth(A: TL.Buffer((8,), "float32")):
    pass

@triton.jit
def none_of_ours(A, n: tl.constexpr):
    pass

#--- the dialect under the parser's name  [print]
from tvm.script.parser import ir as I
from tvm.script.parser import tirx as T
from tvm.script.parser.tirx import TYPE_CHECKING, Buffer, _operation, prim_func
from tvm.tirx.script.parser import device_entry
import tvm.script.parser.tirx as P

@T.prim_func
def k(A: T.Buffer((8,), "float32")):
    device_entry()
    T.cta_id([1])
    t = P.thread_id([8])
    A[t] = 0.0

@prim_func
def l(A: Buffer((8,), "float32")):
    T.evaluate(0)

@I.ir_module
class M:
    @T.prim_func
    def m(A: T.Buffer((8,), "float32")):
        T.evaluate(0)
#| @T.prim_func
#| def k(A: T.Buffer((8,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     t = T.thread_id([8])
#|     A[t] = T.float32(0.0)
#| @T.prim_func
#| def l(A: T.Buffer((8,), "float32")):
#|     T.evaluate(0)
#| @T.prim_func
#| def m(A: T.Buffer((8,), "float32")):
#|     T.evaluate(0)

#--- a condition of the indices
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k():
    T.device_entry()
    A = T.alloc_buffer([10, 10], "float32")
    B = T.alloc_buffer([10, 10], "float32")
    Tx.select(B, A, 1.0, lambda i, j: i < j)
    Tx.select(B, A, 1.0, "i < j")
#                        ^^^^^^^ error[TW2108]: 'pred' of Tx.select cannot be str: a buffer or a region is needed
    Tx.add(B, A, lambda i, j: i < j)
#                ^^^^^^^^^^^^^^^^^^ error[TW2004]: this operand must be a number or an expression, not a function

#--- a block smaller than a warp  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((8, 256), "float16"), B: T.Buffer((8, 256), "float16")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([8])
    s = T.alloc_shared((8, 256), "float16")
    Tx.cta.copy(s[:, :], A[:, :])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3106]: copy/fallback: global -> shared at cta scope goes element by element through one thread
#   hint: a CTA of 8 threads is no whole number of warps: launch a multiple of 32
    Tx.cta.copy(B[:, :], s[:, :])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3106]: copy/fallback: shared -> global at cta scope goes element by element through one thread
#   hint: a CTA of 8 threads is no whole number of warps: launch a multiple of 32

#--- a function imports from where it stands
from tvm.script import tirx as T
from package.inner.spec import build

K = build(32)
L = build(none=1)
# @package/inner/spec.py error[TW2203]: there is no module '.kernal'
#   hint: did you mean kernel?
#--- file package/__init__.py
#--- file package/inner/__init__.py
#--- file package/inner/spec.py
def build(n=8, none=0):
    from .kernel import make
    from . import kernel
    if none:
        from .kernal import make
    return make(n) or kernel.make(n)
#--- file package/inner/kernel.py
from tvm.script import tirx as T

def make(n):
    @T.prim_func
    def k(A: T.Buffer((n,), "float32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([n])
        A[t] = T.float32(0)
    return k

#--- values still compare after a limit
from tvm.script import tirx as T

def count():
    total = 0
    while total < 100_000_000:
#                 ^^^^^^^^^^^ information[TW2009]: the script takes more than 20000000 steps
#   hint: look for a loop that does not end, or raise the limit in tilewright.toml
        total += 1
    return total

much = count()

def get_kernel(**config):
    kind = config["kind"]
    if kind != "copy" or {"kind": 1}.get("kind") != 1:
        raise ValueError("unknown kind " + kind)

    @T.prim_func
    def k(A: T.Buffer((32,), "float32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([32])
        A[t] = T.float32(0)

    return k

CONFIGS = [{"kind": "copy"}]

#--- kernels of other packages are not checked, and that is said
import jax
import tilelang
import triton
import triton.language as tl
from numba import cuda

@triton.jit
# @1:2-1:12 information[TW2119]: add is not checked: triton.jit is not known here, it comes from the module 'triton'
def add(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)

@cuda.jit
# @1:2-1:10 information[TW2119]: copy is not checked: cuda.jit is not known here, it comes from the module 'numba'
def copy(a, b):
    b[cuda.grid(1)] = a[cuda.grid(1)]

@tilelang.jit(out_idx=[-1])
# @1:2-1:28 information[TW2119]: matmul is not checked: tilelang.jit is not known here, it comes from the module 'tilelang'
def matmul(M):
    return M

@jax.jit
def plain(x):
    return x
