// Explicit statements: T.attr, T.func_attr, T.evaluate, T.static_assert, ... (surface.md 5.2).
#include <algorithm>

#include "compiler/intrinsics/say.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/text/symbol.h"

namespace tilewright::script {
namespace {

std::optional<ir::Expr> attribute_value(Interpreter& in, Value v, text::Span span) {
  if (Str* s = v.as<Str>()) return ir::string_imm(in.keep(s->text));
  if (v.is_none()) return ir::bool_imm(true);
  if (!in.can_be_expr(v)) return ir::string_imm(in.keep(in.str(v)));
  ir::Expr e = in.as_expr(v, span);
  if (!e) return std::nullopt;
  return e;
}

// What the compiler of the whole kernel must keep to; in front of T.device_entry() it says nothing.
bool is_bound_of_kernel(Interpreter& in, std::string_view key) {
  if (!in.kernel()->on_device()) return false;
  return (key == "tirx.launch_bounds_max_blocks_per_cluster" && in.dialect() >= text::Dialect::V0_26) ||
         (key == "tirx.max_registers" && in.dialect() >= text::Dialect::V0_27);
}

// T.attr({key: value, ...}) or T.attr(node, key, value).
Value attr(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "T.attr")) return Value::error();
  Frame* f = in.make<Frame>();
  f->kind = FrameKind::Attribute;
  if (args.positional.size() == 1) {
    Dict* d = args.positional[0].as<Dict>();
    if (!d) return in.fail(code::kArguments, args.at(0), "T.attr takes a dict, or a node, a key and a value");
    for (auto& [key, value] : d->items) {
      auto name = in.as_string(key, args.at(0), "an attribute's name");
      auto e = name ? attribute_value(in, value, args.at(0)) : std::nullopt;
      if (!e) return Value::error();
      if (*name == "tirx.device_entry") {  // the printed form of T.device_entry()
        if (in.kernel()->on_device()) continue;
        auto entered = in.kernel()->enter_device(in.origin(args.call));
        if (!entered) return in.fail(std::move(entered.error()), args.call);
        continue;
      }
      if (is_bound_of_kernel(in, *name)) {
        in.kernel()->set_attribute(*name, *e);
      } else {
        f->attributes.emplace_back(in.keep(*name), *e);
      }
    }
  } else {
    Bound a(in, args, "T.attr", {"node", "key", "value"}, 3);
    if (!a) return Value::error();
    auto name = in.as_string(a[1], a.span(1), "the attribute's name");
    auto e = name ? attribute_value(in, a[2], a.span(2)) : std::nullopt;
    if (!e) return Value::error();
    if (a[0].is_expr()) f->node = a[0].as_expr().as<ir::Var>();
    if (BufferValue* b = a[0].as<BufferValue>()) f->node = b->buffer->data;
    f->attributes.emplace_back(in.keep(*name), *e);
  }
  return Value::object(f);
}

Value hint(Interpreter& in, const Arguments& args, Value) {
  Frame* f = in.make<Frame>();
  f->kind = FrameKind::Attribute;
  for (const Keyword& k : args.keywords) {
    auto e = attribute_value(in, k.value, k.span);
    if (!e) return Value::error();
    f->attributes.emplace_back(in.keep("hint." + std::string(k.name)), *e);
  }
  return Value::object(f);
}

// Gives the kernel its symbol. False: it cannot be one, and an error at `span` is pending.
bool name_kernel(Interpreter& in, std::string_view name, text::Span span) {
  if (auto why = text::why_no_symbol(name)) {
    in.fail(code::kSymbol, span, "the name of a kernel is an identifier: " + *why,
            "write letters, digits and underscores, as in \"gemm_128x64\"", "ValueError");
    return false;
  }
  in.kernel()->set_name(name);
  return true;
}

Value func_attr(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "T.func_attr")) return Value::error();
  Bound a(in, args, "T.func_attr", {"attributes"}, 1);
  if (!a) return Value::error();
  Dict* d = a[0].as<Dict>();
  if (!d) return in.fail(code::kArguments, a.span(0), "T.func_attr takes a dict");
  for (auto& [key, value] : d->items) {
    auto name = in.as_string(key, a.span(0), "an attribute's name");
    auto e = name ? attribute_value(in, value, a.span(0)) : std::nullopt;
    if (!e) return Value::error();
    if (*name == "global_symbol") {
      if (const auto* s = (*e).as<ir::StringImm>(); s && !name_kernel(in, s->value, a.span(0))) return Value::error();
    } else {
      in.kernel()->set_attribute(*name, *e);
    }
  }
  return Value::none();
}

