// tcgen05: tensor memory and the matrix unit of the sm_100a class.
#include "compiler/intrinsics/rows/tcgen05.h"

#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/forms.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace tcgen05 {

namespace {

constexpr Type kTypes[] = {
    {"float16|fp16", Class::F16, 0, 0, 16},
    {"bfloat16|bf16", Class::BF16, 0, 1, 16},
    {"float32|fp32", Class::F32, 1, -1, 32},
    {"tf32", Class::TF32, -1, 2, 32},
    {"int32|s32", Class::I32, 2, -1, 32},
    {"uint8|u8", Class::I8, -1, 0, 8},
    {"int8|s8", Class::I8, -1, 1, 8},
    {"float8_e4m3fn|e4m3", Class::F8, -1, 0, 8},
    {"float8_e5m2|e5m2", Class::F8, -1, 1, 8},
    {"float6_e2m3fn|e2m3", Class::F6, -1, 3, 6},
    {"float6_e3m2fn|e3m2", Class::F6, -1, 4, 6},
    {"float4_e2m1fn|e2m1", Class::F4, -1, 5, 4},
    {"float8_e8m0fnu|e8m0|ue8m0", Class::E8M0, -1, -1, 8},
};

bool is_narrow_float(Class c) { return c == Class::F8 || c == Class::F6 || c == Class::F4; }

}  // namespace

const Type* type_named(std::string_view name) {
  for (const Type& t : kTypes) {
    if (is_one_of(name, t.names)) return &t;
  }
  return nullptr;
}

std::expected<Kind, std::string> kind_of(const Arguments& a) {
  if (form_of(a.row()) && a.text("a_dtype") == "s1z4m11") return Kind{"ti16"};  // no row of its own makes it
  const Type *d = type_named(a.text("d_dtype")), *x = type_named(a.text("a_dtype")), *y = type_named(a.text("b_dtype"));
  for (std::string_view name : {"d_dtype", "a_dtype", "b_dtype"}) {
    if (!type_named(a.text(name)))
      return std::unexpected("'" + std::string(name) + "' = '" + a.text(name) + "' is no type of tcgen05.mma");
  }
  const bool same = x->type_class == y->type_class;
  if (a.operand("sfa_dtype")) {
    const Type *sa = type_named(a.text("sfa_dtype")), *sb = type_named(a.text("sfb_dtype"));
    bool scales_agree = sa && sb && sa == sb;
    bool e8m0 = scales_agree && sa->type_class == Class::E8M0;
    bool e4m3 = scales_agree && sa->type_class == Class::F8 && sa->input == 0;
    bool fp4 = x->type_class == Class::F4 && same;
    if (d->type_class == Class::F32) {
      if (fp4 && e8m0) return Kind{"mxf4", 2};
      if (fp4 && e4m3) return Kind{"mxf4nvf4", 4};
      if (is_narrow_float(x->type_class) && is_narrow_float(y->type_class) && e8m0) return Kind{"mxf8f6f4", 1};
    }
  } else {
    if (x->type_class == Class::F16 && same && (d->type_class == Class::F16 || d->type_class == Class::F32))
      return Kind{"f16"};
    if (x->type_class == Class::BF16 && same && d->type_class == Class::F32) return Kind{"f16"};
    if (x->type_class == Class::TF32 && same && d->type_class == Class::F32) return Kind{"tf32"};
    if (x->type_class == Class::I8 && same && d->type_class == Class::I32) return Kind{"i8"};
    if (is_narrow_float(x->type_class) && is_narrow_float(y->type_class) &&
        (d->type_class == Class::F32 || d->type_class == Class::F16)) {
      return Kind{"f8f6f4"};
    }
  }
  return std::unexpected(
      "no tcgen05.mma multiplies " + a.text("a_dtype") + " by " + a.text("b_dtype") + " into " + a.text("d_dtype") +
      (a.operand("sfa_dtype") ? " with scales " + a.text("sfa_dtype") + " and " + a.text("sfb_dtype") : ""));
}

}  // namespace tcgen05

