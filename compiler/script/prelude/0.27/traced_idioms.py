# Sequences of instructions that traced kernels share: txl.idioms (dialects.md 7).
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral

_ALL_LANES = 0xFFFFFFFF

# Fields of the two descriptors of tcgen05.mma: name, first bit, mask. No bit says which of the two a number is.
_DENSE = (
    ("is_sparse", 2, 0x1), ("sat_d", 3, 0x1), ("d_format", 4, 0x3), ("a_format", 7, 0x7), ("b_format", 10, 0x7),
    ("neg_a", 13, 0x1), ("neg_b", 14, 0x1), ("trans_a", 15, 0x1), ("trans_b", 16, 0x1), ("n_over_8", 17, 0x3F),
    ("m_over_16", 24, 0x1F),
)
_BLOCK_SCALED = (
    ("sparse_id2", 0, 0x3), ("is_sparse", 2, 0x1), ("b_sf_id", 4, 0x3), ("a_format", 7, 0x7), ("b_format", 10, 0x7),
    ("neg_a", 13, 0x1), ("neg_b", 14, 0x1), ("trans_a", 15, 0x1), ("trans_b", 16, 0x1), ("n_over_8", 17, 0x3F),
    ("scale_format", 23, 0x1), ("m_over_16", 24, 0x1F), ("a_sf_id", 29, 0x3),
)
# Elements of k that one instruction takes, and their bits where the kind says it.
_K = {"f16": 16, "tf32": 8, "f8f6f4": 32, "i8": 32, "mxf8f6f4": 32, "mxf4": 64, "mxf4nvf4": 64}
_BITS = {"f16": 16, "tf32": 32, "i8": 8, "mxf4": 4, "mxf4nvf4": 4}
_SCALED_KINDS = ("mxf8f6f4", "mxf4", "mxf4nvf4")
_FORMATS = {
    "float16": 0, "bfloat16": 1, "float8_e4m3fn": 0, "float8_e5m2": 1, "float6_e2m3fn": 3, "float6_e3m2fn": 4,
    "float4_e2m1fn": 5, "uint8": 0, "int8": 1, "float32": 1, "int32": 2,
}


def decode_instr_descriptor(idesc, *, block_scaled=False):
    """The fields of an instruction descriptor of tcgen05.mma, by name; `M` and `N` in elements."""
    if isinstance(idesc, bool) or not isinstance(idesc, Integral):
        raise TypeError(f"the instruction descriptor is an integer that is known here, not {idesc!r}")
    if not 0 <= idesc <= 0xFFFFFFFF:
        raise ValueError(f"an instruction descriptor has 32 bits, {idesc:#x} has more")
    layout = _BLOCK_SCALED if block_scaled else _DENSE
    fields = {name: (idesc >> first) & mask for name, first, mask in layout}
    known = 0
    for name, first, mask in layout:
        known = known | (fields[name] << first)
    if known != idesc:
        kind = "block-scaled" if block_scaled else "dense"
        raise ValueError(f"descriptor {idesc:#010x} has bits {idesc ^ known:#x} that no field of the {kind} form has")
    fields["M"] = fields.pop("m_over_16") << 4
    fields["N"] = fields.pop("n_over_8") << 3
    return fields


def _word(mma, prefix):
    words = [word for word in str(mma).split(".") if word.startswith(prefix)]
    if len(words) != 1:
        raise ValueError(f"{mma!r} has {len(words)} words {prefix}..., one is needed")
    return words[0][len(prefix) :]


def _check_operand(idesc, fields, name, operand, want_bits, mma):
    if want_bits is not None and want_bits != operand.bits:
        raise ValueError(f"{mma!r} takes elements of {want_bits} bits, and {name} is {operand.dtype}")
    want = _FORMATS.get(operand.dtype)
    if want is not None and want != fields[f"{name}_format"]:
        raise ValueError(
            f"descriptor {idesc:#010x} says format {fields[f'{name}_format']} of {name}, which is {operand.dtype}: {want}"
        )


