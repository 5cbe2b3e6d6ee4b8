// gemm in registers by mma.sync (gemm.md 2).
//
// All four operands are register tiles, spread over the lanes as fragments of m16n8k16 or m16n8k8 are. Each warp goes
// over the tiles of its part of D: the accumulators start from zero or from C, and K is summed up in place. Everything
// is unrolled, since registers have no addresses at run time.
#include <algorithm>
#include <array>

#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/variants/gemm/mma_fragments.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::gemm_mma {
namespace {

using ir::Expr;

constexpr std::size_t kD = 0, kA = 1, kB = 2, kC = 3, kAlpha = 6, kBeta = 7;
constexpr std::array<std::string_view, 4> kNames = {"D", "A", "B", "C"};
constexpr std::int64_t kMostIssues = 4096;  // unrolled: a fragment of all 255 registers has far fewer

const ir::Region& region(const CallContext& context, std::size_t i) { return context.call.args[i].region; }
const ir::Buffer& buffer(const CallContext& context, std::size_t i) { return *region(context, i).buffer; }

// What a flag or a factor says; `missing` where it was left out.
Expr argument(const CallContext& context, std::size_t i, Expr missing) {
  return i < context.call.args.size() && context.call.args[i].value ? context.call.args[i].value : missing;
}
std::optional<double> number(Expr e) {
  e = ir::simplify(e);
  if (const std::int64_t* v = ir::constant(e)) return static_cast<double>(*v);
  if (const auto* f = e.as<ir::FloatImm>()) return f->value;
  if (const auto* c = e.as<ir::Cast>()) return number(c->value);
  return std::nullopt;
}

Reason not_regions(CallContext& context) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (i >= context.call.args.size() || !region(context, i).buffer) return cat(kNames[i], " is no buffer region");
  }
  return {};
}

Reason not_in_registers(const CallContext& context, std::size_t i) {
  const ir::Buffer& b = buffer(context, i);
  if (b.scope == ir::StorageScope::Local) return {};
  return cat(kNames[i], " must be in registers (local), ", ir::spoken_name(b), " is in ",
             ir::storage_scope_name(b.scope));
}

// A fragment is spread over the lanes of a warp, so that a warp at least multiplies.
Reason full_active_lanes(CallContext& context) {
  const ir::ExecScope kind = context.scope.kind;
  if (kind == ir::ExecScope::Cluster || kind == ir::ExecScope::Thread) {
    return cat("works at warp, warpgroup and cta scope, not at ", ir::exec_scope_name(kind), " scope");
  }
  return not_all_active(context);
}

Reason no_replica(CallContext& context) {
  if (Reason why = not_regions(context); !why.empty()) return why;
  for (std::size_t i = 0; i < 4; ++i) {
    const ir::Buffer& b = buffer(context, i);
    if (!b.layout || !b.layout->is_tile()) {
      if (Reason why = not_in_registers(context, i); !why.empty()) return why;
      if (!b.layout) return cat(kNames[i], " has no tile layout");
      return cat("registers have no swizzle, ", ir::spoken_name(b), " has");
    }
    if (!b.layout->tile->replica.empty()) {
      return cat(kNames[i], " layout has replica: ", layout::to_short_string(*b.layout));
    }
  }
  return {};
}

Reason mma_target(CallContext& context) {
  if (context.target().at_least(75)) return {};
  context.lacks_instruction = true;
  return cat("mma.sync.m16n8k8 needs sm_75, the target is ", context.target().name());
}

constexpr Predicate kMmaPredicates[] = {
    {"full_active_lanes", full_active_lanes}, {"no_replica", no_replica}, {"target", mma_target}};

struct Extents {
  std::int64_t m = 0, n = 0, k = 0;
};

std::string extents_text(std::span<const Expr> extents) {
  std::string text;
  for (Expr e : extents) text += (text.empty() ? "" : ", ") + ir::to_string(e);
  return cat("[", text, "]");
}

