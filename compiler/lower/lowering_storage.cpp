// What must be known before the walk: pools of shared memory and their views, where tensor maps lie, launch attributes.
#include <algorithm>

#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/ir/shared_limit.h"
#include "compiler/lower/codes.h"
#include "compiler/lower/lowering.h"
#include "compiler/lower/tensor_maps.h"

namespace tilewright::lower {

using namespace ir;

namespace {

// Bytes from the start of its storage up to the end of a view; nothing when that is not bounded by a constant.
std::optional<std::int64_t> view_end(const Buffer& view) {
  std::optional<std::int64_t> elements = storage_elements(view);
  if (!elements) return std::nullopt;
  std::int64_t offset = 0;
  if (view.elem_offset) {
    Interval b = bounds(view.elem_offset);
    if (b.hi == Interval::kMax) return std::nullopt;
    offset = b.hi;
  }
  return ((offset + *elements) * element_bits(view.dtype) + 7) / 8;
}

std::int64_t swizzle_bytes(const Buffer& view) {
  if (!view.layout || !view.layout->swizzle) return 0;
  return std::clamp<std::int64_t>(view.layout->swizzle->period() * element_bits(view.dtype) / 8, 16, 1024);
}

}  // namespace

void Lowering::survey(std::span<const Stmt* const> device) {
  for (const Stmt* root : device) {
    walk_stmts(root, [&](const Stmt* s) {
      switch (s->kind) {
        case StmtKind::Alloc: allocs_.push_back(static_cast<const Alloc*>(s)); break;
        case StmtKind::Decl: views_.push_back(static_cast<const Decl*>(s)); break;
        case StmtKind::ScopeIds: {
          auto ids = static_cast<const ScopeIds*>(s);
          for (const Var* var : ids->vars) ids_.declared(var, s->origin);
          break;
        }
        case StmtKind::Attr: {
          auto attr = static_cast<const Attr*>(s);
          const std::int64_t* value = constant(attr->value);
          if (attr->key == "tirx.pool_max_bytes" && attr->node && value) pool_bytes_[attr->node] = *value;
          if (attr->key == "tirx.dyn_smem_bytes" && value) dynamic_bytes_ = *value;  // as 0.26 prints it
          note_launch_attribute(attr->key, value);
          break;
        }
        default: break;
      }
      return true;
    });
  }
  for (const Attribute& attribute : in_.kernel->attributes) {
    const std::int64_t* value = constant(attribute.value);
    if (value && attribute.key == "persistent") out_.plan.persistent = *value != 0;
    if (attribute.key == "tilewright.tensor_maps") place_tensor_maps(attribute.value);
    note_launch_attribute(attribute.key, value);
  }
  check_bounds();
}

// Where the kernel finds the maps that its host part encodes; a spelling of ours, which other compilers pass over.
void Lowering::place_tensor_maps(Expr value) {
  const auto* word = value.as<StringImm>();
  auto place = word ? map_place(word->value) : std::nullopt;
  if (place) {
    out_.plan.map_place = *place;
    return;
  }
  origin_ = {in_.kernel->span, nullptr};
  error(code::kMapPlace, "the attribute tilewright.tensor_maps is " + to_string(value),
        "write \"parameter\", \"constant\" or \"global\"");
}

// Maps that the host writes to global memory are acquired by every thread before anything else (CUDA guide, 4.11.2.2):
// the copy engine reads them through a proxy of its own, which knows nothing of what the host wrote.
void Lowering::acquire_tensor_maps() {
  if (out_.plan.map_place != MapPlace::Global) return;
  const intrinsics::Intrinsic& row = intrinsics::row_of("fence_proxy_tensormap");
  std::vector<const Stmt*> all;
  for (const KernelParam& param : out_.plan.params) {
    if (!in_global_memory(out_.plan, param)) continue;
    Expr variable = param.var;
    Expr args[] = {call(kUInt64, builtin::address_of, {&variable, 1}), string_imm("sys")};
    all.push_back(make_stmt<Evaluate>(Origin{in_.kernel->span, nullptr}, call(kVoid, row, args)));
  }
  const auto* body = as<Seq>(out_.device);
  all.insert(all.end(), body->body.begin(), body->body.end());
  out_.device = make_stmt<Seq>(Origin{in_.kernel->span, nullptr}, Arena::current().copy(all));
}

// Attributes of the launch, from T.attr or T.func_attr.
void Lowering::note_launch_attribute(std::string_view key, const std::int64_t* value) {
  if (!value || !key.starts_with("tirx.")) return;
  key.remove_prefix(5);
  LaunchPlan& plan = out_.plan;
  if (key == "launch_bounds_min_blocks_per_sm") plan.min_blocks_per_sm = static_cast<int>(*value);
  if (key == "persistent_kernel") plan.persistent = *value != 0;
  if (key == "use_cooperative_launch") plan.cooperative = *value != 0;
  // The second spelling is that of the reference's runtime.
  if (key == "use_programmatic_dependent_launch" || key == "use_programtic_dependent_launch") {
    plan.programmatic_dependent_launch = *value != 0;
  }
}

// What the kernel asks of its compiler: attributes of 0.26 and 0.27, which go together as nvcc takes them.
void Lowering::check_bounds() {
  origin_ = {in_.kernel->span, nullptr};
  for (const Attribute& attribute : in_.kernel->attributes) {
    const bool clusters = attribute.key == "tirx.launch_bounds_max_blocks_per_cluster";
    if (!clusters && attribute.key != "tirx.max_registers") continue;
    const std::int64_t* value = constant(attribute.value);
    const bool given = out_.plan.min_blocks_per_sm > 0;
    if (!value || *value < 1 || *value > 1 << 16) {
      error(code::kSize, std::string(attribute.key) + " is " + to_string(attribute.value) +
                             ": it must be a positive number that is known");
    } else if (clusters && !given) {
      error(code::kSize, "tirx.launch_bounds_max_blocks_per_cluster needs tirx.launch_bounds_min_blocks_per_sm",
            "add T.attr({\"tirx.launch_bounds_min_blocks_per_sm\": 1})");
    } else if (!clusters && given) {
      error(code::kSize, "tirx.max_registers and tirx.launch_bounds_min_blocks_per_sm exclude each other",
            "drop one of the two");
    }
  }
}

void Lowering::size_pools() {
  const Alloc* dynamic = nullptr;
  for (const Alloc* alloc : allocs_) {
    const Buffer* buffer = alloc->buffer;
    if (!is_shared(buffer->scope)) continue;
    origin_ = alloc->origin;
    if (buffer->scope == StorageScope::SharedDyn) {
      if (dynamic && dynamic->buffer != buffer) {
        error(code::kSecondDynamic,
              "`" + std::string(ir::spoken_name(*buffer)) + "` is a second dynamic shared allocation besides `" +
                  std::string(ir::spoken_name(*dynamic->buffer)) + "`",
              "carve both from one T.SMEMPool");
        continue;
      }
      dynamic = alloc;
    }
    std::optional<std::int64_t> elements = storage_elements(*buffer);
    std::int64_t align = std::max({16, buffer->align, static_cast<int>(swizzle_bytes(*buffer))});
    for (const Decl* view : views_)
      if (view->buffer->data == buffer->data) align = std::max(align, swizzle_bytes(*view->buffer));
    // Boxes of tensor copies start on multiples of 128 bytes; dispatch saw to the offsets within the storage.
    if (!out_.plan.tensor_maps.empty()) align = std::max(align, std::int64_t{128});
    if (auto fixed = pool_bytes_.find(buffer->data); fixed != pool_bytes_.end()) {
      elements = fixed->second * 8 / element_bits(buffer->dtype);
    } else if (dynamic_bytes_ && buffer->scope == StorageScope::SharedDyn) {
      elements = *dynamic_bytes_ * 8 / element_bits(buffer->dtype);
    } else if (elements && *elements == 0) {
      if (buffer->scope == StorageScope::SharedDyn && in_.kernel->dialect >= text::Dialect::V0_26) {
        error(code::kSize,
              "`" + std::string(ir::spoken_name(*buffer)) + "` has no size: no commit() says how large it is",
              "call commit() of the pool after its last alloc()");
        continue;
      }
      std::int64_t bytes = 0;
      for (const Decl* decl : views_) {
        const Buffer* view = decl->buffer;
        if (view->data != buffer->data) continue;
        std::optional<std::int64_t> end = view_end(*view);
        if (!end) {
          error(code::kSize, "the pool `" + std::string(buffer->name) + "` has no size: the end of `" +
                                 std::string(view->name) + "` in it is not a constant");
          end = 0;
        }
        bytes = std::max(bytes, *end);
      }
      elements = (bytes * 8 + element_bits(buffer->dtype) - 1) / element_bits(buffer->dtype);
    }
    if (!elements) {
      error(code::kSize, "`" + std::string(ir::spoken_name(*buffer)) + "` needs constant extents to be allocated");
      continue;
    }
    flattener_.set_elements(buffer, *elements);
    SharedBlock block{flattener_.flat(buffer), (*elements * element_bits(buffer->dtype) + 7) / 8,
                      static_cast<int>(align), buffer->scope == StorageScope::SharedDyn};
    bool known = std::ranges::any_of(out_.shared, [&](const SharedBlock& b) { return b.buffer == block.buffer; });
    if (known) continue;
    if (block.dynamic) {
      out_.plan.dynamic_shared_bytes = block.bytes;
    } else {
      std::int64_t& at = out_.plan.static_shared_bytes;
      at = (at + block.align - 1) / block.align * block.align + block.bytes;
      const ir::Target target = in_.kernel->target;
      const std::int64_t limit = ir::static_shared_memory_limit(target);
      if (at > limit && at - block.bytes <= limit) {
        error(code::kStaticLimit,
              "static shared memory reaches " + std::to_string(at) + " bytes with `" +
                  std::string(ir::spoken_name(*buffer)) + "`; the limit of " + target.name() + " is " +
                  std::to_string(limit),
              "allocate it with scope=\"shared.dyn\", for instance from a T.SMEMPool");
      }
    }
    out_.shared.push_back(block);
    check_shared_limit(*buffer, block);
  }
}

// What goes beyond the limit is told at the allocation that does: no launch of the kernel can succeed.
void Lowering::check_shared_limit(const Buffer& buffer, const SharedBlock& block) {
  const std::int64_t limit = ir::shared_memory_limit(in_.kernel->target);
  const std::int64_t all = out_.plan.static_shared_bytes + out_.plan.dynamic_shared_bytes;
  if (failed_ || all <= limit || all - block.bytes > limit) return;
  // Of a pool the first of its allocations that goes beyond.
  const bool pool = storage_elements(buffer) == 0 || pool_bytes_.contains(buffer.data);
  const Decl* beyond = nullptr;
  std::int64_t least = 0;
  for (const Decl* view : views_) {
    if (!pool || view->buffer->data != buffer.data) continue;
    const std::int64_t end = view_end(*view->buffer).value_or(0);
    if (all - block.bytes + end <= limit || (beyond && end >= least)) continue;
    beyond = view;
    least = end;
  }
  if (beyond) origin_ = beyond->origin;
  error(code::kSharedLimit,
        "shared memory of a CTA reaches " + std::to_string(beyond ? all - block.bytes + least : all) + " bytes with `" +
            std::string(ir::spoken_name(beyond ? *beyond->buffer : buffer)) + "`; " + in_.kernel->target.name() +
            " has " + std::to_string(limit) + ", and no launch can have more",
        "make the tiles or the number of stages smaller");
}

}  // namespace tilewright::lower
