#include "compiler/simulate/profile/profile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/ir/origin.h"
#include "compiler/layout/picture.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {
namespace {

constexpr std::uint64_t kSector = 32;
constexpr std::int64_t kWidest = 16;  // bytes that a lane moves at once in shared memory

// Kinds of streams.
constexpr std::uint32_t kShared = 1, kWrites = 2, kCombines = 4;

std::uint64_t sectors_of(std::uint64_t at, std::uint64_t bytes) {
  return bytes == 0 ? 0 : (at + bytes - 1) / kSector - at / kSector + 1;
}

Traffic global_traffic(const WarpRequest& request) {
  std::vector<std::uint64_t> starts;
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (request.has(lane)) starts.push_back(request.at[lane]);
  std::ranges::sort(starts);
  const auto bytes = static_cast<std::uint64_t>(request.bytes);
  Traffic out{.requests = 1, .bytes = starts.size() * bytes, .lanes = starts.size()};
  std::uint64_t distinct = 0, end = 0, next_sector = 0;  // bytes and sectors up to there are counted
  std::size_t stretches = 0;                             // of bytes that follow each other
  for (std::uint64_t at : starts) {
    if (stretches == 0 || at > end) {
      ++stretches;
      out.begins |= at;
    }
    distinct += at + bytes - std::max(at, std::min(end, at + bytes));
    end = std::max(end, at + bytes);
    const std::uint64_t first = std::max(at / kSector, next_sector), last = (at + bytes - 1) / kSector + 1;
    if (first < last) out.units += last - first;
    next_sector = std::max(next_sector, last);
  }
  out.ideal = (distinct + kSector - 1) / kSector;
  if (stretches == 1) out.shifted = out.units - out.ideal;
  out.worst = out.units;
  return out;
}

// Lanes that combine at one address take turns.
Traffic combined_traffic(const WarpRequest& request) {
  std::vector<std::uint64_t> starts;
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (request.has(lane)) starts.push_back(request.at[lane]);
  std::ranges::sort(starts);
  std::uint64_t most = 0, same = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    same = i > 0 && starts[i] == starts[i - 1] ? same + 1 : 1;
    most = std::max(most, same);
  }
  return {.requests = 1,
          .units = most,
          .ideal = 1,
          .bytes = starts.size() * static_cast<std::uint64_t>(request.bytes),
          .worst = most,
          .lanes = starts.size()};
}

using Addresses = std::array<std::int64_t, 32>;

// The wavefronts of a request at these bytes of shared memory, a lane each, and how many would do; wider accesses are
// several of the widest.
std::pair<std::uint64_t, std::uint64_t> wavefronts(const WarpRequest& request, const Addresses& at) {
  std::uint64_t units = 0, ideal = 0;
  for (std::int64_t done = 0; done < request.bytes; done += kWidest) {
    const std::int64_t bytes = std::min<std::int64_t>(kWidest, request.bytes - done);
    Addresses bits;
    for (std::size_t lane = 0; lane < 32; ++lane) bits[lane] = request.has(lane) ? (at[lane] + done) * 8 : -1;
    const layout::BankReport report = layout::bank_conflicts(bits, static_cast<int>(bytes * 8));
    units += static_cast<std::uint64_t>(report.wavefronts);
    ideal += static_cast<std::uint64_t>(report.ideal);
  }
  return {units, ideal};
}

template <class Place>
auto& traffic_of(Place& place, AccessKind kind) {
  switch (kind) {
    case AccessKind::GlobalRead: return place.global_read;
    case AccessKind::GlobalWrite: return place.global_write;
    case AccessKind::SharedRead: return place.shared_read;
    case AccessKind::SharedWrite: break;
  }
  return place.shared_write;
}

// The same lanes at the same addresses.
bool is_same(const WarpRequest& a, const WarpRequest& b) {
  if (a.came != b.came) return false;
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (a.has(lane) && a.at[lane] != b.at[lane]) return false;
  return true;
}

