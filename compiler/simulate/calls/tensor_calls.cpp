// cp.async.bulk.tensor: boxes between tensors and shared memory, and tensor maps as objects (copy_async.md 8.1, 8.2).
#include <algorithm>
#include <cstring>

#include "compiler/intrinsics/call_effects.h"
#include "compiler/intrinsics/forms.h"
#include "compiler/intrinsics/operand_forms.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/calls/move.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/tensor/tensor_map.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

constexpr std::int64_t kUnit = 16;       // bytes that stay together under every swizzle
constexpr std::int64_t kBoxAlign = 128;  // of a box in shared memory
constexpr std::int64_t kMapAlign = 64;

// A box on its way. `cargo` holds it row by row, without pitch and swizzle.
class BoxCopy final : public Operation {
 public:
  BoxCopy(Queue queue, const TensorMap& map) : Operation(queue), map(map) {}

  std::int64_t rows() const { return listed ? 4 : map.rows(); }
  std::int64_t bytes() const { return rows() * map.row_bytes(); }
  std::int64_t extent() const { return (rows() - 1) * map.pitch() + map.row_bytes(); }  // in shared memory

  bool take(Machine& m, Thread& t) override {
    m.spend(bytes());
    cargo = Cargo(bytes(), m.options().trace);
    return to_shared ? from_tensor(m, t) : from_shared(m, t);
  }
  bool land(Machine& m, Thread& t) override {
    m.spend(bytes());
    if (!to_shared) return into_tensor(m, t);
    for (std::uint64_t place : places)
      if (!m.alive(t, place, "a tensor copy") || !into_shared(m, t, place)) return false;
    for (std::size_t i = 0; i < barriers.size(); ++i) {
      bool good = m.counted(t, barriers[i], "a tensor copy that lands", [&](Mbarrier& b) {
        if (m.observers()) m.observers().tell(&Observer::count_operation, numbers[i], barriers[i], b.phase);
        return b.complete(bytes());
      });
      if (!good) return false;
    }
    return true;
  }
  std::span<const std::uint64_t> signals() const override { return barriers; }
  std::int64_t counted_bytes() const override { return bytes(); }
  // Holds what it will read and write against what is known of others at its issue.
  void watch(Machine& m, const Thread& t) {
    const Observers& observers = m.observers();
    for (std::uint64_t place : places) {
      const std::uint32_t number = m.issue_number(t, queue);
      const bool first = numbers.empty();
      numbers.push_back(number);
      if (first)
        observers.access(t, {.operation = number, .pointer = map_object, .bytes = TensorMap::kBytes, .is_map = true});
      units(m.place_of(place), [&](std::int64_t shared, std::int64_t) {
        if (to_shared) {
          observers.write(t, number, moved(place, shared), kUnit);
        } else {
          observers.read(t, number, moved(place, shared), kUnit);
        }
      });
      if (!first) continue;
      inside([&](std::uint64_t at, std::int64_t, std::int64_t n) {
        if (to_shared) {
          observers.read(t, number, at, n);
        } else {
          observers.write(t, number, at, n, combine ? How::Atomic : How::Plain);
        }
        return true;
      });
    }
  }
  bool covers(std::uint64_t pointer, std::int64_t bytes) const override {
    return to_shared && std::ranges::any_of(places, [&](std::uint64_t place) {
             return share_bytes(pointer, bytes, place, rows() * map.pitch());
           });
  }

  TensorMap map;
  std::uint64_t map_object = 0;         // where it is in memory
  std::array<std::int64_t, 5> start{};  // the box's first element
  bool listed = false;                  // four rows by number: start[1..4]
  bool to_shared = false;
  std::vector<std::uint64_t> places, barriers;  // in shared memory
  std::optional<Combine> combine{};
  ir::DataType type{};

 private:
  // Calls f(offset in shared memory, offset in the cargo) for each unit of the box.
  template <class F>
  void units(std::int64_t place, F&& f) const {
    const std::int64_t count = rows(), pitch = map.pitch(), row_bytes = map.row_bytes();
    for (std::int64_t r = 0; r < count; ++r)
      for (std::int64_t b = 0; b < row_bytes; b += kUnit)
        f(map.swizzled(place + r * pitch + b) - place, r * row_bytes + b);
  }

