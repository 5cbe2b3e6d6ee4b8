"""Extents and scalars of a launch: the plan's expressions, once the numbers in them are known.

They are printed by the compiler in the script's own words ("(n + 255) // 256", "T.min(a, b)"), which Python evaluates.
"""
import re

_WORD = re.compile(r"(?<![.\w\"])[A-Za-z_]\w*(?!\w*\()")
_INTEGERS = {f"{kind}{bits}": (kind, bits) for kind in ("int", "uint") for bits in (8, 16, 32, 64)}


def wrapped(value, dtype):
    """The value as an integer type holds it."""
    if dtype not in _INTEGERS:
        return bool(value) if dtype == "bool" else float(value)
    kind, bits = _INTEGERS[dtype]
    value = int(value) & ((1 << bits) - 1)
    return value - (1 << bits) if kind == "int" and value >> (bits - 1) else value


def _truncdiv(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


class _T:
    min, max = staticmethod(min), staticmethod(max)
    truncdiv = staticmethod(_truncdiv)
    truncmod = staticmethod(lambda a, b: a - _truncdiv(a, b) * b)
    bitwise_and = staticmethod(lambda a, b: a & b)
    bitwise_or = staticmethod(lambda a, b: a | b)
    bitwise_xor = staticmethod(lambda a, b: a ^ b)
    bitwise_not = staticmethod(lambda a: ~a)
    shift_left = staticmethod(lambda a, b: a << b)
    shift_right = staticmethod(lambda a, b: a >> b)
    Select = if_then_else = staticmethod(lambda condition, a, b: a if condition else b)
    likely = staticmethod(lambda a: a)
    cast = staticmethod(wrapped)
    Cast = staticmethod(lambda dtype, value: wrapped(value, dtype))
    bool = staticmethod(bool)
    float16 = bfloat16 = float32 = float64 = staticmethod(float)


for _name in _INTEGERS:
    setattr(_T, _name, staticmethod(lambda value, _name=_name: wrapped(value, _name)))


class Expression:
    """A number, or a text with names in it."""

    __slots__ = ("text", "names", "_code", "_number")

    def __init__(self, value):
        self.text = value
        self._number = None if isinstance(value, str) else value
        self.names = frozenset(_WORD.findall(value)) - _KEYWORDS if isinstance(value, str) else frozenset()
        self._code = None

    @property
    def is_symbol(self):
        return isinstance(self.text, str) and self.text.isidentifier()

    def of(self, values):
        """Its value. KeyError: a name that has none; ArithmeticError, TypeError: there is no value."""
        if self._number is not None:
            return self._number
        if self._code is None:
            self._code = compile(self.text, "<launch plan>", "eval")
        try:
            return eval(self._code, {"__builtins__": {}, "T": _T}, values)
        except NameError as error:
            raise KeyError(str(error)) from None


_KEYWORDS = frozenset(("T", "and", "or", "not", "True", "False", "None"))
