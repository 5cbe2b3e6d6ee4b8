#!/usr/bin/env python3
"""Kernels that read a matrix and write one, beside the driver's copy: rows.py TILEWRIGHT softmax|rms ROWS COLUMNS SCRIPT 'ENTRY' ...

Each ENTRY is an expression of SCRIPT that computes the softmax of each row of bfloat16, or divides it by its root mean
square and multiplies by weights; its tensors are X, W if there are any, and Y. Results are compared with sums in
float64. The bandwidth counts the matrix once read and once written.
"""
import statistics
import sys
import tempfile
from pathlib import Path

import torch
from launch import CALLS, ROUNDS, compiled, in_turns


def main():
    binary, what, rows, columns, script, *entries = sys.argv[1:]
    rows, columns = int(rows), int(columns)
    torch.manual_seed(7)
    x = torch.randn(rows, columns, device="cuda").bfloat16()
    weight = torch.randn(columns, device="cuda").bfloat16()
    other = torch.empty_like(x)
    works = {"copy": lambda: other.copy_(x)}
    some = torch.randint(rows, (256,), device="cuda")
    worst = {}
    with tempfile.TemporaryDirectory() as folder:
        for i, entry in enumerate(entries):
            y = torch.full_like(x, float("nan"))
            tensors = {"X": x, "W": weight, "Y": y}
            works[entry] = compiled(binary, script, entry, Path(folder) / str(i), tensors)
            works[entry]()
            torch.cuda.synchronize()
            wide = x[some].double()
            if what == "softmax":
                wanted = torch.softmax(wide, dim=-1)
            else:
                wanted = wide / (wide.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt() * weight.double()
            worst[entry] = ((y[some].double() - wanted).abs() / wanted.abs().clamp(min=1e-6)).max().item()
        times = in_turns(works)
    print(f"{torch.cuda.get_device_name()}, {what} of {rows} x {columns} bfloat16; medians of {ROUNDS} rounds of {CALLS} calls")
    best = statistics.median(times["copy"])
    for name, t in times.items():
        median = statistics.median(t)
        line = f"  {median:9.1f} us  {2 * x.nbytes / median / 1e3:7.1f} GB/s  {best / median:6.1%} of the copy  {name}"
        print(line + (f"; relative difference from float64 at most {worst[name]:.2e}" if name in worst else ""))


main()
