// Buffer constructors, kernel parameters and pointer-typed names (surface.md 2.1, 4.1).
#include <deque>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {

namespace {

// A scope of memory that nobody has may be the reference's for another target; one that is nearly spelled like ours is
// a slip. False: an error is pending.
bool known_scope(Interpreter& in, std::string_view text, text::Span span) {
  if (ir::parse_storage_scope(text) != ir::StorageScope::Other) return true;
  text::Nearest nearest(text, text::Nearest::Among::Few);
  for (int i = 0; i < static_cast<int>(ir::StorageScope::Other); ++i) {
    nearest.consider(ir::storage_scope_name(static_cast<ir::StorageScope>(i)));
  }
  if (nearest.found().empty()) return true;
  const std::string meant(nearest.found());
  in.fail(code::kValue, span, "there is no storage scope \"" + std::string(text) + "\"",
          "did you mean \"" + meant + "\"?");
  in.offer({text::Fix::Kind::Replace, "Replace by " + meant, "\"" + meant + "\""});
  return false;
}

const layout::Layout* keep_layout(Interpreter& in, layout::Layout l) {
  return in.layout_value(std::move(l)).as<LayoutValue>()->layout;
}

// align <= 0 means 64 bytes.
std::optional<int> alignment(Interpreter& in, Value v, text::Span span) {
  if (v.is_none()) return 64;
  auto n = in.as_int(v, span, "align");
  if (!n) return std::nullopt;
  if (*n <= 0) return 64;
  if ((*n & (*n - 1)) != 0 || *n > 65536) {
    in.fail(code::kBuffer, span, "align must be a power of two up to 65536, it is " + std::to_string(*n));
    return std::nullopt;
  }
  return static_cast<int>(*n);
}

}  // namespace

ir::Buffer* make_buffer(Interpreter& in, const BufferOptions& o, text::Span span) {
  Arena& arena = Arena::current();
  ir::Buffer* b = in.draft(arena.make<ir::Buffer>());
  b->dtype = o.dtype;
  b->shape = arena.copy(o.shape);
  b->strides = arena.copy(o.strides);
  b->elem_offset = o.elem_offset;
  b->scope = o.scope;
  b->scope_text = o.scope == ir::StorageScope::Other ? in.keep(o.scope_text) : ir::storage_scope_name(o.scope);
  b->align = o.align;
  b->allocated_addr = o.allocated_addr;
  b->is_scalar = o.is_scalar;
  b->span = span;
  if (o.layout) {
    b->layout = o.layout;
  } else if (o.default_layout) {
    layout::Shape shape;
    for (ir::Expr e : o.shape) shape.emplace_back(e);
    b->layout = keep_layout(in, layout::row_major(shape));
  }
  if (o.data) {
    b->data = o.data;
  } else if (o.scope != ir::StorageScope::Tmem) {
    ir::Var* var = in.draft(ir::make_var({}, ir::kHandle, ir::VarRole::Data));
    var->pointee = o.dtype;
    var->storage_scope = b->scope_text;
    b->data = var;
  }
  return b;
}

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

Value allocate(Interpreter& in, const BufferOptions& asked, text::Span span) {
  BufferOptions o = asked;
  if (o.scope == ir::StorageScope::Local || o.scope == ir::StorageScope::Shared) {
    for (ir::Expr e : o.shape) {
      const std::int64_t* c = ir::constant(e);
      if (!c) {
        return in.fail(code::kBuffer, span,
                       "a " + std::string(ir::storage_scope_name(o.scope)) + " buffer needs constant extents",
                       "only matched and declared buffers may have symbolic ones");
      }
      if (*c <= 0) return in.fail(code::kBuffer, span, "a buffer extent must be positive, it is " + std::to_string(*c));
    }
  }
  if (o.scope == ir::StorageScope::Tmem && !o.allocated_addr) {
    return in.fail(code::kBuffer, span, "a tmem buffer needs allocated_addr",
                   "declare it with T.TMEMPool or T.decl_buffer(..., allocated_addr=column)");
  }
  // Where nobody named a target, this memory asks for one that has it (session/architecture.cpp).
  if (o.scope == ir::StorageScope::Tmem && in.finds_target() &&
      !intrinsics::available(intrinsics::Availability::Sm100aClass, in.target())) {
    in.kernel()->kernel->target_choice = ir::TargetChoice::Lacking;
  }
  if (o.scope != ir::StorageScope::Tmem && o.allocated_addr) {
    return in.fail(code::kBuffer, span, "allocated_addr belongs to tmem buffers only");
  }
  if (o.layout && o.layout->tile) {  // N17: a layout must have as many elements as the buffer
    layout::Dim elements = 1;
    for (ir::Expr e : o.shape) elements = elements * layout::Dim(e);
    layout::Dim size = layout::size(*o.layout);
    if (elements.is_constant() && size.is_constant() && elements.value() != size.value()) {
      auto part = own_part(*o.layout, elements.value());
      if (!part) {
        return in.fail(
            code::kBuffer, span,
            "the buffer has " + layout::to_string(elements) + " elements, its layout " + layout::to_string(size),
            "layout: " + layout::to_short_string(*o.layout));
      }
      o.layout = keep_layout(in, std::move(*part));
    }
  }
  const ir::Buffer* b = make_buffer(in, o, span);
  if (o.data || o.scope == ir::StorageScope::Tmem) {
    in.emit_new<ir::Decl>(span, b);
  } else {
    in.emit_new<ir::Alloc>(span, b);
  }
  in.kernel()->fresh.push_back(b);
  return in.buffer_value(b);
}

