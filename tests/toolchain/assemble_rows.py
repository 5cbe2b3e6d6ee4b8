#!/usr/bin/env python3
"""Has NVRTC assemble every row of the intrinsic table for every architecture it claims, and refuse it elsewhere.

Beside rows that an architecture lacks, forms of a row are held to it: each reason for which the table refuses a call
that another architecture takes must be NVRTC's, too. Remarks of NVRTC on what it accepts count as failures.

    assemble_rows.py PROGRAM [CUDA_HOME] [--quick] [--only ARCH] [--jobs N]

PROGRAM is the built assemble_rows; CUDA_HOME defaults to the environment's, then to the checkout's .cuda. --quick: the
three main targets, each call for the first of them that has it, no refusals. A unit that fails is halved until the calls are known. Exit status 1 when a row does
not assemble where it should, or does where it should not; 77 without NVRTC.
"""
import argparse
import concurrent.futures
import ctypes
import glob
import os
import re
import subprocess
import sys

ARCHS = ["sm_90a", "sm_100a", "sm_120a"]
MORE = ["sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_100f", "sm_103a", "sm_103f", "sm_110a", "sm_120f", "sm_121a"]

FETCHED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.cuda/nvidia/cu13")

nvrtc = None
include = None


def load(home):
    global nvrtc, include
    names = sorted(glob.glob(os.path.join(home, "lib*", "libnvrtc.so*")))
    for builtins in glob.glob(os.path.join(home, "lib*", "libnvrtc-builtins.so*")):
        ctypes.CDLL(builtins, ctypes.RTLD_GLOBAL)  # NVRTC looks for it by name, not beside itself
    nvrtc = ctypes.CDLL(names[0])
    include = os.path.join(home, "include")


def assemble(source, arch, remarks=True):
    """None, or what NVRTC said against it; `remarks`: warnings are said against it, too."""
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"rows.cu", 0, None, None)
    options = [f"--gpu-architecture={arch}", f"-I{include}", f"-I{include}/cccl"]
    array = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
    failed = nvrtc.nvrtcCompileProgram(program, len(options), array)
    text = None
    if failed or remarks:
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        text = log.value.decode(errors="replace")
        if failed:
            text = text or "error: refused without a word"
        elif not any("warning" in line and "Advisory" not in line for line in text.splitlines()):
            text = None  # advice of ptxas on kernels that do nothing sensible
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return text


def first_lines(log):
    lines = [line for line in log.splitlines() if "error" in line or "warning" in line] or log.splitlines()
    return " / ".join(lines[:2])[:300]


class Unit:
    """A unit of the program: kernels by their titles, and the helpers that they call."""

    def __init__(self, text):
        self.head, *parts = re.split(r"^// @@ ", text, flags=re.M)
        self.kernels, self.helpers = [], {}
        for part in parts:
            title, text = part.split("\n", 1)
            at = text.index('extern "C" __global__')
            if text[:at]:
                self.helpers[re.search(r"__device__[^(]*?(\w+)\(", text[:at]).group(1)] = text[:at]
            self.kernels.append((title, text[at:]))

    def source(self, kernels):
        called = dict.fromkeys(n for _, kernel in kernels for n in re.findall(r"(\w+)\(", kernel) if n in self.helpers)
        return self.head + "".join(self.helpers[n] for n in called) + "".join(kernel for _, kernel in kernels)

    def culprits(self, kernels, arch):
        """Those that do not assemble, with what NVRTC says, found by halving."""
        log = assemble(self.source(kernels), arch)
        if log is None:
            return []
        if len(kernels) == 1:
            return [(kernels[0][0], first_lines(log))]
        half = len(kernels) // 2
        return self.culprits(kernels[:half], arch) + self.culprits(kernels[half:], arch)


# What the reference spells and an assembler no longer takes, with its words: NVRTC 13.0 passed it by, 13.5 refuses it.
NO_LONGER = [("space=param::func", "Illegal state space for address operand '::func'")]