// Steps 1 to 6.
std::expected<Extents, Reason> extents_of(CallContext& context, bool tA, bool tB) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (Reason why = not_in_registers(context, i); !why.empty()) return refuse(std::move(why));
  }
  const Expr alpha = argument(context, kAlpha, Expr(1)), beta = argument(context, kBeta, Expr(0));
  if (number(alpha) != 1.0) return refuse(cat("only alpha=1 can be computed, not ", ir::to_string(alpha)));
  if (number(beta) != 0.0 && number(beta) != 1.0) {
    return refuse(cat("only beta 0 or 1 can be computed, not ", ir::to_string(beta)));
  }
  std::vector<Expr> wide[4];
  for (std::size_t i : {kA, kB, kD, kC}) {
    for (const ir::Range& r : region(context, i).ranges) {
      if (!ir::provably_equal(r.extent, Expr(1))) wide[i].push_back(ir::simplify(r.extent));
    }
    if (wide[i].size() == 2) continue;
    return refuse(cat("a matrix has two extents larger than 1, ", kNames[i], " has ", extents_text(wide[i])));
  }
  const Expr m = wide[kA][tA], k = wide[kA][!tA], k_of_b = wide[kB][tB], n = wide[kB][!tB];
  if (!ir::provably_equal(k, k_of_b)) {
    return refuse(
        cat("K is ", ir::to_string(k), " in A and ", ir::to_string(k_of_b), " in B",
            ir::provably_equal(k, n) ? cat(", which would fit with transpose_B=", tB ? "False" : "True") : ""));
  }
  for (std::size_t i : {kD, kC}) {
    if (ir::provably_equal(wide[i][0], m) && ir::provably_equal(wide[i][1], n)) continue;
    return refuse(cat(kNames[i], " is ", extents_text(wide[i]), ", the product is ", extents_text(std::array{m, n})));
  }
  const std::int64_t *cm = ir::constant(m), *cn = ir::constant(n), *ck = ir::constant(k);
  if (!cm || !cn || !ck) {
    return refuse(cat("the extent ", ir::to_string(!cm ? m : !cn ? n : k), " is known only at run time"));
  }
  return Extents{*cm, *cn, *ck};
}

struct Instruction {
  std::string_view shape;
  std::int64_t k;
  ir::DataType inputs;
  int target;
};
constexpr Instruction kInstructions[] = {{"m16n8k16", 16, ir::kBFloat16, 80},
                                         {"m16n8k16", 16, ir::kFloat16, 80},
                                         {"m16n8k8", 8, ir::kBFloat16, 80},
                                         {"m16n8k8", 8, ir::kFloat16, 75}};

struct Chosen {
  const Instruction* instruction = nullptr;
  MmaMatch match;
};

// Step 9: the first of the table that fits; the reason of the last whose types do.
std::expected<Chosen, Reason> choose(CallContext& context, const MmaOperands& o, const Extents& e) {
  const ir::DataType types[] = {buffer(context, kA).dtype, buffer(context, kB).dtype, buffer(context, kC).dtype,
                                buffer(context, kD).dtype};
  Reason why;
  for (const Instruction& i : kInstructions) {
    if (types[0] != i.inputs || types[1] != i.inputs || types[2] != ir::kFloat32 || types[3] != ir::kFloat32) continue;
    if (e.m % 16 != 0 || e.n % 8 != 0 || e.k % i.k != 0) {
      why = cat("M=", e.m, ", N=", e.n, ", K=", e.k, " are no multiples of 16, 8 and ", i.k);
      continue;
    }
    if (!context.target().at_least(i.target)) {
      context.lacks_instruction = true;
      why = cat("mma.sync.", i.shape, " of ", ir::dtype_name(i.inputs), " needs sm_", i.target, ", the target is ",
                context.target().name());
      continue;
    }
    auto match = match_fragments(o, i.k);
    if (match) return Chosen{&i, std::move(*match)};
    why = std::move(match.error());
  }
  if (why.empty()) {
    why = cat("none multiplies ", ir::dtype_name(types[0]), " by ", ir::dtype_name(types[1]), " with C ",
              ir::dtype_name(types[2]), " into D ", ir::dtype_name(types[3]),
              "; they take float16 or bfloat16, both alike, and sum up in float32");
  }
  return std::unexpected(cat("no mma instruction fits M=", e.m, ", N=", e.n, ", K=", e.k, ": ", why));
}

// The registers of an operand, by tiles and pairs of the fragment.
class Registers {
 public:
  Registers(CallContext& context, const MmaOperand& operand, const MmaFragment& fragment)
      : file_(context.kernel.flat_view(operand.buffer)), operand_(operand), fragment_(fragment) {}

