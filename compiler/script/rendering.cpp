// The text of values: repr, str, format specifiers, and `%`.
#include "compiler/script/rendering.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "compiler/layout/notation.h"
#include "compiler/script/operators.h"
#include "compiler/script/python/set_order.h"
#include "compiler/script/python/support.h"

namespace tilewright::script {

namespace {

constexpr std::size_t kLongest = 1'000'000;  // of the text of a container: the rest is left out

std::string big_text(__int128 v) {
  bool negative = v < 0;
  unsigned __int128 u = negative ? -static_cast<unsigned __int128>(v) : static_cast<unsigned __int128>(v);
  std::string out;
  do {
    out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(u % 10)));
    u /= 10;
  } while (u != 0);
  return negative ? "-" + out : out;
}

// `v` is of type F; the shortest text that is read back as it.
template <class F>
std::string shortest_text(F v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  char buffer[64];
  const F magnitude = std::fabs(v);
  bool scientific = v != 0 && (magnitude >= 1e16 || magnitude < 1e-4);
  auto r = std::to_chars(buffer, buffer + sizeof buffer, v,
                         scientific ? std::chars_format::scientific : std::chars_format::fixed);
  std::string out(buffer, r.ptr);
  if (!scientific && out.find('.') == std::string::npos) out += ".0";
  return out;
}
std::string float_text(double v) { return shortest_text(v); }

// As Python quotes: in single quotes, unless that takes more escapes than double ones.
std::string in_quotes(std::string_view text) {
  char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
  std::string out(1, quote);
  for (char c : text) {
    auto code = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (code < 0x20 || code == 0x7f) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      out += {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]};
    } else {
      out += c;
    }
  }
  return out + quote;
}

// What the script's own method says; nothing where there is none, or where it fails.
std::optional<std::string> own_text(Interpreter& in, Value v, const char* method) {
  if (!v.as<Instance>()->cls->find(method)) return std::nullopt;
  Value r = in.call(in.attribute(v, method, {}), std::span<const Value>(), {});
  if (r.is_error()) {
    Pending pending = in.take_pending();
    if (pending.fatal) python::raise_again(in, pending, {});
    return std::nullopt;
  }
  if (Str* s = r.as<Str>()) return s->text;
  return std::nullopt;
}

std::string repr_of_instance(Interpreter& in, Value v) {
  Instance* instance = v.as<Instance>();
  if (auto own = own_text(in, v, "__repr__")) return *own;
  if (instance->cls->is_enum) {
    Value *name = instance->find("name"), *value = instance->find("value");
    const bool unnamed = name && name->is_none();  // a combination of flags that has no name
    return "<" + instance->cls->name + (unnamed ? "" : "." + (name ? in.str(*name) : "?")) +
           (value ? ": " + in.repr(*value) : "") + ">";
  }
  const bool of_names = instance->cls->name == "SimpleNamespace" && !instance->cls->scope->parent;
  std::string out = (of_names ? "namespace" : instance->cls->name) + "(";
  if (of_names) {
    for (const auto& [name, value] : instance->attributes) {
      if (out.size() > kLongest || in.has_pending()) break;
      out += (out.back() == '(' ? "" : ", ") + name + "=" + in.repr(value);
    }
  } else if (instance->cls->is_dataclass) {
    for (const std::string& field : instance->cls->fields) {
      if (out.size() > kLongest || in.has_pending()) break;
      if (!python::is_shown_field(in, instance->cls, field)) continue;
      if (Value* f = instance->find(field)) out += (out.back() == '(' ? "" : ", ") + field + "=" + in.repr(*f);
    }
  } else if (instance->cls->is_exception) {
    Value* args = instance->find("args");
    if (Tuple* t = args ? args->as<Tuple>() : nullptr) {
      for (Value arg : t->items) {
        if (out.size() > kLongest || in.has_pending()) break;
        out += (out.back() == '(' ? "" : ", ") + in.repr(arg);
      }
    }
  }
  return out + ")";
}

// Members of IntEnum and StrEnum print as their values, those of other enums with their names.
std::string str_of_member(Interpreter& in, Instance* member) {
  Value *name = member->find("name"), *value = member->find("value");
  bool prints_value = std::ranges::any_of(member->cls->mro, [](const Class* c) {
    return c->name == "IntEnum" || c->name == "StrEnum" || c->name == "IntFlag";
  });
  if (prints_value && value) return in.str(*value);
  if (name && name->is_none() && value) return member->cls->name + "(" + in.repr(*value) + ")";
  return member->cls->name + "." + (name ? in.str(*name) : "?");
}