  // Byte offset in the tensor of a row's element 0 (which may itself be outside); nothing: the whole row is outside.
  std::optional<std::int64_t> row_offset(std::int64_t row) const {
    if (listed) {
      std::int64_t c = start[static_cast<std::size_t>(row) + 1];
      if (c < 0 || c >= map.dims[1]) return std::nullopt;
      return c * map.strides[0];
    }
    std::int64_t offset = 0;
    for (std::size_t d = 1; d < static_cast<std::size_t>(map.rank); ++d) {
      const std::int64_t n = map.count(static_cast<int>(d));
      std::int64_t c = start[d] + row % n * map.element_strides[d];
      row /= n;
      if (c < 0 || c >= map.dims[d]) return std::nullopt;
      offset += c * map.strides[d - 1];
    }
    return offset;
  }

  // Calls f(pointer into the tensor, offset in the cargo, bytes) for the part of each row that lies inside.
  template <class F>
  bool inside(F&& f) const {
    const std::int64_t width = map.cell_bytes(), count = rows(), row_bytes = map.row_bytes();
    const std::int64_t first = std::clamp<std::int64_t>(-start[0], 0, map.box[0]),
                       last = std::clamp<std::int64_t>(map.dims[0] - start[0], first, map.box[0]);
    for (std::int64_t r = 0; r < count && first < last; ++r) {
      auto offset = row_offset(r);
      if (!offset) continue;
      std::uint64_t at = moved(map.address, *offset + (start[0] + first) * width);
      if (!f(at, r * row_bytes + first * width, (last - first) * width)) return false;
    }
    return true;
  }

  bool from_tensor(Machine& m, Thread& t) {
    std::ranges::fill(cargo.defined, 1);
    const std::uint64_t fill = map.fill_bits();
    for (std::int64_t b = 0, width = map.element_bytes(); fill && b < bytes(); b += width)
      std::memcpy(cargo.bytes.data() + b, &fill, static_cast<std::size_t>(width));
    return inside([&](std::uint64_t at, std::int64_t to, std::int64_t n) {
      auto from = m.view(t, at, n, 1, false, "a tensor copy's read");
      if (from) transfer(cargo.view().at(to), *from, n);
      return from.has_value();
    });
  }
  bool into_tensor(Machine& m, Thread& t) {
    return inside([&](std::uint64_t at, std::int64_t from, std::int64_t n) {
      auto to = m.view(t, at, n, 1, false, "a tensor copy's write");
      if (!to) return false;
      if (combine) {
        combine_into(*combine, type, *to, cargo.view().at(from), n);
      } else {
        transfer(*to, cargo.view().at(from), n);
      }
      m.put_out(t, at, *to, n, lacks, to_shared ? 0 : places[0]);
      return true;
    });
  }
  bool from_shared(Machine& m, Thread& t) {
    auto all = m.view(t, places[0], extent(), 1, false, "a tensor copy's source");
    if (!all) return false;
    units(m.place_of(places[0]),
          [&](std::int64_t shared, std::int64_t flat) { transfer(cargo.view().at(flat), all->at(shared), kUnit); });
    lacks = m.stored_read(t, places[0], *all, extent());
    return true;
  }
  bool into_shared(Machine& m, Thread& t, std::uint64_t place) {
    auto all = m.view(t, place, extent(), 1, false, "a tensor copy's destination");
    if (!all) return false;
    units(m.place_of(place),
          [&](std::int64_t shared, std::int64_t flat) { transfer(all->at(shared), cargo.view().at(flat), kUnit); });
    return true;
  }

  Cargo cargo;
  std::uint32_t lacks = 0;  // the read that a value of it comes from without having one
};

enum Mode { kTile, kRowList, kIm2col, kResized };

constexpr std::int64_t kOverridden = 128 << 10;  // bytes that have to be there behind an address of an override

// What a call says of the tensor in place of its map.
struct Override {
  std::optional<std::uint64_t> address;
  std::vector<std::int64_t> dims, strides;

