#!/usr/bin/env python3
"""Computes what the `reference` functions of scripts expect, for gpu_suite --expected; needs numpy.

    expected.py DIR

DIR is what `gpu_suite SCRIPT ... --write-inputs DIR` wrote: one folder a kernel, its script's path and its inputs. Each
script is executed with everything it imports replaced by objects that accept anything, so that only its plain functions
mean something; `reference` gets the inputs that its parameters name. Its results become NAME.expected.npy.
"""

import glob
import importlib.machinery
import inspect
import os
import sys
import unittest.mock

import numpy


class Anything:
    """Stands for every module of the dialect."""

    def find_spec(self, name, path=None, target=None):
        ours = name.split(".")[0] == "tvm"
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if ours else None

    def create_module(self, spec):
        return unittest.mock.MagicMock()

    def exec_module(self, module):
        pass


def reference_of(path):
    space = {"__name__": "script", "__file__": path}
    with open(path, encoding="utf-8") as f:
        exec(compile(f.read(), path, "exec"), space)  # noqa: S102: our own examples
    return space.get("reference")


def main():
    sys.meta_path.insert(0, Anything())
    made = without = 0
    for marker in sorted(glob.glob(os.path.join(sys.argv[1], "*", "*", "script"))):
        folder = os.path.dirname(marker)
        with open(marker, encoding="utf-8") as f:
            path, entry = f.read().splitlines()[:2]
        function = reference_of(path)
        if not function:
            without += 1
            print(f"{path}: no reference function")
            continue
        inputs = [n for n in inspect.signature(function).parameters]
        files = [os.path.join(folder, n + ".npy") for n in inputs]
        if not all(map(os.path.exists, files)):
            without += 1
            print(f"{path}: {entry}: no such inputs: {', '.join(inputs)}")
            continue
        for name, value in function(*map(numpy.load, files)).items():
            numpy.save(os.path.join(folder, name + ".expected.npy"), numpy.ascontiguousarray(value))
        made += 1
    print(f"expected values of {made} kernels, {without} without")


if __name__ == "__main__":
    main()
