# Types, literals, promotion, comparison (surface.md 6).
#--- dtypes by every name  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((4,), "float32")):
    T.device_entry()
    a: T.int8
    b: T.i16
    c: T.u64
    d: T.boolean
    e: T.f16
    f: T.bf16
    g: T.float8_e4m3fn
    h: T.float8_e5m2
    i: T.float32x4
    j: T.uint8x16
    l = T.alloc_local((4,), "bfloat16x2")
    m = T.alloc_local((4,), "float4_e2m1fn")
    n = T.alloc_local((4,), "float6_e2m3fn")
    o = T.alloc_local((4,), T.float16)
    p: T.float64
    q: T.float8_e8m0fnu
#| @T.prim_func
#| def k(A: T.Buffer((4,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     a: T.int8
#|     b: T.int16
#|     c: T.uint64
#|     d: T.bool
#|     e: T.float16
#|     f: T.bfloat16
#|     g: T.float8_e4m3fn
#|     h: T.float8_e5m2
#|     i = T.alloc_scalar("float32x4", "local")
#|     j = T.alloc_scalar("uint8x16", "local")
#|     l = T.alloc_local((4,), "bfloat16x2")
#|     m = T.alloc_local((4,), "float4_e2m1fn")
#|     n = T.alloc_local((4,), "float6_e2m3fn")
#|     o = T.alloc_local((4,), "float16")
#|     p: T.float64
#|     q: T.float8_e8m0fnu

#--- literals  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((4,), "float32"), u8: T.uint8, u32: T.uint32, f16: T.float16, i64: T.int64, f64: T.float64, i32: T.int32):
    T.device_entry()
    a = u8 + 1
    b = u32 + 1
    c = f16 + 1
    d = i64 + 1
    e = f16 * 2.0
    f = f64 * 2.0
    g = i32 * 2.0
    h = 1 << 40
    i = 2147483648
    j = 1e39
    l: T.let = u8 == 1
    m: T.let = f16 < 2.0
    n: T.let = 3 > u32
    o = T.float16(2.0)
    p = T.uint32(1) + u32
    q = T.float32("inf")
    r = T.float32("-inf")
    s = T.float16("nan")
    t = T.min_value("int8")
    u = T.max_value("uint8")
    v = T.infinity("float32")
    w = T.max_value("float16")
    x = T.bool(1)
    y = T.int64(3)
    z = 0xFFFFFFFFFFFFFFFF
#| @T.prim_func
#| def k(A: T.Buffer((4,), "float32"), u8: T.uint8, u32: T.uint32, f16: T.float16, i64: T.int64, f64: T.float64, i32: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     a: T.int32 = T.Cast("int32", u8) + 1
#|     b: T.uint32 = u32 + T.uint32(1)
#|     c: T.float16 = f16 + T.float16(1.0)
#|     d: T.int64 = i64 + T.int64(1)
#|     e: T.float32 = T.Cast("float32", f16) * T.float32(2.0)
#|     f: T.float64 = f64 * T.float64(2.0)
#|     g: T.float32 = T.Cast("float32", i32) * T.float32(2.0)
#|     h: T.int64 = T.int64(1099511627776)
#|     i: T.int64 = T.int64(2147483648)
#|     j: T.float64 = T.float64(1e+39)
#|     l: T.let[T.bool] = u8 == T.uint8(1)
#|     m: T.let[T.bool] = f16 < T.float16(2.0)
#|     n: T.let[T.bool] = T.uint32(3) > u32
#|     o: T.float16 = T.float16(2.0)
#|     p: T.uint32 = u32 + T.uint32(1)
#|     q: T.float32 = T.float32("inf")
#|     r: T.float32 = T.float32("-inf")
#|     s: T.float16 = T.float16("nan")
#|     t: T.int8 = T.int8(-128)
#|     u: T.uint8 = T.uint8(255)
#|     v: T.float32 = T.float32("inf")
#|     w: T.float16 = T.float16(65504.0)
#|     x: T.bool = T.bool(True)
#|     y: T.int64 = T.int64(3)
#|     z: T.uint64 = T.uint64(18446744073709551615)

