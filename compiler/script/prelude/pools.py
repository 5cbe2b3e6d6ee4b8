# Pools of shared and tensor memory: T.SMEMPool, T.TMEMPool, T.TMEMStages (surface.md 8).
#
# A pool hands out views into one arena and remembers how far it got; commit() tells the lowering how large the arena
# must be, by the attribute "tirx.pool_max_bytes" on the arena's pointer.
#
# From the evaluator: `T.<dtype>.bits` (of one lane in memory) and `.lanes`; a T.attr evaluated in a plain method
# applies to what follows in the block under construction.
#
# Plain methods bind no buffer to a name of theirs: a buffer is called what the script calls it.
from tvm.script import tirx as T
from tvm.tirx.layout import S, TCol, TLane, TileLayout, mma_shared_layout, sf_tmem_layout, tmem_datapath_layout

_SWIZZLE_BYTES = (0, 32, 64, 128)
_SWIZZLE_NAMES = ("SWIZZLE_NONE", "SWIZZLE_32B_ATOM", "SWIZZLE_64B_ATOM", "SWIZZLE_128B_ATOM")


def _element_bits(dtype):
    kind = getattr(T, dtype)
    return kind.bits * kind.lanes


def _constant_shape(shape, who):
    if not isinstance(shape, (list, tuple)):
        shape = (shape,)
    for extent in shape:
        if not isinstance(extent, int):
            raise ValueError(f"{who}: every extent must be a constant integer, shape is {shape}")
    return tuple(shape)


def _elements(shape):
    count = 1
    for extent in shape:
        count = count * extent
    return count


def _round_up(value, unit):
    return (value + unit - 1) // unit * unit


def _swizzle_of(mode):
    if mode == "auto":
        return 3
    if mode == "none":
        return 0
    if isinstance(mode, int) and not isinstance(mode, bool) and 0 <= mode <= 3:
        return int(mode)
    raise ValueError(f"alloc_mma: unknown swizzle_mode {mode!r}; use 'auto', 'none' or a SwizzleMode (0 to 3)")


def _check_mma_shape(shape, dtype, mode):
    if mode == 0:
        return
    name, width = _SWIZZLE_NAMES[mode], _SWIZZLE_BYTES[mode]
    if len(shape) < 2:
        raise ValueError(
            f"alloc_mma: a swizzled layout needs rows and columns, shape {shape} has {len(shape)} dimension;"
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
            f"alloc_mma: rows of shape {shape} with {dtype} have {row_bits / 8:g} bytes, no multiple of the {width} bytes"
            f" that {name} swizzles; use SwizzleMode.{_SWIZZLE_NAMES[fitting]}, or make shape[-1] a multiple of {columns}"
        )
    if shape[-2] <= 0 or shape[-2] % 8 != 0:
        raise ValueError(
            f"alloc_mma: {name} takes rows by eight, shape[-2] is {shape[-2]};"
            " make it a positive multiple of 8, or use swizzle_mode='none'"
        )


@T.meta_class
class SMEMPool:
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

    def alloc_mma(self, shape, dtype="float16", swizzle_mode="auto", align=1024):
        shape = _constant_shape(shape, "SMEMPool.alloc_mma")
        mode = _swizzle_of(swizzle_mode)
        _check_mma_shape(shape, dtype, mode)
        layout = TileLayout(S[shape]) if mode == 0 else mma_shared_layout(dtype, mode, shape)
        return self.alloc(shape, dtype, align=align, layout=layout)

    def move_base_to(self, offset):
        if not isinstance(offset, int) or offset < 0:
            raise ValueError(f"SMEMPool.move_base_to: the offset must be a non-negative integer, not {offset}")
        self.offset = offset

    def commit(self, size=None):
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


