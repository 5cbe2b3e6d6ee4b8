// Loads, stores and atomics that scripts write as instructions.
#include <utility>

#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/compile_instructions.h"
#include "compiler/simulate/machine/value.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

std::int64_t width_of(ir::DataType d) { return d.storage_bits() / 8; }

How how(const Site& s) { return s.semantics == intrinsics::Semantics::Weak ? How::Plain : How::Atomic; }

// What an atomic access tells others, and hears from them; only a fence completes what is relaxed.
void publish(Machine& m, const Thread& t, const Site& s, std::uint64_t pointer) {
  using enum intrinsics::Semantics;
  if (s.semantics != Weak) m.join(pointer);
  if (!m.observers() || s.semantics == Weak) return;
  m.observers().tell(&Observer::publish, t, m.generic(pointer));
  m.observers().tell(&Observer::release, t, pointer, s.scope, s.semantics == Relaxed || s.semantics == Acquire);
}
void hear(Machine& m, const Thread& t, const Site& s, std::uint64_t pointer) {
  using enum intrinsics::Semantics;
  if (s.semantics != Weak) m.join(pointer);
  if (!m.observers() || s.semantics == Weak) return;
  m.observers().tell(&Observer::hear, t, m.generic(pointer));
  m.observers().tell(&Observer::acquire, t, pointer, s.scope, s.semantics == Relaxed || s.semantics == Release);
}

// One value of the site's type from memory into a register.
std::optional<std::uint64_t> value_at(Machine& m, Thread& t, const Site& s, std::uint64_t pointer, View& from) {
  if (!m.alive(t, pointer, "a read")) return std::nullopt;
  const std::int64_t width = width_of(s.type);
  auto view = m.view(t, pointer, width, width, false, "read");
  if (!view) return std::nullopt;
  m.observers().read(t, pointer, width, how(s));
  hear(m, t, s, pointer);
  if (m.options().uninitialised_reads && !view->is_written(width))
    t.carried = m.undefined_at(t, pointer, [&] {
      const std::uint64_t at = m.generic(pointer);
      const std::string name = m.name_of(at >> kOffsetBits, offset_of(at), width, {});
      return (name.empty() ? std::string("the value") : "`" + name + "`") + " is read";
    });
  std::uint64_t raw = 0;
  view->get(&raw, width);
  from = *view;
  return from_bits(raw, s.type);
}

// `undefined`: the read that the value comes from without having one.
bool put(Machine& m, Thread& t, const Site& s, std::uint64_t pointer, std::uint64_t value, std::uint32_t tag,
         std::uint32_t undefined) {
  if (!m.alive(t, pointer, "a write")) return false;
  const std::int64_t width = width_of(s.type);
  auto to = m.view(t, pointer, width, width, true, "write");
  if (!to) return false;
  std::uint64_t raw = to_bits(value, s.type);
  m.observers().write(t, pointer, width, to->bytes, reinterpret_cast<const std::byte*>(&raw), how(s));
  publish(m, t, s, pointer);
  to->put(&raw, width);
  for (std::int64_t b = 0; to->tags && b < width; ++b) to->tags[b] = tag ? tag + static_cast<std::uint32_t>(b) : 0;
  if (undefined) m.store_undefined(t, pointer, *to, width, undefined);
  return true;
}

// Who reads the same again and again lets others run, who may change it.
Step after_read(Machine& m, Thread& t, std::uint64_t pointer, std::uint64_t value) {
  return m.scheduler().polls(t, pointer, value) ? Step::Polled : Step::Done;
}

// addr
Step load(Machine& m, Thread& t, const Site& s) {
  View from;
  auto value = value_at(m, t, s, Machine::arg(t, s, 0), from);
  if (!value) return Step::Failed;
  Machine::set_result(t, s, *value);
  if (t.tags && s.dst != Access::kNoRegister) t.tags[s.dst] = from.tags[0];
  return after_read(m, t, Machine::arg(t, s, 0), *value);
}

// addr; where to: one pointer for all values, or one for each
Step load_vector(Machine& m, Thread& t, const Site& s) {
  const std::int64_t width = width_of(s.type);
  const std::uint64_t first = Machine::arg(t, s, 0);
  if (!m.view(t, first, width * s.count, width * s.count, false, "read")) return Step::Failed;
  bool polled = false;
  Site plain;
  plain.type = s.type;
  for (std::int64_t i = 0; i < s.count; ++i) {
    View from;
    t.carried = 0;
    const std::uint64_t at = i ? moved(m.generic(first), i * width) : first;
    const std::uint64_t to = s.items.size() == 1 ? moved(m.generic(t.registers[s.items[0]]), i * width)
                                                 : t.registers[s.items[static_cast<std::size_t>(i)]];
    auto value = value_at(m, t, s, at, from);
    if (!value || !put(m, t, plain, to, *value, from.tags ? from.tags[0] : 0, t.carried)) return Step::Failed;
    polled |= Scheduler::polls(t, at, *value);
  }
  return polled ? Step::Polled : Step::Done;
}

