// cp.async.bulk: one thread starts the copy of a contiguous block, a barrier or a bulk group says when it is done.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

#define TILEWRIGHT_HINTS "cache_hint: attr(|evict_normal|evict_first|evict_last) = '', cache_policy: u64 = None"

Failure check_bytes(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  return check_range(a, a.operand("num_bytes") ? "num_bytes" : "size", 0, 1ll << 30, 16);
}

Failure check_ignore(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  if (Arguments(row, args).flag("ignore_oob")) return "'ignore_oob' is known to no assembler yet";
  return check_bytes(row, args, target);
}

Failure check_mask(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  if (Arguments(row, args).flag("cp_mask") && !available(Sm100, target)) {
    return "'cp_mask' needs sm_100 and up, this is " + target.name();
  }
  return check_bytes(row, args, target);
}

// Which types each operation knows.
struct Operation {
  std::string_view name, to_global, to_shared;
};
constexpr Operation kOperations[] = {
    {"add", "u32|s32|u64|f16|bf16|f32|f64", "u32|s32|u64"},
    {"min", "u32|s32|u64|s64|f16|bf16", "u32|s32"},
    {"max", "u32|s32|u64|s64|f16|bf16", "u32|s32"},
    {"inc", "u32", "u32"},
    {"dec", "u32", "u32"},
    {"and", "b32|b64", "b32"},
    {"or", "b32|b64", "b32"},
    {"xor", "b32|b64", "b32"},
};

Failure check_reduction(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  const std::string op = a.text("op"), type = a.text("dtype");
  for (const Operation& o : kOperations) {
    std::string_view types = a.operand("mbarrier") ? o.to_shared : o.to_global;
    if (o.name == op && !is_one_of(type, types))
      return "'" + op + "' exists for " + std::string(types) + ", not " + type;
  }
  return check_bytes(row, args, target);
}

std::string reduce_to_global(const Arguments& a, ir::Target) {
  bool half = a.text("dtype") == "f16" || a.text("dtype") == "bf16";
  return std::string("cp.reduce.async.bulk.global.shared::cta.bulk_group{hint}.{op}") +
         (half && a.text("op") == "add" ? ".noftz" : "") + ".{dtype} [{dst_ptr}], [{src_ptr}], {num_bytes}{policy};";
}

