#include "compiler/intrinsics/helper_text.h"

#include <algorithm>

#include "compiler/intrinsics/operand_forms.h"

namespace tilewright::intrinsics {
namespace {

// Registers stand in the expanded text as a marked item number until all are known: outputs come first in asm.
constexpr char kMark = '\x01', kMarkEnd = '\x02';
constexpr int kResult = -1, kPolicy = -2;
std::string marked(int item) { return kMark + std::to_string(item) + kMarkEnd; }

std::string_view policy_of_hint(std::string_view hint) {
  if (hint == "evict_normal") return "0x1000000000000000ull";
  if (hint == "evict_first") return "0x12F0000000000000ull";
  if (hint == "evict_last") return "0x14F0000000000000ull";
  return {};
}

// An address that the script holds as uint64, or as a 32-bit address in shared memory.
bool is_number(ir::Expr pointer) { return !pointer.dtype().is_handle(); }
bool is_shared_address(const Operand& o, ir::Expr pointer) {
  return takes_address(o) && pointer.dtype().is_integral() && pointer.dtype().bits == 32;
}

bool is_runtime(OperandKind kind) {
  return kind != OperandKind::Attribute && kind != OperandKind::List && kind != OperandKind::Variadic;
}

// The position after the brace that closes the one before `from`.
std::size_t closing(std::string_view text, std::size_t from) {
  int depth = 1;
  for (std::size_t i = from; i < text.size(); ++i) {
    depth += (text[i] == '{') - (text[i] == '}');
    if (depth == 0) return i;
  }
  return text.size();
}

void append_word(std::string& to, std::string_view word) {
  for (char c : word) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (plain) {
      to += c;
    } else {
      to += c == '-' ? 'm' : '_';
    }
  }
}

// The type behind a Reference that is used as one register.
ir::DataType register_type(ir::DataType wanted, ir::Expr value) {
  if (!wanted.is_void()) return wanted;
  ir::DataType d = value.dtype();
  if (d == ir::kFloat32 || d == ir::kFloat64) return d;
  int bits = d.storage_bits() * d.lanes;
  return bits == 64 ? ir::kUInt64 : bits == 16 ? ir::DataType{ir::TypeCode::UInt, 16, 1} : ir::kUInt32;
}

ir::DataType type_word(std::string_view word) {
  if (word == "u16") return {ir::TypeCode::UInt, 16, 1};
  if (word == "u32") return ir::kUInt32;
  if (word == "i32") return ir::kInt32;
  if (word == "u64") return ir::kUInt64;
  if (word == "f32") return ir::kFloat32;
  return ir::kFloat64;
}

std::string indented(std::string_view body) {
  std::string out;
  while (!body.empty()) {
    std::size_t end = std::min(body.find('\n'), body.size());
    if (end > 0) out.append("  ").append(body.substr(0, end)).append("\n");
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return out;
}

}  // namespace

Register register_of(ir::DataType d) {
  if (d.is_handle() || d.code == ir::TypeCode::TensorMap) return {"l", "unsigned long long"};
  int bits = d.storage_bits() * d.lanes;
  if (d.lanes == 1 && d.is_float() && bits == 32) return {"f", "float"};
  if (d.lanes == 1 && d.is_float() && bits == 64) return {"d", "double"};
  switch (bits) {
    case 8: return {"r", "unsigned char"};
    case 16: return {"h", "unsigned short"};
    case 32: return {"r", d.is_int() && d.lanes == 1 ? "int" : "unsigned int"};
    case 64: return {"l", d.is_int() && d.lanes == 1 ? "long long" : "unsigned long long"};
    default: return {};
  }
}

std::string_view c_type(ir::DataType d) {
  if (d.is_void()) return "void";
  if (d.lanes != 1) return {};
  switch (d.code) {
    case ir::TypeCode::Bool: return "bool";
    case ir::TypeCode::Handle: return "void*";
    case ir::TypeCode::TensorMap: return "unsigned long long";
    case ir::TypeCode::BFloat: return "nv_bfloat16";
    case ir::TypeCode::Float: return d.bits == 16 ? "half" : d.bits == 32 ? "float" : "double";
    case ir::TypeCode::Int:
      return d.bits == 8 ? "signed char" : d.bits == 16 ? "short" : d.bits == 32 ? "int" : "long long";
    case ir::TypeCode::UInt:
      return d.bits == 8    ? "unsigned char"
             : d.bits == 16 ? "unsigned short"
             : d.bits == 32 ? "unsigned int"
                            : "unsigned long long";
    default: return {};
  }
}

std::string HelperText::name() const {
  std::string name = "tvm_builtin_";
  append_word(name, args_.row().name);
  append_word(name, args_.row().form);
  for (const Operand& o : args_.row().operands) {
    if (o.kind != OperandKind::Attribute) continue;
    std::string value = args_.text(o.name);
    std::string_view plain = o.default_text;
    if (plain.starts_with('\'')) plain = plain.substr(1, plain.size() - 2);
    if (!o.default_text.empty() && value == plain) continue;
    if (o.choices == "False|True") {
      name += args_.flag(o.name) ? "_" : "_no_";
      append_word(name, o.name);
      continue;
    }
    // Optional attributes say which one they are: two of them may take the same values.
    if (!o.default_text.empty()) append_word(name += '_', o.name);
    append_word(name += '_', value);
  }
  const Operand* previous = nullptr;
  for (const Item& item : items_) {
    if (item.is_further) continue;
    const Operand& o = *item.operand;
    bool several = !is_runtime(o.kind);
    if (!item.used) {
      // A constant made the operand superfluous ("no multicast"): another text.
      if (o.required() && !several) append_word(name += "_no_", o.name);
      continue;
    }
    if (several && previous != &o) name += "_x" + std::to_string(args_.items(o).size());
    if (!several && !o.required()) append_word(name += '_', o.name);
    // What the parameter's type depends on beyond the row: untyped values, and pointers that come as the other kind.
    bool expects_number =
        item.kind == OperandKind::TensorMap || (item.kind == OperandKind::SharedPointer && o.dtype == ir::kUInt64);
    bool is_value = item.kind == OperandKind::Value || item.kind == OperandKind::Reference;
    bool named = is_value ? item.dtype.is_void() : is_number(item.value) != expects_number;
    if (named && !(several && previous == &o)) append_word(name += '_', ir::dtype_name(item.value.dtype()));
    previous = &o;
  }
  append_word(name, literals_);
  return name;
}

HelperText::HelperText(const Arguments& a, Language language) : args_(a), language_(language) {
  for (const Operand& o : a.row().operands) {
    if (o.kind == OperandKind::Attribute) continue;
    bool several = !is_runtime(o.kind);
    int at = a.position(o), index = 0;
    for (ir::Expr value : a.items(o)) {
      if (!is_absent(value)) {
        std::string parameter(o.name);
        if (several) parameter += std::to_string(index);
        items_.push_back({at, &o, several ? o.item : o.kind, std::move(parameter), value, o.dtype, o.access});
      }
      ++at;
      ++index;
    }
  }
  if (const Operand* hint = a.operand("cache_hint"); hint && !a.given("cache_policy")) {
    immediate_policy_ = policy_of_hint(a.text("cache_hint"));
  }
}

std::string HelperText::use(Item& item) {
  item.used = true;
  if (language_ != Language::Asm) return item.parameter;
  return marked(static_cast<int>(&item - items_.data()));
}

std::string HelperText::use_operand(const Operand& operand, std::string_view as) {
  if (operand.kind == OperandKind::Attribute) return args_.text(operand.name);
  // "T", "T:first:count"
  bool read = as.starts_with("in ");
  if (read) as.remove_prefix(3);
  std::string_view type = as.substr(0, as.find(':'));
  std::size_t first = 0, count = items_.size();
  if (type.size() < as.size()) {
    std::string window(as.substr(type.size() + 1));
    first = std::stoul(window);
    count = std::stoul(window.substr(window.find(':') + 1));
  }
  std::string out;
  std::size_t index = 0;
  for (Item& item : items_) {
    if (item.operand != &operand) continue;
    const std::size_t at = index++;
    if (at < first || at - first >= count) continue;
    if (!type.empty()) item.dtype = type_word(type);
    if (read) item.access = Access::In;
    out.append(out.empty() ? "" : ", ").append(use(item));
  }
  return out;
}

std::string HelperText::use_elements(const Operand& operand, std::size_t count, std::string_view type) {
  std::string out;
  auto base = std::ranges::find(items_, &operand, &Item::operand);
  if (base == items_.end()) return out;
  const std::size_t at = static_cast<std::size_t>(base - items_.begin());
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t index = at;
    if (i > 0) {
      items_.push_back(items_[at]);
      items_.back().is_further = true;
      index = items_.size() - 1;
    }
    items_[index].dtype = type_word(type);
    items_[index].element = static_cast<int>(i);
    out.append(out.empty() ? "" : ", ").append(use(items_[index]));
    if (language_ == Language::Reading && count > 1) out.append("[").append(std::to_string(i)).append("]");
  }
  return out;
}

