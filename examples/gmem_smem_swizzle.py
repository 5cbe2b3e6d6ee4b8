# tilewright: arch sm_80 sm_90a sm_100a
"""Swizzled shared memory: the XOR permutation that lets a column of 16-byte chunks be read without bank conflicts.

A swizzled tile caps the width of an access at one swizzle chunk (2 ** per_element elements) and sends every shared
address through the swizzle. The picture of the 128-byte mode:
    tilewright layout 'SwizzleLayout(3, 3, 3)' --shape 8,64 --by bank
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, ComposeLayout, SwizzleLayout, TileLayout


# tilewright: entry make(3, 3, 3)
# tilewright: entry make(3, 2, 3)
# tilewright: entry make(3, 1, 3)
# tilewright: entry make(2, 3, 3)
# tilewright: entry make(0, 3, 3)
def make(per_element, swizzle_len, atom_len):
    layout = ComposeLayout(SwizzleLayout(per_element, swizzle_len, atom_len), TileLayout(S[64, 64]))

    @T.prim_func
    def swizzled(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (64, 64), "float16")
        B = T.match_buffer(B_ptr, (64, 64), "float16")
        T.device_entry()
        T.cta_id([1])
        T.thread_id([128])
        A_smem = T.alloc_buffer((64, 64), "float16", scope="shared", layout=layout)
        Tx.cta.copy(A_smem[:, :], A[:, :])
        T.cuda.cta_sync()
        Tx.cta.copy(B[:, :], A_smem[:, :])

    return swizzled


# tilewright: reference plain(64, 64)
def plain(rows, columns):
    """What `run` expects of the kernels of this file: every element on its own, no tile primitive."""

    @T.prim_func
    def scalar(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (rows, columns), "float16")
        B = T.match_buffer(B_ptr, (rows, columns), "float16")
        T.device_entry()
        r = T.cta_id([rows])
        T.thread_id([1])
        for c in T.serial(columns):
            B[r, c] = A[r, c]

    return scalar


def reference(A):
    return {"B": A}
