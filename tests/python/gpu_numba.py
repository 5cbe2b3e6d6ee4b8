"""numba's arrays and streams in a call, on a GPU.

    TILEWRIGHT_BIN=tilewright gpu_numba.py

The package tilewright, with its extension, and numba are those that Python finds.
"""
import os
import sys

import numpy as np
import numba
from numba import cuda
import tilewright

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
failures = []


def check(good, words):
    print(("ok      " if good else "FAILED  ") + words, flush=True)
    failures.extend([] if good else [words])


add = tilewright.load(os.path.join(ROOT, "examples", "vector_add.py"))["vector_add"]
rng = np.random.default_rng(7)
ha, hb = rng.random(10007, dtype=np.float32), rng.random(10007, dtype=np.float32)
a, b, c = cuda.to_device(ha), cuda.to_device(hb), cuda.device_array(10007, np.float32)
add(a, b, c)
cuda.synchronize()
check(bool((c.copy_to_host() == ha + hb).all()), f"numba {numba.__version__}: vector_add of numba's device arrays")
stream = cuda.stream()
d = cuda.to_device(np.zeros(10007, np.float32))
add(a, b, d, stream=stream)
stream.synchronize()
check(bool((d.copy_to_host() == ha + hb).all()), "stream= of numba")
e = cuda.to_device(np.zeros(10007, np.float32), stream=stream)
add(cuda.to_device(ha, stream=stream), b, e, stream=stream)
stream.synchronize()
check(bool((e.copy_to_host() == ha + hb).all()), "an array that a stream of numba fills")
for words, given in (("dtype", (cuda.to_device(ha.astype(np.float64)), b, c)), ("extent", (a[:5], b, c)), ("host beside device", (a, b, ha)),
                     ("stride", (a[::2], b[::2], c[::2])), ("mapped and pinned", (cuda.pinned_array(10007, np.float32), hb, c))):
    try:
        add(*given)
        check(False, f"{words}: no error")
    except (tilewright.ArgumentError, TypeError) as error:
        check(True, f"{words}: {str(error)[:150]}")
part = cuda.to_device(np.concatenate([ha, ha]))[10007:]
add(part, b, c)
cuda.synchronize()
check(bool((c.copy_to_host() == ha + hb).all()), "a slice of a device array")
sys.exit(bool(failures))
