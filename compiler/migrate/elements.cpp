// Elements and their dtypes, as far as the text of a function says them: instructions of 0.27 take registers where
// earlier ones take pointers.
#include "compiler/migrate/rewriter.h"
#include "compiler/syntax/walk.h"

namespace tilewright::migrate {

using namespace syntax;

namespace {

// `r` of `r`, `r[0]` and `r[0, 1]`.
const NameRef* root_of(const Node* n) {
  if (auto* at = as<Subscript>(n)) n = at->object;
  return as<NameRef>(n);
}

// The dtype that a declaration names: `T.uint32`, T.alloc_local([4], "uint32"), T.Buffer((8,), dtype="float32").
std::optional<ir::DataType> declared(const Node* declaration) {
  if (auto* attribute = as<Attribute>(declaration)) return ir::parse_dtype(attribute->name.text);
  auto* call = as<Call>(declaration);
  if (!call) return std::nullopt;
  std::optional<ir::DataType> out;
  auto take = [&](const Node* n) {
    auto* text = as<StringLit>(n);
    auto dtype = text && !out ? ir::parse_dtype(text->value) : std::nullopt;
    if (dtype) out = dtype;
  };
  for (const Node* a : call->args) take(a);
  for (const Keyword& k : call->keywords)
    if (k.name.text == "dtype") take(k.value);
  return out;
}

// The buffer of `b.ptr_to([i])`, `b.access_ptr("r")`, `b.data` and `T.address_of(b[i])`; null: another expression.
const NameRef* buffer_of(const Node* pointer, const Names& names) {
  auto* call = as<Call>(pointer);
  if (call && call->args.size() == 1 && names.path(call->function) == "T.address_of") return root_of(call->args[0]);
  auto* member = as<Attribute>(call ? call->function : pointer);
  const bool points = member && (member->name.text == "ptr_to" || member->name.text == "access_ptr" ||
                                 (!call && member->name.text == "data"));
  return points ? as<NameRef>(member->object) : nullptr;
}

// Calls f(declaration, whether it is a value) for each parameter, annotation and value that the function gives the
// name; a parameter without an annotation: null.
template <class F>
void for_declarations(const FunctionDef& function, std::string_view name, F&& f) {
  auto is_it = [&](const Node* target) {
    auto* ref = as<NameRef>(target);
    return ref && ref->name.text == name;
  };
  for (const Parameter& p : function.params)
    if (p.name.text == name) f(p.annotation, false);
  for (const Node* s : function.body) {
    for_all(s, [&](const Node* n) {
      if (auto* assign = as<AnnAssign>(n); assign && is_it(assign->target)) f(assign->annotation, false);
      auto* assign = as<Assign>(n);
      for (const Node* target : assign ? assign->targets : Exprs())
        if (is_it(target)) f(assign->value, true);
    });
  }
}

}  // namespace

std::optional<std::string> Rewriter::space_of(const Node* pointer) const {
  const NameRef* buffer = buffer_of(pointer, names_);
  if (!buffer) return std::nullopt;
  const FunctionDef* inside = nullptr;  // function around what declares it
  std::optional<std::string> out;
  bool clear = true;
  auto declared_by = [&](const Call& call) -> std::optional<std::string> {
    const std::string path = names_.path(call.function);
    for (const Keyword& k : call.keywords) {
      auto* scope = k.name.text == "scope" ? as<StringLit>(k.value) : nullptr;
      if (!scope) continue;
      if (scope->value == "global") return "";
      return scope->value.starts_with("shared") ? std::optional<std::string>(".shared") : std::nullopt;
    }
    if (path == "T.match_buffer" || path == "T.Buffer") return "";
    if (path == "T.alloc_shared") return ".shared";
    auto* method = as<Attribute>(call.function);
    auto* pool = method && method->name.text.starts_with("alloc") ? as<NameRef>(method->object) : nullptr;
    bool of_pool = false;
    if (pool && path.empty()) {
      for_all(inside, [&](const Node* n) {
        auto* assign = as<Assign>(n);
        auto* target = assign && assign->targets.size() == 1 ? as<NameRef>(assign->targets[0]) : nullptr;
        auto* made = target && target->name.text == pool->name.text ? as<Call>(assign->value) : nullptr;
        of_pool = of_pool || (made && names_.path(made->function) == "T.SMEMPool");
      });
    }
    return of_pool ? std::optional<std::string>(".shared") : std::nullopt;
  };
  auto say = [&](const Node* declaration, bool) {
    auto* call = as<Call>(declaration);
    const auto one = call ? declared_by(*call) : std::nullopt;
    clear = clear && one && (!out || *out == *one);
    if (one) out = one;
  };
  for (const FunctionDef* function : functions_) {
    inside = function;
    for_declarations(*function, buffer->name.text, say);
  }
  return clear ? out : std::nullopt;
}

std::optional<ir::DataType> Rewriter::dtype_of(const Node* n) const {
  const NameRef* name = root_of(n);
  if (!name) return std::nullopt;
  std::optional<ir::DataType> out;
  bool clear = true;
  auto say = [&](const Node* declaration, bool is_value) {
    const auto one = declared(declaration);
    // Stores to a scalar that an annotation declares say nothing.
    if (is_value && (!as<Call>(declaration) || !one)) return;
    clear = clear && one && (!out || *out == *one);
    if (one) out = one;
  };
  for (const FunctionDef* function : functions_) for_declarations(*function, name->name.text, say);
  return clear ? out : std::nullopt;
}

std::optional<std::string> Rewriter::pointed_at(const Node* pointer, std::int64_t bits) {
  auto* call = as<Call>(pointer);
  if (!call || call->args.size() != 1 || !call->keywords.empty()) return std::nullopt;
  auto* method = as<Attribute>(call->function);
  auto* buffer = method && method->name.text == "ptr_to" ? as<NameRef>(method->object) : nullptr;
  auto* indices = buffer ? as<List>(call->args[0]) : nullptr;
  const Node* element = names_.path(call->function) == "T.address_of" ? call->args[0] : nullptr;
  if (!indices && !as<Subscript>(element)) return std::nullopt;
  const auto dtype = dtype_of(indices ? static_cast<const Node*>(buffer) : element);
  if (!dtype || std::int64_t{dtype->bits} * std::max<int>(1, dtype->lanes) != bits) return std::nullopt;
  if (!indices) return words(element);
  std::string at;
  for (const Node* i : indices->elements) at += (at.empty() ? "" : ", ") + words(i);
  return std::string(buffer->name.text) + "[" + at + "]";
}

std::optional<std::string> Rewriter::elements_of(const Match& m, const List& list) {
  auto* bits = as<IntLit>(list.elements[0]);
  auto* name = as<NameRef>(list.elements[1]);
  const auto known = bits && name ? m.bound.find(name->name.text) : m.bound.end();
  if (known == m.bound.end()) return std::nullopt;
  std::string out;
  for (const Node* n : known->second.nodes) {
    const auto element = pointed_at(n, static_cast<std::int64_t>(bits->value));
    if (!element) return std::nullopt;
    out += (out.empty() ? "" : ", ") + *element;
  }
  return out;
}

}  // namespace tilewright::migrate
