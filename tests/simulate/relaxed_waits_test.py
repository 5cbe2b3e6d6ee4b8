#!/usr/bin/env python3
"""A relaxed wait on an mbarrier waits and orders nothing: a kernel that relies on it is told, unless a fence follows.

    relaxed_waits_test.py TILEWRIGHT
"""
import json
import subprocess
import sys
import tempfile

HEAD = """\
# tilewright: dialect {release}
# tilewright: arch sm_90a
# tilewright: run k reference=expected U=zeros
from tvm.script import tirx as T


@T.prim_func
def k(U: T.Buffer((64,), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([64])
    S = T.alloc_shared([64], "uint32", align=128)
    bars = T.alloc_shared([1], "uint64")
    done: T.uint32
"""
TAIL = """\
    U[tx] = S[63 - tx]


@T.prim_func
def expected(U: T.Buffer((64,), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([64])
    U[tx] = T.Cast("uint32", 63 - tx)
"""
NEWER = """\
    if tx == 0:
        T.ptx.mbarrier.init.shared.b64(bars.ptr_to([0]), 64)
    T.cuda.cta_sync()
    S[tx] = T.Cast("uint32", tx)
    T.ptx.mbarrier.arrive.shared.b64(bars.ptr_to([0]), T.uint32(1))
    done = T.uint32(0)
    while done == 0:
        T.ptx["mbarrier.try_wait.parity.{words}shared::cta.b64"](done, bars.ptr_to([0]), 0)
"""
OLDER = """\
    if tx == 0:
        T.ptx.mbarrier.init(bars.ptr_to([0]), 64)
    T.cuda.cta_sync()
    S[tx] = T.Cast("uint32", tx)
    T.ptx.mbarrier.arrive(bars.ptr_to([0]))
    done = T.uint32(0)
    while done == 0:
        done = T.ptx.mbarrier_test_wait_parity(bars.ptr_to([0]), 0, sem="{sem}", scope="cta")
"""
RACE = "the read or the wait of the thread in between is relaxed, and orders nothing"
CASES = [
    ("0.27", NEWER.format(words="relaxed.cta."), RACE),
    ("0.27", NEWER.format(words="relaxed.cta.") + '    T.ptx["fence.acq_rel.cta"]()\n', None),
    ("0.27", NEWER.format(words="acquire.cta."), None),
    ("0.27", NEWER.format(words="phase_type::primary.relaxed.cta."), RACE),
    ("0.27", NEWER.format(words="phase_type::primary."), None),
    ("0.25", OLDER.format(sem="relaxed"), RACE),
    ("0.25", OLDER.format(sem="acquire"), None),
]


def main():
    wrong = 0
    for release, body, expected in CASES:
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(HEAD.format(release=release) + body + TAIL)
            file.flush()
            done = subprocess.run([sys.argv[1], "run", file.name, "--on", "sim", "--json"], capture_output=True, text=True)
        report = json.loads(done.stdout)
        said = [f["message"] for f in report.get("findings", [])]
        good = any(expected in m for m in said) and report["verdict"] == "failed" if expected else report["verdict"] == "verified"
        if not good:
            wrong += 1
            print(f"{body}\n{report.get('verdict')}, expected {expected or 'verified'}: {said} {report.get('error')}")
    print(f"{len(CASES)} waits, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
