# tilewright: dialect 0.26
# Names of another release, and what says which release this is.
from tvm.script import tirx as T
# @27 hover:
#| 3:1 from tvm.script import tirx as T
#| Dialect 0.26: the comment in line 1 says so.


@T.prim_func
def kernel(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (256, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    T.cuda.sm100_tma_2sm_mbarrier_addr(tid)
    #      ^ fixes:
#| TW2003 at 13:12 sm100_tma_2sm_mbarrier_addr
#| * Write it as 0.26 does
#|         T.cuda.sm100_2sm_leader_smem_addr(tid)
    T.ret(0)
    # ^ fixes:
#| TW2003 at 15:7 ret
#| * Write it as 0.26 does
#|         T.Return(0)
