# T.ptx of release 0.27: words that find a row, calls that choose among rows, and the printed form.
#--- words and calls  [print] [cuda] [arch sm_90a]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    sm = T.alloc_shared([64], "float32")
    bar = T.alloc_shared([2], "uint64")
    d: T.float32
    x: T.uint32
    l = T.alloc_local([4], "float32")
    T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), T.uint32(1))
    T.ptx.ld.global_.f32(d, A.ptr_to([tx]))
    T.ptx["ld.global.b32"](x, B.ptr_to([tx]))
    T.ptx["add." + "f32"](d, d, 1.0)
    T.ptx.add.f32(l[1], d, 1.0, pred=tx < 4, preserve_dst=True)
    T.ptx.st.shared.f32(T.ptx.addr(sm.ptr_to([tx]), 4), d)
    T.ptx.ld.shared.v4.f32(l[0], l[1], l[2], l[3], sm.ptr_to([0]))
    T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar.ptr_to([0]), 16, pred=tx == 0)
    T.ptx.selp.b32(x, x, 3, T.ptx.pred(x))
    for i in T.unroll(2):
        T.ptx.st.shared.f32(T.ptx.addr(sm.ptr_to([tx]), i * 8), l[i])
        T.ptx.cp.async_.wait_group(i)
    B[tx] = x
    A[tx] = d
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "uint32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     tx = T.thread_id([32])
#|     sm = T.alloc_shared((64,))
#|     bar = T.alloc_shared((2,), "uint64")
#|     d: T.float32
#|     x: T.uint32
#|     l = T.alloc_local((4,))
#|     T.ptx.mbarrier(T.cuda.cvta_generic_to_shared(T.address_of(bar[0])), T.uint32(1), "init", "", "shared", "b64", "")
#|     T.ptx.ld(d, T.address_of(A[tx]), "", "", "", "global", "", "", "", "", "", "f32", "")
#|     T.ptx.ld(x, T.address_of(B[tx]), "", "", "", "global", "", "", "", "", "", "b32", "")
#|     T.ptx.add(d, d, T.float32(1.0), "", "", "", "f32", "", "")
#|     T.ptx.add(l[1], d, T.float32(1.0), tx < 4, "", "", "", "f32", "", "pred,keep")
#|     T.ptx.st(T.ptx.addr(T.cuda.cvta_generic_to_shared(T.address_of(sm[tx])), 4), d, "", "", "", "shared", "", "", "", "f32", "")
#|     T.ptx.ld(l[0], l[1], l[2], l[3], T.cuda.cvta_generic_to_shared(T.address_of(sm[0])), "", "", "shared", "", "", "", "", "", "v4", "f32", "")
#|     T.ptx.mbarrier(T.cuda.cvta_generic_to_shared(T.address_of(bar[0])), T.uint32(16), tx == 0, "arrive", "expect_tx", "", "", "shared", "b64", "pred")
#|     T.ptx.selp(x, x, T.uint32(3), x, "b32", "p3")
#|     for i in T.unroll(2):
#|         T.ptx.st(T.ptx.addr(T.cuda.cvta_generic_to_shared(T.address_of(sm[tx])), i * 8), l[i], "", "", "", "shared", "", "", "", "f32", "")
#|         T.ptx.cp(i, "async", "wait_group", "")
#|     B[tx] = x
#|     A[tx] = d

#--- the printed form  [print] [arch sm_90a]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    sm = T.alloc_shared((64,), "uint32")
    x: T.uint32
    y: T.uint64
    T.ptx.ld(x, T.address_of(A[tx]), "", "", "", "global", "", "", "", "", "", "b32", "")
    T.ptx.st(T.ptx.addr(T.cuda.cvta_generic_to_shared(T.address_of(sm[tx])), 4), x, "", "", "", "shared", "", "", "", "b32", "")
    T.ptx.selp(x, x, T.uint32(3), x, "b32", "p3")
    T.ptx.mov(x, y, "b64", "s1")
    T.ptx.add(x, x, T.uint32(1), tx < 3, "", "u32", "pred,keep")
    A[tx] = x
#| @T.prim_func
#| def k(A: T.Buffer((64,), "uint32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     tx = T.thread_id([32])
#|     sm = T.alloc_shared((64,), "uint32")
#|     x: T.uint32
#|     y: T.uint64
#|     T.ptx.ld(x, T.address_of(A[tx]), "", "", "", "global", "", "", "", "", "", "b32", "")
#|     T.ptx.st(T.ptx.addr(T.cuda.cvta_generic_to_shared(T.address_of(sm[tx])), 4), x, "", "", "", "shared", "", "", "", "b32", "")
#|     T.ptx.selp(x, x, T.uint32(3), x, "b32", "p3")
#|     T.ptx.mov(x, y, "b64", "s1")
#|     T.ptx.add(x, x, T.uint32(1), tx < 3, "", "u32", "pred,keep")
#|     A[tx] = x

#--- what no row takes  [arch sm_90a]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    d: T.float32
    x: T.uint32
    T.ptx.nonsense.b32(x)
