#include "compiler/dispatch/overruns.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "compiler/dispatch/codes.h"
#include "compiler/dispatch/variant.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/expr/fold.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/ir/origin.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::ScopeBinding;
using ir::Stmt;
using ir::StmtKind;
using ir::Var;
using Number = std::optional<std::int64_t>;  // nothing: not known

constexpr int kMostTrials = 1500;            // assignments tried for one access
constexpr int kMostTrialsOfKernel = 20000;   // and for all of a kernel: typing must not wait for this
constexpr int kMostSteps = 4000;             // nodes looked at for one question; lets may double at each step
constexpr std::size_t kMostCandidates = 16;  // values tried of one variable
constexpr std::int64_t kLarge = 1ll << 40;   // beyond, arithmetic is not followed

// A condition on the way to a statement, and which way it went.
struct Guard {
  Expr condition;
  bool way = true;
};

bool is_thread_id(ScopeBinding b) {
  return b == ScopeBinding::CtaThread || b == ScopeBinding::CtaWarp || b == ScopeBinding::CtaWarpgroup ||
         b == ScopeBinding::WarpgroupWarp || b == ScopeBinding::WarpThread || b == ScopeBinding::WarpgroupThread;
}

// ---- ranges ---------------------------------------------------------------------------------------------------------

constexpr std::int64_t kFar = 1ll << 31;  // products of two smaller numbers are numbers

bool is_small(ir::Interval i) { return i.lo > -kFar && i.hi < kFar; }

// What `e` lies in, by its operators alone: no normal form is made, and nearly every index needs none. Unbounded where
// that tells nothing.
ir::Interval quick_bounds(Expr e, int depth = 0) {
  constexpr int kDeepest = 16;
  if (auto* i = e.as<ir::IntImm>()) return ir::Interval::point(i->value);
  if (auto* v = e.as<Var>()) return v->range;
  auto* b = e.as<ir::Binary>();
  if (!b || depth == kDeepest) return {};
  const ir::Interval x = quick_bounds(b->a, depth + 1), y = quick_bounds(b->b, depth + 1);
  if (!is_small(x) || !is_small(y)) return {};
  ir::Interval out;
  switch (e.kind()) {
    case ExprKind::Add: out = {x.lo + y.lo, x.hi + y.hi}; break;
    case ExprKind::Sub: out = {x.lo - y.hi, x.hi - y.lo}; break;
    case ExprKind::Mul: {
      const auto [lo, hi] = std::minmax({x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi});
      out = {lo, hi};
      break;
    }
    case ExprKind::FloorMod:
      if (y.lo > 0) out = {0, x.lo >= 0 ? std::min(x.hi, y.hi - 1) : y.hi - 1};
      break;
    case ExprKind::FloorDiv:
      if (y.lo > 0 && x.lo >= 0) out = {x.lo / y.hi, x.hi / y.lo};
      break;
    default: break;
  }
  return is_small(out) ? out : ir::Interval();
}

// ---- numbers at a witness -------------------------------------------------------------------------------------------

// Values of variables: the thread by its linear number, everything else one by one.
struct Witness {
  std::int64_t thread = -1;  // -1: none was chosen
  std::vector<std::pair<const Var*, std::int64_t>> values;

  Number find(const Var* var) const {
    for (const auto& [v, value] : values) {
      if (v == var) return value;
    }
    return std::nullopt;
  }
};

class Numbers {
 public:
  explicit Numbers(const scope::Closure& closure) : closure_(closure) {}
  void bind(const Var* var, Expr value) { lets_[var] = value; }
  Expr let(const Var* var) const {
    auto it = lets_.find(var);
    return it == lets_.end() ? Expr() : it->second;
  }

  bool elected = false;  // an election was met: it was taken to choose this thread
  int steps = 0;         // taken for the question at hand