def mma_chain(mma, d, *, a, b, idesc, pred, accumulate, guard, dol=None, k_range=None):
    """One loop over k of tcgen05.mma: descriptors are encoded once, the first step accumulates as `accumulate` says, the
    others always. `guard`: "pred" puts the predicate at each instruction, "branch" puts all of them below one branch."""
    if guard not in ("pred", "branch"):
        raise ValueError(f"guard is 'pred' or 'branch', not {guard!r}")
    if guard == "branch" and pred is None:
        raise ValueError("guard='branch' needs pred: it is the condition of the branch")
    kind, group = _word(mma, "kind::"), _word(mma, "cta_group::")
    if kind in _SCALED_KINDS:
        raise ValueError(f"{mma!r} is block-scaled, and mma_chain makes dense instructions; write its calls")
    if kind not in _K:
        raise ValueError(f"{mma!r}: there is no kind::{kind}")
    fields = decode_instr_descriptor(idesc)
    if fields["is_sparse"]:
        raise ValueError(f"descriptor {idesc:#010x} is sparse, and mma_chain makes dense instructions")
    if not isinstance(b, txl.KTileView):
        raise TypeError("mma_chain: b is a stage of a tile, tile[stage]")
    in_smem = isinstance(a, txl.KTileView)
    if not in_smem and fields["trans_a"]:
        raise ValueError(f"descriptor {idesc:#010x} transposes a, which lies in tensor memory")
    if in_smem and a.bits != b.bits:
        raise ValueError(f"a has {a.bits} bits an element, b {b.bits}")
    _check_operand(idesc, fields, "b", b, _BITS.get(kind), mma)
    if in_smem:
        _check_operand(idesc, fields, "a", a, None, mma)
    a_major, b_major = "mn" if fields["trans_a"] else "k", "mn" if fields["trans_b"] else "k"
    step = _K[kind]
    extent = b.cols if b_major == "k" else b.rows
    low, high = (0, extent) if k_range is None else tuple(k_range)
    if not 0 <= low < high <= extent or (high - low) % step:
        raise ValueError(f"k_range=({low}, {high}) is no part of 0 to {extent} in steps of {step}")
    lanes = 8 if group == "2" else 4
    masks = (T.uint32(0),) * lanes if dol is None else dol
    if len(masks) != lanes:
        raise ValueError(f"{mma} takes {lanes} masks of lanes, {len(masks)} are given")
    b_desc, b_off = b.encode(major=b_major, mma_k=step, k0=low)
    if not in_smem:
        a_of = _in_tensor_memory(a, low // step, step * b.bits // 32)
    elif a is b and a_major == b_major:
        a_of = _in_shared_memory(b_desc, b_off)
    else:
        a_desc, a_off = a.encode(major=a_major, mma_k=step, k0=low)
        a_of = _in_shared_memory(a_desc, a_off)
    first = int(accumulate) if isinstance(accumulate, (bool, int)) else accumulate

    def issue(predicate):
        for kp in range((high - low) // step):
            a_operand = a_of(kp)
            txl.ptx[mma](
                T.Cast("uint32", d), a_operand, b_desc + b_off(kp), T.uint32(idesc), *masks,
                txl.ptx.pred(first if kp == 0 else 1), pred=predicate,
            )

    if guard == "branch":
        with txl.If(pred != 0), txl.Then():
            issue(None)
    else:
        issue(pred)


def _in_tensor_memory(a, base, columns):
    return lambda kp: T.Cast("uint32", a + (base + kp) * columns)


def _in_shared_memory(desc, offset):
    return lambda kp: desc + offset(kp)


def sigmoid_tanh_approx_f32(value=None, *, tanh_input=None):
    """0.5 * tanh.approx(value * 0.5) + 0.5, in a register; `tanh_input`: value * 0.5 where that is there already."""
    if (value is None) == (tanh_input is None):
        raise ValueError("sigmoid_tanh_approx_f32 takes value or tanh_input=, one of them")
    return _sigmoid(
        T.alloc_local([1], "float32"),
        T.alloc_local([1], "float32"),
        value * T.float32(0.5) if tanh_input is None else tanh_input,
    )


def _sigmoid(tangent, result, half):
    txl.ptx.tanh.approx.f32(tangent[0], half)
    txl.ptx.fma.rn.f32(result[0], tangent[0], T.float32(0.5), T.float32(0.5))
    return result[0]


def cast_f16x2_to_f32x2(dst, i, word):
    """The two halves of a word as float32, in elements 2i and 2i + 1 of `dst`."""
    _widen(T.alloc_local([2], "uint16"), dst, i, word)


def _widen(halves, dst, i, word):
    txl.ptx.mov.b32(halves[0], halves[1], word)
    txl.ptx.cvt.f32.f16(dst[2 * i], halves[0])
    txl.ptx.cvt.f32.f16(dst[2 * i + 1], halves[1])


def warp_scan_add(vals, n, lane, *, width=32, chain=True):
    """Inclusive sums over the lanes of a warp, of `n` values a lane: all shuffles of a round come before what only some
    lanes add. With `chain` each value goes on where the one before ended."""
    if not isinstance(n, Integral) or n < 1:
        raise ValueError(f"n is a positive integer, not {n!r}")
    if width & (width - 1):
        raise ValueError(f"width is a power of two, not {width}")
    for step in range(width.bit_length() - 1):
        _scan_round(T.alloc_local([n], txl._dtype(vals[0])), vals, n, lane, width, 1 << step)
    if chain:
        for i in range(1, n):
            _carry(T.alloc_local([1], txl._dtype(vals[0])), vals, i, width)


def _scan_round(prior, vals, n, lane, width, delta):
    for i in range(n):
        txl.assign(prior[i], T.tvm_warp_shuffle_up(T.uint32(_ALL_LANES), vals[i], delta, width, width))
    with txl.If(lane >= delta), txl.Then():
        for i in range(n):
            txl.assign(vals[i], vals[i] + prior[i])


def _carry(carry, vals, i, width):
    txl.assign(carry[0], txl._cuda.__shfl_sync(T.uint32(_ALL_LANES), vals[i - 1], width - 1, width))
    txl.assign(vals[i], vals[i] + carry[0])
