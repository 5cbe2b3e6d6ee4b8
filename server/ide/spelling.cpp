#include "server/ide/spelling.h"

#include <algorithm>

#include "compiler/text/letters.h"
#include "server/ide/instructions.h"

namespace tilewright::ide {
namespace {

using namespace syntax;

// Without the spaces, line ends and backslashes around it.
std::string_view stripped(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\\";
  std::size_t begin = text.find_first_not_of(kSpace);
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// "a, b=1, *c" -> the parts.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  int depth = 0;
  std::string part;
  bool quoted = false;
  for (char c : text) {
    if (c == '\'') quoted = !quoted;
    if (!quoted) depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ',' && depth == 0 && !quoted) {
      out.push_back(std::exchange(part, {}));
    } else if (c != ' ' || !part.empty()) {
      part += c;
    }
  }
  if (!part.empty()) out.push_back(std::move(part));
  return out;
}

std::string text_of(const session::Snapshot& s, const Tree::Statement& statement, const Node* n) {
  return std::string(s.source().text().substr(statement.offset + n->at.begin, n->at.end - n->at.begin));
}

Callable of_function(const session::Snapshot& s, const session::Symbol& symbol, const FunctionDef& f) {
  const Tree::Statement& statement = s.tree()->statements()[symbol.statement];
  Callable c;
  c.name = f.name.text;
  c.parameters = written_parameters(f.params, 0, true, [&](const Node* n) { return text_of(s, statement, n); });
  for (const Parameter& p : f.params) c.variadic = c.variadic || p.kind == ParamKind::VarArgs;
  if (f.returns) c.returns = text_of(s, statement, f.returns);
  if (!f.body.empty()) {
    if (auto* e = as<ExprStmt>(f.body.front())) {
      if (auto* doc = as<StringLit>(e->value)) c.documentation = doc->value;
    }
  }
  return c;
}

// A function or a class of this script.
void add_symbol(std::vector<Callable>& out, const session::Snapshot& snapshot, const session::Symbol& s) {
  if (auto* f = as<FunctionDef>(s.node); f && s.kind != session::SymbolKind::Parameter) {
    out.push_back(of_function(snapshot, s, *f));
  } else if (auto* c = as<ClassDef>(s.node)) {
    Callable made{std::string(c->name.text), "", {}, "", false};
    for (const Node* n : c->body) {  // __init__ without self, else the fields of a dataclass
      if (auto* init = as<FunctionDef>(n); init && init->name.text == "__init__") {
        made.parameters = of_function(snapshot, s, *init).parameters;
        if (!made.parameters.empty()) made.parameters.erase(made.parameters.begin());
        break;
      }
      auto* a = as<AnnAssign>(n);
      auto* field = a ? as<NameRef>(a->target) : nullptr;
      if (field) made.parameters.push_back(std::string(field->name.text) + (a->value ? "=..." : ""));
    }
    out.push_back(std::move(made));
  }
}

}  // namespace

// Does an import bind the module to this name?
static bool binds_module(const Node* import, std::string_view bound, std::string_view path) {
  auto is_bound = [&](std::string_view module, const ImportedName& n) {
    return n.bound.text == bound &&
           (module.empty() ? std::string(n.name) : std::string(module) + "." + std::string(n.name)) == path;
  };
  if (auto* from = as<ImportFrom>(import)) {
    return from->level == 0 && std::ranges::any_of(from->names, [&](auto& n) { return is_bound(from->module, n); });
  }
  auto* plain = as<Import>(import);
  return plain && std::ranges::any_of(plain->names, [&](auto& n) { return is_bound({}, n); });
}

// The same for `T` of tvm_tirx, whose own names are those of the spaces "tirx" and "tirx.cuda".
static std::string of_package(const script::Surface& surface, const std::string& rest) {
  constexpr std::string_view kCuda = ".cuda";
  if (rest.empty() || rest == kCuda) return "tirx" + rest;
  const std::size_t dot = rest.rfind('.');
  const script::Record* own = surface.find("tirx" + rest.substr(0, dot), rest.substr(dot + 1));
  return (own && own->space.starts_with("tirx") ? "tirx" : "T") + rest;
}

std::vector<std::string> written_parameters(std::span<const Parameter> parameters, std::size_t first, bool typed,
                                            const std::function<std::string(const Node*)>& text_of) {
  std::vector<std::string> out;
  bool by_place = true;  // no star so far, after which a keyword names each
  for (const Parameter& p : parameters.subspan(std::min(first, parameters.size()))) {
    if (p.kind == ParamKind::KeywordOnly && by_place) out.emplace_back("*");
    by_place = by_place && p.kind < ParamKind::VarArgs;
    std::string one = p.kind == ParamKind::VarArgs ? "*" : p.kind == ParamKind::VarKeywords ? "**" : "";
    one += p.name.text;
    const bool annotated = typed && p.annotation;
    if (annotated) one += ": " + text_of(p.annotation);
    const std::string value = p.default_value ? text_of(p.default_value) : std::string();
    if (!value.empty()) one += (annotated ? " = " : "=") + value;
    out.push_back(std::move(one));
  }
  return out;
}

