// The interpreter of one thread.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "compiler/lower/flatten.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/machine.h"
#include "compiler/simulate/machine/number.h"
#include "compiler/simulate/machine/value.h"
#include "compiler/simulate/profile/pace.h"

namespace tilewright::simulate {

using ir::DataType;

namespace {

float as_float(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
std::uint64_t from_float(float value) { return std::bit_cast<std::uint32_t>(value); }
// Steps after which a thread that does not wait lets the others run.
constexpr std::uint64_t kSlice = 1u << 18;

double as_double(std::uint64_t bits) { return std::bit_cast<double>(bits); }
std::uint64_t from_double(double value) { return std::bit_cast<std::uint64_t>(value); }

template <class To, class From>
std::uint64_t saturated(From value, DataType d) {
  if (std::isnan(value)) return 0;
  int bits = d.bits;
  if constexpr (std::is_signed_v<To>) {
    double top = std::ldexp(1.0, bits - 1);
    if (value >= top)
      return static_cast<std::uint64_t>(bits == 64 ? std::numeric_limits<std::int64_t>::max()
                                                   : (std::int64_t{1} << (bits - 1)) - 1);
    if (value < -top)
      return static_cast<std::uint64_t>(bits == 64 ? std::numeric_limits<std::int64_t>::min()
                                                   : -(std::int64_t{1} << (bits - 1)));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  } else {
    if (value <= 0) return 0;
    if (value >= std::ldexp(1.0, bits)) return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    return static_cast<std::uint64_t>(value);
  }
}

std::uint64_t scaled(DataType d, std::uint64_t value, std::int64_t exponent) {
  const int by = static_cast<int>(std::clamp<std::int64_t>(exponent, -10'000, 10'000));
  return d.bits == 64 ? from_double(std::ldexp(as_double(value), by)) : from_float(std::ldexp(as_float(value), by));
}

// Of the 32 bits of an integer, or of 64.
std::uint64_t bits_of_integer(Op op, DataType d, std::uint64_t value) {
  const int width = d.bits == 64 ? 64 : 32;
  if (width == 32) value &= 0xffffffff;
  switch (op) {
    case Op::CountBits: return static_cast<std::uint64_t>(std::popcount(value));
    case Op::LeadingZeros: return static_cast<std::uint64_t>(std::countl_zero(value) - (64 - width));
    case Op::FirstBit: return value ? static_cast<std::uint64_t>(std::countr_zero(value) + 1) : 0;
    default: break;
  }
  std::uint64_t out = 0;
  for (int i = 0; i < width; ++i) out |= (value >> i & 1) << (width - 1 - i);
  return normalised(out, d);
}

bool is_multiple(std::int64_t place, std::int64_t of) {
  return (of & (of - 1)) == 0 ? (place & (of - 1)) == 0 : place % of == 0;
}

}  // namespace

void Machine::tell_nowhere(const Thread& t, std::string_view what) {
  finding(code::kPointer, Severity::Error, std::string(what) + " through a pointer that leads into no buffer", &t);
}

void Machine::tell_outside(const Thread& t, std::uint64_t block, std::int64_t offset, std::int64_t bytes,
                           std::string_view name, std::int64_t size, std::string_view what) {
  const std::string index = index_outside(block, offset, bytes, name);
  tell_outside(t, name,
               index.empty() ? std::string(what) + " of bytes " + std::to_string(offset) + " to " +
                                   std::to_string(offset + bytes - 1) + " of `" + std::string(name) + "`, which has " +
                                   std::to_string(size)
                             : std::string(what) + " of " + index);
}

void Machine::tell_misaligned(const Thread& t, std::int64_t base, std::int64_t offset, std::int64_t bytes,
                              std::string_view name, std::int64_t align, std::string_view what) {
  std::string where = std::to_string(offset) + " of `" + std::string(name) + "`";
  if (offset % align == 0) where += " (which itself stands at shared address " + std::to_string(base) + ")";
  finding(code::kMisaligned, Severity::Error,
          std::string(what) + " of " + std::to_string(bytes) + " bytes at byte " + where +
              ", which is not a multiple of " + std::to_string(align),
          &t);
}

std::optional<View> Machine::view(const Thread& t, std::uint64_t pointer, std::int64_t bytes, std::int64_t align,
                                  bool writing, std::string_view what) {
  pointer = generic(pointer);
  std::uint64_t number = pointer >> kOffsetBits;
  std::int64_t offset = offset_of(pointer), base = 0;
  std::string_view name;
  std::int64_t size;
  View out;
  if (number >= kLocalBlocks && number - kLocalBlocks < program_.locals.size()) {
    const Storage& local = program_.locals[number - kLocalBlocks];
    name = local.name;
    size = local.bytes;
    if (local.is_fragment) warpgroups_.touch(*this, t, pointer, bytes, writing);
    // A register of a tcgen05.ld is there when it is used: a true dependency needs no wait (PTX ISA 9.7.16.6.4.5).
    if (t.loads_under_way && !engine_.finish_loads(*this, threads_[t.number], pointer, bytes)) return std::nullopt;
    out = {t.frame + local.frame, t.frame_defined + local.frame, t.frame_tags ? t.frame_tags + local.frame : nullptr};
  } else if (number > 0 && number < memory_.blocks.size()) {
    const Block& block = memory_.blocks[number];
    name = block.name;
    size = block.size;
    base = block.base;
    out = {block.bytes, block.defined, block.tags};
  } else {
    tell_nowhere(t, what);
    return std::nullopt;
  }
  if (bytes < 0 || offset < 0 || offset > size || bytes > size - offset) {
    tell_outside(t, number, offset, bytes, name, size, what);
    return std::nullopt;
  }
  if (align > 1 && !is_multiple(base + offset, align)) {
    tell_misaligned(t, base, offset, bytes, name, align, what);
    return std::nullopt;
  }
  out = out.at(offset);
  if (writing) {
    if (!barriers_.empty() && number >= memory_.first_shared && number < memory_.blocks.size())
      spare_barriers(t, pointer, bytes);
    out.mark(true, bytes);
    if (blame_) blame_->wrote(*this, t, pointer, bytes, result_);
  }
  return out;
}

void Machine::tell_outside(const Thread& t, std::string_view buffer, std::string text) {
  Finding f;
  f.code = code::kOutOfBounds;
  f.message = std::move(text);
  f.memory.name = buffer;
  report(std::move(f), &t);
}

const ir::Var* Machine::data_of(std::uint64_t block) const {
  if (block >= memory_.first_shared && block < memory_.blocks.size() && !kernel_.shared.empty())
    return kernel_.shared[(block - memory_.first_shared) % kernel_.shared.size()].buffer->data;
  const auto found = std::ranges::find(memory_.global_numbers, block);
  if (found == memory_.global_numbers.end()) return nullptr;
  const ir::Buffer* tensor = program_.globals[static_cast<std::size_t>(found - memory_.global_numbers.begin())].tensor;
  return tensor ? tensor->data : nullptr;
}

const ElementNames& Machine::names() const {
  if (!names_) names_ = std::make_unique<ElementNames>(kernel_, [this](ir::Expr e) { return launch_.evaluate(e); });
  return *names_;
}

std::string Machine::name_of(std::uint64_t block, std::int64_t offset, std::int64_t bytes,
                             std::string_view view) const {
  const ir::Var* data = data_of(block);
  return data ? names().name_of(data, offset, bytes, view) : std::string();
}

Finding::Memory Machine::memory_at(std::uint64_t pointer, std::int64_t bytes, std::string_view view) const {
  pointer = generic(pointer);
  const std::uint64_t block = pointer >> kOffsetBits;
  if (block >= kTensorBlocks) return {.name = "tensor memory"};
  if (block >= kLocalBlocks) {
    const std::uint64_t local = block - kLocalBlocks;
    return {.name = local < program_.locals.size() ? std::string(program_.locals[local].name) : std::string()};
  }
  const ir::Var* data = data_of(block);
  std::string name = data ? names().buffer_of(data, offset_of(pointer), bytes, view) : std::string();
  return {.name = name.empty() ? std::string(block_name(block)) : std::move(name), .data = data};
}

ElementNames::Rows Machine::rows_of(std::uint64_t pointer, std::int64_t bytes, std::string_view view) const {
  pointer = generic(pointer);
  const ir::Var* data = data_of(pointer >> kOffsetBits);
  return data ? names().rows_of(data, offset_of(pointer), bytes, view) : ElementNames::Rows();
}

std::string Machine::index_outside(std::uint64_t block, std::int64_t offset, std::int64_t bytes,
                                   std::string_view view) const {
  const ir::Var* data = data_of(block);
  return data ? names().outside(data, offset, bytes, view) : std::string();
}

void Machine::undefined_read(const Thread& t, std::uint64_t pointer, std::string text) {
  join(pointer);  // only the first cluster that reads there tells it
  const bool arriving = engine_.covers(generic(pointer));
  text += arriving ? " while an asynchronous copy into it is under way: a wait is missing" : " and was never written";
  Finding f;
  f.code = code::kUnwritten;
  f.message = std::move(text);
  f.memory = memory_at(pointer, 1);
  f.memory.arriving = arriving;
  report(std::move(f), &t);
}

std::uint64_t Machine::address(const Thread& t, const Access& access, std::int64_t index) const {
  std::int64_t element = index;
  if (access.offset != Access::kNoRegister) element += static_cast<std::int64_t>(t.registers[access.offset]);
  int bits = access.type.storage_bits();
  std::int64_t bytes = bits < 8 && bits > 0 ? element * bits / 8 : element * access.bytes;
  switch (access.where) {
    case Where::Global: return pointer_to(memory_.global_numbers[access.index], bytes);
    case Where::Shared: return pointer_to(memory_.first_shared + t.cta * program_.shared.size() + access.index, bytes);
    case Where::Local: return pointer_to(kLocalBlocks + access.index, bytes);
    case Where::Pointer: return moved(t.registers[access.index], bytes);
  }
  return 0;
}

namespace {

bool inside(const Access& access, std::int64_t index, std::int64_t lanes) {
  return access.elements < 0 || (index >= 0 && index + lanes <= access.elements);
}

}  // namespace

std::string Machine::outside_text(const Thread& t, const Access& access, std::int64_t index, std::int64_t lanes,
                                  std::string_view what) const {
  if (access.where == Where::Global || access.where == Where::Shared) {
    const std::uint64_t at = address(t, access, 0);
    const std::string named =
        index_outside(at >> kOffsetBits, offset_of(at) + index * access.bytes, lanes * access.bytes, access.name);
    if (!named.empty()) return std::string(what) + " of " + named;
  }
  std::string text = std::string(what) + " of element " + std::to_string(index);
  if (lanes > 1) text += " to " + std::to_string(index + lanes - 1);
  return text + " of `" + std::string(access.name) + "`, which has " + std::to_string(access.elements);
}

std::uint32_t Machine::undefined_in(const Thread& t, const Access& access, std::uint64_t pointer, std::int64_t index,
                                    std::int64_t hole) {
  return undefined_at(
      t, moved(pointer, hole),
      [&] {
        const std::string name = name_of(
            pointer >> kOffsetBits, offset_of(pointer) + hole / access.bytes * access.bytes, access.bytes, access.name);
        if (!name.empty()) return name + " is read";
        return "element " + std::to_string(index) + " of `" + std::string(access.name) + "` is read";
      },
      access.name);
}

bool Machine::load(Thread& t, const Instruction& i) {
  const Access& access = program_.accesses[i.b];
  std::int64_t index = static_cast<std::int64_t>(t.registers[i.a]);
  std::int64_t lanes = i.c;
  if (!inside(access, index, lanes)) {
    tell_outside(t, access.name, outside_text(t, access, index, lanes, "read"));
    return false;
  }
  if (access.type.storage_bits() < 8) {
    finding(code::kNotModelled, Severity::Incomplete, "single elements below one byte are not modelled", &t);
    return false;
  }
  std::int64_t bytes = lanes * access.bytes;
  const std::uint64_t at = address(t, access, index);
  std::optional<View> from = view(t, at, bytes, bytes, false, "read");
  if (!from) return false;
  if (observers_ && access.where != Where::Local) observers_.read(t, at, bytes, How::Plain, access.name);
  if (pace_ && t.linear % 32 == 0) pace_->load(t, i, at, bytes);
  std::uint32_t read = 0;
  if (const std::int64_t hole = options_.uninitialised_reads ? from->hole(bytes) : bytes; hole != bytes) {
    read = undefined_in(t, access, at, index, hole);
  }
  std::uint64_t* const to = t.registers + i.dst;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    const std::uint64_t raw = from->at(lane * access.bytes).number(access.bytes);
    to[lane] = access.is_plain ? raw : from_bits(raw, access.type);
  }
  if (read == 0 && !t.tags && !has_unknown_ && t.undefined_count == 0) return true;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    if (t.tags) t.tags[i.dst + lane] = from->tags[lane * access.bytes];
    std::uint32_t lacks = read != 0 && !from->at(lane * access.bytes).is_written(access.bytes) ? read : 0;
    if (has_unknown_ && lacks == 0) lacks = unknown_at(t, moved(at, lane * access.bytes));
    if (lacks | t.undefined_count) carry(t, i.dst + lane, lacks);
  }
  return true;
}

