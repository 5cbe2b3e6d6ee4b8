# Barriers with a phase a stage, and stages in flight, in a traced kernel (dialects.md 7).
#
# A fresh barrier completes phase 0 first: a consumer starts to wait with parity 0; a producer waits on the empty
# barrier with parity 1 (or with phase_offset=1 and parity 0), so that its first wait falls through.
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral


@T.meta_class
class PipelineState:
    """Position in a ring of `depth` stages, and the parity of the current round."""

    def __init__(self, depth, phase=None):
        self.depth = depth
        self.stage = txl.local_scalar("int32")
        self.phase = txl.local_scalar("int32")
        if phase is not None:
            self.init(phase)

    def init(self, phase):
        """Begins at stage 0, with this parity."""
        txl.assign(self.stage, txl.int32(0))
        txl.assign(self.phase, phase)

    def advance(self):
        """Goes to the next stage; after the last it begins again, with the other parity."""
        if self.depth > 1:
            txl.assign(self.stage, self.stage + txl.int32(1))
            with txl.If(self.stage == self.depth), txl.Then():
                txl.assign(self.stage, txl.int32(0))
                txl.assign(self.phase, self.phase ^ txl.int32(1))
        else:
            txl.assign(self.phase, self.phase ^ txl.int32(1))


@T.meta_class
class RingState:
    """The same without a sign: it goes on by `stride` stages of `depth`."""

    def __init__(self, depth, phase=0, *, stage=0, stride=1):
        if not isinstance(depth, Integral) or depth < 1:
            raise ValueError(f"the depth of a ring is a positive integer, not {depth!r}")
        if not isinstance(stride, Integral) or not 1 <= stride <= depth:
            raise ValueError(f"the stride of a ring of {depth} stages is 1 to {depth}, not {stride!r}")
        self.depth = depth
        self.stride = stride
        self.stage = txl.local_scalar(txl.u32)
        self.phase = txl.local_scalar(txl.u32)
        self.init(stage, phase)

    def init(self, stage=0, phase=0):
        txl.assign(self.stage, txl.Cast(txl.u32, stage))
        txl.assign(self.phase, txl.Cast(txl.u32, phase))

    def advance(self):
        txl.assign(self.stage, self.stage + txl.uint32(self.stride))
        with txl.If(self.stage >= txl.uint32(self.depth)), txl.Then():
            txl.assign(self.stage, self.stage - txl.uint32(self.depth))
            txl.assign(self.phase, self.phase ^ txl.uint32(1))


def _mapped(to, pointer, rank):
    txl.ptx["mapa.shared::cluster.u32"](to[0], txl.cuda.cvta_generic_to_shared(pointer), txl.uint32(rank))
    return to[0]


def _mapped_pointer(to, pointer, rank):
    txl.ptx["mapa.u64"](to[0], pointer, txl.uint32(rank))
    return T.bind(T.reinterpret("handle", to[0]), T.handle("uint64", "shared"))


@T.meta_class
class MBarrier:
    """`depth` mbarriers in a pool of shared memory."""

    def __init__(self, pool, depth, phase_offset=0, leader=None):
        self.depth = depth
        self.phase_offset = phase_offset
        self.leader = txl.cuda.thread_rank() == 0 if leader is None else leader
        self.rank = None  # of a view: the CTA whose barriers these are
        self.buf = pool.alloc((depth,), "uint64", align=8)

    def init(self, count):
        """Sets up each barrier for `count` arrivals a phase; one thread does it. A fence and a sync follow."""
        self._refuse_on_view("init")
        with txl.If(self.leader), txl.Then():
            with txl.unroll(0, self.depth) as i:
                txl.ptx.mbarrier.init.shared.b64(self.buf.ptr_to([i]), txl.uint32(count))

    def wait(self, stage, phase):
        """Waits until the phase with parity `phase` of barrier `stage` is complete. `phase_offset` flips the parity."""
        self._refuse_on_view("wait")
        self._wait(stage, phase)

    def _wait(self, stage, phase):
        """How it waits; modules put other loops in its place."""
        txl.cuda.mbarrier_wait(self.buf.ptr_to([stage]), phase ^ self.phase_offset)

    def arrive(self, stage, remote=None, pred=None, count=None):
        """Arrives on barrier `stage`: here, or at CTA `remote` of the cluster; where `pred` holds, `count` times."""
        where = self._remote(stage, remote)
        if where is None:
            times = txl.uint32(1 if count is None else count)
            txl.ptx.mbarrier.arrive.shared.b64(self.buf.ptr_to([stage]), times, pred=pred)
        elif count is None:
            txl.ptx["mbarrier.arrive.shared::cluster.b64"](where, pred=pred)
        else:
            txl.ptx["mbarrier.arrive.shared::cluster.b64"](where, txl.uint32(count), pred=pred)

    def _refuse_on_view(self, what):
        if self.rank is not None:
            raise ValueError(f"{type(self).__name__}.{what}: a view of another CTA's barriers can only arrive")

    def _remote(self, stage, remote):
        """The barrier of another CTA; None: it is here."""
        if self.rank is not None:
            if remote is not None:
                raise ValueError(f"{type(self).__name__}.arrive: this view belongs to one CTA already; drop remote=")
            return self.buf.ptr_to([stage])
        if remote is None:
            return None
        return _mapped(T.alloc_local([1], "uint32"), self.buf.ptr_to([stage]), remote)

    def ptr_to(self, idx):
        """A pointer to barrier `idx`, as copies take it."""
        return self.buf.ptr_to(idx if isinstance(idx, (list, tuple)) else [idx])

    def remote_view(self, rank):
        """The same barriers of CTA `rank` of the cluster; only arrive() makes sense on them."""
        self._refuse_on_view("remote_view")
        return _viewed(object.__new__(type(self)), self, rank)


