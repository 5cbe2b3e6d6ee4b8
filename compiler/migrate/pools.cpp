#include "compiler/migrate/pools.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/syntax/walk.h"

namespace tilewright::migrate {

using namespace syntax;

namespace {

bool mentions(const Node* statement, std::string_view name) {
  bool found = false;
  for_all(statement, [&](const Node* n) {
    auto* ref = as<NameRef>(n);
    found = found || (ref && ref->name.text == name);
  });
  return found;
}

// A pool that a statement of a block makes.
struct Making {
  const FunctionDef* function = nullptr;  // the innermost around it; null: the module's code
  const Call* call = nullptr;
  std::string_view name;
  Stmts rest;  // from that statement to the end of its block, or to where the name becomes another pool
};

bool makes_pool(const Call* call, const Names& names) {
  return call && call->args.empty() && call->keywords.empty() && names.path(call->function) == "T.SMEMPool";
}

const Call* made_pool(const Node* statement, const Names& names) {
  auto* assign = as<Assign>(statement);
  auto* call = assign && assign->targets.size() == 1 ? as<Call>(assign->value) : nullptr;
  return makes_pool(call, names) && as<NameRef>(assign->targets[0]) ? call : nullptr;
}

// What a top-level statement does with pools.
struct PoolUses {
  struct Commit {
    const FunctionDef* function = nullptr;
    const Attribute* at = nullptr;  // a commit() that is no instruction, of whatever pool
  };
  std::vector<Making> makings;
  std::vector<Commit> commits;
};

class PoolWalk {
 public:
  PoolWalk(const Names& names, PoolUses& out) : names_(names), out_(out) {}

  void visit(const Node* n, const FunctionDef* function) {
    if (auto* own = as<FunctionDef>(n)) block(own->body, function = own);
    if (auto* branch = as<If>(n)) {
      block(branch->then_body, function);
      block(branch->else_body, function);
    }
    if (auto* with = as<With>(n)) block(with->body, function);
    auto* attribute = as<Attribute>(n);
    if (attribute && attribute->name.text == "commit" && names_.path(n).empty())
      out_.commits.push_back({function, attribute});
    for_children(n, [&](const Node* child) { visit(child, function); });
  }

 private:
  void block(Stmts body, const FunctionDef* function) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      const Call* call = made_pool(body[i], names_);
      if (!call) continue;
      const std::string_view name = as<NameRef>(as<Assign>(body[i])->targets[0])->name.text;
      std::size_t end = i + 1;
      const auto is_again = [&](const Node* s) {
        return made_pool(s, names_) && as<NameRef>(as<Assign>(s)->targets[0])->name.text == name;
      };
      while (end < body.size() && !is_again(body[end])) ++end;
      out_.makings.push_back({function, call, name, body.subspan(i, end - i)});
    }
  }

  const Names& names_;
  PoolUses& out_;
};

bool is_within(const Node* n, const Making& m) {
  return m.rest.front()->at.begin <= n->at.begin && n->at.end <= m.rest.back()->at.end;
}

class Pools {
 public:
  Pools(const Tree::Statement& at, const Names& names, std::string_view text, Step& out)
      : at_(at), names_(names), text_(text), out_(out) {
    PoolWalk(names, uses_).visit(at.node->statement, nullptr);
  }

  // True if a commit() is not seen to be of a pool that is made around it: it may be of any pool that a name leads to.
  bool commits_others() const {
    return std::ranges::any_of(uses_.commits, [&](const auto& c) {
      return std::ranges::none_of(uses_.makings, [&](const Making& m) { return is_of(c, m); });
    });
  }

  void end_all(bool commits_others) {
    std::vector<const Call*> ended;
    for (const Making& m : uses_.makings) {
      const bool has = std::ranges::any_of(uses_.commits, [&](const auto& c) { return is_of(c, m); });
      if (has || (!(commits_others && is_handed_on(m)) && end(m))) ended.push_back(m.call);
    }
    for_all(at_.node->statement, [&](const Node* n) {
      auto* call = as<Call>(n);
      if (makes_pool(call, names_) && std::ranges::find(ended, call) == ended.end()) leave(*call);
    });
  }

 private:
  // A commit() of the pool: after it in its block, or further out after the end of that block.
  bool is_of(const PoolUses::Commit& c, const Making& m) const {
    auto* ref = as<NameRef>(c.at->object);
    if (!ref || ref->name.text != m.name || c.at->at.begin < m.call->at.end) return false;
    if (m.function && (c.at->at.begin < m.function->at.begin || m.function->at.end < c.at->at.end)) return false;
    return is_within(c.at, m) || std::ranges::none_of(uses_.makings, [&](const Making& other) {
             return other.call != m.call && other.name == m.name && is_within(c.at, other);
           });
  }

  // Does its name stand where anything but one of its methods is called?
  static bool is_handed_on(const Making& m) {
    std::size_t mentioned = 0, called = 0;
    for (const Node* s : m.rest.subspan(1)) {
      for_all(s, [&](const Node* n) {
        auto* ref = as<NameRef>(n);
        mentioned += ref && ref->name.text == m.name;
        auto* attribute = as<Attribute>(n);
        auto* object = attribute ? as<NameRef>(attribute->object) : nullptr;
        called += object && object->name.text == m.name;
      });
    }
    return mentioned != called;
  }

  // What is not certain is left to a person.
  void leave(const Call& call) {
    const std::uint32_t begin = at_.offset + call.at.begin;
    std::string_view line = text_.substr(begin);
    line = line.substr(0, line.find('\n'));
    out_.decisions.push_back(
        {begin, std::string(line),
         "from 0.26 on a pool needs its commit(): call it after the last allocation, where no return comes before it"});
  }

  bool end(const Making& m) {
    const Node* last = m.rest.front();
    for (const Node* s : m.rest)
      if (mentions(s, m.name)) last = s;
    if (as<Return>(last)) return false;
    std::uint32_t at = at_.offset + last->at.end;
    const std::size_t line = text_.find('\n', at);
    const std::uint32_t first = at_.offset + m.rest.front()->at.begin;
    const std::size_t begin = first == 0 ? 0 : text_.rfind('\n', first - 1) + 1;
    const std::string_view indent = text_.substr(begin, first - begin);
    if (indent.find_first_not_of(" \t") != indent.npos) return false;  // `a = 1; pool = T.SMEMPool()`
    at = static_cast<std::uint32_t>(line == text_.npos ? text_.size() : line);
    out_.edits.push_back({at, at, "\n" + std::string(indent) + std::string(m.name) + ".commit()"});
    return true;
  }

  const Tree::Statement& at_;
  const Names& names_;
  std::string_view text_;
  Step& out_;
  PoolUses uses_;
};

}  // namespace

Step committed_pools(const Tree& tree, const Names& names) {
  Step out;
  std::vector<Pools> all;
  for (const Tree::Statement& s : tree.statements()) all.emplace_back(s, names, tree.source()->text(), out);
  const bool others = std::ranges::any_of(all, &Pools::commits_others);
  for (Pools& pools : all) pools.end_all(others);
  std::ranges::sort(out.edits, {}, &Edit::begin);
  return out;
}

}  // namespace tilewright::migrate
