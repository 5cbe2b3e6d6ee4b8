# tilewright: arch sm_90a
# Copies and commits access their mbarrier by the generic proxy: its initialisation needs a barrier, and no proxy fence.
# What threads have written into a tile does need one before a store reads it (PTX ISA 9.7.9.25.2, async proxy).
# verdict make("tma", False, 1): clean
# verdict make("bulk", False, 1): clean
# verdict make("tma", False, 2): clean
# verdict make("tma", True, 1): TW5022 at `Tx.copy_async(B`
# verdict make("unordered", False, 1): TW5020
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout


def make(copy, store, rounds):
    @T.prim_func
    def k(A: T.Buffer((32, 64), "float16"), B: T.Buffer((32, 64), "float16")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        tile = T.alloc_shared([32, 64], "float16", align=1024, layout=mma_shared_layout("float16", 3 if copy != "bulk" else 0, (32, 64)))
        bar = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
        if copy != "unordered":
            T.cuda.cta_sync()
        for i in T.unroll(rounds):
            if tid == 32:
                T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 4096)
                if copy == "bulk":
                    T.ptx.cp_async_bulk_g2s_cluster(tile.ptr_to([0, 0]), A.ptr_to([0, 0]), 4096, bar.ptr_to([0]))
                else:
                    Tx.copy_async(tile[:, :], A[:, :], dispatch="tma", cta_group=1, mbar=bar.ptr_to([0]))
            T.ptx.mbarrier.try_wait(bar.ptr_to([0]), i % 2)
            if not store:
                B[tid // 2, tid % 2] = tile[tid // 2, tid % 2]
            else:
                tile[tid // 2, tid % 2] = T.float16(1.0)
                T.cuda.cta_sync()
                if tid == 32:
                    Tx.copy_async(B[:, :], tile[:, :], dispatch="tma")
                    T.ptx.cp_async.bulk.commit_group()
                    T.ptx.cp_async.bulk.wait_group(0)
            T.cuda.cta_sync()

    return k
