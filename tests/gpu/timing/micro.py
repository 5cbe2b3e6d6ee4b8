# tilewright: arch sm_90a
# tilewright: dialect 0.25
"""Micro-kernels from which the constants of the model of time come: each does one thing `steps` times, and the
difference between two numbers of steps is what one costs (tests/gpu/timing/README.md)."""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import Pipeline, PipelineState
from tvm.tirx.lang.warp_role import WarpRole
from tvm.tirx.layout import wgmma_accumulator_layout


def empty(ctas, threads):
    @T.prim_func
    def kernel(A: T.Buffer((1,), "float32")):
        T.device_entry()
        cta = T.cta_id([ctas])
        t = T.thread_id([threads])
        if cta == 0:
            if t == 0:
                A[0] = T.float32(1)

    return kernel


def stream(width, threads, each, ctas):
    """Each thread copies `each` times `width` bytes, a CTA neighbouring ones."""
    words = width // 4

    @T.prim_func
    def kernel(A: T.Buffer((ctas * each * threads * words,), "float32"), B: T.Buffer((ctas * each * threads * words,), "float32")):
        T.device_entry()
        cta = T.cta_id([ctas])
        t = T.thread_id([threads])
        mine = T.alloc_local((each * words,), "float32")
        for i in T.unroll(each):
            at = ((cta * each + i) * threads + t) * words
            if words == 4:
                T.cuda.copy_128b(mine.ptr_to([i * words]), A.ptr_to([at]))
            elif words == 2:
                T.cuda.copy_64b(mine.ptr_to([i * words]), A.ptr_to([at]))
            else:
                mine[i] = A[at]
        for i in T.unroll(each):
            at = ((cta * each + i) * threads + t) * words
            if words == 4:
                T.cuda.copy_128b(B.ptr_to([at]), mine.ptr_to([i * words]))
            elif words == 2:
                T.cuda.copy_64b(B.ptr_to([at]), mine.ptr_to([i * words]))
            else:
                B[at] = mine[i]

    return kernel


def chase(words, steps):
    """One thread follows the numbers in `follow`, each of which says where the next one is."""

    @T.prim_func
    def kernel(follow: T.Buffer((words,), "int32"), B: T.Buffer((1,), "int32")):
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        at: T.int32 = 0
        for i in T.serial(steps):
            at = follow[at]
        B[0] = at

    return kernel


