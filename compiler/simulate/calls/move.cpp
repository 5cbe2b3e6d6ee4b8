#include "compiler/simulate/calls/move.h"

#include <algorithm>
#include <cstring>

#include "compiler/simulate/codes.h"

namespace tilewright::simulate {

void poison(Machine& m, View at, std::int64_t bytes) {
  if (m.options().timing != Timing::Earliest) at.mark(false, bytes);
}

namespace {

// Holds what the copy will read and write against what is known of others at its issue.
void watch(Machine& m, const Thread& t, Move& move) {
  for (std::uint64_t to : move.destinations) {
    const std::uint32_t number = m.issue_number(t, move.queue);
    if (move.source && move.numbers.empty()) m.observers().read(t, number, move.source_at(), move.source_bytes());
    move.numbers.push_back(number);
    const How how = move.combine ? How::Atomic : How::Plain;
    if (move.byte_mask == 0xffff) {
      m.observers().access(t, {.operation = number,
                               .pointer = to,
                               .bytes = move.bytes,
                               .writes = true,
                               .how = how,
                               .generic = move.generic});
    } else {
      for (std::int64_t b = 0; b < move.bytes; ++b)
        if (move.byte_mask >> (b % 16) & 1) m.observers().write(t, number, moved(to, b), 1, how);
    }
  }
}

}  // namespace

bool claim(Machine& m, Thread& t, Move& move, std::int64_t align) {
  if (move.source && !m.view(t, move.source_at(), move.source_bytes(), move.left ? 1 : align, false, "a copy's source"))
    return false;
  for (std::uint64_t to : move.destinations) {
    if (!m.alive(t, to, "a copy")) return false;
    auto at = m.view(t, to, move.bytes, align, false, "a copy's destination");
    if (!at) return false;
    m.spare_barriers(t, to, move.bytes);
    if (!move.combine && move.byte_mask == 0xffff) poison(m, *at, move.bytes);
  }
  for (std::uint64_t barrier : move.barriers)
    if (!m.barrier_at(t, barrier, "a copy")) return false;
  if (m.observers()) watch(m, t, move);
  return true;
}

bool spread(Machine& m, const Thread& t, std::uint64_t mask, std::vector<std::uint64_t>& destinations,
            std::vector<std::uint64_t>& barriers, int cta_group) {
  if (mask == 0 || mask >> m.ctas()) {
    m.finding(code::kRefused, Severity::Error,
              "the multicast mask " + std::to_string(mask) + " does not name CTAs of a cluster of " +
                  std::to_string(m.ctas()),
              &t);
    return false;
  }
  const std::uint64_t to = destinations[0], barrier = barriers[0];
  const std::uint32_t half = m.rank_of(barrier).value_or(t.cta) & 1;
  destinations.clear();
  barriers.clear();
  for (std::uint32_t cta = 0; cta < m.ctas(); ++cta) {
    if (!(mask >> cta & 1)) continue;
    destinations.push_back(m.in_cta(to, cta));
    // Of a pair one CTA's barrier counts for both: the one that the issuer's barrier is in.
    barriers.push_back(m.in_cta(barrier, cta_group == 2 ? (cta & ~1u) | half : cta));
  }
  return true;
}

bool Move::take(Machine& m, Thread& t) {
  if (!source) return true;
  auto from = m.view(t, source_at(), source_bytes(), 1, false, "a copy's source");
  if (!from) return false;
  m.spend(bytes);
  cargo = Cargo(bytes, m.options().trace);
  if (given >= 0) cargo.view().mark(true, bytes);
  transfer(cargo.view().at(left), *from, source_bytes());
  lacks = m.stored_read(t, source_at(), *from, source_bytes());
  return true;
}

void combine_into(Combine op, ir::DataType type, View to, View from, std::int64_t bytes) {
  const std::int64_t width = type.storage_bits() / 8;
  for (std::int64_t at = 0; at + width <= bytes; at += width) {
    const View element = to.at(at);
    std::uint64_t old = 0, value = 0;
    element.get(&old, width);
    std::memcpy(&value, from.bytes + at, static_cast<std::size_t>(width));
    std::uint64_t now = to_bits(combined(op, type, from_bits(old, type), from_bits(value, type)), type);
    element.put(&now, width);
    for (std::int64_t b = 0; b < width; ++b)
      if (!from.defined[at + b]) element.at(b).mark(false, 1);
    element.drop_tags(width);
  }
}

bool Move::land(Machine& m, Thread& t) {
  for (std::uint64_t place : destinations) {
    if (!m.alive(t, place, "a copy")) return false;
    auto to = m.view(t, place, bytes, 1, false, "a copy's destination");
    if (!to) return false;
    m.spend(bytes);
    if (combine) {
      combine_into(*combine, type, *to, cargo.view(), bytes);
      m.put_out(t, place, *to, bytes, lacks, source);
    } else if (byte_mask == 0xffff) {
      transfer(*to, cargo.view(), bytes);
      m.put_out(t, place, *to, bytes, lacks, source);
    } else {
      for (std::int64_t b = 0; b < bytes; ++b)
        if (byte_mask >> (b % 16) & 1) {
          transfer(to->at(b), cargo.view().at(b), 1);
          m.put_out(t, moved(place, b), to->at(b), 1, lacks);
        }
    }
  }
  for (std::size_t i = 0; i < barriers.size(); ++i) {
    bool good = m.counted(t, barriers[i], "a copy that lands", [&](Mbarrier& b) {
      if (m.observers()) m.observers().tell(&Observer::count_operation, numbers[i], barriers[i], b.phase);
      return b.complete(bytes);
    });
    if (!good) return false;
  }
  return true;
}

bool Move::covers(std::uint64_t pointer, std::int64_t count) const {
  return std::ranges::any_of(destinations,
                             [&](std::uint64_t place) { return share_bytes(pointer, count, place, bytes); });
}

}  // namespace tilewright::simulate
