// Attributes, methods and indexing of buffers (surface.md 4.3, 4.4).
#include "compiler/ir/outside.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

const ir::Buffer* self_buffer(Value self) { return self.as<BufferValue>()->buffer; }

std::string shown(const ir::Buffer* b) { return b->name.empty() ? std::string("buffer") : std::string(b->name); }

// A view: same data, other window. Emits the declaration inside a kernel.
Value view_of(Interpreter& in, const ir::Buffer& made, text::Span span) {
  ir::Buffer* b = in.draft(Arena::current().make<ir::Buffer>(made));
  b->name = {};
  b->is_scalar = false;
  b->span = span;
  if (in.kernel()) in.emit_new<ir::Decl>(span, b);
  return in.buffer_value(b);
}

const layout::Layout* keep_layout(Interpreter& in, layout::Layout l) {
  return in.layout_value(std::move(l)).as<LayoutValue>()->layout;
}

Value layout_failure(Interpreter& in, const layout::Error& e, text::Span span) {
  return in.fail(code::kLayout, span, e.message);
}

std::optional<std::vector<ir::Expr>> index_list(Interpreter& in, const ir::Buffer* b, Value v, text::Span span) {
  auto indices = in.as_extents(v, span, "the indices");
  if (!indices) return std::nullopt;
  if (indices->size() != b->rank()) {
    in.fail(code::kIndex, span,
            shown(b) + " has " + std::to_string(b->rank()) + " dimensions, " + std::to_string(indices->size()) +
                " indices are given");
    return std::nullopt;
  }
  return indices;
}

Value ptr_to(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "ptr_to", {"indices"}, 1);
  if (!a) return Value::error();
  const ir::Buffer* b = self_buffer(self);
  auto indices = index_list(in, b, a[0], a.span(0));
  if (!indices) return Value::error();
  ir::Expr element = ir::load(b, *indices);
  return Value::expr(ir::call(ir::kHandle, ir::builtin::address_of, {&element, 1}));
}

// Linear element offset of an index, through the layout.
std::optional<ir::Expr> linear_offset(Interpreter& in, const ir::Buffer* b, std::span<const ir::Expr> indices,
                                      text::Span span) {
  if (b->layout) {
    auto e = layout::apply_m(*b->layout, indices, ir::shape_of(*b));
    if (!e) {
      layout_failure(in, e.error(), span);
      return std::nullopt;
    }
    return ir::simplify(*e);
  }
  ir::Expr offset = ir::int_imm(ir::kInt32, 0);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    offset = b->strides.empty() ? offset * b->shape[d] + indices[d] : offset + indices[d] * b->strides[d];
  }
  return ir::simplify(offset);
}

template <bool Bytes>
Value offset_of_index(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, Bytes ? "byte_offset_of" : "elem_offset_of", {"indices", "inner"}, 1);
  if (!a) return Value::error();
  const ir::Buffer* b = self_buffer(self);
  auto indices = index_list(in, b, a[0], a.span(0));
  auto offset = indices ? linear_offset(in, b, *indices, a.span(0)) : std::nullopt;
  if (!offset) return Value::error();
  ir::Expr e = *offset;
  if (a.given(1) && a[1].is_bool() && !a[1].b && b->elem_offset) e = e + b->elem_offset;
  if (Bytes) e = (e * ir::Expr(b->dtype.storage_bits() * b->dtype.lanes)) / ir::Expr(8);
  return Value::expr(ir::simplify(e));
}

Value offset_of(Interpreter& in, const Arguments& args, Value self) {
  Value v = offset_of_index<false>(in, args, self);
  return v.is_error() ? v : in.list({v});
}

Value access_ptr(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "access_ptr", {"access_mask", "ptr_type", "content_lanes", "offset", "extent"}, 1);
  if (!a) return Value::error();
  const ir::Buffer* b = self_buffer(self);
  ir::Expr offset = ir::int_imm(ir::kInt32, 0);
  if (a.has(3)) {
    offset = in.as_expr(a[3], a.span(3), "the offset");
    if (!offset) return Value::error();
  }
  // The pointer to a linear element offset: a flat window onto the same data.
  ir::Buffer* flat = Arena::current().make<ir::Buffer>(*b);
  ir::Expr one = ir::int_imm(ir::kInt32, 1);
  ir::Expr n = one;
  for (ir::Expr e : b->shape) n = n * e;
  flat->shape = Arena::current().copy(std::vector<ir::Expr>{n});
  flat->strides = {};
  flat->layout = nullptr;
  flat->is_scalar = false;
  flat->name = in.keep(shown(b) + "_flat");
  flat->span = args.call;
  if (in.kernel()) in.emit_new<ir::Decl>(args.call, flat);
  ir::Expr element = ir::load(flat, {&offset, 1});
  return Value::expr(ir::call(ir::kHandle, ir::builtin::address_of, {&element, 1}));
}

