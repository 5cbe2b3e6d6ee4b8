# Stages in flight: PipelineState, Pipeline (surface.md 9).
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import MBarrier, TCGen05Bar, TMABar


@T.meta_class
class PipelineState:
    """Position in a ring of `depth` stages, and the parity of the current round."""

    def __init__(self, depth, phase=None):
        self.depth = depth
        self.stage = T.local_scalar("int32")
        self.phase = T.local_scalar("int32")
        if phase is not None:
            self.init(phase)

    @T.inline
    def init(self, phase):
        """Begins at stage 0, with this parity."""
        self.stage = 0
        self.phase = phase

    @T.inline
    def advance(self):
        """Goes to the next stage; after the last it begins again, with the other parity."""
        if self.depth > 1:
            self.stage = self.stage + 1
            if self.stage == self.depth:
                self.stage = 0
                self.phase = self.phase ^ 1
        else:
            self.phase = self.phase ^ 1


_KINDS = {"tma": TMABar, "tcgen05": TCGen05Bar, "mbar": MBarrier}


def _kind(name, which):
    if name not in _KINDS:
        raise ValueError(f"Pipeline: {which}={name!r} is no kind of barrier; use 'tma', 'tcgen05' or 'mbar'")
    return _KINDS[name]


@T.meta_class
class Pipeline:
    """A pair of barriers a stage: `full` says that data is there, `empty` that it has been used."""

    def __init__(
        self, pool, stages, *, full, empty, init_full=1, init_empty=1, empty_phase_offset=0, leader=None
    ):
        full_kind, empty_kind = _kind(full, "full"), _kind(empty, "empty")
        self.stages = stages
        self.full = full_kind(pool, stages, 0, leader)
        self.full.init(init_full)
        self.empty = empty_kind(pool, stages, empty_phase_offset, leader)
        self.empty.init(init_empty)
