# The scheduler of listed triples (surface.md 10).
from tvm.script import tirx as T
from tvm.tirx.lang.schedulers import BaseTileScheduler


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
        """Begins with the first entry of SM `sm`."""
        self.linear_idx = self.tiles_indptr[sm]
        self.linear_lim = self.tiles_indptr[sm + 1]
        self.update_current_m_n_idx(self.linear_idx)

    @T.inline
    def next_tile(self):
        """Goes on to the next entry."""
        self.linear_idx = self.linear_idx + 1
        self.update_current_m_n_idx(self.linear_idx)

    def valid(self):
        """Is there an entry? False after the last of this SM."""
        return self.linear_idx < self.linear_lim

    @T.inline
    def update_current_m_n_idx(self, linear):
        """Reads the three indices of entry `linear`."""
        self.q_idx = self.q_indices[linear]
        self.h_idx = self.h_indices[linear]
        self.b_idx = self.b_indices[linear]