// A.vload(begin, dtype): a vector of consecutive elements.
Value vload(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "vload", {"begin", "dtype", "predicate"}, 1);
  if (!a) return Value::error();
  if (a.has(2)) return in.fail(code::kUnsupported, a.span(2), "a predicated vload cannot be compiled to CUDA");
  const ir::Buffer* b = self_buffer(self);
  auto indices = index_list(in, b, a[0], a.span(0));
  if (!indices) return Value::error();
  int lanes = 1;
  if (a.has(1)) {
    auto d = in.as_dtype(a[1], a.span(1));
    if (!d) return Value::error();
    if (d->element() != b->dtype.element() || d->lanes % b->dtype.lanes != 0) {
      return in.fail(code::kType, a.span(1),
                     "cannot load " + ir::dtype_name(*d) + " from " + shown(b) + " of " + ir::dtype_name(b->dtype));
    }
    lanes = d->lanes / b->dtype.lanes;
  }
  if (lanes > 1) indices->back() = ir::ramp(indices->back(), ir::int_imm(indices->back().dtype(), 1), lanes);
  return Value::expr(ir::load(b, *indices));
}

Value vstore(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "vstore", {"begin", "value", "predicate"}, 2);
  if (!a) return Value::error();
  if (a.has(2)) return in.fail(code::kUnsupported, a.span(2), "a predicated vstore cannot be compiled to CUDA");
  const ir::Buffer* b = self_buffer(self);
  auto indices = index_list(in, b, a[0], a.span(0));
  ir::Expr value = indices ? in.as_expr(a[1], a.span(1)) : ir::Expr();
  if (!value) return Value::error();
  int lanes = value.dtype().lanes / b->dtype.lanes;
  if (lanes > 1) indices->back() = ir::ramp(indices->back(), ir::int_imm(indices->back().dtype(), 1), lanes);
  auto converted = ir::convert(b->dtype.with_lanes(b->dtype.lanes * lanes), value);
  if (!converted) return in.fail(code::kType, a.span(1), converted.error());
  PendingStore* s = in.make<PendingStore>();
  s->store = ir::make_stmt<ir::Store>(in.origin(args.call), b, Arena::current().copy(*indices), *converted);
  return Value::object(s);
}

// The values of a call that takes them one by one or as one sequence, as `view(2, 3)` and `view((2, 3))`.
std::vector<Value> one_by_one(const Arguments& args) {
  if (args.positional.size() == 1) {
    if (const Tuple* tuple = args.positional[0].as<Tuple>()) return tuple->items;
    if (const List* list = args.positional[0].as<List>()) return list->items;
  }
  return {args.positional.begin(), args.positional.end()};
}

constexpr std::string_view kLayoutOnly[] = {"layout"};

