#include "compiler/script/python/lazy_iterators.h"

#include <algorithm>

#include "compiler/script/aliases.h"
#include "compiler/script/worlds.h"

namespace tilewright::script::python {
namespace {

class LazyItems final : public Source {
 public:
  Over over{};
  Value function;
  std::vector<Value> inputs, seen;  // seen: of cycle, what it repeats
  std::int64_t at = 0, step = 1, stop = -1;
  std::size_t input = 0;  // of chain, which runs
  bool open = true;       // dropwhile drops, takewhile takes; cycle still reads
  bool done = false;
  TableRun table{Value::none()};

  std::unique_ptr<Source> copy() const override { return std::make_unique<LazyItems>(*this); }
  bool same(const Source& other) const override {
    auto* o = dynamic_cast<const LazyItems*>(&other);
    return o && o->over == over && is_same(o->function, function) && o->at == at && o->input == input &&
           o->open == open && o->done == done && std::ranges::equal(o->inputs, inputs, is_same) &&
           std::ranges::equal(o->seen, seen, is_same);
  }
  std::vector<Value> parts() const override {
    std::vector<Value> out = inputs;
    out.insert(out.end(), seen.begin(), seen.end());
    out.push_back(function);
    return out;
  }
  void add_held(std::vector<Object*>& held) const override {
    if (table.holder().is_object()) held.push_back(table.holder().o);
  }
  void add_changed(Interpreter& in, const char* why, std::vector<Value>& changed) const override {
    if (!done && over != Over::Items && over != Over::Table) add_changed_by(in, function, why, changed);
  }

  Next pull(Interpreter& in, Value, Value* item, text::Span span) override {
    if (done) return Next::End;
    const Next next = next_item(in, item, span);
    done = next == Next::End || next == Next::Failed;
    return next;
  }

 private:
  Next call_with(Interpreter& in, std::span<const Value> args, Value* item, text::Span span) {
    *item = in.call(function, args, span);
    return item->is_error() ? Next::Failed : Next::Item;
  }

  // One of each input.
  Next row(Interpreter& in, std::vector<Value>& out, Value* item, text::Span span) {
    for (Value v : inputs) {
      const Next next = in.next_of(v, item, span);
      if (next != Next::Item) return next;
      out.push_back(*item);
    }
    return out.empty() ? Next::End : Next::Item;
  }

  // Does the function hold for the item? Nothing: an error is pending, or `item` says what is not known.
  std::optional<bool> holds(Interpreter& in, Value* item, text::Span span) {
    Value test = *item;
    if (!function.is_none()) test = in.call(function, {item, 1}, span);
    if (test.is_opaque()) *item = test;
    return test.is_error() || test.is_opaque() ? std::nullopt : in.truth(test, span);
  }

  Next selected(Interpreter& in, Value* item, text::Span span) {
    while (true) {
      const Next next = in.next_of(inputs[0], item, span);
      if (next != Next::Item) return next;
      if (over == Over::DropWhile && !open) return next;
      const std::optional<bool> kept = holds(in, item, span);
      if (!kept) return in.has_pending() ? Next::Failed : Next::Unknown;
      if (over == Over::TakeWhile) return *kept ? Next::Item : Next::End;
      if (over == Over::DropWhile) open = *kept;
      if (*kept != (over == Over::DropWhile)) return Next::Item;
    }
  }

  Next chained(Interpreter& in, Value* item, text::Span span) {
    while (true) {
      if (over == Over::ChainOfOne && inputs.size() < 2) {
        Value more;
        const Next next = in.next_of(inputs[0], &more, span);
        if (next != Next::Item) {
          *item = more;
          return next;
        }
        inputs.push_back(in.iterator_of(more, span));
        if (inputs.back().is_error()) return Next::Failed;
      }
      const std::size_t which = over == Over::ChainOfOne ? 1 : input;
      if (which >= inputs.size()) return Next::End;
      const Next next = in.next_of(inputs[which], item, span);
      if (next != Next::End) return next;
      if (over == Over::ChainOfOne) {
        inputs.pop_back();
      } else {
        ++input;
      }
    }
  }

  Next cycled(Interpreter& in, Value* item, text::Span span) {
    if (open) {
      const Next next = in.next_of(inputs[0], item, span);
      if (next == Next::Item) {
        if (!reserve(in, span, sizeof(Value))) return Next::Failed;
        seen.push_back(*item);
      }
      if (next != Next::End) return next;
      open = false;
    }
    if (seen.empty()) return Next::End;
    *item = seen[input++ % seen.size()];
    return Next::Item;
  }

  Next sliced(Interpreter& in, Value* item, text::Span span) {
    // `at`: how many are to be passed over before the next; `stop`: how many may still be read.
    while (true) {
      if (stop == 0) return Next::End;
      const Next next = in.next_of(inputs[0], item, span);
      if (next != Next::Item) return next;
      if (stop > 0) --stop;
      if (at-- > 0) continue;
      at = step - 1;
      return Next::Item;
    }
  }

