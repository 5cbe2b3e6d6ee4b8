#include "server/ide/completion.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <unordered_map>

#include "compiler/dispatch/variant.h"
#include "compiler/ir/primitive.h"
#include "compiler/script/homes.h"
#include "compiler/text/letters.h"
#include "server/ide/comments.h"
#include "server/ide/imports.h"
#include "server/ide/lines.h"
#include "server/ide/look.h"
#include "server/ide/members.h"
#include "server/ide/spelling.h"

namespace tilewright::ide {
namespace {

using Kind = Completion::Kind;

constexpr const char* kDtypes[] = {"float16",       "bfloat16",       "float32",   "float64",       "int8",
                                   "int16",         "int32",          "int64",     "uint8",         "uint16",
                                   "uint32",        "uint64",         "bool",      "float8_e4m3fn", "float8_e5m2",
                                   "float4_e2m1fn", "float8_e8m0fnu", "float16x2", "float32x2",     "handle"};
constexpr const char* kScopes[] = {"global", "shared", "shared.dyn", "local", "tmem"};

// `from MODULE import ...`, and the modules themselves. False: the line is none.
bool add_imports(Completions& out, const Query& q, Names& names, std::string_view line) {
  std::size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos) return false;
  line.remove_prefix(begin);
  const bool from = line.starts_with("from "), import = line.starts_with("import ");
  if (!from && !import) return false;
  std::size_t at = from ? line.find(" import ") : line.npos;
  if (at == line.npos) {
    std::string_view typed = line.substr(from ? 5 : 7);
    while (typed.starts_with(' ')) typed.remove_prefix(1);
    if (typed.starts_with('.')) return true;
    // A module is completed part by part.
    std::size_t dot = typed.rfind('.');
    std::string_view package = typed.substr(0, dot == typed.npos ? 0 : dot + 1);
    for (std::string_view module : known_modules()) {
      if (!module.starts_with(package) || module.size() == package.size()) continue;
      std::string_view rest = module.substr(package.size());
      out.add(std::string(rest.substr(0, rest.find('.'))), Kind::Module, 2);
    }
    return true;
  }
  std::string_view module = line.substr(5, at - 5);
  int level = 0;
  while (module.starts_with(' ')) module.remove_prefix(1);
  for (; module.starts_with('.'); module.remove_prefix(1)) ++level;
  while (module.ends_with(' ')) module.remove_suffix(1);
  const script::Surface& surface = q.snapshot->surface();
  if (auto script = names.scripts().imported(*q.snapshot, module, level)) {
    add_defined(out, names, {script, nullptr}, false);
  } else if (module == "tvm.script" || module == "tvm") {
    out.add("tirx", Kind::Module, 1);
  } else if (module == "tvm.script.tirx") {
    out.add("tile", Kind::Module, 1);
  } else if (module.starts_with("tvm.") && module.ends_with("layout")) {
    for (const script::Record* r : surface.names("layout")) {
      if (r->is_word()) out.add(std::string(r->name), completion_kind(r->kind), 1, "", r->documentation);
    }
  } else if (module.starts_with("tvm.tirx.lang.")) {
    for (const script::Record* r : surface.names("lang")) {
      if (!r->is_word() || script::prelude_module(r->name) != module) continue;
      out.add(std::string(r->name), completion_kind(r->kind), 1, "", r->documentation);
    }
  }
  return true;
}

// The scope that a name typed at `offset` would belong to: a line that is not indented as the body of a function is
// stands outside of it, however its text was read.
std::uint32_t scope_for(const session::SymbolIndex& index, std::string_view text, std::uint32_t offset) {
  std::uint32_t scope = index.scope_at(offset);
  const std::uint32_t begin = line_begin(text, offset);
  std::uint32_t indent = 0;
  while (begin + indent < offset && (text[begin + indent] == ' ' || text[begin + indent] == '\t')) ++indent;
  while (scope != 0) {
    const session::ScopeRange& s = index.scopes[scope];
    const bool block =
        s.node && (s.node->kind == syntax::NodeKind::FunctionDef || s.node->kind == syntax::NodeKind::ClassDef);
    const std::uint32_t head = line_begin(text, s.begin);
    if (!block || head == begin || !open_brackets(text, offset).open.empty()) break;
    std::uint32_t column = 0;
    while (text[head + column] == ' ' || text[head + column] == '\t') ++column;
    if (indent > column) break;
    scope = s.parent;
  }
  return scope;
}

// Names that a bare word could be, those of the innermost scope first. What is bound only behind the place comes later;
// of a class only its own body sees the names. `buffers`: a buffer is wanted.
void add_names(Completions& out, const Query& q, Names& names, std::uint32_t offset, bool buffers) {
  const session::SymbolIndex& index = q.snapshot->symbols();
  const std::uint32_t innermost = scope_for(index, q.snapshot->source().text(), offset);
  int rank = 1;
  for (std::uint32_t scope = innermost;; scope = index.scopes[scope].parent) {
    const session::ScopeRange& range = index.scopes[scope];
    const bool is_class = range.node && range.node->kind == syntax::NodeKind::ClassDef;
    for (const session::Symbol& s : index.symbols) {
      if (s.scope != scope || (is_class && scope != innermost)) continue;
      // A name that is being typed may be empty yet, or occurs nowhere else.
      if (s.kind == session::SymbolKind::Builtin || s.kind == session::SymbolKind::Field || s.name.empty()) continue;
      const session::Occurrence* made = defining(index, s);
      const bool typed = s.occurrences.size() == 1 && made && made->begin <= offset && offset <= made->end;
      if (typed) continue;
      const bool later = scope == innermost && made && made->begin > offset;
      const bool wanted = buffers && names.is_buffer(q.snapshot, s.name, offset);
      Completion c{std::string(s.name),
                   completion_kind(s),
                   wanted ? 0 : later ? 4 : rank,
                   "",
                   {},
                   false,
                   0,
                   {},
                   {},
                   nullptr,
                   0,
                   {}};
      c.call = s.kind == session::SymbolKind::Function;
      c.uses = static_cast<std::uint32_t>(s.occurrences.size());
      if ((c.call || s.kind == session::SymbolKind::Class || s.kind == session::SymbolKind::Kernel) && made) {
        c.script = q.snapshot;
        c.defined = made->begin;
      }
      out.add(std::move(c));
    }
    if (scope == 0) break;
    rank = std::min(rank + 1, 3);
  }
  for (const char* name : {"range", "len", "min", "max", "int", "float", "tuple", "list", "dict", "enumerate", "zip",
                           "sum", "abs", "isinstance", "print"}) {
    out.add(name, Kind::Function, 6);
  }
  for (const char* word :
       {"if",   "elif",  "else", "for",    "while", "with",  "def",  "return", "in",       "not",    "and",   "or",
        "True", "False", "None", "import", "from",  "class", "pass", "break",  "continue", "assert", "lambda"}) {
    out.add(word, Kind::Keyword, 7);
  }
}

// The parameter that the cursor gives a value to; empty: not known.
std::string parameter_at(const OpenCall& call, const std::vector<Callable>& found) {
  if (!call.keyword.empty()) return call.keyword;
  if (found.empty() || call.argument >= found[0].parameters.size()) return {};
  std::string_view p = found[0].parameters[call.argument];
  return std::string(p.substr(0, p.find_first_of(":=")));
}

// Inside of a string: what the argument that it stands for could be.
void add_strings(Completions& out, const std::string& function, const std::string& parameter, text::Dialect release) {
  if (parameter == "dispatch") {
    std::string_view primitive = std::string_view(function).substr(function.rfind('.') + 1);
    const ir::Primitive* row = ir::find_primitive(primitive, release);
    for (const dispatch::Variant& v :
         row ? dispatch::variants_of(row->name, release) : std::span<const dispatch::Variant>()) {
      out.add(std::string(v.name), Kind::Value, 1,
              "variant of " + std::string(primitive) + ", priority " + std::to_string(v.priority));
    }
  } else if (parameter == "scope" || parameter == "storage_scope") {
    for (const char* s : kScopes) out.add(s, Kind::Value, 1);
  } else if (parameter == "dtype" || parameter == "type") {
    for (const char* d : kDtypes) out.add(d, Kind::Value, 1);
  }
}

bool is_primitive_call(std::string_view function) {
  return function.starts_with("Tx.") || function.find(".tile.") != std::string_view::npos;
}

// Keywords of the call that are not given yet.
void add_keywords(Completions& out, const std::string& function, const OpenCall& call,
                  const std::vector<Callable>& found, text::Dialect release) {
  auto given = [&](const std::string& name) { return std::ranges::find(call.given, name) != call.given.end(); };
  for (const Callable& c : found) {
    for (std::size_t i = call.argument; i < c.parameters.size(); ++i) {  // those before are given by their place
      const std::string& parameter = c.parameters[i];
      std::string name = parameter.substr(0, parameter.find_first_of(":="));
      if (name.starts_with('*') || name.starts_with('.') || given(name)) continue;
      out.add(name + "=", Kind::Field, 0, parameter);
    }
  }
  if (function == "tirx.cuda.tile.apply") {  // what any instruction of it reads
    for (const ir::Primitive& row : ir::primitives()) {
      for (const ir::PrimitiveKeyword& k : row.keywords) {
        const bool own = row.name.starts_with("apply") && k.name != "instruction" && !given(std::string(k.name));
        if (own)
          out.add(std::string(k.name) + "=", Kind::Field, 0, std::string(k.name) + "=" + std::string(k.fallback),
                  k.words);
      }
    }
    return;
  }
  if (!is_primitive_call(function)) return;
  const ir::Primitive* row = ir::find_primitive(std::string_view(function).substr(function.rfind('.') + 1), release);
  for (const ir::PrimitiveKeyword& k : row ? std::span(row->keywords) : std::span<const ir::PrimitiveKeyword>()) {
    if (given(std::string(k.name))) continue;
    std::string label = std::string(k.name) + "=", readers;
    for (std::string_view variant : dispatch::readers_of(row->name, k.name, release)) {
      readers.append(readers.empty() ? "  for " : ", ").append(variant);
    }
    if (readers.empty()) continue;  // a keyword of another release
    out.add(label, Kind::Field, 0, label + std::string(k.fallback) + readers, k.words);
  }
}

}  // namespace

