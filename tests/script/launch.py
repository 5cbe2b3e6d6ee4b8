# Launch dimensions by their CUDA names (surface.md 3): T.thread_binding, T.launch_thread, T.env_thread.
#--- thread-bound loops launch  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func
def two(A: T.Buffer((512,), "float32")):
    T.device_entry()
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(128, thread="threadIdx.x"):
            A[bx * 128 + tx] = T.float32(tx)

@T.prim_func
def dimensions(A: T.Buffer((512,), "float32")):
    T.device_entry()
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for ty in T.thread_binding(2, thread="threadIdx.y"):
            for tx in T.thread_binding(0, 64, thread="threadIdx.x"):
                A[bx * 128 + ty * 64 + tx] = 1.0

@T.prim_func
def only_y(A: T.Buffer((512,), "float32")):
    T.device_entry()
    for ty in T.thread_binding(2, thread="threadIdx.y"):
        A[ty] = 1.0

@T.prim_func
def only_blocks(A: T.Buffer((512,), "float32")):
    for bx in T.thread_binding(T.int64(2), thread="blockIdx.x"):
        A[bx] = 1.0

@T.prim_func
def cluster(A: T.Buffer((512,), "float32")):
    T.device_entry()
    for cx in T.thread_binding(2, thread="clusterCtaIdx.x"):
        for bx in T.thread_binding(4, thread="blockIdx.x"):
            for tx in T.thread_binding(64, thread="threadIdx.x"):
                A[bx * 64 + tx] = T.float32(cx)

@T.prim_func
def symbolic(A: T.Buffer((512,), "float32"), n: T.int32):
    for bx in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
        if bx < 16:
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                A[bx * 32 + tx] = 1.0
#| @T.prim_func
#| def two(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([4])
#|     tx = T.thread_id([128])
#|     A[bx * 128 + tx] = T.Cast("float32", tx)
#| @T.prim_func
#| def dimensions(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([4])
#|     tx, ty = T.thread_id([64, 2])
#|     A[bx * 128 + ty * 64 + tx] = T.float32(1.0)
#| @T.prim_func
#| def only_y(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v, ty = T.thread_id([1, 2])
#|     A[ty] = T.float32(1.0)
#| @T.prim_func
#| def only_blocks(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.thread_id([1])
#|     bx = T.cta_id([2])
#|     A[bx] = T.float32(1.0)
#| @T.prim_func
#| def cluster(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     cx = T.cta_id_in_cluster([2])
#|     bx = T.cta_id([4])
#|     tx = T.thread_id([64])
#|     A[bx * 64 + tx] = T.Cast("float32", cx)
#| @T.prim_func
#| def symbolic(A: T.Buffer((512,), "float32"), n: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([(n + 31) // 32])
#|     if bx < 16:
#|         tx = T.thread_id([32])
#|         A[bx * 32 + tx] = T.float32(1.0)

#--- the same dimension bound twice  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func
def twice(A: T.Buffer((512,), "float32")):
    T.device_entry()
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            A[bx * 64 + tx] = 1.0
        for ty in T.thread_binding(64, thread="threadIdx.x"):
            A[bx * 64 + ty] = 2.0

@T.prim_func
def nested(A: T.Buffer((512,), "float32")):
    T.device_entry()
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        for again in T.thread_binding(64, thread="threadIdx.x"):
            A[tx + again] = 1.0
#| @T.prim_func
#| def twice(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([4])
#|     tx = T.thread_id([64])
#|     A[bx * 64 + tx] = T.float32(1.0)
#|     ty = T.thread_id([64])
#|     A[bx * 64 + ty] = T.float32(2.0)
#| @T.prim_func
#| def nested(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     again = T.thread_id([64])
#|     A[tx + again] = T.float32(1.0)

#--- bindings beside scope ids  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func
def both(A: T.Buffer((512,), "float32")):
    T.device_entry()
    bx = T.cta_id([4])
    ty, tz = T.thread_id([64, 2])
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        A[bx * 128 + tx] = T.float32(ty + tz)