Value view(Interpreter& in, const Arguments& args, Value self) {
  const ir::Buffer* b = self_buffer(self);
  Value layout_value;
  for (const Keyword& k : args.keywords) {
    if (k.name != "layout") {
      return in.unknown_keyword("view", k, kLayoutOnly);
    }
    layout_value = k.value;
  }
  ir::Buffer made = *b;
  if (args.positional.size() == 1 && (args.positional[0].as<Str>() || args.positional[0].as<DataTypeValue>())) {
    auto d = in.as_dtype(args.positional[0], args.at(0));
    if (!d) return Value::error();
    int from = b->dtype.storage_bits() * b->dtype.lanes, to = d->storage_bits() * d->lanes;
    if (from % to != 0 && to % from != 0) {
      return in.fail(code::kBuffer, args.at(0),
                     "widths do not divide: " + std::to_string(from) + " and " + std::to_string(to) + " bits");
    }
    made.dtype = *d;
    std::vector<ir::Expr> shape(b->shape.begin(), b->shape.end());
    if (shape.empty()) return in.fail(code::kBuffer, args.call, "a buffer without dimensions has no other view");
    if (to > from) {
      int r = to / from;
      const std::int64_t* last = ir::constant(shape.back());
      if (last && *last % r != 0) {
        return in.fail(code::kBuffer, args.at(0),
                       "the last extent " + std::to_string(*last) + " is not divisible by " + std::to_string(r));
      }
      shape.back() = ir::simplify(shape.back() / ir::Expr(r));
      if (b->elem_offset) made.elem_offset = ir::simplify(b->elem_offset / ir::Expr(r));
      if (b->layout && r > 1) {
        auto l = layout::pack(*b->layout, r);
        if (!l) return layout_failure(in, l.error(), args.call);
        made.layout = keep_layout(in, *l);
      }
    } else if (to < from) {
      int r = from / to;
      shape.back() = ir::simplify(shape.back() * ir::Expr(r));
      if (b->elem_offset) made.elem_offset = ir::simplify(b->elem_offset * ir::Expr(r));
      if (b->layout) {
        auto l = layout::unpack(*b->layout, r);
        if (!l) return layout_failure(in, l.error(), args.call);
        made.layout = keep_layout(in, *l);
      }
    }
    made.shape = Arena::current().copy(shape);
    made.strides = {};
    return view_of(in, made, args.call);
  }
  std::vector<Value> dims = one_by_one(args);
  if (!dims.empty() && (dims.back().as<LayoutValue>() || dims.back().as<LayoutSpec>())) {
    return in.fail(code::kArguments, args.at(args.positional.size() - 1), "a layout is given by keyword",
                   "write layout=...");
  }
  std::vector<ir::Expr> shape;
  std::optional<std::size_t> infer;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (auto n = in.as_big(dims[i]); n && *n == -1) {
      if (infer) return in.fail(code::kBuffer, args.call, "only one extent of a view can be inferred");
      infer = i;
      shape.push_back(ir::int_imm(ir::kInt32, 1));
      continue;
    }
    ir::Expr e = in.as_expr(dims[i], i < args.spans.size() ? args.spans[i] : args.call, "an extent");
    if (!e) return Value::error();
    shape.push_back(e);
  }
  auto have = ir::constant_elements(b->shape);
  if (!layout_value.is_none()) {
    auto l = in.as_layout(layout_value, args.call);
    if (!l) return Value::error();
    made.layout = keep_layout(in, *l);
    if (dims.empty()) shape.assign(b->shape.begin(), b->shape.end());
  } else {
    auto want = ir::constant_elements(shape);
    if (infer) {
      if (!have || !want || *want == 0 || *have % *want != 0) {
        return in.fail(code::kBuffer, args.call,
                       "the -1 of this view cannot be inferred from " +
                           (have ? std::to_string(*have) : std::string("unknown")) + " elements");
      }
      shape[*infer] = ir::int_imm(ir::kInt32, *have / *want);
    } else if (have && want && *have != *want) {
      return in.fail(code::kBuffer, args.call,
                     "a view of " + std::to_string(*want) + " elements onto " + std::to_string(*have));
    }
    if (b->layout && b->layout->is_bare_swizzle()) made.layout = b->layout;
  }
  made.shape = Arena::current().copy(shape);
  made.strides = {};
  return view_of(in, made, args.call);
}

// A.local(*shape): the elements that one thread holds.
Value local(Interpreter& in, const Arguments& args, Value self) {
  const ir::Buffer* b = self_buffer(self);
  ir::Buffer made = *b;
  bool given = false;
  for (const Keyword& k : args.keywords) {
    if (k.name != "layout") return in.unknown_keyword("local", k, kLayoutOnly);
    if (k.value.is_none()) continue;
    auto l = in.as_layout(k.value, k.span);
    if (!l) return Value::error();
    made.layout = keep_layout(in, *l);
    given = true;
  }
  // Without a shape the own layout says how many elements a thread holds: a swizzle alone or over a tile says nothing.
  bool counts = b->layout && b->layout->is_tile();
  if ((!given && !b->layout) || (args.positional.empty() && !counts)) {
    return in.fail(
        code::kLayout, args.call,
        shown(b) + (b->layout ? " has a swizzled layout" : " has no layout") + ", so nothing says what a thread holds",
        given ? "give the shape, too" : "give the shape and layout=");
  }
  if (!given) made.layout = keep_layout(in, layout::storage(*b->layout));
  std::vector<Value> dims = one_by_one(args);
  std::vector<ir::Expr> shape;
  for (Value d : dims) {
    ir::Expr e = in.as_expr(d, args.call, "an extent");
    if (!e) return Value::error();
    shape.push_back(e);
  }
  layout::Dim total = layout::size(*made.layout);
  if (shape.empty()) shape.push_back(total.expr());
  std::optional<std::size_t> infer;
  std::int64_t rest = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t* c = ir::constant(shape[i]);
    if (c && *c == -1)
      infer = i;
    else if (c)
      rest *= *c;
  }
  if (infer && total.is_constant() && rest > 0) shape[*infer] = ir::int_imm(ir::kInt32, total.value() / rest);
  auto want = ir::constant_elements(shape);
  if (want && total.is_constant() && made.layout->is_tile() && *want != total.value()) {
    return in.fail(
        code::kBuffer, args.call,
        "one thread holds " + std::to_string(total.value()) + " elements, the view has " + std::to_string(*want));
  }
  made.shape = Arena::current().copy(shape);
  made.strides = {};
  return view_of(in, made, args.call);
}

