// Tensor maps as objects: prefetched, copied, edited and published by the device.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

// What tensormap.replace knows of a field (its numbers are not those of CUtensorMapDataType).
struct Field {
  std::string_view name;
  int bits;
  int ordinals;    // 0: takes none
  bool immediate;  // the value is part of the instruction
  std::int64_t max_value = 0;
};
constexpr Field kFields[] = {
    {"global_address", 64, 0, false}, {"rank", 32, 0, false},
    {"box_dim", 32, 5, false},        {"global_dim", 32, 5, false},
    {"global_stride", 64, 4, false},  {"element_stride", 32, 5, false},
    {"elemtype", 32, 0, true, 15},    {"interleave_layout", 32, 0, true, 2},
    {"swizzle_mode", 32, 0, true, 4}, {"swizzle_atomicity", 32, 0, true, 3},
    {"fill_mode", 32, 0, true, 1},
};
const Field& field_of(const Arguments& a) {
  const std::string name = a.text("field");
  for (const Field& f : kFields) {
    if (f.name == name) return f;
  }
  return kFields[0];
}

Failure check_replace(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  const Field& f = field_of(a);
  const std::string name(f.name);
  if (f.ordinals == 0 && a.given("ord")) return "field '" + name + "' takes no 'ord'";
  if (f.ordinals > 0) {
    if (!a.given("ord")) return "field '" + name + "' needs 'ord', the dimension";
    if (auto failure = check_range(a, "ord", 0, f.ordinals - 1)) return failure;
  }
  if (!f.immediate) return std::nullopt;
  const std::int64_t* value = ir::constant(a["value"]);
  if (!value) return "the value of field '" + name + "' is part of the instruction and must be known at compile time";
  if (auto failure = check_range(a, "value", 0, f.max_value)) return failure;
  if (name == "swizzle_atomicity" && target.number() == 90) return "field 'swizzle_atomicity' does not exist on sm_90a";
  if (name == "swizzle_mode" && *value == 4 && !(target.number() == 103 && target.suffix == 'a')) {
    return "swizzle mode 4 exists on sm_103a only";
  }
  if (name == "elemtype" && *value >= 13 && !target.at_least(100)) {
    return "the packed element types 13 to 15 need sm_100a and up, this is " + target.name();
  }
  return std::nullopt;
}

std::string replace(const Arguments& a, ir::Target) {
  const Field& f = field_of(a);
  const std::string bits = std::to_string(f.bits);
  return "tensormap.replace.tile.{field}.{space}.b1024.b" + bits + " [{tm@space}]{ord?, {ord}}, " +
         (f.immediate ? "{#value}" : "{value:u" + bits + "}") + ";";
}

constexpr Intrinsic kTensormapRows[] = {
    row<"tensormap_addr: map, space: attr(|const|param) = ''">("P51", "ptx.prefetch_tensormap",
                                                               Meaning::TensormapPrefetch)
        .effects<"prefetches map tensormap_addr[128]">()
        .cc(Sm90)
        .ptx("prefetch{.space}.tensormap [{tensormap_addr}];")
        .says("Brings a tensor map into the cache that copies read it from."),
    row<"dst: shared, map: map">("E18", "ptx.tensormap.copy_to_shared", Meaning::TensormapCopy)
        .effects<"reads generic map[128]; writes shared dst[128]; meets lanes acq_rel.warp; by lanes">()
        .ptx(".reg .pred p;\n.reg .b32 lane, to, a, b, c, d;\n.reg .b64 from;\nmov.u32 lane, %%laneid;\n"
             "setp.lt.u32 p, lane, 8;\nshl.b32 lane, lane, 4;\nadd.u32 to, {dst}, lane;\ncvt.u64.u32 from, lane;\n"
             "add.u64 from, from, {map};\n@p ld.v4.b32 {{a, b, c, d}}, [from];\n@p st.shared.v4.b32 [to], {{a, b, c, "
             "d}};\n"
             "bar.warp.sync 0xffffffff;")
        .says("The warp copies the 128 bytes of a tensor map to shared memory, where it can be edited."),
    row<"tm: ptr, field: "
        "attr(global_address|rank|box_dim|global_dim|global_stride|element_stride|elemtype|interleave_layout|swizzle_"
        "mode|swizzle_atomicity|fill_mode), "
        "value: any, ord: attr = None, *, space: attr(shared::cta|global) = "
        "'shared::cta'">("E19", "ptx.tensormap.replace", Meaning::TensormapReplace)
        .effects<"writes {space} tm[128]; by one">()
        .cc(Sm90aPlus)
        .check(check_replace)
        .ptx("tensormap.replace.tile.FIELD.{shared::cta|global}.b1024.{b32|b64} [tm]{, ord}, value;", replace)
        .says(
            "Writes one field of a tensor map; one thread does it. `rank` is the rank less one, strides are in bytes."),
    row<"dst_global: global, src_shared: shared, *, scope: attr(cta|cluster|gpu|sys) = 'gpu'">(
        "E20", "ptx.tensormap.cp_fenceproxy", Meaning::TensormapPublish)
        .effects<"reads shared src_shared[128]; writes global dst_global[128]; "
                 "fences tensormap release.{scope}; by warp">()
        .cc(Sm90)
        .ptx("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{scope}.sync.aligned "
             "[{dst_global}], "
             "[{src_shared}], 128;")
        .says("The warp copies an edited tensor map to global memory and publishes it; users acquire it with "
              "fence.proxy_tensormap_acquire."),
};

}  // namespace

std::span<const Intrinsic> tensormap_rows() { return kTensormapRows; }

}  // namespace tilewright::intrinsics