#--- promotion  [print]
from tvm.script import tirx as T

@T.prim_func
def k(u8: T.uint8, i8: T.int8, u32: T.uint32, i32: T.int32, i64: T.int64, f16: T.float16, bf: T.bfloat16, f32: T.float32, f64: T.float64, e4: T.float8_e4m3fn, b: T.bool):
    T.device_entry()
    a = f16 + f32
    c = i32 + f16
    d = bf + f16
    e = bf * f32
    f = bf + i32
    g = e4 + i32
    h = bf * e4
    i = b + i32
    j = u8 + i8
    l = u32 + i32
    m = u8 + i32
    n = u32 + i64
    o = i8 * i32
    p = T.max(i32, i64)
    q = T.min(f16, f32)
    r = f16 / f32
    s = u32 // i32
    t = T.broadcast(f32, 4) * f32
#| @T.prim_func
#| def k(u8: T.uint8, i8: T.int8, u32: T.uint32, i32: T.int32, i64: T.int64, f16: T.float16, bf: T.bfloat16, f32: T.float32, f64: T.float64, e4: T.float8_e4m3fn, b: T.bool):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     a: T.float32 = T.Cast("float32", f16) + f32
#|     c: T.float16 = T.Cast("float16", i32) + f16
#|     d: T.float16 = T.Cast("float16", bf) + f16
#|     e: T.float32 = T.Cast("float32", bf) * f32
#|     f: T.bfloat16 = bf + T.Cast("bfloat16", i32)
#|     g: T.float8_e4m3fn = e4 + T.Cast("float8_e4m3fn", i32)
#|     h: T.bfloat16 = bf * T.Cast("bfloat16", e4)
#|     i: T.int32 = T.Cast("int32", b) + i32
#|     j: T.uint8 = u8 + T.Cast("uint8", i8)
#|     l: T.uint32 = u32 + T.Cast("uint32", i32)
#|     m: T.int32 = T.Cast("int32", u8) + i32
#|     n: T.int64 = T.Cast("int64", u32) + i64
#|     o: T.int32 = T.Cast("int32", i8) * i32
#|     p: T.int64 = T.max(T.Cast("int64", i32), i64)
#|     q: T.float32 = T.min(T.Cast("float32", f16), f32)
#|     r: T.float32 = T.Cast("float32", f16) / f32
#|     s: T.uint32 = u32 // T.Cast("uint32", i32)
#|     t = T.alloc_scalar("float32x4", "local")
#|     t = T.Broadcast(f32, 4) * T.Broadcast(f32, 4)

#--- promotion that fails
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((4,), "float32"), i: T.int32, j: T.int32, u: T.uint32, f: T.float32, h: T.handle, b: T.bool, f16: T.float16, bf: T.bfloat16):
    T.device_entry()
    a1 = i / j
#        ^^^^^ error[TW2004]: `/` of int32 and int32: integers divide by `//` (floor) or T.truncdiv (towards zero)
    a2 = i / 2
#        ^^^^^ error[TW2004]: `/` of int32 and int32: integers divide by `//` (floor) or T.truncdiv (towards zero)
    a3 = f & 1
#        ^^^^^ error[TW2004]: `&` is not defined for float32 and int32
    a4 = ~f
#        ^^ error[TW2004]: `~` is not defined for float32
    a5 = f << 1
#        ^^^^^^ error[TW2004]: `<<` is not defined for float32 and int32
    a6 = i << 32
#        ^^^^^^^ error[TW2004]: shift by 32 is outside [0, 32)
    a7 = i >> -1
#        ^^^^^^^ error[TW2004]: shift by -1 is outside [0, 32)
    a8 = i // 0
#        ^^^^^^ error[TW2004]: division by zero
    a9 = i % 0
#        ^^^^^ error[TW2004]: division by zero
    a10 = f / 0.0
#         ^^^^^^^ error[TW2004]: division by zero
    a11 = i ** 2