std::string canonical(const session::Snapshot& snapshot, std::string_view dotted, std::uint32_t offset) {
  std::size_t dot = dotted.find('.');
  std::string_view first = dotted.substr(0, dot);
  std::string rest = dot == std::string_view::npos ? "" : std::string(dotted.substr(dot));
  const auto s = snapshot.meaning(first, offset);
  if (!s || s->kind != session::SymbolKind::Import) return std::string(dotted);  // T and Tx need no import
  // The traced library's own names are those of the space "txl", instructions and functions of CUDA those of `T`.
  if (binds_module(s->node, first, "tirx_kernels.tirx_lite")) {
    const bool of_t = rest.starts_with(".ptx") || rest.starts_with(".cuda");
    return (of_t ? "T" : "txl") + rest;
  }
  if (auto* from = as<ImportFrom>(s->node); from && from->level == 0 && from->module == "tirx_kernels.tirx_lite") {
    for (const ImportedName& n : from->names) {
      if (n.bound.text != first) continue;
      return (n.name == "ptx" || n.name == "cuda" ? "T." : "txl.") + std::string(n.name) + rest;
    }
  }
  if (binds_module(s->node, first, "tvm_tirx.script.tirx")) return of_package(snapshot.surface(), rest);
  auto* from = as<ImportFrom>(s->node);
  if (!from || from->level != 0 || !(from->module == "tvm" || from->module.starts_with("tvm.")))
    return std::string(dotted);
  for (const ImportedName& n : from->names) {
    if (n.bound.text != first) continue;
    if (n.name == "tirx" || n.name == "tir") return "T" + rest;
    if (n.name == "tile") return "Tx" + rest;
    if (from->module.ends_with("layout") || from->module.find("tma_utils") != std::string_view::npos) {
      return "layout." + std::string(n.name) + rest;
    }
    return "T." + std::string(n.name) + rest;  // the prelude's names are found in T, too
  }
  return std::string(dotted);
}

std::vector<Callable> callables(const session::Snapshot& snapshot, std::string_view name, std::uint32_t offset) {
  std::vector<Callable> out;
  auto add_word = [&](std::string_view space, std::string_view last) {
    const script::Record* w = snapshot.surface().find(space, last);
    if (!w || !w->is_word() || w->signature.empty()) return;
    Callable c{std::string(name), w->documentation, split(w->signature), "", false};
    if (w->kind == script::NameKind::Primitive) c.parameters.push_back("dispatch=None");
    for (const std::string& p : c.parameters)
      c.variadic = c.variadic || (p.size() > 1 && p.starts_with('*') && !p.starts_with("**"));
    out.push_back(std::move(c));
  };
  std::size_t dot = name.rfind('.');
  std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  if (name.starts_with("T.")) {
    std::string_view path = name.substr(2);
    if (const auto chain = instruction_chain(snapshot.surface().dialect(), name))
      return instruction_callables(name, *chain);
    if (name.starts_with("T.ptx.")) add_word("T.ptx", last);
    for (const intrinsics::Named& form : intrinsics::forms(snapshot.surface().dialect(), path)) {
      out.push_back({std::string(name), form.row->documentation, split(form.row->signature), "", false});
    }
    if (out.empty() && dot == 1) add_word("T", last);
    if (out.empty()) add_word("layout", last);
    for (std::string_view scope :
         {"T.warp.", "T.wg.", "T.warpgroup.", "T.cta.", "T.cluster.", "T.thread.", "T.tile."}) {
      if (out.empty() && name.starts_with(scope)) add_word("Tx", last);
    }
    return out;
  }
  if (name.starts_with("Tx.")) add_word("Tx", last);
  if (name.starts_with("txl.") || name.starts_with("tirx.")) add_word(name.substr(0, dot), last);
  if (name.starts_with("layout.")) add_word("layout", last);
  if (!out.empty() || dot != std::string_view::npos) return out;
  const auto s = snapshot.meaning(name, offset);
  if (s) add_symbol(out, snapshot, *s);
  return out;
}