std::string str_of_instance(Interpreter& in, Value v) {
  Instance* instance = v.as<Instance>();
  if (auto own = own_text(in, v, "__str__")) return *own;
  if (instance->cls->is_enum && !instance->cls->find("__repr__")) return str_of_member(in, instance);
  Value* args = instance->cls->is_exception ? instance->find("args") : nullptr;
  if (Tuple* t = args ? args->as<Tuple>() : nullptr) {
    const bool quotes = std::ranges::any_of(instance->cls->mro, [](const Class* c) { return c->name == "KeyError"; });
    if (t->items.size() == 1) return quotes ? in.repr(t->items[0]) : in.str(t->items[0]);
    return t->items.empty() ? "" : in.str(*args);
  }
  return in.repr(v);
}

// What stands around the items of a list, a set or a view of a dict.
std::pair<const char*, const char*> brackets_of(Value v) {
  if (auto* view = values_view(v)) {
    return {view->has_keys ? "dict_items([" : "dict_values([", "])"};
  }
  if (v.as<List>()) return {"[", "]"};
  if (dynamic_cast<KeysView*>(v.o)) return {"dict_keys([", "])"};
  return v.as<Set>()->is_frozen ? std::pair{"frozenset({", "})"} : std::pair{"{", "}"};
}

// A specifier of the format language: [[fill]align][sign][#][0][width][grouping][.precision][type]
struct Specifier {
  char fill = ' ', align = 0, sign = '-', grouping = 0, type = 0;
  bool alternate = false;
  int width = 0, precision = -1;
};

std::optional<Specifier> parse_specifier(std::string_view text) {
  Specifier s;
  std::size_t i = 0;
  auto is_align = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  auto one_of = [&](std::string_view chars) { return i < text.size() && chars.find(text[i]) != chars.npos; };
  auto number = [&] {
    int n = 0;
    for (; one_of("0123456789"); ++i) n = std::min(n * 10 + (text[i] - '0'), 100000);
    return n;
  };
  if (text.size() > 1 && is_align(text[1])) {
    s.fill = text[0];
    s.align = text[1];
    i = 2;
  } else if (!text.empty() && is_align(text[0])) {
    s.align = text[i++];
  }
  if (one_of("+- ")) s.sign = text[i++];
  if (one_of("#")) {
    s.alternate = true;
    ++i;
  }
  if (one_of("0")) {
    if (!s.align) {
      s.fill = '0';
      s.align = '=';
    }
    ++i;
  }
  s.width = number();
  if (one_of(",_")) s.grouping = text[i++];
  if (one_of(".")) {
    ++i;
    s.precision = std::min(number(), 100);
  }
  if (i < text.size()) s.type = text[i++];
  return i == text.size() ? std::optional(s) : std::nullopt;
}

void group_digits(std::string& digits, std::size_t end, char separator, std::size_t every) {
  for (std::size_t at = end; at > every; at -= every) digits.insert(at - every, 1, separator);
}

// The digits of an integer without its sign.
std::string integer_digits(unsigned __int128 magnitude, const Specifier& s) {
  bool decimal = s.type == 0 || s.type == 'd' || s.type == 'n';
  unsigned base = decimal ? 10 : s.type == 'o' ? 8 : s.type == 'b' ? 2 : 16;
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[static_cast<int>(magnitude % base)]);
    magnitude /= base;
  } while (magnitude != 0);
  if (s.type == 'X')
    std::ranges::transform(digits, digits.begin(), [](char c) { return c >= 'a' ? c - 'a' + 'A' : c; });
  if (s.grouping) group_digits(digits, digits.size(), s.grouping, decimal ? 3 : 4);
  return digits;
}

// The digits of a number without its sign.
std::string float_digits(double magnitude, const Specifier& s) {
  std::string digits;
  if (s.type == 0 && s.precision < 0) {
    digits = float_text(magnitude);
  } else {
    char buffer[512];
    double value = s.type == '%' ? magnitude * 100 : magnitude;
    std::string pattern = std::string("%.*") + (s.type == 0 ? 'g' : s.type == '%' ? 'f' : s.type);
    std::snprintf(buffer, sizeof buffer, pattern.c_str(), s.precision < 0 ? 6 : s.precision, value);
    digits = buffer;
    if (s.type == 0 && digits.find_first_of(".en") == digits.npos) digits += ".0";
  }
  if (s.grouping) {
    std::size_t end = digits.find_first_not_of("0123456789");
    group_digits(digits, std::min(end, digits.size()), s.grouping, 3);
  }
  if (s.type == '%') digits += '%';
  return digits;
}