#         ^^^^^^ error[TW2004]: ** is not defined on run-time values
#   hint: use T.pow
    a12 = i @ j
#         ^^^^^ error[TW2004]: @ is not defined on run-time values
    a13 = T.broadcast(f, 4) + T.broadcast(f, 8)
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2004]: `+`: operands have 4 and 8 lanes
    a14 = h + 1
#         ^^^^^ error[TW2004]: `+` is not defined for handle and int32
    a15 = u + (-1)
#         ^^^^^^^^ error[TW2004]: -1 is out of range for uint32
    a16 = i + "text"
#         ^^^^^^^^^^ error[TW2004]: operator + is not defined between a run-time expression and str
    a17 = i + [1]
#         ^^^^^^^ error[TW2004]: operator + is not defined between a run-time expression and list
    a18 = i + None
#         ^^^^^^^^ error[TW2004]: operator + is not defined between a run-time expression and None
    a19 = T.uint8(256)
#                 ^^^ error[TW2004]: 256 is out of range for uint8
    a20 = T.uint8(-1)
#                 ^^ error[TW2004]: -1 is out of range for uint8
    a21 = T.int32("text")
#                 ^^^^^^ error[TW2005]: only "inf", "-inf" and "nan" can be written as strings
    a22 = T.int32(1, 2)
#         ^^^^^^^^^^^^^ error[TW2006]: a dtype takes one value
    a23 = T.Cast("int32", h)
#         ^^^^^^^^^^^^^^^^^^ error[TW2004]: handle does not convert to int32; use T.reinterpret
    a24 = T.reinterpret("int64", i)
#         ^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2004]: reinterpret between 32 and 64 bits
    a25 = not i
#         ^^^^^ error[TW2004]: `not` wants bool, not int32: compare with `== 0`
    a26 = i and b
#         ^^^^^^^ error[TW2004]: `and` wants bool, not int32: compare with `!= 0`
#   hint: compare with 0 first: (x != 0)
    a27 = b or f
#         ^^^^^^ error[TW2004]: `or` wants bool, not float32: compare with `!= 0`
#   hint: compare with 0 first: (x != 0)
    a28 = T.if_then_else(i, 1, 2)
#                        ^ error[TW2103]: the condition must be bool, not int32
#   hint: compare it: x != 0
    a29 = T.broadcast(f, 0)
#                        ^ error[TW2005]: a vector cannot have 0 lanes
    a30 = T.ramp(i, 1, 1)
#                      ^ error[TW2005]: a ramp cannot have 1 lanes
    a31 = T.int8(1000)
#                ^^^^ error[TW2004]: 1000 is out of range for int8

#--- comparisons demand one type
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((4,), "int32"), i: T.int32, u: T.uint32, l: T.int64, f: T.float32, bf: T.bfloat16, h: T.handle):
    T.device_entry()
    if i < u:
#      ^^^^^ error[TW2004]: mismatched types: `<` compares int32 with uint32; convert one of them
#   hint: cast one side, e.g. T.uint32(x)
        A[0] = 1
    if i == l:
#      ^^^^^^ error[TW2004]: mismatched types: `==` compares int32 with int64; convert one of them
#   hint: cast one side, e.g. T.uint32(x)
        A[0] = 1
    if i < f:
#      ^^^^^ error[TW2004]: mismatched types: `<` compares int32 with float32; convert one of them
#   hint: cast one side, e.g. T.uint32(x)
        A[0] = 1
    if bf < 1.0:
#      ^^^^^^^^ error[TW2004]: mismatched types: `<` compares bfloat16 with float32; convert one of them
#   hint: cast one side, e.g. T.uint32(x)
        A[0] = 1
    if u == -1:
#      ^^^^^^^ error[TW2004]: -1 is out of range for uint32
        A[0] = 1
    if i < 1.5:
#      ^^^^^^^ error[TW2004]: mismatched types: `<` compares int32 with float32; convert one of them
#   hint: cast one side, e.g. T.uint32(x)
        A[0] = 1
    if i == "x":
