# tilewright: dialect 0.27
# The package that follows 0.27: its names, its ids, and what repeats an instruction.
from tvm_tirx.script import tirx as T

LAUNCH = T.cuda.LaunchConfig(grid=8, block=128)
#               ^^^^^^^^^^^^ hover:
#| 5:17 LaunchConfig
#| T.cuda.LaunchConfig(*, grid, block, cluster=None, preferred_cluster=None, dynamic_smem_bytes=None, stream=None, cooperative=None, programmatic_stream_serialization=None, ...)
#| Grid, CTA and cluster of a kernel: T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=128)).

@T.function
#  ^^^^^^^^ hover:
#| 8:4 function
#| @T.function
#| A kernel: its body is read as a script that emits statements.
def k(A: T.Tensor((8, 128, 4), "float32"), C: T.Tensor((8, 128, 4), "float32")):
#          ^^^^^^ hover:
#| 10:12 Tensor
#| T.Tensor(shape, dtype, scope='global', align=0, layout=None, *, data=None)
#| A tensor with its shape and dtype: of a parameter, or of memory that the kernel allocates.
    T.device_entry(launch=LAUNCH)
    #              ^ signatureHelp:
#| T.device_entry(*, launch, kernel_attrs=None, backend_config=None)
#| active: None
    t = T.cuda.thread_idx("x")
#              ^^^^^^^^^^ hover:
#| 14:16 thread_idx
#| def thread_idx(axis)
#| The index of the thread in its CTA along one axis.
    r = T.alloc_local((8, 1, 4), "float32", layout="default")
    T.cuda.tile.apply("ld.global.v4.f32", r, A[:, t : t + 1, :])
#               ^^^^^ hover:
#| 17:5 T.cuda.tile.apply
#| apply → instruction    thread, one thread
#|   A[0:8, t, 0:4] float32 global
#| → r[0:8, 0:1, 0:4] float32 local
#| together -; instances laneid 0..31, warpid 0..3, cta_id 0..7
#| 128 bytes
#| repetition 0, 0: 16 bytes a thread, A[0, t, 0] to registers 0, 1, 2, 3 of r
#| repetition 1, 0: 16 bytes a thread, A[1, t, 0] to registers 4, 5, 6, 7 of r
#| repetition 2, 0: 16 bytes a thread, A[2, t, 0] to registers 8, 9, 10, 11 of r
#| repetition 3, 0: 16 bytes a thread, A[3, t, 0] to registers 12, 13, 14, 15 of r
#| repetition 4, 0: 16 bytes a thread, A[4, t, 0] to registers 16, 17, 18, 19 of r
#| repetition 5, 0: 16 bytes a thread, A[5, t, 0] to registers 20, 21, 22, 23 of r
#| repetition 6, 0: 16 bytes a thread, A[6, t, 0] to registers 24, 25, 26, 27 of r
#| repetition 7, 0: 16 bytes a thread, A[7, t, 0] to registers 28, 29, 30, 31 of r
#| ── IR ──
#| T.ptx.ld(r[0], r[1], r[2], r[3], T.address_of(A[t * 4]), "", "", "global", "", "", "", "", "", "v4", "f32", "")
#| T.ptx.ld(r[4], r[5], r[6], r[7], T.address_of(A[t * 4 + 512]), "", "", "global", "", "", "", "", "", "v4", "f32", "")
#| T.ptx.ld(r[8], r[9], r[10], r[11], T.address_of(A[t * 4 + 1024]), "", "", "global", "", "", "", "", "", "v4", "f32", "")
#| T.ptx.ld(r[12], r[13], r[14], r[15], T.address_of(A[t * 4 + 1536]), "", "", "global", "", "", "", "", "", "v4", "f32", "")
#| T.ptx.ld(r[16], r[17], r[18], r[19], T.address_of(A[t * 4 + 2048]), "", "", "global", "", "", "", "", "", "v4", "f32", "")
#| T.ptx.ld(r[20], r[21], r[22], r[23], T.address_of(A[t * 4 + 2560]), "", "", "global", "", "", "", "", "", "v4", "f32", "")
#| T.ptx.ld(r[24], r[25], r[26], r[27], T.address_of(A[t * 4 + 3072]), "", "", "global", "", "", "", "", "", "v4", "f32", "")
#| T.ptx.ld(r[28], r[29], r[30], r[31], T.address_of(A[t * 4 + 3584]), "", "", "global", "", "", "", "", "", "v4", "f32", "")
#| ── CUDA (lines 19–27) ──
#| tvm_builtin_ptx_ld_vec_global_v4_f32(r[0], r[1], r[2], r[3], &A[t * 4]);
#| tvm_builtin_ptx_ld_vec_global_v4_f32(r[4], r[5], r[6], r[7], &A[t * 4 + 512]);
#| tvm_builtin_ptx_ld_vec_global_v4_f32(r[8], r[9], r[10], r[11], &A[t * 4 + 1024]);
#| tvm_builtin_ptx_ld_vec_global_v4_f32(r[12], r[13], r[14], r[15], &A[t * 4 + 1536]);
#| tvm_builtin_ptx_ld_vec_global_v4_f32(r[16], r[17], r[18], r[19], &A[t * 4 + 2048]);
#| tvm_builtin_ptx_ld_vec_global_v4_f32(r[20], r[21], r[22], r[23], &A[t * 4 + 2560]);
#| tvm_builtin_ptx_ld_vec_global_v4_f32(r[24], r[25], r[26], r[27], &A[t * 4 + 3072]);
#| tvm_builtin_ptx_ld_vec_global_v4_f32(r[28], r[29], r[30], r[31], &A[t * 4 + 3584]);
    T.cuda.tile.apply("st.global.v4.f32", C[:, t : t + 1, :], r)
#                                         ^ definition: 10:44 C
    T.cuda.tile.
#               ^ completion:
#| apply kind 3 (instruction, *views, scope='thread', **parameters)
#| ewise kind 3 (function, dst, *inputs, scope='thread')