  // `rows` and `columns`: of the operand's own two dimensions.
  std::int64_t offset(std::int64_t row_tile, std::int64_t column_tile, std::initializer_list<int> row_pairs,
                      std::initializer_list<int> column_pairs) const {
    std::int64_t sum = register_of(fragment_.tiles[0], row_tile) + register_of(fragment_.tiles[1], column_tile);
    std::size_t i = 0;
    for (int p : row_pairs) sum += p * fragment_.pairs[0][i++];
    i = 0;
    for (int p : column_pairs) sum += p * fragment_.pairs[1][i++];
    return sum;
  }
  Expr element(std::int64_t offset) const {
    Expr at[] = {ir::simplify((operand_.start + layout::Dim(offset)).expr())};
    return ir::load(file_, at);
  }
  Expr pointer(std::int64_t offset) const {
    Expr e[] = {element(offset)};
    return ir::call(ir::kHandle, ir::builtin::address_of, e);
  }
  void store(ir::BodyBuilder& out, std::int64_t offset, Expr value) const {
    Expr at[] = {ir::simplify((operand_.start + layout::Dim(offset)).expr())};
    out.add<ir::Store>(file_, Arena::current().copy(std::span<const Expr>(at)), value);
  }

 private:
  const ir::Buffer* file_;
  const MmaOperand& operand_;
  const MmaFragment& fragment_;
};

// Two 16-bit elements of A or B share a register, which starts at an even one.
Reason torn(const MmaOperand& o, const MmaFragment& f) {
  auto even = [](const layout::Iter& it) { return it.extent.is(1) || it.stride.value() % 2 == 0; };
  bool fits = layout::provably_divisible(o.start, 2);
  for (std::size_t d = 0; d < 2; ++d) {
    fits = fits && std::ranges::all_of(f.tiles[d], even);
    // The last of K's pairs is the two elements themselves.
    const std::size_t pairs = f.pairs[d].size() - (o.dims[d] == MmaDim::K ? 1 : 0);
    for (std::size_t i = 0; i < pairs; ++i) fits = fits && (o.dims[d] == MmaDim::N || f.pairs[d][i] % 2 == 0);
  }
  if (fits) return {};
  return cat("two elements of ", o.role, " along K share a 32-bit register, and some pair starts at an odd one");
}

class Emitter {
 public:
  Emitter(CallContext& context, const MmaOperands& o, const Chosen& chosen, const Extents& e)
      : operands_(o),
        chosen_(chosen),
        d_(context, o.d, chosen.match.d),
        a_(context, o.a, chosen.match.a),
        b_(context, o.b, chosen.match.b),
        c_(context, o.c, chosen.match.c),
        tiles_{layout_tiles(o.d, chosen.match.d, MmaDim::M), layout_tiles(o.d, chosen.match.d, MmaDim::N),
               e.k / chosen.instruction->k},
        out_(context.call.origin) {}

  std::int64_t issues() const { return tiles_.m * tiles_.n * tiles_.k; }

  const ir::Stmt* body(bool adds_c) {
    for (std::int64_t m = 0; m < tiles_.m; ++m) {
      for (std::int64_t n = 0; n < tiles_.n; ++n) {
        start(m, n, adds_c);
        for (std::int64_t k = 0; k < tiles_.k; ++k) multiply(m, n, k);
      }
    }
    return out_.finish();
  }

 private:
  static std::int64_t layout_tiles(const MmaOperand& o, const MmaFragment& f, MmaDim dim) {
    std::int64_t n = 1;
    for (const layout::Iter& it : f.tiles[o.dims[0] == dim ? 0 : 1]) n *= it.extent.value();
    return n;
  }

  void start(std::int64_t m, std::int64_t n, bool adds_c) {
    for (int row : {0, 1}) {
      for (int column : {0, 1}) {
        const std::int64_t d = d_.offset(m, n, {row}, {column});
        if (!adds_c) {
          d_.store(out_, d, ir::float_imm(ir::kFloat32, 0));
          continue;
        }
        const Expr from = c_.element(c_.offset(m, n, {row}, {column}));
        if (!ir::structurally_equal(from, d_.element(d))) d_.store(out_, d, from);
      }
    }
  }

  void multiply(std::int64_t m, std::int64_t n, std::int64_t k) {
    const int halves = static_cast<int>(chosen_.instruction->k / 8);
    std::vector<Expr> d, a, b;
    for (int row : {0, 1})
      for (int column : {0, 1}) d.push_back(d_.pointer(d_.offset(m, n, {row}, {column})));
    const bool a_by_rows = operands_.a.dims[0] == MmaDim::M, b_by_rows = operands_.b.dims[0] == MmaDim::K;
    for (int half = 0; half < halves; ++half) {
      for (int row : {0, 1}) {
        a.push_back(a_.pointer(a_by_rows ? a_.offset(m, k, {row}, {half, 0}) : a_.offset(k, m, {half, 0}, {row})));
      }
      b.push_back(b_.pointer(b_by_rows ? b_.offset(k, n, {half, 0}, {0}) : b_.offset(n, k, {0}, {half, 0})));
    }
    const Expr inputs = ir::string_imm(ir::dtype_name(chosen_.instruction->inputs)), sums = ir::string_imm("float32");
    std::vector<Expr> args = {ir::string_imm(chosen_.instruction->shape),
                              ir::string_imm("row"),
                              ir::string_imm("col"),
                              sums,
                              inputs,
                              inputs,
                              sums};
    for (const auto* list : {&d, &a, &b, &d}) {
      args.push_back(Expr(static_cast<std::int64_t>(list->size())));
      args.insert(args.end(), list->begin(), list->end());
    }
    args.push_back(ir::bool_imm(false));
    args.push_back(ir::string_imm(""));
    static const intrinsics::Intrinsic& row = row_of("mma");
    out_.add<ir::Evaluate>(ir::call(ir::kVoid, row, args));
  }

