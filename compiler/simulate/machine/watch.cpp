#include "compiler/simulate/machine/watch.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/expr/analyzer.h"
#include "compiler/lower/flatten.h"
#include "compiler/simulate/machine/watch_expression.h"

namespace tilewright::simulate {
namespace {

using namespace ir;

constexpr std::int64_t kMostElements = 256;

struct Refusal {
  std::string why;
};

class Instrument {
 public:
  Instrument(const lower::LoweredKernel& kernel, std::span<const Watch> watches, std::size_t first)
      : kernel_(kernel), watches_(watches), first_(first), flattener_([this](Expr e) { return lowered(e); }) {
    for (const Param& p : kernel.kernel->params)
      if (p.buffer) buffers_.push_back(p.buffer);
    walk_stmts(kernel.kernel->body, [&](const Stmt* s) {
      if (const auto* alloc = as<Alloc>(s)) buffers_.push_back(alloc->buffer);
      if (const auto* view = as<Decl>(s)) buffers_.push_back(view->buffer);
      return true;
    });
    for (const lower::KernelParam& p : kernel.plan.params) {
      if (p.kind == lower::ParamKind::Scalar) name(p.var);
      storage_.insert(p.tensor ? p.tensor->data : p.var);
    }
    for (const dispatch::TensorMap& map : kernel.plan.tensor_maps) storage_.insert(map.tensor->data);
    walk_stmts(kernel.device, [&](const Stmt* s) {
      if (const auto* alloc = as<Alloc>(s)) storage_.insert(alloc->buffer->data);
      if (const auto* bind = as<Bind>(s)) storage_.insert(bind->var);
      return true;
    });
    for (const Var* const* all : {kernel.thread_idx, kernel.block_idx, kernel.cluster_idx, kernel.cta_in_cluster})
      for (int d = 0; d < 3; ++d)
        if (all[d]) name(all[d]);
  }

  std::vector<WatchPoint> points;

  const Stmt* run() {
    const Stmt* out = kernel_.device;
    for (watch_ = 0; watch_ < watches_.size(); ++watch_) {
      const std::size_t before = points.size();
      out = block(out);
      if (points.size() == before)
        throw Refusal{watches_[watch_].expression + ": no statement of the kernel stands at that line"};
    }
    return out;
  }

 private:
  // ---- places ----
  bool here(const Stmt* s) const { return watches_[watch_].here(s->origin); }
  static bool is_compound(const Stmt* s) {
    return s->kind == StmtKind::Seq || s->kind == StmtKind::For || s->kind == StmtKind::While ||
           s->kind == StmtKind::If || s->kind == StmtKind::Attr;
  }
  bool all_here(const Stmt* s) const {
    bool all = true;
    walk_stmts(s, [&](const Stmt* x) { return all = all && (x->kind == StmtKind::Seq || here(x)); });
    return all;
  }
  bool any_here(const Stmt* s) const {
    bool any = false;
    walk_stmts(s, [&](const Stmt* x) { return !(any = any || (x->kind != StmtKind::Seq && here(x))); });
    return any;
  }

  // Statements one after the other, each looked through; the watch stands behind those of its line.
  const Stmt* block(const Stmt* s) {
    if (!s) return s;
    const std::size_t names = names_.size();
    std::vector<const Stmt*> in, out;
    flatten(s, in);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const bool own = all_here(in[i]);
      if (!own && here(in[i]) && in[i]->kind == StmtKind::If) out.push_back(look(in[i]->origin));
      out.push_back(own ? in[i] : inside(in[i]));
      declare(in[i]);
      const bool goes_on = i + 1 < in.size() && all_here(in[i + 1]);
      if (own && !goes_on && does_something(in, i)) out.push_back(look(in[i]->origin));
    }
    names_.resize(names);
    return make_seq(s->origin, out);
  }
  // Declarations alone do nothing that could be looked at.
  bool does_something(const std::vector<const Stmt*>& in, std::size_t last) const {
    for (std::size_t n = last + 1; n > 0 && all_here(in[n - 1]); --n)
      if (in[n - 1]->kind != StmtKind::Alloc && in[n - 1]->kind != StmtKind::Decl) return true;
    return false;
  }

  static void flatten(const Stmt* s, std::vector<const Stmt*>& out) {
    if (const auto* seq = as<Seq>(s)) {
      for (const Stmt* child : seq->body) flatten(child, out);
    } else {
      out.push_back(s);
    }
  }

