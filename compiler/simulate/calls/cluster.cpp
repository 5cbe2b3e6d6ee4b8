// The cluster: addresses in other CTAs, stores into them, and the registers that say who one is.
#include <cstring>

#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/calls/move.h"
#include "compiler/simulate/codes.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

Step not_shared(Machine& m, const Thread& t, std::string_view what) {
  m.finding(code::kPointer, Severity::Error, std::string(what) + " of a pointer that does not lead into shared memory",
            &t);
  return Step::Failed;
}

// ptr, rank
Step map_rank(Machine& m, Thread& t, const Site& s) {
  std::uint64_t pointer = Machine::arg(t, s, 0), rank = Machine::arg(t, s, 1);
  if (!m.rank_of(pointer)) return not_shared(m, t, "the address in another CTA");
  if (rank >= m.ctas()) {
    m.finding(code::kPointer, Severity::Error,
              "there is no CTA " + std::to_string(static_cast<std::int64_t>(rank)) + " in a cluster of " +
                  std::to_string(m.ctas()),
              &t);
    return Step::Failed;
  }
  std::uint64_t mapped = m.in_cta(pointer, static_cast<std::uint32_t>(rank));
  // With a space the address stays one of the shared window.
  Machine::set_result(t, s, s.flag ? *m.window_address(mapped) : mapped);
  return Step::Done;
}

bool set_up_map(Site& s, const Arguments& a) {
  s.flag = a.operand("space") && !a.text("space").empty();
  return true;
}

Step cta_rank(Machine& m, Thread& t, const Site& s) {
  auto rank = m.rank_of(Machine::arg(t, s, 0));
  if (!rank) return not_shared(m, t, "the rank");
  Machine::set_result(t, s, *rank);
  return Step::Done;
}

Step window(Machine& m, Thread& t, const Site& s) {
  auto address = m.window_address(Machine::arg(t, s, 0));
  if (!address) return not_shared(m, t, "the shared address");
  Machine::set_result(t, s, *address);
  return Step::Done;
}

// The same place in the even CTA of the pair.
Step peer_window(Machine& m, Thread& t, const Site& s) {
  auto address = m.window_address(Machine::arg(t, s, 0));
  if (!address) return not_shared(m, t, "the shared address");
  Machine::set_result(t, s, *address & ~(1u << kRankShift));
  return Step::Done;
}

// Values of one type side by side, as they lie in memory.
Cargo packed(const Machine& m, const Thread& t, std::span<const std::uint32_t> registers, ir::DataType type) {
  const auto width = static_cast<std::size_t>(type.storage_bits() / 8);
  Cargo out(static_cast<std::int64_t>(width * registers.size()), m.options().trace);
  for (std::size_t i = 0; i < registers.size(); ++i) {
    std::uint64_t bits = to_bits(t.registers[registers[i]], type);
    std::memcpy(out.bytes.data() + i * width, &bits, width);
    std::memset(out.defined.data() + i * width, t.undefined[registers[i]] == 0, width);
    std::uint32_t tag = t.tags ? t.tags[registers[i]] : 0;
    for (std::size_t b = 0; tag && b < width; ++b) out.tags[i * width + b] = tag + static_cast<std::uint32_t>(b);
  }
  return out;
}

Step start_store(Machine& m, Thread& t, const Site& s, Cargo cargo, std::optional<Combine> op) {
  auto move = std::make_unique<Move>(Queue::Counted, cargo.size());
  move->cargo = std::move(cargo);
  move->destinations = {m.generic(Machine::arg(t, s, 0))};
  move->barriers = {m.generic(Machine::arg(t, s, 1))};
  move->barrier = move->barriers[0];
  move->combine = op;
  move->generic = true;
  move->type = s.type;
  auto to = m.rank_of(move->destinations[0]), counts = m.rank_of(move->barriers[0]);
  if (!to || to != counts) {
    m.finding(code::kRefused, Severity::Error,
              "an asynchronous store and its barrier are in the shared memory of one and the same CTA", &t);
    return Step::Failed;
  }
  if (!claim(m, t, *move, move->bytes)) return Step::Failed;
  return m.engine().issue(m, t, std::move(move)) ? Step::Done : Step::Failed;
}

// addr_u64, bar_u64; values
Step store_async(Machine& m, Thread& t, const Site& s) {
  return start_store(m, t, s, packed(m, t, s.items, s.type), std::nullopt);
}

// addr_u64, bar_u64, value
Step reduce_async(Machine& m, Thread& t, const Site& s) {
  const std::uint32_t value[] = {s.args[2]};
  return start_store(m, t, s, packed(m, t, value, s.type), static_cast<Combine>(s.code));
}

bool set_up_store(Site& s, const Arguments& a) {
  s.type = a.items("values")[0].dtype();
  return s.type.lanes == 1 && s.type.storage_bits() >= 8;
}

bool set_up_reduce(Site& s, const Arguments& a) {
  auto op = combine_named(a.text("op"));
  s.type = ptx_type(a.text("ptx_type"));
  s.code = op ? static_cast<int>(*op) : 0;
  return op.has_value();
}

Step special(Machine& m, Thread& t, const Site& s) {
  Machine::set_result(t, s, static_cast<std::uint64_t>(m.special_register(t, s.text)));
  return Step::Done;
}

bool set_up_special(Site& s, const Arguments& a) {
  s.text = a.text("reg_name");
  return Machine::knows_register(s.text);
}

bool set_up_rank(Site& s, const Arguments&) {
  s.text = "thread_rank";
  return true;
}

constexpr CallRow kClusterRows[] = {
    {.meaning = Meaning::MapSharedRank, .slots = "ptr, rank", .thread = map_rank, .set_up = set_up_map},
    {.meaning = Meaning::GetCtaRank, .slots = "addr", .thread = cta_rank},
    {.meaning = Meaning::SharedAddress, .slots = "ptr", .thread = window},
    {.meaning = Meaning::TruncateAddress, .slots = "cluster_addr", .thread = window},
    {.meaning = Meaning::PeerBarrierAddress, .slots = "bar|ptr", .thread = peer_window},
    {.meaning = Meaning::StoreAsync,
     .slots = "addr_u64, bar_u64",
     .thread = store_async,
     .set_up = set_up_store,
     .carries = true},
    {.meaning = Meaning::ReduceAsync,
     .slots = "addr_u64, bar_u64, value",
     .thread = reduce_async,
     .set_up = set_up_reduce},
    {.meaning = Meaning::ReadRegister, .slots = "", .thread = special, .set_up = set_up_special},
    {.meaning = Meaning::ThreadRank, .slots = "", .thread = special, .set_up = set_up_rank},
};

}  // namespace

std::span<const CallRow> cluster_calls() { return kClusterRows; }

}  // namespace tilewright::simulate
