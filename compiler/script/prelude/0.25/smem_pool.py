# A pool of shared memory: T.SMEMPool (surface.md 8).
from tvm.script import tirx as T
from tvm.tirx.lang.smem_pool_base import _SMEMPool
from tvm.tirx.layout import S, TileLayout


@T.meta_class
class SMEMPool(_SMEMPool):
    """Carves buffers out of one arena of dynamic shared memory, or out of the memory behind `ptr`."""

    def _dense(self, dtype, shape):
        return TileLayout(S[shape])

    def alloc_mma(self, shape, dtype="float16", swizzle_mode="auto", align=1024):
        """A buffer that matrix instructions and tensor copies can read: with the swizzle of `swizzle_mode`."""
        return self._alloc_operand("alloc_mma", shape, dtype, swizzle_mode, align)
