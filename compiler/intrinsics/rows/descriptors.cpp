// Descriptors of tcgen05: 64 bits for a matrix in shared memory, 32 bits for the instruction (intrinsics.md 4.1).
#include <cstdio>

#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"
#include "compiler/intrinsics/rows/tcgen05.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;
using tcgen05::Class;
using tcgen05::kind_of;
using tcgen05::type_named;

std::string matrix_descriptor(const Arguments& a, ir::Target) {
  constexpr const char* kLayout[] = {"0", "6", "4", "2", "1"};
  const std::int64_t swizzle = a.integer("swizzle");
  // Through a pointer of its own: NVRTC takes a parameter that is only written through for one that is never used.
  return std::string(
             "unsigned long long start = __cvta_generic_to_shared({addr});\n"
             "unsigned long long* out = (unsigned long long*){desc};\n"
             "*out = (start >> 4 & 0x3fff) | ({ldo} & 0x3fff) << 16 |\n"
             "    ({sdo} & 0x3fff) << 32 | 1ull << 46 | ") +
         kLayout[swizzle >= 0 && swizzle < 5 ? swizzle : 0] + "ull << 61;";
}

// K of one instruction, dense; sparse takes twice as much.
int dense_k(std::string_view kind) {
  if (kind == "f16") return 16;
  if (kind == "tf32") return 8;
  return kind == "mxf4" || kind == "mxf4nvf4" ? 64 : 32;
}

Failure check_extents(const Arguments& a, std::string_view kind) {
  const std::int64_t m = a.integer("M"), n = a.integer("N"), k = a.integer("K"), ctas = a.integer("n_cta_groups");
  const bool sparse = a.flag("is_sparse"), scaled = kind.starts_with("mx");
  bool legal_m, legal_n;
  if (scaled) {
    legal_m = ctas == 1 ? m == 128 : (m == 256 || (m == 128 && !sparse));
    legal_n = n % (ctas == 1 ? 8 : 16) == 0;
  } else if (kind == "i8") {
    legal_m = ctas == 1 ? m == 64 || m == 128 : m == 128 || m == 256;
    legal_n = ctas == 1 ? n % 16 == 0 || n == 8 || n == 24 : n % 32 == 0;
  } else {
    legal_m = ctas == 1 ? m == 64 || m == 128 : m == 128 || m == 256;
    legal_n = n % (ctas == 2 ? 32 : m == 64 ? 8 : 16) == 0;
  }
  const std::string where = " for kind " + std::string(kind) + (sparse ? " (sparse)" : "") + " with " +
                            std::to_string(ctas) + (ctas == 1 ? " CTA" : " CTAs");
  if (!legal_m) return "M = " + std::to_string(m) + " is not possible" + where;
  if (!legal_n || n < 8 || n > 256) return "N = " + std::to_string(n) + " is not possible" + where;
  const int wanted = dense_k(kind) * (sparse ? 2 : 1);
  if (k != wanted) return "K is " + std::to_string(wanted) + where + ", not " + std::to_string(k);
  return std::nullopt;
}

Failure check_instruction(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  auto kind = kind_of(a);
  if (!kind) return kind.error();
  if (auto failure = check_extents(a, kind->name)) return failure;
  const bool scaled = kind->scale_vector != 0;
  for (auto [flag, type] : {std::pair("trans_a", "a_dtype"), std::pair("trans_b", "b_dtype")}) {
    const tcgen05::Type& t = *type_named(a.text(type));
    if (a.flag(flag) && (t.bits < 8 || (scaled && t.type_class != Class::F8))) {
      return "'" + std::string(flag) + "': operands of type " + a.text(type) + " cannot be transposed";
    }
  }
  bool negatable = scaled || kind->name == "f16" || kind->name == "tf32" || kind->name == "f8f6f4";
  if ((a.flag("neg_a") || a.flag("neg_b")) && !negatable) return "integer operands cannot be negated";
  if (a.operand("sat_d") && a.flag("sat_d") && kind->name != "i8") return "only integer results saturate";
  return std::nullopt;
}

std::string instruction_descriptor(const Arguments& a, ir::Target) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08xu", tcgen05::instruction_descriptor_bits(a));
  return std::string("unsigned int* out = (unsigned int*){desc};\n*out = ") + text + ";";
}

