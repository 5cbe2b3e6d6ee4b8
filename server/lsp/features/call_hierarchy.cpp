// textDocument/prepareCallHierarchy, callHierarchy/incomingCalls and outgoingCalls: who calls whom, read off the names
// (server/lsp/names.h), so that it also says what code that no entry reaches would call.
//
// An item is told apart by its script and the names that lead to it, `Pipeline.wait` or `make.kernel`: those still mean
// the same after edits. The answer is about the text as it is when it is asked for.
#include <algorithm>

#include "compiler/syntax/walk.h"
#include "server/lsp/features.h"
#include "server/lsp/names.h"
#include "server/lsp/uri.h"

namespace tilewright::lsp {
namespace {

using namespace syntax;
using session::SymbolIndex;
using session::SymbolKind;

enum Kind { kModule = 2, kClass = 5, kMethod = 6, kFunction = 12 };

// A function, a class or, without definitions, what a script does by itself.
struct Callee {
  Scripts::Script script;
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

std::optional<Callee> named(const Scripts::Script& script, const std::string& name) {
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
Callee caller_at(const Scripts::Script& script, std::uint32_t offset) {
  std::string name;
  for (const Node* n : definitions_around(place_at(script->symbols(), offset))) {
    name += (name.empty() ? "" : ".") + std::string(name_of(n).text);
  }
  auto found = named(script, name);
  return found ? *found : Callee{script, "", {}, false};
}

Json item_json(const Request& r, const Callee& c) {
  const text::Source& source = c.script->source();
  std::string uri = script_uri(r, *c.script), file = source.path().substr(source.path().rfind('/') + 1);
  Json out{{"uri", uri}, {"data", {{"name", c.name}}}};
  auto range = [&](std::uint32_t begin, std::uint32_t end) { return to_range(source, begin, end, r.client->encoding); };
  if (c.definitions.empty()) {
    out.update(
        {{"name", file}, {"kind", kModule}, {"range", range(0, source.size())}, {"selectionRange", range(0, 0)}});
    return out;
  }
  auto [statement, node] = c.definitions.front();
  Name name = name_of(node);
  std::size_t dot = c.name.rfind('.');
  std::string detail = dot == std::string::npos ? file : c.name.substr(0, dot) + " · " + file;
  if (auto* f = as<FunctionDef>(node); f && session::is_kernel(*f)) detail = "kernel · " + detail;
  out.update({{"name", name.text},
              {"kind", node->kind == NodeKind::ClassDef ? kClass
                       : c.in_class                     ? kMethod
                                                        : kFunction},
              {"detail", detail},
              {"range", range(statement->offset + node->at.begin, statement->offset + node->at.end)},
              {"selectionRange", range(statement->offset + name.at.begin, statement->offset + name.at.end)}});
  return out;
}

// The last name of what is called: `init` of `bar.init(1)`.
Extent called_name(const Call& call) {
  if (auto* a = as<Attribute>(call.function)) return a->name.at;
  return call.function->at;
}

struct ItemParams {
  std::string uri, name;
};
void from_json(const Json& json, ItemParams& p) {
  const Json& item = json.at("item");
  p.uri = item.at("uri").get<std::string>();
  p.name = item.at("data").at("name").get<std::string>();
}

// What an item is now; nothing: it is gone.
std::optional<Callee> found_again(Names& names, const ItemParams& p) {
  constexpr std::string_view kPrelude = "tilewright:/prelude/";
  auto script = p.uri.starts_with(kPrelude) ? names.scripts().prelude(p.name.substr(0, p.name.find('.')))
                                            : names.scripts().find(path_of(p.uri));
  return script ? named(script, p.name) : std::nullopt;
}

Answer<Json> prepare(const Request& r, const protocol::PositionParams& p) {
  Names names(r, Names::Aliases::SameThing);
  auto meaning = names.at(r.snapshot, r.offset(p.position));
  auto found = meaning ? callee_of(*meaning) : std::nullopt;
  return found ? Json::array({item_json(r, *found)}) : Json(nullptr);
}

// One answer for each that calls or is called, with all the places.
class Calls {
 public:
  Calls(const Request& r, const char* key) : r_(r), key_(key) {}
  void add(const Callee& other, const text::Source& source, std::uint32_t begin, std::uint32_t end) {
    auto it =
        std::ranges::find_if(calls_, [&](const auto& c) { return c.script == other.script && c.name == other.name; });
    if (it == calls_.end()) {
      calls_.push_back({other.script, other.name, item_json(r_, other), {}});
      it = std::prev(calls_.end());
    }
    it->ranges.push_back(to_range(source, begin, end, r_.client->encoding));
  }
  // What has gathered, as a part of the answer where the client wants parts.
  void flush() {
    if (!r_.partial || calls_.empty()) return;
    r_.partial(take());
  }
  Json take() {
    Json out = Json::array();
    for (Call& c : calls_) {
      std::ranges::sort(c.ranges);
      out.push_back({{key_, std::move(c.item)}, {"fromRanges", c.ranges}});
    }
    calls_.clear();
    return out;
  }

 private:
  struct Call {
    Scripts::Script script;
    std::string name;
    Json item;
    std::vector<protocol::Range> ranges;
  };
  const Request& r_;
  const char* key_;
  std::vector<Call> calls_;
};

// Who calls it, with the calls of entry comments, which the script itself makes.
Answer<Json> incoming(const Request& r, const ItemParams& p) {
  Names names(r, Names::Aliases::SameThing);
  auto target = found_again(names, p);
  if (!target) return Json(nullptr);
  if (target->definitions.empty()) return Json::array();
  const SymbolIndex& index = target->script->symbols();
  std::vector<Meaning> meanings;  // of all its definitions
  for (const session::Symbol& s : index.symbols) {
    bool its = std::ranges::any_of(target->definitions, [&](const auto& d) { return d.node == s.node; });
    if (its && s.kind != SymbolKind::Parameter) meanings.push_back({target->script, &s});
  }
  Calls calls(r, "from");
  for (const Meaning& meaning : meanings) {
    bool whole = names.everywhere(meaning, [&](const Scripts::Script& script) {
      std::vector<Use> uses = names.uses(script, meaning);
      auto is_use = [&](std::uint32_t begin) {
        auto it = std::ranges::lower_bound(uses, begin, {}, &Use::begin);
        return it != uses.end() && it->begin == begin;
      };
      std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
      for_all_statements(script->symbols(), [&](const Tree::Statement& statement) {
        for_all(statement.node->statement, [&](const Node* n) {
          auto* call = as<Call>(n);
          if (!call || !call->function) return;
          Extent at = called_name(*call);
          if (is_use(statement.offset + at.begin))
            places.emplace_back(statement.offset + at.begin, statement.offset + at.end);
        });
      });
      std::ranges::sort(places);
      for (auto [begin, end] : places) calls.add(caller_at(script, begin), script->source(), begin, end);
      calls.flush();
      return true;
    });
    if (!whole) return cancelled();
  }
  return calls.take();
}

// What its body calls; the bodies of functions inside are theirs.
Answer<Json> outgoing(const Request& r, const ItemParams& p) {
  Names names(r, Names::Aliases::SameThing);
  auto source = found_again(names, p);
  if (!source) return Json(nullptr);
  std::vector<Callee::Definition> bodies = source->definitions;
  if (bodies.empty()) {
    for_all_statements(source->script->symbols(),
                       [&](const Tree::Statement& s) { bodies.push_back({&s, s.node->statement}); });
  }
  Calls calls(r, "to");
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
      if (r.stop.stop_requested()) return cancelled();
      auto meaning = names.callee(source->script, statement->offset, *call);
      auto callee = meaning ? callee_of(*meaning) : std::nullopt;
      if (!callee) continue;
      Extent at = called_name(*call);
      calls.add(*callee, source->script->source(), statement->offset + at.begin, statement->offset + at.end);
    }
  }
  calls.flush();
  return calls.take();
}

}  // namespace

void add_call_hierarchy(Registry& registry) {
  registry.offer("callHierarchyProvider", {{"workDoneProgress", true}});
  registry.on_document<protocol::PositionParams>("textDocument/prepareCallHierarchy", prepare);
  registry.on_workspace<ItemParams>("callHierarchy/incomingCalls", incoming);
  registry.on_workspace<ItemParams>("callHierarchy/outgoingCalls", outgoing);
}

}  // namespace tilewright::lsp