  Number of(Expr e, const Witness& w, int depth = 0) {
    if (!e || depth > 64 || ++steps > kMostSteps) return std::nullopt;
    if (auto* i = e.as<ir::IntImm>()) return i->value;
    if (auto* v = e.as<Var>()) return variable(v, w, depth);
    if (auto* c = e.as<ir::Cast>()) {
      if (!c->dtype.is_integral() && !c->dtype.is_bool()) return std::nullopt;
      Number n = of(c->value, w, depth + 1);
      return n && fits(*n, c->dtype) ? n : std::nullopt;
    }
    if (auto* s = e.as<ir::Select>()) {
      Number condition = of(s->condition, w, depth + 1);
      if (!condition) return std::nullopt;
      return of(*condition ? s->when_true : s->when_false, w, depth + 1);
    }
    if (auto* u = e.as<ir::Unary>()) {
      Number n = e.kind() == ExprKind::Not ? of(u->a, w, depth + 1) : std::nullopt;
      return n ? Number(!*n) : std::nullopt;
    }
    if (auto* call = e.as<ir::Call>()) {
      if (call->callee == &ir::builtin::likely) return of(call->args[0], w, depth + 1);
      if (!call->callee->elects) return std::nullopt;
      elected = true;
      return 1;
    }
    auto* b = e.as<ir::Binary>();
    if (!b || b->a.dtype().lanes != 1) return std::nullopt;
    Number x = of(b->a, w, depth + 1);
    // What short-circuits need not be known on both sides.
    if (e.kind() == ExprKind::And || e.kind() == ExprKind::Or) {
      const bool decides = e.kind() == ExprKind::Or;
      if (x && (*x != 0) == decides) return decides;
      Number y = of(b->b, w, depth + 1);
      if (y && (*y != 0) == decides) return decides;
      return x && y ? Number(!decides) : std::nullopt;
    }
    Number y = of(b->b, w, depth + 1);
    if (!x || !y) return std::nullopt;
    Number n = combined(e.kind(), *x, *y);
    return n && fits(*n, e.dtype()) ? n : std::nullopt;
  }

  std::int64_t threads() const { return closure_.launch.threads().value_or(0); }
  const scope::Closure& closure() const { return closure_; }

 private:
  static bool fits(std::int64_t n, ir::DataType d) {
    if (d.is_bool()) return true;
    return n < kLarge && n > -kLarge && (d.bits > 32 || (n >= INT32_MIN && n <= INT32_MAX));
  }

  static Number combined(ExprKind kind, std::int64_t x, std::int64_t y) {
    if (x > kLarge || x < -kLarge || y > kLarge || y < -kLarge) return std::nullopt;
    const bool negative = x < 0 || y < 0;
    switch (kind) {
      case ExprKind::Mul:
        if (x && y && (x > kLarge / std::abs(y) || x < -kLarge / std::abs(y))) return std::nullopt;
        break;
      case ExprKind::BitAnd:
      case ExprKind::BitOr:
      case ExprKind::BitXor:
        if (negative) return std::nullopt;
        break;
      case ExprKind::Shl:
        if (negative || y >= 32 || x >= (1ll << 31)) return std::nullopt;
        break;
      case ExprKind::Shr:
        if (negative || y >= 63) return std::nullopt;
        break;
      default: break;
    }
    return ir::fold_integer(kind, ir::kInt64, x, y);
  }

  Number variable(const Var* v, const Witness& w, int depth) {
    if (Number chosen = w.find(v)) return chosen;
    if (Expr value = let(v)) return of(value, w, depth + 1);
    if (v->role != ir::VarRole::ScopeId || w.thread < 0) return std::nullopt;
    return closure_.in_thread(v, w.thread);
  }

  const scope::Closure& closure_;
  std::unordered_map<const Var*, Expr> lets_;
};

// ---- the walk -------------------------------------------------------------------------------------------------------

class Overruns {
 public:
  Overruns(const scope::Closure& closure, const std::vector<CallReport>& calls, const text::Context& context)
      : numbers_(closure), calls_(calls), context_(context) {}

