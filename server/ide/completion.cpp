#include "server/ide/completion.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "compiler/dispatch/variant.h"
#include "compiler/ir/primitive.h"
#include "server/ide/spelling.h"

namespace tilewright::ide {
namespace {

using script::NameKind;
using Kind = Completion::Kind;

constexpr const char* kDtypes[] = {"float16",       "bfloat16",       "float32",   "float64",       "int8",
                                   "int16",         "int32",          "int64",     "uint8",         "uint16",
                                   "uint32",        "uint64",         "bool",      "float8_e4m3fn", "float8_e5m2",
                                   "float4_e2m1fn", "float8_e8m0fnu", "float16x2", "float32x2",     "handle"};
constexpr const char* kScopes[] = {"global", "shared", "shared.dyn", "local", "tmem"};

constexpr std::size_t kMostItems = 2000;

class Items {
 public:
  void add(std::string label, Kind kind, int rank, std::string detail = {}, std::string_view documentation = {},
           bool call = false) {
    if (out_.size() >= kMostItems || !seen_.insert(label).second) return;
    out_.push_back({std::move(label), kind, rank, std::move(detail), documentation, call});
  }
  std::vector<Completion> take() { return std::move(out_); }

 private:
  std::unordered_set<std::string> seen_;
  std::vector<Completion> out_;
};

Kind kind_of(NameKind kind) {
  switch (kind) {
    case NameKind::Function:
    case NameKind::Decorator:
    case NameKind::Instruction:
    case NameKind::Primitive: return Kind::Function;
    case NameKind::Type:
    case NameKind::Class: return Kind::Class;
    case NameKind::Namespace: return Kind::Module;
    case NameKind::Constant:
    case NameKind::Attribute: return Kind::Constant;
    case NameKind::Elsewhere: break;
  }
  return Kind::Variable;
}

void words(Items& items, const Query& q, std::string_view space, bool primitives_only = false) {
  for (const script::Record* w : q.snapshot->surface().names(space)) {
    if (!w->is_word() || (primitives_only && w->kind != NameKind::Primitive)) continue;
    items.add(std::string(w->name), kind_of(w->kind), 1,
              w->signature.empty() ? "" : "(" + std::string(w->signature) + ")", w->documentation,
              w->kind == NameKind::Function || w->kind == NameKind::Primitive);
  }
}

// The next part of each instruction below `prefix` ("ptx.mbarrier.").
void instructions(Items& items, std::string_view prefix, ir::Target target) {
  for (const intrinsics::Intrinsic& row : intrinsics::table()) {
    if (!row.name.starts_with(prefix)) continue;
    std::string_view rest = row.name.substr(prefix.size());
    std::size_t dot = rest.find('.');
    if (rest.empty()) continue;
    if (dot != std::string_view::npos) {
      items.add(std::string(rest.substr(0, dot)), Kind::Module, 2);
      continue;
    }
    bool there = intrinsics::available(row.availability, target);
    items.add(std::string(rest), Kind::Function, there ? 1 : 3,
              "(" + std::string(row.signature) + ")" +
                  (there ? "" : "  needs " + std::string(intrinsics::availability_name(row.availability))),
              row.documentation, true);
  }
}

bool is_scope(std::string_view name) {
  return name == "warp" || name == "wg" || name == "warpgroup" || name == "cta" || name == "cluster" ||
         name == "thread";
}

// What follows `owner.`; false: nobody knows the owner.
bool members(const Query& q, Items& items, const std::string& owner) {
  ir::Target target;
  for (const std::string& name : session::named_architectures(*q.snapshot->tree())) {
    if (auto t = ir::parse_target(name)) target = *t;
  }
  if (owner == "T") {
    words(items, q, "T");
    for (const char* dtype : kDtypes) items.add(dtype, Kind::Class, 2);
    instructions(items, "", target);
    return true;
  }
  if (owner == "Tx" || owner == "T.tile") {
    words(items, q, "Tx");
    return true;
  }
  if ((owner.starts_with("Tx.") && is_scope(owner.substr(3))) ||
      (owner.starts_with("T.") && is_scope(owner.substr(2)))) {
    words(items, q, "Tx", true);
    return true;
  }
  if (owner.starts_with("T.") && intrinsics::is_namespace(owner.substr(2))) {
    instructions(items, owner.substr(2) + ".", target);
    return true;
  }
  return false;
}

Kind kind_of(const session::Symbol& s) {
  using session::SymbolKind;
  switch (s.kind) {
    case SymbolKind::Class: return Kind::Class;
    case SymbolKind::Import: return Kind::Module;
    case SymbolKind::Variable:
    case SymbolKind::Parameter: return Kind::Variable;
    default: return Kind::Function;
  }
}

// What scripts define: names of an imported module, members of a class or of its instance.
void defined_members(Names& names, const Meaning& owner, Items& items, bool call) {
  names.members(owner, [&](const Meaning& m) {
    const session::Symbol& s = *m.symbol;
    if (s.name.empty() || s.name.starts_with('_')) return;
    bool in_class = class_around(m.script->symbols(), s);
    bool function = s.kind == session::SymbolKind::Function;
    items.add(std::string(s.name), in_class ? (function ? Kind::Method : Kind::Field) : kind_of(s), 1, "", "",
              call && function);
  });
}

// `from MODULE import ...`: false: the line is none.
bool imported_names(const Query& q, Names& names, Items& items, std::string_view line) {
  std::size_t begin = line.find_first_not_of(" \t"), at = line.find(" import ");
  if (begin == line.npos || at == line.npos || !line.substr(begin).starts_with("from ")) return false;
  std::string_view module = line.substr(begin + 5, at - begin - 5);
  int level = 0;
  while (module.starts_with(' ')) module.remove_prefix(1);
  for (; module.starts_with('.'); module.remove_prefix(1)) ++level;
  while (module.ends_with(' ')) module.remove_suffix(1);
  if (auto script = names.scripts().imported(*q.snapshot, module, level)) {
    defined_members(names, {script, nullptr}, items, false);
  } else if (module == "tvm.script" || module == "tvm") {
    items.add("tirx", Kind::Module, 1);
  } else if (module == "tvm.script.tirx") {
    items.add("tile", Kind::Module, 1);
  } else if (module.starts_with("tvm.") && module.ends_with("layout")) {
    for (const script::Record* w : q.snapshot->surface().names("layout")) {
      if (w->is_word()) items.add(std::string(w->name), kind_of(w->kind), 1, "", w->documentation);
    }
  }
  return true;
}

void names_in_sight(const Query& q, Items& items, std::uint32_t offset) {
  const session::SymbolIndex& index = q.snapshot->symbols();
  int rank = 1;
  for (std::uint32_t scope = index.scope_at(offset);; scope = index.scopes[scope].parent) {
    for (const session::Symbol& s : index.symbols) {
      // A name that is being typed may be empty yet.
      if (s.scope != scope || s.kind == session::SymbolKind::Builtin || s.name.empty()) continue;
      items.add(std::string(s.name), kind_of(s), rank, "", "", s.kind == session::SymbolKind::Function);
    }
    if (scope == 0) break;
    rank = std::min(rank + 1, 4);
  }
  for (const char* name : {"range", "len", "min", "max", "int", "float", "tuple", "list", "dict", "enumerate", "zip",
                           "sum", "abs", "isinstance", "print"}) {
    items.add(name, Kind::Function, 6);
  }
  for (const char* word :
       {"if",   "elif",  "else", "for",    "while", "with",  "def",  "return", "in",       "not",    "and",   "or",
        "True", "False", "None", "import", "from",  "class", "pass", "break",  "continue", "assert", "lambda"}) {
    items.add(word, Kind::Keyword, 7);
  }
}

// Inside of a string: what the argument that it stands for could be.
void string_values(const std::string& function, const OpenCall& call, const std::vector<Callable>& found,
                   Items& items) {
  std::string parameter = call.keyword;
  if (parameter.empty() && !found.empty() && call.argument < found[0].parameters.size()) {
    std::string_view p = found[0].parameters[call.argument];
    parameter = p.substr(0, p.find_first_of(":="));
  }
  if (parameter == "dispatch") {
    std::string_view primitive = std::string_view(function).substr(function.rfind('.') + 1);
    for (const dispatch::Variant& v : dispatch::variants_of(primitive)) {
      items.add(std::string(v.name), Kind::Value, 1,
                "variant of " + std::string(primitive) + ", priority " + std::to_string(v.priority));
    }
  } else if (parameter == "scope" || parameter == "storage_scope") {
    for (const char* s : kScopes) items.add(s, Kind::Value, 1);
  } else if (parameter == "dtype" || parameter == "type") {
    for (const char* d : kDtypes) items.add(d, Kind::Value, 1);
  }
}

}  // namespace

std::vector<Completion> completions(const Query& q, std::uint32_t offset) {
  std::string_view text = q.snapshot->source().text();
  Items items;
  auto letter = [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::uint32_t begin = offset;
  while (begin > 0 && letter(text[begin - 1])) --begin;
  // Nothing to say in a comment.
  std::string_view line = text.substr(0, offset);
  line = line.substr(line.rfind('\n') == std::string_view::npos ? 0 : line.rfind('\n') + 1);
  auto call = open_call(text, offset);
  if (!call && line.find('#') != std::string_view::npos) return items.take();

  std::string function = call ? canonical(*q.snapshot, call->function, offset) : "";
  Names names(q, Names::Aliases::SameThing);
  auto found = call ? callables(names, q, call->function, offset) : std::vector<Callable>();
  if (call && call->in_string) {
    string_values(function, *call, found, items);
    return items.take();
  }
  if (begin > 0 && text[begin - 1] == '.') {
    std::uint32_t end = begin - 1, from = end;
    while (from > 0 && (letter(text[from - 1]) || text[from - 1] == '.')) --from;
    std::string_view owner = text.substr(from, end - from);
    if (owner.empty() || members(q, items, canonical(*q.snapshot, owner, offset))) return items.take();
    if (auto meaning = names.named(q.snapshot, owner, offset)) defined_members(names, *meaning, items, true);
    return items.take();
  }
  if (imported_names(q, names, items, line)) return items.take();
  if (call && call->keyword.empty()) {
    for (const Callable& c : found) {
      for (std::size_t i = call->argument; i < c.parameters.size(); ++i) {  // those before are given by their place
        const std::string& parameter = c.parameters[i];
        std::string name = parameter.substr(0, parameter.find_first_of(":="));
        if (name.starts_with('*') || std::ranges::find(call->given, name) != call->given.end()) continue;
        items.add(name + "=", Kind::Field, 0, parameter);
      }
    }
    bool primitive = function.starts_with("Tx.") || function.find(".tile.") != std::string::npos;
    if (primitive) {
      const ir::Primitive* row = ir::find_primitive(std::string_view(function).substr(function.rfind('.') + 1));
      for (const ir::PrimitiveKeyword& k : row ? std::span(row->keywords) : std::span<const ir::PrimitiveKeyword>()) {
        std::string label = std::string(k.name) + "=", readers;
        for (std::string_view variant : dispatch::readers_of(row->name, k.name)) {
          readers.append(readers.empty() ? "  for " : ", ").append(variant);
        }
        items.add(label, Kind::Field, 0, label + std::string(k.fallback) + readers, k.words);
      }
    }
  }
  names_in_sight(q, items, offset);
  return items.take();
}

}  // namespace tilewright::ide
