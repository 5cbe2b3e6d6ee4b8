# Accesses beyond their buffers, where ranges prove them: a warning that names the block, the thread or the round. What a
# condition keeps inside, and what cannot be known, is silent.
#--- regions of tile primitives  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def strides(A: T.Buffer((128, 64), "float16")):
    T.device_entry()
    bx = T.cta_id([2])
    tid = T.thread_id([128])
    S = T.alloc_shared((64, 64), "float16")
    Tx.cta.copy(S[:, :], A[bx * 128 : bx * 128 + 64, :])
#                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3121]: A has 128 rows, and this region reaches row 191 where bx is 1
#   hint: let it end where the buffer ends: fewer blocks or rounds, another stride, or a guard around the call
    Tx.cta.copy(S[:, :], A[bx * 64 : bx * 64 + 64, :])
    Tx.cta.copy(A[bx * 64 + 1 : bx * 64 + 65, :], S[:, :])
#               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3121]: A has 128 rows, and this region reaches row 128 where bx is 1
#   hint: let it end where the buffer ends: fewer blocks or rounds, another stride, or a guard around the call

@T.prim_func
def rounds(A: T.Buffer((128, 64), "float16")):
    T.device_entry()
    bx = T.cta_id([2])
    tid = T.thread_id([128])
    S = T.alloc_shared((32, 16), "float16")
    for k in range(4):
        for r in T.unroll(3):
            first: T.let = bx * 64 + r * 32
            Tx.cta.copy(S[:, :], A[first : first + 32, k * 16 : k * 16 + 16])
#                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3121]: A has 128 rows, and this region reaches row 159 where first is 128
#   hint: let it end where the buffer ends: fewer blocks or rounds, another stride, or a guard around the call
            Tx.cta.copy(S[:, :], A[bx * 64 : bx * 64 + 32, k * 16 - 16 : k * 16])
#                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3121]: A has 64 elements in dimension 1, and this region reaches element -16 where k is 0
#   hint: let it end where the buffer ends: fewer blocks or rounds, another stride, or a guard around the call

#--- regions with conditions on the way  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def guarded(A: T.Buffer((100, 64), "float16"), n: T.int32):
    T.device_entry()
    bx = T.cta_id([T.ceildiv(100, 64)])
    warp = T.warp_id([4])
    S = T.alloc_shared((64, 64), "float16")
    if bx == 0:
        Tx.cta.copy(S[:, :], A[bx * 64 : bx * 64 + 64, :])
    if bx * 64 + 64 <= 100:
        Tx.cta.copy(S[:, :], A[bx * 64 : bx * 64 + 64, :])
    if n > 7:
        Tx.cta.copy(S[:, :], A[bx * 64 : bx * 64 + 64, :])
    if warp == 2:
        Tx.warp.copy(S[:, :], A[bx * 64 : bx * 64 + 64, :])
#                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3121]: A has 100 rows, and this region reaches row 127 where bx is 1
#   hint: let it end where the buffer ends: fewer blocks or rounds, another stride, or a guard around the call
    if bx < 1:
        Tx.cta.copy(S[:, :], A[bx * 64 : bx * 64 + 64, :])
    else:
        Tx.cta.copy(S[:, :], A[bx * 64 : bx * 64 + 64, :])
#                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3121]: A has 100 rows, and this region reaches row 127 where bx is 1
#   hint: let it end where the buffer ends: fewer blocks or rounds, another stride, or a guard around the call

#--- single elements  [cuda]
from tvm.script import tirx as T

@T.prim_func
def elements(A: T.Buffer((100,), "float32"), B: T.Buffer((4, 25), "float32"), n: T.int32):
    T.device_entry()
    bx = T.cta_id([2])
    tid = T.thread_id([64])
    i: T.let = bx * 64 + tid
    A[i] = 1.0
#   ^^^^ warning[TW3121]: A has 100 elements, and this is element 127 where i is 127
#   hint: guard the access, or make the buffer larger
    if i < 100:
        A[i] = A[i] + 1.0
    A[i] = T.if_then_else(i < 100, A[i], T.float32(0))