#      ^^^^^^^^ error[TW2004]: a run-time expression cannot be compared with a string
        A[0] = 1
    if i < None:
#      ^^^^^^^^ error[TW2004]: operator < is not defined between a run-time expression and None
        A[0] = 1

#--- comparisons  [print]
from tvm.script import tirx as T

def helper(a, b):
    return a < b

@T.prim_func
def k(A: T.Buffer((8,), "bool"), i: T.int32, u: T.uint32, l: T.int64, f: T.float32, h: T.handle):
    T.device_entry()
    A[0] = 1 < i < 5
    A[1] = i != 3 and not i == 4 or u >= 3
    A[2] = helper(i, l)
    A[3] = T.isnullptr(h)
    A[4] = f == 1
    A[5] = (i < 3) & (u < T.uint32(3))
    A[6] = i is None
    A[7] = 3 in [1, 2, 3]
#| @T.prim_func
#| def k(A: T.Buffer((8,), "bool"), i: T.int32, u: T.uint32, l: T.int64, f: T.float32, h: T.handle):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = 1 < i and i < 5
#|     A[1] = i != 3 and not i == 4 or u >= T.uint32(3)
#|     A[2] = T.Cast("int64", i) < l
#|     A[3] = T.isnullptr(h)
#|     A[4] = f == T.float32(1.0)
#|     A[5] = T.bitwise_and(i < 3, u < T.uint32(3))
#|     A[6] = T.bool(False)
#|     A[7] = T.bool(True)

#--- operators  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), i: T.int32, j: T.int32, u: T.uint32, f: T.float32, b: T.bool):
    T.device_entry()
    A[0] = i + j - i * j
    A[1] = i // j + i % j
    A[2] = T.floordiv(i, j) + T.floormod(i, j) + T.truncdiv(i, j) + T.truncmod(i, j) + T.ceildiv(i, 4)
    A[3] = -i
    A[4] = +i
    A[5] = ~i
    A[6] = (i << 2) >> 1
    A[7] = i & j | i ^ j
    A[8] = T.bitwise_and(i, j) + T.bitwise_or(i, j) + T.bitwise_xor(i, j) + T.bitwise_not(i)
    A[9] = T.shift_left(i, 1) + T.shift_right(i, 1)
    A[10] = T.Select(i > j, i, j) + T.if_then_else(b, i, j)
    A[11] = T.cast(f, "int32") + T.Cast("int32", u)
    A[12] = T.reinterpret("int32", f)
    A[13] = T.cast(T.And(b, i > 1), "int32") + T.cast(T.Or(b, i > 1), "int32") + T.cast(T.Not(b), "int32")
    A[14] = T.max(i, 3) + T.min(j, 4)
    A[15] = 3 * 4 + i - i
    A[16] = T.likely(b).astype("int32")
    A[17] = (2 + 3) * i + (i + 2) + 3
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32"), i: T.int32, j: T.int32, u: T.uint32, f: T.float32, b: T.bool):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = i + j - i * j
#|     A[1] = i // j + i % j
#|     A[2] = i // j + i % j + T.truncdiv(i, j) + T.truncmod(i, j) + (i + 3) // 4
#|     A[3] = i * (-1)
#|     A[4] = i
#|     A[5] = T.bitwise_not(i)
#|     A[6] = T.shift_right(T.shift_left(i, 2), 1)
#|     A[7] = T.bitwise_or(T.bitwise_and(i, j), T.bitwise_xor(i, j))
#|     A[8] = T.bitwise_and(i, j) + T.bitwise_or(i, j) + T.bitwise_xor(i, j) + T.bitwise_not(i)
#|     A[9] = T.shift_left(i, 1) + T.shift_right(i, 1)
#|     A[10] = T.Select(i > j, i, j) + T.if_then_else(b, i, j)
#|     A[11] = T.Cast("int32", f) + T.Cast("int32", u)
#|     A[12] = T.reinterpret("int32", f)
#|     A[13] = T.Cast("int32", b and i > 1) + T.Cast("int32", b or i > 1) + T.Cast("int32", not b)
#|     A[14] = T.max(i, 3) + T.min(j, 4)
#|     A[15] = i + 12 - i
#|     A[16] = T.Cast("int32", T.likely(b))
#|     A[17] = i * 5 + (i + 2) + 3

