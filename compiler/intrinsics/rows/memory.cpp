// Loads, stores and atomics as PTX has them, asynchronous stores, cache policies.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

#define TILEWRIGHT_HINTS "cache_hint: attr(|evict_normal|evict_first|evict_last) = '', cache_policy: u64 = None"
#define TILEWRIGHT_LOAD "addr: ptr, return_type: attr, ptx_type: attr(b32|u32|u64|s32|f32|b64|s64|f64|b16|u16|s16), *, "
#define TILEWRIGHT_SPACE "attr(global|shared|shared::cta|shared::cluster|local|const|param::entry|param::func)"
#define TILEWRIGHT_SHARED_SPACE "attr(global|shared|shared::cta|shared::cluster)"
#define TILEWRIGHT_TYPES "attr(b32|u32|s32|b64|u64|s64|f32|f64)"

int bits_of_type(std::string_view ptx_type) { return std::stoi(std::string(ptx_type.substr(1))); }

Failure check_targets(const Arguments& a, ir::Target target) {
  Failure failure = first_of(check_value_target(a, "space", "shared::cluster", Sm90, target),
                             check_value_target(a, "scope", "cluster", Sm90, target));
  if (failure) return failure;
  bool hinted = a.given("cache_hint") || a.given("cache_policy");
  if (hinted && !target.at_least(80)) return "cache hints need sm_80 and up, this is " + target.name();
  if (hinted && a.given("space") && a.text("space") != "global") return "cache hints belong to global memory";
  return std::nullopt;
}

Failure check_load(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  auto d = ir::parse_dtype(a.text("return_type"));
  if (!d || d->is_void()) return "'return_type' = '" + a.text("return_type") + "' is no data type";
  const std::string type = a.text("ptx_type");
  // .b32 is any value of 32 bits; the other types are one kind of number.
  const bool fits = type[0] == 'u'   ? d->is_uint()
                    : type[0] == 's' ? d->is_int()
                    : type[0] == 'f' ? d->is_float()
                                     : true;
  if (!fits || d->storage_bits() * d->lanes != bits_of_type(type)) {
    return "a value of ." + type + " does not fit '" + a.text("return_type") + "'";
  }
  if (a.text("space") == "const" || a.text("space").starts_with("param")) {
    if (a.operand("cop") && a.given("cop")) return "'cop' belongs to global, shared and local memory";
  }
  return check_targets(a, target);
}

// One `.v4.b32` operand list for one value a lane.
Failure check_vector(const Arguments& a) {
  const std::size_t values = a.items("values").size();
  const std::string vec = a.text("vec");
  const std::size_t wanted = vec.empty() ? 1 : vec[1] - '0';
  if (values == wanted) return std::nullopt;
  return (vec.empty() ? "a scalar store takes one value, "
                      : "." + vec + " takes " + std::to_string(wanted) + " values, ") +
         std::to_string(values) + " given";
}

Failure check_value_bits(const Arguments& a, std::span<const ir::Expr> values) {
  const std::string type = a.text("ptx_type");
  for (ir::Expr value : values) {
    ir::DataType d = value.dtype();
    if (d.storage_bits() * d.lanes != bits_of_type(type) || (type[0] == 'f') != (d.is_float() && d.lanes == 1)) {
      if (type[0] != 'b' || d.storage_bits() * d.lanes != bits_of_type(type)) {
        return "." + type + " cannot take a value of type " + ir::dtype_name(d);
      }
    }
  }
  return std::nullopt;
}

Failure check_store(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  if (auto failure = first_of(check_vector(a), check_value_bits(a, a.items("values")))) return failure;
  const int bits = bits_of_type(a.text("ptx_type"));
  if (a.text("vec") == "v4" && bits == 64 && !target.at_least(100)) {
    return ".v4 of 64-bit values needs sm_100 and up, this is " + target.name();
  }
  if (a.text("vec") == "v8") {
    if (!target.at_least(100)) return ".v8 needs sm_100 and up, this is " + target.name();
    if (bits != 32 || a.text("space") != "global") return ".v8 stores 32-bit values to global memory";
  }
  if (a.text("vec") == "v4" && bits == 64 && a.text("space") != "global")
    return ".v4 of 64-bit values goes to global memory";
  return check_targets(a, target);
}

