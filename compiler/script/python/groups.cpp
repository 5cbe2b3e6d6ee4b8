#include "compiler/script/python/groups.h"

#include <algorithm>

#include "compiler/script/aliases.h"
#include "compiler/script/codes.h"
#include "compiler/script/python/support.h"
#include "compiler/script/worlds.h"

namespace tilewright::script::python {
namespace {

using syntax::Operator;

// ---- groups ---------------------------------------------------------------------------------------------------------

class Groups final : public Source {
 public:
  Value input, key;          // key None: the items themselves
  Value group;               // the iterator of the group under way; None: there is none yet
  std::vector<Value> ahead;  // the first item of the next group and its key, or nothing
  bool done = false;

  std::unique_ptr<Source> copy() const override { return std::make_unique<Groups>(*this); }
  bool same(const Source& other) const override {
    auto* o = dynamic_cast<const Groups*>(&other);
    return o && o->done == done && is_same(o->input, input) && is_same(o->key, key) && is_same(o->group, group) &&
           std::ranges::equal(o->ahead, ahead, is_same);
  }
  std::vector<Value> parts() const override {
    std::vector<Value> out = ahead;
    out.insert(out.end(), {input, key, group});
    return out;
  }
  void add_changed(Interpreter& in, const char* why, std::vector<Value>& changed) const override {
    if (!done) add_changed_by(in, key, why, changed);
    if (!done && group.is_object()) changed.push_back(group);
  }

  Next pull(Interpreter& in, Value, Value* item, text::Span span) override {
    if (Iterator* before = group.as<Iterator>()) before->next = before->items.size();
    if (done) return Next::End;
    if (ahead.empty()) {
      const Next next = read(in, item, span);
      done = next != Next::Item;
      if (done) return next;
    }
    const Value of = ahead[1];
    Iterator* members = in.make<Iterator>();
    while (!done && is_of(in, of, item, span)) {
      if (!reserve(in, span, sizeof(Value))) return Next::Failed;
      members->items.push_back(ahead[0]);
      ahead.clear();
      const Next next = read(in, item, span);
      if (next == Next::Unknown || next == Next::Failed) return next;
      done = next == Next::End;
    }
    if (in.has_pending()) return Next::Failed;
    if (item->is_opaque()) return Next::Unknown;
    group = Value::object(members);
    *item = in.tuple({of, group});
    return Next::Item;
  }

 private:
  // The next item and its key, into `ahead`.
  Next read(Interpreter& in, Value* item, text::Span span) {
    const Next next = in.next_of(input, item, span);
    if (next != Next::Item) return next;
    const Value of = key.is_none() ? *item : call(in, key, {*item}, span);
    if (of.is_error()) return Next::Failed;
    if (of.is_opaque()) *item = of;
    if (of.is_opaque()) return Next::Unknown;
    ahead = {*item, of};
    return in.step(span) ? Next::Item : Next::Failed;
  }
  // Does what is ahead belong to the group of this key? False as well after an error, and with `item` not known.
  bool is_of(Interpreter& in, Value of, Value* item, text::Span span) {
    const Value same = in.compare(Operator::Eq, of, ahead[1], span);
    if (same.is_opaque()) *item = same;
    if (same.is_opaque() || same.is_error()) return false;
    return in.truth(same, span).value_or(false);
  }
};

// ---- keys by comparison
// ----------------------------------------------------------------------------------------------

constexpr std::string_view kCompare = "<compare>";

template <Operator Op>
Value by_comparison(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "a comparison", 2, 2)) return Value::error();
  Instance *a = args.positional[0].as<Instance>(), *b = args.positional[1].as<Instance>();
  if (!a || !b || a->cls != b->cls || !a->find(kCompare)) return Value::not_implemented();
  const Value order = call(in, *a->find(kCompare), {*a->find("obj"), *b->find("obj")}, args.call);
  return order.is_error() || order.is_opaque() ? order : in.compare(Op, order, Value::integer(0), args.call);
}

Class* key_class(Interpreter& in) {
  return shared_class(in, "functools.KeyWrapper", [&] {
    Class* cls = make_class(in, "KeyWrapper", {class_named(in, "object")});
    add_method(in, cls, "__lt__", by_comparison<Operator::Lt>);
    add_method(in, cls, "__le__", by_comparison<Operator::Le>);
    add_method(in, cls, "__gt__", by_comparison<Operator::Gt>);
    add_method(in, cls, "__ge__", by_comparison<Operator::Ge>);
    add_method(in, cls, "__eq__", by_comparison<Operator::Eq>);
    return cls;
  });
}

Value make_key(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "K", 1, 1)) return Value::error();
  Instance* key = in.make<Instance>();
  key->cls = key_class(in);
  key->set(kCompare, self);
  key->set("obj", args.positional[0]);
  return Value::object(key);
}

}  // namespace

Value group_by(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "groupby", {"iterable", "key"}, 1);
  if (!a) return Value::error();
  if (a[0].is_opaque()) return a[0];
  if (a.has(1) && a[1].is_opaque()) return a[1];
  auto source = std::make_unique<Groups>();
  source->input = in.iterator_of(a[0], args.call);
  source->key = a.has(1) ? a[1] : Value::none();
  source->group = Value::none();
  if (source->input.is_error() || !reserve(in, args.call, sizeof(Groups))) return Value::error();
  Iterator* it = in.make<Iterator>();
  it->source = std::move(source);
  return Value::object(it);
}

Value cmp_to_key(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "cmp_to_key", 1, 1)) return Value::error();
  if (args.positional[0].is_opaque()) return args.positional[0];
  return in.native("key", make_key, args.positional[0]);
}

}  // namespace tilewright::script::python