def _viewed(view, barrier, rank):
    view.depth = barrier.depth
    view.phase_offset = barrier.phase_offset
    view.leader = barrier.leader
    view.rank = rank
    pointer = _mapped_pointer(T.alloc_local([1], "uint64"), barrier.buf.ptr_to([0]), rank)
    view.buf = T.decl_buffer((barrier.depth,), "uint64", data=pointer, scope="shared")
    return view


class TMABar(MBarrier):
    """A barrier that also counts the bytes of bulk copies."""

    def arrive(self, stage, tx_count=None, remote=None, pred=None):
        """Arrives on barrier `stage`; with `tx_count` its phase also waits for as many bytes of bulk copies."""
        where = self._remote(stage, remote)
        if where is None and tx_count is None:
            txl.ptx.mbarrier.arrive.shared.b64(self.buf.ptr_to([stage]), txl.uint32(1))
        elif where is None:
            txl.ptx.mbarrier.arrive.expect_tx.shared.b64(self.buf.ptr_to([stage]), txl.uint32(tx_count))
        elif tx_count is None:
            txl.ptx["mbarrier.arrive.shared::cluster.b64"](where, pred=pred)
        else:
            txl.ptx["mbarrier.arrive.expect_tx.shared::cluster.b64"](where, txl.uint32(tx_count), pred=pred)


class TCGen05Bar(MBarrier):
    """A barrier on which finished tcgen05 operations arrive; one elected thread commits."""

    def arrive(self, stage, cta_group=1, cta_mask=None, pred=None):
        """Commits: barrier `stage` has an arrival when the tcgen05 operations of this thread so far are done, in each
        CTA that `cta_mask` names."""
        name = f"tcgen05.commit.cta_group::{cta_group}.mbarrier::arrive::one.shared::cluster"
        if cta_mask is None or (isinstance(cta_mask, Integral) and bin(cta_mask).count("1") <= 1):
            txl.ptx[f"{name}.b64"](self.buf.ptr_to([stage]), pred=pred)
        else:
            txl.ptx[f"{name}.multicast::cluster.b64"](
                self.buf.ptr_to([stage]), txl.Cast("uint16", cta_mask), pred=pred
            )


_KINDS = {"tma": TMABar, "tcgen05": TCGen05Bar, "mbar": MBarrier}


def _kind(name, which):
    if name not in _KINDS:
        raise ValueError(f"Pipeline: {which}={name!r} is no kind of barrier; use 'tma', 'tcgen05' or 'mbar'")
    return _KINDS[name]


@T.meta_class
class Pipeline:
    """A ring of stages between producers and consumers."""

    def __init__(
        self, pool, stages, *, full, empty, init_full=1, init_empty=1, empty_phase_offset=0, leader=None
    ):
        self.stages = stages
        self.full = _kind(full, "full")(pool, stages, leader=leader)
        self.full.init(init_full)
        self.empty = _kind(empty, "empty")(pool, stages, phase_offset=empty_phase_offset, leader=leader)
        self.empty.init(init_empty)