bool HelperText::truthy(std::string_view name) const {
  const Operand* o = args_.operand(name);
  if (!o) return false;
  if (o->kind == OperandKind::List || o->kind == OperandKind::Variadic) return !args_.items(*o).empty();
  if (o->kind != OperandKind::Attribute || o->default_text == "None") return args_.given(name);
  std::string value = args_.text(name);
  return !value.empty() && value != "False" && value != "0";
}

std::string HelperText::mark(std::string_view inside) {
  if (inside == "=") {
    uses_result_ = true;
    return language_ == Language::Reading ? "result" : marked(kResult);
  }
  bool policy = !immediate_policy_.empty() || args_.given("cache_policy");
  if (inside == "hint") return policy ? ".L2::cache_hint" : "";
  if (inside == "policy") {
    if (!policy) return "";
    if (args_.given("cache_policy")) return ", " + use_operand(*args_.operand("cache_policy"));
    if (language_ == Language::Reading) return ", " + immediate_policy_;
    uses_policy_ = true;
    return ", " + marked(kPolicy);
  }
  if (std::size_t question = inside.find('?'); question != inside.npos) {
    std::string_view name = inside.substr(0, question);
    bool negated = name.starts_with('!');
    if (negated) name.remove_prefix(1);
    return truthy(name) != negated ? expand(inside.substr(question + 1)) : "";
  }
  if (inside.starts_with('#')) {
    std::string value = attribute_text(args_[inside.substr(1)]);
    literals_.append("_").append(inside.substr(1)).append("_").append(value);
    return value;
  }
  if (std::size_t at = inside.find('@'); at != inside.npos) {
    if (args_.text(inside.substr(at + 1)).starts_with("shared")) {
      for (Item& item : items_) {
        if (item.operand->name == inside.substr(0, at)) item.kind = OperandKind::SharedPointer;
      }
    }
    inside = inside.substr(0, at);
  }
  bool dotted = inside.starts_with('.');
  if (dotted || inside.starts_with('*')) inside.remove_prefix(1);
  std::string_view as;
  if (std::size_t colon = inside.find(':'); colon != inside.npos) {
    as = inside.substr(colon + 1);
    inside = inside.substr(0, colon);
  }
  if (const std::size_t bracket = inside.find('['); bracket != inside.npos) {
    const Operand* pointer = args_.operand(inside.substr(0, bracket));
    return pointer ? use_elements(*pointer, std::stoul(std::string(inside.substr(bracket + 1))), as) : std::string();
  }
  const Operand* o = args_.operand(inside);
  if (!o) return "<no operand " + std::string(inside) + ">";  // a row's mistake; the tests assemble every row
  if (!dotted) return use_operand(*o, as);
  if (o->choices == "False|True") return args_.flag(o->name) ? "." + std::string(o->name) : "";
  std::string value = args_.text(o->name);
  return value.empty() ? "" : "." + value;
}

