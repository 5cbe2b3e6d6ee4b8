# What can follow a dot, in a line that is being typed: values say what they have.
from dataclasses import dataclass

from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import Pipeline, PipelineState
from tvm.tirx.lang.tile_scheduler import ClusterPersistentScheduler2D
from tvm.tirx.layout import S, TileLayout


@dataclass(frozen=True)
class Config:
    """How large the tiles are."""

    rows: int = 64
    columns: int = 32
    dtype: str = "float16"

    def bytes(self):
        """Of one tile."""
        return self.rows * self.columns * 2


layout = TileLayout(S[8, 16])
layout.
#      ^ completion(^tile|^slice):
#| slice kind 3 (shape, region)
#| tile kind 3 (other, first_shape, second_shape)
#| tile_layout kind 5
#| tile_to kind 3 (to_shape, current_shape)


def make(cfg):
    cfg.
    #   ^ completion():
#| columns kind 5 32
#| dtype kind 5 'float16'
#| rows kind 5 64
#| bytes kind 2 ()
    #   ^ documentation(bytes): Of one tile.

    @T.prim_func
    def kernel(A_ptr: T.handle):
        A = T.match_buffer(A_ptr, (cfg.rows, cfg.columns), cfg.dtype)
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        lane = T.lane_id([32])
        pool = T.SMEMPool()
        tile = pool.alloc((64, 32), "float16")
        pipe = Pipeline(pool, 2, full="tma", empty="mbar")
        pool.commit()
        st = PipelineState(2, phase=0)
        sched = ClusterPersistentScheduler2D("s", 4, 4, 2)
        pool.
        #    ^ completion():
#| alloc kind 2 (shape, dtype="float32", strides=None, scope="shared.dyn", align=0, **options)
#| commit kind 2 (size=None)
#| alloc_mma kind 2 (shape, dtype="float16", swizzle_mode="auto", align=1024)
#| buf kind 5 uint8 (0) shared.dyn
#| committed kind 5 4128
#| max_offset kind 5 4128
#| move_base_to kind 2 (offset)
#| offset kind 5 4128
#| ptr kind 5 None
        #    ^ documentation(alloc_mma):
#| A buffer that matrix instructions and tensor copies can read: with the swizzle of `swizzle_mode`.
        pipe.
        #    ^ completion():
#| full kind 5 TMABar
#| empty kind 5 MBarrier
#| stages kind 5 2
        pipe.full.
        #         ^ completion():
#| arrive kind 2 (stage, tx_count=None, cta_id=None, pred=None)
#| buf kind 5 uint64 (2) shared.dyn
#| depth kind 5 2
#| init kind 2 (count)
#| is_remote kind 5 False
#| leader kind 5 None
#| phase_offset kind 5 0
#| ptr_to kind 2 (idx)
#| remote kind 2 (rank)
#| remote_view kind 2 (rank)
#| wait kind 2 (stage, phase)
        #         ^ documentation(wait):
#| Waits until the phase with parity `phase` of barrier `stage` is complete. `phase_offset` flips the parity.
        pipe.full.wa
        #           ^ completion(^wait$): wait kind 2 (stage, phase)
        st.
        #  ^ completion():
#| advance kind 2 ()
#| depth kind 5 2
#| init kind 2 (phase)
#| phase kind 5 int32
#| stage kind 5 int32
        #  ^ documentation(advance): Goes to the next stage; after the last it begins again, with the other parity.
        sched.
        #     ^ completion():
#| cluster_m kind 5 1
#| cluster_n kind 5 1
#| cols kind 5 4
#| group kind 5 8
#| init kind 2 (cluster_id)
#| linear_idx kind 5 int32
#| m_idx kind 5 int32
#| n_idx kind 5 int32
#| next_tile kind 2 ()
#| next_tile_stride kind 2 (stride)
#| num_clusters kind 5 2
#| rows kind 5 4
#| serpentine kind 5 False
#| tile_count kind 5 int32
#| tile_idx kind 5
#| total kind 5 16
#| update_current_m_n_idx kind 2 (work)
#| valid kind 2 ()
#| work_idx kind 5
        A.
        # ^ completion(^dtype|^shape|^ptr|^view|^local):
