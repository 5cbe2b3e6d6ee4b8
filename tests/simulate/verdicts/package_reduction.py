# tilewright: arch sm_90a
# tilewright: dialect 0.27
# A copy of `apply` that adds to a tensor reads it: the tensor is an input, too. One that overwrites it does not.
# verdict kernel("add"): clean
# verdict kernel("copy"): clean
# verdict kernel("no fence"): TW5022 at `cp.reduce.async`
from tvm_tirx.script import tirx as T


def kernel(kind):
    @T.function
    def k(A: T.Tensor((32, 64), "float32"), C: T.Tensor((32, 64), "float32")):
        T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=64))
        t = T.cuda.thread_idx("x")
        tile = T.alloc_shared((32, 64), "float32", align=128, layout="default")
        for i in T.serial(32):
            tile[i, t] = A[i, t]
        if T.constexpr(kind != "no fence"):
            T.ptx.fence.proxy.async_.shared__cta()
        T.cuda.cta_sync()
        if t == 0:
            if T.constexpr(kind == "copy"):
                T.cuda.tile.apply("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", C, tile, box=(32, 64), coords=(0, 0))
            else:
                T.cuda.tile.apply("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group", C, tile, box=(32, 64), coords=(0, 0))
            T.ptx["cp.async.bulk.commit_group"]()
            T.ptx["cp.async.bulk.wait_group"](0)

    return k
