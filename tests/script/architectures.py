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
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at cta scope\n   ldgsts  rejected: cp.async needs sm_80 and up, the target is sm_75

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
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope\n   tma  rejected: cp.async.bulk.tensor needs sm_90 and up, the target is sm_80

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
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope\n   dsmem  rejected: cp.async.bulk needs sm_90 and up, the target is sm_89

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
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at warpgroup scope\n   tmem<->local  rejected: tcgen05.ld needs sm_100a, sm_100f or sm_103a, the target is sm_90a

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
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope\n   smem->tmem  rejected: tcgen05.cp needs sm_100a, sm_100f or sm_103a, the target is sm_90a

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
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope\n   smem->tmem  rejected: tcgen05.cp needs sm_100a, sm_100f or sm_103a, the target is sm_120a

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
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope\n   tma  declined: cta_group=2 needs sm_100a, sm_100f or sm_103a, the target is sm_90a
#   hint: without dispatch="tma" it is served by ldgsts

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
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp_async: needs sm_80 and up, this is sm_75
    T.ptx.cp_async.commit_group()
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp_async.commit_group: needs sm_80 and up, this is sm_75
    T.ptx.mbarrier.init(S.ptr_to([0]), 1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.mbarrier.init: needs sm_80 and up, this is sm_75

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
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.fence.proxy_async: needs sm_90 and up, this is sm_80
    T.ptx.mbarrier.arrive.expect_tx(S.ptr_to([0]), 16)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.mbarrier.arrive.expect_tx: needs sm_90 and up, this is sm_80
    T.ptx.cp_async.bulk.commit_group()
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp_async.bulk.commit_group: needs sm_90 and up, this is sm_80
    T.cuda.cluster_sync()
#   ^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.cuda.cluster_sync: needs sm_90 and up, this is sm_80
    if T.ptx.elect_sync():
#      ^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.elect_sync: needs sm_90 and up, this is sm_80
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
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.tcgen05.alloc: needs sm_100a, sm_100f or sm_103a, this is sm_90a
    T.ptx.tcgen05.wait.ld()
#   ^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.tcgen05.wait.ld: needs sm_100a, sm_100f or sm_103a, this is sm_90a
    T.ptx.tcgen05.dealloc(S[0], n_cols=32, cta_group=1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.tcgen05.dealloc: needs sm_100a, sm_100f or sm_103a, this is sm_90a

#--- matrix instructions of Hopper on Blackwell  [arch sm_100a]
from tvm.script import tirx as T

@T.prim_func
def by_name(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32,), "uint64")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    T.ptx.wgmma.fence()
#   ^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.wgmma.fence: needs sm_90a, this is sm_100a
    T.ptx.wgmma.commit_group()
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.wgmma.commit_group: needs sm_90a, this is sm_100a
