# tilewright: dialect 0.27
# Names that our comments and quotes give.
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T


@T.prim_func
def plain(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
#   ^ rename(simple):
#| 8:5 plain
#| 17:35 plain
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for c in T.serial(128):
        B[c] = A[c] * T.float32(2)


# tilewright: run twice reference=plain A=arange
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def twice(A: txl.gptr[txl.f32, (128,)], B: txl.gptr[txl.f32, (128,)]):
#   ^ rename(doubled):
#| 17:19 twice
#| 19:5 twice
    v = txl.local_scalar("float32")
    txl.ptx.ld.global_.f32(v, A.ptr_to([txl.thread_id()]))
    txl.ptx.st.global_.f32(B.ptr_to([txl.thread_id()]), v * 2)


# tilewright: sequence first then second
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def first(A: txl.gptr[txl.f32, (128,)]):
#   ^ rename(one):
#| 26:24 first
#| 28:5 first
    txl.ptx.st.global_.f32(A.ptr_to([txl.thread_id()]), txl.float32(1))


@txl.kernel(warps=4, arch="sm_90a", grid=1)
def second(A: txl.gptr[txl.f32, (128,)]):
    txl.ptx.st.global_.f32(A.ptr_to([txl.thread_id()]), txl.float32(1))


# tilewright: run make(128) reference=python:expected expected.A=c.npy
def make(n):
#   ^ rename(build):
#| 38:19 make
#| 39:5 make
#| 53:8 make
#| 58:8 make
    @txl.kernel(warps=4, arch="sm_90a", grid=1)
    def inner(A: txl.gptr[txl.f32, (n,)]):
    #   ^ rename(inner2):
#| 42:9 inner
#| 45:12 inner
        txl.ptx.st.global_.f32(A.ptr_to([txl.thread_id()]), txl.float32(1))
    return inner


def expected(A):
#   ^ rename(wanted):
#| 38:46 expected
#| 48:5 expected
    return {"A": A * 0 + 1}


ring = make(64)
# tilewright: tune ROWS=1,2,4
ROWS = 4
# @1 rename(COUNT): refused: 'ROWS' on line 54 of named_in_comments.py may or may not be the same
# tilewright: run ring
ring = make(ROWS)
# @1 rename(circle):
#| 53:1 ring
#| 57:19 ring
#| 58:1 ring


# tilewright: ignore TW5001
def f(x: "Cfg") -> "Cfg":
    return x


class Cfg:
#     ^ rename(Config):
#| 63:11 Cfg
#| 63:21 Cfg
#| 67:7 Cfg
#| other.py 1:31
#| other.py 4:11
    p: int = 1
    # @5 rename(q): 69:5 p


from dataclasses import dataclass, field, fields, asdict


@dataclass
class D:
    a: int = 1
    # @5 rename(b): refused: 'a' on line 83 of named_in_comments.py may or may not be the same


d = D()
asdict(d)["a"]
{f.name: 1 for f in fields(d)}
#--- file other.py
from named_in_comments import Cfg


def g(x: "Cfg | None"):
    return x
