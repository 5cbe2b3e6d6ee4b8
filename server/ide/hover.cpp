#include "server/ide/hover.h"

#include <algorithm>

#include "compiler/syntax/walk.h"
#include "server/ide/call_words.h"
#include "server/ide/checked.h"
#include "server/ide/hover_parts.h"
#include "server/ide/names.h"

namespace tilewright::ide {

std::string first_lines(std::string_view text, std::size_t count) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t at = 0;
  for (std::size_t n = 0; n < count; ++n) {
    at = text.find('\n', at);
    if (at == text.npos) return std::string(text);
    ++at;
  }
  auto more = std::ranges::count(text.substr(at), '\n') + 1;
  if (more == 1) return std::string(text);
  return std::string(text.substr(0, at)) + "... " + std::to_string(more) + " more lines";
}

namespace {

bool holds(syntax::Exprs list, const syntax::Node* node) { return std::ranges::find(list, node) != list.end(); }

// The name that the cursor means, and the expression whose value it has.
struct Subject {
  std::string name;
  std::uint32_t begin = 0, end = 0;          // of the file
  const syntax::Node* value = nullptr;       // to be probed; null: nothing can be
  const syntax::Node* otherwise = nullptr;   // probed where `value` is never evaluated
  const syntax::FunctionDef* def = nullptr;  // the cursor is on its name
  bool of_module = false;                    // bound at module level
};

// The first place in `within` that reads `name` at or behind byte `from`.
const syntax::Node* first_read(const syntax::Node* within, std::string_view name, std::uint32_t from) {
  const syntax::Node* best = nullptr;
  auto visit = [&](auto&& self, const syntax::Node* node, bool target) -> void {
    if (auto* ref = syntax::as<syntax::NameRef>(node)) {
      if (!target && ref->name.text == name && node->at.begin >= from && (!best || node->at.begin < best->at.begin)) {
        best = node;
      }
      return;
    }
    auto* assign = syntax::as<syntax::Assign>(node);
    auto* annotated = syntax::as<syntax::AnnAssign>(node);
    auto* loop = syntax::as<syntax::For>(node);
    auto* with = syntax::as<syntax::With>(node);
    syntax::for_children(node, [&](const syntax::Node* child) {
      bool is_target = (target && child->kind != syntax::NodeKind::Subscript) ||
                       (assign && holds(assign->targets, child)) || (annotated && annotated->target == child) ||
                       (loop && loop->target == child);
      if (with) {
        for (const syntax::WithItem& item : with->items) is_target = is_target || item.target == child;
      }
      self(self, child, is_target);
    });
  };
  visit(visit, within, false);
  return best;
}

// The innermost function around the place, else the whole statement.
const syntax::Node* surroundings(const Found& found) {
  for (std::size_t up = 0; const syntax::Node* node = found.above(up); ++up) {
    if (node->kind == syntax::NodeKind::FunctionDef) return node;
  }
  return found.path.front();
}

std::optional<Subject> subject_of(const Found& found, std::uint32_t offset) {
  const syntax::Node* node = found.innermost();
  if (!node) return std::nullopt;
  Subject s;
  std::uint32_t at = offset - found.statement->offset;
  auto inside = [&](const syntax::Name& name) { return name.at.begin <= at && at <= name.at.end; };
  auto place = [&](syntax::Extent e) {
    s.begin = found.statement->offset + e.begin;
    s.end = found.statement->offset + e.end;
  };
  if (auto* def = syntax::as<syntax::FunctionDef>(node)) {
    if (inside(def->name)) {
      s.name = def->name.text;
      s.def = def;
      place(def->name.at);
      return s;
    }
    for (const syntax::Parameter& p : def->params) {
      if (!inside(p.name)) continue;
      s.name = p.name.text;
      s.value = first_read(def, p.name.text, p.name.at.end);
      place(p.name.at);
      return s;
    }
    return std::nullopt;
  }
  if (auto* type = syntax::as<syntax::ClassDef>(node)) {
    if (!inside(type->name)) return std::nullopt;
    s.name = type->name.text;
    place(type->name.at);
    return s;
  }
  if (auto* name = syntax::as<syntax::NameRef>(node)) {
    s.name = name->name.text;
    s.value = node;
    place(node->at);
    // A name that is being bound has no value yet: the first place that reads it has.
    const syntax::Node* target = node;
    for (std::size_t up = 1; const syntax::Node* outer = found.above(up); ++up) {
      auto* assign = syntax::as<syntax::Assign>(outer);
      auto* annotated = syntax::as<syntax::AnnAssign>(outer);
      auto* loop = syntax::as<syntax::For>(outer);
      bool binds = (assign && holds(assign->targets, target)) || (annotated && annotated->target == target) ||
                   (loop && loop->target == target);
      if (auto* with = syntax::as<syntax::With>(outer)) {
        for (const syntax::WithItem& item : with->items) binds = binds || item.target == target;
      }
      if (binds) {
        s.value = first_read(surroundings(found), s.name, node->at.end);
        if (assign && target == node && assign->targets.size() == 1) s.otherwise = assign->value;
        if (annotated) s.otherwise = annotated->value;
        if (!s.value) std::swap(s.value, s.otherwise);
        s.of_module = std::ranges::none_of(found.path, [](const syntax::Node* n) {
          return n->kind == syntax::NodeKind::FunctionDef || n->kind == syntax::NodeKind::ClassDef;
        });
        if (s.of_module && !s.value) s.value = node;
        break;
      }
      if (outer->kind != syntax::NodeKind::Tuple && outer->kind != syntax::NodeKind::List) break;
      target = outer;
    }
    return s;
  }
  if (auto* attribute = syntax::as<syntax::Attribute>(node)) {
    s.name = dotted(node);
    if (s.name.empty()) s.name = attribute->name.text;
    s.value = node;
    place(attribute->name.at);
    return s;
  }
  switch (node->kind) {
    case syntax::NodeKind::Call:
    case syntax::NodeKind::Subscript:
    case syntax::NodeKind::BinOp:
    case syntax::NodeKind::Compare:
      s.value = node;
      place(node->at);
      return s;
    default: return std::nullopt;
  }
}

// What an entry's kernel needs and holds.
void hover_kernel(HoverBlocks& out, const Query& q, const session::Analysis& analysis, const Found& found,
                  const Subject& subject) {
  text::Span name{found.statement->node->id, subject.def->name.at.begin, subject.def->name.at.end};
  const session::Compiled& c = analysis.first();
  const text::Anchors& anchors = c.evaluation->anchors;
  text::Anchors::Place wanted = anchors.resolve(name);
  const session::CompiledKernel* kernel = nullptr;
  std::size_t entries = 0;
  for (const session::CompiledKernel& k : c.kernels) {
    text::Anchors::Place at = anchors.resolve(k.value->kernel.span);
    if (at.source != wanted.source || at.begin != wanted.begin) continue;
    if (!kernel) kernel = &k;
    ++entries;
  }
  if (!kernel) return;
  std::string text = "entry " + kernel->entry->expression;
  if (entries > 1) text += ", the first of " + std::to_string(entries);
  text += "\n";
  if (kernel->lowered) {
    const lower::LaunchPlan& plan = kernel->lowered->plan;
    auto three = [](const std::array<ir::Expr, 3>& e) {
      std::string out;
      for (ir::Expr x : e) out += (out.empty() ? "" : " x ") + (x ? ir::to_string(x) : std::string("1"));
      return out;
    };
    text += "grid " + three(plan.launch.grid) + ", block " + three(plan.launch.block);
    if (plan.launch.has_cluster) text += ", cluster " + three(plan.launch.cluster);
    text += "\nshared memory " + grouped(plan.static_shared_bytes) + " bytes static, " +
            grouped(plan.dynamic_shared_bytes) + " dynamic\n";
  }
  text += NotChecked{}.words + "\n";
  out.code("text", text);
  std::vector<std::pair<std::string, ViewName>> links;
  for (ViewKind kind : view_kinds()) {
    links.emplace_back(view_kind_name(kind), view_of(kind, *kernel, q.snapshot->path()));
  }
  out.links(std::move(links));
}

// Code that no entry reaches: what names lead to says what it is.
void hover_defined(HoverBlocks& out, const Query& q, std::uint32_t offset) {
  Names names(q, Names::Aliases::SameThing);
  auto meaning = names.at(q.snapshot, offset);
  if (!meaning || !meaning->symbol) return;
  const session::Symbol& s = *meaning->symbol;
  const bool made_here = s.kind != session::SymbolKind::Parameter && s.kind != session::SymbolKind::Import;
  auto* function = made_here ? syntax::as<syntax::FunctionDef>(s.node) : nullptr;
  auto* type = made_here ? syntax::as<syntax::ClassDef>(s.node) : nullptr;
  const auto& statements = meaning->script->symbols().tree->statements();
  if (function && s.statement < statements.size()) {
    const syntax::ClassDef* around = class_around(meaning->script->symbols(), s);
    hover_function(out, *function, statements[s.statement].node->text,
                   around ? "Method of " + std::string(around->name.text) + "." : std::string());
  } else if (type) {
    out.title("class " + std::string(type->name.text));
    out.words(docstring(type->body));
  } else if (auto of = names.type_at(q.snapshot, offset)) {
    auto* cls = syntax::as<syntax::ClassDef>(of->symbol->node);
    out.title(s.name, of->symbol->name);
    if (cls) out.words(docstring(cls->body));
  }
}

}  // namespace

