// textDocument/completion: members of T, Tx, T.ptx and the layout algebra, names in sight, keyword arguments, dtypes,
// memory scopes, architectures and variants inside of strings.
#include <algorithm>
#include <set>

#include "compiler/dispatch/variant.h"
#include "compiler/ir/primitive.h"
#include "server/lsp/features.h"
#include "server/lsp/spelling.h"

namespace tilewright::lsp {
namespace {

using script::WordKind;

// CompletionItemKind of the protocol.
enum Kind {
  kMethod = 2,
  kFunction = 3,
  kField = 5,
  kVariable = 6,
  kClass = 7,
  kModule = 9,
  kProperty = 10,
  kValue = 12,
  kKeyword = 14,
  kConstant = 21
};

constexpr const char* kDtypes[] = {"float16",       "bfloat16",       "float32",   "float64",       "int8",
                                   "int16",         "int32",          "int64",     "uint8",         "uint16",
                                   "uint32",        "uint64",         "bool",      "float8_e4m3fn", "float8_e5m2",
                                   "float4_e2m1fn", "float8_e8m0fnu", "float16x2", "float32x2",     "handle"};
constexpr const char* kScopes[] = {"global", "shared", "shared.dyn", "local", "tmem"};

class Items {
 public:
  explicit Items(const Client& client)
      : snippets_(client.offers("textDocument.completion.completionItem.snippetSupport")) {}

  // `rank`: what is more likely comes first.
  void add(std::string label, int kind, int rank, std::string detail = {}, std::string_view documentation = {},
           bool call = false) {
    if (!seen_.insert(label).second || out_.size() >= 2000) return;
    Json item{{"label", label}, {"kind", kind}, {"sortText", std::to_string(rank) + label}};
    if (!detail.empty()) item["detail"] = std::move(detail);
    if (!documentation.empty()) item["documentation"] = std::string(documentation);
    if (call && snippets_) {
      item["insertText"] = label + "($0)";
      item["insertTextFormat"] = 2;
    }
    out_.push_back(std::move(item));
  }
  Json take() { return {{"isIncomplete", false}, {"items", std::move(out_)}}; }

