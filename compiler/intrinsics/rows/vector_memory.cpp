// Loads and stores as release 0.26 writes them: values or vectors, into registers or memory behind pointers (`dst=`,
// `src=`), with eviction priorities and prefetch sizes. An address in shared memory may come as its 32-bit number.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/helper_text.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

#define TILEWRIGHT_TYPES "b8|u8|s8|b16|u16|s16|b32|b64|u32|u64|s32|s64|f32|f64"
#define TILEWRIGHT_LOAD "addr: address, return_type: attr, ptx_type: attr(" TILEWRIGHT_TYPES "), *, "
#define TILEWRIGHT_VALUE "vec: attr = '', "
#define TILEWRIGHT_INTO "dst: some to any, vec: attr(|v2|v4|v8) = '', "
#define TILEWRIGHT_SPACES "space: attr(global|shared|shared::cta|shared::cluster) = 'global', "
#define TILEWRIGHT_SCOPED \
  "scope: attr(cta|cluster|gpu|sys) = 'gpu', space: attr(global|shared|shared::cta|shared::cluster) = 'global', "
#define TILEWRIGHT_POLICY "cache_hint: attr(|evict_normal|evict_first|evict_last) = '', cache_policy: u64 = None, "
#define TILEWRIGHT_EVICTION                                                                                     \
  "l1_evict: attr(|L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate) = '', " \
  "l2_evict: attr(|L2::evict_normal|L2::evict_first|L2::evict_last) = ''"
#define TILEWRIGHT_PREFETCH "prefetch_size: attr(|L2::64B|L2::128B|L2::256B) = ''"
#define TILEWRIGHT_LEVELS TILEWRIGHT_POLICY TILEWRIGHT_EVICTION ", " TILEWRIGHT_PREFETCH

int bits_of(const Arguments& a) { return std::stoi(a.text("ptx_type").substr(1)); }
std::int64_t width(const Arguments& a) { return a.text("vec").empty() ? 1 : a.text("vec")[1] - '0'; }
bool has_evictions(const Arguments& a) { return a.given("l1_evict") || a.given("l2_evict"); }

// The register that carries a value of this type.
std::string register_word(const Arguments& a) {
  std::string type = a.text("ptx_type");
  if (type[0] == 'f') return type;
  return type.ends_with("64") ? "u64" : type.ends_with("16") ? "u16" : "u32";
}

Failure check_address(const Arguments& a) {
  const ir::DataType d = (a.operand("addr") ? a["addr"] : a["address"]).dtype();
  const bool number = d.is_integral() && d.bits == 32;
  if (number && !a.text("space").starts_with("shared")) {
    return "a 32-bit address is one in shared memory: name a shared space, or give a pointer";
  }
  return std::nullopt;
}

Failure check_levels(const Arguments& a, ir::Target target) {
  const bool policy = a.given("cache_hint") || a.given("cache_policy");
  if (policy && !target.at_least(80)) return "cache hints need sm_80 and up, this is " + target.name();
  const bool global = !a.operand("space") || a.text("space") == "global";
  if (!global && (policy || has_evictions(a) || a.given("prefetch_size"))) {
    return "cache hints, eviction priorities and prefetch sizes belong to global memory";
  }
  if (a.given("cop") && has_evictions(a)) return "'cop' and eviction priorities exclude each other: give one of them";
  if (a.given("prefetch_size") && a.text("prefetch_size") == "L2::256B" && !target.at_least(80)) {
    return "'prefetch_size' = 'L2::256B' needs sm_80 and up, this is " + target.name();
  }
  const bool widest = (width(a) == 8 && bits_of(a) == 32) || (width(a) == 4 && bits_of(a) == 64);
  if (a.given("l2_evict") && !(widest && target.at_least(100))) {
    return "'l2_evict' belongs to 256-bit accesses: .v8 of 32 bits or .v4 of 64 bits, from sm_100 on";
  }
  return std::nullopt;
}

Failure check_width(const Arguments& a, ir::Target target) {
  const std::int64_t bits = width(a) * bits_of(a);
  if (width(a) == 8 && bits_of(a) != 32) return ".v8 moves values of 32 bits";
  if (bits <= 128) return std::nullopt;
  if (!target.at_least(100)) return "256 bits at once need sm_100 and up, this is " + target.name();
  if (a.operand("space") && a.text("space") != "global") return "256 bits at once belong to global memory";
  return std::nullopt;
}

