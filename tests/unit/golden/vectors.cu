#include <cuda_fp16.h>

// A short vector in one register group; loads and stores of it are single wide accesses.
template <typename T, int N>
struct alignas((N & (N - 1)) || sizeof(T) * N > 16 ? sizeof(T) : sizeof(T) * N) vec {
  T v[N];
  __device__ static vec fill(T x) { vec r; for (int i = 0; i < N; ++i) r.v[i] = x; return r; }
  __device__ static vec ramp(T base, T step) { vec r; for (int i = 0; i < N; ++i) r.v[i] = base + step * (T)i; return r; }
  template <typename U>
  __device__ static vec from(vec<U, N> x) { vec r; for (int i = 0; i < N; ++i) r.v[i] = (T)x.v[i]; return r; }
};
#define VEC_OPERATOR(R, op) \
  template <typename T, int N> \
  __device__ vec<R, N> operator op(vec<T, N> a, vec<T, N> b) { vec<R, N> r; for (int i = 0; i < N; ++i) r.v[i] = a.v[i] op b.v[i]; return r; }
VEC_OPERATOR(T, +) VEC_OPERATOR(T, -) VEC_OPERATOR(T, *) VEC_OPERATOR(T, /) VEC_OPERATOR(T, %)
VEC_OPERATOR(T, &) VEC_OPERATOR(T, |) VEC_OPERATOR(T, ^) VEC_OPERATOR(T, <<) VEC_OPERATOR(T, >>)
VEC_OPERATOR(bool, ==) VEC_OPERATOR(bool, !=) VEC_OPERATOR(bool, <) VEC_OPERATOR(bool, <=) VEC_OPERATOR(bool, >) VEC_OPERATOR(bool, >=)
#undef VEC_OPERATOR
template <typename T, int N>
__device__ vec<T, N> min(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; ++i) r.v[i] = b.v[i] < a.v[i] ? b.v[i] : a.v[i]; return r; }
template <typename T, int N>
__device__ vec<T, N> max(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; ++i) r.v[i] = a.v[i] < b.v[i] ? b.v[i] : a.v[i]; return r; }
template <typename T, int N>
__device__ vec<T, N> select(vec<bool, N> c, vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; ++i) r.v[i] = c.v[i] ? a.v[i] : b.v[i]; return r; }
template <int N, typename T>
__device__ vec<T, N> gather(const T* p, long long stride) { vec<T, N> r; for (int i = 0; i < N; ++i) r.v[i] = p[i * stride]; return r; }
template <typename T, typename U, int N>
__device__ void scatter(T* p, long long stride, vec<U, N> x) { for (int i = 0; i < N; ++i) p[i * stride] = x.v[i]; }

template <typename To, typename From>
__device__ To bit_cast(From from) { To to; memcpy(&to, &from, sizeof to); return to; }

__forceinline__ __device__ void tvm_builtin_cuda_copy_128b(void* dst, void* src) {
  *(uint4*)dst = *(const uint4*)src;
}

extern "C" __global__ void __launch_bounds__(32) kernel_kernel(float* __restrict__ A, float* __restrict__ B, signed char* __restrict__ C, half* __restrict__ D) {
  int lane = threadIdx.x;
  *(vec<float, 4>*)&B[lane * 4] = *(vec<float, 4>*)&A[lane * 4] + vec<float, 4>::fill(1.0f);
  *(vec<float, 4>*)&B[lane * 4 + 128] = *(vec<float, 4>*)&A[lane * 4] * vec<float, 4>::fill(2.0f);
  C[lane] = (signed char)(C[lane] + 100) >> 1;
  B[lane] = bit_cast<float>(bit_cast<unsigned>(A[lane]) | 0x80000000u);
  alignas(16) half r[8];
  tvm_builtin_cuda_copy_128b(r, &D[lane * 8]);
  D[lane * 8] = r[7] + __float2half(0.099975586f);
}
