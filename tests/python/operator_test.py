"""tilewright.torch_operator: what it tells torch, held by a torch of this file's own; gpu_bench.py asks the real one."""
import sys
import types
import unittest

from case import Case, example, main

import tilewright
from tensors import Tensor


def pretended():
    """The few names of torch.library that an operator takes; what they were given is in `.told`."""
    torch, library, ops = types.ModuleType("torch"), types.ModuleType("torch.library"), types.SimpleNamespace()
    told = types.SimpleNamespace(schemas={}, made={}, fake={})

    def define(name, schema):
        told.schemas[name] = schema
        namespace, own = name.split("::")
        setattr(ops, namespace, types.SimpleNamespace(**{own: lambda *a: told.made[name, "cpu"](*a)}))

    library.define = define
    library.impl = lambda name, device, function: told.made.update({(name, device): function})
    library.register_fake = lambda name, function: told.fake.update({name: function})
    torch.library, torch.ops, torch.SymInt, torch.told = library, ops, type("SymInt", (int,), {}), told
    return torch


class Operator(Case):
    def setUp(self):
        before = sys.modules.get("torch")
        self.torch = sys.modules["torch"] = pretended()
        self.addCleanup(lambda: sys.modules.pop("torch") and (before is None or sys.modules.update(torch=before)))

    def test_the_schema_says_what_is_changed(self):
        operator = tilewright.torch_operator(tilewright.load(example("vector_add.py"))["vector_add"], "mine::add")
        self.assertEqual(self.torch.told.schemas, {"mine::add": "(Tensor A, Tensor B, Tensor(a0!) C) -> ()"})
        self.assertEqual(set(self.torch.told.made), {("mine::add", "cuda"), ("mine::add", "cpu")})
        self.assertIsNone(self.torch.told.fake["mine::add"](1, 2, 3))
        a, b, c = (Tensor([8], values=range(8)) for _ in range(3))
        operator(a, b, c)
        self.assertEqual(c.get(), [2.0 * i for i in range(8)])

    def test_numbers(self):
        kernel = tilewright.load(self.script("""
            from tvm.script import tirx as T

            @T.prim_func
            def scale(A: T.Buffer((8,), "float32"), by: T.float32, n: T.int32):
                T.device_entry()
                T.cta_id([1])
                lane = T.thread_id([8])
                if lane < n:
                    A[lane] = A[lane] * by
        """))["scale"]
        operator = tilewright.torch_operator(kernel, "mine::scale")
        self.assertEqual(self.torch.told.schemas["mine::scale"], "(Tensor(a0!) A, float by, SymInt n) -> ()")
        a = Tensor([8], values=[1] * 8)
        operator(a, 3.0, self.torch.SymInt(4))
        self.assertEqual(a.get(), [3.0] * 4 + [1.0] * 4)

    def test_a_name_that_is_none(self):
        with self.assertRaisesRegex(tilewright.Error, "'add' names no operator: write NAMESPACE::NAME"):
            tilewright.torch_operator(tilewright.load(example("vector_add.py"))["vector_add"], "add")


if __name__ == "__main__":
    main()
