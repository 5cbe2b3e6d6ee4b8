# The reference's printed form is input too (surface.md 17): the other cases print theirs and read it back.
#--- a dump
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((32, 32), "float16"), n: T.int32, m: T.handle("tensormap")):
        T.func_attr({"global_symbol": "kernel", "tirx.noalias": T.bool(True)})
        T.attr({"tirx.device_entry": T.bool(True), "tirx.launch_bounds_min_blocks_per_sm": 1})
        bx, by = T.cta_id([4, 2])
        tx = T.thread_id([128])
        pool_buf = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
        s = T.decl_buffer((32, 32), "float16", data=pool_buf.data, scope="shared.dyn", layout=T.ComposeLayout(T.SwizzleLayout(3, 2, 3, swizzle_inner=True), T.TileLayout(T.S[(32, 32):(32, 1)])))
        t = T.decl_buffer((128, 4), scope="tmem", layout=T.TileLayout(T.S[(128, 4):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=0)
        with T.attr(pool_buf.data, "tirx.pool_max_bytes", 2048):
            T.warp.copy(s[0:32, 0:32], A[0:32, 0:32])
            T.cta.sum(s[0:32, 0:1], s[0:32, 0:32], [-1], False)
            T.cta.exp(s[0:32, 0:32], s[0:32, 0:32], T.float16(0.88), T.float16(0.5))
            T.tile.copy(s[0:1, 0:8], A[0:1, 0:8])
            x: T.int32
            x = T.bitwise_xor(tx, 3)
            y: T.let[T.int32] = T.shift_left(x, 2) + T.truncdiv(x, 3) + T.Div(x, 3)
            p: T.let[T.handle("uint64", "global")] = T.reinterpret("handle", T.uint64(0))
            d: T.handle = T.address_of(A[0, 0])
            w = T.decl_scalar("uint64", data=p, elem_offset=0, scope="global")
            u = T.alloc_shared((4,), "float32", layout=None)
            v = T.alloc_local((4,), "float32", layout=None)
            V = s.view(1024)
            W = V[0:64]
            v[0:4] = T.Broadcast(T.float32(7.8899999999999997), 4)
            T.evaluate(T.tvm_access_ptr(T.type_annotation("float16"), A.data, 4, 8, 1))
            T.evaluate(T.buffer_offset(A[1, 2]))
            w = T.Cast("uint64", x)
            for i, j in T.grid(4, 8):
                if T.And(i > 1, T.Not(j > 2)) or T.Or(i == 3, j == 4):
                    T.continue_loop()
                else:
                    T.break_loop()
            while T.bool(True):
                T.break_loop()
            T.ptx.mbarrier.try_wait(T.address_of(w.buffer[0]), 0)
            T.cuda.printf("%d\n", x)
            if x == 3:
                T.thread_return()

#--- an omitted constant
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((32,), "float16")):
        T.attr({"tirx.device_entry": T.bool(True)})
        T.cuda.printf(metadata["tirx.StringImm"][0], A[0])
#                     ^^^^^^^^ error[TW2007]: this constant was omitted when the kernel was printed
#   hint: print the kernel with its metadata, or write the value here

# Metadata omitted. Use show_meta=True in script() method to show it.

#--- a lowered dump
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((32,), "float32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        with T.launch_thread("blockIdx.x", 4) as b:
            t = T.launch_thread("threadIdx.x", 32)
            B = T.decl_buffer((32,), data=A.data, layout=None)
            T.tvm_storage_sync("shared")
            T.attr({"compute_scope": "kernel"})
            B[t] = T.Cast("float32", b)