// Neighbours among the lanes are equally far apart, or in rows of 2, 4, 8 or 16 lanes of which that is true.
bool is_regular(const WarpRequest& request) {
  for (std::size_t row = 32; row > 1; row /= 2) {
    std::optional<std::uint64_t> step;
    bool equal = true;
    for (std::size_t lane = 1; lane < 32 && equal; ++lane) {
      if (lane % row == 0 || !request.has(lane) || !request.has(lane - 1)) continue;
      const std::uint64_t apart = request.at[lane] - request.at[lane - 1];
      equal = apart == step.value_or(apart);
      step = apart;
    }
    if (equal) return true;
  }
  return false;
}

// Lanes that do not access lie between some that do.
bool has_holes(std::uint32_t lanes) {
  const std::uint32_t from_first = lanes >> std::countr_zero(lanes);
  return (from_first & (from_first + 1)) != 0;
}

AccessKind access_kind(std::uint32_t kind) {
  const bool writes = (kind & kWrites) != 0;
  if (kind & kShared) return writes ? AccessKind::SharedWrite : AccessKind::SharedRead;
  return writes ? AccessKind::GlobalWrite : AccessKind::GlobalRead;
}

}  // namespace

Profile::Profile(const Machine& machine, ProfileRecord& out, ProfileDetails* details)
    : machine_(machine), out_(out), details_(details ? *details : own_) {}

// What the machine code has at the place of an instruction; null: the script's accesses count as they are written.
MachineAccesses::Kind* Profile::made_at(std::uint32_t pc, std::uint32_t kind, bool* is_clear) {
  if (!details_.accesses || (kind & kCombines)) return nullptr;
  const std::uint32_t number = machine_.origin_number_at(pc);
  const auto [at, fresh] = made_.try_emplace(number, nullptr);
  if (fresh) {
    const auto found = details_.accesses->places.find(machine_.origin_numbered(number));
    if (found != details_.accesses->places.end()) at->second = &found->second;
  }
  if (!at->second) return nullptr;
  *is_clear = at->second->is_clear;
  return &at->second->kinds[static_cast<std::size_t>(access_kind(kind))];
}

Profile::Memory Profile::memory_of(std::uint64_t pointer) const {
  if (machine_.window_address(pointer)) return Memory::Shared;
  return machine_.is_global(pointer) ? Memory::Global : Memory::Other;
}

ProfiledPlace& Profile::place_at(std::uint32_t pc) {
  const std::uint32_t number = machine_.origin_number_at(pc);
  auto [at, fresh] = out_.places.try_emplace(number);
  if (fresh) at->second.origin = machine_.origin_numbered(number);
  return at->second;
}

OddRequests& Profile::odd_at(std::uint32_t pc, const ir::Origin& origin) {
  OddRequests& odd = details_.odd[machine_.origin_number_at(pc)];
  odd.origin = origin;
  return odd;
}

ProfiledPlace& Profile::place_of(const Thread& t) { return place_at(t.pc); }

std::uint32_t Profile::lanes_of(const Thread& t) const {
  const std::uint32_t first = t.linear / 32 * 32, left = machine_.cta_size() - first;
  return left >= 32 ? ~0u : (1u << left) - 1;
}

std::uint32_t Profile::warp_of(const Thread& t) const {
  return t.cta * ((machine_.cta_size() + 31) / 32) + t.linear / 32;
}

ProfiledRows& Profile::rows_at(const ElementNames::Rows& rows) {
  ProfiledRows& out = out_.rows[rows.buffer];
  out.row_bytes = rows.row_bytes;
  out.rows = rows.rows;
  out.element_bytes = rows.element_bytes;
  return out;
}

Traffic Profile::shared_traffic(const WarpRequest& request) const {
  const auto lanes = static_cast<std::uint64_t>(std::popcount(request.came));
  Traffic out{.requests = 1, .bytes = lanes * static_cast<std::uint64_t>(request.bytes), .lanes = lanes};
  Addresses at{};
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (request.has(lane)) at[lane] = *machine_.window_address(request.at[lane]);
  std::tie(out.units, out.ideal) = wavefronts(request, at);
  out.worst = out.units;
  return out;
}

