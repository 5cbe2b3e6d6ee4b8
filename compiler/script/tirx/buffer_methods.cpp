// Attributes and methods of buffers (surface.md 4.3).
#include "compiler/script/tirx/buffer_views.h"

namespace tilewright::script {

Value declared_view(Interpreter& in, const ir::Buffer& made, text::Span span) {
  const ir::Buffer* b = in.drafts().view(made, span);
  if (in.kernel()) in.kernel()->declare(in.origin(span), b);
  return in.buffer_value(b);
}

namespace {

const ir::Buffer* self_buffer(Value self) { return self.as<BufferValue>()->buffer; }

Value view_of(Interpreter& in, const ir::Buffer& made, text::Span span) { return declared_view(in, made, span); }

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
            shown_name(b) + " has " + std::to_string(b->rank()) + " dimensions, " + std::to_string(indices->size()) +
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
  const ir::Buffer* flat = in.drafts().flat_view(*b, args.call);
  if (in.kernel()) in.kernel()->declare(in.origin(args.call), flat);
  ir::Expr element = ir::load(flat, {&offset, 1});
  return Value::expr(ir::call(ir::kHandle, ir::builtin::address_of, {&element, 1}));
}

// From 0.27 on no access has predicate=. True: one is given, and the error is pending.
bool refuses_predicate(Interpreter& in, const Arguments& args, std::string_view instead) {
  for (const Keyword& k : args.keywords) {
    if (k.name != "predicate" || in.dialect() < text::Dialect::V0_27) continue;
    in.fail(code::kArguments, k.at_name(), "predicate= is 0.26; 0.27 writes " + std::string(instead),
            "drop predicate=");
    return true;
  }
  return false;
}

// A.vload(begin, dtype): a vector of consecutive elements.
Value vload(Interpreter& in, const Arguments& args, Value self) {
  if (refuses_predicate(in, args, "T.masked_load")) return Value::error();
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
      return in.fail(
          code::kType, a.span(1),
          "cannot load " + ir::dtype_name(*d) + " from " + shown_name(b) + " of " + ir::dtype_name(b->dtype));
    }
    lanes = d->lanes / b->dtype.lanes;
  }
  if (lanes > 1) indices->back() = ir::ramp(indices->back(), ir::int_imm(indices->back().dtype(), 1), lanes);
  return Value::expr(ir::load(b, *indices));
}

Value vstore(Interpreter& in, const Arguments& args, Value self) {
  if (refuses_predicate(in, args, "T.masked_store")) return Value::error();
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
  s->store = builder::KernelBuilder::store_of(in.origin(args.call), b, *indices, *converted);
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

// A.view(dtype): the same bytes as elements of another width, which the last extent makes up for.
Value view_as(Interpreter& in, const ir::Buffer* b, ir::DataType dtype, const Arguments& args) {
  const int from = b->dtype.storage_bits() * b->dtype.lanes, to = dtype.storage_bits() * dtype.lanes;
  if (from % to != 0 && to % from != 0) {
    return in.fail(code::kBuffer, args.at(0),
                   "widths do not divide: " + std::to_string(from) + " and " + std::to_string(to) + " bits");
  }
  ir::Buffer made = *b;
  made.dtype = dtype;
  std::vector<ir::Expr> shape(b->shape.begin(), b->shape.end());
  if (shape.empty()) return in.fail(code::kBuffer, args.call, "a buffer without dimensions has no other view");
  const bool wider = to > from;
  const int r = wider ? to / from : from / to;
  auto scaled = [&](ir::Expr e) { return ir::simplify(wider ? e / ir::Expr(r) : e * ir::Expr(r)); };
  if (r > 1) {
    const std::int64_t* last = ir::constant(shape.back());
    if (wider && last && *last % r != 0) {
      return in.fail(code::kBuffer, args.at(0),
                     "the last extent " + std::to_string(*last) + " is not divisible by " + std::to_string(r));
    }
    shape.back() = scaled(shape.back());
    if (b->elem_offset) made.elem_offset = scaled(b->elem_offset);
    if (b->layout) {
      auto l = wider ? layout::pack(*b->layout, r) : layout::unpack(*b->layout, r);
      if (!l) return layout_failure(in, l.error(), args.call);
      made.layout = keep_layout(in, *l);
    }
  }
  made.shape = Arena::current().copy(shape);
  made.strides = {};
  return view_of(in, made, args.call);
}

// The extents of a view, one of which may be -1.
struct ViewShape {
  std::vector<ir::Expr> extents;
  std::optional<std::size_t> inferred;
};
// Nothing: an error is pending.
std::optional<ViewShape> view_shape(Interpreter& in, const std::vector<Value>& dims, const Arguments& args) {
  ViewShape out;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (auto n = in.as_big(dims[i]); n && *n == -1) {
      if (out.inferred) {
        in.fail(code::kBuffer, args.call, "only one extent of a view can be inferred");
        return std::nullopt;
      }
      out.inferred = i;
      out.extents.push_back(ir::int_imm(ir::kInt32, 1));
      continue;
    }
    ir::Expr e = in.as_expr(dims[i], i < args.spans.size() ? args.spans[i] : args.call, "an extent");
    if (!e) return std::nullopt;
    out.extents.push_back(e);
  }
  return out;
}

