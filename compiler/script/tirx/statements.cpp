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

Value return_statement(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.Return", {"value"}, 1);
  if (!a || !in.require_kernel(args.call, "T.Return")) return Value::error();
  ir::Expr e = in.as_expr(a[0], a.span(0), "the returned value");
  if (!e) return Value::error();
  if (!ir::is_constant(e, 0)) return in.fail(code::kUnsupported, a.span(0), "a kernel can only return 0");
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