Value func_name(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.func_name", {"name"}, 1);
  auto name =
      a && in.require_kernel(args.call, "T.func_name") ? in.as_string(a[0], a.span(0), "the name") : std::nullopt;
  if (!name) return Value::error();
  return name_kernel(in, *name, a.span(0)) ? Value::none() : Value::error();
}

Value nothing(Interpreter&, const Arguments&, Value) { return Value::none(); }

Value evaluate(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.evaluate", {"value"}, 1);
  if (!a) return Value::error();
  if (!in.require_kernel(args.call, "T.evaluate")) return Value::error();
  if (a[0].is_none() || a[0].as<Str>()) return Value::none();
  ir::Expr e = in.as_expr(a[0], a.span(0));
  if (!e) return Value::error();
  in.kernel()->evaluate(in.origin(args.call), e);
  return Value::none();
}

Value static_assert_(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.static_assert", {"condition", "message"}, 1);
  if (!a) return Value::error();
  if (a[0].is_opaque()) return Value::none();  // where it does not hold there is no kernel
  auto t = in.truth(a[0], a.span(0));
  if (!t) return Value::error();
  if (*t) return Value::none();
  return in.fail(code::kRaised, args.call, "static assertion failed" + (a.has(1) ? ": " + in.str(a[1]) : std::string()),
                 {}, "AssertionError");
}

Value buffer_store(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.buffer_store", {"buffer", "value", "indices"}, 3);
  if (!a) return Value::error();
  BufferValue* b = a[0].as<BufferValue>();
  if (!b) return in.fail(code::kType, a.span(0), "T.buffer_store takes a buffer");
  // One index stands for itself.
  const bool one = in.can_be_expr(a[2]) || a[2].as<Slice>();
  auto indices = one ? std::vector<Value>{a[2]} : in.iterate(a[2], a.span(2));
  if (!indices || !store_buffer(in, b->buffer, *indices, a[1], args.call)) return Value::error();
  return Value::none();
}

Value thread_return(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "T.thread_return")) return Value::error();
  in.kernel()->return_from(in.origin(args.call), ir::Expr());
  return Value::none();
}

Value bind(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.bind", {"value", "type"}, 1);
  if (!a || !in.require_kernel(args.call, "T.bind")) return Value::error();
  ir::Expr e = in.as_expr(a[0], a.span(0));
  if (!e) return Value::error();
  return Value::expr(bind_value(in, {}, e, a[1].as<TypeAnnotation>(), args.call));
}

Value return_statement(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.Return", {"value"}, 1);
  if (!a || !in.require_kernel(args.call, "T.Return")) return Value::error();
  ir::Expr e = in.as_expr(a[0], a.span(0), "the returned value");
  if (!e) return Value::error();
  if (!ir::is_constant(e, 0)) return in.fail(code::kUnsupported, a.span(0), "a kernel can only return 0");
  in.kernel()->return_from(in.origin(args.call), e);
  return Value::none();
}

// The 32- or 64-bit word that waits read, as instructions name its type; empty: it is none.
std::string_view word_type(ir::DataType d) {
  if (d.lanes != 1 || (d.bits != 32 && d.bits != 64)) return {};
  if (d.is_float()) return d.bits == 32 ? "f32" : "f64";
  if (d.is_int()) return d.bits == 32 ? "s32" : "s64";
  return d.is_uint() ? (d.bits == 32 ? "u32" : "u64") : std::string_view();
}

// T.cuda.wait_until(dst, ptr, predicate): reads a word of global memory into `dst` until the predicate holds, with
// ld.relaxed, and acquires once at the end.
class WordWait {
 public:
  WordWait(Interpreter& in, const Bound& a, ir::Origin at) : in_(in), a_(a), at_(at) {}

  Value emit() {
    if (!read_operands()) return Value::error();
    const ir::Expr poll = load("W37"), acquire = load("W35");
    if (!store(poll)) return Value::error();
    in_.kernel()->open_loop({}, {});
    if (pause_) {
      const ir::Expr operands[] = {pause_};
      in_.kernel()->evaluate(at_, ir::call(ir::kVoid, *intrinsics::row_of_id("C61"), operands));
    }
    const bool stored = store(poll);
    const builder::Block made = in_.kernel()->close(at_);
    if (!stored) return Value::error();
    in_.kernel()->while_loop(at_, ir::logical_not(condition_), made);
    in_.kernel()->evaluate(at_, acquire);
    return Value::none();
  }

