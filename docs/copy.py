"""Two mistakes for a first look: `tilewright check docs/copy.py` finds them, README.md shows what it says."""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


@T.prim_func
def copy(A: T.Buffer((32, 32), "float16"), B: T.Buffer((32, 32), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    A_smem = T.alloc_buffer((32, 33), "float16", scope="shared", layout=TileLayout(S[32, 33]))
    Tx.warp.copy_async(A_smem[:, 0:32], A[:, :])
    Tx.warp.copy(B[:, :], A_smen[:, 0:32])
