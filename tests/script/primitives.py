# What may stand for an operand of a tile primitive: its row says it.
#--- a list or a string is no tile, and a name no value
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    B = T.alloc_local((32, 32), "float32")
    Tx.warp.gemm([1], B, B, B)
#                ^^^ error[TW2108]: 'D' of Tx.warp.gemm cannot be list: a buffer or a region is needed
    Tx.warp.gemm(B, B, "A", B)
#                      ^^^ error[TW2108]: 'B' of Tx.warp.gemm cannot be str: a buffer or a region is needed
    Tx.warp.gemm(B, B, B, B, alpha=[1.0])
#                                  ^^^^^ error[TW2004]: 'alpha' of Tx.warp.gemm cannot be list
    Tx.warp.gemm_async(B, B, B, SFA=(B, B))
#                                   ^^^^^^ error[TW2108]: 'SFA' of Tx.warp.gemm_async cannot be tuple: a buffer or a region is needed
    Tx.warp.sum([1], B)
#               ^^^ error[TW2108]: 'dst' of Tx.warp.sum cannot be list: a buffer or a region is needed
    Tx.warp.sum(B, "B")
#                  ^^^ error[TW2108]: 'src' of Tx.warp.sum cannot be str: a buffer or a region is needed
    Tx.warp.add(B, [1], B)
#                  ^^^ error[TW2004]: 'src1' of Tx.warp.add cannot be list
    Tx.warp.add(B, B, "B")
#                     ^^^ error[TW2004]: 'src2' of Tx.warp.add cannot be str
    Tx.warp.binary_chain(B, B, "add", B, "add", "mul")
#                              ^^^^^ error[TW2004]: 'operand0' of Tx.warp.binary_chain cannot be str
    Tx.warp.binary_chain(B, B, B, B, ["add"], "mul")
#                                    ^^^^^^^ error[TW2004]: 'op0' of Tx.warp.binary_chain cannot be list
    Tx.warp.unary_reduce([B], B, B, "exp", "sum")
#                        ^^^ error[TW2108]: 'unary_output' of Tx.warp.unary_reduce cannot be list: a buffer or a region is needed

#--- numbers where only a tile can be meant, and what is missing or too much
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    B = T.alloc_local((32, 32), "float32")
    Tx.warp.permute_layout(B, 1)
#                             ^ error[TW2108]: 'src' of Tx.warp.permute_layout is tile-only: a buffer or a region is needed
    Tx.warp.reduce_negate(0.0, B, "sum")
#                         ^^^ error[TW2108]: 'output' of Tx.warp.reduce_negate is tile-only: a buffer or a region is needed
    Tx.warp.gemm(1, B, B, B)
#                ^ error[TW2108]: 'D' of Tx.warp.gemm is tile-only: a buffer or a region is needed
    Tx.warp.gemm(B, B, B)
#   ^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: Tx.warp.gemm needs 'C'
#   hint: its operands are D, A, B, C, transpose_A, transpose_B, alpha, beta
    Tx.wg.gemm_async(c=B, a=B, b=B)
#                    ^ error[TW2006]: Tx.wg.gemm_async has no argument 'c'
#   hint: did you mean C=?
    Tx.warp.gemm(B, B, B, acc=B)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: Tx.warp.gemm needs 'C'
#   hint: 'acc' is none of its operands: D, A, B, C, transpose_A, transpose_B, alpha, beta
    Tx.warp.gemm(B, B, acc=B, beta=0.0, other=B)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: Tx.warp.gemm needs 'B'
#   hint: 'acc', 'other' are none of its operands: D, A, B, C, transpose_A, transpose_B, alpha, beta
    Tx.warp.fma(B, B, 2.0)
#   ^^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: Tx.warp.fma needs 'bias'
#   hint: its operands are dst, src, scale, bias
    Tx.warp.zero()
#   ^^^^^^^^^^^^^^ error[TW2006]: Tx.warp.zero needs 'dst'
#   hint: its operands are dst, src
    Tx.warp.exp(B, B, 1.0, 2.0, 3.0)
#                               ^^^ error[TW2006]: Tx.warp.exp takes 4 operands, 5 are given
    Tx.warp.sum(B, B, -1, axes=0)
#                              ^ error[TW2006]: Tx.warp.sum is given 'axes' twice
    Tx.warp.binary_reduce(B, B, B, B, "add")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: Tx.warp.binary_reduce needs 'reduce_op'
#   hint: its operands are binary_output, reduce_output, in1, in2, binary_op, reduce_op, reduce_axes

#--- what is written is kept  [print]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    B = T.alloc_local((32, 32), "float32")
    Tx.warp.fill(B, 1.0)
    Tx.warp.exp(B, scale=0.5)
    Tx.warp.sum(B[:, 0], B, [-1], True)
    Tx.warp.max(B[0, 0], B, axes=(0, 1))
    Tx.warp.gemm(B, B, B, B, beta=1.0)
    Tx.warp.gemm_async(B, B, B, accum=True, cta_group=2)
    Tx.warp.binary_reduce(B, B[:, 0], B, 2.0, "mul", "sum", 1)
    Tx.warp.unary_reduce(B, B[:, 0], B, "exp", "max", reduce_axes=[1])
    Tx.warp.binary_chain(B, B, B, 1.0, "add", "mul", reverse1=True)
    Tx.warp.reduce_negate(B[:, 0], B, "sum")
    Tx.warp.sub(B, 1.0, B, rounding_mode="rn")
#| @T.prim_func
#| def k():
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([32])
#|     B = T.alloc_local((32, 32))
#|     T.warp.fill(B[0:32, 0:32], T.float32(1.0))
#|     T.warp.exp(B[0:32, 0:32], None, None, T.float32(0.5))
#|     T.warp.sum(B[0:32, 0:1], B[0:32, 0:32], -1, T.bool(True))
#|     T.warp.max(B[0:1, 0:1], B[0:32, 0:32], "(0, 1)")
#|     T.warp.gemm(B[0:32, 0:32], B[0:32, 0:32], B[0:32, 0:32], B[0:32, 0:32], None, None, None, T.float32(1.0))
#|     T.warp.gemm_async(B[0:32, 0:32], B[0:32, 0:32], B[0:32, 0:32], None, None, None, None, T.bool(True), cta_group=2)
#|     T.warp.binary_reduce(B[0:32, 0:32], B[0:32, 0:1], B[0:32, 0:32], T.float32(2.0), "mul", "sum", 1)
#|     T.warp.unary_reduce(B[0:32, 0:32], B[0:32, 0:1], B[0:32, 0:32], "exp", "max", None, None, 1)
#|     T.warp.binary_chain(B[0:32, 0:32], B[0:32, 0:32], B[0:32, 0:32], T.float32(1.0), "add", "mul", T.bool(True))
#|     T.warp.reduce_negate(B[0:32, 0:1], B[0:32, 0:32], "sum")
#|     T.warp.sub(B[0:32, 0:32], T.float32(1.0), B[0:32, 0:32], rounding_mode="rn")
