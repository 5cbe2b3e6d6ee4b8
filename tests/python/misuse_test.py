"""Misuses of a kernel from Python: each is named before anything is launched, and none ends the interpreter.

The driver is the pretended one of tests/gpu, which notes every launch; memory of its GPUs is memory of this process.
"""
import os
import unittest

from case import Case, example, main

import tilewright
from tensors import CPU, CUDA, Interface, Memory, Tensor, consumed

GEMM = "gemm(256, 512, 256, ctas=2)"


def gpu(shape, dtype="float16", **more):
    return Tensor(shape, dtype, (CUDA, 0), **more)


class Misuses(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.log = os.path.join(cls.scratch.name, "driver.log")
        program = os.path.join(cls.scratch.name, "program")
        with open(program, "w", encoding="utf-8"):
            pass
        os.environ.update(FAKE_CUDA_LOG=cls.log, FAKE_CUDA_PROGRAM=program, TILEWRIGHT_DRIVER=os.environ["TILEWRIGHT_FAKE_CUDA"],
                          FAKE_CUDA_DEVICES="2")
        cls.gemm = tilewright.load(example("gemm_hopper.py"))[GEMM]
        cls.add = tilewright.load(example("vector_add.py"))["vector_add"]
        cls.scale = tilewright.load(cls.script(cls, """
            from tvm.script import tirx as T

            @T.prim_func
            def scale(A: T.Buffer((8,), "float32"), by: T.float32, first: T.int32, few: T.uint8):
                T.device_entry()
                T.cta_id([1])
                lane = T.thread_id([8])
                if lane >= first + T.cast(few, "int32"):
                    A[lane] = A[lane] * by
        """))["scale"]

    def launches(self):
        with open(self.log, encoding="utf-8") as f:
            return sum(line.startswith("launch") for line in f)

    def refused(self, words, kernel, *arguments, error=tilewright.ArgumentError, **options):
        before = self.launches() if os.path.exists(self.log) else 0
        with self.assertRaisesRegex(error, words):
            kernel(*arguments, **options)
        self.assertEqual(self.launches() if os.path.exists(self.log) else 0, before, "nothing may be launched")

    def good(self):
        return gpu([256, 256]), gpu([512, 256]), gpu([256, 512])

    def adds(self, n=64):
        return tuple(gpu([n], "float32") for _ in range(3))

    def test_00_the_right_call_is_launched(self):
        before = self.launches() if os.path.exists(self.log) else 0
        self.gemm(*self.good())
        self.add(*self.adds())
        self.assertEqual(self.launches(), before + 2)

    # ---- how many, and what ----

    def test_01_too_few_arguments(self):
        a, b, _ = self.good()
        self.refused("2 arguments were given; the kernel takes 3: A: float16", self.gemm, a, b)

    def test_02_too_many_arguments(self):
        self.refused("4 arguments were given; the kernel takes 3", self.gemm, *self.good(), 1)

    def test_03_none(self):
        a, b, _ = self.good()
        self.refused(r"argument C \(.*gemm_hopper.py:30\): None was given", self.gemm, a, b, None)

    def test_04_a_list(self):
        a, b, _ = self.good()
        self.refused("argument C .*: list is no tensor", self.gemm, a, b, [1.0])

    def test_05_a_number_for_a_tensor(self):
        a, b, _ = self.good()
        self.refused("argument C .*: int is no tensor", self.gemm, a, b, a.address)

    def test_06_a_tensor_for_a_number(self):
        self.refused("argument by .*is no number; the script declares by: float32", self.scale, gpu([8], "float32"), gpu([1], "float32"), 0, 0)

    def test_07_a_fraction_for_an_integer(self):
        self.refused("argument first .*: 1.5 is no integer", self.scale, gpu([8], "float32"), 1.0, 1.5, 0)

    def test_08_an_integer_that_does_not_fit(self):
        self.refused("argument first .*: 4294967296 does not fit int32", self.scale, gpu([8], "float32"), 1.0, 1 << 32, 0)

    def test_09_a_negative_number_for_an_unsigned_one(self):
        self.refused("argument few .*: -1 does not fit uint8: 0 to 255", self.scale, gpu([8], "float32"), 1.0, 0, -1)

    def test_10_an_argument_of_another_name(self):
        self.refused("there is no argument 'D'; the kernel takes A, B, C", self.gemm, *self.good(), error=TypeError, D=1)

    # ---- types ----

    def test_11_float32_for_float16(self):
        _, b, c = self.good()
        self.refused("argument A .*: its elements are float32; the script declares float16", self.gemm, gpu([256, 256], "float32"), b, c)

    def test_12_bfloat16_for_float16(self):
        a, b, _ = self.good()
        self.refused("argument C .*: its elements are bfloat16; the script declares float16", self.gemm, a, b, gpu([256, 512], "bfloat16"))

    def test_13_integers_for_floats(self):
        a, b, c = self.adds()
        self.refused("argument B .*: its elements are int32; the script declares float32", self.add, a, gpu([64], "int32"), c)

    def test_14_complex_numbers(self):
        a, b, c = self.adds()
        self.refused("argument B .*: its elements are complex64", self.add, a, gpu([64], "complex64"), c)

    def test_15_bits_of_a_type_that_libraries_have(self):
        _, b, c = self.good()
        self.refused("argument A .*: its elements are uint16", self.gemm, gpu([256, 256], "uint16"), b, c)

    # ---- shapes ----

    def test_16_a_missing_dimension(self):
        _, b, c = self.good()
        self.refused(r"argument A .*: its shape \(65536,\) has 1 dimension; the script declares A: float16\[256, 256\], 2 dimensions",
                     self.gemm, gpu([65536]), b, c)

    def test_17_an_extent_too_small(self):
        a, b, _ = self.good()
        self.refused("argument C .*: extent 0 is 128 instead of 256", self.gemm, a, b, gpu([128, 512]))

    def test_18_transposed_extents(self):
        a, b, _ = self.good()
        self.refused("argument C .*: extent 0 is 512 instead of 256", self.gemm, a, b, gpu([512, 256]))

    def test_19_symbolic_extents_that_differ(self):
        a, b, _ = self.adds()
        self.refused("argument C .*: its shape is .63,., and extent 0 is `n`, which is 64 in this call", self.add, a, b, gpu([63], "float32"))

    def test_20_an_empty_tensor(self):
        self.refused("the grid's x is 0 with n = 0; it has to lie between 1 and", self.add, *self.adds(0))

    def test_21_a_tensor_without_dimensions(self):
        a, b, _ = self.adds()
        self.refused(r"argument C .*: its shape \(\) has 0 dimensions", self.add, a, b, gpu([], "float32"))

    # ---- strides ----

    def test_22_a_transposed_view(self):
        _, b, c = self.good()
        self.refused(r"argument A .*: its strides are \(1, 256\) elements; the script's layout has \(256, 1\): give a contiguous copy "
                     r"\(it is transposed\)", self.gemm, gpu([256, 256], strides=(1, 256)), b, c)

    def test_23_every_other_element(self):
        a, b, c = self.adds()
        self.refused(r"argument A .*: its strides are \(2,\)", self.add, gpu([64], "float32", strides=(2,)), b, c)

    def test_24_a_broadcast_view(self):
        a, b, c = self.adds()
        self.refused(r"argument B .*: its strides are \(0,\)", self.add, a, gpu([64], "float32", strides=(0,)), c)

    def test_25_rows_with_a_gap(self):
        _, b, c = self.good()
        self.refused(r"argument A .*: its strides are \(264, 1\)", self.gemm, gpu([256, 256], strides=(264, 1)), b, c)

    # ---- devices ----

    def test_26_one_tensor_on_the_host(self):
        a, b, _ = self.good()
        self.refused("argument C .*: it lies in the memory of this machine, and A on GPU 0", self.gemm, a, b,
                     Tensor([256, 512], "float16", (CPU, 0)))

    def test_27_tensors_on_two_gpus(self):
        a, b, _ = self.good()
        self.refused("argument C .*: it lies on GPU 1, and A on GPU 0", self.gemm, a, b, Tensor([256, 512], "float16", (CUDA, 1)))

    def test_28_a_device_of_another_vendor(self):
        a, b, _ = self.good()
        self.refused("argument C .*: it lies on a ROCm device", self.gemm, a, b, Tensor([256, 512], "float16", (10, 0)))

    # ---- memory ----

    def test_29_an_address_that_is_not_aligned(self):
        _, b, c = self.good()
        self.refused("argument A .*: its first element lies at 0x[0-9a-f]+, 2 bytes after a multiple of 16", self.gemm,
                     gpu([256, 256], offset=2), b, c)

    def test_30_a_null_pointer(self):
        a, b, _ = self.good()
        self.refused("argument C .*: it has no memory .a null pointer.: its storage was freed", self.gemm, a, b, gpu([256, 512], null=True))

    def test_31_an_output_that_is_an_input(self):
        a, b, _ = self.adds()
        self.refused("argument C .*: it shares 256 bytes with A, which the kernel reads, and the kernel writes C", self.add, a, b, a)

    def test_32_an_output_that_overlaps_an_input(self):
        memory = Memory(4096)
        a, c = gpu([64], "float32", memory=memory), gpu([64], "float32", memory=memory, offset=128)
        self.refused("argument C .*: it shares 128 bytes with A", self.add, a, gpu([64], "float32"), c)

    def test_33_a_read_only_output(self):
        a, b, _ = self.adds()
        c = Interface([64], "float32", (CUDA, 0))
        c.read_only = True
        self.refused("argument C .*: it is read-only, and the kernel writes it", self.add, a, b, c)

    def test_34_a_mask(self):
        a, _, c = self.adds()
        b = Interface([64], "float32", (CUDA, 0))
        b.mask = a
        self.refused("argument B .*: its tensors.Interface cannot be read: it has a mask", self.add, a, b, c)

    # ---- lifetime ----

    def test_35_a_capsule_that_was_consumed(self):
        a, b, c = self.adds()
        self.refused("argument A .*was consumed by another library", self.add, consumed(a), b, c)

    def test_36_an_array_whose_memory_was_given_away(self):
        class Deleted(Tensor):
            def __dlpack__(self, stream=None):
                raise RuntimeError("Array has been deleted with shape=float32[64].")

        a, b, _ = self.adds()
        self.refused("argument C .*Array has been deleted.*; its memory was given away", self.add, a, b, Deleted([64], "float32", (CUDA, 0)))

    def test_37_a_tensor_with_a_gradient(self):
        class Graded(Tensor):
            def __dlpack__(self, stream=None):
                raise BufferError("Can't export tensors that require gradient, use tensor.detach()")

        a, b, _ = self.adds()
        self.refused("argument C .*require gradient.*; give tensor.detach", self.add, a, b, Graded([64], "float32", (CUDA, 0)))

    def test_38_a_forked_process(self):
        kernel = tilewright.load(example("vector_add.py"))["vector_add"]
        child = os.fork()
        if child == 0:
            try:
                kernel(*self.adds())
                os._exit(1)
            except tilewright.Error as error:
                os._exit(0 if "forked" in str(error) else 2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if hasattr(os, "waitstatus_to_exitcode")
                         else 0, 0)

    # ---- streams ----

    def test_39_a_stream_that_is_none(self):
        self.refused("stream='fast' is no stream", self.add, *self.adds(), error=TypeError, stream="fast")

    def test_40_a_number_that_is_no_stream(self):
        self.refused("stream=7 is no CUstream", self.add, *self.adds(), error=ValueError, stream=7)

    def test_41_a_stream_of_another_gpu(self):
        class Device:
            index = 1

        class Stream:
            cuda_stream = 0
            device = Device()

        self.refused("the stream belongs to GPU 1, and the tensors lie on GPU 0", self.add, *self.adds(), error=ValueError, stream=Stream())

    # ---- architectures and drivers ----

    def test_42_a_kernel_of_another_architecture(self):
        kernel = tilewright.load(example("tcgen05_gemm.py"))["gemm"]
        shapes = [[int(e.text) for e in g.shape] for g in kernel._given]
        tensors = [gpu(s, g.dtype_name) for s, g in zip(shapes, kernel._given)]
        self.refused("(?s)sm_100", kernel, *tensors, error=tilewright.CompileError)

    def test_43_no_driver(self):
        import subprocess
        import sys

        program = ("import sys; sys.argv = ['x', *sys.argv[1:]]; sys.path.insert(0, sys.argv[3]); import case; import tilewright; "
                   "from tensors import Tensor; k = tilewright.load(sys.argv[4])['vector_add']\n"
                   "try:\n    k(*[Tensor([8], 'float32', (2, 0)) for _ in range(3)])\nexcept tilewright.Error as e:\n    print(e)")
        from case import BINARY, EXTENSION
        said = subprocess.run([sys.executable, "-c", program, BINARY, EXTENSION, os.path.dirname(__file__), example("vector_add.py")],
                              env={**os.environ, "TILEWRIGHT_DRIVER": "libno_such_cuda.so"}, capture_output=True, text=True, check=True)
        self.assertIn("no CUDA driver", said.stdout)
        self.assertIn("run on the simulator, without a GPU", said.stdout)

    def test_44_a_foreign_exception_is_told_with_the_argument(self):
        class Broken(Tensor):
            def __dlpack_device__(self):
                raise ValueError("the backend is gone")

        a, b, _ = self.adds()
        self.refused("argument C .*cannot be read: the backend is gone", self.add, a, b, Broken([64], "float32", (CUDA, 0)))


if __name__ == "__main__":
    main()
