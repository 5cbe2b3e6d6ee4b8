#include "compiler/session/registered.h"

namespace tilewright::session {

bool is_name(const syntax::Node* node, std::string_view name) {
  auto* ref = syntax::as<syntax::NameRef>(node);
  return ref && ref->name.text == name;
}

namespace {

constexpr std::string_view kMeta = "KERNEL_META";

bool is_meta(const syntax::Node* target) { return is_name(target, kMeta); }

// The value that the statement binds to KERNEL_META; null: it binds another name.
const syntax::Node* bound_meta(const syntax::Node* statement) {
  if (auto* a = syntax::as<syntax::Assign>(statement))
    return a->targets.size() == 1 && is_meta(a->targets[0]) ? a->value : nullptr;
  auto* a = syntax::as<syntax::AnnAssign>(statement);
  return a && is_meta(a->target) ? a->value : nullptr;
}

std::string text_of(const syntax::Node* node) {
  auto* s = syntax::as<syntax::StringLit>(node);
  return s ? std::string(s->value) : std::string();
}

std::vector<std::string> texts_of(const syntax::Node* node) {
  std::vector<std::string> out;
  syntax::Exprs written;
  if (auto* list = syntax::as<syntax::List>(node)) written = list->elements;
  if (auto* tuple = syntax::as<syntax::Tuple>(node)) written = tuple->elements;
  for (const syntax::Node* one : written) {
    if (std::string text = text_of(one); !text.empty()) out.push_back(std::move(text));
  }
  return out;
}

}  // namespace

std::optional<Registered> registered(const syntax::Tree& tree) {
  std::optional<Registered> out;
  for (const syntax::Tree::Statement& s : tree.statements()) {
    if (!s.node->text.starts_with(kMeta)) continue;
    auto* dict = syntax::as<syntax::Dict>(bound_meta(s.node->statement));
    if (!dict) continue;
    Registered found;
    found.offset = s.offset;
    for (const syntax::DictItem& item : dict->items) {
      const std::string key = text_of(item.key);
      if (key == "name") found.name = text_of(item.value);
      if (key == "category") found.category = text_of(item.value);
      if (key == "runtime_cuda_archs") found.architectures = texts_of(item.value);
    }
    out.reset();
    if (!found.name.empty()) out = std::move(found);
  }
  return out;
}

}  // namespace tilewright::session
