// The module copy.
#include <unordered_map>

#include "compiler/script/codes.h"
#include "compiler/script/python/set_order.h"
#include "compiler/script/python/support.h"

namespace tilewright::script::python {
namespace {

class Copier {
 public:
  Copier(Interpreter& in, text::Span span, bool deep) : in_(in), span_(span), deep_(deep) {}

  Value copy(Value v, int depth = 0) {
    if (!v.is_object() || (depth > 0 && !deep_)) return v;
    if (auto made = done_.find(v.o); made != done_.end()) return made->second;
    if (!reserve(in_, span_, 64)) return Value::error();
    if (depth > kDeepest) return in_.fail(code::kLimit, span_, "the data is nested too deeply", {}, "RecursionError");
    if (List* l = v.as<List>()) {
      List* out = in_.make<List>();
      done_.emplace(v.o, Value::object(out));
      return items(l->items, out->items, depth) ? Value::object(out) : Value::error();
    }
    if (Tuple* t = v.as<Tuple>(); t && deep_) {
      Tuple* out = in_.make<Tuple>();
      return items(t->items, out->items, depth) ? Value::object(out) : Value::error();
    }
    if (Dict* d = v.as<Dict>()) {
      Dict* out = in_.make<Dict>();
      done_.emplace(v.o, Value::object(out));
      auto entries = d->items;
      for (auto& [key, value] : entries) {
        Value item = copy(value, depth + 1);
        if (item.is_error()) return item;
        if (!in_.step(span_)) return Value::error();
        in_.dict_set(out, key, item);
      }
      return Value::object(out);
    }
    if (Set* s = v.as<Set>()) {
      if (!reserve(in_, span_, s->entries.items.size() * kEntryBytes)) return Value::error();
      if (!deep_) return Value::object(copy_of(in_, *s));
      Set* out = in_.make<Set>();  // made from a list of the items
      for (Value item : ordered_items(*s)) in_.dict_set(&out->entries, item, Value::none());
      return Value::object(out);
    }
    Instance* instance = v.as<Instance>();
    if (!instance || instance->cls->is_enum) return v;
    if (const std::string_view own = deep_ ? "__deepcopy__" : "__copy__"; instance->cls->find(own)) {
      const Value memo = Value::object(in_.make<Dict>());
      const std::span<const Value> given = deep_ ? std::span(&memo, 1) : std::span<const Value>();
      const Value made = in_.call(in_.attribute(v, own, span_), given, span_);
      if (!made.is_error()) done_.emplace(v.o, made);
      return made;
    }
    Instance* out = in_.make<Instance>();
    out->cls = instance->cls;
    done_.emplace(v.o, Value::object(out));
    auto attributes = instance->attributes;
    if (!reserve(in_, span_, attributes.size() * 2 * sizeof(Value))) return Value::error();
    for (auto& [name, value] : attributes) {
      Value item = copy(value, depth + 1);
      if (item.is_error()) return item;
      out->set(name, item);
    }
    return Value::object(out);
  }

 private:
  bool items(const std::vector<Value>& from, std::vector<Value>& to, int depth) {
    if (!reserve(in_, span_, from.size() * sizeof(Value))) return false;
    to.reserve(from.size());
    for (Value item : std::vector<Value>(from)) {
      to.push_back(copy(item, depth + 1));
      if (to.back().is_error() || !in_.step(span_)) return false;
    }
    return true;
  }

  Interpreter& in_;
  text::Span span_;
  bool deep_;
  std::unordered_map<Object*, Value> done_;
};

template <bool Deep>
Value copy_value(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.empty()) return in.fail(code::kArguments, args.call, "copy() needs a value");
  return Copier(in, args.call, Deep).copy(args.positional[0]);
}

constexpr Entry kCopy[] = {{"copy", copy_value<false>}, {"deepcopy", copy_value<true>}, {"replace", replace}};

}  // namespace

std::span<const Entry> copy_names() { return kCopy; }

}  // namespace tilewright::script::python
