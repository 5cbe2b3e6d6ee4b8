#include <cuda_fp16.h>

__forceinline__ __device__ void tvm_builtin_cuda_copy_128b(void* dst, void* src) {
  *(uint4*)dst = *(const uint4*)src;
}

extern "C" __global__ void __launch_bounds__(32) kernel_kernel(half* __restrict__ A, half* __restrict__ B) {
  int lane = threadIdx.x;
  __shared__ alignas(64) half A_smem[1024];
  // copy -> gmem_smem: A[0:32, 0:32] -> A_smem[0:32, 0:32], 128-bit, 8 elements a lane, 4 rounds
  for (int r = 0; r < 4; ++r) {
    int offset = r * 256 + lane * 8;
    tvm_builtin_cuda_copy_128b(&A_smem[offset], &A[offset]);
  }
  __syncthreads();
  // copy -> gmem_smem: A_smem[0:32, 0:32] -> B[0:32, 0:32], 128-bit, 8 elements a lane, 4 rounds
  for (int r = 0; r < 4; ++r) {
    int offset = r * 256 + lane * 8;
    tvm_builtin_cuda_copy_128b(&B[offset], &A_smem[offset]);
  }
}
