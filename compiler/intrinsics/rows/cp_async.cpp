// cp.async: each thread copies 4, 8 or 16 bytes from global to shared memory and goes on.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

// "cp.async.ca.shared.global{hint}.L2::128B": only 16-byte copies may pass L1 by.
std::string opcode(const Arguments& a) {
  std::string out = a.integer("cp_size") == 16 ? "cp.async.cg.shared.global{hint}" : "cp.async.ca.shared.global{hint}";
  if (a.operand("prefetch_size") && a.integer("prefetch_size") > 0) out += ".L2::{prefetch_size}B";
  return out;
}

std::string copy(const Arguments& a, ir::Target) { return opcode(a) + " [{dst_ptr}], [{src_ptr}], {cp_size}{policy};"; }

// A predicate of -1 is the reference's "none".
bool unconditional(const Arguments& a) { return ir::is_constant(a["predicate"], -1); }

std::string copy_where(const Arguments& a, ir::Target target) {
  if (unconditional(a)) return copy(a, target);
  return ".reg .pred p;\nsetp.eq.u32 p, {predicate}, 1;\n@p " + copy(a, target);
}

std::string copy_or_zero(const Arguments& a, ir::Target target) {
  if (unconditional(a) || a.text("fill_mode").empty()) return copy_where(a, target);
  return ".reg .pred p;\n.reg .b32 size;\nsetp.ne.s32 p, {predicate}, 0;\nselp.b32 size, {cp_size}, 0, p;\n" +
         opcode(a) + " [{dst_ptr}], [{src_ptr}], {cp_size}, size{policy};";
}

std::string copy_ignoring(const Arguments& a, ir::Target) {
  return ".reg .pred p;\nsetp.ne.s32 p, {ignore_src}, 0;\n" + opcode(a) +
         " [{dst_ptr}], [{src_ptr}], {cp_size}, p{policy};";
}

// Offsets count elements of `elem`; of bytes when the form has none.
std::string copy_legacy(const Arguments& a, ir::Target) {
  std::int64_t bytes = 1;
  if (a.operand("elem")) {
    ir::DataType d = ir::parse_dtype(a.text("elem")).value_or(ir::kUInt8);
    bytes = d.storage_bits() * d.lanes / 8;
  }
  auto address = [&](const std::string& p, const std::string& o) {
    return "(char*){" + p + "} + (long long){" + o + "} * " + std::to_string(bytes);
  };
  return std::string("asm volatile(\"") + (a.integer("cp_size") == 16 ? "cp.async.cg" : "cp.async.ca") +
         ".shared.global [%0], [%1], {cp_size};\"\n    :\n    : \"r\"((unsigned int)__cvta_generic_to_shared(" +
         address("dst_ptr", "dst_offset") + ")), \"l\"(" + address("src_ptr", "src_offset") + ")\n    : \"memory\");";
}

#define TILEWRIGHT_COPY "dst_ptr: shared, src_ptr: global, cp_size: attr(4|8|16), *, "
#define TILEWRIGHT_HINTS                                                                    \
  "cache_hint: attr(|evict_normal|evict_first|evict_last) = '', cache_policy: u64 = None, " \
  "prefetch_size: attr(-1|64|128|256) = -1"
#define TILEWRIGHT_LEGACY "dst_ptr: ptr, dst_offset: i32, src_ptr: ptr, src_offset: i32, cp_size: attr(4|8|16)"

constexpr std::string_view kDocumented =
    "cp.async.{ca|cg}.shared.global{.L2::cache_hint}{.L2::128B} [dst], [src], n{, src_size}{, policy};";

Failure check_pending(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  return check_range(Arguments(row, args), "num", 0, 1 << 20);
}

