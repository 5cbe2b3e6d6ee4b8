// cp.async.bulk.tensor: boxes of tensors that a tensor map describes (TMA).
#include "compiler/intrinsics/call_effects.h"
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

#define TILEWRIGHT_HINT "cache_hint: attr(|evict_normal|evict_first|evict_last)"
#define TILEWRIGHT_COORDINATES "*coords: i32, cache_policy: u64 = None"
#define TILEWRIGHT_LOAD(DIMENSIONS, BAR)             \
  "dim: attr(" DIMENSIONS "), dst_ptr: shared, " BAR \
  ", tensormap_addr: map, cta_mask: u16, "           \
  "cta_group: attr(-1|1|2), " TILEWRIGHT_HINT ", " TILEWRIGHT_COORDINATES

Failure check_coordinates(const Arguments& a) {
  const std::int64_t wanted = moves_rows(a.row()) ? 5 : a.integer("dim");
  const std::int64_t given = static_cast<std::int64_t>(a.items("coords").size());
  if (given == wanted) return std::nullopt;
  return "takes " + std::to_string(wanted) + " coordinates, innermost first; " + std::to_string(given) + " given";
}

Failure check_box(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  return check_coordinates(Arguments(row, args));
}

Failure check_barrier_address(const Arguments& a) {
  if (!a.operand("mbar_is_shared_addr")) return std::nullopt;
  const bool number = a["mbar"].dtype().is_integral() && a["mbar"].dtype().bits == 32;
  if (number == a.flag("mbar_is_shared_addr")) return std::nullopt;
  return number ? "'mbar' is a 32-bit number: say so with mbar_is_shared_addr=True"
                : "mbar_is_shared_addr=True takes the barrier as its 32-bit address in shared memory, not as a pointer";
}

Failure check_load(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  if (a.integer("cta_group") == 2 && !available(Sm100aClass, target)) {
    return "'cta_group' = 2 needs " + std::string(availability_name(Sm100aClass)) + ", this is " + target.name();
  }
  return first_of(check_barrier_address(a), check_coordinates(a));
}

std::string load_text(const Arguments& a, ir::Target target, std::string_view mode,
                      std::string_view space = "shared::cluster") {
  std::string out = "cp.async.bulk.tensor.{dim}d." + std::string(space) + ".global" + std::string(mode) +
                    ".mbarrier::complete_tx::bytes";
  if (is_multicast(a)) out += ".multicast::cluster";
  if (a.operand("cta_group") && a.integer("cta_group") > 0 && available(Sm100aClass, target)) {
    out += ".cta_group::{cta_group}";
  }
  out += "{hint} [{dst_ptr}], [{tensormap_addr}, {{{*coords}}}], [{bar}]";
  if (a.operand("offsets")) out += ", {{{*offsets}}}";
  if (is_multicast(a)) out += ", {cta_mask}";
  return out + "{policy};";
}
std::string load(const Arguments& a, ir::Target target) { return load_text(a, target, ""); }
std::string gather(const Arguments& a, ir::Target target) { return load_text(a, target, ".tile::gather4"); }
std::string with_mbar(std::string text) { return text.replace(text.find("{bar}"), 5, "{mbar}"); }
std::string im2col(const Arguments& a, ir::Target target) { return load_text(a, target, ".im2col"); }

Failure check_im2col(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  if (auto failure = check_coordinates(a)) return failure;
  const std::int64_t given = static_cast<std::int64_t>(a.items("offsets").size()), wanted = a.integer("dim") - 2;
  if (given == wanted) return std::nullopt;
  return "takes " + std::to_string(wanted) + " offsets, " + std::to_string(given) + " given";
}

constexpr std::string_view kLoad =
    "cp.async.bulk.tensor.{dim}d.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster}{.cta_group::"
    "G}{.L2::cache_hint} "
    "[dst], [map, {coords}], [bar]{, mask}{, policy};";
constexpr std::string_view kGather =
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes{...} [dst], "
    "[map, {c0, r0, r1, r2, r3}], [bar]{, mask}{, policy};";

