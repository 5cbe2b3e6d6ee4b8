# What the pools of shared memory of all releases are: T.SMEMPool (surface.md 8).
#
# It hands out views into one arena and remembers how far it got; commit() tells the lowering how large the arena must
# be, by the attribute "tirx.pool_max_bytes" on the arena's pointer.
#
# From the evaluator: `T.<dtype>.bits` (of one lane in memory) and `.lanes`; a T.attr evaluated in a plain method
# applies to what follows in the block under construction.
#
# Plain methods bind no buffer to a name of theirs: a buffer is called what the script calls it.
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral
from tvm.tirx.lang.pool_shapes import _constant_shape, _element_bits
from tvm.tirx.layout import mma_shared_layout

_SWIZZLE_BYTES = (0, 32, 64, 128)
_SWIZZLE_NAMES = ("SWIZZLE_NONE", "SWIZZLE_32B_ATOM", "SWIZZLE_64B_ATOM", "SWIZZLE_128B_ATOM")


def _elements(shape):
    count = 1
    for extent in shape:
        count = count * extent
    return count


def _round_up(value, unit):
    return (value + unit - 1) // unit * unit


def _swizzle_of(mode, who):
    mode = getattr(mode, "value", mode)  # of a SwizzleMode
    if mode == "auto":
        return 3
    if mode == "none":
        return 0
    if isinstance(mode, Integral) and not isinstance(mode, bool) and 0 <= mode <= 3:
        return int(mode)
    raise ValueError(f"{who}: unknown swizzle_mode {mode!r}; use 'auto', 'none' or a SwizzleMode (0 to 3)")


def _check_mma_shape(shape, dtype, mode, who):
    if mode == 0:
        return
    name, width = _SWIZZLE_NAMES[mode], _SWIZZLE_BYTES[mode]
    if len(shape) < 2:
        raise ValueError(
            f"{who}: a swizzled layout needs rows and columns, shape {shape} has {len(shape)} dimension;"
            " use swizzle_mode='none'"
        )
    bits = _element_bits(dtype)
    row_bits = shape[-1] * bits
    if row_bits == 0 or row_bits % (8 * width) != 0:
        fitting = 0
        for smaller in (1, 2, 3):
            if row_bits > 0 and row_bits % (8 * _SWIZZLE_BYTES[smaller]) == 0:
                fitting = smaller
        columns = 8 * width // bits
        raise ValueError(
            f"{who}: rows of shape {shape} with {dtype} have {row_bits / 8:g} bytes, no multiple of the {width} bytes"
            f" that {name} swizzles; use SwizzleMode.{_SWIZZLE_NAMES[fitting]}, or make shape[-1] a multiple of {columns}"
        )
    if shape[-2] <= 0 or shape[-2] % 8 != 0:
        raise ValueError(
            f"{who}: {name} takes rows by eight, shape[-2] is {shape[-2]};"
            " make it a positive multiple of 8, or use swizzle_mode='none'"
        )


@T.meta_class
class _SMEMPool:
    """Carves buffers out of one arena of dynamic shared memory, or out of the memory behind `ptr`."""

    def __init__(self, ptr=None):
        self.offset = 0
        self.max_offset = 0
        self.committed = None  # bytes, once commit() has run
        self.ptr = ptr
        self.buf = T.alloc_buffer([0], "uint8", scope="shared.dyn") if ptr is None else None

    def _data(self):
        return self.buf.data if self.ptr is None else self.ptr

    def alloc(self, shape, dtype="float32", strides=None, scope="shared.dyn", align=0, **options):
        """The next bytes of the pool as a buffer, aligned to `align`."""
        shape = _constant_shape(shape, "SMEMPool.alloc")
        if align > 0:
            self.offset = _round_up(self.offset, align)
        start = self.offset
        self.offset = start + (_elements(shape) * _element_bits(dtype) + 7) // 8
        if self.committed is not None and self.offset > self.committed:
            raise AssertionError(
                f"SMEMPool.alloc: bytes {start} to {self.offset} lie past the {self.committed} that were committed;"
                " allocate before commit()"
            )
        self.max_offset = max(self.max_offset, self.offset)
        return T.decl_buffer(
            shape, dtype, data=self._data(), strides=strides, byte_offset=start, scope=scope, align=align, **options
        )

    def _alloc_operand(self, who, shape, dtype, swizzle_mode, align):
        """An operand of matrix instructions; `_dense` of the release says how one without a swizzle lies."""
        shape = _constant_shape(shape, f"SMEMPool.{who}")
        mode = _swizzle_of(swizzle_mode, who)
        _check_mma_shape(shape, dtype, mode, who)
        layout = self._dense(dtype, shape) if mode == 0 else mma_shared_layout(dtype, mode, shape)
        return self.alloc(shape, dtype, align=align, layout=layout)

    def move_base_to(self, offset):
        """Goes on at byte `offset`, so that what follows may lie over what was allocated before."""
        if not isinstance(offset, Integral) or offset < 0:
            raise ValueError(f"SMEMPool.move_base_to: the offset must be a non-negative integer, not {offset}")
        self.offset = offset

    def commit(self, size=None):
        """Ends the allocations: the arena has `size` bytes, else as many as were in use at most. Once a pool."""
        if self.ptr is not None:
            return
        if self.committed is not None:
            raise AssertionError("SMEMPool.commit() may be called only once")
        if size is None:
            size = self.max_offset
        if size < self.max_offset:
            raise AssertionError(f"SMEMPool.commit: {size} bytes are fewer than the {self.max_offset} that are in use")
        self.committed = size
        T.attr(self.buf.data, "tirx.pool_max_bytes", size)