bool set_up_load_vector(Site& s, const Arguments& a) {
  s.type = a.operand("ptx_type") ? ptx_type(a.text("ptx_type")) : *ir::parse_dtype(a.text("dtype"));
  s.count = !a.operand("vec") || a.text("vec").empty() ? 1 : a.text("vec")[1] - '0';
  return true;
}

// addr, where to, guard, offset in elements of 4 bytes
Step load_into(Machine& m, Thread& t, const Site& s) {
  if (s.count > 0) return load_vector(m, t, s);
  View from;
  const std::uint64_t to = moved(Machine::arg(t, s, 1), static_cast<std::int64_t>(Machine::arg(t, s, 3)) * 4);
  if (Machine::arg(t, s, 2, 1) == 0) return put(m, t, s, to, 0, 0, 0) ? Step::Done : Step::Failed;
  auto value = value_at(m, t, s, Machine::arg(t, s, 0), from);
  if (!value) return Step::Failed;
  std::uint32_t tag = from.tags ? from.tags[0] : 0;
  if (!put(m, t, s, to, *value, tag, t.carried)) return Step::Failed;
  return after_read(m, t, Machine::arg(t, s, 0), *value);
}

bool set_up_load_into(Site& s, const Arguments& a) {
  if (a.operand("dst")) return set_up_load_vector(s, a);
  s.type = a.operand("res") ? a["res"].dtype() : ir::kFloat32;
  return s.type.lanes == 1;
}

// address, src
Step store_from(Machine& m, Thread& t, const Site& s) {
  const std::int64_t width = width_of(s.type);
  const std::uint64_t first = Machine::arg(t, s, 0), source = Machine::arg(t, s, 1);
  if (!m.view(t, first, width * s.count, width * s.count, false, "write")) return Step::Failed;
  Site plain;
  plain.type = s.type;
  for (std::int64_t i = 0; i < s.count; ++i) {
    View from;
    t.carried = 0;
    auto value = value_at(m, t, plain, i ? moved(m.generic(source), i * width) : source, from);
    const std::uint64_t at = i ? moved(m.generic(first), i * width) : first;
    if (!value || !put(m, t, s, at, *value, from.tags ? from.tags[0] : 0, t.carried)) return Step::Failed;
  }
  return Step::Done;
}

bool set_up_store_from(Site& s, const Arguments& a) {
  const bool pair = a.text("ptx_type") == "b128";
  s.type = ptx_type(pair ? "b64" : a.text("ptx_type"));
  s.count = pair ? 2 : a.text("vec").empty() ? 1 : a.text("vec")[1] - '0';
  return true;
}

// Values of 8 bits travel in registers of 32.
bool set_up_load(Site& s, const Arguments& a) {
  if (a.operand("ptx_type") && a.text("ptx_type").ends_with('8')) s.type = ptx_type(a.text("ptx_type"));
  return true;
}

// address; values
Step store(Machine& m, Thread& t, const Site& s) {
  if (s.count > 0) return store_from(m, t, s);
  if (s.items.empty()) {
    return put(m, t, s, Machine::arg(t, s, 0), Machine::arg(t, s, 1), 0, t.carried) ? Step::Done : Step::Failed;
  }
  const std::int64_t width = width_of(s.type);
  std::uint64_t at = Machine::arg(t, s, 0);
  const std::int64_t all = width * static_cast<std::int64_t>(s.items.size());
  if (!m.view(t, at, all, all, false, "write")) return Step::Failed;
  for (std::uint32_t value : s.items) {
    if (!put(m, t, s, at, t.registers[value], t.tags ? t.tags[value] : 0, t.undefined[value])) return Step::Failed;
    at = moved(m.generic(at), width);
  }
  return Step::Done;
}

bool set_up_store(Site& s, const Arguments& a) {
  if (a.operand("src")) return set_up_store_from(s, a);
  const bool one = a.operand("value") != nullptr;
  s.type = one || a.text("ptx_type").ends_with('8') ? ptx_type(a.text("ptx_type")) : a.items("values")[0].dtype();
  return s.type.lanes == 1 && s.type.storage_bits() >= 8;
}

