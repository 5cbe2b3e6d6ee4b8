# tilewright: dialect 0.27
# tvm_tirx: arguments of its classes, of launches and of apply, names of instructions, renaming.
from tvm_tirx.backend.cuda.lang import MBarrier, Pipeline, PipelineState, SMEMPool, TMABar
from tvm_tirx.script import tirx as T

n = T.dynamic("n")
# @1 rename(extent):
#| 6:1 n
#| 28:53 n
LAUNCH = T.cuda.LaunchConfig(grid=1, block=128)
#                            ^ signatureHelp:
#| T.cuda.LaunchConfig(*, grid, block, cluster=None, preferred_cluster=None, dynamic_smem_bytes=None, stream=None, cooperative=None, programmatic_stream_serialization=None, ...)
#| active: None
#                                    ^ completion(clus|coop):
#| cluster= kind 5 cluster=None
#| cooperative= kind 5 cooperative=None
#| preferred_cluster= kind 5 preferred_cluster=None


@T.inline
def affine(x, scale, offset):
#   ^ rename(line):
#| 14:5 affine
#| 74:12 affine
#             ^ rename(factor):
#| 14:15 scale
#| 17:13 scale
#| 74:25 scale
    y = x * scale
    return y + offset


@T.function(private=True)
def twice(x: T.float32) -> T.float32:
#   ^ references:
#| 22:5 twice
#| 70:23 twice
    return x * T.float32(2)


@T.function
def k(A: T.Tensor((1024,), "float32"), S: T.Tensor((n,), "float32")):
#     ^ rename(X):
#| 28:7 A
#| 66:46 A
#                  ^ signatureHelp:
#| T.Tensor(shape, dtype, scope='global', align=0, layout=None, *, data=None)
#| active: shape
#                                                        ^ completion(lay|sco):
#| layout= kind 5 layout=None
#| scope= kind 5 scope='global'
    T.device_entry(launch=LAUNCH)
    #              ^ completion(^launch): launch= kind 5 launch
    #                     ^ references:
#| 8:1 LAUNCH
#| 32:27 LAUNCH
    t = T.cuda.thread_idx("x")
    #          ^ completion(_idx):
#| thread_idx kind 3 (axis)
#| block_idx kind 3 (axis)
    #                     ^ signatureHelp:
#| T.cuda.thread_idx(axis)
#| active: axis
    pool = SMEMPool()
    #               ^ signatureHelp:
#| SMEMPool(ptr=None)
#| active: ptr=None
    s = pool.alloc((128,), "float32", align=128)
    #                      ^ signatureHelp:
#| pool.alloc(shape, dtype="float32", strides=None, scope="shared.dyn", align=0, **options)
#| active: dtype="float32"
    #                                 ^ completion(ali): align= kind 5 align=0
    bar = MBarrier(pool, 1)
    #              ^ signatureHelp:
#| MBarrier(pool, depth, phase_offset=0, leader=None)
#| active: pool
    #                    ^ completion(dep): depth= kind 5 depth
    tma = TMABar(pool, 1)
    #            ^ signatureHelp:
#| TMABar(pool, depth, phase_offset=0, leader=None)
#| active: pool
    pipe = Pipeline(pool, 2, full="tma", empty="mbar")
    #               ^ signatureHelp:
#| Pipeline(pool, stages, *, full, empty, init_full=1, init_empty=1, empty_phase_offset=0, leader=None)
#| active: pool
    state = PipelineState(2, 0)
    #                     ^ signatureHelp:
#| PipelineState(depth, phase=None)
#| active: depth
    pool.commit()
    #    ^ completion(^c|^a):
#| alloc kind 2 (shape, dtype="float32", strides=None, scope="shared.dyn", align=0, **options)
#| commit kind 2 (size=None)
#| alloc_tcgen05_mma_AB kind 2 (shape, dtype="float16", swizzle_mode="auto", align=1024)
#| committed kind 5 None
    #    ^ definition: smem_pool_base.py 114:9
    #           ^ signatureHelp:
#| pool.commit(size=None)
#| active: size=None
    bar.init(128)
    #        ^ signatureHelp:
#| bar.init(count)
#| active: count
    tma.arrive(0, 512)
    #   ^ completion(^arr): arrive kind 2 (stage, tx_count=None, remote=None, pred=None)
    #             ^ signatureHelp:
#| tma.arrive(stage, tx_count=None, remote=None, pred=None)
#| active: tx_count=None
    pipe.full.wait(state.stage, 0)
    #         ^ completion(^wait): wait kind 2 (stage, phase)
    #              ^ signatureHelp:
#| pipe.full.wait(stage, phase)
#| active: stage
    #                    ^ completion:
#| stage kind 5 int32
#| advance kind 2 ()
#| depth kind 5 2
#| init kind 2 (phase)
#| phase kind 5 int32
    r = T.alloc_local((4,), "float32", layout="default")
    T.cuda.tile.apply("ld.global.v4.f32", r, A[t * 4 : t * 4 + 4], scope="thread")
    #                                     ^ signatureHelp:
#| T.cuda.tile.apply(instruction, *views, scope='thread', **parameters)
#| active: *views
    #                                     ^ references:
#| 65:5 r
#| 66:43 r
#| 70:30 r
#| 70:33 r
#| 74:19 r
    #                                                              ^ completion(box|scope|chunk|accum):
#| accum= kind 5 accum=False
#| box= kind 5 box=None
#| chunk_bytes= kind 5 chunk_bytes=None
    T.cuda.tile.ewise(twice, r, r)
    #           ^ completion:
#| apply kind 3 (instruction, *views, scope='thread', **parameters)
#| ewise kind 3 (function, dst, *inputs, scope='thread')
    #                 ^ signatureHelp:
#| T.cuda.tile.ewise(function, dst, *inputs, scope='thread')
#| active: function
    #                 ^ definition: 22:5 twice
    s[t] = affine(r[0], scale=T.float32(2), offset=T.float32(1))
    #             ^ signatureHelp:
#| affine(x, scale, offset)
#| active: x
    #                   ^ rename(factor):
#| 14:15 scale
#| 17:13 scale
#| 74:25 scale
    T.ptx.st.global_.f32(S.ptr_to([t]), s[t])
    #        ^ completion(^gl): global_ kind 14 .global  space
    #                      ^ completion(^ptr): ptr_to kind 3 (indices)
    T.cuda.KernelAttributes(min_blocks_per_sm=1)
    #                       ^ signatureHelp:
#| T.cuda.KernelAttributes(*, min_blocks_per_sm=None, max_blocks_per_cluster=None, max_registers_per_thread=None, required_block_size=False)
#| active: None
    T.cuda.cta_sync()
    #      ^ completion(sync$):
#| cta_sync kind 3 ()
#| __shfl_down_sync kind 3 (mask: u32, var: any, delta: i32, width: i32)
#| __shfl_sync kind 3 (mask: u32, var: any, lane: i32, width: i32)
#| __shfl_up_sync kind 3 (mask: u32, var: any, delta: i32, width: i32)
#| __shfl_xor_sync kind 3 (mask: u32, var: any, lane_mask: i32, width: i32)
#| any_sync kind 3 (mask: u32, pred: i32)
#| ballot_sync kind 3 (mask: u32, pred: i32)
#| cluster_sync kind 3 ()
#| elect_sync kind 3 ()
#| grid_sync kind 3 ()
#| warp_sync kind 3 ()
#| warpgroup_sync kind 3 (bar_no: i32)
