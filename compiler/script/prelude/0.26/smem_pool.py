# A pool of shared memory: T.SMEMPool (surface.md 8).
from tvm.script import tirx as T
from tvm.tirx.lang.smem_pool_base import _SMEMPool
from tvm.tirx.layout import mma_shared_layout


@T.meta_class
class SMEMPool(_SMEMPool):
    """Carves buffers out of one arena of dynamic shared memory, or out of the memory behind `ptr`."""

    def _dense(self, dtype, shape):
        return mma_shared_layout(dtype, 0, shape)

    def alloc_tcgen05_mma_AB(self, shape, dtype="float16", swizzle_mode="auto", align=1024):
        """An operand of matrix instructions in shared memory: with the swizzle of `swizzle_mode`, or in units of 16
        bytes."""
        return self._alloc_operand("alloc_tcgen05_mma_AB", shape, dtype, swizzle_mode, align)
