// Warp-level matrix units: fragments to and from shared memory, and mma.
#include <array>

#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/helper_text.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

// ---- ldmatrix, stmatrix
// ----------------------------------------------------------------------------------------------

Failure check_fragments(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  const std::size_t given = a.items(row.operands.back()).size();
  if (static_cast<std::int64_t>(given) != a.integer("num")) {
    return "x" + a.text("num") + " moves " + a.text("num") + " registers a lane, " + std::to_string(given) + " given";
  }
  if (a.operand("shape")) {
    bool bytes = a.text("dtype").ends_with("b8");
    if (bytes != (a.text("shape") == "m16n8")) return "8-bit elements go with shape m16n8, 16-bit ones with m8n8";
    if (bytes && !a.flag("trans")) return "shape m16n8 exists transposed only";
    if (bytes && !available(Sm100Suffixed, target)) {
      return "m16n8.b8 needs " + std::string(availability_name(Sm100Suffixed)) + ", this is " + target.name();
    }
  }
  return std::nullopt;
}

std::string stmatrix(const Arguments& a, ir::Target) {
  std::string type = a.text("dtype").ends_with("b8") ? ".b8" : ".b16";
  return "stmatrix.sync.aligned.{shape}.x{num}{trans?.trans}.{space}" + type + " [{smem_ptr}], {{{*src_handles}}};";
}

// The old form addresses registers and shared memory by pointer and element offset.
std::string ldmatrix_legacy(const Arguments& a, ir::Target) {
  ir::DataType element = a.operand("elem") ? ir::parse_dtype(a.text("elem")).value_or(ir::kFloat16) : ir::kFloat16;
  if (a.flag("trans") && element.bits == 8) {
    // The hardware transposes 16-bit elements only: each lane gathers its sixteen bytes of the B fragment.
    return "int lane = threadIdx.x % 32;\n"
           "for (int i = 0; i < 16; ++i) {{\n"
           "  int row = i % 8 / 4 * 16 + lane % 4 * 4 + i % 4;\n"
           "  int column = i / 8 * 8 + lane / 4;\n"
           "  {local_ptr}[{local_offset} + i] = {smem_ptr}[row * {smem_offset} + column];\n"
           "}}";
  }
  const std::int64_t n = a.integer("num");
  std::string registers, outputs;
  for (std::int64_t i = 0; i < n; ++i) {
    registers += (i ? ", %" : "%") + std::to_string(i);
    outputs += (i ? ", \"=r\"(to[" : "\"=r\"(to[") + std::to_string(i) + "])";
  }
  return "unsigned int* to = (unsigned int*)({local_ptr} + {local_offset});\n"
         "asm volatile(\"ldmatrix.sync.aligned.m8n8.x{num}{trans?.trans}.shared.b16 {{" +
         registers + "}}, [%" + std::to_string(n) + "];\"\n    : " + outputs +
         "\n    : \"r\"((unsigned int)__cvta_generic_to_shared({smem_ptr} + {smem_offset})));";
}

// ---- mma
// -------------------------------------------------------------------------------------------------------------

struct MmaType {
  std::string_view names;  // script spellings
  std::string_view ptx;
  int bits;
  char kind;  // operands of one kind go together: f16, b(f16), t(f32), d(ouble), i(nt8), n(ibble), 1 bit, 8-bit float
};
constexpr MmaType kTypes[] = {
    {"fp16|float16|f16", "f16", 16, 'h'},
    {"bf16|bfloat16", "bf16", 16, 'b'},
    {"tf32", "tf32", 32, 't'},
    {"fp32|float32|f32", "f32", 32, 'f'},
    {"fp64|float64|f64", "f64", 64, 'd'},
    {"s8|int8", "s8", 8, 'i'},
    {"u8|uint8", "u8", 8, 'i'},
    {"s4|int4", "s4", 4, 'n'},
    {"u4|uint4", "u4", 4, 'n'},
    {"b1|int1|uint1", "b1", 1, '1'},
    {"e4m3|float8_e4m3fn", "e4m3", 8, '8'},
    {"e5m2|float8_e5m2", "e5m2", 8, '8'},
    {"s32|int32", "s32", 32, 's'},
};
const MmaType* mma_type(std::string_view name) {
  for (const MmaType& t : kTypes) {
    if (is_one_of(name, t.names)) return &t;
  }
  return nullptr;
}