  void block(const Stmt* s) {
    if (!s || lost_ || context_.stop.stop_requested()) return;
    switch (s->kind) {
      case StmtKind::Seq:
        for (const Stmt* child : static_cast<const ir::Seq*>(s)->body) block(child);
        return;
      case StmtKind::Bind: {
        const auto* bind = static_cast<const ir::Bind*>(s);
        loads(bind->value, s);
        numbers_.bind(bind->var, bind->value);
        return;
      }
      case StmtKind::Alloc: return allocate(static_cast<const ir::Alloc*>(s)->buffer);
      case StmtKind::Decl: return view(static_cast<const ir::Decl*>(s));
      case StmtKind::Store: {
        const auto* store = static_cast<const ir::Store*>(s);
        for (Expr index : store->indices) loads(index, s);
        loads(store->value, s);
        element(store->buffer, store->indices, s);
        return;
      }
      case StmtKind::Evaluate: {
        Expr value = static_cast<const ir::Evaluate*>(s)->value;
        loads(value, s);
        auto* call = value.as<ir::Call>();
        const intrinsics::Intrinsic* row = call ? intrinsics::of(call->callee) : nullptr;
        if (row && row->meaning == intrinsics::Meaning::TrapUnless) guards_.push_back({call->args[0], true});
        return;
      }
      case StmtKind::Assert: {
        const auto* a = static_cast<const ir::Assert*>(s);
        guards_.push_back({a->condition, true});
        return;
      }
      case StmtKind::Attr: return block(static_cast<const ir::Attr*>(s)->body);
      case StmtKind::If: return branch(static_cast<const ir::If*>(s));
      case StmtKind::For: {
        const auto* loop = static_cast<const ir::For*>(s);
        // A round that is not reached proves nothing: one may leave the loop, or the kernel, before it.
        if (leaves(loop->body)) {
          lost_ = lost_ || returns(loop->body);
          return;
        }
        const std::size_t guards = guards_.size();
        loops_.push_back(loop);
        block(loop->body);
        loops_.pop_back();
        guards_.resize(guards);
        return;
      }
      case StmtKind::While: lost_ = lost_ || returns(static_cast<const ir::While*>(s)->body); return;
      case StmtKind::Return: lost_ = true; return;
      case StmtKind::TileCall: return tile_call(static_cast<const ir::TileCall*>(s));
      default: return;
    }
  }

 private:
  static bool holds(const Stmt* s, std::initializer_list<StmtKind> kinds, bool into_loops) {
    bool found = false;
    ir::walk_stmts(s, [&](const Stmt* child) {
      found |= std::ranges::find(kinds, child->kind) != kinds.end();
      return !found && (into_loops || (child->kind != StmtKind::For && child->kind != StmtKind::While));
    });
    return found;
  }
  static bool returns(const Stmt* s) { return holds(s, {StmtKind::Return}, true); }
  static bool leaves(const Stmt* s) { return returns(s) || holds(s, {StmtKind::Break, StmtKind::Continue}, false); }

  void branch(const ir::If* s) {
    loads(s->condition, s);
    auto side = [&](const Stmt* body, bool way) {
      if (!body) return;
      const bool was_lost = lost_;
      const std::size_t guards = guards_.size();
      guards_.push_back({s->condition, way});
      block(body);
      guards_.resize(guards);
      lost_ = was_lost;
    };
    side(s->then_body, true);
    side(s->else_body, false);
    const bool then_ends = s->then_body && leaves(s->then_body), else_ends = s->else_body && leaves(s->else_body);
    if (!then_ends && !else_ends) return;
    // Who goes on went the other way, where the whole branch ends with the jump; else nobody can say who goes on.
    auto ends = [](const Stmt* body) {
      while (const auto* seq = ir::as<ir::Seq>(body)) body = seq->body.empty() ? nullptr : seq->body.back();
      return body && body->kind == StmtKind::Return;
    };
    if (then_ends && !else_ends && loops_.empty() && ends(s->then_body))
      guards_.push_back({s->condition, false});
    else
      lost_ = true;
  }

  // ---- storage ------------------------------------------------------------------------------------------------------