Traffic Profile::shared_traffic(const WarpRequest& request, std::string_view view, const ir::Buffer** buffer) {
  const Traffic out = shared_traffic(request);
  Addresses offsets{};
  // The same with other rows, where all lanes are in one buffer that has some.
  const std::uint64_t first = request.at[static_cast<std::size_t>(std::countr_zero(request.came))];
  const ElementNames::Rows rows = machine_.rows_of(first, request.bytes, view);
  if (!rows.buffer) return out;
  const std::uint64_t block = first >> kOffsetBits;
  const std::int64_t base = *machine_.window_address(first) - (offset_of(first) - rows.first);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if (!request.has(lane)) continue;
    offsets[lane] = offset_of(request.at[lane]) - rows.first;
    if (request.at[lane] >> kOffsetBits != block || offsets[lane] < 0 || offsets[lane] >= rows.row_bytes * rows.rows)
      return out;
  }
  *buffer = rows.buffer;
  ProfiledRows& sum = rows_at(rows);
  sum.widest = std::max<std::int64_t>(sum.widest, request.bytes);
  sum.wavefronts += out.units;
  sum.ideal += out.ideal;
  for (std::size_t i = 0; i < std::size(kOtherRows); ++i) {
    Addresses other{};
    for (std::size_t lane = 0; lane < 32; ++lane)
      if (request.has(lane)) other[lane] = base + kOtherRows[i].moved(offsets[lane], rows.row_bytes);
    sum.others[i] += wavefronts(request, other).first;
  }
  return out;
}

void Profile::account(const Stream& stream, const WarpRequest& request) {
  bool is_clear = false;
  if (stream.kind & kCombines) {
    const auto [at, fresh] = combined_.try_emplace({stream.pc, stream.warp}, request);
    if (!fresh && is_same(at->second, request)) ++odd_at(stream.pc, place_at(stream.pc).origin).repeated;
    at->second = request;
  }
  MachineAccesses::Kind* made = made_at(stream.pc, stream.kind, &is_clear);
  if (!made) return count_request(stream.pc, stream.kind, request, place_at(stream.pc));
  ++made->written;
  const std::uint32_t widths = made->widths();
  const bool left_out = widths == 0 && details_.accesses->is_whole && !(stream.kind & kWrites);
  if (!is_clear || (!left_out && widths < 2 * static_cast<std::uint32_t>(request.bytes))) {
    ++made->made;
    ++made->counted[width_number(request.bytes)];
    return count_request(stream.pc, stream.kind, request, place_at(stream.pc));
  }
  keep(stream, request);
  if (left_out) return;
  joined_.add({machine_.origin_number_at(stream.pc), stream.kind, stream.warp}, stream.pc, request, widths,
              [&](std::uint32_t pc, const WarpRequest& one) { count_joined(pc, stream.kind, one); });
}

// As the script writes it, in case that it counts so.
void Profile::keep(const Stream& stream, const WarpRequest& request) {
  const std::uint32_t number = machine_.origin_number_at(stream.pc);
  ProfiledPlace& place = details_.as_written[number];
  place.origin = machine_.origin_numbered(number);
  traffic_of(place, access_kind(stream.kind))
      .add(stream.kind & kShared ? shared_traffic(request) : global_traffic(request));
}

void Profile::count_joined(std::uint32_t pc, std::uint32_t kind, const WarpRequest& request) {
  bool is_clear = false;
  MachineAccesses::Kind* made = made_at(pc, kind, &is_clear);
  ++made->made;
  ++made->counted[width_number(request.bytes)];
  const std::uint32_t number = machine_.origin_number_at(pc);
  ProfiledPlace& place = details_.as_joined[number];
  place.origin = machine_.origin_numbered(number);
  count_request(pc, kind, request, place);
}

