#include "server/ide/members.h"

#include <algorithm>
#include <cctype>

#include "compiler/ir/printer.h"
#include "compiler/text/letters.h"
#include "server/ide/instructions.h"
#include "server/ide/look.h"
#include "server/ide/spelling.h"

namespace tilewright::ide {
namespace {

using namespace syntax;
using script::NameKind;
using script::Value;
using Kind = Completion::Kind;

constexpr std::size_t kDetailLetters = 80;
constexpr std::uint32_t kNear = 12'000;   // bytes to either side
constexpr std::uint32_t kMostLines = 60;  // of one statement behind the cursor

// ---- of the language ------------------------------------------------------------------------------------------------

// The next part of each instruction below `prefix` ("ptx.mbarrier.").
void add_instructions(Completions& out, std::string_view prefix, text::Dialect release, ir::Target target) {
  for (const intrinsics::Named& named : intrinsics::names(release)) {
    if (!named.name.starts_with(prefix)) continue;
    const intrinsics::Intrinsic& row = *named.row;
    std::string_view rest = named.name.substr(prefix.size());
    std::size_t dot = rest.find('.');
    if (rest.empty()) continue;
    if (dot != std::string_view::npos) {
      out.add(std::string(rest.substr(0, dot)), Kind::Module, 2);
      continue;
    }
    bool there = intrinsics::available(row.availability, target);
    std::string detail;
    detail.reserve(row.signature.size() + 2);
    detail.append("(").append(row.signature).append(")");
    if (!there) detail.append("  needs ").append(intrinsics::availability_name(row.availability));
    out.add(Completion{std::string(rest),
                       Kind::Function,
                       there ? 1 : 3,
                       std::move(detail),
                       row.documentation,
                       true,
                       0,
                       {},
                       row.id,
                       nullptr,
                       0,
                       {}});
  }
}

bool is_scope(std::string_view name) {
  return name == "warp" || name == "wg" || name == "warpgroup" || name == "cta" || name == "cluster" ||
         name == "thread";
}

// False: the owner is not known.
bool add_of_language(Completions& out, const Query& q, const std::string& owner, bool decorates) {
  const script::Surface& surface = q.snapshot->surface();
  ir::Target target;
  for (const std::string& name : session::named_architectures(*q.snapshot->tree())) {
    if (auto t = ir::parse_target(name)) target = *t;
  }
  if (owner == "T") {
    if (decorates) {
      for (const script::Record* r : surface.names("T")) {
        if (r->kind != NameKind::Decorator || !r->is_word()) continue;
        out.add(Completion{
            std::string(r->name), Kind::Function, 0, "", r->documentation, false, 0, "T", {}, nullptr, 0, {}});
      }
    }
    add_words(out, surface, "T");
    add_instructions(out, "", surface.dialect(), target);
    return true;
  }
  if (owner == "txl" || owner == "txl.idioms" || owner == "tirx" || owner == "tirx.cuda.tile") {
    add_words(out, surface, owner);
    return true;
  }
  if (owner == "tirx.cuda") {
    add_words(out, surface, owner);
    add_instructions(out, "cuda.", surface.dialect(), target);
    return true;
  }
  if (owner == "Tx" || owner == "T.tile") {
    add_words(out, surface, "Tx");
    return true;
  }
  if ((owner.starts_with("Tx.") && is_scope(owner.substr(3))) ||
      (owner.starts_with("T.") && is_scope(owner.substr(2))) ||
      (owner.starts_with("T.tile.") && is_scope(owner.substr(7)))) {
    add_words(out, surface, "Tx", true);
    return true;
  }
  if (owner == "T.ptx" && surface.dialect() >= text::Dialect::V0_27) {
    add_words(out, surface, owner);
    return true;
  }
  if (const auto chain = instruction_chain(surface.dialect(), owner)) {
    add_words(out, *chain);
    return true;
  }
  if (owner.starts_with("T.") && intrinsics::is_namespace(surface.dialect(), std::string_view(owner).substr(2))) {
    add_instructions(out, owner.substr(2) + ".", surface.dialect(), target);
    return true;
  }
  return false;
}

// ---- of values ------------------------------------------------------------------------------------------------------

// "int", "float16 (128, 64) shared", "TMABar": what a member is, in a few words.
std::string value_words(script::Interpreter& in, Value v) {
  std::string out;
  if (auto* b = v.as<script::BufferValue>()) {
    out = ir::dtype_name(b->buffer->dtype) + " (";
    for (std::size_t i = 0; i < b->buffer->shape.size(); ++i) {
      out += (i ? ", " : "") + ir::to_string(b->buffer->shape[i]);
    }
    out += ") " + std::string(ir::storage_scope_name(b->buffer->scope));
  } else if (auto* i = v.as<script::Instance>()) {
    out = i->cls->name;
  } else if (v.is_expr()) {
    out = ir::dtype_name(v.as_expr().dtype());
  } else if (v.is_int() || v.is_float() || v.is_bool() || v.is_none() || v.as<script::Str>()) {
    out = in.repr(v);
  } else if (!v.is_opaque() && !v.is_poison()) {
    out = script::type_name(v);
  }
  if (out.size() > kDetailLetters) out.resize(kDetailLetters);
  return out;
}

// "stage", "phase=0" of a method: without the instance where it is bound.
std::vector<std::string> method_parameters(const FunctionDef& f, std::string_view text, bool bound) {
  return written_parameters(f.params, bound ? 1 : 0, false, [&](const Node* n) {
    return std::string(n->at.end <= text.size() ? text.substr(n->at.begin, n->at.end - n->at.begin) : "");
  });
}

// "(stage, phase)"
std::string signature_of(const FunctionDef& f, std::string_view text, bool bound) {
  std::string out = "(";
  for (const std::string& p : method_parameters(f, text, bound)) out += (out.size() > 1 ? ", " : "") + p;
  return out + ")";
}

bool is_private(std::string_view name) { return name.empty() || name.starts_with('_'); }

void add_of_class(Completions& out, script::Interpreter& in, script::Class& cls, bool instance) {
  for (script::Class* c : cls.mro) {
    if (!c->scope) continue;
    for (const script::Scope::Binding& b : c->scope->bindings) {
      if (is_private(b.name)) continue;
      Value v = b.value;
      bool bound = instance;
      if (auto* s = v.as<script::StaticMethod>()) {
        v = s->function;
        bound = false;
      }
      if (auto* m = v.as<script::ClassMethod>()) {
        v = m->function;
        bound = true;
      }
      Completion made{std::string(b.name), Kind::Field, 1, "", {}, false, 0, {}, {}, nullptr, 0, {}};
      if (auto* f = v.as<script::Function>()) {
        made.kind = Kind::Method;
        made.call = true;
        made.detail = signature_of(*f->def, f->keep ? std::string_view(f->keep->text) : std::string_view(), bound);
        made.words = docstring(f->def->body);
      } else if (!v.as<script::Property>()) {
        made.detail = value_words(in, v);
      }
      out.add(std::move(made));
    }
  }
}

// What objects of the language have, by the surface's records.
std::string_view space_of(Value v) {
  if (v.as<script::BufferValue>()) return "buffer";
  if (v.as<script::LayoutValue>() || v.as<script::LayoutSpec>()) return "Layout";
  if (v.as<script::AxisValue>()) return "axis";
  if (v.as<script::IterValue>()) return "Iter";
  return {};
}

// Methods of Python's own types, as the evaluator knows them, separated by spaces.
std::string_view python_methods(Value v) {
  if (v.as<script::Str>()) {
    return "capitalize count endswith find format index isdigit join lower lstrip replace rsplit rstrip split "
           "startswith strip title upper zfill";
  }
  if (v.as<script::List>()) return "append clear copy count extend index insert pop remove reverse sort";
  if (v.as<script::Tuple>()) return "count index";
  if (v.as<script::Dict>()) return "copy get items keys pop setdefault update values";
  if (v.as<script::Set>()) return "add copy difference discard intersection issubset remove union update";
  return {};
}

// False: nothing is known of such a value.
bool add_of_value(Completions& out, script::Interpreter& in, Value v) {
  if (auto* meta = v.as<script::MetaVar>()) v = meta->value;
  if (std::string_view space = space_of(v); !space.empty()) {
    add_words(out, in.surface(), space);
    return true;
  }
  if (auto* i = v.as<script::Instance>()) {
    // Its own attributes first; fields of a dataclass stand in their order.
    for (auto& [name, value] : i->attributes) {
      if (is_private(name)) continue;
      out.add(Completion{name, Kind::Field, 1, value_words(in, value), {}, false, 0, {}, {}, nullptr, 0, {}});
    }
    add_of_class(out, in, *i->cls, true);
    return true;
  }
  if (auto* cls = v.as<script::Class>()) {
    add_of_class(out, in, *cls, false);
    return true;
  }
  if (auto* region = v.as<script::RegionValue>()) {
    out.add("buffer", Kind::Field, 1, value_words(in, in.buffer_value(region->region.buffer)));
    out.add("region", Kind::Field, 1);
    out.add("dtype", Kind::Field, 1, "'" + ir::dtype_name(region->region.buffer->dtype) + "'");
    return true;
  }
  if (v.is_expr()) {
    out.add("dtype", Kind::Field, 1, "'" + ir::dtype_name(v.as_expr().dtype()) + "'", "The dtype of the expression.");
    out.add("astype", Kind::Method, 1, "(dtype)", "The value, cast to another dtype.", true);
    return true;
  }
  if (v.as<script::Jit>()) {
    out.add("specialize", Kind::Method, 1, "(**parameters)", "The kernel for these values of its parameters.", true);
    return true;
  }
  if (std::string_view methods = python_methods(v); !methods.empty()) {
    while (!methods.empty()) {
      std::size_t end = std::min(methods.find(' '), methods.size());
      out.add(std::string(methods.substr(0, end)), Kind::Method, 1, "", {}, true);
      methods.remove_prefix(std::min(end + 1, methods.size()));
    }
    return true;
  }
  if (auto* space = v.as<script::Namespace>()) {
    if (space->scope) {
      for (const script::Scope::Binding& b : space->scope->bindings) {
        if (!is_private(b.name)) out.add(std::string(b.name), Kind::Variable, 1, value_words(in, b.value));
      }
      return true;
    }
    std::string_view path = space->path;
    if (const auto chain = instruction_chain(in.dialect(), path)) {
      add_words(out, *chain);
      return true;
    }
    if (path.starts_with("T.") && intrinsics::is_namespace(in.dialect(), path.substr(2))) {
      add_instructions(out, std::string(path.substr(2)) + ".", in.dialect(), in.target());
      return true;
    }
    if (space->space.empty()) return false;
    add_words(out, in.surface(), space->space, space->scope_kind >= 0);
    return true;
  }
  return false;
}

// ---- the copy that is evaluated -------------------------------------------------------------------------------------

// Where the statement that holds the cursor begins and ends, as far as brackets tell; and how it begins.
struct Typed {
  std::uint32_t begin = 0, end = 0;  // of whole lines
  std::string_view indent, first_word;
  bool opens_block = false;
};
Typed typed_statement(std::string_view text, std::uint32_t offset) {
  Typed out;
  auto line_begin = [&](std::uint32_t at) {
    std::size_t newline = at ? text.rfind('\n', at - 1) : text.npos;
    return newline == text.npos ? 0 : static_cast<std::uint32_t>(newline + 1);
  };
  const Brackets brackets = open_brackets(text, offset);
  out.begin = line_begin(brackets.open.empty() ? offset : static_cast<std::uint32_t>(brackets.open.front().at));
  // Forward to where the brackets are closed, if that is near; else the line ends it.
  int depth = static_cast<int>(brackets.open.size());
  auto line_end = [&](std::uint32_t at) {
    return static_cast<std::uint32_t>(std::min(text.find('\n', at), text.size()));
  };
  out.end = line_end(offset);
  if (depth > 0) {
    std::uint32_t lines = 0;
    for (std::uint32_t i = offset; i < text.size() && lines < kMostLines; ++i) {
      const char c = text[i];
      lines += c == '\n';
      depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
      if (depth > 0) continue;
      out.end = line_end(i);
      break;
    }
  }
  std::string_view line = text.substr(out.begin, out.end - out.begin);
  std::size_t first = line.find_first_not_of(" \t");
  out.indent = line.substr(0, first == line.npos ? line.size() : first);
  std::string_view rest = line.substr(out.indent.size());
  std::size_t word = 0;
  while (word < rest.size() && text::is_name_byte(rest[word])) ++word;
  out.first_word = rest.substr(0, word);
  std::size_t last = line.find_last_not_of(" \t\r\n");
  // What follows may be a block that the statement heads, also while its colon is missing.
  std::string_view after = text.substr(std::min<std::size_t>(out.end + 1, text.size()));
  std::size_t deeper = after.find_first_not_of(" \t");
  const bool block =
      deeper != after.npos && after[deeper] != '\n' && after[deeper] != '\r' && deeper > out.indent.size();
  out.opens_block = block || (last != line.npos && line[last] == ':' && first == 0);
  return out;
}

}  // namespace

Kind completion_kind(const session::Symbol& s) {
  using session::SymbolKind;
  switch (s.kind) {
    case SymbolKind::Class: return Kind::Class;
    case SymbolKind::Import: return Kind::Module;
    case SymbolKind::Variable:
    case SymbolKind::Parameter: return Kind::Variable;
    case SymbolKind::Field: return Kind::Field;
    default: return Kind::Function;
  }
}

Kind completion_kind(NameKind kind) {
  switch (kind) {
    case NameKind::Function:
    case NameKind::Decorator:
    case NameKind::Instruction:
    case NameKind::Primitive: return Kind::Function;
    case NameKind::Type:
    case NameKind::Class: return Kind::Class;
    case NameKind::Namespace: return Kind::Module;
    case NameKind::Constant: return Kind::Constant;
    case NameKind::Attribute: return Kind::Field;
    case NameKind::Elsewhere: break;
  }
  return Kind::Variable;
}

void add_words(Completions& out, const script::Surface& surface, std::string_view space, bool primitives_only) {
  for (const script::Record* r : surface.names(space)) {
    if (!r->is_word() || (primitives_only && r->kind != NameKind::Primitive)) continue;
    std::string detail;
    if (!r->signature.empty()) {
      detail.reserve(r->signature.size() + 2);
      detail.append("(").append(r->signature).append(")");
    }
    const bool call = r->kind == NameKind::Function || r->kind == NameKind::Primitive;
    out.add(Completion{std::string(r->name),
                       completion_kind(r->kind),
                       r->kind == NameKind::Type ? 2 : 1,
                       std::move(detail),
                       r->documentation,
                       call,
                       0,
                       r->space,
                       {},
                       nullptr,
                       0,
                       {}});
  }
}

void add_defined(Completions& out, Names& names, const Meaning& owner, bool call) {
  names.members(owner, [&](const Meaning& m) {
    const session::Symbol& s = *m.symbol;
    if (is_private(s.name)) return;
    const bool in_class = class_around(m.script->symbols(), s);
    const bool function = s.kind == session::SymbolKind::Function;
    Kind kind = in_class ? (function ? Kind::Method : Kind::Field) : completion_kind(s);
    Completion made{std::string(s.name), kind, function ? 2 : 1, "", {}, call && function, 0, {}, {}, nullptr, 0, {}};
    if (auto* o = defining(m.script->symbols(), s)) {
      made.script = m.script;
      made.defined = o->begin;
    }
    out.add(std::move(made));
  });
}

Stretch owner_before(std::string_view text, std::uint32_t dot) {
  std::uint32_t at = dot;
  while (at > 0) {
    const char c = text[at - 1];
    if (text::is_name_byte(c) || (c == '.' && at < dot)) {
      --at;
      continue;
    }
    if (c != ')' && c != ']') break;
    if (at < dot && text::is_name_byte(text[at])) break;  // `) x`
    int depth = 0;
    std::uint32_t i = at;
    for (; i > 0; --i) {
      const char b = text[i - 1];
      if (b == '\n' || b == '"' || b == '\'' || b == '#') return {dot, dot};
      depth += (b == ')' || b == ']' || b == '}') - (b == '(' || b == '[' || b == '{');
      if (depth == 0) break;
    }
    if (i == 0) return {dot, dot};
    at = i - 1;
  }
  if (at < dot && std::isdigit(static_cast<unsigned char>(text[at]))) return {dot, dot};  // a number
  return {at, dot};
}

std::optional<EvaluatedOwner> evaluate_owner(const Query& q, Stretch owner, std::uint32_t offset) {
  std::string_view text = q.snapshot->source().text();
  Typed typed = typed_statement(text, offset);
  constexpr std::string_view kFollows[] = {"elif", "else", "except", "finally", "def", "class", "case"};
  if (std::ranges::find(kFollows, typed.first_word) != std::end(kFollows)) return std::nullopt;
  std::string line = std::string(typed.indent) + std::string(text.substr(owner.begin, owner.end - owner.begin));
  const auto end = static_cast<std::uint32_t>(typed.begin + line.size());
  if (typed.opens_block) line += "\n" + std::string(typed.indent) + "if True:";
  EvaluatedOwner out;
  out.script = q.snapshot->after(typed.begin, typed.end, line);
  Found found = look(*out.script->tree(), end);
  for (std::size_t up = 0; const Node* node = found.above(up); ++up) {
    const bool whole = found.end(node) == end && found.begin(node) == typed.begin + typed.indent.size();
    if (!whole || node->kind >= NodeKind::ExprStmt) continue;
    if (node->kind == NodeKind::Broken) return std::nullopt;
    out.probed = out.script->probe(node, *found.statement->node, q.stop);
    // A module's own name has its value also where the line is never reached.
    if (out.probed->probe.values.empty()) return std::nullopt;
    return out;
  }
  return std::nullopt;
}

namespace {

// The parameters of a function or a class that an evaluation has. Nothing: it is another thing.
std::optional<Callable> callable_of(Value v, std::string name) {
  bool bound = false;
  if (auto* method = v.as<script::BoundMethod>()) {
    v = method->function;
    bound = true;
  }
  if (auto* cls = v.as<script::Class>()) {
    Value* init = cls->find("__init__");
    if (!init) return std::nullopt;
    v = *init;
    bound = true;
  }
  auto* f = v.as<script::Function>();
  if (!f || f->def->params.size() < (bound ? 1 : 0)) return std::nullopt;
  Callable out{std::move(name), docstring(f->def->body), {}, "", false};
  out.parameters = method_parameters(*f->def, f->keep ? std::string_view(f->keep->text) : std::string_view(), bound);
  for (const Parameter& p : f->def->params) out.variadic = out.variadic || p.kind == ParamKind::VarArgs;
  return out;
}

}  // namespace

std::vector<Callable> callables_at(Names& names, const Query& q, const OpenCall& call, std::uint32_t offset) {
  std::vector<Callable> out = callables(names, q, call.function, offset);
  const bool dotted = call.function.find('.') != call.function.npos;
  if (!out.empty() || !dotted || q.stop.stop_requested()) return out;
  const auto end = static_cast<std::uint32_t>(call.begin + call.function.size());
  auto evaluated = evaluate_owner(q, {call.begin, end}, offset);
  if (!evaluated) return out;
  for (Value v : evaluated->probed->probe.values) {
    if (auto one = callable_of(v, call.function)) return {std::move(*one)};
  }
  return out;
}

std::vector<Callable> callables_of_made(Names& names, const Query& q, const OpenCall& call, std::uint32_t offset) {
  const std::string_view root = std::string_view(call.function).substr(0, call.function.find('.'));
  const auto symbol = q.snapshot->meaning(root, offset);
  auto* made = symbol ? as<Call>(symbol->value) : nullptr;
  const std::string maker = made ? canonical(*q.snapshot, dotted(made->function), offset) : std::string();
  const bool own = maker.starts_with("txl.") || maker.starts_with("T.") || maker.starts_with("tirx.");
  return own ? callables_at(names, q, call, offset) : callables(names, q, call.function, offset);
}

void add_members(Completions& out, const Query& q, Names& names, Stretch owner, std::uint32_t offset) {
  std::string_view text = q.snapshot->source().text();
  std::string_view written = text.substr(owner.begin, owner.end - owner.begin);
  if (written.empty()) return;
  // What is said nearby counts; so a long script costs no more than a short one.
  const std::uint32_t from = offset > kNear ? offset - kNear : 0;
  std::string_view near = text.substr(from, 2 * kNear);
  const bool is_dotted = std::ranges::all_of(written, [](char c) { return text::is_name_byte(c) || c == '.'; });
  const bool decorates = owner.begin > 0 && text[owner.begin - 1] == '@';
  if (is_dotted && add_of_language(out, q, canonical(*q.snapshot, written, offset), decorates)) {
    return out.count_uses(near, written);
  }
  if (auto meaning = is_dotted ? names.named(q.snapshot, written, offset) : std::nullopt; meaning && !meaning->symbol) {
    return add_defined(out, names, *meaning, true);  // a module of the script's own
  }
  if (auto evaluated = evaluate_owner(q, owner, offset)) {
    Arena scratch;
    ArenaScope scope(scratch);
    script::Interpreter& in = evaluated->probed->evaluation->interpreter();
    for (Value v : evaluated->probed->probe.values) {
      if (add_of_value(out, in, v)) return out.count_uses(near, written);
    }
  }
  if (!is_dotted || q.stop.stop_requested()) return;
  if (auto meaning = names.named(q.snapshot, written, offset)) add_defined(out, names, *meaning, true);
  if (out.empty() && names.is_buffer(q.snapshot, written, offset)) {
    add_words(out, q.snapshot->surface(), "buffer");
  }
}

}  // namespace tilewright::ide
