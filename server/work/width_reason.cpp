#include "server/work/width_reason.h"

#include <algorithm>
#include <optional>

#include "compiler/expr/analyzer.h"
#include "compiler/layout/layout.h"
#include "compiler/text/amounts.h"

namespace tilewright::work {
namespace {

constexpr std::int64_t kWidest = 128;  // bits

std::optional<std::int64_t> fact_of(const dispatch::CallReport& call, std::string_view name) {
  for (const dispatch::Fact& f : call.facts)
    if (const auto* n = std::get_if<std::int64_t>(&f.value); n && f.name == name) return *n;
  return std::nullopt;
}

// One operand, and what keeps `n` elements of it from being one access.
class Limits {
 public:
  Limits(const ir::Region& region, std::int64_t bits) : region_(region), b_(*region.buffer), bits_(bits) {}

  // Empty: nothing that is declared.
  std::string of(std::int64_t n) const {
    const std::string name(ir::spoken_name(b_)), needs = std::to_string(n * bits_ / 8) + " bytes need ";
    if (auto length = innermost(); length && *length % n != 0)
      return "a row of the region of " + name + " has " + text::counted(*length, "element") + ", and " + needs +
             "a multiple of " + std::to_string(n);
    if (const layout::Swizzle* s = swizzle(); s && s->chunk() % n != 0)
      return "the swizzle of " + name + " keeps " + text::counted(s->chunk(), "element") + " together, and " + needs +
             std::to_string(n);
    if (auto stride = uneven_stride(n))
      return "the rows of " + name + " are " + text::counted(*stride, "element") + " apart, and " + needs +
             "a multiple of " + std::to_string(n) + "; " + std::to_string((*stride + n - 1) / n * n) + " gives " +
             std::to_string(n * bits_ / 8) + " bytes";
    if (!region_.ranges.empty() && !ir::provably_divisible(region_.ranges.back().min, n))
      return "the region of " + name + " starts at " + ir::to_string(region_.ranges.back().min) + ", and " + needs +
             "a multiple of " + std::to_string(n);
    if (b_.elem_offset && !ir::provably_divisible(b_.elem_offset, n))
      return name + " starts at element " + ir::to_string(b_.elem_offset) + ", and " + needs + "a multiple of " +
             std::to_string(n);
    if (b_.align > 0 && n * bits_ > std::int64_t{b_.align} * 8)
      return name + " is aligned to " + text::counted(b_.align, "byte");
    return {};
  }

 private:
  std::optional<std::int64_t> innermost() const {
    if (region_.ranges.empty()) return std::nullopt;
    const std::int64_t* n = ir::constant(ir::simplify(region_.ranges.back().extent));
    return n ? std::optional(*n) : std::nullopt;
  }
  const layout::Swizzle* swizzle() const { return b_.layout && b_.layout->swizzle ? &*b_.layout->swizzle : nullptr; }

  // A distance between rows that is no multiple of n.
  std::optional<std::int64_t> uneven_stride(std::int64_t n) const {
    std::vector<std::int64_t> strides;
    if (b_.layout && b_.layout->tile) {
      for (const layout::Iter& i : b_.layout->tile->shard)
        if (i.axis == layout::Axis::m && i.stride.is_constant() && i.stride.value() != 1)
          strides.push_back(i.stride.value());
    } else if (!b_.strides.empty()) {
      for (std::size_t d = 0; d + 1 < b_.strides.size(); ++d)
        if (const std::int64_t* s = ir::constant(ir::simplify(b_.strides[d]))) strides.push_back(*s);
    } else if (b_.shape.size() > 1) {
      if (const std::int64_t* s = ir::constant(ir::simplify(b_.shape.back()))) strides.push_back(*s);
    }
    for (std::int64_t s : strides)
      if (s % n != 0) return s;
    return std::nullopt;
  }

  const ir::Region& region_;
  const ir::Buffer& b_;
  std::int64_t bits_;
};

}  // namespace

std::string width_reason(const dispatch::CallReport& call) {
  const auto width = fact_of(call, "vec_bits");
  if (!width || *width <= 0 || *width % 8 != 0) return {};
  const std::string is = text::counted(*width / 8, "byte");
  if (*width >= kWidest) return is + ", the widest access";
  ScratchArena scratch;
  ArenaScope scope(scratch);
  // The next wider access, then those beyond it: the first that something keeps from being made.
  for (std::int64_t wider = *width * 2; wider <= kWidest; wider *= 2) {
    for (const ir::Operand& operand : call.call->args) {
      const ir::Buffer* b = operand.region.buffer;
      if (!b || b->scope == ir::StorageScope::Tmem) continue;
      const std::int64_t bits = b->dtype.storage_bits() * b->dtype.lanes;
      if (bits <= 0 || wider % bits != 0) continue;
      // What would be needed for the widest is said where it is the same obstacle.
      if (Limits(operand.region, bits).of(wider / bits).empty()) continue;
      const std::string widest = Limits(operand.region, bits).of(kWidest / bits);
      return is + ": " + (widest.empty() ? Limits(operand.region, bits).of(wider / bits) : widest);
    }
  }
  const auto threads = fact_of(call, "threads"), vec = fact_of(call, "vec_elems");
  if (threads && vec && !call.call->args.empty() && call.call->args[0].region.buffer) {
    std::int64_t elements = 1;
    for (const ir::Range& r : call.call->args[0].region.ranges) {
      const std::int64_t* n = ir::constant(ir::simplify(r.extent));
      if (!n) return {};
      elements *= *n;
    }
    if (elements % (*threads * *vec * 2) != 0)
      return is + ": " + text::counted(elements, "element") + " for " + text::counted(*threads, "thread") + " are " +
             std::to_string(elements / *threads) + " each";
  }
  return {};
}

}  // namespace tilewright::work
