// wgmma: a warpgroup multiplies tiles of shared memory asynchronously (sm_90a).
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

struct InputType {
  std::string_view names, ptx;
  int bits;
  bool is_integer = false;  // accumulated in int32, by rows of their own
};
constexpr InputType kInputs[] = {
    {"float16|fp16", "f16", 16},       {"bfloat16|bf16", "bf16", 16},   {"tf32", "tf32", 32},
    {"float8_e4m3fn|e4m3", "e4m3", 8}, {"float8_e5m2|e5m2", "e5m2", 8}, {"int8", "s8", 8, true},
    {"uint8", "u8", 8, true},
};
const InputType* input_type(const Arguments& a, bool is_integer) {
  const std::string name = a.text("in_dtype");
  for (const InputType& t : kInputs) {
    if (t.is_integer == is_integer && is_one_of(name, t.names)) return &t;
  }
  return nullptr;
}
// The integer rows have no signs for the factors: every product counts as it is.
bool is_integer(const Arguments& a) { return !a.operand("scaleA"); }

bool from_registers(const Arguments& a) { return !a.operand("descA"); }
std::int64_t accumulators(const Arguments& a) { return a.integer("M") * a.integer("N") / 128; }
// Registers of 32 bits that hold a thread's part of A.
std::int64_t a_registers(const Arguments& a) {
  return a.integer("M") * a.integer("K") * input_type(a, is_integer(a))->bits / (128 * 32);
}

Failure check_mma(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  const bool integer = is_integer(a);
  const InputType* type = input_type(a, integer);
  if (!type) return "'in_dtype' = '" + a.text("in_dtype") + "' is no input type of wgmma";
  if (!integer && !is_one_of(a.text("out_dtype"), "float32|fp32"))
    return "accumulates in float32, not '" + a.text("out_dtype") + "'";
  if (a.integer("M") != 64) return "M is 64, not " + a.text("M");
  if (auto failure = check_range(a, "N", 8, 256, 8)) return failure;
  if (integer && a.integer("N") > 24 && a.integer("N") % 16 != 0)
    return "N is 8, 24 or a multiple of 16 for " + std::string(type->ptx) + ", not " + a.text("N");
  if (a.integer("K") * type->bits != 256) {
    return "K is " + std::to_string(256 / type->bits) + " for " + std::string(type->ptx) + ", not " + a.text("K");
  }
  if (!integer && type->bits != 16 && (a.flag("transA") || a.flag("transB")))
    return "only float16 and bfloat16 can be transposed";
  if (!integer && from_registers(a) && a.flag("transA")) return "A in registers cannot be transposed";
  const std::int64_t wanted = accumulators(a) + (from_registers(a) ? a_registers(a) : 0);
  const std::int64_t given = static_cast<std::int64_t>(a.items(row.operands.back()).size());
  if (given == wanted) return std::nullopt;
  return "takes " + std::to_string(wanted) + " registers (" +
         (from_registers(a) ? std::to_string(a_registers(a)) + " of A, then " : "") + std::to_string(accumulators(a)) +
         " accumulators), " + std::to_string(given) + " given";
}

std::string mma(const Arguments& a, ir::Target) {
  const InputType& type = *input_type(a, is_integer(a));
  const std::string t(type.ptx), d = type.is_integer ? "i32" : "f32";
  std::string out = ".reg .pred p;\nsetp.ne.b32 p, {scaleD}, 0;\nwgmma.mma_async.sync.aligned.m{M}n{N}k{K}.";
  out += (type.is_integer ? "s32." : "f32.") + t + "." + t + "\n  {{";
  if (from_registers(a)) {
    const std::string n = std::to_string(a_registers(a));
    out +=
        "{*reg_list:" + d + ":" + n + ":" + std::to_string(accumulators(a)) + "}}}, {{{*reg_list:in u32:0:" + n + "}}}";
  } else {
    out += "{*accums:" + d + "}}}, {descA}";
  }
  if (type.is_integer) return out + ", {descB}, p;";
  out += ", {descB}, p, " + std::to_string(a.integer("scaleA")) + ", " + std::to_string(a.integer("scaleB"));
  if (type.bits == 16) {
    if (!from_registers(a)) out += ", " + std::to_string(a.integer("transA"));
    out += ", " + std::to_string(a.integer("transB"));
  }
  return out + ";";
}

#define TILEWRIGHT_MODIFIERS                                                                                     \
  "M: attr, N: attr, K: attr, in_dtype: attr, out_dtype: attr, transA: flag, transB: flag, scaleA: attr(-1|1), " \
  "scaleB: attr(-1|1), scaleD: i32"