#--- mathematics  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), H: T.Buffer((64,), "float16"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "bool")):
    T.device_entry()
    tx = T.thread_id([64])
    A[0] = T.exp(A[1]) + T.exp2(A[1]) + T.exp10(A[1]) + T.log(A[1]) + T.log2(A[1]) + T.log10(A[1]) + T.log1p(A[1])
    A[1] = T.sqrt(A[1]) + T.rsqrt(A[1]) + T.sin(A[1]) + T.cos(A[1]) + T.tan(A[1]) + T.sinh(A[1]) + T.cosh(A[1]) + T.tanh(A[1])
    A[2] = T.asin(A[1]) + T.acos(A[1]) + T.atan(A[1]) + T.asinh(A[1]) + T.acosh(A[1]) + T.atanh(A[1]) + T.erf(A[1])
    A[3] = T.atan2(A[1], A[2]) + T.pow(A[1], A[2]) + T.fmod(A[1], 2.0) + T.hypot(A[1], A[2]) + T.copysign(A[1], A[2])
    A[4] = T.nextafter(A[1], A[2]) + T.fma(A[1], A[2], 1.0) + T.ldexp(A[1], B[0])
    A[5] = T.floor(A[1]) + T.ceil(A[1]) + T.round(A[1]) + T.trunc(A[1]) + T.nearbyint(A[1]) + T.fabs(A[1]) + T.abs(A[1])
    A[6] = T.sigmoid(A[1])
    B[0] = T.abs(B[1]) + T.popcount(B[1]) + T.clz(B[1]) + T.floor(B[1])
    C[0] = T.isnan(A[0])
    C[1] = T.isinf(A[0])
    C[2] = T.isfinite(A[0])
    C[3] = T.isnan(B[0])
    H[0] = T.exp(H[1])
    H[1] = T.pow(H[1], H[2])
    A[7] = T.sqrt(B[0])
    B[1] = T.q_multiply_shift(B[0], B[1], 31, 2)
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32"), H: T.Buffer((64,), "float16"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "bool")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     A[0] = T.exp(A[1]) + T.exp2(A[1]) + T.exp10(A[1]) + T.log(A[1]) + T.log2(A[1]) + T.log10(A[1]) + T.log1p(A[1])
#|     A[1] = T.sqrt(A[1]) + T.rsqrt(A[1]) + T.sin(A[1]) + T.cos(A[1]) + T.tan(A[1]) + T.sinh(A[1]) + T.cosh(A[1]) + T.tanh(A[1])
#|     A[2] = T.asin(A[1]) + T.acos(A[1]) + T.atan(A[1]) + T.asinh(A[1]) + T.acosh(A[1]) + T.atanh(A[1]) + T.erf(A[1])
#|     A[3] = T.atan2(A[1], A[2]) + T.pow(A[1], A[2]) + T.fmod(A[1], T.float32(2.0)) + T.hypot(A[1], A[2]) + T.copysign(A[1], A[2])
#|     A[4] = T.nextafter(A[1], A[2]) + T.fma(A[1], A[2], T.float32(1.0)) + T.ldexp(A[1], B[0])
#|     A[5] = T.floor(A[1]) + T.ceil(A[1]) + T.round(A[1]) + T.trunc(A[1]) + T.nearbyint(A[1]) + T.fabs(A[1]) + T.fabs(A[1])
#|     A[6] = T.float32(1.0) / (T.float32(1.0) + T.exp(A[1] * T.float32(-1.0)))
#|     B[0] = T.Select(B[1] >= 0, B[1], 0 - B[1]) + T.popcount(B[1]) + T.clz(B[1]) + B[1]
#|     C[0] = T.isnan(A[0])
#|     C[1] = T.fabs(A[0]) == T.float32("inf") and not T.isnan(A[0])
#|     C[2] = not (T.fabs(A[0]) == T.float32("inf") and not T.isnan(A[0])) and not T.isnan(A[0])
#|     C[3] = T.bool(False)
#|     H[0] = T.exp(H[1])
#|     H[1] = T.pow(H[1], H[2])
#|     A[7] = T.sqrt(T.Cast("float32", B[0]))
#|     B[1] = T.Cast("int32", T.shift_right(T.Cast("int64", B[0]) * T.Cast("int64", B[1]) + T.int64(4294967296), T.int64(33)))