constexpr Intrinsic kBulkRows[] = {
    row<"dst_ptr: shared, src_ptr: global, num_bytes: u32, mbarrier_ptr: shared, *, " TILEWRIGHT_HINTS
        ", ignore_oob: flag = False, ignore_bytes_left: u32 = 0, ignore_bytes_right: u32 = 0">(
        "P36", "ptx.cp_async_bulk_g2s_cta", Meaning::BulkGlobalToShared)
        .effects<"reads global src_ptr[num_bytes]; writes shared dst_ptr[num_bytes]; proxy async; "
                 "until mbarrier mbarrier_ptr; by one">()
        .cc(Sm90)
        .check(check_ignore)
        .ptx("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{hint} [{dst_ptr}], [{src_ptr}], "
             "{num_bytes}, "
             "[{mbarrier_ptr}]{policy};")
        .says("Copies a block from global memory to this CTA's shared memory; its bytes count on the barrier. "
              "Addresses and "
              "size are multiples of 16."),
    row<"dst_ptr: shared, src_ptr: global, num_bytes: u32, mbarrier_ptr: shared, *, " TILEWRIGHT_HINTS
        ", multicast: flag = False, cta_mask: u16 = 0">("P37", "ptx.cp_async_bulk_g2s_cluster",
                                                        Meaning::BulkGlobalToShared)
        .effects<"reads global src_ptr[num_bytes]; "
                 "writes shared::cluster dst_ptr[num_bytes] in cta_mask if multicast; "
                 "writes shared::cluster dst_ptr[num_bytes] unless multicast; proxy async; "
                 "until mbarrier mbarrier_ptr; by one">()
        .cc(Sm90)
        .check(check_bytes)
        .ptx("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{multicast?.multicast::cluster}{hint} "
             "[{dst_ptr}], [{src_ptr}], {num_bytes}, [{mbarrier_ptr}]{multicast?, {cta_mask}}{policy};")
        .says("Copies a block from global memory to the same place in the shared memory of one or, by mask, several "
              "CTAs."),
    row<"dst_ptr: remote, src_ptr: shared, num_bytes: u32, mbarrier: remote">("P38", "ptx.cp_async_bulk_s2s_cluster",
                                                                              Meaning::BulkSharedToShared)
        .effects<"reads shared src_ptr[num_bytes]; writes shared::cluster dst_ptr[num_bytes]; proxy async; "
                 "until mbarrier mbarrier; by one">()
        .cc(Sm90)
        .check(check_bytes)
        .ptx("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{dst_ptr}], [{src_ptr}], "
             "{num_bytes}, "
             "[{mbarrier}];")
        .says("Copies a block to the shared memory of another CTA and counts its bytes on that CTA's barrier; "
              "destination "
              "and barrier are mapped addresses (map_shared_rank)."),
    row<"dst_ptr: remote, src_ptr: shared, size: u32, mbar: remote">("P39", "ptx.cp_async.bulk.s2c",
                                                                     Meaning::BulkSharedToShared)
        .effects<"reads shared src_ptr[size]; writes shared::cluster dst_ptr[size]; proxy async; "
                 "until mbarrier mbar; by one">()
        .cc(Sm90)
        .check(check_bytes)
        .ptx("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{dst_ptr}], [{src_ptr}], {size}, "
             "[{mbar}];")
        .says("Another name of cp_async_bulk_s2s_cluster."),
    row<"dst_ptr: global, src_ptr: shared, num_bytes: u32, *, " TILEWRIGHT_HINTS
        ", cp_mask: flag = False, byte_mask: u16 = 0">("P40", "ptx.cp_async_bulk_s2g", Meaning::BulkSharedToGlobal)
        .effects<"reads shared src_ptr[num_bytes]; writes global dst_ptr[num_bytes]; proxy async; until bulk; "
                 "by one">()
        .cc(Sm90)
        .check(check_mask)
        .ptx("cp.async.bulk.global.shared::cta.bulk_group{hint}{.cp_mask} [{dst_ptr}], [{src_ptr}], {num_bytes}{policy}"
             "{cp_mask?, {byte_mask}};")
        .says("Copies a block from shared to global memory, as part of the bulk group that the next commit closes. The "
              "mask "
              "chooses bytes of every 16."),
    row<"">("P41", "ptx.cp_async.bulk.commit_group", Meaning::BulkCommit)
        .effects<"commits bulk">()
        .cc(Sm90)
        .ptx("cp.async.bulk.commit_group;")
        .says("Closes this thread's bulk copies from shared memory since the last commit into a group."),
    row<"n: attr = 0, read: flag = True">("P42", "ptx.cp_async.bulk.wait_group", Meaning::BulkWait)
        .effects<"waits bulk.read n if read; waits bulk n unless read">()
        .cc(Sm90)
        .ptx("cp.async.bulk.wait_group{.read} {n};")
        .says("Waits until at most n of this thread's newest bulk groups are unfinished. With read=True the source may "
              "be "
              "written again; only read=False says that the destination is written."),
    row<"*args: any">("P43", "ptx.cp_async.bulk", Meaning::Unmodelled)
        .effects<"unknown">()
        .cc(Never)
        .ptx("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ...")
        .check([](const Intrinsic&, std::span<const ir::Expr>, ir::Target) -> Failure {
          return "this call never worked: use T.ptx.cp_async_bulk_g2s_cta(dst, src, bytes, barrier)";
        })
        .says("A form without function: its table of barriers is never filled."),
    row<"src_ptr: global, num_bytes: u32, *, " TILEWRIGHT_HINTS>("E12", "ptx.cp_async_bulk_prefetch",
                                                                 Meaning::BulkPrefetch)
        .effects<"prefetches global src_ptr[num_bytes]; proxy async; by one">()
        .cc(Sm90)
        .check(check_bytes)
        .ptx("cp.async.bulk.prefetch.L2.global{hint} [{src_ptr}], {num_bytes}{policy};")
        .says("Brings a block of global memory into the L2 cache."),
    row<"dst_ptr: global, src_ptr: shared, num_bytes: u32, *, op: attr(add|min|max|inc|dec|and|or|xor), dtype: "
        "attr(b32|b64|u32|s32|u64|s64|f16|bf16|f32|f64), " TILEWRIGHT_HINTS>("E13", "ptx.cp_async_bulk_s2g_reduce",
                                                                             Meaning::BulkReduceToGlobal)
        .effects<"reads shared src_ptr[num_bytes]; updates global dst_ptr[num_bytes] relaxed.gpu; proxy async; "
                 "until bulk; by one">()
        .cc(Sm90)
        .check(check_reduction)
        .ptx("cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.OP{.noftz}.TYPE [dst], [src], n{, "
             "policy};",
             reduce_to_global)
        .says("Combines a block of shared memory into global memory, element by element and atomically."),
    row<"dst_ptr: remote, src_ptr: shared, num_bytes: u32, mbarrier: remote, *, op: "
        "attr(add|min|max|inc|dec|and|or|xor), "
        "dtype: attr(b32|u32|s32|u64)">("E14", "ptx.cp_async_bulk_s2s_reduce", Meaning::BulkReduceToShared)
        .effects<"reads shared src_ptr[num_bytes]; updates shared::cluster dst_ptr[num_bytes] relaxed.gpu; "
                 "proxy async; until mbarrier mbarrier; by one">()
        .cc(Sm90)
        .check(check_reduction)
        .ptx("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{op}.{dtype} [{dst_ptr}], "
             "[{src_ptr}], {num_bytes}, [{mbarrier}];")
        .says("Combines a block of shared memory into that of another CTA and counts its bytes there."),
};

#undef TILEWRIGHT_HINTS

}  // namespace

std::span<const Intrinsic> bulk_rows() { return kBulkRows; }

}  // namespace tilewright::intrinsics