@T.meta_class
class TMEMPool:
    """Hands out columns of tensor memory; their base address arrives in a slot of shared memory."""

    def __init__(
        self, pool, total_cols=512, *, cta_group=1, alloc_warp=0, dealloc_warp=None, tmem_addr=None, sync_after_alloc=True
    ):
        self.total_cols = total_cols
        self.cta_group = cta_group
        self.alloc_warp = alloc_warp
        self.dealloc_warp = alloc_warp if dealloc_warp is None else dealloc_warp
        self.sync_after_alloc = bool(sync_after_alloc)
        self.offset = 0
        self.max_offset = 0
        self.committed = False
        self.released = False
        self.addr_buf = pool.alloc((1,), "uint32", align=4) if tmem_addr is None else tmem_addr

    @property
    def addr(self):
        return self.addr_buf[0]

    def alloc(self, shape, dtype="float32", *, layout=None, cols=None, datapath=None):
        shape = _constant_shape(shape, "TMEMPool.alloc")
        bits = _element_bits(dtype)
        if layout is not None and datapath is not None:
            raise ValueError("TMEMPool.alloc: give a layout or a datapath, not both")
        if layout is None:
            if len(shape) != 2:
                raise ValueError(f"TMEMPool.alloc: shape {shape} is not two-dimensional; pass layout= and cols=")
            rows, columns = shape
            if datapath is None:
                layout = TileLayout(S[(rows, columns) : (1 @ TLane, 1 @ TCol)])
            else:
                layout = tmem_datapath_layout(datapath, rows, columns)
        if cols is None:
            column_bits = layout.span(TCol) * bits
            if column_bits % 32 != 0:
                raise ValueError(
                    f"TMEMPool.alloc: {shape} of {dtype} takes {column_bits} bits a lane, no whole number of 32-bit"
                    " columns; pass cols="
                )
            cols = column_bits // 32
        start = self.offset
        if start + cols > self.total_cols:
            raise AssertionError(
                f"TMEMPool.alloc: columns {start} to {start + cols} do not fit the {self.total_cols} of the pool"
            )
        self.offset = start + cols
        self.max_offset = max(self.max_offset, self.offset)
        return T.decl_buffer(shape, dtype, scope="tmem", layout=layout, allocated_addr=start)

    def alloc_sf(self, shape, dtype, *, sf_per_mma, sf_reuse=1):
        shape = _constant_shape(shape, "TMEMPool.alloc_sf")
        if len(shape) not in (2, 3):
            raise ValueError(f"TMEMPool.alloc_sf: the shape is (rows, SF_K) or (depth, rows, SF_K), not {shape}")
        if shape[-1] % sf_reuse != 0:
            raise ValueError(f"TMEMPool.alloc_sf: the last extent {shape[-1]} is no multiple of sf_reuse={sf_reuse}")
        sf_k = shape[-1] // sf_reuse
        if sf_k % sf_per_mma != 0:
            raise ValueError(f"TMEMPool.alloc_sf: SF_K={sf_k} is no multiple of sf_per_mma={sf_per_mma}")
        depth = shape[0] if len(shape) == 3 else None
        return self.alloc(shape, dtype, layout=sf_tmem_layout(shape[-2], sf_k, sf_per_mma, sf_reuse, depth))

    def move_base_to(self, col):
        if not isinstance(col, int) or col < 0 or col > self.total_cols:
            raise ValueError(f"TMEMPool.move_base_to: the column must lie in 0 to {self.total_cols}, not {col}")
        self.offset = col

    def commit(self):
        if self.committed:
            raise AssertionError("TMEMPool.commit() may be called only once")
        self.committed = True
        self._allocate()

    def dealloc(self):
        if not self.committed:
            raise AssertionError("TMEMPool.dealloc() comes after commit()")
        if self.released:
            raise AssertionError("TMEMPool.dealloc() may be called only once")
        self.released = True
        self._release()

    @T.inline
    def _allocate(self):
        warp = T.warp_id()
        if warp == self.alloc_warp:
            T.ptx.tcgen05.alloc(self.addr_buf.ptr_to([0]), self.total_cols, self.cta_group)
            if self.sync_after_alloc:
                T.cuda.warp_sync()

    @T.inline
    def _release(self):
        warp = T.warp_id()
        if warp == self.dealloc_warp:
            T.ptx.tcgen05.relinquish_alloc_permit(self.cta_group)
            T.ptx.tcgen05.dealloc(self.addr_buf[0], self.total_cols, self.cta_group)


@T.meta_class
class TMEMStages:
    """Equal windows of columns in one buffer: st[s] is window s, st[s, a:b] columns a to b of it."""

    def __init__(self, buf, col_start, width, stages=1, stride=None):
        self.buf = buf
        self.col_start = col_start
        self.width = width
        self.stages = stages
        self.stride = width if stride is None else stride

    def __getitem__(self, index):
        columns = slice(None)
        if isinstance(index, tuple):
            if len(index) != 2 or not isinstance(index[1], slice):
                raise ValueError("TMEMStages: write st[stage] or st[stage, first:last]")
            index, columns = index
        if isinstance(index, int) and not 0 <= index < self.stages:
            raise ValueError(f"TMEMStages: stage {index} does not exist, there are {self.stages}")
        first = 0 if columns.start is None else columns.start
        last = self.width if columns.stop is None else columns.stop
        base = self.col_start + index * self.stride
        whole = (slice(None),) * (len(self.buf.shape) - 1)
        return self.buf[whole + (slice(base + first, base + last),)]
