"""Products that 0.26 adds to gemm_async: fp8 and tf32, tcgen05.mma.ws, tiles without a swizzle, an instruction's own extents."""

from newer.kernel import BITS
from newer.tensor_memory import TensorKernel

BITS = BITS | {"float8_e4m3fn": 8, "float8_e5m2": 8}
TYPES = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fn", "float32", "float32", "float16", "bfloat16"]


class ProductKernel(TensorKernel):
    def __init__(self, name, family, dtype, m, n, k):
        super().__init__(name, family, dtype, (m, n), (m, k), columns=max(32, 1 << (n - 1).bit_length()))
        self.size, self.tolerance = (m, n, k), "rtol=2e-2 atol=2e-1" if dtype == "float32" else "rtol=1e-3 atol=1e-2"

    def text(self):
        m, n, k = self.size
        lines = [
            f'A = T.match_buffer(A_ptr, ({m}, {k}), "{self.dtype}")',
            f'B = T.match_buffer(B_ptr, ({n}, {k}), "{self.dtype}")',
            f'D = T.match_buffer(D_ptr, ({m}, {n}), "float32")',
            "T.device_entry()",
            "bx = T.cta_id([1])",
            "w = T.warp_id([4])",
            "l = T.lane_id([32])",
            "wg = T.warpgroup_id([1])",
            "wi = T.warp_id_in_wg([4])",
            "tg = T.thread_id_in_wg([128])",
            "tid = T.thread_id([128])",
            *self.buffers,
            *self.body,
        ]
        out = ["", "", f"# family: {self.family}"]
        if self.checked:
            out.append(f'# tilewright: run {self.name} reference=product({self.size}, "{self.dtype}") {self.tolerance}')
        out += ["@T.prim_func", f"def {self.name}(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):"]
        return "\n".join(out + ["    " + line for line in lines]) + "\n"


def smem(rng, dtype, rows, k, transposed):
    """Layout of an operand in shared memory, as declared: (rows, k), or (k, rows) transposed."""
    shape = (k, rows) if transposed else (rows, k)
    size = shape[1] * BITS[dtype] // 8
    modes = [m for m in (1, 2, 3) if size % (16 << m) == 0 and (not transposed or shape[0] % 8 == 0)]
    if not modes:
        return None
    return f'mma_shared_layout("{dtype}", {rng.choice(modes)}, {shape})'


