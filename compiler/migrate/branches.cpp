#include "compiler/migrate/branches.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "compiler/syntax/walk.h"

namespace tilewright::migrate {

using namespace syntax;

namespace {

using Words = std::set<std::string_view>;

class Branches {
 public:
  Branches(const FunctionDef& kernel, bool has_run_time_parameters, std::uint32_t offset, std::vector<Edit>& out)
      : offset_(offset), out_(out) {
    for (const Parameter& p : kernel.params) {
      used_.insert(std::string(p.name.text));
      if (has_run_time_parameters) made_here_.insert(p.name.text);
    }
    for_all(&kernel, [&](const Node* n) {
      if (auto* name = as<NameRef>(n)) used_.insert(std::string(name->name.text));
      if (auto* assign = as<Assign>(n)) std::ranges::for_each(assign->targets, [&](const Node* t) { made(t); });
      if (auto* assign = as<AnnAssign>(n)) made(assign->target);
      if (auto* loop = as<For>(n)) made(loop->target);
    });
    block(kernel.body, {});
  }

 private:
  void made(const Node* target) {
    for_all(target, [&](const Node* n) {
      if (auto* name = as<NameRef>(n)) made_here_.insert(name->name.text);
    });
  }

  // What statements declare in their own block, and in branches that are none.
  static void declared(Stmts body, Words& out) {
    for (const Node* s : body) {
      auto* assign = as<AnnAssign>(s);
      if (auto* name = as<NameRef>(assign ? assign->target : nullptr)) out.insert(name->name.text);
      if (auto* branch = as<If>(s)) {
        declared(branch->then_body, out);
        declared(branch->else_body, out);
      }
    }
  }

  bool is_of_python(const If& branch) const {
    bool of_python = true;
    for_all(branch.condition, [&](const Node* n) {
      auto* name = as<NameRef>(n);
      of_python = of_python && !(name && made_here_.contains(name->name.text));
    });
    return of_python;
  }

  // `later`: what is declared after the block in the same scope.
  void block(Stmts body, const Words& later) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (auto* loop = as<For>(body[i])) block(loop->body, {});
      if (auto* loop = as<While>(body[i])) block(loop->body, {});
      if (auto* with = as<With>(body[i])) block(with->body, {});
      auto* branch = as<If>(body[i]);
      if (!branch) continue;
      Words after = later;
      declared(body.subspan(i + 1), after);
      const bool of_python = is_of_python(*branch);
      if (of_python) rename(*branch, after);
      block(branch->then_body, of_python ? after : Words());
      block(branch->else_body, of_python ? after : Words());
    }
  }

  void rename(const If& branch, Words& after) {
    Words own;
    declared(branch.then_body, own);
    declared(branch.else_body, own);
    for (std::string_view name : own) {
      if (!after.erase(name)) continue;
      std::string other;
      for (int n = 1; other.empty() || used_.contains(other); ++n) other = std::string(name) + "_" + std::to_string(n);
      used_.insert(other);
      for_all(&branch, [&](const Node* n) {
        auto* found = as<NameRef>(n);
        if (found && found->name.text == name) out_.push_back({offset_ + n->at.begin, offset_ + n->at.end, other});
      });
    }
  }

  std::uint32_t offset_;
  std::vector<Edit>& out_;
  Words made_here_;  // names of values that the kernel makes
  std::set<std::string> used_;
};

}  // namespace

std::vector<Edit> renamed_in_branches(const Tree& tree, const Names& names) {
  std::vector<Edit> out;
  for (const Tree::Statement& s : tree.statements()) {
    for_all(s.node->statement, [&](const Node* n) {
      auto* function = as<FunctionDef>(n);
      if (!function) return;
      std::string made_by;
      for (const Node* decorator : function->decorators) {
        auto* call = as<Call>(decorator);
        const std::string path = names.path(call ? call->function : decorator);
        if (path == "T.prim_func" || path == "T.jit" || path == "T.inline") made_by = path;
      }
      if (!made_by.empty()) Branches(*function, made_by == "T.prim_func", s.offset, out);
    });
  }
  std::ranges::sort(out, {}, &Edit::begin);
  return out;
}

}  // namespace tilewright::migrate
