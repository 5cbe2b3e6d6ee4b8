# Tile schedulers (surface.md 10): each turns a linear number of work into the coordinates of a tile.
#
# The first argument, `prefix`, is kept for compatibility; resources are named after the script's own variable.
# Plain helpers compute expressions; methods with @T.inline store them. Where every extent is an integer, an arm that
# cannot occur is left out.
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import Pipeline, PipelineState


def _may_be_positive(value):
    return not isinstance(value, int) or value > 0


def _positive(value, who, what):
    if isinstance(value, int) and value <= 0:
        raise ValueError(f"{who}: {what} must be positive, not {value}")


def _at_least_one(value):
    return max(value, 1)


@T.meta_class
class BaseTileScheduler:
    def __init__(self, prefix):
        self.m_idx = T.local_scalar("int32")
        self.n_idx = T.local_scalar("int32")
        self.linear_idx = T.local_scalar("int32")

    # What a subclass computes from the linear index; nothing here.
    @T.inline
    def update_current_m_n_idx(self, linear):
        pass

    @T.inline
    def init(self, linear):
        self.linear_idx = linear
        self.update_current_m_n_idx(self.linear_idx)

    @T.inline
    def next_tile(self, step):
        self.linear_idx = self.linear_idx + step
        self.update_current_m_n_idx(self.linear_idx)

    def valid(self, total):
        return self.linear_idx < total


