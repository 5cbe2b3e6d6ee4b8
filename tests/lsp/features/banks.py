# What an access of shared memory costs a warp.
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, S, SwizzleLayout, TileLayout, laneid

FRAGMENT = TileLayout(S[(2, 8, 2, 4, 2) : (4, 4 @ laneid, 2, 1 @ laneid, 1)])
ROW_MAJOR = TileLayout(S[16, 64])
SWIZZLED = ComposeLayout(SwizzleLayout(3, 3, 3), ROW_MAJOR)


@T.prim_func
def plain(A: T.Buffer((16, 64), "float16")):
    T.device_entry()
    T.warp_id([1])
    lane = T.lane_id([32])
    tile = T.alloc_buffer((16, 64), "float16", scope="shared", layout=ROW_MAJOR)
    fragment = T.alloc_buffer((16, 16), "float16", scope="local", layout=FRAGMENT)
    Tx.warp.copy(fragment[:, :], tile[:, 0:16])
    #       ^ hover:
#| 18:5 Tx.warp.copy
#| copy → ldstmatrix    warp, 32 lanes
#|   tile[0:16, 0:16] float16 shared
#| → fragment[0:16, 0:16] float16 local
#|     layout S[(2,8,2,4,2):(4,4@laneid,2,1@laneid,1)]
#| together laneid 0..31; instances warpid 0, cta_id 0
#| x4, 1 issues, 512 bytes, 8-way bank conflict
#| not chosen: gmem_smem (source is shared and destination local) · reg (fragment has stride 4 on laneid, a row a thread has stride 1) · fallback (fragment is spread over the registers of several threads, and the ...)
#| ── IR ──
#| s_offset: T.let[T.int32] = lane // 16 * 512 + lane % 8 * 64 + lane // 8 % 2 * 8
#| T.ptx.ldmatrix(0, 4, T.address_of(tile[s_offset]), T.address_of(fragment[0]), T.address_of(fragment[2]), T.address_of(fragment[4]), T.address_of(fragment[6]))
#| ── CUDA (lines 14–16) ──
#| int s_offset = (lane >> 4) * 512 + (lane & 7) * 64 + ((lane >> 3) & 1) * 8;
#| tvm_builtin_ptx_ldmatrix_0_4_x4(&tile[s_offset], fragment, &fragment[2], &fragment[4], &fragment[6]);
    A[lane % 16, 0] = T.float16(0)


@T.prim_func
def swizzled(A: T.Buffer((16, 64), "float16")):
    T.device_entry()
    T.warp_id([1])
    lane = T.lane_id([32])
    tile = T.alloc_buffer((16, 64), "float16", scope="shared", layout=SWIZZLED)
    fragment = T.alloc_buffer((16, 16), "float16", scope="local", layout=FRAGMENT)
    Tx.warp.copy(fragment[:, :], tile[:, 0:16])
    #       ^ hover:
#| 30:5 Tx.warp.copy
#| copy → ldstmatrix    warp, 32 lanes
#|   tile[0:16, 0:16] float16 shared
#|     layout Z(3,3,3) o S[(16,64):(64,1)]
#| → fragment[0:16, 0:16] float16 local
#|     layout S[(2,8,2,4,2):(4,4@laneid,2,1@laneid,1)]
#| together laneid 0..31; instances warpid 0, cta_id 0
#| x4, 1 issues, 512 bytes, no bank conflict
#| not chosen: gmem_smem (source is shared and destination local) · reg (fragment has stride 4 on laneid, a row a thread has stride 1) · fallback (fragment is spread over the registers of several threads, and the ...)
#| ── IR ──
#| s_base: T.let[T.int32] = lane // 16 * 512 + lane % 8 * 64 + T.bitwise_xor(lane // 8 % 2, lane % 8) * 8
#| T.ptx.ldmatrix(0, 4, T.address_of(tile[s_base]), T.address_of(fragment[0]), T.address_of(fragment[2]), T.address_of(fragment[4]), T.address_of(fragment[6]))
#| ── CUDA (lines 14–16) ──
#| int s_base = (lane >> 4) * 512 + (lane & 7) * 64 + (((lane >> 3) & 1) ^ (lane & 7)) * 8;
#| tvm_builtin_ptx_ldmatrix_0_4_x4(&tile[s_base], fragment, &fragment[2], &fragment[4], &fragment[6]);
    A[lane % 16, 0] = T.float16(0)