 private:
  bool snippets_;
  std::set<std::string> seen_;
  Json out_ = Json::array();
};

int kind_of(WordKind kind) {
  switch (kind) {
    case WordKind::Function:
    case WordKind::Decorator:
    case WordKind::Primitive: return kFunction;
    case WordKind::Type:
    case WordKind::Class: return kClass;
    case WordKind::Namespace: return kModule;
    case WordKind::Constant: return kConstant;
  }
  return kVariable;
}

void words(Items& items, std::string_view space, bool primitives_only = false) {
  for (const script::Word& w : script::vocabulary()) {
    if (w.space != space || (primitives_only && w.kind != WordKind::Primitive)) continue;
    items.add(std::string(w.name), kind_of(w.kind), 1, w.signature.empty() ? "" : "(" + std::string(w.signature) + ")",
              w.documentation, w.kind == WordKind::Function || w.kind == WordKind::Primitive);
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
      items.add(std::string(rest.substr(0, dot)), kModule, 2);
      continue;
    }
    bool there = intrinsics::available(row.availability, target);
    items.add(std::string(rest), kFunction, there ? 1 : 3,
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
bool members(const Request& r, Items& items, const std::string& owner) {
  ir::Target target;
  for (const std::string& name : session::named_architectures(*r.snapshot->tree())) {
    if (auto t = ir::parse_target(name)) target = *t;
  }
  if (owner == "T") {
    words(items, "T");
    for (const char* dtype : kDtypes) items.add(dtype, kClass, 2);
    instructions(items, "", target);
    return true;
  }
  if (owner == "Tx" || owner == "T.tile") {
    words(items, "Tx");
    return true;
  }
  if ((owner.starts_with("Tx.") && is_scope(owner.substr(3))) ||
      (owner.starts_with("T.") && is_scope(owner.substr(2)))) {
    words(items, "Tx", true);
    return true;
  }
  if (owner.starts_with("T.") && intrinsics::is_namespace(owner.substr(2))) {
    instructions(items, owner.substr(2) + ".", target);
    return true;
  }
  return false;
}

int kind_of(const session::Symbol& s) {
  using session::SymbolKind;
  switch (s.kind) {
    case SymbolKind::Class: return kClass;
    case SymbolKind::Import: return kModule;
    case SymbolKind::Variable:
    case SymbolKind::Parameter: return kVariable;
    default: return kFunction;
  }
}

// What scripts define: names of an imported module, members of a class or of its instance.
void defined_members(Names& names, const Meaning& owner, Items& items, bool call) {
  names.members(owner, [&](const Meaning& m) {
    const session::Symbol& s = *m.symbol;
    if (s.name.empty() || s.name.starts_with('_')) return;
    bool in_class = class_around(m.script->symbols(), s);
    bool function = s.kind == session::SymbolKind::Function;
    items.add(std::string(s.name), in_class ? (function ? kMethod : kField) : kind_of(s), 1, "", "", call && function);
  });
}

// `from MODULE import ...`: false: the line is none.
bool imported_names(const Request& r, Names& names, Items& items, std::string_view line) {
  std::size_t begin = line.find_first_not_of(" \t"), at = line.find(" import ");
  if (begin == line.npos || at == line.npos || !line.substr(begin).starts_with("from ")) return false;
  std::string_view module = line.substr(begin + 5, at - begin - 5);
  int level = 0;
  while (module.starts_with(' ')) module.remove_prefix(1);
  for (; module.starts_with('.'); module.remove_prefix(1)) ++level;
  while (module.ends_with(' ')) module.remove_suffix(1);
  if (auto script = names.scripts().imported(*r.snapshot, module, level)) {
    defined_members(names, {script, nullptr}, items, false);
  } else if (module == "tvm.script" || module == "tvm") {
    items.add("tirx", kModule, 1);
  } else if (module == "tvm.script.tirx") {
    items.add("tile", kModule, 1);
  } else if (module.starts_with("tvm.") && module.ends_with("layout")) {
    for (const script::Word& w : script::vocabulary()) {
      if (w.space == "layout") items.add(std::string(w.name), kind_of(w.kind), 1, "", w.documentation);
    }
  }
  return true;
}

void names_in_sight(const Request& r, Items& items, std::uint32_t offset) {
  const session::SymbolIndex& index = r.snapshot->symbols();
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
    items.add(name, kFunction, 6);
  }
  for (const char* word :
       {"if",   "elif",  "else", "for",    "while", "with",  "def",  "return", "in",       "not",    "and",   "or",
        "True", "False", "None", "import", "from",  "class", "pass", "break",  "continue", "assert", "lambda"}) {
    items.add(word, kKeyword, 7);
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
      items.add(std::string(v.name), kValue, 1,
                "variant of " + std::string(primitive) + ", priority " + std::to_string(v.priority));
    }
  } else if (parameter == "scope" || parameter == "storage_scope") {
    for (const char* s : kScopes) items.add(s, kValue, 1);
  } else if (parameter == "dtype" || parameter == "type") {
    for (const char* d : kDtypes) items.add(d, kValue, 1);
  }
}

Answer<Json> completion(const Request& r, const protocol::PositionParams& p) {
  std::string_view text = r.snapshot->source().text();
  std::uint32_t offset = r.offset(p.position);
  Items items(*r.client);
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

  std::string function = call ? canonical(*r.snapshot, call->function, offset) : "";
  Names names(r, Names::Aliases::SameThing);
  auto found = call ? callables(names, r, call->function, offset) : std::vector<Callable>();
  if (call && call->in_string) {
    string_values(function, *call, found, items);
    return items.take();
  }
  if (begin > 0 && text[begin - 1] == '.') {
    std::uint32_t end = begin - 1, from = end;
    while (from > 0 && (letter(text[from - 1]) || text[from - 1] == '.')) --from;
    std::string_view owner = text.substr(from, end - from);
    if (owner.empty() || members(r, items, canonical(*r.snapshot, owner, offset))) return items.take();
    if (auto meaning = names.named(r.snapshot, owner, offset)) defined_members(names, *meaning, items, true);
    return items.take();
  }
  if (imported_names(r, names, items, line)) return items.take();
  if (call && call->keyword.empty()) {
    for (const Callable& c : found) {
      for (std::size_t i = call->argument; i < c.parameters.size(); ++i) {  // those before are given by their place
        const std::string& parameter = c.parameters[i];
        std::string name = parameter.substr(0, parameter.find_first_of(":="));
        if (name.starts_with('*') || std::ranges::find(call->given, name) != call->given.end()) continue;
        items.add(name + "=", kField, 0, parameter);
      }
    }
    bool primitive = function.starts_with("Tx.") || function.find(".tile.") != std::string::npos;
    if (primitive) {
      const ir::Primitive* row = ir::find_primitive(std::string_view(function).substr(function.rfind('.') + 1));
      for (const ir::PrimitiveKeyword& k : row ? std::span(row->keywords) : std::span<const ir::PrimitiveKeyword>()) {
        items.add(std::string(k.name) + "=", kField, 0, "option of its variants");
      }
    }
  }
  names_in_sight(r, items, offset);
  return items.take();
}

}  // namespace

void add_completion(Registry& registry) {
  registry.offer("completionProvider", {{"triggerCharacters", {".", "(", "\"", "'", ","}}});
  registry.on_document<protocol::PositionParams>("textDocument/completion", completion);
}

}  // namespace tilewright::lsp