void Completions::count_uses(std::string_view text, std::string_view owner) {
  std::unordered_map<std::string_view, std::uint32_t> uses;
  for (std::size_t at = text.find(owner); at != text.npos; at = text.find(owner, at + owner.size())) {
    if (at && (text::is_name_byte(text[at - 1]) || text[at - 1] == '.')) continue;
    std::size_t begin = at + owner.size();
    if (begin >= text.size() || text[begin] != '.') continue;
    std::size_t end = ++begin;
    while (end < text.size() && text::is_name_byte(text[end])) ++end;
    if (end > begin) ++uses[text.substr(begin, end - begin)];
  }
  if (uses.empty()) return;
  for (Completion& c : out_) {
    if (auto it = uses.find(c.label); it != uses.end()) c.uses = it->second;
  }
}

std::vector<Completion> Completions::take() {
  std::vector<std::uint32_t> order(out_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const Completion &x = out_[a], &y = out_[b];
    if (x.rank != y.rank) return x.rank < y.rank;
    if (x.uses != y.uses) return x.uses > y.uses;
    return x.label < y.label;
  });
  std::vector<Completion> sorted;
  sorted.reserve(out_.size());
  for (std::uint32_t i : order) sorted.push_back(std::move(out_[i]));
  seen_.clear();
  out_.clear();
  return sorted;
}