constexpr Intrinsic kWgmmaRows[] = {
    row<"">("P67", "ptx.wgmma.fence", Meaning::WgmmaFence)
        .effects<"fences accumulators; by warpgroup">()
        .cc(Sm90aOnly)
        .ptx("wgmma.fence.sync.aligned;")
        .says("Orders register accesses of the warpgroup before the wgmma that follow."),
    row<"">("P68", "ptx.wgmma.commit_group", Meaning::WgmmaCommit)
        .effects<"commits wgmma; by warpgroup">()
        .cc(Sm90aOnly)
        .ptx("wgmma.commit_group.sync.aligned;")
        .says("Closes the warpgroup's wgmma since the last commit into a group."),
    row<"n: attr">("P69", "ptx.wgmma.wait_group", Meaning::WgmmaWait)
        .effects<"waits wgmma n; by warpgroup">()
        .cc(Sm90aOnly)
        .ptx("wgmma.wait_group.sync.aligned {n};")
        .check([](const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
          return check_range(Arguments(row, args), "n", 0, 7);
        })
        .says("Waits until at most n of the newest groups are unfinished; then older accumulators may be read."),
    row<"reg: inout any">("P70", "ptx.wgmma.noop_barrier", Meaning::None)
        .ptx("// {reg}")
        .says("No instruction: keeps the compiler from moving accesses to this register across."),
    row<"desc: ptr, addr: ptr, ldo: u64, sdo: u64, swizzle: attr(0|1|2|3)">("P71", "ptx.wgmma.encode_matrix_descriptor",
                                                                            Meaning::WgmmaDescriptor)
        .effects<"writes generic desc[8]">()
        .cxx("*(unsigned long long*)desc = addr >> 4 | ldo << 16 | sdo << 32 | layout(swizzle) << 62;",
             [](const Arguments& a, ir::Target) -> std::string {
               constexpr const char* kLayout[] = {"0", "3", "2", "1"};
               return std::string(
                          "unsigned long long start = __cvta_generic_to_shared({addr});\n"
                          "unsigned long long* out = (unsigned long long*){desc};\n"
                          "*out = (start >> 4 & 0x3fff) | ({ldo} & 0x3fff) << 16 |\n"
                          "    ({sdo} & 0x3fff) << 32 | ") +
                      kLayout[a.integer("swizzle") & 3] + "ull << 62;";
             })
        .says("Describes a matrix in shared memory for wgmma: address, strides in units of 16 bytes, swizzle (0 none, "
              "1 32, "
              "2 64, 3 128 bytes)."),
    row<"descA: u64, descB: u64, *accums: inout f32, " TILEWRIGHT_MODIFIERS>("P72", "ptx.wgmma.mma_async.ss",
                                                                             Meaning::WgmmaMma)
        .effects<"reads shared descA[2048]; reads shared descB[32*N]; proxy async; until wgmma; by warpgroup">()
        .cc(Sm90aOnly)
        .quiet()
        .check(check_mma)
        .ptx("wgmma.mma_async.sync.aligned.mMnNkK.f32.T.T {acc}, descA, descB, scaleD, scaleA, scaleB{, transA, "
             "transB};",
             mma)
        .says("Starts acc = A * B (+ acc where scaleD is not 0) with both operands in shared memory."),
    row<"descB: u64, *reg_list: inout any, " TILEWRIGHT_MODIFIERS>("P73", "ptx.wgmma.mma_async.rs", Meaning::WgmmaMma)
        .effects<"reads shared descB[32*N]; proxy async; until wgmma; by warpgroup">()
        .cc(Sm90aOnly)
        .quiet()
        .check(check_mma)
        .ptx("wgmma.mma_async.sync.aligned.mMnNkK.f32.T.T {acc}, {a}, descB, scaleD, scaleA, scaleB{, transB};", mma)
        .says("Starts acc = A * B (+ acc where scaleD is not 0) with A in registers; the list holds A's, then the "
              "accumulators."),
};

#undef TILEWRIGHT_MODIFIERS

// Products whose factors have types of their own, single bits, and sums of float16 or with saturation: instructions of
// 0.27 alone lead here.
std::string_view ptx_type(std::string_view dtype) {
  if (dtype == "float16") return "f16";
  if (dtype == "float32") return "f32";
  if (dtype == "int32") return "s32";
  return dtype == "int8" ? "s8" : dtype == "uint8" ? "u8" : dtype;
}

// Registers of 32 bits that hold a thread's part of A and of the sums.
std::int64_t mixed_factors(const Arguments& a) { return from_registers(a) ? 4 : 0; }
std::int64_t mixed_sums(const Arguments& a) { return a.integer("N") / (a.text("out_dtype") == "float16" ? 4 : 2); }

// PTX ISA 9.7.15.5.2: integers and bits are summed in int32, halves and bytes of float in float16 or float32;
// `.satfinite` belongs to integers.
Failure check_mixed(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  const Arguments a(row, args);
  const std::string left = a.text("a_dtype"), out = a.text("out_dtype");
  const bool bytes = left == "int8" || left == "uint8";
  if ((bytes || left == "b1") != (out == "int32")) return "products of " + left + " are not summed in " + out;
  if (a.flag("saturate") && !bytes) return "only sums of int8 and uint8 saturate, not those of " + left;
  const std::int64_t wanted = mixed_factors(a) + mixed_sums(a);
  const auto given = static_cast<std::int64_t>(a.items(row.operands.back()).size());
  if (given == wanted) return std::nullopt;
  return "takes " + std::to_string(wanted) + " registers, " + std::to_string(given) + " given";
}

