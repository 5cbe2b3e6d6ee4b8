# tilewright: dialect 0.27
# Names that a text gives: what is sure is renamed, too, what is not is refused.
from dataclasses import dataclass, replace
from functools import partial

import tirx_kernels.tirx_lite as txl

CONFIGS = [{"rows": 4, "scale": 2.0}, dict(rows=8, scale=1.0)]
OPTIONS = {"share": 3.0}
__all__ = ["get_kernel", "helper"]


@dataclass(frozen=True)
class Ring:
    depth: int
    # @5 rename(stages):
#| 15:5 depth
#| 22:21 depth
#| 26:21 depth
#| 41:17 depth
    width: int = 32
    # @5 rename(columns):
#| 17:5 width
#| 22:34 width
#| 26:34 width
#| 42:26 width
#| 52:84 width

    def size(self):
    #   ^ rename(extent): refused: 'size' on line 45 of renamed_texts.py may or may not be the same
        return self.depth * self.width

    def total(self):
    #   ^ rename(sum):
#| 24:9 total
#| 45:43 total
        return self.depth + self.width


def helper(rows, share=1.0, extra=0):
#   ^ rename(assist):
#| 10:27 helper
#| 29:5 helper
#| 43:20 helper
#| 44:9 helper
#          ^ rename(lines): refused: 'rows' on line 8 of renamed_texts.py may or may not be the same
#                ^ rename(factor): refused: 'share' on line 9 of renamed_texts.py may or may not be the same
#                           ^ rename(more):
#| 29:29 extra
#| 34:27 extra
#| 43:28 extra
    return rows * share + extra


def get_kernel(rows, scale):
#   ^ rename(make):
#| 10:13 get_kernel
#| 37:5 get_kernel
#| 87:1 get_kernel
#              ^ rename(lines): refused: 'rows' on line 8 of renamed_texts.py may or may not be the same
#                    ^ rename(factor): refused: 'scale' on line 8 of renamed_texts.py may or may not be the same
    ring = Ring(depth=rows)
    wide = replace(ring, width=64)
    part = partial(helper, extra=2)
    n = helper(rows, **OPTIONS) + part(rows)
    size = getattr(ring, "size")() + ring.total()

    @txl.kernel(warps=4, arch="sm_90a", grid="m")
    def k(A: txl.gptr[txl.f32, (512,)], m: txl.i32):
    #     ^ rename(X):
#| 48:11 A
#| 52:32 A
    #                                   ^ rename(count):
#| 47:47 m
#| 48:41 m
        v = txl.local_scalar("float32", name="v")
        txl.ptx.st.global_.f32(A.ptr_to([txl.thread_id()]), v + float(size) + wide.width + n)

    return k


@txl.kernel(warps=4, arch="sm_90a", grid=lambda p: p["blocks"])
def k2(A: txl.gptr(txl.f32, shape=lambda p: (p["blocks"],)), blocks: txl.i32):
#                                                            ^ rename(count):
#| 57:55 blocks
#| 58:49 blocks
#| 58:62 blocks
    txl.ptx.st.global_.f32(A.ptr_to([txl.thread_id()]), txl.float32(1))


def extents(p):
    return p["tiles"]


@txl.kernel(warps=4, arch="sm_90a", grid=extents)
def k3(A: txl.gptr[txl.f32, (512,)], tiles: txl.i32):
#                                    ^ rename(count): refused: 'tiles' on line 64 of renamed_texts.py may or may not be the same
    txl.ptx.st.global_.f32(A.ptr_to([txl.thread_id()]), txl.float32(1))


# tilewright: run k4 A=arange reference=python:expected
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def k4(A: txl.gptr[txl.f32, (128,)], B: txl.gptr[txl.f32, (128,)], C: txl.gptr[txl.f32, (128,)]):
#      ^ rename(X): refused: 'A' on line 73 of renamed_texts.py may or may not be the same
#                                    ^ rename(Y): refused: 'B' on line 82 of renamed_texts.py may or may not be the same
#                                                                  ^ rename(Z): 75:68 C
    txl.ptx.st.global_.f32(B.ptr_to([txl.thread_id()]), txl.float32(1))


def expected(A, B):
#               ^ rename(Y): refused: 'B' on line 75 of renamed_texts.py may or may not be the same
    return {"B": A * 0 + 1}


get_kernel(**CONFIGS[0])