std::string store(const Arguments& a, ir::Target) {
  std::string values = a.given("vec") ? "{{{*values}}}" : "{*values}";
  return "st{.weak}{.space}{.cop}{hint}{.vec}.{ptx_type} [{address@space}], " + values + "{policy};";
}

// Which types `red` and `atom` know for an operation.
std::string_view types_of(std::string_view op) {
  if (op == "and" || op == "or" || op == "xor" || op == "exch") return "b32|b64";
  if (op == "add") return "u32|s32|u64|f32|f64";
  if (op == "inc" || op == "dec") return "u32";
  return "u32|s32|u64|s64";
}

Failure check_atomic(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  const std::string op = a.text("op"), type = a.text("ptx_type");
  if (!is_one_of(type, types_of(op))) return "'" + op + "' exists for " + std::string(types_of(op)) + ", not " + type;
  return first_of(check_value_bits(a, a.items("value")), check_targets(a, target));
}

ir::DataType atomic_result(std::span<const ir::Expr> args) {
  const auto* type = args[6].as<ir::StringImm>();
  std::string_view t = type ? type->value : "b32";
  ir::TypeCode code = t[0] == 'f' ? ir::TypeCode::Float : t[0] == 's' ? ir::TypeCode::Int : ir::TypeCode::UInt;
  return {code, static_cast<std::uint8_t>(t.ends_with("64") ? 64 : 32), 1};
}

Failure check_async_store(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  if (a.text("vec") == "v4" && bits_of_type(a.text("ptx_type")) == 64) return "one st_async moves at most 16 bytes";
  return first_of(check_vector(a), check_value_bits(a, a.items("values")));
}

std::string async_store(const Arguments& a, ir::Target) {
  std::string values = a.given("vec") ? "{{{*values}}}" : "{*values}";
  return "st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.vec}.{ptx_type} [{addr_u64}], " + values +
         ", [{bar_u64}];";
}

Failure check_async_reduce(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  const std::string op = a.text("op"), type = a.text("ptx_type");
  std::string_view types = op == "add"                  ? "u32|s32|u64"
                           : op == "min" || op == "max" ? "u32|s32"
                           : op == "inc" || op == "dec" ? "u32"
                                                        : "b32";
  if (!is_one_of(type, types)) return "'" + op + "' exists for " + std::string(types) + ", not " + type;
  return check_value_bits(a, a.items("value"));
}

Failure check_element(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  ir::DataType d = Arguments(row, args)["res"].dtype();
  if (d.is_integral() && d.lanes == 1 && (d.bits == 32 || d.bits == 64)) return std::nullopt;
  return "'res' is an element of int32, uint32, int64 or uint64, not " + ir::dtype_name(d);
}

Failure check_zero_bytes(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  return check_range(Arguments(row, args), "num_bytes", 0, 1ll << 40, 8);
}

Failure check_fraction(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  const auto* fraction = a["fraction"].as<ir::FloatImm>();
  if (fraction && (fraction->value <= 0 || fraction->value > 1)) return "'fraction' is above 0 and at most 1";
  return std::nullopt;
}