Failure check_where(const Arguments& a, ir::Target target) {
  return first_of(check_address(a), check_width(a, target), check_levels(a, target),
                  check_value_target(a, "space", "shared::cluster", Sm90, target),
                  check_value_target(a, "scope", "cluster", Sm90, target));
}

// What a register of the script must be for `ptx_type`; values of 8 bits travel in 32.
Failure check_type(const Arguments& a, ir::DataType d, std::string_view what) {
  const std::string type = a.text("ptx_type");
  const int bits = bits_of(a), given = d.storage_bits() * d.lanes;
  const bool kind = type[0] == 'u'   ? d.is_uint()
                    : type[0] == 's' ? d.is_int()
                    : type[0] == 'f' ? d.is_float() && d.lanes == 1
                                     : true;
  if (kind && (given == bits || (bits == 8 && given == 32))) return std::nullopt;
  return "." + type + " does not fit " + std::string(what) + " of type " + ir::dtype_name(d);
}

Failure check_load(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  const auto d = ir::parse_dtype(a.text("return_type"));
  if (!d || d->is_void()) return "'return_type' = '" + a.text("return_type") + "' is no data type";
  if (auto failure = check_type(a, *d, "a value")) return failure;
  if (a.text("space") == "const" || a.text("space").starts_with("param")) {
    if (a.given("cop")) return "'cop' belongs to global, shared and local memory";
  }
  if (!a.operand("dst") && a.given("vec")) return "a vector goes behind a pointer: name it with dst=";
  if (a.operand("dst")) {
    const auto given = static_cast<std::int64_t>(a.items("dst").size());
    if (given != 1 && given != width(a)) {
      return "'dst' is one pointer, or " + std::to_string(width(a)) + " of them; " + std::to_string(given) + " given";
    }
    if (bits_of(a) == 8 && (width(a) > 1 || a.given("cache_hint") || a.given("cache_policy"))) {
      return "a load of 8 bits through 'dst' takes one value and no cache policy";
    }
  }
  return check_where(a, target);
}

Failure check_store(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  if (a.text("ptx_type") == "b128") {
    if (a.flag("weak") && a.text("space") == "shared::cta" && !a.given("vec") && !a.given("cop") &&
        !a.given("cache_hint") && !a.given("cache_policy") && !has_evictions(a)) {
      return check_address(a);
    }
    return "'ptx_type' = 'b128' needs src=, weak=True and space='shared::cta', and takes no other words";
  }
  if (a.operand("value")) {
    if (auto failure = check_type(a, a["value"].dtype(), "a value")) return failure;
  } else if (a.operand("values")) {
    const auto given = static_cast<std::int64_t>(a.items("values").size());
    if (given != width(a)) {
      return (width(a) == 1 ? std::string("a scalar store takes one value, ")
                            : "." + a.text("vec") + " takes " + std::to_string(width(a)) + " values, ") +
             std::to_string(given) + " given";
    }
    for (ir::Expr value : a.items("values")) {
      ir::DataType d = value.dtype();
      const int bits = d.storage_bits() * d.lanes;
      const char kind = a.text("ptx_type")[0];
      const bool is_word = kind == 'b' || (kind == 'f') == (d.is_floating() && d.lanes == 1);
      if (!is_word || (bits != bits_of(a) && !(bits_of(a) == 8 && bits == 32))) {
        return "." + a.text("ptx_type") + " cannot take a value of type " + ir::dtype_name(d);
      }
    }
  } else if (bits_of(a) == 8 && (width(a) > 1 || a.given("cache_hint") || a.given("cache_policy"))) {
    return "a store of 8 bits through 'src' takes one value and no cache policy";
  }
  return check_where(a, target);
}

// The registers of a load's results or of a store's values.
std::string registers(const Arguments& a, std::string_view pointer) {
  const Operand* memory = a.operand(pointer);
  if (a.operand("value")) return "{value}";
  if (!memory) return a.operand("values") ? a.given("vec") ? "{{{*values}}}" : "{*values}" : "{=}";
  const bool one = memory->kind != OperandKind::List || a.items(*memory).size() == 1;
  std::string out = one ? "{" + std::string(pointer) + "[" + std::to_string(width(a)) + "]:" + register_word(a) + "}"
                        : "{*" + std::string(pointer) + ":" + register_word(a) + "}";
  return width(a) == 1 ? out : "{{" + out + "}}";
}

