# tilewright: arch sm_90a
# tilewright: dialect 0.25
# A slot that is read without a wait, and a tile that is read before it is there: what follows stands beside it.
# verdict workers("right"): clean
# verdict workers("no wait"): only TW5020 at `B[i * 2 + 1, lane] = right.data`
# verdict workers("stuck phase"): only TW5040 at `T.ptx.mbarrier.try_wait(right.full`
# verdict tiles("right"): clean
# verdict tiles("copy barrier"): only TW5020 at `Tx.warp.max(`
# verdict tiles("warp only"): only TW5020 at `Tx.cta.copy(B[:, :]`
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


def workers(kind):
    ITEMS, N = 8, 32

    @T.meta_class
    class Box:
        def __init__(self, count):
            self.full = T.alloc_shared((1,), "uint64")
            self.empty = T.alloc_shared((1,), "uint64")
            self.data = T.alloc_shared((N,), "float32", align=128)
            self.count = count

        @T.inline
        def init(self):
            T.ptx.mbarrier.init(self.full.ptr_to([0]), self.count)
            T.ptx.mbarrier.init(self.empty.ptr_to([0]), N)

        @T.inline
        def put(self, lane, value, phase):
            T.ptx.mbarrier.try_wait(self.empty.ptr_to([0]), phase ^ 1)
            self.data[lane] = value
            if kind != "no arrive":
                T.ptx.mbarrier.arrive(self.full.ptr_to([0]))

        @T.inline
        def release(self):
            T.ptx.mbarrier.arrive(self.empty.ptr_to([0]))

    @T.meta_class
    class Named(Box):
        def __init__(self, count, name):
            Box.__init__(self, count)
            self.name = name

    @T.prim_func
    def wk(A: T.Buffer((ITEMS, N), "float32"), B: T.Buffer((ITEMS, N), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([3])
        lane = T.lane_id([32])
        T.thread_id([96])
        left = Named(N if kind != "one arrival" else 1, "left")
        right = Named(N, "right")
        if warp == 0 and lane == 0:
            left.init()
            right.init()
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        if warp == 0:
            for i in T.serial(ITEMS // 2):
                left.put(lane, A[i * 2, lane], i % 2)
        elif warp == 1:
            for i in T.serial(ITEMS // 2):
                right.put(lane, A[i * 2 + 1, lane] * 2.0, 0 if kind == "stuck phase" else i % 2)
        else:
            for i in T.serial(ITEMS // 2 - (1 if kind == "one round less" else 0)):
                T.ptx.mbarrier.try_wait(left.full.ptr_to([0]), i % 2)
                B[i * 2, lane] = left.data[N - 1 - lane]
                left.release()
                if kind != "no wait":
                    T.ptx.mbarrier.try_wait(right.full.ptr_to([0]), i % 2)
                B[i * 2 + 1, lane] = right.data[N - 1 - lane]
                if kind == "early release":
                    left.release()
                else:
                    right.release()

    return wk


def tiles(kind):
    R, C = 16, 128

    @T.prim_func
    def tl(A: T.Buffer((R, C), "float32"), B: T.Buffer((R, C), "float16")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        T.lane_id([32])
        T.thread_id([128])
        s = T.alloc_shared((R, C), "float32", align=16)
        h = T.alloc_shared((R, C), "float16", align=16)
        top = T.alloc_shared((R, 1), "float32")
        Tx.cta.copy(s[:, :], A[:, :])
        if kind != "copy barrier":
            T.cuda.cta_sync()
        lo: T.let = warp * 4
        Tx.warp.max(top[lo : lo + 4, :], s[lo : lo + (5 if kind == "five rows" else 4), :], (-1,))
        if kind != "top barrier":
            T.cuda.warp_sync()
        Tx.warp.sub(s[lo : lo + 4, :], s[lo : lo + 4, :], top[lo : lo + 4, :])
        T.cuda.warp_sync()
        Tx.warp.exp(s[lo : lo + 4, :], s[lo : lo + 4, :])
        T.cuda.warp_sync()
        Tx.warp.cast(h[lo : lo + 4, :], s[lo : lo + 4, :])
        if kind == "warp only":
            T.cuda.warp_sync()
        else:
            T.cuda.cta_sync()
        Tx.cta.copy(B[:, :], h[:, :])

    return tl
