"""Made by packaging/script_stubs.py of Tilewright's tables; do not edit."""
from typing import Any

def add(dst: Any, src1: Any, src2: Any, **_: Any) -> Any:
    """Adds element by element."""
    ...
def binary_chain(output: Any, data: Any, operand0: Any, operand1: Any, op0: Any, op1: Any, reverse1: Any = ..., **_: Any) -> Any:
    """Two operations in a row, element by element: op1(op0(data, operand0), operand1)."""
    ...
def binary_reduce(binary_output: Any, reduce_output: Any, in1: Any, in2: Any, binary_op: Any, reduce_op: Any, reduce_axes: Any = ..., **_: Any) -> Any:
    """An operation of two tiles, element by element, and the reduction of its result along axes."""
    ...
def cast(dst: Any, src: Any, **_: Any) -> Any:
    """Converts each element."""
    ...
cluster: Any
"""Issued by a cluster."""
def copy(dst: Any, src: Any, **_: Any) -> Any:
    """Copies a tile; when it returns, the copy is done for the threads that issued it."""
    ...
def copy_async(dst: Any, src: Any, **_: Any) -> Any:
    """Starts copying a tile; the script waits for it."""
    ...
cta: Any
"""Issued by a CTA together."""
def exp(dst: Any, src: Any = ..., bias: Any = ..., scale: Any = ..., **_: Any) -> Any:
    """The exponential of each element."""
    ...
def exp2(dst: Any, src: Any = ..., bias: Any = ..., scale: Any = ..., **_: Any) -> Any:
    """Two to the power of each element."""
    ...
def fdiv(dst: Any, src1: Any, src2: Any, **_: Any) -> Any:
    """Divides element by element."""
    ...
def fill(dst: Any, value: Any, **_: Any) -> Any:
    """Fills a tile with a value."""
    ...
def fma(dst: Any, src: Any, scale: Any, bias: Any, **_: Any) -> Any:
    """src * scale + bias."""
    ...
def gemm(D: Any, A: Any, B: Any, C: Any, transpose_A: Any = ..., transpose_B: Any = ..., alpha: Any = ..., beta: Any = ..., **_: Any) -> Any:
    """D = alpha * A B + beta * C"""
    ...
def gemm_async(C: Any, A: Any, B: Any, SFA: Any = ..., SFB: Any = ..., transA: Any = ..., transB: Any = ..., accum: Any = ..., **_: Any) -> Any:
    """Starts a matrix product; the script waits for it."""
    ...
def log2(dst: Any, src: Any = ..., bias: Any = ..., scale: Any = ..., **_: Any) -> Any:
    """The logarithm to base 2 of each element."""
    ...
def max(dst: Any, src: Any, axes: Any = ..., accum: Any = ..., **_: Any) -> Any:
    """The largest element along axes."""
    ...
def maximum(dst: Any, src1: Any, src2: Any, **_: Any) -> Any:
    """The larger of two tiles, element by element."""
    ...
def memset(dst: Any, value: Any, **_: Any) -> Any:
    """Fills a tile with a value."""
    ...
def min(dst: Any, src: Any, axes: Any = ..., accum: Any = ..., **_: Any) -> Any:
    """The smallest element along axes."""
    ...
def minimum(dst: Any, src1: Any, src2: Any, **_: Any) -> Any:
    """The smaller of two tiles, element by element."""
    ...
def mul(dst: Any, src1: Any, src2: Any, **_: Any) -> Any:
    """Multiplies element by element."""
    ...
def permute_layout(dst: Any, src: Any, **_: Any) -> Any:
    """Moves a tile into another layout."""
    ...
def reciprocal(dst: Any, src: Any = ..., **_: Any) -> Any:
    """One over each element."""
    ...
def reduce_negate(output: Any, input: Any, reduce_op: Any, reduce_axes: Any = ..., accum: Any = ..., **_: Any) -> Any:
    """The negative of a reduction along axes."""
    ...
def select(dst: Any, true_value: Any, false_value: Any, pred: Any, **_: Any) -> Any:
    """Chooses element by element."""
    ...
def silu(dst: Any, src: Any, **_: Any) -> Any:
    """x * sigmoid(x) of each element."""
    ...
def sqrt(dst: Any, src: Any = ..., bias: Any = ..., scale: Any = ..., **_: Any) -> Any:
    """The square root of each element."""
    ...
def sub(dst: Any, src1: Any, src2: Any, **_: Any) -> Any:
    """Subtracts element by element."""
    ...
def sum(dst: Any, src: Any, axes: Any = ..., accum: Any = ..., **_: Any) -> Any:
    """Sums along axes."""
    ...
thread: Any
"""Issued by each thread for itself."""
def unary_reduce(unary_output: Any, reduce_output: Any, input: Any, unary_op: Any, reduce_op: Any, bias: Any = ..., scale: Any = ..., reduce_axes: Any = ..., **_: Any) -> Any:
    """An operation on each element, and the reduction of its result along axes."""
    ...
warp: Any
"""Issued by a warp together."""
warpgroup: Any
"""Issued by a warpgroup together."""
wg: Any
"""Issued by a warpgroup together."""
def zero(dst: Any, src: Any = ..., **_: Any) -> Any:
    """Fills a tile with zeros."""
    ...

def __getattr__(name: str) -> Any: ...
