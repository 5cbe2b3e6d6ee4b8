#include "compiler/syntax/unread.h"

#include <algorithm>
#include <bitset>
#include <vector>

#include "compiler/syntax/walk.h"

namespace tilewright::syntax {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

struct FunctionScope {
  std::uint32_t outer = kNone;
  bool unclear = false;  // something in it cannot be read
};
struct Candidate {
  UnreadName unread;
  std::uint32_t function;
  bool read = false;
};

// Without recursion: a statement may be nested as deeply as its parser allows.
class UnreadNames {
 public:
  void look(const Node* root) {
    todo_.push_back({root, kNone});
    while (!todo_.empty()) {
      auto [node, function] = todo_.back();
      todo_.pop_back();
      visit(node, function);
    }
  }

  std::vector<UnreadName> result() {
    std::ranges::sort(given_, before, [](const Candidate& c) { return c.unread.name; });
    std::bitset<4096> given;  // by hash: most reads are of names that no assignment here gives
    for (const Candidate& c : given_) given.set(c.unread.name.hash % given.size());
    for (const Read& r : reads_) {
      if (!given.test(r.name.hash % given.size())) continue;
      auto at = std::ranges::lower_bound(given_, r.name, before, [](const Candidate& c) { return c.unread.name; });
      for (; at != given_.end() && at->unread.name == r.name; ++at) {
        for (std::uint32_t f = r.function; f != kNone && !at->read; f = functions_[f].outer)
          at->read = f == at->function;
      }
    }
    std::vector<UnreadName> out;
    for (const Candidate& c : given_) {
      if (!c.read && !functions_[c.function].unclear) out.push_back(c.unread);
    }
    std::ranges::sort(out, {}, [](const UnreadName& u) { return u.name.at.begin; });
    return out;
  }

 private:
  struct Read {
    Name name;
    std::uint32_t function;
  };

  void later(const Node* node, std::uint32_t function) {
    if (node) todo_.push_back({node, function});
  }
  // Bound or read in some other way than an assignment of its own: used, for our purposes.
  void reads(const Name& name, std::uint32_t function) {
    if (function != kNone && !name.text.empty()) reads_.push_back({name, function});
  }
  void gives(const Node* target, const Node* statement, std::uint32_t function) {
    auto* ref = as<NameRef>(target);
    if (!ref || function == kNone) return later(target, function);
    if (!ref->name.text.starts_with('_')) given_.push_back({{ref->name, statement->at}, function});
  }
  void unclear(std::uint32_t function) {
    for (; function != kNone && !functions_[function].unclear; function = functions_[function].outer) {
      functions_[function].unclear = true;
    }
  }

  void visit(const Node* n, std::uint32_t function) {
    switch (n->kind) {
      case NodeKind::NameRef: return reads(as<NameRef>(n)->name, function);
      case NodeKind::Assign:
        later(as<Assign>(n)->value, function);
        if (as<Assign>(n)->targets.size() == 1) return gives(as<Assign>(n)->targets[0], n, function);
        for (const Node* t : as<Assign>(n)->targets) later(t, function);
        return;
      case NodeKind::AnnAssign:
        later(as<AnnAssign>(n)->annotation, function);
        later(as<AnnAssign>(n)->value, function);
        return gives(as<AnnAssign>(n)->target, n, function);
      case NodeKind::AugAssign:  // `x += 1` reads x only for itself
        later(as<AugAssign>(n)->value, function);
        if (as<AugAssign>(n)->target->kind != NodeKind::NameRef) later(as<AugAssign>(n)->target, function);
        return;
      case NodeKind::FunctionDef: {
        auto* f = as<FunctionDef>(n);
        auto inner = static_cast<std::uint32_t>(functions_.size());
        functions_.push_back({function});
        for (const Node* d : f->decorators) later(d, function);
        later(f->returns, function);
        for (const Parameter& p : f->params) {
          reads(p.name, inner);
          later(p.annotation, function);
          later(p.default_value, function);
        }
        for (const Node* s : f->body) later(s, inner);
        return;
      }
      case NodeKind::NamedExpr: reads(as<NamedExpr>(n)->name, function); break;
      case NodeKind::Global:
        for (const Name& name : as<Global>(n)->names) reads(name, function);
        break;
      case NodeKind::Nonlocal:
        for (const Name& name : as<Nonlocal>(n)->names) reads(name, function);
        break;
      case NodeKind::Broken:
      case NodeKind::BrokenStmt:
      case NodeKind::Unsupported:
      case NodeKind::Match: unclear(function); break;
      default: break;
    }
    for_children(n, [&](const Node* child) { later(child, function); });
  }

  std::vector<std::pair<const Node*, std::uint32_t>> todo_;
  std::vector<FunctionScope> functions_;
  std::vector<Candidate> given_;
  std::vector<Read> reads_;
};

// Names of other statements are the module's.
bool may_define_functions(NodeKind kind) {
  switch (kind) {
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef:
    case NodeKind::If:
    case NodeKind::For:
    case NodeKind::While:
    case NodeKind::With:
    case NodeKind::Try:
    case NodeKind::Match:
    case NodeKind::BrokenStmt: return true;
    default: return false;
  }
}

}  // namespace

std::span<const UnreadName> unread_names(Stmt statement, Arena& arena) {
  if (!statement || !may_define_functions(statement->kind)) return {};
  UnreadNames names;
  names.look(statement);
  return arena.copy(names.result());
}

}  // namespace tilewright::syntax