Value permute(Interpreter& in, const Arguments& args, Value self) {
  const ir::Buffer* b = self_buffer(self);
  std::vector<Value> dims = one_by_one(args);
  std::vector<int> order;
  std::vector<bool> seen(b->rank());
  for (Value d : dims) {
    auto n = in.as_int(d, args.call, "a dimension");
    if (!n) return Value::error();
    if (*n < 0 || *n >= static_cast<std::int64_t>(b->rank()) || seen[static_cast<std::size_t>(*n)]) {
      return in.fail(code::kBuffer, args.call, "permute takes each dimension of " + shown(b) + " once");
    }
    seen[static_cast<std::size_t>(*n)] = true;
    order.push_back(static_cast<int>(*n));
  }
  if (order.size() != b->rank())
    return in.fail(code::kBuffer, args.call, "permute takes each dimension of " + shown(b) + " once");
  ir::Buffer made = *b;
  std::vector<ir::Expr> shape;
  for (int d : order) shape.push_back(b->shape[static_cast<std::size_t>(d)]);
  if (!b->layout || !b->layout->is_tile()) {
    return in.fail(code::kLayout, args.call,
                   "only a tile layout has dimensions to permute; " + shown(b) +
                       (b->layout ? " has a swizzled one" : " has none"));
  }
  auto grouped = layout::group(*b->layout->tile, ir::shape_of(*b));
  if (!grouped) return layout_failure(in, grouped.error(), args.call);
  auto permuted = layout::permute_by_groups({std::nullopt, grouped->layout}, grouped->separators, order);
  if (!permuted) return layout_failure(in, permuted.error(), args.call);
  made.layout = keep_layout(in, {std::nullopt, permuted->tile});
  made.shape = Arena::current().copy(shape);
  made.strides = {};
  return view_of(in, made, args.call);
}

Value scope_text(Interpreter& in, const Arguments&, Value self) { return in.string(self_buffer(self)->scope_text); }
Value is_scalar(Interpreter&, const Arguments&, Value self) {
  return Value::boolean(ir::is_one_element(*self_buffer(self)));
}

Value with_dtype(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "with_dtype", {"dtype"}, 1);
  auto d = a ? in.as_dtype(a[0], a.span(0)) : std::nullopt;
  if (!d) return Value::error();
  ir::Buffer made = *self_buffer(self);
  made.dtype = *d;
  return view_of(in, made, args.call);
}

Value with_data(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "with_data", {"data"}, 1);
  if (!a) return Value::error();
  ir::Expr e = in.as_expr(a[0], a.span(0), "the pointer");
  if (!e) return Value::error();
  const auto* var = e.as<ir::Var>();
  if (!var) return in.fail(code::kBuffer, a.span(0), "with_data takes a pointer variable");
  ir::Buffer made = *self_buffer(self);
  made.data = var;
  return view_of(in, made, args.call);
}

Value with_allocated_addr(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "with_allocated_addr", {"addr"}, 1);
  if (!a) return Value::error();
  Value v = a[0];
  if (List* l = v.as<List>(); l && l->items.size() == 1) v = l->items[0];
  ir::Buffer made = *self_buffer(self);
  made.allocated_addr = in.as_expr(v, a.span(0), "the address");
  return made.allocated_addr ? view_of(in, made, args.call) : Value::error();
}

Value flattened(Interpreter& in, const Arguments& args, Value self) {
  ir::Buffer made = *self_buffer(self);
  ir::Expr n = ir::int_imm(ir::kInt32, 1);
  for (ir::Expr e : made.shape) n = n * e;
  made.shape = Arena::current().copy(std::vector<ir::Expr>{ir::simplify(n)});
  made.layout = nullptr;
  made.strides = {};
  return view_of(in, made, args.call);
}

Value expr_list(Interpreter& in, std::span<const ir::Expr> items) {
  std::vector<Value> out;
  for (ir::Expr e : items) {
    const std::int64_t* c = ir::constant(e);  // a known extent counts as a Python int
    out.push_back(c ? Value::immediate_integer(*c) : Value::expr(e));
  }
  return in.tuple(std::move(out));
}

