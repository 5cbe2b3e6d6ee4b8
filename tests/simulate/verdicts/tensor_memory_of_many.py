# tilewright: arch sm_100a
# Tensor memory of published kernels: given back, found, released (PTX ISA 9.7.16.7, 9.7.16.6).
# verdict given_back("synced"): clean
# verdict given_back("own loads"): TW5017
# verdict given_back("load warp"): TW5020 at `T.ptx.tcgen05.dealloc(`
# verdict given_back("two warps"): TW5017
# verdict given_back("three warps"): TW5017
# verdict given_back("by barrier"): clean
# verdict given_back("barrier of one thread"): TW5020 at `T.ptx.tcgen05.dealloc(`
# verdict found("synced"): clean
# verdict found("nothing"): TW5020
# verdict found("own warp"): TW5020
# verdict found("sync before"): TW5020
# verdict released("wg sync"): clean
# verdict released("all arrive"): clean
# verdict released("one thread"): TW5020 at `Tx.wg.copy_async(r, tmem`
# verdict released("warp 0"): TW5020 at `Tx.wg.copy_async(r, tmem`
# verdict released("before wait"): TW5020 at `Tx.wg.copy_async(r, tmem`
# verdict released("each warp"): clean
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TileLayout, TLane


def given_back(kind):
    @T.prim_func
    def k(A: T.Buffer((128, 32), "float32"), B: T.Buffer((128, 32), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([8])
        wg = T.warpgroup_id([2])
        tid = T.thread_id([256])
        slot = T.alloc_shared([1], "uint32")
        done = T.alloc_shared([1], "uint64")
        if warp == 0:
            T.ptx.tcgen05.alloc(T.address_of(slot), n_cols=32, cta_group=1)
        if tid == 0:
            T.ptx.mbarrier.init(done.ptr_to([0]), 128 if kind == "by barrier" else 1)
        T.cuda.cta_sync()
        tmem = T.decl_buffer((128, 32), "float32", scope="tmem", allocated_addr=slot[0],
                             layout=TileLayout(S[(128, 32) : (1 @ TLane, 1 @ TCol)]))
        if wg == 0:
            r = T.wg_reg_tile(32)
            back = T.wg_reg_tile(32)
            Tx.wg.copy(r, A[:, :])
            Tx.wg.copy_async(tmem[:, :], r)
            T.ptx.tcgen05.wait.st()
            Tx.wg.copy_async(back, tmem[:, :])
            T.ptx.tcgen05.wait.ld()
            Tx.wg.copy(B[:, :], back)
            if kind == "by barrier":
                T.ptx.mbarrier.arrive(done.ptr_to([0]))
            if kind == "barrier of one thread":
                if tid == 0:
                    T.ptx.mbarrier.arrive(done.ptr_to([0]))
        if kind == "synced" or kind == "two warps" or kind == "three warps":
            T.cuda.cta_sync()
        if kind == "by barrier" or kind == "barrier of one thread":
            if warp == 4:
                T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)
                T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
                T.ptx.tcgen05.dealloc(slot[0], n_cols=32, cta_group=1)
        elif kind == "load warp":
            if warp == 4:
                T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
                T.ptx.tcgen05.dealloc(slot[0], n_cols=32, cta_group=1)
        elif kind == "two warps":
            if warp < 2:
                T.ptx.tcgen05.dealloc(slot[0], n_cols=32, cta_group=1)
        elif kind == "three warps":
            if warp % 2 == 0 and warp < 6:
                T.ptx.tcgen05.dealloc(slot[0], n_cols=32, cta_group=1)
        else:
            if warp == 0:
                T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
                T.ptx.tcgen05.dealloc(slot[0], n_cols=32, cta_group=1)

    return k


def found(kind):
    @T.prim_func
    def k(A: T.Buffer((128, 32), "float32"), B: T.Buffer((128, 32), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([8])
        wg = T.warpgroup_id([2])
        T.thread_id([256])
        slot = T.alloc_shared([1], "uint32")
        if kind == "sync before":
            T.cuda.cta_sync()
        if warp == 0:
            T.ptx.tcgen05.alloc(T.address_of(slot), n_cols=32, cta_group=1)
            if kind == "own warp":
                T.cuda.warp_sync()
        if kind == "synced":
            T.cuda.cta_sync()
        tmem = T.decl_buffer((128, 32), "float32", scope="tmem", allocated_addr=slot[0],
                             layout=TileLayout(S[(128, 32) : (1 @ TLane, 1 @ TCol)]))
        if wg == 1:
            r = T.wg_reg_tile(32)
            back = T.wg_reg_tile(32)
            Tx.wg.copy(r, A[:, :])
            Tx.wg.copy_async(tmem[:, :], r)
            T.ptx.tcgen05.wait.st()
            Tx.wg.copy_async(back, tmem[:, :])
            T.ptx.tcgen05.wait.ld()
            Tx.wg.copy(B[:, :], back)
        T.cuda.cta_sync()
        if warp == 0:
            T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
            T.ptx.tcgen05.dealloc(slot[0], n_cols=32, cta_group=1)

    return k


def released(kind):
    @T.prim_func
    def k(A: T.Buffer((128, 32), "float32"), B: T.Buffer((3, 128, 32), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([8])
        wg = T.warpgroup_id([2])
        tid = T.thread_id([256])
        slot = T.alloc_shared([1], "uint32")
        full = T.alloc_shared([1], "uint64")
        empty = T.alloc_shared([1], "uint64")
        if warp == 0:
            T.ptx.tcgen05.alloc(T.address_of(slot), n_cols=32, cta_group=1)
        if tid == 0:
            T.ptx.mbarrier.init(full.ptr_to([0]), 128)
            T.ptx.mbarrier.init(empty.ptr_to([0]), 128 if kind == "all arrive" else 4 if kind == "each warp" else 1)
        T.cuda.cta_sync()
        tmem = T.decl_buffer((128, 32), "float32", scope="tmem", allocated_addr=slot[0],
                             layout=TileLayout(S[(128, 32) : (1 @ TLane, 1 @ TCol)]))
        r = T.wg_reg_tile(32)
        if wg == 1:
            Tx.wg.copy(r, A[:, :])
            for i in T.serial(3):
                if i > 0:
                    T.ptx.mbarrier.try_wait(empty.ptr_to([0]), (i - 1) % 2)
                    T.ptx.tcgen05.fence.after_thread_sync()
                Tx.wg.copy_async(tmem[:, :], r)
                T.ptx.tcgen05.wait.st()
                T.ptx.tcgen05.fence.before_thread_sync()
                T.ptx.mbarrier.arrive(full.ptr_to([0]))
        else:
            for i in T.serial(3):
                T.ptx.mbarrier.try_wait(full.ptr_to([0]), i % 2)
                T.ptx.tcgen05.fence.after_thread_sync()
                Tx.wg.copy_async(r, tmem[:, :])
                if kind != "before wait":
                    T.ptx.tcgen05.wait.ld()
                T.ptx.tcgen05.fence.before_thread_sync()
                if kind == "wg sync":
                    T.cuda.warpgroup_sync(1)
                    if tid == 0:
                        T.ptx.mbarrier.arrive(empty.ptr_to([0]))
                elif kind == "all arrive":
                    T.ptx.mbarrier.arrive(empty.ptr_to([0]))
                elif kind == "each warp":
                    if tid % 32 == 0:
                        T.ptx.mbarrier.arrive(empty.ptr_to([0]))
                elif kind == "warp 0":
                    if warp == 0:
                        T.cuda.warp_sync()
                        if tid == 0:
                            T.ptx.mbarrier.arrive(empty.ptr_to([0]))
                elif kind == "before wait":
                    T.cuda.warpgroup_sync(1)
                    if tid == 0:
                        T.ptx.mbarrier.arrive(empty.ptr_to([0]))
                    T.ptx.tcgen05.wait.ld()
                else:
                    if tid == 0:
                        T.ptx.mbarrier.arrive(empty.ptr_to([0]))
                Tx.wg.copy(B[i, :, :], r)
        T.cuda.cta_sync()
        if warp == 0:
            T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
            T.ptx.tcgen05.dealloc(slot[0], n_cols=32, cta_group=1)

    return k