Value alloc_local(Interpreter& in, ir::DataType dtype, const std::vector<ir::Expr>& extents, text::Span span) {
  BufferOptions o;
  o.dtype = dtype;
  o.shape = extents;
  o.scope = ir::StorageScope::Local;
  return allocate(in, o, span);
}

const ir::Buffer* make_local_scalar(Interpreter& in, std::string_view name, ir::DataType dtype, text::Span span) {
  BufferOptions o;
  o.dtype = dtype;
  o.shape = {ir::int_imm(ir::kInt32, 1)};
  o.scope = ir::StorageScope::Local;
  o.is_scalar = true;
  const ir::Buffer* b = make_buffer(in, o, span);
  if (!name.empty()) {
    in.name_draft(b, in.keep(name));
  } else {
    in.kernel()->fresh.push_back(b);
  }
  in.emit_new<ir::Alloc>(span, b);
  return b;
}

ir::Var* make_pointer_or_value_var(Interpreter& in, std::string_view name, ir::Expr value, const TypeAnnotation* type) {
  ir::DataType dtype = value.dtype();
  bool is_map = type && type->kind == TypeAnnotation::Kind::TensorMap;
  if (type && type->kind == TypeAnnotation::Kind::Handle) dtype = ir::kHandle;
  if (is_map) dtype = ir::kTensorMap;
  ir::Var* var = ir::make_var(in.keep(name), dtype);
  if (name.empty()) in.draft(var);
  var->range = ir::bounds(value);
  if (dtype.is_handle()) {
    if (type) {
      var->pointee = type->pointee;
      var->storage_scope = in.keep(type->storage_scope);
    }
    if (var->pointee.is_void()) {  // what the pointer was made from
      if (const auto* from = value.as<ir::Var>()) {
        var->pointee = from->pointee;
        var->storage_scope = from->storage_scope;
      } else if (const auto* c = value.as<ir::Call>(); c && c->callee == &ir::builtin::address_of && !c->args.empty()) {
        if (const auto* l = c->args[0].as<ir::Load>()) {
          var->pointee = l->buffer->dtype;
          var->storage_scope = l->buffer->scope_text;
        }
      }
    }
  }
  return var;
}

// ---- constructors ---------------------------------------------------------------------------------------------

