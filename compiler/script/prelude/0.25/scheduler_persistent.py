# The persistent scheduler of clusters over two dimensions (surface.md 10).
from tvm.script import tirx as T
from tvm.tirx.lang.schedulers import _may_be_positive, _positive, BaseTileScheduler


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
        """The number of the tile."""
        return self.linear_idx

    @property
    def tile_idx(self):
        """How many tiles this cluster has had."""
        return self.tile_count

    @T.inline
    def init(self, cluster_id):
        """Begins with the tile of cluster `cluster_id`."""
        self.linear_idx = cluster_id
        self.tile_count = 0
        self.update_current_m_n_idx(self.linear_idx)

    @T.inline
    def next_tile_stride(self, stride):
        """Goes `stride` tiles on."""
        self.linear_idx = self.linear_idx + stride
        self.tile_count = self.tile_count + 1
        self.update_current_m_n_idx(self.linear_idx)

    @T.inline
    def next_tile(self):
        """Goes on by the number of clusters."""
        self.next_tile_stride(self.num_clusters)

    def valid(self):
        """Is there a tile? False after the last."""
        return self.linear_idx < self.total

    @T.inline
    def update_current_m_n_idx(self, work):
        """Computes row and column from the number `work`."""
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
