#include "compiler/session/unused.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "compiler/session/codes.h"

namespace tilewright::session {
namespace {

using Use = NeverRead::Use;

// One kernel's uses of the few things that could be unused.
class Uses {
 public:
  Uses(const ir::Kernel& kernel, std::span<const std::shared_ptr<const syntax::TopLevel>> statements)
      : kernel_(kernel) {
    for (const auto& s : statements) {
      for (const syntax::UnreadName& u : s->unread) names_.push_back({s->id, &u});
    }
  }

  std::vector<NeverRead> run() {
    if (names_.empty()) return {};
    ir::walk_stmts(kernel_.body, [&](const ir::Stmt* s) {
      define(s);
      return true;
    });
    if (!found_.empty()) {
      ir::walk_stmts(kernel_.body, [&](const ir::Stmt* s) {
        use(s);
        return true;
      });
    }
    std::ranges::sort(found_, {}, [](const NeverRead& n) { return std::pair(n.name.anchor, n.name.begin); });
    return std::move(found_);
  }

 private:
  struct Named {
    std::uint32_t anchor;
    const syntax::UnreadName* unread;
  };

  // ---- definitions ------------------------------------------------------------------------------------------------

  // The assignment that gave `name` to what was made at `origin`: there, or in a call that led there (a pool's method
  // makes a buffer in the prelude, and the script names it).
  const Named* given(std::string_view name, const ir::Origin& origin) const {
    for (const Named& n : names_) {
      if (n.unread->name.text != name) continue;
      auto inside = [&](text::Span at) {
        return at.anchor == n.anchor && at.begin >= n.unread->statement.begin && at.end <= n.unread->statement.end;
      };
      if (inside(origin.span)) return &n;
      for (const ir::CallSite* site = origin.chain; site; site = site->outer) {
        if (inside(site->span)) return &n;
      }
    }
    return nullptr;
  }

  void define(const ir::Stmt* s) {
    if (auto* a = ir::as<ir::Alloc>(s)) define(a->buffer->name, s->origin, a->buffer, a->buffer->data);
    if (auto* d = ir::as<ir::Decl>(s)) define(d->buffer->name, s->origin, d->buffer, nullptr);
    if (auto* b = ir::as<ir::Bind>(s)) define(b->var->name, s->origin, nullptr, b->var);
  }
  void define(std::string_view name, const ir::Origin& origin, const ir::Buffer* buffer, const ir::Var* var) {
    const Named* n = given(name, origin);
    if (!n) return;
    std::size_t index = found_.size();
    found_.push_back({{n->anchor, n->unread->name.at.begin, n->unread->name.at.end},
                      std::string(name),
                      buffer && !buffer->is_scalar,
                      Use::None});
    origins_.push_back(origin);
    if (buffer) known_[buffer] = index;
    if (var) known_[var] = index;  // the pointer to its storage, which views and addresses are made of
  }

  // ---- uses -------------------------------------------------------------------------------------------------------

  void used(const void* what) {
    if (auto it = known_.find(what); it != known_.end() && it->second != own_) found_[it->second].use = Use::Used;
  }
  void use(ir::Expr e) {
    ir::walk(e, [&](ir::Expr x) {
      if (auto* l = x.as<ir::Load>()) used(l->buffer);
      if (auto* v = x.as<ir::Var>()) used(v);
      return true;
    });
  }
  void use(std::span<const ir::Expr> all) {
    for (ir::Expr e : all) use(e);
  }
  void use(const ir::Buffer* b) {
    auto it = known_.find(b);
    if (it != known_.end()) own_ = it->second;  // its own storage says nothing
    used(b->data);
    use(b->shape);
    use(b->strides);
    use(b->elem_offset);
    use(b->allocated_addr);
    own_ = kNobody;
  }
  void use(const ir::Operand& o) {
    if (o.region.buffer) used(o.region.buffer);
    for (const ir::Range& r : o.region.ranges) {
      use(r.min);
      use(r.extent);
    }
    use(o.value);
  }

  void store(const ir::Store* s) {
    auto it = known_.find(s->buffer);
    if (it == known_.end()) {
      use(s->value);
      return use(s->indices);
    }
    NeverRead& n = found_[it->second];
    if (n.is_buffer) n.use = Use::Used;
    // Its first value is part of the definition, and what it takes from itself is no use.
    bool first = s->origin.span == origins_[it->second].span && s->origin.chain == origins_[it->second].chain;
    if (!first) n.use = std::max(n.use, Use::Written);
    own_ = it->second;
    use(s->value);
    use(s->indices);
    own_ = kNobody;
  }

