// gemm_async on Hopper: a warpgroup multiplies by wgmma and adds up in its registers.
//
// This variant is ours: none of the reference's serves sm_90a, so it refuses every call that this one takes. C lies in
// the registers of the warpgroup as wgmma has it (layout/wgmma.h), B in shared memory, A there or in registers. What is
// issued is a fence, which orders accesses of the registers before, and the chain of instructions over K for each tile
// of 64 rows and at most 256 columns. The script commits the group and waits for it, as it does with tcgen05.
#include <algorithm>

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/gemm_async_operands.h"
#include "compiler/dispatch/blocks/matrix_descriptor.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/shared_operand.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/blocks/warpgroup_registers.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::gemm_async_wgmma {
namespace {

using ir::Expr;
using ir::StorageScope;

constexpr std::int64_t kRows = 64, kMostColumns = 256;  // of one instruction

// What tensor cores multiply, by the type of the elements in memory.
struct Type {
  ir::DataType dtype;
  std::string_view name;  // of the rows
  ir::DataType sum;
  bool is_integer() const { return sum == ir::kInt32; }
};
const Type* type_of(ir::DataType dtype) {
  static const Type kTypes[] = {
      {ir::kFloat16, "float16", ir::kFloat32},
      {*ir::parse_dtype("bfloat16"), "bfloat16", ir::kFloat32},
      {ir::kFloat32, "tf32", ir::kFloat32},
      {*ir::parse_dtype("float8_e4m3fn"), "float8_e4m3fn", ir::kFloat32},
      {*ir::parse_dtype("float8_e5m2"), "float8_e5m2", ir::kFloat32},
      {*ir::parse_dtype("int8"), "int8", ir::kInt32},
      {*ir::parse_dtype("uint8"), "uint8", ir::kInt32},
  };
  const auto* found = std::ranges::find(kTypes, dtype, &Type::dtype);
  return found == std::end(kTypes) ? nullptr : found;
}

const intrinsics::Intrinsic& multiply_row(const Type& type, bool from_registers) {
  if (from_registers) return type.is_integer() ? row_of("wgmma_registers_integer") : row_of("wgmma_registers");
  return type.is_integer() ? row_of("wgmma_shared_integer") : row_of("wgmma_shared");
}

// ---- predicates ----------------------------------------------------------------------------------------------------

Reason exec_scope(CallContext& context) {
  if (context.scope.kind != ir::ExecScope::Warpgroup) {
    return cat("wgmma is issued by a warpgroup, this is ", ir::exec_scope_name(context.scope.kind), " scope");
  }
  return context.scope.tracked ? not_all_active(context) : Reason();
}

Reason storage_scopes(CallContext& context) {
  const GemmAsyncOperands& o = gemm_async_operands(context);
  if (!o.invalid.empty()) return o.invalid;
  const ir::Buffer &c = *o.c->buffer, &a = *o.a->buffer, &b = *o.b->buffer;
  if (c.scope != StorageScope::Local) return cat("wgmma adds up in registers, C is ", scope_text(c));
  if (!ir::is_shared(a.scope) && a.scope != StorageScope::Local) {
    return cat("wgmma takes A from shared memory or registers, it is ", scope_text(a));
  }
  if (!ir::is_shared(b.scope)) return cat("wgmma takes B from shared memory, it is ", scope_text(b));
  if (o.has_scales()) return "wgmma has no scale factors";
  return {};
}

Reason types(CallContext& context) {
  if (!storage_scopes(context).empty()) return {};  // said by that test
  const GemmAsyncOperands& o = gemm_async_operands(context);
  const ir::DataType a = o.a->buffer->dtype, b = o.b->buffer->dtype, c = o.c->buffer->dtype;
  const Type* type = type_of(a);
  if (!type) {
    return cat(
        "wgmma multiplies float16, bfloat16, float32 (as tf32), float8_e4m3fn, float8_e5m2, int8 and uint8, not ",
        ir::dtype_name(a));
  }
  if (a != b) return cat("A is ", ir::dtype_name(a), " and B ", ir::dtype_name(b), ", they must be the same");
  if (c != type->sum) {
    return cat("products of ", ir::dtype_name(a), " are added up in ", ir::dtype_name(type->sum), ", C is ",
               ir::dtype_name(c));
  }
  return {};
}

Reason wgmma_target(CallContext& context) { return no_such_instruction(context, row_of("wgmma_shared"), "wgmma"); }

constexpr Predicate kWgmmaPredicates[] = {
    {"exec_scope", exec_scope}, {"storage_scopes", storage_scopes}, {"types", types}, {"target", wgmma_target}};

// ---- the tiling ----------------------------------------------------------------------------------------------------

struct Product {
  const Type* type = nullptr;
  WarpgroupRegisters c{};
  std::optional<SharedOperand> a{};               // nothing: in registers
  std::optional<WarpgroupRegisters> fragments{};  // of A
  SharedOperand b{};
  bool turns_a = false, turns_b = false;
  std::int64_t m = 0, n = 0, k = 0;     // of the call
  std::int64_t columns = 0, depth = 0;  // of an instruction: its N and K
  std::int64_t issues() const { return m / kRows * (n / columns) * (k / depth); }
};

Reason wrong_shapes(const Product& p, MatrixExtents a) {
  const MatrixExtents b{p.b.mn, p.b.k};
  if (a.mn != p.m) {
    return cat("A has ", a.mn, " rows, C has ", p.m, p.a ? would_fit("transA", p.turns_a, a, {p.m, b.k}) : "");
  }
  const std::string turned_b = would_fit("transB", p.turns_b, b, {p.n, a.k});
  if (b.mn != p.n) return cat("B has ", b.mn, " rows along N, C has ", p.n, " columns", turned_b);
  if (a.k != b.k) return cat("K is ", a.k, " in A and ", b.k, " in B", turned_b);
  if (p.k % p.depth != 0) {
    return cat("K is ", p.k, ", not a multiple of the ", p.depth, " that one wgmma of ", p.type->name, " takes");
  }
  return {};
}

// Elements of 8 and 32 bits have no transposed form.
Reason wrong_major(const Product& p, const SharedOperand& operand, std::string_view name) {
  if (!operand.mn_major || p.type->dtype.storage_bits() == 16) return {};
  return cat("wgmma reads ", p.type->name, " only with K contiguous, ", name, " has ", name == "A" ? "M" : "N",
             " contiguous");
}

// The widest instruction that divides N, as eight columns always do, and whose pieces of B can be read.
std::expected<std::int64_t, Reason> columns_of(const Product& p) {
  Reason why;
  for (std::int64_t n = std::min(p.n, kMostColumns) / 8 * 8; n > 0; n -= 8) {
    if (p.n % n != 0 || (p.type->is_integer() && n > 24 && n % 16 != 0)) continue;
    Reason unreadable;
    for (std::int64_t at = 0; at < p.n && unreadable.empty(); at += n) {
      for (std::int64_t k = 0; k < p.k && unreadable.empty(); k += p.depth) {
        unreadable = p.b.unreadable(at, n, k, p.depth);
      }
    }
    if (unreadable.empty()) return n;
    why = std::move(unreadable);
  }
  return std::unexpected(std::move(why));
}

Reason unreadable_a(const Product& p) {
  if (!p.a) return {};
  for (std::int64_t m = 0; m < p.m; m += kRows) {
    for (std::int64_t k = 0; k < p.k; k += p.depth) {
      if (Reason why = p.a->unreadable(m, kRows, k, p.depth); !why.empty()) return why;
    }
  }
  return {};
}

std::expected<Product, Reason> product_of(CallContext& context) {
  const GemmAsyncOperands& o = gemm_async_operands(context);
  const ir::Region &c = *o.c, &a = *o.a, &b = *o.b;
  auto turns_a = o.transposes_a(), turns_b = o.transposes_b();
  if (!turns_a || !turns_b) return refuse(!turns_a ? turns_a.error() : turns_b.error());
  Product p{.type = type_of(a.buffer->dtype), .turns_a = *turns_a, .turns_b = *turns_b};
  const std::int64_t word = 32 / p.type->dtype.storage_bits();
  p.depth = 8 * word;
  auto sums = warpgroup_registers(c, 2);
  if (!sums) return refuse(std::move(sums.error()));
  p.c = std::move(*sums);
  p.m = p.c.rows;
  p.n = p.c.columns;
  auto right = shared_operand(b, *turns_b, Unswizzled::Described);
  if (!right) return refuse(std::move(right.error()));
  p.b = std::move(*right);
  p.k = p.b.k;
  if (a.buffer->scope == StorageScope::Local) {
    if (*turns_a) return refuse("A in registers cannot be transposed");
    auto fragments = warpgroup_registers(a, word);
    if (!fragments) return refuse(std::move(fragments.error()));
    p.fragments = std::move(*fragments);
    if (Reason why = wrong_shapes(p, {p.fragments->rows, p.fragments->columns}); !why.empty()) return refuse(why);
    if (!p.fragments->fills_words(word)) {
      return refuse(cat(word, " neighbours of A do not share a register of 32 bits: see wgmma_operand_layout"));
    }
  } else {
    auto left = shared_operand(a, *turns_a, Unswizzled::Described);
    if (!left) return refuse(std::move(left.error()));
    p.a = std::move(*left);
    if (Reason why = wrong_shapes(p, {p.a->mn, p.a->k}); !why.empty()) return refuse(why);
    if (Reason why = wrong_major(p, *p.a, "A"); !why.empty()) return refuse(why);
  }
  if (Reason why = wrong_major(p, p.b, "B"); !why.empty()) return refuse(why);
  if (Reason why = unreadable_a(p); !why.empty()) return refuse(why);
  auto columns = columns_of(p);
  if (!columns) return refuse(std::move(columns.error()));
  p.columns = *columns;
  return p;
}

// ---- the statements ------------------------------------------------------------------------------------------------

Expr descriptor(CallContext& context, ir::BodyBuilder& out, const SharedOperand& o, std::string_view name) {
  return add_descriptor(context, out, name, row_of("wgmma_descriptor"), o.buffer,
                        {.ldo = o.ldo, .sdo = o.sdo, .mode = o.mode});
}

// One instruction's registers of A: halves of the rows first, then halves of K.
void add_fragments(const ir::Buffer* words, std::vector<Expr>& to, const Product& p, std::int64_t tile,
                   std::int64_t k) {
  const std::int64_t word = 32 / p.type->dtype.storage_bits();
  for (std::int64_t part = 0; part < 2; ++part) {
    for (std::int64_t half = 0; half < 2; ++half) {
      Expr at[] = {ir::simplify(p.fragments->at(tile, half, k / (4 * word) + part, 0) / Expr(word))};
      to.push_back(ir::load(words, at));
    }
  }
}

void add_sums(CallContext& context, std::vector<Expr>& to, const Product& p, std::int64_t tile, std::int64_t column) {
  const ir::Buffer* flat = context.kernel.flat_view(p.c.buffer);
  for (std::int64_t group = 0; group < p.columns / 8; ++group) {
    for (std::int64_t half = 0; half < 2; ++half) {
      for (std::int64_t e = 0; e < 2; ++e) {
        Expr at[] = {p.c.at(tile, half, column / 8 + group, e)};
        to.push_back(ir::load(flat, at));
      }
    }
  }
}

Expr accumulates(Expr given) {
  if (!given) return Expr(0);
  if (const std::int64_t* value = ir::constant(given)) return Expr(*value != 0 ? 1 : 0);
  return ir::cast(ir::kInt32, ir::cast(ir::kBool, given));
}

void add_chain(CallContext& context, ir::BodyBuilder& out, const Product& p, Expr a, Expr b, Expr accumulate) {
  const intrinsics::Intrinsic& row = multiply_row(*p.type, !p.a.has_value());
  const ir::Buffer* words =
      p.a ? nullptr : register_words(context, *p.fragments->buffer, 32 / p.type->dtype.storage_bits());
  for (std::int64_t m = 0; m < p.m; m += kRows) {
    for (std::int64_t n = 0; n < p.n; n += p.columns) {
      for (std::int64_t k = 0; k < p.k; k += p.depth) {
        std::vector<Expr> leading, registers;
        if (p.a) {
          leading.push_back(moved_descriptor(a, p.a->offset(m, k)));
        } else {
          add_fragments(words, registers, p, m / kRows, k);
        }
        leading.push_back(moved_descriptor(b, p.b.offset(n, k)));
        for (Expr e : {Expr(kRows), Expr(p.columns), Expr(p.depth), ir::string_imm(p.type->name)}) leading.push_back(e);
        if (!p.type->is_integer()) {
          leading.push_back(ir::string_imm("float32"));
          leading.push_back(Expr(p.a && p.a->mn_major ? 1 : 0));
          leading.push_back(Expr(p.b.mn_major ? 1 : 0));
          leading.push_back(Expr(1));
          leading.push_back(Expr(1));
        }
        leading.push_back(k == 0 ? accumulate : Expr(1));
        add_sums(context, registers, p, m / kRows, n);
        out.add<ir::Evaluate>(row_call(row, std::move(leading), registers));
      }
    }
  }
}

}  // namespace