  void apply(TensorMap& map) const {
    map.address = address.value_or(map.address);
    std::ranges::copy(dims, map.dims.begin());
    std::ranges::copy(strides, map.strides.begin());
  }
};

std::optional<TensorMap> map_at(Machine& m, Thread& t, std::uint64_t pointer, const Override& instead) {
  auto object = m.view(t, pointer, TensorMap::kBytes, kMapAlign, false, "the tensor map");
  if (!object) return std::nullopt;
  m.observers().tell(&Observer::use_map, t, pointer);
  if (!object->is_written(TensorMap::kBytes)) {
    m.undefined_read(t, pointer, "the tensor map is read");
    return std::nullopt;
  }
  std::array<std::byte, TensorMap::kBytes> bytes;
  object->get(bytes.data(), TensorMap::kBytes);
  TensorMap map = TensorMap::decode(bytes);
  instead.apply(map);
  if (std::string why = map.refused(); !why.empty()) {
    Finding f;
    f.code = code::kRefused;
    f.message = "the tensor map is not legal: " + why;
    f.from_input = !instead.address && !m.rank_of(pointer) && !m.is_encoded_map(pointer);
    m.report(std::move(f), &t);
    return std::nullopt;
  }
  if (std::string what = map.unmodelled(); !what.empty()) {
    m.finding(code::kNotModelled, Severity::Incomplete, "the simulator does not execute " + what, &t);
    return std::nullopt;
  }
  return map;
}

// The coordinates of a call, which come last of its items.
std::span<const std::uint32_t> coordinates(const Site& s) {
  const std::span<const std::uint32_t> all = s.items;
  return s.code == kResized ? all.last((all.size() + 1) / 3) : all;
}

// Items of one that is resized: an extent of each dimension, the lower parts of the strides, coordinates.
Override override_of(const Thread& t, const Site& s, std::size_t address_slot) {
  Override out;
  if (s.args[address_slot] != Access::kNoRegister) out.address = Machine::arg(t, s, address_slot);
  if (s.code != kResized) return out;
  const std::size_t rank = coordinates(s).size();
  std::uint64_t upper = Machine::arg(t, s, address_slot + 1);
  for (std::size_t d = 0; d < rank; ++d) {
    out.dims.push_back(static_cast<std::int64_t>(t.registers[s.items[d]]) & s.count);
    if (d == 0) continue;
    const std::uint64_t lower = t.registers[s.items[rank + d - 1]] & 0xffffffff;
    out.strides.push_back(static_cast<std::int64_t>((lower + ((upper & 0xf) << 32)) << 4));
    upper >>= 4;
  }
  return out;
}

// The operation of a call, checked as the hardware checks it. Null: a finding was made.
std::unique_ptr<BoxCopy> box_copy(Machine& m, Thread& t, const Site& s, Queue queue, bool to_shared,
                                  std::uint64_t shared, std::uint64_t map_pointer, std::size_t address_slot) {
  auto refuse = [&](std::string text) {
    m.finding(code::kRefused, Severity::Error, std::move(text), &t);
    return nullptr;
  };
  if (s.code == kIm2col) {
    m.finding(code::kNotModelled, Severity::Incomplete, "the simulator does not execute im2col copies", &t);
    return nullptr;
  }
  const Override instead = override_of(t, s, address_slot);
  if (std::ranges::any_of(instead.dims, [](std::int64_t n) { return n > 255; }))
    return refuse("an extent that a copy overrides is at most 255");
  auto map = map_at(m, t, map_pointer, instead);
  if (!map) return nullptr;
  if (instead.address && !m.view(t, *instead.address, kOverridden, 1, false, "the 128 KiB of an override's address"))
    return nullptr;
  const auto starts = coordinates(s);
  auto op = std::make_unique<BoxCopy>(queue, *map);
  op->map_object = map_pointer;
  op->listed = s.code == kRowList;
  op->to_shared = to_shared;
  op->places = {m.generic(shared)};
  const int wanted = op->listed ? 2 : static_cast<int>(starts.size());
  if (map->rank != wanted)
    return refuse("the instruction is for rank " + std::to_string(wanted) + ", the tensor map has rank " +
                  std::to_string(map->rank));
  if (op->listed && map->box[1] != 1)
    return refuse("rows by number need a box of one row, this map's has " + std::to_string(map->box[1]));
  for (std::size_t d = 0; d < starts.size() && d < 5; ++d) {
    op->start[d] = static_cast<std::int32_t>(t.registers[starts[d]]);
    if (s.code == kResized && op->start[d] != 0)
      return refuse("a copy that overrides extents starts at coordinate 0 of every dimension");
    if (!to_shared && op->start[d] < 0)
      return refuse("a store starts at coordinate " + std::to_string(op->start[d]) + " of dimension " +
                    std::to_string(d) + "; only loads may start outside");
  }
  auto at = m.view(t, shared, op->extent(), kBoxAlign, false,
                   to_shared ? "a tensor copy's destination" : "a tensor copy's source");
  if (!at) return nullptr;
  if (!m.rank_of(shared)) return refuse("a box lies in shared memory");
  return op;
}