std::string HelperText::expand(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] == '{' || text[i] == '}') && i + 1 < text.size() && text[i + 1] == text[i]) {
      out += text[i++];
    } else if (text[i] == '{') {
      std::size_t end = closing(text, i + 1);
      out += mark(text.substr(i + 1, end - i - 1));
      i = end;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string HelperText::parameter_type(const Item& item, int template_index) const {
  ir::DataType d = item.dtype;
  if (is_shared_address(*item.operand, item.value)) return "unsigned int";
  switch (item.kind) {
    case OperandKind::SharedPointer:
    case OperandKind::GlobalPointer: return is_number(item.value) ? "unsigned long long" : "void*";
    case OperandKind::Pointer:
      if (language_ == Language::Cxx) return "T" + std::to_string(template_index);
      return is_number(item.value) ? "unsigned long long" : "void*";
    case OperandKind::TensorMap: return is_number(item.value) ? "unsigned long long" : "void*";
    case OperandKind::Reference: return "T" + std::to_string(template_index) + "&";
    default: break;
  }
  if (d.is_void() && language_ == Language::Asm) d = item.value.dtype();
  std::string_view type = d.is_void() ? std::string_view() : c_type(d);
  return type.empty() ? "T" + std::to_string(template_index) : std::string(type);
}

std::string HelperText::parameter_list(std::string& template_head) const {
  std::string parameters, types;
  int index = 0;
  for (const Item& item : items_) {
    if (!item.used || item.is_further) continue;
    std::string type = parameter_type(item, index);
    if (type.starts_with('T'))
      types.append(types.empty() ? "" : ", ").append("typename T").append(std::to_string(index));
    ++index;
    parameters.append(parameters.empty() ? "" : ", ").append(type).append(" ").append(item.parameter);
  }
  if (!types.empty()) template_head = "template <" + types + ">\n";
  return parameters;
}

std::string HelperText::constraint(const Item& item) const {
  auto operand = [](std::string_view code, std::string_view expression) {
    return "\"" + std::string(code) + "\"(" + std::string(expression) + ")";
  };
  const std::string& p = item.parameter;
  Access access = item.access;
  std::string prefix = access == Access::Out ? "=" : access == Access::InOut ? "+" : "";
  if (is_shared_address(*item.operand, item.value)) return operand("r", p);
  switch (item.kind) {
    case OperandKind::SharedPointer:
      return operand("r", "(unsigned int)__cvta_generic_to_shared(" +
                              (is_number(item.value) ? "(void*)" : std::string()) + p + ")");
    case OperandKind::Pointer:
      if (item.dtype.is_void()) return operand("l", p);
      {
        Register r = register_of(item.dtype);
        const std::string typed = "(" + std::string(r.type) + "*)" + p;
        if (item.element < 0) return operand(prefix + std::string(r.constraint), "*" + typed);
        return operand(prefix + std::string(r.constraint), "(" + typed + ")[" + std::to_string(item.element) + "]");
      }
    case OperandKind::Reference: {
      Register r = register_of(register_type(item.dtype, item.value));
      return operand(prefix + std::string(r.constraint), "*(" + std::string(r.type) + "*)&" + p);
    }
    case OperandKind::Value: {
      ir::DataType d = item.dtype.is_void() ? item.value.dtype() : item.dtype;
      Register r = register_of(d);
      if (d.is_bool() || d.storage_bits() * d.lanes == 8) return operand("r", "(int)" + p);
      if (d.is_handle()) return operand("l", p);
      bool same = c_type(d) == r.type;
      return operand(r.constraint, same ? p : "*(" + std::string(r.type) + "*)&" + p);
    }
    default: return operand("l", p);
  }
}

Emitted HelperText::start() const {
  Emitted out;
  out.helper_name = name();
  out.preamble = args_.row().preamble;
  for (const Item& item : items_) {
    if (item.used && !item.is_further) out.argument_positions.push_back(item.position);
  }
  return out;
}

Emitted HelperText::finish_asm(std::string expanded) {
  Emitted out = start();
  // Numbers: the result, what is written, what is read, the immediate policy.
  std::vector<int> order;
  ir::DataType result = args_.row().result ? args_.row().result(args_.all()) : ir::kVoid;
  if (uses_result_) order.push_back(kResult);
  for (int wanted : {1, 0}) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      bool output = items_[i].access != Access::In;
      if (items_[i].used && output == (wanted == 1)) order.push_back(static_cast<int>(i));
    }
  }
  if (uses_policy_) order.push_back(kPolicy);
  auto number = [&](int item) { return std::ranges::find(order, item) - order.begin(); };

  std::string text;
  for (std::size_t i = 0; i < expanded.size(); ++i) {
    if (expanded[i] != kMark) {
      text += expanded[i];
      continue;
    }
    std::size_t end = expanded.find(kMarkEnd, i);
    text += "%" + std::to_string(number(std::stoi(expanded.substr(i + 1, end - i - 1))));
    i = end;
  }

  std::string outputs, inputs;
  Register result_register = register_of(result);
  for (int item : order) {
    bool output = item == kResult || (item >= 0 && items_[item].access != Access::In);
    std::string& to = output ? outputs : inputs;
    if (!to.empty()) to += ", ";
    if (item == kResult) {
      to += "\"=" + std::string(result_register.constraint) + "\"(result)";
    } else if (item == kPolicy) {
      to += "\"l\"(" + immediate_policy_ + ")";
    } else {
      to += constraint(items_[item]);
    }
  }

  bool scoped = text.find(".reg ") != text.npos || text.find(":\n") != text.npos;
  std::string head;
  std::string parameters = parameter_list(head);
  std::string returned = result.is_void() || !uses_result_ ? "void" : std::string(result_register.type);
  std::string& s = out.helper_source;
  s = head + "__forceinline__ __device__ " + returned + " " + out.helper_name + "(" + parameters + ") {\n";
  // No register has 8 bits.
  const bool byte = uses_result_ && result.storage_bits() * result.lanes == 8;
  if (uses_result_) s += "  " + (byte ? "unsigned int" : returned) + " result;\n";
  s += args_.row().is_volatile ? "  asm volatile(" : "  asm(";
  std::string_view rest = text;
  if (scoped) s += "\"{\\n\"";
  bool first = !scoped;
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    if (!first) s += "\n      ";
    first = false;
    bool last = end >= rest.size() && !scoped;
    s.append("\"").append(rest.substr(0, end)).append(last ? "\"" : "\\n\"");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (scoped) s += "\n      \"}\"";
  bool clobbers = args_.row().clobbers_memory;
  if (clobbers || !inputs.empty() || !outputs.empty()) s += "\n      :" + (outputs.empty() ? "" : " " + outputs);
  if (clobbers || !inputs.empty()) s += "\n      :" + (inputs.empty() ? "" : " " + inputs);
  if (clobbers) s += "\n      : \"memory\"";
  s += ");\n";
  if (uses_result_) s += byte ? "  return (" + returned + ")result;\n" : "  return result;\n";
  s += "}\n";
  return out;
}

Emitted HelperText::finish_cxx(const std::string& expanded) {
  Emitted out = start();
  ir::DataType result = args_.row().result ? args_.row().result(args_.all()) : ir::kVoid;
  std::string_view returned = c_type(result);
  std::string head;
  std::string parameters = parameter_list(head);
  out.helper_source = head + "__forceinline__ __device__ " + std::string(returned.empty() ? "auto" : returned) + " " +
                      out.helper_name + "(" + parameters + ") {\n" + indented(expanded) + "}\n";
  return out;
}

}  // namespace tilewright::intrinsics
