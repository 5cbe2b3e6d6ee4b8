# Schedulers that walk groups of rows (surface.md 10).
from tvm.script import tirx as T
from tvm.tirx.lang.schedulers import _may_be_positive, _positive, _at_least_one, BaseTileScheduler


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
        """Begins with tile number `linear`."""
        self.linear_idx = linear
        self.tile_idx = 0
        self.update_current_m_n_idx(self.linear_idx)

    @T.inline
    def next_tile_stride(self, stride):
        """Goes `stride` tiles on."""
        self.linear_idx = self.linear_idx + stride
        self.tile_idx = self.tile_idx + 1
        self.update_current_m_n_idx(self.linear_idx)

    @T.inline
    def next_tile(self):
        """Goes `step` tiles on."""
        self.next_tile_stride(self.step)

    def valid(self):
        """Is there a tile? False after the last."""
        return self.linear_idx < self.m_tiles * self.n_tiles * self.k_tiles

    @T.inline
    def update_current_m_n_idx(self, lin):
        """Computes row, column and k from the number `lin`."""
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
        """Is there a tile? False after the last."""
        return self.linear_idx < self.m_clusters * self.n_clusters

    @T.inline
    def update_current_m_n_idx(self, lin):
        """Computes row and column from the number `lin`."""
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