void set_mode(Site& s, const Arguments& a) {
  s.code = intrinsics::moves_rows(a.row()) ? kRowList : a.operand("tensor_size") ? kResized : kTile;
  const intrinsics::Form* form = intrinsics::form_of(a.row());
  s.count = form && form->row->id.ends_with("_b8") ? 0xff : 0xffff;  // what of an extent its register holds
}

// dst, bar, map, mask, cta_group, address, upper strides; coordinates
Step load(Machine& m, Thread& t, const Site& s) {
  auto op = box_copy(m, t, s, Queue::Counted, true, Machine::arg(t, s, 0), Machine::arg(t, s, 2), 5);
  if (!op) return Step::Failed;
  op->barriers = {m.generic(Machine::arg(t, s, 1))};
  const int group = static_cast<int>(Machine::arg(t, s, 4, 1));
  if (s.flag && !spread(m, t, Machine::arg(t, s, 3), op->places, op->barriers, group)) return Step::Failed;
  for (std::uint64_t barrier : op->barriers)
    if (!m.barrier_at(t, barrier, "a tensor copy")) return Step::Failed;
  for (std::uint64_t place : op->places) {
    if (!m.alive(t, place, "a tensor copy")) return Step::Failed;
    m.spare_barriers(t, place, op->extent());
    poison(m, *m.view(t, place, op->extent(), 1, false, "a tensor copy's destination"), op->extent());
  }
  op->barrier = op->barriers[0];
  if (m.observers()) op->watch(m, t);
  return m.engine().issue(m, t, std::move(op)) ? Step::Done : Step::Failed;
}

bool set_up_load(Site& s, const Arguments& a) {
  s.flag = intrinsics::is_multicast(a);
  set_mode(s, a);
  if (a.operand("offsets")) s.code = kIm2col;
  return true;
}

// src, map, address, upper strides; coordinates
Step store(Machine& m, Thread& t, const Site& s) {
  auto op = box_copy(m, t, s, Queue::Bulk, false, Machine::arg(t, s, 0), Machine::arg(t, s, 1), 2);
  if (!op) return Step::Failed;
  if (s.flag) {
    op->combine = static_cast<Combine>(s.number);
    constexpr std::string_view kTypes[] = {"u8",  "u16", "u32", "s32",  "u64", "s64", "f16",
                                           "f32", "f32", "f64", "bf16", "f32", "f32"};
    op->type = ptx_type(kTypes[op->map.element]);
  }
  if (m.observers()) op->watch(m, t);
  return m.engine().issue(m, t, std::move(op)) ? Step::Done : Step::Failed;
}

bool set_up_store(Site& s, const Arguments& a) {
  set_mode(s, a);
  if (!a.operand("red_op")) return true;
  auto op = combine_named(a.text("red_op"));
  s.flag = op.has_value();
  s.number = op ? static_cast<std::int64_t>(*op) : 0;
  return s.flag;
}

// ---- maps as objects ----

