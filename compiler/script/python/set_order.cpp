#include "compiler/script/python/set_order.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/script/python/support.h"
#include "compiler/script/worlds.h"

namespace tilewright::script::python {
namespace {

constexpr std::uint64_t kModulus = (std::uint64_t{1} << 61) - 1;  // sys.hash_info.modulus
constexpr std::size_t kFewest = 8;                                // PySet_MINSIZE
constexpr std::size_t kNeighbours = 9;                            // LINEAR_PROBES
constexpr std::size_t kMostHashed = 4096, kDeepestHashed = 64;    // numbers of a tuple within tuples, and how deep

std::int64_t hash_of_integer(__int128 v) {
  const unsigned __int128 magnitude = v < 0 ? -static_cast<unsigned __int128>(v) : static_cast<unsigned __int128>(v);
  const auto rest = static_cast<std::int64_t>(magnitude % kModulus);
  const std::int64_t hash = v < 0 ? -rest : rest;
  return hash == -1 ? -2 : hash;
}

// The fraction is taken as a residue modulo 2^61 - 1, 28 bits at a time.
std::optional<std::int64_t> hash_of_real(double v) {
  if (std::isnan(v)) return std::nullopt;  // by its address
  if (std::isinf(v)) return v > 0 ? 314159 : -314159;
  int exponent = 0;
  double fraction = std::fabs(std::frexp(v, &exponent));
  std::uint64_t x = 0;
  while (fraction != 0) {
    x = ((x << 28) & kModulus) | x >> (61 - 28);
    fraction *= 268435456.0;
    exponent -= 28;
    const auto digits = static_cast<std::uint64_t>(fraction);
    fraction -= static_cast<double>(digits);
    x += digits;
    if (x >= kModulus) x -= kModulus;
  }
  exponent = exponent >= 0 ? exponent % 61 : 61 - 1 - (-1 - exponent) % 61;
  x = ((x << exponent) & kModulus) | x >> (61 - exponent);
  const std::int64_t hash = v < 0 ? -static_cast<std::int64_t>(x) : static_cast<std::int64_t>(x);
  return hash == -1 ? -2 : hash;
}

// `hashed` counts the values that were looked at: tuples may be shared, so that few of them stand for very many.
std::optional<std::int64_t> hash_within(Value v, std::size_t depth, std::size_t& hashed);

// The rounds of xxHash that tuples take.
std::optional<std::int64_t> hash_of_items(const std::vector<Value>& items, std::size_t depth, std::size_t& hashed) {
  constexpr std::uint64_t kFirst = 11400714785074694791ull, kSecond = 14029467366897019727ull,
                          kFifth = 2870177450012600261ull;
  std::uint64_t sum = kFifth;
  for (Value item : items) {
    const auto lane = hash_within(item, depth, hashed);
    if (!lane) return std::nullopt;
    sum += static_cast<std::uint64_t>(*lane) * kSecond;
    sum = (sum << 31 | sum >> 33) * kFirst;
  }
  sum += items.size() ^ (kFifth ^ 3527539ull);
  return sum == ~std::uint64_t{0} ? 1546275796 : static_cast<std::int64_t>(sum);
}

std::optional<std::int64_t> hash_within(Value v, std::size_t depth, std::size_t& hashed) {
  if (++hashed > kMostHashed || depth > kDeepestHashed) return std::nullopt;
  if (v.tag == Tag::Bool) return v.b ? 1 : 0;
  if (v.tag == Tag::Int) return hash_of_integer(v.i);
  if (v.is_float()) return hash_of_real(v.f);
  if (const BigInt* big = v.as<BigInt>()) return hash_of_integer(big->value);
  if (const Tuple* tuple = v.as<Tuple>()) return hash_of_items(tuple->items, depth + 1, hashed);
  return std::nullopt;
}

constexpr std::uint32_t kFree = SetTable::kFree, kTrace = SetTable::kTrace;

bool is_item(std::uint32_t place) { return place < kTrace; }

std::size_t size_of(const SetTable& table) { return table.places.empty() ? kFewest : table.places.size(); }

// The item takes the last trace that it meets on the way to a free place, else that place.
void put(SetTable& table, std::int64_t hash, std::uint32_t entry) {
  if (table.places.empty()) table.places.assign(kFewest, kFree);
  const std::size_t mask = table.places.size() - 1;
  auto shifted = static_cast<std::size_t>(hash);
  std::size_t at = shifted & mask;
  std::optional<std::size_t> trace;
  while (true) {
    const std::size_t last = at + kNeighbours <= mask ? at + kNeighbours : at;
    for (std::size_t i = at; i <= last; ++i) {
      if (table.places[i] == kTrace) trace = i;
      if (table.places[i] != kFree) continue;
      if (!trace) ++table.used;
      table.places[trace ? *trace : i] = entry;
      return;
    }
    shifted >>= 5;
    at = (at * 5 + 1 + shifted) & mask;
  }
}

// Makes a table with more than `fewest` places, which takes the items in the order of the old one.
void rebuild(Set& set, std::size_t fewest) {
  if (set.table.by_insertion) return;
  std::size_t places = kFewest;
  while (places <= fewest) places <<= 1;
  const std::vector<std::uint32_t> before = std::exchange(set.table.places, std::vector(places, kFree));
  set.table.used = 0;
  for (std::uint32_t i : before) {
    if (is_item(i)) put(set.table, *lasting_hash(set.entries.items[i].first), i);
  }
}

bool is_full(std::size_t used, const Set& set) { return used * 5 >= (size_of(set.table) - 1) * 3; }

// Before many items come at once.
void make_room(Set& set, std::size_t more) {
  if (is_full(set.table.used + more, set)) rebuild(set, (set.entries.items.size() + more) * 2);
}

bool has_traces(const Set& set) { return set.table.used != set.entries.items.size(); }

bool add_all(Interpreter& in, Set* set, const std::vector<Value>& items, text::Span span) {
  for (Value v : items) {
    if (!in.step(span)) return false;
    in.dict_set(&set->entries, v, Value::none());
  }
  return !in.has_pending();
}

Set* unite(Interpreter& in, Set* left, Value right, text::Span span) {
  Set* other = right.as<Set>();
  if (other == left) return left;
  if (Dict* dict = right.as<Dict>()) make_room(*left, dict->items.size());
  if (other && !other->table.by_insertion && !other->entries.items.empty()) {
    make_room(*left, other->entries.items.size());
    if (left->table.used == 0 && size_of(left->table) == size_of(other->table) && !has_traces(*other)) {
      assign(*left, *other);
      in.heap().count(left->entries.items.size() * kEntryBytes);
      return left;
    }
  }
  const auto items = in.iterate(right, span);
  if (!items || !add_all(in, left, *items, span)) return nullptr;
  return left;
}

// Removes the item, if it is there.
bool discard(Interpreter& in, Set* set, Value item, text::Span span) {
  const auto at = in.dict_position(&set->entries, item);
  if (!at || !work(in, span, set->entries.items.size() + set->entries.index.size() * 4)) return false;
  dict_erase(&set->entries, *at);
  return true;
}

// Removes the items at the places that are kGone, and makes the others the positions that they have after it.
void take_out(Set& set, std::vector<std::uint32_t>& places) {
  spoil_views(&set.entries, true);
  auto& items = set.entries.items;
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] == KeyIndex::kGone) continue;
    items[kept] = items[i];
    places[i] = kept++;
  }
  items.resize(kept);
  set.entries.index.move(places);
  for (std::uint32_t& place : set.table.places) {
    if (is_item(place)) place = places[place] == KeyIndex::kGone ? kTrace : places[place];
  }
}

bool contains(Interpreter& in, Set* set, Value item) { return in.dict_find(&set->entries, item) != nullptr; }

Set* intersect(Interpreter& in, Set* left, Value right, Set* others, text::Span span) {
  Set* result = in.make<Set>();
  Set* larger = left;
  Value walked = right;
  if (right.as<Set>() && others->entries.items.size() > left->entries.items.size()) {
    larger = others;
    walked = Value::object(left);
  }
  const auto items = in.iterate(walked, span);
  if (!items) return nullptr;
  for (Value v : *items) {
    if (!in.step(span)) return nullptr;
    if (!contains(in, larger, v)) continue;
    if (walked.as<Set>()) {
      in.dict_append(&result->entries, v, Value::none());
    } else {
      in.dict_set(&result->entries, v, Value::none());
    }
  }
  return in.has_pending() ? nullptr : result;
}

// A table of which more than a quarter are traces then is made again.
bool remove_all(Interpreter& in, Set* set, Set* others, text::Span span) {
  const auto removed = in.iterate(Value::object(others), span);
  if (!removed) return false;
  std::vector<std::uint32_t> places(set->entries.items.size());
  std::size_t gone = 0;
  for (Value v : *removed) {
    if (!in.step(span)) break;
    const auto at = in.dict_position(&set->entries, v);
    if (in.has_pending()) break;
    if (!at || *at >= places.size() || places[*at] == KeyIndex::kGone) continue;
    places[*at] = KeyIndex::kGone;
    ++gone;
  }
  if (gone > 0 && places.size() == set->entries.items.size()) take_out(*set, places);
  const std::size_t items = set->entries.items.size();
  if (set->table.used - items > (size_of(set->table) - 1) / 4) rebuild(*set, items > 50000 ? items * 2 : items * 4);
  return !in.has_pending() && work(in, span, places.size());
}