std::vector<Completion> completions(const Query& q, std::uint32_t offset) {
  std::string_view text = q.snapshot->source().text();
  const text::Dialect release = q.snapshot->surface().dialect();
  Completions out;
  std::uint32_t begin = offset;
  while (begin > 0 && text::is_name_byte(text[begin - 1])) --begin;
  const Brackets brackets = open_brackets(text, offset);
  std::string_view line = text.substr(line_begin(text, offset), offset - line_begin(text, offset));
  if (brackets.in_comment) {
    add_comment_words(out, q, line, offset);
    return out.take();
  }
  auto call = open_call(text, offset, brackets);
  Names names(q, Names::Aliases::SameThing);
  if (brackets.quote) {
    if (!call) return out.take();
    auto found = callables(names, q, call->function, offset);
    add_strings(out, canonical(*q.snapshot, call->function, offset), parameter_at(*call, found), release);
    return out.take();
  }
  if (add_imports(out, q, names, line)) return out.take();
  if (begin > 0 && text[begin - 1] == '.') {
    add_members(out, q, names, owner_before(text, begin - 1), offset);
    return out.take();
  }
  q.snapshot->symbols();  // add_names() needs all of them; what is asked of names until then reads them, too
  std::string function;
  bool buffers = false;
  if (call) {
    function = canonical(*q.snapshot, call->function, offset);
    auto found = callables_of_made(names, q, *call, offset);
    if (call->keyword.empty()) add_keywords(out, function, *call, found, release);
    if (is_primitive_call(function)) {
      const std::string parameter = parameter_at(*call, found);
      const ir::Primitive* row =
          ir::find_primitive(std::string_view(function).substr(function.rfind('.') + 1), release);
      std::size_t i = row ? row->find_operand(parameter) : 0;
      buffers = row && i < row->operands.size() && row->operands[i].kind == ir::OperandKind::Region;
    }
  }
  add_names(out, q, names, offset, buffers);
  return out.take();
}

std::string_view documentation_of_instruction(std::string_view id) {
  const intrinsics::Intrinsic* row = intrinsics::row_of_id(id);
  return row ? row->documentation : std::string_view();
}

std::string documentation(const session::Snapshot& script, std::uint32_t defined) {
  Found found = look(*script.tree(), defined);
  for (std::size_t up = 0; const syntax::Node* node = found.above(up); ++up) {
    auto* function = syntax::as<syntax::FunctionDef>(node);
    auto* type = syntax::as<syntax::ClassDef>(node);
    if (!function && !type) continue;
    const syntax::Extent name = function ? function->name.at : type->name.at;
    if (found.statement->offset + name.begin != defined) return {};
    syntax::Stmts body = function ? function->body : type->body;
    return docstring(body);
  }
  return {};
}

}  // namespace tilewright::ide