std::string load_as(const Arguments& a, std::string_view head) {
  const std::string address = a.operand("space") ? "{addr@space}" : "{addr}";
  return std::string(head) + (a.operand("l1_evict") ? "{.l1_evict}{.l2_evict}{hint}" : "") +
         (a.operand("prefetch_size") ? "{.prefetch_size}" : "") + (a.operand("vec") ? "{.vec}" : "") + ".{ptx_type} " +
         registers(a, "dst") + ", [" + address + "]" + (a.operand("l1_evict") ? "{policy};" : ";");
}
std::string load(const Arguments& a, ir::Target) { return load_as(a, "ld{.weak}.{space}{.cop}"); }
std::string load_acquire(const Arguments& a, ir::Target) { return load_as(a, "ld.acquire.{scope}.{space}"); }
std::string load_relaxed(const Arguments& a, ir::Target) { return load_as(a, "ld.relaxed.{scope}.{space}"); }
std::string load_volatile(const Arguments& a, ir::Target) { return load_as(a, "ld.volatile.{space}"); }
// CUDA 13.0 assembles the relaxed accesses alone: a fence makes them acquire or release.
std::string load_mmio(const Arguments& a, ir::Target) {
  return load_as(a, "ld.mmio.relaxed.sys.global") + (a.text("sem") == "acquire" ? "\nfence.acq_rel.sys;" : "");
}
std::string load_constant(const Arguments& a, ir::Target) { return load_as(a, "ld.global{.cop}.nc"); }

std::string store_as(const Arguments& a, std::string_view head) {
  if (a.text("ptx_type") == "b128") {
    return ".reg .b128 v;\nmov.b128 v, {{{src[2]:u64}}};\nst.weak.shared::cta.b128 [{address@space}], v;";
  }
  const std::string address = a.operand("space") ? "{address@space}" : "{address}";
  return std::string(head) + (a.operand("l1_evict") ? "{.l1_evict}{.l2_evict}{hint}" : "") +
         (a.operand("vec") ? "{.vec}" : "") + ".{ptx_type} [" + address + "], " + registers(a, "src") +
         (a.operand("l1_evict") ? "{policy};" : ";");
}
std::string store(const Arguments& a, ir::Target) { return store_as(a, "st{.weak}{.space}{.cop}"); }
std::string store_relaxed(const Arguments& a, ir::Target) { return store_as(a, "st.relaxed.{scope}.{space}"); }
std::string store_release(const Arguments& a, ir::Target) { return store_as(a, "st.release.{scope}.{space}"); }
std::string store_volatile(const Arguments& a, ir::Target) { return store_as(a, "st.volatile.{space}"); }

// No register has 8 bits: what a pointer leads to goes through one of 32.
std::string byte_text(const Arguments& a, ir::Target target) {
  std::string text = a.row().text(a, target);
  const bool load = a.operand("dst") != nullptr;
  const std::string_view address = load ? "addr" : "address", memory = load ? "{dst[1]:u32}" : "{src[1]:u32}";
  text.replace(text.find(memory), memory.size(), load ? "%0" : "%1");
  const std::size_t hole = text.find("[{") + 1;
  text.replace(hole, text.find(']', hole) - hole, load ? "%1" : "%0");
  if (const std::size_t line = text.find('\n'); line != text.npos) text.replace(line, 1, " ");
  const bool number = !a[address].dtype().is_handle() && a[address].dtype().bits == 32;
  const bool shared = a.text("space").starts_with("shared");
  const std::string place = std::string(number || shared ? "\"r\"(" : "\"l\"(") +
                            (shared && !number ? "(unsigned int)__cvta_generic_to_shared({" : "{") +
                            std::string(address) + (shared && !number ? "}))" : "})");
  const std::string item = load ? "{*dst}" : "{src}";
  if (load) {
    return "unsigned int value;\nasm volatile(\"" + text + "\" : \"=r\"(value) : " + place +
           " : \"memory\");\n*reinterpret_cast<unsigned char*>(" + item + ") = (unsigned char)value;";
  }
  return "asm volatile(\"" + text + "\" : : " + place + ", \"r\"((unsigned int)*(const unsigned char*)" + item +
         ") : \"memory\");";
}
Emitted emit(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  return bits_of(a) == 8 ? emit_cxx_text(a, byte_text(a, target)) : emit_asm(row, args, target);
}