std::string mixed(const Arguments& a, ir::Target) {
  const std::string left = a.text("a_dtype"), right = a.text("b_dtype"), out = a.text("out_dtype");
  const std::int64_t sums = mixed_sums(a), factors = mixed_factors(a);
  std::string text = ".reg .pred p;\nsetp.ne.b32 p, {scaleD}, 0;\nwgmma.mma_async.sync.aligned.m{M}n{N}k{K}.";
  if (a.flag("saturate")) text += "satfinite.";
  text += std::string(ptx_type(out)) + "." + std::string(ptx_type(left)) + "." + std::string(ptx_type(right));
  if (left == "b1") text += ".and.popc";
  const std::string d = out == "float32" ? "f32" : "u32", n = std::to_string(factors);
  if (factors != 0) {
    text += "\n  {{{*reg_list:" + d + ":" + n + ":" + std::to_string(sums) + "}}}, {{{*reg_list:in u32:0:" + n + "}}}";
  } else {
    text += "\n  {{{*accums:" + d + "}}}, {descA}";
  }
  text += ", {descB}, p";
  if (out == "int32") return text + ";";
  text += ", " + std::to_string(a.integer("scaleA")) + ", " + std::to_string(a.integer("scaleB"));
  if (left != "float16") return text + ";";
  if (factors == 0) text += ", " + std::to_string(a.integer("transA"));
  return text + ", " + std::to_string(a.integer("transB")) + ";";
}

#define TILEWRIGHT_MIXED                                                                                      \
  "M: attr, N: attr, K: attr, a_dtype: attr, b_dtype: attr, out_dtype: attr(float16|float32|int32), transA: " \
  "flag, transB: flag, scaleA: attr(-1|1) = 1, scaleB: attr(-1|1) = 1, saturate: flag = False, scaleD: i32"

// Of int8 and uint8, which the dialect's own spelling does not take: gemm_async makes them.
#define TILEWRIGHT_MODIFIERS "M: attr, N: attr, K: attr, in_dtype: attr, scaleD: i32"

constexpr Intrinsic kInternal[] = {
    row<"descA: u64, descB: u64, *accums: inout i32, " TILEWRIGHT_MODIFIERS>("P72.integer", "ptx.wgmma.mma_async.ss",
                                                                             Meaning::WgmmaMma)
        .effects<"reads shared descA[2048]; reads shared descB[32*N]; proxy async; until wgmma; by warpgroup">()
        .cc(Sm90aOnly)
        .quiet()
        .check(check_mma)
        .ptx("wgmma.mma_async.sync.aligned.mMnNkK.s32.T.T {acc}, descA, descB, scaleD;", mma)
        .says("Starts acc = A * B (+ acc where scaleD is not 0) of integers, both operands in shared memory."),
    row<"descB: u64, *reg_list: inout any, " TILEWRIGHT_MODIFIERS>("P73.integer", "ptx.wgmma.mma_async.rs",
                                                                   Meaning::WgmmaMma)
        .effects<"reads shared descB[32*N]; proxy async; until wgmma; by warpgroup">()
        .cc(Sm90aOnly)
        .quiet()
        .check(check_mma)
        .ptx("wgmma.mma_async.sync.aligned.mMnNkK.s32.T.T {acc}, {a}, descB, scaleD;", mma)
        .says("Starts acc = A * B (+ acc where scaleD is not 0) of integers with A in registers."),
    row<"descA: u64, descB: u64, *accums: inout any, " TILEWRIGHT_MIXED>("P72.mixed", "ptx.wgmma.mma_async.ss",
                                                                         Meaning::WgmmaMma)
        .effects<"reads shared descA[2048]; reads shared descB[32*N]; proxy async; until wgmma; by warpgroup">()
        .cc(Sm90aOnly)
        .quiet()
        .check(check_mixed)
        .ptx("wgmma.mma_async.sync.aligned.mMnNkK{.satfinite}.D.A.B {acc}, descA, descB, scaleD{, ...};", mixed)
        .says("Starts acc = A * B (+ acc where scaleD is not 0), both in shared memory, each of its own type."),
    row<"descB: u64, *reg_list: inout any, " TILEWRIGHT_MIXED>("P73.mixed", "ptx.wgmma.mma_async.rs", Meaning::WgmmaMma)
        .effects<"reads shared descB[32*N]; proxy async; until wgmma; by warpgroup">()
        .cc(Sm90aOnly)
        .quiet()
        .check(check_mixed)
        .ptx("wgmma.mma_async.sync.aligned.mMnNkK{.satfinite}.D.A.B {acc}, {a}, descB, scaleD{, ...};", mixed)
        .says("Starts acc = A * B (+ acc where scaleD is not 0) with A in registers, each of its own type."),
};

#undef TILEWRIGHT_MODIFIERS
#undef TILEWRIGHT_MIXED

}  // namespace

std::span<const Intrinsic> wgmma_rows() { return kWgmmaRows; }
std::span<const Intrinsic> internal_wgmma_rows() { return kInternal; }

}  // namespace tilewright::intrinsics
