#include "server/ide/call_hierarchy.h"

#include <algorithm>

#include "compiler/syntax/walk.h"
#include "server/ide/names.h"

namespace tilewright::ide {
namespace {

using namespace syntax;
using session::SymbolIndex;
using session::SymbolKind;

// A function, a class or, without definitions, what a script does by itself.
struct Callee {
  Script script;
  std::string name;  // dotted, from the module
  struct Definition {
    const Tree::Statement* statement;
    const Node* node;
  };
  std::vector<Definition> definitions;  // of the same name, as in both branches of an `if`
  bool in_class = false;
};

Name name_of(const Node* definition) {
  if (auto* f = as<FunctionDef>(definition)) return f->name;
  return as<ClassDef>(definition)->name;
}

bool is_definition(const Node* n) { return n->kind == NodeKind::FunctionDef || n->kind == NodeKind::ClassDef; }

// The definitions around a place, outermost first.
std::vector<const Node*> definitions_around(const Path& path) {
  std::vector<const Node*> out;
  std::ranges::copy_if(path.nodes, std::back_inserter(out), is_definition);
  return out;
}

// Every definition of a script by its dotted name.
void for_definitions(const SymbolIndex& index,
                     const std::function<void(const Tree::Statement&, const Node*, const std::string&, bool)>& visit) {
  struct Todo {
    const Node* node;
    std::string around;
    bool in_class;
  };
  for (const Tree::Statement& statement : index.tree->statements()) {
    std::vector<Todo> todo{{statement.node->statement, "", false}};
    while (!todo.empty()) {
      Todo here = std::move(todo.back());
      todo.pop_back();
      if (!here.node) continue;
      std::string around = here.around;
      bool in_class = here.in_class;
      if (is_definition(here.node)) {
        if (!around.empty()) around += '.';
        around += name_of(here.node).text;
        visit(statement, here.node, around, here.in_class);
        in_class = here.node->kind == NodeKind::ClassDef;
      }
      for_children(here.node, [&](const Node* child) {
        if (child->kind >= NodeKind::ExprStmt) todo.push_back({child, around, in_class});
      });
    }
  }
}

std::optional<Callee> named(const Script& script, const std::string& name) {
  Callee out{script, name, {}, false};
  if (name.empty()) return out;
  for_definitions(script->symbols(),
                  [&](const Tree::Statement& s, const Node* node, const std::string& its, bool in_class) {
                    if (its != name) return;
                    out.definitions.push_back({&s, node});
                    out.in_class = in_class;
                  });
  std::ranges::sort(out.definitions, {}, [](const auto& d) { return d.statement->offset + d.node->at.begin; });
  return out.definitions.empty() ? std::nullopt : std::optional(std::move(out));
}

std::optional<Callee> callee_of(const Meaning& meaning) {
  if (!meaning.symbol || (!as<FunctionDef>(meaning.symbol->node) && !as<ClassDef>(meaning.symbol->node)) ||
      meaning.symbol->kind == SymbolKind::Parameter) {
    return std::nullopt;
  }
  std::string found;
  for_definitions(meaning.script->symbols(),
                  [&](const Tree::Statement&, const Node* node, const std::string& name, bool) {
                    if (node == meaning.symbol->node) found = name;
                  });
  return found.empty() ? std::nullopt : named(meaning.script, found);
}

// Whose body a place is in.
Callee caller_at(const Script& script, std::uint32_t offset) {
  std::string name;
  for (const Node* n : definitions_around(place_at(script->symbols(), offset))) {
    name += (name.empty() ? "" : ".") + std::string(name_of(n).text);
  }
  auto found = named(script, name);
  return found ? *found : Callee{script, "", {}, false};
}

CallItem item_of(const Callee& c) {
  const text::Source& source = c.script->source();
  std::string file = source.path().substr(source.path().rfind('/') + 1);
  if (c.definitions.empty()) return {c.script, c.name, file, {}, CallItem::Kind::Script, {0, source.size()}, {0, 0}};
  auto [statement, node] = c.definitions.front();
  auto bytes = [at = statement->offset](Extent e) { return Stretch{at + e.begin, at + e.end}; };
  Name name = name_of(node);
  std::size_t dot = c.name.rfind('.');
  std::string detail = dot == std::string::npos ? file : c.name.substr(0, dot) + " · " + file;
  if (auto* f = as<FunctionDef>(node); f && session::is_kernel(*f)) detail = "kernel · " + detail;
  CallItem::Kind kind = node->kind == NodeKind::ClassDef ? CallItem::Kind::Class
                        : c.in_class                     ? CallItem::Kind::Method
                                                         : CallItem::Kind::Function;
  return {c.script, c.name, std::string(name.text), std::move(detail), kind, bytes(node->at), bytes(name.at)};
}

// The last name of what is called: `init` of `bar.init(1)`.
Extent called_name(const Call& call) {
  if (auto* a = as<Attribute>(call.function)) return a->name.at;
  return call.function->at;
}

// What an item is now; nothing: it is gone.
std::optional<Callee> found_again(Names& names, const std::string& script, const std::string& path) {
  auto found = script.starts_with(kPreludeFolder) ? names.scripts().prelude(path.substr(0, path.find('.')))
                                                  : names.scripts().find(script);
  return found ? named(found, path) : std::nullopt;
}

// One edge for each that calls or is called, with all the places.
class Calls {
 public:
  explicit Calls(const CallParts& parts) : parts_(parts) {}
  void add(const Callee& other, const Script& caller, Stretch place) {
    auto it = std::ranges::find_if(
        edges_, [&](const CallEdge& e) { return e.item.script == other.script && e.item.path == other.name; });
    if (it == edges_.end()) it = edges_.insert(it, {item_of(other), caller, {}});
    it->places.push_back(place);
  }
  // What has gathered, where the client takes parts.
  void flush() {
    if (parts_ && !edges_.empty()) parts_(take());
  }
  std::vector<CallEdge> take() {
    for (CallEdge& e : edges_) std::ranges::sort(e.places);
    return std::exchange(edges_, {});
  }