void Profile::count_request(std::uint32_t pc, std::uint32_t kind, const WarpRequest& request, ProfiledPlace& place) {
  if (has_holes(request.came)) {
    OddRequests& odd = odd_at(pc, place.origin);
    ++odd.scattered;
    odd.lanes += static_cast<std::uint64_t>(std::popcount(request.came));
  }
  if (kind & kCombines) return place.combined.add(combined_traffic(request));
  if (!(kind & kShared) && !is_regular(request)) ++odd_at(pc, place.origin).irregular;
  Traffic& to = traffic_of(place, access_kind(kind));
  if (!(kind & kShared)) return to.add(global_traffic(request));
  const ir::Buffer* buffer = nullptr;
  const Traffic traffic = shared_traffic(request, views_[pc], &buffer);
  if (traffic.units > traffic.ideal && traffic.worst > to.worst)
    (kind & kWrites ? place.conflicted_write : place.conflicted_read) = buffer;
  to.add(traffic);
}

void Profile::by_lane(const Thread& t, std::uint64_t pointer, std::int64_t bytes, bool writes, std::string_view view) {
  const Memory memory = memory_of(pointer);
  if (memory == Memory::Other || bytes <= 0) return;
  const std::uint32_t kind = (memory == Memory::Shared ? kShared : 0) | (writes ? kWrites : 0);
  if (!view.empty()) views_.try_emplace(t.pc, view);
  const Stream stream{t.pc, kind, warp_of(t)};
  const bool room =
      requests_.add(stream, t.linear % 32, lanes_of(t), machine_.generic(pointer), static_cast<std::int32_t>(bytes),
                    [&](const WarpRequest& request) { account(stream, request); });
  if (!room) ++place_of(t).uncounted;
}

void Profile::combine(const Thread& t, std::uint64_t pointer, std::int64_t bytes) {
  if (memory_of(pointer) == Memory::Other) return;
  const Stream stream{t.pc, kCombines, warp_of(t)};
  const bool room =
      requests_.add(stream, t.linear % 32, lanes_of(t), machine_.generic(pointer), static_cast<std::int32_t>(bytes),
                    [&](const WarpRequest& request) { account(stream, request); });
  if (!room) ++place_of(t).uncounted;
}

bool MachineAccesses::Kind::is_alike() const {
  constexpr double kShare = 0.1;
  double all = 0, have = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    all += static_cast<double>(code[i]);
    have += static_cast<double>(counted[i]);
  }
  if (all == 0 || have == 0) return false;
  for (std::size_t i = 0; i < code.size(); ++i)
    if (std::abs(static_cast<double>(code[i]) / all - static_cast<double>(counted[i]) / have) > kShare) return false;
  return true;
}

void settle(ProfileDetails& details, ProfileRecord& record) {
  if (!details.accesses) return;
  MachineAccesses& accesses = *details.accesses;
  std::array<bool, kAccessKinds> complete{};  // as many requests as the whole code has instructions for each warp
  for (std::size_t of = 0; of < kAccessKinds; ++of) {
    std::uint64_t made = 0;
    for (const auto& [origin, place] : accesses.places) made += place.kinds[of].made;
    complete[of] = accesses.once[of] && *accesses.once[of] * details.warps == made;
  }
  for (const auto& [number, written] : details.as_written) {
    const auto found = accesses.places.find(written.origin);
    const auto joined = details.as_joined.find(number);
    for (std::size_t of = 0; found != accesses.places.end() && of < kAccessKinds; ++of) {
      const auto kind = static_cast<AccessKind>(of);
      const Traffic& as_written = traffic_of(written, kind);
      if (as_written.requests == 0) continue;
      MachineAccesses::Kind& made = found->second.kinds[of];
      const bool left_out = made.widths() == 0;
      const bool holds = left_out ? complete[of] : made.is_alike();
      if (holds && left_out) continue;
      ProfiledPlace& to = record.places.try_emplace(number).first->second;
      to.origin = written.origin;
      if (!holds) made.made = made.written;
      if (holds && !to.conflicted_read) to.conflicted_read = joined->second.conflicted_read;
      if (holds && !to.conflicted_write) to.conflicted_write = joined->second.conflicted_write;
      traffic_of(to, kind).add(holds ? traffic_of(joined->second, kind) : as_written);
    }
  }
  details.as_written.clear();
  details.as_joined.clear();
}