#   ^^^^ warning[TW3121]: A has 100 elements, and this is element 127 where i is 127
#   hint: guard the access, or make the buffer larger
    if i < n:
        A[i] = 2.0
    if tid < 36:
        A[i] = 3.0
    if tid < 37:
        A[i] = 4.0
#       ^^^^ warning[TW3121]: A has 100 elements, and this is element 100 where i is 100
#   hint: guard the access, or make the buffer larger
    B[0, tid] = 5.0
    B[2, tid] = B[1, tid]
#   ^^^^^^^^^ warning[TW3121]: dimension 1 of B has 25 elements, and this is B[2, 63] where tid is 63
#   hint: guard the access, or make the buffer larger
    B[0, tid - 1] = 6.0
#   ^^^^^^^^^^^^^ warning[TW3121]: dimension 1 of B has 25 elements, and this is B[0, -1] where tid is 0
#   hint: guard the access, or make the buffer larger
    for k in range(tid, 100, 64):
        A[k] = 7.0
    for k in range(tid, 164, 64):
        A[k] = 8.0
#       ^^^^ warning[TW3121]: A has 100 elements, and this is element 127 where k is 127
#   hint: guard the access, or make the buffer larger

@T.prim_func
def leaves(A: T.Buffer((100,), "float32")):
    T.device_entry()
    tid = T.thread_id([128])
    if tid >= 100:
        T.thread_return()
    A[tid] = 1.0
    A[tid + 1] = 1.0
#   ^^^^^^^^^^ warning[TW3121]: A has 100 elements, and this is element 100 where tid is 99
#   hint: guard the access, or make the buffer larger

@T.prim_func
def stops(A: T.Buffer((100,), "float32")):
    T.device_entry()
    tid = T.thread_id([128])
    for k in range(200):
        if k >= 100:
            break
        A[k] = 1.0
    i: T.int32 = tid
    A[i] = 1.0
    while i < 100:
        A[i] = 2.0
        i = i + 128

#--- threads by their other names  [cuda]
from tvm.script import tirx as T

@T.prim_func
def names(A: T.Buffer((100,), "float32")):
    T.device_entry()
    warp = T.warp_id([4])
    lane = T.lane_id([32])
    if warp == 3:
        A[warp * 32 + lane] = 1.0
#       ^^^^^^^^^^^^^^^^^^^ warning[TW3121]: A has 100 elements, and this is element 127 where warp is 3 and lane is 31
#   hint: guard the access, or make the buffer larger
    if warp < 3:
        A[warp * 32 + lane] = 2.0
    if lane < 4:
        A[warp * 32 + lane] = 3.0
    if warp == 3:
        if T.ptx.elect_sync():
            A[warp * 32 + lane] = 4.0
    if warp == 3:
        if T.ptx.elect_sync():
            A[warp * 40] = 5.0
#           ^^^^^^^^^^^^ warning[TW3121]: A has 100 elements, and this is element 120 where warp is 3
#   hint: guard the access, or make the buffer larger

#--- the tensor unit leaves out what lies outside  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def boxes(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (100, 64), "float16")
    T.device_entry()
    bx = T.cta_id([2])
    tid = T.thread_id([128])
    S = T.alloc_shared((64, 64), "float16")
    bar = T.alloc_shared((1,), "uint64")
    if tid == 0:
        Tx.copy_async(S[:, :], A[bx * 64 : bx * 64 + 64, :], dispatch="tma", mbar=bar.ptr_to([0]))

#--- views beyond their storage  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, laneid

