"""Tilewright: compiler service and language server for TIRx tile scripts.

    import tilewright
    gemm = tilewright.load("gemm.py")["gemm(4096, 4096, 4096)"]
    gemm(A, B, C)        # torch, cupy, jax, numba on a GPU; numpy runs on the simulator

Importing the package imports nothing else: what needs more is imported with its first use.
"""
import importlib

from tilewright._binary import find_tilewright_bin

_FROM = {
    "load": "_kernel", "Script": "_kernel", "Kernel": "_kernel",
    "check": "_answers", "compile": "_answers", "explain": "_answers", "run": "_answers",
    "Error": "_errors", "ArgumentError": "_errors", "CompileError": "_errors", "LaunchError": "_errors",
    "RunError": "_errors", "NoBinaryError": "_errors",
    "torch_operator": "_torch_operator",
}
__all__ = ["find_tilewright_bin", *_FROM]


def __getattr__(name):
    if name not in _FROM:
        raise AttributeError(f"module 'tilewright' has no attribute '{name}'")
    value = getattr(importlib.import_module("tilewright." + _FROM[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *_FROM])
