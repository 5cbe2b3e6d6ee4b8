#include "compiler/simulate/machine/blame.h"

#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

void Blame::note(const Machine& m, const Thread& t, const ir::Origin& origin, std::size_t question, Result& result) {
  result.produced.at(question) = Producer{origin, m.cta_of(t), t.linear};
}

void Blame::wrote(const Machine& m, const Thread& t, std::uint64_t pointer, std::int64_t bytes, Result& result) const {
  for (const Asked& a : asked_) {
    const bool there = pointer >> kOffsetBits == a.pointer >> kOffsetBits &&
                       offset_of(pointer) <= offset_of(a.pointer) && offset_of(a.pointer) < offset_of(pointer) + bytes;
    if (there) note(m, t, m.place_in_script(t), a.question, result);
  }
}

std::vector<std::byte> Blame::before(const Machine& m) const {
  std::vector<std::byte> out;
  for (const Asked& a : asked_) out.push_back(m.byte_at(a.pointer));
  return out;
}

void Blame::landed(const Machine& m, const Thread& t, const Operation& op, const std::vector<std::byte>& before,
                   Result& result) const {
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (op.covers(asked_[i].pointer, 1) || m.byte_at(asked_[i].pointer) != before[i])
      note(m, t, op.origin, asked_[i].question, result);
  }
}

}  // namespace tilewright::simulate