  const Stmt* inside(const Stmt* s) {
    if (!is_compound(s) || !any_here(s)) return s;
    Arena& arena = Arena::current();
    if (const auto* loop = as<For>(s)) {
      For* now = arena.make<For>(*loop);
      const std::size_t names = names_.size();
      name(loop->var);
      loops_.push_back(loop->var);
      now->body = entered(s, loop->body);
      loops_.pop_back();
      names_.resize(names);
      return now;
    }
    if (const auto* loop = as<While>(s)) {
      While* now = arena.make<While>(*loop);
      now->body = entered(s, loop->body);
      return now;
    }
    if (const auto* branch = as<If>(s)) {
      If* now = arena.make<If>(*branch);
      now->then_body = block(branch->then_body);
      now->else_body = block(branch->else_body);
      return now;
    }
    Attr* now = arena.make<Attr>(*as<Attr>(s));
    now->body = block(now->body);
    return now;
  }

  // The line of a loop is passed in each round.
  const Stmt* entered(const Stmt* loop, const Stmt* body) {
    const Stmt* rest = block(body);
    if (!here(loop)) return rest;
    const Stmt* both[] = {look(loop->origin), rest};
    return make_seq(loop->origin, both);
  }

  // ---- names ----
  void name(const Var* var) {
    names_.emplace_back(var->name, Expr(var));
    by_id_[var->id] = var;
  }
  void declare(const Stmt* s) {
    if (const auto* bind = as<Bind>(s)) name(bind->var);
    const auto* alloc = as<Alloc>(s);
    if (!alloc || !alloc->buffer->is_scalar) return;
    const Expr zero[] = {Expr(0)};
    names_.emplace_back(alloc->buffer->name, load(alloc->buffer, zero));
  }

  Expr named(std::string_view wanted) const {
    for (auto at = names_.rbegin(); at != names_.rend(); ++at)
      if (at->first == wanted) return at->second;
    return {};
  }

  // The buffer that the name means: the last one of those above the line, else the last of all.
  const Buffer* buffer_named(std::string_view wanted) const {
    const Buffer* found = nullptr;
    for (const Buffer* b : buffers_)
      if (b->name == wanted || (!b->path.empty() && b->path == wanted)) found = b;
    return found;
  }

  // An expression of a buffer's declaration, over the variables of the lowered form.
  Expr lowered(Expr e) {
    if (const auto* var = e.as<Var>()) {
      auto known = by_id_.find(var->id);
      if (known != by_id_.end()) return Expr(known->second);
      // Scope ids with a single value are gone.
      return var->role == VarRole::ScopeId ? Expr(0) : e;
    }
    if (const auto* element = e.as<Load>()) {
      std::vector<Expr> indices;
      for (Expr index : element->indices) indices.push_back(lowered(index));
      auto at = flattener_.index(element->buffer, indices);
      if (!at) throw Refusal{at.error().message};
      const Expr one[] = {*at};
      return load(flattener_.flat(element->buffer), one);
    }
    Expr buffer[3];
    std::vector<Expr> operands;
    for (Expr child : children(*e.get(), buffer)) operands.push_back(lowered(child));
    return operands.empty() ? e : rebuild(e, operands);
  }

  // ---- the look itself ----
  const Stmt* look(Origin origin) {
    const Watch& watch = watches_[watch_];
    try {
      return made(watch, origin);
    } catch (const Refusal& r) {
      throw Refusal{watch.expression + ": " + r.why};
    }
  }

  const Stmt* made(const Watch& watch, Origin origin) {
    WatchPoint point;
    point.watch = watch_;
    std::vector<Expr> args{Expr(static_cast<std::int64_t>(first_ + points.size())),
                           Expr(static_cast<std::int64_t>(loops_.size()))};
    for (const Var* var : loops_) {
      point.loops.emplace_back(var->name);
      args.emplace_back(var);
    }
    const std::string_view begins = watched_name(watch.expression);
    const Buffer* buffer = begins.empty() ? nullptr : buffer_named(begins);
    auto target = parse_watch(watch.expression, buffer != nullptr, [&](std::string_view n) { return named(n); });
    if (!target) throw Refusal{target.error()};
    if (buffer) {
      elements(*buffer, *target, point, args);
    } else {
      point.in_memory = false;
      point.dtype = target->number.dtype();
      args.push_back(target->number);
    }
    points.push_back(std::move(point));
    return make_stmt<Evaluate>(origin, call(kInt32, watch_call(), args));
  }

