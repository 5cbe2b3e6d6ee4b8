#include "server/ide/names.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "compiler/syntax/walk.h"
#include "server/ide/look.h"
#include "server/ide/spelling.h"

namespace tilewright::ide {
namespace {

using namespace syntax;
using session::Occurrence;
using session::Role;
using session::Symbol;
using session::SymbolIndex;
using session::SymbolKind;

// Imports may go in circles, and so may classes that inherit; those that branch as well are many.
constexpr int kMostDepth = 24, kMostSteps = 2000;
// Scripts are searched again for the names that others give the thing; chains of renamed imports are short.
constexpr int kMostRounds = 8;
// Expressions that one request has evaluated.
constexpr std::size_t kMostProbes = 40;

bool has_alias(const ImportedName& n) { return n.bound.at.begin != n.at.begin; }

const ImportedName* binding(std::span<const ImportedName> names, std::string_view bound) {
  auto it = std::ranges::find_if(names, [&](const ImportedName& n) { return n.bound.text == bound; });
  return it == names.end() ? nullptr : &*it;
}

const Symbol* symbol_of(const SymbolIndex& index, const Node* definition) {
  auto it = std::ranges::find_if(index.symbols, [&](const Symbol& s) {
    return s.node == definition && s.kind != SymbolKind::Parameter && s.kind != SymbolKind::Import;
  });
  return it == index.symbols.end() ? nullptr : &*it;
}

const Symbol* symbol_in(const SymbolIndex& index, const Node* scope, std::string_view name) {
  auto it = std::ranges::find_if(
      index.symbols, [&](const Symbol& s) { return s.name == name && index.scopes[s.scope].node == scope; });
  return it == index.symbols.end() || it->kind == SymbolKind::Builtin ? nullptr : &*it;
}

// The first parameter of a method: the instance.
bool is_self(const SymbolIndex& index, const Symbol& s) {
  auto* function = s.kind == SymbolKind::Parameter ? as<FunctionDef>(s.node) : nullptr;
  if (!function || function->params.empty() || function->params[0].name.text != s.name) return false;
  const Symbol* method = symbol_of(index, function);
  return method && class_around(index, *method);
}

// Does the attribute belong to something of a library, as in `T.copy`?
bool of_library(const SymbolIndex& index, std::uint32_t offset, const Attribute& a) {
  const Node* root = a.object;
  while (auto* inner = as<Attribute>(root)) root = inner->object;
  auto* ref = as<NameRef>(root);
  const Occurrence* o = ref ? index.at(offset + ref->name.at.begin) : nullptr;
  if (!o) return false;
  SymbolKind kind = index.symbols[o->symbol].kind;
  return kind == SymbolKind::Import || kind == SymbolKind::Builtin;
}

}  // namespace

bool is_alias(const Symbol& s) {
  if (s.kind != SymbolKind::Import) return false;
  auto* from = as<ImportFrom>(s.node);
  auto* import = as<Import>(s.node);
  const ImportedName* n = from ? binding(from->names, s.name) : import ? binding(import->names, s.name) : nullptr;
  return n && has_alias(*n);
}

const Occurrence* defining(const SymbolIndex& index, const Symbol& s) {
  for (std::uint32_t o : s.occurrences) {
    if (index.occurrences[o].role == Role::Define) return &index.occurrences[o];
  }
  return s.occurrences.empty() || s.kind == SymbolKind::Builtin ? nullptr : &index.occurrences[s.occurrences.front()];
}

const ClassDef* class_around(const SymbolIndex& index, const Symbol& s) {
  return s.kind == SymbolKind::Builtin ? nullptr : as<ClassDef>(index.scopes[s.scope].node);
}

bool reaches_out(const SymbolIndex& index, const Symbol& symbol) {
  const Symbol* s = &symbol;
  for (int step = 0; s && step < kMostDepth; ++step) {
    if (s->kind == SymbolKind::Builtin) return false;
    if (s->scope == 0) return true;
    const Node* around = s->kind == SymbolKind::Parameter ? s->node : class_around(index, *s);
    s = around ? symbol_of(index, around) : nullptr;
  }
  return false;
}

Path place_at(const SymbolIndex& index, std::uint32_t offset) {
  for (const Tree::Statement& comment : index.comments) {
    if (offset < comment.offset || offset > comment.offset + comment.node->text.size()) continue;
    return path_in(comment, offset);
  }
  return path_at(*index.tree, offset);
}

void for_all_statements(const SymbolIndex& index, const std::function<void(const Tree::Statement&)>& visit) {
  for (const Tree::Statement& s : index.tree->statements()) visit(s);
  for (const Tree::Statement& s : index.comments) visit(s);
}

// ---- from a name to its meaning -------------------------------------------------------------------------------------

bool Names::too_far(Way way) {
  if (way.depth == 0) steps_ = 0;
  return way.depth > kMostDepth || ++steps_ > kMostSteps;
}

std::optional<Meaning> Names::member(const Script& module, std::string_view name, Way way) {
  const SymbolIndex& index = module->symbols();
  if (const Symbol* s = index.lookup(name, 0)) return follow(module, *s, way.on());
  for (const Tree::Statement& s : index.tree->statements()) {
    auto* from = as<ImportFrom>(s.node->statement);
    if (!from || from->names.empty() || from->names[0].name != "*" || too_far(way)) continue;
    auto other = scripts_.imported(*module, from->module, from->level);
    if (!other || other == module) continue;
    if (auto found = member(other, name, way.on())) return found;
  }
  return std::nullopt;
}

std::optional<Meaning> Names::imported(const Script& script, const ImportFrom& from, std::string_view name, Way way) {
  if (too_far(way)) return std::nullopt;
  if (auto module = scripts_.imported(*script, from.module, from.level)) {
    if (auto found = member(module, name, way.on())) return found;
  }
  std::string dotted = (from.module.empty() ? "" : std::string(from.module) + ".") + std::string(name);
  if (auto module = scripts_.imported(*script, dotted, from.level)) return Meaning{module, nullptr};
  if (auto prelude = scripts_.prelude(name)) return member(prelude, name, way.on());
  return std::nullopt;
}

Meaning Names::follow(const Script& script, const Symbol& s, Way way) {
  Meaning here{script, &s};
  if (too_far(way)) return here;
  if (s.kind == SymbolKind::Builtin) {
    // Perhaps of `from helpers import *`.
    auto found = member(script, s.name, way.on());
    return found ? *found : here;
  }
  if (s.kind != SymbolKind::Import) return here;
  if (auto* from = as<ImportFrom>(s.node)) {
    const ImportedName* n = binding(from->names, s.name);
    if (!n || (way.aliases == Aliases::OwnNames && has_alias(*n))) return here;
    auto found = imported(script, *from, n->name, way.on());
    return found ? *found : here;
  }
  auto* import = as<Import>(s.node);
  const ImportedName* n = import ? binding(import->names, s.name) : nullptr;
  if (!n || (way.aliases == Aliases::OwnNames && has_alias(*n))) return here;
  auto module = scripts_.imported(*script, has_alias(*n) ? n->name : s.name, 0);
  return module ? Meaning{module, nullptr} : here;
}

std::optional<Meaning> Names::of(const Script& script, std::uint32_t offset, const Node* node, Way way) {
  if (too_far(way)) return std::nullopt;
  if (auto* ref = as<NameRef>(node)) {
    const SymbolIndex& index = script->symbols();
    const Occurrence* o = index.at(offset + ref->name.at.begin);
    if (!o || o->begin != offset + ref->name.at.begin) return std::nullopt;
    return follow(script, index.symbols[o->symbol], way.on());
  }
  if (auto* a = as<Attribute>(node)) return of_attribute(script, offset, *a, way.on());
  return std::nullopt;
}

std::optional<Meaning> Names::of_attribute(const Script& script, std::uint32_t offset, const Attribute& node, Way way) {
  const SymbolIndex& index = script->symbols();
  if (of_library(index, offset, node)) {
    // `import package.helpers` binds the package alone.
    std::string name = dotted(&node), module = dotted(node.object);
    const Symbol* first = index.lookup(name.substr(0, name.find('.')), index.scope_at(offset + node.at.begin));
    if (first && as<Import>(first->node) && !is_alias(*first)) {
      if (auto found = scripts_.imported(*script, name, 0)) return Meaning{found, nullptr};
      if (auto found = scripts_.imported(*script, module, 0)) return member(found, node.name.text, way);
    }
  }
  if (auto object = of(script, offset, node.object, way.through())) {
    if (!object->symbol) return member(object->script, node.name.text, way);
    auto type = object->symbol->kind == SymbolKind::Class ? object : class_of(*object, way.through());
    auto found = type ? member_of_class(*type, node.name.text, way) : std::nullopt;
    if (found) return found;
  } else if (auto type = class_of(script, offset, node.object, way.through())) {
    return member_of_class(*type, node.name.text, way);
  }
  if (!of_library(index, offset, node)) {
    auto type = class_by_value(script, offset, node.object, way.through());
    return type ? member_of_class(*type, node.name.text, way) : std::nullopt;
  }
  auto prelude = scripts_.prelude(node.name.text);
  return prelude ? member(prelude, node.name.text, way) : std::nullopt;
}

std::optional<Meaning> Names::class_of(const Script& script, std::uint32_t offset, const Node* value, Way way) {
  if (!value || too_far(way)) return std::nullopt;
  if (value->kind == NodeKind::NameRef || value->kind == NodeKind::Attribute) {
    auto same = of(script, offset, value, way.through());  // `p = pipe`
    return same && same->symbol && same->symbol->kind != SymbolKind::Class ? class_of(*same, way.on()) : std::nullopt;
  }
  auto* call = as<Call>(value);
  if (!call) return std::nullopt;
  auto made = of(script, offset, call->function, way.through());
  if (!made || !made->symbol || made->symbol->kind == SymbolKind::Import) {
    // `replace(cfg, BM=64)` makes another one.
    auto* ref = as<NameRef>(call->function);
    auto* attribute = as<Attribute>(call->function);
    const bool replaces = (ref && ref->name.text == "replace") || (attribute && attribute->name.text == "replace");
    return replaces && !call->args.empty() ? class_of(script, offset, call->args[0], way.on()) : std::nullopt;
  }
  if (made->symbol->kind == SymbolKind::Class) return made;
  auto* function = made->symbol->kind == SymbolKind::Function ? as<FunctionDef>(made->symbol->node) : nullptr;
  if (!function) return std::nullopt;
  std::uint32_t at = made->script->symbols().tree->statements()[made->symbol->statement].offset;
  return annotated(made->script, at, function->returns, way.on());
}

std::optional<Meaning> Names::annotated(const Script& script, std::uint32_t offset, const Node* annotation, Way way) {
  if (!annotation || too_far(way)) return std::nullopt;
  if (auto* text = as<StringLit>(annotation)) {
    const Symbol* s = script->symbols().lookup(text->value, script->symbols().scope_at(offset + annotation->at.begin));
    auto found = s ? std::optional(follow(script, *s, way.through())) : std::nullopt;
    return found && found->symbol && found->symbol->kind == SymbolKind::Class ? found : std::nullopt;
  }
  if (auto* either = as<BinOp>(annotation); either && either->op == Operator::BitOr) {
    auto left = annotated(script, offset, either->left, way.on());
    return left ? left : annotated(script, offset, either->right, way.on());
  }
  if (auto* optional = as<Subscript>(annotation)) {
    auto* name = as<NameRef>(optional->object);
    if (!name || name->name.text != "Optional" || optional->indices.empty()) return std::nullopt;
    return annotated(script, offset, optional->indices[0], way.on());
  }
  auto found = of(script, offset, annotation, way.through());
  return found && found->symbol && found->symbol->kind == SymbolKind::Class ? found : std::nullopt;
}

std::optional<Meaning> Names::class_by_value(const Script& script, std::uint32_t offset, const Node* node, Way way) {
  if (depth_ != Depth::Values || is_prelude(*script) || q_.stop.stop_requested()) return std::nullopt;
  if (by_value_.size() >= kMostProbes && !by_value_.contains(node)) return std::nullopt;
  auto [it, fresh] = by_value_.try_emplace(node);
  if (!fresh) return it->second;
  const SymbolIndex& index = script->symbols();
  auto statement = std::ranges::find(index.tree->statements(), offset, &Tree::Statement::offset);
  if (statement == index.tree->statements().end()) return std::nullopt;
  // An instance of a base class may be one of any class below it.
  if (auto* ref = as<NameRef>(node)) {
    const Occurrence* o = index.at(offset + ref->name.at.begin);
    if (o && is_self(index, index.symbols[o->symbol])) return std::nullopt;
  }
  auto probed = script->probe(node, *statement->node, q_.stop);
  const script::Class* type = nullptr;
  for (script::Value v : probed->probe.values) {
    auto* instance = v.as<script::Instance>();
    const script::Class* one = instance ? instance->cls : v.as<script::Class>();
    if (!one || (type && one->name != type->name)) return std::nullopt;
    type = one;
  }
  if (!type) return std::nullopt;
  std::optional<Meaning> found;
  if (script::is_of_prelude(type->scope)) {
    auto prelude = scripts_.prelude(type->name);
    found = prelude ? member(prelude, type->name, way.through()) : std::nullopt;
  } else if (const Symbol* s = index.lookup(type->name, index.scope_at(offset + node->at.begin))) {
    found = follow(script, *s, way.through());
  }
  if (found && found->symbol && found->symbol->kind == SymbolKind::Class) it->second = found;
  return it->second;
}

std::optional<Meaning> Names::class_of(const Meaning& variable, Way way) {
  const SymbolIndex& index = variable.script->symbols();
  const Symbol& s = *variable.symbol;
  if (is_self(index, s)) {
    const ClassDef* type = class_around(index, *symbol_of(index, s.node));
    const Symbol* symbol = symbol_of(index, type);
    return symbol ? std::optional(Meaning{variable.script, symbol}) : std::nullopt;
  }
  const bool holds = s.kind == SymbolKind::Variable || s.kind == SymbolKind::Parameter || s.kind == SymbolKind::Field;
  if (!holds) return std::nullopt;
  std::uint32_t offset = index.tree->statements()[s.statement].offset;
  if (auto type = annotated(variable.script, offset, s.type, way.on())) return type;
  return class_of(variable.script, offset, s.value, way.on());
}

std::optional<Meaning> Names::type_at(const Script& script, std::uint32_t offset) {
  Way way{Aliases::SameThing};
  steps_ = 0;
  if (auto meaning = at(script, offset); meaning && meaning->symbol) {
    if (meaning->symbol->kind == SymbolKind::Class) return meaning;
    if (auto type = class_of(*meaning, way.on())) return type;
  }
  Path path = place_at(script->symbols(), offset);
  if (path.nodes.empty()) return std::nullopt;
  const Node* node = path.nodes.back();
  if (node->kind != NodeKind::NameRef && node->kind != NodeKind::Attribute) return std::nullopt;
  return class_by_value(script, path.statement->offset, node, way);
}

bool Names::is_buffer(const Script& script, std::string_view dotted, std::uint32_t offset) {
  auto meaning = named(script, dotted, offset);
  if (!meaning || !meaning->symbol) return false;
  const Symbol& s = *meaning->symbol;
  auto* annotation = as<Call>(s.type);
  if (annotation) return canonical(*meaning->script, ide::dotted(annotation->function), offset) == "T.Buffer";
  auto* call = as<Call>(s.value);
  if (!call || s.kind == SymbolKind::Parameter) return false;
  constexpr std::string_view kMake[] = {"T.match_buffer", "T.alloc_buffer", "T.alloc_shared",
                                        "T.alloc_local",  "T.decl_buffer",  "T.Buffer"};
  if (std::ranges::find(kMake, canonical(*meaning->script, ide::dotted(call->function), offset)) != std::end(kMake)) {
    return true;
  }
  auto* method = as<Attribute>(call->function);
  if (!method || !method->name.text.starts_with("alloc")) return false;
  std::uint32_t at = meaning->script->symbols().tree->statements()[s.statement].offset;
  auto pool = class_of(meaning->script, at, method->object, Way{Aliases::SameThing});
  return pool && is_prelude(*pool->script);
}

std::optional<Meaning> Names::member_of_class(const Meaning& type, std::string_view name, Way way) {
  const SymbolIndex& index = type.script->symbols();
  auto* definition = as<ClassDef>(type.symbol->node);
  if (!definition || too_far(way)) return std::nullopt;
  if (const Symbol* s = symbol_in(index, definition, name)) return Meaning{type.script, s};
  std::uint32_t offset = index.tree->statements()[type.symbol->statement].offset;
  for (const Node* base : definition->bases) {
    auto above = of(type.script, offset, base, way.through());
    if (!above || !above->symbol || above->symbol->kind != SymbolKind::Class) continue;
    if (auto found = member_of_class(*above, name, way.on())) return found;
  }
  return std::nullopt;
}

std::optional<Meaning> Names::named(const Script& script, std::string_view dotted, std::uint32_t offset) {
  Way way{aliases_};
  steps_ = 0;
  const SymbolIndex& index = script->symbols();
  std::size_t dot = dotted.find('.');
  const Symbol* first = index.lookup(dotted.substr(0, dot), index.scope_at(offset));
  if (!first) return std::nullopt;
  std::optional<Meaning> found = follow(script, *first, way.on());
  while (found && dot != std::string_view::npos) {
    dotted.remove_prefix(dot + 1);
    dot = dotted.find('.');
    std::string_view name = dotted.substr(0, dot);
    if (!found->symbol) {
      found = member(found->script, name, way.on());
      continue;
    }
    auto type = found->symbol->kind == SymbolKind::Class ? found : class_of(*found, way.through());
    found = type ? member_of_class(*type, name, way.on()) : std::nullopt;
  }
  return found;
}

void Names::members(const Meaning& owner, const std::function<void(const Meaning&)>& visit) {
  Way way{aliases_};
  steps_ = 0;
  if (!owner.symbol) {
    for (const Symbol& s : owner.script->symbols().symbols) {
      if (s.scope == 0 && s.kind != SymbolKind::Builtin) visit({owner.script, &s});
    }
    return;
  }
  auto type = owner.symbol->kind == SymbolKind::Class ? std::optional(owner) : class_of(owner, way.through());
  if (type) members_of_class(*type, visit, way.on());
}

void Names::members_of_class(const Meaning& type, const std::function<void(const Meaning&)>& visit, Way way) {
  const SymbolIndex& index = type.script->symbols();
  auto* definition = as<ClassDef>(type.symbol->node);
  if (!definition || too_far(way)) return;
  for (const Symbol& s : index.symbols) {
    if (s.kind != SymbolKind::Builtin && index.scopes[s.scope].node == definition) visit({type.script, &s});
  }
  std::uint32_t offset = index.tree->statements()[type.symbol->statement].offset;
  for (const Node* base : definition->bases) {
    auto above = of(type.script, offset, base, way.through());
    if (above && above->symbol && above->symbol->kind == SymbolKind::Class) members_of_class(*above, visit, way.on());
  }
}

std::optional<Meaning> Names::callee(const Script& script, std::uint32_t offset, const Call& call) {
  auto found = of(script, offset, call.function, Way{Aliases::SameThing});
  if (!found || !found->symbol) return std::nullopt;
  SymbolKind kind = found->symbol->kind;
  bool can_call = kind == SymbolKind::Function || kind == SymbolKind::Kernel || kind == SymbolKind::Class;
  return can_call ? found : std::nullopt;
}

std::optional<Meaning> Names::keywords_of(const Script& script, std::uint32_t offset, const Call& call) {
  auto found = callee(script, offset, call);
  if (found && found->symbol->kind == SymbolKind::Class) {
    return member_of_class(*found, "__init__", Way{Aliases::SameThing});
  }
  auto* method = as<Attribute>(call.function);
  if (found || !method || method->name.text != "specialize") return found;
  found = of(script, offset, method->object, Way{Aliases::SameThing});
  return found && found->symbol && found->symbol->kind == SymbolKind::Kernel ? found : std::nullopt;
}

std::optional<Meaning> Names::named_by_keyword(const Script& script, std::uint32_t offset, const Call& call,
                                               std::string_view name) {
  auto function = keywords_of(script, offset, call);
  if (function && as<FunctionDef>(function->symbol->node)) return parameter(*function, name);
  Way way{Aliases::SameThing};
  auto type = callee(script, offset, call);
  if (!type) type = class_of(script, offset, &call, way);  // `replace(cfg, BM=64)`
  if (!type || type->symbol->kind != SymbolKind::Class) return std::nullopt;
  auto field = member_of_class(*type, name, way);
  return field && field->symbol->kind == SymbolKind::Variable ? field : std::nullopt;
}

std::optional<Meaning> Names::parameter(const Meaning& function, std::string_view name) {
  const SymbolIndex& index = function.script->symbols();
  for (const Symbol& s : index.symbols) {
    if (s.kind == SymbolKind::Parameter && s.node == function.symbol->node && s.name == name) {
      return Meaning{function.script, &s};
    }
  }
  return std::nullopt;
}

std::optional<Meaning> Names::at(const Script& script, std::uint32_t offset) {
  const SymbolIndex& index = script->symbols();
  if (const Occurrence* o = index.at(offset)) return follow(script, index.symbols[o->symbol], Way{aliases_});
  Path path = place_at(index, offset);
  if (path.nodes.empty()) return std::nullopt;
  auto touches = [&](std::uint32_t begin, std::uint32_t end) {
    return path.statement->offset + begin <= offset && offset <= path.statement->offset + end;
  };
  if (auto* a = path.innermost<Attribute>(); a && touches(a->name.at.begin, a->name.at.end)) {
    return of(script, path.statement->offset, a);
  }
  if (auto* from = path.innermost<ImportFrom>()) {
    for (const ImportedName& n : from->names) {
      auto end = n.at.begin + static_cast<std::uint32_t>(n.name.size());
      if (touches(n.at.begin, end)) return imported(script, *from, n.name, Way{aliases_});
    }
  }
  if (auto* call = path.innermost<Call>()) {
    for (const Keyword& k : call->keywords) {
      if (k.name.text.empty() || !touches(k.name.at.begin, k.name.at.end)) continue;
      return named_by_keyword(script, path.statement->offset, *call, k.name.text);
    }
  }
  return std::nullopt;
}

// ---- from a meaning to its places -----------------------------------------------------------------------------------

void Names::look_for(const Meaning& meaning) {
  if (subject_ == meaning) return;
  subject_ = meaning;
  std::filesystem::path file(meaning.script->path());
  called_ = {meaning.symbol ? std::string(meaning.symbol->name)
                            : (file.stem() == "__init__" ? file.parent_path().filename() : file.stem()).string()};
}

bool Names::is_called(std::string_view name) const { return std::ranges::find(called_, name) != called_.end(); }

std::vector<Use> Names::uses(const Script& script, const Meaning& meaning, std::optional<std::uint32_t>* unknown) {
  look_for(meaning);
  const SymbolIndex& index = script->symbols();
  std::string_view text = script->source().text();
  std::vector<Use> out;
  auto add_all = [&](const Symbol& s, bool home) {
    for (std::uint32_t i : s.occurrences) {
      const Occurrence& o = index.occurrences[i];
      // A keyword stands outside of the function whose parameter it means.
      bool keyword = s.kind == SymbolKind::Parameter && s.scope < index.scopes.size() &&
                     (o.begin < index.scopes[s.scope].begin || o.end > index.scopes[s.scope].end);
      Role role = home || o.role == Role::Read ? o.role : Role::Write;
      const bool behind_dot = o.begin > 0 && text[o.begin - 1] == '.';
      out.push_back({o.begin, o.end, role, !keyword && !behind_dot});
    }
  };
  auto in = [&](std::uint32_t offset, Extent at) {
    out.push_back({offset + at.begin, offset + at.end, Role::Read, false});
  };
  if (meaning.script == script && meaning.symbol) {
    add_all(*meaning.symbol, true);
    if (!reaches_out(index, *meaning.symbol)) return out;
  }
  bool is_parameter = meaning.symbol && meaning.symbol->kind == SymbolKind::Parameter;
  bool is_field = meaning.symbol && meaning.symbol->kind == SymbolKind::Variable &&
                  class_around(meaning.script->symbols(), *meaning.symbol);
  if (!is_parameter) {
    for (const Symbol& s : index.symbols) {
      bool could = s.kind == SymbolKind::Import || (s.kind == SymbolKind::Builtin && is_called(s.name));
      if (could && &s != meaning.symbol && follow(script, s, Way{aliases_}) == meaning) {
        add_all(s, false);
        if (!is_called(s.name)) called_.emplace_back(s.name);
      }
    }
  }
  for_all_statements(index, [&](const Tree::Statement& statement) {
    if (q_.stop.stop_requested()) return;
    for_all(statement.node->statement, [&](const Node* n) {
      if (auto* call = as<Call>(n); call && (is_parameter || is_field)) {
        for (const Keyword& k : call->keywords) {
          if (k.name.text != meaning.symbol->name) continue;
          if (named_by_keyword(script, statement.offset, *call, k.name.text) == meaning)
            in(statement.offset, k.name.at);
        }
      }
      if (is_parameter) return;
      if (auto* a = as<Attribute>(n); a && is_called(a->name.text)) {
        auto means = of(script, statement.offset, a);
        if (means == meaning) in(statement.offset, a->name.at);
        if (!means && unknown && !*unknown && !of_library(index, statement.offset, *a))
          *unknown = statement.offset + a->name.at.begin;
      }
      if (auto* from = as<ImportFrom>(n)) {
        for (const ImportedName& i : from->names) {
          if (!has_alias(i) || !is_called(i.name)) continue;
          auto end = i.at.begin + static_cast<std::uint32_t>(i.name.size());
          if (imported(script, *from, i.name, Way{aliases_}) == meaning) in(statement.offset, {i.at.begin, end});
        }
      }
    });
  });
  std::ranges::sort(
      out, [](const Use& a, const Use& b) { return std::pair(a.begin, !a.bare) < std::pair(b.begin, !b.bare); });
  auto same = [](const Use& a, const Use& b) { return a.begin == b.begin; };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  std::erase_if(out, [&](const Use& u) { return u.end > text.size(); });
  return out;
}

bool Names::everywhere(const Meaning& meaning, const std::function<bool(const Script&)>& visit) {
  look_for(meaning);
  if (q_.stop.stop_requested()) return false;
  if (!visit(meaning.script)) return true;
  if (meaning.symbol && !reaches_out(meaning.script->symbols(), *meaning.symbol)) return true;
  std::vector<std::string> left = scripts_.all();
  for (int round = 0; round < kMostRounds; ++round) {
    std::size_t known = called_.size();
    std::vector<std::string> later;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::string& path = left[i];
      if (q_.stop.stop_requested()) return false;
      if (round == 0) report_search(q_, path, i, left.size());
      if (!scripts_.mentions(path, called_)) {
        later.push_back(path);
        continue;
      }
      auto script = scripts_.find(path);
      if (script && script != meaning.script && !visit(script)) return true;
    }
    if (called_.size() == known) break;
    left = std::move(later);
  }
  return true;
}

}  // namespace tilewright::ide