constexpr Intrinsic kMemoryRows[] = {
    row<TILEWRIGHT_LOAD "weak: flag = False, space: " TILEWRIGHT_SPACE
                        " = 'global', cop: attr(|ca|cg|cs|lu|cv) = '', " TILEWRIGHT_HINTS>("P52", "ptx.ld",
                                                                                           Meaning::LoadValue)
        .effects<"reads {space} addr[ptx_type]">()
        .quiet()
        .returns(type_named_by<1>)
        .check(check_load)
        .ptx("ld{.weak}.{space}{.cop}{hint}.{ptx_type} {=}, [{addr@space}]{policy};")
        .says("Loads one value. Shared spaces take the pointer's shared address; shared::cluster a mapped one (E35)."),
    row<TILEWRIGHT_LOAD "scope: attr(cta|cluster|gpu|sys) = 'gpu', space: " TILEWRIGHT_SHARED_SPACE " = 'global'">(
        "P53", "ptx.ld_acquire", Meaning::LoadValue)
        .effects<"reads {space} addr[ptx_type] acquire.{scope}">()
        .quiet()
        .returns(type_named_by<1>)
        .check(check_load)
        .ptx("ld.acquire.{scope}.{space}.{ptx_type} {=}, [{addr@space}];")
        .says("Loads one value; what its writer released before is visible to this thread afterwards."),
    row<TILEWRIGHT_LOAD "space: " TILEWRIGHT_SHARED_SPACE " = 'global'">("P54", "ptx.ld_volatile", Meaning::LoadValue)
        .effects<"reads {space} addr[ptx_type] relaxed.sys">()
        .quiet()
        .returns(type_named_by<1>)
        .check(check_load)
        .ptx("ld.volatile.{space}.{ptx_type} {=}, [{addr@space}];")
        .says("Loads one value that others may change at any time."),
    row<"res: out any, addr: global">("P55", "ptx.ld_global_acquire", Meaning::LoadInto)
        .effects<"reads global addr[size(res)] acquire.gpu">()
        .quiet()
        .check(check_element)
        .ptx("ld.acquire.gpu.global.{b32|b64} {res}, [{addr}];",
             [](const Arguments& a, ir::Target) -> std::string {
               return std::string("ld.acquire.gpu.global.b") + (a["res"].dtype().bits == 64 ? "64" : "32") +
                      " {res}, [{addr}];";
             })
        .says("Loads one element with acquire at device scope into `res`."),
    row<"reg: ptr, guard: i32, addr: global, local_addr: i32">("P56", "ptx.ldg32", Meaning::LoadInto)
        .effects<"reads global addr[4] if guard; writes register reg[4] plus local_addr">()
        .cxx("float* to = (float*){reg} + {local_addr};\n"
             "asm volatile(\"{{ .reg .pred p; setp.ne.b32 p, %2, 0; @!p mov.b32 %0, 0; @p ld.global.nc.f32 %0, [%1]; "
             "}}\"\n"
             "    : \"=f\"(*to) : \"l\"({addr}), \"r\"({guard}));")
        .says("Loads a float into a register buffer where the guard holds, zero elsewhere."),
    row<"address: ptr, *values: any, weak: flag = False, space: attr(|global|shared|shared::cta|shared::cluster|local) "
        "= "
        "'shared', cop: attr(|wb|cg|cs|wt) = '', vec: attr(|v2|v4|v8) = '', ptx_type: " TILEWRIGHT_TYPES
        ", " TILEWRIGHT_HINTS>("P57", "ptx.st", Meaning::StoreValues)
        .effects<"writes {space} address[ptx_type*count(values)]">()
        .check(check_store)
        .ptx("st{.weak}{.space}{.cop}{.L2::cache_hint}{.vec}.{ptx_type} [addr], {values}{, policy};", store)
        .says("Stores one value, or two, four or eight neighbouring ones."),
    row<"ptr: ptr, num_bytes: u64, *, weak: flag = False, space: attr(|shared::cta) = 'shared::cta'">(
        "P58", "ptx.st_bulk", Meaning::StoreZeros)
        .effects<"writes {space} ptr[num_bytes]">()
        .cc(Sm100)
        .check(check_zero_bytes)
        .ptx("st.bulk{.weak}{.space} [{ptr@space}], {num_bytes}, 0;")
        .says("Fills shared memory with zeros; the size is a multiple of 8."),
    row<"address: ptr, value: any, *, sem: attr(|relaxed|release) = '', scope: attr(|cta|cluster|gpu|sys) = '', space: "
        "attr(global|shared|shared::cta|shared::cluster) = 'global', op: attr(and|or|xor|add|inc|dec|min|max), "
        "ptx_type: " TILEWRIGHT_TYPES ", " TILEWRIGHT_HINTS>("P59", "ptx.red_scalar", Meaning::ReduceMemory)
        .effects<"updates {space} address[ptx_type] {sem=relaxed}.{scope=gpu}">()
        .check(check_atomic)
        .ptx("red{.sem}{.scope}.{space}.{op}{hint}.{ptx_type} [{address@space}], {value}{policy};")
        .says("Combines a value into memory atomically, without bringing the old one back."),
    row<"address: ptr, value: any, *, sem: attr(|relaxed|acquire|release|acq_rel) = '', scope: "
        "attr(|cta|cluster|gpu|sys) = '', "
        "space: attr(global|shared|shared::cta|shared::cluster) = 'global', op: "
        "attr(and|or|xor|exch|add|inc|dec|min|max), ptx_type: " TILEWRIGHT_TYPES ", " TILEWRIGHT_HINTS>(
        "P60", "ptx.atom_scalar", Meaning::AtomicMemory)
        .effects<"updates {space} address[ptx_type] {sem=relaxed}.{scope=gpu}">()
        .returns(atomic_result)
        .check(check_atomic)
        .ptx("atom{.sem}{.scope}.{space}.{op}{hint}.{ptx_type} {=}, [{address@space}], {value}{policy};")
        .says("Combines a value into memory atomically and returns what was there before."),
    row<"addr_u64: remote, *values: any, bar_u64: remote, ptx_type: " TILEWRIGHT_TYPES
        ", vec: attr(|v2|v4) = '', weak: flag = False">("E24", "ptx.st_async", Meaning::StoreAsync)
        .effects<"writes shared::cluster addr_u64[ptx_type*count(values)]; until mbarrier bar_u64">()
        .cc(Sm90)
        .check(check_async_store)
        .ptx("st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.vec}.{ptx_type} [addr], {values}, [bar];",
             async_store)
        .says("Stores into the shared memory of another CTA; the bytes count on a barrier there."),
    row<"addr_u64: remote, value: any, bar_u64: remote, *, op: attr(inc|dec|min|max|add|and|or|xor), ptx_type: "
        "attr(b32|u32|s32|u64)">("E25", "ptx.red_async", Meaning::ReduceAsync)
        .effects<"updates shared::cluster addr_u64[ptx_type] relaxed.cluster; until mbarrier bar_u64">()
        .cc(Sm90)
        .check(check_async_reduce)
        .ptx("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op}.{ptx_type} [{addr_u64}], "
             "{value}, "
             "[{bar_u64}];")
        .says("Combines a value into the shared memory of another CTA; its bytes count on a barrier there."),
    row<"kind: attr(evict_last|evict_normal|evict_first|evict_unchanged), fraction: f32 = 1.0, secondary: "
        "attr(|evict_first|evict_unchanged) = ''">("E36", "ptx.createpolicy", Meaning::CachePolicy)
        .cc(Sm80)
        .returns<ir::kUInt64>()
        .movable()
        .check(check_fraction)
        .ptx("createpolicy.fractional.L2::{kind}{secondary?.L2::{secondary}}.b64 {=}, {fraction};")
        .says("Makes a cache policy for `cache_policy=`: this priority for that fraction of the accesses."),
    row<"addr: global">("E37", "ptx.prefetch_l2", Meaning::Prefetch)
        .effects<"prefetches global addr">()
        .ptx("prefetch.global.L2 [{addr}];")
        .says("Brings the line of an address into the L2 cache."),
};

#undef TILEWRIGHT_HINTS
#undef TILEWRIGHT_LOAD
#undef TILEWRIGHT_SPACE
#undef TILEWRIGHT_SHARED_SPACE
#undef TILEWRIGHT_TYPES

}  // namespace

std::span<const Intrinsic> memory_rows() { return kMemoryRows; }

}  // namespace tilewright::intrinsics
