// Arithmetic whose rounding and special values PTX spells out.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

Failure check_nan(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  if (!Arguments(row, args).flag("nan") || target.at_least(80)) return std::nullopt;
  return "'nan' needs sm_80 and up, this is " + target.name();
}

#define TILEWRIGHT_ROUNDING "rounding: attr(rn|rz|rm|rp) = 'rn'"
#define TILEWRIGHT_BINARY(TYPE) "d_addr: to " TYPE ", a: " TYPE ", b: " TYPE ", *, " TILEWRIGHT_ROUNDING
#define TILEWRIGHT_TERNARY(TYPE) "d_addr: to " TYPE ", a: " TYPE ", b: " TYPE ", c: " TYPE ", *, " TILEWRIGHT_ROUNDING
#define TILEWRIGHT_F32 ", ftz: flag = False, sat: flag = False"
#define TILEWRIGHT_F32X2 ", ftz: flag = False"

constexpr Intrinsic kArithmeticRows[] = {
    row<"x: f32">("P93", "ptx.exp2", Meaning::Exp2Approx)
        .returns<ir::kFloat32>()
        .quiet()
        .pure()
        .ptx("ex2.approx.ftz.f32 {=}, {x};")
        .says("2 to the power of x, approximately; subnormal values count as zero."),
    row<"x: f32">("P94", "ptx.rcp", Meaning::RcpApprox)
        .returns<ir::kFloat32>()
        .quiet()
        .pure()
        .ptx("rcp.approx.ftz.f32 {=}, {x};")
        .says("1 / x, approximately; subnormal values count as zero."),
    row<"a: f32, b: f32, c: f32">("P95", "ptx.reduce3_max_f32", Meaning::Max3)
        .cc(Sm100)
        .returns<ir::kFloat32>()
        .quiet()
        .pure()
        .ptx("max.f32 {=}, {a}, {b}, {c};")
        .says("The greatest of three numbers, in one instruction."),
    row<"a: f32, b: f32, c: f32">("P96", "ptx.reduce3_min_f32", Meaning::Min3)
        .cc(Sm100)
        .returns<ir::kFloat32>()
        .quiet()
        .pure()
        .ptx("min.f32 {=}, {a}, {b}, {c};")
        .says("The least of three numbers, in one instruction."),
    row<"a: f32, b: f32, *, ftz: flag = False, nan: flag = False">("P97", "ptx.max_f32", Meaning::MaxFloat)
        .returns<ir::kFloat32>()
        .quiet()
        .pure()
        .check(check_nan)
        .ptx("max{.ftz}{nan?.NaN}.f32 {=}, {a}, {b};")
        .says("The greater of two numbers; with nan=True a NaN wins instead of losing."),
    row<TILEWRIGHT_BINARY("f32") TILEWRIGHT_F32>("P98", "ptx.add_f32", Meaning::AddFloat)
        .quiet()
        .ptx("add.{rounding}{.ftz}{.sat}.f32 {d_addr}, {a}, {b};")
        .says("a + b with the rounding named, stored through d_addr."),
    row<TILEWRIGHT_BINARY("f32") TILEWRIGHT_F32>("P99", "ptx.sub_f32", Meaning::SubFloat)
        .quiet()
        .ptx("sub.{rounding}{.ftz}{.sat}.f32 {d_addr}, {a}, {b};")
        .says("a - b with the rounding named, stored through d_addr."),
    row<TILEWRIGHT_BINARY("f32") TILEWRIGHT_F32>("P100", "ptx.mul_f32", Meaning::MulFloat)
        .quiet()
        .ptx("mul.{rounding}{.ftz}{.sat}.f32 {d_addr}, {a}, {b};")
        .says("a * b with the rounding named, stored through d_addr."),
    row<TILEWRIGHT_TERNARY("f32") TILEWRIGHT_F32>("P101", "ptx.fma_f32", Meaning::FmaFloat)
        .quiet()
        .ptx("fma.{rounding}{.ftz}{.sat}.f32 {d_addr}, {a}, {b}, {c};")
        .says("a * b + c, rounded once as named, stored through d_addr."),
    row<TILEWRIGHT_BINARY("u64") TILEWRIGHT_F32X2>("P102", "ptx.add_f32x2", Meaning::AddFloat2)
        .cc(Sm100)
        .quiet()
        .ptx("add.{rounding}{.ftz}.f32x2 {d_addr}, {a}, {b};")
        .says("Two float32 sums at once; the low words are the first elements."),
    row<TILEWRIGHT_BINARY("u64") TILEWRIGHT_F32X2>("P103", "ptx.sub_f32x2", Meaning::SubFloat2)
        .cc(Sm100)
        .quiet()
        .ptx("sub.{rounding}{.ftz}.f32x2 {d_addr}, {a}, {b};")
        .says("Two float32 differences at once."),
    row<TILEWRIGHT_BINARY("u64") TILEWRIGHT_F32X2>("P104", "ptx.mul_f32x2", Meaning::MulFloat2)
        .cc(Sm100)
        .quiet()
        .ptx("mul.{rounding}{.ftz}.f32x2 {d_addr}, {a}, {b};")
        .says("Two float32 products at once."),
    row<TILEWRIGHT_TERNARY("u64") TILEWRIGHT_F32X2>("P105", "ptx.fma_f32x2", Meaning::FmaFloat2)
        .cc(Sm100)
        .quiet()
        .ptx("fma.{rounding}{.ftz}.f32x2 {d_addr}, {a}, {b}, {c};")
        .says("Two float32 multiply-adds at once."),
    row<TILEWRIGHT_BINARY("f64")>("P106", "ptx.add_f64", Meaning::AddFloat)
        .quiet()
        .ptx("add.{rounding}.f64 {d_addr}, {a}, {b};")
        .says("a + b in double precision with the rounding named."),
    row<TILEWRIGHT_BINARY("f64")>("P107", "ptx.sub_f64", Meaning::SubFloat)
        .quiet()
        .ptx("sub.{rounding}.f64 {d_addr}, {a}, {b};")
        .says("a - b in double precision with the rounding named."),
    row<TILEWRIGHT_BINARY("f64")>("P108", "ptx.mul_f64", Meaning::MulFloat)
        .quiet()
        .ptx("mul.{rounding}.f64 {d_addr}, {a}, {b};")
        .says("a * b in double precision with the rounding named."),
    row<TILEWRIGHT_TERNARY("f64")>("P109", "ptx.fma_f64", Meaning::FmaFloat)
        .quiet()
        .ptx("fma.{rounding}.f64 {d_addr}, {a}, {b}, {c};")
        .says("a * b + c in double precision, rounded once as named."),
    row<"mask: u32, base: u32, offset: i32">("P110", "ptx.fns_b32", Meaning::FindNthSet)
        .returns<ir::kUInt32>()
        .movable()
        .ptx("fns.b32 {=}, {mask}, {base}, {offset};")
        .says("The position of the offset-th set bit of the mask counted from base; 0xFFFFFFFF for none."),
    row<"acc: f32, x: u16">("P111", "ptx.add_rn_f32_bf16", Meaning::AddMixed)
        .cc(Sm100)
        .returns<ir::kFloat32>()
        .movable()
        .ptx("add.rn.f32.bf16 {=}, {x}, {acc};")
        .says("acc + x, where x is the raw bits of a bfloat16."),
};

#undef TILEWRIGHT_ROUNDING
#undef TILEWRIGHT_BINARY
#undef TILEWRIGHT_TERNARY
#undef TILEWRIGHT_F32
#undef TILEWRIGHT_F32X2

}  // namespace

std::span<const Intrinsic> arithmetic_rows() { return kArithmeticRows; }

}  // namespace tilewright::intrinsics
