// Buffer constructors and pointer-typed names (surface.md 4.1).
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/script/foreign.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {

namespace {

// A scope of memory that is not known here may be the reference's for another target; one that is nearly spelled like
// ours is a slip. False: an error is pending.
bool known_scope(Interpreter& in, std::string_view text, text::Span span) {
  if (ir::parse_storage_scope(text) != ir::StorageScope::Other) return true;
  if (text.starts_with("trn.")) {
    in.of_another_target(span, "Trainium");
    return false;
  }
  std::string meant(scope_known_as(text));
  text::Nearest nearest(text, text::Nearest::Among::Few);
  for (int i = 0; i < static_cast<int>(ir::StorageScope::Other); ++i) {
    nearest.consider(ir::storage_scope_name(static_cast<ir::StorageScope>(i)));
  }
  if (meant.empty()) meant = nearest.found();
  if (meant.empty()) return true;
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

Value allocate(Interpreter& in, const BufferOptions& options, text::Span span) {
  // Where no target was named, this memory asks for one that has it (session/architecture.cpp).
  if (options.scope == ir::StorageScope::Tmem && options.allocated_addr && in.finds_target() &&
      !intrinsics::available(intrinsics::Availability::Sm100aClass, in.target())) {
    in.kernel()->needs_another_target();
  }
  auto made = in.kernel()->allocate(in.origin(span), options);
  return made ? in.buffer_value(*made) : in.fail(std::move(made.error()), span);
}

Value alloc_local(Interpreter& in, ir::DataType dtype, const std::vector<ir::Expr>& extents, text::Span span) {
  BufferOptions options;
  options.dtype = dtype;
  options.shape = extents;
  options.scope = ir::StorageScope::Local;
  return allocate(in, options, span);
}

ir::Var* bind_value(Interpreter& in, std::string_view name, ir::Expr value, const TypeAnnotation* type,
                    text::Span span) {
  ir::DataType dtype = value.dtype();
  if (type && type->kind == TypeAnnotation::Kind::Handle) dtype = ir::kHandle;
  if (type && type->kind == TypeAnnotation::Kind::TensorMap) dtype = ir::kTensorMap;
  builder::Pointee pointee;
  if (type) pointee = {type->pointee, type->storage_scope};
  return in.kernel()->bind(in.origin(span), name, value, dtype, pointee);
}

// ---- constructors ---------------------------------------------------------------------------------------------

namespace {

// The keyword arguments that all constructors share.
class OptionReader {
 public:
  OptionReader(Interpreter& in, const Bound& a, std::initializer_list<std::string_view> names)
      : in_(in), a_(a), names_(names) {}

  // `fixed`: the scope of the constructor, which none of its arguments says. Nothing: an error is pending.
  std::optional<BufferOptions> read(std::optional<ir::StorageScope> fixed, bool shape_required) {
    const bool fine = read_shape(shape_required) && read_dtype() && read_scope(fixed) && read_data(fixed.has_value()) &&
                      read_extents("strides", "the strides", &o_.strides) && read_offset() && read_align() &&
                      read_layout() && strides_hold() && read_allocated_addr();
    return fine ? std::optional(std::move(o_)) : std::nullopt;
  }

 private:
  std::optional<std::size_t> index(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_.begin()[i] == name) return i;
    }
    return std::nullopt;
  }
  bool has(std::string_view name) const { return index(name) && a_.has(*index(name)); }
  Value get(std::string_view name) const { return a_[*index(name)]; }
  text::Span span(std::string_view name) const { return a_.span(*index(name)); }
  bool fail(std::string_view code, text::Span at, std::string message, std::string hint = {}) {
    in_.fail(code, at, std::move(message), std::move(hint));
    return false;
  }

  bool read_extents(std::string_view name, std::string_view what, std::vector<ir::Expr>* into) {
    if (!has(name)) return true;
    auto extents = in_.as_extents(get(name), span(name), what);
    if (extents) *into = *extents;
    return extents.has_value();
  }
  bool read_shape(bool required) {
    if (!has("shape") && required) return fail(code::kBuffer, a_.span(0), "a buffer needs a shape");
    return read_extents("shape", "the shape", &o_.shape);
  }
  bool read_dtype() {
    if (!has("dtype")) return true;
    auto d = in_.as_dtype(get("dtype"), span("dtype"));
    if (d) o_.dtype = *d;
    return d.has_value();
  }
  bool read_scope(std::optional<ir::StorageScope> fixed) {
    if (fixed) o_.scope = *fixed;
    if (fixed || !has("scope")) return true;
    auto text = in_.as_string(get("scope"), span("scope"), "scope=");
    if (!text || !known_scope(in_, *text, span("scope"))) return false;
    o_.scope = ir::parse_storage_scope(*text);
    o_.scope_text = *text;
    return true;
  }
  bool read_data(bool fixed_scope) {
    if (!has("data")) return true;
    ir::Expr e = in_.as_expr(get("data"), span("data"), "data=");
    if (!e) return false;
    if (const auto* var = e.as<ir::Var>()) {
      o_.data = var;
      // A view lies where its storage does, unless the script says otherwise.
      if (!fixed_scope && !has("scope") && !var->storage_scope.empty()) {
        o_.scope = ir::parse_storage_scope(var->storage_scope);
        o_.scope_text = var->storage_scope;
      }
      return true;
    }
    if (!e.dtype().is_handle() || !in_.kernel()) {
      return fail(code::kBuffer, span("data"), "data= must be a pointer variable",
                  "pass buffer.data, or a T.let pointer");
    }
    // A pointer expression: it is given a name to be a base.
    ir::Var* var = in_.kernel()->bind(in_.origin(span("data")), "ptr", e);
    if (var->pointee.is_void()) var->pointee = o_.dtype;
    if (o_.scope != ir::StorageScope::Global) var->storage_scope = ir::storage_scope_name(o_.scope);
    o_.data = var;
    return true;
  }
  bool read_offset() {
    if (has("elem_offset") && has("byte_offset")) {
      return fail(code::kBuffer, span("byte_offset"), "elem_offset and byte_offset exclude each other");
    }
    if (has("elem_offset")) {
      o_.elem_offset = in_.as_expr(get("elem_offset"), span("elem_offset"), "elem_offset");
      if (!o_.elem_offset) return false;
    }
    if (has("byte_offset")) {
      ir::Expr bytes = in_.as_expr(get("byte_offset"), span("byte_offset"), "byte_offset");
      if (!bytes) return false;
      int bits = o_.dtype.storage_bits() * o_.dtype.lanes;
      o_.elem_offset = ir::simplify((bytes * ir::Expr(8)) / ir::Expr(bits));
    }
    if (o_.elem_offset && ir::is_constant(o_.elem_offset, 0)) o_.elem_offset = {};
    return true;
  }
  bool read_align() {
    if (!has("align")) return true;
    auto n = alignment(in_, get("align"), span("align"));
    if (n) o_.align = *n;
    return n.has_value();
  }
  bool read_layout() {
    auto i = index("layout");
    if (!i || !a_.given(*i)) return true;
    Value l = a_[*i];
    if (l.is_none()) {
      o_.default_layout = false;
    } else if (Str* s = l.as<Str>()) {
      if (s->text == "default") return true;
      return fail(code::kLayout, a_.span(*i), "layout strings other than \"default\" belong to other targets");
    } else {
      auto layout = in_.as_layout(l, a_.span(*i));
      if (!layout) return false;
      o_.layout = keep_layout(in_, *layout);
    }
    return true;
  }
  // Tile primitives go by the layout, and elements by the strides: beside a layout these are compact (surface.md 4.1).
  bool strides_hold() {
    if (o_.strides.empty() || (!o_.default_layout && !o_.layout)) return true;
    bool compact = o_.strides.size() == o_.shape.size(), constant = compact;
    ir::Expr expected = ir::int_imm(ir::kInt32, 1);
    for (std::size_t d = o_.strides.size(); d-- > 0 && compact;) {
      if (o_.shape.size() <= d) break;
      const std::int64_t *stride = ir::constant(o_.strides[d]), *extent = ir::constant(o_.shape[d]);
      constant = constant && stride && extent;
      compact = ir::is_constant(o_.shape[d], 1) || ir::structurally_equal(o_.strides[d], expected) ||
                (stride && ir::constant(expected) && *stride == *ir::constant(expected)) ||
                ir::is_constant(ir::simplify(o_.strides[d] - ir::cast(o_.strides[d].dtype(), expected)), 0);
      expected = ir::simplify(expected * ir::cast(expected.dtype(), o_.shape[d]));
    }
    if (compact) return true;
    // What each dimension's distance is.
    std::string shape, strides;
    for (ir::Expr e : o_.shape) shape += (shape.empty() ? "" : ", ") + ir::to_string(e);
    for (ir::Expr e : o_.strides) strides += (strides.empty() ? "" : ", ") + ir::to_string(e);
    const bool one = o_.shape.size() == 1;
    const std::string layout =
        "layout=T.TileLayout(T.S[(" + shape + (one ? ",) : (" : ") : (") + strides + (one ? ",)])" : ")])");
    fail(code::kBuffer, in_.with_keyword(span("strides"), "strides"),
         "strides= are not what the layout says: tile primitives would take the tensor as dense, element accesses as "
         "strided",
         constant ? "write " + layout : "give the distances by a layout: layout=T.TileLayout(T.S[shape : strides])");
    if (constant && !index_given("layout")) in_.offer({text::Fix::Kind::Replace, "Write " + layout, layout});
    return false;
  }
  bool index_given(std::string_view name) const { return index(name) && a_.given(*index(name)); }
  bool read_allocated_addr() {
    if (!has("allocated_addr")) return true;
    Value v = get("allocated_addr");
    if (List* l = v.as<List>(); l && l->items.size() == 1) v = l->items[0];
    if (Tuple* t = v.as<Tuple>(); t && t->items.size() == 1) v = t->items[0];
    o_.allocated_addr = in_.as_expr(v, span("allocated_addr"), "allocated_addr");
    return static_cast<bool>(o_.allocated_addr);
  }

  Interpreter& in_;
  const Bound& a_;
  std::initializer_list<std::string_view> names_;
  BufferOptions o_;
};

// Keywords that no buffer of the release has. Error: one is given.
Value no_name(Interpreter& in, const Arguments& args) {
  for (const Keyword& k : args.keywords) {
    if (in.dialect() >= text::Dialect::V0_26 && (k.name == "buffer_type" || k.name == "axis_separators")) {
      return in.fail(code::kArguments, k.at_name(),
                     std::string(k.name) + "= is 0.25; buffers of " + std::string(text::dialect_name(in.dialect())) +
                         " have nothing like it",
                     "drop " + std::string(k.name) + "=");
    }
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
  auto options = OptionReader(in, a, {TILEWRIGHT_BUFFER_NAMES}).read(fixed, true);
  return options ? allocate(in, *options, args.call) : Value::error();
}

// T.Buffer(...) as an annotation or a free declaration.
Value buffer_declaration(Interpreter& in, const Arguments& args, Value) {
  if (in.dialect() >= text::Dialect::V0_26 && no_name(in, args).is_error()) return Value::error();
  Bound a(in, args, "T.Buffer", {TILEWRIGHT_BUFFER_NAMES}, 1);
  if (!a) return Value::error();
  auto options = OptionReader(in, a, {TILEWRIGHT_BUFFER_NAMES}).read(std::nullopt, true);
  if (!options) return Value::error();
  // In a body, over data that exists: a view, as T.decl_buffer makes it.
  if (in.kernel() && options->data) return allocate(in, *options, args.call);
  TypeAnnotation* t = in.make<TypeAnnotation>();
  t->kind = TypeAnnotation::Kind::Buffer;
  t->buffer = in.drafts().buffer(*options, args.call);
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
  if (!in.kernel()->is_parameter(param)) {
    return in.fail(code::kParameter, a.span(0),
                   "Can not bind non-input param: the first argument must be a parameter of the kernel");
  }
  auto options = OptionReader(in, a,
                              {"param", "shape", "dtype", "data", "strides", "elem_offset", "scope", "align",
                               "offset_factor", "buffer_type", "axis_separators", "layout"})
                     .read(std::nullopt, true);
  if (!options) return Value::error();
  auto made = in.kernel()->match(param, *options, args.call);
  return made ? in.buffer_value(*made) : in.fail(std::move(made.error()), a.span(0));
}

template <int Scope>
Value scalar(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "a scalar")) return Value::error();
  Bound a(in, args, "the scalar", {"dtype", "scope"}, 0);
  if (!a) return Value::error();
  BufferOptions options;
  if (a.has(0)) {
    auto d = in.as_dtype(a[0], a.span(0));
    if (!d) return Value::error();
    options.dtype = *d;
  }
  options.shape = {ir::int_imm(ir::kInt32, 1)};
  options.is_scalar = true;
  options.scope = static_cast<ir::StorageScope>(Scope);
  if (a.has(1)) {
    auto text = in.as_string(a[1], a.span(1), "scope");
    if (!text) return Value::error();
    if (!known_scope(in, *text, a.span(1))) return Value::error();
    options.scope = ir::parse_storage_scope(*text);
    options.scope_text = *text;
  }
  Value v = allocate(in, options, args.call);
  if (v.is_error()) return v;
  ir::Expr zero = ir::int_imm(ir::kInt32, 0);
  return Value::expr(ir::load(v.as<BufferValue>()->buffer, {&zero, 1}));
}

// T.decl_scalar(dtype, data, scope, elem_offset, byte_offset): a scalar over existing data.
Value decl_scalar(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "T.decl_scalar")) return Value::error();
  Bound a(in, args, "T.decl_scalar", {"dtype", "data", "scope", "elem_offset", "byte_offset"}, 2);
  if (!a) return Value::error();
  auto options =
      OptionReader(in, a, {"dtype", "data", "scope", "elem_offset", "byte_offset"}).read(std::nullopt, false);
  if (!options) return Value::error();
  options->shape = {ir::int_imm(ir::kInt32, 1)};
  options->is_scalar = true;
  Value v = allocate(in, *options, args.call);
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
  BufferOptions options;
  if (a.has(1)) {
    auto d = in.as_dtype(a[1], a.span(1));
    if (!d) return Value::error();
    options.dtype = *d;
  }
  options.shape = {ir::int_imm(ir::kInt32, 128), ir::int_imm(ir::kInt32, *n)};
  options.scope = ir::StorageScope::Local;
  options.layout = keep_layout(in, layout::wg_local_layout(*n));
  return allocate(in, options, args.call);
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
  auto l = fragment_layout(in, *shape, *rows, *cols, *d);
  if (!l) return in.fail(code::kLayout, args.call, l.error().message);
  BufferOptions options;
  options.dtype = *d;
  options.shape = *dims;
  options.scope = ir::StorageScope::Local;
  options.layout = keep_layout(in, *l);
  return allocate(in, options, args.call);
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
  BufferOptions options;
  options.dtype = *d;
  options.shape.assign(src->buffer->shape.begin(), src->buffer->shape.end());
  options.scope = ir::StorageScope::Local;
  options.layout = src->buffer->layout;
  return allocate(in, options, args.call);
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
  ir::Var* var = in.drafts().variable(Pointer ? ir::kHandle : *d);
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

Value optional_type(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.Optional", {"annotation"}, 1);
  if (!a) return Value::error();
  TypeAnnotation* t = in.make<TypeAnnotation>();
  t->kind = TypeAnnotation::Kind::Optional;
  t->inner = a[0];
  return Value::object(t);
}

// The annotations T.let and T.constexpr; `number` says which.
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
    since(text::Dialect::V0_26,
          {"T", "Optional", NameKind::Type, "type",
           "Annotation of a @T.jit parameter that specialize(NAME=None) leaves out: x: T.Optional(T.handle).",
           optional_type}),
};

}  // namespace

std::span<const Record> buffer_records() { return kBufferRecords; }

}  // namespace tilewright::script