namespace {

struct Parsed {
  BufferOptions options;
  bool ok = false;
};

// The keyword arguments that all constructors share; `scope` is fixed by some of them.
Parsed parse_options(Interpreter& in, const Bound& a, std::initializer_list<std::string_view> names,
                     std::optional<ir::StorageScope> fixed, bool shape_required) {
  Parsed p;
  BufferOptions& o = p.options;
  auto index = [&](std::string_view name) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names.begin()[i] == name) return i;
    }
    return std::nullopt;
  };
  auto has = [&](std::string_view name) { return index(name) && a.has(*index(name)); };
  auto get = [&](std::string_view name) { return a[*index(name)]; };
  auto span = [&](std::string_view name) { return a.span(*index(name)); };
  if (has("shape")) {
    auto shape = in.as_extents(get("shape"), span("shape"), "the shape");
    if (!shape) return p;
    o.shape = *shape;
  } else if (shape_required) {
    in.fail(code::kBuffer, a.span(0), "a buffer needs a shape");
    return p;
  }
  if (has("dtype")) {
    auto d = in.as_dtype(get("dtype"), span("dtype"));
    if (!d) return p;
    o.dtype = *d;
  }
  if (fixed) {
    o.scope = *fixed;
  } else if (has("scope")) {
    auto text = in.as_string(get("scope"), span("scope"), "scope=");
    if (!text) return p;
    if (!known_scope(in, *text, span("scope"))) return p;
    o.scope = ir::parse_storage_scope(*text);
    o.scope_text = *text;
  }
  if (has("data")) {
    ir::Expr e = in.as_expr(get("data"), span("data"), "data=");
    if (!e) return p;
    if (const auto* var = e.as<ir::Var>()) {
      o.data = var;
      // A view lies where its storage does, unless the script says otherwise.
      if (!fixed && !has("scope") && !var->storage_scope.empty()) {
        o.scope = ir::parse_storage_scope(var->storage_scope);
        o.scope_text = var->storage_scope;
      }
    } else if (e.dtype().is_handle() && in.kernel()) {  // a pointer expression: give it a name to be a base
      ir::Var* var = make_pointer_or_value_var(in, "ptr", e, nullptr);
      if (var->pointee.is_void()) var->pointee = o.dtype;
      if (o.scope != ir::StorageScope::Global) var->storage_scope = ir::storage_scope_name(o.scope);
      in.emit_new<ir::Bind>(span("data"), var, e);
      o.data = var;
    } else {
      in.fail(code::kBuffer, span("data"), "data= must be a pointer variable", "pass buffer.data, or a T.let pointer");
      return p;
    }
  }
  if (has("strides")) {
    auto s = in.as_extents(get("strides"), span("strides"), "the strides");
    if (!s) return p;
    o.strides = *s;
  }
  if (has("elem_offset") && has("byte_offset")) {
    in.fail(code::kBuffer, span("byte_offset"), "elem_offset and byte_offset exclude each other");
    return p;
  }
  if (has("elem_offset")) {
    o.elem_offset = in.as_expr(get("elem_offset"), span("elem_offset"), "elem_offset");
    if (!o.elem_offset) return p;
  }
  if (has("byte_offset")) {
    ir::Expr bytes = in.as_expr(get("byte_offset"), span("byte_offset"), "byte_offset");
    if (!bytes) return p;
    int bits = o.dtype.storage_bits() * o.dtype.lanes;
    o.elem_offset = ir::simplify((bytes * ir::Expr(8)) / ir::Expr(bits));
  }
  if (o.elem_offset && ir::is_constant(o.elem_offset, 0)) o.elem_offset = {};
  if (has("align")) {
    auto n = alignment(in, get("align"), span("align"));
    if (!n) return p;
    o.align = *n;
  }
  if (auto i = index("layout"); i && a.given(*i)) {
    Value l = a[*i];
    if (l.is_none()) {
      o.default_layout = false;
    } else if (Str* s = l.as<Str>()) {
      if (s->text != "default") {
        in.fail(code::kLayout, a.span(*i), "layout strings other than \"default\" belong to other targets");
        return p;
      }
    } else {
      auto layout = in.as_layout(l, a.span(*i));
      if (!layout) return p;
      o.layout = keep_layout(in, *layout);
    }
  }
  if (has("allocated_addr")) {
    Value v = get("allocated_addr");
    if (List* l = v.as<List>(); l && l->items.size() == 1) v = l->items[0];
    if (Tuple* t = v.as<Tuple>(); t && t->items.size() == 1) v = t->items[0];
    o.allocated_addr = in.as_expr(v, span("allocated_addr"), "allocated_addr");
    if (!o.allocated_addr) return p;
  }
  p.ok = true;
  return p;
}

Value no_name(Interpreter& in, const Arguments& args) {
  for (const Keyword& k : args.keywords) {
    if (k.name == "name") {
      return in.fail(code::kBuffer, k.span, "a buffer takes the name it is assigned to", "drop name=");
    }
  }
  return Value::none();
}

#define TILEWRIGHT_BUFFER_NAMES                                                                                        \
  "shape", "dtype", "data", "strides", "elem_offset", "byte_offset", "scope", "align", "offset_factor", "buffer_type", \
      "axis_separators", "layout", "allocated_addr", "annotations"

