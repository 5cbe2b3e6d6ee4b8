"""Kernels of what 0.26 adds: each moves A to B, and names the plain kernel that says what B must hold."""

HEADER = '''from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import R, S, TCol, TileLayout, TLane, laneid, tid_in_wg, wid_in_wg


# B is A; where `kept` is not negative, only its rows of that parity, and zeros elsewhere.
def plain(shape, dtype, a_shape, kept=-1):
    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, a_shape, dtype)
        B = T.match_buffer(B_ptr, shape, dtype)
        T.device_entry()
        row = T.cta_id([shape[0]])
        lane = T.thread_id([32])
        for i in T.serial((shape[1] + 31) // 32):
            if i * 32 + lane < shape[1]:
                if kept < 0 or row % 2 == kept:
                    B[row, i * 32 + lane] = A[row, i * 32 + lane]
                else:
                    B[row, i * 32 + lane] = T.cast(0, dtype)

    return kernel
'''

BITS = {
    "float16": 16, "bfloat16": 16, "float32": 32, "uint8": 8, "int8": 8, "float64": 64, "int32": 32, "uint16": 16,
    "int64": 64, "uint32": 32,
}  # fmt: skip


class Kernel:
    """One kernel as text."""

    def __init__(self, name, family, threads, dtype, shape, a_shape=None, kept=-1):
        self.name, self.family, self.threads, self.dtype = name, family, threads, dtype
        self.shape, self.a_shape, self.kept = shape, a_shape or shape, kept
        self.buffers, self.body, self.checked = [], [], True

    def reference(self):
        return f'plain({self.shape}, "{self.dtype}", {self.a_shape}, {self.kept})'

    def text(self):
        t = self.threads
        ids = ["bx = T.cta_id([1])", f"w = T.warp_id([{t // 32}])", "l = T.lane_id([32])"]
        if t % 128 == 0:
            ids += [f"wg = T.warpgroup_id([{t // 128}])", "wi = T.warp_id_in_wg([4])", "tg = T.thread_id_in_wg([128])"]
        ids.append(f"tid = T.thread_id([{t}])")
        lines = [
            f'A = T.match_buffer(A_ptr, {self.a_shape}, "{self.dtype}")',
            f'B = T.match_buffer(B_ptr, {self.shape}, "{self.dtype}")',
            "T.device_entry()",
            *ids,
            *self.buffers,
            *self.body,
        ]
        out = ["", "", f"# family: {self.family}"]
        if self.checked:
            out.append(f"# tilewright: run {self.name} reference={self.reference()}")
        out += ["@T.prim_func", f"def {self.name}(A_ptr: T.handle, B_ptr: T.handle):"]
        return "\n".join(out + ["    " + line for line in lines]) + "\n"
