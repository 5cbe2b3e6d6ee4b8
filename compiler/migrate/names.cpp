#include "compiler/migrate/names.h"

#include <algorithm>

namespace tilewright::migrate {

using namespace syntax;

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
