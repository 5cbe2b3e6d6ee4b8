# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func
    def kernel(A_handle: T.handle, B_handle: T.handle, C_handle: T.handle, alpha: T.float32):
        T.func_attr({"global_symbol": "kernel", "tirx.target": "sm_90a"})
        n = T.int32()
        A = T.match_buffer(A_handle, (n,), layout=None)
        B = T.match_buffer(B_handle, (n,), layout=None)
        C = T.match_buffer(C_handle, (n,), layout=None)
        T.attr({"tirx.device_entry": T.bool(True)})
        blockIdx_x = T.launch_thread("blockIdx.x", (n + 255) // 256)
        threadIdx_x = T.launch_thread("threadIdx.x", 256)
        C_1 = T.decl_buffer((n,), data=C.data, layout=None)
        A_1 = T.decl_buffer((n,), data=A.data, layout=None)
        B_1 = T.decl_buffer((n,), data=B.data, layout=None)
        bx: T.let[T.int32] = blockIdx_x
        tx: T.let[T.int32] = threadIdx_x
        i: T.let[T.int32] = bx * 256 + tx
        if i < n:
            C_1[i] = alpha * A_1[i] + B_1[i]
