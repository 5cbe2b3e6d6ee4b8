#include "compiler/builder/drafts.h"

#include <string>
#include <utility>

namespace tilewright::builder {
namespace {

std::string_view copied(std::string_view text) { return Arena::current().copy(text); }

// Of a layout that repeats something `elements` long, that something: of S[(32,64):(64,1)] and 64 elements
// S[(1,64):(64,1)]. Storage is what the layout spans over the buffer's own shape. Nothing: the outer iters do not count
// repetitions.
std::optional<layout::Layout> own_part(const layout::Layout& l, std::int64_t elements) {
  if (layout::has_thread_axis(l)) return std::nullopt;
  layout::Layout out = l;
  layout::Iters& iters = out.tile->shard;
  std::int64_t rest = elements;
  for (std::size_t i = iters.size(); i-- > 0;) {
    if (!iters[i].extent.is_constant()) return std::nullopt;
    if (rest == 1) {
      iters[i].extent = 1;
    } else if (rest % iters[i].extent.value() == 0) {
      rest /= iters[i].extent.value();
    } else {
      return std::nullopt;
    }
  }
  return rest == 1 ? std::optional(std::move(out)) : std::nullopt;
}

// A swizzle over a trivial tile repeats over any number of elements, as a bare swizzle does.
std::optional<layout::Layout> repeated_swizzle(const layout::Layout& l, std::int64_t elements) {
  if (!l.swizzle || !layout::is_trivial({std::nullopt, l.tile}) || l.tile->shard.empty()) return std::nullopt;
  layout::Layout out = l;
  out.tile->shard = {l.tile->shard.back()};
  out.tile->shard.front().extent = elements;
  out.tile->shard.front().stride = 1;
  return out;
}

// N17
Made<> settle_layout(BufferOptions& options, const Drafts& drafts) {
  if (!options.layout || !options.layout->tile) return {};
  layout::Dim elements = 1;
  for (ir::Expr e : options.shape) elements = elements * layout::Dim(e);
  layout::Dim size = layout::size(*options.layout);
  if (!elements.is_constant() || !size.is_constant() || elements.value() == size.value()) return {};
  auto part = repeated_swizzle(*options.layout, elements.value());
  if (!part) part = own_part(*options.layout, elements.value());
  if (!part) {
    return std::unexpected(
        Refusal{code::kBuffer,
                "the buffer has " + layout::to_string(elements) + " elements, its layout " + layout::to_string(size),
                "layout: " + layout::to_short_string(*options.layout)});
  }
  options.layout = drafts.keep(std::move(*part));
  return {};
}

}  // namespace

ir::Var* Drafts::variable(ir::DataType dtype, ir::VarRole role) {
  ir::Var* var = ir::make_var({}, dtype, role);
  add(var);
  return var;
}

ir::Var* Drafts::launch_variable(LaunchDimension dimension) {
  ir::Var* var = variable(ir::kInt32, ir::VarRole::ScopeId);
  var->scope_id = dimension.binding;
  var->dimension = dimension.dimension;
  var->range = {0, ir::Interval::kMax};
  return var;
}

ir::Buffer* Drafts::buffer(const BufferOptions& options, text::Span span) {
  Arena& arena = Arena::current();
  ir::Buffer* b = add(arena.make<ir::Buffer>());
  b->dtype = options.dtype;
  b->shape = arena.copy(options.shape);
  b->strides = arena.copy(options.strides);
  b->elem_offset = options.elem_offset;
  b->scope = options.scope;
  b->scope_text =
      options.scope == ir::StorageScope::Other ? copied(options.scope_text) : ir::storage_scope_name(options.scope);
  b->align = options.align;
  b->allocated_addr = options.allocated_addr;
  b->is_scalar = options.is_scalar;
  b->span = span;
  if (options.layout) {
    b->layout = options.layout;
  } else if (options.default_layout) {
    layout::Shape shape;
    for (ir::Expr e : options.shape) shape.emplace_back(e);
    b->layout = keep(layout::row_major(shape));
  }
  if (options.data) {
    b->data = options.data;
  } else if (options.scope != ir::StorageScope::Tmem) {
    ir::Var* var = variable(ir::kHandle, ir::VarRole::Data);
    var->pointee = options.dtype;
    var->storage_scope = b->scope_text;
    b->data = var;
  }
  return b;
}

const ir::Buffer* Drafts::view(const ir::Buffer& changed, text::Span span) {
  ir::Buffer* b = add(Arena::current().make<ir::Buffer>(changed));
  b->name = {};
  b->is_scalar = false;
  b->span = span;
  return b;
}

const ir::Buffer* Drafts::flat_view(const ir::Buffer& buffer, text::Span span) {
  ir::Buffer* flat = Arena::current().make<ir::Buffer>(buffer);
  ir::Expr n = ir::int_imm(ir::kInt32, 1);
  for (ir::Expr e : buffer.shape) n = n * e;
  flat->shape = Arena::current().copy(std::vector<ir::Expr>{n});
  flat->strides = {};
  flat->layout = nullptr;
  flat->is_scalar = false;
  flat->name = copied((buffer.name.empty() ? std::string("buffer") : std::string(buffer.name)) + "_flat");
  flat->span = span;
  return flat;
}

const ir::Buffer* Drafts::tensor(const ir::Buffer* annotated, std::string_view name) {
  if (annotated->name.empty() && find(annotated)) {
    this->name(annotated, name);
    return annotated;
  }
  ir::Buffer* made = add(Arena::current().make<ir::Buffer>(*annotated));
  if (const ir::Var* data = annotated->data; data && data->role == ir::VarRole::Data) {
    ir::Var* own = variable(data->dtype, data->role);
    own->pointee = data->pointee;
    own->storage_scope = data->storage_scope;
    made->data = own;
  }
  this->name(made, name);
  return made;
}

void Drafts::name(const ir::Var* var, std::string_view name) {
  if (ir::Var* draft = find(var)) draft->name = copied(name);
}

void Drafts::name(const ir::Buffer* buffer, std::string_view name, std::string_view path) {
  ir::Buffer* draft = find(buffer);
  if (!draft) return;
  draft->name = copied(name);
  draft->path = path.empty() ? path : copied(path);
  if (buffer->data && buffer->data->name.empty()) this->name(buffer->data, std::string(name) + "_ptr");
}

Made<> settle_storage(BufferOptions& options, const Drafts& drafts) {
  auto refuse = [](std::string message, std::string hint = {}) {
    return std::unexpected(Refusal{code::kBuffer, std::move(message), std::move(hint)});
  };
  if (options.scope == ir::StorageScope::Local || options.scope == ir::StorageScope::Shared) {
    for (ir::Expr e : options.shape) {
      const std::int64_t* c = ir::constant(e);
      if (!c) {
        return refuse("a " + std::string(ir::storage_scope_name(options.scope)) + " buffer needs constant extents",
                      "only matched and declared buffers may have symbolic ones");
      }
      if (*c <= 0) return refuse("a buffer extent must be positive, it is " + std::to_string(*c));
    }
  }
  if (options.scope == ir::StorageScope::Tmem && !options.allocated_addr) {
    return refuse("a tmem buffer needs allocated_addr",
                  "declare it with T.TMEMPool or T.decl_buffer(..., allocated_addr=column)");
  }
  if (options.scope != ir::StorageScope::Tmem && options.allocated_addr) {
    return refuse("allocated_addr belongs to tmem buffers only");
  }
  return settle_layout(options, drafts);
}

}  // namespace tilewright::builder
