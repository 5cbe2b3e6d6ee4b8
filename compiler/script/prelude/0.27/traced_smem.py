# Shared memory of a traced kernel, and how instructions name what lies in it: txl.smem_pool (dialects.md 7).
#
# A parameter of a function names no buffer, so what is made here is called what the script calls it.
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral
from tvm.tirx.lang.pool_shapes import _element_bits
from tvm.tirx.lang.smem_pool import SMEMPool
from tvm.tirx.lang.smem_pool_base import _check_mma_shape
from tvm.tirx.layout import mma_shared_layout

_ATOM_BYTES = {1: 32, 2: 64, 3: 128}


def smem_desc_add_16B_offset(desc_val, offset):
    """The descriptor moved by so many units of 16 bytes: the low word wraps, and the high one stays."""
    return _moved(
        T.alloc_local((1,), "uint32"), T.alloc_local((1,), "uint32"), T.alloc_local((1,), "uint64"), desc_val, offset
    )


def _moved(low, high, result, desc_val, offset):
    txl.ptx.mov.b64(low[0], high[0], desc_val)
    txl.ptx.add.u32(low[0], low[0], T.cast(offset, "uint32"))
    txl.ptx.mov.b64(result[0], low[0], high[0])
    return result[0]


def _broadcast(word):
    txl.assign(word, txl._cuda.__shfl_sync(T.uint32(0xFFFFFFFF), word, T.uint32(0), T.uint32(32)))


@T.meta_class
class SmemDescriptor:
    """A matrix descriptor of shared memory, in registers."""

    def __init__(self):
        self._buf = T.alloc_local((1,), "uint64")

    @property
    def desc(self):
        return self._buf[0]

    def __tvm_ffi_object__(self):
        return self.desc

    def init(self, smem_ptr, ldo, sdo, swizzle):
        """Encodes it: leading and stride offsets in units of 16 bytes, and the swizzle."""
        txl.cuda.tcgen05.encode_matrix_descriptor(T.address_of(self._buf[0]), smem_ptr, ldo, sdo, swizzle)

    def make_lo_uniform(self):
        """Gives all lanes the low word of lane 0, so that the compiler keeps it in a uniform register."""
        self._make_uniform(T.alloc_local((1,), "uint32"), T.alloc_local((1,), "uint32"))

    def _make_uniform(self, low, high):
        txl.ptx.mov.b64(low[0], high[0], self._buf[0])
        _broadcast(low[0])
        txl.ptx.mov.b64(self._buf[0], low[0], high[0])

    def add_16B_offset(self, offset):
        """The moved descriptor; this one stays as it is."""
        return smem_desc_add_16B_offset(self._buf[0], offset)


class KStep:
    """From one k-tile to the next, in units of 16 bytes. A walk that crosses atoms is no line."""

    def __init__(self, offset_of, n_steps, linear, why):
        self._offset_of = offset_of
        self._n_steps = n_steps
        self._linear = linear
        self._why = why
        self.base = offset_of(1)

    def of(self, kp):
        return self.__rmul__(kp)

    def __rmul__(self, kp):
        if isinstance(kp, Integral):
            if not 0 <= kp < self._n_steps:
                raise ValueError(f"k-tile {kp} is outside of the tile, which has {self._n_steps}")
            return self._offset_of(kp)
        if not self._linear:
            raise TypeError(f"k_step times a run-time value: {self._why}; write the k-tile as an integer of Python")
        return kp * self.base

    def __mul__(self, kp):
        return self.__rmul__(kp)

    def __int__(self):
        return self.base


@T.meta_class
class KDesc:
    """A descriptor that was encoded once; `desc + offset` is it moved by units of 16 bytes."""

    def __init__(self, buf, k_step, major="k"):
        self._buf = buf
        self.k_step = k_step
        self.major = major

    @property
    def value(self):
        return self._buf[0]

    def __tvm_ffi_object__(self):
        return self.value

    def __add__(self, offset):
        if isinstance(offset, Integral) and offset == 0:
            return self._buf[0]
        return smem_desc_add_16B_offset(self._buf[0], offset)

    def __radd__(self, offset):
        return self.__add__(offset)


@T.meta_class
class KTile:
    """A swizzled tile with stages: `tile[stage]` names what lies in one of them."""

    def __init__(self, buf, shape, dtype, swizzle):
        self.buf = buf
        self.shape = tuple(shape)
        self.dtype = dtype
        self.swizzle = swizzle
        self.stages = shape[0] if len(shape) == 3 else None
        self.rows = shape[-2]
        self.cols = shape[-1]
        self.bits = _element_bits(dtype)
        self.atom_bytes = _ATOM_BYTES[swizzle.value]
        self.atom_cols = self.atom_bytes * 8 // self.bits
        self.elem_per_16b = 128 // self.bits

    def _phys(self, row, col):
        """Where an element of a stage lies in elements, before the swizzle: atoms of 8 rows, one column of atoms after
        the other."""
        atom = col // self.atom_cols * (self.rows * self.atom_cols)
        return atom + row * self.atom_cols + col % self.atom_cols

    def _coord(self, stage, row, col):
        return [row, col] if self.stages is None else [stage, row, col]

    def __getitem__(self, stage):
        if self.stages is None:
            raise TypeError("this tile has no stages: call ptr_to, m8n8, m8n8x4 or mma_desc of it")
        return KTileView(self, stage)


