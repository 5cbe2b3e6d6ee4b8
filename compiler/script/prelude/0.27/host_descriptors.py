# Descriptors of tcgen05 as numbers that are known when the kernel is made: tvm.backend.cuda.cpp.descriptors.
_FORMATS = {
    "float16": 0, "bfloat16": 1, "tensor_float32": 2, "tf32": 2, "float8_e4m3fn": 0, "float8_e4m3fnuz": 0,
    "float8_e5m2": 1, "float6_e2m3fn": 3, "float6_e3m2fn": 4, "float4_e2m1fn": 5, "uint8": 0, "int8": 1, "float32": 1,
    "int32": 2,
}
_SCALE_FORMATS = {"float8_e4m3fn": 0, "float8_e4m3fnuz": 0, "float8_e8m0fnu": 1}
_SWIZZLES = {0: 0, 1: 6, 2: 4, 3: 2, 4: 1}
_SMALL = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")
_K = {"f16": 16, "tf32": 8, "i8": 32, "f8f6f4": 32, "mxf8f6f4": 32, "mxf4": 64, "mxf4nvf4": 64}
# What M may be with one CTA or two, and the step of N for it.
_STEPS = {
    ("plain", 1): {64: 8, 128: 16}, ("plain", 2): {128: 32, 256: 32}, ("i8", 1): {64: 16, 128: 16},
    ("i8", 2): {128: 32, 256: 32}, ("scaled", 1): {128: 8}, ("scaled", 2): {128: 16, 256: 16},
}


def _name(dtype):
    return str(getattr(dtype, "dtype", dtype))


def _dense_kind(d, a, b):
    if a in ("float16", "bfloat16") and b in ("float16", "bfloat16"):
        if d == "float32" or (d == "float16" and a == "float16" and b == "float16"):
            return "f16"
    if d == "float32" and a in ("tf32", "tensor_float32") and b in ("tf32", "tensor_float32"):
        return "tf32"
    if d == "int32" and a in ("int8", "uint8") and b in ("int8", "uint8"):
        return "i8"
    if d in ("float32", "float16") and a in _SMALL and b in _SMALL:
        return "f8f6f4"
    raise ValueError(f"tcgen05.mma takes no operands of {a} and {b} for a result of {d}")


def _scaled_kind(d, a, b, scale):
    if d == "float32" and a == "float4_e2m1fn" and b == "float4_e2m1fn":
        return "mxf4" if scale == "float8_e8m0fnu" else "mxf4nvf4"
    if d == "float32" and a in _SMALL and b in _SMALL and scale == "float8_e8m0fnu":
        return "mxf8f6f4"
    raise ValueError(f"tcgen05.mma takes no operands of {a} and {b} with scales of {scale} for a result of {d}")


def _check_shape(kind, cta_group, m, n, k, is_sparse):
    rows = "i8" if kind == "i8" else "scaled" if kind.startswith("mx") else "plain"
    steps = _STEPS.get((rows, cta_group), {})
    if m not in steps:
        raise ValueError(f"M={m} with cta_group={cta_group}: kind::{kind} takes {sorted(steps)}")
    step = steps[m]
    if not (step <= n <= 256 and n % step == 0) and not (rows == "i8" and cta_group == 1 and n in (8, 24)):
        raise ValueError(f"N={n} with M={m}: kind::{kind} takes {step} to 256 in steps of {step}")
    wanted = _K[kind] * (2 if is_sparse else 1)
    wide = kind in ("mxf4", "mxf4nvf4") and not is_sparse and (cta_group, m) in ((1, 128), (2, 256)) and k == 96
    if k != wanted and not wide:
        raise ValueError(f"K={k}: kind::{kind} takes {wanted}")


def _check_turned(name, dtype, turned):
    if turned and dtype in ("float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"):
        raise ValueError(f"{name} is {dtype}, which cannot be transposed")


def _common(m, n, a_format, b_format, trans_a, trans_b, neg_a, neg_b, is_sparse):
    desc = int(is_sparse) << 2 | (a_format & 7) << 7 | (b_format & 7) << 10 | int(neg_a) << 13 | int(neg_b) << 14
    return desc | int(trans_a) << 15 | int(trans_b) << 16 | ((n >> 3) & 0x3F) << 17 | ((m >> 4) & 0x1F) << 24


def encode_instr_descriptor_dense_uint32(
    M, N, K, d_dtype, a_dtype, b_dtype, trans_a, trans_b, cta_group=1, neg_a=False, neg_b=False, sat_d=False,
    is_sparse=False,
):
    """The instruction descriptor of a dense tcgen05.mma."""
    d, a, b = _name(d_dtype), _name(a_dtype), _name(b_dtype)
    _check_shape(_dense_kind(d, a, b), cta_group, int(M), int(N), int(K), is_sparse)
    _check_turned("a", a, trans_a)
    _check_turned("b", b, trans_b)
    desc = _common(M, N, _FORMATS[a], _FORMATS[b], trans_a, trans_b, neg_a, neg_b, is_sparse)
    return desc | int(sat_d) << 3 | (_FORMATS[d] & 3) << 4


def encode_instr_descriptor_block_scaled_uint32(
    M, N, K, d_dtype, a_dtype, b_dtype, sf_dtype, trans_a, trans_b, cta_group=1, neg_a=False, neg_b=False,
    is_sparse=False,
):
    """The instruction descriptor of a block-scaled tcgen05.mma; the ids of scale factors are 0."""
    d, a, b, scale = _name(d_dtype), _name(a_dtype), _name(b_dtype), _name(sf_dtype)
    kind = _scaled_kind(d, a, b, scale)
    _check_shape(kind, cta_group, int(M), int(N), int(K), is_sparse)
    _check_turned("a", a, trans_a)
    _check_turned("b", b, trans_b)
    a_format, b_format = (_FORMATS[a], _FORMATS[b]) if kind == "mxf8f6f4" else (1, 1)
    desc = _common(M, N, a_format, b_format, trans_a, trans_b, neg_a, neg_b, is_sparse)
    return desc | (_SCALE_FORMATS[scale] & 1) << 23 | int(int(K) == 96) << 31


def encode_smem_descriptor_base_uint64(ldo, sdo, swizzle):
    """A matrix descriptor without its address: leading and stride offsets in units of 16 bytes, and the swizzle."""
    desc = (int(ldo) & 0x3FFF) << 16 | (int(sdo) & 0x3FFF) << 32 | 1 << 46
    return desc | _SWIZZLES[int(swizzle)] << 61
