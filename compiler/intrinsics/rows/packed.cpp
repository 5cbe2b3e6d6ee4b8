// Packed arithmetic on two float32 as release 0.26 writes it: stored through d_addr, or with dps=False as a value.
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

constexpr Intrinsic kPackedRows[] = {
    row<"d_addr: to u64, a: u64, b: u64, *, rounding: attr(|rn|rz|rm|rp) = 'rn', ftz: flag = False, dps: attr(True) = "
        "True, return_dtype: attr = 'uint64'">("W14", "ptx.add_f32x2", Meaning::AddFloat2)
        .cc(Sm100)
        .form("_dps")
        .quiet()
        .ptx("add{.rounding}{.ftz}.f32x2 {d_addr}, {a}, {b};")
        .says("Two float32 sums at once; the low words are the first elements."),
    row<"a: u64, b: u64, *, rounding: attr(|rn|rz|rm|rp) = 'rn', ftz: flag = False, dps: attr(False), return_dtype: "
        "attr(uint64|float32x2) = 'uint64'">("W15", "ptx.add_f32x2", Meaning::AddFloat2)
        .cc(Sm100)
        .form("_value")
        .returns<ir::kUInt64>()
        .movable()
        .ptx("add{.rounding}{.ftz}.f32x2 {=}, {a}, {b};")
        .says("Two float32 sums at once, as a value; the low words are the first elements."),
    row<"d_addr: to u64, a: u64, b: u64, *, rounding: attr(rn|rz|rm|rp) = 'rn', ftz: flag = False, dps: attr(True) = "
        "True, return_dtype: attr = 'uint64'">("W16", "ptx.sub_f32x2", Meaning::SubFloat2)
        .cc(Sm100)
        .form("_dps")
        .quiet()
        .ptx("sub{.rounding}{.ftz}.f32x2 {d_addr}, {a}, {b};")
        .says("Two float32 differences at once; the low words are the first elements."),
    row<"a: u64, b: u64, *, rounding: attr(rn|rz|rm|rp) = 'rn', ftz: flag = False, dps: attr(False), return_dtype: "
        "attr(uint64|float32x2) = 'uint64'">("W17", "ptx.sub_f32x2", Meaning::SubFloat2)
        .cc(Sm100)
        .form("_value")
        .returns<ir::kUInt64>()
        .movable()
        .ptx("sub{.rounding}{.ftz}.f32x2 {=}, {a}, {b};")
        .says("Two float32 differences at once, as a value; the low words are the first elements."),
    row<"d_addr: to u64, a: u64, b: u64, *, rounding: attr(|rn|rz|rm|rp) = '', ftz: flag = False, dps: attr(True) = "
        "True, return_dtype: attr = 'uint64'">("W18", "ptx.mul_f32x2", Meaning::MulFloat2)
        .cc(Sm100)
        .form("_dps")
        .quiet()
        .ptx("mul{.rounding}{.ftz}.f32x2 {d_addr}, {a}, {b};")
        .says("Two float32 products at once; the low words are the first elements."),
    row<"a: u64, b: u64, *, rounding: attr(|rn|rz|rm|rp) = '', ftz: flag = False, dps: attr(False), return_dtype: "
        "attr(uint64|float32x2) = 'uint64'">("W19", "ptx.mul_f32x2", Meaning::MulFloat2)
        .cc(Sm100)
        .form("_value")
        .returns<ir::kUInt64>()
        .movable()
        .ptx("mul{.rounding}{.ftz}.f32x2 {=}, {a}, {b};")
        .says("Two float32 products at once, as a value; the low words are the first elements."),
    row<"d_addr: to u64, a: u64, b: u64, c: u64, *, rounding: attr(rn|rz|rm|rp) = 'rn', ftz: flag = False, dps: "
        "attr(True) = True, return_dtype: attr = 'uint64'">("W20", "ptx.fma_f32x2", Meaning::FmaFloat2)
        .cc(Sm100)
        .form("_dps")
        .quiet()
        .ptx("fma{.rounding}{.ftz}.f32x2 {d_addr}, {a}, {b}, {c};")
        .says("Two float32 multiply-adds at once; the low words are the first elements."),
    row<"a: u64, b: u64, c: u64, *, rounding: attr(rn|rz|rm|rp) = 'rn', ftz: flag = False, dps: attr(False), "
        "return_dtype: attr(uint64|float32x2) = 'uint64'">("W21", "ptx.fma_f32x2", Meaning::FmaFloat2)
        .cc(Sm100)
        .form("_value")
        .returns<ir::kUInt64>()
        .movable()
        .ptx("fma{.rounding}{.ftz}.f32x2 {=}, {a}, {b}, {c};")
        .says("Two float32 multiply-adds at once, as a value; the low words are the first elements."),
};

}  // namespace

std::span<const Intrinsic> packed_rows() { return kPackedRows; }

}  // namespace tilewright::intrinsics
