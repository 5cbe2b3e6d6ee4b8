#!/usr/bin/env python3
"""Kernels with one planted slow line: where the profiles of the simulator and of a GPU have it in their lists.

    planted_lines.py TILEWRIGHT [--on sim|gpu ...] [--only REGEX] [--keep FOLDER]

Each kernel has honest lines and one that does the same work in a slow way: columns of a tile with bank conflicts, strided elements,
two bytes of a lane, rows of a tile without its swizzle, boxes of one row, atomics on two words. The line has to be first or second in
the list of `run --on PLACE --profile`; on a GPU its kernel has to be slower than the one in which that line is right, too. Exit
status 1: it is not so in all.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HEAD = """# tilewright: arch sm_90a
# tilewright: dialect 0.25
# tilewright: reference none
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout


"""
# A tile is read by rows and by columns.
COLUMNS = """@T.prim_func
def kernel(A: T.Buffer(({ctas}, {rows}, {columns}), "{dtype}"), B: T.Buffer(({ctas}, {threads}), "{dtype}"), C: T.Buffer(({ctas}, {threads}), "{dtype}"),
           D: T.Buffer(({ctas}, {rows}, {columns}), "{dtype}")):
    T.device_entry()
    cta = T.cta_id([{ctas}])
    t = T.thread_id([{threads}])
    tile = T.alloc_shared(({rows}, {row}), "{dtype}")
    for i in T.serial({rows} * {columns} // {threads}):
        tile[(i * {threads} + t) // {columns}, t % {columns}] = A[cta, (i * {threads} + t) // {columns}, t % {columns}]
    T.cuda.cta_sync()
    by_rows: T.{dtype} = T.{dtype}(0)
    by_columns: T.{dtype} = T.{dtype}(0)
    for again in T.serial({again}):
        for i in T.serial({rows}):
            by_rows = by_rows + tile[i, (t + again) % {columns}]
        for i in T.serial({columns}):
            by_columns = by_columns + tile[(t + again) % {rows}, i]  # planted
    B[cta, t] = by_rows
    C[cta, t] = by_columns
    for i in T.serial({rows} * {columns} // {threads}):
        D[cta, (i * {threads} + t) // {columns}, t % {columns}] = tile[(i * {threads} + t) // {columns}, t % {columns}]
"""
# Four tensors are scaled, one of them with strides.
STRIDE = """@T.prim_func
def kernel(A: T.Buffer(({n},), "{dtype}"), B: T.Buffer(({n},), "{dtype}"), C: T.Buffer(({n},), "{dtype}"), D: T.Buffer(({n},), "{dtype}"),
           E: T.Buffer(({n},), "{dtype}"), F: T.Buffer(({n},), "{dtype}"), G: T.Buffer(({n},), "{dtype}"), H: T.Buffer(({n},), "{dtype}")):
    T.device_entry()
    cta = T.cta_id([{ctas}])
    t = T.thread_id([256])
    for i in T.serial({n} // {ctas} // 256):
        E[(cta * ({n} // {ctas} // 256) + i) * 256 + t] = A[(cta * ({n} // {ctas} // 256) + i) * 256 + t]
    for i in T.serial({n} // {ctas} // 256):
        F[(cta * ({n} // {ctas} // 256) + i) * 256 + t] = B[((cta * ({n} // {ctas} // 256) + i) * 256 + t) * {stride} % {n}]  # planted
    for i in T.serial({n} // {ctas} // 256):
        G[(cta * ({n} // {ctas} // 256) + i) * 256 + t] = C[(cta * ({n} // {ctas} // 256) + i) * 256 + t]
    for i in T.serial({n} // {ctas} // 256):
        H[(cta * ({n} // {ctas} // 256) + i) * 256 + t] = D[(cta * ({n} // {ctas} // 256) + i) * 256 + t]
"""
# Three tensors are copied by 16 bytes of a lane, a fourth by two.
NARROW = """@T.prim_func
def kernel(A: T.Buffer(({n},), "{dtype}"), B: T.Buffer(({n},), "{dtype}"), C: T.Buffer(({n},), "{dtype}"), D: T.Buffer(({n},), "{dtype}"),
           E: T.Buffer(({n},), "{dtype}"), F: T.Buffer(({n},), "{dtype}"), G: T.Buffer(({n},), "{dtype}"), H: T.Buffer(({n},), "{dtype}")):
    T.device_entry()
    cta = T.cta_id([{ctas}])
    t = T.thread_id([{threads}])
    base: T.let = cta * ({n} // {ctas})
    for i in T.serial({n} // {ctas} // {threads} // {wide}):
        T.cuda.copy_128b(E.ptr_to([base + (i * {threads} + t) * {wide}]), A.ptr_to([base + (i * {threads} + t) * {wide}]))
    for i in T.serial({n} // {ctas} // {threads} // {wide}):
        T.cuda.copy_128b(F.ptr_to([base + (i * {threads} + t) * {wide}]), B.ptr_to([base + (i * {threads} + t) * {wide}]))
    for i in T.serial({n} // {ctas} // {threads}{by}):
        {line}  # planted
    for i in T.serial({n} // {ctas} // {threads} // {wide}):
        T.cuda.copy_128b(H.ptr_to([base + (i * {threads} + t) * {wide}]), D.ptr_to([base + (i * {threads} + t) * {wide}]))
"""
NARROW_LINE = "G[base + i * {threads} + t] = C[base + i * {threads} + t]"
WIDE_LINE = "T.cuda.copy_128b(G.ptr_to([base + (i * {threads} + t) * {wide}]), C.ptr_to([base + (i * {threads} + t) * {wide}]))"
# A tile of rows of 128 bytes, of which each lane reads one.
SWIZZLE = """@T.prim_func
def kernel(A: T.Buffer(({ctas}, {rows}, 64), "float16"), B: T.Buffer(({ctas}, {rows}), "float16"), C: T.Buffer(({ctas}, {rows}), "float16")):
    T.device_entry()
    cta = T.cta_id([{ctas}])
    t = T.thread_id([{rows}])
    tile = T.alloc_shared(({rows}, 64), "float16", align=1024, layout=mma_shared_layout("float16", {mode}, ({rows}, 64)))
    for i in T.serial(64):
        tile[i * {rows} // 64 + t // 64, t % 64] = A[cta, i * {rows} // 64 + t // 64, t % 64]
    T.cuda.cta_sync()
    by_rows: T.float16 = T.float16(0)
    by_lanes: T.float16 = T.float16(0)
    for again in T.serial(8):
        for i in T.serial(8):
            by_rows = by_rows + tile[(i + again) % {rows}, t % 64]
        for i in T.serial(64):
            by_lanes = by_lanes + tile[(t + again) % {rows}, i]  # planted
    B[cta, t] = by_rows
    C[cta, t] = by_lanes
"""
# One warp starts copies of boxes, the other waits for them.
BOXES = """ROWS, EACH = {rows}, {each}


@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (ROWS, {columns}), "float16")
    B = T.match_buffer(B_ptr, (ROWS, {columns}), "float16")
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    tile = T.alloc_shared((ROWS, {columns}), "float16", align=1024)
    arrived = T.alloc_shared([1], "uint64")
    if t == 0:
        T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    if t == 0:
        T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), ROWS * {columns} * 2)
        for r in T.serial(ROWS // EACH):
            Tx.copy_async(tile[r * EACH : r * EACH + EACH, :], A[r * EACH : r * EACH + EACH, :], dispatch="tma", mbar=arrived.ptr_to([0]))  # planted
    if t >= 32:
        T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
        for i in T.serial(ROWS * {columns} // 256):
            T.cuda.copy_128b(B.ptr_to([(i * 32 + t - 32) * 8 // {columns}, (i * 32 + t - 32) * 8 % {columns}]),
                             tile.ptr_to([(i * 32 + t - 32) * 8 // {columns}, (i * 32 + t - 32) * 8 % {columns}]))
"""
# Sums of a tensor go to many words, and to two.
ATOMICS = """@T.prim_func
def kernel(A: T.Buffer(({ctas}, 16, 256), "{dtype}"), H: T.Buffer((256,), "{dtype}"), G: T.Buffer((256,), "{dtype}"), C: T.Buffer(({ctas}, 16, 256), "{dtype}")):
    T.device_entry()
    cta = T.cta_id([{ctas}])
    t = T.thread_id([256])
    many = T.alloc_shared((256,), "{dtype}")
    few = T.alloc_shared((256,), "{dtype}")
    many[t] = T.{dtype}(0)
    few[t] = T.{dtype}(0)
    T.cuda.cta_sync()
    for i in T.serial(16):
        C[cta, i, t] = A[cta, i, t]
    for i in T.serial(64):
        T.cuda.atomic_add(many.ptr_to([(t + i) % 256]), T.cast(t, "{dtype}"))
    for i in T.serial({again}):
        T.cuda.atomic_add(few.ptr_to([(t + i) % {words}]), T.cast(t, "{dtype}"))  # planted
    T.cuda.cta_sync()
    for i in T.serial(16):
        C[cta, i, t] = A[cta, i, t] + many[t]
    if cta == 0:
        H[t] = many[t]
        G[t] = few[t]
"""


def columns(rows, width, dtype, threads):
    size = {"float64": 2, "float16": 0.5}.get(dtype, 1)
    odd = width + (1 if size >= 1 else 2)
    fill = dict(rows=rows, columns=width, dtype=dtype, threads=threads, ctas=16, again=8)
    return f"columns of {rows} x {width} {dtype}, {threads} threads", COLUMNS.format(row=width, **fill), COLUMNS.format(row=odd, **fill)


def stride(step, dtype):
    fill = dict(n=1 << 18, ctas=64, dtype=dtype)
    return f"every {step}th {dtype}", STRIDE.format(stride=step, **fill), STRIDE.format(stride=1, **fill)


def narrow(dtype, wide, threads):
    fill = dict(n=1 << 18, ctas=32, dtype=dtype, wide=wide, threads=threads)
    return (f"{16 // wide} bytes of a lane, {threads} threads", NARROW.format(line=NARROW_LINE.format(threads=threads), by="", **fill),
            NARROW.format(line=WIDE_LINE.format(threads=threads, wide=wide), by=f" // {wide}", **fill))


def swizzle(rows):
    return (f"{rows} rows without a swizzle", SWIZZLE.format(rows=rows, mode=0, ctas=16), SWIZZLE.format(rows=rows, mode=3, ctas=16))


def boxes(rows, width):
    return (f"boxes of one row of {width}, {rows} of them", BOXES.format(each=1, columns=width, rows=rows),
            BOXES.format(each=64, columns=width, rows=rows))


def atomics(dtype, words):
    fill = dict(dtype=dtype, ctas=32, again=64)
    return f"atomics of {dtype} on {words} words", ATOMICS.format(words=words, **fill), ATOMICS.format(words=256, **fill)


PLANTED = (
    [columns(*one) for one in ((32, 32, "float32", 128), (64, 32, "float32", 256), (32, 64, "int32", 64), (64, 64, "float32", 128),
                               (128, 32, "float32", 512), (64, 32, "float64", 128), (32, 32, "uint32", 1024), (64, 64, "int32", 256))]
    + [stride(*one) for one in ((9, "float32"), (33, "float32"), (5, "int32"), (17, "float64"), (129, "float16"), (65, "uint32"))]
    + [narrow(*one) for one in (("float16", 8, 128), ("float16", 8, 256), ("int8", 16, 128), ("int8", 16, 64))]
    + [swizzle(rows) for rows in (64, 128, 256, 512)]
    + [boxes(*one) for one in ((128, 64), (256, 64), (512, 64), (256, 128))]
    + [atomics(*one) for one in (("int32", 1), ("int32", 2), ("uint32", 4), ("int32", 8))]
)


def run(tilewright, path, place, profile=("--profile",)):
    options = ["--schedules", "1"] if place == "sim" else ["--repeat", "15"]
    done = subprocess.run([tilewright, "run", path, "--on", place, "--json", *profile, *options], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"failed": (done.stdout + done.stderr)[-800:]}


def lines_of(report, place):
    """The texts of the list, without those that stand for a line above."""
    part = report.get("profile" if place == "sim" else "samples") or {}
    out = {}
    for line in part.get("lines") or []:
        weight = line["cost"] if place == "sim" else line["samples"]
        out[line["line"]] = (out.get(line["line"], (0, ""))[0] + weight, line["text"])
    return sorted(out.values(), reverse=True)


def cold(report):
    return (report.get("timing") or {}).get("median_us")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tilewright")
    parser.add_argument("--on", action="append", choices=["sim", "gpu"])
    parser.add_argument("--only", default="", help="a regular expression of the names")
    parser.add_argument("--keep", help="a folder for the kernels and the reports")
    options = parser.parse_args()
    folder = options.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    held = {place: 0 for place in options.on or ["sim"]}
    chosen = [one for one in PLANTED if re.search(options.only, one[0])]
    for number, (name, slow, right) in enumerate(chosen):
        paths = [os.path.join(folder, f"k{number:02}_{kind}.py") for kind in ("slow", "right")]
        for path, text in zip(paths, (slow, right)):
            with open(path, "w") as f:
                f.write(HEAD + text)
        for place in held:
            report = run(options.tilewright, paths[0], place)
            if options.keep:
                with open(f"{paths[0][:-3]}.{place}.json", "w") as f:
                    json.dump(report, f)
            lines = lines_of(report, place)
            mine = next((weight for weight, text in lines if "# planted" in text), None)
            if mine is None:
                print(f"missed {place}: {name}: {report.get('failed') or report.get('samples') or list(report)}"[:600])
                continue
            total = sum(weight for weight, _ in lines)
            at = sum(weight >= mine for weight, _ in lines)  # the worst of equal ones
            said = f"{place}: {name}: number {at} of {len(lines)}, {100 * mine / total:.0f} %"
            good = at <= 2
            if place == "gpu":
                times = cold(report), cold(run(options.tilewright, paths[1], place, []))
                said += f"; {times[0]:.2f} us, with that line right {times[1]:.2f} us" if None not in times else "; not timed"
                good &= None not in times and times[1] < times[0]
            held[place] += good
            print(("held   " if good else "missed ") + said, flush=True)
            if not good:
                for weight, text in lines[:4]:
                    print(f"         {100 * weight / total:5.1f} %  {text.strip()}")
    for place, count in held.items():
        print(f"{place}: {count} of {len(chosen)} first or second")
    sys.exit(any(count != len(chosen) for count in held.values()))


if __name__ == "__main__":
    main()
