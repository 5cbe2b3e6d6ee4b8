// Copies whose load from global memory says how caches treat what it reads. Tile copies of 0.26 with cache= and its
// like make them; no script spelling leads to them.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"
#include "compiler/intrinsics/rows/tile_rows.h"

namespace tilewright::intrinsics {
namespace {

// "ld.global.nc.L1::no_allocate.L2::256B": the qualifiers in the order of the instruction set.
std::string load_opcode(const Arguments& a) {
  std::string out = "ld.global";
  if (!a.text("cache").empty()) out += ".nc";
  for (std::string_view hint : {"l1_evict", "l2_evict", "prefetch_size"}) {
    if (const std::string text = a.text(hint); !text.empty()) out += "." + text;
  }
  return out;
}

// The load into registers by PTX, and one plain store of them.
std::string copy_hinted(const Arguments& a, ir::Target) {
  const std::int64_t bytes = a.integer("num_bytes");
  const std::int64_t words = bytes <= 4 ? 1 : bytes / 4;
  const std::string type = bytes < 4 ? "u" + std::to_string(bytes * 8) : "u32";
  std::string declared, outputs, operands, values;
  for (std::int64_t i = 0; i < words; ++i) {
    const std::string n = std::to_string(i), comma = i ? ", " : "";
    declared += comma + "w" + n;
    outputs += comma + (bytes < 4 ? "\"=h\"(w" : "\"=r\"(w") + n + ")";
    operands += comma + "%" + n;
    values += comma + "w" + n;
  }
  const std::string vector = words == 1 ? "" : ".v" + std::to_string(words);
  const std::string target = words == 1 ? operands : "{{" + operands + "}}";
  const std::string word = bytes == 1   ? "unsigned char"
                           : bytes == 2 ? "unsigned short"
                           : bytes == 4 ? "unsigned int"
                           : bytes == 8 ? "uint2"
                                        : "uint4";
  const std::string value = words == 1 ? "(" + word + ")w0" : "make_" + word + "(" + values + ")";
  return std::string(bytes < 4 ? "unsigned short " : "unsigned int ") + declared + ";\nasm volatile(\"" +
         load_opcode(a) + vector + "." + type + " " + target + ", [%" + std::to_string(words) +
         "];\"\n    : " + outputs + "\n    : \"l\"(__cvta_generic_to_global({src}))\n    : \"memory\");\n*(" + word +
         "*){dst} = " + value + ";";
}

// PTX ISA, ld: .level2::eviction_priority goes with .v8.b32 and .v4.b64 alone, which are wider than these loads.
Failure check_hints(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  if (Arguments(row, args).text("l2_evict").empty()) return {};
  return "l2_evict= is an option of loads of 32 bytes";
}

#define TILEWRIGHT_EVICT(level) \
  "attr(|" level "::evict_normal|" level "::evict_first|" level "::evict_last|" level "::evict_unchanged"

constexpr Intrinsic kInternal[] = {
    row<"dst: global, src: global, num_bytes: attr(1|2|4|8|16), cache: attr(|nc) = '', l1_evict: " TILEWRIGHT_EVICT(
        "L1") "|L1::no_allocate) = '', l2_evict: attr(|L2::evict_normal|L2::evict_first|L2::evict_last) = '', "
              "prefetch_size: attr(|L2::64B|L2::128B|L2::256B) = ''">("C26.hinted", "cuda.copy_bytes_hinted",
                                                                      Meaning::CopyBytes)
        .effects<"reads global src[num_bytes]; writes generic dst[num_bytes]">()
        .check(check_hints)
        .cxx("ld.global{.nc}{.L1::evict}{.L2::evict}{.L2::prefetch} word, [src]; *dst = word;", copy_hinted)
        .says("Moves 1 to 16 bytes from global memory, by a load that says how caches treat them, and one store."),
};

#undef TILEWRIGHT_EVICT

}  // namespace

std::span<const Intrinsic> internal_copy_rows() { return kInternal; }

}  // namespace tilewright::intrinsics
