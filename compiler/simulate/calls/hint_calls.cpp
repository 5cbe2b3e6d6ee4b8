// Calls that change no data of the kernel: prefetches, sleeping, clocks, what one kernel of a stream tells the next.
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/tensor/fragments.h"
#include "compiler/simulate/tensor/tensor_map.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

Step nothing(Machine&, Thread&, const Site&) { return Step::Done; }

// Kernels of a sequence run one after the other: what a kernel waits for is over, and those behind it see all.
Step dependency(Machine& m, Thread& t, const Site&) {
  const Fence fence{.kind = Fence::Kind::Memory, .scope = intrinsics::Scope::System};
  m.observers().tell(&Observer::fence, t, fence);
  return Step::Done;
}

// src, bytes. Where the block lies does not matter: what is not there is not brought.
Step prefetch_block(Machine& m, Thread& t, const Site& s) {
  const std::uint64_t from = m.generic(Machine::arg(t, s, 0)), bytes = Machine::arg(t, s, 1);
  if (bytes % 16 == 0 && m.place_of(from) % 16 == 0) return Step::Done;
  m.finding(code::kRefused, Severity::Error,
            "a bulk prefetch takes multiples of 16 bytes from a multiple of 16, not " + std::to_string(bytes) +
                " bytes from byte " + std::to_string(m.place_of(from)),
            &t);
  return Step::Failed;
}

// map
Step prefetch_map(Machine& m, Thread& t, const Site& s) {
  constexpr std::int64_t kAlign = 64;
  const bool there = m.view(t, Machine::arg(t, s, 0), TensorMap::kBytes, kAlign, false, "the tensor map").has_value();
  return there ? Step::Done : Step::Failed;
}

Step clock(Machine& m, Thread& t, const Site& s) {
  Machine::set_result(t, s, m.tick());
  return Step::Done;
}

// ---- the profile of tvm's timers: one slot in a buffer for each group of threads ----

struct Timer final : CallForm {
  ir::DataType record, offset, tag;  // what the pointers lead to
};

bool set_up_timer(Site& s, const Arguments& a) {
  auto form = std::make_shared<Timer>();
  form->record = pointee_of(a["profiler_buffer"]);
  form->offset = pointee_of(a["profiler_write_offset"]);
  form->tag = pointee_of(a["profiler_tag"]);
  auto counts = [](ir::DataType d) { return d.is_integral() && d.lanes == 1 && (d.bits == 32 || d.bits == 64); };
  const bool good = counts(form->record) && counts(form->offset) && counts(form->tag);
  s.form = std::move(form);
  return good;
}

bool put(Machine& m, const Thread& t, std::uint64_t pointer, std::uint64_t index, ir::DataType type,
         std::uint64_t value) {
  const std::uint64_t to = moved(pointer, static_cast<std::int64_t>(index) * type.bits / 8);
  return write_registers(m, t, {&to, 1}, type.bits, &value, "the profile");
}

enum TimerSlot { kBuffer, kTag, kOffset, kGroups, kGroup, kStride = kGroups, kLeader, kEvent };

// buffer, tag, offset, groups, group
Step start_profile(Machine& m, Thread& t, const Site& s) {
  const Timer& f = form_of<Timer>(s);
  auto special = [&](std::string_view name) { return static_cast<std::uint64_t>(m.special_register(t, name)); };
  const std::uint64_t block =
      special("ctaid.x") + special("nctaid.x") * (special("ctaid.y") + special("nctaid.y") * special("ctaid.z"));
  const std::uint64_t blocks = special("nctaid.x") * special("nctaid.y") * special("nctaid.z");
  const std::uint64_t groups = Machine::arg(t, s, kGroups) & 0xffffffff,
                      slot = block * groups + (Machine::arg(t, s, kGroup) & 0xffffffff);
  const bool first = block == 0 && t.linear == 0;
  const bool good = (!first || put(m, t, Machine::arg(t, s, kBuffer), 0, f.record, groups << 32 | blocks)) &&
                    put(m, t, Machine::arg(t, s, kOffset), 0, f.offset, 1 + slot) &&
                    put(m, t, Machine::arg(t, s, kTag), 0, f.tag, slot << 12);
  return good ? Step::Done : Step::Failed;
}

// buffer, tag, offset, stride, leader, event
Step record(Machine& m, Thread& t, const Site& s) {
  const Timer& f = form_of<Timer>(s);
  const Fence fence{.kind = Fence::Kind::Memory, .scope = intrinsics::Scope::System};
  m.observers().tell(&Observer::fence, t, fence);
  if (Machine::arg(t, s, kLeader) == 0) return Step::Done;
  const std::uint64_t tag_at = Machine::arg(t, s, kTag), offset_at = Machine::arg(t, s, kOffset);
  std::uint64_t tag = 0, offset = 0;
  if (!read_registers(m, t, {&tag_at, 1}, f.tag.bits, &tag, "the profile's tag") ||
      !read_registers(m, t, {&offset_at, 1}, f.offset.bits, &offset, "the profile's offset"))
    return Step::Failed;
  const std::uint64_t event = s.call->meaning == Meaning::TimerFinalize
                                  ? 3
                                  : Machine::arg(t, s, kEvent) << 2 | (s.call->meaning == Meaning::TimerEnd ? 1 : 0);
  const std::uint64_t value = (m.tick() & 0xffffffff) << 32 | ((tag | event) & 0xffffffff);
  const bool good = put(m, t, Machine::arg(t, s, kBuffer), offset, f.record, value) &&
                    put(m, t, offset_at, 0, f.offset, offset + Machine::arg(t, s, kStride));
  return good ? Step::Done : Step::Failed;
}

constexpr std::string_view kTimer =
    "profiler_buffer, profiler_tag, profiler_write_offset, profiler_write_stride, leader_cond, event_type";

constexpr CallRow kHintRows[] = {
    {.meaning = Meaning::Prefetch, .slots = "addr", .thread = nothing},
    {.meaning = Meaning::BulkPrefetch, .slots = "src_ptr, num_bytes", .thread = prefetch_block},
    {.meaning = Meaning::TensorPrefetch, .slots = "tensormap_addr", .thread = prefetch_map},
    {.meaning = Meaning::TensormapPrefetch, .slots = "tensormap_addr", .thread = prefetch_map},
    {.meaning = Meaning::Sleep, .slots = "time", .thread = nothing},
    {.meaning = Meaning::Clock, .slots = "", .thread = clock},
    {.meaning = Meaning::DependentWait, .slots = "", .thread = dependency},
    {.meaning = Meaning::DependentLaunch, .slots = "", .thread = nothing},
    {.meaning = Meaning::FenceProxyAlias, .slots = "", .thread = nothing},
    {.meaning = Meaning::FenceProxyTensormapRelease, .slots = "", .thread = dependency},
    {.meaning = Meaning::TimerInit,
     .slots = "profiler_buffer, profiler_tag, profiler_write_offset, num_groups, group_id",
     .thread = start_profile,
     .set_up = set_up_timer},
    {.meaning = Meaning::TimerStart, .slots = kTimer, .thread = record, .set_up = set_up_timer},
    {.meaning = Meaning::TimerEnd, .slots = kTimer, .thread = record, .set_up = set_up_timer},
    {.meaning = Meaning::TimerFinalize, .slots = kTimer, .thread = record, .set_up = set_up_timer},
};

}  // namespace

std::span<const CallRow> hint_calls() { return kHintRows; }

}  // namespace tilewright::simulate
