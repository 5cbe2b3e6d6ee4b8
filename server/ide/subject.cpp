#include "server/ide/subject.h"

#include <algorithm>

#include "compiler/syntax/walk.h"

namespace tilewright::ide {
namespace {

bool holds(syntax::Exprs list, const syntax::Node* node) { return std::ranges::find(list, node) != list.end(); }

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

// A name that is being bound has no value yet: the first place that reads it has.
void read_of_bound(const Found& found, const syntax::Node* node, Subject& s) {
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
      return;
    }
    if (outer->kind != syntax::NodeKind::Tuple && outer->kind != syntax::NodeKind::List) return;
    target = outer;
  }
}

}  // namespace

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
    read_of_bound(found, node, s);
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

}  // namespace tilewright::ide
