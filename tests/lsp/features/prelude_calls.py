# tilewright: dialect 0.27
# Classes of the prelude in a parsed script: what they are made from, and their methods.
from tvm.script import tirx as T


@T.prim_func
def k(A: T.Buffer((4, 128), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    pool = T.SMEMPool()
    #                 ^ signatureHelp:
#| T.SMEMPool(ptr=None)
#| active: ptr=None
    buf = pool.alloc((4, 128), "float32", align=128)
    #                          ^ signatureHelp:
#| pool.alloc(shape, dtype="float32", strides=None, scope="shared.dyn", align=0, **options)
#| active: dtype="float32"
    #                                     ^ completion(ali): align= kind 5 align=0
    bar = T.MBarrier(pool, depth=2)
    #                ^ signatureHelp:
#| T.MBarrier(pool, depth, phase_offset=0, leader=None)
#| active: pool
    #                      ^ completion(dep): depth= kind 5 depth
    pipe = T.Pipeline(pool, 2, full="tma", empty="mbar", init_empty=128)
    #                 ^ signatureHelp:
#| T.Pipeline(pool, stages, *, full, empty, init_full=1, init_empty=1, empty_phase_offset=0, leader=None)
#| active: pool
    state = T.PipelineState(2, 0)
    #                       ^ signatureHelp:
#| T.PipelineState(depth, phase=None)
#| active: depth
    pool.commit()
    bar.init(1)
    #        ^ signatureHelp:
#| bar.init(count)
#| active: count
    pipe.full.arrive(state.stage, 512)
    #         ^ completion(^arr): arrive kind 2 (stage, tx_count=None, remote=None, pred=None)
    #                ^ signatureHelp:
#| pipe.full.arrive(stage, tx_count=None, remote=None, pred=None)
#| active: stage
    #                      ^ completion:
#| stage kind 5 int32
#| advance kind 2 ()
#| depth kind 5 2
#| init kind 2 (phase)
#| phase kind 5 int32
    A[0, t] = buf[0, t]
    #                ^ rename(thread):
#| 10:5 t
#| 30:10 t
#| 30:22 t