// `prefix`: sign and base, before which `=` does not fill.
std::string padded(const Specifier& s, char align, const std::string& prefix, const std::string& body) {
  std::size_t length = python::text_length(prefix) + python::text_length(body);
  std::size_t pad = std::cmp_less(length, s.width) ? static_cast<std::size_t>(s.width) - length : 0;
  std::size_t before = align == '<' ? 0 : align == '^' ? pad / 2 : pad;
  if (align == '=') return prefix + std::string(pad, s.fill) + body;
  return std::string(before, s.fill) + prefix + body + std::string(pad - before, s.fill);
}

std::string sign_of(bool negative, char wanted) {
  if (negative) return "-";
  return wanted == '-' ? "" : std::string(1, wanted);
}

}  // namespace

std::string Interpreter::repr(Value v) {
  switch (v.tag) {
    case Tag::Error:
    case Tag::Poison: return "<error>";
    case Tag::Opaque: return "<unknown>";
    case Tag::None: return "None";
    case Tag::Ellipsis: return "Ellipsis";
    case Tag::NotImplemented: return "NotImplemented";
    case Tag::Bool: return v.b ? "True" : "False";
    case Tag::Int: return std::to_string(v.i);
    case Tag::Float: return v.numpy == NumpyType::Float32 ? shortest_text(static_cast<float>(v.f)) : float_text(v.f);
    case Tag::Expr: return ir::to_exact_string(v.as_expr());
    case Tag::Object: break;
  }
  if (budget_.is_too_deep() || !step(at_)) return "...";
  struct Depth {
    Budget& budget;
    explicit Depth(Budget& b) : budget(b) { budget.descend(8); }
    ~Depth() { budget.leave(8); }
  } guard(budget_);
  auto join = [&](const std::vector<Value>& items, const char* open, const char* close) {
    std::string out = open;
    for (std::size_t i = 0; i < items.size() && out.size() < kLongest && !errors_.pending; ++i) {
      if (!step(at_)) break;
      out += (i ? ", " : "") + repr(items[i]);
    }
    return out + close;
  };
  switch (v.o->type) {
    case Type::Str: {
      const std::string& text = v.as<Str>()->text;
      // Each character may take four, and what the text becomes a part of is copied.
      if (!charge_text(text.size(), at_) || !reserve(8 * text.size(), at_)) return {};
      return in_quotes(text);
    }
    case Type::BigInt: return big_text(v.as<BigInt>()->value);
    case Type::List: return join(v.as<List>()->items, brackets_of(v).first, brackets_of(v).second);
    case Type::Tuple: return join(v.as<Tuple>()->items, "(", v.as<Tuple>()->items.size() == 1 ? ",)" : ")");
    case Type::Dict: {
      std::string out = "{";
      for (auto& [k, value] : v.as<Dict>()->items) {
        if (out.size() > kLongest || !step(at_)) break;
        out += (out.size() > 1 ? ", " : "") + repr(k) + ": " + repr(value);
      }
      return out + "}";
    }
    case Type::Set: {
      const bool empty = v.as<Set>()->entries.items.empty() && !dynamic_cast<KeysView*>(v.o);
      if (empty) return v.as<Set>()->is_frozen ? "frozenset()" : "set()";
      return join(python::walked_items(*this, *v.as<Set>(), at_), brackets_of(v).first, brackets_of(v).second);
    }
    case Type::Range: {
      Range* r = v.as<Range>();
      std::string out = "range(" + std::to_string(r->start) + ", " + std::to_string(r->stop);
      return out + (r->step == 1 ? ")" : ", " + std::to_string(r->step) + ")");
    }
    case Type::Slice: {
      Slice* s = v.as<Slice>();
      return "slice(" + repr(s->start) + ", " + repr(s->stop) + ", " + repr(s->step) + ")";
    }
    case Type::Function: return "<function " + std::string(v.as<Function>()->def->name.text) + ">";
    case Type::Class: return "<class '" + v.as<Class>()->name + "'>";
    case Type::Instance: return repr_of_instance(*this, v);
    case Type::Namespace: return "<module '" + v.as<Namespace>()->path + "'>";
    case Type::Buffer: return std::string(v.as<BufferValue>()->buffer->name);
    case Type::Layout: {
      const layout::Layout& l = *v.as<LayoutValue>()->layout;
      return dialect_ < text::Dialect::V0_26 ? layout::to_string(l) : layout::to_combined_string(l);
    }
    case Type::Axis: return std::string(layout::axis_name(v.as<AxisValue>()->axis));
    case Type::DataType: return ir::dtype_name(v.as<DataTypeValue>()->dtype);
    case Type::Kernel: return "<kernel " + std::string(v.as<KernelValue>()->kernel.name) + ">";
    case Type::MetaVar: return repr(v.as<MetaVar>()->value);
    default: return "<" + std::string(type_name(v)) + ">";
  }
}