@T.prim_func
def views(A: T.Buffer((128, 64), "float16")):
    T.device_entry()
    warp = T.warp_id([4])
    lane = T.lane_id([32])
    r = T.alloc_local((4,), "float16")
    twice = T.decl_buffer((8,), "float16", data=r.data, scope="local")
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3121]: the view twice reaches 16 bytes, and r that it looks at has 8 bytes
#   hint: a view has as many elements as its buffer; make r larger, or the view smaller
    spread = r.view(4, layout=TileLayout(S[(4,) : (2,)]))
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3121]: the view spread reaches 14 bytes, and r that it looks at has 8 bytes
#   hint: a view has as many elements as its buffer; make r larger, or the view smaller
    wide = r.view(8, layout=TileLayout(S[(8,) : (1,)]))
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3121]: the view wide reaches 16 bytes, and r that it looks at has 8 bytes
#   hint: a view has as many elements as its buffer; make r larger, or the view smaller
    same = r.view(2, 2)
    pairs = r.view("float32")
    tile = r.view(32, 4, layout=TileLayout(S[(32, 4) : (1 @ laneid, 1)]))
    large = r.view(32, 8, layout=TileLayout(S[(32, 8) : (1 @ laneid, 1)]))
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3121]: the view large reaches 16 bytes, and r that it looks at has 8 bytes
#   hint: a view has as many elements as its buffer; make r larger, or the view smaller
    own = T.alloc_local((1, 64), "float16", layout=TileLayout(S[(32, 64) : (64, 1)]))
    row = own.view(64)
    row[63] = A[0, 0] + twice[6] + spread[3] + wide[6] + same[1, 1]
    pairs[1] = T.float32(row[63])
    Tx.warp.copy(tile[:, :], A[0:32, 0:4])
    Tx.warp.copy(large[:, :], A[0:32, 0:8])

#--- copies that every thread makes  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def whole(A: T.Buffer((256, 64), "float16")):
    T.device_entry()
    bx = T.cta_id([4])
    warp = T.warp_id([4])
    lane = T.lane_id([32])
    tid = T.thread_id([128])
    S = T.alloc_shared((64, 64), "float16")
    r = T.alloc_local((8,), "float16")
    Tx.copy(S[:, :], A[bx * 64 : bx * 64 + 64, :])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3122]: each of 128 threads copies the whole tile
#   hint: copy it together: Tx.cta.copy
    if warp == 0:
        Tx.copy(S[:, :], A[bx * 64 : bx * 64 + 64, :])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3122]: each of 32 threads copies the whole tile
#   hint: copy it together: Tx.warp.copy
    if tid == 0:
        Tx.copy(S[:, :], A[bx * 64 : bx * 64 + 64, :])
    Tx.copy(S[tid // 2, tid % 2 * 32 : tid % 2 * 32 + 32], A[tid // 2, tid % 2 * 32 : tid % 2 * 32 + 32])
    Tx.copy(r[:], A[0, 0:8])
    Tx.copy(S[lane, 0:8], r[:])
    for k in range(lane, 64, 32):
        Tx.copy(S[k, 0:8], A[k, 0:8])
    for k in range(64):
        Tx.copy(S[k, 0:8], A[k, 0:8])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3122]: each of 128 threads copies the whole tile
#   hint: copy it together: Tx.cta.copy

#--- an index beyond its own dimension  [cuda]
from tvm.script import tirx as T

@T.prim_func
def rows(A: T.Buffer((2, 4, 64), "float32"), B: T.Buffer((2, 4, 64), "float32")):
    T.device_entry()
    tid = T.thread_id([64])
    for i in T.serial(5):
        A[0, i, tid] = 1.0
#       ^^^^^^^^^^^^ warning[TW3121]: dimension 1 of A has 4 elements, and this index reaches 4 where i is 4
#   hint: such an index names an element of another row: exchange the indices, or guard the access
        A[0, tid % 4, i * 16] = 1.0
#       ^^^^^^^^^^^^^^^^^^^^^ warning[TW3121]: dimension 2 of A has 64 elements, and this index reaches 64 where i is 4
#   hint: such an index names an element of another row: exchange the indices, or guard the access
        if i < 4:
            A[0, i, tid] = 2.0
    for i in T.serial(8):
        # Rows counted on purpose.
        B[0, 0, i * 64] = B[0, i, 0]
