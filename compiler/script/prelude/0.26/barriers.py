# Barriers with a phase a stage: MBarrier, TMABar, TCGen05Bar (surface.md 9).
from tvm.script import tirx as T
from tvm.tirx.lang.barriers_base import _MBarrier


@T.meta_class
class MBarrier(_MBarrier):
    """`depth` mbarriers in a pool of shared memory."""

    def arrive(self, stage, remote=None, pred=None, count=None):
        """Arrives on barrier `stage`: here, or at CTA `remote` of the cluster where `pred` holds, `count` times."""
        pointer, remote = self._target(stage, remote)
        if remote is None:
            self._arrive_here(pointer)
        else:
            self._arrive_at(pointer, remote, T.bool(True) if pred is None else pred, count)

    @T.inline
    def _arrive_here(self, pointer):
        T.ptx.mbarrier.arrive(pointer)


@T.meta_class
class TMABar(MBarrier):
    """A barrier that also counts the bytes of bulk copies."""

    def arrive(self, stage, tx_count=None, remote=None, pred=None):
        """Arrives on barrier `stage`; with `tx_count` its phase also waits for as many bytes of bulk copies."""
        if tx_count is None:
            MBarrier.arrive(self, stage, remote, pred)
            return
        pointer, remote = self._target(stage, remote)
        if remote is None:
            self._expect_here(pointer, tx_count)
        else:
            self._expect_at(pointer, tx_count, remote, T.bool(True) if pred is None else pred)

    @T.inline
    def _expect_here(self, pointer, tx_count):
        T.ptx.mbarrier.arrive.expect_tx(pointer, tx_count)

    @T.inline
    def _expect_at(self, pointer, tx_count, remote, pred):
        T.ptx.mbarrier.arrive.expect_tx(pointer, tx_count, remote, pred)


def _own_pair():
    """The bits of this CTA and its neighbour in the cluster."""
    rank = T.cast(T.ptx.fetch_register(32, "cluster_ctarank"), "uint32")
    return T.uint32(3) << (rank & T.uint32(0xFFFFFFFE))


@T.meta_class
class TCGen05Bar(MBarrier):
    """A barrier on which finished tcgen05 operations arrive; one elected thread commits."""

    def arrive(self, stage, cta_group=1, cta_mask=None):
        """Commits: barrier `stage` has an arrival when the tcgen05 operations of this thread so far are done. Of a pair
        both CTAs get it, unless `cta_mask` names others."""
        if cta_mask is None:
            cta_mask = _own_pair() if cta_group == 2 else 0
        self._commit(stage, cta_group, cta_mask)

    @T.inline
    def _commit(self, stage, cta_group, cta_mask):
        T.ptx.tcgen05.commit(self.buf.ptr_to([stage]), cta_group, cta_mask)
