// What a watch sees: no access, so nothing is found and nothing races with it.
#include <algorithm>
#include <cstring>

#include "compiler/simulate/machine/machine.h"
#include "compiler/simulate/machine/value.h"

namespace tilewright::simulate {

void Machine::look(const Thread& t, const Site& site) {
  joined_ = true;  // what is seen is told in the order of the clusters
  if (result_.seen.size() >= options_.max_seen) {
    ++result_.unseen;
    return;
  }
  Seen& seen = result_.seen.emplace_back();
  seen.point = static_cast<std::uint32_t>(site.number);
  seen.cta = cta_of(t);
  seen.thread = t.linear;
  const auto loops = static_cast<std::size_t>(site.count);
  for (std::size_t i = 0; i < loops; ++i) seen.loops.push_back(static_cast<std::int64_t>(t.registers[site.args[i]]));
  if (!site.flag) {
    seen.values.push_back({to_bits(t.registers[site.args[loops]], site.type)});
    return;
  }
  const int bits = site.type.storage_bits();
  const bool packed = bits < 8;
  const std::int64_t bytes = std::max(1, bits / 8);
  for (std::size_t i = loops; i < site.args.size(); i += packed ? 2 : 1) {
    Seen::Value& value = seen.values.emplace_back();
    const std::optional<View> at = peek(t, t.registers[site.args[i]], bytes);
    if (!at) {
      value.state = Seen::Value::State::Outside;
      continue;
    }
    if (std::memchr(at->defined, 0, static_cast<std::size_t>(bytes))) value.state = Seen::Value::State::Unwritten;
    std::memcpy(&value.bits, at->bytes, static_cast<std::size_t>(bytes));
    if (packed) {
      const std::uint64_t element = t.registers[site.args[i + 1]];
      value.bits = value.bits >> (element * static_cast<std::uint64_t>(bits) % 8) & ((std::uint64_t{1} << bits) - 1);
    }
  }
}

std::optional<View> Machine::peek(const Thread& t, std::uint64_t pointer, std::int64_t bytes) const {
  pointer = generic(pointer);
  const std::uint64_t number = pointer >> kOffsetBits;
  const std::int64_t offset = offset_of(pointer);
  auto inside = [&](std::int64_t size) { return offset >= 0 && offset <= size && bytes <= size - offset; };
  if (number >= kLocalBlocks && number - kLocalBlocks < program_.locals.size()) {
    const Storage& local = program_.locals[number - kLocalBlocks];
    if (!inside(local.bytes)) return std::nullopt;
    return View{t.frame + local.frame, t.frame_defined + local.frame, nullptr}.at(offset);
  }
  if (number == 0 || number >= memory_.blocks.size() || !inside(memory_.blocks[number].size)) return std::nullopt;
  return View{memory_.blocks[number].bytes, memory_.blocks[number].defined, nullptr}.at(offset);
}

}  // namespace tilewright::simulate
