"""Kernels called from Python on the simulator, with tensors of no library and, where it is installed, of numpy."""
import subprocess
import sys
import unittest

from case import BINARY, Case, example, main

import tilewright
from tensors import Interface, Tensor

RACE = """
    from tvm.script import tirx as T
    from tvm.script.tirx import tile as Tx


    @T.prim_func
    def turned(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32")):
        T.device_entry()
        T.cta_id([1])
        row, column = T.thread_id([16, 16])
        tile = T.alloc_buffer((16, 16), "float32", scope="shared")
        tile[row, column] = A[row, column]
        B[row, column] = tile[row, column]
"""


class Simulator(Case):
    def test_a_kernel_is_a_function_of_tensors(self):
        for kind in (Tensor, Interface):
            with self.subTest(kind.__name__):
                a, b, c = kind([1000], values=range(1000)), kind([1000], values=[0.5] * 1000), kind([1000])
                tilewright.load(example("vector_add.py"))["vector_add"](a, b, c)
                self.assertEqual(c.get(), [i + 0.5 for i in range(1000)])

    def test_arguments_are_given_by_name(self):
        kernel = tilewright.load(example("vector_add.py"))["vector_add"]
        a, b, c = Tensor([8], values=range(8)), Tensor([8], values=range(8)), Tensor([8])
        kernel(a, C=c, B=b)
        self.assertEqual(c.get(), [2.0 * i for i in range(8)])
        with self.assertRaisesRegex(TypeError, "there is no argument 'D'; the kernel takes A, B, C"):
            kernel(a, b, c, D=c)
        with self.assertRaisesRegex(TypeError, "argument 'C' is missing"):
            kernel(a, B=b)
        with self.assertRaisesRegex(TypeError, "argument 'A' is given twice"):
            kernel(a, b, c, A=a)

    def test_what_the_kernel_does_not_write_stays(self):
        kernel = tilewright.load(self.script("""
            from tvm.script import tirx as T

            @T.prim_func
            def half(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
                T.device_entry()
                T.cta_id([1])
                lane = T.thread_id([4])
                B[lane] = A[lane] * 2
        """))["half"]
        a, b = Tensor([8], "int32", values=range(8)), Tensor([8], "int32", values=[7] * 8)
        kernel(a, b)
        self.assertEqual(b.get(), [0, 2, 4, 6, 7, 7, 7, 7])

    def test_scalars_and_types_that_libraries_lack(self):
        kernel = tilewright.load(self.script("""
            from tvm.script import tirx as T

            @T.prim_func
            def scale(A: T.Buffer((8,), "bfloat16"), B: T.Buffer((8,), "bfloat16"), by: T.float32, first: T.int32):
                T.device_entry()
                T.cta_id([1])
                lane = T.thread_id([8])
                if lane >= first:
                    B[lane] = T.cast(T.cast(A[lane], "float32") * by, "bfloat16")
        """, "scale.py"))["scale"]
        one = 0x3F80
        for kind in ("bfloat16", "uint16"):
            a, b = Tensor([8], kind, values=[one] * 8), Tensor([8], kind, values=[0] * 8)
            kernel(a, b, 2.0, 3)
            self.assertEqual(b.get(), [0, 0, 0] + [0x4000] * 5)

    def test_strided_tensors_as_the_script_declares_them(self):
        kernel = tilewright.load(self.script("""
            from tvm.script import tirx as T

            @T.prim_func
            def rows(a: T.handle, B: T.Buffer((4, 8), "int32")):
                A = T.match_buffer(a, (4, 8), "int32", layout=T.TileLayout(T.S[(4, 8) : (16, 1)]))
                T.device_entry()
                T.cta_id([1])
                row, column = T.thread_id([4, 8])
                B[row, column] = A[row, column]
        """, "rows.py"))["rows"]
        a, b = Tensor([4, 8], "int32", strides=(16, 1)), Tensor([4, 8], "int32")
        whole = Tensor([4, 16], "int32", memory=a.memory, values=range(64))
        self.assertEqual(whole.address, a.address)
        kernel(a, b)
        self.assertEqual(b.get(), [16 * row + column for row in range(4) for column in range(8)])

    def test_what_the_simulator_finds_is_raised_with_its_line(self):
        kernel = tilewright.load(self.script(RACE, "race.py"))["turned"]
        a, b = Tensor([16, 16], values=range(256)), Tensor([16, 16], values=[-1] * 256)
        kernel(a, b)  # each thread reads what it wrote itself
        racing = tilewright.load(self.script(RACE.replace("= tile[row, column]", "= tile[column, row]"), "racing.py"))["turned"]
        with self.assertRaisesRegex(tilewright.RunError, r"(?s)the simulator says failed.*racing.py:12:5: error\[TW5020\]") as caught:
            racing(a, b)
        self.assertEqual(caught.exception.report["verdict"], "failed")
        self.assertEqual(b.get()[1], 1.0)  # left as it was

    def test_errors_of_the_script_are_raised_with_their_lines(self):
        script = tilewright.load(self.script("""
            from tvm.script import tirx as T

            @T.prim_func
            def wrong(A: T.Buffer((8,), "int32")):
                T.device_entry()
                T.cta_id([1])
                lane = T.thread_id([8])
                A[lane] = undefined_name
        """, "wrong.py"))
        with self.assertRaisesRegex(tilewright.CompileError, r"wrong.py:8:\d+: error\[TW\d+\]: ") as caught:
            script["wrong"]
        self.assertTrue(caught.exception.diagnostics)

    def test_entries(self):
        script = tilewright.load(example("gmem_smem_swizzle.py"))
        self.assertEqual(script.entries[0], "make(3, 3, 3)")
        self.assertEqual(script["make(3, 3, 3)"].signature, ["A: float16[64, 64]", "B: float16[64, 64]"])
        self.assertIs(script["make(3, 3, 3)"], script["make(3, 3, 3)"])
        self.assertEqual(list(script), script.entries)
        with self.assertRaisesRegex(TypeError, r"its kernels are, script\['make\(3, 3, 3\)'\]"):
            script([1], [2])
        with self.assertRaisesRegex(AttributeError, r"a kernel is script\['make'\]"):
            script.make
        with self.assertRaisesRegex(TypeError, "an entry is a text"):
            script[0]
        with self.assertRaises(FileNotFoundError):
            tilewright.load("nowhere.py")

    def test_importing_takes_no_time_and_no_torch(self):
        said = subprocess.run([sys.executable, "-c", "import sys, time; sys.path.insert(0, sys.argv[1]); t = time.perf_counter(); "
                               "import tilewright; print(time.perf_counter() - t); print('torch' in sys.modules, 'numpy' in sys.modules, "
                               "'subprocess' in sys.modules)", example("../python")], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(said[1:3], ["False", "False"])
        self.assertEqual(said[3], "False", "what is needed later is imported later")

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("there is no numpy here")
        kernel = tilewright.load(example("vector_add.py"))["vector_add"]
        a, b = numpy.arange(100, dtype="float32"), numpy.ones(100, "float32")
        c = numpy.zeros(100, "float32")
        kernel(a, b, c)
        self.assertTrue((c == a + b).all())


if __name__ == "__main__":
    main()