std::string Interpreter::str(Value v) {
  if (Str* s = v.as<Str>()) return s->text;
  if (MetaVar* m = v.as<MetaVar>()) return str(m->value);
  if (!v.as<Instance>() || budget_.is_too_deep()) return repr(v);
  budget_.descend(8);
  std::string text = str_of_instance(*this, v);
  budget_.leave(8);
  return text;
}

std::optional<std::string> Interpreter::format(Value v, std::string_view spec, text::Span span) {
  Instance* instance = v.as<Instance>();
  if (Value* own = instance ? instance->cls->find("__format__") : nullptr; own && own->as<Function>()) {
    const Value given = string(spec);
    const Value text = call(attribute(v, "__format__", span), {&given, 1}, span);
    if (Str* made = text.as<Str>()) return made->text;
    if (!text.is_error()) fail(code::kOpaque, span, "what __format__ gives is not known here");
    return std::nullopt;
  }
  if (spec.empty()) return str(v);
  if (v.is_none() || v.as<List>() || v.as<Tuple>() || v.as<Dict>() || v.as<Set>()) {
    fail(code::kType, span, std::string(type_name(v)) + " takes no format specifier", "write str(...) around it");
    certainly();
    return std::nullopt;
  }
  auto parsed = parse_specifier(spec);
  if (!parsed) {
    fail(code::kValue, span, "invalid format specifier '" + std::string(spec) + "'", {}, "ValueError");
    return std::nullopt;
  }
  const Specifier& s = *parsed;
  auto any_of = [&](std::string_view types) { return s.type == 0 || types.find(s.type) != types.npos; };
  auto aligned = [&](char absent) { return s.align ? s.align : absent; };
  if (auto x = as_big(v); x && any_of("dxXobn")) {
    std::string prefix = sign_of(*x < 0, s.sign);
    if (s.alternate && std::string_view("xXob").find(s.type) != std::string_view::npos && s.type) {
      prefix += {'0', s.type};
    }
    auto magnitude = *x < 0 ? -static_cast<unsigned __int128>(*x) : static_cast<unsigned __int128>(*x);
    return padded(s, aligned('>'), prefix, integer_digits(magnitude, s));
  }
  if (auto f = as_number(v); f && any_of("feEgG%F")) {
    return padded(s, aligned('>'), sign_of(std::signbit(*f), s.sign), float_digits(std::fabs(*f), s));
  }
  if (!any_of("s") && (as_number(v) || v.as<Str>())) {
    fail(code::kValue, span, std::string("the format code '") + s.type + "' does not fit " + std::string(type_name(v)),
         {}, "ValueError");
    return std::nullopt;
  }
  std::string body = str(v);
  if (s.precision >= 0) body.resize(python::text_offset(body, static_cast<std::size_t>(s.precision)));
  return padded(s, aligned('<'), "", body);
}

namespace {

// `text % values`, a conversion after the other.
class PercentFormat {
 public:
  PercentFormat(Interpreter& in, std::string_view text, Value values, text::Span span)
      : in_(in),
        text_(text),
        values_(values),
        several_(values.as<Tuple>()),
        count_(several_ ? several_->items.size() : 1),
        span_(span) {}

  // Nothing: an error is pending.
  std::optional<std::string> run() {
    std::string out;
    while (i_ < text_.size()) {
      char c = text_[i_++];
      if (c != '%') {
        out += c;
      } else if (one_of("%")) {
        out += text_[i_++];
      } else {
        auto made = conversion();
        if (!made || !in_.reserve(2 * (out.size() + made->size()), span_)) return std::nullopt;
        out += *made;
      }
    }
    if (several_ && next_ != count_) return wrong("there are more values than the format text takes");
    return out;
  }

 private:
  // What stands between the % and the letter.
  struct Spec {
    bool left = false, zero = false;
    std::string sign, alternate, width, precision;  // precision: empty, none is given
  };