  struct Stretch {
    Expr first;
    std::int64_t count = 1;
  };
  Stretch stretch(const Buffer& buffer, std::size_t dimension, const WatchIndex* index) const {
    const Expr extent = buffer.shape[dimension];
    if (index && !index->end) return {index->first, 1};
    const Expr first = index && index->first ? index->first : Expr(0),
               last = index && *index->end ? *index->end : extent;
    const Expr length = simplify(last - first);
    const std::int64_t* count = constant(length);
    if (!count || *count < 1) throw Refusal{"a slice needs a length that is known and not 0"};
    return {first, *count};
  }

  void elements(const Buffer& buffer, const WatchTarget& target, WatchPoint& point, std::vector<Expr>& args) {
    if (buffer.data && !storage_.contains(buffer.data))
      throw Refusal{"the kernel makes no use of `" + std::string(target.name) + "`, so it has no memory there"};
    if (buffer.dtype.lanes > 1) throw Refusal{"its elements are vectors"};
    if (target.indices && target.indices->size() != buffer.rank())
      throw Refusal{"`" + std::string(target.name) + "` has " + std::to_string(buffer.rank()) + " dimensions, not " +
                    std::to_string(target.indices->size())};
    point.dtype = buffer.dtype;
    std::vector<Stretch> box;
    std::int64_t all = 1;
    for (std::size_t d = 0; d < buffer.rank(); ++d) {
      box.push_back(stretch(buffer, d, target.indices ? &(*target.indices)[d] : nullptr));
      all = box.back().count > kMostElements ? kMostElements + 1 : all * box.back().count;
      if (all > kMostElements) throw Refusal{"more than " + std::to_string(kMostElements) + " elements: watch a part"};
    }
    for (std::int64_t n = 0; n < all; ++n) {
      std::vector<Expr> at(box.size());
      std::int64_t rest = n;
      for (std::size_t d = box.size(); d-- > 0; rest /= box[d].count)
        at[d] = simplify(box[d].first + Expr(rest % box[d].count));
      std::string words;
      for (Expr index : at) words += (words.empty() ? "[" : ", ") + ir::to_string(index);
      point.elements.push_back(buffer.is_scalar || words.empty() ? std::string(target.name) : words + "]");
      auto index = flattener_.index(&buffer, at);
      if (!index) throw Refusal{index.error().message};
      const Expr one[] = {*index};
      const Expr element[] = {load(flattener_.flat(&buffer), one)};
      args.push_back(call(kHandle, builtin::address_of, element));
      if (buffer.dtype.storage_bits() < 8) args.push_back(*index);
    }
  }

  const lower::LoweredKernel& kernel_;
  std::span<const Watch> watches_;
  std::size_t first_, watch_ = 0;
  lower::Flattener flattener_;
  std::vector<const Buffer*> buffers_;
  std::vector<std::pair<std::string_view, Expr>> names_;  // innermost last
  std::unordered_map<std::uint32_t, const Var*> by_id_;
  std::unordered_set<const Var*> storage_;  // what there is of memory: data variables
  std::vector<const Var*> loops_;
};

}  // namespace

const Callee& watch_call() {
  static const Callee callee{"watch", Effect::Opaque};
  return callee;
}

std::expected<Watched, std::string> with_watches(const lower::LoweredKernel& kernel, std::span<const Watch> watches,
                                                 std::size_t first) {
  // The new nodes lie in an arena of their own, which keeps the old one.
  struct Both {
    std::shared_ptr<Arena> before;
    Arena own;
  };
  auto arenas = std::make_shared<Both>();
  arenas->before = kernel.arena;
  ArenaScope scope(arenas->own);
  try {
    Instrument instrument(kernel, watches, first);
    Watched out;
    out.kernel = kernel;
    out.kernel.device = instrument.run();
    out.kernel.arena = std::shared_ptr<Arena>(arenas, &arenas->own);
    out.points = std::move(instrument.points);
    return out;
  } catch (const Refusal& r) {
    return std::unexpected(r.why);
  }
}

}  // namespace tilewright::simulate
