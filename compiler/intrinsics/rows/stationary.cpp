// tcgen05.mma.ws, the weight-stationary product: gemm_async of 0.26 and later makes it. Of 64 rows it keeps the second
// half of the columns in lanes 64 to 127.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"
#include "compiler/intrinsics/rows/tcgen05.h"
#include "compiler/intrinsics/rows/tile_rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

Failure check_stationary(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  auto kind = tcgen05::kind_of(Arguments(row, args));
  return kind ? Failure() : Failure(kind.error());
}

std::string stationary(const Arguments& a, ir::Target) {
  const tcgen05::Kind kind = *tcgen05::kind_of(a);
  const bool sparse = a.operand("sp_tmem_addr") != nullptr;
  std::string out = ".reg .pred enable;\nsetp.ne.b32 enable, {enable_input_d}, 0;\ntcgen05.mma.ws";
  out += sparse ? ".sp.cta_group::1.kind::" : ".cta_group::1.kind::";
  out += kind.name;
  out += a.flag("use_a_tmem") ? " [{d_tmem_addr}], [{a_operand:u32}]" : " [{d_tmem_addr}], {a_operand:u64}";
  return out + (sparse ? ", {b_desc}, [{sp_tmem_addr}], {i_desc}, enable;" : ", {b_desc}, {i_desc}, enable;");
}

constexpr Intrinsic kInternal[] = {
    row<"d_tmem_addr: u32, a_operand: any, b_desc: u64, i_desc: u32, *, d_dtype: attr, a_dtype: attr, b_dtype: attr, "
        "use_a_tmem: flag, cta_group: attr(1) = 1, enable_input_d: i32 = 1">("P86.ws", "ptx.tcgen05.mma.ws",
                                                                             Meaning::TmemMma)
        .effects<"reads tensor a_operand[tile] if use_a_tmem; reads shared a_operand[tile] unless use_a_tmem; "
                 "reads shared b_desc[tile]; reads tensor d_tmem_addr[tile] if enable_input_d; "
                 "writes tensor d_tmem_addr[tile]; proxy async; until tcgen05; by one pair cta_group">()
        .cc(Sm100aClass)
        .quiet()
        .check(check_stationary)
        .ptx("tcgen05.mma.ws.cta_group::1.kind::K [d], a, b_desc, i_desc, enable_input_d;", stationary)
        .says("One thread starts d = a * b (+ d where enable_input_d is not 0) with B kept in the unit."),
    row<"d_tmem_addr: u32, a_operand: any, b_desc: u64, sp_tmem_addr: u32, i_desc: u32, *, d_dtype: attr, "
        "a_dtype: attr, b_dtype: attr, use_a_tmem: flag, cta_group: attr(1) = 1, enable_input_d: i32 = 1">(
        "P87.ws", "ptx.tcgen05.mma.ws.sp", Meaning::TmemMmaSparse)
        .effects<"reads tensor a_operand[tile] if use_a_tmem; reads shared a_operand[tile] unless use_a_tmem; "
                 "reads shared b_desc[tile]; reads tensor sp_tmem_addr[tile]; "
                 "reads tensor d_tmem_addr[tile] if enable_input_d; writes tensor d_tmem_addr[tile]; proxy async; "
                 "until tcgen05; by one pair cta_group">()
        .cc(Sm100aClass)
        .quiet()
        .check(check_stationary)
        .ptx("tcgen05.mma.ws.sp.cta_group::1.kind::K [d], a, b_desc, [sp], i_desc, enable_input_d;", stationary)
        .says("The same with a sparse A, whose metadata stands in tensor memory."),
};

}  // namespace

std::span<const Intrinsic> internal_tensor_rows() { return kInternal; }

}  // namespace tilewright::intrinsics