Value shape_of(Interpreter& in, const Record&, Value of) { return expr_list(in, self_buffer(of)->shape); }
Value strides_of(Interpreter& in, const Record&, Value of) { return expr_list(in, self_buffer(of)->strides); }
Value dtype_of(Interpreter& in, const Record&, Value of) { return in.string(ir::dtype_name(self_buffer(of)->dtype)); }
Value name_of(Interpreter& in, const Record&, Value of) { return in.string(self_buffer(of)->name); }
Value data_of(Interpreter&, const Record&, Value of) {
  return self_buffer(of)->data ? Value::expr(self_buffer(of)->data) : Value::none();
}
Value elem_offset_of(Interpreter&, const Record&, Value of) {
  ir::Expr offset = self_buffer(of)->elem_offset;
  return offset ? Value::expr(offset) : Value::immediate_integer(0);
}
Value byte_offset_of(Interpreter&, const Record&, Value of) {
  const ir::Buffer* b = self_buffer(of);
  if (!b->elem_offset) return Value::integer(0);
  return Value::expr(ir::simplify((b->elem_offset * ir::Expr(b->dtype.storage_bits() * b->dtype.lanes)) / ir::Expr(8)));
}
Value layout_of(Interpreter& in, const Record&, Value of) {
  const ir::Buffer* b = self_buffer(of);
  return b->layout ? in.layout_value(*b->layout) : Value::none();
}
Value allocated_addr_of(Interpreter& in, const Record&, Value of) {
  const ir::Buffer* b = self_buffer(of);
  return b->allocated_addr ? in.list({Value::expr(b->allocated_addr)}) : Value::none();
}
Value axis_separators_of(Interpreter& in, const Record&, Value) { return in.list({}); }
Value itself(Interpreter&, const Record&, Value of) { return of; }
Value ndim_of(Interpreter&, const Record&, Value of) {
  return Value::integer(static_cast<std::int64_t>(self_buffer(of)->rank()));
}

constexpr Record kBufferMethodRecords[] = {
    {"buffer", "ptr_to", NameKind::Function, "indices", "The address of an element.", ptr_to},
    {"buffer", "access_ptr", NameKind::Function,
     "access_mask, ptr_type='handle', content_lanes=1, offset=0, extent=None", "A pointer to a part of the buffer.",
     access_ptr},
    {"buffer", "vload", NameKind::Function, "begin, dtype=None, predicate=None", "Loads a vector of elements.", vload},
    {"buffer", "vstore", NameKind::Function, "begin, value, predicate=None", "Stores a vector of elements.", vstore},
    {"buffer", "view", NameKind::Function, "*shape, layout=None",
     "The same memory in another shape, or as another dtype.", view},
    {"buffer", "local", NameKind::Function, "*shape, layout=None",
     "What each thread holds of a buffer that is spread over threads.", local},
    {"buffer", "permute", NameKind::Function, "*dims", "The same memory with its dimensions in another order.",
     permute},
    {"buffer", "elem_offset_of", NameKind::Function, "indices, inner=True", "The linear offset of an element.",
     offset_of_index<false>},
    {"buffer", "byte_offset_of", NameKind::Function, "indices, inner=True", "The linear offset of an element in bytes.",
     offset_of_index<true>},
    {"buffer", "offset_of", NameKind::Function, "indices, inner=True", "The place of an element after its layout.",
     offset_of},
    {"buffer", "scope", NameKind::Function, "", "The memory that it lies in: \"global\", \"shared\", ...", scope_text},
    {"buffer", "is_scalar", NameKind::Function, "", "Is it one element that reads like a number?", is_scalar},
    {"buffer", "with_dtype", NameKind::Function, "dtype", "The same buffer with another dtype.", with_dtype},
    {"buffer", "with_data", NameKind::Function, "data", "The same buffer over another pointer.", with_data},
    {"buffer", "with_allocated_addr", NameKind::Function, "addr", "The same buffer at another column of tensor memory.",
     with_allocated_addr},
    {"buffer", "get_flattened_buffer", NameKind::Function, "", "The same memory with one dimension.", flattened},
    {"buffer", "shape", NameKind::Attribute, "", "Its extents.", nullptr, shape_of},
    {"buffer", "strides", NameKind::Attribute, "", "Its strides in elements; empty: row-major.", nullptr, strides_of},
    {"buffer", "dtype", NameKind::Attribute, "", "The name of its element type.", nullptr, dtype_of},
    {"buffer", "name", NameKind::Attribute, "", "Its name.", nullptr, name_of},
    {"buffer", "data", NameKind::Attribute, "", "The pointer to its memory.", nullptr, data_of},
    {"buffer", "elem_offset", NameKind::Attribute, "", "Where it begins in its memory, in elements.", nullptr,
     elem_offset_of},
    {"buffer", "byte_offset", NameKind::Attribute, "", "Where it begins in its memory, in bytes.", nullptr,
     byte_offset_of},
    {"buffer", "layout", NameKind::Attribute, "", "Its layout.", nullptr, layout_of},
    {"buffer", "allocated_addr", NameKind::Attribute, "", "The columns of tensor memory that it has.", nullptr,
     allocated_addr_of},
    {"buffer", "axis_separators", NameKind::Attribute, "", "Always empty.", nullptr, axis_separators_of},
    {"buffer", "buffer", NameKind::Attribute, "", "The buffer itself.", nullptr, itself},
    {"buffer", "ndim", NameKind::Attribute, "", "How many dimensions it has.", nullptr, ndim_of},
};

}  // namespace

