"""Numbers as a kernel takes them, by the notes of the pretended driver: the bytes of the fourth parameter."""
import os

from case import Case, example, main

import tilewright
from tensors import CUDA, Tensor


class Scalars(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.log = os.path.join(cls.scratch.name, "driver.log")
        program = os.path.join(cls.scratch.name, "program")
        with open(program, "w", encoding="utf-8") as f:
            f.write("scalar 3 8\n")
        os.environ.update(FAKE_CUDA_LOG=cls.log, FAKE_CUDA_PROGRAM=program, TILEWRIGHT_DRIVER=os.environ["TILEWRIGHT_FAKE_CUDA"])

    def passed(self, kernel, *arguments):
        """The fourth parameter of the launch."""
        kernel(*arguments)
        with open(self.log, encoding="utf-8") as f:
            return bytes.fromhex([line.split()[1] for line in f if line.startswith("scalar")][-1])

    def test_extents_reach_the_kernel(self):
        add = tilewright.load(example("vector_add.py"))["vector_add"]
        for n in (1, 256, 257, 100000, 1):
            tensors = [Tensor([n], "float32", (CUDA, 0)) for _ in range(3)]
            self.assertEqual(self.passed(add, *tensors)[:4], n.to_bytes(4, "little"))

    def test_each_type(self):
        for dtype, value, bits in (("float32", 1.5, "0000c03f"), ("float16", 1.5, "003e"), ("bfloat16", 1.5, "c03f"), ("int32", -2, "feffffff"),
                                   ("int64", -2, "feffffffffffffff"), ("uint8", 200, "c8"), ("bool", True, "01"), ("float64", 1.5, "000000000000f83f")):
            with self.subTest(dtype):
                kernel = tilewright.load(self.script(f"""
                    from tvm.script import tirx as T

                    @T.prim_func
                    def scale(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), by: T.{dtype}):
                        T.device_entry()
                        T.cta_id([1])
                        lane = T.thread_id([8])
                        A[lane] = B[lane] * T.cast(by, "float32") + C[lane]
                """, dtype + ".py"))["scale"]
                tensors = [Tensor([8], "float32", (CUDA, 0)) for _ in range(3)]
                wanted = bytes.fromhex(bits)
                self.assertEqual(self.passed(kernel, *tensors, value)[:len(wanted)], wanted)

    def test_values_that_the_host_part_computes(self):
        kernel = tilewright.load(self.script("""
            from tvm.script import tirx as T

            @T.prim_func
            def scale(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), n: T.int32):
                half: T.let = n // 2
                T.device_entry()
                T.cta_id([half])
                lane = T.thread_id([8])
                A[lane] = B[lane] * T.cast(half, "float32") + C[lane]
        """))["scale"]
        tensors = [Tensor([8], "float32", (CUDA, 0)) for _ in range(3)]
        for n in (2, 7):
            kernel(*tensors, n)
            with open(self.log, encoding="utf-8") as f:
                self.assertIn(f"launch {n // 2} 1 1  8 1 1", [line for line in f if line.startswith("launch")][-1])
        with self.assertRaisesRegex(tilewright.ArgumentError, "the grid's x is 0 with n = 1"):
            kernel(*tensors, 1)


if __name__ == "__main__":
    main()
