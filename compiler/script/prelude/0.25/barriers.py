# Barriers with a phase a stage: MBarrier, TMABar, TCGen05Bar (surface.md 9).
#
# A fresh barrier completes phase 0 first: a consumer starts to wait with parity 0; a producer waits on the empty
# barrier with parity 1 (or with phase_offset=1 and parity 0), so that its first wait falls through.
#
# From the evaluator: T.bind(value, type) makes an immutable variable in a plain method; `object.__new__(cls)` an
# instance without running its constructor.
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral


@T.meta_class
class MBarrier:
    """`depth` mbarriers in a pool of shared memory."""

    def __init__(self, pool, depth, phase_offset=0, leader=None):
        self.depth = depth
        self.phase_offset = phase_offset
        self.leader = leader
        self.is_remote = False
        self.buf = pool.alloc((depth,), "uint64", align=8)

    def init(self, count):
        """Sets up each barrier for `count` arrivals a phase; one thread does it: `leader`, else thread 0. A fence and a
        sync follow."""
        if self.is_remote:
            raise AssertionError(f"{type(self).__name__}.init: a view of another CTA's barriers can only arrive")
        self._initialise(T.cuda.thread_rank() == 0 if self.leader is None else self.leader, count)

    @T.inline
    def _initialise(self, leader, count):
        if leader:
            for i in T.unroll(self.depth):
                T.ptx.mbarrier.init(self.buf.ptr_to([i]), count)

    def wait(self, stage, phase):
        """Waits until the phase with parity `phase` of barrier `stage` is complete. `phase_offset` flips the parity."""
        if self.is_remote:
            raise AssertionError(f"{type(self).__name__}.wait: a view of another CTA's barriers can only arrive")
        self._wait(stage, phase if self.phase_offset == 0 else phase ^ self.phase_offset)

    @T.inline
    def _wait(self, stage, parity):
        T.ptx.mbarrier.try_wait(self.buf.ptr_to([stage]), parity)

    def arrive(self, stage, cta_id=None, pred=None, count=None):
        """Arrives on barrier `stage`: here, or at CTA `cta_id` of the cluster where `pred` holds, `count` times."""
        if cta_id is None and self.is_remote:
            self._arrive_there(stage, count)
        elif cta_id is None:
            self._arrive_here(stage)
        else:
            self._arrive_at(stage, cta_id, T.bool(True) if pred is None else pred, count)

    @T.inline
    def _arrive_here(self, stage):
        T.ptx.mbarrier.arrive(self.buf.ptr_to([stage]))

    @T.inline
    def _arrive_there(self, stage, count):
        T.ptx.mbarrier.arrive_remote(T.reinterpret("uint64", self.buf.ptr_to([stage])), count=count)

    @T.inline
    def _arrive_at(self, stage, cta_id, pred, count):
        if count is None:
            T.ptx.mbarrier.arrive(self.buf.ptr_to([stage]), cta_id, pred)
        else:
            T.ptx.mbarrier.arrive(self.buf.ptr_to([stage]), cta_id, pred, count)

    def ptr_to(self, idx):
        """A pointer to barrier `idx`, as copies take it for `mbar=`."""
        return self.buf.ptr_to(idx if isinstance(idx, (list, tuple)) else [idx])

    def remote_view(self, rank):
        """The same barriers of CTA `rank` of the cluster; only arrive() makes sense on them."""
        address = T.reinterpret("handle", T.ptx.map_shared_rank(self.buf.ptr_to([0]), rank))
        return _remote_view(object.__new__(type(self)), self, T.bind(address, T.handle("uint64", "shared")))

    def remote(self, rank):
        """The barriers of CTA `rank` by their mapped addresses, to arrive on without mapping them each time."""
        address = T.ptx.map_shared_rank(self.buf.ptr_to([0]), rank)
        return RemoteBarrier(T.bind(address), self.depth)


@T.meta_class
class RemoteBarrier:
    """Barriers of another CTA of the cluster: `ptr` is the uint64 address of the first, the others follow it."""

    def __init__(self, ptr, depth):
        self.ptr = ptr
        self.depth = depth

    def ptr_to(self, stage):
        """The mapped address of barrier `stage`."""
        if isinstance(stage, Integral):
            return self.ptr if stage == 0 else self.ptr + T.uint64(8 * stage)
        return self.ptr + T.cast(stage, "uint64") * T.uint64(8)

    @T.inline
    def arrive(self, stage=0, count=None):
        """Arrives on barrier `stage` of the other CTA, `count` times."""
        T.ptx.mbarrier.arrive_remote(self.ptr_to(stage), count=count)

    @T.inline
    def expect_tx(self, stage, tx_count):
        """Arrives on barrier `stage` of the other CTA, and lets its phase wait for `tx_count` bytes as well."""
        T.ptx.mbarrier.arrive_expect_tx_remote(self.ptr_to(stage), tx_count)



# The new instance comes as an argument: a variable would name its buffer before the script does.
def _remote_view(view, barrier, pointer):
    view.depth = barrier.depth
    view.phase_offset = barrier.phase_offset
    view.leader = None
    view.is_remote = True
    view.buf = T.decl_buffer((barrier.depth,), "uint64", data=pointer, scope="shared")
    return view


@T.meta_class
class TMABar(MBarrier):
    """A barrier that also counts the bytes of bulk copies."""

    def arrive(self, stage, tx_count=None, cta_id=None, pred=None):
        """Arrives on barrier `stage`; with `tx_count` its phase also waits for as many bytes of bulk copies."""
        if tx_count is None:
            MBarrier.arrive(self, stage, cta_id, pred)
        else:
            self._expect(stage, tx_count)

    def _expect(self, stage, tx_count):
        if self.is_remote:
            self._expect_there(stage, tx_count)
        else:
            self._expect_here(stage, tx_count)

    @T.inline
    def _expect_here(self, stage, tx_count):
        T.ptx.mbarrier.arrive.expect_tx(self.buf.ptr_to([stage]), tx_count)

    @T.inline
    def _expect_there(self, stage, tx_count):
        T.ptx.mbarrier.arrive_expect_tx_remote(T.reinterpret("uint64", self.buf.ptr_to([stage])), tx_count)


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