struct MmaForm {
  std::string_view shape;
  char operands;
  std::string_view accumulators;  // kinds
  Availability needs;
  bool sparse = false;
};
constexpr MmaForm kForms[] = {
    {"m8n8k4", 'h', "hf", All},          {"m16n8k8", 'h', "hf", All},         {"m16n8k16", 'h', "hf", Sm80},
    {"m16n8k16", 'b', "f", Sm80},        {"m16n8k8", 'b', "f", Sm80},         {"m16n8k4", 't', "f", Sm80},
    {"m16n8k8", 't', "f", Sm80},         {"m8n8k4", 'd', "d", Sm80},          {"m16n8k4", 'd', "d", Sm90},
    {"m16n8k8", 'd', "d", Sm90},         {"m16n8k16", 'd', "d", Sm90},        {"m8n8k16", 'i', "s", All},
    {"m16n8k16", 'i', "s", Sm80},        {"m16n8k32", 'i', "s", Sm80},        {"m8n8k32", 'n', "s", All},
    {"m16n8k32", 'n', "s", Sm80},        {"m16n8k64", 'n', "s", Sm80},        {"m8n8k128", '1', "s", Sm80},
    {"m16n8k128", '1', "s", Sm80},       {"m16n8k256", '1', "s", Sm80},       {"m16n8k32", '8', "f", Sm89},
    {"m16n8k16", 'h', "hf", Sm80, true}, {"m16n8k32", 'h', "hf", Sm80, true}, {"m16n8k16", 'b', "f", Sm80, true},
    {"m16n8k32", 'b', "f", Sm80, true},
};

// Names of the attributes in the three spellings.
struct MmaNames {
  std::string_view a, b, c, d, a_layout, b_layout, bit_op;
};
constexpr MmaNames kDense = {"a_type", "b_type", "c_type", "d_type", "a_layout", "b_layout", "bit_op"};
constexpr MmaNames kIndexed = {"A_dtype", "B_dtype", "C_dtype", "C_dtype", "A_layout", "B_layout", "operator"};

struct MmaShape {
  int m = 0, n = 0, k = 0;
};
MmaShape mma_shape(std::string_view text) {
  MmaShape s;
  int* to = nullptr;
  for (char c : text) {
    if (c == 'm') to = &s.m;
    if (c == 'n') to = &s.n;
    if (c == 'k') to = &s.k;
    if (c >= '0' && c <= '9' && to) *to = *to * 10 + (c - '0');
  }
  return s;
}

// 32-bit (f64: 64-bit) registers a lane. Quads of eight lanes share the m8n8k4 of f16.
int registers_of(int elements, const MmaType& t, bool quads) {
  return elements * t.bits / (quads ? 8 : 32) / (t.kind == 'd' ? 64 : 32);
}
struct MmaRegisters {
  int a, b, c, d;
};
MmaRegisters mma_registers(const Arguments& args, const MmaNames& names, bool sparse) {
  MmaShape s = mma_shape(args.text("shape"));
  const MmaType &a = *mma_type(args.text(names.a)), &b = *mma_type(args.text(names.b)),
                &c = *mma_type(args.text(names.c)), &d = *mma_type(args.text(names.d));
  bool quads = a.kind == 'h' && s.m == 8;
  return {registers_of(s.m * s.k / (sparse ? 2 : 1), a, quads), registers_of(s.k * s.n, b, quads),
          registers_of(s.m * s.n, c, quads), registers_of(s.m * s.n, d, quads)};
}

