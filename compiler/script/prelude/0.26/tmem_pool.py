# A pool of tensor memory: T.TMEMPool (surface.md 8).
from tvm.script import tirx as T
from tvm.tirx.lang.tmem_pool_base import _TMEMPool
from tvm.tirx.layout import tmem_mma_operand_layout


@T.meta_class
class TMEMPool(_TMEMPool):
    """Hands out columns of tensor memory; their base address arrives in a slot of shared memory."""

    def alloc(self, shape, dtype="float32", *, layout=None, cols=None):
        """The next columns as a buffer of (lanes, columns), by a layout or one element a column."""
        return self._take(shape, dtype, layout, cols)

    def alloc_tcgen05_mma_A(self, shape, dtype="bfloat16", *, M, cta_group, ws=False, sparse=False, cols=None):
        """Operand A in tensor memory, as an instruction with this M (of both CTAs of a pair together) reads it."""
        layout = tmem_mma_operand_layout("A", shape, dtype, M=M, cta_group=cta_group, ws=ws, sparse=sparse)
        return self._take(shape, dtype, layout, cols)

    def alloc_tcgen05_mma_D(
        self, shape, dtype="float32", *, M, cta_group, ws=False, sparse=False, group=None, cols=None
    ):
        """The accumulator of such an instruction; group=(segments, 2, columns) cuts the columns of a flat one."""
        layout = tmem_mma_operand_layout(
            "D", shape, dtype, M=M, cta_group=cta_group, ws=ws, sparse=sparse, group=group
        )
        return self._take(shape, dtype, layout, cols)

    alloc_tcgen05_mma_C = alloc_tcgen05_mma_D
