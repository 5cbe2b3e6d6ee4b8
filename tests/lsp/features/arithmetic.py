# Hover on arithmetic, reductions and permutations: how many elements at a time, which lanes, what the banks say.
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, laneid


@T.prim_func
def registers(A: T.Buffer((32, 8), "float32")):
    T.device_entry()
    T.warp_id([1])
    T.lane_id([32])
    a = T.alloc_buffer((32, 8), "float32", scope="local", layout=TileLayout(S[(32, 8) : (1 @ laneid, 1)]))
    d = T.alloc_buffer((32, 1), "float32", scope="local", layout=TileLayout(S[(32, 1) : (1 @ laneid, 1)]))
    Tx.warp.copy(a[:, :], A[:, :])
    Tx.warp.mul(a[:, :], a[:, :], 2.0)
    #       ^ hover:
#| 15:5 Tx.warp.mul
#| mul → reg    warp, 32 lanes
#|   src1: a[0:32, 0:8] float32 local
#|     layout S[(32,8):(1@laneid,1)]
#|   src2: T.float32(2.0)
#| → dst: a[0:32, 0:8] float32 local
#|     layout S[(32,8):(1@laneid,1)]
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 8 register elements a thread, one at a time, 1,024 bytes
#| not chosen: smem (a[0:32, 0:8] is local, smem works on tiles in shared memory)
#| ── IR ──
#| for f in T.serial(8, unroll=True):
#|     a[f] = a[f] * T.float32(2.0)
#| ── CUDA (lines 15–19) ──
#| #pragma unroll
#| for (int f = 0; f < 8; ++f) {
#|   a[f] *= 2.0f;
#| }
    Tx.warp.sum(d[:, :], a[:, :])
    #       ^ hover:
#| 17:5 Tx.warp.sum
#| sum → local    warp, 32 lanes
#|   a[0:32, 0:8] float32 local
#|     layout S[(32,8):(1@laneid,1)]
#| → d[0:32, 0:1] float32 local
#|     layout S[(32,1):(1@laneid,1)]
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 1 result of 8 registers a thread, 128 bytes
#| not chosen: packed_add_sum (unsupported exec_scope warp) · shared (source is local and destination local)
#| ── IR ──
#| d[0] = T.float32(0.0)
#| for red in T.serial(8, unroll=True):
#|     d[0] = d[0] + a[red]
#| ── CUDA (lines 20–25) ──
#| d[0] = 0.0f;
#| #pragma unroll
#| for (int red = 0; red < 8; ++red) {
#|   d[0] += a[red];
#| }
    Tx.warp.max(a[:, :], a[:, :], axes=0, thread_reduce=True)
    #       ^ hover:
#| 19:5 Tx.warp.max
#| max → local    warp, 32 lanes
#|   src: a[0:32, 0:8] float32 local
#|     layout S[(32,8):(1@laneid,1)]
#|   axes: 0
#| → dst: a[0:32, 0:8] float32 local
#|     layout S[(32,8):(1@laneid,1)]
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 8 results of 1 register a thread, then the lanes at distance 1, 2, 4, 8, 16, 1,024 bytes
#| not chosen: 3input_maxmin (unsupported exec_scope warp) · shared (source is local and destination local)
#| ── IR ──
#| for i in T.serial(8, unroll=True):
#|     a[i] = T.max(a[i], T.cuda.__shfl_xor_sync(T.uint32(4294967295), a[i], 1, 32))
#|     a[i] = T.max(a[i], T.cuda.__shfl_xor_sync(T.uint32(4294967295), a[i], 2, 32))
#|     a[i] = T.max(a[i], T.cuda.__shfl_xor_sync(T.uint32(4294967295), a[i], 4, 32))
#|     a[i] = T.max(a[i], T.cuda.__shfl_xor_sync(T.uint32(4294967295), a[i], 8, 32))
#|     a[i] = T.max(a[i], T.cuda.__shfl_xor_sync(T.uint32(4294967295), a[i], 16, 32))
#| ── CUDA (lines 26–34) ──
#| #pragma unroll
#| for (int i = 0; i < 8; ++i) {
#|   a[i] = fmaxf(a[i], __shfl_xor_sync(0xffffffffu, a[i], 1, 32));
#|   a[i] = fmaxf(a[i], __shfl_xor_sync(0xffffffffu, a[i], 2, 32));
#|   a[i] = fmaxf(a[i], __shfl_xor_sync(0xffffffffu, a[i], 4, 32));
#|   a[i] = fmaxf(a[i], __shfl_xor_sync(0xffffffffu, a[i], 8, 32));
#|   a[i] = fmaxf(a[i], __shfl_xor_sync(0xffffffffu, a[i], 16, 32));
#| }
    A[0, 0] = d.local(1)[0]