template <int Scope>  // -1: as given
Value alloc(Interpreter& in, const Arguments& args, Value) {
  if (no_name(in, args).is_error()) return Value::error();
  if (!in.require_kernel(args.call, "a buffer allocation")) return Value::error();
  Bound a(in, args, "the allocation", {TILEWRIGHT_BUFFER_NAMES}, 1);
  if (!a) return Value::error();
  std::optional<ir::StorageScope> fixed;
  if constexpr (Scope >= 0) {
    if (!a.has(6)) fixed = static_cast<ir::StorageScope>(Scope);
  }
  Parsed p = parse_options(in, a, {TILEWRIGHT_BUFFER_NAMES}, fixed, true);
  return p.ok ? allocate(in, p.options, args.call) : Value::error();
}

// T.Buffer(...) as an annotation or a free declaration.
Value buffer_declaration(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.Buffer", {TILEWRIGHT_BUFFER_NAMES}, 1);
  if (!a) return Value::error();
  Parsed p = parse_options(in, a, {TILEWRIGHT_BUFFER_NAMES}, std::nullopt, true);
  if (!p.ok) return Value::error();
  // In a body, over data that exists: a view, as T.decl_buffer makes it.
  if (in.kernel() && p.options.data) return allocate(in, p.options, args.call);
  TypeAnnotation* t = in.make<TypeAnnotation>();
  t->kind = TypeAnnotation::Kind::Buffer;
  t->buffer = make_buffer(in, p.options, args.call);
  return Value::object(t);
}

Value match_buffer(Interpreter& in, const Arguments& args, Value) {
  if (no_name(in, args).is_error()) return Value::error();
  if (!in.require_kernel(args.call, "T.match_buffer")) return Value::error();
  Bound a(in, args, "T.match_buffer",
          {"param", "shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor",
           "buffer_type", "axis_separators", "layout"},
          1);
  if (!a) return Value::error();
  if (a[0].as<RegionValue>() || a[0].as<BufferValue>()) {
    return in.fail(code::kParameter, a.span(0), "T.match_buffer of a region belongs to the block dialect",
                   "use a slice of the buffer, or T.decl_buffer");
  }
  const ir::Var* param = a[0].is_expr() ? a[0].as_expr().as<ir::Var>() : nullptr;
  ir::Param* slot = nullptr;
  for (ir::Param& p : in.kernel()->kernel->params) {
    if (param && p.var == param) slot = &p;
  }
  if (!slot)
    return in.fail(code::kParameter, a.span(0),
                   "Can not bind non-input param: the first argument must be a parameter of the kernel");
  Parsed p = parse_options(in, a,
                           {"param", "shape", "dtype", "data", "strides", "elem_offset", "scope", "align",
                            "offset_factor", "buffer_type", "axis_separators", "layout"},
                           std::nullopt, true);
  if (!p.ok) return Value::error();
  if (slot->buffer) return in.fail(code::kParameter, a.span(0), "this parameter is already matched to a buffer");
  // Whoever uses the extents may rely on them being extents, whatever made the variable.
  const ir::Buffer* b = make_buffer(in, p.options, args.call);
  slot->buffer = b;
  return in.buffer_value(b);
}

template <int Scope>
Value scalar(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "a scalar")) return Value::error();
  Bound a(in, args, "the scalar", {"dtype", "scope"}, 0);
  if (!a) return Value::error();
  BufferOptions o;
  if (a.has(0)) {
    auto d = in.as_dtype(a[0], a.span(0));
    if (!d) return Value::error();
    o.dtype = *d;
  }
  o.shape = {ir::int_imm(ir::kInt32, 1)};
  o.is_scalar = true;
  o.scope = static_cast<ir::StorageScope>(Scope);
  if (a.has(1)) {
    auto text = in.as_string(a[1], a.span(1), "scope");
    if (!text) return Value::error();
    if (!known_scope(in, *text, a.span(1))) return Value::error();
    o.scope = ir::parse_storage_scope(*text);
    o.scope_text = *text;
  }
  Value v = allocate(in, o, args.call);
  if (v.is_error()) return v;
  ir::Expr zero = ir::int_imm(ir::kInt32, 0);
  return Value::expr(ir::load(v.as<BufferValue>()->buffer, {&zero, 1}));
}

