#!/usr/bin/env python3
"""From an edit to what the simulator finds: a large script, one kernel of which gets and loses a barrier.

    findings_bench.py TILEWRIGHT [--lines 2000] [--kernels 40] [--edits 60]

Each edit takes the barrier away or puts it back; measured is the time until diagnostics of that version say so: with the race, and
without it (which the first diagnostics say). Prints the median, the 90th percentile and the largest of both, in milliseconds.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from support import release  # noqa: E402,F401
from support.language_server import Client  # noqa: E402

KERNEL = """

@T.prim_func
def edited(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64, 64), "float16")
    B = T.match_buffer(B_ptr, (64, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    smem = T.alloc_shared([64, 64], "float16")
    Tx.cta.copy(smem[:, :], A[:, :])
    T.cuda.cta_sync()
    B[tid // 2, tid % 2] = smem[tid % 2, tid // 2]
"""
BARRIER = "    T.cuda.cta_sync()\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--kernels", type=int, default=40)
    parser.add_argument("--edits", type=int, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.py")
        made = subprocess.run([sys.executable, os.path.join(HERE, "large_script.py"), "--lines", str(options.lines), "--kernels",
                               str(options.kernels)], capture_output=True, text=True, check=True).stdout
        good = made + KERNEL
        at = good.rindex(BARRIER)
        racy = good[:at] + good[at + len(BARRIER):]
        uri = "file://" + path
        client = Client(options.binary)
        client.initialize({}, initializationOptions={"tilewright": {"toolchain": {"check": "off"}}})
        client.open(uri, good)
        client.diagnostics(uri, 1)
        time.sleep(3)  # all kernels have been tried once
        line, own = good[:at].count("\n"), made.count("\n")
        times = {True: [], False: []}
        there = 1  # lines that the edit replaces
        for version in range(2, 2 + options.edits):
            wrong = version % 2 == 0
            # Never the same text again: the compiler would know its kernel, and what was found in it.
            new = f"    step_{version}: T.int32 = {version}\n" + ("" if wrong else BARRIER)
            edit = (line, 0, line + there, 0, new)
            there = new.count("\n")
            begun = time.perf_counter()
            client.change(uri, version, edit)
            client.notification("textDocument/publishDiagnostics", lambda p, v=version, w=wrong: p.get("version") == v and
                                any(d["code"] == "TW5020" and d["range"]["start"]["line"] > own for d in p["diagnostics"]) == w)
            times[wrong].append(1000 * (time.perf_counter() - begun))
            time.sleep(0.2)
        client.close()
    print(f"{good.count(chr(10))} lines, {options.edits} edits; ms{'p50':>14}{'p90':>8}{'max':>8}")
    for wrong, what in ((True, "until the race is shown"), (False, "until it is gone")):
        t = sorted(times[wrong])
        print(f"{what:<28}{statistics.median(t):>12.1f}{t[len(t) * 9 // 10]:>8.1f}{t[-1]:>8.1f}")


main()