Failure check_form(const Arguments& args, const MmaNames& names, bool sparse, ir::Target target) {
  const MmaType *a = mma_type(args.text(names.a)), *b = mma_type(args.text(names.b)), *c = mma_type(args.text(names.c)),
                *d = mma_type(args.text(names.d));
  for (std::string_view name : {names.a, names.b, names.c, names.d}) {
    if (!mma_type(args.text(name))) return "'" + std::string(name) + "' = '" + args.text(name) + "' is no type of mma";
  }
  const std::string shape = args.text("shape");
  auto form = std::string("no mma of shape ") + shape + " multiplies " + std::string(a->ptx) + " by " +
              std::string(b->ptx) + " into " + std::string(d->ptx);
  if (a->kind != b->kind || c->kind != d->kind) return form;
  const MmaForm* found = nullptr;
  for (const MmaForm& f : kForms) {
    if (f.shape == shape && f.operands == a->kind && f.sparse == sparse &&
        f.accumulators.find(d->kind) != f.accumulators.npos) {
      found = &f;
    }
  }
  if (!found) return form;
  if (!available(found->needs, target)) {
    return "this form needs " + std::string(availability_name(found->needs)) + ", this is " + target.name();
  }
  bool quads = a->kind == 'h' && shape == "m8n8k4";
  if (!quads && (args.text(names.a_layout) != "row" || args.text(names.b_layout) != "col")) {
    return "only m8n8k4 of float16 takes other layouts than row for A and col for B";
  }
  if (args.flag("saturate") && a->kind != 'i' && a->kind != 'n') return "only integer products saturate";
  if (args.operand(names.bit_op) && args.given(names.bit_op) != (a->kind == '1')) {
    return "'" + std::string(names.bit_op) + "' belongs to 1-bit operands, which need it";
  }
  return std::nullopt;
}

Failure check_mma(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  if (auto failure = check_form(a, kDense, false, target)) return failure;
  MmaRegisters want = mma_registers(a, kDense, false);
  struct List {
    std::string_view name;
    int registers;
  };
  for (List list : {List{"d_ptrs", want.d}, List{"a_ptrs", want.a}, List{"b_ptrs", want.b}, List{"c_ptrs", want.c}}) {
    int given = static_cast<int>(a.items(list.name).size());
    if (given == list.registers || (list.name == "c_ptrs" && given == 0)) continue;
    return "'" + std::string(list.name) + "' holds " + std::to_string(given) + " registers, this form has " +
           std::to_string(list.registers);
  }
  return std::nullopt;
}

Failure check_mma_sparse(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  return check_form(Arguments(row, args), kIndexed, true, target);
}
Failure check_mma_legacy(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  return check_form(Arguments(row, args), kIndexed, false, target);
}

// ".aligned.SHAPE.AL.BL{.satfinite}.D.A.B.C{.op.popc}"
std::string modifiers(const Arguments& a, const MmaNames& names) {
  std::string out = ".sync.aligned." + a.text("shape") + "." + a.text(names.a_layout) + "." + a.text(names.b_layout);
  if (a.flag("saturate")) out += ".satfinite";
  for (std::string_view name : {names.d, names.a, names.b, names.c}) {
    out += ".";
    out += mma_type(a.text(name))->ptx;
  }
  if (a.operand(names.bit_op) && a.given(names.bit_op)) out += "." + a.text(names.bit_op) + ".popc";
  return out;
}

std::string_view register_word(const MmaType& t) { return t.kind == 'f' ? "f32" : t.kind == 'd' ? "f64" : "u32"; }