bool Machine::store(Thread& t, const Instruction& i) {
  const Access& access = program_.accesses[i.b];
  std::int64_t index = static_cast<std::int64_t>(t.registers[i.a]);
  std::int64_t lanes = i.c;
  if (!inside(access, index, lanes)) {
    tell_outside(t, access.name, outside_text(t, access, index, lanes, "write"));
    return false;
  }
  if (access.type.storage_bits() < 8) {
    finding(code::kNotModelled, Severity::Incomplete, "single elements below one byte are not modelled", &t);
    return false;
  }
  std::int64_t bytes = lanes * access.bytes;
  const std::uint64_t at = address(t, access, index);
  std::optional<View> to = view(t, at, bytes, bytes, true, "write");
  if (!to) return false;
  if (pace_ && t.linear % 32 == 0) pace_->store(t, i, at, bytes);
  const std::uint64_t* const values = t.registers + i.dst;
  if (observers_ && access.where != Where::Local) {
    // A vector has at most 16 bytes, or 8 lanes of 8.
    std::array<std::byte, 64> now;
    for (std::int64_t lane = 0; lane < lanes && bytes <= 64; ++lane) {
      std::uint64_t raw = to_bits(values[lane], access.type);
      std::memcpy(now.data() + lane * access.bytes, &raw, static_cast<std::size_t>(access.bytes));
    }
    observers_.write(t, at, bytes, to->bytes, bytes <= 64 ? now.data() : nullptr, How::Plain, access.name);
  }
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    const std::uint64_t raw = access.is_plain ? values[lane] : to_bits(values[lane], access.type);
    to->at(lane * access.bytes).put_number(raw, access.bytes);
  }
  if (!t.tags && !has_unknown_ && t.undefined_count == 0) return true;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    if (t.tags) {
      std::uint32_t tag = t.tags[i.dst + lane];
      for (int b = 0; b < access.bytes; ++b)
        to->tags[lane * access.bytes + b] = tag ? tag + static_cast<std::uint32_t>(b) : 0;
    }
    if (t.undefined_count && t.undefined[i.dst + lane]) {
      const std::int64_t offset = lane * access.bytes;
      store_undefined(t, moved(at, offset), to->at(offset), access.bytes, t.undefined[i.dst + lane]);
    } else if (has_unknown_) {
      stored_reads_.erase(place_key(t, moved(at, lane * access.bytes)));
    }
  }
  return true;
}

