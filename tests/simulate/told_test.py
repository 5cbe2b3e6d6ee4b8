#!/usr/bin/env python3
"""What people get wrong about synchronisation, one script each: what `check --simulate` must tell, at which two lines.

    told_test.py TILEWRIGHT

Each mistake stands beside what is right. A finding is (code, a part of its line, a part of the related line or None); others of
the same cause may stand beside it.
"""
import json
import os
import subprocess
import sys
import tempfile
import textwrap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

HEAD = """\
# tilewright: arch sm_90a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


@T.inline
def meet():
    T.cuda.cta_sync()


@T.prim_func
def k(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
"""

CASES = [
    (
        "a tile copied by the CTA is read without a barrier",
        [('TW5020', 'B[tid // 2', 'Tx.cta.copy(s')],
        """\
s = T.alloc_shared((64, 64), "float16")
Tx.cta.copy(s[:, :], A[:, :])
B[tid // 2, tid % 2] = s[63 - tid // 2, tid % 2]
""",
    ),
    (
        "with a barrier it is right",
        [],
        """\
s = T.alloc_shared((64, 64), "float16")
Tx.cta.copy(s[:, :], A[:, :])
T.cuda.cta_sync()
B[tid // 2, tid % 2] = s[63 - tid // 2, tid % 2]
""",
    ),
    (
        "the next round overwrites what others still read",
        [('TW5020', 'B[tid // 2', 'Tx.cta.copy(s')],
        """\
s = T.alloc_shared((64, 64), "float16")
for i in range(2):
    Tx.cta.copy(s[:, :], A[:, :])
    T.cuda.cta_sync()
    B[tid // 2, tid % 2] = s[63 - tid // 2, tid % 2]
""",
    ),
    (
        "a tile copied by a warp is read by its other lanes without warp_sync",
        [('TW5020', 'B[w * 16', 'Tx.warp.copy(s')],
        """\
w = T.warp_id([4])
lane = T.lane_id([32])
s = T.alloc_shared((4, 16, 16), "float16")
Tx.warp.copy(s[w, :, :], A[w * 16:w * 16 + 16, 0:16])
B[w * 16 + lane // 2, lane % 2] = s[w, 15 - lane // 2, lane % 2]
""",
    ),
    (
        "with warp_sync it is right",
        [],
        """\
w = T.warp_id([4])
lane = T.lane_id([32])
s = T.alloc_shared((4, 16, 16), "float16")
Tx.warp.copy(s[w, :, :], A[w * 16:w * 16 + 16, 0:16])
T.cuda.warp_sync()
B[w * 16 + lane // 2, lane % 2] = s[w, 15 - lane // 2, lane % 2]
""",
    ),
    (
        "a warp overwrites what its lanes still read",
        [('TW5020', 'B[w * 16', 'Tx.warp.copy(s')],
        """\
w = T.warp_id([4])
lane = T.lane_id([32])
s = T.alloc_shared((4, 16, 16), "float16")
for i in range(2):
    Tx.warp.copy(s[w, :, :], A[w * 16:w * 16 + 16, 0:16])
    T.cuda.warp_sync()
    B[w * 16 + lane // 2, lane % 2] = s[w, 15 - lane // 2, lane % 2]
""",
    ),
    (
        "nothing waits until a bulk store has read its source",
        [('TW5021', 's[tid // 2', 'cp_async_bulk_s2g')],
        """\
s = T.alloc_shared((64, 64), "float16", align=128)
Tx.cta.copy(s[:, :], A[:, :])
T.ptx.fence.proxy_async("shared::cta")
T.cuda.cta_sync()
if tid == 0:
    T.ptx.cp_async_bulk_s2g(B.ptr_to([0, 0]), s.ptr_to([0, 0]), 8192)
    T.ptx.cp_async.bulk.commit_group()
T.cuda.cta_sync()
s[tid // 2, tid % 2] = T.float16(0)
""",
    ),
    (
        "a CTA ends before its bulk store has read",
        [('TW5018', 'cp_async_bulk_s2g', None)],
        """\
s = T.alloc_shared((64, 64), "float16", align=128)
Tx.cta.copy(s[:, :], A[:, :])
T.ptx.fence.proxy_async("shared::cta")
T.cuda.cta_sync()
if tid == 0:
    T.ptx.cp_async_bulk_s2g(B.ptr_to([0, 0]), s.ptr_to([0, 0]), 8192)
    T.ptx.cp_async.bulk.commit_group()
""",
    ),
    (
        "a barrier in a helper counts",
        [],
        """\
s = T.alloc_shared((64, 64), "float16")
Tx.cta.copy(s[:, :], A[:, :])
meet()
B[tid // 2, tid % 2] = s[63 - tid // 2, tid % 2]
""",
    ),
    (
        "256 KB of shared memory",
        [('TW4017', 'alloc_buffer((131072,)', None)],
        """\
s = T.alloc_buffer((131072,), "float16", scope="shared.dyn")
s[tid] = A[0, 0]
T.cuda.cta_sync()
B[0, tid % 64] = s[127 - tid]
""",
    ),
    (
        "no cp.async.wait_group",
        [('TW5021', 'Tx.cta.copy(B', 'copy_async(s')],
        """\
s = T.alloc_shared((64, 64), "float16")
Tx.cta.copy_async(s[:, :], A[:, :], dispatch="ldgsts")
T.ptx.cp_async.commit_group()
T.cuda.cta_sync()
Tx.cta.copy(B[:, :], s[:, :])
""",
    ),
    (
        "a tensor copy whose bytes are not expected",
        [('TW5014', 'mbarrier.init', None), ('TW5021', 'Tx.cta.copy(B', 'Tx.copy_async(s')],
        """\
s = T.alloc_shared((64, 64), "float16", align=128, layout=TileLayout(S[64, 64]))
bar = T.alloc_shared((1,), "uint64")
if tid == 0:
    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
    T.ptx.fence.mbarrier_init()
T.cuda.cta_sync()
if tid == 0:
    Tx.copy_async(s[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
    T.ptx.mbarrier.arrive(bar.ptr_to([0]))
T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
Tx.cta.copy(B[:, :], s[:, :])
""",
    ),
    (
        "a barrier that was never initialised",
        [('TW5013', 'arrive.expect_tx', None), ('TW5013', 'try_wait', None)],
        """\
s = T.alloc_shared((64, 64), "float16", align=128, layout=TileLayout(S[64, 64]))
bar = T.alloc_shared((1,), "uint64")
if tid == 0:
    T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 8192)
    Tx.copy_async(s[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
Tx.cta.copy(B[:, :], s[:, :])
""",
    ),
    (
        "a barrier that only half of the warps reach",
        [('TW5005', 'T.cuda.cta_sync()', 'B[tid // 2')],
        """\
s = T.alloc_shared((64, 64), "float16")
Tx.cta.copy(s[:, :], A[:, :])
if tid < 64:
    T.cuda.cta_sync()
B[tid // 2, tid % 2] = s[63 - tid // 2, tid % 2]
""",
    ),
    (
        "a barrier that only some lanes reach",
        [('TW5005', 'T.cuda.cta_sync()', 'B[tid // 2')],
        """\
s = T.alloc_shared((64, 64), "float16")
Tx.cta.copy(s[:, :], A[:, :])
if tid % 2 == 0:
    T.cuda.cta_sync()
B[tid // 2, tid % 2] = s[63 - tid // 2, tid % 2]
""",
    ),
    (
        "a wait for the phase before the first",
        [('TW5040', 'try_wait(bar.ptr_to([0]), 1)', 'Tx.copy_async(s')],
        """\
s = T.alloc_shared((64, 64), "float16", align=128, layout=TileLayout(S[64, 64]))
bar = T.alloc_shared((1,), "uint64")
if tid == 0:
    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
    T.ptx.fence.mbarrier_init()
T.cuda.cta_sync()
if tid == 0:
    T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 8192)
    Tx.copy_async(s[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 1)
Tx.cta.copy(B[:, :], s[:, :])
""",
    ),
    (
        "a second round that waits for the first round's phase",
        [('TW5040', 'try_wait(bar.ptr_to([0]), 0)', 'Tx.copy_async(s')],
        """\
s = T.alloc_shared((64, 64), "float16", align=128, layout=TileLayout(S[64, 64]))
bar = T.alloc_shared((1,), "uint64")
if tid == 0:
    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
    T.ptx.fence.mbarrier_init()
T.cuda.cta_sync()
for i in range(2):
    if tid == 0:
        T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 8192)
        Tx.copy_async(s[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
    T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
    Tx.cta.copy(B[:, :], s[:, :])
    T.cuda.cta_sync()
""",
    ),
]


def told(binary, script):
    done = subprocess.run([binary, "check", "--simulate", "--json", script], capture_output=True, text=True, check=False)
    with open(script, encoding="utf-8") as file:
        lines = file.read().split("\n")
    found = []
    for d in json.loads(done.stdout)["diagnostics"]:
        related = [lines[r["range"]["start"]["line"] - 1] for r in d.get("related", [])]
        if d["severity"] in ("error", "warning"):
            found.append((d["code"], lines[d["range"]["start"]["line"] - 1], related))
    return done.returncode, found


def main():
    failed = 0
    for name, expected, body in CASES:
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "kernel.py")
            with open(script, "w", encoding="utf-8") as file:
                file.write(HEAD + textwrap.indent(body, "    "))
            status, found = told(sys.argv[1], script)
        missing = [
            e for e in expected
            if not any(code == e[0] and e[1] in line and (e[2] is None or any(e[2] in r for r in related)) for code, line, related in found)
        ]
        if missing or (not expected and found) or status != (1 if expected else 0):
            failed += 1
            print(f"{name}: status {status}, not told: {missing}; told: {found}")
    print(f"{len(CASES)} scripts, {failed} told wrongly")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
