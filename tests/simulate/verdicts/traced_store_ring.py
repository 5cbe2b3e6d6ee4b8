# tilewright: arch sm_90a
# tilewright: dialect 0.27
# A traced ring that stores by bulk copies: a state that stays where it is, a copy that is not waited for, also at the end.
# verdict through("right"): clean
# verdict through("state stays"): only TW5040 at `done.empty.wait(o.stage, o.phase)`
# verdict through("one open"): only TW5020 at `txl.ptx["cp.async.bulk.global.shared::cta.bulk_group"]`
# verdict through("one open at the end"): only TW5020 at `txl.ptx["cp.async.bulk.global.shared::cta.bulk_group"]`
import tirx_kernels.tirx_lite as txl

BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"


def through(kind):
    ROWS, N, STAGES = 8, 128, 2

    @txl.kernel(warps=6, arch="sm_90a", grid=1)
    def k(A: txl.gptr[txl.f32, (ROWS, N)], B: txl.gptr[txl.f32, (ROWS, N)]):
        pool = txl.smem_pool()
        ring = pool.alloc((STAGES, N), txl.f32, align=128)
        out = pool.alloc((STAGES, N), txl.f32, align=128)
        pipe = txl.Pipeline(pool, STAGES, full="tma", empty="mbar", init_empty=128)
        done = txl.Pipeline(pool, STAGES, full="mbar", empty="mbar", init_full=128, init_empty=1)
        txl.ptx["fence.mbarrier_init.release.cluster"]()
        txl.cuda.cta_sync()
        roles = txl.specialize()
        load, work, store = roles.role("load", warps=range(1)), roles.role("work", warps=range(1, 5)), roles.role("store", warps=range(5, 6))
        with load:
            with txl.If(txl.tid_in_role() == 0), txl.Then():
                s = txl.PipelineState(STAGES, 1)
                with txl.serial(ROWS) as r:
                    pipe.empty.wait(s.stage, s.phase)
                    pipe.full.arrive(s.stage, N * 4)
                    txl.ptx[BULK](ring.ptr_to([s.stage, 0]), A.ptr_to([r, 0]), txl.uint32(N * 4), pipe.full.ptr_to([s.stage]))
                    s.advance()
        with work:
            s, o = txl.PipelineState(STAGES, 0), txl.PipelineState(STAGES, 1)
            v = txl.local_scalar("float32")
            with txl.serial(ROWS) as r:
                pipe.full.wait(s.stage, s.phase)
                txl.ptx.ld.shared.f32(v, ring.ptr_to([s.stage, txl.tid_in_role()]))
                pipe.empty.arrive(s.stage)
                if kind != "out not free":
                    done.empty.wait(o.stage, o.phase)
                txl.ptx.st.shared.f32(out.ptr_to([o.stage, txl.tid_in_role()]), v * txl.float32(2))
                if kind != "no proxy fence":
                    txl.ptx["fence.proxy.async.shared::cta"]()
                done.full.arrive(o.stage)
                s.advance()
                if kind != "state stays":
                    o.advance()
        with store:
            with txl.If(txl.tid_in_role() == 0), txl.Then():
                o = txl.PipelineState(STAGES, 0)
                with txl.serial(ROWS) as r:
                    done.full.wait(o.stage, o.phase)
                    txl.ptx["cp.async.bulk.global.shared::cta.bulk_group"](B.ptr_to([r, 0]), out.ptr_to([o.stage, 0]), txl.uint32(N * 4))
                    txl.ptx["cp.async.bulk.commit_group"]()
                    if kind.startswith("one open"):
                        txl.ptx["cp.async.bulk.wait_group.read"](1)
                    elif kind != "not waited":
                        txl.ptx["cp.async.bulk.wait_group.read"](0)
                    done.empty.arrive(o.stage)
                    o.advance()
                if kind != "one open at the end":
                    txl.ptx["cp.async.bulk.wait_group"](0)

    return k
