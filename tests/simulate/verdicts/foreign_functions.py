# tilewright: arch sm_90a
# A function of the author's own CUDA source that takes and returns scalars: straight-line PTX is executed, of others the
# result is unknown and the check goes on; it is incomplete only where the result decides something.
# verdict data("ptx", True): clean
# verdict data("ptx", False): TW5020 at `B[tid] = s[63 - tid]`
# verdict data("c", True): clean
# verdict data("c", False): TW5020 at `B[tid] = s[63 - tid]`
# verdict run doubled("ptx"): verified
# verdict run doubled("c"): incomplete
# verdict run combined(1): verified
# verdict kept(True): clean
# verdict kept(False): TW5020 at `B[tid] = s[63 - tid]`
# verdict unchecked decides("ptx"): nothing
# verdict unchecked decides("branch"): a branch depends on it
# verdict unchecked decides("address"): an address depends on it
# verdict unchecked decides("flag"): it is stored where other threads find it
# verdict unchecked decides("memory"): its CUDA source is the author's own
# verdict unchecked decides("overwritten"): nothing
from tvm.script import tirx as T

DOUBLE_C = "__device__ float doubled(float x) { return 2 * x; }"
DOUBLE_PTX = """
__device__ __forceinline__ float doubled(float x) {
  float out;  // twice as much
  asm volatile("{\\n\\t.reg .f32 t;\\n\\tmov.b32 t, %1;\\n\\tadd.f32 %0, t, t;\\n\\t}\\n" : "=f"(out) : "f"(x));
  return out;
}
"""
COMBINE = """
__device__ __forceinline__ float combined(float whole, float fraction) {
  float out;
  asm volatile(
      "{\\n\\t"
      ".reg .s32 x_i, f_i, x_e, o_i;\\n\\t"
      "mov.b32 x_i, %1;\\n\\t"
      "mov.b32 f_i, %2;\\n\\t"
      "shl.b32 x_e, x_i, 23;\\n\\t"
      "add.s32 o_i, x_e, f_i;\\n\\t"
      "mov.b32 %0, o_i;\\n\\t"
      "}\\n"
      : "=f"(out) : "f"(whole), "f"(fraction));
  return out;
}
"""
PICK_C = "__device__ int pick(int x) { return x / 3; }"
PICK_PTX = """
__device__ int pick(int x) {
  int out;
  asm("shr.s32 %0, %1, 1;" : "=r"(out) : "r"(x));
  return out;
}
"""
PEEK = "__device__ int pick(int x) { return __shfl_sync(0xffffffff, x, 0); }"


def data(how, synced):
    source = DOUBLE_PTX if how == "ptx" else DOUBLE_C

    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32")
        s[tid] = T.cuda.func_call("doubled", A[tid], source_code=source, return_type="float32")
        if synced:
            T.cuda.cta_sync()
        B[tid] = s[63 - tid]

    return k


def kept(synced):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        mine = T.alloc_local((2,), "float32")
        s = T.alloc_shared((64,), "float32")
        mine[0] = T.cuda.func_call("doubled", A[tid], source_code=DOUBLE_C, return_type="float32")
        mine[1] = mine[0] + T.float32(1)
        s[tid] = mine[1]
        if synced:
            T.cuda.cta_sync()
        B[tid] = s[63 - tid]

    return k


# tilewright: reference twice
def doubled(how):
    source = DOUBLE_PTX if how == "ptx" else DOUBLE_C

    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        B[tid] = T.cuda.func_call("doubled", A[tid], source_code=source, return_type="float32")

    return k


def combined(x):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        # 1 in the exponent of 12582912.0 and so on: twice the fraction.
        B[tid] = T.cuda.func_call("combined", T.float32(12582913.0), A[tid], source_code=COMBINE, return_type="float32")

    return k


def decides(how):
    source = PICK_PTX if how == "ptx" else PEEK if how == "memory" else PICK_C

    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), flags: T.Buffer((64,), "int32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        mine = T.alloc_local((1,), "int32")
        mine[0] = T.cuda.func_call("pick", tid, source_code=source, return_type="int32")
        if how == "branch":
            if mine[0] > 3:
                B[tid] = A[tid]
        elif how == "flag":
            flags[tid] = mine[0]
        elif how == "overwritten":
            mine[0] = tid
            B[tid] = A[mine[0]]
        else:
            B[tid] = A[mine[0]]

    return k


@T.prim_func
def twice(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([64])
    B[tid] = A[tid] * T.float32(2)