// T.decl_scalar(dtype, data, scope, elem_offset, byte_offset): a scalar over existing data.
Value decl_scalar(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "T.decl_scalar")) return Value::error();
  Bound a(in, args, "T.decl_scalar", {"dtype", "data", "scope", "elem_offset", "byte_offset"}, 2);
  if (!a) return Value::error();
  Parsed p = parse_options(in, a, {"dtype", "data", "scope", "elem_offset", "byte_offset"}, std::nullopt, false);
  if (!p.ok) return Value::error();
  p.options.shape = {ir::int_imm(ir::kInt32, 1)};
  p.options.is_scalar = true;
  Value v = allocate(in, p.options, args.call);
  if (v.is_error()) return v;
  ir::Expr zero = ir::int_imm(ir::kInt32, 0);
  return Value::expr(ir::load(v.as<BufferValue>()->buffer, {&zero, 1}));
}

// T.wg_reg_tile(n, dtype): n registers a thread of a warpgroup (layout.md 7.1).
Value wg_reg_tile(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "T.wg_reg_tile")) return Value::error();
  Bound a(in, args, "T.wg_reg_tile", {"n", "dtype"}, 1);
  if (!a) return Value::error();
  auto n = in.as_int(a[0], a.span(0), "the number of registers");
  if (!n) return Value::error();
  BufferOptions o;
  if (a.has(1)) {
    auto d = in.as_dtype(a[1], a.span(1));
    if (!d) return Value::error();
    o.dtype = *d;
  }
  o.shape = {ir::int_imm(ir::kInt32, 128), ir::int_imm(ir::kInt32, *n)};
  o.scope = ir::StorageScope::Local;
  o.layout = keep_layout(in, layout::wg_local_layout(*n));
  return allocate(in, o, args.call);
}

Value tcgen05_frag(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "T.alloc_tcgen05_ldst_frag")) return Value::error();
  Bound a(in, args, "T.alloc_tcgen05_ldst_frag", {"instr_shape", "tensor_shape", "dtype"}, 3);
  if (!a) return Value::error();
  auto shape = in.as_string(a[0], a.span(0), "the instruction shape");
  auto dims = shape ? in.as_extents(a[1], a.span(1), "the tensor shape") : std::nullopt;
  auto d = dims ? in.as_dtype(a[2], a.span(2)) : std::nullopt;
  if (!d) return Value::error();
  const std::int64_t* rows = dims->size() == 2 ? ir::constant((*dims)[0]) : nullptr;
  const std::int64_t* cols = dims->size() == 2 ? ir::constant((*dims)[1]) : nullptr;
  if (!rows || !cols)
    return in.fail(code::kLayout, a.span(1), "the tensor shape must be two constants (rows, columns)");
  auto l = layout::tcgen05_atom_layout(*shape, *rows, *cols, *d);
  if (!l) return in.fail(code::kLayout, args.call, l.error().message);
  BufferOptions o;
  o.dtype = *d;
  o.shape = *dims;
  o.scope = ir::StorageScope::Local;
  o.layout = keep_layout(in, *l);
  return allocate(in, o, args.call);
}

// T.alloc_cast_frag(src, dtype): the same distribution with another element type.
Value cast_frag(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "T.alloc_cast_frag")) return Value::error();
  Bound a(in, args, "T.alloc_cast_frag", {"src", "dtype"}, 2);
  if (!a) return Value::error();
  BufferValue* src = a[0].as<BufferValue>();
  auto d = in.as_dtype(a[1], a.span(1));
  if (!d) return Value::error();
  if (!src) return in.fail(code::kBuffer, a.span(0), "T.alloc_cast_frag takes a register buffer");
  BufferOptions o;
  o.dtype = *d;
  o.shape.assign(src->buffer->shape.begin(), src->buffer->shape.end());
  o.scope = ir::StorageScope::Local;
  o.layout = src->buffer->layout;
  return allocate(in, o, args.call);
}

Value handle_type(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.handle", {"dtype", "storage_scope"}, 0);
  if (!a) return Value::error();
  TypeAnnotation* t = in.make<TypeAnnotation>();
  t->kind = TypeAnnotation::Kind::Handle;
  if (a.has(0)) {
    Str* s = a[0].as<Str>();
    std::string lower;
    if (s)
      for (char c : s->text) lower += static_cast<char>(std::tolower(c));
    if (lower == "tensormap" || lower == "cutensormap") {
      t->kind = TypeAnnotation::Kind::TensorMap;
    } else {
      auto d = in.as_dtype(a[0], a.span(0));
      if (!d) return Value::error();
      t->pointee = *d;
    }
  }
  if (a.has(1)) {
    auto scope = in.as_string(a[1], a.span(1), "the storage scope");
    if (!scope) return Value::error();
    t->storage_scope = *scope;
  } else {
    t->storage_scope = "global";
  }
  return Value::object(t);
}