 private:
  const CallParts& parts_;
  std::vector<CallEdge> edges_;
};

}  // namespace

std::optional<CallItem> call_item(const Query& q, std::uint32_t offset) {
  Names names(q, Names::Aliases::SameThing);
  auto meaning = names.at(q.snapshot, offset);
  auto found = meaning ? callee_of(*meaning) : std::nullopt;
  return found ? std::optional(item_of(*found)) : std::nullopt;
}

Answer<std::optional<std::vector<CallEdge>>> incoming_calls(const Query& q, const std::string& script,
                                                            const std::string& path, const CallParts& parts) {
  Names names(q, Names::Aliases::SameThing);
  auto target = found_again(names, script, path);
  if (!target) return std::nullopt;
  if (target->definitions.empty()) return std::vector<CallEdge>();
  const SymbolIndex& index = target->script->symbols();
  std::vector<Meaning> meanings;  // of all its definitions
  for (const session::Symbol& s : index.symbols) {
    bool its = std::ranges::any_of(target->definitions, [&](const auto& d) { return d.node == s.node; });
    if (its && s.kind != SymbolKind::Parameter) meanings.push_back({target->script, &s});
  }
  Calls calls(parts);
  for (const Meaning& meaning : meanings) {
    bool whole = names.everywhere(meaning, [&](const Script& script) {
      std::vector<Use> uses = names.uses(script, meaning);
      auto is_use = [&](std::uint32_t begin) {
        auto it = std::ranges::lower_bound(uses, begin, {}, &Use::begin);
        return it != uses.end() && it->begin == begin;
      };
      std::vector<Stretch> places;
      for_all_statements(script->symbols(), [&](const Tree::Statement& statement) {
        for_all(statement.node->statement, [&](const Node* n) {
          auto* call = as<Call>(n);
          if (!call || !call->function) return;
          Extent at = called_name(*call);
          if (is_use(statement.offset + at.begin))
            places.push_back({statement.offset + at.begin, statement.offset + at.end});
        });
      });
      std::ranges::sort(places);
      for (Stretch place : places) calls.add(caller_at(script, place.begin), script, place);
      calls.flush();
      return true;
    });
    if (!whole) return cancelled();
  }
  return calls.take();
}

Answer<std::optional<std::vector<CallEdge>>> outgoing_calls(const Query& q, const std::string& script,
                                                            const std::string& path, const CallParts& parts) {
  Names names(q, Names::Aliases::SameThing);
  auto source = found_again(names, script, path);
  if (!source) return std::nullopt;
  std::vector<Callee::Definition> bodies = source->definitions;
  if (bodies.empty()) {
    for_all_statements(source->script->symbols(),
                       [&](const Tree::Statement& s) { bodies.push_back({&s, s.node->statement}); });
  }
  Calls calls(parts);
  for (auto [statement, definition] : bodies) {
    std::vector<const Call*> found;
    std::vector<const Node*> todo{definition};
    while (!todo.empty()) {
      const Node* n = todo.back();
      todo.pop_back();
      if (!n || (is_definition(n) && !(n == definition && !source->definitions.empty()))) continue;
      if (auto* call = as<Call>(n)) found.push_back(call);
      for_children(n, [&](const Node* child) { todo.push_back(child); });
    }
    std::ranges::sort(found, {}, [](const Call* c) { return called_name(*c).begin; });
    for (const Call* call : found) {
      if (q.stop.stop_requested()) return cancelled();
      auto meaning = names.callee(source->script, statement->offset, *call);
      auto callee = meaning ? callee_of(*meaning) : std::nullopt;
      if (!callee) continue;
      Extent at = called_name(*call);
      calls.add(*callee, source->script, {statement->offset + at.begin, statement->offset + at.end});
    }
  }
  calls.flush();
  return calls.take();
}

}  // namespace tilewright::ide
