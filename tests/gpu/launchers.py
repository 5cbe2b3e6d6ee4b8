#!/usr/bin/env python3
"""Compiles the host launchers of every example and of waiting.py, and holds what they do against `tilewright run`.

    launchers.py TILEWRIGHT FAKE_DRIVER [EXAMPLE.py ...] [--every N]

`compile --emit host` gives C++ for the driver API, which g++ compiles here with all warnings as errors, and a .cu file
for the runtime: the kernel's own text, which NVRTC compiles in other tests, and a launcher that g++ checks with CUDA's
headers. The driver launchers are then linked to the fake driver (fake_driver.cpp) and called: the tensor maps they encode, the
attributes they set and their launch have to be the ones of `tilewright run` on that driver. Also compares the driver's
types as compiler/run/driver.h declares them with those of cuda.h. `--every`: only each Nth
example. Exit status 77 without CUDA's headers.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
WARNINGS = ["-Wall", "-Wextra", "-Werror"]

DRIVER_TYPES = """
#include <cuda.h>
#include <cstddef>
#include "compiler/run/driver.h"
namespace cu = tilewright::run::cu;
#define SAME(ours, theirs) static_assert(ours == theirs, #theirs)
SAME(sizeof(cu::LaunchConfig), sizeof(CUlaunchConfig));
SAME(offsetof(cu::LaunchConfig, block_x), offsetof(CUlaunchConfig, blockDimX));
SAME(offsetof(cu::LaunchConfig, shared_bytes), offsetof(CUlaunchConfig, sharedMemBytes));
SAME(offsetof(cu::LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
SAME(offsetof(cu::LaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
SAME(offsetof(cu::LaunchConfig, attribute_count), offsetof(CUlaunchConfig, numAttrs));
SAME(sizeof(cu::LaunchAttribute), sizeof(CUlaunchAttribute));
SAME(offsetof(cu::LaunchAttribute, value), offsetof(CUlaunchAttribute, value));
SAME(sizeof(cu::LaunchAttributeValue), sizeof(CUlaunchAttributeValue));
SAME(sizeof(cu::TensorMap), sizeof(CUtensorMap));
SAME(alignof(cu::TensorMap), alignof(CUtensorMap));
SAME(sizeof(cu::DevicePtr), sizeof(CUdeviceptr));
SAME(int(cu::kLaunchCooperative), int(CU_LAUNCH_ATTRIBUTE_COOPERATIVE));
SAME(int(cu::kLaunchProgrammaticStreamSerialization), int(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION));
SAME(int(cu::kLaunchClusterDimension), int(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION));
SAME(int(cu::kLaunchPreferredClusterDimension), int(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION));
SAME(int(cu::kFunctionDynamicShared), int(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
SAME(int(cu::kFunctionNonPortableCluster), int(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED));
SAME(int(cu::kCapabilityMajor), int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
SAME(int(cu::kCapabilityMinor), int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
SAME(int(cu::kMultiprocessorCount), int(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
SAME(int(cu::kMemoryClockKilohertz), int(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE));
SAME(int(cu::kMemoryBusBits), int(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
SAME(int(cu::kL2Bytes), int(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
SAME(int(cu::kSharedBytesOptIn), int(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
SAME(int(cu::kNotReady), int(CUDA_ERROR_NOT_READY));
"""


def headers():
    """The folder with cuda.h; None: there is none."""
    places = [os.environ.get("CUDA_HOME", ""), *glob.glob(os.path.join(ROOT, ".cuda", "nvidia", "cu*")), "/usr/local/cuda"]
    return next((p for p in (os.path.join(h, "include") for h in places if h) if os.path.exists(os.path.join(p, "cuda.h"))), None)


class Failure(Exception):
    pass


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        raise Failure(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-3000:]}")
    return done.stdout


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def noted(path):
    with open(path, encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if not line.startswith("init")]


def variables_of(text):
    """What the pretended kernel does with maps that are no parameters: each says that it is there."""
    names = re.findall(r'cuModuleGetGlobal\(&\w+, nullptr, module,\s*"(\w+)"', text)
    arguments = re.search(r"void\* arguments\[\] = \{([^}]*)\}", text)
    pointed = [i for i, a in enumerate(arguments.group(1).split(",")) if a.endswith("_memory")] if arguments else []
    return "".join(f"variable {n} 128\nmap_of {n}\n" for n in names) + "".join(f"map_at {i}\n" for i in pointed)


def call_of(text):
    """A program that calls the one launcher of the text, with 4096 bytes for every tensor and 128 for every number."""
    m = re.search(r"inline CUresult (launch_\w+)\(([^)]*)\)", text)
    symbol = re.search(r"// Launches (\w+) ", text).group(1)
    out = [text, "int main() {", "  CUmodule module; CUfunction kernel;", "  cuInit(0);"]
    cubin = json.dumps(f"kernel {symbol}\n{variables_of(text)}")
    out.append(f"  if (cuModuleLoadData(&module, {cubin}) != CUDA_SUCCESS) return 1;")
    out.append(f'  if (cuModuleGetFunction(&kernel, module, "{symbol}") != CUDA_SUCCESS) return 2;')
    values = []
    for n, parameter in enumerate(map(str.strip, m.group(2).split(","))):
        kind = parameter.rsplit(" ", 1)[0]
        if kind == "CUfunction":
            values.append("kernel")
        elif kind == "CUmodule":
            values.append("module")
        elif kind == "CUstream":
            values.append("nullptr")
        elif kind == "CUdeviceptr":
            out.append(f"  CUdeviceptr p{n}; if (cuMemAlloc(&p{n}, 4096) != CUDA_SUCCESS) return 3;")
            values.append(f"p{n}")
        else:
            values.append("128")
    return "\n".join([*out, f"  return {m.group(1)}({', '.join(values)}) == CUDA_SUCCESS ? 0 : 4;", "}", ""])


def same_as_run(tilewright, fake, script, entry, arch, kernel, text, attributes, include, folder):
    program = os.path.join(folder, "launcher")
    main = write(program + ".cpp", call_of(text))
    run(["g++", "-std=c++17", *WARNINGS, "-I", include, main, fake, "-Wl,-rpath," + os.path.dirname(fake), "-o", program])
    launcher, command = os.path.join(folder, "launcher.log"), os.path.join(folder, "run.log")
    for path in (launcher, command):
        write(path, "")
    run([program], env={**os.environ, "FAKE_CUDA_LOG": launcher})
    cubin = write(os.path.join(folder, "fake.cubin"), f"kernel {kernel}_kernel\n{variables_of(text)}")
    values = [x for name in re.findall(r"(?:int|unsigned|float|long long) (\w+)[,)]", text.split("launch_", 1)[1].split("{")[0])
              for x in ("--set", f"{name}=128")]
    subprocess.run(
        [tilewright, "run", script, "--entry", entry, "--on", "gpu", "--arch", arch, "--driver", fake, "--cubin", cubin,
         "--repeat", "0", "--json", *values],
        env={**os.environ, "FAKE_CUDA_LOG": command}, capture_output=True, check=False,
    )  # fmt: skip
    # `run` launches twice to verify.
    a, b = noted(launcher), noted(command)
    launch = next((x for x in b if x.startswith("launch")), None)
    for key, number in (("cooperative", 2), ("programmatic_dependent_launch", 6)):
        if attributes.get(key, False) != (f" attribute {number} 1" in str(launch)):
            raise Failure(f"the plan says {attributes}, `tilewright run` does {launch}")
    once = [x for x in b if not x.startswith(("launch", "map"))] + [launch] + [x for x in b if x.startswith("map")][::2]
    if sorted(a) != sorted(map(str, once)):
        raise Failure(f"the launcher does {a}, `tilewright run` does {once}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("tilewright", type=os.path.abspath)
    options.add_argument("fake", type=os.path.abspath)
    options.add_argument("scripts", nargs="*")
    options.add_argument("--every", type=int, default=1)
    options = options.parse_args()
    tilewright, fake = options.tilewright, options.fake
    scripts = options.scripts or [
        *sorted(glob.glob(os.path.join(ROOT, "examples", "*.py"))),
        os.path.join(ROOT, "tests", "gpu", "waiting.py"),
    ]
    scripts = scripts[:: options.every]
    include = headers()
    if not include:
        print("no cuda.h here: skipped")
        return 77
    failed = compiled = called = 0
    with tempfile.TemporaryDirectory() as folder:
        types = write(os.path.join(folder, "types.cpp"), DRIVER_TYPES)
        run(["g++", "-std=c++23", "-fsyntax-only", "-I", include, "-I", ROOT, types])
        for script in scripts:
            with open(script, encoding="utf-8") as f:
                named = re.search(r"^# tilewright: arch (.*)$", f.read(), re.M)
            arch = (named.group(1).split() if named else ["sm_90a"])[0]
            answer = json.loads(run([tilewright, "compile", script, "--arch", arch, "--emit", "host,cuda,plan", "--json"]))
            for k in answer["kernels"]:
                name = f"{os.path.basename(script)}: {k['entry']} ({arch})"
                try:
                    driver, whole = k["sources"].get("host"), k["sources"].get("host_runtime")
                    if not driver or not whole:
                        raise Failure("no launcher was made")
                    cpp = write(os.path.join(folder, "driver.cpp"), driver)
                    run(["g++", "-std=c++17", *WARNINGS, "-fsyntax-only", "-I", include, cpp])
                    text = k["sources"]["cuda"]
                    launcher = whole[len(text):]
                    # What it uses of the kernel's text, which g++ cannot read.
                    maps = re.findall(r"^__constant__ (CUtensorMap \w+;)$", text, re.M)
                    before = "".join(["#include <cuda.h>\n", *(f"extern {m}\n" for m in maps)])
                    cpp = write(os.path.join(folder, "runtime.cpp"), before + launcher)
                    run(["g++", "-std=c++17", "-Wall", "-Wextra", "-Wno-attributes", "-fsyntax-only", "-I", include, cpp])
                    compiled += 1
                    same_as_run(tilewright, fake, script, k["entry"], arch, k["name"], driver, k["plan"]["attributes"], include,
                                folder)
                    called += 1
                except Failure as e:
                    failed += 1
                    print(f"{name}: {e}")
    print(f"{compiled} kernels' launchers compiled, {called} called and held against `tilewright run`, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