 private:
  bool fail(std::size_t operand, std::string message) {
    in_.fail(code::kIntrinsic, a_.span(operand), std::move(message));
    return false;
  }

  static ir::Expr first_of(const ir::Buffer* buffer) {
    const std::vector<ir::Expr> zeros(buffer->rank(), ir::int_imm(ir::kInt32, 0));
    return ir::load(buffer, zeros);
  }

  bool read_operands() {
    const BufferValue* scalar = a_[0].as<BufferValue>();
    const ir::Expr element = scalar ? first_of(scalar->buffer) : in_.as_expr(a_[0], a_.span(0));
    if (!element) return false;
    to_ = element.as<ir::Load>();
    type_ = to_ ? word_type(to_->dtype) : std::string_view();
    if (type_.empty()) return fail(0, "'dst' of T.cuda.wait_until is a scalar of 32 or 64 bits of this thread");
    const BufferValue* word = a_[1].as<BufferValue>();
    const ir::Expr start = word ? first_of(word->buffer) : ir::Expr();
    address_ = word ? ir::call(ir::kHandle, ir::builtin::address_of, {&start, 1}) : in_.as_expr(a_[1], a_.span(1));
    if (!address_) return false;
    if (!address_.dtype().is_handle() && address_.dtype() != ir::kUInt64) {
      return fail(1, "'ptr' of T.cuda.wait_until is a pointer to global memory");
    }
    return read_condition(element) && read_words() && read_pause();
  }

  bool read_condition(ir::Expr element) {
    Value predicate = a_[2];
    if (predicate.is_object() && !in_.can_be_expr(predicate)) {
      const Value current = Value::expr(element);
      predicate = in_.call(predicate, {&current, 1}, a_.span(2));
      if (predicate.is_error()) return false;
    }
    condition_ = in_.as_expr(predicate, a_.span(2), "the predicate");
    if (!condition_) return false;
    return builder::KernelBuilder::is_condition(condition_) || fail(2, "the predicate is a scalar boolean");
  }

  bool read_words() {
    constexpr std::string_view kScopes[] = {"cta", "cluster", "gpu", "sys"};
    if (a_.has(3)) {
      auto scope = in_.as_string(a_[3], a_.span(3), "the scope");
      if (!scope) return false;
      if (std::ranges::find(kScopes, *scope) == std::end(kScopes)) {
        return fail(3, "the scope of T.cuda.wait_until is 'cta', 'cluster', 'gpu' or 'sys'");
      }
      scope_ = in_.keep(*scope);
    }
    if (a_.has(4)) {
      auto space = in_.as_string(a_[4], a_.span(4), "the space");
      if (!space) return false;
      if (*space != "global") {
        return fail(4, "T.cuda.wait_until waits on global memory; within a CTA or a cluster wait on an mbarrier");
      }
    }
    if (!a_.has(5)) return true;
    auto type = in_.as_string(a_[5], a_.span(5), "the type");
    if (!type) return false;
    if (type->empty()) return true;  // as the reference prints it
    if (type->size() < 3 || type->substr(1) != type_.substr(1)) {
      return fail(5, "'ptx_type' is of " + std::string(type_.substr(1)) + " bits, as 'dst' is");
    }
    return true;
  }

  bool read_pause() {
    if (!a_.has(6)) return true;
    const ir::Expr given = in_.as_expr(a_[6], a_.span(6), "'backoff_ns'");
    if (!given) return false;
    auto converted = ir::convert(ir::kUInt32, given);
    if (!converted) return fail(6, "'backoff_ns': " + converted.error());
    if (!ir::is_constant(*converted, 0)) pause_ = *converted;
    return true;
  }

  ir::Expr load(std::string_view id) const {
    const intrinsics::Intrinsic& row = *intrinsics::row_of_id(id);
    std::vector<ir::Expr> operands;
    for (const intrinsics::Operand& o : row.operands) {
      operands.push_back(o.name == "addr"          ? address_
                         : o.name == "return_type" ? ir::string_imm(in_.keep(ir::dtype_name(to_->dtype)))
                         : o.name == "ptx_type"    ? ir::string_imm(type_)
                         : o.name == "scope"       ? ir::string_imm(scope_)
                                                   : intrinsics::default_value(o));
    }
    return ir::call(to_->dtype, row, operands);
  }

