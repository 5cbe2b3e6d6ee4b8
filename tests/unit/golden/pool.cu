#include <cuda_fp16.h>

__forceinline__ __device__ void tvm_builtin_cuda_copy_128b(void* dst, void* src) {
  *(uint4*)dst = *(const uint4*)src;
}

extern "C" __global__ void __launch_bounds__(128) kernel_kernel(half* __restrict__ A, half* __restrict__ B) {
  int lane = threadIdx.x % 32;
  int tid = threadIdx.x;
  extern __shared__ __align__(1024) unsigned char pool_buf[];
  half* tile = (half*)pool_buf;
  float* sums = (float*)&pool_buf[8192];
  // copy -> gmem_smem: A[0:64, 0:64] -> tile[0:64, 0:64], 128-bit, 8 elements a thread, 4 rounds
  int s_base = (tid ^ ((tid >> 3) & 7)) * 8;
  for (int r = 0; r < 4; ++r) {
    int s_offset = r * 1024 + s_base;
    int g_offset = r * 1024 + tid * 8;
    tvm_builtin_cuda_copy_128b(&tile[s_offset], &A[g_offset]);
  }
  __syncthreads();
  sums[tid] = 0.0f;
  for (int j = 0; j < 64; ++j) {
    sums[tid] += (float)tile[(tid >> 1) * 64 + ((j >> 3) ^ ((tid >> 1) & 7)) * 8 + (j & 7)];
  }
  __syncthreads();
  if (tid < 64) {
    tile[tid * 64 + ((lane >> 3) ^ (tid & 7)) * 8 + (lane & 7)] += (half)sums[tid * 2];
  }
  __syncthreads();
  // copy -> gmem_smem: tile[0:64, 0:64] -> B[0:64, 0:64], 128-bit, 8 elements a thread, 4 rounds
  int s_base_1 = (tid ^ ((tid >> 3) & 7)) * 8;
  for (int r = 0; r < 4; ++r) {
    int g_offset = r * 1024 + tid * 8;
    int s_offset = r * 1024 + s_base_1;
    tvm_builtin_cuda_copy_128b(&B[g_offset], &tile[s_offset]);
  }
}
