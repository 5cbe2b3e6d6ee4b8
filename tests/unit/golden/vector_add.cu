extern "C" __global__ void __launch_bounds__(256) kernel_kernel(float* __restrict__ A, float* __restrict__ B, float* __restrict__ C, float alpha, int n) {
  int bx = blockIdx.x;
  int tx = threadIdx.x;
  int i = bx * 256 + tx;
  if (i < n) {
    C[i] = alpha * A[i] + B[i];
  }
}
