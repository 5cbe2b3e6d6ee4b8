# What the pools ask about shapes and types.
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral


def _element_bits(dtype):
    kind = getattr(T, dtype)
    return kind.bits * kind.lanes


def _constant_shape(shape, who):
    if not isinstance(shape, (list, tuple)):
        shape = (shape,)
    for extent in shape:
        if not isinstance(extent, Integral):
            raise ValueError(f"{who}: every extent must be a constant integer, shape is {shape}")
        if extent < 0:
            raise ValueError(f"{who}: an extent is a number of elements, shape is {shape}")
    return tuple(shape)