void Machine::execute(Thread& t) {
  std::uint64_t steps = 0;
  const auto run = [&]<bool Trace, bool Counts>(std::bool_constant<Trace>, std::bool_constant<Counts>) {
    while (t.undefined_count ? interpret<Trace, true, Counts>(t, steps) : interpret<Trace, false, Counts>(t, steps)) {
    }
  };
  if (options_.trace) return run(std::true_type(), std::false_type());
  executed_ ? run(std::false_type(), std::true_type()) : run(std::false_type(), std::false_type());
}

bool Machine::halt(Thread& t, std::uint32_t pc, std::uint64_t steps, bool failed) {
  t.pc = pc;
  result_.steps += steps;
  called_ = 0;
  if (failed) stopped_ = true;
  return false;
}

bool Machine::halt_at_division(Thread& t, std::uint32_t pc, std::uint64_t steps) {
  t.pc = pc;
  finding(code::kDivision, Severity::Error, "division by zero", &t);
  return halt(t, pc, steps, true);
}

template <bool Trace, bool Undefined, bool Counts>
bool Machine::interpret(Thread& t, std::uint64_t& steps_so_far) {
  std::uint64_t* const r = t.registers;
  const Instruction* const code = program_.code.data();
  std::uint32_t pc = t.pc;
  std::uint64_t steps = steps_so_far;
  const std::uint64_t slice = std::min(budget_, kSlice);
  // Small, and without a capture of `pc` or `steps`: they stay in registers.
  auto changes = [&t] { return (t.undefined_count != 0) != Undefined; };  // what follows is for the other interpreter
  auto change = [&t, &steps_so_far](std::uint32_t next, std::uint64_t now) {
    t.pc = next;
    steps_so_far = now;
    return true;
  };
  for (;;) {
    const Instruction& i = code[pc];
    if (++steps > slice) {
      t.pc = pc;
      if (steps <= budget_)
        return halt(t, pc, steps, false);  // others may go on first: this one may be waiting for memory to change
      finding(code::kStepLimit, Severity::Incomplete, "stopped after " + std::to_string(options_.max_steps) + " steps",
              &t);
      return halt(t, pc, steps, true);
    }
    if constexpr (Counts) {
      t.pc = pc;
      ++executed_[pc];
      if (t.linear % 32 == 0) pace_->step(t, i);
    }
    [[maybe_unused]] std::uint32_t carried = 0;
    if constexpr (Undefined) {
      t.pc = pc;
      carried = carried_by(t, i);
      look_for_uses(t, i);
    }
    auto a = [&] { return r[i.a]; };
    auto b = [&] { return r[i.b]; };
    auto sa = [&] { return static_cast<std::int64_t>(r[i.a]); };
    auto sb = [&] { return static_cast<std::int64_t>(r[i.b]); };
    auto set = [&](std::uint64_t value) {
      r[i.dst] = value;
      if constexpr (Trace) t.tags[i.dst] = 0;
      if constexpr (Undefined) carry(t, i.dst, carried);
    };
    auto set_int = [&](std::uint64_t value) { set(normalised(value, i.extension)); };
    auto is_zero = [&] { return r[i.b] == 0; };
    switch (i.op) {
      case Op::Move:
        r[i.dst] = r[i.a];
        if constexpr (Trace) t.tags[i.dst] = t.tags[i.a];
        if constexpr (Undefined) carry(t, i.dst, carried);
        break;
      case Op::Normalise: set_int(a()); break;
      case Op::Add: set_int(a() + b()); break;
      case Op::Sub: set_int(a() - b()); break;
      case Op::Mul: set_int(a() * b()); break;
      case Op::FloorDiv:
      case Op::FloorMod: {
        if (is_zero()) return halt_at_division(t, pc, steps);
        std::int64_t x = sa(), y = sb();
        if (y == -1) {
          set_int(i.op == Op::FloorDiv ? 0 - a() : 0);
          break;
        }
        std::int64_t q = x / y, m = x % y;
        if (m != 0 && (m < 0) != (y < 0)) {
          --q;
          m += y;
        }
        set_int(static_cast<std::uint64_t>(i.op == Op::FloorDiv ? q : m));
        break;
      }
      case Op::TruncDiv:
      case Op::TruncMod:
        if (is_zero()) return halt_at_division(t, pc, steps);
        if (sb() == -1) {
          set_int(i.op == Op::TruncDiv ? 0 - a() : 0);
        } else {
          set_int(static_cast<std::uint64_t>(i.op == Op::TruncDiv ? sa() / sb() : sa() % sb()));
        }
        break;
      case Op::DivU:
        if (is_zero()) return halt_at_division(t, pc, steps);
        set_int(a() / b());
        break;
      case Op::ModU:
        if (is_zero()) return halt_at_division(t, pc, steps);
        set_int(a() % b());
        break;
      case Op::Min: set(static_cast<std::uint64_t>(std::min(sa(), sb()))); break;
      case Op::Max: set(static_cast<std::uint64_t>(std::max(sa(), sb()))); break;
      case Op::MinU: set(std::min(a(), b())); break;
      case Op::MaxU: set(std::max(a(), b())); break;
      case Op::Equal: set(a() == b()); break;
      case Op::NotEqual: set(a() != b()); break;
      case Op::Less: set(sa() < sb()); break;
      case Op::LessEqual: set(sa() <= sb()); break;
      case Op::LessU: set(a() < b()); break;
      case Op::LessEqualU: set(a() <= b()); break;
      case Op::BitAnd: set(a() & b()); break;
      case Op::BitOr: set(a() | b()); break;
      case Op::BitXor: set(a() ^ b()); break;
      case Op::BitNot: set_int(~a()); break;
      case Op::Not: set(a() == 0); break;
      case Op::Shl: set_int(b() < 64 ? a() << b() : 0); break;
      case Op::Shr: set_int(static_cast<std::uint64_t>(sa() >> (b() < 64 ? b() : 63))); break;
      case Op::ShrU: set(b() < 64 ? a() >> b() : 0); break;
      case Op::AddF: set(from_float(as_float(a()) + as_float(b()))); break;
      case Op::SubF: set(from_float(as_float(a()) - as_float(b()))); break;
      case Op::MulF: set(from_float(as_float(a()) * as_float(b()))); break;
      case Op::DivF: set(from_float(as_float(a()) / as_float(b()))); break;
      case Op::MinF: set(from_float(std::fmin(as_float(a()), as_float(b())))); break;
      case Op::MaxF: set(from_float(std::fmax(as_float(a()), as_float(b())))); break;
      case Op::EqualF: set(as_float(a()) == as_float(b())); break;
      case Op::NotEqualF: set(as_float(a()) != as_float(b())); break;
      case Op::LessF: set(as_float(a()) < as_float(b())); break;
      case Op::LessEqualF: set(as_float(a()) <= as_float(b())); break;
      case Op::AddD: set(from_double(as_double(a()) + as_double(b()))); break;
      case Op::SubD: set(from_double(as_double(a()) - as_double(b()))); break;
      case Op::MulD: set(from_double(as_double(a()) * as_double(b()))); break;
      case Op::DivD: set(from_double(as_double(a()) / as_double(b()))); break;
      case Op::MinD: set(from_double(std::fmin(as_double(a()), as_double(b())))); break;
      case Op::MaxD: set(from_double(std::fmax(as_double(a()), as_double(b())))); break;
      case Op::EqualD: set(as_double(a()) == as_double(b())); break;
      case Op::NotEqualD: set(as_double(a()) != as_double(b())); break;
      case Op::LessD: set(as_double(a()) < as_double(b())); break;
      case Op::LessEqualD: set(as_double(a()) <= as_double(b())); break;
      case Op::FmaF: set(from_float(std::fma(as_float(a()), as_float(b()), as_float(r[i.c])))); break;
      case Op::Ldexp: set(scaled(i.type, a(), sb())); break;
      case Op::CountBits:
      case Op::LeadingZeros:
      case Op::ReverseBits:
      case Op::FirstBit: set(bits_of_integer(i.op, i.type, a())); break;
      case Op::Round: set(from_float(rounded(i.type, as_float(a())))); break;
      case Op::IntToF: set(from_float(static_cast<float>(sa()))); break;
      case Op::UIntToF: set(from_float(static_cast<float>(a()))); break;
      case Op::FToInt: set(saturated<std::int64_t>(as_float(a()), i.type)); break;
      case Op::FToUInt: set(saturated<std::uint64_t>(as_float(a()), i.type)); break;
      case Op::IntToD: set(from_double(static_cast<double>(sa()))); break;
      case Op::UIntToD: set(from_double(static_cast<double>(a()))); break;
      case Op::DToInt: set(saturated<std::int64_t>(as_double(a()), i.type)); break;
      case Op::DToUInt: set(saturated<std::uint64_t>(as_double(a()), i.type)); break;
      case Op::FToD: set(from_double(as_float(a()))); break;
      case Op::DToF: set(from_float(static_cast<float>(as_double(a())))); break;
      case Op::NonZeroF: set(as_float(a()) != 0); break;
      case Op::NonZeroD: set(as_double(a()) != 0); break;
      case Op::ToBits: set(to_bits(a(), i.type)); break;
      case Op::FromBits:
        set(from_bits(to_bits(a(), DataType{ir::TypeCode::UInt,
                                            static_cast<std::uint8_t>(std::max(8, i.type.storage_bits())), 1}),
                      i.type));
        break;
      case Op::MathF: set(from_float(math_rows()[i.c].f(as_float(a()), as_float(b())))); break;
      case Op::MathD: set(from_double(math_rows()[i.c].d(as_double(a()), as_double(b())))); break;
      case Op::Select:
        r[i.dst] = a() ? b() : r[i.c];
        if constexpr (Trace) t.tags[i.dst] = t.tags[a() ? i.b : i.c];
        if constexpr (Undefined) carry(t, i.dst, carried);
        break;
      case Op::Jump:
        pc = i.dst;
        if (Undefined && changes()) return change(pc, steps);
        continue;
      case Op::JumpUnless:
        if constexpr (Counts) pace_->branch(t, a() != 0);
        if (!a()) {
          pc = i.dst;
          continue;
        }
        break;
      case Op::LoopNext:
        r[i.a] += b();
        if (sa() < static_cast<std::int64_t>(r[i.c])) {
          pc = i.dst;
          if (Undefined && changes()) return change(pc, steps);
          continue;
        }
        break;
      case Op::Load:
        t.pc = pc;
        if (!load(t, i)) return halt(t, pc, steps, true);
        if (changes()) return change(pc + 1, steps);
        break;
      case Op::Store:
        t.pc = pc;
        if (!store(t, i)) return halt(t, pc, steps, true);
        break;
      case Op::Address: set(address(t, program_.accesses[i.b], sa())); break;
      case Op::PointerAdd: set(moved(a(), sb() * i.c)); break;
      case Op::Copy: {
        t.pc = pc;
        std::optional<View> from = view(t, b(), i.c, i.c, false, "read");
        if (!from) return halt(t, pc, steps, true);
        std::uint8_t shadow[16];
        common::get(shadow, from->defined, i.c);
        std::optional<View> to = view(t, a(), i.c, i.c, true, "write");
        if (!to) return halt(t, pc, steps, true);
        std::byte word[16];
        from->get(word, i.c);
        if (observers_) {
          observers_.read(t, b(), i.c);
          observers_.write(t, a(), i.c, to->bytes, word);
          if (pace_ && t.linear % 32 == 0) pace_->copy(t, b(), a(), i.c);
        }
        to->put(word, i.c);
        common::put(to->defined, shadow, i.c);
        put_out(t, a(), *to, i.c, stored_reads_.empty() ? 0 : copy_stored(t, b(), a(), *to, i.c), b());
        if constexpr (Trace) std::memmove(to->tags, from->tags, i.c * sizeof(std::uint32_t));
        break;
      }
      case Op::Define: t.defined[i.dst] = 1; break;
      case Op::Undefine: t.defined[i.dst] = 0; break;
      case Op::CheckDefined:
        if (options_.uninitialised_reads && !t.defined[i.dst]) {
          t.pc = pc;
          carry(t, i.dst, undefined_at(t, 0, [&] {
                  const std::string name(program_.sites[i.b].text);
                  return (name.empty() ? "a scalar" : "`" + name + "`") + " is read";
                }));
          if (changes()) return change(pc + 1, steps);
        }
        break;
      case Op::NoValue:
        r[i.dst] = 0;
        if constexpr (Trace) t.tags[i.dst] = 0;
        if (options_.uninitialised_reads) {
          t.pc = pc;
          make_undefined(t, i.dst, program_.sites[i.b].text);
          if (changes()) return change(pc + 1, steps);
        }
        break;
      case Op::Call: {
        t.pc = pc;
        called_ = steps;
        const Site& site = program_.sites[i.b];
        if constexpr (Undefined) {
          for (std::size_t n = 0; site.call->carries && n < site.args.size() && t.carried == 0; ++n)
            if (site.args[n] != Access::kNoRegister) t.carried = t.undefined[site.args[n]];
        }
        if (site.own_window) check_own_window(t, site);
        const Step step = site.call->thread(*this, t, site);
        t.carried = 0;
        switch (step) {
          case Step::Done: break;
          case Step::Polled: ++pc; return halt(t, pc, steps, false);
          case Step::Wait: t.state = State::Waiting; return halt(t, pc, steps, false);
          case Step::Again:
            joined_ = true;
            Scheduler::polls(t, 0, 0);
            return halt(t, pc, steps, false);
          case Step::Failed: return halt(t, pc, steps, true);
        }
        if (changes()) return change(pc + 1, steps);
        break;
      }
      case Op::Meet: t.state = State::Waiting; return halt(t, pc, steps, false);
      case Op::Trap:
        if (a()) break;
        t.pc = pc;
        finding(code::kTrap, Severity::Error, "the condition is false: the kernel traps", &t);
        return halt(t, pc, steps, true);
      case Op::Print:
        t.pc = pc;
        print(t, program_.sites[i.b]);
        break;
      case Op::Look: look(t, program_.sites[i.b]); break;
      case Op::Unmodelled:
        t.pc = pc;
        finding(code::kNotModelled, Severity::Incomplete, program_.sites[i.b].text, &t);
        return halt(t, pc, steps, true);
      case Op::Unknown:
        t.pc = pc;
        if (!options_.goes_on_unknown) {
          finding(code::kNotModelled, Severity::Incomplete, program_.sites[i.b].text, &t);
          return halt(t, pc, steps, true);
        }
        set(!i.type.is_floating() ? 1 : i.type.bits == 64 ? from_double(1) : from_float(1));
        make_unknown(t, i.dst, program_.sites[i.b].text);
        if (changes()) return change(pc + 1, steps);
        break;
      case Op::Exit: t.state = State::Done; return halt(t, pc, steps, false);
    }
    ++pc;
  }
}