std::span<const Predicate> predicates() { return kWgmmaPredicates; }

Planned plan(CallContext& context) {
  auto product = product_of(context);
  if (!product) return decline(std::move(product.error()));
  const Product& p = *product;
  ir::BodyBuilder out(context.call.origin);
  Expr a = p.a ? descriptor(context, out, *p.a, "desc_a") : Expr();
  Expr b = descriptor(context, out, p.b, "desc_b");
  out.add<ir::Evaluate>(row_call(row_of("wgmma_fence"), {}));
  add_chain(context, out, p, a, b, accumulates(gemm_async_operands(context).accum));

  Plan plan{.body = out.finish()};
  const std::string shape = cat("m64n", p.columns, "k", p.depth);
  plan.facts.push_back({"instruction", shape});
  plan.fact("issues", p.issues());
  plan.fact("registers", p.m * p.n / 128);
  plan.facts.push_back({"reference", std::string("refuses the call")});
  if (p.a) plan.constants.push_back(descriptor_words(*p.a, "A", true));
  plan.constants.push_back(descriptor_words(p.b, "B", true));
  plan.summary = cat("gemm_async -> wgmma: ", p.m, " x ", p.n, " x ", p.k, ", ", p.issues(), " wgmma.", shape, " of ",
                     p.type->name, p.a ? "" : " with A in registers", ", ", p.m * p.n / 128, " accumulators a thread");
  return plan;
}

}  // namespace tilewright::dispatch::variants::gemm_async_wgmma
