// copy_async between global and shared memory by tensor maps: one thread issues boxes (copy_async.md 3).
//
// problem_of() makes plain numbers of the two regions, search() finds the boxes, tensor_map() describes them to the
// host, and what is emitted here is the issue loop. Completion is the script's: g2s counts bytes on `mbar`, s2g belongs
// to the thread's bulk group.
#include <algorithm>
#include <array>

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/variants/copy_async/tma_map.h"
#include "compiler/dispatch/variants/copy_async/tma_problem.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::copy_async_tma {
namespace {

using ir::Expr;

// Loops of more rounds stay loops.
constexpr std::int64_t kMostUnrolled = 64;

const intrinsics::Intrinsic& load_row() {
  static const intrinsics::Intrinsic& row = row_of("tensor_load");
  return row;
}
const intrinsics::Intrinsic& store_row() {
  static const intrinsics::Intrinsic& row = row_of("tensor_store");
  return row;
}
const intrinsics::Intrinsic& reduce_row() {
  static const intrinsics::Intrinsic& row = row_of("tensor_reduce");
  return row;
}
const intrinsics::Intrinsic& prefetch_row() {
  static const intrinsics::Intrinsic& row = row_of("tensormap_prefetch");
  return row;
}

Reason operands(CallContext& context) { return copy_operands(context).invalid; }

Reason single_thread(CallContext& context) {
  if (context.scope.kind == ir::ExecScope::Thread) return {};
  return cat("one thread issues tensor copies, this is ", ir::exec_scope_name(context.scope.kind),
             " scope: guard with one elected lane");
}

Reason tma_target(CallContext& context) { return no_such_instruction(context, load_row(), "cp.async.bulk.tensor"); }

constexpr Predicate kTmaPredicates[] = {
    {"validate_copy_op", operands}, {"single_thread", single_thread}, {"target", tma_target}};

// The keywords of the call, checked before anything is planned.
struct Options {
  int oob_fill = 0;
  Expr mbar{}, mask{}, policy{};
  std::string_view hint{}, reduce{};
  int cta_group = -1;
  bool prefetch = false;
};

std::string_view text_of(Expr e) {
  const auto* s = e ? e.as<ir::StringImm>() : nullptr;
  return s ? s->value : std::string_view();
}

bool is_text(Expr e) { return e && e.as<ir::StringImm>(); }

// "nan" means something to these only.
bool has_nan(ir::DataType t) { return t.lanes == 1 && (t.is_float() || t.is_bfloat()); }

Reason read_oob(Expr value, ir::DataType dtype, Options& out) {
  if (!value) return {};
  if (text_of(value) == "zero") return {};
  if (text_of(value) != "nan") return cat("Unsupported TMA oob mode ", ir::to_string(value), ": \"zero\" or \"nan\"");
  if (!has_nan(dtype)) return cat("oob=\"nan\" requires a floating-point dtype, this is ", ir::dtype_name(dtype));
  out.oob_fill = 1;
  return {};
}

Reason read_hint(Expr value, Options& out) {
  if (!value) return {};
  if (!is_text(value)) {
    if (!value.dtype().is_integral()) return "cache_hint is neither a name nor a policy value";
    out.policy = value;
    return {};
  }
  constexpr std::array<std::string_view, 4> kNames = {"", "evict_normal", "evict_first", "evict_last"};
  if (std::ranges::find(kNames, text_of(value)) == kNames.end()) {
    return cat("no cache_hint \"", text_of(value), "\": evict_normal, evict_first or evict_last");
  }
  out.hint = text_of(value);
  return {};
}

// Which elements the reduction unit works on.
Reason read_reduce(Expr value, bool to_shared, ir::DataType dtype, Options& out) {
  if (!value) return {};
  constexpr std::array<std::string_view, 8> kOps = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
  auto op = std::ranges::find(kOps, text_of(value));
  if (op == kOps.end()) {
    return cat("no use_tma_reduce ", ir::to_string(value), ": add, min, max, inc, dec, and, or or xor");
  }
  if (to_shared) return "use_tma_reduce combines into global memory; this copy loads from it";
  const bool bitwise = op - kOps.begin() >= 5, counting = *op == "inc" || *op == "dec";
  if (dtype.storage_bits() == 8 || ((bitwise || counting) && !dtype.is_integral()) ||
      (counting && !(dtype.is_uint() && dtype.bits == 32)) || (dtype.is_integral() && dtype.bits < 32)) {
    return cat("use_tma_reduce=\"", *op, "\" does not work on ", ir::dtype_name(dtype));
  }
  out.reduce = *op;
  return {};
}

Reason read_mask(Expr value, bool to_shared, const CallContext& context, Options& out) {
  if (!value) return {};
  if (!value.dtype().is_integral()) return "cta_mask is not an integer";
  if (!to_shared) return "cta_mask names the CTAs that a load goes to; this copy stores";
  if (const std::int64_t* mask = ir::constant(value)) {
    if (*mask < 0 || *mask > 0xFFFF) return cat("cta_mask ", *mask, " has more than 16 bits");
    const std::int64_t ctas = cluster_size(context);
    if (ctas > 0 && ctas < 16 && *mask >> ctas != 0) {
      return cat("cta_mask ", *mask, " names CTAs beyond the ", ctas, " of the cluster");
    }
  }
  out.mask = value;
  return {};
}

Reason read_group(Expr value, CallContext& context, Options& out) {
  const ir::Target target = context.target();
  const bool paired = intrinsics::available(intrinsics::Availability::Sm100aClass, target);
  out.cta_group = target.name() == "sm_100a" ? 1 : -1;
  if (!value) return {};
  const std::int64_t* group = ir::constant(value);
  if (!group || (*group != -1 && *group != 1 && *group != 2)) return "cta_group is 1 or 2, a constant";
  if (*group == 2 && !paired) {
    context.lacks_instruction = true;
    return cat("cta_group=2 needs ", intrinsics::availability_name(intrinsics::Availability::Sm100aClass),
               ", the target is ", target.name());
  }
  out.cta_group = static_cast<int>(*group);
  return {};
}

std::expected<Options, Reason> read_options(CallContext& context, bool to_shared, ir::DataType dtype) {
  const ir::TileCall& call = context.call;
  Options out;
  Reason why = read_oob(option(call, "oob"), dtype, out);
  if (why.empty()) why = read_hint(option(call, "cache_hint"), out);
  if (why.empty()) why = read_reduce(option(call, "use_tma_reduce"), to_shared, dtype, out);
  if (why.empty()) why = read_mask(option(call, "cta_mask"), to_shared, context, out);
  if (why.empty()) why = read_group(option(call, "cta_group"), context, out);
  out.mbar = option(call, "mbar");
  if (why.empty() && to_shared && !out.mbar) {
    why = "a load counts its bytes on a barrier: give mbar=, a pointer to an mbarrier in shared memory";
  }
  if (why.empty() && out.mbar && !out.mbar.dtype().is_handle() && out.mbar.dtype() != ir::kUInt64) {
    why = "mbar is not a pointer: write bar.ptr_to([i])";
  }
  if (Expr prefetch = option(call, "prefetch_tensormap"); why.empty() && prefetch) {
    const std::int64_t* flag = ir::constant(prefetch);
    if (!flag) why = "prefetch_tensormap is True or False";
    out.prefetch = flag && *flag;
  }
  if (!why.empty()) return std::unexpected(std::move(why));
  return out;
}

// One warp brings the map into its cache at the start of the kernel, once a map.
void prefetch(CallContext& context, const ir::Var* map, Expr address) {
  if (context.kernel.prefetched(map)) return;
  context.journal.prefetched.push_back(map);
  const ir::Stmt* fetch = ir::make_stmt<ir::Evaluate>(context.call.origin, row_call(prefetch_row(), {address}));
  Expr first = ir::binary(ir::ExprKind::EQ, context.scope_id(ir::ScopeBinding::CtaWarp), Expr(0));
  context.journal.device_init.push_back(
      ir::make_stmt<ir::If>(context.call.origin, first, fetch, static_cast<const ir::Stmt*>(nullptr)));
}

Expr as_expr(layout::Dim d) { return d.is_constant() ? Expr(d.value()) : d.expr(); }

std::string box_text(const TensorMap& map) {
  std::string text;
  for (std::int64_t b : map.box) text += cat(text.empty() ? "" : "x", b);
  return text;
}

// Where an instruction of the loop begins: digits of the round number, the last axis fastest.
struct Place {
  std::vector<Expr> coordinates;  // innermost first
  Expr shared;                    // in elements of the buffer
};
Place place_of(const tma::Candidate& p, const layout::Dim& shared_start, Expr round) {
  const std::int64_t issues = p.issues();
  std::vector<Expr> at;  // outermost first, as the dimensions
  at.reserve(p.dims.size());
  for (const tma::Dimension& d : p.dims) at.push_back(as_expr(d.start));
  Place out;
  out.shared = as_expr(shared_start);
  std::int64_t divisor = 1;
  for (std::size_t i = p.steps.size(); i-- > 0;) {
    const tma::Step& s = p.steps[i];
    Expr digit = divisor * s.extent == issues ? round / Expr(divisor) : round / Expr(divisor) % Expr(s.extent);
    at[s.dimension] = at[s.dimension] + digit * Expr(s.advance);
    out.shared = out.shared + digit * Expr(s.stride);
    divisor *= s.extent;
  }
  for (std::size_t i = at.size(); i-- > 0;) out.coordinates.push_back(ir::cast(ir::kInt32, ir::simplify(at[i])));
  return out;
}

// The instruction: a load, a reduction or a store.
struct Issue {
  const intrinsics::Intrinsic* row;
  Expr call;
};
Issue issue_of(const Options& options, bool to_shared, Expr address, Expr pointer, std::span<const Expr> coordinates) {
  Expr rank(static_cast<std::int64_t>(coordinates.size()));
  Expr hint = ir::string_imm(options.hint), policy = options.policy ? options.policy : intrinsics::absent();
  if (to_shared) {
    return {&load_row(), row_call(load_row(),
                                  {rank, pointer, options.mbar, address, options.mask ? options.mask : Expr(0),
                                   Expr(options.cta_group), hint, policy},
                                  coordinates)};
  }
  if (!options.reduce.empty()) {
    return {
        &reduce_row(),
        row_call(reduce_row(), {rank, pointer, address, hint, ir::string_imm(options.reduce), policy}, coordinates)};
  }
  return {&store_row(), row_call(store_row(), {rank, pointer, address, hint, policy}, coordinates)};
}

}  // namespace

