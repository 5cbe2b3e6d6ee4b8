# tilewright: dialect 0.27
# The package that follows 0.27: its names, its ids, and what repeats an instruction.
from tvm_tirx.script import tirx as T

LAUNCH = T.cuda.LaunchConfig(grid=8, block=128)
#               ^^^^^^^^^^^^ hover:

@T.function
#  ^^^^^^^^ hover:
def k(A: T.Tensor((8, 128, 4), "float32"), C: T.Tensor((8, 128, 4), "float32")):
#          ^^^^^^ hover:
    T.device_entry(launch=LAUNCH)
    #              ^ signatureHelp:
    t = T.cuda.thread_idx("x")
#              ^^^^^^^^^^ hover:
    r = T.alloc_local((8, 1, 4), "float32", layout="default")
    T.cuda.tile.apply("ld.global.v4.f32", r, A[:, t : t + 1, :])
#               ^^^^^ hover:
    T.cuda.tile.apply("st.global.v4.f32", C[:, t : t + 1, :], r)
#                                         ^ definition:
    T.cuda.tile.
#               ^ completion:
