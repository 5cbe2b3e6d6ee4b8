#!/usr/bin/env python3
"""How many small entries a second one batch makes, and with how much memory: on the simulator, and on a worker.

    run_batch.py BINARY [ENTRIES]
"""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

SCRIPT = '''from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def plain(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([128])
    for i in range(32):
        B[tx // 2, tx % 2 * 32 + i] = A[tx // 2, tx % 2 * 32 + i]

# tilewright: reference plain
@T.prim_func
def staged{number}(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([128])
    smem = T.alloc_shared((64, 64), "float16")
    Tx.cta.copy_async(smem[:, :], A[:, :], dispatch="ldgsts")
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
    T.cuda.cta_sync()
    Tx.cta.copy(B[:, :], smem[:, :])
'''


def measure(name, binary, folder, entries, on):
    begun = time.monotonic()
    pid = os.posix_spawn(binary, [binary, "run", folder, "--entry", "all", "--on", on], os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    seconds = time.monotonic() - begun
    good = os.waitstatus_to_exitcode(status) == 0
    print(f"{name:12} {entries / seconds:7.0f} entries/s, {seconds:.2f} s, peak {usage.ru_maxrss // 1024} MB"
          + ("" if good else ", and it FAILED"))
    return good


def main():
    binary, entries = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory() as folder:
        for number in range(entries):
            with open(os.path.join(folder, f"{number:05}.py"), "w", encoding="utf-8") as f:
                f.write(SCRIPT.replace("{number}", str(number)))
        good = [measure(name, binary, folder, entries, on) for name, on in
                (("simulator", "sim"), ("a worker", f"exec:{binary} worker --stdio --on sim --slots 2"))]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
