#include "server/ide/buffers.h"

#include <algorithm>

#include "compiler/intrinsics/call_effects.h"
#include "compiler/ir/printer.h"
#include "server/ide/call_words.h"

namespace tilewright::ide {
namespace {

std::string iters_text(const layout::Iters& iters) {
  std::string out;
  for (const layout::Iter& i : iters) {
    out += (out.empty() ? "" : ", ") + layout::to_string(i.extent) + " steps of " + layout::to_string(i.stride);
    if (i.axis != layout::Axis::m) out += " on " + std::string(layout::axis_name(i.axis));
  }
  return out;
}

std::string argument_text(const intrinsics::Intrinsic& row, const ir::Call& call, std::string_view operand) {
  for (std::size_t i = 0; i < row.operands.size() && i < call.args.size(); ++i) {
    if (row.operands[i].name != operand || intrinsics::is_absent(call.args[i])) continue;
    const std::int64_t* number = ir::constant(call.args[i]);
    return number ? grouped(*number) : ir::to_string(call.args[i]);
  }
  return {};
}

std::string offset_text(const ir::Buffer& b) { return b.elem_offset ? ir::to_string(b.elem_offset) : "0"; }

std::optional<std::int64_t> first_bit(const ir::Buffer& b) {
  const std::int64_t* elements = b.elem_offset ? ir::constant(b.elem_offset) : nullptr;
  if (b.elem_offset && !elements) return std::nullopt;
  return (elements ? *elements : 0) * b.dtype.bits * std::max<int>(1, b.dtype.lanes);
}

}  // namespace

std::string layout_words(const layout::Layout& l) {
  std::string out = "layout " + layout::to_short_string(l) + "\n";
  if (l.tile) {
    if (!l.tile->shard.empty()) out += "index, outermost digit first: " + iters_text(l.tile->shard) + "\n";
    if (!l.tile->replica.empty()) out += "held again at each of: " + iters_text(l.tile->replica) + "\n";
    for (const auto& [axis, offset] : l.tile->offset) {
      out += "starts at " + layout::to_string(offset) + " on " + std::string(layout::axis_name(axis)) + "\n";
    }
  }
  if (l.swizzle) {
    const layout::Swizzle& s = *l.swizzle;
    out += "swizzle: chunks of " + std::to_string(s.chunk()) + " elements stay together; " +
           std::to_string(s.swizzle_len) + " address bits are XORed with those " + std::to_string(s.atom_len) +
           " above; repeats every " + std::to_string(s.period()) + " elements\n";
  }
  if (l.tile) {
    out += layout::to_string(layout::size(l)) + " elements";
    if (!layout::has_thread_axis(l)) {
      out += " over a span of " + layout::to_string(layout::span(l));
    } else if (auto scopes = layout::scope_of(l); scopes && *scopes) {
      out += ", spread over each " + std::string(layout::unit_name((*scopes)->second));
    }
    out += "\n";
  }
  return out;
}

layout::Shape own_shape(const layout::Layout& l) {
  layout::Shape shape;
  if (l.tile) {
    for (const layout::Iter& i : l.tile->shard) shape.push_back(i.extent);
  } else if (l.swizzle) {
    shape = {l.swizzle->period() / (l.swizzle->chunk() << l.swizzle->swizzle_len), l.swizzle->chunk()
                                                                                       << l.swizzle->swizzle_len};
  }
  return shape;
}

KnownBuffer known_buffer(const session::Analysis& analysis, const ir::Buffer& wanted, const text::Anchors& anchors) {
  const text::Anchors& known = analysis.first().evaluation->anchors;
  const text::Anchors::Place place = anchors.resolve(wanted.span);
  auto same_place = [&](text::Span span) {
    if (span == wanted.span) return true;
    const text::Anchors::Place at = known.resolve(span);
    return at.source && place.source && at.begin == place.begin && at.end == place.end &&
           at.source->path() == place.source->path();
  };
  const std::string offset = offset_text(wanted);
  for (const session::CompiledKernel& k : analysis.first().kernels) {
    const ir::Buffer* found = nullptr;
    bool exact = false;
    auto look = [&](const ir::Buffer* b) {
      if (!b || exact || b->name != wanted.name || !same_place(b->span)) return;
      // What a loop of the script made several times stands at several places of a pool.
      exact = offset_text(*b) == offset;
      if (!found || exact) found = b;
    };
    for (const ir::Param& p : k.value->kernel.params) look(p.buffer);
    ir::walk_stmts(k.value->kernel.body, [&](const ir::Stmt* s) {
      if (const auto* a = ir::as<ir::Alloc>(s)) look(a->buffer);
      if (const auto* d = ir::as<ir::Decl>(s)) look(d->buffer);
      return !exact;
    });
    if (found) return {&k, found};
  }
  return {};
}

bool same_storage(const ir::Buffer& a, const ir::Buffer& b) {
  if (&a == &b) return true;
  // Of tensor memory, the column says where it is.
  if (!a.data && !b.data && a.allocated_addr && b.allocated_addr)
    return ir::to_string(a.allocated_addr) == ir::to_string(b.allocated_addr);
  if (!a.data || a.data != b.data) return false;
  auto first = first_bit(a), second = first_bit(b);
  return first && second ? *first == *second : a.dtype == b.dtype && offset_text(a) == offset_text(b);
}

std::optional<std::int64_t> buffer_bytes(const ir::Buffer& b) {
  auto elements = ir::constant_elements(b.shape);
  if (!elements) return std::nullopt;
  return *elements * b.dtype.bits * std::max<int>(1, b.dtype.lanes) / 8;
}

std::string barrier_use(const intrinsics::Intrinsic& row, const ir::Call& call) {
  using intrinsics::Verb;
  std::string out;
  for (const intrinsics::CallEffect& effect : intrinsics::effects_of(row, call.args)) {
    if (effect.object != intrinsics::Object::Mbarrier) continue;
    switch (effect.verb) {
      case Verb::Inits: return "initialised for " + argument_text(row, call, "thread_count") + " arrivals a phase";
      case Verb::Invalidates: return "inval";
      case Verb::Completes: return "complete_tx";
      case Verb::Waits:
      case Verb::Tests: {
        const std::string phase = argument_text(row, call, "phase");
        return "waits" + (phase.empty() ? "" : " for parity " + phase);
      }
      case Verb::Defers: break;  // undone by the arrival after it
      case Verb::Expects: out = "expect_tx"; break;
      default:
        out = out.empty() ? "arrivals" : "arrivals that expect " + argument_text(row, call, "byte_count") + " bytes";
    }
  }
  return out;
}

}  // namespace tilewright::ide