#| dtype kind 5
#| local kind 3 (*shape, layout=None)
#| ptr_to kind 3 (indices)
#| shape kind 5
#| view kind 3 (*shape, layout=None)
        Tx.warp.copy(tile[:, :], A.
        #                          ^ completion(^shape$|^dtype$):
#| dtype kind 5
#| shape kind 5
        if pool.
        #       ^ completion(^off): offset kind 5 4128
            T.cuda.cta_sync()
        for i in T.serial(tile.shape[0].
        #                               ^ completion(): nothing
        x = unheard_of.
        #              ^ completion(): nothing
        lane.
        #    ^ completion():
#| astype kind 2 (dtype)
#| dtype kind 5 'int32'
        Tx.warp.copy(t
        #            ^ completion(^tile|^A$|^warp$|^make$|^kernel$):
#| A kind 6
#| tile kind 6
#| warp kind 6
#| kernel kind 3
#| make kind 3

    return kernel


# tilewright: entry make(Config())


class Part:
    LIMIT = 4

    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.count = 0

    def rest(self):
        self.
        #    ^ completion():
#| LIMIT kind 5
#| cfg kind 5
#| count kind 5
#| rest kind 2
        self.cfg.
        #        ^ completion():
#| columns kind 5
#| dtype kind 5
#| rows kind 5
#| bytes kind 2
        LI
        # ^ completion(^LI): nothing
        # ^ completion(^cfg$|^count$): nothing


def apart(part: Part, other: "Config"):
    part.
    #    ^ completion():
#| LIMIT kind 5
#| cfg kind 5
#| count kind 5
#| rest kind 2
    other.
    #     ^ completion():
#| columns kind 5
#| dtype kind 5
#| rows kind 5
#| bytes kind 2
    part.cfg.
    #        ^ completion(^rows): rows kind 5
    inner = 3


barriers = T.ptx.mbarrier
barriers.
#        ^ completion(^init$|^try_wait$):
#| init kind 3 (bar: shared, thread_count: u32)
#| try_wait kind 3 (bar: shared, phase: u32)


@T.
# @4 completion(^prim|^inline$|^jit$|^alloc_buffer$):
#| prim_func kind 3
#| inline kind 3
#| jit kind 3
#| alloc_buffer kind 3 (shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='global', align=-1, offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None)
pa
# @3 completion(^part$|^inner$|^Part$|^LIMIT$|^apart$):
#| Part kind 7
#| apart kind 3
# tilewright: 
# @15 completion():
#| arch kind 14 arch sm_90a sm_100a
#| dialect kind 14 dialect 0.25
#| entry kind 14 entry make(shape=(128, 64))
#| ignore kind 14 ignore[CODE, ...]
#| reference kind 14 reference expected(ROWS)
#| run kind 14 run ENTRY reference=expected A=random(seed=7) B=poison n=100 repeat=20
#| sequence kind 14 sequence encode then consume
#| tune kind 14 tune NAME=VALUE,VALUE NAME=FIRST..LAST if CONDITION
x = 1  # tilewright: arch sm_90a 
#                                ^ completion(^sm_90a$|^sm_100a$|^sm_80$):
#| sm_100a kind 12
#| sm_80 kind 12
x = 1  # tilewright: entry m
#                           ^ completion():
#| apart kind 3
#| make kind 3
#| barriers kind 6
#| layout kind 6
#| x kind 6
#| Config kind 7
#| Part kind 7
x = 1  # tilewright: run make(4) A=ar
#                                    ^ completion(^arange$|^random$):
#| arange kind 12 arange(start=0, step=1)
#| random kind 12 random(seed=7, low=-1, high=1)
x = 1  # tilewright: run make(4) re
#                                  ^ completion(^repeat=$): repeat= kind 14 repeat=20
# Another one's comment: pool.
# @30 completion(): nothing
