# Shared-memory matrix descriptors of tcgen05: SmemDescriptor (surface.md 9).
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral

_LOW = 0xFFFFFFFF
_HIGH = 0xFFFFFFFF00000000


def smem_desc_add_16B_offset(desc_val, offset):
    """`desc_val` moved by `offset` units of 16 bytes; nothing carries into the high word."""
    step = T.uint64(offset % 2**32) if isinstance(offset, Integral) else T.cast(offset, "uint64")
    return (desc_val & T.uint64(_HIGH)) | ((desc_val + step) & T.uint64(_LOW))


@T.meta_class
class SmemDescriptor:
    """A 64-bit descriptor in a register; its low word holds the start address in units of 16 bytes."""

    def __init__(self):
        self.buf = T.alloc_local((1,), "uint64")

    @property
    def desc(self):
        """The descriptor's value."""
        return self.buf[0]

    @T.inline
    def init(self, smem_ptr, ldo, sdo, swizzle):
        """Describes the tile at `smem_ptr`: leading and stride offsets in units of 16 bytes, and the swizzle."""
        T.ptx.tcgen05.encode_matrix_descriptor(self.buf.ptr_to([0]), smem_ptr, ldo, sdo, swizzle)

    def add_16B_offset(self, offset):
        """The moved descriptor; this one stays as it is."""
        return smem_desc_add_16B_offset(self.desc, offset)

    @T.inline
    def make_lo_uniform(self):
        """Gives all lanes the low word of lane 0, so that the compiler keeps it in a uniform register."""
        low: T.let = T.tvm_warp_shuffle(T.uint32(_LOW), T.cast(self.buf[0], "uint32"), 0, 32, 32)
        self.buf[0] = (self.buf[0] & T.uint64(_HIGH)) | T.cast(low, "uint64")
