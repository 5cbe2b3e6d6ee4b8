// gemm_async by tcgen05.mma: one thread starts products into tensor memory, and the script waits for them (gemm.md 3).
//
// The descriptors of A and B are encoded once a call, at element 0 of their buffers; each instruction adds where its
// tile starts. Everything is unrolled: tiles of N outside, steps of K inside. At warp scope one elected lane does all
// of it, so that the script's commit must come from the same lane (elect_sync picks the same one each time).
#include <algorithm>
#include <cstdio>

#include "compiler/dispatch/blocks/gemm_async_operands.h"
#include "compiler/dispatch/blocks/matrix_descriptor.h"
#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/variants/gemm_async/tcgen05_problem.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/descriptor_words.h"

namespace tilewright::dispatch::variants::gemm_async_tcgen05 {
namespace {

using ir::Expr;

constexpr std::int64_t kMostIssues = 4096;       // unrolled
constexpr std::uint32_t kScaleIds = 0x60000030;  // both id fields of an instruction descriptor (gemm.md 4.3)

const intrinsics::Intrinsic& dense_row() {
  static const intrinsics::Intrinsic& row = row_of("tmem_mma");
  return row;
}
const intrinsics::Intrinsic& scaled_row() {
  static const intrinsics::Intrinsic& row = row_of("tmem_mma_scaled");
  return row;
}
// tcgen05.mma.ws, of which scripts have no row of their own.
const intrinsics::Intrinsic& stationary_row() {
  static const intrinsics::Intrinsic& row = *intrinsics::row_of_id("P86.ws");
  return row;
}
Reason single_thread_or_warp(CallContext& context) {
  if (context.scope.kind == ir::ExecScope::Thread || context.scope.kind == ir::ExecScope::Warp) return {};
  return cat("one thread issues tcgen05.mma, this is ", ir::exec_scope_name(context.scope.kind),
             " scope: write Tx.gemm_async in one thread, or Tx.warp.gemm_async in one warp");
}

Reason tcgen05_target(CallContext& context) {
  const bool scaled = gemm_async_operands(context).has_scales();
  return no_such_instruction(context, scaled ? scaled_row() : dense_row(), "tcgen05.mma");
}

constexpr Predicate kTcgen05Predicates[] = {{"single_thread_or_warp", single_thread_or_warp},
                                            {"target", tcgen05_target}};

Expr uint32(std::uint32_t bits) { return ir::int_imm(ir::kUInt32, bits); }
Expr plus_columns(Expr address, Expr columns) {
  columns = ir::simplify(columns);
  address = ir::cast(ir::kUInt32, address);
  return ir::is_constant(columns, 0) ? address : ir::add(address, ir::cast(ir::kUInt32, columns));
}
class Emitter {
 public:
  Emitter(CallContext& context, const Tcgen05Problem& problem)
      : context_(context), p_(problem), out_(context.call.origin) {}

  const ir::Stmt* body() {
    const bool same = p_.a && p_.a->buffer == p_.b.buffer && p_.a->ldo == p_.b.ldo && p_.a->sdo == p_.b.sdo;
    const Expr a = p_.a ? descriptor(same ? "desc" : "desc_a", *p_.a) : Expr();
    const Expr b = same ? a : descriptor("desc_b", p_.b);
    for (std::int64_t n = 0; n < p_.tiles(); ++n) {
      for (std::int64_t t = 0; t < p_.steps(); ++t) multiply(a, b, n, t);
    }
    const ir::Stmt* issue = out_.finish();
    if (context_.scope.kind == ir::ExecScope::Thread) return issue;
    ir::BodyBuilder elected(context_.call.origin);
    static const intrinsics::Intrinsic& elect = row_of("elect");
    elected.add<ir::If>(ir::cast(ir::kBool, row_call(elect, {})), issue, nullptr);
    return elected.finish();
  }

 private:
  Expr descriptor(std::string_view name, const SharedOperand& o) {
    static const intrinsics::Intrinsic& row = row_of("matrix_descriptor");
    return add_descriptor(context_, out_, name, row, o.buffer, {.ldo = o.ldo, .sdo = o.sdo, .mode = o.mode});
  }

  // The address of a buffer, read once where it is in memory: instructions between keep compilers from doing so.
  Expr base_of(const ir::Buffer* buffer) {
    const Expr address = ir::simplify(ir::cast(ir::kUInt32, buffer->allocated_addr));
    if (ir::constant(address) || address.as<ir::Var>()) return address;
    for (const auto& [written, name] : bases_) {
      if (ir::structurally_equal(written, address)) return name;
    }
    bases_.emplace_back(address, out_.let("tmem", address));
    return bases_.back().second;
  }
  Expr address_of(const TensorTile& tile, Expr columns) {
    columns = tile.element / Expr(32 / tile.buffer->dtype.storage_bits()) + columns;
    if (tile.lane != 0) columns = columns + Expr(tile.lane << 16);
    return plus_columns(base_of(tile.buffer), columns);
  }

  Expr instruction(std::int64_t t) const {
    Expr bits = p_.instruction ? uint32(*p_.instruction) : ir::cast(ir::kUInt32, p_.given_instruction);
    if (!p_.scale_vector) return bits;
    const Expr ida = p_.sfa->id(t), idb = p_.sfb->id(t);
    const std::int64_t *a = ir::constant(ida), *b = ir::constant(idb);
    if (p_.instruction && a && b) {
      return uint32(*p_.instruction | static_cast<std::uint32_t>(*a << 29 | *b << 4));
    }
    if (!p_.instruction) bits = ir::binary(ir::ExprKind::BitAnd, bits, uint32(~kScaleIds));
    auto field = [](Expr id, int at) {
      return ir::binary(ir::ExprKind::Shl, ir::cast(ir::kUInt32, id), uint32(static_cast<std::uint32_t>(at)));
    };
    return ir::binary(ir::ExprKind::BitOr, ir::binary(ir::ExprKind::BitOr, bits, field(ida, 29)), field(idb, 4));
  }

