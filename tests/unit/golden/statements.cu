template <typename T>
__device__ T floor_div(T a, T b) { T q = a / b; return q - (q * b != a && (a < 0) != (b < 0)); }

template <typename T>
__device__ T floor_mod(T a, T b) { T r = a % b; return r + (r != 0 && (r < 0) != (b < 0) ? b : 0); }

extern "C" __global__ void __launch_bounds__(64) kernel_kernel(float* __restrict__ A, int* __restrict__ B) {
  int warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  int tid = threadIdx.x;
  float sum = 0.0f;
  int x = tid * 2 - 9;
  for (int k = 0; k < 16; ++k) {
    sum += A[k * 64 + tid];
  }
  A[tid] = sum;
  #pragma unroll
  for (int u = 0; u < 4; ++u) {
    B[u * 64 + tid] = floor_mod(floor_div(x, 3), 5);
  }
  #pragma unroll 1
  for (int v = 0; v < 2; ++v) {
    B[v * 64 + tid + 256] = (x >> 2) & 7;
  }
  while (sum < 3.5f) {
    sum += 1.0f;
    if (tid == 4) {
      break;
    }
  }
  if ((x > 3 && warp == 0) || tid != 5) {
    A[tid + 128] = x > 4 ? sum : 0.5f;
  } else if (warp == 1) {
    A[tid + 192] = (float)x;
  } else {
    A[tid + 256] = fmaxf(sum, -1e+20f);
  }
  B[tid + 512] = ~((x << 2) ^ (x & 15));
}
