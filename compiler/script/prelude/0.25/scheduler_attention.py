# Schedulers of attention (surface.md 10).
from tvm.script import tirx as T
from tvm.tirx.lang.schedulers import _positive, _at_least_one, BaseTileScheduler


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
        """Goes on to the next block of this CTA; without `num_ctas` there is none."""
        if self.num_ctas is None:
            self.linear_idx = self.total
        else:
            self.linear_idx = self.linear_idx + self.num_ctas
            self.update_current_m_n_idx(self.linear_idx)

    def valid(self):
        """Is there a block? False after the last."""
        return self.linear_idx < self.total


@T.meta_class
class FlashAttentionLinearScheduler(_AttentionScheduler):
    """Blocks of a head, then heads, then batches."""

    def __init__(self, prefix, num_batches, num_heads, num_m_blocks, num_ctas):
        super().__init__(prefix, num_batches, num_heads, num_m_blocks, num_ctas)

    @T.inline
    def update_current_m_n_idx(self, lin):
        """Computes batch, head and block from the number `lin`."""
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
        """Computes batch, head and block from the number `lin`."""
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