@T.meta_class
class KTileView:
    """A stage of a tile: addresses of its elements, operands of instructions. Of a stage that advances it follows."""

    def __init__(self, tile, stage=None):
        self.tile = tile
        self.stage = stage

    @property
    def buf(self):
        return self.tile.buf

    @property
    def dtype(self):
        return self.tile.dtype

    @property
    def bits(self):
        return self.tile.bits

    @property
    def rows(self):
        return self.tile.rows

    @property
    def cols(self):
        return self.tile.cols

    @property
    def swizzle(self):
        return self.tile.swizzle

    @property
    def shape(self):
        return self.tile.shape

    def ptr_to(self, row, col):
        """The address of an element."""
        return self.tile.buf.ptr_to(self.tile._coord(self.stage, row, col))

    def m8n8(self, row, col):
        """An operand of ldmatrix and stmatrix, by the address of the lane."""
        return self.ptr_to(row, col)

    def m8n8x4(self, row, col, lane):
        """The same of four matrices: 16 rows, and 8 columns further from lane 16 on."""
        return self.ptr_to(row + (lane & 15), col + 8 * (lane >> 4))

    def mma_desc(self, major="k", mma_k=None):
        """The matrix descriptor of this stage, encoded here."""
        return self.encode(major=major, mma_k=mma_k)[0]

    def encode(self, major="k", mma_k=None, k0=0):
        """The descriptor at k0, and what gives the offset of a k-tile after it in units of 16 bytes."""
        tile = self.tile
        if major not in ("k", "mn"):
            raise ValueError(f"major is 'k' or 'mn', not {major!r}")
        mma_k = 256 // tile.bits if mma_k is None else mma_k
        along_k = major == "k"
        if along_k and tile.atom_cols < mma_k:
            raise ValueError(f"mma_k={mma_k} is wider than an atom of {tile.atom_cols} columns ({tile.swizzle.name})")
        extent = tile.cols if along_k else tile.rows
        if not 0 <= k0 < extent:
            raise ValueError(f"k0={k0} is outside of the tile, which has {extent} elements along k")
        n_steps = (extent - k0) // mma_k
        base = tile._phys(0, k0) if along_k else tile._phys(k0, 0)

        def offset_in_elements(kp):
            at = k0 + kp * mma_k
            return (tile._phys(0, at) if along_k else tile._phys(at, 0)) - base

        for kp in range(n_steps):
            if offset_in_elements(kp) % tile.elem_per_16b:
                raise ValueError(f"k-tile {kp} begins {offset_in_elements(kp)} elements in: no multiple of 16 bytes")

        def offset_of(kp):
            return offset_in_elements(kp) // tile.elem_per_16b

        one_atom = tile.cols <= tile.atom_cols
        linear = one_atom if along_k else True
        step = offset_of(1)
        for kp in range(n_steps):
            linear = linear and (n_steps < 2 or offset_of(kp) == kp * step)
        # Of one atom or one group of rows there is no neighbour to step to.
        ldo = 0 if along_k and one_atom else tile.rows * tile.atom_cols // tile.elem_per_16b
        sdo = 0 if along_k and tile.rows <= 8 else 8 * tile.atom_cols // tile.elem_per_16b
        why = f"{tile.cols} columns are several atoms of {tile.atom_cols}, and the offset jumps between them"
        return self._encoded(T.alloc_local([1], "uint64"), (0, k0) if along_k else (k0, 0), ldo, sdo,
                             KStep(offset_of, max(n_steps, 1), linear, why), major), offset_of

    def _encoded(self, desc, at, ldo, sdo, step, major):
        txl.cuda.tcgen05.encode_matrix_descriptor(
            T.address_of(desc[0]), self.ptr_to(at[0], at[1]), ldo=ldo, sdo=sdo, swizzle=self.swizzle.value
        )
        return KDesc(desc, step, major)


class SmemPool:
    """The pool of a kernel; its size is told at the end."""

    def __init__(self, pool, own):
        self.pool = pool
        self.own = own
        self.committed = False

    def alloc(self, shape, dtype="float32", swizzle=None, align=0):
        """The next bytes: a buffer, or with a swizzle a tile of rows and columns, of three dimensions with stages."""
        if isinstance(swizzle, Integral):
            swizzle = txl.SwizzleMode(swizzle)
        if swizzle is None or swizzle.value == 0:
            return self.pool.alloc(tuple(shape), dtype, align=align)
        if len(shape) < 2:
            raise ValueError(f"a swizzle needs rows and columns, shape={tuple(shape)}")
        _check_mma_shape(tuple(shape), dtype, swizzle.value, "txl.smem_pool().alloc")
        return self._tile(
            self.pool.alloc(
                tuple(shape), dtype, align=align or 1024, layout=mma_shared_layout(dtype, swizzle.value, tuple(shape))
            ),
            shape, dtype, swizzle,
        )

    def _tile(self, buf, shape, dtype, swizzle):
        if len(shape) > 3:
            return buf
        return KTile(buf, shape, dtype, swizzle) if len(shape) == 3 else KTileView(KTile(buf, shape, dtype, swizzle))

    def commit(self, size=None):
        """Tells how large the pool is; without a call that is done at the end of the kernel."""
        if not self.committed:
            self.committed = True
            self.pool.commit(size)

    @property
    def bytes(self):
        return self.pool.max_offset


def smem_pool(base=None):
    """The pool of shared memory of this kernel, or one over the memory of `base`; once a kernel."""
    session = txl._session()
    if session.pool is not None:
        raise RuntimeError("txl.smem_pool() was called before in this kernel")
    session.pool = SmemPool(SMEMPool() if base is None else SMEMPool(base.data), base is None)
    return session.pool
