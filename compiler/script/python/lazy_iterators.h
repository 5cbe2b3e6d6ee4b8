// Iterators over iterators: what map, zip, enumerate and the functions of itertools give where they cannot be computed
// at once, because what they run over comes item by item, or has no end.
#pragma once
#include "compiler/script/python/support.h"

namespace tilewright::script::python {

enum class Over : std::uint8_t {
  Map,
  Filter,
  Zip,
  Enumerate,
  Chain,
  ChainOfOne,  // chain.from_iterable
  Count,
  Cycle,
  Slice,
  TakeWhile,
  DropWhile,
  StarMap,
  Repeat,
  Items,  // of a list, which may change meanwhile
  Table,  // of a dict or a set, which may not
};

// Is one of the values consumed item by item: an iterator, an object of the script with __iter__?
bool comes_by_items(std::span<const Value> values);
// The items of a value; of one that comes item by item at most `most`, and the others stay in it. Nothing: an error is
// pending. `unknown`: what leaves it open whether there are more.
std::optional<std::vector<Value>> items_up_to(Interpreter& in, Value v, std::size_t most, text::Span span,
                                              Value& unknown);
// Does asking it for an item run something of the script's?
bool runs_script(Value v);
// `inputs` are iterated; `start` and `step` are the numbers of count, enumerate and islice, `stop` that of islice, -1:
// none.
Value lazy_iterator(Interpreter& in, Over over, Value function, std::span<const Value> inputs, text::Span span,
                    std::int64_t start = 0, std::int64_t step = 1, std::int64_t stop = -1);
// iter(list): it sees what the list becomes.
Value list_iterator(Interpreter& in, Value list, text::Span span);
// iter(dict), of a set, of a view of a dict: it ends with an error when that has changed.
Value table_iterator(Interpreter& in, Value table, text::Span span);

// A dict, a set or a view of a dict while it is gone through.
class TableRun {
 public:
  explicit TableRun(Value v);
  explicit operator bool() const { return table_; }
  std::size_t size() const { return size_; }
  // May the next item be asked for? Python raises an error where an item was added or removed meanwhile; nothing
  // happens where it is none of these. False: an error is pending.
  bool goes_on(Interpreter& in, text::Span span) const;
  // Is what it holds not known any more?
  bool is_lost() const { return holder_.is_opaque(); }
  Value holder() const { return holder_; }
  // The item as it is now; `then`: what it was when the run began.
  Value item(Interpreter& in, std::size_t i, Value then) const;

 private:
  Dict* table_ = nullptr;
  Value holder_;  // the dict or the set
  const ValuesView* view_ = nullptr;
  bool is_dict_ = false;
  std::size_t size_ = 0;
  std::uint32_t version_ = 0;
};

}  // namespace tilewright::script::python