# Each lane keeps a row.
@T.prim_func
def dense(A: T.Buffer((32, 32), "float32")):
    T.device_entry()
    T.warp_id([1])
    lane = T.lane_id([32])
    tile = T.alloc_buffer((32, 32), "float32", scope="shared", layout=TileLayout(S[32, 32]))
    mine = T.alloc_buffer((32, 32), "float32", scope="local", layout=TileLayout(S[(32, 32) : (1 @ laneid, 1)]))
    Tx.warp.copy(mine[:, :], tile[:, :])
    #       ^ hover:
#| 43:5 Tx.warp.copy
#| copy → reg    warp, 32 lanes
#|   tile[0:32, 0:32] float32 shared
#| → mine[0:32, 0:32] float32 local
#|     layout S[(32,32):(1@laneid,1)]
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 128-bit, 4,096 bytes, 8-way bank conflict
#| not chosen: gmem_smem (source is shared and destination local) · ldstmatrix (moves elements of 16 bits, these have 32) · fallback (mine is spread over the registers of several threads, and the fallback ...)
#| ── IR ──
#| for r in range(8):
#|     r_offset: T.let[T.int32] = r * 4
#|     s_offset: T.let[T.int32] = lane * 32 + r * 4
#|     T.cuda.copy_128b(T.address_of(mine[r_offset]), T.address_of(tile[s_offset]))
#| ── CUDA (lines 9–14) ──
#| for (int r = 0; r < 8; ++r) {
#|   int r_offset = r * 4;
#|   int s_offset = lane * 32 + r * 4;
#|   tvm_builtin_cuda_copy_128b(&mine[r_offset], &tile[s_offset]);
#| }
    A[lane, 0] = T.float32(0)


# Each lane keeps a row.
@T.prim_func
def skewed(A: T.Buffer((32, 32), "float32")):
    T.device_entry()
    T.warp_id([1])
    lane = T.lane_id([32])
    tile = T.alloc_buffer((32, 32), "float32", scope="shared", layout=TileLayout(S[(32, 32) : (1, 33)]))
    mine = T.alloc_buffer((32, 32), "float32", scope="local", layout=TileLayout(S[(32, 32) : (1 @ laneid, 1)]))
    Tx.warp.copy(mine[:, :], tile[:, :])
    #       ^ hover:
#| 56:5 Tx.warp.copy
#| copy → reg    warp, 32 lanes
#|   tile[0:32, 0:32] float32 shared
#|     layout S[(32,32):(1,33)]
#| → mine[0:32, 0:32] float32 local
#|     layout S[(32,32):(1@laneid,1)]
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 32-bit, 4,096 bytes, no bank conflict
#| not chosen: gmem_smem (source is shared and destination local) · ldstmatrix (moves elements of 16 bits, these have 32) · fallback (mine is spread over the registers of several threads, and the fallback ...)
#| ── IR ──
#| for r in range(32):
#|     s_offset: T.let[T.int32] = r * 33 + lane
#|     T.cuda.copy_32b(T.address_of(mine[r]), T.address_of(tile[s_offset]))
#| ── CUDA (lines 9–13) ──
#| for (int r = 0; r < 32; ++r) {
#|   int s_offset = r * 33 + lane;
#|   tvm_builtin_cuda_copy_32b(&mine[r], &tile[s_offset]);
#| }
    A[lane, 0] = T.float32(0)