def no_longer(title, log):
    return any(what in title and words in log for what, words in NO_LONGER)


def said_for(program, arch):
    return subprocess.run([program, arch], capture_output=True, text=True, check=True).stdout


def accepted(job):
    """`before`: architectures whose calls are assembled for them, and not once more."""
    program, arch, before = job
    known = {title for other in before for title in re.findall(r"^// @@ (.*)", said_for(program, other), flags=re.M)}
    rows = kernels = 0
    bad = []
    for text in re.split(r"^// @@@ ", said_for(program, arch), flags=re.M)[1:]:
        counts, source = text.split("\n", 1)
        unit = Unit(source)
        asked = [kernel for kernel in unit.kernels if kernel[0] not in known]
        rows += int(counts.split()[0])
        kernels += len(asked)
        if asked:
            bad += unit.culprits(asked, arch)
    return arch, rows, kernels, bad


def refused(job):
    program, arch = job
    text = subprocess.run([program, "--refused", arch], capture_output=True, text=True, check=True).stdout
    units = re.split(r"^// @@@ ", text, flags=re.M)[1:]
    bad = []
    for unit in units:
        title, source = unit.split("\n", 1)
        if title.startswith("NOT-REFUSED"):
            bad.append((title, "verify() accepts it"))
        if assemble(source, arch, remarks=False) is None:
            bad.append((title, "assembles although the table says it does not"))
    return arch, len(units), bad


# Rows of the document that are instructions or builtins with a text of their own; the others are forms of a row (E30,
# E35), a class (E31), attributes of a launch (E40, E41), or expressions and statements (L4 to L10, L13, L14).
DOCUMENT = (
    [f"P{i}" for i in range(1, 112)]
    + [f"C{i}" for i in range(1, 72)]
    + [f"N{i}" for i in range(1, 17)]
    + ["L1", "L2", "L3", "L11", "L12"]
    + [f"E{i}" for i in range(1, 42) if i not in (30, 31, 35, 40, 41)]
)


def missing_ids(program):
    ids = subprocess.run([program, "--ids"], capture_output=True, text=True, check=True).stdout.split()
    print(f"{len(ids)} rows, {len(DOCUMENT)} of the document's", flush=True)
    return [i for i in DOCUMENT if i not in ids]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("cuda_home", nargs="?", default=os.environ.get("CUDA_HOME") or FETCHED)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if not glob.glob(os.path.join(options.cuda_home, "lib*", "libnvrtc.so*")):
        print(f"assemble_rows.py: no NVRTC below {options.cuda_home}: skipped")
        sys.exit(77)
    archs = [options.only] if options.only else ARCHS if options.quick else ARCHS + MORE
    failures = 0
    missing = missing_ids(options.program)
    if missing:
        print(f"rows of the document that the table lacks: {', '.join(missing)}")
        failures += len(missing)
    # Not multiprocessing.Pool: that one waits for ever when NVRTC crashes.
    with concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=load, initargs=(options.cuda_home,)) as pool:
        for arch, rows, kernels, bad in pool.map(accepted, [(options.program, arch, archs[:at] if options.quick else []) for at, arch in enumerate(archs)]):
            passed_by = [title for title, log in bad if no_longer(title, log)]
            bad = [(title, log) for title, log in bad if not no_longer(title, log)]
            print(f"{arch}: {rows} rows, {kernels - len(passed_by)} calls assembled, {len(bad)} failed"
                  + (f", {len(passed_by)} that this NVRTC no longer takes: {', '.join(passed_by)}" if passed_by else ""), flush=True)
            for title, log in bad:
                print(f"  {title}: {log}")
            failures += len(bad)
        if not options.quick:
            for arch, count, bad in pool.map(refused, [(options.program, a) for a in archs]):
                print(f"{arch}: {count} calls outside its claim, {count - len(bad)} refused by verify and by NVRTC", flush=True)
                for title, log in bad:
                    print(f"  {title}: {log}")
                failures += len(bad)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
