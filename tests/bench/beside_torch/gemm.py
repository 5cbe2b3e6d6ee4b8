#!/usr/bin/env python3
"""Matrix products of scripts beside cuBLAS, on one GPU, in turns: gemm.py TILEWRIGHT SCRIPT N 'ENTRY' ['ENTRY' ...]

Each ENTRY is an expression of SCRIPT that multiplies float16 matrices of N x N, C = A B^T. The results are compared with
those of cuBLAS, and 4,096 elements with sums in float64.
"""
import statistics
import sys
import tempfile
from pathlib import Path

import torch
from launch import CALLS, ROUNDS, compiled, in_turns


def compare(c, expected, a, b):
    """The largest difference to cuBLAS, and that of 4,096 elements to sums in float64, relative to the largest sum."""
    n = a.shape[0]
    beside = (c.float() - expected.float()).abs().max().item()
    rows = torch.randint(n, (4096,), device="cuda")
    columns = torch.randint(n, (4096,), device="cuda")
    exact = (a[rows].double() * b[columns].double()).sum(dim=1)
    return beside, ((c[rows, columns].double() - exact).abs() / exact.abs().max()).max().item()


def main():
    binary, script, n, *entries = sys.argv[1:]
    n = int(n)
    torch.manual_seed(7)
    a = torch.randn(n, n, device="cuda").half()
    b = torch.randn(n, n, device="cuda").half()
    expected = a @ b.T
    out = torch.empty_like(expected)
    works = {"cuBLAS": lambda: torch.mm(a, b.T, out=out)}
    with tempfile.TemporaryDirectory() as folder:
        results = {}
        for i, entry in enumerate(entries):
            c = torch.full_like(expected, float("nan"))
            works[entry] = compiled(binary, script, entry, Path(folder) / str(i), {"A": a, "B": b, "C": c})
            works[entry]()
            torch.cuda.synchronize()
            results[entry] = compare(c, expected, a, b)
        times = in_turns(works)
    print(f"{torch.cuda.get_device_name()}, {n} x {n} x {n}, float16; medians of {ROUNDS} rounds of {CALLS} calls")
    best = statistics.median(times["cuBLAS"])
    for name, t in times.items():
        median, spread = statistics.median(t), (max(t) - min(t)) / statistics.median(t)
        line = f"  {median:9.1f} us  {2 * n**3 / median / 1e6:6.1f} TFLOP/s  {best / median:6.1%} of cuBLAS  (spread {spread:.1%})  {name}"
        if name in results:
            line += f"; differs from cuBLAS by at most {results[name][0]:.3g}, from float64 by {results[name][1]:.2e}"
        print(line)


main()