// Makes the shape hold as many elements as the buffer. False: it cannot, an error is pending.
bool fit_view(Interpreter& in, const ir::Buffer* b, ViewShape& shape, text::Span call) {
  auto have = ir::constant_elements(b->shape), want = ir::constant_elements(shape.extents);
  if (shape.inferred) {
    if (!have || !want || *want == 0 || *have % *want != 0) {
      in.fail(code::kBuffer, call,
              "the -1 of this view cannot be inferred from " + (have ? std::to_string(*have) : std::string("unknown")) +
                  " elements");
      return false;
    }
    shape.extents[*shape.inferred] = ir::int_imm(ir::kInt32, *have / *want);
  } else if (have && want && *have != *want && !(*have == 0 && b->scope == ir::StorageScope::SharedDyn)) {
    // A pool of dynamic shared memory without a size of its own grows with its views.
    in.fail(code::kBuffer, call, "a view of " + std::to_string(*want) + " elements onto " + std::to_string(*have));
    return false;
  }
  return true;
}

constexpr std::string_view kLayoutOnly[] = {"layout"};

Value view(Interpreter& in, const Arguments& args, Value self) {
  const ir::Buffer* b = self_buffer(self);
  Value layout_value;
  for (const Keyword& k : args.keywords) {
    if (k.name != "layout") return in.unknown_keyword("view", k, kLayoutOnly);
    layout_value = k.value;
  }
  if (args.positional.size() == 1 && (args.positional[0].as<Str>() || args.positional[0].as<DataTypeValue>())) {
    auto d = in.as_dtype(args.positional[0], args.at(0));
    return d ? view_as(in, b, *d, args) : Value::error();
  }
  std::vector<Value> dims = one_by_one(args);
  if (!dims.empty() && (dims.back().as<LayoutValue>() || dims.back().as<LayoutSpec>())) {
    return in.fail(code::kArguments, args.at(args.positional.size() - 1), "a layout is given by keyword",
                   "write layout=...");
  }
  auto shape = view_shape(in, dims, args);
  if (!shape) return Value::error();
  ir::Buffer made = *b;
  if (!layout_value.is_none()) {
    auto l = in.as_layout(layout_value, args.call);
    if (!l) return Value::error();
    made.layout = keep_layout(in, *l);
    if (dims.empty()) shape->extents.assign(b->shape.begin(), b->shape.end());
  } else if (!fit_view(in, b, *shape, args.call)) {
    return Value::error();
  }
  made.shape = Arena::current().copy(shape->extents);
  made.strides = {};
  return view_of(in, made, args.call);
}

// `layout=` of .local(), and whether it is given; nothing: an error is pending.
std::optional<bool> take_layout(Interpreter& in, const Arguments& args, ir::Buffer& made) {
  bool given = false;
  for (const Keyword& k : args.keywords) {
    if (k.name != "layout") {
      in.unknown_keyword("local", k, kLayoutOnly);
      return std::nullopt;
    }
    if (k.value.is_none()) continue;
    auto l = in.as_layout(k.value, k.span);
    if (!l) return std::nullopt;
    made.layout = keep_layout(in, *l);
    given = true;
  }
  return given;
}