#--- mathematics that is refused
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), h: T.handle):
    T.device_entry()
    A[0] = T.exp()
#          ^^^^^^^ error[TW2006]: T.exp takes 1 operand, 0 are given
    A[0] = T.exp(A[0], A[1])
#          ^^^^^^^^^^^^^^^^^ error[TW2006]: T.exp takes 1 operand, 2 are given
    A[0] = T.pow(A[0])
#          ^^^^^^^^^^^ error[TW2006]: T.pow takes 2 operands, 1 is given
    A[0] = T.exp(h)
#                ^ error[TW2004]: T.exp takes numbers, not handle
    A[0] = T.popcount(A[0])
#                     ^^^^ error[TW2004]: T.popcount takes an integer, not float32
    A[0] = T.exp("text")
#                ^^^^^^ error[TW2004]: an operand of T.exp must be a number or an expression, not str
    A[0] = T.ldexp(A[0], A[1])
#                        ^^^^ error[TW2004]: T.ldexp takes an integer exponent, not float32
    A[0] = T.exp(undefined)
#                ^^^^^^^^^ error[TW2002]: name 'undefined' is not defined

#--- foreign code  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "int32")):
    T.device_entry()
    tx = T.thread_id([64])
    A[tx] = T.cuda.func_call("twice", A[tx], source_code="__device__ float twice(float x) { return 2 * x; }", return_type="float32")
    T.cuda.printf("%d %f\n", B[tx], A[tx])
    A[tx] = T.call_extern("float32", "sqrtf", A[tx])
    A[tx] = T.call_pure_extern("float32", "sqrtf", A[tx])
    B[tx] = T.tvm_warp_shuffle_xor(0xFFFFFFFF, B[tx], 1, 32, 32)
    B[tx] = T.tvm_warp_shuffle(0xFFFFFFFF, B[tx], 0, 32, 32)
    T.tvm_storage_sync("shared")
    A[tx] = T.call_intrin("float32", "tirx.exp", A[tx])
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     A[tx] = T.cuda.func_call("twice", A[tx], source_code="__device__ float twice(float x) { return 2 * x; }", return_type="float32")
#|     T.cuda.printf("%d %f\n", B[tx], A[tx])
#|     A[tx] = T.call_extern("float32", "sqrtf", A[tx])
#|     A[tx] = T.call_pure_extern("float32", "sqrtf", A[tx])
#|     B[tx] = T.tvm_warp_shuffle_xor(T.uint32(4294967295), B[tx], 1, 32, 32)
#|     B[tx] = T.tvm_warp_shuffle(T.uint32(4294967295), B[tx], 0, 32, 32)
#|     T.tvm_storage_sync("shared")
#|     A[tx] = T.exp(A[tx])

#--- undefined names and attributes
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    A[0] = x
#          ^ error[TW2002]: name 'x' is not defined
    A[1] = T.nothing
#            ^^^^^^^ error[TW2003]: 'T' has no attribute 'nothing'
    A[2] = A[0].nothing
#               ^^^^^^^ error[TW2003]: a run-time expression has no attribute 'nothing'
    A[3] = Tx.warp.nothing(A, A)
#                  ^^^^^^^ error[TW2003]: 'Tx.warp' has no attribute 'nothing'
    Tx._private(A, A)
#      ^^^^^^^^ error[TW2003]: 'Tx' has no attribute '_private'
    Tx.warp.warp.copy(A, A)
#           ^^^^ error[TW2003]: 'Tx.warp' has no attribute 'warp'
    y = x + 1
    A[4] = y

