# Tile schedulers (surface.md 10): each turns a linear number of work into the coordinates of a tile.
#
# The first argument, `prefix`, is kept for compatibility; resources are named after the script's own variable.
# Plain helpers compute expressions; methods with @T.inline store them. Where every extent is an integer, an arm that
# cannot occur is left out.
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral


def _may_be_positive(value):
    return not isinstance(value, Integral) or value > 0


def _positive(value, who, what):
    if isinstance(value, Integral) and value <= 0:
        raise ValueError(f"{who}: {what} must be positive, not {value}")


def _at_least_one(value):
    return max(value, 1)


@T.meta_class
class BaseTileScheduler:
    """What schedulers share: `m_idx` and `n_idx` are the tile, `linear_idx` its number."""

    def __init__(self, prefix):
        self.m_idx = T.local_scalar("int32")
        self.n_idx = T.local_scalar("int32")
        self.linear_idx = T.local_scalar("int32")

    @T.inline
    def update_current_m_n_idx(self, linear):
        """Computes the tile from its number."""
        pass

    @T.inline
    def init(self, linear):
        """Begins with tile number `linear`."""
        self.linear_idx = linear
        self.update_current_m_n_idx(self.linear_idx)

    @T.inline
    def next_tile(self, step):
        """Goes `step` tiles on."""
        self.linear_idx = self.linear_idx + step
        self.update_current_m_n_idx(self.linear_idx)

    def valid(self, total):
        """Is there a tile? False after the last of `total`."""
        return self.linear_idx < total
