// Values that were never defined: carried from the read that found none to where they matter.
//
// Reading what nothing has written is no fault by itself: padding is copied along, the first round of a loop computes
// what it throws away. It is one where such a value decides a branch, is an address or an operand of an instruction
// that is more than arithmetic (a product, a barrier, an atomic), or reaches global memory. Each register knows the
// read that its value comes from without having one; arithmetic, shuffles, loads and stores pass that on, bytes of
// memory by their shadow. Threads of which no register is undefined run in an interpreter that knows nothing of it.
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

std::uint32_t Machine::note_read(const Thread& t, std::uint64_t pointer, std::string what, std::string_view view) {
  join(pointer);  // who writes there first is a matter of the order of the clusters
  const bool arriving = engine_.covers(generic(pointer));
  what += arriving ? " while an asynchronous copy into it is under way: a wait is missing"
                   : " and holds no value that the kernel or an input gave it";
  undefined_reads_.push_back({origin_number(t), std::move(what), memory_at(pointer, 1, view)});
  undefined_reads_.back().memory.arriving = arriving;
  return static_cast<std::uint32_t>(undefined_reads_.size());
}

void Machine::make_undefined(Thread& t, std::uint32_t reg, const std::string& why) {
  std::uint32_t& number = reads_without_value_[~origin_number(t)];
  if (number == 0) {
    undefined_reads_.push_back({.origin = origin_number(t), .text = why});
    number = static_cast<std::uint32_t>(undefined_reads_.size());
  }
  carry(t, reg, number);
}

void Machine::make_unknown(Thread& t, std::uint32_t reg, std::string what) {
  std::uint32_t& number = unknown_results_[origin_number(t)];
  if (number == 0) {
    undefined_reads_.push_back({.origin = origin_number(t), .text = std::move(what), .unknown = true});
    number = static_cast<std::uint32_t>(undefined_reads_.size());
    has_unknown_ = true;
  }
  carry(t, reg, number);
}

std::uint32_t Machine::unknown_at(const Thread& t, std::uint64_t pointer) const {
  auto stored = stored_reads_.find(place_key(t, pointer));
  return stored != stored_reads_.end() && undefined_reads_[stored->second - 1].unknown ? stored->second : 0;
}

void Machine::matters(const Thread& t, std::uint32_t read, std::string_view how) {
  if (read == 0 || foresees()) return;
  UndefinedRead& from = undefined_reads_[read - 1];
  if (std::exchange(from.told, true)) return;
  if (from.unknown) {
    finding(code::kNotModelled, Severity::Incomplete, from.text + "; " + std::string(how), &t);
    stopped_ = gave_up_ = true;  // what comes of it is no finding
    return;
  }
  Finding f;
  f.code = code::kUnwritten;
  f.message = from.text + "; " + std::string(how);
  f.memory = from.memory;
  if (from.origin != origin_number(t)) f.related.push_back({origin_of(t), "used here"});
  report(std::move(f), &t, origin_numbered(from.origin));
}

void Machine::operands_matter(const Thread& t, const Site& site) {
  const auto look = [&](std::uint32_t reg) {
    if (reg != Access::kNoRegister && t.undefined[reg])
      matters(t, t.undefined[reg], site.text.empty() ? "an operand depends on it" : "T." + site.text + " uses it");
  };
  for (std::uint32_t reg : site.args) look(reg);
  // Registers with data decide nothing of what is looked at.
  for (std::uint32_t reg : site.items)
    if (reg == Access::kNoRegister || !t.undefined[reg] || !undefined_reads_[t.undefined[reg] - 1].unknown) look(reg);
}

void Machine::store_undefined(const Thread& t, std::uint64_t pointer, View at, std::int64_t bytes, std::uint32_t read) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  if (undefined_reads_[read - 1].unknown) return store_unknown(t, pointer, read);
  at.mark(false, bytes);
  if (stored_reads_.size() < kMost) stored_reads_[place_key(t, pointer)] = read;
  put_out(t, pointer, at, bytes, read);
}

// The memory of a cluster carries it on. What reaches global memory decides nothing in other clusters where it is
// floating data; other numbers may lead anywhere.
void Machine::store_unknown(const Thread& t, std::uint64_t pointer, std::uint32_t read) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  const bool global = generic(pointer) >> kOffsetBits < memory_.first_shared;
  if (global ? !program_.code[t.pc].type.is_floating() : stored_reads_.size() >= kMost)
    return matters(t, read, "it is stored where other threads find it");
  stored_reads_[place_key(t, pointer)] = read;
}

std::uint32_t Machine::copy_stored(const Thread& t, std::uint64_t from, std::uint64_t to, View at, std::int64_t bytes) {
  std::uint32_t first = 0;
  for (std::int64_t b = at.hole(bytes); b < bytes; ++b) {
    if (at.at(b).hole(1) == 1) continue;
    const auto stored = stored_reads_.find(place_key(t, moved(from, b)));
    if (stored == stored_reads_.end()) continue;
    const std::uint32_t read = stored->second;
    if (first == 0) first = read;
    stored_reads_[place_key(t, moved(to, b))] = read;
  }
  return first;
}

