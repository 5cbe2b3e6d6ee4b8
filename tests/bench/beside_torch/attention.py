#!/usr/bin/env python3
"""Attention of scripts beside PyTorch's: attention.py TILEWRIGHT SCRIPT HEADS LENGTH D 'ENTRY' ['ENTRY' ...]

Each ENTRY is an expression of SCRIPT that computes softmax(Q K^T / sqrt(D)) V of float16 tensors (HEADS, LENGTH, D).
Results are compared with the sums in float64 of 64 queries of each head.
"""
import statistics
import sys
import tempfile
from pathlib import Path

import torch
from launch import CALLS, ROUNDS, compiled, in_turns


def exact(q, k, v, queries):
    scores = q[:, queries].double() @ k.double().transpose(1, 2) / q.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ v.double()


def main():
    binary, script, heads, length, depth, *entries = sys.argv[1:]
    heads, length, depth = int(heads), int(length), int(depth)
    torch.manual_seed(7)
    q, k, v = (torch.randn(heads, length, depth, device="cuda").half() for _ in range(3))
    queries = torch.randint(length, (64,), device="cuda")
    wanted = exact(q, k, v, queries)
    attend = torch.nn.functional.scaled_dot_product_attention
    works = {"PyTorch": lambda: attend(q[None], k[None], v[None])}
    worst = {"PyTorch": (attend(q[None], k[None], v[None])[0][:, queries].double() - wanted).abs().max().item()}
    with tempfile.TemporaryDirectory() as folder:
        for i, entry in enumerate(entries):
            o = torch.full_like(q, float("nan"))
            works[entry] = compiled(binary, script, entry, Path(folder) / str(i), {"Q": q, "K": k, "V": v, "O": o})
            works[entry]()
            torch.cuda.synchronize()
            worst[entry] = (o[:, queries].double() - wanted).abs().max().item()
        times = in_turns(works)
    print(f"{torch.cuda.get_device_name()}, {heads} heads, {length} x {depth}, float16; medians of {ROUNDS} rounds of {CALLS} calls")
    best = statistics.median(times["PyTorch"])
    for name, t in times.items():
        median = statistics.median(t)
        print(f"  {median:9.1f} us  {4 * heads * length**2 * depth / median / 1e6:6.1f} TFLOP/s  {best / median:6.1%} of PyTorch  "
              f"{name}; differs from float64 by at most {worst[name]:.2e}")


main()
