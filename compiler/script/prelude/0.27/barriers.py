# Barriers with a phase a stage: MBarrier, TMABar, TCGen05Bar (surface.md 9).
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral
from tvm.tirx.lang.barriers_base import _MBarrier


@T.meta_class
class MBarrier(_MBarrier):
    """`depth` mbarriers in a pool of shared memory."""

    def arrive(self, stage, remote=None, pred=None, count=None):
        """Arrives on barrier `stage`: here, or at CTA `remote` of the cluster; where `pred` holds, `count` times."""
        pointer, remote = self._target(stage, remote)
        if remote is not None:
            self._arrive_at(pointer, remote, T.bool(True) if pred is None else pred, count)
        elif pred is None:
            self._arrive_here(pointer, count)
        else:
            self._arrive_where(pred, pointer, count)

    @T.inline
    def _arrive_here(self, pointer, count):
        if count is None:
            T.ptx.mbarrier.arrive(pointer)
        else:
            T.ptx.mbarrier.arrive_state(pointer, count)

    @T.inline
    def _arrive_where(self, pred, pointer, count):
        if pred:
            self._arrive_here(pointer, count)


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


def _targets(cta_mask):
    """The mask of a commit; 0: the barrier's own CTA alone, as a mask that is known and names one CTA means it."""
    if cta_mask is None:
        return 0
    if isinstance(cta_mask, Integral) and bin(cta_mask).count("1") <= 1:
        return 0
    return cta_mask


@T.meta_class
class TCGen05Bar(MBarrier):
    """A barrier on which finished tcgen05 operations arrive; one elected thread commits."""

    def arrive(self, stage, cta_group=1, cta_mask=None, pred=None):
        """Commits: barrier `stage` has an arrival when the tcgen05 operations of this thread so far are done, in each CTA
        that `cta_mask` names; only where `pred` is not 0."""
        self._commit(stage, cta_group, _targets(cta_mask), pred)

    @T.inline
    def _commit(self, stage, cta_group, cta_mask, pred):
        if pred is None:
            T.ptx.tcgen05.commit(self.buf.ptr_to([stage]), cta_group, cta_mask)
        else:
            T.ptx.tcgen05.commit(self.buf.ptr_to([stage]), cta_group, cta_mask, pred=pred)