Value tensor_map_type(Interpreter& in, const Arguments&, Value) {
  TypeAnnotation* t = in.make<TypeAnnotation>();
  t->kind = TypeAnnotation::Kind::TensorMap;
  return Value::object(t);
}

// Free variables: T.var(dtype), T.ptr(dtype, scope), T.buffer_var(dtype, scope).
template <bool Pointer>
Value free_var(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, Pointer ? "T.ptr" : "T.var", {"dtype", "storage_scope"}, 1);
  if (!a) return Value::error();
  auto d = in.as_dtype(a[0], a.span(0));
  if (!d) return Value::error();
  ir::Var* var = in.draft(ir::make_var({}, Pointer ? ir::kHandle : *d));
  if (Pointer) var->pointee = *d;
  if (a.has(1)) {
    auto s = in.as_string(a[1], a.span(1), "the storage scope");
    if (!s) return Value::error();
    var->storage_scope = in.keep(*s);
  }
  return Value::expr(var);
}

constexpr int kShared = static_cast<int>(ir::StorageScope::Shared);
constexpr int kLocal = static_cast<int>(ir::StorageScope::Local);

// The annotations T.let, T.constexpr and T.Optional; `number` says which.
Value annotation(Interpreter& in, const Record& record, Value) {
  TypeAnnotation* t = in.make<TypeAnnotation>();
  t->kind = static_cast<TypeAnnotation::Kind>(record.number);
  return Value::object(t);
}

constexpr Record kBufferRecords[] = {
    {"T", "match_buffer", NameKind::Function,
     "param, shape=None, dtype='float32', data=None, strides=None, elem_offset=None, scope='global', align=-1, "
     "offset_factor=0, buffer_type='', axis_separators=None, layout='default'",
     "Gives a handle parameter its shape and dtype; names in the shape become symbolic extents.", match_buffer},
    {"T", "alloc_buffer", NameKind::Function,
     "shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='global', align=-1, "
     "offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None",
     "Allocates a buffer in a memory scope, such as shared, local or tmem, under a layout.", alloc<-1>},
    {"T", "sblock_alloc_buffer", NameKind::Function,
     "shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='global', align=-1, "
     "offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None",
     "T.alloc_buffer as the block dialect spells it.", alloc<-1>},
    {"T", "decl_buffer", NameKind::Function,
     "shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='global', align=0, "
     "offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None",
     "Declares a view of memory that exists already.", alloc<-1>},
    {"T", "alloc_shared", NameKind::Function,
     "shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='shared', align=-1, "
     "offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None",
     "Allocates a buffer in shared memory.", alloc<kShared>},
    {"T", "smem", NameKind::Function,
     "shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='shared', align=-1, "
     "offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None",
     "T.alloc_shared under a shorter name.", alloc<kShared>},
    {"T", "alloc_local", NameKind::Function,
     "shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='local', align=-1, "
     "offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None",
     "Allocates a buffer in the registers of each thread.", alloc<kLocal>},
    {"T", "tmem", NameKind::Function,
     "shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='tmem', align=-1, "
     "offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None",
     "Allocates a buffer in tensor memory.", alloc<static_cast<int>(ir::StorageScope::Tmem)>},
    {"T", "wg_reg_tile", NameKind::Function, "n, dtype='float32'",
     "A register tile of a warpgroup: 128 rows, one a thread, n columns.", wg_reg_tile},
    {"T", "alloc_tcgen05_ldst_frag", NameKind::Function, "instr_shape, tensor_shape, dtype",
     "Registers laid out as tcgen05.ld and tcgen05.st of this shape move them.", tcgen05_frag},
    {"T", "alloc_cast_frag", NameKind::Function, "src, dtype",
     "Registers with the layout of another fragment and another dtype.", cast_frag},
    {"T", "local_scalar", NameKind::Function, "dtype='float32', scope='local'", "A mutable scalar in a register.",
     scalar<kLocal>},
    {"T", "shared_scalar", NameKind::Function, "dtype='float32', scope='shared'", "A mutable scalar in shared memory.",
     scalar<kShared>},
    {"T", "alloc_scalar", NameKind::Function, "dtype='float32', scope='local'",
     "Allocates one element that reads like a number.", scalar<kLocal>},
    {"T", "decl_scalar", NameKind::Function, "dtype, data, scope=None, elem_offset=None, byte_offset=None",
     "Declares one element of memory that exists already.", decl_scalar},
    {"T", "Buffer", NameKind::Type,
     "shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='global', align=0, "
     "offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None",
     "A tensor parameter with its shape and dtype, as an annotation.", buffer_declaration},
    {"T", "buffer", NameKind::Function,
     "shape, dtype='float32', data=None, strides=None, elem_offset=None, byte_offset=None, scope='global', align=0, "
     "offset_factor=0, buffer_type='', axis_separators=None, layout='default', allocated_addr=None, annotations=None",
     "A buffer without a statement, or a view where data is given.", buffer_declaration},
    {"T", "handle", NameKind::Type, "dtype=None, storage_scope='global'", "A pointer parameter.", handle_type},
    {"T", "Ptr", NameKind::Type, "dtype=None, storage_scope='global'", "A typed pointer.", handle_type},
    {"T", "TensorMap", NameKind::Type, "", "A tensor map (CUtensorMap) parameter that the host encodes.",
     tensor_map_type},
    {"T", "var", NameKind::Function, "dtype, storage_scope='global'", "A free variable.", free_var<false>},
    {"T", "ptr", NameKind::Function, "dtype, storage_scope='global'", "A free pointer variable.", free_var<true>},
    {"T", "buffer_var", NameKind::Function, "dtype, storage_scope='global'", "A free pointer variable.",
     free_var<true>},
    {"T",
     "let",
     NameKind::Type,
     "",
     "Annotation of a name that is bound once: x: T.let = value, or T.let[T.int32].",
     nullptr,
     annotation,
     {},
     static_cast<int>(TypeAnnotation::Kind::Let)},
    {"T",
     "constexpr",
     NameKind::Type,
     "",
     "Annotation of a @T.jit parameter that is known when the kernel is specialised.",
     nullptr,
     annotation,
     {},
     static_cast<int>(TypeAnnotation::Kind::Constexpr)},
    {"T",
     "Optional",
     NameKind::Type,
     "",
     "Annotation of a parameter that may be None when the kernel is specialised.",
     nullptr,
     annotation,
     {},
     static_cast<int>(TypeAnnotation::Kind::Optional)},
};

}  // namespace

