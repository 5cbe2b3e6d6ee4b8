# Calls for another target than the chosen one: the error names both, on the call.
#--- ldgsts before sm_80  [cuda] [arch sm_75]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def vectors(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    S = T.alloc_shared((32, 32), "float16")
    Tx.cta.copy_async(S[:, :], A[:, :], dispatch="ldgsts")

#--- tma before sm_90  [cuda] [arch sm_80]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def store(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    S = T.alloc_shared((32, 32), "float16")
    if tid == 0:
        Tx.copy_async(A[:, :], S[:, :], dispatch="tma")

#--- dsmem before sm_90  [cuda] [arch sm_89]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def neighbours(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float16")
    T.device_entry()
    rank = T.cta_id_in_cluster([2])
    T.cta_id([2])
    tid = T.thread_id([128])
    S = T.alloc_shared((32, 32), "float16")
    D = T.alloc_shared((32, 32), "float16")
    bar = T.alloc_shared((1,), "uint64")
    if tid == 0:
        Tx.copy_async(D[:, :], S[:, :], dispatch="dsmem", mbar=bar.ptr_to([0]), remote_cta_id=1 - rank)

#--- tensor memory and registers on Hopper  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TileLayout, TLane, tid_in_wg

@T.prim_func
def rows(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (128, 8), "float32")
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([1])
    T.thread_id([128])
    address = T.alloc_shared([1], "uint32")
    cells = T.decl_buffer((128, 8), "float32", scope="tmem", allocated_addr=address[0],
                          layout=TileLayout(S[(128, 8) : (1 @ TLane, 1 @ TCol)]))
    row = T.alloc_buffer((128, 8), "float32", scope="local", layout=TileLayout(S[(128, 8) : (1 @ tid_in_wg, 1)]))
    Tx.wg.copy_async(cells[:, :], row[:, :], dispatch="tmem<->local")

#--- shared to tensor memory on Hopper  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import R, S, TCol, TileLayout, TLane

@T.prim_func
def scales(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 16), "uint8")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    address = T.alloc_shared([1], "uint32")
    staged = T.alloc_shared((32, 16), "uint8")
    cells = T.decl_buffer((32, 16), "uint8", scope="tmem", allocated_addr=address[0],
                          layout=TileLayout(S[(32, 16) : (1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane]))
    if tid == 0:
        Tx.copy_async(cells[:, :], staged[:, :], dispatch="smem->tmem")

#--- the same on sm_120a  [cuda] [arch sm_120a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import R, S, TCol, TileLayout, TLane

@T.prim_func
def scales(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 16), "uint8")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    address = T.alloc_shared([1], "uint32")
    staged = T.alloc_shared((32, 16), "uint8")
    cells = T.decl_buffer((32, 16), "uint8", scope="tmem", allocated_addr=address[0],
                          layout=TileLayout(S[(32, 16) : (1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane]))
    if tid == 0:
        Tx.copy_async(cells[:, :], staged[:, :], dispatch="smem->tmem")

#--- a pair of CTAs on Hopper  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def pair(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    S = T.alloc_shared((32, 32), "float16")
    bar = T.alloc_shared((1,), "uint64")
    if tid == 0:
        Tx.copy_async(S[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]), cta_group=2)

#--- instructions called by name before sm_80  [arch sm_75]
from tvm.script import tirx as T

@T.prim_func
def by_name(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32,), "uint64")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    S = T.alloc_shared((32,), "uint64")
    T.ptx.cp_async(S.ptr_to([0]), A.ptr_to([0]), 16)
    T.ptx.cp_async.commit_group()
    T.ptx.mbarrier.init(S.ptr_to([0]), 1)

#--- instructions called by name before sm_90  [arch sm_80]
from tvm.script import tirx as T

@T.prim_func
def by_name(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32,), "uint64")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    S = T.alloc_shared((32,), "uint64")
    T.ptx.fence.proxy_async("shared::cta")
    T.ptx.mbarrier.arrive.expect_tx(S.ptr_to([0]), 16)
    T.ptx.cp_async.bulk.commit_group()
    T.cuda.cluster_sync()
    if T.ptx.elect_sync():
        T.ptx.mbarrier.try_wait(S.ptr_to([0]), 0)

#--- instructions called by name without tensor memory  [arch sm_90a]
from tvm.script import tirx as T

@T.prim_func
def by_name(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32,), "uint64")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    S = T.alloc_shared((1,), "uint32")
    T.ptx.tcgen05.alloc(T.address_of(S), n_cols=32, cta_group=1)
    T.ptx.tcgen05.wait.ld()
    T.ptx.tcgen05.dealloc(S[0], n_cols=32, cta_group=1)

#--- matrix instructions of Hopper on Blackwell  [arch sm_100a]
from tvm.script import tirx as T

@T.prim_func
def by_name(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32,), "uint64")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    T.ptx.wgmma.fence()
    T.ptx.wgmma.commit_group()