// dst, src
Step copy_map(Machine& m, std::span<Thread> lanes, std::uint64_t to, std::uint64_t from) {
  Thread& t = lanes[0];
  auto source = m.view(t, from, TensorMap::kBytes, kMapAlign, false, "the tensor map");
  auto target = source ? m.view(t, to, TensorMap::kBytes, kBoxAlign, true, "the copy of the tensor map") : std::nullopt;
  if (!target) return Step::Failed;
  if (m.observers()) {  // each lane moves its part
    const std::int64_t part = TensorMap::kBytes / static_cast<std::int64_t>(lanes.size());
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      const auto at = static_cast<std::int64_t>(l) * part;
      m.observers().read(lanes[l], moved(from, at), part);
      m.observers().write(lanes[l], moved(to, at), part);
    }
    m.meet(lanes);
  }
  transfer(*target, *source, TensorMap::kBytes);
  return Step::Done;
}
Step copy_to_shared(Machine& m, std::span<Thread> lanes, const Site& s) {
  return copy_map(m, lanes, Machine::arg(lanes[0], s, 0), Machine::arg(lanes[0], s, 1));
}

enum Field {
  kAddress,
  kRank,
  kBoxDim,
  kGlobalDim,
  kGlobalStride,
  kElementStride,
  kElemtype,
  kInterleave,
  kSwizzle,
  kAtomicity,
  kFill
};
constexpr std::string_view kFields[] = {
    "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
    "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity",
    "fill_mode"};

// tm, value, ord
Step replace(Machine& m, Thread& t, const Site& s) {
  std::uint64_t at = Machine::arg(t, s, 0);
  auto object = m.view(t, at, TensorMap::kBytes, kMapAlign, false, "the tensor map");
  if (!object) return Step::Failed;
  std::array<std::byte, TensorMap::kBytes> bytes;
  object->get(bytes.data(), TensorMap::kBytes);
  TensorMap map = TensorMap::decode(bytes);
  const auto value = static_cast<std::int64_t>(Machine::arg(t, s, 1));
  const std::size_t ord = Machine::arg(t, s, 2);
  switch (s.code) {
    case kAddress: map.address = static_cast<std::uint64_t>(value); break;
    case kRank: map.rank = static_cast<int>(value) + 1; break;
    case kBoxDim: map.box[ord] = value; break;
    case kGlobalDim: map.dims[ord] = value & 0xffffffff; break;
    case kGlobalStride: map.strides[ord] = value; break;
    case kElementStride: map.element_strides[ord] = value; break;
    case kElemtype: map.element = static_cast<int>(value); break;
    case kInterleave: map.interleave = static_cast<int>(value); break;
    case kSwizzle: map.swizzle = static_cast<int>(value); break;
    case kAtomicity: map.atomicity = static_cast<int>(value); break;
    default: map.fill = static_cast<int>(value); break;
  }
  m.observers().write(t, at, TensorMap::kBytes);
  map.encode(bytes);
  object->put(bytes.data(), TensorMap::kBytes);
  return Step::Done;
}

bool set_up_replace(Site& s, const Arguments& a) {
  const auto* field = std::ranges::find(kFields, a.text("field"));
  s.code = static_cast<int>(field - std::begin(kFields));
  return field != std::end(kFields);
}

constexpr CallRow kTensorRows[] = {
    {.meaning = Meaning::TensorGlobalToShared,
     .slots = "dst_ptr, bar|bar_addr|mbar, tensormap_addr, cta_mask, cta_group, global_address, upper_stride",
     .thread = load,
     .set_up = set_up_load},
    {.meaning = Meaning::TensorSharedToGlobal,
     .slots = "src_ptr, tensormap_addr, global_address, upper_stride",
     .thread = store,
     .set_up = set_up_store},
    {.meaning = Meaning::TensorReduceToGlobal,
     .slots = "src_ptr, tensormap_addr, global_address, upper_stride",
     .thread = store,
     .set_up = set_up_store},
    {.meaning = Meaning::TensormapCopy, .slots = "dst, map", .warp = copy_to_shared},
    {.meaning = Meaning::TensormapReplace, .slots = "tm, value, ord", .thread = replace, .set_up = set_up_replace},
    {.meaning = Meaning::TensormapPublish, .slots = "dst_global, src_shared", .warp = copy_to_shared},
};

}  // namespace

std::span<const CallRow> tensor_calls() { return kTensorRows; }

}  // namespace tilewright::simulate
