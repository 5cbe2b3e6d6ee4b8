# tilewright: arch sm_80 sm_90a sm_100a
"""The element type decides how many elements one 128-bit access moves, and so the number of rounds.

A warp copies 32 x 32 elements: float32 in 8 rounds of 4, float16 in 4 rounds of 8, uint8 in 2 rounds of 16. An odd
pitch allows only narrower accesses: the last entry has rows of 36 elements of which 32 are copied.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

CONFIGS = [
    {"dtype": "float64"},
    {"dtype": "float32"},
    {"dtype": "float16"},
    {"dtype": "bfloat16"},
    {"dtype": "uint8"},
    {"dtype": "float8_e4m3fn"},
    {"dtype": "float16", "pitch": 36},
]


# tilewright: reference plain(...)
def get_kernel(dtype, pitch=32):
    @T.prim_func
    def round_trip(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (32, 32), dtype)
        B = T.match_buffer(B_ptr, (32, 32), dtype)
        T.device_entry()
        T.cta_id([1])
        T.lane_id([32])
        T.thread_id([32])
        A_smem = T.alloc_buffer((32, pitch), dtype, scope="shared", layout=TileLayout(S[32, pitch]))
        Tx.warp.copy(A_smem[:, 0:32], A[:, :])
        T.cuda.cta_sync()
        Tx.warp.copy(B[:, :], A_smem[:, 0:32])

    return round_trip


def plain(dtype, pitch=32):
    """What `run` expects of an entry with the same arguments; the pitch does not matter for it."""

    @T.prim_func
    def scalar(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (32, 32), dtype)
        B = T.match_buffer(B_ptr, (32, 32), dtype)
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for r in T.serial(32):
            for c in T.serial(32):
                B[r, c] = A[r, c]

    return scalar


def reference(A):
    return {"B": A}