constexpr std::string_view kLoad = "ld{.weak}.space{.cop}{.levels}{.vec}.type d, [addr]{, policy};",
                           kAcquire = "ld.acquire.scope.space{.levels}{.vec}.type d, [addr]{, policy};",
                           kRelaxed = "ld.relaxed.scope.space{.levels}{.vec}.type d, [addr]{, policy};",
                           kConstant = "ld.global{.cop}.nc{.levels}{.vec}.type d, [addr]{, policy};",
                           kVolatile = "ld.volatile.space{.prefetch_size}{.vec}.type d, [addr];",
                           kMmio = "ld.mmio.relaxed.sys.global.type d, [addr]; {fence.acq_rel.sys;}",
                           kStore = "st{.weak}{.space}{.cop}{.levels}{.vec}.type [address], values{, policy};",
                           kStoreRelaxed = "st.relaxed.scope.space{.levels}{.vec}.type [address], values{, policy};",
                           kStoreRelease = "st.release.scope.space{.levels}{.vec}.type [address], values{, policy};",
                           kStoreVolatile = "st.volatile.space{.vec}.type [address], values;";

#define TILEWRIGHT_WEAK                                                                                    \
  "weak: flag = False, space: attr(global|shared|shared::cta|shared::cluster|local|const|param::entry) = " \
  "'global', cop: attr(|ca|cg|cs|lu|cv) = '', "
#define TILEWRIGHT_STORED(SPACE) "vec: attr(|v2|v4|v8) = '', ptx_type: attr(" TILEWRIGHT_TYPES SPACE "), "
#define TILEWRIGHT_STORE                                                                                \
  "weak: flag = False, space: attr(|global|shared|shared::cta|shared::cluster|local) = 'shared', cop: " \
  "attr(|wb|cg|cs|wt) = '', "
#define TILEWRIGHT_HINTS TILEWRIGHT_POLICY TILEWRIGHT_EVICTION