std::span<const Record> buffer_method_records() { return kBufferMethodRecords; }

// Attributes of run-time values: dtype, astype, and the buffer behind a scalar.
bool expr_attribute(Interpreter& in, Value object, std::string_view name, text::Span, Value* result) {
  ir::Expr e = object.as_expr();
  if (name == "dtype") {
    *result = in.string(ir::dtype_name(e.dtype()));
    return true;
  }
  if (name == "astype") {
    *result = in.native(
        "astype",
        [](Interpreter& i, const Arguments& args, Value self) {
          Bound a(i, args, "astype", {"dtype"}, 1);
          auto d = a ? i.as_dtype(a[0], a.span(0)) : std::nullopt;
          if (!d) return Value::error();
          auto converted = ir::convert(*d, self.as_expr());
          if (!converted) return i.fail(code::kType, args.call, converted.error());
          return Value::expr(*converted);
        },
        object);
    return true;
  }
  if (name == "name") {
    if (const auto* var = e.as<ir::Var>()) {
      *result = in.string(var->name);
      return true;
    }
  }
  if (name == "value") {
    if (const std::int64_t* c = ir::constant(e)) {
      *result = Value::integer(*c);
      return true;
    }
  }
  if (const auto* l = e.as<ir::Load>()) {
    if (name == "buffer") {
      *result = in.buffer_value(l->buffer);
      return true;
    }
    if (name == "indices") {
      *result = expr_list(in, l->indices);
      return true;
    }
    if (ir::is_one_element(*l->buffer) && l->buffer->is_scalar) {  // methods of the scalar's own buffer
      *result = in.member_of(in.buffer_value(l->buffer), "buffer", name);
      return !result->is_error() || in.has_pending();
    }
  }
  return false;
}

Value make_region(Interpreter& in, const ir::Buffer* buffer, const std::vector<ir::Range>& ranges) {
  RegionValue* r = in.make<RegionValue>();
  r->region = {buffer, Arena::current().copy(ranges)};
  return Value::object(r);
}