std::vector<Callable> callables(Names& names, const Query& q, std::string_view dotted, std::uint32_t offset) {
  std::vector<Callable> out = callables(*q.snapshot, canonical(*q.snapshot, dotted, offset), offset);
  if (!out.empty()) return out;
  auto meaning = names.named(q.snapshot, dotted, offset);
  if (!meaning || !meaning->symbol) return out;
  // A class without an __init__ of its own is made by that of a class that it inherits from.
  if (meaning->symbol->kind == session::SymbolKind::Class) {
    auto init = names.named(q.snapshot, std::string(dotted) + ".__init__", offset);
    if (init && init->symbol) meaning = init;
  }
  add_symbol(out, *meaning->script, *meaning->symbol);
  auto* f = as<FunctionDef>(meaning->symbol->node);
  bool method = f && class_around(meaning->script->symbols(), *meaning->symbol) &&
                std::ranges::none_of(f->decorators, [](const Node* d) {
                  auto* name = as<NameRef>(d);
                  return name && name->name.text == "staticmethod";
                });
  if (method && !out.empty() && !out[0].parameters.empty()) out[0].parameters.erase(out[0].parameters.begin());
  return out;
}

// Forward from the last line that starts in the first column: strings and comments are only seen that way.
Brackets open_brackets(std::string_view text, std::uint32_t offset) {
  Brackets out;
  std::size_t start = std::min<std::size_t>(offset, text.size());
  while (start > 0) {
    std::size_t line = text.rfind('\n', start - 1);
    start = line == std::string_view::npos ? 0 : line + 1;
    bool inside = start < text.size() && (text[start] == ' ' || text[start] == '\t' || text[start] == ')' ||
                                          text[start] == ']' || text[start] == '\n' || text[start] == '\r');
    if (start == 0 || !inside || offset - start > 20'000) break;
    start = line == std::string_view::npos ? 0 : line;
  }
  std::vector<Bracket>& open = out.open;
  char& quote = out.quote;
  bool triple = false;
  for (std::size_t i = start; i < offset && i < text.size(); ++i) {
    char c = text[i];
    if (quote) {
      if (c == '\\') {
        ++i;
      } else if (triple ? text.substr(i, 3) == std::string(3, quote) : c == quote || c == '\n') {
        if (triple) i += 2;
        quote = 0;
      }
      continue;
    }
    if (c == '#') {
      std::size_t end = text.find('\n', i);
      if (end == std::string_view::npos || end >= offset) {
        out.in_comment = true;
        return out;
      }
      i = end - 1;
      continue;
    }
    if (c == '"' || c == '\'') {
      quote = c;
      triple = text.substr(i, 3) == std::string(3, c);
      if (triple) i += 2;
    } else if (c == '(' || c == '[' || c == '{') {
      open.push_back({c, i, 0, i + 1});
    } else if (c == ')' || c == ']' || c == '}') {
      if (!open.empty()) open.pop_back();
    } else if (c == ',' && !open.empty()) {
      ++open.back().commas;
      open.back().argument_begin = i + 1;
    } else if (c == '=' && !open.empty() && (i + 1 == text.size() || text[i + 1] != '=')) {
      std::string_view key = stripped(text.substr(open.back().argument_begin, i - open.back().argument_begin));
      if (!key.empty() && std::ranges::all_of(key, text::is_name_byte)) open.back().keywords.emplace_back(key);
    }
  }
  return out;
}

std::optional<OpenCall> open_call(std::string_view text, std::uint32_t offset) {
  return open_call(text, offset, open_brackets(text, offset));
}

std::optional<OpenCall> open_call(std::string_view text, std::uint32_t offset, const Brackets& brackets) {
  if (brackets.in_comment) return std::nullopt;
  for (std::size_t at = brackets.open.size(); at-- > 0;) {
    const Bracket& b = brackets.open[at];
    if (b.kind != '(') continue;
    std::size_t end = b.at, begin = end;
    while (begin > 0 && (text::is_name_byte(text[begin - 1]) || text[begin - 1] == '.')) --begin;
    if (begin == end) continue;  // parentheses around an expression
    std::size_t before = begin;
    while (before > 0 && text[before - 1] == ' ') --before;
    if (before >= 3 && text.substr(before - 3, 3) == "def") return std::nullopt;
    OpenCall call;
    call.function = text.substr(begin, end - begin);
    call.begin = static_cast<std::uint32_t>(begin);
    call.argument = b.commas;
    call.given = b.keywords;
    call.in_string = brackets.quote != 0;
    std::string_view argument = text.substr(b.argument_begin, offset - b.argument_begin);
    if (std::size_t equal = argument.find('='); equal != std::string_view::npos && !call.given.empty() &&
                                                (equal + 1 >= argument.size() || argument[equal + 1] != '=')) {
      std::string_view key = stripped(argument.substr(0, equal));
      if (key == call.given.back()) call.keyword = key;
    }
    return call;
  }
  return std::nullopt;
}

}  // namespace tilewright::ide
