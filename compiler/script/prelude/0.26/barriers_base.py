# What the barriers of 0.26 and later releases have in common (surface.md 9).
#
# A fresh barrier completes phase 0 first: a consumer starts to wait with parity 0; a producer waits on the empty
# barrier with parity 1 (or with phase_offset=1 and parity 0), so that its first wait falls through.
#
# From the evaluator: T.bind(value, type) makes an immutable variable in a plain method; `object.__new__(cls)` an
# instance without running its constructor.
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral


@T.meta_class
class _MBarrier:
    """`depth` mbarriers in a pool of shared memory."""

    def __init__(self, pool, depth, phase_offset=0, leader=None):
        self.depth = depth
        self.phase_offset = phase_offset
        self.leader = leader
        self.own = None  # of a view of another CTA: the barriers that it was made of, and that CTA
        self.rank = None
        self.buf = pool.alloc((depth,), "uint64", align=8)

    def init(self, count):
        """Sets up each barrier for `count` arrivals a phase; one thread does it: `leader`, else thread 0. A fence and a
        sync follow."""
        self._refuse_on_view("init")
        self._initialise(T.cuda.thread_rank() == 0 if self.leader is None else self.leader, count)

    @T.inline
    def _initialise(self, leader, count):
        if leader:
            for i in T.unroll(self.depth):
                T.ptx.mbarrier.init(self.buf.ptr_to([i]), count)

    def wait(self, stage, phase):
        """Waits until the phase with parity `phase` of barrier `stage` is complete. `phase_offset` flips the parity."""
        self._refuse_on_view("wait")
        self._wait(stage, phase if self.phase_offset == 0 else phase ^ self.phase_offset)

    @T.inline
    def _wait(self, stage, parity):
        T.ptx.mbarrier.try_wait(self.buf.ptr_to([stage]), parity)

    def _refuse_on_view(self, what):
        if self.rank is not None:
            raise ValueError(f"{type(self).__name__}.{what}: a view of another CTA's barriers can only arrive")

    def _target(self, stage, remote):
        """The barrier of this CTA, and the CTA at whose barrier of the same place to arrive; None: here."""
        if self.rank is None:
            return self.buf.ptr_to([stage]), remote
        if remote is not None:
            raise ValueError(f"{type(self).__name__}.arrive: this view belongs to one CTA already; drop remote=")
        return self.own.ptr_to([stage]), self.rank

    @T.inline
    def _arrive_at(self, pointer, remote, pred, count):
        if count is None:
            T.ptx.mbarrier.arrive(pointer, remote, pred)
        else:
            T.ptx.mbarrier.arrive(pointer, remote, pred, count)

    def ptr_to(self, idx):
        """A pointer to barrier `idx`, as copies take it for `mbar=`."""
        return self.buf.ptr_to(idx if isinstance(idx, (list, tuple)) else [idx])

    def remote_view(self, rank):
        """The same barriers of CTA `rank` of the cluster; only arrive() makes sense on them."""
        self._refuse_on_view("remote_view")
        address = T.reinterpret("handle", T.ptx.map_shared_rank(self.buf.ptr_to([0]), rank))
        return _remote_view(object.__new__(type(self)), self, rank, T.bind(address, T.handle("uint64", "shared")))

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
def _remote_view(view, barrier, rank, pointer):
    view.depth = barrier.depth
    view.phase_offset = barrier.phase_offset
    view.leader = None
    view.own = barrier.buf
    view.rank = rank
    view.buf = T.decl_buffer((barrier.depth,), "uint64", data=pointer, scope="shared")
    return view