constexpr Intrinsic kVectorMemoryRows[] = {
    row<TILEWRIGHT_LOAD TILEWRIGHT_WEAK TILEWRIGHT_VALUE TILEWRIGHT_LEVELS>("W33", "ptx.ld", Meaning::LoadValue)
        .effects<"reads {space} addr[ptx_type]">()
        .quiet()
        .returns(type_named_by<1>)
        .check(check_load)
        .ptx(kLoad, load)
        .says("Loads one value. Shared spaces take the pointer's shared address, or that address as a number."),
    row<TILEWRIGHT_LOAD TILEWRIGHT_WEAK TILEWRIGHT_INTO TILEWRIGHT_LEVELS>("W34", "ptx.ld", Meaning::LoadInto)
        .effects<"reads {space} addr[ptx_type*vec]">()
        .quiet()
        .form("_dst")
        .check(check_load)
        .ptx(kLoad, load)
        .emits(emit)
        .says("Loads a value or a vector and writes it behind `dst`: one after the other, or each behind its own "
              "pointer."),
    row<TILEWRIGHT_LOAD TILEWRIGHT_SCOPED TILEWRIGHT_VALUE TILEWRIGHT_LEVELS>("W35", "ptx.ld_acquire",
                                                                              Meaning::LoadValue)
        .effects<"reads {space} addr[ptx_type] acquire.{scope}">()
        .quiet()
        .returns(type_named_by<1>)
        .check(check_load)
        .ptx(kAcquire, load_acquire)
        .says("Loads one value; what its writer released before is visible to this thread afterwards."),
    row<TILEWRIGHT_LOAD TILEWRIGHT_SCOPED TILEWRIGHT_INTO TILEWRIGHT_LEVELS>("W36", "ptx.ld_acquire", Meaning::LoadInto)
        .effects<"reads {space} addr[ptx_type*vec] acquire.{scope}">()
        .quiet()
        .form("_dst")
        .check(check_load)
        .ptx(kAcquire, load_acquire)
        .emits(emit)
        .says("ld_acquire into memory behind `dst`."),
    row<TILEWRIGHT_LOAD TILEWRIGHT_SCOPED TILEWRIGHT_VALUE TILEWRIGHT_LEVELS>("W37", "ptx.ld_relaxed",
                                                                              Meaning::LoadValue)
        .effects<"reads {space} addr[ptx_type] relaxed.{scope}">()
        .quiet()
        .returns(type_named_by<1>)
        .check(check_load)
        .ptx(kRelaxed, load_relaxed)
        .says("Loads one value as one step of a conversation among threads; it orders nothing else."),
    row<TILEWRIGHT_LOAD TILEWRIGHT_SCOPED TILEWRIGHT_INTO TILEWRIGHT_LEVELS>("W38", "ptx.ld_relaxed", Meaning::LoadInto)
        .effects<"reads {space} addr[ptx_type*vec] relaxed.{scope}">()
        .quiet()
        .form("_dst")
        .check(check_load)
        .ptx(kRelaxed, load_relaxed)
        .emits(emit)
        .says("ld_relaxed into memory behind `dst`."),
    row<TILEWRIGHT_LOAD "cop: attr(|ca|cg|cs) = '', " TILEWRIGHT_VALUE TILEWRIGHT_LEVELS>("W39", "ptx.ld_global_nc",
                                                                                          Meaning::LoadValue)
        .effects<"reads global addr[ptx_type]">()
        .quiet()
        .returns(type_named_by<1>)
        .check(check_load)
        .ptx(kConstant, load_constant)
        .says("Loads one value through the read-only cache: it must not be written while the kernel runs."),
    row<TILEWRIGHT_LOAD "cop: attr(|ca|cg|cs) = '', " TILEWRIGHT_INTO TILEWRIGHT_LEVELS>("W40", "ptx.ld_global_nc",
                                                                                         Meaning::LoadInto)
        .effects<"reads global addr[ptx_type*vec]">()
        .quiet()
        .form("_dst")
        .check(check_load)
        .ptx(kConstant, load_constant)
        .emits(emit)
        .says("ld_global_nc into memory behind `dst`."),
    row<TILEWRIGHT_LOAD TILEWRIGHT_SPACES TILEWRIGHT_VALUE TILEWRIGHT_PREFETCH>("W41", "ptx.ld_volatile",
                                                                                Meaning::LoadValue)
        .effects<"reads {space} addr[ptx_type] relaxed.sys">()
        .quiet()
        .returns(type_named_by<1>)
        .check(check_load)
        .ptx(kVolatile, load_volatile)
        .says("Loads one value that others may change at any time."),
    row<TILEWRIGHT_LOAD TILEWRIGHT_SPACES TILEWRIGHT_INTO TILEWRIGHT_PREFETCH>("W42", "ptx.ld_volatile",
                                                                               Meaning::LoadInto)
        .effects<"reads {space} addr[ptx_type*vec] relaxed.sys">()
        .quiet()
        .form("_dst")
        .check(check_load)
        .ptx(kVolatile, load_volatile)
        .emits(emit)
        .says("ld_volatile into memory behind `dst`."),
    row<TILEWRIGHT_LOAD "sem: attr(acquire|relaxed) = 'acquire'">("W43", "ptx.ld_mmio", Meaning::LoadValue)
        .effects<"fences memory acq_rel.sys if sem=acquire; reads global addr[ptx_type] relaxed.sys">()
        .returns(type_named_by<1>)
        .check(check_load)
        .ptx(kMmio, load_mmio)
        .says("Loads one value exactly once, as devices with registers in memory need it."),
    row<TILEWRIGHT_LOAD "dst: some to any, sem: attr(acquire|relaxed) = 'acquire'">("W44", "ptx.ld_mmio",
                                                                                    Meaning::LoadInto)
        .effects<"fences memory acq_rel.sys if sem=acquire; reads global addr[ptx_type] relaxed.sys">()
        .form("_dst")
        .check(check_load)
        .ptx(kMmio, load_mmio)
        .emits(emit)
        .says("ld_mmio into memory behind `dst`."),
    row<"address: address, *values: any, " TILEWRIGHT_STORE TILEWRIGHT_STORED("") TILEWRIGHT_HINTS>(
        "W45", "ptx.st", Meaning::StoreValues)
        .effects<"writes {space} address[ptx_type*count(values)]">()
        .check(check_store)
        .ptx(kStore, store)
        .says("Stores one value, or two, four or eight neighbouring ones."),
    row<"address: address, *, src: from any, " TILEWRIGHT_STORE TILEWRIGHT_STORED("|b128") TILEWRIGHT_HINTS>(
        "W46", "ptx.st", Meaning::StoreValues)
        .effects<"writes {space} address[ptx_type*vec]">()
        .form("_src")
        .check(check_store)
        .ptx(kStore, store)
        .emits(emit)
        .says("Stores what stands behind `src`: a value, or a vector of neighbours."),
    row<"address: address, *values: any, " TILEWRIGHT_SCOPED TILEWRIGHT_STORED("") TILEWRIGHT_HINTS>(
        "W47", "ptx.st_relaxed", Meaning::StoreValues)
        .effects<"writes {space} address[ptx_type*count(values)] relaxed.{scope}">()
        .check(check_store)
        .ptx(kStoreRelaxed, store_relaxed)
        .says("Stores values as one step of a conversation among threads; it orders nothing else."),
    row<"address: address, *, src: from any, " TILEWRIGHT_SCOPED TILEWRIGHT_STORED("") TILEWRIGHT_HINTS>(
        "W48", "ptx.st_relaxed", Meaning::StoreValues)
        .effects<"writes {space} address[ptx_type*vec] relaxed.{scope}">()
        .form("_src")
        .check(check_store)
        .ptx(kStoreRelaxed, store_relaxed)
        .emits(emit)
        .says("st_relaxed of what stands behind `src`."),
    row<"address: address, *values: any, " TILEWRIGHT_SCOPED TILEWRIGHT_STORED("") TILEWRIGHT_HINTS>(
        "W49", "ptx.st_release", Meaning::StoreValues)
        .effects<"writes {space} address[ptx_type*count(values)] release.{scope}">()
        .check(check_store)
        .ptx(kStoreRelease, store_release)
        .says("Stores values; what this thread wrote before is visible to who acquires them."),
    row<"address: address, *, src: from any, " TILEWRIGHT_SCOPED TILEWRIGHT_STORED("") TILEWRIGHT_HINTS>(
        "W50", "ptx.st_release", Meaning::StoreValues)
        .effects<"writes {space} address[ptx_type*vec] release.{scope}">()
        .form("_src")
        .check(check_store)
        .ptx(kStoreRelease, store_release)
        .emits(emit)
        .says("st_release of what stands behind `src`."),
    row<"address: address, *values: any, " TILEWRIGHT_SPACES "vec: attr(|v2|v4|v8) = '', ptx_type: "
        "attr(" TILEWRIGHT_TYPES ")">("W51", "ptx.st_volatile", Meaning::StoreValues)
        .effects<"writes {space} address[ptx_type*count(values)] relaxed.sys">()
        .check(check_store)
        .ptx(kStoreVolatile, store_volatile)
        .says("Stores values that others may read at any time."),
    row<"address: address, *, src: from any, " TILEWRIGHT_SPACES "vec: attr(|v2|v4|v8) = '', ptx_type: "
        "attr(" TILEWRIGHT_TYPES ")">("W52", "ptx.st_volatile", Meaning::StoreValues)
        .effects<"writes {space} address[ptx_type*vec] relaxed.sys">()
        .form("_src")
        .check(check_store)
        .ptx(kStoreVolatile, store_volatile)
        .emits(emit)
        .says("st_volatile of what stands behind `src`."),
    row<"address: address, value: any, *, sem: attr(release|relaxed) = 'release', ptx_type: attr(" TILEWRIGHT_TYPES
        ")">("W53", "ptx.st_mmio", Meaning::StoreValues)
        .effects<"fences memory acq_rel.sys if sem=release; writes global address[ptx_type] relaxed.sys">()
        .check(check_store)
        .ptx("{fence.acq_rel.sys;} st.mmio.relaxed.sys.global.type [address], value;",
             [](const Arguments& a, ir::Target) {
               return (a.text("sem") == "release" ? std::string("fence.acq_rel.sys;\n") : std::string()) +
                      store_as(a, "st.mmio.relaxed.sys.global");
             })
        .says("Stores one value exactly once, as devices with registers in memory need it."),
};

#undef TILEWRIGHT_TYPES
#undef TILEWRIGHT_LOAD
#undef TILEWRIGHT_VALUE
#undef TILEWRIGHT_INTO
#undef TILEWRIGHT_SPACES
#undef TILEWRIGHT_SCOPED
#undef TILEWRIGHT_POLICY
#undef TILEWRIGHT_EVICTION
#undef TILEWRIGHT_PREFETCH
#undef TILEWRIGHT_LEVELS
#undef TILEWRIGHT_WEAK
#undef TILEWRIGHT_STORED
#undef TILEWRIGHT_STORE
#undef TILEWRIGHT_HINTS

}  // namespace

std::span<const Intrinsic> vector_memory_rows() { return kVectorMemoryRows; }

}  // namespace tilewright::intrinsics
