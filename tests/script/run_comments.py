#--- what a run is asked for, and words that mean nothing  [cuda]
# tilewright: run copy reference=expected A=random(seed=7) B=poison n=100 repeat=20  # as measured
# tilewright: run copy, reference=expected, input.A=arange(start=-4, step=2), expected.B=other.npy, n = 7
# tilewright: run copy refernce=expected A=randm(seed=7) n=zeros Q=3 repeat=-1 once A=ones B=random(sed=3) C=
#                      ^^^^^^^^ error[TW2313]: 'refernce' is no setting
#   hint: did you mean reference?
#                                          ^^^^^ error[TW2313]: 'randm' is nothing that a tensor can hold: one of random, zeros, ones, arange, poison, a number, or a file.npy
#   hint: did you mean random?
#                                                          ^^^^^ error[TW2313]: `n` is a number
#   hint: for example n=128
#                                                                ^ error[TW2313]: `copy` has no `Q`
#   hint: its tensors: A, B; scalars and extents: n
#                                                                           ^^ error[TW2313]: 'repeat' takes a whole number from 0 to 10000
#   hint: for example repeat=20
#                                                                              ^^^^ error[TW2313]: 'once' stands alone: settings are written NAME=VALUE
#   hint: for example A=random(seed=7)
#                                                                                   ^ error[TW2313]: 'A' is said twice
#                                                                                                   ^^^ error[TW2313]: random takes seed=, low=, high=, not 'sed'
#   hint: did you mean seed?
#                                                                                                          ^ error[TW2313]: 'C=' has no value
#   hint: for example C=random(seed=7)
# tilewright: run cpoy n=3
#                 ^^^^ error[TW2313]: there is no entry 'cpoy'
#   hint: did you mean copy?
from tvm.script import tirx as T

# tilewright: run seed=secret warmup=1 schedules=9 rtol=1e-3 atol=0 n=0x10 b=zeros
#                                                                          ^ error[TW2313]: `copy` has no `b`
#   hint: did you mean B?
@T.prim_func
def copy(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32"), n: T.int32):
    T.device_entry()
    t = T.thread_id([128])
    B[t] = A[t] + T.float32(n)

@T.prim_func
def expected(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32"), n: T.int32):
    T.device_entry()
    t = T.thread_id([128])
    B[t] = A[t] + T.float32(n)

#--- a run comment is an entry  [cuda]
from tvm.script import tirx as T

# tilewright: run make(64) A=ones
# tilewright: run make B=zeros Z=ones
#                              ^ error[TW2313]: `kernel` has no `Z`
#   hint: its tensors: A, B
# tilewright: run make(64) then make(32)
def make(n):
    @T.prim_func
    def kernel(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        T.device_entry()
        t = T.thread_id([n])
        B[t] = A[t]
    return kernel
