# Tile schedulers of a traced kernel (dialects.md 7, surface.md 10): each turns a linear number of work into the
# coordinates of a tile. Where every extent is an integer, an arm that cannot occur is left out.
#
# The first argument, `prefix`, is kept for compatibility; resources are named after the script's own variable.
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral

_DRAINED = 0xFFFFFFFF


def _is_zero(value):
    return isinstance(value, Integral) and value == 0


@T.meta_class
class ClusterPersistentScheduler2D:
    """Clusters walk over groups of `l2_group_size` rows, so that the tiles of a group stay in L2."""

    def __init__(
        self,
        prefix,
        num_m_tiles,
        num_n_tiles,
        num_clusters,
        l2_group_size=8,
        cluster_m=1,
        cluster_n=1,
        serpentine=False,
    ):
        if serpentine:
            raise ValueError("txl.ClusterPersistentScheduler2D has no serpentine order; drop serpentine=")
        self.m_idx = txl.local_scalar("int32")
        self.n_idx = txl.local_scalar("int32")
        self.linear_idx = txl.local_scalar("int32")
        self.tile_count = txl.local_scalar("int32")
        self.num_clusters = num_clusters
        self.group = l2_group_size
        self.cluster_m = cluster_m
        self.cluster_n = cluster_n
        self.cols = (num_n_tiles + cluster_n - 1) // cluster_n
        if isinstance(num_m_tiles, Integral):
            self.rows = (num_m_tiles + cluster_m - 1) // cluster_m
            self.full_groups = self.rows // l2_group_size
        else:
            self.rows = T.truncdiv(num_m_tiles + cluster_m - 1, cluster_m)
            self.full_groups = T.truncdiv(self.rows, l2_group_size)
        self.tail_rows = self.rows - self.full_groups * l2_group_size
        self.total = self.rows * self.cols * cluster_m * cluster_n

    @property
    def work_idx(self):
        """The number of the tile."""
        return self.linear_idx

    @property
    def tile_idx(self):
        """How many tiles this cluster has had."""
        return self.tile_count

    def init(self, cluster_id):
        """Begins with the tile of cluster `cluster_id`."""
        txl.assign(self.linear_idx, cluster_id)
        txl.assign(self.tile_count, txl.int32(0))
        self.update_current_m_n_idx(cluster_id)

    def next_tile_stride(self, stride):
        """Goes `stride` tiles on."""
        txl.assign(self.linear_idx, self.linear_idx + stride)
        txl.assign(self.tile_count, self.tile_count + txl.int32(1))
        self.update_current_m_n_idx(self.linear_idx)

    def next_tile(self):
        """Goes on by the number of clusters."""
        self.next_tile_stride(self.num_clusters)

    def valid(self):
        """Is there a tile? False after the last."""
        return self.linear_idx < self.total

    def update_current_m_n_idx(self, work):
        """Computes row and column from the number `work`: full groups first, then the rows that are left."""
        above = work // self.cluster_m
        linear = above // self.cluster_n
        row_in_cluster, col_in_cluster = work % self.cluster_m, above % self.cluster_n

        def store(row, col):
            txl.assign(self.m_idx, row * self.cluster_m + row_in_cluster)
            txl.assign(self.n_idx, col * self.cluster_n + col_in_cluster)

        if _is_zero(self.full_groups):
            self._tail_or_zero(linear, store)
            return
        span = self.group * self.cols
        with txl.If((self.full_groups > 0) & (linear < self.full_groups * span)):
            with txl.Then():
                inside = linear % span
                store(linear // span * self.group + inside % self.group, inside // self.group)
            with txl.Else():
                self._tail_or_zero(linear, store)

    def _tail_or_zero(self, linear, store):
        if _is_zero(self.tail_rows):
            store(0, 0)
            return
        with txl.If(self.tail_rows > 0):
            with txl.Then():
                rest = linear - self.full_groups * (self.group * self.cols)
                store(self.full_groups * self.group + rest % self.tail_rows, rest // self.tail_rows)
            with txl.Else():
                store(0, 0)


@T.meta_class
class _AttentionScheduler:
    def __init__(self, prefix, num_batches, num_heads, num_m_blocks, num_ctas):
        self.m_idx = txl.local_scalar("int32")
        self.n_idx = txl.local_scalar("int32")
        self.linear_idx = txl.local_scalar("int32")
        self.batch_idx = txl.local_scalar("int32")
        self.head_idx = txl.local_scalar("int32")
        self.m_block_idx = txl.local_scalar("int32")
        self.num_batches = num_batches
        self.num_heads = num_heads
        self.num_m_blocks = num_m_blocks
        self.num_ctas = num_ctas
        self.total = num_batches * num_heads * num_m_blocks

    def init(self, cta_id):
        """Begins with block number `cta_id`."""
        txl.assign(self.linear_idx, cta_id)
        self.update_current_m_n_idx(cta_id)

    def next_tile(self):
        """Goes on to the next block of this CTA; without `num_ctas` there is none."""
        if self.num_ctas is None:
            txl.assign(self.linear_idx, self.total)
        else:
            txl.assign(self.linear_idx, self.linear_idx + self.num_ctas)
            self.update_current_m_n_idx(self.linear_idx)

    def valid(self):
        """Is there a block? False after the last."""
        return self.linear_idx < self.total


@T.meta_class
class FlashAttentionLinearScheduler(_AttentionScheduler):
    """Blocks of a head, then heads, then batches."""

    def update_current_m_n_idx(self, linear):
        """Computes batch, head and block from the number."""
        batch = self.num_heads * self.num_m_blocks
        txl.assign(self.batch_idx, linear // batch)
        txl.assign(self.head_idx, linear % batch // self.num_m_blocks)
        txl.assign(self.m_block_idx, linear % self.num_m_blocks)


@T.meta_class
class FlashAttentionLPTScheduler(_AttentionScheduler):
    """Longest blocks first: sections of `l2_swizzle` heads, and in a section the last blocks of all its heads first."""

    def __init__(self, prefix, num_batches, num_heads, num_m_blocks, l2_swizzle, num_ctas=None):
        super().__init__(prefix, num_batches, num_heads, num_m_blocks, num_ctas)
        if isinstance(l2_swizzle, Integral) and l2_swizzle <= 0:
            raise ValueError(f"FlashAttentionLPTScheduler: l2_swizzle is {l2_swizzle}: it must be positive")
        self.l2_swizzle = l2_swizzle

    def update_current_m_n_idx(self, linear):
        """Computes batch, head and block from the number."""
        heads = self.num_batches * self.num_heads
        section = self.l2_swizzle * self.num_m_blocks
        number, inside = linear // section, linear % section
        last = txl.max(heads % self.l2_swizzle, 1)
        full = number < heads // self.l2_swizzle
        block = txl.Select(full, inside // self.l2_swizzle, inside // last)
        within = txl.Select(full, inside % self.l2_swizzle, inside % last)
        head = number * self.l2_swizzle + within
        txl.assign(self.batch_idx, head // self.num_heads)
        txl.assign(self.head_idx, head % self.num_heads)
        txl.assign(self.m_block_idx, self.num_m_blocks - 1 - block)


def query_cancel_first_ctaid_x(first_ctaid_x, handle, *, use_ld_acquire=True):
    """Reads the answer at `handle` into `first_ctaid_x`: the x of the first CTA of the cluster that was cancelled, or
    0xFFFFFFFF where there was none."""
    _read_answer(
        txl.local_scalar("uint128", name="clc_response"),
        txl.local_scalar(txl.u32, name="clc_canceled"),
        first_ctaid_x,
        handle,
        ".acquire.cta" if use_ld_acquire else "",
    )


def _read_answer(response, canceled, first_ctaid_x, handle, suffix):
    txl.ptx[f"ld{suffix}.shared.b128"](response, handle)
    txl.ptx["clusterlaunchcontrol.query_cancel.is_canceled.pred.b128"](canceled, response)
    txl.assign(first_ctaid_x, txl.uint32(_DRAINED))
    txl.ptx["clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128"](first_ctaid_x, response, pred=canceled)
    txl.ptx["fence.proxy.async.shared::cta"]()


@T.meta_class
class _LaunchControlWorker(ClusterPersistentScheduler2D):
    """One side that works on what the hardware hands out: `m_idx` and `n_idx` are its tile."""

    def __init__(self, owner, prefix):
        super().__init__(
            prefix, owner.num_m_tiles, owner.num_n_tiles, owner.num_m_tiles * owner.num_n_tiles, owner.l2_group_size
        )
        self.owner = owner
        self.arrived = txl.PipelineState(1, 0)
        self.done = txl.local_scalar(txl.i32, name=f"{prefix}_done")
        self.nxt = txl.local_scalar(txl.u32, name=f"{prefix}_next")

    def reset(self):
        """Begins once more."""
        txl.assign(self.done, txl.int32(0))

    def init(self, cluster_id):
        """Begins with the tile of its own cluster."""
        ClusterPersistentScheduler2D.init(self, cluster_id)
        txl.assign(self.done, txl.int32(0))

    def valid(self):
        """Is there a tile? False when the hardware has no more clusters."""
        return self.done == txl.int32(0)

    def _receive(self):
        self.owner.sched_arr.full.wait(0, self.arrived.phase)
        self.arrived.advance()
        query_cancel_first_ctaid_x(self.nxt, txl.address_of(self.owner.clc_handle[0]))

    def consume(self):
        """Waits for the next answer of the hardware, reads it, and gives the slot back."""
        self._receive()
        self.owner.sched_fin.empty.arrive(0, remote=0, pred=True)

    def consume_wg(self, wg_id, warp_id, lane_id):
        """The same by a whole warpgroup: all of it has read the answer before one lane gives the slot back."""
        self._receive()
        txl.cuda.warpgroup_sync(wg_id + 1)
        with txl.If((warp_id == 0) & (lane_id == 0)), txl.Then():
            self.owner.sched_fin.empty.arrive(0, remote=0, pred=True)

    def advance_coords(self):
        """Goes on to the tile of the answer."""
        with txl.If(self.nxt != txl.uint32(_DRAINED)), txl.Then():
            self.update_current_m_n_idx(self.nxt // self.owner.cta_group)

    def mark_done_if_drained(self):
        """Ends where the answer was that there are no more clusters."""
        with txl.If(self.nxt == txl.uint32(_DRAINED)), txl.Then():
            txl.assign(self.done, txl.int32(1))


@T.meta_class
class ClusterLaunchControlScheduler:
    """One elected thread asks for the next cluster; workers read the answer and give the slot back."""

    def __init__(self, pool, num_m_tiles, num_n_tiles, l2_group_size, cta_group, finish_arrivals):
        self.num_m_tiles = num_m_tiles
        self.num_n_tiles = num_n_tiles
        self.l2_group_size = l2_group_size
        self.cta_group = cta_group
        self.sched_arr = txl.Pipeline(pool, 1, full="tma", empty="mbar", init_empty=1)
        self.sched_fin = txl.Pipeline(pool, 1, full="mbar", empty="mbar", init_empty=finish_arrivals)
        self.clc_handle = pool.alloc((4,), txl.u32, align=16)
        self.done = txl.local_scalar(txl.i32, name="clc_scheduler_done")
        self.nxt = txl.local_scalar(txl.u32, name="clc_scheduler_next")

    def worker(self, prefix):
        """One side that reads the answers; each role of a kernel has its own."""
        return _LaunchControlWorker(self, prefix)

    def run_scheduler(self, cbx):
        """Asks for clusters until there are no more: one elected thread of the scheduling warp."""
        with txl.If(txl.cuda.elect_sync()), txl.Then():
            self._ask(cbx, txl.PipelineState(1, 0), txl.PipelineState(1, 1))

    def _ask(self, cbx, arrived, finished):
        txl.assign(self.done, txl.int32(0))
        with txl.While(self.done == txl.int32(0)):
            with txl.If(cbx == 0), txl.Then():
                self.sched_fin.empty.wait(0, finished.phase)
                finished.advance()
                txl.ptx[
                    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
                    ".multicast::cluster::all.b128"
                ](txl.address_of(self.clc_handle[0]), txl.address_of(self.sched_arr.full.buf[0]))
            self.sched_arr.full.arrive(0, 16)
            self.sched_arr.full.wait(0, arrived.phase)
            arrived.advance()
            query_cancel_first_ctaid_x(self.nxt, txl.address_of(self.clc_handle[0]))
            self.sched_fin.empty.arrive(0, remote=0, pred=True)
            with txl.If(self.nxt == txl.uint32(_DRAINED)), txl.Then():
                txl.assign(self.done, txl.int32(1))
