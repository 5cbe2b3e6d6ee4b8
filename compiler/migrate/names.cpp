#include "compiler/migrate/names.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/syntax/walk.h"

namespace tilewright::migrate {

using namespace syntax;

namespace {

// How often the script binds each name, wherever that is; more where that is not sure.
std::map<std::string_view, std::size_t> bindings(const Tree& tree) {
  std::map<std::string_view, std::size_t> counts;
  const auto one = [&](std::string_view bound) { ++counts[bound]; };
  const auto target = [&](const Node* t) {
    if (!t) return;
    for_all(t, [&](const Node* n) {
      if (auto* found = as<NameRef>(n)) one(found->name.text);
    });
  };
  const auto parameters = [&](std::span<const Parameter> params) {
    for (const Parameter& p : params) one(p.name.text);
  };
  const auto imported = [&](std::span<const ImportedName> names) {
    for (const ImportedName& n : names) one(n.bound.text);
  };
  for (const Tree::Statement& s : tree.statements()) {
    for_all(s.node->statement, [&](const Node* n) {
      if (auto* assign = as<Assign>(n)) std::ranges::for_each(assign->targets, target);
      if (auto* assign = as<AugAssign>(n)) target(assign->target);
      if (auto* assign = as<AnnAssign>(n)) target(assign->target);
      if (auto* walrus = as<NamedExpr>(n)) one(walrus->name.text);
      if (auto* loop = as<For>(n)) target(loop->target);
      if (auto* lambda = as<Lambda>(n)) parameters(lambda->params);
      if (auto* import = as<Import>(n)) imported(import->names);
      if (auto* import = as<ImportFrom>(n)) imported(import->names);
      if (auto* cls = as<ClassDef>(n)) one(cls->name.text);
      if (auto* alias = as<TypeAlias>(n)) one(alias->name.text);
      if (auto* attempt = as<Try>(n)) {
        for (const Handler& h : attempt->handlers) one(h.bound.text);
      }
      // Names that a pattern only reads count, too; `p as name` is a NamedExpr.
      if (auto* choice = as<syntax::Match>(n)) {
        for (const MatchCase& c : choice->cases) target(c.pattern);
      }
      if (auto* with = as<With>(n)) {
        for (const WithItem& item : with->items) target(item.target);
      }
      if (auto* comprehension = as<Comprehension>(n)) {
        for (const ComprehensionClause& c : comprehension->clauses) target(c.target);
      }
      if (auto* function = as<FunctionDef>(n)) {
        one(function->name.text);
        parameters(function->params);
      }
    });
  }
  return counts;
}

}  // namespace

Names::Names(const Tree& tree, text::Dialect release) : release_(release), surface_(script::surface_of(release)) {
  for (const Tree::Statement& s : tree.statements()) {
    if (auto* from = as<ImportFrom>(s.node->statement); from && from->level == 0) {
      const bool layout = from->module == "tvm.tirx.layout" || from->module.ends_with(".tma_utils");
      for (const ImportedName& n : from->names) {
        std::string path;
        if (from->module == "tvm.script" && (n.name == "tirx" || n.name == "tir")) path = "T";
        if (from->module == "tvm.script.tirx") path = below("T", n.name);
        if (from->module == "tvm.tirx" && n.name == "layout") path = "layout";
        if (layout) path = "layout." + std::string(n.name);
        if (from->module.starts_with("tvm.tirx.lang")) path = "T." + std::string(n.name);
        if (!path.empty()) bound_.push_back({n.bound.text, std::move(path)});
      }
    } else if (auto* import = as<Import>(s.node->statement)) {
      for (const ImportedName& n : import->names) {
        if (n.name == "tvm.script.tirx" && n.bound.text != "tvm") bound_.push_back({n.bound.text, "T"});
        if (n.name == "tvm.tirx.layout" && n.bound.text != "tvm") bound_.push_back({n.bound.text, "layout"});
      }
    }
  }
  // `ptx = T.ptx`, where the script binds the name nowhere else.
  std::optional<std::map<std::string_view, std::size_t>> counts;  // once there may be one
  // Of instructions only all of them are followed: a name below T.ptx may be none in the next release.
  const auto alias = [&](const Node* target, const Node* value) {
    auto* name = as<NameRef>(target);
    std::string of = name && as<Attribute>(value) ? path(value) : std::string();
    if (of.empty() || of.starts_with("T.ptx.")) return;
    if (!counts) counts = bindings(tree);
    if (counts->at(name->name.text) == 1) bound_.push_back({name->name.text, std::move(of)});
  };
  for (const Tree::Statement& s : tree.statements()) {
    auto* assign = as<Assign>(s.node->statement);
    if (!assign || assign->targets.size() != 1) continue;
    auto* names = as<Tuple>(assign->targets[0]);
    auto* values = as<Tuple>(assign->value);
    if (!names || !values) alias(assign->targets[0], assign->value);
    if (!names || !values || names->elements.size() != values->elements.size()) continue;
    for (std::size_t i = 0; i < names->elements.size(); ++i) alias(names->elements[i], values->elements[i]);
  }
}

std::string Names::below(std::string_view path, std::string_view name) const {
  if (path == "T" && name == "tile") return "Tx";
  const bool tiles = path == "T" || path == "Tx";
  if (const script::Record* scope = tiles ? surface_.find("Tx", name) : nullptr;
      scope && scope->kind == script::NameKind::Namespace) {
    return "Tx";
  }
  if (path == "T" && surface_.find("layout", name)) return "layout." + std::string(name);
  return std::string(path) + "." + std::string(name);
}

std::string Names::path(const Node* n) const {
  if (auto* name = as<NameRef>(n)) {
    auto known = std::ranges::find(bound_, name->name.text, &Bound::name);
    return known == bound_.end() ? std::string() : known->path;
  }
  auto* attribute = as<Attribute>(n);
  if (!attribute) return {};
  const std::string outer = path(attribute->object);
  return outer.empty() ? outer : below(outer, attribute->name.text);
}

std::string_view Names::name_of(std::string_view path) const {
  auto known = std::ranges::find(bound_, path, &Bound::path);
  return known == bound_.end() ? std::string_view() : known->name;
}

std::string Names::spelled(std::string_view path) const {
  if (std::string_view name = name_of(path); !name.empty()) return std::string(name);
  const std::size_t dot = path.find('.');
  if (dot == path.npos) return std::string(path);
  const std::string_view space = path.substr(0, dot), rest = path.substr(dot);
  if (std::string_view name = name_of(space); !name.empty()) return std::string(name) + std::string(rest);
  // A name of the layout algebra stands in `T`, too.
  std::string_view t = name_of("T");
  return (t.empty() ? std::string("T") : std::string(t)) + (space == "Tx" ? ".tile" : "") + std::string(rest);
}

}  // namespace tilewright::migrate
