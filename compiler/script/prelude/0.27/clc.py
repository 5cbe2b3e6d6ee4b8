# What a cluster launch control answers (surface.md 10).
from tvm.script import tirx as T


@T.inline
def query_cancel_first_ctaid_x(first_ctaid_x, handle, use_ld_acquire=True):
    """Reads the answer at `handle` into `first_ctaid_x`: the x of the first CTA of the cluster that was cancelled, or
    0xFFFFFFFF where there was none."""
    first_ctaid_x = T.ptx.clc_query_cancel(handle)