@T.prim_func
def warps(A: T.Buffer((512,), "float32")):
    T.device_entry()
    tx = T.launch_thread("threadIdx.x", 64)
    w = T.warp_id([2])
    lane = T.lane_id([32])
    A[tx] = T.float32(w + lane)
#| @T.prim_func
#| def both(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([4])
#|     ty, tz = T.thread_id([64, 2])
#|     tx, v = T.thread_id([64, 2])
#|     A[bx * 128 + tx] = T.Cast("float32", ty + tz)
#| @T.prim_func
#| def warps(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     w = T.warp_id([2])
#|     lane = T.lane_id([32])
#|     A[tx] = T.Cast("float32", w + lane)

#--- T.launch_thread  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func
def flat(A: T.Buffer((512,), "float32")):
    T.device_entry()
    bx = T.launch_thread("blockIdx.x", 4)
    tx = T.launch_thread("threadIdx.x", 128)
    A[bx * 128 + tx] = T.float32(tx)

@T.prim_func
def no_entry(A: T.Buffer((512,), "float32")):
    bx = T.launch_thread("blockIdx.x", 4)
    tx = T.launch_thread("threadIdx.x", extent=128)
    A[bx * 128 + tx] = T.float32(tx)

@T.prim_func
def region(A: T.Buffer((512,), "float32")):
    T.func_attr({"global_symbol": "region"})
    with T.launch_thread("blockIdx.x", 4) as bx:
        T.launch_thread("threadIdx.x", 128)
        S = T.alloc_shared((128,), "float32")
        S[0] = 1.0
        A[bx] = S[0]

@T.prim_func
def entry_below(A: T.Buffer((512,), "float32")):
    bx = T.launch_thread("blockIdx.x", 4)
    tx = T.launch_thread("threadIdx.x", 128)
    both: T.let = bx + tx
    T.device_entry()
    A[both] = 1.0

@T.prim_func
def environment(A: T.Buffer((512,), "float32")):
    tx = T.env_thread("threadIdx.x")
    T.launch_thread(tx, 32)
    A[tx] = 1.0

@T.prim_func
def shared_above(A: T.Buffer((512,), "float32")):
    T.device_entry()
    S = T.alloc_shared((32,), "float32")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        S[tx] = A[tx]
        A[31 - tx] = S[tx]

@T.prim_func
def binding_above_the_entry(A: T.Buffer((512,), "float32")):
    bx = T.launch_thread("blockIdx.x", 4)
    T.device_entry()
    tx = T.thread_id([32])
    A[bx * 32 + tx] = 1.0

@T.prim_func
def host_value(A: T.Buffer((512,), "float32"), n: T.int32):
    m: T.let = n * 2
    for bx in T.thread_binding(m, thread="blockIdx.x"):
        A[bx] = 1.0
#| @T.prim_func
#| def flat(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([4])
#|     tx = T.thread_id([128])
#|     A[bx * 128 + tx] = T.Cast("float32", tx)
#| @T.prim_func
#| def no_entry(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([4])
#|     tx = T.thread_id([128])
#|     A[bx * 128 + tx] = T.Cast("float32", tx)
#| @T.prim_func
#| def region(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([4])
#|     v = T.thread_id([128])
#|     S_1 = T.alloc_shared((128,))
#|     S_1[0] = T.float32(1.0)
#|     A[bx] = S_1[0]
#| @T.prim_func
#| def entry_below(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([4])
#|     tx = T.thread_id([128])
#|     both: T.let[T.int32] = bx + tx
#|     A[both] = T.float32(1.0)
#| @T.prim_func
#| def environment(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([32])
#|     A[tx] = T.float32(1.0)
#| @T.prim_func
#| def shared_above(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     S_1 = T.alloc_shared((32,))
#|     tx = T.thread_id([32])
#|     S_1[tx] = A[tx]
#|     A[31 - tx] = S_1[tx]
#| @T.prim_func
#| def binding_above_the_entry(A: T.Buffer((512,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([4])
#|     tx = T.thread_id([32])
#|     A[bx * 32 + tx] = T.float32(1.0)
#| @T.prim_func
#| def host_value(A: T.Buffer((512,), "float32"), n: T.int32):
#|     m: T.let[T.int32] = n * 2
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.thread_id([1])
#|     bx = T.cta_id([m])
#|     A[bx] = T.float32(1.0)

