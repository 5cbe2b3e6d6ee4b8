# The scheduler that asks the hardware for its next cluster (surface.md 10).
from tvm.script import tirx as T
from tvm.tirx.lang.schedulers import ClusterPersistentScheduler2D
from tvm.tirx.lang.pipeline import Pipeline, PipelineState

_DRAINED = 0xFFFFFFFF


@T.meta_class
class _LaunchControlWorker(ClusterPersistentScheduler2D):
    """One side that works on what the hardware hands out: `m_idx` and `n_idx` are its tile."""

    def __init__(self, prefix, owner, num_m_tiles, num_n_tiles, l2_group_size, cta_group):
        super().__init__(prefix, num_m_tiles, num_n_tiles, 1, l2_group_size)
        self.owner = owner
        self.cta_group = cta_group
        self.arrived = PipelineState(1, phase=0)
        self.done = T.local_scalar("int32")
        self.nxt = T.local_scalar("uint32")

    @T.inline
    def init(self, cluster):
        """Begins with the tile of its own cluster."""
        self.linear_idx = cluster
        self.tile_count = 0
        self.update_current_m_n_idx(self.linear_idx)
        self.done = 0

    @T.inline
    def reset(self):
        """Begins once more."""
        self.done = 0

    def valid(self):
        """Is there a tile? False when the hardware has no more clusters."""
        return self.done == 0

    @T.inline
    def _receive(self):
        self.owner.sched_arr.full.wait(0, self.arrived.phase)
        self.arrived.advance()
        self.nxt = T.ptx.clc_query_cancel(self.owner.clc_handle.ptr_to([0]))

    @T.inline
    def consume(self):
        """Waits for the next answer of the hardware, reads it, and gives the slot back."""
        self._receive()
        self.owner.sched_fin.empty.arrive(0, 0)

    @T.inline
    def consume_wg(self, wg, warp, lane):
        """The same by a whole warpgroup: all of it has read the answer before one lane gives the slot back."""
        self._receive()
        T.cuda.warpgroup_sync(wg + 1)
        if (warp == 0) & (lane == 0):
            self.owner.sched_fin.empty.arrive(0, 0)

    @T.inline
    def advance_coords(self):
        """Goes on to the tile of the answer."""
        if self.nxt != T.uint32(_DRAINED):
            next_tile: T.let = T.cast(self.nxt // T.uint32(self.cta_group), "int32")
            self.update_current_m_n_idx(next_tile)

    @T.inline
    def mark_done_if_drained(self):
        """Ends where the answer was that there are no more clusters."""
        if self.nxt == T.uint32(_DRAINED):
            self.done = 1


@T.meta_class
class ClusterLaunchControlScheduler:
    """One elected thread asks for the next cluster; workers read the answer and give the slot back."""

    def __init__(self, pool, num_m_tiles, num_n_tiles, l2_group_size, cta_group, finish_arrivals):
        self.num_m_tiles = num_m_tiles
        self.num_n_tiles = num_n_tiles
        self.l2_group_size = l2_group_size
        self.cta_group = cta_group
        self.sched_arr = Pipeline(pool, 1, full="tma", empty="mbar")
        self.sched_fin = Pipeline(pool, 1, full="mbar", empty="mbar", init_empty=finish_arrivals)
        self.clc_handle = pool.alloc((4,), "uint32", align=16)

    def worker(self, prefix):
        """One side that reads the answers; each role of a kernel has its own."""
        return _LaunchControlWorker(
            prefix, self, self.num_m_tiles, self.num_n_tiles, self.l2_group_size, self.cta_group
        )

    @T.inline
    def run_scheduler(self, cbx):
        """Asks for clusters until there are no more: one elected thread of the scheduling warp."""
        if T.ptx.elect_sync():
            arrived = PipelineState(1, phase=0)
            finished = PipelineState(1, phase=1)
            done: T.int32 = 0
            nxt: T.uint32
            while done == 0:
                if cbx == 0:
                    self.sched_fin.empty.wait(0, finished.phase)
                    finished.advance()
                    T.ptx.clc_try_cancel(self.clc_handle.ptr_to([0]), self.sched_arr.full.ptr_to([0]))
                self.sched_arr.full.arrive(0, 16)
                self.sched_arr.full.wait(0, arrived.phase)
                arrived.advance()
                nxt = T.ptx.clc_query_cancel(self.clc_handle.ptr_to([0]))
                self.sched_fin.empty.arrive(0, 0)
                if nxt == T.uint32(_DRAINED):
                    done = 1
