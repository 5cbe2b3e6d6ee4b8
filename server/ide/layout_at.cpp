#include "server/ide/layout_at.h"

#include <algorithm>

#include "compiler/ir/origin.h"
#include "compiler/ir/primitive.h"
#include "compiler/ir/printer.h"
#include "server/ide/buffer_uses.h"
#include "server/ide/buffers.h"
#include "server/ide/call_words.h"
#include "server/ide/subject.h"

namespace tilewright::ide {
namespace {

constexpr std::size_t kMostAccesses = 200;
constexpr int kMostProbes = 4;  // each evaluates a kernel again

Extent extent_of(layout::Dim d) {
  return {d.is_constant() ? std::optional(d.value()) : std::nullopt, layout::to_string(d)};
}
Extent extent_of(ir::Expr e) {
  const std::int64_t* number = e ? ir::constant(e) : nullptr;
  return {number ? std::optional(*number) : std::nullopt, e ? ir::to_string(e) : "0"};
}

// A value with a layout, as far as it has one.
struct Laid {
  LayoutAt::Kind kind = LayoutAt::Kind::Layout;
  layout::Layout layout;
  layout::Shape shape;
  const ir::Buffer* buffer = nullptr;
  const ir::Region* region = nullptr;
};

layout::Layout layout_of(const ir::Buffer& b) {
  if (b.layout) return *b.layout;
  layout::Layout flat = layout::row_major(ir::shape_of(b));
  for (std::size_t d = 0; d < b.strides.size() && flat.tile && d < flat.tile->shard.size(); ++d) {
    const std::int64_t* stride = ir::constant(b.strides[d]);
    flat.tile->shard[d].stride = stride ? layout::Dim(*stride) : layout::Dim(b.strides[d]);
  }
  return flat;
}

std::optional<Laid> laid_out(script::Value v) {
  Laid out;
  if (auto* b = v.as<script::BufferValue>()) {
    out.buffer = b->buffer;
    out.kind = LayoutAt::Kind::Buffer;
  } else if (auto* r = v.as<script::RegionValue>()) {
    out.buffer = r->region.buffer;
    out.region = &r->region;
    out.kind = LayoutAt::Kind::Region;
  } else if (v.is_expr()) {
    // One element of a buffer: what one means by it is the buffer.
    const auto* load = v.as_expr().as<ir::Load>();
    if (!load) return std::nullopt;
    out.buffer = load->buffer;
    out.kind = LayoutAt::Kind::Buffer;
  } else if (auto* l = v.as<script::LayoutValue>()) {
    out.layout = *l->layout;
    out.shape.assign(l->shape.begin(), l->shape.end());
  } else if (auto* spec = v.as<script::LayoutSpec>()) {
    out.layout.tile = spec->tile;
  } else {
    return std::nullopt;
  }
  if (out.buffer) {
    if (out.buffer->is_scalar) return std::nullopt;
    out.layout = layout_of(*out.buffer);
    out.shape = ir::shape_of(*out.buffer);
  } else if (out.shape.empty()) {
    out.shape = own_shape(out.layout);
  }
  return out;
}

void describe(LayoutAt& out, const Laid& laid, const LayoutAsked& asked) {
  const layout::Layout& l = laid.layout;
  out.kind = laid.kind;
  out.printed = layout::to_string(l);
  out.short_form = layout::to_short_string(l);
  out.words = layout_words(l);
  out.swizzle = l.swizzle;
  if (l.tile) {
    for (auto [from, to] : {std::pair{&l.tile->shard, &out.shard}, {&l.tile->replica, &out.replica}}) {
      for (const layout::Iter& i : *from)
        to->push_back({extent_of(i.extent), extent_of(i.stride), layout::axis_name(i.axis)});
    }
    for (const auto& [axis, value] : l.tile->offset) out.offset.emplace_back(layout::axis_name(axis), extent_of(value));
  }
  for (layout::Dim d : laid.shape) out.shape.push_back(extent_of(d));
  if (const ir::Buffer* b = laid.buffer) {
    out.dtype = ir::dtype_name(b->dtype);
    out.bits = b->dtype.bits * std::max<int>(1, b->dtype.lanes);
    out.scope = b->scope_text.empty() ? ir::storage_scope_name(b->scope) : b->scope_text;
    out.bytes = buffer_bytes(*b);
    if (out.name.empty()) out.name = ir::spoken_name(*b);
  }
  if (laid.region) {
    for (const ir::Range& r : laid.region->ranges) out.region.emplace_back(extent_of(r.min), extent_of(r.extent));
  }
  layout::PictureOptions options = asked.picture;
  options.dtype_bits = out.bits;
  auto grid = layout::picture_grid(l, laid.shape, options);
  if (!grid) {
    out.problem = grid.error().message;
    return;
  }
  out.grid = std::move(*grid);
  if (auto table = layout::text_table(l, laid.shape, options)) out.table = std::move(*table);
  if (asked.svg) {
    if (auto svg = layout::svg_picture(l, laid.shape, options)) out.svg = std::move(*svg);
  }
  if (auto held = layout::holders(l)) out.holders = std::move(*held);
}

// What the kernel's statements do with the buffer, as the warp's banks see it.
void find_accesses(LayoutAt& out, const session::Snapshot& script, const text::Anchors& anchors,
                   const KnownBuffer& known) {
  const session::CompiledKernel& kernel = *known.kernel;
  out.entry = kernel.entry->expression;
  out.architecture = kernel.target.name();
  for (const BufferUse& use : uses_of(kernel)) {
    if (!(use.reads || use.writes) || !same_storage(*use.buffer, *known.buffer)) continue;
    if (out.accesses.size() >= kMostAccesses) {
      ++out.accesses_left_out;
      continue;
    }
    LayoutAt::Access access{
        reader_place(use.statement->origin, anchors, script), use.what, use.reads, use.writes, {}, {}};
    if (!ir::is_shared(known.buffer->scope)) {
      access.unknown = "banks are those of shared memory";
    } else if (!kernel.lowered) {
      access.unknown = "the kernel has errors";
    } else {
      const lower::PointerAccess pointers = use.report ? pointer_access(*use.report) : lower::PointerAccess{};
      access.worst = lower::worst_bank_access(*kernel.lowered, use.statement->origin, pointers, known.buffer);
      if (!access.worst)
        access.unknown =
            "lane addresses are not known at compile time: a bulk copy, a tensor core, or an index of run time";
    }
    out.accesses.push_back(std::move(access));
  }
}

// The expressions around the cursor that may have a layout, the innermost first.
std::vector<const syntax::Node*> candidates(const Found& found, const std::optional<Subject>& subject) {
  std::vector<const syntax::Node*> out;
  auto add = [&](const syntax::Node* node) {
    if (node && std::ranges::find(out, node) == out.end() && out.size() < kMostProbes) out.push_back(node);
  };
  if (subject && !subject->def) {
    add(subject->value);
    add(subject->otherwise);
  }
  for (std::size_t up = 0; const syntax::Node* node = found.above(up); ++up) {
    switch (node->kind) {
      case syntax::NodeKind::NameRef:
      case syntax::NodeKind::Attribute:
      case syntax::NodeKind::Subscript:
      case syntax::NodeKind::Call: add(node); break;
      case syntax::NodeKind::FunctionDef:
      case syntax::NodeKind::ClassDef: return out;
      default: break;
    }
  }
  return out;
}

}  // namespace

LayoutAt layout_of(const session::Snapshot& script, const session::Compiled& compiled,
                   const session::CompiledKernel& kernel, const ir::Buffer& buffer, const LayoutAsked& asked) {
  Arena scratch;
  ArenaScope scope(scratch);
  LayoutAt out;
  describe(out, {LayoutAt::Kind::Buffer, layout_of(buffer), ir::shape_of(buffer), &buffer, nullptr}, asked);
  find_accesses(out, script, compiled.evaluation->anchors, {&kernel, &buffer});
  return out;
}

Answer<std::optional<LayoutAt>> layout_at(const Query& q, std::uint32_t offset, const LayoutAsked& asked) {
  const Found found = look(*q.snapshot->tree(), offset);
  if (!found.innermost()) return std::nullopt;
  LayoutAt out;
  out.script = q.snapshot;
  out.analysis = q.analysis();
  if (!out.analysis) return cancelled();
  const auto subject = subject_of(found, offset);
  for (const syntax::Node* node : candidates(found, subject)) {
    auto probed = q.snapshot->probe(node, *found.statement->node, q.stop);
    if (q.stop.stop_requested()) return cancelled();
    std::vector<script::Value> values = probed->probe.values;
    const bool of_subject = subject && (node == subject->value || node == subject->otherwise);
    if (of_subject && subject->of_module && values.empty()) {
      if (auto* binding = probed->evaluation->module->find(subject->name)) values.push_back(binding->value);
    }
    Arena scratch;
    ArenaScope scope(scratch);
    for (script::Value v : values) {
      auto laid = laid_out(v);
      if (!laid) continue;
      out.at = of_subject ? Stretch{subject->begin, subject->end} : Stretch{found.begin(node), found.end(node)};
      out.name = of_subject ? subject->name : dotted(node);
      describe(out, *laid, asked);
      if (laid->buffer) {
        if (KnownBuffer known = known_buffer(*out.analysis, *laid->buffer, probed->evaluation->anchors); known.kernel)
          find_accesses(out, *q.snapshot, out.analysis->first().evaluation->anchors, known);
      }
      return std::optional(std::move(out));
    }
  }
  return std::nullopt;
}

}  // namespace tilewright::ide