#         ^^^^^^^^ error[TW2003]: 'T.ptx' has no attribute 'nonsense'
    T.ptx.ld.global_.nonsense(d, A.ptr_to([tx]))
#                    ^^^^^^^^ error[TW2003]: T.ptx: ld.global takes no .nonsense: .nonsense is no modifier of it; legal here: l1ev .L1::evict_first, .L1::evict_last, .L1::evict_normal, .L1::evict_unchanged or .L1::no_allocate; prefetch .L2::128B, .L2::256B or .L2::64B; cache .L2::cache_hint; l2ev .L2::evict_first, .L2::evict_last or .L2::evict_normal; sem .acquire, .relaxed, .volatile or .weak; type .b128, .b16, .b32, .b64, .b8, .f32, .f64, .s16 and 7 more and words of 6 more slots
    T.ptx["ld.everywhere.b32"](x, A.ptr_to([tx]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2003]: T.ptx: ld takes no .everywhere: .everywhere is no modifier of it; legal here: l1ev .L1::evict_first, .L1::evict_last, .L1::evict_normal, .L1::evict_unchanged or .L1::no_allocate; prefetch .L2::128B, .L2::256B or .L2::64B; cache .L2::cache_hint; l2ev .L2::evict_first, .L2::evict_last or .L2::evict_normal; sem .acquire, .relaxed, .volatile or .weak; type .b128, .b16, .b32, .b64, .b8, .f32, .f64, .s16 and 7 more and words of 7 more slots
    T.ptx[3](x)
#   ^^^^^^^^ error[TW2004]: T.ptx[...] takes the text of an instruction, "ld.global.b32"
    T.ptx.ld.global_.acquire.b32(x, A.ptr_to([tx]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx: none of the 3 forms of ld.global.acquire.b32 takes this call: ld: without scope, sem must be .weak or .volatile, or left out, here it is .acquire; ld_vec: vec is missing, legal here: .v2 or .v4; ld_vec256: .v8 is missing
    T.ptx.add.f32(d, d)
#   ^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx: add.f32: takes 3 operands (d, a, b), the call has 2
    T.ptx.add.f32(x, d, d)
#   ^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx: add.f32: 'd' is .f32 and must be float32, not uint32
    T.ptx.add.f32(1.0, d, d)
#   ^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx: add.f32: 'd' is written and must be a scalar or an element of a buffer (declare it first: T.local_scalar("float32")), not a float literal
    T.ptx.add.f32(d, d, T.ptx.pred(x))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx: add.f32: 'b' is no predicate, it takes no T.ptx.pred(...)
    T.ptx.add.f32(d, d, d, predicate=True)
#                          ^^^^^^^^^ error[TW2006]: T.ptx.add.f32 has no argument 'predicate'
    T.ptx.add.f32(d, d, d, preserve_dst=True)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx: add.f32: preserve_dst=True needs pred=
    T.ptx.add.f32(d, d, A)
#   ^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx: add.f32: 'b' is .f32 and must be float32, not the whole buffer A
    T.ptx.ld["global.b32"](x, A.ptr_to([tx]))
#   ^^^^^^^^^^^^^^^^^^^^^^ error[TW2004]: T.ptx.ld takes words one after the other
#   hint: write all of them as one text, T.ptx["..."]
    T.ptx.ld.global_.b32(x, T.ptx.addr(T.ptx.addr(A.ptr_to([tx]), 4), 4))
#                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.addr(...) is not nested
#   hint: add the offsets: T.ptx.addr(base, 4 + 8)
    T.ptx.ld.global_.b32(x, T.ptx.addr(A.ptr_to([tx]), 1.5))
#                                                      ^^^ error[TW2111]: 'byte_offset' of T.ptx.addr is an integer, not float32
    T.ptx.tcgen05.wait__ld.sync.aligned()
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.tcgen05.wait::ld.sync.aligned: needs sm_100a (PTX 8.6), this is sm_90a
    T.ptx.cp.async_.wait_group(tx)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp.async.wait_group: tx is part of the instruction's text and must be known at compile time
#   hint: write a constant, or a variable of a loop of T.unroll
    T.ptx.fabric.try_get.async_.shared__cta.mbarrier__complete_tx__bytes(x)
#                                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2003]: T.ptx: fabric.try_get.async.shared::cta takes no .mbarrier::complete_tx::bytes: .mbarrier::complete_tx::bytes.mbarrier::report::fabric holds a dot, and the words of a chain or a subscript end at dots: T.ptx cannot say this instruction; nothing can follow

#--- boxes of images and the targets of their words  [arch sm_90a]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(m: T.TensorMap()):
    T.device_entry()
    T.cta_id_in_cluster([2])
    T.cta_id([2])
    tx = T.thread_id([32])
    s = T.alloc_shared([1024], "uint32", align=128)
    bar = T.alloc_shared([1], "uint64")
    h: T.uint16
    h = T.uint16(0)
    T.ptx["cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster"](s.ptr_to([0]), T.address_of(m), tx, tx, tx, tx, bar.ptr_to([0]), h, h, T.uint16(3))
    T.ptx["cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group"](T.address_of(m), tx, tx, tx, tx, s.ptr_to([0]))
    T.ptx["cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster::16b"](s.ptr_to([0]), T.address_of(m), tx, tx, bar.ptr_to([0]), T.uint16(3))
    T.ptx["cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::1"](s.ptr_to([0]), T.address_of(m), tx, tx, bar.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::1: needs sm_100a (PTX 8.6), this is sm_90a
    T.ptx["cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w"](T.address_of(m), tx, tx, tx, tx, h, h)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w: needs sm_100a (PTX 9.4), this is sm_90a
    T.ptx["cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs::w.bulk_group"](T.address_of(m), tx, tx, tx, tx, s.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs::w.bulk_group: needs sm_107f (PTX 9.4), this is sm_90a

#--- what sm_107 adds to instructions that others have  [arch sm_100a]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(m: T.TensorMap(), A: T.Buffer((1024,), "uint32")):
    T.device_entry()
    T.cta_id_in_cluster([2])
    T.cta_id([2])
    tx = T.thread_id([32])
    s = T.alloc_shared([1024], "uint32", align=128)
    bar = T.alloc_shared([1], "uint64")
    T.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b"](s.ptr_to([0]), A.ptr_to([0]), T.uint32(64), bar.ptr_to([0]), T.uint32(3))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b: needs sm_107f (PTX 9.4), this is sm_100a
    T.ptx["cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.override::global_address"](s.ptr_to([0]), T.address_of(m), T.uint64(0), 0, bar.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.override::global_address: needs sm_107f (PTX 9.4), this is sm_100a
    T.ptx["cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::disabled"](s.ptr_to([0]), A.ptr_to([0]), T.uint32(64), bar.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::disabled: needs sm_107f (PTX 9.4), this is sm_100a
    T.ptx["tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster::32b.b64"](bar.ptr_to([0]), T.uint32(3))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster::32b.b64: needs sm_107f (PTX 9.4), this is sm_100a

#--- outside of a kernel
# tilewright: dialect 0.27
from tvm.script import tirx as T

load = T.ptx.ld.global_.f32
T.ptx.fence.proxy.async_()
# @1:1-1:27 error[TW2112]: T.ptx.fence.proxy.async belongs into the body of a kernel
#   hint: decorate the function with @T.prim_func

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    d: T.float32
    load(d, A.ptr_to([tx]))

#--- 0.25 has no such words
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    T.ptx["fence.proxy.async"]()
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx is not an intrinsic
#   hint: it is a namespace: name one of its members
    T.ptx.lop3.b32(A[tx], 1, 2, 3, 4)
#         ^^^^ error[TW2003]: 'T.ptx' has no attribute 'lop3'
#   hint: T.ptx.lop3 is 0.27; 0.25 has nothing like it

#--- pointers into another memory
# tilewright: dialect 0.25
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((32, 16), "float16")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    s = T.alloc_shared((32, 16), "float16")
    r = T.alloc_local((8,), "float16")
    T.ptx.cp_async(s.ptr_to([t, 0]), A.ptr_to([t, 0]), 16)
    T.ptx.cp_async(r.ptr_to([0]), A.ptr_to([t, 0]), 16)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp_async: 'dst_ptr' takes a pointer to shared memory, this one leads to registers
    T.ptx.cp_async(s.ptr_to([t, 0]), r.ptr_to([0]), 16)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp_async: 'src_ptr' takes a pointer to global memory, this one leads to registers
    T.ptx.cp_async(A.ptr_to([t, 0]), s.ptr_to([t, 0]), 16)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.cp_async: 'src_ptr' takes a pointer to global memory, this one leads to shared memory
    T.ptx.ldmatrix(False, 1, ".b16", s.ptr_to([t % 8, 0]), r.ptr_to([0]))
    T.ptx.ldmatrix(False, 1, ".b16", r.ptr_to([2]), r.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.ldmatrix: 'smem_ptr' takes a pointer to shared memory, this one leads to registers
    far: T.uint64 = T.ptx.map_shared_rank(s.ptr_to([0, 0]), 0)

#--- addresses of registers in 0.27
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "uint32"), B: T.Buffer((64,), "uint32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    s = T.alloc_shared([64], "uint32", align=16)
    r = T.alloc_local([8], "uint32")
    d = T.alloc_local([1], "uint32")
    T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(d[0], s.ptr_to([0]))
    T.ptx.ldmatrix.sync.aligned.m8n8.x1.shared.b16(d[0], r.ptr_to([0]))
    T.ptx.ld.global_.b32(d[0], r.ptr_to([0]))
#                              ^^^^^^^^^^^^^ warning[TW2111]: 'r' lies in registers, and T.ptx.ld.global.b32 takes an address of global memory
    T.ptx.ld.b32(d[0], r.ptr_to([0]))
    B[t] = d[0]
