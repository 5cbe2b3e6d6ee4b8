"""One copy by a tensor map, as the text of a kernel: for the planners, and for a run beside a kernel without any."""

from dataclasses import dataclass, field

HEADER = '''from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, TCol, TileLayout, TLane, laneid, m, tx
from tvm.backend.cuda.tile_primitive.tma_utils import mma_shared_layout
'''
ARCHS = ("sm_90a", "sm_100a")

BITS = {
    "float4_e2m1fn": 4, "bool": 8, "int8": 8, "uint8": 8, "float8_e4m3fn": 8, "float8_e5m2": 8, "int16": 16,
    "uint16": 16, "float16": 16, "bfloat16": 16, "int32": 32, "uint32": 32, "float32": 32, "int64": 64, "uint64": 64,
    "float64": 64,
}  # fmt: skip


def product(numbers):
    n = 1
    for i in numbers:
        n *= i
    return n


def row_major(shape):
    strides, n = [], 1
    for e in reversed(shape):
        strides.insert(0, n)
        n *= e
    return strides


def swizzled(dtype, mode, shape):
    return f'mma_shared_layout("{dtype}", {mode}, ({", ".join(map(str, shape))},))'


def strided(shape, strides, offset=None):
    one = ", ".join(map(str, shape)) + ","
    two = ", ".join(map(str, strides)) + ","
    return f"TileLayout(S[({one}) : ({two})]{f' + {offset} @ m' if offset else ''})"