std::span<const Record> buffer_records() { return kBufferRecords; }

// ---- parameters -----------------------------------------------------------------------------------------------

namespace {

// The tensor of a parameter annotated with `T.Buffer(...)`. An annotation that stands for a parameter already, of this
// kernel or of another one, makes a second tensor like the first.
const ir::Buffer* parameter_tensor(Interpreter& in, const ir::Buffer* annotated, std::string_view name) {
  if (annotated->name.empty() && in.drafts().find(annotated)) {
    in.name_draft(annotated, name);
    return annotated;
  }
  ir::Buffer* tensor = in.draft(Arena::current().make<ir::Buffer>(*annotated));
  if (const ir::Var* data = annotated->data; data && data->role == ir::VarRole::Data) {
    ir::Var* own = in.draft(ir::make_var({}, data->dtype, data->role));
    own->pointee = data->pointee;
    own->storage_scope = data->storage_scope;
    tensor->data = own;
  }
  in.name_draft(tensor, name);
  return tensor;
}

}  // namespace

bool bind_kernel_parameters(Interpreter& in, Function* f, const Arguments* constexprs, Scope* scope) {
  bool jit = f->mode == FunctionMode::Jit;
  text::Span def = {f->anchor, f->def->name.at.begin, f->def->name.at.end};
  // Compile-time parameters first: the annotations of the others may use them.
  const std::span<const Keyword> keywords = constexprs ? constexprs->keywords : std::span<const Keyword>();
  std::vector<bool> used(keywords.size());
  std::size_t next_default = 0;
  for (const syntax::Parameter& p : f->def->params) {
    Value default_value = p.default_value && next_default < f->defaults.size() ? f->defaults[next_default] : Value();
    bool has_default = p.default_value != nullptr;
    if (has_default) ++next_default;
    text::Span at = in.span(p.name.at);
    if (p.kind == syntax::ParamKind::VarArgs || p.kind == syntax::ParamKind::VarKeywords) {
      in.fail(code::kParameter, at, "a kernel cannot have *args or **kwargs");
      return false;
    }
    auto* attribute = syntax::as<syntax::Attribute>(p.annotation);
    bool is_constexpr = attribute && attribute->name.text == "constexpr";
    bool given = false;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (keywords[i].name != p.name.text) continue;
      used[i] = given = true;
      scope->set(p.name, keywords[i].value);
    }
    if (!is_constexpr) continue;
    if (!jit) {
      in.fail(code::kParameter, at, "'" + std::string(p.name.text) + "' is a compile-time parameter: that needs @T.jit",
              "decorate the kernel with @T.jit and call .specialize(" + std::string(p.name.text) + "=...)");
      return false;
    }
    if (given) continue;
    if (!has_default) {
      in.fail(code::kJit, constexprs ? constexprs->call : def,
              "specialize() needs a value for '" + std::string(p.name.text) + "'");
      return false;
    }
    scope->set(p.name, default_value);
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    in.fail(code::kJit, keywords[i].span,
            std::string(f->def->name.text) + " has no compile-time parameter '" + std::string(keywords[i].name) + "'");
    return false;
  }
  ir::Kernel& kernel = *in.kernel()->kernel;
  bool first = true;
  for (const syntax::Parameter& p : f->def->params) {
    text::Span at = in.span(p.name.at);
    if (first && p.name.text == "self" && !p.annotation) {  // a method of an @I.ir_module class
      first = false;
      continue;
    }
    first = false;
    auto* attribute = syntax::as<syntax::Attribute>(p.annotation);
    if (attribute && attribute->name.text == "constexpr") continue;
    if (!p.annotation) {
      in.fail(code::kParameter, at, "parameter '" + std::string(p.name.text) + "' needs a type annotation",
              "for example " + std::string(p.name.text) + ": T.handle");
      return false;
    }
    Value annotation = in.eval(p.annotation, scope);
    if (annotation.is_error()) return false;
    std::string_view name = in.keep(p.name.text);
    ir::Param param;
    auto make = [&](std::string_view var_name, ir::DataType dtype) {
      return ir::make_var(in.keep(var_name), dtype, ir::VarRole::Parameter);
    };
    if (annotation.is_poison()) {
      scope->set(p.name, Value::poison());
      continue;
    }
    Native* native = annotation.as<Native>();
    TypeAnnotation* type = annotation.as<TypeAnnotation>();
    if (type && type->kind == TypeAnnotation::Kind::Optional) {
      if (TypeAnnotation* inner = type->inner.as<TypeAnnotation>())
        type = inner;
      else if (Native* n = type->inner.as<Native>())
        native = n, type = nullptr;
    }
    if (native && (native->name == "handle" || native->name == "Ptr")) {
      param.var = make(name, ir::kHandle);
      scope->set(p.name, Value::expr(param.var));
    } else if (native && native->name == "TensorMap") {
      param.var = make(name, ir::kTensorMap);
      scope->set(p.name, Value::expr(param.var));
    } else if (type && type->kind == TypeAnnotation::Kind::Handle) {
      ir::Var* var = make(name, ir::kHandle);
      var->pointee = type->pointee;
      var->storage_scope = in.keep(type->storage_scope);
      param.var = var;
      scope->set(p.name, Value::expr(var));
    } else if (type && type->kind == TypeAnnotation::Kind::TensorMap) {
      param.var = make(name, ir::kTensorMap);
      scope->set(p.name, Value::expr(param.var));
    } else if (type && type->kind == TypeAnnotation::Kind::Buffer) {
      param.var = make(std::string(name) + "_handle", ir::kHandle);
      param.buffer = parameter_tensor(in, type->buffer, name);
      scope->set(p.name, in.buffer_value(param.buffer));
    } else if (DataTypeValue* d = annotation.as<DataTypeValue>(); d && !d->subscripted) {
      param.var = make(name, d->dtype);
      scope->set(p.name, Value::expr(param.var));
    } else {
      in.fail(code::kParameter, in.span(p.annotation),
              std::string(type_name(annotation)) + " is not the type of a kernel parameter",
              syntax::as<syntax::Subscript>(p.annotation)
                  ? "write it with parentheses: T.Buffer((64, 64), \"float16\")"
                  : "use T.handle, T.Buffer(shape, dtype), T.TensorMap() or a dtype such as T.int32");
      return false;
    }
    if (p.default_value && !jit) {
      in.fail(code::kParameter, at, "a run-time parameter cannot have a default");
      return false;
    }
    kernel.params.push_back(param);
  }
  return true;
}

}  // namespace tilewright::script