  Next next_item(Interpreter& in, Value* item, text::Span span) {
    std::vector<Value> items;
    switch (over) {
      case Over::Map: {
        const Next next = row(in, items, item, span);
        return next == Next::Item ? call_with(in, items, item, span) : next;
      }
      case Over::StarMap: {
        const Next next = in.next_of(inputs[0], item, span);
        if (next != Next::Item) return next;
        auto args = in.iterate(*item, span);
        return args ? call_with(in, *args, item, span) : Next::Failed;
      }
      case Over::Zip: {
        const Next next = row(in, items, item, span);
        if (next == Next::Item) *item = in.tuple(std::move(items));
        return next;
      }
      case Over::Enumerate: {
        const Next next = in.next_of(inputs[0], item, span);
        if (next == Next::Item) *item = in.tuple({Value::integer(at++), *item});
        return next;
      }
      case Over::Count:
        *item = Value::integer(at);
        at += step;
        return Next::Item;
      case Over::Repeat: *item = function; return Next::Item;
      case Over::Items: {
        const List* list = function.as<List>();
        if (!list) *item = function;  // not known any more
        if (!list) return function.is_opaque() ? Next::Unknown : Next::End;
        if (static_cast<std::size_t>(at) >= list->items.size()) return Next::End;
        *item = list->items[static_cast<std::size_t>(at++)];
        return Next::Item;
      }
      case Over::Table:
        if (table.is_lost()) *item = table.holder();
        if (table.is_lost()) return Next::Unknown;
        if (!table.goes_on(in, span)) return Next::Failed;
        if (static_cast<std::size_t>(at) >= seen.size()) return Next::End;
        *item = table.item(in, static_cast<std::size_t>(at), seen[static_cast<std::size_t>(at)]);
        ++at;
        return Next::Item;
      case Over::Chain:
      case Over::ChainOfOne: return chained(in, item, span);
      case Over::Cycle: return cycled(in, item, span);
      case Over::Slice: return sliced(in, item, span);
      default: return selected(in, item, span);
    }
  }
};

}  // namespace

std::optional<std::vector<Value>> items_up_to(Interpreter& in, Value v, std::size_t most, text::Span span,
                                              Value& unknown) {
  if (!comes_by_items({&v, 1})) return in.iterate(v, span);
  const Value iterator = in.iterator_of(v, span);
  if (iterator.is_error()) return std::nullopt;
  std::vector<Value> items;
  while (items.size() < most) {
    Value item;
    const Next next = in.next_of(iterator, &item, span);
    if (next == Next::Failed) return std::nullopt;
    if (next == Next::Unknown) unknown = item;
    if (next != Next::Item) break;
    items.push_back(item);
  }
  return items;
}

bool runs_script(Value v) {
  const Iterator* it = v.as<Iterator>();
  Instance* instance = v.as<Instance>();
  if (!instance) return it && (it->source || it->is_running);
  Value* own = instance->cls->find("__iter__");
  return instance->cls->find("__next__") || (own && own->as<Function>());
}

bool comes_by_items(std::span<const Value> values) {
  return std::ranges::any_of(values, [](Value v) { return v.as<Iterator>() || runs_script(v); });
}

Value lazy_iterator(Interpreter& in, Over over, Value function, std::span<const Value> inputs, text::Span span,
                    std::int64_t start, std::int64_t step, std::int64_t stop) {
  auto source = std::make_unique<LazyItems>();
  source->over = over;
  source->function = function;
  source->at = start;
  source->step = step;
  source->stop = stop;
  for (Value v : inputs) {
    source->inputs.push_back(in.iterator_of(v, span));
    if (source->inputs.back().is_error()) return Value::error();
  }
  if (!reserve(in, span, sizeof(LazyItems) + inputs.size() * sizeof(Value))) return Value::error();
  Iterator* it = in.make<Iterator>();
  it->source = std::move(source);
  return Value::object(it);
}

Value list_iterator(Interpreter& in, Value list, text::Span span) {
  return lazy_iterator(in, Over::Items, list, {}, span);
}

Value table_iterator(Interpreter& in, Value table, text::Span span) {
  auto items = in.iterate(table, span);
  if (!items || !reserve(in, span, sizeof(LazyItems))) return Value::error();
  in.heap().count(items->size() * sizeof(Value));
  auto source = std::make_unique<LazyItems>();
  source->over = Over::Table;
  source->function = table;
  source->table = TableRun(table);
  source->seen = std::move(*items);
  Iterator* it = in.make<Iterator>();
  it->source = std::move(source);
  return Value::object(it);
}

TableRun::TableRun(Value v) {
  if (!v.is_object()) return;
  if (auto* keys = keys_view(v)) v = Value::object(keys->of);
  if (auto* view = values_view(v)) {
    view_ = view;
    v = Value::object(view->of);
  }
  holder_ = v;
  is_dict_ = v.as<Dict>();
  // (A view is made of a dict; that may have become unknown since.)
  table_ = v.as<Set>() ? &v.as<Set>()->entries : v.as<Dict>();
  if (!table_) return;
  size_ = table_->items.size();
  version_ = table_->version;
}

bool TableRun::goes_on(Interpreter& in, text::Span span) const {
  if (!table_ || is_lost() || table_->version == version_) return true;
  const std::string what = is_dict_ ? "dict" : "set";
  if (table_->items.size() != size_) {
    in.fail(code::kRaised, span, "the " + what + " changes its size while it is gone through",
            "go through a copy: " + std::string(is_dict_ ? "list(d)" : "list(s)"), "RuntimeError");
  } else {
    in.fail(code::kUnsupported, span, "the keys of the " + what + " change while it is gone through",
            "go through a copy: " + std::string(is_dict_ ? "list(d)" : "list(s)"));
  }
  return false;
}

Value TableRun::item(Interpreter& in, std::size_t i, Value then) const {
  if (!view_ || !is_dict_ || i >= table_->items.size()) return then;
  const auto& [key, value] = table_->items[i];
  if (!view_->has_keys) return value;
  const Tuple* pair = then.as<Tuple>();
  return pair && pair->items.size() == 2 && is_same(pair->items[1], value) ? then : in.tuple({key, value});
}

}  // namespace tilewright::script::python
