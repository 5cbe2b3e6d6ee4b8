"""Kernels as operators of torch, which torch.compile passes through without looking inside."""
from tilewright._errors import Error

_ANNOTATIONS = {"int": "SymInt", "uint": "SymInt", "bool": "bool", "float": "float", "bfloat": "float"}


def torch_operator(kernel, name):
    """An operator `NAMESPACE::NAME` of torch.library that launches the kernel, with a fake implementation.

    Its arguments are those of the kernel; tensors that the kernel writes are declared as changed, and it returns nothing:

        add = tilewright.torch_operator(tilewright.load("vector_add.py")["vector_add"], "mine::add")
        compiled = torch.compile(lambda a, b: add(a, b, out := torch.empty_like(a)) or out)
    """
    import torch

    namespace, sign, own = name.partition("::")
    if not sign or not namespace.isidentifier() or not own.isidentifier():
        raise Error(f"'{name}' names no operator: write NAMESPACE::NAME, such as mine::add")
    parts, written = [], []
    for given in kernel._given:
        if given.kind == "pointer":
            raise Error(f"{kernel.entry}: {given.name} is a pointer without a shape, which no operator of torch takes")
        if given.kind == "tensor":
            changed = f"(a{len(written)}!)" if given.written else ""
            written += [given.name] if given.written else []
            parts.append(f"Tensor{changed} {given.name}")
        else:
            parts.append(f"{_ANNOTATIONS[given.dtype_name.rstrip('0123456789')]} {given.name}")
    torch.library.define(name, f"({', '.join(parts)}) -> ()")

    def launch(*arguments):
        kernel(*[int(a) if isinstance(a, torch.SymInt) else a for a in arguments])

    for device in ("cuda", "cpu"):
        torch.library.impl(name, device, launch)
    register = getattr(torch.library, "register_fake", None) or torch.library.impl_abstract
    register(name, lambda *arguments: None)
    return getattr(getattr(torch.ops, namespace), own)