void Machine::tell_put_out(const Thread& t, std::uint64_t block, View at, std::int64_t bytes, std::uint32_t read,
                           std::uint64_t from) {
  const std::int64_t hole = at.hole(bytes);
  const std::string name = "`" + std::string(block_name(block)) + "`";
  if (read != 0) {
    matters(t, read, "it reaches " + name);
  } else {
    Finding f;
    f.code = code::kUnwritten;
    const Finding::Memory source = from != 0 ? memory_at(moved(from, hole), 1) : Finding::Memory();
    f.message = "bytes are copied into " + name + " that hold no value: nothing has written them " +
                (source.name.empty() ? "where they come from" : "in `" + source.name + "`");
    f.memory.data = source.data;  // without a name: the bytes may come from elsewhere, by registers
    report(std::move(f), &t);
  }
  at.mark(true, bytes);
}

std::uint32_t Machine::undefined_in(const Thread& t, const Access& access) const {
  std::uint32_t read = access.offset == Access::kNoRegister ? 0 : t.undefined[access.offset];
  if (read == 0 && access.where == Where::Pointer) read = t.undefined[access.index];
  return read;
}

// Of an instruction that computes a register from others: the undefined one, if one decides the result.
std::uint32_t Machine::carried_by(const Thread& t, const Instruction& i) const {
  const auto either = [&](std::uint32_t x, std::uint32_t y) {
    return t.undefined[x] ? t.undefined[x] : t.undefined[y];
  };
  switch (i.op) {
    case Op::Move:
    case Op::Normalise:
    case Op::BitNot:
    case Op::Not:
    case Op::Round:
    case Op::CountBits:
    case Op::LeadingZeros:
    case Op::ReverseBits:
    case Op::FirstBit:
    case Op::IntToF:
    case Op::UIntToF:
    case Op::FToInt:
    case Op::FToUInt:
    case Op::IntToD:
    case Op::UIntToD:
    case Op::DToInt:
    case Op::DToUInt:
    case Op::FToD:
    case Op::DToF:
    case Op::NonZeroF:
    case Op::NonZeroD:
    case Op::ToBits:
    case Op::FromBits: return t.undefined[i.a];
    case Op::FmaF: return t.undefined[i.a] ? t.undefined[i.a] : either(i.b, i.c);
    case Op::Select: return t.undefined[i.a] ? t.undefined[i.a] : t.undefined[t.registers[i.a] ? i.b : i.c];
    case Op::Address: {
      const std::uint32_t own = undefined_in(t, program_.accesses[i.b]);
      return own ? own : t.undefined[i.a];
    }
    // One operand decides alone where it is all zeros, or true.
    case Op::BitAnd:
    case Op::BitOr: {
      const bool a = t.undefined[i.a] != 0, b = t.undefined[i.b] != 0;
      if (a == b) return t.undefined[i.a];
      const std::uint64_t known = t.registers[a ? i.b : i.a];
      const bool decides = i.op == Op::BitAnd ? known == 0 : i.type.is_bool() && known != 0;
      return decides ? 0 : either(i.a, i.b);
    }
    case Op::MathF:
    case Op::MathD:
    case Op::Ldexp:
    case Op::PointerAdd: return either(i.a, i.b);
    default: return i.op >= Op::Add && i.op <= Op::LessEqualD ? either(i.a, i.b) : 0;
  }
}

// Before an instruction that does more than compute a register.
void Machine::look_for_uses(const Thread& t, const Instruction& i) {
  const auto address = [&](const Access& access, std::uint32_t index) {
    const std::uint32_t own = undefined_in(t, access);
    matters(t, own ? own : t.undefined[index], "an address depends on it");
  };
  switch (i.op) {
    case Op::JumpUnless: matters(t, t.undefined[i.a], "a branch depends on it"); break;
    case Op::LoopNext:
      for (std::uint32_t reg : {i.a, i.b, i.c}) matters(t, t.undefined[reg], "the end of a loop depends on it");
      break;
    case Op::Load:
    case Op::Store: address(program_.accesses[i.b], i.a); break;
    case Op::Copy:
      for (std::uint32_t reg : {i.a, i.b}) matters(t, t.undefined[reg], "an address depends on it");
      break;
    case Op::Trap: matters(t, t.undefined[i.a], "an assertion depends on it"); break;
    case Op::Print: operands_matter(t, program_.sites[i.b]); break;
    case Op::Call: {
      const Site& site = program_.sites[i.b];
      if (!site.call->carries) {
        operands_matter(t, site);
      } else if (site.call->slots.starts_with("addr") || site.call->slots.starts_with("ptr")) {
        matters(t, t.undefined[site.args[0]], "an address depends on it");
      }
      break;
    }
    default: break;
  }
}

}  // namespace tilewright::simulate