@T.meta_class
class ClusterPersistentScheduler2D(BaseTileScheduler):
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
        super().__init__(prefix)
        for value, what in ((l2_group_size, "l2_group_size"), (cluster_m, "cluster_m"), (cluster_n, "cluster_n")):
            _positive(value, "ClusterPersistentScheduler2D", what)
        self.num_clusters = num_clusters
        self.group = l2_group_size
        self.cluster_m = cluster_m
        self.cluster_n = cluster_n
        self.rows = (num_m_tiles + cluster_m - 1) // cluster_m
        self.cols = (num_n_tiles + cluster_n - 1) // cluster_n
        self.total = self.rows * self.cols * cluster_m * cluster_n
        self.serpentine = bool(serpentine)
        self.tile_count = T.local_scalar("int32")

    @property
    def work_idx(self):
        return self.linear_idx

    @property
    def tile_idx(self):
        return self.tile_count

    @T.inline
    def init(self, cluster_id):
        self.linear_idx = cluster_id
        self.tile_count = 0
        self.update_current_m_n_idx(self.linear_idx)

    @T.inline
    def next_tile_stride(self, stride):
        self.linear_idx = self.linear_idx + stride
        self.tile_count = self.tile_count + 1
        self.update_current_m_n_idx(self.linear_idx)

    @T.inline
    def next_tile(self):
        self.next_tile_stride(self.num_clusters)

    def valid(self):
        return self.linear_idx < self.total

    @T.inline
    def update_current_m_n_idx(self, work):
        if self.serpentine:
            self._place_serpentine(work)
        else:
            self._place_grouped(work)

    @T.inline
    def _store(self, work, row, col):
        self.m_idx = row * self.cluster_m + work % self.cluster_m
        self.n_idx = col * self.cluster_n + work // self.cluster_m % self.cluster_n

    # Full groups first, then the rows that are left, column by column.
    @T.inline
    def _place_grouped(self, work):
        lin: T.let = work // (self.cluster_m * self.cluster_n)
        groups = T.meta_var(self.rows // self.group)
        span = T.meta_var(self.group * self.cols)
        tail = T.meta_var(self.rows - self.rows // self.group * self.group)
        if _may_be_positive(groups):
            if lin < groups * span:
                self._store(
                    work, lin // span * self.group + lin % span % self.group, lin % span // self.group
                )
            else:
                self._place_tail(work, lin - groups * span, groups * self.group, tail)
        else:
            self._place_tail(work, lin, 0, tail)

    @T.inline
    def _place_tail(self, work, rest, first_row, tail):
        if _may_be_positive(tail):
            self._store(work, first_row + rest % tail, rest // tail)
        else:
            self._store(work, 0, 0)

    # Square blocks, down one column of blocks and up the next; then the strip on the right, then the one below.
    @T.inline
    def _place_serpentine(self, work):
        lin: T.let = work // (self.cluster_m * self.cluster_n)
        side = T.meta_var(self.group)
        block_rows = T.meta_var(self.rows // self.group)
        block_cols = T.meta_var(self.cols // self.group)
        blocks = T.meta_var(self.rows // self.group * (self.cols // self.group))
        if _may_be_positive(blocks):
            if lin < blocks * side * side:
                block: T.let = lin // (side * side)
                inside: T.let = lin % (side * side)
                block_col: T.let = block // block_rows
                down: T.let = block % block_rows
                block_row: T.let = T.Select(block_col % 2 == 1, block_rows - 1 - down, down)
                self._store(work, block_row * side + inside // side, block_col * side + inside % side)
            else:
                self._place_strips(work, lin - blocks * side * side, block_rows * side, block_cols * side)
        else:
            self._place_strips(work, lin, block_rows * side, block_cols * side)

    @T.inline
    def _place_strips(self, work, rest, full_rows, full_cols):
        right = T.meta_var(self.cols - full_cols)
        if _may_be_positive(right):
            # The right strip is as high as all rows.
            if rest < self.rows * right:
                self._store(work, rest // right, full_cols + rest % right)
            else:
                self._place_below(work, rest - self.rows * right, full_rows)
        else:
            self._place_below(work, rest, full_rows)

    @T.inline
    def _place_below(self, work, rest, full_rows):
        below = T.meta_var(self.rows - full_rows)
        if _may_be_positive(below):
            self._store(work, full_rows + rest % below, rest // below)
        else:
            self._store(work, 0, 0)


@T.meta_class
class GroupMajor3D(BaseTileScheduler):
    """Groups of `group_rows` rows; inside a group rows first, then columns, then k."""

    def __init__(self, prefix, m_tiles, n_tiles, k_tiles, group_rows, step=1):
        super().__init__(prefix)
        _positive(group_rows, "GroupMajor3D", "group_rows")
        self.m_tiles = m_tiles
        self.n_tiles = n_tiles
        self.k_tiles = k_tiles
        self.group_rows = group_rows
        self.step = step
        self.tile_idx = T.local_scalar("int32")
        self.k_idx = T.local_scalar("int32")

    @T.inline
    def init(self, linear):
        self.linear_idx = linear
        self.tile_idx = 0
        self.update_current_m_n_idx(self.linear_idx)

    @T.inline
    def next_tile_stride(self, stride):
        self.linear_idx = self.linear_idx + stride
        self.tile_idx = self.tile_idx + 1
        self.update_current_m_n_idx(self.linear_idx)

    @T.inline
    def next_tile(self):
        self.next_tile_stride(self.step)

    def valid(self):
        return self.linear_idx < self.m_tiles * self.n_tiles * self.k_tiles

    @T.inline
    def update_current_m_n_idx(self, lin):
        rows = T.meta_var(self.group_rows)
        groups = T.meta_var(self.m_tiles // self.group_rows)
        full = T.meta_var(self.m_tiles // self.group_rows * self.group_rows * self.n_tiles * self.k_tiles)
        if _may_be_positive(groups):
            if lin < full:
                slab = T.meta_var(rows * self.n_tiles * self.k_tiles)
                self.m_idx = lin // slab * rows + lin % rows
                self.n_idx = lin // rows % self.n_tiles
                self.k_idx = lin % slab // (rows * self.n_tiles)
            else:
                self._place_tail(lin - full, groups * rows)
        else:
            self._place_tail(lin, 0)

    @T.inline
    def _place_tail(self, rest, first_row):
        left = T.meta_var(_at_least_one(self.m_tiles % self.group_rows))
        self.m_idx = first_row + rest % left
        self.n_idx = rest // left % self.n_tiles
        self.k_idx = rest // (left * self.n_tiles)


@T.meta_class
class RankAwareGroupMajorTileScheduler(BaseTileScheduler):
    """Each rank starts with the rows of the others and ends with its own."""

    def __init__(self, prefix, m_clusters, n_clusters, group_size, world_size):
        super().__init__(prefix)
        _positive(group_size, "RankAwareGroupMajorTileScheduler", "group_size")
        _positive(world_size, "RankAwareGroupMajorTileScheduler", "world_size")
        self.m_clusters = m_clusters
        self.n_clusters = n_clusters
        self.group_size = group_size
        self.world_size = world_size
        self.own_rows = m_clusters // world_size

    def valid(self):
        return self.linear_idx < self.m_clusters * self.n_clusters

    @T.inline
    def update_current_m_n_idx(self, lin):
        remote = T.meta_var(self.m_clusters - self.own_rows)
        full = T.meta_var((self.m_clusters - self.own_rows) // self.group_size * self.group_size)
        if _may_be_positive(full):
            if lin < full * self.n_clusters:
                slab = T.meta_var(self.group_size * self.n_clusters)
                self._store(
                    lin // slab * self.group_size + lin % self.group_size, lin % slab // self.group_size
                )
            else:
                self._place_rest(lin, remote, full)
        else:
            self._place_rest(lin, remote, full)

    @T.inline
    def _place_rest(self, lin, remote, full):
        if _may_be_positive(remote - full):
            if lin < remote * self.n_clusters:
                self._place_rows(lin - full * self.n_clusters, full, remote - full)
            else:
                self._place_rows(lin - remote * self.n_clusters, remote, self.own_rows)
        else:
            self._place_rows(lin - remote * self.n_clusters, remote, self.own_rows)

    @T.inline
    def _place_rows(self, rest, first_row, rows):
        count = T.meta_var(_at_least_one(rows))
        self._store(first_row + rest % count, rest // count)

    @T.inline
    def _store(self, row, col):
        first: T.let = (T.nvshmem.my_pe() + 1) * self.m_clusters // self.world_size
        self.m_idx = (row + first) % self.m_clusters
        self.n_idx = col


@T.meta_class
class IndexedTripleTileScheduler(BaseTileScheduler):
    """Work lists in memory: SM `sm` takes entries tiles_indptr[sm] to tiles_indptr[sm + 1] - 1."""

    def __init__(self, prefix, b_indices, h_indices, q_indices, tiles_indptr):
        super().__init__(prefix)
        self.b_indices = b_indices
        self.h_indices = h_indices
        self.q_indices = q_indices
        self.tiles_indptr = tiles_indptr
        self.q_idx = T.local_scalar("int32")
        self.h_idx = T.local_scalar("int32")
        self.b_idx = T.local_scalar("int32")
        self.linear_lim = T.local_scalar("int32")

    @T.inline
    def init(self, sm):
        self.linear_idx = self.tiles_indptr[sm]
        self.linear_lim = self.tiles_indptr[sm + 1]
        self.update_current_m_n_idx(self.linear_idx)

    @T.inline
    def next_tile(self):
        self.linear_idx = self.linear_idx + 1
        self.update_current_m_n_idx(self.linear_idx)

    def valid(self):
        return self.linear_idx < self.linear_lim

    @T.inline
    def update_current_m_n_idx(self, linear):
        self.q_idx = self.q_indices[linear]
        self.h_idx = self.h_indices[linear]
        self.b_idx = self.b_indices[linear]


@T.meta_class
class _AttentionScheduler(BaseTileScheduler):
    def __init__(self, prefix, num_batches, num_heads, num_m_blocks, num_ctas):
        super().__init__(prefix)
        self.num_batches = num_batches
        self.num_heads = num_heads
        self.num_m_blocks = num_m_blocks
        self.num_ctas = num_ctas
        self.total = num_batches * num_heads * num_m_blocks
        self.batch_idx = T.local_scalar("int32")
        self.head_idx = T.local_scalar("int32")
        self.m_block_idx = T.local_scalar("int32")

    @T.inline
    def next_tile(self):
        if self.num_ctas is None:
            self.linear_idx = self.total
        else:
            self.linear_idx = self.linear_idx + self.num_ctas
            self.update_current_m_n_idx(self.linear_idx)

    def valid(self):
        return self.linear_idx < self.total


@T.meta_class
class FlashAttentionLinearScheduler(_AttentionScheduler):
    """Blocks of a head, then heads, then batches."""

    def __init__(self, prefix, num_batches, num_heads, num_m_blocks, num_ctas):
        super().__init__(prefix, num_batches, num_heads, num_m_blocks, num_ctas)

    @T.inline
    def update_current_m_n_idx(self, lin):
        batch = T.meta_var(self.num_heads * self.num_m_blocks)
        self.batch_idx = lin // batch
        self.head_idx = lin % batch // self.num_m_blocks
        self.m_block_idx = lin % self.num_m_blocks


@T.meta_class
class FlashAttentionLPTScheduler(_AttentionScheduler):
    """Longest blocks first: sections of `l2_swizzle` heads, and in a section the last blocks of all its heads first."""

    def __init__(self, prefix, num_batches, num_heads, num_m_blocks, l2_swizzle, num_ctas=None):
        super().__init__(prefix, num_batches, num_heads, num_m_blocks, num_ctas)
        _positive(l2_swizzle, "FlashAttentionLPTScheduler", "l2_swizzle")
        self.l2_swizzle = l2_swizzle

    @T.inline
    def update_current_m_n_idx(self, lin):
        heads = T.meta_var(self.num_batches * self.num_heads)
        section = T.meta_var(self.l2_swizzle * self.num_m_blocks)
        last = T.meta_var(_at_least_one(heads % self.l2_swizzle))
        number: T.let = lin // section
        inside: T.let = lin % section
        is_full: T.let = number < heads // self.l2_swizzle
        block: T.let = T.Select(is_full, inside // self.l2_swizzle, inside // last)
        within: T.let = T.Select(is_full, inside % self.l2_swizzle, inside % last)
        head: T.let = number * self.l2_swizzle + within
        self.batch_idx = head // self.num_heads
        self.head_idx = head % self.num_heads
        self.m_block_idx = self.num_m_blocks - 1 - block


# ---- cluster launch control: the hardware hands out clusters that have not started yet ----------------------------

_DRAINED = 0xFFFFFFFF


@T.meta_class
class _LaunchControlWorker(ClusterPersistentScheduler2D):
    def __init__(self, prefix, owner, num_m_tiles, num_n_tiles, l2_group_size, cta_group):
        super().__init__(prefix, num_m_tiles, num_n_tiles, 1, l2_group_size)
        self.owner = owner
        self.cta_group = cta_group
        self.arrived = PipelineState(1, phase=0)
        self.done = T.local_scalar("int32")
        self.nxt = T.local_scalar("uint32")

    @T.inline
    def init(self, cluster):
        self.linear_idx = cluster
        self.tile_count = 0
        self.update_current_m_n_idx(self.linear_idx)
        self.done = 0

    @T.inline
    def reset(self):
        self.done = 0

    def valid(self):
        return self.done == 0

    @T.inline
    def _receive(self):
        self.owner.sched_arr.full.wait(0, self.arrived.phase)
        self.arrived.advance()
        self.nxt = T.ptx.clc_query_cancel(self.owner.clc_handle.ptr_to([0]))

    @T.inline
    def consume(self):
        self._receive()
        self.owner.sched_fin.empty.arrive(0, 0)

    # The same by a whole warpgroup: all of it has read the handle before one lane gives it back.
    @T.inline
    def consume_wg(self, wg, warp, lane):
        self._receive()
        T.cuda.warpgroup_sync(wg + 1)
        if (warp == 0) & (lane == 0):
            self.owner.sched_fin.empty.arrive(0, 0)

    @T.inline
    def advance_coords(self):
        if self.nxt != T.uint32(_DRAINED):
            next_tile: T.let = T.cast(self.nxt // T.uint32(self.cta_group), "int32")
            self.update_current_m_n_idx(next_tile)

    @T.inline
    def mark_done_if_drained(self):
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
        return _LaunchControlWorker(
            prefix, self, self.num_m_tiles, self.num_n_tiles, self.l2_group_size, self.cta_group
        )

    @T.inline
    def run_scheduler(self, cbx):
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
