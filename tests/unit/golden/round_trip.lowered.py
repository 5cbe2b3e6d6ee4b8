# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func
    def kernel(A_handle: T.handle, B_handle: T.handle):
        T.func_attr({"global_symbol": "kernel", "tirx.target": "sm_90a"})
        A = T.match_buffer(A_handle, (32, 32), "float16", layout=None)
        B = T.match_buffer(B_handle, (32, 32), "float16", layout=None)
        T.attr({"tirx.device_entry": T.bool(True)})
        blockIdx_x = T.launch_thread("blockIdx.x", 1)
        threadIdx_x = T.launch_thread("threadIdx.x", 32)
        A_1 = T.decl_buffer((1024,), "float16", data=A.data, layout=None)
        B_1 = T.decl_buffer((1024,), "float16", data=B.data, layout=None)
        lane: T.let[T.int32] = threadIdx_x
        A_smem = T.alloc_shared((1024,), "float16", layout=None)
        # copy -> gmem_smem: A[0:32, 0:32] -> A_smem[0:32, 0:32], 128-bit, 8 elements a lane, 4 rounds
        for r in range(4):
            offset: T.let[T.int32] = r * 256 + lane * 8
            T.cuda.copy_128b(T.address_of(A_smem[offset]), T.address_of(A_1[offset]))
        T.cuda.cta_sync()
        # copy -> gmem_smem: A_smem[0:32, 0:32] -> B[0:32, 0:32], 128-bit, 8 elements a lane, 4 rounds
        for r in range(4):
            offset: T.let[T.int32] = r * 256 + lane * 8
            T.cuda.copy_128b(T.address_of(B_1[offset]), T.address_of(A_smem[offset]))
