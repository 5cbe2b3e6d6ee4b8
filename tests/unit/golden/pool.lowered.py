# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func
    def kernel(A_handle: T.handle, B_handle: T.handle):
        T.func_attr({"global_symbol": "kernel", "tirx.target": "sm_90a"})
        A = T.match_buffer(A_handle, (64, 64), "float16", layout=None)
        B = T.match_buffer(B_handle, (64, 64), "float16", layout=None)
        T.attr({"tirx.device_entry": T.bool(True)})
        blockIdx_x = T.launch_thread("blockIdx.x", 2)
        threadIdx_x = T.launch_thread("threadIdx.x", 128)
        A_1 = T.decl_buffer((4096,), "float16", data=A.data, layout=None)
        B_1 = T.decl_buffer((4096,), "float16", data=B.data, layout=None)
        lane: T.let[T.int32] = threadIdx_x % 32
        tid: T.let[T.int32] = threadIdx_x
        pool_buf = T.alloc_buffer((8704,), "uint8", scope="shared.dyn", layout=None)
        tile = T.decl_buffer((4096,), "float16", data=pool_buf.data, scope="shared.dyn", layout=None)
        sums = T.decl_buffer((128,), data=pool_buf.data, elem_offset=2048, scope="shared.dyn", layout=None)
        # copy -> gmem_smem: A[0:64, 0:64] -> tile[0:64, 0:64], 128-bit, 8 elements a thread, 4 rounds
        s_base: T.let[T.int32] = T.bitwise_xor(tid, tid // 8 % 8) * 8
        for r in range(4):
            s_offset: T.let[T.int32] = r * 1024 + s_base
            g_offset: T.let[T.int32] = r * 1024 + tid * 8
            T.cuda.copy_128b(T.address_of(tile[s_offset]), T.address_of(A_1[g_offset]))
        T.cuda.cta_sync()
        sums[tid] = T.float32(0.0)
        for j in range(64):
            sums[tid] = sums[tid] + T.Cast("float32", tile[tid // 2 * 64 + T.bitwise_xor(j // 8, tid // 2 % 8) * 8 + j % 8])
        T.cuda.cta_sync()
        if tid < 64:
            tile[tid * 64 + T.bitwise_xor(lane // 8, tid % 8) * 8 + lane % 8] = tile[tid * 64 + T.bitwise_xor(lane // 8, tid % 8) * 8 + lane % 8] + T.Cast("float16", sums[tid * 2])
        T.cuda.cta_sync()
        # copy -> gmem_smem: tile[0:64, 0:64] -> B[0:64, 0:64], 128-bit, 8 elements a thread, 4 rounds
        s_base_1: T.let[T.int32] = T.bitwise_xor(tid, tid // 8 % 8) * 8
        for r in range(4):
            g_offset: T.let[T.int32] = r * 1024 + tid * 8
            s_offset: T.let[T.int32] = r * 1024 + s_base_1
            T.cuda.copy_128b(T.address_of(B_1[g_offset]), T.address_of(tile[s_offset]))