  std::nullopt_t wrong(std::string message) {
    in_.fail(code::kValue, span_, std::move(message), {}, "TypeError");
    return std::nullopt;
  }
  bool one_of(std::string_view chars) const { return i_ < text_.size() && chars.find(text_[i_]) != chars.npos; }

  std::optional<Value> next_value() {
    if (next_ == count_) return wrong("there are not enough values for the format text");
    Value v = several_ ? several_->items[next_] : values_;
    ++next_;
    return v;
  }

  // %(key)d: a value of a dict.
  std::optional<Value> named_value() {
    std::size_t close = text_.find(')', i_);
    Dict* dict = values_.as<Dict>();
    if (close == text_.npos || !dict) return wrong("the format text names a key, which needs a dict");
    const std::string_view key = text_.substr(i_ + 1, close - i_ - 1);
    Value* found = in_.dict_find(dict, in_.string(key));
    if (!found) return wrong("the dict has no key '" + std::string(key) + "'");
    i_ = close + 1;
    next_ = count_;
    return *found;
  }

  // A width or a precision: digits, or `*` for the next value.
  std::optional<std::string> number() {
    std::string digits;
    if (one_of("*")) {
      ++i_;
      auto v = next_value();
      auto n = v ? in_.as_int(*v, span_, "a width") : std::nullopt;
      return n ? std::optional(std::to_string(std::max<std::int64_t>(*n, 0))) : std::nullopt;
    }
    while (one_of("0123456789")) digits += text_[i_++];
    return digits;
  }

  std::optional<Spec> spec() {
    Spec s;
    for (; one_of("-+ 0#"); ++i_) {
      if (text_[i_] == '-') s.left = true;
      if (text_[i_] == '0') s.zero = true;
      if (text_[i_] == '#') s.alternate = "#";
      if (text_[i_] == '+' || (text_[i_] == ' ' && s.sign.empty())) s.sign = text_[i_];
    }
    auto width = number();
    if (!width) return std::nullopt;
    s.width = *width;
    if (one_of(".")) {
      ++i_;
      auto precision = number();
      if (!precision) return std::nullopt;
      s.precision = precision->empty() ? "0" : *precision;
    }
    return s;
  }

  std::optional<std::string> conversion() {
    std::optional<Value> named;
    if (one_of("(")) {
      named = named_value();
      if (!named) return std::nullopt;
    }
    auto s = spec();
    if (!s) return std::nullopt;
    if (i_ == text_.size()) return wrong("the format text ends in the middle of a '%'");
    char type = text_[i_++];
    std::optional<Value> v = named ? named : next_value();
    return v ? formatted(type, *v, *s) : std::nullopt;
  }

  std::optional<std::string> formatted(char type, Value v, const Spec& s) {
    const std::string dot = s.precision.empty() ? "" : "." + s.precision, align = s.left ? "<" : s.zero ? "" : ">";
    const std::string zero = s.zero && !s.left ? "0" : "";
    if (type == 's' || type == 'r' || type == 'a') {
      return in_.format(in_.string(type == 's' ? in_.str(v) : in_.repr(v)), (s.left ? "<" : ">") + s.width + dot,
                        span_);
    }
    if (type == 'c' && v.as<Str>()) return in_.format(v, (s.left ? "<" : ">") + s.width, span_);
    if (std::string_view("diuxXo").find(type) != std::string_view::npos) {
      auto x = in_.as_big(v);
      if (auto f = in_.as_number(v); !x && f && std::fabs(*f) < 1e30) x = static_cast<__int128>(*f);
      if (!x) return wrong(std::string("%") + type + " needs a number, not " + std::string(type_name(v)));
      char as = type == 'i' || type == 'u' ? 'd' : type;
      return in_.format(in_.big(*x), align + s.sign + s.alternate + zero + s.width + as, span_);
    }
    if (std::string_view("feEgGF").find(type) != std::string_view::npos) {
      auto f = in_.as_number(v);
      if (!f) return wrong(std::string("%") + type + " needs a number, not " + std::string(type_name(v)));
      return in_.format(Value::floating(*f), align + s.sign + zero + s.width + dot + type, span_);
    }
    return wrong(std::string("'%") + type + "' is no format");
  }

  Interpreter& in_;
  std::string_view text_;
  Value values_;
  Tuple* several_;
  std::size_t count_, next_ = 0;  // values, and the next of them
  text::Span span_;
  std::size_t i_ = 0;
};

}  // namespace

std::optional<std::string> percent_format(Interpreter& in, std::string_view text, Value values, text::Span span) {
  return PercentFormat(in, text, values, span).run();
}

}  // namespace tilewright::script