def shared_chase(steps):
    @T.prim_func
    def kernel(follow: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32")):
        T.device_entry()
        T.cta_id([1])
        t = T.thread_id([32])
        tile = T.alloc_shared((32,), "int32")
        tile[t] = follow[t]
        T.cuda.cta_sync()
        at: T.int32 = t
        for i in T.serial(steps):
            at = tile[at]
        B[t] = at

    return kernel


def shared_reads(stride, threads, steps):
    """Each warp reads words that lie `stride` apart: 1 wavefront, or as many as that has common banks."""

    @T.prim_func
    def kernel(A: T.Buffer((4096,), "float32"), B: T.Buffer((132, threads), "float32")):
        T.device_entry()
        cta = T.cta_id([132])
        t = T.thread_id([threads])
        tile = T.alloc_shared((4096,), "float32")
        for i in T.serial(4096 // threads):
            tile[i * threads + t] = A[i * threads + t]
        T.cuda.cta_sync()
        total: T.float32 = 0.0
        for i in T.serial(steps):
            for j in T.unroll(16):
                total = total + tile[(t * stride + i * 16 + j) % 4096]
        B[cta, t] = total

    return kernel


def arithmetic(kind, threads, steps):
    """A chain of operations a thread, 16 a step."""

    @T.prim_func
    def kernel(A: T.Buffer((2,), "float32"), B: T.Buffer((132, threads), "float32")):
        T.device_entry()
        cta = T.cta_id([132])
        t = T.thread_id([threads])
        x: T.float32 = A[0] + T.float32(t)
        y: T.float32 = A[1]
        for i in T.serial(steps):
            for j in T.unroll(16):
                if kind == "fma":
                    x = x * y + y
                elif kind == "exp2":
                    x = T.exp2(x)
                elif kind == "divide":
                    x = y / x
                else:
                    x = T.max(x * y, y)
        B[cta, t] = x

    return kernel


def integers(threads, steps):
    @T.prim_func
    def kernel(A: T.Buffer((2,), "int32"), B: T.Buffer((132, threads), "int32")):
        T.device_entry()
        cta = T.cta_id([132])
        t = T.thread_id([threads])
        x: T.int32 = A[0] + t
        y: T.int32 = A[1]
        for i in T.serial(steps):
            for j in T.unroll(16):
                x = (x * y + t) ^ i
        B[cta, t] = x

    return kernel


def shuffles(threads, steps):
    @T.prim_func
    def kernel(A: T.Buffer((2,), "float32"), B: T.Buffer((132, threads), "float32")):
        T.device_entry()
        cta = T.cta_id([132])
        t = T.thread_id([threads])
        x: T.float32 = A[0] + T.float32(t)
        for i in T.serial(steps):
            for j in T.unroll(4):
                x = x + T.tvm_warp_shuffle_xor(0xFFFFFFFF, x, 1, 32, 32)
        B[cta, t] = x

    return kernel


def syncs(threads, steps):
    @T.prim_func
    def kernel(A: T.Buffer((1,), "float32"), B: T.Buffer((132, threads), "float32")):
        T.device_entry()
        cta = T.cta_id([132])
        t = T.thread_id([threads])
        for i in T.serial(steps):
            T.cuda.cta_sync()
        B[cta, t] = A[0]

    return kernel


def atomics(words, threads, steps):
    """Additions to global memory, of neighbouring words or of one."""

    @T.prim_func
    def kernel(B: T.Buffer((132 * 1024,), "float32")):
        T.device_entry()
        cta = T.cta_id([132])
        t = T.thread_id([threads])
        for i in T.serial(steps):
            T.cuda.atomic_add(B.ptr_to([(cta * 1024 + t) % words]), T.float32(1))

    return kernel


def boxes(rows, stages, steps, ctas):
    """A ring of TMA boxes of `rows` times 128 bytes that one warp fills and one gives back at once."""
    bytes_each = rows * 128

    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (ctas * steps * rows, 64), "float16")
        B = T.match_buffer(B_ptr, (ctas, 32), "int32")
        T.device_entry()
        cta = T.cta_id([ctas])
        warp = T.warp_id([2])
        lane = T.lane_id([32])
        T.thread_id([64])
        pool = T.SMEMPool()
        tiles = pool.alloc_mma((stages, rows, 64), "float16")
        pipe = Pipeline(pool, stages, full="tma", empty="mbar", init_empty=1)
        pool.commit()
        T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        with WarpRole(warp, 1):
            if T.ptx.elect_sync():
                fill = PipelineState(stages, phase=1)
                for step in T.serial(steps):
                    pipe.empty.wait(fill.stage, fill.phase)
                    pipe.full.arrive(fill.stage, bytes_each)
                    first = T.meta_var((cta * steps + step) * rows)
                    Tx.copy_async(tiles[fill.stage, :, :], A[first : first + rows, :], dispatch="tma", mbar=pipe.full.ptr_to([fill.stage]))
                    fill.advance()
        if warp < 1:
            use = PipelineState(stages, phase=0)
            for step in T.serial(steps):
                pipe.full.wait(use.stage, use.phase)
                T.cuda.warp_sync()
                if lane == 0:
                    pipe.empty.arrive(use.stage)
                use.advance()
            B[cta, lane] = lane

    return kernel


def boxes_again(rows, stages, steps, places):
    """The same on all SMs, of a few tiles that the L2 cache keeps."""
    bytes_each = rows * 128

    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (places * rows, 64), "float16")
        B = T.match_buffer(B_ptr, (132, 32), "int32")
        T.device_entry()
        cta = T.cta_id([132])
        warp = T.warp_id([2])
        lane = T.lane_id([32])
        T.thread_id([64])
        pool = T.SMEMPool()
        tiles = pool.alloc_mma((stages, rows, 64), "float16")
        pipe = Pipeline(pool, stages, full="tma", empty="mbar", init_empty=1)
        pool.commit()
        T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        with WarpRole(warp, 1):
            if T.ptx.elect_sync():
                fill = PipelineState(stages, phase=1)
                for step in T.serial(steps):
                    pipe.empty.wait(fill.stage, fill.phase)
                    pipe.full.arrive(fill.stage, bytes_each)
                    first = T.meta_var(((cta * 7 + step) % places) * rows)
                    Tx.copy_async(tiles[fill.stage, :, :], A[first : first + rows, :], dispatch="tma", mbar=pipe.full.ptr_to([fill.stage]))
                    fill.advance()
        if warp < 1:
            use = PipelineState(stages, phase=0)
            for step in T.serial(steps):
                pipe.full.wait(use.stage, use.phase)
                T.cuda.warp_sync()
                if lane == 0:
                    pipe.empty.arrive(use.stage)
                use.advance()
            B[cta, lane] = lane

    return kernel


def products(columns, groups, steps):
    """Each warpgroup multiplies 64 x 64 by 64 x columns over and over."""

    @T.prim_func
    def kernel(A: T.Buffer((1,), "float16"), B: T.Buffer((132, groups * 128), "float32")):
        T.device_entry()
        cta = T.cta_id([132])
        wg = T.warpgroup_id([groups])
        tid = T.thread_id([groups * 128])
        pool = T.SMEMPool()
        left = pool.alloc_mma((groups, 64, 64), "float16")
        right = pool.alloc_mma((columns, 64), "float16")
        pool.commit()
        for i in T.serial(32 // groups * groups):
            left[tid // 128, i * 2 + tid % 128 // 64, tid % 64] = A[0]
        for i in T.serial(columns * 64 // (groups * 128)):
            right[(i * groups * 128 + tid) // 64, (i * groups * 128 + tid) % 64] = A[0]
        T.ptx.fence.proxy_async("shared::cta")
        T.cuda.cta_sync()
        sums = T.alloc_buffer((64, columns), "float32", scope="local", layout=wgmma_accumulator_layout(columns))
        for step in T.serial(steps):
            Tx.wg.gemm_async(sums, left[wg], right[:, :], accum=step > 0)
            T.ptx.wgmma.commit_group()
            T.ptx.wgmma.wait_group(0)
        B[cta, tid] = sums.local(columns // 2)[0]

    return kernel


# tilewright: entry empty(1, 32)