std::string mma(const Arguments& a, ir::Target) {
  const MmaType& operand = *mma_type(a.text("a_type"));
  const MmaType& c = *mma_type(a.text("c_type"));
  const std::string in(register_word(operand)), out(register_word(c));
  std::string zero = "{*c_ptrs:" + out + "}", declared;
  if (a.items("c_ptrs").empty()) {
    const std::string type = c.kind == 'd' ? "f64" : c.kind == 'f' ? "f32" : "b32";
    declared = ".reg ." + type + " zero;\nmov." + type + " zero, " +
               (c.kind == 'd'   ? "0d0000000000000000"
                : c.kind == 'f' ? "0f00000000"
                                : "0") +
               ";\n";
    zero.clear();
    for (int i = 0; i < mma_registers(a, kDense, false).c; ++i) zero += i ? ", zero" : "zero";
  }
  return declared + "mma" + modifiers(a, kDense) + "\n  {{{*d_ptrs:" + out + "}}}, {{{*a_ptrs:" + in +
         "}}}, {{{*b_ptrs:" + in + "}}}, {{" + zero + "}};";
}

// Pointer and element index instead of registers; accumulates in place.
std::string mma_indexed(const Arguments& a, bool sparse) {
  MmaRegisters count = mma_registers(a, kIndexed, sparse);
  auto c_word = [](const MmaType& t) { return t.kind == 'f' ? "float" : t.kind == 'd' ? "double" : "unsigned int"; };
  auto code = [](const MmaType& t) { return t.kind == 'f' ? "f" : t.kind == 'd' ? "d" : "r"; };
  const MmaType &ta = *mma_type(a.text("A_dtype")), &tc = *mma_type(a.text("C_dtype"));
  int number = 0;
  auto registers = [&](int n) {
    std::string out = "{{";
    for (int i = 0; i < n; ++i) out += (i ? ", %" : "%") + std::to_string(number++);
    return out + "}}";
  };
  std::string rc = registers(count.c), ra = registers(count.a), rb = registers(count.b);
  std::string operands = "    : ";
  for (int i = 0; i < count.c; ++i) {
    operands += std::string(i ? ", " : "") + "\"+" + code(tc) + "\"(c[" + std::to_string(i) + "])";
  }
  operands += "\n    : ";
  for (int i = 0; i < count.a; ++i) {
    operands += std::string(i ? ", " : "") + "\"" + code(ta) + "\"(a[" + std::to_string(i) + "])";
  }
  for (int i = 0; i < count.b; ++i) operands += std::string(", \"") + code(ta) + "\"(b[" + std::to_string(i) + "])";
  std::string tail;
  if (sparse) {
    tail = ", %" + std::to_string(number) + ", " + std::to_string(a.integer("sparse_selector"));
    operands += ", \"r\"(*(unsigned int*)({metadata} + {meta_index}))";
  }
  auto pointer = [](const std::string& type, const char* name, const char* of, const char* index) {
    return type + "* " + name + " = (" + type + "*)({" + of + "} + {" + index + "});\n";
  };
  return pointer(c_word(ta), "a", "multiplicand_a", "a_index") + pointer(c_word(ta), "b", "multiplicand_b", "b_index") +
         pointer(c_word(tc), "c", "accumulator", "c_index") + "asm volatile(\"mma" + (sparse ? ".sp" : "") +
         modifiers(a, kIndexed) + " " + rc + ", " + ra + ", " + rb + ", " + rc + tail + ";\"\n" + operands + ");";
}
std::string mma_sparse(const Arguments& a, ir::Target) { return mma_indexed(a, true); }
std::string mma_legacy(const Arguments& a, ir::Target) { return mma_indexed(a, false); }

Failure check_sparse_list(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  return check_form(Arguments(row, args), kDense, true, target);
}

// PTX ISA 9.7.14.5: `.satfinite` belongs to integers, `.xor` and `.and` to bits.
Failure check_half(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  const Arguments a(row, args);
  if (a.flag("saturate")) return "only sums of integers saturate";
  if (!a.text("bit_op").empty()) return "'bit_op' = '" + a.text("bit_op") + "' is for products of bits";
  return std::nullopt;
}

std::string mma_sparse_list(const Arguments& a, ir::Target) {
  const std::string out(register_word(*mma_type(a.text("c_type"))));
  return "mma." + a.text("variant") + modifiers(a, kDense) + "\n  {{{*d_ptrs:" + out +
         "}}}, {{{*a_ptrs:u32}}}, {{{*b_ptrs:u32}}}, {{{*c_ptrs:" + out + "}}}, {metadata}, " +
         std::to_string(a.integer("sparse_selector")) + ";";
}