std::span<const Predicate> predicates() { return kTmaPredicates; }

Planned plan(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  if (!o.global_to_shared && !o.shared_to_global) return decline(wrong_pair(o, "tma moves global <-> shared"));
  const bool to_shared = o.global_to_shared;
  const ir::Region &global = o.on(!to_shared), &shared = o.on(to_shared);
  if (!o.elements) return decline("an extent of the region is known only at run time");
  auto options = read_options(context, to_shared, global.buffer->dtype);
  if (!options) return decline(std::move(options.error()));
  const WindowResult& s_window = window(context, to_shared);
  if (!s_window) return decline(s_window.error());

  auto problem = tma::problem_of(global, shared, *s_window);
  if (!problem) return decline(std::move(problem.error()));
  problem->may_promote = options->reduce.empty() && options->oob_fill == 0;
  auto found = tma::search(*problem);
  if (!found) return decline(cat("no box fits: ", found.error()));
  const tma::Candidate& p = found->plan;
  auto map = tma::tensor_map(context, *global.buffer, p, problem->swizzle, options->oob_fill);
  if (!map) return decline(std::move(map.error()));

  const std::int64_t issues = p.issues();
  Expr r = round_variable("issue", issues);
  const layout::Dim offset = shared.buffer->elem_offset ? layout::Dim(shared.buffer->elem_offset) : layout::Dim(0);
  const Place at = place_of(p, problem->shared_start - offset, r);
  Expr variable = (*map)->var;
  Expr address = ir::call(ir::kUInt64, ir::builtin::address_of, {&variable, 1});
  Expr pointer = element_pointer(context, shared.buffer, ir::simplify(at.shared));
  const auto [row, issue] = issue_of(*options, to_shared, address, pointer, at.coordinates);
  if (auto wrong = intrinsics::verify(*row, issue.as<ir::Call>()->args, context.target())) {
    if (intrinsics::verifying_targets(*row, issue.as<ir::Call>()->args)) context.lacks_instruction = true;
    return decline(std::move(*wrong));
  }
  if (options->prefetch) prefetch(context, (*map)->var, address);

  ir::BodyBuilder out(context.call.origin);
  add_rounds(out, r, issues, ir::make_stmt<ir::Evaluate>(context.call.origin, issue),
             issues <= kMostUnrolled ? ir::LoopKind::Unrolled : ir::LoopKind::Serial);

  const std::int64_t bytes = issues * p.box_elements() * p.bits / 8;
  Plan plan{.body = out.finish()};
  auto fact = [&](std::string_view name, FactValue value) { plan.facts.push_back({name, std::move(value)}); };
  fact("direction", std::string(to_shared ? "g2s" : "s2g"));
  plan.fact("rank", static_cast<std::int64_t>(p.dims.size()));
  fact("dims", tma::numbers((*map)->dims));
  fact("strides", tma::numbers((*map)->strides));
  fact("box", (*map)->box);
  plan.fact("swizzle", problem->swizzle);
  plan.fact("issues", issues);
  plan.fact("bytes", bytes);
  if (found->reference_issues > issues) plan.fact("fewer_issues", found->reference_issues - issues);
  if (p.bits != problem->bits) fact("element", std::string((*map)->dtype));
  plan.summary = cat(headline(context, "tma"), ", box ", box_text(**map), " of a ", (*map)->dims.size(), "-D ",
                     (*map)->dtype, " map", problem->swizzle ? cat(", ", problem->span_bytes(), "-byte swizzle") : "",
                     ", ", issues, issues == 1 ? " issue, " : " issues, ", bytes, " bytes");
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_async_tma
