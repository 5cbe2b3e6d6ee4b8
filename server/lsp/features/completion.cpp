// textDocument/completion: members of T, Tx, T.ptx and the layout algebra, names in sight, keyword arguments, dtypes,
// memory scopes, architectures and variants inside of strings.
#include <algorithm>
#include <set>

#include "compiler/dispatch/variant.h"
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
  // A script that was imported as a module.
  const session::SymbolIndex& index = r.snapshot->symbols();
  const session::Symbol* s = index.lookup(owner, 0);
  auto* import = s ? syntax::as<syntax::Import>(s->node) : nullptr;
  if (!import) return false;
  for (const syntax::ImportedName& n : import->names) {
    auto tree = n.bound.text == owner ? r.snapshot->import(n.name, 0) : nullptr;
    if (!tree) continue;
    session::SymbolIndex theirs = session::index_symbols(tree);
    for (const session::Symbol& symbol : theirs.symbols) {
      if (symbol.scope != 0 || symbol.kind == session::SymbolKind::Builtin || symbol.name.starts_with('_')) continue;
      bool function = symbol.kind == session::SymbolKind::Function;
      items.add(std::string(symbol.name), function ? kFunction : kVariable, 1, "", "", function);
    }
    return true;
  }
  return false;
}

void names_in_sight(const Request& r, Items& items, std::uint32_t offset) {
  const session::SymbolIndex& index = r.snapshot->symbols();
  int rank = 1;
  for (std::uint32_t scope = index.scope_at(offset);; scope = index.scopes[scope].parent) {
    for (const session::Symbol& s : index.symbols) {
      if (s.scope != scope || s.kind == session::SymbolKind::Builtin) continue;
      using session::SymbolKind;
      int kind = s.kind == SymbolKind::Class                                         ? kClass
                 : s.kind == SymbolKind::Import                                      ? kModule
                 : s.kind == SymbolKind::Variable || s.kind == SymbolKind::Parameter ? kVariable
                                                                                     : kFunction;
      items.add(std::string(s.name), kind, rank, "", "", s.kind == SymbolKind::Function);
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
  auto found = call ? callables(*r.snapshot, function, offset) : std::vector<Callable>();
  if (call && call->in_string) {
    string_values(function, *call, found, items);
    return items.take();
  }
  if (begin > 0 && text[begin - 1] == '.') {
    std::uint32_t end = begin - 1, from = end;
    while (from > 0 && (letter(text[from - 1]) || text[from - 1] == '.')) --from;
    if (from < end) members(r, items, canonical(*r.snapshot, text.substr(from, end - from), offset));
    return items.take();
  }
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
      for (std::string_view key : dispatch::options_of(std::string_view(function).substr(function.rfind('.') + 1))) {
        items.add(std::string(key) + "=", kField, 0, "option of its variants");
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