@dataclass
class Problem:
    """What is copied: a region of tensor A and one of s in shared memory; layouts are script text, None the default."""

    name: str
    shape: list
    start: list
    extent: list
    s_shape: list
    s_start: list = None
    s_extent: list = None
    dtype: str = "float16"
    s_dtype: str = None
    s_layout: str = None
    layout: str = None
    variant: str = "tma_auto"
    store: bool = False
    arch: str = "sm_100a"
    host: list = field(default_factory=list)  # lines before the tensor
    views: list = field(default_factory=list)  # lines after the device's entry
    tensor: str = "A"  # the view that is copied
    options: dict = field(default_factory=dict)
    barrier: bool = True  # of a load
    elem_offset: int = 0
    align: int = 1024
    pool: int = -1  # bytes before s in a pool; -1: s is a buffer of its own

    def __post_init__(self):
        self.s_start = self.s_start or [0] * len(self.s_shape)
        self.s_extent = self.s_extent or list(self.s_shape)
        self.s_dtype = self.s_dtype or self.dtype

    def bytes(self):
        return product(self.s_extent) * BITS[self.s_dtype] // 8

    def same_payload(self):
        if any(isinstance(e, str) for e in self.extent):
            return True  # the caller sees to it
        there = product(self.extent) * BITS[self.dtype] * (4 if "gather4" in self.options else 1)
        return there == product(self.s_extent) * BITS[self.s_dtype]

    # ---- text

    @staticmethod
    def region(name, start, extent):
        parts = [
            f"{s}:{s + e}" if isinstance(s, int) and isinstance(e, int) else f"{s}:{s} + {e}"
            for s, e in zip(start, extent)
        ]
        return f"{name}[{', '.join(parts)}]"

    def call(self):
        tensor = self.region(self.tensor, self.start, self.extent)
        shared = self.region("s", self.s_start, self.s_extent)
        words = [tensor, shared] if self.store else [shared, tensor]
        if self.variant:
            words.append(f'dispatch="{self.variant}"')
        options = dict(self.options)
        if self.barrier and not self.store:
            options = {"mbar": "bar.ptr_to([0])", **options}
        return f"Tx.copy_async({', '.join(words + [f'{k}={v}' for k, v in options.items()])})"

    def signature(self, name, more=""):
        lines = ["@T.prim_func", f"def {name}(A_ptr: T.handle{more}):"]
        lines += [f"    {h}" for h in self.host]
        shape = ", ".join(map(str, self.shape)) + ","
        extra = f", layout={self.layout}" if self.layout else ""
        extra += f", elem_offset={self.elem_offset}" if self.elem_offset else ""
        lines.append(f'    A = T.match_buffer(A_ptr, ({shape}), "{self.dtype}"{extra})')
        return lines

    def shared(self):
        shape = ", ".join(map(str, self.s_shape)) + ","
        extra = f", layout={self.s_layout}" if self.s_layout else ""
        if self.pool >= 0:
            before = [f'    x = pool.alloc(({self.pool},), "uint8", align=16)'] if self.pool else []
            return [
                "    pool = T.SMEMPool()",
                *before,
                f'    s = pool.alloc(({shape}), "{self.s_dtype}"{extra}, align={self.align})',
                "    pool.commit()",
                '    bar = T.alloc_buffer((1,), "uint64", scope="shared")',
            ]
        return [
            f'    s = T.alloc_buffer(({shape}), "{self.s_dtype}", scope="shared"{extra}, align={self.align})',
            '    bar = T.alloc_buffer((1,), "uint64", scope="shared")',
        ]

    def kernel(self):
        """The copy alone."""
        lines = self.signature(self.name)
        lines += ["    T.device_entry()", "    bx = T.cta_id([4])", "    tid = T.thread_id([32])"]
        lines += [f"    {v}" for v in self.views] + self.shared()
        return "\n".join([*lines, "    if tid == 0:", f"        {self.call()}"]) + "\n"

    # ---- execution

    def runs(self):
        """Whether executed() can show what the copy did: numbers only, and nothing that the plain kernel lacks."""
        plain = not (self.host or self.views or self.elem_offset or "use_tma_reduce" in self.options)
        numbers = all(isinstance(n, int) for n in [*self.shape, *self.start, *self.extent, *self.s_start])
        simple = not {"gather4", "src_selector", "oob", "tma_dtype", "cta_group", "mbarrier_addr"} & set(self.options)
        return plain and numbers and simple and self.dtype == self.s_dtype and product(self.s_extent) <= 4096

    def executed(self):
        """The copy with everything around it, and the same by loads and stores: two kernels."""
        count = product(self.s_extent)
        digits = lambda shape, start: ", ".join(  # noqa: E731: element i of a region
            f"{s} + i // {product(shape[d + 1:])} % {shape[d]}" for d, s in enumerate(start)
        )
        tensor, shared = digits(self.extent, self.start), digits(self.s_extent, self.s_start)
        b = f'    B = T.match_buffer(B_ptr, ({count},), "{self.dtype}")'
        entry = ["    T.device_entry()", "    bx = T.cta_id([1])", "    tid = T.thread_id([32])"]
        name = self.name
        lines = self.signature(f"run_{name}", ", B_ptr: T.handle") + [b] + entry + self.shared()
        loop = f"        for i in T.serial({count}):"
        if self.store:
            lines += [
                "    if tid == 0:", loop, f"            s[{shared}] = B[i]",
                '        T.ptx.fence.proxy_async("shared::cta")', f"        {self.call()}",
                "        T.ptx.cp_async.bulk.commit_group()", "        T.ptx.cp_async.bulk.wait_group(0)",
            ]  # fmt: skip
        else:
            lines += [
                "    if tid == 0:", "        T.ptx.mbarrier.init(bar.ptr_to([0]), 1)",
                "        T.ptx.fence.mbarrier_init()",
                f"        T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), {self.bytes()})", f"        {self.call()}",
                "        T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)", loop, f"            B[i] = s[{shared}]",
            ]  # fmt: skip
        inside = " and ".join(
            f"{s} + i // {product(self.extent[d + 1:])} % {e} < {n}"
            for d, (s, e, n) in enumerate(zip(self.start, self.extent, self.shape))
            if s + e > n
        )
        plain = self.signature(f"plain_{name}", ", B_ptr: T.handle") + [b] + entry
        move = f"A[{tensor}] = B[i]" if self.store else f"B[i] = A[{tensor}]"
        plain += ["    if tid == 0:", loop]
        if inside and not self.store:
            plain += [f'            B[i] = T.cast(0, "{self.dtype}")']
        plain += [f"            if {inside}:", f"                {move}"] if inside else [f"            {move}"]
        return f"# tilewright: reference plain_{name}\n" + "\n".join(lines) + "\n\n" + "\n".join(plain) + "\n"