  void multiply(Expr desc_a, Expr desc_b, std::int64_t n, std::int64_t t) {
    const std::int64_t k = t * p_.step_k;
    const Expr d = address_of(p_.c, Expr(n * p_.tile_columns));
    const Expr a = p_.a ? moved_descriptor(desc_a, p_.a->offset(0, k))
                        : address_of(p_.a_tile, Expr(k * p_.type.storage_bits() / 32));
    const Expr b = moved_descriptor(desc_b, p_.b.offset(n * p_.tile_n / p_.group, k));
    const Expr add = t > 0 ? Expr(1) : ir::cast(ir::kInt32, p_.accumulates);
    const Expr type = ir::string_imm(p_.multiplied_as), f32 = ir::string_imm("float32");
    std::vector<Expr> args = {d, a, b};
    if (p_.scale_vector) {
      args.push_back(plus_columns(base_of(p_.sfa->buffer), p_.sfa->column(0, t)));
      args.push_back(plus_columns(base_of(p_.sfb->buffer), p_.sfb->column(n * p_.tile_n, t)));
    }
    args.insert(args.end(), {instruction(t), f32, type, type});
    if (p_.scale_vector) args.insert(args.end(), 2, ir::string_imm(ir::dtype_name(p_.scale_type)));
    args.insert(args.end(), {ir::bool_imm(!p_.a), Expr(p_.group), add});
    const intrinsics::Intrinsic& row = p_.scale_vector ? scaled_row() : p_.stationary ? stationary_row() : dense_row();
    out_.add<ir::Evaluate>(row_call(row, std::move(args)));
  }

  CallContext& context_;
  const Tcgen05Problem& p_;
  ir::BodyBuilder out_;
  std::vector<std::pair<Expr, Expr>> bases_;
};

// smem_desc= says where the reference makes matrix descriptors. Here they are made once a call, whatever it says.
Reason wrong_descriptor_mode(CallContext& context) {
  const Expr given = option(context.call, "smem_desc");
  if (!given) return {};
  const auto* mode = given.as<ir::StringImm>();
  constexpr std::string_view kModes[] = {"hoist", "local_hoist", "encode", "recompute"};
  if (!mode || std::ranges::find(kModes, mode->value) == std::end(kModes)) {
    return cat("smem_desc= is \"hoist\", \"local_hoist\", \"encode\" or \"recompute\", not ", ir::to_string(given));
  }
  if (mode->value != "encode" || !gemm_async_operands(context).has_scales()) return {};
  return "smem_desc=\"encode\" belongs to products without scale factors";
}

std::string hexadecimal(std::uint32_t bits) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", bits);
  return text;
}

void describe(Plan& plan, CallContext& context, const Tcgen05Problem& p) {
  const std::string shape = cat("m", p.m * p.group, "n", p.tile_n, "k", p.step_k);
  plan.facts.push_back({"instruction", cat("kind::", p.kind, " ", shape)});
  plan.fact("issues", p.tiles() * p.steps());
  if (p.instruction) plan.facts.push_back({"instruction_descriptor", hexadecimal(*p.instruction)});
  auto matrix = [&](std::string_view name, const SharedOperand& o) {
    plan.facts.push_back({name, std::vector<std::int64_t>{o.ldo, o.sdo, o.mode}});
  };
  if (p.a) matrix("a_ldo_sdo_swizzle", *p.a);
  matrix("b_ldo_sdo_swizzle", p.b);
  if (p.a) plan.constants.push_back(descriptor_words(*p.a, "A", false));
  plan.constants.push_back(descriptor_words(p.b, "B", false));
  if (p.instruction) {
    plan.constants.push_back(cat("instruction descriptor ", hexadecimal(*p.instruction), ": ",
                                 intrinsics::words(intrinsics::instruction_fields(*p.instruction, p.kind))));
  }
  const GemmAsyncOperands& o = gemm_async_operands(context);
  const std::int64_t issues = p.tiles() * p.steps();
  plan.summary = cat("gemm_async -> tcgen05: ", ir::to_string(*o.c),
                     ir::is_constant(p.accumulates, 0) ? " = " : " += ", ir::to_string(*o.a), " ", ir::to_string(*o.b),
                     o.sfa ? cat(" scaled by ", ir::to_string(*o.sfa), ", ", ir::to_string(*o.sfb)) : std::string(),
                     ", tcgen05.mma", p.stationary ? ".ws" : "", ".cta_group::", p.group, ".kind::", p.kind, " ", shape,
                     ", ", issues, issues == 1 ? " issue" : " issues");
}

}  // namespace

std::span<const Predicate> predicates() { return kTcgen05Predicates; }

Planned plan(CallContext& context) {
  if (Reason why = wrong_descriptor_mode(context); !why.empty()) return decline(std::move(why));
  auto problem = tcgen05_problem(context);
  if (!problem) return decline(std::move(problem.error()));
  const std::int64_t issues = problem->tiles() * problem->steps();
  if (issues > kMostIssues) {
    return decline(cat("the call would take ", issues, " instructions, all unrolled; at most ", kMostIssues,
                       ": multiply parts of it in a loop"));
  }
  Plan plan{.body = Emitter(context, *problem).body()};
  describe(plan, context, *problem);
  return plan;
}

}  // namespace tilewright::dispatch::variants::gemm_async_tcgen05
