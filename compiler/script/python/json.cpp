// The module `json`: dumps() of plain values, which scripts use as keys, and loads().
#include "compiler/script/python/json.h"

#include <algorithm>
#include <cmath>

#include "compiler/script/codes.h"
#include "compiler/text/json.h"

namespace tilewright::script::python {
namespace {

class Writer {
 public:
  Writer(Interpreter& in, text::Span at, bool sorted) : in_(in), at_(at), sorted_(sorted) {}

  std::string item = ", ", key = ": ";

  // False: an error is pending, or the value is none that JSON has, which is_unknown then says.
  bool write(Value v) {
    if (!in_.charge(1, at_) || !in_.enter(2, at_)) return false;
    const bool fine = one(v);
    in_.leave(2);
    return fine;
  }
  bool is_unknown() const { return !in_.has_pending(); }
  std::string take() { return std::move(text_); }

 private:
  bool one(Value v) {
    if (v.is_none()) return add("null");
    if (v.is_bool()) return add(v.b ? "true" : "false");
    if (v.is_int() || v.as<BigInt>()) return add(in_.str(v));
    if (v.is_float()) return std::isfinite(v.f) && add(in_.repr(v));
    if (Str* s = v.as<Str>()) return string(s->text);
    if (List* l = v.as<List>()) return sequence(l->items);
    if (Tuple* t = v.as<Tuple>()) return sequence(t->items);
    if (Dict* d = v.as<Dict>()) return dict(*d);
    return false;
  }

  bool add(std::string_view text) {
    text_ += text;
    return in_.reserve(text_.size(), at_);
  }

  bool string(const std::string& text) {
    return in_.charge_text(text.size(), at_) &&
           add(text::Json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  }

  bool sequence(const std::vector<Value>& items) {
    if (!add("[")) return false;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if ((i > 0 && !add(item)) || !write(items[i])) return false;
    }
    return add("]");
  }

  bool dict(const Dict& d) {
    std::vector<std::pair<std::string, Value>> entries;
    for (const auto& [k, v] : d.items) {
      Str* name = k.as<Str>();
      if (!name) return false;
      entries.emplace_back(name->text, v);
    }
    if (sorted_) std::ranges::sort(entries, {}, &std::pair<std::string, Value>::first);
    if (!add("{")) return false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if ((i > 0 && !add(item)) || !string(entries[i].first) || !add(key) || !write(entries[i].second)) return false;
    }
    return add("}");
  }

  Interpreter& in_;
  text::Span at_;
  bool sorted_;
  std::string text_;
};

Value dumps(Interpreter& in, const Arguments& args, Value) {
  const Value unknown = Value::opaque("json.dumps");
  if (args.positional.size() != 1) return unknown;
  if (const Value part = in.unknown_within(args.positional[0]); !part.is_none()) return part;
  bool sorted = false;
  Tuple* separators = nullptr;
  for (const Keyword& k : args.keywords) {
    if (k.name == "sort_keys" && k.value.is_bool()) {
      sorted = k.value.b;
    } else if (k.name == "separators" && k.value.as<Tuple>() && k.value.as<Tuple>()->items.size() == 2) {
      separators = k.value.as<Tuple>();
    } else {
      return unknown;
    }
  }
  Writer writer(in, args.call, sorted);
  if (separators) {
    Str* item = separators->items[0].as<Str>();
    Str* key = separators->items[1].as<Str>();
    if (!item || !key) return unknown;
    writer.item = item->text;
    writer.key = key->text;
  }
  if (writer.write(args.positional[0])) return in.string(writer.take());
  return writer.is_unknown() ? unknown : Value::error();
}

// A value of JSON as Python has it; nothing: an error is pending, or it has a number that is not followed.
std::optional<Value> read(Interpreter& in, const text::Json& j, text::Span at) {
  constexpr double kLarge = 9e18;
  if (!in.step(at) || !in.enter(2, at)) return std::nullopt;
  std::optional<Value> out;
  switch (j.type()) {
    case text::Json::value_t::null: out = Value::none(); break;
    case text::Json::value_t::boolean: out = Value::boolean(j.get<bool>()); break;
    case text::Json::value_t::string: out = in.string(j.get<std::string>()); break;
    case text::Json::value_t::number_integer: out = Value::integer(j.get<std::int64_t>()); break;
    case text::Json::value_t::number_unsigned:
      if (j.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX)) out = Value::integer(j.get<std::int64_t>());
      break;
    case text::Json::value_t::number_float:  // (an integer that is too large is read as one)
      if (std::abs(j.get<double>()) < kLarge) out = Value::floating(j.get<double>());
      break;
    case text::Json::value_t::array: {
      std::vector<Value> items;
      for (const text::Json& item : j) {
        const auto v = read(in, item, at);
        if (!v || !in.reserve((items.size() + 1) * sizeof(Value), at)) break;
        items.push_back(*v);
      }
      if (items.size() == j.size()) out = in.list(std::move(items));
      break;
    }
    case text::Json::value_t::object: {
      Dict* dict = in.make<Dict>();
      std::size_t taken = 0;
      for (const auto& [key, item] : j.items()) {
        const auto v = read(in, item, at);
        if (!v) break;
        in.dict_set(dict, in.string(key), *v);
        ++taken;
      }
      if (taken == j.size()) out = Value::object(dict);
      break;
    }
    default: break;
  }
  in.leave(2);
  return in.has_pending() ? std::nullopt : out;
}

Value loads(Interpreter& in, const Arguments& args, Value) {
  const Value unknown = Value::opaque("json.loads");
  Str* text = args.positional.size() == 1 && args.keywords.empty() ? args.positional[0].as<Str>() : nullptr;
  if (!text) return unknown;
  if (!in.charge_text(text->text.size(), args.call) || !in.reserve(8 * text->text.size(), args.call))
    return Value::error();
  const text::Json parsed = text::Json::parse(text->text, nullptr, false);
  if (parsed.is_discarded()) return unknown;
  const auto v = read(in, parsed, args.call);
  return v ? *v : in.has_pending() ? Value::error() : unknown;
}

constexpr Entry kJsonNames[] = {{"dumps", dumps}, {"loads", known<loads>}};

}  // namespace

std::span<const Entry> json_names() { return kJsonNames; }

}  // namespace tilewright::script::python