Answer<std::optional<Hover>> hover(const Query& q, std::uint32_t offset) {
  Found found = look(*q.snapshot->tree(), offset);
  if (!found.innermost()) return std::nullopt;
  auto analysis = q.analysis();
  if (!analysis) return cancelled();
  HoverBlocks out;
  auto answer = [&](std::uint32_t begin, std::uint32_t end) -> Answer<std::optional<Hover>> {
    if (out.empty()) return std::nullopt;
    return Hover{std::move(out).take(), {begin, end}};
  };

  const syntax::Call* call = called(found);
  if (!call && found.innermost()->kind == syntax::NodeKind::Call) call = syntax::as<syntax::Call>(found.innermost());
  if (call) {
    auto calls = calls_in(*analysis, q.snapshot->source(), found.begin(call), found.end(call));
    std::erase_if(calls, [&](const EvaluatedCall& c) {
      text::Anchors::Place at = c.anchors().resolve(c.report->call->origin.span);
      return at.begin != found.begin(call) || at.end != found.end(call);
    });
    if (!calls.empty()) {
      hover_call(out, q, calls);
      // A range that the position is not in would put the hover somewhere else.
      bool on_name = found.begin(call->function) <= offset && offset <= found.end(call->function);
      const syntax::Node* shown = on_name ? call->function : call;
      return answer(found.begin(shown), found.end(shown));
    }
  }
  auto subject = subject_of(found, offset);
  if (!subject) return std::nullopt;
  if (subject->def) {
    hover_function(out, *subject->def, found.statement->node->text, {});
    hover_kernel(out, q, *analysis, found, *subject);
    return answer(subject->begin, subject->end);
  }
  for (const syntax::Node* node : {subject->value, subject->otherwise}) {
    if (!node) continue;
    auto probed = q.snapshot->probe(node, *found.statement->node, q.stop);
    if (q.stop.stop_requested()) return cancelled();
    std::vector<script::Value> values = probed->probe.values;
    // A name of the module has its value there, whether or not it is read again.
    if (subject->of_module && values.empty()) {
      if (auto* binding = probed->evaluation->module->find(subject->name)) values.push_back(binding->value);
    }
    for (script::Value v : values) {
      if (hover_value(out, {subject->name, probed.get(), analysis.get()}, v)) {
        return answer(subject->begin, subject->end);
      }
    }
  }
  // Code that no entry reaches: intrinsics are known by their name.
  if (std::size_t dot = subject->name.find('.'); dot != std::string::npos) {
    std::string_view path = std::string_view(subject->name).substr(dot + 1);
    hover_intrinsic(out, path);
    if (out.empty() && path.find('.') == path.npos) hover_documented(out, q.snapshot->surface(), path);
  }
  if (out.empty()) hover_defined(out, q, offset);
  return answer(subject->begin, subject->end);
}

}  // namespace tilewright::ide