Set* subtract(Interpreter& in, Set* left, Value right, Set* others, text::Span span) {
  const bool sized = (right.as<Set>() && !right.as<Set>()->table.by_insertion) || right.as<Dict>();
  if (!sized || left->entries.items.size() / 4 > others->entries.items.size()) {
    Set* result = copy_of(in, *left);
    return remove_all(in, result, others, span) ? result : nullptr;
  }
  Set* result = in.make<Set>();
  const auto items = in.iterate(Value::object(left), span);
  if (!items) return nullptr;
  for (Value v : *items) {
    if (!in.step(span)) return nullptr;
    if (!contains(in, others, v)) in.dict_set(&result->entries, v, Value::none());
  }
  return in.has_pending() ? nullptr : result;
}

// `set` without what `walked` has too, and with the rest of it.
bool differ(Interpreter& in, Value walked, Set* set, text::Span span) {
  const auto items = in.iterate(walked, span);
  if (!items) return false;
  for (Value v : *items) {
    if (!in.step(span)) return false;
    if (!discard(in, set, v, span)) in.dict_set(&set->entries, v, Value::none());
  }
  return !in.has_pending();
}

// An iterable as a set, in a set of its own where `own`; null with a pending error.
Set* as_set(Interpreter& in, Value iterable, bool own, text::Span span) {
  Set* set = iterable.as<Set>();
  return set && !own && !set->is_view ? set : unite(in, in.make<Set>(), iterable, span);
}

}  // namespace

std::optional<std::int64_t> lasting_hash(Value v) {
  std::size_t hashed = 0;
  return hash_within(v, 0, hashed);
}

bool has_drawn_order(Value v) {
  const Set* set = v.as<Set>();
  return set && set->table.by_insertion && !set->is_view && set->entries.items.size() > 1;
}

Value of_drawn_order() {
  return Value::opaque("the order of a set of texts or objects, which differs from one Python process to the next");
}

std::vector<Value> ordered_items(const Set& set) {
  std::vector<Value> out;
  out.reserve(set.entries.items.size());
  if (set.table.by_insertion) {
    for (const auto& [key, value] : set.entries.items) out.push_back(key);
    return out;
  }
  for (std::uint32_t i : set.table.places) {
    if (is_item(i)) out.push_back(set.entries.items[i].first);
  }
  return out;
}

std::vector<Value> walked_items(Interpreter& in, Set& set, text::Span span) {
  std::vector<Value> items = ordered_items(set);
  if (!has_drawn_order(Value::object(&set))) return items;
  in.note_drawn_order(span);
  const SetOrder order = in.set_order();
  if (order == SetOrder::Inserted) return items;
  bool backwards = order == SetOrder::Descending;
  if (std::ranges::all_of(items, [](Value v) { return v.as<Str>() != nullptr; })) {
    std::ranges::sort(items, {}, [](Value v) -> const std::string& { return v.as<Str>()->text; });
    // Sets of other texts are independent of each other.
    unsigned sum = 0;
    for (Value v : items)
      for (char c : v.as<Str>()->text) sum += static_cast<unsigned char>(c);
    backwards = backwards || (order == SetOrder::Turned && sum % 2 != 0);
  }
  if (backwards) std::ranges::reverse(items);
  if (order == SetOrder::Turned) std::ranges::rotate(items, items.begin() + 1);
  return items;
}