#define TILEWRIGHT_EXTENTS                                                                 \
  "M: attr, N: attr, K: attr, trans_a: flag, trans_b: flag, n_cta_groups: attr(1|2) = 1, " \
  "neg_a: flag = False, neg_b: flag = False, "

constexpr Intrinsic kDescriptorRows[] = {
    row<"desc: ptr, addr: ptr, ldo: u64, sdo: u64, swizzle: attr(0|1|2|3|4)">(
        "P90", "ptx.tcgen05.encode_matrix_descriptor", Meaning::TmemDescriptor)
        .effects<"writes generic desc[8]">()
        .cxx("*(unsigned long long*)desc = addr >> 4 | ldo << 16 | sdo << 32 | 1 << 46 | layout(swizzle) << 61;",
             matrix_descriptor)
        .says("Describes a matrix in shared memory for tcgen05: address, strides in units of 16 bytes, swizzle (0 "
              "none, 1 32, "
              "2 64, 3 128 bytes, 4 128 bytes in 32-byte atoms)."),
    row<"desc: ptr, *, d_dtype: attr, a_dtype: attr, b_dtype: attr, " TILEWRIGHT_EXTENTS
        "sat_d: flag = False, is_sparse: flag = False">("P91", "ptx.tcgen05.encode_instr_descriptor",
                                                        Meaning::TmemInstructionDescriptor)
        .effects<"writes generic desc[4]">()
        .check(check_instruction)
        .cxx("*(unsigned int*)desc = types, extents, transposes;", instruction_descriptor)
        .says("Describes a tcgen05.mma: types, extents, transposes."),
    row<"desc: ptr, *, d_dtype: attr, a_dtype: attr, b_dtype: attr, sfa_dtype: attr, sfb_dtype: attr, sfa_tmem_addr: "
        "u32, "
        "sfb_tmem_addr: u32, " TILEWRIGHT_EXTENTS "is_sparse: flag = False">(
        "P92", "ptx.tcgen05.encode_instr_descriptor_block_scaled", Meaning::TmemInstructionDescriptorBlockScaled)
        .effects<"writes generic desc[4]">()
        .check(check_instruction)
        .cxx("*(unsigned int*)desc = types, extents, transposes;", instruction_descriptor)
        .says("Describes a block-scaled tcgen05.mma; the numbers of the scales start at 0."),
    row<"desc: ptr, sf_id: u32">("C67", "cuda.runtime_instr_desc", Meaning::TmemInstructionDescriptorScaleId)
        .effects<"reads generic desc[4]; writes generic desc[4]">()
        .cxx("unsigned int* d = (unsigned int*){desc};\n*d = (*d & ~0x60000030u) | {sf_id} << 29 | {sf_id} << 4;")
        .says("Sets the numbers of the scales of A and B in a block-scaled instruction descriptor."),
};

}  // namespace

std::uint32_t tcgen05::instruction_descriptor_bits(const Arguments& a) {
  const tcgen05::Type &d = *type_named(a.text("d_dtype")), &x = *type_named(a.text("a_dtype")),
                      &y = *type_named(a.text("b_dtype"));
  const std::string kind(kind_of(a)->name);
  const bool scaled = kind.starts_with("mx");
  // The fp4 kinds number their only input type 1; the others share one numbering.
  const bool fp4 = kind == "mxf4" || kind == "mxf4nvf4";
  std::uint32_t bits = 0;
  auto put = [&](std::int64_t value, int at) { bits |= static_cast<std::uint32_t>(value) << at; };
  put(a.flag("is_sparse"), 2);
  put(fp4 ? 1 : x.input, 7);
  put(fp4 ? 1 : y.input, 10);
  put(a.flag("neg_a"), 13);
  put(a.flag("neg_b"), 14);
  put(a.flag("trans_a"), 15);
  put(a.flag("trans_b"), 16);
  put(a.integer("N") >> 3, 17);
  put(a.integer("M") >> 4, 24);
  if (scaled) {
    put(type_named(a.text("sfa_dtype"))->type_class == Class::E8M0, 23);
  } else {
    put(a.flag("sat_d"), 3);
    put(d.accumulator, 4);
  }
  return bits;
}

std::span<const Intrinsic> descriptor_rows() { return kDescriptorRows; }

}  // namespace tilewright::intrinsics