  const MmaOperands& operands_;
  const Chosen& chosen_;
  Registers d_, a_, b_, c_;
  Extents tiles_;
  ir::BodyBuilder out_;
};

// The threads that a call's operands are spread over must all be there.
Reason beyond_scope(const CallContext& context, const MmaOperand& o) {
  std::int64_t threads = 1;
  for (const layout::Iters& list : o.lists) {
    for (const layout::Iter& it : list) threads *= layout::is_thread_axis(it.axis) ? it.extent.value() : 1;
  }
  const std::int64_t there = thread_count(context);
  if (threads <= there) return {};
  return cat(o.role, " is spread over ", threads, " threads, the ", ir::exec_scope_name(context.scope.kind), " has ",
             there);
}

std::expected<MmaOperands, Reason> operands_of(CallContext& context, bool tA, bool tB) {
  const MmaDim a[] = {MmaDim::M, MmaDim::K}, b[] = {MmaDim::K, MmaDim::N};
  MmaOperands out;
  struct Slot {
    MmaOperand* to;
    std::size_t index;
    MmaDim rows, columns;
  };
  for (const Slot& s : {Slot{&out.a, kA, a[tA], a[!tA]}, Slot{&out.b, kB, b[tB], b[!tB]},
                        Slot{&out.c, kC, MmaDim::M, MmaDim::N}, Slot{&out.d, kD, MmaDim::M, MmaDim::N}}) {
    auto operand = mma_operand(kNames[s.index], region(context, s.index), s.rows, s.columns);
    if (!operand) return std::unexpected(std::move(operand.error()));
    if (Reason why = beyond_scope(context, *operand); !why.empty()) return std::unexpected(std::move(why));
    *s.to = std::move(*operand);
  }
  if (Reason why = align(out); !why.empty()) return std::unexpected(std::move(why));
  return out;
}

}  // namespace

std::span<const Predicate> predicates() { return kMmaPredicates; }

Planned plan(CallContext& context) {
  const auto tA = number(argument(context, 4, Expr(0))), tB = number(argument(context, 5, Expr(0)));
  if (!tA || !tB) return decline("transpose_A and transpose_B must be known before the launch");
  auto e = extents_of(context, *tA != 0, *tB != 0);
  if (!e) return decline(std::move(e.error()));
  auto operands = operands_of(context, *tA != 0, *tB != 0);
  if (!operands) return decline(std::move(operands.error()));
  auto chosen = choose(context, *operands, *e);
  if (!chosen) return decline(std::move(chosen.error()));
  if (Reason why = torn(operands->a, chosen->match.a); !why.empty()) return decline(std::move(why));
  if (Reason why = torn(operands->b, chosen->match.b); !why.empty()) return decline(std::move(why));
  Emitter emitter(context, *operands, *chosen, *e);
  if (emitter.issues() > kMostIssues) {
    return decline(cat("a warp would take ", emitter.issues(), " instructions, all unrolled; at most ", kMostIssues,
                       ": multiply parts of it in a loop"));
  }
  const bool adds_c = number(argument(context, kBeta, Expr(0))) == 1.0;
  Plan plan{.body = emitter.body(adds_c)};
  plan.facts.push_back({"instruction", std::string(chosen->instruction->shape)});
  plan.fact("issues", emitter.issues());
  plan.summary = cat("gemm -> mma.m16n8k*: ", ir::to_string(region(context, kD)), " = ",
                     ir::to_string(region(context, kA)), *tA != 0 ? "^T" : "", " ", ir::to_string(region(context, kB)),
                     *tB != 0 ? "^T" : "", adds_c ? cat(" + ", ir::to_string(region(context, kC))) : std::string(),
                     ", mma.sync.", chosen->instruction->shape, ", ", emitter.issues(),
                     emitter.issues() == 1 ? " issue a warp" : " issues a warp");
  return plan;
}

}  // namespace tilewright::dispatch::variants::gemm_mma
