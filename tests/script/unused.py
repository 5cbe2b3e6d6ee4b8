# What a kernel makes and does not use.
#--- buffers, scalars and bound values  [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (32, 32), "float16")
    B = T.match_buffer(b, (32, 32), "float16")
    T.device_entry()
    bx = T.cta_id([1])
    warp = T.warp_id([1])
    lane = T.lane_id([32])
    pool = T.SMEMPool()
    P = pool.alloc((64,), "float16")
#   ^ warning[TW2301]: the buffer 'P' is never used
#   hint: remove it, or begin its name with '_'
    full = T.MBarrier(pool, 1)
    pool.commit()
    V = A.view(1024)
#   ^ warning[TW2301]: the buffer 'V' is never used
#   hint: remove it, or begin its name with '_'
    S = T.alloc_shared((32, 32), "float16")
#   ^ warning[TW2301]: the buffer 'S' is never used
#   hint: remove it, or begin its name with '_'
    L = T.alloc_local((4,), "float16")
    _kept = T.alloc_local((4,), "float16")
    L[0] = T.float16(1)
    x = lane + 1
#   ^ warning[TW2301]: 'x' is never used
#   hint: remove it, or begin its name with '_'
    bound: T.let = lane * 2
#   ^^^^^ warning[TW2301]: 'bound' is never used
#   hint: remove it, or begin its name with '_'
    never: T.int32
#   ^^^^^ warning[TW2301]: 'never' is never used
#   hint: remove it, or begin its name with '_'
    constant = T.meta_var(5)
    n, m = T.meta_var((1, 2))
    for i in range(4):
        inner = i
#       ^^^^^ warning[TW2301]: 'inner' is never used
#   hint: remove it, or begin its name with '_'
        A[lane, i] = A[lane, 1]

#--- written, and never read  [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(a: T.handle):
    A = T.match_buffer(a, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    lane = T.lane_id([32])
    last: T.int32 = 0
#   ^^^^ warning[TW2301]: 'last' is written but never read
#   hint: remove it, or begin its name with '_'
    count = 0
#   ^^^^^ warning[TW2301]: 'count' is written but never read
#   hint: remove it, or begin its name with '_'
    total = 0
    for i in range(4):
        last = i
        count += 1
        total = total + 1
        A[lane, i] = A[lane, 1]

#--- used by a shape, an address, a branch, a tile primitive, an inline, a macro  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.inline
def bump(dst):
    dst[0] = dst[0] + T.float32(1)

@T.macro(hygienic=False)
def store():
    A[lane, 0] = hidden

@T.prim_func
def k(a: T.handle):
    A = T.match_buffer(a, (32, 32), "float32")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    lane = T.lane_id([32])
    T.thread_id([32])
    tile = T.alloc_shared((32, 32), "float32")
    offset = lane + 1
    taken = lane > 2
    word = T.alloc_shared((1,), "uint32")
    shaped = T.alloc_local((8,), "float32")
    inlined = T.alloc_local((1,), "float32")
    hidden = T.float32(1)
    inlined[0] = T.float32(0)
    bump(inlined)
    for i in range(shaped.shape[0]):
        if taken:
            A[lane, i] = A[lane, offset % 32]
    store()
    Tx.warp.copy(tile[:, :], A[:, :])
    T.evaluate(T.address_of(word[0]))

#--- not in the one kernel, but in the other  [cuda]
from tvm.script import tirx as T

def make(flag):
    @T.prim_func
    def k(a: T.handle):
        A = T.match_buffer(a, (32, 32), "float16")
        T.device_entry()
        T.cta_id([1])
        T.warp_id([1])
        lane = T.lane_id([32])
        x = lane + 1
        y = lane + 2
#       ^ warning[TW2301]: 'y' is never used
#   hint: remove it, or begin its name with '_'
        if flag:
            A[lane, 0] = A[lane, x % 2]
        A[lane, 1] = T.float16(2)
    return k

one = make(True)
two = make(False)

#--- in an inlined function, and silenced  [cuda]
from tvm.script import tirx as T

@T.inline
def helper(dst):
    junk: T.int32 = 4
#   ^^^^ warning[TW2301]: 'junk' is never used
#   hint: remove it, or begin its name with '_'
    dst[0] = T.float32(1)

@T.prim_func
def k(a: T.handle):
    A = T.match_buffer(a, (32,), "float32")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    T.lane_id([32])
    helper(A)
    helper(A)
    spare = T.alloc_local((4,), "float32")  # tilewright: ignore[TW2301]

#--- silent while something cannot be read  [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(a: T.handle):
    A = T.match_buffer(a, (32,), "float32")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    lane = T.lane_id([32])
    x = lane + 1
    A[lane] = (A[
#             ^ error[TW1001]: unclosed '('

#--- silent while the kernel has errors  [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(a: T.handle):
    A = T.match_buffer(a, (32,), "float32")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    lane = T.lane_id([32])
    x = lane + 1
    A[lane] = missing
#             ^^^^^^^ error[TW2002]: name 'missing' is not defined
