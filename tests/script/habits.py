# What newcomers write who know other languages of kernels, and what they are told.
#--- names of CUDA and of others
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((128,), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    other = threadIdx.x
#           ^^^^^^^^^ error[TW2002]: name 'threadIdx' is not defined
#   hint: a thread's id is declared: tx = T.thread_id([128])
    block = T.blockIdx.x
#             ^^^^^^^^ error[TW2003]: 'T' has no attribute 'blockIdx'
#   hint: a CTA's id is declared: bx = T.cta_id([n])
    __syncthreads()
#   ^^^^^^^^^^^^^ error[TW2002]: name '__syncthreads' is not defined
#   hint: write T.cuda.cta_sync()
    T.syncthreads()
#     ^^^^^^^^^^^ error[TW2003]: 'T' has no attribute 'syncthreads'
#   hint: write T.cuda.cta_sync()
    tile = T.alloc_smem((128,), "float16")
#            ^^^^^^^^^^ error[TW2003]: 'T' has no attribute 'alloc_smem'
#   hint: write T.alloc_shared(shape, dtype)
    for i in T.range(4):
#              ^^^^^ error[TW2003]: 'T' has no attribute 'range'
#   hint: write range(n), or T.serial(n)
        A[tid] = A[tid] + float16(1)
#                         ^^^^^^^ error[TW2002]: name 'float16' is not defined
#   hint: write T.float16
    T.cuda.cta_sync
#   ^^^^^^^^^^^^^^^ error[TW2004]: this is a function, and nothing calls it
#   hint: write () after it
    local = T.alloc_local((4,), "fp16")
#                               ^^^^^^ error[TW2004]: unknown dtype "fp16"
#   hint: did you mean "float16"?
    sums = T.alloc_local((4,), "double")
#                              ^^^^^^^^ error[TW2004]: unknown dtype "double"
#   hint: did you mean "float64"?

#--- a buffer in brackets
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer[(128,), "float16"]):
#             ^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2105]: a function is not the type of a kernel parameter
#   hint: write it with parentheses: T.Buffer((64, 64), "float16")
    T.device_entry()

#--- nothing begins the device part  [cuda]
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((128,), "float16")):
    T.cta_id([1])
#   ^^^^^^^^^^^^^ error[TW3005]: cta_id is declared in the host part
#   hint: write T.device_entry() above it
    T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    A[tid] = A[tid] + T.float16(1)

#--- a comma is missing
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((128, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    tile = T.alloc_shared((128, 64), "float16")
    T.tile.cta.copy(
        tile[:, :]
        A[:, :],
#       ^ error[TW1001]: expected ',' before 'A'
    )

#--- the decorator is forgotten, in a module and in a factory
from tvm.script import tirx as T

def plain(A: T.Buffer((128,), "float16")):
#   ^^^^^ warning[TW2115]: 'plain' is a plain function: nothing makes a kernel of it
#   hint: write @T.prim_func above it
    T.device_entry()
    tid = T.thread_id([128])
    A[tid] = T.float16(1)

def make(n):
    def inner(A: T.Buffer((128,), "float16")):
#       ^^^^^ warning[TW2115]: 'inner' is a plain function: nothing makes a kernel of it
#   hint: write @T.prim_func above it
        T.device_entry()
        tid = T.thread_id([128])
        A[tid] = T.float16(n)
    return inner

def wrapped(A: T.Buffer((128,), "float16")):
    T.device_entry()
    tid = T.thread_id([128])
    A[tid] = T.float16(1)

kernel = T.prim_func(wrapped)
