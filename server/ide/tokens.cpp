#include "server/ide/tokens.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "compiler/script/surface.h"
#include "compiler/syntax/walk.h"

namespace tilewright::ide {
namespace {

using namespace syntax;
using Type = Token::Type;

bool shouts(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

// An import of the language itself, not of a script.
bool is_library_module(const ImportFrom& from) {
  return from.level == 0 && (from.module == "tvm" || from.module.starts_with("tvm."));
}
bool is_library(const session::Symbol& s) {
  if (auto* from = as<ImportFrom>(s.node)) return is_library_module(*from);
  return s.kind == session::SymbolKind::Builtin && (s.name == "T" || s.name == "Tx");
}

class Tokens {
 public:
  explicit Tokens(const session::Snapshot& script) : script_(script), index_(script.symbols()) {}

  std::vector<Token> all(std::uint32_t from, std::uint32_t to) {
    for (const session::Occurrence& o : index_.occurrences) {
      if (o.end <= from || o.begin >= to) continue;
      const session::Symbol& s = index_.symbols[o.symbol];
      std::uint32_t modifiers = o.role == session::Role::Define ? Token::kDeclaration : 0u;
      switch (s.kind) {
        case session::SymbolKind::Parameter: out_.push_back({{o.begin, o.end}, Type::Parameter, modifiers}); break;
        case session::SymbolKind::Function: out_.push_back({{o.begin, o.end}, Type::Function, modifiers}); break;
        case session::SymbolKind::Kernel:
          out_.push_back({{o.begin, o.end}, Type::Function, modifiers | Token::kKernel});
          break;
        case session::SymbolKind::Class: out_.push_back({{o.begin, o.end}, Type::Class, modifiers}); break;
        case session::SymbolKind::Import:
          out_.push_back({{o.begin, o.end}, imported(s), modifiers | (is_library(s) ? Token::kLibrary : 0u)});
          break;
        case session::SymbolKind::Field: break;  // an attribute like others
        case session::SymbolKind::Variable:
          if (s.scope == 0 && shouts(s.name)) modifiers |= Token::kReadonly;
          out_.push_back({{o.begin, o.end}, Type::Variable, modifiers});
          break;
        case session::SymbolKind::Builtin:
          if (is_library(s)) out_.push_back({{o.begin, o.end}, Type::Namespace, Token::kLibrary});
          break;  // the grammar knows Python's own
      }
    }
    for (const Tree::Statement& s : index_.tree->statements()) {
      if (s.offset >= to || s.offset + s.node->text.size() <= from) continue;
      offset_ = s.offset;
      attributes(s.node->statement);
    }
    std::erase_if(out_, [&](const Token& t) { return t.at.end <= from || t.at.begin >= to; });
    std::ranges::sort(out_, {}, [](const Token& t) { return t.at.begin; });
    // One token a place; a multi-line or overlapping one is none that clients could take.
    std::vector<Token> kept;
    for (const Token& t : out_) {
      if (t.at.end > t.at.begin && (kept.empty() || kept.back().at.end <= t.at.begin)) kept.push_back(t);
    }
    return kept;
  }

 private:
  void attributes(const Node* statement) {
    std::vector<const Node*> called;
    for_all(statement, [&](const Node* n) {
      if (auto* call = as<Call>(n)) called.push_back(call->function);
    });
    std::ranges::sort(called);
    for_all(statement, [&](const Node* n) {
      auto* a = as<Attribute>(n);
      if (!a) return;
      const Node* root = a->object;
      while (auto* inner = as<Attribute>(root)) root = inner->object;
      std::uint32_t modifiers = 0;
      if (auto* ref = as<NameRef>(root)) {
        const session::Occurrence* o = index_.at(offset_ + ref->name.at.begin);
        if (o && is_library(index_.symbols[o->symbol])) modifiers = Token::kLibrary;
      }
      Type type = std::ranges::binary_search(called, n) ? Type::Method : Type::Property;
      out_.push_back({{offset_ + a->name.at.begin, offset_ + a->name.at.end}, type, modifiers});
    });
  }

  // What an import brings: a class of the dialect, of Python or of another script; a function, a value, a module.
  Type imported(const session::Symbol& s) {
    auto [it, fresh] = imported_.try_emplace(&s, Type::Namespace);
    auto* from = as<ImportFrom>(s.node);
    if (!fresh || !from) return it->second;
    const Names& names = names_of(*from);
    auto name = names.bound.find(s.name);
    if (name == names.bound.end()) return it->second;
    return it->second = type_of(*from, name->second, names);
  }

  // What one `from m import` binds, and what the module's statements define if it is a script of ours.
  struct Names {
    std::unordered_map<std::string_view, std::string_view> bound;  // to the name in the module
    std::shared_ptr<const Tree> script;                            // null: none
    std::unordered_map<std::string_view, Type> defined;
  };

  const Names& names_of(const ImportFrom& from) {
    auto [it, fresh] = names_.try_emplace(&from);
    Names& out = it->second;
    if (!fresh) return out;
    for (const ImportedName& n : from.names) out.bound.emplace(n.bound.text, n.name);
    if (is_library_module(from)) return out;
    out.script = script_.import(from.module, from.level);
    if (!out.script) return out;
    for (const Tree::Statement& s : out.script->statements()) {
      auto* type = as<ClassDef>(s.node->statement);
      auto* function = as<FunctionDef>(s.node->statement);
      auto* assign = as<Assign>(s.node->statement);
      auto* target = assign && assign->targets.size() == 1 ? as<NameRef>(assign->targets[0]) : nullptr;
      if (type) out.defined.emplace(type->name.text, Type::Class);
      if (function) out.defined.emplace(function->name.text, Type::Function);
      if (target) out.defined.emplace(target->name.text, Type::Variable);
    }
    return out;
  }

  Type type_of(const ImportFrom& from, std::string_view name, const Names& names) {
    if (is_library_module(from)) {
      const bool tile = name == "tirx" || name == "tir" || name == "tile";
      for (std::string_view space : {"lang", "layout", "bench", "gemm_async"}) {
        const script::Record* r = tile ? nullptr : script_.surface().find(space, name);
        if (!r) continue;
        switch (r->kind) {
          case script::NameKind::Class:
          case script::NameKind::Type: return Type::Class;
          case script::NameKind::Function:
          case script::NameKind::Decorator: return Type::Function;
          case script::NameKind::Constant: return Type::Variable;
          default: return Type::Namespace;
        }
      }
      return Type::Namespace;
    }
    if (names.script) {
      auto known = names.defined.find(name);
      return known == names.defined.end() ? Type::Namespace : known->second;
    }
    // Of packages that are not read, names say what they are: classes begin with a capital.
    if (name.size() > 1 && std::isupper(static_cast<unsigned char>(name[0])) && !shouts(name)) return Type::Class;
    constexpr std::string_view kFunctions[] = {
        "dataclass", "field", "replace", "partial", "reduce", "lru_cache", "cache", "wraps",  "product", "namedtuple",
        "ceil",      "floor", "gcd",     "log2",    "prod",   "sqrt",      "chain", "asdict", "fields",  "unique"};
    const bool function = from.level == 0 && std::ranges::find(kFunctions, name) != std::end(kFunctions);
    return function ? Type::Function : Type::Namespace;
  }

  const session::Snapshot& script_;
  const session::SymbolIndex& index_;
  std::unordered_map<const session::Symbol*, Type> imported_;
  std::unordered_map<const ImportFrom*, Names> names_;
  std::uint32_t offset_ = 0;
  std::vector<Token> out_;
};

}  // namespace

std::vector<Token> tokens(const session::Snapshot& script, Stretch within) {
  return Tokens(script).all(within.begin, within.end);
}

}  // namespace tilewright::ide