// ptr, num_bytes
Step store_zeros(Machine& m, Thread& t, const Site& s) {
  auto bytes = static_cast<std::int64_t>(Machine::arg(t, s, 1));
  if (bytes % 8 != 0) {
    m.finding(code::kRefused, Severity::Error, "st.bulk writes multiples of 8 bytes, not " + std::to_string(bytes), &t);
    return Step::Failed;
  }
  auto to = m.view(t, Machine::arg(t, s, 0), bytes, 8, true, "write");
  if (!to) return Step::Failed;
  m.spend(bytes);
  m.observers().write(t, Machine::arg(t, s, 0), bytes);
  to->fill(std::byte{0}, bytes);
  to->drop_tags(bytes);
  return Step::Done;
}

// address, value
Step atomic(Machine& m, Thread& t, const Site& s) {
  View from;
  auto old = value_at(m, t, s, Machine::arg(t, s, 0), from);
  if (!old) return Step::Failed;
  std::uint64_t now = combined(static_cast<Combine>(s.code), s.type, *old, normalised(Machine::arg(t, s, 1), s.type));
  if (!put(m, t, s, Machine::arg(t, s, 0), now, 0, t.carried)) return Step::Failed;
  const std::uint64_t pointer = Machine::arg(t, s, 0);
  Machine::set_result(t, s, *old);
  return after_read(m, t, pointer, *old);
}

bool set_up_atomic(Site& s, const Arguments& a) {
  auto op = combine_named(a.operand("op") ? a.text("op") : std::string("add"));
  s.type = a.operand("ptx_type") ? ptx_type(a.text("ptx_type")) : a["value"].dtype();
  s.code = op ? static_cast<int>(*op) : 0;
  return op.has_value() && s.type.lanes == 1;
}

// ptr, old, new
Step compare_and_swap(Machine& m, Thread& t, const Site& s) {
  View from;
  auto old = value_at(m, t, s, Machine::arg(t, s, 0), from);
  if (!old) return Step::Failed;
  m.matters(t, t.carried, "T." + s.text + " compares it");
  if (*old == Machine::arg(t, s, 1) && !put(m, t, s, Machine::arg(t, s, 0), Machine::arg(t, s, 2), 0, 0))
    return Step::Failed;
  const std::uint64_t pointer = Machine::arg(t, s, 0);
  Machine::set_result(t, s, *old);
  return after_read(m, t, pointer, *old);
}

// Several numbers of one word, each combined by itself. addr, word
Step atomic_packed(Machine& m, Thread& t, const Site& s) {
  const int bits = s.type.storage_bits();
  Site word = s;
  word.type = {ir::TypeCode::UInt, static_cast<std::uint8_t>(bits * s.count), 1};
  View from;
  const std::uint64_t pointer = Machine::arg(t, s, 0), value = Machine::arg(t, s, 1);
  auto old = value_at(m, t, word, pointer, from);
  if (!old) return Step::Failed;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t now = 0;
  for (int at = 0; at < word.type.bits; at += bits) {
    const std::uint64_t one = combined(static_cast<Combine>(s.code), s.type, from_bits(*old >> at & mask, s.type),
                                       from_bits(value >> at & mask, s.type));
    now |= to_bits(one, s.type) << at;
  }
  if (!put(m, t, word, pointer, now, 0, t.carried)) return Step::Failed;
  Machine::set_result(t, s, *old);
  return after_read(m, t, pointer, *old);
}

// ---- 128 bits ----

constexpr std::int64_t kWide = 16;

struct Halves {
  std::uint64_t low = 0, high = 0;
  std::uint32_t undefined = 0;  // the read that one of them comes from without having a value
};

// addr
std::optional<Halves> read_wide(Machine& m, Thread& t, const Site& s) {
  const std::uint64_t at = Machine::arg(t, s, 0);
  if (!m.view(t, at, kWide, kWide, false, "read")) return std::nullopt;
  View from;
  Halves out;
  t.carried = 0;
  const auto low = value_at(m, t, s, at, from);
  out.undefined = std::exchange(t.carried, 0);
  const auto high = low ? value_at(m, t, s, moved(m.generic(at), 8), from) : std::nullopt;
  if (!high) return std::nullopt;
  if (out.undefined == 0) out.undefined = t.carried;
  t.carried = 0;
  out.low = *low;
  out.high = *high;
  return out;
}

// The halves are arguments i and i + 1.
bool write_wide(Machine& m, Thread& t, const Site& s, std::size_t i) {
  const std::uint64_t at = Machine::arg(t, s, 0);
  if (!m.view(t, at, kWide, kWide, false, "write")) return false;
  for (std::size_t half = 0; half < 2; ++half) {
    const std::uint32_t from = s.args[i + half];
    const std::uint64_t to = half ? moved(m.generic(at), 8) : at;
    if (!put(m, t, s, to, t.registers[from], t.tags ? t.tags[from] : 0, t.undefined[from])) return false;
  }
  return true;
}