constexpr Intrinsic kCpAsyncRows[] = {
    row<TILEWRIGHT_COPY TILEWRIGHT_HINTS>("P29", "ptx.cp_async", Meaning::AsyncCopy)
        .effects<"reads global src_ptr[cp_size]; writes shared dst_ptr[cp_size]; until cp.async">()
        .cc(Sm80)
        .ptx(kDocumented, copy)
        .says(
            "Starts copying 4, 8 or 16 aligned bytes from global to shared memory; a group wait or a barrier says when "
            "they are there."),
    row<TILEWRIGHT_COPY TILEWRIGHT_HINTS ", predicate: i32, fill_mode: attr(|zero)">("P30", "ptx.cp_async",
                                                                                     Meaning::AsyncCopy)
        .effects<"reads global src_ptr[cp_size] if predicate; writes shared dst_ptr[cp_size] if fill_mode; "
                 "writes shared dst_ptr[cp_size] unless fill_mode if predicate; until cp.async">()
        .cc(Sm80)
        .ptx(kDocumented, copy_or_zero)
        .says("The copy where the predicate is set, zeros elsewhere."),
    row<TILEWRIGHT_COPY TILEWRIGHT_HINTS ", predicate: i32">("P31", "ptx.cp_async", Meaning::AsyncCopy)
        .effects<"reads global src_ptr[cp_size]; writes shared dst_ptr[cp_size]; until cp.async; when predicate">()
        .cc(Sm80)
        .ptx("@predicate cp.async...", copy_where)
        .says("The copy where the predicate is 1; elsewhere the destination keeps its contents."),
    row<TILEWRIGHT_COPY TILEWRIGHT_HINTS ", ignore_src: i32">("E38", "ptx.cp_async", Meaning::AsyncCopy)
        .effects<"reads global src_ptr[cp_size] unless ignore_src; writes shared dst_ptr[cp_size]; "
                 "until cp.async">()
        .cc(Sm80)
        .ptx("cp.async... [dst], [src], n, ignore_src;", copy_ignoring)
        .says("The copy, or zeros where the source is to be ignored."),
    row<TILEWRIGHT_LEGACY>("P32", "ptx.cp_async.legacy", Meaning::AsyncCopy)
        .effects<"reads global src_ptr[cp_size] plus src_offset; "
                 "writes shared dst_ptr[cp_size] plus dst_offset; until cp.async">()
        .cc(Sm80)
        .cxx("cp.async from src + offset to dst + offset", copy_legacy)
        .says("cp_async with pointers and byte offsets."),
    row<"elem: attr, " TILEWRIGHT_LEGACY>("P32.elem", "ptx.cp_async", Meaning::AsyncCopy)
        .effects<"reads global src_ptr[cp_size] plus src_offset; "
                 "writes shared dst_ptr[cp_size] plus dst_offset; until cp.async">()
        .cc(Sm80)
        .cxx("cp.async from src + offset to dst + offset", copy_legacy)
        .says("cp_async with pointers and offsets in elements."),
    row<"elem: attr, " TILEWRIGHT_LEGACY>("P32.legacy", "ptx.cp_async.legacy", Meaning::AsyncCopy)
        .effects<"reads global src_ptr[cp_size] plus src_offset; "
                 "writes shared dst_ptr[cp_size] plus dst_offset; until cp.async">()
        .cc(Sm80)
        .cxx("cp.async from src + offset to dst + offset", copy_legacy)
        .says("cp_async with pointers and offsets in elements."),
    row<"">("P33", "ptx.cp_async.commit_group", Meaning::AsyncCopyCommit)
        .effects<"commits cp.async">()
        .cc(Sm80)
        .ptx("cp.async.commit_group;")
        .says("Closes this thread's copies since the last commit into a group; an empty one counts, too."),
    row<"num: attr = 0">("P34", "ptx.cp_async.wait_group", Meaning::AsyncCopyWait)
        .effects<"waits cp.async num">()
        .cc(Sm80)
        .ptx("cp.async.wait_group {num};")
        .check(check_pending)
        .says("Waits until at most that many of this thread's newest groups are unfinished. Other threads see the data "
              "after a sync."),
    row<"">("E3", "ptx.cp_async.wait_all", Meaning::AsyncCopyWaitAll)
        .effects<"waits cp.async">()
        .cc(Sm80)
        .ptx("cp.async.wait_all;")
        .says("Waits for all copies of this thread, committed or not."),
    // The guide's names for the same instructions.
    row<"">("E39", "cuda.pipeline_commit", Meaning::AsyncCopyCommit)
        .effects<"commits cp.async">()
        .cc(Sm80)
        .ptx("cp.async.commit_group;")
        .says("Closes this thread's copies since the last commit into a group: cp_async.commit_group by the guide's "
              "name."),
    row<"num: attr = 0">("E39.wait", "cuda.pipeline_wait_prior", Meaning::AsyncCopyWait)
        .effects<"waits cp.async num">()
        .cc(Sm80)
        .ptx("cp.async.wait_group {num};")
        .check(check_pending)
        .says("Waits until at most that many of this thread's newest groups are unfinished: cp_async.wait_group by the "
              "guide's name."),
    row<"bar: shared, *, noinc: flag = False">("E1", "ptx.cp_async.mbarrier.arrive", Meaning::AsyncCopyArrive)
        .effects<"defers mbarrier bar unless noinc; arrives mbarrier bar release.cta after cp.async">()
        .cc(Sm80)
        .ptx("cp.async.mbarrier.arrive{.noinc}.shared.b64 [{bar}];")
        .says("Makes the barrier wait for this thread's earlier copies. With noinc their end is one of the expected "
              "arrivals; without it the thread must still arrive."),
    row<"barrier_id: i32">("P35", "ptx.cp_async.mbarrier.arrive", Meaning::Unmodelled)
        .effects<"unknown">()
        .cc(Never)
        .ptx("cp.async.mbarrier.arrive.shared.b64 [barrier_table[barrier_id]];")
        .check([](const Intrinsic&, std::span<const ir::Expr>, ir::Target) -> Failure {
          return "barrier numbers never worked: give the barrier's pointer";
        })
        .says("A form without function: its table of barriers is never filled. Give a pointer instead."),
};

#undef TILEWRIGHT_COPY
#undef TILEWRIGHT_HINTS
#undef TILEWRIGHT_LEGACY

}  // namespace

std::span<const Intrinsic> cp_async_rows() { return kCpAsyncRows; }

}  // namespace tilewright::intrinsics
