"""One kernel with a matrix product, and the plain kernel that says what must come out of it."""

HEADER = '''from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TCol, TileLayout, TLane, laneid, tid_in_wg, tx, wid_in_wg
from tvm.backend.cuda.operator.tile_primitive.tma_utils import mma_shared_layout


# What a product should leave in D: the rows and columns from `at` are A B^T (by the parts of A and B that are multiplied),
# on top of what was there if it adds; all others stay `rest`, or what C says.
def plain(a_shape, b_shape, d_shape, dtype, t_a, t_b, a_at, b_at, d_at, size, with_c, adds):
    M, N, K = size

    if with_c:

        @T.prim_func
        def kernel(A_ptr: T.handle, B_ptr: T.handle, C_ptr: T.handle, D_ptr: T.handle):
            A = T.match_buffer(A_ptr, a_shape, dtype)
            B = T.match_buffer(B_ptr, b_shape, dtype)
            C = T.match_buffer(C_ptr, d_shape, "float32")
            D = T.match_buffer(D_ptr, d_shape, "float32")
            T.device_entry()
            row = T.cta_id([d_shape[0]])
            column = T.thread_id([d_shape[1]])
            total: T.float32 = C[row, column]
            if (row >= d_at[0]) & (row < d_at[0] + M) & (column >= d_at[1]) & (column < d_at[1] + N):
                if not adds:
                    total = 0.0
                i = T.meta_var(row - d_at[0])
                j = T.meta_var(column - d_at[1])
                for k in T.serial(K):
                    a = T.meta_var(A[a_at[0] + k, a_at[1] + i] if t_a else A[a_at[0] + i, a_at[1] + k])
                    b = T.meta_var(B[b_at[0] + j, b_at[1] + k] if t_b else B[b_at[0] + k, b_at[1] + j])
                    total = total + T.cast(a, "float32") * T.cast(b, "float32")
            D[row, column] = total

    else:

        @T.prim_func
        def kernel(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
            A = T.match_buffer(A_ptr, a_shape, dtype)
            B = T.match_buffer(B_ptr, b_shape, dtype)
            D = T.match_buffer(D_ptr, d_shape, "float32")
            T.device_entry()
            row = T.cta_id([d_shape[0]])
            column = T.thread_id([d_shape[1]])
            total: T.float32 = 3.0
            if (row >= d_at[0]) & (row < d_at[0] + M) & (column >= d_at[1]) & (column < d_at[1] + N):
                total = 0.0
                i = T.meta_var(row - d_at[0])
                j = T.meta_var(column - d_at[1])
                for k in T.serial(K):
                    a = T.meta_var(A[a_at[0] + k, a_at[1] + i] if t_a else A[a_at[0] + i, a_at[1] + k])
                    b = T.meta_var(B[b_at[0] + j, b_at[1] + k] if t_b else B[b_at[0] + k, b_at[1] + j])
                    total = total + T.cast(a, "float32") * T.cast(b, "float32")
            D[row, column] = total

    return kernel


# The same for bytes of 8-bit (`wide` 1) or 4-bit (2) numbers, with a scale factor a row for each `block` of them along K.
def scaled(M, N, count, factors, block, wide):
    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle, SA_ptr: T.handle, SB_ptr: T.handle, D_ptr: T.handle):
        A = T.match_buffer(A_ptr, (M, count), "uint8")
        B = T.match_buffer(B_ptr, (N, count), "uint8")
        SA = T.match_buffer(SA_ptr, (M, factors), "uint8")
        SB = T.match_buffer(SB_ptr, (N, factors), "uint8")
        D = T.match_buffer(D_ptr, (M, N), "float32")
        T.device_entry()
        row = T.cta_id([M])
        column = T.thread_id([N])
        number = T.alloc_local((2,), "float32")
        total: T.float32 = 0.0
        for k in T.serial(count * wide):
            for side in T.unroll(2):
                byte: T.int32 = T.cast(A[row, k // wide] if side == 0 else B[column, k // wide], "int32")
                if wide == 2:
                    code: T.int32 = (byte >> (k % 2 * 4)) & 15
                    exponent: T.int32 = (code >> 1) & 3
                    halves: T.int32 = (code & 1) if exponent == 0 else (2 + (code & 1)) << (exponent - 1)
                    number[side] = T.cast(halves, "float32") * T.float32(0.5)
                    if code >= 8:
                        number[side] = T.float32(0) - number[side]
                else:
                    e: T.int32 = (byte >> 3) & 3
                    eighths: T.int32 = (byte & 7) if e == 0 else 8 + (byte & 7)
                    power: T.int32 = T.max(e, 1) + 117
                    number[side] = T.cast(eighths, "float32") * T.reinterpret("float32", power << 23)
                    if byte >= 128:
                        number[side] = T.float32(0) - number[side]
                factor: T.int32 = T.cast(SA[row, k // block] if side == 0 else SB[column, k // block], "int32")
                scale: T.int32 = (factor & 1) + 126
                number[side] = number[side] * T.reinterpret("float32", scale << 23)
            total = total + number[0] * number[1]
        D[row, column] = total

    return kernel
'''


class Kernel:
    """Text in its order: tensors, what stands before the first statement, statements."""

    def __init__(self, name, family):
        self.name, self.family = name, family
        self.params, self.host, self.ids, self.body, self.reference = [], [], [], [], None
        self.scalars = []  # parameters with their types
        self.shared_left = 0  # as copies/kernel.py says it; a kernel here fits by itself

    def tensor(self, name, shape, dtype):
        self.params.append(name)
        self.host.append(f'{name} = T.match_buffer({name}_ptr, ({", ".join(map(str, shape))}), "{dtype}")')

    def add(self, *lines):
        self.body += lines

    def text(self):
        out = ["", "", f"# family: {self.family}"]
        if self.reference:
            out.append(f"# tilewright: reference {self.reference}")
        out += ["@T.prim_func", f"def {self.name}(" + ", ".join([f"{p}_ptr: T.handle" for p in self.params] + self.scalars) + "):"]
        body = self.host + ["T.device_entry()"] + self.ids + self.body
        return "\n".join(out + ["    " + line for line in body]) + "\n"