@T.prim_func
def shared(A: T.Buffer((32, 32), "float16")):
    T.device_entry()
    T.warp_id([1])
    T.lane_id([32])
    rows = T.alloc_buffer((32, 32), "float16", scope="shared")
    columns = T.alloc_buffer((32, 32), "float32", scope="shared", layout=TileLayout(S[(32, 32) : (1, 32)]))
    d = T.alloc_buffer((32,), "float32", scope="shared")
    Tx.warp.copy(rows[:, :], A[:, :])
    T.cuda.warp_sync()
    Tx.warp.exp(rows[:, :], rows[:, :])
    #       ^ hover:
#| 34:5 Tx.warp.exp
#| exp → smem    warp, 32 lanes
#|   rows[0:32, 0:32] float16 shared
#| → rows[0:32, 0:32] float16 shared
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 128-bit, 8 elements a lane, 4 rounds, 2,048 bytes, no bank conflict
#| not chosen: reg (rows[0:32, 0:32] is shared, reg works on tiles in registers)
#| ── IR ──
#| rows_lanes = T.alloc_local((8,), "float16", layout=None)
#| rows_lanes_1 = T.alloc_local((8,), "float16", layout=None)
#| for s in range(4):
#|     T.cuda.copy_128b(T.address_of(rows_lanes[0]), T.address_of(rows[s * 256 + lane * 8]))
#|     for v in T.serial(8, unroll=True):
#|         rows_lanes_1[v] = T.exp(rows_lanes[v])
#|     T.cuda.copy_128b(T.address_of(rows[s * 256 + lane * 8]), T.address_of(rows_lanes_1[0]))
#| T.cuda.warp_sync()
#| ── CUDA (lines 22–33) ──
#| alignas(16) half rows_lanes[8];
#| alignas(16) half rows_lanes_1[8];
#| for (int s = 0; s < 4; ++s) {
#|   tvm_builtin_cuda_copy_128b(rows_lanes, &rows[s * 256 + lane * 8]);
#|   #pragma unroll
#|   for (int v = 0; v < 8; ++v) {
#|     rows_lanes_1[v] = hexp(rows_lanes[v]);
#|   }
#| ... 3 more lines
    Tx.warp.cast(columns[:, :], rows[:, :])
    #       ^ hover:
#| 36:5 Tx.warp.cast
#| cast → smem    warp, 32 lanes
#|   rows[0:32, 0:32] float16 shared
#| → columns[0:32, 0:32] float32 shared
#|     layout S[(32,32):(1,32)]
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 64-bit, 4 elements a lane, 8 rounds, columns element by element, 4,096 bytes, 8-way bank conflict
#| not chosen: reg (columns[0:32, 0:32] is shared, reg works on tiles in registers)
#| ── IR ──
#| rows_lanes = T.alloc_local((4,), "float16", layout=None)
#| columns_lanes = T.alloc_local((4,), layout=None)
#| for s in range(8):
#|     T.cuda.copy_64b(T.address_of(rows_lanes[0]), T.address_of(rows[s * 128 + lane * 4]))
#|     for v in T.serial(4, unroll=True):
#|         columns_lanes[v] = T.Cast("float32", rows_lanes[v])
#|     for v in T.serial(4, unroll=True):
#|         columns[lane % 8 * 128 + v * 32 + s * 4 + lane // 8] = columns_lanes[v]
#| T.cuda.warp_sync()
#| ── CUDA (lines 34–48) ──
#| alignas(8) half rows_lanes_2[4];
#| float columns_lanes[4];
#| for (int s = 0; s < 8; ++s) {
#|   tvm_builtin_cuda_copy_64b(rows_lanes_2, &rows[s * 128 + lane * 4]);
#|   #pragma unroll
#|   for (int v = 0; v < 4; ++v) {
#|     columns_lanes[v] = (float)rows_lanes_2[v];
#|   }
#| ... 6 more lines
    Tx.warp.sum(d[:], columns[:, :])
    #       ^ hover:
#| 38:5 Tx.warp.sum
#| sum → shared    warp, 32 lanes
#|   columns[0:32, 0:32] float32 shared
#|     layout S[(32,32):(1,32)]
#| → d[0:32] float32 shared
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 32 lanes a result, 1 at a time, 32 steps, 128 bytes, 32-way bank conflict
#| not chosen: packed_add_sum (unsupported exec_scope warp) · local (source is shared and destination shared)
#| ── IR ──
#| columns_lanes = T.alloc_local((1,), layout=None)
#| for step in range(32):
#|     columns_lanes[0] = T.float32(0.0)
#|     columns_lanes[0] = columns_lanes[0] + columns[lane * 32 + step]
#|     columns_lanes[0] = columns_lanes[0] + T.cuda.__shfl_xor_sync(T.uint32(4294967295), columns_lanes[0], 1, 32)
#|     columns_lanes[0] = columns_lanes[0] + T.cuda.__shfl_xor_sync(T.uint32(4294967295), columns_lanes[0], 2, 32)
#|     columns_lanes[0] = columns_lanes[0] + T.cuda.__shfl_xor_sync(T.uint32(4294967295), columns_lanes[0], 4, 32)
#|     columns_lanes[0] = columns_lanes[0] + T.cuda.__shfl_xor_sync(T.uint32(4294967295), columns_lanes[0], 8, 32)
#| ... 4 more lines
#| ── CUDA (lines 49–63) ──
#| float columns_lanes_1[1];
#| for (int step = 0; step < 32; ++step) {
#|   columns_lanes_1[0] = 0.0f;
#|   columns_lanes_1[0] += columns[lane * 32 + step];
#|   columns_lanes_1[0] += __shfl_xor_sync(0xffffffffu, columns_lanes_1[0], 1, 32);
#|   columns_lanes_1[0] += __shfl_xor_sync(0xffffffffu, columns_lanes_1[0], 2, 32);
#|   columns_lanes_1[0] += __shfl_xor_sync(0xffffffffu, columns_lanes_1[0], 4, 32);
#|   columns_lanes_1[0] += __shfl_xor_sync(0xffffffffu, columns_lanes_1[0], 8, 32);
#| ... 6 more lines
    Tx.warp.permute_layout(columns[0:8, :], columns[0:8, :])
    #       ^ hover:
#| 40:5 Tx.warp.permute_layout
#| permute_layout → warp_xor_swizzle    warp, 32 lanes
#|   columns[0:8, 0:32] float32 shared
#|     layout S[(32,32):(1,32)]
#| → columns[0:8, 0:32] float32 shared
#|     layout S[(32,32):(1,32)]
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 8 elements a lane, order turned by 3 bits of the lane, 1,024 bytes, 4-way bank conflict
#| ── IR ──
#| turn: T.let[T.int32] = T.bitwise_and(T.shift_right(lane, 2), 7)
#| columns_lanes = T.alloc_local((8,), layout=None)
#| for r in T.serial(8, unroll=True):
#|     columns_lanes[r] = columns[lane * 32 + T.bitwise_xor(r, turn)]
#| T.cuda.warp_sync()
#| for r in T.serial(8, unroll=True):
#|     columns[lane * 32 + T.bitwise_xor(r, turn)] = columns_lanes[r]
#| T.cuda.warp_sync()
#| ── CUDA (lines 64–76) ──
#| int turn = (lane >> 2) & 7;
#| float columns_lanes_2[8];
#| #pragma unroll
#| for (int r = 0; r < 8; ++r) {
#|   columns_lanes_2[r] = columns[lane * 32 + (r ^ turn)];
#| }
#| __syncwarp();
#| #pragma unroll
#| ... 4 more lines
    A[0, 0] = T.float16(d[0])
