# Kernels of the traced library: a function that runs once. docs/language/dialects.md 6
#--- a kernel, its launch and its parameters [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=4, arch="sm_90a", grid=8)
def add(a: txl.gptr[txl.f32, (1024,)], b: txl.gptr[txl.f32], n: txl.i32):
    i = txl.cta_id() * 128 + txl.thread_id()
    x = txl.local_scalar("float32")
    with txl.If(i < n), txl.Then():
        txl.ptx.ld.global_.f32(x, a.ptr_to([i]))
        for step in range(2):
            txl.assign(x, x + float(step))
        txl.ptx["st.global.f32"](b.ptr_to([i]), x)
    with txl.serial(2) as j:
        txl.cuda.cta_sync()

#--- a grid by a parameter, shapes of numbers, bounds, what the host makes [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

def encode(p):
    m = txl.stack_alloca("tensormap", 1)
    txl.call_packed("runtime.cuTensorMapEncodeTiled", m, "float32", 2, p["a"].data, 64, 64, 256, 32, 8, 1, 1, 0, 0, 0, 0)
    return m

@txl.kernel(warps=8, arch="sm_90a", min_blocks_per_sm=2, grid=["n", 2], host_prelude=encode)
def k(a: txl.gptr(txl.f32, shape=lambda p: (p["n"], 64)), n: txl.i32, *, host):
    x, y = txl.cta_id()
    with txl.If(txl.thread_id() == 0), txl.Then():
        txl.ptx.prefetch.tensormap(txl.address_of(host))

#--- what belongs to other dialects is refused by name
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=1, grid=1)
def k(a: txl.gptr[txl.f32]):
    txl.evaluate(txl.ptx.bar.sync(0))

@txl.kernel(warps=1, grid=1)
def l(a: txl.gptr[txl.f32]):
    x = txl.cuda.ldg(a.ptr_to([0]), "float32")

@txl.kernel(warps=1, grid=1)
def m(a: txl.gptr[txl.f32]):
    txl.alloc_shared([32], "float32")

#--- what a traced kernel may not do stands at the call, with the calls that led there
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

def first(a):
    return a[0]

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def reads(a: txl.gptr[txl.f32]):
    x = txl.local_scalar("float32")
    txl.assign(x, first(a))

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def stores(a: txl.gptr[txl.f32]):
    a[0] = txl.float32(1)

@txl.kernel(warps=4, arch="sm_90a", grid=1)
def registers(a: txl.gptr[txl.f32]):
    txl.ptx.setmaxnreg.inc.sync.aligned.u32(240)

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def copies(a: txl.gptr[txl.f32]):
    s = txl.smem_pool().alloc((32,), "float32")
    txl.ptx["cp.async.ca.shared.global"](s.ptr_to([0]), a.ptr_to([0]), 4)

@txl.kernel(warps=1, arch="sm_90a", grid=1)
def branches(a: txl.gptr[txl.f32], n: txl.i32):
    if txl.thread_id() < n:
        txl.cuda.cta_sync()

#--- roles, their registers, and the chain of their branches [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=8, arch="sm_90a", min_blocks_per_sm=1, grid=1)
def k(a: txl.gptr[txl.f32, (256,)]):
    roles = txl.specialize()
    load = roles.role("load", warps=range(4), regs=24)
    work = roles.role("work", warps=[4, 5, 6, 7], regs=240)
    with load:
        txl.ptx.bar.sync(1, 128)
    with work:
        t = txl.tid_in_role()
        w = txl.warp_id_in_role()
        txl.ptx.st.global_.f32(a.ptr_to([t + w]), txl.float32(1))

#--- roles that do not share out the warps
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=8, arch="sm_90a", min_blocks_per_sm=1, grid=1)
def k(a: txl.gptr[txl.f32]):
    roles = txl.specialize()
    load = roles.role("load", warps=range(4))
    with load:
        txl.ptx.bar.sync(1, 128)

@txl.kernel(warps=8, arch="sm_90a", min_blocks_per_sm=1, grid=1)
def l(a: txl.gptr[txl.f32]):
    roles = txl.specialize()
    load = roles.role("load", warps=range(4), regs=256)
    work = roles.role("work", warps=range(4, 8), regs=256)
    with load:
        with work:
            txl.ptx.bar.sync(1, 128)

#--- pools, barriers and pipelines [print]
# tilewright: dialect 0.27
import tirx_kernels.tirx_lite as txl

@txl.kernel(warps=4, arch="sm_90a", grid=1)
def k(a: txl.gptr[txl.f32, (256,)]):
    pool = txl.smem_pool()
    tile = pool.alloc((2, 64, 64), txl.f16, swizzle=txl.SW128B)
    pipe = txl.Pipeline(pool, 2, full="tma", empty="mbar", init_empty=4)
    state = txl.PipelineState(2, 0)
    ring = txl.RingState(4, stride=2)
    pipe.full.wait(state.stage, state.phase)
    r = txl.alloc_local([4], "uint32")
    txl.ptx.ldmatrix.sync.aligned.m8n8.x4.shared.b16(r[0], r[1], r[2], r[3], tile[state.stage].m8n8x4(0, 8, txl.lane_id()))
    pipe.empty.arrive(state.stage)
    state.advance()
    ring.advance()

#--- a release that has no such library
# tilewright: dialect 0.25
import tirx_kernels.tirx_lite as txl
