# tilewright: arch sm_100a
# A register of tcgen05.ld may be used without a wait; the columns may not be written, nor given back, before it.
# verdict make("use", 32): clean
# verdict make("use", 64): clean
# verdict make("reuse", 32): TW5021 at `Tx.wg.copy_async(tmem[:, :], r)  # again`
# verdict make("free", 32): TW5021 at `T.ptx.tcgen05.dealloc`
# verdict make("branch", 32): clean
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TileLayout, TLane


def make(kind, columns):
    @T.prim_func
    def k(A: T.Buffer((128, columns), "float32"), B: T.Buffer((128, columns), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        T.warpgroup_id([1])
        T.thread_id([128])
        slot = T.alloc_shared([1], "uint32")
        if warp == 0:
            T.ptx.tcgen05.alloc(T.address_of(slot), n_cols=columns, cta_group=1)
        T.cuda.cta_sync()
        tmem = T.decl_buffer((128, columns), "float32", scope="tmem", allocated_addr=slot[0],
                             layout=TileLayout(S[(128, columns) : (1 @ TLane, 1 @ TCol)]))
        r = T.wg_reg_tile(columns)
        back = T.wg_reg_tile(columns)
        Tx.wg.copy(r, A[:, :])
        Tx.wg.copy_async(tmem[:, :], r)
        T.ptx.tcgen05.wait.st()
        Tx.wg.copy_async(back, tmem[:, :])
        if kind == "reuse":
            Tx.wg.copy_async(tmem[:, :], r)  # again
        if kind == "branch":
            Tx.wg.add(back, back, T.float32(1.0))
        Tx.wg.mul(back, back, T.float32(2.0))
        Tx.wg.copy(B[:, :], back)
        T.ptx.tcgen05.wait.st()
        if kind != "free":
            T.ptx.tcgen05.wait.ld()
        T.cuda.cta_sync()
        if warp == 0:
            T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
            T.ptx.tcgen05.dealloc(slot[0], n_cols=columns, cta_group=1)

    return k