#define TILEWRIGHT_NAME(WORD) "ptx.cp_async.bulk.tensor." WORD
#define TILEWRIGHT_MODE(MODE) ", load_mode: attr(" MODE "), mbar_is_shared_addr: flag = False"
#define TILEWRIGHT_OWN(DIMENSIONS)                                                                   \
  "dim: attr(" DIMENSIONS                                                                            \
  "), dst_ptr: shared, mbar: window, tensormap_addr: map, cta_group: attr(-1|1|2), " TILEWRIGHT_HINT \
  ", " TILEWRIGHT_COORDINATES

// `bar` as a number: the barrier's 32-bit shared address, for cta_group 2 with the peer bit cleared.
constexpr Intrinsic kTensorRows[] = {
    row<TILEWRIGHT_LOAD("1|2|3|4|5", "bar: shared")>("P44", TILEWRIGHT_NAME("g2c"), Meaning::TensorGlobalToShared)
        .effects<"reads map tensormap_addr[128]; reads global tensormap_addr[box]; "
                 "writes shared::cluster dst_ptr[box] in cta_mask; proxy async; until mbarrier bar; "
                 "by one pair cta_group">()
        .cc(Sm90)
        .check(check_load)
        .ptx(kLoad, load)
        .says("Loads a box of a tensor into shared memory, of several CTAs when a mask names them; its bytes count on "
              "the "
              "barrier. What lies outside the tensor is filled."),
    row<TILEWRIGHT_LOAD("2", "bar: shared")>("P45", TILEWRIGHT_NAME("g2c_tile_gather4"), Meaning::TensorGlobalToShared)
        .effects<"reads map tensormap_addr[128]; reads global tensormap_addr[rows]; "
                 "writes shared::cluster dst_ptr[rows] in cta_mask; proxy async; until mbarrier bar; "
                 "by one pair cta_group">()
        .cc(Sm100aClass)
        .check(check_load)
        .ptx(kGather, gather)
        .says("Loads four rows of a matrix, each named by its number."),
    row<TILEWRIGHT_LOAD("1|2|3|4|5", "bar_addr: u32")>("P46", TILEWRIGHT_NAME("g2c_bar_addr"),
                                                       Meaning::TensorGlobalToShared)
        .effects<"reads map tensormap_addr[128]; reads global tensormap_addr[box]; "
                 "writes shared::cluster dst_ptr[box] in cta_mask; proxy async; until mbarrier bar_addr; "
                 "by one pair cta_group">()
        .cc(Sm90)
        .check(check_load)
        .ptx(kLoad,
             [](const Arguments& a, ir::Target t) {
               std::string text = load(a, t);
               return text.replace(text.find("{bar}"), 5, "{bar_addr}");
             })
        .says("g2c with the barrier as a 32-bit shared address."),
    row<TILEWRIGHT_LOAD("2", "bar_addr: u32")>("P47", TILEWRIGHT_NAME("g2c_tile_gather4_bar_addr"),
                                               Meaning::TensorGlobalToShared)
        .effects<"reads map tensormap_addr[128]; reads global tensormap_addr[rows]; "
                 "writes shared::cluster dst_ptr[rows] in cta_mask; proxy async; until mbarrier bar_addr; "
                 "by one pair cta_group">()
        .cc(Sm100aClass)
        .check(check_load)
        .ptx(kGather,
             [](const Arguments& a, ir::Target t) {
               std::string text = gather(a, t);
               return text.replace(text.find("{bar}"), 5, "{bar_addr}");
             })
        .says("g2c_tile_gather4 with the barrier as a 32-bit shared address."),
    row<"dim: attr(1|2|3|4|5), src_ptr: shared, tensormap_addr: map, " TILEWRIGHT_HINT ", " TILEWRIGHT_COORDINATES>(
        "P48", TILEWRIGHT_NAME("s2g"), Meaning::TensorSharedToGlobal)
        .effects<"reads map tensormap_addr[128]; reads shared src_ptr[box]; writes global tensormap_addr[box]; "
                 "proxy async; until bulk; by one">()
        .cc(Sm90)
        .check(check_box)
        .ptx("cp.async.bulk.tensor.{dim}d.global.shared::cta.tile.bulk_group{hint} [{tensormap_addr}, {{{*coords}}}], "
             "[{src_ptr}]{policy};")
        .says("Stores a box from shared memory into a tensor, as part of the bulk group that the next commit closes. "
              "What "
              "lies outside the tensor is dropped."),
    row<"dim: attr(1|2|3|4|5), src_ptr: shared, tensormap_addr: map, " TILEWRIGHT_HINT
        ", red_op: attr(add|min|max|inc|dec|and|or|xor), " TILEWRIGHT_COORDINATES>("P49", TILEWRIGHT_NAME("s2g_reduce"),
                                                                                   Meaning::TensorReduceToGlobal)
        .effects<"reads map tensormap_addr[128]; reads shared src_ptr[box]; "
                 "updates global tensormap_addr[box] relaxed.gpu; proxy async; until bulk; by one">()
        .cc(Sm90)
        .check(check_box)
        .ptx("cp.reduce.async.bulk.tensor.{dim}d.global.shared::cta.{red_op}.tile.bulk_group{hint} [{tensormap_addr}, "
             "{{{*coords}}}], [{src_ptr}]{policy};")
        .says("Combines a box of shared memory into a tensor, element by element and atomically."),
    row<"dim: attr(1|2|3|4|5), tensormap_addr: map, " TILEWRIGHT_HINT ", " TILEWRIGHT_COORDINATES>(
        "P50", TILEWRIGHT_NAME("g2c_prefetch"), Meaning::TensorPrefetch)
        .effects<"reads map tensormap_addr[128]; prefetches global tensormap_addr[box]; proxy async; by one">()
        .cc(Sm90)
        .check(check_box)
        .ptx("cp.async.bulk.prefetch.tensor.{dim}d.L2.global.tile{hint} [{tensormap_addr}, {{{*coords}}}]{policy};")
        .says("Brings a box of a tensor into the L2 cache."),
    row<"dim: attr(1|2|3|4|5), dst_ptr: shared, bar: shared, tensormap_addr: map, " TILEWRIGHT_HINT
        ", " TILEWRIGHT_COORDINATES>("E15", TILEWRIGHT_NAME("g2s_cta"), Meaning::TensorGlobalToShared)
        .effects<"reads map tensormap_addr[128]; reads global tensormap_addr[box]; writes shared dst_ptr[box]; "
                 "proxy async; until mbarrier bar; by one">()
        .cc(Sm90)
        .check(check_box)
        .ptx("cp.async.bulk.tensor.{dim}d.shared::cta.global.tile.mbarrier::complete_tx::bytes{hint} [{dst_ptr}], "
             "[{tensormap_addr}, {{{*coords}}}], [{bar}]{policy};")
        .says("Loads a box into this CTA's shared memory, outside of any cluster."),
    row<"dim: attr(3|4|5), dst_ptr: shared, bar: shared, tensormap_addr: map, cta_mask: u16, " TILEWRIGHT_HINT
        ", *coords: i32, offsets: list u16, cache_policy: u64 = None">("E16", TILEWRIGHT_NAME("g2c_im2col"),
                                                                       Meaning::TensorGlobalToShared)
        .effects<"reads map tensormap_addr[128]; reads global tensormap_addr[box]; "
                 "writes shared::cluster dst_ptr[box] in cta_mask; proxy async; until mbarrier bar; by one">()
        .cc(Sm90)
        .check(check_im2col)
        .ptx("cp.async.bulk.tensor.{dim}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes{...} [dst], "
             "[map, {coords}], [bar], {offsets}{, mask}{, policy};",
             im2col)
        .says("Loads the pixels under a filter tap: dim - 2 offsets of 16 bits name the tap."),
    row<"src_ptr: shared, tensormap_addr: map, " TILEWRIGHT_HINT ", " TILEWRIGHT_COORDINATES>(
        "E17", TILEWRIGHT_NAME("s2g_scatter4"), Meaning::TensorSharedToGlobal)
        .effects<"reads map tensormap_addr[128]; reads shared src_ptr[rows]; "
                 "writes global tensormap_addr[rows]; proxy async; until bulk; by one">()
        .cc(Sm100aClass)
        .check(check_box)
        .ptx("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group{hint} [{tensormap_addr}, "
             "{{{*coords}}}], "
             "[{src_ptr}]{policy};")
        .says("Stores four rows of a matrix, each named by its number."),
    row<TILEWRIGHT_LOAD("1|2|3|4|5", "mbar: window") ", load_mode: attr(tile) = 'tile', mbar_is_shared_addr: flag = "
                                                     "False, multicast: attr(|False|True) = ''">(
        "W10", TILEWRIGHT_NAME("g2s_cluster"), Meaning::TensorGlobalToShared)
        .effects<"reads map tensormap_addr[128]; reads global tensormap_addr[box]; "
                 "writes shared::cluster dst_ptr[box] in cta_mask; proxy async; until mbarrier mbar; "
                 "by one pair cta_group">()
        .cc(Sm90)
        .check(check_load)
        .ptx(kLoad, [](const Arguments& a, ir::Target t) { return with_mbar(load(a, t)); })
        .says("Loads a box of a tensor into shared memory, of several CTAs when a mask names more than one; its bytes "
              "count on the barrier. What lies outside the tensor is filled."),
    row<TILEWRIGHT_LOAD("2", "mbar: window") TILEWRIGHT_MODE("tile_gather4") ", multicast: attr(|False|True) = ''">(
        "W11", TILEWRIGHT_NAME("g2s_cluster"), Meaning::TensorGlobalToShared)
        .effects<"reads map tensormap_addr[128]; reads global tensormap_addr[rows]; "
                 "writes shared::cluster dst_ptr[rows] in cta_mask; proxy async; until mbarrier mbar; "
                 "by one pair cta_group">()
        .cc(Sm100aClass)
        .form("_gather4")
        .check(check_load)
        .ptx(kGather, [](const Arguments& a, ir::Target t) { return with_mbar(gather(a, t)); })
        .says("Loads four rows of a matrix, each named by its number."),
    row<TILEWRIGHT_OWN("1|2|3|4|5") ", load_mode: attr(tile) = 'tile', mbar_is_shared_addr: flag = False">(
        "W12", TILEWRIGHT_NAME("g2s_cta"), Meaning::TensorGlobalToShared)
        .effects<"reads map tensormap_addr[128]; reads global tensormap_addr[box]; writes shared dst_ptr[box]; "
                 "proxy async; until mbarrier mbar; by one pair cta_group">()
        .cc(Sm90)
        .form("_own")
        .check(check_load)
        .ptx("cp.async.bulk.tensor.{dim}d.shared::cta.global.tile.mbarrier::complete_tx::bytes{.cta_group::G}"
             "{.L2::cache_hint} [dst], [map, {coords}], [bar]{, policy};",
             [](const Arguments& a, ir::Target t) { return with_mbar(load_text(a, t, ".tile", "shared::cta")); })
        .says("Loads a box into this CTA's shared memory, outside of any cluster."),
    row<TILEWRIGHT_OWN("2") TILEWRIGHT_MODE("tile_gather4")>("W13", TILEWRIGHT_NAME("g2s_cta"),
                                                             Meaning::TensorGlobalToShared)
        .effects<"reads map tensormap_addr[128]; reads global tensormap_addr[rows]; writes shared dst_ptr[rows]; "
                 "proxy async; until mbarrier mbar; by one pair cta_group">()
        .cc(Sm100aClass)
        .form("_own_gather4")
        .check(check_load)
        .ptx("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes{...} [dst], "
             "[map, {c0, r0, r1, r2, r3}], [bar]{, policy};",
             [](const Arguments& a, ir::Target t) {
               return with_mbar(load_text(a, t, ".tile::gather4", "shared::cta"));
             })
        .says("Loads four rows of a matrix into this CTA's shared memory, each named by its number."),
};

#undef TILEWRIGHT_MODE
#undef TILEWRIGHT_OWN
#undef TILEWRIGHT_HINT
#undef TILEWRIGHT_COORDINATES
#undef TILEWRIGHT_LOAD
#undef TILEWRIGHT_NAME

}  // namespace

std::span<const Intrinsic> tensor_rows() { return kTensorRows; }

}  // namespace tilewright::intrinsics