std::size_t note_added(Set& set) {
  SetTable& table = set.table;
  std::size_t hashed = 0;
  if (table.by_insertion) return hashed;
  const std::size_t items = set.entries.items.size();
  const auto hash = hash_within(set.entries.items.back().first, 0, hashed);
  if (!hash) {
    table = SetTable{.by_insertion = true};
    return hashed;
  }
  const std::size_t used = table.used;
  put(table, *hash, static_cast<std::uint32_t>(items - 1));
  if (table.used != used && is_full(table.used, set)) rebuild(set, items > 50000 ? items * 2 : items * 4);
  return hashed;
}

void note_removed(Set& set, std::size_t at) {
  for (std::uint32_t& place : set.table.places) {
    if (place == at) {
      place = kTrace;
    } else if (is_item(place) && place > at) {
      --place;
    }
  }
}

std::size_t popped_position(Set& set) {
  if (set.table.by_insertion) return set.entries.items.size() - 1;
  const auto& places = set.table.places;
  std::size_t at = set.table.next_popped & (places.size() - 1);
  while (!is_item(places[at])) at = at + 1 == places.size() ? 0 : at + 1;
  set.table.next_popped = at + 1;
  return places[at];
}

Set* copy_of(Interpreter& in, const Set& set) {
  Set* copy = in.make<Set>();
  make_room(*copy, set.entries.items.size());
  if (set.table.by_insertion || (size_of(copy->table) == size_of(set.table) && !has_traces(set))) {
    in.heap().count(set.entries.items.size() * kEntryBytes);
    assign(*copy, set);
    copy->table.next_popped = 0;
    return copy;
  }
  for (Value v : ordered_items(set)) in.dict_set(&copy->entries, v, Value::none());
  return copy;
}

void assign(Set& set, const Set& made) {
  ++set.entries.version;
  set.entries.items = made.entries.items;
  set.entries.index = made.entries.index;
  set.table = made.table;
}

std::optional<Combine> combination_of(syntax::Operator op) {
  switch (op) {
    case syntax::Operator::BitOr: return Combine::Union;
    case syntax::Operator::BitAnd: return Combine::Intersection;
    case syntax::Operator::Sub: return Combine::Difference;
    case syntax::Operator::BitXor: return Combine::Symmetric;
    default: return std::nullopt;
  }
}

Set* combined(Interpreter& in, Set* left, Value right, Combine how, text::Span span) {
  if (right.is_object() && right.o == left && (how == Combine::Union || how == Combine::Intersection))
    return copy_of(in, *left);
  if (how == Combine::Union) return unite(in, copy_of(in, *left), right, span);
  Set* others = as_set(in, right, how == Combine::Symmetric, span);
  if (!others || Value::object(others).is_opaque()) return others;
  switch (how) {
    case Combine::Intersection: return intersect(in, left, right, others, span);
    case Combine::Difference: return subtract(in, left, right, others, span);
    default: return differ(in, Value::object(left), others, span) ? others : nullptr;
  }
}

bool change(Interpreter& in, Set* set, Value right, Combine how, text::Span span) {
  if (how == Combine::Union) return unite(in, set, right, span) != nullptr;
  if (right.is_object() && right.o == set) {
    assign(*set, how == Combine::Intersection ? *copy_of(in, *set) : Set());
    return true;
  }
  if (how == Combine::Symmetric && right.as<Dict>()) return differ(in, right, set, span);
  Set* others = as_set(in, right, false, span);
  if (!others) return false;
  if (Value::object(others).is_opaque()) {
    become_unknown(set, others->why);
    return true;
  }
  if (how == Combine::Intersection) {
    const Set* result = intersect(in, set, right, others, span);
    if (result) assign(*set, *result);
    return result != nullptr;
  }
  if (how == Combine::Symmetric) return differ(in, Value::object(others), set, span);
  return remove_all(in, set, others, span);
}

}  // namespace tilewright::script::python