namespace {

struct Indexed {
  bool ok = false;
  bool region = false;
  bool strided = false;
  std::vector<ir::Expr> indices;  // scalar or vector indices
  std::vector<ir::Range> ranges;
};

// What a slice of a dimension says; a bound that is not written is the dimension's own.
struct Bounds {
  ir::Expr lo, hi;
  std::int64_t step = 1;
};
// Nothing: it failed, and that is said.
std::optional<Bounds> bounds_of(Interpreter& in, const Slice& s, ir::Expr extent, text::Span span) {
  Bounds out;
  out.lo = s.start.is_none() ? ir::int_imm(extent.dtype(), 0) : in.as_expr(s.start, span, "a slice bound");
  if (!out.lo) return std::nullopt;
  out.hi = s.stop.is_none() ? extent : in.as_expr(s.stop, span, "a slice bound");
  if (!out.hi) return std::nullopt;
  if (s.step.is_none()) return out;
  const std::optional<std::int64_t> step = in.as_int(s.step, span, "a slice step");
  if (!step) return std::nullopt;
  out.step = *step;
  return out;
}

// Reads the subscripts of a buffer; `for_store` makes unit-step slices vectors instead of regions.
Indexed read_indices(Interpreter& in, const ir::Buffer* b, std::span<const Value> indices, text::Span whole,
                     bool for_store) {
  Indexed out;
  std::vector<text::Span> spans = in.take_index_spans();
  text::Span span = whole;
  if (b->rank() == 0 && indices.empty()) {
    out.ok = true;
    return out;
  }
  if (indices.size() > b->rank()) {
    in.fail(code::kIndex, span,
            shown(b) + " has " + std::to_string(b->rank()) + " dimension" + (b->rank() == 1 ? "" : "s") + ", " +
                std::to_string(indices.size()) + " indices are given");
    return out;
  }
  out.region = indices.size() < b->rank();
  out.indices.reserve(b->rank());
  out.ranges.reserve(b->rank());
  // The arena of a pool is declared with extent 0 and grows to what is carved from it.
  bool grows = b->scope == ir::StorageScope::SharedDyn && b->rank() == 1 && ir::is_constant(b->shape[0], 0);
  // An index that no element has. An element of the buffer cannot be there, a region can.
  std::string outside;
  text::Span outside_at{};
  for (std::size_t d = 0; d < b->rank(); ++d) {
    ir::Expr extent = b->shape[d];
    if (d >= indices.size()) {
      out.ranges.push_back({ir::int_imm(extent.dtype(), 0), extent});
      continue;
    }
    Value v = indices[d];
    if (spans.size() == indices.size()) span = spans[d];
    if (v.is_ellipsis()) {
      in.fail(code::kIndex, span, "'...' is not an index of a buffer");
      return out;
    }
    if (Slice* s = v.as<Slice>()) {
      const std::optional<Bounds> bounds = bounds_of(in, *s, extent, span);
      if (!bounds) return out;
      const auto& [lo, hi, step] = *bounds;
      // Bounds are coordinates: a negative one lies before the buffer, it does not count from the end.
      ir::Expr length = ir::simplify(hi - lo);
      if (const std::int64_t* c = ir::constant(length); c && *c < 0) {
        const std::int64_t *begin = ir::constant(lo), *end = ir::constant(hi);
        bool negative = (begin && *begin < 0) || (end && *end < 0);
        in.fail(code::kIndex, span,
                "the slice of dimension " + std::to_string(d) + " is empty: " + std::to_string(*c) + " elements",
                negative ? "bounds are coordinates and do not count from the end" : "");
        return out;
      }
      // A vector that leaves the buffer is a mistake wherever both ends are known. A region may: the tensor copy engine
      // clips it; the other primitives check their operands themselves.
      bool region = step == 1 && !for_store;
      if (const std::int64_t* begin = ir::constant(lo); begin && *begin < 0 && !region) {
        in.fail(code::kIndex, span,
                "dimension " + std::to_string(d) + " of " + shown(b) + " begins at 0, the slice at " +
                    std::to_string(*begin),
                "bounds are coordinates and do not count from the end");
        return out;
      }
      if (const std::int64_t *end = ir::constant(hi), *n = ir::constant(extent);
          end && n && *end > *n && !grows && !region) {
        in.fail(code::kIndex, span,
                "dimension " + std::to_string(d) + " of " + shown(b) + " ends at " + std::to_string(*n) +
                    ", the slice at " + std::to_string(*end));
        return out;
      }
      if (region) {
        out.region = true;
        out.ranges.push_back({lo, length});
        out.indices.push_back(lo);
        continue;
      }
      if (step <= 0) {
        in.fail(code::kIndex, span, "a slice step must be positive");
        return out;
      }
      const std::int64_t* n = ir::constant(length);
      if (!n) {
        in.fail(code::kIndex, span, "a strided slice needs a constant length");
        return out;
      }
      std::int64_t lanes = (*n + step - 1) / step;
      if (lanes < 1 || lanes > 1024) {
        in.fail(code::kIndex, span, "a vector of " + std::to_string(lanes) + " lanes cannot be accessed");
        return out;
      }
      out.strided = lanes > 1;
      out.indices.push_back(lanes == 1 ? lo : ir::ramp(lo, ir::int_imm(lo.dtype(), step), static_cast<int>(lanes)));
      continue;
    }
    ir::Expr e = in.as_expr(v, span, "an index");
    if (!e) return out;
    if (!e.dtype().is_integral() && !e.dtype().is_bool()) {
      in.fail(code::kIndex, span, "an index must be an integer, not " + ir::dtype_name(e.dtype()));
      return out;
    }
    if (e.dtype().lanes > 1 && d + 1 != b->rank()) {
      in.fail(code::kIndex, span, "only the last index may be a vector");
      return out;
    }
    if (const std::int64_t *c = ir::constant(e), *n = ir::constant(extent);
        c && n && (*c < 0 || (*c >= *n && !grows)) && outside.empty()) {
      outside = "index " + std::to_string(*c) + " is outside of dimension " + std::to_string(d) + " of " + shown(b) +
                ", which has " + std::to_string(*n) + " elements";
      outside_at = span;
    }
    out.indices.push_back(e);
    out.ranges.push_back({e, ir::int_imm(e.dtype(), 1)});
  }
  if (!outside.empty() && !out.region) {
    in.fail(code::kIndex, outside_at, outside);
    return out;
  }
  out.ok = true;
  return out;
}

// A region as a stored value: the vector of its elements, which lie along the last dimension.
ir::Expr region_vector(Interpreter& in, const ir::Region& region, text::Span span) {
  if (region.buffer->scope == ir::StorageScope::Tmem) {
    in.fail(code::kBuffer, span, "tensor memory has no elements to read", "use Tx.copy_async");
    return {};
  }
  if (std::string how = ir::outside_of_buffer(region); !how.empty()) {
    in.fail(code::kIndex, span, how);
    return {};
  }
  std::vector<ir::Expr> indices;
  for (const ir::Range& r : region.ranges) {
    const std::int64_t* n = ir::constant(r.extent);
    bool last = indices.size() + 1 == region.ranges.size();
    if (!n || (!last && *n != 1) || *n < 1 || *n > 1024) {
      in.fail(
          code::kRegion, span,
          "only a slice of constant length along the last dimension can be assigned as a vector; this is a region of " +
              shown(region.buffer),
          "use Tx.copy");
      return {};
    }
    indices.push_back(*n == 1 ? r.min : ir::ramp(r.min, ir::int_imm(r.min.dtype(), 1), static_cast<int>(*n)));
  }
  return ir::load(region.buffer, indices);
}

}  // namespace

