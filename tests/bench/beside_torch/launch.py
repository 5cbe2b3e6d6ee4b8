"""Kernels of scripts in a process of PyTorch: compiled for the GPU that is there, launched from cubin and plan, timed."""
import importlib.util
import subprocess
from pathlib import Path

import torch

ROUNDS, CALLS = 15, 8

# By its path: beside it may lie scripts with the names of Python's own modules.
_spec = importlib.util.spec_from_file_location(
    "torch_kernel", Path(__file__).resolve().parents[3] / "docs" / "pytorch" / "torch_kernel.py")
torch_kernel = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(torch_kernel)


def bound(cubin, plan, tensors):
    """A function that launches the kernel on tensors given by the names of its parameters."""
    kernel = torch_kernel.Kernel(cubin, plan)
    given = [tensors[name] for name in kernel.names]
    return lambda: kernel(*given)


def compiled(binary, script, entry, folder, tensors):
    """The same of an entry of a script, compiled for this GPU into a new folder."""
    folder.mkdir()
    arch = "sm_%d%da" % torch.cuda.get_device_capability()
    subprocess.run([binary, "compile", script, "--entry", entry, "--arch", arch, "--emit", "cubin,plan", "-o", str(folder)],
                   check=True, stdout=subprocess.DEVNULL)
    return bound(next(folder.glob("*.cubin")), next(folder.glob("*.json")), tensors)


def in_turns(works):
    """Microseconds of each work, by name: `ROUNDS` rounds in which each takes its turn, so that all see the same clocks."""
    times = {name: [] for name in works}
    for r in range(ROUNDS + 2):
        for name, work in works.items():
            t = microseconds(work)
            if r >= 2:
                times[name].append(t)
    return times


def microseconds(work):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(CALLS):
        work()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1000 / CALLS