Failure check_16x16(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  if (a.integer("m") == 16 && a.integer("n") == 16) return std::nullopt;
  return "the fragment is 16 by 16, not " + a.text("m") + " by " + a.text("n");
}

constexpr std::string_view kStoreFragment =
    "int lane = threadIdx.x % 32;\n"
    "for (int i = 0; i < 8; ++i) {{\n"
    "  int row = i % 4 / 2 * 8 + lane / 4, column = i / 4 * 8 + lane % 4 * 2 + i % 2;\n"
    "  {dst_ptr}[row * {dst_stride} + column] = {src_ptr}[{src_offset} + i];\n"
    "}}";
constexpr std::string_view kFillFragment = "for (int i = 0; i < {local_size}; ++i) {local_ptr}[{offset} + i] = 0.0f;";

constexpr Intrinsic kMatrixRows[] = {
    row<"trans: attr(0|1), num: attr(1|2|4), dtype: attr(.b16|b16) = '.b16', smem_ptr: shared, *dst_handles: to u32">(
        "P61", "ptx.ldmatrix", Meaning::LdMatrix)
        .effects<"reads shared smem_ptr[16]; by warp">()
        .check(check_fragments)
        .ptx("ldmatrix.sync.aligned.m8n8.x{num}{trans?.trans}.shared.b16 {{{*dst_handles}}}, [{smem_ptr}];")
        .says("The warp loads 8x8 matrices of 16-bit elements; lane 8i+j points to row j of matrix i (16 aligned "
              "bytes), and "
              "each lane receives two neighbouring elements of every matrix."),
    row<"elem: attr, trans: attr(0|1), num: attr(1|2|4), type: attr, local_ptr: ptr, local_offset: i32, smem_ptr: ptr, "
        "smem_offset: i32">("P62", "ptx.ldmatrix_legacy", Meaning::LdMatrix)
        .effects<"reads shared smem_ptr[16] plus smem_offset; "
                 "writes register local_ptr[4*num] plus local_offset; by warp">()
        .cxx("ldmatrix into local_ptr + local_offset from smem_ptr + smem_offset", ldmatrix_legacy)
        .says("ldmatrix with pointers and element offsets. Transposed 8-bit elements are gathered one by one; the last "
              "argument is then the row stride."),
    row<"trans: attr(0|1), num: attr(1|2|4), type: attr, local_ptr: ptr, local_offset: i32, smem_ptr: ptr, "
        "smem_offset: i32">("P62.short", "ptx.ldmatrix_legacy", Meaning::LdMatrix)
        .effects<"reads shared smem_ptr[16] plus smem_offset; "
                 "writes register local_ptr[4*num] plus local_offset; by warp">()
        .cxx("ldmatrix into local_ptr + local_offset from smem_ptr + smem_offset", ldmatrix_legacy)
        .says("ldmatrix with pointers and element offsets."),
    row<"trans: attr(0|1), num: attr(1|2|4), dtype: attr(.b16|.b8|b16|b8), smem_ptr: shared, *src_handles: from u32, "
        "shape: attr(m8n8|m16n8) = 'm8n8', space: attr(shared|shared::cta) = 'shared'">("P63", "ptx.stmatrix",
                                                                                        Meaning::StMatrix)
        .effects<"writes {space} smem_ptr[16]; by warp">()
        .cc(Sm90)
        .check(check_fragments)
        .ptx("stmatrix.sync.aligned.{shape}.x{num}{trans?.trans}.{space}{dtype} [{smem_ptr}], {{{*src_handles}}};",
             stmatrix)
        .says("The warp stores matrices of 16-bit (8x8) or 8-bit (16x8, transposed) elements: ldmatrix the other way."),
    row<"shape: attr, a_layout: attr(row|col), b_layout: attr(row|col), d_type: attr, a_type: attr, b_type: attr, "
        "c_type: attr, d_ptrs: list to u32, a_ptrs: list from u32, b_ptrs: list from u32, c_ptrs: list from u32 = "
        "None, saturate: flag = False, bit_op: attr(|xor|and) = ''">("P64", "ptx.mma", Meaning::Mma)
        .effects<"by warp">()
        .quiet()
        .check(check_mma)
        .ptx("mma.sync.aligned.{shape}.{a_layout}.{b_layout}.D.A.B.C {d}, {a}, {b}, {c};", mma)
        .says("The warp multiplies fragments: d = a * b + c. Each list holds pointers to the registers of a lane; "
              "without "
              "c_ptrs the product starts from zero."),
    row<"dtype: attr, shape: attr, A_layout: attr(row|col), B_layout: attr(row|col), A_dtype: attr, B_dtype: attr, "
        "C_dtype: attr, multiplicand_a: ptr, a_index: i32, multiplicand_b: ptr, b_index: i32, accumulator: ptr, "
        "c_index: i32, metadata: ptr, meta_index: i32, sparse_selector: attr, saturate: flag">("P65", "ptx.mma.sp",
                                                                                               Meaning::MmaSparse)
        .effects<"reads register multiplicand_a plus a_index; reads register multiplicand_b plus b_index; "
                 "reads register accumulator plus c_index; writes register accumulator plus c_index; "
                 "reads register metadata[4] plus meta_index; by warp">()
        .cc(Sm80)
        .check(check_mma_sparse)
        .cxx("mma.sp.sync.aligned.SHAPE.AL.BL.C.A.B.C {c}, {a}, {b}, {c}, metadata, selector;", mma_sparse)
        .says("mma with two of four elements of A present; the metadata says which. Accumulates in place."),
    row<"dtype: attr, shape: attr, A_layout: attr(row|col), B_layout: attr(row|col), A_dtype: attr, B_dtype: attr, "
        "C_dtype: attr, multiplicand_a: ptr, a_index: i32, multiplicand_b: ptr, b_index: i32, accumulator: ptr, "
        "c_index: i32, saturate: flag, *, operator: attr(|xor|and) = ''">("P66", "ptx.mma.legacy", Meaning::Mma)
        .effects<"reads register multiplicand_a plus a_index; reads register multiplicand_b plus b_index; "
                 "reads register accumulator plus c_index; writes register accumulator plus c_index; by warp">()
        .check(check_mma_legacy)
        .cxx("mma.sync.aligned.SHAPE.AL.BL.C.A.B.C {c}, {a}, {b}, {c};", mma_legacy)
        .says("mma with pointers and element indices; accumulates in place."),
    row<"shape: attr, A_layout: attr(row|col), B_layout: attr(row|col), A_dtype: attr, B_dtype: attr, C_dtype: attr, "
        "multiplicand_a: ptr, a_index: i32, multiplicand_b: ptr, b_index: i32, accumulator: ptr, c_index: i32, "
        "saturate: flag, *, operator: attr(|xor|and) = ''">("P66.short", "ptx.mma.legacy", Meaning::Mma)
        .effects<"reads register multiplicand_a plus a_index; reads register multiplicand_b plus b_index; "
                 "reads register accumulator plus c_index; writes register accumulator plus c_index; by warp">()
        .check(check_mma_legacy)
        .cxx("mma.sync.aligned.SHAPE.AL.BL.C.A.B.C {c}, {a}, {b}, {c};", mma_legacy)
        .says("mma with pointers and element indices; accumulates in place."),
    row<"dtype: attr, m: attr, n: attr, dst_ptr: ptr, src_ptr: ptr, src_offset: i32, dst_stride: i32">(
        "C68", "cuda.mma_store", Meaning::MmaStore)
        .effects<"reads register src_ptr plus src_offset; writes generic dst_ptr">()
        .check(check_16x16)
        .cxx(kStoreFragment)
        .says("Each lane stores its eight elements of a 16x16 accumulator to a row-major tile."),
    row<"dtype: attr, local_size: attr, local_ptr: ptr, offset: i32">("C69", "cuda.mma_fill", Meaning::MmaFill)
        .effects<"writes register local_ptr plus offset">()
        .cxx(kFillFragment)
        .says("Sets this lane's accumulator elements to zero."),
    row<"dtype: attr, m: attr, n: attr, dst_ptr: ptr, src_ptr: ptr, src_offset: i32, dst_stride: i32">(
        "C70", "cuda.mma_store_legacy", Meaning::MmaStore)
        .effects<"reads register src_ptr plus src_offset; writes generic dst_ptr">()
        .check(check_16x16)
        .cxx(kStoreFragment)
        .says("The older name of mma_store."),
    row<"dtype: attr, local_size: attr, local_ptr: ptr, offset: i32">("C71", "cuda.mma_fill_legacy", Meaning::MmaFill)
        .effects<"writes register local_ptr plus offset">()
        .cxx(kFillFragment)
        .says("The older name of mma_fill."),
};

