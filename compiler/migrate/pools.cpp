#include "compiler/migrate/pools.h"

#include <algorithm>
#include <string>
#include <string_view>

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

// A call of a commit() that is no instruction, of whatever pool.
bool commits(const Tree& tree, const Names& names) {
  bool found = false;
  for (const Tree::Statement& s : tree.statements()) {
    for_all(s.node->statement, [&](const Node* n) {
      auto* attribute = as<Attribute>(n);
      found = found || (attribute && attribute->name.text == "commit" && names.path(n).empty());
    });
  }
  return found;
}

class Pools {
 public:
  Pools(const Tree::Statement& at, const Names& names, std::string_view text, Step& out)
      : at_(at), names_(names), text_(text), out_(out) {}

  // A pool that is made where block() ends none is left to a person.
  void leave(const Node* n) {
    auto* call = as<Call>(n);
    if (!call || !makes_pool(*call) || std::ranges::find(ended_, call) != ended_.end()) return;
    const std::uint32_t begin = at_.offset + n->at.begin;
    std::string_view line = text_.substr(begin);
    line = line.substr(0, line.find('\n'));
    out_.decisions.push_back(
        {begin, std::string(line),
         "from 0.26 on a pool needs its commit(): call it after the last allocation, where no return comes before it"});
  }

  void block(Stmts body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      auto* assign = as<Assign>(body[i]);
      auto* call = assign && assign->targets.size() == 1 ? as<Call>(assign->value) : nullptr;
      auto* name = call ? as<NameRef>(assign->targets[0]) : nullptr;
      if (name && makes_pool(*call) && end(body.subspan(i), name->name.text)) ended_.push_back(call);
    }
  }

 private:
  bool makes_pool(const Call& call) const {
    return call.args.empty() && call.keywords.empty() && names_.path(call.function) == "T.SMEMPool";
  }
  bool end(Stmts rest, std::string_view name) {
    const Node* last = rest.front();
    for (const Node* s : rest)
      if (mentions(s, name)) last = s;
    if (as<Return>(last)) return false;
    std::uint32_t at = at_.offset + last->at.end;
    const std::size_t line = text_.find('\n', at);
    const std::uint32_t first = at_.offset + rest.front()->at.begin;
    const std::size_t begin = first == 0 ? 0 : text_.rfind('\n', first - 1) + 1;
    const std::string_view indent = text_.substr(begin, first - begin);
    if (indent.find_first_not_of(" \t") != indent.npos) return false;  // `a = 1; pool = T.SMEMPool()`
    at = static_cast<std::uint32_t>(line == text_.npos ? text_.size() : line);
    out_.edits.push_back({at, at, "\n" + std::string(indent) + std::string(name) + ".commit()"});
    return true;
  }

  const Tree::Statement& at_;
  const Names& names_;
  std::string_view text_;
  Step& out_;
  std::vector<const Call*> ended_;
};

}  // namespace

Step committed_pools(const Tree& tree, const Names& names) {
  Step out;
  if (commits(tree, names)) return out;
  for (const Tree::Statement& s : tree.statements()) {
    Pools pools(s, names, tree.source()->text(), out);
    for_all(s.node->statement, [&](const Node* n) {
      if (auto* function = as<FunctionDef>(n)) pools.block(function->body);
      if (auto* branch = as<If>(n)) {
        pools.block(branch->then_body);
        pools.block(branch->else_body);
      }
      if (auto* with = as<With>(n)) pools.block(with->body);
    });
    for_all(s.node->statement, [&](const Node* n) { pools.leave(n); });
  }
  std::ranges::sort(out.edits, {}, &Edit::begin);
  return out;
}

}  // namespace tilewright::migrate
