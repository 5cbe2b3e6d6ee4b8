# What stands under the cursor, and what it becomes.
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import MBarrier, TMABar
from tvm.tirx.layout import S, TileLayout, laneid

ROWS, COLS = 32, 64
# @1 hover:
#| 7:1 ROWS
#| ROWS    int
#| 32
SWIZZLED = T.ComposeLayout(T.SwizzleLayout(3, 3, 3), T.TileLayout(T.S[8, 64]))
# @1 hover:
#| 9:1 SWIZZLED
#| SWIZZLED    layout
#| layout Z(3,3,3) o S[(8,64):(64,1)]
#| index, outermost digit first: 8 steps of 64, 64 steps of 1
#| swizzle: chunks of 8 elements stay together; 3 address bits are XORed with those 3 above; repeats every 512 elements
#| 512 elements over a span of 512
#|
#|      0    1    2    3    4    5    6    7
#| 0    0    1    2    3    4    5    6    7
#| 1   72   73   74   75   76   77   78   79
#| 2  144  145  146  147  148  149  150  151
#| 3  216  217  218  219  220  221  222  223
#| 4  288  289  290  291  292  293  294  295
#| 5  360  361  362  363  364  365  366  367
#| 6  432  433  434  435  436  437  438  439
#| 7  504  505  506  507  508  509  510  511
#| showing 8 of 8 rows, 8 of 64 columns
FRAGMENT = TileLayout(S[(8, 4, 2) : (4 @ laneid, 1 @ laneid, 1)])
# @1 hover:
#| 11:1 FRAGMENT
#| FRAGMENT    layout
#| layout S[(8,4,2):(4@laneid,1@laneid,1)]
#| index, outermost digit first: 8 steps of 4 on laneid, 4 steps of 1 on laneid, 2 steps of 1
#| 64 elements, spread over each warp
#|
#|        0      1
#| 0  T0:r0  T0:r1
#| 1  T1:r0  T1:r1
#| 2  T2:r0  T2:r1
#| 3  T3:r0  T3:r1
#| 4  T4:r0  T4:r1
#| 5  T5:r0  T5:r1
#| 6  T6:r0  T6:r1
#| 7  T7:r0  T7:r1
#| showing 8 of 32 rows, 2 of 2 columns
#          ^ hover:
#| 11:12 TileLayout
#| TileLayout(spec)
#| Strided iters over named axes.


def scaled(n, by=2):
    """Twice as many, unless told otherwise."""
    return n * by
#          ^ hover:
#| 18:12 n
#| n    int
#| 1


@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
#   ^ hover:
#| 23:5 kernel
#| def kernel(A_ptr: T.handle, B_ptr: T.handle)
#| entry kernel
#| grid 1 x 1 x 1, block 32 x 1 x 1
#| shared memory 4,096 bytes static, 5,136 dynamic
#| synchronisation not checked
    A = T.match_buffer(A_ptr, (ROWS, COLS), "float16")
    #         ^ hover:
#| 25:11 match_buffer
#| T.match_buffer(param, shape=None, dtype='float32', data=None, strides=None, elem_offset=None, scope='global', align=-1, offset_factor=0, buffer_type='', axis_separators=None, layout='default')
#| Gives a handle parameter its shape and dtype; names in the shape become symbolic extents.
    #                  ^ hover:
#| 25:24 A_ptr
#| A_ptr    parameter
#| handle
    B = T.match_buffer(B_ptr, (ROWS, COLS), "float16")
    T.device_entry()
    T.cta_id([scaled(1, by=1)])
    #           ^ hover:
#| 30:15 scaled
#| def scaled(n, by=2)
#| Twice as many, unless told otherwise.
    warp = T.warp_id([1])
    lane = T.lane_id([32])
#   @5 hover:
#| 33:5 lane
#| lane    scope id: lane of the warp
#| int32, 0..31, extent 32
    pool = T.SMEMPool()
    tile = pool.alloc((ROWS, COLS), "float16", align=128)
    other = pool.alloc((8, 64), "float16", layout=SWIZZLED)
#   @5 hover:
#| 37:5 other
#| other    buffer
#| float16 (8, 64) shared.dyn
#| 1,024 bytes, aligned to 64
#| bytes 4,096..5,120 of dynamic shared memory (5,136 bytes)
#| layout Z(3,3,3) o S[(8,64):(64,1)]
#| index, outermost digit first: 8 steps of 64, 64 steps of 1
#| swizzle: chunks of 8 elements stay together; 3 address bits are XORed with those 3 above; repeats every 512 elements
#| 512 elements over a span of 512
#|
#|      0    1    2    3    4    5    6    7
#| 0    0    1    2    3    4    5    6    7
#| 1   72   73   74   75   76   77   78   79
#| 2  144  145  146  147  148  149  150  151
#| 3  216  217  218  219  220  221  222  223
#| 4  288  289  290  291  292  293  294  295
#| 5  360  361  362  363  364  365  366  367
#| 6  432  433  434  435  436  437  438  439
#| 7  504  505  506  507  508  509  510  511
#| showing 8 of 8 rows, 8 of 64 columns
    full = TMABar(pool, 2)