  bool store(ir::Expr value) {
    auto stored = in_.kernel()->store(at_, to_->buffer, to_->indices, value);
    if (!stored) in_.fail(std::move(stored.error()), a_.span(0));
    return stored.has_value();
  }

  Interpreter& in_;
  const Bound& a_;
  ir::Origin at_;
  const ir::Load* to_ = nullptr;
  std::string_view type_, scope_ = "gpu";
  ir::Expr address_, condition_, pause_;
};

Value wait_until(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.cuda.wait_until", {"dst", "ptr", "predicate", "scope", "space", "ptx_type", "backoff_ns"}, 3);
  if (!a || !in.require_kernel(args.call, "T.cuda.wait_until")) return Value::error();
  for (std::size_t i = 0; i < 3; ++i) {
    if (a[i].is_poison()) return a[i];
  }
  return WordWait(in, a, in.origin(args.call)).emit();
}

// The printed forms of `break` and `continue`.
template <auto Jump>
Value jump(Interpreter& in, const Arguments& args, Value) {
  if (!in.require_kernel(args.call, "a jump")) return Value::error();
  auto made = (in.kernel()->*Jump)(in.origin(args.call));
  return made ? Value::none() : in.fail(std::move(made.error()), args.call);
}

Value return_value(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.ret", {"value"}, 0);
  if (!a || !in.require_kernel(args.call, "T.ret")) return Value::error();
  ir::Expr e = a.has(0) ? in.as_expr(a[0], a.span(0), "the returned value") : ir::Expr();
  if (a.has(0) && !e) return Value::error();
  in.kernel()->return_from(in.origin(args.call), e);
  return Value::none();
}

Value elected(Interpreter& in, const Arguments& args, Value) {
  const std::string elect = intrinsics::say(intrinsics::row_of("elect"), in.dialect()) + "()";
  in.fail(code::kAttribute, args.call, "T.elected() is not part of the language", "write: if " + elect + ":");
  in.offer({text::Fix::Kind::Replace, "Write " + elect, elect});
  return Value::error();
}

// T.tvm_stack_alloca("tensormap", 1): host storage, in kernels for a tensor map.
Value stack_alloca(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.tvm_stack_alloca", {"type", "count"}, 2);
  if (!a) return Value::error();
  static const ir::Callee kAlloca{"tvm_stack_alloca", ir::Effect::Opaque};
  auto type = in.as_string(a[0], a.span(0), "the type");
  ir::Expr count = in.as_expr(a[1], a.span(1));
  if (!type || !count) return Value::error();
  const ir::Expr operands[] = {ir::string_imm(in.keep(*type)), count};
  return Value::expr(ir::call(*type == "tensormap" ? ir::kTensorMap : ir::kHandle, kAlloca, operands));
}

// Host calls by name: kept in the plan, never executed here.
Value call_packed(Interpreter& in, const Arguments& args, Value) {
  static const ir::Callee kPacked{"call_packed", ir::Effect::Opaque};
  std::vector<ir::Expr> operands;
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    Value v = args.positional[i];
    if (Str* s = v.as<Str>()) {
      operands.push_back(ir::string_imm(in.keep(s->text)));
      continue;
    }
    if (DataTypeValue* d = v.as<DataTypeValue>()) {
      operands.push_back(ir::string_imm(in.keep(ir::dtype_name(d->dtype))));
      continue;
    }
    ir::Expr e = in.as_expr(v, args.at(i));
    if (!e) return Value::error();
    operands.push_back(e);
  }
  ir::Expr e = ir::call(ir::kInt32, kPacked, operands);
  if (!in.in_script_mode() && in.kernel()) {
    in.kernel()->evaluate(in.origin(args.call), e);
    return Value::none();
  }
  return Value::expr(e);
}