Value index_buffer(Interpreter& in, const ir::Buffer* b, std::span<const Value> indices, text::Span span) {
  Indexed i = read_indices(in, b, indices, span, false);
  if (!i.ok) return Value::error();
  if (i.region) return make_region(in, b, i.ranges);
  return Value::expr(ir::load(b, i.indices));
}

Value index_region(Interpreter& in, const ir::Region& region, std::span<const Value> indices, text::Span whole) {
  std::vector<text::Span> spans = in.take_index_spans();
  if (indices.size() > region.ranges.size()) {
    return in.fail(code::kIndex, whole,
                   "this region of " + shown(region.buffer) + " has " + std::to_string(region.ranges.size()) +
                       " dimensions, " + std::to_string(indices.size()) + " indices are given");
  }
  std::vector<ir::Range> ranges(region.ranges.begin(), region.ranges.end());
  for (std::size_t d = 0; d < indices.size(); ++d) {
    text::Span span = spans.size() == indices.size() ? spans[d] : whole;
    ir::Expr extent = ranges[d].extent;
    Slice* s = indices[d].as<Slice>();
    if (!s) {
      ir::Expr at = in.as_expr(indices[d], span, "an index");
      if (!at) return Value::error();
      if (!at.dtype().is_integral() || at.dtype().lanes != 1) {
        return in.fail(code::kIndex, span,
                       "an index of a region must be an integer, not " + ir::dtype_name(at.dtype()));
      }
      ranges[d] = {ir::simplify(ranges[d].min + at), ir::int_imm(extent.dtype(), 1)};
      continue;
    }
    const std::optional<Bounds> bounds = bounds_of(in, *s, extent, span);
    if (!bounds) return Value::error();
    const auto& [lo, hi, step] = *bounds;
    if (step != 1) return in.fail(code::kRegion, span, "a slice of a region has no step");
    ir::Expr length = ir::simplify(hi - lo);
    if (const std::int64_t* n = ir::constant(length); n && *n < 0) {
      return in.fail(code::kIndex, span,
                     "the slice of dimension " + std::to_string(d) + " is empty: " + std::to_string(*n) + " elements");
    }
    ranges[d] = {ir::simplify(ranges[d].min + lo), length};
  }
  return make_region(in, region.buffer, ranges);
}

bool store_buffer(Interpreter& in, const ir::Buffer* b, std::span<const Value> indices, Value value, text::Span span) {
  if (value.is_poison()) return true;
  if (!in.require_kernel(span, "a store to a buffer")) return false;
  Indexed i = read_indices(in, b, indices, span, true);
  if (!i.ok) return false;
  if (i.region) {
    in.fail(code::kRegion, span, "only elements can be assigned; this is a region of " + shown(b),
            "use Tx.copy or Tx.fill");
    return false;
  }
  if (b->scope == ir::StorageScope::Tmem) {
    in.fail(code::kBuffer, span, "tensor memory has no elements to assign", "use Tx.copy_async");
    return false;
  }
  RegionValue* slice = value.as<RegionValue>();
  ir::Expr e = slice ? region_vector(in, slice->region, in.stored_at(span))
                     : in.as_expr(value, in.stored_at(span), "the stored value");
  return e && in.emit_store(b, i.indices, e, span);
}

}  // namespace tilewright::script
