# Times of a kernel's events in a buffer of the caller's: CudaProfiler of tvm.tirx.bench (intrinsics.md C63-C66).
#
# Where it is not enabled its methods emit nothing, so that scripts call them without a condition of their own; a
# condition that only the launch knows becomes a branch.
from tvm.script import tirx as T


@T.meta_class
class CudaProfiler:
    """Writes a record of 64 bits into `profiler_buffer` where an event starts and where it ends.

    It holds the time, the block and group, and the event's number. `num_groups` groups of threads of a block have
    records of their own, with `write_stride` elements between two of a group. The threads where `leader` holds write;
    without one `default_leader`, without that all of them.
    """

    def __init__(self, profiler_buffer, write_stride, num_groups, default_leader=None, profiler_enabled=True):
        self.buffer = profiler_buffer
        self.write_stride = write_stride
        self.num_groups = num_groups
        self.default_leader = default_leader
        self.profiler_enabled = profiler_enabled
        self.profiler_tag = T.alloc_buffer([1], "uint64", scope="local", align=8)
        self.profiler_write_offset = T.alloc_buffer([1], "uint32", scope="local", align=8)

    def _leader(self, leader):
        if leader is None:
            leader = self.default_leader
        return T.bool(True) if leader is None else leader

    @T.inline
    def init(self, group_id):
        """Opens the records of a group: to be called once, by its threads, before the first event."""
        if self.profiler_enabled:
            T.cuda.timer_init(
                self.buffer.data, self.profiler_tag.data, self.profiler_write_offset.data, self.num_groups, group_id
            )

    @T.inline
    def start(self, event_type, leader=None):
        """An event, a member of an Enum, starts."""
        if self.profiler_enabled:
            T.cuda.timer_start(
                event_type,
                self.buffer.data,
                self.profiler_tag.data,
                self.profiler_write_offset.data,
                self.write_stride,
                self._leader(leader),
            )

    @T.inline
    def end(self, event_type, leader=None):
        """An event, a member of an Enum, ends."""
        if self.profiler_enabled:
            T.cuda.timer_end(
                event_type,
                self.buffer.data,
                self.profiler_tag.data,
                self.profiler_write_offset.data,
                self.write_stride,
                self._leader(leader),
            )

    @T.inline
    def finalize(self, leader=None):
        """Closes the records of the group: to be called once, after the last event."""
        if self.profiler_enabled:
            T.cuda.timer_finalize(
                self.buffer.data,
                self.profiler_tag.data,
                self.profiler_write_offset.data,
                self.write_stride,
                self._leader(leader),
            )