  // Bits that a buffer takes from its first element on; nothing: not known.
  static Number reach(const ir::Buffer& b) {
    std::optional<std::int64_t> elements = ir::constant_elements(b.shape);
    if (!elements || *elements <= 0 || !b.strides.empty()) return std::nullopt;
    const std::int64_t bits = static_cast<std::int64_t>(b.dtype.bits) * b.dtype.lanes;
    if (!b.layout) return *elements * bits;
    if (b.layout->swizzle) return std::nullopt;
    const layout::Layout own = layout::storage(*b.layout);
    const layout::Dim size = layout::size(*b.layout), held = layout::size(own);
    if (!size.is_constant() || !held.is_constant()) return std::nullopt;
    // Of a layout that holds more than the buffer has, the buffer's own elements count.
    std::int64_t count = *elements;
    if (layout::has_thread_axis(*b.layout)) {
      if (size.value() != *elements) return std::nullopt;
      count = held.value();
    }
    auto needed = layout::allocation_elements(own, layout::Dim(count));
    if (!needed || !needed->is_constant()) return std::nullopt;
    return needed->value() * bits;
  }

  void allocate(const ir::Buffer* b) {
    if (b->scope != ir::StorageScope::Local && b->scope != ir::StorageScope::Shared) return;
    if (b->layout && b->layout->swizzle) return;
    if (Number bits = reach(*b); bits && b->data) storage_[b->data] = {b, *bits};
  }

  void view(const ir::Decl* s) {
    const ir::Buffer& b = *s->buffer;
    auto it = b.data ? storage_.find(b.data) : storage_.end();
    if (it == storage_.end()) return;
    const std::int64_t* offset = b.elem_offset ? ir::constant(b.elem_offset) : nullptr;
    if (b.elem_offset && !offset) return;
    Number bits = reach(b);
    if (!bits) return;
    const std::int64_t element = static_cast<std::int64_t>(b.dtype.bits) * b.dtype.lanes;
    const std::int64_t last = *bits + (offset ? *offset * element : 0);
    if (last <= it->second.bits) return;
    const ir::Buffer& whole = *it->second.buffer;
    auto bytes = [](std::int64_t n) { return cat((n + 7) / 8, " bytes"); };
    text::Diagnostic d = at(code::kOverrun, s->origin);
    d.message = cat("the view ", b.name, " reaches ", bytes(last), ", and ", whole.name, " that it looks at has ",
                    bytes(it->second.bits));
    d.hint = cat("a view has as many elements as its buffer; make ", whole.name, " larger, or the view smaller");
    say(std::move(d));
  }

  // ---- accesses -----------------------------------------------------------------------------------------------------

  // Loads that an expression certainly makes: none behind a condition of its own.
  void loads(Expr e, const Stmt* s) {
    if (!e) return;
    if (auto* load = e.as<ir::Load>()) {
      for (Expr index : load->indices) loads(index, s);
      return element(load->buffer, load->indices, s);
    }
    if (auto* select = e.as<ir::Select>()) return loads(select->condition, s);
    if (auto* call = e.as<ir::Call>()) {
      const bool address = call->callee == &ir::builtin::address_of;
      for (Expr arg : call->args) {
        auto* named = address ? arg.as<ir::Load>() : nullptr;  // its address is taken, and nothing read
        if (!named) loads(arg, s);
      }
      return;
    }
    if (e.kind() == ExprKind::And || e.kind() == ExprKind::Or) return loads(e.as<ir::Binary>()->a, s);
    Expr buffer[3];
    for (Expr child : ir::children(*e.get(), buffer)) loads(child, s);
  }

