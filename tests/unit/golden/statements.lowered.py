# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func
    def kernel(A_handle: T.handle, B_handle: T.handle):
        T.func_attr({"global_symbol": "kernel", "tirx.target": "sm_90a"})
        A = T.match_buffer(A_handle, (16, 64), layout=None)
        B = T.match_buffer(B_handle, (16, 64), "int32", layout=None)
        T.attr({"tirx.device_entry": T.bool(True)})
        blockIdx_x = T.launch_thread("blockIdx.x", 1)
        threadIdx_x = T.launch_thread("threadIdx.x", 64)
        A_1 = T.decl_buffer((1024,), data=A.data, layout=None)
        B_1 = T.decl_buffer((1024,), "int32", data=B.data, layout=None)
        warp: T.let[T.int32] = T.tvm_warp_shuffle(T.uint32(4294967295), threadIdx_x // 32, 0, 32, 32)
        tid: T.let[T.int32] = threadIdx_x
        sum: T.float32 = T.float32(0.0)
        x: T.int32 = tid * 2 - 9
        for k in range(16):
            sum = sum + A_1[k * 64 + tid]
        A_1[tid] = sum
        for u in T.serial(4, unroll=True):
            B_1[u * 64 + tid] = x // 3 % 5
        for v in T.serial(2, unroll=False):
            B_1[v * 64 + tid + 256] = x // 4 % 8
        while sum < T.float32(3.5):
            sum = sum + T.float32(1.0)
            if tid == 4:
                break
        if x > 3 and warp == 0 or tid != 5:
            A_1[tid + 128] = T.if_then_else(x > 4, sum, T.float32(0.5))
        elif warp == 1:
            A_1[tid + 192] = T.Cast("float32", x)
        else:
            A_1[tid + 256] = T.max(sum, T.float32(-1e+20))
        B_1[tid + 512] = T.bitwise_not(T.bitwise_xor(T.shift_left(x, 2), T.bitwise_and(x, 15)))
