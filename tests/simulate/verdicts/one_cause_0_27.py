# tilewright: arch sm_90a
# tilewright: dialect 0.27
# One fault, one finding, where rows pass through two rings by mbarriers.
# verdict relay("right"): clean
# verdict relay("another barrier"): only TW5004 at `T.ptx.mbarrier.try_wait.parity`
# verdict relay("bytes"): only TW5004 at `T.ptx.mbarrier.try_wait.parity`
# verdict relay("written over"): only TW5040 at `T.ptx.mbarrier.arrive.shared.b64(made`
# verdict relay("half the arrivals"): only TW5013 at `T.ptx.mbarrier.init.shared.b64(empty`
# verdict relay("read too early"): only TW5021 at `out[step % 2, at] =`
from tvm.script import tirx as T


# A ring of four stages: one warp loads rows by bulk copies, two warps scale them in float8 and pass them to one that stores.
def relay(kind):
    STEPS, STAGES, N = 9, 4, 128

    @T.prim_func
    def relay_kernel(A: T.Buffer((STEPS, N), "float32"), B: T.Buffer((STEPS, N), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        lane = T.lane_id([32])
        rows = T.alloc_shared((STAGES, N), "float32", align=128)
        out = T.alloc_shared((2, N), "float32", align=128)
        full = T.alloc_shared((STAGES,), "uint64", align=8)
        empty = T.alloc_shared((STAGES,), "uint64", align=8)
        made = T.alloc_shared((2,), "uint64", align=8)
        gone = T.alloc_shared((2,), "uint64", align=8)
        done: T.uint32

        @T.inline
        def wait(bar, parity):
            done = T.uint32(0)
            while done == T.uint32(0):
                T.ptx.mbarrier.try_wait.parity.shared.b64(done, bar, T.cast(parity, "uint32"))

        if warp == 0:
            if lane == 0:
                for s in T.unroll(STAGES):
                    T.ptx.mbarrier.init.shared.b64(full.ptr_to([s]), 1)
                    T.ptx.mbarrier.init.shared.b64(empty.ptr_to([s]), 32 if kind == "half the arrivals" else 64)
                for s in T.unroll(2):
                    T.ptx.mbarrier.init.shared.b64(made.ptr_to([s]), 64)
                    T.ptx.mbarrier.init.shared.b64(gone.ptr_to([s]), 1)
                T.ptx.fence.mbarrier_init.release.cluster()
        if kind != "no barrier":
            T.ptx.bar.sync(0)
        if warp == 0:
            if lane == 0:
                for step in T.serial(STEPS):
                    if kind != "filled too early":
                        wait(empty.ptr_to([step % STAGES]), (step // STAGES + 1) % 2)
                    T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([step % STAGES]), N * 2 if kind == "bytes" else N * 4)
                    T.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"](
                        rows.ptr_to([step % STAGES, 0]), A.ptr_to([step, 0]), N * 4, full.ptr_to([(step + 1) % STAGES if kind == "another barrier" else step % STAGES]))
        if warp >= 1:
            if warp <= 2:
                for step in T.serial(STEPS):
                    if kind != "read too early":
                        wait(full.ptr_to([step % STAGES]), step % 2 if kind == "parity" else step // STAGES % 2)
                    if kind != "written over":
                        wait(gone.ptr_to([step % 2]), (step // 2 + 1) % 2)
                    for i in T.unroll(2):
                        at: T.int32 = (warp - 1) * 64 + i * 32 + lane
                        out[step % 2, at] = rows[step % STAGES, at] * T.float32(0.5)
                    T.ptx.mbarrier.arrive.shared.b64(empty.ptr_to([step % STAGES]))
                    if kind != "no fence":
                        T.ptx.fence.proxy.async_.shared__cta()
                    T.ptx.mbarrier.arrive.shared.b64(made.ptr_to([step % 2]))
            else:
                if lane == 0:
                    for step in T.serial(STEPS):
                        if kind != "stored too early":
                            wait(made.ptr_to([step % 2]), step // 2 % 2)
                        T.ptx["cp.async.bulk.global.shared::cta.bulk_group"](B.ptr_to([step, 0]), out.ptr_to([step % 2, 0]), N * 4)
                        if kind != "not committed":
                            T.ptx.cp.async_.bulk.commit_group()
                        if kind != "given back too early":
                            T.ptx.cp.async_.bulk.wait_group.read(1 if kind == "one short" else 0)
                        T.ptx.mbarrier.arrive.shared.b64(gone.ptr_to([step % 2]))

    return relay_kernel