  // Does the element's number stay inside, by what `range_of` knows of each index?
  template <class RangeOf>
  static bool is_inside(const ir::Buffer* b, std::span<const Expr> indices, std::int64_t elements, RangeOf range_of) {
    ir::Interval all{0, 0};
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const std::int64_t extent = *ir::constant(b->shape[d]);
      const ir::Interval range = range_of(indices[d]);
      if (!is_small(all) || !is_small(range) || extent >= kFar) return false;
      all = {all.lo * extent + range.lo, all.hi * extent + range.hi};
    }
    return all.lo >= 0 && all.hi < elements;
  }

  // One element: it is outside where its number, counted row by row, is outside of the whole buffer. Kernels count
  // across rows on purpose.
  void element(const ir::Buffer* b, std::span<const Expr> indices, const Stmt* s) {
    std::optional<std::int64_t> elements = ir::constant_elements(b->shape);
    if (!elements || *elements <= 0 || !b->strides.empty() || indices.size() != b->rank()) return;
    if (std::ranges::any_of(indices, [](Expr e) { return e.dtype().lanes != 1; })) return;
    if (is_inside(b, indices, *elements, [](Expr e) { return quick_bounds(e); })) return;
    if (is_inside(b, indices, *elements, ir::bounds)) return;
    std::int64_t outside = 0;
    auto beyond = [&](const Witness& w) -> std::optional<bool> {
      std::int64_t flat = 0;
      for (std::size_t d = 0; d < indices.size(); ++d) {
        Number n = numbers_.of(indices[d], w);
        if (!n) return std::nullopt;
        flat = flat * *ir::constant(b->shape[d]) + *n;
      }
      outside = flat;
      return flat < 0 || flat >= *elements;
    };
    auto w = witness(indices, *elements, beyond);
    if (!w) return;
    text::Diagnostic d = at(code::kOverrun, s->origin);
    d.message = cat(b->name, " has ", *elements, *elements == 1 ? " element" : " elements", ", and this is element ",
                    outside, where(*w, indices));
    d.hint = "guard the access, or make the buffer larger";
    say(std::move(d));
  }

  void region(const ir::Region& r, const ir::TileCall* s, text::Span span) {
    const ir::Buffer* b = r.buffer;
    for (std::size_t d = 0; d < r.ranges.size() && d < b->rank(); ++d) {
      const std::int64_t* extent = ir::constant(b->shape[d]);
      if (!extent) continue;
      const ir::Range& range = r.ranges[d];
      const std::int64_t *from = ir::constant(range.min), *count = ir::constant(range.extent);
      if (from && count && *from >= 0 && *from + *count <= *extent) continue;
      if (!from && count) {
        const ir::Interval i = ir::bounds(range.min);
        if (i.lo >= 0 && i.hi <= *extent - *count) continue;
      }
      std::int64_t outside = 0;
      const Expr both[] = {range.min, range.extent};
      auto beyond = [&](const Witness& w) -> std::optional<bool> {
        Number lo = numbers_.of(range.min, w), n = numbers_.of(range.extent, w);
        if (!lo || !n) return std::nullopt;
        outside = *lo < 0 ? *lo : *lo + *n - 1;
        return *n > 0 && (*lo < 0 || *lo + *n > *extent);
      };
      auto w = witness(both, *extent, beyond);
      if (!w) continue;
      text::Diagnostic found = at(code::kOverrun, s->origin);
      if (span) found.span = span;
      const std::string of = b->rank() == 1 ? "" : d == 0 ? " rows" : cat(" in dimension ", d);
      found.message =
          cat(b->name, " has ", *extent, b->rank() > 1 && d == 0 ? "" : " elements", of, ", and this region reaches ",
              b->rank() > 1 && d == 0 ? "row " : "element ", outside, where(*w, both));
      found.hint =
          "let it end where the buffer ends: fewer blocks or rounds, another stride, or a guard around the call";
      say(std::move(found));
      return;
    }
  }

  void tile_call(const ir::TileCall* s) {
    while (next_ < calls_.size() && calls_[next_].call != s) ++next_;
    const CallReport* report = next_ < calls_.size() ? &calls_[next_++] : nullptr;
    for (const ir::Operand& o : s->args) {
      if (!o.region.buffer) loads(o.value, s);
    }
    if (!report || !report->body) return;  // that is the error
    // An option that nobody reads was meant to be another, which may let the call reach beyond.
    for (const ir::ConfigItem& item : s->config) {
      if (readers_of(s->primitive, item.key).empty()) return;
    }
    for (const ir::Operand& o : s->args) {
      // The tensor unit leaves out what lies outside of a tensor, and kernels rely on it.
      const bool clipped =
          report->variant == "tma" && o.region.buffer && o.region.buffer->scope == ir::StorageScope::Global;
      if (o.region.buffer && !clipped) region(o.region, s, o.span);
    }
    whole_copy(s, *report);
  }

  // ---- copies that every thread makes -------------------------------------------------------------------------------

  // Is the value the same in all threads of a CTA?
  bool same_in_cta(Expr e, int depth = 0) {
    if (!e) return true;
    if (depth > 64) return false;
    bool same = true;
    ir::walk(e, [&](Expr x) {
      if (++visits_ > kMostSteps || x.as<ir::Load>() || x.as<ir::Call>()) same = false;
      if (auto* v = x.as<Var>()) same = same && variable_is_same(v, depth);
      return same;
    });
    return same;
  }
  bool variable_is_same(const Var* v, int depth) {
    if (v->role == ir::VarRole::ScopeId) return !is_thread_id(v->scope_id);
    if (v->role == ir::VarRole::Parameter || v->role == ir::VarRole::Extent) return true;
    for (const ir::For* loop : loops_) {
      if (loop->var == v) return same_in_cta(loop->min, depth + 1) && same_in_cta(loop->extent, depth + 1);
    }
    Expr let = numbers_.let(v);
    return let && same_in_cta(let, depth + 1);
  }

  void whole_copy(const ir::TileCall* s, const CallReport& report) {
    if (s->scope != ir::ExecScope::Thread || (s->primitive != "copy" && s->primitive != "copy_async")) return;
    // Those that one thread issues are told so where they are chosen.
    if (report.variant == "tma" || report.variant == "dsmem" || report.variant == "smem->tmem") return;
    if (s->args.size() < 2 || !report.scope.tracked || !report.scope.inexact.empty()) return;
    std::int64_t threads = 1;
    for (scope::ActiveAxis axis : {scope::ActiveAxis::laneid, scope::ActiveAxis::warpid}) {
      const scope::ActiveRange* r = scope::find(report.scope.inter, axis);
      if (r && r->elected) return;
      if (r) threads *= r->extent;
    }
    if (threads < 2) return;
    bool one_element = true;
    visits_ = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const ir::Region& r = s->args[i].region;
      if (!r.buffer || (r.buffer->scope != ir::StorageScope::Global && !ir::is_shared(r.buffer->scope))) return;
      for (const ir::Range& range : r.ranges) {
        if (!same_in_cta(range.min) || !same_in_cta(range.extent)) return;
        one_element = one_element && ir::is_constant(range.extent, 1);
      }
      if (!same_in_cta(r.buffer->elem_offset)) return;
    }
    if (one_element) return;
    text::Diagnostic d = at(code::kWholeCopies, s->origin);
    const bool of_warp = threads == 32, of_group = threads == 128 && numbers_.threads() != 128;
    const std::string_view scope = of_warp ? "warp" : of_group ? "wg" : "cta";
    d.message = cat("each of ", threads, " threads copies the whole tile");
    d.hint = cat("copy it together: Tx.", scope, ".", s->primitive);
    say(std::move(d));
  }

  // ---- witnesses ----------------------------------------------------------------------------------------------------

  // What the values depend on, lets followed.
  struct Needs {
    bool thread = false;
    std::vector<const Var*> ids;        // of blocks and clusters
    std::vector<std::int64_t> numbers;  // that are written there
    std::vector<const Var*> lets;       // that were followed
  };
  void read(Expr e, Needs& out, int depth = 0) const {
    if (!e || depth > 64) return;
    ir::walk(e, [&](Expr x) {
      if (auto* i = x.as<ir::IntImm>()) {
        if (out.numbers.size() < kMostCandidates) out.numbers.push_back(i->value);
      } else if (auto* v = x.as<Var>()) {
        read_variable(v, out, depth);
      }
      return true;
    });
  }
  void read_variable(const Var* v, Needs& out, int depth) const {
    if (v->role == ir::VarRole::ScopeId) {
      if (is_thread_id(v->scope_id))
        out.thread = true;
      else if (std::ranges::find(out.ids, v) == out.ids.end())
        out.ids.push_back(v);
      return;
    }
    for (const ir::For* loop : loops_) {
      if (loop->var == v) return;  // all loops around are read anyway
    }
    if (std::ranges::find(out.lets, v) != out.lets.end()) return;
    out.lets.push_back(v);
    if (Expr let = numbers_.let(v)) return read(let, out, depth + 1);
    // A value that nobody knows may stand in a condition that does not depend on it.
  }

  template <class Beyond>
  std::optional<Witness> witness(std::span<const Expr> indices, std::int64_t limit, Beyond&& beyond) {
    Needs needs;
    needs.numbers.push_back(limit);
    for (Expr e : indices) read(e, needs);
    for (const Guard& g : guards_) read(g.condition, needs);
    for (const ir::For* loop : loops_) {
      for (Expr bound : {loop->min, loop->extent, loop->step}) read(bound, needs);
      if (loop->loop == ir::LoopKind::ThreadBinding) return std::nullopt;
    }
    // Ids of different kinds hang together, and only one kind of them is followed for blocks.
    for (const Var* id : needs.ids) {
      if (id->scope_id != needs.ids.front()->scope_id) return std::nullopt;
    }
    if (needs.thread && numbers_.threads() <= 0) return std::nullopt;
    Witness w;
    const int granted = std::min(kMostTrials, trials_left_);
    int budget = granted;
    numbers_.steps = 0;
    const bool found = choose_id(needs, 0, w, budget, beyond);
    trials_left_ -= granted - std::max(budget, 0);
    numbers_.steps = 0;
    return found ? std::optional(std::move(w)) : std::nullopt;
  }

  // Corners of a range, and what the conditions and indices name inside of it.
  static std::vector<std::int64_t> candidates(std::int64_t lo, std::int64_t hi,
                                              const std::vector<std::int64_t>& named) {
    std::vector<std::int64_t> out{hi};
    auto add = [&](std::int64_t n) {
      if (n >= lo && n <= hi && out.size() < kMostCandidates && std::ranges::find(out, n) == out.end())
        out.push_back(n);
    };
    add(lo);
    for (std::int64_t n : named) {
      add(n);
      add(n - 1);
      add(n + 1);
    }
    return out;
  }

  template <class Beyond>
  bool choose_id(const Needs& needs, std::size_t i, Witness& w, int& budget, Beyond& beyond) {
    if (i == needs.ids.size()) return choose_thread(needs, w, budget, beyond);
    const Var* id = needs.ids[i];
    // Only a declared constant says that each value is taken.
    const ir::ScopeIds* declared = numbers_.closure().declaration_of(id);
    const ir::Interval range = numbers_.closure().range(id);
    if (!declared || declared->extents.size() != declared->vars.size() || !range.bounded() || range.lo != 0)
      return false;
    const std::int64_t* extent =
        id->dimension < declared->extents.size() ? ir::constant(declared->extents[id->dimension]) : nullptr;
    if (!extent || *extent != range.hi + 1) return false;
    for (std::int64_t n : candidates(range.lo, range.hi, needs.numbers)) {
      w.values.emplace_back(id, n);
      if (choose_id(needs, i + 1, w, budget, beyond)) return true;
      w.values.pop_back();
    }
    return false;
  }

  template <class Beyond>
  bool choose_thread(const Needs& needs, Witness& w, int& budget, Beyond& beyond) {
    const std::int64_t threads = numbers_.threads();
    if (!needs.thread) return choose_loop(0, needs, w, budget, beyond);
    std::vector<std::int64_t> named = needs.numbers;
    for (std::int64_t n : needs.numbers) {
      named.push_back(n * 32);  // conditions name warps and warpgroups, too
      named.push_back(n * 128);
    }
    for (std::int64_t n : candidates(0, threads - 1, named)) {
      w.thread = n;
      if (choose_loop(0, needs, w, budget, beyond)) return true;
    }
    w.thread = -1;
    return false;
  }

  template <class Beyond>
  bool choose_loop(std::size_t i, const Needs& needs, Witness& w, int& budget, Beyond& beyond) {
    if (i == loops_.size()) return proves(w, budget, beyond);
    const ir::For* loop = loops_[i];
    if (budget < 0) return false;
    numbers_.steps = 0;
    Number first = numbers_.of(loop->min, w), rounds = numbers_.of(loop->extent, w);
    Number step = loop->step ? numbers_.of(loop->step, w) : Number(1);
    if (!first || !rounds || !step || *rounds < 1) return false;
    for (std::int64_t round : candidates(0, *rounds - 1, {})) {
      w.values.emplace_back(loop->var, *first + round * *step);
      if (choose_loop(i + 1, needs, w, budget, beyond)) return true;
      w.values.pop_back();
    }
    return false;
  }

  template <class Beyond>
  bool proves(Witness& w, int& budget, Beyond& beyond) {
    if (--budget < 0) return false;
    numbers_.elected = false;
    numbers_.steps = 0;
    auto at = [&](const Witness& here) {
      auto outside = beyond(here);
      return outside && *outside && passes(here);
    };
    if (!at(w)) return false;
    if (!numbers_.elected || w.thread < 0) return true;
    // The hardware elects one lane of the warp, whichever it is: it must hold for each of them.
    Witness other = w;
    const std::int64_t warp = w.thread / 32 * 32;
    for (std::int64_t lane = 0; lane < 32 && warp + lane < numbers_.threads(); ++lane) {
      other.thread = warp + lane;
      if (!at(other)) return false;
    }
    return at(w);  // and the words are those of the first
  }

  bool passes(const Witness& w) {
    return std::ranges::all_of(guards_, [&](const Guard& g) {
      Number n = numbers_.of(g.condition, w);
      return n && (*n != 0) == g.way;
    });
  }

  // " where bx is 1 and i is 3": the variables of the indices.
  std::string where(const Witness& w, std::span<const Expr> indices) {
    std::string out;
    std::vector<const Var*> said;
    auto add = [&](const Var* v) {
      if (v->name.empty() || std::ranges::find(said, v) != said.end() || said.size() >= 4) return;
      Number n = numbers_.of(v, w);
      if (!n) return;
      said.push_back(v);
      out += cat(out.empty() ? " where " : " and ", v->name, " is ", *n);
    };
    for (Expr e : indices) {
      ir::walk(e, [&](Expr x) {
        if (auto* v = x.as<Var>()) add(v);
        return true;
      });
    }
    return out;
  }

  static text::Diagnostic at(std::string_view code, const ir::Origin& origin) {
    text::Diagnostic d;
    d.code = code;
    d.severity = text::Severity::Warning;
    d.span = origin.span;
    d.chain = ir::call_chain(origin.chain);
    return d;
  }

  // What an unrolled or inlined statement says several times is said once.
  void say(text::Diagnostic d) {
    const std::pair<std::string_view, text::Span> key{d.code, d.span};
    if (std::ranges::find(said_, key) != said_.end()) return;
    said_.push_back(key);
    context_.report(std::move(d));
  }

  struct Storage {
    const ir::Buffer* buffer = nullptr;
    std::int64_t bits = 0;
  };

  Numbers numbers_;
  const std::vector<CallReport>& calls_;
  std::size_t next_ = 0;  // of them
  const text::Context& context_;
  std::vector<Guard> guards_;
  std::vector<const ir::For*> loops_;
  std::unordered_map<const Var*, Storage> storage_;
  std::vector<std::pair<std::string_view, text::Span>> said_;
  int trials_left_ = kMostTrialsOfKernel;
  int visits_ = 0;     // of same_in_cta for the call at hand
  bool lost_ = false;  // who gets here is not known: some left before
};

}  // namespace

void report_overruns(const ir::Stmt* body, const scope::Closure& closure, const std::vector<CallReport>& calls,
                     const text::Context& context) {
  Overruns(closure, calls, context).block(body);
}

}  // namespace tilewright::dispatch