void Profile::end_cta(std::span<const Thread> threads, std::uint64_t, std::size_t) {
  close_engine();
  if (threads.empty()) return;
  const std::uint32_t first = warp_of(threads.front()), end = first + (machine_.cta_size() + 31) / 32;
  details_.warps += end - first;
  requests_.close(first, end, [&](const Stream& stream, const WarpRequest& request) { account(stream, request); });
  combined_.clear();
  joined_.close(first, end, [&](const JoinedRequests::Key& key, std::uint32_t pc, const WarpRequest& request) {
    count_joined(pc, key.kind, request);
  });
}

void Profile::read(const Thread& t, std::uint64_t pointer, std::int64_t bytes, How how, std::string_view view) {
  if (how == How::Atomic) {
    if (memory_of(pointer) != Memory::Other) ++place_of(t).atomics;
    atomic_read_ = {pointer, t.pc, t.linear, t.cta};
    return;
  }
  by_lane(t, pointer, bytes, false, view);
}

void Profile::write(const Thread& t, std::uint64_t pointer, std::int64_t bytes, const std::byte*, const std::byte* now,
                    How how, std::string_view view) {
  // The write of an atomic access comes after its read. An mbarrier, whose life begins or ends, has no value.
  if (how == How::Atomic && atomic_read_ == AtomicRead{pointer, t.pc, t.linear, t.cta}) combine(t, pointer, bytes);
  if (how == How::Atomic || (!now && bytes == 8)) return;
  by_lane(t, pointer, bytes, true, view);
}

void Profile::issue(const Thread& t, std::uint32_t operation, Queue queue, TensorWork) {
  by_threads_ = queue == Queue::Copy ? operation : 0;
  if (!by_threads_) ++place_of(t).operations;
}

void Profile::access(const Thread& t, const Accessed& what) {
  if (what.is_map) return;
  if (what.operation == by_threads_ && by_threads_ != 0) return by_lane(t, what.pointer, what.bytes, what.writes, {});
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(what.bytes, 0));
  switch (memory_of(what.pointer)) {
    case Memory::Global:
      place_of(t).copied_global += bytes;
      place_of(t).copied_sectors += sectors_of(machine_.generic(what.pointer), bytes);
      break;
    case Memory::Shared:
      place_of(t).copied_shared += bytes;
      if (what.writes && machine_.rank_of(what.pointer) != t.cta) {
        OddRequests& odd = odd_at(t.pc, place_of(t).origin);
        odd.sent += bytes;
        odd.copies += std::exchange(sent_, what.operation) != what.operation;
      }
      by_engine(t, what);
      if (const ElementNames::Rows rows = machine_.rows_of(what.pointer, 1, {}); rows.buffer)
        rows_at(rows).is_copied = true;
      break;
    case Memory::Other: break;
  }
}

void Profile::by_engine(const Thread& t, const Accessed& what) {
  const EngineRequest::Of of{what.operation, machine_.origin_number_at(t.pc),
                             machine_.rank_of(what.pointer).value_or(0)};
  if (engine_.of != of) {
    close_engine();
    engine_.of = of;
  }
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(what.bytes, 0));
  if (what.how == How::Atomic || !engine_.add(*machine_.window_address(what.pointer), bytes))
    place_of(t).unfigured += bytes;
}

void Profile::close_engine() {
  if (engine_.is_figured()) {
    out_.places[engine_.of.place].engine.add(engine_.traffic());
  } else if (engine_.bytes() != 0) {
    out_.places[engine_.of.place].unfigured += engine_.bytes();
  }
  engine_ = {};
}

void Profile::multiply(const Thread& t, std::uint64_t operations) { place_of(t).multiplied += operations; }

void Profile::come_to_wait(const Thread& t, std::uint64_t, std::int64_t) { ++place_of(t).waits; }

void Profile::pass(std::span<const Thread* const> threads, std::uint64_t, std::string_view) {
  if (!threads.empty()) place_of(*threads.front()).meetings += (threads.size() + 31) / 32;
}

}  // namespace tilewright::simulate