  void use(const ir::Stmt* s) {
    switch (s->kind) {
      case ir::StmtKind::Bind: return use(static_cast<const ir::Bind*>(s)->value);
      case ir::StmtKind::Alloc: return use(static_cast<const ir::Alloc*>(s)->buffer);
      case ir::StmtKind::Decl: return use(static_cast<const ir::Decl*>(s)->buffer);
      case ir::StmtKind::Store: return store(static_cast<const ir::Store*>(s));
      case ir::StmtKind::For: {
        auto* f = static_cast<const ir::For*>(s);
        use(f->min);
        use(f->extent);
        return use(f->step);
      }
      case ir::StmtKind::While: return use(static_cast<const ir::While*>(s)->condition);
      case ir::StmtKind::If: return use(static_cast<const ir::If*>(s)->condition);
      case ir::StmtKind::Evaluate: return use(static_cast<const ir::Evaluate*>(s)->value);
      case ir::StmtKind::Assert: return use(static_cast<const ir::Assert*>(s)->condition);
      case ir::StmtKind::Attr: {
        auto* a = static_cast<const ir::Attr*>(s);
        used(a->node);
        return use(a->value);
      }
      case ir::StmtKind::Return: return use(static_cast<const ir::Return*>(s)->value);
      case ir::StmtKind::ScopeIds: {
        auto* ids = static_cast<const ir::ScopeIds*>(s);
        use(ids->extents);
        return use(ids->preferred);
      }
      case ir::StmtKind::TileCall: {
        auto* call = static_cast<const ir::TileCall*>(s);
        for (const ir::Operand& o : call->args) use(o);
        for (const ir::ConfigItem& c : call->config) use(c.value);
        for (auto& [name, buffer] : call->workspace) used(buffer);
        return;
      }
      case ir::StmtKind::Seq:
      case ir::StmtKind::Break:
      case ir::StmtKind::Continue:
      case ir::StmtKind::DeviceEntry:
      case ir::StmtKind::Comment: return;
    }
  }

  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
  const ir::Kernel& kernel_;
  std::vector<Named> names_;
  std::vector<NeverRead> found_;
  std::vector<ir::Origin> origins_;                     // of found_
  std::unordered_map<const void*, std::size_t> known_;  // buffers and variables, into found_
  std::size_t own_ = kNobody;                           // whose own text is being looked at
};

}  // namespace

std::vector<NeverRead> never_read(const ir::Kernel& kernel,
                                  std::span<const std::shared_ptr<const syntax::TopLevel>> statements) {
  return Uses(kernel, statements).run();
}

std::vector<text::Diagnostic> unused(std::span<const KernelUses> kernels, const text::Anchors& anchors,
                                     const text::Source* own) {
  auto begin_of = [&](std::uint32_t anchor) { return anchors.resolve({anchor, 0, 0}).begin; };
  std::set<std::uint32_t> unclear;  // statements of the file, by their first byte
  for (const KernelUses& k : kernels) {
    if (k.failed) unclear.insert(begin_of(k.def));
  }
  std::map<std::uint32_t, NeverRead> by_place;
  for (const KernelUses& k : kernels) {
    if (k.failed) continue;
    for (const NeverRead& n : k.never_read) {
      text::Anchors::Place place = anchors.resolve(n.name);
      if (place.source != own || unclear.contains(begin_of(n.name.anchor))) continue;
      auto [it, fresh] = by_place.try_emplace(place.begin, n);
      if (!fresh) it->second.use = std::max(it->second.use, n.use);
    }
  }
  std::vector<text::Diagnostic> out;
  for (auto& [begin, n] : by_place) {
    if (n.use == Use::Used) continue;
    std::string what = (n.is_buffer ? "the buffer '" : "'") + n.text;
    out.push_back({code::kUnused,
                   text::Severity::Warning,
                   what + (n.use == Use::Written ? "' is written but never read" : "' is never used"),
                   n.name,
                   {},
                   "remove it, or begin its name with '_'",
                   {}});
    // Other assignments of the name would have to follow.
    if (n.use == Use::None) out.back().fix = {text::Fix::Kind::Replace, "Rename to _" + n.text, "_" + n.text};
  }
  return out;
}

}  // namespace tilewright::session