// The same from 0.26 on: without layout= the elements in the order of the registers that hold them.
Value local_in_order(Interpreter& in, const Arguments& args, Value self) {
  const ir::Buffer* b = self_buffer(self);
  ir::Buffer made = *b;
  const std::optional<bool> has_layout = take_layout(in, args, made);
  if (!has_layout) return Value::error();
  const bool given = *has_layout;
  std::vector<ir::Expr> shape;
  for (Value d : one_by_one(args)) {
    ir::Expr e = in.as_expr(d, args.call, "an extent");
    if (!e) return Value::error();
    shape.push_back(e);
  }
  if (!b->layout && (!given || shape.empty())) {
    return in.fail(code::kLayout, args.call, shown_name(b) + " has no layout, so nothing says what a thread holds",
                   "give the shape and layout=");
  }
  if (shape.empty() || !given) {
    const layout::Layout storage = layout::storage(*b->layout);
    const layout::Dim held = given ? layout::size(storage) : layout::span(storage);
    const auto want = ir::constant_elements(shape);
    if (shape.empty()) {
      shape.push_back(held.expr());
    } else if (want && held.is_constant() && *want != held.value()) {
      return in.fail(
          code::kBuffer, args.call,
          "one thread holds " + std::to_string(held.value()) + " elements, the view has " + std::to_string(*want),
          "layout= gives a view of another size");
    }
  }
  if (!given) {
    layout::Shape extents;
    for (ir::Expr e : shape) extents.push_back(layout::Dim(e));
    made.layout = keep_layout(in, layout::row_major(extents));
  }
  made.shape = Arena::current().copy(shape);
  made.strides = {};
  return view_of(in, made, args.call);
}

// A.local(*shape): the elements that one thread holds.
Value local(Interpreter& in, const Arguments& args, Value self) {
  if (in.dialect() >= text::Dialect::V0_26) return local_in_order(in, args, self);
  const ir::Buffer* b = self_buffer(self);
  ir::Buffer made = *b;
  const std::optional<bool> has_layout = take_layout(in, args, made);
  if (!has_layout) return Value::error();
  const bool given = *has_layout;
  // Without a shape the own layout says how many elements a thread holds: a swizzle alone or over a tile says nothing.
  bool counts = b->layout && b->layout->is_tile();
  if ((!given && !b->layout) || (args.positional.empty() && !counts)) {
    return in.fail(code::kLayout, args.call,
                   shown_name(b) + (b->layout ? " has a swizzled layout" : " has no layout") +
                       ", so nothing says what a thread holds",
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
      return in.fail(code::kBuffer, args.call, "permute takes each dimension of " + shown_name(b) + " once");
    }
    seen[static_cast<std::size_t>(*n)] = true;
    order.push_back(static_cast<int>(*n));
  }
  if (order.size() != b->rank())
    return in.fail(code::kBuffer, args.call, "permute takes each dimension of " + shown_name(b) + " once");
  ir::Buffer made = *b;
  std::vector<ir::Expr> shape;
  for (int d : order) shape.push_back(b->shape[static_cast<std::size_t>(d)]);
  if (in.dialect() >= text::Dialect::V0_26) {
    Window window(in, *b, "permute", args.call);
    return window.permute(order) ? window.declare() : Value::error();
  }
  if (!b->layout || !b->layout->is_tile()) {
    return in.fail(code::kLayout, args.call,
                   "only a tile layout has dimensions to permute; " + shown_name(b) +
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
  const std::int64_t* known = offset ? ir::constant(offset) : nullptr;
  return offset && !known ? Value::expr(offset) : Value::immediate_integer(known ? *known : 0);
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
    since(text::Dialect::V0_26,
          {"buffer", "ty", NameKind::Attribute, "", "Its type: shape, dtype, layout and the rest.", nullptr, itself}),
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
  if (name == "ty" && in.dialect() >= text::Dialect::V0_26) {
    DataTypeValue* type = in.make<DataTypeValue>();
    type->dtype = e.dtype();
    *result = Value::object(type);
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
    if (name == "buffer" || (name == "source" && in.dialect() >= text::Dialect::V0_27)) {
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

}  // namespace tilewright::script
