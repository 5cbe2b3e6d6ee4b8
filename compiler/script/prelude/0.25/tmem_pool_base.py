# What the pools of tensor memory of all releases are: T.TMEMPool (surface.md 8).
#
# From the evaluator: `T.<dtype>.bits` (of one lane in memory) and `.lanes`; a T.attr evaluated in a plain method
# applies to what follows in the block under construction.
#
# Plain methods bind no buffer to a name of theirs: a buffer is called what the script calls it.
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral
from tvm.tirx.lang.pool_shapes import _constant_shape, _element_bits
from tvm.tirx.layout import S, TCol, TLane, TileLayout, sf_tmem_layout


@T.meta_class
class _TMEMPool:
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
        """The base address that the hardware gave."""
        return self.addr_buf[0]

    def _take(self, shape, dtype, layout, cols):
        """The next columns as a buffer; without a layout of (lanes, columns)."""
        shape = _constant_shape(shape, "TMEMPool.alloc")
        bits = _element_bits(dtype)
        if layout is None:
            if len(shape) != 2:
                raise ValueError(f"TMEMPool.alloc: shape {shape} is not two-dimensional; pass layout= and cols=")
            layout = TileLayout(S[shape : (1 @ TLane, 1 @ TCol)])
        if cols is None:
            column_bits = layout.span(TCol) * bits
            if column_bits % 32 != 0:
                raise ValueError(
                    f"TMEMPool.alloc: {shape} of {dtype} takes {column_bits} bits a lane, no whole number of 32-bit"
                    " columns; pass cols="
                )
            cols = column_bits // 32
        # All 512 columns begin at 0; where fewer are free, only the hardware knows.
        start = self.offset
        address = start if self.total_cols == 512 else self.addr_buf[0] + start
        if start + cols > self.total_cols:
            raise AssertionError(
                f"TMEMPool.alloc: columns {start} to {start + cols} do not fit the {self.total_cols} of the pool"
            )
        self.offset = start + cols
        self.max_offset = max(self.max_offset, self.offset)
        return T.decl_buffer(shape, dtype, scope="tmem", layout=layout, allocated_addr=address)

    def alloc_sf(self, shape, dtype, *, sf_per_mma, sf_reuse=1):
        """The next columns for scale factors, in the layout that block-scaled matrix instructions read."""
        shape = _constant_shape(shape, "TMEMPool.alloc_sf")
        if len(shape) not in (2, 3):
            raise ValueError(f"TMEMPool.alloc_sf: the shape is (rows, SF_K) or (depth, rows, SF_K), not {shape}")
        if shape[-1] % sf_reuse != 0:
            raise ValueError(f"TMEMPool.alloc_sf: the last extent {shape[-1]} is no multiple of sf_reuse={sf_reuse}")
        sf_k = shape[-1] // sf_reuse
        if sf_k % sf_per_mma != 0:
            raise ValueError(f"TMEMPool.alloc_sf: SF_K={sf_k} is no multiple of sf_per_mma={sf_per_mma}")
        depth = shape[0] if len(shape) == 3 else None
        return self._take(shape, dtype, sf_tmem_layout(shape[-2], sf_k, sf_per_mma, sf_reuse, depth), None)

    def move_base_to(self, col):
        """Goes on at column `col`, so that what follows may lie over what was allocated before."""
        if not isinstance(col, Integral) or col < 0 or col > self.total_cols:
            raise ValueError(f"TMEMPool.move_base_to: the column must lie in 0 to {self.total_cols}, not {col}")
        self.offset = col

    def commit(self):
        """Allocates the columns: warp `alloc_warp` asks the hardware. Once a pool, before the buffers are used."""
        if self.committed:
            raise AssertionError("TMEMPool.commit() may be called only once")
        self.committed = True
        self._allocate()

    def dealloc(self):
        """Gives the columns back by warp `dealloc_warp`. Once a pool, after the last use of its buffers."""
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