#--- a tile primitive under a binding knows its threads  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def tile(A: T.Buffer((512,), "float32")):
    T.device_entry()
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(128, thread="threadIdx.x"):
            S = T.alloc_shared((128,), "float32")
            Tx.cta.copy(S[:], A[bx * 128 : bx * 128 + 128])
            if tx < 16:
                Tx.cta.copy(A[bx * 128 : bx * 128 + 128], S[:])
#               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3106]: copy/fallback: shared -> global at cta scope goes element by element through one thread
#   hint: only lanes 0 to 15 of warp 0 get here: let the whole cta reach the call

#--- extents that contradict each other  [cuda]
from tvm.script import tirx as T

@T.prim_func
def loops(A: T.Buffer((512,), "float32")):
    T.device_entry()
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        A[tx] = 1.0
        for ty in T.thread_binding(32, thread="threadIdx.x"):
#           ^^ error[TW3001]: thread_id[32] contradicts thread_id[64]
            A[ty] = 2.0

@T.prim_func
def declared(A: T.Buffer((512,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([64])
    for tx in T.thread_binding(128, thread="threadIdx.x"):
#       ^^ error[TW3001]: thread_id[128] contradicts thread_id[64]
        A[tx] = 1.0

@T.prim_func
def more_dimensions(A: T.Buffer((512,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([64])
    for ty in T.thread_binding(2, thread="threadIdx.y"):
#       ^^ error[TW3001]: thread_id[64, 2] contradicts thread_id[64]
        A[ty] = 1.0

@T.prim_func
def no_threads(A: T.Buffer((512,), "float32")):
    T.device_entry()
    bx = T.cta_id([4])
#        ^^^^^^^^^^^^^ error[TW2110]: the kernel has no thread launch parameters: bindings give none to scope ids
#   hint: declare thread_id([n]), or warp_id([n])
    for tx in T.thread_binding(128, thread="threadIdx.x"):
        A[bx * 128 + tx] = 1.0

@T.prim_func
def ids_on_the_host(A: T.Buffer((512,), "float32")):
    tx = T.launch_thread("threadIdx.x", 32)
    t = T.thread_id([32])
#       ^^^^^^^^^^^^^^^^^ error[TW2115]: a scope id needs T.device_entry() before it
#   hint: only T.launch_thread and T.thread_binding do without
    A[tx] = T.float32(t)

@T.prim_func
def same_variable(A: T.Buffer((512,), "float32")):
    T.device_entry()
    tx = T.env_thread("threadIdx.x")
    T.launch_thread(tx, 32)
    T.launch_thread(tx, 64)
#   ^^^^^^^^^^^^^^^^^^^^^^^ error[TW3001]: thread_id[64] contradicts thread_id[32]
    A[tx] = 1.0

#--- bindings that are refused  [cuda]
from tvm.script import tirx as T

@T.prim_func
def never_launched(A: T.Buffer((512,), "float32")):
    T.device_entry()
    tx = T.env_thread("threadIdx.x")
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2110]: this launch dimension has no extent: nothing launches it
#   hint: call T.launch_thread with it and the extent
    A[tx] = 1.0

@T.prim_func
def outside(A: T.Buffer((512,), "float32")):
    T.device_entry()
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        A[tx] = 1.0
    A[0] = 2.0
#   ^^^^ error[TW2115]: this stands outside of the thread bindings: the host would run it
#   hint: move it into the bound loop

@T.prim_func
def before(A: T.Buffer((512,), "float32")):
    T.device_entry()
    A[0] = 2.0
#   ^^^^ error[TW2115]: this stands outside of the thread bindings: the host would run it
#   hint: move it into the bound loop
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        A[tx] = 1.0

@T.prim_func
def two_kernels(A: T.Buffer((512,), "float32")):
    with T.launch_thread("blockIdx.x", 4) as bx:
        A[bx] = 1.0
    with T.launch_thread("blockIdx.x", 8) as bx:
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2115]: this binding starts a second kernel
#   hint: write one kernel a function, or put both under one outer binding
        A[bx] = 2.0

@T.prim_func
def host_loop(A: T.Buffer((512,), "float32")):
    for i in range(4):
#       ^ error[TW2115]: the host would decide here about launching the kernel
#   hint: bind the launch dimensions outside, or declare scope ids after T.device_entry()
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            A[tx + i * 32] = 1.0

@T.prim_func
def extent_of_the_device(A: T.Buffer((512,), "float32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for i in range(4):
            for tx in T.thread_binding(i + 1, thread="threadIdx.x"):
#               ^^ error[TW3006]: thread_id[i + 1]: the host, which launches, does not know `i`
                A[bx * 4 + tx] = 1.0

@T.prim_func
def tags(A: T.Buffer((512,), "float32")):
    T.device_entry()
    for v in T.thread_binding(4, thread="vthread"):
#                                       ^^^^^^^^^ error[TW2110]: virtual threads are not available
#   hint: use T.serial or T.unroll
        A[v] = 1.0
    for v in T.thread_binding(4, thread="threadIdx.w"):
#                                       ^^^^^^^^^^^^^ error[TW2110]: unknown thread tag "threadIdx.w"
#   hint: blockIdx.x, threadIdx.x or clusterCtaIdx.x (also .y and .z)
        A[v] = 1.0
    for v in T.thread_binding(1, 4, thread="blockIdx.x"):
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2104]: a loop over blockIdx.x starts at 0, as the hardware counts
#   hint: add the start to the index in the body
        A[v] = 1.0
    T.launch_thread("vthread.x", 4)
#                   ^^^^^^^^^^^ error[TW2110]: virtual threads are not available
#   hint: use T.serial or T.unroll
    T.launch_thread("threadIdx.x", 1.5)
#                                  ^^^ error[TW2110]: the extent of a launch dimension must be an integer
    T.env_thread("warp")
#                ^^^^^^ error[TW2110]: unknown thread tag "warp"
#   hint: blockIdx.x, threadIdx.x or clusterCtaIdx.x (also .y and .z)

@T.prim_func
def leaving(A: T.Buffer((512,), "float32")):
    T.device_entry()
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        if tx > 3:
            break
#           ^^^^^ error[TW2104]: this stands outside of every loop
        A[tx] = 1.0

#--- a device part that nothing launches  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def store(A: T.Buffer((512,), "float32")):
    T.device_entry()
    x: T.int32 = 1
    A[x] = 1.0
#   ^^^^ error[TW3004]: the kernel has no thread launch parameters: nothing launches the threads for this
#   hint: declare cta_id([n]) and thread_id([n]) after T.device_entry()

@T.prim_func
def load(A: T.Buffer((512,), "float32")):
    T.device_entry()
    for i in range(4):
        if A[i] > 0.0:
#          ^^^^^^^^^^ error[TW3004]: the kernel has no thread launch parameters: nothing launches the threads for this
#   hint: declare cta_id([n]) and thread_id([n]) after T.device_entry()
            T.evaluate(0)

@T.prim_func
def instruction(A: T.Buffer((512,), "float32")):
    T.device_entry()
    T.cuda.cta_sync()
#   ^^^^^^^^^^^^^^^^^ error[TW3004]: the kernel has no thread launch parameters: nothing launches the threads for this
#   hint: declare cta_id([n]) and thread_id([n]) after T.device_entry()

@T.prim_func
def own_memory_only(A: T.Buffer((512,), "float32")):
    T.device_entry()
    L = T.alloc_local((4,), "float32")
    for i in range(4):
        L[i] = 1.0

#--- starred loop targets  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    for (*lv,) in T.grid(10, 2):
        A[lv[0] + lv[1]] = 1
    for i, *rest in T.grid(2, 3, 4):
        A[i] = rest[0] + rest[1]
    for *l, j in T.grid(2, 3, 4):
        A[l[0] + l[1]] = j
    for i, j, *none in T.grid(2, 3):
        A[i] = j + len(none)
    for [i, j] in T.grid(2, 3):
        A[i] = j
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([32])
#|     for lv_0 in range(10):
#|         for lv_1 in range(2):
#|             A[lv_0 + lv_1] = 1
#|     for i in range(2):
#|         for rest_0 in range(3):
#|             for rest_1 in range(4):
#|                 A[i] = rest_0 + rest_1
#|     for l_0 in range(2):
#|         for l_1 in range(3):
#|             for j in range(4):
#|                 A[l_0 + l_1] = j
#|     for i in range(2):
#|         for j in range(3):
#|             A[i] = j
#|     for i in range(2):
#|         for j in range(3):
#|             A[i] = j

#--- starred loop targets that are refused
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    for i, j, l, *rest in T.grid(2, 3):
#       ^^^^^^^^^^^^^^ error[TW2104]: this loop has 2 variables, 4 are named
        A[i] = j
    for (*l,) in T.serial(2):
#       ^^^^^ error[TW2104]: this loop has 1 variable, there is nothing to unpack
        A[l[0]] = 1
    for (*l,) in T.grid(2):
#       ^^^^^ error[TW2104]: this loop has 1 variable, there is nothing to unpack
        A[l[0]] = 1
    for *a, *b in T.grid(2, 3):
#           ^^ error[TW2104]: a loop target must be a name
        A[a[0]] = 1
    for i, in T.grid(10):
#       ^^ error[TW2104]: this loop has 1 variable, there is nothing to unpack
        A[i] = 1
    for [i] in T.serial(10):
#       ^^^ error[TW2104]: this loop has 1 variable, there is nothing to unpack
        A[i] = 1
    for i, (j, m) in T.grid(2, 3):
#          ^^^^^^ error[TW2104]: a loop target must be a name
        A[i] = 1
    for i, i in T.grid(2, 3):
#          ^ error[TW2104]: 'i' names two variables of this loop
        A[i] = 1
    for *l in T.grid(2, 3):
#       ^^ error[TW2104]: a loop target must be a name
        A[i] = 1

#--- hints to unroll  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    for i in T.serial(4, unroll=2):
        A[i] = i
    for i in T.serial(4, unroll=0):
        A[i] = i
    for i in T.serial(4, unroll=None):
        A[i] = i
    for i in T.serial(4, annotations={"custom": 42, "disable_unroll": True}):
        A[i] = i
    for i in T.serial(4, annotations={"disable_unroll": False}):
        A[i] = i
    for i in T.serial(4, annotations={"pragma_unroll": True}):
        A[i] = i
    for i in T.unroll(4, annotations={"disable_unroll": True}):
        A[i] = i
    for i in T.parallel(4, annotations={"disable_unroll": True}):
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW2117]: each thread that gets here runs all rounds of this loop, one after the other
#   hint: write T.serial, or share the rounds out: for i in T.serial(first, stop, step=threads)
        A[i] = i
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([32])
#|     for i in T.serial(4, unroll=True):
#|         A[i] = i
#|     for i in T.serial(4, unroll=False):
#|         A[i] = i
#|     for i in range(4):
#|         A[i] = i
#|     for i in T.serial(4, unroll=False):
#|         A[i] = i
#|     for i in T.serial(4, unroll=False):
#|         A[i] = i
#|     for i in T.serial(4, unroll=True):
#|         A[i] = i
#|     for i in T.unroll(4):
#|         A[i] = i
#|     for i in T.parallel(4, annotations={"disable_unroll": True}):
#|         A[i] = i

#--- hints to unroll that are none
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    for i in T.serial(4, annotations=3):
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: annotations= must be a dict, not int
        A[i] = i
    for i in T.serial(4, annotations={1: 2}):
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2004]: an annotation's name must be a string, not int
        A[i] = i

#--- bounds of unsigned types  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.uint32, m: T.uint8, q: T.int64):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    for i in T.serial(n):
        A[0] = 1
    for i in T.serial(T.uint32(0), n):
        A[0] = 1
    for i, j in T.grid(n, 2):
        A[0] = 1
    for i in T.serial(n, 10):
        A[0] = 1
    for i in T.serial(T.uint32(0), n, step=T.uint32(2)):
        A[0] = 1
    for i in range(q):
        A[0] = 1
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32"), n: T.uint32, m: T.uint8, q: T.int64):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([32])
#|     for i in T.serial(n):
#|         A[0] = 1
#|     for i in T.serial(n):
#|         A[0] = 1
#|     for i in T.serial(n):
#|         for j in range(2):
#|             A[0] = 1
#|     for i in T.serial(n, n + (T.uint32(10) - n)):
#|         A[0] = 1
#|     for i in T.serial(T.uint32(0), (n + T.uint32(1)) // T.uint32(2) * T.uint32(2), step=T.uint32(2)):
#|         A[0] = 1
#|     for i in range(q):
#|         A[0] = 1

#--- bounds of two types
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.uint32):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    for i in range(n):
#            ^^^^^^^^ error[TW2104]: the loop would run from int32 to uint32: both bounds need one type
#   hint: cast one of them; T.serial(n) starts at a 0 of the type of n
        A[0] = 1
    for i in T.serial(1, n):
#            ^^^^^^^^^^^^^^ error[TW2104]: the loop would run from int32 to uint32: both bounds need one type
#   hint: cast one of them; T.serial(n) starts at a 0 of the type of n
        A[0] = 1
    for i in T.serial(T.uint32(0), n, step=2):
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2104]: the step is int32 in a loop over uint32 values
#   hint: cast the step
        A[0] = 1

#--- what a kernel of the reference does not know
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    if (y := tx + 1) > 3:
#       ^^^^^^^^^^^ error[TW2001]: ':=' is not available in a kernel
#   hint: assign the value in a statement before
        A[0] = 1
    A[(z := 3)] = 1
#      ^^^^^^ error[TW2001]: ':=' is not available in a kernel
#   hint: assign the value in a statement before
    firsts = T.meta_var([w for i in range(3) if (w := i)])
    A[0] = firsts[1]
    if T.all(tx > 3, tx < 5):
#        ^^^ error[TW2003]: 'T' has no attribute 'all'
        A[0] = 1
    if T.any(tx > 3, tx < 5):
#        ^^^ error[TW2003]: 'T' has no attribute 'any'
        A[0] = 1
    if tx > 3:
        return
#       ^^^^^^ error[TW2001]: a return without a value is not available in a kernel
#   hint: write T.thread_return() to end the thread, or leave it out at the end
    if tx > 4:
        return None
#       ^^^^^^^^^^^ error[TW2001]: a return without a value is not available in a kernel
#   hint: write T.thread_return() to end the thread, or leave it out at the end
    if tx > 5:
        return 1
#              ^ error[TW2001]: a kernel can only return 0
    if tx > 6:
        return 0
    A[tx] = 1

#--- 'else' after a loop is dropped, as in the reference, but not without a word  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    for i in range(4):
        A[i] = i
    else:
        A[7] = undefined_name
#       ^^^^^^^^^^^^^^^^^^^^^ warning[TW2001]: 'else' after a loop of a kernel is dropped: it never runs
#   hint: write it after the loop, under a condition if it needs one
    while A[0] < 3:
        A[0] = A[0] + 1
    else:
        A[7] = 1
#       ^^^^^^^^ warning[TW2001]: 'else' after a loop of a kernel is dropped: it never runs
#   hint: write it after the loop, under a condition if it needs one
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([32])
#|     for i in range(4):
#|         A[i] = i
#|     while A[0] < 3:
#|         A[0] = A[0] + 1

#--- regions of the host whose tensor map is not encoded, a null barrier, a view made by T.Buffer  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func(check_well_formed=False)
def g2c(A_ptr: T.handle):
#   ^^^ warning[TW4015]: the tensor map `A_map` is used but never encoded
#   hint: call T.call_packed("runtime.cuTensorMapEncodeTiled", A_map, ...) before T.device_entry()
    _ = T.match_buffer(A_ptr, (16, 16), "float32")
    A_map: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    with T.launch_thread("blockIdx.x", 1):
        T.launch_thread("threadIdx.x", 128)
        A_smem = T.alloc_buffer((16, 16), "float32", scope="shared")
        T.ptx.cp_async.bulk.tensor.g2c(2, A_smem.data, 0, T.address_of(A_map), 0, 1, "", 0, 0)

@T.prim_func
def view():
    with T.launch_thread("blockIdx.x", 1):
        T.launch_thread("threadIdx.x", 128)
        addr = T.alloc_shared((1,), "uint32", layout=None)
        alias = T.Buffer((1,), "uint32", data=addr.data, scope="shared")
        buf = T.decl_buffer((64,), scope="tmem", layout=None, allocated_addr=alias[0])
#       ^^^ warning[TW2301]: the buffer 'buf' is never used
#   hint: remove it, or begin its name with '_'
#| @T.prim_func
#| def g2c(_: T.Buffer((16, 16), "float32")):
#|     A_map: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([128])
#|     A_smem = T.alloc_shared((16, 16))
#|     T.ptx.cp_async.bulk.tensor.g2c(2, A_smem.data, 0, T.address_of(A_map), T.uint16(0), 1, "", 0, 0)
#| @T.prim_func
#| def view():
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([128])
#|     addr = T.alloc_shared((1,), "uint32", layout=None)
#|     alias = T.decl_buffer((1,), "uint32", data=addr.data, scope="shared")
#|     buf = T.decl_buffer((64,), scope="tmem", layout=None, allocated_addr=alias[0])

#--- functions of the host  [cuda]
from tvm.script import tirx as T

@T.prim_func
def nothing(A: T.Buffer((16,), "float32")):
#   ^^^^^^^ information[TW4001]: `nothing` has no T.device_entry(): nothing runs on the GPU
    T.evaluate(0)

@T.prim_func
def forgotten(A: T.Buffer((16,), "float32")):
#   ^^^^^^^^^ warning[TW4001]: `forgotten` has no T.device_entry(): nothing runs on the GPU
#   hint: write T.device_entry() above what the GPU is meant to do
    A[0] = T.float32(1)

#--- a pool of shared memory that nothing commits has no size from 0.26 on  [cuda]
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.tirx.lang.alloc_pool import SMEMPool

@T.prim_func
def forgotten(A: T.Buffer((128,), "float32")):
    T.device_entry()
    t = T.thread_id([128])
    pool = T.meta_var(SMEMPool())
#                     ^^^^^^^^^^ error[TW4006]: `pool.buf` has no size: no commit() says how large it is
#   hint: call commit() of the pool after its last alloc()
    s = pool.alloc((128,), "float32")
    s[t] = A[t]
    T.cuda.cta_sync()
    A[t] = s[127 - t]

#--- more shared memory than the architecture has: an error, for no launch can have it  [cuda]
from tvm.script import tirx as T

@T.prim_func
def large(A: T.Buffer((16,), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([16])
    tile = T.alloc_buffer((116224,), "float16", scope="shared.dyn")
    flag = T.alloc_shared([4], "int32")
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW4017]: shared memory of a CTA reaches 232464 bytes with `flag`; sm_100a has 232448, and no launch can have more
#   hint: make the tiles or the number of stages smaller
    tile[tid] = A[tid]
    flag[0] = 1
    A[tid] = tile[tid]

@T.prim_func
def fits(A: T.Buffer((16,), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([16])
    tile = T.alloc_buffer((116224,), "float16", scope="shared.dyn")
    tile[tid] = A[tid]
    A[tid] = tile[tid]