void Machine::print(Thread& t, const Site& site) {
  // One conversion after another is handed to snprintf with the one argument that it takes.
  std::string_view format = site.text;
  std::size_t next = 0;
  if (result_.printed.size() > (1u << 20)) return;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 >= format.size()) {
      result_.printed += format[i];
      continue;
    }
    if (format[i + 1] == '%') {
      result_.printed += '%';
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    std::string flags = "%";
    while (end < format.size() && std::string_view("-+ #0123456789.").find(format[end]) != std::string_view::npos)
      flags += format[end++];
    while (end < format.size() && std::string_view("hlzjt").find(format[end]) != std::string_view::npos) ++end;
    char kind = end < format.size() ? format[end] : 'd';
    std::uint64_t value = next < site.args.size() ? t.registers[site.args[next++]] : 0;
    char text[128];
    if (std::string_view("eEfFgGaA").find(kind) != std::string_view::npos) {
      std::snprintf(text, sizeof text, (flags + kind).c_str(), as_double(value));
    } else if (std::string_view("diuxXoc").find(kind) != std::string_view::npos) {
      std::snprintf(text, sizeof text, (kind == 'c' ? flags + kind : flags + "ll" + kind).c_str(),
                    static_cast<long long>(value));
    } else {
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    }
    result_.printed += text;
    i = end;
  }
}

}  // namespace tilewright::simulate