#   @5 hover:
#| 39:5 full
#| full    TMABar
#| 2 mbarriers in shared memory
#| initialised for 1 arrivals a phase
#| arrivals that expect 128 bytes
#| waits for parity 0
#| Mbarriers that count the bytes of tensor copies.
    pool.commit()
    full.init(1)
    #    ^ hover:
#| 42:10 init
#| def init(self, count)
#| Method of MBarrier.
#| Sets up each barrier for `count` arrivals a phase; one thread does it: `leader`, else thread 0. A fence and a
#| sync follow.
    fixed = T.alloc_buffer((ROWS, COLS), "float16", scope="shared")
    Tx.warp.copy(tile[:, :], A[:, :])
    #       ^ hover:
#| 45:5 Tx.warp.copy
#| copy → gmem_smem    warp, 32 lanes
#|   A[0:32, 0:64] float16 global
#| → tile[0:32, 0:64] float16 shared.dyn
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 128-bit, 8 elements a lane, 8 rounds, 4,096 bytes, no bank conflict
#| not chosen: ldstmatrix, reg (source is global and destination shared.dyn) · fallback (would serve)
#| ── IR ──
#| for r in range(8):
#|     offset: T.let[T.int32] = r * 256 + lane * 8
#|     T.cuda.copy_128b(T.address_of(tile[offset]), T.address_of(A[offset]))
#| ── CUDA (lines 58–62) ──
#| for (int r = 0; r < 8; ++r) {
#|   int offset = r * 256 + lane * 8;
#|   tvm_builtin_cuda_copy_128b(&tile[offset], &A[offset]);
#| }
    #            ^ hover:
#| 45:18 tile
#| tile    buffer
#| float16 (32, 64) shared.dyn
#| 4,096 bytes, aligned to 128
#| bytes 0..4,096 of dynamic shared memory (5,136 bytes)
#| row-major
    #                        ^ hover:
#| 45:30 A
#| A    buffer
#| float16 (32, 64) global
#| 4,096 bytes, aligned to 64
#| row-major
    T.cuda.cta_sync()
    #      ^ hover:
#| 49:12 cta_sync
#| T.cuda.cta_sync()
#| __syncthreads()
#| All threads of the CTA meet; their earlier writes to shared and global memory are visible to each other.
#| Targets: sm_75 and up
    if T.ptx.elect_sync():
    #        ^ hover:
#| 51:14 elect_sync
#| T.ptx.elect_sync()
#| .reg .pred p;
#| elect.sync _|p, 0xffffffff;
#| selp.u32 {=}, 1, 0, p;
#| 1 in one lane of the warp, which the hardware chooses, and 0 in the others.
#| Targets: sm_90 and up
#| T.ptx.elect_sync(mask: u32)
#| .reg .pred p;
#| elect.sync _|p, {mask};
#| selp.u32 {=}, 1, 0, p;
#| 1 in one lane of the mask, which the hardware chooses, and 0 in the others.
#| Targets: sm_90 and up
        full.arrive(0, 128)
    full.wait(0, 0)
    Tx.warp.copy(fixed[:, :], tile[:, :], dispatch="fallback")
    #       ^ hover:
#| 55:5 Tx.warp.copy
#| copy → fallback    warp, 32 lanes, forced
#|   tile[0:32, 0:64] float16 shared.dyn
#| → fixed[0:32, 0:64] float16 shared
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 4,096 bytes
#| ── IR ──
#| if lane == 0:
#|     for i0 in range(32):
#|         for i1 in range(64):
#|             fixed[i0 * 64 + i1] = tile[i0 * 64 + i1]
#| ── CUDA (lines 68–75) ──
#| if (lane == 0) {
#|   for (int i0 = 0; i0 < 32; ++i0) {
#|     for (int i1 = 0; i1 < 64; ++i1) {
#|       fixed[i0 * 64 + i1] = tile[i0 * 64 + i1];
#|     }
#|   }
#| }
    #            ^ hover:
#| 55:18 fixed
#| fixed    buffer
#| float16 (32, 64) shared
#| 4,096 bytes, aligned to 64
#| bytes 0..4,096 of its static block of shared memory (4,096 bytes)
#| row-major
    for i in T.serial(4):
    #   ^ hover:
#| 58:9 i
#| i    loop variable
#| int32, 0..3
        x: T.float32 = T.float32(i) * 2.0
        #                        ^ hover:
#| 60:34 i
#| i    loop variable
#| int32, 0..3
        B[i, lane] = fixed[i, lane] + T.float16(x)
        #                                       ^ hover:
#| 62:49 x
#| x    scalar variable
#| float32, local


def never_called(bar):
    T.ptx.mbarrier.init(bar, 1)
    #              ^ hover:
#| 67:20 init
#| T.ptx.mbarrier.init(bar: shared, thread_count: u32)
#| mbarrier.init.shared.b64 [{bar}], {thread_count};
#| Makes the barrier ready for its first phase, which completes after that many arrivals. One thread does it; a fence.mbarrier_init and a CTA or cluster sync let the others see it.
#| Targets: sm_80 and up
    unknown(bar)
    # ^ hover: nothing
