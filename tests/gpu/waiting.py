"""Kernels that wait for each other's CTAs, or for the kernel ahead: their launches need an attribute."""

from tvm.script import tirx as T


@T.prim_func
def together(A: T.Buffer((2, 128), "float32"), B: T.Buffer((2, 128), "float32")):
    T.device_entry()
    bx = T.cta_id([2])
    tid = T.thread_id([128])
    A[bx, tid] = 1.0
    T.cuda.grid_sync()
    B[bx, tid] = A[1 - bx, tid]


@T.prim_func
def behind(A: T.Buffer((4, 128), "float32"), B: T.Buffer((4, 128), "float32")):
    T.func_attr({"tirx.use_programmatic_dependent_launch": True})
    T.device_entry()
    T.cta_id_in_cluster([2])
    bx = T.cta_id([4])
    tid = T.thread_id([128])
    T.ptx.griddepcontrol.wait()
    B[bx, tid] = A[bx, tid]
    T.ptx.griddepcontrol.launch_dependents()