def product(rng, name):
    dtype = rng.choice(TYPES)
    step = 256 // BITS[dtype]
    k_extent = step * rng.choice([1, 1, 2, 4])
    path = rng.choice(["D", "D", "F", "E", "E", "batched", "packed16"])
    m = 128 if path == "D" else 64
    if path == "packed16":
        dtype, m = rng.choice(["float16", "bfloat16"]), 128
        k_extent = 16 * rng.choice([1, 2, 4])
    folded = path in ("E", "batched")
    n = rng.choice([64, 128]) if folded else rng.choice([16, 32, 64, 96, 128, 24 if m == 64 else 48])
    k = ProductKernel(name, "product", dtype, m, n, k_extent)
    if n * k_extent * BITS[dtype] // 8 > 32768 or m * k_extent * BITS[dtype] // 8 > 32768:
        return None
    trans_a = trans_b = False
    if BITS[dtype] < 32 and path != "packed16":
        trans_a, trans_b = rng.random() < 0.2, rng.random() < 0.2
    elif BITS[dtype] == 32 and rng.random() < 0.08:
        trans_b = True  # tf32 is read along K
    if BITS[dtype] == 32 and trans_b:
        k.checked = False
    packed = path == "packed16"
    layouts = []
    for rows, transposed in ((m, trans_a), (n, trans_b)):
        text = f"TileLayout(S[({rows}, {k_extent // 8}, 8) : (8, {rows * 8}, 1)])" if packed else smem(rng, dtype, rows, k_extent, transposed)
        if text is None:
            return None
        layouts.append((((k_extent, rows) if transposed else (rows, k_extent)), text))
    # A from tensor memory: a row a lane, and of 64 rows a tile for each half of C's columns.
    a_tmem = path in ("D", "E", "batched") and not trans_a and rng.random() < 0.3
    wide = n // 2 if folded else n
    cells = {
        "D": ((128, n), f"S[(128, {n}) : (1 @ TLane, 1 @ TCol)]"),
        "packed16": ((128, n), f"S[(128, {n}) : (1 @ TLane, 1 @ TCol)]"),
        "F": ((64, n), f"S[(4, 16, {n}) : (32 @ TLane, 1 @ TLane, 1 @ TCol)]"),
        "E": ((64, n), f"S[(64, 2, {wide}) : (1 @ TLane, 64 @ TLane, 1 @ TCol)]"),
        "batched": ((2, 64, wide), f"S[(2, 64, {wide}) : (64 @ TLane, 1 @ TLane, 1 @ TCol)]"),
    }[path]
    view = (128, wide) if m == 128 or folded else None
    options = ["accum=False"]
    if trans_a:
        options.append("transA=True")
    if trans_b:
        options.append("transB=True")
    options.append('dispatch="tcgen05"')
    if dtype == "float32":
        options.append("is_AB_tf32=True")
    if folded and rng.random() < 0.4 and path == "E":
        options.append("weight_stationary=True")
    if rng.random() < 0.3:
        options.append(f'smem_desc="{rng.choice(["hoist", "local_hoist", "encode", "recompute"])}"')
    if rng.random() < 0.25 and not folded:
        options.append(f"mma_m={m}, mma_n={rng.choice([n, n] + ([n // 2] if n % 32 == 0 and not trans_b else []))}")
    if rng.random() < 0.12:
        k.checked = False
        options.append(
            rng.choice(
                ["mma_m=128", "mma_n=64", f"mma_m={2 * m}, mma_n={n}", f"mma_m={m}, mma_n={n + 8}", "descI=T.uint32(136317200)"]
                + (["weight_stationary=False"] if path == "E" else [])
                + (["weight_stationary=True"] if path == "F" else [])
            )
        )
        options = list(dict.fromkeys(options))
        if sum(o.startswith("mma_m") or o.startswith("mma_n") for o in options) > 1 or sum(o.startswith("weight_s") for o in options) > 1:
            return None
    registers = f"TileLayout(S[(128, {wide}) : (1 @ tid_in_wg, 1)])"
    r_shape, read = (128, wide), "M1"
    if path == "F":
        if n not in (16, 32, 64, 128):
            return None
        registers, r_shape, read = f'tcgen05_atom_layout("16x64b", (64, {n}), "float32")', (64, n), "C"
    elif folded:
        registers, r_shape, read = f"TileLayout(S[(64, 2, {wide}) : (1 @ tid_in_wg, 64 @ tid_in_wg, 1)])", (64, n), "M1"
    elif n not in (16, 32, 64, 128):
        return None
    k.buffers = [
        f'A_smem = T.alloc_buffer({layouts[0][0]}, "{dtype}", scope="shared", layout={layouts[0][1]}, align=1024)',
        f'B_smem = T.alloc_buffer({layouts[1][0]}, "{dtype}", scope="shared", layout={layouts[1][1]}, align=1024)',
        f'R0 = T.alloc_buffer({r_shape}, "float32", scope="local", layout={registers})',
    ]
    k.columns = 256 if a_tmem else k.columns
    k.body = k.setup()
    dtype_of, k.dtype = k.dtype, "float32"
    k.body.append(k.tensor("C", *cells))
    if view:
        k.body.append(
            k.tensor("M1", (64, n), f"S[(64, 2, {wide}) : (1 @ TLane, 64 @ TLane, 1 @ TCol)]")
            if folded
            else k.tensor("M1", view, f"S[(128, {wide}) : (1 @ TLane, 1 @ TCol)]")
        )
    k.dtype = dtype_of
    if a_tmem:
        k.buffers[0] = f'RA = T.alloc_buffer((128, {k_extent}), "{dtype}", scope="local", layout=TileLayout(S[(128, {k_extent}) : (1 @ tid_in_wg, 1)]))'
        flat = k.tensor("TA", (128, k_extent), f"S[(128, {k_extent}) : (1 @ TLane, 1 @ TCol)]")
        two = k.tensor("TA2", (2, 64, k_extent), f"S[(2, 64, {k_extent}) : (64 @ TLane, 1 @ TLane, 1 @ TCol)]")
        k.body += [line.replace("address[0]", "address[0] + 128") for line in ([flat, two] if folded else [flat])]
        k.body += [
            f"ra = RA.local({k_extent})",
            f"for j in T.serial({k_extent}):",
            f"    ra[j] = A[tid % {m}, j]",
            "Tx.wg.copy_async(TA, RA)",
            "T.ptx.tcgen05.wait.st()",
            "T.ptx.tcgen05.fence.before_thread_sync()",
            "T.cuda.cta_sync()",
            "T.ptx.tcgen05.fence.after_thread_sync()",
        ]
    for own, tensor, transposed, rows in (("A_smem", "A", trans_a, m), ("B_smem", "B", trans_b, n)):
        if own == "A_smem" and a_tmem:
            continue
        if transposed:
            k.body += [
                f"for i in T.serial({(rows * k_extent + 127) // 128}):",
                f"    if i * 128 + tid < {rows * k_extent}:",
                f"        {own}[(i * 128 + tid) // {rows}, (i * 128 + tid) % {rows}] = {tensor}[(i * 128 + tid) % {rows}, (i * 128 + tid) // {rows}]",
            ]
        else:
            k.body.append(f"Tx.cta.copy({own}, {tensor})")
    k.body += [
        'T.ptx.fence.proxy_async("shared::cta")',
        "T.cuda.cta_sync()",
        "if tid == 0:",
        f"    Tx.gemm_async(C, {'A_smem' if not a_tmem else 'TA2' if folded else 'TA'}, B_smem, {', '.join(options)})",
        "    T.ptx.tcgen05.commit(bar.ptr_to([0]), cta_group=1)",
        "T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)",
        "T.ptx.tcgen05.fence.after_thread_sync()",
    ]
    k.body += [f"Tx.wg.copy_async(R0, {read})", "T.ptx.tcgen05.wait.ld()", "Tx.wg.copy(D, R0)"] + k.teardown()
    return k


def make(rng, name, release):
    while True:
        made = product(rng, name)
        if made:
            return made


HEADER = '''from tvm.backend.cuda.tile_primitive.tma_utils import mma_shared_layout
from tvm.tirx.layout import tcgen05_atom_layout


# D = A B^T.
def product(size, dtype):
    m, n, k = size

    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
        A = T.match_buffer(A_ptr, (m, k), dtype)
        B = T.match_buffer(B_ptr, (n, k), dtype)
        D = T.match_buffer(D_ptr, (m, n), "float32")
        T.device_entry()
        row = T.cta_id([m])
        column = T.thread_id([n])
        total: T.float32 = 0.0
        for i in T.serial(k):
            total = total + T.cast(A[row, i], "float32") * T.cast(B[column, i], "float32")
        D[row, column] = total

    return kernel
'''
