# A pool of tensor memory: T.TMEMPool (surface.md 8).
from tvm.script import tirx as T
from tvm.tirx.lang.pool_shapes import _constant_shape
from tvm.tirx.lang.tmem_pool_base import _TMEMPool
from tvm.tirx.layout import tmem_datapath_layout


@T.meta_class
class TMEMPool(_TMEMPool):
    """Hands out columns of tensor memory; their base address arrives in a slot of shared memory."""

    def alloc(self, shape, dtype="float32", *, layout=None, cols=None, datapath=None):
        """The next columns as a buffer of (lanes, columns), by a layout, a datapath or one element a column."""
        shape = _constant_shape(shape, "TMEMPool.alloc")
        if layout is not None and datapath is not None:
            raise ValueError("TMEMPool.alloc: give a layout or a datapath, not both")
        if layout is None and datapath is not None and len(shape) == 2:
            layout = tmem_datapath_layout(datapath, shape[0], shape[1])
        return self._take(shape, dtype, layout, cols)
