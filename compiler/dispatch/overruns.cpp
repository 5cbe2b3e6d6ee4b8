#include "compiler/dispatch/overruns.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "compiler/dispatch/codes.h"
#include "compiler/dispatch/variant.h"
#include "compiler/dispatch/witness.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/ir/origin.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;
using ir::Var;

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

// ---- the walk -------------------------------------------------------------------------------------------------------

// The tensor unit leaves out what lies outside of a tensor.
bool by_tensor_unit(const CallReport& report) { return report.variant.starts_with("tma"); }

class Overruns {
 public:
  Overruns(const scope::Closure& closure, const std::vector<CallReport>& calls, text::Dialect release,
           const text::Context& context)
      : numbers_(closure), calls_(calls), release_(release), context_(context) {}

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
        if (row && row->meaning == intrinsics::Meaning::TrapUnless) path_.guards.push_back({call->args[0], true});
        return;
      }
      case StmtKind::Assert: {
        const auto* a = static_cast<const ir::Assert*>(s);
        path_.guards.push_back({a->condition, true});
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
        const std::size_t guards = path_.guards.size();
        path_.loops.push_back(loop);
        block(loop->body);
        path_.loops.pop_back();
        path_.guards.resize(guards);
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
      const std::size_t guards = path_.guards.size();
      path_.guards.push_back({s->condition, way});
      block(body);
      path_.guards.resize(guards);
      lost_ = was_lost;
    };
    side(s->then_body, true);
    side(s->else_body, false);
    const bool then_ends = s->then_body && leaves(s->then_body), else_ends = s->else_body && leaves(s->else_body);
    if (!then_ends && !else_ends) return;
    // Who goes on went the other way, where the whole branch ends with the jump; else it is not known who goes on.
    auto ends = [](const Stmt* body) {
      while (const auto* seq = ir::as<ir::Seq>(body)) body = seq->body.empty() ? nullptr : seq->body.back();
      return body && body->kind == StmtKind::Return;
    };
    if (then_ends && !else_ends && path_.loops.empty() && ends(s->then_body))
      path_.guards.push_back({s->condition, false});
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
    if (is_inside(b, indices, *elements, [](Expr e) { return quick_bounds(e); })) return dimensions(b, indices, s);
    if (is_inside(b, indices, *elements, ir::bounds)) return dimensions(b, indices, s);
    std::vector<std::int64_t> reached(indices.size());
    auto beyond = [&](const Witness& w) -> std::optional<bool> {
      std::int64_t flat = 0;
      for (std::size_t d = 0; d < indices.size(); ++d) {
        Number n = numbers_.of(indices[d], w);
        if (!n) return std::nullopt;
        reached[d] = *n;
        flat = flat * *ir::constant(b->shape[d]) + *n;
      }
      return flat < 0 || flat >= *elements;
    };
    auto w = witnesses_.find(indices, *elements, beyond);
    if (!w) return dimensions(b, indices, s);
    text::Diagnostic d = at(code::kOverrun, s->origin);
    d.message = outside_of(b, reached) + where(*w, indices);
    d.hint = "guard the access, or make the buffer larger";
    say(std::move(d));
  }

  // "A has 64 elements, and this is element 64"; of several dimensions the first one that the element leaves.
  static std::string outside_of(const ir::Buffer* b, std::span<const std::int64_t> reached) {
    std::string listed;
    std::optional<std::size_t> left;
    for (std::size_t d = 0; d < reached.size(); ++d) {
      listed += cat(d == 0 ? "" : ", ", reached[d]);
      if (!left && (reached[d] < 0 || reached[d] >= *ir::constant(b->shape[d]))) left = d;
    }
    const std::int64_t extent = *ir::constant(b->shape[left.value_or(0)]);
    const std::string has = cat(b->name, " has ", extent, extent == 1 ? " element" : " elements", ", and this is ");
    if (reached.size() == 1) return cat(has, "element ", listed);
    return cat("dimension ", left.value_or(0), " of ", has, b->name, "[", listed, "]");
  }

  // An index beyond its own dimension names an element of another row. Where all others are constant, the kernel counts
  // across rows on purpose.
  void dimensions(const ir::Buffer* b, std::span<const Expr> indices, const Stmt* s) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const Expr index = indices[d];
      bool counts_across = true;
      for (std::size_t other = 0; other < indices.size(); ++other)
        counts_across &= other == d || ir::constant(indices[other]);
      if (counts_across) continue;
      const std::int64_t extent = *ir::constant(b->shape[d]);
      auto within = [&](ir::Interval i) { return i.lo >= 0 && i.hi < extent; };
      if (within(quick_bounds(index)) || within(ir::bounds(index))) continue;
      std::int64_t reached = 0;
      auto beyond = [&](const Witness& w) -> std::optional<bool> {
        Number n = numbers_.of(index, w);
        if (!n) return std::nullopt;
        reached = *n;
        return *n < 0 || *n >= extent;
      };
      auto w = witnesses_.find({&index, 1}, extent, beyond);
      if (!w) continue;
      text::Diagnostic found = at(code::kOverrun, s->origin);
      found.message = cat("dimension ", d, " of ", b->name, " has ", extent, extent == 1 ? " element" : " elements",
                          ", and this index reaches ", reached, where(*w, {&index, 1}));
      found.hint = "such an index names an element of another row: exchange the indices, or guard the access";
      return say(std::move(found));
    }
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
      auto w = witnesses_.find(both, *extent, beyond);
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
    // An option that no variant reads was meant to be another, which may let the call reach beyond.
    for (const ir::ConfigItem& item : s->config) {
      if (readers_of(s->primitive, item.key, release_).empty()) return;
    }
    for (const ir::Operand& o : s->args) {
      // The tensor unit leaves out what lies outside of a tensor, and kernels rely on it.
      const bool clipped =
          by_tensor_unit(*report) && o.region.buffer && o.region.buffer->scope == ir::StorageScope::Global;
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
    for (const ir::For* loop : path_.loops) {
      if (loop->var == v) return same_in_cta(loop->min, depth + 1) && same_in_cta(loop->extent, depth + 1);
    }
    Expr let = numbers_.let(v);
    return let && same_in_cta(let, depth + 1);
  }

  void whole_copy(const ir::TileCall* s, const CallReport& report) {
    if (s->scope != ir::ExecScope::Thread || (s->primitive != "copy" && s->primitive != "copy_async")) return;
    // Those that one thread issues are told so where they are chosen.
    if (by_tensor_unit(report) || report.variant == "dsmem" || report.variant == "smem->tmem") return;
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
  const text::Dialect release_;
  const text::Context& context_;
  Path path_;
  Witnesses witnesses_{numbers_, path_};
  std::unordered_map<const Var*, Storage> storage_;
  std::vector<std::pair<std::string_view, text::Span>> said_;
  int visits_ = 0;     // of same_in_cta for the call at hand
  bool lost_ = false;  // who gets here is not known: some left before
};

}  // namespace

void report_overruns(const ir::Stmt* body, const scope::Closure& closure, const std::vector<CallReport>& calls,
                     text::Dialect release, const text::Context& context) {
  Overruns(closure, calls, release, context).block(body);
}

}  // namespace tilewright::dispatch
