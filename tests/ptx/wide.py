# tilewright: dialect 0.27
# tilewright: arch sm_90a
# tilewright: entry wide
# tilewright: run wide reference=expected U=zeros A=random(seed=1)
"""Values of 128 bits, packed atomics and copies of a part in 0.27."""
from tvm.script import tirx as T


@T.prim_func
def wide(A: T.Buffer((32, 4), "uint32"), U: T.Buffer((32, 32), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    S = T.alloc_shared([256], "uint32", align=128)
    H = T.alloc_shared([32], "uint32", align=128)
    bar = T.alloc_shared([1], "uint64")
    v: T.uint128
    w: T.uint128
    a: T.uint32
    b: T.uint32
    c: T.uint32
    d: T.uint32
    lo: T.uint64
    hi: T.uint64
    x: T.uint32
    # 0 to 3: through a register of 128 bits into shared memory and back.
    T.ptx["ld.global.b128"](v, A.ptr_to([tx, 0]))
    T.ptx["st.shared.b128"](S.ptr_to([4 * tx]), v)
    T.ptx.bar.warp.sync(0xffffffff)
    T.ptx["ld.shared.b128"](w, S.ptr_to([4 * (31 - tx)]))
    T.ptx["mov.b128"](a, b, c, d, w)
    U[tx, 0] = a
    U[tx, 1] = b
    U[tx, 2] = c
    U[tx, 3] = d
    # 4 to 7: put together, taken apart.
    T.ptx["mov.b128"](v, T.Cast("uint64", tx), T.uint64(0x1122334455667788))
    T.ptx["mov.b128"](lo, hi, v)
    U[tx, 4] = T.Cast("uint32", lo)
    U[tx, 5] = T.Cast("uint32", hi)
    U[tx, 6] = T.Cast("uint32", hi >> T.uint64(32))
    # 8 to 11: exchanged and compared.
    T.ptx.bar.warp.sync(0xffffffff)
    T.ptx["atom.shared.exch.b128"](w, S.ptr_to([4 * tx]), v)
    T.ptx["mov.b128"](a, b, c, d, w)
    U[tx, 8] = a
    T.ptx["mov.b128"](w, T.uint64(7), T.uint64(8))
    T.ptx["atom.shared.cas.b128"](w, S.ptr_to([4 * tx]), v, w)
    T.ptx["atom.shared.cas.b128"](w, S.ptr_to([4 * tx]), v, w)
    T.ptx["mov.b128"](a, b, c, d, w)
    U[tx, 9] = a * T.uint32(100) + c
    # 12, 13: halves that are added two by two.
    H[tx] = T.uint32(0)
    T.ptx.bar.warp.sync(0xffffffff)
    T.ptx["atom.shared.add.noftz.f16x2"](x, H.ptr_to([tx % 4]), T.uint32(0x40003c00))
    T.ptx.bar.warp.sync(0xffffffff)
    U[tx, 12] = H[tx]
    T.ptx.bar.warp.sync(0xffffffff)
    T.ptx["red.shared.add.noftz.bf16x2"](H.ptr_to([8]), T.uint32(0x40003f80))
    T.ptx.bar.warp.sync(0xffffffff)
    U[tx, 13] = H[8]
    # 20 to 23: stored asynchronously, counted by a barrier.
    if tx == 0:
        T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init.release.cluster()
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar.ptr_to([0]), 512)
    T.ptx.fence.proxy.async_.shared__cta()
    T.ptx.bar.warp.sync(0xffffffff)
    T.ptx["st_async.shared::cluster.mbarrier::complete_tx::bytes.b128"](S.ptr_to([4 * tx]), v, bar.ptr_to([0]))
    x = T.uint32(0)
    while x == 0:
        T.ptx.mbarrier.try_wait.parity.shared.b64(x, bar.ptr_to([0]), 0)
    for k in T.unroll(4):
        U[tx, 20 + k] = S[4 * tx + k]
    # 16 to 19: fewer bytes than are written.
    T.ptx["cp.async.cg.shared.global"](S.ptr_to([128 + 4 * tx]), A.ptr_to([tx, 0]), 16, T.Cast("uint32", tx % 5 * 4))
    T.ptx.cp.async_.commit_group()
    T.ptx.cp.async_.wait_group(0)
    for k in T.unroll(4):
        U[tx, 16 + k] = S[128 + 4 * tx + k]


@T.prim_func
def expected(A: T.Buffer((32, 4), "uint32"), U: T.Buffer((32, 32), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    for k in T.unroll(4):
        U[tx, k] = A[31 - tx, k]
        U[tx, 16 + k] = T.if_then_else(k < tx % 5, A[tx, k], T.uint32(0))
    U[tx, 4] = T.Cast("uint32", tx)
    U[tx, 20] = T.Cast("uint32", tx)
    U[tx, 22] = T.uint32(0x55667788)
    U[tx, 23] = T.uint32(0x11223344)
    U[tx, 5] = T.uint32(0x55667788)
    U[tx, 6] = T.uint32(0x11223344)
    U[tx, 8] = A[tx, 0]
    U[tx, 9] = T.uint32(708)
    U[tx, 12] = T.if_then_else(tx < 4, T.uint32(0x4c004800), T.uint32(0))
    U[tx, 13] = T.uint32(0x42804200)
