#!/usr/bin/env python3
"""One fault that shows in many places: `check --simulate` tells its cause, once, where it is to be fixed.

    causes_test.py TILEWRIGHT [-k PART] [--every N]

Each case changes an example in one place. Expected is the first finding: (code, part of its line, part of its message, part of its hint),
and how many there are. What follows from the cause is related to it.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLACKWELL, HOPPER = "tcgen05_pipeline.py", "gemm_hopper.py"
DEALLOC = "        T.ptx.tcgen05.dealloc(address[0], n_cols=ACCUMULATORS * N, cta_group=1)\n"
SYNC = "                    T.cuda.warpgroup_sync(1 + wg)\n"
PROXY = '                    T.ptx.fence.proxy_async("shared::cta")\n'

# A tile that one thread gives back for its warpgroup.
RELEASED = """\
# tilewright: arch sm_90a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


@T.prim_func
def k(A: T.Buffer((2, 64, 64), "float16"), B: T.Buffer((2, 64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([2])
    tid = T.thread_id([256])
    tile = T.alloc_shared((64, 64), "float16", align=128, layout=TileLayout(S[64, 64]))
    full = T.alloc_shared((1,), "uint64")
    empty = T.alloc_shared((1,), "uint64")
    if tid == 0:
        T.ptx.mbarrier.init(full.ptr_to([0]), 1)
        T.ptx.mbarrier.init(empty.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    if tid == 128:
        for i in T.serial(2):
            T.ptx.mbarrier.try_wait(empty.ptr_to([0]), (i + 1) % 2)
            T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([0]), 8192)
            Tx.copy_async(tile[:, :], A[i, :, :], dispatch="tma", mbar=full.ptr_to([0]))
    if wg == 0:
        for i in T.serial(2):
            T.ptx.mbarrier.try_wait(full.ptr_to([0]), i % 2)
            B[i, tid // 2, tid % 2] = tile[tid // 2, tid % 2]
            if tid == 0:
                T.ptx.mbarrier.arrive(empty.ptr_to([0]))
"""

# A ring of cp.async whose slot is filled again while other threads read it.
REFILLED = """\
# tilewright: arch sm_90a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def k(A: T.Buffer((5, 16, 64), "float16"), B: T.Buffer((5, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    ring = T.alloc_shared((2, 16, 64), "float16")
    Tx.cta.copy_async(ring[0, :, :], A[0, :, :])
    T.ptx.cp_async.commit_group()
    for step in T.serial(5):
        if step + 1 < 5:
            Tx.cta.copy_async(ring[(step + 1) % 2, :, :], A[step + 1, :, :])
        T.ptx.cp_async.commit_group()
        T.ptx.cp_async.wait_group(1)
        T.cuda.cta_sync()
        if tid < 64:
            total: T.float32 = 0.0
            for row in T.serial(16):
                total += T.cast(ring[step % 2, row, tid], "float32")
            B[step, tid] = T.cast(total, "float16")
        T.cuda.cta_sync()
"""

# The same mistakes in 0.27: hints spell what its scripts write.
NEWER = """\
# tilewright: dialect 0.27
# tilewright: arch sm_90a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def k(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    tile = T.alloc_shared((64, 64), "float16", align=128)
    Tx.cta.copy(tile[:, :], A[:, :])
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    if tid == 0:
        Tx.copy_async(B[:, :], tile[:, :], dispatch="tma_auto")
        T.ptx.cp.async_.bulk.commit_group()
        T.ptx.cp.async_.bulk.wait_group.read(0)
"""
LOADED = """\
# tilewright: dialect 0.27
# tilewright: arch sm_90a
from tvm.script import tirx as T


@T.prim_func
def k(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    s = T.alloc_shared((128,), "float32", align=128)
    T.ptx.cp.async_.ca.shared.global_(s.ptr_to([tid]), A.ptr_to([tid]), 4)
    B[tid] = s[tid]
"""

# Barriers of a ring: how many arrivals each is initialised for.
COUNTED = """\
# tilewright: arch sm_90a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

FULL, EMPTY = 1, 4


@T.prim_func
def k(A: T.Buffer((8, 64, 64), "float16"), B: T.Buffer((8, 64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([2])
    lane = T.lane_id([32])
    tid = T.thread_id([256])
    tile = T.alloc_shared((2, 64, 64), "float16", align=128)
    full = T.alloc_shared((2,), "uint64")
    empty = T.alloc_shared((2,), "uint64")
    if tid == 0:
        for s in T.unroll(2):
            T.ptx.mbarrier.init(full.ptr_to([s]), FULL)
            T.ptx.mbarrier.init(empty.ptr_to([s]), EMPTY)
        T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    if tid == 128:
        for i in T.serial(8):
            T.ptx.mbarrier.try_wait(empty.ptr_to([i % 2]), (i // 2 + 1) % 2)
            T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([i % 2]), 8192)
            Tx.copy_async(tile[i % 2, :, :], A[i, :, :], dispatch="tma", mbar=full.ptr_to([i % 2]))
    if wg == 0:
        for i in T.serial(8):
            T.ptx.mbarrier.try_wait(full.ptr_to([i % 2]), i // 2 % 2)
            B[i, tid // 2, tid % 2] = tile[i % 2, tid // 2, tid % 2]
            T.cuda.warpgroup_sync(1)
            if lane == 0:
                T.ptx.mbarrier.arrive(empty.ptr_to([i % 2]))
"""

# A copy that nothing waits for, used at four lines.
UNAWAITED = """\
# tilewright: arch sm_90a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def k(A: T.Buffer((128, 8), "float32"), B: T.Buffer((128, 8), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    s = T.alloc_shared((128, 8), "float32")
    Tx.cta.copy_async(s[:, :], A[:, :])
    T.cuda.cta_sync()
    B[tid, 0] = s[tid, 0]
    B[tid, 1] = s[tid, 1]
    B[tid, 2] = s[tid, 2] + s[tid, 3]
    B[tid, 4] = s[127 - tid, 4]
"""

# Elements of shared memory in the author's indices.
INDICES = """\
# tilewright: arch sm_90a
from tvm.script import tirx as T


@T.prim_func
def k(B: T.Buffer((4, 32), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    s = T.alloc_shared((4, 32, 2), "float32")
    s[tid // 32, tid % 32, 1] = 1.0
    T.cuda.cta_sync()
    B[tid // 32, tid % 32] = s[3 - tid // 32, tid % 32, 1]
"""

# One fault that two rules see: what is not awaited also ends too late.
PRODUCT = """\
# tilewright: arch sm_90a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import wgmma_accumulator_layout


@T.prim_func
def k(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16"), C: T.Buffer((64, 64), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([1])
    tid = T.thread_id([128])
    pool = T.SMEMPool()
    a = pool.alloc_mma((64, 64), "float16")
    b = pool.alloc_mma((64, 64), "float16")
    pool.commit()
    acc = T.alloc_local((64, 64), "float32", layout=wgmma_accumulator_layout(64))
    Tx.cta.copy(a, A)
    Tx.cta.copy(b, B)
    T.ptx.fence.proxy_async("shared::cta")
    T.cuda.cta_sync()
    Tx.wg.gemm_async(acc, a, b)
    T.ptx.wgmma.commit_group()
    T.ptx.wgmma.wait_group(0)
    mine = acc.local(8, 2, 2)
    for j, h, p in T.grid(8, 2, 2):
        C[tid // 32 * 16 + h * 8 + tid % 32 // 4, j * 8 + tid % 4 * 2 + p] = mine[j, h, p]
"""
SENT = """\
# tilewright: arch sm_90a
from tvm.script import tirx as T


@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((2, 64), "float32")):
    T.device_entry()
    rank = T.cta_id_in_cluster([2])
    T.cta_id([2])
    tid = T.thread_id([64])
    s = T.alloc_shared((64,), "float32", align=128)
    bar = T.alloc_shared([1], "uint64")
    if tid == 0:
        T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    T.cuda.cluster_sync()
    if tid == 0:
        T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 256)
        if rank == 0:
            T.ptx.cp_async_bulk_g2s_cluster(s.ptr_to([0]), A.ptr_to([0]), 256, bar.ptr_to([0]), multicast=True, cta_mask=3)
    T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
    B[rank, tid] = s[63 - tid]
    T.cuda.cluster_sync()
"""
PARTED = """\
# tilewright: arch sm_90a
from tvm.script import tirx as T


@T.prim_func
def k(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    x: T.float32 = A[tid]
    if tid < 0:
        x = T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), x, 8, 32, 32)
    else:
        T.cuda.warp_sync()
    B[tid] = x
"""

# Two tiles that a barrier hands over, read at three lines; and one whose lanes come to a barrier in a branch.
HANDED = """\
# tilewright: arch sm_90a
from tvm.script import tirx as T


@T.prim_func
def k(A: T.Buffer((4, 64), "float32"), B: T.Buffer((4, 64), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([64])
    s = T.alloc_shared((64,), "float32")
    r = T.alloc_shared((64,), "float32")
    for i in T.serial(4):
        s[tid] = A[i, tid]
        r[tid] = A[i, tid] * T.float32(2)
        if tid >= 0:
            T.cuda.cta_sync()
        x: T.float32 = s[63 - tid]
        x = x + r[63 - tid]
        B[i, tid] = x + r[32]
        T.cuda.cta_sync()
"""

# A flag between CTAs.
FLAG = """\
# tilewright: arch sm_90a
from tvm.script import tirx as T


# tilewright: run k Flag=zeros
@T.prim_func
def k(A: T.Buffer((64,), "float32"), W: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), Flag: T.Buffer((1,), "int32")):
    T.device_entry()
    cta = T.cta_id([2])
    tid = T.thread_id([64])
    if cta == 0:
        W[tid] = A[tid]
        T.cuda.cta_sync()
        if tid == 0:
            T.cuda.thread_fence()
            T.cuda.atomic_add(Flag.ptr_to([0]), 1)
    else:
        if tid == 0:
            seen: T.int32 = 0
            while seen == 0:
                seen = T.ptx.ld_acquire(Flag.ptr_to([0]), "int32", "s32")
        T.cuda.cta_sync()
        B[tid] = W[tid]
"""

CASES = [
    ("three reads behind a barrier that is missing", HANDED, "        if tid >= 0:\n            T.cuda.cta_sync()\n", "",
     ("TW5020", "x: T.float32 = s[63 - tid]", "nothing orders the two", "put T.cuda.cta_sync() between them"), 1),
    ("a barrier for a part of the lanes", HANDED, "if tid >= 0:", "if tid % 2 == 0:",
     ("TW5005", "T.cuda.cta_sync()", "", "move the barrier out of the branch"), 1),
    ("a tile that nothing writes, read at two lines", HANDED, "        r[tid] = A[i, tid] * T.float32(2)\n", "",
     ("TW5002", "x = x + r[63 - tid]", "is read and holds no value", ""), 1),
    ("the same with all is right", HANDED, "", "", None, 0),
    ("a flag that releases nothing", FLAG, "            T.cuda.thread_fence()\n", "",
     ("TW5020", "B[tid] = W[tid]", "the store that this thread has waited for is relaxed, and releases nothing", "release on the side that writes"), 1),
    ("the same with its fence is right", FLAG, "", "", None, 0),
    ("a consumer that begins with the other parity", HOPPER, "use = PipelineState(STAGES, phase=0)", "use = PipelineState(STAGES, phase=1)",
     ("TW5040", "ring.full.wait(use.stage, use.phase)", "this wait returns at once: parity 1 means the phase before the first", "wait for phase 0 here, of parity 0"), 1),
    ("products that nothing waits for", HOPPER, "                T.ptx.wgmma.wait_group(0)\n", "",
     ("TW5021", "Tx.wg.gemm_async", "no wait covers it", "T.ptx.wgmma.wait_group(0)"), 1),
    ("a barrier for one arrival that four warps bring", COUNTED, "EMPTY = 1, 4", "EMPTY = 1, 1",
     ("TW5013", "T.ptx.mbarrier.init(empty", "initialised for 1 arrival, and 4 threads arrive", "initialise it for 4 arrivals"), 1),
    ("a barrier for three", COUNTED, "EMPTY = 1, 4", "EMPTY = 1, 3",
     ("TW5013", "T.ptx.mbarrier.init(empty", "initialised for 3 arrivals, and 4 threads arrive", "initialise it for 4 arrivals"), 1),
    ("a barrier for five", COUNTED, "EMPTY = 1, 4", "EMPTY = 1, 5", ("TW5004", "try_wait(empty", "lacks 1 of 5 arrivals", "initialise it for fewer"), 1),
    ("a barrier for two that one thread arrives at", COUNTED, "FULL, EMPTY = 1", "FULL, EMPTY = 2", ("TW5004", "try_wait(full", "lacks 1 of 2 arrivals", ""), 1),
    ("a barrier for as many as arrive", COUNTED, "", "", None, 0),
    ("a copy that nothing waits for, used at four lines", UNAWAITED, "", "", ("TW5021", "B[tid, 0] = s[tid, 0]", "`s[", "wait_group(0)"), 1),
    ("the same with its wait is right", UNAWAITED, "    T.cuda.cta_sync()\n", "    T.ptx.cp_async.commit_group()\n    T.ptx.cp_async.wait_group(0)\n    T.cuda.cta_sync()\n", None, 0),
    ("an element that another warp writes", INDICES, "    T.cuda.cta_sync()\n", "", ("TW5020", "B[tid // 32", "reads `s[2, 0, 1]`", "T.cuda.cta_sync()"), 1),
    ("an element that was never written", INDICES, "tid % 32, 1]\n", "tid % 32, 0]\n", ("TW5002", "B[tid // 32", "s[3, 0, 0] is read", ""), 1),
    ("an element outside", INDICES, "s[3 - tid", "s[4 - tid", ("TW5001", "B[tid // 32", "", ""), 1),
    ("a wgmma that is not committed", PRODUCT, "    T.ptx.wgmma.commit_group()\n", "",
     ("TW5021", "C[tid // 32", "an accumulator is read while the wgmma that writes it is under way", "T.ptx.wgmma.commit_group()"), 1),
    ("the same with its commit is right", PRODUCT, "", "", None, 0),
    ("a CTA that does not wait for what another sends it", SENT, "    T.ptx.mbarrier.try_wait(bar", "    if rank == 0:\n        T.ptx.mbarrier.try_wait(bar",
     ("TW5021", "B[rank, tid]", "no wait covers it", "wait on the barrier that counts its bytes"), 1),
    ("the same where each waits is right", SENT, "", "", None, 0),
    ("lanes of a warp at two calls", PARTED, "if tid < 0", "if tid < 16",
     ("TW5006", "x = T.tvm_warp_shuffle_xor", "16 lanes of warp 0 (the first is thread 16) wait at another call", "let all lanes that the mask names come to the call"), 1),
    ("the same where all lanes come to one is right", PARTED, "", "", None, 0),
    ("a commit by all lanes", BLACKWELL, "    elif warp == 5:\n        if lane == 0:", "    elif warp == 5:\n        if lane >= 0:",
     ("TW5013", "ring.empty.arrive(use.stage)", "32 lanes of warp 5 each arrive at `ring_empty_buf[0]` by this call, and a phase takes 1 arrival",
      "T.ptx.elect_sync()"), 1),
    ("the bytes of one operand", BLACKWELL, "BYTES = (M + N) * STEP * 2", "BYTES = M * STEP * 2",
     ("TW5014", "ring.full.arrive(fill.stage, BYTES)", "announces 16384 bytes for a phase of `ring_full_buf[0]`, and the copies after it bring 24576",
      "announce 24576 bytes"), 1),
    ("the bytes of one operand, on Hopper", HOPPER, "BYTES = (TILE_M + TILE_N) * TILE_K * 2", "BYTES = TILE_M * TILE_K * 2",
     ("TW5014", "ring.full.arrive(fill.stage, BYTES)", "announces 16384 bytes", "announce 49152 bytes"), 1),
    ("an arrival of all lanes", BLACKWELL, "            if lane == 0:\n                results.empty.arrive(take.stage)", "            results.empty.arrive(take.stage)",
     ("TW5013", "results.empty.arrive(take.stage)", "each arrive at `results_empty_buf[0]` by this call, and a phase takes 4 arrivals",
      "T.ptx.elect_sync()"), 1),
    ("twice the bytes", BLACKWELL, "BYTES = (M + N) * STEP * 2", "BYTES = (M + N) * STEP * 4",
     ("TW5004", "ring.full.wait(use.stage, use.phase)", "lacks 24576 of 49152 bytes", "let expect_tx announce as many bytes as the copies bring"), 1),
    ("tensor memory that is not given back", BLACKWELL, DEALLOC, "",
     ("TW5017", "T.ptx.tcgen05.alloc(", "has not given back the 128 columns", "T.ptx.tcgen05.dealloc(address, n_cols=128)"), 1),
    ("half of the tensor memory is given back", BLACKWELL, DEALLOC, DEALLOC.replace("ACCUMULATORS * N", "N"),
     ("TW5017", "T.ptx.tcgen05.dealloc(", "64 columns from 0 on are given back, and 128 were allocated there", "n_cols=128"), 1),
    ("no warpgroup_sync before the store", HOPPER, PROXY + SYNC, PROXY,
     ("TW5020", "Tx.copy_async(C[row", "nothing orders the two", "T.cuda.warpgroup_sync(ID)"), 1),
    ("nothing waits for the last store", HOPPER, "            if tid == 0:\n                T.ptx.cp_async.bulk.wait_group(0)\n", "",
     ("TW5018", "Tx.copy_async(C[row", "no cp.async.bulk.wait_group waits for it", "T.ptx.cp_async.bulk.wait_group(0, read=True)"), 1),
    ("nothing waits for a store, in 0.27", NEWER, "        T.ptx.cp.async_.bulk.wait_group.read(0)\n", "",
     ("TW5018", "Tx.copy_async(B", "no cp.async.bulk.wait_group waits for it",
      "T.ptx.cp.async_.bulk.commit_group() and T.ptx.cp.async_.bulk.wait_group.read(0)"), 1),
    ("no fence before a store, in 0.27", NEWER, "    T.ptx.fence.proxy.async_.shared__cta()\n", "",
     ("TW5022", "Tx.copy_async(B", "no fence makes ordinary writes visible", "put T.ptx.fence.proxy.async_() after the writes"), 1),
    ("the same with all is right, in 0.27", NEWER, "", "", None, 0),
    ("nothing waits for a load, in 0.27", LOADED, "", "",
     ("TW5021", "B[tid] = s[tid]", "no wait covers it", "T.ptx.cp.async_.commit_group() and T.ptx.cp.async_.wait_group(0)"), 1),
    ("a tile that one thread releases for its warpgroup", RELEASED, "", "",
     ("TW5020", "", "nothing orders the two", "put T.cuda.warpgroup_sync(ID) before its arrival"), 1),
    ("the same with the barrier is right", RELEASED, "            if tid == 0:\n                T.ptx.mbarrier.arrive(empty",
     "            T.cuda.warpgroup_sync(1)\n            if tid == 0:\n                T.ptx.mbarrier.arrive(empty", None, 0),
    ("a tile that one lane of each warp releases", RELEASED.replace("[0]), 1)\n        T.ptx.fence", "[0]), 4)\n        T.ptx.fence"),
     "            if tid == 0:\n                T.ptx.mbarrier.arrive(empty", "            if tid % 32 == 0:\n                T.ptx.mbarrier.arrive(empty",
     ("TW5020", "", "nothing orders the two", "put T.cuda.warp_sync() before its arrival"), 1),
    ("the same with a barrier of each warp is right", RELEASED.replace("[0]), 1)\n        T.ptx.fence", "[0]), 4)\n        T.ptx.fence"),
     "            if tid == 0:\n                T.ptx.mbarrier.arrive(empty",
     "            T.cuda.warp_sync()\n            if tid % 32 == 0:\n                T.ptx.mbarrier.arrive(empty", None, 0),
    ("a slot that is filled again while it is read", REFILLED, '"float16")\n        T.cuda.cta_sync()\n', '"float16")\n',
     ("TW5021", "total += T.cast(ring", "no wait covers it", "put T.cuda.cta_sync() between this and that copy"), 1),
    ("the same with the barrier behind its use is right", REFILLED, "", "", None, 0),
    ("both sides of a ring wait first", HOPPER, "fill = PipelineState(STAGES, phase=1)", "fill = PipelineState(STAGES, phase=0)",
     ("TW5004", "ring.full.wait(use.stage, use.phase)", "waits for that in turn", "PipelineState(STAGES, phase=1)"), 1),
]


def told(binary, text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([binary, "check", "--simulate", "--json", path], capture_output=True, text=True, check=False)
    return [d for d in json.loads(done.stdout)["diagnostics"] if d["severity"] in ("error", "warning")]


def judge(binary, case):
    _, text, old, new, expected, count = case
    if text.endswith(".py"):
        with open(os.path.join(ROOT, "examples", text), encoding="utf-8") as file:
            text = file.read()
    if old not in text:
        return f"there is no `{old}`"
    text = text.replace(old, new, 1)
    found = told(binary, text)
    if expected is None:
        return f"it is right, and is told {found}" if found else ""
    if not found:
        return "nothing is told"
    code, line, message, hint = expected
    lines, first = text.split("\n"), found[0]
    at = lines[first["range"]["start"]["line"] - 1]
    said = f"{first['code']} at `{at.strip()}`: {first['message']} | {first['hint']}"
    wrong = []
    if first["code"] != code or line not in at:
        wrong.append(f"the first is not {code} at `{line}`")
    if message not in first["message"]:
        wrong.append(f"its message lacks `{message}`")
    if hint not in first["hint"]:
        wrong.append(f"its hint lacks `{hint}`")
    if "of CTA" in first["hint"]:
        wrong.append("its hint names a thread")
    if len(found) != count:
        wrong.append(f"{len(found)} findings instead of {count}: {[(d['code'], d['range']['start']['line']) for d in found]}")
    return f"{'; '.join(wrong)}. Told: {said}" if wrong else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("-k", default="", help="only cases whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="only each Nth of them")
    args = parser.parse_args()
    failed = 0
    chosen = [case for case in CASES if args.k in case[0]][:: args.every]
    for case in chosen:
        if why := judge(args.binary, case):
            failed += 1
            print(f"{case[0]}: {why}")
    print(f"{len(chosen)} faults, {failed} told wrongly")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