void give_wide(Thread& t, const Site& s, const Halves& value) {
  if (s.high == Access::kNoRegister) return;
  t.carried = value.undefined;
  Machine::set_result(t, s, value.low);
  t.registers[s.high] = value.high;
  if (t.tags) t.tags[s.high] = 0;
  if (t.undefined_count | value.undefined) Machine::carry(t, s.high, value.undefined);
}

Step load_wide(Machine& m, Thread& t, const Site& s) {
  const auto value = read_wide(m, t, s);
  if (!value) return Step::Failed;
  give_wide(t, s, *value);
  return after_read(m, t, Machine::arg(t, s, 0), value->low ^ value->high);
}

// addr, low, high
Step store_wide(Machine& m, Thread& t, const Site& s) { return write_wide(m, t, s, 1) ? Step::Done : Step::Failed; }

Step exchange_wide(Machine& m, Thread& t, const Site& s) {
  const auto old = read_wide(m, t, s);
  if (!old || !write_wide(m, t, s, 1)) return Step::Failed;
  const std::uint64_t pointer = Machine::arg(t, s, 0);
  give_wide(t, s, *old);
  return after_read(m, t, pointer, old->low ^ old->high);
}

// addr, low and high half that is compared, low and high half that is stored
Step swap_wide(Machine& m, Thread& t, const Site& s) {
  const auto old = read_wide(m, t, s);
  if (!old) return Step::Failed;
  m.matters(t, old->undefined, "T." + s.text + " compares it");
  const bool same = old->low == Machine::arg(t, s, 1) && old->high == Machine::arg(t, s, 2);
  if (same && !write_wide(m, t, s, 3)) return Step::Failed;
  const std::uint64_t pointer = Machine::arg(t, s, 0);
  give_wide(t, s, *old);
  return after_read(m, t, pointer, old->low ^ old->high);
}

// addr
Step discard(Machine& m, Thread& t, const Site& s) {
  constexpr std::int64_t kLine = 128;
  const std::uint64_t at = Machine::arg(t, s, 0);
  auto line = m.view(t, at, kLine, kLine, true, "a discard");
  if (!line) return Step::Failed;
  m.observers().write(t, at, kLine);
  line->mark(false, kLine);
  return Step::Done;
}

constexpr CallRow kPackedAtomic{
    .meaning = Meaning::AtomicMemory, .slots = "addr, value", .thread = atomic_packed, .carries = true};
constexpr CallRow kWideLoad{.meaning = Meaning::LoadValue, .slots = "addr", .thread = load_wide, .carries = true};
constexpr CallRow kWideStore{.meaning = Meaning::StoreValues, .slots = "addr", .thread = store_wide, .carries = true};
constexpr CallRow kWideExchange{
    .meaning = Meaning::AtomicMemory, .slots = "addr", .thread = exchange_wide, .carries = true};
constexpr CallRow kWideSwap{.meaning = Meaning::AtomicCas, .slots = "addr", .thread = swap_wide};
constexpr CallRow kDiscard{.meaning = Meaning::StoreZeros, .slots = "addr", .thread = discard};

constexpr CallRow kMemoryRows[] = {
    {.meaning = Meaning::LoadValue, .slots = "addr", .thread = load, .set_up = set_up_load, .carries = true},
    {.meaning = Meaning::LoadInto,
     .slots = "addr, res|reg, guard, local_addr",
     .thread = load_into,
     .set_up = set_up_load_into,
     .carries = true},
    {.meaning = Meaning::StoreValues,
     .slots = "address, src|value",
     .thread = store,
     .set_up = set_up_store,
     .carries = true},
    {.meaning = Meaning::StoreZeros, .slots = "ptr, num_bytes", .thread = store_zeros},
    {.meaning = Meaning::ReduceMemory,
     .slots = "address, value",
     .thread = atomic,
     .set_up = set_up_atomic,
     .carries = true},
    {.meaning = Meaning::AtomicMemory,
     .slots = "address|res_addr, value",
     .thread = atomic,
     .set_up = set_up_atomic,
     .carries = true},
    {.meaning = Meaning::AtomicCas, .slots = "ptr, old_val, new_val", .thread = compare_and_swap, .carries = true},
};

}  // namespace

std::span<const CallRow> memory_calls() { return kMemoryRows; }
const CallRow& packed_atomic_call() { return kPackedAtomic; }
const CallRow& wide_load_call() { return kWideLoad; }
const CallRow& wide_store_call() { return kWideStore; }
const CallRow& wide_exchange_call() { return kWideExchange; }
const CallRow& wide_swap_call() { return kWideSwap; }
const CallRow& discard_call() { return kDiscard; }

}  // namespace tilewright::simulate