constexpr Intrinsic kInternal[] = {
    row<"shape: attr, a_layout: attr(row), b_layout: attr(col), d_type: attr, a_type: attr, b_type: attr, c_type: "
        "attr, d_ptrs: list to u32, a_ptrs: list from u32, b_ptrs: list from u32, c_ptrs: list from u32, metadata: "
        "u32, sparse_selector: attr, saturate: flag = False, variant: attr(sp|sp::ordered_metadata) = 'sp'">(
        "P65.list", "ptx.mma.sp", Meaning::MmaSparse)
        .effects<"by warp">()
        .cc(Sm80)
        .quiet()
        .check(check_sparse_list)
        .ptx("mma.{variant}.sync.aligned.SHAPE.row.col.D.A.B.C {d}, {a}, {b}, {c}, {metadata}, selector;",
             mma_sparse_list)
        .says("mma with two of four elements of A present, as instructions of 0.27 have it."),
    row<"shape: attr, a_layout: attr(row|col), b_layout: attr(row|col), d_type: attr, a_type: attr, b_type: attr, "
        "c_type: attr, d_ptrs: list to u32, a_ptrs: list from u32, b_ptrs: list from u32, c_ptrs: list from u32 = "
        "None, saturate: flag = False, bit_op: attr(|xor|and) = ''">("P64.half", "ptx.mma", Meaning::Mma)
        .effects<"by warp">()
        .quiet()
        .check(check_half)
        .ptx("mma.sync.aligned.m8n8k4.AL.BL.f32.f16.f16.f16 {d}, {a}, {b}, {c};", mma)
        .says("mma with sums of float32 that begin from float16, as instructions of 0.27 have it."),
    row<"trans: attr(0|1), num: attr(1|2|4), smem_ptr: shared, *dst_handles: to u32">("P61.dispatch", "ptx.ldmatrix",
                                                                                      Meaning::LdMatrix)
        .effects<"reads shared smem_ptr[16]; by warp">()
        .check(check_fragments)
        .ptx("ldmatrix.sync.aligned.m8n8.x{num}{trans?.trans}.shared.b16 {{{*dst_handles}}}, [{smem_ptr}];")
        .says("ldmatrix as copies emit it."),
    row<"trans: attr(0|1), num: attr(1|2|4), smem_ptr: shared, *src_handles: from u32">("P63.dispatch", "ptx.stmatrix",
                                                                                        Meaning::StMatrix)
        .effects<"writes shared smem_ptr[16]; by warp">()
        .cc(Sm90)
        .check(check_fragments)
        .ptx("stmatrix.sync.aligned.m8n8.x{num}{trans?.trans}.shared.b16 [{smem_ptr}], {{{*src_handles}}};")
        .says("stmatrix as copies emit it."),
};

}  // namespace

std::span<const Intrinsic> matrix_rows() { return kMatrixRows; }
std::span<const Intrinsic> internal_matrix_rows() { return kInternal; }

}  // namespace tilewright::intrinsics