namespace {

using enum Availability;
using tcgen05::Kind;
using tcgen05::kind_of;

Failure check_columns(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  return check_power_of_two(Arguments(row, args), "n_cols", 32, 512);
}

// ---- loads and stores of tensor memory
// -------------------------------------------------------------------------------

struct Shape {
  std::string_view name;
  int registers_per_num;
  int max_num;
};
constexpr Shape kShapes[] = {
    {"32x32b", 1, 128}, {"16x64b", 1, 128}, {"16x128b", 2, 64}, {"16x256b", 4, 32}, {"16x32bx2", 1, 128},
};

Failure check_registers(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  const std::string name = a.text("shape");
  for (const Shape& s : kShapes) {
    if (s.name != name) continue;
    if (auto failure = check_power_of_two(a, "num", 1, s.max_num)) return failure;
    const std::int64_t wanted = a.integer("num") * s.registers_per_num;
    const auto registers = a.items("regs");
    if (static_cast<std::int64_t>(registers.size()) != wanted) {
      return name + ".x" + a.text("num") + " moves " + std::to_string(wanted) + " registers a thread, " +
             std::to_string(registers.size()) + " given";
    }
    for (ir::Expr r : registers) {
      if (r.dtype().storage_bits() * r.dtype().lanes != 32) {
        return "registers have 4 bytes, not those of " + ir::dtype_name(r.dtype());
      }
    }
  }
  return std::nullopt;
}

// Lane and column offsets are added field by field, without carry (intrinsics.md 4.2); constant zeros cost nothing.
struct Address {
  std::string setup, text;
};
Address address_of(const Arguments& a, const std::string& base) {
  if (ir::is_constant(a["row"], 0) && ir::is_constant(a["col"], 0)) return {"", "[{" + base + "}]"};
  return {".reg .b32 lane, column, at;\nshr.u32 lane, {" + base +
              "}, 16;\nadd.u32 lane, lane, {row};\n"
              "shl.b32 lane, lane, 16;\nadd.u32 column, {" +
              base +
              "}, {col};\nand.b32 column, column, 0xffff;\n"
              "or.b32 at, lane, column;\n",
          "[at]"};
}

// The two halves of 16x32bx2 lie `num` columns apart, packed ones twice as many.
std::string half_split(const Arguments& a, std::string_view packing) {
  if (a.text("shape") != "16x32bx2") return "";
  return ", " + std::to_string(a.integer("num") * (a.flag(packing) ? 2 : 1));
}

std::string load(const Arguments& a, ir::Target) {
  Address at = address_of(a, "src_addr");
  return at.setup + "tcgen05.ld.sync.aligned.{shape}.x{num}{pack?.pack::16b}.b32 {{{*regs}}}, " + at.text +
         half_split(a, "pack") + ";";
}
std::string store(const Arguments& a, ir::Target) {
  Address at = address_of(a, "dst_addr");
  return at.setup + "tcgen05.st.sync.aligned.{shape}.x{num}{unpack?.unpack::16b}.b32 " + at.text +
         half_split(a, "unpack") + ", {{{*regs:u32}}};";
}

std::string copy(const Arguments& a, ir::Target) {
  Address at = address_of(a, "taddr");
  return at.setup + "tcgen05.cp.cta_group::{cta_group}.{shape}{.multicast}{.decompress} " + at.text + ", {src_desc};";
}

Failure check_copy(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  const std::string shape = a.text("shape"), multicast = a.text("multicast");
  std::string_view wanted = shape == "64x128b" ? "warpx2::02_13|warpx2::01_23" : shape == "32x128b" ? "warpx4" : "";
  if (is_one_of(multicast, wanted)) return std::nullopt;
  if (wanted.empty()) return "shape " + shape + " is not multicast";
  return "shape " + shape + " needs multicast " + std::string(wanted);
}

std::string commit(const Arguments& a, ir::Target) {
  bool unicast = ir::is_constant(a["cta_mask"], 0);
  std::string out = a.given("pred") ? ".reg .pred p;\nsetp.ne.s32 p, {pred}, 0;\n@p " : "";
  out += "tcgen05.commit.cta_group::{cta_group}.mbarrier::arrive::one.shared::cluster";
  if (!unicast) out += ".multicast::cluster";
  return out + ".b64 [{bar}]" + (unicast ? "" : ", {cta_mask}") + ";";
}

// ---- mma
// -------------------------------------------------------------------------------------------------------------

bool is_sparse(const Arguments& a) { return a.operand("sp_tmem_addr") != nullptr; }

Failure check_mma(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  auto kind = kind_of(a);
  if (!kind) return kind.error();
  const bool has_integers = available(Sm100aOnly, target) || (target.number() == 110 && target.suffix == 'a');
  if (kind->name == "i8" && !has_integers) {
    return "integer inputs need " + std::string(availability_name(Sm100aOnly)) + " or sm_110a, this is " +
           target.name();
  }
  if (const Operand* lanes = a.operand("disable_output_lane")) {
    const std::size_t given = a.items(*lanes).size(), wanted = a.integer("cta_group") == 2 ? 8 : 4;
    if (given != 0 && given != wanted) {
      return "cta_group " + a.text("cta_group") + " has " + std::to_string(wanted) + " words of disabled lanes, " +
             std::to_string(given) + " given";
    }
    if (auto failure = check_range(a, "scale_input_d", 0, 15)) return failure;
    if (a.integer("scale_input_d") > 0 && kind->name != "f16" && kind->name != "tf32") {
      return "'scale_input_d' belongs to the kinds f16 and tf32, this is " + std::string(kind->name);
    }
    if (a.integer("scale_input_d") > 0 && target.major != 10) {
      return "'scale_input_d' needs " + std::string(availability_name(Sm100aClass)) + ", this is " + target.name();
    }
  }
  const ir::DataType operand = a["a_operand"].dtype();
  if (!operand.is_integral())
    return "'a_operand' is a descriptor or a tensor-memory address, not " + ir::dtype_name(operand);
  return std::nullopt;
}

std::string a_operand(const Arguments& a) { return a.flag("use_a_tmem") ? "[{a_operand:u32}]" : "{a_operand:u64}"; }

std::string mma(const Arguments& a, ir::Target) {
  const Kind kind = *kind_of(a);
  std::string out = ".reg .pred enable;\nsetp.ne.b32 enable, {enable_input_d}, 0;\n", guard;
  if (a.operand("pred") && a.given("pred")) {
    out += ".reg .pred issue;\nsetp.ne.b32 issue, {pred}, 0;\n";
    guard = "@issue ";
  }
  std::string lanes = "{{{*disable_output_lane}}}";
  if (a.items("disable_output_lane").empty()) {
    out += ".reg .b32 none;\nmov.b32 none, 0;\n";
    lanes = a.integer("cta_group") == 2 ? "{{none, none, none, none, none, none, none, none}}"
                                        : "{{none, none, none, none}}";
  }
  out += guard + "tcgen05.mma" + (is_sparse(a) ? ".sp" : "") +
         ".cta_group::{cta_group}.kind::" + std::string(kind.name) + " [{d_tmem_addr}], " + a_operand(a) +
         ", {b_desc}, ";
  if (is_sparse(a)) out += "[{sp_tmem_addr}], ";
  out += "{i_desc}, " + lanes + ", enable";
  if (a.integer("scale_input_d") > 0) out += ", {scale_input_d}";
  return out + ";";
}

std::string mma_block_scale(const Arguments& a, ir::Target) {
  const Kind kind = *kind_of(a);
  std::string out =
      ".reg .pred enable;\nsetp.ne.b32 enable, {enable_input_d}, 0;\n"
      "tcgen05.mma" +
      std::string(is_sparse(a) ? ".sp" : "") + ".cta_group::{cta_group}.kind::" + std::string(kind.name) +
      ".block_scale.scale_vec::" + std::to_string(kind.scale_vector) + "X [{d_tmem_addr}], " + a_operand(a) +
      ", {b_desc}, ";
  if (is_sparse(a)) out += "[{sp_tmem_addr}], ";
  return out + "{i_desc}, [{sfa_tmem_addr}], [{sfb_tmem_addr}], enable;";
}

#define TILEWRIGHT_GROUP "cta_group: attr(1|2) = 1"
#define TILEWRIGHT_OFFSETS "row: u32 = 0, col: u32 = 0"
#define TILEWRIGHT_SHAPES "shape: attr(32x32b|16x64b|16x128b|16x256b|16x32bx2), num: attr"
#define TILEWRIGHT_MMA(SPARSE)                                                                                     \
  "d_tmem_addr: u32, a_operand: any, b_desc: u64, " SPARSE                                                         \
  "i_desc: u32, *disable_output_lane: u32, d_dtype: attr, "                                                        \
  "a_dtype: attr, b_dtype: attr, use_a_tmem: flag, cta_group: attr(1|2), enable_input_d: i32 = 1, scale_input_d: " \
  "attr = 0"
#define TILEWRIGHT_SCALED(SPARSE)                                                                                     \
  "d_tmem_addr: u32, a_operand: any, b_desc: u64, sfa_tmem_addr: u32, sfb_tmem_addr: u32, " SPARSE                    \
  "i_desc: u32, *, d_dtype: attr, a_dtype: attr, b_dtype: attr, sfa_dtype: attr, sfb_dtype: attr, use_a_tmem: flag, " \
  "cta_group: attr(1|2), enable_input_d: i32 = 1"

constexpr Intrinsic kTcgen05Rows[] = {
    row<"dst_ptr: shared, n_cols: u32, " TILEWRIGHT_GROUP>("P74", "ptx.tcgen05.alloc", Meaning::TmemAlloc)
        .effects<"writes shared dst_ptr[4]; allocates columns dst_ptr[n_cols]; by warp pair cta_group">()
        .cc(Sm100aClass)
        .check(check_columns)
        .ptx("tcgen05.alloc.cta_group::{cta_group}.sync.aligned.shared::cta.b32 [{dst_ptr}], {n_cols};")
        .says("One warp allocates columns of tensor memory, blocking until they are free, and writes their address to "
              "shared "
              "memory."),
    row<"taddr: u32, n_cols: u32, " TILEWRIGHT_GROUP>("P75", "ptx.tcgen05.dealloc", Meaning::TmemDealloc)
        .effects<"frees columns taddr[n_cols]; by warp pair cta_group">()
        .cc(Sm100aClass)
        .check(check_columns)
        .ptx("tcgen05.dealloc.cta_group::{cta_group}.sync.aligned.b32 {taddr}, {n_cols};")
        .says("One warp gives columns of tensor memory back; all must be before the CTA ends."),
    row<TILEWRIGHT_GROUP>("P76", "ptx.tcgen05.relinquish_alloc_permit", Meaning::TmemRelinquish)
        .effects<"frees permit; by warp pair cta_group">()
        .cc(Sm100aClass)
        .ptx("tcgen05.relinquish_alloc_permit.cta_group::{cta_group}.sync.aligned;")
        .says("This CTA will allocate no more tensor memory."),
    row<"taddr: u32, " TILEWRIGHT_GROUP>("P77", "ptx.tcgen05.shift", Meaning::TmemShift)
        .effects<"reads tensor taddr; writes tensor taddr; until tcgen05; by one pair cta_group">()
        .cc(Sm100a103a)
        .ptx("tcgen05.shift.cta_group::{cta_group}.down [{taddr}];")
        .says("Moves the rows of tensor memory down by one, asynchronously."),
    row<"src_addr: u32, *regs: out any, " TILEWRIGHT_SHAPES ", " TILEWRIGHT_OFFSETS ", pack: flag = False">(
        "P78", "ptx.tcgen05.ld", Meaning::TmemLoad)
        .effects<"reads tensor src_addr[128*count(regs)]; until tcgen05.ld; by warp">()
        .cc(Sm100aClass)
        .quiet()
        .check(check_registers)
        .ptx("tcgen05.ld.sync.aligned.SHAPE.xN{.pack::16b}.b32 {regs}, [addr + row, col];", load)
        .says("The warp starts loading its lanes of tensor memory into registers; tcgen05.wait.ld says when they are "
              "there."),
    row<"dst_addr: u32, *regs: in any, " TILEWRIGHT_SHAPES ", " TILEWRIGHT_OFFSETS ", unpack: flag = False">(
        "P79", "ptx.tcgen05.st", Meaning::TmemStore)
        .effects<"writes tensor dst_addr[128*count(regs)]; until tcgen05.st; by warp">()
        .cc(Sm100aClass)
        .quiet()
        .check(check_registers)
        .ptx("tcgen05.st.sync.aligned.SHAPE.xN{.unpack::16b}.b32 [addr + row, col], {regs};", store)
        .says(
            "The warp starts storing registers into its lanes of tensor memory; tcgen05.wait.st says when it is done."),
    row<"">("P80", "ptx.tcgen05.wait.ld", Meaning::TmemWait)
        .effects<"waits tcgen05.ld; by warp">()
        .cc(Sm100aClass)
        .ptx("tcgen05.wait::ld.sync.aligned;")
        .says("Waits until this thread's tcgen05.ld have filled their registers."),
    row<"">("P81", "ptx.tcgen05.wait.st", Meaning::TmemWait)
        .effects<"waits tcgen05.st; by warp">()
        .cc(Sm100aClass)
        .ptx("tcgen05.wait::st.sync.aligned;")
        .says("Waits until this thread's tcgen05.st have reached tensor memory."),
    row<"">("P82", "ptx.tcgen05.fence.before_thread_sync", Meaning::TmemFence)
        .effects<"fences before_thread_sync">()
        .cc(Sm100aClass)
        .ptx("tcgen05.fence::before_thread_sync;")
        .says("Orders earlier tcgen05 operations before the thread synchronisation that follows."),
    row<"">("P83", "ptx.tcgen05.fence.after_thread_sync", Meaning::TmemFence)
        .effects<"fences after_thread_sync">()
        .cc(Sm100aClass)
        .ptx("tcgen05.fence::after_thread_sync;")
        .says("Orders later tcgen05 operations after the thread synchronisation before it."),
    row<"taddr: u32, src_desc: u64, *, shape: attr(128x256b|4x256b|128x128b|64x128b|32x128b), " TILEWRIGHT_GROUP
        ", multicast: attr(|warpx2::02_13|warpx2::01_23|warpx4) = '', decompress: "
        "attr(|b8x16.b4x16_p64|b8x16.b6x16_p32) = '', " TILEWRIGHT_OFFSETS>("P84", "ptx.tcgen05.cp", Meaning::TmemCopy)
        .effects<"reads shared src_desc[shape]; writes tensor taddr; proxy async; until tcgen05; "
                 "by one pair cta_group">()
        .cc(Sm100aClass)
        .quiet()
        .check(check_copy)
        .ptx("tcgen05.cp.cta_group::G.SHAPE{.multicast}{.decompress} [addr + row, col], desc;", copy)
        .says("Starts copying a matrix of shared memory, given by a descriptor, to tensor memory."),
    row<"bar: shared, " TILEWRIGHT_GROUP ", cta_mask: u16 = 0, *, pred: i32 = None">("P85", "ptx.tcgen05.commit",
                                                                                     Meaning::TmemCommit)
        .effects<"arrives mbarrier bar in cta_mask release.cluster after tcgen05; when pred; "
                 "by one pair cta_group">()
        .cc(Sm100aClass)
        .ptx("{@p} tcgen05.commit.cta_group::G.mbarrier::arrive::one.shared::cluster{.multicast::cluster}.b64 [bar]{, "
             "mask};",
             commit)
        .says("Makes the barrier, of several CTAs when a mask names them, get one arrival when this thread's tcgen05 "
              "operations so far are done. One thread does it."),
    row<TILEWRIGHT_MMA("") ", pred: i32 = None">("P86", "ptx.tcgen05.mma", Meaning::TmemMma)
        .effects<"reads tensor a_operand[tile] if use_a_tmem; reads shared a_operand[tile] unless use_a_tmem; "
                 "reads shared b_desc[tile]; reads tensor d_tmem_addr[tile] if enable_input_d; "
                 "writes tensor d_tmem_addr[tile]; proxy async; until tcgen05; when pred; by one pair cta_group">()
        .cc(Sm100aClass)
        .quiet()
        .check(check_mma)
        .ptx("{@p} tcgen05.mma.cta_group::G.kind::K [d], a, b_desc, i_desc, {disabled lanes}, enable_input_d{, scale};",
             mma)
        .says("One thread starts d = a * b (+ d where enable_input_d is not 0) into tensor memory, asynchronously."),
    row<TILEWRIGHT_MMA("sp_tmem_addr: u32, ")>("P87", "ptx.tcgen05.mma.sp", Meaning::TmemMmaSparse)
        .effects<"reads tensor a_operand[tile] if use_a_tmem; reads shared a_operand[tile] unless use_a_tmem; "
                 "reads shared b_desc[tile]; reads tensor sp_tmem_addr[tile]; "
                 "reads tensor d_tmem_addr[tile] if enable_input_d; writes tensor d_tmem_addr[tile]; "
                 "proxy async; until tcgen05; by one pair cta_group">()
        .cc(Sm100aClass)
        .quiet()
        .check(check_mma)
        .ptx("tcgen05.mma.sp.cta_group::G.kind::K [d], a, b_desc, [sp], i_desc, {disabled lanes}, enable_input_d{, "
             "scale};",
             mma)
        .says("tcgen05.mma with two of four elements of A present; the metadata in tensor memory says which."),
    row<TILEWRIGHT_SCALED("")>("P88", "ptx.tcgen05.mma.block_scale", Meaning::TmemMmaBlockScale)
        .effects<"reads tensor a_operand[tile] if use_a_tmem; reads shared a_operand[tile] unless use_a_tmem; "
                 "reads shared b_desc[tile]; reads tensor sfa_tmem_addr[tile]; "
                 "reads tensor sfb_tmem_addr[tile]; reads tensor d_tmem_addr[tile] if enable_input_d; "
                 "writes tensor d_tmem_addr[tile]; proxy async; until tcgen05; by one pair cta_group">()
        .cc(Sm100a103a)
        .quiet()
        .check(check_mma)
        .ptx("tcgen05.mma.cta_group::G.kind::K.block_scale.scale_vec::VX [d], a, b_desc, i_desc, [sfa], [sfb], "
             "enable_input_d;",
             mma_block_scale)
        .says("tcgen05.mma whose inputs are scaled block by block; the scales are in tensor memory."),
    row<TILEWRIGHT_SCALED("sp_tmem_addr: u32, ")>("P89", "ptx.tcgen05.mma.sp.block_scale", Meaning::TmemMmaBlockScale)
        .effects<"reads tensor a_operand[tile] if use_a_tmem; reads shared a_operand[tile] unless use_a_tmem; "
                 "reads shared b_desc[tile]; reads tensor sp_tmem_addr[tile]; reads tensor sfa_tmem_addr[tile]; "
                 "reads tensor sfb_tmem_addr[tile]; reads tensor d_tmem_addr[tile] if enable_input_d; "
                 "writes tensor d_tmem_addr[tile]; proxy async; until tcgen05; by one pair cta_group">()
        .cc(Sm100a103a)
        .quiet()
        .check(check_mma)
        .ptx(
            "tcgen05.mma.sp.cta_group::G.kind::K.block_scale.scale_vec::VX [d], a, b_desc, [sp], i_desc, [sfa], [sfb], "
            "enable_input_d;",
            mma_block_scale)
        .says("tcgen05.mma with sparse A and scaled blocks."),
};

}  // namespace

std::span<const Intrinsic> tcgen05_rows() { return kTcgen05Rows; }

}  // namespace tilewright::intrinsics
