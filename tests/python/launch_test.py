"""What a call does on a GPU, by the notes of the pretended driver of tests/gpu: launches, attributes, maps, streams."""
import ctypes
import os
import re
import threading
import unittest

from case import Case, example, main

import tilewright
from tensors import CUDA, DLTensor, Interface, Tensor, _capsule


def gpu(shape, dtype="float32", **more):
    return Tensor(shape, dtype, (CUDA, 0), **more)


class Exchange(ctypes.Structure):
    """DLPack's C interface of a type, as torch offers it."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.c_void_p), ("allocate", ctypes.c_void_p),
                ("export_owned", ctypes.c_void_p), ("import_owned", ctypes.c_void_p),
                ("borrow", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))),
                ("stream", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)))]


def _borrow(tensor, out):
    tensor.__dlpack__()
    ctypes.memmove(out, ctypes.byref(tensor.managed.tensor), ctypes.sizeof(DLTensor))
    return 0


def _stream(_kind, _device, out):
    out[0] = 0x5000
    return 0


API = Exchange(1, 3, None, None, None, None, Exchange._fields_[6][1](_borrow), Exchange._fields_[7][1](_stream))


class Exchanged(Tensor):
    __dlpack_c_exchange_api__ = _capsule(ctypes.addressof(API), b"dlpack_exchange_api", None)


class Launches(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.log = os.path.join(cls.scratch.name, "driver.log")
        program = cls.program = os.path.join(cls.scratch.name, "program")
        with open(program, "w", encoding="utf-8"):
            pass
        os.environ.update(FAKE_CUDA_LOG=cls.log, FAKE_CUDA_PROGRAM=program, TILEWRIGHT_DRIVER=os.environ["TILEWRIGHT_FAKE_CUDA"])
        cls.add = tilewright.load(example("vector_add.py"))["vector_add"]

    def noted(self, call):
        """The lines that a call adds to the log."""
        before = 0
        if os.path.exists(self.log):
            with open(self.log, encoding="utf-8") as f:
                before = len(f.readlines())
        call()
        with open(self.log, encoding="utf-8") as f:
            return [line.strip() for line in f.readlines()[before:] if not line.startswith("init")]

    def adds(self, n, kind=gpu):
        return tuple(kind([n]) for _ in range(3))

    def test_extents_decide_the_grid(self):
        for n, grid in ((1, 1), (256, 1), (257, 2), (100000, 391), (1, 1)):
            with self.subTest(n=n):
                noted = self.noted(lambda n=n: self.add(*self.adds(n)))
                self.assertIn(f"launch {grid} 1 1  256 1 1  shared 0", noted)

    def test_the_ways_of_reading_a_tensor_agree(self):
        def exchanged(shape):
            return Exchanged(shape, "float32", (CUDA, 0))

        def interface(shape):
            return Interface(shape, "float32", (CUDA, 0))

        for kind, stream in ((gpu, ""), (interface, ""), (exchanged, " stream 20480")):
            with self.subTest(kind.__name__):
                noted = self.noted(lambda kind=kind: self.add(*self.adds(300, kind)))
                self.assertIn("launch 2 1 1  256 1 1  shared 0" + stream, noted)

    def test_a_producer_waits_for_no_stream(self):
        a, b, c = self.adds(8)
        self.add(a, b, c)
        self.assertEqual([a.stream, b.stream, c.stream], [-1, -1, -1])

    def test_streams_that_are_given(self):
        class OfTorch:
            cuda_stream = 0x7000

        class OfNumba:
            handle = ctypes.c_void_p(0x8000)

        class ByProtocol:
            def __cuda_stream__(self):
                return 0, 0x9000

        for stream, number in ((OfTorch(), 0x7000), (OfNumba(), 0x8000), (ByProtocol(), 0x9000), (0xA000, 0xA000)):
            with self.subTest(stream=stream):
                noted = self.noted(lambda stream=stream: self.add(*self.adds(8), stream=stream))
                self.assertIn(f"launch 1 1 1  256 1 1  shared 0 stream {number}", noted)
        self.assertIn("launch 1 1 1  256 1 1  shared 0", self.noted(lambda: self.add(*self.adds(8), stream=None)))

    def test_tensor_maps_are_encoded_once_for_each_address(self):
        kernel = tilewright.load(example("gemm_hopper.py"))["gemm(256, 512, 256, ctas=2)"]
        a, b, c = gpu([256, 256], "float16"), gpu([512, 256], "float16"), gpu([256, 512], "float16")
        first = self.noted(lambda: kernel(a, b, c))
        self.assertEqual(sum(x.startswith("encode") for x in first), 3)
        self.assertTrue(any(re.match(r"launch 2 1 1  384 1 1  shared \d+$", x) for x in first), first)
        self.assertTrue(any(x.startswith("attribute 8 ") for x in first), first)  # more shared memory than a kernel has by itself
        again = self.noted(lambda: [kernel(a, b, c) for _ in range(3)])
        self.assertEqual([x.split()[0] for x in again], ["launch"] * 3)
        other = gpu([256, 512], "float16")
        self.assertEqual(sum(x.startswith("encode") for x in self.noted(lambda: kernel(a, b, other))), 1)

    def test_the_maps_are_those_of_run(self):
        # The numbers that `tilewright run` gives the same driver are held against launchers in tests/gpu/launchers.py.
        kernel = tilewright.load(example("tma_boxes.py"))
        entry = kernel.entries[0]
        given = kernel[entry]._given
        tensors = [gpu([e.text for e in g.shape], g.dtype_name) for g in given]
        noted = self.noted(lambda: kernel[entry](*tensors))
        for line in (x for x in noted if x.startswith("encode")):
            self.assertRegex(line, r"^encode 6 \d+( \d+)+ \|( \d+)+ \|( \d+)+ \|( 1)+ \| \d \d \d \d$")

    def test_maps_in_constant_and_in_global_memory(self):
        script = tilewright.load(example("tensormap_places.py"))
        for place in ("parameter", "constant", "global"):
            with self.subTest(place):
                kernel = script[f'through("{place}")']
                symbols = [m["symbol"] for m in kernel._call["maps"]]
                self.assertEqual(all(symbols), place == "constant")
                lines = [f"variable {s} 128\nmap_of {s}\n" for s in symbols if s]
                if place != "constant":
                    lines = [f"map{'_at' if place == 'global' else ''} {i}\n" for i in range(2)]
                with open(self.program, "w", encoding="utf-8") as f:
                    f.writelines(lines)
                tensors = [gpu([64, 32], "int32") for _ in range(2)]
                noted = self.noted(lambda kernel=kernel, tensors=tensors: [kernel(*tensors) for _ in range(2)])
                self.assertEqual(sum(x.startswith("encode") for x in noted), 2, noted)
                self.assertEqual(sum(x.startswith("launch") for x in noted), 2, noted)
                self.assertEqual([x for x in noted if x.startswith("map") and "4711" in x], [x for x in noted if x.startswith("map")], noted)
                self.assertEqual(sum(x.startswith("map") for x in noted), 4, noted)
        with open(self.program, "w", encoding="utf-8"):
            pass

    def test_threads_call_side_by_side(self):
        problems = []

        def many():
            try:
                for n in range(1, 120):
                    self.add(*self.adds(n))
            except Exception as error:  # told by the assertion below
                problems.append(error)

        threads = [threading.Thread(target=many) for _ in range(4)]
        noted = self.noted(lambda: [t.start() for t in threads] and [t.join() for t in threads])
        self.assertEqual(problems, [])
        self.assertEqual("".join(noted).count("launch"), 4 * 119)  # lines of several threads may share one

    def test_kernels_are_kept_between_processes(self):
        import time

        times = []
        for _ in range(2):
            kernel = tilewright.load(example("vector_add.py"))["vector_add"]
            begin = time.perf_counter()
            kernel(*self.adds(8))
            times.append(time.perf_counter() - begin)
        self.assertLess(times[1], 2.0)  # NVRTC is not asked again

    def test_an_error_of_the_driver_is_raised(self):
        import subprocess
        import sys

        from case import BINARY, EXTENSION
        program = ("import sys; sys.path.insert(0, sys.argv[3]); import case; import tilewright; from tensors import Tensor\n"
                   "k = tilewright.load(sys.argv[4])['vector_add']\n"
                   "try:\n    k(*[Tensor([8], 'float32', (2, 0)) for _ in range(3)])\nexcept tilewright.LaunchError as e:\n    print(e.code, e)")
        refusing = os.path.join(self.scratch.name, "refusing")
        with open(refusing, "w", encoding="utf-8") as f:
            f.write("refuse 700\n")
        said = subprocess.run([sys.executable, "-c", program, BINARY, EXTENSION, os.path.dirname(os.path.abspath(__file__)), example("vector_add.py")],
                              env={**os.environ, "FAKE_CUDA_PROGRAM": refusing}, capture_output=True, text=True, check=False)
        self.assertRegex(said.stdout, "^700 vector_add: cuLaunchKernelEx: CUDA_ERROR_ILLEGAL_ADDRESS.*launched before failed", said.stderr)


if __name__ == "__main__":
    main()
