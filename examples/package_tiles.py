# tilewright: dialect 0.27
# tilewright: arch sm_90a
"""The package tvm_tirx: a CTA loads rows by 16-byte accesses, applies a function of scalars, and stores them."""
from tvm_tirx.script import tirx as T
from tvm_tirx.tirx.layout import Axis, S, TileLayout

warpid, laneid = Axis.get("warpid"), Axis.get("laneid")
WARPS, LANES, ROUNDS, WORDS = 4, 32, 2, 4


@T.function(private=True)
def gelu(x: T.float32, scale: T.float32) -> T.float32:
    inner = x * (T.float32(0.7978845608) + T.float32(0.0356774081) * x * x)
    return scale * x * (T.float32(1) + T.tanh(inner))


@T.function
def reference(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))
    for i in T.serial(1024):
        x = A[i]
        B[i] = T.float32(0.5) * x * (T.float32(1) + T.tanh(x * (T.float32(0.7978845608) + T.float32(0.0356774081) * x * x)))


# tilewright: reference reference
@T.function
def package_tiles(A: T.Tensor((1024,), "float32"), B: T.Tensor((1024,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    spread = TileLayout(S[(WARPS, LANES, ROUNDS, WORDS) : (1 @ warpid, 1 @ laneid, WORDS, 1)])
    r = T.alloc_local((WARPS, LANES, ROUNDS, WORDS), "float32", layout=spread)
    T.cuda.tile.apply("ld.global.v4.f32", r, A.view(WARPS, LANES, ROUNDS, WORDS), scope="cta")
    T.cuda.tile.ewise(gelu, r, r, T.float32(0.5), scope="cta")
    T.cuda.tile.apply("st.global.v4.f32", B.view(WARPS, LANES, ROUNDS, WORDS), r, scope="cta")