// T.tensormap_encode_tiled(map, data, *dims, *strides, *box, *element_strides, descriptor_dtype=, rank=, ...): as 0.27
// writes the host call that encodes a tensor map.
Value encode_tensor_map(Interpreter& in, const Arguments& args, Value self) {
  auto given = [&](std::string_view name, Value otherwise) {
    auto k = std::ranges::find(args.keywords, name, &Keyword::name);
    return k == args.keywords.end() ? otherwise : k->value;
  };
  const Value dtype = given("descriptor_dtype", Value::none());
  auto rank = in.as_int(given("rank", Value::integer(0)), args.call, "rank=");
  if (!rank) return Value::error();
  if (dtype.is_none() || *rank < 1 || *rank > 5 || args.positional.size() != static_cast<std::size_t>(4 * *rank + 1)) {
    return in.fail(
        code::kArguments, args.call,
        "T.tensormap_encode_tiled takes the map, the tensor, rank dims, rank - 1 strides, rank box extents and "
        "rank element strides, with descriptor_dtype= and a rank from 1 to 5; " +
            std::to_string(args.positional.size()) + " operands are given",
        {}, "ValueError");
  }
  std::vector<Value> all = {in.string("runtime.cuTensorMapEncodeTiled"), args.positional[0], dtype,
                            Value::integer(*rank)};
  all.insert(all.end(), args.positional.begin() + 1, args.positional.end());
  for (std::string_view option : {"interleave", "swizzle", "l2_promotion", "oob_fill"}) {
    all.push_back(given(option, Value::integer(0)));
  }
  return call_packed(in, Arguments{all, {}, {}, args.call, args.function}, self);
}

constexpr Record kStatementRecords[] = {
    {"T", "attr", NameKind::Function, "node, key, value", "An attribute of the statements below, or of a with block.",
     attr},
    {"T", "hint", NameKind::Function, "message='', **attributes", "Hints for the compiler, for the statements below.",
     hint},
    {"T", "func_attr", NameKind::Function, "attributes", "Attributes of the kernel.", func_attr},
    {"T", "func_name", NameKind::Function, "name", "Names the kernel.", func_name},
    {"T", "func_ret", NameKind::Function, "type", "The type that the kernel returns.", nothing},
    since(text::Dialect::V0_27,
          {"T.cuda", "wait_until", NameKind::Function,
           "dst, ptr, predicate, scope='gpu', space='global', ptx_type=None, backoff_ns=None",
           "Reads a word of global memory into dst until the predicate holds, then acquires.", wait_until}),
    {"T", "evaluate", NameKind::Function, "value", "Evaluates an expression for what it does.", evaluate},
    {"T", "static_assert", NameKind::Function, "condition, message=''",
     "Fails while the script is evaluated if the condition is false.", static_assert_},
    {"T", "buffer_store", NameKind::Function, "buffer, value, indices", "Stores one element; B[i] = v does the same.",
     buffer_store},
    {"T", "thread_return", NameKind::Function, "", "Ends this thread.", thread_return},
    {"T", "Bind", NameKind::Function, "value, type=None", "Binds a value to a variable.", bind},
    {"T", "bind", NameKind::Function, "value, type=None", "Binds a value to a variable.", bind},
    {"T", "break_loop", NameKind::Function, "", "Leaves the loop around it.",
     jump<&builder::KernelBuilder::break_loop>},
    {"T", "continue_loop", NameKind::Function, "", "Goes on with the next iteration.",
     jump<&builder::KernelBuilder::continue_loop>},
    {"T", "ret", NameKind::Function, "value=None", "Returns a value.", return_value},
    since(text::Dialect::V0_26,
          {"T", "Return", NameKind::Function, "value", "Ends this thread: T.Return(0).", return_statement}),
    {"T", "assume", NameKind::Function, "condition", "Promises that a condition holds.", nothing},
    {"T", "elected", NameKind::Function, "", "True in one lane of each warp.", elected},
    {"T", "tvm_stack_alloca", NameKind::Function, "type, count", "Storage on the host, such as for a tensor map.",
     stack_alloca},
    since(text::Dialect::V0_27,
          {"T", "tensormap_encode_tiled", NameKind::Function,
           "*args, descriptor_dtype, rank, interleave=0, swizzle=0, l2_promotion=0, oob_fill=0, force_cu_dtype=-1",
           "Encodes a tensor map on the host.", encode_tensor_map}),
    {"T", "call_packed", NameKind::Function, "name, *args", "Calls a function of the host by name.", call_packed},
};

}  // namespace

std::span<const Record> statement_records() { return kStatementRecords; }

}  // namespace tilewright::script
